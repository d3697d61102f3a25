/* verification of linear buckling of structures (analyses/buckling.c) against closed forms
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "support/loaded.h"

static tn_summary sum; /* large */
static const double PI = 3.14159265358979323846;

/* A plane column of length 1 and height 0.005, held in Euler's four ways by bodies and joints, which brings reactions and constraint rows
 * into the stiffness. Strains at the critical loads, which Euler leaves out, are below 2e-4. */
static void euler_columns_buckle_at_their_loads(void) {
  static const char *const held[4] = {
      "structures: {m: {mesh: m, material: a, formulation: large, thickness: 1, hold: {top: x1}}}\n"
      "supports: [{group: x0, fix: all}]\n",
      "structures: {m: {mesh: m, material: a, formulation: large, thickness: 1, hold: {foot: x0, top: x1}}}\n"
      "joints: {f: {type: revolute, bodies: [ground, foot], at: [0, 0.0025]}, "
      "t: {type: inline, bodies: [ground, top], at: [1, 0.0025], axis: x}}\n",
      "structures: {m: {mesh: m, material: a, formulation: large, thickness: 1, hold: {top: x1}}}\n"
      "supports: [{group: x0, fix: all}]\njoints: {t: {type: inline, bodies: [ground, top], at: [1, 0.0025], axis: x}}\n",
      "structures: {m: {mesh: m, material: a, formulation: large, thickness: 1, hold: {top: x1}}}\n"
      "supports: [{group: x0, fix: all}]\njoints: {t: {type: prismatic, bodies: [ground, top], at: [1, 0.0025], axis: x}}\n"};
  static const double factor[4] = {0.25, 1, 2.0457483, 4}, second[4] = {2.25, 4, 6.0468, 8.1830};
  double E = 2e11, I = 0.005*0.005*0.005/12;
  for (int k = 0; k < 4; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "planar: true\nmeshes: {m: {plate: {size: [1, 0.005], cells: [24, 1], cell: quad8}}}\n"
             "materials: {a: {type: elastic, E: 2e11, nu: 0, density: 1}}\n%s"
             "forces: [{type: force, body: top, force: [\"-1e3*t\", 0, 0]}]\n"
             "analysis: {type: buckling, modes: 2}\n", held[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK_INT(sum.modes, 2);
    for (int i = 0; i < 2; i++) {
      double want = (i ? second[k] : factor[k])*PI*PI*E*I/1e3;
      if (!CHECK_NEAR(sum.mode[i].re, want, i ? 1e-3 : 3e-4)) printf("  case %d, load %d\n", k, i);
    }
    unload(&l);
  }
}

/* from a state that carries half the critical load already: the rest of it is what is left */
static void buckling_from_a_loaded_state_leaves_the_rest(void) {
  double t[3];
  for (int k = 0; k < 3; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "planar: true\nmeshes: {m: {plate: {size: [1, 0.02], cells: [12, 1], cell: quad8}}}\n"
             "materials: {a: {type: elastic, E: 2e11, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large, thickness: 1}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, force: [\"%s\", 0, 0]}]\nanalysis: {type: buckling, modes: 1, from: %g}\n",
             k == 1 ? "-1e5 - 1e5*t" : "-1e5*t", k == 2 ? 1.5 : 0);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    t[k] = sum.mode[0].re;
    unload(&l);
  }
  CHECK_NEAR(t[1], t[0] - 1, 2e-4); /* strains of 1e-4 beside 1 */
  CHECK_NEAR(t[2], t[0], 2e-4);
}

/* what cannot be: no load that grows, equations without geometry, an equilibrium that has buckled */
/* small displacements: the stresses of the linear answer, of dead loads and of those that grow, are all that counts */
static void small_displacements_buckle_classically(void) {
  double t[2];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "planar: true\nmeshes: {m: {plate: {size: [1, 0.005], cells: [24, 1], cell: quad8}}}\n"
             "materials: {a: {type: elastic, E: 2e11, nu: 0, density: 1}}\nstructures: {m: {mesh: m, material: a, thickness: 1}}\n"
             "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [\"-1e3*t%s\", 0, 0]}]\nanalysis: {type: buckling, modes: 2}\n",
             k ? " - 700" : "");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    double E = 2e11, I = 0.005*0.005*0.005/12;
    t[k] = sum.mode[0].re;
    if (k == 0) CHECK_NEAR(sum.mode[0].re, PI*PI*E*I/4e3, 3e-4);
    if (k == 0) CHECK_NEAR(sum.mode[1].re, 9*PI*PI*E*I/4e3, 1e-3);
    unload(&l);
  }
  CHECK_NEAR(t[0] - t[1], 0.7, 2e-5); /* rounding of the stiffness along the column, by that across */
}

static void what_cannot_buckle_is_said(void) {
  static const char *const load[3] = {"-1e5", "-1e5*t", "-1e9*t"}, *const how[3] = {"large", "small", "large"},
                           *const word[3] = {"nothing changes with t", "known with 'formulation: large'", "buckled already"};
  for (int k = 0; k < 3; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "planar: %s\nmeshes: {m: {plate: {size: [1, 0.02], cells: [12, 1], cell: quad8}}}\n"
             "materials: {a: {type: elastic, E: 2e11, nu: 0, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, formulation: %s, thickness: 1}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, force: [\"%s\", 0, 0]}]\nanalysis: {type: buckling, from: %g}\n", k == 1 ? "false" : "true", how[k], load[k], k == 2 ? 0.01 : 0);
    load_text(&l, text);
    CHECK(tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum) != TN_OK);
    if (!CHECK(strstr(tn_ctx_message(l.ctx), word[k]) != NULL)) printf("  %s\n", tn_ctx_message(l.ctx));
    unload(&l);
  }
}

int main(void) {
  RUN(euler_columns_buckle_at_their_loads);
  RUN(buckling_from_a_loaded_state_leaves_the_rest);
  RUN(small_displacements_buckle_classically);
  RUN(what_cannot_buckle_is_said);
  return REPORT();
}
