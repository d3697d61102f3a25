/* trajectory/slab.c - one element of time in the system's own coordinates
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "trajectory/slab.h"

#include <math.h>

#include "base/vec.h"
#include "integrators/turn.h"

/* ---- shape --------------------------------------------------------------------------------- */

/* three components of a rotation follow each other */
static tn_status find_turns(tni_arena *arena, const tni_layout *L, tni_slab_shape *p) {
  TNI_ARENA_NEW(arena, p->turn, L->nv);
  TNI_ARENA_NEW(arena, p->turn_of, L->nv);
  for (int j = 0; j < L->nv; j++) p->turn_of[j] = -1;
  for (int j = 0; j + 2 < L->nv; j++) {
    if (L->role[j] != TNI_ROLE_TURN || L->role[j+1] != TNI_ROLE_TURN + 1 || L->role[j+2] != TNI_ROLE_TURN + 2) continue;
    p->turn_of[j] = p->turn_of[j+1] = p->turn_of[j+2] = p->nturn;
    p->turn[p->nturn++] = j;
  }
  return TN_OK;
}

/* pattern with all three columns of a rotation wherever one of them is */
static tn_status complete(tni_arena *arena, const tni_slab_shape *p, const tni_sparsity *in, tni_sparsity *out) {
  int *ptr, *col, *seen;
  TNI_ARENA_NEW(arena, ptr, in->nrow + 1);
  TNI_ARENA_NEW(arena, col, 3*(size_t)in->nnz + 1);
  TNI_ARENA_NEW(arena, seen, in->ncol + 1);
  for (int r = 0, n = 0; r < in->nrow; r++) {
    for (int k = in->rowptr[r]; k < in->rowptr[r+1]; k++) {
      int j = in->col[k], t = p->turn_of[j], first = t < 0 ? j : p->turn[t], last = t < 0 ? j : first + 2;
      for (int c = first; c <= last; c++) {
        if (seen[c] == r + 1) continue;
        seen[c] = r + 1;
        col[n++] = c;
      }
    }
    ptr[r+1] = n;
  }
  *out = (tni_sparsity){in->nrow, in->ncol, ptr[in->nrow], ptr, col};
  return TN_OK;
}

static tn_status transpose(tni_arena *arena, tni_slab_shape *p) {
  const tni_sparsity *C = &p->rows;
  int *next;
  TNI_ARENA_NEW(arena, p->across, p->nv + 1);
  TNI_ARENA_NEW(arena, next, p->nv + 1);
  TNI_ARENA_NEW(arena, p->across_row, C->nnz);
  TNI_ARENA_NEW(arena, p->across_at, C->nnz);
  for (int k = 0; k < C->nnz; k++) p->across[C->col[k] + 1]++;
  for (int j = 0; j < p->nv; j++) p->across[j+1] += p->across[j];
  memcpy(next, p->across, (size_t)p->nv*sizeof(int));
  for (int r = 0; r < C->nrow; r++) {
    for (int k = C->rowptr[r]; k < C->rowptr[r+1]; k++) {
      int to = next[C->col[k]]++;
      p->across_row[to] = r;
      p->across_at[to] = k;
    }
  }
  return TN_OK;
}

/* ---- matrices, row by row ------------------------------------------------------------------ */

/* One routine writes both patterns and values, in the same order. */
typedef struct {
  int row, n;
  int *ptr, *col;  /* patterns, or */
  double *value;
} sheet;

static inline void put(sheet *to, int col, double x) {
  if (to->col) to->col[to->n] = col;
  if (to->value) to->value[to->n] = x;
  to->n++;
}

static inline void end_row(sheet *J, sheet *B) {
  if (J->ptr) J->ptr[J->row + 1] = J->n;
  if (B->ptr) B->ptr[B->row + 1] = B->n;
  J->row++;
  B->row++;
}

static inline double at(const double *x, int k) { return x ? x[k] : 0; }

/* row r of values on a pattern, times factor, in columns that begin at `first` */
static void put_row(sheet *to, const tni_sparsity *p, int r, int first, double factor, const double *value) {
  for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) put(to, first + p->col[k], factor*at(value, k));
}

