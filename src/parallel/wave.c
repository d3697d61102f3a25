/* parallel/wave.c - sweeps that follow each other along a chain of items
 *
 * Threads take what can be done next, visits before preparations and early items before late ones, under one lock: an
 * item is worth many times the search. A thread that finds nothing waits for one that is at work; alone it always finds
 * something until all is done.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/wave.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "parallel/pool.h"

enum { SPIN = 200 };

typedef struct {
  tni_wave *w;
  pthread_mutex_t lock;
  atomic_uint news;   /* counts what has been finished */
  int end;            /* items that still have a future */
  int first;          /* not yet done                   */
  int reached;        /* one more than the last item that was visited */
  int *prepared;      /* [n] sweep that an item is ready for, -1: none */
  int *passed;        /* [n] last sweep that visited it, -1: none      */
  int *busy;          /* [n] */
} board;

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
    if (b->busy[e] || b->prepared[e] == i || i >= w->max_sweeps) continue;
    *visit = false;
    return e;
  }
  return -1;
}

/* An answer; items are done from the first on without a gap: sweeps meet them in order. */
static void note(board *b, int e, int i, tni_wave_answer answer) {
  tni_wave *w = b->w;
  b->passed[e] = i;
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
  pthread_mutex_lock(&b->lock);
  while (b->first < b->end) {
    bool visit;
    unsigned news = atomic_load(&b->news);
    int e = find(b, &visit);
    if (e < 0) {
      pthread_mutex_unlock(&b->lock);
      for (int turn = 0; atomic_load(&b->news) == news; turn++)
        if (turn > SPIN) sched_yield();
      pthread_mutex_lock(&b->lock);
      continue;
    }
    int i = b->passed[e] + 1;
    b->busy[e] = 1;
    pthread_mutex_unlock(&b->lock);
    tni_wave_answer answer = TNI_WAVE_ON;
    if (visit) answer = w->pass(w->user, desk, i, e);
    else w->prepare(w->user, desk, i, e);
    pthread_mutex_lock(&b->lock);
    b->busy[e] = 0;
    if (visit) note(b, e, i, answer);
    else b->prepared[e] = i;
    atomic_fetch_add(&b->news, 1);
  }
  pthread_mutex_unlock(&b->lock);
}

void tni_wave_run(tn_ctx *ctx, tni_wave *w) {
  board b = {.w = w, .end = w->n, .prepared = w->state, .passed = w->state + w->n, .busy = w->state + 2*w->n};
  for (int e = 0; e < w->n; e++) {
    b.prepared[e] = b.passed[e] = -1;
    b.busy[e] = 0;
  }
  w->sweeps = 0;
  w->work = 0;
  pthread_mutex_init(&b.lock, NULL);
  tni_parallel_for(ctx, w->ndesk, 1, work_at, &b);
  pthread_mutex_destroy(&b.lock);
  w->done = b.first;
}
