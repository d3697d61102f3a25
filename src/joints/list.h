/* joints/list.h - all joint types, in the order of the input reference
 *
 * A new joint is one file with its `const tni_joint_type tni_joint_<name>` and one line here.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_JOINT_LIST_H
#define TNI_JOINT_LIST_H

#include "model/build.h"

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
  X(orientation)          \
  X(gear)                 \
  X(rack_pinion)          \
  X(coupler)              \
  X(curve)                \
  X(rolling_sphere)       \
  X(rolling_disk)         \
  X(steering)             \
  X(latch)

#define TNI_COUNT_ONE(name) +1
enum { TNI_JOINT_NTYPE = 0 TNI_JOINT_LIST(TNI_COUNT_ONE) };
#undef TNI_COUNT_ONE

extern const tni_joint_type *const tni_joint_types[];
extern const int tni_joint_ntype;
/* the same as tables of keys, for the language: &tni_joint_types[i]->type */
extern const tni_type *const tni_joint_tables[];

/* items of the section `drive`: prescribed motions are joints as well */
extern const tni_joint_type tni_joint_drive;
enum { TNI_DRIVE_NKEY = 7 };
extern const tni_key tni_drive_keys[TNI_DRIVE_NKEY];

#endif
