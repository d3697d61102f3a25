/* What check says of structures: counts, mass and volume in closed form, what is wrong with a mesh, memory before a run
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "support/check.h"

static tn_ctx *ctx;

/* text of the report, or its JSON; to be freed. NULL: check failed */
static char *report(const char *model, bool json) {
  tn_spec *spec;
  tn_model *m = NULL;
  tn_report *r = NULL;
  char *copy = NULL;
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", model, NULL, 0, &spec));
  tn_status st = tn_model_compile(ctx, spec, &m);
  if (st == TN_OK) st = tn_check(ctx, m, &r);
  if (st == TN_OK) copy = strdup(json ? tn_report_json(r) : tn_report_text(r));
  tn_report_destroy(&r);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  return copy;
}

#define HAS(text, part) CHECK(strstr(text, part) != NULL)

#define BAR(more) "tenon: 1\nmeshes: {bar: {box: {size: [0.1, 0.02, 0.04], cells: [5, 2, 4]}}}\n" \
                  "materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}\n"       \
                  "structures: {bar: {mesh: bar, material: steel}}\n" more

static void a_bar_is_described(void) {
  char *t = report(BAR("supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, 0, 1e6]}]\nanalysis: {type: statics}\n"), false);
  HAS(t, "structure  bar: mesh 'bar' from bar (box), 90 nodes; 40 hex8\n"); /* 6 x 3 x 5, 5 x 2 x 4 */
  HAS(t, "groups x0 (15), x1 (15), y0 (30)");
  HAS(t, "least scaled jacobian 1, largest ratio of edges 2\n"); /* bricks of 2 x 1 x 1 cm */
  HAS(t, "mass 0.628 kg, volume 8e-05 m^3");
  HAS(t, "225 unknowns; 45 components supported or moved; 1 load\n"); /* 3 (90 - 15), 3 15 */
  HAS(t, "memory     about ");
  CHECK(strstr(t, "FREE") == NULL && strstr(t, "MESH") == NULL);
  free(t);
  t = report(BAR("analysis: {type: modes}\n"), false);
  HAS(t, "270 unknowns; nothing holds it; 0 loads\n");
  HAS(t, "FREE: along x, along y, along z, turning about x, turning about y, turning about z\n");
  free(t);
  t = report(BAR("supports: [{group: x0, fix: all}]\nanalysis: {until: 1e-6, method: central}\n"), false);
  CHECK(strstr(t, "memory") == NULL); /* nothing is factored */
  free(t);
}

/* and that is what a run takes: tests/verify/domains.c has the same keys */
static void the_solver_is_said_before_a_run(void) {
  static const struct { const char *keys, *says; } way[] = {
      {"", "solver     fronts: factors need "}, {", memory: 1e-3", "solver     pcg: factors need "}, {", memory: 1e-3", ", 0.001 are allowed; matrix: free\n"},
      {", solver: skyline", "solver     skyline: as written\n"}, {", solver: feti, domains: 2", "solver     feti: as written\n"}};
  for (int i = 0; i < (int)(sizeof(way)/sizeof(*way)); i++) {
    char text[1024];
    snprintf(text, sizeof(text), BAR("supports: [{group: x0, fix: all}]\nanalysis: {type: statics%s}\n"), way[i].keys);
    char *t = report(text, false);
    HAS(t, way[i].says);
    free(t);
  }
  char *t = report(BAR("analysis: {type: modes}\n"), false);
  CHECK(strstr(t, "solver     ") == NULL);
  HAS(t, "processes  4 would take schur: ");
  free(t);
  t = report(BAR("supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n"), false);
  HAS(t, "processes  4 would take feti: small displacements");
  free(t);
  t = report(BAR("supports: [{group: x0, fix: all}]\nanalysis: {type: statics, solver: schur}\n"), false);
  CHECK(strstr(t, "processes") == NULL);
  free(t);
}

static double member(const char *json, const char *key) {
  char mark[60];
  snprintf(mark, sizeof(mark), "\"%s\":", key);
  const char *p = strstr(json, mark);
  return p ? strtod(p + strlen(mark), NULL) : NAN;
}

