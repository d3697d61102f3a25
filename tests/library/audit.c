/* A run judges itself: what is sound stays sound, what is wrong is named, divergence is stopped
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static const char pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [1, 0, 0]}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
    "analysis: {until: 2}\n";

static tn_status run_text(const char *text, const tn_run_opts *o, tn_summary *u, char *message,
                          size_t n) {
  loaded l;
  tn_run_opts none = {.results = ""};
  load_text(&l, text);
  tn_status st = tn_run(l.ctx, l.model, o ? o : &none, u);
  if (message) snprintf(message, n, "%s", tn_ctx_message(l.ctx));
  unload(&l);
  return st;
}

static void check_sound(const char *text, const tn_run_opts *o) {
  tn_summary u;
  char message[400];
  CHECK(run_text(text, o, &u, message, sizeof(message)) == TN_OK);
  CHECK_TEXT(u.verdict, "sound");
  CHECK(u.sound);
  for (int i = 0; i < TN_AUDITS; i++) CHECK(u.audit[i].name && u.audit[i].value <= u.audit[i].allowed);
}

static void every_method_calls_a_pendulum_sound(void) {
  for (int i = 0; i < tni_integrator_ntype; i++) {
    static const double tolerance[] = {1e-3, 1e-6, 1e-9};
    int order = tni_integrator_types[i]->order, n = order == 0 || order > 2 ? 3 : 2; /* too many steps */
    for (int k = 0; k < n; k++) {
      tn_run_opts o = {.results = "", .method = tni_integrator_types[i]->name, .tolerance = tolerance[k],
                       .step = 1e-3, .until = 0.7, .representation = "cartesian"};
      check_sound(pendulum, &o);
    }
  }
}

/* rk4: the energy at the end is off by the fourth power of the step, doubtful from half a percent on */
static void a_step_too_long_is_doubtful_by_its_balance(void) {
  int doubtful = 0, sound = 0;
  for (double h = 0.4; h > 0.04; h /= 2) {
    tn_summary u;
    tn_run_opts o = {.results = "", .method = "rk4", .step = h};
    CHECK(run_text(pendulum, &o, &u, NULL, 0) == TN_OK);
    double off = fabs(u.energy_end - u.energy_begin)/9.81; /* part of the energy of the fall */
    CHECK(off < 0.005 ? u.sound || u.energy_error > 0.005*9.81 : !u.sound);
    CHECK(u.sound || strstr(u.verdict, "doubtful: energy balance off by") == u.verdict);
    CHECK(u.sound || (strstr(u.verdict, "try half the 'step'") && u.audit[TN_AUDIT_BALANCE].t > 0));
    if (u.sound) sound++;
    else doubtful++;
  }
  CHECK(doubtful > 0 && sound > 0);
}

/* where the potential is zero says nothing about a run */
static void the_verdict_does_not_depend_on_the_place_of_the_model(void) {
  for (int far = 0; far < 2; far++) {
    char text[600];
    tn_summary u;
    double z = far ? 1e4 : 0;
    snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\n"
             "bodies: {rod: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [1, 0, %g]}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, %g], axis: y}}\n"
             "analysis: {until: 2, method: rk4, step: 0.4}\n", z, z);
    CHECK(run_text(text, NULL, &u, NULL, 0) == TN_OK);
    CHECK(!u.sound && u.energy_scale < 20);
  }
}

static void each_analysis_has_a_verdict(void) {
  static const char *const type[] = {"statics", "modes", "kinematics", "assemble"};
  for (int i = 0; i < 4; i++) {
    char text[600];
    snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\n"
             "bodies: {rod: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [0, 0, -1]}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n%s"
             "analysis: {type: %s}\n",
             i == 2 ? "drive: {d: {joint: pin, motion: \"0.3*sin(t)\"}}\n" : "", type[i]);
    check_sound(text, NULL);
  }
}

/* ---- what is tampered with is found and named ---------------------------------------------- */

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0.3]}}\n"
    "forces:\n  floor: {type: contact, bodies: [ball, ground], radius1: 0.1, restitution: 0.5}\n"
    "  brake: {type: spring, bodies: [ball, ground], at1: [0, 0, 0], at2: [0, 0, 1], damping: 0.1}\n"
    "analysis: {until: 0.15, representation: cartesian}\n";

static void tampered(const char *text, void (*tamper)(tn_sim *), int which, const char *who) {
  loaded l;
  tn_sim *sim;
  tn_summary u;
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  for (int i = 0; i < 2; i++) CHECK_OK(l.ctx, tn_sim_step(sim));
  tn_sim_summary(sim, &u);
  CHECK_TEXT(u.verdict, "sound");
  tamper(sim);
  tn_sim_summary(sim, &u);
  CHECK(!u.sound);
  CHECK(u.audit[which].value > u.audit[which].allowed);
  CHECK_TEXT(u.audit[which].what, who);
  CHECK(strstr(u.verdict, who) != NULL);
  tn_sim_destroy(&sim);
  unload(&l);
}

