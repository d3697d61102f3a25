/* solids/structure_loads.c - sections supports and loads of a model file: what is prescribed on groups of nodes and faces
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/measures.h"
#include "solids/cases.h"
#include "solids/structure.h"

#define GROUP_KEYS                                                                                          \
  {.name = "group", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,                                            \
   .doc = "Group of the mesh: nodes, faces, or cells, whose nodes are meant; `node 17` is the node of that number."}, \
  {.name = "structure", .kind = TNI_KIND_NAME, .initial = "the one whose mesh has the group",                \
   .doc = "Structure, where several have a group of this name."}

const tni_key tni_support_keys[TNI_NSUPPORT_KEY] = {
    GROUP_KEYS,
    {.name = "fix", .kind = TNI_KIND_NAMES,
     .doc = "Components that stay where they are: some of x, y, z and, of shells, rx, ry, rz; or all."},
    {.name = "move", .kind = TNI_KIND_ANY, .unit = "m, rad",
     .doc = "{component: expression of t, ...}: displacements from the place at rest."},
};

const tni_key tni_load_keys[TNI_NLOAD_KEY] = {
    {.name = "group", .kind = TNI_KIND_NAME, .initial = "the whole structure",
     .doc = "Group of faces or nodes; of cells for loads per volume."},
    {.name = "structure", .kind = TNI_KIND_NAME, .initial = "the one whose mesh has the group",
     .doc = "Structure, where several have a group of this name."},
    {.name = "pressure", .kind = TNI_KIND_EXPR, .unit = "Pa",
     .doc = "On faces, against their outward normal; on shells (a group of cells) against their own: an expression of t. It follows the surface where `formulation` is "
            "large."},
    {.name = "traction", .kind = TNI_KIND_EXPR3, .unit = "Pa", .doc = "Force per area on faces, ground axes."},
    {.name = "force", .kind = TNI_KIND_EXPR3, .unit = "N",
     .doc = "Total force, ground axes: spread over the area of faces, or equally over nodes."},
    {.name = "force_each", .kind = TNI_KIND_EXPR3, .unit = "N", .doc = "Force on every node of the group."},
    {.name = "moment_each", .kind = TNI_KIND_EXPR3, .unit = "N m", .doc = "Moment on every node of the group, which must have rotations."},
    {.name = "body_force", .kind = TNI_KIND_EXPR3, .unit = "N/m^3", .doc = "Force per volume."},
    {.name = "spin", .kind = TNI_KIND_EXPR, .unit = "rad/s",
     .doc = "Centrifugal load of the whole structure as seen in a frame that turns so fast."},
    {.name = "axis", .kind = TNI_KIND_DIRECTION, .initial = "z", .doc = "Axis of spin."},
    {.name = "at", .kind = TNI_KIND_VEC3, .unit = "m", .initial = "[0, 0, 0]", .doc = "A point of that axis."},
    {.name = "case", .kind = TNI_KIND_TEXT, .initial = "acts always",
     .doc = "Statics: load case that it belongs to; the factors stand in `cases` of the analysis."},
    {.name = "follow", .kind = TNI_KIND_BOOL, .initial = "as formulation: large",
     .doc = "Pressure and spin act where the nodes are, not where they were at rest. Pressure on edges of shells cannot."},
};

static const char *const T_NAME[] = {"t"};

static bool is_zero(const tni_value *v) { return v->form == TNI_NUMBER && v->number == 0; }

/* ---- groups ----------------------------------------------------------------------------------------- */

static const tni_structure *structure_of(const tn_model *m, int i) { return m->part[i].data; }

/* Nodes, or cells, by their numbers in the file: "node 17", "nodes 1-4 7", "cells 1-4". Marks them; false: the name means none, or a number is not there. */
static bool named(const tni_mesh *m, const char *name, const char *what, int (*find)(const tni_mesh *m, tn_gid gid), signed char *mark, int *count) {
  const char *at = name;
  *count = 0;
  if (strncmp(at, what, strlen(what)) != 0) return false;
  at += strlen(what);
  if (*at == 's') at++;
  if (*at != ' ') return false;
  while (*at) {
    char *end;
    while (*at == ' ') at++;
    if (!*at) break;
    long long first = strtoll(at, &end, 10), last = first;
    if (end == at) return false;
    at = end;
    if (*at == '-') {
      last = strtoll(at + 1, &end, 10);
      if (end == at + 1 || last < first || last - first > 2000000000LL) return false;
      at = end;
    }
    if (*at && *at != ' ') return false;
    for (long long gid = first; gid <= last; gid++) {
      int node = find(m, gid);
      if (node < 0) return false;
      if (mark) *count += !mark[node], mark[node] = 1;
      else ++*count;
    }
  }
  return *count > 0;
}

