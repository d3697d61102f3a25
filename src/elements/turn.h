/* elements/turn.h - vector functions of a finite rotation, with two derivatives
 *
 * Everything a beam needs of a rotation vector psi has one form, linear in a second vector y:
 *
 *   F(psi, y) = y + a psi x y + b psi x (psi x y),      a, b functions of s = psi.psi
 *
 *   exp(-~psi) y            a = -sin(th)/th             b = (1 - cos(th))/th^2      th = |psi|
 *   J_r(psi) y              a = -(1 - cos(th))/th^2     b = (th - sin(th))/th^3
 *   J_r^-1(psi) y           a =  1/2                    b = (1 - th/2 cot(th/2))/th^2
 *   J_l^-1(psi) y           a = -1/2                    b   the same
 *
 * (J_r: body-fixed angular velocity from the rate of psi; J_l: space-fixed.) The inverses are good
 * up to |psi| < 2 pi, the others for |psi| <= 3.3: relative rotations inside an element are at most
 * pi. J_r(psi)^T = J_l(psi), so that transposes are of the same form.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ELEMENT_TURN_H
#define TNI_ELEMENT_TURN_H

#include "base/vec.h"

/* value and two derivatives by s of a and b */
typedef struct tni_turn {
  double a[3], b[3];
} tni_turn;

tni_turn tni_turn_exp(const double psi[3]);     /* exp(-~psi)          */
tni_turn tni_turn_tangent(const double psi[3]); /* J_r                 */
tni_turn tni_turn_inverse(const double psi[3]); /* J_r^-1, a = +1/2    */
tni_turn tni_turn_flip(const tni_turn *t);      /* a with the other sign: psi -> -psi */

/* F */
static inline void tni_turn_apply(double f[3], const tni_turn *t, const double psi[3],
                                  const double y[3]) {
  double c[3], s = vec3_dot(psi, psi), q = vec3_dot(psi, y);
  vec3_cross(c, psi, y);
  for (int i = 0; i < 3; i++) f[i] = y[i] + t->a[0]*c[i] + t->b[0]*(q*psi[i] - s*y[i]);
}
void tni_turn_matrix(double M[9], const tni_turn *t, const double psi[3]); /* dF/dy */
void tni_turn_by_psi(double M[9], const tni_turn *t, const double psi[3], const double y[3]);
/* gradient of n.F by psi */
void tni_turn_gradient(double g[3], const tni_turn *t, const double psi[3], const double y[3],
                       const double n[3]);
/* second derivatives of n.F: H by psi twice, X by psi (rows) and y (columns) */
void tni_turn_hessian(double H[9], double X[9], const tni_turn *t, const double psi[3],
                      const double y[3], const double n[3]);
/* Exact differences: F(psi1, y1) - F(psi0, y0) = P (psi1 - psi0) + Y (y1 - y0), with P and Y smooth
 * and symmetric in both ends. sign -1: a with the other
 * sign. */
typedef tni_turn (*tni_turn_form)(const double psi[3]);
void tni_turn_difference(double P[9], double Y[9], tni_turn_form form, double sign,
                         const double psi0[3], const double y0[3], const double psi1[3],
                         const double y1[3]);

#endif
