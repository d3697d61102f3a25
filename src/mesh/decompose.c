/* mesh/decompose.c - rules that cut a mesh into parts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/decompose.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/vec.h"
#include "mesh/cut_graph.h"
#include "mesh/scan.h"

const char *const tni_cut_names[TNI_NCUT + 1] = {"greedy", "frontier", "bands", "strips", "bisect", "inertia", "metis", "scotch", "best", "file"};

int tni_cut_named(const char *name) {
  for (int i = 0; i <= TNI_NCUT; i++)
    if (strcmp(name, tni_cut_names[i]) == 0) return i;
  return -1;
}

static double weight_of(const double *weight, int cell) { return weight ? weight[cell] : 1; }

/* --- greedy --- */

/* nodes with free cells, the fewest first, then the smallest number; entries may be out of date */
typedef struct {
  int free, node;
} entry;

typedef struct {
  entry *e;
  int n, cap;
} heap;

static bool before(entry a, entry b) { return a.free != b.free ? a.free < b.free : a.node < b.node; }

static bool push(tni_arena *arena, heap *h, entry x) {
  if (!tni_arena_grow(arena, (void **)&h->e, h->n, &h->cap, sizeof(entry))) return false;
  int i = h->n++;
  for (; i > 0 && before(x, h->e[(i-1)/2]); i = (i - 1)/2) h->e[i] = h->e[(i-1)/2];
  h->e[i] = x;
  return true;
}

static entry pop(heap *h) {
  entry top = h->e[0], last = h->e[--h->n];
  int i = 0;
  while (2*i + 1 < h->n) {
    int c = 2*i + 1;
    if (c + 1 < h->n && before(h->e[c+1], h->e[c])) c++;
    if (!before(h->e[c], last)) break;
    h->e[i] = h->e[c];
    i = c;
  }
  h->e[i] = last;
  return top;
}

typedef struct {
  const tni_mesh *m;
  tni_arena *work;
  tni_mesh_graph cells;  /* of nodes */
  const double *weight;
  int *part, *free;      /* [ncell]; [nnode] free cells at a node */
  int *mine;             /* [nnode] part whose nodes it is among, + 1 */
  int *own, nown;        /* nodes of the present part, as they came */
  int *layer, nlayer, *next, nnext;
  heap frontier;
  bool by_layer;
  int count;             /* cells of the present part */
  double sum;
  double target;
  int quota;             /* without weights; 0: with */
  int most;              /* every part that follows must find a cell */
} greedy;

/* does the part take another cell */
static bool wants(const greedy *g, int cell) {
  if (g->quota > 0) return g->count < g->quota;
  if (g->count >= g->most) return false;
  return g->count == 0 || g->sum + 0.5*weight_of(g->weight, cell) <= g->target;
}

/* the free cells at a node, while the part wants more; false: it is full, or memory has run out */
static bool take(greedy *g, int node, int s, tn_status *st) {
  for (int i = g->cells.from[node]; i < g->cells.from[node+1]; i++) {
    int cell = g->cells.to[i];
    if (g->part[cell] >= 0) continue;
    if (!wants(g, cell)) return false;
    const tni_cell_shape *shape;
    const int *of = tni_mesh_nodes(g->m, cell, &shape);
    g->part[cell] = s;
    g->count++;
    g->sum += weight_of(g->weight, cell);
    for (int a = 0; a < shape->nnode; a++) {
      int v = of[a];
      bool twice = false; /* a collapsed cell has a node more than once */
      for (int b = 0; b < a; b++) twice = twice || of[b] == v;
      if (twice) continue;
      g->free[v]--;
      if (g->mine[v] != s + 1) {
        g->mine[v] = s + 1;
        g->own[g->nown++] = v;
        g->next[g->nnext++] = v;
      }
      if (!g->by_layer && g->free[v] > 0 && !push(g->work, &g->frontier, (entry){g->free[v], v})) {
        *st = tni_out_of_memory(g->m->ctx);
        return false;
      }
    }
  }
  return true;
}

static int by_entry(const void *a, const void *b) { return before(*(const entry *)a, *(const entry *)b) ? -1 : 1; }

/* nodes of the list that still have free cells, fewest first */
static int order_nodes(const greedy *g, int *list, int n, entry *scratch) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (g->free[list[i]] > 0) scratch[k++] = (entry){g->free[list[i]], list[i]};
  qsort(scratch, (size_t)k, sizeof(entry), by_entry);
  for (int i = 0; i < k; i++) list[i] = scratch[i].node;
  return k;
}

static int least_free(const greedy *g, const int *list, int n) {
  int best = -1;
  for (int i = 0; i < n; i++) {
    int v = list ? list[i] : i;
    if (g->free[v] > 0 && (best < 0 || before((entry){g->free[v], v}, (entry){g->free[best], best}))) best = v;
  }
  return best;
}

