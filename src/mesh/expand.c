/* mesh/expand.c - shells, beams and plane stress of decks as solids
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/expand.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

static const double SAME_EXPLICIT = 0.99996192306417131, SAME = 0.93969262078590843; /* cosines of 0.5 and 20 degrees */

/* what becomes of a type: shape, label; the label goes on with 'R' where that of the deck does */
static const struct {
  const char *label;
  tni_way_kind kind;
  tni_cell cell;
  const char *becomes;
} types[] = {
    {"S3", TNI_WAY_SHELL, TNI_CELL_WEDGE6, "C3D6"}, {"S4", TNI_WAY_SHELL, TNI_CELL_HEX8, "C3D8I"}, {"S4R", TNI_WAY_SHELL, TNI_CELL_HEX8, "C3D8R"},
    {"S6", TNI_WAY_SHELL, TNI_CELL_WEDGE15, "C3D15"}, {"S8", TNI_WAY_SHELL, TNI_CELL_HEX20, "C3D20"}, {"S8R", TNI_WAY_SHELL, TNI_CELL_HEX20, "C3D20R"},
    {"B31", TNI_WAY_BEAM, TNI_CELL_HEX8, "C3D8I"}, {"B31R", TNI_WAY_BEAM, TNI_CELL_HEX8, "C3D8R"}, {"B32", TNI_WAY_BEAM, TNI_CELL_HEX20, "C3D20"},
    {"B32R", TNI_WAY_BEAM, TNI_CELL_HEX20, "C3D20R"}, {"CPS3", TNI_WAY_PLANE, TNI_CELL_WEDGE6, "C3D6"}, {"CPS4", TNI_WAY_PLANE, TNI_CELL_HEX8, "C3D8"},
    {"CPS6", TNI_WAY_PLANE, TNI_CELL_WEDGE15, "C3D15"}, {"CPS8", TNI_WAY_PLANE, TNI_CELL_HEX20, "C3D20"}, {"CPS8R", TNI_WAY_PLANE, TNI_CELL_HEX20, "C3D20R"}};

static int type_of(const tni_mesh_block *b) {
  for (int i = 0; i < TNI_COUNT(types); i++)
    if (b->label && strcmp(types[i].label, b->label) == 0) return i;
  return -1;
}

/* an element as its section and the cards of normals describe it */
typedef struct {
  int type;                 /* -1: it stays */
  bool nodal;               /* thickness from *NODAL THICKNESS */
  double t[2], offset[2], n1[3];
  bool round;
} element;

/* an element at a node */
typedef struct {
  int cell, local;
  tn_gid gid;
  double n1[3], n2[3], axis[3], t[2]; /* axis: along a beam */
  bool explicitly, done;
} meeting;

typedef struct {
  const tni_mesh *flat;
  const tni_deck *deck;
  tn_ctx *ctx;
  tni_mesh_builder *b;
  tni_expansion *x;
  tni_arena work;
  element *element;
  double (*thickness)[2];   /* [nnode] *NODAL THICKNESS, 0: none */
  int *begin, *at;          /* [nnode+1], cells at nodes and local numbers: at[2 k] */
  int *way_of;              /* [cells at nodes] */
  bool *turned;             /* [nnode] rotations or moments in a deck that moves */
  tn_gid last;
} expander;

static tn_status refuse(const expander *v, const tni_card *c, int line, const char *fmt, ...) TN_PRINTF(4, 5);
static tn_status refuse(const expander *v, const tni_card *c, int line, const char *fmt, ...) {
  char what[300];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof(what), fmt, ap);
  va_end(ap);
  return TN_FAIL(v->ctx, TN_ERR_INPUT, "%s:%d: *%s: %s", c->file, line ? line : c->line, c->keyword, what);
}

static bool number(const char *s, double *x) {
  char text[64], *end;
  if (!s || !*s || strlen(s) >= sizeof(text)) return false;
  snprintf(text, sizeof(text), "%s", s);
  for (char *c = text; *c; c++)
    if (*c == 'd' || *c == 'D') *c = 'e';
  *x = strtod(text, &end);
  return *end == 0 && isfinite(*x);
}

static bool same(const char *a, const char *b) {
  for (; *a && toupper((unsigned char)*a) == toupper((unsigned char)*b); a++, b++) {}
  return toupper((unsigned char)*a) == toupper((unsigned char)*b);
}

