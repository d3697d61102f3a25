/* mesh/map.c - parts to processors by exchanges of pairs
 *
 * The first candidate places the part that exchanges most, then always the one that exchanges most with those placed, where it
 * costs least. Then pairs (or a part and a free processor) change places as long as C1, or C1 the same and the number of pairs at
 * that distance, or C2 falls; a disturbance begins anew from the best so far.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/map.h"

#include <math.h>

tn_status tni_part_graph_create(const tni_mesh_part *part, int nparts, int ndof, tni_arena *arena, tni_part_graph *out) {
  int total = 0;
  for (int s = 0; s < nparts; s++) total += part[s].nneighbour;
  *out = (tni_part_graph){.n = nparts};
  TNI_ARENA_NEW(arena, out->from, nparts + 1);
  TNI_ARENA_NEW(arena, out->to, total);
  TNI_ARENA_NEW(arena, out->amount, total);
  for (int s = 0, k = 0; s < nparts; s++) {
    out->from[s] = k;
    for (int i = 0; i < part[s].nneighbour; i++, k++) {
      out->to[k] = part[s].neighbour[i];
      out->amount[k] = (double)ndof*(part[s].from[i+1] - part[s].from[i]);
    }
    out->from[s+1] = k;
  }
  return TN_OK;
}

double tni_distance_hypercube(const void *user, int p, int q) {
  (void)user;
  int n = 0;
  for (unsigned d = (unsigned)p ^ (unsigned)q; d; d &= d - 1) n++;
  return n;
}

tni_map_cost tni_map_measure(const tni_part_graph *g, const int *map, tni_distance distance, const void *user) {
  tni_map_cost c = {0, 0};
  for (int s = 0; s < g->n; s++) {
    for (int i = g->from[s]; i < g->from[s+1]; i++) {
      double d = distance(user, map[s], map[g->to[i]]);
      c.farthest = fmax(c.farthest, d);
      c.total += 0.5*g->amount[i]*d; /* every pair comes twice */
    }
  }
  return c;
}

typedef struct {
  const tni_part_graph *g;
  int nproc;
  tni_distance distance;
  const void *user;
  bool total_first;
  int *map, *at; /* [n] processor of a part; [nproc] part on a processor, -1: free */
} mapper;

/* what part s adds: exchanged distance, and how many of its pairs lie farther than limit */
static double reach(const mapper *k, int s, int where, int other, int other_where, double limit, int *beyond) {
  double sum = 0;
  *beyond = 0;
  for (int i = k->g->from[s]; i < k->g->from[s+1]; i++) {
    int t = k->g->to[i];
    double d = k->distance(k->user, where, t == other ? other_where : k->map[t]);
    sum += k->g->amount[i]*d;
    *beyond += d > limit;
  }
  return sum;
}

/* change in C2 and in the number of pairs farther than limit if s goes to processor p, whose part comes to where s was */
static double swap_gain(const mapper *k, int s, int p, double limit, int *beyond) {
  int t = k->at[p], here = k->map[s], n[4] = {0};
  double change = reach(k, s, p, t, here, limit, &n[0]) - reach(k, s, here, -1, 0, limit, &n[1]);
  if (t >= 0) change += reach(k, t, here, s, p, limit, &n[2]) - reach(k, t, p, -1, 0, limit, &n[3]);
  *beyond = n[0] - n[1] + n[2] - n[3];
  return change;
}

static void swap(mapper *k, int s, int p) {
  int t = k->at[p], here = k->map[s];
  k->map[s] = p;
  k->at[p] = s;
  k->at[here] = t;
  if (t >= 0) k->map[t] = here;
}

/* step I: fewer pairs at the farthest distance, until none is left and the next distance counts; false: nothing helped */
static bool shorten(mapper *k) {
  bool any = false;
  while (true) {
    double far = tni_map_measure(k->g, k->map, k->distance, k->user).farthest;
    bool helped = false;
    for (int s = 0; s < k->g->n; s++) {
      int beyond = 0, best = -1, least = 0;
      reach(k, s, k->map[s], -1, 0, far - 1e-9, &beyond);
      if (beyond == 0) continue;
      for (int p = 0; p < k->nproc; p++) {
        if (p == k->map[s]) continue;
        int change, farther; /* fewer at the farthest distance, none beyond it: then it ends */
        swap_gain(k, s, p, far - 1e-9, &change);
        if (change >= least) continue;
        swap_gain(k, s, p, far, &farther);
        if (farther <= 0) {
          least = change;
          best = p;
        }
      }
      if (best < 0) continue;
      swap(k, s, best);
      helped = any = true;
    }
    if (!helped) return any;
  }
}

