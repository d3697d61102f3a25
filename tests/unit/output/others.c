/* what others do to a results file while a run writes it, and what the run does to theirs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#include "output/results.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sample.h"

static tn_ctx *ctx;

static tn_status put_rows(tni_writer *w, long first, long n) {
  double values[SAMPLE_NCOLUMN];
  for (long i = first; i < first + n; i++) {
    sample_row(i, values);
    tn_status st = tni_results_append(w, sample_time(i), values);
    if (st != TN_OK) return st;
  }
  return tni_results_flush(w);
}

static void check_refused(const char *path, const char *want) {
  tni_writer *w;
  CHECK(tni_results_create(ctx, path, true, &sample_info, &w) == TN_ERR_IO);
  CHECK(w == NULL);
  if (!CHECK(strstr(tn_ctx_message(ctx), want) != NULL)) printf("  %s\n", tn_ctx_message(ctx));
}

static void a_second_writer_of_a_file_is_refused(void) {
  const char *path = sample_path("two.h5"), *link_to = sample_path("link.h5");
  tni_writer *w;
  tni_reader *r;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  CHECK_OK(ctx, put_rows(w, 0, 500));
  check_refused(path, "another run is writing this file");
  CHECK(symlink(path, link_to) == 0);
  check_refused(link_to, "another run is writing this file"); /* by another name too */
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));             /* who only reads may do so */
  CHECK_INT(tni_results_ntime(r), 500);
  tni_results_close(&r);
  check_refused(path, "another run is writing this file"); /* and a reader's end frees nothing */
  CHECK_OK(ctx, put_rows(w, 500, 500));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w)); /* once it has ended */
  tni_results_destroy(&w);
}

static void the_lock_of_a_killed_writer_is_gone(void) {
  const char *path = sample_path("killed.h5");
  tni_writer *w;
  int ready[2];
  CHECK(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (tni_results_create(ctx, path, true, &sample_info, &w) == TN_OK && write(ready[1], "x", 1) == 1)
      pause();
    _exit(1);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  check_refused(path, "another run is writing this file");
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  tni_results_destroy(&w);
  close(ready[0]);
  close(ready[1]);
}

/* of two files that are prepared under one name, the one that is published first stays */
static void only_one_of_two_prepared_files_gets_the_name(void) {
  const char *path = sample_path("prepared.h5");
  tni_writer *w1, *w2;
  CHECK_OK(ctx, tni_results_prepare(ctx, path, true, &sample_info, &w1));
  CHECK_OK(ctx, tni_results_prepare(ctx, path, true, &sample_info, &w2));
  CHECK(access(path, F_OK) != 0);
  CHECK_OK(ctx, put_rows(w1, 0, 10));
  CHECK_OK(ctx, tni_results_publish(w1));
  CHECK(tni_results_publish(w2) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "another run is writing this file") != NULL);
  tni_results_destroy(&w2);
  CHECK_OK(ctx, put_rows(w1, 10, 10));
  CHECK_OK(ctx, tni_results_finish(w1, "complete", "{}"));
  tni_results_destroy(&w1);
  /* to replace an old file only one can prepare: the second sees the lock of the first */
  CHECK_OK(ctx, tni_results_prepare(ctx, path, true, &sample_info, &w1));
  check_refused(path, "another run is writing this file");
  tni_results_destroy(&w1);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r)); /* nobody published: the old one is there */
  CHECK_INT(tni_results_ntime(r), 20);
  tni_results_close(&r);
}

static void copy_file(const char *from, const char *to) {
  static char bytes[1 << 20];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  size_t n = in ? fread(bytes, 1, sizeof(bytes), in) : 0;
  CHECK(n > 0 && out && fwrite(bytes, 1, n, out) == n);
  if (in) fclose(in);
  if (out) fclose(out);
}

static void do_remove(const char *path) { CHECK(unlink(path) == 0); }
static void do_move(const char *path) { CHECK(rename(path, sample_path("moved.h5")) == 0); }
static void do_empty(const char *path) { CHECK(truncate(path, 0) == 0); }
static void do_cut(const char *path) {
  struct stat about;
  CHECK(stat(path, &about) == 0 && truncate(path, about.st_size - 100) == 0);
}
static void do_replace(const char *path) {
  copy_file(sample_path("other.h5"), sample_path("fresh.h5"));
  CHECK(rename(sample_path("fresh.h5"), path) == 0);
}
static void do_overwrite(const char *path) { copy_file(sample_path("other.h5"), path); }

