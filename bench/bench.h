/* bench/bench.h - timing and the flat JSON file of figures
 *
 * Every bench prints its table and writes the same figures to build/bench/<name>.json, one flat
 * object. Times are CPU seconds of one thread, the least of several repetitions.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "base/base.h"

typedef struct {
  FILE *file;
  char temporary[640], path[600];
  int n;
} figures;

static inline bool figures_open(figures *f, const char *path) {
  snprintf(f->path, sizeof(f->path), "%s", path);
  snprintf(f->temporary, sizeof(f->temporary), "%.600s.part", path);
  f->n = 0;
  f->file = fopen(f->temporary, "w");
  if (f->file) fprintf(f->file, "{");
  else fprintf(stderr, "cannot write %s\n", path);
  return f->file != NULL;
}

static inline void figure(figures *f, const char *key, double value) {
  if (isfinite(value)) fprintf(f->file, "%s\n  \"%s\": %.6g", f->n++ ? "," : "", key, value);
}

static inline void figures_close(figures *f) {
  fprintf(f->file, "\n}\n");
  fclose(f->file);
  rename(f->temporary, f->path);
  printf("figures in %s\n", f->path);
}

/* Seconds of one call: the least over `repeat` rounds of a loop long enough to be measured. */
static inline double bench_time(void (*work)(void *user), void *user, double round, int repeat) {
  long n = 1;
  double t = 0, best = HUGE_VAL;
  work(user);
  for (;;) { /* find a loop count that takes a round */
    double begin = tni_cpu_time();
    for (long i = 0; i < n; i++) work(user);
    t = tni_cpu_time() - begin;
    if (t > 0.3*round || n > 100000000) break;
    n = t > 0 ? (long)((double)n*fmin(10, 1.2*round/t)) + 1 : 10*n;
  }
  best = t/(double)n;
  for (int r = 1; r < repeat; r++) {
    double begin = tni_cpu_time();
    for (long i = 0; i < n; i++) work(user);
    t = (tni_cpu_time() - begin)/(double)n;
    if (t < best) best = t;
  }
  return best;
}

#define BENCH_TRY(ctx, call)                                                          \
  do {                                                                                \
    tn_status st_ = (call);                                                           \
    if (st_ != TN_OK) {                                                               \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, tn_status_name(st_),     \
              tn_ctx_message(ctx));                                                   \
      exit(3);                                                                        \
    }                                                                                 \
  } while (0)

#endif
