/* forces/law.h - spring and damper along one coordinate s
 *
 *   d = s - free
 *   elastic   Fe = k d + preload + table(d)       stored energy: integral of Fe from d = 0
 *   viscous   Fd = c s' + damping_table(s')       heat: Fd s'
 *
 * Positive F resists the growth of s. Used by springs along a line and about a joint.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_LAW_H
#define TNI_FORCE_LAW_H

#include "base/table.h"
#include "model/build.h"

typedef struct tni_law {
  double k, c, free, preload;
  const tni_table *table, *damping; /* NULL: none */
} tni_law;

typedef struct tni_law_out {
  double Fe, Fe_s, Fd, Fd_ds, energy;
} tni_law_out;

/* From the keys stiffness, damping, preload, table, damping_table, interpolation and the key
 * free_key; `free` is the default of the last. Steps do not pass over the points of its tables along s. */
tn_status tni_law_build(tni_builder *b, const tni_item *item, const char *free_key, double free,
                        const tni_scalar *s, tni_law *out);
void tni_law_eval(const tni_law *law, double s, double ds, tni_law_out *out);

#endif
