/* solids/corotate.c - large rotations around elements with axes of their own
 *
 * With m = Hm^T fb, its forces n' and p = P^T m = (n, m) the projected ones:
 *
 *   K = P^T (Hm^T Kb Hm + L) P - F G + G^T W P - D P,
 *   F = stack(~n, ~m),  W = (~n', 0, ...),  D = d(G^T mu)/dx at fixed mu = S^T m,  L = d(H(th)^T m)/dth H(th)
 *
 * Source: Rankin and Nour-Omid, Computers and Structures 30, 1988; the last term and the exact n' added here.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/corotate.h"

#include <math.h>

#include "base/vec.h"

enum { NV = TNI_COROT_NV };

static void centre(int nn, const double *x, int stride, double c[3]) {
  c[0] = c[1] = c[2] = 0;
  for (int a = 0; a < nn; a++)
    for (int i = 0; i < 3; i++) c[i] += x[stride*a + i]/nn;
}

const double *tni_corotate_turn(int nn, const double *u, const double *turn, double still[TNI_COROT_NODES][9]) {
  if (turn) return turn;
  for (int a = 0; a < nn; a++) {
    if (u[6*a + 3] != 0 || u[6*a + 4] != 0 || u[6*a + 5] != 0) return NULL;
    mat3_identity(still[a]);
  }
  return still[0];
}

void tni_corotate_rest(tni_corotation *c, int nn, const double *X) {
  double m[3], d[3];
  c->nn = nn, c->nv = 6*nn;
  centre(nn, X, 3, m);
  for (int a = 0; a < nn; a++) {
    vec3_sub(d, X + 3*a, m);
    mat3_tvec(c->Xl[a], c->E0, d);
  }
}

void tni_corotate_now(tni_corotation *c, const double *X, const double *u, const double *turn) {
  double x[TNI_COROT_NODES][3], m[3], d[3], t[9], R[9], p[4];
  for (int a = 0; a < c->nn; a++) vec3_add(x[a], X + 3*a, u + 6*a);
  centre(c->nn, x[0], 3, m);
  for (int a = 0; a < c->nn; a++) {
    vec3_sub(d, x[a], m);
    mat3_tvec(c->xl[a], c->E, d);
    vec3_sub(c->ub + 6*a, c->xl[a], c->Xl[a]);
    /* E^T T E0 */
    mat3_mul(t, turn + 9*a, c->E0);
    for (int j = 0; j < 3; j++) {
      double column[3] = {t[j], t[3 + j], t[6 + j]}, r[3];
      mat3_tvec(r, c->E, column);
      for (int i = 0; i < 3; i++) R[3*i + j] = r[i];
    }
    quat_from_matrix(p, R);
    quat_to_vector(c->ub + 6*a + 3, p);
  }
}

void tni_corotate_small(tni_corotation *c, const double *u) {
  memcpy(c->E, c->E0, sizeof(c->E));
  for (int b = 0; b < 2*c->nn; b++) mat3_tvec(c->ub + 3*b, c->E0, u + 3*b);
}

static void skew(const double a[3], double S[9]) {
  S[0] = S[4] = S[8] = 0;
  S[1] = -a[2], S[2] = a[1], S[3] = a[2], S[5] = -a[0], S[6] = -a[1], S[7] = a[0];
}

/* H = 1 - ~th/2 + eta ~th^2, and the slope of eta by |th|, divided by |th| */
static void spin_to_rate(const double th[3], double H[9], double *eta, double *slope) {
  double a2 = vec3_dot(th, th), S[9], S2[9];
  if (a2 < 1e-2) {
    *eta = 1.0/12 + a2*(1.0/720 + a2*(1.0/30240 + a2/1209600));
    *slope = 1.0/360 + a2*(1.0/7560 + a2*(1.0/201600 + a2/5987520));
  } else {
    double a = sqrt(a2), h = a/2, s = sin(h);
    *eta = (1 - h*cos(h)/s)/a2;
    *slope = (a*(a + sin(a)) - 8*s*s)/(4*a2*a2*s*s);
  }
  skew(th, S);
  mat3_mul(S2, S, S);
  for (int i = 0; i < 9; i++) H[i] = (i%4 == 0) - S[i]/2 + *eta*S2[i];
}

/* L = d(H(th)^T m)/dth H(th) */
static void spin_stiffness(const double th[3], const double m[3], const double H[9], double eta, double slope,
                           double L[9]) {
  double tm[3], ttm[3], Sm[9], St[9], Stm[9], D[9], prod[9];
  vec3_cross(tm, th, m);
  vec3_cross(ttm, th, tm);
  skew(m, Sm);
  skew(th, St);
  skew(tm, Stm);
  mat3_mul(prod, St, Sm);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int k = 3*i + j;
      D[k] = -Sm[k]/2 - eta*(Stm[k] + prod[k]) + slope*ttm[i]*th[j];
    }
  mat3_mul(L, D, H);
}

/* A (rows of blocks of three) = E A, for all columns */
static void turn_rows(int nv, const double E[9], double *A) {
  for (int b = 0; b < nv/3; b++)
    for (int j = 0; j < nv; j++) {
      double x[3] = {A[(3*b)*nv + j], A[(3*b + 1)*nv + j], A[(3*b + 2)*nv + j]}, y[3];
      mat3_vec(y, E, x);
      for (int i = 0; i < 3; i++) A[(3*b + i)*nv + j] = y[i];
    }
}

