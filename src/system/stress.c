/* system/stress.c - stiffness of elements with their stresses as unknowns of their own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/stress.h"

#include <math.h>

enum { MAXCOL = 6*TNI_MAXBODY, MAXBLOCK = TNI_MAXBODY*TNI_MAXBODY };

static bool has_stresses(const tni_force *f) { return f->element && f->element->nstress > 0; }

bool tni_stresses_any(const tni_data *s, bool bend) {
  for (int i = 0; i < s->model->nforce; i++) {
    const tni_force *f = &s->model->force[i];
    if (has_stresses(f) && (f->element->nstress > 1) == bend) return true;
  }
  return false;
}

/* columns of slot e of a force in a row of its own, in the order of the unknowns; -1: width of the row */
static int column_of(const tni_layout *L, const tni_force *f, int e) {
  int before = 0;
  for (int g = 0; g < f->nbody; g++)
    if (e < 0 || L->rank[f->body[g]] < L->rank[f->body[e]]) before += L->size[f->body[g]];
  return before;
}

static tn_status make_rows(tni_arena *arena, const tni_data *s, tni_stresses *x) {
  const tn_model *m = s->model;
  const tni_layout *L = s->layout;
  int nrow = x->m + x->nstress, nnz = s->rows->nnz, *ptr, *col;
  for (int k = 0; k < x->nelement; k++)
    nnz += (x->row[k+1] - x->row[k])*column_of(L, &m->force[x->force[k]], -1);
  TNI_ARENA_NEW(arena, ptr, nrow + 1);
  TNI_ARENA_NEW(arena, col, nnz);
  memcpy(ptr, s->rows->rowptr, (size_t)(x->m + 1)*sizeof(int));
  memcpy(col, s->rows->col, (size_t)s->rows->nnz*sizeof(int));
  for (int k = 0; k < x->nelement; k++) {
    const tni_force *f = &m->force[x->force[k]];
    for (int r = x->m + x->row[k]; r < x->m + x->row[k+1]; r++) {
      ptr[r+1] = ptr[r] + column_of(L, f, -1);
      for (int e = 0; e < f->nbody; e++)
        for (int j = 0; j < L->size[f->body[e]]; j++)
          col[ptr[r] + column_of(L, f, e) + j] = L->vadr[f->body[e]] + j;
    }
  }
  x->rows = (tni_sparsity){nrow, s->nv, nnz, ptr, col};
  return TN_OK;
}

tn_status tni_stresses_create(tni_arena *arena, const tni_data *s, tni_stresses *out) {
  const tn_model *m = s->model;
  memset(out, 0, sizeof(*out));
  out->m = s->m;
  for (int i = 0; i < m->nforce; i++) out->nelement += has_stresses(&m->force[i]);
  TNI_ARENA_NEW(arena, out->force, out->nelement);
  TNI_ARENA_NEW(arena, out->row, out->nelement + 1);
  TNI_ARENA_NEW(arena, out->at, (size_t)out->nelement*MAXBLOCK);
  for (int i = 0, k = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (!has_stresses(f)) continue;
    out->force[k] = i;
    for (int e = 0; e < f->nbody; e++)
      for (int g = 0; g < f->nbody; g++)
        out->at[k*MAXBLOCK + e*f->nbody + g] =
            tni_sparsity_find(s->square, s->layout->vadr[f->body[e]], s->layout->vadr[f->body[g]]);
    out->row[k+1] = out->row[k] + f->element->nstress;
    k++;
  }
  out->nstress = out->row[out->nelement];
  TN_TRY(make_rows(arena, s, out));
  TNI_ARENA_NEW(arena, out->value, out->rows.nnz);
  TNI_ARENA_NEW(arena, out->flexibility, out->rows.nrow);
  TNI_ARENA_NEW(arena, out->n, out->nstress);
  TNI_ARENA_NEW(arena, out->predicted, out->nstress);
  return TN_OK;
}

static void add_rest(const tni_stresses *x, const tni_data *s, int k, const double *rest, double *K) {
  const tn_model *m = s->model;
  const tni_force *f = &m->force[x->force[k]];
  const tni_layout *L = s->layout;
  int nb = f->nbody;
  for (int e = 0; e < nb; e++) {
    int first = L->vadr[f->body[e]];
    int width = s->square->rowptr[first + 1] - s->square->rowptr[first];
    for (int g = 0; g < nb; g++) {
      const signed char *role = L->role + L->vadr[f->body[g]];
      double *to = K + x->at[k*MAXBLOCK + e*nb + g];
      for (int i = first; i < first + L->size[f->body[e]]; i++, to += width)
        for (int j = 0; j < L->size[f->body[g]]; j++)
          to[j] -= rest[(6*e + L->role[i])*6*nb + 6*g + role[j]];
    }
  }
}