/* one part, beginning at a node of the part before */
static tn_status grow_part(greedy *g, int s, int *prev, int nprev, entry *scratch) {
  tn_status st = TN_OK;
  int start = least_free(g, prev, nprev);
  if (start < 0) start = least_free(g, NULL, g->m->nnode);
  if (start < 0) return TN_OK;
  g->nown = g->nnext = g->frontier.n = g->count = 0;
  g->sum = 0;
  g->mine[start] = s + 1;
  g->own[g->nown++] = start;
  g->layer[0] = start;
  g->nlayer = 1;
  if (!push(g->work, &g->frontier, (entry){g->free[start], start})) return tni_out_of_memory(g->m->ctx);
  bool more = true;
  while (more && st == TN_OK) {
    if (g->by_layer) {
      g->nnext = 0;
      for (int i = 0; more && i < g->nlayer; i++) more = take(g, g->layer[i], s, &st);
      int *swap = g->layer;
      g->layer = g->next;
      g->next = swap;
      g->nlayer = order_nodes(g, g->layer, g->nnext, scratch);
      if (g->nlayer == 0) {
        memcpy(g->layer, g->own, (size_t)g->nown*sizeof(int));
        g->nlayer = order_nodes(g, g->layer, g->nown, scratch);
      }
    } else {
      entry e = {0, -1};
      while (g->frontier.n > 0) {
        e = pop(&g->frontier);
        if (e.free == g->free[e.node]) break;
        e.node = -1;
      }
      g->nlayer = e.node >= 0;
      g->nnext = 0;
      if (e.node >= 0) more = take(g, e.node, s, &st);
    }
    if (more && g->nlayer == 0) { /* goes on elsewhere, in another piece */
      int again = least_free(g, NULL, g->m->nnode);
      if (again < 0) break;
      if (g->mine[again] != s + 1) {
        g->mine[again] = s + 1;
        g->own[g->nown++] = again;
      }
      g->layer[0] = again;
      g->nlayer = 1;
      if (!push(g->work, &g->frontier, (entry){g->free[again], again})) return tni_out_of_memory(g->m->ctx);
    }
  }
  return st;
}

static tn_status cut_greedy(const tni_mesh *m, bool by_layer, int nparts, const double *weight, tni_arena *work, int *part) {
  greedy g = {.m = m, .work = work, .weight = weight, .part = part, .by_layer = by_layer};
  entry *scratch;
  int *prev, nprev = 0, left = m->ncell;
  double remaining = 0;
  TN_TRY(tni_mesh_cells_of_nodes(m, work, &g.cells));
  TNI_ARENA_NEW(work, g.free, m->nnode);
  TNI_ARENA_NEW(work, g.mine, m->nnode);
  TNI_ARENA_NEW(work, g.own, m->nnode);
  TNI_ARENA_NEW(work, g.layer, m->nnode + 1);
  TNI_ARENA_NEW(work, g.next, m->nnode + 1);
  TNI_ARENA_NEW(work, prev, m->nnode);
  TNI_ARENA_NEW(work, scratch, m->nnode);
  for (int v = 0; v < m->nnode; v++) g.free[v] = g.cells.from[v+1] - g.cells.from[v];
  for (int c = 0; c < m->ncell; c++) {
    part[c] = -1;
    remaining += weight_of(weight, c);
  }
  for (int s = 0; s < nparts; s++) {
    int parts_left = nparts - s;
    g.most = left - (parts_left - 1);
    g.quota = s == nparts - 1 ? left : weight ? 0 : (2*left + parts_left)/(2*parts_left);
    if (g.quota > g.most) g.quota = g.most;
    g.target = remaining/parts_left;
    TN_TRY(grow_part(&g, s, prev, nprev, scratch));
    left -= g.count;
    remaining -= g.sum;
    memcpy(prev, g.own, (size_t)g.nown*sizeof(int));
    nprev = g.nown;
  }
  return TN_OK;
}

/* --- by places --- */

typedef struct {
  double key;
  int cell;
} placed;

static int by_place(const void *a, const void *b) {
  const placed *x = a, *y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->cell > y->cell) - (x->cell < y->cell);
}

static void centroid(const tni_mesh *m, int cell, double c[3]) {
  const tni_cell_shape *s;
  const int *node = tni_mesh_nodes(m, cell, &s);
  vec3_set(c, 0, 0, 0);
  for (int a = 0; a < s->ncorner; a++) vec3_addmul(c, 1.0/s->ncorner, m->x + 3*(size_t)node[a]);
}

/* eigenvector of the largest eigenvalue of a symmetric 3x3 matrix, by turns of Jacobi; the others in the columns of V */
static void principal(double A[3][3], double V[3][3], double value[3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) V[i][j] = i == j;
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = fabs(A[0][1]) + fabs(A[0][2]) + fabs(A[1][2]);
    if (off <= 1e-14*(fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]))) break;
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] == 0) continue;
        double theta = (A[q][q] - A[p][p])/(2*A[p][q]), t = (theta < 0 ? -1 : 1)/(fabs(theta) + sqrt(theta*theta + 1));
        double c = 1/sqrt(t*t + 1), s = t*c;
        for (int k = 0; k < 3; k++) {
          double a = A[k][p], b = A[k][q];
          A[k][p] = c*a - s*b;
          A[k][q] = s*a + c*b;
        }
        for (int k = 0; k < 3; k++) {
          double a = A[p][k], b = A[q][k];
          A[p][k] = c*a - s*b;
          A[q][k] = s*a + c*b;
        }
        for (int k = 0; k < 3; k++) {
          double a = V[k][p], b = V[k][q];
          V[k][p] = c*a - s*b;
          V[k][q] = s*a + c*b;
        }
      }
    }
  }
  for (int i = 0; i < 3; i++) value[i] = A[i][i];
}