/* step II: less in sum; C1 must not rise, unless the sum comes first */
static bool tighten(mapper *k) {
  bool any = false, helped = true;
  while (helped) {
    double far = k->total_first ? HUGE_VAL : tni_map_measure(k->g, k->map, k->distance, k->user).farthest;
    helped = false;
    for (int s = 0; s < k->g->n; s++) {
      int best = -1;
      double least = -1e-9;
      for (int p = 0; p < k->nproc; p++) {
        if (p == k->map[s]) continue;
        int beyond;
        double change = swap_gain(k, s, p, far, &beyond);
        if (change < least && beyond <= 0) {
          least = change;
          best = p;
        }
      }
      if (best < 0) continue;
      swap(k, s, best);
      helped = any = true;
    }
  }
  return any;
}

static void first_candidate(mapper *k, double *pull) {
  const tni_part_graph *g = k->g;
  for (int s = 0; s < g->n; s++) {
    k->map[s] = -1;
    pull[s] = 0;
    for (int i = g->from[s]; i < g->from[s+1]; i++) pull[s] += 1e-6*g->amount[i]; /* whom nobody placed needs: the busiest */
  }
  for (int p = 0; p < k->nproc; p++) k->at[p] = -1;
  for (int n = 0; n < g->n; n++) {
    int s = -1, best = -1;
    double least = 0;
    for (int t = 0; t < g->n; t++)
      if (k->map[t] < 0 && (s < 0 || pull[t] > pull[s])) s = t;
    for (int p = 0; p < k->nproc; p++) {
      if (k->at[p] >= 0) continue;
      double cost = 0;
      for (int i = g->from[s]; i < g->from[s+1]; i++)
        if (k->map[g->to[i]] >= 0) cost += g->amount[i]*k->distance(k->user, p, k->map[g->to[i]]);
      if (best < 0 || cost < least) {
        best = p;
        least = cost;
      }
    }
    k->map[s] = best;
    k->at[best] = s;
    for (int i = g->from[s]; i < g->from[s+1]; i++) pull[g->to[i]] += g->amount[i];
  }
}

static bool better(const mapper *k, tni_map_cost a, tni_map_cost b) {
  double x = k->total_first ? a.total : a.farthest, y = k->total_first ? b.total : b.farthest;
  if (x != y) return x < y;
  return k->total_first ? a.farthest < b.farthest : a.total < b.total;
}

static void improve(mapper *k) {
  for (int i = 0; i < 10; i++) {
    bool a = k->total_first ? tighten(k) : shorten(k), b = k->total_first ? false : tighten(k);
    if (!a && !b) break;
  }
}

tn_status tni_map_parts(tn_ctx *ctx, const tni_part_graph *g, int nproc, tni_distance distance, const void *user, const tni_map_opts *opts,
                        int *map, tni_map_cost *cost, tni_map_cost *naive) {
  TN_REQUIRE(ctx, nproc >= g->n && g->n >= 1, TN_ERR_ARGUMENT, "%d parts on %d processors, must be one each", g->n, nproc);
  tni_map_opts o = opts ? *opts : (tni_map_opts){0};
  mapper k = {.g = g, .nproc = nproc, .distance = distance, .user = user, .total_first = o.total_first, .map = tni_ints(ctx, (size_t)g->n),
              .at = tni_ints(ctx, (size_t)nproc)};
  double *pull = tni_doubles(ctx, (size_t)g->n);
  int tries = o.tries > 0 ? o.tries : 20;
  tn_status st = k.map && k.at && pull ? TN_OK : tni_out_of_memory(ctx);
  if (st == TN_OK) {
    uint64_t r = 0x9E3779B97F4A7C15u + o.seed;
    for (int s = 0; s < g->n; s++) map[s] = s;
    tni_map_cost best = tni_map_measure(g, map, distance, user), now;
    if (naive) *naive = best;
    first_candidate(&k, pull);
    for (int i = 0; i <= tries; i++) {
      improve(&k);
      now = tni_map_measure(g, k.map, distance, user);
      if (better(&k, now, best)) {
        best = now;
        memcpy(map, k.map, (size_t)g->n*sizeof(int));
      }
      /* from the best so far, some parts changed about */
      for (int p = 0; p < nproc; p++) k.at[p] = -1;
      for (int s = 0; s < g->n; s++) k.at[k.map[s] = map[s]] = s;
      for (int j = 0; j < 2 + g->n/8; j++) {
        r ^= r << 13;
        r ^= r >> 7;
        r ^= r << 17;
        int s = (int)((r >> 20)%(uint64_t)g->n), p = (int)((r >> 40)%(uint64_t)nproc);
        if (p != k.map[s]) swap(&k, s, p);
      }
    }
    if (cost) *cost = best;
  }
  tni_free(ctx, k.map);
  tni_free(ctx, k.at);
  tni_free(ctx, pull);
  return st;
}
