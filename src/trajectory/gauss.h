/* trajectory/gauss.h - collocation at Gauss or Radau points of the unit interval
 *
 *   y_i = y_0 + h sum_j a_ij y'_j,   y_1 = y_0 + h sum_j b_j y'_j        i, j = 1 .. k
 *
 * and the same read from values to derivatives: h y'_i = sum_j d_ij (y_j - y_0), y_1 = y_0 + sum_j w_j (y_j - y_0)
 * with d = a^-1, w = b^T a^-1. At the ends of elements Gauss points have order 2k and keep what is quadratic; Radau points, the last of which
 * is the end, have order 2k - 1 and damp what is short beside an element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_GAUSS_H
#define TNI_GAUSS_H

enum { TNI_GAUSS_MAX = 6 }; /* points; more would only multiply rounding */

typedef enum { TNI_AT_GAUSS, TNI_AT_RADAU } tni_point_kind;

typedef struct tni_gauss {
  int k, order;
  tni_point_kind kind;
  double c[TNI_GAUSS_MAX], b[TNI_GAUSS_MAX], w[TNI_GAUSS_MAX];
  double a[TNI_GAUSS_MAX][TNI_GAUSS_MAX], d[TNI_GAUSS_MAX][TNI_GAUSS_MAX];
  double d_sum[TNI_GAUSS_MAX], w_sum; /* over j */
} tni_gauss;

void tni_gauss_set(int k, tni_point_kind kind, tni_gauss *out);
/* points and weights of [0, 1] alone, any n >= 1; those of Radau up to TNI_GAUSS_MAX */
void tni_gauss_rule(int n, double *c, double *b);
void tni_radau_rule(int n, double *c, double *b);
double tni_legendre(int n, double x); /* x of [-1, 1] */
/* Lagrange polynomial number i of n nodes at x, and its derivative */
double tni_lagrange(int n, const double *node, int i, double x);
double tni_lagrange_rate(int n, const double *node, int i, double x);

#endif
