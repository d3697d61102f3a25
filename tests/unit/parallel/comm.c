/* ranks that exchange messages: order, sums with the same bits everywhere, counts, ranks that fail
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/tenon.h>

#include "parallel/halo.h"

#include <stdlib.h>
#include "support/check.h"

enum { MOST = 32 };

/* around a ring, two tags that are received in the other order */
static tn_status ring(tni_comm *c, void *user) {
  int *wrong = user, right = (c->rank + 1) % c->size, left = (c->rank + c->size - 1) % c->size;
  double x[2] = {c->rank, 10.0*c->rank}, y[2];
  if (c->size == 1) return TN_OK;
  for (int k = 0; k < 3; k++) {
    x[0] += 100;
    TN_TRY(tni_comm_send(c, right, 1, x, sizeof(x)));
    TN_TRY(tni_comm_send(c, right, 2, &k, sizeof(k)));
  }
  for (int k = 0; k < 3; k++) {
    int number;
    TN_TRY(tni_comm_receive(c, left, 2, &number, sizeof(number)));
    if (number != k) wrong[c->rank]++;
  }
  for (int k = 0; k < 3; k++) {
    TN_TRY(tni_comm_receive(c, left, 1, y, sizeof(y)));
    if (y[0] != left + 100.0*(k + 1) || y[1] != 10.0*left) wrong[c->rank]++;
  }
  return TN_OK;
}

static void messages_arrive_in_order(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= MOST; size = 2*size + 1) {
    int wrong[MOST] = {0};
    long messages, bytes;
    CHECK_OK(ctx, tni_comm_run_local(ctx, size, ring, wrong, &messages, &bytes));
    for (int r = 0; r < size; r++) CHECK_INT(wrong[r], 0);
    CHECK_INT(messages, size > 1 ? 6*size : 0);
    CHECK_INT(bytes, size > 1 ? 3*size*(16 + (int)sizeof(int)) : 0);
  }
  tn_ctx_destroy(&ctx);
}

typedef struct {
  double sum[MOST], most[MOST], all[MOST][MOST], told[MOST];
  int from;
} results;

static double share(int rank) { return 1.0/(3 + rank); }

static tn_status together(tni_comm *c, void *user) {
  results *r = user;
  double x = share(c->rank), y = -share(c->rank), told = c->rank == r->from ? 42 : 0;
  TN_TRY(tni_comm_sum(c, 1, &x));
  TN_TRY(tni_comm_max(c, 1, &y));
  TN_TRY(tni_comm_barrier(c));
  TN_TRY(tni_comm_broadcast(c, r->from, &told, sizeof(told)));
  r->sum[c->rank] = x;
  r->most[c->rank] = y;
  r->told[c->rank] = told;
  x = share(c->rank);
  return tni_comm_gather(c, &x, 1, r->all[c->rank]);
}

static void sums_have_the_same_bits_on_all_ranks(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= MOST; size += size < 6 ? 1 : 13) {
    static results r;
    double sum = 0;
    r.from = size/2;
    CHECK_OK(ctx, tni_comm_run_local(ctx, size, together, &r, NULL, NULL));
    for (int k = 0; k < size; k++) sum += share(k); /* in ascending order */
    for (int k = 0; k < size; k++) {
      CHECK(r.sum[k] == sum);
      CHECK(r.most[k] == -share(size - 1));
      CHECK(r.told[k] == 42);
      for (int i = 0; i < size; i++) CHECK(r.all[k][i] == share(i));
    }
  }
  static results one;
  tni_comm alone = tni_comm_serial(ctx);
  CHECK_OK(ctx, together(&alone, &one));
  CHECK(one.sum[0] == share(0) && one.told[0] == 42 && one.all[0][0] == share(0));
  CHECK_INT(alone.messages, 0);
  tn_ctx_destroy(&ctx);
}

/* few numbers and many take other ways, and any number of ranks; the bits are those of a sum in a row */
static tn_status long_sums(tni_comm *c, void *user) {
  enum { MANY = 70000 };
  int *wrong = user;
  double *x = malloc(MANY*sizeof(double));
  tn_status st = TN_OK;
  for (int n = 3; n <= MANY && st == TN_OK; n += MANY - 3)
    for (int round = 0; round < 2 && st == TN_OK; round++) {
      for (int i = 0; i < n; i++) x[i] = 1.0/(3 + c->rank + i % 100);
      st = tni_comm_sum(c, n, x);
      for (int i = 0; i < n; i++) {
        double want = 0;
        for (int r = 0; r < c->size; r++) want += 1.0/(3 + r + i % 100);
        wrong[c->rank] += x[i] != want;
      }
      x[0] = c->rank == c->size/2 ? 7 : -c->rank;
      if (st == TN_OK) st = tni_comm_max(c, 1, x);
      wrong[c->rank] += x[0] != 7;
    }
  free(x);
  return st;
}

