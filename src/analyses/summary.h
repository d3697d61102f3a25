/* analyses/summary.h - summaries for callers whose tn_summary may be an older, shorter one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SUMMARY_H
#define TNI_SUMMARY_H

#include <tenon/analysis.h>

#include "base/base.h"

/* Is that a summary of this library or of an older one? TN_ERR_ARGUMENT. */
tn_status tni_summary_check(tn_ctx *ctx, const tn_summary *summary, size_t size);
/* As much of from as the caller knows. */
void tni_summary_hand_over(const tn_summary *from, tn_summary *to, size_t size);

#endif
