/* What the user wrote is what runs: initial values, kept where the model allows it, and a word where
 * it does not
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <tenon/tenon.h>

static tn_ctx *ctx;
static char warnings[4000];

static void on_log(void *user, tn_log_level level, const char *line) {
  size_t n = strlen(warnings);
  (void)user;
  if (level == TN_LOG_WARNING) snprintf(warnings + n, sizeof(warnings) - n, "%s\n", line);
}

typedef struct {
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  tn_summary sum;
} started;

static tn_status start(const char *text, const char *representation, started *s) {
  tn_run_opts o = {.representation = representation};
  memset(s, 0, sizeof(*s));
  tn_status st = tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &s->spec);
  if (st == TN_OK) st = tn_model_compile(ctx, s->spec, &s->model);
  if (st == TN_OK) st = tn_sim_create(ctx, s->model, &o, &s->sim);
  if (st == TN_OK) tn_sim_summary(s->sim, &s->sum);
  return st;
}

static void stop(started *s) {
  tn_sim_destroy(&s->sim);
  tn_model_destroy(&s->model);
  tn_spec_destroy(&s->spec);
}

static void warnings_of_run(const char *text) {
  started s;
  tn_run_opts o = {.results = "", .until = 1e-3};
  CHECK_OK(ctx, start(text, NULL, &s));
  warnings[0] = 0;
  CHECK_OK(ctx, tn_run(ctx, s.model, &o, &s.sum));
  stop(&s);
}

static void body(started *s, const char *name, double v[3], double w[3]) {
  int i = tn_model_find_body(s->model, name);
  CHECK(i >= 0);
  CHECK_OK(ctx, tn_sim_body_velocity(s->sim, i, v, w));
}

static uint64_t seed = 20231;
static double number(double from, double to) {
  return from + (to - from)*(1 + check_random(&seed))/2;
}

static const char *const both[] = {"cartesian", "joint"};

/* about any axis, with any inertia: the centre of mass goes where the written rate takes it */
static void a_hinged_body_starts_with_the_rate_written(void) {
  for (int n = 0; n < 40; n++) {
    double a[3], r[3], w = number(-9, 9), size = 0, v[3], W[3];
    for (int k = 0; k < 3; k++) a[k] = number(-1, 1), r[k] = number(-2, 2), size += a[k]*a[k];
    for (int k = 0; k < 3; k++) a[k] /= sqrt(size);
    char text[700];
    snprintf(text, sizeof(text), "tenon: 1\nbodies: {rod: {mass: %g, inertia: [%g, 0.1, 0.1], at: "
             "[%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}}\njoints: {pin: {type: "
             "revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [%.17g, %.17g, %.17g]}}\n",
             pow(10, number(-3, 4)), pow(10, number(-4, -1)), r[0], r[1], r[2], w*a[0], w*a[1],
             w*a[2], a[0], a[1], a[2]);
    for (int k = 0; k < 2; k++) {
      started s;
      CHECK_OK(ctx, start(text, both[k], &s));
      body(&s, "rod", v, W);
      for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        CHECK_NEAR(W[i], w*a[i], 1e-12);
        CHECK_NEAR(v[i], w*(a[j]*r[l] - a[l]*r[j]), 1e-12);
      }
      CHECK(s.sum.changed[TN_CHANGED_SPIN].count == 0 && s.sum.changed[TN_CHANGED_VELOCITY].size == 0);
      stop(&s);
    }
  }
}

/* the other way round: the speed of the centre of mass decides */
static void a_hinged_body_turns_as_its_written_velocity_asks(void) {
  started s;
  double v[3], w[3];
  CHECK_OK(ctx, start("tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 50, 50], at: [0.5, 0, 0], "
                      "velocity: [0, 2, 0]}}\njoints: {pin: {type: revolute, bodies: [ground, rod], "
                      "at: [0, 0, 0], axis: z}}\n", NULL, &s));
  body(&s, "rod", v, w);
  CHECK_NEAR(v[1], 2, 1e-12);
  CHECK_NEAR(w[2], 4, 1e-12);
  stop(&s);
}

