/* linsolve/rank.c - which rows of C are independent, and the multipliers that do nothing
 *
 * Rows are taken in the metric of kinetic energy with every body of mass 1, g_r = (C W^-1/2)_r, scaled
 * to length 1. (Whether rows depend on each other has nothing to do with the masses, and a light body
 * between heavy ones would make rows of different joints nearly parallel in the metric of M.) The
 * residual of a row after removing its part in the span of the rows kept before it is the sine of
 * its angle to that span; below tol the row is dependent. Modified Gram-Schmidt, twice, keeps the
 * first rows of a dependent set and names the later ones; a row at a small angle waits until all
 * others have been taken, and of those that wait the farthest one is taken next.
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
/* sine below which a row waits: rank is not to be judged by the angles to such rows */
static const double GOOD_SINE = 1e-3;
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

/* rows of C W^-1/2 into G [nrow][n], scaled to length 1; s [nrow] their lengths */
static void fill_rows(const tni_kkt *K, double *G, double *s) {
  size_t n = (size_t)K->nbody*(size_t)K->d;
  for (int b = 0; b < K->nblock; b++) {
    for (int e = K->incadr[b]; e < K->incadr[b+1]; e++) {
      double L[36] = {0}, A[36];
      const double *Minv = K->Minv + (size_t)K->incbody[e]*(size_t)(K->d*K->d);
      for (int i = 0; i < K->d*K->d; i++) A[i] = Minv[i]/Minv[0];
      cholesky(A, K->d, L);
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

typedef struct {
  double *G;         /* [nrow][n] rows of length 1; kept ones become orthonormal           */
  double *R;         /* [nrow][nrow] coefficients of a row by the kept ones in their order */
  int *kept, rank;   /* rows in the order they were taken                                  */
  int *against;      /* [nrow] how many of the kept ones have been taken out of a row      */
  double least, most;
  size_t n;
  int nrow;
} basis;

/* take the part in the span of the kept rows out of row r; length of what is left */
static double reduce_row(basis *b, int r) {
  double *g = b->G + (size_t)r*b->n, *c = b->R + (size_t)r*(size_t)b->nrow, left = 0;
  /* what was taken out before comes back by rounding only, which the second pass removes */
  for (int pass = 0; pass < 2; pass++)
    for (int k = pass == 0 ? b->against[r] : 0; k < b->rank; k++) {
      const double *w = b->G + (size_t)b->kept[k]*b->n;
      double dot = 0;
      for (size_t i = 0; i < b->n; i++) dot += g[i]*w[i];
      c[k] += dot;
      for (size_t i = 0; i < b->n; i++) g[i] -= dot*w[i];
    }
  b->against[r] = b->rank;
  for (size_t i = 0; i < b->n; i++) left += g[i]*g[i];
  return sqrt(left);
}

static void keep_row(basis *b, int r, double left) {
  double *g = b->G + (size_t)r*b->n;
  for (size_t i = 0; i < b->n; i++) g[i] /= left;
  b->R[(size_t)r*(size_t)b->nrow + (size_t)b->rank] = left;
  b->kept[b->rank++] = r;
  b->least = fmin(b->least, left);
  b->most = fmax(b->most, left);
}

/* Rows at good angles in their order, then the farthest of the others, until all that is left is
 * below tol. waiting [nrow] is scratch: rows not decided yet. */
static void orthogonalize(basis *b, double tol, bool *waiting, bool *independent) {
  for (int r = 0; r < b->nrow; r++) {
    double left = reduce_row(b, r);
    independent[r] = left > GOOD_SINE;
    waiting[r] = !independent[r] && left > tol;
    if (independent[r]) keep_row(b, r, left);
  }
  for (;;) {
    int best = -1;
    double most = tol;
    for (int r = 0; r < b->nrow; r++) {
      if (!waiting[r]) continue;
      double left = reduce_row(b, r);
      waiting[r] = left > tol;
      if (left > most) most = left, best = r;
    }
    if (best < 0) break;
    waiting[best] = false;
    independent[best] = true;
    keep_row(b, best, most);
  }
  /* coefficients by the rows that were kept later */
  for (int r = 0; r < b->nrow; r++)
    if (!independent[r]) reduce_row(b, r);
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
  double *s, *t;
  bool *waiting;
  basis b = {.n = n, .nrow = K->nrow, .least = 1};
  TNI_ARENA_NEW(scratch, b.G, m*n);
  TNI_ARENA_NEW(scratch, b.R, m*m);
  TNI_ARENA_NEW(scratch, b.kept, m);
  TNI_ARENA_NEW(scratch, b.against, m);
  TNI_ARENA_NEW(scratch, waiting, m);
  TNI_ARENA_NEW(scratch, s, m);
  TNI_ARENA_NEW(scratch, t, m);
  TNI_ARENA_NEW(arena, out->independent, m);
  TNI_ARENA_NEW(arena, out->condition, 1);
  out->nrow = K->nrow;
  fill_rows(K, b.G, s);
  orthogonalize(&b, tol, waiting, out->independent);
  out->rank = b.rank;
  *out->condition = b.rank ? b.most/b.least : 1;
  out->nnull = K->nrow - out->rank;
  TNI_ARENA_NEW(arena, out->null, m*(size_t)out->nnull);
  for (int d = 0, c = 0; d < K->nrow; d++)
    if (!out->independent[d])
      null_vector(b.R, K->nrow, b.kept, out->rank, d, s, out->null + m*(size_t)c++, t);
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

/* row i goes, the dropped row of place a comes; other dropped rows are written by the new ones */
static void exchange(int nrow, int n, double *W, int a, int i, int came) {
  double *wa = W + (size_t)a*(size_t)nrow, pivot = wa[i];
  for (int k = 0; k < nrow; k++) wa[k] = -wa[k]/pivot;
  wa[came] = 1/pivot;
  wa[i] = 0;
  for (int b = 0; b < n; b++) {
    double *wb = W + (size_t)b*(size_t)nrow, x = wb[i];
    if (b == a || x == 0) continue;
    wb[i] = 0;
    for (int k = 0; k < nrow; k++) wb[k] += x*wa[k];
  }
}

int tni_rank_exchange(int nrow, int n, const double *size, const bool *kind, double *W, int *dropped,
                      bool *independent) {
  static const double limit = 4; /* nearer to 1 rows never settle, far above they near dependence */
  int count = 0;
  for (int most = 4*(nrow + n); count < most; count++) {
    int place = -1, row = -1;
    double largest = limit;
    for (int a = 0; a < n; a++) {
      const double *w = W + (size_t)a*(size_t)nrow;
      int d = dropped[a];
      for (int i = 0; i < nrow; i++) {
        if (!independent[i] || (kind && kind[d] && !kind[i])) continue;
        if (!(fabs(w[i])*size[i] > largest*size[d])) continue;
        largest = fabs(w[i])*size[i]/size[d];
        place = a;
        row = i;
      }
    }
    if (place < 0) break;
    int came = dropped[place];
    exchange(nrow, n, W, place, row, came);
    independent[came] = true;
    independent[row] = false;
    dropped[place] = row;
  }
  return count;
}
