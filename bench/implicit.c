/* bench/implicit.c - the stiff vehicle by every implicit method, and by explicit ones
 *
 * Counterparts of tables 24 to 30 and figures 18 to 25 of D. Negrut's thesis (University of Iowa,
 * 1998): CPU seconds of runs of 1 to 4 s at tolerances 1e-2 to 1e-5, exact against numerical
 * matrices, histories of step size and iterations, a run of 30 s; and against SUNDIALS IDA.
 *
 * Explicit methods take some 1e5 steps a second whatever the tolerance: they are measured over the
 * first 20 ms and scaled, which the table says. Time is CPU time of the steps alone, the least of
 * three runs. Error is the largest difference of positions and velocities of bodies from a reference,
 * |x - x_ref|/(1 + |x_ref|), at sixteen times of the run.
 *
 * Usage: bench_implicit build/bench/implicit.json [directory for figures] [matrices, joint, local: these only]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench.h"
#include "implicit_joint.h"

#include "analyses/sim.h"
#include "integrators/partition.h"

#define MODEL TENON_SOURCE_DIR "/examples/vehicle/hmmwv14_stiff.yaml"

enum { NTOL = 4, NLENGTH = 4, SAMPLES = 16, MAX_METHOD = 16, MAX_HISTORY = 40000, REPEAT = 3 };
static const double tolerance[NTOL] = {1e-2, 1e-3, 1e-4, 1e-5};
static const double explicit_span = 0.02, rank_limit = 10;

/* in the order of the thesis, then what came later */
static const struct {
  const char *name, *thesis;
  double published[NTOL]; /* CPU s for 1 s, 0: none */
} wanted[] = {
    {"trap", "SspTrap", {42, 54, 122, 312}},       {"desc_sdirk", "InflSDIRK", {33, 52, 90, 170}},
    {"desc_trap", "InflTrap", {42, 61, 158, 463}}, {"sdirk", "ForSDIRK", {10.1, 21, 33, 57}},
    {"rosen", "ForRosen", {5.6, 13.2, 40.7, 172}}, {"infl_sdirk", "", {0}}, {"infl_trap", "", {0}},
    {"hht", "", {0}}, {"alpha", "", {0}},          {"radau", "", {0}}, {"ida", "", {0}},
};
enum { NWANTED = TNI_COUNT(wanted) };

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded;

typedef struct {
  bool done;
  double cpu[NLENGTH], error; /* CPU when 1, 2, 3, 4 s are reached; -1: did not get there */
  tn_summary sum;
  long n;                     /* accepted steps */
  double *t, *h, *newton;     /* [n] */
} run;

static char *read_text(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(3);
  }
  static char text[100000];
  size_t n = fread(text, 1, sizeof(text) - 1, f);
  text[n] = 0;
  fclose(f);
  return text;
}

/* the vehicle, with more keys in its analysis */
static loaded load(const char *keys, int threads) {
  loaded l;
  tn_ctx_opts o = {.threads = threads};
  char *text = read_text(MODEL), *at = strstr(text, "analysis: {");
  size_t n = strlen(text) + strlen(keys) + 64;
  char *whole = malloc(n);
  if (!at || !whole) exit(3);
  snprintf(whole, n, "%.*sanalysis: {%s%s", (int)(at - text), text, keys, at + 11);
  BENCH_TRY(NULL, tn_ctx_create(&o, &l.ctx));
  BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, "hmmwv14_stiff", whole, NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  free(whole);
  return l;
}

static void unload(loaded *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* ---- one run ------------------------------------------------------------------------------- */

enum { PER_BODY = 6 };

static void sample(tn_sim *sim, double *x) {
  int n = sim->model->nbody;
  for (int i = 0; i < n; i++) {
    const tni_kin *k = &sim->s->kin[i + 1];
    vec3_copy(x + PER_BODY*i, k->r);
    vec3_copy(x + PER_BODY*i + 3, k->v);
  }
}

static double distance(const double *x, const double *ref, long n) {
  double worst = 0;
  for (long i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - ref[i])/(1 + fabs(ref[i])));
  return worst;
}

/* x [SAMPLES][6 nbody] or NULL: not looked at */
static tn_status drive(loaded *l, const char *method, double tol, double until, run *r, double *x) {
  tn_sim *sim;
  tn_run_opts o = {.method = method, .tolerance = tol, .until = until};
  TN_TRY(tn_sim_create(l->ctx, l->model, &o, &sim));
  double cpu = 0;
  int taken = 0, length = 0;
  long newton = 0;
  tn_status st = TN_OK;
  r->n = 0;
  while (st == TN_OK && sim->t_hi < until) {
    double begin = tni_cpu_time();
    st = tni_sim_advance_step(sim);
    cpu += tni_cpu_time() - begin;
    if (r->t && r->n < MAX_HISTORY) {
      tn_sim_summary(sim, &r->sum);
      r->t[r->n] = sim->t_hi;
      r->h[r->n] = sim->t_hi - sim->t_lo;
      r->newton[r->n] = (double)(r->sum.newton - newton);
      newton = r->sum.newton;
    }
    r->n++;
    while (x && st == TN_OK && taken < SAMPLES && sim->t_hi >= until*(taken + 1)/SAMPLES) {
      st = tni_sim_look(sim, until*(taken + 1)/SAMPLES);
      sample(sim, x + (size_t)taken++*(size_t)(PER_BODY*l->model->nbody));
    }
    while (length < NLENGTH && sim->t_hi >= length + 1) r->cpu[length++] = cpu;
  }
  tn_sim_summary(sim, &r->sum);
  r->sum.cpu = cpu;
  tn_sim_destroy(&sim);
  r->done = st == TN_OK;
  return st;
}

