/* tables: values, derivatives, integrals, shape, order
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/table.h"
#include "support/check.h"

static tn_ctx *ctx;
static tni_arena arena;

enum { N = 8 };
static const double px[N] = {-1, -0.4, 0, 0.7, 1, 2.5, 3, 4};
static const double py[N] = {2, 1, 1.5, -0.5, -1, 3, 3, 2.2};
static const tni_table_kind kinds[] = {TNI_TABLE_LINEAR, TNI_TABLE_MONOTONE, TNI_TABLE_NATURAL};

static const tni_table *make(tni_table_kind kind, tni_table_extend extend, int n, const double *x,
                             const double *y) {
  const tni_table *t;
  CHECK_OK(ctx, tni_table_create(&arena, kind, extend, n, x, y, &t));
  return t;
}

static void all_kinds_pass_through_the_points(void) {
  for (int k = 0; k < 3; k++) {
    const tni_table *t = make(kinds[k], TNI_EXTEND_LINEAR, N, px, py);
    for (int i = 0; i < N; i++) CHECK_NEAR(tni_table_eval(t, px[i], 0), py[i], 1e-15);
  }
}

/* central differences of a cubic: exact for f' to h^2 f'''/6 */
static void derivatives_and_integral_match_differences(void) {
  uint64_t seed = 11;
  for (int k = 0; k < 3; k++) {
    tni_table_extend extend = k == 1 ? TNI_EXTEND_CONSTANT : TNI_EXTEND_LINEAR;
    const tni_table *t = make(kinds[k], extend, N, px, py);
    for (int n = 0; n < 300; n++) {
      double x = 1.5 + 3.5*check_random(&seed), h = 1e-5;
      bool near = false;
      for (int i = 0; i < N; i++) near = near || fabs(x - px[i]) < 2*h;
      if (near) continue;
      for (int order = 0; order < 3; order++) {
        double d = (tni_table_eval(t, x + h, order) - tni_table_eval(t, x - h, order))/(2*h);
        CHECK_WITHIN(tni_table_eval(t, x, order + 1), d, 2e-8);
      }
      double d = (tni_table_integral(t, x + h) - tni_table_integral(t, x - h))/(2*h);
      CHECK_WITHIN(tni_table_eval(t, x, 0), d, 2e-8);
    }
  }
}

/* jump of a derivative across an interior point, and across the ends */
static double jump(const tni_table *t, double x, int order) {
  double h = 1e-9;
  return tni_table_eval(t, x + h, order) - tni_table_eval(t, x - h, order);
}

static void smoothness_is_as_promised(void) {
  const tni_table *monotone = make(TNI_TABLE_MONOTONE, TNI_EXTEND_LINEAR, N, px, py);
  const tni_table *natural = make(TNI_TABLE_NATURAL, TNI_EXTEND_LINEAR, N, px, py);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(jump(monotone, px[i], 0), 0, 1e-7);
    CHECK_NEAR(jump(monotone, px[i], 1), 0, 1e-6);
    for (int order = 0; order < 3; order++) CHECK_NEAR(jump(natural, px[i], order), 0, 1e-6);
  }
  CHECK_NEAR(tni_table_eval(natural, px[0], 2), 0, 1e-13);
  CHECK_NEAR(tni_table_eval(natural, px[N-1], 2), 0, 1e-13);
}

/* between two points the monotone cubic never leaves their range, and never turns */
static void check_shape(int n, const double *x, const double *y) {
  const tni_table *t = make(TNI_TABLE_MONOTONE, TNI_EXTEND_LINEAR, n, x, y);
  for (int i = 0; i < n - 1; i++) {
    double rise = y[i+1] - y[i], h = x[i+1] - x[i];
    for (int k = 1; k < 50; k++) {
      double at = x[i] + h*k/50, slope = tni_table_eval(t, at, 1);
      CHECK(slope*rise >= -1e-14*rise*rise/h);
      if (rise == 0) CHECK_NEAR(tni_table_eval(t, at, 0), y[i], 1e-15);
    }
  }
}

