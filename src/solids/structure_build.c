/* solids/structure_build.c - sections meshes and structures of a model file -> parts of the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "mesh/skin.h"
#include "model/measures.h"
#include "solids/batch.h"
#include "solids/meshes.h"
#include "solids/reduce.h"
#include "solids/structure.h"
#include "solids/structure_keys.h"

static const char *const plane_words[] = {[TNI_PLANE_STRESS] = "stress", [TNI_PLANE_STRAIN] = "strain",
                                          [TNI_PLANE_AXISYMMETRIC] = "axisymmetric"};

static bool in_section(const tni_item *item, const char *name) { return strcmp(item->section->name, name) == 0; }

static const tni_value *hold_of(const tni_item *item) {
  const tni_value *v = in_section(item, "structures") ? tni_item_get(item, "hold") : NULL;
  return v && v->form == TNI_MAP ? v : NULL;
}

int tni_structure_nbody(const tni_item *item) {
  const tni_value *v = hold_of(item);
  return v ? v->n : 0;
}

/* ---- elements ------------------------------------------------------------------------------------ */

typedef struct {
  tni_builder *b;
  const tni_item *item;
  tni_structure *s;
  tni_part *part;
  int *material;        /* [ncell of the mesh] number of the material, -1: not part of it */
  int nmatter;
  tni_matter *matter;
  const tni_value **more;  /* [nmatter] what a group has of its own, NULL: nothing */
} maker;

/* what the cells of material k have of a key: in the map of materials, else in the structure */
static const tni_value *get_of(const maker *m, int k, const char *key) {
  for (int i = 0; m->more[k] && i < m->more[k]->n; i++)
    if (strcmp(m->more[k]->key[i], key) == 0) return &m->more[k]->item[i];
  return tni_item_get(m->item, key);
}

static double number_of(const maker *m, int k, const char *key, double fallback) {
  const tni_value *v = get_of(m, k, key);
  return v ? v->number : fallback;
}

/* material k by its name */
static tn_status read_matter(maker *m, const char *name, int k) {
  const tni_item *item = name ? tni_spec_find(m->b->spec, "materials", name) : NULL;
  if (!item)
    return tni_item_fail(m->b->ctx, m->item, "material", "no material %s; materials are written in the section "
                         "'materials'", tni_show(name ? name : "(none)").s);
  return tni_matter_read(m->b->ctx, m->b->arena, item, &m->matter[k]);
}

/* names of the groups of a mesh that have a kind, for messages */
static void list_groups(const tni_mesh *mesh, const tni_set_kind *kind, int nkind, char *out, size_t n) {
  size_t at = (size_t)snprintf(out, n, "it has ");
  int found = 0;
  for (int i = 0; i < mesh->nset; i++) {
    bool wanted = false, before = false;
    for (int k = 0; k < nkind; k++) wanted = wanted || mesh->set[i].kind == kind[k];
    for (int k = 0; k < i; k++) before = before || strcmp(mesh->set[k].name, mesh->set[i].name) == 0;
    if (!wanted || before || at >= n) continue;
    at += (size_t)snprintf(out + at, n - at, "%s%s", found++ ? ", " : "", mesh->set[i].name);
  }
  if (!found) snprintf(out, n, "it has no such groups");
}

static tn_status mark_cells(maker *m, const char *key, const char *group, int material) {
  static const tni_set_kind cells[] = {TNI_SET_CELLS};
  const tni_mesh *mesh = m->s->mesh;
  const tni_mesh_set *set = tni_mesh_find_set(mesh, group, TNI_SET_CELLS);
  if (!set) {
    char known[300];
    list_groups(mesh, cells, 1, known, sizeof(known));
    return tni_item_fail(m->b->ctx, m->item, key, "mesh '%s' has no group of cells %s; %s", mesh->name,
                         tni_show(group).s, known);
  }
  for (int i = 0; i < set->n; i++) m->material[set->member[i]] = material;
  return TN_OK;
}

