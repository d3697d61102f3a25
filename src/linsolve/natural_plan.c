/* linsolve/natural_plan.c - tree, cut joints and groups of natural partitioning
 *
 * Bodies and the ground are nodes, joints between two of them are edges. The heaviest spanning tree
 * (most rows) carries the bodies, so that the joints cut open have few rows. A cut joint ties
 * together all bodies on the ways from its bodies up to where these meet, that body excluded: it is
 * the base of the group. Groups that share a body are one group; its base is then the highest, and
 * the groups form a tree themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "linsolve/natural.h"

/* dense work within a group grows with the cube of this */
enum { MAX_GROUP = 150 };
/* columns of a group beyond those that its rows leave free when all are on */
enum { SPARE_COLUMNS = 4 };

typedef struct {
  int a, b, rows, first; /* bodies (b = nbody: ground), rows, first block */
} edge;

typedef struct {
  const tni_kkt *K;
  tni_arena *a;
  int n;            /* bodies; node n is the ground */
  int nedge;
  edge *edge;       /* [nblock] pairs of bodies     */
  int *of_block;    /* [nblock] edge, -1: more than two bodies */
  int *set;         /* union-find                   */
  int *parent, *up, *depth, *order; /* node above, edge to it (-1: free), depth, ground side first */
  bool *in_tree;    /* [nedge]                      */
  int *group;       /* union-find of groups         */
} plan;

static int find(int *set, int i) {
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}

static int by_pair(const void *x, const void *y) {
  const edge *a = x, *b = y;
  if (a->a != b->a) return a->a - b->a;
  if (a->b != b->b) return a->b - b->b;
  return a->first - b->first;
}
static int by_rows(const void *x, const void *y) {
  const edge *a = x, *b = y;
  return a->rows != b->rows ? b->rows - a->rows : a->first - b->first;
}

static tn_status find_edges(plan *p) {
  const tni_kkt *K = p->K;
  TNI_ARENA_NEW(p->a, p->edge, K->nblock + 1);
  TNI_ARENA_NEW(p->a, p->of_block, K->nblock + 1);
  int n = 0;
  for (int b = 0; b < K->nblock; b++) {
    int ninc = K->incadr[b+1] - K->incadr[b];
    const int *body = K->incbody + K->incadr[b];
    if (ninc < 1 || ninc > 2) continue;
    int u = body[0], v = ninc == 2 ? body[1] : p->n;
    p->edge[n++] = (edge){u < v ? u : v, u < v ? v : u, K->rowadr[b+1] - K->rowadr[b], b};
  }
  qsort(p->edge, (size_t)n, sizeof(edge), by_pair);
  for (int i = 0; i < n; i++) {
    edge *last = p->nedge > 0 ? &p->edge[p->nedge - 1] : NULL;
    if (last && last->a == p->edge[i].a && last->b == p->edge[i].b) {
      last->rows += p->edge[i].rows;
    } else {
      p->edge[p->nedge++] = p->edge[i];
    }
  }
  qsort(p->edge, (size_t)p->nedge, sizeof(edge), by_rows);
  for (int b = 0; b < K->nblock; b++) {
    int ninc = K->incadr[b+1] - K->incadr[b];
    const int *body = K->incbody + K->incadr[b];
    p->of_block[b] = -1;
    if (ninc < 1 || ninc > 2) continue;
    int u = body[0], v = ninc == 2 ? body[1] : p->n;
    for (int e = 0; e < p->nedge; e++)
      if (p->edge[e].a == (u < v ? u : v) && p->edge[e].b == (u < v ? v : u)) p->of_block[b] = e;
  }
  return TN_OK;
}

/* heaviest spanning forest, then parents from the ground and from the body with most joints of
 * every part that floats */
