/* mesh/promote.c - a mesh of second order from one of first order
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/mesh.h"

/* middles of edges found so far, listed at the corner of the smaller number */
typedef struct {
  int *head;  /* [nnode] first entry of a corner, -1: none */
  int *next, *other, *middle; /* [n] */
  int n;
} edges;

static int find(const edges *e, int a, int b) {
  int lo = a < b ? a : b, hi = a < b ? b : a;
  for (int i = e->head[lo]; i >= 0; i = e->next[i]) {
    if (e->other[i] == hi) return e->middle[i];
  }
  return -1;
}

static int middle(edges *e, const tni_mesh *m, tni_mesh_builder *b, tn_gid *last, int a, int c) {
  int found = find(e, a, c);
  if (found >= 0) return found;
  const double *p = m->x + 3*(size_t)a, *q = m->x + 3*(size_t)c;
  int lo = a < c ? a : c, node = tni_mesh_add_node(b, ++*last, 0.5*(p[0] + q[0]), 0.5*(p[1] + q[1]), 0.5*(p[2] + q[2]));
  e->next[e->n] = e->head[lo];
  e->other[e->n] = a < c ? c : a;
  e->middle[e->n] = node;
  e->head[lo] = e->n++;
  return node;
}

static void promote_cells(edges *e, const tni_mesh *m, tni_mesh_builder *b, tn_gid *last) {
  for (int k = 0; k < m->nblock; k++) {
    const tni_mesh_block *from = &m->block[k];
    const tni_cell_shape *s = tni_cell_of(from->cell);
    int order2 = s->order == 1 ? tni_cell_of_order(from->cell, 2) : -1;
    tni_cell to = order2 < 0 ? from->cell : (tni_cell)order2;
    const tni_cell_shape *t = tni_cell_of(to);
    for (int i = 0; i < from->n; i++) {
      int node[TNI_CELL_MAXNODE];
      memcpy(node, from->node + (size_t)i*(size_t)s->nnode, (size_t)s->nnode*sizeof(int));
      for (int j = 0; order2 >= 0 && j < t->nedge; j++)
        node[t->edge[j][2]] = middle(e, m, b, last, node[t->edge[j][0]], node[t->edge[j][1]]);
      tni_mesh_add_cell(b, to, from->label, from->gid[i], node);
    }
  }
}

/* Where faces of the same name are known they say which edges belong to the set; otherwise an edge belongs to it
 * when both of its ends do. */
static void promote_nodes(const edges *e, const tni_mesh *m, tni_mesh_builder *b, const tni_mesh_set *set, char *in) {
  int id = tni_mesh_add_set(b, set->name, TNI_SET_NODES);
  for (int i = 0; i < set->n; i++) tni_mesh_add_member(b, id, set->member[i], 0);
  const tni_mesh_set *faces = tni_mesh_find_set(m, set->name, TNI_SET_FACES);
  for (int i = 0; faces && i < faces->n; i++) {
    int node[TNI_CELL_MAXFACENODE];
    const tni_cell_shape *f = tni_mesh_face(m, faces->member[i], faces->face[i], node);
    for (int j = 0; j < f->nedge; j++) {
      int mid = find(e, node[f->edge[j][0]], node[f->edge[j][1]]);
      if (mid >= 0) tni_mesh_add_member(b, id, mid, 0);
    }
  }
  if (faces) return;
  for (int i = 0; i < set->n; i++) in[set->member[i]] = 1;
  for (int i = 0; i < set->n; i++) {
    for (int j = e->head[set->member[i]]; j >= 0; j = e->next[j]) {
      if (in[e->other[j]]) tni_mesh_add_member(b, id, e->middle[j], 0);
    }
  }
  for (int i = 0; i < set->n; i++) in[set->member[i]] = 0;
}

static void promote(edges *e, const tni_mesh *m, tni_mesh_builder *b, char *in) {
  tn_gid last = 0;
  for (int i = 0; i < m->nnode; i++) {
    const double *x = m->x + 3*(size_t)i;
    tni_mesh_add_node(b, m->gid[i], x[0], x[1], x[2]);
    if (m->gid[i] > last) last = m->gid[i];
    e->head[i] = -1;
  }
  promote_cells(e, m, b, &last);
  for (int k = 0; k < m->nset; k++) {
    const tni_mesh_set *set = &m->set[k];
    if (set->kind == TNI_SET_NODES) {
      promote_nodes(e, m, b, set, in);
      continue;
    }
    int id = tni_mesh_add_set(b, set->name, set->kind);
    for (int i = 0; i < set->n; i++)
      tni_mesh_add_member(b, id, set->member[i], set->kind == TNI_SET_FACES ? set->face[i] : 0);
  }
}

tn_status tni_mesh_promote(const tni_mesh *m, tni_mesh **out) {
  tni_arena work;
  edges e = {0};
  tni_mesh_builder *b;
  size_t most = 0;
  *out = NULL;
  for (int k = 0; k < m->nblock; k++) most += (size_t)m->block[k].n*(size_t)tni_cell_of(m->block[k].cell)->nedge;
  TN_TRY(tni_mesh_begin(m->ctx, m->name, m->source, &b));
  tni_arena_init(&work, m->ctx);
  e.head = tni_arena_alloc(&work, (size_t)m->nnode, sizeof(int));
  e.next = tni_arena_alloc(&work, most, sizeof(int));
  e.other = tni_arena_alloc(&work, most, sizeof(int));
  e.middle = tni_arena_alloc(&work, most, sizeof(int));
  char *in = tni_arena_alloc(&work, (size_t)m->nnode, 1);
  tn_status st;
  if (e.head && e.next && e.other && e.middle && in) {
    promote(&e, m, b, in);
    st = tni_mesh_finish(&b, out);
  } else {
    tni_mesh_abandon(&b);
    st = tni_out_of_memory(m->ctx);
  }
  tni_arena_clear(&work);
  return st;
}