/* row j of C^T; multipliers of rows that are not used are 0 by equations of their own */
static void put_across(sheet *to, const tni_slab_shape *p, int j, int first, const double *C) {
  for (int k = p->across[j]; k < p->across[j+1]; k++) put(to, first + p->across_row[k], at(C, p->across_at[k]));
}

/* a row of the constraints by x: C or its rate times rotations, or 1 in the place of its multiplier */
static void put_constraint(sheet *J, sheet *B, const tni_slab_shape *p, int r, bool used, int x, const double *by_x,
                           const double *by_q0, int v, const double *C, int own) {
  const tni_sparsity *X = &p->rows_x, *R = &p->rows;
  for (int k = X->rowptr[r]; k < X->rowptr[r+1]; k++) {
    put(J, x + X->col[k], used ? at(by_x, k) : 0);
    put(B, X->col[k], used ? at(by_q0, k) : 0);
  }
  for (int k = R->rowptr[r]; k < R->rowptr[r+1] && v >= 0; k++) put(J, v + R->col[k], used ? at(C, k) : 0);
  put(J, own, used ? 0 : 1);
}

/* T(x_i) sum_j d_ij x_j - h v_i */
static void rate_rows(sheet *J, sheet *B, const tni_slab_shape *p, const tni_slab_desk *d, double h, int i) {
  const tni_gauss *g = &p->g;
  for (int j = 0; j < p->nv; j++) {
    int t = p->turn_of[j], first = t < 0 ? j : p->turn[t], n = t < 0 ? 1 : 3;
    for (int l = 0; l < g->k; l++) {
      for (int c = 0; c < n; c++) {
        double x = n == 1 ? g->d[i][l] : 0;
        if (n == 3 && d) x = g->d[i][l]*d->T[9*t + 3*(j - first) + c] + (l == i ? d->D[9*t + 3*(j - first) + c] : 0);
        put(J, tni_slab_x(p, l) + first + c, x);
      }
    }
    put(J, tni_slab_v(p, i) + j, -h);
    end_row(J, B);
  }
}

static void stage_rows(sheet *J, sheet *B, const tni_slab_shape *p, const tni_slab_desk *d, double h, int i) {
  const tni_gauss *g = &p->g;
  const tni_sparsity *S = &p->square;
  rate_rows(J, B, p, d, h, i);
  for (int j = 0; j < p->nv; j++) {
    put_row(J, &p->square_x, j, tni_slab_x(p, i), 1, d ? d->r_qT : NULL);
    for (int l = 0; l < g->k; l++)
      for (int k = S->rowptr[j]; k < S->rowptr[j+1]; k++)
        put(J, tni_slab_v(p, l) + S->col[k],
            d ? g->d[i][l]/h*d->M[k] + (l == i ? d->r_v[k] : 0) : 0);
    put_across(J, p, j, tni_slab_l(p, i), d ? d->C : NULL);
    put_row(B, &p->square_x, j, 0, 1, d ? d->r_qP : NULL);
    put_row(B, S, j, p->nv, -g->d_sum[i]/h, d ? d->M : NULL);
    end_row(J, B);
  }
  for (int r = 0; r < p->m; r++) {
    put_constraint(J, B, p, r, p->active[r], tni_slab_x(p, i), d ? d->Cv_qT : NULL, d ? d->Cv_qP : NULL,
                   tni_slab_v(p, i), d ? d->C : NULL, tni_slab_l(p, i) + r);
    end_row(J, B);
  }
}

/* without constraints: what the polynomials end with */
static void free_end_rows(sheet *J, sheet *B, const tni_slab_shape *p) {
  const tni_gauss *g = &p->g;
  for (int part = 0; part < 2; part++) {
    for (int j = 0; j < p->nv; j++) {
      put(J, (part ? tni_slab_v(p, g->k) : tni_slab_x(p, g->k)) + j, 1);
      for (int l = 0; l < g->k; l++)
        put(J, (part ? tni_slab_v(p, l) : tni_slab_x(p, l)) + j, -g->w[l]);
      if (part) put(B, p->nv + j, g->w_sum - 1);
      end_row(J, B);
    }
  }
}