static void allocate(run *r) {
  r->t = calloc(MAX_HISTORY, sizeof(double));
  r->h = calloc(MAX_HISTORY, sizeof(double));
  r->newton = calloc(MAX_HISTORY, sizeof(double));
  if (!r->t || !r->h || !r->newton) exit(3);
}

/* the least CPU time of several runs, of more where they are short: a shared machine scatters */
static tn_status measure(loaded *l, const char *method, double tol, double until, run *r,
                         double *x) {
  enum { MORE = 12 };
  double best[NLENGTH], cpu = HUGE_VAL, spent = 0;
  for (int i = 0; i < NLENGTH; i++) best[i] = HUGE_VAL, r->cpu[i] = NAN;
  for (int k = 0; k < REPEAT || (k < MORE && spent < 1); k++) {
    TN_TRY(drive(l, method, tol, until, r, x));
    spent += r->sum.cpu;
    for (int i = 0; i < NLENGTH; i++)
      if (isfinite(r->cpu[i])) best[i] = fmin(best[i], r->cpu[i]);
    cpu = fmin(cpu, r->sum.cpu);
  }
  for (int i = 0; i < NLENGTH; i++) r->cpu[i] = best[i];
  r->sum.cpu = cpu;
  return TN_OK;
}

/* ---- tables -------------------------------------------------------------------------------- */

static double explicit_second[2]; /* CPU s a simulated second at 1e-3 */

static void explicit_table(loaded *l) {
  static const char *const name[2] = {"adams", "rk45"};
  printf("\nExplicit methods, first %g s, scaled to 1 s (thesis, table 24, DEABM: 3618 3641 3667 "
         "3663 s)\n\n| method |", explicit_span);
  for (int k = 0; k < NTOL; k++) printf(" CPU s at %.0e | steps a second |", tolerance[k]);
  printf("\n|---|");
  for (int k = 0; k < NTOL; k++) printf("---|---|");
  printf("\n");
  for (int m = 0; m < 2; m++) {
    printf("| %s |", name[m]);
    for (int k = 0; k < NTOL; k++) {
      run r = {0};
      BENCH_TRY(l->ctx, drive(l, name[m], tolerance[k], explicit_span, &r, NULL));
      printf(" %.3g | %.3g |", r.sum.cpu/explicit_span, (double)r.sum.steps/explicit_span);
      if (k == 1) explicit_second[m] = r.sum.cpu/explicit_span;
    }
    printf("\n");
  }
}

typedef struct {
  const char *name;
  int of; /* in wanted */
  run at[NTOL];
} method_runs;

static void run_methods(loaded *l, const double *ref, method_runs *all, int *n) {
  size_t size = (size_t)SAMPLES*(size_t)(PER_BODY*l->model->nbody);
  double *x = calloc(size, sizeof(double));
  if (!x) exit(3);
  *n = 0;
  for (int w = 0; w < NWANTED; w++) {
    if (!tni_integrator_find(wanted[w].name)) {
      printf("%s: not in this build\n", wanted[w].name);
      continue;
    }
    method_runs *m = &all[(*n)++];
    m->name = wanted[w].name;
    m->of = w;
    for (int k = 0; k < NTOL; k++) {
      allocate(&m->at[k]);
      if (measure(l, m->name, tolerance[k], 4, &m->at[k], x) != TN_OK) {
        printf("%s at %.0e: %s\n", m->name, tolerance[k], tn_ctx_message(l->ctx));
        continue;
      }
      m->at[k].error = distance(x, ref, (long)size);
    }
  }
  free(x);
}

static void implicit_table(const method_runs *all, int n) {
  printf("\nImplicit methods, CPU s to reach 1, 2, 3, 4 s; error over tolerance; steps, rejected, "
         "accelerations, matrices, iterations of the 4 s\n\n"
         "| method | tolerance | 1 s | 2 s | 3 s | 4 s | error/tolerance | steps | rejected | "
         "accelerations | Jacobians | Newton |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int m = 0; m < n; m++) {
    for (int k = 0; k < NTOL; k++) {
      const run *r = &all[m].at[k];
      if (!r->done) continue;
      printf("| %s | %.0e | %.3f | %.3f | %.3f | %.3f | %.2g | %ld | %ld | %ld | %ld | %ld |\n",
             all[m].name, tolerance[k], r->cpu[0], r->cpu[1], r->cpu[2], r->cpu[3],
             r->error/tolerance[k], r->sum.steps, r->sum.rejected, r->sum.evaluations,
             r->sum.jacobians, r->sum.newton);
    }
  }
  printf("\nSpeed-up over adams (scaled), there over DEABM\n\n| method | thesis |");
  for (int k = 0; k < NTOL; k++) printf(" 1 s %.0e | there |", tolerance[k]);
  printf(" 4 s 1e-03 |\n|---|---|");
  for (int k = 0; k < NTOL; k++) printf("---|---|");
  printf("---|\n");
  for (int m = 0; m < n; m++) {
    printf("| %s | %s |", all[m].name, wanted[all[m].of].thesis);
    for (int k = 0; k < NTOL; k++) {
      double there = wanted[all[m].of].published[k];
      static const double deabm[NTOL] = {3618, 3641, 3667, 3663};
      if (all[m].at[k].done) printf(" %.0f |", explicit_second[0]/all[m].at[k].cpu[0]);
      else printf(" - |");
      if (there > 0) printf(" %.0f |", deabm[k]/there);
      else printf(" |");
    }
    if (all[m].at[1].done) printf(" %.0f |\n", 4*explicit_second[0]/all[m].at[1].cpu[3]);
    else printf(" - |\n");
  }
}

