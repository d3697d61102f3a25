/* topology/ordering.c - reverse Cuthill-McKee, Gibbs-Poole-Stockmeyer, Gibbs-King, minimum degree
 *
 * With weights (rows of the blocks) degrees, widths and fronts count rows instead of blocks, and a
 * numbering is judged by its scalar half-bandwidth (spec 9.5). Without them every vertex counts 1.
 *
 * Level structure rooted at v: level 0 is {v}, level i+1 the unvisited neighbours of level i. The
 * first three orderings start from a pair (v, u) of far apart vertices per connected component
 * (spec 9.2, steps 1 and 2); GPS and Gibbs-King merge the level structures of v and u into one of
 * small width (steps 3 and 4) and differ in the numbering inside the levels.
 *
 * All passes cost O(vertices + edges), Gibbs-King a logarithm more: neighbours are sorted by
 * degree once, and trying the far end vertices (which alone could cost n times as much) has a
 * budget. Ties are broken by the vertex index, so the result depends on the graph only.
 *
 * Source: topology-linear-solver spec, sections 8 and 9.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "topology/ordering.h"

#include <limits.h>
#include <suitesparse/amd.h>

void tni_graph_profile(const tni_graph *g, const int *order, const int *position,
                       tni_profile *out) {
  *out = (tni_profile){0};
  for (int i = 0; i < g->n; i++) {
    int v = order[i], first = i;
    for (int a = g->adr[v]; a < g->adr[v+1]; a++) {
      int j = position[g->adj[a]];
      if (j < first) first = j;
    }
    long beta = i - first;
    if (beta > out->bandwidth) out->bandwidth = (int)beta;
    out->envelope += beta;
    out->work += beta*(beta + 3)/2;
  }
}

/* breadth-first levels of one component */
typedef struct {
  int *list; /* [n] vertices, level after level           */
  int *adr;  /* [n+1] first place of each level in list   */
  int *of;   /* [n] level of a vertex, valid if stamped   */
  int n;     /* vertices reached                          */
  int depth, width; /* width: rows of the heaviest level  */
} levels;

typedef struct {
  const tni_graph *g;
  int *degree; /* [n] rows of the neighbours; without weights their number        */
  long rows;   /* of all vertices: no level is wider                              */
  int *adj;    /* neighbours of each vertex by increasing degree, then index      */
  int *stamp;  /* [n] equals the present mark: visited by the present search      */
  int mark;
  bool *seen;  /* [n] numbered by Cuthill-McKee                                   */
  long budget; /* vertices and edges that far-end searches may still visit        */
  levels a, b, c;
} finder;

/* searches for far ends may cost this much for any graph, and SEARCH_FACTOR whole passes */
enum { SEARCH_FREE = 1000*1000, SEARCH_FACTOR = 8 };

static int valence(const tni_graph *g, int v) { return g->adr[v+1] - g->adr[v]; }
static int weight(const tni_graph *g, int v) { return g->weight ? g->weight[v] : 1; }

static tn_status levels_create(tni_arena *arena, int n, levels *l) {
  TNI_ARENA_NEW(arena, l->list, n + 1);
  TNI_ARENA_NEW(arena, l->adr, n + 2);
  TNI_ARENA_NEW(arena, l->of, n + 1);
  return TN_OK;
}

/* vertices by increasing degree (counting sort), then every adjacency list filled in that order */
static tn_status sort_neighbours(finder *f, tni_arena *arena) {
  const tni_graph *g = f->g;
  int n = g->n, most = 0, *count, *by_degree, *fill;
  for (int v = 0; v < n; v++) {
    if (f->degree[v] > most) most = f->degree[v];
  }
  TNI_ARENA_NEW(arena, count, (size_t)most + 2);
  TNI_ARENA_NEW(arena, by_degree, n + 1);
  TNI_ARENA_NEW(arena, fill, n + 1);
  for (int v = 0; v < n; v++) count[f->degree[v] + 1]++;
  for (int k = 0; k <= most; k++) count[k+1] += count[k];
  for (int v = 0; v < n; v++) by_degree[count[f->degree[v]]++] = v;
  for (int v = 0; v < n; v++) fill[v] = g->adr[v];
  for (int k = 0; k < n; k++) {
    int w = by_degree[k];
    for (int a = g->adr[w]; a < g->adr[w+1]; a++) f->adj[fill[g->adj[a]]++] = w;
  }
  return TN_OK;
}

