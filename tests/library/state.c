/* The state of a simulation in the hands of its caller: bits that come back, threads, changed parameters
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include <tenon/tenon.h>

/* a double pendulum with a spring, a rope that gets taut, a stop, and sensors */
static const char pendulum[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "params: {k: 40}\n"
    "bodies:\n"
    "  a: {mass: 1, shape: {box: [1, 0.1, 0.1]}, at: [0.5, 0, 0]}\n"
    "  b: {mass: 0.5, shape: {box: [1, 0.1, 0.1]}, at: [1.5, 0, 0]}\n"
    "joints:\n"
    "  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
    "  q: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}\n"
    "forces:\n"
    "  s: {type: spring, bodies: [ground, b], at1: [0, 0, 1], at2: [0.5, 0, 0], stiffness: k, free_length: 1.5}\n"
    "  r: {type: spring, bodies: [ground, a], at1: [0, 0, 1], at2: [0.5, 0, 0], stiffness: 300, damping: 2, "
    "free_length: 1.6, tension_only: true}\n"
    "sensors: {where: {type: position, body: b, point: [0.5, 0, 0]}}\n"
    "analysis: {until: 3, tolerance: 1e-4}\n";

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
} loaded;

static void load(loaded *l, const char *text, const char *set) {
  const char *const one[] = {set};
  CHECK(tn_ctx_create(NULL, &l->ctx) == TN_OK);
  CHECK_OK(l->ctx, tn_spec_read_text(l->ctx, "state.yaml", text, one, set ? 1 : 0, &l->spec));
  CHECK_OK(l->ctx, tn_model_compile(l->ctx, l->spec, &l->model));
}

static void unload(loaded *l) {
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* poses, velocities, reactions, energies of the double pendulum at its present time */
enum { LOOKED = 1 + 2*13 + 2*6 + 4 };
static void look(tn_ctx *ctx, tn_sim *sim, double *x) {
  *x++ = tn_sim_time(sim);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(ctx, tn_sim_body_pose(sim, i, x, x + 3));
    CHECK_OK(ctx, tn_sim_body_velocity(sim, i, x + 7, x + 10));
    CHECK_OK(ctx, tn_sim_joint_reaction(sim, i, x + 13, x + 16));
    x += 19;
  }
  CHECK_OK(ctx, tn_sim_energy(sim, x));
}

static const struct {
  const char *method, *representation;
  double step;
} runs[] = {{"auto", NULL, 0}, {"rk45", NULL, 0}, {"rk8", "joint", 0}, {"adams", NULL, 0}, {"rosen", "joint", 0},
            {"sdirk", "cartesian", 0}, {"radau", NULL, 0}, {"alpha", NULL, 0}, {"ida", NULL, 0},
            {"infl_trap", NULL, 0}, {"desc_sdirk", "cartesian", 0}, {"energy_momentum", NULL, 1e-3}, {"rk4", NULL, 1e-3},
            {"staggered", NULL, 1e-3}};
enum { NRUN = sizeof(runs)/sizeof(runs[0]) };

/* the simulation that goes on, the same one set back, another one, and one that reads a file: the same bits */
static void a_state_goes_on_bit_for_bit(void) {
  loaded l;
  load(&l, pendulum, NULL);
  for (int i = 0; i < NRUN; i++) {
    tn_run_opts o = {.method = runs[i].method, .representation = runs[i].representation, .step = runs[i].step};
    tn_sim *sim, *other;
    double want[LOOKED], got[LOOKED], first[LOOKED];
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &other));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.7));
    size_t n = tn_sim_state_size(sim);
    double *state = malloc(n*sizeof(double));
    double t = tn_sim_state_time(sim);
    CHECK_OK(l.ctx, tn_sim_get_state(sim, state, n));
    CHECK(tn_sim_time(sim) == t);
    CHECK_OK(l.ctx, tn_sim_save(sim, "state_test.bin"));
    look(l.ctx, sim, first);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1.2));
    look(l.ctx, sim, want);
    CHECK(memcmp(want + 1, first + 1, sizeof(want) - sizeof(double)) != 0); /* it does move */
    CHECK_OK(l.ctx, tn_sim_set_state(sim, state, n));
    look(l.ctx, sim, got);
    CHECK(memcmp(first, got, sizeof(got)) == 0);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1.2));
    look(l.ctx, sim, got);
    if (!CHECK(memcmp(want, got, sizeof(want)) == 0)) printf("same simulation, %s\n", runs[i].method);
    CHECK_OK(l.ctx, tn_sim_set_state(other, state, n));
    CHECK_OK(l.ctx, tn_sim_advance(other, 1.2));
    look(l.ctx, other, got);
    if (!CHECK(memcmp(want, got, sizeof(want)) == 0)) printf("another simulation, %s\n", runs[i].method);
    CHECK_OK(l.ctx, tn_sim_load(other, "state_test.bin"));
    CHECK_OK(l.ctx, tn_sim_advance(other, 1.2));
    look(l.ctx, other, got);
    if (!CHECK(memcmp(want, got, sizeof(want)) == 0)) printf("from a file, %s\n", runs[i].method);
    free(state);
    tn_sim_destroy(&sim);
    tn_sim_destroy(&other);
  }
  remove("state_test.bin");
  unload(&l);
}

