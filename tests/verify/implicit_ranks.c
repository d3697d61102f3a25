/* implicit motions of meshes whose factors are by domains: the motion of the whole, on any number of virtual ranks
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "nonlinear/rest_domains.h"
#include "support/check.h"
#include "support/ranks.h"

static bool all;
enum { MOST = 16 };

/* %s: keys of the analysis */
static const struct { const char *text; double within; bool large; } MODEL[] = {
    /* damped by masses and by rates of strain */
    {"meshes: {m: {box: {size: [2, 0.5, 0.4], cells: [8, 3, 2], cell: hex8, distort: 0.1}}}\n"
     "materials: {a: {type: elastic, E: 2e6, nu: 0.3, density: 1000, rayleigh: [3, 1e-4]}}\nstructures: {m: {mesh: m, material: a}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, 100, \"-1e3*sin(20*t)\"]}]\n"
     "analysis: {until: 0.1, method: alpha, steps: equal, step: 0.005%s}\n", 1e-9, false},
    /* two meshes of which neither knows the other, one of shells; a base that moves */
    {"meshes:\n  m: {box: {size: [2, 1, 1], cells: [5, 2, 2], cell: hex8}}\n  n: {plate: {size: [1, 1], cells: [5, 5], cell: quad4}}\n"
     "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 500}, b: {type: elastic, E: 1e8, nu: 0.3, density: 900, rayleigh: [1, 0]}}\n"
     "structures: {m: {mesh: m, material: a}, n: {mesh: n, material: b, thickness: 0.05}}\n"
     "supports: [{structure: m, group: x0, move: {x: 0, y: \"0.01*sin(30*t)\", z: 0}}, {structure: n, group: x0, fix: all}]\n"
     "loads: [{structure: n, group: x1, force: [0, 0, \"5*sin(40*t)\"]}]\n"
     "analysis: {until: 0.1, method: hht, steps: equal, step: 0.005%s}\n", 1e-9, false},
    /* large displacements under error control */
    {"meshes: {m: {box: {size: [2, 0.3, 0.2], cells: [8, 2, 2], cell: hex8}}}\n"
     "materials: {a: {type: neo_hooke, E: 2e6, nu: 0.3, density: 1000}}\nstructures: {m: {mesh: m, material: a, formulation: large}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, 0, \"-300*sin(10*t)\"]}]\n"
     "analysis: {until: 0.15, method: infl_trap, tolerance: 1e-4%s}\n", 1e-8, true},
    /* histories */
    {"planar: true\nmeshes: {m: {plate: {size: [2, 0.4], cells: [10, 3], cell: quad4}}}\n"
     "materials: {a: {type: plastic, E: 2e6, nu: 0.3, yield: 2e3, hardening: 1e5, density: 1000}}\nstructures: {m: {mesh: m, material: a, thickness: 0.1}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, \"-12*sin(15*t)\"]}]\n"
     "analysis: {until: 0.1, method: infl_sdirk, steps: equal, step: 0.01%s}\n", 1e-8, false},
};

typedef struct {
  char text[4096], why[1024];
  double until; /* 0: as the model says */
  rank_answer answer[MOST];
  long factorizations, newton;
} job;

