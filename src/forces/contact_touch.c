/* forces/contact_touch.c - geometry of a touch and its derivatives
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_touch.h"

static void look_at_sphere(const tni_contact *d, int i, const tni_env *env, bool tangent, tni_touch *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double z[3], yF[3], nF[3], HF[9], T[9];
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
  w->c = 1;
}

static void look_at_part(const tni_contact *d, int i, const tni_env *env, tni_touch *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  const double *const A[2] = {k1->A, k2->A}, *const r[2] = {k1->r, k2->r};
  tni_gap_find(d->core, d->rho, i, A, r, &w->gap);
  vec3_copy(w->centre, w->gap.x1);
  vec3_copy(w->n, w->gap.n12);
  w->p = d->core[0].radius + d->core[1].radius - w->gap.D;
  w->c = w->gap.d/w->gap.D;
  /* no sensible force: steps that come here are not accepted */
  if (tni_gap_closed(&w->gap)) w->c = NAN;
}

void tni_touch_look(const tni_contact *d, int i, const tni_env *env, bool tangent, tni_touch *w) {
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  double v[3];
  if (d->parts) look_at_part(d, i, env, w);
  else look_at_sphere(d, i, env, tangent, w);
  vec3_copy(w->x, w->centre);
  vec3_addmul(w->x, -d->radius, w->n);
  vec3_sub(w->arm[0], w->x, k1->r);
  vec3_sub(w->arm[1], w->x, k2->r);
  vec3_cross(w->u, k1->W, w->arm[0]);
  vec3_add(w->u, w->u, k1->v);
  vec3_cross(v, k2->W, w->arm[1]);
  vec3_add(v, v, k2->v);
  vec3_sub(w->u, w->u, v);
  w->un = vec3_dot(w->n, w->u);
  w->rate = -w->c*w->un;
  vec3_copy(w->ut, w->u);
  vec3_addmul(w->ut, -w->un, w->n);
}

void tni_touch_far(const tni_contact *d, const tni_env *env, tni_far *far) {
  far->all = false;
  far->thickness = 0;
  if (!d->parts) return;
  const tni_kin *k1 = &env->kin[d->body[0] + 1], *k2 = &env->kin[d->body[1] + 1];
  const double *const A[2] = {k1->A, k2->A}, *const r[2] = {k1->r, k2->r};
  far->thickness = d->core[0].radius + d->core[1].radius;
  tni_apart_look(d->core, A, r, &far->apart);
  far->all = far->apart.least > 2*far->thickness;
}

double tni_touch_gap(const tni_contact *d, const tni_far *far, int i) {
  if (far->thickness == 0) return 0;
  double gap = (far->all ? far->apart.least : tni_apart_part(d->core, &far->apart, i)) - far->thickness;
  return gap > far->thickness ? gap : 0;
}

/* velocity of a point x [ground] of body b */
void tni_touch_velocity(const tni_contact *d, const tni_env *env, int b, const double x[3],
                        double v[3]) {
  const tni_kin *k = &env->kin[d->body[b] + 1];
  double arm[3];
  vec3_sub(arm, x, k->r);
  vec3_cross(v, k->W, arm);
  vec3_add(v, v, k->v);
}