static const char four_bar[] =
    "tenon: 1\nplanar: true\nbodies:\n"
    "  crank: {mass: 1, between: [[0, 0], [0, 1]], angular_velocity: [0, 0, %g]}\n"
    "  rod: {mass: 1000, between: [[0, 1], [2, 2]]}\n"
    "  rocker: {mass: 0.01, between: [[2, 0], [2, 2]]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  b: {type: revolute, bodies: [crank, rod], at: [0, 1]}\n"
    "  c: {type: revolute, bodies: [rod, rocker], at: [2, 2]}\n"
    "  d: {type: revolute, bodies: [rocker, ground], at: [2, 0]}\n";

/* the pin of the crank moves along x, so the rod (2, 1) does not turn and the rocker has half the rate */
static void one_rate_sets_a_whole_loop(void) {
  char text[900];
  snprintf(text, sizeof(text), four_bar, -7.0);
  for (int k = 0; k < 2; k++) {
    started s;
    double v[3], w[3];
    CHECK_OK(ctx, start(text, both[k], &s));
    body(&s, "crank", v, w);
    CHECK_NEAR(w[2], -7, 1e-12);
    body(&s, "rod", v, w);
    CHECK_NEAR(w[2], 0, 1e-11);
    body(&s, "rocker", v, w);
    CHECK_NEAR(w[2], -3.5, 1e-12);
    stop(&s);
  }
  warnings_of_run(text);
  CHECK_TEXT(warnings, "");
}

static void a_rate_that_cannot_be_kept_is_a_warning_with_numbers(void) {
  warnings_of_run("tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], velocity: "
                  "[0, 0, 0], angular_velocity: [0, 0, 3]}}\njoints: {pin: {type: revolute, bodies: "
                  "[ground, rod], at: [0, 0, 0], axis: z}}\n");
  /* equal weights: halfway */
  CHECK(strstr(warnings, "m.yaml:2: the written velocity of body 'rod' was changed by 1.5 m/s, from "
               "(0, 0, 0) to (0, 1.5, 0)") != NULL);
  CHECK(strstr(warnings, "angular_velocity of body 'rod' was changed by 1.5 rad/s, from (0, 0, 3) to "
               "(0, 0, 1.5)") != NULL);
  warnings_of_run("tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0.2], "
                  "orientation: {axis: y, angle: 0}, points: {a: [-1, 0, 0]}}}\njoints: {pin: {type: "
                  "spherical, bodies: [ground, rod], at1: [0, 0, 0], at2: a}}\n");
  CHECK(strstr(warnings, "the written at of body 'rod' was changed by ") != NULL);
  CHECK(strstr(warnings, "the written orientation of body 'rod' was changed by ") != NULL);
  /* digits that were left out are no reason to talk */
  warnings_of_run("tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0.0002], points: "
                  "{a: [-1, 0, 0]}}}\njoints: {pin: {type: spherical, bodies: [ground, rod], at1: [0, "
                  "0, 0], at2: a}}\n");
  CHECK_TEXT(warnings, "");
}

/* a quarter turn by the assembly, or a torque against a bushing: ground axes stay ground axes */
static void angular_velocity_in_ground_axes_does_not_turn_with_the_body(void) {
  static const char *const text[] = {
      "tenon: 1\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [0, 1, 0]}}\n"
      "joints: {p: {type: spherical, bodies: [ground, b], at1: [0, 1, 0], at2: [1, 0, 0]},\n"
      "  q: {type: spherical, bodies: [ground, b], at1: [0, 0, 0], at2: [0, 0, 0]}}\n",
      "tenon: 1\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [1, 0, 0]}}\n"
      "forces:\n  k: {type: bushing, bodies: [ground, b], at: [0, 0, 0], stiffness: [9, 9, 9, 9, 9, 9]}\n"
      "  t: {type: torque, body: b, torque: [\"0\", \"0\", \"9\"]}\nanalysis: {initial: statics}\n"};
  for (int n = 0; n < 2; n++)
    for (int k = 0; k < 2; k++) {
      started s;
      double v[3], w[3], at[3], e[4];
      CHECK_OK(ctx, start(text[n], both[k], &s));
      body(&s, "b", v, w);
      CHECK_OK(ctx, tn_sim_body_pose(s.sim, 0, at, e));
      CHECK(2*acos(fabs(e[0])) > 0.9); /* it has turned */
      CHECK_NEAR(w[0], n == 1, 1e-9);
      CHECK_NEAR(w[1], n == 0, 1e-9);
      CHECK_NEAR(w[2], 0, 1e-9);
      stop(&s);
    }
}

