/* Ticks that people can read: round numbers inside of the range, labels that say what they are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/axis.h"

#include "support/check.h"

/* value of a label: our minus sign and powers of ten back to a number */
static double value_of(const char *label) {
  char plain[64];
  size_t n = 0;
  double factor = 1;
  for (const char *c = label; *c && n < sizeof(plain) - 2;) {
    if (strncmp(c, "−", 3) == 0) {
      plain[n++] = '-';
      c += 3;
    } else if (strncmp(c, "·", 2) == 0) { /* 2·10⁻⁵ */
      plain[n] = 0;
      factor = atof(plain);
      n = 0;
      c += 2;
    } else if (strncmp(c, "⁻", 3) == 0) {
      plain[n++] = 'e';
      plain[n++] = '-';
      c += 3;
    } else if ((unsigned char)*c >= 0x80) { /* superscript digit */
      static const char *const up[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
      if (n && !strchr(plain, 'e') && plain[n-1] != '-' && n == 2) plain[n++] = 'e';
      for (int d = 0; d < 10; d++)
        if (strncmp(c, up[d], strlen(up[d])) == 0) plain[n++] = (char)('0' + d);
      c += *c == (char)0xC2 ? 2 : 3;
    } else {
      plain[n++] = *c++;
    }
    plain[n] = 0;
  }
  /* "10e-3" stands for ten to the power of -3 */
  char *e = strchr(plain, 'e');
  if (e) return factor*pow(10, atof(e + 1));
  return factor*atof(plain);
}

/* the distance of two ticks is 1, 2 or 5 times a power of ten, and labels give the ticks */
static void linear_ticks_are_round(void) {
  uint64_t seed = 7;
  for (int trial = 0; trial < 2000; trial++) {
    double size = pow(10, 9*check_random(&seed)), middle = size*3*check_random(&seed);
    double lo = middle - size*(0.2 + fabs(check_random(&seed))), hi = middle + size;
    tni_axis a;
    tni_axis_set(&a, false, lo, hi, 6);
    CHECK(a.ntick >= 2 && a.ntick <= 8);
    double step = a.tick[1] - a.tick[0];
    double digit = step/pow(10, floor(log10(step) + 1e-6));
    CHECK(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
    for (int i = 0; i < a.ntick; i++) {
      CHECK(a.tick[i] >= lo - 1e-9*size && a.tick[i] <= hi + 1e-9*size);
      CHECK_NEAR(value_of(a.label[i])*pow(10, a.exponent)/step, a.tick[i]/step, 1e-6);
      if (i) CHECK(strcmp(a.label[i], a.label[i-1]) != 0);
    }
  }
}

static void log_ticks_are_powers_of_ten(void) {
  uint64_t seed = 9;
  for (int trial = 0; trial < 2000; trial++) {
    double lo = pow(10, 12*check_random(&seed)), hi = lo*pow(10, 0.5 + 10*fabs(check_random(&seed)));
    tni_axis a;
    tni_axis_set(&a, true, lo, hi, 6);
    CHECK(a.ntick >= 1 && a.ntick <= 9);
    for (int i = 0; i < a.ntick; i++) {
      CHECK(a.tick[i] >= lo*(1 - 1e-6) && a.tick[i] <= hi*(1 + 1e-6));
      if (!CHECK(fabs(value_of(a.label[i])/a.tick[i] - 1) < 1e-6))
        printf("label %s of %g\n", a.label[i], a.tick[i]);
    }
  }
}

/* one value, or none that differs, still gives an axis around it */
static void a_range_without_length_is_widened(void) {
  static const double value[] = {0, 3, -2e-9, 1e12};
  for (int i = 0; i < TNI_COUNT(value); i++) {
    tni_axis a;
    tni_axis_set(&a, false, value[i], value[i], 5);
    CHECK(a.lo < value[i] && a.hi > value[i] && a.ntick >= 2);
  }
  tni_axis a;
  tni_axis_set(&a, true, 1e-3, 1e-3, 5);
  CHECK(a.lo < 1e-3 && a.hi > 1e-3 && a.ntick >= 1);
}

static void values_are_placed_between_the_ends(void) {
  tni_axis a;
  tni_axis_set(&a, false, -1, 3, 5);
  a.from = 100;
  a.to = 20;
  CHECK_NEAR(tni_axis_at(&a, -1), 100, 1e-14);
  CHECK_NEAR(tni_axis_at(&a, 0), 80, 1e-14);
  CHECK_NEAR(tni_axis_at(&a, 3), 20, 1e-14);
  tni_axis_set(&a, true, 1e-4, 1, 5);
  a.from = 0;
  a.to = 40;
  CHECK_NEAR(tni_axis_at(&a, 1e-3), 10, 1e-13);
}

static void units_are_typeset(void) {
  char out[64];
  tni_pretty_unit("kg m^2", out, sizeof(out));
  CHECK_TEXT(out, "kg·m²");
  tni_pretty_unit("m/s^2", out, sizeof(out));
  CHECK_TEXT(out, "m/s²");
  tni_pretty_unit("N, N m", out, sizeof(out));
  CHECK_TEXT(out, "N, N·m");
  tni_pretty_unit("N or N m", out, sizeof(out));
  CHECK_TEXT(out, "N or N·m");
  tni_pretty_unit("", out, sizeof(out));
  CHECK_TEXT(out, "");
  char power[TNI_LABEL_MAX];
  tni_power_of_ten(-12, power);
  CHECK_TEXT(power, "10⁻¹²");
}

int main(void) {
  RUN(linear_ticks_are_round);
  RUN(log_ticks_are_powers_of_ten);
  RUN(a_range_without_length_is_widened);
  RUN(values_are_placed_between_the_ends);
  RUN(units_are_typeset);
  return REPORT();
}
