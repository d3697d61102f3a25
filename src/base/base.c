/* base/base.c - context, messages, memory, text
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

const char *tn_status_name(tn_status status) {
  switch (status) {
#define X(name, value, text) \
  case name: return #name;
    TN_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char *tn_status_text(tn_status status) {
  switch (status) {
#define X(name, value, text) \
  case name: return text;
    TN_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char *tn_version(void) { return TN_VERSION; }

static void *default_alloc(void *user, size_t bytes) {
  (void)user;
  return malloc(bytes);
}

static void default_release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

tn_status tn_ctx_create(const tn_ctx_opts *opts, tn_ctx **out) {
  if (!out) return TN_ERR_ARGUMENT;
  *out = NULL;
  tn_ctx_opts o = {0};
  if (opts) o = *opts;
  if ((o.alloc == NULL) != (o.release == NULL)) return TN_ERR_ARGUMENT;
  if (!o.alloc) {
    o.alloc = default_alloc;
    o.release = default_release;
  }
  if (o.threads < 1) o.threads = 1;
  tn_ctx *ctx = o.alloc(o.user, sizeof(*ctx));
  if (!ctx) return TN_ERR_MEMORY;
  memset(ctx, 0, sizeof(*ctx));
  ctx->opts = o;
  *out = ctx;
  return TN_OK;
}

void tn_ctx_destroy(tn_ctx **ctx) {
  if (!ctx || !*ctx) return;
  if ((*ctx)->stop_pool) (*ctx)->stop_pool(*ctx);
  tni_free(*ctx, (*ctx)->language);
  tn_ctx_opts o = (*ctx)->opts;
  o.release(o.user, *ctx);
  *ctx = NULL;
}

const char *tn_ctx_message(const tn_ctx *ctx) { return ctx ? ctx->message : ""; }
void tn_ctx_interrupt(tn_ctx *ctx) {
  if (ctx) ctx->interrupted = 1;
}
size_t tn_ctx_allocations(const tn_ctx *ctx) { return ctx ? ctx->nalloc : 0; }

void tni_text_to_line(char *s) {
  for (unsigned char *c = (unsigned char *)s; *c; c++) {
    if (*c < ' ' || *c == 0x7F) *c = ' ';
    else if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0) c[0] = c[1] = ' '; /* U+0080 to U+009F */
  }
}

tn_status tni_fail(tn_ctx *ctx, tn_status status, const char *fmt, ...) {
  if (!ctx) return status;
  /* the arguments may point into the present message: build the new one apart */
  char line[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(line, sizeof(line), fmt, ap);
  va_end(ap);
  tni_text_to_line(line);
  memcpy(ctx->message, line, sizeof(line));
  return status;
}

void tni_log(tn_ctx *ctx, tn_log_level level, const char *fmt, ...) {
  if (!ctx || !ctx->opts.log) return;
  char line[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(line, sizeof(line), fmt, ap);
  va_end(ap);
  tni_text_to_line(line);
  ctx->opts.log(ctx->opts.user, level, line);
}

tn_status tni_out_of_memory(tn_ctx *ctx) { return TN_FAIL(ctx, TN_ERR_MEMORY, "out of memory"); }

bool tni_has_memory(size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

/* the block returned by the allocator is remembered just before the aligned one */
enum { ALIGNMENT = 64 };

void *tni_alloc(tn_ctx *ctx, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - 2*ALIGNMENT)/size) return NULL;
  size_t bytes = count*size;
  ctx->nalloc++;
  /* memory that the system hands out is zero already; clearing it would touch pages that are never used */
  bool cleared = ctx->opts.alloc == default_alloc;
  size_t room = bytes + ALIGNMENT + sizeof(void *);
  char *raw = cleared ? calloc(1, room) : ctx->opts.alloc(ctx->opts.user, room);
  if (!raw) return NULL;
  uintptr_t at = ((uintptr_t)raw + sizeof(void *) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  void *ptr = raw + (at - (uintptr_t)raw);
  memcpy((char *)ptr - sizeof(void *), &raw, sizeof(void *));
  if (!cleared) memset(ptr, 0, bytes);
  return ptr;
}

void tni_free(tn_ctx *ctx, void *ptr) {
  if (!ptr) return;
  void *raw;
  memcpy(&raw, (char *)ptr - sizeof(void *), sizeof(void *));
  ctx->opts.release(ctx->opts.user, raw);
}

typedef struct tni_chunk {
  struct tni_chunk *next;
  size_t used, size; /* bytes of the payload, which starts ALIGNMENT after the chunk */
} tni_chunk;

/* An arena begins small, its chunks double: a run of a small model has dozens of arenas, and pages that are never
 * used cost time too, since all of a chunk is zeroed. */
enum { FIRST_CHUNK = 4*1024, CHUNK_BYTES = 64*1024 };

void tni_arena_init(tni_arena *arena, tn_ctx *ctx) {
  arena->ctx = ctx;
  arena->chunk = NULL;
}

void tni_arena_clear(tni_arena *arena) {
  while (arena->chunk) {
    tni_chunk *next = arena->chunk->next;
    tni_free(arena->ctx, arena->chunk);
    arena->chunk = next;
  }
}

void *tni_arena_alloc(tni_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX/2)/size) return NULL;
  /* text and small nodes are packed to 16 bytes, arrays of numbers to the cache line */
  size_t bytes = count*size;
  size_t align = bytes >= 256 ? ALIGNMENT : 16;
  tni_chunk *c = arena->chunk;
  size_t at = c ? (c->used + align - 1) & ~(align - 1) : 0;
  if (!c || at > c->size || bytes > c->size - at) {
    size_t usual = !c ? FIRST_CHUNK : 2*c->size < CHUNK_BYTES ? 2*c->size : CHUNK_BYTES;
    size_t room = bytes > usual ? bytes : usual;
    c = tni_alloc(arena->ctx, 1, ALIGNMENT + room);
    if (!c) return NULL;
    c->size = room;
    c->next = arena->chunk;
    arena->chunk = c;
    at = 0;
  }
  c->used = at + bytes;
  return (char *)c + ALIGNMENT + at;
}