/* value and rate of coordinate k of a joint, checked */
static void coordinate(started *s, const char *joint, int k, double value, double rate) {
  double x, dx;
  int j = tn_model_find_joint(s->model, joint);
  CHECK_OK(ctx, tn_sim_joint_coordinate(s->sim, j, k, &x, &dx));
  CHECK_NEAR(x, value, 1e-9);
  CHECK_NEAR(dx, rate, 1e-9);
}

/* a chain of a hinge, a cylindrical joint and a cross; what is not written stays as it is drawn */
static void joints_start_where_and_as_fast_as_written(void) {
  for (int n = 0; n < 12; n++) {
    double x[5], dx[5];
    char text[1500];
    for (int k = 0; k < 5; k++) x[k] = number(-9, 9), dx[k] = number(-3, 3);
    x[1] *= 0.1; /* a displacement */
    snprintf(text, sizeof(text),
             "tenon: 1\nbodies:\n"
             "  a: {mass: 1, shape: {sphere: 0.3}, at: [0.5, 0.1, 0.2], orientation: {axis: [1, 2, 3], angle: 1}}\n"
             "  b: {mass: 3, shape: {sphere: 0.1}, at: [1.5, 0.3, 0]}\n"
             "  c: {mass: 0.1, shape: {sphere: 0.2}, at: [2.5, 0, 0.4]}\n"
             "joints:\n"
             "  h: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 1, 2], initial: %.17g,\n"
             "      initial_rate: %.17g}\n"
             "  s: {type: cylindrical, bodies: [a, b], at: [1, 0, 0], axis: [0, 1, 1], initial: {displacement: "
             "%.17g, angle: %.17g}, initial_rate: {angle: %.17g}}\n"
             "  u: {type: universal, bodies: [b, c], at: [2, 0, 0], axis1: z, axis2: y, initial: {angle1: %.17g}, "
             "initial_rate: {angle2: %.17g}}\n", x[0], dx[0], x[1], x[2], dx[2], x[3], dx[4]);
    for (int k = 0; k < 2; k++) {
      started s;
      CHECK_OK(ctx, start(text, both[k], &s));
      coordinate(&s, "h", 0, x[0], dx[0]);
      coordinate(&s, "s", 0, x[1], 0);
      coordinate(&s, "s", 1, x[2], dx[2]);
      coordinate(&s, "u", 0, x[3], 0);
      coordinate(&s, "u", 1, 0, dx[4]);
      stop(&s);
    }
  }
}

/* a parallelogram stays one: the rocker follows the crank, the rod does not turn */
static void a_loop_closes_at_the_coordinate_written(void) {
  for (int n = 0; n < 8; n++) {
    double angle = number(-1.2, 1.2), rate = number(-5, 5), at[3], e[4], v[3], w[3];
    char text[900];
    snprintf(text, sizeof(text),
             "tenon: 1\nbodies:\n"
             "  crank: {mass: 1, shape: {box: [1, 0.1, 0.1]}, between: [[0, 0, 0], [0, 1, 0]]}\n"
             "  rod: {mass: 1, shape: {box: [2, 0.1, 0.1]}, between: [[0, 1, 0], [2, 1, 0]]}\n"
             "  rocker: {mass: 1, shape: {box: [1, 0.1, 0.1]}, between: [[2, 0, 0], [2, 1, 0]]}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"
             "  b: {type: revolute, bodies: [crank, rod], at: [0, 1, 0], axis: z}\n"
             "  c: {type: revolute, bodies: [rod, rocker], at: [2, 1, 0], axis: z}\n"
             "  d: {type: revolute, bodies: [ground, rocker], at: [2, 0, 0], axis: z, initial: %.17g,\n"
             "      initial_rate: %.17g}\n", angle, rate);
    for (int k = 0; k < 2; k++) {
      started s;
      CHECK_OK(ctx, start(text, both[k], &s));
      coordinate(&s, "a", 0, angle, rate);
      CHECK_OK(ctx, tn_sim_body_pose(s.sim, tn_model_find_body(s.model, "rod"), at, e));
      CHECK_NEAR(at[0], 1 - sin(angle), 1e-9);
      CHECK_NEAR(at[1], cos(angle), 1e-9);
      CHECK_NEAR(fabs(e[0]), 1, 1e-9);
      body(&s, "rod", v, w);
      CHECK_NEAR(v[0], -rate*cos(angle), 1e-9);
      CHECK_NEAR(w[2], 0, 1e-9);
      stop(&s);
    }
  }
}

