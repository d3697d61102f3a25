/* domains/feti_dp.c - what stays together in FETI-DP
 *
 * C_s has a row for every corner unknown of the domain, and one for the mean over every set of border unknowns of one kind that the
 * same domains share. Letters: c primal unknowns, Phi the shape that a domain takes when one of them is 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "domains/feti_inner.h"

static const double ZERO = 1e-13;

bool tni_feti_is_corner(const tni_feti *f, int s, int unknown) {
  return f->d->domain[s].corner && f->d->domain[s].corner[unknown];
}

/* ---- primal unknowns --------------------------------------------------------------------------------- */

/* one copy of a border unknown; copies are grouped by who shares them */
typedef struct {
  int domain, place;      /* of the border                           */
  const tni_side *side;
  int n, kind;
  bool corner;
} copy;

static int compare_sharers(const copy *x, const copy *y) {
  if (x->n != y->n) return x->n - y->n;
  for (int i = 0; i < x->n; i++)
    if (x->side[i].domain != y->side[i].domain) return x->side[i].domain - y->side[i].domain;
  return x->kind - y->kind;
}

/* corners first: each a group of its own, by the place of its first copy */
static int compare(const void *a, const void *b) {
  const copy *x = a, *y = b;
  if (x->corner != y->corner) return x->corner ? -1 : 1;
  int c = compare_sharers(x, y);
  if (c) return c;
  if (x->corner && x->side[0].at != y->side[0].at) return x->side[0].at - y->side[0].at;
  if (x->domain != y->domain) return x->domain - y->domain;
  return x->place - y->place;
}

static bool same_group(const copy *x, const copy *y) {
  return x->corner == y->corner && compare_sharers(x, y) == 0 && (!x->corner || x->side[0].at == y->side[0].at);
}

/* constraints of all domains from the sorted copies: first counted, then written */
static tn_status make_constraints(tni_feti *f, const copy *all, int n) {
  for (int pass = 0; pass < 2; pass++) {
    f->nprimal = 0;
    for (int i = 0, j; i < n; i = j) {
      for (j = i + 1; j < n && same_group(&all[i], &all[j]); j++) {}
      for (int k = i, l; k < j; k = l) { /* the copies of one domain */
        for (l = k + 1; l < j && all[l].domain == all[k].domain; l++) {}
        tni_feti_piece *p = &f->piece[all[k].domain];
        if (pass) {
          p->primal[p->ncon] = f->nprimal;
          for (int e = k; e < l; e++) {
            int at = p->con_from[p->ncon] + e - k;
            p->con_at[at] = f->border[all[k].domain].b[all[e].place];
            p->con_weight[at] = 1.0/(l - k);
          }
          p->con_from[p->ncon + 1] = p->con_from[p->ncon] + l - k;
        } else {
          p->m += l - k; /* entries, until ties are made */
        }
        p->ncon++;
      }
      f->nprimal++;
    }
    if (pass) break;
    for (int s = 0; s < f->d->n; s++) {
      tni_feti_piece *p = &f->piece[s];
      TNI_ARENA_NEW(&f->arena, p->primal, p->ncon);
      TNI_ARENA_NEW(&f->arena, p->con_from, p->ncon + 1);
      TNI_ARENA_NEW(&f->arena, p->con_at, p->m);
      TNI_ARENA_NEW(&f->arena, p->con_weight, p->m);
      p->ncon = p->m = 0;
    }
  }
  return TN_OK;
}

static tn_status choose_primal(tni_feti *f) {
  const tni_domains *d = f->d;
  int n = 0;
  for (int s = 0; s < d->n; s++) n += f->border[s].nb;
  copy *all = tni_alloc(f->ctx, (size_t)n, sizeof(*all));
  if (!all) return tni_out_of_memory(f->ctx);
  n = 0;
  for (int s = 0; s < d->n; s++) {
    const tni_border *o = &f->border[s];
    for (int k = 0; k < o->nb; k++) {
      bool corner = tni_feti_is_corner(f, s, o->b[k]);
      if (!corner && (f->o.primal != TNI_PRIMAL_MEANS || !d->domain[s].kind)) continue;
      all[n++] = (copy){s, k, o->side + o->from[k], o->from[k + 1] - o->from[k], d->domain[s].kind ? d->domain[s].kind[o->b[k]] : 0, corner};
    }
  }
  qsort(all, (size_t)n, sizeof(*all), compare);
  tn_status st = make_constraints(f, all, n);
  tni_free(f->ctx, all);
  return st;
}

