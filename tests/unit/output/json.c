/* JSON text: escapes, numbers, nesting
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/json.h"

#include <locale.h>

#include "support/check.h"

static tn_ctx *ctx;

static void an_object_reads_as_written(void) {
  tni_text text;
  tni_json json;
  tni_text_init(&text, ctx);
  tni_json_begin(&json, &text, false);
  tni_json_add_text(&json, "method", "rk45");
  tni_json_add_integer(&json, "steps", -12);
  tni_json_add_flag(&json, "ok", true);
  tni_json_open_array(&json, "list");
  tni_json_add_number(&json, NULL, 0.5);
  tni_json_open_object(&json, NULL);
  tni_json_close(&json);
  tni_json_add_text(&json, NULL, NULL);
  tni_json_close(&json);
  CHECK(tni_json_end(&json));
  CHECK_TEXT(text.s, "{\"method\": \"rk45\", \"steps\": -12, \"ok\": true, "
                     "\"list\": [0.5, {}, null]}");
  tni_text_free(&text);
}

static void lines_put_one_member_on_each(void) {
  tni_text text;
  tni_json json;
  tni_text_init(&text, ctx);
  tni_json_begin(&json, &text, true);
  tni_json_add_number(&json, "a.b", 7.25);
  tni_json_open_object(&json, "c");
  tni_json_add_integer(&json, "d", 1);
  tni_json_add_integer(&json, "e", 2);
  CHECK(tni_json_end(&json));
  CHECK_TEXT(text.s, "{\n  \"a.b\": 7.25,\n  \"c\": {\"d\": 1, \"e\": 2}\n}\n");
  tni_text_free(&text);
}

static void check_escape(const char *value, const char *want) {
  tni_text text;
  tni_json json;
  char line[256];
  tni_text_init(&text, ctx);
  tni_json_begin(&json, &text, false);
  tni_json_add_text(&json, value, value);
  CHECK(tni_json_end(&json));
  snprintf(line, sizeof(line), "{\"%s\": \"%s\"}", want, want);
  CHECK_TEXT(text.s, line);
  tni_text_free(&text);
}

static void text_is_escaped_and_made_utf8(void) {
  check_escape("", "");
  check_escape("a\"b\\c/d", "a\\\"b\\\\c/d");
  check_escape("line\nnext\ttab\r", "line\\nnext\\ttab\\r");
  check_escape("\x01\x1f", "\\u0001\\u001f");
  check_escape("100% %s", "100% %s");
  check_escape("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  check_escape("caf\xE9", "caf\xEF\xBF\xBD");                  /* Latin-1                   */
  check_escape("\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");        /* overlong form of a slash  */
  check_escape("\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD");        /* cut off                   */
}

static void numbers_come_back_bit_for_bit(void) {
  uint64_t seed = 0x9E3779B97F4A7C15u;
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    char text[TNI_NUMBER_MAX];
    double x = ldexp(check_random(&seed), (int)(600*check_random(&seed)));
    int n = tni_format_number(text, x);
    double back = strtod(text, NULL);
    if (n != (int)strlen(text) || memcmp(&x, &back, sizeof(x)) != 0) wrong++;
  }
  CHECK_INT(wrong, 0);
}

static void numbers_json_does_not_know_are_null(void) {
  tni_text text;
  tni_json json;
  tni_text_init(&text, ctx);
  tni_json_begin(&json, &text, false);
  tni_json_add_number(&json, "a", NAN);
  tni_json_add_number(&json, "b", -INFINITY);
  CHECK(tni_json_end(&json));
  CHECK_TEXT(text.s, "{\"a\": null, \"b\": null}");
  tni_text_free(&text);
  char number[TNI_NUMBER_MAX];
  tni_format_number(number, -NAN);
  CHECK_TEXT(number, "nan");
}

/* skipped where no such locale is installed */
static void a_decimal_comma_of_the_locale_does_not_get_in(void) {
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) return;
  char number[TNI_NUMBER_MAX];
  tni_format_number(number, 0.5);
  CHECK_TEXT(number, "0.5");
  setlocale(LC_NUMERIC, "C");
}

static void wrong_nesting_is_reported(void) {
  tni_text text;
  tni_json json;
  tni_text_init(&text, ctx);
  tni_json_begin(&json, &text, false);
  tni_json_close(&json);
  tni_json_close(&json);
  CHECK(!tni_json_end(&json));
  tni_text_free(&text);
  tni_json_begin(&json, &text, false);
  for (int i = 0; i < TNI_JSON_DEPTH; i++) tni_json_open_array(&json, "a");
  CHECK(!tni_json_end(&json));
  tni_text_free(&text);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(an_object_reads_as_written);
  RUN(lines_put_one_member_on_each);
  RUN(text_is_escaped_and_made_utf8);
  RUN(numbers_come_back_bit_for_bit);
  RUN(numbers_json_does_not_know_are_null);
  RUN(a_decimal_comma_of_the_locale_does_not_get_in);
  RUN(wrong_nesting_is_reported);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
