/* forces/torque.c - torque on a body; see load.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/load.h"

static const tni_key torque_keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .flags = TNI_REQUIRED, .doc = "The loaded body."},
    {.name = "torque", .kind = TNI_KIND_EXPR3, .flags = TNI_REQUIRED, .unit = "N m",
     .doc = "Components: expressions of t and measured quantities."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|body", .initial = "ground",
     .doc = "Axes of the components: those of the ground, or those of the body (they follow it)."},
    {.name = "reaction_on", .kind = TNI_KIND_BODY, .initial = "ground",
     .doc = "Body that carries the opposite torque."},
};

const tni_force_type tni_force_torque = {
    {"torque", "Torque on a body from expressions of time and measured quantities.", torque_keys,
     TNI_COUNT(torque_keys)},
    tni_load_build};
