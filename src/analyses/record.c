/* analyses/record.c - which numbers of a simulation go into the results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/record.h"

#include "analyses/analysis.h"
#include "materials/section.h"

static const char *const XYZ[] = {"x", "y", "z"};
static const char *const EULER[] = {"e0", "e1", "e2", "e3"};
static const char *const WRENCH[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const COORDINATE[] = {"value", "rate"};
static const char *const ENERGY[] = {"kinetic", "potential", "dissipated", "input", "error"};
static const char *const RESIDUAL[] = {"position", "velocity", "acceleration"};

/* of beams, in the middle of elements: trusses have the first, the last needs a known section */
enum { BEAM_TRUSS = 1, BEAM_PLAIN = 5, BEAM_ALL = 6 };
static const struct {
  const char *name, *unit, *note;
} BEAM[BEAM_ALL] = {
    {"axial_force", "N", "in the middle of elements"},
    {"bending_moment", "N m", "in the middle of elements, magnitude"},
    {"shear_force", "N", "in the middle of elements, magnitude"},
    {"torque", "N m", "in the middle of elements"},
    {"strain_energy", "J/m", "per length, in the middle of elements"},
    {"stress", "Pa", "largest normal stress of the section in the middle of elements, magnitude"},
};

static tn_status add(tni_arena *arena, tni_record *rec, tni_channel c) {
  void *items = rec->channel;
  if (!tni_arena_grow(arena, &items, rec->nchannel, &rec->cap, sizeof(c)))
    return tni_out_of_memory(arena->ctx);
  rec->channel = items;
  if (!c.name) return tni_out_of_memory(arena->ctx);
  rec->channel[rec->nchannel++] = c;
  rec->nvalue += c.ncomponent;
  return TN_OK;
}

/* names of the elements of a beam: "0", "1" ... */
static const char *const *element_names(tni_arena *arena, int n) {
  const char **name = tni_arena_alloc(arena, (size_t)n, sizeof(*name));
  for (int i = 0; name && i < n; i++)
    if (!(name[i] = tni_arena_printf(arena, "%d", i))) return NULL;
  return name;
}

/* forces that the user wrote: on their first body, about its centre of mass */
static tn_status add_forces(const tn_model *m, tni_arena *arena, tni_record *out) {
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->element || f->nbody == 0) continue;
    const char *note = tni_arena_printf(arena, "on '%s', about its centre of mass",
                                        m->body[f->body[0]].name);
    if (!note) return tni_out_of_memory(arena->ctx);
    TN_TRY(add(arena, out, (tni_channel){"forces", tni_arena_printf(arena, "%s/load", f->name),
                                         "N, N m", 6, WRENCH, "ground", note}));
    if (!f->where) continue;
    TN_TRY(add(arena, out, (tni_channel){"forces", tni_arena_printf(arena, "%s/point", f->name), "m",
                                         3, XYZ, "ground", "where the bodies touch or come closest"}));
  }
  return TN_OK;
}

static int nbeam(const tni_beam *b) {
  if (b->nelement == 0) return 0; /* rigid */
  if (!b->bends) return BEAM_TRUSS;
  return b->outline.kind == TNI_OUTLINE_UNKNOWN ? BEAM_PLAIN : BEAM_ALL;
}

static tn_status add_beams(const tn_model *m, tni_arena *arena, tni_record *out) {
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    if (b->nelement == 0) continue;
    const char *const *name = element_names(arena, b->nelement);
    if (!name) return tni_out_of_memory(arena->ctx);
    for (int k = 0; k < nbeam(b); k++)
      TN_TRY(add(arena, out,
                 (tni_channel){"beams", tni_arena_printf(arena, "%s/%s", b->name, BEAM[k].name),
                               BEAM[k].unit, b->nelement, name, NULL, BEAM[k].note}));
  }
  return TN_OK;
}

tn_status tni_record_create(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  memset(out, 0, sizeof(*out));
  for (int i = 0; i < m->nbody; i++) {
    const char *b = m->body[i].name;
    TN_TRY(add(arena, out, (tni_channel){"bodies", tni_arena_printf(arena, "%s/position", b), "m", 3,
                                         XYZ, "ground", NULL}));
    TN_TRY(add(arena, out, (tni_channel){"bodies", tni_arena_printf(arena, "%s/orientation", b), "",
                                         4, EULER, "ground", NULL}));
    TN_TRY(add(arena, out, (tni_channel){"bodies", tni_arena_printf(arena, "%s/velocity", b), "m/s",
                                         3, XYZ, "ground", NULL}));
    TN_TRY(add(arena, out,
               (tni_channel){"bodies", tni_arena_printf(arena, "%s/angular_velocity", b), "rad/s", 3,
                             XYZ, "ground", NULL}));
  }
  for (int i = 0; i < m->njoint; i++) {
    const tni_joint *j = &m->joint[i];
    for (int c = 0; c < j->ncoord; c++)
      TN_TRY(add(arena, out,
                 (tni_channel){"joints", tni_arena_printf(arena, "%s/%s", j->name, j->coord[c].name),
                               j->coord[c].unit, 2, COORDINATE, NULL, NULL}));
    TN_TRY(add(arena, out, (tni_channel){"joints", tni_arena_printf(arena, "%s/reaction", j->name),
                                         "N, N m", 6, WRENCH, "ground",
                                         sim->unique[i] ? NULL : "not unique: redundant constraints"}));
  }
  TN_TRY(add_forces(m, arena, out));
  TN_TRY(add_beams(m, arena, out));
  for (int i = 0; i < m->nsensor; i++) {
    const tni_sensor *e = &m->sensor[i];
    TN_TRY(add(arena, out, (tni_channel){"sensors", e->name, e->unit, e->ncomponent, e->component,
                                         NULL, NULL}));
  }
  TN_TRY(add(arena, out, (tni_channel){"energy", "energy", "J", 5, ENERGY, NULL, NULL}));
  TN_TRY(add(arena, out, (tni_channel){"residuals", "constraint", "", 3, RESIDUAL, NULL, NULL}));
  for (int i = 0; i < sim->set.analysis->nchannel; i++)
    TN_TRY(add(arena, out, sim->set.analysis->channel[i]));
  TNI_ARENA_NEW(arena, out->value, out->nvalue);
  return TN_OK;
}

