/* forces/contact.c - impact and contact of two shapes, with restitution and Coulomb friction
 *
 * Spheres that stand for shape 1 (itself, ends of a capsule, corners of a box) meet the surface of
 * shape 2. For each of them, with penetration p > 0, normal n from 2 to 1, point x on the surface of
 * the sphere, velocity u of 1 against 2 at x, p' = -n.u and tangential part u_t = u + p' n:
 *
 *   F = N n + T on body 1 at x, -F on body 2 at x
 *
 * N is the force of impact.h, with the effective mass of the two bodies along n (joints not counted).
 *
 * Friction, a spring in series with a slider:
 *
 *   sticking   T = -k_t xi - c_t u_t,  |T| <= mu N;   xi: slip since it stuck, by two body-fixed
 *              points that start at x and are put at x again after every step (a wheel rolls on)
 *   sliding    T = -mu N s/|s|, s = u_t + u_0 d, until u_t turns back; d: direction at the end of
 *              the last step, u_0 a small speed
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "forces/along.h"
#include "forces/contact_shape.h"
#include "forces/impact.h"

/* shift of the switching function of sliding [m/s] */
static const double SHIFT_V = 1e-9;
/* a contact that begins slower than this [m/s] sticks */
static const double SLOW = 1e-7;
/* Speed [m/s] below which the direction of sliding is that of the last step rather than the present
 * one: the force then keeps its size until the speed passes zero, and nothing becomes stiff there. */
static const double STEADY = 1e-3;
static const double STICK_DAMPING = 0.2; /* ratio */
/* a slider that stops starts to stick just inside its limit */
static const double INSIDE = 1 - 1e-6;

typedef enum { FREE, STICK, SLIDE } grip;
enum { SLIP = TNI_IMPACT_NEVENT, HALT, EVENTS };

/* memory of one sphere, after that of its impact */
enum { M_GRIP = TNI_IMPACT_NMEMORY, M_A1, M_A2 = M_A1 + 3, M_XI = M_A2 + 3, M_DIRECTION = M_XI + 3,
       NMEMORY = M_DIRECTION + 3 };
#define M_K TNI_IMPACT_K
#define M_MASS TNI_IMPACT_MASS

typedef struct {
  int slot[2];      /* of the two bodies in the force, -1 ground           */
  int body[2];
  double mass[2], Iinv[2][9]; /* 0 for ground                              */
  int nprobe;
  double probe[TNI_SHAPE_MAXPROBE][3]; /* centres on body 1                */
  double radius;
  tni_shape shape;  /* on body 2                                           */
  double p[3], R[9]; /* its frame on body 2                                */
  tni_impact impact;
  double mu;
  int memory;       /* first slot                                          */
} contact;

/* one sphere at a state */
typedef struct {
  double centre[3], y[3];       /* ground; body 2                          */
  double n2[3], H2[9];          /* normal and its derivative by y, body 2  */
  double n[3], x[3], arm[2][3]; /* ground                                  */
  double u[3], p, rate, ut[3];  /* rate = p'                               */
} place;

static void look(const contact *d, int i, const tni_env *env, bool tangent, place *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double z[3], yF[3], nF[3], HF[9], T[9], v[3];
  mat3_vec(z, k1->A, d->probe[i]);
  vec3_add(w->centre, k1->r, z);
  vec3_sub(z, w->centre, k2->r);
  mat3_tvec(w->y, k2->A, z);
  vec3_sub(z, w->y, d->p);
  mat3_tvec(yF, d->R, z);
  double distance = tni_shape_distance(&d->shape, yF, nF, tangent ? HF : NULL);
  mat3_vec(w->n2, d->R, nF);
  if (tangent) {
    mat3_mul(T, d->R, HF);
    mat3_mult(w->H2, T, d->R);
  }
  mat3_vec(w->n, k2->A, w->n2);
  w->p = d->radius - distance;
  vec3_copy(w->x, w->centre);
  vec3_addmul(w->x, -d->radius, w->n);
  vec3_sub(w->arm[0], w->x, k1->r);
  vec3_sub(w->arm[1], w->x, k2->r);
  vec3_cross(w->u, k1->W, w->arm[0]);
  vec3_add(w->u, w->u, k1->v);
  vec3_cross(v, k2->W, w->arm[1]);
  vec3_add(v, v, k2->v);
  vec3_sub(w->u, w->u, v);
  w->rate = -vec3_dot(w->n, w->u);
  vec3_copy(w->ut, w->u);
  vec3_addmul(w->ut, w->rate, w->n);
}

