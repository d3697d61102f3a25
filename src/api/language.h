/* api/language.h - the whole input language in one table
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LANGUAGE_H
#define TNI_LANGUAGE_H

#include "model/spec.h"

/* The tables, valid as long as the context. Returns TN_ERR_MEMORY. */
tn_status tni_language(tn_ctx *ctx, const tni_schema **out);

#endif
