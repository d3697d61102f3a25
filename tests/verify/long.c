/* long runs: the stiff vehicle on a wavy road, results on disk
 *
 * 8 s, or 600 s with the argument all: constraints stay below 1e-8 from the first to the last minute
 * and do not drift, the vehicle keeps moving, and the memory of the process does not grow with the
 * length of the run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <sys/resource.h>
#include <unistd.h>

#include "support/loaded.h"

#define VEHICLE "examples/vehicle/hmmwv14_stiff.yaml"

static double length = 8;

/* the vehicle with waves of 5 m and 3.1 m in place of the bump */
static void load_waves(loaded *l) {
  static const char road[] = "road: 0.015*sin(2*pi*x/5) + 0.008*sin(2*pi*x/3.1)\n";
  char path[512];
  snprintf(path, sizeof(path), "%s/" VEHICLE, TENON_SOURCE_DIR);
  FILE *in = fopen(path, "r");
  char line[1024], *text = calloc(1, 40000);
  size_t at = 0;
  if (!CHECK(in && text)) return;
  while (fgets(line, sizeof(line), in)) {
    char *key = strstr(line, "road: ");
    if (strncmp(line, "tenon:", 6) == 0 || strstr(line, "road_edges:")) continue;
    if (key) memcpy(key, road, sizeof(road));
    CHECK(at + strlen(line) < 40000);
    memcpy(text + at, line, strlen(line));
    at += strlen(line);
  }
  fclose(in);
  load_text(l, text);
  free(text);
}

/* peak memory of the process so far, KiB */
static long peak(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss;
}

static void run(const loaded *l, const char *method, double until, tn_summary *u) {
  char path[64];
  snprintf(path, sizeof(path), "verify_long_%d.h5", (int)getpid());
  tn_run_opts o = {.results = path, .overwrite = true, .method = method, .until = until,
                   .tolerance = 1e-3, .every = 0.02};
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, u));
  remove(path);
}

static void memory_does_not_grow_with_the_run(void) {
  loaded l;
  tn_summary u;
  load_waves(&l);
  run(&l, "rosen", 0.1*length, &u); /* libraries and buffers */
  long before = peak();
  run(&l, "rosen", length, &u);
  long after = peak();
  CHECK_NEAR(u.t_end, length, 0);
  CHECK(u.stored >= (long)(length/0.02));
  CHECK(u.position_error < 1e-8);
  /* 600 s, 30 000 stored times: 2.0 MiB more than 60 s, and 0.07 MiB more without a results file, so
   * that it is the library of the file that keeps them */
  if (!CHECK(after - before < 4096)) printf("peak memory %ld KiB, then %ld KiB\n", before, after);
  if (getenv("TN_TOL_SCALE"))
    printf("%g s: %ld steps, %.2f s CPU, peak %ld KiB at %g s, %ld KiB at the end, position %.1e, "
           "velocity %.1e\n", length, u.steps, u.cpu, before, 0.1*length, after, u.position_error,
           u.velocity_error);
  unload(&l);
}

/* residuals in tenths of the run: the last one is no worse than the first */
static void constraints_do_not_drift(void) {
  static const char *const method[] = {"rosen", "radau"};
  for (int i = 0; i < TNI_COUNT(method); i++) {
    loaded l;
    tn_sim *sim;
    double worst[10] = {0}, low = INFINITY, high = -INFINITY;
    load_waves(&l);
    tn_run_opts o = {.method = method[i], .until = length, .tolerance = 1e-3};
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
    for (int k = 0; k < 10; k++) {
      for (int n = 1; n <= 100; n++) {
        CHECK_OK(l.ctx, tn_sim_advance(sim, length*(100*k + n)/1000));
        worst[k] = fmax(worst[k], sim->residuals.position);
        if (k == 9) {
          low = fmin(low, sim->at.q[2]);
          high = fmax(high, sim->at.q[2]);
        }
      }
      CHECK(worst[k] < 1e-8);
    }
    CHECK(worst[9] < 3*fmax(worst[0], 1e-10));
    CHECK(high - low > 0.005); /* it still pitches and heaves */
    CHECK_NEAR(sim->at.q[0], 0.056 + 4.4704*length, 0.01*4.4704*length);
    if (getenv("TN_TOL_SCALE"))
      printf("%s, %g s: position residual %.1e in the first tenth, %.1e in the last, heave %.3f m\n",
             method[i], length, worst[0], worst[9], high - low);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "all") == 0) length = 600;
  RUN(memory_does_not_grow_with_the_run);
  RUN(constraints_do_not_drift);
  return REPORT();
}