static void end_rows(sheet *J, sheet *B, const tni_slab_shape *p, const tni_slab_desk *d) {
  const tni_gauss *g = &p->g;
  const tni_sparsity *S = &p->square;
  int x = tni_slab_x(p, g->k), v = tni_slab_v(p, g->k), n = v + p->nv, m = n + p->m;
  for (int part = 0; part < 2; part++) {
    for (int j = 0; j < p->nv; j++) {
      /* tangents as end_point leaves them: r_qT and r_qP of positions, X[1] and X[2] of velocities */
      put_row(J, &p->square_x, j, x, 1, d ? (part ? d->X[1] : d->r_qT) : NULL);
      if (part) put_row(J, S, j, v, 1, d ? d->M : NULL);
      for (int l = 0; l < g->k; l++)
        put_row(J, S, j, part ? tni_slab_v(p, l) : tni_slab_x(p, l), -g->w[l], d ? d->M : NULL);
      put_across(J, p, j, part ? m : n, d ? d->C : NULL);
      put_row(B, &p->square_x, j, 0, 1, d ? (part ? d->X[2] : d->r_qP) : NULL);
      if (part) put_row(B, S, j, p->nv, g->w_sum - 1, d ? d->M : NULL);
      end_row(J, B);
    }
    for (int r = 0; r < p->m; r++) {
      if (part == 0)
        put_constraint(J, B, p, r, p->position[r], x, d ? d->CT : NULL, d ? d->CP : NULL, -1, NULL, n + r);
      else
        put_constraint(J, B, p, r, p->active[r], x, d ? d->Cv_qT : NULL, d ? d->Cv_qP : NULL, v, d ? d->C : NULL,
                       m + r);
      end_row(J, B);
    }
  }
}

/* d NULL: patterns */
static void write_all_patterns(sheet *J, sheet *B, const tni_slab_shape *p) {
  for (int i = 0; i < p->g.k; i++) stage_rows(J, B, p, NULL, 1, i);
  if (p->m) end_rows(J, B, p, NULL);
  else free_end_rows(J, B, p);
}

static tn_status matrix_patterns(tni_arena *arena, tni_slab_shape *p) {
  sheet J = {0}, B = {0};
  write_all_patterns(&J, &B, p);
  int *ptr[2], *col[2], n[2] = {J.n, B.n};
  for (int i = 0; i < 2; i++) {
    TNI_ARENA_NEW(arena, ptr[i], p->nz + 1);
    TNI_ARENA_NEW(arena, col[i], n[i] + 1);
  }
  J = (sheet){.ptr = ptr[0], .col = col[0]};
  B = (sheet){.ptr = ptr[1], .col = col[1]};
  write_all_patterns(&J, &B, p);
  p->J = (tni_sparsity){p->nz, p->nz, J.n, ptr[0], col[0]};
  p->B = (tni_sparsity){p->nz, 2*p->nv, B.n, ptr[1], col[1]};
  return TN_OK;
}

/* Balances are masses times x/h^2, rates of constraints and velocities at the end x/h. */
static tn_status row_powers(tni_arena *arena, tni_slab_shape *p) {
  TNI_ARENA_NEW(arena, p->power, p->nz);
  for (int i = 0; i < p->g.k; i++) {
    for (int j = 0; j < p->nv; j++) p->power[tni_slab_v(p, i) + j] = 2;
    for (int r = 0; r < p->m; r++) p->power[tni_slab_l(p, i) + r] = 1;
  }
  /* positions, their constraints, velocities, their constraints */
  for (int i = tni_slab_v(p, p->g.k) + p->m; i < p->nz; i++) p->power[i] = 1;
  return TN_OK;
}

void tni_slab_shape_rows(tni_slab_shape *p, const tni_data *s) {
  for (int r = 0; r < p->m; r++) {
    p->active[r] = !s->rank || s->rank->independent[r];
    p->position[r] = p->active[r] && !(s->velocity_only && s->velocity_only[r]);
  }
}

