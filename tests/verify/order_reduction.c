/* tests/verify/order_reduction.c - what is left of the order of implicit formulas where a stiff, damped force follows time
 *
 * A block on a rail is drawn to sin(t),   x'' = -k (x - sin t) - c (x' - cos t) - sin t,   so that x = sin t for any k and
 * c (A. Prothero, A. Robinson, Math. Comp. 28, 1974). The stages of a formula are right to their own, lower order only, and a
 * stiff force shows it: Rosenbrock formulas and SDIRK formulas (stages of order 1) lose most of theirs, Radau IIA keeps three.
 *
 *   k = c = 1       everything as in the books: 4, 4, 5, 2
 *   k = c = 1e6     a stiff damper: velocities of rosen 2
 *   k = 1e8         a stiff spring with c = 1e3: velocities of rosen, sdirk and its relatives 1, of radau 3
 *
 * Runs with error control stay within their tolerance whatever the order, only steps tell; auto takes the formula that keeps
 * most of its order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

typedef struct {
  double x, v;
} errors;

/* largest errors at steps of 0.5 s; keys: of the analysis */
static errors drawn(double c, double k, double until, const char *keys, tn_summary *u) {
  char text[1200];
  errors e = {0, 0};
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text),
           "bodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0], velocity: [1, 0, 0]}}\n"
           "joints: {r: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
           "forces: {f: {type: joint_force, joint: r,\n"
           "  force: \"-%.17g*(displacement(r) - sin(t)) - %.17g*(rate(r) - cos(t)) - sin(t)\"}}\n"
           "analysis: {until: %g, representation: joint, %s}\n", k, c, until, keys);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  for (int i = 1; 0.5*i <= until; i++) {
    double t = 0.5*i, x, v;
    CHECK_OK(l.ctx, tn_sim_advance(sim, t));
    CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &x, &v));
    e.x = fmax(e.x, fabs(x - sin(t)));
    e.v = fmax(e.v, fabs(v - cos(t)));
  }
  tn_sim_summary(sim, u);
  tn_sim_destroy(&sim);
  unload(&l);
  return e;
}

/* order of positions or velocities between equal steps h and h/4 */
static double order(const char *method, double c, double k, double h, bool velocity) {
  errors e[2];
  tn_summary u;
  for (int i = 0; i < 2; i++) {
    char keys[120];
    snprintf(keys, sizeof(keys), "method: %s, steps: equal, step: %.17g, tolerance: 1e-9", method, i ? h/4 : h);
    e[i] = drawn(c, k, 2, keys, &u);
    CHECK(u.steps == lround(2/(i ? h/4 : h)));
  }
  return velocity ? log2(e[0].v/e[1].v)/2 : log2(e[0].x/e[1].x)/2;
}

static const struct {
  const char *name;
  double plain, damper, spring; /* orders expected; of velocities in the last two. 0: not looked at */
} methods[] = {{"rosen", 4, 2, 1},      {"sdirk", 4, 0, 1}, {"infl_sdirk", 4, 0, 1},
               {"desc_sdirk", 4, 0, 1}, {"radau", 5, 5, 3}, {"infl_trap", 2, 2, 2}};

static void orders_fall_as_the_stages_say(void) {
  for (int m = 0; m < TNI_COUNT(methods); m++) {
    CHECK_WITHIN(order(methods[m].name, 1, 1, 0.1, false), methods[m].plain, 0.15);
    CHECK_WITHIN(order(methods[m].name, 1, 1, 0.1, true), methods[m].plain, 0.15);
    if (methods[m].damper > 0) CHECK_WITHIN(order(methods[m].name, 1e6, 1e6, 0.1, true), methods[m].damper, 0.25);
    CHECK_WITHIN(order(methods[m].name, 1e3, 1e8, 0.25, true), methods[m].spring, 0.2);
  }
}

static void tolerances_are_kept_all_the_same(void) {
  static const double stiff[3][2] = {{1e4, 1e4}, {1e6, 1e6}, {1e3, 1e8}};
  for (int s = 0; s < 3; s++) {
    long steps[TNI_COUNT(methods)] = {0};
    for (int m = 0; m + 1 < TNI_COUNT(methods); m++) {
      char keys[120];
      tn_summary u;
      double tol = s < 2 ? 1e-4 : 1e-3, until = s < 2 ? 20 : 2;
      snprintf(keys, sizeof(keys), "method: %s, tolerance: %g", methods[m].name, tol);
      errors e = drawn(stiff[s][0], stiff[s][1], until, keys, &u);
      CHECK(e.x <= tol && e.v <= tol);
      steps[m] = u.steps;
      /* iterations do not fail on a linear force, whatever time does to it */
      if (u.newton > 0 && !CHECK(u.rejected <= 20 + u.steps/20)) printf("%s, c = %g: %ld of %ld steps rejected\n", methods[m].name, stiff[s][0], u.rejected, u.steps);
    }
    for (int m = 0; m < 4; m++) CHECK(steps[4] < steps[m]); /* radau takes the fewest */
    if (s == 2) CHECK(30*steps[4] < steps[0]);
  }
}

static void auto_takes_what_keeps_its_order(void) {
  static const double stiff[2][2] = {{1e6, 1e6}, {1e3, 1e8}};
  for (int s = 0; s < 2; s++) {
    tn_summary u;
    errors e = drawn(stiff[s][0], stiff[s][1], 20, "method: auto, tolerance: 1e-6", &u);
    CHECK(e.x <= 1e-6 && e.v <= 1e-6);
    if (!CHECK(strstr(u.method, "radau") == u.method)) printf("%s\n", u.method);
    CHECK(u.steps < 3000);
  }
}

int main(void) {
  RUN(orders_fall_as_the_stages_say);
  RUN(tolerances_are_kept_all_the_same);
  RUN(auto_takes_what_keeps_its_order);
  return REPORT();
}
