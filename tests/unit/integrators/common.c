/* sizes of coordinates, error norm, last step
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/common.h"

#include "fake.h"

static tn_ctx *ctx;

static void sizes(const fake *f, const double *q, double *size) {
  tni_arena arena;
  tni_scale sc;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_scale_create(&arena, &f->s, &sc));
  tni_scale_size(&sc, q, size);
  tni_arena_clear(&arena);
}

/* translations are as large as their coordinate, rotations as the Euler parameters */
static void rotations_have_size_one(void) {
  fake f = fake_body(ctx);
  double q[7] = {-3, 0.5, 0, 0.1, 0.7, -0.7, 0.1}, size[6];
  sizes(&f, q, size);
  CHECK_NEAR(size[0], 3, 0);
  CHECK_NEAR(size[1], 0.5, 0);
  CHECK_NEAR(size[2], 0, 0);
  for (int j = 3; j < 6; j++) CHECK_NEAR(size[j], 1, 0);
}

/* planar body kept in spatial coordinates: one rotation moves two of the four parameters */
static void planar_rotation_has_size_one(void) {
  fake f = fake_make(ctx, &body_ops, 7, 3, 0);
  double q[7] = {2, -4, 9, 0.6, 0, 0, 0.8}, size[3];
  sizes(&f, q, size);
  CHECK_NEAR(size[0], 2, 0);
  CHECK_NEAR(size[1], 4, 0);
  CHECK_NEAR(size[2], 1, 1e-15);
}

/* many coordinates, each found by its own velocity */
static void every_component_finds_its_coordinate(void) {
  static double q[1000], size[1000];
  for (int n = 1; n <= 1000; n = n < 5 ? n + 1 : 3*n - 1) {
    fake f = fake_make(ctx, &oscillator_ops, n, n, 0);
    for (int i = 0; i < n; i++) q[i] = -1.0 - i;
    sizes(&f, q, size);
    for (int i = 0; i < n; i++) CHECK_NEAR(size[i], 1.0 + i, 0);
  }
}

/* an error of exactly the tolerance in every component has norm 1, and the worst is named */
static void tolerance_has_norm_one(void) {
  double size0[2] = {1, 0}, size1[2] = {3, 0}, v0[2] = {-2, 1}, v1[2] = {1, 5};
  double dx[2] = {0.1 + 0.3, 0.1}, dv[2] = {0.1 + 0.2, 0.1 + 0.5};
  tni_norm w = {.rtol = 0.1, .atol = 0.1, .rtol_v = 0.1, .atol_v = 0.1, .size0 = size0, .v0 = v0,
                .size1 = size1, .v1 = v1};
  int worst;
  CHECK_NEAR(tni_norm_error(&w, 2, dx, dv, &worst), 1, 1e-15);
  dv[1] *= 2;
  tni_norm_error(&w, 2, dx, dv, &worst);
  CHECK_INT(worst, 1);
}

/* steps to the end: stretched a little, cut in two rather than leaving a crumb, else untouched */
static void last_steps_leave_no_crumb(void) {
  CHECK_NEAR(tni_last_step(1, 5, false), 1, 0);
  CHECK_NEAR(tni_last_step(1, 1.005, false), 1.005, 0);
  CHECK_NEAR(tni_last_step(1, 1.1, false), 0.55, 0);
  CHECK_NEAR(tni_last_step(1, 0.3, false), 0.3, 0);
  CHECK_NEAR(tni_last_step(1, 1.1, true), 1, 0);
  CHECK_NEAR(tni_last_step(1, 1 + 1e-12, true), 1 + 1e-12, 0);
}

/* an error within the tolerance is no reason to stop: what else did not work is told */
static void stopping_within_the_tolerance_is_not_blamed_on_the_error(void) {
  fake f = fake_body(ctx);
  tni_integrator_type explicit = {.name = "some"}, implicit = {.name = "some", .needs_tangent = true};
  tni_integrator it = {.ctx = ctx, .s = &f.s, .type = &explicit};
  tni_cause large = {TNI_CAUSE_ERROR, 1, 3}, small = {TNI_CAUSE_ERROR, 1, 0.398};
  CHECK_INT(tni_no_progress(&it, 0.5, 1e-12, &large), TN_NO_PROGRESS);
  CHECK(strstr(tn_ctx_message(ctx), "3 times the tolerance") != NULL);
  CHECK_INT(tni_no_progress(&it, 0.5, 1e-12, &small), TN_NO_PROGRESS);
  CHECK(strstr(tn_ctx_message(ctx), "times the tolerance") == NULL);
  CHECK(strstr(tn_ctx_message(ctx), "across the constraints") != NULL);
  it.type = &implicit;
  CHECK_INT(tni_no_progress(&it, 0.5, 1e-12, &small), TN_NO_PROGRESS);
  CHECK(strstr(tn_ctx_message(ctx), "Newton's iteration does not converge") != NULL);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(rotations_have_size_one);
  RUN(planar_rotation_has_size_one);
  RUN(every_component_finds_its_coordinate);
  RUN(tolerance_has_norm_one);
  RUN(last_steps_leave_no_crumb);
  RUN(stopping_within_the_tolerance_is_not_blamed_on_the_error);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