tn_status tni_slab_shape_create(tni_arena *arena, tni_data *s, int k, tni_point_kind kind, tni_slab_shape *p) {
  memset(p, 0, sizeof(*p));
  p->ctx = s->ctx;
  p->nv = s->nv;
  p->m = s->m;
  p->nq = s->nq;
  p->nmemory = tni_nmemory(s);
  p->square = *s->square;
  p->rows = s->m ? *s->rows : (tni_sparsity){0};
  tni_gauss_set(k, kind, &p->g);
  p->nz = k*(2*p->nv + p->m) + 2*p->nv + 2*p->m;
  TNI_ARENA_NEW(arena, p->active, p->m);
  TNI_ARENA_NEW(arena, p->position, p->m);
  tni_slab_shape_rows(p, s);
  TN_TRY(find_turns(arena, s->layout, p));
  TN_TRY(complete(arena, p, &p->square, &p->square_x));
  TN_TRY(complete(arena, p, &p->rows, &p->rows_x));
  TNI_ARENA_NEW(arena, p->whole, p->square.nnz);
  for (int r = 0; r < p->nv; r++) {
    for (int i = p->square.rowptr[r]; i < p->square.rowptr[r+1]; i++) {
      int j = p->square_x.rowptr[r];
      while (p->square_x.col[j] != p->square.col[i]) j++;
      p->whole[i] = j;
    }
  }
  TN_TRY(transpose(arena, p));
  TN_TRY(row_powers(arena, p));
  return matrix_patterns(arena, p);
}

/* ---- evaluation ---------------------------------------------------------------------------- */

tn_status tni_slab_desk_create(tni_arena *arena, const tni_slab_shape *p, const tni_data *like, tni_slab_desk *d) {
  memset(d, 0, sizeof(*d));
  TN_TRY(tni_data_create_at(like->system, like->origin, like->memory, &d->s));
  TN_TRY(tni_prepare_tangent(d->s));
  TN_TRY(tni_prepare_pattern(d->s));
  size_t square = (size_t)p->square.nnz, wide = (size_t)p->square_x.nnz, rows = (size_t)p->rows.nnz,
         long_rows = (size_t)p->rows_x.nnz;
  double **of_nv[] = {&d->a, &d->r, &d->row}, **of_m[] = {&d->phi, &d->rate}, **of_turn[] = {&d->T, &d->P, &d->D};
  double **of_square[] = {&d->M, &d->r_q, &d->r_v, &d->X[0]}, **of_rows[] = {&d->C, &d->Cv_q};
  double **of_wide[] = {&d->r_qT, &d->r_qP, &d->X[1], &d->X[2]};
  double **of_long[] = {&d->Cv_qT, &d->Cv_qP, &d->CT, &d->CP};
  TNI_ARENA_NEW(arena, d->q, p->nq);
  TNI_ARENA_NEW(arena, d->big, p->nz);
  for (int i = 0; i < TNI_COUNT(of_nv); i++) TNI_ARENA_NEW(arena, *of_nv[i], p->nv);
  for (int i = 0; i < TNI_COUNT(of_m); i++) TNI_ARENA_NEW(arena, *of_m[i], p->m);
  for (int i = 0; i < TNI_COUNT(of_turn); i++) TNI_ARENA_NEW(arena, *of_turn[i], 9*(size_t)p->nturn);
  for (int i = 0; i < TNI_COUNT(of_square); i++) TNI_ARENA_NEW(arena, *of_square[i], square);
  for (int i = 0; i < TNI_COUNT(of_rows); i++) TNI_ARENA_NEW(arena, *of_rows[i], rows);
  for (int i = 0; i < TNI_COUNT(of_wide); i++) TNI_ARENA_NEW(arena, *of_wide[i], wide);
  for (int i = 0; i < TNI_COUNT(of_long); i++) TNI_ARENA_NEW(arena, *of_long[i], long_rows);
  return TN_OK;
}