/* ---- laws ---------------------------------------------------------------------------------- */

/* tangential stretch of the stick spring, ground axes */
static void stretch(const contact *d, const double *m, const tni_env *env, const place *w,
                    double xi[3], double xi_t[3]) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double a[3];
  mat3_vec(xi, k2->A, m + M_XI);
  mat3_vec(a, k1->A, m + M_A1);
  vec3_add(a, a, k1->r);
  vec3_add(xi, xi, a);
  mat3_vec(a, k2->A, m + M_A2);
  vec3_add(a, a, k2->r);
  vec3_sub(xi, xi, a);
  vec3_copy(xi_t, xi);
  vec3_addmul(xi_t, -vec3_dot(w->n, xi), w->n);
}

static double stick_damper(const double *m) { return 2*STICK_DAMPING*sqrt(m[M_K]*m[M_MASS]); }

static void stick_force(const contact *d, const double *m, const tni_env *env, const place *w,
                        double T[3], double *stored, double *heat) {
  double xi[3], xi_t[3], c = stick_damper(m);
  stretch(d, m, env, w, xi, xi_t);
  for (int i = 0; i < 3; i++) T[i] = -m[M_K]*xi_t[i] - c*w->ut[i];
  *stored = 0.5*m[M_K]*vec3_dot(xi_t, xi_t);
  *heat = c*vec3_dot(w->ut, w->ut);
}

/* s, and its length */
static double slide_direction(const double *m, const place *w, double s[3]) {
  vec3_copy(s, w->ut);
  vec3_addmul(s, STEADY, m + M_DIRECTION);
  return vec3_norm(s);
}

static void friction_force(const contact *d, const double *m, const tni_env *env, const place *w,
                           double N, double T[3], double *stored, double *heat) {
  vec3_set(T, 0, 0, 0);
  *stored = *heat = 0;
  if (m[M_GRIP] == STICK) {
    stick_force(d, m, env, w, T, stored, heat);
  } else if (m[M_GRIP] == SLIDE) {
    double s[3], size = slide_direction(m, w, s);
    vec3_scale(T, -d->mu*N/size, s);
    *heat = -vec3_dot(T, w->ut);
  }
}

/* ---- tangents ------------------------------------------------------------------------------ */

/* Changes of everything for one component of delta (level 0) or of v (level 1) */
typedef struct {
  double x[3], n[3], u[3], xi[3], p;
} change;

