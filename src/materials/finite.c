/* materials/finite.c - plasticity of metals at large strains by the multiplicative decomposition F = F_e F_p
 *
 *   elastic   tau = K/2 (J^2 - 1) 1 + s,  s = mu dev b,  b = J^(-2/3) F C_p^-1 F^T: a gradient of
 *             W = K/2 ((J^2 - 1)/2 - ln J) + mu/2 (tr b - 3)
 *   yield     |s| <= J sqrt(2/3) sigma_y(p): the Cauchy stress tau/J yields, as in CalculiX (tau itself in the source)
 *   return    mu' = mu tr b/3,  n = s/|s|,  |s| - 2 mu' g = J sqrt(2/3) sigma_y(p + sqrt(2/3) g),
 *             s -= 2 mu' g n,  p += sqrt(2/3) g,  b = s/mu + (tr b)/3 1,  C_p^-1 = J^(2/3) F^-1 b F^-T
 *
 * Without flow the stress belongs to F alone, whatever the path. History: C_p^-1 - 1 and p. At small strains it is the law of mises.c
 * with isotropic hardening.
 *
 * The flow rule keeps tr b, not det b = 1, and counts plastic strain by the elastic stretch: of a bar dp = (1 + sigma/(3 mu)) d(eps_p), both as in
 * the source, parts of the elastic strain. What is stored is counted of the b with the same deviator that has det b = 1, heat is s:(g tr b/3 n b^-1), the integral
 * of sigma_y over p but for as much.
 * Source: Simo and Hughes, Computational Inelasticity, 1998, section 9.3.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/list.h"

#include <math.h>

#include "base/vec.h"

enum { CP = 0, P_ = 6, NSTATE = 7 };
static const int PAIR[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

typedef struct {
  double J, G[9];       /* det F, F^-1                                                           */
  double b[9], s[9];    /* trial, deviator of the stress then                                    */
  double n[9], length;  /* direction of s, |s|                                                   */
  double third, g, H;   /* tr b/3, the multiplier, slope of the yield curve; g = 0: elastic      */
  double now[9], p;     /* s and plastic strain after                                            */
} flow;

static double double_dot(const double a[9], const double b[9]) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += a[i]*b[i];
  return sum;
}

/* out := A B A^T for symmetric B */
static void congruence(const double A[9], const double B[9], double out[9]) {
  double AB[9];
  mat3_mul(AB, A, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3*i + j] = AB[3*i]*A[3*j] + AB[3*i + 1]*A[3*j + 1] + AB[3*i + 2]*A[3*j + 2];
}

/* g > 0 with |s| - 2 mu' g = J sqrt(2/3) sigma_y(p + sqrt(2/3) g): as in mises.c with mu'/J for mu, q = sqrt(3/2) |s|/J, dg = sqrt(2/3) g */
static void go_back(const tni_mises *m, flow *f, double p) {
  double mu = m->iso.mu*f->third, q = sqrt(1.5)*f->length/f->J;
  memcpy(f->now, f->s, sizeof(f->s));
  f->p = p;
  f->g = 0;
  if (q <= tni_mises_yield(m, p)) return;
  tni_mises softer = *m;
  softer.iso.mu = mu/f->J;
  softer.kinematic = 0;
  double dg = tni_mises_flow(&softer, q, p, &f->H);
  f->g = sqrt(1.5)*dg;
  f->p += dg;
  for (int i = 0; i < 9; i++) {
    f->n[i] = f->s[i]/f->length;
    f->now[i] -= 2*mu*f->g*f->n[i];
  }
}

/* mu/2 (tr b - 3) of the b = s/mu + x 1 with det b = 1 */
static double stored(double mu, const double s[9]) {
  double d[9], x = 1;
  for (int i = 0; i < 9; i++) d[i] = s[i]/mu;
  double J2 = double_dot(d, d)/2, J3 = mat3_det(d); /* det(d + x 1) = x^3 - J2 x + J3 */
  for (int k = 0; k < 30; k++) {
    double f = (x*x - J2)*x + J3 - 1, slope = 3*x*x - J2, step = slope > 0 ? f/slope : -x;
    x -= step;
    if (fabs(step) <= 1e-15*fabs(x)) break;
  }
  return 1.5*mu*(x - 1);
}