tn_status tni_slab_create(tni_arena *arena, const tni_slab_shape *p, tni_slab *e) {
  memset(e, 0, sizeof(*e));
  TNI_ARENA_NEW(arena, e->z, p->nz);
  TNI_ARENA_NEW(arena, e->memory, p->nmemory);
  TNI_ARENA_NEW(arena, e->q1, p->nq);
  TNI_ARENA_NEW(arena, e->R, p->nz);
  TNI_ARENA_NEW(arena, e->J, p->J.nnz);
  TNI_ARENA_NEW(arena, e->B, p->B.nnz);
  e->v1 = e->z + tni_slab_v(p, p->g.k);
  /* rows are handed over as columns: solves are transposed */
  tni_sparse_opts o = {.backend = "klu", .scales = true, .relative = true, .least = 1e-20, .decay = 1e-6, .unlike = true};
  return tni_sparse_solver_create(p->ctx, p->nz, p->J.rowptr, p->J.col, &o, &e->lu);
}

void tni_slab_destroy(tni_slab *e) { tni_sparse_solver_destroy(&e->lu); }

/* T, P = exp(-~x) of all rotations of x [nv]; D by x of T(x) y, y NULL: not asked for */
static void set_turns(const tni_slab_shape *p, const double *x, const double *y, double *T, double *P, double *D) {
  for (int t = 0; t < p->nturn; t++) {
    const double *u = x + p->turn[t];
    tni_turn c = tni_turn_at(u);
    double X[9], XX[9], e[4], A[9];
    mat3_skew(X, u);
    mat3_mul(XX, X, X);
    for (int i = 0; i < 9; i++) T[9*t + i] = (i % 4 == 0) - c.a*X[i] + c.b*XX[i];
    quat_from_vector(e, u);
    quat_matrix(A, e);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) P[9*t + 3*i + j] = A[3*j + i];
    if (!y) continue;
    const double *s = y + p->turn[t];
    double S[9], xs[3], xxs[3], *to = D + 9*t, dot = vec3_dot(u, s);
    mat3_skew(S, s);
    vec3_cross(xs, u, s);
    vec3_cross(xxs, u, xs);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        to[3*i + j] = c.a*S[3*i + j] - c.a1*xs[i]*u[j] + c.b1*xxs[i]*u[j] +
                      c.b*((i == j)*dot + u[i]*s[j] - 2*s[i]*u[j]);
  }
}

/* out := in times the rotations, from a pattern to the whole one */
static void times_turns(const tni_slab_shape *p, const tni_sparsity *from, const tni_sparsity *to, double *row,
                        const double *in, const double *T, double *out) {
  for (int r = 0; r < from->nrow; r++) {
    for (int k = from->rowptr[r]; k < from->rowptr[r+1]; k++) row[from->col[k]] = in[k];
    for (int k = to->rowptr[r]; k < to->rowptr[r+1]; k++) {
      int c = to->col[k], t = p->turn_of[c];
      if (t < 0) {
        out[k] = row[c];
        continue;
      }
      const double *u = row + p->turn[t], *X = T + 9*t + (c - p->turn[t]);
      out[k] = u[0]*X[0] + u[1]*X[3] + u[2]*X[6];
    }
    for (int k = from->rowptr[r]; k < from->rowptr[r+1]; k++) row[from->col[k]] = 0;
  }
}

/* y += C^T l */
static void add_across(const tni_slab_shape *p, const double *C, const double *l, double *y) {
  for (int j = 0; j < p->nv; j++)
    for (int k = p->across[j]; k < p->across[j+1]; k++) y[j] += C[p->across_at[k]]*l[p->across_row[k]];
}

