/* tests/verify/redundancy.c - redundant constraints are found, named and harmless
 *
 * A spatial four-bar of four hinges has three equations too many: the loop lies in its plane
 * anyway. It must move as the same loop with a ball and a sleeve in place of two hinges, and as the
 * planar model; all of this also when it is written with four digits, where the equations only
 * become dependent once the loop is closed. Multipliers are those of least norm: of two identical
 * hinges each carries half.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "verify/models.h"

#include <unistd.h>

/* four-bar in the plane y = 0 */
#define LOOP(ANALYSIS)                                                                            \
  "gravity: [0, 0, -9.81]\n"                                                                      \
  "bodies:\n"                                                                                     \
  "  crank:   {mass: 1, inertia: [0.01, 0.02, 0.02], between: [[0, 0, 0], [0.3, 0, 0.4]],\n"      \
  "            angular_velocity: [0, 2, 0]}\n"                                                    \
  "  coupler: {mass: 2, inertia: [0.05, 0.2, 0.21], between: [[0.3, 0, 0.4], [1.3, 0, 0.9]]}\n"   \
  "  rocker:  {mass: 1.5, inertia: [0.02, 0.1, 0.11], between: [[1.3, 0, 0.9], [1.5, 0, 0]]}\n"   \
  "joints:\n"                                                                                     \
  "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"                      \
  "  b: {type: revolute, bodies: [crank, coupler], at: [0.3, 0, 0.4], axis: y}\n"                 \
  "  c: {type: revolute, bodies: [coupler, rocker], at: [1.3, 0, 0.9], axis: y}\n"                \
  "  d: {type: revolute, bodies: [ground, rocker], at: [1.5, 0, 0], axis: y}\n"                   \
  "analysis: {" ANALYSIS "}\n"

/* ---- names --------------------------------------------------------------------------------- */

static void report_names_equations_and_joints(void) {
  loaded l;
  tn_report *report;
  load_text(&l, LOOP("until: 1"));
  CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
  const tn_check_info *info = tn_report_info(report);
  CHECK_INT(info->coordinates, 18);
  CHECK_INT(info->equations, 20);
  CHECK_INT(info->rank, 17);
  CHECK_INT(info->redundant, 3);
  CHECK_INT(info->freedom, 1);
  CHECK_INT(info->loops, 1);
  CHECK_INT(info->nonunique, 4);
  CHECK(info->assembled && !info->singular);
  const char *json = tn_report_json(report), *text = tn_report_text(report);
  /* the last joint closes the loop: out of plane it has nothing left to hold */
  static const char *const name[] = {"d.y", "d.axis.1", "d.axis.2"};
  for (int i = 0; i < 3; i++) {
    char want[64];
    snprintf(want, sizeof(want), "{\"equation\":\"%s\",\"follows_from\":[\"a.", name[i]);
    check_true(strstr(json, want) != NULL, want, __FILE__, __LINE__);
    snprintf(want, sizeof(want), "  %s follows from a.", name[i]);
    check_true(strstr(text, want) != NULL, want, __FILE__, __LINE__);
  }
  CHECK(strstr(json, "\"nonunique_reactions\":[\"a\",\"b\",\"c\",\"d\"]") != NULL);
  CHECK(strstr(text, "not unique (least ones are given): a, b, c, d\n") != NULL);
  tn_report_destroy(&report);
  unload(&l);
}

static void forbidding_refuses_the_run_only(void) {
  loaded l;
  tn_report *report;
  tn_sim *sim;
  load_text(&l, LOOP("until: 1, redundant: forbid"));
  CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
  CHECK(strstr(tn_report_text(report), "NOT POSSIBLE: redundant equations") != NULL);
  tn_report_destroy(&report);
  CHECK_INT(tn_sim_create(l.ctx, l.model, NULL, &sim), TN_INCONSISTENT);
  CHECK(strstr(tn_ctx_message(l.ctx), "3 redundant constraint equations") != NULL);
  unload(&l);
  /* the exact loop may run */
  char text[4000];
  snprintf(text, sizeof(text), "%sanalysis: {redundant: forbid}\n", spatial_four_bar_exact);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  tn_sim_destroy(&sim);
  unload(&l);
}

