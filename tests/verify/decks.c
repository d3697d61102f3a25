/* verification of decks: cards become models whose tables have the numbers of closed forms; what is not understood is named
 *
 * Against CalculiX itself: tools/compare-ccx.py.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "base/base.h"
#include "base/vec.h"
#include "support/check.h"
#include "support/mutate.h"

static const char *const DECK = "verify_decks.inp", *const TABLES = "verify_decks.tenon.dat";

static tn_deck_report report; /* large */

static void write_deck(const char *text) {
  FILE *f = fopen(DECK, "w");
  fputs(text, f);
  fclose(f);
}

static tn_status run(tn_ctx *ctx, const char *text) {
  write_deck(text);
  return tn_deck_run(ctx, DECK, &(tn_deck_opts){.tables = TABLES}, &report);
}

/* number `column` of the line of a node (or element, point) in the k-th table whose title begins so */
static double table(const char *title, int k, const char *line, int column) {
  char text[512];
  FILE *f = fopen(TABLES, "r");
  double x = NAN;
  bool in = false;
  while (f && fgets(text, sizeof(text), f)) {
    if (strncmp(text + 1, title, strlen(title)) == 0) in = k-- == 0;
    else if (strstr(text, " for set ")) in = false;
    if (!in) continue;
    char *at = text + strspn(text, " ");
    if (strncmp(at, line, strlen(line)) != 0 || at[strlen(line)] != ' ') continue;
    at += strlen(line);
    for (int i = 0; i <= column; i++) x = strtod(at, &at);
    break;
  }
  if (f) fclose(f);
  return x;
}

#define BRICK                                                                                                       \
  "*NODE, NSET=NALL\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n"                      \
  "*ELEMENT, TYPE=C3D8, ELSET=EALL\n1,1,2,3,4,5,6,7,8\n*NSET, NSET=LEFT\n1,4,5,8\n*NSET, NSET=RIGHT\n2,3,6,7\n"     \
  "*MATERIAL, NAME=STEEL 1\n*ELASTIC\n1000., .25\n*DENSITY\n3.\n*EXPANSION\n1e-3\n*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL 1\n" \
  "*BOUNDARY\nLEFT,1\n1,2,3\n4,3\n5,2\n"

/* tension by forces, then half of them and a pressure on the other sides; reactions and stresses */
static void steps_change_loads(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*CLOAD\nRIGHT,1,2.5\n*NODE PRINT,NSET=NALL\nU,RF\n*EL PRINT,ELSET=EALL\nS,E\n*END STEP\n"
                               "*STEP\n*STATIC\n*CLOAD,OP=NEW\nRIGHT,1,1.25\n*DLOAD\nEALL,P1,8.\nEALL,P2,8.\n"
                               "*NODE PRINT,NSET=NALL\nU\n*END STEP\n")); /* elements go on being printed */
  CHECK_INT(report.steps, 2);
  /* sigma = 10, strain 0.01; then 5 along x and -8 along z: strain x (5 + 0.25*8)/1000 */
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  CHECK_NEAR(table("displacements", 0, "7", 1), -0.0025, 1e-6);
  CHECK_NEAR(table("forces", 0, "1", 0), -2.5, 1e-6);
  CHECK_NEAR(table("forces", 0, "7", 0), 2.5, 1e-6); /* all that acts on the node */
  CHECK_NEAR(table("stresses", 0, "1   5", 0), 10, 1e-6);
  CHECK_NEAR(table("strains", 0, "1   5", 1), -0.0025, 1e-6);
  CHECK_NEAR(table("displacements", 1, "7", 0), 0.014, 1e-6);
  CHECK_NEAR(table("displacements", 1, "7", 2), (-8 - 0.25*5)/1000, 1e-6);
  CHECK_NEAR(table("stresses", 1, "1   1", 2), -8, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* *PLASTIC with NLGEOM: a bar that is stretched by half in the increments of the deck is under the stress of its plastic strain by its true area, and
 * keeps it but for the elastic part when it is let go */
static void plastic_steps_are_true_at_large_strains(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE, NSET=NALL\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n*ELEMENT, TYPE=C3D8, ELSET=EALL\n"
                         "1,1,2,3,4,5,6,7,8\n*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*PLASTIC\n10.,0.\n30.,1.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
                         "*NSET,NSET=RIGHT\n2,3,6,7\n*NSET,NSET=ONE\n7\n*BOUNDARY\n1,1,3\n4,1\n5,1,2\n8,1\n2,2,3\n6,2\n4,3\n3,3\n"
                         "*STEP,NLGEOM\n*STATIC,DIRECT\n0.05,1.\n*BOUNDARY\nRIGHT,1,1,1.\n*NODE PRINT,NSET=NALL\nU,RF\n*EL PRINT,ELSET=EALL\nS,PEEQ\n*END STEP\n"
                         "*STEP,NLGEOM\n*STATIC,DIRECT\n0.05,1.\n*BOUNDARY\nRIGHT,1,1,0.94\n*END STEP\n"));
  double p = table("equivalent", 0, "1   1", 0), sigma = table("stresses", 0, "1   3", 0), wide = 1 + table("displacements", 0, "7", 1);
  CHECK_NEAR(sigma, 10 + 20*p, 2e-6);
  double c = 2.6/3000; /* 1/(3 mu): elastic stretches count plastic strain, see materials/finite.c */
  CHECK_NEAR(log((1 + c*sigma)/(1 + c*10))/(c*20), log(1.5) - sigma/1000, 0.012); /* twenty increments */
  CHECK_NEAR(1.5*wide*wide, 1 + sigma*0.4/1000, 2e-4);
  CHECK_NEAR(table("forces", 0, "7", 0), sigma*wide*wide/4, 1e-6);
  CHECK_NEAR(table("equivalent", 1, "1   1", 0), p, 1e-5);
  CHECK_WITHIN(table("stresses", 1, "1   3", 0), sigma - 1000*log(1.5/1.47), 0.5); /* it is long now: 3 - 2.94 by 2.97 */
  tn_ctx_destroy(&ctx);
}

