/* virtual ranks that work on one run: answers of the whole, the same bits on all of them, ranks without work, ranks that fail
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/advise.h>

#include "analyses/modes.h"
#include "support/ranks.h"

#include "nonlinear/rest_domains.h"
#include "support/check.h"

static bool all;
enum { MOST = 32 };

typedef struct {
  char text[4096];
  rank_answer answer[MOST];
} job;

static tn_status work(tni_comm *c, void *user) {
  job *j = user;
  return rank_statics(c->ctx, j->text, &j->answer[c->rank]);
}

static void forget(job *j) {
  for (int r = 0; r < MOST; r++) {
    free(j->answer[r].q);
    j->answer[r].q = NULL;
  }
}

static tn_status run(job *j, int model, const char *keys, int ranks, long *messages, long *bytes, char *why) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(j, 0, sizeof(*j));
  snprintf(j->text, sizeof(j->text), RANK_MODELS[model], keys);
  tn_status st = tni_comm_run_local(ctx, ranks, work, j, messages, bytes);
  snprintf(why, 1024, "%s", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

static bool same_on_all(const job *j, int ranks) {
  for (int r = 1; r < ranks; r++)
    if (!j->answer[r].q || j->answer[r].n != j->answer[0].n ||
        memcmp(j->answer[r].q, j->answer[0].q, (size_t)j->answer[0].n*sizeof(double)) != 0)
      return false;
  return true;
}

static void ranks_give_the_answers_of_the_whole(void) {
  static job one, many;
  char why[1024];
  for (int m = 0; m < RANK_NMODEL; m++) {
    CHECK(run(&one, m, "", 1, NULL, NULL, why) == TN_OK);
    for (int s = -1; s < TNI_NCUT_SOLVER; s++)
      for (int ranks = 2; ranks <= 7; ranks += 1 + (ranks > 3)) {
        char keys[128] = "";
        long messages;
        if (!all && (m + s + ranks) % 13) continue;
    
        if (s >= 0) snprintf(keys, sizeof(keys), ", solver: %s, domains: %d", tni_cut_solver_names[s], s == TNI_CUT_PCG ? ranks : 7);
        if (!CHECK(run(&many, m, keys, ranks, &messages, NULL, why) == TN_OK)) printf("  model %d%s, %d ranks: %s\n", m, keys, ranks, why);
        CHECK(same_on_all(&many, ranks));
        double off = rank_difference(&many.answer[0], &one.answer[0]);
        if (!CHECK(off <= 1e-9)) printf("  model %d%s, %d ranks: %.2e\n", m, keys, ranks, off);
        CHECK(messages > 0);
        CHECK(strstr(many.answer[0].system, "ranks") != NULL);
        forget(&many);
      }
    forget(&one);
  }
}

/* advice and runs read the same decision */
static void what_is_foreseen_is_what_ranks_take(void) {
  static job many;
  char why[1024];
  for (int m = 0; m < RANK_NMODEL; m++)
    for (int ranks = 2; ranks <= 8 && m != RANK_JOINTS; ranks *= 2) {
      if (!all && (ranks == 2 ? 0 : ranks/4) != m % 3) continue;
      tn_ctx *ctx;
      tn_spec *spec;
      tn_model *model;
      tn_advice row[TN_ADVICE_MAX];
      tn_advised a;
      tn_rates rates = tn_rates_usual();
      char text[8192], want[64];
      int n;
      CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
      snprintf(many.text, sizeof(many.text), RANK_MODELS[m], "");
      snprintf(text, sizeof(text), "tenon: 1\n%s", many.text);
      CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
      CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
      CHECK_OK(ctx, tn_advise(ctx, model, &rates, &(tn_advise_opts){.ranks = ranks}, &n, row, &a));
      CHECK(run(&many, m, "", ranks, NULL, NULL, why) == TN_OK);
      snprintf(want, sizeof(want), "%s, %d domains", a.run, a.run_parts);
      if (!CHECK(strstr(many.answer[0].system, want) && a.run_reason[0])) printf("  model %d, %d ranks: foreseen %s, taken %s\n", m, ranks, want, many.answer[0].system);
      forget(&many);
      tn_model_destroy(&model);
      tn_spec_destroy(&spec);
      tn_ctx_destroy(&ctx);
    }
}

