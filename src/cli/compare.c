/* cli/compare.c - tenon compare: every method on one model against a tight reference
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { METHODS_MAX = 64, TOLERANCES_MAX = 64, SETS_MAX = 64 };

typedef struct {
  cli *c;
  const char *path, *out, *set[SETS_MAX];
  int nset;
  char *methods;                       /* the text, cut into names */
  const char *method[METHODS_MAX];
  double tolerance[TOLERANCES_MAX];
  bool shown;                          /* a progress line is on the terminal */
  tn_compare_opts o;
} arguments;

/* "all", or names with commas in between */
static int take_methods(arguments *a, const char *text) {
  if (strcmp(text, "all") == 0) return 0;
  free(a->methods);
  a->methods = malloc(strlen(text) + 1);
  if (!a->methods) return cli_fail(a->c, TN_ERR_MEMORY);
  strcpy(a->methods, text);
  a->o.nmethod = 0;
  for (char *name = strtok(a->methods, ","); name; name = strtok(NULL, ",")) {
    if (a->o.nmethod == METHODS_MAX)
      return cli_usage(a->c, &cli_compare, "more than %d methods", METHODS_MAX);
    a->method[a->o.nmethod++] = name;
  }
  a->o.methods = a->method;
  if (a->o.nmethod == 0) return cli_usage(a->c, &cli_compare, "--methods needs names or all");
  return 0;
}

/* "1e-2..1e-6" by powers of ten, or numbers with commas in between */
static int take_tolerances(arguments *a, const char *text) {
  const char *dots = strstr(text, "..");
  char *end;
  a->o.ntolerance = 0;
  a->o.tolerances = a->tolerance;
  if (dots) {
    double from = strtod(text, &end);
    bool good = end == dots && from > 0 && from < 1;
    double to = cli_number(dots + 2);
    if (!good || to <= 0 || to >= 1)
      return cli_usage(a->c, &cli_compare, "--tolerances '%s', must be like 1e-2..1e-6, between 0 "
                       "and 1", text);
    int n = (int)lround(fabs(log10(from/to)));
    for (int i = 0; i <= n && i < TOLERANCES_MAX; i++)
      a->tolerance[a->o.ntolerance++] = i == n ? to : from*pow(10, from > to ? -i : i);
    return 0;
  }
  for (const char *at = text;; at = end + 1) {
    double x = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !(x > 0 && x < 1) ||
        a->o.ntolerance == TOLERANCES_MAX)
      return cli_usage(a->c, &cli_compare, "--tolerances '%s', must be like 1e-2..1e-6 or "
                       "1e-3,1e-5, between 0 and 1", text);
    a->tolerance[a->o.ntolerance++] = x;
    if (!*end) return 0;
  }
}

