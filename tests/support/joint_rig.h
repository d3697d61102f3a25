/* tests/support/joint_rig.h - bodies, joints on them, all derivatives by differences
 *
 * Bodies have random poses; a joint is built by its type from an item of a small language of its
 * own, with frames set by the test. rig_check holds every result of a constraint block against
 * central differences along the retraction of the state.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_JOINT_RIG_H
#define TN_JOINT_RIG_H

#include "input/input.h"
#include "joints/list.h"
#include "joints/parts.h"
#include "support/check.h"

enum { RIG_MAXBODY = 4, RIG_MAXJOINT = 8, RIG_MAXMEMORY = 16, RIG_MAXROW = 6 };

static const tni_key rig_joint_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES},    {.name = "at", .kind = TNI_KIND_POINT},
    {.name = "at1", .kind = TNI_KIND_POINT},        {.name = "at2", .kind = TNI_KIND_POINT},
    {.name = "axis", .kind = TNI_KIND_DIRECTION},   {.name = "axis1", .kind = TNI_KIND_DIRECTION},
    {.name = "axis2", .kind = TNI_KIND_DIRECTION},  {.name = "x", .kind = TNI_KIND_DIRECTION},
};

typedef struct rig {
  tn_ctx *ctx;
  tn_spec *spec;
  tni_section section[2]; /* joints, drive */
  tni_schema schema;
  tn_model model;
  tni_builder b;
  tni_body body[RIG_MAXBODY];
  tni_joint joint[RIG_MAXJOINT];
  tni_kin kin[RIG_MAXBODY + 1];
  double memory[RIG_MAXMEMORY];
  double t;
} rig;

static uint64_t rig_seed = 17;
static inline double rig_random(double scale) { return scale*check_random(&rig_seed); }
static inline void rig_random3(double a[3], double scale) {
  for (int i = 0; i < 3; i++) a[i] = rig_random(scale);
}
static inline void rig_rotation(double R[9], const double u[3]) {
  double p[4];
  quat_from_vector(p, u);
  quat_matrix(R, p);
}
static inline void rig_random_rotation(double R[9]) {
  double u[3];
  rig_random3(u, 1.5);
  rig_rotation(R, u);
}

/* bodies "a", "b", "c", "d" at random poses, centre of mass away from their origin */
static inline void rig_begin(rig *g, int nbody) {
  static const char *const names[RIG_MAXBODY] = {"a", "b", "c", "d"};
  memset(g, 0, sizeof(*g));
  CHECK_OK(NULL, tn_ctx_create(NULL, &g->ctx));
  g->section[0] = (tni_section){.name = "joints", .item = "joint", .keys = rig_joint_keys,
                                .nkey = TNI_COUNT(rig_joint_keys), .types = tni_joint_tables,
                                .ntype = TNI_JOINT_NTYPE};
  g->section[1] = (tni_section){.name = "drive", .item = "drive", .keys = tni_drive_keys,
                                .nkey = TNI_DRIVE_NKEY};
  g->schema = (tni_schema){.section = g->section, .nsection = 2};
  CHECK_OK(g->ctx, tni_spec_create(g->ctx, &g->schema, &g->spec));
  g->model = (tn_model){.ctx = g->ctx, .spec = g->spec, .nbody = nbody,
                        .body = g->body, .joint = g->joint};
  tni_arena_init(&g->model.arena, g->ctx);
  g->b = (tni_builder){.ctx = g->ctx, .arena = &g->model.arena, .spec = g->spec,
                       .model = &g->model};
  for (int i = 0; i < nbody; i++) {
    tni_body *o = &g->body[i];
    double u[3];
    o->name = names[i];
    rig_random3(u, 1.5);
    quat_from_vector(o->p0, u);
    rig_random3(o->r0, 1);
    rig_random3(o->com, 0.3);
  }
  tni_kin_ground(&g->kin[0]);
}