static tn_status choose_cells(maker *m) {
  const tni_mesh *mesh = m->s->mesh;
  const tni_value *v = tni_item_get(m->item, "material");
  const char *cells = tni_item_text(m->item, "cells", NULL);
  int dim = 0;
  for (int i = 0; i < mesh->nblock; i++)
    if (tni_cell_of(mesh->block[i].cell)->dim > dim) dim = tni_cell_of(mesh->block[i].cell)->dim;
  m->nmatter = v->form == TNI_MAP ? v->n : 1;
  TNI_ARENA_NEW(m->b->arena, m->matter, m->nmatter);
  TNI_ARENA_NEW(m->b->arena, m->more, m->nmatter);
  TNI_ARENA_NEW(m->b->arena, m->material, mesh->ncell);
  for (int i = 0; i < mesh->ncell; i++) m->material[i] = -1;
  if (v->form == TNI_MAP) {
    if (cells)
      return tni_item_fail(m->b->ctx, m->item, "cells", "'cells' means nothing beside a map of materials");
    for (int k = 0; k < v->n; k++) {
      const char *name = v->item[k].text;
      if (v->item[k].form == TNI_MAP) {
        m->more[k] = &v->item[k];
        TN_TRY(tni_structure_check_group(m->b->ctx, m->item, v->key[k], m->more[k]));
        const tni_value *own = get_of(m, k, "material");
        name = own != v && own->form == TNI_TEXT ? own->text : NULL;
      }
      TN_TRY(read_matter(m, name, k));
      TN_TRY(mark_cells(m, "material", v->key[k], k));
    }
    return TN_OK;
  }
  TN_TRY(read_matter(m, v->text, 0));
  if (cells) return mark_cells(m, "cells", cells, 0);
  for (int i = 0; i < mesh->nblock; i++)
    for (int e = 0; e < mesh->block[i].n; e++)
      if (tni_cell_of(mesh->block[i].cell)->dim == dim) m->material[mesh->block[i].first + e] = 0;
  return TN_OK;
}

/* the element that is meant by a shape of cell in this model */
static tn_status find_type(const maker *m, tni_cell cell, bool beam, const tni_solid_type **type) {
  const tni_cell_shape *shape = tni_cell_of(cell);
  const char *name = shape->name;
  bool planar = m->b->model->planar;
  if (shape->dim == 1) name = cell == TNI_CELL_LINE2 ? beam ? "beam2" : "truss2" : "line3";
  else if (shape->dim == 2 && !planar) name = cell == TNI_CELL_QUAD4 ? "shell4" : cell == TNI_CELL_QUAD8 ? "shell8"
                                              : cell == TNI_CELL_TRI3 ? "shell3" : "shell6";
  *type = tni_solid_find(name);
  if (shape->dim == 3 && planar)
    return tni_item_fail(m->b->ctx, m->item, "mesh", "cells %s are solid; a planar model has plane ones", shape->name);
  if (!*type)
    return tni_item_fail(m->b->ctx, m->item, "mesh", "cells %s%s have no element here", shape->name,
                         shape->dim == 2 && !planar ? " as shells (plane structures need 'planar: true')" : "");
  return TN_OK;
}

/* central differences go with elements that are cheap to evaluate */
static bool takes_explicit_steps(const tni_builder *b) {
  const tni_item *a = tni_spec_single(b->spec, "analysis");
  return a && strcmp(tni_item_text(a, "method", "auto"), "central") == 0;
}

/* masses as they are for modes */
static bool moves_nothing(const tni_builder *b) {
  const char *type = tni_structure_analysis(b);
  return strcmp(type, "modes") == 0 || strcmp(type, "modal") == 0 || strcmp(type, "statics") == 0;
}

/* options of elements that labels of decks stand for */
static const char *option_of_label(const char *label) {
  static const char *const known[][2] = {{"C3D6", "reduced"}, {"C3D8", "full"}, {"C3D8I", "inc"}, {"C3D8R", "one"}, {"C3D20", "full"}, {"C3D20R", "reduced"},
                                         {"CPS4", "full"}, {"CPE4", "full"}, {"CAX4", "bbar"}, {"CPS8", "full"}, {"CPE8", "full"},
                                         {"CAX8", "full"}, {"CPS8R", "reduced"}, {"CPE8R", "reduced"}, {"CAX8R", "reduced"},
                                         {"CPS4I", "inc"}, {"CPE4I", "inc"}};
  for (int i = 0; label && i < TNI_COUNT(known); i++)
    if (strcmp(known[i][0], label) == 0) return known[i][1];
  return NULL;
}

static tn_status set_profile(maker *m, int material, const tni_value *section, tni_solid_kind *kind) {
  const tni_matter *matter = kind->matter;
  tni_profile *p;
  if (m->b->model->planar) return tni_item_fail(m->b->ctx, m->item, "section", "beams of meshes are for models in space");
  if (!matter->type->linear || matter->type == tni_matter_find("orthotropic"))
    return tni_item_fail(m->b->ctx, m->item, "material", "beams need a material of type elastic");
  if (strcmp(tni_item_text(m->item, "mass", "lumped"), "consistent") == 0 && get_of(m, material, "axes"))
    return tni_item_fail(m->b->ctx, m->item, "mass", "beams with 'axes' have lumped masses");
  const tni_isotropic *iso = matter->data;
  TNI_ARENA_NEW(m->b->arena, p, 1);
  TN_TRY(tni_profile_of_shape(m->b->ctx, m->item, section, iso->E, iso->nu, matter->density, p));
  kind->profile = p;
  return TN_OK;
}

