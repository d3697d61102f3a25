/* The work of drives and what dampers take of it: closed forms, by every method with error control, in both representations
 *
 * Prescribed motions have no error that steers a step: what was put in and dissipated must be right all the same.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static bool all;
static const char *const representation[] = {"cartesian", "joint"};

static double draw(unsigned *seed, double from, double to) {
  *seed = *seed*1664525u + 1013904223u;
  return from + (to - from)*(*seed >> 8)/16777216.0;
}

/* a speed v = a cos(w t + p), of a slide or of a hinge */
typedef struct {
  double a, w, p, until;
} motion;

static motion draw_motion(unsigned *seed) {
  return (motion){draw(seed, 0.2, 3), draw(seed, 1, 15), draw(seed, 0, 3), draw(seed, 0.5, 3)};
}

static double speed(motion m, double t) { return m.a*cos(m.w*t + m.p); }
static double way(motion m, double t) { return m.a/m.w*(sin(m.w*t + m.p) - sin(m.p)); }
static double squares(motion m) { /* integral of v^2 */
  return m.a*m.a*(0.5*m.until + (sin(2*(m.w*m.until + m.p)) - sin(2*m.p))/(4*m.w));
}

/* drive of joint j: by its speed, or by its way */
static void write_drive(motion m, bool by_speed, char *out, size_t n) {
  if (by_speed)
    snprintf(out, n, "drive: {d: {joint: j, velocity: \"%.17g*cos(%.17g*t + %.17g)\"}}\nanalysis: {until: %.17g}\n", m.a, m.w, m.p, m.until);
  else
    snprintf(out, n, "drive: {d: {joint: j, motion: \"%.17g*(sin(%.17g*t + %.17g) - sin(%.17g))\"}}\nanalysis: {until: %.17g}\n", m.a/m.w,
             m.w, m.p, m.p, m.until);
}

static bool run(const char *text, const char *method, const char *where, double tol, tn_summary *u) {
  loaded l;
  load_text(&l, text);
  tn_run_opts o = {.results = "", .method = method, .representation = where, .tolerance = tol};
  tn_status st = tn_run(l.ctx, l.model, &o, u);
  /* velocity constraints are refused by some */
  CHECK(st == TN_OK || st == TN_ERR_UNSUPPORTED || st == TN_ERR_ARGUMENT || st == TN_ERR_INPUT);
  unload(&l);
  return st == TN_OK;
}

/* a block on a slide with spring and damper to the ground: its drive puts in what kinetic energy, spring and damper get */
static void slide_gets_what_is_put_in(const char *method, const char *where, double tol, unsigned seed, bool by_speed) {
  char drive[400], text[1000];
  motion m = draw_motion(&seed);
  double mass = draw(&seed, 0.5, 3), c = draw(&seed, 0, 2), k = draw(&seed, 0, 30);
  write_drive(m, by_speed, drive, sizeof(drive));
  snprintf(text, sizeof(text),
           "planar: true\nbodies: {b: {mass: %.17g, inertia: 0.1}}\n"
           "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}}\n"
           "forces: {s: {type: spring, bodies: [ground, b], at1: [-50, 0], at2: [0, 0], stiffness: %.17g, free_length: 50, damping: %.17g}}\n%s",
           mass, k, c, drive);
  tn_summary u;
  if (!run(text, method, where, tol, &u)) return;
  double v0 = speed(m, 0), v1 = speed(m, m.until), x1 = way(m, m.until), heat = c*squares(m);
  double work = heat + 0.5*mass*(v1*v1 - v0*v0) + 0.5*k*x1*x1;
  double worth = heat + m.a*(1 + m.a)*(mass + 2*k/m.w/m.w)*(1 + m.w*m.until);
  bool good = CHECK(fabs(u.dissipated - heat) <= 10*tol*worth);
  good = CHECK(fabs(u.input - work) <= 10*tol*worth) && good;
  good = CHECK(u.energy_error <= 10*tol*worth) && good;
  good = CHECK_TEXT(u.verdict, "sound") && good;
  if (!good) printf("  %s, %s, tolerance %g, by %s, seed %u\n", method, where, tol, by_speed ? "speed" : "way", seed);
}

