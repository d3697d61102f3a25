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

/* mean of a', b' between s0 and s1: (a(s1) - a(s0))/(s1 - s0), without the loss of digits */
static void divided(tni_turn_form form, double s0, double s1, const tni_turn *t0,
                    const tni_turn *t1, double out[2]) {
  static const double x[3] = {0, 0.774596669241483377, -0.774596669241483377};
  static const double w[3] = {8.0/18, 5.0/18, 5.0/18};
  if (fabs(s1 - s0) > 0.5) {
    out[0] = (t1->a[0] - t0->a[0])/(s1 - s0);
    out[1] = (t1->b[0] - t0->b[0])/(s1 - s0);
    return;
  }
  out[0] = out[1] = 0;
  for (int i = 0; i < 3; i++) {
    double psi[3] = {sqrt(fmax(0, 0.5*(s0 + s1) + 0.5*x[i]*(s1 - s0))), 0, 0};
    tni_turn t = form(psi);
    out[0] += w[i]*t.a[1];
    out[1] += w[i]*t.b[1];
  }
}

/* With means written as [.]: differences of products are [f] dg + [g] df */
void tni_turn_difference(double P[9], double Y[9], tni_turn_form form, double sign,
                         const double psi0[3], const double y0[3], const double psi1[3],
                         const double y1[3]) {
  tni_turn t0 = form(psi0), t1 = form(psi1);
  double s0 = vec3_dot(psi0, psi0), s1 = vec3_dot(psi1, psi1), slope[2];
  double psi[3], y[3], c0[3], c1[3], cross[3], bend[3], skew_psi[9], skew_y[9];
  divided(form, s0, s1, &t0, &t1, slope);
  double a = 0.5*sign*(t0.a[0] + t1.a[0]), b = 0.5*(t0.b[0] + t1.b[0]), s = 0.5*(s0 + s1);
  double q0 = vec3_dot(psi0, y0), q1 = vec3_dot(psi1, y1), q = 0.5*(q0 + q1);
  vec3_cross(c0, psi0, y0);
  vec3_cross(c1, psi1, y1);
  for (int i = 0; i < 3; i++) {
    psi[i] = 0.5*(psi0[i] + psi1[i]);
    y[i] = 0.5*(y0[i] + y1[i]);
    cross[i] = 0.5*(c0[i] + c1[i]);
    bend[i] = 0.5*(q0*psi0[i] - s0*y0[i] + q1*psi1[i] - s1*y1[i]);
  }
  mat3_skew(skew_psi, psi);
  mat3_skew(skew_y, y);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      Y[3*i+j] = (i == j)*(1 - b*s) + a*skew_psi[3*i+j] + b*psi[i]*psi[j];
      P[3*i+j] = -a*skew_y[3*i+j] + b*((i == j)*q + psi[i]*y[j] - 2*y[i]*psi[j]) +
                 2*(sign*slope[0]*cross[i] + slope[1]*bend[i])*psi[j];
    }
}