/* amplitudes at the end of a step, gravity, heat, equations and local axes */
static void cards_do_what_they_say(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*AMPLITUDE,NAME=A\n0.,0.,0.5,2.,1.,0.4\n*STEP\n*STATIC\n1.,1.\n*CLOAD,AMPLITUDE=A\nRIGHT,1,2.5\n"
                               "*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "2", 0), 0.008, 1e-6);
  /* gravity along x: sum of reactions */
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,10.,0.,0.,-2.\n*BOUNDARY\nNALL,3\n*NODE PRINT,NSET=NALL,TOTALS=YES\nRF\n*END STEP\n"));
  /* every node is held along z: nothing strains, elements ask for nothing */
  CHECK_WITHIN(table("forces", 0, "7", 2), 0, 1e-12);
  CHECK_OK(ctx, run(ctx, BRICK "*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,20.\n*STEP\n*STATIC\n*TEMPERATURE\nNALL,30.\n"
                               "*NODE PRINT,NSET=NALL\nU\n*EL PRINT,ELSET=EALL\nS\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  CHECK_WITHIN(table("stresses", 0, "1   1", 0), 0, 1e-9);
  /* the right side moves as node 2 does; node 2 is pulled */
  CHECK_OK(ctx, run(ctx, BRICK "*EQUATION\n2\n3,1,1.,2,1,-1.\n2\n6,1,1.,2,1,-1.\n2\n7,1,1.,2,1,-1.\n*STEP\n*STATIC\n*CLOAD\n2,1,10.\n"
                               "*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  for (int i = 0; i < 4; i++) {
    static const char *const node[] = {"2", "3", "6", "7"};
    CHECK_NEAR(table("displacements", 0, node[i], 0), 0.02, 1e-6);
  }
  /* local axes: x' is along y; the right side is moved along x' of the ground's y by shear */
  CHECK_OK(ctx, run(ctx, BRICK "*TRANSFORM,NSET=RIGHT,TYPE=R\n0.,1.,0.,-1.,0.,0.\n*STEP\n*STATIC\n*BOUNDARY\nRIGHT,2,2,-0.02\n"
                               "*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* a rigid end turned about its reference node by the rotation node */
static void rigid_bodies_turn(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*NODE\n20,2.,0.5,0.5\n21,2.,0.5,0.5\n*RIGID BODY,NSET=RIGHT,REF NODE=20,ROT NODE=21\n"
                               "*STEP\n*STATIC\n*BOUNDARY\n20,1,3\n21,1,1,0.01\n21,2,3\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  /* w x r, r = (0, 0.5, 0.5) */
  CHECK_NEAR(table("displacements", 0, "7", 1), -0.005, 1e-6);
  CHECK_NEAR(table("displacements", 0, "7", 2), 0.005, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* bars with consistent masses: w^2 = 6 c^2/h^2 (1 - cos kh)/(2 + cos kh) */
static void frequencies_are_those_of_the_elements(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n2,2,3\n3,3,4\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n9.,0.\n*DENSITY\n4.\n*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n"
                         "*BOUNDARY\nNALL,2,3\n1,1\n*STEP\n*FREQUENCY\n3\n*END STEP\n"));
  for (int j = 1; j <= 3; j++) {
    double kh = (2*j - 1)*3.14159265358979323846/6, w = 1.5*sqrt(6*(1 - cos(kh))/(2 + cos(kh)));
    CHECK_NEAR(report.summary.mode[j-1].frequency, w/6.283185307179586, 1e-9);
  }
  tn_ctx_destroy(&ctx);
}

/* Bars in a row of length 3 pulled by N along x, springs k across: w^2 of a wave across is (k + 4 N/L sin^2(kh/2)) by the mass, and
 * with consistent masses m L (2 + cos kh)/3; they buckle where the first of these is zero */
static void stresses_count_where_the_deck_says_so(void) {
  enum { N = 5 };
  tn_ctx *ctx;
  char text[4096], line[200];
  static const double pull = 2, k = 3, pi = 3.14159265358979323846;
  for (int buckle = 0; buckle < 2; buckle++) {
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text), "*NODE,NSET=NALL\n");
    for (int i = 0; i <= N; i++) snprintf(line, sizeof(line), "%d,%g,0,0\n", i + 1, 0.5*i), strcat(text, line);
    strcat(text, "*ELEMENT,TYPE=T3D2,ELSET=E\n");
    for (int i = 0; i < N; i++) snprintf(line, sizeof(line), "%d,%d,%d\n", i + 1, i + 1, i + 2), strcat(text, line);
    strcat(text, "*ELEMENT,TYPE=SPRING1,ELSET=S\n");
    for (int i = 1; i < N; i++) snprintf(line, sizeof(line), "%d,%d\n", 10 + i, i + 1), strcat(text, line);
    snprintf(line, sizeof(line), "*SPRING,ELSET=S\n2\n%g\n*MATERIAL,NAME=M\n*ELASTIC\n1e9,0.\n*DENSITY\n4.\n*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n"
             "*BOUNDARY\nNALL,3\n1,1,2\n%d,2\n", k, N + 1);
    strcat(text, line);
    snprintf(line, sizeof(line), buckle ? "*STEP\n*BUCKLE\n2\n*CLOAD\n%d,1,%g\n*END STEP\n"
             : "*STEP,NLGEOM\n*STATIC\n*CLOAD\n%d,1,%g\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n4\n*END STEP\n", N + 1, buckle ? -1.0 : pull);
    strcat(text, line);
    CHECK_OK(ctx, run(ctx, text));
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int j = 1; j < N; j++) {
      double a = pi*j/N, s = sin(a/2), m = 4*0.1*0.5*(2 + cos(a))/3, w = sqrt((k + 4*pull/0.5*s*s)/m), load = k*0.5/(4*s*s);
      if (!buckle) CHECK_NEAR(report.summary.mode[j-1].frequency, w/(2*pi), 1e-6);
      if (load < least[0]) least[1] = least[0], least[0] = load;
      else if (load < least[1]) least[1] = load;
    }
    for (int i = 0; i < 2 && buckle; i++) CHECK_NEAR(report.summary.mode[i].re, least[i], 1e-6);
    tn_ctx_destroy(&ctx);
  }
}

/* yielding of a bar: strain sigma/E + plastic strain of the table; unloading in the next step leaves the plastic part */
static void plastic_steps_follow_each_other(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                         "*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n*NSET,NSET=RIGHT\n2,3,6,7\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n1000.,.25\n*PLASTIC\n10.,0.\n14.,0.02\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n"
                         "*BOUNDARY\n1,1,3\n4,1,1\n4,3,3\n5,1,2\n8,1,1\n"
                         "*STEP\n*STATIC\n0.1,1.\n*CLOAD\nRIGHT,1,3.\n*NODE PRINT,NSET=NALL\nU\n*EL PRINT,ELSET=EALL\nPEEQ\n*END STEP\n"
                         "*STEP\n*STATIC\n0.1,1.\n*CLOAD\nRIGHT,1,0.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.012 + 0.01, 1e-6);
  CHECK_NEAR(table("equivalent", 0, "1   1", 0), 0.01, 1e-6);
  CHECK_NEAR(table("displacements", 1, "7", 0), 0.01, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* What falls at once as a step begins is not a ramp over it: 12 by forces, then 6 by forces and a peak of 6 by a pressure, which is 12 again and
 * makes nothing yield that has not yielded before */
static void plastic_steps_begin_with_their_amplitudes(void) {
  static const char *const how[] = {"*STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD,AMPLITUDE=HOLD\n", "*STEP,AMPLITUDE=STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD\n"};
  for (int k = 0; k < 2; k++) {
    tn_ctx *ctx;
    char text[2048];
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text),
             "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
             "*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n*NSET,NSET=RIGHT\n2,3,6,7\n*AMPLITUDE,NAME=HOLD\n0.,1.,1.,1.\n"
             "*AMPLITUDE,NAME=PEAK\n0.,0.,0.5,1.,1.,0.\n"
             "*MATERIAL,NAME=M\n*ELASTIC\n1000.,.25\n*PLASTIC\n10.,0.\n14.,0.02\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n"
             "*BOUNDARY\n1,1,3\n4,1,1\n4,3,3\n5,1,2\n8,1,1\n"
             "*STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD\nRIGHT,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
             "%sRIGHT,1,1.5\n*DLOAD,AMPLITUDE=PEAK\nEALL,P4,-6.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n", how[k]);
    CHECK_OK(ctx, run(ctx, text));
    CHECK_NEAR(table("displacements", 0, "7", 0), 0.012 + 0.01, 1e-6);
    CHECK_NEAR(table("displacements", 1, "7", 0), 0.006 + 0.01, 1e-6);
    tn_ctx_destroy(&ctx);
  }
}

/* what OP=NEW takes away goes by a ramp, with AMPLITUDE=STEP too: 6 left at half of the step and a peak of 7 are 13, where 0.015 have yielded */
static void plastic_steps_take_loads_away_by_ramps(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                         "*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n*NSET,NSET=RIGHT\n2,3,6,7\n*AMPLITUDE,NAME=PEAK\n0.,0.,0.5,1.,1.,0.\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n1000.,.25\n*PLASTIC\n10.,0.\n14.,0.02\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n"
                         "*BOUNDARY\n1,1,3\n4,1,1\n4,3,3\n5,1,2\n8,1,1\n"
                         "*STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD\nRIGHT,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
                         "*STEP,AMPLITUDE=STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD,OP=NEW\n2,2,0.\n*DLOAD,AMPLITUDE=PEAK\nEALL,P4,-7.\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 1, "7", 0), 0.015, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* a mass on a spring, let go at once: HHT with the steps of the deck is of second order, u = F/k (1 - cos w t) */
static void dynamic_steps_have_the_size_that_is_given(void) {
  double off[2];
  for (int k = 0; k < 2; k++) {
    tn_ctx *ctx;
    char text[1024];
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text),
             "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*DENSITY\n1e-6\n"
             "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*ELEMENT,TYPE=MASS,ELSET=P\n2,2\n*MASS,ELSET=P\n4.\n*BOUNDARY\nNALL,2,3\n1,1\n"
             "*STEP\n*DYNAMIC,DIRECT\n%g,0.5\n*CLOAD\n2,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n", k ? 0.005 : 0.01);
    CHECK_OK(ctx, run(ctx, text));
    off[k] = fabs(table("displacements", 0, "2", 0) - 0.03*(1 - cos(2.5)));
    CHECK_WITHIN(off[k], 0, 1e-4);
    tn_ctx_destroy(&ctx);
  }
  CHECK_WITHIN(off[0]/off[1], 4, 0.4);
}

/* Without DIRECT: two increments alike, then each half as long again, the last one cut; Hilber, Hughes and Taylor step by step for one mass on a
 * spring, begun with F/(m + beta (h/10)^2 (1 + alpha) k). With a largest increment as long as the first they are equal. */
static void dynamic_steps_grow_without_direct(void) {
  for (int k = 0; k < 3; k++) {
    tn_ctx *ctx;
    char text[1024];
    static const char *const how[3] = {"0.02,0.3", "0.02,0.3,,0.04", "0.02,0.3,,0.02"};
    const double most[3] = {1, 0.04, 0.02}, al = -0.05, be = (1 - al)*(1 - al)/4, ga = 0.5 - al, K = 100, M = 4, F = 3;
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text),
             "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*DENSITY\n1e-9\n"
             "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*ELEMENT,TYPE=MASS,ELSET=P\n2,2\n*MASS,ELSET=P\n4.\n*BOUNDARY\nNALL,2,3\n1,1\n"
             "*STEP\n*DYNAMIC\n%s\n*CLOAD\n2,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n", how[k]);
    CHECK_OK(ctx, run(ctx, text));
    double u = 0, v = 0, f = F, a = F/(M + be*0.02*0.02/100*(1 + al)*K);
    for (double t = 0, h = 0.02, n = 0; t < 0.3 - 1e-12; n++) {
      double step = fmin(h, 0.3 - t);
      double known = u + step*v + (0.5 - be)*step*step*a; /* M a1 = (1 + al) (F - K u1) - al f0 */
      double a1 = ((1 + al)*(F - K*known) - al*f)/(M + (1 + al)*K*be*step*step);
      u = known + be*step*step*a1;
      v += step*((1 - ga)*a + ga*a1);
      f = F - K*u;
      a = a1;
      t += step;
      if (n >= 1) h = fmin(1.5*h, most[k]);
    }
    CHECK_WITHIN(table("displacements", 0, "2", 0), u, 1e-7);
    tn_ctx_destroy(&ctx);
  }
}