/* an arm on a driven hinge, in the field of gravity */
static void arm_gets_what_is_put_in(const char *method, const char *where, double tol, unsigned seed, bool by_speed) {
  char drive[400], text[1000];
  motion m = draw_motion(&seed);
  double mass = draw(&seed, 0.5, 3), x = draw(&seed, 0.1, 1), y = draw(&seed, -0.5, 0.5), I = 0.1 + mass*(x*x + y*y), g = 9.81;
  write_drive(m, by_speed, drive, sizeof(drive));
  snprintf(text, sizeof(text),
           "planar: true\ngravity: [0, -%.17g]\nbodies: {b: {mass: %.17g, inertia: 0.1, at: [%.17g, %.17g]}}\n"
           "joints: {j: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n%s", g, mass, x, y, drive);
  tn_summary u;
  if (!run(text, method, where, tol, &u)) return;
  double v0 = speed(m, 0), v1 = speed(m, m.until), turn = way(m, m.until);
  double work = 0.5*I*(v1*v1 - v0*v0) + mass*g*(x*sin(turn) + y*cos(turn) - y);
  double worth = (I*m.a*(1 + m.a) + mass*g*hypot(x, y)*(1 + m.a/m.w))*(1 + m.w*m.until);
  bool good = CHECK(fabs(u.input - work) <= 10*tol*worth);
  good = CHECK(u.energy_error <= 10*tol*worth) && good;
  good = CHECK_TEXT(u.verdict, "sound") && good;
  if (!good) printf("  %s, %s, tolerance %g, by %s, seed %u\n", method, where, tol, by_speed ? "speed" : "way", seed);
}

/* A ball rolls on a table that is turned at w: it follows a circle at 2/7 of that speed, and friction, which pulls it inward,
 * takes nothing from the drive. The contact sticks, stiff and damped: it is in balance only where a method has it so. */
static void ball_on_turntable_costs_nothing(const char *method, const char *where, double tol, unsigned seed) {
  char text[1200];
  double w = draw(&seed, 0.5, 4), away = draw(&seed, 0.3, 2), radius = draw(&seed, 0.05, 0.2), mass = draw(&seed, 0.3, 3);
  double until = draw(&seed, 0.5, 2), v = 2*w*away/7, spin = (w*away - v)/radius;
  snprintf(text, sizeof(text),
           "gravity: [0, 0, -9.81]\nbodies:\n  table: {mass: 10, shape: {box: [6, 6, 0.2]}, at: [0, 0, -0.1]}\n"
           "  ball: {mass: %.17g, shape: {sphere: %.17g}, at: [%.17g, 0, %.17g], velocity: [0, %.17g, 0], angular_velocity: [%.17g, 0, 0]}\n"
           "joints: {j: {type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: z}}\ndrive: {d: {joint: j, motion: \"%.17g*t\"}}\n"
           "forces: {c: {type: contact, bodies: [ball, table], radius1: %.17g, at2: [0, 0, 0.1], friction: 1.5, restitution: 0.5}}\n"
           "analysis: {until: %.17g}\n", mass, radius, away, radius, v, spin, w, radius, until);
  tn_summary u;
  if (!run(text, method, where, tol, &u)) return;
  double worth = 0.5*mass*(v*v + 0.4*radius*radius*spin*spin + 2*9.81*radius) + 30.3/2*w*w;
  bool good = CHECK(fabs(u.input) <= 10*tol*worth);
  good = CHECK(u.energy_error <= 10*tol*worth) && good;
  good = CHECK_TEXT(u.verdict, "sound") && good;
  if (!good) printf("  %s, %s, tolerance %g, seed %u: %g, %g of %g J\n", method, where, tol, seed, u.input, u.energy_error, worth);
}

static void stiff_contacts_hide_no_work_of_drives(void) {
  static const double tol[] = {1e-4, 1e-5, 1e-6};
  unsigned seed = 1;
  for (int n = 0; n < (all ? 40 : 3); n++)
    for (int i = 0; i < TNI_COUNT(tol); i++)
      for (int r = 0; r < 2; r++) {
        seed += 7919;
        ball_on_turntable_costs_nothing("radau", representation[r], tol[i], seed);
      }
  static const char *const other[] = {"rk45", "rk8", "rosen", "infl_sdirk", "desc_sdirk", "ida"};
  for (int k = 0; k < TNI_COUNT(other) && all; k++) ball_on_turntable_costs_nothing(other[k], "cartesian", 1e-5, seed + (unsigned)k);
}

static void every_method_books_the_work_of_drives(void) {
  static const double tol[] = {1e-3, 1e-4, 1e-6, 1e-8};
  unsigned seed = 1;
  int rounds = all ? 12 : 1;
  for (int n = 0; n < rounds; n++)
    for (int k = 0; k < tni_integrator_ntype; k++) {
      const tni_integrator_type *type = tni_integrator_types[k];
      if (type->fixed_step || type->needs_technique || strcmp(type->name, "central") == 0) continue;
      for (int r = 0; r < 2; r++)
        for (int i = 0; i < TNI_COUNT(tol); i++) {
          if (!all && (i + k + r) % 2) continue; /* two tolerances of four */
          if (type->order == 2 && tol[i] < 1e-4) continue; /* a hundred thousand steps */
          for (int by_speed = 0; by_speed < 2; by_speed++) {
            seed += 7919;
            slide_gets_what_is_put_in(type->name, representation[r], tol[i], seed, by_speed);
            arm_gets_what_is_put_in(type->name, representation[r], tol[i], seed + 1, by_speed);
          }
        }
    }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(every_method_books_the_work_of_drives);
  RUN(stiff_contacts_hide_no_work_of_drives);
  return REPORT();
}
