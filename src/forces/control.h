/* forces/control.h - attach a caller's function to a sampled controller
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_CONTROL_H
#define TNI_FORCE_CONTROL_H

#include <tenon/force.h>

#include "model/model.h"

/* Attach fn (NULL: detach) to the force of that index; user is borrowed. */
tn_status tni_control_set(tn_model *model, int force, tn_controller_fn fn, void *user);
/* TN_ERR_ARGUMENT names a controller without its function. */
tn_status tni_control_check(const tn_model *model);

#endif
