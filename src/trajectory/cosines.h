/* trajectory/cosines.h - trajectories in direction cosines, body by body, as one linear-quadratic system
 *
 * Anderson and Oghbaei's form: unknown functions of time are for each body quasi-coordinates q with q' = w, the place x of
 * the centre of mass and the nine direction cosines C (in the plane q, x, y, cos q, sin q), polynomials of degree k on each of n
 * equal elements, and for each row of the joints a multiplier of degree p < k; all continuous in value. Weak equations, tested
 * by functions v of time:
 *
 *   Newton    [m x' v] - int m x' v' - int (F - sum lambda g_x) v = 0
 *   Euler     [I w v] - int I w v' + int (w x I w - T + sum lambda P(C)^T g_C) v = 0
 *   Poisson   int (C' - P(C) w) v = 0                     P(C) w = C ~w
 *   joints    int (g_x.x' + g_C.(P(C) w or C')) z = 0      z in the space of the multipliers
 *
 * with the rows g quadratic in (x, C) (system/cosines.h). Velocities at the beginning enter by the boundary terms; tests of the last
 * node are left out, and so are the momenta at the end found: P = -(everything tested by the last function).
 *
 *   rule          Poisson tested by                  integrals
 *   literal       continuous, as the others          exact
 *   discontinuous polynomials of degree k-1 apart    exact
 *   gauss         the same                           Poisson and joints with k points: collocation, C^T C = 1 at ends
 *
 * These systems are not causal: a multiplier is known when its last node is.
 *
 *   collocation   everything at the k points, velocities continuous, multipliers of degree k - 1 apart, velocities at ends of elements
 *                 projected onto the constraints (trajectory/cosines_points.c): causal, order 2k, gaps of quadratic rows zero to rounding
 *
 * Source: K. S. Anderson, M. Oghbaei, Dynamic simulation of
 * multibody systems using a new state-time methodology, 2005.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COSINES_H
#define TNI_COSINES_H

#include "linsolve/chain.h"
#include "linsolve/sparse.h"
#include "system/cosines.h"
#include "trajectory/gauss.h"

typedef enum { TNI_RULE_LITERAL, TNI_RULE_DISCONTINUOUS, TNI_RULE_GAUSS, TNI_RULE_COLLOCATION } tni_cosine_rule;

typedef struct tni_cosine_opts {
  int order, force_order, elements; /* k, p < k, n                                 */
  tni_cosine_rule rule;
  bool by_rates;   /* rows of joints by C' in place of P(C) w; quadratic ones only   */
  int load_points; /* points that forces are evaluated at, 0: k                     */
  double compliance; /* rows give way by so much times their multiplier, all of them are used; 0: the independent ones hold */
  bool unprojected; /* collocation: velocities at ends as the polynomials leave them */
  int groups;      /* steps by elimination over a tree of so many groups of elements, at most one for each, and where the context has ranks of
                      as many as those, each with its own; 0: the sparse matrix as a whole */
  tni_point_kind kind; /* collocation: points                                       */
  double t, h;     /* beginning, length of an element                               */
} tni_cosine_opts;

typedef struct tni_cosines tni_cosines;

/* From the state of the bodies kin [nbody+1]. s: cartesian, borrowed. TN_ERR_ARGUMENT: p is not smaller
 * than k. */
tn_status tni_cosines_create(tn_ctx *ctx, tni_data *s, const tni_kin *kin, const tni_cosine_opts *opts, tni_cosines **out);
void tni_cosines_destroy(tni_cosines **c);

/* TN_INCONSISTENT names the joint that the velocities at the beginning violate */
tn_status tni_cosines_check_beginning(tni_cosines *c);

int tni_cosines_n(const tni_cosines *c);                 /* unknowns                              */
int tni_cosines_m(const tni_cosines *c);                 /* multipliers at a time                 */
/* of the matrix: entries of functions that overlap in time, bandwidths */
void tni_cosines_pattern(const tni_cosines *c, int *nnz, int *below, int *above);
double *tni_cosines_unknowns(tni_cosines *c);            /* [n]                                   */

/* Guesses: as the bodies begin; or moving with constant velocities. */
void tni_cosines_guess_rest(tni_cosines *c);
/* body b at node i (time h i/k) has place and matrix of kin [nbody+1], angle q about z in the plane */
void tni_cosines_guess_node(tni_cosines *c, int node, const tni_kin *kin, const double *q);

/* residual [n] at the present unknowns, and with `matrix` the matrix, kept inside; collocation: of its first element */
void tni_cosines_eval(tni_cosines *c, double *R, bool matrix);
/* y := J x with the matrix of the last evaluation */
void tni_cosines_apply(const tni_cosines *c, const double *x, double *y);
/* Newton's method with damping; TN_NOT_CONVERGED, TN_SINGULAR. *iterations may be NULL. Collocation: element by element, from guesses of
 * its own; *iterations is the mean, rounded up. */
tn_status tni_cosines_solve(tni_cosines *c, int max_iterations, double tol, bool damped, int *iterations);

/* Fields at time t: for body b q [1 or 3], x [2 or 3], C [2 or 9], each may be NULL; multiplier of kept row r */
void tni_cosines_look(const tni_cosines *c, double t, int b, double *q, double *x, double *C);
double tni_cosines_multiplier(const tni_cosines *c, double t, int r);
/* velocities of body b at the end of element e from the momenta there: v [2 or 3], w [1 or 3] */
void tni_cosines_end_velocity(tni_cosines *c, int e, int b, double *v, double *w);
/* largest entry of C^T C - 1 over all ends of elements, of gaps of rows likewise */
double tni_cosines_skewness(const tni_cosines *c);
double tni_cosines_gap(const tni_cosines *c);

/* ---- element by element, for the solver of chains (linsolve/chain.h) ------------------------ */

/* Step dz = -J^-1 R by structured elimination of the hybrid form over `groups` groups of elements, which are eliminated by
 * themselves, then pairwise. Same unknowns as tni_cosines_solve. */
tn_status tni_cosines_chain_step(tni_cosines *c, int groups, double *dz);
/* the same by the ranks of comm, each with a trajectory of its own and the elements of one group; all get dz */
tn_status tni_cosines_chain_step_ranks(tni_cosines *c, tni_comm *comm, double *dz);
int tni_cosines_chain_width(const tni_cosines *c); /* unknowns of a boundary */
tni_chain_work tni_cosines_chain_work(const tni_cosines *c); /* of the last such step */

#endif
