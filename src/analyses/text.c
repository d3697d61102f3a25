/* analyses/text.c - a summary as lines of text, as the command prints it
 *
 * An analysis has a layout of its own (tni_analysis.text) or that of motions; how it ends is the same for all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "analyses/analysis.h"
#include "analyses/summary.h"

void tni_text_equilibrium(const tn_summary *u, tni_text *t) {
  tni_text_add(t, "equilibria %d found in %d iterations", u->equilibria, u->iterations);
  if (u->iterations_rejected) tni_text_add(t, " (%d rejected)", u->iterations_rejected);
  tni_text_add(t, "; left on body '%s': %.1e N, %.1e N m (%.1e of the forces)\n", u->residual_body,
               u->residual_force, u->residual_moment, u->residual);
  tni_text_add(t, "stability  ");
  if (u->nonconservative)
    tni_text_add(t, "not judged: some forces have no potential (type: modes tells)\n");
  else if (u->unstable < 0)
    tni_text_add(t, "not judged: this solver does not tell the signs of eigenvalues (fronts and mumps do)\n");
  else if (u->unstable)
    tni_text_add(t, "UNSTABLE: %d negative eigenvalue%s of the stiffness\n", u->unstable,
                 u->unstable == 1 ? "" : "s");
  else
    tni_text_add(t, "%s\n", u->free ? "stable but for what can move freely" : "stable");
  if (u->unstable_left)
    tni_text_add(t, "           %d unstable equilibri%s left on the way\n", u->unstable_left,
                 u->unstable_left == 1 ? "um" : "a");
  for (int i = 0; i < u->criticals && i < TN_SUMMARY_CRITICAL; i++)
    tni_text_add(t, "critical   load %.8g: %s, %s\n", u->critical[i].load, u->critical[i].kind,
                 u->critical[i].name);
  if (u->criticals > TN_SUMMARY_CRITICAL)
    tni_text_add(t, "           and %d more critical loads\n", u->criticals - TN_SUMMARY_CRITICAL);
  if (u->free)
    tni_text_add(t, "free       %d direction%s without stiffness: %s\n", u->free, u->free == 1 ? "" : "s",
                 u->free_names);
}

/* what had to change at the start, as tenon check tells it */
static void assembly(const tn_summary *u, tni_text *t) {
  static const char *const what[TN_NCHANGED] = {"position", "orientation", "velocity",
                                                "angular velocity"};
  static const char *const unit[TN_NCHANGED] = {"m", "rad", "m/s", "rad/s"};
  const char *label = "assembly  ";
  if (u->assembly_moved) {
    tni_text_add(t, "%s the written position was off by %.3g at '%s'; %d bod%s moved, most '%s': %.3g m, %.3g "
                 "rad\n", label, u->assembly_error, u->assembly_row, u->assembly_moved,
                 u->assembly_moved == 1 ? "y" : "ies", u->assembly_body, u->assembly_distance,
                 u->assembly_angle);
    label = "          ";
  }
  for (int k = TN_CHANGED_VELOCITY; k < TN_NCHANGED; k++) {
    if (u->changed[k].count == 0) continue;
    tni_text_add(t, "%s written %s of %d bod%s changed, most '%s': %.3g %s\n", label, what[k],
                 u->changed[k].count, u->changed[k].count == 1 ? "y" : "ies", u->changed[k].body,
                 u->changed[k].size, unit[k]);
    label = "          ";
  }
}

static void ending(const tn_summary *u, tni_text *t) {
  for (int i = 0; i < u->figures && i < TN_SUMMARY_FIGURES; i++)
    tni_text_add(t, "%-10s %.8g%s%s\n", u->figure[i].name, u->figure[i].value, u->figure[i].unit[0] ? " " : "",
                 u->figure[i].unit);
  if (u->latches)
    tni_text_add(t, "latches    %d locked or opened, %.4g J lost by impulses\n", u->latches, u->latch_loss);
  assembly(u, t);
  if (u->redundant)
    tni_text_add(t, "redundant  %d constraint equation%s; some reactions are not unique (tenon check names "
                 "them)\n", u->redundant, u->redundant == 1 ? "" : "s");
  if (u->results[0]) tni_text_add(t, "results    %s (%ld stored times)\n", u->results, u->stored);
  tni_text_add(t, "verdict    %s\n", u->verdict);
}

