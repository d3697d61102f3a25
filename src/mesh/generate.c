/* mesh/generate.c - the list of generators, their parameters, what all of them share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh/generators.h"
#include "mesh/quality.h"
#include "mesh/skin.h"

const tni_mesh_generator *const tni_mesh_generators[] = {
#define X(name) &tni_mesh_##name,
    TNI_MESH_GENERATOR_LIST(X)
#undef X
    NULL};

const tni_mesh_param tni_mesh_common_params[TNI_MESH_NCOMMON] = {
    {"origin", TNI_PARAM_NUMBERS, 0, 3, -1e9, 1e9, false, "m", "0, 0, 0", NULL, "Where the origin of the generator comes to lie."},
    {"distort", TNI_PARAM_NUMBERS, 0, 1, 0, 0.5, false, NULL, "0", NULL,
     "Moves inner nodes at random, by up to this share of the shortest edge at the node along each axis; the outside stays."},
    {"seed", TNI_PARAM_COUNTS, 0, 1, 0, 1e9, false, NULL, "1", NULL, "Chooses the random moves of distort."},
};

const tni_mesh_generator *tni_mesh_generator_find(const char *name) {
  for (int i = 0; tni_mesh_generators[i]; i++) {
    if (strcmp(tni_mesh_generators[i]->name, name) == 0) return tni_mesh_generators[i];
  }
  return NULL;
}

const tni_mesh_param *tni_mesh_param_at(const tni_mesh_generator *g, int i) {
  return i < g->nparam ? &g->param[i] : &tni_mesh_common_params[i - g->nparam];
}

int tni_mesh_param_find(const tni_mesh_generator *g, const char *name) {
  for (int i = 0; i < g->nparam + TNI_MESH_NCOMMON; i++) {
    if (strcmp(tni_mesh_param_at(g, i)->name, name) == 0) return i;
  }
  return -1;
}

const tni_mesh_value *tni_mesh_value_of(const tni_mesh_generator *g, const tni_mesh_params *p, const char *name) {
  return &p->value[tni_mesh_param_find(g, name)];
}

tni_cell tni_mesh_cell_chosen(const tni_mesh_generator *g, const tni_mesh_params *p) {
  return (tni_cell)tni_cell_named(tni_mesh_value_of(g, p, "cell")->word);
}

/* --- values --- */

/* is the word one of "a|b|c" */
static bool is_choice(const char *choices, const char *word) {
  size_t n = strlen(word);
  for (const char *c = choices; n > 0;) {
    size_t k = strcspn(c, "|");
    if (k == n && memcmp(c, word, n) == 0) return true;
    if (!c[k]) return false;
    c += k + 1;
  }
  return false;
}

static void read_numbers(const char *text, tni_mesh_value *v) {
  v->n = 0;
  while (*text && v->n < TNI_MESH_MAXVALUE) {
    char *end;
    v->number[v->n++] = strtod(text, &end);
    if (end == text) return;
    text = end + strspn(end, ", ");
  }
}

static tn_status check_value(tn_ctx *ctx, const char *place, const tni_mesh_param *k, const tni_mesh_value *v) {
  if (k->kind == TNI_PARAM_WORD) {
    TN_REQUIRE(ctx, v->word && is_choice(k->choices, v->word), TN_ERR_INPUT, "%s: %s: '%s' is unknown, allowed: %s", place,
               k->name, v->word ? v->word : "", k->choices);
    return TN_OK;
  }
  int least = k->least > 0 ? k->least : k->least < 0 ? -k->least : k->most;
  TN_REQUIRE(ctx, v->n >= least && v->n <= k->most, TN_ERR_INPUT, "%s: %s has %d numbers, needs %d%s%.0d", place, k->name, v->n,
             least, k->most > least ? " to " : "", k->most > least ? k->most : 0);
  for (int i = 0; i < v->n; i++) {
    double x = v->number[i];
    TN_REQUIRE(ctx, isfinite(x) && (k->above ? x > k->min : x >= k->min) && x <= k->max, TN_ERR_INPUT,
               "%s: %s: %g, must be %s %g and at most %g", place, k->name, x, k->above ? "above" : "at least", k->min, k->max);
    TN_REQUIRE(ctx, k->kind != TNI_PARAM_COUNTS || x == floor(x), TN_ERR_INPUT, "%s: %s: %g, must be a whole number", place,
               k->name, x);
  }
  return TN_OK;
}

