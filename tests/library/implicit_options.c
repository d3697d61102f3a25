/* Keys of the implicit methods: Newmark's family, what stops iterations, when coordinates are chosen, which
 * joints are cut, and where the time goes
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include "base/base.h"
#include <tenon/tenon.h>

static tn_ctx *ctx;

/* a model text, run; *x: `sensor` of its first body along x at the end */
static tn_status run(const char *text, tn_summary *u, double *x) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  double p[3] = {0}, e[4];
  tn_status st = tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, 2);
  if (st == TN_OK) st = tn_sim_body_pose(sim, 0, p, e);
  if (st == TN_OK) tn_sim_summary(sim, u);
  if (x) *x = p[0];
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* x'' = -k x - c x', the family written down; accelerations are carried from step to step */
static double newmark(double beta, double gamma, double k, double c, double h, int steps) {
  double x = 1, v = 0, a = -k*x - c*v;
  for (int i = 0; i < steps; i++) {
    double xk = x + h*v + h*h*(0.5 - beta)*a, vk = v + h*(1 - gamma)*a;
    a = -(k*xk + c*vk)/(1 + c*gamma*h + k*beta*h*h);
    x = xk + beta*h*h*a;
    v = vk + gamma*h*a;
  }
  return x;
}

static const char oscillator[] =
    "tenon: 1\nbodies: {block: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, bodies: [ground, block], at: [0, 0, 0], axis: x}}\n"
    "forces: {s: {type: joint_force, joint: rail, force: \"-40*displacement(rail) - 0.7*rate(rail) - 40\"}}\n"
    "analysis: {until: 2, method: %s, step: %g, steps: equal, kappa: 1e-9, representation: %s%s}\n";

static void newmark_gives_the_numbers_of_its_formula(void) {
  static const double pair[][2] = {{0.25, 0.5}, {0.3025, 0.6}, {0.5, 0.5}, {0.49, 0.9}, {1, 1}};
  for (int i = 0; i < TNI_COUNT(pair); i++)
    for (int joint = 0; joint < 2; joint++)
      for (int steps = 50; steps <= 100; steps *= 2) {
        char text[800], keys[80];
        double x, h = 2.0/steps;
        tn_summary u;
        snprintf(keys, sizeof(keys), ", newmark_beta: %g, newmark_gamma: %g", pair[i][0], pair[i][1]);
        snprintf(text, sizeof(text), oscillator, "trap", h, joint ? "joint" : "cartesian", keys);
        CHECK_OK(ctx, run(text, &u, &x));
        CHECK_INT(u.steps, steps);
        CHECK_WITHIN(x, newmark(pair[i][0], pair[i][1], 40, 0.7, h, steps), 1e-7);
      }
}

static void newmark_is_refused_where_it_means_nothing(void) {
  char text[800];
  tn_summary u;
  snprintf(text, sizeof(text), oscillator, "sdirk", 0.01, "joint", ", newmark_gamma: 0.6");
  CHECK_INT(run(text, &u, NULL), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "newmark_gamma") && strstr(tn_ctx_message(ctx), "for method trap, not for sdirk"));
  snprintf(text, sizeof(text), oscillator, "trap", 0.01, "joint", ", newmark_beta: 0.25, newmark_gamma: 0.6");
  CHECK_INT(run(text, &u, NULL), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "= 0.3025") != NULL);
}

/* planar double pendulum with stiff hinges */
static const char pendulum[] =
    "tenon: 1\nplanar: true\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 3, inertia: 1, at: [1, 0]}\n"
    "  two: {mass: 0.3, inertia: 0.225, at: [3.5, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, one], at: [0, 0]}\n"
    "  b: {type: revolute, bodies: [one, two], at: [2, 0]}\n"
    "forces: {t: {type: torsion_spring, joint: b, stiffness: 3e3, damping: 500}}\n"
    "analysis: {until: 2, tolerance: 1e-4, %s}\n";

static void pendulum_run(const char *keys, tn_summary *u, double *x) {
  char text[1200];
  snprintf(text, sizeof(text), pendulum, keys);
  CHECK_OK(ctx, run(text, u, x));
}

static void coordinates_are_chosen_again_when_asked(void) {
  tn_summary often, usual, seldom;
  double x[3];
  pendulum_run("method: rosen, representation: cartesian, parametrization: coordinates, repartition: 1.01", &often, &x[0]);
  pendulum_run("method: rosen, representation: cartesian, parametrization: coordinates", &usual, &x[1]);
  pendulum_run("method: rosen, representation: cartesian, parametrization: coordinates, repartition: 30", &seldom, &x[2]);
  CHECK(often.choices > usual.choices && usual.choices > seldom.choices && seldom.choices >= 1);
  CHECK_WITHIN(x[0], x[1], 1e-3);
  CHECK_WITHIN(x[2], x[1], 1e-3);
}

