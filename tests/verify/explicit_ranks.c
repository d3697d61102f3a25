/* explicit steps of structures that are divided among virtual ranks: the run of one process, the same bits on all ranks, states that any number of
 * ranks goes on from
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/ranks_explicit.h"

#include "support/check.h"

static bool all;
enum { MOST = 32 };

typedef struct {
  explicit_job job;
  char text[4096];
  explicit_answer answer[MOST];
  double *save[MOST];
} group;

static tn_status work(tni_comm *c, void *user) {
  group *g = user;
  explicit_job job = g->job;
  job.save = g->save[c->rank];
  return explicit_run(c->ctx, &job, &g->answer[c->rank]);
}

static void forget(group *g) {
  for (int r = 0; r < MOST; r++) {
    free(g->answer[r].x);
    free(g->save[r]);
    g->answer[r].x = g->save[r] = NULL;
  }
}

static tn_status run(group *g, int model, const char *keys, int ranks, bool saves, const double *load, double between, char *why) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(g, 0, sizeof(*g));
  snprintf(g->text, sizeof(g->text), EXPLICIT_MODELS[model], keys);
  g->job = (explicit_job){.text = g->text, .load = load, .between = between};
  for (int r = 0; r < ranks && saves; r++) g->save[r] = calloc(100000, sizeof(double));
  tn_status st = tni_comm_run_local(ctx, ranks, work, g, NULL, NULL);
  snprintf(why, 1024, "%s", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

static bool same(const explicit_answer *a, const explicit_answer *b) {
  return a->x && b->x && a->n == b->n && memcmp(a->x, b->x, (size_t)a->n*sizeof(double)) == 0 &&
         memcmp(a->energy, b->energy, sizeof(a->energy)) == 0;
}

static bool same_on_all(const group *g, int ranks) {
  for (int r = 1; r < ranks; r++)
    if (!same(&g->answer[r], &g->answer[0])) return false;
  return true;
}

static void ranks_take_the_steps_of_the_whole(void) {
  static group one, many;
  char why[1024], keys[80];
  for (int m = 0; m < EXPLICIT_NMODEL; m++) {
    if (!CHECK(run(&one, m, "", 1, false, NULL, 0, why) == TN_OK)) printf("  model %d: %s\n", m, why);
    CHECK(one.answer[0].steps > 20);
    CHECK(strstr(one.answer[0].system, "ranks") == NULL);
    for (int ranks = 2; ranks <= (all ? MOST : 3); ranks += ranks < 5 ? 1 : 9)
      for (int cut = 0; cut < (all ? TNI_NCUT : 1); cut++) {
        snprintf(keys, sizeof(keys), ", decomposer: %s", tni_cut_names[all ? cut : (m + ranks) % TNI_NCUT]);
        if (!CHECK(run(&many, m, keys, ranks, false, NULL, 0, why) == TN_OK)) printf("  model %d%s, %d ranks: %s\n", m, keys, ranks, why);
        CHECK(same_on_all(&many, ranks));
        CHECK(strstr(many.answer[0].system, "divided among") != NULL);
        double off = explicit_difference(&many.answer[0], &one.answer[0]);
        if (!CHECK(off <= 1e-10)) printf("  model %d%s, %d ranks: %.2e\n", m, keys, ranks, off);
        if (!CHECK(many.answer[0].error <= 1.01*one.answer[0].error + 1e-12))
          printf("  model %d%s: balance %.2e, of one %.2e\n", m, keys, many.answer[0].error, one.answer[0].error);
        forget(&many);
      }
    forget(&one);
  }
}

static void the_same_division_gives_the_same_bits_again_and_looks_change_none(void) {
  static group first, again;
  char why[1024];
  for (int m = 0; m < EXPLICIT_NMODEL; m += all ? 1 : 3) {
    CHECK(run(&first, m, "", 3, false, NULL, 0, why) == TN_OK);
    for (int k = 0; k < 2; k++) {
      CHECK(run(&again, m, "", 3, false, NULL, k ? 0.0211 : 0, why) == TN_OK);
      CHECK(again.answer[0].x && again.answer[0].n == first.answer[0].n &&
            memcmp(again.answer[0].x, first.answer[0].x, (size_t)first.answer[0].n*sizeof(double)) == 0);
      forget(&again);
    }
    forget(&first);
  }
}

/* a state in the middle of the way, of 3 ranks and of one: on as many ranks the same bits go on, on others the same motion */
static void any_number_of_ranks_goes_on_from_a_state(void) {
  static group whole, on;
  char why[1024];
  for (int m = 0; m < EXPLICIT_NMODEL; m++)
    for (int from = 1; from <= 3; from += 2) {
      if (!all && !(m == EXPLICIT_PLASTIC && from == 3) && !(m == EXPLICIT_PLASTIC + 1 && from == 1)) continue;
      if (!CHECK(run(&whole, m, "", from, true, NULL, 0, why) == TN_OK)) printf("  model %d: %s\n", m, why);
      for (int ranks = 1; ranks <= 4; ranks++) {
        if (!CHECK(run(&on, m, "", ranks, false, whole.save[0], 0, why) == TN_OK)) printf("  model %d, %d ranks: %s\n", m, ranks, why);
        on.answer[0].steps = whole.answer[0].steps;
        double off = explicit_difference(&on.answer[0], &whole.answer[0]);
        if (!CHECK(ranks == from ? same(&on.answer[0], &whole.answer[0]) : off <= 1e-10))
          printf("  model %d from %d on %d ranks: %.2e\n", m, from, ranks, off);
        forget(&on);
      }
      forget(&whole);
    }
}