/* numbers of a data line, empty ones and those that are not there 0; *n: how many fields */
static tn_status numbers(const expander *v, const tni_card *c, int line, int first, int most, double *x, int *n) {
  char text[4096];
  const char *field[64];
  *n = line < c->ndata ? tni_card_fields(c->data[line], text, sizeof(text), field, 64) : 0;
  for (int i = 0; i < most; i++) {
    x[i] = 0;
    if (first + i >= *n || !field[first + i][0]) continue;
    if (!number(field[first + i], &x[i])) return refuse(v, c, c->data_line[line], "'%.40s' is not a number", field[first + i]);
  }
  return TN_OK;
}

/* ---- sections ----------------------------------------------------------------------------------------- */

static tn_status read_section(expander *v, const tni_card *c, element *e, bool *known) {
  bool shell = strcmp(c->keyword, "SHELLSECTION") == 0, beam = strcmp(c->keyword, "BEAMSECTION") == 0;
  double x[6];
  int n;
  *e = (element){.nodal = tni_card_value(c, "NODAL THICKNESS") != NULL};
  *known = shell || beam || strcmp(c->keyword, "SOLIDSECTION") == 0;
  if (strcmp(c->keyword, "BEAMGENERALSECTION") == 0) return refuse(v, c, 0, "the card is not understood; write *BEAM SECTION");
  if (!*known) return TN_OK;
  for (int i = 0; i < 2 && (shell || beam); i++) {
    const char *offset = tni_card_value(c, shell ? "OFFSET" : i ? "OFFSET2" : "OFFSET1");
    if (offset && (i == 0 || beam) && !number(offset, &e->offset[i])) return refuse(v, c, 0, "OFFSET must be a number");
  }
  TN_TRY(numbers(v, c, 0, 0, 2, x, &n));
  e->t[0] = n > 0 ? x[0] : shell || beam ? 0 : 1;
  e->t[1] = beam ? (n > 1 ? x[1] : x[0]) : 1;
  if (shell && tni_card_value(c, "COMPOSITE")) return refuse(v, c, 0, "COMPOSITE is not understood");
  if (!beam) return TN_OK;
  const char *section = tni_card_value(c, "SECTION");
  e->round = section && same(section, "CIRC");
  if (!section || !(e->round || same(section, "RECT") || same(section, "RECTANGULAR")))
    return refuse(v, c, 0, "SECTION=%.40s is not understood, known: RECT, CIRC", section ? section : "");
  TN_TRY(numbers(v, c, 1, 0, 3, x, &n));
  vec3_set(e->n1, 0, 0, -1);
  if (n > 0) vec3_copy(e->n1, x);
  return TN_OK;
}

static tn_status read_sections(expander *v) {
  for (int k = 0; k < v->deck->ncard; k++) {
    const tni_card *c = &v->deck->card[k];
    const char *elset = tni_card_value(c, "ELSET");
    element e;
    bool known;
    TN_TRY(read_section(v, c, &e, &known));
    const tni_mesh_set *set = known && elset ? tni_deck_find_set(v->flat, elset, TNI_SET_CELLS) : NULL;
    for (int i = 0; set && i < set->n; i++) {
      e.type = v->element[set->member[i]].type;
      v->element[set->member[i]] = e;
    }
  }
  return TN_OK;
}

/* nodes of a set or of a number: calls for each; false: there are none of that name */
static bool nodes_named(const expander *v, const char *name, int *n, const int **node, int one[1]) {
  const tni_mesh_set *set = tni_deck_find_set(v->flat, name, TNI_SET_NODES);
  double gid;
  *node = set ? set->member : one;
  *n = set ? set->n : 1;
  if (set) return true;
  return number(name, &gid) && (one[0] = tni_mesh_node_of(v->flat, (tn_gid)gid)) >= 0;
}

