/* linsolve/kkt.c - the list of solvers, checks of the pattern, iterative refinement
 *
 * Refinement works on the whole system (spec 10, step 8): with the residuals
 *   rf = f - M x - C^T lambda,   rg = g - C x
 * the same factor gives a correction of (x, lambda). It is the same for every solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/kkt.h"

#include <math.h>

#include "linsolve/solver.h"

static const tni_kkt_ops *const methods[TNI_KKT_NMETHOD] = {
  [TNI_KKT_DENSE_LU] = &tni_kkt_dense_lu,
  [TNI_KKT_SPARSE_LU] = &tni_kkt_sparse_lu,
  [TNI_KKT_REDUCED] = &tni_kkt_reduced,
  [TNI_KKT_HUB] = &tni_kkt_hub,
  [TNI_KKT_NATURAL] = &tni_kkt_natural,
  [TNI_KKT_NATURAL_CG] = &tni_kkt_natural_cg,
  [TNI_KKT_COMPLIANCE_CG] = &tni_kkt_compliance_cg,
  [TNI_KKT_PIECES] = &tni_kkt_pieces,
};

static const double PIVOT_TOL = 1e-13;

static tn_status check_pattern(tn_ctx *ctx, const tni_kkt *K) {
  TN_REQUIRE(ctx, K->d == 3 || K->d == 6, TN_ERR_ARGUMENT,
             "linear system: body blocks of size %d, must be 3 or 6", K->d);
  TN_REQUIRE(ctx, K->nbody >= 0 && K->nblock >= 0, TN_ERR_ARGUMENT,
             "linear system: %d bodies, %d constraint blocks, must be >= 0", K->nbody, K->nblock);
  int row = 0, inc = 0;
  for (int b = 0; b < K->nblock; b++) {
    TN_REQUIRE(ctx, K->rowadr[b] == row && K->rowadr[b+1] >= row && K->incadr[b] == inc &&
               K->incadr[b+1] >= inc, TN_ERR_ARGUMENT,
               "linear system: rows or incidences of constraint block %d are out of order", b);
    row = K->rowadr[b+1];
    inc = K->incadr[b+1];
    for (int a = K->incadr[b]; a < inc; a++) {
      int body = K->incbody[a];
      TN_REQUIRE(ctx, body >= 0 && body < K->nbody, TN_ERR_ARGUMENT,
                 "linear system: constraint block %d touches body %d, must be in 0..%d", b, body,
                 K->nbody - 1);
      for (int c = K->incadr[b]; c < a; c++) {
        TN_REQUIRE(ctx, K->incbody[c] != body, TN_ERR_ARGUMENT,
                   "linear system: constraint block %d lists body %d twice", b, body);
      }
    }
  }
  TN_REQUIRE(ctx, K->nrow == row, TN_ERR_ARGUMENT,
             "linear system: %d rows announced, the blocks have %d", K->nrow, row);
  return TN_OK;
}

/* hubs must save this factor to be worth the second plan that is kept for the case of failure */
static const double WORTH_HUBS = 1.3;

static tn_status choose_method(tni_kkt_solver *s, tni_kkt_method *method) {
  *method = TNI_KKT_REDUCED;
  s->info.reason = s->K->nrow > 0 ? "one small definite system for the multipliers"
                                  : "no constraints: body by body";
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  int *hub, nhub = 0;
  double gain = 1;
  tn_status st = tni_kkt_choose_hubs(s->K, s->opts.ordering, &scratch, &hub, &nhub, &gain);
  tni_arena_clear(&scratch);
  if (st == TN_OK && nhub > 0 && gain > WORTH_HUBS) {
    *method = TNI_KKT_HUB;
    s->info.reason = "a body with many joints is kept as an unknown, which saves most of the work";
  }
  return st;
}

static tn_status create(tni_kkt_solver *s) {
  TN_TRY(check_pattern(s->ctx, s->K));
  if (s->opts.pivot_tol <= 0) s->opts.pivot_tol = PIVOT_TOL;
  s->info.reason = "chosen by the caller";
  tni_kkt_method method = s->opts.method;
  if (method == TNI_KKT_AUTO) TN_TRY(choose_method(s, &method));
  TN_REQUIRE(s->ctx, method > TNI_KKT_AUTO && method < TNI_KKT_NMETHOD && methods[method],
             TN_ERR_ARGUMENT, "linear system: unknown method %d, must be 0..%d", (int)method,
             TNI_KKT_NMETHOD - 1);
  s->ops = methods[method];
  s->info.method = s->ops->name;
  s->info.ordering = "given";
  if (s->opts.refine > 0) {
    size_t n = (size_t)s->K->nbody*(size_t)s->K->d, m = (size_t)s->K->nrow;
    TNI_ARENA_NEW(&s->arena, s->fx, n + 1);
    TNI_ARENA_NEW(&s->arena, s->gl, m + 1);
    TNI_ARENA_NEW(&s->arena, s->dx, n + 1);
    TNI_ARENA_NEW(&s->arena, s->dl, m + 1);
  }
  return s->ops->create(s);
}

tn_status tni_kkt_create(tn_ctx *ctx, const tni_kkt *K, const tni_kkt_opts *opts,
                         tni_kkt_solver **out) {
  *out = NULL;
  tni_kkt_solver *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  s->ctx = ctx;
  s->K = K;
  if (opts) s->opts = *opts;
  s->bad_row = -1;
  s->pivot_ratio = 1;
  tni_arena_init(&s->arena, ctx);
  tn_status st = create(s);
  if (st != TN_OK) {
    tni_kkt_destroy(&s);
    return st;
  }
  *out = s;
  return TN_OK;
}