static inline void rig_end(rig *g) {
  tni_arena_clear(&g->model.arena);
  tni_spec_destroy(&g->spec);
  tn_ctx_destroy(&g->ctx);
}

/* item with "key = yaml" pairs, ended by NULL; type NULL: a drive */
static inline tni_item *rig_item(rig *g, const char *name, const tni_joint_type *type,
                          const char *const *pairs) {
  tni_item *item;
  CHECK_OK(g->ctx, tni_spec_add(g->spec, &g->section[type ? 0 : 1], name,
                                type ? &type->type : NULL, (tni_place){0}, &item));
  for (; pairs && pairs[0]; pairs += 2)
    CHECK_OK(g->ctx, tni_input_set(g->spec, item, pairs[0], pairs[1]));
  return item;
}

static inline const tni_joint_type *rig_type(const char *name) {
  for (int i = 0; i < tni_joint_ntype; i++)
    if (strcmp(tni_joint_types[i]->type.name, name) == 0) return tni_joint_types[i];
  printf("no joint type %s\n", name);
  exit(1);
}

/* build the joint that was prepared in model.joint[njoint]; bodies and frames are set */
static inline tn_status rig_build(rig *g, const tni_joint_type *type, const tni_item *item) {
  tni_joint j = g->joint[g->model.njoint];
  j.name = item->name;
  j.type = type->type.name;
  j.item = item;
  tn_status st = type->build(&g->b, item, &j);
  if (st != TN_OK) return st;
  g->joint[g->model.njoint++] = j;
  /* state of the start */
  for (int i = 0; i < g->model.nbody; i++) tni_build_pose(&g->b, i, &g->kin[i + 1]);
  for (int i = 0; i < g->model.nmemory; i++) g->memory[i] = g->model.memory0[i];
  return TN_OK;
}

static inline tni_env rig_env(const rig *g) { return (tni_env){g->t, g->kin, g->memory}; }

static inline void rig_set_pose(rig *g, int body, const double A[9], const double r[3]) {
  tni_kin *k = &g->kin[body + 1];
  memcpy(k->A, A, sizeof(k->A));
  vec3_copy(k->r, r);
}
static inline void rig_set_velocity(rig *g, int body, const double v[6]) {
  tni_kin *k = &g->kin[body + 1];
  vec3_copy(k->v, v);
  vec3_copy(k->w, v + 3);
  mat3_vec(k->W, k->A, k->w);
}
static inline void rig_random_velocities(rig *g) {
  for (int i = 0; i < g->model.nbody; i++) {
    double v[6];
    rig_random3(v, 1);
    rig_random3(v + 3, 1.5);
    rig_set_velocity(g, i, v);
  }
}

/* pose moved along h*delta, velocity components held */
static inline void rig_move(rig *g, int body, const double delta[6], double h) {
  tni_kin *k = &g->kin[body + 1];
  double u[3], E[9], A[9];
  vec3_addmul(k->r, h, delta);
  vec3_scale(u, h, delta + 3);
  rig_rotation(E, u);
  mat3_mul(A, k->A, E);
  memcpy(k->A, A, sizeof(A));
  mat3_vec(k->W, k->A, k->w);
}

typedef struct rig_out {
  double phi[RIG_MAXROW], phi_t[RIG_MAXROW], gamma[RIG_MAXROW];
  double J[RIG_MAXROW*48], Jw_q[RIG_MAXROW*48], Jw2_q[RIG_MAXROW*48], phit_q[RIG_MAXROW*48];
  double gamma_q[RIG_MAXROW*48], gamma_v[RIG_MAXROW*48], H[48*48];
  double lambda[RIG_MAXROW], w[48], w2[48];
} rig_out;

