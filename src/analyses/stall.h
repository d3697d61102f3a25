/* analyses/stall.h - a run whose steps have collapsed says so, and says which force did it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STALL_H
#define TNI_STALL_H

#include "base/base.h"

struct tn_sim;

/* steps seen since the last look at them; all zero at the beginning of a run */
typedef struct tni_stall {
  long steps;      /* of the present window         */
  int windows;     /* in a row that went nowhere    */
  double from;     /* beginning of the window [s]   */
  double longest;  /* step of the whole run [s]     */
} tni_stall;

/* After a step from t_lo to t_hi of the run. TN_NO_PROGRESS with a message when the steps of several
 * thousand in a row are a millionth of what they once were and the rest would take a billion of them. */
tn_status tni_stall_watch(struct tn_sim *sim);

/* A step as small as h was still too large: adds to the message of the failure the force that moves as
 * fast as that, if there is one. */
tn_status tni_stall_explain(struct tn_sim *sim, double h);

#endif
