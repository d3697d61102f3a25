/* mesh/scan.h - numbers and words of a text in memory, line by line
 *
 * The text ends with a zero byte (base/file.h). Numbers are read with a point, whatever the locale of the program. Lines are
 * counted only when a message needs one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCAN_H
#define TNI_SCAN_H

#include <stdint.h>

#include "base/base.h"

typedef struct tni_scan {
  tn_ctx *ctx;
  const char *source;     /* name for messages            */
  const char *begin, *end;
  const char *at;         /* not read yet                 */
} tni_scan;

/* "source:line: ..." with the line of at, or of place if it is not NULL; returns TN_ERR_INPUT */
tn_status tni_scan_fail(const tni_scan *s, const char *place, const char *fmt, ...) TN_PRINTF(3, 4);
int tni_scan_line(const tni_scan *s, const char *place);

/* Each skips blanks, never the end of a line, and leaves the text alone when it returns false. */
bool tni_scan_integer(tni_scan *s, int64_t *out); /* false also when it does not fit, or a letter or point follows */
bool tni_scan_number(tni_scan *s, double *out);   /* also 1.5D+3 */
/* the end of the line, or of the text, is all that is left of the line: go behind it */
bool tni_scan_end_of_line(tni_scan *s);
/* go to the beginning of the next line; false: there is none */
bool tni_scan_next_line(tni_scan *s);
/* for messages: what stands here, at most 30 letters of the word; "end of line", "end of file" */
const char *tni_scan_word(const tni_scan *s, char word[40]);

/* the numbers of text in this thread; end what was begun */
typedef struct tni_scan_locale {
  void *c, *old;
} tni_scan_locale;
tni_scan_locale tni_scan_locale_begin(void);
void tni_scan_locale_end(tni_scan_locale locale);

#endif
