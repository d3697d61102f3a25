/* Messages that name what is wrong
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <tenon/tenon.h>

#include "base/base.h"

static tn_ctx *ctx;
static char warnings[4000];

static void on_log(void *user, tn_log_level level, const char *line) {
  size_t n = strlen(warnings);
  (void)user;
  if (level == TN_LOG_WARNING) snprintf(warnings + n, sizeof(warnings) - n, "%s\n", line);
}

/* read, compile and run; the message of what failed is in the context */
static tn_status run(const char *text, const tn_run_opts *opts) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_summary sum;
  tn_run_opts o = opts ? *opts : (tn_run_opts){0};
  o.results = "";
  warnings[0] = 0;
  tn_status st = tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_run(ctx, model, &o, &sum);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void says(const char *part) {
  if (!CHECK(strstr(tn_ctx_message(ctx), part) != NULL)) printf("%s\n", tn_ctx_message(ctx));
}

#define BEAM(name, y, element)                                                                  \
  "  " name ": {from: [0, " y ", 0], to: [1, " y ", 0], elements: 4, element: " element         \
  ", section: {circle: 0.01}, material: {E: 2e8, nu: 0.3, rho: 7800}, start: ground}\n"

static void sensors_of_beams_say_what_there_is(void) {
  static const char model[] = "tenon: 1\nbeams:\n" BEAM("arm", "0", "rigid") BEAM("bow", "1", "exact")
                              "forces: {wind: {type: beam_load, beam: bow, force: [0, 0, 1]}}\n%s\n";
  static const char *const use[][2] = {
      {"sensors: {s: {type: force, force: wind}}",
       "sensor 's': 'wind' loads every node of a beam: write 'wind[1]' to 'wind[4]'"},
      {"output: {record: [wind.force]}", "'wind' loads every node of a beam"},
      {"sensors: {s: {type: force, force: \"arm.element[1]\"}}",
       "'arm.element[1]' is a joint of a rigid beam: it has a 'reaction', no force"},
      {"sensors: {s: {type: element, element: \"arm.element[1]\"}}", "a joint of a rigid beam"},
      {"output: {record: [\"arm.element[1].strain\"]}",
       "'arm.element[1]' has no quantity 'strain'; known: reaction"}};
  char text[1200];
  for (int i = 0; i < TNI_COUNT(use); i++) {
    snprintf(text, sizeof(text), model, use[i][0]);
    CHECK_INT(run(text, NULL), TN_ERR_INPUT);
    says(use[i][1]);
  }
  snprintf(text, sizeof(text), model, "output: {record: [\"wind[1].force\", \"arm.element[1].reaction\"]}\n"
           "analysis: {until: 1e-4}");
  CHECK_OK(ctx, run(text, NULL));
}

static void a_force_without_a_value_is_named(void) {
  static const char *const both[] = {"cartesian", "joint"};
  for (int i = 0; i < 2; i++) {
    tn_run_opts o = {.representation = both[i]};
    CHECK_INT(run("tenon: 1\nbodies: {b: {mass: 1, shape: {sphere: 1}}}\nforces:\n"
                  "  fine: {type: force, body: b, force: [1, 0, 0]}\n"
                  "  root: {type: force, body: b, force: [\"sqrt(0.5 - t)\", 0, 0]}\n", &o),
              TN_NO_PROGRESS);
    says("force 'root' (force) has no finite value at t = 0.5");
  }
}

/* agree at the start, in value and rate, and part then: not "off by 4e-17" */
static void drives_in_conflict_are_told_as_such(void) {
  static const char *const both[] = {"cartesian", "joint"};
  for (int i = 0; i < 2; i++) {
    tn_run_opts o = {.representation = both[i]};
    CHECK(run("tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], at: [0.5, 0, 0]}}\n"
              "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: z}}\n"
              "drive: {one: {joint: pin, motion: t}, two: {joint: pin, motion: \"t + t^2\"}}\n", &o) > 0);
    says("prescribed motions 'one', 'two' contradict each other: they differ by ");
  }
}

static void a_rolling_disk_is_sent_to_methods_that_take_it(void) {
  static const char *const refuse[] = {"rosen", "sdirk", "trap"}, *const take[] = {"radau", "rk8", "rk45"};
  static const char model[] =
      "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  coin: {mass: 2, inertia: [0.09, 0.045, 0.045], at: "
      "[1, 0, 0.3], velocity: [0, 1, 0]}\njoints:\n  edge: {type: rolling_disk, bodies: [ground, coin], "
      "at: [1, 0, 0.3], axis: x, radius: 0.3}\nanalysis: {until: 0.1}\n";
  for (int i = 0; i < 3; i++) {
    tn_run_opts o = {.method = refuse[i]};
    CHECK_INT(run(model, &o), TN_ERR_UNSUPPORTED);
    for (int k = 0; k < 3; k++) says(take[k]);
    o.method = take[i];
    CHECK_OK(ctx, run(model, &o));
  }
}

static void incremental_beams_warn_where_steps_are_chosen(void) {
  static const char model[] = "tenon: 1\nbeams:\n" BEAM("bow", "1", "incremental") "analysis: {until: 1e-4}\n";
  tn_run_opts chosen = {.method = "rk45"}, given = {.method = "rk4", .step = 1e-6};
  CHECK_OK(ctx, run(model, &chosen));
  CHECK(strstr(warnings, "m.yaml:3: beam 'bow': element 'incremental'") != NULL);
  CHECK(strstr(warnings, "method 'rk45'") != NULL);
  CHECK_OK(ctx, run(model, &given));
  CHECK_TEXT(warnings, "");
}

int main(void) {
  tn_ctx_opts o = {.log = on_log};
  if (tn_ctx_create(&o, &ctx) != TN_OK) return 1;
  RUN(sensors_of_beams_say_what_there_is);
  RUN(a_force_without_a_value_is_named);
  RUN(drives_in_conflict_are_told_as_such);
  RUN(a_rolling_disk_is_sent_to_methods_that_take_it);
  RUN(incremental_beams_warn_where_steps_are_chosen);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
