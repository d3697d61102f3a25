/* linsolve/hub.c - the reduced solver with the bodies that carry many joints kept as unknowns
 *
 * A chassis with k joints couples them all with each other: its part of B is a dense square that no
 * numbering can break up. Kept as an unknown, the body couples each joint only to its own six
 * columns, numbered last (spec, section 15; equations in reduced.c).
 *
 * What remains must be definite with the hubs held fixed. That is so when the constraints stay
 * independent without their motion; if a pivot says that they do not, or nearly not, the plain
 * reduced system is factored instead. A light hub is no reason for that: eliminating it would give
 * B large entries of low rank, keeping it does not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "linsolve/reduced.h"

/* smallest relative pivot that is trusted with the hubs held fixed: half of the digits are left */
static const double SAFE_PIVOT = 1e-8;
/* bodies with fewer blocks gain nothing; more hubs than this were never of use */
enum { MIN_BLOCKS = 4, MAX_HUBS = 4 };
/* a body with more blocks than this makes the plain system too large to keep as a spare */
enum { MAX_CLIQUE = 300 };

typedef struct {
  tni_reduced *with;  /* hubs kept                                   */
  tni_reduced *plain; /* all bodies eliminated; NULL if too large    */
  tni_reduced *used;  /* by the last factorization                   */
} hub_state;

typedef struct {
  int body, blocks;
} candidate;

static int by_blocks(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  return x->blocks != y->blocks ? y->blocks - x->blocks : x->body - y->body;
}

/* bodies with many blocks, most first; returns their number */
static tn_status list_candidates(const tni_kkt *K, tni_arena *arena, candidate **out, int *n) {
  candidate *c = NULL;
  TNI_ARENA_NEW(arena, c, K->nbody + 1);
  for (int b = 0; b < K->nbody; b++) c[b].body = b;
  for (int a = 0; K->nblock > 0 && a < K->incadr[K->nblock]; a++) c[K->incbody[a]].blocks++;
  qsort(c, (size_t)K->nbody, sizeof(*c), by_blocks);
  int count = 0;
  while (count < K->nbody && count < MAX_HUBS && c[count].blocks >= MIN_BLOCKS) count++;
  *out = c;
  *n = count;
  return TN_OK;
}

/* every block keeps an eliminated body, or its rows would be zero */
static bool leaves_every_block_a_body(const tni_kkt *K, const int *hub, int nhub) {
  for (int b = 0; b < K->nblock; b++) {
    int kept = 0;
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      for (int h = 0; h < nhub; h++) kept += K->incbody[a] == hub[h];
    }
    if (kept == K->incadr[b+1] - K->incadr[b]) return false;
  }
  return true;
}

tn_status tni_kkt_choose_hubs(const tni_kkt *K, tni_ordering ordering, tni_arena *arena, int **hub,
                              int *nhub, double *gain) {
  candidate *c = NULL;
  int n = 0, *set, *list;
  tni_body_blocks on;
  tni_fill f;
  TNI_ARENA_NEW(arena, set, MAX_HUBS);
  TNI_ARENA_NEW(arena, list, MAX_HUBS);
  TN_TRY(list_candidates(K, arena, &c, &n));
  TN_TRY(tni_body_blocks_build(K, arena, &on));
  *hub = list;
  *nhub = 0;
  *gain = 1;
  if (n == 0) return TN_OK;
  double plain = TNI_FILL_HUGE, least;
  if (c[0].blocks <= MAX_CLIQUE) {
    TN_TRY(tni_fill_build(K, &on, NULL, 0, ordering, arena, &f));
    plain = f.cost;
  }
  least = plain;
  for (int h = 0, tried = 0; h < n; h++) {
    set[tried] = c[h].body;
    if (!leaves_every_block_a_body(K, set, tried + 1)) continue;
    TN_TRY(tni_fill_build(K, &on, set, ++tried, ordering, arena, &f));
    if (f.cost >= least) continue;
    least = f.cost;
    *nhub = tried;
    memcpy(list, set, (size_t)tried*sizeof(int));
  }
  *gain = plain/least;
  return TN_OK;
}

static tn_status create(tni_kkt_solver *s) {
  hub_state *z;
  int *hub, nhub, most = 0;
  double gain;
  TNI_ARENA_NEW(&s->arena, z, 1);
  TN_TRY(tni_kkt_choose_hubs(s->K, s->opts.ordering, &s->arena, &hub, &nhub, &gain));
  TN_TRY(tni_reduced_build(s, hub, nhub, 0, &z->with));
  for (int h = 0; h < nhub; h++) {
    int blocks = 0;
    for (int a = 0; a < s->K->incadr[s->K->nblock]; a++) blocks += s->K->incbody[a] == hub[h];
    if (blocks > most) most = blocks;
  }
  if (nhub > 0 && most <= MAX_CLIQUE) TN_TRY(tni_reduced_build(s, NULL, 0, 0, &z->plain));
  tni_reduced_describe(z->with, &s->info);
  s->state = z;
  return TN_OK;
}

static tn_status factor(tni_kkt_solver *s) {
  hub_state *z = s->state;
  double tol = s->opts.pivot_tol;
  int bad;
  z->used = z->with;
  bool good = tni_reduced_factor(s->K, z->with, z->plain ? SAFE_PIVOT : tol, &s->pivot_ratio, &bad);
  if (!good && z->plain) {
    z->used = z->plain;
    good = tni_reduced_factor(s->K, z->plain, tol, &s->pivot_ratio, &bad);
  }
  return good ? TN_OK : tni_kkt_singular(s, bad);
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  hub_state *z = s->state;
  tni_reduced_solve(s->K, z->used, f, g, x, lambda);
}

const tni_kkt_ops tni_kkt_hub = {.name = "hub", .create = create, .factor = factor, .solve = solve};
