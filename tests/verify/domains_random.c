/* Random structures by random solvers over random domains and ranks, against the whole at once: the answers agree to 1e-9, or a run ends with a
 * reason. Shapes of cells, supports (whole faces, single components, few nodes), loads, materials, mixed dimensions, two meshes in one model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <unistd.h>

#include "mesh/decompose.h"
#include "nonlinear/rest_domains.h"
#include "support/check.h"
#include "support/ranks.h"

static bool all;
static uint64_t seed;

enum { MOST = 32 };

typedef struct { char text[4096]; rank_answer answer[MOST]; } job;

static int pick(int n) { return (int)((1 + check_random(&seed))/2*n) % n; }
static double between(double low, double high) { return low + (high - low)*(1 + check_random(&seed))/2; }

static void add(char *text, const char *format, ...) {
  va_list list;
  size_t n = strlen(text);
  va_start(list, format);
  vsnprintf(text + n, 4096 - n, format, list);
  va_end(list);
}

/* one structure: mesh, material, structure, supports, loads as parts of their sections */
typedef struct { char mesh[400], material[400], structure[400], support[600], load[800]; bool large; } piece;

static void random_piece(piece *p, const char *name, bool *planar) {
  static const char *const solid[] = {"hex8", "hex20", "tet4", "tet10", "wedge6"}, *const flat[] = {"quad4", "quad8", "tri3", "tri6"};
  memset(p, 0, sizeof(*p));
  int kind = *planar ? 4 : pick(4);
  const char *a = "x0", *b = "x1";
  char extra[200] = "";
  if (kind == 0) {
    const char *cell = solid[pick(5)];
    int fine = strcmp(cell, "hex8") == 0 || strcmp(cell, "wedge6") == 0 ? 2 : 1;
    snprintf(p->mesh, sizeof(p->mesh), "%s: {box: {size: [%.3g, 1, %.3g], cells: [%d, %d, %d], cell: %s, distort: %.2g}}", name, between(1, 5), between(0.3, 1.5),
             fine*(2 + pick(4)), fine*(1 + pick(2)), fine*(1 + pick(2)), cell, between(0, 0.15));
  } else if (kind == 1) { /* shells */
    snprintf(p->mesh, sizeof(p->mesh), "%s: {panel: {radius: %.3g, length: %.3g, angle: %.3g, cells: [%d, %d]}}", name, between(1, 3), between(1, 4), between(0.4, 2.5),
             4 + pick(6), 3 + pick(6));
    snprintf(extra, sizeof(extra), ", thickness: %.3g", between(0.02, 0.1));
  } else if (kind == 2) { /* lattice */
    snprintf(p->mesh, sizeof(p->mesh), "%s: {box_truss: {size: [%.3g, 1, 1], cells: %d}}", name, between(3, 8), 3 + pick(8));
    snprintf(extra, sizeof(extra), ", area: 0.01");
  } else if (kind == 3) {
    snprintf(p->mesh, sizeof(p->mesh), "%s: {cylinder: {radius: %.3g, length: %.3g, cells: [%d, %d]}}", name, between(0.5, 1.5), between(1, 4), 1 + pick(3), 3 + pick(5));
    a = "z0", b = "z1";
  } else {
    snprintf(p->mesh, sizeof(p->mesh), "%s: {plate: {size: [%.3g, 1], cells: [%d, %d], cell: %s, distort: %.2g}}", name, between(1, 5), 4 + pick(8), 2 + pick(6), flat[pick(4)],
             between(0, 0.15));
    snprintf(extra, sizeof(extra), ", plane: %s", pick(2) ? "stress" : "strain");
  }
  p->large = kind == 0 && pick(5) == 0;
  snprintf(p->material, sizeof(p->material), "%s: {type: %s, E: %.3g, nu: %.3g, density: 2}", name, p->large ? "neo_hooke" : "elastic", pow(10, between(2, 6)), between(0, 0.4));
  snprintf(p->structure, sizeof(p->structure), "%s: {mesh: %s, material: %s%s%s}", name, name, name, extra, p->large ? ", formulation: large" : "");
  static const char *const fix[] = {"all", "all", "all", "[x, y]", "[x]", "[x, z]"};
  const char *how = *planar ? (const char *[]){"all", "[x]", "[x, y]"}[pick(3)] : fix[pick(6)];
  snprintf(p->support, sizeof(p->support), "{structure: %s, group: %s, fix: %s}", name, a, how);
  if (pick(3) == 0) add(p->support, ", {structure: %s, group: %s, fix: %s}", name, b, *planar ? "[y]" : pick(2) ? "[y, z]" : "[y]");
  /* small against the stiffness, so that large displacements stay moderate */
  snprintf(p->load, sizeof(p->load), "{structure: %s, group: %s, force: [%.3g, %.3g, %.3g]}", name, b, 1e-2*check_random(&seed), 1e-2*check_random(&seed),
           *planar ? 0 : 1e-2*check_random(&seed));
  if (pick(2) && kind != 2) add(p->load, ", {structure: %s, body_force: [%.3g, %.3g, %.3g]}", name, 1e-3*check_random(&seed), 1e-3*check_random(&seed), *planar ? 0 : 1e-3*check_random(&seed));
}

