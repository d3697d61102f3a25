/* tests/support/mutate.h - damage a text at random and hand it to a reader
 *
 * Bytes changed, removed, repeated, swapped; numbers replaced by nasty ones; the end cut off. Every outcome must be success or a
 * failure with a message of one line, with nothing left allocated.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_MUTATE_H
#define TN_MUTATE_H

#include <tenon/context.h>

#include "support/check.h"

enum { MUTATE_LIMIT = 512*1024*1024 };

static size_t mutate_used;

static inline void *mutate_alloc(void *user, size_t bytes) {
  (void)user;
  if (bytes > MUTATE_LIMIT - mutate_used) return NULL;
  char *p = malloc(bytes + 16);
  if (!p) return NULL;
  memcpy(p, &bytes, sizeof(bytes));
  mutate_used += bytes;
  return p + 16;
}

static inline void mutate_release(void *user, void *ptr) {
  (void)user;
  size_t bytes;
  if (!ptr) return;
  memcpy(&bytes, (char *)ptr - 16, sizeof(bytes));
  mutate_used -= bytes;
  free((char *)ptr - 16);
}

static inline size_t mutate_below(uint64_t *r, size_t n) {
  check_random(r);
  return n ? (size_t)(*r >> 11)%n : 0;
}

/* one to four changes of text [n] into out [2 n + 100], which gets a final zero; returns its length */
static inline size_t mutate(const char *text, size_t n, char *out, uint64_t *r) {
  static const char *const nasty[] = {"-1", "0", "99999999999999999999", "2147483647", "-9223372036854775808", "1e999", "nan", "x", "$",
                                      "*", ",", "\n", "1.5", "4294967297", "\"", "=", "\t", "9223372036854775807", "**", "$End"};
  memcpy(out, text, n);
  for (size_t k = mutate_below(r, 4) + 1; k > 0; k--) {
    size_t at = mutate_below(r, n + 1), len = mutate_below(r, 20) + 1;
    if (at + len > n) len = n - at;
    switch (mutate_below(r, 7)) {
      case 0: /* a byte */
        if (at < n) out[at] = (char)mutate_below(r, 256);
        break;
      case 1: /* a bit */
        if (at < n) out[at] = (char)(out[at] ^ (1 << mutate_below(r, 8)));
        break;
      case 2: /* removed */
        memmove(out + at, out + at + len, n - at - len);
        n -= len;
        break;
      case 3: /* repeated */
        memmove(out + at + len, out + at, n - at);
        n += len;
        break;
      case 4: { /* a number or word replaced */
        const char *w = nasty[mutate_below(r, sizeof(nasty)/sizeof(nasty[0]))];
        size_t end = at, m = strlen(w);
        while (at > 0 && (unsigned char)out[at-1] > ' ' && out[at-1] != ',') at--;
        while (end < n && (unsigned char)out[end] > ' ' && out[end] != ',') end++;
        if (end - at > 40) end = at + 40;
        memmove(out + at + m, out + end, n - end);
        memcpy(out + at, w, m);
        n = n - (end - at) + m;
        break;
      }
      case 5: /* a line removed */
        if (at < n) {
          char *e = memchr(out + at, '\n', n - at);
          size_t to = e ? (size_t)(e - out) + 1 : n;
          memmove(out + at, out + to, n - to);
          n -= to - at;
        }
        break;
      case 6: /* cut off, seldom */
        if (mutate_below(r, 4) == 0) n = at;
        break;
    }
  }
  out[n] = 0;
  return n;
}

/* the k-th allocation fails, for every k until it works: a message each time, nothing lost */
static int mutate_countdown;
static inline void *mutate_failing(void *user, size_t bytes) { return mutate_countdown-- > 0 ? mutate_alloc(user, bytes) : NULL; }

static inline void starve(const char *text, size_t n, tn_status (*parse)(tn_ctx *ctx, const char *text, size_t n)) {
  tn_status st = TN_ERR_MEMORY;
  for (int k = 1; st != TN_OK && k < 100000; k++) {
    tn_ctx *c;
    tn_ctx_opts o = {.alloc = mutate_failing, .release = mutate_release};
    mutate_used = 0;
    mutate_countdown = 1;
    if (tn_ctx_create(&o, &c) != TN_OK) exit(1);
    mutate_countdown = k;
    st = parse(c, text, n);
    CHECK(st == TN_OK || (st == TN_ERR_MEMORY && strcmp(tn_ctx_message(c), "out of memory") == 0));
    tn_ctx_destroy(&c);
    CHECK(mutate_used == 0);
  }
  CHECK(st == TN_OK);
}

static inline void mutate_many(const char *text, size_t n, int count, uint64_t seed, tn_status (*parse)(tn_ctx *ctx, const char *text, size_t n)) {
  uint64_t r = seed*0x9E3779B97F4A7C15u + 1;
  char *work = malloc(2*n + 1000);
  if (!work) exit(1);
  for (int k = 0; k < count; k++) {
    tn_ctx *c;
    tn_ctx_opts o = {.alloc = mutate_alloc, .release = mutate_release};
    mutate_used = 0;
    if (tn_ctx_create(&o, &c) != TN_OK) exit(1);
    size_t m = mutate(text, n, work, &r);
    /* exactly as long as it is, so that a reader that goes beyond is seen */
    char *exact = malloc(m + 1);
    if (!exact) exit(1);
    memcpy(exact, work, m + 1);
    clock_t since = clock();
    tn_status st = parse(c, exact, m);
    const char *message = tn_ctx_message(c);
    CHECK(check_seconds(since) < 5);
    CHECK(st == TN_OK || ((st == TN_ERR_INPUT || st == TN_ERR_MEMORY || st == TN_ERR_IO) && message[0]));
    for (const char *s = message; *s; s++) CHECK((unsigned char)*s >= ' ' && *s != 0x7F);
    tn_ctx_destroy(&c);
    CHECK(mutate_used == 0);
    free(exact);
  }
  free(work);
}

#endif
