/* tests/verify/beam_examples.c - statics and modes of beams as a user runs them: model files in, results
 * files and summaries out
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "support/loaded.h"

static const double PI = 3.14159265358979323846;
static bool everything; /* argument: the largest models */
static char text[4096];
static tn_summary sum; /* large */

static const char *results(void) {
  static char path[64];
  snprintf(path, sizeof(path), "/tmp/tenon-beam-examples-%d.h5", (int)getpid());
  return path;
}

/* run, leave the summary; x: last row of a channel with n components, or NULL */
static void run_model(loaded *l, const char *channel, int n, double *x) {
  tn_run_opts o = {.results = x ? results() : "", .overwrite = true};
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, &sum));
  if (!x) return;
  tn_results *r;
  CHECK_OK(l->ctx, tn_results_open(l->ctx, results(), &r));
  long rows = tn_results_ntime(r);
  double *all = malloc((size_t)rows*(size_t)n*sizeof(double));
  CHECK_OK(l->ctx, tn_results_read(r, tn_results_find(r, channel), NULL, all));
  memcpy(x, all + (size_t)(rows - 1)*(size_t)n, (size_t)n*sizeof(double));
  free(all);
  tn_results_close(&r);
  remove(results());
}

static void run_example(const char *file, const char *set, const char *channel, int n, double *x) {
  loaded l;
  char path[128];
  snprintf(path, sizeof(path), "examples/%s", file);
  load_file(&l, path, set);
  run_model(&l, channel, n, x);
  unload(&l);
}

static void run_text(const char *channel, int n, double *x) {
  loaded l;
  load_text(&l, text);
  run_model(&l, channel, n, x);
  unload(&l);
}

/* ---- statics ------------------------------------------------------------------------------- */

/* node k on the circle of radius L/(2 pi turns), the tip at the clamp */
static void cantilevers_roll_up_to_circles(void) {
  for (int turns = 1; turns <= 2; turns++)
    for (int k = 4; k <= 8; k += 4) {
      char set[32], channel[64];
      double x[3], a = 2*PI*turns*k/8, R = 10/(2*PI*turns);
      snprintf(set, sizeof(set), "turns=%d", turns);
      snprintf(channel, sizeof(channel), "bodies/strip.node[%d]/position", k);
      run_example("beams/roll_up.yaml", set, channel, 3, x);
      CHECK_WITHIN(x[0]/10, R*sin(a)/10, 1e-10);
      CHECK_WITHIN(x[1]/10, R*(1 - cos(a))/10, 1e-10);
      CHECK_NEAR(x[2]/10, 0, 1e-12);
    }
}

static void curved_cantilever_meets_the_published_tip(void) {
  double x[3];
  run_example("beams/curved_cantilever.yaml", NULL, "bodies/bow.node[16]/position", 3, x);
  CHECK_NEAR(x[0], 15.79, 0.01); /* relative */
  CHECK_NEAR(x[1], 47.23, 0.01);
  CHECK_NEAR(x[2], 53.37, 0.01);
}

/* the bifurcation, and the elastica at P = 4 beyond it: K(k) = sqrt(P/EI) L = 2, tip at 2 E/K - 1 and
 * 2 k/K of the length */
static void column_buckles_and_goes_on(void) {
  double x[3];
  run_example("beams/column.yaml", NULL, "bodies/column.node[24]/position", 3, x);
  CHECK_INT(sum.criticals, 1);
  CHECK_TEXT(sum.critical[0].kind, "bifurcation");
  CHECK(fabs(sum.critical[0].load/(PI*PI/4) - 1) < 2e-5);
  CHECK_INT(sum.unstable, 0);
  double low = 0, high = 0.999, K = 0, E = 0;
  for (int i = 0; i < 60; i++) {
    double k = 0.5*(low + high), a = 1, b = sqrt(1 - k*k), c = k, s = 0.5*c*c, power = 1;
    while (fabs(c) > 1e-16) {
      double next = 0.5*(a + b);
      c = 0.5*(a - b), b = sqrt(a*b), a = next;
      s += power*c*c;
      power *= 2;
    }
    K = PI/(2*a);
    E = K*(1 - s);
    *(K < 2 ? &low : &high) = k;
  }
  CHECK_NEAR(x[1], 2*E/K - 1, 2e-4);
  CHECK_NEAR(fabs(x[0]), 2*low/K, 2e-4);
}