static void stage_point(const tni_slab_shape *p, tni_slab_desk *d, tni_slab *e, const double *q0, const double *v0,
                        int i, bool matrices) {
  const tni_gauss *g = &p->g;
  const double *x = e->z + tni_slab_x(p, i), *v = e->z + tni_slab_v(p, i), *l = e->z + tni_slab_l(p, i);
  double *R = e->R + tni_slab_x(p, i), t = e->t + g->c[i]*e->h, *y = d->a;
  for (int j = 0; j < p->nv; j++) {
    y[j] = 0;
    for (int c = 0; c < g->k; c++) y[j] += g->d[i][c]*e->z[tni_slab_x(p, c) + j];
  }
  set_turns(p, x, y, d->T, d->P, d->D);
  for (int j = 0; j < p->nv; j++) R[j] = y[j] - e->h*v[j];
  for (int n = 0; n < p->nturn; n++) {
    double w[3];
    mat3_vec(w, d->T + 9*n, y + p->turn[n]);
    for (int c = 0; c < 3; c++) R[p->turn[n] + c] = w[c] - e->h*v[p->turn[n] + c];
  }
  for (int j = 0; j < p->nv; j++) {
    d->a[j] = -g->d_sum[i]*v0[j];
    for (int c = 0; c < g->k; c++) d->a[j] += g->d[i][c]*e->z[tni_slab_v(p, c) + j];
    d->a[j] /= e->h;
  }
  tni_retract(d->s, q0, x, d->q);
  tni_eval_balance(d->s, t, d->q, v, d->a, l, R + p->nv, NULL, p->m ? d->rate : NULL, NULL);
  for (int r = 0; r < p->m; r++) R[2*p->nv + r] = p->active[r] ? d->rate[r] : l[r];
  if (!matrices) return;
  tni_sparse_tangent out = {.M = d->M, .r_q = d->r_q, .r_v = d->r_v};
  if (p->m) out.C = d->C, out.Cv_q = d->Cv_q;
  tni_eval_sparse_tangent(d->s, t, d->q, v, d->a, l, &out);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->T, d->r_qT);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->P, d->r_qP);
  times_turns(p, &p->rows, &p->rows_x, d->row, d->Cv_q, d->T, d->Cv_qT);
  times_turns(p, &p->rows, &p->rows_x, d->row, d->Cv_q, d->P, d->Cv_qP);
}

/* d(M a + C^T l)/dq alone: forces do not belong to a projection */
static void bare_tangent(const tni_slab_shape *p, tni_slab_desk *d, double t, const double *a, const double *l) {
  tni_sparse_tangent out = {.r_q = d->r_q, .bare = true};
  tni_eval_sparse_tangent(d->s, t, d->q, NULL, a, l, &out);
  if (!d->s->relative && !d->s->parts) return;
  out.r_q = d->X[0];
  tni_eval_sparse_tangent(d->s, t, d->q, NULL, NULL, NULL, &out);
  for (int k = 0; k < p->square.nnz; k++) d->r_q[k] -= d->X[0][k];
}

static void end_point(const tni_slab_shape *p, tni_slab_desk *d, tni_slab *e, const double *q0, const double *v0,
                      bool matrices) {
  const tni_gauss *g = &p->g;
  int at_x = tni_slab_x(p, g->k), at_v = at_x + p->nv, at_n = at_v + p->nv, at_m = at_n + p->m;
  const double *x = e->z + at_x, *v = e->z + at_v;
  double *R = e->R + at_x, *dx = d->a, *dv = d->r, t = e->t + e->h;
  for (int j = 0; j < p->nv; j++) {
    dx[j] = x[j];
    dv[j] = v[j] - (1 - g->w_sum)*v0[j];
    for (int c = 0; c < g->k; c++) {
      dx[j] -= g->w[c]*e->z[tni_slab_x(p, c) + j];
      dv[j] -= g->w[c]*e->z[tni_slab_v(p, c) + j];
    }
  }
  if (p->m == 0) {
    memcpy(R, dx, (size_t)p->nv*sizeof(double));
    memcpy(R + p->nv, dv, (size_t)p->nv*sizeof(double));
    return;
  }
  /* rows: positions, their constraints, velocities, their constraints */
  double *Rn = R + p->nv, *Rv = Rn + p->m, *Rm = Rv + p->nv;
  const double *n = e->z + at_n, *m = e->z + at_m;
  set_turns(p, x, NULL, d->T, d->P, NULL);
  tni_retract(d->s, q0, x, d->q);
  tni_eval(d->s, &(tni_at){.t = t, .q = d->q, .v = v}, &(tni_want){.phi = d->phi, .rate = d->rate});
  tni_sparse_tangent out = {.M = d->M, .C = d->C, .Cv_q = matrices ? d->Cv_q : NULL};
  tni_eval_sparse_tangent(d->s, t, d->q, v, NULL, NULL, &out);
  memset(R, 0, (size_t)(2*p->nv + 2*p->m)*sizeof(double));
  tni_sparse_add(&p->square, 1, d->M, dx, R);
  tni_sparse_add(&p->square, 1, d->M, dv, Rv);
  add_across(p, d->C, n, R);
  add_across(p, d->C, m, Rv);
  for (int r = 0; r < p->m; r++) {
    Rn[r] = p->position[r] ? d->phi[r] : n[r];
    Rm[r] = p->active[r] ? d->rate[r] : m[r];
  }
  if (!matrices) return;
  times_turns(p, &p->rows, &p->rows_x, d->row, d->Cv_q, d->T, d->Cv_qT);
  times_turns(p, &p->rows, &p->rows_x, d->row, d->Cv_q, d->P, d->Cv_qP);
  times_turns(p, &p->rows, &p->rows_x, d->row, d->C, d->T, d->CT);
  times_turns(p, &p->rows, &p->rows_x, d->row, d->C, d->P, d->CP);
  bare_tangent(p, d, t, dv, m);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->T, d->X[1]);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->P, d->X[2]);
  bare_tangent(p, d, t, dx, n);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->T, d->r_qT);
  times_turns(p, &p->square, &p->square_x, d->row, d->r_q, d->P, d->r_qP);
  for (int k = 0; k < p->square.nnz; k++) d->r_qT[p->whole[k]] += d->M[k];
}

