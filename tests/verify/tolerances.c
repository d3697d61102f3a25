/* tests/verify/tolerances.c - the tolerance means the error: many models, all methods, six tolerances
 *
 * Every method with error control runs every model it takes at tolerances from 1e-3 to 1e-8. The error
 * is that of tn_compare: the largest |x - x_ref|/(1 + |x_ref|) of positions, rotations and velocities of
 * all bodies at 200 times along the run, against a tight run that a second method has checked. It is to
 * be at most ten tolerances, and its median over the models at least 0.03 of one: less is work
 * that nobody asked for.
 *
 * No rule for one step knows how a motion amplifies what it is given. The condition of a model is the
 * largest factor by which a small change of the initial state grows along its run; it stands beside the
 * figures. Ends of runs are chosen such that mechanisms which amplify without bound (singular positions,
 * fast mechanisms, slack cables) stay near a thousand or below. Cells are empty where the reference is not
 * good for the tolerance, where a method refuses the model, and where a run was cut off.
 *
 * The shares of the methods were chosen with the models of add_models. Those of add_other_models were drawn once, after
 * that, and judged them until causes were looked for there too. Those of add_held_out have been drawn since. At most ten tolerances for
 * all of them.
 *
 * Quick: every ninth model and the last at two tolerances, methods of order 3 and more. With the argument all:
 * everything, with the tables in verify_tolerances.md; --table prints them. --part 2/5 takes every fifth method beginning with
 * the second, and writes verify_tolerances_2.md. --model, --method (one or several,
 * with commas between), --others, --held-out and --limit choose; --cache folder keeps references from one run to the next.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdarg.h>

#include "analyses/trial.h"
#include "verify/held_out.h"
#include "verify/problems.h"

enum { NTIME = 200, NTOL = 6, MODELS_MAX = 160, METHODS_MAX = 24, STATE = 18 };
static const double tolerance[NTOL] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
static const double ACCEPTED = 10, MEDIAN = 0.03;
static double limit = 2;                  /* CPU seconds of a run; a quarter for order 2     */
static const double GOOD_REFERENCE = 0.1; /* its uncertainty, by the tolerance             */
static const double NUDGE = 1e-7;         /* of the initial state, to find the condition   */

static bool all;
static FILE *table; /* NULL: none */
static const char *only_model, *only_method; /* the latter: names with commas between */
static bool only_others, only_held_out;
static int piece = 1, pieces = 1;
static const char *cache; /* folder of references; NULL: none */

typedef struct {
  char name[64];
  const char *file, *set; /* below the source directory */
  char *text;             /* or this, owned             */
  double until;
  double condition, uncertainty;
  double ratio[METHODS_MAX][NTOL]; /* error/tolerance; NaN: empty */
  long steps[METHODS_MAX][NTOL];
} study_model;

static study_model models[MODELS_MAX];
/* all; those that the shares were chosen with come first, then others that were to judge them, then those of held_out.h */
static int nmodel, nchosen, nlooked;
static const tni_integrator_type *methods[METHODS_MAX];
static int nmethod;

/* ---- models -------------------------------------------------------------------------------- */

static study_model *add(const char *name, double until) {
  study_model *m = &models[nmodel++];
  snprintf(m->name, sizeof(m->name), "%s%s", nlooked ? "held out: " : nchosen ? "other " : "", name);
  m->until = until;
  return m;
}

static void add_file(const char *name, const char *file, const char *set, double until) {
  study_model *m = add(name, until);
  m->file = file;
  m->set = set;
}

static study_model *add_text(const char *name, double until, const char *format, ...) {
  study_model *m = add(name, until);
  va_list args;
  va_start(args, format);
  m->text = malloc(8192);
  vsnprintf(m->text, 8192, format, args);
  va_end(args);
  return m;
}

