/* linsolve/fill.c - block pattern of the reduced matrix, its numbering and its fill
 *
 * Two constraint blocks are adjacent when they share a body that is eliminated; a hub body is a
 * vertex itself, adjacent to its constraint blocks and to the other hubs. The fill comes from the
 * elimination tree: the rows of column k are its later neighbours and those of its children.
 *
 * Envelope numberings (RCM, GPS, Gibbs-King) and minimum degree share this exact fill. It is never
 * outside the envelope, so the block operations stay below the bound (27) of the spec.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/fill.h"

#include <limits.h>

tn_status tni_body_blocks_build(const tni_kkt *K, tni_arena *arena, tni_body_blocks *out) {
  int ninc = K->nblock ? K->incadr[K->nblock] : 0, *next;
  TNI_ARENA_NEW(arena, out->adr, K->nbody + 1);
  TNI_ARENA_NEW(arena, out->inc, ninc + 1);
  TNI_ARENA_NEW(arena, out->block, ninc + 1);
  TNI_ARENA_NEW(arena, next, K->nbody + 1);
  for (int a = 0; a < ninc; a++) out->adr[K->incbody[a]+1]++;
  for (int b = 0; b < K->nbody; b++) out->adr[b+1] += out->adr[b];
  for (int b = 0; b < K->nbody; b++) next[b] = out->adr[b];
  for (int j = 0; j < K->nblock; j++) {
    for (int a = K->incadr[j]; a < K->incadr[j+1]; a++) {
      int at = next[K->incbody[a]]++;
      out->inc[at] = a;
      out->block[at] = j;
    }
  }
  return TN_OK;
}

static void sort_ints(int *v, int n) {
  for (int gap = n/2; gap > 0; gap = gap == 2 ? 1 : gap*5/11) {
    for (int i = gap; i < n; i++) {
      int x = v[i], j = i;
      for (; j >= gap && v[j-gap] > x; j -= gap) v[j] = v[j-gap];
      v[j] = x;
    }
  }
}

/* neighbours of block j through bodies that are eliminated, unsorted; mark[w] == j: already seen.
 * adj may be NULL: only count */
static int neighbours(const tni_kkt *K, const tni_body_blocks *on, const bool *is_hub, int *mark,
                      int j, int *adj) {
  int n = 0;
  mark[j] = j;
  for (int a = K->incadr[j]; a < K->incadr[j+1]; a++) {
    int b = K->incbody[a];
    if (is_hub[b]) continue;
    for (int k = on->adr[b]; k < on->adr[b+1]; k++) {
      int w = on->block[k];
      if (mark[w] == j) continue;
      mark[w] = j;
      if (adj) adj[n] = w;
      n++;
    }
  }
  return n;
}

static tn_status joint_graph(const tni_kkt *K, const tni_body_blocks *on, const bool *is_hub,
                             tni_arena *arena, tni_graph *g) {
  int n = K->nblock, *adr, *adj, *mark;
  TNI_ARENA_NEW(arena, adr, n + 1);
  TNI_ARENA_NEW(arena, mark, n + 1);
  for (int j = 0; j < n; j++) mark[j] = -1;
  for (int j = 0; j < n; j++) {
    long end = (long)adr[j] + neighbours(K, on, is_hub, mark, j, NULL);
    TN_REQUIRE(arena->ctx, end <= INT_MAX, TN_ERR_UNSUPPORTED,
               "linear system: more than %d pairs of constraint blocks share a body", INT_MAX);
    adr[j+1] = (int)end;
  }
  TNI_ARENA_NEW(arena, adj, adr[n] + 1);
  for (int j = 0; j < n; j++) mark[j] = -1;
  for (int j = 0; j < n; j++) {
    neighbours(K, on, is_hub, mark, j, adj + adr[j]);
    sort_ints(adj + adr[j], adr[j+1] - adr[j]);
  }
  *g = (tni_graph){n, adr, adj, NULL};
  return TN_OK;
}