/* A = A E^T */
static void turn_columns(int nv, const double E[9], double *A) {
  for (int i = 0; i < nv; i++)
    for (int b = 0; b < nv/3; b++) {
      double y[3];
      mat3_vec(y, E, A + i*nv + 3*b);
      vec3_copy(A + i*nv + 3*b, y);
    }
}

/* K = K - X^T ... : K += a X^T Y for X, Y [3][nv] */
static void add_rank3(int nv, double a, const double X[3][NV], const double Y[3][NV], double *K) {
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < 3; k++) {
      double x = a*X[k][i];
      for (int j = 0; j < nv; j++) K[i*nv + j] += x*Y[k][j];
    }
}

/* Z [3][nv] = X - (X S) G */
static void project(const tni_corotation *c, const double S[NV][3], const double X[3][NV], double Z[3][NV]) {
  for (int k = 0; k < 3; k++) {
    double xs[3] = {0, 0, 0};
    for (int j = 0; j < c->nv; j++)
      for (int i = 0; i < 3; i++) xs[i] += X[k][j]*S[j][i];
    for (int j = 0; j < c->nv; j++) Z[k][j] = X[k][j] - (xs[0]*c->G[0][j] + xs[1]*c->G[1][j] + xs[2]*c->G[2][j]);
  }
}

void tni_corotate_back(const tni_corotation *c, bool large, const double *fb, double *Kb, tni_corotate_dG dG,
                       double *f, double *K) {
  int nn = c->nn, nv = c->nv;
  if (!large) {
    for (int b = 0; b < 2*nn && f; b++) mat3_vec(f + 3*b, c->E0, fb + 3*b);
    if (!K) return;
    memcpy(K, Kb, (size_t)(nv*nv)*sizeof(double));
    turn_rows(nv, c->E0, K);
    turn_columns(nv, c->E0, K);
    return;
  }
  double m[NV], p[NV], S[NV][3], mu[3] = {0, 0, 0}, H[TNI_COROT_NODES][9], eta[TNI_COROT_NODES], slope[TNI_COROT_NODES];
  for (int a = 0; a < nn; a++) {
    const double *th = c->ub + 6*a + 3;
    double x[9], r[3];
    spin_to_rate(th, H[a], &eta[a], &slope[a]);
    vec3_copy(m + 6*a, fb + 6*a);
    mat3_tvec(m + 6*a + 3, H[a], fb + 6*a + 3);
    skew(c->xl[a], x);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) S[6*a + i][k] = -x[3*i + k], S[6*a + 3 + i][k] = i == k;
    vec3_cross(r, c->xl[a], m + 6*a);
    for (int i = 0; i < 3; i++) mu[i] += r[i] + m[6*a + 3 + i];
  }
  for (int j = 0; j < nv; j++) p[j] = m[j] - (c->G[0][j]*mu[0] + c->G[1][j]*mu[1] + c->G[2][j]*mu[2]);
  for (int b = 0; b < 2*nn && f; b++) mat3_vec(f + 3*b, c->E, p + 3*b);
  if (!K) return;
  /* M = Hm^T Kb Hm + L */
  double *M = Kb;
  for (int a = 0; a < nn; a++) {
    for (int i = 0; i < nv; i++) {
      double y[3];
      mat3_tvec(y, H[a], M + i*nv + 6*a + 3);
      vec3_copy(M + i*nv + 6*a + 3, y);
    }
    for (int j = 0; j < nv; j++) {
      double x[3], y[3];
      for (int i = 0; i < 3; i++) x[i] = M[(6*a + 3 + i)*nv + j];
      mat3_tvec(y, H[a], x);
      for (int i = 0; i < 3; i++) M[(6*a + 3 + i)*nv + j] = y[i];
    }
    double L[9];
    spin_stiffness(c->ub + 6*a + 3, fb + 6*a + 3, H[a], eta[a], slope[a], L);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) M[(6*a + 3 + i)*nv + 6*a + 3 + j] += L[3*i + j];
  }
  /* rows: N = P^T M - (-) ... everything that is multiplied by P from the right first */
  double SM[3][NV] = {{0}}, W[3][NV] = {{0}}, F[NV][3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < nv; j++) SM[k][j] += S[i][k]*M[i*nv + j];
  for (int a = 0; a < nn; a++) {
    double s[9], n[9], t[9];
    skew(m + 6*a, s);
    skew(p + 6*a, n);
    skew(p + 6*a + 3, t);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        W[i][6*a + k] = s[3*i + k];
        F[6*a + i][k] = n[3*i + k];
        F[6*a + 3 + i][k] = t[3*i + k];
      }
  }
  /* G^T (W - S^T M), then minus D */
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < nv; j++) W[k][j] -= SM[k][j];
  if (dG) {
    double D[NV*NV] = {0};
    dG(c, mu, D);
    for (int i = 0; i < nv*nv; i++) M[i] -= D[i];
  }
  double WP[3][NV], MS[NV][3];
  project(c, (const double(*)[3])S, (const double(*)[NV])W, WP);
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < 3; k++) {
      double s = 0;
      for (int j = 0; j < nv; j++) s += M[i*nv + j]*S[j][k];
      MS[i][k] = s + F[i][k];
    }
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      K[i*nv + j] = M[i*nv + j] - (MS[i][0]*c->G[0][j] + MS[i][1]*c->G[1][j] + MS[i][2]*c->G[2][j]);
  add_rank3(nv, 1, (const double(*)[NV])c->G, (const double(*)[NV])WP, K);
  turn_rows(nv, c->E, K);
  turn_columns(nv, c->E, K);
}
