/* trajectory/gauss.c - collocation at Gauss or Radau points of the unit interval
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "trajectory/gauss.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Roots of the Legendre polynomial by Newton's method; they are symmetric. */
void tni_gauss_rule(int n, double *c, double *b) {
  enum { ENOUGH = 50 };
  for (int i = 0; i < (n + 1)/2; i++) {
    double x = cos(PI*(i + 0.75)/(n + 0.5)), rate = 1;
    for (int it = 0; it < ENOUGH; it++) {
      double p0 = 1, p1 = x;
      for (int j = 2; j <= n; j++) {
        double p2 = ((2*j - 1)*x*p1 - (j - 1)*p0)/j;
        p0 = p1;
        p1 = p2;
      }
      rate = n*(x*p1 - p0)/(x*x - 1);
      double step = p1/rate;
      x -= step;
      if (fabs(step) < 1e-16) break;
    }
    if (2*i + 1 == n) x = 0;
    c[i] = 0.5*(1 - x);
    c[n - 1 - i] = 0.5*(1 + x);
    b[i] = b[n - 1 - i] = 1/((1 - x*x)*rate*rate);
  }
}

double tni_legendre(int n, double x) {
  double p0 = 1, p1 = x;
  if (n == 0) return 1;
  for (int j = 2; j <= n; j++) {
    double p2 = ((2*j - 1)*x*p1 - (j - 1)*p0)/j;
    p0 = p1;
    p1 = p2;
  }
  return p1;
}

/* Roots of P_n - P_(n-1), one of which is the end; the others lie apart between those of P_(n-1). Weights: integrals of Lagrange polynomials. */
void tni_radau_rule(int n, double *c, double *b) {
  enum { HALVINGS = 60 };
  double gap[TNI_GAUSS_MAX + 1] = {0}, x[TNI_GAUSS_MAX], weight[TNI_GAUSS_MAX];
  if (n > 1) tni_gauss_rule(n - 1, gap + 1, weight);
  for (int i = 0; i + 1 < n; i++) {
    double from = gap[i], to = gap[i + 1];
    bool falls = tni_legendre(n, 2*from - 1) > tni_legendre(n - 1, 2*from - 1);
    for (int h = 0; h < HALVINGS; h++) {
      double at = 0.5*(from + to);
      if ((tni_legendre(n, 2*at - 1) > tni_legendre(n - 1, 2*at - 1)) == falls) from = at;
      else to = at;
    }
    c[i] = 0.5*(from + to);
  }
  c[n - 1] = 1;
  tni_gauss_rule(n, x, weight);
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int l = 0; l < n; l++) b[i] += weight[l]*tni_lagrange(n, c, i, x[l]);
  }
}

double tni_lagrange(int n, const double *node, int i, double x) {
  double product = 1;
  for (int j = 0; j < n; j++)
    if (j != i) product *= (x - node[j])/(node[i] - node[j]);
  return product;
}

double tni_lagrange_rate(int n, const double *node, int i, double x) {
  double sum = 0;
  for (int l = 0; l < n; l++) {
    if (l == i) continue;
    double product = 1/(node[i] - node[l]);
    for (int j = 0; j < n; j++)
      if (j != i && j != l) product *= (x - node[j])/(node[i] - node[j]);
    sum += product;
  }
  return sum;
}

/* a_ij is the integral of Lagrange polynomial j up to c_i, which the same rule has exactly; d_ij = derivative at c_i
 * of the polynomial through the points and 0, number j. */
void tni_gauss_set(int k, tni_point_kind kind, tni_gauss *g) {
  double node[TNI_GAUSS_MAX + 1] = {0};
  memset(g, 0, sizeof(*g));
  g->k = k;
  g->kind = kind;
  g->order = kind == TNI_AT_RADAU ? 2*k - 1 : 2*k;
  if (kind == TNI_AT_RADAU) tni_radau_rule(k, g->c, g->b);
  else tni_gauss_rule(k, g->c, g->b);
  memcpy(node + 1, g->c, (size_t)k*sizeof(double));
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) {
      for (int l = 0; l < k; l++) g->a[i][j] += g->c[i]*g->b[l]*tni_lagrange(k, g->c, j, g->c[i]*g->c[l]);
      g->d[i][j] = tni_lagrange_rate(k + 1, node, j + 1, g->c[i]);
      g->d_sum[i] += g->d[i][j];
    }
  }
  for (int j = 0; j < k; j++) {
    g->w[j] = tni_lagrange(k + 1, node, j + 1, 1);
    g->w_sum += g->w[j];
  }
}