/* slope of log CPU against -log tolerance, least squares, runs of 1 s */
static void slopes(const method_runs *all, int n) {
  printf("\nSlope of log CPU against -log tolerance, 1 s\n\n");
  for (int m = 0; m < n; m++) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, c = 0;
    for (int k = 0; k < NTOL; k++) {
      if (!all[m].at[k].done) continue;
      double x = -log10(tolerance[k]), y = log10(all[m].at[k].cpu[0]);
      sx += x, sy += y, sxx += x*x, sxy += x*y, c++;
    }
    if (c > 1) printf("  %-12s %.2f\n", all[m].name, (c*sxy - sx*sy)/(c*sxx - sx*sx));
  }
}

/* ---- figures ------------------------------------------------------------------------------- */

static void write_plot(tn_ctx *ctx, tn_plot *plot, const char *directory, const char *name) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.svg", directory, name);
  BENCH_TRY(ctx, tn_plot_write(plot, path));
  printf("figure %s\n", path);
}

/* figures 20, 21: CPU against tolerance; 18, 19, 22: CPU against length at 1e-3 */
static void plot_cost(tn_ctx *ctx, const method_runs *all, int n, const char *directory) {
  tn_plot *plot;
  tn_plot_opts o = {.title = "Stiff vehicle: cost of every method", .columns = 2,
                    .shared_legend = true};
  tn_plot_panel tol = {.title = "1 s (as figures 20, 21)", .x_label = "tolerance",
                       .y_label = "CPU", .y_unit = "s", .x_log = true, .y_log = true};
  tn_plot_panel len = {.title = "tolerance 1e-3 (as figures 18, 19, 22)", .x_label = "length",
                       .x_unit = "s", .y_label = "CPU", .y_unit = "s", .y_log = true};
  static const double length[NLENGTH] = {1, 2, 3, 4};
  BENCH_TRY(ctx, tn_plot_create(ctx, &o, &plot));
  BENCH_TRY(ctx, tn_plot_add_panel(plot, &tol));
  BENCH_TRY(ctx, tn_plot_add_panel(plot, &len));
  for (int m = -1; m < n; m++) {
    double y[NTOL], z[NLENGTH];
    for (int k = 0; k < NTOL; k++)
      y[k] = m < 0 ? explicit_second[0] : all[m].at[k].done ? all[m].at[k].cpu[0] : NAN;
    for (int i = 0; i < NLENGTH; i++)
      z[i] = m < 0 ? length[i]*explicit_second[0] : all[m].at[1].done ? all[m].at[1].cpu[i] : NAN;
    const char *name = m < 0 ? "adams (scaled)" : all[m].name;
    tn_plot_series s = {.name = name, .n = NTOL, .x = tolerance, .y = y,
                        .style = TN_PLOT_LINE_POINTS, .color = m + 2};
    tn_plot_series u = {.name = name, .n = NLENGTH, .x = length, .y = z,
                        .style = TN_PLOT_LINE_POINTS, .color = m + 2};
    BENCH_TRY(ctx, tn_plot_add_series(plot, 0, &s));
    BENCH_TRY(ctx, tn_plot_add_series(plot, 1, &u));
  }
  write_plot(ctx, plot, directory, "implicit_cost");
  tn_plot_destroy(&plot);
}

static const run *find_run(const method_runs *all, int n, const char *name, int k) {
  for (int m = 0; m < n; m++)
    if (strcmp(all[m].name, name) == 0 && all[m].at[k].done) return &all[m].at[k];
  return NULL;
}

/* figure 23: steps of sdirk and trap; 24: of rosen and infl_sdirk; 25: iterations of trap */
static void plot_steps(tn_ctx *ctx, const method_runs *all, int n, const run *far,
                       const char *directory) {
  static const char *const pair[2][2] = {{"sdirk", "trap"}, {"infl_sdirk", "rosen"}};
  tn_plot *plot;
  tn_plot_opts o = {.title = "Stiff vehicle at 1e-3: steps and iterations", .panel_height = 200};
  BENCH_TRY(ctx, tn_plot_create(ctx, &o, &plot));
  for (int p = 0; p < 2; p++) {
    tn_plot_panel panel = {.title = p ? "30 s run of rosen, 4 s of infl_sdirk (as figure 24)"
                                      : "4 s (as figure 23)",
                           .x_label = "time", .x_unit = "s", .y_label = "step", .y_unit = "s",
                           .y_log = true};
    BENCH_TRY(ctx, tn_plot_add_panel(plot, &panel));
    for (int i = 0; i < 2; i++) {
      const run *r = p && i ? far : find_run(all, n, pair[p][i], 1);
      if (!r || !r->done) continue;
      tn_plot_series s = {.name = pair[p][i], .n = r->n < MAX_HISTORY ? r->n : MAX_HISTORY,
                          .x = r->t, .y = r->h};
      BENCH_TRY(ctx, tn_plot_add_series(plot, p, &s));
    }
  }
  tn_plot_panel panel = {.title = "iterations of trap a step (as figure 25)", .x_label = "time",
                         .x_unit = "s", .y_label = "iterations"};
  BENCH_TRY(ctx, tn_plot_add_panel(plot, &panel));
  const run *r = find_run(all, n, "trap", 1);
  if (r) {
    tn_plot_series s = {.name = "trap", .n = r->n < MAX_HISTORY ? r->n : MAX_HISTORY, .x = r->t,
                        .y = r->newton, .style = TN_PLOT_POINTS};
    BENCH_TRY(ctx, tn_plot_add_series(plot, 2, &s));
  }
  write_plot(ctx, plot, directory, "implicit_steps");
  tn_plot_destroy(&plot);
}

