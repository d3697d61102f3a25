/* tests/scripts/stand_in_browser.c - stands in for Chromium where the command makes pictures of a page
 *
 * Reads commands from file descriptor 3 and answers on 4 as the debugging pipe of Chromium does. What it was called with and asked
 * for goes to the file named by STAND_IN_LOG. A picture is the text "picture N format\n", so that its bytes are known. STAND_IN says
 * what goes wrong:
 *
 *   dead       ends at once                    never      the page is never ready: it says "no"
 *   stops      ends when the page is asked     throws     scripts that draw throw an exception
 *   complains  the page refuses what is asked  blind      answers without a picture
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *wrong;
static FILE *record;
static int pictures, looks;

static bool is(const char *name) { return wrong && strcmp(wrong, name) == 0; }

/* in small pieces, as a pipe may deliver them */
static void put(const char *text) {
  for (size_t n = strlen(text) + 1; n;) {
    size_t part = n < 37 ? n : 37;
    if (write(4, text, part) != (ssize_t)part) exit(1);
    text += part;
    n -= part;
  }
}

static void answer(int id, const char *result) {
  char text[4096];
  put("{\"method\":\"Target.somethingElseHappened\",\"params\":{\"value\":\"wrong\"}}");
  snprintf(text, sizeof(text), "{\"id\":%d,\"result\":{%s}}", id, result);
  put(text);
}

static void answer_value(int id, const char *value) {
  char text[512];
  snprintf(text, sizeof(text), "\"result\":{\"type\":\"string\",\"value\":\"%s\"}", value);
  answer(id, text);
}

static void evaluate(int id, const char *text) {
  if (strstr(text, "dataset.ready")) {
    answer_value(id, ++looks < 3 ? "" : is("never") ? "no" : "yes");
  } else if (strstr(text, "tenon.prepare")) {
    answer_value(id, is("complains") ? "there is no such view" : "");
  } else if (strstr(text, "player.speed")) {
    answer_value(id, "4");
  } else if (is("throws")) {
    answer(id, "\"exceptionDetails\":{\"text\":\"Uncaught\"}");
  } else {
    answer(id, "\"result\":{\"type\":\"undefined\"}");
  }
}

static void picture(int id, const char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char bytes[64], out[256] = "\"data\":\"";
  int n = snprintf(bytes, sizeof(bytes), "picture %d %s\n", ++pictures, strstr(text, "jpeg") ? "jpeg" : "png");
  size_t at = strlen(out);
  for (int i = 0; i < n; i += 3) {
    unsigned x = 0;
    for (int k = 0; k < 3; k++) x = x << 8 | (unsigned)(i + k < n ? bytes[i+k] : 0);
    for (int k = 0; k < 4; k++) out[at++] = i + k > n ? '=' : digits[x >> (18 - 6*k) & 63];
  }
  snprintf(out + at, sizeof(out) - at, "\"");
  answer(id, is("blind") ? "\"nothing\":0" : out);
}

static void take(const char *text) {
  const char *at = strstr(text, "\"id\":");
  int id = at ? atoi(at + 5) : 0;
  if (record) fprintf(record, "%s\n", text), fflush(record);
  if (strstr(text, "\"Target.createTarget\"")) answer(id, "\"targetId\":\"TARGET\"");
  else if (strstr(text, "\"Target.attachToTarget\"")) answer(id, strstr(text, "\"TARGET\"") ? "\"sessionId\":\"SESSION\"" : "");
  else if (strstr(text, "\"Browser.close\"")) answer(id, ""), exit(0);
  else if (!strstr(text, "\"sessionId\":\"SESSION\"")) answer(id, ""); /* nobody is meant */
  else if (is("stops")) exit(0);
  else if (strstr(text, "\"Runtime.evaluate\"")) evaluate(id, text);
  else if (strstr(text, "\"Page.captureScreenshot\"")) picture(id, text);
  else answer(id, "");
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  size_t n = 0;
  const char *log = getenv("STAND_IN_LOG");
  wrong = getenv("STAND_IN");
  record = log ? fopen(log, "a") : NULL;
  for (int i = 0; i < argc && record; i++) fprintf(record, "%s%s", argv[i], i + 1 < argc ? " " : "\n");
  if (is("dead")) return 1;
  for (;;) {
    ssize_t got = read(3, text + n, sizeof(text) - n);
    if (got <= 0) return 0;
    n += (size_t)got;
    for (char *end; (end = memchr(text, 0, n));) {
      size_t length = (size_t)(end - text) + 1;
      take(text);
      memmove(text, text + length, n - length);
      n -= length;
    }
  }
}