/* Every kind of coordinate, joints entered from either body, bodies with and without velocities of their own: what is written holds. */
static void every_coordinate_starts_as_written_from_either_side(void) {
  static const struct { const char *type, *keys, *coord[3]; int n; bool along[3]; } kind[] = {
      {"revolute", "axis: [0, 0.3, 1]", {"angle"}, 1, {0}},
      {"prismatic", "axis: [1, 0.3, 1]", {"displacement"}, 1, {1}},
      {"cylindrical", "axis: [1, 0.3, 0]", {"displacement", "angle"}, 2, {1, 0}},
      {"screw", "axis: [1, 0.3, 0], pitch: 0.2", {"angle"}, 1, {0}},
      {"screw", "axis: [1, 0.3, 0], pitch: -0.2", {"displacement"}, 1, {1}},
      {"universal", "axis1: z, axis2: [1, 0.2, 0]", {"angle1", "angle2"}, 2, {0, 0}},
      {"planar", "axis: [0.2, 0.3, 1]", {"x", "y", "angle"}, 3, {1, 1, 0}}};
  for (int n = 0; n < 7*8; n++) {
    int k = n % 7;
    bool reversed = n/7 % 2, written = n/14 % 2; /* another body's velocity */
    double x[3], dx[3];
    char text[1500], value[200] = "", rate[200] = "";
    for (int c = 0; c < kind[k].n; c++) {
      x[c] = kind[k].along[c] ? number(-0.5, 0.5) : number(-5, 5);
      dx[c] = number(-3, 3);
      const char *name = kind[k].coord[c], *comma = c ? ", " : "";
      snprintf(value + strlen(value), 100, "%s%s: %.17g", comma, name, x[c]);
      snprintf(rate + strlen(rate), 100, "%s%s: %.17g", comma, name, dx[c]);
    }
    snprintf(text, sizeof(text),
             "tenon: 1\nbodies:\n  a: {mass: 1, shape: {sphere: 0.3}, at: [0.5, 0.1, 0.2]}\n"
             "  b: {mass: 3, shape: {sphere: 0.1}, at: [1.5, 0.3, 0]%s}\n"
             "joints:\n  h: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 1, 2], initial: -0.4, initial_rate: 0.7}\n"
             "  j: {type: %s, bodies: [%s], at: [1, 0, 0], %s, initial: {%s}, initial_rate: {%s}}\n",
             written ? ", velocity: [1, 2, 3]" : "", kind[k].type, reversed ? "b, a" : "a, b", kind[k].keys, value, rate);
    for (int r = 0; r < 2; r++) {
      started s;
      CHECK_OK(ctx, start(text, both[r], &s));
      coordinate(&s, "h", 0, -0.4, 0.7);
      for (int c = 0; c < kind[k].n; c++) {
        bool second = k == 4;
        coordinate(&s, "j", c + second, x[c], dx[c]);
      }
      stop(&s);
    }
  }
}

/* Two coordinates of a loop that moves in one way: those that go together are taken, whichever joint the tree has cut; others are
 * refused by name, values and rates alike. */
