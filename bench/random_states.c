/* bench/random_states.c - random mechanisms with accelerations and reactions, for other simulators to judge
 *
 *   bench_random_states COUNT [FIRST] > states.txt
 *
 * The models are those of `make scan`. Each is run for 0.05 s at 1e-9, in cartesian and joint coordinates in turn, and
 * written as numbers: poses, velocities, applied loads, and what Tenon makes of them. Left out: beams and cables, ties
 * and prescribed motions, curves, rolling, and joints that the reader would have to invent (constant velocity, links).
 *
 *   model NUMBER PLANAR BODIES JOINTS gx gy gz
 *   body  MASS inertia[9]  r[3] A[9]  v[3] w[3]  f[3] t[3]  a[3] alpha[3]   f, t on the centre of mass without gravity;
 *                                                     alpha, w, t in ground axes; inertia in body axes
 *   joint TYPE BODY0 BODY1 PITCH UNIQUE  p0[3] R0[9] p1[3] R1[9]  F[3] T[3]   frames from the centres of mass in body axes
 *                                                     (body -1: ground), reaction on body 1 at p1, ground axes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "support/random_models.h"

static void put(const double *x, int n) {
  for (int i = 0; i < n; i++) printf(" %.17g", x[i]);
}

static bool can_be_told(const tn_model *model) {
  static const char *const TYPES[] = {"fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "screw",
                                      "inline", "inplane", "distance", "parallel", "perpendicular", "orientation"};
  if (model->nelement > 0) return false;
  for (int i = 0; i < model->nbody; i++)
    if (model->body[i].kind != TNI_NODE_POSE && model->body[i].kind != TNI_NODE_FLAT) return false;
  for (int j = 0; j < model->njoint; j++) {
    bool known = false;
    for (int k = 0; k < TNI_COUNT(TYPES); k++) known = known || strcmp(model->joint[j].type, TYPES[k]) == 0;
    if (!known || model->joint[j].is_drive) return false;
  }
  return true;
}

static void put_bodies(tn_sim *sim) {
  const tn_model *model = sim->model;
  const tni_data *s = sim->s;
  for (int b = 0; b < model->nbody; b++) {
    const tni_body *body = &model->body[b];
    const tni_kin *k = &s->kin[b + 1];
    double f[3] = {0}, own[3] = {0}, x[3];
    for (int i = 0; i < model->nforce; i++) {
      for (int e = 0; e < model->force[i].nbody; e++) {
        if (model->force[i].body[e] != b) continue;
        vec3_add(f, f, s->force_out[i].f + 6*e);
        vec3_add(own, own, s->force_out[i].f + 6*e + 3);
      }
    }
    printf("body %.17g", body->mass);
    put(body->I, 9);
    put(k->r, 3);
    put(k->A, 9);
    put(k->v, 3);
    mat3_vec(x, k->A, k->w);
    put(x, 3);
    put(f, 3);
    mat3_vec(x, k->A, own);
    put(x, 3);
    put(s->acc + 6*b, 3);
    mat3_vec(x, k->A, s->acc + 6*b + 3);
    put(x, 3);
    printf("\n");
  }
}

static bool put_joints(tn_sim *sim) {
  const tn_model *model = sim->model;
  for (int j = 0; j < model->njoint; j++) {
    const tni_joint *joint = &model->joint[j];
    double F[3], T[3];
    if (tn_sim_joint_reaction(sim, j, F, T) != TN_OK) return false;
    printf("joint %s %d %d %.17g %d", joint->type, joint->body[0], joint->body[1], joint->pitch, sim->unique[j]);
    for (int k = 0; k < 2; k++) {
      put(joint->frame[k].p, 3);
      put(joint->frame[k].R, 9);
    }
    put(F, 3);
    put(T, 3);
    printf("\n");
  }
  return true;
}

int main(int argc, char **argv) {
  (void)check_tests;
  static rm_model m;
  static char text[RM_TEXT];
  static const bool off[RM_ITEMS];
  const rm_view view = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1, 1, 1, false};
  long count = argc > 1 ? atol(argv[1]) : 100, first = argc > 2 ? atol(argv[2]) : 0, told = 0;
  for (long i = first; i < first + count; i++) {
    loaded l = {0};
    tn_sim *sim = NULL;
    rm_make(&m, (uint64_t)i, &view, off);
    rm_write(&m, text);
    load_begin(&l, 1);
    tn_status st = tn_spec_read_text(l.ctx, "random", text, NULL, 0, &l.spec);
    if (st == TN_OK) st = tn_model_compile(l.ctx, l.spec, &l.model);
    for (int k = 0; st == TN_OK && k < l.model->nforce; k++) { /* functions in C are not told */
      const char *type = l.model->force[k].type;
      if (type && (strcmp(type, "callback") == 0 || strcmp(type, "sampled") == 0)) st = TN_ERR_UNSUPPORTED;
    }
    if (st == TN_OK && can_be_told(l.model)) {
      tn_run_opts o = {.representation = told%2 ? "joint" : "cartesian", .tolerance = 1e-9, .method = "rk8"};
      st = tn_sim_create(l.ctx, l.model, &o, &sim);
      if (st == TN_OK) st = tn_sim_advance(sim, 0.05);
      if (st == TN_OK) {
        printf("model %ld %d %d %d", i, l.model->planar, l.model->nbody, l.model->njoint);
        put(l.model->gravity, 3);
        printf("\n");
        put_bodies(sim);
        if (!put_joints(sim)) return 1;
        told++;
      } else {
        fprintf(stderr, "model %ld: %s\n", i, tn_ctx_message(l.ctx));
      }
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  fprintf(stderr, "%ld of %ld models told\n", told, count);
  return 0;
}