static void reset_is_a_new_simulation(void) {
  loaded l;
  load(&l, pendulum, NULL);
  for (int i = 0; i < NRUN; i++) {
    char method[32];
    snprintf(method, sizeof(method), "%s", runs[i].method);
    tn_run_opts o = {.method = method, .representation = runs[i].representation, .step = runs[i].step};
    tn_sim *sim;
    double want[LOOKED], got[LOOKED];
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    memset(method, 'x', sizeof(method) - 1); /* options need not outlive the call */
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.9));
    look(l.ctx, sim, want);
    CHECK_OK(l.ctx, tn_sim_reset(sim));
    CHECK(tn_sim_time(sim) == 0);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.9));
    look(l.ctx, sim, got);
    CHECK(memcmp(want, got, sizeof(want)) == 0);
    tn_sim_destroy(&sim);
  }
  unload(&l);
}

typedef struct {
  const tn_model *model; /* shared by all */
  int run;
  double x[LOOKED];
  tn_status st;
} job;

static void *work(void *user) {
  job *j = user;
  tn_ctx *ctx = NULL;
  tn_sim *sim = NULL;
  tn_run_opts o = {.method = runs[j->run].method, .representation = runs[j->run].representation,
                   .step = runs[j->run].step};
  j->st = tn_ctx_create(NULL, &ctx);
  if (j->st == TN_OK) j->st = tn_sim_create(ctx, j->model, &o, &sim);
  if (j->st == TN_OK) j->st = tn_sim_advance(sim, 0.6);
  double *x = j->x;
  for (int i = 0; i < 2 && j->st == TN_OK; i++, x += 13) {
    j->st = tn_sim_body_pose(sim, i, x, x + 3);
    if (j->st == TN_OK) j->st = tn_sim_body_velocity(sim, i, x + 7, x + 10);
  }
  tn_sim_destroy(&sim);
  tn_ctx_destroy(&ctx);
  return NULL;
}

static void simulations_side_by_side_give_the_same_bits(void) {
  enum { SIDE = 4 };
  static job alone[NRUN], beside[SIDE*NRUN];
  pthread_t thread[SIDE];
  loaded l;
  load(&l, pendulum, NULL);
  for (int i = 0; i < NRUN; i++) {
    alone[i] = (job){.model = l.model, .run = i};
    work(&alone[i]);
    CHECK(alone[i].st == TN_OK);
  }
  for (int round = 0; round < NRUN; round++) {
    for (int k = 0; k < SIDE; k++) {
      job *j = &beside[SIDE*round + k];
      *j = (job){.model = l.model, .run = (round + k) % NRUN};
      CHECK(pthread_create(&thread[k], NULL, work, j) == 0);
    }
    for (int k = 0; k < SIDE; k++) pthread_join(thread[k], NULL);
  }
  for (int i = 0; i < SIDE*NRUN; i++) {
    CHECK(beside[i].st == TN_OK);
    CHECK(memcmp(beside[i].x, alone[beside[i].run].x, sizeof(beside[i].x)) == 0);
  }
  unload(&l);
}

