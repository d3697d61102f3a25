/* verification of load cases: each is what a model with its loads alone gives, combinations add up, and one factorization serves all
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/fields.h"

enum { CASES = 4, FIELDS = 3 };
static const char *const FIELD[FIELDS] = {"displacement", "reaction", "stress"};

typedef struct {
  tn_sim *sim;
  int n;
  double *field[CASES][FIELDS];
  size_t size[FIELDS];
} seen;

static tn_status keep(void *user) {
  seen *w = user;
  const tni_part *p = &w->sim->model->part[0];
  for (int f = 0; f < FIELDS; f++) {
    w->field[w->n][f] = field(w->sim, FIELD[f]);
    w->size[f] = (size_t)p->field[field_of(p, FIELD[f])].ncomponent*(size_t)p->mesh->nnode;
  }
  w->n++;
  return TN_OK;
}

static void run_all(const char *text, seen *w, loaded *l) {
  memset(w, 0, sizeof(*w));
  load_text(l, text);
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, NULL, &w->sim));
  CHECK_OK(l->ctx, tni_statics_run(w->sim, keep, w));
}

static void forget(seen *w, loaded *l) {
  for (int i = 0; i < w->n; i++)
    for (int f = 0; f < FIELDS; f++) free(w->field[i][f]);
  tn_sim_destroy(&w->sim);
  unload(l);
}

static const char *const MODEL =
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 2], cell: %s, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a%s}}\n"
    "supports: [{group: x0, fix: all}%s]\n"
    "loads:\n  - {group: z1, pressure: %.17g%s}\n  - {group: x1, force: [%.17g, 2, %.17g]%s}\n"
    "  - {group: y1, traction: [0, %.17g, 1]%s}\n  - {structure: m, spin: %.17g, at: [0.3, 0, 0], axis: [0, 1, 1]%s}\n"
    "  - {structure: m, body_force: [0.1, 0, %.17g]}\nanalysis: {type: statics, solver: %s%s}\n";

static void cases_are_those_of_single_runs_and_add_up(void) {
  static const char *const cell[] = {"hex8", "tet10", "hex8"}, *const more[] = {"", "", ", element: bbar"};
  static const char *const solver[] = {"fronts", "mumps", "skyline", "pcg"};
  seed = 17;
  for (int round = 0; round < 8; round++) {
    double p = 3*draw(), fx = 2*draw(), fz = 2*draw(), ty = draw(), w = 1 + 0.5*draw(), g = draw();
    double factor[3] = {2*draw(), 2*draw(), 1 + draw()};
    bool moved = round % 2;
    const char *move = moved ? ", {group: node 4, move: {x: 0.01}}" : "", *by = solver[round % 4];
    char text[2048], cases[256];
    loaded l;
    seen all, one;
    snprintf(cases, sizeof(cases), ", cases: {press: {press: 1}, pull: {pull: 1}, whirl: {whirl: 1}, most: {press: %.17g, pull: %.17g, whirl: %.17g}}",
             factor[0], factor[1], factor[2]);
    snprintf(text, sizeof(text), MODEL, cell[round % 3], more[round % 3], move, p, ", case: press", fx, fz, ", case: pull", ty, ", case: pull", w,
             ", case: whirl", g, by, cases);
    run_all(text, &all, &l);
    CHECK_INT(all.n, CASES);
    CHECK_INT(all.sim->case_factorizations, 1);
    CHECK_INT(all.sim->sum.unstable, strcmp(by, "pcg") == 0 ? -1 : 0);
    double worst = 0;
    for (int c = 0; c < CASES; c++) { /* c = 3: the loads times their factors */
      double a = c == 3 ? factor[0] : c == 0, b = c == 3 ? factor[1] : c == 1, e = c == 3 ? factor[2] : c == 2;
      loaded single;
      snprintf(text, sizeof(text),
               "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 2], cell: %s, distort: 0.1}}}\n"
               "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a%s}}\n"
               "supports: [{group: x0, fix: all}%s]\nloads:\n  - {group: z1, pressure: %.17g}\n  - {group: x1, force: [%.17g, %.17g, %.17g]}\n"
               "  - {group: y1, traction: [0, %.17g, %.17g]}\n  - {structure: m, spin: %.17g, at: [0.3, 0, 0], axis: [0, 1, 1]}\n"
               "  - {structure: m, body_force: [0.1, 0, %.17g]}\nanalysis: {type: statics}\n",
               cell[round % 3], more[round % 3], move, a*p, b*fx, b*2, b*fz, b*ty, b, sqrt(e)*w, g);
      run_all(text, &one, &single);
      for (int f = 0; f < FIELDS && c < all.n && one.n == 1; f++) {
        double size = 0, off = 0;
        for (size_t i = 0; i < one.size[f]; i++) {
          size = fmax(size, fabs(one.field[0][f][i]));
          off = fmax(off, fabs(one.field[0][f][i] - all.field[c][f][i]));
        }
        worst = fmax(worst, off/size);
      }
      forget(&one, &single);
    }
    if (!CHECK(worst < 1e-7)) printf("  round %d by %s: %.2e\n", round, by, worst);
    forget(&all, &l);
  }
}