static tn_status read_nodes(expander *v) {
  bool moves = false;
  for (int k = 0; k < v->deck->ncard; k++) moves = moves || strcmp(v->deck->card[k].keyword, "DYNAMIC") == 0;
  for (int k = 0; k < v->deck->ncard; k++) {
    const tni_card *c = &v->deck->card[k];
    bool thick = strcmp(c->keyword, "NODALTHICKNESS") == 0, held = moves && strcmp(c->keyword, "BOUNDARY") == 0;
    if (!thick && !held && !(moves && strcmp(c->keyword, "CLOAD") == 0)) continue;
    for (int i = 0; i < c->ndata; i++) {
      char text[4096];
      const char *field[64];
      int n = tni_card_fields(c->data[i], text, sizeof(text), field, 64), count, one[1];
      const int *node;
      double x[2];
      if (n < 1 || !nodes_named(v, field[0], &count, &node, one)) continue;
      TN_TRY(numbers(v, c, i, 1, 2, x, &n));
      bool turns = x[0] >= 4 || (held && x[1] >= 4);
      for (int a = 0; a < count; a++) {
        if (thick) v->thickness[node[a]][0] = x[0], v->thickness[node[a]][1] = n > 2 ? x[1] : x[0];
        else if (turns) v->turned[node[a]] = true;
      }
    }
  }
  return TN_OK;
}

/* ---- normals ------------------------------------------------------------------------------------------- */

static tn_status describe(const expander *v, int node, meeting *m) {
  const element *e = &v->element[m->cell];
  const tni_cell_shape *s;
  const int *own = tni_mesh_nodes(v->flat, m->cell, &s);
  tni_cell cell = (tni_cell)(s - tni_cell_shapes);
  double dN[TNI_CELL_MAXNODE][3], d[2][3] = {{0}};
  tni_way_kind kind = types[e->type].kind;
  tni_cell_interpolate(cell, tni_cell_reference(cell)[m->local], NULL, dN);
  for (int a = 0; a < s->nnode; a++)
    for (int k = 0; k < 2; k++) vec3_addmul(d[k], dN[a][k], v->flat->x + 3*(size_t)own[a]);
  for (int k = 0; k < 2; k++) m->t[k] = e->nodal ? v->thickness[node][k] : e->t[k];
  bool sound = true;
  if (kind == TNI_WAY_BEAM) {
    sound = vec3_normalize(m->axis, d[0]) > 0;
    vec3_cross(m->n2, m->axis, e->n1);
    sound = sound && vec3_normalize(m->n2, m->n2) > 1e-10*vec3_norm(e->n1);
  } else if (kind == TNI_WAY_SHELL) {
    vec3_cross(m->n2, d[0], d[1]);
    sound = vec3_normalize(m->n2, m->n2) > 0;
  } else {
    vec3_set(m->n2, 0, 0, 1);
  }
  for (int k = 0; k < v->deck->ncard; k++) {
    const tni_card *c = &v->deck->card[k];
    for (int i = 0; i < c->ndata && strcmp(c->keyword, "NORMAL") == 0; i++) {
      double x[5];
      int n;
      TN_TRY(numbers(v, c, i, 0, 5, x, &n));
      if ((tn_gid)x[0] != m->gid || (tn_gid)x[1] != v->flat->gid[node]) continue;
      if (!(vec3_normalize(m->n2, x + 2) > 0)) return refuse(v, c, c->data_line[i], "the normal has no length");
      m->explicitly = sound = true;
    }
  }
  if (!sound || !(m->t[0] > 0) || !(m->t[1] > 0))
    return TN_FAIL(v->ctx, TN_ERR_INPUT, "%s: element %lld has no %s at node %lld", v->flat->source, (long long)m->gid,
                   sound ? "thickness (*SHELL SECTION, *BEAM SECTION, *SOLID SECTION, *NODAL THICKNESS)" : "normal", (long long)v->flat->gid[node]);
  return TN_OK;
}

static bool go_together(const expander *v, const meeting *a, const meeting *b, double cosine) {
  const element *e = &v->element[a->cell], *f = &v->element[b->cell];
  bool beam = types[e->type].kind == TNI_WAY_BEAM;
  if (types[e->type].kind != types[f->type].kind || e->round != f->round || vec3_dot(a->n2, b->n2) < cosine) return false;
  if (beam && vec3_dot(a->axis, b->axis) < cosine) return false;
  for (int k = 0; k < (beam ? 2 : 1); k++)
    if (a->t[k] != b->t[k] || e->offset[k] != f->offset[k]) return false;
  return true;
}

