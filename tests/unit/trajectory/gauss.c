/* collocation at Gauss points: order conditions, integrals of powers, derivatives
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"
#include "trajectory/gauss.h"

static void powers_are_integrated_up_to_twice_the_points(void) {
  for (int k = 1; k <= 12; k++) {
    double c[12], b[12];
    tni_gauss_rule(k, c, b);
    for (int p = 0; p < 2*k; p++) {
      double sum = 0;
      for (int i = 0; i < k; i++) sum += b[i]*pow(c[i], p);
      CHECK_NEAR(sum, 1.0/(p + 1), 1e-14);
    }
    for (int i = 1; i < k; i++) CHECK(c[i] > c[i-1]);
  }
}

static void radau_integrates_one_power_less_and_ends_at_the_end(void) {
  for (int k = 1; k <= TNI_GAUSS_MAX; k++) {
    double c[TNI_GAUSS_MAX], b[TNI_GAUSS_MAX], next = 0;
    tni_radau_rule(k, c, b);
    for (int p = 0; p < 2*k; p++) {
      double sum = 0;
      for (int i = 0; i < k; i++) sum += b[i]*pow(c[i], p);
      if (p < 2*k - 1) CHECK_NEAR(sum, 1.0/(p + 1), 1e-14);
      else next = sum - 1.0/(p + 1);
    }
    CHECK(fabs(next) > 1e-9); /* no Gauss points */
    for (int i = 1; i < k; i++) CHECK(c[i] > c[i-1]);
    CHECK(c[0] > 0 && c[k-1] == 1);
  }
  double c[2], b[2];
  tni_radau_rule(2, c, b);
  CHECK_WITHIN(c[0], 1.0/3, 1e-15);
  CHECK_WITHIN(b[0], 0.75, 1e-15);
}

/* a integrates powers below k from 0 to every point, d is its inverse, w ends the polynomial */
static void stages_integrate_and_differentiate_polynomials(void) {
  for (int n = 2; n < 2*TNI_GAUSS_MAX + 2; n++) {
    int k = n/2;
    tni_gauss g;
    tni_gauss_set(k, n % 2 ? TNI_AT_RADAU : TNI_AT_GAUSS, &g);
    for (int i = 0; i < k; i++) {
      for (int p = 0; p < k; p++) {
        double whole = 0, rate = 0;
        for (int j = 0; j < k; j++) {
          whole += g.a[i][j]*pow(g.c[j], p);
          rate += g.d[i][j]*pow(g.c[j], p + 1);
        }
        CHECK_WITHIN(whole, pow(g.c[i], p + 1)/(p + 1), 1e-14);
        CHECK_WITHIN(rate, (p + 1)*pow(g.c[i], p), 1e-12);
      }
      for (int j = 0; j < k; j++) {
        double x = 0;
        for (int l = 0; l < k; l++) x += g.d[i][l]*g.a[l][j];
        CHECK_WITHIN(x, i == j, 1e-12);
      }
    }
    for (int p = 1; p <= k; p++) {
      double end = 0;
      for (int j = 0; j < k; j++) end += g.w[j]*pow(g.c[j], p);
      CHECK_NEAR(end, 1, 1e-12);
    }
  }
}

/* y' = y over [0, h] from 1: where it ends */
static double grown(const tni_gauss *g, double h) {
  double A[TNI_GAUSS_MAX][TNI_GAUSS_MAX], y[TNI_GAUSS_MAX], end = 1;
  int k = g->k;
  for (int i = 0; i < k; i++) {
    y[i] = h; /* (d - h) (y - 1) = h */
    for (int j = 0; j < k; j++) A[i][j] = g->d[i][j] - h*(i == j);
  }
  for (int c = 0; c < k; c++)
    for (int r = 0; r < k; r++) {
      double f = r == c ? 0 : A[r][c]/A[c][c];
      for (int j = c; j < k; j++) A[r][j] -= f*A[c][j];
      y[r] -= f*y[c];
    }
  for (int i = 0; i < k; i++) end += g->w[i]*y[i]/A[i][i];
  return end;
}

/* the order that estimates count on is the one there is */
static void ends_have_the_order(void) {
  for (int n = 2; n < 10; n++) {
    tni_gauss g;
    tni_gauss_set(n/2, n % 2 ? TNI_AT_RADAU : TNI_AT_GAUSS, &g);
    CHECK_INT(g.order, n - 2*(n % 2));
    double off[2]; /* forwards times backwards: the next power of h falls out */
    for (int i = 0; i < 2; i++) {
      double h = i ? 0.25 : 0.5;
      off[i] = fabs((grown(&g, h) - exp(h))*(grown(&g, -h) - exp(-h)));
    }
    CHECK_WITHIN(0.5*log2(off[0]/off[1]), g.order + 1, 0.2);
  }
}

int main(void) {
  RUN(ends_have_the_order);
  RUN(radau_integrates_one_power_less_and_ends_at_the_end);
  RUN(powers_are_integrated_up_to_twice_the_points);
  RUN(stages_integrate_and_differentiate_polynomials);
  return REPORT();
}