static tn_status set_kind(maker *m, tni_cell cell, const char *label, int material, tni_solid_kind *kind) {
  const tni_item *item = m->item;
  const tni_value *how = get_of(m, material, "element");
  const char *word = how ? how->text : NULL;
  bool labelled = word && strcmp(word, "label") == 0;
  if (labelled) word = option_of_label(label);
  char why[200] = "";
  *kind = (tni_solid_kind){.matter = &m->matter[material], .large = m->s->large, .plane = m->s->plane,
                           .thickness = number_of(m, material, "thickness", m->s->thickness),
                           .area = number_of(m, material, "area", 0),
                           .hourglass = tni_item_number(item, "hourglass", 0), .thin_mass = labelled && moves_nothing(m->b),
                           .plain_modes = labelled && label && strcmp(label, "C3D8I") == 0};
  const tni_value *section = tni_cell_of(cell)->dim == 1 ? get_of(m, material, "section") : NULL;
  TN_TRY(find_type(m, cell, section != NULL, &kind->type));
  if (section) TN_TRY(set_profile(m, material, section, kind));
  const tni_solid_type *t = kind->type;
  /* beta K(u) v gives energy back where K is not definite, and to a body that only turns */
  if (kind->large && kind->matter->rayleigh[1] > 0)
    return tni_item_fail(m->b->ctx, item, "formulation", "formulation: large has no damping by stiffness (rayleigh: [alpha, beta] of "
                         "material '%s' has beta = %g s); use beta = 0, or formulation: small", kind->matter->name,
                         kind->matter->rayleigh[1]);
  if (tni_cell_of(cell)->dim == 1 && m->s->plane == TNI_PLANE_AXISYMMETRIC)
    return tni_item_fail(m->b->ctx, item, "plane", "bars (%s) are no bodies of revolution", t->name);
  if (tni_cell_of(cell)->dim == 1 && kind->area == 0 && !section)
    return tni_item_fail(m->b->ctx, item, "mesh", "bars need 'area', beams 'section'");
  if (tni_cell_of(cell)->dim == 2 && !m->b->model->planar && !get_of(m, material, "thickness"))
    return tni_item_fail(m->b->ctx, item, "mesh", "shells need 'thickness'");
  kind->option = t->usual ? t->usual(kind->matter, kind->large, takes_explicit_steps(m->b)) : 0;
  if (word) {
    int n = 0, found = -1;
    for (; t->option && t->option[n]; n++)
      if (strcmp(t->option[n], word) == 0) found = n;
    if (found < 0)
      return tni_item_fail(m->b->ctx, item, "element", "%s has no '%s'%s", t->name, word,
                           tni_hint_for(word, t->option, n).s);
    kind->option = found;
  }
  if (!t->prepare(kind, why, sizeof(why)))
    return tni_item_fail(m->b->ctx, item, word ? "element" : "material", "%s: %s", t->name, why);
  return TN_OK;
}

