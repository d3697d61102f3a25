/* mesh/lattice.c - cells in rows
 *
 * Points are numbered on a grid that is twice as fine for cells of second order; a cell is made of corners of the
 * hexahedron or quadrilateral it lies in, and its middles are means of corners, so that the map of the generator puts
 * them on the true geometry. Hexes are cut into tets around the diagonal 0-6, which neighbours continue. Blocks that
 * meet at a welded side may be turned there: then wedges and tets are cut by the smallest number of a node, which
 * both sides see.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "mesh/generate.h"

/* --- weld --- */

struct tni_weld {
  tni_arena *arena;
  double step; /* two places closer than a tenth of it are one */
  int n, nslot;
  int *slot;   /* hash, number of the entry + 1 */
  int cap;
  struct known {
    double x[3];
    int node;
  } * known;
};

tn_status tni_weld_create(tni_arena *arena, double extent, tni_weld **out) {
  TNI_ARENA_NEW(arena, *out, 1);
  **out = (tni_weld){.arena = arena, .step = 1e-7*extent, .nslot = 1024};
  TNI_ARENA_NEW(arena, (*out)->slot, (*out)->nslot);
  return TN_OK;
}

static unsigned hash_place(const int64_t k[3]) {
  uint64_t h = (uint64_t)k[0]*0x9E3779B97F4A7C15u ^ (uint64_t)k[1]*0xC2B2AE3D27D4EB4Fu ^ (uint64_t)k[2]*0x165667B19E3779F9u;
  return (unsigned)(h >> 32);
}

static void round_place(const tni_weld *w, const double x[3], int64_t k[3]) {
  for (int i = 0; i < 3; i++) k[i] = (int64_t)floor(x[i]/w->step + 0.5);
}

static bool weld_grow(tni_weld *w) {
  if (2*(w->n + 1) > w->nslot) {
    int nslot = 2*w->nslot, *slot = tni_arena_alloc(w->arena, (size_t)nslot, sizeof(int));
    if (!slot) return false;
    for (int i = 0; i < w->n; i++) {
      int64_t k[3];
      round_place(w, w->known[i].x, k);
      unsigned h = hash_place(k);
      while (slot[h & (unsigned)(nslot - 1)]) h++;
      slot[h & (unsigned)(nslot - 1)] = i + 1;
    }
    w->slot = slot;
    w->nslot = nslot;
  }
  return tni_arena_grow(w->arena, (void **)&w->known, w->n, &w->cap, sizeof(*w->known));
}

/* the node in this place, made if there is none; -1: out of memory */
static int weld_node(tni_weld *w, tni_mesh_builder *b, const double x[3]) {
  int64_t k[3], near[3];
  round_place(w, x, k);
  for (int corner = 0; corner < 27; corner++) { /* the place may round to a neighbouring cube */
    const int off[3] = {corner%3, corner/3%3, corner/9};
    for (int i = 0; i < 3; i++) near[i] = k[i] + (off[i] == 2 ? -1 : off[i]);
    for (unsigned h = hash_place(near);; h++) {
      int e = w->slot[h & (unsigned)(w->nslot - 1)] - 1;
      if (e < 0) break;
      const double *y = w->known[e].x;
      if (fabs(y[0] - x[0]) < 0.1*w->step && fabs(y[1] - x[1]) < 0.1*w->step && fabs(y[2] - x[2]) < 0.1*w->step)
        return w->known[e].node;
    }
  }
  if (!weld_grow(w)) return -1;
  int node = tni_mesh_add_node(b, 0, x[0], x[1], x[2]);
  unsigned h = hash_place(k);
  while (w->slot[h & (unsigned)(w->nslot - 1)]) h++;
  w->slot[h & (unsigned)(w->nslot - 1)] = w->n + 1;
  w->known[w->n] = (struct known){{x[0], x[1], x[2]}, node};
  w->n++;
  return node;
}

/* --- how a hexahedron or quadrilateral is cut: corners of it for every piece --- */

