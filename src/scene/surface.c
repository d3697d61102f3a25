/* scene/surface.c - what pictures show of a mesh
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "scene/surface.h"

#include "mesh/skin.h"

/* the cell that VTK counts so, -1: none of ours */
static int cell_of(int vtk) {
  for (int c = 0; c < TNI_NCELL; c++)
    if (tni_cell_of((tni_cell)c)->vtk == vtk) return c;
  return -1;
}

static tn_status build(tn_ctx *ctx, const tni_mesh_info *info, tni_mesh **out) {
  tni_mesh_builder *b;
  const int *node = info->cell;
  TN_TRY(tni_mesh_begin(ctx, info->name, "results", &b));
  for (int i = 0; i < info->nnode; i++) {
    const double *x = info->x + 3*(size_t)i;
    tni_mesh_add_node(b, 0, x[0], x[1], x[2]);
  }
  for (int i = 0; i < info->ncell; i++) {
    int cell = cell_of(info->type[i]);
    if (cell >= 0) tni_mesh_add_cell(b, (tni_cell)cell, NULL, 0, node);
    node += tni_cell_nnode(info->type[i]);
  }
  return tni_mesh_finish(&b, out);
}

/* of all edges those of the outline first */
static void order_edges(const tni_skin *skin, const int *place, tni_surface *out) {
  int at[2] = {0, 0};
  for (int i = 0; i < skin->nedge; i++) at[1] += skin->sharp[i] != 0;
  out->nsharp = at[1];
  out->nedge = skin->nedge;
  for (int i = 0; i < skin->nedge; i++) {
    int *to = out->edge + 2*(size_t)(skin->sharp[i] ? at[0]++ : at[1]++);
    to[0] = place[skin->edge[i][0]];
    to[1] = place[skin->edge[i][1]];
  }
}

static tn_status take_groups(tni_arena *arena, const tni_mesh_info *info, const int *place, tni_surface *out) {
  int total = 0;
  TNI_ARENA_NEW(arena, out->group, info->ngroup);
  TNI_ARENA_NEW(arena, out->group_first, info->ngroup + 1);
  TNI_ARENA_NEW(arena, out->group_node, info->ngroup ? info->group_first[info->ngroup] : 0);
  for (int g = 0; g < info->ngroup; g++) {
    int begin = total;
    for (int i = info->group_first[g]; i < info->group_first[g+1]; i++)
      if (place[info->group_node[i]] >= 0) out->group_node[total++] = place[info->group_node[i]];
    if (total == begin) continue; /* inside */
    out->group[out->ngroup] = info->group[g];
    out->group_first[out->ngroup++] = begin;
  }
  out->group_first[out->ngroup] = total;
  return TN_OK;
}

static tn_status take_skin(tni_arena *arena, const tni_mesh_info *info, const tni_skin *skin, tni_surface *out) {
  int *place;
  TNI_ARENA_NEW(arena, place, info->nnode);
  out->nnode = skin->nnode ? skin->nnode : info->nnode;
  TNI_ARENA_NEW(arena, out->node, out->nnode);
  for (int i = 0; i < info->nnode; i++) place[i] = -1;
  for (int i = 0; i < out->nnode; i++) {
    out->node[i] = skin->nnode ? skin->node[i] : i;
    place[out->node[i]] = i;
  }
  TNI_ARENA_NEW(arena, out->point, 3*(size_t)out->nnode);
  TNI_ARENA_NEW(arena, out->number, out->nnode);
  for (int i = 0; i < out->nnode; i++) {
    for (int c = 0; c < 3; c++) out->point[3*(size_t)i + (size_t)c] = (float)info->x[3*(size_t)out->node[i] + (size_t)c];
    out->number[i] = info->gid ? (double)info->gid[out->node[i]] : out->node[i];
  }
  out->solid = skin->nface > 0;
  for (int i = 0; i < skin->nface; i++) out->solid = out->solid && skin->face[i] >= 0;
  out->nface = skin->ntri;
  TNI_ARENA_NEW(arena, out->face, 3*(size_t)skin->ntri);
  for (int i = 0; i < skin->ntri; i++)
    for (int a = 0; a < 3; a++) out->face[3*(size_t)i + (size_t)a] = place[skin->tri[i][a]];
  TNI_ARENA_NEW(arena, out->edge, 2*(size_t)skin->nedge);
  order_edges(skin, place, out);
  return take_groups(arena, info, place, out);
}

tn_status tni_surface_make(tni_arena *arena, const tni_mesh_info *info, tni_surface *out) {
  tni_arena own;
  tni_mesh *mesh = NULL;
  tni_skin skin;
  memset(out, 0, sizeof(*out));
  tni_arena_init(&own, arena->ctx);
  tn_status st = build(arena->ctx, info, &mesh);
  if (st == TN_OK) st = tni_skin_create(mesh, &own, &skin);
  if (st == TN_OK) st = take_skin(arena, info, &skin, out);
  tni_arena_clear(&own);
  tni_mesh_destroy(&mesh);
  return st;
}

static tn_status read(tni_arena *own, tni_reader *r, int mesh, tni_mesh_info *info) {
  double *x;
  int *cell, *node;
  unsigned char *type;
  int64_t *gid;
  TNI_ARENA_NEW(own, x, 3*(size_t)info->nnode);
  TNI_ARENA_NEW(own, cell, info->nconnect);
  TNI_ARENA_NEW(own, type, info->ncell);
  TNI_ARENA_NEW(own, gid, info->nnode);
  TNI_ARENA_NEW(own, node, info->ngroup ? info->group_first[info->ngroup] : 0);
  TN_TRY(tni_results_read_mesh(r, mesh, x));
  TN_TRY(tni_results_read_cells(r, mesh, cell, type));
  TN_TRY(tni_results_read_numbers(r, mesh, gid));
  for (int g = 0; g < info->ngroup; g++) TN_TRY(tni_results_read_group(r, mesh, g, node + info->group_first[g]));
  info->x = x;
  info->cell = cell;
  info->type = type;
  info->gid = gid;
  info->group_node = node;
  return TN_OK;
}

tn_status tni_surface_read(tni_arena *arena, tni_reader *r, int mesh, tni_surface *out) {
  tni_mesh_info info = tni_results_get_info(r)->mesh[mesh];
  tni_arena own;
  tni_arena_init(&own, arena->ctx);
  tn_status st = read(&own, r, mesh, &info);
  if (st == TN_OK) st = tni_surface_make(arena, &info, out);
  tni_arena_clear(&own);
  return st;
}
