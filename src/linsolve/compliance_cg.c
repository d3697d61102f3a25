/* linsolve/compliance_cg.c - the reduced system by conjugate gradients, without its matrix
 *
 *   (C M^-1 C^T + diag(s)) lambda = C M^-1 f - g,     x = M^-1 (f - C^T lambda)
 *
 * A product with C M^-1 C^T is one pass over the bodies, which gather what their constraint blocks
 * put on them, y = M^-1 C^T p, and one over the blocks, C y + s p. Preconditioner: the diagonal block
 * of each constraint block. Bodies and blocks run over the pool, each writes its own memory; scalar
 * products are summed in the order of the rows: the same bits for any number of threads.
 *
 * Every solution begins at 0, so that it depends on its right-hand sides only. Rows that depend on
 * each other are no obstacle as long as their right-hand sides agree.
 *
 * Source: Chiou, Park, Farhat (1990), the product body by body; preconditioner ours.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linsolve/solver.h"
#include "parallel/pool.h"

enum { BODY_GRAIN = 64, BLOCK_GRAIN = 64, MAX_ITERATIONS = 20000 };
static const double TOL = 1e-12; /* of the residual, in the norm of the preconditioner */

typedef struct {
  int *adr, *inc, *block; /* [nbody+1], incidences of each body and their blocks           */
  int *fadr;              /* [nblock+1] first entry of the factor of each diagonal block    */
  double *F;              /* their Cholesky factors, row-major                              */
  double *p, *r, *z, *Ap; /* [nrow]                                                         */
  double *y;              /* [nbody*d]                                                      */
  const double *v;        /* rows of the present product                                    */
  const double *f;        /* forces, or NULL                                                */
  double sign;            /* of C^T v                                                       */
  double *to;             /* result by rows                                                 */
} state;

static bool is_used(const tni_kkt *K, int row) { return !K->active || K->active[row]; }

/* ---- products ------------------------------------------------------------------------------- */

/* y = M^-1 (f + sign C^T v) */
static void gather_bodies(void *user, int begin, int end) {
  const tni_kkt_solver *s = user;
  const tni_kkt *K = s->K;
  const state *w = s->state;
  int d = K->d;
  for (int b = begin; b < end; b++) {
    double sum[6] = {0};
    for (int k = w->adr[b]; k < w->adr[b+1] && w->v; k++) {
      const double *J = K->J + K->jadr[w->inc[k]];
      for (int r = K->rowadr[w->block[k]]; r < K->rowadr[w->block[k]+1]; r++, J += d)
        for (int i = 0; i < d; i++) sum[i] += J[i]*w->v[r];
    }
    for (int i = 0; i < d; i++) sum[i] = w->sign*sum[i] + (w->f ? w->f[b*d + i] : 0);
    const double *W = K->Minv + (size_t)b*(size_t)(d*d);
    for (int i = 0; i < d; i++) {
      double y = 0;
      for (int j = 0; j < d; j++) y += W[i*d + j]*sum[j];
      w->y[b*d + i] = y;
    }
  }
}

/* to = C y (+ s v), 0 in rows that are not used */
static void scatter_blocks(void *user, int begin, int end) {
  const tni_kkt_solver *s = user;
  const tni_kkt *K = s->K;
  const state *w = s->state;
  int d = K->d;
  for (int b = begin; b < end; b++)
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
      double sum = K->shift && w->v ? K->shift[r]*w->v[r] : 0;
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        const double *J = K->J + K->jadr[a] + (r - K->rowadr[b])*d, *y = w->y + K->incbody[a]*d;
        for (int i = 0; i < d; i++) sum += J[i]*y[i];
      }
      w->to[r] = is_used(K, r) ? sum : 0;
    }
}

/* to = (C M^-1 C^T + s) v */
static void product(tni_kkt_solver *s, const double *v, double *to) {
  state *w = s->state;
  w->v = v;
  w->to = to;
  w->f = NULL;
  w->sign = 1;
  tni_parallel_for(s->ctx, s->K->nbody, BODY_GRAIN, gather_bodies, s);
  tni_parallel_for(s->ctx, s->K->nblock, BLOCK_GRAIN, scatter_blocks, s);
}

/* ---- preconditioner ------------------------------------------------------------------------- */

static void factor_blocks(void *user, int begin, int end) {
  const tni_kkt_solver *s = user;
  const tni_kkt *K = s->K;
  const state *w = s->state;
  int d = K->d;
  for (int b = begin; b < end; b++) {
    int row = K->rowadr[b], n = K->rowadr[b+1] - row;
    double *F = w->F + w->fadr[b];
    memset(F, 0, (size_t)(n*n)*sizeof(double));
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *J = K->J + K->jadr[a], *W = K->Minv + (size_t)K->incbody[a]*(size_t)(d*d);
      for (int r = 0; r < n; r++)
        for (int i = 0; i < d; i++) {
          double wj = 0;
          for (int j = 0; j < d; j++) wj += W[i*d + j]*J[r*d + j];
          for (int q = 0; q <= r; q++) F[r*n + q] += J[q*d + i]*wj;
        }
    }
    for (int r = 0; r < n; r++) {
      bool used = is_used(K, row + r);
      if (K->shift) F[r*n + r] += K->shift[row + r];
      double own = F[r*n + r];
      for (int q = 0; q < r; q++) {
        if (!used || !is_used(K, row + q)) F[r*n + q] = 0;
        for (int k = 0; k < q; k++) F[r*n + q] -= F[r*n + k]*F[q*n + k];
        F[r*n + q] /= F[q*n + q];
        F[r*n + r] -= F[r*n + q]*F[r*n + q];
      }
      /* a row that follows from those before it: its own size will do */
      double pivot = used && F[r*n + r] > s->opts.pivot_tol*own ? F[r*n + r] : own;
      F[r*n + r] = used && pivot > 0 ? sqrt(pivot) : 1;
    }
  }
}

