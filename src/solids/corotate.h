/* solids/corotate.h - large rotations around elements that are linear or plastic in axes of their own
 *
 * The axes E (columns) of an element turn with it. Local displacements and rotations are what is left,
 *
 *   ub_a = E^T (x_a - x_c) - E0^T (X_a - X_c),   th_a = log(E^T T_a E0),
 *
 * and an energy of them gives f = R P^T Hm^T fb with P = 1 - S G: G is the spin of E by local motions, S a spin's motions,
 * Hm takes spins to changes of th. The tangent is the derivative of f for spins in ground axes, exact when the derivative of
 * G is given; it is not symmetric away from equilibrium.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COROTATE_H
#define TNI_COROTATE_H

#include "solids/solid.h"

enum { TNI_COROT_NODES = 8, TNI_COROT_NV = 6*TNI_COROT_NODES };

typedef struct tni_corotation {
  int nn, nv;
  double E0[9], E[9];                  /* axes at rest and now, columns in ground axes          */
  double Xl[TNI_COROT_NODES][3];       /* local places at rest                                  */
  double xl[TNI_COROT_NODES][3];       /* now                                                   */
  double ub[TNI_COROT_NV];             /* local displacements and rotations                     */
  double G[3][TNI_COROT_NV];           /* to be filled by the element                           */
} tni_corotation;

/* The rotations of the nodes at large displacements: those given, or where none are given and no node has turned (u [nn][6]),
 * `still` filled with ones; NULL: they are missing */
const double *tni_corotate_turn(int nn, const double *u, const double *turn, double still[TNI_COROT_NODES][9]);
/* E0 is set; X at rest */
void tni_corotate_rest(tni_corotation *c, int nn, const double *X);
/* E is set; u [nn][6], turn [nn][9] */
void tni_corotate_now(tni_corotation *c, const double *X, const double *u, const double *turn);
/* small displacements: ub = E0^T u */
void tni_corotate_small(tni_corotation *c, const double *u);

/* f, K (NULL: not wanted) in ground axes from fb, Kb in local ones. dG (may be NULL): D [nv][nv] = derivative of G^T mu by
 * local places for the mu given. Kb is destroyed. */
typedef void (*tni_corotate_dG)(const tni_corotation *c, const double mu[3], double *D);
void tni_corotate_back(const tni_corotation *c, bool large, const double *fb, double *Kb, tni_corotate_dG dG,
                       double *f, double *K);

#endif
