/* mesh/skin.c - faces that cells share, the outside of a mesh
 *
 * A face is known by its corners, sorted; faces with the same smallest corner are chained at it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/skin.h"

#include <math.h>

#include "base/vec.h"

/* corners of a face ascending, the fourth of a triangle -1; returns how many */
static int sorted_corners(const int *node, const tni_cell_shape *s, int face, int key[4]) {
  int n = tni_cell_of(s->face_cell[face])->ncorner;
  key[3] = -1;
  for (int i = 0; i < n; i++) {
    int v = node[s->face[face][i]], j = i;
    for (; j > 0 && key[j-1] > v; j--) key[j] = key[j-1];
    key[j] = v;
  }
  if (n < 3) key[2] = -1;
  return n;
}

tn_status tni_mesh_faces_create(const tni_mesh *m, int dim, tni_arena *arena, tni_mesh_faces *out) {
  *out = (tni_mesh_faces){0};
  size_t most = 0;
  for (int k = 0; k < m->nblock; k++) {
    const tni_cell_shape *s = tni_cell_of(m->block[k].cell);
    if (s->dim == dim) most += (size_t)m->block[k].n*(size_t)s->nface;
  }
  TNI_ARENA_NEW(arena, out->cell, most);
  TNI_ARENA_NEW(arena, out->face, most);
  TNI_ARENA_NEW(arena, out->count, most);
  int *head = tni_ints(m->ctx, (size_t)m->nnode), *next = tni_ints(m->ctx, most);
  int(*other)[3] = tni_alloc(m->ctx, most, sizeof(*other));
  bool ok = head && next && other;
  for (int k = 0; ok && k < m->nblock; k++) {
    const tni_mesh_block *b = &m->block[k];
    const tni_cell_shape *s = tni_cell_of(b->cell);
    for (int i = 0; s->dim == dim && i < b->n; i++) {
      const int *node = b->node + (size_t)i*(size_t)s->nnode;
      for (int f = 0; f < s->nface; f++) {
        int key[4], at;
        sorted_corners(node, s, f, key);
        for (at = head[key[0]] - 1; at >= 0; at = next[at] - 1) {
          if (memcmp(other[at], key + 1, sizeof(other[at])) == 0) break;
        }
        if (at < 0) {
          at = out->n++;
          memcpy(other[at], key + 1, sizeof(other[at]));
          next[at] = head[key[0]];
          head[key[0]] = at + 1;
          out->cell[at][1] = out->face[at][1] = -1;
        }
        int which = out->count[at]++;
        if (which > 1) continue;
        out->cell[at][which] = b->first + i;
        out->face[at][which] = (signed char)f;
      }
    }
  }
  tni_free(m->ctx, head);
  tni_free(m->ctx, next);
  tni_free(m->ctx, other);
  return ok ? TN_OK : tni_out_of_memory(m->ctx);
}

static const signed char cut_tri6[][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
static const signed char cut_quad4[][3] = {{0, 1, 2}, {0, 2, 3}};
static const signed char cut_quad8[][3] = {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}};
static const signed char cut_tri3[][3] = {{0, 1, 2}};

static int cut(tni_cell c, const signed char (**tri)[3]) {
  switch (c) {
    case TNI_CELL_TRI3: *tri = cut_tri3; return 1;
    case TNI_CELL_TRI6: *tri = cut_tri6; return 4;
    case TNI_CELL_QUAD4: *tri = cut_quad4; return 2;
    case TNI_CELL_QUAD8: *tri = cut_quad8; return 6;
    default: return 0;
  }
}

