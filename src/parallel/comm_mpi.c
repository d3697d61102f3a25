/* parallel/comm_mpi.c - ranks that are processes: messages by MPI
 *
 * Sending copies the message and never waits: MPI may finish it while the sender has gone on. A rank that fails tells all others
 * with a message that those who wait look for besides the one they wait for; so does a signal to this process end its waiting.
 *
 * In libtenon_mpi only: nothing else of the library knows MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

#include <tenon/ranks.h>

#include "parallel/comm.h"

enum {
  TAG_SHIFT = 16,     /* MPI knows no negative tags                               */
  TAG_FAIL = 1,       /* on its own communicator                                  */
  CHUNK = 1 << 30,    /* bytes of one message of MPI at most                      */
  SPINS = 2000        /* looks for a message before others may have the processor */
};

typedef struct pending {
  struct pending *next;
  MPI_Request request;
  size_t room;
  char data[];
} pending;

typedef struct {
  int rank, status;
  char text[TNI_MESSAGE_MAX];
} cry;

typedef struct {
  tni_comm comm;
  MPI_Comm data, control;
  MPI_Request hears;   /* somebody has failed */
  cry heard;
  bool failed;         /* heard it            */
  bool told;           /* this rank has failed, and said so */
  bool started;        /* MPI, by us          */
  pending *first;
  cry *all;            /* [ranks] how everybody ends */
} state;

static tn_status mpi_failed(tni_comm *c, const char *doing, int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int n;
  MPI_Error_string(error, text, &n);
  return TN_FAIL(c->ctx, TN_ERR_IO, "MPI, rank %d of %d, %s: %s", c->rank, c->size, doing, text);
}

/* room for a message: one whose sending has ended, if it is large enough */
static pending *find_room(state *w, size_t bytes) {
  for (pending **at = &w->first; *at;) {
    pending *p = *at;
    int done = p->request == MPI_REQUEST_NULL;
    if (!done) MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
    if (done && p->room >= bytes) return p;
    if (done) {
      *at = p->next;
      tni_free(w->comm.ctx, p);
      continue;
    }
    at = &p->next;
  }
  pending *p = tni_alloc(w->comm.ctx, 1, sizeof(*p) + bytes);
  if (!p) return NULL;
  *p = (pending){.next = w->first, .request = MPI_REQUEST_NULL, .room = bytes};
  w->first = p;
  return p;
}

static tn_status send_some(state *w, int to, int tag, const char *data, size_t bytes) {
  pending *p = find_room(w, bytes);
  if (!p) return tni_out_of_memory(w->comm.ctx);
  memcpy(p->data, data, bytes);
  int error = MPI_Isend(p->data, (int)bytes, MPI_BYTE, to, tag + TAG_SHIFT, w->data, &p->request);
  return error == MPI_SUCCESS ? TN_OK : mpi_failed(&w->comm, "sending", error);
}

static tn_status mpi_send(tni_comm *c, int to, int tag, const void *data, size_t bytes) {
  state *w = c->state;
  const char *at = data;
  do {
    size_t n = bytes > CHUNK ? CHUNK : bytes;
    TN_TRY(send_some(w, to, tag, at, n));
    at += n;
    bytes -= n;
  } while (bytes > 0);
  return TN_OK;
}

/* status and words of the rank that has failed */
static tn_status give_up(state *w) {
  tn_status st = (tn_status)w->heard.status;
  return TN_FAIL(w->comm.ctx, st != TN_OK ? st : TN_INTERRUPTED, "rank %d: %s", w->heard.rank, w->heard.text);
}

/* heeds: failures of others and signals */
static tn_status receive_some(state *w, int from, int tag, char *data, size_t bytes, bool heeds) {
  MPI_Request request;
  MPI_Status status;
  tn_ctx *ctx = w->comm.ctx;
  int error = MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag + TAG_SHIFT, w->data, &request), done = 0, count = 0;
  if (error != MPI_SUCCESS) return mpi_failed(&w->comm, "receiving", error);
  for (long spin = 0; !done; spin++) {
    error = MPI_Test(&request, &done, &status);
    if (error != MPI_SUCCESS) return mpi_failed(&w->comm, "receiving", error);
    if (done || !heeds) {
      if (!done && spin > SPINS) sched_yield();
      continue;
    }
    int heard = w->failed;
    if (!heard) MPI_Test(&w->hears, &heard, MPI_STATUS_IGNORE);
    w->failed = heard;
    if (heard || ctx->interrupted) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
      return heard ? give_up(w) : TN_FAIL(ctx, TN_INTERRUPTED, "stopped while waiting for rank %d", from);
    }
    if (spin > SPINS) sched_yield();
  }
  MPI_Get_count(&status, MPI_BYTE, &count);
  TN_REQUIRE(ctx, count == (int)bytes, TN_ERR_INTERNAL, "message of %d bytes from rank %d to %d, %zu expected", count, from, w->comm.rank, bytes);
  return TN_OK;
}