static bool random_model(char *text, const char *keys) {
  piece p[2];
  bool planar = pick(4) == 0;
  int n = 1 + (pick(4) == 0);
  for (int i = 0; i < n; i++) random_piece(&p[i], i ? "b" : "a", &planar);
  text[0] = 0;
  if (planar) add(text, "planar: true\n");
  add(text, "meshes: {%s%s%s}\nmaterials: {%s%s%s}\nstructures: {%s%s%s}\nsupports: [%s%s%s]\nloads: [%s%s%s]\n", p[0].mesh, n > 1 ? ", " : "", n > 1 ? p[1].mesh : "",
      p[0].material, n > 1 ? ", " : "", n > 1 ? p[1].material : "", p[0].structure, n > 1 ? ", " : "", n > 1 ? p[1].structure : "", p[0].support, n > 1 ? ", " : "",
      n > 1 ? p[1].support : "", p[0].load, n > 1 ? ", " : "", n > 1 ? p[1].load : "");
  add(text, "analysis: {type: statics%s}\n", keys);
  return n > 1;
}

static tn_status work(tni_comm *c, void *user) {
  job *j = user;
  return rank_statics(c->ctx, j->text, &j->answer[c->rank]);
}

static tn_status run(job *j, int ranks, char *why) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_status st = tni_comm_run_local(ctx, ranks, work, j, NULL, NULL);
  snprintf(why, 1024, "%s", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

static void forget(job *j) {
  for (int r = 0; r < MOST; r++) free(j->answer[r].q), j->answer[r].q = NULL;
}

static int agreed, refused, unheld, mechanisms;
static void make_bent(uint64_t at, char *text, const char *keys);

/* Three random ways to solve the model that `make` writes for `at`, against the whole; the answer of the whole is there, or nobody has one. */
static void compare(uint64_t number, uint64_t at, void (*make)(uint64_t at, char *text, const char *keys), const char *more, bool tell) {
  static job whole, cut;
  static const int ranks_of[] = {1, 1, 2, 3, 4, 7, 32};
  char why[1024], keys[300];
  snprintf(keys, sizeof(keys), ", solver: fronts%s", more);
  make(at, whole.text, keys);
  tn_status st = run(&whole, 1, why);
  if (tell) printf("%s%s\n", whole.text, st == TN_OK ? "" : why);
  for (int k = 0; k < 3; k++) {
    seed = at + 0x9E3779B97F4A7C15u*((uint64_t)k + 1);
    for (int i = 0; i < 4; i++) check_random(&seed);
    int solver = make == make_bent ? pick(TNI_CUT_SCHUR_CG) : pick(TNI_NCUT_SOLVER + 1), domains = 1 + pick(12), rule = pick(TNI_NCUT), ranks = make == make_bent ? 1 + pick(4) : ranks_of[pick(7)];
    bool coarse = solver == TNI_NCUT_SOLVER;
    if (coarse || solver == TNI_CUT_PCG) solver = TNI_CUT_PCG;
    snprintf(keys, sizeof(keys), ", solver: %s%s, domains: %d, decomposer: %s%s", tni_cut_solver_names[solver], coarse ? ", preconditioner: domains" : "", domains,
             tni_cut_names[rule], more);
    make(at, cut.text, keys);
    tn_status got = run(&cut, ranks, why);
    if (tell) printf("%s, %d ranks: %s\n", keys, ranks, got == TN_OK ? cut.answer[0].system : why);
    if (st != TN_OK) { /* not held: nobody may find an answer and call it stable; who has no factors does not see motions that no load excites */
      unheld++;
      /* of bent ones the whole may have lost its way */
      if (make != make_bent && !CHECK(got != TN_OK || (solver == TNI_CUT_PCG && cut.answer[0].unstable < 0))) printf("  model %ld%s, %d ranks: has an answer, the whole has none\n", (long)number, keys, ranks);
    } else if (got != TN_OK) {
      refused++;
      if (!CHECK(got == TN_ERR_UNSUPPORTED || got == TN_SINGULAR || got == TN_ERR_INPUT || got == TN_NOT_CONVERGED) || !CHECK(why[0]))
        printf("  model %ld%s, %d ranks: %d, %s\n", (long)number, keys, ranks, (int)got, why);
      /* what feti is told or finds out about domains is enough; more domains than cells are refused to all */
      if (solver == TNI_CUT_FETI && !CHECK(strstr(why, "cells"))) printf("  model %ld%s, %d ranks: %s\n", (long)number, keys, ranks, why);
      if (all || tell) printf("  refused: model %ld%s, %d ranks: %s\n", (long)number, keys, ranks, why);
    } else {
      agreed++;
      mechanisms += strstr(cut.answer[0].system, "of mechanisms") != NULL;
      for (int r = 1; r < ranks; r++)
        CHECK(cut.answer[r].q && cut.answer[r].n == cut.answer[0].n && memcmp(cut.answer[r].q, cut.answer[0].q, (size_t)cut.answer[0].n*sizeof(double)) == 0);
      double off = rank_difference(&cut.answer[0], &whole.answer[0]);
      /* unknowns of large rotations are sums of the steps on the way, which differ */
      if (make == make_bent && strstr(whole.text, "thickness")) off = fabs(cut.answer[0].energy/whole.answer[0].energy - 1);
      if (!CHECK(off <= 1e-9)) printf("  model %ld%s, %d ranks: off by %.2e\n", (long)number, keys, ranks, off);
    }
    forget(&cut);
  }
  forget(&whole);
}

static void make_generated(uint64_t at, char *text, const char *keys) {
  seed = at;
  random_model(text, keys);
}

static uint64_t place_of(uint64_t number) {
  seed = 77 + 1000003*number;
  for (int k = 0; k < 3; k++) check_random(&seed);
  return seed;
}

static void one_model(uint64_t number, bool tell) { compare(number, place_of(number), make_generated, "", tell); }

static void random_structures_have_the_answers_of_the_whole(void) {
  for (uint64_t i = 0; i < (all ? 400 : 20); i++) one_model(i, false);
  printf("  %d agree, %d end with a reason, %d are not held\n", agreed, refused, unheld);
  CHECK(agreed >= 3*refused);
}

/* ---- meshes that are hard to cut ------------------------------------------------------------------------------- */

/* Bricks (or squares) of a grid of which many are missing, so that others touch at edges and corners only, or nowhere; bars between nodes that may be the
 * only thing that holds them. Written as a deck beside the model. */
static const char *deck_path(void) {
  static char path[200];
  snprintf(path, sizeof(path), "domains_random_%ld.inp", (long)getpid());
  return path;
}

static void make_holes(uint64_t at, char *text, const char *keys) {
  seed = at;
  bool flat = pick(3) == 0, large = !flat && pick(4) == 0;
  int n[3] = {2 + pick(5), 1 + pick(4), flat ? 0 : 1 + pick(3)}, bars = flat || pick(2) ? 0 : pick(7), cell = 0;
  double full = between(0.45, 0.95);
  int stride[2] = {(n[1] + 1)*(n[2] + 1), n[2] + 1}, nodes = (n[0] + 1)*stride[0];
  static char list[40000];
  bool used[200] = {false};
  FILE *f = fopen(deck_path(), "w");
  if (!CHECK(f)) return;
  list[0] = 0;
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++)
      for (int k = 0; k < (flat ? 1 : n[2]); k++) {
        if (check_random(&seed) > 2*full - 1 && i > 0) continue;
        int a = i*stride[0] + j*stride[1] + k, c[8] = {a, a + stride[0], a + stride[0] + stride[1], a + stride[1]};
        for (int q = 4; q < 8; q++) c[q] = c[q-4] + 1;
        size_t len = strlen(list);
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%d", ++cell);
        for (int q = 0; q < (flat ? 4 : 8); q++) {
          len += (size_t)snprintf(list + len, sizeof(list) - len, ", %d", c[q] + 1);
          used[c[q]] = true;
        }
        snprintf(list + len, sizeof(list) - len, "\n");
      }
  fprintf(f, "*NODE\n");
  for (int v = 0; v < nodes; v++) {
    double x[3] = {v/stride[0], v % stride[0]/stride[1], v % stride[1]};
    for (int q = 0; q < (flat ? 2 : 3); q++) x[q] += 0.1*check_random(&seed);
    if (used[v]) fprintf(f, "%d, %.6f, %.6f, %.6f\n", v + 1, x[0], x[1], x[2]);
  }
  fprintf(f, "*ELEMENT, TYPE=%s, ELSET=bricks\n%s", flat ? "CPS4" : "C3D8", list);
  if (bars > 0) fprintf(f, "*ELEMENT, TYPE=T3D2, ELSET=bars\n");
  for (int b = 0; b < bars; b++) {
    int v = pick(nodes), w = pick(nodes);
    while (!used[v]) v = (v + 1) % nodes;
    while (!used[w] || w == v) w = (w + 1) % nodes;
    fprintf(f, "%d, %d, %d\n", ++cell, v + 1, w + 1);
  }
  fprintf(f, "*NSET, NSET=held\n");
  for (int v = 0; v < nodes; v++)
    if (used[v] && (v < stride[0] || pick(12) == 0)) fprintf(f, "%d\n", v + 1);
  fclose(f);
  text[0] = 0;
  if (flat) add(text, "planar: true\n");
  add(text, "meshes: {m: {file: %s}}\nmaterials: {a: {type: %s, E: 1000, nu: 0.3, density: 1}%s}\n", deck_path(), large ? "neo_hooke" : "elastic",
      bars ? ", b: {type: elastic, E: 1e5, nu: 0.3, density: 1}" : "");
  if (bars) add(text, "structures: {m: {mesh: m, %smaterial: {bricks: {material: a}, bars: {material: b, area: 0.02}}}}\n", large ? "formulation: large, " : "");
  else add(text, "structures: {m: {mesh: m, material: a%s%s}}\n", flat ? ", plane: stress" : "", large ? ", formulation: large" : "");
  add(text, "supports: [{group: held, fix: all}]\nloads: [{structure: m, body_force: [%.3g, %.3g, %.3g]}]\nanalysis: {type: statics%s}\n", 1e-2*check_random(&seed),
      1e-2*check_random(&seed), flat ? 0 : 1e-2*check_random(&seed), keys);
}