/* bodies, couplings, springs: every rank takes all steps */
static void what_cannot_be_divided_is_done_by_all(void) {
  static group g;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(&g, 0, sizeof(g));
  g.job.text = "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\n"
               "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a}}\n"
               "supports: [{group: x0, fix: all}]\nnodes: [{group: x1, stiffness: [10, 0, 0]}]\nloads: [{group: x1, traction: [1, 0, 0]}]\n"
               "analysis: {until: 0.1, method: central}\n";
  CHECK_OK(ctx, tni_comm_run_local(ctx, 3, work, &g, NULL, NULL));
  CHECK(same_on_all(&g, 3));
  CHECK(strstr(g.answer[0].system, "ranks") == NULL);
  forget(&g);
  tn_ctx_destroy(&ctx);
}

/* an element that turns inside out on one rank ends all of them, and they say which */
static void an_element_that_fails_ends_all_with_its_name(void) {
  static group g;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(&g, 0, sizeof(g));
  g.job.text = "meshes: {m: {box: {size: [4, 1, 1], cells: [8, 2, 2], cell: hex8}}}\n"
               "materials: {a: {type: neo_hooke, E: 10, nu: 0.3, density: 1}}\nstructures: {m: {mesh: m, material: a, formulation: large}}\n"
               "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [-500, 0, 0]}]\nanalysis: {until: 5, method: central}\n";
  tn_status st = tni_comm_run_local(ctx, 4, work, &g, NULL, NULL);
  CHECK(st == TN_SINGULAR || st == TN_NO_PROGRESS);
  if (!CHECK(strstr(tn_ctx_message(ctx), "element") != NULL)) printf("  %s\n", tn_ctx_message(ctx));
  forget(&g);
  tn_ctx_destroy(&ctx);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(ranks_take_the_steps_of_the_whole);
  RUN(the_same_division_gives_the_same_bits_again_and_looks_change_none);
  RUN(any_number_of_ranks_goes_on_from_a_state);
  RUN(what_cannot_be_divided_is_done_by_all);
  RUN(an_element_that_fails_ends_all_with_its_name);
  return REPORT();
}
