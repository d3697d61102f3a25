/* What a function of time does is followed by every method, however long its steps could be: jumps, bends and pulses of forces, drives
 * that jump. Closed forms, every method, both representations; with the argument all more centres, widths and tolerances.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static bool all;
static uint64_t seed = 11;

static const char *const representation[] = {"cartesian", "joint"};

/* pulses of impulse 1 N s with centre c and width w [s] */
static const char *const pulse[] = {
    "if(t > %1$.17g - %2$.17g/2 and t < %1$.17g + %2$.17g/2, 1/%2$.17g, 0)",
    "table(t, 0, 0, %1$.17g - %2$.17g, 0, %1$.17g, 1/%2$.17g, %1$.17g + %2$.17g, 0, 20, 0)",
    "(smoothstep5(t, %1$.17g - %2$.17g, 0, %1$.17g, 1) - smoothstep5(t, %1$.17g, 0, %1$.17g + %2$.17g, 1))/%2$.17g",
    "max(0, 1 - abs(t - %1$.17g)/%2$.17g)/%2$.17g",
    "exp(-((t - %1$.17g)/%2$.17g)^2)/(%2$.17g*sqrt(pi))",
};
enum { GAUSS = 4, PULSES = 5 };

/* runs that are right, and all of them: those that are not must say so */
static int right, runs;

static void is_right_or_says_so(const loaded *l, const tn_run_opts *o, double want, const char *what) {
  tn_sim *sim = NULL;
  tn_summary u;
  double x, speed = NAN;
  tn_status st = tn_sim_create(l->ctx, l->model, o, &sim);
  CHECK_OK(l->ctx, st);
  if (st == TN_OK) st = tn_sim_advance(sim, 10);
  CHECK(st == TN_OK || st == TN_NO_PROGRESS);
  if (st == TN_OK) CHECK_INT(tn_sim_joint_coordinate(sim, 0, 0, &x, &speed), TN_OK);
  bool good = st == TN_OK && fabs(speed - want) <= 20*o->tolerance*want;
  if (st == TN_OK && !good) {
    CHECK_OK(l->ctx, tn_run(l->ctx, l->model, o, &u));
    if (!CHECK(!u.sound)) printf("  %s, %s, tolerance %g: %.9g for %g, %s, %s\n", o->method, o->representation, o->tolerance, speed, want, u.verdict, what);
  }
  runs++;
  right += good;
  if (!good && all) printf("  not right: %s, %s, tolerance %g: %s\n", o->method, o->representation, o->tolerance, what);
  tn_sim_destroy(&sim);
}

static bool chooses_steps(const tni_integrator_type *type) {
  return !type->fixed_step && !type->needs_technique && strcmp(type->name, "central") != 0;
}

/* speed of 2 kg behind a pulse */
static void a_pulse_has_its_impulse(const tni_integrator_type *type, int r, int kind, double w, double tol) {
  char text[1600], force[1000];
  double c = 5 + 3*check_random(&seed);
  loaded l;
  snprintf(force, sizeof(force), pulse[kind], c, w);
  snprintf(text, sizeof(text),
           "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
           "forces: {f: {type: force, body: b, force: [\"%s\", 0, 0]}}\nanalysis: {until: 10}\n", force);
  load_text(&l, text);
  tn_run_opts o = {.method = type->name, .representation = representation[r], .tolerance = tol, .results = ""};
  is_right_or_says_so(&l, &o, 0.5, force);
  unload(&l);
}

static void every_method_meets_every_pulse(void) {
  static const double tol[] = {1e-3, 1e-5, 1e-7};
  int cell = 0;
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (!chooses_steps(type)) continue;
    for (int kind = 0; kind < PULSES; kind++)
      for (double w = 0.3; w > 2e-5; w /= 9)
        for (int i = 0; i < TNI_COUNT(tol); i++, cell++) {
          if (type->order > 0 && type->order < 4 && (tol[i] < 1e-4 || w < 1e-3)) continue; /* of order 2: minutes */
          if (!all && cell % 7 != 0) continue;
          for (int r = 0; r < 2; r++)
            if (all || r == cell/7 % 2) a_pulse_has_its_impulse(type, r, kind, w, tol[i]);
        }
  }
}

