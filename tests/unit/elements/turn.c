/* turn: functions of a rotation vector against their definitions and differences
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/turn.h"

#include "support/check.h"

static uint64_t seed = 88172645463325252u;

static void random_vector(double x[3], double size) {
  for (int i = 0; i < 3; i++) x[i] = size*check_random(&seed);
}

static void rotation(double R[9], const double psi[3]) {
  double e[4];
  quat_from_vector(e, psi);
  quat_matrix(R, e);
}

/* sizes from where series begin to where they end */
static const double sizes[] = {0, 1e-9, 1e-4, 0.1, 0.36, 0.37, 1, 1.8};

static void exp_turns_back(void) {
  for (size_t n = 0; n < sizeof(sizes)/sizeof(sizes[0]); n++) {
    double psi[3], y[3], R[9], want[3], got[3];
    random_vector(psi, sizes[n]);
    random_vector(y, 1);
    rotation(R, psi);
    mat3_tvec(want, R, y);
    tni_turn t = tni_turn_exp(psi);
    tni_turn_apply(got, &t, psi, y);
    for (int i = 0; i < 3; i++) CHECK_NEAR(got[i], want[i], 1e-15);
  }
}

/* J_r(psi) dpsi is the rotation vector of R(psi)^T R(psi + dpsi) */
static void tangent_is_the_derivative_of_the_rotation(void) {
  for (size_t n = 0; n < sizeof(sizes)/sizeof(sizes[0]); n++) {
    double psi[3], d[3], a[3], b[3], Ra[9], Rb[9], R[9], e[4], u[3], got[3];
    const double h = 1e-5;
    random_vector(psi, sizes[n]);
    random_vector(d, 1);
    for (int i = 0; i < 3; i++) a[i] = psi[i] - h*d[i], b[i] = psi[i] + h*d[i];
    rotation(Ra, a);
    rotation(Rb, b);
    mat3_tmul(R, Ra, Rb);
    quat_from_matrix(e, R);
    quat_to_vector(u, e);
    tni_turn t = tni_turn_tangent(psi);
    tni_turn_apply(got, &t, psi, d);
    for (int i = 0; i < 3; i++) CHECK_NEAR(got[i], u[i]/(2*h), 2e-9);
  }
}

static void inverse_undoes_the_tangent(void) {
  for (size_t n = 0; n < sizeof(sizes)/sizeof(sizes[0]); n++) {
    double psi[3], y[3], x[3], got[3];
    random_vector(psi, sizes[n]);
    random_vector(y, 1);
    tni_turn t = tni_turn_tangent(psi), inv = tni_turn_inverse(psi);
    tni_turn_apply(x, &t, psi, y);
    tni_turn_apply(got, &inv, psi, x);
    for (int i = 0; i < 3; i++) CHECK_NEAR(got[i], y[i], 1e-14);
  }
}

/* all derivatives of one form at one place against central differences */
static void derivatives_hold(tni_turn (*form)(const double *), double size) {
  const double h = 1e-5;
  double psi[3], y[3], n[3], M[9], P[9], g[3], H[9], X[9];
  random_vector(psi, size);
  random_vector(y, 1);
  random_vector(n, 1);
  tni_turn t = form(psi);
  tni_turn_matrix(M, &t, psi);
  tni_turn_by_psi(P, &t, psi, y);
  tni_turn_gradient(g, &t, psi, y, n);
  tni_turn_hessian(H, X, &t, psi, y, n);
  for (int j = 0; j < 3; j++) {
    double side[2][3], grad[2][3], by_y[2][3], gy[2][3];
    for (int s = 0; s < 2; s++) {
      double p[3], z[3];
      vec3_copy(p, psi);
      vec3_copy(z, y);
      p[j] += s ? h : -h;
      tni_turn tp = form(p);
      tni_turn_apply(side[s], &tp, p, y);
      tni_turn_gradient(grad[s], &tp, p, y, n);
      z[j] += s ? h : -h;
      tni_turn_apply(by_y[s], &t, psi, z);
      tni_turn_gradient(gy[s], &t, psi, z, n);
    }
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      CHECK_WITHIN(P[3*i+j], (side[1][i] - side[0][i])/(2*h), 1e-9);
      CHECK_WITHIN(M[3*i+j], (by_y[1][i] - by_y[0][i])/(2*h), 1e-9);
      CHECK_NEAR(H[3*i+j], (grad[1][i] - grad[0][i])/(2*h), 1e-9);
      CHECK_WITHIN(X[3*i+j], (gy[1][i] - gy[0][i])/(2*h), 1e-9);
      sum += n[i]*P[3*i+j];
    }
    CHECK_WITHIN(g[j], sum, 1e-14);
  }
}

static void derivatives_match_differences(void) {
  for (size_t n = 0; n < sizeof(sizes)/sizeof(sizes[0]); n++) {
    derivatives_hold(tni_turn_exp, sizes[n]);
    derivatives_hold(tni_turn_tangent, sizes[n]);
    derivatives_hold(tni_turn_inverse, sizes[n]);
  }
}

/* F1 - F0 = P dpsi + Y dy to rounding, for small and for large changes */
static void differences_are_exact(void) {
  static const tni_turn_form form[] = {tni_turn_exp, tni_turn_tangent, tni_turn_inverse};
  for (int f = 0; f < 3; f++)
    for (double step = 1e-8; step < 2; step *= 10)
      for (int sign = -1; sign <= 1; sign += 2) {
        double psi0[3], psi1[3], y0[3], y1[3], P[9], Y[9], a[3], b[3], d[3], x[3], z[3];
        random_vector(psi0, 0.9);
        random_vector(y0, 1);
        random_vector(psi1, 0.9*step);
        random_vector(y1, step);
        vec3_add(psi1, psi1, psi0);
        vec3_add(y1, y1, y0);
        tni_turn t0 = form[f](psi0), t1 = form[f](psi1);
        if (sign < 0) t0 = tni_turn_flip(&t0), t1 = tni_turn_flip(&t1);
        tni_turn_apply(a, &t0, psi0, y0);
        tni_turn_apply(b, &t1, psi1, y1);
        tni_turn_difference(P, Y, form[f], sign, psi0, y0, psi1, y1);
        vec3_sub(d, psi1, psi0);
        mat3_vec(x, P, d);
        vec3_sub(d, y1, y0);
        mat3_vec(z, Y, d);
        for (int i = 0; i < 3; i++) CHECK_WITHIN(x[i] + z[i], b[i] - a[i], 1e-14);
      }
}

int main(void) {
  RUN(exp_turns_back);
  RUN(tangent_is_the_derivative_of_the_rotation);
  RUN(inverse_undoes_the_tangent);
  RUN(derivatives_match_differences);
  RUN(differences_are_exact);
  return REPORT();
}