/* x', n': of the place of contact, which moves over both bodies */
void tni_touch_rates(const tni_contact *d, const tni_env *env, const tni_touch *w, double xd[3],
                     double nd[3]) {
  const tni_kin *k2 = &env->kin[d->body[1] + 1];
  double v[3], z[3], x2[3];
  tni_touch_velocity(d, env, 0, w->centre, xd);
  if (!d->parts) {
    tni_touch_velocity(d, env, 1, w->centre, v);
    vec3_sub(z, xd, v);
    mat3_tvec(v, k2->A, z);
    mat3_vec(z, w->H2, v);
    mat3_vec(nd, k2->A, z);
    vec3_cross(z, k2->W, w->n);
    vec3_add(nd, nd, z);
  } else {
    double turn[2][3], ds[TNI_CORE_MAX];
    vec3_sub(x2, w->centre, w->gap.z);
    tni_touch_velocity(d, env, 1, x2, v);
    vec3_sub(z, xd, v);
    for (int b = 0; b < 2; b++) vec3_copy(turn[b], env->kin[d->body[b] + 1].W);
    tni_gap_vary(&w->gap, z, turn, ds);
    for (int i = 0; i < w->gap.n; i++) {
      vec3_addmul(z, ds[i], w->gap.e[i]);
      if (i < w->gap.n1) vec3_addmul(xd, ds[i], w->gap.e[i]);
    }
    vec3_scale(nd, 1/w->gap.d, z);
    vec3_addmul(nd, -vec3_dot(w->n, nd), w->n);
  }
  vec3_addmul(xd, -d->radius, nd);
}

/* 1/m_e = sum over bodies of 1/m + (arm x n).I^-1 (arm x n) */
double tni_touch_mass(const tni_contact *d, const tni_env *env, const tni_touch *w) {
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

/* ---- derivatives --------------------------------------------------------------------------- */

/* the sphere: a unit step e, or a turn e on the body = g in ground axes, of body b */
static void vary_sphere(const tni_contact *d, const tni_env *env, const tni_touch *w, int b, bool turn,
                        const double e[3], const double g[3], tni_change *c) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  double centre[3] = {0}, y[3], on2[3], z[3];
  vec3_sub(z, w->centre, k[b]->r);
  /* the centre of the sphere, seen from body 2 */
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
}

/* the closest points of cores */
static void vary_part(const tni_contact *d, const tni_env *env, const tni_touch *w, int b, bool turn,
                      const double e[3], const double g[3], tni_change *c) {
  const tni_gap *gap = &w->gap;
  double turns[2][3] = {{0}}, moved[3], dz[3], ds[TNI_CORE_MAX], x[3];
  vec3_copy(x, gap->x1); /* on the core of body b */
  if (b == 1) vec3_sub(x, x, gap->z);
  vec3_sub(x, x, env->kin[d->body[b] + 1].r);
  if (turn) {
    vec3_copy(turns[b], g);
    vec3_cross(moved, g, x);
  } else {
    vec3_copy(moved, e);
  }
  vec3_scale(dz, b ? -1 : 1, moved);
  tni_gap_vary(gap, dz, turns, ds);
  double dD = vec3_dot(gap->z, dz)/gap->D;
  vec3_set(c->x, 0, 0, 0);
  if (b == 0) vec3_copy(c->x, moved);
  for (int k = 0; k < gap->n; k++) {
    vec3_addmul(dz, ds[k], gap->e[k]);
    if (k < gap->n1) vec3_addmul(c->x, ds[k], gap->e[k]);
  }
  double dd = vec3_dot(gap->n12, dz);
  c->p = -dD;
  c->c = (dd - w->c*dD)/gap->D;
  vec3_scale(c->n, 1/gap->d, dz);
  vec3_addmul(c->n, -dd/gap->d, gap->n12);
}

void tni_touch_vary(const tni_contact *d, const tni_env *env, const tni_touch *w, int column, int level,
                    tni_change *c) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  int b = column/6;
  bool turn = column%6 >= 3;
  double e[3] = {0}, g[3], sign = b ? -1 : 1, z[3];
  memset(c, 0, sizeof(*c));
  e[column%3] = 1;
  mat3_vec(g, k[b]->A, e); /* a turn about a body axis, ground components */
  if (level == 1) {
    if (turn) vec3_cross(z, g, w->arm[b]);
    vec3_scale(c->u, sign, turn ? z : e);
    return;
  }
  if (d->parts) vary_part(d, env, w, b, turn, e, g, c);
  else vary_sphere(d, env, w, b, turn, e, g, c);
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
}