static void add_examples(void) {
  add_file("pendulum", "examples/pendulum/pendulum.yaml", NULL, 5);
  add_file("stiff double pendulum", "examples/pendulum/double_pendulum.yaml", NULL, 0.1);
  add_file("two four-bars", "examples/four-bar/n_four_bar.yaml", NULL, 5);
  add_file("five four-bars", "examples/four-bar/n_four_bar.yaml", "N=5", 3);
  add_file("seven bodies", "examples/seven-body/seven_body.yaml", NULL, 0.015);
  add_file("parallelogram", "examples/staggered/parallelogram.yaml", NULL, 2);
  add_file("crane", "examples/staggered/crane.yaml", NULL, 20);
  add_file("tree", "examples/staggered/tree.yaml", NULL, 2);
  add_file("four-bar", "examples/staggered/four_bar.yaml", NULL, 8);
  add_file("rolling ball", "examples/staggered/rolling_ball.yaml", NULL, 16);
  add_file("arm", "examples/staggered/arm.yaml", NULL, 180);
  add_file("free body", "examples/staggered/free_body.yaml", NULL, 20);
  add_file("slider-crank", "examples/staggered/slider_crank.yaml", NULL, 0.82);
  add_file("impact", "examples/staggered/impact.yaml", NULL, 1);
  add_file("triple pendulum", "examples/staggered/triple_pendulum.yaml", NULL, 1);
  add_file("doubled bar", "examples/staggered/doubled.yaml", NULL, 5);
  add_file("double pendulum, soft", "examples/staggered/double_pendulum.yaml", NULL, 10);
  add_file("one bar", "examples/staggered/one_bar.yaml", NULL, 5);
  add_file("inverted pendulum", "examples/control/inverted_pendulum.yaml", NULL, 1);
  add_file("deployment", "examples/deployment/three_links.yaml", NULL, 3);
  add_file("vehicle", "examples/vehicle/hmmwv14.yaml", NULL, 2);
  add_file("wishbones", "examples/vehicle/wishbone.yaml", NULL, 1);
  add_file("bouncing ball", "examples/contact/bouncing_ball.yaml", NULL, 0.6);
}

static void add_mechanisms(void) {
  add_text("planar four-bar", 2, "%s", planar_four_bar);
  add_text("four-bar in space, redundant", 2, "%s", spatial_four_bar);
  add_text("four-bar in space", 2, "%s", spatial_four_bar_exact);
  add_text("slider-crank in space", 1, "%s", slider_crank);
  add_text("crank, rod, rocker", 1, "%s", rssr);
  add_text("mixed chain", 0.5, "%s", mixed_chain);
  add_text("floating ring", 1, "%s", floating_ring);
  add_text("binary tree", 0.4, "%s", binary_tree);
  add_text("gear train", 2, "%s", gear_train);
  add_text("rolling disk and ball", 0.5, "%s", rolling);
  add_text("constraint zoo", 0.2, "%s", constraint_zoo);
  add_text("double pendulum", 2, "%s", double_pendulum);
  add_text("top", 1, "%s", top);
  add_text("oscillator", 5, "%s", oscillator);
  add_text("rolling coin", 3, "%s", rolling_coin);
}

/* ---- generated ones ------------------------------------------------------------------------ */

static uint64_t seed = 2024;
static double between(double a, double b) {
  return a + (b - a)*0.5*(1 + check_random(&seed));
}

/* a body without forces near the axis of its largest, middle and smallest moment */
static void add_free_tops(void) {
  static const char *const name[] = {"top about its least axis", "top about its middle axis",
                                     "top about its greatest axis"};
  for (int k = 0; k < 3; k++) {
    double w[3] = {0.02, 0.015, -0.01};
    w[k] = 3;
    add_text(name[k], 8, "bodies:\n  b: {mass: 1, inertia: [0.1, 0.17, 0.23], "
             "angular_velocity: [%g, %g, %g]}\n", w[0], w[1], w[2]);
  }
}