static tn_status find_tree(plan *p) {
  int n = p->n, *count, *adr, *list, *degree, tail = 0;
  TNI_ARENA_NEW(p->a, p->set, n + 1);
  TNI_ARENA_NEW(p->a, p->in_tree, p->nedge + 1);
  TNI_ARENA_NEW(p->a, p->parent, n + 1);
  TNI_ARENA_NEW(p->a, p->up, n + 1);
  TNI_ARENA_NEW(p->a, p->depth, n + 1);
  TNI_ARENA_NEW(p->a, p->order, n + 1);
  TNI_ARENA_NEW(p->a, count, n + 2);
  TNI_ARENA_NEW(p->a, degree, n + 1);
  TNI_ARENA_NEW(p->a, list, 2*p->nedge + 1);
  for (int i = 0; i <= n; i++) p->set[i] = i;
  for (int e = 0; e < p->nedge; e++) {
    int u = find(p->set, p->edge[e].a), v = find(p->set, p->edge[e].b);
    degree[p->edge[e].a]++;
    degree[p->edge[e].b]++;
    if (u == v || p->edge[e].rows == 0) continue;
    p->set[u > v ? v : u] = u > v ? u : v;
    p->in_tree[e] = true;
    count[p->edge[e].a + 1]++;
    count[p->edge[e].b + 1]++;
  }
  TNI_ARENA_NEW(p->a, adr, n + 2);
  for (int i = 0; i <= n; i++) adr[i+1] = count[i+1] += count[i];
  memcpy(count, adr, (size_t)(n + 2)*sizeof(int));
  for (int e = 0; e < p->nedge; e++)
    if (p->in_tree[e]) {
      list[count[p->edge[e].a]++] = e;
      list[count[p->edge[e].b]++] = e;
    }
  for (int i = 0; i <= n; i++) p->parent[i] = -2;
  for (int start = n; start >= 0;) {
    p->parent[start] = -1;
    p->up[start] = -1;
    p->depth[start] = start == n ? 0 : 1;
    if (start != n) p->parent[start] = n;
    int head = tail;
    p->order[tail++] = start;
    for (; head < tail; head++) {
      int u = p->order[head];
      for (int k = adr[u]; k < adr[u+1]; k++) {
        const edge *g = &p->edge[list[k]];
        int v = g->a == u ? g->b : g->a;
        if (p->parent[v] != -2) continue;
        p->parent[v] = u;
        p->up[v] = list[k];
        p->depth[v] = p->depth[u] + 1;
        p->order[tail++] = v;
      }
    }
    start = -1;
    for (int i = 0; i < n; i++)
      if (p->parent[i] == -2 && (start < 0 || degree[i] > degree[start])) start = i;
  }
  return TN_OK;
}

/* node above all bodies of a block */
static int meet(const plan *p, int block) {
  const tni_kkt *K = p->K;
  int ninc = K->incadr[block+1] - K->incadr[block], u = K->incbody[K->incadr[block]];
  if (ninc == 1) return p->n;
  for (int a = K->incadr[block] + 1; a < K->incadr[block+1]; a++) {
    int v = K->incbody[a];
    while (u != v) {
      if (p->depth[u] >= p->depth[v]) u = p->parent[u];
      else v = p->parent[v];
    }
  }
  return u;
}

static bool is_cut(const plan *p, int block) {
  return p->of_block[block] < 0 || !p->in_tree[p->of_block[block]];
}

static tn_status find_groups(plan *p) {
  const tni_kkt *K = p->K;
  TNI_ARENA_NEW(p->a, p->group, p->n + 1);
  for (int i = 0; i <= p->n; i++) p->group[i] = i;
  for (int b = 0; b < K->nblock; b++) {
    if (!is_cut(p, b) || K->rowadr[b+1] == K->rowadr[b]) continue;
    int top = meet(p, b), first = -1;
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++)
      for (int u = K->incbody[a]; u != top; u = p->parent[u]) {
        if (first < 0) first = u;
        int x = find(p->group, first), y = find(p->group, u);
        p->group[x > y ? x : y] = x > y ? y : x;
      }
  }
  return TN_OK;
}

/* ---- the lists ------------------------------------------------------------------------------ */

static tn_status fill_body(plan *p, tni_natural_body *o, int body) {
  const tni_kkt *K = p->K;
  int n = 0, *list, d2 = K->d*K->d;
  o->body = body;
  for (int b = 0; b < K->nblock; b++) n += p->up[body] >= 0 && p->of_block[b] == p->up[body];
  TNI_ARENA_NEW(p->a, list, n + 1);
  for (int b = 0; b < K->nblock && n > 0; b++)
    if (p->of_block[b] == p->up[body]) list[o->nedge++] = b;
  o->edge = list;
  TNI_ARENA_NEW(p->a, o->LU, d2);
  TNI_ARENA_NEW(p->a, o->X, d2);
  TNI_ARENA_NEW(p->a, o->H, d2);
  TNI_ARENA_NEW(p->a, o->Bp, d2);
  TNI_ARENA_NEW(p->a, o->Y, d2);
  TNI_ARENA_NEW(p->a, o->M, d2);
  TNI_ARENA_NEW(p->a, o->c, K->d);
  TNI_ARENA_NEW(p->a, o->e, K->d);
  TNI_ARENA_NEW(p->a, o->f, K->d);
  return TN_OK;
}