/* the elements that go with m[first] become one way */
static tn_status make_way(expander *v, meeting *m, int n, int first, double cosine, int node) {
  tni_expansion *x = v->x;
  const element *e = &v->element[m[first].cell];
  tni_way *w = &x->way[x->nway];
  meeting mean = m[first], own = m[first];
  *w = (tni_way){.kind = types[e->type].kind, .round = e->round, .linear = tni_cell_of(types[e->type].cell)->order == 1, .t = {own.t[0], own.t[1]}, .offset = {e->offset[0], e->offset[1]}};
  for (int k = 0; k < TNI_WAY_NODES; k++) w->node[k] = -1;
  vec3_set(mean.n2, 0, 0, 0), vec3_set(mean.axis, 0, 0, 0);
  for (int i = 0; i < n; i++) {
    if (m[i].done || (i != first && !go_together(v, &own, &m[i], cosine))) continue;
    m[i].done = true;
    vec3_add(mean.n2, mean.n2, m[i].n2);
    vec3_add(mean.axis, mean.axis, m[i].axis);
    w->cells++;
    for (int k = v->begin[node]; k < v->begin[node+1]; k++)
      if (v->at[2*k] == m[i].cell && v->at[2*k+1] == m[i].local) v->way_of[k] = x->nway;
  }
  if (w->kind == TNI_WAY_BEAM) {
    vec3_normalize(mean.axis, mean.axis);
    vec3_addmul(mean.n2, -vec3_dot(mean.n2, mean.axis), mean.axis);
  }
  if (!(vec3_normalize(w->n2, mean.n2) > 0)) return TN_FAIL(v->ctx, TN_ERR_INPUT, "%s: node %lld has no normal", v->flat->source, (long long)v->flat->gid[node]);
  vec3_cross(w->n1, w->n2, mean.axis);
  x->nway++;
  return TN_OK;
}

static int by_gid(const void *a, const void *b) {
  const meeting *x = a, *y = b;
  return (x->gid > y->gid) - (x->gid < y->gid);
}

static tn_status find_ways(expander *v, int node, meeting *m) {
  tni_expanded *to = &v->x->node[node];
  int n = 0;
  *to = (tni_expanded){.first = v->x->nway, .turn = -1, .stretch = -1};
  for (int k = v->begin[node]; k < v->begin[node+1]; k++) {
    m[n] = (meeting){.cell = v->at[2*k], .local = v->at[2*k+1], .gid = tni_mesh_cell_gid(v->flat, v->at[2*k])};
    TN_TRY(describe(v, node, &m[n++]));
  }
  qsort(m, (size_t)n, sizeof(*m), by_gid);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++)
      if (!m[i].done && (pass == 1 || m[i].explicitly)) TN_TRY(make_way(v, m, n, i, pass ? SAME : SAME_EXPLICIT, node));
  to->n = v->x->nway - to->first;
  for (int i = 0; i < to->n; i++)
    if (v->x->way[to->first + i].kind == TNI_WAY_PLANE && to->n > 1)
      return TN_FAIL(v->ctx, TN_ERR_INPUT, "%s: node %lld: plane stress of another thickness or beside other elements is not understood", v->flat->source,
                     (long long)v->flat->gid[node]);
  return TN_OK;
}

/* ---- nodes ---------------------------------------------------------------------------------------------- */

/* corners of a beam in turn as those of a brick at one end, then the middles between them */
static const double around[8][2] = {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}, {0, -.5}, {.5, 0}, {0, .5}, {-.5, 0}};

static int node_of(expander *v, int original, tni_way *w, int k) {
  double p[3];
  if (w->node[k] >= 0) return w->node[k];
  if (w->kind == TNI_WAY_PLANE && k == 1) return w->node[k] = original;
  vec3_copy(p, v->flat->x + 3*(size_t)original);
  if (w->kind == TNI_WAY_BEAM) {
    double shrink = w->round && k < 4 ? sqrt(0.5) : 1;
    vec3_addmul(p, w->t[0]*(shrink*around[k][0] - w->offset[0]), w->n1);
    vec3_addmul(p, w->t[1]*(shrink*around[k][1] - w->offset[1]), w->n2);
  } else {
    w->place[k] = w->t[0]*(0.5*(k - 1) - w->offset[0]);
    vec3_addmul(p, w->place[k], w->n2);
  }
  return w->node[k] = tni_mesh_add_node(v->b, ++v->last, p[0], p[1], p[2]);
}