/* the direction in which n cells reach farthest */
static void direction(const tni_mesh *m, const placed *list, int n, bool inertia, double d[3]) {
  double low[3] = {0}, high[3] = {0}, mean[3] = {0}, c[3];
  vec3_set(d, 0, 0, 0);
  for (int i = 0; i < n; i++) {
    centroid(m, list[i].cell, c);
    for (int k = 0; k < 3; k++) {
      if (i == 0 || c[k] < low[k]) low[k] = c[k];
      if (i == 0 || c[k] > high[k]) high[k] = c[k];
    }
    vec3_addmul(mean, 1.0/n, c);
  }
  if (!inertia) {
    int k = 0;
    for (int i = 1; i < 3; i++) /* by more than rounding, so that cubes are cut across x first */
      if (high[i] - low[i] > (high[k] - low[k])*(1 + 1e-9)) k = i;
    d[k] = 1;
    return;
  }
  double A[3][3] = {{0}}, V[3][3], value[3];
  for (int i = 0; i < n; i++) {
    centroid(m, list[i].cell, c);
    vec3_sub(c, c, mean);
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++) A[p][q] += c[p]*c[q];
  }
  principal(A, V, value);
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (value[i] > value[k]*(1 + 1e-9)) k = i;
  for (int i = 0; i < 3; i++) d[i] = V[i][k];
}

static void sort_along(const tni_mesh *m, placed *list, int n, const double d[3]) {
  for (int i = 0; i < n; i++) {
    double c[3];
    centroid(m, list[i].cell, c);
    list[i].key = vec3_dot(c, d);
  }
  /* what differs by rounding only counts as equal: the same parts for meshes that are moved or turned a little */
  double extent = 0;
  for (int i = 0; i < n; i++) extent = fmax(extent, fabs(list[i].key));
  for (int i = 0; i < n; i++) list[i].key = extent > 0 ? nearbyint(list[i].key/extent*1e9) : 0;
  qsort(list, (size_t)n, sizeof(placed), by_place);
}

/* a list in order, cut into pieces of equal weight: the number of cells of the first `parts` of `all` parts */
static int cut_at(const placed *list, int n, int parts, int all, const double *weight) {
  double total = 0, sum = 0;
  for (int i = 0; i < n; i++) total += weight_of(weight, list[i].cell);
  int k = 0;
  while (k < n && sum + 0.5*weight_of(weight, list[k].cell) <= total*parts/all + 1e-12*total) sum += weight_of(weight, list[k++].cell);
  if (k < parts) k = parts;
  if (k > n - (all - parts)) k = n - (all - parts);
  return k;
}

static bool is_beside(const placed *list, int i) { return list[i - 1].key < list[i].key; }

/* A cut through a layer of cells goes beside it where that is near: borders without steps. Of two that are about as near the lower one, so that
 * neighbours are cut at the same place. */
static int cut_beside(const placed *list, int n, int k, int least, int most) {
  enum { NEAR = 16, SAME = 100 }; /* n/NEAR cells */
  int low = k, high = k;
  while (low > 0 && !is_beside(list, low)) low--;
  while (high < n && high > 0 && !is_beside(list, high)) high++;
  int i = k - low <= high - k + n/SAME + 1 ? low : high;
  return i >= least && i <= most && i > 0 && i < n && abs(i - k) <= n/NEAR ? i : k;
}

static void bisect(const tni_mesh *m, bool inertia, bool layers, placed *list, int n, int first, int nparts, const double *weight, int *part) {
  if (nparts == 1) {
    for (int i = 0; i < n; i++) part[list[i].cell] = first;
    return;
  }
  double d[3];
  int half = nparts/2;
  direction(m, list, n, inertia, d);
  sort_along(m, list, n, d);
  int k = cut_at(list, n, half, nparts, weight);
  if (layers) k = cut_beside(list, n, k, half, n - (nparts - half));
  bisect(m, inertia, layers, list, k, first, half, weight, part);
  bisect(m, inertia, layers, list + k, n - k, first + half, nparts - half, weight, part);
}

static void cut_in_turn(const placed *list, int n, int nparts, const double *weight, int *part) {
  for (int s = 0; s < nparts; s++) {
    int k = s == nparts - 1 ? n : cut_at(list, n, 1, nparts - s, weight);
    for (int i = 0; i < k; i++) part[list[i].cell] = s;
    list += k;
    n -= k;
  }
}

/* --- by graphs --- */

static int degree(const tni_mesh_graph *g, int v) { return g->from[v+1] - g->from[v]; }

/* breadth first from v over what is not done; returns how many, the last level begins at *last */
static int levels(const tni_mesh_graph *g, int v, const char *done, int *mark, int stamp, int *list, int *last, int *depth) {
  int n = 0, begin = 0;
  list[n++] = v;
  mark[v] = stamp;
  *depth = 0;
  while (true) {
    int end = n;
    for (int i = begin; i < end; i++) {
      for (int k = g->from[list[i]]; k < g->from[list[i]+1]; k++) {
        int w = g->to[k];
        if (done[w] || mark[w] == stamp) continue;
        mark[w] = stamp;
        list[n++] = w;
      }
    }
    if (n == end) break;
    begin = end;
    ++*depth;
  }
  *last = begin;
  return n;
}

