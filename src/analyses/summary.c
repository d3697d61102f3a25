/* analyses/summary.c - what happened in a run, as a struct and as JSON
 *
 * tn_summary only grows at its end. A program compiled against an older header says how much of it it
 * knows; so much is filled or read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/summary.h"

#include <stddef.h>

#include "analyses/analysis.h"

/* The first published summary ended before the figures of analyses. */
enum { OLDEST = offsetof(tn_summary, figures) };

tn_status tni_summary_check(tn_ctx *ctx, const tn_summary *summary, size_t size) {
  TN_REQUIRE(ctx, summary, TN_ERR_ARGUMENT, "no summary to fill or to read");
  TN_REQUIRE(ctx, size >= OLDEST && size <= sizeof(*summary), TN_ERR_ARGUMENT,
             "summary of %zu bytes, must be from %zu to %zu: is tenon/analysis.h newer than the library?",
             size, (size_t)OLDEST, sizeof(*summary));
  return TN_OK;
}

void tni_summary_hand_over(const tn_summary *from, tn_summary *to, size_t size) { memcpy(to, from, size); }

/* written values that the start could not keep */
static void changed_json(tni_json *j, const tn_summary *u) {
  static const char *const kind[TN_NCHANGED] = {"position", "orientation", "velocity",
                                                "angular_velocity"};
  tni_json_open_object(j, "changed");
  for (int k = 0; k < TN_NCHANGED; k++) {
    if (u->changed[k].count == 0) continue;
    tni_json_open_object(j, kind[k]);
    tni_json_add_number(j, "size", u->changed[k].size);
    tni_json_add_number(j, "scale", u->changed[k].scale);
    tni_json_add_integer(j, "count", u->changed[k].count);
    tni_json_add_text(j, "body", u->changed[k].body);
    tni_json_close(j);
  }
  tni_json_close(j);
}

static void figures_json(tni_json *j, const tn_summary *u) {
  if (u->figures == 0) return;
  tni_json_open_object(j, "figures");
  for (int i = 0; i < u->figures && i < TN_SUMMARY_FIGURES; i++)
    tni_json_add_number(j, u->figure[i].name, u->figure[i].value);
  tni_json_close(j);
}

static void audit_json(tni_json *j, const tn_summary *u) {
  tni_json_open_array(j, "audit");
  for (int i = 0; i < TN_AUDITS && u->audit[i].name; i++) {
    const tn_audit *a = &u->audit[i];
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "what", a->name);
    tni_json_add_number(j, "value", a->value);
    tni_json_add_number(j, "allowed", a->allowed);
    tni_json_add_number(j, "share", a->value/a->allowed);
    tni_json_add_number(j, "t", a->t);
    tni_json_add_text(j, "where", a->what);
    tni_json_close(j);
  }
  tni_json_close(j);
  tni_json_add_flag(j, "sound", u->sound);
  tni_json_add_text(j, "verdict", u->verdict);
}

