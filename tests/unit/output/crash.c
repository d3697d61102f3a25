/* what survives kill -9 and a full disk
 *
 * A child writes; it is killed, or may not make its file larger than a limit. Then the parent must
 * read at least everything that the child knew to be flushed, and nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "output/results.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sample.h"

/* what the child tells the parent, in shared memory */
typedef struct {
  volatile long flushed;      /* rows that a returned flush promised */
  volatile long checkpoints;
  volatile int status, again; /* of the failing call and of the next one */
  char message[256];
} shared_state;

static tn_ctx *ctx;
static shared_state *shared;

/* Rows in odd portions until something fails or the parent kills us. No chunk size divides 97, so
 * flushes fall everywhere in the chunks. */
static tn_status write_until(const char *path, long limit) {
  tni_writer *w;
  double values[SAMPLE_NCOLUMN], state[SAMPLE_NSTATE];
  tn_status st = tni_results_create(ctx, path, true, &sample_info, &w);
  for (long n = 0; st == TN_OK && n < limit;) {
    for (int i = 0; i < 97 && st == TN_OK; i++, n++) {
      sample_row(n, values);
      st = tni_results_append(w, sample_time(n), values);
    }
    if (st == TN_OK) st = tni_results_flush(w);
    if (st == TN_OK) shared->flushed = n;
    if (st != TN_OK || n % 5 != 0) continue;
    for (int k = 0; k < SAMPLE_NSTATE; k++) state[k] = sample_value(shared->checkpoints, k);
    st = tni_results_checkpoint(w, (double)shared->checkpoints, state);
    if (st == TN_OK) shared->checkpoints++;
  }
  shared->status = st;
  if (st != TN_OK) snprintf(shared->message, sizeof(shared->message), "%s", tn_ctx_message(ctx));
  if (w) shared->again = tni_results_flush(w);
  tni_results_destroy(&w);
  return st;
}

/* the last checkpoint, if there is one, is one that was written */
static void check_last_checkpoint(tni_reader *r) {
  double t, state[SAMPLE_NSTATE];
  if (tni_results_ncheckpoint(r) == 0) return;
  CHECK_OK(ctx, tni_results_read_checkpoint(r, HUGE_VAL, &t, state));
  CHECK_INT(t, tni_results_ncheckpoint(r) - 1);
  for (int k = 0; k < SAMPLE_NSTATE; k++) CHECK(state[k] == sample_value((long)t, k));
}

static void check_survivor(const char *path) {
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  long n = tni_results_ntime(r);
  /* what was written and not reported yet may be there too: at most one portion */
  if (!CHECK(n >= shared->flushed && n <= shared->flushed + 97))
    printf("  %ld rows, %ld were flushed\n", n, shared->flushed);
  CHECK(sample_rows_are_right(ctx, r, n));
  CHECK_TEXT(tni_results_outcome(r), "running");
  CHECK_TEXT(tni_results_summary(r), "");
  CHECK(tni_results_ncheckpoint(r) >= shared->checkpoints);
  check_last_checkpoint(r);
  tni_results_close(&r);
}

