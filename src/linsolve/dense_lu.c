/* linsolve/dense_lu.c - LAPACK's LU of the whole augmented matrix: the plain reference
 *
 * Unknowns are ordered (x, lambda), so that a zero pivot in column n + j says that constraint row
 * j depends on earlier rows. Rows and columns are scaled to unit mass and to unit diagonal of B;
 * pivots are then comparable with 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linsolve/lapack.h"
#include "linsolve/solver.h"

typedef struct {
  int n;         /* bodies*d + rows                   */
  double *A;     /* [n*n] column-major, then its LU   */
  double *scale; /* [n] of rows and columns alike     */
  double *b;     /* [n] right-hand side               */
  int *pivot;
} dense;

static tn_status dense_create(tni_kkt_solver *s) {
  const tni_kkt *K = s->K;
  dense *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  w->n = K->nbody*K->d + K->nrow;
  TNI_ARENA_NEW(&s->arena, w->A, (size_t)w->n*(size_t)w->n + 1);
  TNI_ARENA_NEW(&s->arena, w->scale, w->n + 1);
  TNI_ARENA_NEW(&s->arena, w->b, w->n + 1);
  TNI_ARENA_NEW(&s->arena, w->pivot, w->n + 1);
  s->info.nnz = (long)w->n*w->n;
  s->state = w;
  return TN_OK;
}

/* scaled matrix with both triangles; inactive rows become rows of the unit matrix */
static void assemble(const tni_kkt *K, dense *w) {
  int d = K->d, nx = K->nbody*d, n = w->n;
  memset(w->A, 0, (size_t)n*(size_t)n*sizeof(double));
  for (int b = 0; b < K->nbody; b++) {
    const double *M = K->M + (size_t)b*d*d;
    for (int i = 0; i < d; i++) w->scale[b*d+i] = 1/sqrt(M[i*d+i]);
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) {
        w->A[(size_t)(b*d+j)*n + b*d + i] = M[i*d+j]*w->scale[b*d+i]*w->scale[b*d+j];
      }
    }
  }
  for (int b = 0; b < K->nblock; b++) {
    int row = K->rowadr[b], nr = K->rowadr[b+1] - row;
    for (int r = 0; r < nr; r++) {
      size_t R = (size_t)(nx + row + r);
      if (K->active && !K->active[row+r]) {
        w->scale[R] = 0;
        w->A[R*n+R] = 1;
        continue;
      }
      w->scale[R] = tni_kkt_row_scale(K, b, r);
      if (K->shift) w->A[R*n+R] = -K->shift[row+r]*w->scale[R]*w->scale[R];
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        for (int i = 0; i < d; i++) {
          size_t C = (size_t)(K->incbody[a]*d + i);
          double v = K->J[K->jadr[a]+r*d+i]*w->scale[R]*w->scale[C];
          w->A[C*n+R] = w->A[R*n+C] = v;
        }
      }
    }
  }
}

static tn_status dense_factor(tni_kkt_solver *s) {
  dense *w = s->state;
  int n = w->n, nx = s->K->nbody*s->K->d;
  if (n == 0) return TN_OK;
  assemble(s->K, w);
  tni_getrf(n, n, w->A, n, w->pivot);
  for (int i = 0; i < n; i++) {
    double p = fabs(w->A[(size_t)i*n+i]);
    if (!(p > s->opts.pivot_tol)) return tni_kkt_singular(s, i < nx ? -1 : i - nx);
  }
  return TN_OK;
}

static void dense_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                        double *lambda) {
  dense *w = s->state;
  int n = w->n, nx = s->K->nbody*s->K->d;
  if (n == 0) return;
  for (int i = 0; i < nx; i++) w->b[i] = f ? f[i]*w->scale[i] : 0;
  for (int i = nx; i < n; i++) w->b[i] = g ? g[i-nx]*w->scale[i] : 0;
  tni_getrs('N', n, 1, w->A, n, w->pivot, w->b, n);
  for (int i = 0; i < nx; i++) x[i] = w->b[i]*w->scale[i];
  for (int i = nx; i < n; i++) lambda[i-nx] = w->b[i]*w->scale[i];
}

const tni_kkt_ops tni_kkt_dense_lu = {
  .name = "dense-lu", .create = dense_create, .factor = dense_factor, .solve = dense_solve,
};
