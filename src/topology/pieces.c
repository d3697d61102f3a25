/* topology/pieces.c - a numbering in pieces that can be eliminated at the same time
 *
 * A set of vertices is cut in two by a level of its level structure (vertices at equal distance from one far out):
 * levels before it and levels behind it have no edge in common. The two sides are numbered from their far ends towards
 * the cut, which is the natural order of a chain burnt at both ends; cut again, they become four, and so on. Cuts are
 * numbered behind all pieces, inner ones first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "topology/ordering.h"

/* the cut lies where at least this share of the vertices is on either side, if there is such a level */
static const double SMALLEST_SIDE = 0.35;

typedef struct {
  const tni_graph *g;
  int *set;     /* [n] sets of vertices, one behind the other                  */
  int *inside;  /* [n] number of the set that a vertex is in                   */
  int *level;   /* [n]                                                         */
  int *queue;   /* [n]                                                         */
  int *place;   /* [n] level of the vertices of a set, for the order           */
  int sets;     /* numbers given so far                                        */
  int *order, *piece;
  int npiece;   /* given so far   */
  int front;    /* numbered pieces */
  int *border;  /* [n] cuts, outermost first */
  int nborder;
} divider;

/* levels of the vertices of set id from root on; returns the number of vertices reached */
static int walk(divider *z, int id, int root, int first, int *last) {
  int n = 0;
  z->level[root] = first;
  z->queue[n++] = root;
  for (int i = 0; i < n; i++) {
    int v = z->queue[i];
    for (int a = z->g->adr[v]; a < z->g->adr[v+1]; a++) {
      int u = z->g->adj[a];
      if (z->inside[u] != id || z->level[u] >= 0) continue;
      z->level[u] = z->level[v] + 1;
      z->queue[n++] = u;
    }
  }
  *last = z->queue[n-1];
  return n;
}

/* Levels of a set from a vertex far out; parts that do not touch follow each other with an empty level between.
 * Returns the number of levels. */
static int find_levels(divider *z, const int *set, int n, int id) {
  int next = 0, last;
  for (int i = 0; i < n; i++) {
    z->inside[set[i]] = id;
    z->level[set[i]] = -1;
  }
  for (int i = 0; i < n; i++) {
    if (z->level[set[i]] >= 0) continue;
    int root = set[i];
    /* the vertex reached last lies far out; twice is enough */
    for (int k = 0; k < 2; k++) {
      int m = walk(z, id, root, next, &last);
      root = last;
      for (int q = 0; q < m; q++) z->level[z->queue[q]] = -1;
    }
    walk(z, id, root, next, &last);
    next = z->level[last] + 2;
  }
  return next > 0 ? next - 1 : 0;
}

/* the vertices of a set by increasing (or decreasing) level, by their numbers within a level */
static void sort_by_level(divider *z, int *set, int n, int nlevel, bool down) {
  int *count = z->queue, *sorted = z->place; /* both are free here; there are at most n levels twice */
  for (int l = 0; l <= nlevel; l++) count[l] = 0;
  for (int i = 0; i < n; i++) count[(down ? nlevel - 1 - z->level[set[i]] : z->level[set[i]]) + 1]++;
  for (int l = 0; l < nlevel; l++) count[l+1] += count[l];
  for (int i = 0; i < n; i++) sorted[count[down ? nlevel - 1 - z->level[set[i]] : z->level[set[i]]]++] = set[i];
  for (int i = 0; i < n; i++) set[i] = sorted[i];
}

/* smallest level near the middle; sizes [nlevel] */
static int choose_cut(const int *size, int nlevel, int n) {
  int best = -1, before = 0;
  double least = 0;
  for (int l = 0; l < nlevel; before += size[l++]) {
    int behind = n - before - size[l];
    int smaller = before < behind ? before : behind;
    double off = 0.5*(n - size[l]) - smaller; /* vertices that the larger side has too many */
    double badness = size[l] + (smaller < SMALLEST_SIDE*n ? n : 0) + off/(n + 1.0);
    if (best < 0 || badness < least) {
      best = l;
      least = badness;
    }
  }
  return best;
}

/* number the set of n vertices as npiece pieces; it comes in the order in which one piece is eliminated */
static tn_status divide(divider *z, tni_arena *arena, int *set, int n, int npiece) {
  if (npiece == 1) {
    for (int i = 0; i < n; i++) {
      z->piece[set[i]] = z->npiece;
      z->order[z->front++] = set[i];
    }
    z->npiece++;
    return TN_OK;
  }
  int nlevel = find_levels(z, set, n, ++z->sets), *size, n1 = 0, n2 = 0, *one, *two;
  TNI_ARENA_NEW(arena, size, nlevel + 1);
  TNI_ARENA_NEW(arena, one, n + 1);
  TNI_ARENA_NEW(arena, two, n + 1);
  for (int i = 0; i < n; i++) size[z->level[set[i]]]++;
  int cut = choose_cut(size, nlevel, n);
  for (int i = 0; i < n; i++) {
    int l = z->level[set[i]];
    if (l < cut) one[n1++] = set[i];
    else if (l > cut) two[n2++] = set[i];
    else z->border[z->nborder++] = set[i];
  }
  sort_by_level(z, one, n1, nlevel, false);
  sort_by_level(z, two, n2, nlevel, true);
  TN_TRY(divide(z, arena, one, n1, npiece/2));
  return divide(z, arena, two, n2, npiece/2);
}

tn_status tni_order_pieces(const tni_graph *g, int npiece, tni_arena *arena, int *order, int *piece) {
  int n = g->n;
  divider z = {.g = g, .order = order, .piece = piece};
  TNI_ARENA_NEW(arena, z.set, n + 1);
  TNI_ARENA_NEW(arena, z.inside, n + 1);
  TNI_ARENA_NEW(arena, z.level, n + 1);
  TNI_ARENA_NEW(arena, z.queue, 2*n + 2);
  TNI_ARENA_NEW(arena, z.place, n + 1);
  TNI_ARENA_NEW(arena, z.border, n + 1);
  for (int v = 0; v < n; v++) {
    z.set[v] = v;
    piece[v] = -1;
  }
  TN_TRY(divide(&z, arena, z.set, n, npiece));
  /* outer cuts were found before inner ones */
  for (int i = 0; i < z.nborder; i++) order[z.front+i] = z.border[z.nborder-1-i];
  return TN_OK;
}
