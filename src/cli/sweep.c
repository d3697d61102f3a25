/* cli/sweep.c - tenon sweep: one model with many values of its parameters
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { VARY_MAX = 16, SETS_MAX = 64, VALUES_MAX = 1000*1000, COLUMNS = 6 };

typedef struct {
  cli *c;
  const char *path, *csv, *set[SETS_MAX], *vary[VARY_MAX];
  int nset, nvary;
  char *name[VARY_MAX];    /* copies of the words before '=' */
  double *value[VARY_MAX];
  tn_sweep_param param[VARY_MAX];
  bool shown;              /* a progress line is on the terminal */
  tn_sweep_opts o;
} arguments;

static int usage_of(arguments *a, const char *text) {
  return cli_usage(a->c, &cli_sweep, "--vary '%s', must be like k=1,2,5 or k=100..1000/10 (10 values) or k=1..1000/4:log", text);
}

/* "from..to/n", ":log" after it for equal ratios */
static bool take_range(const char *text, const char *dots, double *value, int max, int *n) {
  char *end;
  double from = strtod(text, &end);
  if (end == text || (end != dots && end != dots + 1)) return false; /* "1.." begins with the number "1." */
  const char *second = dots + 2;
  double to = strtod(second, &end);
  if (end == second || *end != '/') return false;
  long many = strtol(end + 1, &end, 10);
  bool log = strcmp(end, ":log") == 0;
  if ((*end && !log) || many < 2 || many > max || !isfinite(from) || !isfinite(to)) return false;
  if (log && !(from > 0 && to > 0)) return false;
  for (long i = 0; i < many; i++) {
    double x = (double)i/(double)(many - 1);
    value[i] = i == 0 ? from : i == many - 1 ? to : log ? from*pow(to/from, x) : from + (to - from)*x;
  }
  *n = (int)many;
  return true;
}

static bool take_list(const char *text, double *value, int max, int *n) {
  char *end;
  for (*n = 0; *n < max; text = end + 1) {
    double x = strtod(text, &end);
    if (end == text || (*end && *end != ',') || !isfinite(x)) return false;
    value[(*n)++] = x;
    if (!*end) return true;
  }
  return false;
}

static int take_vary(arguments *a, int k) {
  const char *text = a->vary[k], *equals = strchr(text, '=');
  if (!equals || equals == text) return usage_of(a, text);
  const char *rest = equals + 1, *dots = strstr(rest, ".."), *slash = strchr(rest, '/');
  int max = 1;
  for (const char *s = rest; *s; s++) max += *s == ',';
  if (dots) max = slash && atol(slash + 1) > 0 && atol(slash + 1) <= VALUES_MAX ? (int)atol(slash + 1) : 1;
  a->name[k] = malloc((size_t)(equals - text) + 1);
  a->value[k] = malloc((size_t)max*sizeof(double));
  if (!a->name[k] || !a->value[k]) return cli_fail(a->c, TN_ERR_MEMORY);
  memcpy(a->name[k], text, (size_t)(equals - text));
  a->name[k][equals - text] = 0;
  int n;
  bool good = dots ? take_range(rest, dots, a->value[k], max, &n) : take_list(rest, a->value[k], max, &n);
  if (!good) return usage_of(a, text);
  a->param[k] = (tn_sweep_param){a->name[k], a->value[k], n};
  return 0;
}

static int parse(arguments *a, int argc, char **argv) {
  tn_run_opts *r = &a->o.run;
  const cli_opt option[] = {
      {"--vary", .list = a->vary, .nlist = &a->nvary, .max = VARY_MAX},
      {"--paired", .flag = &a->o.paired}, {"--csv", .text = &a->csv},
      {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX},
      {"--method", .text = &r->method}, {"--representation", .text = &r->representation}, {"--solver", .text = &r->solver},
      {"--until", .number = &r->until}, {"--tolerance", .number = &r->tolerance}, {"--step", .number = &r->step},
      {"--every", .number = &r->every},
  };
  int n, code = cli_parse(a->c, &cli_sweep, argc, argv, option, sizeof(option)/sizeof(option[0]), "model", &a->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(a->c, &cli_sweep, "no model file given");
  if (a->nvary == 0) return cli_usage(a->c, &cli_sweep, "nothing varies: --vary name=values");
  for (int k = 0; k < a->nvary && !code; k++) code = take_vary(a, k);
  a->o.param = a->param;
  a->o.nparam = a->nvary;
  a->o.overrides = a->set;
  a->o.noverride = a->nset;
  return code;
}

static void progress(void *user, int done, int total) {
  arguments *a = user;
  fprintf(stderr, "\r\033[K%d of %d cases", done, total);
  fflush(stderr);
  a->shown = true;
}

static int write_csv(arguments *a, const tn_sweep *s) {
  char *text;
  tn_status st = tn_sweep_csv(s, &text);
  if (st != TN_OK) return cli_fail(a->c, st);
  cli_out o;
  int code = cli_out_begin(a->c, &o, a->csv, a->path);
  if (!code) fputs(text, o.file);
  if (!code) code = cli_out_end(a->c, &o, true);
  tn_text_free(a->c->ctx, &text);
  return code;
}

static int show(arguments *a, const tn_sweep *s) {
  char *text;
  tn_status st = a->c->json ? tn_sweep_json(s, &text) : tn_sweep_text(s, COLUMNS, &text);
  if (st != TN_OK) return cli_fail(a->c, st);
  if (a->c->json || !a->c->quiet) fputs(text, stdout);
  fflush(stdout);
  a->c->answered = true;
  tn_text_free(a->c->ctx, &text);
  return a->csv ? write_csv(a, s) : 0;
}

static int run(cli *c, int argc, char **argv) {
  arguments a = {.c = c};
  tn_sweep *s = NULL;
  int code = parse(&a, argc, argv);
  if (!code) {
    if (c->terminal && !c->quiet) a.o.progress = progress;
    a.o.user = &a;
    tn_status st = tn_sweep_file(c->ctx, a.path, &a.o, &s);
    if (a.shown) fprintf(stderr, "\r\033[K");
    if (s) code = show(&a, s);
    if (st != TN_OK && !code) code = s ? cli_fail(c, st) : cli_fail_read(c, st);
    for (int i = 0; s && !code && i < tn_sweep_ncase(s); i++)
      if (!tn_sweep_get_case(s, i)->sound) code = EXIT_OUTCOME;
  }
  tn_sweep_destroy(&s);
  for (int k = 0; k < VARY_MAX; k++) {
    free(a.name[k]);
    free(a.value[k]);
  }
  return code;
}

const cli_command cli_sweep = {
    "sweep", "model.yaml --vary k=100..1000/10 [--vary c=1,2,5] [--csv table.csv]",
    "run the model with many values of its parameters, cases on threads (--threads): sensors at the\n"
    "                                                                 "
    "end, least, largest; modes; verdicts; also --paired, --set name=value, --method, --until ...",
    run};
