/* analyses/record.c - which numbers of a simulation go into the results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/record.h"

#include "analyses/analysis.h"
#include "integrators/central.h"
#include "materials/section.h"
#include "mesh/mesh.h"
#include "output/crew.h"
#include "system/parts.h"
#include "system/pieces.h"

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
static void body_motion(const tn_model *m, const tni_kin *kin, int body, double x[13]) {
  const tni_kin *k = &kin[body + 1];
  double c[3], wc[3];
  mat3_vec(c, k->A, m->body[body].com);
  vec3_cross(wc, k->W, c);
  vec3_sub(x, k->r, c);
  quat_from_matrix(x + 3, k->A);
  vec3_sub(x + 7, k->v, wc);
  vec3_copy(x + 10, k->W);
}

/* the same of the section at node k of a beam */
static void node_motion(const tn_model *m, const tni_kin *kin, const tni_beam *b, int k, double x[13]) {
  const tni_kin *body = &kin[b->node[k] + 1];
  double p[3], wp[3], Q[9];
  if (is_own_node(m, b, k)) {
    body_motion(m, kin, b->node[k], x);
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

static tn_status add_mesh(const tn_model *m, const tni_kin *kin, const tni_beam *b, tni_arena *arena,
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
    node_motion(m, kin, b, k, motion);
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
  *out = (tni_mesh_info){.name = b->name, .nnode = b->nnode, .ncell = b->nelement, .x = x, .cell = cell, .type = type,
                         .body = body};
  return TN_OK;
}

static tn_status add_beams(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  tni_at at = tni_at_state(&sim->at);
  TNI_ARENA_NEW(arena, out->mesh, m->nbeam + m->npart);
  out->nmesh = m->nbeam;
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    TN_TRY(add_mesh(m, tni_look_bodies(sim->s, &at), b, arena, &out->mesh[i]));
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
enum { LARGE = 2000, HUGE_MESH = 50000, MAX_CHOICE = 64 };

/* key `fields` or `groups`: a name or a list of them */
static int chosen_names(const tni_item *item, const char *key, const char *name[MAX_CHOICE]) {
  const tni_value *v = item ? tni_item_get(item, key) : NULL;
  int n = 0;
  if (v && v->form != TNI_LIST) name[n++] = v->text;
  for (int i = 0; v && v->form == TNI_LIST && i < v->n && n < MAX_CHOICE; i++) name[n++] = v->item[i].text;
  return n;
}

static bool has_field(const tni_part *p, const char *name) {
  for (int f = 0; f < p->nfield; f++)
    if (strcmp(p->field[f].name, name) == 0) return true;
  return false;
}

static bool has_group(const tni_mesh *m, const char *name) {
  for (int i = 0; i < m->nset; i++)
    if (strcmp(m->set[i].name, name) == 0) return true;
  return false;
}

/* names of all fields or groups of the model, each once, for hints */
static int known_names(const tn_model *m, bool groups, const char *known[MAX_CHOICE]) {
  int n = 0;
  for (int i = 0; i < m->npart; i++) {
    const tni_part *p = &m->part[i];
    for (int k = 0; k < (groups ? p->mesh->nset : p->nfield) && n < MAX_CHOICE; k++) {
      const char *name = groups ? p->mesh->set[k].name : p->field[k].name;
      int seen = 0;
      while (seen < n && strcmp(known[seen], name) != 0) seen++;
      if (seen == n) known[n++] = name;
    }
  }
  return n;
}

static tn_status refuse_name(const tn_model *m, const tni_item *item, bool groups, const char *name) {
  const char *known[MAX_CHOICE];
  tni_text all;
  int n = known_names(m, groups, known);
  tni_text_init(&all, m->ctx);
  for (int i = 0; i < n && i < 20; i++) tni_text_add(&all, "%s%s", i ? ", " : "", known[i]);
  if (n > 20) tni_text_add(&all, " and %d more", n - 20);
  tn_status st = tni_item_fail(m->ctx, item, groups ? "groups" : "fields", "no mesh has %s %s; there are %s%s",
                               groups ? "a group" : "a field", tni_show(name).s, all.s ? all.s : "none",
                               tni_hint_for(name, known, n).s);
  tni_text_free(&all);
  return st;
}

tn_status tni_record_check(const tn_model *m) {
  const tni_item *item = tni_spec_single(m->spec, "output");
  const char *name[MAX_CHOICE];
  static const char *const KEY[] = {"fields", "groups", "precision"};
  for (int k = 0; k < TNI_COUNT(KEY) && m->npart == 0; k++)
    if (item && tni_item_has(item, KEY[k]))
      return tni_item_fail(m->ctx, item, KEY[k], "%s is about meshes, and the model has no structures", KEY[k]);
  for (int groups = 0; groups < 2; groups++) {
    int n = chosen_names(item, KEY[groups], name);
    for (int k = 0; k < n; k++) {
      bool found = false;
      for (int i = 0; i < m->npart && !found; i++)
        found = groups ? has_group(m->part[i].mesh, name[k]) : has_field(&m->part[i], name[k]);
      if (!found) return refuse_name(m, item, groups, name[k]);
    }
  }
  return TN_OK;
}

/* What is stored of a structure. Of chosen groups: their nodes, the cells between them, and the faces of groups of faces as
 * cells; *place [nnode of the mesh]: node as it is stored, -1: not stored, NULL: all are. */
static tn_status choose_nodes(const tn_model *m, const tni_part *p, tni_arena *arena, tni_stored *out, int **place) {
  const char *name[MAX_CHOICE];
  const tni_mesh *mesh = p->mesh;
  int n = chosen_names(tni_spec_single(m->spec, "output"), "groups", name), *list;
  *place = NULL;
  out->nnode = mesh->nnode;
  if (n == 0) return TN_OK;
  TNI_ARENA_NEW(arena, *place, mesh->nnode);
  for (int k = 0; k < n; k++) {
    int count;
    const int *node;
    TN_TRY(tni_mesh_group(mesh, name[k], arena, &count, &node));
    for (int i = 0; i < count; i++) (*place)[node[i]] = 1;
  }
  out->nnode = 0;
  for (int i = 0; i < mesh->nnode; i++) out->nnode += (*place)[i];
  TNI_ARENA_NEW(arena, list, out->nnode);
  for (int i = 0, k = 0; i < mesh->nnode; i++) {
    bool in = (*place)[i] != 0;
    (*place)[i] = in ? k : -1;
    if (in) list[k++] = i;
  }
  out->node = list;
  return TN_OK;
}

static bool all_stored(const int *place, const int *node, int n) {
  bool all = true;
  for (int a = 0; a < n && place; a++) all = all && place[node[a]] >= 0;
  return all;
}

/* write: into cell and type, else only count */
static void take_cells(const tn_model *m, const tni_mesh *mesh, const int *place, bool write, int *cell, unsigned char *type,
                       int *ncell, int *nconnect) {
  const char *name[MAX_CHOICE];
  int n = place ? chosen_names(tni_spec_single(m->spec, "output"), "groups", name) : 0;
  *ncell = *nconnect = 0;
  for (int i = 0; i < mesh->ncell; i++) {
    const tni_cell_shape *shape;
    const int *node = tni_mesh_nodes(mesh, i, &shape);
    if (!all_stored(place, node, shape->nnode)) continue;
    for (int a = 0; a < shape->nnode && write; a++) cell[*nconnect + a] = place ? place[node[a]] : node[a];
    if (write) type[*ncell] = (unsigned char)shape->vtk;
    *nconnect += shape->nnode;
    ++*ncell;
  }
  for (int k = 0; k < n; k++) {
    const tni_mesh_set *set = tni_mesh_find_set(mesh, name[k], TNI_SET_FACES);
    for (int i = 0; set && i < set->n; i++) {
      const tni_cell_shape *shape;
      const int *all = tni_mesh_nodes(mesh, set->member[i], &shape);
      int node[TNI_CELL_MAXFACENODE];
      if (all_stored(place, all, shape->nnode)) continue; /* the cell is there itself */
      shape = tni_mesh_face(mesh, set->member[i], set->face[i], node);
      for (int a = 0; a < shape->nnode && write; a++) cell[*nconnect + a] = place[node[a]];
      if (write) type[*ncell] = (unsigned char)shape->vtk;
      *nconnect += shape->nnode;
      ++*ncell;
    }
  }
}

/* every group that has stored nodes, each name once */
static tn_status name_groups(const tni_mesh *mesh, const int *place, tni_arena *arena, tni_mesh_info *out) {
  const char **name;
  int *first, *node = NULL, total = 0;
  TNI_ARENA_NEW(arena, name, mesh->nset);
  TNI_ARENA_NEW(arena, first, mesh->nset + 1);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) TNI_ARENA_NEW(arena, node, total);
    out->ngroup = total = 0;
    for (int i = 0; i < mesh->nset; i++) {
      int seen = 0, n, begin = total;
      const int *member;
      while (seen < i && strcmp(mesh->set[seen].name, mesh->set[i].name) != 0) seen++;
      if (seen < i) continue;
      TN_TRY(tni_mesh_group(mesh, mesh->set[i].name, arena, &n, &member));
      for (int k = 0; k < n; k++) {
        int at = place ? place[member[k]] : member[k];
        if (at < 0) continue;
        if (pass == 1) node[total] = at;
        total++;
      }
      if (total == begin) continue;
      name[out->ngroup] = mesh->set[i].name;
      first[out->ngroup++] = begin;
    }
    first[out->ngroup] = total;
    out->group_node = node;
  }
  out->group = name;
  out->group_first = first;
  return TN_OK;
}

static tn_status describe_mesh(const tn_model *m, const tni_part *p, const int *place, const tni_stored *stored,
                               tni_arena *arena, tni_mesh_info *out) {
  const tni_mesh *mesh = p->mesh;
  int ncell, nconnect, *cell;
  unsigned char *type;
  double *x = mesh->x;
  tn_gid *gid = mesh->gid;
  take_cells(m, mesh, place, false, NULL, NULL, &ncell, &nconnect);
  TNI_ARENA_NEW(arena, cell, nconnect);
  TNI_ARENA_NEW(arena, type, ncell);
  take_cells(m, mesh, place, true, cell, type, &ncell, &nconnect);
  if (place) {
    TNI_ARENA_NEW(arena, x, 3*(size_t)stored->nnode);
    TNI_ARENA_NEW(arena, gid, stored->nnode);
    for (int i = 0; i < stored->nnode; i++) {
      vec3_copy(x + 3*(size_t)i, mesh->x + 3*(size_t)stored->node[i]);
      gid[i] = mesh->gid[stored->node[i]];
    }
  }
  *out = (tni_mesh_info){.name = p->name, .nnode = stored->nnode, .ncell = ncell, .x = x, .cell = cell, .type = type,
                         .gid = gid};
  return name_groups(mesh, place, arena, out);
}

static tn_status add_structures(const tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tn_model *m = sim->model;
  const tni_item *item = tni_spec_single(m->spec, "output");
  const char *name[MAX_CHOICE], *precision = item ? tni_item_text(item, "precision", "auto") : "auto";
  int nname = chosen_names(item, "fields", name), **place;
  long nnode = 0;
  TN_TRY(tni_record_check(m));
  TNI_ARENA_NEW(arena, out->stored, m->npart);
  TNI_ARENA_NEW(arena, place, m->npart);
  for (int i = 0; i < m->npart; i++) {
    TN_TRY(choose_nodes(m, &m->part[i], arena, &out->stored[i], &place[i]));
    nnode += out->stored[i].nnode;
  }
  bool single = strcmp(precision, "single") == 0 || (strcmp(precision, "auto") == 0 && nnode > HUGE_MESH);
  size_t scratch = 0;
  for (int i = 0; i < m->npart; i++) {
    const tni_part *p = &m->part[i];
    tni_stored *s = &out->stored[i];
    if (s->nnode == 0) continue;
    TN_TRY(describe_mesh(m, p, place[i], s, arena, &out->mesh[out->nmesh]));
    TNI_ARENA_NEW(arena, s->field, p->nfield);
    for (int f = 0; f < p->nfield; f++) {
      const tni_part_field *field = &p->field[f];
      int k = 0;
      while (k < nname && strcmp(name[k], field->name) != 0) k++;
      if (nname > 0 && k == nname) continue;
      if (place[i] && field->cells) continue; /* cells of a part of a mesh are others */
      s->field[s->nfield++] = f;
      size_t whole = (size_t)(field->cells ? p->mesh->ncell : p->mesh->nnode)*(size_t)field->ncomponent;
      if (place[i] && whole > scratch) scratch = whole;
      TN_TRY(add_field(arena, out, (tni_field){out->nmesh, field->name, field->cells, field->ncomponent, field->component,
                                               field->unit, "ground", field->note, 0, single || nnode > LARGE, single}));
    }
    if (s->nfield > 0) out->nmesh++;
  }
  TNI_ARENA_NEW(arena, out->scratch, scratch);
  return TN_OK;
}

/* nodes of a structure that are stored, as its pieces have them */
static tn_status share_nodes(const tni_part_piece *x, const tni_stored *s, int rank, tni_arena *arena, tni_crew_share *out) {
  int *owner, *local, n = 0;
  TNI_ARENA_NEW(arena, owner, s->nnode);
  for (int i = 0; i < s->nnode; i++) n += (owner[i] = x->node_owner[s->node ? s->node[i] : i]) == rank;
  TNI_ARENA_NEW(arena, local, n);
  for (int i = 0, k = 0, l = 0; i < s->nnode; i++) { /* both ascend */
    if (owner[i] != rank) continue;
    while (x->node[l] < (s->node ? s->node[i] : i)) l++;
    local[k++] = l;
  }
  *out = (tni_crew_share){owner, local};
  return TN_OK;
}

/* fields apart of structures that several ranks move; all of them or none are apart */
static tn_status share_structures(tn_sim *sim, tni_arena *arena, tni_record *out) {
  const tni_pieces *p = tni_central_pieces(sim->it);
  size_t most = 0;
  int n = 0;
  if (!p || out->nfield == 0 || !out->field[0].apart) return TN_OK;
  TNI_ARENA_NEW(arena, out->share, out->nfield);
  TNI_ARENA_NEW(arena, out->part, out->nfield);
  TNI_ARENA_NEW(arena, out->part_field, out->nfield);
  for (int i = 0; i < sim->model->npart; i++) {
    const tni_stored *s = &out->stored[i];
    tni_crew_share share = {NULL, NULL};
    if (s->nfield > 0) TN_TRY(share_nodes(&p->piece[i], s, p->comm->rank, arena, &share));
    for (int k = 0; k < s->nfield; k++, n++) {
      size_t size = (size_t)p->piece[i].nnode*(size_t)sim->model->part[i].field[s->field[k]].ncomponent;
      out->share[n] = share;
      out->part[n] = i;
      out->part_field[n] = s->field[k];
      if (size > most) most = size;
    }
  }
  TNI_ARENA_NEW(arena, out->piece, most);
  return TN_OK;
}

static double *fill_structures(tni_data *s, const tni_record *rec, double *x) {
  for (int i = 0; s->parts && i < s->parts->n; i++) {
    const tni_part *p = &s->parts->part[i];
    const tni_stored *stored = &rec->stored[i];
    tni_part_at at = tni_parts_at(s, i);
    for (int k = 0; k < stored->nfield; k++) {
      const tni_part_field *field = &p->field[stored->field[k]];
      size_t each = (size_t)field->ncomponent;
      p->ops->fill(p, s->parts->work[i], &at, stored->field[k], stored->node ? rec->scratch : x);
      for (int n = 0; stored->node && n < stored->nnode; n++)
        memcpy(x + (size_t)n*each, rec->scratch + (size_t)stored->node[n]*each, each*sizeof(double));
      x += (size_t)(field->cells ? p->mesh->ncell : stored->nnode)*each;
    }
  }
  return x;
}

tn_status tni_record_create(tn_sim *sim, tni_arena *arena, tni_record *out) {
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
  if (sim->set.analysis->channels) {
    const tni_channel *more;
    int n;
    TN_TRY(sim->set.analysis->channels(sim, arena, &n, &more));
    for (int i = 0; i < n; i++) TN_TRY(add(arena, out, more[i]));
  }
  out->ncolumn = out->nvalue;
  TN_TRY(add_beams(sim, arena, out));
  TN_TRY(add_structures(sim, arena, out));
  TNI_ARENA_NEW(arena, out->value, out->nvalue);
  TNI_ARENA_NEW(arena, out->apart, out->nfield);
  size_t at = (size_t)out->ncolumn;
  for (int i = 0, n = 0; i < out->nfield; i++) {
    const tni_field *f = &out->field[i];
    if (f->apart) out->apart[n++] = at;
    at += (size_t)(f->cells ? out->mesh[f->mesh].ncell : out->mesh[f->mesh].nnode)*(size_t)f->ncomponent;
  }
  return share_structures(sim, arena, out);
}

void tni_record_force(const tn_model *m, tni_data *s, const tni_at *at, int force, double load[6]) {
  const tni_kin *kin = tni_look_bodies(s, at);
  const tni_force_out *out = tni_look_forces(s, at);
  vec3_copy(load, out[force].f);
  mat3_vec(load + 3, kin[m->force[force].body[0] + 1].A, out[force].f + 3);
}

static double *fill_forces(const tn_model *m, tni_data *s, const tni_at *at, const tni_env *env, double *x) {
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->element || f->nbody == 0) continue;
    tni_record_force(m, s, at, i, x);
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
static double *fill_beam(const tn_model *m, const tni_env *env, const tni_beam *b, double *x) {
  int nq = nbeam(b), n = b->nnode;
  for (int k = 0; k < n; k++) {
    double motion[13], *to = x;
    node_motion(m, env->kin, b, k, motion);
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

/* channels and beams; where structures begin */
static double *fill_columns(tn_sim *sim, tni_record *rec) {
  const tn_model *m = sim->model;
  tni_data *s = sim->s;
  double *x = rec->value;
  tni_at at = tni_sim_at(sim);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  tni_env env = {sim->at.t, tni_look_bodies(s, &at), s->memory};
  for (int i = 0; i < rec->nplain; i++, x += 13) body_motion(m, env.kin, rec->plain[i], x);
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
  x = fill_forces(m, s, &at, &env, x);
  int n = tni_system_nsensor(s);
  if (n) memcpy(x, sim->sensor, (size_t)n*sizeof(double));
  x += n;
  double T = e.kinetic, D = sim->at.z[TNI_Z_DISSIPATED] + e.spent, W = sim->at.z[TNI_Z_INPUT];
  *x++ = T;
  *x++ = e.potential;
  *x++ = D;
  *x++ = W;
  *x++ = T + e.potential + tni_integrator_shift(sim->it, sim->at.t) - sim->energy0 + D - W;
  *x++ = sim->residuals.position;
  *x++ = sim->residuals.velocity;
  *x++ = sim->residuals.acceleration;
  if (sim->set.analysis->fill) sim->set.analysis->fill(sim, x);
  x = rec->value + rec->ncolumn;
  for (int i = 0; i < m->nbeam; i++) x = fill_beam(m, &env, &m->beam[i], x);
  return x;
}

void tni_record_fill(tn_sim *sim, tni_record *rec) {
  double *x = fill_columns(sim, rec);
  fill_structures(sim->s, rec, x);
}

void tni_record_fill_columns(tn_sim *sim, tni_record *rec) { fill_columns(sim, rec); }

void tni_record_fill_structures(tn_sim *sim, tni_record *rec) {
  if (rec->nfield > 0) fill_structures(sim->s, rec, rec->value + rec->apart[0]);
}

const double *tni_record_fill_piece(tn_sim *sim, tni_record *rec, int i) {
  tni_pieces *p = tni_central_pieces(sim->it);
  return tni_pieces_fill(p, rec->part[i], rec->part_field[i], i == 0 || rec->part[i] != rec->part[i-1], rec->piece) ? rec->piece : NULL;
}
