/* tests/verify/switching.c - whatever switches, in closed loops, with every method: no event is lost
 *
 * A four-bar linkage, which is projected at every event in both representations, with one switching element each.
 * After every step each mode agrees with the state, the limit that the element stands for is kept, energy is
 * accounted for, states at events are on the constraints, and all methods end at the same angle.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_touch.h"
#include "support/loaded.h"

#define FOUR_BAR                                                              \
  "planar: true\ngravity: [0, -9.81]\n"                                       \
  "ground: {points: {o: [0, 0], above: [2, 3.2]}}\n"                          \
  "bodies:\n"                                                                 \
  "  a: {mass: 1, between: [[0, 0], [0, 1]], angular_velocity: [0, 0, -1]}\n" \
  "  b: {mass: 1, between: [[0, 1], [2, 1.5]]}\n"                             \
  "  c: {mass: 1, between: [[2, 0], [2, 1.5]]}\n"                             \
  "joints:\n"                                                                 \
  "  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"                  \
  "  B: {type: revolute, bodies: [a, b], at: [0, 1]}\n"                       \
  "  C: {type: revolute, bodies: [b, c], at: [2, 1.5]}\n"                     \
  "  D: {type: revolute, bodies: [c, ground], at: [2, 0]}\n"

typedef struct {
  const char *name, *text;
  double low, high;  /* of the angle of the crank */
  int least;         /* events */
} element;

static const element elements[] = {
    {"stop", FOUR_BAR "forces:\n  s: {type: stop, joint: A, min: -0.5, max: 0.5, stiffness: 5000}\n", -0.54, 0.54, 3},
    {"stop with loss", FOUR_BAR "forces:\n  s: {type: stop, joint: A, min: -0.5, max: 0.5, restitution: 0.4}\n",
     -0.51, 0.51, 3},
    {"rope", FOUR_BAR "forces:\n  s: {type: spring, bodies: [b, ground], at1: [0, 0], at2: [1, 2.4], stiffness: 3000, "
     "free_length: 1.2, tension_only: true}\n", -1.7, 1.7, 2},
    {"damped rope", FOUR_BAR "forces:\n  s: {type: spring, bodies: [b, ground], at1: [0, 0], at2: [1, 2.4], "
     "stiffness: 3000, damping: 40, free_length: 1.2, tension_only: true}\n", -1.7, 1.7, 2},
    {"buffer", FOUR_BAR "forces:\n  s: {type: spring, bodies: [b, ground], at1: [0, 0], at2: [1, 0], stiffness: 4000, "
     "damping: 20, free_length: 1.15, compression_only: true}\n", -1.7, 1.7, 2},
    {"contact", FOUR_BAR "forces:\n  s: {type: contact, bodies: [b, ground], radius1: 0.1, at2: [0, 1.0], "
     "restitution: 0.6, friction: 0.3}\n", -1.7, 1.7, 3},
    {"tyre", FOUR_BAR "forces:\n  s: {type: tyre, body: b, stiffness: 5000, damping: 30, free_length: 1.15, "
     "unilateral: true}\n", -1.7, 1.7, 2},
    {"latch", FOUR_BAR "  L: {type: latch, joint: A, at: -0.4}\n", -0.41, 0.1, 1},
    /* passes the place of the latch, meets the stop, and is held on its way back */
    {"latch on the way back", FOUR_BAR "  L: {type: latch, joint: A, at: -0.3, direction: rising}\n"
     "forces:\n  s: {type: stop, joint: A, min: -0.5, stiffness: 5000}\n", -0.54, 0.01, 4},
    {"cable", FOUR_BAR "cables:\n  k: {from: ground.above, to: b, elements: 2, length: 2.15, EA: 3000, rhoA: 0.2, "
     "damping: 0.005}\n", -1.7, 1.7, 2},
    {"controller", FOUR_BAR "forces:\n  s: {type: pd, joint: A, kp: 60, kd: 5, sample: 0.013, target: 0}\n", -1.7, 1.7,
     20},
    {"pressed stop", FOUR_BAR "forces:\n  s: {type: stop, joint: A, min: -0.1, restitution: 0.3, duration: 4e-3}\n"
     "  push: {type: joint_force, joint: A, force: \"-60\"}\n", -0.13, 0.1, 8}};

