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

/* products are those of the maps that matrices and Euler parameters stand for, inverses undo them */
static void algebra_holds(void) {
  uint64_t seed = 5;
  for (int n = 0; n < 100; n++) {
    double A[9], B[9], C[9], D[9], R[9], I[9], S[9], a[3], b[3], x[3], y[3], p[4], q[4], pq[4];
    for (int i = 0; i < 9; i++) A[i] = check_random(&seed), B[i] = check_random(&seed);
    for (int i = 0; i < 3; i++) a[i] = check_random(&seed), b[i] = check_random(&seed);
    for (int i = 0; i < 4; i++) p[i] = check_random(&seed), q[i] = check_random(&seed);
    mat3_mul(C, A, B);
    mat3_vec(x, B, a);
    mat3_vec(x, A, x);
    mat3_vec(y, C, a);
    for (int i = 0; i < 3; i++) CHECK_WITHIN(x[i], y[i], 1e-14);
    mat3_vec(x, A, a);
    mat3_tvec(y, A, b);
    CHECK_WITHIN(vec3_dot(x, b), vec3_dot(a, y), 1e-14);
    CHECK_WITHIN(mat3_det(C), mat3_det(A)*mat3_det(B), 1e-14);
    double *T = S, one[9], two[9]; /* A^T B and A B^T by a transposed matrix */
    for (int i = 0; i < 9; i++) T[i] = A[3*(i%3) + i/3];
    mat3_mul(one, T, B);
    mat3_tmul(two, A, B);
    for (int i = 0; i < 9; i++) CHECK_WITHIN(one[i], two[i], 1e-15);
    mat3_mul(one, B, T);
    mat3_mult(two, B, A);
    for (int i = 0; i < 9; i++) CHECK_WITHIN(one[i], two[i], 1e-15);
    if (fabs(mat3_det(A)) > 0.05) {
      mat3_inverse(R, A);
      mat3_mul(I, A, R);
      for (int i = 0; i < 9; i++) CHECK_WITHIN(I[i], i % 4 == 0, 1e-12);
    }
    for (int j = 0; j < 3; j++) {
      mat3_column(x, A, j);
      for (int i = 0; i < 3; i++) CHECK(x[i] == A[3*i + j]);
    }
    mat3_columns(D, a, b, x);
    for (int i = 0; i < 3; i++) CHECK(D[3*i] == a[i] && D[3*i+1] == b[i] && D[3*i+2] == x[i]);
    mat3_skew(S, a);
    mat3_vec(x, S, b);
    vec3_cross(y, a, b);
    for (int i = 0; i < 3; i++) CHECK_WITHIN(x[i], y[i], 1e-16);
    CHECK_WITHIN(vec3_dot(y, a), 0, 1e-15);
    CHECK_WITHIN(vec3_dot(y, y), vec3_dot(a, a)*vec3_dot(b, b) - vec3_dot(a, b)*vec3_dot(a, b), 1e-14);
    /* rotations of any length of p */
    quat_mul(pq, p, q);
    quat_matrix(A, p), quat_matrix(B, q), quat_matrix(C, pq);
    mat3_mul(D, A, B);
    for (int i = 0; i < 9; i++) CHECK_WITHIN(C[i], D[i], 1e-14);
    CHECK_NEAR(mat3_det(A), 1, 1e-14);
    quat_normalize(p);
    quat_from_matrix(q, A);
    for (int i = 0; i < 4; i++) CHECK_WITHIN(q[i], p[0] < 0 ? -p[i] : p[i], 1e-14);
  }
}

/* the roots of the characteristic polynomial: trace, sum of principal minors, determinant; those of a turned diagonal are its own */
static void eigenvalues_are_roots(void) {
  uint64_t seed = 15;
  for (int n = 0; n < 100; n++) {
    double d[3], e[3], u[3], p[4], A[9], D[9] = {0}, M[9];
    for (int i = 0; i < 3; i++) d[i] = n % 4 ? check_random(&seed) : i > 0, u[i] = 2*check_random(&seed);
    quat_from_vector(p, u);
    quat_matrix(A, p);
    for (int i = 0; i < 3; i++) D[4*i] = d[i];
    mat3_mul(M, A, D);
    mat3_mult(D, M, A);
    mat3_eigenvalues(D, e);
    CHECK_WITHIN(e[0] + e[1] + e[2], d[0] + d[1] + d[2], 1e-14);
    CHECK_WITHIN(e[0]*e[1] + e[1]*e[2] + e[2]*e[0], d[0]*d[1] + d[1]*d[2] + d[2]*d[0], 1e-14);
    CHECK_WITHIN(e[0]*e[1]*e[2], d[0]*d[1]*d[2], 1e-14);
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
  RUN(algebra_holds);
  RUN(eigenvalues_are_roots);
  RUN(small_turns_equal_their_closed_form);
  return REPORT();
}
