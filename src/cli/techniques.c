/* cli/techniques.c - tenon techniques: every constraint technique on one model, in one table
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "cli.h"

enum { SETS_MAX = 64 };

typedef struct {
  const char *path, *set[SETS_MAX];
  int nset;
  tn_run_opts o;
} arguments;

static int parse(cli *c, int argc, char **argv, arguments *a) {
  tn_run_opts *o = &a->o;
  const cli_opt option[] = {
      {"--method", .text = &o->method}, {"--step", .number = &o->step}, {"--until", .number = &o->until},
      {"--tolerance", .number = &o->tolerance},
      {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX},
  };
  int n, code = cli_parse(c, &cli_techniques, argc, argv, option, sizeof(option)/sizeof(option[0]),
                          "model", &a->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_techniques, "no model file given");
  if (!o->method) o->method = "staggered";
  o->results = "";
  return 0;
}

static void begin(const cli *c, const arguments *a) {
  if (c->json) {
    printf("{\"method\": \"%s\", \"techniques\": [", a->o.method);
    return;
  }
  printf("method %s\n\n%-13s %-9s %8s %10s %9s %9s %9s %9s  %s\n", a->o.method, "technique", "outcome",
         "steps", "iterations", "energy", "position", "velocity", "CPU [s]", "verdict");
}

static void row(const char *name, tn_status st, const tn_summary *u, const char *message) {
  bool ran = u->steps > 0;
  const char *outcome = st == TN_OK ? "complete" : ran ? "failed" : "refused";
  if (!ran) {
    printf("%-13s %-9s %s\n", name, outcome, message);
    return;
  }
  printf("%-13s %-9s %8ld %10.2f %9.1e %9.1e %9.1e %9.3g  %s\n", name, outcome, u->steps,
         (double)u->newton/fmax((double)u->steps, 1), u->energy_error/fmax(u->energy_scale, 1e-300),
         u->position_error, u->velocity_error, u->cpu, st == TN_OK && u->sound ? "sound" : "doubtful");
}

static void row_json(bool first, const char *name, tn_status st, const tn_summary *u) {
  printf("%s\n  {\"technique\": \"%s\", \"complete\": %s, \"sound\": %s, \"steps\": %ld, \"iterations\": %ld, "
         "\"energy_error\": %.9g, \"energy_scale\": %.9g, \"position_error\": %.9g, \"velocity_error\": %.9g, "
         "\"cpu\": %.6g}", first ? "" : ",", name, st == TN_OK ? "true" : "false",
         st == TN_OK && u->sound ? "true" : "false", u->steps, u->newton, u->energy_error, u->energy_scale,
         u->position_error, u->velocity_error, u->cpu);
}

static int run(cli *c, int argc, char **argv) {
  static tn_summary sum; /* large */
  arguments a = {0};
  int code = parse(c, argc, argv, &a);
  if (code) return code;
  tn_spec *spec;
  tn_model *model;
  code = cli_load(c, a.path, a.set, a.nset, &spec, &model);
  if (code) return code;
  const char *name;
  bool any = false;
  for (int i = 0; (name = tn_technique_name(i)) && cli_signals() == 0; i++) {
    a.o.technique = name;
    memset(&sum, 0, sizeof(sum));
    tn_status st = tn_run(c->ctx, model, &a.o, &sum);
    if (i == 0 && (st == TN_ERR_INPUT || st == TN_ERR_ARGUMENT)) { /* wrong for all of them */
      code = cli_fail(c, st);
      break;
    }
    if (i == 0) begin(c, &a);
    any = any || sum.steps > 0;
    if (c->json) row_json(i == 0, name, st, &sum);
    else row(name, st, &sum, tn_ctx_message(c->ctx));
    fflush(stdout);
  }
  if (c->json && !code) {
    printf("\n]}\n");
    c->answered = true;
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code ? code : any ? EXIT_DONE : EXIT_OUTCOME;
}

const cli_command cli_techniques = {
    "techniques", "model.yaml [--method staggered] [--step s] [--until s] ...",
    "run the model with every constraint technique: residuals, energy, iterations, time;\n"
    "                                                                 "
    "also --method trapezoidal, --tolerance, --set name=value",
    run};
