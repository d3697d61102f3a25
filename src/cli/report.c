/* cli/report.c - tenon report: one HTML page about a run, to be attached to a memo
 *
 * The page needs nothing beside itself: style and figures are inside, no addresses and, unless the
 * 3-D view is asked for, no scripts. It follows the reader's preference for light or dark and prints
 * well. Figures come from tenon/plot.h, the view from tenon/scene.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { PLOTS_MAX = 24, SIGNALS_MAX = 64, TEXT_MAX = 256, SETS_MAX = 64, AUTO_PANELS = 6,
       FEW_STEPS = 150, EVENTS_SHOWN = 40 };

typedef struct {
  cli *c;
  const char *path, *html, *plot[PLOTS_MAX];
  int nplot;
  bool view, pictures; /* with the 3-D view, with pictures of it */
  tn_results *r;
  long n;
  double *t;       /* [n] */
  FILE *f;
  tn_spec *spec;   /* of the model text in the results; NULL: cannot be read again */
  tn_model *model;
  char why_no_model[1024];
} page;

/* ---- writing ------------------------------------------------------------------------------- */

static void put(page *p, const char *fmt, ...) TN_PRINTF(2, 3);
static void put(page *p, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vfprintf(p->f, fmt, ap);
  va_end(ap);
}

static void put_escaped(page *p, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '<': fputs("&lt;", p->f); break;
      case '>': fputs("&gt;", p->f); break;
      case '&': fputs("&amp;", p->f); break;
      case '"': fputs("&quot;", p->f); break;
      default: fputc(*text, p->f);
    }
  }
}

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1f2933;--muted:#5a6672;--line:#e1e5ea;"
    "--soft:#f5f7f9;--good:#00794f;--bad:#b3401a}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#16191d;--ink:#e6e9ec;--muted:#a3acb5;"
    "--line:#2f353c;--soft:#1e2227;--good:#2cc79b;--bad:#f2853b}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:2rem 1.5rem 4rem;max-width:60rem;"
    "background:var(--paper);color:var(--ink);font:15px/1.55 Inter,\"Helvetica Neue\",Arial,"
    "\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:2.4rem 0 .7rem;"
    "padding-bottom:.3rem;border-bottom:1px solid var(--line)}p{margin:.4rem 0}"
    ".muted{color:var(--muted)}\n"
    ".badge{display:inline-block;padding:.05rem .6rem;border-radius:1rem;font-size:.85rem;"
    "font-weight:600;border:1px solid currentColor}.good{color:var(--good)}.bad{color:var(--bad)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.4rem,1fr));gap:.7rem;"
    "margin-top:1.2rem}.card{background:var(--soft);border-radius:.5rem;padding:.6rem .9rem}"
    ".card b{display:block;font-size:1.25rem;font-weight:600}.card span{color:var(--muted);"
    "font-size:.85rem}\n"
    "pre{background:var(--soft);border-radius:.5rem;padding:.8rem 1rem;overflow-x:auto;"
    "font:12.5px/1.5 \"DejaVu Sans Mono\",Consolas,monospace}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;padding:.28rem .8rem .28rem 0;border-bottom:1px solid var(--line);"
    "vertical-align:top}td:last-child{font-variant-numeric:tabular-nums}"
    "th{font-weight:500;color:var(--muted);width:14rem}.events th{width:auto}"
    ".events td{font-variant-numeric:tabular-nums}\n"
    "figure{margin:1rem 0}figure svg{display:block;width:100%;height:auto}"
    ".pictures{display:flex;flex-wrap:wrap;gap:.6rem}.pictures img{flex:1 1 17rem;min-width:0;"
    "border-radius:.5rem}.pictures figcaption{flex-basis:100%}"
    "summary{cursor:pointer;color:var(--muted)}"
    "iframe{width:100%;height:34rem;border:1px solid var(--line);border-radius:.5rem}\n"
    "@media print{body{max-width:none;padding:0}iframe{display:none}h2{break-after:avoid}figure{break-inside:avoid}}\n";

static void put_heading(page *p, const char *title) { put(p, "<h2>%s</h2>\n", title); }

/* the figure, which is destroyed; a failure leaves a line in its place */
static void put_plot(page *p, tn_plot *plot) {
  char *svg;
  tn_status st = tn_plot_svg(plot, &svg);
  tn_plot_destroy(&plot);
  if (st != TN_OK) {
    put(p, "<p class=\"bad\">no figure: ");
    put_escaped(p, tn_ctx_message(p->c->ctx));
    put(p, "</p>\n");
    return;
  }
  put(p, "<figure>%s</figure>\n", svg);
  tn_text_free(p->c->ctx, &svg);
}

/* ---- the flat JSON of summaries and settings ----------------------------------------------- */

/* where the value of a key at the top begins; NULL: no such key */
static const char *json_value(const char *json, const char *key) {
  size_t n = strlen(key);
  bool inside = false; /* of a text */
  int depth = 0;
  for (const char *c = json; *c; c++) {
    if (!inside && *c == '"' && depth == 1 && strncmp(c + 1, key, n) == 0 && c[n+1] == '"') {
      const char *v = c + n + 2;
      while (*v == ' ') v++;
      if (*v == ':') return v + 1 + strspn(v + 1, " ");
    }
    if (inside && *c == '\\' && c[1]) c++;
    else if (*c == '"') inside = !inside;
    else if (!inside && (*c == '{' || *c == '[')) depth++;
    else if (!inside && (*c == '}' || *c == ']')) depth--;
  }
  return NULL;
}

