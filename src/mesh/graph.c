/* mesh/graph.c - who touches whom: nodes to cells, nodes to nodes, cells to cells
 *
 * Two passes, counting and filling; neighbours are found through the cells of a node and marked with the number of
 * the row, so that each is counted once. Costs the sum over nodes of (cells of a node) x (nodes of a cell).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>
#include <stdlib.h>

#include "mesh/skin.h"

tn_status tni_mesh_cells_of_nodes(const tni_mesh *m, tni_arena *arena, tni_mesh_graph *out) {
  *out = (tni_mesh_graph){.n = m->nnode};
  size_t total = 0;
  for (int k = 0; k < m->nblock; k++) total += (size_t)m->block[k].n*(size_t)tni_cell_of(m->block[k].cell)->nnode;
  TN_REQUIRE(m->ctx, total < INT_MAX, TN_ERR_UNSUPPORTED, "%s: the mesh is too large: %zu nodes of cells", m->source, total);
  TNI_ARENA_NEW(arena, out->from, (size_t)m->nnode + 2);
  TNI_ARENA_NEW(arena, out->to, total);
  int *from = out->from + 1; /* shifted by one while filling */
  for (int k = 0; k < m->nblock; k++) {
    size_t n = (size_t)m->block[k].n*(size_t)tni_cell_of(m->block[k].cell)->nnode;
    for (size_t i = 0; i < n; i++) from[m->block[k].node[i] + 1]++;
  }
  for (int i = 0; i < m->nnode; i++) from[i+1] += from[i];
  for (int k = 0; k < m->nblock; k++) {
    size_t nnode = (size_t)tni_cell_of(m->block[k].cell)->nnode;
    for (size_t i = 0; i < (size_t)m->block[k].n*nnode; i++)
      out->to[from[m->block[k].node[i]]++] = m->block[k].first + (int)(i/nnode);
  }
  /* a cell that has a node twice (collapsed hexes) is listed once */
  int end = 0, begin = 0;
  for (int v = 0; v < m->nnode; v++) {
    int stop = out->from[v+1];
    out->from[v] = end;
    for (int i = begin; i < stop; i++) {
      if (end > out->from[v] && out->to[end-1] == out->to[i]) continue;
      out->to[end++] = out->to[i];
    }
    begin = stop;
  }
  out->from[m->nnode] = end;
  return TN_OK;
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* neighbours of row v into list (may be NULL: count only), each once; count [rows] is left zero */
typedef int (*neighbours)(const tni_mesh *m, const tni_mesh_graph *cells, int common, int v, int *count, int *list);

static int nodes_near(const tni_mesh *m, const tni_mesh_graph *cells, int common, int v, int *count, int *list) {
  (void)common;
  int n = 0;
  count[v] = 1;
  for (int i = cells->from[v]; i < cells->from[v+1]; i++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, cells->to[i], &s);
    for (int a = 0; a < s->nnode; a++) {
      if (count[node[a]]) continue;
      count[node[a]] = 1;
      list[n++] = node[a];
    }
  }
  for (int i = 0; i < n; i++) count[list[i]] = 0;
  count[v] = 0;
  return n;
}

/* nodes of the smallest whole interface between two cells: that of the cell of lower dimension */
static int whole(const tni_cell_shape *a, const tni_cell_shape *b) {
  const tni_cell_shape *low = a->dim <= b->dim ? a : b;
  if (low->dim == 0) return 1;
  if (a->dim != b->dim) return low->ncorner; /* a shell on a solid: the whole shell */
  int least = TNI_CELL_MAXFACENODE; /* wedges have triangles and quads: three corners make a face */
  for (int f = 0; f < low->nface; f++) {
    int n = tni_cell_of(low->face_cell[f])->ncorner;
    if (n < least) least = n;
  }
  return least;
}