/* the joint graph with the hubs as further vertices */
static tn_status add_hubs(const tni_body_blocks *on, const int *hub, int nhub, tni_arena *arena,
                          tni_graph *g) {
  if (nhub == 0) return TN_OK;
  int n = g->n + nhub, *adr, *adj;
  TNI_ARENA_NEW(arena, adr, n + 1);
  for (int j = 0; j < g->n; j++) adr[j+1] = g->adr[j+1] - g->adr[j];
  for (int h = 0; h < nhub; h++) {
    adr[g->n+h+1] = on->adr[hub[h]+1] - on->adr[hub[h]] + nhub - 1;
    for (int k = on->adr[hub[h]]; k < on->adr[hub[h]+1]; k++) adr[on->block[k]+1]++;
  }
  for (int v = 0; v < n; v++) adr[v+1] += adr[v];
  TNI_ARENA_NEW(arena, adj, adr[n] + 1);
  int *next;
  TNI_ARENA_NEW(arena, next, n + 1);
  for (int v = 0; v < n; v++) next[v] = adr[v];
  for (int j = 0; j < g->n; j++) {
    for (int a = g->adr[j]; a < g->adr[j+1]; a++) adj[next[j]++] = g->adj[a];
  }
  for (int h = 0; h < nhub; h++) {
    for (int k = on->adr[hub[h]]; k < on->adr[hub[h]+1]; k++) {
      adj[next[on->block[k]]++] = g->n + h;
      adj[next[g->n+h]++] = on->block[k];
    }
    for (int o = 0; o < nhub; o++) {
      if (o != h) adj[next[g->n+h]++] = g->n + o;
    }
  }
  *g = (tni_graph){n, adr, adj, NULL};
  return TN_OK;
}

/* cost of starting one small block operation, in multiplications */
static const double OVERHEAD = 8;

/* operations with column k of the factor: s block rows, below scalar rows under the diagonal */
static void count_column(tni_fill *f, int k, long s, double below) {
  double c = f->size[k], all = c + below;
  f->work += s*(s + 3)/2;
  f->cost += c*all*(all + 1)/2 + OVERHEAD*(double)(1 + s);
}

/* rows of the columns so far; mark[r] == k: row r is already in column k */
typedef struct {
  tni_arena *arena;
  int *row, n, cap, *mark;
} row_list;

/* add row r to column k unless it is there or not below the diagonal; false: out of memory */
static bool add_row(row_list *l, int k, int r) {
  if (r <= k || l->mark[r] == k) return true;
  void *items = l->row;
  if (l->n == INT_MAX || !tni_arena_grow(l->arena, &items, l->n, &l->cap, sizeof(int))) {
    return false;
  }
  l->row = items;
  l->row[l->n++] = r;
  l->mark[r] = k;
  return true;
}

/* first column of every row of the numbering, for the whole envelope */
static tn_status find_first(const tni_graph *g, tni_arena *arena, const tni_fill *f, int **out) {
  int *first;
  TNI_ARENA_NEW(arena, first, f->n + 1);
  for (int k = 0; k < f->n; k++) {
    first[k] = k;
    for (int a = g->adr[f->order[k]]; a < g->adr[f->order[k]+1]; a++)
      if (f->position[g->adj[a]] < first[k]) first[k] = f->position[g->adj[a]];
  }
  *out = first;
  return TN_OK;
}