static int by_degree(const void *a, const void *b) { return before(*(const entry *)a, *(const entry *)b) ? -1 : 1; }

tn_status tni_mesh_order(const tni_mesh_graph *g, tni_arena *arena, int *order) {
  int *mark, *list, n = 0, stamp = 0;
  char *done;
  entry *sorted;
  TNI_ARENA_NEW(arena, mark, g->n);
  TNI_ARENA_NEW(arena, list, g->n);
  TNI_ARENA_NEW(arena, done, g->n);
  TNI_ARENA_NEW(arena, sorted, g->n);
  for (int seed = 0; seed < g->n; seed++) {
    if (done[seed]) continue;
    int v = seed, last, depth, deepest = -1;
    for (int tries = 0; tries < 8; tries++) { /* walk to an end of the graph */
      int count = levels(g, v, done, mark, ++stamp, list, &last, &depth), best = list[last];
      if (depth <= deepest) break;
      deepest = depth;
      for (int i = last; i < count; i++)
        if (before((entry){degree(g, list[i]), list[i]}, (entry){degree(g, best), best})) best = list[i];
      if (depth == 0) break;
      v = best;
    }
    int from = n;
    order[n++] = v;
    done[v] = 1;
    for (int i = from; i < n; i++) {
      int k = 0;
      for (int e = g->from[order[i]]; e < g->from[order[i]+1]; e++) {
        int w = g->to[e];
        if (!done[w]) sorted[k++] = (entry){degree(g, w), w};
        done[w] = 1;
      }
      qsort(sorted, (size_t)k, sizeof(entry), by_degree);
      for (int e = 0; e < k; e++) order[n++] = sorted[e].node;
    }
    for (int i = from, j = n - 1; i < j; i++, j--) {
      int swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
  }
  return TN_OK;
}

/* a part that got nothing takes a cell from the largest one */
static tn_status fill_empty(const tni_mesh *m, int nparts, tni_arena *work, int *part) {
  int *count;
  TNI_ARENA_NEW(work, count, nparts);
  for (int c = 0; c < m->ncell; c++) count[part[c]]++;
  for (int s = 0; s < nparts; s++) {
    if (count[s] > 0) continue;
    int most = 0, cell = m->ncell - 1;
    for (int t = 1; t < nparts; t++)
      if (count[t] > count[most]) most = t;
    while (part[cell] != most) cell--;
    part[cell] = s;
    count[most]--;
    count[s]++;
  }
  return TN_OK;
}

/* nodes of more than one part */
static tn_status count_shared(const tni_mesh *m, const int *part, tni_arena *work, int *count) {
  int *of;
  TNI_ARENA_NEW(work, of, m->nnode);
  *count = 0;
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *shape;
    const int *node = tni_mesh_nodes(m, c, &shape);
    for (int k = 0; k < shape->nnode; k++) {
      int *first = &of[node[k]]; /* 0: none yet; part + 1; -1: several */
      if (*first == 0) *first = part[c] + 1;
      else if (*first > 0 && *first != part[c] + 1) *first = -1, ++*count;
    }
  }
  return TN_OK;
}

/* METIS knows no places: on regular meshes its parts are rounder and more ragged than boxes, on others they fit the shape better. */
static tn_status cut_best(const tni_mesh *m, placed *list, int nparts, const double *weight, tni_arena *work, int *part) {
  int *halves, nodes[2];
  TNI_ARENA_NEW(work, halves, m->ncell);
  bisect(m, false, true, list, m->ncell, 0, nparts, weight, halves);
  TN_TRY(tni_cut_metis(m, nparts, weight, work, part));
  TN_TRY(count_shared(m, halves, work, &nodes[0]));
  TN_TRY(count_shared(m, part, work, &nodes[1]));
  if (nodes[0] <= nodes[1]) memcpy(part, halves, (size_t)m->ncell*sizeof(int));
  return TN_OK;
}

static tn_status cut_as_written(const tni_mesh *m, int nparts, int *part) {
  TN_REQUIRE(m->ctx, m->ncut > 0, TN_ERR_INPUT, "%s: no parts are written for this mesh; give it the key 'parts', a file that says where each of its cells belongs", m->source);
  TN_REQUIRE(m->ctx, nparts <= m->ncut, TN_ERR_INPUT, "%s: %d parts are asked for, its file of parts has %d", m->source, nparts, m->ncut);
  for (int c = 0; c < m->ncell; c++) part[c] = (int)((int64_t)m->cut[c]*nparts/m->ncut);
  return TN_OK;
}