static void one_with_holes(uint64_t number, bool tell) { compare(number, place_of(number + 5000), make_holes, "", tell); }

/* Bars and shells that are bent, pulled and pushed by as much as they are long: domains under stress. */
static void make_bent(uint64_t at, char *text, const char *keys) {
  seed = at;
  bool shell = pick(3) == 0, stiff = pick(2);
  double length = between(3, 8), along = check_random(&seed), across = check_random(&seed), also = check_random(&seed);
  int steps = 4 + pick(5);
  text[0] = 0;
  if (shell) {
    double t = between(0.05, 0.15), size = 0.3*t*t*t/length;
    add(text, "meshes: {m: {plate: {size: [%.3g, 1], cells: [%d, %d], cell: quad4}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 1}}\n"
        "structures: {m: {mesh: m, material: a, thickness: %.3g, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
        "loads: [{group: x1, force: [\"%.4g*t\", \"%.4g*t\", \"%.4g*t\"]}]\n", length, 6 + pick(8), 2 + pick(4), t, 1e6*size*along, 1e5*size*across, 1e6*size*also);
  } else {
    double size = 250/length/length;
    add(text, "meshes: {m: {box: {size: [%.3g, 1, 1], cells: [%d, %d, %d], cell: %s}}}\nmaterials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 1}%s}\n"
        "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}%s]\n"
        "loads: [{group: x1, force: [\"%.4g*t\", \"%.4g*t\", \"%.4g*t\"]}]\n", length, 6 + pick(7), 1 + pick(3), 1 + pick(3), stiff ? "hex8" : "tet10", "",
        pick(4) == 0 ? ", {group: x1, fix: [y]}" : "", size*along, size*across, size*also);
  }
  add(text, "analysis: {type: statics, until: 1, load_steps: %d%s}\n", steps, keys);
}

