/* trajectory/state_time.h - what the files of the method state_time share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STATE_TIME_H
#define TNI_STATE_TIME_H

#include "integrators/common.h"
#include "trajectory/trajectory.h"

enum { TNI_STATE_TIME_COARSE = 4 };    /* elements of the guess, in elements                  */
#define TNI_STATE_TIME_GUESS 1e-4      /* and how well they are solved                        */

enum { TNI_NROUGH = 6 };

/* what belongs to a number of points */
typedef struct {
  tni_trajectory *tr;      /* NULL: not used                                 */
  double rough[TNI_NROUGH][2*TNI_GAUSS_MAX]; /* of accelerations at the points of two elements: their last two
                              Legendre coefficients, the values where they end and begin, the two coefficients before the last two */
  double *J0, chosen;      /* the matrix that pivots were chosen for, the smallest of them */
} tni_state_time_order;

typedef struct {
  tni_integrator base;
  tni_trajectory *tr;      /* of the window in use                           */
  tni_state_time_order order[TNI_GAUSS_MAX + 1];
  int least, most;         /* orders that may be taken                       */
  int wanted;              /* in the next window                             */
  int calm;                /* windows since it was changed                   */
  double decay;            /* of a Legendre coefficient to the next, in the last two elements */
  long by_order[TNI_GAUSS_MAX + 1]; /* elements handed out                    */
  double t0;               /* where equal elements began                     */
  long count;              /* ends of them passed since                      */
  int window, largest;     /* elements to try next, at most                  */
  int ready, next;         /* solved and in use, to be handed out            */
  int halved;              /* the window was cut: an element of 2^-halved    */
  long windows, failed, sweeps;
  tni_state old;           /* beginning of the last element                  */
  double *xi, *x1, *x2, *xd; /* its end as a perturbation of old.q, and its rates; scratch */
  double *bend, *quarter;    /* [3 nv] how much of higher degrees is in it, known if bent; scratch */
  bool bent, through;         /* looked into; its polynomials are those through the points alone */
  double power[TNI_GAUSS_MAX][TNI_NZ];
  bool planar;
  double *angle, *first_angle, *spin, *q_look; /* direction cosines: guesses    */
  tni_kin *kin;           /* [nbody+1] work */
  int unknowns;            /* of their last window                           */
  bool adaptive;           /* elements follow the tolerance, with            */
  double h;                /* this length in the next window,                */
  tni_scale scale;
  double *size0, *size1, *dx, *dv, *dx_old, *dv_old, *ex, *ev; /* errors      */
  double *a_begin;         /* accelerations there                            */
  double *pair;            /* [4 nv] and what two elements say of them       */
} tni_state_time;

/* equal elements of the next window, in w->tr; a halved one is a part of an element. Returns how many. */
int tni_state_time_lay_out(tni_state_time *w);
/* a position where constraints lose their independence, or nothing; are they about to? */
bool tni_state_time_rank(tni_state_time *w, char *out, size_t n);
/* the next window in direction cosines (state_time_cosines.c) */
tn_status tni_state_time_solve_cosines(tni_state_time *w);

#endif