/* a text at v, with its escapes undone as far as ours go; returns what follows it */
static const char *json_string(const char *v, char *out, size_t n) {
  size_t at = 0;
  out[0] = 0;
  if (!v || *v != '"') return v;
  for (v++; *v && *v != '"'; v++) {
    if (*v == '\\' && v[1]) {
      v++;
      if (at + 1 < n) out[at++] = *v == 'n' ? '\n' : *v == 't' ? '\t' : *v;
    } else if (at + 1 < n) {
      out[at++] = *v;
    }
  }
  out[at] = 0;
  return *v ? v + 1 : v;
}

static double json_number(const char *json, const char *key) {
  const char *v = json_value(json, key);
  char *end;
  double x = v ? strtod(v, &end) : NAN;
  return v && end != v ? x : NAN;
}

/* ---- the model, from the text in the results ------------------------------------------------ */

static void load_model(page *p) {
  char text[SETS_MAX][TEXT_MAX];
  const char *set[SETS_MAX], *v = json_value(tn_results_settings(p->r), "set");
  int n = 0;
  if (v && *v == '[')
    for (v++; n < SETS_MAX; n++) {
      v += strspn(v, " ,");
      if (*v != '"') break;
      v = json_string(v, text[n], TEXT_MAX);
      set[n] = text[n];
    }
  const char *name = tn_results_model_name(p->r);
  tn_status st = tn_spec_read_text(p->c->ctx, name[0] ? name : "model", tn_results_model_text(p->r),
                                   set, n, &p->spec);
  if (st == TN_OK) st = tn_model_compile(p->c->ctx, p->spec, &p->model);
  if (st != TN_OK)
    snprintf(p->why_no_model, sizeof(p->why_no_model), "%s", tn_ctx_message(p->c->ctx));
}

/* ---- pieces of the page -------------------------------------------------------------------- */