/* dP for dF = e_k x e_l: from the change of b and J */
static void tangent(const tni_mises *m, const flow *f, const double tau[9], double *A) {
  double mu = m->iso.mu, bulk = m->iso.lambda + 2*mu/3, J2 = f->J*f->J;
  double left = sqrt(fmax(0, double_dot(f->now, f->now)));
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      double L[9] = {0}, db[9], dtau[9], tr = f->G[3*l + k], dthird; /* L = dF F^-1 */
      for (int j = 0; j < 3; j++) L[3*k + j] = f->G[3*l + j];
      mat3_mul(db, L, f->b);
      for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
          double sum = db[3*i + j] + db[3*j + i];
          db[3*i + j] = db[3*j + i] = sum;
        }
      for (int i = 0; i < 9; i++) db[i] -= 2.0/3*tr*f->b[i];
      dthird = (db[0] + db[4] + db[8])/3;
      for (int i = 0; i < 3; i++) db[4*i] -= dthird; /* now mu db is the change of s before the return */
      if (f->g > 0) {
        double along = mu*double_dot(f->n, db), hard = 2*f->J*f->H/3;
        double dg = (along - 2*mu*f->g*dthird - left*tr)/(2*mu*f->third + hard), keep = left/f->length;
        for (int i = 0; i < 9; i++) dtau[i] = keep*(mu*db[i] - along*f->n[i]) + (hard*dg + left*tr)*f->n[i];
      } else {
        for (int i = 0; i < 9; i++) dtau[i] = mu*db[i];
      }
      for (int i = 0; i < 3; i++) dtau[4*i] += bulk*J2*tr;
      /* dP = dtau F^-T - tau F^-T dF^T F^-T */
      double S[9]; /* tau F^-T */
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[3*i + j] = tau[3*i]*f->G[3*j] + tau[3*i + 1]*f->G[3*j + 1] + tau[3*i + 2]*f->G[3*j + 2];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double v = -S[3*i + l]*f->G[3*j + k];
          for (int c = 0; c < 3; c++) v += dtau[3*i + c]*f->G[3*j + c];
          A[9*(3*i + j) + 3*k + l] = v;
        }
    }
}

/* s:(n b^-1) (tr b)/3 by |s|, b after the return: 1 but for the elastic strain */
static double share_of_heat(const tni_mises *m, const flow *f) {
  double b[9], nb[9], inverse[9];
  for (int i = 0; i < 9; i++) b[i] = f->now[i]/m->iso.mu + (i % 4 == 0 ? f->third : 0);
  mat3_inverse(inverse, b);
  mat3_mul(nb, f->n, inverse);
  return f->third*double_dot(f->n, nb);
}

static bool finite_large(const tni_matter *matter, tni_matter_at *at, const double F[9], double P[9], double *A) {
  const tni_mises *m = matter->data;
  const double *h = at->state0;
  double mu = m->iso.mu, bulk = m->iso.lambda + 2*mu/3, C[9], tau[9];
  flow f = {.g = 0};
  if (!tni_deformation(F, &f.J, f.G)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3*i + j] = h[CP + PAIR[i][j]] + (i == j);
  congruence(F, C, f.b);
  double shrink = pow(f.J, -2.0/3);
  for (int i = 0; i < 9; i++) f.b[i] *= shrink;
  f.third = (f.b[0] + f.b[4] + f.b[8])/3;
  for (int i = 0; i < 9; i++) f.s[i] = mu*(f.b[i] - (i % 4 == 0 ? f.third : 0));
  f.length = sqrt(double_dot(f.s, f.s));
  go_back(m, &f, h[P_]);
  double pressure = bulk/2*(f.J*f.J - 1);
  for (int i = 0; i < 9; i++) tau[i] = f.now[i] + (i % 4 == 0 ? pressure : 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P[3*i + j] = tau[3*i]*f.G[3*j] + tau[3*i + 1]*f.G[3*j + 1] + tau[3*i + 2]*f.G[3*j + 2];
  at->energy = bulk/2*((f.J*f.J - 1)/2 - log(f.J)) + stored(mu, f.now);
  at->dissipated = f.g > 0 ? f.J*share_of_heat(m, &f)*tni_mises_heat(m, h[P_], f.p) : 0;
  at->plastic = f.p;
  at->soft = f.g > 0 ? f.J*f.H/(3*mu*f.third + f.J*f.H) : 1;
  if (at->state) {
    double b[9];
    for (int i = 0; i < 9; i++) b[i] = (f.now[i]/mu + (i % 4 == 0 ? f.third : 0))/shrink;
    congruence(f.G, b, C);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) at->state[CP + PAIR[i][j]] = f.g > 0 ? C[3*i + j] - (i == j) : h[CP + PAIR[i][j]];
    at->state[P_] = f.p;
  }
  if (A) tangent(m, &f, tau, A);
  return true;
}

static int finite_nstate(const tni_matter *m, bool large) {
  (void)m;
  return large ? NSTATE : TNI_MISES_NSMALL;
}

static const tni_key finite_keys[] = {TNI_YIELD_KEYS};

const tni_matter_type tni_matter_plastic_finite = {
    .type = {"plastic_finite", "Metals at large strains: rubber-like elastic part, yielding after von Mises with isotropic hardening "
             "(Simo), the law of CalculiX with NLGEOM.", finite_keys, TNI_COUNT(finite_keys)},
    .nstate = finite_nstate, .read = tni_mises_read, .small = tni_mises_small, .large = finite_large};