void tni_record_force(const tni_data *s, int force, double load[6]) {
  vec3_copy(load, s->force_out[force].f);
  mat3_vec(load + 3, s->kin[s->model->force[force].body[0] + 1].A, s->force_out[force].f + 3);
}

static double *fill_forces(const tni_data *s, const tni_env *env, double *x) {
  const tn_model *m = s->model;
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->element || f->nbody == 0) continue;
    tni_record_force(s, i, x);
    x += 6;
    if (!f->where) continue;
    f->where(f, env, x);
    x += 3;
  }
  return x;
}

/* Largest |normal stress| of a section, |N|/A + what bending adds. With E = EA/A, M/I = E M/EI. */
static double normal_stress(const tni_profile *p, const double n[6]) {
  const double E = p->C[0]/p->area, *size = p->outline.size;
  double y = n[4]/p->C[4], z = n[5]/p->C[5];
  double bend = p->outline.kind == TNI_OUTLINE_RECTANGLE ? 0.5*(size[1]*fabs(y) + size[0]*fabs(z))
                                                         : size[0]*hypot(y, z);
  return fabs(n[0])/p->area + E*bend;
}

static double *fill_beams(const tn_model *m, const tni_env *env, double *x) {
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    int nq = nbeam(b);
    for (int e = 0; e < b->nelement; e++) {
      const tni_force *f = &m->force[b->element0 + e];
      double eps[6], n[6], q[BEAM_ALL] = {0};
      f->element->resultants(f, env, eps, n);
      q[0] = n[0];
      if (b->bends) {
        q[1] = hypot(n[4], n[5]);
        q[2] = hypot(n[1], n[2]);
        q[3] = n[3];
        for (int k = 0; k < 6; k++) q[4] += 0.5*b->profile->C[k]*eps[k]*eps[k];
      }
      if (nq == BEAM_ALL) q[5] = normal_stress(b->profile, n);
      for (int k = 0; k < nq; k++) x[k*b->nelement + e] = q[k];
    }
    x += nq*b->nelement;
  }
  return x;
}

void tni_record_fill(tn_sim *sim, tni_record *rec) {
  const tn_model *m = sim->model;
  tni_data *s = sim->s;
  double *x = rec->value;
  for (int i = 0; i < m->nbody; i++) {
    const tni_kin *k = &s->kin[i + 1];
    double c[3], wc[3];
    mat3_vec(c, k->A, m->body[i].com);
    vec3_cross(wc, k->W, c);
    vec3_sub(x, k->r, c);
    quat_from_matrix(x + 3, k->A);
    vec3_sub(x + 7, k->v, wc);
    vec3_copy(x + 10, k->W);
    x += 13;
  }
  tni_env env = {sim->t, s->kin, s->memory};
  for (int i = 0; i < m->njoint; i++) {
    const tni_joint *j = &m->joint[i];
    for (int c = 0; c < j->ncoord; c++) {
      tni_scalar_out o;
      tni_scalar_at(&j->coord[c].scalar, &env, TNI_S_VALUE | TNI_S_RATE, &o);
      *x++ = o.s;
      *x++ = o.rate;
    }
    memcpy(x, sim->wrench + 6*i, 6*sizeof(double));
    x += 6;
  }
  x = fill_forces(s, &env, x);
  x = fill_beams(m, &env, x);
  int n = tni_system_nsensor(s);
  if (n) memcpy(x, sim->sensor, (size_t)n*sizeof(double));
  x += n;
  double T = tni_system_kinetic(s), D = sim->z[TNI_Z_DISSIPATED], W = sim->z[TNI_Z_INPUT];
  *x++ = T;
  *x++ = s->potential;
  *x++ = D;
  *x++ = W;
  *x++ = T + s->potential - sim->energy0 + D - W;
  *x++ = sim->residuals.position;
  *x++ = sim->residuals.velocity;
  *x++ = sim->residuals.acceleration;
  if (sim->set.analysis->fill) sim->set.analysis->fill(sim, x);
}
