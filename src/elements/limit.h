/* elements/limit.h - the fastest vibration of beams, which limits explicit steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ELEMENT_LIMIT_H
#define TNI_ELEMENT_LIMIT_H

#include "elements/element.h"

typedef struct tni_fastest {
  double omega;        /* rad/s, 0: no elements; no vibration of the model's beams is faster */
  int element;         /* force                                                              */
  const char *strain;  /* "axial", "shear" ...                                               */
  bool rotary;         /* most of its kinetic energy is in the turning of the sections       */
} tni_fastest;

/* At the initial poses of the model. The fastest vibration of one element with its own share of the
 * mass bounds that of the whole (Irons). */
void tni_fastest_element(const tn_model *model, tni_fastest *out);

#endif