/* x'' = -(k/m) x along a rail */
static const char oscillator[] =
    "tenon: 1\n"
    "params: {k: 9, m: 1}\n"
    "bodies: {cart: {mass: m, inertia: [1, 1, 1], at: [0.5, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0, 0], axis: x}}\n"
    "forces: {s: {type: spring, bodies: [ground, cart], at1: [-10, 0, 0], at2: [0, 0, 0], stiffness: k, free_length: 10}}\n"
    "sensors: {where: {type: position, body: cart}}\n"
    "analysis: {until: 20, tolerance: 1e-10}\n";

static void a_parameter_changes_in_mid_run(void) {
  loaded soft, stiff;
  load(&soft, oscillator, NULL);
  load(&stiff, oscillator, "k=25");
  const char *const representation[] = {"cartesian", "joint"};
  for (int i = 0; i < 2; i++) {
    tn_run_opts o = {.representation = representation[i], .method = "rk8"};
    tn_sim *a, *b;
    CHECK_OK(soft.ctx, tn_sim_create(soft.ctx, soft.model, &o, &a));
    CHECK_OK(stiff.ctx, tn_sim_create(stiff.ctx, stiff.model, &o, &b));
    CHECK_OK(soft.ctx, tn_sim_advance(a, 1.3));
    CHECK_OK(stiff.ctx, tn_sim_continue(b, a));
    double t1 = tn_sim_time(b), x1 = 0.5*cos(3*t1), v1 = -1.5*sin(3*t1), t2 = 4;
    CHECK_OK(stiff.ctx, tn_sim_advance(b, t2));
    double want = x1*cos(5*(t2 - t1)) + v1/5*sin(5*(t2 - t1)), x[3], e[4], f[3], m[3], where[3];
    CHECK_OK(stiff.ctx, tn_sim_body_pose(b, 0, x, e));
    CHECK(fabs(x[0] - want) < 1e-8);
    /* sensors and forces are those of the present state */
    CHECK_OK(stiff.ctx, tn_sim_force(b, tn_model_find_force(stiff.model, "s"), f, m));
    CHECK(fabs(f[0] + 25*x[0]) < 1e-9 && f[1] == 0 && fabs(m[2]) < 1e-12);
    int sensor = tn_model_find_sensor(stiff.model, "where");
    CHECK(sensor == 0 && tn_model_sensor_size(stiff.model, sensor) == 3);
    CHECK_OK(stiff.ctx, tn_sim_sensor(b, sensor, where));
    CHECK(where[0] == x[0]);
    static tn_summary sum;
    tn_sim_summary(b, &sum);
    CHECK(sum.sound); /* the energy that the change has brought is no error */
    tn_sim_destroy(&a);
    tn_sim_destroy(&b);
  }
  unload(&soft);
  unload(&stiff);
}

static void coordinates_can_be_set(void) {
  loaded l;
  load(&l, oscillator, NULL);
  tn_run_opts o = {.representation = "joint", .method = "rk8"};
  tn_sim *sim;
  double q, v, x[3], e[4];
  int nq, nv;
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  tn_sim_coordinates(sim, &nq, &nv);
  CHECK(nq == 1 && nv == 1);
  CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
  CHECK_OK(l.ctx, tn_sim_get_coordinates(sim, &q, &v));
  CHECK(fabs(q - 0.5*(cos(3) - 1)) < 1e-8); /* inside a step */
  CHECK(fabs(v + 1.5*sin(3)) < 1e-8);
  q = 0.25 - 0.5, v = 3; /* from where the file has the cart */
  CHECK_OK(l.ctx, tn_sim_set_coordinates(sim, &q, &v));
  CHECK(tn_sim_time(sim) == 1);
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, x, e));
  double x0 = x[0];
  CHECK_OK(l.ctx, tn_sim_advance(sim, 2));
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, x, e));
  CHECK(fabs(x[0] - (x0*cos(3) + sin(3))) < 1e-8);
  q = NAN;
  CHECK(tn_sim_set_coordinates(sim, &q, &v) == TN_ERR_ARGUMENT);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* a state of as many numbers is not yet one of this model, of this method, or one that nobody has changed */