static void vary(const contact *d, const double *m, const tni_env *env, const place *w, int column,
                 int level, change *c) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  int b = column/6, turn = column%6 >= 3;
  double e[3] = {0}, g[3], sign = b ? -1 : 1, z[3];
  memset(c, 0, sizeof(*c));
  e[column%3] = 1;
  mat3_vec(g, k[b]->A, e); /* a turn about a body axis, ground components */
  if (level == 1) {
    if (turn) vec3_cross(z, g, w->arm[b]);
    vec3_scale(c->u, sign, turn ? z : e);
    return;
  }
  /* the centre of the sphere, seen from body 2 */
  double centre[3] = {0}, y[3], on2[3];
  vec3_sub(z, w->centre, k[b]->r);
  if (b == 0) {
    if (turn) vec3_cross(centre, g, z);
    else vec3_copy(centre, e);
    mat3_tvec(y, k[1]->A, centre);
  } else if (turn) {
    vec3_cross(y, w->y, e);
  } else {
    mat3_tvec(y, k[1]->A, e);
    vec3_scale(y, -1, y);
  }
  c->p = -vec3_dot(w->n2, y);
  mat3_vec(on2, w->H2, y);
  mat3_vec(c->n, k[1]->A, on2);
  if (b == 1 && turn) {
    vec3_cross(z, g, w->n);
    vec3_add(c->n, c->n, z);
  }
  vec3_copy(c->x, centre);
  vec3_addmul(c->x, -d->radius, c->n);
  /* u = v1 + W1 x (x - r1) - v2 - W2 x (x - r2) */
  for (int i = 0; i < 2; i++) {
    double arm[3], du[3] = {0};
    vec3_copy(arm, c->x);
    if (i == b && !turn) vec3_sub(arm, arm, e);
    vec3_cross(du, k[i]->W, arm);
    if (i == b && turn) {
      double W[3];
      vec3_cross(z, g, k[b]->W); /* A (dtheta x w) */
      vec3_copy(W, z);
      vec3_cross(z, W, w->arm[b]);
      vec3_add(du, du, z);
    }
    vec3_addmul(c->u, i ? -1 : 1, du);
  }
  if (m[M_GRIP] != STICK) return;
  if (!turn) {
    vec3_scale(c->xi, sign, e);
    return;
  }
  mat3_vec(z, k[b]->A, b ? m + M_A2 : m + M_A1);
  vec3_cross(c->xi, g, z);
  if (b == 0) return;
  double slip[3];
  mat3_vec(z, k[1]->A, m + M_XI);
  vec3_cross(slip, g, z);
  vec3_sub(c->xi, slip, c->xi);
}

/* column of d f/d delta or d f/d v */
static void tangent_column(const contact *d, const double *m, const tni_env *env, const place *w,
                           const tni_impact_out *law, const double T[3], int column, int level,
                           double f[2][6]) {
  change c;
  vary(d, m, env, w, column, level, &c);
  double rate = -vec3_dot(c.n, w->u) - vec3_dot(w->n, c.u);
  double N = law->N_p*c.p + law->N_rate*rate, ut[3], dF[3], F[3];
  for (int i = 0; i < 3; i++) {
    ut[i] = c.u[i] + rate*w->n[i] + w->rate*c.n[i];
    dF[i] = N*w->n[i] + law->N*c.n[i];
    F[i] = law->N*w->n[i] + T[i];
  }
  if (m[M_GRIP] == STICK) {
    double xi[3], xi_t[3], along, cd = stick_damper(m);
    stretch(d, m, env, w, xi, xi_t);
    along = vec3_dot(w->n, xi);
    double along1 = vec3_dot(c.n, xi) + vec3_dot(w->n, c.xi);
    for (int i = 0; i < 3; i++)
      dF[i] -= m[M_K]*(c.xi[i] - along1*w->n[i] - along*c.n[i]) + cd*ut[i];
  } else if (m[M_GRIP] == SLIDE) {
    double s[3], size = slide_direction(m, w, s), turn = vec3_dot(s, ut)/(size*size);
    for (int i = 0; i < 3; i++) dF[i] -= d->mu*(N*s[i] + law->N*(ut[i] - turn*s[i]))/size;
  }
  for (int b = 0; b < 2; b++) {
    const tni_kin *k = &env->kin[d->body[b] + 1];
    double arm[3], torque[3], z[3], e[3] = {0}, sign = b ? -1 : 1;
    bool own = level == 0 && column/6 == b;
    vec3_copy(arm, c.x);
    e[column%3] = 1;
    if (own && column%6 < 3) vec3_sub(arm, arm, e);
    vec3_cross(torque, w->arm[b], dF);
    vec3_cross(z, arm, F);
    vec3_add(torque, torque, z);
    mat3_tvec(torque, k->A, torque);
    if (own && column%6 >= 3) {
      double whole[3];
      vec3_cross(z, w->arm[b], F);
      mat3_tvec(whole, k->A, z);
      vec3_cross(z, whole, e); /* -dtheta x (A^T M) */
      vec3_add(torque, torque, z);
    }
    vec3_scale(f[b], sign, dF);
    vec3_scale(f[b] + 3, sign, torque);
  }
}

