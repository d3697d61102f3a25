/* the compiler of models: the same joint written in several ways is the same joint
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compile/compile.h"

#include <tenon/tenon.h>

#include "support/check.h"

static const char bodies_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 2, 2.5], at: [1, 2, 3], orientation: {axis: [1, 2, 0], angle: 0.7},\n"
    "      points: {P: [0.5, 0.1, -0.2]},\n"
    "      frames: {F: {at: [0.5, 0.1, -0.2], orientation: {z: [0, 1, 1], x: [1, 0, 0]}}}}\n"
    "  b: {mass: 2, inertia: [2, 2, 2], at: [2, 2, 3], com: [0.1, 0, 0]}\n"
    "joints:\n  ";

/* frames of the only joint, in the ground at the start */
static void ground_frames(const char *joint, double p[2][3], double R[2][9]) {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  char text[2000];
  snprintf(text, sizeof(text), "%s%s\n", bodies_text, joint);
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
  for (int e = 0; e < 2; e++) {
    const tni_joint *j = &model->joint[0];
    const tni_body *b = &model->body[j->body[e]];
    double A[9];
    quat_matrix(A, b->p0);
    mat3_vec(p[e], A, j->frame[e].p);
    vec3_add(p[e], p[e], b->r0);
    mat3_mul(R[e], A, j->frame[e].R);
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

/* one named frame gives both bodies the same frame; so does its point with its axes */
static void frames_and_axes_say_the_same(void) {
  static const char *const forms[] = {
      "j: {type: revolute, bodies: [a, b], frame1: F}",
      "j: {type: revolute, bodies: [a, b], at1: P, axis1: [0, 1, 1], x1: [1, 0, 0]}",
  };
  double p[2][2][3], R[2][2][9];
  for (int f = 0; f < 2; f++) ground_frames(forms[f], p[f], R[f]);
  for (int f = 0; f < 2; f++)
    for (int e = 0; e < 2; e++) {
      for (int i = 0; i < 3; i++) CHECK_NEAR(p[f][e][i], p[0][0][i], 1e-14);
      for (int i = 0; i < 9; i++) CHECK_NEAR(R[f][e][i], R[0][0][i], 1e-14);
    }
}

static void bad_frames_are_refused(void) {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  char text[2000];
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  snprintf(text, sizeof(text), "%sj: {type: revolute, bodies: [a, b], frame1: G}\n", bodies_text);
  CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
  CHECK(tn_model_compile(ctx, spec, &model) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx),
             "test:8: joint 'j': body 'a' has no frame 'G'; frames are named in its 'frames:'");
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(frames_and_axes_say_the_same);
  RUN(bad_frames_are_refused);
  return REPORT();
}
