/* ranks that exchange messages: order, sums with the same bits everywhere, counts, ranks that fail
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/tenon.h>

#include "parallel/comm.h"
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

int main(void) {
  RUN(messages_arrive_in_order);
  RUN(sums_have_the_same_bits_on_all_ranks);
  RUN(ranks_that_fail_end_the_others);
  return REPORT();
}
