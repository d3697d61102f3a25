/* The two-stage method: order, damping, long runs, redundancy, instability by name
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

/* two bars on balls, g = 1, spinning about the vertical: regular motion over 10 s */
static const char double_pendulum[] =
    "gravity: [0, 0, -1]\n"
    "bodies:\n"
    "  upper: {mass: 1, inertia: [1.667e-3, 0.0842, 0.0842], at: [0.5, 0, 0],\n"
    "          velocity: [0, 0.5, 0], angular_velocity: [0, 0, 1]}\n"
    "  lower: {mass: 1, inertia: [1.667e-3, 0.0842, 0.0842], at: [1.5, 0, 0],\n"
    "          velocity: [0, 1.5, 0], angular_velocity: [0, 0, 1]}\n"
    "joints:\n"
    "  top: {type: spherical, bodies: [ground, upper], at: [0, 0, 0]}\n"
    "  mid: {type: spherical, bodies: [upper, lower], at: [1, 0, 0]}\n"
    "analysis: {until: 50, method: staggered}\n";

typedef struct {
  double x[3];      /* lower bar               */
  double position;  /* worst residual          */
  double energy;    /* worst error of balance  */
  char technique[360];
} outcome;

static tn_status run(const char *text, const tn_run_opts *o, double until, outcome *out) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, text);
  tn_run_opts options = *o;
  options.until = until;
  tn_status st = tn_sim_create(l.ctx, l.model, &options, &sim);
  for (int i = 1; i <= 100 && st == TN_OK; i++) st = tn_sim_advance(sim, until*i/100);
  if (out && st == TN_OK) {
    tn_summary u;
    double e[4];
    tn_sim_summary(sim, &u);
    CHECK_OK(l.ctx, tn_sim_body_pose(sim, l.model->nbody - 1, out->x, e));
    out->position = u.position_error;
    out->energy = u.energy_error;
    snprintf(out->technique, sizeof(out->technique), "%s", u.technique);
  }
  if (out && st != TN_OK)
    snprintf(out->technique, sizeof(out->technique), "%.350s", tn_ctx_message(l.ctx));
  tn_sim_destroy(&sim);
  unload(&l);
  return st;
}

static double distance(const double x[3], const double y[3]) {
  double d[3];
  vec3_sub(d, x, y);
  return vec3_norm(d);
}

/* end positions tend to those of a method of order 8, by the square of the step, with residuals */
static void error_and_residuals_are_of_order_two(void) {
  outcome exact, o[4];
  CHECK_OK(NULL, run(double_pendulum,
                     &(tn_run_opts){.method = "rk8", .technique = "augmented", .tolerance = 1e-10},
                     10, &exact));
  for (int k = 0; k < 4; k++) {
    tn_run_opts r = {.step = 0.025/(1 << k)};
    CHECK_OK(NULL, run(double_pendulum, &r, 10, &o[k]));
  }
  for (int k = 1; k < 4; k++) {
    CHECK(distance(o[k].x, exact.x) < 0.45*distance(o[k-1].x, exact.x));
    CHECK(o[k].position < 0.4*o[k-1].position);
    CHECK(o[k].energy < 0.4*o[k-1].energy);
  }
  CHECK(distance(o[3].x, exact.x) < 1e-4);
  CHECK(o[3].position < 3e-6);
}

/* chains that are brought together do not part: ten thousand steps */
static void long_runs_keep_energy_and_constraints(void) {
  outcome o;
  CHECK_OK(NULL, run(double_pendulum, &(tn_run_opts){.step = 0.01}, 100, &o));
  CHECK(o.position < 2e-4);
  CHECK(o.energy < 2e-3);
}

/* Two bars on balls in the weight of the earth, and on the lower one a rider on a stiff spring (h omega = 1):
 * motion that parts the chains, and a vibration that would suffer if they were brought together by the
 * clock. Left alone they go different ways within 50 s; seen when they part they do not. */