void tni_slab_eval(const tni_slab_shape *p, tni_slab_desk *d, tni_slab *e, const double *q0, const double *v0,
                   bool matrices) {
  sheet J = {.value = e->J}, B = {.value = e->B};
  tni_memory_restore(d->s, e->memory);
  for (int i = 0; i < p->g.k; i++) {
    stage_point(p, d, e, q0, v0, i, matrices);
    if (matrices) stage_rows(&J, &B, p, d, e->h, i);
  }
  end_point(p, d, e, q0, v0, matrices);
  if (!matrices) return;
  if (p->m) end_rows(&J, &B, p, d);
  else free_end_rows(&J, &B, p);
}

void tni_slab_scale(const tni_slab_shape *p, double h, double *J) {
  const double by[3] = {1, h, h*h};
  for (int r = 0; r < p->nz; r++)
    for (int k = p->J.rowptr[r]; k < p->J.rowptr[r+1]; k++) J[k] *= by[p->power[r]];
}

bool tni_slab_factor(const tni_slab_shape *p, tni_slab *e) {
  tni_slab_scale(p, e->h, e->J);
  e->h_factor = e->h;
  return tni_sparse_solver_factor(e->lu, e->J) == TN_OK;
}

void tni_slab_solve(const tni_slab_shape *p, const tni_slab *e, double *b) {
  const double by[3] = {1, e->h_factor, e->h_factor*e->h_factor};
  for (int r = 0; r < p->nz; r++) b[r] *= by[p->power[r]];
  tni_sparse_solver_solve(e->lu, 1, true, b);
}

void tni_slab_solve_t(const tni_slab_shape *p, const tni_slab *e, double *b) {
  const double by[3] = {1, e->h_factor, e->h_factor*e->h_factor};
  tni_sparse_solver_solve(e->lu, 1, false, b);
  for (int r = 0; r < p->nz; r++) b[r] *= by[p->power[r]];
}

void tni_slab_end(const tni_slab_shape *p, tni_slab *e, const double *q0, const tni_data *s) {
  tni_retract(s, q0, e->z + tni_slab_x(p, p->g.k), e->q1);
}

void tni_slab_end_change(const tni_slab_shape *p, const tni_slab *e, const double *dz, const double *y0, double *y) {
  int at_x = tni_slab_x(p, p->g.k);
  for (int j = 0; j < p->nv; j++) {
    if (p->turn_of[j] < 0) y[j] = dz[at_x + j] + y0[j];
    y[p->nv + j] = dz[at_x + p->nv + j];
  }
  for (int t = 0; t < p->nturn; t++) {
    int a = p->turn[t];
    tni_turn c = tni_turn_at(e->z + at_x + a);
    double q[4], A[9], u[3], w[3];
    quat_from_vector(q, e->z + at_x + a);
    quat_matrix(A, q);
    mat3_tvec(u, A, y0 + a);
    tni_turn_rate(&c, e->z + at_x + a, dz + at_x + a, w);
    vec3_add(y + a, u, w);
  }
}