/* bars on hinges of any direction, with springs and dampers in some */
static void add_random_trees(void) {
  for (int k = 0; k < 5; k++) {
    char text[8000], name[64];
    int n = 0, bodies = 3 + k;
    size_t size = sizeof(text);
    n += snprintf(text + n, size - (size_t)n, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < bodies; i++)
      n += snprintf(text + n, size - (size_t)n, "  b%d: {mass: %.3f, inertia: [%.3f, %.3f, %.3f], "
                    "at: [%.3f, %.3f, %.3f]}\n", i, between(0.5, 2), between(0.02, 0.04),
                    between(0.03, 0.05), between(0.04, 0.06), 0.5*i + between(0.1, 0.3),
                    between(-0.2, 0.2), between(-0.3, 0));
    n += snprintf(text + n, size - (size_t)n, "joints:\n");
    for (int i = 0; i < bodies; i++) {
      char parent[16];
      snprintf(parent, sizeof(parent), "b%d", i < 2 ? 0 : (int)between(0, i - 0.01));
      n += snprintf(text + n, size - (size_t)n, "  j%d: {type: %s, bodies: [%s, b%d], "
                    "at: [%.3f, %.3f, %.3f]%s", i, i%3 == 1 ? "spherical" : "revolute",
                    i ? parent : "ground", i, 0.5*i, between(-0.1, 0.1), 0.0,
                    i%3 == 1 ? "}\n" : "");
      if (i%3 != 1)
        n += snprintf(text + n, size - (size_t)n, ", axis: [%.3f, 1, %.3f]}\n", between(-0.4, 0.4),
                      between(-0.4, 0.4));
    }
    n += snprintf(text + n, size - (size_t)n, "forces:\n  s: {type: spring, bodies: [ground, b%d], "
                  "at1: [0, 0, 1], at2: [0, 0, 0], stiffness: %.1f, damping: %.2f}\n", bodies - 1,
                  between(5, 30), between(0.1, 2));
    snprintf(name, sizeof(name), "random tree of %d", bodies);
    add_text(name, 0.6, "%s", text);
  }
}

/* masses in space on a net of springs, one stiff */
static void add_nets(void) {
  for (int k = 0; k < 3; k++) {
    char text[8000], name[64];
    int n = 0;
    size_t size = sizeof(text);
    n += snprintf(text + n, size - (size_t)n, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < 4; i++)
      n += snprintf(text + n, size - (size_t)n, "  b%d: {mass: %.3f, inertia: [0.1, 0.12, 0.15], "
                    "at: [%d, %d, %.3f], velocity: [0, 0, %.3f]}\n", i, between(0.5, 2), i%2, i/2,
                    between(-0.1, 0.1), between(-1, 1));
    n += snprintf(text + n, size - (size_t)n, "forces:\n");
    for (int i = 0; i < 4; i++) {
      double stiff = i == 0 ? 100*pow(30, k) : between(50, 200);
      n += snprintf(text + n, size - (size_t)n, "  s%d: {type: spring, bodies: [b%d, b%d], at1: [0, 0.1, 0], "
                    "at2: [0.1, 0, 0], stiffness: %.1f, damping: %.3f, free_length: %.2f}\n", i, i,
                    (i + 1)%4, stiff, 0.02*stiff/10, between(0.7, 1));
      n += snprintf(text + n, size - (size_t)n, "  g%d: {type: spring, bodies: [ground, b%d], "
                    "at1: [%d, %d, 1], at2: [0, 0, 0], stiffness: %.1f, damping: %.2f, "
                    "free_length: 0.8}\n", i, i, 2*(i%2), 2*(i/2), between(20, 80), between(0, 1));
    }
    snprintf(name, sizeof(name), "net of springs, stiffness %.0e", 100*pow(30, k));
    add_text(name, 1, "%s", text);
  }
}

/* a mass on a spring, fast and damped or not, driven at another frequency */
static void add_oscillators(void) {
  static const struct {
    const char *name;
    double k, c, f, omega;
  } o[] = {{"driven oscillator", 40, 0.4, 20, 5}, {"undamped oscillator", 100, 0, 0, 1},
           {"stiff damped oscillator", 1e4, 120, 100, 3}, {"creeping mass", 2, 20, 3, 1}};
  for (int i = 0; i < TNI_COUNT(o); i++)
    add_text(o[i].name, 3,
             "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [1.2, 0, 0]}}\n"
             "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
             "forces:\n"
             "  s: {type: spring, bodies: [ground, b], at1: [0, 0.4, 0], at2: [0, 0, 0],\n"
             "      stiffness: %g, damping: %g, free_length: 1}\n"
             "  f: {type: force, body: b, force: [\"%g*sin(%g*t)\", 0, 0]}\n", o[i].k, o[i].c, o[i].f,
             o[i].omega);
}

