/* integrators/turn.h - rotations in local coordinates
 *
 * A = A_0 exp(~x) for three components x. With T = T(x) the tangent of the exponential in body axes,
 *
 *   w = T x',     T = 1 - a ~x + b ~x^2,   a = (1 - cos|x|)/|x|^2,   b = (|x| - sin|x|)/|x|^3
 *   w' = T x'' + T' x'
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TURN_H
#define TNI_TURN_H

/* coefficients of T and its rate */
typedef struct tni_turn {
  double a, b;   /* T = 1 - a ~x + b ~x^2                         */
  double a1, b1; /* da/dt = a1 x.x', db/dt = b1 x.x'              */
  double k;      /* T^-1 = 1 + ~x/2 + k ~x^2                      */
} tni_turn;

tni_turn tni_turn_at(const double x[3]);
/* w = T xd;  w = T^T xd;  xd = T^-1 w */
void tni_turn_rate(const tni_turn *c, const double x[3], const double xd[3], double w[3]);
void tni_turn_rate_t(const tni_turn *c, const double x[3], const double xd[3], double w[3]);
void tni_turn_local_rate(const tni_turn *c, const double x[3], const double w[3], double xd[3]);
/* xdd = T^-1 (wd - T' xd) */
void tni_turn_local_accel(const tni_turn *c, const double x[3], const double xd[3],
                          const double wd[3], double xdd[3]);

#endif
