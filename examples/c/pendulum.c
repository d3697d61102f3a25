/* A pendulum in C: read a model, simulate ten seconds, look at it.
 * Build: cc pendulum.c $(pkg-config --cflags --libs tenon)
 * Expect: x = -0.27509 m, y = -0.96142 m at t = 10 s (length 1 m, released level, g = 9.81 m/s^2).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <tenon/tenon.h>

static const char text[] =
    "tenon: 1\n"
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies: {ball: {mass: 1, inertia: 0.001, at: [-1, 0]}}\n"
    "joints: {rod: {type: distance, bodies: [ground, ball], at1: [0, 0], at2: [0, 0]}}\n"
    "analysis: {until: 10, tolerance: 1e-8}\n";

int main(void) {
  tn_ctx *ctx = NULL;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  double p[3], e[4];
  tn_status st = tn_ctx_create(NULL, &ctx);
  if (st == TN_OK) st = tn_spec_read_text(ctx, "pendulum", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, 10);
  if (st == TN_OK) st = tn_sim_body_pose(sim, tn_model_find_body(model, "ball"), p, e);
  if (st == TN_OK) printf("x = %.5f m, y = %.5f m\n", p[0], p[1]);
  else fprintf(stderr, "%s: %s\n", tn_status_text(st), tn_ctx_message(ctx));
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return st == TN_OK ? 0 : 1;
}
