/* analyses/compare.c - every method at every tolerance against a tight reference
 *
 * Methods with a fixed step know no tolerance. One trial run tells the error of some step; with the
 * order p of the method the step for a tolerance is h (tol/error)^(1/p), and the row says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/compare.h"

#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"
#include "analyses/trial.h"

static const double FIXED_AIM = 0.3; /* part of the tolerance a fixed step aims at */

typedef struct {
  tni_trials t;
  const tn_compare_opts *o;
  tn_comparison *out;
} job;

/* ---- rows ---------------------------------------------------------------------------------- */

static tn_status add_row(job *j, const tn_compare_row *row) {
  tn_comparison *c = j->out;
  void *items = c->row;
  if (!tni_arena_grow(&c->arena, &items, c->nrow, &c->cap, sizeof(*row)))
    return tni_out_of_memory(c->ctx);
  c->row = items;
  tn_compare_row *r = &c->row[c->nrow];
  *r = *row;
  long n = row->outcome != TN_COMPARE_REFUSED ? j->t.nhistory : 0;
  if (n > 0) {
    double *t, *h;
    TNI_ARENA_NEW(&c->arena, t, n);
    TNI_ARENA_NEW(&c->arena, h, n);
    memcpy(t, j->t.history_t, (size_t)n*sizeof(double));
    memcpy(h, j->t.history_h, (size_t)n*sizeof(double));
    r->nhistory = n;
    r->history_t = t;
    r->history_h = h;
  }
  c->nrow++;
  if (j->o->row) j->o->row(j->o->user, r);
  return TN_OK;
}

/* what a trial tells about a method with a fixed step */
typedef struct {
  double h, error; /* h = 0: no step gave a useful error        */
  double largest;  /* steps beyond that are unstable            */
} fixed_trial;

static tn_status try_fixed_step(tni_trials *j, const char *method, tn_compare_row *row,
                                fixed_trial *trial) {
  double step = (j->until - j->from)/200;
  *trial = (fixed_trial){.largest = (j->until - j->from)/10};
  for (int i = 0; i < 10; i++, step /= 4) {
    tni_trials_begin_row(row, method, 1e-6);
    row->step = step;
    TN_TRY(tni_trials_run_once(j, j->limit, row, j->trial));
    if (row->outcome == TN_COMPARE_REFUSED || row->outcome == TN_COMPARE_CUT) return TN_OK;
    if (row->outcome == TN_COMPARE_DONE) tni_trials_measure(j, j->trial, j->reference, row);
    /* a large error: the order says nothing yet; none or a huge one: unstable */
    if (row->outcome != TN_COMPARE_DONE || !(row->error < 10)) trial->largest = step/4;
    if (row->outcome != TN_COMPARE_DONE || !(row->error < 0.1)) continue;
    trial->h = step;
    trial->error = row->error;
    return TN_OK;
  }
  return TN_OK;
}

static tn_status compare_fixed(job *c, const tni_integrator_type *type, const double *tolerance,
                               int ntolerance) {
  tni_trials *j = &c->t;
  tn_compare_row row;
  fixed_trial trial;
  j->nhistory = 0;
  TN_TRY(try_fixed_step(j, type->name, &row, &trial));
  for (int i = 0; i < ntolerance; i++) {
    double tol = tolerance[i];
    if (trial.h > 0) {
      double part = pow(FIXED_AIM*tol/fmax(trial.error, 1e-15), 1.0/(type->order > 0 ? type->order : 1));
      tni_trials_begin_row(&row, type->name, tol);
      row.step = fmin(trial.h*part, trial.largest);
      TN_TRY(tni_trials_run_timed(j, j->limit, &row, j->trial));
      if (row.outcome == TN_COMPARE_DONE) {
        tni_trials_measure(j, j->trial, j->reference, &row);
        snprintf(row.why, sizeof(row.why), "fixed step %.3g s, chosen by a trial", row.step);
      }
    } else {
      row.tolerance = tol; /* what the trial said */
    }
    TN_TRY(add_row(c, &row));
    if (row.outcome == TN_COMPARE_REFUSED) break;
  }
  return TN_OK;
}

