/* verification of critical loads and of what comes after them, on beams
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "support/loaded.h"

static const double PI = 3.14159265358979323846;

/* complete elliptic integrals by the arithmetic-geometric mean */
static void elliptic(double k, double *K, double *E) {
  double a = 1, b = sqrt(1 - k*k), c = k, sum = 0.5*c*c, power = 1;
  while (fabs(c) > 1e-16) {
    double next = 0.5*(a + b);
    c = 0.5*(a - b);
    b = sqrt(a*b);
    a = next;
    sum += power*c*c;
    power *= 2;
  }
  *K = PI/(2*a);
  *E = *K*(1 - sum);
}

static tn_summary sum; /* large */

static void euler_column(int n, double tip[3], double *load) {
  char text[1024], path[64], name[32];
  loaded l;
  snprintf(path, sizeof(path), "/tmp/tenon-buckling-%d.h5", (int)getpid());
  snprintf(text, sizeof(text),
           "planar: true\n"
           "beams:\n"
           "  b: {from: [0, 0], to: [1, 0], elements: %d, start: ground, EA: 1e6, GA: 1e6, EI: 1,\n"
           "      rhoA: 1, rhoI: 1e-4}\n"
           "forces:\n  tip: {type: force, body: \"b.node[%d]\", force: [\"-t\", 0, 0]}\n"
           "analysis: {type: statics, load_steps: 20, until: 4, arc_length: true, branch: switch}\n",
           n, n);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = path, .overwrite = true}, &sum));
  CHECK_INT(sum.criticals, 1);
  CHECK_TEXT(sum.critical[0].kind, "bifurcation");
  CHECK_INT(sum.unstable, 0);
  *load = sum.critical[0].load;
  tn_results *r;
  CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
  long rows = tn_results_ntime(r);
  double *x = malloc((size_t)rows*3*sizeof(double));
  snprintf(name, sizeof(name), "bodies/b.node[%d]/position", n);
  CHECK_OK(l.ctx, tn_results_read(r, tn_results_find(r, name), NULL, x));
  memcpy(tip, x + 3*(rows - 1), 3*sizeof(double));
  free(x);
  tn_results_close(&r);
  remove(path);
  unload(&l);
}

/* Cantilever: pi^2 EI/(4 L^2), with order 2; then the elastica at P = 4: K(k) = 2, tip at
 * x = 2 E/K - 1, y = 2 k/K of the length. */
static void column_buckles_and_follows_the_elastica(void) {
  double tip[2][3], load[2], error[2], off[2];
  double low = 0, high = 0.999, K, E;
  for (int i = 0; i < 60; i++) {
    double k = 0.5*(low + high);
    elliptic(k, &K, &E);
    *(K < 2 ? &low : &high) = k;
  }
  elliptic(low, &K, &E);
  for (int i = 0; i < 2; i++) {
    euler_column(i ? 24 : 12, tip[i], &load[i]);
    error[i] = load[i] - PI*PI/4;
    off[i] = hypot(tip[i][0] - (2*E/K - 1), fabs(tip[i][1]) - 2*low/K);
  }
  CHECK(fabs(error[1]) < 1e-3);
  CHECK_NEAR(log2(error[0]/error[1]), 2, 0.05);
  CHECK(off[1] < 2e-3);
  CHECK_NEAR(log2(off[0]/off[1]), 2, 0.1);
}

/* Right-angle frame of thin strips, clamped at one end, force in its plane at the other: it buckles out
 * of the plane. J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986): 1.088 from the
 * post-buckling computation with a perturbation load. */
static void right_angle_frame_buckles_sideways(void) {
  loaded l;
  load_text(&l, "beams:\n"
                "  a: {from: [0, 0, 0], to: [240, 0, 0], elements: 10, start: ground, up: z,\n"
                "      section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1e-6}}\n"
                "  b: {from: a.end, to: [240, -240, 0], elements: 10, up: z,\n"
                "      section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1e-6}}\n"
                "forces:\n  tip: {type: force, body: \"b.node[10]\", force: [\"t\", 0, 0]}\n"
                "analysis: {type: statics, load_steps: 20, until: 2, arc_length: true,\n"
                "           branch: switch}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
  CHECK_INT(sum.criticals, 1);
  CHECK_TEXT(sum.critical[0].kind, "bifurcation");
  CHECK(strstr(sum.critical[0].name, "along z") != NULL);
  CHECK_NEAR(sum.critical[0].load, 1.088, 0.005);
  CHECK_NEAR(sum.t_end, 2, 1e-12); /* the branch was followed to the end of the load */
  CHECK_INT(sum.unstable, 0);
  unload(&l);
}

/* load steps alone find the load too, without leaving the path */
static void load_steps_report_the_bifurcation(void) {
  loaded l;
  load_text(&l, "planar: true\n"
                "bodies:\n  rod: {mass: 1, inertia: 0.1, between: [[0, 0], [0, 2]]}\n"
                "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                "forces:\n"
                "  s: {type: torsion_spring, joint: pin, stiffness: 30}\n"
                "  load: {type: force, body: rod, point: [0, 2], force: [0, \"-t\", 0]}\n"
                "analysis: {type: statics, load_steps: 7, until: 20}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
  CHECK_INT(sum.criticals, 1);
  CHECK_NEAR(sum.critical[0].load, 15, 1e-9);
  CHECK_TEXT(sum.critical[0].kind, "bifurcation");
  CHECK_INT(sum.unstable, 1);
  CHECK_INT(sum.equilibria, 8);
  unload(&l);
}

int main(void) {
  RUN(column_buckles_and_follows_the_elastica);
  RUN(right_angle_frame_buckles_sideways);
  RUN(load_steps_report_the_bifurcation);
  return REPORT();
}