static bool named_nodes(const tni_mesh *m, const char *name, signed char *mark, int *count) {
  return named(m, name, "node", tni_mesh_node_of, mark, count);
}

static bool named_cells(const tni_mesh *m, const char *name, signed char *mark, int *count) {
  return named(m, name, "cell", tni_mesh_cell_of, mark, count);
}

static bool has_group(const tni_mesh *m, const char *name) {
  int count;
  if (named_nodes(m, name, NULL, &count) || named_cells(m, name, NULL, &count) || strncmp(name, "faces ", 6) == 0) return true;
  for (int i = 0; i < m->nset; i++)
    if (strcmp(m->set[i].name, name) == 0) return true;
  return false;
}

tn_status tni_structure_of(tni_builder *b, const tni_item *item, int *part) {
  const tn_model *m = b->model;
  const char *name = tni_item_text(item, "structure", NULL), *group = tni_item_text(item, "group", NULL);
  int found = -1, n = 0;
  for (int i = 0; i < m->npart; i++) {
    bool is = name ? strcmp(m->part[i].name, name) == 0 : !group || has_group(structure_of(m, i)->mesh, group);
    if (!is) continue;
    found = i;
    n++;
  }
  if (n == 0 && name) return tni_item_fail(b->ctx, item, "structure", "no structure %s", tni_show(name).s);
  if (n == 0 && m->npart == 1) found = 0, n = 1; /* says what groups there are */
  if (n == 0) return tni_item_fail(b->ctx, item, "group", "no mesh of a structure has a group %s", tni_show(group).s);
  if (n > 1)
    return tni_item_fail(b->ctx, item, NULL, "%d structures could be meant; name one with 'structure'", n);
  *part = found;
  return TN_OK;
}

/* what a mesh has of a kind (-1: of any), when nothing has the name */
static tn_status no_group(tni_builder *b, const tni_item *item, const tni_mesh *mesh, const char *name, const char *what,
                          int kind) {
  const char **names;
  int n = 0;
  TNI_ARENA_NEW(b->arena, names, mesh->nset);
  for (int i = 0; i < mesh->nset; i++) {
    bool before = kind >= 0 && (int)mesh->set[i].kind != kind;
    for (int k = 0; k < n; k++) before = before || strcmp(names[k], mesh->set[i].name) == 0;
    if (!before) names[n++] = mesh->set[i].name;
  }
  return tni_item_fail(b->ctx, item, "group", "mesh '%s' has no group %s%s%s", mesh->name, tni_show(name).s, what,
                       n ? tni_hint_for(name, names, n).s : "; it has none at all");
}

tn_status tni_structure_group(tni_builder *b, const tni_item *item, const tni_structure *s, const char *name, int *n,
                              const int **node) {
  const tni_mesh *mesh = s->mesh;
  const tni_mesh_set *set = tni_mesh_find_set(mesh, name, TNI_SET_NODES);
  if (set) {
    *n = set->n;
    *node = set->member;
    for (int i = 0; i < set->n && s->active; i++)
      if (s->active[set->member[i]] == 0)
        return tni_item_fail(b->ctx, item, NULL, "node %lld of group '%s' belongs to no element of the structure",
                             (long long)mesh->gid[set->member[i]], name);
    return *n > 0 ? TN_OK : tni_item_fail(b->ctx, item, NULL, "group '%s' is empty", name);
  }
  const tni_mesh_set *faces = tni_mesh_find_set(mesh, name, TNI_SET_FACES);
  const tni_mesh_set *cells = tni_mesh_find_set(mesh, name, TNI_SET_CELLS);
  signed char *mark;
  int *list, single;
  if (!faces && !cells && named_nodes(mesh, name, NULL, &single)) {
    TNI_ARENA_NEW(b->arena, mark, s->nnode);
    named_nodes(mesh, name, mark, n);
    TNI_ARENA_NEW(b->arena, list, *n);
    for (int i = 0, k = 0; i < s->nnode; i++) {
      if (!mark[i]) continue;
      list[k++] = i;
      if (s->active && s->active[i] == 0)
        return tni_item_fail(b->ctx, item, NULL, "node %lld belongs to no element of the structure", (long long)mesh->gid[i]);
    }
    *node = list;
    return TN_OK;
  }
  TN_TRY(tni_mesh_group(mesh, name, b->arena, n, node));
  if (*n < 0) return no_group(b, item, mesh, name, "", -1);
  return *n > 0 ? TN_OK : tni_item_fail(b->ctx, item, NULL, "group '%s' is empty", name);
}