static void add_drives(void) {
  add_text("velocity drive", 0.5,
           "planar: true\nbodies: {b: {mass: 1, inertia: 0.1}}\n"
           "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}}\n"
           "drive: {d: {joint: j, velocity: \"0.5*cos(3*t)\"}}\n");
  add_text("velocity drive with a pendulum", 2,
           "gravity: [0, -9.81]\nplanar: true\n"
           "bodies:\n  cart: {mass: 1, inertia: 0.1}\n"
           "  rod: {mass: 0.5, inertia: 0.02, com: [0.4, 0], at: [0, 0], orientation: -1}\n"
           "joints:\n  j: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: x}\n"
           "  h: {type: revolute, bodies: [cart, rod], at: [0, 0]}\n"
           "drive: {d: {joint: j, velocity: \"0.8*sin(4*t)\"}}\n");
  add_text("slack cable", 1,
           "gravity: [0, 0, -9.81]\nground: {points: {o: [0, 0, 0]}}\n"
           "cables:\n  c: {from: ground.o, to: [0.8, 0, 0.3], elements: 3, EA: 400, rhoA: 0.5,"
           " damping: 0.003}\n");
  add_text("beam pendulum", 0.3,
           "gravity: [0, 0, -9.81]\nground: {points: {o: [0, 0, 0]}}\n"
           "cables:\n  c: {from: ground.o, to: [0.8, 0, 0], elements: 4, EA: 2000, rhoA: 0.5}\n"
           "bodies: {w: {mass: 0.3, inertia: [0.01, 0.01, 0.01], at: [0.2, 0.1, 0.5]}}\n"
           "forces:\n  s: {type: spring, bodies: [ground, w], at1: [0, 0, 1], at2: [0, 0.05, 0],"
           " stiffness: 100, damping: 0.5, free_length: 0.4}\n");
}

static void random_four_bar(int k) {
  char name[32];
  double crank = between(0.2, 0.4), a = between(0.5, 2.5), L = between(1, 1.4), px, py, qx, qy;
  px = crank*cos(a), py = crank*sin(a);
  qx = px + L*cos(between(0.3, 0.6)), qy = py + L*sin(between(0.3, 0.6));
  snprintf(name, sizeof(name), "random four-bar %d", k + 1);
  add_text(name, 1.5,
           "planar: true\ngravity: [0, -9.81]\n"
           "bodies:\n"
           "  crank: {mass: %.3f, inertia: 0.02, between: [[0, 0], [%.6f, %.6f]], angular_velocity: [0, 0, %.3f]}\n"
           "  rod: {mass: %.3f, inertia: 0.1, between: [[%.6f, %.6f], [%.6f, %.6f]]}\n"
           "  rocker: {mass: %.3f, inertia: 0.08, between: [[%.6f, %.6f], [%.6f, 0]]}\n"
           "joints:\n"
           "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
           "  b: {type: revolute, bodies: [crank, rod], at: [%.6f, %.6f]}\n"
           "  c: {type: revolute, bodies: [rod, rocker], at: [%.6f, %.6f]}\n"
           "  d: {type: revolute, bodies: [ground, rocker], at: [%.6f, 0]}\n",
           between(0.5, 1.5), px, py, between(2, 6), between(0.5, 2), px, py, qx, qy, between(0.5, 2),
           qx, qy, qx + 0.2, px, py, qx, qy, qx + 0.2);
}

static void add_models(void) {
  add_examples();
  add_mechanisms();
  add_free_tops();
  add_random_trees();
  add_nets();
  add_oscillators();
  add_drives();
  for (int k = 0; k < 3; k++) random_four_bar(k);
  /* two sliders on a damper: explicit steps are held by stability, and their insides are looked at */
  add_text("damped sliders", 12,
           "planar: true\n"
           "bodies: {a: {mass: 1, inertia: 0.1, at: [0, 0]}, b: {mass: 1, inertia: 0.1, at: [1, 0]}}\n"
           "joints:\n  j: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: x}\n"
           "  k: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: x}\n"
           "forces:\n  s: {type: spring, bodies: [a, b], at1: [0, 0], at2: [1, 0], stiffness: 30, damping: 25,"
           " free_length: 1}\n"
           "  g: {type: spring, bodies: [ground, a], at1: [-1, 0], at2: [0, 0], stiffness: 20, damping: 1,"
           " free_length: 0.9}\n");
}

/* ---- models that no share was chosen with, but that of rk45, which reached 16 on them at first ------------ */

