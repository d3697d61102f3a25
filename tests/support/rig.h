/* tests/support/rig.h - three bodies, a joint and a builder, to try forces and measures on
 *
 * Bodies a, b, c with centres of mass away from their frame origins, named points tip, end and
 * meet (the same place for all at the start), and ground.hook; joint `pin` (angle of b against a
 * about a skew axis, displacement along it). Values are written as in a model file: numbers, words,
 * [lists], "key: value; key: value".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_RIG_H
#define TN_RIG_H

#include "forces/list.h"
#include "model/measures.h"
#include "support/check.h"

enum { RIG_BODIES = 3 };

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model model;
  tni_builder b;
  tni_kin kin[RIG_BODIES + 1];
  double memory[512];
  tni_env env;
  uint64_t seed;
} rig;

static const tni_section rig_forces = {.name = "forces", .item = "force"};
static const tni_section rig_sensors = {.name = "sensors", .item = "sensor"};

/* ---- values ------------------------------------------------------------------------------- */

static inline const char *rig_parse(tni_arena *arena, const char *s, tni_value *out) {
  memset(out, 0, sizeof(*out));
  out->at = (tni_place){"rig", 7};
  while (*s == ' ') s++;
  if (*s == '[') {
    out->form = TNI_LIST;
    out->item = tni_arena_alloc(arena, 32, sizeof(tni_value));
    for (s++; *s && *s != ']';) {
      s = rig_parse(arena, s, &out->item[out->n++]);
      while (*s == ' ' || *s == ',') s++;
    }
    return *s ? s + 1 : s;
  }
  size_t n = 0;
  if (*s == '"') {
    s++;
    n = strcspn(s, "\"");
    out->text = tni_arena_printf(arena, "%.*s", (int)n, s);
    out->form = TNI_TEXT;
    return s + n + 1;
  }
  n = strcspn(s, ",];");
  while (n && s[n-1] == ' ') n--;
  char *text = tni_arena_printf(arena, "%.*s", (int)n, s), *rest;
  out->text = text;
  out->number = strtod(text, &rest);
  out->form = n && !*rest ? TNI_NUMBER : TNI_TEXT;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    out->form = TNI_NUMBER;
    out->number = text[0] == 't';
  }
  return s + n;
}

static inline tn_status rig_set_all(rig *r, tni_item *item, const char *text) {
  while (*text) {
    while (*text == ' ' || *text == ';') text++;
    if (!*text) break;
    char name[40];
    size_t n = strcspn(text, ":");
    snprintf(name, sizeof(name), "%.*s", (int)n, text);
    const tni_key *key = tni_item_key(item, name);
    tni_value v;
    text = rig_parse(&r->spec->arena, text + n + 1, &v);
    if (!key) return tni_item_fail(r->ctx, item, NULL, "unknown key '%s'", name);
    TN_TRY(tni_item_set(r->spec, item, key, &v));
  }
  return tni_item_complete(r->ctx, item);
}

/* ---- the model ---------------------------------------------------------------------------- */

/* random pose and velocity */
static inline void rig_random_kin(rig *r, tni_kin *k) {
  double p[4];
  for (int i = 0; i < 4; i++) p[i] = check_random(&r->seed);
  quat_normalize(p);
  quat_matrix(k->A, p);
  for (int i = 0; i < 3; i++) {
    k->r[i] = 2*check_random(&r->seed);
    k->v[i] = check_random(&r->seed);
    k->w[i] = check_random(&r->seed);
  }
  mat3_vec(k->W, k->A, k->w);
}

static inline void rig_random_state(rig *r) {
  r->env.t = check_random(&r->seed);
  for (int i = 0; i < RIG_BODIES; i++) rig_random_kin(r, &r->kin[i+1]);
}

/* the state the model was built at */
static inline void rig_initial_state(rig *r) {
  r->env.t = 0;
  for (int i = 0; i < RIG_BODIES; i++) tni_build_pose(&r->b, i, &r->kin[i+1]);
}

/* memory is a copy of the initial one */
static inline void rig_refresh(rig *r) {
  for (int i = 0; i < r->model.nmemory; i++) r->memory[i] = r->model.memory0[i];
}