static void add_tangent(const contact *d, const tni_force *force, const double *m,
                        const tni_env *env, const place *w, const tni_impact_out *law,
                        const double T[3], tni_force_out *out) {
  int n = 6*force->nbody;
  for (int column = 0; column < 12; column++) {
    int s = d->slot[column/6];
    if (s < 0) continue;
    for (int level = 0; level < 2; level++) {
      double f[2][6];
      tangent_column(d, m, env, w, law, T, column, level, f);
      double *to = level ? out->D : out->K;
      for (int b = 0; b < 2; b++) {
        for (int i = 0; d->slot[b] >= 0 && i < 6; i++)
          to[(6*d->slot[b] + i)*n + 6*s + column%6] += f[b][i];
      }
    }
  }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void contact_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const contact *d = force->data;
  tni_force_clear(force, what, out);
  for (int i = 0; i < d->nprobe; i++) {
    const double *m = env->memory + d->memory + i*NMEMORY;
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN) continue;
    place w;
    tni_impact_out law;
    double T[3], F[3], stored, heat;
    look(d, i, env, (what & TNI_F_TANGENT) != 0, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    friction_force(d, m, env, &w, law.N, T, &stored, &heat);
    out->value += law.N;
    out->potential += law.stored + stored;
    out->dissipated += law.heat + heat;
    vec3_copy(F, T);
    vec3_addmul(F, law.N, w.n);
    for (int b = 0; b < 2; b++) {
      if (d->slot[b] < 0) continue;
      double torque[3], *f = out->f + 6*d->slot[b], sign = b ? -1 : 1;
      vec3_addmul(f, sign, F);
      vec3_cross(torque, w.arm[b], F);
      mat3_tvec(torque, env->kin[d->body[b] + 1].A, torque);
      vec3_addmul(f + 3, sign, torque);
    }
    if (what & TNI_F_TANGENT) add_tangent(d, force, m, env, &w, &law, T, out);
  }
}

static void contact_events(const tni_force *force, const tni_env *env, double *g) {
  const contact *d = force->data;
  for (int i = 0; i < d->nprobe; i++, g += EVENTS) {
    const double *m = env->memory + d->memory + i*NMEMORY;
    place w;
    tni_impact_out law;
    look(d, i, env, false, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    tni_impact_events(&d->impact, m, w.p, w.rate, g);
    g[SLIP] = g[HALT] = 1;
    if (m[M_GRIP] == STICK) {
      double T[3], stored, heat;
      stick_force(d, m, env, &w, T, &stored, &heat);
      g[SLIP] = d->mu*fmax(law.N, 0) - vec3_norm(T) + d->mu*m[M_K]*TNI_IMPACT_SHIFT;
    } else if (m[M_GRIP] == SLIDE) {
      g[HALT] = vec3_dot(w.ut, m + M_DIRECTION) + SHIFT_V;
    }
  }
}

/* 1/m_e = sum over bodies of 1/m + (arm x n).I^-1 (arm x n) */
static double effective_mass(const contact *d, const tni_env *env, const place *w) {
  double sum = 0;
  for (int b = 0; b < 2; b++) {
    if (d->body[b] == TNI_GROUND) continue;
    double a[3], z[3];
    vec3_cross(z, w->arm[b], w->n);
    mat3_tvec(a, env->kin[d->body[b] + 1].A, z);
    mat3_vec(z, d->Iinv[b], a);
    sum += 1/d->mass[b] + vec3_dot(a, z);
  }
  return 1/sum;
}

/* the two points of the stick spring to x, slip so far into xi [ground axes] */
static void anchor(const contact *d, const tni_env *env, const place *w, const double xi[3],
                   double *m) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  mat3_tvec(m + M_A1, k1->A, w->arm[0]);
  mat3_tvec(m + M_A2, k2->A, w->arm[1]);
  mat3_tvec(m + M_XI, k2->A, xi);
}

