/* a thread that does what it is handed: all of it, in order, as it was when it was handed over
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "parallel/behind.h"
#include "support/check.h"

static tn_ctx *ctx;

/* a file in memory, and what came last */
typedef struct {
  unsigned char bytes[1 << 20];
  long long count;
  bool in_order;
  int pause; /* microseconds a piece */
} target;

static target to, want;

static void store(void *who, long long at, size_t size, const void *bytes) {
  target *t = who;
  if (t->pause) nanosleep(&(struct timespec){.tv_nsec = 1000L*t->pause}, NULL);
  long long number;
  memcpy(&number, bytes, sizeof(number));
  t->in_order = t->in_order && number == t->count;
  t->count++;
  memcpy(t->bytes + at, bytes, size);
}

/* pieces of random sizes at random places, many more than there is room for; later ones cover earlier ones */
static void pieces_arrive_in_order(size_t room, int pieces, size_t most, int pause) {
  static unsigned char piece[1 << 16];
  to = (target){.in_order = true, .pause = pause};
  memset(&want, 0, sizeof(want));
  tni_behind *b = tni_behind_start(ctx, room);
  CHECK(b != NULL);
  for (long long i = 0; b && i < pieces; i++) {
    size_t size = sizeof(i) + (size_t)rand() % most;
    long long at = rand() % (long long)(sizeof(to.bytes) - size);
    for (size_t k = 0; k < size; k++) piece[k] = (unsigned char)rand();
    memcpy(piece, &i, sizeof(i));
    memcpy(want.bytes + at, piece, size);
    CHECK(tni_behind_put(b, store, &to, at, size, piece));
    memset(piece, 0, size); /* it was copied */
  }
  tni_behind_wait(b);
  CHECK(to.count == pieces && to.in_order);
  CHECK(memcmp(to.bytes, want.bytes, sizeof(to.bytes)) == 0);
  tni_behind_stop(&b);
  CHECK(b == NULL);
}

static void all_of_it_in_order(void) {
  srand(1);
  pieces_arrive_in_order(1 << 16, 400, 5000, 0);
  pieces_arrive_in_order(6000, 400, 5000, 0);  /* hardly more than one at a time */
  pieces_arrive_in_order(20000, 60, 5000, 300);  /* the owner is faster */
  pieces_arrive_in_order(1 << 20, 20, 60000, 0);
}

/* what was handed over is done although nobody waits */
static void stopping_waits(void) {
  long long number = 0;
  to = (target){.in_order = true, .pause = 2000};
  tni_behind *b = tni_behind_start(ctx, 1 << 12);
  for (; number < 10; number++) CHECK(tni_behind_put(b, store, &to, 0, sizeof(number), &number));
  tni_behind_stop(&b);
  CHECK(to.count == 10 && to.in_order);
}

static void what_is_too_large_is_left_to_the_owner(void) {
  static const unsigned char large[5000];
  to = (target){.in_order = true};
  tni_behind *b = tni_behind_start(ctx, 4000);
  CHECK(!tni_behind_put(b, store, &to, 0, sizeof(large), large));
  tni_behind_stop(&b);
  CHECK(to.count == 0);
  tni_behind_wait(NULL);
  tni_behind_stop(&b);
}

/* the owner goes on while there is room, and waits when there is none */
static void the_owner_waits_for_room_only(void) {
  long long number = 0;
  to = (target){.in_order = true, .pause = 20000};
  tni_behind *b = tni_behind_start(ctx, 64*1024);
  double began = tni_wall_time();
  for (; number < 5; number++) CHECK(tni_behind_put(b, store, &to, 0, sizeof(number), &number));
  CHECK(tni_wall_time() - began < 5*20e-3 && tni_behind_waited(b) == 0);
  tni_behind_wait(b);
  CHECK(tni_wall_time() - began >= 5*20e-3 && tni_behind_waited(b) > 0);
  tni_behind_stop(&b);
}

/* what a thread is told of numbers that lie elsewhere */
typedef struct {
  const long *from;
  long n;
} loan;

static void sum_lent(void *who, long long at, size_t size, const void *bytes) {
  long *sum = who;
  loan l;
  memcpy(&l, bytes, size);
  nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  for (long i = 0; i < l.n; i++) sum[at] += l.from[i];
}

static void wait_for_word(void *who, long long at, size_t size, const void *bytes) {
  (void)at, (void)size, (void)bytes;
  while (!atomic_load((atomic_bool *)who)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* numbers may change again when the thread has come to the mark, which does not take until all is done */
static void what_is_lent_comes_back(void) {
  enum { N = 1000, ROUNDS = 20 };
  static long place[2][N], sum[ROUNDS];
  size_t mark[2] = {0, 0};
  tni_behind *b = tni_behind_start(ctx, 1 << 12);
  CHECK(tni_behind_mark(b) == 0 && tni_behind_mark(NULL) == 0);
  for (long k = 0; k < ROUNDS; k++) {
    long *x = place[k % 2];
    tni_behind_reach(b, mark[k % 2]);
    for (long i = 0; i < N; i++) x[i] = i + k;
    const loan l = {x, N};
    CHECK(tni_behind_put(b, sum_lent, sum, k, sizeof(l), &l));
    mark[k % 2] = tni_behind_mark(b);
  }
  atomic_bool word = false;
  CHECK(tni_behind_put(b, wait_for_word, &word, 0, 0, &word));
  tni_behind_reach(b, mark[0]);
  tni_behind_reach(b, mark[1]); /* or this would be the end */
  tni_behind_reach(NULL, 5);
  for (long k = 0; k < ROUNDS; k++) CHECK(sum[k] == N*(N - 1)/2 + N*k);
  atomic_store(&word, true);
  tni_behind_stop(&b);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  RUN(all_of_it_in_order);
  RUN(stopping_waits);
  RUN(what_is_too_large_is_left_to_the_owner);
  RUN(the_owner_waits_for_room_only);
  RUN(what_is_lent_comes_back);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
