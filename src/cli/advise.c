/* cli/advise.c - tenon advise: solvers for the statics of a model, what they would cost, and which to take
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tenon/advise.h>

#include "cli.h"

enum { SETS_MAX = 64 };

typedef struct {
  const char *path, *set[SETS_MAX], *rates;
  int nset;
  double ranks, parts, memory;
  bool measure, calibrate;
} arguments;

static int parse(cli *c, int argc, char **argv, arguments *a) {
  const cli_opt option[] = {
      {"-n", .number = &a->ranks}, {"--ranks", .number = &a->ranks}, {"--parts", .number = &a->parts}, {"--memory", .number = &a->memory},
      {"--rates", .text = &a->rates}, {"--measure", .flag = &a->measure}, {"--calibrate", .flag = &a->calibrate},
      {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX},
  };
  int n, code = cli_parse(c, &cli_advise, argc, argv, option, sizeof(option)/sizeof(option[0]), "model", &a->path, 1, &n);
  if (code) return code;
  if (n == 0 && !a->calibrate) return cli_usage(c, &cli_advise, "no model file given");
  if (a->ranks == 0) a->ranks = 1;
  const double whole[] = {a->ranks, a->parts};
  for (int i = 0; i < 2; i++)
    if (whole[i] != floor(whole[i]) || whole[i] > 1e6)
      return cli_usage(c, &cli_advise, "%s = %g, must be a whole number up to 1e6", i ? "--parts" : "--ranks", whole[i]);
  return 0;
}

/* the file of rates: as asked for, TENON_RATES, or in the user's cache; empty: there is no place */
static void rates_path(const arguments *a, char *out, size_t n) {
  const char *own = getenv("TENON_RATES"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (a->rates || own) snprintf(out, n, "%s", a->rates ? a->rates : own);
  else if (cache && cache[0]) snprintf(out, n, "%s/tenon/rates", cache);
  else if (home && home[0]) snprintf(out, n, "%s/.cache/tenon/rates", home);
  else out[0] = 0;
}

static int write_rates(cli *c, const char *path, const tn_rates *rates, const char *how) {
  char folder[1200], host[100] = "", day[40] = "", comment[300];
  snprintf(folder, sizeof(folder), "%s", path);
  for (char *s = folder + 1; *s; s++)
    if (*s == '/') {
      *s = 0;
      mkdir(folder, 0777);
      *s = '/';
    }
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(day, sizeof(day), "%Y-%m-%d", &utc);
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = 0;
  snprintf(comment, sizeof(comment), "%s, %s, %s", how, host, day);
  tn_status st = tn_rates_write(c->ctx, path, rates, comment);
  return st == TN_OK ? 0 : cli_fail(c, st);
}

static void print_json(const tn_advice *row, int n, const tn_advised *a, const char *from) {
  printf("{\"unknowns\": %d, \"elements\": %.6g, \"rates\": \"%s\", \"run\": {\"solver\": \"%s\", \"parts\": %d, \"reason\": \"%s\"}, \"best\": ", a->unknowns,
         a->elements, from[0] ? from : "usual", a->run, a->run_parts, a->run_reason);
  if (a->best >= 0) printf("\"%s\", \"advice\": [", row[a->best].solver);
  else printf("null, \"advice\": [");
  for (int i = 0; i < n; i++) {
    const tn_advice *r = &row[i];
    printf("%s\n  {\"solver\": \"%s\", \"decomposer\": %s%s%s, \"parts\": %d, \"possible\": %s, \"setup\": %.6g, \"each\": %.6g, \"iterations\": %.6g, "
           "\"messages\": %.6g, \"sent\": %.6g, \"seconds\": %.6g, \"memory\": %.6g, \"measured\": %.6g}", i ? "," : "", r->solver, r->rule ? "\"" : "",
           r->rule ? r->rule : "null", r->rule ? "\"" : "", r->parts, r->excluded[0] ? "false" : "true", r->setup, r->each, r->iterations, r->messages,
           r->sent, r->seconds, r->memory, r->measured);
  }
  printf("\n]}\n");
}

static void print(const tn_advice *row, int n, const tn_advised *a, const arguments *in, const char *from) {
  printf("%d unknowns, %g rank%s, %s%s\n", a->unknowns, in->ranks, in->ranks > 1 ? "s" : "", from[0] ? "rates of " : "usual rates: 'tenon advise "
         "--calibrate' measures this machine's", from);
  printf("matrices of the elements take %.2g s of one process, whoever solves\n\n%-9s %-9s %6s %9s %10s %10s %9s %9s%s\n", a->elements, "solver", "cut by",
         "parts", "setup", "each", "iterations", "time", "memory", in->measure ? "  measured" : "");
  for (int i = 0; i < n; i++) {
    const tn_advice *r = &row[i];
    printf("%-9s %-9s %6d %9.2e %10.2e %10.0f %7.2g s %6.0f MB", r->solver, r->rule ? r->rule : "-", r->parts, r->setup, r->each, r->iterations, r->seconds,
           1e-6*r->memory);
    if (in->measure && r->measured > 0) printf(" %7.2g s", r->measured);
    if (r->excluded[0]) printf("  out: %s", r->excluded);
    printf("\n");
  }
  printf("\na run      without 'solver': %s", a->run);
  if (a->run_parts > 0) printf(", domains: %d", a->run_parts);
  printf("   (%s)\n", a->run_reason);
  if (a->best < 0) {
    printf("advice     none: all of them are out\n");
    return;
  }
  const tn_advice *b = &row[a->best];
  const tn_advice *next = NULL;
  for (int i = 0; i < n; i++)
    if (i != a->best && !row[i].excluded[0] && (!next || row[i].seconds < next->seconds)) next = &row[i];
  printf("advice     solver: %s", b->solver);
  if (b->rule) printf(", domains: %d, decomposer: %s", b->parts, b->rule);
  if (next) printf("   (%s would take %.2g times as long)", next->solver, next->seconds/b->seconds);
  printf("\n");
}

/* statics have no methods to choose from: then what was said before stands */
static int advise_methods(cli *c, const tn_model *model, const char *said) {
  tn_method_advice row[TN_METHODS_MAX];
  tn_methods_advised a;
  int n;
  tn_status st = tn_advise_methods(c->ctx, model, &n, row, &a);
  if (st == TN_ERR_UNSUPPORTED) {
    c->status = st;
    return cli_error(c, EXIT_INPUT, "%s", said);
  }
  if (st != TN_OK) return cli_fail(c, st);
  if (c->json) {
    printf("{\"choice\": %s, \"first\": %d, \"reason\": \"%s\", \"methods\": [", a.choice ? "true" : "false", a.first, a.reason);
    for (int i = 0; i < n; i++)
      printf("%s\n  {\"representation\": \"%s\", \"method\": \"%s\", \"step\": %.6g, \"entry\": %.6g, \"system\": \"%s\"}", i ? "," : "", row[i].representation,
             row[i].method, row[i].step, row[i].entry, row[i].system);
    printf("\n]}\n");
    c->answered = true;
    return 0;
  }
  for (int i = 0; i < n; i++) {
    bool known = false;
    for (int k = 0; k < i; k++) known = known || strcmp(row[k].system, row[i].system) == 0;
    if (!known) printf("%-10s %s\n", row[i].representation, row[i].system);
  }
  printf("\n%-10s %-12s %s\n", "method", "coordinates", "a step costs");
  for (int i = 0; i < n; i++) printf("%-10s %-12s %8.3g us%s\n", row[i].method, row[i].representation, 1e6*row[i].step, i == a.first ? "   begins" : "");
  printf("\nadvice     method: %s, representation: %s   (%s)\n", a.choice ? "auto" : row[a.first].method, a.choice ? "auto" : row[a.first].representation, a.reason);
  return 0;
}

/* where predictions are off by more than a quarter the rate that they rest on moves by 30 % of what it lacks */
static int learn(cli *c, const tn_advice *row, int n, const tn_advised *a, const char *path, tn_rates *rates) {
  struct { const char *solver, *name; double *rate; } on[] = {{"fronts", "factor", &rates->factor}, {"skyline", "skyline", &rates->skyline},
                                                              {"feti", "solve", &rates->solve}, {"pcg", "product", &rates->product}};
  bool moved = false;
  for (int i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof(on)/sizeof(on[0]); k++) {
      double took = row[i].measured - a->elements;
      if (strcmp(row[i].solver, on[k].solver) != 0 || row[i].excluded[0] || !(took > 0.01)) continue;
      double off = row[i].seconds/took;
      if (off < 1.25 && off > 0.8) continue;
      double factor = 1 + 0.3*(fmin(off, 4) - 1);
      if (!c->json) printf("%s %-8s %.3g -> %.3g: %s took %.2g s where %.2g were predicted\n", moved ? "          " : "\nlearned   ", on[k].name,
                           *on[k].rate, *on[k].rate*factor, row[i].solver, took, row[i].seconds);
      *on[k].rate *= factor;
      moved = true;
    }
  return moved && path[0] ? write_rates(c, path, rates, "corrected by a run") : 0;
}

static int run(cli *c, int argc, char **argv) {
  arguments a = {0};
  char path[1200];
  int code = parse(c, argc, argv, &a), n;
  if (code) return code;
  tn_rates rates = tn_rates_usual();
  bool known = false;
  rates_path(&a, path, sizeof(path));
  if (a.calibrate) {
    tn_status st = tn_rates_measure(c->ctx, &rates);
    if (st != TN_OK) return cli_fail(c, st);
    if (path[0]) code = write_rates(c, path, &rates, "measured");
    if (code) return code;
    known = true;
    if (!a.path && !c->json)
      printf("factor %.3g, solve %.3g, product %.3g, skyline %.3g operations a second; %.3g entries ordered a second\nrates      %s\n", rates.factor,
             rates.solve, rates.product, rates.skyline, rates.order, path[0] ? path : "not stored: there is no HOME");
  } else if (path[0] && (a.rates || access(path, R_OK) == 0)) {
    tn_status st = tn_rates_read(c->ctx, path, &rates);
    if (st != TN_OK) return cli_fail(c, st);
    known = true;
  }
  if (!a.path) return 0;
  tn_spec *spec;
  tn_model *model;
  tn_advice row[TN_ADVICE_MAX];
  tn_advised advised;
  code = cli_load(c, a.path, a.set, a.nset, &spec, &model);
  if (code) return code;
  tn_advise_opts o = {.ranks = (int)a.ranks, .parts = (int)a.parts, .memory = 1e6*a.memory, .measure = a.measure};
  tn_status st = tn_advise(c->ctx, model, &rates, &o, &n, row, &advised);
  if (st == TN_ERR_UNSUPPORTED) {
    char said[1024];
    snprintf(said, sizeof(said), "%s", tn_ctx_message(c->ctx));
    code = advise_methods(c, model, said);
  } else if (st != TN_OK) {
    code = cli_fail(c, st);
  } else {
    if (c->json) print_json(row, n, &advised, known ? path : "");
    else print(row, n, &advised, &a, known ? path : "");
    c->answered = c->json;
    if (a.measure && a.ranks <= 1) code = learn(c, row, n, &advised, known ? path : "", &rates);
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code;
}

const cli_command cli_advise = {
    "advise", "model.yaml [-n ranks] [--memory MB] [--measure]",
    "what solvers of the statics of a structure would cost, and which to take; --measure tries\n"
    "                                                                 "
    "them all, --calibrate measures this machine; also --parts, --rates file, --set",
    run};
