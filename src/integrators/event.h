/* integrators/event.h - where switching functions change sign inside a step
 *
 * Switching functions g(t, q, v) have a sign each; forces change their law where one changes it.
 * After every step the finder looks for the first change in (t_old, t] on the dense output of the
 * integrator. The steps are not touched: the analysis goes back to the event and starts there.
 *
 *   create -> start -> { step; find -> at an event: start the integrator there, restart } ...
 *
 * The finder remembers on which side of zero each function is. An event is reported just beyond
 * the zero, where the sign has changed, and the new side is remembered even if the state that the
 * analysis makes of it (projection, rounding) lies a hair before the zero: the same crossing is
 * not reported twice. A function that is zero at the start has no side until it leaves zero.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EVENT_H
#define TNI_EVENT_H

#include "integrators/integrator.h"

typedef void (*tni_event_fn)(void *user, double t, const double *q, const double *v, double *g);

enum { TNI_EVENT_SAMPLES = 5 }; /* points of a step that are looked at, both ends included */

typedef struct tni_event_finder {
  tni_arena arena;
  int ng;
  tni_event_fn fn;
  void *user;
  /* the event found last */
  double t;    /* time, sign already changed                                   */
  int index;   /* function that changed its sign first                         */
  bool *fired; /* [ng] all that have changed their sign at t                   */
  /* work */
  double searched;              /* time up to which nothing is left to find    */
  int *side;                    /* [ng] sign of each function, 0: not known    */
  double *q, *v;                /* interpolated state                          */
  double *g[TNI_EVENT_SAMPLES]; /* [ng] values at the samples                  */
  double *g_try;                /* [ng] values at a point tried                */
  double *g_size;               /* [ng] largest |g| of the last step           */
  long nevaluate;               /* evaluations so far                          */
} tni_event_finder;

/* fn and user are borrowed. Allocates everything; ng may be 0. */
tn_status tni_event_create(tn_ctx *ctx, const tni_system *s, int ng, tni_event_fn fn, void *user,
                           tni_event_finder **out);
void tni_event_destroy(tni_event_finder **e);

/* begin at a state */
void tni_event_start(tni_event_finder *e, double t, const double *q, const double *v);
/* True if a function changes its sign in the last step of the integrator; e->t, index, fired tell.
 * Time is exact to 1e-12 of the step or a few units in the last place of t. Called again after the
 * same step it finds the next event there, for those who only want to know. */
bool tni_event_find(tni_event_finder *e, tni_integrator *it);
/* After find: methods with `repeat` take the step again so that it ends at the event, where the function is
 * a hair beyond zero; e->t is then the end of the step. Nothing happens for the others. */
tn_status tni_event_land(tni_event_finder *e, tni_integrator *it);
/* continue at the event, at the state the analysis made of it and after forces switched */
void tni_event_restart(tni_event_finder *e, double t, const double *q, const double *v);

#endif