static const char *const methods[] = {"auto", "rk45", "rk8", "adams", "rosen", "sdirk", "trap", "radau", "infl_sdirk",
                                      "infl_trap", "alpha", "hht", "ida"};

/* modes agree with the state that the next step begins from */
static bool agree(tn_sim *sim, double *g) {
  tni_system_events(sim->s, sim->at.t, sim->at.q, sim->at.v, g);
  for (int i = 0; i < sim->model->nevent; i++)
    if (g[i] < 0) return false;
  return true;
}

/* final angle; NAN: the method refuses that representation */
static double try_one(const element *e, const char *method, const char *representation, double tolerance,
                      double want) {
  loaded l;
  tn_sim *sim = NULL;
  tn_run_opts o = {.method = method, .representation = representation, .tolerance = tolerance, .until = 0.9};
  load_text(&l, e->text);
  tn_status st = tn_sim_create(l.ctx, l.model, &o, &sim);
  if (st == TN_ERR_UNSUPPORTED || st == TN_ERR_INPUT || st == TN_ERR_ARGUMENT) {
    /* implicit methods refuse joint coordinates by name */
    CHECK(strcmp(representation, "joint") == 0);
    unload(&l);
    return NAN;
  }
  CHECK_OK(l.ctx, st);
  double g[64], low = 0, high = 0, angle = 0, open = 0;
  int wrong = 0;
  CHECK(sim->model->nevent <= TNI_COUNT(g));
  while (st == TN_OK && sim->t_hi < 0.9) {
    st = tn_sim_step(sim);
    if (st != TN_OK) break;
    angle = sim_coordinate(sim, "A");
    low = fmin(low, angle);
    high = fmax(high, angle);
    if (!sim->event && !agree(sim, g)) wrong++;
    if (!sim->event) continue;
    tni_residuals at;
    const tni_event_finder *f = sim->finder;
    tni_eval_residuals(sim->s, f->found.t, f->found.q, f->found.v, NULL, &at);
    open = fmax(open, fmax(at.position, at.velocity));
  }
  double balance = sim->sum.energy_error/fmax(sim->sum.energy_scale, 1e-3);
  bool right = st == TN_OK && wrong == 0 && low >= e->low && high <= e->high && sim->sum.events >= e->least &&
               balance <= 100*tolerance + 1e-7 && open <= 1e-8;
  /* what an impact amplifies is not an error of the event */
  if (!isnan(want)) right = right && fabs(angle - want) <= 300*tolerance + 1e-6;
  if (!CHECK(right))
    printf("  %s, %s, %s, %g: %s, %d wrong, angle %g to %g, in the end off by %.1e, %ld events, balance off by %.1e, "
           "constraints open by %.1e at events; %s\n", e->name, method, representation, tolerance,
           tn_status_name(st), wrong, low, high, angle - want, (long)sim->sum.events, balance, open, st == TN_OK ? "" : tn_ctx_message(l.ctx));
  tn_sim_destroy(&sim);
  unload(&l);
  return angle;
}

static bool everything;

static void no_event_is_lost(void) {
  static const char *const representations[] = {"cartesian", "joint"};
  int k = 0;
  for (int i = 0; i < TNI_COUNT(elements); i++) {
    double want = try_one(&elements[i], "rk8", "cartesian", 1e-10, NAN);
    for (int m = 0; m < TNI_COUNT(methods); m++)
      for (int r = 0; r < 2; r++)
        for (int tol = 3; tol <= 8; tol++, k++) {
          bool second_order = strcmp(methods[m], "alpha") == 0 || strcmp(methods[m], "hht") == 0 ||
                              strcmp(methods[m], "trap") == 0 || strcmp(methods[m], "infl_trap") == 0;
          if (second_order && tol > 6) continue; /* a million steps */
          if (!everything && k % 83) continue; /* prime: every method, representation, tolerance in turn */
          try_one(&elements[i], methods[m], representations[r], pow(10, -tol), want);
        }
  }
}

