/* base/late.h - libraries that are loaded when they are needed first
 *
 * A large library that most runs never call costs every one of them a millisecond or more at the start.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LATE_H
#define TNI_LATE_H

#include "base/base.h"

/* static, one for each library; filled in: what (for messages), file, package, functions */
typedef struct tni_late {
  const char *what, *file, *package; /* "PNG", "libcairo.so.2", "libcairo2"                   */
  int n;
  const char *const *name;           /* [n] functions, and                                    */
  void (**function)(void);           /* [n] where they go                                     */
  bool ready;
} tni_late;

/* Load it and find its functions, unless that was done; it stays until the program ends. TN_ERR_UNSUPPORTED says what
 * is missing and which package has it. May be called by several threads. */
TN_NODISCARD tn_status tni_late_load(tn_ctx *ctx, tni_late *library);

/* Around calls of libraries whose results depend on a state of the process: METIS takes its random numbers from rand(), which several
 * threads would take from each other. */
void tni_alone_begin(void);
void tni_alone_end(void);

#endif