/* ---- supports ----------------------------------------------------------------------------------------- */

static const char *const COMPONENT[6] = {"x", "y", "z", "rx", "ry", "rz"};

tn_status tni_structure_component(tni_builder *b, const tni_item *item, const char *key, const tni_structure *s, const char *word,
                                  int *c) {
  for (*c = 0; *c < 6 && strcmp(word, COMPONENT[*c]) != 0; ++*c) {}
  if (*c < s->ndof || (*c == 2 && s->planar)) return TN_OK;
  if (*c < 6 && *c >= 3)
    return tni_item_fail(b->ctx, item, key, "nodes of '%s' have no rotation '%s'", s->mesh->name, word);
  return tni_item_fail(b->ctx, item, key, "no component %s; components are x, y, z%s, or all", tni_show(word).s,
                       s->ndof == 6 ? ", rx, ry, rz" : "");
}

typedef struct {
  const tni_item **by; /* [nnode][ndof] who prescribed it, NULL: nobody */
  int cap;
} prescriber;

static tn_status prescribe(tni_builder *b, const tni_item *item, tni_structure *s, prescriber *p, int node, int c,
                           const tni_expr *const x[3]) {
  size_t at = (size_t)node*(size_t)s->ndof + (size_t)c;
  if (c >= s->ndof || c >= s->active[node]) return TN_OK;
  if (s->carrier[node] != TNI_NOT_CARRIED) {
    if (s->carrier[node] == TNI_STRUCTURE_GROUND && !x) return TN_OK;
    return tni_item_fail(b->ctx, item, "group", "node %lld is held by a body already; support the body instead",
                         (long long)s->mesh->gid[node]);
  }
  if (p->by[at]) {
    if (!x && s->unknown[at] == TNI_UNKNOWN_NONE && p->by[at] != item) return TN_OK; /* fixed twice is fixed */
    return tni_item_fail(b->ctx, item, "group", "node %lld, %s: '%s' prescribes it already",
                         (long long)s->mesh->gid[node], COMPONENT[c], p->by[at]->name);
  }
  p->by[at] = item;
  s->unknown[at] = TNI_UNKNOWN_NONE;
  void *items = s->motion;
  if (!tni_arena_grow(b->arena, &items, s->nmotion, &p->cap, sizeof(tni_node_motion))) return tni_out_of_memory(b->ctx);
  s->motion = items;
  tni_node_motion *m = &s->motion[s->nmotion++];
  *m = (tni_node_motion){.node = node, .component = c};
  for (int k = 0; k < 3 && x; k++) m->x[k] = x[k];
  return TN_OK;
}

/* of shells beside solids only some nodes turn */
static tn_status some_have(tni_builder *b, const tni_item *item, const char *key, const tni_structure *s, int c, int n, const int *node) {
  for (int i = 0; i < n; i++)
    if (c < s->active[node[i]] || c < 3) return TN_OK;
  return tni_item_fail(b->ctx, item, key, "no node of group '%s' has a rotation '%s'", tni_item_text(item, "group", ""), COMPONENT[c]);
}

static tn_status fix_nodes(tni_builder *b, const tni_item *item, tni_structure *s, prescriber *p, const char *word, int n,
                           const int *node) {
  bool all = strcmp(word, "all") == 0;
  int c0 = 0, c1 = 6;
  if (!all) {
    TN_TRY(tni_structure_component(b, item, "fix", s, word, &c0));
    c1 = c0 + 1;
    TN_TRY(some_have(b, item, "fix", s, c0, n, node));
  }
  for (int i = 0; i < n; i++)
    for (int c = c0; c < c1; c++) TN_TRY(prescribe(b, item, s, p, node[i], c, NULL));
  return TN_OK;
}

