/* tenon/types.h - status codes, export macros, index type
 *
 * Every call that can fail returns a tn_status.
 *   = 0   done
 *   > 0   an outcome: the call worked, the answer is "no" (not converged, singular ...)
 *   < 0   a failure: the object may only be destroyed, unless its header promises more
 * The text of the last failure is kept in the context: tn_ctx_message().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TYPES_H
#define TN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#define TN_NODISCARD __attribute__((warn_unused_result))
#define TN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TN_API
#define TN_NODISCARD
#define TN_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 1
#define TN_VERSION_PATCH 0
#define TN_VERSION "0.1.0"

typedef int32_t tn_idx; /* index or count of bodies, rows, ... */

/* one list makes the enum, the names and the texts */
#define TN_STATUS_LIST(X)                                                    \
  X(TN_OK, 0, "success")                                                     \
  X(TN_NOT_CONVERGED, 1, "iteration limit reached")                          \
  X(TN_STEP_REJECTED, 2, "step rejected, retry with a smaller one")          \
  X(TN_SINGULAR, 3, "matrix is singular to working precision")               \
  X(TN_INTERRUPTED, 4, "stopped on request")                                 \
  X(TN_NO_PROGRESS, 5, "no progress: step below the minimum")                \
  X(TN_INCONSISTENT, 6, "constraints cannot be satisfied together")          \
  X(TN_DIVERGED, 7, "the energy grows without bound")                        \
  X(TN_ERR_ARGUMENT, -1, "invalid argument")                                 \
  X(TN_ERR_INPUT, -2, "invalid model input")                                 \
  X(TN_ERR_MEMORY, -3, "out of memory")                                      \
  X(TN_ERR_IO, -4, "file or stream error")                                   \
  X(TN_ERR_PARALLEL, -5, "failure on another rank or thread")                \
  X(TN_ERR_UNSUPPORTED, -6, "not available in this build or setting")        \
  X(TN_ERR_INTERNAL, -7, "internal error, please report")

typedef enum {
#define X(name, value, text) name = (value),
  TN_STATUS_LIST(X)
#undef X
} tn_status;

/* Name ("TN_ERR_INPUT") and text ("invalid model input") of a status; never NULL. */
TN_API const char *tn_status_name(tn_status status);
TN_API const char *tn_status_text(tn_status status);

/* "0.1.0" of the library that is linked, which may differ from TN_VERSION of the header. */
TN_API const char *tn_version(void);

#ifdef __cplusplus
}
#endif
#endif
