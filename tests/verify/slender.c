/* verification of slender beams: statics, modes and critical loads keep their digits whatever the
 * slenderness L/r and the mesh
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "support/loaded.h"

static const double PI = 3.14159265358979323846;
static tn_summary sum; /* large */
static char text[4096];
static bool all; /* argument: every mesh, number of steps and slenderness with every other */

/* run the text; last position of a node where asked for */
static void run(const char *node, double tip[3]) {
  loaded l;
  char path[64], name[64];
  snprintf(path, sizeof(path), "/tmp/tenon-slender-%d.h5", (int)getpid());
  load_text(&l, text);
  tn_run_opts o = {.results = node ? path : "", .overwrite = true};
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
  if (node) {
    tn_results *r;
    snprintf(name, sizeof(name), "bodies/%s/position", node);
    CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
    long rows = tn_results_ntime(r);
    double *x = malloc((size_t)rows*3*sizeof(double));
    CHECK_OK(l.ctx, tn_results_read(r, tn_results_find(r, name), NULL, x));
    memcpy(tip, x + 3*(rows - 1), 3*sizeof(double));
    free(x);
    tn_results_close(&r);
    remove(path);
  }
  unload(&l);
}

/* length 1, EI = 1, slenderness L/r, clamped at x = 0 */
static void cantilever(const char *element, int n, double slender, const char *rest) {
  double EA = slender*slender;
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, element: %s, EA: %.17g,\n"
           "  GA: %.17g, EI: 1, GJ: 1, rhoA: 1, rhoI: %.17g, start: ground}}\n%s",
           n, element, EA, EA, 1/EA, rest);
}

/* ---- statics ------------------------------------------------------------------------------- */

/* elastica from the tip with the angle `end` there: theta'' = -P cos(theta), theta'(1) = 0 */
static void shoot(double P, double end, double y[4]) {
  enum { STEPS = 400 };
  double h = -1.0/STEPS;
  double x[4] = {end, 0, 0, 0};
  for (int i = 0; i < STEPS; i++) {
    double k[4][4], z[4];
    for (int s = 0; s < 4; s++) {
      double c = s == 0 ? 0 : s == 3 ? 1 : 0.5;
      for (int j = 0; j < 4; j++) z[j] = x[j] + (s ? c*h*k[s-1][j] : 0);
      k[s][0] = z[1], k[s][1] = -P*cos(z[0]), k[s][2] = cos(z[0]), k[s][3] = sin(z[0]);
    }
    for (int j = 0; j < 4; j++) x[j] += h/6*(k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j]);
  }
  memcpy(y, x, sizeof(x));
}

static void elastica(double P, double *x, double *z) {
  double low = 0, high = 0.5*PI, y[4];
  for (int i = 0; i < 50; i++) {
    double end = 0.5*(low + high);
    shoot(P, end, y);
    *(y[0] < 0 ? &low : &high) = end;
  }
  *x = -y[2];
  *z = -y[3];
}

/* End load 10 EI/L^2 in ten steps: about four iterations each, from slenderness 100 to 1e5, and the tip
 * of the elastica, 1/(4 n^2) too stiff with two-node elements. */
static void cantilevers_bend_at_any_slenderness(void) {
  static const struct {
    const char *element;
    int n;
    double off;
  } mesh[] = {{"exact", 4, 3e-2}, {"exact", 20, 2e-3}, {"exact", 100, 1e-4}, {"quadratic", 5, 1e-3},
              {"quadratic", 50, 1e-6}};
  double x, z;
  elastica(10, &x, &z);
  int turn = 0;
  for (double slender = 1e3; slender < 2e5; slender *= 10)
    for (int i = 0; i < TNI_COUNT(mesh); i++) {
      if (!all && turn++ % 2) continue;
      double tip[3];
      char node[32];
      bool three = strcmp(mesh[i].element, "quadratic") == 0;
      snprintf(node, sizeof(node), "b.node[%d]", (three ? 2 : 1)*mesh[i].n);
      cantilever(mesh[i].element, mesh[i].n, slender,
                 "forces: {p: {type: force, body: b.end, force: [0, 0, \"10*t\"]}}\n"
                 "analysis: {type: statics, load_steps: 10}\n");
      run(node, tip);
      CHECK(hypot(tip[0] - x, tip[2] - z) < mesh[i].off + 20/(slender*slender));
      CHECK(sum.iterations <= 60);
      CHECK_INT(sum.unstable, 0);
      CHECK(sum.residual < 1e-3); /* of the forces: what rounding of positions leaves of EA */
    }
}