/* the same through plain HDF5 and the names that people type, as docs/user/results.md says */
static void check_views(const char *path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/joints/pin/reaction", H5P_DEFAULT), space = H5Dget_space(set);
  hsize_t dims[2] = {0, 0};
  CHECK_INT(H5Sget_simple_extent_dims(space, dims, NULL), 2);
  CHECK(dims[0] >= (hsize_t)shared->flushed && dims[1] == 3);
  double *values = malloc(dims[0]*3*sizeof(double));
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  bool same = true;
  for (long i = 0; i < shared->flushed; i++)
    for (int k = 0; k < 3; k++)
      if (values[3*i + k] != sample_value(i, 6 + k)) same = false;
  CHECK(same);
  free(values);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

static void a_killed_writer_leaves_all_flushed_rows(void) {
  const char *path = sample_path("killed.h5");
  long rows = 0;
  for (int round = 0; round < 40; round++) {
    memset(shared, 0, sizeof(*shared));
    remove(path);
    pid_t child = fork();
    if (child == 0) {
      write_until(path, 100000000);
      _exit(0);
    }
    /* wait for the first flush, then for a while that differs from round to round */
    while (shared->flushed == 0 && waitpid(child, NULL, WNOHANG) == 0) usleep(100);
    struct timespec delay = {0, (round*7919L % 40)*500000L + round*1237L};
    nanosleep(&delay, NULL);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    check_survivor(path);
    check_views(path);
    rows += shared->flushed;
  }
  CHECK(rows > 0);
}

/* a copy of such a file that ends too early: fewer rows or a refusal, never wrong numbers */
static void a_cut_copy_of_a_killed_file_shows_no_wrong_numbers(void) {
  const char *path = sample_path("killed.h5"), *cut = sample_path("cut.h5");
  struct stat about;
  CHECK(stat(path, &about) == 0);
  char *bytes = malloc((size_t)about.st_size);
  FILE *f = fopen(path, "rb");
  CHECK(fread(bytes, 1, (size_t)about.st_size, f) == (size_t)about.st_size);
  fclose(f);
  int opened = 0;
  for (int k = 1; k <= 40; k++) {
    size_t keep = (size_t)(about.st_size*k/40);
    f = fopen(cut, "wb");
    CHECK(fwrite(bytes, 1, keep, f) == keep);
    fclose(f);
    tni_reader *r;
    tn_status st = tni_results_open(ctx, cut, &r);
    CHECK(st == TN_OK || st == TN_ERR_IO);
    if (st != TN_OK) continue;
    long n = tni_results_ntime(r);
    CHECK(sample_rows_are_right(ctx, r, n));
    check_last_checkpoint(r);
    opened++;
    tni_results_close(&r);
  }
  free(bytes);
  CHECK(opened > 0);
}

/* Where lines are counted, the counts of a child are files that the limit would cut, and libgcov says so: those children do not count. */
static bool counts_nothing;

static void say_nothing_of_counts(void) { /* after HDF5's clean-up: registered before it */
  if (counts_nothing && !freopen("/dev/null", "a", stderr)) _exit(3);
}

/* RLIMIT_FSIZE makes write fail with EFBIG at a byte of our choice: the path of a full disk */
static void a_full_disk_is_reported_and_leaves_all_flushed_rows(void) {
  const char *path = sample_path("full.h5"), *said = sample_path("stderr");
  int created = 0;
  for (int round = 0; round < 60; round++) {
    memset(shared, 0, sizeof(*shared));
    remove(path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      struct rlimit limit = {2000 + (rlim_t)round*round*211, RLIM_INFINITY};
      counts_nothing = setenv("GCOV_PREFIX", "/dev/null/none", 1) == 0;
      signal(SIGXFSZ, SIG_IGN);
      if (!freopen(said, "a", stderr) || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      write_until(path, 100000000);
      tn_ctx_destroy(&ctx);
      exit(0); /* with HDF5's own clean-up, which must not complain */
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_INT(shared->status, TN_ERR_IO);
    CHECK(strstr(shared->message, "full.h5': File too large") != NULL);
    CHECK(strchr(shared->message, '\n') == NULL);
    struct stat about;
    if (stat(path, &about) != 0) continue; /* no room even for the empty file: none is left */
    created++;
    CHECK_INT(shared->again, TN_ERR_IO);
    check_survivor(path);
  }
  CHECK(created > 20 && created < 60);
  struct stat about;
  CHECK(stat(said, &about) == 0 && about.st_size == 0);
}

/* killed while the file is made: the old one is still there, or the new one is whole */
static void a_writer_killed_while_creating_leaves_the_old_file(void) {
  const char *path = sample_path("creating.h5");
  memset(shared, 0, sizeof(*shared));
  CHECK(write_until(path, 97) == TN_OK);
  int old = 0, fresh = 0;
  for (int round = 0; round < 40; round++) {
    pid_t child = fork();
    if (child == 0) {
      tni_writer *w;
      while (tni_results_create(ctx, path, true, &sample_info, &w) == TN_OK) pause();
      _exit(1);
    }
    struct timespec delay = {0, round*100000L};
    nanosleep(&delay, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tni_reader *r;
    CHECK_OK(ctx, tni_results_open(ctx, path, &r));
    long n = tni_results_ntime(r);
    CHECK(n == 0 || n == 97);
    if (n) old++;
    else fresh++;
    CHECK(sample_rows_are_right(ctx, r, n));
    tni_results_close(&r);
    if (n == 0) CHECK(write_until(path, 97) == TN_OK);
  }
  CHECK(old > 0);
  CHECK_INT(old + fresh, 40);
}

static void no_temporary_file_is_left(void) {
  char command[256];
  snprintf(command, sizeof(command), "ls %s | grep -q part", sample_folder);
  CHECK(system(command) != 0);
}

/* a reader in another process, all the time, while the writer is at work */
static void a_reader_follows_a_writer_in_another_process(void) {
  const char *path = sample_path("followed.h5");
  memset(shared, 0, sizeof(*shared));
  pid_t child = fork();
  if (child == 0) {
    write_until(path, 200000);
    _exit(0);
  }
  while (shared->flushed == 0 && waitpid(child, NULL, WNOHANG) == 0) usleep(100);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  int status = 0, looks = 0;
  bool running = true;
  while (running) {
    running = waitpid(child, &status, WNOHANG) == 0;
    long least = shared->flushed;
    CHECK_OK(ctx, tni_results_refresh(r));
    long n = tni_results_ntime(r);
    CHECK(n >= least);
    double values[97*SAMPLE_NCOLUMN], want[SAMPLE_NCOLUMN], t[97];
    long m = n < 97 ? n : 97;
    CHECK_OK(ctx, tni_results_read_columns(r, 0, SAMPLE_NCOLUMN, n - m, m, values));
    CHECK_OK(ctx, tni_results_read_times(r, n - m, m, t));
    bool same = true;
    for (long i = 0; i < m; i++) {
      sample_row(n - m + i, want);
      if (memcmp(values + i*SAMPLE_NCOLUMN, want, sizeof(want)) != 0) same = false;
      if (t[i] != sample_time(n - m + i)) same = false;
    }
    CHECK(same);
    looks++;
  }
  CHECK(WIFEXITED(status) && shared->status == TN_OK);
  CHECK_INT(tni_results_ntime(r), shared->flushed);
  CHECK(looks > 1);
  tni_results_close(&r);
}

int main(void) {
  atexit(say_nothing_of_counts);
  shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  sample_begin();
  RUN(a_killed_writer_leaves_all_flushed_rows);
  RUN(a_cut_copy_of_a_killed_file_shows_no_wrong_numbers);
  RUN(a_full_disk_is_reported_and_leaves_all_flushed_rows);
  RUN(no_temporary_file_is_left);
  RUN(a_writer_killed_while_creating_leaves_the_old_file);
  RUN(a_reader_follows_a_writer_in_another_process);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