/* ---- the figures asked for ----------------------------------------------------------------- */

/* the fastest of our methods at 1e-3 whose error is within its tolerance times ten */
static const method_runs *best_at(const method_runs *all, int n, int k, int length) {
  const method_runs *best = NULL;
  for (int m = 0; m < n; m++) {
    const run *r = &all[m].at[k];
    if (!r->done || strcmp(all[m].name, "ida") == 0) continue;
    if (r->error > rank_limit*tolerance[k]) continue;
    if (!best || r->cpu[length] < best->at[k].cpu[length]) best = &all[m];
  }
  return best;
}

/* CPU of 4 s that a method needs for the given error, between its runs */
static double cpu_for_error(const method_runs *m, double error) {
  double cpu = NAN;
  for (int k = 0; k + 1 < NTOL; k++) {
    const run *a = &m->at[k], *b = &m->at[k+1];
    if (!a->done || !b->done || !(b->error < a->error)) continue;
    double theta = log(a->error/error)/log(a->error/b->error);
    if ((theta < 0 && k > 0) || (theta > 1 && k + 2 < NTOL)) continue;
    cpu = exp(log(a->cpu[3]) + theta*log(b->cpu[3]/a->cpu[3]));
  }
  return cpu;
}

/* table 30, and the same for rosen, which the thesis could not run with a numerical matrix */
static void numeric_against_exact(figures *f) {
  enum { TURNS = 20 };
  static const char *const name[2] = {"sdirk", "rosen"};
  static const char *const key[2] = {"hmmwv14.numeric_vs_exact_jacobian",
                                     "hmmwv14.numeric_vs_exact_jacobian_rosen"};
  printf("\nMatrices exact and by differences at 1e-3, CPU s to 1, 2, 3, 4 s (thesis, table 30, "
         "ForSDIRK: 21 49 58 61 and 104 229 269 278)\n\n");
  for (int m = 0; m < 2; m++) {
    double cpu[2][NLENGTH];
    long steps[2];
    loaded l[2] = {load("jacobian: exact, ", 1), load("jacobian: numerical, ", 1)};
    for (int i = 0; i < NLENGTH; i++) cpu[0][i] = cpu[1][i] = HUGE_VAL;
    /* in turns: a machine that slows down does so for both */
    for (int k = 0; k < TURNS; k++) {
      for (int i = 0; i < 2; i++) {
        run r = {0};
        BENCH_TRY(l[i].ctx, drive(&l[i], name[m], 1e-3, 4, &r, NULL));
        for (int n = 0; n < NLENGTH; n++) cpu[i][n] = fmin(cpu[i][n], r.cpu[n]);
        steps[i] = r.sum.steps;
      }
    }
    for (int i = 0; i < 2; i++) {
      printf("  %s %-10s %.4f %.4f %.4f %.4f   steps %ld\n", name[m], i ? "numerical" : "exact",
             cpu[i][0], cpu[i][1], cpu[i][2], cpu[i][3], steps[i]);
      unload(&l[i]);
    }
    printf("  %s ratio      %.2f %.2f %.2f %.2f\n", name[m], cpu[1][0]/cpu[0][0],
           cpu[1][1]/cpu[0][1], cpu[1][2]/cpu[0][2], cpu[1][3]/cpu[0][3]);
    figure(f, key[m], cpu[1][0]/cpu[0][0]);
  }
}

/* ---- the matrices alone --------------------------------------------------------------------- */

/* a chain of links with ball joints, stiff springs between neighbours: 3 n freedoms */
static char *chain_text(int n) {
  size_t size = 400*(size_t)n + 400, at = 0;
  char *text = malloc(size);
  if (!text) exit(3);
  at += (size_t)snprintf(text, size, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, size - at,
                           "  b%d: {mass: 1, inertia: [0.01, 0.02, 0.03], at: [%g, 0, 0]}\n", i,
                           0.2*i + 0.1);
  at += (size_t)snprintf(text + at, size - at, "joints:\n");
  for (int i = 0; i < n; i++) {
    char before[16] = "ground";
    if (i > 0) snprintf(before, sizeof(before), "b%d", i - 1);
    at += (size_t)snprintf(text + at, size - at,
                           "  j%d: {type: spherical, bodies: [%s, b%d], at: [%g, 0, 0]}\n", i,
                           before, i, 0.2*i);
  }
  at += (size_t)snprintf(text + at, size - at, "forces:\n");
  for (int i = 1; i < n; i++)
    at += (size_t)snprintf(text + at, size - at,
                           "  k%d: {type: spring, bodies: [b%d, b%d], at1: [0, 0.05, 0.02], "
                           "at2: [0, 0.05, 0.02], stiffness: 1e6, damping: 1e4}\n", i, i - 1, i);
  snprintf(text + at, size - at, "analysis: {until: 1, method: rosen}\n");
  return text;
}

