/* output/reader_mesh.c - meshes of a results file: cells, groups of nodes, fields with datasets of their own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/reader.h"

#include <limits.h>

/* the mesh of a field, a new one if it has not been seen; all fields of a mesh fit it */
bool tni_reader_place_field(tni_reader *r, tni_mesh_info *mesh, const char *name, int nplace, tni_field *f) {
  int m = 0;
  while (m < r->info.nmesh && strcmp(mesh[m].name, name) != 0) m++;
  if (m == r->info.nmesh) mesh[r->info.nmesh++] = (tni_mesh_info){.name = name};
  int *n = f->cells ? &mesh[m].ncell : &mesh[m].nnode;
  if (*n && *n != nplace) return blame(r, "damaged: fields of a mesh differ in length");
  *n = nplace;
  f->mesh = m;
  return true;
}

/* datasets of the fields that have one */
bool tni_reader_frames(tni_reader *r) {
  tni_field *field = (tni_field *)r->info.field;
  r->frames = tni_arena_alloc(&r->arena, (size_t)r->info.nfield, sizeof(*r->frames));
  if (!r->frames) return r->info.nfield == 0 || blame_memory(r);
  for (int i = 0; i < r->info.nfield; i++) r->frames[i].set = -1;
  for (int i = 0; i < r->info.nfield; i++) {
    bool fits;
    if (!field[i].apart) continue;
    r->frames[i].each = (hsize_t)field[i].ncomponent;
    r->frames[i].nplace = (hsize_t)(tni_field_size(&r->info, &field[i])/field[i].ncomponent);
    char *path = tni_arena_printf(&r->arena, TNI_H5_FIELDS "/%s/%s", r->info.mesh[field[i].mesh].name, field[i].name);
    if (!path) return blame_memory(r);
    if (!note(r, tni_frames_open(r->file, path, &r->frames[i], &field[i].single, &fits))) return false;
    if (!fits) return blame(r, "damaged: a field does not fit the table of channels");
  }
  return true;
}

/* length of a list of a mesh, 0: not there */
static bool list_length(tni_reader *r, const tni_mesh_info *m, const char *what, int *n) {
  char path[300];
  hid_t set = -1, space = -1;
  *n = 0;
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/%s", m->name, what);
  if (H5Lexists(r->file, path, H5P_DEFAULT) <= 0) return true;
  bool ok = note(r, (set = tni_reader_open(r, path)) >= 0 && (space = H5Dget_space(set)) >= 0);
  hssize_t count = ok ? H5Sget_simple_extent_npoints(space) : 0;
  if (ok && (count < 1 || count > INT_MAX || (hsize_t)count > r->file_size))
    ok = blame(r, "damaged: a mesh does not fit its fields");
  *n = (int)count;
  tni_h5_close(&space);
  tni_h5_close(&set);
  return ok;
}

static bool count_cells(tni_reader *r, tni_mesh_info *m) {
  int ncell;
  if (!list_length(r, m, "types", &ncell) || !list_length(r, m, "cells", &m->nconnect)) return false;
  if (m->ncell && m->ncell != ncell) return blame(r, "damaged: a mesh does not fit its fields");
  m->ncell = ncell;
  return true;
}

