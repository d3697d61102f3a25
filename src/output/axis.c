/* output/axis.c - range, ticks and their labels of one axis of a plot
 *
 * Linear axes have ticks at multiples of 1, 2 or 5 times a power of ten; numbers that would need many
 * zeros have a power of a thousand taken out. Logarithmic axes have ticks at powers of ten, at every
 * second, third ... of them when there are many, and at 1, 2, 5 when there are hardly any.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/axis.h"

#include <math.h>
#include <stdio.h>

static const char *const superscript[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

void tni_power_of_ten(int exponent, char out[TNI_LABEL_MAX]) {
  char digits[16];
  snprintf(digits, sizeof(digits), "%d", exponent);
  size_t n = (size_t)snprintf(out, TNI_LABEL_MAX, "10");
  for (const char *d = digits; *d; d++)
    n += (size_t)snprintf(out + n, TNI_LABEL_MAX - n, "%s",
                          *d == '-' ? "⁻" : superscript[*d - '0']);
}

void tni_pretty_unit(const char *unit, char *out, size_t n) {
  size_t at = 0;
  out[0] = 0;
  for (const char *c = unit; *c && at + 4 < n; c++) {
    if (*c == '^' && c[1] >= '0' && c[1] <= '9')
      at += (size_t)snprintf(out + at, n - at, "%s", superscript[*++c - '0']);
    else if (strncmp(c, " or ", 4) == 0 && at + 8 < n) /* two units, not a product */
      at += (size_t)snprintf(out + at, n - at, " or "), c += 3;
    else if (*c == ' ' && c > unit && c[-1] != ',')
      at += (size_t)snprintf(out + at, n - at, "·");
    else
      at += (size_t)snprintf(out + at, n - at, "%c", *c);
  }
}

/* minus sign as long as the plus sign, decimal point whatever the locale */
static void typeset(const char *number, char out[TNI_LABEL_MAX]) {
  size_t at = 0;
  for (const char *c = number; *c && at + 4 < TNI_LABEL_MAX; c++) {
    if (*c == '-') at += (size_t)snprintf(out + at, TNI_LABEL_MAX - at, "−");
    else out[at++] = *c == ',' ? '.' : *c;
    out[at] = 0;
  }
}

/* smallest of 1, 2, 5 times a power of ten that is not below x */
static double nice_above(double x) {
  double power = pow(10, floor(log10(x)));
  static const double nice[] = {1, 2, 5, 10};
  for (int i = 0; i < TNI_COUNT(nice); i++)
    if (nice[i]*power >= x*(1 - 1e-9)) return nice[i]*power;
  return 10*power;
}

static void set_linear(tni_axis *a, int want) {
  double step = nice_above((a->hi - a->lo)/want), largest = fmax(fabs(a->lo), fabs(a->hi));
  int size = (int)floor(log10(largest) + 1e-9), fine = (int)floor(log10(step) + 1e-9);
  a->exponent = size >= 5 || size < -2 ? 3*(int)floor(size/3.0) : 0;
  int decimals = a->exponent - fine;
  if (decimals < 0) decimals = 0;
  if (decimals > 12) decimals = 12;
  double first = ceil(a->lo/step - 1e-9), unit = pow(10, a->exponent);
  for (int i = 0; a->ntick < TNI_TICKS_MAX; i++) {
    double value = (first + i)*step;
    if (value > a->hi + 1e-9*step) break;
    char number[64];
    snprintf(number, sizeof(number), "%.*f", decimals, first + i == 0 ? 0.0 : value/unit);
    typeset(number, a->label[a->ntick]);
    a->tick[a->ntick++] = value;
  }
}

static void log_label(int k, int digit, bool plain, char out[TNI_LABEL_MAX]) {
  char power[TNI_LABEL_MAX];
  tni_power_of_ten(k, power);
  if (plain) snprintf(out, TNI_LABEL_MAX, "%.10g", digit*pow(10, k));
  else if (digit == 1) snprintf(out, TNI_LABEL_MAX, "%s", power);
  else snprintf(out, TNI_LABEL_MAX, "%d·%.16s", digit, power);
}

static void set_log(tni_axis *a, int want) {
  double lo = log10(a->lo), hi = log10(a->hi);
  int first = (int)ceil(lo - 1e-9), last = (int)floor(hi + 1e-9);
  int every = 1;
  while ((last - first)/every + 1 > want) every++;
  /* fewer than two powers of ten say little: numbers between them as well */
  bool between = last - first < 2;
  bool plain = between && lo > -3.5 && hi < 4;
  for (int k = (int)floor(lo) - 1; k <= last; k++) {
    for (int digit = 1; digit < 10; digit++) {
      double value = digit*pow(10, k);
      if (value < a->lo*(1 - 1e-9) || value > a->hi*(1 + 1e-9)) continue;
      bool labelled = digit == 1 ? (k % every) == 0 : between && (digit == 2 || digit == 5);
      if (labelled && a->ntick < TNI_TICKS_MAX) {
        log_label(k, digit, plain, a->label[a->ntick]);
        a->tick[a->ntick++] = value;
      } else if ((digit == 1 || last - first <= 5) && a->nminor < TNI_MINOR_MAX) {
        a->minor[a->nminor++] = value;
      }
    }
  }
}

void tni_axis_set(tni_axis *a, bool log, double lo, double hi, int want) {
  memset(a, 0, sizeof(*a));
  a->log = log;
  a->lo = lo;
  a->hi = hi;
  if (want < 2) want = 2;
  /* what differs by rounding only is one value */
  if (log && !(hi > lo*(1 + 1e-9))) {
    a->lo = lo/3;
    a->hi = hi*3;
  } else if (!log && !(hi - lo > 1e-12*fmax(fabs(lo), fabs(hi)))) {
    double half = lo == 0 && hi == 0 ? 1 : 0.1*fmax(fabs(lo), fabs(hi));
    a->lo = lo - half;
    a->hi = hi + half;
  }
  if (log) set_log(a, want);
  else set_linear(a, want);
}

double tni_axis_at(const tni_axis *a, double value) {
  double part = a->log ? log(value/a->lo)/log(a->hi/a->lo) : (value - a->lo)/(a->hi - a->lo);
  return a->from + part*(a->to - a->from);
}
