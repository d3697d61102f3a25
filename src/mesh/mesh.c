/* mesh/mesh.c - meshes, their builder, numbers of files
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

void tni_mesh_destroy(tni_mesh **mesh) {
  if (!mesh || !*mesh) return;
  tn_ctx *ctx = (*mesh)->ctx;
  tni_arena_clear(&(*mesh)->arena);
  tni_free(ctx, *mesh);
  *mesh = NULL;
}

const tni_mesh_set *tni_mesh_find_set(const tni_mesh *m, const char *name, tni_set_kind kind) {
  for (int i = 0; i < m->nset; i++) {
    if (m->set[i].kind == kind && strcmp(m->set[i].name, name) == 0) return &m->set[i];
  }
  return NULL;
}

tn_status tni_mesh_group(const tni_mesh *m, const char *name, tni_arena *arena, int *n, const int **node) {
  const tni_mesh_set *nodes = tni_mesh_find_set(m, name, TNI_SET_NODES);
  const tni_mesh_set *faces = tni_mesh_find_set(m, name, TNI_SET_FACES);
  const tni_mesh_set *cells = tni_mesh_find_set(m, name, TNI_SET_CELLS);
  signed char *mark;
  int *list;
  *n = nodes ? nodes->n : -1;
  *node = nodes ? nodes->member : NULL;
  if (nodes || (!faces && !cells)) return TN_OK;
  TNI_ARENA_NEW(arena, mark, m->nnode);
  for (int i = 0; faces && i < faces->n; i++) {
    int at[TNI_CELL_MAXFACENODE];
    const tni_cell_shape *f = tni_mesh_face(m, faces->member[i], faces->face[i], at);
    for (int a = 0; a < f->nnode; a++) mark[at[a]] = 1;
  }
  for (int i = 0; !faces && i < cells->n; i++) {
    const tni_cell_shape *shape;
    const int *all = tni_mesh_nodes(m, cells->member[i], &shape);
    for (int a = 0; a < shape->nnode; a++) mark[all[a]] = 1;
  }
  *n = 0;
  for (int i = 0; i < m->nnode; i++) *n += mark[i];
  TNI_ARENA_NEW(arena, list, *n);
  for (int i = 0, k = 0; i < m->nnode; i++)
    if (mark[i]) list[k++] = i;
  *node = list;
  return TN_OK;
}

const tni_mesh_block *tni_mesh_cell(const tni_mesh *m, int cell, int *in_block) {
  int lo = 0, hi = m->nblock - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1)/2;
    if (m->block[mid].first <= cell) lo = mid;
    else hi = mid - 1;
  }
  if (in_block) *in_block = cell - m->block[lo].first;
  return &m->block[lo];
}

const int *tni_mesh_nodes(const tni_mesh *m, int cell, const tni_cell_shape **shape) {
  int i;
  const tni_mesh_block *b = tni_mesh_cell(m, cell, &i);
  const tni_cell_shape *s = tni_cell_of(b->cell);
  if (shape) *shape = s;
  return b->node + (size_t)i*(size_t)s->nnode;
}

int tni_mesh_node_of(const tni_mesh *m, tn_gid gid) { return tni_gid_map_find(m->node_map, gid); }
int tni_mesh_cell_of(const tni_mesh *m, tn_gid gid) { return tni_gid_map_find(m->cell_map, gid); }

tn_gid tni_mesh_cell_gid(const tni_mesh *m, int cell) {
  int i;
  const tni_mesh_block *b = tni_mesh_cell(m, cell, &i);
  return b->gid[i];
}

const tni_cell_shape *tni_mesh_places(const tni_mesh *m, int cell, double (*x)[3]) {
  const tni_cell_shape *s;
  const int *node = tni_mesh_nodes(m, cell, &s);
  for (int a = 0; a < s->nnode; a++) memcpy(x[a], m->x + 3*(size_t)node[a], sizeof(x[a]));
  return s;
}

const tni_cell_shape *tni_mesh_face(const tni_mesh *m, int cell, int face, int node[TNI_CELL_MAXFACENODE]) {
  const tni_cell_shape *s;
  const int *of = tni_mesh_nodes(m, cell, &s);
  if (face >= 0) {
    const tni_cell_shape *f = tni_cell_of(s->face_cell[face]);
    for (int a = 0; a < f->nnode; a++) node[a] = of[s->face[face][a]];
    return f;
  }
  int k = s->ncorner;
  for (int a = 0; a < k; a++) node[a] = of[face == TNI_FACE_POSITIVE ? a : (k - a)%k];
  for (int a = k; a < s->nnode; a++) node[a] = of[face == TNI_FACE_POSITIVE ? a : 3*k - 1 - a];
  return s;
}

double tni_mesh_measure(const tni_mesh *m, int cell) {
  double x[TNI_CELL_MAXNODE][3], r[TNI_CELL_MAXRULE][3], w[TNI_CELL_MAXRULE], sum = 0;
  const tni_cell_shape *s = tni_mesh_places(m, cell, x);
  tni_cell c = (tni_cell)(s - tni_cell_shapes);
  if (s->dim == 0) return 0;
  int n = tni_cell_rule(c, r, w);
  for (int p = 0; p < n; p++) {
    double dN[TNI_CELL_MAXNODE][3], g[3][3] = {{0}}; /* g[k]: dx/dr_k */
    tni_cell_interpolate(c, r[p], NULL, dN);
    for (int a = 0; a < s->nnode; a++) {
      for (int k = 0; k < s->dim; k++) {
        for (int i = 0; i < 3; i++) g[k][i] += dN[a][k]*x[a][i];
      }
    }
    double across[3] = {g[0][1]*g[1][2] - g[0][2]*g[1][1], g[0][2]*g[1][0] - g[0][0]*g[1][2],
                        g[0][0]*g[1][1] - g[0][1]*g[1][0]};
    double size;
    if (s->dim == 1) size = sqrt(g[0][0]*g[0][0] + g[0][1]*g[0][1] + g[0][2]*g[0][2]);
    else if (s->dim == 3) size = across[0]*g[2][0] + across[1]*g[2][1] + across[2]*g[2][2];
    else if (m->dim == 2) size = across[2];
    else size = sqrt(across[0]*across[0] + across[1]*across[1] + across[2]*across[2]);
    sum += w[p]*size;
  }
  return sum;
}

