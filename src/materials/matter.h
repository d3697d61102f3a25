/* materials/matter.h - what solids are made of: stress from strain, with history
 *
 *   small strains   sigma(eps, history), consistent tangent C = d sigma / d eps
 *   large strains   first Piola-Kirchhoff stress P(F, history) or rate form, tangent dP/dF
 *
 * Order of components xx yy zz xy yz zx, engineering shear strains. One file per type, one line in a list.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MATTER_H
#define TNI_MATTER_H

#include "model/model.h"

typedef struct tni_matter_type tni_matter_type;

typedef struct tni_matter {
  const char *name;
  const tni_item *item;     /* where the user wrote it, NULL in tests                          */
  const tni_matter_type *type;
  double density;           /* [kg/m^3]                                                        */
  double expansion;         /* thermal [1/K]                                                   */
  double rayleigh[2];       /* damping: alpha M + beta K                                       */
  const void *data;         /* of the type                                                     */
} tni_matter;

/* from an item of the section `materials` */
tn_status tni_matter_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *out);
extern const tni_section tni_matter_section; /* keys of `materials`, for the input language */

#endif
