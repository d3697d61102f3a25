/* deck/run.c - a deck from its cards to its tables
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include <tenon/deck.h>
#include <tenon/model.h>

#include "analyses/sim.h"
#include "deck/deck.h"

typedef struct {
  const tni_deck_model *m;
  int from, to, rows;     /* rows a step */
  int row;                /* stored so far */
  tni_text *tables;
  tn_status st;
} watcher;

/* a row of a static run: the first one of a chain is its beginning */
static void look(void *user, tn_sim *sim) {
  watcher *w = user;
  bool chain = w->rows > 1;
  int row = w->row++;
  const tni_deck_step *s = &w->m->step[w->to];
  bool moves = tni_deck_moves(s);
  if (w->st != TN_OK || (moves && sim->at.t < s->period*(1 - 1e-9))) return;
  if (!chain) w->st = tni_deck_tables(w->m, w->to, sim, w->tables);
  else if (row > 0 && row % w->rows == 0) w->st = tni_deck_tables(w->m, w->from + row/w->rows - 1, sim, w->tables);
}

/* the last of the steps that a run takes together with `step` */
static int last_of(const tni_deck_model *m, int step) {
  int to = step;
  if (m->step[step].kind != TNI_DECK_STATIC || !tni_deck_is_nonlinear(m, step)) return to;
  while (to + 1 < m->nstep && m->step[to+1].kind == TNI_DECK_STATIC) to++;
  return to;
}

/* what one run cannot know of those before it */
static tn_status refuse_history(const tni_deck_model *m, int step) {
  const tni_deck_step *s = &m->step[step];
  const char *what = NULL;
  if (step == 0) return TN_OK;
  if (s->kind == TNI_DECK_STATIC && tni_deck_is_nonlinear(m, step)) what = "nonlinear static steps after others";
  if (s->kind == TNI_DECK_DYNAMIC || s->kind == TNI_DECK_EXPLICIT) what = "dynamic steps after others";
  for (int i = 0; i < step && s->kind == TNI_DECK_MODAL; i++)
    if (m->step[i].kind != TNI_DECK_FREQUENCY || m->step[i].stressed) what = "*MODAL DYNAMIC after steps other than *FREQUENCY of the unloaded model";
  if (s->kind == TNI_DECK_FREQUENCY && s->large && !s->stressed) what = "frequencies after steps with NLGEOM";
  return what ? tni_card_refuse(m->ctx, s->card, 0, "%s are not understood", what) : TN_OK;
}

static tn_status run_steps(const tni_deck_model *m, int from, int to, const tn_deck_opts *o, tni_text *tables, tn_deck_report *report) {
  tni_text text;
  tn_ctx *ctx = m->ctx;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  watcher w = {.m = m, .from = from, .to = to, .tables = tables};
  bool buckles = m->step[to].kind == TNI_DECK_BUCKLE, modal = buckles || m->step[to].kind == TNI_DECK_FREQUENCY;
  tni_text_init(&text, ctx);
  tn_status st = tni_deck_translate(m, from, to, &text, &w.rows);
  if (st == TN_OK && o->translated) o->translated(o->user, from + 1, to + 1, text.s);
  if (st == TN_OK && o->translate_only) {
    tni_text_free(&text);
    return TN_OK;
  }
  if (st == TN_OK) st = tn_spec_read_text(ctx, m->path, text.s, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  char results[1200] = "";
  if (o->results && o->results[0]) {
    if (from == 0) snprintf(results, sizeof(results), "%s.h5", o->results);
    else snprintf(results, sizeof(results), "%s.%d.h5", o->results, from + 1);
  }
  if (st == TN_OK) {
    tn_run_opts run = {.results = results, .overwrite = true};
    ctx->looked = modal ? NULL : look;
    ctx->looked_user = &w;
    st = tn_run(ctx, model, &run, &report->summary);
    ctx->looked = NULL;
    if (st == TN_OK) st = w.st;
  }
  if (st == TN_OK && modal && !buckles && report->summary.mode[0].frequency < m->step[to].lower)
    st = tni_card_refuse(ctx, m->step[to].card, 0, "a mode of %g Hz is below the bound %g: that is not understood", report->summary.mode[0].frequency,
                         m->step[to].lower);
  if (st == TN_OK && modal) {
    if (report->summary.modes > TN_SUMMARY_MODES)
      tni_log(ctx, TN_LOG_WARNING, "%s:%d: the table has the first %d of %d modes", m->step[to].card->file, m->step[to].card->line,
              TN_SUMMARY_MODES, report->summary.modes);
    (buckles ? tni_deck_buckling_table : tni_deck_mode_table)(&report->summary, tables);
  }
  if (st == TN_OK && !report->summary.sound) report->doubtful++;
  if (st == TN_OK && o->done) o->done(o->user, from + 1, to + 1, &report->summary);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tni_text_free(&text);
  return st;
}

tn_status tn_deck_run(tn_ctx *ctx, const char *path, const tn_deck_opts *opts, tn_deck_report *report) {
  tni_deck_model *m;
  tni_text tables;
  memset(report, 0, sizeof(*report));
  TN_TRY(tni_deck_model_read(ctx, path, &m));
  tni_text_init(&tables, ctx);
  tni_text_add(&tables, "%s", "");
  tn_status st = TN_OK;
  for (int step = 0, to; step < m->nstep && st == TN_OK; step = to + 1) {
    to = last_of(m, step);
    st = refuse_history(m, step);
    if (st == TN_OK) st = run_steps(m, step, to, opts, &tables, report);
    if (st == TN_OK) report->steps = to + 1;
  }
  if (st == TN_OK && opts->tables && !opts->translate_only && !tables.failed) {
    FILE *f = fopen(opts->tables, "w");
    if (!f || fputs(tables.s ? tables.s : "", f) < 0) st = TN_FAIL(ctx, TN_ERR_IO, "cannot write '%s'", opts->tables);
    if (f && fclose(f) != 0 && st == TN_OK) st = TN_FAIL(ctx, TN_ERR_IO, "cannot write '%s'", opts->tables);
  }
  tni_text_free(&tables);
  tni_deck_model_destroy(&m);
  return st;
}