/* Fill of the numbering f->order. Stops with f->cost > limit as soon as that is exceeded. */
static tn_status find_fill(const tni_graph *g, double limit, bool envelope, tni_arena *arena,
                           tni_fill *f) {
  int n = f->n, *child, *sibling, *first = NULL;
  row_list l = {.arena = arena};
  if (envelope) TN_TRY(find_first(g, arena, f, &first));
  TNI_ARENA_NEW(arena, f->adr, n + 1);
  TNI_ARENA_NEW(arena, l.mark, n + 1);
  TNI_ARENA_NEW(arena, child, n + 1); /* first child in the elimination tree, then its siblings */
  TNI_ARENA_NEW(arena, sibling, n + 1);
  for (int k = 0; k < n; k++) l.mark[k] = child[k] = -1;
  for (int k = 0; k < n && f->cost <= limit; k++) {
    int v = f->order[k], begin = l.n;
    bool ok = true;
    for (int a = g->adr[v]; a < g->adr[v+1]; a++) ok &= add_row(&l, k, f->position[g->adj[a]]);
    for (int c = child[k]; c >= 0; c = sibling[c]) {
      for (int a = f->adr[c]; a < f->adr[c+1]; a++) ok &= add_row(&l, k, l.row[a]);
    }
    for (int r = k + 1; first && r < n; r++)
      if (first[r] <= k) ok &= add_row(&l, k, r);
    if (!ok) return tni_out_of_memory(arena->ctx);
    f->adr[k+1] = l.n;
    if (l.n > begin) {
      sort_ints(l.row + begin, l.n - begin);
      int parent = l.row[begin];
      sibling[k] = child[parent];
      child[parent] = k;
    }
    double below = 0;
    for (int a = begin; a < l.n; a++) below += f->size[l.row[a]];
    count_column(f, k, l.n - begin, below);
  }
  f->row = l.row;
  return TN_OK;
}

static const struct {
  const char *name;
  tn_status (*run)(const tni_graph *g, tni_arena *arena, int *order); /* NULL: as listed */
  bool rows;                                                          /* counts rows, not blocks */
} orderings[] = {
  [TNI_ORDER_GIVEN] = {"given", NULL, false},
  [TNI_ORDER_RCM] = {"rcm", tni_order_rcm, false},
  [TNI_ORDER_GPS] = {"gps", tni_order_gps, false},
  [TNI_ORDER_GK] = {"gk", tni_order_gk, false},
  [TNI_ORDER_MD] = {"md", tni_order_md, false},
  [TNI_ORDER_RCM_ROWS] = {"rcm_rows", tni_order_rcm, true},
  [TNI_ORDER_GPS_ROWS] = {"gps_rows", tni_order_gps, true},
  [TNI_ORDER_GK_ROWS] = {"gk_rows", tni_order_gk, true},
  [TNI_ORDER_MD_ROWS] = {"md_rows", tni_order_md, true},
};

static tn_status run_ordering(const tni_kkt *K, const tni_graph *g, tni_ordering which, tni_arena *arena, int *order) {
  tni_graph counted = *g;
  int *weight;
  if (!orderings[which].run) {
    for (int k = 0; k < g->n; k++) order[k] = k;
    return TN_OK;
  }
  if (orderings[which].rows) {
    TNI_ARENA_NEW(arena, weight, g->n + 1);
    for (int j = 0; j < g->n; j++) weight[j] = K->rowadr[j+1] - K->rowadr[j];
    counted.weight = weight;
  }
  return orderings[which].run(&counted, arena, order);
}

/* sizes, positions and profile of the numbering f->order, then its fill in the graph with the hubs */
static tn_status fill_of_order(const tni_kkt *K, const tni_graph *all, double limit, bool envelope,
                               tni_arena *arena, tni_fill *f) {
  TNI_ARENA_NEW(arena, f->position, f->n + 1);
  TNI_ARENA_NEW(arena, f->size, f->n + 1);
  for (int k = 0; k < f->n; k++) {
    int v = f->order[k];
    f->position[v] = k;
    f->size[k] = v < K->nblock ? K->rowadr[v+1] - K->rowadr[v] : K->d;
  }
  tni_graph_profile(all, f->order, f->position, &f->profile);
  return find_fill(all, limit, envelope, arena, f);
}

/* number the blocks of g, then the hubs, and find the fill in the graph with the hubs */
static tn_status try_ordering(const tni_kkt *K, const tni_graph *blocks, const tni_graph *all,
                              tni_ordering which, double limit, bool envelope, tni_arena *arena,
                              tni_fill *f) {
  int n = all->n;
  *f = (tni_fill){.n = n, .nhub = n - blocks->n, .ordering = orderings[which].name};
  TNI_ARENA_NEW(arena, f->order, n + 1);
  TN_TRY(run_ordering(K, blocks, which, arena, f->order));
  for (int k = blocks->n; k < n; k++) f->order[k] = k;
  return fill_of_order(K, all, limit, envelope, arena, f);
}