static void put_card(page *p, const char *what, const char *fmt, ...) TN_PRINTF(3, 4);
static void put_card(page *p, const char *what, const char *fmt, ...) {
  char value[TEXT_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(value, sizeof(value), fmt, ap);
  va_end(ap);
  put(p, "<div class=\"card\"><b>");
  put_escaped(p, value);
  put(p, "</b><span>%s</span></div>\n", what);
}

static void put_head(page *p) {
  const char *title = tn_results_title(p->r), *outcome = tn_results_outcome(p->r);
  const char *sum = tn_results_summary(p->r);
  const char *verdict = tn_results_verdict(p->r);
  bool good = strcmp(outcome, "complete") == 0, sound = strcmp(verdict, "sound") == 0;
  put(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  put_escaped(p, title[0] ? title : "Tenon run");
  put(p, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<header>\n<h1>", style, tn_plot_css());
  put_escaped(p, title[0] ? title : "(no title)");
  put(p, "</h1>\n<p class=\"muted\"><span class=\"badge %s\">", good ? "good" : "bad");
  put_escaped(p, outcome);
  put(p, "</span> &nbsp;");
  if (verdict[0]) put(p, "<span class=\"badge %s\">%s</span> &nbsp;", sound ? "good" : "bad",
                      sound ? "sound" : "doubtful");
  const char *name = tn_results_model_name(p->r), *slash = strrchr(name, '/');
  put_escaped(p, slash ? slash + 1 : name);
  put(p, " · ");
  put_escaped(p, tn_results_created(p->r));
  put(p, "</p>\n");
  if (verdict[0] && !sound) {
    put(p, "<p class=\"bad\">");
    put_escaped(p, verdict);
    put(p, "</p>\n");
  }
  put(p, "</header>\n<div class=\"cards\">\n");
  if (p->n > 0) put_card(p, "simulated time", "%g to %g s", p->t[0], p->t[p->n-1]);
  if (sum[0]) {
    double scale = json_number(sum, "energy_scale"), off = json_number(sum, "energy_error");
    put_card(p, "steps, rejected", "%.0f, %.0f", json_number(sum, "steps"),
             json_number(sum, "rejected"));
    put_card(p, "worst position constraint", "%.1e", json_number(sum, "position_error"));
    put_card(p, scale > 0 ? "energy balance, relative" : "energy balance", "%.1e%s",
             scale > 0 ? off/scale : off, scale > 0 ? "" : " J");
    put_card(p, "processor time", "%.3g s", json_number(sum, "cpu"));
  }
  put(p, "</div>\n");
}

static void put_row(page *p, const char *name, const char *value) {
  put(p, "<tr><th>%s</th><td>", name);
  put_escaped(p, value);
  put(p, "</td></tr>\n");
}

static void put_counters(page *p) {
  static const struct {
    const char *key, *name, *unit;
    bool whole;
  } item[] = {
      {"tolerance", "tolerance", "", false}, {"run_error", "error of the whole run, measured", "", false},
      {"steps", "accepted steps", "", true},
      {"rejected", "rejected attempts", "", true}, {"h_min", "smallest step", "s", false},
      {"h_max", "largest step", "s", false}, {"events", "events", "", true}, {"switches", "switches", "", true},
      {"evaluations", "accelerations", "", true}, {"newton", "Newton iterations", "", true},
      {"jacobians", "Jacobians", "", true}, {"factorizations", "factorizations", "", true},
      {"projections", "projections", "", true}, {"rank_changes", "rank analyses", "", true},
      {"position_error", "worst position residual", "", false},
      {"velocity_error", "worst velocity residual", "", false},
      {"acceleration_error", "worst acceleration residual", "", false},
      {"energy_begin", "energy at the start", "J", false},
      {"energy_end", "energy at the end", "J", false}, {"dissipated", "dissipated", "J", false},
      {"input", "put in", "J", false}, {"energy_error", "energy balance off by", "J", false},
      {"redundant", "redundant equations", "", true}, {"wall", "wall clock", "s", false},
      {"cpu", "processor time", "s", false},
  };
  const char *sum = tn_results_summary(p->r);
  char text[TEXT_MAX];
  put_heading(p, "Solver");
  put(p, "<table>\n");
  json_string(json_value(tn_results_settings(p->r), "method"), text, sizeof(text));
  put_row(p, "method", text);
  json_string(json_value(tn_results_settings(p->r), "system"), text, sizeof(text));
  put_row(p, "system", text);
  for (size_t i = 0; i < sizeof(item)/sizeof(item[0]) && sum[0]; i++) {
    double x = json_number(sum, item[i].key);
    if (isnan(x)) continue;
    snprintf(text, sizeof(text), item[i].whole ? "%.0f%s%s" : "%.4g%s%s", x,
             item[i].unit[0] ? " " : "", item[i].unit);
    put_row(p, item[i].name, text);
  }
  json_string(json_value(sum, "worst_constraint"), text, sizeof(text));
  if (text[0]) put_row(p, "worst constraint", text);
  put(p, "</table>\n");
  if (!sum[0]) put(p, "<p class=\"muted\">The run has not ended: no summary yet.</p>\n");
}

static void put_check(page *p) {
  tn_report *report = NULL;
  put_heading(p, "The model");
  if (p->model && tn_check(p->c->ctx, p->model, &report) == TN_OK) {
    put(p, "<p class=\"muted\">What <code>tenon check</code> says:</p>\n<pre>");
    put_escaped(p, tn_report_text(report));
    put(p, "</pre>\n");
  } else {
    put(p, "<p class=\"bad\">not checked: ");
    put_escaped(p, p->why_no_model[0] ? p->why_no_model : tn_ctx_message(p->c->ctx));
    put(p, "</p>\n");
  }
  tn_report_destroy(&report);
  put(p, "<details><summary>model file</summary><pre>");
  put_escaped(p, tn_results_model_text(p->r));
  put(p, "</pre></details>\n");
}

/* ---- signals ------------------------------------------------------------------------------- */

/* Signals of one name, one panel per unit. Returns the number of panels after it, -1: failed. */
static int add_signals(page *p, tn_plot *plot, const char *pattern, int npanel) {
  tn_signal g[SIGNALS_MAX];
  char unit_of[SIGNALS_MAX][TEXT_MAX];
  int n, first = npanel;
  if (tn_results_select(p->r, pattern, g, SIGNALS_MAX, &n) != TN_OK) return -1;
  for (int i = 0; i < n; i++) {
    char unit[TEXT_MAX], title[TEXT_MAX], label[TEXT_MAX], quantity[TEXT_MAX];
    tn_results_component_unit(p->r, g[i].channel, g[i].component, unit, sizeof(unit));
    int k = first;
    while (k < npanel && strcmp(unit_of[k - first], unit) != 0) k++;
    if (k == npanel) {
      cli_signal_name(p->r, g[i], n == 1, title, sizeof(title));
      cli_signal_quantity(p->r, g[i], quantity, sizeof(quantity));
      tn_plot_panel panel = {.title = title, .x_label = "time", .x_unit = "s", .y_label = quantity,
                             .y_unit = unit};
      if (tn_plot_add_panel(plot, &panel) != TN_OK) return -1;
      snprintf(unit_of[npanel++ - first], TEXT_MAX, "%s", unit);
    }
    const char *part = tn_results_component_name(p->r, g[i].channel, g[i].component);
    if (part && part[0] && g[0].channel == g[n-1].channel) snprintf(label, sizeof(label), "%s", part);
    else cli_signal_name(p->r, g[i], true, label, sizeof(label));
    double *y = cli_signal_read(p->r, g[i]);
    tn_plot_series s = {.name = n > 1 ? label : NULL, .n = p->n, .x = p->t, .y = y};
    tn_status st = y ? tn_plot_add_series(plot, k, &s) : TN_ERR_MEMORY;
    free(y);
    if (st != TN_OK) return -1;
  }
  return npanel;
}

/* names to draw: asked for, else what the model records, else where the bodies go */
static int choose_signals(page *p, char (*name)[TEXT_MAX]) {
  int n = 0;
  for (; n < p->nplot; n++) snprintf(name[n], TEXT_MAX, "%s", p->plot[n]);
  for (int pass = 0; pass < 2 && n == 0; pass++)
    for (int i = 0; i < tn_results_nchannel(p->r) && n < AUTO_PANELS; i++) {
      const char *full = tn_results_channel_name(p->r, i), *end = strrchr(full, '/');
      /* energies have a figure of their own */
      bool wanted = pass == 0 ? strncmp(full, "sensors/", 8) == 0 && strcmp(full, "sensors/energy") != 0
                              : strncmp(full, "bodies/", 7) == 0 && strcmp(end, "/position") == 0;
      if (wanted) snprintf(name[n++], TEXT_MAX, "%s", full);
    }
  return n;
}

static int put_signals(page *p) {
  char name[PLOTS_MAX][TEXT_MAX];
  int n = choose_signals(p, name), npanel = 0;
  if (n == 0 || p->n == 0) return 0;
  tn_plot_opts o = {.share_x = true, .embedded = true, .panel_height = 190};
  tn_plot *plot;
  tn_status st = tn_plot_create(p->c->ctx, &o, &plot);
  if (st != TN_OK) return cli_fail(p->c, st);
  for (int i = 0; i < n && npanel >= 0; i++) npanel = add_signals(p, plot, name[i], npanel);
  if (npanel < 0) {
    tn_plot_destroy(&plot);
    return cli_fail(p->c, TN_ERR_ARGUMENT);
  }
  st = cli_mark_events(p->r, plot, npanel);
  if (st != TN_OK) {
    tn_plot_destroy(&plot);
    return cli_fail(p->c, st);
  }
  put_heading(p, "Signals");
  put_plot(p, plot);
  return 0;
}

/* ---- events -------------------------------------------------------------------------------- */

static void put_cell(page *p, double value) {
  if (isnan(value)) put(p, "<td></td>");
  else put(p, "<td>%.4g</td>", value);
}

/* the first ones; all are in the file */
static void put_events(page *p) {
  long n = tn_results_nevent(p->r), shown = n < EVENTS_SHOWN ? n : EVENTS_SHOWN;
  double left_out = json_number(tn_results_summary(p->r), "switches_left_out");
  tn_event event[EVENTS_SHOWN];
  if (n == 0 || tn_results_read_events(p->r, 0, shown, event) != TN_OK) return;
  put_heading(p, "Events");
  put(p, "<p class=\"muted\">%ld event%s", n, n == 1 ? "" : "s");
  if (shown < n) put(p, ", the first %ld here; all: tenon export --events", shown);
  if (left_out > 0) put(p, "; %.0f more were not stored", left_out);
  put(p, ". Speeds of approach and along the surface in m/s (rad/s), before and after; impulses of touches "
         "that end and of latches in N s (N m s).</p>\n<table class=\"events\">\n"
         "<tr><th>t [s]</th><th>element</th><th>what</th><th>impulse</th><th>approach</th><th>after</th>"
         "<th>along</th><th>after</th></tr>\n");
  for (long i = 0; i < shown; i++) {
    const tn_event *e = &event[i];
    put(p, "<tr><td>%.6g</td><td>", e->t);
    put_escaped(p, e->element);
    put(p, "</td><td>");
    put_escaped(p, e->kind);
    put(p, "</td>");
    put_cell(p, e->impulse);
    for (int k = 0; k < 2; k++) put_cell(p, e->normal[k]);
    for (int k = 0; k < 2; k++) put_cell(p, e->tangential[k]);
    put(p, "</tr>\n");
  }
  put(p, "</table>\n");
}

/* ---- meshes of structures -------------------------------------------------------------------- */

typedef struct {
  double value, t;
  long node;
} extreme;

/* component c of a node, after the last one the magnitude */
static double component_of(const double *x, int n, int c) {
  double sum = 0;
  for (int k = 0; k < n && c == n; k++) sum += x[k]*x[k];
  return c == n ? sqrt(sum) : x[c];
}

static void put_extremes(page *p, int f, int c, const extreme *e, const int64_t *number, const double *x) {
  const char *part = c < tn_results_field_size(p->r, f) ? tn_results_field_component(p->r, f, c) : NULL;
  put(p, "<tr><td>");
  put_escaped(p, tn_results_field_mesh(p->r, f));
  put(p, "</td><td>");
  put_escaped(p, tn_results_field_name(p->r, f));
  if (part) put(p, ".");
  if (part) put_escaped(p, part);
  put(p, "</td><td>");
  put_escaped(p, tn_results_field_unit(p->r, f));
  put(p, "</td>");
  for (int k = 0; k < 2; k++) {
    const double *at = x + 3*e[k].node;
    put(p, "<td>%.5g</td><td>node %lld (%.4g, %.4g, %.4g)", e[k].value, (long long)number[e[k].node], at[0], at[1], at[2]);
    if (p->n > 1) put(p, " at %.5g", e[k].t);
    put(p, "</td>");
  }
  put(p, "</tr>\n");
}

/* least and largest of every number over all nodes and stored times; of vectors the magnitude. False: cannot be read */
static bool find_extremes(page *p, int f, double *row, extreme (*e)[2]) {
  int n = tn_results_field_size(p->r, f), nodes = tn_results_field_count(p->r, f);
  for (int c = 0; c <= n; c++) e[c][0] = (extreme){HUGE_VAL, 0, 0}, e[c][1] = (extreme){-HUGE_VAL, 0, 0};
  for (long i = 0; i < p->n; i++) {
    if (tn_results_read_field(p->r, f, i, 1, row) != TN_OK) return false;
    for (long k = 0; k < nodes; k++)
      for (int c = 0; c <= n; c++) {
        double v = component_of(row + (size_t)k*(size_t)n, n, c);
        if (v < e[c][0].value) e[c][0] = (extreme){v, p->t[i], k};
        if (v > e[c][1].value) e[c][1] = (extreme){v, p->t[i], k};
      }
  }
  return e[0][0].value <= e[0][1].value;
}

static void put_field(page *p, int f) {
  enum { MOST = 16 };
  int n = tn_results_field_size(p->r, f), nodes = tn_results_field_count(p->r, f);
  const char *first = tn_results_field_component(p->r, f, 0);
  bool vector = n == 3 && first && strcmp(first, "x") == 0;
  extreme e[MOST + 1][2];
  if (n > MOST || nodes < 1) return;
  double *row = malloc((size_t)n*(size_t)nodes*sizeof(*row)), *x = malloc(3*(size_t)nodes*sizeof(*x));
  int64_t *number = malloc((size_t)nodes*sizeof(*number));
  if (row && x && number && tn_results_read_nodes(p->r, f, x) == TN_OK &&
      tn_results_read_numbers(p->r, f, number) == TN_OK && find_extremes(p, f, row, e) && e[n][1].value > 0)
    for (int c = vector ? n : 0; c < (vector ? n + 1 : n); c++) put_extremes(p, f, c, e[c], number, x);
  free(row);
  free(x);
  free(number);
}

/* Where quantities of structures are least and largest; shapes of modes have a size of no meaning. */
static void put_meshes(page *p) {
  bool any = false;
  if (p->n == 0 || tn_results_find(p->r, "animation/animation") >= 0) return;
  for (int f = 0; f < tn_results_nfield(p->r); f++) {
    if (tn_results_field_on_cells(p->r, f)) continue;
    const char *mesh = tn_results_field_mesh(p->r, f);
    /* beams have poses of nodes, and plots of their own */
    if (tn_results_find_field(p->r, mesh, "orientation") >= 0) continue;
    if (!any) {
      put_heading(p, "Meshes");
      put(p, "<p class=\"muted\">Least and largest numbers at nodes%s; nodes by their numbers in the mesh, with their places at "
             "rest in m. Of vectors the magnitude.</p>\n<table class=\"events\">\n<tr><th>mesh</th><th>quantity</th><th>unit</th>"
             "<th>least</th><th>where</th><th>largest</th><th>where</th></tr>\n", p->n > 1 ? " over all stored times" : "");
      any = true;
    }
    put_field(p, f);
  }
  if (any) put(p, "</table>\n");
}

/* ---- energy, constraints, steps ------------------------------------------------------------ */

/* all components of a channel in one panel, those listed in `names` */
static bool add_channel(page *p, tn_plot *plot, int panel, const char *channel,
                        const char *const *names, int nname) {
  int k = tn_results_find(p->r, channel);
  for (int i = 0; k >= 0 && i < tn_results_channel_size(p->r, k); i++) {
    const char *name = tn_results_component_name(p->r, k, i);
    bool wanted = false;
    for (int m = 0; m < nname; m++) wanted = wanted || strcmp(name, names[m]) == 0;
    double *y = wanted ? cli_signal_read(p->r, (tn_signal){k, i}) : NULL;
    tn_plot_series s = {.name = nname > 1 ? name : NULL, .n = p->n, .x = p->t, .y = y};
    tn_status st = y ? tn_plot_add_series(plot, panel, &s) : TN_OK;
    free(y);
    if (st != TN_OK) return false;
  }
  return k >= 0;
}

static void put_energy(page *p) {
  static const char *const part[] = {"kinetic", "potential", "dissipated", "input"};
  static const char *const error[] = {"error"};
  tn_plot_opts o = {.share_x = true, .embedded = true, .panel_height = 190};
  tn_plot_panel a = {.title = "energy", .x_label = "time", .x_unit = "s", .y_label = "energy",
                     .y_unit = "J"};
  tn_plot_panel b = {.title = "balance: kinetic + potential + dissipated - input, since the start",
                     .x_label = "time", .x_unit = "s", .y_label = "off by", .y_unit = "J"};
  tn_plot *plot;
  if (p->n < 2 || tn_results_find(p->r, "energy/energy") < 0) return; /* one instant is no curve */
  put_heading(p, "Energy balance");
  if (tn_plot_create(p->c->ctx, &o, &plot) != TN_OK) return;
  if (tn_plot_add_panel(plot, &a) == TN_OK && tn_plot_add_panel(plot, &b) == TN_OK &&
      add_channel(p, plot, 0, "energy/energy", part, 4) &&
      add_channel(p, plot, 1, "energy/energy", error, 1))
    put_plot(p, plot);
  else tn_plot_destroy(&plot);
}

static void put_constraints(page *p) {
  static const char *const level[] = {"position", "velocity", "acceleration"};
  tn_plot_opts o = {.embedded = true, .panel_height = 200};
  tn_plot_panel a = {.x_label = "time", .x_unit = "s", .y_label = "largest residual", .y_log = true};
  tn_plot *plot;
  if (p->n == 0 || tn_results_find(p->r, "residuals/constraint") < 0) return;
  put_heading(p, "Constraint violation");
  put(p, "<p class=\"muted\">Largest residual at each level; what is exactly zero is not drawn.</p>\n");
  if (tn_plot_create(p->c->ctx, &o, &plot) != TN_OK) return;
  if (tn_plot_add_panel(plot, &a) == TN_OK &&
      add_channel(p, plot, 0, "residuals/constraint", level, 3))
    put_plot(p, plot);
  else tn_plot_destroy(&plot);
}

static void put_steps(page *p) {
  long n = tn_results_nstep(p->r);
  if (n == 0) return;
  double *t = malloc(2*(size_t)n*sizeof(double));
  tn_plot_opts o = {.embedded = true, .panel_height = 200};
  tn_plot_panel a = {.x_label = "time", .x_unit = "s", .y_label = "step", .y_unit = "s",
                     .y_log = true};
  tn_plot *plot = NULL;
  put_heading(p, "Step sizes");
  bool ok = t && tn_results_read_steps(p->r, t, t + n) == TN_OK &&
            tn_plot_create(p->c->ctx, &o, &plot) == TN_OK && tn_plot_add_panel(plot, &a) == TN_OK;
  tn_plot_series s = {.n = n, .x = t, .y = t ? t + n : NULL,
                      .style = n <= FEW_STEPS ? TN_PLOT_LINE_POINTS : TN_PLOT_LINE};
  if (ok && tn_plot_add_series(plot, 0, &s) == TN_OK) put_plot(p, plot);
  else tn_plot_destroy(&plot);
  free(t);
}

/* ---- picture of the mechanism -------------------------------------------------------------- */

enum { INSTANTS = 5, GHOSTS = 24, PIECE = 3, LINES_MAX = 20000 };
/* parts of the run at which it is shown; uneven, or a periodic motion would be shown in one place */
static const double instant[INSTANTS] = {0, 0.22, 0.45, 0.71, 1};

/* bytes of a page inside of an attribute of another */
static tn_status put_quoted(void *user, const char *bytes, size_t n) {
  page *p = user;
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] == '&') fputs("&amp;", p->f);
    else if (bytes[i] == '"') fputs("&quot;", p->f);
    else fputc(bytes[i], p->f);
  }
  return ferror(p->f) ? TN_ERR_IO : TN_OK;
}