static void sink(tn_sim *sim) {
  sim->it->now.q[2] = 0.05; /* half in the floor, and the contact is open */
  CHECK_OK(sim->ctx, tni_sim_look(sim, sim->it->now.t));
}
static void cool(tn_sim *sim) {
  sim->it->now.z[TNI_Z_DISSIPATED] -= 0.1;
  sim->s->coldest = tn_model_nforce(sim->model) - 1;
  CHECK_OK(sim->ctx, tni_audit_step(sim));
}
static void open(tn_sim *sim) {
  sim->it->now.q[0] += 1e-3;
  CHECK_OK(sim->ctx, tni_sim_look(sim, sim->it->now.t));
}
static void slip(tn_sim *sim) {
  sim->it->now.v[0] += 1e-2;
  CHECK_OK(sim->ctx, tni_sim_look(sim, sim->it->now.t));
}

static void what_goes_wrong_is_found_and_named(void) {
  char hinged[600];
  snprintf(hinged, sizeof(hinged), "%.*s, representation: cartesian}\n", (int)strlen(pendulum) - 2,
           pendulum);
  tampered(ball, sink, TN_AUDIT_OVERLAP, "floor");
  tampered(ball, cool, TN_AUDIT_HEAT, "brake");
  tampered(hinged, open, TN_AUDIT_POSITION, "pin.x");
  tampered(hinged, slip, TN_AUDIT_VELOCITY, "pin.x");
}

/* ---- heat that comes back ------------------------------------------------------------------ */

/* A brake that has lost its law: without force, and with heat below zero where a step goes on for longer than
 * `patience` after it was last told where it is. */
static double patience;
static double told;

static void false_eval(const tni_force *force, const tni_env *env, unsigned what, tni_force_out *out) {
  (void)what;
  memset(out->f, 0, 6*(size_t)force->nbody*sizeof(double));
  out->potential = out->input = out->value = 0;
  out->dissipated = patience < 0 ? -1 : -300*fmax(env->t - told - patience, 0);
}

static void false_commit(const tni_force *force, const tni_env *env, bool at_event, double *memory) {
  (void)force, (void)at_event, (void)memory;
  told = env->t;
}

static const tni_force_ops false_ops = {.name = "false", .eval = false_eval, .commit = false_commit};

/* A step too long for the law of a passive element is halved until it is not; a law that is wrong at every step is
 * named in the verdict, and does not hold up the run. */
static void a_step_in_which_heat_comes_back_is_taken_again(void) {
  static const char *const method[] = {"rk45", "rk8", "adams", "ida", "radau"};
  static const char free_flight[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 3]}}\n"
      "forces:\n  brake: {type: spring, bodies: [ball, ground], at1: [0, 0, 0], at2: [0, 0, 1], damping: 0.1}\n"
      "analysis: {until: 0.5, representation: cartesian, step: 0.05}\n";
  for (int m = 0; m < TNI_COUNT(method); m++) {
    for (int wrong = 0; wrong < 2; wrong++) {
      loaded l;
      tn_sim *sim;
      tn_summary u;
      load_text(&l, free_flight);
      ((tni_force *)&l.model->force[0])->ops = &false_ops;
      patience = wrong ? -1 : 0.01;
      told = 0;
      tn_run_opts o = {.method = method[m]};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      double longest = 0;
      long steps = 0;
      while (sim->t_hi < 0.5 && steps++ < 4000) {
        double before = sim->t_hi;
        CHECK_OK(l.ctx, tn_sim_step(sim));
        longest = fmax(longest, sim->t_hi - before);
      }
      if (!CHECK(sim->t_hi == 0.5)) printf("  %s: t = %g after %ld steps\n", method[m], sim->t_hi, steps);
      tn_sim_summary(sim, &u);
      CHECK(sim->passive.taken_back > 0 && sim->passive.off == wrong);
      if (wrong) {
        CHECK(!u.sound && strstr(u.verdict, "'brake' has made") != NULL);
        CHECK(longest > 0.02);
      } else {
        if (!CHECK(u.sound && longest < 0.02)) printf("%s: %s, %g s\n", method[m], u.verdict, longest);
      }
      tn_sim_destroy(&sim);
      unload(&l);
    }
  }
}

