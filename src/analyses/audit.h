/* analyses/audit.h - a run judges itself
 *
 * While a run goes on, its audit keeps the worst it has seen of every kind of error, with its time and
 * who it belongs to; at the end each is held against what it may be. What it may be follows from what
 * was asked for:
 *
 *   balance       with error control the energy that errors of one tolerance are worth,
 *                   sum over bodies  |m v| tol_v + |I w| tol_v + |F| tol + |M| tol,   times a factor;
 *                 without it a part of the largest term of the balance
 *   position,     with error control the tolerance at the size of the model and of its speeds; with
 *   velocity        constraints that drift (equal steps, techniques that do not project) a part of these
 *   acceleration  rounding
 *   heat          energy that elements without a source have made: power below zero, heat that goes
 *                 back, energy that comes from a switch. As little as the balance may be off
 *   overlap       of bodies in contact, as the energy that its law would store there: not much more
 *                 than all energy there is
 *   start         how far the bodies had to move to meet the constraints: a part of the model's size
 *
 * Looked at are all times that somebody looks at, all events, and the ends of steps as often as costs
 * about one evaluation of the forces in fifty. When that is depends on the steps alone, so that a run
 * that was interrupted sees the same.
 *
 * The audit also stops a run whose energy grows exponentially by what forces put in, beyond any bound
 * of the model: tni_audit_step, docs/theory/audit.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_AUDIT_H
#define TNI_AUDIT_H

#include <tenon/analysis.h>

#include "system/system.h"

enum { TNI_AUDIT_LEVELS = 13 };

/* the worst of one kind: value, time, and the row, force or body that it belongs to */
typedef struct tni_worst {
  double value, t, index;
} tni_worst;

/* what has been seen: plain numbers */
typedef struct tni_audit_seen {
  tni_worst position, velocity, acceleration, balance, heat, overlap;
  tni_worst between;    /* balance inside of steps                                               */
  double scale;         /* largest term of the balance                                          */
  double magnitude;     /* largest sum of the parts of the energy, without signs: for rounding   */
  double worth;         /* largest energy that one tolerance is worth                            */
  double size, speed, spin, accel; /* largest extent [m], speed [m/s], [rad/s], acceleration     */
  double low[3], high[3];    /* box around all centres of mass so far                            */
  double heat_most;     /* most heat booked so far                                               */
  double t;             /* of the last look                                                      */
  double any;           /* something has been seen                                               */
  double steps;         /* since the last look at the end of one                                 */
  double turned, missed, misser; /* angle of the bodies that turn fastest, and what steps have missed of it; the last such body */
  double turning, missing; /* rates of both at the last look                                     */
  double gift, giver;   /* most energy that a switch has made, and of which force                */
  double level, nlevel; /* of the kinetic energy, powers of 4; how many are kept                 */
  double level_t;       /* when it was last looked at                                            */
  double reached[TNI_AUDIT_LEVELS]; /* when, latest last                                         */
} tni_audit_seen;
enum { TNI_AUDIT_NUMBERS = sizeof(tni_audit_seen)/sizeof(double) };

typedef struct tni_audit {
  bool controlled;      /* the method controls its error                                         */
  bool drifts;          /* constraints are not projected: residuals are part of the method       */
  double rtol, atol, rtol_v, atol_v; /* asked of the run, per component                          */
  double extent;        /* of the model as it begins, with the bodies' own size                  */
  double bound;         /* energy that nothing in the model accounts for                         */
  double *load;         /* [6 nbody] scratch                                                     */
  double *stored;       /* [nforce] before a switch                                              */
  double *power, *input; /* [nforce] power at the last end of a step, work put in of late; for names */
  double input_t;       /* of that end                                                           */
  double rise;          /* levels passed since names were last looked for                        */
  double *overlap0;     /* [nforce] energy of the overlap at the start                           */
  int ncontact;
  int *contact;         /* [ncontact] forces that tell how bodies overlap                        */
  int stride;           /* steps from look to look                                               */
  tni_audit_seen seen;  /* at ends of steps and events: part of a checkpoint                     */
  tni_audit_seen shown; /* at times that somebody looked at                                      */
  long nshown;          /* how often                                                             */
} tni_audit;

struct tn_sim;
/* after system and integrator are there, before the first look */
tn_status tni_audit_create(struct tn_sim *sim);
/* at a look: everything of sim->t is known */
void tni_audit_look(struct tn_sim *sim);
/* After a step that no event ended: looks now and then. TN_DIVERGED: the energy grows without bound. */
tn_status tni_audit_step(struct tn_sim *sim);
/* around a switch of modes at an event, with the forces evaluated before and after */
void tni_audit_before_switch(struct tn_sim *sim);
tn_status tni_audit_after_switch(struct tn_sim *sim, double lost_by_impulse);
/* forget what was seen: the state has been set by the caller */
void tni_audit_restart(struct tn_sim *sim, double t);
/* what a checkpoint holds [TNI_AUDIT_NUMBERS] */
void tni_audit_save(const struct tn_sim *sim, double *out);
void tni_audit_load(struct tn_sim *sim, const double *from);
/* the run goes on with another system: rows by their numbers there */
void tni_audit_move_rows(struct tn_sim *sim, const tni_data *from);
/* the verdict, into the summary */
void tni_audit_judge(struct tn_sim *sim, tn_summary *out);

#endif