static tn_status decompose(const tni_mesh *m, tni_cut rule, int nparts, const double *weight, tni_arena *work, int *part) {
  placed *list;
  double d[3];
  TNI_ARENA_NEW(work, list, m->ncell);
  for (int c = 0; c < m->ncell; c++) list[c].cell = c;
  switch (rule) {
    case TNI_CUT_GREEDY: return cut_greedy(m, true, nparts, weight, work, part);
    case TNI_CUT_FRONTIER: return cut_greedy(m, false, nparts, weight, work, part);
    case TNI_CUT_STRIPS:
      direction(m, list, m->ncell, true, d);
      sort_along(m, list, m->ncell, d);
      cut_in_turn(list, m->ncell, nparts, weight, part);
      return TN_OK;
    case TNI_CUT_BISECT: bisect(m, false, false, list, m->ncell, 0, nparts, weight, part); return TN_OK;
    case TNI_CUT_INERTIA: bisect(m, true, false, list, m->ncell, 0, nparts, weight, part); return TN_OK;
    case TNI_CUT_METIS: return tni_cut_metis(m, nparts, weight, work, part);
    case TNI_CUT_SCOTCH: return tni_cut_scotch(m, nparts, weight, work, part);
    case TNI_CUT_BEST: return cut_best(m, list, nparts, weight, work, part);
    case TNI_CUT_FILE: return cut_as_written(m, nparts, part);
    case TNI_CUT_BANDS: break;
  }
  tni_mesh_graph g;
  int *order;
  TNI_ARENA_NEW(work, order, m->ncell);
  TN_TRY(tni_mesh_cells_of_cells(m, 1, work, &g));
  TN_TRY(tni_mesh_order(&g, work, order));
  for (int i = 0; i < m->ncell; i++) list[i].cell = order[i];
  cut_in_turn(list, m->ncell, nparts, weight, part);
  return TN_OK;
}

tn_status tni_mesh_decompose(const tni_mesh *m, tni_cut rule, int nparts, const double *weight, int *part) {
  TN_REQUIRE(m->ctx, nparts >= 1 && nparts <= m->ncell, TN_ERR_ARGUMENT, "%s: %d parts, must be 1 to the number of cells (%d)", m->source, nparts,
             m->ncell);
  tni_arena work;
  tni_arena_init(&work, m->ctx);
  tn_status st = decompose(m, rule, nparts, weight, &work, part);
  if (st == TN_OK) st = fill_empty(m, nparts, &work, part);
  tni_arena_clear(&work);
  return st;
}

/* --- parts from a file --- */

tn_status tni_mesh_parse_parts(const tni_mesh *m, const char *source, const char *text, size_t n, int *part, int *nparts) {
  tni_scan s = {m->ctx, source, text, text + n, text};
  int count = 0;
  char word[40];
  *nparts = 0;
  for (; s.at < s.end; ) {
    int64_t v;
    if (*s.at == '#') {
      tni_scan_next_line(&s);
      continue;
    }
    if (tni_scan_end_of_line(&s)) continue;
    if (!tni_scan_integer(&s, &v)) return tni_scan_fail(&s, NULL, "a part must be a whole number, found %s", tni_scan_word(&s, word));
    if (v < 0 || v >= m->ncell) return tni_scan_fail(&s, NULL, "part %lld, must be from 0 to %d", (long long)v, m->ncell - 1);
    if (count == m->ncell) return tni_scan_fail(&s, NULL, "more parts than the %d cells of the mesh", m->ncell);
    part[count++] = (int)v;
    if (v >= *nparts) *nparts = (int)v + 1;
    if (!tni_scan_end_of_line(&s)) return tni_scan_fail(&s, NULL, "one part in a line, found %s", tni_scan_word(&s, word));
  }
  if (count < m->ncell) return tni_scan_fail(&s, NULL, "%d parts for the %d cells of the mesh", count, m->ncell);
  int *size = tni_ints(m->ctx, (size_t)*nparts), empty = -1;
  if (!size) return tni_out_of_memory(m->ctx);
  for (int c = 0; c < m->ncell; c++) size[part[c]]++;
  for (int p = *nparts - 1; p >= 0; p--)
    if (size[p] == 0) empty = p;
  tni_free(m->ctx, size);
  TN_REQUIRE(m->ctx, empty < 0, TN_ERR_INPUT, "%s: part %d has no cell, parts are numbered from 0 to %d", source, empty, *nparts - 1);
  return TN_OK;
}

tn_status tni_mesh_read_parts(const tni_mesh *m, const char *path, int *part, int *nparts) {
  char *text, why[TNI_WHY_MAX] = "";
  size_t n;
  tni_file_id id;
  tn_status st = tni_file_read(m->ctx, path, (size_t)1 << 32, &text, &n, &id, why);
  if (st == TN_ERR_IO) return TN_FAIL(m->ctx, st, "cannot read '%s': %s", path, why);
  TN_TRY(st);
  st = tni_mesh_parse_parts(m, path, text, n, part, nparts);
  tni_free(m->ctx, text);
  return st;
}

/* --- repair --- */

/* pieces of parts: number of each cell's, and which part each piece is of */
static tn_status find_pieces(const tni_mesh *m, const tni_mesh_graph *g, const int *part, tni_arena *work, int *piece, int *npiece, int **size) {
  int *stack;
  TNI_ARENA_NEW(work, stack, m->ncell);
  TNI_ARENA_NEW(work, *size, m->ncell);
  *npiece = 0;
  for (int c = 0; c < m->ncell; c++) piece[c] = -1;
  for (int c = 0; c < m->ncell; c++) {
    if (piece[c] >= 0) continue;
    int n = 0;
    stack[n++] = c;
    piece[c] = *npiece;
    while (n > 0) {
      int v = stack[--n];
      (*size)[*npiece]++;
      for (int i = g->from[v]; i < g->from[v+1]; i++) {
        int w = g->to[i];
        if (piece[w] >= 0 || part[w] != part[v]) continue;
        piece[w] = *npiece;
        stack[n++] = w;
      }
    }
    ++*npiece;
  }
  return TN_OK;
}