static void begin_friction(const contact *d, const tni_env *env, const place *w, double *m) {
  static const double none[3] = {0, 0, 0};
  if (d->mu == 0) return;
  double speed = vec3_norm(w->ut);
  m[M_GRIP] = speed > SLOW ? SLIDE : STICK;
  if (m[M_GRIP] == SLIDE) vec3_scale(m + M_DIRECTION, 1/speed, w->ut);
  else anchor(d, env, w, none, m);
}

static void switch_normal(const contact *d, const tni_env *env, const place *w, double *m) {
  if (!tni_impact_switch(&d->impact, w->p, w->rate, effective_mass(d, env, w), m)) return;
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  if (now == TNI_OPEN || now == TNI_APART) m[M_GRIP] = FREE;
  else if (m[M_GRIP] == FREE) begin_friction(d, env, w, m);
}

static void switch_friction(const contact *d, const tni_env *env, const place *w, double *m) {
  tni_impact_out law;
  tni_impact_eval(&d->impact, m, w->p, w->rate, &law);
  double limit = d->mu*fmax(law.N, 0), T[3], xi[3], stored, heat;
  if (m[M_GRIP] == STICK) {
    stick_force(d, m, env, w, T, &stored, &heat);
    double size = vec3_norm(T), speed = vec3_norm(w->ut);
    if (size <= limit) return;
    m[M_GRIP] = SLIDE;
    if (speed > SLOW) vec3_scale(m + M_DIRECTION, 1/speed, w->ut);
    else vec3_scale(m + M_DIRECTION, -1/size, T);
  } else if (m[M_GRIP] == SLIDE && vec3_dot(w->ut, m + M_DIRECTION) < 0) {
    m[M_GRIP] = STICK;
    vec3_scale(xi, INSIDE*limit/m[M_K], m + M_DIRECTION);
    anchor(d, env, w, xi, m);
  }
}

static void contact_commit(const tni_force *force, const tni_env *env, bool at_event,
                           double *memory) {
  const contact *d = force->data;
  for (int i = 0; i < d->nprobe; i++) {
    double *m = memory + d->memory + i*NMEMORY, xi[3], xi_t[3];
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN && !at_event) continue;
    place w;
    look(d, i, env, false, &w);
    if (at_event) {
      switch_friction(d, env, &w, m);
      switch_normal(d, env, &w, m);
    }
    if (m[M_GRIP] == STICK) {
      stretch(d, m, env, &w, xi, xi_t);
      anchor(d, env, &w, xi_t, m);
    } else if (m[M_GRIP] == SLIDE) {
      double speed = vec3_norm(w.ut);
      if (speed > SLOW) vec3_scale(m + M_DIRECTION, 1/speed, w.ut);
    }
  }
}

static const tni_force_ops contact_ops = {"contact", contact_eval, contact_events, contact_commit};

/* ---- building ------------------------------------------------------------------------------ */

static const char *const words[] = {"plane", "sphere", "capsule", "box"};

