/* solids/structure_piece.c - what one of several ranks works on of a structure: a structure of its own
 *
 * A piece has the elements of its cells, their nodes, and what is prescribed for them, with numbers of its own. A node at a cut is in
 * several pieces; what must count once is with the lowest of their ranks, which owns it: loads, weight, masses. The sums over ranks of
 * forces, energies and powers are those of the whole; only the masses that divide forces (part.mass) are whole everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/structure.h"

typedef struct {
  tn_ctx *ctx;
  tni_arena *arena;
  const tni_part *part;
  const tni_structure *s;
  const int *of_cell;
  int nrank, rank;
  int *adr, *who;       /* [nnode+1] ranks of a node, ascending                   */
  int nnode, ncell;     /* of the piece                                           */
  int *local, *node;    /* [nnode of the whole] number in the piece, -1; and back */
  int *cell_local;      /* [ncell of the whole]                                   */
  tni_structure *to;
  tni_part_piece *out;
} cutter;

static const tni_structure *of(const tni_part *part) { return part->data; }

static int rank_of(const cutter *c, const tni_structure_block *b, int e) { return c->of_cell[b->cell[e]]; }
static bool owns(const cutter *c, int node) { return c->who[c->adr[node]] == c->rank; }

static tn_status refuse(const cutter *c) {
  const tni_structure *s = c->s;
  const char *why = c->part->ncarrier > 0 ? "bodies hold nodes of it" : s->follows ? "it has couplings" : s->nspring > 0 ? "it has springs" :
                    s->consistent ? "its masses are consistent" : c->part->coupled ? "its masses are coupled" :
                    s->scaling ? "its masses are scaled" : s->bulk ? "it has bulk viscosity" : NULL;
  TN_REQUIRE(c->ctx, !why, TN_ERR_UNSUPPORTED, "structure '%s' cannot be divided among ranks: %s", c->part->name, why);
  return TN_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

/* elements by rank: first [nrank+1], list [nelement], numbers as in the structure */
static tn_status sort_elements(const cutter *c, int **first, int **list) {
  const tni_structure *s = c->s;
  int *next;
  TNI_ARENA_NEW(c->arena, *first, c->nrank + 1);
  TNI_ARENA_NEW(c->arena, next, c->nrank + 1);
  TNI_ARENA_NEW(c->arena, *list, s->nelement);
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) (*first)[rank_of(c, &s->block[k], e) + 1]++;
  for (int r = 0; r < c->nrank; r++) (*first)[r + 1] += (*first)[r];
  memcpy(next, *first, (size_t)c->nrank*sizeof(int));
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) (*list)[next[rank_of(c, &s->block[k], e)]++] = s->block[k].first + e;
  return TN_OK;
}

static const int *nodes_of(const tni_structure *s, int element, int *n) {
  int k = 0;
  while (k + 1 < s->nblock && s->block[k+1].first <= element) k++;
  *n = s->block[k].nnode;
  return s->block[k].node + (size_t)(element - s->block[k].first)*(size_t)s->block[k].nnode;
}

/* nodes that no element has (masses alone) are those of the first rank */
static tn_status find_ranks(cutter *c) {
  const tni_structure *s = c->s;
  int *first, *list, *mark, n;
  TN_TRY(sort_elements(c, &first, &list));
  TNI_ARENA_NEW(c->arena, c->adr, s->nnode + 1);
  TNI_ARENA_NEW(c->arena, mark, s->nnode);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->nnode; i++) mark[i] = -1;
    for (int r = 0; r < c->nrank; r++)
      for (int k = first[r]; k < first[r + 1]; k++) {
        const int *node = nodes_of(s, list[k], &n);
        for (int a = 0; a < n; a++) {
          if (mark[node[a]] == r) continue;
          mark[node[a]] = r;
          if (pass) c->who[c->adr[node[a]]++] = r;
          else c->adr[node[a] + 1]++;
        }
      }
    for (int i = 0; i < s->nnode; i++) {
      if (mark[i] >= 0) continue;
      if (pass) c->who[c->adr[i]++] = 0;
      else c->adr[i + 1]++;
    }
    if (pass) break;
    for (int i = 0; i < s->nnode; i++) c->adr[i + 1] += c->adr[i];
    TNI_ARENA_NEW(c->arena, c->who, c->adr[s->nnode]);
  }
  memmove(c->adr + 1, c->adr, (size_t)s->nnode*sizeof(int));
  c->adr[0] = 0;
  TNI_ARENA_NEW(c->arena, c->local, s->nnode);
  TNI_ARENA_NEW(c->arena, c->node, s->nnode);
  for (int i = 0; i < s->nnode; i++) {
    c->local[i] = -1;
    for (int k = c->adr[i]; k < c->adr[i + 1]; k++)
      if (c->who[k] == c->rank) c->node[c->local[i] = c->nnode++] = i;
  }
  return TN_OK;
}

