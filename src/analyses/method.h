/* analyses/method.h - the integration method of a run and its options
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_METHOD_H
#define TNI_METHOD_H

#include "analyses/sim.h"

/* The method that was asked for, or what auto stands for where it has no choice; *type NULL: it has one
 * (analyses/auto.h). open_tree: relative coordinates would have no constraints; joint: they are asked for.
 * *joint may become true. Why goes to sim->set.reason. */
tn_status tni_method_choose(tn_sim *sim, bool open_tree, bool *joint, const tni_integrator_type **type);

/* Does the model file choose independent velocities by name? They are those of bodies. */
bool tni_method_names_velocities(const tn_sim *sim);

/* Does it take steps of a given size if asked? Those of variable order choose size and order together. */
bool tni_method_takes_equal_steps(const tni_integrator_type *type);

/* options from the settings and the model file, for the system sim->s */
tn_status tni_method_options(tn_sim *sim, const tni_integrator_type *type,
                             tni_integrator_opts *out);

#endif
