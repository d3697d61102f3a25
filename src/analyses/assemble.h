/* analyses/assemble.h - consistent positions and velocities from approximate input
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ASSEMBLE_H
#define TNI_ASSEMBLE_H

#include "system/system.h"

typedef struct tni_assembly {
  double initial_residual;   /* largest |Phi| before, and the row                            */
  int initial_row;
  double residual;           /* largest |Phi| after                                          */
  int row;
  double velocity_residual;  /* largest |C v + Phi_t| before                                 */
  int iterations;
  double *moved;             /* [nbody][4] distance, angle, change of velocity, of angular
                                velocity of every body; allocated from the arena              */
  int most_moved;            /* body with the largest move, -1: none moved                    */
} tni_assembly;

/* Make (q, v) of a cartesian system consistent at t, changing least what the user wrote (weights
 * hold_position, hold_velocity times the inertia). Updates the rank of the system. Returns
 * TN_INCONSISTENT with the name of the worst constraint when no configuration near the given one
 * meets them all. */
tn_status tni_assemble(tni_system *s, double t, double *q, double *v, tni_arena *arena,
                       tni_assembly *out);

/* The model with another initial state: a shallow copy whose bodies (array of nbody) start at the
 * poses and velocities of s->kin. Lives as long as the model and the array. */
void tni_model_with_state(const tn_model *model, const tni_kin *kin, tni_body *bodies,
                          tn_model *out);

#endif
