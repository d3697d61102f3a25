/* analyses/language.h - the whole input language in one table
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LANGUAGE_H
#define TNI_LANGUAGE_H

#include "model/spec.h"

/* built once per process from constant tables; never fails */
const tni_schema *tni_language(void);

#endif