typedef struct {
  tn_sim *sim;
  tni_arena arena;
  tni_scale scale;
  tni_partition p;
  double *a, *lambda;
} matrix;

static void begin_matrix(void *user) {
  matrix *m = user;
  const tni_integrator *it = m->sim->it;
  tni_partition_begin(&m->p, it->now.t, it->now.q, it->now.v, m->a, m->lambda, 1e-3, TNI_TIME_EXACT);
}

/* least wall time of a call: on a busy machine two threads seldom run at the same time */
static double wall_time(void (*work)(void *user), void *user) {
  const double enough = 4;
  double best = HUGE_VAL, start = tni_wall_time();
  while (tni_wall_time() < start + enough) {
    double begin = tni_wall_time();
    work(user);
    best = fmin(best, tni_wall_time() - begin);
  }
  return best;
}

/* matrices of the state at t of a model by one kind of Jacobian: seconds; M1, M2 to *bits */
static double matrix_time(tn_ctx *ctx, const tn_model *model, double t, tni_jacobian kind,
                          double **bits, int *nd) {
  matrix m = {0};
  tn_run_opts o = {.method = "rosen", .representation = "cartesian", .tolerance = 1e-3, .until = 1};
  BENCH_TRY(ctx, tn_sim_create(ctx, model, &o, &m.sim));
  if (t > 0) BENCH_TRY(ctx, tn_sim_advance(m.sim, t));
  tni_data *s = m.sim->s;
  tni_integrator *it = m.sim->it;
  tni_arena_init(&m.arena, ctx);
  m.a = tni_arena_alloc(&m.arena, (size_t)s->nv, sizeof(double));
  m.lambda = tni_arena_alloc(&m.arena, (size_t)s->m, sizeof(double));
  if (!m.a || !m.lambda) exit(3);
  BENCH_TRY(ctx, tni_accel(s, it->now.t, it->now.q, it->now.v, m.a, m.lambda, NULL));
  BENCH_TRY(ctx, tni_scale_create(&m.arena, s, &m.scale));
  tni_integrator_opts io = {.jacobian = kind};
  BENCH_TRY(ctx, tni_partition_create(&m.arena, s, &m.scale, &io, 1e-12, false, &m.p));
  double seconds = wall_time(begin_matrix, &m);
  *nd = m.p.nd;
  size_t n = (size_t)m.p.nd*(size_t)m.p.nd;
  *bits = malloc(2*n*sizeof(double));
  if (!*bits) exit(3);
  memcpy(*bits, m.p.M1, n*sizeof(double));
  memcpy(*bits + n, m.p.M2, n*sizeof(double));
  tni_arena_clear(&m.arena);
  tn_sim_destroy(&m.sim);
  return seconds;
}

/* exact on 1 and 2 threads, numerical on 1 */
static void one_matrix(const char *name, const char *text, double t, double seconds[3], bool *same) {
  double *bits[3];
  int nd = 0;
  for (int k = 0; k < 3; k++) {
    tn_ctx_opts o = {.threads = k == 1 ? 2 : 1};
    loaded l;
    BENCH_TRY(NULL, tn_ctx_create(&o, &l.ctx));
    BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, name, text, NULL, 0, &l.spec));
    BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
    seconds[k] = matrix_time(l.ctx, l.model, t,
                             k == 2 ? TNI_JACOBIAN_NUMERICAL : TNI_JACOBIAN_PARALLEL, &bits[k], &nd);
    unload(&l);
  }
  *same = memcmp(bits[0], bits[1], 2*(size_t)nd*(size_t)nd*sizeof(double)) == 0;
  printf("  %-22s %3d freedoms: exact %8.1f us, on two threads %8.1f us (%.2f times faster, bits %s), "
         "numerical %8.1f us (%.1f times dearer)\n", name, nd, 1e6*seconds[0], 1e6*seconds[1],
         seconds[0]/seconds[1], *same ? "the same" : "DIFFERENT", 1e6*seconds[2],
         seconds[2]/seconds[0]);
  for (int k = 0; k < 3; k++) free(bits[k]);
}

static void matrices(figures *f) {
  static const int length[] = {10, 20, 40};
  double seconds[3];
  bool same;
  printf("\nThe matrices alone: wall time of tangents, elimination, Mhat, M1, M2\n\n");
  one_matrix("vehicle at 0.55 s", read_text(MODEL), 0.55, seconds, &same);
  if (same) figure(f, "hmmwv14.matrix_speedup_2_threads", seconds[0]/seconds[1]);
  figure(f, "hmmwv14.numeric_vs_exact_matrix", seconds[2]/seconds[0]);
  for (int i = 0; i < TNI_COUNT(length); i++) {
    char name[32], key[64], *text = chain_text(length[i]);
    snprintf(name, sizeof(name), "chain of %d links", length[i]);
    one_matrix(name, text, 0, seconds, &same);
    snprintf(key, sizeof(key), "jacobian.speedup_2_threads_chain%d", length[i]);
    if (same) figure(f, key, seconds[0]/seconds[1]);
    if (same && length[i] == 40) figure(f, "jacobian.speedup_2_threads", seconds[0]/seconds[1]);
    free(text);
  }
}