/* notes of the reaction channels of a stored run */
static void check_notes(const char *text, bool unique) {
  char path[64];
  loaded l;
  tn_summary sum;
  tn_results *f;
  snprintf(path, sizeof(path), "/tmp/tenon-redundancy-%d.h5", (int)getpid());
  load_text(&l, text);
  tn_run_opts o = {.results = path, .overwrite = true, .until = 0.1};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  CHECK_INT(sum.redundant, unique ? 0 : 3);
  CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &f));
  static const char *const name[] = {"joints/a/reaction", "joints/b/reaction", "joints/c/reaction",
                                     "joints/d/reaction"};
  for (int i = 0; i < 4; i++) {
    int c = tn_results_find(f, name[i]);
    if (CHECK(c >= 0))
      CHECK((strstr(tn_results_channel_note(f, c), "not unique") == NULL) == unique);
  }
  int c = tn_results_find(f, "bodies/crank/position");
  CHECK_TEXT(tn_results_channel_note(f, c), "");
  tn_results_close(&f);
  remove(path);
  unload(&l);
}

static void results_say_what_is_not_unique(void) {
  check_notes(spatial_four_bar, false);
  check_notes(spatial_four_bar_exact, true);
}

/* ---- motion -------------------------------------------------------------------------------- */

typedef struct {
  double pose[8][7], velocity[8][6], energy[4];
  double wrench[8][6];
  int nbody, njoint;
} state;

static void simulate(const char *text, const char *representation, const char *method, double tol,
                     double until, state *out) {
  loaded l;
  tn_sim *sim;
  load_text(&l, text);
  tn_run_opts o = {.method = method, .representation = representation, .tolerance = tol,
                   .until = until};
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, until));
  memset(out, 0, sizeof(*out));
  out->nbody = tn_model_nbody(l.model);
  out->njoint = tn_model_njoint(l.model);
  for (int i = 0; i < out->nbody; i++) {
    CHECK_OK(l.ctx, tn_sim_body_pose(sim, i, out->pose[i], out->pose[i] + 3));
    CHECK_OK(l.ctx, tn_sim_body_velocity(sim, i, out->velocity[i], out->velocity[i] + 3));
  }
  for (int i = 0; i < out->njoint; i++)
    CHECK_OK(l.ctx, tn_sim_joint_reaction(sim, i, out->wrench[i], out->wrench[i] + 3));
  CHECK_OK(l.ctx, tn_sim_energy(sim, out->energy));
  tn_sim_destroy(&sim);
  unload(&l);
}

static void check_same_motion(const state *x, const state *y, double tol) {
  CHECK_INT(x->nbody, y->nbody);
  for (int i = 0; i < x->nbody; i++) {
    CHECK_NEAR(far_apart(x->pose[i], y->pose[i], 3, 1), 0, tol);
    CHECK_NEAR(far_apart(x->velocity[i], y->velocity[i], 6, 1), 0, tol);
    /* Euler parameters up to their common sign */
    double dot = 0;
    for (int k = 3; k < 7; k++) dot += x->pose[i][k]*y->pose[i][k];
    CHECK_NEAR(fabs(dot), 1, tol);
  }
}

/* tolerance of the runs 1e-10: the two differ by their own errors only */
static void redundant_loop_moves_as_the_exact_one(void) {
  state exact, loop;
  simulate(spatial_four_bar_exact, "cartesian", "rk8", 1e-10, 2, &exact);
  static const char *const rep[] = {"cartesian", "joint"};
  static const char *const method[] = {"rk8", "rk45", "adams"};
  for (int r = 0; r < 2; r++)
    for (int m = 0; m < 3; m++) {
      simulate(spatial_four_bar, rep[r], method[m], 1e-10, 2, &loop);
      check_same_motion(&loop, &exact, 1e-8);
    }
  simulate(spatial_four_bar_exact, "joint", "rk8", 1e-10, 2, &loop);
  check_same_motion(&loop, &exact, 1e-8);
  simulate(planar_four_bar, "auto", "rk8", 1e-10, 2, &loop);
  check_same_motion(&loop, &exact, 1e-8);
}

/* forces in the plane are unique, so both loops must show the same ones */
static void reactions_in_the_plane_are_those_of_the_exact_loop(void) {
  state exact, loop;
  simulate(spatial_four_bar_exact, "cartesian", "rk8", 1e-11, 0.5, &exact);
  simulate(spatial_four_bar, "cartesian", "rk8", 1e-11, 0.5, &loop);
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < 2; k++) CHECK_NEAR(loop.wrench[j][k], exact.wrench[j][k], 1e-8);
}

#define PENDULUM(HINGES)                                                                          \
  "gravity: [0.5, 0.3, -9.81]\n"                                                                  \
  "bodies:\n"                                                                                     \
  "  rod: {mass: 2, inertia: [0.03, 0.2, 0.22, 0.01, 0.005, 0], at: [0.6, 0.1, 0],\n"             \
  "        com: [0.05, 0.02, 0.1], angular_velocity: [0, 3, 0]}\n"                                \
  "joints:\n" HINGES