/* The next flush fails with the reason, every later call too, and what others put there stays. */
static void damage_by_others_is_reported(void) {
  static const struct {
    void (*act)(const char *path);
    const char *want;
    bool lost;
  } cases[] = {
      {do_remove, "the file was removed while the run wrote it", true},
      {do_move, "the file was removed while the run wrote it", true},
      {do_empty, "the file was truncated while the run wrote it", false},
      {do_cut, "the file was truncated while the run wrote it", false},
      {do_replace, "the file was replaced by another one while the run wrote it", true},
      {do_overwrite, "while the run wrote it", false},
  };
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("other.h5"), true, &sample_info, &w));
  CHECK_OK(ctx, put_rows(w, 0, 3000));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  for (int k = 0; k < TNI_COUNT(cases); k++) {
    const char *path = sample_path("target.h5");
    unlink(path);
    CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
    CHECK_OK(ctx, put_rows(w, 0, 1000));
    cases[k].act(path);
    CHECK(put_rows(w, 1000, 2000) == TN_ERR_IO);
    if (!CHECK(strstr(tn_ctx_message(ctx), cases[k].want) != NULL))
      printf("  case %d: %s\n", k, tn_ctx_message(ctx));
    CHECK(tni_results_flush(w) == TN_ERR_IO);
    CHECK(strstr(tn_ctx_message(ctx), cases[k].want) != NULL);
    CHECK(tni_results_finish(w, "complete", "{}") == TN_ERR_IO);
    CHECK(tni_results_lost(w) == cases[k].lost);
    tni_results_destroy(&w);
    if (cases[k].act != do_replace) continue;
    tni_reader *r;
    CHECK_OK(ctx, tni_results_open(ctx, path, &r));
    CHECK_INT(tni_results_ntime(r), 3000);
    CHECK(sample_rows_are_right(ctx, r, 3000));
    tni_results_close(&r);
  }
}

/* also when it happens after the last row, before the file is finished */
static void damage_before_the_end_is_reported_too(void) {
  const char *path = sample_path("end.h5");
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  CHECK_OK(ctx, put_rows(w, 0, 1000));
  CHECK(unlink(path) == 0);
  CHECK(tni_results_finish(w, "complete", "{}") == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "was removed") != NULL);
  tni_results_destroy(&w);
}

static void a_copy_has_everything_up_to_its_time(void) {
  const char *path = sample_path("source.h5"), *copy = sample_path("copy.h5");
  tni_writer *w;
  tni_reader *r;
  double state[SAMPLE_NSTATE], t, h[400], te[400];
  long n;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  for (long i = 0; i < 40; i++) {
    for (int k = 0; k < 10; k++) CHECK_OK(ctx, tni_results_add_step(w, sample_time(10*i + k), 0.1*k));
    CHECK_OK(ctx, put_rows(w, 10*i, 10));
    for (int k = 0; k < SAMPLE_NSTATE; k++) state[k] = sample_value(i, k);
    CHECK_OK(ctx, tni_results_checkpoint(w, sample_time(10*i + 9), state));
  }
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_OK(ctx, tni_results_create(ctx, copy, true, &sample_info, &w));
  CHECK_OK(ctx, tni_results_copy(w, r, sample_time(249), &n));
  tni_results_close(&r);
  CHECK_INT(n, 250);
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, copy, &r));
  CHECK_INT(tni_results_ntime(r), 250);
  CHECK(sample_rows_are_right(ctx, r, 250));
  CHECK_INT(tni_results_nstep(r), 250);
  CHECK_OK(ctx, tni_results_read_steps(r, te, h));
  for (int i = 0; i < 250; i++) CHECK(te[i] == sample_time(i) && h[i] == 0.1*(i % 10));
  CHECK_INT(tni_results_ncheckpoint(r), 25);
  for (long i = 0; i < 25; i++) {
    CHECK_OK(ctx, tni_results_get_checkpoint(r, i, &t, state));
    CHECK(t == sample_time(10*i + 9) && state[3] == sample_value(i, 3));
  }
  CHECK(tni_results_get_checkpoint(r, 25, &t, state) == TN_ERR_ARGUMENT);
  tni_results_close(&r);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  sample_begin();
  RUN(a_second_writer_of_a_file_is_refused);
  RUN(the_lock_of_a_killed_writer_is_gone);
  RUN(only_one_of_two_prepared_files_gets_the_name);
  RUN(damage_by_others_is_reported);
  RUN(damage_before_the_end_is_reported_too);
  RUN(a_copy_has_everything_up_to_its_time);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
