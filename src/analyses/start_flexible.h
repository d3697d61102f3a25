/* analyses/start_flexible.h - how fast structures and beams start that nobody wrote velocities for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_START_FLEXIBLE_H
#define TNI_START_FLEXIBLE_H

#include "analyses/sim.h"

/* v as assembled; what is written stays. Meshes that bodies carry begin with velocities that follow theirs, unless some are written, and bodies between
 * them as well (the ends of an elastic rod turn with it). Beams likewise, where nothing is strained by it: one that must be strained starts at rest. */
tn_status tni_flexible_start_velocity(tn_sim *sim, tni_data *s, double t, const double *q, double *v);

#endif
