/* analyses/record.c - which numbers of a simulation go into the results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/record.h"

#include "analyses/analysis.h"
#include "materials/section.h"
#include "mesh/mesh.h"
#include "system/parts.h"

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

/* ---- beams: meshes with fields ---- */

/* A node that the beam has made is a body of that name only here, and counts as the beam's own; ends may sit on
 * bodies of the model, on the ground, or on nodes of other beams. */
static bool is_own_node(const tn_model *m, const tni_beam *b, int k) {
  return b->node[k] != TNI_GROUND && m->body[b->node[k]].item == b->item;
}

/* position, Euler parameters, velocity, angular velocity of a body in its frame */
static void body_motion(const tn_model *m, const tni_data *s, int body, double x[13]) {
  const tni_kin *k = &s->kin[body + 1];
  double c[3], wc[3];
  mat3_vec(c, k->A, m->body[body].com);
  vec3_cross(wc, k->W, c);
  vec3_sub(x, k->r, c);
  quat_from_matrix(x + 3, k->A);
  vec3_sub(x + 7, k->v, wc);
  vec3_copy(x + 10, k->W);
}

/* the same of the section at node k of a beam */
static void node_motion(const tn_model *m, const tni_data *s, const tni_beam *b, int k, double x[13]) {
  const tni_kin *body = &s->kin[b->node[k] + 1];
  double p[3], wp[3], Q[9];
  if (is_own_node(m, b, k)) {
    body_motion(m, s, b->node[k], x);
    return;
  }
  mat3_vec(p, body->A, b->frame[k].p);
  vec3_cross(wp, body->W, p);
  mat3_mul(Q, body->A, b->frame[k].R);
  vec3_add(x, body->r, p);
  quat_from_matrix(x + 3, Q);
  vec3_add(x + 7, body->v, wp);
  vec3_copy(x + 10, body->W);
}

enum { NMOTION = 4 };
static const struct {
  const char *name, *unit;
  int ncomponent, at; /* in the 13 numbers above */
  const char *const *component;
} MOTION[NMOTION] = {{"position", "m", 3, 0, XYZ},
                     {"orientation", "", 4, 3, EULER},
                     {"velocity", "m/s", 3, 7, XYZ},
                     {"angular_velocity", "rad/s", 3, 10, XYZ}};

static tn_status add_field(tni_arena *arena, tni_record *rec, tni_field f) {
  void *items = rec->field;
  if (!tni_arena_grow(arena, &items, rec->nfield, &rec->field_cap, sizeof(f))) return tni_out_of_memory(arena->ctx);
  rec->field = items;
  rec->field[rec->nfield++] = f;
  rec->nvalue += (f.cells ? rec->mesh[f.mesh].ncell : rec->mesh[f.mesh].nnode)*f.ncomponent;
  return TN_OK;
}

static tn_status add_mesh(const tn_model *m, const tni_data *s, const tni_beam *b, tni_arena *arena,
                          tni_mesh_info *out) {
  double *x, motion[13];
  int *cell, per = b->nelement ? (b->nnode - 1)/b->nelement : 1;
  unsigned char *type;
  const char **body;
  TNI_ARENA_NEW(arena, x, 3*(size_t)b->nnode);
  TNI_ARENA_NEW(arena, body, b->nnode);
  TNI_ARENA_NEW(arena, cell, (size_t)b->nelement*(size_t)(per + 1));
  TNI_ARENA_NEW(arena, type, b->nelement);
  for (int k = 0; k < b->nnode; k++) {
    node_motion(m, s, b, k, motion);
    vec3_copy(x + 3*k, motion);
    body[k] = is_own_node(m, b, k) ? m->body[b->node[k]].name : "";
  }
  for (int e = 0; e < b->nelement; e++) {
    int *to = cell + e*(per + 1);
    type[e] = per == 2 ? 21 : 3; /* quadratic edge (ends, then middle), line */
    to[0] = per*e;
    to[1] = per*(e + 1);
    if (per == 2) to[2] = per*e + 1;
  }
  *out = (tni_mesh_info){b->name, b->nnode, b->nelement, x, cell, type, body, 0};
  return TN_OK;
}

static tn_status add_beams(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  TNI_ARENA_NEW(arena, out->mesh, m->nbeam + m->npart);
  out->nmesh = m->nbeam;
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    TN_TRY(add_mesh(m, sim->s, b, arena, &out->mesh[i]));
    for (int k = 0; k < NMOTION; k++)
      TN_TRY(add_field(arena, out, (tni_field){i, MOTION[k].name, false, MOTION[k].ncomponent, MOTION[k].component,
                                               MOTION[k].unit, "ground", NULL, 0, false, false}));
    for (int k = 0; k < nbeam(b); k++)
      TN_TRY(add_field(arena, out,
                       (tni_field){i, BEAM[k].name, true, 1, NULL, BEAM[k].unit, NULL, BEAM[k].note, 0, false, false}));
  }
  return TN_OK;
}

/* ---- structures ---- */

/* Meshes of all structures with more nodes than this in sum have fields with datasets of their own: rows of /data would
 * be megabytes. Beyond the second bound seven digits are kept of every number. */
enum { LARGE = 2000, HUGE_MESH = 50000 };

