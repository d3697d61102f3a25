/* bench/staggered.c - staggered method, natural partitioning and constraint techniques
 *
 *   corners   transporter on N axles of double wishbones (examples/vehicle/wishbone.yaml): a step of
 *             the staggered method by every technique, on 1 and 2 threads, with the size from which
 *             natural partitioning and the second thread pay
 *   chain     100 links: staggered against the trapezoidal rule at equal error of the end position
 *   crank     residuals of one turn, Baumgarte tuned by a scan against staggered
 *   deployment  iterations of the trapezoidal rule with either, three links that lock up
 *
 * Times are the least of many steps: processor time on one thread, wall time on two. Usage:
 * bench_staggered build/bench/staggered.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "bench.h"
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
static void unload(loaded_model *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* ---- corners -------------------------------------------------------------------------------- */

/* least time of a step, in seconds: processor time of one thread, wall time of more */
static double step_time(int axles, const char *technique, const char *solver, int threads,
                        bool wall, int steps) {
  char set[32];
  snprintf(set, sizeof(set), "N=%d", axles);
  loaded_model l = load("examples/vehicle/wishbone.yaml", set, threads);
  tn_run_opts o = {.method = "staggered", .technique = technique, .solver = solver, .step = 1e-3,
                   .until = 100};
  tn_sim *sim;
  double best = HUGE_VAL;
  BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  for (int i = 0; i < steps; i++) {
    double begin = wall ? tni_wall_time() : tni_cpu_time();
    BENCH_TRY(l.ctx, tni_sim_advance_step(sim));
    best = fmin(best, (wall ? tni_wall_time() : tni_cpu_time()) - begin);
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return best;
}

static void corners(figures *f) {
  static const struct {
    const char *name, *technique, *solver;
  } way[] = {{"augmented, sparse LU", "augmented", "sparse"},
             {"augmented, hubs", "augmented", "auto"},
             {"staggered, hubs", "staggered", "auto"},
             {"natural, direct", "natural", "auto"},
             {"natural, conjugate gradients", "augmented", "natural_cg"}};
  static const int n[] = {1, 8, 64};
  double t[TNI_COUNT(way)][3][2];
  printf("step of the staggered method, ms, 1 and 2 threads; corners 4 x n\n");
  printf("%-30s", "");
  for (int k = 0; k < 3; k++) printf("        4 x %-2d     ", n[k]);
  printf("\n");
  for (int w = 0; w < TNI_COUNT(way); w++) {
    printf("%-30s", way[w].name);
    for (int k = 0; k < 3; k++)
      for (int p = 0; p < 2; p++) {
        t[w][k][p] = step_time(2*n[k], way[w].technique, way[w].solver, p + 1,
                               p > 0, n[k] == 64 ? 45 : 100);
        printf(" %9.4f", 1e3*t[w][k][p]);
        char key[96];
        snprintf(key, sizeof(key), "corners4x%d.%s%s_%dthread_ms", n[k],
                 w == 4 ? "natural_cg" : way[w].technique, w == 0 ? "_sparse" : "", p + 1);
        figure(f, key, 1e3*t[w][k][p]);
        fflush(stdout);
      }
    printf("\n");
  }
  double ratio = t[0][2][0]/t[3][2][0];
  double alone = step_time(128, "natural", "auto", 1, true, 90);
  double speedup = alone/fmin(t[3][2][1], step_time(128, "natural", "auto", 2, true, 90));
  printf("natural against sparse augmented, 4 x 64, 1 thread: %.2f; second thread: %.2f\n", ratio,
         speedup);
  figure(f, "corners4x64.natural_vs_augmented_1thread", ratio);
  figure(f, "corners4x64.speedup_2_threads", speedup);
  for (int k = 0; k < 3; k++)
    if (t[3][k][0] > 1.1*t[3][k][1]) {
      printf("second thread pays from 4 x %d corners on\n", n[k]);
      figure(f, "corners.crossover_threads", 4.0*n[k]);
      break;
    }
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
  printf("  trapezoidal h = %.2g: %.2f iterations a step\n", h, (double)passes/(double)steps);
  trap_close(&w);
  tni_system_destroy(&s);
  return cpu;
}

static void chain(figures *f) {
  loaded_model l = load("examples/chain/chain.yaml", "N=100", 1);
  double exact[3], x[3], cpu, error[2], cost[2], until = 1;
  tn_run_opts ref = {.method = "rk8", .tolerance = 1e-9, .until = until};
  run_chain(&l, &ref, exact, &cpu);
  tn_run_opts o = {.method = "staggered", .technique = "augmented", .step = 0.005, .until = until};
  run_chain(&l, &o, x, &cost[0]);
  error[0] = distance(x, exact);
  /* halve the step of the rule until it is as good, then interpolate its cost by its order */
  double h = 0.02, before = 0, cost_before = 0;
  for (int k = 0; k < 8; k++, h *= 0.5) {
    cost[1] = run_trapezoid(&l, h, until, fmax(1e-2*error[0]*h/until, 1e-10), x);
    error[1] = distance(x, exact);
    printf("  error %.2e m, %.3g s CPU (staggered %.2e m, %.3g s)\n", error[1], cost[1], error[0],
           cost[0]);
    if (error[1] <= error[0]) break;
    before = error[1], cost_before = cost[1];
  }
  double equal = cost[1];
  if (before > error[0] && error[1] < error[0]) {
    double part = log(before/error[0])/log(before/error[1]);
    equal = exp((1 - part)*log(cost_before) + part*log(cost[1]));
  }
  printf("chain of 100, %g s: trapezoidal rule / staggered at equal error %.2f\n", until,
         equal/cost[0]);
  figure(f, "chain100.staggered_vs_trapezoidal", equal/cost[0]);
  figure(f, "chain100.error_m", error[0]);
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
    fprintf(stderr, "usage: %s figures.json [residuals|chain|corners]\n", argv[0]);
    return 2;
  }
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
  if (all || strcmp(only, "corners") == 0) corners(&f);
  figures_close(&f);
  return 0;
}