void tni_slab_end_change_t(const tni_slab_shape *p, const tni_slab *e, const double *y, double *dz, double *y0) {
  int at_x = tni_slab_x(p, p->g.k);
  for (int j = 0; j < p->nv; j++) {
    if (p->turn_of[j] < 0) {
      dz[at_x + j] += y[j];
      y0[j] += y[j];
    }
    dz[at_x + p->nv + j] += y[p->nv + j];
  }
  for (int t = 0; t < p->nturn; t++) {
    int a = p->turn[t];
    tni_turn c = tni_turn_at(e->z + at_x + a);
    double q[4], A[9], u[3], w[3];
    quat_from_vector(q, e->z + at_x + a);
    quat_matrix(A, q);
    mat3_vec(u, A, y + a);
    tni_turn_rate_t(&c, e->z + at_x + a, y + a, w);
    vec3_add(y0 + a, y0 + a, u);
    vec3_add(dz + at_x + a, dz + at_x + a, w);
  }
}

void tni_slab_add_B(const tni_slab_shape *p, const tni_slab *e, const double *y0, double *b) {
  tni_sparse_add(&p->B, 1, e->B, y0, b);
}

void tni_slab_add_Bt(const tni_slab_shape *p, const tni_slab *e, const double *b, double *y0) {
  const tni_sparsity *B = &p->B;
  for (int r = 0; r < B->nrow; r++)
    for (int k = B->rowptr[r]; k < B->rowptr[r+1]; k++) y0[B->col[k]] += e->B[k]*b[r];
}

void tni_slab_look(const tni_slab_shape *p, const tni_slab *e, const double *v0, double theta, double *x, double *v,
                   double *l) {
  const tni_gauss *g = &p->g;
  /* the last of Radau's points is the end, and gives way to it */
  int inner = g->kind == TNI_AT_RADAU ? g->k - 1 : g->k;
  double node[TNI_GAUSS_MAX + 2] = {0}, w[TNI_GAUSS_MAX + 2] = {0}, wl[TNI_GAUSS_MAX];
  memcpy(node + 1, g->c, (size_t)inner*sizeof(double));
  node[inner + 1] = 1;
  for (int i = 0; i <= inner; i++) w[i] = tni_lagrange(inner + 2, node, i, theta);
  w[g->k + 1] = tni_lagrange(inner + 2, node, inner + 1, theta);
  for (int i = 0; i < g->k; i++) wl[i] = tni_lagrange(g->k, g->c, i, theta);
  for (int j = 0; j < p->nv; j++) {
    x[j] = 0;
    v[j] = w[0]*v0[j];
    for (int i = 0; i <= g->k; i++) {
      x[j] += w[i+1]*e->z[tni_slab_x(p, i) + j];
      v[j] += w[i+1]*e->z[tni_slab_v(p, i) + j];
    }
  }
  for (int r = 0; r < p->m && l; r++) {
    l[r] = 0;
    for (int i = 0; i < g->k; i++) l[r] += wl[i]*e->z[tni_slab_l(p, i) + r];
  }
}

void tni_slab_accelerations(const tni_slab_shape *p, const tni_slab *e, const double *v0, double *a) {
  const tni_gauss *g = &p->g;
  for (int side = 0; side < 2; side++)
    for (int j = 0; j < p->nv; j++) {
      double sum = 0;
      for (int i = 0; i < g->k; i++) {
        double here = -g->d_sum[i]*v0[j];
        for (int c = 0; c < g->k; c++) here += g->d[i][c]*e->z[tni_slab_v(p, c) + j];
        sum += tni_lagrange(g->k, g->c, i, side)*here/e->h;
      }
      a[side*p->nv + j] = sum;
    }
}
