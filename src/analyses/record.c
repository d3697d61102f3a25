/* analyses/record.c - which numbers of a simulation go into the results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/record.h"

static const char *const XYZ[] = {"x", "y", "z"};
static const char *const EULER[] = {"e0", "e1", "e2", "e3"};
static const char *const WRENCH[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const COORDINATE[] = {"value", "rate"};
static const char *const ENERGY[] = {"kinetic", "potential", "dissipated", "input", "error"};
static const char *const STATICS[] = {"load", "negative", "critical"};
static const char *const ANIMATION[] = {"mode", "phase"};
static const char *const RESIDUAL[] = {"position", "velocity", "acceleration"};

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
  for (int i = 0; i < m->nsensor; i++) {
    const tni_sensor *e = &m->sensor[i];
    TN_TRY(add(arena, out, (tni_channel){"sensors", e->name, e->unit, e->ncomponent, e->component,
                                         NULL, NULL}));
  }
  TN_TRY(add(arena, out, (tni_channel){"energy", "energy", "J", 5, ENERGY, NULL, NULL}));
  TN_TRY(add(arena, out, (tni_channel){"residuals", "constraint", "", 3, RESIDUAL, NULL, NULL}));
  if (strcmp(sim->set.type, "statics") == 0)
    TN_TRY(add(arena, out, (tni_channel){"statics", "path", "", 3, STATICS, NULL, NULL}));
  if (strcmp(sim->set.type, "modes") == 0)
    TN_TRY(add(arena, out, (tni_channel){"animation", "animation", "1, rad", 2, ANIMATION, NULL, NULL}));
  TNI_ARENA_NEW(arena, out->value, out->nvalue);
  return TN_OK;
}

void tni_record_fill(tn_sim *sim, tni_record *rec) {
  const tn_model *m = sim->model;
  tni_system *s = sim->s;
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
  if (strcmp(sim->set.type, "statics") == 0) {
    *x++ = sim->load;
    *x++ = sim->sum.unstable;
    *x++ = sim->critical;
  }
  if (strcmp(sim->set.type, "modes") == 0) {
    *x++ = sim->mode;
    *x++ = sim->phase;
  }
}
