/* tests/support/hand_model.h - models made by program: bodies at any pose, joints of any kind
 *
 * The two frames of a joint coincide in the pose given to the bodies, so the joint system starts at
 * zero coordinates there. Names are "b0", "b1" ... and "j0", "j1" ...
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_HAND_MODEL_H
#define TN_HAND_MODEL_H

#include "joints/parts.h"
#include "support/check.h"

typedef struct hand_model {
  tn_ctx *ctx;
  tn_model model;
  tni_builder builder;
  int body_cap;
} hand_model;

static inline void hand_start(hand_model *h) {
  memset(h, 0, sizeof(*h));
  if (tn_ctx_create(NULL, &h->ctx) != TN_OK) exit(1);
  tni_arena_init(&h->model.arena, h->ctx);
  h->model.ctx = h->ctx;
  vec3_set(h->model.gravity, 0, 0, -9.81);
  h->builder = (tni_builder){.ctx = h->ctx, .arena = &h->model.arena, .model = &h->model};
}

static inline void hand_stop(hand_model *h) {
  tni_arena_clear(&h->model.arena);
  tn_ctx_destroy(&h->ctx);
}

static inline void hand_planar(hand_model *h) {
  h->model.planar = true;
  vec3_set(h->model.gravity, 0, -9.81, 0);
}

/* a body with full inertia I at r, p */
static inline int hand_body(hand_model *h, double mass, const double I[9], const double r[3],
                            const double p[4]) {
  tn_model *m = &h->model;
  void *items = m->body;
  if (!tni_arena_grow(&m->arena, &items, m->nbody, &h->body_cap, sizeof(tni_body))) exit(1);
  m->body = items;
  tni_body *b = &m->body[m->nbody];
  memset(b, 0, sizeof(*b));
  b->name = tni_arena_printf(&m->arena, "b%d", m->nbody);
  b->kind = m->planar ? TNI_NODE_FLAT : TNI_NODE_POSE;
  b->mass = mass;
  memcpy(b->I, I, sizeof(b->I));
  mat3_inverse(b->Iinv, I);
  vec3_copy(b->r0, r);
  memcpy(b->p0, p, sizeof(b->p0));
  return m->nbody++;
}

/* an uneven body at a random pose; planar models: in the plane */
static inline int hand_random_body(hand_model *h, uint64_t *seed) {
  double L[9] = {0}, I[9], r[3], p[4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) L[3*i + j] = (i == j ? 0.4 : 0) + 0.1*check_random(seed);
  mat3_mult(I, L, L); /* L L^T */
  for (int i = 0; i < 3; i++) r[i] = check_random(seed);
  for (int i = 0; i < 4; i++) p[i] = check_random(seed);
  if (h->model.planar) r[2] = p[1] = p[2] = I[2] = I[5] = I[6] = I[7] = 0;
  quat_normalize(p);
  return hand_body(h, 1 + 0.5*check_random(seed), I, r, p);
}

/* frame of a body that coincides with the ground frame (point, R) in the given pose */
static inline void hand_frame(const hand_model *h, int body, const double point[3],
                              const double R[9], tni_frame *out) {
  double A[9], y[3];
  if (body == TNI_GROUND) {
    vec3_copy(out->p, point);
    memcpy(out->R, R, sizeof(out->R));
    return;
  }
  quat_matrix(A, h->model.body[body].p0);
  vec3_sub(y, point, h->model.body[body].r0);
  mat3_tvec(out->p, A, y);
  mat3_tmul(out->R, A, R);
}