static tn_status move_nodes(tni_builder *b, const tni_item *item, tni_structure *s, prescriber *p, const tni_value *v,
                            int n, const int *node) {
  if (v->form != TNI_MAP)
    return tni_item_fail(b->ctx, item, "move", "move must be {component: expression of t, ...}");
  for (int k = 0; k < v->n; k++) {
    const tni_expr *x[3];
    int c;
    TN_TRY(tni_structure_component(b, item, "move", s, v->key[k], &c));
    if (c == 2 && s->planar && !is_zero(&v->item[k]))
      return tni_place_fail(b->ctx, v->item[k].at, item, "move: a planar model has no direction z");
    TN_TRY(some_have(b, item, "move", s, c, n, node));
    TN_TRY(tni_build_expr(b, item, "move", &v->item[k], T_NAME, 1, &x[0]));
    TN_TRY(tni_expr_derivative(b->arena, x[0], 0, &x[1]));
    TN_TRY(tni_expr_derivative(b->arena, x[1], 0, &x[2]));
    if (!tni_expr_uses(x[0], 0)) x[1] = x[2] = NULL; /* not by its rate: a jump has none */
    for (int i = 0; i < n; i++) TN_TRY(prescribe(b, item, s, p, node[i], c, x));
  }
  return TN_OK;
}

tn_status tni_structure_supports(tni_builder *b, tni_part *part, tni_structure *s) {
  const tn_spec *spec = b->spec;
  prescriber p = {0};
  TNI_ARENA_NEW(b->arena, p.by, (size_t)s->nnode*(size_t)s->ndof);
  for (int i = 0; i < spec->nitem; i++) {
    const tni_item *item = spec->item[i];
    int owner, n;
    const int *node;
    if (strcmp(item->section->name, "supports") != 0) continue;
    TN_TRY(tni_structure_of(b, item, &owner));
    if (&b->model->part[owner] != part) continue;
    TN_TRY(tni_structure_group(b, item, s, tni_item_text(item, "group", ""), &n, &node));
    const tni_value *fix = tni_item_get(item, "fix"), *move = tni_item_get(item, "move");
    if (!fix && !move) return tni_item_fail(b->ctx, item, NULL, "has neither 'fix' nor 'move'");
    if (fix && fix->form == TNI_TEXT) TN_TRY(fix_nodes(b, item, s, &p, fix->text, n, node));
    for (int k = 0; fix && fix->form == TNI_LIST && k < fix->n; k++)
      TN_TRY(fix_nodes(b, item, s, &p, fix->item[k].text, n, node));
    if (move) TN_TRY(move_nodes(b, item, s, &p, move, n, node));
  }
  return TN_OK;
}

/* ---- loads -------------------------------------------------------------------------------------------- */

static tn_status expr_and_rate(tni_builder *b, const tni_item *item, const char *key, const tni_value *v,
                               const tni_expr **f, const tni_expr **f_t) {
  if (tni_cases_count(b->spec) > 0) { /* t is the number of the case there */
    TN_TRY(tni_build_expr(b, item, key, v, T_NAME, 1, f));
    if (tni_expr_uses(*f, 0)) return tni_item_fail(b->ctx, item, key, "%s depends on t: load cases of the analysis know no time", key);
  }
  TN_TRY(tni_cases_scale(b, item, key, v, strcmp(key, "spin") == 0, &v));
  TN_TRY(tni_build_expr(b, item, key, v, T_NAME, 1, f));
  return tni_expr_derivative(b->arena, *f, 0, f_t);
}

static tn_status vector_of(tni_builder *b, const tni_item *item, const char *key, tni_load *l) {
  const tni_value *v = tni_item_get(item, key);
  if (v && b->model->planar && v->n == 3 && !is_zero(&v->item[2]) && strcmp(key, "moment_each") != 0)
    return tni_place_fail(b->ctx, v->item[2].at, item, "%s: a planar model has no direction z; write 0 there", key);
  for (int c = 0; v && c < 3 && c < v->n; c++)
    TN_TRY(expr_and_rate(b, item, key, &v->item[c], &l->f[c], &l->f_t[c]));
  return TN_OK;
}