/* ---- domains held at their primal unknowns ------------------------------------------------------------- */

/* [K C^T; C 0] by columns, and its factors; rows of C in units of the stiffness */
static tn_status factor_held(tni_feti *f, int s) {
  const tni_domain *d = &f->d->domain[s];
  tni_feti_piece *p = &f->piece[s];
  int n = d->n, all = n + p->ncon, nnz = d->ptr[n] + 2*p->con_from[p->ncon], *count;
  double size = 0;
  for (int k = 0; k < d->ptr[n]; k++) size = fmax(size, fabs(d->value[k]));
  TNI_ARENA_NEW(&f->arena, p->saddle_ptr, all + 1);
  TNI_ARENA_NEW(&f->arena, p->saddle_ind, nnz);
  TNI_ARENA_NEW(&f->arena, p->saddle, nnz);
  TNI_ARENA_NEW(&f->arena, count, n + 1);
  for (int k = 0; k < p->con_from[p->ncon]; k++) count[p->con_at[k]]++;
  for (int j = 0; j < n; j++) p->saddle_ptr[j + 1] = p->saddle_ptr[j] + d->ptr[j + 1] - d->ptr[j] + count[j];
  for (int c = 0; c < p->ncon; c++) p->saddle_ptr[n + c + 1] = p->saddle_ptr[n + c] + p->con_from[c + 1] - p->con_from[c];
  for (int j = 0; j < n; j++) {
    int at = p->saddle_ptr[j];
    for (int k = d->ptr[j]; k < d->ptr[j + 1]; k++, at++) p->saddle_ind[at] = d->ind[k], p->saddle[at] = d->value[k];
    count[j] = at;
  }
  for (int c = 0; c < p->ncon; c++) {
    int at = p->saddle_ptr[n + c];
    for (int k = p->con_from[c]; k < p->con_from[c + 1]; k++, at++) {
      int j = p->con_at[k];
      p->saddle_ind[at] = j, p->saddle[at] = size*p->con_weight[k];
      p->saddle_ind[count[j]] = n + c, p->saddle[count[j]++] = size*p->con_weight[k];
    }
  }
  tni_sparse_opts o = {.symmetric = true, .scales = true, .least = ZERO, .relative = true};
  TN_TRY(tni_sparse_solver_create(f->ctx, all, p->saddle_ptr, p->saddle_ind, &o, &p->factor));
  tn_status st = tni_sparse_solver_factor(p->factor, p->saddle);
  int negative = 0, zero = 0;
  if (st == TN_SINGULAR || (st == TN_OK && tni_sparse_solver_inertia(p->factor, &negative, &zero) && zero > 0))
    return TN_FAIL(f->ctx, TN_SINGULAR, "domain %d moves without resistance though its %d primal unknowns are held: it is a mechanism, in pieces, "
                   "or has too few corners", s, p->ncon);
  TN_TRY(st);
  /* shapes: right sides (0, size), because the rows are in units of it */
  TNI_ARENA_NEW(&f->arena, p->x, all);
  TNI_ARENA_NEW(&f->arena, p->basis, (size_t)p->ncon*(size_t)n);
  for (int c = 0; c < p->ncon; c++) {
    memset(p->x, 0, (size_t)all*sizeof(double));
    p->x[n + c] = size;
    tni_sparse_solver_solve(p->factor, 1, false, p->x);
    memcpy(p->basis + (size_t)c*(size_t)n, p->x, (size_t)n*sizeof(double));
  }
  return TN_OK;
}

