/* parallel/comm.c - ranks that exchange messages: serial and virtual ones, sums
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/comm.h"

#include <pthread.h>
#include <stdio.h>

#include <tenon/ranks.h>

/* tags of what all ranks do together; users' are not negative */
enum { TAG_UP = -1, TAG_DOWN = -2, TAG_AGREE = -3, FEW = 65536 };

/* ---- one rank ------------------------------------------------------------------------------ */

static tn_status no_send(tni_comm *c, int to, int tag, const void *data, size_t bytes) {
  (void)tag, (void)data, (void)bytes;
  return TN_FAIL(c->ctx, TN_ERR_INTERNAL, "message to rank %d of one", to);
}

static tn_status no_receive(tni_comm *c, int from, int tag, void *data, size_t bytes) {
  (void)tag, (void)data, (void)bytes;
  return TN_FAIL(c->ctx, TN_ERR_INTERNAL, "message from rank %d of one", from);
}

static const tni_comm_ops serial = {"serial", no_send, no_receive, NULL};

tni_comm tni_comm_serial(tn_ctx *ctx) { return (tni_comm){.ops = &serial, .ctx = ctx, .size = 1}; }

/* ---- virtual ranks ------------------------------------------------------------------------- */

typedef struct letter {
  struct letter *next;
  int from, tag;
  size_t bytes;
  double data[]; /* aligned for anything */
} letter;

typedef struct {
  letter *first, *last;
  bool waits;     /* its owner sleeps until this letter comes: others do not wake it */
  int from, tag;
  pthread_cond_t news;
} box;

/* one lock for all: virtual ranks are for counting and for tests */
typedef struct {
  tn_ctx *ctx;
  pthread_mutex_t lock;
  int size;
  box *in;        /* [size] letters to a rank, in the order in which they came */
  bool *ended;    /* [size] */
  bool failed;
  tn_status (*work)(tni_comm *c, void *user);
  void *user;
} town;

typedef struct {
  town *t;
  tni_comm comm;
  tn_status st;
  pthread_t thread;
} citizen;

static tn_status local_send(tni_comm *c, int to, int tag, const void *data, size_t bytes) {
  town *t = c->state;
  letter *l = tni_alloc(c->ctx, 1, sizeof(*l) + bytes);
  if (!l) return tni_out_of_memory(c->ctx);
  l->next = NULL;
  l->from = c->rank;
  l->tag = tag;
  l->bytes = bytes;
  memcpy(l->data, data, bytes);
  pthread_mutex_lock(&t->lock);
  box *b = &t->in[to];
  if (b->last) b->last->next = l;
  else b->first = l;
  b->last = l;
  bool wake = b->waits && b->from == c->rank && b->tag == tag;
  pthread_mutex_unlock(&t->lock);
  if (wake) pthread_cond_signal(&b->news);
  return TN_OK;
}

/* out of the box, or NULL */
static letter *take(box *b, int from, int tag) {
  letter *before = NULL;
  for (letter *l = b->first; l; before = l, l = l->next) {
    if (l->from != from || l->tag != tag) continue;
    if (before) before->next = l->next;
    else b->first = l->next;
    if (b->last == l) b->last = before;
    return l;
  }
  return NULL;
}

static tn_status local_receive(tni_comm *c, int from, int tag, void *data, size_t bytes) {
  town *t = c->state;
  box *b = &t->in[c->rank];
  letter *l;
  bool none = false;
  pthread_mutex_lock(&t->lock);
  while (!(l = take(b, from, tag))) {
    if (t->failed || t->ended[from]) {
      none = true;
      break;
    }
    b->waits = true;
    b->from = from;
    b->tag = tag;
    pthread_cond_wait(&b->news, &t->lock);
  }
  b->waits = false;
  pthread_mutex_unlock(&t->lock);
  if (none) return TN_FAIL(c->ctx, TN_INTERRUPTED, "rank %d waits for rank %d, which has ended", c->rank, from);
  bool fits = l->bytes == bytes;
  if (fits) memcpy(data, l->data, bytes);
  size_t got = l->bytes;
  tni_free(c->ctx, l);
  TN_REQUIRE(c->ctx, fits, TN_ERR_INTERNAL, "message of %zu bytes from rank %d to %d, %zu expected", got, from, c->rank, bytes);
  return TN_OK;
}

static const tni_comm_ops local = {"local", local_send, local_receive, NULL};

static void wake_all(town *t) {
  for (int r = 0; r < t->size; r++) pthread_cond_signal(&t->in[r].news);
}

