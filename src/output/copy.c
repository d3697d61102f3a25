/* output/copy.c - what one results file has goes on in another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/h5.h"
#include "output/results.h"

typedef struct {
  tni_writer *to;
  tni_reader *from;
  double t;         /* up to here */
  double *row[2], *time, *state; /* rows take turns: the thread writes one while the next is read */
  size_t lent[2];
} copier;

static tn_status copy_rows(copier *c, long *n) {
  long ntime = tni_results_ntime(c->from);
  for (*n = 0; *n < ntime; ++*n) {
    TN_TRY(tni_results_read_times(c->from, *n, 1, c->time));
    if (!(c->time[0] <= c->t)) break;
    int k = *n % 2;
    tni_results_take_back(c->to, c->lent[k]);
    TN_TRY(tni_results_read_row(c->from, *n, c->row[k]));
    TN_TRY(tni_results_lend(c->to, c->time[0], c->row[k]));
    c->lent[k] = tni_results_mark(c->to);
  }
  return TN_OK;
}

static tn_status copy_steps(copier *c, long nstep) {
  double *t = c->time, *h = c->time + nstep;
  TN_TRY(tni_results_read_steps(c->from, t, h));
  for (long i = 0; i < nstep && t[i] <= c->t; i++) TN_TRY(tni_results_add_step(c->to, t[i], h[i]));
  return TN_OK;
}

static tn_status copy_events(copier *c) {
  enum { PIECE = 128 };
  double t[PIECE], value[PIECE*TNI_EVENT_NVALUE];
  long nevent = tni_results_nevent(c->from);
  for (long first = 0; first < nevent; first += PIECE) {
    long n = nevent - first < PIECE ? nevent - first : PIECE;
    TN_TRY(tni_results_read_events(c->from, first, n, t, value));
    for (long i = 0; i < n; i++) {
      if (!(t[i] <= c->t)) return TN_OK;
      TN_TRY(tni_results_add_event(c->to, t[i], value + i*TNI_EVENT_NVALUE));
    }
  }
  return TN_OK;
}

static tn_status copy_checkpoints(copier *c) {
  for (long i = 0; i < tni_results_ncheckpoint(c->from); i++) {
    double t;
    TN_TRY(tni_results_get_checkpoint(c->from, i, &t, c->state));
    if (!(t <= c->t)) break;
    TN_TRY(tni_results_checkpoint(c->to, t, c->state));
  }
  return TN_OK;
}

tn_status tni_results_copy(tni_writer *w, tni_reader *from, double t, long *nrow) {
  const tni_results_info *info = tni_results_get_info(from);
  tn_ctx *ctx = tni_reader_ctx(from);
  long nstep = tni_results_nstep(from);
  copier c = {.to = w, .from = from, .t = t};
  c.row[0] = tni_doubles(ctx, (size_t)info->nappend);
  c.row[1] = tni_results_lends(w) ? tni_doubles(ctx, (size_t)info->nappend) : c.row[0];
  c.time = tni_doubles(ctx, 2*(size_t)nstep + 1);
  c.state = tni_doubles(ctx, (size_t)info->ncheckpoint);
  tn_status st = c.row[0] && c.row[1] && c.time && c.state ? TN_OK : tni_out_of_memory(ctx);
  if (st == TN_OK) st = copy_rows(&c, nrow);
  if (st == TN_OK) st = copy_steps(&c, nstep);
  if (st == TN_OK) st = copy_events(&c);
  if (st == TN_OK) st = copy_checkpoints(&c);
  tni_results_take_back(w, tni_results_mark(w));
  if (c.row[1] != c.row[0]) tni_free(ctx, c.row[1]);
  tni_free(ctx, c.row[0]);
  tni_free(ctx, c.time);
  tni_free(ctx, c.state);
  return st;
}
