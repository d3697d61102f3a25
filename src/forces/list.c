/* forces/list.c - all force types; the list itself is in list.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/list.h"

#define X(name) extern const tni_force_type tni_force_##name;
TNI_FORCE_LIST(X)
#undef X

#define X(name) &tni_force_##name,
const tni_force_type *const tni_force_types[TNI_FORCE_NTYPE] = {TNI_FORCE_LIST(X)};
#undef X

#define X(name) &tni_force_##name.type,
const tni_type *const tni_force_tables[TNI_FORCE_NTYPE] = {TNI_FORCE_LIST(X)};
#undef X

const int tni_force_ntype = TNI_FORCE_NTYPE;
