/* rotations: matrix, Euler parameters and rotation vectors agree
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/vec.h"
#include "support/check.h"

static void conversions_are_inverse(void) {
  uint64_t seed = 7;
  for (int n = 0; n < 200; n++) {
    double u[3], p[4], A[9], p2[4], u2[3], I[9];
    for (int i = 0; i < 3; i++) u[i] = 1.7*check_random(&seed);
    quat_from_vector(p, u);
    quat_matrix(A, p);
    mat3_tmul(I, A, A);
    for (int i = 0; i < 9; i++) CHECK_NEAR(I[i], i % 4 == 0, 1e-14);
    quat_from_matrix(p2, A);
    for (int i = 0; i < 4; i++) CHECK_NEAR(p2[i], p[i], 1e-14);
    quat_to_vector(u2, p);
    for (int i = 0; i < 3; i++) CHECK_NEAR(u2[i], u[i], 1e-13);
  }
}

/* A(p(t)) with dp/dt from body angular velocity w satisfies dA/dt = A ~w */
static void rate_matches_angular_velocity(void) {
  uint64_t seed = 3;
  double p[4], w[3], u[3], pd[4], A0[9], A1[9], W[9], AW[9];
  for (int i = 0; i < 3; i++) {
    u[i] = check_random(&seed);
    w[i] = check_random(&seed);
  }
  quat_from_vector(p, u);
  quat_rate(pd, p, w);
  double h = 1e-6, pa[4], pb[4];
  for (int i = 0; i < 4; i++) {
    pa[i] = p[i] - h*pd[i];
    pb[i] = p[i] + h*pd[i];
  }
  quat_matrix(A0, pa);
  quat_matrix(A1, pb);
  double A[9];
  quat_matrix(A, p);
  mat3_skew(W, w);
  mat3_mul(AW, A, W);
  for (int i = 0; i < 9; i++) CHECK_NEAR((A1[i] - A0[i])/(2*h), AW[i], 1e-9);
}

static void perpendicular_is_perpendicular(void) {
  uint64_t seed = 9;
  for (int n = 0; n < 100; n++) {
    double a[3] = {check_random(&seed), check_random(&seed), check_random(&seed)}, b[3];
    vec3_normalize(a, a);
    vec3_perpendicular(b, a);
    CHECK_NEAR(vec3_dot(a, b), 0, 1e-15);
    CHECK_NEAR(vec3_norm(b), 1, 1e-15);
  }
}

/* the series near 0 join the functions that they stand for without a step */
static void small_turns_equal_their_closed_form(void) {
  for (double angle = 1e-12; angle < 0.6; angle = angle < 1e-2 ? 10*angle : angle + 0.0123) {
    double axis[3] = {2.0/3, -1.0/3, 2.0/3}, u[3], p[4], back[3];
    vec3_scale(u, angle, axis);
    quat_from_vector(p, u);
    CHECK_NEAR(p[0], cos(0.5*angle), 2e-16);
    for (int i = 0; i < 3; i++)
      CHECK(fabs(p[i+1] - sin(0.5*angle)*axis[i]) <= 5e-16*sin(0.5*angle));
    quat_to_vector(back, p);
    for (int i = 0; i < 3; i++) CHECK(fabs(back[i] - u[i]) <= 2e-15*angle);
    for (int i = 0; i < 4; i++) p[i] = -p[i];
    quat_to_vector(back, p);
    for (int i = 0; i < 3; i++) CHECK(fabs(back[i] - u[i]) <= 2e-15*angle);
  }
}

int main(void) {
  RUN(conversions_are_inverse);
  RUN(rate_matches_angular_velocity);
  RUN(perpendicular_is_perpendicular);
  RUN(small_turns_equal_their_closed_form);
  return REPORT();
}
