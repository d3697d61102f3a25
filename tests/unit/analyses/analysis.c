/* tests/unit/analyses/analysis.c - the table of analyses, and summaries of older sizes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/analysis.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include <tenon/tenon.h>

#include "analyses/sim.h"
#include "support/check.h"

static tn_ctx *ctx;

static tn_model *compile(const char *text, tn_spec **spec) {
  tn_model *m;
  CHECK_OK(ctx, tn_spec_read_text(ctx, "model.yaml", text, NULL, 0, spec));
  CHECK_OK(ctx, tn_model_compile(ctx, *spec, &m));
  return m;
}

static const char HEAD[] =
    "tenon: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, -1]}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n";

/* analyses that look for a parameter need one, and something to find it by */
static const char FREE_HEAD[] =
    "tenon: 1\ngravity: [0, 0, -9.81]\nparams: {w: 0.3}\n"
    "bodies: {rod: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, -1]}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y, initial_rate: w}}\n"
    "output: {record: [pin.rate]}\n";
static const char *const extra[][2] = {{"boundary", ", elements: 8, free: w, targets: {pin.rate: 0.2}"},
                                       {"sensitivity", ", elements: 8, free: w"},
                                       {"fit", ", elements: 10, free: w, data: analysis_test.csv"}};

static const char *extra_keys(const char *name) {
  for (int i = 0; i < TNI_COUNT(extra); i++)
    if (strcmp(extra[i][0], name) == 0) return extra[i][1];
  return NULL;
}

/* every analysis runs on a model made for it, says its name, and has the channels of its table */
static void every_analysis_runs_and_stores_its_channels(void) {
  FILE *record = fopen("analysis_test.csv", "w");
  fprintf(record, "t, pin.rate\n0.05, 0.21\n0.1, 0.19\n");
  fclose(record);
  for (int i = 0; i < tni_nanalysis; i++) {
    const tni_analysis *a = tni_analyses[i];
    const char *more = extra_keys(a->name);
    char text[1000];
    snprintf(text, sizeof(text), "%s%sanalysis: {type: %s, until: 0.1%s}\n", more ? FREE_HEAD : HEAD,
             a->motion == TNI_MOTION_PRESCRIBED ? "drive: [{joint: pin, motion: \"t\"}]\n" : "", a->name, more ? more : "");
    if (strcmp(a->name, "buckling") == 0)
      snprintf(text, sizeof(text), "tenon: 1\nplanar: true\nmeshes: {m: {plate: {size: [1, 0.1], cells: [4, 1], cell: quad8}}}\n"
               "materials: {a: {type: elastic, E: 1e6, nu: 0, density: 1}}\nstructures: {m: {mesh: m, material: a, formulation: large}}\n"
               "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [\"-t\", 0, 0]}]\nanalysis: {type: buckling}\n");
    if (strcmp(a->name, "harmonic") == 0)
      snprintf(text, sizeof(text), "tenon: 1\nplanar: true\nmeshes: {m: {plate: {size: [1, 0.1], cells: [4, 1], cell: quad8}}}\n"
               "materials: {a: {type: elastic, E: 1e6, nu: 0, density: 1}}\nstructures: {m: {mesh: m, material: a}}\n"
               "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, \"t\"]}]\n"
               "analysis: {type: harmonic, range: [0, 50], samples: 5, modal_damping: 0.1, watch: [[x1, y]]}\n");
    if (strcmp(a->name, "modal") == 0)
      snprintf(text, sizeof(text), "tenon: 1\nplanar: true\nmeshes: {m: {plate: {size: [1, 0.1], cells: [4, 1], cell: quad8}}}\n"
               "materials: {a: {type: elastic, E: 1e6, nu: 0, density: 1}}\nstructures: {m: {mesh: m, material: a}}\n"
               "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, \"sin(9*t)\"]}]\nanalysis: {type: modal, until: 0.1}\n");
    tn_spec *spec;
    tn_model *m = compile(text, &spec);
    static tn_summary sum; /* large */
    tn_results *r;
    tn_run_opts o = {.results = "analysis_test.h5", .overwrite = true};
    CHECK(tni_analysis_of(m->spec) == a && tni_analysis_find(a->name) == a);
    CHECK_OK(ctx, tn_run(ctx, m, &o, &sum));
    CHECK(strcmp(sum.analysis, a->name) == 0);
    CHECK(sum.sound);
    CHECK(sum.method[0] != 0);
    CHECK_OK(ctx, tn_results_open(ctx, "analysis_test.h5", &r));
    for (int k = 0; k < a->nchannel; k++) {
      char name[200];
      snprintf(name, sizeof(name), "%s/%s", a->channel[k].group, a->channel[k].name);
      int c = tn_results_find(r, name);
      CHECK(c >= 0 && tn_results_channel_size(r, c) == a->channel[k].ncomponent);
    }
    tn_results_close(&r);
    tn_model_destroy(&m);
    tn_spec_destroy(&spec);
  }
  remove("analysis_test.h5");
  remove("analysis_test.csv");
}

