/* tests/unit/linsolve/krylov.c - eigenvalues from products: known spectra, multiplicities, pairs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/krylov.h"

#include <math.h>
#include <tenon/tenon.h>

#include "support/check.h"

enum { N = 60 };

static tn_ctx *ctx;

static double spectrum[N];

static void by_diagonal(void *user, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < N; i++) y[i] = spectrum[i]*x[i];
}

/* an inner product in which the diagonal operator is symmetric too */
static void by_weights(void *user, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < N; i++) y[i] = (1 + i % 7)*x[i];
}

/* positive, negative and multiple eigenvalues: all found, sorted by size, vectors of unit length */
static void multiple_eigenvalues_are_all_found(void) {
  for (int i = 0; i < N; i++) spectrum[i] = 1.0/(10 + i);
  for (int i = 0; i < 5; i++) spectrum[i] = 3; /* more often than there are vectors in the block */
  spectrum[5] = -2;
  spectrum[6] = spectrum[7] = -1;
  tni_krylov_opts o = {.n = N, .apply = by_diagonal, .weigh = by_weights, .symmetric = true, .want = 8,
                       .block = 2, .most = N, .tolerance = 1e-10};
  tni_arena arena;
  tni_krylov k;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_krylov_eigen(&arena, &o, &k));
  CHECK_NEAR(k.re[0], 3, 1e-12);
  CHECK_NEAR(k.re[1], 3, 1e-12);
  int threes = 0, twos = 0, ones = 0;
  for (int i = 0; i < k.nvalue; i++) {
    threes += fabs(k.re[i] - 3) < 1e-10;
    twos += fabs(k.re[i] + 2) < 1e-10;
    ones += fabs(k.re[i] + 1) < 1e-10;
  }
  CHECK_INT(twos, 1);
  CHECK_INT(ones, 2);
  CHECK(threes >= 2 && threes <= 5);
  for (int i = 0; i < k.nvector; i++) {
    double y[N], off = 0, sum = 0;
    const double *x = k.vector + i*N;
    by_weights(NULL, x, y);
    for (int j = 0; j < N; j++) {
      sum += x[j]*y[j];
      off = fmax(off, fabs(spectrum[j]*x[j] - k.re[i]*x[j]));
    }
    CHECK_NEAR(sum, 1, 1e-12);
    CHECK(off <= 1e-9);
  }
  tni_arena_clear(&arena);
}

/* an operator of small rank: the space maps into itself early, and what is left of it is found in a
 * second one */
static void a_space_that_is_exhausted_is_begun_anew(void) {
  for (int i = 0; i < N; i++) spectrum[i] = i < 6 ? 2 : 0;
  tni_krylov_opts o = {.n = N, .apply = by_diagonal, .weigh = by_weights, .symmetric = true, .want = 6,
                       .block = 2, .most = 6, .tolerance = 1e-10};
  tni_arena arena;
  tni_krylov k;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_krylov_eigen(&arena, &o, &k));
  CHECK_INT(k.nvalue, 6);
  for (int i = 0; i < k.nvalue; i++) CHECK_NEAR(k.re[i], 2, 1e-12);
  tni_arena_clear(&arena);
}

/* blocks (a, -b; b, a) on the diagonal: pairs a +- i b with their planes */
static void by_rotations(void *user, const double *x, double *y) {
  (void)user;
  for (int i = 0; i < N; i += 2) {
    double a = 0.2 + 0.01*i, b = 1.0/(1 + i);
    y[i] = a*x[i] - b*x[i+1];
    y[i+1] = b*x[i] + a*x[i+1];
  }
}

static void pairs_of_a_general_operator_are_found(void) {
  tni_krylov_opts o = {.n = N, .apply = by_rotations, .weigh = by_weights, .want = 6, .block = 2,
                       .most = N, .tolerance = 1e-10};
  tni_arena arena;
  tni_krylov k;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_krylov_eigen(&arena, &o, &k));
  CHECK(k.nexact >= 6);
  CHECK_NEAR(hypot(k.re[0], k.im[0]), hypot(0.2, 1), 1e-10); /* i = 0 is the largest */
  CHECK_NEAR(k.re[0], 0.2, 1e-10);
  CHECK_NEAR(k.im[0], 1, 1e-10);
  CHECK_NEAR(k.im[1], -1, 1e-10);
  /* Op (x + i y) = theta (x + i y) */
  double u[N], v[N];
  const double *x = k.vector, *y = k.vector + N;
  by_rotations(NULL, x, u);
  by_rotations(NULL, y, v);
  for (int i = 0; i < N; i++) {
    CHECK_WITHIN(u[i], k.re[0]*x[i] - k.im[0]*y[i], 1e-9);
    CHECK_WITHIN(v[i], k.im[0]*x[i] + k.re[0]*y[i], 1e-9);
  }
  tni_arena_clear(&arena);
}

int main(void) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  RUN(multiple_eigenvalues_are_all_found);
  RUN(a_space_that_is_exhausted_is_begun_anew);
  RUN(pairs_of_a_general_operator_are_found);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
