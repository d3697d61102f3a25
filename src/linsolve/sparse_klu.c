/* linsolve/sparse_klu.c - KLU behind linsolve/sparse.h
 *
 * The pattern is analysed once. The first factorization chooses the pivots; later ones reuse them and
 * choose again when the old ones have become small.
 *
 * KLU takes its memory from malloc, not from the context: its allocator is global. Choosing pivots
 * allocates; refactoring and solving do not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <suitesparse/klu.h>

#include "linsolve/sparse.h"

typedef struct {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} klu;

static tn_status find_order(tni_sparse_solver *s) {
  klu *w = s->state;
  w->symbolic = klu_analyze(s->n, (int *)s->ptr, (int *)s->ind, &w->common);
  if (!w->symbolic && w->common.status == KLU_OUT_OF_MEMORY) return tni_out_of_memory(s->ctx);
  TN_REQUIRE(s->ctx, w->symbolic, TN_ERR_INTERNAL,
             "sparse LU: analysis of %d rows failed with code %d", s->n, w->common.status);
  return TN_OK;
}

static tn_status create(tni_sparse_solver *s) {
  klu *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  s->state = w;
  s->order = s->opts.unlike ? "colamd" : "amd";
  klu_defaults(&w->common);
  if (s->opts.unlike) w->common.ordering = 1;
  if (!s->opts.scales) w->common.scale = -1;
  if (s->opts.threshold > 0) w->common.tol = s->opts.threshold;
  w->common.halt_if_singular = 0;
  return find_order(s);
}

static void forget(tni_sparse_solver *s) {
  klu *w = s->state;
  if (!w->numeric) return;
  if (s->opts.is_complex) klu_z_free_numeric(&w->numeric, &w->common);
  else klu_free_numeric(&w->numeric, &w->common);
}

static void destroy(tni_sparse_solver *s) {
  klu *w = s->state;
  forget(s);
  if (w->symbolic) klu_free_symbolic(&w->symbolic, &w->common);
}

static tn_status analyze(tni_sparse_solver *s) {
  klu *w = s->state;
  destroy(s);
  w->symbolic = NULL;
  return find_order(s);
}

/* Smallest pivot, or the first one that is zero, with its column: what follows that one means nothing. */
static void find_pivots(tni_sparse_solver *s) {
  const klu *w = s->state;
  const double *u = w->numeric->Udiag;
  s->least = INFINITY;
  s->most = 0;
  for (int k = 0; k < s->n; k++) {
    double p = s->opts.is_complex ? hypot(u[2*k], u[2*k + 1]) : fabs(u[k]);
    if (p > s->most) s->most = p;
    if (p >= s->least) continue;
    s->least = isnan(p) ? 0 : p;
    s->column = w->symbolic->Q[k];
    if (!(p > (s->opts.relative ? 0 : s->opts.least))) return;
  }
}

static bool is_regular(const tni_sparse_solver *s) {
  return s->least > (s->opts.relative ? s->opts.least*s->most : s->opts.least);
}

static bool refactor(tni_sparse_solver *s, const double *value) {
  klu *w = s->state;
  int *ptr = (int *)s->ptr, *ind = (int *)s->ind;
  if (!w->numeric) return false;
  int ok = s->opts.is_complex
               ? klu_z_refactor(ptr, ind, (double *)value, w->symbolic, w->numeric, &w->common)
               : klu_refactor(ptr, ind, (double *)value, w->symbolic, w->numeric, &w->common);
  if (!ok) return false;
  find_pivots(s);
  return is_regular(s) && s->least >= s->opts.decay*s->chosen;
}

static tn_status factor(tni_sparse_solver *s, const double *value) {
  klu *w = s->state;
  int *ptr = (int *)s->ptr, *ind = (int *)s->ind;
  if (refactor(s, value)) return TN_OK;
  forget(s);
  w->numeric = s->opts.is_complex ? klu_z_factor(ptr, ind, (double *)value, w->symbolic, &w->common)
                                  : klu_factor(ptr, ind, (double *)value, w->symbolic, &w->common);
  if (!w->numeric && w->common.status == KLU_OUT_OF_MEMORY) return tni_out_of_memory(s->ctx);
  TN_REQUIRE(s->ctx, w->numeric, TN_ERR_INTERNAL,
             "sparse LU: factorization of %d rows failed with code %d", s->n, w->common.status);
  find_pivots(s);
  s->chosen = s->least;
  s->nnz = (long)w->numeric->lnz + w->numeric->unz;
  TN_REQUIRE(s->ctx, is_regular(s), TN_SINGULAR, "sparse matrix is singular: smallest pivot %.3g",
             s->least);
  return TN_OK;
}

static void solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  klu *w = s->state;
  if (s->opts.is_complex) {
    if (transposed) klu_z_tsolve(w->symbolic, w->numeric, s->n, nrhs, b, 0, &w->common);
    else klu_z_solve(w->symbolic, w->numeric, s->n, nrhs, b, &w->common);
  } else if (transposed) {
    klu_tsolve(w->symbolic, w->numeric, s->n, nrhs, b, &w->common);
  } else {
    klu_solve(w->symbolic, w->numeric, s->n, nrhs, b, &w->common);
  }
}

const tni_sparse_backend tni_sparse_klu = {.name = "klu", .create = create, .destroy = destroy, .analyze = analyze,
                                           .factor = factor, .refactor = refactor,
                                           .forget = forget, .solve = solve};
