/* output/fields.c - fields of meshes as channels of single nodes and rows of cells
 *
 * A beam of a hundred elements is a mesh with a dozen fields, not 400 channels. Who asks for one of its
 * nodes by name, as for any body, gets columns of the fields.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "output/results.h"

int tni_field_size(const tni_results_info *info, const tni_field *f) {
  const tni_mesh_info *m = &info->mesh[f->mesh];
  return (f->cells ? m->ncell : m->nnode)*f->ncomponent;
}

int tni_cell_nnode(int vtk_type) {
  static const struct {
    unsigned char type, nnode;
  } known[] = {{1, 1},   {3, 2},   {5, 3},   {9, 4},   {10, 4},  {12, 8},  {13, 6},  {14, 5},  {21, 3},
               {22, 6},  {23, 8},  {24, 10}, {25, 20}, {26, 15}, {27, 13}, {28, 9},  {29, 27}, {34, 7}};
  for (int i = 0; i < TNI_COUNT(known); i++)
    if (known[i].type == vtk_type) return known[i].nnode;
  return 0;
}

/* "0", "1" ... */
static const char *const *count_names(tni_arena *arena, int n) {
  const char **name = tni_arena_alloc(arena, (size_t)n, sizeof(*name));
  for (int i = 0; name && i < n; i++)
    if (!(name[i] = tni_arena_printf(arena, "%d", i))) return NULL;
  return name;
}

static bool is_body(const tni_mesh_info *m, int node) { return m->body && m->body[node][0]; }

static int count_channels(const tni_results_info *info) {
  int n = info->nchannel;
  for (int i = 0; i < info->nfield; i++) {
    const tni_mesh_info *m = &info->mesh[info->field[i].mesh];
    if (info->field[i].apart) continue;
    for (int k = 0; k < m->nnode && !info->field[i].cells; k++) n += is_body(m, k);
    n += info->field[i].cells;
  }
  return n;
}

tn_status tni_results_expand(tni_arena *arena, tni_results_info *info) {
  tni_channel *channel;
  int n = 0, at = 0, *column;
  TNI_ARENA_NEW(arena, channel, count_channels(info));
  TNI_ARENA_NEW(arena, column, count_channels(info));
  for (int i = 0; i < info->nchannel; i++) {
    channel[n] = info->channel[i];
    column[n++] = at;
    at += info->channel[i].ncomponent;
  }
  for (int i = 0; i < info->nfield; i++) {
    const tni_field *f = &info->field[i];
    const tni_mesh_info *m = &info->mesh[f->mesh];
    if (f->apart) continue;
    for (int k = 0; k < m->nnode && !f->cells; k++) {
      if (!is_body(m, k)) continue;
      channel[n] = (tni_channel){"bodies", tni_arena_printf(arena, "%s/%s", m->body[k], f->name), f->unit,
                                 f->ncomponent, f->component, f->frame, f->note};
      column[n] = at + k*f->ncomponent;
      if (!channel[n++].name) return tni_out_of_memory(arena->ctx);
    }
    if (f->cells && f->ncomponent == 1 && m->body) {
      channel[n] = (tni_channel){"beams", tni_arena_printf(arena, "%s/%s", m->name, f->name), f->unit, m->ncell,
                                 count_names(arena, m->ncell), f->frame, f->note};
      column[n] = at;
      if (!channel[n].name || !channel[n].component) return tni_out_of_memory(arena->ctx);
      n++;
    }
    at += tni_field_size(info, f);
  }
  info->nchannel = n;
  info->channel = channel;
  info->column = column;
  return TN_OK;
}
