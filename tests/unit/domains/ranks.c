/* small structures on two and three virtual ranks: every solver gives the answer of the whole, also with bodies around them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/ranks.h"
#include "support/ranks_explicit.h"

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

/* explicit steps: matter with a history, damping, a support that moves; states and energies of the whole */
static const char *const marches[] = {
    "gravity: [0, 0, -9.81]\nmeshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], distort: 0.1}}}\n"
    "materials: {a: {type: plastic, E: 1000, nu: 0.3, yield: 3, hardening: 50, density: 1}}\n"
    "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, traction: [0, 0, \"30*t\"]}]\nanalysis: {until: 0.15, method: central}\n",
    "planar: true\ngravity: [0, -1, 0]\nmeshes: {m: {plate: {size: [2, 1], cells: [6, 3], cell: quad4, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, rayleigh: [3, 1e-4]}}\nstructures: {m: {mesh: m, material: a, plane: strain}}\n"
    "supports: [{group: y0, fix: [y]}, {group: x0, move: {x: \"0.01*(1 - cos(20*t))\"}}]\nloads: [{group: x1, traction: [1, 2, 0]}]\n"
    "analysis: {until: 0.15, method: central}\n"};

typedef struct {
  explicit_job job;
  explicit_answer answer[4];
} march;

static tn_status step_on(tni_comm *c, void *user) {
  march *m = user;
  explicit_job mine = m->job;
  return explicit_run(c->ctx, &mine, &m->answer[c->rank]);
}

static void ranks_take_the_explicit_steps_of_the_whole(void) {
  for (int k = 0; k < TNI_COUNT(marches); k++) {
    march of[4];
    memset(of, 0, sizeof(of));
    for (int ranks = 1; ranks <= 3; ranks++) {
      tn_ctx *ctx;
      CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
      of[ranks].job = (explicit_job){.text = marches[k]};
      CHECK_OK(ctx, tni_comm_run_local(ctx, ranks, step_on, &of[ranks], NULL, NULL));
      const explicit_answer *one = &of[1].answer[0];
      CHECK(one->steps > 5 && one->energy[0] > 0 && one->energy[1] > 0 && one->energy[2] > 0);
      for (int r = 0; r < ranks; r++) CHECK(explicit_difference(&of[ranks].answer[r], one) <= 1e-10);
      tn_ctx_destroy(&ctx);
    }
    for (int ranks = 1; ranks <= 3; ranks++)
      for (int r = 0; r < ranks; r++) free(of[ranks].answer[r].x);
  }
}

int main(void) {
  RUN(ranks_take_the_explicit_steps_of_the_whole);
  RUN(ranks_give_the_answers_of_the_whole);
  return REPORT();
}
