/* analyses/modes_mesh.h - the lowest modes of models with structures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MODES_MESH_H
#define TNI_MODES_MESH_H

#include "analyses/modes.h"

/* As tni_modes_compute (analyses/modes.h): modes without damping about the state that sim shows, which must be at rest, counted by Sturm's law
 * so that none is missed. damped: with what damping does to each of them, to first order. */
tn_status tni_mesh_modes(tn_sim *sim, bool damped, tni_modes *out);
/* from now on tangents have the stiffness of stresses (tni_part_at.stressed); refuses structures that do not know it */
tn_status tni_modes_stress(tn_sim *sim);

#endif
