/* analyses/compare_report.c - a comparison as table, JSON, CSV and figures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/compare.h"
#include "output/axis.h"
#include "output/json.h"

static const char *const outcome_word[] = {"done", "refused", "failed", "cut off"};

static tn_status finish(tn_ctx *ctx, tni_text *t, char **out) {
  *out = NULL;
  if (t->failed || !t->s) {
    tni_text_free(t);
    return tni_out_of_memory(ctx);
  }
  *out = t->s;
  return TN_OK;
}

/* ---- table --------------------------------------------------------------------------------- */

static void add_reference(const tn_comparison *c, tni_text *t) {
  const tn_compare_reference *r = &c->reference;
  tni_text_add(t, "reference  %s at %.0e (%.3g s)", r->method, r->tolerance, r->cpu);
  if (isnan(r->uncertainty))
    tni_text_add(t, "; NOT CHECKED: no other method reached the end\n");
  else
    tni_text_add(t, "; %s differs by %.1e: errors below that mean nothing\n", r->check,
                 r->uncertainty);
  double tightest = 1;
  for (int i = 0; i < c->nrow; i++) tightest = fmin(tightest, c->row[i].tolerance);
  if (r->uncertainty > tightest)
    tni_text_add(t, "           TOO COARSE to judge runs at %.0e: the motion amplifies errors; try a "
                    "shorter one (--until)\n", tightest);
}

static void add_cell(tni_text *t, int width, bool known, const char *fmt, double value) {
  char cell[32];
  snprintf(cell, sizeof(cell), fmt, value);
  tni_text_add(t, " %*s", width, known ? cell : "-");
}

tn_status tn_comparison_text(const tn_comparison *c, char **out) {
  tni_text t;
  tni_text_init(&t, c->ctx);
  tni_text_add(&t, "model      %s, t = %g to %g s\n", c->title[0] ? c->title : "(no title)", c->from,
               c->until);
  tni_text_add(&t, "system     %s\n", c->system);
  add_reference(c, &t);
  tni_text_add(&t, "error      largest |x - x_ref|/(1 + |x_ref|) of positions, rotations and "
                   "velocities at %d times\n\n", c->ntime);
  tni_text_add(&t, "%-11s %-9s %9s %9s %9s %8s %8s %8s %9s %9s %9s %9s\n", "method", "system",
               "tolerance", "error", "error/tol", "steps", "rejected", "newton", "jacobians", "factor.", "accel.", "CPU [s]");
  for (int i = 0; i < c->nrow; i++) {
    const tn_compare_row *r = &c->row[i];
    bool done = r->outcome == TN_COMPARE_DONE, ran = r->steps > 0;
    tni_text_add(&t, "%-11s %-9s %9.0e", r->method, r->representation[0] ? r->representation : "-",
                 r->tolerance);
    if (r->outcome == TN_COMPARE_REFUSED) {
      tni_text_add(&t, " refused: %s\n", r->why);
      continue;
    }
    add_cell(&t, 9, done, "%.2e", r->error);
    add_cell(&t, 9, done, "%.2g", r->error/r->tolerance);
    add_cell(&t, 8, ran, "%.0f", (double)r->steps);
    add_cell(&t, 8, ran, "%.0f", (double)r->rejected);
    add_cell(&t, 8, ran, "%.0f", (double)r->newton);
    add_cell(&t, 9, ran, "%.0f", (double)r->jacobians);
    add_cell(&t, 9, ran, "%.0f", (double)r->factorizations);
    add_cell(&t, 9, ran, "%.0f", (double)r->accelerations);
    add_cell(&t, 9, ran, "%.3g", r->cpu);
    if (r->why[0])
      tni_text_add(&t, "  %s%s", r->outcome == TN_COMPARE_FAILED ? "failed: " : "", r->why);
    tni_text_add(&t, "\n");
  }
  return finish(c->ctx, &t, out);
}

/* ---- machine-readable ---------------------------------------------------------------------- */

