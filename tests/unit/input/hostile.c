/* hostile documents: bombs are refused, damaged text never crashes, no allocation is lost
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "input/node.h"
#include "language.h"
#include "support/check.h"

static const char document[] =
    "tenon: 1\n"
    "title: 'Everything {n}'\n"
    "gravity: [0, 0, -9.81]\n"
    "planar: false\n"
    "params: {n: 3, L: 0.25, w: \"2*pi*L\"}\n"
    "bodies:\n"
    "  base: &base {mass: 1.5, inertia: [1, 2, 3, 0.1, 0.2, 0.3], at: [0, 0, L]}\n"
    "  arm:\n"
    "    <<: *base\n"
    "    mass: n/2\n"
    "    orientation: {axis: [0, 1, 0], angle: 30*deg}\n"
    "    points: {tip: [1, 0, 0], tail: [-1, 0]}\n"
    "    frames: {f: {at: [0, 0, 1], orientation: {euler: [0.1, 0.2, 0.3], sequence: zxz}}}\n"
    "    data: {any: [thing, 1, 2]}\n"
    "repeat:\n"
    "  - for: {i: [1, n], s: {in: [a, b]}}\n"
    "    bodies: {\"link{i}{s}\": {mass: 1 + i, at: [\"L*i\", 0, 0]}}\n"
    "    drive: [{joint: \"j{i}\", motion: \"sin(i*w*t) + {i^2}\"}]\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, base], at: tip, axis: y, damping: 0.1}\n"
    "  g: {type: gear, joints: [pin, ball], ratio: -2}\n"
    "forces:\n"
    "  - {type: push, body: arm, force: [1, \"step(t, 0, 0, 1, n)\"], frame: body}\n"
    "  - {type: spring, body: arm, stiffness: [1, 2, 3, 4, 5, 6], curve: [[0, 0], [1, 2]],\n"
    "     law: \"w*angle(pin)\", free: {x: 0.5}}\n"
    "analysis: {until: 2, steps: 100, method: adams, theta: 0.5, times: [0, 1], window: [0, 1]}\n";

static void read_once(tn_ctx *ctx, const char *text) {
  tn_spec *spec = NULL;
  tn_status st = tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec);
  if ((st == TN_OK) != (spec != NULL)) CHECK((st == TN_OK) == (spec != NULL));
  if (st != TN_OK && st != TN_ERR_INPUT) CHECK(st == TN_ERR_INPUT);
  /* one line with a place, whatever happened */
  const char *m = tn_ctx_message(ctx);
  if (st != TN_OK && (strncmp(m, "m.yaml:", 7) != 0 || strchr(m, '\n'))) CHECK_TEXT(m, "one line");
  tni_spec_destroy(&spec);
}

static uint32_t draw(uint64_t *seed, uint32_t n) {
  check_random(seed);
  return (uint32_t)((*seed >> 20)%n);
}

/* bytes changed, removed, doubled, and words of the language put where they do not belong */
static void damaged_text_never_crashes(void) {
  static const char *const words[] = {
      "{",    "}",  "[",   "]",  ":",        ",",     "\"",     "'",
      "\n",   "\t", "{i}", "{{", "&a ",      "*a",    "*base",  "<<: ",
      "- ",   "? ", "!x ", "~",  "null",     "1e999", "-",      ".nan",
      "i",    "n",  "t",   "()", "type",     "name",  "\n  ",   "| \n",
      "> \n", "%",  "@",   "#",  "\xC3\xA4", "\xFF",  "{in: [", "for: {j: [0, 2]}",
      "%s"};
  tn_ctx *ctx;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) exit(1);
  read_once(ctx, document);
  const char *more = getenv("TENON_FUZZ");
  long rounds = more ? atol(more) : 3000;
  uint64_t seed = more ? 88172645463325252u + (uint64_t)rounds : 88172645463325252u;
  for (long k = 0; k < rounds; k++) {
    char text[8000];
    size_t n = sizeof(document) - 1;
    memcpy(text, document, n + 1);
    for (uint32_t edits = 1 + draw(&seed, 4); edits > 0; edits--) {
      size_t at = draw(&seed, (uint32_t)n), len = 1 + draw(&seed, 40);
      if (at + len > n) len = n - at;
      const char *word = words[draw(&seed, TNI_COUNT(words))];
      switch (draw(&seed, 5)) {
        case 0: text[at] = (char)(1 + draw(&seed, 255)); break;
        case 1: text[at] = (char)(' ' + draw(&seed, 95)); break;
        case 2:
          memmove(text + at, text + at + len, n - at - len + 1);
          n -= len;
          break;
        case 3:
          len = n + len + 1 < sizeof(text) ? len : 0;
          memmove(text + at + len, text + at, n - at + 1);
          n += len;
          break;
        default:
          len = strlen(word);
          if (n + len + 1 >= sizeof(text)) break;
          memmove(text + at + len, text + at, n - at + 1);
          memcpy(text + at, word, len);
          n += len;
      }
      text[n] = 0;
      if (n < 50) break;
    }
    read_once(ctx, text);
  }
  CHECK(rounds > 0);
  tn_ctx_destroy(&ctx);
}

