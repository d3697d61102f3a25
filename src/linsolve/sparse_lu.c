/* linsolve/sparse_lu.c - sparse LU of the whole augmented matrix
 *
 * The pattern is structural: all entries of the mass and Jacobian blocks, zero or not, and the
 * diagonal of the constraint rows only if rows can be switched off or have a shift (linsolve/sparse.h).
 *
 * Rows and columns are scaled alike, to a unit diagonal of the mass and to constraint rows of unit
 * length in those coordinates; pivots are then comparable with 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linsolve/solver.h"
#include "linsolve/sparse.h"

/* choose new pivots when the smallest one has dropped by this factor since they were chosen */
static const double PIVOT_DECAY = 1e-3;

typedef struct {
  int n, nx;            /* whole dimension, bodies*d                                  */
  int *colptr, *rowind; /* compressed columns                                         */
  int *at;              /* place in value of each entry, in the order of assemble     */
  double *value, *scale, *b;
  tni_sparse_solver *lu;
} sparse;

/* Visit the entries of the matrix, always in the same order: mass blocks, then for each constraint
 * row its diagonal (with switches or shifts only) and its Jacobian entries below and above the diagonal. With
 * next[]: list the pattern (rowind, at). */
static void list_entries(const tni_kkt *K, sparse *w, int *next) {
  int d = K->d, k = 0;
  for (int b = 0; b < K->nbody; b++) {
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) {
        w->at[k] = next[b*d+j]++;
        w->rowind[w->at[k++]] = b*d + i;
      }
    }
  }
  for (int b = 0; b < K->nblock; b++) {
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
      int R = w->nx + r;
      if (K->active || K->shift) {
        w->at[k] = next[R]++;
        w->rowind[w->at[k++]] = R;
      }
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        for (int i = 0; i < d; i++) {
          int C = K->incbody[a]*d + i;
          w->at[k] = next[C]++;
          w->rowind[w->at[k++]] = R;
          w->at[k] = next[R]++;
          w->rowind[w->at[k++]] = C;
        }
      }
    }
  }
}

static tn_status sparse_create(tni_kkt_solver *s) {
  const tni_kkt *K = s->K;
  sparse *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  int d = K->d, *next;
  s->state = w;
  w->nx = K->nbody*d;
  w->n = w->nx + K->nrow;
  TNI_ARENA_NEW(&s->arena, w->colptr, w->n + 1);
  TNI_ARENA_NEW(&s->arena, next, w->n + 1);
  for (int i = 0; i < w->nx; i++) w->colptr[i+1] = d;
  for (int b = 0; b < K->nblock; b++) {
    int nr = K->rowadr[b+1] - K->rowadr[b], ninc = K->incadr[b+1] - K->incadr[b];
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
      w->colptr[w->nx+r+1] = ninc*d + (K->active || K->shift ? 1 : 0);
    }
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      for (int i = 0; i < d; i++) w->colptr[K->incbody[a]*d+i+1] += nr;
    }
  }
  for (int i = 0; i < w->n; i++) w->colptr[i+1] += w->colptr[i];
  for (int i = 0; i < w->n; i++) next[i] = w->colptr[i];
  int nnz = w->colptr[w->n];
  TNI_ARENA_NEW(&s->arena, w->rowind, nnz + 1);
  TNI_ARENA_NEW(&s->arena, w->at, nnz + 1);
  TNI_ARENA_NEW(&s->arena, w->value, nnz + 1);
  TNI_ARENA_NEW(&s->arena, w->scale, w->n + 1);
  TNI_ARENA_NEW(&s->arena, w->b, w->n + 1);
  list_entries(K, w, next);
  tni_sparse_opts o = {.backend = "klu", .least = s->opts.pivot_tol, .decay = PIVOT_DECAY};
  return tni_sparse_solver_create(s->ctx, w->n, w->colptr, w->rowind, &o, &w->lu);
}

static void sparse_destroy(tni_kkt_solver *s) {
  sparse *w = s->state;
  if (w) tni_sparse_solver_destroy(&w->lu);
}

/* scaled values; inactive rows become rows of the unit matrix */
static void assemble(const tni_kkt *K, sparse *w) {
  int d = K->d;
  const int *at = w->at;
  double *value = w->value, *scale = w->scale;
  for (int b = 0; b < K->nbody; b++) {
    const double *M = K->M + (size_t)b*d*d;
    double *sb = scale + b*d;
    for (int i = 0; i < d; i++) sb[i] = 1/sqrt(M[i*d+i]);
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) value[*at++] = M[i*d+j]*sb[i]*sb[j];
    }
  }
  for (int b = 0; b < K->nblock; b++) {
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
      int offset = (r - K->rowadr[b])*d;
      bool used = !K->active || K->active[r];
      double length2 = 0;
      for (int a = K->incadr[b]; a < K->incadr[b+1] && used; a++) {
        const double *J = K->J + K->jadr[a] + offset, *sb = scale + K->incbody[a]*d;
        for (int i = 0; i < d; i++) length2 += (J[i]*sb[i])*(J[i]*sb[i]);
      }
      double sr = length2 > 0 ? 1/sqrt(length2) : 0;
      scale[w->nx+r] = sr;
      if (K->active || K->shift) {
        double own = K->shift ? -K->shift[r]*sr*sr : 0;
        value[*at++] = used ? own : 1;
      }
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        const double *J = K->J + K->jadr[a] + offset, *sb = scale + K->incbody[a]*d;
        for (int i = 0; i < d; i++, at += 2) value[at[0]] = value[at[1]] = J[i]*sb[i]*sr;
      }
    }
  }
}

static tn_status sparse_factor(tni_kkt_solver *s) {
  sparse *w = s->state;
  if (w->n == 0) return TN_OK;
  assemble(s->K, w);
  tn_status st = tni_sparse_solver_factor(w->lu, w->value);
  s->info.nnz = tni_sparse_solver_nnz(w->lu);
  if (st != TN_SINGULAR) return st;
  /* a null vector has multipliers only (M is definite), so the column belongs to one of them */
  int column = tni_sparse_solver_column(w->lu);
  return tni_kkt_singular(s, column < w->nx ? -1 : column - w->nx);
}

static void sparse_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                         double *lambda) {
  sparse *w = s->state;
  if (w->n == 0) return;
  for (int i = 0; i < w->nx; i++) w->b[i] = f ? f[i]*w->scale[i] : 0;
  for (int i = w->nx; i < w->n; i++) w->b[i] = g ? g[i-w->nx]*w->scale[i] : 0;
  tni_sparse_solver_solve(w->lu, 1, false, w->b);
  for (int i = 0; i < w->nx; i++) x[i] = w->b[i]*w->scale[i];
  for (int i = w->nx; i < w->n; i++) lambda[i-w->nx] = w->b[i]*w->scale[i];
}

const tni_kkt_ops tni_kkt_sparse_lu = {
  .name = "sparse-lu", .create = sparse_create, .destroy = sparse_destroy,
  .factor = sparse_factor, .solve = sparse_solve,
};
