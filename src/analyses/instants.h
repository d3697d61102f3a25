/* analyses/instants.h - no step passes over what a function of time does
 *
 * Forces, drives, loads and supports are expressions of time. Where one of them jumps or bends by its form alone (conditions on t, step,
 * table, mod ...: base/kinks.h) a step ends shortly before, drives that jump there are met by an impulse, whose work is put in, and the
 * method starts anew shortly behind it. Between such instants a step that a part of an expression leaves and comes back to, a pulse that
 * is short beside the step, is taken back and halved. What the motion meets is the business of passages.h. Methods with equal steps do not cut
 * them: a run that passes over a pulse is doubtful.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INSTANTS_H
#define TNI_INSTANTS_H

#include "base/kinks.h"
#include "model/model.h"

typedef struct tni_instants {
  double end;       /* of the run                                                       */
  int n;
  tni_kinks **of;   /* [n] of every expression of time, or of places as well            */
  const double **at_place; /* [n] the place; NULL: it has none                          */
  double *before, *after; /* [n] next kink of each; after: INFINITY where there is none */
  bool known;       /* they are those behind the present state                          */
  double at;        /* that state                                                       */
  double stop;      /* where the next step ends at the latest                           */
  double jump_from, jump_to; /* the last kink that was passed                           */
  double limit;     /* of steps, since one was taken back; DBL_MAX: none                 */
  long taken_back;  /* steps, in all                                                    */
} tni_instants;

struct tn_sim;
tn_status tni_instants_create(struct tn_sim *sim);
/* another end, or another state than that after the last step */
void tni_instants_reset(struct tn_sim *sim, double end);
/* before a step: where the present state is at a kink, begin behind it */
tn_status tni_instants_pass(struct tn_sim *sim);
/* before every attempt: how far it may go */
void tni_instants_begin(struct tn_sim *sim);
/* What is looked at between the two sides of a kink that the last step began behind: nothing has jumped yet. */
void tni_instants_look(struct tn_sim *sim);
/* After a step: has it passed over something? Then it has been taken back, and the next one is shorter. */
tn_status tni_instants_check(struct tn_sim *sim, bool *again);

/* by how many places of a step a method knows a function of time; 0: enough of them */
struct tni_integrator_type;
int tni_instants_places_seen(const struct tni_integrator_type *type);

#endif
