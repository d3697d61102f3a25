/* analyses/switches.h - what switches in a run, for those who read its results
 *
 * Around every event the memories before and after are compared, and what has changed is a list of switches
 * with words, impulses and speeds. Impulses of touches are integrals of the normal force over the steps, by
 * Gauss points on the dense output while something touches; nothing in the motion depends on them. The
 * impulse of a latch that locks follows from the change of the velocities of all bodies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SWITCHES_H
#define TNI_SWITCHES_H

#include "system/system.h"

typedef struct tni_switches {
  /* of the event that the last step began with */
  int n;
  double t;
  tni_switch *row;   /* [nevent]                                                        */
  int *who;          /* [nevent] number of the element in system->watch                 */
  double count;      /* of all so far: part of a checkpoint                             */
  double *before;    /* [nmemory] before the event                                      */
  /* impulses of touches */
  bool touching;     /* something touches: the force is to be added up                  */
  tni_state in;      /* a state inside of a step                                        */
  double *start, *inside; /* [nmemory] at the beginning of the last step, with the impulses
                             up to a time in it; NULL: nobody measures them             */
  /* impulses of latches; NULL: there are none */
  double *velocity;  /* [6 nbody] before, then the change                               */
  double *none;      /* [6 nbody] 0                                                     */
  double *lambda;    /* of the constraints in cartesian coordinates                     */
} tni_switches;

struct tn_sim;
tn_status tni_switches_create(struct tn_sim *sim);
/* around the switch of modes at an event; the bodies of the system must be those of the state there */
void tni_switches_begin(struct tn_sim *sim);
void tni_switches_end(struct tn_sim *sim, double t);
/* around a change of the velocities because other constraints are in force; the memory is that after it */
void tni_switches_before_impulse(struct tn_sim *sim, const tni_at *at);
tn_status tni_switches_after_impulse(struct tn_sim *sim, const tni_at *at);
/* after a step, from t_lo to t_hi: impulses of what touches */
void tni_switches_gather(struct tn_sim *sim);
/* Memory with the impulses up to t, inside of the last step. */
double *tni_switches_until(struct tn_sim *sim, double t);

#endif
