/* mesh/scan.c - numbers and words of a text in memory
 *
 * Numbers of up to 15 digits with a power of ten up to 22 are exact in one operation; all others go to strtod.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "mesh/scan.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

tni_scan_locale tni_scan_locale_begin(void) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (tni_scan_locale){c, c ? uselocale(c) : (locale_t)0};
}

void tni_scan_locale_end(tni_scan_locale l) {
  if (!l.c) return;
  uselocale(l.old);
  freelocale(l.c);
}

int tni_scan_line(const tni_scan *s, const char *place) {
  int line = 1;
  if (place > s->end) place = s->end;
  for (const char *c = s->begin; c < place; c++) line += *c == '\n';
  return line;
}

tn_status tni_scan_fail(const tni_scan *s, const char *place, const char *fmt, ...) {
  char what[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof(what), fmt, ap);
  va_end(ap);
  return TN_FAIL(s->ctx, TN_ERR_INPUT, "%s:%d: %s", s->source, tni_scan_line(s, place ? place : s->at), what);
}

static const char *skip(const tni_scan *s) {
  const char *c = s->at;
  while (c < s->end && (*c == ' ' || *c == '\t' || *c == '\r')) c++;
  return c;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
/* may a number end before this character */
static bool is_break(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == 0; }

bool tni_scan_integer(tni_scan *s, int64_t *out) {
  const char *c = skip(s);
  bool minus = *c == '-';
  if (*c == '-' || *c == '+') c++;
  if (!is_digit(*c)) return false;
  int64_t v = 0;
  for (; is_digit(*c); c++) {
    if (v > (INT64_MAX - 9)/10) return false;
    v = 10*v + (*c - '0');
  }
  if (!is_break(*c)) return false;
  *out = minus ? -v : v;
  s->at = c;
  return true;
}

static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
                             1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool tni_scan_number(tni_scan *s, double *out) {
  const char *c = skip(s), *from = c;
  bool minus = *c == '-', point = false;
  if (*c == '-' || *c == '+') c++;
  int64_t mantissa = 0;
  int digits = 0, shift = 0, power = 0, any = 0;
  for (; is_digit(*c) || (*c == '.' && !point); c++) {
    if (*c == '.') {
      point = true;
      continue;
    }
    any = 1;
    if (digits > 0 || *c != '0') digits++;
    if (digits <= 15) mantissa = 10*mantissa + (*c - '0');
    if (point) shift--;
  }
  if (!any) return false;
  bool fortran = *c == 'd' || *c == 'D';
  if (*c == 'e' || *c == 'E' || fortran) {
    const char *e = c + 1;
    bool down = *e == '-';
    if (*e == '-' || *e == '+') e++;
    if (!is_digit(*e)) return false;
    for (; is_digit(*e); e++)
      if (power < 100000) power = 10*power + (*e - '0');
    if (down) power = -power;
    c = e;
  }
  if (!is_break(*c)) return false;
  shift += power;
  if (digits <= 15 && shift >= -22 && shift <= 22) {
    double v = (double)mantissa;
    v = shift < 0 ? v/ten[-shift] : v*ten[shift];
    *out = minus ? -v : v;
  } else if (fortran) {
    char copy[400];
    size_t n = (size_t)(c - from);
    if (n >= sizeof(copy)) return false;
    memcpy(copy, from, n);
    copy[n] = 0;
    for (char *k = copy; *k; k++)
      if (*k == 'd' || *k == 'D') *k = 'e';
    *out = strtod(copy, NULL);
  } else {
    *out = strtod(from, NULL);
  }
  s->at = c;
  return true;
}

bool tni_scan_end_of_line(tni_scan *s) {
  const char *c = skip(s);
  if (c < s->end && *c != '\n') return false;
  s->at = c < s->end ? c + 1 : c;
  return true;
}

bool tni_scan_next_line(tni_scan *s) {
  const char *c = memchr(s->at, '\n', (size_t)(s->end - s->at));
  s->at = c ? c + 1 : s->end;
  return c != NULL && s->at < s->end;
}

const char *tni_scan_word(const tni_scan *s, char word[40]) {
  const char *c = skip(s);
  if (c >= s->end) return "end of file";
  if (*c == '\n') return "end of line";
  int n = 0;
  for (; n < 30 && c + n < s->end && !is_break(c[n]); n++) word[n+1] = c[n];
  word[0] = '\'';
  word[n+1] = '\'';
  word[n+2] = 0;
  if (n == 0) snprintf(word, 40, "'%c'", *c);
  return word;
}