/* centre and axes of a shape on its body, sizes */
static tn_status read_shape(tni_builder *b, const tni_item *item, int which, int body,
                            tni_shape *shape, double p[3], double R[9]) {
  char at[4] = {'a', 't', (char)('1' + which), 0}, key[16];
  const char *word = tni_item_text(item, which ? "shape2" : "shape1", which ? "plane" : "sphere");
  shape->kind = TNI_PLANE;
  for (int i = 0; i < TNI_COUNT(words); i++)
    if (strcmp(words[i], word) == 0) shape->kind = (tni_shape_kind)i;
  const tni_value *where = tni_item_get(item, at);
  int on = body;
  tni_kin k;
  tni_build_pose(b, body, &k);
  vec3_set(p, 0, 0, 0); /* the centre of mass */
  if (where) TN_TRY(tni_build_point(b, item, at, where, body, true, &on, p));
  if (on != body)
    return tni_item_fail(b->ctx, item, at, "%s = '%s' is not on body '%s'", at, where->text,
                         tni_body_name(b->model, body));
  double z[3] = {0, 0, 1}, x[3], y[3], R_G[9];
  snprintf(key, sizeof(key), "axis%d", which + 1);
  bool has_axis = tni_item_direction(item, key, z);
  mat3_identity(R);
  if (has_axis || shape->kind == TNI_PLANE) {
    if (shape->kind == TNI_BOX || shape->kind == TNI_SPHERE)
      return tni_item_fail(b->ctx, item, key, "%s: a %s has no axis; its own axes are those of the "
                           "body", key, word);
    if (!has_axis && b->model->planar) vec3_set(z, 0, 1, 0);
    vec3_perpendicular(x, z);
    vec3_cross(y, z, x);
    mat3_columns(R_G, x, y, z);
    mat3_tmul(R, k.A, R_G);
  }
  snprintf(key, sizeof(key), "radius%d", which + 1);
  bool round = shape->kind == TNI_SPHERE || shape->kind == TNI_CAPSULE;
  shape->radius = tni_item_number(item, key, 0);
  if (round != tni_item_has(item, key))
    return tni_item_fail(b->ctx, item, round ? NULL : key, round ? "shape%d is a %s: '%s' is missing"
                         : "shape%d is a %s: it has no '%s'", which + 1, word, key);
  snprintf(key, sizeof(key), "length%d", which + 1);
  if ((shape->kind == TNI_CAPSULE) != tni_item_has(item, key))
    return tni_item_fail(b->ctx, item, shape->kind == TNI_CAPSULE ? NULL : key,
                         shape->kind == TNI_CAPSULE ? "shape%d is a %s: '%s' is missing"
                         : "shape%d is a %s: it has no '%s'", which + 1, word, key);
  shape->half[2] = 0.5*tni_item_number(item, key, 0);
  snprintf(key, sizeof(key), "size%d", which + 1);
  const tni_value *size = tni_item_get(item, key);
  if ((shape->kind == TNI_BOX) != (size != NULL))
    return tni_item_fail(b->ctx, item, size ? key : NULL, size ? "shape%d is a %s: it has no '%s'"
                         : "shape%d is a %s: '%s' is missing", which + 1, word, key);
  for (int i = 0; size && i < 3; i++) {
    shape->half[i] = 0.5*size->item[i].number;
    if (!(shape->half[i] > 0))
      return tni_item_fail(b->ctx, item, key, "%s[%d] = %g, must be > 0", key, i,
                           size->item[i].number);
  }
  return TN_OK;
}

static tn_status check_pair(tni_builder *b, const tni_item *item, const tni_shape *one,
                            const tni_shape *two) {
  if (one->kind == TNI_PLANE)
    return tni_item_fail(b->ctx, item, "shape1", "shape1 = plane, allowed sphere, capsule or box; "
                         "write the plane as shape2");
  if (one->kind != TNI_SPHERE && two->kind != TNI_PLANE)
    return tni_item_fail(b->ctx, item, "shape2", "contact of a %s with a %s is not there; allowed: "
                         "anything with a plane, a sphere with anything", words[one->kind],
                         words[two->kind]);
  return TN_OK;
}