static tn_status mpi_receive(tni_comm *c, int from, int tag, void *data, size_t bytes) {
  char *at = data;
  do {
    size_t n = bytes > CHUNK ? CHUNK : bytes;
    TN_TRY(receive_some(c->state, from, tag, at, n, true));
    at += n;
    bytes -= n;
  } while (bytes > 0);
  return TN_OK;
}

/* requests need not be waited for: the text is small, and MPI has ended when this process does */
static void mpi_fail(tni_comm *c, tn_status st, const char *message) {
  state *w = c->state;
  static cry mine;
  if (w->told || w->failed) return;
  w->told = true;
  mine = (cry){.rank = c->rank, .status = (int)st};
  snprintf(mine.text, sizeof(mine.text), "%s", message);
  for (int r = 0; r < c->size; r++) {
    MPI_Request request;
    if (r == c->rank) continue;
    MPI_Isend(&mine, (int)sizeof(mine), MPI_BYTE, r, TAG_FAIL, w->control, &request);
    MPI_Request_free(&request);
  }
}

static const tni_comm_ops mpi = {"mpi", mpi_send, mpi_receive, mpi_fail};

tn_status tn_ranks_join(tn_ctx *ctx) {
  int there, level;
  TN_REQUIRE(ctx, !ctx->comm, TN_ERR_ARGUMENT, "this context has joined other ranks already");
  state *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  MPI_Initialized(&there);
  if (!there) {
    MPI_Finalized(&there);
    if (there || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
      tni_free(ctx, w);
      return TN_FAIL(ctx, TN_ERR_IO, "MPI could not be started%s", there ? ": it has been ended already" : "");
    }
    w->started = true;
  }
  w->comm = (tni_comm){.ops = &mpi, .ctx = ctx, .state = w};
  MPI_Comm_dup(MPI_COMM_WORLD, &w->data);
  MPI_Comm_dup(MPI_COMM_WORLD, &w->control);
  w->comm.handle = &w->data;
  MPI_Comm_set_errhandler(w->data, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(w->control, MPI_ERRORS_RETURN);
  MPI_Comm_rank(w->data, &w->comm.rank);
  MPI_Comm_size(w->data, &w->comm.size);
  w->all = tni_alloc(ctx, (size_t)w->comm.size, sizeof(*w->all));
  if (!w->all) MPI_Abort(MPI_COMM_WORLD, 3); /* without it no end can be agreed on */
  MPI_Irecv(&w->heard, (int)sizeof(w->heard), MPI_BYTE, MPI_ANY_SOURCE, TAG_FAIL, w->control, &w->hears);
  ctx->comm = &w->comm;
  return TN_OK;
}

tn_status tn_ranks_leave(tn_ctx *ctx, tn_status own) {
  tni_comm *c = ctx->comm;
  if (!c || c->ops != &mpi) return own;
  state *w = c->state;
  cry mine = {.rank = c->rank, .status = (int)own};
  if (own != TN_OK) {
    mpi_fail(c, own, tn_ctx_message(ctx));
    /* who has it from another is not the cause */
    if (w->failed) mine = w->heard;
    else snprintf(mine.text, sizeof(mine.text), "%s", tn_ctx_message(ctx));
  }
  tn_status st = own;
  MPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, w->all, (int)sizeof(mine), MPI_BYTE, w->control);
  for (int r = c->size - 1; r >= 0; r--) {
    if (w->all[r].status == TN_OK) continue;
    st = (tn_status)w->all[r].status;
    if (own == TN_OK) TN_FAIL(ctx, st, "rank %d: %s", w->all[r].rank, w->all[r].text);
  }
  tni_free(ctx, w->all);
  if (!w->failed) {
    MPI_Cancel(&w->hears);
    MPI_Request_free(&w->hears);
  }
  for (pending *p = w->first, *next; p; p = next) {
    next = p->next;
    if (p->request != MPI_REQUEST_NULL) {
      int done;
      MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
      if (!done) continue; /* somebody who failed never took it: it must stay where MPI finds it */
    }
    tni_free(ctx, p);
  }
  MPI_Comm_free(&w->data);
  MPI_Comm_free(&w->control);
  if (w->started) MPI_Finalize();
  ctx->comm = NULL;
  tni_comm_clear(c);
  tni_free(ctx, w);
  return st;
}