static void keep_rows(tni_stresses *x, const tni_data *s, int k, const double *B) {
  const tni_force *f = &s->model->force[x->force[k]];
  const tni_layout *L = s->layout;
  for (int r = x->row[k]; r < x->row[k+1]; r++)
    for (int e = 0; e < f->nbody; e++) {
      const signed char *role = L->role + L->vadr[f->body[e]];
      double *to = x->value + x->rows.rowptr[x->m + r] + column_of(L, f, e);
      const double *from = B + (r - x->row[k])*6*f->nbody + 6*e;
      for (int j = 0; j < L->size[f->body[e]]; j++) to[j] = from[role[j]];
    }
}

void tni_stresses_update(tni_stresses *x, const tni_data *s, double t, double *K) {
  const tn_model *m = s->model;
  tni_env env = {.t = t, .kin = s->kin, .memory = s->memory};
  double B[TNI_MAXSTRESS*MAXCOL], rest[MAXCOL*MAXCOL];
  for (int k = 0; k < x->nelement; k++) {
    const tni_force *f = &m->force[x->force[k]];
    tni_mixed_out o = {x->n + x->row[k], B, x->flexibility + x->m + x->row[k], rest};
    f->element->mixed(f, &env, NULL, &o);
    keep_rows(x, s, k, B);
    add_rest(x, s, k, rest, K);
  }
}

void tni_stresses_rest_predicted(const tni_stresses *x, const tni_data *s, double t, double *K) {
  const tn_model *m = s->model;
  tni_env env = {.t = t, .kin = s->kin, .memory = s->memory};
  double n[TNI_MAXSTRESS], F[TNI_MAXSTRESS], B[TNI_MAXSTRESS*MAXCOL], rest[MAXCOL*MAXCOL];
  for (int k = 0; k < x->nelement; k++) {
    const tni_force *f = &m->force[x->force[k]];
    tni_mixed_out o = {n, B, F, rest};
    f->element->mixed(f, &env, x->predicted + x->row[k], &o);
    add_rest(x, s, k, rest, K);
  }
}

/* B delta of stress k; *terms: sum of the sizes of its terms */
static double strain(const tni_stresses *s, int k, const double *delta, double *terms) {
  const tni_sparsity *p = &s->rows;
  double sum = 0;
  *terms = 0;
  for (int i = p->rowptr[s->m + k]; i < p->rowptr[s->m + k + 1]; i++) {
    double x = s->value[i]*delta[p->col[i]];
    sum += x;
    *terms += fabs(x);
  }
  return sum;
}

void tni_stresses_predict(tni_stresses *x, const double *delta) {
  double terms;
  for (int k = 0; k < x->nstress; k++)
    x->predicted[k] = x->n[k] + strain(x, k, delta, &terms)/x->flexibility[x->m + k];
  x->is_predicted = x->nstress > 0;
}

void tni_stresses_times(const tni_stresses *s, const double *x, double *y) {
  const tni_sparsity *p = &s->rows;
  double terms;
  for (int k = 0; k < s->nstress; k++) {
    double n = strain(s, k, x, &terms)/s->flexibility[s->m + k];
    for (int i = p->rowptr[s->m + k]; i < p->rowptr[s->m + k + 1]; i++) y[p->col[i]] += s->value[i]*n;
  }
}

double tni_stresses_energy(const tni_stresses *s, const double *x, double eps, double *rounding) {
  double sum = 0;
  *rounding = 0;
  for (int k = 0; k < s->nstress; k++) {
    double terms, e = strain(s, k, x, &terms), off = eps*terms, F = s->flexibility[s->m + k];
    sum += e*e/F;
    *rounding += (2*fabs(e) + off)*off/F;
  }
  return sum;
}

double tni_stresses_size(const tni_stresses *s, int k, const double *w) {
  const tni_sparsity *p = &s->rows;
  double sum = 0;
  for (int i = p->rowptr[s->m + k]; i < p->rowptr[s->m + k + 1]; i++)
    sum += s->value[i]*s->value[i]/w[p->col[i]];
  return sum/s->flexibility[s->m + k];
}

double tni_stresses_largest(const tni_stresses *s) {
  const tni_sparsity *p = &s->rows;
  double most = 0;
  for (int k = s->m; k < s->m + s->nstress; k++)
    for (int i = p->rowptr[k]; i < p->rowptr[k+1]; i++)
      most = fmax(most, s->value[i]*s->value[i]/s->flexibility[k]);
  return most;
}
