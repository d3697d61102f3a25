/* structures cut into domains: the answers of the whole, by every solver and every rule of cutting
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analyses/modes.h"
#include "analyses/statics.h"
#include "mesh/decompose.h"
#include "nonlinear/rest_domains.h"
#include "support/loaded.h"

static bool all;

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

/* the first three are linear; %s: what goes into analysis */
static const char *const MODELS[] = {
    "meshes: {m: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, traction: [1, 2, 3]}, {group: z1, pressure: 0.5}]\nanalysis: {type: statics%s}\n",
    "planar: true\nmeshes: {m: {plate: {size: [2, 1], cells: [12, 8], cell: quad8, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, plane: stress}}\nsupports: [{group: x0, fix: [x]}, {group: y0, fix: [y]}]\n"
    "loads: [{group: x1, traction: [1, 2, 0]}]\nanalysis: {type: statics%s}\n",
    "meshes: {m: {box: {size: [3, 1, 1], cells: [6, 2, 2], cell: tet10, distort: 0.1}}}\n"
    "materials: {a: {type: orthotropic, E: [1000, 500, 200], nu: [0.3, 0.2, 0.1], G: [200, 150, 100], density: 2}}\n"
    "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}, {group: x1, fix: [z]}]\n"
    "loads: [{structure: m, body_force: [0, 1, 0]}]\nanalysis: {type: statics%s}\n",
    "meshes: {m: {plate: {size: [1, 1], cells: [8, 8], cell: quad4}}}\n"
    "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, thickness: 0.05}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, force: [0, 0, 1]}]\nanalysis: {type: statics%s}\n",
    "meshes: {m: {box: {size: [3, 1, 1], cells: [6, 3, 3], cell: hex8}}}\n"
    "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, force: [0, 0, \"8*t\"]}]\nanalysis: {type: statics, load_steps: 4%s}\n"};

enum { LARGE = 4 };

