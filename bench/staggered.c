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
 * Times are wall times, the least of many steps; run it on a machine that does nothing else. Usage:
 * bench_staggered build/bench/staggered.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "bench.h"
#include "parallel/pool.h"
#include "techniques/solved.h"
#include "trapezoid.h"

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded_model;

static loaded_model load(const char *path, const char *set, int threads) {
  loaded_model l = {0};
  char whole[512];
  const char *list[1] = {set};
  tn_ctx_opts o = {.threads = threads};
  snprintf(whole, sizeof(whole), "%s/%s", TENON_SOURCE_DIR, path);
  if (tn_ctx_create(&o, &l.ctx) != TN_OK) exit(3);
  BENCH_TRY(l.ctx, tn_spec_read_file(l.ctx, whole, list, set ? 1 : 0, &l.spec));
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

static void tip(tni_system *s, const double *q, double x[3]) { /* of the last link, mass centre */
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

/* The trapezoidal rule with accelerations and multipliers from one system, iterated to tol and
 * projected. Fixed-point iteration: cheap passes, and at these steps it converges in few of them. */
static double run_trapezoid(const loaded_model *l, double h, double until, double tol, double x[3]) {
  tni_system *s;
  trapezoid w;
  long passes = 0, steps = 0;
  BENCH_TRY(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &s));
  BENCH_TRY(l->ctx, trap_open(&w, l->ctx, s, false, h));
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-9};
  double begin = tni_cpu_time(), delta = 0.5*h;
  for (long n = lround(until/h); n > 0; n--, steps++) {
    double change = HUGE_VAL;
    for (int i = 0; i < s->nv; i++) w.a1[i] = w.a[i];
    for (int k = 0; k < 50 && change > tol; k++, passes++) {
      change = 0;
      for (int i = 0; i < s->nv; i++) {
        double v = w.v[i] + delta*(w.a[i] + w.a1[i]);
        change = fmax(change, k > 0 ? delta*fabs(v - w.v1[i]) : HUGE_VAL);
        w.v1[i] = v;
        w.dx[i] = delta*(w.v[i] + v);
      }
      s->ops->retract(s, w.q, w.dx, w.q1);
      if (s->ops->accel(s, w.t + h, w.q1, w.v1, w.a1, w.lambda, NULL) != TN_OK) n = 1;
    }
    if (s->ops->project(s, w.t + h, w.q1, w.v1, &p, NULL) != TN_OK) n = 1;
    w.t += h;
    memcpy(w.q, w.q1, (size_t)s->nq*sizeof(double));
    memcpy(w.v, w.v1, (size_t)s->nv*sizeof(double));
    memcpy(w.a, w.a1, (size_t)s->nv*sizeof(double));
  }
  double cpu = tni_cpu_time() - begin;
  tip(s, w.q, x);
  printf("  %.2f iterations a step;", (double)passes/(double)steps);
  trap_close(&w);
  tni_system_destroy(&s);
  return cpu;
}

/* The rule of the program on the descriptor form, with Newton and sparse LU, at equal steps. */
static double run_own(const loaded_model *l, const char *method, double h, double until, double tol,
                      double x[3]) {
  tni_system *s;
  tni_integrator *it;
  double z[TNI_NZ] = {0};
  BENCH_TRY(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &s));
  tni_integrator_opts o = {.rtol = tol, .atol = tol, .h = h, .hmax = h, .t_end = until,
                           .project_tol = 1e-9, .equal_steps = true};
  BENCH_TRY(l->ctx, tni_integrator_find(method)->create(l->ctx, s, &o, &it));
  double *q = calloc((size_t)(s->nq + s->nv), sizeof(double)), *v = q + s->nq;
  s->ops->initial(s, q, v);
  double begin = tni_cpu_time();
  BENCH_TRY(l->ctx, it->type->start(it, 0, q, v, z));
  while (it->t < until) BENCH_TRY(l->ctx, it->type->step(it));
  double cpu = tni_cpu_time() - begin;
  tip(s, it->q, x);
  free(q);
  tni_integrator_destroy(&it);
  tni_system_destroy(&s);
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
  double exact[3], x[3], cpu, until = 1, own = HUGE_VAL, natural = HUGE_VAL;
  tn_run_opts ref = {.method = "rk8", .tolerance = 1e-9, .until = until};
  run_chain(&l, &ref, exact, &cpu);
  for (int i = 0; i < TURNS; i++) {
    tn_run_opts o = {.method = "staggered", .technique = "augmented", .step = 0.005, .until = until};
    run_chain(&l, &o, x, &cpu);
    own = fmin(own, cpu);
  }
  double error = distance(x, exact);
  for (int i = 0; i < TURNS; i++) {
    tn_run_opts o = {.method = "staggered", .technique = "natural", .step = 0.005, .until = until};
    run_chain(&l, &o, x, &cpu);
    natural = fmin(natural, cpu);
  }
  printf("chain of 100, %g s, staggered at h = 0.005 s: error %.2e m, %.4f s CPU, natural %.4f s\n",
         until, error, own, natural);
  /* halve the step of each rule until it is as good, then interpolate its cost by its order */
  double ratio[2];
  for (int rule = 0; rule < 2; rule++) {
    double e[2] = {0}, cost[2] = {0}, h = 0.02;
    for (int k = 0; k < 8; k++, h *= 0.5) {
      double tol = fmax(1e-2*error*h/until, 1e-10);
      e[0] = e[1], cost[0] = cost[1];
      cost[1] = rule == 0 ? run_trapezoid(&l, h, until, tol, x)
                          : run_own(&l, "infl_trap", h, until, 1e-4, x);
      e[1] = distance(x, exact);
      printf("  %s h = %.2g: error %.2e m, %.3g s CPU\n", rule ? "infl_trap" : "fixed-point", h, e[1],
             cost[1]);
      if (e[1] <= error) break;
    }
    ratio[rule] = at_equal_error(error, e, cost)/own;
  }
  printf("trapezoidal rule / staggered at equal error: %.2f with fixed-point iteration, %.2f with Newton "
         "(infl_trap)\n", ratio[0], ratio[1]);
  figure(f, "chain100.staggered_vs_trapezoidal", fmin(ratio[0], ratio[1]));
  figure(f, "chain100.staggered_vs_infl_trap", ratio[1]);
  figure(f, "chain100.error_m", error);
  unload(&l);
}