static void *live(void *user) {
  citizen *z = user;
  town *t = z->t;
  z->st = t->work(&z->comm, t->user);
  pthread_mutex_lock(&t->lock);
  t->ended[z->comm.rank] = true;
  if (z->st != TN_OK) t->failed = true;
  wake_all(t);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

static void throw_away(town *t) {
  for (int r = 0; r < t->size; r++) {
    for (letter *l = t->in[r].first, *next; l; l = next) {
      next = l->next;
      tni_free(t->ctx, l);
    }
  }
}

tn_status tni_comm_run_local(tn_ctx *ctx, int size, tn_status (*work)(tni_comm *c, void *user), void *user, long *messages,
                             long *bytes) {
  TN_REQUIRE(ctx, size >= 1, TN_ERR_ARGUMENT, "%d ranks, must be at least one", size);
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  town t = {.ctx = ctx, .size = size, .work = work, .user = user};
  t.in = tni_arena_alloc(&arena, (size_t)size, sizeof(*t.in));
  t.ended = tni_arena_alloc(&arena, (size_t)size, sizeof(*t.ended));
  citizen *z = tni_arena_alloc(&arena, (size_t)size, sizeof(*z));
  if (!t.in || !t.ended || !z) {
    tni_arena_clear(&arena);
    return tni_out_of_memory(ctx);
  }
  pthread_mutex_init(&t.lock, NULL);
  for (int r = 0; r < size; r++) pthread_cond_init(&t.in[r].news, NULL);
  int begun = 0;
  for (; begun < size; begun++) {
    citizen *r = &z[begun];
    tn_ctx_opts own = ctx->opts;
    own.threads = 1;
    *r = (citizen){.t = &t, .comm = {.ops = &local, .rank = begun, .size = size, .state = &t}};
    if (tn_ctx_create(&own, &r->comm.ctx) != TN_OK) break;
    r->comm.ctx->comm = &r->comm;
    if (pthread_create(&r->thread, NULL, live, r) == 0) continue;
    tn_ctx_destroy(&r->comm.ctx);
    break;
  }
  if (begun < size) { /* those that wait for the missing ones end */
    pthread_mutex_lock(&t.lock);
    t.failed = true;
    wake_all(&t);
    pthread_mutex_unlock(&t.lock);
  }
  tn_status st = TN_OK;
  if (messages) *messages = 0;
  if (bytes) *bytes = 0;
  for (int r = 0; r < begun; r++) {
    pthread_join(z[r].thread, NULL);
    if (messages) *messages += z[r].comm.messages;
    if (bytes) *bytes += z[r].comm.bytes;
  }
  for (int r = 0; r < begun; r++) {
    /* who was left waiting is not the cause */
    if (z[r].st == TN_OK || (st != TN_OK && st != TN_INTERRUPTED)) continue;
    st = z[r].st;
    TN_FAIL(ctx, st, "rank %d: %s", r, tn_ctx_message(z[r].comm.ctx));
  }
  throw_away(&t);
  for (int r = 0; r < begun; r++) {
    tni_comm_clear(&z[r].comm);
    tn_ctx_destroy(&z[r].comm.ctx);
  }
  for (int r = 0; r < size; r++) pthread_cond_destroy(&t.in[r].news);
  pthread_mutex_destroy(&t.lock);
  tni_arena_clear(&arena);
  TN_REQUIRE(ctx, begun == size, TN_ERR_MEMORY, "only %d of %d ranks could be started", begun, size);
  return st;
}

/* ---- for all ------------------------------------------------------------------------------- */

tn_status tni_comm_send(tni_comm *c, int to, int tag, const void *data, size_t bytes) {
  if (c->trouble != TN_OK) return c->trouble;
  c->messages++;
  c->bytes += (long)bytes;
  return c->trouble = c->ops->send(c, to, tag, data, bytes);
}

tn_status tni_comm_receive(tni_comm *c, int from, int tag, void *data, size_t bytes) {
  if (c->trouble != TN_OK) return c->trouble;
  return c->trouble = c->ops->receive(c, from, tag, data, bytes);
}

/* along a binary tree of ranks counted from `from` */
tn_status tni_comm_broadcast(tni_comm *c, int from, void *data, size_t bytes) {
  int me = (c->rank - from + c->size) % c->size, step = 1;
  while (step < c->size) step *= 2;
  for (step /= 2; step >= 1; step /= 2) {
    if (me % (2*step) == 0 && me + step < c->size) TN_TRY(tni_comm_send(c, (me + step + from) % c->size, TAG_DOWN, data, bytes));
    if (me % (2*step) == step) TN_TRY(tni_comm_receive(c, (me - step + from) % c->size, TAG_DOWN, data, bytes));
  }
  return TN_OK;
}

tn_status tni_comm_gather(tni_comm *c, const double *x, int n, double *all) {
  size_t one = (size_t)n*sizeof(double);
  if (c->rank > 0) TN_TRY(tni_comm_send(c, 0, TAG_UP, x, one));
  else memmove(all, x, one);
  for (int r = 1; r < c->size && c->rank == 0; r++) TN_TRY(tni_comm_receive(c, r, TAG_UP, all + (size_t)r*(size_t)n, one));
  return tni_comm_broadcast(c, 0, all, (size_t)c->size*one);
}

void tni_comm_clear(tni_comm *c) {
  tni_free(c->ctx, c->room);
  c->room = NULL;
  c->nroom = 0;
}

static tn_status make_room(tni_comm *c, size_t n) {
  if (c->nroom >= n) return TN_OK;
  tni_comm_clear(c);
  if (!(c->room = tni_doubles(c->ctx, n))) return tni_out_of_memory(c->ctx);
  c->nroom = n;
  return TN_OK;
}

static void put_together(int n, const double *other, bool sum, double *x) {
  for (int i = 0; i < n; i++) {
    if (sum) x[i] += other[i];
    else if (!(other[i] <= x[i])) x[i] = other[i];
  }
}

/* many numbers: rank 0 takes those of one rank after the other */
static tn_status gather_in_a_row(tni_comm *c, int n, double *x, bool sum) {
  size_t bytes = (size_t)n*sizeof(double);
  if (c->rank > 0) return tni_comm_send(c, 0, TAG_UP, x, bytes);
  TN_TRY(make_room(c, (size_t)n));
  for (int r = 1; r < c->size; r++) {
    TN_TRY(tni_comm_receive(c, r, TAG_UP, c->room, bytes));
    put_together(n, c->room, sum, x);
  }
  return TN_OK;
}

/* few numbers: up a binary tree as they are, so that latencies of the logarithm of ranks are all, and the sum of rank 0 is still one in a row */
static tn_status gather_by_tree(tni_comm *c, int n, double *x, bool sum) {
  size_t one = (size_t)n*sizeof(double);
  int have = 1; /* ranks, from this one on */
  if (c->rank % 2 == 0) { /* odd ranks are leaves */
    TN_TRY(make_room(c, (size_t)n*(size_t)c->size));
    memcpy(c->room, x, one);
  }
  for (int step = 1; step < c->size; step *= 2) {
    if (c->rank % (2*step) == step) return tni_comm_send(c, c->rank - step, TAG_UP, have > 1 ? c->room : x, (size_t)have*one);
    if (c->rank + step >= c->size) continue;
    int more = c->size - c->rank - step < step ? c->size - c->rank - step : step;
    TN_TRY(tni_comm_receive(c, c->rank + step, TAG_UP, c->room + (size_t)n*(size_t)step, (size_t)more*one));
    have = step + more;
  }
  for (int r = 1; r < c->size; r++) put_together(n, c->room + (size_t)r*(size_t)n, sum, x);
  return TN_OK;
}

/* put together by ascending rank, then told to all */
static tn_status reduce(tni_comm *c, int n, double *x, bool sum) {
  if (c->size == 1) return TN_OK;
  bool few = (double)n*c->size <= FEW;
  TN_TRY(few ? gather_by_tree(c, n, x, sum) : gather_in_a_row(c, n, x, sum));
  return tni_comm_broadcast(c, 0, x, (size_t)n*sizeof(double));
}

tn_status tni_comm_sum(tni_comm *c, int n, double *x) { return reduce(c, n, x, true); }
tn_status tni_comm_max(tni_comm *c, int n, double *x) { return reduce(c, n, x, false); }

tn_status tni_comm_barrier(tni_comm *c) {
  double nothing = 0;
  return reduce(c, 1, &nothing, true);
}

tn_status tni_comm_collect(tni_comm *c, const int *from, double *x) {
  for (int r = 0; r < c->size; r++)
    if (from[r + 1] > from[r]) TN_TRY(tni_comm_broadcast(c, r, x + from[r], (size_t)(from[r + 1] - from[r])*sizeof(double)));
  return TN_OK;
}

/* as a message: from rank to rank up to the first, and back */
typedef struct {
  int rank, status;
  char text[TNI_MESSAGE_MAX];
} word;

tn_status tni_comm_agree(tni_comm *c, tn_status own) {
  if (!c || c->size == 1) return own;
  word mine = {c->rank, (int)own, ""}, other;
  if (own != TN_OK) snprintf(mine.text, sizeof(mine.text), "%s", tn_ctx_message(c->ctx));
  /* up a binary tree: of two the lower rank is kept where it has failed */
  for (int step = 1; step < c->size; step *= 2) {
    if (c->rank % (2*step) == step) {
      TN_TRY(tni_comm_send(c, c->rank - step, TAG_AGREE, &mine, sizeof(mine)));
      break;
    }
    if (c->rank + step >= c->size) continue;
    TN_TRY(tni_comm_receive(c, c->rank + step, TAG_AGREE, &other, sizeof(other)));
    if (mine.status == TN_OK) mine = other;
  }
  TN_TRY(tni_comm_broadcast(c, 0, &mine, sizeof(mine)));
  if (mine.status == TN_OK) return TN_OK;
  return TN_FAIL(c->ctx, (tn_status)mine.status, "%s", mine.text);
}

int tn_rank(const tn_ctx *ctx) { return ctx && ctx->comm ? ctx->comm->rank : 0; }
int tn_ranks(const tn_ctx *ctx) { return ctx && ctx->comm ? ctx->comm->size : 1; }

void tn_ranks_sent(const tn_ctx *ctx, long *messages, long *bytes) {
  if (messages) *messages = ctx && ctx->comm ? ctx->comm->messages : 0;
  if (bytes) *bytes = ctx && ctx->comm ? ctx->comm->bytes : 0;
}