/* the curved cantilever of 45 degrees: all of its load in one step as well as in six */
static void curved_cantilever_needs_few_iterations(void) {
  for (int steps = 1; steps <= 6; steps += 5) {
    double tip[3];
    snprintf(text, sizeof(text),
             "beams: {b: {curve: arc, start: ground, elements: 8, element: quadratic,\n"
             "  points: [[0, 0, 0], [%.17g, %.17g, 0], [%.17g, %.17g, 0]],\n"
             "  EA: 1e7, GA: 5e6, EI: 1e7/12, GJ: 0.5e7/6, rhoA: 1, rhoI: 1}}\n"
             "forces: {p: {type: force, body: b.end, force: [0, 0, \"600*t\"]}}\n"
             "analysis: {type: statics, load_steps: %d}\n",
             100*(1 - cos(PI/8)), 100*sin(PI/8), 100*(1 - cos(PI/4)), 100*sin(PI/4), steps);
    run("b.node[16]", tip);
    CHECK_NEAR(tip[0], 15.79, 0.1);
    CHECK_NEAR(tip[1], 47.23, 0.1);
    CHECK_NEAR(tip[2], 53.37, 0.1);
    CHECK(sum.iterations <= (steps == 1 ? 20 : 40));
    CHECK(sum.residual < 1e-10);
  }
}

/* up to nearly half a turn in every element, in one load step: the exact arc */
static void elements_turn_by_half_a_turn(void) {
  for (int n = 1; n <= 2; n++)
    for (double turn = 2.0; turn < 3.2; turn += 0.28) {
      char rest[256], node[32];
      double tip[3], angle = n*turn;
      snprintf(rest, sizeof(rest),
               "forces: {p: {type: torque, body: b.end, torque: [0, 0, \"%.17g*t\"]}}\n"
               "analysis: {type: statics, load_steps: 1}\n", angle);
      cantilever("exact", n, 100, rest);
      snprintf(node, sizeof(node), "b.node[%d]", n);
      run(node, tip);
      CHECK_NEAR(tip[0], sin(angle)/angle, 1e-9);
      CHECK_NEAR(tip[1], (1 - cos(angle))/angle, 1e-9);
      CHECK_NEAR(tip[2], 0, 1e-9);
    }
}

/* nodes of a cable are points: nothing is left that turns freely, and the stretched cable hangs stable */
static void cables_leave_nothing_free(void) {
  snprintf(text, sizeof(text),
           "gravity: [0, 0, -9.81]\nground: {points: {a: [0, 0, 0], b: [3, 0, 0]}}\n"
           "cables: {c: {from: ground.a, to: ground.b, elements: 40, length: 2.9, EA: 1e5, rhoA: 0.5}}\n"
           "analysis: {type: statics}\n");
  run(NULL, NULL);
  CHECK_INT(sum.free, 0);
  CHECK_INT(sum.unstable, 0);
}

static int warnings;
static void count_incremental(void *user, tn_log_level level, const char *message) {
  (void)user;
  warnings += level == TN_LOG_WARNING && strstr(message, "beam 'b'") && strstr(message, "incremental");
}

