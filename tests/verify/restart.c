/* tests/verify/restart.c - a restart from any checkpoint continues bit for bit
 *
 * A run is stored, then continued from each of its checkpoints into a second file. From there on
 * the two files must hold the same rows and the same later checkpoints, byte by byte: for every
 * method and both representations, on a tree, on a redundant loop, and on a vehicle whose tyres
 * cross road edges and leave the road (events). The same comparison holds 1 against 2 threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/results.h"
#include "support/loaded.h"
#include "verify/models.h"

#include <unistd.h>

static char first_path[64], second_path[64];
static long restarts, events;

/* ---- a results file in memory -------------------------------------------------------------- */

enum { MAX_CHECKPOINT = 32 };

typedef struct {
  long n;
  int width, nstate, ncheckpoint;
  double *t, *rows;                       /* [n], [n][width]                  */
  double at[MAX_CHECKPOINT];              /* times of the checkpoints, rising */
  double *state[MAX_CHECKPOINT];
} contents;

static void read_all(tn_ctx *ctx, const char *path, contents *c) {
  tni_reader *in;
  memset(c, 0, sizeof(*c));
  CHECK_OK(ctx, tni_results_open(ctx, path, &in));
  const tni_results_info *info = tni_results_get_info(in);
  CHECK_TEXT(tni_results_outcome(in), "complete");
  for (int i = 0; i < info->nchannel; i++) c->width += info->channel[i].ncomponent;
  c->n = tni_results_ntime(in);
  c->nstate = info->ncheckpoint;
  c->t = calloc((size_t)c->n + 1, sizeof(double));
  c->rows = calloc((size_t)c->n*(size_t)c->width + 1, sizeof(double));
  CHECK_OK(ctx, tni_results_read_times(in, 0, c->n, c->t));
  CHECK_OK(ctx, tni_results_read_columns(in, 0, c->width, 0, c->n, c->rows));
  c->ncheckpoint = (int)tni_results_ncheckpoint(in);
  CHECK(c->ncheckpoint <= MAX_CHECKPOINT);
  double before = HUGE_VAL;
  for (int k = c->ncheckpoint - 1; k >= 0; k--) {
    c->state[k] = calloc((size_t)c->nstate, sizeof(double));
    CHECK_OK(ctx, tni_results_read_checkpoint(in, before, &c->at[k], c->state[k]));
    before = nextafter(c->at[k], -1);
  }
  tni_results_close(&in);
}

static void forget(contents *c) {
  free(c->t), free(c->rows);
  for (int k = 0; k < c->ncheckpoint; k++) free(c->state[k]);
}

static bool same_bits(const double *x, const double *y, long n) {
  return memcmp(x, y, (size_t)n*sizeof(double)) == 0;
}

/* `rest` is the end of `whole` after time t, and at least its last row */
static bool continues(const contents *whole, const contents *rest, double t) {
  long skip = 0;
  int passed = 0;
  while (skip < whole->n - 1 && whole->t[skip] <= t) skip++;
  while (passed < whole->ncheckpoint && whole->at[passed] <= t) passed++;
  bool same = whole->width == rest->width && whole->n - skip == rest->n;
  same = same && same_bits(whole->t + skip, rest->t, rest->n);
  same = same && same_bits(whole->rows + skip*whole->width, rest->rows, rest->n*rest->width);
  same = same && whole->ncheckpoint - passed == rest->ncheckpoint;
  for (int k = 0; same && k < rest->ncheckpoint; k++)
    same = whole->at[passed + k] == rest->at[k] &&
           same_bits(whole->state[passed + k], rest->state[k], rest->nstate);
  return same;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static void check_restarts(loaded *l, double until, double step, double tol, bool has_events) {
  static const char *const method[] = {"rk45", "rk8", "adams", "rk4"};
  static const char *const rep[] = {"cartesian", "joint"};
  char text[200];
  for (int m = 0; m < 4; m++)
    for (int r = 0; r < 2; r++) {
      tn_summary sum;
      tn_run_opts o = {.results = first_path, .overwrite = true, .method = method[m],
                       .representation = rep[r], .tolerance = tol, .until = until,
                       .every = until/23};
      if (strcmp(method[m], "rk4") == 0) o.step = step;
      CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, &sum));
      if (has_events) CHECK(sum.events > 0);
      events += sum.events;
      contents whole;
      read_all(l->ctx, first_path, &whole);
      CHECK_INT(whole.n, 24);
      CHECK(whole.ncheckpoint >= 3);
      /* some are enough to meet the start, an event and the end */
      int stride = (whole.ncheckpoint - 1)/2;
      for (int k = (whole.ncheckpoint - 1) % 2; k < whole.ncheckpoint; k += stride) {
        contents rest;
        o.results = second_path;
        o.restart = first_path;
        o.restart_time = whole.at[k];
        CHECK_OK(l->ctx, tn_run(l->ctx, l->model, &o, &sum));
        read_all(l->ctx, second_path, &rest);
        snprintf(text, sizeof(text), "%s, %s: same bits after the checkpoint at t = %.17g s",
                 method[m], rep[r], whole.at[k]);
        check_true(continues(&whole, &rest, whole.at[k]), text, __FILE__, __LINE__);
        forget(&rest);
        restarts++;
      }
      forget(&whole);
    }
  unload(l);
}

