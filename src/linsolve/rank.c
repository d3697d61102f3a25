/* linsolve/rank.c - which rows of C are independent, and the multipliers that do nothing
 *
 * Rows are taken in the metric of kinetic energy: g_r = (C M^-1/2)_r, scaled to length 1. The
 * residual of a row after removing its part in the span of the rows kept before it is the sine of
 * its angle to that span; below tol the row is dependent. Modified Gram-Schmidt, twice, keeps the
 * first rows of a dependent set and names the later ones.
 *
 *   g_r = sum_j R_rj w_j,  w_j orthonormal;    dropped row d = sum over kept rows a of t_a g_a
 *   gives the null vector z = e_d/s_d - sum t_a e_a/s_a of C^T (s: row lengths).
 *
 * Most systems have full rank; the reduced factorization proves that in linear time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/kkt.h"

#include <math.h>

/* sine below which a row counts as dependent: the square of it is the relative pivot of the reduced
 * matrix, which must stay well above the rounding unit */
static const double DEFAULT_TOL = 1e-6;
/* relative pivot above which full rank needs no further proof */
static const double SAFE_PIVOT = 1e-8;
enum { MAX_DENSE_ROWS = 6000 };

static tn_status all_independent(tni_arena *arena, int nrow, double condition, tni_rank *out) {
  out->nrow = out->rank = nrow;
  out->nnull = 0;
  TNI_ARENA_NEW(arena, out->independent, nrow);
  TNI_ARENA_NEW(arena, out->null, 0);
  TNI_ARENA_NEW(arena, out->condition, 1);
  for (int i = 0; i < nrow; i++) out->independent[i] = true;
  *out->condition = condition;
  return TN_OK;
}

/* smallest relative pivot of the reduced matrix with all rows; 0 when it cannot be factored */
static tn_status smallest_pivot(const tni_kkt *K, tn_ctx *ctx, double *out, int *bad_row) {
  tni_kkt all = *K;
  tni_kkt_opts opts = {.method = TNI_KKT_AUTO, .pivot_tol = 1e-14};
  tni_kkt_solver *s;
  all.active = NULL;
  *out = 0;
  *bad_row = -1;
  TN_TRY(tni_kkt_create(ctx, &all, &opts, &s));
  tn_status st = tni_kkt_factor(s);
  if (st == TN_OK) *out = tni_kkt_pivot_ratio(s);
  if (st == TN_SINGULAR) {
    *bad_row = tni_kkt_bad_row(s);
    st = TN_OK;
  }
  tni_kkt_destroy(&s);
  return st;
}

/* lower Cholesky factor L of the d x d block A, in place of scratch; A is positive definite */
static void cholesky(const double *A, int d, double *L) {
  for (int i = 0; i < d; i++)
    for (int j = 0; j <= i; j++) {
      double sum = A[i*d + j];
      for (int k = 0; k < j; k++) sum -= L[i*d + k]*L[j*d + k];
      L[i*d + j] = i == j ? sqrt(sum) : sum/L[j*d + j];
    }
}

/* rows of C M^-1/2 into G [nrow][n], scaled to length 1; s [nrow] their lengths */
static void fill_rows(const tni_kkt *K, double *G, double *s) {
  size_t n = (size_t)K->nbody*(size_t)K->d;
  for (int b = 0; b < K->nblock; b++) {
    for (int e = K->incadr[b]; e < K->incadr[b+1]; e++) {
      double L[36] = {0};
      cholesky(K->Minv + (size_t)K->incbody[e]*(size_t)(K->d*K->d), K->d, L);
      for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) {
        const double *J = K->J + K->jadr[e] + (r - K->rowadr[b])*K->d;
        double *g = G + (size_t)r*n + (size_t)(K->incbody[e]*K->d);
        for (int i = 0; i < K->d; i++)
          for (int j = 0; j <= i; j++) g[j] += J[i]*L[i*K->d + j];
      }
    }
  }
  for (int r = 0; r < K->nrow; r++) {
    double sum = 0, *g = G + (size_t)r*n;
    for (size_t i = 0; i < n; i++) sum += g[i]*g[i];
    s[r] = sqrt(sum);
    for (size_t i = 0; i < n && s[r] > 0; i++) g[i] /= s[r];
  }
}

/* Gram-Schmidt over the rows; G is overwritten by the orthonormal rows of the kept ones, R [nrow]
 * [nrow] gets the coefficients, kept [nrow] the list of kept rows. Returns the rank. */
