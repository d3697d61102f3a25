/* a thread that does what it is handed: all of it, in order, as it was when it was handed over
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
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
  tni_behind *b = tni_behind_start(ctx, room, store);
  CHECK(b != NULL);
  for (long long i = 0; b && i < pieces; i++) {
    size_t size = sizeof(i) + (size_t)rand() % most;
    long long at = rand() % (long long)(sizeof(to.bytes) - size);
    for (size_t k = 0; k < size; k++) piece[k] = (unsigned char)rand();
    memcpy(piece, &i, sizeof(i));
    memcpy(want.bytes + at, piece, size);
    CHECK(tni_behind_put(b, &to, at, size, piece));
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
  tni_behind *b = tni_behind_start(ctx, 1 << 12, store);
  for (; number < 10; number++) CHECK(tni_behind_put(b, &to, 0, sizeof(number), &number));
  tni_behind_stop(&b);
  CHECK(to.count == 10 && to.in_order);
}

static void what_is_too_large_is_left_to_the_owner(void) {
  static const unsigned char large[5000];
  to = (target){.in_order = true};
  tni_behind *b = tni_behind_start(ctx, 4000, store);
  CHECK(!tni_behind_put(b, &to, 0, sizeof(large), large));
  tni_behind_stop(&b);
  CHECK(to.count == 0);
  tni_behind_wait(NULL);
  tni_behind_stop(&b);
}

/* the owner goes on while there is room, and waits when there is none */
static void the_owner_waits_for_room_only(void) {
  long long number = 0;
  to = (target){.in_order = true, .pause = 20000};
  tni_behind *b = tni_behind_start(ctx, 64*1024, store);
  double began = tni_wall_time();
  for (; number < 5; number++) CHECK(tni_behind_put(b, &to, 0, sizeof(number), &number));
  CHECK(tni_wall_time() - began < 5*20e-3 && tni_behind_waited(b) == 0);
  tni_behind_wait(b);
  CHECK(tni_wall_time() - began >= 5*20e-3 && tni_behind_waited(b) > 0);
  tni_behind_stop(&b);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  RUN(all_of_it_in_order);
  RUN(stopping_waits);
  RUN(what_is_too_large_is_left_to_the_owner);
  RUN(the_owner_waits_for_room_only);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