/* strains that are added up depend on the load steps: said once, by the name of the beam */
static void incremental_beams_are_warned_of(void) {
  static const char *const kind[2] = {"exact", "incremental"};
  for (int i = 0; i < 2; i++) {
    tn_ctx *ctx;
    tn_spec *spec;
    tn_model *model;
    char whole[4200];
    tn_ctx_opts o = {.log = count_incremental};
    warnings = 0;
    cantilever(kind[i], 5, 100, "forces: {p: {type: force, body: b.end, force: [0, 0, \"t\"]}}\n"
                                "analysis: {type: statics, load_steps: 2}\n");
    snprintf(whole, sizeof(whole), "tenon: 1\n%s", text);
    CHECK_OK(NULL, tn_ctx_create(&o, &ctx));
    CHECK_OK(ctx, tn_spec_read_text(ctx, "test", whole, NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
    CHECK_OK(ctx, tn_run(ctx, model, &(tn_run_opts){.results = ""}, &sum));
    CHECK_INT(warnings, i);
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

/* ---- modes --------------------------------------------------------------------------------- */

/* A clamped beam of 1000 three-node elements: ten digits of the closed form, and of the two planes alike;
 * the assembled stiffness has four at L/r = 1e4, and at 1e5 it calls bending rigid. */
static void modes_keep_their_digits(void) {
  static const double beta[3] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  const int meshes[2] = {40, all ? 1000 : 400};
  for (double slender = 1e4; slender < 2e5; slender *= 10)
    for (int m = 0; m < (all || slender > 5e4 ? 2 : 1); m++) {
      cantilever("quadratic", meshes[m], slender, "analysis: {type: modes, modes: 6}\n");
      run(NULL, NULL);
      CHECK_INT(sum.modes_rigid, 0);
      CHECK_INT(sum.modes, 6);
      for (int i = 0; i < 3; i++) {
        /* rotary inertia and shear: of the size of (beta r/L)^2 */
        double off = !m ? 2e-5 : all ? 1e-9 : 3e-9, thick = 20*pow(beta[i]/slender, 2);
        CHECK_NEAR(sum.mode[2*i].im/(beta[i]*beta[i]), 1, off + thick);
        CHECK_NEAR(sum.mode[2*i + 1].im/sum.mode[2*i].im, 1, 1e-11);
        CHECK(sum.mode[2*i].off_by > 0 && sum.mode[2*i].off_by < 1e-8);
      }
    }
}

/* free in space: six rigid motions and no more */
static void free_beams_have_six_rigid_motions(void) {
  for (int n = 10; n <= 200; n *= 20) {
    snprintf(text, sizeof(text),
             "beams: {b: {from: [0, 0, 0], to: [0.6, 0, 0.8], elements: %d, EA: 1e10, GA: 1e10, EI: 1,\n"
             "  GJ: 1, rhoA: 1, rhoI: 1e-10}}\nanalysis: {type: modes, modes: 8}\n", n);
    run(NULL, NULL);
    CHECK_INT(sum.modes_rigid, 6);
    CHECK_NEAR(sum.mode[6].im/pow(4.730040744862704, 2), 1, 10.0/(n*n));
  }
}

/* ---- critical loads ------------------------------------------------------------------------ */

/* Euler's column: the load does not depend on the slenderness, nor on the steps */
static void columns_buckle_at_one_load(void) {
  static const int steps[3] = {5, 11, 30};
  double first = 0;
  for (double slender = 100; slender < 2e5; slender *= 1000)
    for (int i = 0; i < 3; i++) {
      char rest[256];
      snprintf(rest, sizeof(rest),
               "forces: {p: {type: force, body: b.end, force: [\"-t\", 0, 0]}}\n"
               "analysis: {type: statics, load_steps: %d, until: 4.5, arc_length: true}\n", steps[i]);
      cantilever("quadratic", 8, slender, rest);
      run(NULL, NULL);
      CHECK_INT(sum.criticals, 2); /* both planes */
      if (first == 0) first = sum.critical[0].load;
      for (int k = 0; k < 2; k++) {
        CHECK_TEXT(sum.critical[k].kind, "bifurcation");
        CHECK_NEAR(sum.critical[k].load/first, 1, slender > 1e3 ? 2e-5 : 1e-7);
      }
      CHECK_INT(sum.unstable, 2);
    }
  CHECK_NEAR(first, PI*PI/4, 2e-3);
}

/* The right-angle frame under a load pushed inward or pulled outward (J. C. Simo, L. Vu-Quoc 1986: 1.088
 * and 0.680): whatever the number of steps the first bifurcation is found, left, and the path ends
 * stable. */
static void frames_buckle_at_one_load(void) {
  static const struct {
    const char *load;
    double critical;
  } side[2] = {{"t", 1.088}, {"-t", 0.680}};
  static const int steps[5] = {4, 7, 10, 23, 40};
  for (int i = 0; i < 2; i++) {
    double first = 0;
    for (int k = 0; k < TNI_COUNT(steps); k++) {
      if (!all && k % 2 != i) continue;
      snprintf(text, sizeof(text),
               "beams:\n"
               "  a: {from: [0, 0, 0], to: [240, 0, 0], elements: 10, start: ground, up: z,\n"
               "      section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1e-6}}\n"
               "  b: {from: a.end, to: [240, -240, 0], elements: 10, up: z,\n"
               "      section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1e-6}}\n"
               "forces:\n  tip: {type: force, body: b.end, force: [\"%s\", 0, 0]}\n"
               "analysis: {type: statics, load_steps: %d, until: 2, arc_length: true,\n"
               "           branch: switch}\n", side[i].load, steps[k]);
      run(NULL, NULL);
      CHECK(sum.criticals >= 1);
      CHECK_TEXT(sum.critical[0].kind, "bifurcation");
      if (first == 0) first = sum.critical[0].load;
      CHECK_NEAR(sum.critical[0].load/first, 1, 1e-7);
      CHECK_INT(sum.unstable, 0);
      CHECK_NEAR(sum.t_end, 2, 1e-12);
    }
    CHECK_NEAR(first, side[i].critical, 5e-3);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(cantilevers_bend_at_any_slenderness);
  RUN(curved_cantilever_needs_few_iterations);
  RUN(elements_turn_by_half_a_turn);
  RUN(cables_leave_nothing_free);
  RUN(incremental_beams_are_warned_of);
  RUN(modes_keep_their_digits);
  RUN(free_beams_have_six_rigid_motions);
  RUN(columns_buckle_at_one_load);
  RUN(frames_buckle_at_one_load);
  return REPORT();
}