/* parametrizations and filters: steps at every tolerance, 4 s */
static void variants(void) {
  static const char *const keys[] = {"", "parametrization: coordinates, ", "error_filter: on, ",
                                     "error_filter: off, "};
  static const char *const name[] = {"rosen", "sdirk"};
  printf("\nVariants, 4 s: steps (rejected) at 1e-2 to 1e-5; choices of coordinates at 1e-5\n\n");
  for (int i = 0; i < TNI_COUNT(keys); i++) {
    loaded l = load(keys[i], 1);
    for (int m = 0; m < 2; m++) {
      run r = {0};
      printf("  %-6s %-32s", name[m], keys[i][0] ? keys[i] : "default (tangent plane)");
      for (int k = 0; k < NTOL; k++) {
        if (drive(&l, name[m], tolerance[k], 4, &r, NULL) == TN_OK)
          printf(" %ld (%ld)", r.sum.steps, r.sum.rejected);
        else printf(" failed");
      }
      printf("  choices %ld\n", r.sum.choices);
    }
    unload(&l);
  }
}

/* ---- at the tolerances of the thesis: those of a step ---------------------------------------- */

/* Tables 25 to 29 with tolerance_of: step, and the estimates of the thesis (no filter in the descriptor form): CPU s as they are printed
 * there, length by tolerance, then what was counted. The descriptor form with its coordinates chosen by partition, as there, and in
 * the tangent plane, as is usual here. */
static void local_tolerances(figures *f) {
  static const struct {
    const char *name, *table, *thesis, *keys;
    double published[NLENGTH][NTOL]; /* CPU s */
  } list[] = {
      {"trap", "25", "SspTrap", "", {{42, 54, 122, 312}, {79, 140, 330, 849}, {92, 168, 400, 1053}, {98, 179, 424, 1095}}},
      {"desc_sdirk", "26", "InflSDIRK, partition", "parametrization: coordinates, error_filter: off, ",
       {{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}}},
      {"desc_sdirk", "26", "InflSDIRK, tangent plane", "error_filter: off, ",
       {{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}}},
      {"desc_trap", "27", "InflTrap, partition", "parametrization: coordinates, ",
       {{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}}},
      {"desc_trap", "27", "InflTrap, tangent plane", "",
       {{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}}},
      {"sdirk", "28", "ForSDIRK", "", {{10.1, 21, 33, 57}, {25.3, 49, 78, 139}, {29.5, 58, 92, 166}, {30, 61, 94, 184}}},
      {"rosen", "29", "ForRosen", "", {{5.6, 13.2, 40.7, 172}, {12.6, 32.6, 95, 405}, {13, 36.3, 105, 422}, {13.3, 37, 106, 428}}},
      {"rosen", "", "ForRosen, filtered", "error_filter: on, ", {{0}}},
      {"desc_sdirk", "", "InflSDIRK, filtered", "", {{0}}},
  };
  static run at[TNI_COUNT(list)][NTOL];
  static long first[TNI_COUNT(list)][NTOL]; /* steps of 1 s */
  loaded plain = load("", 1);
  size_t size = (size_t)SAMPLES*(size_t)(PER_BODY*plain.model->nbody);
  double *ref = calloc(size, sizeof(double)), *x = calloc(size, sizeof(double));
  run r = {0};
  if (!ref || !x) exit(3);
  BENCH_TRY(plain.ctx, drive(&plain, "rosen", 1e-7, 4, &r, ref));
  unload(&plain);
  printf("\nTolerances of a step, as the thesis has them (tolerance_of: step): CPU s, published in brackets\n\n"
         "| table | code | length | 1e-2 | 1e-3 | 1e-4 | 1e-5 |\n|---|---|---|---|---|---|---|\n");
  for (int m = 0; m < TNI_COUNT(list); m++) {
    char keys[120];
    snprintf(keys, sizeof(keys), "tolerance_of: step, %s", list[m].keys);
    loaded l = load(keys, 1);
    for (int k = 0; k < NTOL; k++) {
      run one = {0};
      if (drive(&l, list[m].name, tolerance[k], 1, &one, NULL) != TN_OK || measure(&l, list[m].name, tolerance[k], 4, &at[m][k], x) != TN_OK) {
        fprintf(stderr, "%s, %.0e: %s\n", list[m].name, tolerance[k], tn_ctx_message(l.ctx));
        at[m][k].done = false;
        continue;
      }
      first[m][k] = one.sum.steps;
      at[m][k].error = distance(x, ref, (long)size);
    }
    for (int i = 0; i < NLENGTH; i++) {
      printf("| %s | %s: %s | %d s |", list[m].table, list[m].thesis, list[m].name, i + 1);
      for (int k = 0; k < NTOL; k++) {
        if (!at[m][k].done) printf(" fails |");
        else if (list[m].published[i][k] > 0) printf(" %.4f (%g) |", at[m][k].cpu[i], list[m].published[i][k]);
        else printf(" %.4f |", at[m][k].cpu[i]);
      }
      printf("\n");
    }
    unload(&l);
  }
  printf("\nCounters of these runs; error of 4 s over tolerance\n\n| code | tolerance | steps, 1 s | steps, 4 s | rejected | Newton | error/tolerance |\n"
         "|---|---|---|---|---|---|---|\n");
  for (int m = 0; m < TNI_COUNT(list); m++)
    for (int k = 0; k < NTOL; k++) {
      const tn_summary *sum = &at[m][k].sum;
      char key[80];
      if (!at[m][k].done) continue;
      printf("| %s: %s | %.0e | %ld | %ld | %ld | %ld | %.2g |\n", list[m].thesis, list[m].name, tolerance[k], first[m][k], sum->steps, sum->rejected,
             sum->newton, at[m][k].error/tolerance[k]);
      snprintf(key, sizeof(key), "local.%s%s%s.steps_1s_%.0e", list[m].name, strstr(list[m].thesis, "partition") ? "_partition" : "",
               strstr(list[m].thesis, "filtered") ? "_filtered" : "", tolerance[k]);
      figure(f, key, (double)first[m][k]);
    }
  free(ref), free(x);
}

