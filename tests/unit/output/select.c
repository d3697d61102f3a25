/* Signals are found by the names people write
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "sample.h"

static tn_ctx *ctx;
static tni_reader *r;

static const char *const wrench[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const coordinate[] = {"value", "rate"};
static const tni_channel more[] = {
  {"bodies", "rod/position", "m", 3, sample_xyz, "ground", NULL},
  {"joints", "pin/reaction", "N, N m", 6, wrench, "ground", NULL},
  {"joints", "pin/angle", "rad", 2, coordinate, NULL, NULL},
  {"sensors", "pin.reaction", "N, N m", 6, wrench, "ground", NULL},
  {"energy", "kinetic", "J", 1, NULL, NULL, NULL},
};

static int found(const char *pattern, tni_signal *out) {
  int n = 0;
  CHECK_OK(ctx, tni_results_select(r, pattern, out, 32, &n));
  return n;
}

static void names_with_and_without_group_and_component(void) {
  tni_signal g[32];
  static const char *const y[] = {"rod.position.y", "rod/position.y", "bodies/rod/position/y",
                                  "bodies.rod.position.y", "rod.*.y"};
  for (int i = 0; i < 5; i++) {
    CHECK_INT(found(y[i], g), 1);
    CHECK_INT(g[0].channel, 0);
    CHECK_INT(g[0].component, 1);
  }
  CHECK_INT(found("rod.position.?", g), 3);
  CHECK_INT(found("rod.position", g), 3);
  CHECK_INT(found("kinetic", g), 1);
  CHECK_INT(found("energy.kinetic", g), 1);
}

/* a recorded reaction is stored twice, under joints and under sensors: one is enough */
static void the_same_name_in_two_groups_counts_once(void) {
  tni_signal g[32];
  CHECK_INT(found("pin.reaction", g), 6);
  CHECK_INT(g[0].channel, 1);
  CHECK_INT(found("sensors.pin.reaction", g), 6);
  CHECK_INT(g[0].channel, 3);
  CHECK_INT(found("pin.*", g), 8);
}

static void wrong_names_suggest_the_nearest(void) {
  tni_signal g[32];
  int n;
  CHECK(tni_results_select(r, "rod.postion.x", g, 32, &n) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "no signal matches 'rod.postion.x'; did you mean 'rod.position.x'?"));
  CHECK(tni_results_select(r, "pin.raction", g, 32, &n) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "did you mean 'pin.reaction'?"));
  CHECK(tni_results_select(r, "something else entirely", g, 32, &n) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "the first is 'rod.position'"));
  CHECK(tni_results_select(r, "*", g, 4, &n) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "more than 4 signals"));
}

static void components_have_their_own_unit(void) {
  static const struct {
    int channel, component;
    const char *unit;
  } want[] = {{0, 2, "m"}, {1, 0, "N"}, {1, 2, "N"}, {1, 3, "N m"}, {1, 5, "N m"},
              {2, 0, "rad"}, {2, 1, "rad/s"}, {4, 0, "J"}};
  for (int i = 0; i < TNI_COUNT(want); i++) {
    char unit[32];
    tni_results_component_unit(&more[want[i].channel], want[i].component, unit, sizeof(unit));
    CHECK_TEXT(unit, want[i].unit);
  }
}

int main(void) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  sample_begin();
  tni_writer *w;
  double values[18] = {0};
  tni_results_info info = {.nchannel = TNI_COUNT(more), .channel = more};
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("a.h5"), true, &info, &w));
  CHECK_OK(ctx, tni_results_append(w, 0, values));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("a.h5"), &r));
  RUN(names_with_and_without_group_and_component);
  RUN(the_same_name_in_two_groups_counts_once);
  RUN(wrong_names_suggest_the_nearest);
  RUN(components_have_their_own_unit);
  tni_results_close(&r);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