/* explicit steps: those of the deck with DIRECT (2 sin(angle/2) = w h: u_n = F/k (1 - cos n angle), exactly), enough of them without */
static void explicit_steps_have_the_size_that_is_given(void) {
  for (int direct = 0; direct < 2; direct++) {
    tn_ctx *ctx;
    char text[1024];
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text),
             "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*DENSITY\n80.\n"
             "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*BOUNDARY\nNALL,2,3\n1,1\n"
             "*STEP\n*DYNAMIC,EXPLICIT%s\n0.1,0.5\n*CLOAD\n2,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n", direct ? ",DIRECT" : "");
    tn_status st = run(ctx, text);
    CHECK(direct || st == TN_OK); /* with so few steps the energies are rough, which is said */
    double angle = direct ? 5*2*asin(0.25) : 2.5;
    CHECK_WITHIN(table("displacements", 0, "2", 0), 0.03*(1 - cos(angle)), direct ? 1e-8 : 2e-6);
    tn_ctx_destroy(&ctx);
  }
}

/* OP=NEW ends the loads of both cards; pressures on a face within a step add up */
static void loads_end_as_the_cards_say(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*SURFACE,NAME=SR,TYPE=ELEMENT\nEALL,S4\n*STEP\n*STATIC\n*DSLOAD\nSR,P,-10.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
                               "*STEP\n*STATIC\n*DLOAD,OP=NEW\nEALL,P4,-4.\n1,P4,-1.\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  CHECK_NEAR(table("displacements", 1, "7", 0), 0.01, 1e-6);
  tn_ctx_destroy(&ctx);
}

/* the line after the title of a sum of forces */
static double total(int column) {
  char text[512];
  FILE *f = fopen(TABLES, "r");
  double x = NAN;
  bool in = false;
  while (f && fgets(text, sizeof(text), f)) {
    char *at = text + strspn(text, " \n");
    if (strncmp(at, "total force", 11) == 0) in = true;
    else if (in && *at) {
      for (int i = 0; i <= column; i++) x = strtod(at, &at);
      break;
    }
  }
  if (f) fclose(f);
  return x;
}

/* gravity and spin along x: the right nodes get rho g V/2 and rho w^2 A L^2/3; sums of tables */
static void loads_of_volumes_have_their_sums(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,10.,2.,0.,0.\n*NODE PRINT,NSET=RIGHT,TOTALS=YES\nRF\n*END STEP\n"));
  CHECK_NEAR(table("forces", 0, "7", 0), 7.5, 1e-6);
  CHECK_NEAR(total(0), 30, 1e-6);
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,CENTRIF,8.,0.,0.5,0.5,0.,0.,1.\n*NODE PRINT,NSET=RIGHT,TOTALS=ONLY\nRF\n*END STEP\n"));
  CHECK_NEAR(total(0), 3*8*4.0/3, 1e-6);
  CHECK_WITHIN(total(1), 0, 1e-9);
  tn_ctx_destroy(&ctx);
}

