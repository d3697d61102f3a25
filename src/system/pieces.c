/* system/pieces.c - structures divided among ranks: every rank moves a piece
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/pieces.h"

#include "parallel/halo.h"
#include "system/parts.h"

/* sums at the nodes of a piece that other ranks have too */
struct tni_node_share {
  tni_part_share share;
  tni_halo_sum halo;
  int n, *node;   /* [n] they                               */
  double *x;      /* [n][WIDE] sums, and how many are in it */
};
enum { WIDE = TNI_SHARE_MOST + 1 };

static void add_shares(void *user, int n, double *sum, int *count) {
  struct tni_node_share *h = user;
  size_t width = (size_t)n;
  memset(h->x, 0, (size_t)h->n*WIDE*sizeof(double));
  for (int k = 0; k < h->n; k++) {
    int i = h->node[k];
    if (count && count[i] < 0) continue;
    memcpy(h->x + (size_t)k*WIDE, sum + (size_t)i*width, width*sizeof(double));
    if (count) h->x[(size_t)k*WIDE + TNI_SHARE_MOST] = count[i];
  }
  if (tni_halo_add(&h->halo, h->x) != TN_OK) return; /* the communicator keeps it */
  for (int k = 0; k < h->n; k++) {
    int i = h->node[k];
    if (count && count[i] < 0) continue;
    memcpy(sum + (size_t)i*width, h->x + (size_t)k*WIDE, width*sizeof(double));
    if (count) count[i] = (int)h->x[(size_t)k*WIDE + TNI_SHARE_MOST];
  }
}

static tn_status share_nodes(tni_pieces *p, const tni_part_piece *x, struct tni_node_share *h) {
  int *who, *at, n = x->nshared_node;
  TNI_ARENA_NEW(&p->arena, h->node, n);
  TNI_ARENA_NEW(&p->arena, who, (size_t)n*WIDE);
  TNI_ARENA_NEW(&p->arena, at, (size_t)n*WIDE);
  for (int k = 0; k < n; k++) { /* pairs of a node follow each other */
    if (h->n == 0 || h->node[h->n - 1] != x->shared_node[k]) h->node[h->n++] = x->shared_node[k];
    for (int c = 0; c < WIDE; c++) {
      who[k*WIDE + c] = x->shared_node_who[k];
      at[k*WIDE + c] = (h->n - 1)*WIDE + c;
    }
  }
  TNI_ARENA_NEW(&p->arena, h->x, (size_t)h->n*WIDE);
  h->share = (tni_part_share){.add = add_shares, .user = h};
  return tni_halo_sum_create(p->comm, &p->arena, n*WIDE, who, at, &h->halo);
}

bool tni_pieces_fill(tni_pieces *p, int k, int i, bool first, double *out) {
  const tni_parts *parts = p->s->parts;
  const tni_part *part = &parts->part[k];
  tni_part_at at = tni_parts_at(p->s, k);
  p->share[k].share.round += first;
  at.share = &p->share[k].share;
  part->ops->fill(part, parts->work[k], &at, i, out);
  return p->comm->trouble == TN_OK;
}

static tn_status allowed(const tni_data *s) {
  const tni_parts *p = s->parts;
  TN_REQUIRE(s->ctx, p && s->nbody == 0 && s->m == 0 && s->model->nforce == 0, TN_ERR_UNSUPPORTED,
             "models with bodies, joints or forces cannot be divided among ranks");
  for (int i = 0; i < p->n; i++)
    TN_REQUIRE(s->ctx, p->part[i].ops->piece && p->part[i].mesh, TN_ERR_UNSUPPORTED, "structure '%s' cannot be divided among ranks",
               p->part[i].name);
  return TN_OK;
}

/* the first rank says where cells belong; meshes with fewer cells than there are ranks leave some without */
static tn_status decompose(tni_pieces *p, tni_cut rule, int **of_cell) {
  const tni_parts *parts = p->whole->parts;
  for (int i = 0; i < parts->n; i++) {
    const tni_mesh *mesh = parts->part[i].mesh;
    TNI_ARENA_NEW(&p->arena, of_cell[i], mesh->ncell);
    if (p->comm->rank > 0) continue;
    int count = p->comm->size < mesh->ncell ? p->comm->size : mesh->ncell;
    if (rule == TNI_CUT_FILE && mesh->ncut < count) count = mesh->ncut; /* and those that are left have none */
    TN_TRY(tni_mesh_decompose(mesh, rule, count > 0 ? count : 1, NULL, of_cell[i]));
  }
  return TN_OK;
}

