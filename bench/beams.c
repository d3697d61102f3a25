/* bench/beams.c - beams: accuracy on standard problems, cost of elements and of steps
 *
 *   roll-up of a cantilever by an end moment to one full circle, five elements
 *   spin-up of a beam on a hub (Simo and Vu-Quoc), ten three-node elements, steps of 5 ms
 *   pinned beam with a velocity profile, four revolutions: energy by explicit steps and by the
 *   energy-momentum method
 *   residual and tangent of one element; cost of an implicit step per element, 10 to 10,000 elements
 *
 * Usage: bench_beams build/bench/beams.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "bench.h"
#include "nonlinear/equilibrium.h"
#include "system/common.h"

static const double PI = 3.14159265358979323846;

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded;

static loaded load(const char *text) {
  loaded l = {0};
  BENCH_TRY(NULL, tn_ctx_create(NULL, &l.ctx));
  BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, "bench", text, NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  return l;
}

static void unload(loaded *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

static tn_sim *begin(loaded *l, const char *method, double step, double until, double tolerance) {
  tn_run_opts o = {.method = method, .step = step, .until = until, .tolerance = tolerance,
                   .representation = "cartesian"};
  tn_sim *sim;
  BENCH_TRY(l->ctx, tn_sim_create(l->ctx, l->model, &o, &sim));
  return sim;
}

/* to the end of the next step, seen there */
static void advance(loaded *l, tn_sim *sim) {
  BENCH_TRY(l->ctx, tni_sim_advance_step(sim));
  BENCH_TRY(l->ctx, tni_sim_look(sim, sim->it->now.t));
}

/* ---- roll-up ------------------------------------------------------------------------------- */

static double roll_up(void) {
  char text[1024];
  tni_arena arena;
  tni_data *s;
  tni_equilibrium e;
  double *q, *v;
  snprintf(text, sizeof(text),
           "tenon: 1\n"
           "beams: {b: {from: [0, 0, 0], to: [10, 0, 0], elements: 5, start: ground,\n"
           "  EA: 1e4, GA: 5e3, EI: 100, GJ: 100, rhoA: 1, rhoI: 1}}\n"
           "forces: {m: {type: torque, body: b.end, torque: [0, 0, \"%.17g*t\"]}}\n", 20*PI);
  loaded l = load(text);
  tni_arena_init(&arena, l.ctx);
  BENCH_TRY(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  BENCH_TRY(l.ctx, tni_equilibrium_create(&arena, s, TNI_SPACE_AUTO, &e));
  q = tni_doubles(l.ctx, (size_t)s->nq);
  v = tni_doubles(l.ctx, (size_t)s->nv);
  tni_initial(s, q, v);
  tni_equilibrium_opts o = {.search = TNI_NEAREST, .tolerance = 1e-12};
  tni_equilibrium_report report;
  for (int i = 1; i <= 36; i++)
    BENCH_TRY(l.ctx, tni_equilibrium_solve(&e, i/36.0, q, &o, &report));
  double worst = 0;
  for (int i = 1; i <= 5; i++) {
    double a = 2*PI*i/5, R = 10/(2*PI);
    worst = fmax(worst, hypot(q[7*(i-1)] - R*sin(a), q[7*(i-1)+1] - R*(1 - cos(a))));
  }
  tni_free(l.ctx, q);
  tni_free(l.ctx, v);
  tni_equilibrium_destroy(&e);
  tni_arena_clear(&arena);
  tni_data_destroy(&s);
  unload(&l);
  return worst/10;
}

/* ---- spin-up ------------------------------------------------------------------------------- */

static void spin_up(double *lag, double *at, double *extension) {
  loaded l = load(
      "tenon: 1\n"
      "planar: true\n"
      "beams: {b: {from: [0, 0], to: [10, 0], elements: 10, element: quadratic,\n"
      "  EA: 2.8e7, GA: 1e7, EI: 1.4e4, rhoA: 1.2, rhoI: 6e-4}}\n"
      "joints: {hub: {type: revolute, bodies: [ground, b.start], at: [0, 0]}}\n"
      "drive: [{joint: hub, motion: \"if(t < 15, 6/15*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)),"
      " 6*t - 45)\"}]\n");
  tn_sim *sim = begin(&l, "energy_momentum", 0.005, 30, 0);
  double sum = 0;
  long n = 0;
  *lag = *at = 0;
  while (sim->it->now.t < 30 - 1e-9) {
    advance(&l, sim);
    const double *x = sim->s->kin[l.model->nbody].r;
    double a, rate;
    BENCH_TRY(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &a, &rate));
    double side = x[1]*cos(a) - x[0]*sin(a), along = x[0]*cos(a) + x[1]*sin(a) - 10;
    if (side < *lag) *lag = side, *at = sim->at.t;
    if (sim->at.t > 15) sum += along, n++;
  }
  *extension = sum/(double)n;
  tn_sim_destroy(&sim);
  unload(&l);
}

/* ---- pinned beam --------------------------------------------------------------------------- */

