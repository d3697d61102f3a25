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

/* Wound up beyond half a turn, a bushing and a beam of one element have a law no longer: torques of the other sign, in exact balance of energy.
 * A disk of 0.1 kg m^2 and 12 rad/s on 1 N m/rad gets to 3.79 rad. With less speed (2.8 rad) every method follows it as a spring. */
static const char *const wound[] = {
    "bodies: {d: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [%g, 0, 0]}}\n"
    "forces: {k: {type: bushing, bodies: [ground, d], at: [0, 0, 0], stiffness: [50, 50, 50, 1, 1, 1]}}\n"
    "analysis: {until: 1.5}\n",
    "bodies: {d: {mass: 1, inertia: [0.09, 0.09, 0.09], at: [1, 0, 0], angular_velocity: [%g, 0, 0]}}\n"
    "beams: {k: {from: [0, 0, 0], to: [1, 0, 0], elements: 1, element: exact, start: ground, end: d, EA: 1000, GA: 1000, EI: 10, GJ: 1, rhoA: 0.1, rhoI: 0.01}}\n"
    "analysis: {until: 1.5}\n"};

static void a_law_ends_at_half_a_turn(void) {
  for (int k = 0; k < 2*tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k/2];
    if (strcmp(type->name, "central") == 0) continue;
    for (double spin = 8; spin < 13; spin += 4) {
      char text[800];
      loaded l;
      tn_sim *sim = NULL;
      snprintf(text, sizeof(text), wound[k % 2], spin);
      load_text(&l, text);
      bool equal = type->fixed_step || type->needs_technique;
      tn_run_opts o = {.method = type->name, .representation = "cartesian", .step = equal ? 5e-4 : 0, .tolerance = 1e-4};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      tn_status st = tn_sim_advance(sim, 1.5);
      double velocity[6] = {0}, omega = sqrt(10.0);
      if (sim && spin < 10) {
        CHECK_INT(st, TN_OK);
        CHECK_INT(tn_sim_body_velocity(sim, tn_model_find_body(l.model, "d"), velocity, velocity + 3), TN_OK);
        CHECK_NEAR(velocity[3], spin*cos(1.5*omega), 0.02);
      } else if (!CHECK(st == TN_NO_PROGRESS && (strstr(tn_ctx_message(l.ctx), "passes half a turn") || strstr(tn_ctx_message(l.ctx), "law")))) {
        printf("  %s, %s: %d %s\n", type->name, k % 2 ? "beam" : "bushing", (int)st, tn_ctx_message(l.ctx));
      }
      tn_sim_destroy(&sim);
      unload(&l);
    }
  }
}

/* where nothing is integrated rows tell */
static void a_driven_half_turn_is_doubtful(void) {
  for (int k = 0; k < 2; k++) {
    char text[600];
    loaded l;
    tn_summary u;
    snprintf(text, sizeof(text), "bodies: {b: {mass: 1, inertia: [0.1, 0.12, 0.14]}}\n"
             "joints: {h: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
             "drive: [{joint: h, motion: \"%g*t\"}]\n"
             "forces: {k: {type: bushing, bodies: [ground, b], at: [0, 0, 0], stiffness: [50, 50, 50, 1, 1, 1]}}\n"
             "analysis: {until: 2, type: kinematics}\n", k ? 3.0 : 1.5);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &u));
    CHECK(u.sound == (k == 0));
    CHECK(k == 0 || strstr(u.verdict, "bushing 'k' has passed half a turn before t = 1.06 s"));
    unload(&l);
  }
}

int main(void) {
  RUN(every_method_counts_turns);
  RUN(stops_beyond_a_turn_are_met);
  RUN(late_turns_are_doubtful);
  RUN(equal_steps_that_lose_count_are_refused);
  RUN(a_law_ends_at_half_a_turn);
  RUN(a_driven_half_turn_is_doubtful);
  return REPORT();
}