static int parse(arguments *a, int argc, char **argv) {
  const char *methods = NULL, *tolerances = NULL;
  int n;
  const cli_opt option[] = {{"--methods", .text = &methods},
                            {"--tolerances", .text = &tolerances},
                            {"--out", .text = &a->out},
                            {"--reference", .text = &a->o.reference},
                            {"--representation", .text = &a->o.representation},
                            {"--until", .number = &a->o.until},
                            {"--limit", .number = &a->o.limit},
                            {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX}};
  int code = cli_parse(a->c, &cli_compare, argc, argv, option, sizeof(option)/sizeof(option[0]),
                       "model", &a->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(a->c, &cli_compare, "no model file given");
  if (methods) code = take_methods(a, methods);
  if (!code && tolerances) code = take_tolerances(a, tolerances);
  return code;
}

static void progress(void *user, const char *method, double tolerance, double t, double t_end) {
  arguments *a = user;
  fprintf(stderr, "\r\033[K%s at %.0e: t = %.4g of %g s", method, tolerance, t, t_end);
  fflush(stderr);
  a->shown = true;
}

static int write_text(cli *c, const char *path, const char *text) {
  cli_out o;
  int code = cli_out_begin(c, &o, path, NULL);
  if (code) return code;
  fputs(text, o.file);
  return cli_out_end(c, &o, true);
}

/* a figure as SVG and, where the library can, PNG */
static int write_plot(cli *c, const char *folder, const char *name, const tn_comparison *cmp,
                      tn_status (*make)(const tn_comparison *, tn_plot **)) {
  char path[4096];
  tn_plot *p;
  tn_status st = make(cmp, &p);
  if (st == TN_ERR_ARGUMENT) return 0; /* nothing to draw; the table says why */
  if (st != TN_OK) return cli_fail(c, st);
  snprintf(path, sizeof(path), "%s/%s.svg", folder, name);
  st = tn_plot_write(p, path);
  snprintf(path, sizeof(path), "%s/%s.png", folder, name);
  if (st == TN_OK) st = tn_plot_write(p, path);
  tn_plot_destroy(&p);
  return st == TN_OK || st == TN_ERR_UNSUPPORTED ? 0 : cli_fail(c, st);
}

static int write_all(arguments *a, const tn_comparison *cmp) {
  static const struct {
    const char *name;
    tn_status (*make)(const tn_comparison *, char **);
  } text[] = {{"table.txt", tn_comparison_text}, {"table.csv", tn_comparison_csv},
              {"table.json", tn_comparison_json}, {"steps.csv", tn_comparison_steps_csv}};
  char path[4096];
  if (mkdir(a->out, 0777) != 0 && errno != EEXIST)
    return cli_error(a->c, EXIT_FAIL, "cannot make the folder '%s': %s", a->out, strerror(errno));
  int code = 0;
  for (size_t i = 0; i < sizeof(text)/sizeof(text[0]) && !code; i++) {
    char *s;
    tn_status st = text[i].make(cmp, &s);
    if (st != TN_OK) return cli_fail(a->c, st);
    snprintf(path, sizeof(path), "%s/%s", a->out, text[i].name);
    code = write_text(a->c, path, s);
    tn_text_free(a->c->ctx, &s);
  }
  if (!code) code = write_plot(a->c, a->out, "work_precision", cmp, tn_comparison_plot);
  if (!code) code = write_plot(a->c, a->out, "steps", cmp, tn_comparison_plot_steps);
  if (!code && !a->c->quiet)
    fprintf(stderr, "wrote table (txt, csv, json), work_precision and steps (svg, png) to %s/\n",
            a->out);
  return code;
}

static int show(arguments *a, const tn_comparison *cmp) {
  char *s;
  tn_status st = a->c->json ? tn_comparison_json(cmp, &s) : tn_comparison_text(cmp, &s);
  if (st != TN_OK) return cli_fail(a->c, st);
  if (a->c->json || !a->c->quiet) fputs(s, stdout);
  fflush(stdout); /* before what goes to standard error */
  a->c->answered = true;
  tn_text_free(a->c->ctx, &s);
  return 0;
}

/* name of the model file without folder and end, and -compare */
static void default_folder(const char *path, char *out, size_t n) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  snprintf(out, n, "%.*s-compare", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

static int run(cli *c, int argc, char **argv) {
  arguments a = {.c = c};
  char folder[1024];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  int code = parse(&a, argc, argv);
  if (!code) code = cli_load(c, a.path, a.set, a.nset, &spec, &model);
  if (!code) {
    if (!a.out) {
      default_folder(a.path, folder, sizeof(folder));
      a.out = folder;
    }
    if (c->terminal && !c->quiet) a.o.progress = progress;
    a.o.user = &a;
    tn_comparison *cmp;
    tn_status st = tn_compare(c->ctx, model, &a.o, &cmp);
    if (a.shown) fprintf(stderr, "\r\033[K");
    if (st != TN_OK) code = cli_fail(c, st);
    if (cmp) {
      int shown = show(&a, cmp);
      if (!shown) shown = write_all(&a, cmp);
      if (!code) code = shown;
    }
    tn_comparison_destroy(&cmp);
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  free(a.methods);
  return code;
}

const cli_command cli_compare = {
    "compare", "model.yaml [--methods all] [--tolerances 1e-2..1e-6]",
    "run every method against a tight reference: table, work-precision\n"
    "                                                                 diagram, step sizes; also "
    "--out folder, --limit s, --until s,\n"
    "                                                                 --reference method, "
    "--representation r, --set name=value",
    run};
