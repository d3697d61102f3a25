/* sparse LU of the matrices of implicit methods: against dense elimination, real and complex
 * SPDX-License-Identifier: BSD-3-Clause */
#include "linsolve/saddle.h"

#include <complex.h>
#include <math.h>

#include "support/check.h"

enum { N = 6, M = 3, ALL = N + M };

/* A: tridiagonal blocks as of a chain; C: rows on two neighbours, the last twice the first */
static const int a_ptr[N + 1] = {0, 2, 5, 8, 11, 14, 16};
static const int a_col[16] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5};
static const int c_ptr[M + 1] = {0, 2, 4, 6};
static const int c_col[6] = {0, 1, 2, 5, 0, 1};
static const tni_sparsity A = {N, N, 16, a_ptr, a_col}, C = {M, N, 6, c_ptr, c_col};

static tn_ctx *ctx;

static void values(uint64_t *seed, double scale, double complex *a, double *c) {
  for (int i = 0; i < N; i++)
    for (int k = a_ptr[i]; k < a_ptr[i+1]; k++)
      a[k] = scale*(check_random(seed) + (a_col[k] == i ? 4 : 0) + 0.5*I*check_random(seed));
  for (int k = 0; k < 4; k++) c[k] = 1 + check_random(seed);
  c[4] = 2*c[0];
  c[5] = 2*c[1];
}

/* largest residual of (A C^T; C 0)(x, l) = (f, g) over the rows in use, relative to the right side */
static double residual(const double complex *a, const double *c, const bool *active,
                       const double complex *x, const double complex *b) {
  double complex r[ALL];
  double worst = 0, size = 0;
  for (int i = 0; i < ALL; i++) r[i] = -b[i];
  for (int i = 0; i < N; i++)
    for (int k = a_ptr[i]; k < a_ptr[i+1]; k++) r[i] += a[k]*x[a_col[k]];
  for (int i = 0; i < M; i++)
    for (int k = c_ptr[i]; k < c_ptr[i+1]; k++) {
      r[c_col[k]] += c[k]*x[N + i];
      r[N + i] += c[k]*x[c_col[k]];
    }
  for (int i = 0; i < ALL; i++) {
    if (i >= N && !active[i - N]) continue;
    worst = fmax(worst, cabs(r[i]));
    size = fmax(size, cabs(b[i]));
  }
  return worst/size;
}

/* of any size: the scaling takes units and the step out. A redundant row is switched off. */
static void solutions_solve_the_system(void) {
  static const bool active[M] = {true, true, false};
  uint64_t seed = 12345;
  for (int z = 0; z < 2; z++) {
    tni_saddle *s;
    CHECK_OK(ctx, tni_saddle_create(ctx, &A, &C, z, &s));
    for (double scale = 1e-6; scale < 1e7; scale *= 100) {
      double complex a[16], b[ALL], x[ALL];
      double c[6], real_a[16], real_x[ALL];
      values(&seed, scale, a, c);
      for (int i = 0; i < ALL; i++) {
        b[i] = scale*check_random(&seed) + (z ? I*scale*check_random(&seed) : 0);
        if (i >= N) b[i] /= scale;
      }
      b[ALL - 1] = 0;
      for (int k = 0; k < 16 && !z; k++) a[k] = real_a[k] = creal(a[k]);
      for (int i = 0; i < ALL; i++) x[i] = b[i], real_x[i] = creal(b[i]);
      CHECK_OK(ctx, tni_saddle_factor(s, z ? (const double *)a : real_a, c, active,
                                      TNI_SADDLE_REGULAR));
      tni_saddle_solve(s, 1, z ? (double *)x : real_x);
      for (int i = 0; i < ALL && !z; i++) x[i] = real_x[i];
      CHECK_NEAR(residual(a, c, active, x, b), 0, 1e-9);
      CHECK(cabs(x[ALL - 1]) == 0);
    }
    tni_saddle_destroy(&s);
  }
}

