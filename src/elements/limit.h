/* elements/limit.h - the fastest vibration of beams, which limits explicit steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ELEMENT_LIMIT_H
#define TNI_ELEMENT_LIMIT_H

#include "elements/element.h"

typedef struct tni_fastest {
  double omega;        /* rad/s, 0: no elements; no vibration of the model's beams is faster */
  double zeta;         /* its damping by the critical one, of the material                   */
  int element;         /* force                                                              */
  const char *strain;  /* "axial", "shear" ...                                               */
  bool rotary;         /* most of its kinetic energy is in the turning of the sections       */
} tni_fastest;

/* At the initial poses of the model. The fastest vibration of one element with its own share of the
 * mass bounds that of the whole (Irons). */
void tni_fastest_element(const tn_model *model, tni_fastest *out);

/* "'b.element[3]' vibrates with 1.3e+05 rad/s, shear against rotary inertia"; step: 2/omega, less with
 * damping, 0 without elements */
void tni_limit_describe(const tn_model *model, double *step, char *out, size_t n);
/* "'b' by 100, 'c' by 20": beams whose rotary inertia is scaled; "" if none is */
void tni_limit_scaled(const tn_model *model, char *out, size_t n);

#endif