/* 1.088 by Simo and Vu-Quoc, from a computation with a perturbation; here the bifurcation itself, and the
 * branch up to twice the load without a failed step */
static void frame_buckles_sideways_and_goes_on(void) {
  double x[3];
  run_example("statics/right_angle_frame.yaml", NULL, "bodies/arm.node[10]/position", 3, x);
  CHECK_INT(sum.criticals, 1);
  CHECK(fabs(sum.critical[0].load/1.088 - 1) < 0.01);
  CHECK_NEAR(sum.t_end, 2, 1e-12);
  CHECK(fabs(x[2]) > 40); /* far out of the plane */
  CHECK_INT(sum.unstable, 0);
}

/* A thousand elements: what holds with dense matrices holds with sparse ones. Uniform load on a
 * cantilever in small and large deflection; limits: the handbook, and 20 elements of the same kind. */
static void large_models_have_equilibria_too(void) {
  const int many = everything ? 500 : 200;
  char node[64];
  double x[2][3];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof(text),
             "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, element: quadratic, start: ground,\n"
             "  EA: 1e4, GA: 4e3, EI: 1, GJ: 1, rhoA: 1, rhoI: 1e-4}}\n"
             "forces: {q: {type: beam_load, beam: b, force: [0, 0, \"8*t\"]}}\n"
             "analysis: {type: statics, until: 1, load_steps: 2}\n", i ? many : 20);
    snprintf(node, sizeof(node), "bodies/b.node[%d]/position", 2*many);
    run_text(i ? node : "bodies/b.node[40]/position", 3, x[i]);
    CHECK_INT(sum.unstable, 0);
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(x[1][k], x[0][k], 2e-5);
  CHECK(x[1][2] > 0.6); /* a large deflection */
}

/* Euler's load from a model of 150 elements (900 velocities), with its branch */
static void large_models_bifurcate_too(void) {
  double x[3];
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 150, start: ground,\n"
           "  EA: 1e5, GA: 1e5, EI: [1, 2], GJ: 1, rhoA: 1, rhoI: 1e-4}}\n"
           "forces: {p: {type: force, body: b.end, force: [\"-t\", 0, 0]}}\n"
           "analysis: {type: statics, until: 3, load_steps: 6, arc_length: true, branch: switch}\n");
  run_text("bodies/b.node[150]/position", 3, x);
  CHECK(sum.criticals >= 1);
  CHECK_TEXT(sum.critical[0].kind, "bifurcation");
  CHECK(fabs(sum.critical[0].load/(PI*PI/4) - 1) < 2e-4);
  CHECK_NEAR(sum.t_end, 3, 1e-12);
  CHECK(fabs(x[2]) > 0.3); /* bent about the soft axis y */
  CHECK(fabs(x[1]) < 1e-6);
}

/* ---- rigid and flexible by one keyword ----------------------------------------------------- */

/* an example with `element: rigid` in place of its `element: exact` */
static void make_rigid(const char *file) {
  char path[512], *at;
  snprintf(path, sizeof(path), "%s/examples/%s", TENON_SOURCE_DIR, file);
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
  CHECK(n > 0);
  text[n] = 0;
  if (f) fclose(f);
  while ((at = strstr(text, "element: exact"))) memcpy(at, "element: rigid", 14);
  while ((at = strstr(text, "tenon: 1\n"))) memset(at, ' ', 8); /* load_text writes it */
}

/* position of the tip and torque of the root drive at all rows */
static long path_and_torque(loaded *l, double *x, double *T) {
  tn_results *r;
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &(tn_run_opts){.results = results(), .overwrite = true}, &sum));
  CHECK_OK(l->ctx, tn_results_open(l->ctx, results(), &r));
  long n = tn_results_ntime(r);
  double *wrench = malloc((size_t)n*6*sizeof(double));
  CHECK_INT(n, 201);
  CHECK_OK(l->ctx, tn_results_read(r, tn_results_find(r, "sensors/d.end.position"), NULL, x));
  CHECK_OK(l->ctx, tn_results_read(r, tn_results_find(r, "sensors/turn.reaction"), NULL, wrench));
  for (long i = 0; i < n; i++) T[i] = wrench[6*i + 5];
  free(wrench);
  tn_results_close(&r);
  remove(results());
  return n;
}

