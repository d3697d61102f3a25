/* output/json.c - JSON text
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/json.h"

#include <math.h>
#include <stdio.h>

int tni_format_number(char out[TNI_NUMBER_MAX], double value) {
  if (isnan(value)) return snprintf(out, TNI_NUMBER_MAX, "nan"); /* printf may say -nan */
  int n = snprintf(out, TNI_NUMBER_MAX, "%.17g", value);
  /* the program around us may have set a locale with a decimal comma */
  for (int i = 0; i < n; i++)
    if (out[i] == ',') out[i] = '.';
  return n;
}

/* RFC 3629: no surrogates, no overlong form */
int tni_utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  int n = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 :
          s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
  if (s[0] == 0xED && s[1] > 0x9F) return 0;
  if (s[0] == 0xF0 && s[1] < 0x90) return 0;
  if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
  return n;
}

static void add_quoted(tni_text *text, const char *value) {
  const char *plain = value; /* start of what needs no escape, added in one go */
  tni_text_add(text, "\"");
  for (const char *c = value;;) {
    int n = tni_utf8_length((const unsigned char *)c);
    if (n && (unsigned char)*c >= 0x20 && *c != '"' && *c != '\\') {
      c += n;
      continue;
    }
    tni_text_add(text, "%.*s", (int)(c - plain), plain);
    if (!*c) break;
    switch (*c) {
      case '"': tni_text_add(text, "\\\""); break;
      case '\\': tni_text_add(text, "\\\\"); break;
      case '\n': tni_text_add(text, "\\n"); break;
      case '\r': tni_text_add(text, "\\r"); break;
      case '\t': tni_text_add(text, "\\t"); break;
      default:
        if (n) tni_text_add(text, "\\u%04x", (unsigned)(unsigned char)*c);
        else tni_text_add(text, "\xEF\xBF\xBD"); /* U+FFFD */
    }
    plain = ++c;
  }
  tni_text_add(text, "\"");
}

static void open_level(tni_json *json, char begin, char end) {
  if (json->depth == TNI_JSON_DEPTH) {
    json->misused = true;
    return;
  }
  tni_text_add(json->text, "%c", begin);
  json->end[json->depth] = end;
  json->some[json->depth] = false;
  json->depth++;
}

/* comma, line break and name before a value */
static void add_key(tni_json *json, const char *key) {
  if (json->depth == 0) {
    json->misused = true;
    return;
  }
  bool *some = &json->some[json->depth-1];
  bool line = json->lines && json->depth == 1;
  tni_text_add(json->text, "%s%s", *some ? "," : "", line ? "\n  " : *some ? " " : "");
  *some = true;
  if (key) {
    add_quoted(json->text, key);
    tni_text_add(json->text, ": ");
  }
}

void tni_json_begin(tni_json *json, tni_text *text, bool lines) {
  memset(json, 0, sizeof(*json));
  json->text = text;
  json->lines = lines;
  open_level(json, '{', '}');
}

void tni_json_close(tni_json *json) {
  if (json->depth == 0) {
    json->misused = true;
    return;
  }
  json->depth--;
  if (json->depth == 0 && json->lines && json->some[0]) tni_text_add(json->text, "\n");
  tni_text_add(json->text, "%c", json->end[json->depth]);
}

bool tni_json_end(tni_json *json) {
  while (json->depth) tni_json_close(json);
  if (json->lines) tni_text_add(json->text, "\n");
  return !json->text->failed && !json->misused;
}

void tni_json_open_object(tni_json *json, const char *key) {
  add_key(json, key);
  open_level(json, '{', '}');
}

void tni_json_open_array(tni_json *json, const char *key) {
  add_key(json, key);
  open_level(json, '[', ']');
}

void tni_json_add_text(tni_json *json, const char *key, const char *value) {
  add_key(json, key);
  if (value) add_quoted(json->text, value);
  else tni_text_add(json->text, "null");
}

void tni_json_add_number(tni_json *json, const char *key, double value) {
  char number[TNI_NUMBER_MAX];
  tni_format_number(number, value);
  add_key(json, key);
  tni_text_add(json->text, "%s", isfinite(value) ? number : "null");
}

void tni_json_add_short(tni_json *json, const char *key, double value) {
  char number[TNI_NUMBER_MAX];
  int n = snprintf(number, sizeof(number), "%.7g", value);
  for (int i = 0; i < n; i++)
    if (number[i] == ',') number[i] = '.'; /* a locale, as in tni_format_number */
  add_key(json, key);
  tni_text_add(json->text, "%s", isfinite(value) ? number : "null");
}

void tni_json_add_integer(tni_json *json, const char *key, long long value) {
  add_key(json, key);
  tni_text_add(json->text, "%lld", value);
}

void tni_json_add_flag(tni_json *json, const char *key, bool value) {
  add_key(json, key);
  tni_text_add(json->text, "%s", value ? "true" : "false");
}
