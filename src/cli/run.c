/* cli/run.c - tenon run: simulate, with a progress line and an honest summary
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"

typedef struct {
  cli *c;
  double begin, last; /* wall clock at the start and at the last line */
  double t0;
  bool shown, line;   /* line: this is a terminal */
  cli_live *live;     /* NULL: nobody watches     */
} meter;

static double now(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9*(double)ts.tv_nsec;
}

/* ten times a second at most: a line on a terminal, a bar on the live page */
static void progress(void *user, double t, double t_end, double h, long steps) {
  meter *m = user;
  double clock = now();
  if (clock - m->last < 0.1) return;
  m->last = clock;
  double done = t_end > m->t0 ? (t - m->t0)/(t_end - m->t0) : 1;
  if (m->live) cli_live_progress(m->live, done);
  if (!m->line) return;
  double left = done > 0.01 ? (clock - m->begin)*(1 - done)/done : -1;
  fprintf(stderr, "\rt = %.4g of %.4g s  %3.0f %%  step %.2e s  %ld steps", t, t_end, 100*done, h,
          steps);
  if (left >= 0) fprintf(stderr, "  %.0f s left", left);
  fprintf(stderr, "\033[K");
  m->shown = true;
}

enum { SETS_MAX = 64 };

typedef struct {
  const char *path, *set[SETS_MAX];
  int nset;
  tn_run_opts o;
  bool live, translate;
} arguments;

static int parse(cli *c, int argc, char **argv, arguments *a) {
  bool keep = false, nothing = false;
  tn_run_opts *o = &a->o;
  const cli_opt option[] = {
      {"--output", .text = &o->results}, {"--restart", .text = &o->restart},
      {"--method", .text = &o->method}, {"--representation", .text = &o->representation},
      {"--solver", .text = &o->solver}, {"--ordering", .text = &o->ordering},
      {"--technique", .text = &o->technique}, {"--until", .number = &o->until},
      {"--tolerance", .number = &o->tolerance}, {"--step", .number = &o->step},
      {"--every", .number = &o->every}, {"--restart-time", .number = &o->restart_time},
      {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX},
      {"--no-output", .flag = &nothing}, {"--keep", .flag = &keep}, {"--live", .flag = &a->live},
      {"--translate", .flag = &a->translate},
      {"--meet-tolerance", .flag = &o->meet_tolerance},
  };
  int n, code = cli_parse(c, &cli_run, argc, argv, option, sizeof(option)/sizeof(option[0]), "model",
                          &a->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_run, "no model file given");
  if (nothing && o->results)
    return cli_usage(c, &cli_run, "--output '%s' and --no-output contradict each other", o->results);
  if (o->restart_time > 0 && !o->restart)
    return cli_usage(c, &cli_run, "--restart-time %g needs --restart file: which run is to go on there?",
                     o->restart_time);
  if (nothing) o->results = "";
  o->overwrite = !keep;
  return 0;
}

static int run(cli *c, int argc, char **argv) {
  arguments a = {0};
  int code = parse(c, argc, argv, &a);
  if (code) return code;
  const char *dot = strrchr(a.path, '.');
  bool deck = dot && (strcmp(dot, ".inp") == 0 || strcmp(dot, ".INP") == 0);
  if (a.translate && !deck) return cli_usage(c, &cli_run, "--translate is for decks (.inp)");
  if (deck) {
    const tn_run_opts *o = &a.o;
    if (o->restart || o->method || o->representation || o->solver || o->technique || o->until > 0 || o->tolerance > 0 || o->step > 0 ||
        o->every > 0 || a.nset > 0 || a.live)
      return cli_usage(c, &cli_run, "a deck says itself how it is run: of the options --output, --no-output and --translate are for decks");
    return cli_run_deck(c, a.path, o->results, a.translate);
  }
  tn_spec *spec;
  tn_model *model;
  code = cli_load(c, a.path, a.set, a.nset, &spec, &model);
  if (code) return code;
  meter m = {.c = c, .line = c->terminal && !c->quiet && !c->json};
  if (a.live && !(m.live = cli_live_start(c))) {
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    return EXIT_FAIL;
  }
  if (m.live) a.o.watch = cli_live_watch(m.live);
  m.begin = now();
  if (m.line || m.live) {
    a.o.progress = progress;
    a.o.user = &m;
  }
  tn_summary sum;
  tn_status st = tn_run(c->ctx, model, &a.o, &sum);
  if (m.shown) fprintf(stderr, "\r\033[K");
  if (st != TN_OK) code = cli_fail(c, st);
  else if (!sum.sound) code = EXIT_OUTCOME;
  bool ran = st == TN_OK || sum.stored > 0; /* there is something to tell */
  if (ran && c->json) {
    char *json;
    c->answered = tn_summary_json(c->ctx, &sum, &json) == TN_OK;
    if (c->answered) fputs(json, stdout);
    tn_text_free(c->ctx, &json);
  } else if (ran && !c->quiet) {
    char *text;
    if (tn_summary_text(c->ctx, &sum, &text) == TN_OK) fputs(text, stdout);
    tn_text_free(c->ctx, &text);
  }
  fflush(stdout); /* before the wait for the page */
  cli_live_stop(c, &m.live, st == TN_OK ? (sum.sound ? 1 : 4) : st == TN_INTERRUPTED ? 2 : 3);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code;
}

const cli_command cli_run = {
    "run",
    "model.yaml|deck.inp [--until s] [--tolerance x] [--method m] ...",
    "simulate; also --output file, --no-output, --keep, --step, --every, --solver,\n"
    "                                                                 --representation, --ordering, "
    "--technique,\n                                                                 "
    "--set name=value, --restart file,\n"
    "                                                                 --meet-tolerance (over the whole run),\n"
    "                                                                 --restart-time s, --live (watch it in the browser),\n"
    "                                                                 --translate (of decks: print the model)",
    run};
