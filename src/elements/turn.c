/* elements/turn.c - vector functions of a finite rotation, with two derivatives
 *
 * With c = y x n, P = psi.n, Q = psi.y, D = n.y:
 *
 *   n.F      = D + a (psi.c) + b (P Q - s D)
 *   gradient = 2 k psi + a c + b (Q n + P y),         k = a' (psi.c) + b' (P Q - s D) - b D
 *
 * and once more. The functions a, b of s are smooth at 0 where their closed forms lose all digits;
 * they are summed as power series: entire ones everywhere, the one of J_r^-1 (radius 4 pi^2) near 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/turn.h"

/* sum of c_k s^k, k < n, with two derivatives */
static void power_series(const double *c, int n, double s, double out[3]) {
  double f = 0, d = 0, dd = 0;
  for (int k = n - 1; k >= 0; k--) {
    dd = dd*s + 2*d;
    d = d*s + f;
    f = f*s + c[k];
  }
  out[0] = f, out[1] = d, out[2] = dd;
}

enum { NTERM = 16 }; /* s <= 11: the first term left out is below 1e-18 */

/* (-1)^k/(2k + m)!, k < NTERM */
static void alternating(int m, double s, double out[3]) {
  double c[NTERM], f = 1;
  for (int j = 2; j <= m; j++) f *= j;
  for (int k = 0; k < NTERM; k++) {
    c[k] = (k % 2 ? -1 : 1)/f;
    f *= (2*k + m + 1)*(2*k + m + 2);
  }
  power_series(c, NTERM, s, out);
}

tni_turn tni_turn_exp(const double psi[3]) {
  tni_turn t;
  double s = vec3_dot(psi, psi);
  alternating(1, s, t.a);
  alternating(2, s, t.b);
  for (int i = 0; i < 3; i++) t.a[i] = -t.a[i];
  return t;
}

tni_turn tni_turn_tangent(const double psi[3]) {
  tni_turn t;
  double s = vec3_dot(psi, psi);
  alternating(2, s, t.a);
  alternating(3, s, t.b);
  for (int i = 0; i < 3; i++) t.a[i] = -t.a[i];
  return t;
}

tni_turn tni_turn_inverse(const double psi[3]) {
  /* |B_2k|/(2k)!, the Bernoulli numbers: 2 zeta(2k)/(2 pi)^2k */
  static const double c[] = {1.0/12, 1.0/720, 1.0/30240, 1.0/1209600, 1.0/47900160,
                             691.0/1307674368000.0, 1.0/74724249600.0,
                             3617.0/10670622842880000.0, 43867.0/5109094217170944000.0,
                             174611.0/802857662698291200000.0};
  tni_turn t = {.a = {0.5, 0, 0}};
  double s = vec3_dot(psi, psi);
  if (s < 0.4) {
    power_series(c, sizeof(c)/sizeof(c[0]), s, t.b);
    return t;
  }
  /* m = x cot x, x = th/2 */
  double x = 0.5*sqrt(s), sine = sin(x), cot = cos(x)/sine, csc2 = 1/(sine*sine);
  double m = x*cot, m1 = (cot/x - csc2)/8;
  double m2 = (-csc2/x - cot/(x*x) + 2*csc2*cot)/(64*x);
  t.b[0] = (1 - m)/s;
  t.b[1] = (-m1 - t.b[0])/s;
  t.b[2] = (-m2 - 2*t.b[1])/s;
  return t;
}

tni_turn tni_turn_flip(const tni_turn *t) {
  tni_turn r = *t;
  for (int i = 0; i < 3; i++) r.a[i] = -r.a[i];
  return r;
}

void tni_turn_matrix(double M[9], const tni_turn *t, const double psi[3]) {
  double s = vec3_dot(psi, psi), a = t->a[0], b = t->b[0];
  mat3_skew(M, psi);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[3*i+j] = a*M[3*i+j] + b*psi[i]*psi[j] + (i == j)*(1 - b*s);
}

void tni_turn_by_psi(double M[9], const tni_turn *t, const double psi[3], const double y[3]) {
  double s = vec3_dot(psi, psi), q = vec3_dot(psi, y), c[3], Y[9];
  vec3_cross(c, psi, y);
  mat3_skew(Y, y);
  for (int i = 0; i < 3; i++) {
    double along = 2*(t->a[1]*c[i] + t->b[1]*(q*psi[i] - s*y[i]) - t->b[0]*y[i]);
    for (int j = 0; j < 3; j++)
      M[3*i+j] = -t->a[0]*Y[3*i+j] + along*psi[j] + t->b[0]*((i == j)*q + psi[i]*y[j]);
  }
}

void tni_turn_gradient(double g[3], const tni_turn *t, const double psi[3], const double y[3],
                       const double n[3]) {
  double s = vec3_dot(psi, psi), P = vec3_dot(psi, n), Q = vec3_dot(psi, y), D = vec3_dot(n, y);
  double c[3];
  vec3_cross(c, y, n);
  double k = t->a[1]*vec3_dot(psi, c) + t->b[1]*(P*Q - s*D) - t->b[0]*D;
  for (int i = 0; i < 3; i++)
    g[i] = 2*k*psi[i] + t->a[0]*c[i] + t->b[0]*(Q*n[i] + P*y[i]);
}

void tni_turn_hessian(double H[9], double X[9], const tni_turn *t, const double psi[3],
                      const double y[3], const double n[3]) {
  const double *a = t->a, *b = t->b;
  double s = vec3_dot(psi, psi), P = vec3_dot(psi, n), Q = vec3_dot(psi, y), D = vec3_dot(n, y);
  double c[3], m[3], w[3], N[9];
  vec3_cross(c, y, n);
  vec3_cross(m, n, psi); /* gradient of psi.c by y */
  mat3_skew(N, n);
  double pc = vec3_dot(psi, c), r = P*Q - s*D;
  double k = a[1]*pc + b[1]*r - b[0]*D, l = a[2]*pc + b[2]*r - 2*b[1]*D;
  for (int i = 0; i < 3; i++) w[i] = a[1]*c[i] + b[1]*(Q*n[i] + P*y[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      H[3*i+j] = 2*k*(i == j) + 4*l*psi[i]*psi[j] + 2*(psi[i]*w[j] + w[i]*psi[j]) +
                 b[0]*(n[i]*y[j] + y[i]*n[j]);
      double k_y = a[1]*m[j] + b[1]*(P*psi[j] - s*n[j]) - b[0]*n[j];
      X[3*i+j] = 2*psi[i]*k_y - a[0]*N[3*i+j] + b[0]*(n[i]*psi[j] + (i == j)*P);
    }
}
