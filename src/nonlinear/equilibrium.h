/* nonlinear/equilibrium.h - where a constrained system stays at rest
 *
 *   C^T lambda = f(t, q, 0),    Phi(t, q) = 0
 *
 * by Newton's method in the space that the constraints leave (nonlinear/tangent_space.h), with the
 * exact tangents. Far from the solution the step is kept short enough for the tangent to mean
 * something, in one of three ways:
 *
 *   DOWNHILL  the shifted stiffness H + mu 1 is positive definite, so that every step goes the way
 *             the forces pull, as a strongly damped motion would; ends in stable equilibria unless
 *             the start is one that is not
 *   NEAREST   Newton's step, at need shortened until |g| falls; finds unstable equilibria as well
 *   STABLE    downhill, and an unstable equilibrium is left along its most negative direction
 *
 * Directions without stiffness and without force are left alone (step of least norm).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EQUILIBRIUM_H
#define TNI_EQUILIBRIUM_H

#include "nonlinear/tangent_space.h"

typedef enum { TNI_DOWNHILL = 0, TNI_NEAREST, TNI_STABLE } tni_search;

typedef struct tni_equilibrium_opts {
  tni_search search;
  double tolerance;   /* of |g| relative to the forces; 0: 1e-10                             */
  int max_iterations; /* 0: 300                                                              */
} tni_equilibrium_opts;

typedef struct tni_equilibrium_report {
  int iterations, rejected;
  int left;             /* unstable equilibria that were left                                */
  double residual;      /* |g| relative to the forces                                        */
  double force, moment; /* residual on the node that has the largest [N], [N m]              */
  int node;             /* that node, -1: none                                               */
  const char *passed;   /* contact that what moves with t passed through on its way to t; NULL: none */
  int nnegative, nfree; /* of the stiffness: negative eigenvalues, directions without it     */
} tni_equilibrium_report;

typedef struct tni_equilibrium {
  tni_tangent_space ts;  /* at the solution after solve                                      */
  double *delta;         /* [n] step                                                         */
  double *q, *q_try; /* [nq]                                                                   */
  tni_state start;       /* to return to                                                      */
  double *memory;        /* [nmemory] where the search began                                 */
  double *part;          /* [n] of a step                                                    */
  double *v;             /* [n]                                                              */
} tni_equilibrium;

/* Memory from the arena, factors of large models freed by destroy, also after a failed create. */
tn_status tni_equilibrium_create(tni_arena *arena, tni_data *s, tni_space_form form,
                                 tni_equilibrium *out);
void tni_equilibrium_destroy(tni_equilibrium *e);
/* From q, in place. TN_NOT_CONVERGED with a message that names the body that does not come to rest
 * or the direction in which nothing holds it; q is then where the search ended. */
tn_status tni_equilibrium_solve(tni_equilibrium *e, double t, double *q,
                                const tni_equilibrium_opts *opts, tni_equilibrium_report *report);

/* move q by delta and back to the constraints at t */
tn_status tni_equilibrium_move(tni_equilibrium *e, double t, const double *q, const double *delta,
                               double *q_out);

#define TNI_LEVER 0.1 /* added to the radii of gyration, part of the extent of the nodes */
/* |y| of a step on which every node moves by `size` and turns by a radian */
double tni_widest_step(const tni_tangent_space *ts, double size);

#endif