static const char one_hinge[] =
    PENDULUM("  h: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n");
static const char two_hinges[] =
    PENDULUM("  h: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n"
             "  k: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n");

static void doubled_hinge_shares_the_load(void) {
  state one, two;
  simulate(one_hinge, "cartesian", "rk8", 1e-9, 2, &one);
  static const char *const rep[] = {"cartesian", "joint"};
  for (int r = 0; r < 2; r++) {
    simulate(two_hinges, rep[r], "rk8", 1e-9, 2, &two);
    check_same_motion(&two, &one, r == 0 ? 1e-9 : 1e-8);
    for (int k = 0; k < 6; k++) {
      CHECK_WITHIN(two.wrench[0][k] + two.wrench[1][k], one.wrench[0][k], 1e-7);
      /* in joint coordinates the tree carries what it can: only the sum is promised */
      if (r == 0) CHECK_WITHIN(two.wrench[0][k], 0.5*one.wrench[0][k], 1e-7); /* about the axis there is nothing but rounding */
    }
  }
}

/* ---- written with four digits -------------------------------------------------------------- */

#define ROUNDED(TILT)                                                                            \
  "gravity: [0, -9.81, 0]\n"                                                                      \
  "bodies:\n"                                                                                     \
  "  crank:   {mass: 1, inertia: [0.01, 0.02, 0.02], between: [[0, 0], [0.3142, 0.4]],\n"         \
  "            angular_velocity: [0, 0, 2]}\n"                                                    \
  "  coupler: {mass: 2, inertia: [0.05, 0.2, 0.21], between: [[0.3142, 0.4], [1.333, 0.8775]]}\n" \
  "  rocker:  {mass: 1.5, inertia: [0.02, 0.1, 0.11],\n"                                          \
  "            between: [[1.333, 0.8775, 1e-4], [1.5, 0, 0]]}\n"                                 \
  "joints:\n"                                                                                     \
  "  a: {type: revolute, bodies: [ground, crank], at1: [0, 0, 0], at2: [-0.2543, 0, 0],\n"        \
  "      axis1: z, axis2: z}\n"                                                                   \
  "  b: {type: revolute, bodies: [crank, coupler], at1: [0.2543, 0, 0], at2: [-0.5626, 0, 0],\n" \
  "      axis1: z, axis2: z}\n"                                                                   \
  "  c: {type: revolute, bodies: [coupler, rocker], at1: [0.5626, 0, 0],\n"                     \
  "      at2: [-0.4466, 0, 0], axis1: z, axis2: [" TILT ", 0, 1]}\n"                               \
  "  d: {type: revolute, bodies: [ground, rocker], at1: [1.5, 0, 0], at2: [0.4466, 0, 0],\n"      \
  "      axis1: z, axis2: [" TILT ", 0, 1]}\n"

static void loop_with_four_digits_assembles_and_runs(void) {
  loaded l;
  tn_report *report;
  tn_sim *sim;
  tn_summary sum;
  load_text(&l, ROUNDED("0"));
  CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
  const tn_check_info *info = tn_report_info(report);
  CHECK(info->assembled && !info->singular);
  CHECK(info->position_error > 1e-6 && info->position_error < 1e-3);
  CHECK_INT(info->redundant, 3);
  CHECK_INT(info->freedom, 1);
  CHECK(strstr(tn_report_text(report), "the written position is off by") != NULL);
  CHECK(strstr(tn_report_text(report), "3 bodies moved, most '") != NULL);
  tn_report_destroy(&report);
  tn_run_opts o = {.tolerance = 1e-8, .until = 3};
  static const char *const rep[] = {"cartesian", "joint"};
  for (int r = 0; r < 2; r++) {
    o.representation = rep[r];
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    tn_sim_summary(sim, &sum);
    CHECK(sum.energy_error < 1e-7*sum.energy_scale);
    CHECK(sum.position_error < 1e-9);
    CHECK(sum.velocity_error < 1e-8);
    CHECK_INT(sum.redundant, 3);
    tn_sim_destroy(&sim);
  }
  unload(&l);
}

/* ---- what cannot be ------------------------------------------------------------------------ */

/* hinges not square to the rocker: one of its ends leaves the plane of the loop by 0.89 m times the
 * tilt, which nothing can mend, only spread */