/* numbers of nodes of the whole for those of the piece; owned: only what the rank owns, 0 elsewhere */
static tn_status pick(const cutter *c, const double *from, int width, bool owned, double **out) {
  size_t w = (size_t)width;
  *out = NULL;
  if (!from) return TN_OK;
  TNI_ARENA_NEW(c->arena, *out, (size_t)c->nnode*w);
  for (int i = 0; i < c->nnode; i++)
    if (!owned || owns(c, c->node[i])) memcpy(*out + (size_t)i*w, from + (size_t)c->node[i]*w, w*sizeof(double));
  return TN_OK;
}

static tn_status cut_mesh(cutter *c) {
  const tni_mesh *m = c->s->mesh;
  tni_mesh *to;
  double *x;
  TNI_ARENA_NEW(c->arena, to, 1);
  TNI_ARENA_NEW(c->arena, to->gid, c->nnode);
  TNI_ARENA_NEW(c->arena, to->block, m->nblock);
  TNI_ARENA_NEW(c->arena, c->cell_local, m->ncell);
  TN_TRY(pick(c, m->x, 3, false, &x));
  for (int i = 0; i < m->ncell; i++) c->cell_local[i] = -1;
  for (int k = 0; k < c->s->nblock; k++)
    for (int e = 0; e < c->s->block[k].n; e++)
      if (rank_of(c, &c->s->block[k], e) == c->rank) c->cell_local[c->s->block[k].cell[e]] = 0;
  to->ctx = c->ctx;
  to->name = m->name;
  to->source = m->source;
  to->dim = m->dim;
  to->nnode = c->nnode;
  to->x = x;
  to->nblock = m->nblock;
  for (int i = 0; i < c->nnode; i++) to->gid[i] = m->gid[c->node[i]];
  for (int b = 0; b < m->nblock; b++) {
    const tni_mesh_block *from = &m->block[b];
    tni_mesh_block *block = &to->block[b];
    size_t nn = (size_t)tni_cell_shapes[from->cell].nnode;
    *block = (tni_mesh_block){.cell = from->cell, .first = to->ncell, .label = from->label};
    for (int e = 0; e < from->n; e++) block->n += c->cell_local[from->first + e] >= 0;
    TNI_ARENA_NEW(c->arena, block->node, (size_t)block->n*nn);
    TNI_ARENA_NEW(c->arena, block->gid, block->n);
    for (int e = 0, at = 0; e < from->n; e++) {
      if (c->cell_local[from->first + e] < 0) continue;
      for (size_t a = 0; a < nn; a++) block->node[(size_t)at*nn + a] = c->local[from->node[(size_t)e*nn + a]];
      block->gid[at] = from->gid[e];
      c->cell_local[from->first + e] = to->ncell + at++;
    }
    to->ncell += block->n;
  }
  c->ncell = to->ncell;
  c->to->mesh = to;
  return TN_OK;
}

/* ---- elements, and their history ------------------------------------------------------------------------ */

static tn_status cut_block(cutter *c, int k) {
  const tni_structure_block *from = &c->s->block[k];
  tni_structure *to = c->to;
  tni_structure_block *b = &to->block[k];
  size_t nn = (size_t)from->nnode;
  int *node, *cell;
  double *director = NULL;
  *b = *from;
  b->n = 0;
  for (int e = 0; e < from->n; e++) b->n += rank_of(c, from, e) == c->rank;
  TNI_ARENA_NEW(c->arena, node, (size_t)b->n*nn);
  TNI_ARENA_NEW(c->arena, cell, b->n);
  if (from->director) TNI_ARENA_NEW(c->arena, director, 3*nn*(size_t)b->n);
  for (int e = 0, at = 0; e < from->n; e++) {
    if (rank_of(c, from, e) != c->rank) continue;
    for (size_t a = 0; a < nn; a++) node[(size_t)at*nn + a] = c->local[from->node[(size_t)e*nn + a]];
    if (director) memcpy(director + 3*nn*(size_t)at, from->director + 3*nn*(size_t)e, 3*nn*sizeof(double));
    cell[at++] = c->cell_local[from->cell[e]];
  }
  b->node = node;
  b->cell = cell;
  b->director = director;
  b->first = to->nelement;
  b->fe = to->nfe;
  b->state = c->out->part.nmemory;
  to->nelement += b->n;
  to->nfe += (size_t)b->n*(size_t)b->nv;
  c->out->part.nmemory += b->n*b->kind.nstate;
  return TN_OK;
}

