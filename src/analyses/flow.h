/* analyses/flow.h - the path of plastic flow within steps
 *
 * Stages of a step take the history of matter at its beginning and one increment to where they stand: of first order in the step along a path
 * that turns. After a step its dense output is followed by 1, 2, 4, 8 increments and extrapolated to none (Romberg): that history is kept, if the
 * step is. What is left is an error of the step, and is held against the tolerance:
 *
 *   of velocities   h/3 |a - a1|, a1 the accelerations of one increment: stresses part with the square of the time since the beginning
 *   of history      |M (a - a')|/|f|, a' of one refinement less, f the forces of the elements; or the velocity that a - a' gives until the run
 *                   ends, if that is less
 *
 * A step that leaves more is taken back; the next one is as long as is left over. Methods with equal steps do none of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FLOW_H
#define TNI_FLOW_H

#include "base/base.h"

enum { TNI_FLOW_LEVELS = 4 };

typedef struct tni_flow {
  bool there;              /* a part has matter whose history depends on the path                    */
  bool found;              /* history is that after the last step                                    */
  double *q, *v;           /* state within the step                                                  */
  double *row[TNI_FLOW_LEVELS]; /* [nmemory] last row of extrapolations; the first is the best         */
  double *low, *high;      /* [nmemory] of all increments                                            */
  double *history;         /* [nmemory] at the end of the step                                       */
  double *a[3];            /* [nv] accelerations: of one increment, before the last refinement, now  */
  double force;            /* largest |f| so far                                                     */
  double limit;            /* of steps; DBL_MAX: none                                                */
  long taken_back;         /* steps, in all                                                          */
} tni_flow;

struct tn_sim;
tn_status tni_flow_create(struct tn_sim *sim);
/* before an attempt: its longest step */
void tni_flow_begin(struct tn_sim *sim);
/* after it: is the path followed well enough? Else it has been taken back */
tn_status tni_flow_check(struct tn_sim *sim, bool *again);
/* history to where the step ends, at the state q, v inside or at its end: into the memory */
tn_status tni_flow_commit(struct tn_sim *sim, double t, const double *q, const double *v);

#endif
