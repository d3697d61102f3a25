/* parallel/comm.h - ranks that exchange messages
 *
 * A group of ranks runs the same function; each has memory of its own by agreement and a communicator that sends to and
 * receives from the others. Who carries the messages is a table of operations:
 *
 *   serial   one rank, no messages
 *   local    virtual ranks: threads of this process, for tests and for counting messages
 *   mpi      processes (comm_mpi.c, in libtenon_mpi only)
 *
 * The context of a rank knows its communicator (ctx->comm). Messages between two ranks with the same tag arrive in the order in which they were sent; sending never
 * waits for the receiver. Sums and gathers are made in ascending order of ranks, so that the same partition gives the same bits and all
 * ranks the same ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMM_H
#define TNI_COMM_H

#include "base/base.h"

typedef struct tni_comm tni_comm;

typedef struct tni_comm_ops {
  const char *name;
  tn_status (*send)(tni_comm *c, int to, int tag, const void *data, size_t bytes);
  tn_status (*receive)(tni_comm *c, int from, int tag, void *data, size_t bytes);
  /* this rank goes no further: the others' receives fail from now on, with its status and message; NULL: they notice anyway */
  void (*fail)(tni_comm *c, tn_status status, const char *message);
} tni_comm_ops;

struct tni_comm {
  const tni_comm_ops *ops;
  tn_ctx *ctx;
  int rank, size;
  long messages, bytes; /* sent by this rank, those of sums and gathers included */
  tn_status trouble;    /* the first message that failed: all later ones fail likewise, so that loops may look here now and then */
  double *room;         /* [nroom] for sums, kept from one to the next */
  size_t nroom;
  void *state;
  const void *handle;   /* MPI_Comm of ranks that are processes, for libraries of others; NULL: they are not */
};

/* what it has kept; those who end it call this */
void tni_comm_clear(tni_comm *c);

/* the only rank */
tni_comm tni_comm_serial(tn_ctx *ctx);

/* Runs work on `size` virtual ranks and returns when all have ended, with the first status by rank that is not TN_OK; a rank that fails makes
 * the others' receives fail. messages, bytes: of all ranks together, may be NULL. Each rank has a context of its own with the allocator of
 * ctx, which must bear calls from several threads. */
tn_status tni_comm_run_local(tn_ctx *ctx, int size, tn_status (*work)(tni_comm *c, void *user), void *user, long *messages,
                             long *bytes);

/* Ranks that work on the same run as this context, or NULL where it is alone. */
static inline tni_comm *tni_comm_of(const tn_ctx *ctx) { return ctx->comm && ctx->comm->size > 1 ? ctx->comm : NULL; }
/* Does this rank print and write files? One does. */
static inline bool tni_comm_speaks(const tn_ctx *ctx) { return !ctx->comm || ctx->comm->rank == 0; }

/* TN_INTERRUPTED: the other rank has ended without it. The length must be that of the message. */
tn_status tni_comm_send(tni_comm *c, int to, int tag, const void *data, size_t bytes);
tn_status tni_comm_receive(tni_comm *c, int from, int tag, void *data, size_t bytes);

/* Called by all ranks alike. */
tn_status tni_comm_broadcast(tni_comm *c, int from, void *data, size_t bytes);
tn_status tni_comm_sum(tni_comm *c, int n, double *x);  /* x of all ranks added up, on all ranks */
tn_status tni_comm_max(tni_comm *c, int n, double *x);
tn_status tni_comm_gather(tni_comm *c, const double *x, int n, double *all); /* all [size][n], on all ranks */
tn_status tni_comm_barrier(tni_comm *c);
/* pieces of x, one after the other: rank r has from[r] <= i < from[r+1]; then all have all */
tn_status tni_comm_collect(tni_comm *c, const int *from, double *x);
/* All ranks go on, or none: TN_OK where all had it, else the status and message of the first rank that had not. c may be NULL. */
TN_NODISCARD tn_status tni_comm_agree(tni_comm *c, tn_status own);

#endif