static void add_other_tops(void) {
  for (int k = 0; k < 3; k++) {
    char name[32];
    double tilt = between(0.2, 1.2), spin = between(15, 45);
    snprintf(name, sizeof(name), "heavy top %d", k + 1);
    add_text(name, between(0.8, 1.6),
             "gravity: [0, 0, -9.81]\nbodies:\n  top: {mass: %.3f, inertia: [%.5f, %.5f, %.5f], com: [0, 0, %.3f],\n"
             "        orientation: {axis: x, angle: %.4f}, velocity: [0, 0, 0], angular_velocity: [0, %.5f, %.5f]}\n"
             "joints: {tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n", between(0.3, 1.5),
             between(0.002, 0.004), between(0.002, 0.004), between(0.0008, 0.003), between(0.06, 0.15), tilt,
             -spin*sin(tilt), spin*cos(tilt));
  }
}

static void add_other_slider_cranks(void) {
  for (int k = 0; k < 3; k++) {
    char name[32];
    double r = between(0.1, 0.3), L = between(0.6, 1), a = between(0.4, 2.6);
    double px = r*cos(a), py = r*sin(a), qx = px + sqrt(L*L - py*py);
    snprintf(name, sizeof(name), "slider-crank %d", k + 1);
    add_text(name, between(1, 2),
             "planar: true\ngravity: [0, -9.81]\nbodies:\n"
             "  crank: {mass: %.3f, inertia: 0.01, between: [[0, 0], [%.6f, %.6f]], angular_velocity: [0, 0, %.3f]}\n"
             "  rod: {mass: %.3f, inertia: 0.05, between: [[%.6f, %.6f], [%.6f, 0]]}\n"
             "  slider: {mass: %.3f, inertia: 0.01, at: [%.6f, 0]}\n"
             "joints:\n  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
             "  b: {type: revolute, bodies: [crank, rod], at: [%.6f, %.6f]}\n"
             "  c: {type: revolute, bodies: [rod, slider], at: [%.6f, 0]}\n"
             "  d: {type: prismatic, bodies: [ground, slider], at: [0, 0], axis: x}\n"
             "forces: {s: {type: spring, bodies: [ground, slider], at1: [2, 0], at2: [0, 0], stiffness: %.1f,"
             " damping: %.2f, free_length: 1}}\n", between(0.5, 2), px, py, between(3, 12), between(0.3, 1), px, py, qx,
             between(0.5, 2), qx, px, py, qx, between(0, 60), between(0, 3));
  }
}

static void add_other_pendulums(void) {
  for (int k = 0; k < 4; k++) {
    char name[32];
    double a = between(-1, 2.5), b = between(-1, 2.5), l1 = between(0.3, 1.2), l2 = between(0.2, 1);
    snprintf(name, sizeof(name), "planar double pendulum %d", k + 1);
    add_text(name, between(1, 2.5),
             "planar: true\ngravity: [0, -9.81]\nbodies:\n"
             "  upper: {mass: %.3f, between: [[0, 0], [%.6f, %.6f]]}\n"
             "  lower: {mass: %.3f, between: [[%.6f, %.6f], [%.6f, %.6f]]}\n"
             "joints:\n  a: {type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
             "  b: {type: revolute, bodies: [upper, lower], at: [%.6f, %.6f]}\n", between(0.3, 3), l1*sin(a), -l1*cos(a),
             between(0.3, 3), l1*sin(a), -l1*cos(a), l1*sin(a) + l2*sin(b), -l1*cos(a) - l2*cos(b), l1*sin(a), -l1*cos(a));
  }
}

static void add_other_models(void) {
  nchosen = nmodel;
  seed = 731;
  add_random_trees();
  add_nets();
  for (int k = 0; k < 4; k++) random_four_bar(k);
  add_other_tops();
  add_other_slider_cranks();
  add_other_pendulums();
  add_file("three four-bars", "examples/four-bar/n_four_bar.yaml", "N=3", 4);
  add_file("two four-bars for longer", "examples/four-bar/n_four_bar.yaml", NULL, 9);
  add_file("seven bodies for longer", "examples/seven-body/seven_body.yaml", NULL, 0.021);
}

