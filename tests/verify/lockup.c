/* tests/verify/lockup.c - latches that lock and open, stops
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

static tn_sim *begin(loaded *l, const char *method, const char *representation, double until) {
  tn_sim *sim = NULL;
  tn_run_opts o = {.method = method, .representation = representation, .until = until,
                   .tolerance = 1e-8};
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, &o, &sim));
  return sim;
}

static double rate_of(tn_sim *sim, const char *joint) {
  double value, rate = NAN;
  CHECK_OK(sim->ctx, tn_sim_joint_coordinate(sim, tn_model_find_joint(sim->model, joint), 0,
                                             &value, &rate));
  return rate;
}

/* Two equal rods in free flight, hinged at their ends, unfold and lock when straight. Before: each
 * turns opposite to the other. After: one rod of double length with the same angular momentum and
 * linear momentum. */
static const char two_rods[] =
    "planar: true\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 1/12, at: [-0.5, 0], velocity: [0.1, 0.2], angular_velocity: [0, 0, -0.4]}\n"
    "  b: {mass: 1, inertia: 1/12, at: [0, 0.5], orientation: pi/2, velocity: [0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [a, b], at: [0, 0]}\n"
    "  lock: {type: latch, joint: hinge, at: -pi/2}\n"
    "forces:\n"
    "  coil: {type: torsion_spring, joint: hinge, stiffness: 2, free_angle: -2}\n";

static void momenta(tn_sim *sim, double P[2], double *H) {
  P[0] = P[1] = *H = 0;
  for (int i = 0; i < 2; i++) {
    double r[3], p[4], v[3], w[3];
    CHECK_OK(sim->ctx, tn_sim_body_pose(sim, i, r, p));
    CHECK_OK(sim->ctx, tn_sim_body_velocity(sim, i, v, w));
    P[0] += v[0], P[1] += v[1];
    *H += r[0]*v[1] - r[1]*v[0] + w[2]/12;
  }
}

static void momentum_survives_locking(void) {
  static const char *const rep[] = {"cartesian", "joint"};
  static const char *const methods[] = {"rk45", "rk8", "rosen"};
  double end[2][3];
  for (int r = 0; r < 2; r++) {
    for (int m = 0; m < 3 - r; m++) {
      loaded l;
      load_text(&l, two_rods);
      tn_sim *sim = begin(&l, methods[m], rep[r], 3);
      double P0[2], H0, P1[2], H1, p[4];
      momenta(sim, P0, &H0);
      CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
      momenta(sim, P1, &H1);
      tn_summary sum;
      tn_sim_summary(sim, &sum);
      CHECK_INT(sum.latches, 1);
      CHECK(sum.latch_loss > 1e-3);
      CHECK_NEAR(P1[0], P0[0], 1e-7);
      CHECK_NEAR(P1[1], P0[1], 1e-7);
      CHECK_NEAR(H1, H0, 1e-7);
      CHECK_NEAR(rate_of(sim, "hinge"), 0, 1e-9);
      CHECK(sum.energy_error <= 1e-6);
      /* turning as one rod of mass 2 and length 2 about its centre */
      double ra[3], rb[3], va[3], wa[3], vb[3], wb[3];
      CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, ra, p));
      CHECK_OK(l.ctx, tn_sim_body_pose(sim, 1, rb, p));
      CHECK_OK(l.ctx, tn_sim_body_velocity(sim, 0, va, wa));
      CHECK_OK(l.ctx, tn_sim_body_velocity(sim, 1, vb, wb));
      double c[2] = {0.5*(ra[0] + rb[0]), 0.5*(ra[1] + rb[1])};
      double I = 2*4/12.0, spin = H0 - (c[0]*P0[1] - c[1]*P0[0]);
      CHECK_NEAR(wa[2], spin/I, 1e-6);
      CHECK_NEAR(wb[2], spin/I, 1e-6);
      CHECK_NEAR(hypot(rb[0] - ra[0], rb[1] - ra[1]), 1, 1e-8);
      if (m == 0) end[r][0] = rb[0], end[r][1] = rb[1], end[r][2] = wb[2];
      tn_sim_destroy(&sim);
      unload(&l);
    }
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(end[0][i], end[1][i], 1e-6);
}

/* Two rods on a wall pin fly open and lock when straight: the impulse of the pin has no moment about
 * it, so that one rod of twice the length goes on with the same angular momentum. The set of constraints
 * is analysed once for the event, not per step, whatever the technique. */