static void tree(void) {
  loaded l;
  load_text(&l, mixed_chain);
  check_restarts(&l, 0.4, 0.01, 1e-6, false);
}

static void redundant_loop(void) {
  loaded l;
  load_text(&l, spatial_four_bar);
  check_restarts(&l, 1, 0.01, 1e-7, false);
}

static void rolling_wheels(void) {
  loaded l;
  load_text(&l, rolling);
  check_restarts(&l, 1, 0.01, 1e-7, false);
}

/* the crank turns several times: counted angles are part of the state */
static void loop_that_turns(void) {
  char text[4000];
  loaded l;
  snprintf(text, sizeof(text), "%s%s", planar_four_bar,
           "  motor: {type: joint_force, joint: a, force: \"12 + 0.1*angle(a)\"}\n");
  load_text(&l, text);
  check_restarts(&l, 3, 0.01, 1e-6, false);
}

/* the bump is moved to where the front wheels meet it after 0.1 s */
static void vehicle_over_a_bump(void) {
  loaded l;
  load_file(&l, "examples/vehicle/hmmwv14.yaml", "xb=2.4");
  check_restarts(&l, 0.3, 2e-3, 1e-4, true);
}

/* a mass that bounces: the tyre leaves the road again and again */
static const char bouncing[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wheel: {mass: 10, inertia: [0.3, 0.5, 0.3], at: [0, 0, 0.6], velocity: [1, 0, 0]}\n"
    "  load:  {mass: 5, inertia: [0.1, 0.2, 0.15], at: [0, 0, 0.9], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  post: {type: prismatic, bodies: [wheel, load], at: [0, 0, 0.9], axis: z}\n"
    "forces:\n"
    "  tyre: {type: tyre, body: wheel, stiffness: 8000, damping: 20, free_length: 0.4,\n"
    "         road: \"0.05*sin(2*x)\", unilateral: true}\n"
    "  strut: {type: spring, bodies: [wheel, load], at1: [0, 0, 0], at2: [0, 0, 0],\n"
    "         stiffness: 900, damping: 20}\n";

static void wheel_that_bounces(void) {
  loaded l;
  load_text(&l, bouncing);
  check_restarts(&l, 2, 5e-3, 1e-6, true);
}

static void threads_do_not_show(void) {
  for (int r = 0; r < 2; r++) {
    contents file[2];
    for (int threads = 1; threads <= 2; threads++) {
      loaded l;
      tn_summary sum;
      load_file_threads(&l, "examples/vehicle/hmmwv14.yaml", "xb=2.4", threads);
      tn_run_opts o = {.results = first_path, .overwrite = true, .until = 0.3,
                       .representation = r ? "joint" : "cartesian"};
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
      read_all(l.ctx, first_path, &file[threads - 1]);
      unload(&l);
    }
    CHECK(continues(&file[0], &file[1], -1));
    forget(&file[0]);
    forget(&file[1]);
  }
}

int main(void) {
  snprintf(first_path, sizeof(first_path), "/tmp/tenon-restart-%d-a.h5", (int)getpid());
  snprintf(second_path, sizeof(second_path), "/tmp/tenon-restart-%d-b.h5", (int)getpid());
  RUN(tree);
  RUN(redundant_loop);
  RUN(rolling_wheels);
  RUN(loop_that_turns);
  RUN(vehicle_over_a_bump);
  RUN(wheel_that_bounces);
  RUN(threads_do_not_show);
  remove(first_path);
  remove(second_path);
  printf("%ld restarts, %ld events\n", restarts, events);
  return REPORT();
}