#define PENDULUM TENON_SOURCE_DIR "/examples/pendulum/double_pendulum.yaml"

/* tables 20 to 23: angle and rate of the first arm at the ends of all steps against a tight run in joint coordinates */
static void pendulum_tables(void) {
  static const char *const method[2] = {"sdirk", "rosen"}, *const table[2][2] = {{"20", "22"}, {"21", "23"}};
  static const double published[2][2][NTOL] = {{{0.0328, 0.00379, 0.000755, 0.000171}, {0.229, 0.0313, 0.00641, 0.00149}},
                                               {{0.00522, 0.00042, 0.0000492, 0.000019}, {0.0406, 0.00379, 0.000865, 0.000234}}};
  static const char *const keys[2] = {"parametrization: coordinates, ", ""};
  printf("\nDouble pendulum, 2 s, tolerances of a step: largest error, where, relative to the value there, mean a step; "
         "thesis in brackets\n\n| table | method | coordinates | tolerance | largest error | at t | %% | mean | steps, rejected |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  for (int m = 0; m < 2; m++)
    for (int c = 0; c < 2; c++)
      for (int k = 0; k < NTOL; k++) {
        loaded l;
        tn_sim *sim, *ref;
        char *text = read_text(PENDULUM), *at = strstr(text, "analysis: {"), *whole = malloc(strlen(text) + 200);
        if (!at || !whole) exit(3);
        sprintf(whole, "%.*sanalysis: {tolerance_of: step, %s%s", (int)(at - text), text, keys[c], at + 11);
        BENCH_TRY(NULL, tn_ctx_create(NULL, &l.ctx));
        BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, "pendulum", whole, NULL, 0, &l.spec));
        BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
        tn_run_opts o = {.method = method[m], .representation = "cartesian", .tolerance = tolerance[k], .until = 2};
        tn_run_opts tight = {.method = "radau", .representation = "joint", .tolerance = 1e-11, .until = 2};
        BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
        BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &tight, &ref));
        double worst[2] = {0, 0}, when[2] = {0, 0}, value[2] = {1, 1}, sum[2] = {0, 0};
        long n = 0;
        while (sim->t_hi < 2) {
          double x[2], y[2];
          BENCH_TRY(l.ctx, tni_sim_advance_step(sim));
          BENCH_TRY(l.ctx, tni_sim_look(sim, sim->t_hi));
          BENCH_TRY(l.ctx, tn_sim_advance(ref, sim->t_hi));
          BENCH_TRY(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &x[0], &x[1]));
          BENCH_TRY(l.ctx, tn_sim_joint_coordinate(ref, 0, 0, &y[0], &y[1]));
          n++;
          for (int i = 0; i < 2; i++) {
            double e = fabs(x[i] - y[i]);
            sum[i] += e*e;
            if (e <= worst[i]) continue;
            worst[i] = e;
            when[i] = sim->t_hi;
            value[i] = i ? fabs(y[1]) : fabs(y[0] + 2*3.141592653589793);
          }
        }
        tn_summary u;
        tn_sim_summary(sim, &u);
        for (int i = 0; i < 2; i++)
          printf("| %s | %s | %s | %.0e | %.3g (%.3g) | %.4f | %.2g | %.2g | %ld, %ld |\n", table[m][i], method[m],
                 c ? "tangent plane" : "partition", tolerance[k], worst[i], published[m][i][k], when[i],
                 100*worst[i]/value[i], sqrt(sum[i])/(double)n, u.steps, u.rejected);
        tn_sim_destroy(&sim);
        tn_sim_destroy(&ref);
        unload(&l);
        free(whole);
      }
}

/* wall time of a run */
static double run_time(const char *keys, int threads, double *checksum) {
  loaded l = load(keys, threads);
  tn_sim *sim;
  tn_run_opts o = {.method = "rosen", .tolerance = 1e-3, .until = 1};
  BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  double begin = tni_wall_time();
  BENCH_TRY(l.ctx, tn_sim_advance(sim, 1));
  double wall = tni_wall_time() - begin;
  *checksum = 0;
  for (int i = 0; i < sim->s->nq; i++) *checksum += (i + 1)*sim->at.q[i];
  tn_sim_destroy(&sim);
  unload(&l);
  return wall;
}

