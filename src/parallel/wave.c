/* parallel/wave.c - sweeps that follow each other along a chain of items
 *
 * Threads take what can be done next, visits before preparations and early items before late ones, under one lock: an
 * item is worth many times the search. A thread that finds nothing waits for one that is at work; alone it always finds
 * something until all is done.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/wave.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "parallel/pool.h"

enum { SPIN = 2000 };

typedef struct {
  tni_wave *w;
  atomic_flag held;   /* the lock; held for less than a microsecond, so that to sleep would cost more than to wait */
  atomic_uint news;   /* counts what has been finished */
  int end;            /* items that still have a future */
  int first;          /* not yet done                   */
  int *prepared;      /* [n] sweep that an item is ready for, -1: none */
  int *passed;        /* [n] last sweep that visited it, -1: none, -2: not even `first` */
  int *busy;          /* [n] */
} board;

static void lock(board *b) {
  for (int turn = 0; atomic_flag_test_and_set_explicit(&b->held, memory_order_acquire); turn++)
    if (turn > SPIN) sched_yield();
}

static void unlock(board *b) { atomic_flag_clear_explicit(&b->held, memory_order_release); }

/* what to do next: item, or -1; *visit: pass it */
static int find(const board *b, bool *visit) {
  const tni_wave *w = b->w;
  for (int e = b->first; e < b->end; e++) {
    int i = b->passed[e] + 1;
    if (b->busy[e] || b->prepared[e] != i) continue;
    if (e > b->first && b->passed[e-1] < i) continue;
    if (e + 1 < b->end && b->passed[e+1] < i - 1) continue;
    *visit = true;
    return e;
  }
  for (int e = b->first; e < b->end; e++) {
    int i = b->passed[e] + 1;
    if (b->busy[e] || b->prepared[e] == i || i < 0 || i >= w->max_sweeps) continue;
    *visit = false;
    return e;
  }
  return -1;
}

/* An answer of a sweep; items are done from the first on without a gap: sweeps meet them in order. */
static void note(board *b, int e, int i, tni_wave_answer answer) {
  tni_wave *w = b->w;
  b->passed[e] = i;
  if (i < 0) {
    if (answer == TNI_WAVE_FAILED) b->end = e < b->end ? e : b->end;
    return;
  }
  w->work++;
  if (i + 1 > w->sweeps) w->sweeps = i + 1;
  if (answer == TNI_WAVE_DONE && e == b->first) {
    b->first++;
  } else if (answer == TNI_WAVE_FAILED || i + 1 >= w->max_sweeps) {
    b->end = e < b->end ? e : b->end;
  }
}

static void work_at(void *user, int begin, int end) {
  board *b = user;
  tni_wave *w = b->w;
  int desk = begin;
  (void)end;
  lock(b);
  while (b->first < b->end) {
    bool visit;
    unsigned news = atomic_load(&b->news);
    int e = find(b, &visit);
    if (e < 0) {
      unlock(b);
      for (int turn = 0; atomic_load(&b->news) == news; turn++)
        if (turn > SPIN) sched_yield();
      lock(b);
      continue;
    }
    int i = b->passed[e] + 1;
    b->busy[e] = 1;
    unlock(b);
    tni_wave_answer answer = TNI_WAVE_ON;
    if (visit) answer = i < 0 ? w->first(w->user, desk, e) : w->pass(w->user, desk, i, e);
    else w->prepare(w->user, desk, i, e);
    lock(b);
    b->busy[e] = 0;
    if (visit) note(b, e, i, answer);
    else b->prepared[e] = i;
    atomic_fetch_add(&b->news, 1);
  }
  unlock(b);
}

void tni_wave_run(tn_ctx *ctx, tni_wave *w) {
  board b = {.held = ATOMIC_FLAG_INIT, .w = w, .end = w->n, .prepared = w->state, .passed = w->state + w->n, .busy = w->state + 2*w->n};
  for (int e = 0; e < w->n; e++) {
    b.prepared[e] = -1;
    b.passed[e] = w->first ? -2 : -1;
    b.busy[e] = 0;
  }
  w->sweeps = 0;
  w->work = 0;
  tni_parallel_for(ctx, w->ndesk, 1, work_at, &b);
  w->done = b.first;
}
