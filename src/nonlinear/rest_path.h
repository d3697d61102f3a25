/* nonlinear/rest_path.h - equilibria of meshes along a load parameter, through limit points and bifurcations
 *
 * As nonlinear/path.h, for systems without constraints whose stiffness is a large sparse matrix: steps are measured by the mean square of
 * displacements (rotations times the size of the model), corrections go in the plane across the tangent (E. Riks 1972),
 *
 *   a = -K^-1 r,   b = -K^-1 r_t,   dt = (gap - n.a)/(n.b + n_t),   dq = a + dt b,
 *
 * and critical points are where the number of negative pivots changes: found by bisection, told apart by the vector phi that loses its
 * stiffness: the load turns back (phi.r_t != 0), or the path branches.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_PATH_H
#define TNI_REST_PATH_H

#include "nonlinear/path.h"
#include "nonlinear/rest.h"

typedef struct tni_rest_path_opts {
  double from, until; /* ends when t leaves the interval, or turns back by its length    */
  int steps;          /* of about this length of the interval                            */
  int max_points;     /* 0: 50 steps                                                     */
  double tolerance;   /* 0: 1e-10                                                        */
  bool switch_branch; /* leave the path at the first bifurcation                         */
  /* called for every point, q being there; worst: of a critical point, the unknown that moves most without force */
  tn_status (*point)(void *user, const tni_path_point *p, const tni_rest_report *r, int worst);
  void *user;
} tni_rest_path_opts;

/* From an equilibrium q at opts->from, in place. TN_NO_PROGRESS with a message when the steps become too short. */
tn_status tni_rest_path_follow(tni_rest *w, tni_data *s, double *q, const tni_rest_path_opts *opts, tni_path_report *report);

#endif
