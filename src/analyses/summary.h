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
/* A copy that is zero where the caller knows nothing, freed with tni_free; checked as above. */
tn_status tni_summary_whole(tn_ctx *ctx, const tn_summary *summary, size_t size, tn_summary **out);
/* lines about the equilibria that were found, for the text of an analysis */
void tni_text_equilibrium(const tn_summary *summary, tni_text *text);
/* As much of from as the caller knows. */
void tni_summary_hand_over(const tn_summary *from, tn_summary *to, size_t size);

#endif