/* elements of one block of the mesh and one material */
static tn_status add_block(maker *m, const tni_mesh_block *mb, int material) {
  tni_structure *s = m->s;
  tni_structure_block *b = &s->block[s->nblock];
  int nn = tni_cell_of(mb->cell)->nnode, n = 0, *node, *cell;
  for (int e = 0; e < mb->n; e++) n += m->material[mb->first + e] == material;
  if (n == 0) return TN_OK;
  memset(b, 0, sizeof(*b));
  TN_TRY(set_kind(m, mb->cell, mb->label, material, &b->kind));
  TNI_ARENA_NEW(m->b->arena, cell, n);
  b->n = 0;
  if (n == mb->n) node = mb->node;
  else TNI_ARENA_NEW(m->b->arena, node, (size_t)n*(size_t)nn);
  for (int e = 0; e < mb->n; e++) {
    if (m->material[mb->first + e] != material) continue;
    if (n != mb->n)
      memcpy(node + (size_t)b->n*(size_t)nn, mb->node + (size_t)e*(size_t)nn, (size_t)nn*sizeof(int));
    cell[b->n++] = mb->first + e;
  }
  b->node = node;
  b->cell = cell;
  b->nnode = nn;
  b->nv = nn*b->kind.type->ndof;
  b->first = s->nelement;
  b->fe = s->nfe;
  b->state = m->part->nmemory;
  const tni_value *axes = get_of(m, material, "axes");
  if (axes) {
    double *R;
    TNI_ARENA_NEW(m->b->arena, R, 9);
    tni_value_rotation(axes, R);
    b->axes = R;
  }
  s->nelement += n;
  s->nfe += (size_t)n*(size_t)b->nv;
  double numbers = (double)n*b->kind.nstate;
  if (m->part->nmemory + numbers > 2e9)
    return tni_item_fail(m->b->ctx, m->item, "material", "the history of %d elements is too large", n);
  m->part->nmemory += (int)numbers;
  s->damped = s->damped || b->kind.matter->rayleigh[1] > 0;
  if (b->kind.type->ndof > s->ndof) s->ndof = b->kind.type->ndof;
  s->nblock++;
  return TN_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

static const double SMALL_JACOBIAN = 0;

/* masses by the lumped matrices of the elements; history at rest; refuses elements that are inside out */
static tn_status weigh(maker *m) {
  tni_structure *s = m->s;
  const tni_mesh *mesh = s->mesh;
  signed char *active;
  double *alpha, M[TNI_SOLID_MAXDOF], X[3*TNI_SOLID_MAXNODE];
  TNI_ARENA_NEW(m->b->arena, active, s->nnode);
  TNI_ARENA_NEW(m->b->arena, s->mass, s->nnode);
  TNI_ARENA_NEW(m->b->arena, alpha, s->nnode);
  TNI_ARENA_NEW(m->b->arena, s->own_mass, s->nnode);
  if (s->ndof == 6) {
    TNI_ARENA_NEW(m->b->arena, s->turning, s->nnode);
    TNI_ARENA_NEW(m->b->arena, s->own_turning, s->nnode);
  }
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int own = b->kind.type->ndof;
    for (int e = 0; e < b->n; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      for (int a = 0; a < b->nnode; a++) vec3_copy(X + 3*a, mesh->x + 3*(size_t)node[a]);
      double volume = tni_solid_volume(&b->kind, X, NULL);
      if (!(volume > SMALL_JACOBIAN))
        return tni_item_fail(m->b->ctx, m->item, "mesh", "element %lld (%s) of mesh '%s' has volume %g m^3, must be > 0: "
                             "its nodes are in the wrong order or too far out of place",
                             (long long)tni_mesh_cell_gid(mesh, b->cell[e]), b->kind.type->name, mesh->name, volume);
      s->volume += volume;
      b->kind.type->mass(&b->kind, X, true, M);
      for (int a = 0; a < b->nnode; a++) {
        if (own > active[node[a]]) active[node[a]] = (signed char)own;
        s->mass[node[a]] += M[own*a];
        alpha[node[a]] += b->kind.matter->rayleigh[0]*M[own*a];
        if (own == 6) s->turning[node[a]] += M[own*a + 3];
        s->total_mass += M[own*a];
      }
      if (b->kind.nstate && b->kind.type->begin)
        b->kind.type->begin(&b->kind, X, b->axes, m->b->model->memory0 + m->part->memory + b->state +
                                                      (size_t)e*(size_t)b->kind.nstate);
    }
  }
  for (int i = 0; i < s->nnode; i++) {
    if (s->mass[i] > 0) alpha[i] /= s->mass[i];
    if (alpha[i] > 0) s->alpha = alpha;
  }
  TN_TRY(tni_couplings_activate(m->b, m->part, s, active));
  TN_TRY(tni_structure_nodes(m->b, m->part, s, active));
  /* what masses at nodes add is not damped */
  for (int i = 0; i < s->nnode && s->alpha; i++)
    if (s->mass[i] > 0) alpha[i] *= (s->mass[i] - s->own_mass[i])/s->mass[i];
  s->active = active;
  return TN_OK;
}

/* what gravity finds at a node of consistent masses: the sum of its row */
static tn_status set_weights(maker *m) {
  tni_structure *s = m->s;
  double *ones, *y, *weight;
  size_t d = (size_t)s->ndof;
  s->weight = s->mass;
  if (!s->consistent) return TN_OK;
  TNI_ARENA_NEW(m->b->arena, weight, s->nnode);
  TNI_ARENA_NEW(m->b->arena, ones, (size_t)s->nnode*d);
  TNI_ARENA_NEW(m->b->arena, y, (size_t)s->nnode*d);
  for (int i = 0; i < s->nnode; i++) ones[(size_t)i*d] = 1;
  tni_structure_apply_mass(s, false, 1, ones, y);
  for (int i = 0; i < s->nnode; i++) weight[i] = y[(size_t)i*d] + s->own_mass[i];
  s->weight = weight;
  return TN_OK;
}

/* ---- nodes held by bodies --------------------------------------------------------------------------- */

/* three nodes that are not on a line, or one with rotations: else the body may turn without them */
static bool spans(const tni_structure *s, int n, const int *node, bool planar) {
  const double *x = s->mesh->x, *x0 = x + 3*(size_t)node[0];
  double far = 0, d[3] = {0}, wide = 0;
  for (int i = 0; i < n; i++)
    if (s->active[node[i]] == 6) return true;
  for (int i = 1; i < n; i++) {
    double e[3];
    vec3_sub(e, x + 3*(size_t)node[i], x0);
    if (vec3_norm(e) > far) far = vec3_norm(e), vec3_copy(d, e);
  }
  if (planar || !(far > 0)) return far > 0;
  for (int i = 1; i < n; i++) {
    double e[3], c[3];
    vec3_sub(e, x + 3*(size_t)node[i], x0);
    vec3_cross(c, d, e);
    wide = fmax(wide, vec3_norm(c)/far);
  }
  return wide > 1e-6*far;
}

