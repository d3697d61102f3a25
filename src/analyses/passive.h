/* analyses/passive.h - a step in which an element without a source gives heat back is an error of the step
 *
 * Dampers, friction and contacts turn energy to heat, never back. Where the law of an element does not say so at
 * every state that a step visits (a stick spring between surfaces that curve), a step may be too long for it.
 * The system tells the lowest power of any evaluation, which costs nothing. Where that would matter over the
 * step, the heat of every element is integrated on the dense output; one that is negative beyond the
 * tolerance takes the step back, and it is halved. What stays negative in the shortest step is no error of the
 * step: the run goes on, and its audit names the element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PASSIVE_H
#define TNI_PASSIVE_H

#include "model/model.h"

typedef struct tni_passive {
  bool off;           /* nothing can be done: fixed steps, or an element that is not passive */
  int halved;         /* times the present step was                                          */
  long taken_back;    /* steps, in all                                                       */
  double *heat;       /* [nforce] of each over the step                                      */
  double *q_in, *v_in; /* a state inside of it                                               */
} tni_passive;

struct tn_sim;
tn_status tni_passive_create(struct tn_sim *sim);
/* before a step */
void tni_passive_begin(struct tn_sim *sim);
/* After it. again: the state is that before the step, and the next one is half as long. */
tn_status tni_passive_check(struct tn_sim *sim, bool *again);

#endif