static tn_status fill_group(plan *p, tni_natural_group *g) {
  const tni_kkt *K = p->K;
  tni_arena *a = p->a;
  /* columns left free with all rows on, and some more for rows that may be switched off */
  int nmax = 0;
  for (int i = 0; i < g->nbody; i++) {
    int rows = 0;
    for (int k = 0; k < g->body[i].nedge; k++) {
      int b = g->body[i].edge[k];
      rows += K->rowadr[b+1] - K->rowadr[b];
    }
    nmax += rows < K->d ? K->d - rows : 0;
  }
  nmax = nmax + SPARE_COLUMNS < g->nbody*K->d ? nmax + SPARE_COLUMNS : g->nbody*K->d;
  g->room = nmax;
  for (int i = 0; i < g->ncut; i++) g->maxcut += K->rowadr[g->cut[i]+1] - K->rowadr[g->cut[i]];
  size_t n = (size_t)nmax, m = (size_t)g->maxcut, d = (size_t)K->d;
  TNI_ARENA_NEW(a, g->row, m + 1);
  TNI_ARENA_NEW(a, g->col, n + 1);
  TNI_ARENA_NEW(a, g->base_inc, g->ncut + 1);
  TNI_ARENA_NEW(a, g->C, m*n + 1);
  TNI_ARENA_NEW(a, g->G, m*d + 1);
  TNI_ARENA_NEW(a, g->G0, m*d + 1);
  TNI_ARENA_NEW(a, g->order, 2*m + 1);
  TNI_ARENA_NEW(a, g->MZ, d*n);
  TNI_ARENA_NEW(a, g->T, m*n + 1);
  TNI_ARENA_NEW(a, g->s, m + 1);
  TNI_ARENA_NEW(a, g->D, n*n);
  TNI_ARENA_NEW(a, g->U, n*d);
  TNI_ARENA_NEW(a, g->I, d*d);
  TNI_ARENA_NEW(a, g->phi, d);
  TNI_ARENA_NEW(a, g->xi, n);
  TNI_ARENA_NEW(a, g->y, n);
  TNI_ARENA_NEW(a, g->r, n);
  TNI_ARENA_NEW(a, g->p, n);
  TNI_ARENA_NEW(a, g->z, n);
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    int *cut, *inc, k = 0;
    TNI_ARENA_NEW(a, o->Z, d*n);
    if (m > 0) TNI_ARENA_NEW(a, o->Z0, d*n);
    TNI_ARENA_NEW(a, cut, g->ncut + 1);
    TNI_ARENA_NEW(a, inc, g->ncut + 1);
    o->parent = -1;
    for (int j = 0; j < i; j++)
      if (g->body[j].body == p->parent[o->body]) o->parent = j;
    for (int c = 0; c < g->ncut; c++)
      for (int e = K->incadr[g->cut[c]]; e < K->incadr[g->cut[c]+1]; e++)
        if (K->incbody[e] == o->body) cut[k] = c, inc[k++] = e;
    o->ncut = k;
    o->cut = cut;
    o->cut_inc = inc;
  }
  for (int c = 0; c < g->ncut; c++) {
    g->base_inc[c] = -1;
    for (int e = K->incadr[g->cut[c]]; e < K->incadr[g->cut[c]+1]; e++)
      if (K->incbody[e] == g->base) g->base_inc[c] = e;
  }
  return TN_OK;
}

/* number of the group of each body, groups by level */
static tn_status number_groups(plan *p, tni_natural *w, int *number) {
  int n = p->n, *level, *root, *base, deepest = 0, ng = 0;
  TNI_ARENA_NEW(p->a, level, n + 1);
  TNI_ARENA_NEW(p->a, root, n + 1);
  TNI_ARENA_NEW(p->a, base, n + 1);
  for (int i = 0; i <= n; i++) root[i] = -1;
  /* parents first: the first body met of a group hangs on the base */
  for (int k = 0; k <= n; k++) {
    int u = p->order[k];
    if (u == n) continue;
    int r = find(p->group, u), top = p->parent[u];
    if (root[r] >= 0) continue;
    root[r] = u;
    base[r] = top == n ? -1 : top;
    level[r] = top == n ? 0 : level[find(p->group, top)] + 1;
    if (level[r] > deepest) deepest = level[r];
    ng++;
  }
  w->ngroup = ng;
  w->nlevel = ng > 0 ? deepest + 1 : 0;
  TNI_ARENA_NEW(p->a, w->group, ng + 1);
  TNI_ARENA_NEW(p->a, w->level, w->nlevel + 1);
  int at = 0;
  for (int l = 0; l < w->nlevel; l++) {
    w->level[l] = at;
    for (int k = 0; k <= n; k++) {
      int u = p->order[k];
      if (u == n || root[find(p->group, u)] != u || level[find(p->group, u)] != l) continue;
      w->group[at].base = base[find(p->group, u)];
      number[find(p->group, u)] = at++;
    }
  }
  w->level[w->nlevel] = at;
  for (int i = n - 1; i >= 0; i--) { /* roots are the smallest of their set: from above */
    int r = find(p->group, i);
    if (r != i) number[i] = number[r];
  }
  return TN_OK;
}