/* everything of a block; NaN first: what is not overwritten shows */
static inline void rig_eval(const rig *g, const tni_con *con, rig_out *o) {
  double lambda[RIG_MAXROW], w[48];
  memcpy(lambda, o->lambda, sizeof(lambda));
  memcpy(w, o->w, sizeof(w));
  memset(o, 0xff, sizeof(*o));
  memcpy(o->lambda, lambda, sizeof(lambda));
  memcpy(o->w, w, sizeof(w));
  for (int i = 0; i < 48; i++) o->w2[i] = 0.7 - w[47-i]; /* another vector */
  tni_con_out out = {.phi = o->phi, .phi_t = o->phi_t, .gamma = o->gamma, .J = o->J,
                     .lambda = o->lambda, .w = o->w, .w2 = o->w2, .H = o->H, .Jw_q = o->Jw_q,
                     .Jw2_q = o->Jw2_q, .phit_q = o->phit_q, .gamma_q = o->gamma_q,
                     .gamma_v = o->gamma_v};
  tni_env env = rig_env(g);
  con->ops->eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL | TNI_C_TANGENT, &out);
}

/* J v of row r with the velocities of the rig */
static inline double rig_rate(const rig *g, const tni_con *con, const rig_out *o, int r) {
  double sum = 0;
  for (int b = 0; b < con->nbody; b++) {
    const tni_kin *k = &g->kin[con->body[b] + 1];
    const double *J = o->J + 6*con->nbody*r + 6*b;
    sum += vec3_dot(J, k->v) + vec3_dot(J + 3, k->w);
  }
  return sum;
}

static inline double rig_dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i]*b[i];
  return s;
}

/* derivatives along one column of the block against differences of step h, error h^2 + eps/h */
static inline void rig_check_column(const rig *g, const tni_con *con, const rig_out *o, int j) {
  const double h = 1e-5, tol = 1e-7;
  int nc = 6*con->nbody, body = con->body[j/6];
  double delta[6] = {0};
  delta[j%6] = 1;
  rig p = *g, m = *g;
  rig_out a = *o, b = *o;
  rig_move(&p, body, delta, h);
  rig_move(&m, body, delta, -h);
  rig_eval(&p, con, &a);
  rig_eval(&m, con, &b);
  for (int r = 0; r < con->nrow; r++) {
    if (!con->nonholonomic) CHECK_NEAR(o->J[nc*r+j], (a.phi[r] - b.phi[r])/(2*h), tol);
    CHECK_NEAR(o->phit_q[nc*r+j], (a.phi_t[r] - b.phi_t[r])/(2*h), tol);
    CHECK_WITHIN(o->gamma_q[nc*r+j], (a.gamma[r] - b.gamma[r])/(2*h), tol);
    double Jw = rig_dot(a.J + nc*r, o->w, nc) - rig_dot(b.J + nc*r, o->w, nc);
    CHECK_WITHIN(o->Jw_q[nc*r+j], Jw/(2*h), tol);
    Jw = rig_dot(a.J + nc*r, o->w2, nc) - rig_dot(b.J + nc*r, o->w2, nc);
    CHECK_WITHIN(o->Jw2_q[nc*r+j], Jw/(2*h), tol);
  }
  for (int i = 0; i < nc; i++) {
    double d = 0;
    for (int r = 0; r < con->nrow; r++) d += o->lambda[r]*(a.J[nc*r+i] - b.J[nc*r+i]);
    CHECK_WITHIN(o->H[nc*i+j], d/(2*h), tol);
  }
  /* gamma is quadratic in v: the difference is exact but for rounding */
  double *vp = j%6 < 3 ? &p.kin[body + 1].v[j%6] : &p.kin[body + 1].w[j%6-3];
  double *vm = j%6 < 3 ? &m.kin[body + 1].v[j%6] : &m.kin[body + 1].w[j%6-3];
  p.kin[body + 1] = m.kin[body + 1] = g->kin[body + 1];
  *vp += h;
  *vm -= h;
  mat3_vec(p.kin[body + 1].W, p.kin[body + 1].A, p.kin[body + 1].w);
  mat3_vec(m.kin[body + 1].W, m.kin[body + 1].A, m.kin[body + 1].w);
  rig_eval(&p, con, &a);
  rig_eval(&m, con, &b);
  for (int r = 0; r < con->nrow; r++)
    CHECK_WITHIN(o->gamma_v[nc*r+j], (a.gamma[r] - b.gamma[r])/(2*h), tol);
}