static tn_status finder_create(const tni_graph *g, tni_arena *arena, finder *f) {
  int n = g->n;
  *f = (finder){.g = g, .budget = SEARCH_FREE + SEARCH_FACTOR*((long)n + g->adr[n])};
  TNI_ARENA_NEW(arena, f->degree, n + 1);
  TNI_ARENA_NEW(arena, f->adj, g->adr[n] + 1);
  TNI_ARENA_NEW(arena, f->stamp, n + 1);
  TNI_ARENA_NEW(arena, f->seen, n + 1);
  for (int v = 0; v < n; v++) {
    f->rows += weight(g, v);
    for (int a = g->adr[v]; a < g->adr[v+1]; a++) f->degree[v] += weight(g, g->adj[a]);
  }
  TN_TRY(sort_neighbours(f, arena));
  TN_TRY(levels_create(arena, n, &f->a));
  TN_TRY(levels_create(arena, n, &f->b));
  TN_TRY(levels_create(arena, n, &f->c));
  return TN_OK;
}

/* level structure rooted at v; gives up (false) once a level is wider than max_width */
static bool build_levels(finder *f, int v, long max_width, levels *l) {
  const tni_graph *g = f->g;
  int mark = ++f->mark;
  l->list[0] = v;
  l->n = 1;
  l->depth = l->width = 0;
  f->stamp[v] = mark;
  for (int begin = 0; begin < l->n;) {
    int end = l->n, width = 0;
    l->adr[l->depth] = begin;
    for (int k = begin; k < end; k++) width += weight(g, l->list[k]);
    if (width > l->width) l->width = width;
    if (l->width > max_width) return false;
    for (int k = begin; k < end; k++) {
      int w = l->list[k];
      l->of[w] = l->depth;
      f->budget -= 1 + valence(g, w);
      for (int a = g->adr[w]; a < g->adr[w+1]; a++) {
        int x = f->adj[a];
        if (f->stamp[x] == mark) continue;
        f->stamp[x] = mark;
        l->list[l->n++] = x;
      }
    }
    l->depth++;
    begin = end;
  }
  l->adr[l->depth] = l->n;
  return true;
}

static void swap_levels(levels *a, levels *b) {
  levels t = *a;
  *a = *b;
  *b = t;
}

/* by increasing degree, then index (Shell's gaps: no memory, and short lists are the rule) */
static void sort_by_degree(const int *degree, int *v, int n) {
  for (int gap = n/2; gap > 0; gap = gap == 2 ? 1 : gap*5/11) {
    for (int i = gap; i < n; i++) {
      int x = v[i], dx = degree[x], j = i;
      for (; j >= gap; j -= gap) {
        int y = v[j-gap], dy = degree[y];
        if (dy < dx || (dy == dx && y < x)) break;
        v[j] = y;
      }
      v[j] = x;
    }
  }
}

/* Steps 1 and 2: from a vertex of least degree in the component of s to a far apart pair. Leaves
 * the structure of v = *pv in f->a and that of u = *pu in f->b. */
static void far_apart(finder *f, int s, int *pv, int *pu) {
  build_levels(f, s, f->rows, &f->a);
  int v = s;
  for (int k = 0; k < f->a.n; k++) {
    int w = f->a.list[k], dw = f->degree[w], dv = f->degree[v];
    if (dw < dv || (dw == dv && w < v)) v = w;
  }
  build_levels(f, v, f->rows, &f->a);
  int u = v;
  for (bool again = true; again;) {
    again = false;
    int begin = f->a.adr[f->a.depth-1], count = f->a.n - begin;
    int *last = f->a.list + begin;
    sort_by_degree(f->degree, last, count);
    long best = f->rows + 1;
    for (int k = 0; k < count; k++) {
      int x = last[k];
      if (k > 0 && f->budget < 0) break;
      /* a search is left once it is as wide as the best one; the first, of least degree, is
       * always built completely, so that there is a u */
      if (!build_levels(f, x, k == 0 ? f->rows : best - 1, &f->c)) continue;
      if (f->c.depth > f->a.depth) {
        v = x;
        swap_levels(&f->a, &f->c);
        again = true;
        break;
      }
      if (f->c.width < best) {
        best = f->c.width;
        u = x;
        swap_levels(&f->b, &f->c);
      }
    }
  }
  *pv = v;
  *pu = u;
}