/* z = P^-1 r */
static void precondition_blocks(void *user, int begin, int end) {
  const tni_kkt_solver *s = user;
  const tni_kkt *K = s->K;
  const state *w = s->state;
  for (int b = begin; b < end; b++) {
    int row = K->rowadr[b], n = K->rowadr[b+1] - row;
    const double *F = w->F + w->fadr[b], *r = w->r + row;
    double *z = w->z + row;
    for (int i = 0; i < n; i++) {
      z[i] = r[i];
      for (int k = 0; k < i; k++) z[i] -= F[i*n + k]*z[k];
      z[i] /= F[i*n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) z[i] -= F[k*n + i]*z[k];
      z[i] /= F[i*n + i];
    }
  }
}

static tn_status factor(tni_kkt_solver *s) {
  const state *w = s->state;
  const tni_kkt *K = s->K;
  tni_parallel_for(s->ctx, K->nblock, BLOCK_GRAIN, factor_blocks, s);
  for (int b = 0; b < K->nblock; b++)
    for (int i = w->fadr[b]; i < w->fadr[b+1]; i++)
      if (!isfinite(w->F[i])) return tni_kkt_singular(s, K->rowadr[b]);
  for (int i = 0; i < K->nbody*K->d*K->d; i++)
    if (!isfinite(K->Minv[i])) return tni_kkt_singular(s, -1);
  return TN_OK;
}

/* ---- solution ------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += a[i+k]*b[i+k];
  for (; i < n; i++) sum[0] += a[i]*b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void iterate(tni_kkt_solver *s, double *lambda) {
  state *w = s->state;
  int m = s->K->nrow, n = 0;
  double rho = 0, first = 0;
  for (; n < MAX_ITERATIONS; n++) {
    double before = rho;
    tni_parallel_for(s->ctx, s->K->nblock, BLOCK_GRAIN, precondition_blocks, s);
    rho = dot(w->r, w->z, m);
    if (n == 0) first = rho;
    if (!(rho > TOL*TOL*first)) break;
    double beta = n > 0 ? rho/before : 0;
    for (int i = 0; i < m; i++) w->p[i] = w->z[i] + (n > 0 ? beta*w->p[i] : 0);
    product(s, w->p, w->Ap);
    double alpha = rho/dot(w->p, w->Ap, m);
    if (!isfinite(alpha)) break;
    for (int i = 0; i < m; i++) {
      lambda[i] += alpha*w->p[i];
      w->r[i] -= alpha*w->Ap[i];
    }
  }
  s->info.iterations = n;
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  state *w = s->state;
  const tni_kkt *K = s->K;
  memset(lambda, 0, (size_t)K->nrow*sizeof(double));
  w->v = NULL;
  w->f = f;
  w->to = w->r;
  tni_parallel_for(s->ctx, K->nbody, BODY_GRAIN, gather_bodies, s);
  tni_parallel_for(s->ctx, K->nblock, BLOCK_GRAIN, scatter_blocks, s);
  for (int r = 0; r < K->nrow && g; r++) w->r[r] -= is_used(K, r) ? g[r] : 0;
  iterate(s, lambda);
  w->v = lambda;
  w->f = f;
  w->sign = -1;
  tni_parallel_for(s->ctx, K->nbody, BODY_GRAIN, gather_bodies, s);
  memcpy(x, w->y, (size_t)(K->nbody*K->d)*sizeof(double));
}

/* ---- create --------------------------------------------------------------------------------- */

static tn_status create(tni_kkt_solver *s) {
  const tni_kkt *K = s->K;
  tni_arena *a = &s->arena;
  state *w;
  int *next, ninc = K->incadr[K->nblock];
  size_t m = (size_t)K->nrow + 1;
  TNI_ARENA_NEW(a, w, 1);
  s->state = w;
  TNI_ARENA_NEW(a, w->adr, K->nbody + 2);
  TNI_ARENA_NEW(a, next, K->nbody + 2);
  TNI_ARENA_NEW(a, w->inc, ninc + 1);
  TNI_ARENA_NEW(a, w->block, ninc + 1);
  TNI_ARENA_NEW(a, w->fadr, K->nblock + 1);
  for (int k = 0; k < ninc; k++) w->adr[K->incbody[k] + 1]++;
  for (int b = 0; b < K->nbody; b++) w->adr[b+1] += w->adr[b];
  memcpy(next, w->adr, (size_t)(K->nbody + 1)*sizeof(int));
  for (int b = 0; b < K->nblock; b++) {
    int n = K->rowadr[b+1] - K->rowadr[b];
    w->fadr[b+1] = w->fadr[b] + n*n;
    for (int k = K->incadr[b]; k < K->incadr[b+1]; k++) {
      int at = next[K->incbody[k]]++;
      w->inc[at] = k;
      w->block[at] = b;
    }
  }
  TNI_ARENA_NEW(a, w->F, w->fadr[K->nblock] + 1);
  TNI_ARENA_NEW(a, w->p, m);
  TNI_ARENA_NEW(a, w->r, m);
  TNI_ARENA_NEW(a, w->z, m);
  TNI_ARENA_NEW(a, w->Ap, m);
  TNI_ARENA_NEW(a, w->y, (size_t)K->nbody*(size_t)K->d + 1);
  s->info.ordering = "given";
  return TN_OK;
}

const tni_kkt_ops tni_kkt_compliance_cg = {
  .name = "compliance-cg", .create = create, .factor = factor, .solve = solve,
};
