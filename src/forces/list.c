/* forces/list.c - one line per force type
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/list.h"

#define TYPES(X) \
  X(force)       \
  X(torque)      \
  X(spring)      \
  X(torsion_spring) \
  X(joint_force) \
  X(bushing)     \
  X(tyre)

#define X(name) extern const tni_force_type tni_force_##name;
TYPES(X)
#undef X

const tni_force_type *const tni_force_types[] = {
#define X(name) &tni_force_##name,
    TYPES(X)
#undef X
};
const int tni_force_ntype = TNI_COUNT(tni_force_types);
