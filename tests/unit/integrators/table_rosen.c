/* coefficients of rosen: one step of a nonlinear, coupled, time-dependent problem is wrong by h^5, that of
 * the embedded formula by h^4
 *
 * The solution y = (sin t, exp(-t/2)) is known: g = y'' + F(y, y') - F(of the solution), where no derivative of F
 * vanishes that a condition of order 4 contains. A coefficient wrong in its seventh digit shows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define tni_integrator_rosen tested_rosen
#include "../src/integrators/rosen.c"

#include "support/check.h"

enum { N = 2 };

static void exact(double at, double y[N], double v[N], double acc[N]) {
  double x = exp(-0.5*at);
  y[0] = sin(at), v[0] = cos(at), acc[0] = -sin(at);
  y[1] = x, v[1] = -0.5*x, acc[1] = 0.25*x;
}

static void F(const double y[N], const double v[N], double f[N]) {
  f[0] = sin(y[0]*y[1]) + y[1]*v[0]*v[0] - 0.7*v[1] + y[0]*y[0]*y[0];
  f[1] = y[0]*y[0] - v[0]*v[1] + cos(v[1]) - 0.4*y[1]*v[1] + exp(0.3*v[0]);
}

static void rate(double at, const double y[N], const double v[N], double out[N]) {
  double ys[N], vs[N], as[N], f[N], fs[N];
  exact(at, ys, vs, as);
  F(y, v, f);
  F(ys, vs, fs);
  for (int i = 0; i < N; i++) out[i] = as[i] + f[i] - fs[i];
}

/* derivatives by differences of order 6 with a step of 1e-2: 1e-13 */
static void derivatives(double at, const double y[N], const double v[N], double gy[N][N], double gv[N][N],
                        double gt[N]) {
  static const double weight[3] = {45.0/60, -9.0/60, 1.0/60};
  const double e = 1e-2;
  memset(gy, 0, sizeof(double[N][N]));
  memset(gv, 0, sizeof(double[N][N]));
  memset(gt, 0, sizeof(double[N]));
  for (int j = 0; j <= 2*N; j++) {
    for (int side = -3; side <= 3; side++) {
      double x[2*N + 1] = {y[0], y[1], v[0], v[1], at}, out[N];
      if (side == 0) continue;
      x[j] += side*e;
      rate(x[2*N], x, x + N, out);
      for (int i = 0; i < N; i++) {
        double *to = j < N ? &gy[i][j] : j < 2*N ? &gv[i][j-N] : &gt[i];
        *to += (side > 0 ? 1 : -1)*weight[abs(side)-1]/e*out[i];
      }
    }
  }
}

/* one step as the head of rosen.c says, Mhat = 1; errors of positions and velocities of both formulas */
static void step(double t0, double h, double error[2]) {
  double y0[N], v0[N], a0[N], gy[N][N], gv[N][N], gt[N], u[STAGES][N], g[N];
  exact(t0, y0, v0, a0);
  derivatives(t0, y0, v0, gy, gv, gt);
  double Pi[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) Pi[i][j] = (i == j) - E*h*gv[i][j] - E*E*h*h*gy[i][j];
  double det = Pi[0][0]*Pi[1][1] - Pi[0][1]*Pi[1][0];
  rate(t0, y0, v0, g);
  for (int i = 0; i < STAGES; i++) {
    double y[N], v[N], b[N], way[N];
    for (int k = 0; k < N; k++) {
      y[k] = y0[k] + h*a[i]*v0[k], v[k] = v0[k];
      way[k] = ei[i]*v0[k];
      for (int j = 0; j < i; j++) {
        y[k] += h*t[i][j]*u[j][k], v[k] += w[i][j]*u[j][k];
        way[k] += d[i][j]*u[j][k];
      }
    }
    if (i > 0 && i < STAGES - 1) rate(t0 + a[i]*h, y, v, g);
    for (int k = 0; k < N; k++) {
      b[k] = h*E*g[k] + h*h*E*(ei[i]*gt[k] + gy[k][0]*way[0] + gy[k][1]*way[1]);
      for (int j = 0; j < i; j++) b[k] += E*c[i][j]*u[j][k];
    }
    u[i][0] = (Pi[1][1]*b[0] - Pi[0][1]*b[1])/det;
    u[i][1] = (Pi[0][0]*b[1] - Pi[1][0]*b[0])/det;
  }
  double y1[N], v1[N], a1[N];
  exact(t0 + h, y1, v1, a1);
  error[0] = error[1] = 0;
  for (int k = 0; k < N; k++) {
    double ey = y0[k] + h*v0[k] - y1[k], evel = v0[k] - v1[k], ly = 0, lv = 0;
    for (int i = 0; i < STAGES; i++) {
      ey += h*p[i]*u[i][k], evel += s[i]*u[i][k];
      ly += h*ep[i]*u[i][k], lv += ev[i]*u[i][k];
    }
    error[0] = fmax(error[0], fmax(fabs(ey), fabs(evel)));
    error[1] = fmax(error[1], fmax(fabs(ey - ly), fabs(evel - lv)));
  }
}

static void steps_have_their_orders(void) {
  for (double t0 = 0; t0 < 2; t0 += 0.37) {
    double wide[2], narrow[2];
    step(t0, 0.02, wide);
    step(t0, 0.01, narrow);
    CHECK_NEAR(log2(wide[0]/narrow[0]), 5, 0.04);
    CHECK_NEAR(log2(wide[1]/narrow[1]), 4, 0.04);
    CHECK(narrow[1] > 5*narrow[0]);
  }
}

int main(void) {
  RUN(steps_have_their_orders);
  return REPORT();
}