/* history: that of elements in the order of blocks, the heat of all, rotations of nodes */
static tn_status cut_memory(cutter *c) {
  const tni_structure *s = c->s;
  tni_structure *to = c->to;
  tni_part_piece *out = c->out;
  int *memory, *owner;
  if (s->heat >= 0) to->heat = out->part.nmemory++;
  if (s->turns >= 0) {
    to->turns = out->part.nmemory;
    out->part.nmemory += 7*c->nnode;
  }
  TNI_ARENA_NEW(c->arena, memory, out->part.nmemory);
  TNI_ARENA_NEW(c->arena, owner, c->part->nmemory);
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int ns = b->kind.nstate, at = to->block[k].state;
    for (int e = 0; e < b->n; e++)
      for (int i = 0; i < ns; i++) {
        owner[b->state + e*ns + i] = rank_of(c, b, e);
        if (rank_of(c, b, e) == c->rank) memory[at++] = b->state + e*ns + i;
      }
  }
  if (s->heat >= 0) {
    owner[s->heat] = TNI_EVERY_RANK;
    memory[to->heat] = s->heat;
  }
  for (int i = 0; i < s->nnode && s->turns >= 0; i++)
    for (int k = 0; k < 7; k++) {
      owner[s->turns + 7*i + k] = c->who[c->adr[i]];
      if (c->local[i] >= 0) memory[to->turns + 7*c->local[i] + k] = s->turns + 7*i + k;
    }
  out->memory = memory;
  out->memory_owner = owner;
  return TN_OK;
}

/* ---- what is prescribed, loads, temperatures ------------------------------------------------------------- */

static tn_status cut_load(const cutter *c, const tni_load *from, tni_load *to) {
  int *node, *cell;
  double *share, *normal = NULL, *width;
  signed char *face;
  *to = *from;
  to->n = to->nface = 0;
  for (int i = 0; i < from->n; i++) to->n += owns(c, from->node[i]);
  for (int i = 0; i < from->nface; i++) to->nface += c->cell_local[from->cell[i]] >= 0;
  TNI_ARENA_NEW(c->arena, node, to->n);
  TNI_ARENA_NEW(c->arena, share, to->n);
  if (from->normal) TNI_ARENA_NEW(c->arena, normal, 3*(size_t)to->n);
  TNI_ARENA_NEW(c->arena, cell, to->nface);
  TNI_ARENA_NEW(c->arena, face, to->nface);
  TNI_ARENA_NEW(c->arena, width, to->nface);
  for (int i = 0, at = 0; i < from->n; i++) {
    if (!owns(c, from->node[i])) continue;
    node[at] = c->local[from->node[i]];
    share[at] = from->share[i];
    if (normal) memcpy(normal + 3*at, from->normal + 3*(size_t)i, 3*sizeof(double));
    at++;
  }
  for (int i = 0, at = 0; i < from->nface; i++) {
    if (c->cell_local[from->cell[i]] < 0) continue;
    cell[at] = c->cell_local[from->cell[i]];
    width[at] = from->width[i];
    face[at++] = from->face[i];
  }
  to->node = node;
  to->share = share;
  to->normal = normal;
  to->cell = cell;
  to->face = face;
  to->width = width;
  return TN_OK;
}

static tn_status cut_heating(const cutter *c, const tni_node_heat *from, tni_node_heat *to) {
  int *node;
  *to = *from;
  to->n = 0;
  for (int i = 0; i < from->n; i++) to->n += c->local[from->node[i]] >= 0;
  TNI_ARENA_NEW(c->arena, node, to->n);
  for (int i = 0, at = 0; i < from->n; i++)
    if (c->local[from->node[i]] >= 0) node[at++] = c->local[from->node[i]];
  to->node = node;
  return TN_OK;
}