static inline void rig_begin(rig *r) {
  static const tni_schema empty = {0};
  static const char *const name[RIG_BODIES] = {"a", "b", "c"};
  memset(r, 0, sizeof(*r));
  CHECK_OK(r->ctx, tn_ctx_create(NULL, &r->ctx));
  CHECK_OK(r->ctx, tni_spec_create(r->ctx, &empty, &r->spec));
  CHECK_OK(r->ctx, tni_spec_add_param(r->spec, "gain", 2.5, (tni_place){0}));
  tni_arena_init(&r->model.arena, r->ctx);
  r->b = (tni_builder){.ctx = r->ctx, .arena = &r->model.arena, .spec = r->spec,
                       .model = &r->model};
  r->model.ctx = r->ctx;
  r->model.spec = r->spec;
  r->model.nbody = RIG_BODIES;
  r->model.body = tni_arena_alloc(&r->model.arena, RIG_BODIES, sizeof(tni_body));
  r->seed = 88172645463325252u;
  for (int i = 0; i < RIG_BODIES; i++) {
    tni_body *o = &r->model.body[i];
    tni_kin k;
    rig_random_kin(r, &k);
    o->name = name[i];
    o->mass = 1 + i;
    vec3_copy(o->r0, k.r);
    quat_from_matrix(o->p0, k.A);
    for (int c = 0; c < 3; c++) o->com[c] = 0.3*check_random(&r->seed);
    o->nmarker = 3;
    o->marker = tni_arena_alloc(&r->model.arena, 3, sizeof(tni_marker));
    const double meet[3] = {1, 1, 1};
    o->marker[2].name = "meet";
    tni_build_to_body(&r->b, i, meet, o->marker[2].frame.p);
    for (int m = 0; m < 2; m++) {
      o->marker[m].name = m ? "end" : "tip";
      mat3_identity(o->marker[m].frame.R);
      for (int c = 0; c < 3; c++) o->marker[m].frame.p[c] = check_random(&r->seed);
    }
  }
  r->model.ground_nmarker = 1;
  r->model.ground_marker = tni_arena_alloc(&r->model.arena, 1, sizeof(tni_marker));
  r->model.ground_marker->name = "hook";
  vec3_set(r->model.ground_marker->frame.p, 0.1, -3, 0.7);
  mat3_identity(r->model.ground_marker->frame.R);

  tni_joint *j = r->model.joint = tni_arena_alloc(&r->model.arena, 1, sizeof(tni_joint));
  r->model.njoint = 1;
  j->name = "pin";
  j->type = "cylindrical";
  j->body[0] = 0, j->body[1] = 1;
  for (int i = 0; i < 2; i++) {
    tni_kin k;
    rig_random_kin(r, &k);
    memcpy(j->frame[i].R, k.A, sizeof(k.A));
    vec3_copy(j->frame[i].p, k.r);
  }
  j->ncoord = 2;
  double z[3];
  mat3_column(z, j->frame[0].R, 2);
  j->coord[0] = (tni_coord){"angle", "rad",
                            tni_scalar_twist(0, 1, j->frame[0].R, j->frame[1].R, -1)};
  j->coord[1] = (tni_coord){"displacement", "m",
                            tni_scalar_dot(0, 1, tni_vecq_direction(0, z),
                                           tni_vecq_separation(j->frame[0].p, j->frame[1].p), 0)};
  tni_kin_ground(&r->kin[0]);
  r->env.kin = r->kin;
  r->env.memory = r->memory;
  rig_initial_state(r);
}

static inline void rig_end(rig *r) {
  tni_arena_clear(&r->model.arena);
  tni_spec_destroy(&r->spec);
  tn_ctx_destroy(&r->ctx);
}

/* ---- forces ------------------------------------------------------------------------------- */

/* build a force from its keys; the status of the build */
static inline tn_status rig_try_force(rig *r, const char *type, const char *name,
                                      const char *keys) {
  for (int i = 0; i < tni_force_ntype; i++) {
    if (strcmp(tni_force_types[i]->type.name, type) != 0) continue;
    tni_item *item;
    TN_TRY(tni_spec_add(r->spec, &rig_forces, name, &tni_force_types[i]->type,
                        (tni_place){"rig", 7}, &item));
    TN_TRY(rig_set_all(r, item, keys));
    tn_status st = tni_force_types[i]->build(&r->b, item);
    rig_refresh(r);
    return st;
  }
  return tni_fail(r->ctx, TN_ERR_ARGUMENT, "no force type '%s'", type);
}

static inline const tni_force *rig_force(rig *r, const char *type, const char *name,
                                         const char *keys) {
  CHECK_OK(r->ctx, rig_try_force(r, type, name, keys));
  return &r->model.force[r->model.nforce-1];
}

/* results of one evaluation */
typedef struct {
  double f[48], K[48*48], D[48*48], f_t[48];
  tni_force_out o;
} rig_out;

static inline void rig_eval(const rig *r, const tni_force *force, rig_out *out) {
  memset(out, 0xff, sizeof(*out)); /* NaN: what is not written shows */
  out->o.f = out->f, out->o.K = out->K, out->o.D = out->D, out->o.f_t = out->f_t;
  force->ops->eval(force, &r->env, TNI_F_FORCE | TNI_F_TANGENT, &out->o);
}

/* move body along local component c by h: 0..2 position (ground), 3..5 rotation (body) */
static inline void rig_move(tni_kin *k, int c, double h) {
  if (c < 3) {
    k->r[c] += h;
  } else {
    double u[3] = {0, 0, 0}, p[4], R[9], A[9];
    u[c-3] = h;
    quat_from_vector(p, u);
    quat_matrix(R, p);
    mat3_mul(A, k->A, R);
    memcpy(k->A, A, sizeof(A));
  }
  mat3_vec(k->W, k->A, k->w);
}

static inline void rig_push(tni_kin *k, int c, double h) {
  if (c < 3)
    k->v[c] += h;
  else
    k->w[c-3] += h;
  mat3_vec(k->W, k->A, k->w);
}

/* all bodies along their velocities for the time h, t too */
static inline void rig_advance(rig *r, double h) {
  r->env.t += h;
  for (int i = 1; i <= RIG_BODIES; i++) {
    tni_kin *k = &r->kin[i];
    double u[3], p[4], R[9], A[9];
    vec3_addmul(k->r, h, k->v);
    vec3_scale(u, h, k->w);
    quat_from_vector(p, u);
    quat_matrix(R, p);
    mat3_mul(A, k->A, R);
    memcpy(k->A, A, sizeof(A));
    mat3_vec(k->W, k->A, k->w);
  }
}

#endif