static void coordinates_of_a_loop_agree_or_are_refused(void) {
  static const struct { const char *value[4], *rate[4]; tn_status want; const char *says; } c[] = {
      {{"0.4", "-0.4", NULL, NULL}, {0}, TN_OK, ""},
      {{"0.4", "-0.4", "0.4", "-0.4"}, {0}, TN_OK, ""},
      {{NULL, NULL, "0.4", "-0.4"}, {"2", "-2", "2", "-2"}, TN_OK, ""},
      {{"0.4", NULL, NULL, "0.3"}, {0}, TN_INCONSISTENT, "cannot be reached"},
      {{"0.4", "-0.4", "0.4", "-0.3"}, {0}, TN_INCONSISTENT, "cannot be reached"},
      {{NULL, "0.1", "0.4", NULL}, {0}, TN_INCONSISTENT, "cannot be reached"},
      {{"0.4", NULL, NULL, NULL}, {"2", NULL, NULL, "1"}, TN_INCONSISTENT, "velocities cannot be made consistent"},
      {{0}, {"2", "-1", NULL, NULL}, TN_INCONSISTENT, "velocities cannot be made consistent"}};
  for (int n = 0; n < 8; n++) {
    static const char *const at[4] = {"[0, 0, 0]", "[0, 1, 0]", "[2, 1, 0]", "[2, 0, 0]"};
    static const char *const of[4] = {"ground, crank", "crank, rod", "rod, rocker", "rocker, ground"};
    char text[1500] = "tenon: 1\nbodies:\n"
                      "  crank: {mass: 1, shape: {box: [1, 0.1, 0.1]}, between: [[0, 0, 0], [0, 1, 0]]}\n"
                      "  rod: {mass: 1, shape: {box: [2, 0.1, 0.1]}, between: [[0, 1, 0], [2, 1, 0]]}\n"
                      "  rocker: {mass: 1, shape: {box: [1, 0.1, 0.1]}, between: [[2, 0, 0], [2, 1, 0]]}\njoints:\n";
    for (int j = 0; j < 4; j++) {
      char value[60] = "", rate[60] = "";
      if (c[n].value[j]) snprintf(value, sizeof(value), ", initial: %s", c[n].value[j]);
      if (c[n].rate[j]) snprintf(rate, sizeof(rate), ", initial_rate: %s", c[n].rate[j]);
      size_t end = strlen(text);
      snprintf(text + end, sizeof(text) - end, "  j%d: {type: revolute, bodies: [%s], at: %s, axis: z%s%s}\n", j, of[j], at[j],
               value, rate);
    }
    for (int r = 0; r < 2; r++) {
      started s;
      CHECK_INT(start(text, both[r], &s), c[n].want);
      if (c[n].want != TN_OK) {
        if (!CHECK(strstr(tn_ctx_message(ctx), c[n].says) != NULL)) printf("%d: %s\n", n, tn_ctx_message(ctx));
      } else {
        double w = c[n].rate[0] ? 2 : 0;
        for (int j = 0; j < 4; j++) coordinate(&s, (char[3]){'j', (char)('0' + j), 0}, 0, j % 2 ? -0.4 : 0.4, j % 2 ? -w : w);
      }
      stop(&s);
    }
  }
}

/* a nut that slides: what its spindle turns by is counted, though nobody wrote an angle */
static void turns_of_joints_that_follow_are_counted(void) {
  for (int n = 0; n < 4; n++) {
    double pitch = n % 2 ? -0.05 : 0.02, x = n/2 ? -0.31 : 0.5, rate = 0.3, turn = 6.283185307179586/pitch;
    char text[900];
    snprintf(text, sizeof(text), "tenon: 1\nbodies: {nut: {mass: 1, shape: {sphere: 0.1}, at: [0.2, 0, 0]}, spindle: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0]}}\n"
             "joints:\n  p: {type: prismatic, bodies: [ground, nut], at: [0.2, 0, 0], axis: x, initial: %g, initial_rate: %g}\n"
             "  r: {type: revolute, bodies: [ground, spindle], at: [0, 0, 0], axis: x}\n"
             "  s: {type: screw, bodies: [spindle, nut], at: [0.2, 0, 0], axis: x, pitch: %g}\n", x, rate, pitch);
    for (int r = 0; r < 2; r++) {
      started s;
      CHECK_OK(ctx, start(text, both[r], &s));
      coordinate(&s, "p", 0, x, rate);
      coordinate(&s, "r", 0, -x*turn, -rate*turn);
      coordinate(&s, "s", 0, x*turn, rate*turn);
      stop(&s);
    }
  }
}