static tn_status cut_lists(cutter *c) {
  const tni_structure *s = c->s;
  tni_structure *to = c->to;
  TNI_ARENA_NEW(c->arena, to->load, s->nload);
  TNI_ARENA_NEW(c->arena, to->heating, s->nheat);
  TNI_ARENA_NEW(c->arena, to->motion, s->nmotion);
  for (int i = 0; i < s->nload; i++) TN_TRY(cut_load(c, &s->load[i], &to->load[i]));
  for (int i = 0; i < s->nheat; i++) TN_TRY(cut_heating(c, &s->heating[i], &to->heating[i]));
  to->nmotion = 0;
  for (int i = 0; i < s->nmotion; i++) {
    if (c->local[s->motion[i].node] < 0) continue;
    to->motion[to->nmotion] = s->motion[i];
    to->motion[to->nmotion++].node = c->local[s->motion[i].node];
  }
  return TN_OK;
}

/* ---- nodes of the piece ------------------------------------------------------------------------------------ */

static tn_status cut_nodes(cutter *c) {
  const tni_structure *s = c->s;
  tni_structure *to = c->to;
  signed char *active, *shared;
  double *alpha, *temperature;
  TN_TRY(pick(c, s->mass, 1, true, &to->mass));
  TN_TRY(pick(c, s->own_mass, 1, true, &to->own_mass));
  TN_TRY(pick(c, s->turning, 1, true, &to->turning));
  TN_TRY(pick(c, s->own_turning, 1, true, &to->own_turning));
  TN_TRY(pick(c, s->alpha, 1, false, &alpha));
  TN_TRY(pick(c, s->temperature, 1, false, &temperature));
  TNI_ARENA_NEW(c->arena, active, c->nnode);
  TNI_ARENA_NEW(c->arena, shared, c->nnode);
  TNI_ARENA_NEW(c->arena, to->carrier, c->nnode);
  TNI_ARENA_NEW(c->arena, to->arm, 3*(size_t)c->nnode);
  for (int i = 0; i < c->nnode; i++) {
    int n = c->node[i];
    active[i] = s->active[n];
    to->carrier[i] = s->carrier[n];
    if (c->adr[n + 1] - c->adr[n] > 1) shared[i] = owns(c, n) ? TNI_SHARE_OWNED : TNI_SHARE_LENT;
  }
  to->nnode = c->nnode;
  to->weight = to->mass;
  to->alpha = alpha;
  to->temperature = temperature;
  to->active = active;
  to->shared = shared;
  return TN_OK;
}

/* unknowns: numbered as in the whole, with whom they are shared */
static tn_status number(cutter *c) {
  const tni_structure *s = c->s;
  tni_structure *to = c->to;
  tni_part_piece *out = c->out;
  tni_part *p = &out->part;
  size_t d = (size_t)s->ndof;
  int *unknown, *owner, *who, *at, *vadr, *near_adr, *near;
  bool *owned;
  TNI_ARENA_NEW(c->arena, owner, c->part->nv);
  TNI_ARENA_NEW(c->arena, to->unknown, (size_t)c->nnode*d);
  TNI_ARENA_NEW(c->arena, to->own, c->nnode);
  for (int i = 0; i < s->nnode; i++)
    for (size_t k = (size_t)i*d; k < (size_t)(i + 1)*d; k++) {
      int u = s->unknown[k], l = c->local[i];
      if (l >= 0) to->unknown[(size_t)l*d + k % d] = u < 0 ? TNI_UNKNOWN_NONE : p->nv++;
      if (u < 0) continue;
      owner[u] = c->who[c->adr[i]];
      if (l >= 0) out->nshared += c->adr[i + 1] - c->adr[i] - 1;
    }
  TNI_ARENA_NEW(c->arena, unknown, p->nv);
  TNI_ARENA_NEW(c->arena, owned, p->nv);
  TNI_ARENA_NEW(c->arena, who, out->nshared);
  TNI_ARENA_NEW(c->arena, at, out->nshared);
  TNI_ARENA_NEW(c->arena, vadr, c->nnode + 1);
  TNI_ARENA_NEW(c->arena, near_adr, c->nnode + 1);
  TNI_ARENA_NEW(c->arena, near, c->nnode);
  out->nshared = 0;
  for (int l = 0; l < c->nnode; l++) {
    int first = vadr[p->nnode], n = first;
    for (size_t k = 0; k < d; k++) {
      int u = to->unknown[(size_t)l*d + k], i = c->node[l];
      if (u < 0) continue;
      unknown[u] = s->unknown[(size_t)i*d + k];
      owned[u] = owns(c, i);
      n = u + 1;
      for (int r = c->adr[i]; r < c->adr[i + 1]; r++) {
        if (c->who[r] == c->rank) continue;
        who[out->nshared] = c->who[r];
        at[out->nshared++] = u;
      }
    }
    to->own[l] = n > first ? p->nnode : -1;
    if (n == first) continue;
    near[p->nnode] = near_adr[p->nnode] = p->nnode; /* pieces are asked for forces, not for matrices */
    vadr[++p->nnode] = n;
    near_adr[p->nnode] = p->nnode;
  }
  p->vadr = vadr;
  p->near_adr = near_adr;
  p->near_node = near;
  out->unknown = unknown;
  out->owned = owned;
  out->shared_who = who;
  out->shared_at = at;
  out->owner = owner;
  return TN_OK;
}