static bool read_list(tni_reader *r, const tni_mesh_info *m, const char *what, hid_t type, void *out) {
  char path[300];
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/%s", m->name, what);
  hid_t set = tni_reader_open(r, path);
  bool ok = note(r, set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
  tni_h5_close(&set);
  return ok;
}

/* groups of nodes: their names, and where the nodes of each begin */
static bool read_groups(tni_reader *r, tni_mesh_info *m) {
  char path[300];
  int n, nfirst, nnode, *first;
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/groups", m->name);
  if (H5Lexists(r->file, path, H5P_DEFAULT) <= 0) return true;
  if (!tni_reader_texts(r, path, &n, &m->group) || !list_length(r, m, "group_first", &nfirst) ||
      !list_length(r, m, "group_nodes", &nnode))
    return false;
  if (n < 1 || nfirst != n + 1) return blame(r, "damaged: groups of a mesh do not fit each other");
  first = tni_arena_alloc(&r->arena, (size_t)nfirst, sizeof(*first));
  if (!first) return blame_memory(r);
  if (!read_list(r, m, "group_first", H5T_NATIVE_INT, first)) return false;
  bool fits = first[0] == 0 && first[n] == nnode;
  for (int i = 0; i < n; i++) fits = fits && first[i] < first[i+1];
  if (!fits) return blame(r, "damaged: groups of a mesh do not fit each other");
  m->group_first = first;
  m->ngroup = n;
  return true;
}

/* names of the nodes of meshes that have some; channels for who asks by name */
bool tni_reader_meshes(tni_reader *r) {
  tni_mesh_info *mesh = (tni_mesh_info *)r->info.mesh;
  for (int i = 0; i < r->info.nmesh; i++) {
    char path[300];
    int n = 0;
    snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s", mesh[i].name);
    if (H5Lexists(r->file, TNI_H5_MESHES, H5P_DEFAULT) <= 0 || H5Lexists(r->file, path, H5P_DEFAULT) <= 0)
      return blame(r, "damaged: a mesh is missing");
    if (!count_cells(r, &mesh[i]) || !read_groups(r, &mesh[i])) return false;
    snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/bodies", mesh[i].name);
    if (H5Lexists(r->file, path, H5P_DEFAULT) <= 0) continue;
    if (!tni_reader_texts(r, path, &n, &mesh[i].body)) return false;
    if (n != mesh[i].nnode) return blame(r, "damaged: a mesh does not fit its fields");
  }
  return tni_results_expand(&r->arena, &r->info) == TN_OK || blame_memory(r);
}

tn_status tni_results_read_numbers(tni_reader *r, int mesh, int64_t *gid) {
  TN_REQUIRE(r->ctx, mesh >= 0 && mesh < r->info.nmesh, TN_ERR_ARGUMENT, "results '%s': mesh %d, there are %d",
             r->path, mesh, r->info.nmesh);
  const tni_mesh_info *m = &r->info.mesh[mesh];
  int n;
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = list_length(r, m, "gid", &n);
  if (ok && n != m->nnode) ok = blame(r, "damaged: a mesh does not fit its fields");
  tn_status st = tni_reader_result(r, ok && read_list(r, m, "gid", H5T_NATIVE_INT64, gid));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_group(tni_reader *r, int mesh, int group, int *node) {
  bool there = mesh >= 0 && mesh < r->info.nmesh && group >= 0 && group < r->info.mesh[mesh].ngroup;
  TN_REQUIRE(r->ctx, there, TN_ERR_ARGUMENT, "results '%s': mesh %d has no group %d", r->path, mesh, group);
  const tni_mesh_info *m = &r->info.mesh[mesh];
  char path[300];
  hid_t set = -1, all = -1, here = -1;
  hsize_t first = (hsize_t)m->group_first[group], n = (hsize_t)(m->group_first[group+1] - m->group_first[group]);
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/group_nodes", m->name);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = note(r, (set = tni_reader_open(r, path)) >= 0 && (all = H5Dget_space(set)) >= 0 &&
                      (here = H5Screate_simple(1, &n, NULL)) >= 0 &&
                      H5Sselect_hyperslab(all, H5S_SELECT_SET, &first, NULL, &n, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_INT, here, all, H5P_DEFAULT, node) >= 0);
  for (hsize_t i = 0; i < n && ok; i++)
    if (node[i] < 0 || node[i] >= m->nnode || (i && node[i] <= node[i-1]))
      ok = blame(r, "damaged: a group has a node that is not there");
  tni_h5_close(&here);
  tni_h5_close(&all);
  tni_h5_close(&set);
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_cells(tni_reader *r, int mesh, int *cell, unsigned char *type) {
  TN_REQUIRE(r->ctx, mesh >= 0 && mesh < r->info.nmesh, TN_ERR_ARGUMENT, "results '%s': mesh %d, there are %d",
             r->path, mesh, r->info.nmesh);
  const tni_mesh_info *m = &r->info.mesh[mesh];
  if (m->ncell == 0) return TN_OK;
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = read_list(r, m, "cells", H5T_NATIVE_INT, cell) && read_list(r, m, "types", H5T_NATIVE_UCHAR, type);
  long nconnect = 0;
  for (int i = 0; ok && i < m->ncell; i++) nconnect += tni_cell_nnode(type[i]);
  for (int i = 0; ok && i < m->nconnect; i++)
    if (cell[i] < 0 || cell[i] >= m->nnode) ok = blame(r, "damaged: a cell has a node that is not there");
  if (ok && nconnect != m->nconnect) ok = blame(r, "damaged: cells do not fit their kinds");
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_mesh(tni_reader *r, int mesh, double *x) {
  TN_REQUIRE(r->ctx, mesh >= 0 && mesh < r->info.nmesh, TN_ERR_ARGUMENT, "results '%s': mesh %d, there are %d",
             r->path, mesh, r->info.nmesh);
  char path[300];
  hid_t set = -1;
  hsize_t nrow, ncolumn = 0;
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/x", r->info.mesh[mesh].name);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = note(r, (set = tni_reader_open(r, path)) >= 0) && tni_reader_size(r, set, &nrow, &ncolumn);
  if (ok && (nrow != (hsize_t)r->info.mesh[mesh].nnode || ncolumn != 3))
    ok = blame(r, "damaged: a mesh does not fit its fields");
  ok = ok && tni_reader_rows(r, set, 0, nrow, 0, 3, x);
  tni_h5_close(&set);
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  return st;
}
