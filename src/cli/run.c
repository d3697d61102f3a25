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

/* shares of the time of implicit steps */
static void print_phases(const tn_summary *u) {
  const double part[] = {u->time_matrices, u->time_factors, u->time_accelerations, u->time_recovery};
  static const char *const name[] = {"matrices", "factors", "accelerations", "recovery"};
  double other = u->time_steps;
  printf("\ntime       ");
  for (int i = 0; i < 4; i++) {
    printf("%s %.0f %%, ", name[i], 100*part[i]/u->time_steps);
    other -= part[i];
  }
  printf("other %.0f %% of %.3g s in implicit steps", 100*other/u->time_steps, u->time_steps);
}

static void print_equilibrium(const tn_summary *u) {
  printf("equilibria %d found in %d iterations", u->equilibria, u->iterations);
  if (u->iterations_rejected) printf(" (%d rejected)", u->iterations_rejected);
  printf("; left on body '%s': %.1e N, %.1e N m (%.1e of the forces)\n", u->residual_body,
         u->residual_force, u->residual_moment, u->residual);
  printf("stability  ");
  if (u->nonconservative)
    printf("not judged: some forces have no potential (type: modes tells)\n");
  else if (u->unstable)
    printf("UNSTABLE: %d negative eigenvalue%s of the stiffness\n", u->unstable,
           u->unstable == 1 ? "" : "s");
  else
    printf("%s\n", u->free ? "stable but for what can move freely" : "stable");
  if (u->unstable_left)
    printf("           %d unstable equilibri%s left on the way\n", u->unstable_left,
           u->unstable_left == 1 ? "um" : "a");
  for (int i = 0; i < u->criticals && i < TN_SUMMARY_CRITICAL; i++)
    printf("critical   load %.8g: %s, %s\n", u->critical[i].load, u->critical[i].kind,
           u->critical[i].name);
  if (u->criticals > TN_SUMMARY_CRITICAL)
    printf("           and %d more critical loads\n", u->criticals - TN_SUMMARY_CRITICAL);
  if (u->free)
    printf("free       %d direction%s without stiffness: %s\n", u->free, u->free == 1 ? "" : "s",
           u->free_names);
}

static void print_rest(const tn_summary *u) {
  printf("%-10s equilibrium at t = %g", u->outcome, u->t_begin);
  if (u->t_end > u->t_begin) printf(" to %g", u->t_end);
  printf(" s in %.3g s (%.3g s CPU)\nmethod     %s\n", u->wall, u->cpu, u->method);
  printf("system     %s\n", u->system);
  print_equilibrium(u);
  printf("constraint position %.1e", u->position_error);
  if (u->worst_constraint[0]) printf(" (worst %s)", u->worst_constraint);
  printf("\nenergy     potential %.6g J", u->energy_begin);
  if (u->stored > 1) printf(" to %.6g J", u->energy_end);
  printf("\n");
}

/* what rounding leaves of the frequencies, and of which one it leaves little */
static void print_digits(const tn_summary *u, int shown) {
  double off = 0;
  int worst = 0;
  for (int i = 0; i < shown; i++)
    if (u->mode[i].off_by > off) off = u->mode[worst = i].off_by;
  if (!(off > 0)) return;
  printf("digits     %.0f or more of every frequency", fmax(0, floor(-log10(off))));
  if (off > 1e-6) printf("; rounding leaves fewest of mode %d", worst + 1);
  printf("\n");
}

static void print_modes(const tn_summary *u) {
  int shown = u->modes < TN_SUMMARY_MODES ? u->modes : TN_SUMMARY_MODES;
  printf("%-10s %d modes at t = %g s in %.3g s (%.3g s CPU)\nmethod     %s\n", u->outcome, u->modes,
         u->t_begin, u->wall, u->cpu, u->method);
  printf("system     %s\n", u->system);
  if (u->equilibria) print_equilibrium(u);
  if (u->modes_spin[0] != 0 || u->modes_spin[1] != 0 || u->modes_spin[2] != 0)
    printf("frame      turns with (%g, %g, %g) rad/s\n", u->modes_spin[0], u->modes_spin[1],
           u->modes_spin[2]);
  printf("modes      %d without stiffness (rigid), %d others%s\n", u->modes_rigid,
         u->modes - u->modes_rigid, u->modes_unstable ? "" : ", none unstable");
  if (u->modes_unstable) printf("UNSTABLE   %d mode%s grow%s\n", u->modes_unstable,
                                u->modes_unstable == 1 ? "" : "s", u->modes_unstable == 1 ? "s" : "");
  print_digits(u, shown);
  if (shown) printf("     frequency [Hz]  damping [%%]   eigenvalue [1/s]             mostly\n");
  for (int i = 0; i < shown; i++) {
    const tn_mode *m = &u->mode[i];
    char value[64], damping[32] = "-";
    double re = fabs(m->damping) < 1e-12 ? 0 : m->re; /* the rest is rounding */
    if (m->im > 0) snprintf(value, sizeof(value), "%.4g +- %.6g i", re, m->im);
    else snprintf(value, sizeof(value), "%.4g", re);
    if (m->im > 0) snprintf(damping, sizeof(damping), "%.3g", re == 0 ? 0 : 100*m->damping);
    printf("%3d  %-14.6g  %-12s  %-27s  %s (%.0f %%)%s\n", i + 1, m->im > 0 ? m->frequency : 0,
           damping, value, m->name, 100*m->share, m->unstable ? "  UNSTABLE" : "");
  }
  if (shown < u->modes) printf("     %d more in the results\n", u->modes - shown);
}

