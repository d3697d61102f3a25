/* small structures on two and three virtual ranks: every solver gives the answer of the whole, also with bodies around them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/ranks.h"

#include "nonlinear/rest_domains.h"
#include "support/check.h"

#define BOX                                                                                                \
  "meshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], distort: 0.1}}}\n"                               \
  "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"

static const char *const models[] = {
    BOX "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, traction: [1, 2, 3]}, {group: z1, pressure: 0.5}]\nanalysis: {type: statics%s}\n",
    BOX "gravity: [0.3, 0, -2]\nstructures: {m: {mesh: m, material: a, hold: {root: x0}}}\n"
    "bodies: {hub: {mass: 2, inertia: [0.3, 0.2, 0.4], at: [0, 0, 0]}}\n"
    "joints: {foot: {type: fixed, bodies: [hub, root], at: [0, 0, 0]}, pin: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}}\n"
    "forces: [{type: torsion_spring, joint: pin, stiffness: 90}]\nanalysis: {type: statics%s}\n",
    "planar: true\nmeshes: {m: {plate: {size: [4, 1], cells: [8, 3], cell: quad4, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a, plane: stress}}\n"
    "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [1, 2, 0]}]\nanalysis: {type: statics%s}\n"};

typedef struct {
  char text[2048];
  rank_answer answer[4];
} job;

static tn_status work(tni_comm *c, void *user) {
  job *j = user;
  return rank_statics(c->ctx, j->text, &j->answer[c->rank]);
}

static tn_status run(job *j, int model, const char *keys, int ranks) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(j, 0, sizeof(*j));
  snprintf(j->text, sizeof(j->text), models[model], keys);
  tn_status st = tni_comm_run_local(ctx, ranks, work, j, NULL, NULL);
  if (st != TN_OK) printf("  model %d%s, %d ranks: %s\n", model, keys, ranks, tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

static void forget(job *j) {
  for (int r = 0; r < 4; r++) free(j->answer[r].q);
}

static void ranks_give_the_answers_of_the_whole(void) {
  for (int m = 0; m < TNI_COUNT(models); m++) {
    job one, many;
    if (!CHECK(run(&one, m, "", 1) == TN_OK)) continue;
    for (int s = 0; s <= TNI_NCUT_SOLVER; s++)
      for (int ranks = 2; ranks <= 3; ranks++) {
        char keys[128];
        bool two_levels = s == TNI_NCUT_SOLVER, pcg = two_levels || s == TNI_CUT_PCG;
        if (m == 1 && pcg) continue; /* refused: bodies around it */
        snprintf(keys, sizeof(keys), ", solver: %s, domains: %d%s", pcg ? "pcg" : tni_cut_solver_names[s], pcg && !two_levels ? ranks : 4,
                 two_levels ? ", preconditioner: domains" : "");
        if (!CHECK(run(&many, m, keys, ranks) == TN_OK)) continue;
        for (int r = 1; r < ranks; r++)
          CHECK(many.answer[r].n == many.answer[0].n && memcmp(many.answer[r].q, many.answer[0].q, (size_t)many.answer[0].n*sizeof(double)) == 0);
        double off = rank_difference(&many.answer[0], &one.answer[0]);
        if (!CHECK(off <= 1e-9)) printf("  model %d%s, %d ranks: %.2e\n", m, keys, ranks, off);
        forget(&many);
      }
    forget(&one);
  }
}

int main(void) {
  RUN(ranks_give_the_answers_of_the_whole);
  return REPORT();
}