/* Kinetic energy of the four-bar at unit rate of its crank, and height energy, by geometry alone: thin rods 0-P, P-C, C-D of 1 kg. */
static void place(double angle, double P[2], double C[2]) {
  const double L = hypot(2, 0.5), R = 1.5;
  P[0] = -sin(angle), P[1] = cos(angle);
  double dx = P[0] - 2, dy = P[1], d = hypot(dx, dy), along = (R*R - L*L + d*d)/(2*d), off = sqrt(R*R - along*along);
  C[0] = 2 + (along*dx + off*dy)/d;
  C[1] = (along*dy - off*dx)/d;
}
static double height_energy(double angle) {
  double P[2], C[2];
  place(angle, P, C);
  return 9.81*(P[1] + C[1]);
}
static double rod(const double a[2], const double b[2]) {
  return (a[0]*(a[0] + b[0]) + b[0]*b[0] + a[1]*(a[1] + b[1]) + b[1]*b[1])/6;
}
static double unit_kinetic(double angle) {
  double P[2][2], C[2][2], h = 1e-5, p[2], c[2], still[2] = {0, 0};
  for (int k = 0; k < 2; k++) place(angle + (2*k - 1)*h, P[k], C[k]);
  for (int i = 0; i < 2; i++) {
    p[i] = (P[1][i] - P[0][i])/(2*h);
    c[i] = (C[1][i] - C[0][i])/(2*h);
  }
  return rod(still, p) + rod(p, c) + rod(c, still);
}

/* A stop without loss, on a mechanism of one freedom, gives way until it has stored all of the kinetic energy: where that is
 * does not depend on how the crank gets there. It arrives with 2.77 J, for which a stop of 5000 N m/rad needs more than
 * 0.033 rad; 0.03 rad would hold 2.25 J. */
static void stops_store_the_energy_that_arrives(void) {
  const double whole = unit_kinetic(0) + height_energy(0);
  CHECK_NEAR(unit_kinetic(0), 5.0/6, 1e-9);
  CHECK(whole - height_energy(-0.5) > 2.7 && 0.5*5000*0.03*0.03 < 2.3);
  double want[2];
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1 : -1, in = 0, out = 0.2;
    for (int k = 0; k < 60; k++) {
      double mid = 0.5*(in + out);
      *(whole - height_energy(sign*(0.5 + mid)) - 2500*mid*mid > 0 ? &in : &out) = mid;
    }
    want[side] = sign*(0.5 + in);
  }
  CHECK_NEAR(want[0], -0.5347976, 1e-7);
  for (int m = 0; m < TNI_COUNT(methods); m++)
    for (int r = 0; r < 2; r++) {
      const char *method = methods[m];
      bool second_order = strcmp(method, "alpha") == 0 || strcmp(method, "hht") == 0 || strcmp(method, "trap") == 0 ||
                          strcmp(method, "infl_trap") == 0;
      if (!everything && (m + 2*r)%4) continue;
      double tolerance = second_order ? 1e-5 : 1e-7, low = 0, high = 0;
      loaded l;
      tn_sim *sim = NULL;
      tn_run_opts o = {.method = method, .representation = r ? "joint" : "cartesian", .tolerance = tolerance, .until = 2};
      load_text(&l, elements[0].text);
      tn_status st = tn_sim_create(l.ctx, l.model, &o, &sim);
      if (st == TN_ERR_UNSUPPORTED || st == TN_ERR_INPUT || st == TN_ERR_ARGUMENT) {
        unload(&l);
        continue;
      }
      CHECK_OK(l.ctx, st);
      for (int k = 1; k <= 20000 && st == TN_OK; k++) { /* the turn is at most 5e-5 s away from a row: 2e-7 rad */
        CHECK_OK(l.ctx, st = tn_sim_advance(sim, 1e-4*k));
        double angle = sim_coordinate(sim, "A");
        low = fmin(low, angle);
        high = fmax(high, angle);
      }
      bool right = CHECK_NEAR(low, want[0], 10*tolerance + 2e-7);
      right = CHECK_NEAR(high, want[1], 10*tolerance + 2e-7) && right;
      if (!right) printf("  %s %s\n", method, o.representation);
      tn_sim_destroy(&sim);
      unload(&l);
    }
}