static tn_status new_holder(maker *m, const char *name, int n, const int *node, int *body) {
  tn_model *model = m->b->model;
  const tni_structure *s = m->s;
  tni_body *o = &model->body[model->nbody];
  double middle[3] = {0}, com[3] = {0}, mass = 0;
  memset(o, 0, sizeof(*o));
  for (int i = 0; i < n; i++) {
    const double *x = s->mesh->x + 3*(size_t)node[i];
    vec3_addmul(middle, 1.0/n, x);
    vec3_addmul(com, s->mass[node[i]], x);
    mass += s->mass[node[i]];
  }
  if (!(mass > 0))
    return tni_item_fail(m->b->ctx, m->item, "hold", "the nodes that '%s' holds have no mass: give the material a density", name);
  vec3_scale(com, 1/mass, com);
  for (int i = 0; i < n; i++) {
    double d[3], mi = s->mass[node[i]], dd;
    vec3_sub(d, s->mesh->x + 3*(size_t)node[i], com);
    dd = vec3_dot(d, d);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) o->I[3*r + c] += mi*((r == c)*dd - d[r]*d[c]);
    for (int r = 0; r < 3 && s->turning; r++) o->I[4*r] += s->turning[node[i]];
  }
  if (model->planar) {
    double Iz = o->I[8];
    memset(o->I, 0, sizeof(o->I));
    o->I[0] = o->I[4] = o->I[8] = Iz;
  }
  o->name = name;
  o->item = m->item;
  o->mass = mass;
  mat3_inverse(o->Iinv, o->I);
  vec3_sub(o->com, com, middle);
  vec3_copy(o->r0, com);
  o->p0[0] = 1;
  o->hold_position = o->hold_velocity = 1;
  o->wrote[TNI_AT] = o->wrote[TNI_TURN] = true;
  double v[3] = {0}, w[3] = {0}, x[3];
  bool moves = tni_item_vec3(m->item, "velocity", v);
  moves = tni_item_vec3(m->item, "angular_velocity", w) || moves;
  vec3_cross(x, w, com);
  vec3_add(o->v0, v, x);
  vec3_copy(o->w0, w);
  o->wrote[TNI_VELOCITY] = o->wrote[TNI_SPIN] = moves;
  o->follows[0] = o->follows[1] = !moves;
  *body = model->nbody++;
  return TN_OK;
}

static tn_status hold_nodes(maker *m) {
  const tni_value *v = tni_item_get(m->item, "hold");
  tni_structure *s = m->s;
  tn_model *model = m->b->model;
  int *carrier, nc = 0;
  TNI_ARENA_NEW(m->b->arena, s->carrier, s->nnode);
  for (int i = 0; i < s->nnode; i++) s->carrier[i] = TNI_NOT_CARRIED;
  if (!v) return TN_OK;
  if (v->form != TNI_MAP)
    return tni_item_fail(m->b->ctx, m->item, "hold", "hold must be a map {body: group, ...}");
  TNI_ARENA_NEW(m->b->arena, carrier, v->n);
  for (int k = 0; k < v->n; k++) {
    int n, body = TNI_GROUND;
    const int *node;
    if (v->item[k].form != TNI_TEXT)
      return tni_item_fail(m->b->ctx, m->item, "hold", "hold: '%s' must be the name of a group of nodes", v->key[k]);
    TN_TRY(tni_structure_group(m->b, m->item, s, v->item[k].text, &n, &node));
    bool ground = strcmp(v->key[k], "ground") == 0;
    if (!ground && !spans(s, n, node, model->planar))
      return tni_item_fail(m->b->ctx, m->item, "hold", "the %d nodes of group '%s' lie on a line or in a point: a body "
                           "fixed to them could turn freely; hold at least three that do not", n, v->item[k].text);
    for (int i = 0; i < model->nbody && !ground && body == TNI_GROUND; i++)
      if (strcmp(model->body[i].name, v->key[k]) == 0) body = i;
    if (!ground && body == TNI_GROUND) {
      TN_TRY(tni_name_check(m->b->ctx, v->item[k].at, m->item->section, v->key[k]));
      TN_TRY(new_holder(m, v->key[k], n, node, &body));
    } else if (!ground) {
      for (int i = 0; i < n; i++) {
        tni_frame f;
        double J[3] = {0, 0, 0};
        mat3_identity(f.R);
        for (int c = 0; c < 3 && s->turning; c++) J[c] = s->turning[node[i]];
        tni_build_to_body(m->b, body, s->mesh->x + 3*(size_t)node[i], f.p);
        tni_build_add_mass(m->b, body, &f, s->mass[node[i]], J);
      }
    }
    int place = TNI_STRUCTURE_GROUND;
    if (!ground) {
      for (place = 0; place < nc && carrier[place] != body; place++) {}
      if (place == nc) carrier[nc++] = body;
    }
    for (int i = 0; i < n; i++) {
      if (s->carrier[node[i]] != TNI_NOT_CARRIED && s->carrier[node[i]] != place)
        return tni_item_fail(m->b->ctx, m->item, "hold", "node %lld is in group '%s' and held by another body too",
                             (long long)s->mesh->gid[node[i]], v->item[k].text);
      s->carrier[node[i]] = place;
    }
  }
  m->part->carrier = carrier;
  m->part->ncarrier = nc;
  return TN_OK;
}