/* displacements of all unknowns at the end; NULL with the message in why */
static double *solve_text(const char *model, const char *keys, int *n, char *summary, char *why) {
  char text[2048];
  loaded l;
  tn_sim *sim = NULL;
  double *q = NULL;
  snprintf(text, sizeof(text), model, keys);
  load_text(&l, text);
  tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
  if (st == TN_OK) st = tni_statics_run(sim, store_nothing, NULL);
  if (st == TN_OK) {
    *n = sim->s->nq;
    q = malloc((size_t)*n*sizeof(double));
    memcpy(q, sim->at.q, (size_t)*n*sizeof(double));
    snprintf(summary, 256, "%s", sim->sum.system);
    CHECK(sim->sum.unstable <= 0); /* -1: not judged, by pcg */
  } else {
    snprintf(why, 1024, "%s", tn_ctx_message(l.ctx));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return q;
}

static double *solve(int model, const char *keys, int *n, char *summary, char *why) {
  return solve_text(MODELS[model], keys, n, summary, why);
}

static void pieces_give_the_answers_of_the_whole(void) {
  char summary[256], why[1024];
  for (int m = 0; m < TNI_COUNT(MODELS); m++) {
    int n, k;
    double *want = solve(m, "", &n, summary, why), size = 0;
    CHECK(want != NULL);
    if (!want) {
      printf("  model %d: %s\n", m, why);
      continue;
    }
    for (int i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
    for (int s = 0; s < TNI_NCUT_SOLVER; s++)
      for (int rule = 0; rule < TNI_NCUT; rule++)
        for (int d = 1; d <= 12; d = d == 1 ? 2 : d == 2 ? 5 : d + 7) {
          char keys[256];
          double most = 0;
          if (!all && (m + 2*s + 3*rule + d) % 17) continue;
          snprintf(keys, sizeof(keys), ", solver: %s, domains: %d, decomposer: %s", tni_cut_solver_names[s], d, tni_cut_names[rule]);
          double *u = solve(m, keys, &k, summary, why);
          bool ok = CHECK(u != NULL);
          if (!ok) printf("  model %d%s: %s\n", m, keys, why);
          if (!ok) continue;
          CHECK_INT(k, n);
          for (int i = 0; i < n; i++) most = fmax(most, fabs(u[i] - want[i]));
          if (!CHECK(most <= 1e-9*size)) printf("  model %d%s: %.2e\n", m, keys, most/size);
          CHECK(strstr(summary, tni_cut_solver_names[s]) != NULL);
          free(u);
        }
    free(want);
  }
}

/* Few forces along the seams, of solids, plane cells, shells, closed cuts of a tube: displacements are right to what the summary's bound of the
 * energy promises. Jagged cuts are taken as well, with a force for almost every node. */
static void few_forces_come_close_to_the_whole(void) {
  static const char *const MORE[] = {
      "meshes: {m: {booster: {radius: 1, length: 4, cells: [24, 16], rings: 2}}}\n"
      "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, cells: wall, thickness: 0.05}}\nsupports: [{group: z0, fix: all}]\n"
      "loads: [{group: z1, traction: [1, 0.5, 0]}]\nanalysis: {type: statics%s}\n",
      /* domains that share nodes and no face */
      "meshes: {m: {bar: {size: 10, cells: 12}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: [x]}, {group: all, fix: [y, z]}]\n"
      "loads: [{group: all, force: [1, 0, 0]}]\nanalysis: {type: statics%s}\n"};
  static const char *const rules[] = {"strips", "bisect", "metis"};
  char summary[512], why[1024], text[2048];
  for (int m = 0; m < LARGE + TNI_COUNT(MORE); m++) {
    const char *model = m < LARGE ? MODELS[m] : MORE[m - LARGE];
    int n, k;
    double *want = solve_text(model, "", &n, summary, why), size = 0;
    if (!CHECK(want != NULL)) {
      printf("  model %d: %s\n", m, why);
      continue;
    }
    for (int i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
    for (int rule = 0; rule < TNI_COUNT(rules); rule++)
      for (int basis = 0; basis < 2; basis++)
        for (int d = 2; d <= (all ? 9 : 4); d += 2) {
          double most = 0;
          if (!all && (m + rule + basis + d/2) % 3) continue;
          snprintf(text, sizeof(text), ", solver: feti, domains: %d, decomposer: %s, multipliers: %s, refinements: 20", d, rules[rule],
                   basis ? "piecewise" : "polynomial");
          double *u = solve_text(model, text, &k, summary, why);
          if (!CHECK(u != NULL)) printf("  model %d%s: %s\n", m, text, why);
          if (!u) continue;
          for (int i = 0; i < n; i++) most = fmax(most, fabs(u[i] - want[i]));
          /* the gap of energies bounds the square of the error in energy; displacements go with its root */
          const char *said = strstr(summary, "energy within ");
          double gap = said ? fabs(strtod(said + 14, NULL)) : -1;
          CHECK(gap >= 0 && gap <= 1e-3);
          if (!CHECK(most <= (4*sqrt(gap) + 1e-9)*size)) printf("  model %d%s: %.2e, gap %.2e\n", m, text, most/size, gap);
          CHECK(strstr(summary, "approximate") != NULL);
          free(u);
        }
    free(want);
  }
}

/* Columns beyond none, one and two pairs of their critical loads, pi^2 E I/(4 L^2) and nine times that: straight, so that the equilibrium is there, every
 * domain stable by itself. Two negative eigenvalues for each load that is passed, because the section is square. */
static void stability_is_that_of_the_whole(void) {
  static const char model[] =
      "meshes: {m: {box: {size: [10, 1, 1], cells: [10, 2, 2], cell: hex20}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0, density: 1}}\n"
      "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
      "loads: [{group: x1, force: [%g, 0, 0]}]\nanalysis: {type: statics%s}\n";
  static const double load[] = {-1900, -3000, -21000};
  for (int k = 0; k < TNI_COUNT(load); k++)
    for (int s = 0; s < TNI_CUT_PCG; s++)
      for (int d = 1; d <= 6; d += 5) {
        char text[1000], keys[100];
        loaded l;
        tn_sim *sim = NULL;
        if (!all && (k + s + d) % 2) continue;
        if (d == 1 && k > 0 && s == TNI_CUT_SCHUR_CG) continue; /* iterations on what is inside a single domain: there are none */
        snprintf(keys, sizeof(keys), ", solver: %s, domains: %d", tni_cut_solver_names[s], d);
        snprintf(text, sizeof(text), model, load[k], keys);
        load_text(&l, text);
        tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
        if (st == TN_OK) st = tni_statics_run(sim, store_nothing, NULL);
        if (!CHECK(st == TN_OK)) printf("  load %g%s: %s\n", load[k], keys, tn_ctx_message(l.ctx));
        if (st == TN_OK && !CHECK_INT(sim->sum.unstable, 2*k)) printf("  load %g%s\n", load[k], keys);
        tn_sim_destroy(&sim);
        unload(&l);
      }
}

/* A lattice of which every domain is a mechanism: feti finds what moves. */
static void lattices_are_solved_by_domains_that_are_mechanisms(void) {
  static const char model[] = "meshes: {m: {box_truss: {size: [10, 1, 1], cells: 10}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [1, 0.5, 2]}]\n"
      "analysis: {type: statics%s}\n";
  char summary[256], why[1024], keys[100];
  int n, k, found = 0;
  double *want = solve_text(model, "", &n, summary, why), size = 0;
  if (!CHECK(want != NULL)) return;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
  for (int d = 2; d <= 10; d += 4)
    for (int rule = 0; rule < TNI_NCUT; rule++) {
      double most = 0;
      snprintf(keys, sizeof(keys), ", solver: feti, domains: %d, decomposer: %s", d, tni_cut_names[rule]);
      double *u = solve_text(model, keys, &k, summary, why);
      if (!CHECK(u != NULL)) printf("  %s: %s\n", keys, why);
      for (int i = 0; u && i < n; i++) most = fmax(most, fabs(u[i] - want[i]));
      if (!CHECK(most <= 1e-9*size)) printf("  %s: %.2e\n", keys, most/size);
      found += u && strstr(summary, "of mechanisms");
      free(u);
    }
  CHECK(found >= 10);
  free(want);
}

/* solvers of the whole, and the one that a limit of memory leads to */
static void every_solver_of_the_whole_gives_the_same_answer(void) {
  static const struct { const char *keys, *says; } way[] = {
      {", solver: fronts", "fronts"}, {", solver: mumps", "mumps"}, {", solver: pcg", "pcg"}, {", solver: skyline", "skyline"},
      {"", "fronts"}, {", memory: 1e-3", "pcg"}, {", memory: 1e-3", "factors need"}, {", memory: 1e5", "fronts"}};
  char summary[256], why[1024];
  for (int m = 0; m < TNI_COUNT(MODELS); m++) {
    int n, k;
    double *want = solve(m, ", solver: schur, domains: 3", &n, summary, why), size = 0;
    CHECK(want != NULL);
    for (int i = 0; want && i < n; i++) size = fmax(size, fabs(want[i]));
    for (int w = 0; want && w < TNI_COUNT(way); w++) {
      if (!all && (m + w) % 3) continue;
      double most = 0, *u = solve(m, way[w].keys, &k, summary, why);
      if (!CHECK(u != NULL)) printf("  model %d%s: %s\n", m, way[w].keys, why);
      if (!u) continue;
      for (int i = 0; i < n; i++) most = fmax(most, fabs(u[i] - want[i]));
      if (!CHECK(most <= 1e-8*size)) printf("  model %d%s: %.2e\n", m, way[w].keys, most/size);
      if (!CHECK(strstr(summary, way[w].says) != NULL)) printf("  model %d%s: %s\n", m, way[w].keys, summary);
      free(u);
    }
    free(want);
  }
}

static int iterations_of(const char *summary) {
  const char *at = strstr(summary, " iterations");
  while (at && at > summary && at[-1] >= '0' && at[-1] <= '9') at--;
  return at ? atoi(at) : -1;
}

/* Motions of domains as a second level: the answer of the whole, whatever the domains, shells' rotations and domains whose motions repeat each other
 * included; on a slender bar iterations do not grow with its length while domains grow in number with it, where one level takes twice as many. */
static void two_levels_give_the_answers_of_the_whole_in_few_iterations(void) {
  static const char bar[] = "meshes: {m: {box: {size: [%d, 1, 1], cells: [%d, 3, 3], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
                            "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [1e-6, 2e-6, 3e-6]}]\n"
                            "analysis: {type: statics, solver: pcg%s}\n";
  static const char *const MORE = "meshes: {m: {bar: {size: 10, cells: 12}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: [x]}, {group: all, fix: [y, z]}]\n"
      "loads: [{group: all, force: [1, 0, 0]}]\nanalysis: {type: statics%s}\n";
  char summary[256], why[1024], keys[200];
  for (int m = 0; m <= TNI_COUNT(MODELS); m++) {
    const char *model = m < TNI_COUNT(MODELS) ? MODELS[m] : MORE;
    int n, k;
    double *want = solve_text(model, "", &n, summary, why), size = 0;
    if (!CHECK(want != NULL)) continue;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
    for (int rule = 0; rule < TNI_NCUT; rule++)
      for (int d = 1; d <= 12; d = d == 1 ? 2 : d == 2 ? 5 : d + 7) {
        if (!all && (m + 2*rule + d) % 5) continue;
        snprintf(keys, sizeof(keys), ", solver: pcg, preconditioner: domains, domains: %d, decomposer: %s", d, tni_cut_names[rule]);
        double most = 0, *u = solve_text(model, keys, &k, summary, why);
        if (!CHECK(u != NULL)) printf("  model %d%s: %s\n", m, keys, why);
        for (int i = 0; u && i < n; i++) most = fmax(most, fabs(u[i] - want[i]));
        if (!CHECK(most <= 1e-9*size)) printf("  model %d%s: %.2e\n", m, keys, most/size);
        if (u) CHECK(strstr(summary, "motions of them") != NULL);
        free(u);
      }
    free(want);
  }
  int count[2][2];
  for (int longer = 0; longer < 2; longer++)
    for (int two = 0; two < 2; two++) {
      char text[1000];
      int n, length = 20 << longer;
      snprintf(keys, sizeof(keys), ", preconditioner: domains, domains: %d, decomposer: strips", length/2);
      snprintf(text, sizeof(text), bar, length, 2*length, two ? keys : "");
      double *u = solve_text(text, "", &n, summary, why);
      if (!CHECK(u != NULL)) printf("  bar: %s\n", why);
      count[longer][two] = iterations_of(summary);
      free(u);
    }
  CHECK(count[0][1] > 0 && count[1][1] <= 1.2*count[0][1]);
  CHECK(count[1][0] >= 1.7*count[0][0] && 4*count[1][1] <= count[1][0]);
  if (check_failures) printf("  bar: %d and %d iterations by one level, %d and %d by two\n", count[0][0], count[1][0], count[0][1], count[1][1]);
}

/* eigenvalues [n] of sigma, imaginary parts; NULL with the message in why */
static double *modes_of(const char *model, const char *keys, int *n, int *rigid, char *summary, char *why) {
  char text[2048];
  loaded l;
  tn_sim *sim = NULL;
  tni_modes modes;
  double *omega = NULL;
  snprintf(text, sizeof(text), model, keys);
  load_text(&l, text);
  tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
  if (st == TN_OK) st = tni_modes_compute(sim, &modes);
  if (st == TN_OK) {
    *n = modes.nmode;
    *rigid = modes.nrigid;
    omega = malloc((size_t)(*n + 1)*sizeof(double));
    for (int i = 0; i < *n; i++) omega[i] = modes.mode[i].im;
    snprintf(summary, 256, "%s", sim->sum.system);
  } else {
    snprintf(why, 1024, "%s", tn_ctx_message(l.ctx));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return omega;
}

/* The inverse by domains, eigenvalues below a bound counted by those of the interiors and of the borders: frequencies are those of the whole, held and
 * free, solids, shells, lattices; double ones twice (a square plate); as many asked for as there are. */
static void modes_by_domains_are_those_of_the_whole(void) {
  static const char *const model[] = {
      "meshes: {m: {box: {size: [3, 1, 0.7], cells: [8, 3, 3], cell: hex8, distort: 0.1}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nanalysis: {type: modes, modes: 9%s}\n",
      "meshes: {m: {box: {size: [3, 1, 0.7], cells: [8, 3, 3], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a}}\nanalysis: {type: modes, modes: 12%s}\n",
      "meshes: {m: {plate: {size: [1, 1], cells: [8, 8], cell: quad4}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, thickness: 0.05}}\nsupports: [{group: x0, fix: all}, {group: x1, fix: all}, {group: y0, fix: all}, {group: y1, fix: all}]\n"
      "analysis: {type: modes, modes: 6%s}\n",
      "meshes: {m: {bar: {size: 10, cells: 12}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
      "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: [x]}, {group: all, fix: [y, z]}]\nanalysis: {type: modes, modes: 12%s}\n"};
  char summary[256], why[1024], keys[200];
  for (int m = 0; m < TNI_COUNT(model); m++) {
    int n, k, rigid, found;
    double *want = modes_of(model[m], "", &n, &rigid, summary, why);
    if (!CHECK(want != NULL)) continue;
    CHECK_INT(rigid, m == 1 ? 6 : 0);
    if (m == 2) CHECK_NEAR(want[3], want[2], 1e-7);
    for (int s = 0; s < TNI_NCUT_SOLVER; s++)
      for (int d = 1; d <= 9; d += 4) {
        if (!all && (m + s + d/4) % 3) continue;
        snprintf(keys, sizeof(keys), ", solver: %s, domains: %d", tni_cut_solver_names[s], d);
        if (m == 1 && s == TNI_CUT_FETI) { /* free: refused by name */
          CHECK(!modes_of(model[m], keys, &k, &found, summary, why) && strstr(why, "feti_dp or schur"));
          continue;
        }
        double *got = modes_of(model[m], keys, &k, &found, summary, why);
        if (!CHECK(got != NULL)) printf("  model %d%s: %s\n", m, keys, why);
        if (!got) continue;
        CHECK_INT(k, n);
        CHECK_INT(found, rigid);
        for (int i = rigid; i < n && k == n; i++)
          if (!CHECK_NEAR(got[i], want[i], 1e-8)) printf("  model %d%s, mode %d\n", m, keys, i);
        CHECK(strstr(summary, tni_cut_solver_names[s]) != NULL);
        free(got);
      }
    free(want);
  }
}

static void what_cannot_be_cut_is_refused(void) {
  static const struct { const char *text, *says; } bad[] = {
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [1, 0, 0]}]\n"
       "analysis: {type: statics, solver: feti, domains: 9}\n", "has 8 cells"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a, hold: {hub: x1}}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: feti, domains: 2, multipliers: polynomial}\n", "1 bodies"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: [x]}]\nloads: [{group: x1, traction: [1, 0, 0]}]\n"
       "analysis: {type: statics, solver: feti, domains: 2}\n", "not held"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [1, 0, 0]}]\n"
       "analysis: {until: 1, solver: feti}\n", "statics of structures"},
      {"meshes: {m: {box_truss: {size: [10, 1, 1], cells: 10}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [1, 0.5, 2]}]\n"
       "analysis: {type: statics, solver: feti, domains: 2, multipliers: polynomial}\n", "it is a mechanism"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: feti_dp, domains: 2, multipliers: piecewise}\n", "is for solver feti, not feti_dp"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: feti, domains: 2, degree: 3}\n", "'degree' is for few forces"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: feti, domains: 2, multipliers: polynomial, multiplier_nodes: nowhere}\n", "no group 'nowhere'"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, multipliers: polynomial}\n", "is for solver feti, not auto"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: feti, preconditioner: domains}\n", "is for 'solver: pcg', not feti"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
       "analysis: {type: statics, solver: pcg, matrix: free, preconditioner: domains}\n", "needs 'matrix: assembled'"},
      {"meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
       "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: [x]}]\nloads: [{group: x1, traction: [1, 0, 0]}]\n"
       "analysis: {type: statics, solver: pcg, preconditioner: domains, domains: 2}\n", "not held"}};
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    loaded l;
    tn_sim *sim = NULL;
    load_text(&l, bad[i].text);
    tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
    if (st == TN_OK) st = tni_statics_run(sim, store_nothing, NULL);
    CHECK(st != TN_OK);
    if (!CHECK(strstr(tn_ctx_message(l.ctx), bad[i].says) != NULL)) printf("  model %d: %s\n", i, tn_ctx_message(l.ctx));
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(pieces_give_the_answers_of_the_whole);
  RUN(few_forces_come_close_to_the_whole);
  RUN(stability_is_that_of_the_whole);
  RUN(lattices_are_solved_by_domains_that_are_mechanisms);
  RUN(every_solver_of_the_whole_gives_the_same_answer);
  RUN(two_levels_give_the_answers_of_the_whole_in_few_iterations);
  RUN(modes_by_domains_are_those_of_the_whole);
  RUN(what_cannot_be_cut_is_refused);
  return REPORT();
}