static void sums_of_any_length_are_those_in_a_row(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= 9; size++) {
    int wrong[MOST] = {0};
    CHECK_OK(ctx, tni_comm_run_local(ctx, size, long_sums, wrong, NULL, NULL));
    for (int r = 0; r < size; r++) CHECK_INT(wrong[r], 0);
  }
  tn_ctx_destroy(&ctx);
}

/* one rank gives up, one waits for a message that nobody sends, one gets a message of another length */
static tn_status give_up(tni_comm *c, void *user) {
  double x;
  (void)user;
  if (c->rank == 2) return TN_FAIL(c->ctx, TN_SINGULAR, "the matrix of rank %d", c->rank);
  return tni_comm_receive(c, 2, 0, &x, sizeof(x));
}

static tn_status end_early(tni_comm *c, void *user) {
  double x;
  (void)user;
  return c->rank ? TN_OK : tni_comm_receive(c, 1, 0, &x, sizeof(x));
}

static tn_status other_length(tni_comm *c, void *user) {
  double x[2] = {0};
  (void)user;
  return c->rank ? tni_comm_send(c, 0, 0, x, sizeof(x)) : tni_comm_receive(c, 1, 0, x, sizeof(*x));
}

static void ranks_that_fail_end_the_others(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_INT(tni_comm_run_local(ctx, 4, give_up, NULL, NULL, NULL), TN_SINGULAR);
  CHECK_TEXT(tn_ctx_message(ctx), "rank 2: the matrix of rank 2");
  CHECK_INT(tni_comm_run_local(ctx, 2, end_early, NULL, NULL, NULL), TN_INTERRUPTED);
  CHECK_TEXT(tn_ctx_message(ctx), "rank 0: rank 0 waits for rank 1, which has ended");
  CHECK_INT(tni_comm_run_local(ctx, 2, other_length, NULL, NULL, NULL), TN_ERR_INTERNAL);
  CHECK_INT(tni_comm_run_local(ctx, 0, give_up, NULL, NULL, NULL), TN_ERR_ARGUMENT);
  tn_ctx_destroy(&ctx);
}

/* ---- agreement ------------------------------------------------------------------------------- */

typedef struct {
  int bad[2]; /* ranks that fail, -1: none */
  tn_status st[MOST];
  char text[MOST][200];
} verdicts;

static tn_status agree(tni_comm *c, void *user) {
  verdicts *v = user;
  tn_status own = TN_OK;
  for (int i = 0; i < 2; i++)
    if (c->rank == v->bad[i]) own = TN_FAIL(c->ctx, i ? TN_SINGULAR : TN_NOT_CONVERGED, "trouble of rank %d", c->rank);
  v->st[c->rank] = tni_comm_agree(c, own);
  snprintf(v->text[c->rank], sizeof(v->text[0]), "%s", tn_ctx_message(c->ctx));
  double x = 1; /* after it all are at the same place */
  TN_TRY(tni_comm_sum(c, 1, &x));
  return x == c->size ? TN_OK : TN_ERR_INTERNAL;
}

static void one_rank_fails_and_all_know_why(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= 9; size++)
    for (int bad = -1; bad < size; bad++) {
      static verdicts v;
      memset(&v, 0, sizeof(v));
      v.bad[0] = bad;
      v.bad[1] = bad < 0 ? -1 : (bad + 2) % size;
      int first = v.bad[1] >= 0 && v.bad[1] < bad ? v.bad[1] : bad;
      char want[64] = "";
      if (bad >= 0) snprintf(want, sizeof(want), "trouble of rank %d", first);
      CHECK_OK(ctx, tni_comm_run_local(ctx, size, agree, &v, NULL, NULL));
      for (int r = 0; r < size; r++) {
        CHECK_INT(v.st[r], bad < 0 ? TN_OK : first == v.bad[1] ? TN_SINGULAR : TN_NOT_CONVERGED);
        CHECK_TEXT(v.text[r], want);
      }
    }
  tni_comm alone = tni_comm_serial(ctx);
  CHECK_INT(tni_comm_agree(&alone, TN_SINGULAR), TN_SINGULAR);
  CHECK_INT(tni_comm_agree(NULL, TN_SINGULAR), TN_SINGULAR);
  tn_ctx_destroy(&ctx);
}