/* sum of Phi^T K Phi */
tn_status tni_feti_make_primal(tni_feti *f) {
  const tni_domains *d = f->d;
  int n = f->nprimal, *from, *who, *seen;
  TNI_ARENA_NEW(&f->arena, f->c, n + 1);
  TNI_ARENA_NEW(&f->arena, f->primal_ptr, n + 1);
  TNI_ARENA_NEW(&f->arena, from, n + 1);
  TNI_ARENA_NEW(&f->arena, seen, n);
  for (int s = 0; s < d->n; s++)
    for (int c = 0; c < f->piece[s].ncon; c++) from[f->piece[s].primal[c] + 1]++;
  for (int i = 0; i < n; i++) from[i + 1] += from[i];
  TNI_ARENA_NEW(&f->arena, who, from[n]);
  for (int s = 0; s < d->n; s++)
    for (int c = 0; c < f->piece[s].ncon; c++) who[from[f->piece[s].primal[c]]++] = s;
  for (int i = n; i > 0; i--) from[i] = from[i-1];
  from[0] = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) seen[i] = -1;
    int at = 0;
    for (int j = 0; j < n; j++) {
      for (int k = from[j]; k < from[j + 1]; k++) {
        const tni_feti_piece *p = &f->piece[who[k]];
        for (int c = 0; c < p->ncon; c++) {
          if (seen[p->primal[c]] == j) continue;
          seen[p->primal[c]] = j;
          if (pass) f->primal_ind[at] = p->primal[c];
          at++;
        }
      }
      f->primal_ptr[j + 1] = at;
    }
    if (pass) break;
    TNI_ARENA_NEW(&f->arena, f->primal_ind, at);
    TNI_ARENA_NEW(&f->arena, f->primal_value, at);
  }
  for (int j = 0; j < n; j++) { /* ascending; columns are short */
    int *ind = f->primal_ind + f->primal_ptr[j], m = f->primal_ptr[j + 1] - f->primal_ptr[j];
    for (int a = 1; a < m; a++) {
      int keep = ind[a], b = a;
      for (; b > 0 && ind[b-1] > keep; b--) ind[b] = ind[b-1];
      ind[b] = keep;
    }
  }
  for (int s = f->begin; s < f->end; s++) {
    const tni_feti_piece *p = &f->piece[s];
    int ns = d->domain[s].n;
    for (int c = 0; c < p->ncon; c++) {
      tni_domain_multiply(&d->domain[s], p->basis + (size_t)c*(size_t)ns, p->x);
      int j = p->primal[c];
      for (int b = 0; b < p->ncon; b++) {
        const double *o = p->basis + (size_t)b*(size_t)ns;
        double sum = 0;
        for (int i = 0; i < ns; i++) sum += o[i]*p->x[i];
        for (int k = f->primal_ptr[j]; k < f->primal_ptr[j + 1]; k++)
          if (f->primal_ind[k] == p->primal[b]) f->primal_value[k] += sum;
      }
    }
  }
  tni_sparse_opts o = {.symmetric = true, .scales = true, .least = 1e-12, .relative = true};
  if (!n) return TN_OK;
  if (d->comm) TN_TRY(tni_comm_sum(d->comm, f->primal_ptr[n], f->primal_value));
  TN_TRY(tni_sparse_solver_create(f->ctx, n, f->primal_ptr, f->primal_ind, &o, &f->primal));
  tn_status st = tni_sparse_solver_factor(f->primal, f->primal_value);
  if (st == TN_SINGULAR)
    return TN_FAIL(f->ctx, TN_SINGULAR, "the whole is not held, or domains of a lattice are mechanisms that corners and means do not hold: motions of the domains "
                   "together meet no resistance; fewer domains, or solver schur, may help");
  return st;
}

tn_status tni_feti_hold_together(tni_feti *f) {
  TN_TRY(choose_primal(f));
  for (int s = f->begin; s < f->end; s++) TN_TRY(factor_held(f, s));
  return TN_OK;
}

/* ---- K~^-1 ---------------------------------------------------------------------------------------------- */

void tni_feti_solve_together(tni_feti *f, double *(*part)(tni_feti *f, int s)) {
  memset(f->c, 0, (size_t)f->nprimal*sizeof(double));
  for (int s = f->begin; s < f->end; s++) { /* forces on the primal unknowns, in the order of the domains */
    const tni_feti_piece *p = &f->piece[s];
    const double *x = part(f, s);
    int n = f->d->domain[s].n;
    for (int c = 0; c < p->ncon; c++) {
      const double *o = p->basis + (size_t)c*(size_t)n;
      double sum = 0;
      for (int i = 0; i < n; i++) sum += o[i]*x[i];
      f->c[p->primal[c]] += sum;
    }
  }
  if (f->d->comm && f->primal && tni_comm_sum(f->d->comm, f->nprimal, f->c) != TN_OK) return;
  if (f->primal) tni_sparse_solver_solve(f->primal, 1, false, f->c);
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    double *x = part(f, s);
    int n = f->d->domain[s].n;
    if (x != p->x) memcpy(p->x, x, (size_t)n*sizeof(double));
    memset(p->x + n, 0, (size_t)p->ncon*sizeof(double));
    tni_sparse_solver_solve(p->factor, 1, false, p->x);
    for (int c = 0; c < p->ncon; c++) {
      const double *o = p->basis + (size_t)c*(size_t)n;
      double a = f->c[p->primal[c]];
      for (int i = 0; i < n; i++) p->x[i] += a*o[i];
    }
    if (x != p->x) memcpy(x, p->x, (size_t)n*sizeof(double));
  }
}
