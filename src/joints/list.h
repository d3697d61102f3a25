/* joints/list.h - all joint types, in the order of the input reference
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_JOINT_LIST_H
#define TNI_JOINT_LIST_H

#include "model/build.h"

extern const tni_joint_type *const tni_joint_types[];
extern const int tni_joint_ntype;
/* items of the section `drive`: prescribed motions are joints as well */
extern const tni_joint_type tni_joint_drive;

#endif