/* --- numbers of files --- */

typedef struct {
  tn_gid gid;
  int at;
} numbered;

struct tni_gid_map {
  tn_gid least;
  int n;          /* entries                                                     */
  int range;      /* > 0: at[gid - least] is the place                           */
  int *at;        /* NULL: number gid is at place gid - least                    */
  numbered *sorted;
};

static int by_gid(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  return x->gid != y->gid ? (x->gid < y->gid ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

tn_status tni_gid_map_create(tni_arena *arena, const tn_gid *gid, int n, tni_gid_map **out, int *twice) {
  tni_gid_map *map;
  TNI_ARENA_NEW(arena, map, 1);
  *out = map;
  *twice = -1;
  map->n = n;
  if (n == 0) return TN_OK;
  tn_gid least = gid[0], most = gid[0];
  bool in_turn = true;
  for (int i = 1; i < n; i++) {
    if (gid[i] < least) least = gid[i];
    if (gid[i] > most) most = gid[i];
    if ((uint64_t)gid[i] - (uint64_t)gid[i-1] != 1) in_turn = false;
  }
  map->least = least;
  uint64_t range = (uint64_t)most - (uint64_t)least; /* one less than how many */
  if (in_turn) {
    map->range = n;
  } else if (range < 4*(uint64_t)n + 1000 && range < INT_MAX - 1) {
    map->range = (int)range + 1;
    TNI_ARENA_NEW(arena, map->at, map->range);
    for (int i = n - 1; i >= 0; i--) map->at[gid[i] - least] = i + 1;
    for (int i = n - 1; i >= 0; i--) {
      if (map->at[gid[i] - least] != i + 1) *twice = i;
    }
  } else {
    TNI_ARENA_NEW(arena, map->sorted, n);
    for (int i = 0; i < n; i++) map->sorted[i] = (numbered){gid[i], i};
    qsort(map->sorted, (size_t)n, sizeof(numbered), by_gid);
    for (int i = 1; i < n; i++) {
      if (map->sorted[i].gid == map->sorted[i-1].gid && (*twice < 0 || map->sorted[i].at < *twice))
        *twice = map->sorted[i].at;
    }
  }
  return TN_OK;
}

int tni_gid_map_find(const tni_gid_map *map, tn_gid gid) {
  if (map->n == 0 || gid < map->least) return -1;
  uint64_t off = (uint64_t)gid - (uint64_t)map->least;
  if (map->range > 0) {
    if (off >= (uint64_t)map->range) return -1;
    return map->at ? map->at[off] - 1 : (int)off;
  }
  int lo = 0, hi = map->n;
  while (lo < hi) { /* first of the same number */
    int mid = lo + (hi - lo)/2;
    if (map->sorted[mid].gid < gid) lo = mid + 1;
    else hi = mid;
  }
  return lo < map->n && map->sorted[lo].gid == gid ? map->sorted[lo].at : -1;
}

/* --- builder --- */

typedef struct {
  tni_cell cell;
  const char *label;
  int n, cap;
  int *node;
  tn_gid *gid;
  int *ticket;
} block;

typedef struct {
  const char *name;
  tni_set_kind kind;
  int n, cap;
  int *member;
  signed char *face;
} group;

typedef struct {
  int block, at;
} place;

struct tni_mesh_builder {
  tn_ctx *ctx;
  tni_arena texts;
  const char *name, *source;
  bool failed; /* out of memory, or more than an int can number */
  int nnode, nodecap, ncell, cellcap, nblock, blockcap, nset, setcap, nslot;
  double *x;
  tn_gid *gid;
  place *cell;   /* [ncell] of a ticket                         */
  block *block;
  group *set;
  int *slot;     /* [nslot] hash of the names of sets, 0: free  */
};

tn_status tni_mesh_begin(tn_ctx *ctx, const char *name, const char *source, tni_mesh_builder **out) {
  *out = NULL;
  tni_mesh_builder *b = tni_alloc(ctx, 1, sizeof(*b));
  if (!b) return tni_out_of_memory(ctx);
  b->ctx = ctx;
  tni_arena_init(&b->texts, ctx);
  b->name = tni_arena_strdup(&b->texts, name ? name : "");
  b->source = tni_arena_strdup(&b->texts, source ? source : "");
  b->failed = !b->name || !b->source;
  *out = b;
  return TN_OK;
}

void tni_mesh_abandon(tni_mesh_builder **builder) {
  if (!builder || !*builder) return;
  tni_mesh_builder *b = *builder;
  tn_ctx *ctx = b->ctx;
  for (int i = 0; i < b->nblock; i++) {
    tni_free(ctx, b->block[i].node);
    tni_free(ctx, b->block[i].gid);
    tni_free(ctx, b->block[i].ticket);
  }
  for (int i = 0; i < b->nset; i++) {
    tni_free(ctx, b->set[i].member);
    tni_free(ctx, b->set[i].face);
  }
  tni_free(ctx, b->x);
  tni_free(ctx, b->gid);
  tni_free(ctx, b->cell);
  tni_free(ctx, b->block);
  tni_free(ctx, b->set);
  tni_free(ctx, b->slot);
  tni_arena_clear(&b->texts);
  tni_free(ctx, b);
  *builder = NULL;
}

/* *p with room for cap items instead of n used ones */
static bool enlarge(tn_ctx *ctx, void *p, int n, int cap, size_t size) {
  void *old, *fresh = tni_alloc(ctx, (size_t)cap, size);
  if (!fresh) return false;
  memcpy(&old, p, sizeof(old));
  if (n) memcpy(fresh, old, (size_t)n*size);
  tni_free(ctx, old);
  memcpy(p, &fresh, sizeof(fresh));
  return true;
}

/* twice the room; 0: no more can be numbered */
static int more(int cap) { return cap == 0 ? 16 : cap > INT_MAX/(2*TNI_CELL_MAXNODE) ? 0 : 2*cap; }

int tni_mesh_add_node(tni_mesh_builder *b, tn_gid gid, double x, double y, double z) {
  if (b->failed) return -1;
  if (b->nnode == b->nodecap) {
    int cap = more(b->nodecap);
    if (!cap || !enlarge(b->ctx, &b->x, b->nnode, cap, 3*sizeof(double)) ||
        !enlarge(b->ctx, &b->gid, b->nnode, cap, sizeof(tn_gid))) {
      b->failed = true;
      return -1;
    }
    b->nodecap = cap;
  }
  double *at = b->x + 3*(size_t)b->nnode;
  at[0] = x;
  at[1] = y;
  at[2] = z;
  b->gid[b->nnode] = gid ? gid : b->nnode + 1;
  return b->nnode++;
}

static bool same_label(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static block *block_of(tni_mesh_builder *b, tni_cell cell, const char *label) {
  for (int i = b->nblock - 1; i >= 0; i--) { /* mostly the last one */
    if (b->block[i].cell == cell && same_label(b->block[i].label, label)) return &b->block[i];
  }
  if (b->nblock == b->blockcap) {
    int cap = more(b->blockcap);
    if (!cap || !enlarge(b->ctx, &b->block, b->nblock, cap, sizeof(block))) return NULL;
    b->blockcap = cap;
  }
  const char *copy = label ? tni_arena_strdup(&b->texts, label) : NULL;
  if (label && !copy) return NULL;
  b->block[b->nblock] = (block){.cell = cell, .label = copy};
  return &b->block[b->nblock++];
}

int tni_mesh_add_cell(tni_mesh_builder *b, tni_cell cell, const char *label, tn_gid gid, const int *node) {
  if (b->failed) return -1;
  size_t nnode = (size_t)tni_cell_of(cell)->nnode;
  block *k = block_of(b, cell, label);
  bool ok = k != NULL;
  if (ok && k->n == k->cap) {
    int cap = more(k->cap);
    ok = cap && enlarge(b->ctx, &k->node, k->n, cap, nnode*sizeof(int)) &&
         enlarge(b->ctx, &k->gid, k->n, cap, sizeof(tn_gid)) &&
         enlarge(b->ctx, &k->ticket, k->n, cap, sizeof(int));
    if (ok) k->cap = cap;
  }
  if (ok && b->ncell == b->cellcap) {
    int cap = more(b->cellcap);
    ok = cap && enlarge(b->ctx, &b->cell, b->ncell, cap, sizeof(place));
    if (ok) b->cellcap = cap;
  }
  if (!ok) {
    b->failed = true;
    return -1;
  }
  memcpy(k->node + (size_t)k->n*nnode, node, nnode*sizeof(int));
  k->gid[k->n] = gid ? gid : b->ncell + 1;
  k->ticket[k->n] = b->ncell;
  b->cell[b->ncell] = (place){(int)(k - b->block), k->n++};
  return b->ncell++;
}

static unsigned hash_name(const char *name, tni_set_kind kind) {
  unsigned h = 2166136261u + (unsigned)kind;
  for (; *name; name++) h = (h ^ (unsigned char)*name)*16777619u;
  return h;
}

static bool rehash(tni_mesh_builder *b) {
  if (2*(b->nset + 1) <= b->nslot) return true;
  int nslot = b->nslot ? 2*b->nslot : 64, *slot = tni_ints(b->ctx, (size_t)nslot);
  if (!slot) return false;
  for (int i = 0; i < b->nset; i++) {
    unsigned h = hash_name(b->set[i].name, b->set[i].kind);
    while (slot[h & (unsigned)(nslot - 1)]) h++;
    slot[h & (unsigned)(nslot - 1)] = i + 1;
  }
  tni_free(b->ctx, b->slot);
  b->slot = slot;
  b->nslot = nslot;
  return true;
}

int tni_mesh_add_set(tni_mesh_builder *b, const char *name, tni_set_kind kind) {
  if (b->failed) return -1;
  bool ok = rehash(b);
  unsigned h = ok ? hash_name(name, kind) : 0, mask = (unsigned)(b->nslot - 1);
  for (; ok && b->slot[h & mask]; h++) {
    int i = b->slot[h & mask] - 1;
    if (b->set[i].kind == kind && strcmp(b->set[i].name, name) == 0) return i;
  }
  if (ok && b->nset == b->setcap) {
    int cap = more(b->setcap);
    ok = cap && enlarge(b->ctx, &b->set, b->nset, cap, sizeof(group));
    if (ok) b->setcap = cap;
  }
  const char *copy = ok ? tni_arena_strdup(&b->texts, name) : NULL;
  if (!copy) {
    b->failed = true;
    return -1;
  }
  b->slot[h & mask] = b->nset + 1;
  b->set[b->nset] = (group){.name = copy, .kind = kind};
  return b->nset++;
}

void tni_mesh_add_member(tni_mesh_builder *b, int set, int member, int face) {
  if (b->failed || set < 0) return;
  group *g = &b->set[set];
  if (g->n == g->cap) {
    int cap = more(g->cap);
    bool ok = cap && enlarge(b->ctx, &g->member, g->n, cap, sizeof(int)) &&
              (g->kind != TNI_SET_FACES || enlarge(b->ctx, &g->face, g->n, cap, 1));
    if (!ok) {
      b->failed = true;
      return;
    }
    g->cap = cap;
  }
  if (g->kind == TNI_SET_FACES) g->face[g->n] = (signed char)face;
  g->member[g->n++] = member;
}

tn_ctx *tni_mesh_building_ctx(const tni_mesh_builder *b) { return b->ctx; }
int tni_mesh_building_nodes(const tni_mesh_builder *b) { return b->nnode; }
int tni_mesh_building_cells(const tni_mesh_builder *b) { return b->ncell; }
double *tni_mesh_building_x(tni_mesh_builder *b) { return b->x; }

const int *tni_mesh_building_cell(const tni_mesh_builder *b, int ticket, tni_cell *cell, tn_gid *gid) {
  place p = b->cell[ticket];
  const block *k = &b->block[p.block];
  if (cell) *cell = k->cell;
  if (gid) *gid = k->gid[p.at];
  return k->node + (size_t)p.at*(size_t)tni_cell_of(k->cell)->nnode;
}

/* --- finish --- */

static int by_key(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* members ascending (of faces: by cell, then face), none twice */
static tn_status sort_set(tni_arena *arena, const group *g, const int *cell_of, tni_mesh_set *set) {
  *set = (tni_mesh_set){.kind = g->kind};
  set->name = tni_arena_strdup(arena, g->name);
  if (!set->name) return tni_out_of_memory(arena->ctx);
  int64_t *key = tni_alloc(arena->ctx, (size_t)g->n, sizeof(*key));
  if (!key) return tni_out_of_memory(arena->ctx);
  bool sorted = true;
  int n = 0;
  for (int i = 0; i < g->n; i++) {
    int64_t member = g->kind == TNI_SET_NODES ? g->member[i] : cell_of[g->member[i]];
    key[i] = g->kind == TNI_SET_FACES ? 256*member + g->face[i] + 128 : member;
    if (i > 0 && key[i] <= key[i-1]) sorted = false;
  }
  if (!sorted) qsort(key, (size_t)g->n, sizeof(*key), by_key);
  for (int i = 0; i < g->n; i++) {
    if (i == 0 || key[i] != key[i-1]) key[n++] = key[i];
  }
  set->n = n;
  set->member = tni_arena_alloc(arena, (size_t)n, sizeof(int));
  bool faces = g->kind == TNI_SET_FACES;
  if (faces) set->face = tni_arena_alloc(arena, (size_t)n, 1);
  bool ok = set->member && (!faces || set->face);
  for (int i = 0; ok && i < n; i++) {
    set->member[i] = (int)(faces ? key[i]/256 : key[i]);
    if (faces) set->face[i] = (signed char)(key[i]%256 - 128);
  }
  tni_free(arena->ctx, key);
  return ok ? TN_OK : tni_out_of_memory(arena->ctx);
}

/* Plane: every cell is plane or lies in the plane of one that is, all nodes at one height. */
static int dimension(const tni_mesh *m) {
  bool plane = false;
  for (int i = 0; i < m->nblock; i++) {
    int d = tni_cell_of(m->block[i].cell)->dim;
    if (d == 3) return 3;
    if (d == 2) plane = true;
  }
  for (int i = 1; plane && i < m->nnode; i++) plane = m->x[3*(size_t)i+2] == m->x[2];
  return plane ? 2 : 3;
}

static tn_status copy_nodes(const tni_mesh_builder *b, tni_mesh *m) {
  size_t n = (size_t)b->nnode;
  TNI_ARENA_NEW(&m->arena, m->x, 3*n);
  TNI_ARENA_NEW(&m->arena, m->gid, n);
  m->nnode = b->nnode;
  if (n) memcpy(m->x, b->x, 3*n*sizeof(double));
  if (n) memcpy(m->gid, b->gid, n*sizeof(tn_gid));
  for (size_t i = 0; i < 3*n; i++) {
    TN_REQUIRE(m->ctx, isfinite(m->x[i]), TN_ERR_INPUT, "%s: node %lld: %c = %g, must be a finite number",
               m->source, (long long)m->gid[i/3], "xyz"[i%3], m->x[i]);
  }
  int twice;
  TN_TRY(tni_gid_map_create(&m->arena, m->gid, m->nnode, &m->node_map, &twice));
  TN_REQUIRE(m->ctx, twice < 0, TN_ERR_INPUT, "%s: node %lld is given twice", m->source, (long long)m->gid[twice]);
  return TN_OK;
}

static tn_status copy_cells(const tni_mesh_builder *b, tni_mesh *m, int *cell_of) {
  TNI_ARENA_NEW(&m->arena, m->block, b->nblock);
  m->nblock = b->nblock;
  tn_gid *all;
  TNI_ARENA_NEW(&m->arena, all, b->ncell);
  for (int i = 0; i < b->nblock; i++) {
    const block *from = &b->block[i];
    tni_mesh_block *to = &m->block[i];
    size_t nnode = (size_t)tni_cell_of(from->cell)->nnode, n = (size_t)from->n;
    to->cell = from->cell;
    to->n = from->n;
    to->first = m->ncell;
    if (from->label && !(to->label = tni_arena_strdup(&m->arena, from->label))) return tni_out_of_memory(m->ctx);
    TNI_ARENA_NEW(&m->arena, to->node, n*nnode);
    to->gid = all + m->ncell;
    memcpy(to->node, from->node, n*nnode*sizeof(int));
    memcpy(to->gid, from->gid, n*sizeof(tn_gid));
    for (size_t j = 0; j < n*nnode; j++) {
      TN_REQUIRE(m->ctx, to->node[j] >= 0 && to->node[j] < m->nnode, TN_ERR_INPUT,
                 "%s: cell %lld has a node that is not in the mesh", m->source, (long long)to->gid[j/nnode]);
    }
    for (int j = 0; j < from->n; j++) cell_of[from->ticket[j]] = to->first + j;
    m->ncell += from->n;
  }
  int twice;
  TN_TRY(tni_gid_map_create(&m->arena, all, m->ncell, &m->cell_map, &twice));
  TN_REQUIRE(m->ctx, twice < 0, TN_ERR_INPUT, "%s: cell %lld is given twice", m->source, (long long)all[twice]);
  return TN_OK;
}

static tn_status fill(const tni_mesh_builder *b, tni_mesh *m, int *cell_of) {
  m->name = tni_arena_strdup(&m->arena, b->name);
  m->source = tni_arena_strdup(&m->arena, b->source);
  if (!m->name || !m->source) return tni_out_of_memory(m->ctx);
  TN_TRY(copy_nodes(b, m));
  TN_TRY(copy_cells(b, m, cell_of));
  TNI_ARENA_NEW(&m->arena, m->set, b->nset);
  for (int i = 0; i < b->nset; i++) {
    const group *g = &b->set[i];
    int most = g->kind == TNI_SET_NODES ? m->nnode : m->ncell;
    for (int j = 0; j < g->n; j++) {
      TN_REQUIRE(m->ctx, g->member[j] >= 0 && g->member[j] < most, TN_ERR_INPUT,
                 "%s: set '%s' has a member that is not in the mesh", m->source, g->name);
    }
    TN_TRY(sort_set(&m->arena, g, cell_of, &m->set[i]));
    m->nset = i + 1;
  }
  m->dim = dimension(m);
  return TN_OK;
}

void tni_mesh_move(tni_mesh *m, double scale, const double R[9], const double at[3]) {
  for (int i = 0; i < m->nnode; i++) {
    double *x = m->x + 3*(size_t)i;
    vec3_scale(x, scale, x);
    mat3_vec(x, R, x);
    vec3_add(x, x, at);
  }
  m->dim = dimension(m);
}

tn_status tni_mesh_finish(tni_mesh_builder **builder, tni_mesh **out) {
  tni_mesh_builder *b = *builder;
  tn_ctx *ctx = b->ctx;
  tn_status st = TN_ERR_MEMORY;
  *out = NULL;
  int *cell_of = b->failed ? NULL : tni_ints(ctx, (size_t)b->ncell);
  tni_mesh *m = cell_of ? tni_alloc(ctx, 1, sizeof(*m)) : NULL;
  if (m) {
    m->ctx = ctx;
    tni_arena_init(&m->arena, ctx);
    st = fill(b, m, cell_of);
  } else {
    st = tni_out_of_memory(ctx);
  }
  tni_free(ctx, cell_of);
  tni_mesh_abandon(builder);
  if (st == TN_OK) *out = m;
  else tni_mesh_destroy(&m);
  return st;
}
