/* bench/parallel_files.c - frames of a large mesh: how near to the disk they are written, and how much of that computing hides
 *
 * A mesh of 200,000 nodes, 26 numbers of single precision a node (places, velocities, stresses and so on), 20.8 MB a frame, written by the
 * writer of results files, synchronised with the disk at the end (its own fsync). The measure is a plain file of the same bytes, written in pieces of
 * 1 MiB and synchronised. Rows are stored as runs do: lent, two that take turns. Both begin cold: a new file, and nothing else waiting for the disk. Wall seconds, the least of several rounds.
 *
 * Overlap: rounds of computing between frames that take a quarter more than writing one does; alone, and with every frame stored. What the run takes
 * longer than computing alone, over what writing takes alone, is the share that is not hidden.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#include "parallel_files.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "output/results.h"

enum { NODES = 200000, NUMBERS = 26, FRAMES = 24, ROUNDS = 5, PIECE = 1 << 20 };

typedef struct {
  tn_ctx *ctx;
  char path[640];
  double *row[2], *x;
  tni_mesh_info mesh;
  tni_field field[3];
  tni_channel channel;
  tni_results_info info;
  long turns;          /* of computing, between two frames; 0: none */
  double sum;
  double own;          /* CPU seconds of the calling thread in a frame, computing left out */
} files;

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void describe(files *f) {
  f->x = calloc(3*NODES, sizeof(double));
  for (int k = 0; k < 2; k++) f->row[k] = calloc(1 + (size_t)NUMBERS*NODES, sizeof(double));
  static unsigned char type[1] = {1};
  static int cell[1] = {0};
  f->mesh = (tni_mesh_info){.name = "block", .nnode = NODES, .ncell = 1, .x = f->x, .cell = cell, .type = type};
  static const int wide[3] = {3, 3, NUMBERS - 6};
  static const char *const name[3] = {"displacement", "velocity", "stress"};
  static const char *const letter[NUMBERS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
                                              "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
  for (int i = 0; i < 3; i++) f->field[i] = (tni_field){.name = name[i], .ncomponent = wide[i], .component = letter, .unit = "", .apart = true, .single = true};
  f->channel = (tni_channel){"energy", "energy", "J", 1, NULL, NULL, NULL};
  f->info = (tni_results_info){.nchannel = 1, .channel = &f->channel, .nmesh = 1, .mesh = &f->mesh, .nfield = 3, .field = f->field};
  for (size_t i = 0; i < 1 + (size_t)NUMBERS*NODES; i++) f->row[0][i] = f->row[1][i] = sin(1e-3*(double)i);
}

/* no memory traffic to speak of: what writing takes from it is processor and disk */
static void compute(files *f) {
  double a = 1, b = 0;
  for (long i = 0; i < f->turns; i++) {
    a = a*0.999999 + 1e-6*b;
    b = b*0.9999 + a;
  }
  f->sum += a + b;
}

static double seconds_of_computing(files *f) {
  double begin = tni_wall_time();
  for (int k = 0; k < FRAMES; k++) compute(f);
  return tni_wall_time() - begin;
}

static long bytes_of(const char *path) {
  int fd = open(path, O_RDONLY);
  off_t n = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
  if (fd >= 0) close(fd);
  return (long)n;
}

static double seconds_of_results(files *f, bool at_once, long *bytes) {
  tni_writer *w;
  size_t lent[2] = {0, 0};
  remove(f->path);
  sync();
  f->info.at_once = at_once;
  f->own = 0;
  double begin = tni_wall_time();
  BENCH_TRY(f->ctx, tni_results_create(f->ctx, f->path, true, &f->info, &w));
  for (int k = 0; k < FRAMES; k++) {
    compute(f);
    double own = thread_time();
    tni_results_take_back(w, lent[k % 2]);
    BENCH_TRY(f->ctx, tni_results_lend(w, k, f->row[k % 2]));
    lent[k % 2] = tni_results_mark(w);
    f->own += (thread_time() - own)/FRAMES;
  }
  BENCH_TRY(f->ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  double t = tni_wall_time() - begin;
  *bytes = bytes_of(f->path);
  return t;
}

static double seconds_of_plain(files *f, long bytes) {
  remove(f->path);
  sync();
  double begin = tni_wall_time();
  int fd = open(f->path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
  for (long done = 0; fd >= 0 && done < bytes;) {
    size_t n = bytes - done < PIECE ? (size_t)(bytes - done) : PIECE;
    ssize_t wrote = write(fd, (const char *)f->row[0] + done % PIECE, n);
    if (wrote <= 0) break;
    done += wrote;
  }
  if (fd < 0 || fsync(fd) != 0 || close(fd) != 0) return NAN;
  return tni_wall_time() - begin;
}

/* what writing, and what computing with it, takes at the least; nobody is always the first or the last of a round */
typedef struct {
  double plain, ours, once, own, own_once;
} least;

static least seconds_at_least(files *f, bool computing, long *bytes) {
  least t = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (int k = 0; k < 3*ROUNDS; k++) {
    int who = (k + k/3) % 3;
    if (who == 0) t.plain = fmin(t.plain, computing ? seconds_of_computing(f) : seconds_of_plain(f, *bytes));
    if (who == 1) {
      t.ours = fmin(t.ours, seconds_of_results(f, false, bytes));
      t.own = fmin(t.own, f->own);
    }
    if (who == 2) {
      t.once = fmin(t.once, seconds_of_results(f, true, bytes));
      t.own_once = fmin(t.own_once, f->own);
    }
  }
  return t;
}

void bench_files(figures *j, const char *folder) {
  files f = {0};
  tn_ctx_opts o = {.threads = 1};
  long bytes;
  BENCH_TRY(NULL, tn_ctx_create(&o, &f.ctx));
  snprintf(f.path, sizeof(f.path), "%.600s/frames.h5", folder);
  describe(&f);
  seconds_of_results(&f, true, &bytes);
  least t = seconds_at_least(&f, false, &bytes);
  printf("frames, %.0f MB: plain file %.2f s (%.0f MB/s), results file %.2f s, without its thread %.2f s\n", 1e-6*(double)bytes, t.plain,
         1e-6*(double)bytes/t.plain, t.ours, t.once);
  printf("a frame takes %.1f ms of CPU from the run, without the thread %.1f ms\n", 1e3*t.own, 1e3*t.own_once);
  figure(j, "io.disk_megabytes_per_second", 1e-6*(double)bytes/t.plain);
  figure(j, "io.share_of_disk", t.plain/t.ours);
  figure(j, "io.frame_cpu_of_the_run", t.own/t.own_once);
  f.turns = 1000000;
  f.turns = (long)(1e6*1.25*t.once/seconds_of_computing(&f));
  least with = seconds_at_least(&f, true, &bytes);
  printf("computing %.2f s, with frames %.2f s, without the thread %.2f s\n", with.plain, with.ours, with.once);
  figure(j, "io.overlap", 1 - (with.ours - with.plain)/t.once);
  figure(j, "io.overlap_without_thread", 1 - (with.once - with.plain)/t.once);
  remove(f.path);
  free(f.x);
  for (int k = 0; k < 2; k++) free(f.row[k]);
  tn_ctx_destroy(&f.ctx);
}