/* jacobian: exact on one thread, parallel on one and on two */
static void whole_runs(figures *f) {
  double sum[3], wall[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (int k = 0; k < 9; k++)
    for (int t = 0; t < 3; t++)
      wall[t] = fmin(wall[t], run_time(t ? "jacobian: parallel, " : "", t == 2 ? 2 : 1, &sum[t]));
  printf("\nrosen at 1e-3, 1 s, wall time: exact %.4f s, parallel on 1 thread %.4f s, on 2 %.4f s, bits "
         "%s\n", wall[0], wall[1], wall[2],
         sum[0] == sum[1] && sum[0] == sum[2] ? "the same" : "DIFFERENT");
  figure(f, "jacobian.run_speedup_2_threads", wall[0]/wall[2]);
}

int main(int argc, char **argv) {
  figures f;
  const char *directory = argc > 2 ? argv[2] : "build/bench";
  if (argc < 2 || !figures_open(&f, argv[1])) return 2;
  if (argc > 3 && strcmp(argv[3], "matrices") == 0) {
    numeric_against_exact(&f);
    matrices(&f);
    whole_runs(&f);
    figures_close(&f);
    return 0;
  }
  if (argc > 3 && strcmp(argv[3], "columns") == 0) {
    matrices(&f);
    figures_close(&f);
    return 0;
  }
  if (argc > 3 && strcmp(argv[3], "local") == 0) {
    local_tolerances(&f);
    pendulum_tables();
    figures_close(&f);
    return 0;
  }
  if (argc > 3 && strcmp(argv[3], "joint") == 0) {
    joint_coordinates(&f);
    figures_close(&f);
    return 0;
  }
  loaded l = load("", 1);
  size_t size = (size_t)SAMPLES*(size_t)(PER_BODY*l.model->nbody);
  double *ref = calloc(size, sizeof(double)), *second = calloc(size, sizeof(double));
  static method_runs all[MAX_METHOD];
  int n;
  run r = {0};
  if (!ref || !second) return 3;
  BENCH_TRY(l.ctx, drive(&l, "rosen", 1e-7, 4, &r, ref));
  BENCH_TRY(l.ctx, drive(&l, "sdirk", 1e-7, 4, &r, second));
  printf("Vehicle with 14 bodies and stiff bushings, 4 s over a bump. Reference: rosen at 1e-7; sdirk at "
         "1e-7 differs by %.1e\n", distance(second, ref, (long)size));
  explicit_table(&l);
  run_methods(&l, ref, all, &n);
  implicit_table(all, n);
  slopes(all, n);

  const method_runs *one = best_at(all, n, 1, 0), *four = best_at(all, n, 1, 3);
  if (one && four) {
    printf("\nbest at 1e-3: %s over 1 s, %s over 4 s\n", one->name, four->name);
    figure(&f, "hmmwv14.explicit_vs_best_1s_1e-3", explicit_second[0]/one->at[1].cpu[0]);
    figure(&f, "hmmwv14.explicit_vs_best_4s_1e-3", 4*explicit_second[0]/four->at[1].cpu[3]);
    figure(&f, "hmmwv14.rk45_vs_best_1s_1e-3", explicit_second[1]/one->at[1].cpu[0]);
    figure(&f, "hmmwv14.rk45_vs_best_4s_1e-3", 4*explicit_second[1]/four->at[1].cpu[3]);
    figure(&f, "hmmwv14.real_time_factor", 4/four->at[1].cpu[3]);
  }
  numeric_against_exact(&f);
  run far = {0};
  allocate(&far);
  if (four) {
    BENCH_TRY(l.ctx, measure(&l, four->name, 1e-3, 30, &far, NULL));
    printf("\n30 s by %s at 1e-3: %.3f s CPU, %ld steps, largest %.3g s\n", four->name, far.sum.cpu,
           far.sum.steps, far.sum.h_max);
    figure(&f, "hmmwv14.cost_30s_vs_4s", far.sum.cpu/four->at[1].cpu[3]);
  }
  /* figure 24 has this method */
  BENCH_TRY(l.ctx, drive(&l, "rosen", 1e-3, 30, &far, NULL));
  double worst = 0;
  for (int m = 0; m < n; m++) {
    bool offered = strcmp(all[m].name, "rosen") == 0 || strcmp(all[m].name, "sdirk") == 0;
    for (int k = 0; k < NTOL && offered; k++)
      if (all[m].at[k].done) worst = fmax(worst, all[m].at[k].error/tolerance[k]);
    if (strcmp(all[m].name, "ida") == 0 && four) {
      double cpu = cpu_for_error(&all[m], four->at[1].error);
      printf("ida for the error %.2e of %s at 1e-3: %.3f s CPU\n", four->at[1].error, four->name, cpu);
      figure(&f, "hmmwv14.ida_vs_best_1e-3", cpu/four->at[1].cpu[3]);
    }
  }
  figure(&f, "hmmwv14.worst_error_over_tolerance", worst);
  variants();
  local_tolerances(&f);
  pendulum_tables();
  matrices(&f);
  whole_runs(&f);
  joint_coordinates(&f);
  plot_cost(l.ctx, all, n, directory);
  plot_steps(l.ctx, all, n, &far, directory);
  figures_close(&f);
  free(ref), free(second);
  unload(&l);
  return 0;
}