/* and a wheel that a gear drives sixty times as fast: the gear is linear, so that loops close however far it turns in a step */
static void turns_of_wheels_that_follow_are_counted(void) {
  for (int r = 0; r < 2; r++) {
    started s;
    CHECK_OK(ctx, start("tenon: 1\nbodies: {a: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0]}, b: {mass: 1, shape: {sphere: 0.1}, at: [1, 0, 0]}}\n"
                        "joints:\n  j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z, initial: 0.7, initial_rate: 0.1}\n"
                        "  k: {type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: z}\n"
                        "  m: {type: gear, joints: [j, k], ratio: -60}\n", both[r], &s));
    coordinate(&s, "j", 0, 0.7, 0.1);
    coordinate(&s, "k", 0, -42, -6);
    stop(&s);
  }
}

/* angle and displacement of one screw: both are taken where they agree */
static void a_screw_has_one_way_only(void) {
  static const struct { double along, angle, speed, spin; tn_status want; } c[] = {
      {0.1, 3.141592653589793, 0.2, 6.283185307179586, TN_OK}, {0.1, 3, 0.2, 6.283185307179586, TN_INCONSISTENT},
      {0.1, 3.141592653589793, 0.2, 6, TN_INCONSISTENT}};
  for (int n = 0; n < 3; n++)
    for (int r = 0; r < 2; r++) {
      char text[600];
      started s;
      snprintf(text, sizeof(text), "tenon: 1\nbodies: {nut: {mass: 1, shape: {sphere: 0.1}, at: [0.2, 0, 0]}}\njoints:\n"
               "  s: {type: screw, bodies: [ground, nut], at: [0.2, 0, 0], axis: x, pitch: 0.2, initial: {displacement: %.17g, angle: %.17g},\n"
               "      initial_rate: {displacement: %.17g, angle: %.17g}}\n", c[n].along, c[n].angle, c[n].speed, c[n].spin);
      CHECK_INT(start(text, both[r], &s), c[n].want);
      if (c[n].want == TN_OK) {
        coordinate(&s, "s", 0, c[n].angle, c[n].spin);
        coordinate(&s, "s", 1, c[n].along, c[n].speed);
      }
      stop(&s);
    }
}

/* the work of holding coordinates grows with their number: 3000 links, all written, in the time of a test */
static void a_long_chain_starts_where_it_is_written(void) {
  enum { N = 3000 };
  char *text = malloc(400*N), *end = text;
  end += sprintf(end, "tenon: 1\nplanar: true\nbodies:\n");
  for (int i = 0; i < N; i++) end += sprintf(end, "  b%d: {mass: 1, inertia: 0.01, at: [%d.5, 0]}\n", i, i);
  end += sprintf(end, "joints:\n");
  for (int i = 0; i < N; i++) {
    char from[20];
    snprintf(from, sizeof(from), i ? "b%d" : "ground", i - 1);
    end += sprintf(end, "  j%d: {type: revolute, bodies: [%s, b%d], at: [%d, 0], initial: %g, initial_rate: %g}\n", i, from, i, i,
                   i % 2 ? 0.5 : -0.5, i % 3 - 1.0);
  }
  started s;
  CHECK_OK(ctx, start(text, "joint", &s));
  for (int i = 0; i < N; i += 37) {
    char name[20];
    snprintf(name, sizeof(name), "j%d", i);
    coordinate(&s, name, 0, i % 2 ? 0.5 : -0.5, i % 3 - 1.0);
  }
  stop(&s);
  free(text);
}

