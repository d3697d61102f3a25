/* tenon/ranks.h - several processes work on one run
 *
 * Programs that are linked with libtenon_mpi and started by mpirun. Every process reads the same model and calls the same functions
 * in the same order; structures that are cut into domains are divided among them, everything else is done by all alike. One of
 * them, rank 0, writes results.
 *
 *   tn_ctx_create(&opts, &ctx);
 *   tn_ranks_join(ctx);
 *   st = ... tn_run(ctx, model, &run_opts, &summary) ...
 *   st = tn_ranks_leave(ctx, st);    the status of the rank that failed, on all of them
 *   tn_ctx_destroy(&ctx);
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_RANKS_H
#define TN_RANKS_H

#include <tenon/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of this process, from 0; how many there are. 0 and 1 without tn_ranks_join. */
TN_API int tn_rank(const tn_ctx *ctx);
TN_API int tn_ranks(const tn_ctx *ctx);

/* Messages and bytes that this rank has sent so far. */
TN_API void tn_ranks_sent(const tn_ctx *ctx, long *messages, long *bytes);

/* libtenon_mpi only. All processes that mpirun has started, MPI_COMM_WORLD, belong together from now on; MPI is started if it has
 * not been. One context of a process at a time. A rank that fails makes the others' waiting calls fail with its message. */
TN_API TN_NODISCARD tn_status tn_ranks_join(tn_ctx *ctx);

/* libtenon_mpi only. The end, called by all ranks, each with the status that it comes with: TN_OK where all have it, else status
 * and message of the first rank that failed. MPI is ended if tn_ranks_join has started it; joining again is not possible then. */
TN_API tn_status tn_ranks_leave(tn_ctx *ctx, tn_status own);

#ifdef __cplusplus
}
#endif
#endif