/* the animated view as a page of its own in a frame */
static void put_view(page *p) {
  tn_scene *scene;
  tn_status st = tn_scene_open(p->c->ctx, p->path, NULL, &scene);
  put_heading(p, "View");
  if (st == TN_OK) {
    put(p, "<iframe title=\"animation of the run\" srcdoc=\"");
    st = tn_scene_write_page(scene, put_quoted, p);
    put(p, "\"></iframe>\n");
    tn_scene_close(&scene);
  }
  if (st != TN_OK) {
    put(p, "<p class=\"bad\">no view: ");
    put_escaped(p, tn_ctx_message(p->c->ctx));
    put(p, "</p>\n");
  }
}

/* a picture as text inside of the page */
static void put_base64(void *user, FILE *png) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  page *p = user;
  unsigned char b[3];
  size_t n;
  put(p, "<img alt=\"the model\" src=\"data:image/png;base64,");
  while ((n = fread(b, 1, 3, png)) > 0) {
    unsigned x = (unsigned)b[0] << 16 | (n > 1 ? (unsigned)b[1] << 8 : 0) | (n > 2 ? b[2] : 0);
    put(p, "%c%c%c%c", digit[x >> 18], digit[x >> 12 & 63], n > 1 ? digit[x >> 6 & 63] : '=',
        n > 2 ? digit[x & 63] : '=');
  }
  put(p, "\">\n");
}

