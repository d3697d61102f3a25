/* forces/callback.h - attach a caller's function to a force of type callback
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_CALLBACK_H
#define TNI_FORCE_CALLBACK_H

#include <tenon/force.h>

#include "model/model.h"

/* Attach fn (NULL: detach) to the force of that index; user is borrowed. TN_ERR_ARGUMENT when it
 * is not a callback. Not while a simulation of the model runs. */
tn_status tni_force_set_callback(tn_model *model, int force, tn_force_fn fn, void *user);

/* Every callback must have its function before a run: TN_ERR_ARGUMENT names the one without. */
tn_status tni_force_check_callbacks(const tn_model *model);

#endif