/* Cuthill-McKee: breadth-first from s, neighbours by increasing degree. Returns their number. */
static int cuthill_mckee(finder *f, int s, int *list) {
  const tni_graph *g = f->g;
  int n = 0;
  list[n++] = s;
  f->seen[s] = true;
  for (int k = 0; k < n; k++) {
    for (int a = g->adr[list[k]]; a < g->adr[list[k]+1]; a++) {
      int x = f->adj[a];
      if (f->seen[x]) continue;
      f->seen[x] = true;
      list[n++] = x;
    }
  }
  return n;
}

tn_status tni_order_rcm(const tni_graph *g, tni_arena *arena, int *order) {
  finder f;
  TN_TRY(finder_create(g, arena, &f));
  int done = 0;
  for (int s = 0; s < g->n; s++) {
    if (f.seen[s]) continue;
    int v, u;
    far_apart(&f, s, &v, &u);
    int n = cuthill_mckee(&f, v, order + done);
    for (int i = done, j = done + n - 1; i < j; i++, j--) {
      int t = order[i];
      order[i] = order[j];
      order[j] = t;
    }
    done += n;
  }
  return TN_OK;
}

typedef struct {
  finder f;
  int *level;  /* [n] merged level of a vertex, -1 undecided             */
  int *size;   /* [n] vertices in each merged level                      */
  int *load;   /* [n] their rows                                         */
  int *extra;  /* [2 n] rows added per level while judging a component   */
  int *piece;  /* [n] vertices of the undecided components               */
  int *start;  /* [n+1] first vertex of each of them in piece            */
  int *rank;   /* [n+1] components by decreasing size                    */
  int *count;  /* [most+2] counting sort by degree or size               */
  int *adr;    /* [n+1] first vertex of each merged level in member      */
  int *member; /* [n] vertices by level, by increasing degree            */
  int *place;  /* [n] fill positions                                     */
  int *number; /* [n] position inside the component, -1 not numbered     */
  int *cost;   /* [n] new rows in the front that numbering this one brings */
  int64_t *heap; /* [2 n + edges] candidates of King's rule                  */
  int nheap;
} merger;

static tn_status merger_create(const tni_graph *g, tni_arena *arena, merger *m) {
  int n = g->n;
  *m = (merger){0};
  TN_TRY(finder_create(g, arena, &m->f));
  TNI_ARENA_NEW(arena, m->level, n + 1);
  TNI_ARENA_NEW(arena, m->size, n + 1);
  TNI_ARENA_NEW(arena, m->load, n + 1);
  TNI_ARENA_NEW(arena, m->extra, 2*(size_t)n + 2);
  TNI_ARENA_NEW(arena, m->piece, n + 1);
  TNI_ARENA_NEW(arena, m->start, n + 2);
  TNI_ARENA_NEW(arena, m->rank, n + 1);
  int most = n;
  for (int v = 0; v < n; v++) {
    if (m->f.degree[v] > most) most = m->f.degree[v];
  }
  TNI_ARENA_NEW(arena, m->count, (size_t)most + 2);
  TNI_ARENA_NEW(arena, m->adr, n + 2);
  TNI_ARENA_NEW(arena, m->member, n + 1);
  TNI_ARENA_NEW(arena, m->place, n + 1);
  TNI_ARENA_NEW(arena, m->number, n + 1);
  TNI_ARENA_NEW(arena, m->cost, n + 1);
  TNI_ARENA_NEW(arena, m->heap, 2*(size_t)n + (size_t)g->adr[n] + 1);
  for (int v = 0; v < n; v++) m->number[v] = -1;
  return TN_OK;
}

/* components of the undecided vertices, listed by decreasing size; returns their number */
static int undecided_pieces(merger *m) {
  const tni_graph *g = m->f.g;
  const levels *a = &m->f.a;
  int npiece = 0, n = 0, mark = ++m->f.mark;
  for (int k = 0; k < a->n; k++) {
    int s = a->list[k];
    if (m->level[s] >= 0 || m->f.stamp[s] == mark) continue;
    m->start[npiece++] = n;
    m->f.stamp[s] = mark;
    m->piece[n++] = s;
    for (int i = n - 1; i < n; i++) {
      int w = m->piece[i];
      for (int e = g->adr[w]; e < g->adr[w+1]; e++) {
        int x = g->adj[e];
        if (m->level[x] >= 0 || m->f.stamp[x] == mark) continue;
        m->f.stamp[x] = mark;
        m->piece[n++] = x;
      }
    }
  }
  m->start[npiece] = n;
  /* counting sort on n - size keeps equal sizes in the order found */
  memset(m->count, 0, ((size_t)n + 2)*sizeof(int));
  for (int p = 0; p < npiece; p++) m->count[n - (m->start[p+1] - m->start[p]) + 1]++;
  for (int k = 0; k <= n; k++) m->count[k+1] += m->count[k];
  for (int p = 0; p < npiece; p++) m->rank[m->count[n - (m->start[p+1] - m->start[p])]++] = p;
  return npiece;
}