static inline tn_status hand_rows(hand_model *h, tni_joint *j, tni_rowset *rows) {
  const double turn = 6.283185307179586476925286766559;
  int r;
  switch (j->mobilizer) {
    case TNI_MOBIL_FIXED:
      tni_rows_point(rows, j);
      tni_rows_oriented(rows, j);
      break;
    case TNI_MOBIL_REVOLUTE:
      TN_TRY(tni_coord_angle(&h->builder, j, "angle"));
      tni_rows_point(rows, j);
      tni_rows_parallel(rows, j);
      break;
    case TNI_MOBIL_PRISMATIC:
      TN_TRY(tni_coord_along(&h->builder, j, 2, "displacement"));
      tni_rows_oriented(rows, j);
      tni_rows_on_axis(rows, j);
      break;
    case TNI_MOBIL_CYLINDER:
      tni_rows_parallel(rows, j);
      tni_rows_on_axis(rows, j);
      break;
    case TNI_MOBIL_SCREW:
      TN_TRY(tni_coord_angle(&h->builder, j, "angle"));
      TN_TRY(tni_coord_along(&h->builder, j, 2, "displacement"));
      tni_rows_parallel(rows, j);
      tni_rows_on_axis(rows, j);
      r = tni_rows_add(rows, "thread", "m");
      tni_rows_term(rows, r, 1, &j->coord[1].scalar);
      tni_rows_term(rows, r, -j->pitch/turn, &j->coord[0].scalar);
      break;
    case TNI_MOBIL_UNIVERSAL:
      tni_rows_point(rows, j);
      tni_rows_normal(rows, j, 2, 1, "cross");
      break;
    case TNI_MOBIL_SPHERICAL: tni_rows_point(rows, j); break;
    case TNI_MOBIL_PLANAR:
      tni_rows_parallel(rows, j);
      tni_rows_inplane(rows, j, 2, "plane");
      break;
    default: break;
  }
  return tni_rows_close(&h->builder, j, rows);
}

static inline tni_joint *hand_new_joint(hand_model *h, int body0, int body1) {
  tn_model *m = &h->model;
  void *items = m->joint;
  if (!tni_arena_grow(&m->arena, &items, m->njoint, &h->builder.joint_cap, sizeof(tni_joint)))
    exit(1);
  m->joint = items;
  tni_joint *j = &m->joint[m->njoint];
  memset(j, 0, sizeof(*j));
  j->name = tni_arena_printf(&m->arena, "j%d", m->njoint);
  j->body[0] = body0;
  j->body[1] = body1;
  return j;
}

/* joint with both frames at (point, R) of the ground; R NULL: identity */
static inline int hand_joint(hand_model *h, tni_mobilizer kind, int body0, int body1,
                             const double point[3], const double *R, double pitch) {
  double one[9];
  mat3_identity(one);
  tni_joint *j = hand_new_joint(h, body0, body1);
  j->mobilizer = kind;
  j->pitch = pitch;
  hand_frame(h, body0, point, R ? R : one, &j->frame[0]);
  hand_frame(h, body1, point, R ? R : one, &j->frame[1]);
  tni_rowset rows = {0};
  CHECK_OK(h->ctx, hand_rows(h, j, &rows));
  return h->model.njoint++;
}

/* rod of the present length between two points of the ground: one row, always cut */
static inline int hand_distance(hand_model *h, int body0, int body1, const double p0[3],
                                const double p1[3]) {
  double one[9], d[3];
  mat3_identity(one);
  tni_joint *j = hand_new_joint(h, body0, body1);
  hand_frame(h, body0, p0, one, &j->frame[0]);
  hand_frame(h, body1, p1, one, &j->frame[1]);
  vec3_sub(d, p1, p0);
  tni_scalar s = tni_scalar_length(body0, body1,
                                   tni_vecq_separation(j->frame[0].p, j->frame[1].p),
                                   -vec3_norm(d));
  tni_rowset rows = {0};
  tni_rows_scalar(&rows, &s, "distance", "m");
  CHECK_OK(h->ctx, tni_rows_close(&h->builder, j, &rows));
  return h->model.njoint++;
}

/* a rotation about a random axis; planar models: about z */
static inline void hand_random_rotation(const hand_model *h, uint64_t *seed, double R[9]) {
  double p[4];
  for (int i = 0; i < 4; i++) p[i] = check_random(seed);
  if (h->model.planar) p[1] = p[2] = 0;
  quat_normalize(p);
  quat_matrix(R, p);
}

#endif