static const char on_a_wall[] =
    "planar: true\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 1/12, at: [0.5, 0]}\n"
    "  b: {mass: 1, inertia: 1/12, at: [1, 0.5], orientation: pi/2, velocity: [1, 0], "
    "angular_velocity: [0, 0, -2]}\n"
    "joints:\n"
    "  wall: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  hinge: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
    "  lock: {type: latch, joint: hinge, at: -pi/2}\n";

static void angular_momentum_survives_locking_with_every_technique(void) {
  static const struct {
    const char *method, *technique;
    double step, tol;
  } c[] = {{"rk8", "augmented", 0, 1e-7}, {"rk8", "partitioning", 0, 1e-7}, {"rk8", "natural", 0, 1e-7},
           {"rk8", "baumgarte", 0, 1e-4}, {"staggered", "augmented", 0.002, 1e-4},
           {"staggered", "partitioning", 0.002, 1e-4}, {"staggered", "natural", 0.002, 1e-4},
           {"staggered", "baumgarte", 0.002, 1e-4}, {"staggered", "staggered", 0.002, 1e-4},
           {"staggered", "penalty", 0.0005, 0.05}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    loaded l;
    tn_sim *sim;
    load_text(&l, on_a_wall);
    tn_run_opts o = {.method = c[k].method, .technique = c[k].technique, .step = c[k].step, .until = 1.5,
                     .tolerance = 1e-8};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    double H = -0.5 - 2/12.0, v[3], w[3];
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1.5));
    tn_summary sum;
    tn_sim_summary(sim, &sum);
    CHECK_INT(sum.latches, 1);
    CHECK_INT((int)sum.rank_changes, 1);
    CHECK(sum.latch_loss > 0.05);
    for (int b = 0; b < 2; b++) {
      CHECK_OK(l.ctx, tn_sim_body_velocity(sim, b, v, w));
      if (!CHECK_NEAR(w[2], H/(8.0/3), c[k].tol)) printf("%s, %s\n", c[k].method, c[k].technique);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* The same two rods. Straight, with the rates p of a and q of b, the angular momentum about the wall and the
 * energy are those of the start; then both go on with H/(8/3), and b, on which the hinge has no moment about
 * itself, has got dq/3 + dp/2 from the latch. */
static void lockup_impulse_is_the_momentum_given(void) {
  static const char *const rep[] = {"cartesian", "joint"};
  double H = -0.5 - 2/12.0, T = 0.5 + 0.5*4/12.0;
  /* H = (11 p + 5 q)/6 and 2 T = (4 p^2 + 3 p q + q^2)/3: without p, A q^2 + B q + C = 0 */
  double A = 56/363.0, B = -14*H/121, C = 48*H*H/121 - 2*T;
  double q = (-B - sqrt(B*B - 4*A*C))/(2*A), p = (6*H - 5*q)/11; /* b turns back faster than a */
  double after = H/(8.0/3), want = (after - q)/3 + (after - p)/2;
  for (int r = 0; r < 2; r++) {
    char text[1000];
    loaded l;
    snprintf(text, sizeof(text), "%soutput: {record: [lock.impulse]}\n", on_a_wall);
    load_text(&l, text);
    tn_sim *sim = begin(&l, "rk8", rep[r], 1.5);
    int n = 0;
    while (n == 0 && sim->t_hi < 1.5) {
      CHECK_OK(l.ctx, tn_sim_step(sim));
      n = sim->switches.n;
    }
    CHECK_INT(n, 1);
    const tni_switch *x = &sim->switches.row[0];
    CHECK_TEXT(tni_switch_word[x->kind], "locked");
    CHECK_TEXT(tni_system_watch_name(sim->s, sim->switches.who[0]), "lock");
    CHECK_NEAR(x->normal[0], q - p, 1e-6);
    CHECK_NEAR(x->normal[1], 0, 1e-9);
    CHECK_NEAR(x->impulse, want, 1e-6);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1.5));
    CHECK_NEAR(sim->sensor[0], want, 1e-6);
    CHECK_NEAR(sim->sensor[1], want, 1e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* E3: three locks one after the other by every technique of the two-stage method */
static void deployment_ends_locked_with_every_technique(void) {
  static const char *const technique[] = {"augmented", "partitioning", "natural", "baumgarte",
                                          "staggered"};
  for (int k = 0; k < TNI_COUNT(technique); k++) {
    loaded l;
    tn_sim *sim;
    load_file(&l, "examples/deployment/three_links.yaml", NULL);
    tn_run_opts o = {.method = "staggered", .technique = technique[k], .step = 0.005, .until = 3};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    double x[3];
    tn_summary sum;
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    tn_sim_summary(sim, &sum);
    sim_point(sim, "link3", 0.5, 0, 0, x);
    CHECK_NEAR(x[0], 3, 1e-4);
    CHECK_NEAR(x[1], 0, 1e-4);
    CHECK_INT(sum.latches, 3);
    CHECK_INT((int)sum.rank_changes, 3);
    CHECK_NEAR(sum.latch_loss, 8.009, 0.01); /* rk8 at 1e-8 */
    CHECK(sum.position_error < 1e-4);
    CHECK(sum.energy_error < 1e-3*sum.energy_scale);
    tn_sim_destroy(&sim);
    unload(&l);
  }
  /* at rest in the end: a step of its own choice does not shrink for ever */
  loaded l;
  tn_sim *sim;
  load_file(&l, "examples/deployment/three_links.yaml", NULL);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &(tn_run_opts){.method = "staggered", .tolerance = 1e-2},
                              &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
  tn_summary sum;
  tn_sim_summary(sim, &sum);
  CHECK(sum.steps < 500);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* held for one second, then a plain pendulum from rest */
static void released_latch_lets_a_pendulum_go(void) {
  static const char *const rep[] = {"cartesian", "joint"};
  for (int r = 0; r < 2; r++) {
    loaded l;
    load_text(&l, "gravity: [0, 0, -9.81]\n"
              "bodies:\n  rod: {mass: 1, inertia: [1e-9, 1e-9, 1e-9], at: [-1, 0, 0]}\n"
              "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n"
              "  hold: {type: latch, joint: pin, locked: true, release: 1}\n");
    tn_sim *sim = begin(&l, "rk8", rep[r], 11);
    double force[3], torque[3], x[3];
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.5));
    CHECK_OK(l.ctx, tn_sim_joint_reaction(sim, tn_model_find_joint(l.model, "hold"), force, torque));
    CHECK_NEAR(fabs(torque[1]), 9.81, 1e-9); /* the latch carries the weight */
    CHECK_OK(l.ctx, tn_sim_advance(sim, 11));
    /* the simple pendulum of the verification set, ten seconds after its release */
    sim_point(sim, "rod", 0, 0, 0, x);
    CHECK_NEAR(x[0], -0.275087462576117, 1e-6);
    CHECK_NEAR(x[2], -0.961419205099125, 1e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* all three hinges lock one after the other and the mast ends straight */
static void folded_links_end_straight_and_locked(void) {
  static const char *const rep[] = {"cartesian", "joint"};
  for (int r = 0; r < 2; r++) {
    loaded l;
    load_file(&l, "examples/deployment/three_links.yaml", NULL);
    tn_sim *sim = begin(&l, "rk8", rep[r], 3);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 3));
    double x[3];
    sim_point(sim, "link3", 0.5, 0, 0, x);
    CHECK_NEAR(x[0], 3, 1e-7);
    CHECK_NEAR(x[1], 0, 1e-7);
    tn_summary sum;
    tn_sim_summary(sim, &sum);
    CHECK_INT(sum.latches, 3);
    CHECK(sum.energy_error <= 1e-5);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* a mass on a rail between two stops: speeds shrink by e at each, travel times follow */
static void stops_return_e_times_the_speed(void) {
  loaded l;
  load_text(&l, "bodies:\n  cart: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n"
            "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: x}\n"
            "forces:\n  ends: {type: stop, joint: rail, min: -0.5, max: 0.5, restitution: 0.5, "
            "duration: 1e-5}\n");
  for (int m = 0; m < 2; m++) {
    tn_sim *sim = begin(&l, m ? "rosen" : "rk8", "auto", 9);
    double t = 0.5, v = 1;
    for (int n = 0; n < 3; n++) {
      v *= -0.5;
      CHECK_OK(l.ctx, tn_sim_advance(sim, t + 0.3/fabs(v)));
      CHECK_NEAR(rate_of(sim, "rail"), v, 1e-6);
      t += 1/fabs(v);
    }
    tn_sim_destroy(&sim);
  }
  unload(&l);
}

int main(void) {
  RUN(momentum_survives_locking);
  RUN(angular_momentum_survives_locking_with_every_technique);
  RUN(lockup_impulse_is_the_momentum_given);
  RUN(deployment_ends_locked_with_every_technique);
  RUN(released_latch_lets_a_pendulum_go);
  RUN(folded_links_end_straight_and_locked);
  RUN(stops_return_e_times_the_speed);
  return REPORT();
}
