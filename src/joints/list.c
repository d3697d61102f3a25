/* joints/list.c - all joint types; a new one is one file and one line here
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/list.h"

#define TNI_JOINT_LIST(X) \
  X(fixed)                \
  X(revolute)             \
  X(prismatic)            \
  X(cylindrical)          \
  X(spherical)            \
  X(universal)            \
  X(constant_velocity)    \
  X(planar)               \
  X(screw)                \
  X(inline)               \
  X(inplane)              \
  X(distance)             \
  X(revolute_spherical)   \
  X(revolute_revolute)    \
  X(parallel)             \
  X(perpendicular)        \
  X(orientation)

#define X(name) extern const tni_joint_type tni_joint_##name;
TNI_JOINT_LIST(X)
#undef X

#define X(name) &tni_joint_##name,
const tni_joint_type *const tni_joint_types[] = {TNI_JOINT_LIST(X)};
#undef X

const int tni_joint_ntype = TNI_COUNT(tni_joint_types);
