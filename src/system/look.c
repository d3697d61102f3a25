/* system/look.c - what is asked for at a state: bodies, forces, energies, sensors
 *
 * A data keeps a copy of the coordinates at which it was evaluated last, and what of its bodies, forces and accelerations belongs to them. Who asks says
 * where; what is there already is not evaluated again. Forces depend on the discrete memory too: whoever changes that takes them away.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/sensors.h"
#include "system/common.h"
#include "system/parts.h"

static bool same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n*sizeof(double)) == 0; }

/* b NULL: zeros */
static bool same_rates(const double *a, const double *b, int n) {
  if (b) return same(a, b, n);
  for (int i = 0; i < n; i++)
    if (a[i] != 0) return false;
  return true;
}

static bool parts_stand_at(const tni_parts *p, const tni_at *at) {
  if (p->t != at->t) return false;
  if (p->lent_u) return at->v && p->lent_u == at->q + p->q0 && p->lent_v == at->v + p->v0;
  return same(p->u, at->q + p->q0, p->nv) && same_rates(p->v, at->v ? at->v + p->v0 : NULL, p->nv);
}

bool tni_stands_at(const tni_data *s, const tni_at *at) {
  return (s->stands & TNI_STANDS_BODIES) && same(s->stands_q, at->q, s->stands_nq) && same_rates(s->stands_v, at->v, s->stands_nv) &&
         (!s->parts || parts_stand_at(s->parts, at));
}

static void stand(tni_data *s, const tni_at *at, unsigned what) {
  bool there = tni_stands_at(s, at);
  if (what & TNI_STANDS_ACCELERATIONS) {
    bool known = there && (s->stands & TNI_STANDS_ACCELERATIONS) && s->stands_has_a == (at->a != NULL);
    if (!known || (at->a && !same(s->stands_a, at->a, s->nv)))
      tni_eval_bodies(s, at->t, at->q, at->v, at->a);
  } else if (!there) {
    tni_eval_bodies(s, at->t, at->q, at->v, NULL);
  }
  if ((what & TNI_STANDS_FORCES) && !((s->stands & TNI_STANDS_FORCES) && s->stands_t == at->t))
    tni_system_forces(s, at->t, s->load);
}

const tni_kin *tni_look_bodies(tni_data *s, const tni_at *at) {
  stand(s, at, TNI_STANDS_BODIES);
  return s->kin;
}

const double *tni_look_accelerations(tni_data *s, const tni_at *at) {
  stand(s, at, TNI_STANDS_ACCELERATIONS);
  return s->acc;
}

const tni_force_out *tni_look_forces(tni_data *s, const tni_at *at) {
  stand(s, at, TNI_STANDS_FORCES);
  return s->force_out;
}

/* ---- energies ------------------------------------------------------------------------------- */

double tni_system_kinetic(const tni_data *s) {
  double sum = 0;
  for (int i = 0; i < s->model->nbody; i++) {
    const tni_inertia *b = &s->inertia[i];
    const tni_kin *k = &s->kin[i + 1];
    double h[3];
    mat3_vec(h, b->I, k->w);
    sum += 0.5*(b->mass*vec3_dot(k->v, k->v) + vec3_dot(h, k->w));
  }
  return sum + tni_parts_kinetic(s);
}

double tni_look_kinetic(tni_data *s, const tni_at *at) {
  stand(s, at, TNI_STANDS_BODIES);
  return tni_system_kinetic(s);
}

void tni_look_energies(tni_data *s, const tni_at *at, tni_energies *out) {
  stand(s, at, TNI_STANDS_FORCES);
  *out = (tni_energies){tni_system_kinetic(s), s->potential, s->spent, s->dissipated, s->input};
  if (s->hold && s->hold->store) s->hold->store(s->hold, s, at, &out->potential);
}

double tni_look_loads(tni_data *s, const tni_at *at, double *f) {
  stand(s, at, TNI_STANDS_FORCES);
  const tn_model *m = s->model;
  double magnitude = 0;
  for (int i = 0; i < m->nbody; i++) {
    vec3_scale(f + 6*i, s->inertia[i].mass, m->gravity);
    vec3_set(f + 6*i + 3, 0, 0, 0);
    magnitude += s->inertia[i].mass*fabs(vec3_dot(m->gravity, s->kin[i + 1].r));
  }
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *e = &m->force[i];
    const tni_force_out *o = &s->force_out[i];
    magnitude += fabs(o->potential);
    for (int n = 0; n < e->nbody; n++)
      for (int k = 0; k < 6; k++) f[6*e->body[n] + k] += o->f[6*n + k];
  }
  return magnitude;
}

/* ---- motion ---------------------------------------------------------------------------------- */

double tni_look_turning(tni_data *s, const tni_at *at, int *which) {
  stand(s, at, TNI_STANDS_BODIES);
  tni_env env = tni_system_env(s, at->t);
  double most = 0;
  *which = -1;
  for (int i = 0; i < s->nremember; i++) {
    const struct tni_remember *r = &s->remember[i];
    double rate;
    if (r->packed) { /* no twist is faster than the whole turning, but where the swing is half a turn */
      double w[3];
      vec3_sub(w, s->kin[r->body[1] + 1].W, s->kin[r->body[0] + 1].W);
      rate = vec3_norm(w);
    } else {
      tni_scalar_out o;
      tni_scalar_at(r->scalar, &env, TNI_S_RATE, &o);
      rate = fabs(o.rate);
    }
    if (rate > most) most = rate, *which = i;
  }
  return most;
}