static void states_of_others_are_refused(void) {
  const char *const text = "tenon: 1\nbodies: {%s: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
                           "joints: {pin: {type: %s, bodies: [ground, %s], at: [0, 0, 0], axis: y}}\nanalysis: {until: 1, method: %s}\n";
  const char *const of[3][3] = {{"rod", "revolute", "rk45"}, {"bar", "revolute", "rk45"}, {"rod", "revolute", "rk8"}};
  const char *const why[3] = {"", "another model", "another method"};
  double state[1000];
  size_t n = 0;
  for (int i = 0; i < 3; i++) {
    loaded l;
    tn_sim *sim;
    char model[400], *end = model + snprintf(model, sizeof(model), text, of[i][0], of[i][1], of[i][0], of[i][2]);
    CHECK(end < model + sizeof(model));
    load(&l, model, NULL);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    if (i == 0) {
      n = tn_sim_state_size(sim);
      CHECK(n < 1000);
      CHECK_OK(l.ctx, tn_sim_advance(sim, 0.5));
      CHECK_OK(l.ctx, tn_sim_get_state(sim, state, n));
      for (size_t k = 0; k < n; k++) {
        double kept = state[k];
        state[k] = isfinite(kept) ? kept + 1 : 0;
        CHECK(tn_sim_set_state(sim, state, n) == TN_ERR_ARGUMENT);
        state[k] = kept;
      }
      CHECK_OK(l.ctx, tn_sim_set_state(sim, state, n));
    } else if (tn_sim_state_size(sim) == n) {
      CHECK(tn_sim_set_state(sim, state, n) == TN_ERR_ARGUMENT);
      CHECK(strstr(tn_ctx_message(l.ctx), why[i]) != NULL);
    } else {
      CHECK(i == 2); /* another number tells as well */
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

static void what_does_not_fit_is_refused(void) {
  loaded l, other;
  tn_sim *sim, *cart;
  load(&l, pendulum, NULL);
  load(&other, oscillator, NULL);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(other.ctx, tn_sim_create(other.ctx, other.model, NULL, &cart));
  double one = 0, force[3];
  CHECK(tn_sim_get_state(sim, &one, 1) == TN_ERR_ARGUMENT);
  CHECK(tn_sim_set_state(sim, &one, 1) == TN_ERR_ARGUMENT);
  CHECK(tn_sim_continue(sim, cart) == TN_ERR_ARGUMENT);
  CHECK(tn_sim_sensor(sim, 1, &one) == TN_ERR_ARGUMENT && tn_sim_sensor(sim, -1, &one) == TN_ERR_ARGUMENT);
  CHECK(tn_sim_force(sim, 2, force, force) == TN_ERR_ARGUMENT);
  CHECK(tn_sim_load(sim, "no_such_state.bin") == TN_ERR_IO);
  CHECK(tn_sim_save(sim, "no_such_folder/state.bin") == TN_ERR_IO);
  CHECK_OK(other.ctx, tn_sim_save(cart, "state_test.bin"));
  CHECK(tn_sim_load(sim, "state_test.bin") == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(l.ctx), "differs") != NULL);
  /* every byte that changes is noticed, and every cut; a state that is refused changes nothing */
  double before[LOOKED], after[LOOKED];
  CHECK_OK(l.ctx, tn_sim_save(sim, "state_test.bin"));
  look(l.ctx, sim, before);
  FILE *f = fopen("state_test.bin", "rb");
  static unsigned char bytes[1 << 16];
  size_t n = fread(bytes, 1, sizeof(bytes), f);
  fclose(f);
  CHECK(n > 100 && n < sizeof(bytes));
  for (size_t i = 0; i < n; i += 1 + n/300) {
    for (int cut = 0; cut < 2; cut++) {
      f = fopen("state_test.bin", "wb");
      bytes[i] ^= 0x10;
      CHECK(fwrite(bytes, 1, cut ? i : n, f) == (cut ? i : n));
      bytes[i] ^= 0x10;
      fclose(f);
      CHECK(tn_sim_load(sim, "state_test.bin") == TN_ERR_INPUT);
    }
  }
  look(l.ctx, sim, after);
  CHECK(memcmp(before, after, sizeof(before)) == 0);
  remove("state_test.bin");
  tn_sim_destroy(&sim);
  tn_sim_destroy(&cart);
  unload(&l);
  unload(&other);
}

int main(void) {
  RUN(a_state_goes_on_bit_for_bit);
  RUN(reset_is_a_new_simulation);
  RUN(simulations_side_by_side_give_the_same_bits);
  RUN(a_parameter_changes_in_mid_run);
  RUN(coordinates_can_be_set);
  RUN(what_does_not_fit_is_refused);
  RUN(states_of_others_are_refused);
  return REPORT();
}
