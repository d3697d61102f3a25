/* tests/verify/control.c - sampled controllers against the exact discrete-time system
 *
 * A cart of mass m on a rail with a held force u is x+ = x + v T + u T^2/(2 m), v+ = v + u T/m: the
 * closed loop can be followed by hand from sample to sample, delays included.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/common.h"

static const char *const methods[] = {"rk45", "rk8", "adams", "rk4", "rosen", "sdirk", "staggered"};
enum { SAMPLES = 60 };

/* by hand: u = kp (target - x) - kd v of `delay` samples ago, limited */
typedef struct {
  double x, v, queue[8];
} cart;

static void next(cart *c, int k, int delay, double T) {
  double target = k*T < 1 ? 0.5*k*T : 0.5;
  double u = 30*(target - c->x) - 8*c->v;
  u = fmin(6, fmax(-6, u));
  for (int i = 0; i < delay; i++) c->queue[i] = c->queue[i+1];
  c->queue[delay] = u;
  double a = c->queue[0]/2;
  c->x += c->v*T + 0.5*a*T*T;
  c->v += a*T;
}

static void pd_follows_the_discrete_time_system(void) {
  const double T = 0.03;
  for (int delay = 0; delay <= 3; delay += 3) {
    for (int m = 0; m < TNI_COUNT(methods); m++) {
      char text[600];
      loaded l;
      tn_sim *sim;
      snprintf(text, sizeof(text),
               "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1], velocity: [0.2, 0, 0]}\n"
               "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: x}\n"
               "forces:\n  pilot: {type: pd, joint: rail, kp: 30, kd: 8, limit: 6, "
               "target: \"min(0.5*t, 0.5)\", sample: %g, delay: %d}\n", T, delay);
      load_text(&l, text);
      tn_run_opts o = {.method = methods[m], .until = SAMPLES*T, .tolerance = 1e-9, .step = 0.01};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      cart c = {.v = 0.2};
      int seen = 0;
      for (int k = 0; k < SAMPLES; k++) {
        double x = NAN, v = NAN;
        next(&c, k, delay, T);
        CHECK_OK(l.ctx, tn_sim_advance(sim, (k + 1)*T));
        CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &x, &v));
        CHECK_NEAR(x, c.x, 1e-9);
        CHECK_WITHIN(v, c.v, 1e-9);
        /* what is told is what acts */
        double f[6], K[36], D[36], f_t[6];
        const tni_force *pilot = &l.model->force[0];
        tni_env env = tni_system_env(sim->s, (k + 1)*T);
        tni_force_out out = {.f = f, .K = K, .D = D, .f_t = f_t};
        pilot->ops->eval(pilot, &env, TNI_F_FORCE, &out);
        CHECK_WITHIN(out.value, f[0], 1e-14);
        seen += out.value != 0;
      }
      CHECK(seen > SAMPLES/2);
      tn_summary sum;
      tn_sim_summary(sim, &sum);
      CHECK(sum.events >= SAMPLES - 2 && sum.events <= SAMPLES);
      CHECK(sum.energy_error <= 1e-8);
      tn_sim_destroy(&sim);
      unload(&l);
    }
  }
}

static const char two_carts[] =
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {mass: 3, inertia: [1, 1, 1], at: [0, 1, 0]}\n"
    "joints:\n"
    "  ra: {type: prismatic, bodies: [ground, a], axis: x}\n"
    "  rb: {type: prismatic, bodies: [ground, b], axis: x}\n"
    "forces:\n"
    "  loop: {type: %s, joints: [ra, rb], sample: 0.05, inputs: [\"displacement(ra) - 0.2\", "
    "\"rate(ra)\", \"displacement(rb) - 0.4\", \"rate(rb)\"]%s}\n";

static void law(void *user, double t, int nin, const double *in, int nout, double *out) {
  long *calls = user;
  (void)t;
  CHECK_INT(nin, 4);
  CHECK_INT(nout, 2);
  out[0] = -(8*in[0] + 4*in[1] + in[2]);
  out[1] = -(2*in[1] + 9*in[2] + 6*in[3]);
  ++*calls;
}

