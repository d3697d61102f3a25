/* context, arena, text, nearest word, thread pool
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "parallel/pool.h"
#include "base/file.h"
#include "support/check.h"

/* memory of one arena is zeroed, aligned and all given back */
static void arena_gives_zeroed_memory(void) {
  tn_ctx *ctx;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  tni_arena a;
  tni_arena_init(&a, ctx);
  for (int k = 1; k < 2000; k += 37) {
    double *x = tni_arena_alloc(&a, (size_t)k, sizeof(double));
    CHECK(x != NULL);
    CHECK((uintptr_t)x % 16 == 0);
    for (int i = 0; i < k; i++) {
      if (x[i] != 0) CHECK(x[i] == 0);
      x[i] = 1;
    }
  }
  CHECK_TEXT(tni_arena_printf(&a, "%s-%d", "a", 3), "a-3");
  tni_arena_clear(&a);
  tn_ctx_destroy(&ctx);
  CHECK(ctx == NULL);
}

static void overflow_is_refused(void) {
  tn_ctx *ctx;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  CHECK(tni_alloc(ctx, SIZE_MAX/4, 16) == NULL);
  tn_ctx_destroy(&ctx);
}

static void nearest_word_is_found_or_refused(void) {
  const char *names[] = {"mass", "inertia", "damping"};
  CHECK_INT(tni_nearest("dampng", names, 3), 2);
  CHECK_INT(tni_nearest("mas", names, 3), 0);
  CHECK_INT(tni_nearest("stiffness", names, 3), -1);
}

/* what cannot be read leaves nothing */
static void files_that_are_not_there_are_told(void) {
  tn_ctx *ctx;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  char *text = (char *)&ctx, why[TNI_WHY_MAX] = "";
  size_t size = 77;
  tni_file_id id;
  CHECK_INT(tni_file_read(ctx, "no/such/file", 100, &text, &size, &id, why), TN_ERR_IO);
  CHECK(text == NULL && size == 0 && why[0]);
  tn_ctx_destroy(&ctx);
}

static void square(void *user, int begin, int end) {
  double *x = user;
  for (int i = begin; i < end; i++) x[i] = (double)i*i;
}

/* every index is visited once, with any number of threads */
static void parallel_for_covers_all(void) {
  for (int threads = 1; threads <= 4; threads++) {
    tn_ctx_opts o = {.threads = threads};
    tn_ctx *ctx;
    CHECK(tn_ctx_create(&o, &ctx) == TN_OK);
    for (int rep = 0; rep < 50; rep++) {
      double x[1000] = {0};
      tni_parallel_for(ctx, 1000, 7, square, x);
      double sum = 0;
      for (int i = 0; i < 1000; i++) sum += x[i];
      CHECK_NEAR(sum, 332833500.0, 0);
    }
    tn_ctx_destroy(&ctx);
  }
}

typedef struct {
  tn_ctx *ctx;
  double x[64], y[64];
} two_jobs;

static void first_job(void *user, int begin, int end) {
  two_jobs *j = user;
  for (int i = begin; i < end; i++) j->x[i] += 1;
}
static void second_job(void *user, int begin, int end) {
  two_jobs *j = user;
  for (int i = begin; i < end; i++) j->y[i] += j->x[63 - i];
}

/* a job sees what the one before has written, also when the workers have gone to sleep in between */
static void parallel_jobs_follow_each_other(void) {
  for (int threads = 2; threads <= 5; threads++) {
    tn_ctx_opts o = {.threads = threads};
    two_jobs j = {0};
    double want = 0;
    CHECK(tn_ctx_create(&o, &j.ctx) == TN_OK);
    for (int rep = 1; rep <= 3000; rep++) {
      tni_parallel_for(j.ctx, 64, 1 + rep % 7, first_job, &j);
      tni_parallel_for(j.ctx, 64, 1 + rep % 5, second_job, &j);
      want += rep;
      double now = tni_wall_time();
      while (rep % 1000 == 0 && tni_wall_time() < now + 1e-3) continue;
    }
    for (int i = 0; i < 64; i++) CHECK_NEAR(j.y[i], want, 0);
    tn_ctx_destroy(&j.ctx);
  }
}

static void message_may_quote_the_previous_one(void) {
  tn_ctx *ctx;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  CHECK(TN_FAIL(ctx, TN_ERR_INPUT, "first") == TN_ERR_INPUT);
  CHECK(TN_FAIL(ctx, TN_ERR_IO, "then %s", tn_ctx_message(ctx)) == TN_ERR_IO);
  CHECK_TEXT(tn_ctx_message(ctx), "then first");
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(arena_gives_zeroed_memory);
  RUN(overflow_is_refused);
  RUN(files_that_are_not_there_are_told);
  RUN(nearest_word_is_found_or_refused);
  RUN(parallel_for_covers_all);
  RUN(parallel_jobs_follow_each_other);
  RUN(message_may_quote_the_previous_one);
  return REPORT();
}
