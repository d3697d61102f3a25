/* mesh/join.c - meshes put together to one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/join.h"

#include "base/vec.h"
#include "mesh/generate.h"
#include "mesh/places.h"

typedef struct joiner {
  tni_mesh_builder *b;
  tni_arena work;
  double *x;     /* [3 n] places of all nodes of all parts, one part after the other */
  int *node;     /* [n] the node of the whole that each is                           */
  int *ticket;   /* [most cells of a part]                                           */
  tn_gid last_node, last_cell;
} joiner;

static size_t all_nodes(int npart, const tni_mesh_joined *part) {
  size_t n = 0;
  for (int k = 0; k < npart; k++) n += (size_t)part[k].mesh->nnode;
  return n;
}

static void place(const tni_mesh_joined *p, double *x) {
  for (int i = 0; i < p->mesh->nnode; i++) {
    mat3_vec(x + 3*(size_t)i, p->R, p->mesh->x + 3*(size_t)i);
    vec3_add(x + 3*(size_t)i, x + 3*(size_t)i, p->at);
  }
}

/* nodes of one part; those of earlier parts have entered `near` */
static void add_nodes(joiner *j, const tni_mesh_joined *p, int first, tni_places *near) {
  const tni_mesh *m = p->mesh;
  tn_gid before = j->last_node;
  for (int i = 0; i < m->nnode; i++) {
    const double *x = j->x + 3*((size_t)first + (size_t)i);
    int twin = near ? tni_places_near(near, first + i) : -1;
    tn_gid gid = before + m->gid[i];
    if (gid > j->last_node) j->last_node = gid;
    j->node[first+i] = twin >= 0 ? j->node[twin] : tni_mesh_add_node(j->b, gid, x[0], x[1], x[2]);
  }
  for (int i = 0; near && i < m->nnode; i++) tni_places_enter(near, first + i);
}

static void add_cells(joiner *j, const tni_mesh *m, const int *node) {
  tn_gid before = j->last_cell;
  for (int k = 0; k < m->nblock; k++) {
    const tni_mesh_block *from = &m->block[k];
    int n = tni_cell_of(from->cell)->nnode, to[TNI_CELL_MAXNODE];
    for (int i = 0; i < from->n; i++) {
      for (int a = 0; a < n; a++) to[a] = node[from->node[(size_t)i*(size_t)n+(size_t)a]];
      tn_gid gid = before + from->gid[i];
      if (gid > j->last_cell) j->last_cell = gid;
      j->ticket[from->first+i] = tni_mesh_add_cell(j->b, from->cell, from->label, gid, to);
    }
  }
}

static tn_status add_sets(joiner *j, const tni_mesh_joined *p, const int *node) {
  const tni_mesh *m = p->mesh;
  int nodes = tni_mesh_add_set(j->b, p->name, TNI_SET_NODES), cells = tni_mesh_add_set(j->b, p->name, TNI_SET_CELLS);
  for (int i = 0; i < m->nnode; i++) tni_mesh_add_member(j->b, nodes, node[i], 0);
  for (int i = 0; i < m->ncell; i++) tni_mesh_add_member(j->b, cells, j->ticket[i], 0);
  for (int k = 0; k < m->nset; k++) {
    const tni_mesh_set *s = &m->set[k];
    const char *name = tni_arena_printf(&j->work, "%s.%s", p->name, s->name);
    if (!name) return tni_out_of_memory(m->ctx);
    int id = tni_mesh_add_set(j->b, name, s->kind);
    for (int i = 0; i < s->n; i++)
      tni_mesh_add_member(j->b, id, s->kind == TNI_SET_NODES ? node[s->member[i]] : j->ticket[s->member[i]],
                          s->kind == TNI_SET_FACES ? s->face[i] : 0);
  }
  return TN_OK;
}

static tn_status join(joiner *j, int npart, const tni_mesh_joined *part, double merge) {
  size_t n = all_nodes(npart, part);
  int most = 0, first = 0;
  tni_places near;
  for (int k = 0; k < npart; k++)
    if (part[k].mesh->ncell > most) most = part[k].mesh->ncell;
  TNI_ARENA_NEW(&j->work, j->x, 3*n);
  TNI_ARENA_NEW(&j->work, j->node, n);
  TNI_ARENA_NEW(&j->work, j->ticket, most);
  for (int k = 0; k < npart; first += part[k++].mesh->nnode) place(&part[k], j->x + 3*(size_t)first);
  if (merge > 0) TN_TRY(tni_places_create(&j->work, j->x, (int)n, merge, &near));
  first = 0;
  for (int k = 0; k < npart; first += part[k++].mesh->nnode) {
    add_nodes(j, &part[k], first, merge > 0 ? &near : NULL);
    add_cells(j, part[k].mesh, j->node + first);
    TN_TRY(add_sets(j, &part[k], j->node + first));
  }
  tni_mesh_add_all(j->b);
  return TN_OK;
}

tn_status tni_mesh_join(tn_ctx *ctx, const char *name, const char *source, int npart, const tni_mesh_joined *part, double merge,
                        tni_mesh **out) {
  joiner j = {0};
  *out = NULL;
  TN_REQUIRE(ctx, all_nodes(npart, part) < INT32_MAX, TN_ERR_INPUT, "%s: more nodes than this program counts", source);
  TN_TRY(tni_mesh_begin(ctx, name, source, &j.b));
  tni_arena_init(&j.work, ctx);
  tn_status st = join(&j, npart, part, merge);
  if (st == TN_OK) st = tni_mesh_finish(&j.b, out);
  else tni_mesh_abandon(&j.b);
  tni_arena_clear(&j.work);
  return st;
}
