/* bench/staggered.c - staggered method, natural partitioning and constraint techniques
 *
 *   bars      transporter on 4 x 64 double wishbones (examples/vehicle/wishbone.yaml): a step of the
 *             staggered method by natural partitioning against the sparse augmented solve, and on a
 *             second thread
 *   crossover the same from 4 x 1 corners on: where the second thread pays
 *   scaling   every technique on vehicle, trees and chains, 1 and 2 threads
 *   chain     100 links: staggered against the trapezoidal rule at equal error of the end position
 *   crank     residuals of one turn, Baumgarte tuned by a scan against staggered
 *   deployment  iterations of the trapezoidal rule with either, three links that lock up
 *
 * All by methods and keys of the program.
 *
 * Times are wall times, the least of many steps; run it on a machine that does nothing else. Usage:
 * bench_staggered build/bench/staggered.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "bench.h"
#include "parallel/pool.h"
#include "techniques/solved.h"

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded_model;

static loaded_model load(const char *path, const char *set, int threads) {
  loaded_model l = {0};
  char whole[512];
  const char *list[] = {set, "drop=-0.02"}; /* vehicles stand on their tyres */
  bool vehicle = strstr(path, "wishbone") != NULL;
  tn_ctx_opts o = {.threads = threads};
  snprintf(whole, sizeof(whole), "%s/%s", TENON_SOURCE_DIR, path);
  if (tn_ctx_create(&o, &l.ctx) != TN_OK) exit(3);
  BENCH_TRY(l.ctx, tn_spec_read_file(l.ctx, whole, list, set ? 1 + vehicle : 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  return l;
}
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static void sort_up(double *x, int n) { qsort(x, (size_t)n, sizeof(double), by_value); }

static void unload(loaded_model *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* ---- scaling -------------------------------------------------------------------------------- */

typedef struct {
  const char *name, *path, *set;
  double h;
  int steps; /* of a round */
} workload;

typedef struct {
  const char *key, *name, *technique, *solver;
  bool iterates;
} way;

enum { SPARSE, REDUCED, T5_DIRECT, T5_CG, T7_DIRECT, T7_CG, NWAY };
static const way ways[NWAY] = {
    [SPARSE] = {"augmented_sparse", "augmented, sparse LU", "augmented", "sparse", false},
    [REDUCED] = {"augmented", "augmented, reduced or hubs", "augmented", "auto", false},
    [T5_DIRECT] = {"staggered", "staggered, direct (T5)", "staggered", "auto", false},
    [T5_CG] = {"staggered_cg", "staggered, conj. gradients", "staggered", "cg", true},
    [T7_DIRECT] = {"natural", "natural, direct (T7)", "natural", "auto", false},
    [T7_CG] = {"natural_cg", "natural, conj. gradients", "augmented", "natural_cg", true}};

static const char WISHBONE[] = "examples/vehicle/wishbone.yaml", CHAIN[] = "examples/chain/chain.yaml";
enum { ROUNDS = 3 };

/* Least wall time of a step in seconds; on one thread that is processor time when nobody else is at
 * work. iterations: of the last solution of an iterative solver */
static double step_time(const workload *m, const way *y, int threads, int steps, int *iterations) {
  loaded_model l = load(m->path, m->set, threads);
  tn_run_opts o = {.method = "staggered", .technique = y->technique, .solver = y->solver,
                   .step = m->h, .until = 100};
  tn_sim *sim;
  double best = HUGE_VAL;
  BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  for (int i = 0; i < steps; i++) {
    double begin = tni_wall_time();
    BENCH_TRY(l.ctx, tni_sim_advance_step(sim));
    best = fmin(best, tni_wall_time() - begin);
  }
  if (iterations) {
    /* techniques with a solver keep it right behind their common part */
    tni_kkt_info info;
    tni_kkt_get_info(((const tni_solved *)sim->technique)->solver, &info);
    *iterations = info.iterations;
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return best;
}

/* part of the step that runs on all threads, from the speed-up of the second */
static double parallel_part(double speedup) { return 2*(1 - 1/speedup); }

static void scaling(figures *f) {
  static const workload model[] = {
      {"corners4x1", WISHBONE, "N=2", 1e-3, 200},  {"corners4x8", WISHBONE, "N=16", 1e-3, 60},
      {"corners4x64", WISHBONE, "N=128", 1e-3, 30}, {"chain10", CHAIN, "N=10", 1e-3, 200},
      {"chain100", CHAIN, "N=100", 1e-3, 60}};
  printf("a step of the staggered method: ms on 1 and 2 threads, speed-up, parallel part of the step "
         "(Amdahl), iterations of a solution\n");
  for (int m = 0; m < TNI_COUNT(model); m++) {
    for (int w = 0; w < NWAY; w++) {
      double t[2] = {HUGE_VAL, HUGE_VAL};
      int iterations = 0, steps = ways[w].iterates && m > 0 ? 5 : model[m].steps;
      for (int round = 0; round < ROUNDS; round++)
        for (int p = 0; p < 2; p++)
          t[p] = fmin(t[p], step_time(&model[m], &ways[w], p + 1, steps,
                                      ways[w].iterates ? &iterations : NULL));
      printf("  %-12s %-28s %8.4f %8.4f  %5.2f  %5.2f", model[m].name, ways[w].name, 1e3*t[0],
             1e3*t[1], t[0]/t[1], fmax(0, parallel_part(t[0]/t[1])));
      if (ways[w].iterates) printf("  %d", iterations);
      printf("\n");
      fflush(stdout);
      for (int p = 0; p < 2; p++) {
        char key[96];
        snprintf(key, sizeof(key), "%s.%s_%dthread_ms", model[m].name, ways[w].key, p + 1);
        figure(f, key, 1e3*t[p]);
      }
    }
  }
}

/* size from which the second thread pays */
static void crossover(figures *f) {
  static const int n[] = {1, 2, 4, 8, 16, 32, 64};
  bool found = false;
  printf("natural partitioning, direct, 4 x n corners: ms on 1 and 2 threads, speed-up\n");
  for (int k = 0; k < TNI_COUNT(n); k++) {
    char set[16];
    snprintf(set, sizeof(set), "N=%d", 2*n[k]);
    workload m = {"", WISHBONE, set, 1e-3, 0};
    double t[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < 2*ROUNDS; round++)
      for (int p = 0; p < 2; p++)
        t[p] = fmin(t[p], step_time(&m, &ways[T7_DIRECT], p + 1, n[k] < 16 ? 100 : 40, NULL));
    printf("  4 x %-2d  %8.4f %8.4f  %5.2f\n", n[k], 1e3*t[0], 1e3*t[1], t[0]/t[1]);
    fflush(stdout);
    if (found || t[0] < 1.1*t[1]) continue;
    found = true;
    figure(f, "corners.crossover_threads", 4.0*n[k]);
  }
}

/* ---- the bars of 4 x 64 corners --------------------------------------------------------------- */

typedef struct {
  double x[2];
} burn_job;

static void burn(void *user, int begin, int end) {
  burn_job *j = user;
  for (int i = begin; i < end; i++) {
    double a = i, b = 0.5, c = 0.25, d = 0.125;
    for (int k = 0; k < 500000; k++)
      a = a*0.999 + 1e-3*b, b = b*0.998 + 1e-3*c, c = c*0.997 + 1e-3*d, d = d*0.996 + 1e-3*a;
    j->x[i] = a + b + c + d;
  }
}

/* seconds of two pieces of work that share nothing */
static double burn_time(int threads) {
  tn_ctx_opts o = {.threads = threads};
  tn_ctx *ctx;
  burn_job j;
  double best = HUGE_VAL;
  if (tn_ctx_create(&o, &ctx) != TN_OK) exit(3);
  for (int i = 0; i < 5; i++) {
    double begin = tni_wall_time();
    tni_parallel_for(ctx, 2, 1, burn, &j);
    best = fmin(best, tni_wall_time() - begin);
  }
  tn_ctx_destroy(&ctx);
  return best;
}

/* What is compared is run in turns: a machine that is slower for a while is so for all. As everywhere
 * the least times count; medians of the turns tell how quiet the machine was. */
static void bars(figures *f) {
  enum { TURNS = 11, STEPS = 40 };
  workload m = {"", WISHBONE, "N=128", 1e-3, 0};
  double sparse[TURNS], one[TURNS], two[TURNS], ratio[TURNS], speedup[TURNS], alone[TURNS], both[TURNS];
  for (int i = 0; i < TURNS; i++) {
    sparse[i] = step_time(&m, &ways[SPARSE], 1, STEPS, NULL);
    one[i] = step_time(&m, &ways[T7_DIRECT], 1, STEPS, NULL);
    two[i] = step_time(&m, &ways[T7_DIRECT], 2, STEPS, NULL);
    ratio[i] = sparse[i]/one[i];
    speedup[i] = one[i]/two[i];
    alone[i] = burn_time(1);
    both[i] = burn_time(2);
  }
  sort_up(sparse, TURNS), sort_up(one, TURNS), sort_up(two, TURNS), sort_up(ratio, TURNS);
  sort_up(speedup, TURNS), sort_up(alone, TURNS), sort_up(both, TURNS);
  printf("4 x 64 corners, ms a step: sparse augmented %.3f, natural %.3f, on 2 threads %.3f\n",
         1e3*sparse[0], 1e3*one[0], 1e3*two[0]);
  printf("natural against sparse augmented on 1 thread: %.2f (median of %d turns %.2f); second thread: "
         "%.2f (median %.2f); two pieces of independent work on two threads: %.2f\n",
         sparse[0]/one[0], TURNS, ratio[TURNS/2], one[0]/two[0], speedup[TURNS/2], alone[0]/both[0]);
  figure(f, "corners4x64.natural_vs_augmented_1thread", sparse[0]/one[0]);
  figure(f, "corners4x64.speedup_2_threads", one[0]/two[0]);
  figure(f, "corners4x64.speedup_2_threads_median", speedup[TURNS/2]);
  figure(f, "machine.speedup_2_threads", alone[0]/both[0]);
}

/* ---- chain ---------------------------------------------------------------------------------- */

static void tip(tni_data *s, const double *q, double x[3]) { /* of the last link, mass centre */
  memcpy(x, q + 7*(s->model->nbody - 1), 3*sizeof(double));
}
static double distance(const double a[3], const double b[3]) {
  double d[3];
  vec3_sub(d, a, b);
  return vec3_norm(d);
}

static void run_chain(const loaded_model *l, const tn_run_opts *o, double x[3], double *cpu) {
  tn_sim *sim;
  BENCH_TRY(l->ctx, tn_sim_create(l->ctx, l->model, o, &sim));
  double begin = tni_cpu_time();
  while (sim->t_hi < o->until) BENCH_TRY(l->ctx, tni_sim_advance_step(sim));
  *cpu = tni_cpu_time() - begin;
  BENCH_TRY(l->ctx, tni_sim_look(sim, o->until));
  memcpy(x, sim->s->kin[l->model->nbody].r, 3*sizeof(double));
  tn_sim_destroy(&sim);
}

/* the rule with fixed-point iteration: cheap passes, and at these steps it converges in few of them */
static double run_trapezoid(const loaded_model *l, double h, double until, double tol, double x[3]) {
  double cpu;
  tn_run_opts o = {.method = "trapezoidal", .step = h, .until = until, .tolerance = tol};
  run_chain(l, &o, x, &cpu);
  return cpu;
}

/* The rule of the program on the descriptor form, with Newton and sparse LU, at equal steps. */
static double run_own(const loaded_model *l, const char *method, double h, double until, double tol,
                      double x[3]) {
  tni_data *s;
  tni_integrator *it;
  double z[TNI_NZ] = {0};
  BENCH_TRY(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &s));
  tni_integrator_opts o = {.rtol = tol, .atol = tol, .h = h, .hmax = h, .t_end = until,
                           .project_tol = 1e-9, .equal_steps = true};
  BENCH_TRY(l->ctx, tni_integrator_find(method)->create(l->ctx, s, &o, &it));
  double *q = calloc((size_t)(s->nq + s->nv), sizeof(double)), *v = q + s->nq;
  tni_initial(s, q, v);
  double begin = tni_cpu_time();
  BENCH_TRY(l->ctx, it->type->start(it, 0, q, v, z));
  while (it->now.t < until) BENCH_TRY(l->ctx, it->type->step(it));
  double cpu = tni_cpu_time() - begin;
  tip(s, it->now.q, x);
  free(q);
  tni_integrator_destroy(&it);
  tni_data_destroy(&s);
  return cpu;
}

/* what a run as good as `error` would cost, from two runs on either side of it, by the order seen */
static double at_equal_error(double error, const double e[2], const double cost[2]) {
  if (!(e[0] > error && e[1] < error)) return cost[1];
  double part = log(e[0]/error)/log(e[0]/e[1]);
  return exp((1 - part)*log(cost[0]) + part*log(cost[1]));
}

static void chain(figures *f) {
  enum { TURNS = 5 };
  loaded_model l = load(CHAIN, "N=100", 1);
  static const char *const technique[] = {"augmented", "natural", "staggered"};
  enum { T5 = 2 };
  double exact[3], x[3], cpu, until = 1, cost[3], off[3];
  tn_run_opts ref = {.method = "rk8", .tolerance = 1e-9, .until = until};
  run_chain(&l, &ref, exact, &cpu);
  for (int k = 0; k < 3; k++) {
    cost[k] = HUGE_VAL;
    for (int i = 0; i < TURNS; i++) {
      tn_run_opts o = {.method = "staggered", .technique = technique[k], .step = 0.005, .until = until};
      run_chain(&l, &o, x, &cpu);
      cost[k] = fmin(cost[k], cpu);
    }
    off[k] = distance(x, exact);
    printf("chain of 100, %g s, two-stage method at h = 0.005 s, technique %s: error %.2e m, %.4f s CPU\n",
           until, technique[k], off[k], cost[k]);
  }
  /* halve the step of each rule until it is as good, then interpolate its cost by its order: as good as
   * the two-stage method with exact multipliers, and with those of the papers */
  double ratio[2][2];
  for (int k = 0; k < 2; k++) {
    double error = off[k ? T5 : 0], own = cost[k ? T5 : 0];
    for (int rule = 0; rule < 2; rule++) {
      double e[2] = {0}, c[2] = {0}, h = 0.02;
      for (int n = 0; n < 8; n++, h *= 0.5) {
        e[0] = e[1], c[0] = c[1];
        c[1] = rule == 0 ? run_trapezoid(&l, h, until, 1e-2*error, x)
                         : run_own(&l, "infl_trap", h, until, 1e-4, x);
        e[1] = distance(x, exact);
        printf("  %s h = %.2g: error %.2e m, %.3g s CPU\n", rule ? "infl_trap" : "trapezoidal", h, e[1],
               c[1]);
        if (e[1] <= error) break;
      }
      ratio[k][rule] = at_equal_error(error, e, c)/own;
    }
    printf("rule / two-stage, technique %s, at equal error: %.2f trapezoidal, %.2f infl_trap\n",
           technique[k ? T5 : 0], ratio[k][0], ratio[k][1]);
  }
  figure(f, "chain100.two_stage_augmented_vs_trapezoidal", ratio[0][0]);
  figure(f, "chain100.two_stage_augmented_vs_infl_trap", ratio[0][1]);
  figure(f, "chain100.staggered_vs_trapezoidal", ratio[1][0]);
  figure(f, "chain100.staggered_vs_infl_trap", ratio[1][1]);
  figure(f, "chain100.error_augmented_m", off[0]);
  figure(f, "chain100.error_staggered_m", off[T5]);
  unload(&l);
}

/* ---- residuals and iterations ---------------------------------------------------------------- */

typedef struct {
  double worst, iterations;
  bool ok;
} outcome;

/* a model of the examples with an analysis of its own; residuals at the ends of all steps */
static outcome residuals(const char *path, double until, const char *analysis) {
  char text[8192], whole[512];
  loaded_model l = {0};
  tn_sim *sim = NULL;
  outcome out = {0};
  snprintf(whole, sizeof(whole), "%s/%s", TENON_SOURCE_DIR, path);
  FILE *file = fopen(whole, "r");
  size_t n = file ? fread(text, 1, sizeof(text) - 400, file) : 0;
  text[n] = 0;
  if (file) fclose(file);
  char *own = strstr(text, "analysis:");
  if (!own) exit(3);
  snprintf(own, 400, "analysis: {until: %g, %s}\n", until, analysis);
  if (tn_ctx_create(NULL, &l.ctx) != TN_OK) exit(3);
  BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, path, text, NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  out.ok = tn_sim_create(l.ctx, l.model, NULL, &sim) == TN_OK; /* steps beyond a limit are refused */
  while (out.ok && sim->t_hi < until) {
    tni_residuals res;
    out.ok = tni_sim_advance_step(sim) == TN_OK;
    if (!out.ok) break;
    tni_eval_residuals(sim->s, sim->it->now.t, sim->it->now.q, sim->it->now.v, NULL, &res);
    out.worst = fmax(out.worst, res.position);
    out.ok = out.worst < 1e3;
  }
  if (sim) out.iterations = (double)sim->it->stats.newton/fmax((double)sim->it->stats.steps, 1);
  tn_sim_destroy(&sim);
  unload(&l);
  return out;
}

/* best of a scan: Baumgarte over alpha, staggered over the softness; by residual or by iterations */
static outcome best_of(const char *path, double until, const char *method, bool staggered,
                       bool by_iterations, double *parameter) {
  outcome best = {.worst = HUGE_VAL, .iterations = HUGE_VAL};
  double from = staggered ? 1e-6 : 2, to = staggered ? 0.9 : 250, factor = staggered ? 3 : 1.2;
  for (double x = from; x < to; x *= factor) {
    char analysis[256];
    snprintf(analysis, sizeof(analysis), "%s, technique: %s, %s: %.6g", method,
             staggered ? "staggered" : "baumgarte", staggered ? "softness" : "alpha", x);
    outcome o = residuals(path, until, analysis);
    bool better = by_iterations ? o.iterations < best.iterations : o.worst < best.worst;
    if (o.ok && better) best = o, *parameter = x;
  }
  return best;
}

static void compare(figures *f, const char *name, const char *path, double until, const char *method,
                    const char *tag) {
  double alpha = 0, eta = 0;
  outcome b = best_of(path, until, method, false, false, &alpha);
  outcome s = best_of(path, until, method, true, false, &eta);
  printf("%s, {%s}: largest residual baumgarte %.2e (alpha %.3g), staggered %.2e (softness %.1e): ratio "
         "%.2f\n", name, method, b.worst, alpha, s.worst, eta, b.worst/s.worst);
  char key[96];
  snprintf(key, sizeof(key), "%s.%s_baumgarte_vs_staggered_residual", name, tag);
  figure(f, key, b.worst/s.worst);
}

static void count(figures *f, const char *name, const char *path, double h, double until, double tol) {
  char method[128];
  double alpha = 0, eta = 0;
  snprintf(method, sizeof(method), "method: trapezoidal, step: %g, tolerance: %g", h, tol*until/h);
  outcome b = best_of(path, until, method, false, true, &alpha);
  outcome s = best_of(path, until, method, true, true, &eta);
  printf("%s, iterations a step until positions move by %.0e, h = %g s: baumgarte %.2f (alpha %.3g, residual "
         "%.1e), staggered %.2f (softness %.0e, residual %.1e)\n", name, tol, h, b.iterations, alpha,
         b.worst, s.iterations, eta, s.worst);
  char key[96];
  snprintf(key, sizeof(key), "%s.iterations_baumgarte", name);
  figure(f, key, b.iterations);
  snprintf(key, sizeof(key), "%s.iterations_staggered", name);
  figure(f, key, s.iterations);
}

int main(int argc, char **argv) {
  figures f;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: %s figures.json [residuals|chain|bars|crossover|scaling]\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0); /* tables can be read while they grow */
  const char *only = argc == 3 ? argv[2] : "";
  bool all = only[0] == 0;
  if (!figures_open(&f, argv[1])) return 3;
  if (all || strcmp(only, "residuals") == 0) {
    static const char *const one[] = {"examples/staggered/one_bar.yaml",
                                      "examples/staggered/slider_crank.yaml"};
    for (int k = 0; k < 2; k++) {
      const char *name = k ? "crank" : "pendulum";
      double until = k ? 0.82 : 5;
      compare(&f, name, one[k], until, "method: trapezoidal, step: 0.01, iterations: 1", "one_pass");
      compare(&f, name, one[k], until, "method: trapezoidal, step: 0.01", "iterated");
      compare(&f, name, one[k], until, "method: staggered, step: 0.01", "two_stage");
    }
    count(&f, "pendulum", "examples/staggered/one_bar.yaml", 0.01, 5, 1e-6);
    count(&f, "deployment", "examples/deployment/three_links.yaml", 0.005, 3, 1e-6);
  }
  if (all || strcmp(only, "chain") == 0) chain(&f);
  if (all || strcmp(only, "bars") == 0) bars(&f);
  if (all || strcmp(only, "crossover") == 0) crossover(&f);
  if (all || strcmp(only, "scaling") == 0) scaling(&f);
  figures_close(&f);
  return 0;
}
