/* Damaged results: whatever is in the file, a reader ends soon, with an answer or a reason
 *
 * Files of a finished and of a killed run are changed at random, and with skill: bytes of HDF5's own
 * structures, with the checksum put right again. A child reads each of them whole; it must neither
 * crash nor take more than some seconds nor much memory.
 *
 * One thing is beyond us: blocks of a killed file that contradict each other under right checksums. HDF5
 * 1.10 crashes on about one in 300 of those. They must not hang, and such crashes must stay rare; a
 * finished file is sealed against it.
 *   mutated [all]
 *   mutated finished 15      reads mutant 15 in this process, for a debugger, and keeps it as mutant.h5
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "output/results.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <tenon/scene.h>

#include "sample.h"
#include "support/h5_blocks.h"

enum { NROW = 300, FILE_MAX = 1 << 20, BLOCKS = 400, SECONDS = 10 };

typedef struct {
  unsigned char bytes[FILE_MAX];
  size_t n;
  h5_block block[BLOCKS];
  int nblock;
} original;

typedef struct {
  volatile long next, opened, refused; /* next: the mutant that is being read */
  volatile bool skilled;               /* it was changed with skill           */
} progress;

static tn_ctx *ctx;
static original finished, killed;
static progress *shared;

static uint64_t state;
static uint64_t number(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return below ? state % below : 0;
}

static void write_sample(const char *path, bool finish) {
  tni_writer *w;
  /* a field with a dataset of its own, too */
  enum { ALL = SAMPLE_WIDE + 3 };
  double values[ALL], check[SAMPLE_NSTATE] = {1, 2, 3}, event[TNI_EVENT_NVALUE];
  tni_results_info info = sample_with_fields();
  tni_field field[SAMPLE_NFIELD + 1];
  memcpy(field, sample_field, sizeof(sample_field));
  field[SAMPLE_NFIELD] = (tni_field){.mesh = 0, .name = "stress", .cells = true, .ncomponent = 1, .unit = "Pa",
                                     .apart = true, .single = true};
  info.nfield = SAMPLE_NFIELD + 1;
  info.field = field;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (long i = 0; i < NROW; i++) {
    for (int k = 0; k < ALL; k++) values[k] = sample_value(i, k);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
    CHECK_OK(ctx, tni_results_add_step(w, sample_time(i), 0.1));
    sample_event(i, event);
    CHECK_OK(ctx, tni_results_add_event(w, sample_time(i), event));
    if (i % 100 == 50) CHECK_OK(ctx, tni_results_checkpoint(w, sample_time(i), check));
  }
  if (finish) CHECK_OK(ctx, tni_results_finish(w, "complete", "{\"steps\": 12}"));
  else CHECK_OK(ctx, tni_results_flush(w));
  if (!finish) _exit(0); /* as kill -9 does, as far as the file goes */
  tni_results_destroy(&w);
}

static void load(const char *path, original *o) {
  FILE *f = fopen(path, "rb");
  o->n = f ? fread(o->bytes, 1, FILE_MAX, f) : 0;
  if (f) fclose(f);
  o->nblock = h5_find_blocks(o->bytes, o->n, o->block, BLOCKS);
}

/* one to four bytes of a piece of the file */
static void change(unsigned char *s, size_t n) {
  static const unsigned char likely[] = {0, 1, 2, 4, 8, 0x7F, 0x80, 0xFE, 0xFF};
  for (uint64_t k = 0, changes = 1 + number(4); k < changes; k++) {
    unsigned char *at = s + number(n);
    switch (number(4)) {
      case 0: *at = (unsigned char)number(256); break;
      case 1: *at = likely[number(sizeof(likely))]; break;
      case 2: *at = (unsigned char)(*at + (number(2) ? 1 : -1)); break;
      default: *at ^= (unsigned char)(1u << number(8));
    }
  }
}

/* mutant k of the file, always the same; returns its length */
static size_t mutate(const original *o, long k, unsigned char *out) {
  state = 0x9E3779B97F4A7C15u*((uint64_t)k + 1) ^ (o == &killed ? 0xABCDEF : 0);
  for (int i = 0; i < 8; i++) number(0);
  memcpy(out, o->bytes, o->n);
  uint64_t kind = number(10);
  shared->skilled = kind < 7;
  if (shared->skilled) {
    for (uint64_t j = 0, blocks = 1 + number(3); j < blocks; j++) {
      const h5_block *b = &o->block[number((uint64_t)o->nblock)];
      change(out + b->at + 4, b->length - 8);
      h5_refit(out, b);
    }
  } else if (kind == 7) {
    change(out, o->n);
  } else if (kind == 8) { /* a piece from elsewhere */
    size_t n = 8 + number(120), from = number(o->n - n), to = number(o->n - n);
    memmove(out + to, o->bytes + from, n);
  } else {
    size_t n = 1 + number(4000), at = number(o->n - n);
    memset(out + at, number(2) ? 0 : 0xFF, n);
  }
  return o->n;
}

static tn_status swallow(void *user, const char *text, size_t n) {
  (void)user, (void)text, (void)n;
  return TN_OK;
}