/* the model in three dimensions at the beginning, in the middle and at the end */
static int put_pictures(page *p) {
  enum { PICTURES = 3 };
  double t[PICTURES];
  int n = p->n < PICTURES ? 1 : PICTURES;
  tn_scene *scene;
  tn_status st = p->n > 0 ? tn_scene_open(p->c->ctx, p->path, NULL, &scene) : TN_ERR_INPUT;
  if (st != TN_OK) return p->n > 0 ? cli_fail(p->c, st) : 0;
  for (int k = 0; k < n; k++) t[k] = p->t[k*(p->n - 1)/(PICTURES - 1)];
  put_heading(p, "Pictures");
  put(p, "<figure class=\"pictures\">\n");
  int code = cli_scene_pictures(p->c, scene, p->path, t, n, put_base64, p);
  put(p, "<figcaption class=\"muted\">");
  for (int k = 0; k < n; k++) put(p, "%s%.4g s", k ? ", " : "at ", t[k]);
  put(p, "</figcaption>\n</figure>\n");
  tn_scene_close(&scene);
  return code;
}

/* Lines of a mechanism on paper, pieces separated by NaN. */
typedef struct {
  double *x, *y;
  long n, cap;
} drawing;

typedef struct {
  int nbody;
  double **position, **euler; /* [nbody] of the stored poses */
  double e1[3], e2[3];        /* right and up on paper       */
  int nghost;                 /* times between the instants  */
  int *held;                  /* [nbody] joints of a body, and the point of the last one */
  double (*last)[3];
} view;

