/* solids/solid.c - types of solids by name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/list.h"

#define ENTRY(name) &tni_solid_##name,
const tni_solid_type *const tni_solid_types[] = {TNI_SOLID_LIST(ENTRY) NULL};

const tni_solid_type *tni_solid_find(const char *name) {
  for (int i = 0; tni_solid_types[i]; i++)
    if (strcmp(tni_solid_types[i]->name, name) == 0) return tni_solid_types[i];
  return NULL;
}

int tni_solid_option(const tni_solid_type *type, const char *word) {
  for (int i = 0; type->option && type->option[i]; i++)
    if (strcmp(type->option[i], word) == 0) return i;
  return -1;
}

double tni_solid_volume(const tni_solid_kind *kind, const double *X, double *share) {
  return kind->type->volume(kind, X, share);
}