/* Steps 3 and 4: one level per vertex of the component from the structures of v (f.a) and u (f.b).
 * Returns the depth. */
static int merge_levels(merger *m) {
  const tni_graph *g = m->f.g;
  const levels *a = &m->f.a, *b = &m->f.b;
  int depth = a->depth;
  memset(m->size, 0, (size_t)depth*sizeof(int));
  memset(m->load, 0, (size_t)depth*sizeof(int));
  for (int k = 0; k < a->n; k++) {
    int w = a->list[k], i = a->of[w], j = depth - 1 - b->of[w];
    m->level[w] = i == j ? i : -1;
    if (i == j) {
      m->size[i]++;
      m->load[i] += weight(g, w);
    }
  }
  int npiece = undecided_pieces(m);
  for (int r = 0; r < npiece; r++) {
    int begin = m->start[m->rank[r]], end = m->start[m->rank[r]+1];
    int *extra_i = m->extra, *extra_j = m->extra + depth, most_i = 0, most_j = 0;
    for (int k = begin; k < end; k++) {
      int w = m->piece[k], i = a->of[w], j = depth - 1 - b->of[w];
      extra_i[i] += weight(g, w);
      extra_j[j] += weight(g, w);
    }
    /* only the levels this component touches: the whole costs O(vertices) */
    for (int k = begin; k < end; k++) {
      int w = m->piece[k], i = a->of[w], j = depth - 1 - b->of[w];
      if (m->load[i] + extra_i[i] > most_i) most_i = m->load[i] + extra_i[i];
      if (m->load[j] + extra_j[j] > most_j) most_j = m->load[j] + extra_j[j];
    }
    bool use_i = most_i < most_j || (most_i == most_j && a->width <= b->width);
    for (int k = begin; k < end; k++) {
      int w = m->piece[k], i = a->of[w], j = depth - 1 - b->of[w];
      extra_i[i] = extra_j[j] = 0;
      m->level[w] = use_i ? i : j;
    }
    for (int k = begin; k < end; k++) {
      int w = m->piece[k];
      m->size[m->level[w]]++;
      m->load[m->level[w]] += weight(g, w);
    }
  }
  return depth;
}

/* members of every level by increasing degree; flip reverses the levels */
static void list_levels(merger *m, int depth, bool flip) {
  const int *degree = m->f.degree;
  const levels *a = &m->f.a;
  /* vertices of the component by degree */
  int most = 0;
  for (int k = 0; k < a->n; k++) {
    if (degree[a->list[k]] > most) most = degree[a->list[k]];
  }
  memset(m->count, 0, ((size_t)most + 2)*sizeof(int));
  for (int k = 0; k < a->n; k++) m->count[degree[a->list[k]] + 1]++;
  for (int k = 0; k <= most; k++) m->count[k+1] += m->count[k];
  for (int k = 0; k < a->n; k++) m->piece[m->count[degree[a->list[k]]]++] = a->list[k];
  /* then by level */
  m->adr[0] = 0;
  for (int i = 0; i < depth; i++) m->adr[i+1] = m->adr[i] + m->size[flip ? depth - 1 - i : i];
  for (int i = 0; i < depth; i++) m->place[i] = m->adr[i];
  for (int k = 0; k < a->n; k++) {
    int w = m->piece[k];
    if (flip) m->level[w] = depth - 1 - m->level[w];
    m->member[m->place[m->level[w]]++] = w;
  }
}

/* number the not yet numbered neighbours of w that lie in level i, by increasing degree */
static int number_neighbours(merger *m, int w, int i, int *order, int n) {
  const tni_graph *g = m->f.g;
  for (int a = g->adr[w]; a < g->adr[w+1]; a++) {
    int x = m->f.adj[a];
    if (m->level[x] != i || m->number[x] >= 0) continue;
    m->number[x] = n;
    order[n++] = x;
  }
  return n;
}

/* Step 5, GPS: inside a level first the neighbours of the previous level, then those of the level,
 * then what is left by degree. */