/* values with defaults filled in */
static tn_status complete(tn_ctx *ctx, const tni_mesh_generator *g, const char *place, tni_mesh_params *p) {
  for (int i = 0; i < g->nparam + TNI_MESH_NCOMMON; i++) {
    const tni_mesh_param *k = tni_mesh_param_at(g, i);
    tni_mesh_value *v = &p->value[i];
    TN_REQUIRE(ctx, v->n > 0 || k->least <= 0, TN_ERR_INPUT, "%s: %s is missing: %s", place, k->name, k->doc);
    if (v->n > 0) {
      TN_TRY(check_value(ctx, place, k, v));
    } else if (k->initial && k->kind == TNI_PARAM_WORD) {
      v->word = k->initial;
    } else if (k->initial) {
      read_numbers(k->initial, v);
    }
  }
  return TN_OK;
}

/* --- distortion --- */

/* uniform in (-1, 1), the same for the same node, axis and seed */
static double noise(uint64_t seed, int node, int axis) {
  uint64_t z = seed*0x9E3779B97F4A7C15u + 3*(uint64_t)node + (uint64_t)axis + 1;
  for (int i = 0; i < 3; i++) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27))*0x94D049BB133111EBu;
    z ^= z >> 31;
  }
  return (double)(z >> 11)*(2.0/9007199254740992.0) - 1;
}

/* nodes on the outside: of solids the skin, of plane cells and shells the boundary, of lines every one */
static tn_status find_outside(const tni_mesh *m, tni_arena *work, char *outside) {
  tni_mesh_faces faces;
  int top = 0, node[TNI_CELL_MAXFACENODE];
  for (int k = 0; k < m->nblock; k++) {
    const tni_cell_shape *s = tni_cell_of(m->block[k].cell);
    if (s->dim > top) top = s->dim;
  }
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *of = tni_mesh_nodes(m, c, &s);
    for (int a = 0; s->dim < top && a < s->nnode; a++) outside[of[a]] = 1;
  }
  if (top < 2) {
    memset(outside, 1, (size_t)m->nnode);
    return TN_OK;
  }
  TN_TRY(tni_mesh_faces_create(m, top, work, &faces));
  for (int i = 0; i < faces.n; i++) {
    if (faces.count[i] == 2) continue;
    const tni_cell_shape *s = tni_mesh_face(m, faces.cell[i][0], faces.face[i][0], node);
    for (int a = 0; a < s->nnode; a++) outside[node[a]] = 1;
  }
  return TN_OK;
}

static tn_status distort(tni_mesh *m, double share, uint64_t seed, tni_arena *work) {
  char *outside;
  double *shortest;
  TNI_ARENA_NEW(work, outside, m->nnode);
  TNI_ARENA_NEW(work, shortest, m->nnode);
  TN_TRY(find_outside(m, work, outside));
  for (int i = 0; i < m->nnode; i++) shortest[i] = 1e300;
  for (int c = 0; c < m->ncell; c++) {
    double x[TNI_CELL_MAXNODE][3];
    const tni_cell_shape *s = tni_mesh_places(m, c, x);
    const int *node = tni_mesh_nodes(m, c, NULL);
    for (int e = 0; e < s->nedge; e++) {
      int a = s->edge[e][0], b = s->edge[e][1];
      double l = sqrt(pow(x[a][0] - x[b][0], 2) + pow(x[a][1] - x[b][1], 2) + pow(x[a][2] - x[b][2], 2));
      if (l < shortest[node[a]]) shortest[node[a]] = l;
      if (l < shortest[node[b]]) shortest[node[b]] = l;
    }
  }
  for (int i = 0; i < m->nnode; i++) {
    if (outside[i] || shortest[i] > 1e299) continue; /* middles follow below */
    for (int k = 0; k < m->dim; k++) m->x[3*(size_t)i+(size_t)k] += share*shortest[i]*noise(seed, i, k);
  }
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, c, &s);
    for (int e = 0; s->order == 2 && e < s->nedge; e++) {
      size_t a = (size_t)node[s->edge[e][0]], b = (size_t)node[s->edge[e][1]], mid = (size_t)node[s->edge[e][2]];
      for (int k = 0; !outside[mid] && k < m->dim; k++) m->x[3*mid+(size_t)k] = 0.5*(m->x[3*a+(size_t)k] + m->x[3*b+(size_t)k]);
    }
  }
  return TN_OK;
}

