/* tests/verify/problems.h - initial value problems with known answers
 *
 * Each has a model, an end time, the numbers to look at there, and where the answer comes from: a
 * published value, a closed form, an independent solution of the equations of motion in a few
 * coordinates (reference_ode.h), or, where there is no other, the tightest run of another method
 * and representation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_VERIFY_PROBLEMS_H
#define TN_VERIFY_PROBLEMS_H

#include "support/loaded.h"
#include "support/reference_ode.h"
#include "verify/models.h"

enum { PROBLEM_MAX = 8 };

/* is the name one of a list with commas between? */
static inline bool is_named(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
    if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0')) return true;
  return false;
}

typedef struct problem problem;
struct problem {
  const char *name;
  const char *file, *set; /* model file and parameter, or */
  const char *text;
  double until;
  int n;
  void (*get)(tn_sim *sim, double *out);
  void (*answer)(double *out); /* NULL: the tightest run */
  double digits;               /* accuracy of the answer */
  const char *source;
};

static inline void problem_load(const problem *p, loaded *l) {
  if (p->file) load_file(l, p->file, p->set);
  else load_text(l, p->text);
}

static inline tn_status problem_run(const problem *p, loaded *l, const tn_run_opts *opts,
                                    double *out, tn_summary *sum) {
  tn_sim *sim;
  tn_run_opts o = *opts;
  o.until = p->until;
  TN_TRY(tn_sim_create(l->ctx, l->model, &o, &sim));
  tn_status st = tn_sim_advance(sim, p->until);
  if (st == TN_OK) p->get(sim, out);
  if (sum) tn_sim_summary(sim, sum);
  tn_sim_destroy(&sim);
  return st;
}

/* the numbers to compare with, and how far they can be trusted */
static inline double problem_answer(const problem *p, loaded *l, double *out) {
  if (p->answer) {
    p->answer(out);
    return p->digits;
  }
  tn_run_opts o = {.method = "rk8", .representation = "cartesian", .tolerance = 1e-11};
  CHECK_OK(l->ctx, problem_run(p, l, &o, out, NULL));
  return p->digits;
}

