/* Is standard input one JSON value? Exit 0 if so, 1 with the place of the mistake if not.
 * With an argument: the value must be an object with that key at the top; its text is printed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 20];
static const char *at = text, *wanted;
static const char *from, *to; /* the value of the wanted key */

static void space(void) {
  while (*at && strchr(" \t\r\n", *at)) at++;
}

static bool literal(const char *word) {
  size_t n = strlen(word);
  if (strncmp(at, word, n) != 0) return false;
  at += n;
  return true;
}

static bool string(void) {
  if (*at++ != '"') return false;
  for (; *at != '"'; at++) {
    if ((unsigned char)*at < 32) return false;
    if (*at != '\\') continue;
    if (!*++at || !strchr("\"\\/bfnrtu", *at)) return false;
    for (int i = 0; *at == 'u' && i < 4; i++)
      if (!isxdigit((unsigned char)at[i+1])) return false;
  }
  at++;
  return true;
}

static bool digits(void) {
  if (!isdigit((unsigned char)*at)) return false;
  while (isdigit((unsigned char)*at)) at++;
  return true;
}

static bool number(void) {
  if (*at == '-') at++;
  if (*at == '0' && isdigit((unsigned char)at[1])) return false;
  if (!digits()) return false;
  if (*at == '.' && (at++, !digits())) return false;
  if (*at != 'e' && *at != 'E') return true;
  at++;
  if (*at == '+' || *at == '-') at++;
  return digits();
}

static bool value(int depth);

static bool members(char close, int depth) {
  at++;
  space();
  if (*at == close) return at++, true;
  for (;; at++) {
    space();
    bool mine = false;
    if (close == '}') {
      const char *key = at + 1;
      if (!string()) return false;
      size_t n = (size_t)(at - 1 - key);
      mine = depth == 0 && wanted && strlen(wanted) == n && strncmp(key, wanted, n) == 0;
      space();
      if (*at++ != ':') return false;
      space();
    }
    const char *begin = at;
    if (!value(depth + 1)) return false;
    if (mine) from = begin, to = at;
    space();
    if (*at == close) return at++, true;
    if (*at != ',') return false;
  }
}

static bool value(int depth) {
  if (depth > 100) return false;
  if (*at == '{') return members('}', depth);
  if (*at == '[') return members(']', depth);
  if (*at == '"') return string();
  if (*at == '-' || isdigit((unsigned char)*at)) return number();
  return literal("true") || literal("false") || literal("null");
}

int main(int argc, char **argv) {
  size_t n = fread(text, 1, sizeof(text) - 1, stdin);
  text[n] = 0;
  wanted = argc > 1 ? argv[1] : NULL;
  space();
  bool ok = value(0);
  space();
  if (!ok || *at) {
    printf("not JSON at byte %ld: %.40s\n", (long)(at - text), at);
    return 1;
  }
  if (wanted && !from) {
    printf("no key '%s'\n", wanted);
    return 1;
  }
  if (wanted) printf("%.*s\n", (int)(to - from), from);
  return 0;
}
