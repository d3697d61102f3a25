/* analyses/list.c - the analyses that exist
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/analysis.h"

#define LIST(X) X(transient) X(statics) X(modes) X(kinematics) X(assemble) X(periodic) \
  X(boundary) X(sensitivity) X(fit) X(buckling) X(harmonic) X(modal)

#define DECLARE(name) extern const tni_analysis tni_analysis_##name;
LIST(DECLARE)
#define ENTRY(name) &tni_analysis_##name,
const tni_analysis *const tni_analyses[] = {LIST(ENTRY)};
const int tni_nanalysis = TNI_COUNT(tni_analyses);

const tni_analysis *tni_analysis_find(const char *name) {
  for (int i = 0; i < tni_nanalysis; i++)
    if (strcmp(tni_analyses[i]->name, name) == 0) return tni_analyses[i];
  return NULL;
}

const tni_analysis *tni_analysis_of(const tn_spec *spec) {
  const tni_item *item = tni_spec_single(spec, "analysis");
  const tni_analysis *a =
      item ? tni_analysis_find(tni_item_text(item, "type", tni_analyses[0]->name)) : NULL;
  return a ? a : tni_analyses[0]; /* the reader has refused unknown words */
}