/* A slide that is driven along a ramp from 1 to 2 s, and a mass of 1 kg behind it on a spring of 100 N/m: u'' = w^2 (s - u).
 * What a step of the drive's speed changes is an impulse on the slide, whose work is put in. */
static void drives_may_jump_in_speed(void) {
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (!chooses_steps(type)) continue;
    for (int r = 0; r < 2; r++) {
      if (!all && r != k % 2) continue;
      double tol = type->order == 2 ? 1e-4 : 1e-6, w = 10, x, v, want = 0.5 + 0.5*(sin(w*1) - sin(w*2))/w;
      loaded l;
      tn_summary u;
      tn_sim *sim = NULL;
      load_text(&l, "bodies: {b: {mass: 2, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
                    "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x},\n"
                    "         h: {type: prismatic, bodies: [b, c], at: [1, 0, 0], axis: x}}\n"
                    "forces: {k: {type: spring, points: [b, c], stiffness: 100}}\n"
                    "drive: [{joint: s, motion: \"min(max(t - 1, 0), 1)*0.5\"}]\nanalysis: {until: 3}\n");
      tn_run_opts o = {.method = type->name, .representation = representation[r], .tolerance = tol, .results = ""};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
      CHECK_INT(tn_sim_joint_coordinate(sim, 1, 0, &x, &v), TN_OK);
      if (!CHECK_WITHIN(0.5 + x, want, 10*tol)) printf("  %s, %s\n", type->name, representation[r]);
      tn_sim_destroy(&sim);
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &u));
      if (!CHECK(u.sound && u.energy_error < 10*tol)) printf("  %s, %s: %s\n", type->name, representation[r], u.verdict);
      unload(&l);
    }
  }
}

/* A body of 2 kg at 1 m/s gets 3 J from a zone of w metres between 4 and 6 m: it is at 2 m/s behind it. */
static void zones_are_not_passed_over(void) {
  static const double tol[] = {1e-3, 1e-6};
  int cell = 0;
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (!chooses_steps(type)) continue;
    for (double w = 0.3; w > 3e-3; w /= 4)
      for (int i = 0; i < TNI_COUNT(tol); i++, cell++) {
        if ((!all && cell % 3 != 0) || (type->order == 2 && i == 1)) continue;
        char text[700];
        double c = 5 + check_random(&seed);
        loaded l;
        snprintf(text, sizeof(text),
                 "bodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\njoints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
                 "forces: {f: {type: joint_force, joint: s, force: \"if(value > %.17g and value < %.17g, %.17g, 0)\"}}\nanalysis: {until: 10}\n", c, c + w, 3/w);
        load_text(&l, text);
        tn_run_opts o = {.method = type->name, .representation = representation[cell % 2], .tolerance = tol[i], .results = ""};
        is_right_or_says_so(&l, &o, 2, "a zone");
        unload(&l);
      }
  }
}

