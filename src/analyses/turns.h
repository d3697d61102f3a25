/* analyses/turns.h - no step loses count of the turns of an angle
 *
 * Angles of joints are counted through full turns: the value nearest to the one at the last accepted step. Where a
 * body turns by half a turn or more in a step, that is another one, and stops, springs and whatever else looks at
 * the angle act in the wrong place. Accuracy does not prevent it: in relative coordinates a rotor that runs up evenly
 * is exact with any step. Steps are therefore limited by the rates at their beginning, and a step that has turned too far
 * by the rates at both ends is taken back. Equal steps that do so end the run.
 *
 * Bushings and beam elements know turns between their bodies within half a turn only: where it is passed, their law begins anew at
 * the other side, with torques of the other sign. A step that passes it ends the run with the name of the force; where nothing is
 * integrated, a row behind it makes the run doubtful. Euler parameters with e_0 >= 0 at both ends of a step, less than half a turn apart,
 * have a negative product if half a turn lies between them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TURNS_H
#define TNI_TURNS_H

#include "model/model.h"

typedef struct tni_turns {
  double rate;     /* at the beginning of the step        */
  long taken_back; /* steps, in all                       */
  int nturned;     /* turns that must stay below half a one */
  struct tni_turned_at {
    int force, which; /* of the model, of those of the force */
    double e[4];   /* at the beginning of the step, or at the last look */
  } *at;           /* [nturned]                           */
} tni_turns;

struct tn_sim;
struct tni_integrator;
/* after the bodies are where they start */
tn_status tni_turns_create(struct tn_sim *sim);
/* At a look of a run without steps: doubtful, if half a turn was passed since the last one. */
void tni_turns_look(struct tn_sim *sim);
/* before a step, or a start: the longest step of a method that begins at the present state of the run */
void tni_turns_begin(struct tn_sim *sim);
void tni_turns_limit(const struct tn_sim *sim, struct tni_integrator *it);
/* After the step. again: the state is that before it, and the next one is shorter. */
tn_status tni_turns_check(struct tn_sim *sim, bool *again);

#endif
