/* forces/contact.c - impact and contact of two shapes, with restitution and Coulomb friction
 *
 * Against a plane, and for spheres, spheres that stand for shape 1 (itself, ends of a capsule, corners
 * of a box) meet the surface of shape 2. Capsules and boxes among themselves meet by the closest points
 * of parts of their cores (contact_core.h). For each sphere or part, a "touch", with penetration p > 0,
 * normal n from 2 to 1, point x on the surface of the first, velocity u of 1 against 2 at x,
 * p' = -c n.u and tangential part u_t = u - (n.u) n:
 *
 *   F = c N n + T on body 1 at x, -F on body 2 at x
 *
 * c = 1 for spheres, d/D of contact_core.h for parts. N is the force of impact.h, with the effective mass
 * of the two bodies along n (joints not counted).
 *
 * T is that of friction.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "forces/along.h"
#include "forces/friction.h"

/* ---- tangents ------------------------------------------------------------------------------ */

/* column of d f/d delta or d f/d v */
static void tangent_column(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                           const tni_impact_out *law, const double T[3], int column, int level,
                           double f[2][6]) {
  tni_change c;
  tni_touch_vary(d, env, w, column, level, &c);
  double un = vec3_dot(c.n, w->u) + vec3_dot(w->n, c.u), rate = -c.c*w->un - w->c*un;
  double N = law->N_p*c.p + law->N_rate*rate, pressed = w->c*law->N, ut[3], dF[3], dT[3], F[3];
  N = w->c*N + c.c*law->N;
  for (int i = 0; i < 3; i++) {
    ut[i] = c.u[i] - un*w->n[i] - w->un*c.n[i];
    dF[i] = N*w->n[i] + pressed*c.n[i];
    F[i] = pressed*w->n[i] + T[i];
  }
  tni_friction_vary(d, m, env, w, law, column, level, &c, rate, ut, dT);
  vec3_add(dF, dF, dT);
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

static void add_tangent(const tni_contact *d, const tni_force *force, const double *m,
                        const tni_env *env, const tni_touch *w, const tni_impact_out *law,
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

/* d f/dt at fixed state: a slider turns its direction with time */
static void add_time_derivative(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                                const tni_impact_out *law, double *f_t) {
  double F[3], torque[3];
  if (!tni_friction_drift(d, m, env, w, law, F)) return;
  for (int b = 0; b < 2; b++) {
    if (d->slot[b] < 0) continue;
    double *f = f_t + 6*d->slot[b], sign = b ? -1 : 1;
    vec3_addmul(f, sign, F);
    vec3_cross(torque, w->arm[b], F);
    mat3_tvec(torque, env->kin[d->body[b] + 1].A, torque);
    vec3_addmul(f + 3, sign, torque);
  }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void contact_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const tni_contact *d = force->data;
  tni_force_clear(force, what, out);
  if (env->memory[d->closed] == 0) return; /* most pairs of a heap */
  for (int i = 0; i < d->ntouch; i++) {
    const double *m = env->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN) continue;
    tni_touch w;
    tni_impact_out law;
    double T[3], F[3], stored, heat;
    tni_touch_look(d, i, env, (what & TNI_F_TANGENT) != 0 || m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    tni_friction_force(d, m, env, &w, &law, T, &stored, &heat);
    out->value += w.c*law.N;
    out->potential += law.stored + stored;
    out->dissipated += law.heat + heat;
    vec3_copy(F, T);
    vec3_addmul(F, w.c*law.N, w.n);
    for (int b = 0; b < 2; b++) {
      if (d->slot[b] < 0) continue;
      double torque[3], *f = out->f + 6*d->slot[b], sign = b ? -1 : 1;
      vec3_addmul(f, sign, F);
      vec3_cross(torque, w.arm[b], F);
      mat3_tvec(torque, env->kin[d->body[b] + 1].A, torque);
      vec3_addmul(f + 3, sign, torque);
    }
    if (!(what & TNI_F_TANGENT)) continue;
    add_tangent(d, force, m, env, &w, &law, T, out);
    if (out->f_t) add_time_derivative(d, m, env, &w, &law, out->f_t);
  }
}

static void contact_events(const tni_force *force, const tni_env *env, double *g) {
  const tni_contact *d = force->data;
  tni_far far;
  tni_touch_far(d, env, &far);
  for (int i = 0; i < d->ntouch; i++, g += TNI_TOUCH_NEVENT) {
    const double *m = env->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    tni_touch w;
    tni_impact_out law;
    double gap = m[TNI_IMPACT_BRANCH] == TNI_OPEN ? tni_touch_gap(d, &far, i) : 0;
    if (gap > 0) {
      for (int k = 0; k < TNI_TOUCH_NEVENT; k++) g[k] = 1;
      g[0] = gap;
      continue;
    }
    tni_touch_look(d, i, env, m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    tni_impact_events(&d->impact, m, w.p, w.rate, g);
    tni_friction_events(d, m, env, &w, &law, &g[TNI_TOUCH_SLIP], &g[TNI_TOUCH_HALT]);
  }
}

static void switch_normal(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m) {
  bool pressed = tni_impact_pressed(m);
  if (!tni_impact_switch(&d->impact, w->p, w->rate, tni_touch_mass(d, env, w), m)) return;
  if (!pressed) m[TNI_TOUCH_SPEED] = vec3_norm(w->ut);
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  if (now == TNI_OPEN || now == TNI_APART) m[TNI_TOUCH_GRIP] = TNI_GRIP_FREE;
  else if (m[TNI_TOUCH_GRIP] == TNI_GRIP_FREE) tni_friction_begin(d, env, w, m);
}

static bool any_pressed(const tni_contact *d, const double *memory) {
  if (memory[d->closed] == 0) return false;
  for (int i = 0; i < d->ntouch; i++)
    if (tni_impact_pressed(memory + d->memory + i*TNI_TOUCH_NMEMORY)) return true;
  return false;
}

static void contact_commit(const tni_force *force, const tni_env *env, bool at_event,
                           double *memory) {
  const tni_contact *d = force->data;
  bool pressed = at_event && any_pressed(d, memory);
  tni_far far;
  if (!at_event && memory[d->closed] == 0) return;
  if (at_event) tni_touch_far(d, env, &far);
  for (int i = 0; i < d->ntouch; i++) {
    double *m = memory + d->memory + i*TNI_TOUCH_NMEMORY;
    if (m[TNI_IMPACT_BRANCH] == TNI_OPEN && (!at_event || tni_touch_gap(d, &far, i) > 0)) continue;
    tni_touch w;
    tni_touch_look(d, i, env, d->mu > 0, &w);
    if (at_event) {
      tni_friction_switch(d, env, &w, m);
      switch_normal(d, env, &w, m);
    }
    tni_friction_carry_on(d, env, &w, m);
  }
  memory[d->closed] = 0;
  for (int i = 0; i < d->ntouch; i++)
    memory[d->closed] += memory[d->memory + i*TNI_TOUCH_NMEMORY + TNI_IMPACT_BRANCH] != TNI_OPEN;
  if (at_event && !pressed && any_pressed(d, memory)) memory[d->impulse + TNI_IMPULSE_LAST] = 0;
}

static int contact_switches(const tni_force *force, const tni_env *env, const double *before,
                            tni_switch *out) {
  const tni_contact *d = force->data;
  int n = 0;
  if (env->memory[d->closed] == 0 && before[d->closed] == 0) return 0;
  for (int i = 0; i < d->ntouch; i++) {
    const double *m = env->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    const double *m0 = before + d->memory + i*TNI_TOUCH_NMEMORY;
    tni_grip grip = (tni_grip)m[TNI_TOUCH_GRIP], grip0 = (tni_grip)m0[TNI_TOUCH_GRIP];
    if (m[TNI_IMPACT_BRANCH] == m0[TNI_IMPACT_BRANCH] && grip == grip0) continue;
    tni_touch w;
    tni_touch_look(d, i, env, false, &w);
    if (tni_impact_record(m0, m, w.rate, TNI_SWITCH_TOUCH, &out[n])) {
      bool begins = tni_impact_pressed(m);
      out[n].tangential[0] = begins ? vec3_norm(w.ut) : m0[TNI_TOUCH_SPEED];
      if (!begins) out[n].tangential[1] = vec3_norm(w.ut);
      n++;
    } else if (grip != grip0 && grip != TNI_GRIP_FREE && grip0 != TNI_GRIP_FREE) {
      out[n] = tni_switch_of(grip == TNI_GRIP_STICK ? TNI_SWITCH_STICK : TNI_SWITCH_SLIP);
      out[n].normal[0] = w.rate;
      out[n++].tangential[0] = vec3_norm(w.ut);
    }
  }
  return n;
}

static void contact_gather(const tni_force *force, const tni_env *env, double dt, double *memory) {
  const tni_contact *d = force->data;
  if (memory[d->closed] == 0) return;
  for (int i = 0; i < d->ntouch; i++) {
    double *m = memory + d->memory + i*TNI_TOUCH_NMEMORY;
    if (!tni_impact_pressed(m)) continue;
    tni_touch w;
    tni_impact_out law;
    tni_touch_look(d, i, env, false, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    double impulse = dt*w.c*law.N;
    m[TNI_IMPACT_IMPULSE] += impulse;
    memory[d->impulse + TNI_IMPULSE_TOTAL] += impulse;
    memory[d->impulse + TNI_IMPULSE_LAST] += impulse;
  }
}

/* middle of the touches, weighted with their forces; without a force the closest one */
static void contact_where(const tni_force *force, const tni_env *env, double x[3]) {
  const tni_contact *d = force->data;
  double sum = 0, deepest = -HUGE_VAL, mean[3] = {0};
  for (int i = 0; i < d->ntouch; i++) {
    const double *m = env->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    tni_touch w;
    tni_impact_out law;
    tni_touch_look(d, i, env, false, &w);
    tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
    if (w.p > deepest) {
      deepest = w.p;
      vec3_copy(x, w.x);
    }
    sum += fabs(law.N);
    vec3_addmul(mean, fabs(law.N), w.x);
  }
  if (sum > 0) vec3_scale(x, 1/sum, mean);
}

static void contact_overlap(const tni_force *force, const tni_env *env, double *depth, double *energy) {
  const tni_contact *d = force->data;
  tni_far far;
  *depth = *energy = 0;
  tni_touch_far(d, env, &far);
  for (int i = 0; i < d->ntouch; i++) {
    tni_touch w;
    if (tni_touch_gap(d, &far, i) > 0) continue;
    tni_touch_look(d, i, env, false, &w);
    if (!(w.p > *depth)) continue;
    *depth = w.p;
    *energy = 0.5*tni_impact_stiffness(&d->impact, tni_touch_mass(d, env, &w))*w.p*w.p;
  }
}

static double contact_rate(const tni_force *force, const double *memory, bool rests) {
  const tni_contact *d = force->data;
  double most = 0;
  if (memory[d->closed] == 0) return 0;
  for (int i = 0; i < d->ntouch; i++)
    most = fmax(most, tni_impact_rate(&d->impact, memory + d->memory + i*TNI_TOUCH_NMEMORY, rests));
  return most;
}

/* slip on surfaces that are not flat, see friction.h */
static bool contact_has_way(const tni_force *force, const double *memory) {
  const tni_contact *d = force->data;
  bool any = false;
  if (memory[d->closed] == 0) return false;
  for (int i = 0; i < d->ntouch; i++)
    any = any || memory[d->memory + i*TNI_TOUCH_NMEMORY + TNI_TOUCH_GRIP] == TNI_GRIP_STICK;
  return any && (d->parts || d->shape.kind != TNI_PLANE);
}

static double contact_clearance(const tni_force *force, const tni_env *env) {
  const tni_contact *d = force->data;
  double least = HUGE_VAL;
  tni_far far;
  tni_touch_far(d, env, &far);
  for (int i = 0; i < d->ntouch; i++) {
    if (env->memory[d->memory + i*TNI_TOUCH_NMEMORY + TNI_IMPACT_BRANCH] != TNI_OPEN) continue;
    tni_touch w;
    double gap = tni_touch_gap(d, &far, i);
    if (gap == 0) {
      tni_touch_look(d, i, env, false, &w);
      gap = d->impact.shift - w.p;
    }
    least = fmin(least, gap);
  }
  return least;
}

static double thickness(const tni_contact *d) {
  double thin = d->radius > 0 ? d->radius : HUGE_VAL;
  const tni_shape *b = &d->shape;
  if (b->kind == TNI_SPHERE || b->kind == TNI_CAPSULE) thin = fmin(thin, b->radius);
  if (b->kind == TNI_BOX) thin = fmin(thin, fmin(b->half[0], fmin(b->half[1], b->half[2])));
  return thin;
}

static int contact_pressed(const tni_force *force, const tni_env *env, tni_pressed *out) {
  const tni_contact *d = force->data;
  tni_far far;
  tni_touch_far(d, env, &far);
  for (int i = 0; i < d->ntouch; i++) {
    tni_touch w;
    out[i] = (tni_pressed){0};
    if (tni_touch_gap(d, &far, i) > 0) continue;
    tni_touch_look(d, i, env, false, &w);
    out[i].depth = fmax(w.p, 0);
    if (!d->parts && d->shape.kind != TNI_PLANE) out[i].part = out[i].depth/thickness(d);
    mat3_tvec(out[i].n, env->kin[d->body[1] + 1].A, w.n);
  }
  return d->ntouch;
}

static const tni_force_ops contact_ops = {"contact",    contact_eval,     contact_events, contact_commit,
                                          contact_rate, contact_switches, contact_gather, contact_has_way, contact_clearance, contact_pressed,
                                          false};

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

/* ---- pairs of shapes ----------------------------------------------------------------------- */

/* one shape on its body */
typedef struct {
  tni_shape shape;
  int body, slot;
  double mass, Iinv[9];
  double p[3], R[9];
} partner;

static const double ROUNDING = 0.05; /* of the shortest edge */

static double shortest(const tni_shape *box) {
  return 2*fmin(box->half[0], fmin(box->half[1], box->half[2]));
}

static tn_status make_core(tni_builder *b, const tni_item *item, const partner *o, tni_core *core) {
  const tni_shape *shape = &o->shape;
  memset(core, 0, sizeof(*core));
  vec3_copy(core->c, o->p);
  core->radius = shape->radius;
  if (shape->kind == TNI_CAPSULE) {
    core->n = 1;
    core->half[0] = shape->half[2];
    mat3_column(core->axis[0], o->R, 2);
    return TN_OK;
  }
  core->n = 3;
  core->radius = tni_item_number(item, "rounding", ROUNDING*shortest(shape));
  if (!(core->radius < 0.5*shortest(shape)))
    return tni_item_fail(b->ctx, item, "rounding", "rounding = %g, must be below half of the shortest "
                         "edge %g", core->radius, shortest(shape));
  for (int i = 0; i < 3; i++) {
    core->half[i] = shape->half[i] - core->radius;
    mat3_column(core->axis[i], o->R, i);
  }
  return TN_OK;
}

/* Which of two touches with its parts or spheres: spheres before all others, capsules before boxes,
 * small before large, so that the corners of the common face are corners of parts. */
static bool comes_first(const tni_shape *one, const tni_shape *two) {
  if (one->kind != two->kind) return one->kind < two->kind;
  if (one->kind == TNI_CAPSULE) return one->half[2] <= two->half[2];
  return one->half[0]*one->half[1]*one->half[2] <= two->half[0]*two->half[1]*two->half[2];
}

static tn_status begin_parts(tni_builder *b, const tni_item *item, const partner o[2], tni_contact *d) {
  tni_kin k[2];
  tni_gap gap;
  for (int i = 0; i < 2; i++) {
    TN_TRY(make_core(b, item, &o[i], &d->core[i]));
    tni_build_pose(b, d->body[i], &k[i]);
  }
  const double *const A[2] = {k[0].A, k[1].A}, *const r[2] = {k[0].r, k[1].r};
  d->parts = true;
  d->radius = d->core[0].radius;
  d->rho = tni_core_rho(d->core);
  d->ntouch = 1 << d->core[0].n;
  for (int i = 0; i < d->ntouch; i++) {
    tni_gap_find(d->core, d->rho, i, A, r, &gap);
    if (tni_gap_closed(&gap))
      return tni_item_fail(b->ctx, item, NULL, "the shapes overlap at t = 0 by more than %g m; move "
                           "the bodies apart", d->core[0].radius + d->core[1].radius);
  }
  return TN_OK;
}

static void begin_spheres(const partner o[2], tni_contact *d) {
  double centre[TNI_SHAPE_MAXPROBE][3];
  d->radius = o[0].shape.radius;
  d->shape = o[1].shape;
  vec3_copy(d->p, o[1].p);
  memcpy(d->R, o[1].R, sizeof(d->R));
  d->ntouch = tni_shape_probes(&o[0].shape, centre);
  for (int i = 0; i < d->ntouch; i++) {
    mat3_vec(d->probe[i], o[0].R, centre[i]);
    vec3_add(d->probe[i], d->probe[i], o[0].p);
  }
}

static tn_status read_partner(tni_builder *b, const tni_item *item, int which, tni_force *force,
                              partner *o) {
  const tni_value *bodies = tni_item_get(item, "bodies");
  TN_TRY(tni_build_body(b, item, "bodies", bodies->item[which].text, &o->body));
  TN_TRY(tni_force_add_body(b, item, force, o->body, &o->slot));
  if (o->body != TNI_GROUND) {
    o->mass = b->model->body[o->body].mass;
    memcpy(o->Iinv, b->model->body[o->body].Iinv, sizeof(o->Iinv));
  }
  return read_shape(b, item, which, o->body, &o->shape, o->p, o->R);
}

static tn_status read_pair(tni_builder *b, const tni_item *item, tni_force *force, tni_contact *d) {
  partner o[2] = {{.body = TNI_GROUND}, {.body = TNI_GROUND}};
  for (int i = 0; i < 2; i++) TN_TRY(read_partner(b, item, i, force, &o[i]));
  if (o[0].body == o[1].body)
    return tni_item_fail(b->ctx, item, "bodies", "connects '%s' with itself",
                         tni_body_name(b->model, o[0].body));
  if (o[1].shape.kind != TNI_PLANE && !comes_first(&o[0].shape, &o[1].shape)) {
    partner keep = o[0];
    o[0] = o[1];
    o[1] = keep;
  }
  for (int i = 0; i < 2; i++) {
    d->body[i] = o[i].body;
    d->slot[i] = o[i].slot;
    d->mass[i] = o[i].mass;
    memcpy(d->Iinv[i], o[i].Iinv, sizeof(d->Iinv[i]));
  }
  if (o[0].shape.kind != TNI_SPHERE && o[1].shape.kind != TNI_PLANE)
    return begin_parts(b, item, o, d);
  if (tni_item_has(item, "rounding"))
    return tni_item_fail(b->ctx, item, "rounding", "rounding: only boxes that meet a capsule or a box "
                         "have round edges");
  begin_spheres(o, d);
  return TN_OK;
}

static tn_status contact_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &contact_ops, .where = contact_where, .overlap = contact_overlap};
  tni_contact *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(read_pair(b, item, &force, d));
  TN_TRY(tni_impact_build(b, item, &d->impact));
  d->mu = tni_item_number(item, "friction", 0);
  for (int k = 0; k < TNI_TOUCH_NMEMORY*d->ntouch; k++) {
    int slot;
    TN_TRY(tni_build_memory(b, 0, &slot));
    if (k == 0) d->memory = slot;
  }
  TN_TRY(tni_build_memory(b, 0, &d->closed));
  TN_TRY(tni_build_impulse(b, &d->impulse));
  force.impulse = 1 + d->impulse;
  force.nevent = TNI_TOUCH_NEVENT*d->ntouch;
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key contact_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES, .flags = TNI_REQUIRED,
     .doc = "The two bodies; one of them may be ground."},
    {.name = "shape1", .kind = TNI_KIND_CHOICE, .choices = "sphere|capsule|box",
     .initial = "sphere", .doc = "Shape on the first body. A plane is met by the two ends of a capsule "
     "and the eight corners of a box."},
    {.name = "shape2", .kind = TNI_KIND_CHOICE, .choices = "plane|sphere|capsule|box",
     .initial = "plane", .doc = "Shape on the second body. Capsules and boxes meet each other by their "
     "closest points, one for each end of the shorter capsule or corner of the smaller box."},
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
    {.name = "rounding", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .initial = "1/20 of the shortest edge", .doc = "Radius of the edges of a box that meets a capsule "
     "or a box. They may be pressed in as deep as both radii together."},
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
