/* a force computed by the caller moves a body as the same force of the library would
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/tenon.h>

#include "support/check.h"

static const char model_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  ball: {mass: 2, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
    "forces:\n"
    "  pull: {type: callback, bodies: [ball]}\n"
    "analysis: {until: 3, tolerance: 1e-9}\n";

/* spring of stiffness *user to the origin, without tangents */
static void pull(void *user, double t, int nbody, const tn_body_state *body, tn_force_result *out) {
  (void)t, (void)nbody;
  for (int i = 0; i < 3; i++) out->f[i] = -*(const double *)user*body[0].r[i];
}

/* m x'' = -k x: x = cos(sqrt(k/m) t) */
static void oscillator_by_callback(void) {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  double k = 8, p[3], e[4];
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  CHECK_OK(ctx, tn_spec_read_text(ctx, "callback", model_text, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
  CHECK(tn_sim_create(ctx, model, NULL, &sim) != TN_OK);
  CHECK(strstr(tn_ctx_message(ctx), "pull") != NULL);
  CHECK(tn_model_set_callback(model, "pul", pull, &k) == TN_ERR_ARGUMENT);
  CHECK_TEXT(tn_ctx_message(ctx), "unknown force 'pul'; did you mean 'pull'?");
  CHECK_OK(ctx, tn_model_set_callback(model, "pull", pull, &k));
  CHECK_OK(ctx, tn_sim_create(ctx, model, NULL, &sim));
  CHECK_OK(ctx, tn_sim_advance(sim, 3));
  CHECK_OK(ctx, tn_sim_body_pose(sim, 0, p, e));
  CHECK_NEAR(p[0], cos(2*3.0), 1e-9);
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(oscillator_by_callback);
  return REPORT();
}