/* factors up to this many numbers stay in the first-level cache in any order of the columns */
static const double SMALL_FACTOR = 3000;

/* Renumber by height in the elimination tree, leaves first, hubs last. Fill and work stay the same,
 * but neighbouring columns no longer wait for each other's results, which is half the time for
 * small mechanisms. Large ones keep children near their parents instead, for the sake of memory. */
static tn_status interleave(tni_arena *arena, tni_fill *f) {
  int n = f->n, *height, *fresh, *count, most = 0;
  double numbers = 0;
  for (int k = 0; k < n; k++) {
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) numbers += f->size[k]*f->size[f->row[a]];
  }
  if (numbers > SMALL_FACTOR) return TN_OK;
  TNI_ARENA_NEW(arena, height, n + 1);
  TNI_ARENA_NEW(arena, fresh, n + 1); /* new number of an old one */
  TNI_ARENA_NEW(arena, count, n + 2);
  for (int k = 0; k < n; k++) {
    if (k >= n - f->nhub) height[k] = k; /* any column before a hub is lower */
    if (height[k] > most) most = height[k];
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      if (height[f->row[a]] <= height[k]) height[f->row[a]] = height[k] + 1;
    }
  }
  for (int k = 0; k < n; k++) count[height[k]+1]++;
  for (int h = 0; h <= most; h++) count[h+1] += count[h];
  for (int k = 0; k < n; k++) fresh[k] = count[height[k]]++;
  int *order, *size, *adr, *row;
  TNI_ARENA_NEW(arena, order, n + 1);
  TNI_ARENA_NEW(arena, size, n + 1);
  TNI_ARENA_NEW(arena, adr, n + 2);
  TNI_ARENA_NEW(arena, row, f->adr[n] + 1);
  for (int k = 0; k < n; k++) {
    order[fresh[k]] = f->order[k];
    size[fresh[k]] = f->size[k];
    adr[fresh[k]+1] = f->adr[k+1] - f->adr[k];
    f->position[f->order[k]] = fresh[k];
  }
  for (int k = 0; k < n; k++) adr[k+1] += adr[k];
  for (int k = 0; k < n; k++) {
    int to = adr[fresh[k]];
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) row[to++] = fresh[f->row[a]];
    sort_ints(row + adr[fresh[k]], to - adr[fresh[k]]);
  }
  f->order = order;
  f->size = size;
  f->adr = adr;
  f->row = row;
  return TN_OK;
}

/* cost of forming B: products of the rows of each eliminated body with each other */
static double forming_cost(const tni_kkt *K, const tni_body_blocks *on, const int *hub, int nhub) {
  double cost = 0;
  for (int b = 0; b < K->nbody; b++) {
    double rows = 0, blocks = on->adr[b+1] - on->adr[b];
    bool kept = false;
    for (int h = 0; h < nhub; h++) kept |= hub[h] == b;
    if (kept) continue;
    for (int i = on->adr[b]; i < on->adr[b+1]; i++) {
      rows += K->rowadr[on->block[i]+1] - K->rowadr[on->block[i]];
    }
    cost += K->d*rows*(rows + 1)/2 + OVERHEAD*blocks*(blocks + 1)/2;
  }
  return cost;
}

static tn_status copy_ints(tni_arena *arena, int **v, size_t n) {
  const int *old = *v;
  TNI_ARENA_NEW(arena, *v, n + 1);
  if (n) memcpy(*v, old, n*sizeof(int));
  return TN_OK;
}

