/* The verdict raises no false alarm: examples, all methods with error control, tolerances 1e-3 to 1e-9.
 * With "all" every example; runs that take long are judged by what they have done by then.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static bool all;
static const char *const examples[] = {
    /* those of the quick test come first */
    "pendulum/double_pendulum", "staggered/one_bar", "staggered/four_bar", "contact/bouncing_ball",
    "control/inverted_pendulum", "deployment/three_links",
    "pendulum/pendulum", "four-bar/n_four_bar", "seven-body/seven_body", "chain/chain", "contact/boards",
    "contact/newtons_cradle", "staggered/arm", "staggered/crane", "staggered/double_pendulum",
    "staggered/doubled", "staggered/free_body", "staggered/impact", "staggered/parallelogram",
    "staggered/rolling_ball", "staggered/slider_crank", "staggered/tree", "staggered/triple_pendulum",
    "vehicle/hmmwv14", "vehicle/hmmwv14_stiff", "vehicle/wishbone", "beams/mast", "beams/pendulum",
    "beams/spin_up", "beams/manipulator"};
enum { QUICK = 6 };

typedef struct {
  tn_ctx *ctx;
  double end;
} patience;

static void watch(void *user, double t, double t_end, double h, long steps) {
  const patience *p = user;
  (void)t, (void)t_end, (void)h, (void)steps;
  if (tni_cpu_time() > p->end) tn_ctx_interrupt(p->ctx);
}

/* own tolerance of a model gives way; techniques that implicit methods do not take are left out */
static tn_status run(const char *name, const char *method, double tolerance, tn_summary *u) {
  char path[200];
  loaded l;
  snprintf(path, sizeof(path), "examples/%s.yaml", name);
  load_file(&l, path, NULL);
  patience p = {l.ctx, tni_cpu_time() + (all ? 0.25 : 0.04)};
  tn_run_opts o = {.results = "", .method = method, .technique = "auto", .tolerance = tolerance,
                   .progress = watch, .user = &p};
  tn_status st = tn_run(l.ctx, l.model, &o, u);
  unload(&l);
  return st;
}

static void judge(const char *name, const char *method, double tolerance) {
  tn_summary u;
  tn_status st = run(name, method, tolerance, &u);
  if (st == TN_OK || st == TN_INTERRUPTED) {
    if (!CHECK_TEXT(u.verdict, "sound")) printf("  %s, %s, tolerance %g\n", name, method, tolerance);
  } else {
    /* refused, or stopped by name: never in silence */
    CHECK(st > 0 || st == TN_ERR_UNSUPPORTED || st == TN_ERR_ARGUMENT || st == TN_ERR_INPUT);
    CHECK(st < 0 || !u.sound);
  }
}

static void examples_are_sound_with_every_method_and_tolerance(void) {
  static const double tolerance[] = {1e-3, 1e-6, 1e-9};
  for (int e = 0; e < (all ? TNI_COUNT(examples) : QUICK); e++)
    for (int m = -1; m < tni_integrator_ntype; m++) {
      const tni_integrator_type *type = m < 0 ? NULL : tni_integrator_types[m];
      if (type && (type->fixed_step || type->needs_technique)) continue;
      for (int k = 0; k < 3; k++)
        if (all || (k == (e + m + 1) % 2 && (e + m) % 3 == 0)) judge(examples[e], type ? type->name : "auto", tolerance[k]);
    }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(examples_are_sound_with_every_method_and_tolerance);
  return REPORT();
}
