/* integrators/event.h - where switching functions become negative inside a step
 *
 * The contract between elements, finder, analysis and integrator, in one place:
 *
 *   memory     Modes of elements (open, loading; slack, taut; stuck, sliding ...) live in the discrete
 *              memory and are constant during a step, so that all that an integrator sees is smooth.
 *   functions  g_i(t, q, v; memory) >= 0 as long as the modes are right, < 0 where a mode is wrong.
 *              `commit` at a state with g_i < 0 changes that mode. A function that does not apply is 1.
 *   location   `find` looks for the first time in the last step at which a function is negative. The
 *              state there is the dense output *projected on the constraints*, e->q, e->v, e->z: the
 *              same state is judged here, switched by the analysis and started from. A function that is
 *              negative between the ends of a step only before projection has not changed sign.
 *   switching  The analysis commits at that state until no function is negative any more. Modes and
 *              geometry agree then, whatever has happened before, and so at the end of every step: a
 *              step at whose end they do not agree is cut by `find`. Switching for ever is an error.
 *   restart    `start` takes the state after switching: all functions are >= 0 there, no side of a zero
 *              has to be remembered.
 *
 *   create -> start -> { step; find -> at an event: switch, start the integrator there, start } ...
 *
 * The steps are not touched: the analysis goes back to the event.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EVENT_H
#define TNI_EVENT_H

#include "integrators/integrator.h"

/* g at a state; returns the largest angular speed of any body there [rad/s] */
typedef double (*tni_event_fn)(void *user, double t, const double *q, const double *v, double *g);

/* function i alone; g may be written */
typedef double (*tni_event_one_fn)(void *user, double t, const double *q, const double *v, int i, double *g);

enum { TNI_EVENT_SAMPLES = 48 }; /* points of a step that are looked at, at most */

typedef struct tni_event_finder {
  tni_arena arena;
  int ng;
  tni_event_fn fn;
  tni_event_one_fn one; /* NULL: all of them, and look at one                      */
  void *user;
  /* the event found last */
  tni_state found;    /* t: some function is negative; q, v, z: state there      */
  int index;          /* the one that was found first                           */
  /* work */
  int n;                        /* samples                                      */
  double at[TNI_EVENT_SAMPLES]; /* their times                                  */
  double *g[TNI_EVENT_SAMPLES]; /* [ng] values                                  */
  double *g_start;              /* [ng] at the beginning of the next step       */
  double t_start;               /* time of g_start, NAN: not known              */
  double *g_try;                /* [ng] values at a point tried                 */
  long nevaluate;               /* evaluations so far                           */
} tni_event_finder;

/* nq, nv: of the largest system it will see. fn and user are borrowed. Allocates everything; ng may be 0. `one` may be set
 * afterwards: where functions are many, it saves most of the work of finding a zero. */
tn_status tni_event_create(tn_ctx *ctx, int nq, int nv, int ng, tni_event_fn fn, void *user,
                           tni_event_finder **out);
void tni_event_destroy(tni_event_finder **e);

/* Begin, or go on, at a state. Returns a function that is negative there, -1 if none is. */
int tni_event_start(tni_event_finder *e, double t, const double *q, const double *v);
/* Looks for the first event in the last step of the integrator; e->found and index tell. Time is
 * exact to 1e-12 of the step or a few units in the last place of t. */
tn_status tni_event_find(tni_event_finder *e, tni_integrator *it, bool *found);
/* After find: methods with `repeat` take the step again so that it ends at the event, where the function is
 * a hair beyond zero; found.t is then the end of the step. Nothing happens for the others. */
tn_status tni_event_land(tni_event_finder *e, tni_integrator *it);
/* The event is at the end of the step: e->found. */
tn_status tni_event_stay(tni_event_finder *e, tni_integrator *it);

#endif