/* largest relative change of the energy over four revolutions; cpu: seconds */
static double pinned(const char *element, const char *method, double step, double tolerance,
                     double *cpu) {
  char text[1024];
  double b = 3.926602312047919/200, r = sin(200*b)/sinh(200*b);
  double tip = sin(200*b) + r*sinh(200*b);
  snprintf(text, sizeof(text),
           "tenon: 1\n"
           "planar: true\n"
           "beams: {b: {from: [0, 0], to: [200, 0], elements: 10, element: %s,\n"
           "  velocity: [0, \"1.5*s + %.17g*(sin(%.17g*s) + %.17g*sinh(%.17g*s))\", 0],\n"
           "  EA: 4e7, GA: 2e7, EI: 1.3e7, rhoA: 0.98, rhoI: 0.033}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, b.start], at: [0, 0]}}\n", element,
           100/tip, b, r, b);
  loaded l = load(text);
  tn_sim *sim = begin(&l, method, step, 17, tolerance);
  double E0 = tni_system_kinetic(sim->s) + sim->s->potential, worst = 0;
  *cpu = tni_cpu_time();
  for (int i = 1; i <= 1700; i++) {
    BENCH_TRY(l.ctx, tn_sim_advance(sim, 0.01*i));
    worst = fmax(worst, fabs((tni_system_kinetic(sim->s) + sim->s->potential)/E0 - 1));
  }
  *cpu = tni_cpu_time() - *cpu;
  tn_sim_destroy(&sim);
  unload(&l);
  return worst;
}

/* ---- cost ---------------------------------------------------------------------------------- */

static loaded long_beam(const char *element, int elements) {
  char text[512];
  snprintf(text, sizeof(text),
           "tenon: 1\n"
           "gravity: [0, 0, -9.81]\n"
           "beams: {b: {from: [0, 0, 0], to: [%d, 0, 0], elements: %d, element: %s, start: ground,\n"
           "  EA: 1e6, GA: 4e5, EI: 1e3, GJ: 800, rhoA: 1, rhoI: 0.01}}\n", elements, elements,
           element);
  return load(text);
}

typedef struct {
  tni_data *s;
  unsigned what;
  double K[18*18], D[18*18], f_t[18];
} element_work;

static void all_elements(void *user) {
  element_work *w = user;
  const tn_model *m = w->s->model;
  tni_env env = tni_system_env(w->s, 0);
  for (int i = 0; i < m->nforce; i++) {
    tni_force_out o = w->s->force_out[i];
    o.K = w->K, o.D = w->D, o.f_t = w->f_t;
    m->force[i].ops->eval(&m->force[i], &env, w->what, &o);
  }
}

/* bent and twisted, so that no branch for small angles is the usual one; sets the bodies of the system */
static double *bent(const loaded *l, tni_data *s) {
  double *q = tni_doubles(l->ctx, (size_t)(s->nq + s->nv)), *v = q + s->nq;
  tni_initial(s, q, v);
  for (int i = 0; i < l->model->nbody; i++) {
    double u[3] = {0.3*sin(i), 0.2*cos(i), 0.5*sin(2.0*i)}, e[4];
    quat_from_vector(e, u);
    quat_mul(q + 7*i + 3, q + 7*i + 3, e);
  }
  tni_eval_bodies(s, 0, q, v, NULL);
  return q;
}

/* seconds per element: forces, and forces with tangent */
static void element_cost(const char *element, double *residual, double *tangent) {
  loaded l = long_beam(element, 100);
  element_work w = {.what = TNI_F_FORCE};
  BENCH_TRY(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &w.s));
  double *q = bent(&l, w.s);
  *residual = bench_time(all_elements, &w, 0.05, 9)/l.model->nforce;
  w.what |= TNI_F_TANGENT;
  *tangent = bench_time(all_elements, &w, 0.05, 9)/l.model->nforce;
  tni_free(l.ctx, q);
  tni_data_destroy(&w.s);
  unload(&l);
}

/* seconds per element and step of the energy-momentum method, and its iterations per step */
static double step_cost(int elements, double *iterations) {
  loaded l = long_beam("exact", elements);
  tn_sim *sim = begin(&l, "energy_momentum", 1e-3, 1e3, 0);
  int steps = elements <= 100 ? 200 : 10;
  double best = HUGE_VAL;
  BENCH_TRY(l.ctx, sim->it->type->step(sim->it));
  long newton = sim->s->work.nnewton, count = 0;
  for (int round = 0; round < 5; round++) {
    double begin_time = tni_cpu_time();
    for (int i = 0; i < steps; i++, count++) BENCH_TRY(l.ctx, sim->it->type->step(sim->it));
    best = fmin(best, (tni_cpu_time() - begin_time)/steps/elements);
  }
  *iterations = (double)(sim->s->work.nnewton - newton)/(double)count;
  tn_sim_destroy(&sim);
  unload(&l);
  return best;
}

/* Arithmetic instructions per second that one core retires at best, on pairs of doubles as the library is compiled:
 * independent chains of a product and a sum each. */
typedef double wide __attribute__((vector_size(16)));