static void one_bent(uint64_t number, bool tell) { compare(number, place_of(number + 9000), make_bent, "", tell); }

static void stressed_domains_have_the_answers_of_the_whole(void) {
  agreed = refused = unheld = mechanisms = 0;
  static const uint64_t few[] = {1, 3, 4, 83}; /* bricks, shells and quadratic tetrahedra, all solvers, small ones */
  if (all) for (uint64_t i = 0; i < 150; i++) one_bent(i, false);
  else for (int i = 0; i < TNI_COUNT(few); i++) one_bent(few[i], false);
  printf("  bent: %d agree, %d end with a reason, %d have no equilibrium\n", agreed, refused, unheld);
  CHECK(agreed >= 3*refused);
}

/* pieces that hang together at single nodes or edges, and several that do not: domains are split there, and what moves then is found */
static void meshes_that_are_hard_to_cut_have_the_answers_of_the_whole(void) {
  agreed = refused = unheld = mechanisms = 0;
  for (uint64_t i = 0; i < (all ? 600 : 25); i++) one_with_holes(i, false);
  printf("  with holes: %d agree, %d of them with mechanisms, %d end with a reason, %d are not held\n", agreed, mechanisms, refused, unheld);
  CHECK(agreed >= 3*refused);
  remove(deck_path());
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (argc > 3) one_bent((uint64_t)atol(argv[3]), true);
  else if (argc > 2) one_with_holes((uint64_t)atol(argv[2]), true);
  else if (argc > 1 && !all) one_model((uint64_t)atol(argv[1]), true);
  else {
    RUN(random_structures_have_the_answers_of_the_whole);
    RUN(stressed_domains_have_the_answers_of_the_whole);
    RUN(meshes_that_are_hard_to_cut_have_the_answers_of_the_whole);
  }
  return REPORT();
}