static void skew_hinges_are_inconsistent_by_name(void) {
  loaded l;
  tn_report *report;
  load_text(&l, ROUNDED("1e-4"));
  CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
  CHECK(!tn_report_info(report)->assembled);
  /* what is reported is the nearest the loop comes to closing */
  const char *place = strstr(tn_report_text(report), "met together at t = 0 s: '");
  double off = 0;
  CHECK(place && (place = strstr(place, "' is off by ")) != NULL);
  if (place) off = atof(place + strlen("' is off by "));
  CHECK(off > 1e-6 && off < 0.9e-4);
  tn_report_destroy(&report);
  unload(&l);
}

/* a rod of 0.4 m between tips that stay 1 m apart at best */
static void rod_too_short_is_inconsistent_by_name(void) {
  loaded l;
  tn_report *report;
  tn_sim *sim;
  load_text(&l, "planar: true\n"
                "bodies:\n"
                "  left:  {mass: 1, inertia: 0.1, between: [[0, 0], [0.5, 0]]}\n"
                "  right: {mass: 1, inertia: 0.1, between: [[2, 0], [1.5, 0]]}\n"
                "joints:\n"
                "  a: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
                "  b: {type: revolute, bodies: [ground, right], at: [2, 0]}\n"
                "  rod: {type: distance, bodies: [left, right], at1: [0.25, 0], at2: [0.25, 0],\n"
                "        length: 0.4}\n");
  CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
  CHECK(!tn_report_info(report)->assembled);
  CHECK(strstr(tn_report_text(report), "NOT ASSEMBLED") != NULL);
  CHECK(strstr(tn_report_json(report), "\"assembled\":false") != NULL);
  tn_report_destroy(&report);
  CHECK_INT(tn_sim_create(l.ctx, l.model, NULL, &sim), TN_INCONSISTENT);
  CHECK(strstr(tn_ctx_message(l.ctx), "'rod.") != NULL);
  CHECK(sim == NULL);
  unload(&l);
}

/* two motors on one hinge that disagree */
static void drives_in_conflict_are_inconsistent_by_name(void) {
  loaded l;
  tn_sim *sim;
  load_text(&l, PENDULUM("  h: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n")
                "drive:\n"
                "  - {name: one, joint: h, motion: \"t\"}\n"
                "  - {name: two, joint: h, motion: \"2*t\"}\n");
  CHECK_INT(tn_sim_create(l.ctx, l.model, NULL, &sim), TN_INCONSISTENT);
  CHECK(strstr(tn_ctx_message(l.ctx), "'one', 'two' contradict each other") != NULL);
  unload(&l);
}

/* the same, but they agree at the start with position, velocity and acceleration: the run has to
 * notice by itself and may not follow one of them */
static void conflict_that_shows_later_ends_the_run(void) {
  static const char *const method[] = {"rk45", "rk8", "adams", "rk4"};
  static const char *const rep[] = {"cartesian", "joint"};
  loaded l;
  load_text(&l, PENDULUM("  h: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n")
                "drive:\n"
                "  - {name: one, joint: h, motion: \"t^3\"}\n"
                "  - {name: two, joint: h, motion: \"t^3 + 0.1*t^4\"}\n");
  for (int k = 0; k < 8; k++) {
    tn_summary sum;
    tn_run_opts o = {.results = "", .method = method[k/2], .representation = rep[k % 2]};
    if (strcmp(o.method, "rk4") == 0) o.step = 0.01;
    tn_status st = tn_run(l.ctx, l.model, &o, &sum);
    check_true(st == TN_INCONSISTENT || st == TN_NO_PROGRESS, o.method, __FILE__, __LINE__);
    CHECK(strstr(tn_ctx_message(l.ctx), "'one', 'two' contradict each other") != NULL);
    CHECK_TEXT(sum.outcome, "failed");
    CHECK(sum.position_error < 1e-6);
  }
  unload(&l);
}

int main(void) {
  RUN(report_names_equations_and_joints);
  RUN(forbidding_refuses_the_run_only);
  RUN(results_say_what_is_not_unique);
  RUN(redundant_loop_moves_as_the_exact_one);
  RUN(reactions_in_the_plane_are_those_of_the_exact_loop);
  RUN(doubled_hinge_shares_the_load);
  RUN(loop_with_four_digits_assembles_and_runs);
  RUN(skew_hinges_are_inconsistent_by_name);
  RUN(rod_too_short_is_inconsistent_by_name);
  RUN(drives_in_conflict_are_inconsistent_by_name);
  RUN(conflict_that_shows_later_ends_the_run);
  return REPORT();
}