tn_status tn_comparison_json(const tn_comparison *c, char **out) {
  tni_text t;
  tni_json j;
  tni_text_init(&t, c->ctx);
  tni_json_begin(&j, &t, true);
  tni_json_add_text(&j, "title", c->title);
  tni_json_add_text(&j, "system", c->system);
  tni_json_add_number(&j, "from", c->from);
  tni_json_add_number(&j, "until", c->until);
  tni_json_add_integer(&j, "times", c->ntime);
  tni_json_open_object(&j, "reference");
  tni_json_add_text(&j, "method", c->reference.method);
  tni_json_add_number(&j, "tolerance", c->reference.tolerance);
  tni_json_add_text(&j, "check", c->reference.check);
  tni_json_add_number(&j, "uncertainty", c->reference.uncertainty);
  tni_json_add_number(&j, "cpu", c->reference.cpu);
  tni_json_close(&j);
  tni_json_open_array(&j, "rows");
  for (int i = 0; i < c->nrow; i++) {
    const tn_compare_row *r = &c->row[i];
    tni_json_open_object(&j, NULL);
    tni_json_add_text(&j, "method", r->method);
    tni_json_add_text(&j, "representation", r->representation);
    tni_json_add_number(&j, "tolerance", r->tolerance);
    tni_json_add_text(&j, "outcome", outcome_word[r->outcome]);
    tni_json_add_text(&j, "why", r->why);
    tni_json_add_number(&j, "step", r->step > 0 ? r->step : NAN);
    tni_json_add_number(&j, "t_end", r->t_end);
    tni_json_add_number(&j, "error", r->error);
    tni_json_add_number(&j, "error_over_tolerance", r->error/r->tolerance);
    tni_json_add_number(&j, "position_error", r->position_error);
    tni_json_add_number(&j, "velocity_error", r->velocity_error);
    tni_json_add_integer(&j, "steps", r->steps);
    tni_json_add_integer(&j, "rejected", r->rejected);
    tni_json_add_integer(&j, "newton", r->newton);
    tni_json_add_integer(&j, "jacobians", r->jacobians);
    tni_json_add_integer(&j, "factorizations", r->factorizations);
    tni_json_add_integer(&j, "accelerations", r->accelerations);
    tni_json_add_number(&j, "cpu", r->cpu);
    tni_json_close(&j);
  }
  tni_json_close(&j);
  if (!tni_json_end(&j)) t.failed = true;
  return finish(c->ctx, &t, out);
}

/* a number of CSV: empty when there is none */
static void add_number(tni_text *t, double value) {
  char number[TNI_NUMBER_MAX];
  tni_format_number(number, value);
  tni_text_add(t, ",%s", isfinite(value) ? number : "");
}

static void add_quoted(tni_text *t, const char *text) {
  tni_text_add(t, ",\"");
  for (; *text; text++) tni_text_add(t, *text == '"' ? "\"\"" : "%c", *text);
  tni_text_add(t, "\"");
}

tn_status tn_comparison_csv(const tn_comparison *c, char **out) {
  tni_text t;
  tni_text_init(&t, c->ctx);
  tni_text_add(&t, "method,representation,tolerance,outcome,error,error/tolerance,position error,velocity error,"
                   "steps,rejected,newton,jacobians,factorizations,accelerations,cpu [s],step [s],"
                   "t end [s],why\n");
  for (int i = 0; i < c->nrow; i++) {
    const tn_compare_row *r = &c->row[i];
    tni_text_add(&t, "%s,%s", r->method, r->representation);
    add_number(&t, r->tolerance);
    tni_text_add(&t, ",%s", outcome_word[r->outcome]);
    const double number[] = {r->error, r->error/r->tolerance, r->position_error, r->velocity_error};
    for (int k = 0; k < TNI_COUNT(number); k++) add_number(&t, number[k]);
    tni_text_add(&t, ",%ld,%ld,%ld,%ld,%ld,%ld", r->steps, r->rejected, r->newton, r->jacobians,
                 r->factorizations, r->accelerations);
    add_number(&t, r->cpu);
    add_number(&t, r->step > 0 ? r->step : NAN);
    add_number(&t, r->t_end);
    add_quoted(&t, r->why);
    tni_text_add(&t, "\n");
  }
  return finish(c->ctx, &t, out);
}

tn_status tn_comparison_steps_csv(const tn_comparison *c, char **out) {
  tni_text t;
  tni_text_init(&t, c->ctx);
  tni_text_add(&t, "method,tolerance,t [s],h [s]\n");
  for (int i = 0; i < c->nrow; i++) {
    const tn_compare_row *r = &c->row[i];
    for (long k = 0; k < r->nhistory; k++) {
      tni_text_add(&t, "%s", r->method);
      add_number(&t, r->tolerance);
      add_number(&t, r->history_t[k]);
      add_number(&t, r->history_h[k]);
      tni_text_add(&t, "\n");
    }
  }
  return finish(c->ctx, &t, out);
}

/* ---- figures ------------------------------------------------------------------------------- */

