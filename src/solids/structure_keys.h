/* solids/structure_keys.h - keys of structures: what groups may have of their own, which elements heed which
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STRUCTURE_KEYS_H
#define TNI_STRUCTURE_KEYS_H

#include "solids/structure.h"

/* what the map of materials says of a group of cells: known keys with values that they may have */
tn_status tni_structure_check_group(tn_ctx *ctx, const tni_item *item, const char *group, const tni_value *v);
/* Once there are elements, matter[k] the k-th material of the map: keys that none of them heeds are refused where answers would depend on
 * them, and warned of elsewhere */
tn_status tni_structure_check_keys(tni_builder *b, const tni_item *item, const tni_structure *s, const tni_matter *matter);

#endif
