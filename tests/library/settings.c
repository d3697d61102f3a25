/* What a run is told: by the model file, by the options of the call, and by both
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include "integrators/integrator.h"
#include <tenon/tenon.h>

static tn_ctx *ctx;

static tn_status create(const char *analysis, const tn_run_opts *o, char method[128]) {
  char text[600];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(text, sizeof(text), "tenon: 1\ngravity: [0, 0, -9.81]\n"
           "bodies: {rod: {mass: 1, shape: {sphere: 0.1}, at: [1, 0, 0]}}\n"
           "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
           "analysis: {%s}\n", analysis);
  tn_status st = tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, o, &sim);
  if (st == TN_OK) {
    tn_summary u;
    tn_sim_summary(sim, &u);
    snprintf(method, 128, "%s", u.method);
    method[strcspn(method, ";")] = 0; /* then follows who solves its matrices */
  }
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* the name; what follows it tells how its matrices are solved */
static const char *first_part(char *method) {
  char *end = strchr(method, ';');
  if (end) *end = 0;
  return method;
}

static void every_method_can_be_named_in_file_and_option(void) {
  char text[100], method[128];
  for (int i = 0; i < tni_integrator_ntype; i++) {
    const char *name = tni_integrator_types[i]->name;
    tn_run_opts o = {.method = name, .step = 0.01};
    snprintf(text, sizeof(text), "method: %s, step: 0.01", name);
    CHECK_OK(ctx, create(text, NULL, method));
    CHECK_TEXT(first_part(method), name);
    CHECK_OK(ctx, create("until: 2", &o, method));
    CHECK_TEXT(first_part(method), name);
  }
}

/* 100 steps of 0.01 s, whatever their errors, or a refusal that names the method */
static void equal_steps_are_equal_or_refused(void) {
  for (int i = 0; i < tni_integrator_ntype; i++) {
    const tni_integrator_type *type = tni_integrator_types[i];
    char text[600];
    tn_spec *spec;
    tn_model *model;
    tn_summary u;
    tn_run_opts o = {.results = ""};
    snprintf(text, sizeof(text), "tenon: 1\ngravity: [0, 0, -9.81]\n"
             "bodies: {rod: {mass: 1, shape: {sphere: 0.1}, at: [1, 0, 0]}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
             "analysis: {until: 1, method: %s, step: 0.01, steps: equal, tolerance: 1e-9}\n",
             type->name);
    CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
    tn_status st = tn_run(ctx, model, &o, &u);
    if (st == TN_OK) {
      if (!CHECK(u.steps == 100 && u.rejected == 0 && u.h_max - u.h_min < 1e-12 && u.fixed_step))
        printf("%s: %ld steps, %g to %g s\n", type->name, u.steps, u.h_min, u.h_max);
      CHECK(u.energy_error < 0.02*u.energy_scale);
    } else {
      CHECK(st == TN_ERR_INPUT && (!type->needs_tangent || type->order == 0));
      snprintf(text, sizeof(text), "'%s' chooses its steps by itself", type->name);
      CHECK(strstr(tn_ctx_message(ctx), text) != NULL);
    }
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
  }
}

