/* output/json.h - JSON text: summaries, settings, bench files
 *
 *   tni_text text;  tni_text_init(&text, ctx);
 *   tni_json json;  tni_json_begin(&json, &text, true);
 *   tni_json_add_text(&json, "method", "rk45");
 *   tni_json_open_array(&json, "worst"); tni_json_add_number(&json, NULL, 1e-9);
 *   tni_json_close(&json);
 *   if (!tni_json_end(&json)) return tni_out_of_memory(ctx);
 *
 * Numbers are written with 17 significant digits, so that they are read back bit for bit; what
 * JSON has no number for (inf, nan) is null. Text that is not UTF-8 becomes UTF-8 with U+FFFD in
 * place of the bad bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_JSON_H
#define TNI_JSON_H

#include "base/base.h"

enum { TNI_JSON_DEPTH = 16, TNI_NUMBER_MAX = 32 };

typedef struct tni_json {
  tni_text *text;             /* borrowed                                       */
  bool lines;                 /* one member of the outer object per line        */
  int depth;                  /* objects and arrays that are open               */
  bool misused;               /* closed too often or nested too deep            */
  char end[TNI_JSON_DEPTH];   /* '}' or ']'                                     */
  bool some[TNI_JSON_DEPTH];  /* something was written at this depth            */
} tni_json;

/* Start the outer object at the end of text. */
void tni_json_begin(tni_json *json, tni_text *text, bool lines);
/* Close everything that is open; false when memory ran out or open and close did not match. */
bool tni_json_end(tni_json *json);

/* key: the name inside an object, NULL inside an array */
void tni_json_open_object(tni_json *json, const char *key);
void tni_json_open_array(tni_json *json, const char *key);
void tni_json_close(tni_json *json);
void tni_json_add_text(tni_json *json, const char *key, const char *value); /* NULL: null */
void tni_json_add_number(tni_json *json, const char *key, double value);
/* seven significant digits: for pictures */
void tni_json_add_short(tni_json *json, const char *key, double value);
void tni_json_add_integer(tni_json *json, const char *key, long long value);
void tni_json_add_flag(tni_json *json, const char *key, bool value);

/* 17 significant digits with a decimal point whatever the locale; "nan", "inf", "-inf" for the
 * rest. Returns the length. */
int tni_format_number(char out[TNI_NUMBER_MAX], double value);

/* bytes of the UTF-8 character at s, 0 when it is none */
int tni_utf8_length(const unsigned char *s);

#endif