void tni_look_aside(tni_data *s, const tni_at *other, tni_kin *out) {
  size_t bytes = ((size_t)s->nbody + 1)*sizeof(tni_kin);
  double *q = s->stands_q, *v = s->stands_v;
  unsigned stands = s->parts ? 0 : s->stands & ~(unsigned)TNI_STANDS_ACCELERATIONS;
  memcpy(out, s->kin, bytes);
  s->stands_q = s->aside_q, s->stands_v = s->aside_v;
  tni_eval_bodies(s, other->t, other->q, other->v, NULL);
  s->stands_q = q, s->stands_v = v;
  s->stands = stands;
  for (int i = 0; i <= s->nbody; i++) {
    tni_kin k = s->kin[i];
    s->kin[i] = out[i];
    out[i] = k;
  }
}

/* ---- sensors --------------------------------------------------------------------------------- */

int tni_system_nsensor(const tni_data *s) {
  int n = 0;
  for (int i = 0; i < s->model->nsensor; i++) n += s->model->sensor[i].ncomponent;
  return n;
}

/* M a - f of the bodies beyond a joint, about the joint */
static void effort(const tni_data *s, const tni_sensor *e, double out[6]) {
  const tn_model *m = s->model;
  const tni_frame *frame = &m->joint[e->index].frame[1];
  double p[3], z[3], R[9];
  const tni_kin *k1 = &s->kin[e->body + 1];
  mat3_vec(p, k1->A, frame->p);
  vec3_add(p, p, k1->r);
  memset(out, 0, 6*sizeof(double));
  for (int b = 0; b < m->nbody; b++) {
    if (!e->beyond[b]) continue;
    const tni_kin *k = &s->kin[b + 1];
    double F[3], T[3], h[3], arm[3];
    vec3_sub(F, s->acc + 6*b, m->gravity);
    vec3_scale(F, s->inertia[b].mass, F);
    mat3_vec(T, s->inertia[b].I, s->acc + 6*b + 3);
    mat3_vec(h, s->inertia[b].I, k->w);
    vec3_cross(z, k->w, h);
    vec3_add(T, T, z);
    mat3_vec(z, k->A, T);
    vec3_sub(arm, k->r, p);
    vec3_cross(T, arm, F);
    vec3_add(T, T, z);
    vec3_add(out, out, F);
    vec3_add(out + 3, out + 3, T);
  }
  for (int i = 0; i < m->nforce; i++) {
    for (int n = 0; n < m->force[i].nbody; n++) {
      int b = m->force[i].body[n];
      if (!e->beyond[b]) continue;
      const double *f = s->force_out[i].f + 6*n;
      double arm[3];
      vec3_sub(out, out, f);
      vec3_sub(arm, s->kin[b + 1].r, p);
      vec3_cross(z, arm, f);
      vec3_sub(out + 3, out + 3, z);
      mat3_vec(z, s->kin[b + 1].A, f + 3);
      vec3_sub(out + 3, out + 3, z);
    }
  }
  if (!e->in_body) return;
  mat3_mul(R, k1->A, e->R);
  for (int i = 0; i < 6; i += 3) mat3_tvec(out + i, R, out + i);
}

void tni_look_sensors(tni_data *s, const tni_state *now, const double *wrench, double *out) {
  const double *z = now->z;
  tni_at at = tni_at_state(now);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  stand(s, &at, TNI_STANDS_FORCES | TNI_STANDS_ACCELERATIONS);
  tni_env env = tni_system_env(s, now->t);
  env.memory = now->memory;
  double energy[5] = {e.kinetic, e.potential, z[TNI_Z_DISSIPATED] + e.spent, z[TNI_Z_INPUT], e.kinetic + e.potential};
  for (int i = 0, n = 0; i < s->model->nsensor; i++) {
    const tni_sensor *sensor = &s->model->sensor[i];
    if (sensor->kind == TNI_SENSOR_ELEMENT) {
      const tni_force *f = &s->model->force[sensor->index];
      double eps[6], stress[6];
      f->element->resultants(f, &env, eps, stress);
      memcpy(out + n, sensor->level ? stress : eps, sizeof(stress));
    } else if (sensor->kind == TNI_SENSOR_EFFORT) {
      effort(s, sensor, out + n);
    } else if (sensor->kind == TNI_SENSOR_STRAIN_ENERGY) {
      const tni_beam *b = &s->model->beam[sensor->index];
      out[n] = 0;
      for (int k = 0; k < b->nelement; k++) out[n] += s->force_out[b->element0 + k].potential;
    } else {
      tni_sensor_eval(sensor, &env, s->acc, wrench, s->force_value, energy, out + n);
    }
    n += sensor->ncomponent;
  }
}