/* --- all together --- */

void tni_mesh_add_all(tni_mesh_builder *b) {
  int nodes = tni_mesh_add_set(b, "all", TNI_SET_NODES), cells = tni_mesh_add_set(b, "all", TNI_SET_CELLS);
  for (int i = 0; i < tni_mesh_building_nodes(b); i++) tni_mesh_add_member(b, nodes, i, 0);
  for (int i = 0; i < tni_mesh_building_cells(b); i++) tni_mesh_add_member(b, cells, i, 0);
}

static tn_status finish(const char *place, const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh *m) {
  const double *origin = p->value[g->nparam].number;
  double share = p->value[g->nparam+1].number[0], seed = p->value[g->nparam+2].number[0];
  if (share > 0) {
    tni_arena work;
    tni_arena_init(&work, m->ctx);
    tn_status st = distort(m, share, (uint64_t)seed, &work);
    tni_arena_clear(&work);
    TN_TRY(st);
  }
  for (int i = 0; i < 3*m->nnode; i++) m->x[i] += origin[i%3];
  int worst;
  double least = tni_mesh_worst_jacobian(m, &worst);
  TN_REQUIRE(m->ctx, least > 0 || share == 0, TN_ERR_INPUT,
             "%s: distort: %g turns cell %lld inside out, use less", place, share, (long long)tni_mesh_cell_gid(m, worst));
  TN_REQUIRE(m->ctx, least > 0, TN_ERR_INPUT, "%s: %s: cell %lld is turned inside out by these dimensions", place, g->name,
             (long long)tni_mesh_cell_gid(m, worst));
  return TN_OK;
}

tn_status tni_mesh_generate(tn_ctx *ctx, const tni_mesh_generator *g, const tni_mesh_params *params, tni_mesh **out) {
  char source[TNI_WHERE_MAX];
  tni_mesh_params p = *params;
  tni_mesh_builder *b;
  const char *place = p.place ? p.place : g->name;
  *out = NULL;
  TN_TRY(complete(ctx, g, place, &p));
  p.place = place;
  snprintf(source, sizeof(source), "%s (%s)", p.name ? p.name : "mesh", g->name);
  TN_TRY(tni_mesh_begin(ctx, p.name, source, &b));
  tn_status st = g->build(g, &p, b);
  if (st != TN_OK) {
    tni_mesh_abandon(&b);
    return st;
  }
  tni_mesh_add_all(b);
  TN_TRY(tni_mesh_finish(&b, out));
  st = finish(place, g, &p, *out);
  if (st != TN_OK) tni_mesh_destroy(out);
  return st;
}

tn_status tni_mesh_from_text(tn_ctx *ctx, const char *text, tni_mesh **out) {
  char copy[1000], *rest = copy, *word;
  const tni_mesh_generator *g = NULL;
  tni_mesh_params p = {0};
  *out = NULL;
  snprintf(copy, sizeof(copy), "%s", text);
  while (*(rest += strspn(rest, " "))) {
    word = rest;
    rest += strcspn(rest, " ");
    if (*rest) *rest++ = 0;
    if (!g) {
      g = tni_mesh_generator_find(word);
      TN_REQUIRE(ctx, g, TN_ERR_INPUT, "there is no generator '%s'", word);
      continue;
    }
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    int i = tni_mesh_param_find(g, word);
    TN_REQUIRE(ctx, value && i >= 0, TN_ERR_INPUT, "%s has no parameter '%s'", g->name, word);
    tni_mesh_value *v = &p.value[i];
    if (tni_mesh_param_at(g, i)->kind == TNI_PARAM_WORD) {
      v->word = value;
      v->n = 1;
    } else {
      read_numbers(value, v);
    }
  }
  TN_REQUIRE(ctx, g, TN_ERR_INPUT, "no generator is named");
  p.name = g->name;
  return tni_mesh_generate(ctx, g, &p, out);
}