/* Drawn once, after all shares stood. What was drawn before with the same generators was looked at by then. */
static void add_held_out(void) {
  nlooked = nmodel;
  seed = 90210;
  for (int i = 0; i < TNI_COUNT(held_out); i++) {
    double a[8];
    for (int k = 0; k < TNI_COUNT(a); k++) a[k] = between(0.8, 1.25);
    add_text(held_out[i].name, held_out[i].until,
             "params: {a1: %.4f, a2: %.4f, a3: %.4f, a4: %.4f, a5: %.4f, a6: %.4f, a7: %.4f, a8: %.4f}\n%s", a[0], a[1], a[2],
             a[3], a[4], a[5], a[6], a[7], held_out[i].text);
  }
  add_random_trees();
  add_nets();
  for (int k = 0; k < 4; k++) random_four_bar(k);
  add_other_tops();
  add_other_slider_cranks();
  add_other_pendulums();
}

static void load_model(const study_model *m, loaded *l) {
  if (m->file) load_file(l, m->file, m->set);
  else load_text(l, m->text);
}

/* ---- condition ----------------------------------------------------------------------------- */

static void keep(const tn_sim *sim, double *x) {
  for (int i = 0; i < sim->model->nbody; i++, x += STATE) {
    const tni_kin *b = &sim->s->kin[i + 1];
    vec3_copy(x, b->r);
    memcpy(x + 3, b->A, 9*sizeof(double));
    vec3_copy(x + 12, b->v);
    vec3_copy(x + 15, b->W);
  }
}

static double distance(const double *x, const double *y, int n) {
  double e = 0;
  for (int i = 0; i < n; i++) e = fmax(e, fabs(x[i] - y[i])/(1 + fabs(y[i])));
  return e;
}

/* trajectory [1 + NTIME][nbody][STATE] from a start that is nudged by `size` in a random direction */
static bool march(const loaded *l, const study_model *m, double size, double *x) {
  tn_run_opts o = {.method = "rk8", .tolerance = 1e-10, .until = m->until, .results = ""};
  tn_sim *sim;
  tn_status st = tn_sim_create(l->ctx, l->model, &o, &sim);
  if (st != TN_OK) return false;
  tni_integrator *it = sim->it;
  tni_data *s = sim->s;
  size_t n = (size_t)l->model->nbody*STATE;
  double *dx = calloc((size_t)s->nv + 1, sizeof(double)), *q = calloc((size_t)s->nq + 1, sizeof(double));
  double *v = calloc((size_t)s->nv + 1, sizeof(double));
  for (int j = 0; j < s->nv; j++) {
    dx[j] = size*check_random(&seed);
    v[j] = it->now.v[j] + size*(1 + fabs(it->now.v[j]))*check_random(&seed);
  }
  tni_retract(s, it->now.q, dx, q);
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-13};
  if (size > 0 && !s->ode) st = tni_project(s, it->now.t, q, v, &p, NULL);
  if (size > 0 && st == TN_OK) st = it->type->start(it, it->now.t, q, v, it->now.z);
  if (st == TN_OK) st = tni_sim_look(sim, it->now.t);
  keep(sim, x);
  for (int k = 1; k <= NTIME && st == TN_OK; k++) {
    st = tn_sim_advance(sim, k == NTIME ? m->until : m->until*k/NTIME);
    keep(sim, x + (size_t)k*n);
  }
  free(dx), free(q), free(v);
  tn_sim_destroy(&sim);
  return st == TN_OK;
}

static double find_condition(const loaded *l, const study_model *m) {
  int n = l->model->nbody*STATE;
  size_t size = (size_t)(NTIME + 1)*(size_t)n;
  double *x = calloc(size, sizeof(double)), *y = calloc(size, sizeof(double)), worst = 0;
  bool good = march(l, m, 0, x);
  for (int k = 0; k < 2 && good; k++) {
    good = march(l, m, NUDGE, y);
    double first = distance(y, x, n);
    for (int i = 1; i <= NTIME && first > 0; i++)
      worst = fmax(worst, distance(y + (size_t)i*(size_t)n, x + (size_t)i*(size_t)n, n)/first);
  }
  free(x), free(y);
  return good ? worst : NAN;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* References cost more than the runs of one method: with --cache they are kept between runs of this test. */
typedef struct {
  double until, uncertainty, condition;
  long size, text; /* of the trajectory; sum over the text of the model */
} cached;

static cached cache_head(const study_model *m, const tni_trials *j) {
  cached c = {.until = m->until, .uncertainty = j->ref.uncertainty, .condition = m->condition,
              .size = (long)j->ntime*j->nbody*STATE};
  for (const char *t = m->text; t && *t; t++) c.text = 31*c.text%1000003 + (unsigned char)*t;
  return c;
}

static FILE *open_cache(const study_model *m, const char *mode) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", cache, m->name);
  return cache ? fopen(path, mode) : NULL;
}