static void monotone_cubic_keeps_the_shape(void) {
  check_shape(N, px, py);
  uint64_t seed = 17;
  for (int n = 0; n < 100; n++) { /* steep neighbours of flat pieces tempt it to overshoot */
    double x[5] = {0}, y[5] = {0};
    for (int k = 1; k < 5; k++) {
      x[k] = x[k-1] + 0.01 + fabs(check_random(&seed));
      y[k] = y[k-1] + pow(check_random(&seed), 5);
    }
    check_shape(5, x, y);
  }
  /* the published mean: 1/s = a/m0 + (1-a)/m1, a = (1 + h1/(h0 + h1))/3 = 5/9 here */
  const double x[3] = {0, 1, 3}, y[3] = {0, 1, 2};
  const tni_table *t = make(TNI_TABLE_MONOTONE, TNI_EXTEND_LINEAR, 3, x, y);
  CHECK_NEAR(tni_table_eval(t, 1, 1), 1/(5/9. + 4/9./0.5), 1e-15);
}

static void ends_extend_as_asked(void) {
  for (int k = 0; k < 3; k++) {
    const tni_table *on = make(kinds[k], TNI_EXTEND_LINEAR, N, px, py);
    const tni_table *flat = make(kinds[k], TNI_EXTEND_CONSTANT, N, px, py);
    double s0 = tni_table_eval(on, px[0], 1), s1 = tni_table_eval(on, px[N-1], 1);
    CHECK_NEAR(tni_table_eval(on, -3, 0), 2 - 2*s0, 1e-14);
    CHECK_NEAR(tni_table_eval(on, 6, 0), 2.2 + 2*s1, 1e-14);
    CHECK_NEAR(tni_table_eval(flat, -3, 0), 2, 0);
    CHECK_NEAR(tni_table_eval(flat, 6, 0), 2.2, 0);
    CHECK_NEAR(tni_table_eval(flat, 6, 1), 0, 0);
    CHECK_NEAR(tni_table_integral(flat, -3), -4, 1e-14);
    CHECK_NEAR(tni_table_integral(flat, 6) - tni_table_integral(flat, 4), 4.4, 1e-14);
    CHECK_NEAR(tni_table_integral(on, -3), -4 + 2*s0, 1e-14);
    CHECK(isnan(tni_table_eval(on, NAN, 0)));
  }
}

static void integrals_match_closed_forms(void) {
  const tni_table *t = make(TNI_TABLE_LINEAR, TNI_EXTEND_LINEAR, N, px, py);
  double sum = 0;
  for (int i = 0; i < N - 1; i++) sum += 0.5*(px[i+1] - px[i])*(py[i] + py[i+1]);
  CHECK_NEAR(tni_table_integral(t, px[N-1]), sum, 1e-15);
  CHECK_NEAR(tni_table_integral(t, px[0]), 0, 0);
  /* natural spline through (0,0) (1,1) (2,0): y = 3/2 x - x^3/2 on the first piece */
  const double x[3] = {0, 1, 2}, y[3] = {0, 1, 0};
  t = make(TNI_TABLE_NATURAL, TNI_EXTEND_LINEAR, 3, x, y);
  CHECK_NEAR(tni_table_integral(t, 0.5), 0.1875 - 0.0078125, 1e-15);
  CHECK_NEAR(tni_table_integral(t, 2), 1.25, 1e-15);
  for (int k = 0; k < 3; k++) { /* straight data stay straight */
    double line[N];
    for (int i = 0; i < N; i++) line[i] = 3 - 2*px[i];
    t = make(kinds[k], TNI_EXTEND_LINEAR, N, px, line);
    for (double s = -2; s < 6; s += 0.37) {
      CHECK_NEAR(tni_table_eval(t, s, 0), 3 - 2*s, 1e-14);
      CHECK_NEAR(tni_table_integral(t, s), 3*(s + 1) - s*s + 1, 1e-13);
    }
  }
}

