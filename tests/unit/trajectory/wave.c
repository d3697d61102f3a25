/* sweeps along a chain: order of visits, the same for any number of threads, ends where an item fails
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include <stdatomic.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include "parallel/wave.h"
#include "support/check.h"

enum { ITEMS = 40, SWEEPS = 12 };

/* Every item holds a number that a sweep makes of its own and of what the one before has got in the same sweep. A call
 * that comes too early or too late changes the numbers. */
typedef struct {
  atomic_long ready[ITEMS], value[ITEMS];
  atomic_int busy[ITEMS];
  int need[ITEMS], fails, unknown;
  atomic_int wrong;
} chain;

static void prepare(void *user, int desk, int sweep, int item) {
  chain *c = user;
  (void)desk;
  if (atomic_exchange(&c->busy[item], 1)) c->wrong++;
  /* some items take long, so that the next sweep is upon them */
  if ((item*7 + sweep) % 5 == 0) usleep(300);
  c->ready[item] = 31*c->value[item] + sweep;
  c->busy[item] = 0;
}

static tni_wave_answer visit(void *user, int desk, int sweep, int item) {
  chain *c = user;
  (void)desk;
  if (atomic_exchange(&c->busy[item], 1)) c->wrong++;
  long before = item ? (long)c->value[item - 1] : 7;
  c->value[item] = (c->ready[item] + 17*before) % 1000003;
  c->busy[item] = 0;
  if (item == c->fails && sweep == (item ? 2 : 0)) return TNI_WAVE_FAILED;
  return sweep + 1 >= c->need[item] ? TNI_WAVE_DONE : TNI_WAVE_ON;
}

/* what items begin with is made of what the one before begins with, and must not see what a sweep makes of it */
static tni_wave_answer begin(void *user, int desk, int item) {
  chain *c = user;
  (void)desk;
  if (item % 6 == 0) usleep(300);
  if (item == c->unknown) return TNI_WAVE_FAILED;
  c->value[item] = (item ? (long)c->value[item - 1] : 5)*3 % 1009;
  return TNI_WAVE_ON;
}

static tni_wave run_from(chain *c, int threads, int fails, int max, int unknown) {
  static int state[3*ITEMS];
  tn_ctx_opts o = {.threads = threads};
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(&o, &ctx));
  memset(c, 0, sizeof(*c));
  c->fails = fails;
  c->unknown = unknown;
  for (int i = 0; i < ITEMS; i++) c->need[i] = 2 + (i*7) % 5;
  tni_wave w = {.n = ITEMS, .max_sweeps = max, .ndesk = threads, .user = c, .prepare = prepare, .pass = visit,
                .first = unknown > -2 ? begin : NULL, .state = state};
  tni_wave_run(ctx, &w);
  tn_ctx_destroy(&ctx);
  CHECK_INT(c->wrong, 0);
  return w;
}

static tni_wave run(chain *c, int threads, int fails, int max) { return run_from(c, threads, fails, max, -2); }

static void threads_do_not_change_what_items_find(void) {
  for (int round = 0; round < 5; round++) {
    static chain one, many;
    tni_wave a = run(&one, 1, -1, SWEEPS);
    CHECK_INT(a.done, ITEMS);
    for (int threads = 2; threads <= 4; threads++) {
      tni_wave b = run(&many, threads, -1, SWEEPS);
      CHECK_INT(b.done, ITEMS);
      CHECK_INT(b.work, a.work);
      CHECK_INT(b.sweeps, a.sweeps);
      for (int i = 0; i < ITEMS; i++) CHECK(one.value[i] == many.value[i]);
    }
  }
}

static void a_first_sweep_runs_before_the_others(void) {
  for (int round = 0; round < 5; round++) {
    static chain one, many;
    CHECK_INT(run_from(&one, 1, -1, SWEEPS, -1).done, ITEMS);
    for (int threads = 2; threads <= 4; threads++) {
      CHECK_INT(run_from(&many, threads, -1, SWEEPS, -1).done, ITEMS);
      for (int i = 0; i < ITEMS; i++) CHECK(one.value[i] == many.value[i]);
      CHECK_INT(run_from(&many, threads, -1, SWEEPS, 13).done, 13);
      CHECK_INT(run_from(&many, threads, -1, SWEEPS, 0).done, 0);
    }
  }
}

static void items_before_one_that_fails_are_finished(void) {
  for (int threads = 1; threads <= 3; threads++) {
    static chain c;
    CHECK_INT(run(&c, threads, 9, SWEEPS).done, 9);
    CHECK_INT(run(&c, threads, 0, SWEEPS).done, 0);
    /* item 2 needs 6 sweeps */
    CHECK_INT(run(&c, threads, -1, 5).done, 2);
  }
}

int main(void) {
  RUN(threads_do_not_change_what_items_find);
  RUN(a_first_sweep_runs_before_the_others);
  RUN(items_before_one_that_fails_are_finished);
  return REPORT();
}