/* numbers that no machine can deliver are refused with what they mean, not cut or ground through */
static void absurd_sizes_are_refused_with_their_meaning(void) {
  static const struct {
    const char *analysis;
    tn_run_opts o;
    const char *says;
  } t[] = {
      {"until: 2", {.tolerance = 9e-13}, "tolerance = 9e-13, must be >= 1e-12"},
      {"until: 2", {.tolerance = 1}, "tolerance = 1, must be < 1"},
      {"tolerance: 9e-13", {0}, "m.yaml:5: analysis: tolerance = 9e-13, must be >= 1e-12"},
      {"absolute_tolerance: 1e-20", {0}, "absolute_tolerance = 1e-20 m, rad, must be >= 1e-12"},
      {"until: 2, method: rk4, step: 1e-30", {0}, "m.yaml:5: analysis: step = 1e-30 s means 2e+30 steps"},
      {"until: 2", {.method = "energy_momentum", .step = 1e-12}, "step = 1e-12 s means 2e+12 steps"},
      {"until: 2, max_step: 1e-14", {0}, "means at least 2e+14 steps"},
      {"until: 2", {.every = 1e-12}, "every = 1e-12 s means 2e+12 rows up to 2 s"},
      {"type: statics, until: 2}\nforces: {f: {type: force, body: rod, force: [t, 0, 0]}", {0}, "m.yaml:5: analysis: statics without 'load_steps' finds the equilibrium at t = 0 s alone"},
      {"until: 2}\noutput: {every: 1e-12", {0}, "m.yaml:6: output: every = 1e-12 s means 2e+12 rows"},
      {"until: 2}\noutput: {checkpoint: 1e-12", {0}, "means 2e+12 checkpoints"},
  };
  char method[128];
  for (int i = 0; i < TNI_COUNT(t); i++) {
    CHECK(create(t[i].analysis, &t[i].o, method) < 0);
    if (!CHECK(strstr(tn_ctx_message(ctx), t[i].says) != NULL))
      printf("%s\n", tn_ctx_message(ctx));
  }
  /* a first step is only a first step, and small is not absurd */
  CHECK_OK(ctx, create("until: 2, step: 1e-13, method: rk45, tolerance: 1e-12", NULL, method));
  CHECK_OK(ctx, create("until: 1e-6, step: 1e-12, method: rk4", NULL, method));
}

static void options_win_over_the_file(void) {
  char method[128];
  tn_run_opts o = {.method = "adams", .representation = "joint", .solver = "composite"};
  CHECK_OK(ctx, create("method: rk4, representation: cartesian, solver: dense", &o, method));
  CHECK_TEXT(method, "adams");
}

static void wrong_options_are_refused_without_a_place(void) {
  static const struct {
    tn_run_opts o;
    const char *message;
  } cases[] = {
      {{.method = "rk54"}, "unknown method 'rk54'; did you mean 'rk4'?"},
      {{.method = "rk4"}, "method 'rk4' has a fixed step: key 'step' is missing"},
      {{.solver = "densee"}, "unknown solver 'densee'; did you mean 'dense'?"},
      {{.ordering = "amd"}, "unknown ordering 'amd'; did you mean 'md'?"},
      {{.representation = "minimal"},
       "unknown representation 'minimal'; known: auto, cartesian, joint"},
      {{.representation = "joint", .solver = "dense"},
       "solver 'dense' belongs to the cartesian representation, not to joint"},
      {{.representation = "cartesian", .solver = "recursive"},
       "solver 'recursive' belongs to the joint representation, not to cartesian"},
      {{.technique = "baumgart"}, "unknown technique 'baumgart'; did you mean 'baumgarte'?"},
      {{.technique = "staggered", .method = "rk45"},
       "technique 'staggered' looks back at the station before: it needs method 'staggered' or "
       "'trapezoidal', not 'rk45'"},
      {{.technique = "penalty", .method = "rosen"},
       "technique 'penalty' is for explicit methods; 'rosen' keeps the constraints by itself"},
      {{.technique = "natural", .representation = "joint"},
       "technique 'natural' needs the cartesian representation"},
      {{.until = 2}, "until = 2 s, must be after the start at 3 s"},
  };
  char method[128];
  for (int i = 0; i < (int)(sizeof(cases)/sizeof(cases[0])); i++) {
    CHECK_INT(create("from: 3, until: 4", &cases[i].o, method), TN_ERR_ARGUMENT);
    CHECK_TEXT(tn_ctx_message(ctx), cases[i].message);
  }
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(every_method_can_be_named_in_file_and_option);
  RUN(equal_steps_are_equal_or_refused);
  RUN(absurd_sizes_are_refused_with_their_meaning);
  RUN(options_win_over_the_file);
  RUN(wrong_options_are_refused_without_a_place);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