static tn_status compare_method(job *c, const char *method, const double *tolerance,
                                int ntolerance) {
  const tni_integrator_type *type = tni_integrator_find(method); /* NULL: auto */
  if (type && (type->fixed_step || type->needs_technique))
    return compare_fixed(c, type, tolerance, ntolerance);
  tni_trials *j = &c->t;
  double cut = 0; /* tolerance at which the limit was reached */
  for (int i = 0; i < ntolerance; i++) {
    tn_compare_row row;
    tni_trials_begin_row(&row, method, tolerance[i]);
    j->nhistory = 0;
    if (cut > 0) {
      row.outcome = TN_COMPARE_CUT;
      row.error = row.position_error = row.velocity_error = NAN;
      row.t_end = j->from;
      snprintf(row.why, sizeof(row.why), "not tried: %.0e took more than the limit already", cut);
    } else {
      TN_TRY(tni_trials_run_timed(j, j->limit, &row, j->trial));
      if (row.outcome == TN_COMPARE_DONE) tni_trials_measure(j, j->trial, j->reference, &row);
      if (row.outcome == TN_COMPARE_CUT) cut = tolerance[i];
    }
    TN_TRY(add_row(c, &row));
    /* what is refused once is refused at every tolerance: one row says so */
    if (row.outcome == TN_COMPARE_REFUSED) break;
  }
  return TN_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tn_status check_method(tn_ctx *ctx, const char *name) {
  if (tni_integrator_find(name) || strcmp(name, TNI_AUTO) == 0) return TN_OK;
  const char *names[64] = {TNI_AUTO};
  int n = 1;
  for (; n <= tni_integrator_ntype && n < TNI_COUNT(names); n++)
    names[n] = tni_integrator_types[n-1]->name;
  return TN_FAIL(ctx, TN_ERR_ARGUMENT, "unknown method '%s'%s", name, tni_hint_for(name, names, n).s);
}

static tn_status check_opts(tn_ctx *ctx, const tn_compare_opts *o) {
  for (int i = 0; i < o->nmethod; i++) TN_TRY(check_method(ctx, o->methods[i]));
  if (o->reference) TN_TRY(check_method(ctx, o->reference));
  const tni_integrator_type *ref = o->reference ? tni_integrator_find(o->reference) : NULL;
  TN_REQUIRE(ctx, !ref || (!ref->fixed_step && !ref->needs_technique), TN_ERR_ARGUMENT,
             "reference '%s' has a fixed step; take one with error control", o->reference);
  TN_REQUIRE(ctx, !o->reference || ref, TN_ERR_ARGUMENT,
             "reference '%s' is no method of its own; leave it out, or name one", o->reference);
  for (int i = 0; i < o->ntolerance; i++)
    TN_REQUIRE(ctx, o->tolerances[i] >= TNI_TIGHTEST && o->tolerances[i] < 1, TN_ERR_ARGUMENT,
               "tolerance %g, must be >= %g and < 1", o->tolerances[i], TNI_TIGHTEST);
  TN_REQUIRE(ctx, o->limit >= 0 && o->ntime >= 0 && o->ntime <= 100000, TN_ERR_ARGUMENT,
             "limit %g s and %d times, must be >= 0 and at most 100000 times", o->limit, o->ntime);
  return TN_OK;
}

/* loose to tight */
static tn_status sort_tolerances(tni_arena *arena, const tn_compare_opts *o, double **out, int *n) {
  static const double usual[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  const double *from = o->ntolerance ? o->tolerances : usual;
  *n = o->ntolerance ? o->ntolerance : TNI_COUNT(usual);
  TNI_ARENA_NEW(arena, *out, *n);
  for (int i = 0; i < *n; i++) {
    int k = i;
    for (; k > 0 && (*out)[k-1] < from[i]; k--) (*out)[k] = (*out)[k-1];
    (*out)[k] = from[i];
  }
  return TN_OK;
}

static tn_status prepare(job *j, tn_ctx *ctx, const tn_model *model) {
  tn_comparison *c = j->out;
  const tn_compare_opts *o = j->o;
  tn_run_opts run = {.until = o->until, .representation = o->representation};
  TN_TRY(tni_trials_prepare(&j->t, ctx, &c->arena, model, &run, o->limit, o->ntime));
  j->t.progress = o->progress;
  j->t.user = o->user;
  c->title = tni_arena_strdup(&c->arena, model->title ? model->title : "");
  if (!c->title) return tni_out_of_memory(ctx);
  c->from = j->t.from;
  c->until = j->t.until;
  c->ntime = j->t.ntime;
  return TN_OK;
}

static tn_status compare_all(job *j, tn_ctx *ctx, const tn_model *model) {
  double *tolerance;
  int n;
  TN_TRY(prepare(j, ctx, model));
  TN_TRY(sort_tolerances(&j->out->arena, j->o, &tolerance, &n));
  TN_TRY(tni_trials_find_reference(&j->t, j->o->reference, tolerance[0], tolerance[n-1]));
  j->out->reference = j->t.ref;
  memcpy(j->out->system, j->t.reference_system, sizeof(j->out->system));
  for (int i = 0; i < j->o->nmethod; i++)
    TN_TRY(compare_method(j, j->o->methods[i], tolerance, n));
  if (j->o->nmethod) return TN_OK;
  TN_TRY(compare_method(j, TNI_AUTO, tolerance, n));
  for (int i = 0; i < tni_integrator_ntype; i++)
    TN_TRY(compare_method(j, tni_integrator_types[i]->name, tolerance, n));
  return TN_OK;
}

tn_status tn_compare(tn_ctx *ctx, const tn_model *model, const tn_compare_opts *opts,
                     tn_comparison **out) {
  static const tn_compare_opts none = {0};
  *out = NULL;
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  job j = {.o = opts ? opts : &none};
  TN_TRY(check_opts(ctx, j.o));
  tn_comparison *c = tni_alloc(ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(ctx);
  c->ctx = ctx;
  tni_arena_init(&c->arena, ctx);
  j.out = c;
  ctx->interrupted = 0;
  tn_status st = compare_all(&j, ctx, model);
  if (st == TN_OK || (st == TN_INTERRUPTED && j.t.has_reference)) *out = c;
  else tn_comparison_destroy(&c);
  return st;
}

void tn_comparison_destroy(tn_comparison **comparison) {
  if (!comparison || !*comparison) return;
  tn_ctx *ctx = (*comparison)->ctx;
  tni_arena_clear(&(*comparison)->arena);
  tni_free(ctx, *comparison);
  *comparison = NULL;
}

int tn_comparison_nrow(const tn_comparison *c) { return c->nrow; }

const tn_compare_row *tn_comparison_row(const tn_comparison *c, int row) {
  return row < 0 || row >= c->nrow ? NULL : &c->row[row];
}

const tn_compare_reference *tn_comparison_reference(const tn_comparison *c) {
  return &c->reference;
}

const char *tn_method_name(int method) {
  return method < 0 || method >= tni_integrator_ntype ? NULL : tni_integrator_types[method]->name;
}