static double peak(void) {
  enum { CHAINS = 12, ROUNDS = 200000 };
  double best = 0;
  for (int k = 0; k < 20; k++) {
    wide x[CHAINS], a = {0.999999, 0.999999}, b = {1e-7*(k + 1), 1e-7*(k + 1)};
    for (int c = 0; c < CHAINS; c++) x[c] = (wide){1 + 0.1*c, 1 + 0.1*c};
    double t = tni_cpu_time();
    for (int i = 0; i < ROUNDS; i++)
      for (int c = 0; c < CHAINS; c++) x[c] = x[c]*a + b;
    t = tni_cpu_time() - t;
    double sum = 0;
    for (int c = 0; c < CHAINS; c++) sum += x[c][0] + x[c][1];
    if (sum > 0) best = fmax(best, 2.0*CHAINS*ROUNDS/t);
  }
  return best;
}

/* Arithmetic instructions of one evaluation of an element, forces and with tangent, counted with
 *   valgrind --tool=lackey --detailed-counts=yes bench_beams count <element> <0 or 1: tangent> <evaluations>
 * as the difference of 0 and 20 evaluations of 100 elements, columns AluOps of F64 and V128: instructions on one
 * double or on a pair, shuffles included. */
static const double operations[3][2] = {{559, 6622}, {2626, 18055}, {392, 2716}};

static int count_operations(char **argv) {
  loaded l = long_beam(argv[0], 100);
  element_work w = {.what = TNI_F_FORCE | (atoi(argv[1]) ? TNI_F_TANGENT : 0)};
  BENCH_TRY(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &w.s));
  double *q = bent(&l, w.s);
  for (int i = 0; i < atoi(argv[2]); i++) all_elements(&w);
  tni_free(l.ctx, q);
  tni_data_destroy(&w.s);
  unload(&l);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "count") == 0) return count_operations(argv + 2);
  figures out;
  double lag, at, extension, cpu[2], drift[2], per[4], it[4];
  if (!figures_open(&out, argc > 1 ? argv[1] : "beams.json")) return 3;
  double roll = roll_up();
  printf("roll-up to a circle, 5 elements: largest error of a node by the length %.2e\n", roll);
  figure(&out, "rollup.relative_error", roll);

  spin_up(&lag, &at, &extension);
  printf("spin-up, 10 three-node elements, 5 ms: largest lag %.5f at %.3f s, mean extension %.4e\n",
         lag, at, extension);
  figure(&out, "spinup.max_lag", lag);
  figure(&out, "spinup.max_lag_time", at);
  figure(&out, "spinup.extension", extension);

  drift[0] = pinned("incremental", "rk4", 1e-4, 0, &cpu[0]);
  printf("pinned beam, four revolutions: energy %.2e explicit (rk4, 0.1 ms, incremental, %.1f s)\n",
         drift[0], cpu[0]);
  drift[1] = pinned("exact", "energy_momentum", 0.005, 0, &cpu[1]);
  printf("                               energy %.2e energy-momentum (5 ms, exact, %.1f s)\n",
         drift[1], cpu[1]);
  figure(&out, "pinned.energy_drift_explicit", drift[0]);
  figure(&out, "pinned.energy_drift_em", drift[1]);

  static const char *const kind[] = {"exact", "quadratic", "incremental"};
  double most = peak();
  printf("peak of one core: %.2f arithmetic instructions per ns\n", 1e-9*most);
  figure(&out, "peak.instructions_per_ns", 1e-9*most);
  for (int i = 0; i < 3; i++) {
    double residual, tangent;
    char key[64];
    element_cost(kind[i], &residual, &tangent);
    double share[2] = {operations[i][0]/residual/most, operations[i][1]/tangent/most};
    printf("element %-12s residual %6.0f ns, with tangent %6.0f ns: %.0f and %.0f %% of the peak\n", kind[i],
           1e9*residual, 1e9*tangent, 100*share[0], 100*share[1]);
    snprintf(key, sizeof(key), i ? "residual.%s.share_of_peak" : "residual.share_of_peak", kind[i]);
    figure(&out, key, share[0]);
    snprintf(key, sizeof(key), i ? "tangent.%s.share_of_peak" : "tangent.share_of_peak", kind[i]);
    figure(&out, key, share[1]);
    snprintf(key, sizeof(key), i ? "residual.%s.ns_per_element" : "residual.ns_per_element", kind[i]);
    figure(&out, key, 1e9*residual);
    snprintf(key, sizeof(key), i ? "tangent.%s.ns_per_element" : "tangent.ns_per_element", kind[i]);
    figure(&out, key, 1e9*tangent);
  }

  for (int i = 0, n = 10; i < 4; i++, n *= 10) {
    char key[64];
    per[i] = step_cost(n, &it[i]);
    printf("%6d elements: %6.2f us per element and step, %.1f iterations\n", n, 1e6*per[i], it[i]);
    snprintf(key, sizeof(key), "transient.us_per_element_step.%d", n);
    figure(&out, key, 1e6*per[i]);
  }
  figure(&out, "transient.per_element_growth", per[3]/per[0]);
  figure(&out, "transient.per_element_iteration_growth", per[3]/it[3]/(per[0]/it[0]));
  figures_close(&out);
  return 0;
}