/* all results of a block at the present state of the rig */
static inline void rig_check(const rig *g, const tni_con *con) {
  const double h = 1e-5, tol = 1e-7;
  rig_out o;
  for (int r = 0; r < RIG_MAXROW; r++) o.lambda[r] = rig_random(1);
  for (int i = 0; i < 48; i++) o.w[i] = rig_random(1);
  rig_eval(g, con, &o);
  for (int j = 0; j < 6*con->nbody; j++) rig_check_column(g, con, &o, j);

  /* along the flow at zero acceleration: (J v + phi_t)' = -gamma, phi' = J v + phi_t */
  rig p = *g, m = *g;
  rig_out a = o, b = o;
  p.t += h;
  m.t -= h;
  for (int i = 0; i < g->model.nbody; i++) {
    double v[6];
    vec3_copy(v, g->kin[i + 1].v);
    vec3_copy(v + 3, g->kin[i + 1].w);
    rig_move(&p, i, v, h);
    rig_move(&m, i, v, -h);
  }
  rig_eval(&p, con, &a);
  rig_eval(&m, con, &b);
  for (int r = 0; r < con->nrow; r++) {
    double ra = rig_rate(&p, con, &a, r) + a.phi_t[r], rb = rig_rate(&m, con, &b, r) + b.phi_t[r];
    CHECK_NEAR(o.gamma[r], -(ra - rb)/(2*h), tol);
    if (con->nonholonomic) {
      CHECK_NEAR(o.phi[r], 0, 0);
    } else {
      CHECK_WITHIN(rig_rate(g, con, &o, r) + o.phi_t[r], (a.phi[r] - b.phi[r])/(2*h), tol);
    }
  }

  /* less asked for, the same answer */
  rig_out less = o;
  tni_con_out out = {.phi = less.phi, .phi_t = less.phi_t, .gamma = less.gamma, .J = less.J};
  tni_env env = rig_env(g);
  con->ops->eval(con, &env, TNI_C_POSITION, &out);
  con->ops->eval(con, &env, TNI_C_JACOBIAN, &out);
  con->ops->eval(con, &env, TNI_C_ACCEL, &out);
  for (int r = 0; r < con->nrow; r++) {
    CHECK_NEAR(less.phi[r], o.phi[r], 1e-15);
    CHECK_NEAR(less.gamma[r], o.gamma[r], 1e-14);
  }
  /* what is promised of the first rows is so to the last bit */
  for (int e = 0; e < con->nbody; e++)
    for (int i = 0; i < 9 && con->unit[e]; i++)
      CHECK(o.J[6*con->nbody*(i/3) + 6*e + i%3] == (i%4 == 0 ? con->unit[e] : 0));
}

/* rank of the rows of a block at the present state, by Gram-Schmidt with pivoting */
static inline int rig_rank(const rig *g, const tni_con *con) {
  rig_out o = {.lambda = {0}};
  int nc = 6*con->nbody, rank = 0;
  rig_eval(g, con, &o);
  for (int k = 0; k < con->nrow; k++) {
    int best = k;
    for (int r = k; r < con->nrow; r++)
      if (rig_dot(o.J + nc*r, o.J + nc*r, nc) > rig_dot(o.J + nc*best, o.J + nc*best, nc)) best = r;
    for (int i = 0; i < nc; i++) {
      double s = o.J[nc*k+i];
      o.J[nc*k+i] = o.J[nc*best+i];
      o.J[nc*best+i] = s;
    }
    double n = sqrt(rig_dot(o.J + nc*k, o.J + nc*k, nc));
    if (n < 1e-9) break;
    rank++;
    for (int i = 0; i < nc; i++) o.J[nc*k+i] /= n;
    for (int r = k + 1; r < con->nrow; r++) {
      double c = rig_dot(o.J + nc*r, o.J + nc*k, nc);
      for (int i = 0; i < nc; i++) o.J[nc*r+i] -= c*o.J[nc*k+i];
    }
  }
  return rank;
}

