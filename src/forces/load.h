/* forces/load.h - force and torque on a body, with optional reaction on another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_LOAD_H
#define TNI_FORCE_LOAD_H

#include "forces/along.h"

/* Build from the keys body, point, force, torque, frame, reaction_on (those the type has). */
tn_status tni_load_build(tni_builder *b, const tni_item *item);

#endif