/* ---- halo --------------------------------------------------------------------------------------- */

enum { PLACES = 200 };

/* Place i belongs to rank i % size; by a rule that all know, rank r needs some of the others'. */
static bool needs(int rank, int place, int size) { return place % size != rank && (place*7 + rank*5) % 4 == 0 && rank != size - 1; }

static tn_status exchange(tni_comm *c, void *user) {
  int *wrong = user, who[4][MOST*PLACES], n[2] = {0, 0};
  double x[PLACES];
  tni_arena arena;
  tni_halo h;
  for (int i = 0; i < PLACES; i++) {
    int owner = i % c->size;
    x[i] = owner == c->rank ? 1000 + i : -1;
    for (int r = 0; r < c->size && owner == c->rank; r++)
      if (needs(r, i, c->size)) who[0][n[0]] = r, who[1][n[0]++] = i;
    if (needs(c->rank, i, c->size)) who[2][n[1]] = owner, who[3][n[1]++] = i;
  }
  tni_arena_init(&arena, c->ctx);
  tn_status st = tni_halo_create(c, &arena, n[0], who[0], who[1], n[1], who[2], who[3], &h);
  long before = c->messages;
  for (int k = 0; k < 3 && st == TN_OK; k++) st = tni_halo_exchange(&h, x);
  if (c->messages - before > 3L*h.npeer) wrong[c->rank]++; /* one to every peer */
  for (int i = 0; i < PLACES; i++)
    if (x[i] != (i % c->size == c->rank || needs(c->rank, i, c->size) ? 1000 + i : -1)) wrong[c->rank]++;
  tni_arena_clear(&arena);
  return st;
}

static void an_exchange_brings_what_was_asked_for_and_nothing_else(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= MOST; size += size < 5 ? 1 : 9) {
    int wrong[MOST] = {0};
    CHECK_OK(ctx, tni_comm_run_local(ctx, size, exchange, wrong, NULL, NULL));
    for (int r = 0; r < size; r++) CHECK_INT(wrong[r], 0);
  }
  tn_ctx_destroy(&ctx);
}

/* Rank r has place i where this says so, under a number of its own, and knows the share 1/(3 + r + i). */
static bool has(int rank, int place, int size) { return place % size == rank || (place*7 + rank*5) % 3 == 0; }

static tn_status add_shares(tni_comm *c, void *user) {
  int *wrong = user, who[MOST*PLACES], at[MOST*PLACES], place[PLACES], n = 0, npair = 0;
  double x[PLACES], y[PLACES];
  tni_arena arena;
  tni_halo_sum h;
  for (int i = 0; i < PLACES; i++) {
    if (!has(c->rank, i, c->size)) continue;
    for (int r = 0; r < c->size; r++)
      if (r != c->rank && has(r, i, c->size)) who[npair] = r, at[npair++] = n;
    place[n] = i;
    x[n] = y[n] = 1.0/(3 + c->rank + i);
    n++;
  }
  tni_arena_init(&arena, c->ctx);
  tn_status st = tni_halo_sum_create(c, &arena, npair, who, at, &h);
  long before = c->messages;
  if (st == TN_OK) st = tni_halo_add(&h, x);
  if (st == TN_OK) st = tni_halo_add(&h, y); /* again */
  if (c->messages - before != 2L*h.npeer) wrong[c->rank]++;
  for (int k = 0; k < n; k++) {
    double want = 0; /* by ascending rank: these bits and no others */
    for (int r = 0; r < c->size; r++)
      if (has(r, place[k], c->size)) want += 1.0/(3 + r + place[k]);
    if (x[k] != want || y[k] != want) wrong[c->rank]++;
  }
  tni_arena_clear(&arena);
  return st;
}

static void shares_add_up_to_the_same_bits_on_all_ranks(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int size = 1; size <= MOST; size += size < 5 ? 1 : 9) {
    int wrong[MOST] = {0};
    CHECK_OK(ctx, tni_comm_run_local(ctx, size, add_shares, wrong, NULL, NULL));
    for (int r = 0; r < size; r++) CHECK_INT(wrong[r], 0);
  }
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(shares_add_up_to_the_same_bits_on_all_ranks);
  RUN(one_rank_fails_and_all_know_why);
  RUN(an_exchange_brings_what_was_asked_for_and_nothing_else);
  RUN(messages_arrive_in_order);
  RUN(sums_have_the_same_bits_on_all_ranks);
  RUN(sums_of_any_length_are_those_in_a_row);
  RUN(ranks_that_fail_end_the_others);
  return REPORT();
}