static bool read_cache(study_model *m, tni_trials *j) {
  cached want = cache_head(m, j), c = {0};
  FILE *f = open_cache(m, "rb");
  if (!f) return false;
  bool good = fread(&c, sizeof(c), 1, f) == 1 && c.until == want.until && c.size == want.size && c.text == want.text;
  good = good && fread(j->reference, sizeof(double), (size_t)c.size, f) == (size_t)c.size;
  fclose(f);
  j->has_reference = good;
  j->ref.uncertainty = c.uncertainty;
  m->condition = c.condition;
  return good;
}

static void write_cache(const study_model *m, const tni_trials *j) {
  cached c = cache_head(m, j);
  FILE *f = open_cache(m, "wb");
  if (!f) return;
  CHECK(fwrite(&c, sizeof(c), 1, f) == 1);
  CHECK(fwrite(j->reference, sizeof(double), (size_t)c.size, f) == (size_t)c.size);
  fclose(f);
}

static void find_reference(study_model *m, const loaded *l, tni_trials *j) {
  if (read_cache(m, j)) return;
  m->condition = all ? find_condition(l, m) : NAN;
  CHECK_OK(l->ctx, tni_trials_find_reference(j, NULL, tolerance[0], tolerance[NTOL-1]));
  write_cache(m, j);
}

static void run_model(study_model *m) {
  loaded l;
  tni_trials j;
  tni_arena arena;
  load_model(m, &l);
  for (int i = 0; i < METHODS_MAX; i++)
    for (int k = 0; k < NTOL; k++) m->ratio[i][k] = NAN;
  tni_arena_init(&arena, l.ctx);
  tn_run_opts o = {.until = m->until};
  CHECK_OK(l.ctx, tni_trials_prepare(&j, l.ctx, &arena, l.model, &o, limit, NTIME));
  find_reference(m, &l, &j);
  m->uncertainty = j.ref.uncertainty;
  for (int i = 0; i < nmethod; i++) {
    if (i%pieces != piece - 1 || (only_method && !is_named(only_method, methods[i]->name))) continue;
    if (!all && methods[i]->order == 2) continue;
    bool cut = false;
    for (int k = 0; k < NTOL && !cut; k++) {
      if (!all && k != 1 && k != 3) continue;
      if (!(j.ref.uncertainty <= GOOD_REFERENCE*tolerance[k])) continue;
      tn_compare_row row;
      tni_trials_begin_row(&row, methods[i]->name, tolerance[k]);
      double seconds = methods[i]->order == 2 ? limit/4 : limit;
      CHECK_OK(l.ctx, tni_trials_run_once(&j, seconds, &row, j.trial));
      cut = row.outcome == TN_COMPARE_CUT || row.outcome == TN_COMPARE_REFUSED;
      if (row.outcome == TN_COMPARE_FAILED) {
        CHECK(row.outcome != TN_COMPARE_FAILED);
        printf("  %s, %s at %.0e: %s\n", m->name, row.method, row.tolerance, row.why);
      }
      if (row.outcome != TN_COMPARE_DONE) continue;
      tni_trials_measure(&j, j.trial, j.reference, &row);
      m->ratio[i][k] = row.error/tolerance[k];
      m->steps[i][k] = row.steps;
      if (!CHECK(m->ratio[i][k] <= ACCEPTED))
        printf("  %s, %s at %.0e: %.3g tolerances\n", m->name, row.method, tolerance[k],
               m->ratio[i][k]);
    }
  }
  tni_arena_clear(&arena);
  unload(&l);
}