/* What depends on several measured quantities, on a distance that is 0 on the way, or on a table of a spring gives 3 J to a body of 2 kg at 1 m/s. */
static void pulses_of_any_quantities_are_met(void) {
  static const char *const force[] = {
      "{type: force, body: b, force: [\"0.8*(%1$s)\", \"0.6*(%1$s)\", 0]}", "{type: spring, bodies: [ground, b], at1: [-0.8, -0.6, 0], at2: [0, 0, 0], "
      "free_length: 0, table: [[0, 0], [%2$.17g, 0], [%3$.17g, %5$.17g], [%4$.17g, 0], [30, 0]]}"};
  static const char *const value[] = {
      "exp(-((x(b) - %1$.17g)^2 + (y(b) - %2$.17g)^2)/%3$.17g^2)*3/(%3$.17g*sqrt(pi))", "if(hypot(x(b) - %1$.17g, y(b) - %2$.17g) < %3$.17g/2, 3/%3$.17g, 0)",
      "exp(-(distance(b, ground.p)/%3$.17g)^2)*3/(%3$.17g*sqrt(pi)) + 0*(%1$.17g + %2$.17g)", "3/(pi*%3$.17g)/(1 + (x(b, ground.p)^2 + y(b, ground.p)^2)/%3$.17g^2) + 0*(%1$.17g + %2$.17g)",
      "(tanh((0.8*x(b) + 0.6*y(b) - %4$.17g)/%3$.17g) - tanh((0.8*x(b) + 0.6*y(b) - %4$.17g - %3$.17g)/%3$.17g))*1.5/%3$.17g + 0*(%1$.17g + %2$.17g)", ""};
  static const double tol[] = {1e-3, 1e-5, 1e-7};
  int cell = 0;
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (!chooses_steps(type)) continue;
    for (int kind = 0; kind < TNI_COUNT(value); kind++)
      for (double w = 0.3; w > 1e-3; w /= 7)
        for (int i = 0; i < TNI_COUNT(tol); i++, cell++) {
          if ((type->order == 2 && (i > 0 || w < 0.01)) || (!all && cell % 5 != 0)) continue;
          char text[1600], f[1000], v[400];
          double c = 5 + check_random(&seed);
          loaded l;
          snprintf(v, sizeof(v), value[kind], 0.8*c, 0.6*c, w, c);
          snprintf(f, sizeof(f), force[!v[0]], v, c + 1 - w, c + 1, c + 1 + w, -3/w);
          snprintf(text, sizeof(text), "ground: {points: {p: [%.17g, %.17g, 0]}}\nbodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [0.8, 0.6, 0]}}\n"
                   "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: [0.8, 0.6, 0]}}\nforces: {f: %s}\nanalysis: {until: 10}\n",
                   0.8*c, 0.6*c, f);
          load_text(&l, text);
          tn_run_opts o = {.method = type->name, .representation = representation[cell % 2], .tolerance = tol[i], .results = ""};
          /* Lorentz's curve has tails beyond the run */
          double energy = 1 + 3*(kind == 3 ? (atan(c/w) + atan((10 + 2 - c)/w))/3.141592653589793 : 1), want = sqrt(energy);
          if (kind == 3) o.tolerance = fmax(o.tolerance, 1e-4); /* where the run ends is known by so much */
          is_right_or_says_so(&l, &o, want, f);
          unload(&l);
        }
  }
}

/* A force that sets in, at once or gently, where the body comes to a place: as exact as anything else. 2 kg at 1 m/s. */
static void conditions_are_met_where_they_are(void) {
  static const double tol[] = {1e-3, 1e-6, 1e-9};
  for (int k = 0, cell = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (!chooses_steps(type)) continue;
    for (int jumps = 0; jumps < 2; jumps++)
      for (int i = 0; i < TNI_COUNT(tol); i++, cell++) {
        if (type->order == 2 && i > 0) continue;
        for (int r = 0; r < 2; r++) {
          if (!all && r != cell % 2) continue;
          char text[600];
          double c = 0.9 + 0.6*check_random(&seed), x, v, worst = 0;
          loaded l;
          tn_sim *sim = NULL;
          snprintf(text, sizeof(text), "bodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
                   "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
                   "forces: {f: {type: joint_force, joint: s, force: \"%s\"}}\nanalysis: {until: 2}\n",
                   jumps ? "if(value > %.17g, 40, 0)" : "-50*max(value - %.17g, 0)");
          char model[700];
          snprintf(model, sizeof(model), text, c);
          load_text(&l, model);
          tn_run_opts o = {.method = type->name, .representation = representation[r], .tolerance = tol[i], .results = ""};
          CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
          for (double t = 0.25; t < 2; t += 0.25) {
            double d = t - c, pi = 3.141592653589793;
            CHECK_OK(l.ctx, tn_sim_advance(sim, t));
            CHECK_INT(tn_sim_joint_coordinate(sim, 0, 0, &x, &v), TN_OK);
            double want = d < 0 ? 1 : jumps ? 1 + 20*d : 5*d < pi ? cos(5*d) : -1;
            worst = fmax(worst, fabs(v - want)/(1 + fabs(want)));
          }
          if (!CHECK_WITHIN(worst, 0, 2*tol[i])) printf("  %s, %s, tolerance %g, %s\n", type->name, representation[r], tol[i], model);
          tn_sim_destroy(&sim);
          unload(&l);
        }
      }
  }
}

