/* integrators/quadrature.c - work done, from its rates at the ends of steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/quadrature.h"

/* Integral of the Lagrange polynomial that is 1 at x_k and 0 at the other points, by Gauss
 * quadrature with two points, exact for cubics. */
static double weight(int n, const double *x, int k, double from, double to) {
  static const double node = 0.5773502691896257;
  double sum = 0, mid = 0.5*(from + to), half = 0.5*(to - from);
  for (int side = -1; side <= 1; side += 2) {
    double product = 1, at = mid + side*node*half;
    for (int i = 0; i < n; i++) {
      if (i != k) product *= (at - x[i])/(x[k] - x[i]);
    }
    sum += half*product;
  }
  return sum;
}

/* Points of the past that are used for a step of length h from t0. A polynomial through points much closer
 * together than the step is long would be an extrapolation. */
static int usable(const tni_quadrature *w, double t0, double h) {
  static const double CLOSE = 0.3;
  int n = w->n > 0;
  while (n < (int)w->n && (w->t[n] >= t0 || w->t[n-1] - w->t[n] >= CLOSE*h)) n++;
  return n;
}

void tni_quadrature_integrate(const tni_quadrature *w, double t0, double t1, const double *rate1,
                              const double *z0, double t, double *z) {
  double x[1 + TNI_QUADRATURE_POINTS] = {t1};
  int n = 1 + usable(w, t0, t1 - t0);
  for (int i = 1; i < n; i++) x[i] = w->t[i-1];
  for (int j = 0; j < TNI_NZ; j++) z[j] = z0[j];
  for (int i = 0; i < n; i++) {
    double f = weight(n, x, i, t0, t);
    for (int j = 0; j < TNI_NZ; j++) z[j] += f*(i ? w->rate[i-1][j] : rate1[j]);
  }
}

void tni_quadrature_push(tni_quadrature *w, double t, const double *rate) {
  for (int i = TNI_QUADRATURE_POINTS - 1; i > 0; i--) {
    w->t[i] = w->t[i-1];
    memcpy(w->rate[i], w->rate[i-1], sizeof(w->rate[i]));
  }
  w->t[0] = t;
  memcpy(w->rate[0], rate, sizeof(w->rate[0]));
  if (w->n < TNI_QUADRATURE_POINTS) w->n++;
}