/* what is added up over domains is added up in their order, whoever has them: iterations and answers do not know the ranks. Primal
 * unknowns and borders that are put together (feti_dp, schur) are added up by rank. */
static void the_same_domains_give_the_same_bits_on_any_number_of_ranks(void) {
  static const char *const keys[] = {", solver: feti, domains: 12", ", solver: schur_cg, domains: 12"};
  static job first, other;
  char why[1024];
  for (int k = 0; k < TNI_COUNT(keys); k++) {
    CHECK(run(&first, 0, keys[k], 2, NULL, NULL, why) == TN_OK);
    for (int ranks = 3; ranks <= 12; ranks += all ? 1 : 9) {
      CHECK(run(&other, 0, keys[k], ranks, NULL, NULL, why) == TN_OK);
      CHECK(other.answer[0].n == first.answer[0].n);
      CHECK(other.answer[0].q && first.answer[0].q &&
            memcmp(other.answer[0].q, first.answer[0].q, (size_t)first.answer[0].n*sizeof(double)) == 0);
      forget(&other);
    }
    forget(&first);
  }
}

static void ranks_may_be_without_work(void) {
  static job one, many;
  char why[1024], keys[128];
  CHECK(run(&one, 0, "", 1, NULL, NULL, why) == TN_OK);
  for (int s = 0; s < TNI_NCUT_SOLVER; s++) {
    snprintf(keys, sizeof(keys), ", solver: %s, domains: 3", tni_cut_solver_names[s]);
    if (!CHECK(run(&many, 0, keys, 5, NULL, NULL, why) == TN_OK)) printf("  %s: %s\n", keys, why);
    CHECK(same_on_all(&many, 5));
    CHECK(rank_difference(&many.answer[0], &one.answer[0]) <= 1e-9);
    forget(&many);
  }
  forget(&one);
}

/* motions of domains as a second level: on any number of ranks, one of them without a domain too */
static void two_levels_work_on_ranks(void) {
  static job one, many;
  char why[1024];
  for (int m = 0; m < RANK_NMODEL; m++) {
    if (m == RANK_JOINTS) continue;
    CHECK(run(&one, m, "", 1, NULL, NULL, why) == TN_OK);
    for (int ranks = 1; ranks <= 32; ranks = ranks < 4 ? ranks + 1 : 8*ranks) {
      if (!all && (m + ranks) % 5) continue;
      if (!CHECK(run(&many, m, ", solver: pcg, preconditioner: domains, domains: 8", ranks, NULL, NULL, why) == TN_OK)) printf("  model %d, %d ranks: %s\n", m, ranks, why);
      CHECK(same_on_all(&many, ranks));
      CHECK(rank_difference(&many.answer[0], &one.answer[0]) <= 1e-9);
      CHECK(strstr(many.answer[0].system, "motions of them") != NULL);
      forget(&many);
    }
    forget(&one);
  }
}

typedef struct { char text[1024]; double omega[8][12]; int n[8], rigid[8]; char system[256]; } modes_job;

