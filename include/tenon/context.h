/* tenon/context.h - library context: allocator, messages, log, threads
 *
 * Everything else is created from a context and must be destroyed before it. Two contexts in one
 * process know nothing of each other. A context is used by one thread at a time.
 *
 * Results do not depend on the number of threads. To that end OpenBLAS, which is shared by the whole
 * process, has one thread as long as there is a simulation, and what it had before afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_CONTEXT_H
#define TN_CONTEXT_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_ctx tn_ctx;

typedef enum { TN_LOG_INFO = 0, TN_LOG_WARNING = 1 } tn_log_level;

/* Zero in a field means "library default"; start from {0}. */
typedef struct {
  void *(*alloc)(void *user, size_t bytes); /* like malloc; NULL: malloc and free      */
  void (*release)(void *user, void *ptr);   /* like free; required with alloc          */
  void (*log)(void *user, tn_log_level level, const char *line); /* NULL: silent       */
  void *user;                               /* borrowed, handed to the three functions */
  int threads;                              /* worker threads, default 1               */
} tn_ctx_opts;

/* Create a context. opts may be NULL; copied.
 * Returns TN_ERR_MEMORY, or TN_ERR_ARGUMENT when alloc comes without release. */
TN_API TN_NODISCARD tn_status tn_ctx_create(const tn_ctx_opts *opts, tn_ctx **out);

/* Destroy and set *ctx to NULL. ctx and *ctx may be NULL. */
TN_API void tn_ctx_destroy(tn_ctx **ctx);

/* One line describing the last failure or outcome, "" if there was none. Valid until the next
 * failing call on the same context. */
TN_API const char *tn_ctx_message(const tn_ctx *ctx);

/* Ask a running analysis to stop at the next step; safe in a signal handler. */
TN_API void tn_ctx_interrupt(tn_ctx *ctx);

/* Number of allocations made through the context so far (used to show that steps make none). */
TN_API size_t tn_ctx_allocations(const tn_ctx *ctx);

/* Free a text that a function handed over. text and *text may be NULL; *text becomes NULL. */
TN_API void tn_text_free(tn_ctx *ctx, char **text);

#ifdef __cplusplus
}
#endif
#endif