static void initial_values_that_cannot_be_are_refused(void) {
  static const char *const item[][2] = {
      {"type: spherical, at: [0, 0, 0], initial: 1", "key 'initial': a joint of type 'spherical' has no coordinate"},
      {"type: cylindrical, axis: z, initial: 1", "key 'initial': has 2 coordinates, write {displacement: 1}"},
      {"type: revolute, axis: z, initial: {angel: 1}", "no coordinate 'angel'; did you mean 'angle'?"},
      {"type: revolute, axis: z, initial_rate: {angle: fast}", "key 'initial_rate': angle must be a number"}};
  for (int i = 0; i < 4; i++) {
    started s;
    char text[400];
    snprintf(text, sizeof(text), "tenon: 1\nbodies: {b: {mass: 1, shape: {sphere: 1}}}\n"
             "joints: {j: {bodies: [ground, b], %s}}\n", item[i][0]);
    CHECK_INT(start(text, NULL, &s), TN_ERR_INPUT);
    if (!CHECK(strstr(tn_ctx_message(ctx), item[i][1]) != NULL)) printf("%s\n", tn_ctx_message(ctx));
    stop(&s);
  }
  started s;
  CHECK_INT(start("tenon: 1\nbodies: {b: {mass: 1, shape: {sphere: 1}, at: [1, 0, 0]}}\njoints:\n"
                  "  j: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z, initial: 2}\n"
                  "  k: {type: distance, bodies: [ground, b], at1: [1.1, 0, 0], at2: [0, 0, 0]}\n", NULL, &s),
            TN_INCONSISTENT);
  CHECK(strstr(tn_ctx_message(ctx), "joint 'j': initial angle = 2 rad cannot be reached") != NULL);
  stop(&s);
}

/* R = Rz(90) Rx(90) takes body x, y, z to ground y, z, x */
static void orientations_compose_and_spins_may_be_in_body_axes(void) {
  started s;
  double v[3], w[3], at[3], e[4];
  CHECK_OK(ctx, start("tenon: 1\nbodies: {b: {mass: 1, shape: {box: [1, 2, 3]}, orientation: [{axis: z, angle: "
                      "90*deg}, {axis: x, angle: 90*deg}], angular_velocity_body: [1, 2, 3]}}\n", NULL, &s));
  CHECK_OK(ctx, tn_sim_body_pose(s.sim, 0, at, e));
  for (int i = 0; i < 4; i++) CHECK_NEAR(e[i]*e[0], 0.25, 1e-12);
  body(&s, "b", v, w);
  CHECK_NEAR(w[0], 3, 1e-12);
  CHECK_NEAR(w[1], 1, 1e-12);
  CHECK_NEAR(w[2], 2, 1e-12);
  stop(&s);
  CHECK_INT(start("tenon: 1\nbodies: {b: {mass: 1, shape: {sphere: 1}, orientation: [1, 0, 0, 0]}}\n", NULL, &s),
            TN_ERR_INPUT);
  stop(&s);
  CHECK_INT(start("tenon: 1\nbodies: {b: {mass: 1, shape: {sphere: 1}, angular_velocity: [1, 0, 0], "
                  "angular_velocity_body: [1, 0, 0]}}\n", NULL, &s), TN_ERR_INPUT);
  stop(&s);
}

/* Written velocities are kept where there are meshes: neither the spring of a body nor the stiffness of the mesh takes them; a body on a spring
 * that nobody wrote for does not follow the other end. */