static void manipulators_go_the_same_way_with_other_torques(void) {
  static double x[2][3*201], T[2][201];
  loaded l;
  load_file(&l, "examples/beams/manipulator.yaml", NULL);
  long n = path_and_torque(&l, x[0], T[0]);
  unload(&l);
  make_rigid("beams/manipulator.yaml");
  load_text(&l, text);
  path_and_torque(&l, x[1], T[1]);
  unload(&l);
  double path = 0, largest = 0, other = 0;
  for (long i = 0; i < n; i++) {
    double t = 0.1*(double)i, want = 240 - 60*(t/20 - sin(2*PI*t/20)/(2*PI));
    for (int k = 0; k < 2; k++) path = fmax(path, hypot(x[k][3*i] - want, x[k][3*i + 1]));
    largest = fmax(largest, fabs(T[1][i]));
    other = fmax(other, fabs(T[0][i] - T[1][i]));
  }
  printf("manipulator: path %.1e, largest torque %.4g rigid, flexible differs by %.4g\n", path, largest, other);
  CHECK(path < 1e-9);
  CHECK(other > 0.1*largest && other < 0.5*largest);
}

/* the rigid beam is the limit of stiff ones, in both representations */
static void rigid_beams_are_the_stiff_limit(void) {
  double x[3][3];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof(text),
             "gravity: [0, 0, -9.81]\n"
             "beams: {b: {from: [0, 0, 0], to: [1, 0.5, 0], elements: 4, element: %s, angular_velocity: [0, 0, 3],\n"
             "  EA: 1e9, GA: 1e9, EI: 1e8, GJ: 1e8, rhoA: 1, rhoI: 1e-3}}\n"
             "joints: {p: {type: spherical, bodies: [ground, b.start], at: [0, 0, 0]}}\n"
             "forces: {f: {type: force, body: b.end, force: [0, 0, 2]}}\n"
             "analysis: {until: 0.5, %s}\n", i ? "rigid" : "exact",
             i == 0 ? "method: energy_momentum, step: 0.001" : i == 1 ? "method: rk8, representation: joint, tolerance: 1e-9"
                                                               : "method: rk8, representation: cartesian, tolerance: 1e-9");
    run_text("bodies/b.node[4]/position", 3, x[i]);
  }
  for (int k = 0; k < 3; k++) {
    CHECK_NEAR(x[2][k], x[1][k], 1e-7);
    CHECK_NEAR(x[0][k], x[1][k], 2e-5);
  }
}

/* ---- the mast ------------------------------------------------------------------------------ */

/* ten bays, nine hinges that lock, a payload that meets its stop: events inside nearly every bay's motion, and
 * the balance of energy is rounding wherever it is looked at */
static void mast_unfolds_and_keeps_its_energy(void) {
  double x[3];
  run_example("beams/mast.yaml", NULL, "bodies/payload/position", 3, x);
  CHECK_INT(sum.latches, 9);
  CHECK(sum.events >= 10);
  CHECK(sum.energy_error < 1e-12*sum.energy_scale);
  CHECK(fabs(x[0] - 9.9) < 0.1); /* unfolded, at its stop */
}

/* ---- modes --------------------------------------------------------------------------------- */

static double nth(int i) { return hypot(sum.mode[i].re, sum.mode[i].im); }

/* first and second frequency out of the plane of rotation, which are those along z */
static void along_z(double out[2]) {
  int n = 0;
  out[0] = out[1] = 0;
  for (int i = 0; i < sum.modes && i < TN_SUMMARY_MODES && n < 2; i++)
    if (strstr(sum.mode[i].name, "along z")) out[n++] = nth(i);
}