/* rows of owned numbers, rank after rank */
static void count_owned(int n, const int *owner, int *from) {
  for (int i = 0; i < n; i++)
    if (owner[i] >= 0) from[owner[i] + 1]++;
}

static tn_status cut(tni_pieces *p, int *const *of_cell) {
  const tni_parts *parts = p->whole->parts;
  int size = p->comm->size, nmemory = 0, most = 1;
  TNI_ARENA_NEW(&p->arena, p->piece, parts->n);
  TNI_ARENA_NEW(&p->arena, p->from, size + 1);
  TNI_ARENA_NEW(&p->arena, p->next, size + 1);
  TNI_ARENA_NEW(&p->arena, p->memory_from, size + 1);
  TNI_ARENA_NEW(&p->arena, p->model.part, parts->n);
  for (int i = 0; i < parts->n; i++) {
    const tni_part *part = &parts->part[i];
    tni_part_piece *x = &p->piece[i];
    TN_TRY(part->ops->piece(part, &p->arena, of_cell[i], size, p->comm->rank, x));
    count_owned(part->nv, x->owner, p->from);
    count_owned(part->nmemory, x->memory_owner, p->memory_from);
    p->model.part[i] = x->part;
    p->model.part[i].memory = nmemory;
    nmemory += x->part.nmemory;
    for (int k = 0; k < x->nshared; k++) p->shared += k == 0 || x->shared_at[k] != x->shared_at[k-1];
  }
  for (int r = 0; r < size; r++) {
    p->from[r + 1] += p->from[r];
    p->memory_from[r + 1] += p->memory_from[r];
  }
  most = p->from[size] > p->memory_from[size] ? p->from[size] : p->memory_from[size];
  TNI_ARENA_NEW(&p->arena, p->buffer, most + 1);
  TNI_ARENA_NEW(&p->arena, p->model.memory0, nmemory);
  p->model.nmemory = nmemory;
  for (int i = 0; i < parts->n; i++)
    for (int k = 0; k < p->piece[i].part.nmemory; k++)
      p->model.memory0[p->model.part[i].memory + k] = p->whole->model->memory0[parts->part[i].memory + p->piece[i].memory[k]];
  return TN_OK;
}

static tn_status make_system(tni_pieces *p) {
  bool *owned;
  TN_TRY(tni_cartesian_create(p->ctx, &p->model, NULL, &p->s));
  tni_parts *parts = p->s->parts;
  TNI_ARENA_NEW(&p->arena, owned, parts->nv);
  TNI_ARENA_NEW(&p->arena, parts->halo, parts->n);
  TNI_ARENA_NEW(&p->arena, p->share, parts->n);
  for (int i = 0; i < parts->n; i++) {
    const tni_part_piece *x = &p->piece[i];
    memcpy(owned + parts->at[i], x->owned, (size_t)x->part.nv*sizeof(bool));
    TN_TRY(tni_halo_sum_create(p->comm, &p->arena, x->nshared, x->shared_who, x->shared_at, &parts->halo[i]));
    if (parts->halo[i].npeer > p->peers) p->peers = parts->halo[i].npeer;
    TN_TRY(share_nodes(p, x, &p->share[i]));
  }
  parts->owned = owned;
  parts->comm = p->comm;
  return TN_OK;
}

static tn_status create(tni_pieces *p, tni_cut rule) {
  const tni_parts *parts = p->whole->parts;
  tni_comm *comm = p->comm;
  int **of_cell = NULL;
  tn_status st = allowed(p->whole);
  if (st == TN_OK) {
    of_cell = tni_arena_alloc(&p->arena, (size_t)parts->n, sizeof(*of_cell));
    st = of_cell ? decompose(p, rule, of_cell) : tni_out_of_memory(p->ctx);
  }
  TN_TRY(tni_comm_agree(comm, st));
  for (int i = 0; i < parts->n; i++)
    TN_TRY(tni_comm_broadcast(comm, 0, of_cell[i], (size_t)parts->part[i].mesh->ncell*sizeof(int)));
  st = cut(p, of_cell);
  if (st == TN_OK) st = make_system(p);
  return tni_comm_agree(comm, st);
}