static const signed char tets[6][8] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
static const signed char wedges[2][8] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
static const signed char hexes[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
static const signed char quads[1][8] = {{0, 1, 2, 3}};
static const signed char triangles[2][8] = {{0, 1, 2}, {0, 2, 3}};
static const signed char lines[1][8] = {{0, 1}};

static int pieces_of(tni_cell c, const signed char (**piece)[8]) {
  switch (c) {
    case TNI_CELL_LINE2: case TNI_CELL_LINE3: *piece = lines; return 1;
    case TNI_CELL_TRI3: case TNI_CELL_TRI6: *piece = triangles; return 2;
    case TNI_CELL_QUAD4: case TNI_CELL_QUAD8: *piece = quads; return 1;
    case TNI_CELL_TET4: case TNI_CELL_TET10: *piece = tets; return 6;
    case TNI_CELL_WEDGE6: case TNI_CELL_WEDGE15: *piece = wedges; return 2;
    case TNI_CELL_HEX8: case TNI_CELL_HEX20: *piece = hexes; return 1;
    case TNI_CELL_POINT: case TNI_NCELL: break;
  }
  *piece = NULL;
  return 0;
}

static const signed char corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

typedef struct {
  const tni_lattice *l;
  tni_mesh_builder *b;
  const tni_cell_shape *shape;
  int g;         /* grid points per cell: the order                   */
  int size[3];   /* grid points along each direction, wrapped ones once */
  int *id;       /* [size] number of the node + 1; while marking 1: used */
  int set[6][2]; /* sides: nodes, faces; -1: none                     */
  signed char turned[6][8]; /* tets cut by numbers of nodes            */
} grid;

static size_t index_of(const grid *s, const int p[3]) {
  size_t at = 0;
  for (int d = 2; d >= 0; d--) {
    int i = s->l->wrap[d] && p[d] == s->size[d] ? 0 : p[d];
    at = at*(size_t)s->size[d] + (size_t)i;
  }
  return at;
}

/* grid points of the nodes of a piece of cell c */
static void points_of(const grid *s, const int c[3], const signed char piece[8], int (*p)[3]) {
  for (int a = 0; a < s->shape->ncorner; a++)
    for (int d = 0; d < 3; d++) p[a][d] = d < s->l->dim ? s->g*(c[d] + corner[piece[a]][d]) : 0;
  for (int e = 0; s->g == 2 && e < s->shape->nedge; e++) {
    const signed char *j = s->shape->edge[e];
    for (int d = 0; d < 3; d++) p[j[2]][d] = (p[j[0]][d] + p[j[1]][d])/2;
  }
}

static bool on_side(const grid *s, const int p[3], int side) {
  int d = side/2;
  return d < s->l->dim && !s->l->wrap[d] && p[d] == (side%2 ? s->g*s->l->n[d] : 0);
}

/* A wedge of the two that a hex consists of, in tets: every quadrilateral face is cut from its smallest number. Turned so
 * that node 0 is the smallest, the faces with it are cut there; the opposite one by the smaller of its diagonals. */
static void cut_wedge(const int id[6], const signed char wedge[8], signed char (*out)[8]) {
  static const signed char turn[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                         {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
  int least = 0;
  for (int a = 1; a < 6; a++)
    if (id[a] < id[least]) least = a;
  const signed char *t = turn[least];
  int v[6];
  for (int a = 0; a < 6; a++) v[a] = id[t[a]];
  int m15 = v[1] < v[5] ? v[1] : v[5], m24 = v[2] < v[4] ? v[2] : v[4];
  static const signed char by15[3][4] = {{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 4, 5, 3}};
  static const signed char by24[3][4] = {{0, 1, 2, 4}, {0, 4, 2, 5}, {0, 4, 5, 3}};
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 4; a++) out[i][a] = wedge[t[m15 < m24 ? by15[i][a] : by24[i][a]]];
}

/* pieces of this cell; where blocks meet, tets depend on numbers of nodes */
static int pieces_here(grid *s, const int c[3], const signed char (**piece)[8]) {
  const tni_lattice *l = s->l;
  if (!l->weld || s->shape->ncorner != 4 || l->dim != 3) return pieces_of(l->cell, piece);
  for (int w = 0; w < 2; w++) {
    int id[6];
    for (int a = 0; a < 6; a++) {
      int p[3];
      for (int d = 0; d < 3; d++) p[d] = s->g*(c[d] + corner[wedges[w][a]][d]);
      id[a] = s->id[index_of(s, p)];
    }
    cut_wedge(id, wedges[w], s->turned + 3*w);
  }
  *piece = (const signed char(*)[8])s->turned;
  return 6;
}

static void mark_cell(grid *s, const int c[3]) {
  if (s->l->absent && s->l->absent(s->l->user, c)) return;
  const signed char (*piece)[8];
  int n = pieces_of(s->l->cell, &piece), p[TNI_CELL_MAXNODE][3];
  if (s->l->weld && s->shape->ncorner == 4 && s->l->dim == 3) { /* any grid point may become a node of a tet */
    for (int a = 0; a < 8; a++) {
      for (int d = 0; d < 3; d++) p[0][d] = s->g*(c[d] + corner[a][d]);
      s->id[index_of(s, p[0])] = 1;
    }
    return;
  }
  for (int i = 0; i < n; i++) {
    points_of(s, c, piece[i], p);
    for (int a = 0; a < s->shape->nnode; a++) s->id[index_of(s, p[a])] = 1;
  }
}

/* sets of the sides that a node lies on, and where they meet */
static void into_sets(grid *s, const int p[3], int node) {
  const tni_lattice *l = s->l;
  char name[200];
  int at[3], n = 0;
  for (int side = 0; side < 6; side++) {
    if (s->set[side][0] < 0 || !on_side(s, p, side)) continue;
    tni_mesh_add_member(s->b, s->set[side][0], node, 0);
    if (n < 3) at[n++] = side;
  }
  if (!l->corners || n < 2) return;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      snprintf(name, sizeof(name), "%s%s", l->side[at[i]], l->side[at[j]]);
      tni_mesh_add_member(s->b, tni_mesh_add_set(s->b, name, TNI_SET_NODES), node, 0);
    }
  }
  if (n < 3) return;
  snprintf(name, sizeof(name), "%s%s%s", l->side[at[0]], l->side[at[1]], l->side[at[2]]);
  tni_mesh_add_member(s->b, tni_mesh_add_set(s->b, name, TNI_SET_NODES), node, 0);
}

