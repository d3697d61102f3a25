/* joints/list.c - all joint types
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/list.h"

#define X(name) extern const tni_joint_type tni_joint_##name;
TNI_JOINT_LIST(X)
#undef X

#define X(name) &tni_joint_##name,
const tni_joint_type *const tni_joint_types[] = {TNI_JOINT_LIST(X)};
#undef X

#define X(name) &tni_joint_##name.type,
const tni_type *const tni_joint_tables[] = {TNI_JOINT_LIST(X)};
#undef X

const int tni_joint_ntype = TNI_JOINT_NTYPE;
