/* techniques/list.c - the constraint techniques; a new one is one line here
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "techniques/technique.h"

#define TECHNIQUES(X) \
  X(augmented)        \
  X(partitioning)     \
  X(baumgarte)        \
  X(penalty)          \
  X(staggered)        \
  X(natural)

#define X(name) extern const tni_technique_type tni_technique_##name;
TECHNIQUES(X)
#undef X

#define X(name) &tni_technique_##name,
const tni_technique_type *const tni_technique_types[] = {TECHNIQUES(X)};
#undef X
const int tni_technique_ntype = TNI_COUNT(tni_technique_types);

const tni_technique_type *tni_technique_find(const char *name) {
  for (int i = 0; i < tni_technique_ntype; i++)
    if (strcmp(tni_technique_types[i]->name, name) == 0) return tni_technique_types[i];
  return NULL;
}
