/* integrators/quadrature.h - work done, from its rates at the ends of steps and, where these do not tell it, inside
 *
 * Rates z' at the ends of the last steps are interpolated by a cubic polynomial, which is integrated
 * over the step: no evaluation is spent, the error is of order h^4. A first step has no past: its method
 * gives the rates in its middle, too.
 *
 * The error of motions steers steps, that of the work does not: where motions are prescribed, steps grow as they like while
 * the forces of drives change. So the error is estimated, by what one point more of the past would change, and added up.
 * Before it passes a part of what the tolerance leaves of the work done so far, the step is looked into: rates at the states
 * between its ends, halved until they tell the work (Romberg's rule). Only the work is found by them: no step and no
 * motion depends on it. Steps that are given (`equal_steps`) are not looked into.
 *
 * A stiff force is in balance with accelerations at points of collocation only. Anywhere else, the beginning of the step
 * among them, it is as far off as the formula has lost of its order, always to the same side, and no rate shows it. But the
 * sum over the points with their weights is as good as the motion is: M v' = f + C^T lambda holds at each of them, and v.M v'
 * adds up to the change of kinetic energy. So for a method with such points what the filter of its error takes away tells
 * the work that may be hidden, and where that is too much the rates at the points decide, not those of panels.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_QUADRATURE_H
#define TNI_QUADRATURE_H

#include "integrators/integrator.h"

enum { TNI_QUADRATURE_POINTS = 4, TNI_QUADRATURE_PANELS = 256 };

/* plain numbers: saved and loaded as they are */
typedef struct tni_quadrature {
  double n; /* points known */
  double t[TNI_QUADRATURE_POINTS], rate[TNI_QUADRATURE_POINTS][TNI_NZ]; /* latest first */
  double booked;      /* work of either sign since the run began                                 */
  double off[TNI_NZ]; /* the errors that it is estimated to have; of the last step, either sign: */
  double last_off;
} tni_quadrature;
enum { TNI_QUADRATURE_NUMBERS = sizeof(tni_quadrature)/sizeof(double) };

/* Points of a step at which a method has the forces in balance, the end among them, with the weights of its formula */
typedef struct tni_collocation {
  int n;
  const double *node, *weight;
} tni_collocation;

/* what was seen inside of the last step */
typedef struct tni_quadrature_inside {
  const tni_collocation *points; /* NULL: a method without */
  double *stiff; /* [nv] change of velocities over the step that stiff forces out of balance would make at its beginning */
  double hidden; /* work of these forces */
  int panels;  /* of equal length; 0: nothing was looked at */
  bool at_points; /* the rates are those at the points */
  double rate[TNI_QUADRATURE_PANELS + 1][TNI_NZ]; /* at their ends */
  double z1[TNI_NZ]; /* z at the end of the step */
  double *q, *v, *a, *lambda;
} tni_quadrature_inside;
tn_status tni_quadrature_create(tni_arena *arena, const tni_data *s, tni_quadrature_inside *in);
/* Looks into the step from t_old to now, which has been accepted and can be interpolated, with the rates at its ends, until the
 * work is known to `allowed`. False: nobody can look there, panels = 0. Leaves the system at the end of the step. */
bool tni_quadrature_look(tni_quadrature_inside *in, tni_integrator *it, const double *rate0, const double *rate1, const double *z0,
                         double allowed);
/* z at t inside of a step that was looked into, from z0 at its beginning; at its end z1 */
void tni_quadrature_seen(const tni_quadrature_inside *in, const tni_integrator *it, const double *z0, double t, double *z);

void tni_quadrature_push(tni_quadrature *w, double t, const double *rate);
/* After the step from t_old to now has been accepted and can be interpolated: it->now.z from z0 at its beginning and the rate at
 * its end. Leaves the system at the end of the step. */
void tni_quadrature_book(tni_quadrature *w, tni_quadrature_inside *in, tni_integrator *it, const double *rate1, const double *z0);
/* z at t inside of that step */
void tni_quadrature_between(const tni_quadrature *w, const tni_quadrature_inside *in, const tni_integrator *it, const double *rate1,
                            const double *z0, double t, double *z);

#endif