/* what an earlier step said ends with OP=NEW, also where the new card says nothing of it; within a step values add up */
static void cards_begin_anew(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.5\nRIGHT,1,1.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n*STEP\n*STATIC\n*CLOAD,OP=NEW\n7,2,0.\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  CHECK_WITHIN(table("displacements", 1, "7", 0), 0, 1e-15);
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*BOUNDARY\nRIGHT,1,1,0.01\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
                               "*STEP\n*STATIC\n*BOUNDARY,OP=NEW\nLEFT,1\n1,2,3\n4,3\n5,2\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 1), -0.00125, 1e-6);
  CHECK_WITHIN(table("displacements", 1, "7", 0), 0, 1e-15);
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,P4,-4.\nEALL,P4,-6.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  /* over the time of all steps: 3 at the end of the second */
  CHECK_OK(ctx, run(ctx, BRICK "*AMPLITUDE,NAME=A,TIME=TOTAL TIME\n0.,0.,1.,1.,2.,3.\n*STEP\n*STATIC\n*CLOAD,AMPLITUDE=A\nRIGHT,1,2.5\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
                               "*STEP\n*STATIC\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 0), 0.02, 1e-6);
  CHECK_NEAR(table("displacements", 1, "7", 0), 0.06, 1e-6);
  /* what an amplitude of a step's own time has brought stays, however long the next step is */
  CHECK_OK(ctx, run(ctx, BRICK "*AMPLITUDE,NAME=A\n0.,0.,0.5,2.,1.,0.4\n*STEP\n*STATIC\n*CLOAD,AMPLITUDE=A\nRIGHT,1,2.5\n*BOUNDARY,AMPLITUDE=A\nRIGHT,2,2,0.01\n"
                               "*DLOAD,AMPLITUDE=A\nEALL,P4,-10.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n*STEP\n*STATIC\n0.5,0.5\n*CLOAD\n7,3,0.\n*END STEP\n"));
  for (int k = 0; k < 2; k++) CHECK_NEAR(table("displacements", 1, "7", k), table("displacements", 0, "7", k), 1e-9);
  CHECK_NEAR(table("displacements", 1, "7", 1), 0.004, 1e-6);
  /* gravity along the same line, written with vectors of other lengths, takes the place of what it was */
  CHECK_OK(ctx, run(ctx, BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,8.,0.,0.4144,0.1\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"
                               "*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,4.,0.,2.86350,0.691\n*END STEP\n"));
  double first = table("displacements", 0, "7", 1);
  CHECK(first > 0);
  CHECK_NEAR(table("displacements", 1, "7", 1), first/2, 1e-5);
  tn_ctx_destroy(&ctx);
}

/* forces in cylindrical axes: along the circle is +y at (2, 0, 0), axis z */
static void local_axes_go_around(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, BRICK "*TRANSFORM,NSET=RIGHT,TYPE=C\n0.,0.,0.,0.,0.,1.\n*STEP\n*STATIC\n*CLOAD\n2,2,3.\n3,1,5.\n*NODE PRINT,NSET=NALL\nRF\n*END STEP\n"));
  CHECK_WITHIN(table("forces", 0, "2", 0), 0, 1e-9);
  CHECK_NEAR(table("forces", 0, "2", 1), 3, 1e-6);
  CHECK_NEAR(table("forces", 0, "3", 0), 5*2/sqrt(5), 1e-6);
  CHECK_NEAR(table("forces", 0, "3", 1), 5/sqrt(5), 1e-6);
  tn_ctx_destroy(&ctx);
}

/* displacements of all nodes, u = H x: stresses of constants as they are written, in the axes of the ground and in others */
static void orthotropic_constants_are_where_they_belong(void) {
  static const char *const brick = "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n"
                                   "*NODE\n20,5,0,0\n21,6,0,0\n*ELEMENT,TYPE=T3D2,ELSET=BAR\n20,20,21\n*MATERIAL,NAME=M2\n*ELASTIC\n1.,0.\n"
                                   "*SOLID SECTION,ELSET=BAR,MATERIAL=M2\n1.\n*BOUNDARY\n20,1,3\n21,2,3\n"; /* something must be free */
  static const char *const constants[3] = {"*ELASTIC,TYPE=ORTHO\n100.,30.,90.,20.,25.,80.,11.,12.,\n13.\n", "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,11.,12.,\n13.\n",
                                           "*ELASTIC,TYPE=ORTHO\n100.,30.,90.,20.,25.,80.,11.,12.,\n13.\n*ORIENTATION,NAME=OR\n0.,1.,0.,0.,0.,1.\n"};
  static const double D[9] = {100, 30, 20, 30, 90, 25, 20, 25, 80}, G[3][3] = {{0, 11, 12}, {11, 0, 13}, {12, 13, 0}};
  static const int column[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}; /* sxx syy szz sxy sxz syz */
  double S[9];
  mat3_inverse(S, D);
  for (int how = 0; how < 3; how++)
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) {
        char text[4096], line[400];
        tn_ctx *ctx;
        CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
        snprintf(text, sizeof(text), "%s*MATERIAL,NAME=M\n", brick);
        snprintf(line, sizeof(line), constants[how], 1/S[0], 1/S[4], 1/S[8], -S[1]/S[0], -S[2]/S[0], -S[5]/S[4]);
        strcat(text, line);
        snprintf(line, sizeof(line), "*SOLID SECTION,ELSET=EALL,MATERIAL=M%s\n*STEP\n*STATIC\n*BOUNDARY\nNALL,1,3\n", how == 2 ? ",ORIENTATION=OR" : "");
        strcat(text, line);
        for (int n = 0; n < 8; n++) { /* u_i = 0.01 x_j */
          static const signed char x[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
          snprintf(line, sizeof(line), "%d,%d,%d,%g\n", n + 1, i + 1, i + 1, 0.01*x[n][j]);
          strcat(text, line);
        }
        strcat(text, "*EL PRINT,ELSET=EALL,GLOBAL=YES\nS,E\n*END STEP\n");
        CHECK_OK(ctx, run(ctx, text));
        /* axes of the material: x' is y, y' is z, z' is x */
        int a = how == 2 ? (i + 2)%3 : i, b = how == 2 ? (j + 2)%3 : j;
        for (int k = 0; k < 3 && i == j; k++) CHECK_NEAR(table("stresses", 0, "1   1", k), 0.01*D[3*a + (how == 2 ? (k + 2)%3 : k)], 2e-6);
        if (i != j) CHECK_NEAR(table("stresses", 0, "1   1", column[i][j]), 0.01*G[a][b], 2e-6);
        CHECK_NEAR(table("strains", 0, "1   1", column[i][j]), i == j ? 0.01 : 0.005, 2e-6); /* tensors there */
        tn_ctx_destroy(&ctx);
      }
}