static void add_solid(expander *v, int cell, const tni_mesh_block *b, int in_block) {
  const tni_cell_shape *s = tni_cell_of(b->cell);
  const int *own = b->node + in_block*s->nnode;
  int type = v->element[cell].type, node[TNI_CELL_MAXNODE], corners = s->ncorner;
  tni_way *w[8];
  for (int a = 0; a < s->nnode; a++)
    for (int k = v->begin[own[a]]; k < v->begin[own[a]+1]; k++)
      if (v->at[2*k] == cell && v->at[2*k+1] == a) w[a] = &v->x->way[v->way_of[k]];
  if (types[type].kind == TNI_WAY_BEAM) { /* from the face 0 3 7 4 of a brick to the face 1 2 6 5 */
    static const int corner[4][2] = {{0, 1}, {3, 2}, {7, 6}, {4, 5}}, side[4][2] = {{11, 9}, {19, 18}, {15, 13}, {16, 17}}, along[4] = {8, 10, 14, 12};
    for (int k = 0; k < 4; k++)
      for (int end = 0; end < 2; end++) {
        node[corner[k][end]] = node_of(v, own[end], w[end], k);
        if (s->order == 2) node[side[k][end]] = node_of(v, own[end], w[end], 4 + k);
      }
    for (int k = 0; k < 4 && s->order == 2; k++) node[along[k]] = node_of(v, own[2], w[2], k);
  } else {
    for (int a = 0; a < corners; a++) {
      node[a] = node_of(v, own[a], w[a], 0);
      node[corners + a] = node_of(v, own[a], w[a], 2);
      if (s->order == 1) continue;
      node[4*corners + a] = node_of(v, own[a], w[a], 1);
      node[2*corners + a] = node_of(v, own[corners + a], w[corners + a], 0);
      node[3*corners + a] = node_of(v, own[corners + a], w[corners + a], 2);
    }
  }
  tni_mesh_add_cell(v->b, types[type].cell, types[type].becomes, b->gid[in_block], node);
}

/* are all nodes of the ways in the plane of a beam's section? */
static bool lies_flat(const tni_way *w, int n, const tni_way **beam) {
  double axis[3];
  *beam = NULL;
  for (int i = 0; i < n && !*beam; i++)
    if (w[i].kind == TNI_WAY_BEAM) *beam = &w[i];
  if (!*beam) return false;
  vec3_cross(axis, (*beam)->n1, (*beam)->n2);
  for (int i = 0; i < n; i++)
    if (fabs(vec3_dot(axis, w[i].n2)) > 1e-6 || (w[i].kind == TNI_WAY_BEAM && fabs(vec3_dot(axis, w[i].n1)) > 1e-6)) return false;
  return true;
}

static void tie_knots(expander *v) {
  for (int i = 0; i < v->flat->nnode; i++) {
    tni_expanded *e = &v->x->node[i];
    const double *p = v->flat->x + 3*(size_t)i;
    const tni_way *w = &v->x->way[e->first], *beam;
    if (e->n == 0 || w->kind == TNI_WAY_PLANE || (e->n == 1 && !v->turned[i])) continue;
    e->flat = lies_flat(w, e->n, &beam);
    e->turn = tni_mesh_add_node(v->b, ++v->last, p[0], p[1], p[2]);
    e->stretch = tni_mesh_add_node(v->b, ++v->last, p[0], p[1], p[2]);
  }
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* cells at nodes; the number of them */
static int list_cells(expander *v) {
  const tni_mesh *m = v->flat;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < m->nblock; k++) {
      const tni_mesh_block *b = &m->block[k];
      int nn = tni_cell_of(b->cell)->nnode;
      if (type_of(b) < 0) continue;
      for (int i = 0; i < b->n*nn; i++) {
        int node = b->node[i];
        if (pass == 0) {
          v->begin[node+1]++;
          continue;
        }
        int to = v->begin[node]++;
        v->at[2*to] = b->first + i/nn;
        v->at[2*to+1] = i % nn;
      }
    }
    for (int i = 0; i < m->nnode && pass == 0; i++) v->begin[i+1] += v->begin[i];
    if (pass == 0 && !(v->at = tni_arena_alloc(&v->work, 2*(size_t)v->begin[m->nnode] + 1, sizeof(int)))) return -1;
  }
  for (int i = m->nnode; i > 0; i--) v->begin[i] = v->begin[i-1];
  v->begin[0] = 0;
  return v->begin[m->nnode];
}