/* the sides of shells that their normals point to; NULL: not all cells of the group are surfaces */
static tn_status sides_of_shells(tni_builder *b, const tni_mesh *mesh, const char *group, const tni_mesh_set **out) {
  const tni_mesh_set *cells = tni_mesh_find_set(mesh, group, TNI_SET_CELLS);
  tni_mesh_set *set;
  const tni_cell_shape *shape;
  *out = NULL;
  if (!cells || cells->n == 0) return TN_OK;
  for (int i = 0; i < cells->n; i++) {
    tni_mesh_nodes(mesh, cells->member[i], &shape);
    if (shape->dim != 2) return TN_OK;
  }
  TNI_ARENA_NEW(b->arena, set, 1);
  *set = *cells;
  set->kind = TNI_SET_FACES;
  TNI_ARENA_NEW(b->arena, set->face, set->n);
  for (int i = 0; i < set->n; i++) set->face[i] = TNI_FACE_POSITIVE;
  *out = set;
  return TN_OK;
}

/* faces of a group, shells of a group, or "faces S3 cells": the third face of each cell of a group, or of the cell of that number */
static tn_status find_faces(tni_builder *b, const tni_item *item, const tni_mesh *mesh, const char *group, bool shells, const tni_mesh_set **out) {
  *out = tni_mesh_find_set(mesh, group, TNI_SET_FACES);
  if (!*out && shells) TN_TRY(sides_of_shells(b, mesh, group, out));
  if (*out) return TN_OK;
  if (strncmp(group, "faces S", 7) != 0 || group[7] < '1' || group[7] > '6' || group[8] != ' ')
    return no_group(b, item, mesh, group, " of faces, which pressure and traction need", TNI_SET_FACES);
  const char *name = group + 9;
  const tni_mesh_set *cells = tni_mesh_find_set(mesh, name, TNI_SET_CELLS);
  char *end;
  long long gid = strtoll(name, &end, 10);
  int one = !cells && end > name && !*end ? tni_mesh_cell_of(mesh, gid) : -1;
  if (!cells && one < 0) return no_group(b, item, mesh, name, " of cells", TNI_SET_CELLS);
  tni_mesh_set *set;
  TNI_ARENA_NEW(b->arena, set, 1);
  set->name = group;
  set->kind = TNI_SET_FACES;
  set->n = cells ? cells->n : 1;
  TNI_ARENA_NEW(b->arena, set->member, set->n);
  TNI_ARENA_NEW(b->arena, set->face, set->n);
  for (int i = 0; i < set->n; i++) {
    const tni_cell_shape *shape;
    set->member[i] = cells ? cells->member[i] : one;
    set->face[i] = (signed char)(group[7] - '1');
    tni_mesh_nodes(mesh, set->member[i], &shape);
    if (set->face[i] >= shape->nface)
      return tni_item_fail(b->ctx, item, "group", "cell %lld (%s) has no face S%c", (long long)tni_mesh_cell_gid(mesh, set->member[i]),
                           shape->name, group[7]);
  }
  *out = set;
  return TN_OK;
}

/* thickness of the cells that faces belong to: edges are so wide */
static tn_status widths_of(tni_builder *b, const tni_structure *s, const tni_mesh_set *set, double **width) {
  double *of;
  TNI_ARENA_NEW(b->arena, *width, set->n);
  TNI_ARENA_NEW(b->arena, of, s->mesh->ncell);
  for (int i = 0; i < s->mesh->ncell; i++) of[i] = s->thickness;
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) of[s->block[k].cell[e]] = s->block[k].kind.thickness;
  for (int i = 0; i < set->n; i++) (*width)[i] = of[set->member[i]];
  return TN_OK;
}

/* unit normal by the right hand, of the diagonals of a shell */
static void normal_of_shell(const tni_mesh *mesh, int cell, double up[3]) {
  const tni_cell_shape *shape;
  const int *node = tni_mesh_nodes(mesh, cell, &shape);
  int last = shape->nface == 4 ? 3 : 0; /* corners 0 2 and 1 3, or 0 2 and 1 0 */
  double a[3], c[3];
  vec3_sub(a, mesh->x + 3*(size_t)node[2], mesh->x + 3*(size_t)node[0]);
  vec3_sub(c, mesh->x + 3*(size_t)node[last], mesh->x + 3*(size_t)node[1]);
  vec3_cross(up, a, c);
  vec3_scale(up, 1/vec3_norm(up), up);
}