/* HHT as it is written: M a1 + (1 + alpha) K u1 - alpha K u0 = (1 + alpha) F - alpha F, gamma = 1/2 - alpha, beta = (1 - alpha)^2/4 */
static void alpha_damps_as_in_the_deck(void) {
  const double k = 100, m = 4, F = 3, h = 0.05, alpha = -0.3, beta = (1 - alpha)*(1 - alpha)/4, gamma = 0.5 - alpha;
  double u = 0, v = 0, a = F/m;
  for (int i = 0; i < 40; i++) {
    double pu = u + h*v + h*h*(0.5 - beta)*a, pv = v + h*(1 - gamma)*a;
    double a1 = (F - (1 + alpha)*k*pu + alpha*k*u)/(m + (1 + alpha)*beta*h*h*k);
    u = pu + beta*h*h*a1, v = pv + gamma*h*a1, a = a1;
  }
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_status st = run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*DENSITY\n1e-9\n"
                          "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*ELEMENT,TYPE=MASS,ELSET=P\n2,2\n*MASS,ELSET=P\n4.\n*BOUNDARY\nNALL,2,3\n1,1\n"
                          "*STEP\n*DYNAMIC,DIRECT,ALPHA=-0.3\n0.05,2.\n*CLOAD\n2,1,3.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n");
  CHECK_OK(ctx, st);
  CHECK_NEAR(table("displacements", 0, "2", 0), u, 1e-5);
  tn_ctx_destroy(&ctx);
}

/* what a table must have, and where: numbers that CalculiX 2.20 prints for the same deck */
typedef struct {
  const char *title, *line;
  int column;
  double value;
} printed;

static void check_printed(const char *deck, const printed *p, int n) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, deck));
  for (int i = 0; i < n; i++) CHECK_NEAR(table(p[i].title, 0, p[i].line, p[i].column), p[i].value, 2e-6);
  tn_ctx_destroy(&ctx);
}

static const char *const shell_deck =
      "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0.1\n3,1,1,0\n4,0,1,0\n5,.5,0,0\n6,1,.5,0.05\n7,.5,1,0\n8,0,.5,0\n9,1,0,1\n"
      "10,1,1,1\n11,1,0,.5\n12,1,.5,1\n13,1,1,.5\n*ELEMENT,TYPE=S8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n"
      "2,2,9,10,3,11,12,13,6\n*NSET,NSET=LEFT\n1,4,8\n*NSET,NSET=RIGHT\n9,10,12\n*MATERIAL,NAME=M\n*ELASTIC\n2.1e5,.3\n"
      "*SHELL SECTION,ELSET=EALL,MATERIAL=M,OFFSET=.25\n0.1\n*BOUNDARY\nLEFT,1,6\n*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.\n"
      "RIGHT,2,.5\n12,5,.3\n*DLOAD\n1,P,2.\n*NODE PRINT,NSET=NALL\nU,RF\n*EL PRINT,ELSET=EALL\nS\n*END STEP\n";

/* a sharp fold (a knot), a warped element, an offset, forces, a moment and pressure; stresses along the shells */
static void shells_are_the_solids_that_calculix_makes(void) {
  static const printed want[] = {{"displacements", "2", 2, -3.935101E-02}, {"displacements", "5", 0, 3.438510E-04}, {"displacements", "6", 1, 1.160620E-03},
                                 {"displacements", "9", 0, 1.378597E-01}, {"displacements", "12", 2, -5.249923E-02}, {"displacements", "13", 1, 1.220980E-02},
                                 {"forces", "4", 0, -1.608679}, {"forces", "5", 2, 6.795602E-01}, {"forces", "12", 0, 1}, {"forces", "12", 1, 0.5}};
  check_printed(shell_deck, want, TNI_COUNT(want));
  /* the program goes through points in another order: the largest stress along each element is somewhere */
  double most[2] = {0}, sum = 0;
  for (int e = 0; e < 2; e++)
    for (int k = 1; k <= 27; k++) {
      char line[16];
      snprintf(line, sizeof(line), "%d %3d", e + 1, k);
      most[e] = fmin(most[e], table("stresses", 0, line, 0));
    }
  CHECK_NEAR(most[0], -1521.514, 2e-6);
  CHECK_NEAR(most[1], -1651.266, 2e-6);
  for (int i = 1; i <= 13; i++) { /* supports and loads together: nothing is left */
    char line[16];
    snprintf(line, sizeof(line), "%d", i);
    sum += table("forces", 0, line, 2);
  }
  CHECK_WITHIN(sum, 0, 1e-5);
}

static const char *const beam_deck =
      "*NODE,NSET=NALL\n1,0,0,0\n2,50,0,0\n3,100,0,0\n4,100,10,50\n5,100,20,100\n*ELEMENT,TYPE=B32,ELSET=EALL\n"
      "1,1,2,3\n2,3,4,5\n*MATERIAL,NAME=M\n*ELASTIC\n2e5,.3\n"
      "*BEAM SECTION,ELSET=EALL,MATERIAL=M,SECTION=CIRC,OFFSET1=.2\n10.,8.\n0.,1.,0.\n*BOUNDARY\n1,1,6\n5,4,4\n*STEP\n"
      "*STATIC\n*CLOAD\n5,1,1.\n5,3,-2.\n2,5,4.\n*DLOAD\n2,P1,.1\n*NODE PRINT,NSET=NALL\nU,RF\n*EL PRINT,ELSET=EALL\n"
      "S\n*END STEP\n";

/* a round section with an offset around a corner, a moment in the middle of an element, a rotation that is held, pressure along axis 1 */
static void beams_are_the_solids_that_calculix_makes(void) {
  static const printed want[] = {{"displacements", "2", 1, 2.821478E-02}, {"displacements", "3", 0, 9.817377E-05}, {"displacements", "4", 2, -4.587743E-02},
                                 {"displacements", "5", 0, 1.341171E-02}, {"forces", "1", 1, -5.656854E+01}, {"forces", "4", 2, -7.542472}};
  check_printed(beam_deck, want, TNI_COUNT(want));
}

static const char *const plane_deck =
      "*NODE,NSET=NALL\n1,0,0\n2,1,0\n3,1.2,1\n4,0,1\n5,2,.2\n6,2,1\n*ELEMENT,TYPE=CPS4,ELSET=EALL\n1,1,2,3,4\n"
      "2,2,5,6,3\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,.3\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n0.5\n*BOUNDARY\n1,1,2\n"
      "4,1\n*STEP\n*STATIC\n*CLOAD\n5,2,1.\n*DLOAD\n2,P2,3.\n*NODE PRINT,NSET=NALL\nU\n*EL PRINT,ELSET=EALL\nS\n"
      "*END STEP\n";

/* plane stress of linear elements: the mean across the thickness */
/* linear elements with incompatible modes bend as beams do: C3D8I under a couple (M = 2, E I = 1000/12, length 4), a strip of S4 and a beam of B31 under
 * a force at the end (P L^3/(3 E I) (1 - 1/(4 n^2)) and shear); numbers of the distorted bricks are those that CalculiX 2.20 prints */