/* ---- residuals and iterations ---------------------------------------------------------------- */

typedef struct {
  double worst, rms, iterations;
  long unconverged;
  bool ok;
} outcome;

/* events of latches: the side of each switching function is watched after every step */
static outcome residuals(const char *path, double h, double until, bool staggered, double eta,
                         double alpha, double tol) {
  loaded_model l = load(path, NULL, 1);
  tni_system *s;
  trapezoid w;
  double before[16] = {0}, now[16];
  outcome out = {0};
  BENCH_TRY(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  BENCH_TRY(l.ctx, trap_open(&w, l.ctx, s, staggered, h));
  w.eta = eta;
  w.alpha = alpha;
  w.beta = alpha*alpha;
  w.tol = tol;
  w.limit = 50;
  s->ops->bodies(s, 0, w.q, w.v, NULL);
  tni_system_commit(s, 0, true);
  bool watch = l.model->nevent > 0 && l.model->nevent <= 16;
  if (watch) tni_system_events(s, 0, before);
  out.ok = true;
  while (w.t < until - 0.5*h && out.ok) {
    out.ok = trap_step(&w) == TN_OK && w.worst < 1e3;
    if (!watch || !out.ok) continue;
    s->ops->bodies(s, w.t, w.q, w.v, NULL);
    tni_system_events(s, w.t, now);
    bool event = false;
    for (int i = 0; i < l.model->nevent; i++) event = event || now[i]*before[i] < 0;
    if (event) {
      tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-10};
      tni_system_commit(s, w.t, true);
      if (s->ops->update_rank(s, w.t, w.q) != TN_OK) out.ok = false;
      if (out.ok && s->ops->project(s, w.t, w.q, w.v, &p, NULL) != TN_OK) out.ok = false;
      if (out.ok && s->ops->accel(s, w.t, w.q, w.v, w.a, w.lambda, NULL) != TN_OK) out.ok = false;
      s->ops->bodies(s, w.t, w.q, w.v, NULL);
      tni_system_events(s, w.t, now);
    }
    memcpy(before, now, sizeof(before));
  }
  out.worst = w.worst;
  out.rms = sqrt(w.square/fmax((double)w.steps, 1));
  out.iterations = (double)w.iterations/fmax((double)w.steps, 1);
  out.unconverged = w.unconverged;
  trap_close(&w);
  tni_system_destroy(&s);
  unload(&l);
  return out;
}

/* Baumgarte with the alpha of a scan that leaves least, staggered with the softness that does */
static void compare(figures *f, const char *name, const char *path, double h, double until) {
  outcome best = {.worst = HUGE_VAL}, soft = {.worst = HUGE_VAL};
  double alpha = 0, eta = 0;
  for (double a = 2; a < 150; a *= 1.15) {
    outcome o = residuals(path, h, until, false, 0, a, 0);
    if (o.ok && o.worst < best.worst) best = o, alpha = a;
  }
  for (double e = 1e-6; e < 1; e *= 3) {
    outcome o = residuals(path, h, until, true, e, 0, 0);
    if (o.ok && o.worst < soft.worst) soft = o, eta = e;
  }
  printf("%s, one pass a step, h = %g s: baumgarte %.2e (rms %.1e, alpha %.3g), staggered %.2e "
         "(rms %.1e, eta %.1e): ratio %.1f\n", name, h, best.worst, best.rms, alpha, soft.worst,
         soft.rms, eta, best.worst/soft.worst);
  char key[96];
  snprintf(key, sizeof(key), "%s.baumgarte_vs_staggered_error", name);
  figure(f, key, best.worst/soft.worst);
}

static void count(figures *f, const char *name, const char *path, double h, double until,
                  double tol) {
  outcome b = {.iterations = HUGE_VAL}, s = b;
  double alpha = 0, eta = 0;
  for (double a = 5; a < 250; a *= 1.3) { /* the one that needs least */
    outcome o = residuals(path, h, until, false, 0, a, tol);
    if (o.ok && o.iterations < b.iterations) b = o, alpha = a;
  }
  for (double e = 1e-6; e < 1; e *= 10) {
    outcome o = residuals(path, h, until, true, e, 0, tol);
    if (o.ok && o.iterations < s.iterations) s = o, eta = e;
  }
  printf("%s, iterations a step to %.0e, h = %g s: baumgarte %.2f (alpha %.3g, %ld steps not "
         "converged), staggered %.2f (eta %.0e, %ld)\n", name, tol, h, b.iterations, alpha,
         b.unconverged, s.iterations, eta, s.unconverged);
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
    compare(&f, "pendulum", "examples/staggered/one_bar.yaml", 0.01, 5);
    compare(&f, "crank", "examples/staggered/slider_crank.yaml", 0.01, 0.82);
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
