/* Processes that work on one run: started by mpirun. Messages, sums, agreement; answers of the whole and the same bits on all ranks.
 * With "fail N": rank N fails alone while the others wait. With "wait": for a signal. With "petsc FILE": that library, given nonsense by one rank.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/ranks.h"
#include "support/ranks_explicit.h"

#include <dlfcn.h>
#include <unistd.h>

#include "nonlinear/rest_domains.h"
#include "support/check.h"

static tn_ctx *ctx;
static tni_comm *ranks;

static void messages_arrive_whole_and_in_order(void) {
  int size = ranks ? ranks->size : 1, me = ranks ? ranks->rank : 0;
  enum { LONG = 300000 }; /* doubles: longer than what MPI takes along at once */
  double *x = malloc(LONG*sizeof(double)), *y = malloc(LONG*sizeof(double));
  long before = ranks ? ranks->messages : 0;
  for (int k = 0; k < 3 && size > 1; k++) { /* all send before anybody receives */
    for (int i = 0; i < LONG; i++) x[i] = me + 0.5*i + 1e6*k;
    CHECK_OK(ctx, tni_comm_send(ranks, (me + 1) % size, 5, x, LONG*sizeof(double)));
    CHECK_OK(ctx, tni_comm_send(ranks, (me + 1) % size, 6, &k, sizeof(k)));
  }
  for (int k = 0; k < 3 && size > 1; k++) {
    int from = (me + size - 1) % size, number, wrong = 0;
    CHECK_OK(ctx, tni_comm_receive(ranks, from, 6, &number, sizeof(number)));
    CHECK_OK(ctx, tni_comm_receive(ranks, from, 5, y, LONG*sizeof(double)));
    for (int i = 0; i < LONG; i++) wrong += y[i] != from + 0.5*i + 1e6*k;
    CHECK_INT(number, k);
    CHECK_INT(wrong, 0);
  }
  if (ranks) CHECK_INT(ranks->messages - before, 6);
  free(x);
  free(y);
}

static void sums_are_those_in_ascending_order(void) {
  double x = 1.0/3, want = 0;
  if (!ranks) return;
  x = 1.0/(3 + ranks->rank);
  for (int r = 0; r < ranks->size; r++) want += 1.0/(3 + r);
  CHECK_OK(ctx, tni_comm_sum(ranks, 1, &x));
  CHECK(x == want);
}

static void one_rank_fails_and_all_know_why(void) {
  if (!ranks) return;
  tn_status own = ranks->rank == ranks->size - 1 ? TN_FAIL(ctx, TN_SINGULAR, "trouble of the last") : TN_OK;
  CHECK_INT(tni_comm_agree(ranks, own), TN_SINGULAR);
  CHECK_TEXT(tn_ctx_message(ctx), "trouble of the last");
}

static void ranks_give_the_answers_of_the_whole(void) {
  tn_ctx *alone;
  CHECK_OK(NULL, tn_ctx_create(NULL, &alone));
  for (int m = 0; m < RANK_NMODEL; m++) {
    char text[4096];
    rank_answer one, many;
    snprintf(text, sizeof(text), RANK_MODELS[m], "");
    CHECK_OK(alone, rank_statics(alone, text, &one)); /* each by itself */
    for (int s = -1; s < TNI_NCUT_ANY; s++)
      for (int domains = 3; domains <= 7; domains += 4) { /* 3: a rank without work */
        char keys[128] = "";
        if (s < 0 && domains > 3) continue;
        /* engines of others, where they are: iterations on stiffnesses, and one domain a process */
        if (s >= TNI_NCUT_SOLVER && (domains > 3 || m == RANK_JOINTS || m == RANK_LARGE || tni_cut_solver_there(ctx, (tni_cut_solver)s) != TN_OK)) continue;
        if (m == RANK_JOINTS && s == TNI_CUT_PCG && !ranks) continue; /* of one process pcg is for structures alone */
        if (s >= 0) snprintf(keys, sizeof(keys), ", solver: %s, domains: %d", tni_cut_solver_names[s], domains);
        snprintf(text, sizeof(text), RANK_MODELS[m], keys);
        CHECK_OK(ctx, rank_statics(ctx, text, &many));
        double off = rank_difference(&many, &one);
        if (!CHECK(off <= (s < TNI_NCUT_SOLVER ? 1e-9 : 1e-8))) printf("  model %d%s: %.2e\n", m, keys, off);
        if (ranks && CHECK(many.q != NULL)) { /* the same bits everywhere */
          double *first = malloc((size_t)many.n*sizeof(double));
          memcpy(first, many.q, (size_t)many.n*sizeof(double));
          CHECK_OK(ctx, tni_comm_broadcast(ranks, 0, first, (size_t)many.n*sizeof(double)));
          CHECK(memcmp(first, many.q, (size_t)many.n*sizeof(double)) == 0);
          CHECK(strstr(many.system, "ranks") != NULL);
          free(first);
        }
        free(many.q);
      }
    free(one.q);
  }
  tn_ctx_destroy(&alone);
}

/* the steps of the whole, the same bits on all ranks and those of as many virtual ones */
static explicit_answer virtual_answer;

static tn_status virtual_work(tni_comm *c, void *user) {
  explicit_job job = {.text = user};
  explicit_answer own;
  tn_status st = explicit_run(c->ctx, &job, &own);
  if (c->rank == 0) virtual_answer = own;
  else free(own.x);
  return st;
}