static void draw_point(const view *v, drawing *d, const double g[3]) {
  if (d->n == d->cap) return;
  d->x[d->n] = v->e1[0]*g[0] + v->e1[1]*g[1] + v->e1[2]*g[2];
  d->y[d->n++] = v->e2[0]*g[0] + v->e2[1]*g[1] + v->e2[2]*g[2];
}

static void draw_segment(const view *v, drawing *d, const double a[3], const double b[3]) {
  if (d->n + PIECE > d->cap) return;
  draw_point(v, d, a);
  draw_point(v, d, b);
  d->x[d->n] = d->y[d->n] = NAN;
  d->n++;
}

/* a point of a body in the ground at stored time i */
static void place(const view *v, int body, long i, const double p[3], double g[3]) {
  if (body < 0) {
    memcpy(g, p, 3*sizeof(double));
    return;
  }
  const double *r = v->position[body] + 3*i, *e = v->euler[body] + 4*i;
  double u[3] = {e[2]*p[2] - e[3]*p[1], e[3]*p[0] - e[1]*p[2], e[1]*p[1] - e[2]*p[0]};
  /* p + 2 e0 (e x p) + 2 e x (e x p) */
  double w[3] = {e[2]*u[2] - e[3]*u[1], e[3]*u[0] - e[1]*u[2], e[1]*u[1] - e[2]*u[0]};
  for (int k = 0; k < 3; k++) g[k] = r[k] + p[k] + 2*e[0]*u[k] + 2*w[k];
}

/* from node to node; the nodes themselves need no line of their own */
static void draw_beams(const page *p, const view *v, long i, drawing *d) {
  const tn_model *m = p->model;
  for (int b = 0; b < tn_model_nbeam(m); b++) {
    double q[3], last[3], now[3];
    for (int k = 0, body; tn_model_beam_node(m, b, k, &body, q); k++) {
      place(v, body, i, q, now);
      if (k > 0) draw_segment(v, d, last, now);
      memcpy(last, now, sizeof(now));
      if (body >= 0) v->held[body] = 2;
    }
  }
}

/* Bodies as lines from their centre of mass to the points where joints hold them; a body held at one
 * point goes as far again beyond the centre; joints with two places (rods) as a line; beams. */
static void draw_instant(const page *p, const view *v, long i, drawing *d) {
  const tn_model *m = p->model;
  d->n = 0;
  memset(v->held, 0, (size_t)v->nbody*sizeof(*v->held));
  for (int k = 0; k < tn_model_njoint(m); k++) {
    int body[2];
    double q[2][3], g[2][3], com[3], c[3], gap = 0;
    if (!tn_model_joint_points(m, k, body, q)) continue;
    for (int side = 0; side < 2; side++) {
      place(v, body[side], i, q[side], g[side]);
      if (!tn_model_body_com(m, body[side], com)) continue; /* ground */
      place(v, body[side], i, com, c);
      draw_segment(v, d, c, g[side]);
      v->held[body[side]]++;
      memcpy(v->last[body[side]], g[side], sizeof(g[side]));
    }
    for (int n = 0; n < 3; n++) gap += fabs(g[0][n] - g[1][n]);
    if (gap > 1e-6) draw_segment(v, d, g[0], g[1]);
  }
  draw_beams(p, v, i, d);
  for (int b = 0; b < v->nbody; b++) {
    double com[3], c[3], far[3];
    if (v->held[b] > 1 || !tn_model_body_com(m, b, com)) continue;
    place(v, b, i, com, c);
    for (int n = 0; n < 3; n++) far[n] = v->held[b] ? 2*c[n] - v->last[b][n] : c[n];
    draw_segment(v, d, c, far);
  }
}

