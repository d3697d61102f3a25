/* nonlinear/path.h - equilibria along a load parameter, through limit points and bifurcations
 *
 * The parameter is t. Points x = (q, t) on a path of equilibria have a unit tangent n = (delta, dt) in
 * the metric
 *
 *   |(delta, dt)|^2 = delta^T W delta/Lq^2 + dt^2/Lt^2
 *
 * A step of length ds predicts x + ds n and corrects in the plane n.(x - x_0) = ds by Newton's method
 * on the bordered system (E. Riks 1972, M. A. Crisfield 1981; in the plane as by Riks)
 *
 *   [ H    g_t ] [ y  ]     [ -g                 ]
 *   [ n_y  n_t ] [ dt ]  =  [ ds - n.(x - x_0)   ]
 *
 * Where the number of negative eigenvalues of H changes between two points, the point between them
 * where one vanishes is located. With its vector phi it is a limit point if phi.g_t != 0 (the load
 * turns) and a bifurcation else; at a bifurcation the path may be left along phi.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PATH_H
#define TNI_PATH_H

#include "nonlinear/equilibrium.h"

typedef enum { TNI_POINT_PLAIN = 0, TNI_POINT_LIMIT, TNI_POINT_BIFURCATION } tni_point_kind;

typedef struct tni_path_point {
  tni_point_kind kind;
  double t;
  int nnegative;
  double length;      /* of the path so far, in its metric                               */
} tni_path_point;

typedef struct tni_path_opts {
  double from, until; /* ends when t leaves the interval, or turns back by its length    */
  int steps;          /* of about this length of the interval                            */
  int max_points;     /* 0: 50 steps                                                     */
  double tolerance;   /* 0: 1e-10                                                        */
  bool switch_branch; /* leave the path at the first bifurcation                         */
  /* called for every point with e->ts at it; a status other than TN_OK ends the path     */
  tn_status (*point)(void *user, const tni_equilibrium *e, const tni_path_point *p);
  void *user;
} tni_path_opts;

typedef struct tni_path_report {
  int points, iterations, rejected;
  bool ended;         /* reached `until` (or `from` again)                               */
} tni_path_report;

/* From an equilibrium q at opts->from, in place. TN_NO_PROGRESS with a message when the steps become
 * too short. */
tn_status tni_path_follow(tni_equilibrium *e, tni_arena *arena, double *q,
                          const tni_path_opts *opts, tni_path_report *report);

/* The kind of a point where an eigenvalue vanishes: e->ts at it, eigenvalue number k. */
tni_point_kind tni_path_kind(tni_equilibrium *e, int k);

#endif
