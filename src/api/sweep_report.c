/* api/sweep_report.c - a sweep as table, CSV and JSON
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "api/sweep.h"
#include "output/json.h"

static tn_status finish(tn_ctx *ctx, tni_text *t, char **out) {
  *out = NULL;
  if (t->failed || !t->s) {
    tni_text_free(t);
    return tni_out_of_memory(ctx);
  }
  *out = t->s;
  return TN_OK;
}

static void head(const tn_sweep *s, int k, char *out, size_t n) {
  const tni_sweep_column *c = &s->column[k];
  snprintf(out, n, c->unit[0] ? "%s [%s]" : "%s", c->name, c->unit);
}

static void count(const tn_sweep *s, int *sound, int *doubtful, int *failed, int *left) {
  *sound = *doubtful = *failed = *left = 0;
  for (int i = 0; i < s->ncase; i++) {
    const tn_sweep_case *c = &s->run[i].info;
    if (!s->run[i].ctx) (*left)++;
    else if (c->status != TN_OK) (*failed)++;
    else if (!c->sound) (*doubtful)++;
    else (*sound)++;
  }
}

tn_status tn_sweep_text(const tn_sweep *s, int columns, char **out) {
  tni_text t;
  char text[256];
  int shown = s->nparam + (columns > 0 ? columns : 0);
  if (shown > s->ncolumn) shown = s->ncolumn;
  tni_text_init(&t, s->ctx);
  tni_text_add(&t, "%5s", "case");
  for (int k = 0; k < shown; k++) {
    head(s, k, text, sizeof(text));
    tni_text_add(&t, "  %12s", text);
  }
  tni_text_add(&t, "  %8s  %s\n", "steps", "verdict");
  for (int i = 0; i < s->ncase; i++) {
    const tn_sweep_case *c = &s->run[i].info;
    tni_text_add(&t, "%5d", i + 1);
    for (int k = 0; k < shown; k++) {
      head(s, k, text, sizeof(text));
      int width = (int)strlen(text) > 12 ? (int)strlen(text) : 12;
      char cell[32] = "-";
      if (!isnan(s->value[i][k])) snprintf(cell, sizeof(cell), "%.6g", s->value[i][k]);
      tni_text_add(&t, "  %*s", width, cell);
    }
    tni_text_add(&t, "  %8ld  %s%s", c->steps, c->status == TN_OK ? "" : c->outcome, c->status == TN_OK ? "" : c->why[0] ? ": " : "");
    tni_text_add(&t, "%s", c->why);
    if (c->warnings) tni_text_add(&t, " (%d warning%s: %s)", c->warnings, c->warnings > 1 ? "s, the first" : "", c->warning);
    tni_text_add(&t, "\n");
  }
  int sound, doubtful, failed, left;
  count(s, &sound, &doubtful, &failed, &left);
  tni_text_add(&t, "\ncases      %d: %d sound, %d doubtful, %d failed", s->ncase, sound, doubtful, failed);
  if (left) tni_text_add(&t, ", %d not begun", left);
  tni_text_add(&t, "\n");
  if (shown < s->ncolumn) tni_text_add(&t, "columns    %d more in CSV and JSON\n", s->ncolumn - shown);
  return finish(s->ctx, &t, out);
}

/* text of CSV in quotes */
static void add_quoted(tni_text *t, const char *text) {
  tni_text_add(t, "\"");
  for (; *text; text++) tni_text_add(t, *text == '"' ? "\"\"" : "%c", *text);
  tni_text_add(t, "\"");
}

tn_status tn_sweep_csv(const tn_sweep *s, char **out) {
  tni_text t;
  char text[600];
  tni_text_init(&t, s->ctx);
  for (int k = 0; k < s->ncolumn; k++) {
    head(s, k, text, sizeof(text));
    add_quoted(&t, text);
    tni_text_add(&t, ",");
  }
  tni_text_add(&t, "outcome,sound,steps,cpu [s],warnings,why\n");
  for (int i = 0; i < s->ncase; i++) {
    const tn_sweep_case *c = &s->run[i].info;
    for (int k = 0; k < s->ncolumn; k++) {
      char number[TNI_NUMBER_MAX] = "";
      if (isfinite(s->value[i][k])) tni_format_number(number, s->value[i][k]);
      tni_text_add(&t, "%s,", number);
    }
    tni_text_add(&t, "%s,%d,%ld,%.4g,%d,", c->outcome, c->sound, c->steps, c->cpu, c->warnings);
    add_quoted(&t, c->why);
    tni_text_add(&t, "\n");
  }
  return finish(s->ctx, &t, out);
}

tn_status tn_sweep_json(const tn_sweep *s, char **out) {
  tni_text t;
  tni_json j;
  tni_text_init(&t, s->ctx);
  tni_json_begin(&j, &t, true);
  int sound, doubtful, failed, left;
  count(s, &sound, &doubtful, &failed, &left);
  tni_json_add_integer(&j, "cases", s->ncase);
  tni_json_add_integer(&j, "sound", sound);
  tni_json_add_integer(&j, "doubtful", doubtful);
  tni_json_add_integer(&j, "failed", failed);
  tni_json_add_integer(&j, "not_begun", left);
  tni_json_add_integer(&j, "parameters", s->nparam);
  tni_json_open_array(&j, "columns");
  for (int k = 0; k < s->ncolumn; k++) {
    tni_json_open_object(&j, NULL);
    tni_json_add_text(&j, "name", s->column[k].name);
    tni_json_add_text(&j, "unit", s->column[k].unit);
    tni_json_close(&j);
  }
  tni_json_close(&j);
  tni_json_open_array(&j, "rows");
  for (int i = 0; i < s->ncase; i++) {
    const tn_sweep_case *c = &s->run[i].info;
    tni_json_open_object(&j, NULL);
    tni_json_open_array(&j, "values");
    for (int k = 0; k < s->ncolumn; k++) tni_json_add_number(&j, NULL, s->value[i][k]);
    tni_json_close(&j);
    tni_json_add_text(&j, "outcome", c->outcome);
    tni_json_add_flag(&j, "sound", c->sound);
    tni_json_add_text(&j, "why", c->why);
    tni_json_add_integer(&j, "warnings", c->warnings);
    tni_json_add_text(&j, "warning", c->warning);
    tni_json_add_integer(&j, "steps", c->steps);
    tni_json_add_number(&j, "cpu", c->cpu);
    tni_json_close(&j);
  }
  tni_json_close(&j);
  if (!tni_json_end(&j)) t.failed = true;
  return finish(s->ctx, &t, out);
}