/* A step that goes on beyond a sample ends at it: its work until there is to be known as well as that of whole steps. */
static void work_is_known_where_steps_are_cut(void) {
  static const char *const some[] = {"radau", "rosen", "sdirk", "infl_sdirk", "rk8"};
  for (int k = 0; k < 3*2*TNI_COUNT(some); k++) {
    loaded l;
    tn_sim *sim;
    double tolerance = pow(10, -5 - k%3);
    tn_run_opts o = {.method = some[k/6], .representation = k/3%2 ? "joint" : "cartesian", .tolerance = tolerance, .until = 0.9};
    for (int i = 0; i < TNI_COUNT(elements); i++)
      if (strcmp(elements[i].name, "controller") == 0) load_text(&l, elements[i].text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.9));
    if (!CHECK(sim->sum.energy_error <= 10*tolerance*sim->sum.energy_scale))
      printf("  %s, %s, %g: off by %.1e\n", some[k/6], o.representation, tolerance, sim->sum.energy_error/sim->sum.energy_scale);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* A ball put into the floor, on its way out: more than one mode has to change before they fit, at one event. */
static void modes_change_until_they_fit(void) {
  loaded l;
  tn_sim *sim;
  double g[64];
  load_text(&l, "bodies:\n  ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0.5]}\n"
            "forces:\n  floor: {type: contact, bodies: [ball, ground], radius1: 0.1, restitution: 0.5}\n"
            "analysis: {method: rk45, representation: cartesian}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK(sim->s->memory[TNI_IMPACT_BRANCH] == TNI_OPEN);
  sim->it->now.q[2] = 0.099;
  sim->it->now.v[2] = 0.5;
  CHECK_OK(l.ctx, sim->it->type->start(sim->it, 0, sim->it->now.q, sim->it->now.v, sim->it->now.z));
  CHECK_OK(l.ctx, tn_sim_step(sim)); /* finds the event */
  CHECK_OK(l.ctx, tn_sim_step(sim)); /* begins with it  */
  CHECK_INT((int)sim->sum.events, 1);
  CHECK(sim->s->memory[TNI_IMPACT_BRANCH] == TNI_UNLOADING);
  CHECK(sim->event || agree(sim, g));
  tn_sim_destroy(&sim);
  unload(&l);
}

/* A block on the floor, pushed to and fro by A sin(w t): it sticks until the push exceeds mu N, slides by
 * m v' = A sin(w t) - mu N, and sticks again where v is 0, until it is pushed the other way. */
static void friction_changes_where_it_should(void) {
  static const char *const some[] = {"rk45", "rk8", "adams", "radau", "sdirk"};
  double g = 9.81, mu = 0.4, A = 6, w = 4, slips = asin(mu*g/A)/w, sticks = slips;
  for (double v = 1; v > 0 || sticks < slips + 0.1; sticks += 1e-5)
    v = A/w*(cos(w*slips) - cos(w*sticks)) - mu*g*(sticks - slips);
  for (int k = 0; k < 2*TNI_COUNT(some); k++) {
    loaded l;
    tn_sim *sim;
    tn_run_opts o = {.method = some[k/2], .representation = k%2 ? "joint" : "cartesian", .tolerance = 1e-5, .until = 1.2};
    load_text(&l, "gravity: [0, 0, -9.81]\n"
              "bodies:\n  b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.1]}\n"
              "joints:\n  flat: {type: orientation, bodies: [ground, b]}\n"
              "forces:\n  s: {type: contact, bodies: [b, ground], radius1: 0.1, friction: 0.4, restitution: 0.3}\n"
              "  push: {type: force, body: b, force: [\"6*sin(4*t)\", 0, 0]}\n");
    tn_status st = tn_sim_create(l.ctx, l.model, &o, &sim);
    if (st == TN_ERR_UNSUPPORTED || st == TN_ERR_INPUT) {
      unload(&l);
      continue;
    }
    CHECK_OK(l.ctx, st);
    const double at[] = {slips - 0.01, slips + 0.01, sticks - 0.01, sticks + 0.01, slips + 3.14159265/w - 0.01,
                         slips + 3.14159265/w + 0.01};
    for (int i = 0; i < TNI_COUNT(at); i++) {
      CHECK_OK(l.ctx, tn_sim_advance(sim, at[i]));
      bool slides = at[i] > slips && (at[i] < sticks || at[i] > slips + 3.14159265/w);
      if (!CHECK_INT((int)sim->s->memory[TNI_TOUCH_GRIP], slides ? TNI_GRIP_SLIDE : TNI_GRIP_STICK))
        printf("  %s, %s at %g s\n", some[k/2], o.representation, at[i]);
      /* the force of friction goes on as it is where the block halts; after 40 us the stick spring has begun to
       * give way, by 8 % */
      if (at[i] < sticks && at[i] > slips + 0.01) {
        double just = sticks + 3e-5, dt = 2e-5, push = A*sin(w*just);
        CHECK_OK(l.ctx, tn_sim_advance(sim, just));
        CHECK_INT((int)sim->s->memory[TNI_TOUCH_GRIP], TNI_GRIP_STICK);
        double v = sim->s->kin[1].v[0];
        CHECK_OK(l.ctx, tn_sim_advance(sim, just + dt));
        if (!CHECK_NEAR((sim->s->kin[1].v[0] - v)/dt, push - mu*g, 0.15))
          printf("  %s, %s at %g s\n", some[k/2], o.representation, just);
      }
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Balls that spin while they slide: the direction of sliding turns in every step, and a mode may end by that alone. */
static void modes_agree_after_every_step_of_sliding(void) {
  static const char *const some[] = {"rk45", "rk8", "radau"};
  uint64_t seed = 5;
  int wrong = 0;
  for (int k = 0; k < (everything ? 60 : 12); k++) { /* 12: every method with every tolerance */
    loaded l;
    tn_sim *sim;
    char text[600];
    double g[64], x[6];
    for (int i = 0; i < 6; i++) x[i] = check_random(&seed);
    tn_run_opts o = {.method = some[k%3], .tolerance = pow(10, -2 - k%4), .until = 1};
    snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\nbodies:\n"
             "  b: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, %g], velocity: [%g, %g, 0], "
             "angular_velocity: [%g, %g, %g]}\n"
             "forces:\n  s: {type: contact, bodies: [b, ground], radius1: 0.1, friction: 0.3, restitution: 0.4}\n",
             0.11 + 0.1*fabs(x[0]), x[1], x[2], 20*x[3], 20*x[4], 20*x[5]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    while (sim->t_hi < 1) {
      CHECK_OK(l.ctx, tn_sim_step(sim));
      wrong += !sim->event && !agree(sim, g);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK_INT(wrong, 0);
}

int main(int argc, char **argv) {
  everything = argc > 1 && strcmp(argv[1], "all") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  RUN(modes_change_until_they_fit);
  RUN(friction_changes_where_it_should);
  RUN(modes_agree_after_every_step_of_sliding);
  RUN(work_is_known_where_steps_are_cut);
  RUN(stops_store_the_energy_that_arrives);
  RUN(no_event_is_lost);
  return REPORT();
}
