/* bench/auto.c - `method: auto` against the best single method, model by model
 *
 * Every model file below the folders given that has a transient run with error control: the run as it
 * stands in the file, with auto, and with every adaptive method in both representations. The best single
 * method is the fastest one that gets to the end with the verdict "sound". Time of a run: CPU seconds of
 * one thread for its steps, trials and changes of auto among them, without results; creating the simulation,
 * which auto does for all its candidates, is printed in brackets and not part of the ratio. Nobody waits for
 * a run that is slower than the best so far, or far behind it. Runs shorter than a second are repeated, auto and its best
 * rival in turn; the least time of each counts.
 *
 *   worst_vs_best, median_vs_best   time of auto over that of the best single method
 *   <model>_auto, _best, _ratio     [s], [s], their ratio
 *   <model>_create, _create_best    [s] for creating the simulation
 *   models, above                   models compared; those of them with a ratio above 1.5
 *   failed                          models that a single method finishes and auto does not; their ratio is
 *                                   at least the one printed
 *
 * Usage: bench_auto build/bench/auto.json [-only text] [-limit seconds] [-all] folder ...
 *   -all: every rival to its end or the limit, one line each; in brackets what auto would say that it cost
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>

#include "analyses/analysis.h"
#include "analyses/cost.h"
#include "analyses/sim.h"
#include "bench.h"

enum { MOST = 400, REPEATS = 7, FILE_MAX = 600 };
static const double ALLOWED = 1.5;

typedef struct {
  char method[32], representation[32], says[160], why[200];
  double cpu, create;
  bool done;
  long steps, accelerations, newton, jacobians, matrices, projections;
  double cost; /* by the counters and prices that auto judges by [s]; 0: auto */
} outcome;

typedef struct {
  char file[FILE_MAX];
} path;

static path found[MOST];
static int nfound;
static double limit = 100;
static bool all;

