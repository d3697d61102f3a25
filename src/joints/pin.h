/* joints/pin.h - rows that hold coordinates of joints at values and rates while a state is made
 *
 * Pins belong to a copy of the model that lives as long as the state is looked for; the model that
 * runs has none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PIN_H
#define TNI_PIN_H

#include "model/build.h"

typedef struct tni_pin {
  int joint, coord;        /* what is held                                                */
  bool has_value, has_rate; /* which of the two the user wrote                            */
  double value, rate;      /* where it is to be, how fast                                 */
  int memory;              /* slot: 1 while the row is in force, else 0                   */
} tni_pin;

/* Pins for all coordinates of the model whose initial value or rate is written, in the order of
 * joints. */
tn_status tni_pins_list(const tn_model *model, tni_arena *arena, int *n, tni_pin **out);
/* *out: the model with a row for each pin; pins are borrowed, their value and rate may change.
 * Lives as long as model, arena and pins. */
tn_status tni_pins_add(const tn_model *model, tni_arena *arena, int n, tni_pin *pin, tn_model *out);

#endif