/* arms in the bodies, once their centres of mass stay where they are */
static tn_status set_arms(tni_builder *b, const tni_part *part, tni_structure *s) {
  TNI_ARENA_NEW(b->arena, s->arm, 3*(size_t)s->nnode);
  for (int i = 0; i < s->nnode; i++)
    if (s->carrier[i] >= 0)
      tni_build_to_body(b, part->carrier[s->carrier[i]], s->mesh->x + 3*(size_t)i, s->arm + 3*(size_t)i);
  TNI_ARENA_NEW(b->arena, s->attitude, 9*(size_t)part->ncarrier);
  for (int k = 0; k < part->ncarrier; k++) {
    tni_kin kin;
    tni_build_pose(b, part->carrier[k], &kin);
    memcpy(s->attitude + 9*k, kin.A, 9*sizeof(double));
  }
  return TN_OK;
}

/* ---- unknowns ---------------------------------------------------------------------------------------- */

static tn_status number(maker *m) {
  tni_structure *s = m->s;
  tni_part *p = m->part;
  tni_arena *arena = m->b->arena;
  size_t d = (size_t)s->ndof;
  int *vadr;
  signed char *role;
  double *mass, *u0, *v0;
  TNI_ARENA_NEW(arena, s->own, s->nnode);
  int n = 0, nv = 0;
  for (int i = 0; i < s->nnode; i++) {
    int first = nv;
    for (int c = 0; c < s->ndof; c++) {
      int *u = &s->unknown[(size_t)i*d + (size_t)c];
      if (c >= s->active[i] || s->carrier[i] != TNI_NOT_CARRIED) *u = TNI_UNKNOWN_NONE;
      if (*u != TNI_UNKNOWN_NONE) *u = nv++;
    }
    s->own[i] = nv > first ? n++ : -1;
  }
  if (nv == 0)
    return tni_item_fail(m->b->ctx, m->item, NULL, "no node of it can move: all are held");
  TNI_ARENA_NEW(arena, vadr, n + 1);
  TNI_ARENA_NEW(arena, role, nv);
  TNI_ARENA_NEW(arena, mass, nv);
  TNI_ARENA_NEW(arena, u0, nv);
  TNI_ARENA_NEW(arena, v0, nv);
  double v[3] = {0}, w[3] = {0};
  tni_item_vec3(m->item, "velocity", v);
  tni_item_vec3(m->item, "angular_velocity", w);
  for (int i = 0; i < s->nnode; i++) {
    double x[3], vi[6];
    vec3_cross(x, w, s->mesh->x + 3*(size_t)i);
    vec3_add(vi, v, x);
    vec3_copy(vi + 3, w);
    for (int c = 0; c < s->ndof; c++) {
      int k = s->unknown[(size_t)i*d + (size_t)c];
      if (k < 0) continue;
      vadr[s->own[i] + 1] = k + 1;
      role[k] = (signed char)c;
      mass[k] = c < 3 ? s->mass[i] : s->turning[i]; /* the diagonal where masses are coupled: structure_mass.c */
      v0[k] = vi[c];
    }
  }
  p->nnode = n;
  p->nv = nv;
  p->vadr = vadr;
  p->role = role;
  p->mass = mass;
  p->u0 = u0;
  p->v0 = v0;
  return TN_OK;
}