/* the arrays of f from scratch memory to the arena */
static tn_status keep(tni_arena *arena, tni_fill *f) {
  size_t n = (size_t)f->n, nrow = (size_t)f->adr[n];
  TN_TRY(copy_ints(arena, &f->size, n));
  TN_TRY(copy_ints(arena, &f->order, n));
  TN_TRY(copy_ints(arena, &f->position, n));
  TN_TRY(copy_ints(arena, &f->adr, n + 1));
  return copy_ints(arena, &f->row, nrow);
}

static tn_status build(const tni_kkt *K, const tni_body_blocks *on, const int *hub, int nhub,
                       tni_ordering ordering, bool envelope, tni_arena *scratch, tni_fill *best) {
  bool *is_hub;
  TNI_ARENA_NEW(scratch, is_hub, K->nbody + 1);
  for (int h = 0; h < nhub; h++) is_hub[hub[h]] = true;
  tni_graph blocks, all;
  TN_TRY(joint_graph(K, on, is_hub, scratch, &blocks));
  all = blocks;
  TN_TRY(add_hubs(on, hub, nhub, scratch, &all));
  if (ordering != TNI_ORDER_AUTO) {
    return try_ordering(K, &blocks, &all, ordering, TNI_FILL_HUGE, envelope, scratch, best);
  }
  /* minimum degree first: its fill is small for any graph, and bounds the search for the others */
  static const tni_ordering candidates[] = {TNI_ORDER_MD, TNI_ORDER_GPS, TNI_ORDER_GK,
                                            TNI_ORDER_RCM, TNI_ORDER_GIVEN};
  best->cost = TNI_FILL_HUGE;
  for (int c = 0; c < TNI_COUNT(candidates); c++) {
    tni_fill f;
    TN_TRY(try_ordering(K, &blocks, &all, candidates[c], best->cost, envelope, scratch, &f));
    if (f.cost < best->cost) *best = f;
  }
  return TN_OK;
}

tn_status tni_fill_build(const tni_kkt *K, const tni_body_blocks *on, const int *hub, int nhub,
                         tni_ordering ordering, tni_arena *arena, tni_fill *out) {
  bool envelope = (ordering & TNI_ORDER_ENVELOPE) != 0;
  ordering = (tni_ordering)(ordering & ~TNI_ORDER_ENVELOPE);
  TN_REQUIRE(arena->ctx, ordering >= TNI_ORDER_AUTO && ordering <= TNI_ORDER_MD_ROWS, TN_ERR_ARGUMENT,
             "linear system: unknown ordering %d, must be %d..%d", (int)ordering, TNI_ORDER_AUTO,
             TNI_ORDER_MD_ROWS);
  tni_arena scratch;
  tni_arena_init(&scratch, arena->ctx);
  tn_status st = build(K, on, hub, nhub, ordering, envelope, &scratch, out);
  if (st == TN_OK && !envelope) st = interleave(&scratch, out);
  out->cost += forming_cost(K, on, hub, nhub);
  if (st == TN_OK) st = keep(arena, out);
  tni_arena_clear(&scratch);
  return st;
}

tn_status tni_fill_in_pieces(const tni_kkt *K, const tni_body_blocks *on, int npiece, tni_arena *arena,
                             tni_arena *scratch, tni_fill *out, int **piece) {
  bool *is_hub;
  int *of;
  tni_graph g;
  TNI_ARENA_NEW(scratch, is_hub, K->nbody + 1);
  TNI_ARENA_NEW(scratch, of, K->nblock + 1);
  TNI_ARENA_NEW(scratch, *piece, K->nblock + 1);
  TN_TRY(joint_graph(K, on, is_hub, scratch, &g));
  *out = (tni_fill){.n = g.n, .ordering = "pieces"};
  TNI_ARENA_NEW(scratch, out->order, g.n + 1);
  TN_TRY(tni_order_pieces(&g, npiece, scratch, out->order, of));
  for (int k = 0; k < g.n; k++) (*piece)[k] = of[out->order[k]];
  TN_TRY(fill_of_order(K, &g, TNI_FILL_HUGE, false, scratch, out));
  out->cost += forming_cost(K, on, NULL, 0);
  return keep(arena, out);
}