/* what is written and cannot hold is said; a little of it is not */
static void a_start_far_from_what_is_written_is_doubtful(void) {
  static const double gap[] = {0.01, 0.9};
  for (int i = 0; i < 2; i++) {
    char text[600];
    tn_summary u;
    snprintf(text, sizeof(text),
             "bodies: {a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]},\n"
             "         b: {mass: 1, inertia: [1, 1, 1], at: [%g, 0, 0]}}\n"
             "joints: {ab: {type: distance, bodies: [a, b], at1: [0, 0, 0], at2: [0, 0, 0], length: 1}}\n"
             "analysis: {until: 0.1}\n", 1 + gap[i]*4);
    CHECK(run_text(text, NULL, &u, NULL, 0) == TN_OK);
    CHECK(u.sound == (i == 0));
    CHECK(i == 0 || strstr(u.verdict, "the written position of") != NULL);
  }
}

/* ---- divergence ---------------------------------------------------------------------------- */

/* A wheel with sampled damping: w -> (1 - kd sample/I) w, stable up to 2. Started by gravity on an
 * unbalanced mass. */
static tn_status damped_wheel(double gain, const char *method, tn_summary *u, char *message, size_t n) {
  char text[700];
  double I = 0.02 + 0.5*0.1*0.1;
  snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\n"
           "bodies: {wheel: {mass: 0.5, inertia: [0.02, 0.02, 0.02], at: [0.1, 0, 0]},\n"
           "         other: {mass: 1, inertia: [0.02, 0.02, 0.02], at: [1, 0, 0]}}\n"
           "joints: {hub: {type: revolute, bodies: [ground, wheel], at: [0, 0, 0], axis: y},\n"
           "         peg: {type: revolute, bodies: [ground, other], at: [1, 0, 0], axis: y}}\n"
           "forces: {calm: {type: pd, joint: peg, kp: 5, kd: 1, sample: 0.003, target: \"sin(9*t)\"},\n"
           "         fast: {type: pd, joint: hub, kd: %.17g, sample: 0.002}}\n"
           "analysis: {until: 3, tolerance: 1e-4}\noutput: {every: 0.02}\n", gain*I/0.002);
  tn_run_opts o = {.results = "", .method = method};
  return run_text(text, &o, u, message, n);
}

/* A ball in the floor leaves with what the contact stores there, k p^2/2 with k = m (pi/duration)^2: doubtful where that
 * lifts it by more than its size, sound where it is pressed in by a load that it carries. */
/* A bead on a wire through 40 points: nobody can write a place on it to the last digit, whatever the
 * extent of the model, which is a single place */
static void a_bead_next_to_its_wire_is_sound(void) {
  for (int i = 0; i < 20; i++) {
    char text[4000];
    double angle = 0.3 + 0.13*i;
    int n = snprintf(text, sizeof(text),
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {bead: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [%.9f, 0, %.9f]}}\n"
                     "analysis: {until: 0.1}\njoints: {wire: {type: curve, bodies: [ground, bead], at2: [0, 0, 0], closed: true, points: [",
                     sin(angle), cos(angle));
    for (int k = 0; k < 40; k++)
      n += snprintf(text + n, sizeof(text) - (size_t)n, "%s[%.12f, 0, %.12f]", k ? ", " : "", sin(0.05*acos(-1)*k), cos(0.05*acos(-1)*k));
    snprintf(text + n, sizeof(text) - (size_t)n, "]}}\n");
    check_sound(text, NULL);
  }
}

static void a_start_deep_inside_of_another_body_is_doubtful(void) {
  static const char dropped[] =
      "gravity: [0, 0, -10]\nbodies: {ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, %g]}}\n"
      "forces: {floor: {type: contact, bodies: [ball, ground], radius1: 0.1, %s}}\nanalysis: {until: 0.1}\n";
  static const struct {
    double z;
    const char *law;
    bool sound;
  } start[] = {{0.1, "duration: 1e-3", true},     {0.0999, "duration: 1e-3", true}, {0.05, "duration: 1e-3", false},
               {0.098, "duration: 1e-3", false}, {0.05, "stiffness: 200", true}};
  for (int k = 0; k < TNI_COUNT(start); k++) {
    char text[400];
    tn_summary u;
    snprintf(text, sizeof(text), dropped, start[k].z, start[k].law);
    CHECK(run_text(text, NULL, &u, NULL, 0) == TN_OK);
    if (!CHECK(u.sound == start[k].sound)) printf("  z = %g, %s: %s\n", start[k].z, start[k].law, u.verdict);
    CHECK(u.sound || strstr(u.verdict, "'floor' is pressed in by 0.0") != NULL);
  }
  static const char stop[] =
      "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: y, initial: 0.5}}\n"
      "forces: {stop: {type: stop, joint: pin, min: 0.6}}\nanalysis: {until: 0.1}\n";
  tn_summary u;
  CHECK(run_text(stop, NULL, &u, NULL, 0) == TN_OK);
  CHECK(!u.sound && strstr(u.verdict, "'stop' is pressed in by 0.1 at the start") != NULL);
}