static void incompatible_modes_bend(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,4,0,0\n3,4,1,0\n4,0,1,0\n5,0,0,1\n6,4,0,1\n7,4,1,1\n8,0,1,1\n*ELEMENT,TYPE=C3D8I,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.3\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n*BOUNDARY\n1,1,3\n4,1\n4,3\n5,1\n8,1\n"
                         "*STEP\n*STATIC\n*CLOAD\n2,1,-1.\n3,1,-1.\n6,1,1.\n7,1,1.\n*NODE PRINT,NSET=NALL\nU\n*EL PRINT,ELSET=EALL\nS\n*END STEP\n"));
  double high = table("displacements", 0, "2", 2);
  CHECK_NEAR(high, -2.0*16/2/(1000.0/12), 1e-6);
  CHECK_NEAR(table("stresses", 0, "1   1", 0), -2*0.5/sqrt(3)*12, 1e-6);
  CHECK_WITHIN(table("stresses", 0, "1   1", 1), 0, 1e-6);
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n5,4,0,0\n*ELEMENT,TYPE=B31,ELSET=EALL\n1,1,2\n2,2,3\n3,3,4\n4,4,5\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n1e6,0.\n*BEAM SECTION,ELSET=EALL,MATERIAL=M,SECTION=RECT\n.1,.1\n0.,1.,0.\n*BOUNDARY\n1,1,6\n"
                         "*STEP\n*STATIC\n*CLOAD\n5,2,-.1\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  double I = 1e-4/12, shear = 0.1*4/(1e6/2*1e-2);
  CHECK_NEAR(table("displacements", 0, "5", 1), -0.1*64/(3*1e6*I)*(1 - 1.0/64) - shear, 2e-3);
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n5,4,0,0\n6,0,1,0\n7,1,1,0\n8,2,1,0\n9,3,1,0\n10,4,1,0\n*ELEMENT,TYPE=S4,ELSET=EALL\n"
                         "1,1,2,7,6\n2,2,3,8,7\n3,3,4,9,8\n4,4,5,10,9\n*MATERIAL,NAME=M\n*ELASTIC\n1e6,0.\n*SHELL SECTION,ELSET=EALL,MATERIAL=M\n.1\n*BOUNDARY\n1,1,6\n6,1,6\n"
                         "*STEP\n*STATIC\n*CLOAD\n5,3,-.1\n10,3,-.1\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "5", 2), -0.2*64/(3*1e6*10*I)*(1 - 1.0/64) - 0.2*shear, 2e-3);
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,2,.3,0\n3,2.4,1,.2\n4,0,1,0\n5,0,0,1\n6,1.7,0,1.2\n7,2,1.3,.8\n8,0,1,1\n*ELEMENT,TYPE=C3D8I,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n"
                         "*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.3\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n*BOUNDARY\n1,1,3\n4,1,3\n5,1,3\n8,1,3\n"
                         "*STEP\n*STATIC\n*CLOAD\n7,3,-1.\n*NODE PRINT,NSET=NALL\nU\n*EL PRINT,ELSET=EALL\nS\n*END STEP\n"));
  CHECK_NEAR(table("displacements", 0, "7", 2), -4.636344E-02, 2e-6);
  CHECK_NEAR(table("stresses", 0, "1   1", 0), -3.736834, 2e-6);
  tn_ctx_destroy(&ctx);
}

static void plane_stress_is_the_solids_that_calculix_makes(void) {
  static const printed want[] = {{"displacements", "2", 0, 9.133460E-03}, {"displacements", "5", 1, 5.291279E-02}, {"displacements", "6", 0, -2.142164E-02}};
  check_printed(plane_deck, want, TNI_COUNT(want));
}

/* a brick that can only stretch, by one mode of its four: k = E' A/L, a third of its mass moves, u = F/k (1 - cos w t) from rest; damped: with
 * zeta = alpha/(2 w). Loads of the step before do not act. */
/* *MODAL DAMPING line by line: a mass that hangs by springs along x and y has one mode of each; the second alone is damped */
static void modes_have_their_own_damping(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, run(ctx, "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n2,3,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*DENSITY\n1e-9\n"
                         "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*ELEMENT,TYPE=SPRING1,ELSET=S\n4,2\n*SPRING,ELSET=S\n2\n\n300.\n*ELEMENT,TYPE=MASS,ELSET=P\n3,2\n*MASS,ELSET=P\n4.\n"
                         "*BOUNDARY\n1,1,3\n3,1,3\n2,3,3\n*STEP\n*FREQUENCY\n2\n*END STEP\n*STEP\n*MODAL DYNAMIC\n0.01,0.5\n*CLOAD\n2,1,3.\n2,2,3.\n*MODAL DAMPING\n2,2,.2\n"
                         "*NODE PRINT,NSET=NALL\nU\n*END STEP\n"));
  double w = 10, g = 2, d = sqrt(96), t = 0.5; /* k = 100 and 400 on 4 kg: w = 5 and 10, damped by 0.2 */
  CHECK_WITHIN(table("displacements", 0, "2", 0), 0.03*(1 - cos(2.5)), 1e-8);
  CHECK_WITHIN(table("displacements", 0, "2", 1), 3/(4*w*w)*(1 - exp(-g*t)*(cos(d*t) + g/d*sin(d*t))), 1e-8);
  tn_ctx_destroy(&ctx);
}

static void modal_steps_follow_the_closed_form(void) {
  double k = 1000*0.75/(1.25*0.5)/2, w = sqrt(k/2), alpha = 4, t = 0.13, d = alpha/2, wd = sqrt(w*w - d*d);
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int damped = 0; damped < 2; damped++) {
    char deck[2000];
    snprintf(deck, sizeof(deck), BRICK "*BOUNDARY\nNALL,2,3\n*STEP\n*FREQUENCY,STORAGE=YES\n4\n*CLOAD\nRIGHT,1,77.\n*END STEP\n"
             "*STEP\n*MODAL DYNAMIC\n0.01,%g\n%s*CLOAD\nRIGHT,1,2.5\n*NODE PRINT,NSET=NALL\nU,V\n*END STEP\n", t,
             damped ? "*MODAL DAMPING,RAYLEIGH\n,,4.,0.\n" : "");
    CHECK_OK(ctx, run(ctx, deck));
    double want = damped ? 10/k*(1 - exp(-d*t)*(cos(wd*t) + d/wd*sin(wd*t))) : 10/k*(1 - cos(w*t));
    CHECK_NEAR(table("displacements", 0, "7", 0), want, 1e-6);
    CHECK_NEAR(table("velocities", 0, "3", 0), damped ? 10/k*exp(-d*t)*w*w/wd*sin(wd*t) : 10/k*w*sin(w*t), 1e-6);
  }
  tn_ctx_destroy(&ctx);
}

/* stresses of a body with an *ORIENTATION are printed along it, unless GLOBAL=YES */
static void stresses_are_along_the_orientation(void) {
  static const char *const how[] = {"", ",GLOBAL=YES", ",GLOBAL=NO"};
  for (int k = 0; k < 3; k++) {
    char deck[2000], *at;
    tn_ctx *ctx;
    snprintf(deck, sizeof(deck), BRICK "*STEP\n*STATIC\n*CLOAD\nRIGHT,1,2.5\n*EL PRINT,ELSET=EALL%s\nS,E\n*END STEP\n", how[k]);
    at = strstr(deck, "MATERIAL=STEEL 1\n*BOUNDARY");
    char rest[2000];
    snprintf(rest, sizeof(rest), "%s", at + strlen("MATERIAL=STEEL 1"));
    snprintf(at, sizeof(deck) - (size_t)(at - deck), "MATERIAL=STEEL 1,ORIENTATION=Or\n*ORIENTATION,NAME=OR\n3.,4.,0.,-4.,3.,0.%s", rest);
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    CHECK_OK(ctx, run(ctx, deck));
    /* sigma = 10 along x; x' has the cosines 0.6, 0.8 */
    bool local = k != 1;
    CHECK_NEAR(table("stresses", 0, "1   3", 0), local ? 3.6 : 10, 1e-6);
    CHECK_WITHIN(table("stresses", 0, "1   3", 3), local ? -4.8 : 0, 1e-6);
    CHECK_WITHIN(table("strains", 0, "1   3", 3), local ? -0.006 : 0, 1e-8); /* (0.01 + 0.0025)(-0.48) */
    tn_ctx_destroy(&ctx);
  }
}

