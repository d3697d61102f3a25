/* techniques/partitioning.c - coordinate partitioning: accelerations of independent coordinates
 *
 *   C = [C_d C_i],  T = C_d^-1 C_i,  v' = N v'_i + p,   N = [-T; 1],  p = [C_d^-1 gamma; 0]
 *   (N^T M N) v'_i = N^T (f - M p),      C_d^T lambda = (f - M v')_d
 *
 * Dense. The dependent columns are found by elimination with full pivoting, anew for every state: the
 * result then depends on the state alone, not on what was asked before.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linsolve/lapack.h"
#include "techniques/technique.h"

typedef struct {
  tni_technique base;
  int n, m, rank;    /* velocities, rows, dependent columns             */
  int *col, *row;    /* [n] columns, dependent ones first; [m] rows used first */
  double *C;         /* [m][n] row-major                                */
  double *W;         /* [m][n] elimination                              */
  double *Cd;        /* [rank*rank] column-major, then its LU           */
  double *T;         /* [rank][n-rank] column-major                     */
  double *N;         /* [n][n-rank] column-major, columns as in col     */
  double *MN;        /* the same times M                                */
  double *H;         /* [n-rank]^2                                      */
  double *p, *r, *y; /* [n]                                             */
  int *pivot; /* [m]                                             */
} partition;

extern const tni_technique_type tni_technique_partitioning;

static const double RANK = 1e-9; /* smallest pivot over the largest */

static tn_status allocate(partition *w) {
  tni_arena *a = &w->base.arena;
  size_t n = (size_t)w->n, m = (size_t)w->m;
  TNI_ARENA_NEW(a, w->col, n);
  TNI_ARENA_NEW(a, w->row, m);
  TNI_ARENA_NEW(a, w->C, m*n);
  TNI_ARENA_NEW(a, w->W, m*n);
  TNI_ARENA_NEW(a, w->Cd, m*m);
  TNI_ARENA_NEW(a, w->T, m*n);
  TNI_ARENA_NEW(a, w->N, n*n);
  TNI_ARENA_NEW(a, w->MN, n*n);
  TNI_ARENA_NEW(a, w->H, n*n);
  TNI_ARENA_NEW(a, w->p, n);
  TNI_ARENA_NEW(a, w->r, n);
  TNI_ARENA_NEW(a, w->y, n);
  TNI_ARENA_NEW(a, w->pivot, m);
  return TN_OK;
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  *out = NULL;
  partition *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  w->n = s->nv;
  w->m = s->m;
  tn_status st = tni_technique_init(&w->base, &tni_technique_partitioning, ctx, s, opts);
  if (st == TN_OK) st = allocate(w);
  *out = &w->base;
  if (st != TN_OK) tni_technique_destroy(out);
  return st;
}

static void make_dense(const tni_kkt *K, double *C, int n) {
  memset(C, 0, (size_t)K->nrow*(size_t)n*sizeof(double));
  for (int b = 0; b < K->nblock; b++)
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *J = K->J + K->jadr[a];
      for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++, J += K->d)
        memcpy(C + (size_t)r*(size_t)n + (size_t)(K->incbody[a]*K->d), J,
               (size_t)K->d*sizeof(double));
    }
}

/* full pivoting; rows are scaled to length 1 first, so that their units do not matter */
static void choose(partition *w) {
  int n = w->n, m = w->m;
  double first = 0;
  memcpy(w->W, w->C, (size_t)m*(size_t)n*sizeof(double));
  for (int r = 0; r < m; r++) {
    double *x = w->W + (size_t)r*(size_t)n, size = 0;
    for (int i = 0; i < n; i++) size += x[i]*x[i];
    for (int i = 0; i < n && size > 0; i++) x[i] /= sqrt(size);
    w->row[r] = r;
  }
  for (int i = 0; i < n; i++) w->col[i] = i;
  for (w->rank = 0; w->rank < m && w->rank < n; w->rank++) {
    int k = w->rank, pr = k, pc = k;
    double best = -1;
    for (int r = k; r < m; r++)
      for (int c = k; c < n; c++) {
        double x = fabs(w->W[(size_t)w->row[r]*(size_t)n + (size_t)w->col[c]]);
        if (x > best) best = x, pr = r, pc = c;
      }
    if (k == 0) first = best;
    if (!(best > RANK*first)) break;
    int t = w->row[k];
    w->row[k] = w->row[pr], w->row[pr] = t;
    t = w->col[k];
    w->col[k] = w->col[pc], w->col[pc] = t;
    const double *top = w->W + (size_t)w->row[k]*(size_t)n;
    for (int r = k + 1; r < m; r++) {
      double *x = w->W + (size_t)w->row[r]*(size_t)n, f = x[w->col[k]]/top[w->col[k]];
      if (f == 0) continue;
      for (int c = k; c < n; c++) x[w->col[c]] -= f*top[w->col[c]];
    }
  }
}