static void chains_that_part_are_brought_together(void) {
  static const char *const how[] = {"auto", "off"};
  const char *bodies = strstr(double_pendulum, "bodies"), *joints = strstr(double_pendulum, "joints");
  const char *end = strstr(double_pendulum, "analysis");
  for (int k = 0; k < 2; k++) {
    char text[3000];
    outcome o = {.energy = HUGE_VAL};
    snprintf(text, sizeof(text),
             "gravity: [0, 0, -9.81]\n%.*s"
             "  rider: {mass: 0.01, inertia: [1e-4, 1e-4, 1e-4], at: [1.5, 0, 0], velocity: [0, 1.5, 0],\n"
             "          angular_velocity: [0, 0, 1]}\n%.*s"
             "  rail: {type: prismatic, bodies: [lower, rider], at: [1.5, 0, 0], axis: x}\n"
             "forces: {s: {type: joint_force, joint: rail, force: \"-400*value\"}}\n"
             "analysis: {until: 50, method: staggered, step: 0.005, resynchronize: %s}\n",
             (int)(joints - bodies), bodies, (int)(end - joints), joints, how[k]);
    tn_status st = run(text, &(tn_run_opts){0}, 50, &o);
    CHECK(k == 1 ? st != TN_OK : st == TN_OK);
    if (k == 0) CHECK(strstr(o.technique, "chains brought together") != NULL);
    if (k == 0) CHECK(o.energy < 0.06); /* J of 20 that are exchanged */
  }
}

/* Largest distance from the middle over some periods in the beginning and in the end of 300, of a mass on a
 * spring without damping: an oscillation that neither grows nor decays. */