/* how long the mechanism is along the axes, at most over the motion */
static void measure_spread(const page *p, view *v, drawing *d, double spread[3]) {
  memset(v->e2, 0, sizeof(v->e2));
  for (int k = 0; k < 3; k++) {
    for (int m = 0; m < 3; m++) v->e1[m] = m == k;
    spread[k] = 0;
    for (int g = 0; g < v->nghost; g++) {
      double lo = HUGE_VAL, hi = -HUGE_VAL;
      draw_instant(p, v, g*(p->n - 1)/(v->nghost - 1), d);
      for (long i = 0; i < d->n; i++) {
        if (isnan(d->x[i])) continue;
        lo = fmin(lo, d->x[i]);
        hi = fmax(hi, d->x[i]);
      }
      spread[k] = fmax(spread[k], hi - lo);
    }
  }
}

/* Plane mechanisms along the normal of their plane; others from the side on which least is seen, with
 * z upwards; where all three directions matter, from above and aside. */
static const char *choose_view(const page *p, view *v, drawing *d) {
  static const char *const along[] = {"seen along x", "seen along y", "seen along z"};
  double spread[3];
  measure_spread(p, v, d, spread);
  double most = fmax(spread[0], fmax(spread[1], spread[2]));
  int side = spread[0] < spread[1] ? 0 : 1;
  if (tn_model_is_planar(p->model) || spread[2] < 0.02*most) side = 2;
  else if (fmin(spread[side], spread[2]) > 0.3*most) {
    const double e1[3] = {-0.5, 0.8660254, 0}, e2[3] = {-0.3660, -0.2113, 0.9063};
    memcpy(v->e1, e1, sizeof(e1));
    memcpy(v->e2, e2, sizeof(e2));
    return "seen from above and aside";
  }
  memset(v->e1, 0, sizeof(v->e1));
  memset(v->e2, 0, sizeof(v->e2));
  v->e1[side == 0 ? 1 : 0] = 1;
  v->e2[side == 2 ? 1 : 2] = 1;
  return along[side];
}

static bool read_poses(page *p, view *v) {
  bool ok = true;
  for (int b = 0; b < v->nbody && ok; b++) {
    char name[TEXT_MAX];
    size_t n = (size_t)p->n;
    v->position[b] = malloc(3*n*sizeof(double));
    v->euler[b] = malloc(4*n*sizeof(double));
    snprintf(name, sizeof(name), "bodies/%.200s/position", tn_model_body_name(p->model, b));
    int r = tn_results_find(p->r, name);
    snprintf(name, sizeof(name), "bodies/%.200s/orientation", tn_model_body_name(p->model, b));
    int e = tn_results_find(p->r, name);
    ok = v->position[b] && v->euler[b] && r >= 0 && e >= 0 &&
         tn_results_read(p->r, r, NULL, v->position[b]) == TN_OK &&
         tn_results_read(p->r, e, NULL, v->euler[b]) == TN_OK;
  }
  return ok;
}

/* smallest rectangle around the whole motion, and some air: x from, to, y from, to */
static void find_range(const page *p, const view *v, drawing *d, double range[4]) {
  range[0] = range[2] = HUGE_VAL;
  range[1] = range[3] = -HUGE_VAL;
  for (int k = 0; k < v->nghost; k++) {
    draw_instant(p, v, k*(p->n - 1)/(v->nghost - 1), d);
    for (long i = 0; i < d->n; i++) {
      if (isnan(d->x[i])) continue;
      range[0] = fmin(range[0], d->x[i]), range[1] = fmax(range[1], d->x[i]);
      range[2] = fmin(range[2], d->y[i]), range[3] = fmax(range[3], d->y[i]);
    }
  }
  double air = 0.05*fmax(range[1] - range[0], fmax(range[3] - range[2], 1e-9));
  range[0] -= air, range[1] += air;
  range[2] -= air, range[3] += air;
}

/* times between the instants in grey, the instants in colours on top */
static tn_status draw_motion(page *p, const view *v, tn_plot *plot, drawing *d) {
  for (int k = 0; k < v->nghost; k++) {
    draw_instant(p, v, k*(p->n - 1)/(v->nghost - 1), d);
    tn_plot_series s = {.n = d->n, .x = d->x, .y = d->y, .style = TN_PLOT_GUIDE, .dash = 1};
    tn_status st = tn_plot_add_series(plot, 0, &s);
    if (st != TN_OK) return st;
  }
  for (int k = 0; k < INSTANTS; k++) {
    char name[64];
    long i = (long)(instant[k]*(double)(p->n - 1));
    if (k > 0 && i == (long)(instant[k-1]*(double)(p->n - 1))) continue;
    snprintf(name, sizeof(name), "t = %.3g s", p->t[i]);
    draw_instant(p, v, i, d);
    tn_plot_series s = {.name = name, .n = d->n, .x = d->x, .y = d->y};
    tn_status st = tn_plot_add_series(plot, 0, &s);
    if (st != TN_OK) return st;
  }
  return TN_OK;
}

