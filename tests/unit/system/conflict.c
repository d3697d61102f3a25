/* Prescribed motions in conflict are named, with the amount by which they differ
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static const char rod[] =
    "bodies:\n"
    "  rod: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.5, 0, 0]}\n"
    "  bar: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [1.5, 0, 0]}\n"
    "joints:\n"
    "  h: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: z}\n"
    "  k: {type: revolute, bodies: [rod, bar], at: [1, 0, 0], axis: z}\n"
    "drive:\n"
    "  third: {joint: k, motion: \"0.3*t\"}\n";

static const char four_bar[] =
    "planar: true\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: 0.02, between: [[0, 0], [0.3, 0.4]]}\n"
    "  coupler: {mass: 2, inertia: 0.2, between: [[0.3, 0.4], [1.3, 0.9]]}\n"
    "  rocker:  {mass: 1, inertia: 0.1, between: [[1.3, 0.9], [1.5, 0]]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  b: {type: revolute, bodies: [crank, coupler], at: [0.3, 0.4]}\n"
    "  c: {type: revolute, bodies: [coupler, rocker], at: [1.3, 0.9]}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [1.5, 0]}\n"
    "drive:\n";

/* the message with which a run of the model ends */
static void message_of(const char *head, const char *drives, const char *representation, char *out,
                       size_t n) {
  char text[3000];
  loaded l;
  tn_sim *sim = NULL;
  snprintf(text, sizeof(text), "%s%s", head, drives);
  load_text(&l, text);
  tn_run_opts o = {.representation = representation, .until = 1};
  tn_status st = tn_sim_create(l.ctx, l.model, &o, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, 1);
  CHECK(st == TN_INCONSISTENT || st == TN_NO_PROGRESS);
  snprintf(out, n, "%s", tn_ctx_message(l.ctx));
  tn_sim_destroy(&sim);
  unload(&l);
}

/* "... differ by X unit at t = T s": both numbers */
static bool parse(const char *message, double *amount, double *t) {
  const char *by = strstr(message, "differ by "), *at = strstr(message, "; change or remove");
  while (at && at > message && strncmp(at, "t = ", 4) != 0) at--;
  return by && at && sscanf(by, "differ by %lf", amount) == 1 && sscanf(at, "t = %lf", t) == 1;
}

static const char *const representations[] = {"cartesian", "joint"};

/* d1 asks for f, d2 for f + g: what is said must be g, or its rate, at the time that is said */
static void check_pair(const char *f, const char *g, double (*value)(double), const char *unit) {
  for (int r = 0; r < 2; r++) {
    char drives[400], message[1000];
    double amount = 0, t = 0;
    snprintf(drives, sizeof(drives), "  d1: {joint: h, motion: \"%s\"}\n"
             "  d2: {joint: h, motion: \"%s + %s\"}\n", f, f, g);
    message_of(rod, drives, representations[r], message, sizeof(message));
    bool ok = strstr(message, "prescribed motions 'd1', 'd2' contradict each other") != NULL;
    ok = ok && !strstr(message, "third") && strstr(message, unit) && parse(message, &amount, &t);
    check_true(ok, message, __FILE__, __LINE__);
    CHECK_NEAR(amount/value(t), 1, 0.03);
  }
}

static double offset(double t) { return 0.1 + 0*t; }
static double rate(double t) { return 2.5 + 0*t; }
static double square(double t) { return 0.7*t*t; }
static double cube_later(double t) { return 4*pow(t - 0.5, 3); }

static void both_are_named_with_the_difference(void) {
  check_pair("0", "0.1", offset, " rad at t = 0 s");
  check_pair("sin(t)", "2.5*t", rate, " rad/s at t = 0 s");
  check_pair("t", "0.7*t^2", square, " rad at t = ");
  check_pair("t^2", "4*(t > 0.5)*(t - 0.5)^3", cube_later, " rad at t = 0.5");
}

static void velocities_and_motions_count_alike(void) {
  char message[1000];
  message_of(rod, "  d1: {joint: h, velocity: \"1\"}\n  d2: {joint: h, motion: \"3*t\"}\n",
             "cartesian", message, sizeof(message));
  check_true(strstr(message, "'d1', 'd2' contradict each other: they differ by 2 ") != NULL, message,
             __FILE__, __LINE__);
}

static void two_ends_of_a_loop_are_named(void) {
  for (int r = 0; r < 2; r++) {
    char message[1000];
    message_of(four_bar, "  left: {joint: a, motion: \"t\"}\n  right: {joint: d, motion: \"t\"}\n",
               representations[r], message, sizeof(message));
    check_true(strstr(message, "prescribed motions 'left', 'right' contradict each other") != NULL,
               message, __FILE__, __LINE__);
  }
}

/* a diagonal makes the four-bar rigid */
static void one_motion_against_the_joints_is_named(void) {
  char head[2000], message[1000];
  const char *drives = strstr(four_bar, "drive:\n");
  snprintf(head, sizeof(head), "%.*s  e: {type: distance, bodies: [ground, coupler], "
           "at1: [0, 0], at2: [0.5, 0]}\n%s", (int)(drives - four_bar), four_bar, drives);
  message_of(head, "  only: {joint: a, motion: \"t\"}\n", "cartesian", message, sizeof(message));
  check_true(strstr(message, "'only' and the joints contradict each other: off by 1 rad/s") != NULL,
             message, __FILE__, __LINE__);
}

int main(void) {
  RUN(both_are_named_with_the_difference);
  RUN(velocities_and_motions_count_alike);
  RUN(two_ends_of_a_loop_are_named);
  RUN(one_motion_against_the_joints_is_named);
  return REPORT();
}
