/* properties that every force must have, at random states
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_FORCE_PROPERTIES_H
#define TN_FORCE_PROPERTIES_H

#include "support/rig.h"

enum { STATES = 5 };
/* central differences: error h^2 |f'''|/6 + eps |f|/h, both near 1e-9 of the size of f */
static const double FD_STEP = 1e-5, FD_TOL = 2e-8;

/* K, D and f_t are the derivatives of f */
static inline void tangent_holds(rig *r, const tni_force *force) {
  rig_out *o = malloc(sizeof(*o)), *p = malloc(sizeof(*p)), *m = malloc(sizeof(*m));
  int n = 6*force->nbody;
  rig_eval(r, force, o);
  double scale = 0;
  for (int i = 0; i < n*n; i++) scale = fmax(scale, fmax(fabs(o->K[i]), fabs(o->D[i])));
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(o->f[i]));
  if (scale == 0) scale = 1; /* slack: everything must be zero */
  for (int c = 0; c < n; c++) {
    tni_kin *k = &r->kin[force->body[c/6] + 1], keep = *k;
    for (int level = 0; level < 2; level++) {
      void (*change)(tni_kin *, int, double) = level ? rig_push : rig_move;
      change(k, c%6, FD_STEP);
      rig_eval(r, force, p);
      *k = keep;
      change(k, c%6, -FD_STEP);
      rig_eval(r, force, m);
      *k = keep;
      for (int i = 0; i < n; i++) {
        double got = level ? o->D[i*n+c] : o->K[i*n+c];
        CHECK_WITHIN(got/scale, (p->f[i] - m->f[i])/(2*FD_STEP)/scale, FD_TOL);
      }
    }
  }
  double t = r->env.t;
  r->env.t = t + FD_STEP;
  rig_eval(r, force, p);
  r->env.t = t - FD_STEP;
  rig_eval(r, force, m);
  r->env.t = t;
  for (int i = 0; i < n; i++)
    CHECK_WITHIN(o->f_t[i]/scale, (p->f[i] - m->f[i])/(2*FD_STEP)/scale, FD_TOL);
  free(o), free(p), free(m);
}

/* f.v = -dV/dt - dissipated + input */
static inline void power_balances(rig *r, const tni_force *force) {
  rig_out *o = malloc(sizeof(*o)), *p = malloc(sizeof(*p)), *m = malloc(sizeof(*m));
  rig keep = *r;
  rig_eval(r, force, o);
  double power = 0;
  for (int i = 0; i < force->nbody; i++) {
    const tni_kin *k = &r->kin[force->body[i] + 1];
    power += vec3_dot(&o->f[6*i], k->v) + vec3_dot(&o->f[6*i+3], k->w);
  }
  rig_advance(r, FD_STEP);
  rig_eval(r, force, p);
  memcpy(r->kin, keep.kin, sizeof(keep.kin));
  r->env.t = keep.env.t;
  rig_advance(r, -FD_STEP);
  rig_eval(r, force, m);
  memcpy(r->kin, keep.kin, sizeof(keep.kin));
  r->env.t = keep.env.t;
  double dV = (p->o.potential - m->o.potential)/(2*FD_STEP);
  double scale = 1 + fabs(power) + fabs(dV) + fabs(o->o.potential);
  CHECK_WITHIN(power/scale, (-dV - o->o.dissipated + o->o.input)/scale, FD_TOL);
  free(o), free(p), free(m);
}

/* f = -dV/d delta, for conservative forces */
static inline void force_derives_from_potential(rig *r, const tni_force *force) {
  rig_out *o = malloc(sizeof(*o)), *p = malloc(sizeof(*p)), *m = malloc(sizeof(*m));
  rig_eval(r, force, o);
  double scale = 1 + fabs(o->o.potential);
  for (int i = 0; i < 6*force->nbody; i++) scale = fmax(scale, fabs(o->f[i]));
  for (int c = 0; c < 6*force->nbody; c++) {
    tni_kin *k = &r->kin[force->body[c/6] + 1], keep = *k;
    rig_move(k, c%6, FD_STEP);
    rig_eval(r, force, p);
    *k = keep;
    rig_move(k, c%6, -FD_STEP);
    rig_eval(r, force, m);
    *k = keep;
    CHECK_WITHIN(o->f[c]/scale, -(p->o.potential - m->o.potential)/(2*FD_STEP)/scale, FD_TOL);
  }
  free(o), free(p), free(m);
}

/* forces between bodies have neither resultant nor moment */
static inline void action_is_reaction(rig *r, const tni_force *force) {
  rig_out *o = malloc(sizeof(*o));
  double F[3] = {0}, T[3] = {0}, x[3], scale = 1;
  rig_eval(r, force, o);
  for (int i = 0; i < force->nbody; i++) {
    const tni_kin *k = &r->kin[force->body[i] + 1];
    vec3_add(F, F, &o->f[6*i]);
    vec3_cross(x, k->r, &o->f[6*i]);
    vec3_add(T, T, x);
    mat3_vec(x, k->A, &o->f[6*i+3]);
    vec3_add(T, T, x);
    scale += vec3_norm(&o->f[6*i])*(1 + vec3_norm(k->r)) + vec3_norm(&o->f[6*i+3]);
  }
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(F[i]/scale, 0, 1e-14);
    CHECK_NEAR(T[i]/scale, 0, 1e-14);
  }
  free(o);
}

/* On a body that a force calls central it never acts by a moment: nodes of cables and trusses stay points with it. */
static inline void central_bodies_have_no_moment(rig *r, const tni_force *force) {
  rig_out *o = malloc(sizeof(*o));
  rig_eval(r, force, o);
  for (int b = 0; b < force->nbody; b++)
    for (int k = 3; k < 6 && (force->central >> b & 1); k++) CHECK_NEAR(o->f[6*b + k], 0, 0);
  free(o);
}

enum { CONSERVATIVE = 1, INTERNAL = 2 };

/* all of them, at several states */
static inline void properties_hold(rig *r, const tni_force *force, unsigned kind) {
  for (int s = 0; s < STATES; s++) {
    rig_random_state(r);
    tangent_holds(r, force);
    power_balances(r, force);
    central_bodies_have_no_moment(r, force);
    if (kind & CONSERVATIVE) force_derives_from_potential(r, force);
    if (kind & INTERNAL) action_is_reaction(r, force);
  }
}

/* the build is refused with this message */
static inline void refused(const char *type, const char *keys, const char *message) {
  rig r;
  rig_begin(&r);
  CHECK_INT(rig_try_force(&r, type, "it", keys), TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(r.ctx), message);
  rig_end(&r);
}

#endif