static void put_picture(page *p) {
  view v = {.nbody = p->model ? tn_model_nbody(p->model) : 0};
  if (v.nbody == 0 || p->n == 0) return;
  size_t nbody = (size_t)v.nbody, njoint = (size_t)tn_model_njoint(p->model);
  drawing d = {.cap = (long)(PIECE*(2*nbody + 3*njoint + (size_t)tn_model_nbeam(p->model)))};
  /* fewer times where there are many lines */
  v.nghost = (int)(LINES_MAX/(nbody + 1));
  v.nghost = v.nghost < 2 ? 2 : v.nghost > GHOSTS ? GHOSTS : v.nghost;
  v.held = malloc(nbody*sizeof(*v.held));
  v.last = malloc(nbody*sizeof(*v.last));
  v.position = calloc(nbody, sizeof(*v.position));
  v.euler = calloc(nbody, sizeof(*v.euler));
  d.x = malloc((size_t)d.cap*sizeof(double));
  d.y = malloc((size_t)d.cap*sizeof(double));
  bool ok = v.position && v.euler && v.held && v.last && d.x && d.y && read_poses(p, &v);
  tn_plot *plot = NULL;
  if (ok) {
    double range[4];
    const char *how = choose_view(p, &v, &d);
    find_range(p, &v, &d, range);
    /* as high as the motion needs, within reason; the axes are about 780 wide */
    double height = 780*(range[3] - range[2])/(range[1] - range[0]);
    tn_plot_opts o = {.embedded = true, .panel_height = (int)fmax(160, fmin(460, height))};
    tn_plot_panel panel = {.equal = true, .x_min = range[0], .x_max = range[1], .y_min = range[2],
                           .y_max = range[3]};
    put_heading(p, "Motion");
    put(p, "<p class=\"muted\">The mechanism at some instants, %s, lengths in m; lines join the centre "
           "of mass of a body and its joints%s.</p>\n", how,
        tn_model_nbeam(p->model) ? ", and the nodes of a beam" : "");
    if (tn_plot_create(p->c->ctx, &o, &plot) == TN_OK &&
        tn_plot_add_panel(plot, &panel) == TN_OK && draw_motion(p, &v, plot, &d) == TN_OK) {
      put_plot(p, plot);
      plot = NULL;
    }
  }
  tn_plot_destroy(&plot);
  for (size_t b = 0; b < nbody && v.position && v.euler; b++) {
    free(v.position[b]);
    free(v.euler[b]);
  }
  free(v.position);
  free(v.euler);
  free(v.held);
  free(v.last);
  free(d.x);
  free(d.y);
}

/* ---- the command --------------------------------------------------------------------------- */

static void put_foot(page *p) {
  char text[TEXT_MAX];
  put_heading(p, "Where this comes from");
  put(p, "<table>\n");
  put_row(p, "results", p->path);
  put_row(p, "model file", tn_results_model_name(p->r));
  put_row(p, "run on", tn_results_created(p->r));
  put_row(p, "run by", tn_results_version(p->r)[0] ? tn_results_version(p->r) : "?");
  snprintf(text, sizeof(text), "Tenon %s", tn_version());
  put_row(p, "page made by", text);
  put_row(p, "settings", tn_results_settings(p->r));
  put(p, "</table>\n</body>\n</html>\n");
}

static int write_page(page *p) {
  cli_out o;
  int begun = cli_out_begin(p->c, &o, p->html, p->path);
  if (begun) return begun;
  p->f = o.file;
  put_head(p);
  if (p->view) put_view(p);
  int code = p->pictures ? put_pictures(p) : 0;
  put_picture(p);
  if (code == 0) code = put_signals(p);
  put_meshes(p);
  put_events(p);
  put_energy(p);
  put_constraints(p);
  put_steps(p);
  put_check(p);
  put_counters(p);
  put_foot(p);
  int ended = cli_out_end(p->c, &o, code == 0);
  if (code) return code;
  if (!ended && !p->c->quiet) fprintf(stderr, "wrote %s\n", p->html);
  return ended;
}

static int parse(page *p, int argc, char **argv) {
  const cli_opt option[] = {{"--html", .text = &p->html},
                            {"--plot", .list = p->plot, .nlist = &p->nplot, .max = PLOTS_MAX},
                            {"--view", .flag = &p->view},
                            {"--pictures", .flag = &p->pictures}};
  int n, code = cli_parse(p->c, &cli_report, argc, argv, option, sizeof(option)/sizeof(option[0]),
                          "results file", &p->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(p->c, &cli_report, "no results file given");
  return 0;
}

/* name of the results without folder and .h5, in the present folder; not that of the animated page */
static void default_name(const char *path, char *out, size_t n) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  snprintf(out, n, "%.*s-report.html", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

static int run(cli *c, int argc, char **argv) {
  page p = {.c = c};
  char name[1024];
  int code = parse(&p, argc, argv);
  if (code) return code;
  tn_status st = tn_results_open(c->ctx, p.path, &p.r);
  if (st != TN_OK) return cli_fail_read(c, st);
  if (!p.html) {
    default_name(p.path, name, sizeof(name));
    p.html = name;
  }
  p.n = tn_results_ntime(p.r);
  p.t = malloc((size_t)(p.n > 0 ? p.n : 1)*sizeof(double));
  st = p.t ? tn_results_read(p.r, 0, p.t, NULL) : TN_ERR_MEMORY;
  if (st == TN_OK) {
    load_model(&p);
    code = write_page(&p);
  } else {
    code = cli_fail(c, st);
  }
  tn_model_destroy(&p.model);
  tn_spec_destroy(&p.spec);
  tn_results_close(&p.r);
  free(p.t);
  return code;
}

const cli_command cli_report = {"report", "results.h5 [--html f] [--plot signal] ... [--pictures] [--view]",
                                "write one HTML page about a run: motion, plots, energy, solver;\n"
                                "                                                                 "
                                "--view with the 3-D animation in it", run};
