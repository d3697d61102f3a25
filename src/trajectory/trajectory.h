/* trajectory/trajectory.h - a motion over many elements of time as one system of equations
 *
 * Elements (trajectory/slab.h) follow each other: the end of one is the beginning of the next. Newton's method
 * changes all of them at once. Its matrix is a chain, block by block below the diagonal,
 *
 *   J_e dz_e = -R_e - B_e dy_(e-1),    y_e the state at the end of e, a part of z_e
 *
 * so that residuals, matrices and factors, most of the work, are made for all elements at the same time, and one substitution
 * per element runs along the chain. The next iteration follows behind it (parallel/wave.h), and the first one behind the guess. An
 * element before which nothing moves any more is right, whatever those after it do.
 *
 * Factors serve for several iterations: an element gets new ones where that saves more visits than it costs, by how far its unknowns have
 * strayed from where the factors were made and by how fast changes became smaller. A neighbouring trajectory lends its own (follow).
 *
 * Where the context has ranks, each has neighbouring elements; the state at the end of the last one goes on as a message (parallel/wave.h). All
 * know the whole trajectory afterwards, with the bits of one rank.
 *
 * A trajectory that is solved keeps its factors: what the beginning or a parameter changes at all times costs substitutions only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TRAJECTORY_H
#define TNI_TRAJECTORY_H

#include "trajectory/slab.h"

typedef struct tni_trajectory {
  tn_ctx *ctx;
  tni_arena arena;
  tni_data *s;          /* borrowed: names, coordinates                                  */
  tni_slab_shape shape;
  int capacity, ndesk;
  tni_slab *slab;       /* [capacity]                                                    */
  tni_slab coarse;      /* for guesses                                                   */
  tni_slab_desk *desk;  /* [ndesk]                                                       */
  int n;                /* elements in use                                               */
  double length;        /* what counts as one in the size of changes of places           */
  double *unit;         /* [nv] the same for each velocity                               */
  /* elements: where each begins, how it changed in the last sweep */
  double **q0, **v0, **dy;
  int *sweep;           /* of that change                                                */
  double *size;         /* [capacity] of the last change                                 */
  double *last;         /* [capacity] the same, of any factors                           */
  double *before;       /* [capacity] of the one before with the same factors, 0: none   */
  double (*trail)[3];   /* [capacity] the last three changes, the last one first        */
  double *strayed;      /* [capacity] changes since its factors were made, HUGE_VAL: it has none */
  int *made, *made_in;  /* [capacity] factors of this solution, sweep of the last ones   */
  double **far_q, **far_v; /* [capacity] where the coarse element that ends with this one ends */
  double **far_a;       /* [capacity][2 nv] what its accelerations at the points say of those at its beginning and at its end */
  int *span;            /* [capacity] its length in elements, 0: none ends here          */
  bool *regular;        /* [capacity] the matrix of the element has an inverse           */
  int *wave;
  double *post, *all;   /* ranks: a message, unknowns of all elements                    */
  int *from;            /* [ranks + 1] where those of each begin                         */
  double *q, *x, *v, *l, *y; /* at one instant                                           */
  double *zero;         /* [2 nv]                                                        */
  double *march_q, *march_v, *march_v0, *room, *kept; /* of guesses                      */
  /* what was done */
  long iterations, factorizations, coarse_steps;
  int sweeps, refreshed; /* of the last solve: sweeps, most factors of an element        */
  int guessed;          /* and elements that its guess reached                           */
} tni_trajectory;

/* capacity: elements; k: points of each, of that kind. s is prepared for tangents and borrowed. */
tn_status tni_trajectory_create(tn_ctx *ctx, tni_data *s, int k, tni_point_kind kind, int capacity, tni_trajectory **out);
void tni_trajectory_destroy(tni_trajectory **tr);

/* n elements of length h from the state (t, q, v) on with the memory that s has. Nothing is known of them yet. */
void tni_trajectory_begin(tni_trajectory *tr, double t, const double *q, const double *v, int n, double h);
/* the same state, elements with the lengths they have: for a neighbouring trajectory */
void tni_trajectory_restart(tni_trajectory *tr, const double *q, const double *v);

/* Unknowns, matrices and factors of `other`, a solved trajectory of a neighbouring model of the same shape and context, for
 * elements from the state (t, q, v) on; it gets those of tr for them. False: shapes differ, nothing was done. */
bool tni_trajectory_follow(tni_trajectory *tr, tni_trajectory *other, const double *q, const double *v);

/* Guesses for all elements. March: elements `ratio` times as long one after the other, shorter ones where
 * they fail, solved to tol; returns how many of the n elements have a guess. Plain: from the accelerations a, lambda at the beginning of
 * element `from`. */
typedef struct tni_guess {
  int ratio;
  double tol;
  const double *a, *lambda;
} tni_guess;
int tni_trajectory_guess_march(tni_trajectory *tr, const tni_guess *g);
void tni_trajectory_guess_plain(tni_trajectory *tr, int from, const double *a, const double *lambda);

/* Newton's method from a march (g NULL: from what there is); returns how many elements from the beginning on have converged to tol,
 * changes in units of the size of coordinates. An element gets new factors `most` times at most. */
int tni_trajectory_solve(tni_trajectory *tr, const tni_guess *g, int most, double tol);
/* Largest residual of element e, and the name of its equation */
double tni_trajectory_residual(tni_trajectory *tr, int e, char *name, size_t n);
/* Residuals and factors of all elements where they are now: for derivatives. TN_SINGULAR names an element. */
tn_status tni_trajectory_factor(tni_trajectory *tr);

/* State where element e begins; e = n: the end */
const double *tni_trajectory_q(const tni_trajectory *tr, int e);
const double *tni_trajectory_v(const tni_trajectory *tr, int e);
/* State at t inside element e: q, v, l (NULL: not asked for). Not normalized beyond what retract does. */
void tni_trajectory_look(tni_trajectory *tr, int e, double t, double *q, double *v, double *l);

/* Derivatives of the solution, after tni_trajectory_factor. y [2 nv][ncol], column after column: change of the beginning
 * in, of the end of element e out; r [ncol][nz] or NULL: what the equations of the element change by themselves; dz
 * [ncol][nz] or NULL: change of its unknowns. */
void tni_trajectory_change(tni_trajectory *tr, int e, int ncol, const double *r, double *y, double *dz);
/* Transposed: y [2 nv] is what the end of e matters, and becomes what its beginning does; g [nz] or NULL: what its unknowns
 * matter by themselves; mu [nz] becomes what its equations do, with the sign of dg = ... - mu^T dR. */
void tni_trajectory_matter(tni_trajectory *tr, int e, const double *g, double *y, double *mu);

#endif