static tn_status repair(const tni_mesh *m, int nparts, int *part, tni_arena *work, int *moved, int *pieces) {
  tni_mesh_graph g, near;
  int *piece, *size, npiece, *largest, *shares, *touched;
  TN_TRY(tni_mesh_cells_of_cells(m, 0, work, &g));
  TN_TRY(tni_mesh_cells_of_cells(m, 1, work, &near));
  TNI_ARENA_NEW(work, piece, m->ncell);
  TNI_ARENA_NEW(work, largest, nparts);
  TNI_ARENA_NEW(work, shares, nparts);
  TNI_ARENA_NEW(work, touched, nparts);
  *moved = *pieces = 0;
  for (int round = 0; round < 20; round++) {
    TN_TRY(find_pieces(m, &g, part, work, piece, &npiece, &size));
    int changed = 0;
    for (int s = 0; s < nparts; s++) largest[s] = -1;
    for (int c = 0; c < m->ncell; c++) {
      int p = piece[c], s = part[c];
      if (largest[s] < 0 || size[p] > size[largest[s]]) largest[s] = p;
    }
    /* small pieces, in the order of their first cell, to the part with which they share most faces; else most nodes */
    for (int c = 0; c < m->ncell; c++) {
      if (piece[c] < 0 || piece[c] == largest[part[c]]) continue;
      int p = piece[c], from = part[c], best = -1;
      for (int pass = 0; pass < 2 && best < 0; pass++) {
        const tni_mesh_graph *h = pass == 0 ? &g : &near;
        int n = 0;
        for (int v = c; v < m->ncell; v++) {
          if (piece[v] != p) continue;
          for (int i = h->from[v]; i < h->from[v+1]; i++) {
            int t = part[h->to[i]];
            if (t == from) continue;
            if (shares[t]++ == 0) touched[n++] = t;
          }
        }
        for (int i = 0; i < n; i++)
          if (best < 0 || shares[touched[i]] > shares[best] || (shares[touched[i]] == shares[best] && touched[i] < best)) best = touched[i];
        for (int i = 0; i < n; i++) shares[touched[i]] = 0;
        if (pass == 1) best = -1; /* sharing single nodes only would not join it: it stays */
      }
      for (int v = c; v < m->ncell; v++) {
        if (piece[v] != p) continue;
        piece[v] = -1; /* done */
        if (best >= 0) {
          part[v] = best;
          changed++;
        }
      }
    }
    *moved += changed;
    if (changed == 0) break;
  }
  TN_TRY(find_pieces(m, &g, part, work, piece, &npiece, &size));
  int *count;
  TNI_ARENA_NEW(work, count, nparts);
  for (int c = 0; c < m->ncell; c++) {
    if (size[piece[c]] == 0) continue;
    size[piece[c]] = 0;
    if (++count[part[c]] == 2) ++*pieces;
  }
  return TN_OK;
}

tn_status tni_mesh_repair(const tni_mesh *m, int nparts, int *part, int *moved, int *pieces) {
  tni_arena work;
  tni_arena_init(&work, m->ctx);
  tn_status st = repair(m, nparts, part, &work, moved, pieces);
  tni_arena_clear(&work);
  return st;
}

static tn_status split(const tni_mesh *m, tni_arena *work, int *nparts, int *part) {
  tni_mesh_graph g;
  int *piece, *size, npiece, *number, *first;
  TN_TRY(tni_mesh_cells_of_cells(m, 0, work, &g));
  TNI_ARENA_NEW(work, piece, m->ncell);
  TNI_ARENA_NEW(work, number, m->ncell);
  TNI_ARENA_NEW(work, first, *nparts);
  TN_TRY(find_pieces(m, &g, part, work, piece, &npiece, &size));
  for (int c = 0; c < m->ncell; c++) {
    int p = piece[c], s = part[c];
    if (!number[p]) number[p] = first[s]++ == 0 ? s + 1 : ++*nparts; /* the first piece keeps the number */
    part[c] = number[p] - 1;
  }
  return TN_OK;
}

tn_status tni_mesh_split(const tni_mesh *m, int *nparts, int *part) {
  tni_arena work;
  tni_arena_init(&work, m->ctx);
  tn_status st = split(m, &work, nparts, part);
  tni_arena_clear(&work);
  return st;
}

/* --- parts and report --- */

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

typedef struct {
  int part;
  tn_gid gid;
  int node;
} sharing;

static int by_sharing(const void *a, const void *b) {
  const sharing *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  return (x->gid > y->gid) - (x->gid < y->gid);
}

/* parts of each node, ascending, as compressed lists */
static tn_status parts_of_nodes(const tni_mesh *m, const int *part, tni_arena *arena, tni_mesh_graph *out) {
  TN_TRY(tni_mesh_cells_of_nodes(m, arena, out));
  int end = 0, begin = 0;
  for (int v = 0; v < m->nnode; v++) {
    int stop = out->from[v+1], n = 0;
    for (int i = begin; i < stop; i++) out->to[begin+n++] = part[out->to[i]];
    qsort(out->to + begin, (size_t)n, sizeof(int), ascending);
    out->from[v] = end;
    for (int i = begin; i < begin + n; i++)
      if (i == begin || out->to[i] != out->to[i-1]) out->to[end++] = out->to[i]; /* end never passes i */
    begin = stop;
  }
  out->from[m->nnode] = end;
  return TN_OK;
}