/* nodes, those without unknowns among them: what has sums there */
static tn_status describe_nodes(cutter *c) {
  tni_part_piece *out = c->out;
  int *owner, *who, *at;
  for (int l = 0; l < c->nnode; l++) out->nshared_node += c->adr[c->node[l] + 1] - c->adr[c->node[l]] - 1;
  TNI_ARENA_NEW(c->arena, owner, c->s->nnode);
  TNI_ARENA_NEW(c->arena, who, out->nshared_node);
  TNI_ARENA_NEW(c->arena, at, out->nshared_node);
  for (int i = 0; i < c->s->nnode; i++) owner[i] = c->who[c->adr[i]];
  for (int l = 0, k = 0; l < c->nnode; l++)
    for (int r = c->adr[c->node[l]]; r < c->adr[c->node[l] + 1]; r++) {
      if (c->who[r] == c->rank) continue;
      who[k] = c->who[r];
      at[k++] = l;
    }
  out->nnode = c->nnode;
  out->node = c->node;
  out->node_owner = owner;
  out->shared_node_who = who;
  out->shared_node = at;
  return TN_OK;
}

static tn_status describe_unknowns(cutter *c) {
  const tni_part *from = c->part;
  tni_part *p = &c->out->part;
  signed char *role;
  double *mass, *u0, *v0;
  int *touch;
  TNI_ARENA_NEW(c->arena, role, p->nv);
  TNI_ARENA_NEW(c->arena, mass, p->nv);
  TNI_ARENA_NEW(c->arena, u0, p->nv);
  TNI_ARENA_NEW(c->arena, v0, p->nv);
  TNI_ARENA_NEW(c->arena, touch, 1);
  for (int k = 0; k < p->nv; k++) {
    int u = c->out->unknown[k];
    role[k] = from->role[u];
    mass[k] = from->mass[u];
    u0[k] = from->u0[u];
    v0[k] = from->v0[u];
  }
  p->role = role;
  p->mass = mass;
  p->u0 = u0;
  p->v0 = v0;
  p->touch_adr = touch;
  return TN_OK;
}

tn_status tni_structure_piece(const tni_part *part, tni_arena *arena, const int *of_cell, int nrank, int rank, tni_part_piece *out) {
  const tni_structure *s = of(part);
  cutter c = {.ctx = s->ctx, .arena = arena, .part = part, .s = s, .of_cell = of_cell, .nrank = nrank, .rank = rank, .out = out};
  TN_TRY(refuse(&c));
  TNI_ARENA_NEW(arena, c.to, 1);
  *c.to = *s;
  *out = (tni_part_piece){.part = {.name = part->name, .item = part->item, .ops = part->ops, .data = c.to, .size = part->size,
                                   .linear = part->linear, .small = part->small}};
  c.to->nelement = 0;
  c.to->nfe = 0;
  TNI_ARENA_NEW(arena, c.to->block, s->nblock);
  TN_TRY(find_ranks(&c));
  TN_TRY(cut_mesh(&c));
  for (int k = 0; k < s->nblock; k++) TN_TRY(cut_block(&c, k));
  TN_TRY(cut_memory(&c));
  TN_TRY(cut_nodes(&c));
  TN_TRY(cut_lists(&c));
  TN_TRY(number(&c));
  TN_TRY(describe_unknowns(&c));
  TN_TRY(describe_nodes(&c));
  out->part.mesh = c.to->mesh;
  return tni_structure_list_places(c.to, arena);
}