typedef enum { BY_CPU, BY_ACCELERATIONS, BY_STEPS, BY_TOLERANCE } ordinate;

static double value_of(const tn_compare_row *r, ordinate what) {
  switch (what) {
    case BY_CPU: return r->cpu;
    case BY_ACCELERATIONS: return (double)r->accelerations;
    case BY_STEPS: return (double)r->steps;
    case BY_TOLERANCE: return r->tolerance;
  }
  return NAN;
}

/* rows first..end-1 are of one method */
static int end_of_method(const tn_comparison *c, int first) {
  int end = first;
  while (end < c->nrow && strcmp(c->row[end].method, c->row[first].method) == 0) end++;
  return end;
}

static int count_done(const tn_comparison *c, int first, int end) {
  int n = 0;
  for (int i = first; i < end; i++) n += c->row[i].outcome == TN_COMPARE_DONE;
  return n;
}

/* auto would lie on the line of the method that it chose */
static bool is_drawn(const tn_comparison *c, int first) {
  bool alone = first == 0 && end_of_method(c, 0) == c->nrow;
  return alone || strcmp(c->row[first].method, "auto") != 0;
}

/* one line per method; colours by method, the same in all panels */
static tn_status add_methods(const tn_comparison *c, tn_plot *p, int panel, ordinate what,
                             double *x, double *y) {
  int color = 0;
  for (int first = 0; first < c->nrow; first = end_of_method(c, first)) {
    int end = end_of_method(c, first), n = 0;
    if (count_done(c, first, end) == 0 || !is_drawn(c, first)) continue;
    color++;
    for (int i = first; i < end; i++) {
      const tn_compare_row *r = &c->row[i];
      if (r->outcome != TN_COMPARE_DONE) continue;
      x[n] = what == BY_TOLERANCE ? r->tolerance : r->error;
      y[n++] = what == BY_TOLERANCE ? r->error : value_of(r, what);
    }
    tn_plot_series s = {.name = c->row[first].method, .n = n, .x = x, .y = y, .color = color,
                        .style = TN_PLOT_LINE_POINTS};
    TN_TRY(tn_plot_add_series(p, panel, &s));
  }
  return TN_OK;
}

static tn_status add_panels(const tn_comparison *c, tn_plot *p, double *x, double *y) {
  static const struct {
    ordinate what;
    tn_plot_panel panel;
  } part[] = {
      {BY_CPU, {.title = "Work for an error", .x_label = "error obtained", .y_label = "CPU time",
                .y_unit = "s", .x_log = true, .y_log = true}},
      {BY_ACCELERATIONS, {.title = "Accelerations for an error", .x_label = "error obtained",
                          .y_label = "accelerations", .x_log = true, .y_log = true}},
      {BY_STEPS, {.title = "Steps for an error", .x_label = "error obtained", .y_label = "steps",
                  .x_log = true, .y_log = true}},
      {BY_TOLERANCE, {.title = "Asked and obtained", .x_label = "tolerance",
                      .y_label = "error obtained", .x_log = true, .y_log = true}},
  };
  for (int k = 0; k < TNI_COUNT(part); k++) {
    TN_TRY(tn_plot_add_panel(p, &part[k].panel));
    TN_TRY(add_methods(c, p, k, part[k].what, x, y));
  }
  /* error = tolerance */
  double end[] = {1e-15, 1};
  tn_plot_series guide = {.n = 2, .x = end, .y = end, .style = TN_PLOT_GUIDE};
  return tn_plot_add_series(p, TNI_COUNT(part) - 1, &guide);
}

tn_status tn_comparison_plot(const tn_comparison *c, tn_plot **out) {
  *out = NULL;
  TN_REQUIRE(c->ctx, count_done(c, 0, c->nrow) > 0, TN_ERR_ARGUMENT,
             "nothing to draw: no method reached the end");
  char note[256];
  const tn_compare_reference *r = &c->reference;
  snprintf(note, sizeof(note), "t = %g to %g s, against %s at %.0e (uncertainty %.0e)", c->from,
           c->until, r->method, r->tolerance, r->uncertainty);
  tn_plot_opts o = {.title = c->title, .note = note, .columns = 2, .width = 960,
                    .panel_height = 230, .shared_legend = true};
  tn_plot *p;
  TN_TRY(tn_plot_create(c->ctx, &o, &p));
  double *x = tni_doubles(c->ctx, 2*(size_t)c->nrow);
  tn_status st = x ? add_panels(c, p, x, x + c->nrow) : tni_out_of_memory(c->ctx);
  tni_free(c->ctx, x);
  if (st == TN_OK) *out = p;
  else tn_plot_destroy(&p);
  return st;
}