/* height 0.15 s behind a bump of a road that is flat for 50 m, at 10 m/s */
static tn_status height_behind(const loaded *l, const char *method, double tol, double t, double *z, bool *sound) {
  tn_sim *sim = NULL;
  tn_summary u;
  double x[3] = {NAN, NAN, NAN};
  tn_run_opts o = {.method = method, .tolerance = tol, .results = ""};
  tn_status st = tn_sim_create(l->ctx, l->model, &o, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, t);
  if (st == TN_OK) sim_point(sim, "b", 0, 0, 0, x);
  tn_sim_destroy(&sim);
  *z = x[2];
  *sound = st == TN_OK && tn_run(l->ctx, l->model, &o, &u) == TN_OK && u.sound;
  return st;
}

static void wheels_meet_bumps(void) {
  static const char *const road[] = {"0.05*exp(-((x - 50.37)/%1$.3g)^2)", "if(x > 50.37 and x < 50.37 + %1$.3g, 0.05*sin(pi*(x - 50.37)/%1$.3g), 0)",
                                     "0.05*step(x, 50.37, 0, 50.37 + %1$.3g, 1)*step(x, 50.37 + %1$.3g, 1, 50.37 + 2*%1$.3g, 0)"};
  for (int k = 0; k < TNI_COUNT(road); k++)
    for (int n = 0; n < 3; n++) {
      double w = 0.3/(1 << 2*n);
      if (!all && n != k) continue;
      char profile[400], text[1000];
      loaded l;
      double want, z;
      bool sound;
      snprintf(profile, sizeof(profile), road[k], w);
      /* a reference that cannot miss it */
      for (int pass = 0; pass < 2; pass++) {
        snprintf(text, sizeof(text),
                 "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 100, inertia: [1, 1, 1], at: [0, 0, 0.495095], velocity: [10, 0, 0]}}\n"
                 "joints: {g: {type: orientation, bodies: [ground, b]}}\n"
                 "forces: {f: {type: tyre, body: b, stiffness: 200000, damping: 2000, free_length: 0.5, road: \"%s\"}}\n"
                 "analysis: {until: 5.2%s}\n", profile, pass ? "" : ", max_step: 1e-3");
        load_text(&l, text);
        if (pass == 0) {
          CHECK_OK(l.ctx, height_behind(&l, "rk8", 1e-6, 5.2, &want, &sound));
          CHECK(fabs(want - 0.495095) > 2e-4);
          unload(&l);
        }
      }
      for (int i = 0; i < tni_integrator_ntype; i++) {
        const tni_integrator_type *type = tni_integrator_types[i];
        if (!chooses_steps(type) || (!all && (i + k) % 3 != 0)) continue;
        double tol = type->order == 2 ? 1e-5 : 1e-6, near = 0.02*fabs(want - 0.495095);
        CHECK(height_behind(&l, type->name, tol, 5.2, &z, &sound) <= TN_NO_PROGRESS);
        if (!CHECK(!sound || fabs(z - want) < near)) printf("  %s, %s: %g for %g\n", type->name, profile, z, want);
        runs++;
        right += sound;
      }
      unload(&l);
    }
}

