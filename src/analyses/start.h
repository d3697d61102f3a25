/* analyses/start.h - the state a run starts from: assembly, and initial coordinates of joints
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_START_H
#define TNI_START_H

#include "analyses/assemble.h"

/* Consistent (q, v) of the cartesian system s of a model at t: the written state assembled (assemble.h), then
 * joints moved to the coordinates and given the rates that are written for them. Other coordinates of
 * joints change as little as loops allow, so that what lies beyond a joint is carried along. q0, v0
 * receive the state as written. */
tn_status tni_start(const tn_model *m, tni_data *s, double t, double *q, double *v, double *q0,
                    double *v0, tni_arena *arena, tni_assembly *out);
/* The velocities alone, at another consistent q: from v0 as written for q0. */
tn_status tni_start_velocity(const tn_model *m, tni_data *s, double t, const double *q0,
                             const double *v0, const double *q, double *v, tni_arena *arena, tni_assembly *out);

#endif