void tni_kkt_destroy(tni_kkt_solver **ps) {
  if (!ps || !*ps) return;
  tni_kkt_solver *s = *ps;
  if (s->ops && s->ops->destroy) s->ops->destroy(s);
  tni_arena_clear(&s->arena);
  tni_free(s->ctx, s);
  *ps = NULL;
}

tn_status tni_kkt_factor(tni_kkt_solver *s) {
  s->info.nfactor++;
  s->bad_row = -1;
  s->pivot_ratio = 1;
  return s->ops->factor(s);
}

int tni_kkt_bad_row(const tni_kkt_solver *s) { return s->bad_row; }
double tni_kkt_pivot_ratio(const tni_kkt_solver *s) { return s->pivot_ratio; }
void tni_kkt_get_info(const tni_kkt_solver *s, tni_kkt_info *info) { *info = s->info; }

tn_status tni_kkt_singular(tni_kkt_solver *s, int row) {
  s->bad_row = row;
  s->pivot_ratio = 0;
  if (row < 0) return TN_FAIL(s->ctx, TN_SINGULAR, "a mass matrix is singular or not a number");
  return TN_FAIL(s->ctx, TN_SINGULAR,
                 "constraint row %d depends on others: its pivot is below %.3g of its diagonal; is "
                 "it redundant?", row, s->opts.pivot_tol);
}

/* residuals of both equations into fx and gl */
static void residual(tni_kkt_solver *s, const double *f, const double *g, const double *x,
                     const double *lambda) {
  const tni_kkt *K = s->K;
  int d = K->d;
  tni_kkt_apply_Ct(K, lambda, s->fx);
  for (int b = 0; b < K->nbody; b++) {
    const double *M = K->M + (size_t)b*d*d, *xb = x + (size_t)b*d;
    for (int i = 0; i < d; i++) {
      double sum = s->fx[b*d+i];
      for (int j = 0; j < d; j++) sum += M[i*d+j]*xb[j];
      s->fx[b*d+i] = (f ? f[b*d+i] : 0) - sum;
    }
  }
  tni_kkt_apply_C(K, x, s->gl);
  for (int r = 0; r < K->nrow; r++) {
    bool used = !K->active || K->active[r];
    if (K->shift) s->gl[r] -= K->shift[r]*lambda[r];
    s->gl[r] = used ? (g ? g[r] : 0) - s->gl[r] : 0;
  }
}

/* what no row touches */
static void solve_free(const tni_kkt *K, const double *f, double *x) {
  size_t at = (size_t)K->nbody*(size_t)K->d;
  for (int i = 0; i < K->nfree; i++) x[at + (size_t)i] = f ? K->free_minv[i]*f[at + (size_t)i] : 0;
  if (f && K->free_solve) K->free_solve(K->free_user, f + at, x + at);
}

void tni_kkt_solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  s->info.nsolve++;
  s->ops->solve(s, f, g, x, lambda);
  for (int k = 0; k < s->opts.refine; k++) {
    residual(s, f, g, x, lambda);
    s->ops->solve(s, s->fx, s->gl, s->dx, s->dl);
    for (int i = 0; i < s->K->nbody*s->K->d; i++) x[i] += s->dx[i];
    for (int r = 0; r < s->K->nrow; r++) lambda[r] += s->dl[r];
  }
  solve_free(s->K, f, x);
}

tn_status tni_kkt_factor_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                               double *lambda) {
  if (!s->ops->factor_solve || s->opts.refine > 0) {
    TN_TRY(tni_kkt_factor(s));
    tni_kkt_solve(s, f, g, x, lambda);
    return TN_OK;
  }
  s->info.nfactor++;
  s->info.nsolve++;
  s->bad_row = -1;
  s->pivot_ratio = 1;
  solve_free(s->K, f, x);
  return s->ops->factor_solve(s, f, g, x, lambda);
}

void tni_kkt_apply_C(const tni_kkt *K, const double *x, double *y) {
  int d = K->d;
  for (int b = 0; b < K->nblock; b++) {
    int row = K->rowadr[b], nr = K->rowadr[b+1] - row;
    for (int r = 0; r < nr; r++) y[row+r] = 0;
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *J = K->J + K->jadr[a], *xb = x + (size_t)K->incbody[a]*d;
      for (int r = 0; r < nr; r++) {
        for (int i = 0; i < d; i++) y[row+r] += J[r*d+i]*xb[i];
      }
    }
  }
}

void tni_kkt_apply_Ct(const tni_kkt *K, const double *lambda, double *y) {
  int d = K->d;
  for (int i = 0; i < K->nbody*d + K->nfree; i++) y[i] = 0;
  for (int b = 0; b < K->nblock; b++) {
    int row = K->rowadr[b], nr = K->rowadr[b+1] - row;
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *J = K->J + K->jadr[a];
      double *yb = y + (size_t)K->incbody[a]*d;
      for (int r = 0; r < nr; r++) {
        for (int i = 0; i < d; i++) yb[i] += J[r*d+i]*lambda[row+r];
      }
    }
  }
}

double tni_kkt_row_scale(const tni_kkt *K, int b, int r) {
  int d = K->d;
  double diagonal = 0;
  for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
    const double *J = K->J + K->jadr[a] + r*d, *W = K->Minv + (size_t)K->incbody[a]*d*d;
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) diagonal += J[i]*W[i*d+j]*J[j];
    }
  }
  return diagonal > 0 ? 1/sqrt(diagonal) : 1;
}