static void a_sampled_controller_diverges_where_theory_says(void) {
  static const char *const method[] = {"rk45", "rk8", "radau"};
  for (int m = 0; m < 3; m++) {
    for (double gain = 0.4; gain < 4; gain += 0.4) {
      tn_summary u;
      char message[600];
      tn_status st = damped_wheel(gain, method[m], &u, message, sizeof(message));
      CHECK(st == (gain > 2.1 ? TN_DIVERGED : TN_OK));
      if (gain < 2.1) CHECK_TEXT(u.verdict, "sound");
      if (st != TN_DIVERGED) continue;
      CHECK(strstr(message, "'fast'") != NULL && strstr(message, "'wheel'") != NULL);
      CHECK(strstr(u.verdict, "doubtful: diverges at t = ") == u.verdict && u.t_end < 0.5);
    }
  }
}

/* feedback with the wrong sign, in a continuous force */
static void feedback_with_the_wrong_sign_diverges(void) {
  tn_summary u;
  char message[600];
  CHECK(run_text("bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 1e-3]}}\n"
                 "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
                 "forces: {wrong: {type: joint_force, joint: pin, force: \"3*rate\"}}\nanalysis: {until: 5}\n",
                 NULL, &u, message, sizeof(message)) == TN_DIVERGED);
  /* w = 1e-3 exp(30 t): one turn in 0.05 s at ln(2 pi/0.05/1e-3)/30 s */
  CHECK(u.t_end > 0.3 && u.t_end < 0.6 && strstr(message, "'wrong'") != NULL);
}

/* run-up by constant, smooth and saturating torques, and an oscillator that excites itself */
static void what_grows_for_good_reasons_runs_on(void) {
  static const char *const torque[] = {"100", "100*smoothstep5(t, 0, 0, 1, 1)", "50*(300 - rate)",
                                       "20*t^3", "0.2*(4*(1 - value^2)*rate - 100*value)",
                                       "100*(t > 0.5)", "-40*(value - 300*t)"};
  for (int i = 0; i < TNI_COUNT(torque); i++) {
    char text[500];
    snprintf(text, sizeof(text),
             "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.2], angular_velocity: [0, 0, 1e-4]}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
             "forces: {motor: {type: joint_force, joint: pin, force: \"%s\"}}\n"
             "analysis: {until: 7}\noutput: {every: 0.1}\n", torque[i]);
    check_sound(text, NULL);
  }
}

/* ---- input work of the staggered method ----------------------------------------------------- */

/* an oscillator through an expression: what is put in is what the energy changes by, of order 2 */
static void staggered_books_input_with_the_velocities_of_its_stations(void) {
  double off[3];
  for (int k = 0; k < 3; k++) {
    tn_summary u;
    tn_run_opts o = {.results = "", .method = "staggered", .step = 0.03/(1 << k)};
    CHECK(run_text("planar: true\nbodies: {b: {mass: 1, inertia: 0.1, velocity: [10, 0]}}\n"
                   "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}}\n"
                   "forces: {f: {type: joint_force, joint: j, force: \"-100*value\"}}\n"
                   "analysis: {until: 20}\noutput: {every: 0.05}\n", &o, &u, NULL, 0) == TN_OK);
    CHECK_TEXT(u.verdict, "sound");
    off[k] = u.energy_error/u.energy_scale;
  }
  CHECK(off[0] < 0.0225); /* (h omega)^2/4 */
  CHECK(off[1] < off[0]/3 && off[2] < off[1]/3);
}

int main(void) {
  RUN(every_method_calls_a_pendulum_sound);
  RUN(a_step_too_long_is_doubtful_by_its_balance);
  RUN(the_verdict_does_not_depend_on_the_place_of_the_model);
  RUN(each_analysis_has_a_verdict);
  RUN(what_goes_wrong_is_found_and_named);
  RUN(a_step_in_which_heat_comes_back_is_taken_again);
  RUN(a_start_far_from_what_is_written_is_doubtful);
  RUN(a_bead_next_to_its_wire_is_sound);
  RUN(a_start_deep_inside_of_another_body_is_doubtful);
  RUN(a_sampled_controller_diverges_where_theory_says);
  RUN(feedback_with_the_wrong_sign_diverges);
  RUN(what_grows_for_good_reasons_runs_on);
  RUN(staggered_books_input_with_the_velocities_of_its_stations);
  return REPORT();
}