/* shares of the wall time of implicit steps: the clock of the processor takes twenty times as long to read, as long as short steps in all */
static void phases(const tn_summary *u, tni_text *t) {
  const double part[] = {u->time_matrices, u->time_factors, u->time_accelerations, u->time_recovery};
  static const char *const name[] = {"matrices", "factors", "accelerations", "recovery"};
  double parts = part[0] + part[1] + part[2] + part[3], all = fmax(u->time_steps, parts); /* the first matrices may come before the first step */
  tni_text_add(t, "\ntime       ");
  for (int i = 0; i < 4; i++) tni_text_add(t, "%s %.0f %%, ", name[i], 100*part[i]/all);
  tni_text_add(t, "other %.0f %% of %.3g s of wall time in implicit steps", 100*(all - parts)/all, all);
}

static void motion(const tn_summary *u, tni_text *t) {
  tni_text_add(t, "%-10s t = %g to %g s in %.3g s (%.3g s CPU)\n", u->outcome, u->t_begin, u->t_end, u->wall,
               u->cpu);
  if (u->fixed_step) tni_text_add(t, "method     %s, fixed step\n", u->method);
  else tni_text_add(t, "method     %s, tolerance %.3g\n", u->method, u->tolerance);
  if (u->run_tolerance > 0)
    tni_text_add(t, "error      %.1e over the whole run (%g asked), measured against %s\n", u->run_error,
                 u->run_tolerance, u->run_reference);
  tni_text_add(t, "system     %s\n", u->system);
  if (u->technique[0]) tni_text_add(t, "technique  %s\n", u->technique);
  if (u->steps) {
    tni_text_add(t, "steps      %ld accepted (%.2e to %.2e s), %ld rejected", u->steps, u->h_min, u->h_max,
                 u->rejected);
    if (u->events) tni_text_add(t, ", %ld events", u->events);
    if (u->switches_left_out > 0)
      tni_text_add(t, " (of %ld switches %ld stored, the others left out)", u->switches, u->switches_stored);
    tni_text_add(t, "\n");
  }
  if (u->step_limit > 0)
    tni_text_add(t, "beams      explicit steps below %.3g s: %s\n", u->step_limit, u->step_reason);
  if (u->rotary_scaled[0]) tni_text_add(t, "           rotary inertia is scaled: %s\n", u->rotary_scaled);
  tni_text_add(t, "work       %ld accelerations, %ld factorizations, %ld projections", u->evaluations,
               u->factorizations, u->projections);
  if (u->jacobians) tni_text_add(t, ", %ld Jacobians", u->jacobians);
  if (u->newton) tni_text_add(t, ", %ld Newton iterations", u->newton);
  if (u->rank_changes) tni_text_add(t, ", %ld rank analyses", u->rank_changes);
  if (u->choices) tni_text_add(t, ", coordinates chosen %ld times", u->choices);
  if (u->time_steps > 0) phases(u, t);
  tni_text_add(t, "\nconstraint position %.1e, velocity %.1e, acceleration %.1e", u->position_error,
               u->velocity_error, u->acceleration_error);
  if (u->worst_constraint[0]) tni_text_add(t, " (worst %s)", u->worst_constraint);
  tni_text_add(t, "\nenergy     %.6g J to %.6g J, dissipated %.4g J, put in %.4g J; balance off by %.1e J",
               u->energy_begin, u->energy_end, u->dissipated, u->input, u->energy_error);
  if (u->energy_scale > 0) tni_text_add(t, " (%.1e of the largest term)", u->energy_error/u->energy_scale);
  tni_text_add(t, "\n");
  if (u->equilibria) tni_text_equilibrium(u, t);
}

tn_status tn_summary_text_sized(tn_ctx *ctx, const tn_summary *summary, size_t size, char **out) {
  tn_summary *whole;
  *out = NULL;
  TN_TRY(tni_summary_whole(ctx, summary, size, &whole));
  const tni_analysis *a = tni_analysis_find(whole->analysis);
  tni_text t;
  tni_text_init(&t, ctx);
  if (a && a->text) a->text(whole, &t);
  else motion(whole, &t);
  ending(whole, &t);
  tni_free(ctx, whole);
  if (t.failed) tni_text_free(&t);
  if (!t.s) return tni_out_of_memory(ctx);
  *out = t.s;
  return TN_OK;
}