/* the node of a grid point, made when it is first asked for; false: out of memory */
static bool make_node(grid *s, const int p[3]) {
  size_t at = index_of(s, p);
  double q[3] = {0}, x[3];
  bool meets = false;
  for (int d = 0; d < s->l->dim; d++) q[d] = (double)p[d]/s->g;
  s->l->place(s->l->user, q, x);
  for (int side = 0; s->l->weld && side < 6; side++) meets = meets || on_side(s, p, side);
  int node = meets ? weld_node(s->l->weld, s->b, x) : tni_mesh_add_node(s->b, 0, x[0], x[1], x[2]);
  if (node < 0) return false;
  s->id[at] = node + 1;
  into_sets(s, p, node);
  return true;
}

static bool make_cell(grid *s, const int c[3]) {
  const tni_lattice *l = s->l;
  if (l->absent && l->absent(l->user, c)) return true;
  const signed char (*piece)[8];
  int n = pieces_here(s, c, &piece), p[TNI_CELL_MAXNODE][3], node[TNI_CELL_MAXNODE];
  for (int i = 0; i < n; i++) {
    points_of(s, c, piece[i], p);
    for (int a = 0; a < s->shape->nnode; a++) {
      size_t at = index_of(s, p[a]);
      if (s->id[at] == 0 && !make_node(s, p[a])) return false;
      node[a] = s->id[at] - 1;
    }
    int ticket = tni_mesh_add_cell(s->b, l->cell, l->label, 0, node);
    for (int f = 0; l->dim > 1 && f < s->shape->nface; f++) {
      const tni_cell_shape *t = tni_cell_of(s->shape->face_cell[f]);
      for (int side = 0; side < 6; side++) {
        bool on = s->set[side][1] >= 0;
        for (int a = 0; on && a < t->ncorner; a++) on = on_side(s, p[s->shape->face[f][a]], side);
        if (on) tni_mesh_add_member(s->b, s->set[side][1], ticket, f);
      }
    }
  }
  return true;
}

static bool for_all(grid *s, const int limit[3], bool (*visit)(grid *s, const int c[3])) {
  const int *slow = s->l->slow;
  int usual[3] = {2, 1, 0}, c[3];
  if (!slow[0] && !slow[1] && !slow[2]) slow = usual;
  for (int i = 0; i < limit[slow[0]]; i++) {
    for (int j = 0; j < limit[slow[1]]; j++) {
      for (int k = 0; k < limit[slow[2]]; k++) {
        c[slow[0]] = i;
        c[slow[1]] = j;
        c[slow[2]] = k;
        if (!visit(s, c)) return false;
      }
    }
  }
  return true;
}

static bool mark(grid *s, const int c[3]) {
  mark_cell(s, c);
  return true;
}

static bool number(grid *s, const int p[3]) {
  size_t at = index_of(s, p);
  if (s->id[at] == 0) return true;
  s->id[at] = 0;
  return make_node(s, p);
}

tn_status tni_lattice_build(const tni_lattice *l, tni_mesh_builder *b) {
  grid s = {.l = l, .b = b, .shape = tni_cell_of(l->cell)};
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  int n[3] = {1, 1, 1};
  double total = 1;
  s.g = s.shape->order;
  for (int d = 0; d < 3; d++) {
    if (d < l->dim) n[d] = l->n[d];
    s.size[d] = d < l->dim ? s.g*n[d] + (l->wrap[d] ? 0 : 1) : 1;
    total *= s.size[d];
  }
  TN_REQUIRE(ctx, total < INT_MAX/20, TN_ERR_INPUT, "too many cells: %.0f x %.0f x %.0f, at most about %d nodes", (double)n[0],
             (double)n[1], (double)n[2], INT_MAX/20);
  for (int side = 0; side < 6; side++) {
    bool named = l->side[side] && side/2 < l->dim && !l->wrap[side/2];
    s.set[side][0] = named ? tni_mesh_add_set(b, l->side[side], TNI_SET_NODES) : -1;
    s.set[side][1] = named && l->dim > 1 ? tni_mesh_add_set(b, l->side[side], TNI_SET_FACES) : -1;
  }
  s.id = tni_ints(ctx, (size_t)total);
  if (!s.id) return tni_out_of_memory(ctx);
  bool ok = for_all(&s, n, mark) && for_all(&s, s.size, number) && for_all(&s, n, make_cell);
  tni_free(ctx, s.id);
  return ok ? TN_OK : tni_out_of_memory(ctx);
}
