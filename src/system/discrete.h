/* system/discrete.h - the equations of motion over one step that keep the energy
 *
 * From (q0, v0) at t to (q1, v1) at t + h, with the increment dx = (dr, Theta) of every body:
 *
 *   r1 = r0 + dr,    A1 = A0 cay(~Theta),    dr = h (v0 + v1)/2,    Theta = h (w0 + w1)/2
 *   m (v1 - v0)                          = h F          (force, ground)
 *   A1 I w1 - A0 I w0                    = h A_mid T    (torque, axes halfway)
 *   Phi(t + h, q1) = 0,  nonholonomic rows hold halfway
 *
 * cay is Cayley's map: Theta has the same components before, halfway and after, so that the work of
 * the torque, Theta.T, is the change of the rotational energy; likewise dr.F. What is left is to
 * make the work of every force the change of its potential minus what it dissipates:
 *
 *   elements         mean stress of both ends of the step on the strain operator halfway, and a
 *                    multiple of the strain rate that closes the balance: no resultant, no moment
 *   other forces     as halfway, and a multiple of M dx over its bodies that closes the balance
 *   constraint rows  J with the mean of r and of the matrix A: exact for all rows that are
 *                    quadratic in them, since then J dx = Phi1 - Phi0; others are corrected so.
 *                    Moments about mean arms in axes halfway: the same work, and no moment of the pair
 *
 * The total energy then changes by what is put in and dissipated only, to the accuracy to which the
 * equations are solved. Linear and angular momentum of systems whose forces are those of elements and
 * of joints made of points and directions of different bodies (ball, hinge, universal, fixed) are kept
 * too; rows with two vectors of the same body (sliding) keep angular momentum to second order.
 *
 * Source of the ideas: Simo and Tarnow (1992), Gonzalez (1996), Romero and Armero (2002), Betsch and
 * Steinmann (2002). Theory notes, "Energy-momentum method". Cartesian representation only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DISCRETE_H
#define TNI_DISCRETE_H

#include "system/system.h"

typedef struct tni_discrete tni_discrete;

/* In the arena. TN_ERR_UNSUPPORTED when the system is not cartesian. */
tn_status tni_discrete_create(tni_data *s, tni_arena *arena, tni_discrete **out);
/* Pattern of the matrix of the unknowns (dx, lambda): n = nv + m. */
const tni_sparsity *tni_discrete_pattern(const tni_discrete *d);
/* Begin a step. */
void tni_discrete_begin(tni_discrete *d, double t, const double *q, const double *v);
/* Residual r [nv + m] at dx [nv], lambda [m]; with value [nnz] also its derivative, in which terms
 * of second order in the step are left out. */
void tni_discrete_eval(tni_discrete *d, double h, const double *dx, const double *lambda, double *r,
                       double *value);
/* End of the step as last evaluated: state and quadratures (z is added to). */
void tni_discrete_end(tni_discrete *d, double h, const double *lambda, double *q1, double *v1,
                      double *z);

#endif
