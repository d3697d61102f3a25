/* solids/list.h - all types of solids, in the order of the input reference
 *
 * A new type is a `const tni_solid_type tni_solid_<name>` and one line here.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_LIST_H
#define TNI_SOLID_LIST_H

#include "solids/solid.h"

#define TNI_SOLID_LIST(X) \
  X(hex8)                 \
  X(hex20)                \
  X(tet4)                 \
  X(tet10)                \
  X(wedge6)               \
  X(wedge15)              \
  X(quad4)                \
  X(quad8)                \
  X(tri3)                 \
  X(tri6)                 \
  X(truss2)               \
  X(shell4)               \
  X(shell8)               \
  X(beam2)

#define TNI_SOLID_DECLARE(name) extern const tni_solid_type tni_solid_##name;
TNI_SOLID_LIST(TNI_SOLID_DECLARE)

#endif