/* shares of nodes in the area of faces, and normals times area */
static tn_status spread_faces(tni_builder *b, const tni_item *item, const tni_structure *s, const char *group, tni_load *l,
                              double *area) {
  const tni_mesh *mesh = s->mesh;
  const tni_mesh_set *set;
  bool ring = s->plane == TNI_PLANE_AXISYMMETRIC;
  double *share, *normal, *sh, *no, *width;
  int *node;
  *area = 0;
  TN_TRY(find_faces(b, item, mesh, group, s->ndof == 6, &set));
  TNI_ARENA_NEW(b->arena, sh, s->nnode);
  TNI_ARENA_NEW(b->arena, no, 3*(size_t)s->nnode);
  TN_TRY(widths_of(b, s, set, &width));
  for (int i = 0; i < set->n; i++) {
    int at[TNI_CELL_MAXFACENODE];
    double x[3*TNI_CELL_MAXFACENODE], f[3*TNI_CELL_MAXFACENODE];
    const double along[3] = {1, 0, 0}, none[3] = {0, 0, 0};
    const tni_cell_shape *shape = tni_mesh_face(mesh, set->member[i], set->face[i], at);
    tni_cell cell = (tni_cell)(shape - tni_cell_shapes);
    for (int a = 0; a < shape->nnode; a++) {
      vec3_copy(x + 3*a, mesh->x + 3*(size_t)at[a]);
      if (s->active[at[a]] == 0)
        return tni_item_fail(b->ctx, item, "group", "node %lld of group '%s' belongs to no element of the structure",
                             (long long)mesh->gid[at[a]], group);
    }
    *area += tni_face_area(cell, x, width[i], ring);
    tni_face_load(cell, x, 0, along, width[i], ring, f, NULL);
    for (int a = 0; a < shape->nnode; a++) sh[at[a]] += f[3*a];
    if (shape->dim == 1 && !s->planar) {
      double up[3];
      normal_of_shell(mesh, set->member[i], up);
      tni_edge_pressure(cell, x, -1, up, width[i], f);
      if (l->follows && tni_item_has(item, "pressure"))
        return tni_item_fail(b->ctx, item, "pressure", "on edges of shells pressure does not follow the surface: write 'follow: false', or a traction");
    } else {
      tni_face_load(cell, x, -1, none, width[i], ring, f, NULL);
    }
    for (int a = 0; a < shape->nnode; a++) vec3_add(no + 3*(size_t)at[a], no + 3*(size_t)at[a], f + 3*a);
  }
  l->n = 0;
  signed char *used;
  TNI_ARENA_NEW(b->arena, used, s->nnode);
  for (int i = 0; i < set->n; i++) {
    int at[TNI_CELL_MAXFACENODE];
    const tni_cell_shape *shape = tni_mesh_face(mesh, set->member[i], set->face[i], at);
    for (int a = 0; a < shape->nnode; a++) used[at[a]] = 1;
  }
  for (int i = 0; i < s->nnode; i++) l->n += used[i];
  TNI_ARENA_NEW(b->arena, node, l->n);
  TNI_ARENA_NEW(b->arena, share, l->n);
  TNI_ARENA_NEW(b->arena, normal, 3*(size_t)l->n);
  for (int i = 0, k = 0; i < s->nnode; i++) {
    if (!used[i]) continue;
    node[k] = i;
    share[k] = sh[i];
    vec3_copy(normal + 3*k++, no + 3*(size_t)i);
  }
  l->node = node;
  l->share = share;
  l->normal = normal;
  l->nface = set->n;
  l->cell = set->member;
  l->face = set->face;
  l->width = width;
  return TN_OK;
}

