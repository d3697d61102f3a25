/* base/base.h - context internals, status macros, memory
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BASE_H
#define TNI_BASE_H

#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <tenon/context.h>

enum { TNI_MESSAGE_MAX = 1024 };

struct tn_sim;

struct tn_ctx {
  tn_ctx_opts opts;
  size_t nalloc;                     /* calls of the allocator so far                */
  volatile sig_atomic_t interrupted; /* set by tn_ctx_interrupt, cleared by a run    */
  struct tni_pool *_Atomic pool;     /* worker threads, NULL until first needed      */
  void (*stop_pool)(tn_ctx *ctx);    /* set by whoever made the pool                 */
  void (*looked)(void *user, struct tn_sim *sim); /* called for every row that a run stores; NULL: nobody looks */
  void *looked_user;
  void *language;                    /* tables of the input language, NULL until used */
  struct tni_comm *comm;             /* ranks that work on the same run (parallel/comm.h), NULL: alone */
  char message[TNI_MESSAGE_MAX];     /* last failure, one line                       */
};

/* Control characters become spaces: what a terminal shows is then one line, and only that. */
void tni_text_to_line(char *s);

/* record the message and hand back the status */
tn_status tni_fail(tn_ctx *ctx, tn_status status, const char *fmt, ...) TN_PRINTF(3, 4);
#define TN_FAIL(ctx, st, ...) tni_fail((ctx), (st), __VA_ARGS__)

/* one log line to the handler of the context */
void tni_log(tn_ctx *ctx, tn_log_level level, const char *fmt, ...) TN_PRINTF(3, 4);

/* refuse bad use; stays on in release builds */
#define TN_REQUIRE(ctx, cond, st, ...)                   \
  do {                                                   \
    if (!(cond)) return TN_FAIL((ctx), (st), __VA_ARGS__); \
  } while (0)

/* hand a status up, adding nothing */
#define TN_TRY(call)                        \
  do {                                      \
    tn_status tn_st_ = (call);              \
    if (tn_st_ != TN_OK) return tn_st_;     \
  } while (0)

/* same, for functions that own things: one exit label per function */
#define TN_TRY_GOTO(st, call, label)            \
  do {                                          \
    if (((st) = (call)) != TN_OK) goto label;   \
  } while (0)

#define TNI_COUNT(array) ((int)(sizeof(array)/sizeof((array)[0])))

/* Zeroed memory for count objects of size bytes, 64-byte aligned; NULL when out of memory or when
 * the product overflows. count 0 gives a valid pointer. Free with tni_free. */
void *tni_alloc(tn_ctx *ctx, size_t count, size_t size);
void tni_free(tn_ctx *ctx, void *ptr); /* ptr may be NULL */

static inline double *tni_doubles(tn_ctx *ctx, size_t count) {
  return (double *)tni_alloc(ctx, count, sizeof(double));
}
static inline int *tni_ints(tn_ctx *ctx, size_t count) {
  return (int *)tni_alloc(ctx, count, sizeof(int));
}
tn_status tni_out_of_memory(tn_ctx *ctx); /* records the standard message */

/* Could the process get so many bytes now, all at once? For what must not be begun without them. */
bool tni_has_memory(size_t bytes);

/* Arena: many small objects that die together (spec, compiled model, solver workspace).
 * tni_arena_alloc returns zeroed memory aligned to 64 bytes, NULL when out of memory. */
typedef struct tni_arena {
  tn_ctx *ctx;
  struct tni_chunk *chunk; /* newest first */
} tni_arena;

void tni_arena_init(tni_arena *arena, tn_ctx *ctx);
void tni_arena_clear(tni_arena *arena); /* frees everything; arena usable again */
void *tni_arena_alloc(tni_arena *arena, size_t count, size_t size);
char *tni_arena_strdup(tni_arena *arena, const char *text);
char *tni_arena_printf(tni_arena *arena, const char *fmt, ...) TN_PRINTF(2, 3);

/* p = new array or return TN_ERR_MEMORY */
#define TNI_ARENA_NEW(arena, p, count)                                            \
  do {                                                                            \
    (p) = tni_arena_alloc((arena), (size_t)(count), sizeof(*(p)));                \
    if (!(p)) return tni_out_of_memory((arena)->ctx);                             \
  } while (0)

/* Growing array inside an arena (old storage stays in the arena until it is cleared): makes room
 * for one more element of *items, which holds n and has room for *cap. False: out of memory. */
bool tni_arena_grow(tni_arena *arena, void **items, int n, int *cap, size_t size);

/* Text buffer that grows; failure is sticky and reported once by tni_text_ok. */
typedef struct tni_text {
  tn_ctx *ctx;
  char *s; /* always 0-terminated once something was added, else NULL */
  size_t n, cap;
  bool failed;
} tni_text;

void tni_text_init(tni_text *text, tn_ctx *ctx);
void tni_text_add(tni_text *text, const char *fmt, ...) TN_PRINTF(2, 3);
void tni_text_free(tni_text *text);

double tni_wall_time(void); /* seconds, monotonic */
double tni_cpu_time(void);  /* seconds of this process */

/* Edit distance, for "did you mean"; returns the index of the nearest of n names within a third of
 * its length, or -1. */
int tni_nearest(const char *word, const char *const *names, int n);

#endif