/* where rows are dependent without being switched off, the regular part keeps the solution finite:
 * both rows share the multiplier that one of them would have, and consistent right sides are met */
static void dependent_rows_share_their_load(void) {
  static const bool two[M] = {true, true, false};
  uint64_t seed = 99;
  double complex a[16];
  double c[6], real_a[16], x[ALL], y[ALL];
  tni_saddle *s;
  values(&seed, 1, a, c);
  for (int k = 0; k < 16; k++) real_a[k] = creal(a[k]);
  for (int i = 0; i < ALL; i++) x[i] = y[i] = check_random(&seed);
  x[ALL - 1] = y[ALL - 1] = 2*x[N];
  CHECK_OK(ctx, tni_saddle_create(ctx, &A, &C, false, &s));
  CHECK_OK(ctx, tni_saddle_factor(s, real_a, c, two, TNI_SADDLE_REGULAR));
  tni_saddle_solve(s, 1, x);
  CHECK_OK(ctx, tni_saddle_factor(s, real_a, c, NULL, TNI_SADDLE_REGULAR));
  tni_saddle_solve(s, 1, y);
  for (int i = 0; i < N; i++) CHECK_NEAR(y[i], x[i], 1e-4);
  CHECK_NEAR(y[N] + 2*y[ALL - 1], x[N], 1e-4);
  tni_saddle_destroy(&s);
}

/* soft rows: C x - s l = g with s from next to nothing to large, some rows rigid */
static void soft_rows_give_way(void) {
  static const double soft[5] = {1e-14, 1e-7, 1, 1e3, 0};
  uint64_t seed = 7;
  for (int k = 0; k < 5; k++) {
    static const bool active[M] = {true, true, false};
    double flexibility[M] = {soft[k], soft[4 - k], 0}, real_a[16], c[6], x[ALL], b[ALL], worst = 0;
    double complex a[16];
    tni_saddle *s;
    CHECK_OK(ctx, tni_saddle_create(ctx, &A, &C, false, &s));
    CHECK_OK(ctx, tni_saddle_soften(s, flexibility));
    values(&seed, 1, a, c);
    for (int i = 0; i < 16; i++) real_a[i] = creal(a[i]);
    for (int i = 0; i < ALL; i++) x[i] = b[i] = check_random(&seed);
    x[ALL - 1] = b[ALL - 1] = 0;
    CHECK_OK(ctx, tni_saddle_factor(s, real_a, c, active, 0));
    tni_saddle_solve(s, 1, x);
    for (int i = 0; i < N; i++) {
      double r = -b[i];
      for (int j = a_ptr[i]; j < a_ptr[i+1]; j++) r += real_a[j]*x[a_col[j]];
      for (int row = 0; row < 2; row++)
        for (int j = c_ptr[row]; j < c_ptr[row+1]; j++)
          if (c_col[j] == i) r += c[j]*x[N + row];
      worst = fmax(worst, fabs(r));
    }
    for (int row = 0; row < 2; row++) {
      double r = -b[N + row] - flexibility[row]*x[N + row];
      for (int j = c_ptr[row]; j < c_ptr[row+1]; j++) r += c[j]*x[c_col[j]];
      worst = fmax(worst, fabs(r));
    }
    CHECK_NEAR(worst, 0, 1e-13);
    tni_saddle_destroy(&s);
  }
}

static void zero_matrix_is_singular(void) {
  double a[16] = {0}, c[6] = {0};
  tni_saddle *s;
  CHECK_OK(ctx, tni_saddle_create(ctx, &A, &C, false, &s));
  CHECK(tni_saddle_factor(s, a, c, NULL, TNI_SADDLE_REGULAR) == TN_SINGULAR);
  tni_saddle_destroy(&s);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(solutions_solve_the_system);
  RUN(dependent_rows_share_their_load);
  RUN(soft_rows_give_way);
  RUN(zero_matrix_is_singular);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