static void what_is_not_understood_is_named_with_its_line(void) {
  static const struct {
    const char *text, *says;
  } when[] = {
      {BRICK "*STEP\n*STATIC\n*CONTACT PAIR,INTERACTION=X\nA,B\n*END STEP\n", "verify_decks.inp:31: *CONTACTPAIR: the card is not understood"},
      {BRICK "*STEP\n*STATIC\n*CLOAD,PHASE=3\n2,1,1.\n*END STEP\n", ":31: *CLOAD: parameter PHASE is not understood"},
      {BRICK "*STEP\n*STATIC\n*CLOAD\n99,1,1.\n*END STEP\n", ":32: *CLOAD: there is no node 99"},
      {BRICK "*STEP\n*STATIC\n*CLOAD\n2,7,1.\n*END STEP\n", ":32: *CLOAD: degree of freedom '7' must be 1 to 6"},
      {BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,BX,1.\n*END STEP\n", ":32: *DLOAD: label 'BX' is not understood"},
      {BRICK "*STEP\n*STATIC\n*BOUNDARY\n1,ENCASTRE\n*END STEP\n", ":32: *BOUNDARY: 'ENCASTRE' is not understood"},
      {BRICK "*STEP\n*HEAT TRANSFER\n*END STEP\n", ":30: *HEATTRANSFER: the card is not understood"},
      {BRICK "*STEP\n*STATIC\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n3\n*END STEP\n", ":32: *STEP: PERTURBATION after a *STATIC without NLGEOM"},
      {BRICK "*STEP\n*STATIC\n*END STEP\n*STEP,PERTURBATION\n*STATIC\n*END STEP\n", ":32: *STEP: PERTURBATION is understood in a step *FREQUENCY"},
      {BRICK "*STEP,NLGEOM\n*STATIC\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n3\n*BOUNDARY\n7,1\n*END STEP\n", ":32: *STEP: PERTURBATION with loads or supports of its own"},
      {BRICK "*STEP,NLGEOM\n*STATIC\n*DLOAD\nEALL,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n3\n*END STEP\n", ":34: *STEP: PERTURBATION after CENTRIF"},
      {BRICK "*STEP\n*STATIC\n*END STEP\n*STEP\n*BUCKLE\n3\n*CLOAD\n2,1,-1.\n*END STEP\n", ":32: *STEP: *BUCKLE after other steps is not understood"},
      {BRICK "*STEP\n*END STEP\n", ":30: *ENDSTEP: the step has no procedure that is understood"},
      {"*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31R,ELSET=E\n1,1,2\n*STEP\n*STATIC\n*END STEP\n", "verify_decks.inp:4: *ELEMENT: elements of type B31R are not understood"},
      {BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,P4,1.\n*END STEP\n*STEP\n*STATIC\n*DLOAD\n1,P4,2.\n*END STEP\n",
       ":37: *DLOAD: face 4 of element 1 has a pressure from an earlier step by another set"},
      {BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,P4,1.\n1,P4,1.\n*END STEP\n*STEP\n*STATIC\n*DLOAD\n1,P4,2.\n*END STEP\n",
       ":38: *DLOAD: face 4 of element 1 has a pressure from an earlier step by another set"},
      {BRICK "*AMPLITUDE,NAME=A\n0.,0.,1.,2.\n*STEP\n*STATIC\n*DLOAD\nEALL,P4,1.\n*DLOAD,AMPLITUDE=A\nEALL,P4,1.\n*END STEP\n",
       ":36: *DLOAD: a load of 'EALL' by two amplitudes in one step is not understood"},
      {BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n*END STEP\n*STEP\n*STATIC\n*DLOAD\nEALL,CENTRIF,1.,0.,0.,0.,0.,1.,1.\n*END STEP\n",
       ":37: *DLOAD: CENTRIF about another axis than before on the same set is not understood"},
      {BRICK "*ELEMENT,TYPE=MASS,ELSET=P\n2,2\n*MASS,ELSET=P\n4.\n*STEP\n*STATIC\n*DLOAD\nEALL,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n*END STEP\n",
       ":36: *DLOAD: CENTRIF on some of the elements of type MASS is not understood"},
      {BRICK "*ELEMENT,TYPE=MASS,ELSET=P\n2,2\n*MASS,ELSET=P\n4.\n*ELSET,ELSET=BOTH\nP,EALL\n*STEP\n*STATIC\n*DLOAD\nBOTH,GRAV,1.,0.,0.,1.\n*END STEP\n",
       ":38: *DLOAD: GRAV on elements of type MASS is not understood"},
      {"*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=T3D2,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,0.\n*PLASTIC\n1.,0.\n2.,.1\n"
       "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*ELEMENT,TYPE=SPRINGA,ELSET=S\n2,1,2\n*SPRING,ELSET=S\n\n3.\n*BOUNDARY\nNALL,2,3\n1,1\n"
       "*STEP\n*STATIC\n*CLOAD\n2,1,.01\n*END STEP\n", ":16: *SPRING: springs along lines (SPRINGA) beside *PLASTIC without NLGEOM are not understood"},
      {BRICK "*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.\n*END STEP\n*STEP\n*STATIC\n*CLOAD\n7,2,1.\n*CLOAD,OP=NEW\n7,3,1.\n*END STEP\n", ":38: *CLOAD: OP=NEW after another such card"},
      {BRICK "*STEP\n*STATIC\n*DLOAD\nEALL,P4,1.\n*END STEP\n*STEP\n*STATIC\n*DLOAD\nEALL,P6,1.\n*DSLOAD,OP=NEW\nX,P,1.\n*END STEP\n", ":38: *DSLOAD: OP=NEW after another such card"},
      {BRICK "*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,0.\n*AMPLITUDE,NAME=A\n0.,0.,1.,1.\n*STEP\n*STATIC\n*TEMPERATURE,AMPLITUDE=A\nNALL,5.\n*END STEP\n*STEP\n*STATIC\n*END STEP\n",
       ":38: *STEP: temperatures that an earlier step gave by an amplitude"},
      {BRICK "*STEP\n*MODAL DYNAMIC\n0.1,1.\n*END STEP\n", ":30: *MODALDYNAMIC: a step *FREQUENCY must come before it"},
      {BRICK "*STEP\n*STATIC\n*END STEP\n*STEP\n*FREQUENCY\n3\n*END STEP\n*STEP\n*MODAL DYNAMIC\n0.1,1.\n*END STEP\n", "*MODAL DYNAMIC after steps other than *FREQUENCY"},
      {BRICK "*STEP\n*FREQUENCY\n4\n*END STEP\n*STEP\n*MODAL DYNAMIC\n0.1,1.\n*MODAL DAMPING\n3,1,.1\n*END STEP\n", "modes 3 to 1 with damping 0.1"},
      {"*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1.,0.\n*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=CIRC\n1.,1.\n0.,1.,0.\n"
       "*STEP\n*STATIC\n*END STEP\n", ":9: *BEAMSECTION: SECTION=CIRC needs elements of second order"},
      {"*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31,ELSET=E\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1.,0.\n*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=RECT\n1.,1.\n0.,1.,0.\n"
       "*STEP\n*FREQUENCY\n1\n*END STEP\n", "their incompatible modes have mass there"},
      {BRICK "*STEP,NLGEOM\n*DYNAMIC\n0.1,1.\n*END STEP\n", ":30: *DYNAMIC: with NLGEOM increments that CalculiX chooses"},
      {BRICK, "the deck has no *STEP"}};
  for (int k = 0; k < TNI_COUNT(when); k++) {
    tn_ctx *ctx;
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    tn_status st = run(ctx, when[k].text);
    if (!CHECK(st == TN_ERR_INPUT) || !CHECK(strstr(tn_ctx_message(ctx), when[k].says) != NULL))
      printf("  %s\n  instead of %s\n", tn_ctx_message(ctx), when[k].says);
    tn_ctx_destroy(&ctx);
  }
}

/* what a damaged deck becomes is compiled too: a mesh that is not right must be told there at the latest */
static void compile(void *user, int first, int last, const char *text) {
  tn_ctx *ctx = user;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  (void)first, (void)last;
  tn_status st = tn_spec_read_text(ctx, DECK, text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  CHECK(st == TN_OK || st == TN_ERR_INPUT || st == TN_ERR_MEMORY || st == TN_ERR_IO || st == TN_ERR_UNSUPPORTED);
  CHECK(st == TN_OK || tn_ctx_message(ctx)[0]);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
}

static tn_status translate(tn_ctx *ctx, const char *text, size_t n) {
  FILE *f = fopen(DECK, "w");
  fwrite(text, 1, n, f);
  fclose(f);
  return tn_deck_run(ctx, DECK, &(tn_deck_opts){.translate_only = true, .translated = compile, .user = ctx}, &report);
}

static bool all;

static void damaged_decks_are_refused_or_translated(void) {
  const char *const text[] = {shell_deck, beam_deck, plane_deck,
      BRICK "*AMPLITUDE,NAME=A\n0.,0.,0.5,2.,1.,0.4\n*SURFACE,NAME=SR,TYPE=ELEMENT\nEALL,S4\n*TRANSFORM,NSET=RIGHT,TYPE=R\n0.,1.,0.,-1.,0.,0.\n"
            "*STEP\n*STATIC\n0.1,1.\n*CLOAD,AMPLITUDE=A\nRIGHT,1,2.5\n*DSLOAD\nSR,P,-10.\n*NODE PRINT,NSET=NALL,TOTALS=YES\nU,RF\n*END STEP\n"
            "*STEP\n*STATIC\n*CLOAD,OP=NEW\nRIGHT,1,1.25\n*DLOAD,OP=NEW\nEALL,GRAV,8.,0.,0.,1.\nEALL,P2,8.\n*EL PRINT,ELSET=EALL\nS,E\n*END STEP\n",
      "*NODE,NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n20,2.,0.5,0.5\n21,2.,0.5,0.5\n"
      "*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n*ELEMENT,TYPE=MASS,ELSET=P\n2,7\n*MASS,ELSET=P\n4.\n*ELEMENT,TYPE=SPRING2,ELSET=S\n3,1,7\n"
      "*SPRING,ELSET=S\n1,1\n3.\n*NSET,NSET=RIGHT\n2,3,6,7\n*MATERIAL,NAME=M\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n1000.,900.,800.,.2,.2,.2,300.,300.,\n300.\n"
      "*DENSITY\n2.\n*ORIENTATION,NAME=OR\n1.,1.,0.,-1.,1.,0.\n*SOLID SECTION,ELSET=EALL,MATERIAL=M,ORIENTATION=OR\n*RIGID BODY,NSET=RIGHT,REF NODE=20,ROT NODE=21\n"
      "*EQUATION\n2\n4,1,1.,8,1,-1.\n*BOUNDARY\n1,1,3\n*STEP\n*FREQUENCY\n3\n*END STEP\n",
      "*NODE,NSET=NALL\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPE4,ELSET=EALL\n1,1,2,3,4\n*MATERIAL,NAME=M\n*ELASTIC\n1000.,.25\n*PLASTIC\n10.,0.\n14.,0.02\n"
      "*EXPANSION\n1e-3\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n0.5\n*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,20.\n*BOUNDARY\n1,1,2\n4,1\n"
      "*STEP\n*STATIC\n0.1,1.\n*TEMPERATURE\nNALL,30.\n*BOUNDARY\n2,1,1,0.05\n*EL PRINT,ELSET=EALL\nPEEQ\n*END STEP\n",
      BRICK "*STEP\n*BUCKLE\n3,1e-2\n*CLOAD\nRIGHT,1,-1.\n*END STEP\n",
      BRICK "*STEP,NLGEOM\n*STATIC\n*CLOAD\nRIGHT,1,-1.\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n4\n*END STEP\n",
      BRICK "*STEP\n*DYNAMIC,DIRECT,ALPHA=-0.1\n0.01,0.5\n*DLOAD\nEALL,CENTRIF,8.,0.,0.,0.,0.,0.,1.\n*END STEP\n"};
  for (int k = 0; k < TNI_COUNT(text); k++) mutate_many(text[k], strlen(text[k]), all ? 2000 : 40, (uint64_t)(k + 1), translate);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(steps_change_loads);
  RUN(cards_do_what_they_say);
  RUN(rigid_bodies_turn);
  RUN(frequencies_are_those_of_the_elements);
  RUN(stresses_count_where_the_deck_says_so);
  RUN(plastic_steps_follow_each_other);
  RUN(plastic_steps_begin_with_their_amplitudes);
  RUN(plastic_steps_take_loads_away_by_ramps);
  RUN(dynamic_steps_have_the_size_that_is_given);
  RUN(dynamic_steps_grow_without_direct);
  RUN(plastic_steps_are_true_at_large_strains);
  RUN(explicit_steps_have_the_size_that_is_given);
  RUN(loads_end_as_the_cards_say);
  RUN(loads_of_volumes_have_their_sums);
  RUN(cards_begin_anew);
  RUN(local_axes_go_around);
  RUN(orthotropic_constants_are_where_they_belong);
  RUN(alpha_damps_as_in_the_deck);
  RUN(shells_are_the_solids_that_calculix_makes);
  RUN(beams_are_the_solids_that_calculix_makes);
  RUN(incompatible_modes_bend);
  RUN(plane_stress_is_the_solids_that_calculix_makes);
  RUN(modes_have_their_own_damping);
  RUN(modal_steps_follow_the_closed_form);
  RUN(stresses_are_along_the_orientation);
  RUN(what_is_not_understood_is_named_with_its_line);
  RUN(damaged_decks_are_refused_or_translated);
  remove(DECK);
  remove(TABLES);
  return REPORT();
}