/* volumes that nodes stand for, of a group of cells or of all */
static tn_status spread_volume(tni_builder *b, const tni_item *item, const tni_structure *s, const char *group,
                               tni_load *l) {
  const tni_mesh *mesh = s->mesh;
  signed char *wanted;
  double *share;
  int *node;
  TNI_ARENA_NEW(b->arena, wanted, mesh->ncell);
  TNI_ARENA_NEW(b->arena, share, s->nnode);
  TNI_ARENA_NEW(b->arena, node, s->nnode);
  const tni_mesh_set *set = group ? tni_mesh_find_set(mesh, group, TNI_SET_CELLS) : NULL;
  int count;
  if (group && !set && !named_cells(mesh, group, wanted, &count))
    return no_group(b, item, mesh, group, " of cells, which a force per volume needs", TNI_SET_CELLS);
  for (int i = 0; i < (set ? set->n : group ? 0 : mesh->ncell); i++) wanted[set ? set->member[i] : i] = 1;
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) {
      const tni_structure_block *bl = &s->block[k];
      const int *at = bl->node + (size_t)e*(size_t)bl->nnode;
      double X[3*TNI_SOLID_MAXNODE], part[TNI_SOLID_MAXNODE];
      if (!wanted[bl->cell[e]]) continue;
      for (int a = 0; a < bl->nnode; a++) vec3_copy(X + 3*a, mesh->x + 3*(size_t)at[a]);
      tni_solid_kind kind = bl->kind;
      tni_matter one = *kind.matter; /* shares come times density */
      one.density = 1;
      kind.matter = &one;
      tni_solid_volume(&kind, X, part);
      for (int a = 0; a < bl->nnode; a++) share[at[a]] += part[a];
    }
  double sum = 0;
  for (int i = 0; i < s->nnode; i++) node[i] = i, sum += fabs(share[i]);
  if (group && sum == 0) return tni_item_fail(b->ctx, item, "group", "no cell of group '%s' is an element of its structure", group);
  l->n = s->nnode;
  l->node = node;
  l->share = share;
  return TN_OK;
}

static tn_status spread_equally(tni_builder *b, int n, const int *node, double each, tni_load *l) {
  double *share;
  TNI_ARENA_NEW(b->arena, share, n);
  for (int i = 0; i < n; i++) share[i] = each;
  l->n = n;
  l->node = node;
  l->share = share;
  return TN_OK;
}

bool tni_structure_has_mass(const tni_structure *s) {
  for (int i = 0; i < s->nnode; i++)
    if (s->mass[i] > 0) return true;
  return false;
}

/* keys that belong to loads of other kinds */
static tn_status refuse_strays(tni_builder *b, const tni_item *item, bool spin, bool pressure) {
  static const char *const of_spin[] = {"axis", "at"};
  for (int i = 0; i < TNI_COUNT(of_spin) && !spin; i++)
    if (tni_item_has(item, of_spin[i])) return tni_item_fail(b->ctx, item, of_spin[i], "'%s' belongs to 'spin'", of_spin[i]);
  if (tni_item_bool(item, "follow", false) && !spin && !pressure)
    return tni_item_fail(b->ctx, item, "follow", "only 'pressure' and 'spin' follow; forces and tractions keep their directions");
  return TN_OK;
}

/* bodies of revolution turn about their own axis, y */
static tn_status check_spin(tni_builder *b, const tni_item *item, const tni_structure *s, const tni_load *l) {
  if (s->plane != TNI_PLANE_AXISYMMETRIC || (fabs(l->axis[1]) > 1 - 1e-12 && l->at[0] == 0)) return TN_OK;
  return tni_item_fail(b->ctx, item, tni_item_has(item, "at") ? "at" : "axis", "an axisymmetric structure spins about y through the origin: write 'axis: y'%s",
                       l->at[0] != 0 ? " and no 'at'" : "");
}