/* the keys of an analysis are keys of the file, with their ranges */
static void keys_of_analyses_are_read(void) {
  static const char *const wrong[][2] = {{"modes: 0", "modes"}, {"load_steps: -1", "load_steps"},
                                         {"type: dance", "type"}};
  char *text;
  CHECK_OK(ctx, tn_input_reference(ctx, &text));
  for (int i = 0; i < tni_nanalysis; i++)
    for (int k = 0; k < tni_analyses[i]->nkey; k++) CHECK(strstr(text, tni_analyses[i]->key[k].doc) != NULL);
  tn_text_free(ctx, &text);
  for (int i = 0; i < TNI_COUNT(wrong); i++) {
    char model[600];
    tn_spec *spec;
    snprintf(model, sizeof(model), "%sanalysis: {%s}\n", HEAD, wrong[i][0]);
    CHECK(tn_spec_read_text(ctx, "model.yaml", model, NULL, 0, &spec) == TN_ERR_INPUT);
    CHECK(strstr(tn_ctx_message(ctx), wrong[i][1]) != NULL);
  }
}

/* what needs no integrator has none, whatever method the file names */
static void only_steps_build_an_integrator(void) {
  tn_spec *spec;
  tn_sim *sim;
  tn_model *m = compile("tenon: 1\ngravity: [0, 0, -9.81]\nbodies: {rod: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, "
                        "0, -1]}}\njoints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
                        "analysis: {type: statics, method: radau}\n", &spec);
  CHECK_OK(ctx, tni_sim_create(ctx, m, NULL, false, &sim));
  CHECK(sim->it == NULL && sim->choice == NULL && sim->technique == NULL);
  CHECK_OK(ctx, tni_sim_look(sim, 0));
  /* the reaction carries the weight */
  double f[3], tau[3];
  CHECK_OK(ctx, tn_sim_joint_reaction(sim, 0, f, tau));
  CHECK(fabs(f[2] - 2*9.81) < 1e-9);
  tn_sim_destroy(&sim);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
}

/* A program that knows less of the summary: memory behind its part stays as it was. */
static void an_older_summary_is_filled_and_no_more(void) {
  enum { OLD = offsetof(tn_summary, figures), GUARD = 64 };
  tn_spec *spec;
  tn_model *m = compile("tenon: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nanalysis: {type: assemble}\n", &spec);
  tn_run_opts o = {.results = ""};
  unsigned char *memory = malloc(sizeof(tn_summary) + GUARD);
  static tn_summary whole;
  char *json, *old_json;
  CHECK_OK(ctx, tn_run(ctx, m, &o, &whole));
  CHECK(whole.figures == 1 && strcmp(whole.figure[0].name, "freedom") == 0 && whole.figure[0].value == 6);
  memset(memory, 0xA5, sizeof(tn_summary) + GUARD);
  CHECK_OK(ctx, tn_run_sized(ctx, m, &o, (tn_summary *)memory, OLD));
  for (size_t i = OLD; i < sizeof(tn_summary) + GUARD; i++) CHECK(memory[i] == 0xA5);
  CHECK(strcmp(((tn_summary *)memory)->outcome, "complete") == 0);
  /* and is read no further */
  CHECK_OK(ctx, tn_summary_json_sized(ctx, (tn_summary *)memory, OLD, &old_json));
  CHECK_OK(ctx, tn_summary_json(ctx, &whole, &json));
  CHECK(strstr(json, "\"freedom\"") != NULL && strstr(old_json, "\"freedom\"") == NULL);
  CHECK(tn_run_sized(ctx, m, &o, (tn_summary *)memory, sizeof(tn_summary) + 8) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "newer") != NULL);
  CHECK(tn_run_sized(ctx, m, &o, (tn_summary *)memory, 16) == TN_ERR_ARGUMENT);
  tn_text_free(ctx, &json);
  tn_text_free(ctx, &old_json);
  free(memory);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  RUN(every_analysis_runs_and_stores_its_channels);
  RUN(keys_of_analyses_are_read);
  RUN(only_steps_build_an_integrator);
  RUN(an_older_summary_is_filled_and_no_more);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