static void spinning_blades_stiffen_as_published(void) {
  static const double want[3][3] = {{0, 3.5160, 22.0345}, {2, 4.1373, 22.6149}, {10, 11.2023, 33.6404}};
  for (int i = 1; i < 3; i++) {
    char set[32];
    double w[2];
    snprintf(set, sizeof(set), "speed=%g", want[i][0]);
    run_example("beams/spinning.yaml", set, NULL, 0, NULL);
    along_z(w);
    CHECK(fabs(w[0]/want[i][1] - 1) < 1e-4);
    CHECK(fabs(w[1]/want[i][2] - 1) < 1e-4);
  }
  /* the same from a large model, by sparse factorizations of the gyroscopic pencil */
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 60, element: quadratic, start: ground,\n"
           "  EA: 1e6, GA: 1e6, EI: 1, GJ: 1, rhoA: 1, rhoI: 1e-7}}\n"
           "analysis: {type: modes, spin: [0, 0, 10], modes: 6}\n");
  run_text(NULL, 0, NULL);
  double w[2];
  along_z(w);
  CHECK(fabs(w[0]/want[2][1] - 1) < 1e-4);
  CHECK(fabs(w[1]/want[2][2] - 1) < 1e-4);
  CHECK_NEAR(nth(0), sqrt(w[0]*w[0] - 100), 1e-4); /* in the plane: w^2 - Omega^2 */
}

/* taut, loaded beam: a column below its Euler load P has w^2 = w0^2 (1 - P/P_c) nearly, a closed form for
 * pinned ends: w^2 = (pi/l)^2 (EI (pi/l)^2 - P)/rhoA */
static void loaded_columns_lose_their_frequency(void) {
  for (int n = 24; n <= 120; n += 96) {
    double P = 5;
    snprintf(text, sizeof(text),
             "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, element: quadratic,\n"
             "  EA: 1e6, GA: 1e6, EI: 1, GJ: 1, rhoA: 1, rhoI: 1e-7}}\n"
             "joints:\n"
             "  a: {type: spherical, bodies: [ground, b.start], at: [0, 0, 0]}\n"
             "  r: {type: inplane, body: b.end, point: [1, 0, 0], on: ground, axis: y}\n"
             "  s: {type: inplane, body: b.end, point: [1, 0, 0], on: ground, axis: z}\n"
             "forces:\n"
             "  p: {type: force, body: b.end, force: [%g, 0, 0]}\n"
             "analysis: {type: modes, modes: 4}\n", n, -P);
    run_text(NULL, 0, NULL);
    double want = PI*sqrt(PI*PI - P);
    CHECK_INT(sum.modes_rigid, 1); /* it may turn about its own axis */
    CHECK(fabs(nth(1)/want - 1) < 2e-4);
    CHECK(fabs(nth(2)/want - 1) < 2e-4);
  }
}

/* free in space, 110 elements with material damping d: six rigid motions, then pairs of bending modes
 * with w = beta^2 and damping d w/2 */
static void large_free_beams_have_their_pairs_and_damping(void) {
  static const double beta[2] = {4.730040744862704, 7.853204624095838};
  for (int damped = 0; damped < 2; damped++) {
    snprintf(text, sizeof(text),
             "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 110, EA: 1e6, GA: 1e6, EI: 1, GJ: 1,\n"
             "  rhoA: 1, rhoI: 1e-6, damping: %g}}\n"
             "analysis: {type: modes, modes: 10}\n", damped*1e-3);
    run_text(NULL, 0, NULL);
    CHECK_INT(sum.modes, 10);
    CHECK_INT(sum.modes_rigid, 6);
    CHECK_INT(sum.modes_unstable, 0);
    for (int i = 6; i < 10; i++) {
      double want = beta[(i - 6)/2]*beta[(i - 6)/2];
      CHECK(fabs(nth(i)/want - 1) < 2e-3); /* lumped masses, order 2 */
      CHECK_NEAR(sum.mode[i].damping, damped*1e-3*nth(i)/2, 1e-6);
    }
  }
}

int main(int argc, char **argv) {
  everything = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(cantilevers_roll_up_to_circles);
  RUN(curved_cantilever_meets_the_published_tip);
  RUN(column_buckles_and_goes_on);
  RUN(frame_buckles_sideways_and_goes_on);
  RUN(large_models_have_equilibria_too);
  RUN(large_models_bifurcate_too);
  RUN(manipulators_go_the_same_way_with_other_torques);
  RUN(rigid_beams_are_the_stiff_limit);
  RUN(mast_unfolds_and_keeps_its_energy);
  RUN(spinning_blades_stiffen_as_published);
  RUN(loaded_columns_lose_their_frequency);
  RUN(large_free_beams_have_their_pairs_and_damping);
  return REPORT();
}
