/* api/structures.c - public functions over meshes of structures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <tenon/analysis.h>

#include "mesh/decompose.h"
#include "model/part.h"

const char *tn_decomposer_name(int i) { return i >= 0 && i < TNI_NCUT ? tni_cut_names[i] : NULL; }

static tn_status find(tn_ctx *ctx, const tn_model *model, const char *name, const tni_mesh **out) {
  for (int i = 0; i < model->npart; i++) {
    const tni_part *p = &model->part[i];
    if (!p->mesh || (name && strcmp(p->name, name) != 0)) continue;
    *out = p->mesh;
    return TN_OK;
  }
  return name ? TN_FAIL(ctx, TN_ERR_ARGUMENT, "there is no structure '%s'", name)
              : TN_FAIL(ctx, TN_ERR_ARGUMENT, "the model has no structures");
}

tn_status tn_structure_cells(tn_ctx *ctx, const tn_model *model, const char *structure, int *cells) {
  const tni_mesh *mesh = NULL;
  TN_TRY(find(ctx, model, structure, &mesh));
  *cells = mesh->ncell;
  return TN_OK;
}

static tn_status cut(tn_ctx *ctx, const tni_mesh *mesh, tni_cut rule, int parts, int *part, tn_cut_info *out) {
  tni_cut_report r;
  int moved, pieces;
  (void)ctx;
  TN_TRY(tni_mesh_decompose(mesh, rule, parts, NULL, part));
  TN_TRY(tni_mesh_repair(mesh, parts, part, &moved, &pieces));
  TN_TRY(tni_mesh_cut_examine(mesh, parts, part, NULL, NULL, mesh->dim, 0, 0, &r));
  *out = (tn_cut_info){.parts = parts, .cells = mesh->ncell, .nodes = mesh->nnode, .least_cells = r.least_cells,
                       .most_cells = r.most_cells, .imbalance = r.imbalance, .interface_nodes = r.interface_nodes,
                       .mean_neighbours = r.mean_neighbours, .most_neighbours = r.most_neighbours,
                       .mean_touching = r.mean_touching, .most_touching = r.most_touching, .worst_aspect = r.worst_aspect,
                       .whole_profile = r.global_profile, .worst_profile = r.worst_profile, .moved = moved, .in_pieces = pieces};
  return TN_OK;
}

tn_status tn_decompose(tn_ctx *ctx, const tn_model *model, const char *structure, const char *rule, int parts, int *part,
                       tn_cut_info *out) {
  const tni_mesh *mesh = NULL;
  TN_TRY(find(ctx, model, structure, &mesh));
  int k = tni_cut_named(rule ? rule : "best");
  TN_REQUIRE(ctx, k >= 0, TN_ERR_ARGUMENT, "unknown rule '%s', must be one of greedy, frontier, bands, strips, bisect, inertia, metis, scotch, best, file", rule);
  if (k == TNI_CUT_FILE && parts == 0) parts = mesh->ncut > 0 ? mesh->ncut : 1;
  TN_REQUIRE(ctx, parts >= 1 && parts <= mesh->ncell, TN_ERR_ARGUMENT, "parts = %d, must be 1 to %d, the cells of the mesh", parts, mesh->ncell);
  int *own = part ? NULL : tni_ints(ctx, (size_t)mesh->ncell);
  if (!part && !own) return tni_out_of_memory(ctx);
  tn_status st = cut(ctx, mesh, (tni_cut)k, parts, part ? part : own, out);
  tni_free(ctx, own);
  return st;
}
