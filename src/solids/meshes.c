/* solids/meshes.c - section meshes of a model file: read from a file, or made by a generator
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/meshes.h"

#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "mesh/decompose.h"
#include "mesh/expand.h"
#include "mesh/generate.h"
#include "mesh/join.h"
#include "mesh/read.h"

static const tni_key plain_keys[] = {
    {.name = "file", .kind = TNI_KIND_TEXT,
     .doc = "File with the mesh, relative to this one: Gmsh (.msh 2.2 or 4.1, text or binary) or Abaqus and CalculiX "
            "(.inp)."},
    {.name = "scale", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .initial = "1",
     .doc = "Factor on all coordinates: 0.001 for files in millimetres."},
    {.name = "join", .kind = TNI_KIND_ANY,
     .doc = "Meshes put together to one: {part: mesh, ...}, or {part: {mesh: name, at: [x, y, z], orientation: ...}, ...} where they are moved. Groups "
            "are called part.group, and `part` is all of it; numbers of nodes and cells are counted on from part to part."},
    {.name = "merge", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m", .initial = "none are",
     .doc = "With join: nodes of different parts that are not farther from each other are one."},
    {.name = "at", .kind = TNI_KIND_VEC3, .unit = "m", .initial = "[0, 0, 0]", .doc = "Where the origin of the file or generator is put."},
    {.name = "orientation", .kind = TNI_KIND_ROTATION, .unit = "rad", .initial = "none", .doc = "How the mesh is turned about that origin."},
    {.name = "expand", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "Shells, beams and plane stress of an .inp as the solids that CalculiX makes of them, by the sections of the deck. The nodes "
            "of the file stay, without elements; couplings tie them to the new ones."},
    {.name = "order", .kind = TNI_KIND_INTEGER, .min = 1, .max = 2, .initial = "as it is",
     .doc = "2: cells of second order, with nodes in the middle of straight edges."},
    {.name = "parts", .kind = TNI_KIND_TEXT,
     .doc = "File that says where each cell belongs when structures of this mesh are cut (decomposer: file): a number from 0 for every cell, a line each, "
            "as METIS and tenon decompose --output write them."},
};

int tni_mesh_keys(tni_key *key) {
  int n = TNI_COUNT(plain_keys);
  if (key) memcpy(key, plain_keys, sizeof(plain_keys));
  for (int i = 0; tni_mesh_generators[i]; i++, n++)
    if (key) key[n] = (tni_key){.name = tni_mesh_generators[i]->name, .kind = TNI_KIND_ANY, .doc = tni_mesh_generators[i]->doc};
  return n;
}

/* {size: [1, 0.1], cells: [10, 1], cell: quad4} into the values of a generator */
static tn_status read_params(tni_builder *b, const tni_item *item, const tni_mesh_generator *g, const tni_value *v,
                             tni_mesh_params *p) {
  if (v->form != TNI_MAP)
    return tni_item_fail(b->ctx, item, g->name, "%s must be a map of its parameters", g->name);
  for (int k = 0; k < v->n; k++) {
    int i = tni_mesh_param_find(g, v->key[k]);
    const tni_value *x = &v->item[k];
    if (i < 0) {
      const char *names[TNI_MESH_MAXPARAM];
      int n = 0;
      for (; n < g->nparam + TNI_MESH_NCOMMON; n++) names[n] = tni_mesh_param_at(g, n)->name;
      return tni_place_fail(b->ctx, x->at, item, "%s: unknown parameter %s%s", g->name, tni_show(v->key[k]).s,
                            tni_hint_for(v->key[k], names, n).s);
    }
    tni_mesh_value *to = &p->value[i];
    if (tni_mesh_param_at(g, i)->kind == TNI_PARAM_WORD) {
      if (x->form != TNI_TEXT)
        return tni_place_fail(b->ctx, x->at, item, "%s: %s must be a word", g->name, v->key[k]);
      to->word = x->text;
      to->n = 1;
      continue;
    }
    int n = x->form == TNI_LIST ? x->n : 1;
    if (n > TNI_MESH_MAXVALUE)
      return tni_place_fail(b->ctx, x->at, item, "%s: %s has %d numbers, at most %d", g->name, v->key[k], n,
                            TNI_MESH_MAXVALUE);
    for (int e = 0; e < n; e++) {
      const tni_value *y = x->form == TNI_LIST ? &x->item[e] : x;
      if (y->form != TNI_NUMBER)
        return tni_place_fail(b->ctx, y->at, item, "%s: %s must be a number or a list of numbers", g->name, v->key[k]);
      to->number[e] = y->number;
    }
    to->n = n;
  }
  return TN_OK;
}