static int find(const char *name, const struct stat *st, int type, struct FTW *ftw) {
  size_t n = strlen(name);
  (void)st, (void)ftw;
  if (type == FTW_F && n > 5 && strcmp(name + n - 5, ".yaml") == 0 && nfound < MOST)
    snprintf(found[nfound++].file, FILE_MAX, "%s", name);
  return 0;
}
static int by_name(const void *a, const void *b) { return strcmp(((const path *)a)->file, ((const path *)b)->file); }
static int by_size(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

/* hurried: a run that has used half of `most` and done less than a tenth of its way is given up */
static void run(tn_ctx *ctx, const tn_model *model, const char *method, const char *representation,
                double most, bool hurried, outcome *out) {
  tn_run_opts o = {.method = method, .representation = representation, .results = ""};
  tn_sim *sim = NULL;
  memset(out, 0, sizeof(*out));
  snprintf(out->method, sizeof(out->method), "%s", method);
  double begin = tni_cpu_time();
  tn_status st = tn_sim_create(ctx, model, &o, &sim);
  out->create = tni_cpu_time() - begin;
  tni_counts counts = st == TN_OK ? tni_counts_of(sim->it) : (tni_counts){0};
  while (st == TN_OK && sim->t_hi < sim->set.until) {
    st = tni_sim_advance_step(sim);
    if (st != TN_OK) break;
    double spent = tni_cpu_time() - begin, done = (sim->t_hi - sim->set.from)/(sim->set.until - sim->set.from);
    if (spent > most || (hurried && spent > 0.5*most && done < 0.1)) {
      snprintf(out->why, sizeof(out->why), "slower (%.3g s at t = %.3g s)", spent, sim->t_hi);
      break;
    }
  }
  out->cpu = tni_cpu_time() - begin - out->create;
  if (st != TN_OK) snprintf(out->why, sizeof(out->why), "%.190s", tn_ctx_message(ctx));
  if (sim && !sim->choice) {
    tni_prices price;
    tni_counts now = tni_counts_of(sim->it);
    tni_prices_of(sim->model, sim->s, sim->it->type, &price);
    out->cost = 1e-9*tni_cost_between(&price, &counts, &now);
  }
  if (sim) {
    tn_summary sum;
    if (st == TN_OK && !out->why[0]) (void)tni_sim_look(sim, sim->set.until);
    tn_sim_summary(sim, &sum);
    snprintf(out->representation, sizeof(out->representation), "%s", tni_representation(sim->s));
    snprintf(out->says, sizeof(out->says), "%s", sum.method);
    out->steps = sum.steps + sum.rejected;
    out->accelerations = sum.evaluations, out->newton = sum.newton;
    out->jacobians = sum.jacobians, out->matrices = sum.matrices, out->projections = sum.projections;
    if (!out->why[0] && !sum.sound) snprintf(out->why, sizeof(out->why), "%.190s", sum.verdict);
  }
  out->done = !out->why[0];
  tn_sim_destroy(&sim);
}

static void show(const char *name, const outcome *o) {
  printf("  %-28s %-10s %-9s %9.3g s (%9.3g) %8ld steps %8ld accel %7ld newton %6ld jac %6ld fac  %s\n", name, o->method, o->representation,
         o->cpu, o->cost, o->steps, o->accelerations, o->newton, o->jacobians, o->matrices, o->done ? "" : o->why);
}

/* the same run again: the least time counts */
static void again(tn_ctx *ctx, const tn_model *model, outcome *o) {
  outcome next;
  bool automatic = strcmp(o->method, "auto") == 0;
  run(ctx, model, o->method, automatic ? NULL : o->representation, HUGE_VAL, false, &next);
  if (next.done && next.cpu < o->cpu) o->cpu = next.cpu, o->create = next.create;
}

/* false: not a transient run with error control */
static bool takes_part(tn_ctx *ctx, const tn_model *model) {
  tni_run_settings set;
  if (tni_run_settings_read(ctx, model, NULL, &set) != TN_OK || set.analysis->motion != TNI_MOTION_STEPS) return false;
  const tni_integrator_type *type = tni_integrator_find(set.method);
  return !set.equal_steps && strcmp(set.technique, "augmented") == 0 &&
         !(type && (type->fixed_step || type->needs_technique)) && !(set.step > 0);
}

/* every rival, none longer than the best so far and than `patience` times auto; those that mostly win first, so that others
 * are stopped soon */
static void run_rivals(tn_ctx *ctx, const tn_model *model, const char *name, const outcome *mine, double patience,
                       outcome *best) {
  static const char *const representation[] = {"joint", "cartesian"}, *const first[] = {"radau", "rk8", "rk45"};
  best->cpu = HUGE_VAL;
  best->done = false;
  for (int k = -TNI_COUNT(first); k < tni_integrator_ntype; k++)
    for (int r = 0; r < 2; r++) {
      const tni_integrator_type *type = k < 0 ? tni_integrator_find(first[k + TNI_COUNT(first)]) : tni_integrator_types[k];
      bool was_first = false;
      for (int i = 0; k >= 0 && i < TNI_COUNT(first); i++) was_first |= strcmp(first[i], type->name) == 0;
      outcome o;
      if (type->fixed_step || type->needs_technique || was_first) continue;
      double most = all ? limit : fmin(limit, fmin(1.1*best->cpu, mine->done ? patience*mine->cpu : HUGE_VAL) + 0.005);
      run(ctx, model, type->name, representation[r], most, k >= 0 && !all, &o);
      for (int i = 0; i < 2 && o.done && o.cpu < 0.05; i++) again(ctx, model, &o);
      if (all) show(name, &o);
      if (o.done && o.cpu < best->cpu) *best = o;
    }
}

static bool compare(tn_ctx *ctx, const tn_model *model, const char *name, outcome *mine, outcome *best) {
  run(ctx, model, "auto", NULL, limit, false, mine);
  if (all) show(name, mine);
  run_rivals(ctx, model, name, mine, 1.3, best);
  if (!best->done && mine->done && !all) run_rivals(ctx, model, name, mine, 10, best);
  for (int i = 0; i < REPEATS && mine->done && mine->cpu < 1; i++) {
    again(ctx, model, mine);
    if (best->done) again(ctx, model, best);
  }
  return best->done;
}

int main(int argc, char **argv) {
  const char *only = NULL;
  figures f;
  double ratio[MOST];
  int n = 0, above = 0, failed = 0;
  if (argc < 3 || !figures_open(&f, argv[1])) return 2;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "-only") == 0 && i + 1 < argc) only = argv[++i];
    else if (strcmp(argv[i], "-limit") == 0 && i + 1 < argc) limit = atof(argv[++i]);
    else if (strcmp(argv[i], "-all") == 0) all = true;
    else nftw(argv[i], find, 8, FTW_PHYS);
  }
  qsort(found, (size_t)nfound, sizeof(found[0]), by_name);
  printf("%-20s %-20s %-20s %6s  %s\n", "model", "auto [s]  (create)", "best [s]  (create)", "ratio",
         "best single method; auto");
  for (int i = 0; i < nfound; i++) {
    tn_ctx *ctx = NULL;
    tn_spec *spec = NULL;
    tn_model *model = NULL;
    char name[64], key[96];
    const char *slash = strrchr(found[i].file, '/');
    snprintf(name, sizeof(name), "%.50s", slash ? slash + 1 : found[i].file);
    name[strcspn(name, ".")] = 0;
    if (only && !strstr(found[i].file, only)) continue;
    if (tn_ctx_create(NULL, &ctx) != TN_OK) return 3;
    if (tn_spec_read_file(ctx, found[i].file, NULL, 0, &spec) == TN_OK && tn_model_compile(ctx, spec, &model) == TN_OK &&
        takes_part(ctx, model)) {
      outcome mine, best;
      bool comparable = compare(ctx, model, name, &mine, &best);
      double r = comparable ? mine.cpu/best.cpu : NAN;
      if (!comparable) {
        printf("%-20s %-8.3g (%.2g) %s  no single method: auto %s\n", name, mine.cpu, mine.create, "-",
               mine.done ? mine.says : mine.why);
      } else {
        ratio[n++] = r;
        above += r > ALLOWED || !mine.done;
        failed += !mine.done;
        printf("%-20s %-9.3g (%-8.2g) %-9.3g (%-8.2g) %6.2f%s %s %s; %s%s\n", name, mine.cpu, mine.create, best.cpu,
               best.create, r, r > ALLOWED ? "!" : " ", best.representation, best.method,
               mine.done ? "" : "auto does not finish: ", mine.done ? mine.says : mine.why);
        snprintf(key, sizeof(key), "%s_auto", name), figure(&f, key, mine.cpu);
        snprintf(key, sizeof(key), "%s_best", name), figure(&f, key, best.cpu);
        snprintf(key, sizeof(key), "%s_ratio", name), figure(&f, key, r);
        snprintf(key, sizeof(key), "%s_create", name), figure(&f, key, mine.create);
        snprintf(key, sizeof(key), "%s_create_best", name), figure(&f, key, best.create);
      }
      fflush(stdout);
    }
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
  if (n) {
    qsort(ratio, (size_t)n, sizeof(double), by_size);
    printf("%d models: worst %.2f, median %.2f; %d above %g, %d not finished\n", n, ratio[n - 1], ratio[n/2], above, ALLOWED, failed);
    figure(&f, "worst_vs_best", ratio[n - 1]);
    figure(&f, "median_vs_best", ratio[n/2]);
    figure(&f, "models", n);
    figure(&f, "above", above);
    figure(&f, "failed", failed);
  }
  figures_close(&f);
  return 0;
}