static void number_gps(merger *m, int depth, int root, int *order) {
  int n = 0, previous = 0;
  for (int i = 0; i < depth; i++) {
    int begin = n, left = m->adr[i];
    if (i == 0) {
      m->number[root] = n;
      order[n++] = root;
    }
    for (int k = previous; k < begin; k++) n = number_neighbours(m, order[k], i, order, n);
    for (int k = begin;;) {
      while (k < n) n = number_neighbours(m, order[k++], i, order, n);
      while (left < m->adr[i+1] && m->number[m->member[left]] >= 0) left++;
      if (left == m->adr[i+1]) break;
      m->number[m->member[left]] = n;
      order[n++] = m->member[left];
    }
    previous = begin;
  }
}

static void heap_push(merger *m, int64_t key) {
  int k = m->nheap++;
  for (; k > 0 && m->heap[(k-1)/2] > key; k = (k-1)/2) m->heap[k] = m->heap[(k-1)/2];
  m->heap[k] = key;
}

static int64_t heap_pop(merger *m) {
  int64_t top = m->heap[0], key = m->heap[--m->nheap];
  int k = 0;
  for (int child; (child = 2*k + 1) < m->nheap; k = child) {
    if (child + 1 < m->nheap && m->heap[child+1] < m->heap[child]) child++;
    if (m->heap[child] >= key) break;
    m->heap[k] = m->heap[child];
  }
  m->heap[k] = key;
  return top;
}

/* heap keys: cost first, then place in member, which runs through the levels by degree */
#define KING_KEY(cost, place) (((int64_t)(cost) << 32) | (int64_t)(place))

/* w enters the front: it no longer counts as new for its neighbours */
static void enter_front(merger *m, int w, int level) {
  const tni_graph *g = m->f.g;
  if (m->f.stamp[w] == m->f.mark) return;
  m->f.stamp[w] = m->f.mark;
  m->cost[w] -= weight(g, w);
  if (m->number[w] < 0 && m->level[w] == level) heap_push(m, KING_KEY(m->cost[w], m->place[w]));
  for (int a = g->adr[w]; a < g->adr[w+1]; a++) {
    int x = g->adj[a];
    m->cost[x] -= weight(g, w);
    if (m->number[x] < 0 && m->level[x] == level) {
      heap_push(m, KING_KEY(m->cost[x], m->place[x]));
    }
  }
}

/* Step 5, King: inside a level next the vertex that brings the fewest new rows into the front. */
static void number_king(merger *m, int depth, int root, int *order) {
  const tni_graph *g = m->f.g;
  int n = 0, ncomp = m->adr[depth];
  ++m->f.mark; /* stamped: in the front or behind it */
  for (int k = 0; k < ncomp; k++) {
    m->place[m->member[k]] = k;
    m->cost[m->member[k]] = m->f.degree[m->member[k]] + weight(g, m->member[k]);
  }
  for (int i = 0; i < depth; i++) {
    m->nheap = 0;
    for (int k = m->adr[i]; k < m->adr[i+1]; k++) {
      heap_push(m, KING_KEY(m->cost[m->member[k]], k));
    }
    int next = i == 0 ? root : -1;
    while (n < m->adr[i+1]) {
      if (next < 0) {
        int64_t key = heap_pop(m);
        next = m->member[key & INT32_MAX];
        if (m->number[next] >= 0 || m->cost[next] != key >> 32) {
          next = -1;
          continue;
        }
      }
      m->number[next] = n;
      order[n++] = next;
      enter_front(m, next, i);
      for (int a = g->adr[next]; a < g->adr[next+1]; a++) enter_front(m, g->adj[a], i);
      next = -1;
    }
  }
}

/* Step 6: keep the better of the numbering of one component and its reverse, by the work (27), with weights by the
 * scalar half-bandwidth and then by the area of the scalar envelope. first[i], last[i]: neighbours of row i. */
static void keep_better_direction(merger *m, int *order, int n) {
  const tni_graph *g = m->f.g;
  long forward = 0, backward = 0, widest = 0, widest_back = 0;
  int *start = m->place; /* rows before the vertex numbered i; no longer needed for members */
  for (int i = 0, at = 0; i < n; at += weight(g, order[i++])) start[i] = at;
  for (int i = 0; i < n; i++) {
    int first = i, last = i, rows = weight(g, order[i]);
    for (int a = g->adr[order[i]]; a < g->adr[order[i]+1]; a++) {
      int j = m->number[g->adj[a]];
      if (j < first) first = j;
      if (j > last) last = j;
    }
    if (g->weight) {
      long up = start[i] + rows - 1 - start[first];
      long down = start[last] + weight(g, order[last]) - 1 - start[i];
      forward += rows*up;
      backward += rows*down;
      if (up > widest) widest = up;
      if (down > widest_back) widest_back = down;
    } else {
      forward += (long)(i - first)*(i - first + 3)/2;
      backward += (long)(last - i)*(last - i + 3)/2;
    }
  }
  if (widest_back > widest || (widest_back == widest && backward >= forward)) return;
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    int t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
}

