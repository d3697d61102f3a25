/* domains/floating.c - one domain that may float: its factor, its rigid motions, K^+
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/floating.h"

#include <math.h>

#include "linsolve/lapack.h"

static const double RIGID = 1e-8; /* |K R| beside |K| |R| of a motion without stiffness  */
static const double ZERO = 1e-13; /* pivots below it, in units of the largest, are none  */

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i]*b[i];
  return sum;
}

/* orthonormal motions, each checked against the matrix */
static tn_status take_motions(tn_ctx *ctx, int number, tni_floating *f, double *work) {
  const tni_domain *d = f->d;
  int n = d->n;
  double largest = tni_domain_size(d);
  for (int a = 0; a < d->nrigid; a++) {
    double *v = f->rigid + (size_t)f->nrigid*(size_t)n;
    memcpy(v, d->rigid + (size_t)a*(size_t)n, (size_t)n*sizeof(double));
    double before = dot(v, v, n);
    for (int pass = 0; pass < 2; pass++)
      for (int b = 0; b < f->nrigid; b++) {
        const double *o = f->rigid + (size_t)b*(size_t)n;
        double c = dot(o, v, n);
        for (int i = 0; i < n; i++) v[i] -= c*o[i];
      }
    double after = dot(v, v, n), size = 0;
    if (!(after > 1e-20*before)) continue;
    for (int i = 0; i < n; i++) v[i] /= sqrt(after);
    tni_domain_multiply(d, v, work);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(work[i]));
    TN_REQUIRE(ctx, size <= RIGID*largest, TN_ERR_ARGUMENT, "domain %d resists motion %d, which was said to be rigid, with %.2g of its stiffness",
               number, a, size/largest);
    f->nrigid++;
  }
  return TN_OK;
}

static tn_status choose_fixed(tn_ctx *ctx, tni_floating *f) {
  int n = f->d->n, m = f->nrigid, lwork = 4*n + 64;
  double *A = tni_doubles(ctx, (size_t)m*(size_t)n), *tau = tni_doubles(ctx, (size_t)m), *work = tni_doubles(ctx, (size_t)lwork);
  int *pivot = tni_ints(ctx, (size_t)n);
  bool ok = A && tau && work && pivot;
  if (ok) {
    for (int i = 0; i < n; i++)
      for (int a = 0; a < m; a++) A[(size_t)i*(size_t)m + (size_t)a] = f->rigid[(size_t)a*(size_t)n + (size_t)i];
    tni_geqp3(m, n, A, m, pivot, tau, work, lwork);
    for (int a = 0; a < m; a++) f->fix[a] = pivot[a] - 1;
  }
  tni_free(ctx, A);
  tni_free(ctx, tau);
  tni_free(ctx, work);
  tni_free(ctx, pivot);
  return ok ? TN_OK : tni_out_of_memory(ctx);
}

tn_status tni_floating_create(tn_ctx *ctx, const tni_domain *d, int number, tni_arena *arena, tni_floating *f) {
  *f = (tni_floating){.d = d};
  int n = d->n, negative = 0, zero = 0;
  if (!n) return TN_OK;
  TN_REQUIRE(ctx, d->nrigid <= n, TN_ERR_ARGUMENT, "domain %d has %d rigid motions and %d unknowns", number, d->nrigid, n);
  double *work;
  bool *fixed;
  TNI_ARENA_NEW(arena, work, n);
  TNI_ARENA_NEW(arena, fixed, n);
  TNI_ARENA_NEW(arena, f->rigid, (size_t)d->nrigid*(size_t)n);
  TNI_ARENA_NEW(arena, f->fix, d->nrigid);
  TN_TRY(take_motions(ctx, number, f, work));
  if (f->nrigid) TN_TRY(choose_fixed(ctx, f));
  for (int a = 0; a < f->nrigid; a++) fixed[f->fix[a]] = true;
  tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = ZERO*tni_domain_size(d), .node = d->node, .once = true};
  TN_TRY(tni_sparse_solver_create(ctx, n, d->ptr, d->ind, &o, &f->factor));
  double *held = tni_doubles(ctx, (size_t)d->ptr[n]); /* K with the fixed unknowns taken out */
  if (!held) return tni_out_of_memory(ctx);
  for (int j = 0; j < n; j++)
    for (int k = d->ptr[j]; k < d->ptr[j + 1]; k++)
      held[k] = d->ind[k] != j && (fixed[j] || fixed[d->ind[k]]) ? 0 : d->value[k];
  tn_status st = tni_sparse_solver_factor(f->factor, held);
  tni_free(ctx, held);
  bool told = st == TN_OK && tni_sparse_solver_inertia(f->factor, &negative, &zero);
  if (st == TN_SINGULAR || (told && zero > 0))
    return TN_FAIL(ctx, TN_SINGULAR, "domain %d moves without resistance beyond its %d rigid motions: it is a mechanism, or in pieces", number,
                   f->nrigid);
  TN_REQUIRE(ctx, !told || negative == 0, TN_SINGULAR, "domain %d is not stable: %d negative eigenvalues", number, negative);
  return st;
}

void tni_floating_destroy(tni_floating *f) { tni_sparse_solver_destroy(&f->factor); }

void tni_floating_solve(const tni_floating *f, int nrhs, double *x) {
  if (!f->factor) return;
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; r < nrhs; r++)
      for (int a = 0; a < f->nrigid; a++) x[(size_t)r*(size_t)f->d->n + (size_t)f->fix[a]] = 0;
    if (!pass) tni_sparse_solver_solve(f->factor, nrhs, false, x);
  }
}