tn_status tni_pieces_create(tni_data *whole, tni_cut rule, tni_pieces **out) {
  *out = NULL;
  tni_pieces *p = tni_alloc(whole->ctx, 1, sizeof(*p));
  if (!p) return tni_out_of_memory(whole->ctx);
  p->ctx = whole->ctx;
  p->comm = tni_comm_of(whole->ctx);
  p->whole = whole;
  p->model = *whole->model;
  p->model.nsensor = p->model.nevent = 0;
  tni_arena_init(&p->arena, p->ctx);
  tn_status st = create(p, rule);
  if (st != TN_OK) tni_pieces_destroy(&p);
  *out = p;
  return st;
}

void tni_pieces_destroy(tni_pieces **pieces) {
  if (!pieces || !*pieces) return;
  tni_pieces *p = *pieces;
  tn_ctx *ctx = p->ctx;
  tni_data_destroy(&p->s);
  tni_arena_clear(&p->arena);
  tni_free(ctx, p);
  *pieces = NULL;
}

/* ---- between the whole and the pieces ------------------------------------------------------------------ */

void tni_pieces_divide(const tni_pieces *p, const double *whole, double *mine) {
  const tni_parts *parts = p->whole->parts, *own = p->s->parts;
  for (int i = 0; i < parts->n; i++)
    for (int k = 0; k < p->piece[i].part.nv; k++) mine[own->at[i] + k] = whole[parts->at[i] + p->piece[i].unknown[k]];
}

tn_status tni_pieces_collect(tni_pieces *p, const double *mine, double *whole) {
  const tni_parts *parts = p->whole->parts, *own = p->s->parts;
  int at = p->from[p->comm->rank];
  for (int k = 0; k < own->nv; k++)
    if (own->owned[k]) p->buffer[at++] = mine[k];
  TN_TRY(tni_comm_collect(p->comm, p->from, p->buffer));
  memcpy(p->next, p->from, (size_t)p->comm->size*sizeof(int));
  for (int i = 0; i < parts->n; i++)
    for (int k = 0; k < parts->part[i].nv; k++) whole[parts->at[i] + k] = p->buffer[p->next[p->piece[i].owner[k]]++];
  return TN_OK;
}

void tni_pieces_divide_memory(tni_pieces *p) {
  for (int i = 0; i < p->model.npart; i++) {
    const tni_part_piece *x = &p->piece[i];
    const double *whole = p->whole->memory + p->whole->parts->part[i].memory;
    double *mine = p->s->memory + p->model.part[i].memory;
    for (int k = 0; k < x->part.nmemory; k++) /* sums begin with the first rank */
      mine[k] = x->memory_owner[x->memory[k]] == TNI_EVERY_RANK && p->comm->rank > 0 ? 0 : whole[x->memory[k]];
  }
}

tn_status tni_pieces_collect_memory(tni_pieces *p) {
  int at = p->memory_from[p->comm->rank];
  if (p->model.nmemory == 0 && p->memory_from[p->comm->size] == 0) return TN_OK;
  for (int i = 0; i < p->model.npart; i++) {
    const tni_part_piece *x = &p->piece[i];
    const double *mine = p->s->memory + p->model.part[i].memory;
    for (int k = 0; k < x->part.nmemory; k++)
      if (x->memory_owner[x->memory[k]] == p->comm->rank) p->buffer[at++] = mine[k];
  }
  TN_TRY(tni_comm_collect(p->comm, p->memory_from, p->buffer));
  memcpy(p->next, p->memory_from, (size_t)p->comm->size*sizeof(int));
  for (int i = 0; i < p->model.npart; i++) {
    const tni_part_piece *x = &p->piece[i];
    double *whole = p->whole->memory + p->whole->parts->part[i].memory;
    const double *mine = p->s->memory + p->model.part[i].memory;
    for (int k = 0; k < p->whole->parts->part[i].nmemory; k++)
      if (x->memory_owner[k] >= 0) whole[k] = p->buffer[p->next[x->memory_owner[k]]++];
    for (int k = 0; k < p->whole->parts->part[i].nmemory; k++) {
      if (x->memory_owner[k] != TNI_EVERY_RANK) continue;
      double sum = 0;
      for (int j = 0; j < x->part.nmemory; j++)
        if (x->memory[j] == k) sum = mine[j];
      TN_TRY(tni_comm_sum(p->comm, 1, &sum));
      whole[k] = sum;
    }
  }
  return TN_OK;
}
