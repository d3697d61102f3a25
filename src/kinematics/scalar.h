/* kinematics/scalar.h - scalar functions of the poses of two bodies, with exact derivatives
 *
 * Every holonomic joint equation, joint coordinate, spring length and measured position is a scalar
 * function s(q) made from dot products of vector quantities
 *
 *   u = g + sum over slots b of ( c_b r_b + A_b x_b )          (ground components)
 *
 * with g constant in the ground frame, c_b in {-1, 0, 1} and x_b fixed in body b: a direction fixed
 * in a body (c = 0), a separation of two body-fixed points (c = -1, +1), a constant vector.
 *
 *   DOT     s = offset + sum_k weight_k (a_k . b_k)
 *   LENGTH  s = offset + sqrt(a . a),    one term of weight 1
 *   ANGLE   s = offset + atan2(S, C),    S the first nsin terms, C the others; counted through turns
 *
 * Derivatives are taken along the local perturbation of a pose
 *   r -> r + delta_r (ground),   A -> A exp(~delta_theta) (body),   ordered (delta_r, delta_theta).
 * Write D_w for the derivative along w = (w_r, w_theta). With J w = D_w s:
 *   rate   = J v
 *   bias   = D_v (J v)            so that  s'' = J v' + bias
 *   B      : w^T B delta = D_delta (J w), w fixed components; not symmetric in the rotations
 *   bias_q : D_delta bias = bias_q . delta, v fixed
 *   d(rate)/d(delta) = v^T B,  d(bias)/dv = v^T (B + B^T)
 * Theory notes, section "Scalar functions".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCALAR_H
#define TNI_SCALAR_H

#include <stdbool.h>

#include "base/vec.h"

enum { TNI_GROUND = -1 };

/* pose and velocity of a body as mechanics sees it; [0] of an array of them is the ground */
typedef struct tni_kin {
  double r[3]; /* centre of mass, ground                        */
  double A[9]; /* body to ground                                */
  double v[3]; /* velocity of the centre of mass, ground        */
  double w[3]; /* angular velocity, body components             */
  double W[3]; /* the same, ground components                   */
} tni_kin;

void tni_kin_ground(tni_kin *k); /* identity at rest */

typedef struct tni_vecq {
  double g[3];    /* constant part, ground components              */
  double c[2];    /* factor of r of slot 0, 1                      */
  double x[2][3]; /* body-fixed part of slot 0, 1, body components */
} tni_vecq;

typedef enum { TNI_SCALAR_DOT, TNI_SCALAR_LENGTH, TNI_SCALAR_ANGLE } tni_scalar_kind;

enum { TNI_SCALAR_MAXTERM = 4 };

typedef struct tni_scalar {
  tni_scalar_kind kind;
  int body[2]; /* bodies of the two slots, TNI_GROUND allowed                        */
  int nterm, nsin;
  struct {
    double weight;
    tni_vecq a, b;
  } term[TNI_SCALAR_MAXTERM];
  double offset;
  int memory; /* ANGLE: index of the angle at the last accepted step in the memory, or -1 */
} tni_scalar;

/* constructors; body frames, slot 0 = body0, slot 1 = body1 */
tni_vecq tni_vecq_direction(int slot, const double a[3]);
tni_vecq tni_vecq_constant(const double g[3]);
/* from the point s0 on slot 0 to the point s1 on slot 1 */
tni_vecq tni_vecq_separation(const double s0[3], const double s1[3]);
/* s = a . b + offset */
tni_scalar tni_scalar_dot(int body0, int body1, tni_vecq a, tni_vecq b, double offset);
/* |separation| + offset */
tni_scalar tni_scalar_length(int body0, int body1, tni_vecq d, double offset);
/* Angle of frame 1 against frame 0 about their common z axis (the twist of swing-twist):
 * atan2(y0.x1 - x0.y1, x0.x1 + y0.y1), frames given by R_BF (columns are the axes). */
tni_scalar tni_scalar_twist(int body0, int body1, const double R0[9], const double R1[9],
                            int memory);

/* The same packed, for the value alone: many are asked for after every step. */
typedef struct tni_twist {
  double x[2][3], y[2][3]; /* axes of the frames in their bodies */
  double offset;
} tni_twist;
/* false: s is not of that form */
bool tni_scalar_is_twist(const tni_scalar *s, tni_twist *out);
double tni_twist_value(const tni_twist *t, const tni_kin *k0, const tni_kin *k1, double last);

enum {
  TNI_S_VALUE = 1,   /* s                     */
  TNI_S_JACOBIAN = 2,/* J                     */
  TNI_S_RATE = 4,    /* rate, bias            */
  TNI_S_SECOND = 8,  /* B                     */
  TNI_S_BIAS_Q = 16  /* bias_q, beside SECOND */
};

typedef struct tni_scalar_out {
  double s, rate, bias;
  double J[12];   /* slot 0: 0..5, slot 1: 6..11 */
  double B[144];  /* row-major, B[12*w + delta]  */
  double bias_q[12];
} tni_scalar_out;

/* Evaluate what is asked (a mask of the above; lower levels are always included). k0, k1 are the
 * bodies of the slots. last is the remembered angle of an ANGLE (the result is within pi of it);
 * ignored otherwise. The columns of a ground slot are computed like any other: the caller drops
 * them. */
void tni_scalar_eval(const tni_scalar *s, const tni_kin *k0, const tni_kin *k1, double last,
                     unsigned what, tni_scalar_out *out);

/* of a LENGTH: the vector */
void tni_scalar_separation(const tni_scalar *s, const tni_kin *k0, const tni_kin *k1, double d[3]);

#endif
