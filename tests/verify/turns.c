/* Angles are counted through turns by every method, in both representations, however long its steps could be
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

/* a rotor that runs up evenly, which relative coordinates follow exactly with any step: 0.5/I rad/s^2 */
static const char rotor[] =
    "bodies: {b: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
    "joints: {p: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
    "forces: {motor: {type: torque, body: b, torque: [0, 0, 0.5]}}\n"
    "analysis: {until: 3}\n";

/* one that turns freely at 8 rad/s up to a stop beyond a turn or more, and comes back at half of it */
static const char stopped[] =
    "bodies: {b: {mass: 1, inertia: [0.02, 0.02, 0.02], angular_velocity: [0, 0, 8]}}\n"
    "joints: {p: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
    "forces: {stop: {type: stop, joint: p, max: %g, restitution: 0.5, duration: 1e-4}}\n"
    "analysis: {until: 3}\n";

static const char *const representation[] = {"joint", "cartesian"};

static double angle_of(tn_sim *sim) {
  double x = NAN, rate;
  CHECK_INT(tn_sim_joint_coordinate(sim, 0, 0, &x, &rate), TN_OK);
  return x;
}

/* at the end and inside of steps; errors of methods aside, a turn is 6.28 */
static void turns_are_counted(const char *method, const char *where, double tol) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, rotor);
  tn_run_opts o = {.method = method, .representation = where, .tolerance = tol};
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  for (int k = 1; sim && k <= 40; k++) {
    double t = 3*k/40.0, want = 0.5*25*t*t;
    CHECK_OK(l.ctx, tn_sim_advance(sim, t));
    if (!CHECK_NEAR(angle_of(sim), want, 10*tol*(1 + want))) {
      printf("  %s, %s, tolerance %g, t = %g\n", method, where, tol, t);
      break;
    }
  }
  tn_sim_destroy(&sim);
  unload(&l);
}

static void every_method_counts_turns(void) {
  static const double tol[] = {1e-2, 1e-4, 1e-7};
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (type->fixed_step || type->needs_technique || strcmp(type->name, "central") == 0) continue;
    for (int r = 0; r < 2; r++)
      for (int i = 0; i < TNI_COUNT(tol); i++)
        /* methods of order 2 take a second at 1e-7 */
        if (type->order != 2 || tol[i] > 1e-6) turns_are_counted(type->name, representation[r], tol[i]);
  }
  turns_are_counted("auto", "auto", 1e-6);
}

static void stops_beyond_a_turn_are_met(void) {
  static const char *const method[] = {"auto", "rk45", "rk8", "adams", "radau", "sdirk"};
  static const double limit[] = {4, 7, 12.5, 20};
  char text[600];
  for (int k = 0; k < TNI_COUNT(method)*2*TNI_COUNT(limit); k++) {
    double max = limit[k % TNI_COUNT(limit)];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text), stopped, max);
    load_text(&l, text);
    tn_run_opts o = {.method = method[k/(2*TNI_COUNT(limit))], .representation = representation[k/TNI_COUNT(limit) % 2], .tolerance = 1e-6};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    if (!CHECK_NEAR(angle_of(sim), max - 4*(3 - max/8), 2e-3)) printf("  %s, %s, stop at %g\n", o.method, o.representation, max);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* equal steps cannot be made shorter: the run stops, says who turns and which step would do; that step does */
static void equal_steps_that_lose_count_are_refused(void) {
  static const char *const method[] = {"rk4", "energy_momentum", "staggered"};
  for (int k = 0; k < TNI_COUNT(method); k++) {
    loaded l;
    tn_sim *sim = NULL;
    load_text(&l, rotor);
    tn_run_opts o = {.method = method[k], .step = 0.05};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_INT(tn_sim_advance(sim, 3), TN_NO_PROGRESS);
    const char *told = tn_ctx_message(l.ctx), *step = strstr(told, "'step: ");
    CHECK(strstr(told, "joint 'p' turns by") != NULL && step != NULL);
    o.step = step ? atof(step + 7) : 1;
    tn_sim_destroy(&sim);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    /* its rotations are those of a mid-point, late by a sixtieth where a step turns by 0.45 rad */
    bool late = strcmp(method[k], "energy_momentum") == 0;
    CHECK_NEAR(angle_of(sim), 112.5, late ? 0.02 : 1e-9);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Of an energy that is kept nothing is to be seen of turns that are late: what is missing is told, and only then. */
static void late_turns_are_doubtful(void) {
  static const double step[] = {0.028, 0.02, 0.013, 0.0105, 0.0085, 0.006, 0.003};
  for (int k = 0; k < TNI_COUNT(step); k++) {
    loaded l;
    tn_summary u;
    tn_sim *sim = NULL;
    load_text(&l, rotor);
    tn_run_opts o = {.method = "energy_momentum", .step = step[k], .results = ""};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    double missing = 112.5 - angle_of(sim);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &u));
    CHECK_NEAR(u.audit[TN_AUDIT_TURN].value, missing, 0.03);
    CHECK(u.sound == (missing < 0.02*113.5));
    CHECK(u.sound || strstr(u.verdict, "turn bodies by less than their speeds say, 'b' among them"));
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(void) {
  RUN(every_method_counts_turns);
  RUN(stops_beyond_a_turn_are_met);
  RUN(late_turns_are_doubtful);
  RUN(equal_steps_that_lose_count_are_refused);
  return REPORT();
}