static tn_status move(tni_comm *c, void *user) {
  job *j = user;
  rank_answer *out = &j->answer[c->rank];
  char whole[8192];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(whole, sizeof(whole), "tenon: 1\n%s", j->text);
  tn_status st = tn_spec_read_text(c->ctx, "test", whole, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, spec, &model);
  tn_run_opts o = {.until = j->until};
  if (st == TN_OK) st = tn_sim_create(c->ctx, model, &o, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, sim->set.until);
  if (st == TN_OK) {
    tn_summary sum;
    int n = sim->s->nv;
    tn_sim_summary(sim, &sum);
    snprintf(out->system, sizeof(out->system), "%s", sum.method);
    out->n = 2*n;
    out->q = malloc((2*(size_t)n + 1)*sizeof(double));
    double q = 0, v = 0;
    for (int i = 0; i < n; i++) q = fmax(q, fabs(sim->it->now.q[i])), v = fmax(v, fabs(sim->it->now.v[i]));
    for (int i = 0; i < n; i++) out->q[i] = sim->it->now.q[i]/q, out->q[n + i] = sim->it->now.v[i]/v;
    if (c->rank == 0) j->factorizations = sim->it->stats.factorizations, j->newton = sim->it->stats.newton;
  }
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static tn_status run(job *j, int model, const char *keys, int ranks, long *messages) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(j, 0, sizeof(*j));
  if (!all && MODEL[model].large) j->until = 0.015; /* steps under error control: 1.2 million messages to its end */
  snprintf(j->text, sizeof(j->text), MODEL[model].text, keys);
  tn_status st = tni_comm_run_local(ctx, ranks, move, j, messages, NULL);
  snprintf(j->why, sizeof(j->why), "%s", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

static void forget(job *j) {
  for (int r = 0; r < MOST; r++) {
    free(j->answer[r].q);
    j->answer[r].q = NULL;
  }
}

static void agree(const job *many, const job *one, int model, const char *keys, int ranks) {
  double off = 0;
  for (int r = 1; r < ranks; r++)
    CHECK(many->answer[r].q && memcmp(many->answer[r].q, many->answer[0].q, (size_t)many->answer[0].n*sizeof(double)) == 0);
  CHECK_INT(many->answer[0].n, one->answer[0].n);
  for (int i = 0; i < one->answer[0].n && many->answer[0].q; i++) off = fmax(off, fabs(many->answer[0].q[i] - one->answer[0].q[i]));
  if (!CHECK(off <= MODEL[model].within)) printf("  model %d%s, %d ranks: %.2e\n", model, keys, ranks, off);
}

static void motions_by_domains_are_those_of_the_whole(void) {
  static job one, many;
  for (int m = 0; m < TNI_COUNT(MODEL); m++) {
    if (!CHECK(run(&one, m, "", 1, NULL) == TN_OK)) printf("  model %d: %s\n", m, one.why);
    CHECK(strstr(one.answer[0].system, "domains") == NULL);
    for (int s = 0; s < TNI_NCUT_SOLVER; s++) {
      char keys[128];
      if (!all && (m + s) % 5) continue;
      snprintf(keys, sizeof(keys), ", solver: %s, domains: 5", tni_cut_solver_names[s]);
      if (!CHECK(run(&many, m, keys, 1, NULL) == TN_OK)) printf("  model %d%s: %s\n", m, keys, many.why);
      CHECK(strstr(many.answer[0].system, tni_cut_solver_names[s]) && strstr(many.answer[0].system, "domains"));
      /* the matrix is the same one, damping and all: Newton's method converges as fast */
      if (m == 0) CHECK(many.factorizations == one.factorizations && many.newton == one.newton);
      agree(&many, &one, m, keys, 1);
      forget(&many);
    }
    forget(&one);
  }
}

/* without being asked, with a solver that is named, with more ranks than domains, on many */
static void ranks_move_meshes_as_one_does(void) {
  static const struct { int ranks; const char *keys; } on[] = {{2, ""}, {3, ", solver: schur, domains: 7"}, {4, ""}, {5, ", solver: feti_dp, domains: 3"},
                                                               {16, ", solver: feti_dp, domains: 16"}};
  static job one, many;
  for (int m = 0; m < TNI_COUNT(MODEL); m++) {
    CHECK(run(&one, m, "", 1, NULL) == TN_OK);
    for (int k = 0; k < TNI_COUNT(on); k++) {
      long messages = 0;
      if (!all && (m + k) % 6) continue;
      if (!CHECK(run(&many, m, on[k].keys, on[k].ranks, &messages) == TN_OK))
        printf("  model %d%s, %d ranks: %s\n", m, on[k].keys, on[k].ranks, many.why);
      CHECK(messages > 0);
      CHECK(strstr(many.answer[0].system, "ranks") != NULL);
      agree(&many, &one, m, on[k].keys, on[k].ranks);
      forget(&many);
    }
    forget(&one);
  }
}

static void refused(const char *text, const char *words) {
  static job j;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(&j, 0, sizeof(j));
  snprintf(j.text, sizeof(j.text), "%s", text);
  tn_status st = tni_comm_run_local(ctx, 1, move, &j, NULL, NULL);
  if (!CHECK(st < 0 && strstr(tn_ctx_message(ctx), words))) printf("  %d: %s\n", (int)st, tn_ctx_message(ctx));
  forget(&j);
  tn_ctx_destroy(&ctx);
}

#define BOX                                                                                                                          \
  "meshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 500}}\n" \
  "supports: [{group: x0, fix: all}]\n"

static void what_cannot_be_is_refused(void) {
  refused(BOX "structures: {m: {mesh: m, material: a, mass: consistent}}\nanalysis: {until: 0.1, method: alpha, solver: feti_dp}\n", "lumped");
  refused(BOX "structures: {m: {mesh: m, material: a}}\nanalysis: {until: 0.1, method: radau, solver: feti_dp}\n", "alpha, hht");
  refused(BOX "structures: {m: {mesh: m, material: a}}\nanalysis: {until: 0.1, method: central, solver: schur}\n", "alpha, hht");
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(motions_by_domains_are_those_of_the_whole);
  RUN(ranks_move_meshes_as_one_does);
  RUN(what_cannot_be_is_refused);
  return REPORT();
}