static tn_status read_load(tni_builder *b, const tni_item *item, const tni_structure *s, tni_load *l) {
  static const char *const kinds[] = {"pressure", "traction", "force", "force_each", "moment_each", "body_force", "spin"};
  enum { PRESSURE, TRACTION, FORCE, EACH, MOMENT, BODY, SPIN };
  const char *group = tni_item_text(item, "group", NULL);
  int kind = -1;
  for (int i = 0; i < TNI_COUNT(kinds); i++) {
    if (!tni_item_has(item, kinds[i])) continue;
    if (kind >= 0 && !(kind == PRESSURE && i == TRACTION))
      return tni_item_fail(b->ctx, item, kinds[i], "'%s' and '%s' in one load; write two", kinds[kind], kinds[i]);
    kind = i;
  }
  if (kind < 0)
    return tni_item_fail(b->ctx, item, NULL, "has no pressure, traction, force, force_each, moment_each, body_force or spin");
  if (!group && kind < BODY) return tni_item_fail(b->ctx, item, NULL, "has no 'group'");
  if (group && kind == SPIN) return tni_item_fail(b->ctx, item, "group", "spin loads the whole structure");
  TN_TRY(refuse_strays(b, item, kind == SPIN, kind == PRESSURE || tni_item_has(item, "pressure")));
  *l = (tni_load){.item = item, .kind = TNI_LOAD_NODES};
  l->follows = tni_item_bool(item, "follow", s->large);
  double area;
  switch (kind) {
    case PRESSURE:
    case TRACTION:
      l->kind = TNI_LOAD_FACES;
      TN_TRY(spread_faces(b, item, s, group, l, &area));
      if (tni_item_has(item, "pressure"))
        TN_TRY(expr_and_rate(b, item, "pressure", tni_item_get(item, "pressure"), &l->pressure, &l->pressure_t));
      return vector_of(b, item, "traction", l);
    case FORCE:
    case MOMENT:
    case EACH: {
      int n;
      const int *node;
      l->follows = false;
      TN_TRY(vector_of(b, item, kinds[kind], l));
      if (kind == FORCE && tni_mesh_find_set(s->mesh, group, TNI_SET_FACES)) {
        TN_TRY(spread_faces(b, item, s, group, l, &area));
        if (area > 0) {
          double *share = (double *)l->share;
          for (int i = 0; i < l->n; i++) share[i] /= area;
          l->normal = NULL;
          return TN_OK;
        }
      }
      TN_TRY(tni_structure_group(b, item, s, group, &n, &node));
      l->about = kind == MOMENT;
      if (l->about && s->large) return tni_item_fail(b->ctx, item, "moment_each", "moments are there for formulation: small");
      for (int i = 0; i < n && l->about; i++)
        if (s->active[node[i]] < 6)
          return tni_item_fail(b->ctx, item, "moment_each", "node %lld has no rotations", (long long)s->mesh->gid[node[i]]);
      return spread_equally(b, n, node, kind == FORCE ? 1.0/n : 1, l);
    }
    case BODY:
      l->kind = TNI_LOAD_VOLUME;
      l->follows = false;
      TN_TRY(spread_volume(b, item, s, group, l));
      return vector_of(b, item, "body_force", l);
    default:
      l->kind = TNI_LOAD_SPIN;
      if (!tni_structure_has_mass(s))
        tni_log(b->ctx, TN_LOG_WARNING, "%s:%d: load '%s': spin does nothing, because no material of the structure has 'density'", item->at.file,
                item->at.line, item->name);
      vec3_set(l->axis, 0, 0, 1);
      tni_item_direction(item, "axis", l->axis);
      tni_item_vec3(item, "at", l->at);
      TN_TRY(check_spin(b, item, s, l));
      return expr_and_rate(b, item, "spin", tni_item_get(item, "spin"), &l->f[0], &l->f_t[0]);
  }
}

/* load cases stand at t = 0, 1, 2 ...: what depends on t would change from one to the next */
static tn_status refuse_time(tni_builder *b, const tni_part *part, const tni_structure *s) {
  const char *what = NULL;
  if (tni_cases_count(b->spec) == 0) return TN_OK;
  for (int i = 0; i < s->nheat; i++)
    if (!s->heating[i].steady) what = "temperatures";
  for (int i = 0; i < s->nmotion; i++)
    if (s->motion[i].x[1]) what = "supports";
  for (int i = 0; i < s->ngift; i++)
    if (s->gift[i].x[1]) what = "couplings";
  return !what ? TN_OK : tni_item_fail(b->ctx, tni_spec_single(b->spec, "analysis"), "cases", "%s of structure '%s' depend on t: load cases know no time", what,
                                       part->name);
}

tn_status tni_structure_loads(tni_builder *b, const tni_part *part, tni_structure *s) {
  const tn_spec *spec = b->spec;
  int n = 0;
  TN_TRY(tni_cases_check(b->ctx, spec));
  TN_TRY(refuse_time(b, part, s));
  for (int i = 0; i < spec->nitem; i++) n += strcmp(spec->item[i]->section->name, "loads") == 0;
  TNI_ARENA_NEW(b->arena, s->load, n);
  for (int i = 0; i < spec->nitem; i++) {
    const tni_item *item = spec->item[i];
    int owner;
    if (strcmp(item->section->name, "loads") != 0) continue;
    TN_TRY(tni_structure_of(b, item, &owner));
    if (&b->model->part[owner] != part) continue;
    TN_TRY(read_load(b, item, s, &s->load[s->nload]));
    s->nload++;
  }
  return TN_OK;
}
