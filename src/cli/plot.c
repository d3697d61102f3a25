/* cli/plot.c - tenon plot: signals of one or several results files over time or over each other
 *
 * One panel per name on the command line and unit: forces and moments of a reaction have axes of
 * their own. Several files share the panels.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { FILES_MAX = 32, NAMES_MAX = 64, SIGNALS_MAX = 256, PANELS_MAX = 64, TEXT_MAX = 256,
       FEW_STEPS = 150 /* up to so many each one is marked */ };

typedef struct {
  const char *path;
  char label[TEXT_MAX]; /* name without folder and .h5, or the path when two would be the same */
  tn_results *r;
  long n;
  double *t, *x; /* [n] times; what is on the x axis */
} source;

typedef struct {
  cli *c;
  const char *name[NAMES_MAX], *png, *svg, *x, *title;
  bool list, log, together;
  int nname, nsource, npanel;
  source source[FILES_MAX];
  char unit[PANELS_MAX][TEXT_MAX]; /* of a panel, to find the one that fits */
  int owner[PANELS_MAX];           /* name that made it                     */
  tn_plot *plot;
} job;

static bool is_results(const char *path) {
  size_t n = strlen(path);
  if (n > 3 && strcmp(path + n - 3, ".h5") == 0) return true;
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

static int parse(job *j, int argc, char **argv) {
  const char *names[FILES_MAX + NAMES_MAX];
  const cli_opt option[] = {{"--png", .text = &j->png},      {"--svg", .text = &j->svg},
                            {"--x", .text = &j->x},          {"--title", .text = &j->title},
                            {"--list", .flag = &j->list},    {"--log", .flag = &j->log},
                            {"--together", .flag = &j->together}};
  int n, code = cli_parse(j->c, &cli_plot, argc, argv, option, sizeof(option)/sizeof(option[0]),
                          "results file", names, FILES_MAX + NAMES_MAX, &n);
  if (code) return code;
  for (int i = 0; i < n; i++) {
    if (j->nname == 0 && is_results(names[i]) && j->nsource < FILES_MAX)
      j->source[j->nsource++].path = names[i];
    else if (j->nname < NAMES_MAX) j->name[j->nname++] = names[i];
    else return cli_usage(j->c, &cli_plot, "more than %d signals", NAMES_MAX);
  }
  if (j->nsource == 0 && j->nname > 0)
    return cli_usage(j->c, &cli_plot, "no results file '%s'; files come before signals", j->name[0]);
  if (j->nsource == 0) return cli_usage(j->c, &cli_plot, "no results file given");
  if (j->nname == 0 && !j->list)
    return cli_usage(j->c, &cli_plot, "say what to plot; --list shows the signals");
  return 0;
}

static void list_signals(tn_results *r) {
  for (int i = 0; i < tn_results_nchannel(r); i++) {
    char name[TEXT_MAX], unit[TEXT_MAX];
    snprintf(name, sizeof(name), "%s", tn_results_channel_name(r, i));
    const char *group_end = strchr(name, '/');
    for (char *c = name; *c; c++)
      if (*c == '/') *c = '.';
    for (int k = 0; k < tn_results_channel_size(r, i); k++) {
      const char *part = tn_results_component_name(r, i, k);
      bool has = part && part[0];
      tn_results_component_unit(r, i, k, unit, sizeof(unit));
      int width = printf("%s%s%s", group_end ? group_end + 1 : name, has ? "." : "", has ? part : "");
      printf("%*s%.*s%s%s%s\n", width < 44 ? 44 - width : 1, " ",
             group_end ? (int)(group_end - name) : 0, name, unit[0] ? " [" : "", unit,
             unit[0] ? "]" : "");
    }
  }
  if (tn_results_nstep(r)) printf("%-44ssteps [s]\n", "step_size");
}

static int open_sources(job *j) {
  for (int i = 0; i < j->nsource; i++) {
    source *s = &j->source[i];
    tn_status st = tn_results_open(j->c->ctx, s->path, &s->r);
    if (st != TN_OK) return cli_fail_read(j->c, st);
    s->n = tn_results_ntime(s->r);
    s->t = malloc((size_t)(s->n > 0 ? s->n : 1)*sizeof(double));
    if (!s->t) return cli_fail(j->c, TN_ERR_MEMORY);
    st = tn_results_read(s->r, 0, s->t, NULL);
    if (st != TN_OK) return cli_fail(j->c, st);
    const char *slash = strrchr(s->path, '/');
    snprintf(s->label, sizeof(s->label), "%s", slash ? slash + 1 : s->path);
    char *dot = strrchr(s->label, '.');
    if (dot && strcmp(dot, ".h5") == 0) *dot = 0;
  }
  for (int i = 0; i < j->nsource; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(j->source[i].label, j->source[k].label) == 0) {
        snprintf(j->source[i].label, TEXT_MAX, "%s", j->source[i].path);
        snprintf(j->source[k].label, TEXT_MAX, "%s", j->source[k].path);
      }
  return 0;
}

static int choose_x(job *j, char label[TEXT_MAX], char unit[TEXT_MAX]) {
  snprintf(label, TEXT_MAX, "time");
  snprintf(unit, TEXT_MAX, "s");
  for (int i = 0; i < j->nsource; i++) {
    source *s = &j->source[i];
    tn_signal g[SIGNALS_MAX];
    int n;
    if (!j->x) {
      s->x = s->t;
      continue;
    }
    tn_status st = tn_results_select(s->r, j->x, g, SIGNALS_MAX, &n);
    if (st == TN_OK && n > 1)
      return cli_usage(j->c, &cli_plot, "--x '%s' is more than one signal; add a component", j->x);
    if (st != TN_OK) return cli_fail(j->c, st);
    s->x = cli_signal_read(s->r, g[0]);
    if (!s->x) return cli_fail(j->c, TN_ERR_MEMORY);
    cli_signal_name(s->r, g[0], true, label, TEXT_MAX);
    tn_results_component_unit(s->r, g[0].channel, g[0].component, unit, TEXT_MAX);
  }
  return 0;
}

/* panel of this name and unit, -1: none yet */
static int find_panel(const job *j, int name, const char *unit) {
  for (int k = 0; k < j->npanel; k++)
    if (strcmp(j->unit[k], unit) == 0 && (j->together || j->owner[k] == name)) return k;
  return -1;
}

/* length of the end that the names of all signals have in common, from a point on */
static size_t common_end(tn_results *r, const tn_signal *g, int n) {
  char first[TEXT_MAX], other[TEXT_MAX];
  cli_signal_name(r, g[0], true, first, sizeof(first));
  size_t length = strlen(first), same = length;
  for (int i = 1; i < n; i++) {
    cli_signal_name(r, g[i], true, other, sizeof(other));
    size_t m = strlen(other), k = 0;
    while (k < same && k < m && first[length - 1 - k] == other[m - 1 - k]) k++;
    same = k;
  }
  while (same > 0 && first[length - same] != '.') same--;
  return same;
}

/* what a signal is called in its panel: as little as tells it from the others */
static void series_name(const job *j, int file, tn_signal g, bool one_channel, bool one_signal,
                        size_t leave_out, char out[TEXT_MAX]) {
  tn_results *r = j->source[file].r;
  const char *part = tn_results_component_name(r, g.channel, g.component);
  char label[TEXT_MAX] = "";
  if (one_channel && part && part[0]) snprintf(label, sizeof(label), "%s", part);
  else cli_signal_name(r, g, true, label, sizeof(label));
  if (!one_channel && leave_out < strlen(label)) label[strlen(label) - leave_out] = 0;
  if (j->nsource == 1) snprintf(out, TEXT_MAX, "%s", label);
  else if (one_signal) snprintf(out, TEXT_MAX, "%.200s", j->source[file].label);
  else snprintf(out, TEXT_MAX, "%.120s %.120s", j->source[file].label, label);
}

static int add_panel(job *j, int name, tn_results *r, tn_signal g, bool one_signal,
                     const char *x_label, const char *x_unit, const char *unit) {
  char title[TEXT_MAX], quantity[TEXT_MAX];
  cli_signal_quantity(r, g, quantity, sizeof(quantity));
  if (one_signal) cli_signal_name(r, g, true, title, sizeof(title));
  else snprintf(title, sizeof(title), "%s", j->name[name]);
  tn_plot_panel p = {.title = j->together ? NULL : title, .x_label = x_label, .x_unit = x_unit,
                     .y_label = quantity, .y_unit = unit, .y_log = j->log};
  snprintf(j->unit[j->npanel], TEXT_MAX, "%s", unit);
  j->owner[j->npanel] = name;
  tn_status st = tn_plot_add_panel(j->plot, &p);
  if (st != TN_OK) return cli_fail(j->c, st);
  j->npanel++;
  return 0;
}

/* the sizes of the steps have times of their own */
static int add_step_sizes(job *j, int name) {
  tn_plot_panel p = {.title = "step_size", .x_label = "time", .x_unit = "s", .y_label = "step",
                     .y_unit = "s", .y_log = true};
  if (j->x) return cli_usage(j->c, &cli_plot, "step_size is drawn over time; leave out --x");
  if (j->npanel == PANELS_MAX) return cli_usage(j->c, &cli_plot, "more than %d panels", PANELS_MAX);
  tn_status st = tn_plot_add_panel(j->plot, &p);
  if (st != TN_OK) return cli_fail(j->c, st);
  j->owner[j->npanel] = name;
  snprintf(j->unit[j->npanel++], TEXT_MAX, "step");
  for (int file = 0; file < j->nsource; file++) {
    source *s = &j->source[file];
    long n = tn_results_nstep(s->r);
    if (n == 0)
      return cli_usage(j->c, &cli_plot, "'%s' has no step sizes: no steps were taken", s->path);
    double *t = malloc(2*(size_t)n*sizeof(double));
    st = t ? tn_results_read_steps(s->r, t, t + n) : TN_ERR_MEMORY;
    tn_plot_series series = {.name = j->nsource > 1 ? s->label : NULL, .n = n, .x = t, .y = t + n,
                             .style = n <= FEW_STEPS ? TN_PLOT_LINE_POINTS : TN_PLOT_LINE};
    if (st == TN_OK) st = tn_plot_add_series(j->plot, j->npanel - 1, &series);
    free(t);
    if (st != TN_OK) return cli_fail(j->c, st);
  }
  return 0;
}

static int add_signals(job *j, int name, const char *x_label, const char *x_unit) {
  if (strcmp(j->name[name], "step_size") == 0) return add_step_sizes(j, name);
  for (int file = 0; file < j->nsource; file++) {
    source *s = &j->source[file];
    tn_signal g[SIGNALS_MAX];
    int n;
    tn_status st = tn_results_select(s->r, j->name[name], g, SIGNALS_MAX, &n);
    if (st != TN_OK) return cli_fail(j->c, st);
    bool one_channel = !j->together;
    for (int i = 1; i < n; i++) one_channel = one_channel && g[i].channel == g[0].channel;
    /* a*.position.z: the titles say what is the same in all names */
    size_t tail = n > 1 && !j->together ? common_end(s->r, g, n) : 0;
    for (int i = 0; i < n; i++) {
      char unit[TEXT_MAX], label[TEXT_MAX];
      tn_results_component_unit(s->r, g[i].channel, g[i].component, unit, sizeof(unit));
      int panel = find_panel(j, name, unit);
      if (panel < 0 && j->npanel == PANELS_MAX)
        return cli_usage(j->c, &cli_plot, "more than %d panels", PANELS_MAX);
      if (panel < 0) {
        int code = add_panel(j, name, s->r, g[i], n == 1, x_label, x_unit, unit);
        if (code) return code;
        panel = j->npanel - 1;
      }
      series_name(j, file, g[i], one_channel, n == 1 && !j->together, tail, label);
      bool alone = n == 1 && j->nsource == 1 && !j->together;
      double *y = cli_signal_read(s->r, g[i]);
      if (!y) return cli_fail(j->c, TN_ERR_MEMORY);
      /* components by colour, files by dashes; one signal of several files by colour */
      tn_plot_series series = {.name = alone ? NULL : label, .n = s->n, .x = s->x, .y = y};
      if (j->nsource > 1 && n > 1 && !j->together) {
        series.color = i + 1;
        series.dash = file + 1;
      }
      st = tn_plot_add_series(j->plot, panel, &series);
      free(y);
      if (st != TN_OK) return cli_fail(j->c, st);
    }
  }
  return 0;
}

static int write_to(job *j, const char *path) {
  tn_status st = tn_plot_write(j->plot, path);
  if (st != TN_OK) return cli_fail(j->c, st);
  if (!j->c->quiet) fprintf(stderr, "wrote %s\n", path);
  return 0;
}

static int draw(job *j) {
  char x_label[TEXT_MAX], x_unit[TEXT_MAX], path[4096];
  int code = choose_x(j, x_label, x_unit);
  if (code) return code;
  const char *title = j->title ? j->title : tn_results_title(j->source[0].r);
  for (int i = 1; i < j->nsource && !j->title; i++) /* of different models: the legend tells */
    if (strcmp(tn_results_title(j->source[i].r), tn_results_title(j->source[0].r)) != 0) title = NULL;
  tn_plot_opts o = {.title = title, .share_x = true};
  tn_status st = tn_plot_create(j->c->ctx, &o, &j->plot);
  if (st != TN_OK) return cli_fail(j->c, st);
  for (int i = 0; i < j->nname && !code; i++) code = add_signals(j, i, x_label, x_unit);
  if (code) return code;
  /* of several files nobody could tell whose they are */
  if (j->nsource == 1 && !j->x) st = cli_mark_events(j->source[0].r, j->plot, j->npanel);
  if (st != TN_OK) return cli_fail(j->c, st);
  if (!j->png && !j->svg) {
    snprintf(path, sizeof(path), "%s.svg", j->source[0].label);
    return write_to(j, path);
  }
  if (j->png) code = write_to(j, j->png);
  if (j->svg && !code) code = write_to(j, j->svg);
  return code;
}

static int run(cli *c, int argc, char **argv) {
  job *j = calloc(1, sizeof(*j));
  if (!j) return cli_fail(c, TN_ERR_MEMORY);
  j->c = c;
  int code = parse(j, argc, argv);
  if (!code) code = open_sources(j);
  if (!code && j->list) list_signals(j->source[0].r);
  else if (!code) code = draw(j);
  tn_plot_destroy(&j->plot);
  for (int i = 0; i < j->nsource; i++) {
    if (j->source[i].x != j->source[i].t) free(j->source[i].x);
    free(j->source[i].t);
    tn_results_close(&j->source[i].r);
  }
  free(j);
  return code;
}

const cli_command cli_plot = {
    "plot", "results.h5 ... signal ... [--png f] [--svg f]",
    "draw signals, several files over each other; also --list, --x signal, --log,\n"
    "                                                                 --together, --title text; * "
    "is a wildcard",
    run};