static tn_status contact_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &contact_ops};
  contact *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  const tni_value *bodies = tni_item_get(item, "bodies");
  for (int i = 0; i < 2; i++) {
    TN_TRY(tni_build_body(b, item, "bodies", bodies->item[i].text, &d->body[i]));
    TN_TRY(tni_force_add_body(b, item, &force, d->body[i], &d->slot[i]));
    if (d->body[i] == TNI_GROUND) continue;
    d->mass[i] = b->model->body[d->body[i]].mass;
    memcpy(d->Iinv[i], b->model->body[d->body[i]].Iinv, sizeof(d->Iinv[i]));
  }
  if (d->body[0] == d->body[1])
    return tni_item_fail(b->ctx, item, "bodies", "connects '%s' with itself",
                         tni_body_name(b->model, d->body[0]));
  tni_shape one = {0};
  double p[3], R[9], centre[TNI_SHAPE_MAXPROBE][3];
  TN_TRY(read_shape(b, item, 0, d->body[0], &one, p, R));
  TN_TRY(read_shape(b, item, 1, d->body[1], &d->shape, d->p, d->R));
  TN_TRY(check_pair(b, item, &one, &d->shape));
  TN_TRY(tni_impact_build(b, item, &d->impact));
  d->mu = tni_item_number(item, "friction", 0);
  d->radius = one.radius;
  d->nprobe = tni_shape_probes(&one, centre);
  for (int i = 0; i < d->nprobe; i++) {
    mat3_vec(d->probe[i], R, centre[i]);
    vec3_add(d->probe[i], d->probe[i], p);
    for (int k = 0; k < NMEMORY; k++) {
      int slot;
      TN_TRY(tni_build_memory(b, 0, &slot));
      if (i == 0 && k == 0) d->memory = slot;
    }
  }
  force.nevent = EVENTS*d->nprobe;
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key contact_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES, .flags = TNI_REQUIRED,
     .doc = "The two bodies; one of them may be ground."},
    {.name = "shape1", .kind = TNI_KIND_CHOICE, .choices = "sphere|capsule|box",
     .initial = "sphere", .doc = "Shape on the first body. A capsule touches with its two ends, a "
     "box with its eight corners."},
    {.name = "shape2", .kind = TNI_KIND_CHOICE, .choices = "plane|sphere|capsule|box",
     .initial = "plane", .doc = "Shape on the second body. Anything meets a plane; a sphere meets "
     "all of them."},
    {.name = "at1", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Centre of shape 1: coordinates in the frame of its body, or a named point."},
    {.name = "at2", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Centre of shape 2, or a point of the plane."},
    {.name = "axis1", .kind = TNI_KIND_DIRECTION, .initial = "z of the body",
     .doc = "Axis of a capsule: direction at t = 0."},
    {.name = "axis2", .kind = TNI_KIND_DIRECTION, .initial = "z (planar models: y)",
     .doc = "Axis of a capsule, or normal of a plane towards the first body: direction at t = 0."},
    {.name = "radius1", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Of a sphere or capsule."},
    {.name = "radius2", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Of a sphere or capsule."},
    {.name = "length1", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Distance of the centres of the round ends of a capsule."},
    {.name = "length2", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .doc = "Distance of the centres of the round ends of a capsule."},
    {.name = "size1", .kind = TNI_KIND_VEC3, .unit = "m",
     .doc = "Edge lengths of a box along the axes of its body."},
    {.name = "size2", .kind = TNI_KIND_VEC3, .unit = "m",
     .doc = "Edge lengths of a box along the axes of its body."},
    {.name = "friction", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .initial = "0",
     .doc = "Coefficient of Coulomb friction, sticking and sliding."},
    TNI_IMPACT_KEYS("N/m"),
};

const tni_force_type tni_force_contact = {
    {"contact",
     "Impact and contact of two shapes by a spring that returns the chosen part of the energy, with "
     "Coulomb friction.",
     contact_keys, TNI_COUNT(contact_keys)},
    contact_build};