static void json_has_the_same_figures(void) {
  char *t = report(BAR("supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n"), true);
  CHECK(t[0] == '{' && t[strlen(t) - 2] == '}');
  CHECK_NEAR(member(t, "mass"), 0.628, 1e-12);
  CHECK_NEAR(member(t, "volume"), 8e-5, 1e-12);
  CHECK_INT((int)member(t, "nodes"), 90);
  CHECK_INT((int)member(t, "hex8"), 40);
  CHECK_INT((int)member(t, "unknowns"), 225);
  CHECK_INT((int)member(t, "free"), 0);
  CHECK_INT((int)member(t, "parts"), 1);
  /* the lower triangle of the stiffness at least, and the factor within all */
  CHECK(member(t, "factor_memory") > 8*225 && member(t, "memory") > member(t, "factor_memory"));
  free(t);
}

/* which piece of a mesh is not held is told by its groups: two tetrahedra, one held, the other with groups of its own or without */
static void a_piece_that_is_not_held_is_named_by_its_groups(void) {
  for (int named = 0; named < 2; named++) {
    char path[] = "/tmp/tenon-check-XXXXXX", file[64], model[700], msh[1200];
    snprintf(msh, sizeof(msh), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n2 1 \"foot\"\n3 2 \"all\"\n%s$EndPhysicalNames\n"
             "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 5 0 0\n6 6 0 0\n7 5 1 0\n8 5 0 1\n$EndNodes\n"
             "$Elements\n%d\n1 4 2 2 1 1 2 3 4\n2 4 2 2 1 5 6 7 8\n3 2 2 1 1 1 2 3\n%s$EndElements\n", named ? 3 : 2,
             named ? "2 3 \"lid\"\n" : "", named ? 4 : 3, named ? "4 2 2 3 1 5 6 7\n" : "");
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, msh, strlen(msh)) == (ssize_t)strlen(msh));
    close(fd);
    snprintf(file, sizeof(file), "%s.msh", path);
    CHECK(rename(path, file) == 0);
    snprintf(model, sizeof(model), "tenon: 1\nmeshes: {t: {file: %s}}\nmaterials: {s: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
             "structures: {t: {mesh: t, material: s}}\nsupports: [{group: foot, fix: all}]\nanalysis: {type: modes}\n", file);
    char *t = report(model, false);
    if (!CHECK(t != NULL)) printf("  %s\n", tn_ctx_message(ctx));
    if (t) HAS(t, named ? "turning about z (groups lid)\n" : "turning about z (a piece of 4 nodes without a group)\n");
    free(t);
    remove(file);
  }
}

/* two tetrahedra that do not touch, one of them flat enough to be poor, and a node twice; the reader leaves out what nothing uses */
static void what_is_wrong_with_a_mesh_is_said(void) {
  static const char msh[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all\"\n$EndPhysicalNames\n$Nodes\n9\n"
      "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 0\n6 2 0 0\n7 1 1 0\n8 1.3 0.3 0.01\n9 5 5 5\n$EndNodes\n"
      "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 5 6 7 8\n$EndElements\n";
  char path[] = "/tmp/tenon-check-XXXXXX", model[600];
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, msh, sizeof(msh) - 1) == (ssize_t)(sizeof(msh) - 1));
  close(fd);
  char named[64];
  snprintf(named, sizeof(named), "%s.msh", path);
  CHECK(rename(path, named) == 0);
  snprintf(model, sizeof(model), "tenon: 1\nmeshes: {t: {file: %s}}\nmaterials: {s: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
           "structures: {t: {mesh: t, material: s}}\nanalysis: {type: modes}\n", named);
  char *t = report(model, false);
  if (CHECK(t != NULL)) {
    HAS(t, "8 nodes; 2 tet4\n");
    HAS(t, "MESH: 1 cell of poor shape");
    HAS(t, "MESH: 2 parts that share no node: 1 cell with cell 1, 1 cell with cell 2\n");
    HAS(t, "MESH: 1 node in the place of another: 2 and 5\n");
    HAS(t, "volume 0.168333 m^3"); /* 1/6 + 0.01/6 */
  }
  free(t);
  remove(named);
}

static void output_is_checked_before_a_run(void) {
  char *t = report(BAR("output: {fields: velocty}\n"), false);
  CHECK(t == NULL);
  HAS(tn_ctx_message(ctx), "no mesh has a field 'velocty'");
  free(t);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(a_bar_is_described);
  RUN(the_solver_is_said_before_a_run);
  RUN(a_piece_that_is_not_held_is_named_by_its_groups);
  RUN(json_has_the_same_figures);
  RUN(what_is_wrong_with_a_mesh_is_said);
  RUN(output_is_checked_before_a_run);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
