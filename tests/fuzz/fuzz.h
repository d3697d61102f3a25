/* tests/fuzz/fuzz.h - shared by the targets of `make fuzz`
 *
 * Every target is a function over bytes for libFuzzer. The context has an allocator that refuses more
 * than LIMIT bytes, so that an input which asks for much ends in TN_ERR_MEMORY and not in a report.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_FUZZ_H
#define TN_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/tenon.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { FUZZ_LIMIT = 256*1024*1024 };

typedef struct {
  size_t used;
} fuzz_memory;

/* the size of a block is kept before it; 16 bytes keep the alignment of malloc */
static inline void *fuzz_alloc(void *user, size_t bytes) {
  fuzz_memory *m = user;
  if (bytes > FUZZ_LIMIT - m->used) return NULL;
  char *p = malloc(bytes + 16);
  if (!p) return NULL;
  memcpy(p, &bytes, sizeof(bytes));
  m->used += bytes;
  return p + 16;
}

static inline void fuzz_release(void *user, void *ptr) {
  fuzz_memory *m = user;
  size_t bytes;
  if (!ptr) return;
  memcpy(&bytes, (char *)ptr - 16, sizeof(bytes));
  m->used -= bytes;
  free((char *)ptr - 16);
}

static inline tn_ctx *fuzz_context(fuzz_memory *m) {
  tn_ctx *ctx;
  m->used = 0;
  tn_ctx_opts o = {.alloc = fuzz_alloc, .release = fuzz_release, .user = m};
  if (tn_ctx_create(&o, &ctx) != TN_OK) abort();
  return ctx;
}

/* A failure has a message of one line without control characters; and nothing stays allocated. */
static inline void fuzz_end(tn_ctx *ctx, fuzz_memory *m, tn_status st) {
  const char *message = tn_ctx_message(ctx);
  if (st != TN_OK && !message[0]) abort();
  for (const char *c = message; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7F) abort();
  tn_ctx_destroy(&ctx);
  if (m->used != 0) abort();
}

/* the bytes as a file; the name is the same for every input of this process */
static inline const char *fuzz_file(const char *ending, const void *bytes, size_t n) {
  static char path[64];
  snprintf(path, sizeof(path), "/tmp/tenon-fuzz-%ld%s", (long)getpid(), ending);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) abort();
  return path;
}

#endif