/* steps of 0.1 s cannot follow a pulse of a millisecond: who is given them says so, and where */
static void equal_steps_over_a_pulse_are_doubtful(void) {
  static const char *const method[] = {"rk4", "energy_momentum", "staggered", "trapezoidal", "radau", "alpha"};
  for (int k = 0; k < 2*TNI_COUNT(method); k++) {
    bool wide = k % 2;
    char text[600];
    loaded l;
    tn_summary u;
    snprintf(text, sizeof(text), "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
             "forces: {f: {type: force, body: b, force: [\"%s\", 0, 0]}}\nanalysis: {until: 10%s}\n",
             wide ? "sin(7*t)" : "if(t > 5.0371 and t < 5.0381, 1000, 0)", k/2 > 3 ? ", steps: equal" : "");
    load_text(&l, text);
    tn_run_opts o = {.method = method[k/2], .representation = "cartesian", .step = 0.1, .results = ""};
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &u));
    if (!CHECK(wide || (!u.sound && strstr(u.verdict, "has a pulse at t = 5.03")))) printf("  %s: %s\n", method[k/2], u.verdict);
    CHECK(!wide || !strstr(u.verdict, "has a pulse"));
    unload(&l);
  }
}

/* a wave of small force that steps pass over in hundreds of periods costs none of them */
static void waves_cost_no_steps(void) {
  loaded l;
  tn_summary u;
  load_text(&l, "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                "forces: {f: {type: force, body: b, force: [\"1 + 1e-9*sin(3000*t)\", 0, 0]}}\nanalysis: {until: 10}\n");
  tn_run_opts o = {.method = "rk8", .results = ""};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &u));
  CHECK(u.sound && u.steps + u.rejected < 40);
  unload(&l);
}

/* put back to its start, a run meets the same pulse again */
static void runs_that_are_put_back_meet_it_again(void) {
  loaded l;
  tn_sim *sim = NULL;
  double x, speed = NAN, state[2000];
  long taken[3];
  load_text(&l, "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
                "forces: {f: {type: force, body: b, force: [\"if(t > 5.0371 and t < 5.0381, 1000, 0)\", 0, 0]}}\nanalysis: {until: 10}\n");
  tn_run_opts o = {.method = "rk8"};
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  size_t n = tn_sim_state_size(sim);
  CHECK(n <= 2000);
  CHECK_OK(l.ctx, tn_sim_get_state(sim, state, n));
  double q[7], v[6];
  memcpy(q, sim->it->now.q, (size_t)sim->s->nq*sizeof(double));
  memcpy(v, sim->it->now.v, (size_t)sim->s->nv*sizeof(double));
  for (int k = 0; k < 3; k++) {
    if (k == 1) CHECK_OK(l.ctx, tn_sim_set_state(sim, state, n));
    if (k == 2) CHECK_OK(l.ctx, tni_sim_place(sim, 0, q, v));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 10));
    CHECK_INT(tn_sim_joint_coordinate(sim, 0, 0, &x, &speed), TN_OK);
    CHECK_NEAR(speed, 0.5, 1e-6);
    taken[k] = sim->it->stats.steps + sim->it->stats.rejected;
  }
  CHECK_INT(taken[2] - taken[1], taken[0]); /* steps end at both jumps again, in place of looking for them */
  tn_sim_destroy(&sim);
  unload(&l);
}

/* what is only looked at ends no steps */
static void sensors_change_no_steps(void) {
  long steps[2];
  for (int k = 0; k < 2; k++) {
    loaded l;
    tn_summary u;
    char text[500];
    snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
             "sensors: {s: {type: expression, value: \"%s\"}}\nanalysis: {until: 10}\n", k ? "if(t > 3 and t < 3.01, x(b), mod(t, 0.1))" : "t");
    load_text(&l, text);
    tn_run_opts o = {.method = "rk8", .results = ""};
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &u));
    steps[k] = u.steps;
    unload(&l);
  }
  CHECK_INT(steps[0], steps[1]);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(every_method_meets_every_pulse);
  RUN(drives_may_jump_in_speed);
  RUN(zones_are_not_passed_over);
  RUN(pulses_of_any_quantities_are_met);
  RUN(conditions_are_met_where_they_are);
  RUN(wheels_meet_bumps);
  CHECK(runs > 100 && right > 0.97*runs);
  printf("%d of %d right, the others stop or are doubtful\n", right, runs);
  RUN(equal_steps_over_a_pulse_are_doubtful);
  RUN(waves_cost_no_steps);
  RUN(runs_that_are_put_back_meet_it_again);
  RUN(sensors_change_no_steps);
  return REPORT();
}