/* Forces -J^T lambda of all rows on all bodies: their sum and their moment about any point vanish
 * when no row refers to the ground. */
static inline void rig_check_balance(const rig *g, const tni_con *con) {
  rig_out o = {.lambda = {0}};
  int nc = 6*con->nbody;
  rig_eval(g, con, &o);
  for (int r = 0; r < con->nrow; r++) {
    double force[3] = {0}, moment[3] = {0}, x[3];
    for (int b = 0; b < con->nbody; b++) {
      const tni_kin *k = &g->kin[con->body[b] + 1];
      const double *J = o.J + nc*r + 6*b;
      vec3_addmul(force, -1, J);
      mat3_vec(x, k->A, J + 3);
      vec3_addmul(moment, -1, x);
      vec3_cross(x, k->r, J);
      vec3_addmul(moment, -1, x);
    }
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(force[i], 0, 1e-13);
      CHECK_NEAR(moment[i], 0, 1e-13);
    }
  }
}

/* remember angles and curve parameters, as the system does after a step */
static inline void rig_commit(rig *g) {
  tni_env env = rig_env(g);
  double memory[RIG_MAXMEMORY];
  memcpy(memory, g->memory, sizeof(memory));
  for (int i = 0; i < g->model.njoint; i++) {
    for (int k = 0; k < g->joint[i].ncoord; k++) {
      const tni_scalar *s = &g->joint[i].coord[k].scalar;
      tni_scalar_out o;
      if (s->memory < 0) continue;
      tni_scalar_at(s, &env, TNI_S_VALUE, &o);
      memory[s->memory] = o.s;
    }
  }
  for (int i = 0; i < g->model.ncon; i++)
    if (g->model.con[i].ops->commit)
      g->model.con[i].ops->commit(&g->model.con[i], &env, false, memory);
  memcpy(g->memory, memory, sizeof(memory));
}

static inline double rig_coord(const rig *g, const tni_joint *joint, int k) {
  tni_env env = rig_env(g);
  tni_scalar_out o;
  tni_scalar_at(&joint->coord[k].scalar, &env, TNI_S_VALUE, &o);
  return o.s;
}

/* body[1] of the joint placed so that frame 1 has the orientation R and origin d in frame 0; when
 * body[1] is the ground, body[0] is placed instead */
static inline void rig_place(rig *g, const tni_joint *joint, const double R[9], const double d[3]) {
  const tni_frame *f0 = &joint->frame[0], *f1 = &joint->frame[1];
  double A[9], F[9], p[3], r[3], x[3];
  if (joint->body[1] != TNI_GROUND) {
    const tni_kin *k = &g->kin[joint->body[0] + 1];
    mat3_mul(F, k->A, f0->R);
    mat3_vec(p, k->A, f0->p);
    vec3_add(p, p, k->r);
    mat3_vec(x, F, d);
    vec3_add(p, p, x);
    double G[9];
    mat3_mul(G, F, R);
    mat3_mult(A, G, f1->R);
    mat3_vec(x, A, f1->p);
    vec3_sub(r, p, x);
    rig_set_pose(g, joint->body[1], A, r);
  } else {
    const tni_kin *k = &g->kin[0];
    double G[9], H[9];
    mat3_mul(G, k->A, f1->R);
    mat3_mult(F, G, R);
    mat3_mult(H, F, f0->R);
    mat3_vec(p, k->A, f1->p);
    mat3_vec(x, F, d);
    vec3_sub(p, p, x);
    mat3_vec(x, H, f0->p);
    vec3_sub(r, p, x);
    rig_set_pose(g, joint->body[0], H, r);
  }
}

static inline void rig_turn_z(double R[9], double angle) {
  double u[3] = {0, 0, angle};
  rig_rotation(R, u);
}

#endif
