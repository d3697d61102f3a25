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

/* y = K v of a motion of length one, and how much it is resisted in units of the largest entry */
static double resistance(const tni_domain *d, const double *v, double largest, double *y) {
  double size = 0;
  tni_domain_multiply(d, v, y);
  for (int i = 0; i < d->n; i++) size = fmax(size, fabs(y[i]));
  return largest > 0 ? size/largest : 0;
}

/* v, of length one, without the motions that are there; false: nothing is left of it */
static bool stands_out(const tni_floating *f, double *v) {
  int n = f->d->n;
  double before = dot(v, v, n);
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < f->nrigid; b++) {
      const double *o = f->rigid + (size_t)b*(size_t)n;
      double c = dot(o, v, n);
      for (int i = 0; i < n; i++) v[i] -= c*o[i];
    }
  double after = dot(v, v, n);
  if (!(after > 1e-20*before)) return false;
  for (int i = 0; i < n; i++) v[i] /= sqrt(after);
  return true;
}

/* orthonormal motions, each checked against the matrix, but for what stresses may resist */
static tn_status take_motions(tn_ctx *ctx, int number, const tni_floating_opts *o, tni_floating *f, double *work) {
  const tni_domain *d = f->d;
  size_t n = (size_t)d->n;
  double largest = tni_domain_size(d);
  for (int a = 0; a < d->nrigid; a++) {
    double *v = f->rigid + (size_t)f->nrigid*n;
    memcpy(v, d->rigid + (size_t)a*n, n*sizeof(double));
    if (!stands_out(f, v)) continue;
    double size = resistance(d, v, largest, work);
    TN_REQUIRE(ctx, o->stressed || size <= RIGID, TN_ERR_ARGUMENT, "domain %d resists motion %d, which was said to be rigid, with %.2g of its stiffness",
               number, a, size);
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

/* K with the fixed unknowns taken out, by a solver; *held [entries] is left for another one */
static tn_status factor_held(tn_ctx *ctx, tni_floating *f, const char *by, double *held, tni_sparse_solver **out) {
  const tni_domain *d = f->d;
  bool once = strcmp(by, "fronts") == 0, *fixed = tni_alloc(ctx, (size_t)d->n, sizeof(bool));
  if (!fixed) return tni_out_of_memory(ctx);
  for (int a = 0; a < f->nrigid; a++) fixed[f->fix[a]] = true;
  for (int j = 0; j < d->n; j++)
    for (int k = d->ptr[j]; k < d->ptr[j + 1]; k++) {
      held[k] = d->ind[k] != j && (fixed[j] || fixed[d->ind[k]]) ? 0 : d->value[k];
      if (d->ind[k] == j && fixed[j] && !(held[k] > 0)) held[k] = 1; /* what nothing holds has no stiffness even by itself */
    }
  tni_free(ctx, fixed);
  tni_sparse_opts o = {.backend = by, .symmetric = true, .least = ZERO*tni_domain_size(d), .node = d->node, .once = once};
  TN_TRY(tni_sparse_solver_create(ctx, d->n, d->ptr, d->ind, &o, out));
  int negative = 0, zero = 0;
  tn_status st = tni_sparse_solver_factor(*out, held);
  if (st == TN_OK && tni_sparse_solver_inertia(*out, &negative, &zero) && negative + zero > 0) return TN_SINGULAR;
  return st;
}

/* What is left without pivots, as motions of its own; *negative: eigenvalues of what is not. */
static tn_status find_more(tn_ctx *ctx, tni_floating *f, tni_arena *arena, double *held, double *work, int *negative) {
  const tni_domain *d = f->d;
  tni_sparse_solver *lu = NULL;
  int zero = 0, had = f->nrigid;
  size_t n = (size_t)d->n;
  double *x = NULL, *more, largest = tni_domain_size(d);
  *negative = 0;
  tn_status st = factor_held(ctx, f, "mumps", held, &lu);
  if (st == TN_SINGULAR || st == TN_OK) st = tni_sparse_solver_inertia(lu, negative, &zero) ? TN_OK : TN_SINGULAR;
  if (st == TN_OK && *negative == 0 && zero > 0) {
    x = tni_doubles(ctx, (size_t)zero*n);
    st = !x ? tni_out_of_memory(ctx) : tni_sparse_solver_null(lu, x) ? TN_OK : TN_SINGULAR;
  }
  if (st == TN_OK && x) {
    int *fix = tni_arena_alloc(arena, (size_t)(f->nrigid + zero), sizeof(int));
    more = tni_arena_alloc(arena, (size_t)(f->nrigid + zero)*n, sizeof(double));
    if (!fix || !more) st = tni_out_of_memory(ctx);
    if (st == TN_OK) {
      memcpy(more, f->rigid, (size_t)f->nrigid*n*sizeof(double));
      f->rigid = more;
      for (int k = 0; k < zero; k++) {
        double *v = f->rigid + (size_t)f->nrigid*n;
        memcpy(v, x + (size_t)k*n, n*sizeof(double));
        for (int a = 0; a < had; a++) v[f->fix[a]] = 0;
        if (!stands_out(f, v) || resistance(d, v, largest, work) > RIGID) continue;
        f->nrigid++;
        f->nextra++;
      }
      f->fix = fix;
    }
  }
  tni_free(ctx, x);
  tni_sparse_solver_destroy(&lu);
  return st;
}

/* R that needs forces at the fixed unknowns only, and what these are; NULL where they are rounding */
static tn_status settle(tni_floating *f, tni_arena *arena, double *work) {
  static const double NOTHING = 1e-14;
  const tni_domain *d = f->d;
  size_t n = (size_t)d->n, m = (size_t)f->nrigid;
  double largest = tni_domain_size(d), most = 0;
  for (size_t a = 0; a < m; a++) most = fmax(most, resistance(d, f->rigid + a*n, largest, work));
  if (!(most > NOTHING*sqrt((double)n))) return TN_OK;
  TNI_ARENA_NEW(arena, f->resist, m*m);
  for (size_t a = 0; a < m; a++) {
    double *v = f->rigid + a*n;
    for (int round = 0; round < 2; round++) { /* the second time rounding */
      tni_domain_multiply(d, v, work);
      tni_floating_solve(f, 1, work);
      for (size_t i = 0; i < n; i++) v[i] -= work[i];
    }
  }
  for (size_t a = 0; a < m; a++) {
    tni_domain_multiply(d, f->rigid + a*n, work);
    for (size_t b = 0; b < m; b++) {
      double sum = 0;
      for (size_t k = 0; k < m; k++) sum += f->rigid[b*n + (size_t)f->fix[k]]*work[f->fix[k]];
      f->resist[a*m + b] += 0.5*sum;
      f->resist[b*m + a] += 0.5*sum;
    }
  }
  return TN_OK;
}

static tn_status create(tn_ctx *ctx, int number, const tni_floating_opts *o, tni_arena *arena, tni_floating *f, double *held) {
  enum { ROUNDS = 3 };
  const tni_domain *d = f->d;
  double *work;
  int negative = 0;
  TNI_ARENA_NEW(arena, work, d->n);
  TNI_ARENA_NEW(arena, f->rigid, (size_t)d->nrigid*(size_t)d->n);
  TNI_ARENA_NEW(arena, f->fix, d->nrigid);
  TN_TRY(take_motions(ctx, number, o, f, work));
  for (int round = 0;; round++) {
    int had = f->nrigid;
    if (had) TN_TRY(choose_fixed(ctx, f));
    tn_status st = factor_held(ctx, f, "fronts", held, &f->factor);
    if (st == TN_OK) break;
    tni_sparse_solver_destroy(&f->factor);
    if (st != TN_SINGULAR) return st;
    if (o->mechanisms && round < ROUNDS) {
      st = find_more(ctx, f, arena, held, work, &negative);
      if (st != TN_OK && st != TN_SINGULAR) return st;
    }
    if (negative > 0) return TN_FAIL(ctx, TN_SINGULAR, "domain %d is not stable: %d negative eigenvalues", number, negative);
    if (f->nrigid == had)
      return TN_FAIL(ctx, TN_SINGULAR, "domain %d moves without resistance beyond its %d rigid motions: it is a mechanism, or in pieces", number, f->nrigid);
  }
  return o->stressed ? settle(f, arena, work) : TN_OK;
}

tn_status tni_floating_create(tn_ctx *ctx, const tni_domain *d, int number, const tni_floating_opts *opts, tni_arena *arena, tni_floating *f) {
  *f = (tni_floating){.d = d};
  if (!d->n) return TN_OK;
  TN_REQUIRE(ctx, d->nrigid <= d->n, TN_ERR_ARGUMENT, "domain %d has %d rigid motions and %d unknowns", number, d->nrigid, d->n);
  double *held = tni_doubles(ctx, (size_t)d->ptr[d->n]);
  if (!held) return tni_out_of_memory(ctx);
  tn_status st = create(ctx, number, opts, arena, f, held);
  tni_free(ctx, held);
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