tn_status tni_mesh_parts_create(const tni_mesh *m, int nparts, const int *part, tni_arena *arena, tni_mesh_part **out) {
  tni_mesh_graph of;
  tni_mesh_part *p;
  TNI_ARENA_NEW(arena, p, nparts);
  TN_TRY(parts_of_nodes(m, part, arena, &of));
  for (int c = 0; c < m->ncell; c++) p[part[c]].ncell++;
  int *pairs;
  TNI_ARENA_NEW(arena, pairs, nparts);
  for (int v = 0; v < m->nnode; v++) {
    int n = of.from[v+1] - of.from[v];
    for (int i = of.from[v]; i < of.from[v+1]; i++) {
      p[of.to[i]].nnode++;
      p[of.to[i]].nshared += n > 1;
      pairs[of.to[i]] += n - 1;
    }
  }
  for (int s = 0; s < nparts; s++) {
    TNI_ARENA_NEW(arena, p[s].cell, p[s].ncell);
    TNI_ARENA_NEW(arena, p[s].node, p[s].nnode);
    TNI_ARENA_NEW(arena, p[s].shared, pairs[s]);
    p[s].ncell = p[s].nnode = 0;
  }
  for (int c = 0; c < m->ncell; c++) p[part[c]].cell[p[part[c]].ncell++] = c;
  for (int v = 0; v < m->nnode; v++)
    for (int i = of.from[v]; i < of.from[v+1]; i++) p[of.to[i]].node[p[of.to[i]].nnode++] = v;
  sharing *list = NULL;
  size_t cap = 0;
  for (int s = 0; s < nparts; s++) {
    if ((size_t)pairs[s] > cap) {
      cap = 2*(size_t)pairs[s];
      TNI_ARENA_NEW(arena, list, cap);
    }
    int n = 0;
    for (int k = 0; k < p[s].nnode; k++) {
      int v = p[s].node[k];
      for (int i = of.from[v]; i < of.from[v+1]; i++)
        if (of.to[i] != s) list[n++] = (sharing){of.to[i], m->gid[v], v};
    }
    if (n) qsort(list, (size_t)n, sizeof(sharing), by_sharing);
    for (int i = 0; i < n; i++) p[s].nneighbour += i == 0 || list[i].part != list[i-1].part;
    TNI_ARENA_NEW(arena, p[s].neighbour, p[s].nneighbour);
    TNI_ARENA_NEW(arena, p[s].from, p[s].nneighbour + 1);
    int k = -1;
    for (int i = 0; i < n; i++) {
      if (i == 0 || list[i].part != list[i-1].part) {
        p[s].neighbour[++k] = list[i].part;
        p[s].from[k] = i;
      }
      p[s].shared[i] = list[i].node;
    }
    p[s].from[p[s].nneighbour] = n;
  }
  *out = p;
  return TN_OK;
}

/* extents along the axes of the part's own cloud of nodes: longest over shortest that is not zero */
static double aspect(const tni_mesh *m, const tni_mesh_part *p) {
  double mean[3] = {0}, A[3][3] = {{0}}, V[3][3], value[3], low[3], high[3], most = 0, least = 1e300;
  for (int i = 0; i < p->nnode; i++) vec3_addmul(mean, 1.0/p->nnode, m->x + 3*(size_t)p->node[i]);
  for (int i = 0; i < p->nnode; i++) {
    double d[3];
    vec3_sub(d, m->x + 3*(size_t)p->node[i], mean);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) A[a][b] += d[a]*d[b];
  }
  principal(A, V, value);
  for (int k = 0; k < 3; k++) {
    double axis[3] = {V[0][k], V[1][k], V[2][k]};
    for (int i = 0; i < p->nnode; i++) {
      double at = vec3_dot(axis, m->x + 3*(size_t)p->node[i]);
      if (i == 0 || at < low[k]) low[k] = at;
      if (i == 0 || at > high[k]) high[k] = at;
    }
    most = fmax(most, high[k] - low[k]);
  }
  for (int k = 0; k < 3; k++)
    if (high[k] - low[k] > 1e-9*most) least = fmin(least, high[k] - low[k]);
  return least < 1e300 ? most/least : 1;
}

/* rms of the lengths of rows (from the first entry to the diagonal) of the matrix of these nodes, after renumbering */
static tn_status profile(const tni_mesh_graph *all, const int *node, int n, int *local, tni_arena *arena, double *out) {
  tni_mesh_graph g = {.n = n};
  int *order, *position, total = 0;
  TNI_ARENA_NEW(arena, g.from, n + 1);
  for (int i = 0; i < n; i++) local[node ? node[i] : i] = i + 1;
  for (int pass = 0; pass < 2; pass++) {
    total = 0;
    for (int i = 0; i < n; i++) {
      int v = node ? node[i] : i;
      for (int k = all->from[v]; k < all->from[v+1]; k++) {
        int w = local[all->to[k]] - 1;
        if (w < 0) continue;
        if (pass == 1) g.to[total] = w;
        total++;
      }
      g.from[i+1] = total;
    }
    if (pass == 0) TNI_ARENA_NEW(arena, g.to, total + 1);
  }
  for (int i = 0; i < n; i++) local[node ? node[i] : i] = 0;
  TNI_ARENA_NEW(arena, order, n);
  TNI_ARENA_NEW(arena, position, n);
  TN_TRY(tni_mesh_order(&g, arena, order));
  for (int i = 0; i < n; i++) position[order[i]] = i;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    int first = i;
    for (int k = g.from[order[i]]; k < g.from[order[i]+1]; k++)
      if (position[g.to[k]] < first) first = position[g.to[k]];
    sum += (double)(i - first + 1)*(i - first + 1);
  }
  *out = n > 0 ? sqrt(sum/n) : 0;
  return TN_OK;
}