/* what had to change at the start, as tenon check tells it */
static void print_assembly(const tn_summary *u) {
  static const char *const what[TN_NCHANGED] = {"position", "orientation", "velocity",
                                                "angular velocity"};
  static const char *const unit[TN_NCHANGED] = {"m", "rad", "m/s", "rad/s"};
  const char *label = "assembly  ";
  if (u->assembly_moved) {
    printf("%s the written position was off by %.3g at '%s'; %d bod%s moved, most '%s': %.3g m, %.3g "
           "rad\n", label, u->assembly_error, u->assembly_row, u->assembly_moved,
           u->assembly_moved == 1 ? "y" : "ies", u->assembly_body, u->assembly_distance,
           u->assembly_angle);
    label = "          ";
  }
  for (int k = TN_CHANGED_VELOCITY; k < TN_NCHANGED; k++) {
    if (u->changed[k].count == 0) continue;
    printf("%s written %s of %d bod%s changed, most '%s': %.3g %s\n", label, what[k],
           u->changed[k].count, u->changed[k].count == 1 ? "y" : "ies", u->changed[k].body,
           u->changed[k].size, unit[k]);
    label = "          ";
  }
}

static void print_end(const tn_summary *u) {
  for (int i = 0; i < u->figures && i < TN_SUMMARY_FIGURES; i++)
    printf("%-10s %.8g%s%s\n", u->figure[i].name, u->figure[i].value, u->figure[i].unit[0] ? " " : "",
           u->figure[i].unit);
  if (u->latches)
    printf("latches    %d locked or opened, %.4g J lost by impulses\n", u->latches, u->latch_loss);
  print_assembly(u);
  if (u->redundant)
    printf("redundant  %d constraint equation%s; some reactions are not unique (tenon check names "
           "them)\n", u->redundant, u->redundant == 1 ? "" : "s");
  if (u->results[0]) printf("results    %s (%ld stored times)\n", u->results, u->stored);
  printf("verdict    %s\n", u->verdict);
}

static void print_summary(const tn_summary *u) {
  if (strcmp(u->analysis, "statics") == 0 || strcmp(u->analysis, "modes") == 0) {
    if (u->modes) print_modes(u);
    else print_rest(u);
    print_end(u);
    return;
  }
  printf("%-10s t = %g to %g s in %.3g s (%.3g s CPU)\n", u->outcome, u->t_begin, u->t_end, u->wall,
         u->cpu);
  if (u->fixed_step) printf("method     %s, fixed step\n", u->method);
  else printf("method     %s, tolerance %.3g\n", u->method, u->tolerance);
  if (u->run_tolerance > 0)
    printf("error      %.1e over the whole run (%g asked), measured against %s\n", u->run_error,
           u->run_tolerance, u->run_reference);
  printf("system     %s\n", u->system);
  if (u->technique[0]) printf("technique  %s\n", u->technique);
  if (u->steps) {
    printf("steps      %ld accepted (%.2e to %.2e s), %ld rejected", u->steps, u->h_min, u->h_max,
           u->rejected);
    if (u->events) printf(", %ld events", u->events);
    if (u->switches_left_out > 0)
      printf(" (of %ld switches %ld stored, the others left out)", u->switches, u->switches_stored);
    printf("\n");
  }
  if (u->step_limit > 0)
    printf("beams      explicit steps below %.3g s: %s\n", u->step_limit, u->step_reason);
  if (u->rotary_scaled[0]) printf("           rotary inertia is scaled: %s\n", u->rotary_scaled);
  printf("work       %ld accelerations, %ld factorizations, %ld projections", u->evaluations,
         u->factorizations, u->projections);
  if (u->jacobians) printf(", %ld Jacobians", u->jacobians);
  if (u->newton) printf(", %ld Newton iterations", u->newton);
  if (u->rank_changes) printf(", %ld rank analyses", u->rank_changes);
  if (u->choices) printf(", coordinates chosen %ld times", u->choices);
  if (u->time_steps > 0) print_phases(u);
  printf("\nconstraint position %.1e, velocity %.1e, acceleration %.1e", u->position_error,
         u->velocity_error, u->acceleration_error);
  if (u->worst_constraint[0]) printf(" (worst %s)", u->worst_constraint);
  printf("\nenergy     %.6g J to %.6g J, dissipated %.4g J, put in %.4g J; balance off by %.1e J",
         u->energy_begin, u->energy_end, u->dissipated, u->input, u->energy_error);
  if (u->energy_scale > 0) printf(" (%.1e of the largest term)", u->energy_error/u->energy_scale);
  printf("\n");
  if (u->equilibria) print_equilibrium(u);
  print_end(u);
}

enum { SETS_MAX = 64 };

typedef struct {
  const char *path, *set[SETS_MAX];
  int nset;
  tn_run_opts o;
  bool live;
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
    print_summary(&sum);
  }
  fflush(stdout); /* before the wait for the page */
  cli_live_stop(c, &m.live, st == TN_OK ? (sum.sound ? 1 : 4) : st == TN_INTERRUPTED ? 2 : 3);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code;
}

const cli_command cli_run = {
    "run",
    "model.yaml [--until s] [--tolerance x] [--method m] ...",
    "simulate; also --output file, --no-output, --keep, --step, --every, --solver,\n"
    "                                                                 --representation, --ordering, "
    "--technique,\n                                                                 "
    "--set name=value, --restart file,\n"
    "                                                                 --meet-tolerance (over the whole run),\n"
    "                                                                 --restart-time s, --live (watch it in the browser)",
    run};
