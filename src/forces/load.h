/* forces/load.h - force and torque on a body, with optional reaction on another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_LOAD_H
#define TNI_FORCE_LOAD_H

#include "forces/along.h"

/* Build from the keys body, point, force, torque, frame, reaction_on (those the type has). */
tn_status tni_load_build(tni_builder *b, const tni_item *item);
/* Part of a distributed load: `force` and `moment` of the item times share at the place s of a body;
 * with frame: section the components are along R. */
tn_status tni_load_node(tni_builder *b, const tni_item *item, int body, const double s[3],
                        const double R[9], double share);

#endif
