/* linsolve/sparse_pcg.c - conjugate gradients with the diagonal as preconditioner, behind linsolve/sparse.h
 *
 * For symmetric positive definite matrices whose factors do not fit into memory: beside the matrix five vectors are all. Iterates until
 * the residual is TOLERANCE of the right side, or as near as it came; how near, the caller sees by his own residual, and
 * tni_sparse_solver_describe tells. A direction without positive energy shows a matrix that is not positive definite: the solution is
 * then no number, which nobody takes for an answer.
 *
 * Rows are multiplied on all threads, sums have a fixed order: the same bits.
 *
 * Source: M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952) 409.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "linsolve/sparse.h"
#include "parallel/pool.h"

static const double TOLERANCE = 1e-10;
enum { ROW_GRAIN = 512, FEWEST = 2000 };

typedef struct {
  double *value, *diagonal; /* [nnz], [n]          */
  double *x, *r, *z, *p, *q; /* [n]                */
  double *gain;              /* [most iterations] energy that each has brought */
  long iterations;           /* of the last solve  */
  double residual;
} pcg;

static long most_iterations(int n) { return 2L*n > FEWEST ? 2L*n : FEWEST; }

static tn_status create(tni_sparse_solver *s) {
  pcg *w;
  TN_REQUIRE(s->ctx, s->opts.symmetric && !s->opts.is_complex, TN_ERR_ARGUMENT,
             "sparse solver pcg is for real symmetric matrices; use klu or mumps");
  TNI_ARENA_NEW(&s->arena, w, 1);
  s->state = w;
  s->order = "given";
  TNI_ARENA_NEW(&s->arena, w->value, s->ptr[s->n]);
  double **v[] = {&w->diagonal, &w->x, &w->r, &w->z, &w->p, &w->q};
  for (int i = 0; i < TNI_COUNT(v); i++) TNI_ARENA_NEW(&s->arena, *v[i], s->n);
  TNI_ARENA_NEW(&s->arena, w->gain, most_iterations(s->n));
  s->nnz = 0;
  s->bytes = 8.0*(double)s->ptr[s->n] + 64.0*s->n;
  return TN_OK;
}

static void destroy(tni_sparse_solver *s) { (void)s; }

static tn_status factor(tni_sparse_solver *s, const double *value) {
  pcg *w = s->state;
  memcpy(w->value, value, (size_t)s->ptr[s->n]*sizeof(double));
  s->negative = s->zero = -1;
  s->least = HUGE_VAL;
  for (int j = 0; j < s->n; j++) {
    w->diagonal[j] = 0;
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++)
      if (s->ind[k] == j) w->diagonal[j] += value[k];
    if (w->diagonal[j] < s->least) s->least = w->diagonal[j], s->column = j;
  }
  TN_REQUIRE(s->ctx, s->least > s->opts.least, TN_SINGULAR, "sparse matrix is not positive definite at row %d", s->column);
  return TN_OK;
}

static bool refactor(tni_sparse_solver *s, const double *value) { return factor(s, value) == TN_OK; }

static void multiply_rows(void *user, int begin, int end) {
  const tni_sparse_solver *s = user;
  const pcg *w = s->state;
  for (int j = begin; j < end; j++) { /* columns are rows */
    double sum = 0;
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++) sum += w->value[k]*w->p[s->ind[k]];
    w->q[j] = sum;
  }
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*y[i];
  return sum;
}

bool tni_energy_is_there(long n, const double *gain, double tolerance) {
  enum { WINDOW = 10 };
  double late = 0, all = 0;
  long first = n - (n/5 > WINDOW ? n/5 : WINDOW);
  for (long i = 0; i < n; i++) {
    all += gain[i];
    if (i >= first && i > 0) late += gain[i];
  }
  return !(late > tolerance*tolerance*all);
}

/* false: a direction without positive energy */
static bool iterate(tni_sparse_solver *s, pcg *w, const double *b) {
  int n = s->n;
  long most = most_iterations(n);
  memset(w->x, 0, (size_t)n*sizeof(double));
  memcpy(w->r, b, (size_t)n*sizeof(double));
  double size = sqrt(dot(n, b, b)), rz = 0;
  w->iterations = 0;
  w->residual = 0;
  if (!(size > 0)) return isfinite(size);
  for (int i = 0; i < n; i++) w->p[i] = w->z[i] = w->r[i]/w->diagonal[i], rz += w->r[i]*w->z[i];
  for (;;) {
    w->residual = sqrt(dot(n, w->r, w->r))/size;
    if ((!(w->residual > TOLERANCE) && (!(w->residual > 0) || tni_energy_is_there(w->iterations, w->gain, TOLERANCE))) || w->iterations == most) return isfinite(w->residual);
    tni_parallel_for(s->ctx, n, ROW_GRAIN, multiply_rows, s);
    double pq = dot(n, w->p, w->q), next = 0;
    if (!(pq > 0)) return false;
    double a = rz/pq;
    w->gain[w->iterations] = a*rz;
    for (int i = 0; i < n; i++) {
      w->x[i] += a*w->p[i];
      w->r[i] -= a*w->q[i];
      w->z[i] = w->r[i]/w->diagonal[i];
      next += w->r[i]*w->z[i];
    }
    for (int i = 0; i < n; i++) w->p[i] = w->z[i] + next/rz*w->p[i];
    rz = next;
    w->iterations++;
  }
}

static void solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  pcg *w = s->state;
  (void)transposed;
  for (int r = 0; r < nrhs; r++) {
    double *x = b + (size_t)r*(size_t)s->n;
    bool fine = iterate(s, w, x);
    for (int i = 0; i < s->n; i++) x[i] = fine ? w->x[i] : NAN;
  }
  snprintf(s->note, sizeof(s->note), "%ld iterations to %.1e of the right side", w->iterations, w->residual);
}

const tni_sparse_backend tni_sparse_pcg = {.name = "pcg", .create = create, .destroy = destroy, .factor = factor,
                                           .refactor = refactor, .solve = solve};
