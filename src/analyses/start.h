/* analyses/start.h - the state a run starts from: assembly, and initial coordinates of joints
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_START_H
#define TNI_START_H

#include "analyses/assemble.h"

/* where a state is looked for */
typedef struct tni_starting {
  const tn_model *model;
  tni_data *s;           /* of its cartesian system                                                              */
  double t;
  tni_system **relative; /* its system in relative coordinates: made where it is needed and NULL before; the caller's, who may run with it */
  const tni_system_opts *opts; /* of that                                                                        */
  tni_arena *arena;
} tni_starting;

/* Consistent (q, v): the written state assembled (assemble.h), then joints moved to the coordinates and given the rates
 * that are written for them. Other coordinates of joints change as little as loops allow, so that what lies beyond a joint
 * is carried along. q0, v0 receive the state as written. */
tn_status tni_start(const tni_starting *in, double *q, double *v, double *q0, double *v0, tni_assembly *out);
/* The velocities alone, at another consistent q: from v0 as written for q0. */
tn_status tni_start_velocity(const tni_starting *in, const double *q0, const double *v0, const double *q, double *v,
                             tni_assembly *out);

#endif
