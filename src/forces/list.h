/* forces/list.h - the force types a model file may use
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_LIST_H
#define TNI_FORCE_LIST_H

#include "model/build.h"

extern const tni_force_type *const tni_force_types[];
extern const int tni_force_ntype;

#endif