static tn_status generate(tni_builder *b, const tni_item *item, const tni_mesh_generator *g, tni_mesh **out) {
  const tni_value *v = tni_item_get(item, g->name);
  tni_mesh_params p = {.name = item->name};
  p.place = tni_arena_printf(b->arena, "%s:%d", v->at.file ? v->at.file : "", v->at.line);
  if (!p.place) return tni_out_of_memory(b->ctx);
  TN_TRY(read_params(b, item, g, v, &p));
  if (p.value[tni_mesh_param_find(g, "seed")].n > 0 && p.value[tni_mesh_param_find(g, "distort")].n == 0)
    return tni_item_fail(b->ctx, item, g->name, "%s: 'seed' belongs to 'distort'", g->name);
  return tni_mesh_generate(b->ctx, g, &p, out);
}

/* beside the model file; NULL: no memory */
static const char *path_of(tni_builder *b, const tni_value *v) {
  const char *model = v->at.file ? v->at.file : "", *slash = strrchr(model, '/');
  return v->text[0] == '/' || !slash ? v->text : tni_arena_printf(b->arena, "%.*s/%s", (int)(slash - model), model, v->text);
}

static tn_status read_file(tni_builder *b, const tni_item *item, const tni_value *v, tni_mesh **out) {
  const char *path = path_of(b, v);
  if (!path) return tni_out_of_memory(b->ctx);
  if (!tni_item_bool(item, "expand", false)) return tni_mesh_read(b->ctx, item->name, path, NULL, out);
  const char *dot = strrchr(path, '.');
  if (!dot || strcmp(dot, ".inp") != 0) return tni_item_fail(b->ctx, item, "expand", "'expand' is for .inp files");
  tni_mesh *flat;
  tni_deck *deck;
  TN_TRY(tni_inp_read(b->ctx, item->name, path, &flat, &deck));
  tn_status st = tni_inp_expand(flat, deck, out, NULL);
  if (st == TN_OK && !*out) {
    *out = flat;
    flat = NULL;
  }
  tni_mesh_destroy(&flat);
  tni_deck_destroy(&deck);
  return st;
}

static tn_status read_parts(tni_builder *b, const tni_item *item, tni_mesh *m) {
  const tni_value *v = tni_item_get(item, "parts");
  if (!v) return TN_OK;
  const char *path = path_of(b, v);
  if (!path) return tni_out_of_memory(b->ctx);
  TNI_ARENA_NEW(&m->arena, m->cut, m->ncell);
  return tni_mesh_read_parts(m, path, m->cut, &m->ncut);
}

/* name: mesh, or name: {mesh: name, at: ..., orientation: ...} */
static tn_status read_joined(tni_builder *b, const tni_item *item, const char *name, const tni_value *v, tni_mesh_joined *p) {
  static const tni_key at = {.name = "at", .kind = TNI_KIND_VEC3}, turn = {.name = "orientation", .kind = TNI_KIND_ROTATION};
  static const char *const known[] = {"mesh", "at", "orientation"};
  const char *mesh = v->form == TNI_TEXT ? v->text : NULL;
  *p = (tni_mesh_joined){.name = name};
  mat3_identity(p->R);
  if (strcmp(name, "all") == 0) return tni_place_fail(b->ctx, v->at, item, "join: 'all' is the group of everything; call the part otherwise");
  for (int i = 0; v->form == TNI_MAP && i < v->n; i++) {
    const tni_value *x = &v->item[i];
    if (strcmp(v->key[i], "mesh") == 0 && x->form == TNI_TEXT) {
      mesh = x->text;
    } else if (strcmp(v->key[i], "at") == 0) {
      TN_TRY(tni_value_check(b->ctx, item, &at, x));
      if (x->n < 3 && !b->model->planar) return tni_place_fail(b->ctx, x->at, item, "join: part %s: at must be [x, y, z]", tni_show(name).s);
      tni_value_vec3(x, p->at);
    } else if (strcmp(v->key[i], "orientation") == 0) {
      TN_TRY(tni_value_check(b->ctx, item, &turn, x));
      tni_value_rotation(x, p->R);
    } else {
      return tni_place_fail(b->ctx, x->at, item, "join: part %s: unknown key %s%s", tni_show(name).s, tni_show(v->key[i]).s,
                            tni_hint_for(v->key[i], known, TNI_COUNT(known)).s);
    }
  }
  if (!mesh)
    return tni_place_fail(b->ctx, v->at, item, "join: part %s must be the name of a mesh, or {mesh: name, at: [x, y, z], orientation: ...}",
                          tni_show(name).s);
  return tni_mesh_of(b, item, "join", mesh, &p->mesh);
}