/* with mass: consistent the power of supports that move cannot be told from forces alone, nor can bodies take masses */
static tn_status refuse_moving_masses(maker *m) {
  const tni_structure *s = m->s;
  bool in_time = tni_structure_in_time(m->b);
  if (!s->consistent) return TN_OK;
  if (m->part->ncarrier > 0)
    return tni_item_fail(m->b->ctx, m->item, "mass", "nodes that bodies hold need mass: lumped");
  for (int i = 0; i < s->nmotion && in_time; i++)
    if (s->motion[i].x[1])
      return tni_item_fail(m->b->ctx, m->item, "mass", "supports that move in time (node %lld) need mass: lumped",
                           (long long)s->mesh->gid[s->motion[i].node]);
  return TN_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static tn_status read_structure(maker *m) {
  tni_builder *b = m->b;
  tni_structure *s = m->s;
  const tni_item *item = m->item;
  const char *plane = tni_item_text(item, "plane", NULL);
  TN_TRY(tni_mesh_of(b, item, "mesh", tni_item_text(item, "mesh", ""), &s->mesh));
  s->ctx = b->ctx;
  s->planar = b->model->planar;
  /* a reduced body is linear in axes that turn with it */
  s->large = !tni_reduce_wanted(item) && strcmp(tni_item_text(item, "formulation", "small"), "large") == 0;
  s->heat = -1;
  if (s->planar) s->plane = TNI_PLANE_STRESS;
  else if (plane) return tni_item_fail(b->ctx, item, "plane", "'plane' is for models with 'planar: true'");
  for (int i = TNI_PLANE_STRESS; plane && i <= TNI_PLANE_AXISYMMETRIC; i++)
    if (strcmp(plane, plane_words[i]) == 0) s->plane = (tni_plane)i;
  if (s->plane == TNI_PLANE_AXISYMMETRIC && b->model->gravity[0] != 0)
    return tni_item_fail(b->ctx, item, "plane", "gravity has x component %g m/s^2: that of an axisymmetric structure acts along its axis, y",
                         b->model->gravity[0]);
  s->thickness = tni_item_number(item, "thickness", 1);
  s->nnode = s->mesh->nnode;
  vec3_copy(s->gravity, b->model->gravity);
  for (int i = 0; i < s->nnode && s->planar; i++)
    if (fabs(s->mesh->x[3*(size_t)i + 2]) > 1e-12)
      return tni_item_fail(b->ctx, item, "mesh", "node %lld has z = %g m, must be 0 in a planar model",
                           (long long)s->mesh->gid[i], s->mesh->x[3*(size_t)i + 2]);
  TN_TRY(choose_cells(m));
  TNI_ARENA_NEW(b->arena, s->block, (size_t)s->mesh->nblock*(size_t)m->nmatter);
  for (int i = 0; i < s->mesh->nblock; i++)
    for (int k = 0; k < m->nmatter; k++) TN_TRY(add_block(m, &s->mesh->block[i], k));
  if (s->nelement == 0) return tni_item_fail(b->ctx, item, "mesh", "mesh '%s' has no cells for it", s->mesh->name);
  TN_TRY(tni_structure_check_keys(b, item, s, m->matter));
  if (m->part->nmemory > 0) s->heat = m->part->nmemory++;
  s->turns = -1;
  for (int k = 0; k < s->nblock && s->large; k++)
    if (s->block[k].kind.type->ndof == 6) s->turns = m->part->nmemory;
  if (s->turns >= 0 && (double)m->part->nmemory + 7.0*s->nnode > 2e9)
    return tni_item_fail(b->ctx, item, "mesh", "the rotations of %d nodes are too many", s->nnode);
  if (s->turns >= 0) m->part->nmemory += 7*s->nnode;
  if (m->part->nmemory > 0) TN_TRY(tni_build_memory_block(b, m->part->nmemory, &m->part->memory));
  for (int i = 0; i < s->nnode && s->turns >= 0; i++)
    b->model->memory0[m->part->memory + s->turns + 7*i + 3] = 1;
  return tni_structure_directors(b, s);
}

/* what is asked for and cannot do anything: a key of the material has been forgotten */
static void warn_of_nothing(tni_builder *b, const tni_item *item, const tni_structure *s) {
  const char *what = NULL, *key = "density";
  bool expands = false;
  for (int i = 0; i < s->nblock; i++) expands = expands || s->block[i].kind.matter->expansion != 0;
  if (s->temperature && !expands) what = "temperatures do", key = "expansion";
  if (vec3_norm(s->gravity) > 0 && !tni_structure_has_mass(s)) what = "gravity does", key = "density";
  if (what)
    tni_log(b->ctx, TN_LOG_WARNING, "%s:%d: structure '%s': %s nothing, because no material of it has '%s'", item->at.file, item->at.line, item->name,
            what, key);
}

/* nodes, once all structures have their elements */
static tn_status prepare_nodes(maker *m) {
  tni_builder *b = m->b;
  tni_structure *s = m->s;
  const tni_item *item = m->item;
  s->consistent = strcmp(tni_item_text(item, "mass", "lumped"), "consistent") == 0;
  if (s->consistent && takes_explicit_steps(b))
    return tni_item_fail(b->ctx, item, "mass", "method: central needs mass: lumped");
  if (!s->planar && tni_couplings_turn(b)) s->ndof = 6;
  TN_TRY(weigh(m));
  TN_TRY(set_weights(m));
  double T = tni_item_number(item, "temperature", 0);
  if (T != 0 || s->nheat > 0) {
    double *warm;
    TNI_ARENA_NEW(b->arena, warm, s->nnode);
    for (int i = 0; i < s->nnode; i++) warm[i] = T;
    s->temperature = warm;
  }
  for (int i = 0; i < s->nblock; i++) {
    const tni_solid_batch *batch = s->block[i].kind.type->batch;
    s->block[i].batched = batch && s->ndof == 3 && s->block[i].kind.matter->rayleigh[1] == 0 && !s->block[i].axes &&
                          !s->temperature && !tni_item_has(item, "bulk_viscosity") && batch->serves(&s->block[i].kind);
  }
  TN_TRY(tni_structure_read_viscosity(b, item, s, takes_explicit_steps(b)));
  if (tni_item_has(item, "mass_scaling")) {
    if (!takes_explicit_steps(b))
      return tni_item_fail(b->ctx, item, "mass_scaling", "masses are scaled for method: central only; write it into 'analysis', or leave this away");
    if (tni_item_has(item, "hold"))
      return tni_item_fail(b->ctx, item, "mass_scaling", "bodies that hold nodes would weigh more: mass_scaling and 'hold' do not go together");
    TN_TRY(tni_structure_scale_masses(b, m->part, s, tni_item_number(item, "mass_scaling", 0)));
  }
  TN_TRY(tni_structure_warn_of_rows(b, item, s));
  warn_of_nothing(b, item, s);
  TN_TRY(tni_structure_list_places(s, b->arena));
  TNI_ARENA_NEW(b->arena, s->unknown, (size_t)s->nnode*(size_t)s->ndof);
  TN_TRY(hold_nodes(m));
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < s->nnode; i++)
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], s->mesh->x[3*(size_t)i + (size_t)c]);
      high[c] = fmax(high[c], s->mesh->x[3*(size_t)i + (size_t)c]);
    }
  for (int c = 0; c < 3; c++) m->part->size = fmax(m->part->size, high[c] - low[c]);
  return TN_OK;
}

