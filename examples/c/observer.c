/* A controller of your own between the steps: a rod is balanced on a cart although only position and
 * tilt are measured. Every 20 ms the library hands the measurements to feel_and_push(), which estimates
 * the speeds by an observer, and holds the force that it returns until the next sample. The method is
 * the staggered one: coordinates, multipliers and this module exchange vectors and nothing else.
 * Build: cc observer.c $(pkg-config --cflags --libs tenon) -lm
 * Expect: balanced after 6 s, 300 samples (released 0.1 rad from the upright position).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <tenon/tenon.h>

static const char text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 1, shape: {box: [0.3, 0.2, 0.1]}}\n"
    "  rod: {mass: 0.2, inertia: [1/60, 1/60, 1e-5], at: [0.5*sin(0.1), 0, 0.5*cos(0.1)],\n"
    "        orientation: {axis: y, angle: 0.1}}\n"
    "joints:\n"
    "  rail: {type: prismatic, bodies: [ground, cart], axis: x}\n"
    "  pivot: {type: revolute, bodies: [cart, rod], at: [0, 0, 0], axis: y}\n"
    "forces:\n"
    "  pilot: {type: sampled, joints: rail, sample: 0.02,\n"
    "          inputs: [\"displacement(rail)\", \"angle(pivot) + 0.1\"]}\n"
    "analysis: {until: 6, method: staggered, step: 0.002}\n";

/* estimates of position and speed of two measured quantities */
typedef struct {
  double y[2], rate[2];
  int samples;
} observer;

static void feel_and_push(void *user, double t, int nin, const double *in, int nout, double *out) {
  static const double gain[4] = {-2.7759, -46.963, -5.2556, -11.972};
  observer *o = user;
  (void)t, (void)nout;
  for (int i = 0; i < nin; i++) {
    double expected = o->y[i] + 0.02*o->rate[i], surprise = in[i] - expected;
    if (o->samples == 0) expected = in[i], surprise = 0;
    o->y[i] = expected + 0.8*surprise;
    o->rate[i] += 0.5*surprise/0.02;
  }
  o->samples++;
  out[0] = -(gain[0]*o->y[0] + gain[1]*o->y[1] + gain[2]*o->rate[0] + gain[3]*o->rate[1]);
}

int main(void) {
  tn_ctx *ctx = NULL;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  observer o = {.samples = 0};
  double angle = 0, rate;
  tn_status st = tn_ctx_create(NULL, &ctx);
  if (st == TN_OK) st = tn_spec_read_text(ctx, "observer", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_model_set_controller(model, "pilot", feel_and_push, &o);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, 6);
  if (st == TN_OK) st = tn_sim_joint_coordinate(sim, tn_model_find_joint(model, "pivot"), 0, &angle,
                                                &rate);
  if (st == TN_OK)
    printf("%s after 6 s, %d samples\n", fabs(angle + 0.1) < 1e-2 ? "balanced" : "fallen", o.samples);
  else fprintf(stderr, "%s: %s\n", tn_status_text(st), tn_ctx_message(ctx));
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return st == TN_OK ? 0 : 1;
}