static tn_status join(tni_builder *b, const tni_item *item, tni_mesh **out) {
  enum { DEEPEST = 30 };
  const tni_value *v = tni_item_get(item, "join");
  tni_mesh_joined *part;
  if (v->form != TNI_MAP || v->n == 0)
    return tni_item_fail(b->ctx, item, "join", "join must be a map of parts, {part: mesh, ...}");
  if (b->mesh_depth >= DEEPEST)
    return tni_item_fail(b->ctx, item, "join", "meshes of meshes, %d deep: does one join itself?", DEEPEST);
  TNI_ARENA_NEW(b->arena, part, v->n);
  b->mesh_depth++;
  for (int i = 0; i < v->n; i++) TN_TRY(read_joined(b, item, v->key[i], &v->item[i], &part[i]));
  b->mesh_depth--;
  const char *source = tni_arena_printf(b->arena, "%s:%d", v->at.file ? v->at.file : "", v->at.line);
  if (!source) return tni_out_of_memory(b->ctx);
  return tni_mesh_join(b->ctx, item->name, source, v->n, part, tni_item_number(item, "merge", 0), out);
}

/* with nodes in the middle of edges */
static bool is_second(tni_cell cell) {
  static const tni_cell second[] = {TNI_CELL_LINE3, TNI_CELL_TRI6, TNI_CELL_QUAD8, TNI_CELL_TET10, TNI_CELL_WEDGE15, TNI_CELL_HEX20};
  for (int i = 0; i < TNI_COUNT(second); i++)
    if (cell == second[i]) return true;
  return false;
}

static tn_status make(tni_builder *b, const tni_item *item, tni_mesh **out) {
  const tni_value *file = tni_item_get(item, "file");
  const tni_mesh_generator *g = NULL;
  *out = NULL;
  for (int i = 0; tni_mesh_generators[i]; i++) {
    if (!tni_item_has(item, tni_mesh_generators[i]->name)) continue;
    if (g || file)
      return tni_item_fail(b->ctx, item, tni_mesh_generators[i]->name, "'%s' and '%s' in one mesh; make two",
                           g ? g->name : "file", tni_mesh_generators[i]->name);
    g = tni_mesh_generators[i];
  }
  bool joins = tni_item_has(item, "join");
  if (joins && (g || file)) return tni_item_fail(b->ctx, item, "join", "'join' and '%s' in one mesh; make two", g ? g->name : "file");
  if (!file && tni_item_has(item, "expand")) return tni_item_fail(b->ctx, item, "expand", "'expand' is for .inp files");
  if (!joins && tni_item_has(item, "merge")) return tni_item_fail(b->ctx, item, "merge", "'merge' is for 'join'");
  if (!g && !file && !joins) return tni_item_fail(b->ctx, item, NULL, "has neither 'file' nor 'join' nor a generator such as 'box'");
  TN_TRY(joins ? join(b, item, out) : g ? generate(b, item, g, out) : read_file(b, item, file, out));
  tni_mesh *m = *out;
  double R[9], at[3] = {0, 0, 0};
  mat3_identity(R);
  tni_item_rotation(item, "orientation", R);
  tni_item_vec3(item, "at", at);
  tni_mesh_move(m, tni_item_number(item, "scale", 1), R, at);
  int order = tni_item_integer(item, "order", 0);
  for (int i = 0; i < m->nblock && order == 1; i++)
    if (is_second(m->block[i].cell)) {
      tn_status st = tni_item_fail(b->ctx, item, "order", "mesh '%s' has cells %s, which are not made cells of first order", item->name,
                                   tni_cell_of(m->block[i].cell)->name);
      tni_mesh_destroy(out);
      return st;
    }
  if (order != 2) return TN_OK;
  tni_mesh *second;
  tn_status st = tni_mesh_promote(m, &second);
  tni_mesh_destroy(&m);
  *out = st == TN_OK ? second : NULL;
  return st;
}

tn_status tni_mesh_of(tni_builder *b, const tni_item *item, const char *key, const char *name, const tni_mesh **out) {
  tn_model *m = b->model;
  for (int i = 0; i < m->nmesh; i++)
    if (strcmp(m->mesh[i]->name, name) == 0) {
      *out = m->mesh[i];
      return TN_OK;
    }
  const tni_item *where = tni_spec_find(b->spec, "meshes", name);
  if (!where)
    return tni_item_fail(b->ctx, item, key, "no mesh %s; meshes are written in the section 'meshes'", tni_show(name).s);
  tni_mesh *made;
  TN_TRY(make(b, where, &made)); /* which may make others */
  tn_status st = read_parts(b, where, made);
  void *items = m->mesh;
  if (st == TN_OK && !tni_arena_grow(b->arena, &items, m->nmesh, &b->mesh_cap, sizeof(tni_mesh *))) st = tni_out_of_memory(b->ctx);
  m->mesh = items;
  if (st != TN_OK) tni_mesh_destroy(&made);
  TN_TRY(st);
  m->mesh[m->nmesh++] = made;
  *out = made;
  return TN_OK;
}