static void check_refused(const char *text, const char *message) {
  tn_ctx *ctx;
  tn_spec *spec = NULL;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) exit(1);
  CHECK(tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), message);
  tni_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

/* ten levels of ten aliases stand for 10^10 values; the fifth passes a million */
static void alias_bomb_is_refused(void) {
  char text[2000];
  int n = snprintf(text, sizeof(text), "tenon: 1\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
  for (int k = 1; k <= 10; k++)
    n += snprintf(text + n, sizeof(text) - (size_t)n,
                  "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", k, k,
                  k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1, k - 1);
  check_refused(text,
                "m.yaml:7: aliases expand to more than 1000000 values; use 'repeat:' instead");
}

static void depth_is_limited(void) {
  static char text[200100];
  int n = snprintf(text, sizeof(text), "tenon: 1\ntitle: ");
  memset(text + n, '[', 200000);
  text[n + 200000] = 0;
  check_refused(text, "m.yaml:2: nested deeper than 64 levels");
  memset(text + n, '-', 200000);
  for (int i = 1; i < 200000; i += 2) text[n + i] = ' ';
  text[n - 1] = '\n';
  check_refused(text, "m.yaml:3: nested deeper than 64 levels");
}

static void size_is_limited(void) {
  size_t n = (size_t)TNI_YAML_MAX_BYTES + 1;
  char *text = malloc(n + 1);
  if (!text) return;
  memset(text, '#', n);
  text[n] = 0;
  check_refused(text, "m.yaml: the file is too long: at most 33554432 bytes are allowed");
  free(text);
}

/* braces and expressions have limits of their own */
static void long_texts_are_refused_not_cut(void) {
  static char text[3000], message[600];
  int n = snprintf(text, sizeof(text), "tenon: 1\ntitle: '{");
  memset(text + n, '1', 400);
  snprintf(text + n + 400, sizeof(text) - 500 - (size_t)n, "}'\n");
  snprintf(message, sizeof(message), "m.yaml:2: key 'title': '{");
  size_t m = strlen(message);
  memset(message + m, '1', 59);
  snprintf(message + m + 59, sizeof(message) - m - 59, "...': more than 256 characters in braces");
  check_refused(text, message);
}

/* an allocator that counts what is out and fails at the k-th call */
typedef struct meter {
  long calls, fail_at, out;
} meter;

static void *meter_alloc(void *user, size_t bytes) {
  meter *m = user;
  if (++m->calls == m->fail_at) return NULL;
  void *p = malloc(bytes);
  m->out += p != NULL;
  return p;
}
static void meter_release(void *user, void *p) {
  ((meter *)user)->out -= p != NULL;
  free(p);
}

static tn_status read_with(meter *m, const char *path) {
  tn_ctx_opts opts = {.alloc = meter_alloc, .release = meter_release, .user = m};
  tn_ctx *ctx;
  tn_spec *spec = NULL;
  tn_status st = tn_ctx_create(&opts, &ctx);
  if (st != TN_OK) return st;
  st = path ? tni_input_read_file(ctx, &language, path, NULL, 0, &spec)
            : tni_input_read_text(ctx, &language, "m.yaml", document, NULL, 0, &spec);
  if (st == TN_ERR_MEMORY) CHECK_TEXT(tn_ctx_message(ctx), "out of memory");
  if ((st == TN_OK) != (spec != NULL)) CHECK(spec == NULL);
  tni_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return st;
}

static void check_every_failure(const char *path) {
  long k = 1;
  for (;; k++) {
    meter m = {.fail_at = k};
    tn_status st = read_with(&m, path);
    if (m.out != 0) CHECK_INT(m.out, 0);
    if (st == TN_OK) break;
    if (st != TN_ERR_MEMORY) CHECK(st == TN_ERR_MEMORY);
    if (k > 100000) break;
  }
  CHECK(k > 10 && k < 100000);
}

static void allocation_failure_leaves_nothing_behind(void) {
  check_every_failure(NULL);
  const char *path = "hostile-include.yaml";
  FILE *f = fopen("hostile-main.yaml", "w"), *g = fopen(path, "w");
  CHECK(f && g);
  if (!f || !g) return;
  fprintf(f, "tenon: 1\ninclude: %s\nbodies: {b: {mass: '{n}'}}\n", path);
  fprintf(g, "params: {n: 2}\nbodies: {a: {mass: n}}\n");
  fclose(f);
  fclose(g);
  check_every_failure("hostile-main.yaml");
  unlink("hostile-main.yaml");
  unlink(path);
}

int main(void) {
  RUN(damaged_text_never_crashes);
  RUN(alias_bomb_is_refused);
  RUN(depth_is_limited);
  RUN(size_is_limited);
  RUN(long_texts_are_refused_not_cut);
  RUN(allocation_failure_leaves_nothing_behind);
  return REPORT();
}
