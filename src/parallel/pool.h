/* parallel/pool.h - worker threads of a context
 *
 * Work is cut into fixed chunks by index, never by thread, and every item writes only its own
 * memory; sums over items are made afterwards in index order. The result is therefore the same
 * bit for bit for any number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_POOL_H
#define TNI_POOL_H

#include <tenon/context.h>

/* Call work(user, begin, end) for chunks of at most grain items covering 0..n-1, on the threads of
 * the context; returns when all are done. Runs in the caller when there is one thread or one
 * chunk, or inside of another such call. Allocates only on first use with more than one thread. */
void tni_parallel_for(tn_ctx *ctx, int n, int grain,
                      void (*work)(void *user, int begin, int end), void *user);

void tni_pool_stop(tn_ctx *ctx); /* joins the workers, if any */

#endif
