/* analyses/accuracy.c - a tolerance for the steps that keeps the error of the whole run
 *
 * A method controls the error of a step. How much of it is left at the end depends on the motion:
 * dampers forget it, fast mechanisms amplify it a hundred times. So the error of the whole run is
 * measured, against a reference that is checked by a second method, and where it exceeds what was
 * asked the steps get a smaller tolerance in proportion: the error of a method with error control is
 * nearly proportional to its tolerance.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "analyses/analysis.h"
#include "analyses/sim.h"
#include "analyses/trial.h"

enum { RUNS_MAX = 8 };
static const double AIM = 0.5;        /* of the tolerance, where the error was larger       */
static const double LEAST_CUT = 0.3;  /* an error just above it must not cost many runs     */
static const double MOST_CUT = 1e-3;
static const double CLEAR = 0.1;      /* uncertainty of a good reference, by the tolerance  */

static tn_status search(tni_trials *j, const char *method, tn_accuracy *out) {
  TN_TRY(tni_trials_find_reference(j, NULL, out->tolerance, out->tolerance));
  out->reference = j->ref;
  TN_REQUIRE(j->ctx, j->ref.uncertainty < out->tolerance, TN_NOT_CONVERGED,
             "tolerance %g: no reference is that accurate: %s at %.0e and %s differ by %.1e; ask for "
             "less, or for a shorter run", out->tolerance, j->ref.method, j->ref.tolerance,
             j->ref.check, j->ref.uncertainty);
  double slack = j->ref.uncertainty > CLEAR*out->tolerance ? j->ref.uncertainty : 0;
  double tol = out->tolerance;
  for (out->runs = 1; ; out->runs++) {
    tn_compare_row row;
    tni_trials_begin_row(&row, method, tol);
    TN_TRY(tni_trials_run_once(j, INFINITY, &row, j->trial));
    TN_REQUIRE(j->ctx, row.outcome == TN_COMPARE_DONE, TN_NOT_CONVERGED, "%s at %.1e: %.400s",
               method, tol, row.why);
    tni_trials_measure(j, j->trial, j->reference, &row);
    out->working = tol;
    out->error = row.error;
    out->met = row.error + slack <= out->tolerance;
    double cut = fmax(MOST_CUT, fmin(LEAST_CUT, AIM*out->tolerance/row.error));
    if (out->met || out->runs == RUNS_MAX || cut*tol < TNI_TIGHTEST) return TN_OK;
    tol *= cut;
  }
}

tn_status tn_meet_tolerance(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                            tn_accuracy *out) {
  static const tn_run_opts none = {0};
  tni_run_settings set;
  tni_trials j;
  memset(out, 0, sizeof(*out));
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  if (!opts) opts = &none;
  TN_TRY(tni_run_settings_read(ctx, model, opts, &set));
  const tni_integrator_type *type = tni_integrator_find(set.method); /* NULL: auto */
  TN_REQUIRE(ctx, set.analysis->motion == TNI_MOTION_STEPS, TN_ERR_ARGUMENT,
             "analysis '%s' has no error over time; only a transient run can meet a tolerance",
             set.analysis->name);
  TN_REQUIRE(ctx, !set.equal_steps && !(type && (type->fixed_step || type->needs_technique)),
             TN_ERR_ARGUMENT, "method '%s' with a fixed step knows no tolerance; take one with error "
             "control", set.method);
  TN_REQUIRE(ctx, !opts->restart, TN_ERR_ARGUMENT,
             "a restarted run cannot meet a tolerance: its beginning is given");
  out->tolerance = set.tolerance;
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  ctx->interrupted = 0;
  tn_status st = tni_trials_prepare(&j, ctx, &arena, model, opts, 0, 0);
  if (st == TN_OK) st = search(&j, set.method, out);
  tni_arena_clear(&arena);
  return st;
}