bool tni_structure_makes_body(const tn_spec *spec, const char *name) {
  for (int i = 0; i < spec->nitem; i++) {
    const tni_value *v = hold_of(spec->item[i]);
    for (int k = 0; v && k < v->n; k++)
      if (strcmp(v->key[k], name) == 0) return !tni_spec_find(spec, "bodies", name);
  }
  return false;
}

tn_status tni_structures_begin(tni_builder *b) {
  const tn_spec *spec = b->spec;
  tn_model *model = b->model;
  int n = 0;
  for (int i = 0; i < spec->nitem; i++) n += in_section(spec->item[i], "structures");
  if (n == 0) {
    for (int i = 0; i < spec->nitem; i++)
      if (in_section(spec->item[i], "supports") || in_section(spec->item[i], "loads") || in_section(spec->item[i], "couplings") ||
          in_section(spec->item[i], "nodes"))
        return tni_item_fail(b->ctx, spec->item[i], NULL, "there is no structure that it could act on");
    return TN_OK;
  }
  maker *m;
  TNI_ARENA_NEW(b->arena, model->part, n);
  TNI_ARENA_NEW(b->arena, m, n);
  for (int i = 0; i < spec->nitem; i++) {
    if (!in_section(spec->item[i], "structures")) continue;
    tni_structure *s;
    TNI_ARENA_NEW(b->arena, s, 1);
    tni_part *p = &model->part[model->npart];
    maker *k = &m[model->npart++];
    *p = (tni_part){.name = spec->item[i]->name, .item = spec->item[i], .ops = &tni_structure_ops, .data = s};
    *k = (maker){.b = b, .item = spec->item[i], .s = s, .part = p};
    TN_TRY(read_structure(k));
    p->mesh = s->mesh;
  }
  for (int i = 0; i < n; i++) TN_TRY(prepare_nodes(&m[i]));
  b->structures = m;
  return TN_OK;
}

tn_status tni_structures_finish(tni_builder *b) {
  maker *m = b->structures;
  int n = m ? b->model->npart : 0;
  for (int i = 0; i < n; i++) TN_TRY(set_arms(b, m[i].part, m[i].s));
  for (int i = 0; i < n; i++) {
    TN_TRY(tni_structure_supports(b, m[i].part, m[i].s));
    TN_TRY(refuse_moving_masses(&m[i]));
    TN_TRY(tni_structure_couplings(b, m[i].part, m[i].s));
    if (m[i].s->turns >= 0 && m[i].s->follows)
      return tni_item_fail(b->ctx, m[i].item, "formulation", "couplings of shells are for small rotations; use 'formulation: small'");
    TN_TRY(number(&m[i]));
    TN_TRY(tni_structure_neighbours(b, m[i].item, m[i].part, m[i].s));
    TN_TRY(tni_structure_mass(b, m[i].part, m[i].s));
    TN_TRY(tni_structure_velocities(b, m[i].part, m[i].s, (double *)m[i].part->v0));
    TN_TRY(tni_structure_count_free(b, m[i].part, m[i].s));
    TN_TRY(tni_structure_loads(b, m[i].part, m[i].s));
    m[i].part->linear = tni_structure_is_linear(m[i].s);
    m[i].part->small = !m[i].s->large;
    for (int k = 0; k < m[i].s->nblock && m[i].part->small; k++)
      if (m[i].s->block[k].kind.type->ndof == 6) m[i].part->unstressed = m[i].s->block[k].kind.type->name;
    for (int k = 0; k < m[i].s->nblock; k++) m[i].part->path = m[i].part->path || m[i].s->block[k].kind.nstate > 0;
    tni_structure_fields(m[i].part);
  }
  for (int i = 0; i < n; i++)
    if (tni_reduce_wanted(m[i].item)) TN_TRY(tni_reduce_build(b, m[i].part, m[i].s));
  return TN_OK;
}
