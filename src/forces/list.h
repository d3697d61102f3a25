/* forces/list.h - the force types a model file may use
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_LIST_H
#define TNI_FORCE_LIST_H

#include "model/build.h"

/* a new type is one file and one line here */
#define TNI_FORCE_LIST(X) \
  X(force)                \
  X(torque)               \
  X(spring)               \
  X(torsion_spring)       \
  X(joint_force)          \
  X(bushing)              \
  X(beam_load)            \
  X(tyre)                 \
  X(contact)              \
  X(stop)                 \
  X(pd)                   \
  X(feedback)             \
  X(sampled)              \
  X(callback)

#define X(name) +1
enum { TNI_FORCE_NTYPE = TNI_FORCE_LIST(X) };
#undef X
extern const tni_force_type *const tni_force_types[TNI_FORCE_NTYPE];
extern const int tni_force_ntype;
/* their key tables: members of the above */
extern const tni_type *const tni_force_tables[TNI_FORCE_NTYPE];

#endif