/* the faces of the skin, without triangles */
static tn_status find_faces(const tni_mesh *m, tni_arena *arena, tni_skin *out) {
  tni_mesh_faces solid;
  tni_arena work;
  tni_arena_init(&work, m->ctx);
  tn_status st = tni_mesh_faces_create(m, 3, &work, &solid);
  size_t n = 0;
  for (int i = 0; st == TN_OK && i < solid.n; i++) n += solid.count[i] == 1;
  for (int k = 0; k < m->nblock; k++) n += tni_cell_of(m->block[k].cell)->dim == 2 ? (size_t)m->block[k].n : 0;
  if (st == TN_OK) {
    out->cell = tni_arena_alloc(arena, n, sizeof(int));
    out->face = tni_arena_alloc(arena, n, 1);
    if (!out->cell || !out->face) st = tni_out_of_memory(m->ctx);
  }
  for (int i = 0; st == TN_OK && i < solid.n; i++) {
    if (solid.count[i] != 1) continue;
    out->cell[out->nface] = solid.cell[i][0];
    out->face[out->nface++] = solid.face[i][0];
  }
  for (int k = 0; st == TN_OK && k < m->nblock; k++) {
    const tni_mesh_block *b = &m->block[k];
    for (int i = 0; tni_cell_of(b->cell)->dim == 2 && i < b->n; i++) {
      out->cell[out->nface] = b->first + i;
      out->face[out->nface++] = TNI_FACE_POSITIVE;
    }
  }
  tni_arena_clear(&work);
  return st;
}

/* unit normal of a face by its corners */
static void normal(const tni_mesh *m, const int *node, int ncorner, double n[3]) {
  double a[3], b[3];
  const double *x0 = m->x + 3*(size_t)node[0], *x1 = m->x + 3*(size_t)node[1], *x2 = m->x + 3*(size_t)node[2];
  if (ncorner == 4) { /* diagonals */
    vec3_sub(a, x2, x0);
    vec3_sub(b, m->x + 3*(size_t)node[3], x1);
  } else {
    vec3_sub(a, x1, x0);
    vec3_sub(b, x2, x0);
  }
  vec3_cross(n, a, b);
  vec3_normalize(n, n);
}

typedef struct {
  int lo, hi, next, face; /* face: the first that has it, -1: a line cell */
  int middle;             /* node between, -1: none                       */
  int uses;
  bool fold;
} rim;

static const double FOLD = 0.8660254037844386; /* cosine of 30 degrees */

static void meet(const tni_mesh *m, const tni_skin *skin, rim *e, int face, const double n[3]) {
  e->uses++;
  if (e->uses != 2 || e->face < 0 || face < 0) {
    e->fold = e->fold || e->uses > 2 || face < 0;
    return;
  }
  int node[TNI_CELL_MAXFACENODE];
  double other[3];
  const tni_cell_shape *s = tni_mesh_face(m, skin->cell[e->face], skin->face[e->face], node);
  normal(m, node, s->ncorner, other);
  /* neighbours of a shell may be turned over: the fold is what counts */
  if (fabs(vec3_dot(n, other)) < FOLD) e->fold = true;
}

static void add_rim(const tni_mesh *m, const tni_skin *skin, rim *list, int *n, int *head, int a, int b, int middle,
                    int face, const double normal_of[3]) {
  int lo = a < b ? a : b, hi = a < b ? b : a;
  for (int i = head[lo] - 1; i >= 0; i = list[i].next - 1) {
    if (list[i].hi != hi) continue;
    meet(m, skin, &list[i], face, normal_of);
    return;
  }
  list[*n] = (rim){lo, hi, head[lo], face, middle, 1, face < 0};
  head[lo] = ++*n;
}