/* matrix and function give the same bits; both the discrete-time closed loop */
static void feedback_matrix_and_function_agree(void) {
  double end[2][4];
  long calls = 0;
  for (int own = 0; own < 2; own++) {
    char text[800];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text), two_carts, own ? "sampled" : "feedback",
             own ? ", coordinates: [displacement, displacement]" : ", gains: [[8, 4, 1, 0], [0, 2, 9, 6]]");
    load_text(&l, text);
    tn_run_opts o = {.method = "rk8", .until = 2, .tolerance = 1e-10};
    if (own) {
      CHECK_INT(tn_sim_create(l.ctx, l.model, &o, &sim), TN_ERR_ARGUMENT);
      CHECK_TEXT(tn_ctx_message(l.ctx), "force 'loop' is a sampled controller without a function; "
                 "attach one with tn_model_set_controller before the run");
      CHECK_OK(l.ctx, tn_model_set_controller(l.model, "loop", law, &calls));
    }
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 2));
    for (int j = 0; j < 2; j++)
      CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, j, 0, &end[own][2*j], &end[own][2*j+1]));
    tn_sim_destroy(&sim);
    unload(&l);
  }
  for (int i = 0; i < 4; i++) CHECK(end[0][i] == end[1][i]);
  CHECK_INT(calls, 40);
  double x[2] = {0, 0}, v[2] = {0, 0}, T = 0.05, mass[2] = {1, 3};
  for (int k = 0; k < 40; k++) {
    double y[4] = {x[0] - 0.2, v[0], x[1] - 0.4, v[1]}, u[2];
    long none = 0;
    law(&none, 0, 4, y, 2, u);
    for (int j = 0; j < 2; j++) {
      x[j] += v[j]*T + 0.5*u[j]/mass[j]*T*T;
      v[j] += u[j]/mass[j]*T;
    }
  }
  for (int j = 0; j < 2; j++) {
    CHECK_NEAR(end[0][2*j], x[j], 1e-9);
    CHECK_NEAR(end[0][2*j+1], v[j], 1e-9);
  }
}

/* every name is looked for in the joint in its place */
static void coordinates_are_those_of_their_joints(void) {
  char text[800] = "tenon: 1\n";
  loaded l;
  snprintf(text + 9, sizeof(text) - 9, two_carts, "feedback", ", coordinates: [displacement, angle], gains: [[8, 4, 1, 0], [0, 2, 9, 6]]");
  load_begin(&l, 1);
  CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
  CHECK_INT(tn_model_compile(l.ctx, l.spec, &l.model), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(l.ctx), "angle") && strstr(tn_ctx_message(l.ctx), "rb"));
  unload(&l);
}

/* the example: an unstable equilibrium is held, without the controller it is not */
static void inverted_pendulum_stays_up(void) {
  for (int on = 0; on < 2; on++) {
    loaded l;
    tn_sim *sim;
    load_file(&l, "examples/control/inverted_pendulum.yaml", on ? NULL : "gain=0");
    tn_run_opts o = {.until = 6};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 6));
    double tilt = 0.1 + sim_coordinate(sim, "pivot"), x = sim_coordinate(sim, "rail");
    if (on) {
      CHECK(fabs(tilt) < 1e-3);
      CHECK(fabs(x) < 1e-2);
    } else {
      CHECK(fabs(tilt) > 0.5);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* An arm of 1 kg at 0.5 m on kp = 20, target 0.2: rest is at 0.2 - 5 cos(a)/20 = a. A controller holds the sample of the start there (0.64 rad too
 * low), and its gain is no stiffness of modes: refused by name. The same law as a joint_force gives it. */
static void a_controller_has_no_rest(void) {
  static const char arm[] =
      "gravity: [0, 0, -10]\n"
      "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0]}}\n"
      "joints: {h: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: -y}}\n"
      "forces: {servo: {type: %s, joint%s: h, %s}}\n"
      "analysis: {%s}\n";
  static const char *const law[][3] = {{"pd", "", "target: 0.2, kp: 20, kd: 2, sample: 0.001"},
                                       {"feedback", "s", "inputs: [\"angle(h) - 0.2\", rate(h)], gains: [[20, 2]], sample: 0.001"},
                                       {"joint_force", "", "force: \"20*(0.2 - value) - 2*rate\""}};
  static const char *const analysis[] = {"type: statics", "type: modes", "until: 0.1, initial: statics"};
  double a = 0;
  for (int i = 0; i < 50; i++) a = 0.2 - 0.25*cos(a);
  for (int k = 0; k < 9; k++) {
    char text[700];
    loaded l;
    tn_summary u;
    snprintf(text, sizeof(text), arm, law[k/3][0], law[k/3][1], law[k/3][2], analysis[k % 3]);
    load_text(&l, text);
    tn_status st = tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &u);
    CHECK_INT(st, k/3 < 2 ? TN_ERR_UNSUPPORTED : TN_OK);
    CHECK(k/3 == 2 || strstr(tn_ctx_message(l.ctx), "force 'servo' is a sampled controller"));
    if (k/3 == 2 && k % 3 != 1) CHECK_NEAR(u.energy_end, 5*sin(a), 1e-6);
    unload(&l);
  }
}

int main(void) {
  RUN(pd_follows_the_discrete_time_system);
  RUN(feedback_matrix_and_function_agree);
  RUN(coordinates_are_those_of_their_joints);
  RUN(inverted_pendulum_stays_up);
  RUN(a_controller_has_no_rest);
  return REPORT();
}