/* everything that a reader may ask for; nothing is promised about the answers */
static void read_all(const char *path) {
  tni_reader *r;
  if (tni_results_open(ctx, path, &r) != TN_OK) {
    if (!strstr(tn_ctx_message(ctx), "results '")) _exit(3);
    shared->refused++;
    return;
  }
  shared->opened++;
  double t;
  long n = tni_results_ntime(r), nstep = tni_results_nstep(r);
  double *row = malloc(sizeof(double)*(size_t)(tni_results_get_info(r)->ncheckpoint + 1));
  double *steps = malloc(sizeof(double)*(size_t)(nstep + 1));
  tn_status st = tni_results_export_csv(r, NULL, 0, swallow, NULL);
  st = tni_results_export_events(r, swallow, NULL);
  if (row) st = tni_results_read_checkpoint(r, HUGE_VAL, &t, row);
  if (steps) st = tni_results_read_steps(r, steps, NULL);
  if (n > 0) st = tni_results_read_times(r, n - 1, 1, &t);
  const tni_results_info *info = tni_results_get_info(r);
  for (int i = 0; i < info->nfield && n > 0; i++) {
    double *x = malloc(sizeof(double)*(size_t)tni_field_size(info, &info->field[i]));
    if (x) st = tni_results_read_field(r, i, n - 1, 1, x);
    free(x);
  }
  st = tni_results_export_group(r, "*", NULL, 0, NULL, swallow, NULL);
  st = tni_results_export_group(r, "both", NULL, 0, NULL, swallow, NULL);
  tn_scene *scene;
  st = tn_scene_open(ctx, path, NULL, &scene);
  tn_scene_close(&scene);
  t = 0;
  st = tni_results_export_vtk(r, sample_path("mutant.vtkhdf"), &t);
  st = tni_results_refresh(r);
  (void)st;
  free(row);
  free(steps);
  tni_results_close(&r);
}

static void be_child(const original *o, const char *path, long last) {
  static unsigned char mutant[FILE_MAX];
#ifndef __SANITIZE_ADDRESS__ /* which takes terabytes of address space for itself */
  struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  if (setrlimit(RLIMIT_AS, &memory) != 0) _exit(2);
#endif
  for (; shared->next < last; shared->next++) {
    size_t n = mutate(o, shared->next, mutant);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(mutant, 1, n, f) != n || fclose(f) != 0) _exit(2);
    alarm(SECONDS);
    read_all(path);
    alarm(0);
  }
  _exit(0);
}

static void read_mutants(const original *o, const char *what, long count_all) {
  const char *path = sample_path("mutant.h5");
  long crashes = 0;
  if (!CHECK(o->nblock > 20)) return;
  memset(shared, 0, sizeof(*shared));
  while (shared->next < count_all) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) be_child(o, path, count_all);
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    /* inside of HDF5: a wild address, or a width of 0 in its heap of links (H5HF_dtable_lookup) */
    bool segv = WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGFPE);
#ifdef __SANITIZE_ADDRESS__ /* which reports it by an exit code */
    segv = segv || (WIFEXITED(status) && WEXITSTATUS(status) == 1);
#endif
    if (o == &killed && shared->skilled && segv) {
      crashes++;
      shared->next++;
      continue;
    }
    printf("  mutant %ld of the %s file: %s %d\n", shared->next, what,
           WIFSIGNALED(status) ? "signal" : "exit code",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    CHECK(false);
    shared->next++;
  }
  CHECK_INT(shared->next, count_all);
  CHECK(shared->opened > 0 && shared->refused > 0);
  if (crashes) printf("%ld of %ld mutants of the %s file crash HDF5\n", crashes, count_all, what);
  CHECK(crashes <= 3 + count_all/100);
}

static long count = 150;

static void a_damaged_finished_file_hangs_nobody(void) { read_mutants(&finished, "finished", count); }
static void a_damaged_killed_file_hangs_nobody(void) { read_mutants(&killed, "killed", count); }

/* the sums are found and made as HDF5 does it: an untouched file stays what it is */
static void refitting_changes_nothing(void) {
  static unsigned char copy[FILE_MAX];
  memcpy(copy, finished.bytes, finished.n);
  for (int i = 0; i < finished.nblock; i++) h5_refit(copy, &finished.block[i]);
  CHECK(finished.n > 0 && memcmp(copy, finished.bytes, finished.n) == 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "all") == 0) count = 20000;
  shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  sample_begin();
  write_sample(sample_path("finished.h5"), true);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) write_sample(sample_path("killed.h5"), false);
  waitpid(child, NULL, 0);
  load(sample_path("finished.h5"), &finished);
  load(sample_path("killed.h5"), &killed);
  if (argc == 3) {
    const original *o = strcmp(argv[1], "killed") == 0 ? &killed : &finished;
    static unsigned char mutant[FILE_MAX];
    size_t n = mutate(o, atol(argv[2]), mutant);
    FILE *f = fopen("mutant.h5", "wb");
    if (f) fwrite(mutant, 1, n, f);
    if (f) fclose(f);
    sample_clean();
    read_all("mutant.h5");
    return 0;
  }
  RUN(refitting_changes_nothing);
  RUN(a_damaged_finished_file_hangs_nobody);
  RUN(a_damaged_killed_file_hangs_nobody);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