static double amplitude_kept(double hw, const char *how, double periods) {
  static const char text[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
      "joints: {guide: {type: prismatic, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
      "forces: {s: {type: spring, bodies: [ground, m], at1: [-300, 0, 0], at2: [0, 0, 0],\n"
      "  stiffness: 1, free_length: 300}}\n"
      "analysis: {until: %.17g, method: staggered, step: %g, resynchronize: %s}\n";
  char model[1000];
  loaded l;
  tn_sim *sim;
  const double span = 20*2*3.14159265358979; /* enough to meet the turning point closely */
  double end = periods*2*3.14159265358979, most[2] = {0};
  snprintf(model, sizeof(model), text, end, hw, how);
  load_text(&l, model);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  bool runs = true;
  while (runs && sim->t_hi < end - 2*hw) { /* the last step is shorter */
    runs = tni_sim_advance_step(sim) == TN_OK;
    /* energy of the chain that the positions at steps belong to: 1/2 v_- v_+ + 1/2 x^2, with v_- and v_+
     * half a step before and after; here from positions only, x_n^2 + x_{n+1}^2 - (2 - (hw)^2) x_n x_{n+1} */
    static double before;
    double x = sim->it->now.q[0];
    if (sim->t_hi > 1.5*hw) {
      double E = (x*x + before*before - (2 - hw*hw)*x*before)/(hw*hw*(1 - hw*hw/4));
      int late = sim->t_hi > end - span;
      if (late || sim->t_hi < span) most[late] = fmax(most[late], sqrt(E));
    }
    before = x;
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return runs ? most[1]/most[0] - 1 : HUGE_VAL;
}

static void oscillations_are_neither_damped_nor_fed(void) {
  static const double hw[] = {0.04, 0.3, 0.5, 1, 1.5, 1.9, 1.99};
  for (int k = 0; k < TNI_COUNT(hw); k++) {
    double grown = amplitude_kept(hw[k], "auto", 300);
    if (!CHECK(fabs(grown) < 1e-5)) printf("h omega = %g: amplitude changed by %.2e\n", hw[k], grown);
  }
  /* what the test would see: chains brought together by the clock */
  CHECK(fabs(amplitude_kept(1, "every, stations: 50", 300)) > 1e-4);
  CHECK(fabs(amplitude_kept(1.5, "every, stations: 50", 300)) > 1e-2);
}

static const char oscillator[] =
    "bodies: {m: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
    "joints: {guide: {type: prismatic, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
    "forces: {s: {type: joint_force, joint: guide, force: \"-(1 + value) - 0.1*rate\"}}\n"
    "analysis: {until: 400, method: staggered, step: %g}\n";

/* x'' + 0.1 x' + x = 0 from rest at distance 1: closed form of the damped oscillation. The current
 * velocity in the damper would make it grow by 1e4 and more. */
static void damping_decays_as_in_the_closed_form(void) {
  static const double step[] = {0.2, 0.1, 0.05};
  double err[3];
  for (int k = 0; k < 3; k++) {
    char text[1000];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text), oscillator, step[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    err[k] = 0;
    for (double t = 1; t <= 400; t += 1) {
      CHECK_OK(l.ctx, tn_sim_advance(sim, t));
      double w = sqrt(1 - 0.05*0.05), x[3], e[4];
      double exact = exp(-0.05*t)*(cos(w*t) + 0.05/w*sin(w*t));
      CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, x, e));
      err[k] = fmax(err[k], fabs(x[0] - exact));
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK(err[0] < 0.02);
  CHECK(err[1] < 0.35*err[0] && err[2] < 0.35*err[1]);
}

/* the same for a law of the user's own that feeds a velocity back; one that damps faster than the leaps
 * can follow is refused by that name */
static void velocity_feedback_decays_as_in_the_closed_form(void) {
  static const char law[] =
      "bodies: {m: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
      "joints: {rail: {type: prismatic, bodies: [ground, m], axis: x}}\n"
      "forces: {s: {type: joint_force, joint: rail, "
      "force: \"-displacement(rail) - %g*rate(rail)\"}}\n"
      "analysis: {until: 60, method: staggered, step: %g}\n";
  double err[2], w = sqrt(1 - 0.05*0.05);
  for (int k = 0; k < 2; k++) {
    char text[1000];
    outcome o = {.x = {NAN}};
    snprintf(text, sizeof(text), law, 0.1, k ? 0.05 : 0.1);
    CHECK_OK(NULL, run(text, &(tn_run_opts){0}, 60, &o));
    err[k] = fabs(o.x[0] - exp(-0.05*60)*sin(w*60)/w);
  }
  CHECK(err[0] < 2e-3);
  CHECK(err[1] < 0.35*err[0]);
  char text[1000];
  outcome o = {0};
  snprintf(text, sizeof(text), law, 30.0, 0.1);
  CHECK(run(text, &(tn_run_opts){0}, 60, &o) == TN_NO_PROGRESS);
  CHECK(strstr(o.technique, "of the forces (damping at 30 rad/s)"));
  const char *at = strstr(o.technique, "stability limit ");
  double limit = at ? strtod(at + strlen("stability limit "), NULL) : 0;
  CHECK_NEAR(30*limit, sqrt(5) - 1, 0.02); /* roots of the leaps, docs/theory/techniques.md */
  snprintf(text, sizeof(text), law, 30.0, 0.8*limit);
  CHECK_OK(NULL, run(text, &(tn_run_opts){0}, 60, &o));
  CHECK(fabs(o.x[0]) < 0.05);
}

/* The least damping takes part of the limit of a vibration: h omega < 2 sqrt((sqrt 5 - 1)/2) = 1.572; with
 * 5 % of critical damping the roots of the leaps leave the unit circle at 1.46. */
static void damped_vibrations_have_a_lower_limit(void) {
  for (int beyond = 0; beyond < 2; beyond++) {
    char text[1000];
    outcome o = {0};
    snprintf(text, sizeof(text),
             "bodies: {m: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
             "joints: {rail: {type: prismatic, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
             "forces: {s: {type: spring, bodies: [ground, m], at1: [-300, 0, 0], at2: [0, 0, 0],\n"
             "  stiffness: 1, damping: 0.1, free_length: 300}}\n"
             "analysis: {method: staggered, step: %g, resynchronize: off}\n", beyond ? 1.55 : 1.4);
    tn_status st = run(text, &(tn_run_opts){0}, 1500, &o);
    CHECK(beyond ? st == TN_NO_PROGRESS : st == TN_OK);
    if (beyond) continue;
    CHECK(fabs(o.x[0]) < 1e-3); /* exp(-75) is left of it */
    const char *at = strstr(o.technique, "forces allow ");
    CHECK_NEAR(at ? strtod(at + strlen("forces allow "), NULL) : 0, 1.46, 0.02);
  }
}

static const char single_row[] =
    "gravity: [0, -9.81, 0]\nplanar: true\n"
    "bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1, 0], velocity: [0, -1],\n"
    "               angular_velocity: [0, 0, -1]}}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n";
static const char again[] = "  pin2: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n";
static const char how[] = "analysis: {until: 5, method: staggered, step: 0.005}\n";

/* entered twice, a constraint changes the softness by half of itself and nothing else */
static void a_doubled_constraint_makes_the_same_motion(void) {
  char text[2][1000];
  outcome o[2];
  snprintf(text[0], sizeof(text[0]), "%s%s", single_row, how);
  snprintf(text[1], sizeof(text[1]), "%s%s%s", single_row, again, how);
  for (int k = 0; k < 2; k++) CHECK_OK(NULL, run(text[k], &(tn_run_opts){0}, 5, &o[k]));
  CHECK(distance(o[0].x, o[1].x) < 6e-5);
}

/* a step beyond the limit of a spring is refused before the run, with the limit by name */
static void a_step_beyond_the_limit_is_refused(void) {
  char text[1000];
  outcome o = {0};
  snprintf(text, sizeof(text), oscillator, 2.1);
  CHECK(run(text, &(tn_run_opts){0}, 400, &o) == TN_NO_PROGRESS);
  CHECK(strstr(o.technique, "stability limit"));
}

/* one that a motion outgrows stops the run: a bar released at the top of its swing */
static void a_step_that_becomes_too_long_stops_the_run(void) {
  outcome o = {0};
  CHECK(run(double_pendulum, &(tn_run_opts){.step = 0.6}, 200, &o) == TN_NO_PROGRESS);
  CHECK(strstr(o.technique, "unstable at t ="));
}

/* without a step in the model: the summary has the one chosen, the stabilisation and the reason */
static void steps_chosen_by_the_method_say_why(void) {
  outcome o = {0};
  CHECK_OK(NULL, run(double_pendulum, &(tn_run_opts){0}, 10, &o));
  CHECK(strstr(o.technique, "staggered, eta = 0.05"));
  /* both bars start at 1 rad/s, the lower one turns and swings faster later */
  const char *step = strstr(o.technique, "; step "), *rate = strstr(o.technique, "velocities change at ");
  if (!CHECK(step && rate)) return;
  double h = strtod(step + strlen("; step "), NULL), w = strtod(rate + strlen("velocities change at "), NULL);
  CHECK(strstr(step, " s: velocities change at ") && strstr(step, " rad/s; forces allow "));
  CHECK(w > 1 && w < 5);
  CHECK(h*w < 0.01); /* the tolerance, not the limit of stability, decides */
  CHECK(o.energy < 2e-5); /* of 2.7 J, default tolerance */
}

/* a force that grows beyond all numbers stops the run by that name */
static void overflow_stops_the_run(void) {
  outcome o = {0};
  CHECK(run("bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
            "joints: {rail: {type: prismatic, bodies: [ground, m], axis: x}}\n"
            "forces: {s: {type: joint_force, joint: rail, force: \"exp(20000*t)\"}}\n"
            "analysis: {until: 2, method: staggered, step: 0.01}\n", &(tn_run_opts){0}, 2, &o) == TN_NO_PROGRESS);
  CHECK(strstr(o.technique, "unstable at t = 0.04 s (numbers overflow)"));
}

/* A body that spins about a principal axis with h |w| = 0.2: the mid-point rule of the papers turns it by
 * 1.66e-4 rad too little a step, the rotation vector exactly. */
static void midpoint_turns_are_short_by_the_known_angle(void) {
  for (int k = 0; k < 2; k++) {
    char text[400];
    loaded l;
    tn_sim *sim;
    double x[3], e[4];
    snprintf(text, sizeof(text),
             "bodies: {b: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 2]}}\n"
             "analysis: {until: 5, method: staggered, step: 0.1, rotation: %s}\n",
             k ? "midpoint" : "exact");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 5));
    CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, x, e));
    double angle = remainder(2*atan2(e[3], e[0]) - 10, 2*3.14159265358979323846);
    /* the first station of every beginning is turned exactly, so that one of two chains begins late */
    if (k) CHECK(fabs(angle/50 + 1.66e-4) < 5e-6);
    else CHECK(fabs(angle) < 1e-9);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* One number for all rows is the softness of each row where its units and compliance make it so; the law of
 * accelerations does not see that a rod gives, and loses a pendulum within 20 s. */