static tn_status examine(const tni_mesh *m, int nparts, const int *part, const double *weight, const char *held, int ndof, double latency,
                         double byte, tni_arena *work, tni_cut_report *r) {
  tni_mesh_part *p;
  tni_mesh_graph touch, nodes, of;
  int *seen, *local, *piece, *size, npiece, *count;
  double *sum, total = 0;
  TN_TRY(tni_mesh_parts_create(m, nparts, part, work, &p));
  TN_TRY(tni_mesh_cells_of_cells(m, 0, work, &touch));
  TN_TRY(tni_mesh_nodes_of_nodes(m, work, &nodes));
  TN_TRY(parts_of_nodes(m, part, work, &of));
  TNI_ARENA_NEW(work, seen, nparts);
  TNI_ARENA_NEW(work, local, m->nnode);
  TNI_ARENA_NEW(work, sum, nparts);
  TNI_ARENA_NEW(work, count, nparts);
  TNI_ARENA_NEW(work, piece, m->ncell);
  for (int c = 0; c < m->ncell; c++) sum[part[c]] += weight_of(weight, c);
  for (int v = 0; v < m->nnode; v++) r->interface_nodes += of.from[v+1] - of.from[v] > 1;
  r->least_cells = m->ncell;
  r->floating = held ? 0 : -1;
  TN_TRY(profile(&nodes, NULL, m->nnode, local, work, &r->global_profile));
  for (int s = 0; s < nparts; s++) {
    if (p[s].ncell < r->least_cells) r->least_cells = p[s].ncell;
    if (p[s].ncell > r->most_cells) r->most_cells = p[s].ncell;
    total += sum[s];
    r->imbalance = fmax(r->imbalance, sum[s]);
    r->mean_neighbours += (double)p[s].nneighbour/nparts;
    if (p[s].nneighbour > r->most_neighbours) r->most_neighbours = p[s].nneighbour;
    r->worst_aspect = fmax(r->worst_aspect, aspect(m, &p[s]));
    r->exchange = fmax(r->exchange, latency*p[s].nneighbour + byte*8*ndof*p[s].nshared);
    tni_arena own;
    double rows;
    tni_arena_init(&own, m->ctx);
    tn_status st = profile(&nodes, p[s].node, p[s].nnode, local, &own, &rows);
    tni_arena_clear(&own);
    TN_TRY(st);
    r->worst_profile = fmax(r->worst_profile, rows);
    bool stands = false;
    for (int i = 0; held && i < p[s].nnode; i++) stands = stands || held[p[s].node[i]];
    if (held && !stands) r->floating++;
    /* neighbours across whole faces, and cells that address each neighbour */
    int touching = 0;
    for (int i = 0; i < p[s].ncell; i++) {
      int c = p[s].cell[i];
      for (int k = touch.from[c]; k < touch.from[c+1]; k++) {
        int t = part[touch.to[k]];
        if (t == s || seen[t] == s + 1) continue;
        seen[t] = s + 1;
        touching++;
      }
    }
    r->mean_touching += (double)touching/nparts;
    if (touching > r->most_touching) r->most_touching = touching;
    for (int i = 0; i < p[s].ncell; i++) {
      const tni_cell_shape *shape;
      const int *node = tni_mesh_nodes(m, p[s].cell[i], &shape);
      int to[256], n = 0;
      for (int a = 0; a < shape->nnode; a++) {
        for (int k = of.from[node[a]]; k < of.from[node[a]+1]; k++) {
          bool old = of.to[k] == s;
          for (int j = 0; j < n && !old; j++) old = to[j] == of.to[k];
          if (!old && n < TNI_COUNT(to)) to[n++] = of.to[k];
        }
      }
      for (int j = 0; j < n; j++) count[to[j]]++;
    }
    for (int t = 0; t < nparts; t++) {
      if (count[t] > r->contention) r->contention = count[t];
      count[t] = 0;
    }
  }
  r->imbalance = total > 0 ? r->imbalance*nparts/total : 1;
  TN_TRY(find_pieces(m, &touch, part, work, piece, &npiece, &size));
  for (int c = 0; c < m->ncell; c++) {
    if (size[piece[c]] == 0) continue;
    size[piece[c]] = 0;
    if (++count[part[c]] == 2) r->in_pieces++;
  }
  return TN_OK;
}

tn_status tni_mesh_cut_examine(const tni_mesh *m, int nparts, const int *part, const double *weight, const char *held, int ndof, double latency,
                               double byte, tni_cut_report *out) {
  tni_arena work;
  *out = (tni_cut_report){.nparts = nparts};
  tni_arena_init(&work, m->ctx);
  tn_status st = examine(m, nparts, part, weight, held, ndof, latency, byte, &work, out);
  tni_arena_clear(&work);
  return st;
}