static void explicit_steps_are_those_of_the_whole_and_of_virtual_ranks(void) {
  tn_ctx *alone;
  CHECK_OK(NULL, tn_ctx_create(NULL, &alone));
  for (int m = 0; m < EXPLICIT_NMODEL; m++) {
    char text[4096];
    explicit_answer one, many;
    snprintf(text, sizeof(text), EXPLICIT_MODELS[m], "");
    explicit_job job = {.text = text};
    CHECK_OK(alone, explicit_run(alone, &job, &one));
    CHECK_OK(ctx, explicit_run(ctx, &job, &many));
    double off = explicit_difference(&many, &one);
    if (!CHECK(off <= 1e-10)) printf("  model %d: %.2e\n", m, off);
    if (ranks) {
      CHECK_OK(alone, tni_comm_run_local(alone, ranks->size, virtual_work, text, NULL, NULL));
      CHECK(many.x && virtual_answer.x && many.n == virtual_answer.n);
      CHECK(memcmp(many.x, virtual_answer.x, (size_t)many.n*sizeof(double)) == 0);
      CHECK(memcmp(many.energy, virtual_answer.energy, sizeof(many.energy)) == 0);
      CHECK(strstr(many.system, "divided among") != NULL);
      free(virtual_answer.x);
    }
    free(one.x);
    free(many.x);
  }
  tn_ctx_destroy(&alone);
}

/* elements of time: the bits of a run alone where no sums are made in another order */
static void ranks_find_the_trajectory_of_one(void) {
  tn_ctx *alone;
  CHECK_OK(NULL, tn_ctx_create(NULL, &alone));
  for (int m = 0; m < RANK_NMOTION; m++) {
    rank_answer one, many;
    CHECK_OK(alone, rank_motion(alone, RANK_MOTIONS[m].text, &one));
    long before = ranks ? ranks->messages : 0;
    CHECK_OK(ctx, rank_motion(ctx, RANK_MOTIONS[m].text, &many));
    double off = rank_difference(&many, &one);
    if (!CHECK(off <= RANK_MOTIONS[m].within)) printf("  motion %d: %.2e\n", m, off);
    if (ranks) CHECK(ranks->messages > before);
    free(one.q);
    free(many.q);
  }
  tn_ctx_destroy(&alone);
}

/* chains of four unknowns, one for each rank, end to end; rank 1 says that it has more entries than there is memory for */
static tn_status nonsense(const char *file) {
  enum { MANY = 64 };
  static const int ptr[] = {0, 2, 5, 8, 10}, huge[] = {0, 2, 5, 8, 2147483647}, ind[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
  static const double value[] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2}, place[12];
  static const signed char kind[4];
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), *symbol = handle ? dlsym(handle, TNI_ENGINE_ENTRY) : NULL, *work = NULL;
  const tni_engine_library *(*entry)(void);
  long long number[4];
  char why[400] = "";
  bool wrong = tn_rank(ctx) == 1;
  tni_engine_piece piece[MANY];
  if (!symbol) return TN_OK;
  memcpy(&entry, &symbol, sizeof(symbol));
  for (int i = 0; i < 4; i++) number[i] = 3*tn_rank(ctx) + i;
  for (int i = 0; i < MANY; i++) piece[i] = (tni_engine_piece){4, wrong ? huge : ptr, ind, value, number, place, kind};
  tni_engine_task task = {TNI_ENGINE_GAMG, ranks->handle, 3*tn_ranks(ctx) + 1, 1e-8, wrong ? MANY : 1, piece};
  if (entry()->create(&task, &work, why, sizeof(why)) == 0) return TN_OK;
  return TN_FAIL(ctx, TN_SINGULAR, "%s", why);
}

int main(int argc, char **argv) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, tn_ranks_join(ctx));
  ranks = tni_comm_of(ctx);
  tn_status st = TN_OK;
  if (argc > 2 && strcmp(argv[1], "fail") == 0) {
    double x = 0;
    if (tn_rank(ctx) == atoi(argv[2])) st = TN_FAIL(ctx, TN_SINGULAR, "no way");
    else st = tni_comm_receive(ranks, (tn_rank(ctx) + 1) % tn_ranks(ctx), 3, &x, sizeof(x)); /* nobody sends it */
    char why[200];
    snprintf(why, sizeof(why), "%s", tn_ctx_message(ctx));
    if (st == TN_SINGULAR && tn_rank(ctx) == 0) printf("all end: %s\n", why);
    st = tn_ranks_leave(ctx, st);
    tn_ctx_destroy(&ctx);
    return st == TN_SINGULAR ? 0 : 1;
  }
  if (argc > 2 && strcmp(argv[1], "petsc") == 0) {
    st = tn_ranks_leave(ctx, nonsense(argv[2]));
    if (st != TN_OK && tn_rank(ctx) == 0) fprintf(stderr, "tenon: %s\n", tn_ctx_message(ctx));
    tn_ctx_destroy(&ctx);
    return st == TN_OK ? 0 : 1;
  }
  if (argc > 1 && strcmp(argv[1], "wait") == 0) {
    double x = 0;
    printf("rank %d is process %ld\n", tn_rank(ctx), (long)getpid());
    fflush(stdout);
    if (tn_rank(ctx) == 1) sleep(600);
    st = tni_comm_sum(ranks, 1, &x);
    st = tn_ranks_leave(ctx, st);
    tn_ctx_destroy(&ctx);
    return st == TN_OK ? 0 : 1;
  }
  RUN(messages_arrive_whole_and_in_order);
  RUN(sums_are_those_in_ascending_order);
  RUN(one_rank_fails_and_all_know_why);
  RUN(ranks_give_the_answers_of_the_whole);
  RUN(explicit_steps_are_those_of_the_whole_and_of_virtual_ranks);
  RUN(ranks_find_the_trajectory_of_one);
  int failed = tn_rank(ctx) == 0 || check_failures ? REPORT() : 0;
  CHECK_INT(tn_ranks_leave(ctx, TN_OK), TN_OK);
  tn_ctx_destroy(&ctx);
  return failed;
}