static tn_status add_structures(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  long nnode = 0;
  for (int i = 0; i < m->npart; i++) nnode += m->part[i].mesh->nnode;
  for (int i = 0; i < m->npart; i++) {
    const tni_part *p = &m->part[i];
    const tni_mesh *mesh = p->mesh;
    int at = 0, total = 0, *cell;
    unsigned char *type;
    for (int b = 0; b < mesh->nblock; b++) total += mesh->block[b].n*tni_cell_of(mesh->block[b].cell)->nnode;
    TNI_ARENA_NEW(arena, cell, total);
    TNI_ARENA_NEW(arena, type, mesh->ncell);
    for (int b = 0; b < mesh->nblock; b++) {
      const tni_mesh_block *k = &mesh->block[b];
      int n = k->n*tni_cell_of(k->cell)->nnode;
      memcpy(cell + at, k->node, (size_t)n*sizeof(int));
      memset(type + k->first, tni_cell_of(k->cell)->vtk, (size_t)k->n);
      at += n;
    }
    out->mesh[out->nmesh] = (tni_mesh_info){p->name, mesh->nnode, mesh->ncell, mesh->x, cell, type, NULL, 0};
    for (int f = 0; f < p->nfield; f++)
      TN_TRY(add_field(arena, out, (tni_field){out->nmesh, p->field[f].name, p->field[f].cells, p->field[f].ncomponent,
                                               p->field[f].component, p->field[f].unit, "ground", p->field[f].note, 0,
                                               nnode > LARGE, nnode > HUGE_MESH}));
    out->nmesh++;
  }
  return TN_OK;
}

static double *fill_structures(tni_data *s, double *x) {
  for (int i = 0; s->parts && i < s->parts->n; i++) {
    const tni_part *p = &s->parts->part[i];
    tni_part_at at = tni_parts_at(s, i);
    for (int f = 0; f < p->nfield; f++) {
      p->ops->fill(p, s->parts->work[i], &at, f, x);
      x += (size_t)(p->field[f].cells ? p->mesh->ncell : p->mesh->nnode)*(size_t)p->field[f].ncomponent;
    }
  }
  return x;
}

tn_status tni_record_create(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  memset(out, 0, sizeof(*out));
  TNI_ARENA_NEW(arena, out->plain, m->nbody);
  for (int i = 0; i < m->nbody; i++) {
    if (tni_beam_of(m, i)) continue;
    out->plain[out->nplain++] = i;
    for (int k = 0; k < NMOTION; k++)
      TN_TRY(add(arena, out, (tni_channel){"bodies", tni_arena_printf(arena, "%s/%s", m->body[i].name, MOTION[k].name),
                                           MOTION[k].unit, MOTION[k].ncomponent, MOTION[k].component, "ground", NULL}));
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
  for (int i = 0; i < m->nsensor; i++) {
    const tni_sensor *e = &m->sensor[i];
    TN_TRY(add(arena, out, (tni_channel){"sensors", e->name, e->unit, e->ncomponent, e->component,
                                         NULL, NULL}));
  }
  TN_TRY(add(arena, out, (tni_channel){"energy", "energy", "J", 5, ENERGY, NULL, NULL}));
  TN_TRY(add(arena, out, (tni_channel){"residuals", "constraint", "", 3, RESIDUAL, NULL, NULL}));
  for (int i = 0; i < sim->set.analysis->nchannel; i++)
    TN_TRY(add(arena, out, sim->set.analysis->channel[i]));
  out->ncolumn = out->nvalue;
  TN_TRY(add_beams(sim, arena, out));
  TN_TRY(add_structures(sim, arena, out));
  TNI_ARENA_NEW(arena, out->value, out->nvalue);
  return TN_OK;
}

void tni_record_force(const tn_model *m, const tni_data *s, int force, double load[6]) {
  vec3_copy(load, s->force_out[force].f);
  mat3_vec(load + 3, s->kin[m->force[force].body[0] + 1].A, s->force_out[force].f + 3);
}

static double *fill_forces(const tn_model *m, const tni_data *s, const tni_env *env, double *x) {
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->element || f->nbody == 0) continue;
    tni_record_force(m, s, i, x);
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

/* the fields of a beam one after the other */
static double *fill_beam(const tn_model *m, const tni_data *s, const tni_env *env, const tni_beam *b,
                         double *x) {
  int nq = nbeam(b), n = b->nnode;
  for (int k = 0; k < n; k++) {
    double motion[13], *to = x;
    node_motion(m, s, b, k, motion);
    for (int i = 0; i < NMOTION; to += n*MOTION[i].ncomponent, i++)
      memcpy(to + k*MOTION[i].ncomponent, motion + MOTION[i].at, (size_t)MOTION[i].ncomponent*sizeof(double));
  }
  x += 13*n;
  for (int e = 0; e < b->nelement; e++) {
    const tni_force *f = &m->force[b->element0 + e];
    double eps[6], stress[6], q[BEAM_ALL] = {0};
    f->element->resultants(f, env, eps, stress);
    q[0] = stress[0];
    if (b->bends) {
      q[1] = hypot(stress[4], stress[5]);
      q[2] = hypot(stress[1], stress[2]);
      q[3] = stress[3];
      for (int k = 0; k < 6; k++) q[4] += 0.5*b->profile->C[k]*eps[k]*eps[k];
    }
    if (nq == BEAM_ALL) q[5] = normal_stress(b->profile, stress);
    for (int k = 0; k < nq; k++) x[k*b->nelement + e] = q[k];
  }
  return x + nq*b->nelement;
}

void tni_record_fill(tn_sim *sim, tni_record *rec) {
  const tn_model *m = sim->model;
  tni_data *s = sim->s;
  double *x = rec->value;
  for (int i = 0; i < rec->nplain; i++, x += 13) body_motion(m, s, rec->plain[i], x);
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
  x = fill_forces(m, s, &env, x);
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
  x = rec->value + rec->ncolumn;
  for (int i = 0; i < m->nbeam; i++) x = fill_beam(m, s, &env, &m->beam[i], x);
  fill_structures(s, x);
}