static tn_status order_by_levels(const tni_graph *g, tni_arena *arena, bool king, int *order) {
  merger m;
  TN_TRY(merger_create(g, arena, &m));
  int done = 0;
  for (int s = 0; s < g->n; s++) {
    if (m.number[s] >= 0) continue;
    int v, u;
    far_apart(&m.f, s, &v, &u);
    int depth = merge_levels(&m), n = m.f.a.n;
    bool flip = m.f.degree[u] < m.f.degree[v];
    list_levels(&m, depth, flip);
    if (king) {
      number_king(&m, depth, flip ? u : v, order + done);
    } else {
      number_gps(&m, depth, flip ? u : v, order + done);
    }
    keep_better_direction(&m, order + done, n);
    done += n;
  }
  return TN_OK;
}

tn_status tni_order_gps(const tni_graph *g, tni_arena *arena, int *order) {
  return order_by_levels(g, arena, false, order);
}

tn_status tni_order_gk(const tni_graph *g, tni_arena *arena, int *order) {
  return order_by_levels(g, arena, true, order);
}

static tn_status minimum_degree(tn_ctx *ctx, int n, const int *adr, const int *adj, int *order) {
  int status = amd_order(n, adr, adj, order, NULL, NULL);
  if (status == AMD_OUT_OF_MEMORY) return tni_out_of_memory(ctx);
  TN_REQUIRE(ctx, status == AMD_OK || status == AMD_OK_BUT_JUMBLED, TN_ERR_INTERNAL,
             "minimum degree ordering of %d vertices failed with code %d", n, status);
  return TN_OK;
}

/* Minimum degree of rows: of the graph in which every vertex is a clique of its rows. They cannot be told apart, so that
 * AMD keeps them together; a vertex is numbered where its first row is. */
static tn_status minimum_rows(const tni_graph *g, tni_arena *arena, int *order) {
  int n = g->n, *start, *adr, *adj, *of, *rows;
  TNI_ARENA_NEW(arena, start, n + 1);
  long edges = 0;
  for (int v = 0; v < n; v++) {
    long beside = weight(g, v) - 1;
    for (int a = g->adr[v]; a < g->adr[v+1]; a++) beside += weight(g, g->adj[a]);
    edges += weight(g, v)*beside;
    start[v+1] = start[v] + weight(g, v);
  }
  TN_REQUIRE(arena->ctx, edges <= INT_MAX, TN_ERR_UNSUPPORTED,
             "ordering: more than %d pairs of rows share a body", INT_MAX);
  TNI_ARENA_NEW(arena, adr, start[n] + 1);
  TNI_ARENA_NEW(arena, adj, (size_t)edges + 1);
  TNI_ARENA_NEW(arena, of, start[n] + 1);
  TNI_ARENA_NEW(arena, rows, start[n] + 1);
  int at = 0;
  for (int v = 0; v < n; v++) {
    for (int r = start[v]; r < start[v+1]; r++) {
      of[r] = v;
      for (int c = start[v]; c < start[v+1]; c++) {
        if (c != r) adj[at++] = c;
      }
      for (int a = g->adr[v]; a < g->adr[v+1]; a++) {
        for (int c = start[g->adj[a]]; c < start[g->adj[a]+1]; c++) adj[at++] = c;
      }
      adr[r+1] = at;
    }
  }
  TN_TRY(minimum_degree(arena->ctx, start[n], adr, adj, rows));
  bool *done;
  TNI_ARENA_NEW(arena, done, n + 1);
  int k = 0;
  for (int i = 0; i < start[n]; i++) {
    int v = of[rows[i]];
    if (!done[v]) order[k++] = v;
    done[v] = true;
  }
  for (int v = 0; v < n; v++) {
    if (!done[v]) order[k++] = v; /* blocks without rows */
  }
  return TN_OK;
}

tn_status tni_order_md(const tni_graph *g, tni_arena *arena, int *order) {
  if (g->n == 0) return TN_OK;
  if (g->weight) return minimum_rows(g, arena, order);
  return minimum_degree(arena->ctx, g->n, g->adr, g->adj, order);
}