/* largest |got - want|/(1 + |want|) */
static inline double problem_error(const problem *p, const double *got, const double *want) {
  double worst = 0;
  for (int i = 0; i < p->n; i++) {
    double e = fabs(got[i] - want[i])/(1 + fabs(want[i]));
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

/* ---- pendulums ----------------------------------------------------------------------------- */

/* length 1, mass 1, g = 9.81, released from (-1, 0): state at 10 s as published (IFToMM library of
 * computational benchmark problems, A01) */
static void pendulum_answer(double *x) { x[0] = -0.275087462576117, x[1] = -0.961419205099125; }
static void pendulum_ball(tn_sim *sim, double *x) {
  double p[3];
  sim_point(sim, "ball", 0, 0, 0, p);
  x[0] = p[0], x[1] = p[1];
}
static void pendulum_tip(tn_sim *sim, double *x) {
  double p[3];
  sim_point(sim, "rod", 1, 0, 0, p);
  x[0] = p[0], x[1] = p[1];
}
/* the same motion as a body on a hinge: inertia and centre of mass of an equal reduced length,
 * (0.81 + 0.09)/0.9 = 1 */
static const char hinge_pendulum[] =
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: 0.09, com: [0.9, 0], at: [0, 0], orientation: pi}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n";
/* and in space about a skew horizontal axis, 3 D */
static const char skew_pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [0.02, 0.09, 0.09], com: [0.9, 0, 0],\n"
    "        orientation: {x: [-0.6, -0.8, 0], y: z}}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0.8, -0.6, 0]}\n";
static void skew_tip(tn_sim *sim, double *x) {
  double p[3];
  sim_point(sim, "rod", 1, 0, 0, p);
  x[0] = 0.6*p[0] + 0.8*p[1], x[1] = p[2];
}

/* two rods of 1 m and 1.5 m on hinges; angles from the x axis, moments of the spec 8.1 */
static const char double_pendulum[] =
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm1: {mass: 3, inertia: 1, at: [\"cos(-0.9)\", \"sin(-0.9)\"], orientation: -0.9,\n"
    "         points: {inner: [-1, 0], outer: [1, 0]}}\n"
    "  arm2: {mass: 0.3, inertia: 0.225, at: [\"2*cos(-0.9) + 1.5*cos(-1.2)\",\n"
    "         \"2*sin(-0.9) + 1.5*sin(-1.2)\"], orientation: -1.2, points: {inner: [-1.5, 0]}}\n"
    "joints:\n"
    "  hinge1: {type: revolute, bodies: [ground, arm1], at2: inner, x1: x, x2: x}\n"
    "  hinge2: {type: revolute, bodies: [arm1, arm2], at1: outer, at2: inner, x1: x, x2: x}\n";
/* spec 8.1: a th1'' + b cos D th2'' = ..., D = th1 - th2; user[0..3] = k1, c1, k2, c2 */
static void double_pendulum_rhs(long double t, const long double *y, long double *f,
                                const void *user) {
  const double *k = user;
  long double m1 = 3, m2 = 0.3L, L1 = 1, L2 = 1.5L, g = 9.81L, J1 = 1, J2 = 0.225L;
  long double a = m1*L1*L1 + J1 + 4*m2*L1*L1, b = 2*m2*L1*L2, d = m2*L2*L2 + J2;
  long double D = y[0] - y[1], pi = acosl(-1.0L), C = cosl(D), S = sinl(D);
  long double T1 = -k[0]*(y[0] - 3*pi/2) - k[1]*y[2];
  long double T2 = k[2]*(y[1] - y[0]) + k[3]*(y[3] - y[2]);
  long double r1 = -b*S*y[3]*y[3] - (m1 + 2*m2)*g*L1*cosl(y[0]) + T1 + T2;
  long double r2 = b*S*y[2]*y[2] - m2*g*L2*cosl(y[1]) - T2;
  long double det = a*d - b*b*C*C;
  (void)t;
  f[0] = y[2], f[1] = y[3];
  f[2] = (d*r1 - b*C*r2)/det;
  f[3] = (a*r2 - b*C*r1)/det;
}
static void double_pendulum_answer(double *x) {
  const double none[4] = {0, 0, 0, 0};
  double y[4] = {-0.9, -1.2, 0, 0};
  CHECK_NEAR(reference_solve(double_pendulum_rhs, none, 4, 0, 5, 200, y), 0, 1e-14);
  x[0] = y[0], x[1] = y[1];
}
static void double_pendulum_get(tn_sim *sim, double *x) {
  x[0] = sim_coordinate(sim, "hinge1");
  x[1] = x[0] + sim_coordinate(sim, "hinge2");
}

/* ---- loops --------------------------------------------------------------------------------- */

/* IFToMM library, A02, N = 2: point B0 at 10 s */
static void four_bars_answer(double *x) { x[0] = 0.328458111541, x[1] = 0.944518538179; }
static void four_bars_get(tn_sim *sim, double *x) {
  double p[3];
  sim_point(sim, "rod0", 0.5, 0, 0, p);
  x[0] = p[0], x[1] = p[1];
}
/* all rods stay parallel: one equation for their angle,
 *   ((N+1)/3 + N) L theta'' = -((N+1)/2 + N) g cos theta */
static void four_bars_rhs(long double t, const long double *y, long double *f, const void *user) {
  long double N = *(const double *)user;
  (void)t;
  f[0] = y[1];
  f[1] = -((N + 1)/2 + N)/((N + 1)/3 + N)*9.81L*cosl(y[0]);
}
static void four_bars_of(double N, double *x) {
  double y[2] = {acos(-1.0)/2, -1};
  CHECK_NEAR(reference_solve(four_bars_rhs, &N, 2, 0, 10, 400, y), 0, 1e-13);
  x[0] = cos(y[0]), x[1] = sin(y[0]);
}
static void ten_four_bars_answer(double *x) { four_bars_of(10, x); }

/* Test Set for IVP Solvers: angles of K1, K3, K5, K7 at 0.03 s; runs at the tightest tolerances
 * agree with each other, not with these values, below 1e-10 */
static void seven_body_answer(double *x) {
  x[0] = 15.81077119629904, x[1] = 0.04082224013073101;
  x[2] = 0.5244099658805304, x[3] = 1.048080741042263;
}
static void seven_body_get(tn_sim *sim, double *x) {
  static const char *const joint[4] = {"O", "B", "A5", "A7"};
  for (int i = 0; i < 4; i++) x[i] = sim_coordinate(sim, joint[i]);
}

static void rssr_get(tn_sim *sim, double *x) {
  x[0] = sim_coordinate(sim, "base");
  sim_point(sim, "rod", 0, 0, 0, x + 1);
}
static void ring_get(tn_sim *sim, double *x) {
  sim_point(sim, "b0", 0, 0, 0, x);
  sim_point(sim, "b3", 0, 0, 0, x + 3);
}
static void chain_get(tn_sim *sim, double *x) { sim_point(sim, "b8", 0, 0, 0, x); }
static void vehicle_get(tn_sim *sim, double *x) {
  sim_point(sim, "chassis", 0, 0, 0, x);
  sim_point(sim, "wheel_FL", 0, 0, 0, x + 3);
}

/* ---- one body ------------------------------------------------------------------------------ */

/* Euler's equations with Euler parameters; user: I1, I2, I3, and m g l of a heavy top whose centre
 * of mass is on the body axis 3 (torque about the fixed point) */
static void body_rhs(long double t, const long double *y, long double *f, const void *user) {
  const double *I = user;
  const long double *p = y, *w = y + 4;
  (void)t;
  f[0] = (-p[1]*w[0] - p[2]*w[1] - p[3]*w[2])/2;
  f[1] = (p[0]*w[0] - p[3]*w[1] + p[2]*w[2])/2;
  f[2] = (p[3]*w[0] + p[0]*w[1] - p[1]*w[2])/2;
  f[3] = (-p[2]*w[0] + p[1]*w[1] + p[0]*w[2])/2;
  /* gravity down: torque -m g l (e3 x k), k = ground z in body axes */
  long double kx = 2*(p[1]*p[3] - p[0]*p[2]), ky = 2*(p[2]*p[3] + p[0]*p[1]);
  f[4] = ((I[1] - I[2])*w[1]*w[2] + I[3]*ky)/I[0];
  f[5] = ((I[2] - I[0])*w[2]*w[0] - I[3]*kx)/I[1];
  f[6] = (I[0] - I[1])*w[0]*w[1]/I[2];
}
/* first two columns of the rotation and the last: enough to tell the orientation */
static void columns_of(const double *p, double *x) {
  double A[9];
  quat_matrix(A, p);
  for (int i = 0; i < 3; i++) x[i] = A[3*i], x[3 + i] = A[3*i + 2];
}
static void body_columns(tn_sim *sim, double *x) {
  const double *A = sim->s->kin[1].A;
  for (int i = 0; i < 3; i++) x[i] = A[3*i], x[3 + i] = A[3*i + 2];
}
/* turning about its middle axis, which is unstable: it tumbles */
static const char free_body[] =
    "bodies:\n"
    "  book: {mass: 1, inertia: [1, 2, 3], angular_velocity: [0.01, 2, 0]}\n";
static void free_body_answer(double *x) {
  const double I[4] = {1, 2, 3, 0};
  double y[7] = {1, 0, 0, 0, 0.01, 2, 0};
  CHECK_NEAR(reference_solve(body_rhs, I, 7, 0, 10, 400, y), 0, 1e-13);
  columns_of(y, x);
}
/* top with its tip in a ball joint; fast enough to precess and nod */
static const char top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 0.5, inertia: [0.002, 0.002, 0.0008], com: [0, 0, 0.1],\n"
    "        orientation: {axis: x, angle: 0.5}, velocity: [0, 0, 0],\n"
    "        angular_velocity: [0, \"-60*sin(0.5)\", \"60*cos(0.5)\"]}\n"
    "joints:\n"
    "  tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}\n";
static void top_answer(double *x) {
  /* about the tip: 0.002 + 0.5*0.1^2 */
  const double I[4] = {0.007, 0.007, 0.0008, 0.5*9.81*0.1};
  double y[7] = {cos(0.25), sin(0.25), 0, 0, 0, 0, 60};
  CHECK_NEAR(reference_solve(body_rhs, I, 7, 0, 3, 2000, y), 0, 1e-12);
  columns_of(y, x);
}

/* mass on a spring with a damper: x = exp(-d t) (cos w t + d/w sin w t), d = c/(2 m) */
static const char oscillator[] =
    "planar: true\n"
    "bodies:\n"
    "  mass: {mass: 2, inertia: 1, at: [2, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, bodies: [ground, mass], at: [0, 0], axis: x}\n"
    "forces:\n"
    "  spring: {type: spring, bodies: [ground, mass], at1: [0, 0], at2: [0, 0], stiffness: 50,\n"
    "           damping: 1.2, free_length: 1}\n";
static void oscillator_answer(double *x) {
  double d = 1.2/4, w = sqrt(25 - d*d), t = 5, E = exp(-d*t);
  x[0] = 1 + E*(cos(w*t) + d/w*sin(w*t));
  double v = -E*25/w*sin(w*t);
  /* stored at the beginning less what is left */
  x[1] = 25 - (25*(x[0] - 1)*(x[0] - 1) + v*v);
}
static void oscillator_get(tn_sim *sim, double *x) {
  double p[3];
  sim_point(sim, "mass", 0, 0, 0, p);
  x[0] = p[0];
  x[1] = sim->at.z[TNI_Z_DISSIPATED];
}

/* Thin disk rolling in a circle. Radius r, plane leaning inwards by b, centre on a circle of radius
 * R, precession W about the vertical k, spin s about the axis a = cos b e + sin b k (e outwards).
 *   no slip             s = -W (R + r sin b)/r
 *   moment of momentum  H = C (W sin b + s) a + A W cos b u,  u = cos b k - sin b e,  H' = W k x H
 *   moment of contact   -r u x m (g k - W^2 R e)
 * With A = m r^2/4, C = m r^2/2:  W^2 = g tan b/(3 R/2 + r sin b/4). */
static const char rolling_coin[] =
    "gravity: [0, 0, -9.81]\n"
    "params: {r: 0.3, R: 1, b: 0.25, W: \"sqrt(9.81*tan(b)/(1.5*R + 0.25*r*sin(b)))\",\n"
    "         s: \"-W*(R + r*sin(b))/r\"}\n"
    "bodies:\n"
    "  coin: {mass: 2, inertia: [\"r^2/2\", \"r^2/2\", \"r^2\"], at: [R, 0, \"r*cos(b)\"],\n"
    "         orientation: {y: y, z: [\"cos(b)\", 0, \"sin(b)\"]}, velocity: [0, \"W*R\", 0],\n"
    "         angular_velocity: [\"s*cos(b)\", 0, \"W + s*sin(b)\"]}\n"
    "joints:\n"
    "  edge: {type: rolling_disk, bodies: [ground, coin], at: [R, 0, \"r*cos(b)\"],\n"
    "         axis: [\"cos(b)\", 0, \"sin(b)\"], radius: r}\n";
static void coin_answer(double *x) {
  double r = 0.3, R = 1, b = 0.25, t = 5;
  double W = sqrt(9.81*tan(b)/(1.5*R + 0.25*r*sin(b)));
  x[0] = R*cos(W*t), x[1] = R*sin(W*t), x[2] = r*cos(b);
  x[3] = cos(b)*cos(W*t), x[4] = cos(b)*sin(W*t), x[5] = sin(b);
}
static void coin_get(tn_sim *sim, double *x) {
  sim_point(sim, "coin", 0, 0, 0, x);
  for (int i = 0; i < 3; i++) x[3 + i] = sim->s->kin[1].A[3*i + 2];
}

static const problem problems[] = {
    {"pendulum, rod", "examples/pendulum/pendulum.yaml", NULL, NULL, 10, 2, pendulum_ball,
     pendulum_answer, 1e-14, "IFToMM A01"},
    {"pendulum, hinge", NULL, NULL, hinge_pendulum, 10, 2, pendulum_tip, pendulum_answer, 1e-14,
     "IFToMM A01"},
    {"pendulum, skew", NULL, NULL, skew_pendulum, 10, 2, skew_tip, pendulum_answer, 1e-14,
     "IFToMM A01"},
    {"double pendulum", NULL, NULL, double_pendulum, 5, 2, double_pendulum_get,
     double_pendulum_answer, 1e-13, "two equations"},
    {"four-bars, N = 2", "examples/four-bar/n_four_bar.yaml", NULL, NULL, 10, 2, four_bars_get,
     four_bars_answer, 1e-12, "IFToMM A02"},
    {"four-bars, N = 10", "examples/four-bar/n_four_bar.yaml", "N=10", NULL, 10, 2, four_bars_get,
     ten_four_bars_answer, 1e-12, "one equation"},
    {"seven bodies", "examples/seven-body/seven_body.yaml", NULL, NULL, 0.03, 4, seven_body_get,
     seven_body_answer, 1e-10, "Test Set for IVP Solvers"},
    {"free body", NULL, NULL, free_body, 10, 6, body_columns, free_body_answer, 1e-12,
     "Euler's equations"},
    {"top", NULL, NULL, top, 3, 6, body_columns, top_answer, 1e-11, "Euler's equations"},
    {"rolling coin", NULL, NULL, rolling_coin, 5, 6, coin_get, coin_answer, 1e-13, "closed form"},
    {"oscillator", NULL, NULL, oscillator, 5, 2, oscillator_get, oscillator_answer, 1e-14,
     "closed form"},
    {"crank and rocker", NULL, NULL, rssr, 2, 4, rssr_get, NULL, 1e-10, "tightest run"},
    {"floating ring", NULL, NULL, floating_ring, 1, 6, ring_get, NULL, 1e-10, "tightest run"},
    {"mixed chain", NULL, NULL, mixed_chain, 0.6, 3, chain_get, NULL, 1e-10, "tightest run"},
    {"vehicle", "examples/vehicle/hmmwv14.yaml", NULL, NULL, 1, 6, vehicle_get, NULL, 1e-9,
     "tightest run"},
};
enum { NPROBLEM = sizeof(problems)/sizeof(problems[0]) };

#endif