static void iterations_end_where_they_are_told_to(void) {
  static const char *const method[] = {"sdirk", "infl_sdirk", "desc_sdirk"};
  for (int i = 0; i < TNI_COUNT(method); i++) {
    char keys[120];
    tn_summary exact, loose, few;
    double x[3];
    snprintf(keys, sizeof(keys), "method: %s, representation: cartesian, kappa: 1e-6", method[i]);
    pendulum_run(keys, &exact, &x[0]);
    snprintf(keys, sizeof(keys), "method: %s, representation: cartesian, kappa: 0.1", method[i]);
    pendulum_run(keys, &loose, &x[1]);
    snprintf(keys, sizeof(keys), "method: %s, representation: cartesian, kappa: 1e-6, max_iterations: 2", method[i]);
    pendulum_run(keys, &few, &x[2]);
    /* iterations a step fall with kappa; a limit that is too low takes the steps again */
    CHECK(1.2*(double)loose.newton/(double)loose.steps < (double)exact.newton/(double)exact.steps);
    CHECK(few.steps + few.rejected > exact.steps + exact.rejected);
    CHECK_WITHIN(x[2], x[0], 1e-4);
  }
}

/* a share of 0.0065: the same steps as with a tolerance that is so much smaller */
static void a_tolerance_may_be_that_of_a_step(void) {
  tn_summary run_u, step_u, same;
  double x[3];
  pendulum_run("method: rosen, representation: cartesian", &run_u, &x[0]);
  pendulum_run("method: rosen, representation: cartesian, tolerance_of: step", &step_u, &x[1]);
  CHECK(2*step_u.steps < run_u.steps);
  pendulum_run("method: rk45, representation: cartesian, tolerance_of: run", &run_u, &x[0]);
  pendulum_run("method: rk45, representation: cartesian, tolerance_of: step", &same, &x[2]);
  CHECK(same.steps < run_u.steps);
}

static void a_marked_joint_is_cut(void) {
  tn_summary tree, cut;
  double x[2];
  pendulum_run("method: rosen, representation: joint", &tree, &x[0]);
  pendulum_run("method: rosen, representation: joint, cut: [b]", &cut, &x[1]);
  CHECK(strstr(tree.system, "0 cut rows") != NULL);
  if (!CHECK(strstr(cut.system, "2 cut rows") != NULL)) printf("%s\n%s\n", tree.system, cut.system);
  CHECK_WITHIN(x[1], x[0], 1e-3);
  char text[1200];
  snprintf(text, sizeof(text), pendulum, "method: rosen, cut: [c]");
  CHECK_INT(run(text, &cut, NULL), TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "'c'") != NULL);
}

static void the_time_of_steps_is_divided(void) {
  static const char *const method[] = {"rosen", "sdirk", "trap", "desc_trap", "radau", "alpha"};
  for (int i = 0; i < TNI_COUNT(method); i++) {
    char keys[120], *json;
    tn_summary u;
    double x;
    snprintf(keys, sizeof(keys), "method: %s, representation: cartesian", method[i]);
    pendulum_run(keys, &u, &x);
    double parts = u.time_matrices + u.time_factors + u.time_accelerations + u.time_recovery;
    CHECK(u.time_matrices > 0 && u.time_factors > 0 && u.time_accelerations > 0 && u.time_recovery > 0);
    CHECK(parts <= u.time_steps && u.time_steps <= u.wall);
    CHECK_OK(ctx, tn_summary_json(ctx, &u, &json));
    CHECK(strstr(json, "\"time_recovery\"") != NULL);
    tn_text_free(ctx, &json);
  }
  tn_summary u;
  double x;
  pendulum_run("method: rk45", &u, &x);
  CHECK(u.time_steps == 0);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  RUN(newmark_gives_the_numbers_of_its_formula);
  RUN(newmark_is_refused_where_it_means_nothing);
  RUN(coordinates_are_chosen_again_when_asked);
  RUN(iterations_end_where_they_are_told_to);
  RUN(a_tolerance_may_be_that_of_a_step);
  RUN(a_marked_joint_is_cut);
  RUN(the_time_of_steps_is_divided);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