/* worst error of sin on [0, 2 pi], where its curvature vanishes at the ends */
static double sine_error(tni_table_kind kind, int n) {
  double x[129], y[129], worst = 0, period = 8*atan(1);
  for (int i = 0; i <= n; i++) {
    x[i] = period*i/n;
    y[i] = sin(x[i]);
  }
  const tni_table *t = make(kind, TNI_EXTEND_LINEAR, n + 1, x, y);
  for (double s = 0.001; s < period; s += 0.003)
    worst = fmax(worst, fabs(tni_table_eval(t, s, 0) - sin(s)));
  return worst;
}

static void errors_fall_with_the_known_order(void) {
  CHECK_NEAR(log2(sine_error(TNI_TABLE_LINEAR, 64)/sine_error(TNI_TABLE_LINEAR, 128)), 2, 0.02);
  CHECK_NEAR(log2(sine_error(TNI_TABLE_NATURAL, 64)/sine_error(TNI_TABLE_NATURAL, 128)), 4, 0.02);
  /* second order at the extrema, which it flattens */
  CHECK(log2(sine_error(TNI_TABLE_MONOTONE, 64)/sine_error(TNI_TABLE_MONOTONE, 128)) > 1.9);
}

/* slopes of a periodic spline: the jump of its second derivative vanishes around the period */
static void periodic_slopes_close(void) {
  double slope[N-1], work[2*N], c0[4], c1[4];
  tni_spline_periodic(N - 1, px, py, slope, work);
  for (int k = 0; k < N - 1; k++) {
    int next = (k + 1) % (N - 1), after = (k + 2) % (N - 1);
    double h0 = px[k+1] - px[k], h1 = px[next+1] - px[next];
    tni_hermite(c0, h0, py[k], py[next], slope[k], slope[next]);
    tni_hermite(c1, h1, py[next], py[after], slope[next], slope[after]);
    CHECK_NEAR(2*c0[2] + 6*c0[3]*h0, 2*c1[2], 1e-12);
    CHECK_NEAR(c0[0] + h0*(c0[1] + h0*(c0[2] + h0*c0[3])), py[next], 1e-14);
  }
}

static void bad_points_are_named(void) {
  const tni_table *t;
  const double x[3] = {0, 1, 1}, y[3] = {0, NAN, 2};
  CHECK(tni_table_create(&arena, TNI_TABLE_LINEAR, TNI_EXTEND_LINEAR, 1, x, x, &t) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "a table of 1 points; it needs at least 2");
  CHECK(tni_table_create(&arena, TNI_TABLE_LINEAR, TNI_EXTEND_LINEAR, 3, x, x, &t) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "x of the table must increase, but point 3 has 1 after 1");
  CHECK(tni_table_create(&arena, TNI_TABLE_LINEAR, TNI_EXTEND_LINEAR, 3, x, y, &t) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx),
             "point 2 of the table is (1, nan); both must be finite numbers");
  const double endless[2] = {-INFINITY, 1};
  CHECK(tni_table_create(&arena, TNI_TABLE_LINEAR, TNI_EXTEND_LINEAR, 2, endless, x, &t) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "point 1 of the table is (-inf, 0); both must be finite numbers");
  CHECK(t == NULL);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  tni_arena_init(&arena, ctx);
  RUN(all_kinds_pass_through_the_points);
  RUN(derivatives_and_integral_match_differences);
  RUN(smoothness_is_as_promised);
  RUN(monotone_cubic_keeps_the_shape);
  RUN(ends_extend_as_asked);
  RUN(integrals_match_closed_forms);
  RUN(errors_fall_with_the_known_order);
  RUN(periodic_slopes_close);
  RUN(bad_points_are_named);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
