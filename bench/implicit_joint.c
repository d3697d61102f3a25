/* bench/implicit_joint.c - implicit steps in joint coordinates
 *
 * The chain of bench/peers: equal links on hinges about y, released from rest along x. CPU time of a step:
 * that of the run over accepted and rejected steps, the least of several runs. Matrices: exact ones with
 * their factors, against those by differences of accelerations without. The double pendulum is that of
 * D. Negrut's thesis (University of Iowa, 1998) over its 2 s.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "implicit_joint.h"

#include "analyses/sim.h"
#include "integrators/partition.h"

static char *chain_of(int links) {
  static char text[1000];
  snprintf(text, sizeof(text),
           "tenon: 1\ngravity: [0, 0, -9.81]\nrepeat:\n"
           "  - for: {i: [1, %d]}\n    bodies:\n      \"link{i}\": {mass: 0.1, shape: {box: [0.1, 0.02, "
           "0.02]}, com: [0.05, 0, 0], at: [\"0.1*(i - 1)\", 0, 0]}\n"
           "  - for: {i: [2, %d]}\n    joints:\n      \"pin{i}\": {type: revolute, bodies: "
           "[\"link{i-1}\", \"link{i}\"], at2: [0, 0, 0], axis: y}\n"
           "joints:\n  pin1: {type: revolute, bodies: [ground, link1], at2: [0, 0, 0], axis: y}\n",
           links, links);
  return text;
}

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded;

static loaded load(const char *text) {
  loaded l;
  tn_ctx_opts o = {.threads = 1};
  BENCH_TRY(NULL, tn_ctx_create(&o, &l.ctx));
  BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, "chain", text, NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  return l;
}

static void unload(loaded *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* CPU seconds of a step of a chain that falls for a while */
static double step_time(int links, const char *method, const char *representation, double until,
                        int repeat, long *steps) {
  loaded l = load(chain_of(links));
  double best = HUGE_VAL;
  for (int r = 0; r < repeat; r++) {
    tn_sim *sim;
    tn_summary sum;
    tn_run_opts o = {.method = method, .representation = representation, .tolerance = 1e-3,
                     .until = until};
    BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    BENCH_TRY(l.ctx, tn_sim_advance(sim, until));
    tn_sim_summary(sim, &sum);
    best = fmin(best, sum.cpu/(double)(sum.steps + sum.rejected));
    *steps = sum.steps;
    tn_sim_destroy(&sim);
  }
  unload(&l);
  return best;
}

typedef struct {
  tn_sim *sim;
  tni_arena arena;
  tni_scale scale;
  tni_partition p;
  double *a;
} matrix;

static void make_matrix(void *user) {
  matrix *m = user;
  tni_data *s = m->sim->s;
  const tni_integrator *it = m->sim->it;
  tni_partition_begin(&m->p, it->now.t, it->now.q, it->now.v, m->a, NULL, 1e-3, TNI_TIME_NONE);
  if (m->p.straight && !tni_newton_factor(s, 1, 1e-3, 1e-6, TNI_TURNS_LOCAL)) exit(3);
}

static double matrix_time(int links, tni_jacobian kind) {
  loaded l = load(chain_of(links));
  matrix m = {0};
  tn_run_opts o = {.method = "rosen", .representation = "joint", .tolerance = 1e-3, .until = 1};
  BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &m.sim));
  BENCH_TRY(l.ctx, tn_sim_advance(m.sim, 0.1));
  tni_data *s = m.sim->s;
  tni_integrator *it = m.sim->it;
  tni_arena_init(&m.arena, l.ctx);
  m.a = tni_arena_alloc(&m.arena, (size_t)s->nv, sizeof(double));
  if (!m.a) exit(3);
  BENCH_TRY(l.ctx, tni_accel(s, it->now.t, it->now.q, it->now.v, m.a, NULL, NULL));
  BENCH_TRY(l.ctx, tni_scale_create(&m.arena, s, &m.scale));
  tni_integrator_opts io = {.jacobian = kind};
  BENCH_TRY(l.ctx, tni_partition_create(&m.arena, s, &m.scale, &io, 1e-12, false, &m.p));
  double seconds = bench_time(make_matrix, &m, 0.2, 5);
  tni_arena_clear(&m.arena);
  tn_sim_destroy(&m.sim);
  unload(&l);
  return seconds;
}

static void chains(figures *f) {
  static const char *const method[] = {"rosen", "sdirk", "trap", "infl_sdirk", "infl_trap", "radau",
                                       "alpha", "hht"};
  long steps;
  double best = HUGE_VAL, rosen[2] = {0};
  const char *name = "";
  printf("\nChain of 100 links, joint coordinates, tolerance 1e-3: CPU time of a step\n\n");
  for (int i = 0; i < TNI_COUNT(method); i++) {
    double x = step_time(100, method[i], "joint", 0.5, 5, &steps);
    printf("  %-12s %8.1f us, %ld steps\n", method[i], 1e6*x, steps);
    if (i == 0) rosen[0] = x;
    if (x < best) {
      best = x;
      name = method[i];
    }
  }
  double cartesian = step_time(100, "rosen", "cartesian", 0.02, 2, &steps);
  rosen[1] = step_time(1000, "rosen", "joint", 0.05, 3, &steps);
  double exact = matrix_time(100, TNI_JACOBIAN_EXACT);
  double numerical = matrix_time(100, TNI_JACOBIAN_NUMERICAL);
  printf("  rosen in cartesian coordinates %.1f us; 1000 links in joint coordinates %.1f us a step\n",
         1e6*cartesian, 1e6*rosen[1]);
  printf("  matrices and factors %.1f us, by differences %.1f us\n", 1e6*exact, 1e6*numerical);
  printf("  least: %s\n", name);
  figure(f, "chain100.step_us", 1e6*best);
  figure(f, "joint.rosen_step_chain100_vs_cartesian", cartesian/rosen[0]);
  figure(f, "joint.step_growth_100_to_1000", rosen[1]/(10*rosen[0]));
  figure(f, "joint.numeric_vs_exact_matrix_chain100", numerical/exact);
}

static void double_pendulum(figures *f) {
  loaded l = {0};
  tn_ctx_opts o = {.threads = 1};
  tn_sim *sim;
  tn_summary sum;
  tn_run_opts r = {.method = "rosen", .representation = "joint", .tolerance = 1e-6, .until = 2};
  BENCH_TRY(NULL, tn_ctx_create(&o, &l.ctx));
  BENCH_TRY(l.ctx, tn_spec_read_file(l.ctx, TENON_SOURCE_DIR "/examples/pendulum/double_pendulum.yaml",
                                     NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &r, &sim));
  BENCH_TRY(l.ctx, tn_sim_advance(sim, r.until));
  tn_sim_summary(sim, &sum);
  printf("  double pendulum, 2 s by rosen at 1e-6 in joint coordinates: %ld steps\n", sum.steps);
  figure(f, "double_pendulum.steps_1e-6", (double)sum.steps);
  tn_sim_destroy(&sim);
  unload(&l);
}

void joint_coordinates(figures *f) {
  chains(f);
  double_pendulum(f);
}