static int orthogonalize(double *G, size_t n, int nrow, double tol, double *R, int *kept,
                         bool *independent, double *range) {
  int rank = 0;
  double least = 1, most = 0;
  for (int r = 0; r < nrow; r++) {
    double *g = G + (size_t)r*n, *c = R + (size_t)r*(size_t)nrow, left = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < rank; k++) {
        const double *w = G + (size_t)kept[k]*n;
        double dot = 0;
        for (size_t i = 0; i < n; i++) dot += g[i]*w[i];
        c[k] += dot;
        for (size_t i = 0; i < n; i++) g[i] -= dot*w[i];
      }
    for (size_t i = 0; i < n; i++) left += g[i]*g[i];
    left = sqrt(left);
    independent[r] = left > tol;
    if (!independent[r]) continue;
    for (size_t i = 0; i < n; i++) g[i] /= left;
    c[rank] = left;
    kept[rank++] = r;
    if (left < least) least = left;
    if (left > most) most = left;
  }
  *range = rank ? most/least : 1;
  return rank;
}

/* null vector of the dropped row d: solve sum_a t_a R_a. = R_d. backwards, then undo the scaling */
static void null_vector(const double *R, int nrow, const int *kept, int rank, int d,
                        const double *s, double *z, double *t) {
  for (int k = 0; k < rank; k++) t[k] = R[(size_t)d*(size_t)nrow + (size_t)k];
  for (int k = rank - 1; k >= 0; k--) {
    const double *row = R + (size_t)kept[k]*(size_t)nrow;
    t[k] /= row[k];
    for (int j = 0; j < k; j++) t[j] -= t[k]*row[j];
  }
  z[d] = s[d] > 0 ? 1/s[d] : 1;
  for (int k = 0; k < rank; k++) z[kept[k]] = -t[k]/s[kept[k]];
}

static void orthonormalize_columns(double *Z, int nrow, int n) {
  for (int c = 0; c < n; c++) {
    double *z = Z + (size_t)c*(size_t)nrow;
    for (int pass = 0; pass < 2; pass++) {
      double sum = 0;
      for (int k = 0; k < c; k++) {
        const double *w = Z + (size_t)k*(size_t)nrow;
        double dot = 0;
        for (int i = 0; i < nrow; i++) dot += z[i]*w[i];
        for (int i = 0; i < nrow; i++) z[i] -= dot*w[i];
      }
      for (int i = 0; i < nrow; i++) sum += z[i]*z[i];
      for (int i = 0; i < nrow; i++) z[i] /= sqrt(sum);
    }
  }
}

static tn_status dense_rank(const tni_kkt *K, double tol, tni_arena *arena, tni_arena *scratch,
                            tni_rank *out) {
  size_t n = (size_t)K->nbody*(size_t)K->d, m = (size_t)K->nrow;
  double *G, *R, *s, *t;
  int *kept;
  TNI_ARENA_NEW(scratch, G, m*n);
  TNI_ARENA_NEW(scratch, R, m*m);
  TNI_ARENA_NEW(scratch, s, m);
  TNI_ARENA_NEW(scratch, t, m);
  TNI_ARENA_NEW(scratch, kept, m);
  TNI_ARENA_NEW(arena, out->independent, m);
  TNI_ARENA_NEW(arena, out->condition, 1);
  out->nrow = K->nrow;
  fill_rows(K, G, s);
  out->rank = orthogonalize(G, n, K->nrow, tol, R, kept, out->independent, out->condition);
  out->nnull = K->nrow - out->rank;
  TNI_ARENA_NEW(arena, out->null, m*(size_t)out->nnull);
  for (int d = 0, c = 0; d < K->nrow; d++)
    if (!out->independent[d])
      null_vector(R, K->nrow, kept, out->rank, d, s, out->null + m*(size_t)c++, t);
  orthonormalize_columns(out->null, K->nrow, out->nnull);
  return TN_OK;
}

tn_status tni_kkt_rank(const tni_kkt *K, double tol, tni_arena *arena, tni_rank *out) {
  memset(out, 0, sizeof(*out));
  double pivot;
  int bad;
  if (K->nrow == 0) return all_independent(arena, 0, 1, out);
  TN_TRY(smallest_pivot(K, arena->ctx, &pivot, &bad));
  if (pivot > SAFE_PIVOT) return all_independent(arena, K->nrow, 1/sqrt(pivot), out);
  if (K->nrow > MAX_DENSE_ROWS)
    return TN_FAIL(arena->ctx, TN_ERR_UNSUPPORTED,
                   "constraint row %d depends on others or nearly so; the rank of more than %d rows "
                   "(here %d) is not analysed",
                   bad, MAX_DENSE_ROWS, K->nrow);
  tni_arena scratch;
  tni_arena_init(&scratch, arena->ctx);
  tn_status st = dense_rank(K, tol > 0 ? tol : DEFAULT_TOL, arena, &scratch, out);
  tni_arena_clear(&scratch);
  return st;
}

void tni_rank_min_norm(const tni_rank *rank, double *lambda) {
  for (int c = 0; c < rank->nnull; c++) {
    const double *z = rank->null + (size_t)c*(size_t)rank->nrow;
    double dot = 0;
    for (int i = 0; i < rank->nrow; i++) dot += z[i]*lambda[i];
    for (int i = 0; i < rank->nrow; i++) lambda[i] -= dot*z[i];
  }
}