static void a_list_names_the_cases_of_loads(void) {
  loaded l;
  seen w;
  run_all("meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0, density: 2}}\n"
          "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
          "loads: [{group: x1, force: [10, 0, 0], case: one}, {group: x1, force: [0, 0, 3], case: two}]\n"
          "analysis: {type: statics, cases: [two, one]}\n", &w, &l);
  CHECK_INT(w.n, 2);
  CHECK_INT(w.sim->case_factorizations, 1);
  /* the second is tension: F L/(E A) at the last node */
  CHECK_NEAR(w.field[1][0][w.size[0] - 3], 0.02, 1e-9);
  CHECK(fabs(w.field[0][0][w.size[0] - 1]) > 0.02);
  forget(&w, &l);
}

static void what_cannot_be_is_named(void) {
  static const struct {
    const char *structure, *loads, *analysis, *says;
  } when[] = {
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics}", "the analysis has no 'cases'"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: modes, cases: [a]}", "cases are for type: statics"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: [a, b]}", "no load has 'case: b'"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: {x: {b: 1}}}", "no entry of the analysis' 'cases' has loads of"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: {x: {a: 1, b: 2}}}", "case 'x': no load has 'case: b'"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: {x: {a: much}}}", "the factor of 'a' must be a number"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: [a], load_steps: 4}", "'load_steps' does not go with 'cases'"},
      {"", "{structure: m, spin: 2, case: a}", "{type: statics, cases: {x: {a: -1}}}", "spin cannot have the factor -1"},
      {"", "{group: x1, force: [\"1 + t\", 0, 0], case: a}", "{type: statics, cases: [a]}", "force depends on t"},
      {"", "{group: x1, force: [1, 0, 0], case: a}, {group: x1, force: [0, \"t\", 0]}", "{type: statics, cases: [a]}", "force depends on t"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: [a]}\nnodes: [{group: x1, temperature: \"3*t\"}]", "temperatures of structure 'm' depend on t"},
      {"", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: [a]}\ncouplings: [{equation: [[node 3, z, 1], [node 6, z, -1]], value: \"t\"}]",
       "couplings of structure 'm' depend on t"},
      {", formulation: large", "{group: x1, force: [1, 0, 0], case: a}", "{type: statics, cases: [a]}", "'cases' need a linear model"},
  };
  for (int k = 0; k < TNI_COUNT(when); k++) {
    tn_ctx *ctx;
    tn_spec *spec = NULL;
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    char text[1024];
    snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0, density: 2}}\n"
             "structures: {m: {mesh: m, material: a%s}}\nsupports: [{group: x0, fix: all}]\nloads: [%s]\nanalysis: %s\n", when[k].structure,
             when[k].loads, when[k].analysis);
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    tn_status st = tn_spec_read_text(ctx, "cases.yaml", text, NULL, 0, &spec);
    if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
    if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
    if (st == TN_OK) st = tni_statics_run(sim, store_nothing, NULL);
    if (!CHECK(st < 0) || !CHECK(strstr(tn_ctx_message(ctx), when[k].says) != NULL))
      printf("  %s\n  instead of %s\n", tn_ctx_message(ctx), when[k].says);
    tn_sim_destroy(&sim);
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

int main(void) {
  RUN(cases_are_those_of_single_runs_and_add_up);
  RUN(a_list_names_the_cases_of_loads);
  RUN(what_cannot_be_is_named);
  return REPORT();
}