/* LU of the dependent columns; false when it does not exist */
static bool factor(partition *w) {
  int k = w->rank;
  for (int c = 0; c < k; c++)
    for (int r = 0; r < k; r++)
      w->Cd[(size_t)c*(size_t)k + (size_t)r] =
          w->C[(size_t)w->row[r]*(size_t)w->n + (size_t)w->col[c]];
  if (k == 0) return true;
  return tni_getrf(k, k, w->Cd, k, w->pivot) == 0;
}

/* y = M x for vectors in the order of the columns of the system */
static void times_mass(const tni_kkt *K, const double *x, double *y) {
  int d = K->d;
  for (int b = 0; b < K->nbody; b++) {
    const double *M = K->M + (size_t)b*(size_t)(d*d);
    for (int i = 0; i < d; i++) {
      double sum = 0;
      for (int j = 0; j < d; j++) sum += M[i*d + j]*x[b*d + j];
      y[b*d + i] = sum;
    }
  }
  for (int i = 0, at = K->nbody*d; i < K->nfree; i++) y[at + i] = x[at + i]/K->free_minv[i];
}

/* N and M N, columns in the order of the system */
static void null_space(partition *w) {
  int n = w->n, k = w->rank, f = n - k;
  for (int c = 0; c < f; c++)
    for (int r = 0; r < k; r++)
      w->T[(size_t)c*(size_t)k + (size_t)r] =
          w->C[(size_t)w->row[r]*(size_t)n + (size_t)w->col[k + c]];
  if (k > 0 && f > 0)
    tni_getrs('N', k, f, w->Cd, k, w->pivot, w->T, k);
  memset(w->N, 0, (size_t)n*(size_t)f*sizeof(double));
  for (int c = 0; c < f; c++) {
    double *N = w->N + (size_t)c*(size_t)n;
    for (int r = 0; r < k; r++) N[w->col[r]] = -w->T[(size_t)c*(size_t)k + (size_t)r];
    N[w->col[k + c]] = 1;
    times_mass(&w->base.K, N, w->MN + (size_t)c*(size_t)n);
  }
}

/* accelerations of the free columns into y, whole ones into p */
static bool accelerations(partition *w, const double *f, const double *gamma) {
  int n = w->n, k = w->rank, nf = n - k;
  memset(w->p, 0, (size_t)n*sizeof(double));
  for (int r = 0; r < k; r++) w->r[r] = gamma[w->row[r]];
  if (k > 0) tni_getrs('N', k, 1, w->Cd, k, w->pivot, w->r, k);
  for (int r = 0; r < k; r++) w->p[w->col[r]] = w->r[r];
  times_mass(&w->base.K, w->p, w->r);
  for (int c = 0; c < nf; c++) {
    const double *N = w->N + (size_t)c*(size_t)n;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += N[i]*(f[i] - w->r[i]);
    w->y[c] = sum;
    for (int e = 0; e <= c; e++) {
      const double *MN = w->MN + (size_t)e*(size_t)n;
      sum = 0;
      for (int i = 0; i < n; i++) sum += N[i]*MN[i];
      w->H[(size_t)e*(size_t)nf + (size_t)c] = sum;
    }
  }
  if (nf > 0 && tni_potrf('L', nf, w->H, nf) != 0) return false;
  if (nf > 0) tni_potrs('L', nf, 1, w->H, nf, w->y, nf);
  for (int c = 0; c < nf; c++)
    for (int i = 0; i < n; i++) w->p[i] += w->y[c]*w->N[(size_t)c*(size_t)n + (size_t)i];
  return true;
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  partition *w = (partition *)tq;
  int k;
  make_dense(terms->K, w->C, w->n);
  tq->s->work.nfactor++;
  choose(w);
  if (!factor(w)) return tni_technique_singular(tq, at->t, -1);
  null_space(w);
  if (!accelerations(w, terms->f, terms->gamma)) return tni_technique_singular(tq, at->t, -1);
  k = w->rank;
  times_mass(terms->K, w->p, w->r);
  for (int r = 0; r < k; r++) w->y[r] = terms->f[w->col[r]] - w->r[w->col[r]];
  if (k > 0) tni_getrs('T', k, 1, w->Cd, k, w->pivot, w->y, k);
  memset(lambda, 0, (size_t)w->m*sizeof(double));
  for (int r = 0; r < k; r++) lambda[w->row[r]] = w->y[r];
  tni_technique_accelerate(tq, terms->f, lambda, a);
  return TN_OK;
}

const tni_technique_type tni_technique_partitioning = {
    .name = "partitioning",
    .summary = "Accelerations of independent coordinates, dense; states are projected.",
    .projects = true,
    .create = create,
    .solve = solve,
};
