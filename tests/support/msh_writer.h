/* tests/support/msh_writer.h - a mesh as a Gmsh file in memory: versions 2.2 and 4.1, text and binary, both byte orders
 *
 * Written from the description of the format, independently of the reader. Sets of cells "all" become a physical volume (or
 * surface), sets of faces physical surfaces (or curves) with elements of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_MSH_WRITER_H
#define TN_MSH_WRITER_H

#include "mesh/mesh.h"
#include "support/check.h"

typedef struct {
  char *s;
  size_t n, cap;
  bool binary, swap;
} msh_out;

static inline void msh_bytes(msh_out *o, const void *p, size_t n) {
  if (o->n + n + 1 > o->cap) {
    o->cap = 2*(o->n + n) + 1024;
    o->s = realloc(o->s, o->cap);
    if (!o->s) exit(1);
  }
  memcpy(o->s + o->n, p, n);
  o->n += n;
  o->s[o->n] = 0;
}

static inline void msh_text(msh_out *o, const char *t) { msh_bytes(o, t, strlen(t)); }

static inline void msh_raw(msh_out *o, const void *p, size_t n) {
  unsigned char c[8];
  memcpy(c, p, n);
  for (size_t i = 0; o->swap && i < n/2; i++) {
    unsigned char t = c[i];
    c[i] = c[n-1-i];
    c[n-1-i] = t;
  }
  msh_bytes(o, c, n);
}

static inline void msh_int(msh_out *o, long long v, bool wide) {
  char t[40];
  int32_t narrow = (int32_t)v;
  int64_t full = v;
  if (o->binary) {
    msh_raw(o, wide ? (void *)&full : (void *)&narrow, wide ? 8 : 4);
    return;
  }
  snprintf(t, sizeof(t), "%lld ", v);
  msh_text(o, t);
}

static inline void msh_double(msh_out *o, double v) {
  char t[40];
  if (o->binary) {
    msh_raw(o, &v, 8);
    return;
  }
  snprintf(t, sizeof(t), "%.17g ", v);
  msh_text(o, t);
}

static inline void msh_row(msh_out *o) {
  if (!o->binary) msh_text(o, "\n");
}

/* our place of their place k: by the edges of Gmsh's drawings, not by the table of the reader */
static inline int msh_place(tni_cell c, int k) {
  static const signed char tet[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
  static const signed char hex[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
  static const signed char wedge[9][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}};
  const tni_cell_shape *s = tni_cell_of(c);
  const signed char (*edge)[2] = c == TNI_CELL_TET10 ? tet : c == TNI_CELL_HEX20 ? hex : c == TNI_CELL_WEDGE15 ? wedge : NULL;
  if (!edge || k < s->ncorner) return k;
  const signed char *want = edge[k - s->ncorner];
  for (int e = 0; e < s->nedge; e++) {
    const signed char *have = s->edge[e];
    if ((have[0] == want[0] && have[1] == want[1]) || (have[0] == want[1] && have[1] == want[0])) return have[2];
  }
  exit(1);
}

/* one element: number, its head in 2.2, nodes */
static inline void msh_element(msh_out *o, int version, const tni_mesh *m, const tni_cell_shape *s, const int *node, long long gid, int tag) {
  tni_cell c = (tni_cell)(s - tni_cell_shapes);
  if (version == 22 && o->binary) {
    msh_int(o, s->gmsh, false);
    msh_int(o, 1, false);
    msh_int(o, 2, false);
  }
  msh_int(o, gid, version == 41);
  if (version == 22 && !o->binary) {
    msh_int(o, s->gmsh, false);
    msh_int(o, 2, false);
  }
  if (version == 22) {
    msh_int(o, tag, false);
    msh_int(o, tag, false);
  }
  for (int k = 0; k < s->nnode; k++) msh_int(o, m->gid[node[msh_place(c, k)]], version == 41);
  msh_row(o);
}

/* free(result) */
static inline char *msh_write(const tni_mesh *m, int version, bool binary, bool swap, size_t *n) {
  msh_out o = {.swap = swap};
  char t[200];
  int top = 0, nset = 0, one = 1, nelement = m->ncell;
  long long last = 0;
  for (int k = 0; k < m->nblock; k++) {
    int d = tni_cell_of(m->block[k].cell)->dim;
    if (d > top) top = d;
  }
  snprintf(t, sizeof(t), "$MeshFormat\n%s %d 8\n", version == 22 ? "2.2" : "4.1", binary);
  msh_text(&o, t);
  o.binary = binary;
  if (binary) {
    msh_raw(&o, &one, 4);
    msh_text(&o, "\n");
  }
  for (int k = 0; k < m->nset; k++) {
    if (m->set[k].kind != TNI_SET_FACES) continue;
    nset++;
    nelement += m->set[k].n;
  }
  snprintf(t, sizeof(t), "$EndMeshFormat\n$PhysicalNames\n%d\n", nset + 1);
  msh_text(&o, t);
  snprintf(t, sizeof(t), "%d 1 \"all\"\n", top);
  msh_text(&o, t);
  for (int k = 0, tag = 2; k < m->nset; k++) {
    if (m->set[k].kind != TNI_SET_FACES) continue;
    snprintf(t, sizeof(t), "%d %d \"%s\"\n", top - 1, tag++, m->set[k].name);
    msh_text(&o, t);
  }
  msh_text(&o, "$EndPhysicalNames\n");
  if (version == 41) {
    msh_text(&o, "$Entities\n");
    for (int d = 0; d < 4; d++) msh_int(&o, d == top ? 1 : d == top - 1 ? nset : 0, true);
    msh_row(&o);
    for (int d = top - 1; d <= top; d++) {
      for (int k = 0; k < (d == top ? 1 : nset); k++) {
        msh_int(&o, 10 + k, false);
        for (int i = 0; i < (d == 0 ? 3 : 6); i++) msh_double(&o, 0.5);
        msh_int(&o, 1, true);
        msh_int(&o, d == top ? 1 : 2 + k, false);
        if (d > 0) msh_int(&o, 0, true);
        msh_row(&o);
      }
    }
    msh_text(&o, binary ? "\n$EndEntities\n" : "$EndEntities\n");
  }
  msh_text(&o, "$Nodes\n");
  if (version == 22) {
    snprintf(t, sizeof(t), "%d\n", m->nnode);
    msh_text(&o, t);
    for (int i = 0; i < m->nnode; i++) {
      msh_int(&o, m->gid[i], false);
      for (int d = 0; d < 3; d++) msh_double(&o, m->x[3*(size_t)i+(size_t)d]);
      msh_row(&o);
    }
  } else { /* two blocks, the first of them with parameters */
    int half = m->nnode/2;
    msh_int(&o, 2, true);
    msh_int(&o, m->nnode, true);
    msh_int(&o, 1, true);
    msh_int(&o, m->nnode, true);
    msh_row(&o);
    for (int b = 0; b < 2; b++) {
      int from = b ? half : 0, to = b ? m->nnode : half;
      msh_int(&o, 2, false);
      msh_int(&o, 10, false);
      msh_int(&o, b == 0, false);
      msh_int(&o, to - from, true);
      msh_row(&o);
      for (int i = from; i < to; i++) {
        msh_int(&o, m->gid[i], true);
        msh_row(&o);
      }
      for (int i = from; i < to; i++) {
        for (int d = 0; d < 3; d++) msh_double(&o, m->x[3*(size_t)i+(size_t)d]);
        for (int d = 0; b == 0 && d < 2; d++) msh_double(&o, 0.25);
        msh_row(&o);
      }
    }
  }
  msh_text(&o, binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  if (version == 22) {
    snprintf(t, sizeof(t), "%d\n", nelement);
    msh_text(&o, t);
  } else {
    int nblock = m->nblock;
    for (int k = 0; k < m->nset; k++) nblock += m->set[k].kind == TNI_SET_FACES ? m->set[k].n : 0;
    msh_int(&o, nblock, true);
    msh_int(&o, nelement, true);
    msh_int(&o, 1, true);
    msh_int(&o, nelement, true);
    msh_row(&o);
  }
  for (int c = 0; c < m->ncell; c++)
    if (tni_mesh_cell_gid(m, c) > last) last = tni_mesh_cell_gid(m, c);
  for (int k = 0, tag = 2; k < m->nset; k++) { /* a block per face: shapes of wedges differ */
    const tni_mesh_set *s = &m->set[k];
    if (s->kind != TNI_SET_FACES) continue;
    for (int i = 0; i < s->n; i++) {
      int node[TNI_CELL_MAXFACENODE];
      const tni_cell_shape *f = tni_mesh_face(m, s->member[i], s->face[i], node);
      if (version == 41) {
        msh_int(&o, top - 1, false);
        msh_int(&o, 10 + tag - 2, false);
        msh_int(&o, f->gmsh, false);
        msh_int(&o, 1, true);
        msh_row(&o);
      }
      msh_element(&o, version, m, f, node, ++last, tag);
    }
    tag++;
  }
  for (int k = 0; k < m->nblock; k++) {
    const tni_mesh_block *b = &m->block[k];
    const tni_cell_shape *s = tni_cell_of(b->cell);
    if (version == 41) {
      msh_int(&o, s->dim, false);
      msh_int(&o, 10, false);
      msh_int(&o, s->gmsh, false);
      msh_int(&o, b->n, true);
      msh_row(&o);
    }
    for (int i = 0; i < b->n; i++) msh_element(&o, version, m, s, b->node + (size_t)i*(size_t)s->nnode, b->gid[i], 1);
  }
  msh_text(&o, binary ? "\n$EndElements\n" : "$EndElements\n");
  *n = o.n;
  return o.s;
}

#endif
