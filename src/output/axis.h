/* output/axis.h - range, ticks and their labels of one axis of a plot
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_AXIS_H
#define TNI_AXIS_H

#include "base/base.h"

enum { TNI_TICKS_MAX = 24, TNI_MINOR_MAX = 256, TNI_LABEL_MAX = 32 };

typedef struct tni_axis {
  bool log;
  double lo, hi;      /* range, lo < hi; > 0 when logarithmic                  */
  double from, to;    /* where lo and hi are drawn                             */
  int exponent;       /* labels are to be multiplied by 10^exponent; 0: are not */
  int ntick, nminor;
  double tick[TNI_TICKS_MAX], minor[TNI_MINOR_MAX];
  char label[TNI_TICKS_MAX][TNI_LABEL_MAX]; /* "": a tick without a number     */
} tni_axis;

/* Ticks for a range, at most about `want` with labels. A range without length is widened. */
void tni_axis_set(tni_axis *axis, bool log, double lo, double hi, int want);
double tni_axis_at(const tni_axis *axis, double value);

/* "10⁻³" */
void tni_power_of_ten(int exponent, char out[TNI_LABEL_MAX]);
/* "kg m/s^2" becomes "kg·m/s²" */
void tni_pretty_unit(const char *unit, char *out, size_t n);

#endif
