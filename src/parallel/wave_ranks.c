/* parallel/wave_ranks.c - sweeps along a chain of items that ranks have divided among them
 *
 * Each rank has neighbouring items. Sweep i of a rank: all its items are prepared, the visit of the last item of the rank before arrives as a
 * message, the items are visited, the visit of the last one goes on to the next rank. So sweeps follow each other down the ranks as they do
 * down the items, and a call finds what it finds on one rank.
 *
 * Every message says how the items before are: under way, done (no more messages), or failed (the same).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdbool.h>

#include "parallel/comm.h"
#include "parallel/pool.h"
#include "parallel/wave.h"

enum { TAG = 4711, HEAD = 1 };
typedef enum { UNDER_WAY, DONE, FAILED } news;

void tni_wave_range(const tni_wave *w, int size, int rank, int *first, int *end) {
  *first = (int)((long)rank*w->n/size);
  *end = (int)((long)(rank + 1)*w->n/size);
}

typedef struct {
  tni_wave *w;
  int first, end, sweep;
} stretch;

static void prepare_some(void *user, int begin, int end) {
  const stretch *s = user;
  for (int desk = begin; desk < end; desk++)
    for (int e = s->first + desk; e < s->end; e += s->w->ndesk) s->w->prepare(s->w->user, desk, s->sweep, e);
}

/* first: what has no guess has no future */
static int begin_items(tni_wave *w, int from, int to) {
  for (int e = from; e < to && w->first; e++)
    if (w->first(w->user, 0, e) == TNI_WAVE_FAILED) return e;
  return to;
}

/* Visits of one sweep; s->first and s->end follow. before: how the items of other ranks are. */
static void visit(stretch *s, news before) {
  tni_wave *w = s->w;
  bool done = before == DONE;
  for (int e = s->first; e < s->end; e++) {
    tni_wave_answer answer = w->pass(w->user, 0, s->sweep, e);
    w->work++;
    if (answer == TNI_WAVE_DONE && done && e == s->first) s->first++;
    else if (answer == TNI_WAVE_FAILED || s->sweep + 1 >= w->max_sweeps) s->end = e;
  }
  w->sweeps = s->sweep + 1;
}

static tn_status sweep_on(tni_wave *w, const tni_wave_post *post, int first, int end, int known, int *done) {
  tni_comm *c = post->comm;
  size_t bytes = ((size_t)post->numbers + HEAD)*sizeof(double);
  stretch s = {w, first < known ? first : known, end < known ? end : known, 0};
  news before = c->rank == 0 ? DONE : UNDER_WAY;
  bool tells = c->rank + 1 < c->size;
  for (; s.first < s.end || before == UNDER_WAY; s.sweep++) {
    bool arrives = before == UNDER_WAY;
    if (s.first < s.end) tni_parallel_for(c->ctx, w->ndesk, 1, prepare_some, &s);
    if (arrives) {
      TN_TRY(tni_comm_receive(c, c->rank - 1, TAG, post->buffer, bytes));
      before = (news)(int)post->buffer[0];
      if (before == FAILED) s.end = s.first = first; /* what hangs on nothing is nothing */
      else if (first > 0) post->unpack(w->user, first - 1, s.sweep, post->buffer + HEAD);
    }
    if (s.first < s.end) visit(&s, before);
    if (!tells) continue;
    news now = before == FAILED || s.end < end ? FAILED : before == DONE && s.first == end ? DONE : UNDER_WAY;
    post->buffer[0] = now;
    post->pack(w->user, end - 1, post->buffer + HEAD);
    tells = now == UNDER_WAY;
    TN_TRY(tni_comm_send(c, c->rank + 1, TAG, post->buffer, bytes));
  }
  *done = s.first;
  if (!tells) return TN_OK;
  /* there was nothing to do here */
  post->buffer[0] = before == DONE && end == first ? DONE : FAILED;
  if (end > 0) post->pack(w->user, end - 1, post->buffer + HEAD);
  return tni_comm_send(c, c->rank + 1, TAG, post->buffer, bytes);
}

tn_status tni_wave_run_ranks(tni_wave *w, const tni_wave_post *post) {
  tni_comm *c = post->comm;
  int first, end, done;
  w->done = w->sweeps = 0;
  w->work = 0;
  tni_wave_range(w, c->size, c->rank, &first, &end);
  int known = begin_items(w, 0, end);
  TN_TRY(sweep_on(w, post, first, end, known, &done));
  if (known == end) begin_items(w, end, w->n); /* others would not wait for it: it says how good the guess was */
  /* done without a gap */
  double figures[2] = {done < end ? done : w->n, w->sweeps}, work = (double)w->work;
  figures[0] = -figures[0];
  TN_TRY(tni_comm_max(c, 2, figures));
  TN_TRY(tni_comm_sum(c, 1, &work));
  w->done = (int)-figures[0];
  w->sweeps = (int)figures[1];
  w->work = (long)work;
  return TN_OK;
}