static void springs_and_meshes_keep_written_velocities(void) {
  static const char text[] =
      "tenon: 1\ngravity: [0, 0, 0]\nmeshes: {m: {box: {size: [0.5, 0.05, 0.05], cells: [4, 1, 1], origin: [0, -0.025, -0.025]}}}\n"
      "materials: {a: {type: elastic, E: 2e8, nu: 0.3, density: 1000}}\n"
      "structures: {m: {mesh: m, material: a, formulation: large, hold: {hub: x0, tip: x1}}}\n"
      "bodies: {ball: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 0], velocity: [0, 2, 0]}, tail: {mass: 1, inertia: [1, 1, 1], at: [0, -2, 0]}}\n"
      "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z%s}, s: {type: prismatic, bodies: [ground, ball], at: [0, 1, 0], axis: y}}\n"
      "forces:\n  k: {type: spring, bodies: [ground, ball], at1: [0, 0, 0], at2: [0, 1, 0], stiffness: 100}\n"
      "  k2: {type: spring, bodies: [ball, tail], at1: [0, 1, 0], at2: [0, -2, 0], stiffness: 1e5}\n%sanalysis: {until: 0.01, method: radau}\n";
  started s;
  char model[2000];
  for (int k = 0; k < 2; k++) { /* a drive, or a rate that is written for the joint: the light hub keeps it against the bar */
    double v[3], w[3];
    snprintf(model, sizeof(model), text, k ? ", initial_rate: 10" : "", k ? "" : "drive: [{joint: h, motion: \"10*t\"}]\n");
    CHECK_OK(ctx, start(model, NULL, &s));
    body(&s, "ball", v, w);
    CHECK_NEAR(v[1], 2, 1e-12);
    body(&s, "tail", v, w);
    CHECK_WITHIN(v[1], 0, 1e-12);
    body(&s, "hub", v, w);
    CHECK_NEAR(w[2], 10, 1e-9);
    body(&s, "tip", v, w);
    CHECK_NEAR(w[2], 10, 1e-6);
    CHECK_NEAR(v[1], 5, 1e-6);
    stop(&s);
  }
  snprintf(model, sizeof(model), text, ", initial: 0.5", "");
  CHECK(start(model, NULL, &s) == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "would move bodies that carry nodes of structure 'm'"));
  stop(&s);
}

/* a beam on a hub that turns starts as a rigid rod would; one whose other end is held starts at rest; one that is written as written */
static void beams_follow_where_nothing_is_strained(void) {
  static const struct { const char *beam, *joints; double spin; } m[] = {
      {"", "", 10},
      {"", "pin: {type: spherical, bodies: [ground, b.end], at: [1, 0, 0]}", 0},
      {", angular_velocity: [0, 0, 3]", "", 3}};
  for (int i = 0; i < 3; i++) {
    char model[1200];
    started s;
    double v[3], w[3];
    snprintf(model, sizeof(model), "tenon: 1\ngravity: [0, 0, 0]\nbodies: {hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
             "beams:\n  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, start: hub, EA: 1e6, GA: 1e6, EI: 1, GJ: 1, rhoA: 1, rhoI: 1e-4%s}\n"
             "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z}%s%s}\ndrive: [{joint: h, motion: \"10*t\"}]\n",
             m[i].beam, m[i].joints[0] ? ", " : "", m[i].joints);
    CHECK_OK(ctx, start(model, "cartesian", &s));
    body(&s, "hub", v, w);
    CHECK_NEAR(w[2], 10, 1e-9);
    body(&s, "b.node[4]", v, w);
    CHECK_WITHIN(w[2], m[i].spin, 1e-6);
    CHECK_WITHIN(v[1], m[i].spin, 1e-6);
    stop(&s);
  }
}

int main(void) {
  tn_ctx_opts o = {.log = on_log};
  if (tn_ctx_create(&o, &ctx) != TN_OK) return 1;
  RUN(a_hinged_body_starts_with_the_rate_written);
  RUN(a_hinged_body_turns_as_its_written_velocity_asks);
  RUN(one_rate_sets_a_whole_loop);
  RUN(a_rate_that_cannot_be_kept_is_a_warning_with_numbers);
  RUN(angular_velocity_in_ground_axes_does_not_turn_with_the_body);
  RUN(joints_start_where_and_as_fast_as_written);
  RUN(a_loop_closes_at_the_coordinate_written);
  RUN(every_coordinate_starts_as_written_from_either_side);
  RUN(coordinates_of_a_loop_agree_or_are_refused);
  RUN(turns_of_joints_that_follow_are_counted);
  RUN(turns_of_wheels_that_follow_are_counted);
  RUN(a_screw_has_one_way_only);
  RUN(a_long_chain_starts_where_it_is_written);
  RUN(initial_values_that_cannot_be_are_refused);
  RUN(orientations_compose_and_spins_may_be_in_body_axes);
  RUN(springs_and_meshes_keep_written_velocities);
  RUN(beams_follow_where_nothing_is_strained);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