/* all methods at one tolerance */
static tn_status add_histories(const tn_comparison *c, tn_plot *p, double tolerance, int panel) {
  int color = 0;
  for (int first = 0; first < c->nrow; first = end_of_method(c, first)) {
    int end = end_of_method(c, first);
    bool some = false;
    for (int i = first; i < end; i++) some = some || c->row[i].nhistory > 0;
    if (!some || !is_drawn(c, first)) continue;
    color++;
    for (int i = first; i < end; i++) {
      const tn_compare_row *r = &c->row[i];
      if (r->tolerance != tolerance || r->nhistory == 0) continue;
      tn_plot_series s = {.name = r->method, .n = r->nhistory, .x = r->history_t,
                          .y = r->history_h, .color = color};
      TN_TRY(tn_plot_add_series(p, panel, &s));
    }
  }
  return TN_OK;
}

/* different tolerances of the rows, loose to tight, at most max of them: first, last, between */
static int pick_tolerances(const tn_comparison *c, double *out, int max) {
  double all[64];
  int n = 0;
  for (int i = 0; i < c->nrow && n < TNI_COUNT(all); i++) {
    bool seen = false;
    for (int k = 0; k < n; k++) seen = seen || all[k] == c->row[i].tolerance;
    if (!seen) all[n++] = c->row[i].tolerance;
  }
  int m = n < max ? n : max;
  for (int k = 0; k < m; k++) out[k] = all[m > 1 ? k*(n - 1)/(m - 1) : 0];
  return m;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The first steps of some methods and the last of all are tiny and would squeeze the rest: the axis
 * begins where 3 of 100 steps of a method are left below. */
static tn_status useful_range(const tn_comparison *c, double tolerance, double *lo, double *hi) {
  *lo = HUGE_VAL;
  *hi = 0;
  for (int i = 0; i < c->nrow; i++) {
    const tn_compare_row *r = &c->row[i];
    if (r->tolerance != tolerance || r->nhistory == 0) continue;
    double *h = tni_doubles(c->ctx, (size_t)r->nhistory);
    if (!h) return tni_out_of_memory(c->ctx);
    memcpy(h, r->history_h, (size_t)r->nhistory*sizeof(double));
    qsort(h, (size_t)r->nhistory, sizeof(double), compare_numbers);
    *lo = fmin(*lo, h[3*r->nhistory/100]);
    *hi = fmax(*hi, h[r->nhistory - 1]);
    tni_free(c->ctx, h);
  }
  if (*hi > 0) {
    *lo /= 2;
    *hi *= 1.5;
  } else {
    *lo = 0;
  }
  return TN_OK;
}

tn_status tn_comparison_plot_steps(const tn_comparison *c, tn_plot **out) {
  *out = NULL;
  double tolerance[3];
  int n = pick_tolerances(c, tolerance, TNI_COUNT(tolerance));
  bool some = false;
  for (int i = 0; i < c->nrow; i++) some = some || c->row[i].nhistory > 0;
  TN_REQUIRE(c->ctx, some, TN_ERR_ARGUMENT, "nothing to draw: no method took a step");
  tn_plot_opts o = {.title = c->title, .note = "size of every step", .width = 960, .share_x = true,
                    .shared_legend = true};
  tn_plot *p;
  TN_TRY(tn_plot_create(c->ctx, &o, &p));
  tn_status st = TN_OK;
  for (int k = 0; k < n && st == TN_OK; k++) {
    char title[64], power[TNI_LABEL_MAX];
    double e = log10(tolerance[k]);
    tni_power_of_ten((int)lround(e), power);
    if (fabs(e - round(e)) < 1e-9) snprintf(title, sizeof(title), "tolerance %.30s", power);
    else snprintf(title, sizeof(title), "tolerance %g", tolerance[k]);
    tn_plot_panel panel = {.title = title, .x_label = "time", .x_unit = "s", .x_min = c->from,
                           .x_max = c->until, .y_label = "step",
                           .y_unit = "s", .y_log = true};
    st = useful_range(c, tolerance[k], &panel.y_min, &panel.y_max);
    if (st == TN_OK) st = tn_plot_add_panel(p, &panel);
    if (st == TN_OK) st = add_histories(c, p, tolerance[k], k);
  }
  if (st == TN_OK) *out = p;
  else tn_plot_destroy(&p);
  return st;
}