static tn_status find_edges(const tni_mesh *m, tni_arena *arena, tni_skin *out) {
  size_t most = 0;
  for (int i = 0; i < out->nface; i++) most += 4;
  for (int k = 0; k < m->nblock; k++) most += tni_cell_of(m->block[k].cell)->dim == 1 ? (size_t)m->block[k].n : 0;
  int *head = tni_ints(m->ctx, (size_t)m->nnode), n = 0;
  rim *list = tni_alloc(m->ctx, most, sizeof(*list));
  tn_status st = head && list ? TN_OK : tni_out_of_memory(m->ctx);
  for (int i = 0; st == TN_OK && i < out->nface; i++) {
    int node[TNI_CELL_MAXFACENODE];
    double across[3];
    const tni_cell_shape *s = tni_mesh_face(m, out->cell[i], out->face[i], node);
    normal(m, node, s->ncorner, across);
    for (int e = 0; e < s->nedge; e++)
      add_rim(m, out, list, &n, head, node[s->edge[e][0]], node[s->edge[e][1]],
              s->order == 2 ? node[s->edge[e][2]] : -1, i, across);
  }
  for (int k = 0; st == TN_OK && k < m->nblock; k++) {
    const tni_mesh_block *b = &m->block[k];
    const tni_cell_shape *s = tni_cell_of(b->cell);
    for (int i = 0; s->dim == 1 && i < b->n; i++) {
      const int *node = b->node + (size_t)i*(size_t)s->nnode;
      add_rim(m, out, list, &n, head, node[0], node[1], s->order == 2 ? node[2] : -1, -1, NULL);
    }
  }
  if (st == TN_OK) {
    out->edge = tni_arena_alloc(arena, 2*(size_t)n, sizeof(*out->edge));
    out->sharp = tni_arena_alloc(arena, 2*(size_t)n, 1);
    if (!out->edge || !out->sharp) st = tni_out_of_memory(m->ctx);
  }
  for (int i = 0; st == TN_OK && i < n; i++) {
    const rim *e = &list[i];
    int node[3] = {e->lo, e->middle >= 0 ? e->middle : e->hi, e->hi};
    for (int k = 0; k < (e->middle >= 0 ? 2 : 1); k++) {
      out->edge[out->nedge][0] = node[k];
      out->edge[out->nedge][1] = node[k+1];
      out->sharp[out->nedge++] = e->fold || e->uses == 1;
    }
  }
  tni_free(m->ctx, head);
  tni_free(m->ctx, list);
  return st;
}

tn_status tni_skin_create(const tni_mesh *m, tni_arena *arena, tni_skin *out) {
  *out = (tni_skin){0};
  TN_TRY(find_faces(m, arena, out));
  const signed char (*piece)[3];
  size_t ntri = 0;
  int node[TNI_CELL_MAXFACENODE];
  for (int i = 0; i < out->nface; i++) {
    const tni_cell_shape *s = tni_mesh_face(m, out->cell[i], out->face[i], node);
    ntri += (size_t)cut((tni_cell)(s - tni_cell_shapes), &piece);
  }
  TNI_ARENA_NEW(arena, out->tri, ntri);
  TNI_ARENA_NEW(arena, out->tri_face, ntri);
  for (int i = 0; i < out->nface; i++) {
    const tni_cell_shape *s = tni_mesh_face(m, out->cell[i], out->face[i], node);
    int n = cut((tni_cell)(s - tni_cell_shapes), &piece);
    for (int t = 0; t < n; t++) {
      for (int k = 0; k < 3; k++) out->tri[out->ntri][k] = node[piece[t][k]];
      out->tri_face[out->ntri++] = i;
    }
  }
  TN_TRY(find_edges(m, arena, out));
  char *used = tni_alloc(m->ctx, (size_t)m->nnode, 1);
  if (!used) return tni_out_of_memory(m->ctx);
  for (int t = 0; t < out->ntri; t++)
    for (int k = 0; k < 3; k++) used[out->tri[t][k]] = 1;
  for (int e = 0; e < out->nedge; e++) used[out->edge[e][0]] = used[out->edge[e][1]] = 1;
  for (int i = 0; i < m->nnode; i++) out->nnode += used[i];
  out->node = tni_arena_alloc(arena, (size_t)out->nnode, sizeof(int));
  for (int i = 0, n = 0; out->node && i < m->nnode; i++)
    if (used[i]) out->node[n++] = i;
  tni_free(m->ctx, used);
  return out->node ? TN_OK : tni_out_of_memory(m->ctx);
}