static tn_status find_modes(tni_comm *c, void *user) {
  modes_job *j = user;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  tni_modes modes = {0};
  tn_status st = tn_spec_read_text(c->ctx, "test", j->text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(c->ctx, model, NULL, &sim);
  if (st == TN_OK) st = tni_modes_compute(sim, &modes);
  for (int i = 0; i < modes.nmode && i < 12 && st == TN_OK; i++) j->omega[c->rank][i] = modes.mode[i].im;
  j->n[c->rank] = modes.nmode;
  j->rigid[c->rank] = modes.nrigid;
  if (c->rank == 0 && sim) snprintf(j->system, sizeof(j->system), "%s", sim->sum.system);
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* modes, held and free: by domains of the ranks without being asked, by named solvers, one rank without a domain */
static void ranks_find_the_modes_of_one(void) {
  static const char *const support[] = {"supports: [{group: x0, fix: all}]\n", ""}, *const keys[] = {"", ", solver: feti_dp, domains: 6", ", solver: feti, domains: 3"};
  static modes_job one, many;
  for (int held = 0; held < 2; held++)
    for (int k = 0; k < TNI_COUNT(keys); k++)
      for (int ranks = 1; ranks <= 4; ranks++) {
        modes_job *j = ranks == 1 ? &one : &many;
        tn_ctx *ctx;
        if (!all && ranks > 1 && (held + k + ranks) % 3) continue;
        if (ranks > 1 && held == 1 && k == 2) continue; /* free: feti refuses */
        CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
        memset(j, 0, sizeof(*j));
        snprintf(j->text, sizeof(j->text), "tenon: 1\nmeshes: {m: {box: {size: [3, 1, 0.7], cells: [6, 2, 2], cell: hex8}}}\n"
                 "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a}}\n%sanalysis: {type: modes, modes: 10%s}\n",
                 support[held], ranks == 1 ? "" : keys[k]);
        if (!CHECK(tni_comm_run_local(ctx, ranks, find_modes, j, NULL, NULL) == TN_OK)) printf("  modes%s, %d ranks: %s\n", keys[k], ranks, tn_ctx_message(ctx));
        for (int r = 0; r < ranks; r++) {
          CHECK_INT(j->n[r], one.n[0]);
          CHECK_INT(j->rigid[r], held ? 6 : 0);
          for (int i = one.rigid[0]; i < one.n[0]; i++) CHECK_NEAR(j->omega[r][i], one.omega[0][i], 1e-8);
          CHECK(memcmp(j->omega[r], j->omega[0], sizeof(j->omega[0])) == 0);
        }
        if (ranks > 1) CHECK(strstr(j->system, "ranks") != NULL);
        tn_ctx_destroy(&ctx);
      }
}

static void thirty_two_ranks_work_together(void) {
  static job one, many;
  char why[1024], keys[128];
  long messages, bytes;
  CHECK(run(&one, 0, "", 1, NULL, NULL, why) == TN_OK);
  for (int s = 0; s < TNI_NCUT_SOLVER; s += all ? 1 : TNI_NCUT_SOLVER) {
    snprintf(keys, sizeof(keys), ", solver: %s, domains: 32", tni_cut_solver_names[s]);
    if (!CHECK(run(&many, 0, keys, MOST, &messages, &bytes, why) == TN_OK)) printf("  %s: %s\n", keys, why);
    CHECK(same_on_all(&many, MOST));
    CHECK(rank_difference(&many.answer[0], &one.answer[0]) <= 1e-9);
    if (all) printf("  %s: %ld messages, %ld bytes\n", tni_cut_solver_names[s], messages, bytes);
    forget(&many);
  }
  forget(&one);
}

/* pressure that follows the surface: every rank does all of it */
static void what_cannot_be_cut_is_solved_by_all(void) {
  static job j;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(&j, 0, sizeof(j));
  snprintf(j.text, sizeof(j.text), "%s",
           "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\nmaterials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 2}}\n"
           "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, pressure: 1}]\n"
           "analysis: {type: statics}\n");
  CHECK_OK(ctx, tni_comm_run_local(ctx, 3, work, &j, NULL, NULL));
  CHECK(same_on_all(&j, 3));
  CHECK(strstr(j.answer[0].system, "ranks") == NULL);
  forget(&j);
  tn_ctx_destroy(&ctx);
}

/* ---- a rank that runs out of memory anywhere ------------------------------------------------------- */

static _Thread_local long left = -1; /* allocations of this thread until one fails; -1: none does */

static void *alloc(void *user, size_t bytes) {
  (void)user;
  if (left == 0) return NULL;
  if (left > 0) left--;
  return malloc(bytes);
}

static void release(void *user, void *p) {
  (void)user;
  free(p);
}

typedef struct {
  job j;
  int rank;
  long after;
} short_job;

static tn_status work_with_little(tni_comm *c, void *user) {
  short_job *s = user;
  left = c->rank == s->rank ? s->after : -1;
  tn_status st = rank_statics(c->ctx, s->j.text, &s->j.answer[c->rank]);
  left = -1;
  return st;
}

static void a_rank_without_memory_ends_all(void) {
  static const char *const keys[] = {", solver: feti, domains: 4", ", solver: feti_dp, domains: 4", ", solver: schur, domains: 4", ", solver: pcg",
                                     ", solver: pcg, preconditioner: domains, domains: 4"};
  static short_job s;
  tn_ctx_opts o = {.alloc = alloc, .release = release};
  tn_ctx *ctx;
  int failures = 0, runs = 0;
  CHECK_OK(NULL, tn_ctx_create(&o, &ctx));
  for (int k = 0; k < TNI_COUNT(keys); k++)
    for (long after = 300; ; after += all ? 23 : 499) {
      memset(&s, 0, sizeof(s));
      s.rank = (int)(after % 3);
      s.after = after;
      snprintf(s.j.text, sizeof(s.j.text), RANK_MODELS[RANK_PLANE], keys[k]);
      tn_status st = tni_comm_run_local(ctx, 3, work_with_little, &s, NULL, NULL);
      forget(&s.j);
      runs++;
      if (st == TN_OK) break;
      failures++;
      if (!CHECK(st == TN_ERR_MEMORY)) printf("  %s after %ld: %d, %s\n", keys[k], after, (int)st, tn_ctx_message(ctx));
    }
  CHECK(failures >= 4 && runs > failures);
  tn_ctx_destroy(&ctx);
}

/* ---- trajectories ---------------------------------------------------------------------------- */

static tn_status move(tni_comm *c, void *user) {
  job *j = user;
  return rank_motion(c->ctx, j->text, &j->answer[c->rank]);
}

static tn_status run_motion(job *j, const char *text, int ranks, long *messages, char *why) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  memset(j, 0, sizeof(*j));
  snprintf(j->text, sizeof(j->text), "%s", text);
  tn_status st = tni_comm_run_local(ctx, ranks, move, j, messages, NULL);
  snprintf(why, 1024, "%s", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  return st;
}

/* elements of time divided among ranks: the bits of one rank, of a tree what rounding allows */
static void ranks_find_the_trajectory_of_one(void) {
  static job one, many;
  char why[1024];
  for (int m = 0; m < RANK_NMOTION; m++) {
    if (!all && m % 2) continue;
    CHECK(run_motion(&one, RANK_MOTIONS[m].text, 1, NULL, why) == TN_OK);
    for (int ranks = 2; ranks <= (all ? 16 : 5); ranks += all ? 1 + 2*(ranks > 3) : ranks - 1) {
      long messages = 0;
      if (!CHECK(run_motion(&many, RANK_MOTIONS[m].text, ranks, &messages, why) == TN_OK)) printf("  motion %d, %d ranks: %s\n", m, ranks, why);
      CHECK(same_on_all(&many, ranks));
      CHECK(messages > 0);
      double off = rank_difference(&many.answer[0], &one.answer[0]);
      if (!CHECK(off <= RANK_MOTIONS[m].within)) printf("  motion %d, %d ranks: %.2e\n", m, ranks, off);
      forget(&many);
    }
    forget(&one);
  }
}

/* elements that are too long fail with the message of one rank, and nobody waits for ever */
static void ranks_fail_together(void) {
  static const char model[] = "bodies: {top: {mass: 1, inertia: [0.02, 0.03, 0.04], angular_velocity: [0, 0, 1e6]}}\n"
                              "analysis: {until: 2, method: state_time, elements: 16, representation: cartesian}\n";
  static job j;
  char one[1024], many[1024];
  tn_status st = run_motion(&j, model, 1, NULL, one);
  CHECK(st == TN_NO_PROGRESS && strstr(one, "not converged") != NULL);
  for (int ranks = 2; ranks <= 5; ranks++) {
    CHECK_INT(run_motion(&j, model, ranks, NULL, many), st);
    CHECK_TEXT(many, one);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(ranks_find_the_trajectory_of_one);
  RUN(ranks_fail_together);
  RUN(ranks_give_the_answers_of_the_whole);
  RUN(what_is_foreseen_is_what_ranks_take);
  RUN(the_same_domains_give_the_same_bits_on_any_number_of_ranks);
  RUN(ranks_may_be_without_work);
  RUN(two_levels_work_on_ranks);
  RUN(ranks_find_the_modes_of_one);
  RUN(thirty_two_ranks_work_together);
  RUN(what_cannot_be_cut_is_solved_by_all);
  RUN(a_rank_without_memory_ends_all);
  return REPORT();
}