char *tni_arena_strdup(tni_arena *arena, const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = tni_arena_alloc(arena, n, 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

char *tni_arena_printf(tni_arena *arena, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *s = n < 0 ? NULL : tni_arena_alloc(arena, (size_t)n + 1, 1);
  if (s) vsnprintf(s, (size_t)n + 1, fmt, again);
  va_end(again);
  return s;
}

bool tni_arena_grow(tni_arena *arena, void **items, int n, int *cap, size_t size) {
  if (n < *cap) return true;
  int room = *cap ? 2**cap : 8;
  void *fresh = tni_arena_alloc(arena, (size_t)room, size);
  if (!fresh) return false;
  if (n) memcpy(fresh, *items, (size_t)n*size);
  *items = fresh;
  *cap = room;
  return true;
}

void tni_text_init(tni_text *text, tn_ctx *ctx) {
  memset(text, 0, sizeof(*text));
  text->ctx = ctx;
}

void tni_text_add(tni_text *text, const char *fmt, ...) {
  if (text->failed) return;
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  size_t room = text->cap - text->n;
  int n = vsnprintf(room ? text->s + text->n : NULL, room, fmt, ap);
  va_end(ap);
  if (n < 0) text->failed = true;
  else if ((size_t)n >= room) {
    size_t cap = 2*(text->n + (size_t)n + 1) + 64;
    char *s = tni_alloc(text->ctx, cap, 1);
    text->failed = !s;
    if (s) {
      if (text->n) memcpy(s, text->s, text->n);
      tni_free(text->ctx, text->s);
      text->s = s;
      text->cap = cap;
      vsnprintf(s + text->n, cap - text->n, fmt, again);
    } else if (room) {
      text->s[text->n] = 0; /* as it was */
    }
  }
  if (!text->failed) text->n += (size_t)n;
  va_end(again);
}

void tni_text_free(tni_text *text) {
  tni_free(text->ctx, text->s);
  tni_text_init(text, text->ctx);
}

void tn_text_free(tn_ctx *ctx, char **text) {
  if (!text) return;
  tni_free(ctx, *text);
  *text = NULL;
}

static double seconds(clockid_t clock) {
  struct timespec ts;
  clock_gettime(clock, &ts);
  return (double)ts.tv_sec + 1e-9*(double)ts.tv_nsec;
}

double tni_wall_time(void) { return seconds(CLOCK_MONOTONIC); }
double tni_cpu_time(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

/* Levenshtein distance, capped at words of 63 letters */
static int edit_distance(const char *a, const char *b) {
  int row[64];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > 63 || nb > 63) return 99;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = diagonal + (a[i-1] != b[j-1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j-1] + 1 < best) best = row[j-1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[nb];
}

int tni_nearest(const char *word, const char *const *names, int n) {
  int best = -1, least = 1000;
  for (int i = 0; i < n; i++) {
    int d = edit_distance(word, names[i]);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  int limit = ((int)strlen(word) + 2)/3;
  return best >= 0 && least <= (limit < 1 ? 1 : limit) ? best : -1;
}