static tn_status write(tn_ctx *ctx, const tn_summary *u, char **out) {
  const struct {
    const char *name;
    double value;
  } number[] = {
      {"t_begin", u->t_begin}, {"t_end", u->t_end}, {"tolerance", u->tolerance},
      {"h_min", u->h_min}, {"h_max", u->h_max}, {"position_error", u->position_error},
      {"velocity_error", u->velocity_error}, {"acceleration_error", u->acceleration_error},
      {"energy_begin", u->energy_begin}, {"energy_end", u->energy_end},
      {"dissipated", u->dissipated}, {"input", u->input}, {"energy_error", u->energy_error},
      {"latch_loss", u->latch_loss},
      {"energy_scale", u->energy_scale}, {"wall", u->wall}, {"cpu", u->cpu},
      {"time_matrices", u->time_matrices}, {"time_factors", u->time_factors},
      {"time_accelerations", u->time_accelerations}, {"time_recovery", u->time_recovery},
      {"time_steps", u->time_steps},
      {"assembly_distance", u->assembly_distance}, {"assembly_angle", u->assembly_angle},
      {"assembly_error", u->assembly_error},
      {"stiffness", u->stiffness}, {"residual", u->residual}, {"residual_force", u->residual_force},
      {"residual_moment", u->residual_moment},
  };
  const struct {
    const char *name;
    long value;
  } integer[] = {
      {"steps", u->steps}, {"rejected", u->rejected}, {"events", u->events}, {"stored", u->stored},
      {"latches", u->latches}, {"switches", u->switches}, {"switches_stored", u->switches_stored},
      {"switches_left_out", u->switches_left_out},
      {"evaluations", u->evaluations}, {"factorizations", u->factorizations},
      {"newton", u->newton}, {"jacobians", u->jacobians},
      {"projections", u->projections}, {"rank_changes", u->rank_changes},
      {"matrices", u->matrices}, {"choices", u->choices},
      {"redundant", u->redundant}, {"assembly_moved", u->assembly_moved},
      {"equilibria", u->equilibria}, {"iterations", u->iterations}, {"unstable", u->unstable},
      {"unstable_left", u->unstable_left}, {"free", u->free},
  };
  tni_text t;
  tni_json j;
  *out = NULL;
  tni_text_init(&t, ctx);
  tni_json_begin(&j, &t, true);
  tni_json_add_text(&j, "outcome", u->outcome);
  if (u->error[0]) tni_json_add_text(&j, "error", u->error);
  tni_json_add_text(&j, "analysis", u->analysis);
  tni_json_add_text(&j, "method", u->method);
  if (u->technique[0]) tni_json_add_text(&j, "technique", u->technique);
  tni_json_add_text(&j, "system", u->system);
  tni_json_add_flag(&j, "fixed_step", u->fixed_step);
  if (u->run_tolerance > 0) {
    tni_json_add_number(&j, "run_tolerance", u->run_tolerance);
    tni_json_add_number(&j, "run_error", u->run_error);
    tni_json_add_text(&j, "run_reference", u->run_reference);
  }
  if (u->step_limit > 0) {
    tni_json_add_number(&j, "step_limit", u->step_limit);
    tni_json_add_text(&j, "step_reason", u->step_reason);
    if (u->rotary_scaled[0]) tni_json_add_text(&j, "rotary_scaled", u->rotary_scaled);
  }
  tni_json_add_text(&j, "residual_body", u->residual_body);
  tni_json_add_text(&j, "free_names", u->free_names);
  tni_json_add_text(&j, "results", u->results);
  tni_json_add_text(&j, "worst_constraint", u->worst_constraint);
  tni_json_add_text(&j, "assembly_body", u->assembly_body);
  tni_json_add_text(&j, "assembly_row", u->assembly_row);
  changed_json(&j, u);
  for (int i = 0; i < TNI_COUNT(number); i++) tni_json_add_number(&j, number[i].name, number[i].value);
  for (int i = 0; i < TNI_COUNT(integer); i++)
    tni_json_add_integer(&j, integer[i].name, integer[i].value);
  const tni_analysis *analysis = tni_analysis_find(u->analysis);
  if (analysis && analysis->summary) analysis->summary(u, &j);
  figures_json(&j, u);
  audit_json(&j, u);
  bool ok = tni_json_end(&j);
  tni_text_add(&t, "\n");
  if (!ok || t.failed) {
    tni_text_free(&t);
    return tni_out_of_memory(ctx);
  }
  *out = t.s;
  return TN_OK;
}

tn_status tni_summary_whole(tn_ctx *ctx, const tn_summary *summary, size_t size, tn_summary **out) {
  TN_TRY(tni_summary_check(ctx, summary, size));
  *out = tni_alloc(ctx, 1, sizeof(**out));
  if (!*out) return tni_out_of_memory(ctx);
  memcpy(*out, summary, size);
  return TN_OK;
}

tn_status tn_summary_json_sized(tn_ctx *ctx, const tn_summary *summary, size_t size, char **out) {
  tn_summary *whole;
  *out = NULL;
  TN_TRY(tni_summary_whole(ctx, summary, size, &whole));
  tn_status st = write(ctx, whole, out);
  tni_free(ctx, whole);
  return st;
}