static void published_forms_of_the_law_are_there(void) {
  static const char pendulum[] =
      "gravity: [0, -9.81, 0]\nplanar: true\n"
      "bodies: {bob: {mass: 1, inertia: [1, 1, 1], at: [1, 0]}}\n"
      "joints: {rod: {type: distance, bodies: [ground, bob], at1: [0, 0], at2: [0, 0]}}\n"
      "analysis: {method: staggered, step: 0.01, %s}\n";
  /* A = 1 for the rod, delta = 0.005: eta = 0.05 is epsilon = 0.05*0.005^2 */
  static const char *const form[] = {"softness: 0.05", "epsilon: 1.25e-6",
                                     "epsilon: 1e-6, level: acceleration, resynchronize: off"};
  outcome o[3];
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof(text), pendulum, form[k]);
    CHECK_INT(run(text, &(tn_run_opts){0}, 20, &o[k]), k < 2 ? TN_OK : TN_NO_PROGRESS);
  }
  CHECK(distance(o[0].x, o[1].x) < 1e-9);
  CHECK(strstr(o[2].technique, "the multipliers ring"));
  CHECK(strstr(o[1].technique, "epsilon = 1.25e-06 for all rows"));
}

/* every technique runs the same model; residuals as the technique promises */
static void every_technique_integrates(void) {
  static const struct {
    const char *technique;
    double residual, error;
  } want[] = {{"augmented", 1e-4, 1e-3},   {"partitioning", 1e-4, 1e-3}, {"baumgarte", 1e-4, 1e-3},
              {"staggered", 1e-4, 1e-3}, {"penalty", 3e-2, 0.15}};
  outcome exact, o;
  CHECK_OK(NULL, run(double_pendulum,
                     &(tn_run_opts){.method = "rk8", .technique = "augmented", .tolerance = 1e-10},
                     5, &exact));
  for (int k = 0; k < TNI_COUNT(want); k++) {
    tn_run_opts r = {.technique = want[k].technique, .step = 0.005};
    CHECK_OK(NULL, run(double_pendulum, &r, 5, &o));
    if (!CHECK(o.position < want[k].residual && distance(o.x, exact.x) < want[k].error))
      printf("%s: residual %g, error %g\n", want[k].technique, o.position,
             distance(o.x, exact.x));
    if (strcmp(want[k].technique, "staggered") == 0) continue;
    r = (tn_run_opts){.technique = want[k].technique, .method = "rk8", .tolerance = 1e-6};
    CHECK_OK(NULL, run(double_pendulum, &r, 5, &o));
    if (!CHECK(distance(o.x, exact.x) < want[k].error))
      printf("rk8, %s: residual %g, error %g\n", want[k].technique, o.position,
             distance(o.x, exact.x));
  }
}

int main(void) {
  RUN(error_and_residuals_are_of_order_two);
  RUN(long_runs_keep_energy_and_constraints);
  RUN(chains_that_part_are_brought_together);
  RUN(oscillations_are_neither_damped_nor_fed);
  RUN(damping_decays_as_in_the_closed_form);
  RUN(velocity_feedback_decays_as_in_the_closed_form);
  RUN(damped_vibrations_have_a_lower_limit);
  RUN(a_doubled_constraint_makes_the_same_motion);
  RUN(a_step_beyond_the_limit_is_refused);
  RUN(a_step_that_becomes_too_long_stops_the_run);
  RUN(steps_chosen_by_the_method_say_why);
  RUN(overflow_stops_the_run);
  RUN(midpoint_turns_are_short_by_the_known_angle);
  RUN(published_forms_of_the_law_are_there);
  RUN(every_technique_integrates);
  return REPORT();
}