static int cells_near(const tni_mesh *m, const tni_mesh_graph *cells, int common, int v, int *count, int *list) {
  const tni_cell_shape *s, *t;
  const int *node = tni_mesh_nodes(m, v, &s);
  int n = 0, kept = 0, nshared = common ? s->nnode : s->ncorner;
  for (int a = 0; a < nshared; a++) {
    for (int i = cells->from[node[a]]; i < cells->from[node[a]+1]; i++) {
      int c = cells->to[i];
      if (c == v) continue;
      if (count[c]++ == 0) list[n++] = c;
    }
  }
  for (int i = 0; i < n; i++) {
    int c = list[i], need = common;
    if (!common) {
      tni_mesh_nodes(m, c, &t);
      need = whole(s, t);
    }
    if (count[c] >= need) list[kept++] = c;
    count[c] = 0;
  }
  return kept;
}

static tn_status make(const tni_mesh *m, int rows, neighbours near, int common, tni_arena *arena, tni_mesh_graph *out) {
  tni_mesh_graph cells;
  tni_arena work;
  int *count, *list;
  *out = (tni_mesh_graph){.n = rows};
  TNI_ARENA_NEW(arena, out->from, (size_t)rows + 1);
  tni_arena_init(&work, m->ctx);
  tn_status st = tni_mesh_cells_of_nodes(m, &work, &cells);
  count = st == TN_OK ? tni_arena_alloc(&work, (size_t)rows, sizeof(int)) : NULL;
  list = st == TN_OK ? tni_arena_alloc(&work, (size_t)rows, sizeof(int)) : NULL;
  if (st == TN_OK && (!count || !list)) st = tni_out_of_memory(m->ctx);
  size_t total = 0;
  for (int v = 0; st == TN_OK && v < rows; v++) {
    total += (size_t)near(m, &cells, common, v, count, list);
    if (total >= INT_MAX) st = TN_FAIL(m->ctx, TN_ERR_UNSUPPORTED, "%s: the mesh is too large: more than %d neighbours", m->source, INT_MAX);
    else out->from[v+1] = (int)total;
  }
  if (st == TN_OK && !(out->to = tni_arena_alloc(arena, total, sizeof(int)))) st = tni_out_of_memory(m->ctx);
  for (int v = 0; st == TN_OK && v < rows; v++) {
    int n = near(m, &cells, common, v, count, list);
    memcpy(out->to + out->from[v], list, (size_t)n*sizeof(int));
    qsort(out->to + out->from[v], (size_t)n, sizeof(int), ascending);
  }
  tni_arena_clear(&work);
  return st;
}

tn_status tni_mesh_nodes_of_nodes(const tni_mesh *m, tni_arena *arena, tni_mesh_graph *out) {
  return make(m, m->nnode, nodes_near, 0, arena, out);
}

tn_status tni_mesh_cells_of_cells(const tni_mesh *m, int common, tni_arena *arena, tni_mesh_graph *out) {
  return make(m, m->ncell, cells_near, common, arena, out);
}

tn_status tni_mesh_components(const tni_mesh *m, tni_arena *arena, int *component, int *count) {
  /* nodes of a cell are joined; the smallest cell of each part numbers it */
  int *root, *number;
  TNI_ARENA_NEW(arena, root, m->nnode);
  TNI_ARENA_NEW(arena, number, m->nnode);
  for (int i = 0; i < m->nnode; i++) root[i] = i;
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, c, &s);
    int r = -1;
    for (int a = 0; a < s->nnode; a++) {
      int q = node[a];
      while (root[q] != q) q = root[q] = root[root[q]];
      if (r < 0) r = q;
      else if (q < r) {
        root[r] = q;
        r = q;
      } else {
        root[q] = r;
      }
    }
  }
  *count = 0;
  for (int c = 0; c < m->ncell; c++) {
    int q = tni_mesh_nodes(m, c, NULL)[0];
    while (root[q] != q) q = root[q];
    if (!number[q]) number[q] = ++*count;
    component[c] = number[q] - 1;
  }
  return TN_OK;
}