static tn_status fill_groups(plan *p, tni_natural *w) {
  const tni_kkt *K = p->K;
  int *number, *size;
  TNI_ARENA_NEW(p->a, number, p->n + 1);
  TNI_ARENA_NEW(p->a, size, p->n + 1);
  TN_TRY(number_groups(p, w, number));
  for (int i = 0; i < p->n; i++) size[number[i]]++;
  for (int g = 0; g < w->ngroup; g++) {
    w->suits = w->suits && size[g] <= MAX_GROUP;
    if (!w->suits) return TN_OK;
    TNI_ARENA_NEW(p->a, w->group[g].body, size[g]);
  }
  for (int k = 0; k <= p->n; k++) {
    int u = p->order[k];
    if (u == p->n) continue;
    tni_natural_group *g = &w->group[number[u]];
    TN_TRY(fill_body(p, &g->body[g->nbody++], u));
  }
  int *ncut;
  TNI_ARENA_NEW(p->a, ncut, w->ngroup + 1);
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < K->nblock; b++) {
      if (!is_cut(p, b) || K->rowadr[b+1] == K->rowadr[b]) continue;
      int top = meet(p, b), body = -1;
      for (int e = K->incadr[b]; e < K->incadr[b+1]; e++)
        if (K->incbody[e] != top) body = K->incbody[e];
      tni_natural_group *g = &w->group[number[body]];
      if (pass) g->cut[g->ncut++] = b;
      else ncut[number[body]]++;
    }
    for (int g = 0; g < w->ngroup && !pass; g++)
      TNI_ARENA_NEW(p->a, w->group[g].cut, ncut[g] + 1);
  }
  for (int g = 0; g < w->ngroup; g++) TN_TRY(fill_group(p, &w->group[g]));
  return TN_OK;
}

/* which groups hang on which body */
static tn_status hang(plan *p, tni_natural *w) {
  int *adr, *list;
  TNI_ARENA_NEW(p->a, adr, p->n + 2);
  TNI_ARENA_NEW(p->a, list, w->ngroup + 1);
  for (int g = 0; g < w->ngroup; g++)
    if (w->group[g].base >= 0) adr[w->group[g].base + 1]++;
  for (int i = 0; i < p->n; i++) adr[i+1] += adr[i];
  for (int g = 0; g < w->ngroup; g++)
    for (int i = 0; i < w->group[g].nbody; i++) {
      tni_natural_body *o = &w->group[g].body[i];
      int n = 0, *to = list + adr[o->body];
      o->nhang = adr[o->body + 1] - adr[o->body];
      o->hang = to;
      for (int k = 0; k < w->ngroup && n < o->nhang; k++)
        if (w->group[k].base == o->body) to[n++] = k;
    }
  TNI_ARENA_NEW(p->a, w->inner, w->nlevel + 1);
  for (int l = 0; l < w->nlevel; l++)
    for (int g = w->level[l]; g < w->level[l+1]; g++) {
      int n = 0;
      for (int i = 0; i < w->group[g].nbody; i++) n += w->group[g].body[i].nhang;
      w->group[g].leaf = n == 0;
      w->inner[l] = w->inner[l] || n > 0;
    }
  return TN_OK;
}

tn_status tni_natural_plan(tni_kkt_solver *s, tni_natural *w) {
  plan p = {.K = s->K, .a = &s->arena, .n = s->K->nbody};
  w->suits = true;
  TN_TRY(find_edges(&p));
  TN_TRY(find_tree(&p));
  TN_TRY(find_groups(&p));
  TN_TRY(fill_groups(&p, w));
  if (!w->suits) {
    w->why_not = "loops tie too many bodies together for dense groups";
    return TN_OK;
  }
  TN_TRY(hang(&p, w));
  for (int g = 0; g < w->ngroup && !w->iterative; g++)
    TN_TRY(tni_natural_point_create(s, &w->group[g]));
  return TN_OK;
}
