/* mesh/colour.c - cells in sets of which no two share a node
 *
 * Source: parallel finite elements specification, section 2.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/colour.h"

enum { BITS = 64 };

/* colours of the cells at a node: words bit sets, as many as the cell at a node demand */
typedef struct {
  const tni_mesh *m;
  int words;
  uint64_t *used; /* [nnode][words] */
} palette;

static void gather(const palette *p, int cell, uint64_t *mask) {
  const tni_cell_shape *s;
  const int *node = tni_mesh_nodes(p->m, cell, &s);
  memset(mask, 0, (size_t)p->words*sizeof(uint64_t));
  for (int a = 0; a < s->nnode; a++)
    for (int w = 0; w < p->words; w++) mask[w] |= p->used[(size_t)node[a]*(size_t)p->words + (size_t)w];
}

static void paint(const palette *p, int cell, int colour, bool on) {
  const tni_cell_shape *s;
  const int *node = tni_mesh_nodes(p->m, cell, &s);
  for (int a = 0; a < s->nnode; a++) {
    uint64_t *u = &p->used[(size_t)node[a]*(size_t)p->words + (size_t)(colour/BITS)], bit = (uint64_t)1 << colour%BITS;
    *u = on ? *u | bit : *u & ~bit;
  }
}

/* One more word than colours can ever need: a cell has at most `nodes` nodes, each with at most `most` cells. */
static int words_needed(const tni_mesh *m, const int *cells_at) {
  int need = 1;
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, c, &s);
    int n = 1;
    for (int a = 0; a < s->nnode; a++) n += cells_at[node[a]] - 1;
    if (n > need) need = n;
  }
  return (need + BITS - 1)/BITS;
}

tn_status tni_mesh_colour(const tni_mesh *m, tni_arena *arena, tni_mesh_colours *out) {
  palette p = {.m = m};
  int *cells_at, *count;
  uint64_t *mask;
  *out = (tni_mesh_colours){0};
  TNI_ARENA_NEW(arena, out->colour, m->ncell);
  TNI_ARENA_NEW(arena, out->cell, m->ncell);
  TNI_ARENA_NEW(arena, cells_at, m->nnode);
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, c, &s);
    for (int a = 0; a < s->nnode; a++) cells_at[node[a]]++;
  }
  p.words = words_needed(m, cells_at);
  TNI_ARENA_NEW(arena, p.used, (size_t)m->nnode*(size_t)p.words);
  TNI_ARENA_NEW(arena, mask, p.words);
  TNI_ARENA_NEW(arena, count, (size_t)p.words*BITS + 1);
  for (int c = 0; c < m->ncell; c++) {
    int k = 0;
    gather(&p, c, mask);
    while (mask[k/BITS] >> k%BITS & 1) k++;
    out->colour[c] = k;
    count[k]++;
    if (k + 1 > out->n) out->n = k + 1;
    paint(&p, c, k, true);
  }
  /* balance: from above the mean to the smallest set that takes the cell */
  for (int c = m->ncell - 1; c >= 0 && out->n > 1; c--) {
    int k = out->colour[c], best = k;
    if ((int64_t)count[k]*out->n <= m->ncell) continue;
    paint(&p, c, k, false);
    gather(&p, c, mask);
    for (int t = 0; t < out->n; t++)
      if (count[t] + 1 < count[k] && (best == k || count[t] < count[best]) && !(mask[t/BITS] >> t%BITS & 1)) best = t;
    count[k]--;
    count[best]++;
    out->colour[c] = best;
    paint(&p, c, best, true);
  }
  TNI_ARENA_NEW(arena, out->from, out->n + 2);
  for (int c = 0; c < m->ncell; c++) out->from[out->colour[c] + 2]++;
  for (int k = 0; k < out->n; k++) out->from[k+2] += out->from[k+1];
  for (int c = 0; c < m->ncell; c++) out->cell[out->from[out->colour[c] + 1]++] = c;
  return TN_OK;
}
