/* forces/force.c - force at a point of a body, with an optional torque; see load.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/load.h"

static const tni_key force_keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .flags = TNI_REQUIRED, .doc = "The loaded body."},
    {.name = "point", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Where the force acts: a named point of the body, or ground coordinates at t = 0."},
    {.name = "force", .kind = TNI_KIND_EXPR3, .unit = "N",
     .doc = "Components: expressions of t and measured quantities."},
    {.name = "torque", .kind = TNI_KIND_EXPR3, .unit = "N m",
     .doc = "Components of a torque that acts besides."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|body", .initial = "ground",
     .doc = "Axes of the components: those of the ground, or those of the body (they follow it)."},
    {.name = "reaction_on", .kind = TNI_KIND_BODY, .initial = "ground",
     .doc = "Body that carries the opposite force and torque, at the same place in space."},
};

const tni_force_type tni_force_force = {
    {"force", "Force at a point of a body from expressions of time and measured quantities.",
     force_keys, TNI_COUNT(force_keys)},
    tni_load_build};