static void print_model(const study_model *m) {
  fprintf(table, "| %s, %.3g s | %.2g |", m->name, m->until, m->condition);
  for (int k = 0; k < NTOL + 1; k++) fprintf(table, " |");
  fprintf(table, "\n");
  for (int i = 0; i < nmethod; i++) {
    bool empty = true;
    for (int k = 0; k < NTOL; k++) empty = empty && isnan(m->ratio[i][k]);
    if (empty) continue;
    fprintf(table, "| | %s |", methods[i]->name);
    for (int k = 0; k < NTOL; k++) {
      if (isnan(m->ratio[i][k])) fprintf(table, " |");
      else fprintf(table, " %.2g |", m->ratio[i][k]);
    }
    fprintf(table, " %ld |\n", m->steps[i][3]);
  }
  fflush(table);
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* error/tolerance of all runs of a method, increasing; *worst: model and tolerance of the largest */
static int collect(int method, int from, int to, double *list, int worst[2]) {
  int n = 0;
  double largest = -1;
  for (int m = from; m < to; m++)
    for (int k = 0; k < NTOL; k++) {
      double r = models[m].ratio[method][k];
      if (isnan(r)) continue;
      if (r > largest) largest = r, worst[0] = m, worst[1] = k;
      list[n++] = r;
    }
  qsort(list, (size_t)n, sizeof(double), compare_numbers);
  return n;
}

/* No share but that of rk45 was chosen with the others: their medians are shown, and held to a third. */
static void summarize(const char *what, int from, int to) {
  if (table)
    fprintf(table, "\n%s\n\n| method | runs | least | median | largest | where |\n|---|---|---|---|---|---|\n", what);
  for (int i = 0; i < nmethod; i++) {
    double list[MODELS_MAX*NTOL];
    int worst[2], n = collect(i, from, to, list, worst);
    if (n == 0) continue;
    if (table)
      fprintf(table, "| %s | %d | %.2g | %.3g | %.2g | %s at %.0e |\n", methods[i]->name, n, list[0],
              list[n/2], list[n-1], models[worst[0]].name, tolerance[worst[1]]);
    if (all && !only_model && !CHECK(list[n/2] >= MEDIAN/(from ? 3 : 1)))
      printf("  %s: median %.2g\n", methods[i]->name, list[n/2]);
  }
}

static void the_error_is_the_tolerance(void) {
  if (table)
    fprintf(table, "| model | method; condition | 1e-03 | 1e-04 | 1e-05 | 1e-06 | 1e-07 | 1e-08 | steps at "
            "1e-06 |\n|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < nmodel; i++) {
    study_model *m = &models[i];
    for (int k = 0; k < METHODS_MAX*NTOL; k++) m->ratio[k/NTOL][k%NTOL] = NAN;
    if (only_model && !is_named(only_model, m->name)) continue;
    if ((only_others && (i < nchosen || i >= nlooked)) || (only_held_out && i < nlooked)) continue;
    if (!all && (i >= nchosen || (i%9 != 0 && i < nchosen - 1))) continue;
    run_model(m);
    if (table) print_model(m);
  }
  summarize("Models that shares were chosen with:", 0, nchosen);
  summarize("Models that no share but that of rk45 was chosen with:", nchosen, nlooked);
  summarize("Models held out:", nlooked, nmodel);
  CHECK(nchosen >= 40);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    bool print = strcmp(argv[i], "--table") == 0, more = i + 1 < argc;
    if (print) table = stdout;
    only_others = only_others || strcmp(argv[i], "--others") == 0;
    only_held_out = only_held_out || strcmp(argv[i], "--held-out") == 0;
    all = all || strcmp(argv[i], "all") == 0 || print;
    if (more && strcmp(argv[i], "--model") == 0) only_model = argv[i+1];
    if (more && strcmp(argv[i], "--method") == 0) only_method = argv[i+1];
    if (more && strcmp(argv[i], "--cache") == 0) cache = argv[i+1];
    if (more && strcmp(argv[i], "--part") == 0) CHECK(sscanf(argv[i+1], "%d/%d", &piece, &pieces) == 2 && piece > 0 && piece <= pieces);
    if (more && strcmp(argv[i], "--limit") == 0) limit = atof(argv[i+1]);
  }
  char name[64] = "verify_tolerances.md";
  if (pieces > 1) snprintf(name, sizeof(name), "verify_tolerances_%d.md", piece);
  if (all && !table) table = fopen(name, "w");
  for (int i = 0; i < tni_integrator_ntype; i++)
    if (!tni_integrator_types[i]->fixed_step && !tni_integrator_types[i]->needs_technique)
      methods[nmethod++] = tni_integrator_types[i];
  add_models();
  add_other_models();
  add_held_out();
  RUN(the_error_is_the_tolerance);
  for (int i = 0; i < nmodel; i++) free(models[i].text);
  if (table && table != stdout) fclose(table);
  return REPORT();
}