static void copy_sets(expander *v) {
  const tni_mesh *m = v->flat;
  for (int k = 0; k < m->nset; k++) {
    const tni_mesh_set *set = &m->set[k];
    int id = tni_mesh_add_set(v->b, set->name, set->kind);
    for (int i = 0; i < set->n; i++) {
      int face = set->kind == TNI_SET_FACES ? set->face[i] : 0;
      if (set->kind == TNI_SET_FACES && v->element[set->member[i]].type >= 0)
        face = face == TNI_FACE_POSITIVE ? 1 : face == TNI_FACE_NEGATIVE ? 0 : face + 2;
      tni_mesh_add_member(v->b, id, set->member[i], face);
    }
  }
}

static tn_status expand(expander *v, tni_mesh **out) {
  const tni_mesh *m = v->flat;
  meeting *meet;
  TNI_ARENA_NEW(&v->work, v->element, m->ncell);
  TNI_ARENA_NEW(&v->work, v->thickness, m->nnode);
  TNI_ARENA_NEW(&v->work, v->turned, m->nnode);
  TNI_ARENA_NEW(&v->work, v->begin, m->nnode + 1);
  for (int k = 0; k < m->nblock; k++)
    for (int i = 0; i < m->block[k].n; i++) v->element[m->block[k].first + i].type = type_of(&m->block[k]);
  TN_TRY(read_sections(v));
  TN_TRY(read_nodes(v));
  int n = list_cells(v);
  if (n < 0) return tni_out_of_memory(v->ctx);
  TNI_ARENA_NEW(&v->work, v->way_of, n);
  TNI_ARENA_NEW(&v->work, meet, n);
  TNI_ARENA_NEW(&v->x->arena, v->x->node, m->nnode);
  TNI_ARENA_NEW(&v->x->arena, v->x->way, n);
  v->x->nnode = m->nnode;
  for (int i = 0; i < m->nnode; i++) {
    const double *p = m->x + 3*(size_t)i;
    TN_TRY(find_ways(v, i, meet));
    tni_mesh_add_node(v->b, m->gid[i], p[0], p[1], p[2]);
    if (m->gid[i] > v->last) v->last = m->gid[i];
  }
  for (int k = 0; k < m->nblock; k++)
    for (int i = 0; i < m->block[k].n; i++) {
      const tni_mesh_block *b = &m->block[k];
      if (v->element[b->first + i].type < 0) tni_mesh_add_cell(v->b, b->cell, b->label, b->gid[i], b->node + i*tni_cell_of(b->cell)->nnode);
      else add_solid(v, b->first + i, b, i);
    }
  tie_knots(v);
  copy_sets(v);
  return tni_mesh_finish(&v->b, out);
}

tn_status tni_inp_expand(const tni_mesh *flat, const tni_deck *deck, tni_mesh **out, tni_expansion **expansion) {
  expander v = {.flat = flat, .deck = deck, .ctx = flat->ctx};
  bool any = false;
  *out = NULL;
  if (expansion) *expansion = NULL;
  for (int k = 0; k < flat->nblock; k++) any = any || type_of(&flat->block[k]) >= 0;
  if (!any) return TN_OK;
  v.x = tni_alloc(flat->ctx, 1, sizeof(*v.x));
  if (!v.x) return tni_out_of_memory(flat->ctx);
  v.x->ctx = flat->ctx;
  tni_arena_init(&v.x->arena, flat->ctx);
  tni_arena_init(&v.work, flat->ctx);
  tn_status st = tni_mesh_begin(flat->ctx, flat->name, flat->source, &v.b);
  if (st == TN_OK) st = expand(&v, out);
  tni_mesh_abandon(&v.b);
  tni_arena_clear(&v.work);
  if (st == TN_OK && expansion) *expansion = v.x;
  else tni_expansion_destroy(&v.x);
  return st;
}

void tni_expansion_destroy(tni_expansion **px) {
  tni_expansion *x = *px;
  if (!x) return;
  tn_ctx *ctx = x->ctx;
  tni_arena_clear(&x->arena);
  tni_free(ctx, x);
  *px = NULL;
}
