/* output/vtk.c - a results file as VTKHDF, for ParaView and whatever else VTK reads
 *
 * One unstructured grid: bodies are vertices, meshes are their cells. Points move where positions are stored; every
 * other quantity of bodies and nodes is an array of points, those of cells are arrays of cells, NaN on parts that lack
 * them. `part` numbers bodies and meshes in the order of /tenon/parts, which has their names.
 *
 * All stored times: format 2.0, arrays of all times one after the other and in the group Steps where each of
 * them begins; cells are stored once. One time: format 1.0, which older readers know.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "output/h5.h"
#include "output/results.h"

enum { VTK_VERTEX = 1 };

/* a body or a mesh */
typedef struct {
  const char *name;
  int mesh;             /* -1: a body                                    */
  int point, npoint;    /* first of its points                           */
  int cell, ncell;
} part;

/* an array of the grid; from: [npart] where its numbers are in a row, -1: not stored */
typedef struct {
  const char *name;
  int ncomponent;
  bool cells, single;
  int *from;
  hid_t set;
} array;

typedef struct {
  tni_reader *r;
  const tni_results_info *info;
  tni_arena arena;
  part *part;
  array *array;         /* [0]: the points                               */
  int npart, narray, npoint, ncell;
  long nconnect;
  double *x;            /* [npoint][3] as the run began, of meshes       */
  double *row, *value;  /* [nappend]; numbers of the widest array        */
  int *field_at;        /* [nfield] in a row                             */
  bool moves;           /* some positions are stored                     */
  char reason[TNI_REASON_MAX];
  hid_t file, group;
} job;

/* ---- what there is ---- */

/* array of that name and shape, made where there is none; its place in a row for one part */
static tn_status offer(job *j, const char *name, int ncomponent, bool cells, bool single, int p, int at) {
  int i = 0;
  while (i < j->narray && (strcmp(j->array[i].name, name) != 0 || j->array[i].cells != cells ||
                           j->array[i].ncomponent != ncomponent)) i++;
  array *a = &j->array[i];
  if (i == j->narray) {
    *a = (array){.name = name, .ncomponent = ncomponent, .cells = cells, .single = true, .set = -1};
    TNI_ARENA_NEW(&j->arena, a->from, j->info->nmesh + j->info->nchannel);
    for (int k = 0; k < j->info->nmesh + j->info->nchannel; k++) a->from[k] = -1;
    j->narray++;
  }
  a->single = a->single && single;
  a->from[p] = at;
  return TN_OK;
}

/* the body that a channel "<body>/position" of the group bodies belongs to, unless it is a node of a mesh; new: it
 * is the first channel of it */
static tn_status add_channel(job *j, int i) {
  const tni_channel *c = &j->info->channel[i];
  const char *slash = strrchr(c->name, '/');
  if (strcmp(c->group, "bodies") != 0 || !slash) return TN_OK;
  char *body = tni_arena_printf(&j->arena, "%.*s", (int)(slash - c->name), c->name);
  if (!body) return tni_out_of_memory(j->arena.ctx);
  int p = j->npart - 1;
  if (p < 0 || strcmp(j->part[p].name, body) != 0) {
    j->part[p = j->npart++] = (part){.name = body, .mesh = -1, .point = j->npoint++, .npoint = 1, .cell = j->ncell++,
                                     .ncell = 1};
    j->nconnect++;
  }
  if (strcmp(slash + 1, "position") != 0)
    return offer(j, slash + 1, c->ncomponent, false, false, p, j->info->column[i]);
  j->array[0].from[p] = j->info->column[i];
  j->array[0].single = false;
  j->moves = true;
  return TN_OK;
}

static tn_status add_field(job *j, int i, int nbody) {
  const tni_field *f = &j->info->field[i];
  int p = nbody + f->mesh, at = j->field_at[i];
  if (f->cells || strcmp(f->name, "position") != 0 || f->ncomponent != 3)
    return offer(j, f->name, f->ncomponent, f->cells, f->single, p, at);
  j->array[0].from[p] = at;
  j->array[0].single = j->array[0].single && f->single;
  j->moves = true;
  return TN_OK;
}

static tn_status list_parts(job *j) {
  const tni_results_info *info = j->info;
  int most = info->nmesh + info->nchannel, inside = 0;
  TNI_ARENA_NEW(&j->arena, j->part, most);
  TNI_ARENA_NEW(&j->arena, j->array, info->nchannel + info->nfield + 1);
  TNI_ARENA_NEW(&j->arena, j->field_at, info->nfield);
  TN_TRY(offer(j, "", 3, false, true, 0, -1));
  /* channels of nodes of meshes are columns of fields, which begin behind those of all bodies */
  int columns = info->nvalue;
  for (int i = 0; i < info->nfield; i++)
    if (!info->field[i].apart && info->field[i].column < columns) columns = info->field[i].column;
  for (int i = 0; i < info->nchannel; i++)
    if (info->column[i] < columns) TN_TRY(add_channel(j, i));
  int nbody = j->npart;
  for (int m = 0; m < info->nmesh; m++) {
    const tni_mesh_info *mesh = &info->mesh[m];
    j->part[j->npart++] = (part){mesh->name, m, j->npoint, mesh->nnode, j->ncell, mesh->ncell};
    j->npoint += mesh->nnode;
    j->ncell += mesh->ncell;
    j->nconnect += mesh->nconnect;
  }
  for (int i = 0; i < info->nfield; i++) {
    j->field_at[i] = info->field[i].apart ? info->nvalue + inside : info->field[i].column;
    if (info->field[i].apart) inside += tni_field_size(info, &info->field[i]);
    TN_TRY(add_field(j, i, nbody));
  }
  size_t widest = 3*(size_t)j->npoint;
  for (int i = 0; i < j->narray; i++) {
    const array *a = &j->array[i];
    size_t n = (size_t)(a->cells ? j->ncell : j->npoint)*(size_t)a->ncomponent;
    if (n > widest) widest = n;
  }
  TN_REQUIRE(j->arena.ctx, j->npoint > 0, TN_ERR_ARGUMENT, "results '%s': no body and no mesh to show",
             tni_reader_path(j->r));
  TNI_ARENA_NEW(&j->arena, j->x, 3*(size_t)j->npoint);
  TNI_ARENA_NEW(&j->arena, j->row, info->nappend);
  TNI_ARENA_NEW(&j->arena, j->value, widest);
  for (int p = 0; p < j->npart; p++)
    if (j->part[p].mesh >= 0) TN_TRY(tni_results_read_mesh(j->r, j->part[p].mesh, j->x + 3*j->part[p].point));
  return TN_OK;
}

/* ---- pieces of a file ---- */

static bool note(job *j, bool ok) {
  if (!ok && !j->reason[0]) tni_h5_reason(j->reason);
  return ok;
}

/* a dataset below /VTKHDF, n rows; ncolumn 0: one dimension. values NULL: written later */
static bool put(job *j, const char *name, hid_t stored, hid_t native, hsize_t n, hsize_t ncolumn, const void *values,
                hid_t *keep) {
  hsize_t dims[2] = {n, ncolumn};
  hid_t space = H5Screate_simple(ncolumn ? 2 : 1, dims, NULL), links = H5Pcreate(H5P_LINK_CREATE);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE), set = -1;
  bool ok = note(j, space >= 0 && links >= 0 && list >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
                      H5Pset_obj_track_times(list, 0) >= 0 &&
                      (set = H5Dcreate2(j->group, name, stored, space, links, list, H5P_DEFAULT)) >= 0 &&
                      (!values || n == 0 || H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0));
  if (ok && keep) *keep = set, set = -1;
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  return ok;
}

static bool put_longs(job *j, const char *name, const int64_t *values, hsize_t n) {
  return put(j, name, H5T_STD_I64LE, H5T_NATIVE_INT64, n, 0, values, NULL);
}

static bool put_attribute(job *j, hid_t object, const char *name, const int64_t *values, hsize_t n) {
  hid_t space = n > 1 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR), a = -1;
  bool ok = note(j, space >= 0 && (a = H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT)) >= 0 &&
                      H5Awrite(a, H5T_NATIVE_INT64, values) >= 0);
  tni_h5_close(&a);
  tni_h5_close(&space);
  return ok;
}

/* the reader wants a text of fixed length in ASCII */
static bool put_kind(job *j, bool steps) {
  static const char KIND[] = "UnstructuredGrid";
  const int64_t version[2] = {steps ? 2 : 1, 0};
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), a = -1;
  bool ok = note(j, type >= 0 && space >= 0 && H5Tset_size(type, sizeof(KIND) - 1) >= 0 &&
                      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                      (a = H5Acreate2(j->group, "Type", type, space, H5P_DEFAULT, H5P_DEFAULT)) >= 0 &&
                      H5Awrite(a, type, KIND) >= 0);
  tni_h5_close(&a);
  tni_h5_close(&space);
  tni_h5_close(&type);
  return ok && put_attribute(j, j->group, "Version", version, 2);
}

static bool put_names(job *j) {
  size_t size = 1;
  for (int p = 0; p < j->npart; p++)
    if (strlen(j->part[p].name) > size) size = strlen(j->part[p].name);
  char *text = tni_arena_alloc(&j->arena, (size_t)j->npart, size);
  if (!text) return false;
  for (int p = 0; p < j->npart; p++) memcpy(text + (size_t)p*size, j->part[p].name, strlen(j->part[p].name));
  hid_t type = tni_h5_text_type(size);
  bool ok = note(j, type >= 0) && put(j, "/tenon/parts", type, type, (hsize_t)j->npart, 0, text, NULL);
  tni_h5_close(&type);
  return ok;
}

/* ---- the grid ---- */

static tn_status put_cells(job *j, bool *ok) {
  int64_t *connect, *begin, size[3] = {j->npoint, j->ncell, j->nconnect};
  unsigned char *type;
  int *node, *owner, at = 0, cell = 0;
  TNI_ARENA_NEW(&j->arena, connect, j->nconnect);
  TNI_ARENA_NEW(&j->arena, node, j->nconnect);
  TNI_ARENA_NEW(&j->arena, begin, j->ncell + 1);
  TNI_ARENA_NEW(&j->arena, type, j->ncell);
  TNI_ARENA_NEW(&j->arena, owner, j->ncell);
  for (int p = 0; p < j->npart; p++) {
    const part *b = &j->part[p];
    if (b->mesh < 0) type[b->cell] = VTK_VERTEX, node[at] = 0;
    else TN_TRY(tni_results_read_cells(j->r, b->mesh, node + at, type + b->cell));
    for (int k = 0; k < b->ncell; k++, cell++) {
      begin[cell] = at;
      owner[cell] = p;
      for (int n = tni_cell_nnode(type[cell]); n > 0; n--, at++) connect[at] = b->point + node[at];
    }
  }
  begin[j->ncell] = at;
  *ok = put_longs(j, "NumberOfPoints", &size[0], 1) && put_longs(j, "NumberOfCells", &size[1], 1) &&
        put_longs(j, "NumberOfConnectivityIds", &size[2], 1) &&
        put_longs(j, "Connectivity", connect, (hsize_t)j->nconnect) &&
        put_longs(j, "Offsets", begin, (hsize_t)j->ncell + 1) &&
        put(j, "Types", H5T_STD_U8LE, H5T_NATIVE_UCHAR, (hsize_t)j->ncell, 0, type, NULL) &&
        put(j, "CellData/part", H5T_STD_I32LE, H5T_NATIVE_INT, (hsize_t)j->ncell, 0, owner, NULL) && put_names(j);
  return TN_OK;
}

static hsize_t rows_of(const job *j, const array *a) { return (hsize_t)(a->cells ? j->ncell : j->npoint); }

static bool make_arrays(job *j, hsize_t nframe) {
  bool ok = true;
  for (int i = 0; i < j->narray && ok; i++) {
    array *a = &j->array[i];
    char path[300];
    snprintf(path, sizeof(path), "%s%.200s", i == 0 ? "Points" : a->cells ? "CellData/" : "PointData/", a->name);
    hsize_t n = rows_of(j, a)*(i == 0 && !j->moves ? 1 : nframe);
    ok = put(j, path, a->single && i > 0 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, n,
             a->ncomponent > 1 ? (hsize_t)a->ncomponent : 0, NULL, &a->set);
  }
  return ok;
}

/* the numbers of an array at the time of j->row */
static void gather(job *j, int i) {
  const array *a = &j->array[i];
  for (int p = 0; p < j->npart; p++) {
    const part *b = &j->part[p];
    size_t first = (size_t)(a->cells ? b->cell : b->point)*(size_t)a->ncomponent;
    size_t n = (size_t)(a->cells ? b->ncell : b->npoint)*(size_t)a->ncomponent;
    double *to = j->value + first;
    if (a->from[p] >= 0) memcpy(to, j->row + a->from[p], n*sizeof(double));
    else if (i == 0) memcpy(to, j->x + first, n*sizeof(double));
    else for (size_t k = 0; k < n; k++) to[k] = NAN;
  }
}

static bool put_frame(job *j, long frame) {
  bool ok = true;
  for (int i = 0; i < j->narray && ok; i++) {
    const array *a = &j->array[i];
    if (i == 0 && !j->moves && frame > 0) continue;
    hsize_t n = rows_of(j, a), start[2] = {(hsize_t)frame*n, 0}, count[2] = {n, (hsize_t)a->ncomponent};
    int rank = a->ncomponent > 1 ? 2 : 1;
    if (n == 0) continue;
    gather(j, i);
    hid_t space = H5Dget_space(a->set), memory = -1;
    ok = note(j, space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                   (memory = H5Screate_simple(rank, count, NULL)) >= 0 &&
                   H5Dwrite(a->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, j->value) >= 0);
    tni_h5_close(&memory);
    tni_h5_close(&space);
  }
  return ok;
}

/* where every step begins in every array */
static tn_status put_steps(job *j, long nframe, const double *t, bool *ok) {
  static const char *const still[] = {"Steps/PartOffsets", "Steps/CellOffsets", "Steps/ConnectivityIdOffsets",
                                      "Steps/CellDataOffsets/part"};
  int64_t *at, n = nframe;
  char path[300];
  hid_t steps = -1;
  TNI_ARENA_NEW(&j->arena, at, nframe);
  *ok = put(j, "Steps/Values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (hsize_t)nframe, 0, t, NULL) &&
        note(j, (steps = H5Gopen2(j->group, "Steps", H5P_DEFAULT)) >= 0) && put_attribute(j, steps, "NSteps", &n, 1);
  tni_h5_close(&steps);
  for (int i = 0; i < TNI_COUNT(still) && *ok; i++) *ok = put_longs(j, still[i], at, (hsize_t)nframe);
  for (long i = 0; i < nframe; i++) at[i] = 1;
  *ok = *ok && put_longs(j, "Steps/NumberOfParts", at, (hsize_t)nframe);
  for (int i = 0; i < j->narray && *ok; i++) {
    const array *a = &j->array[i];
    for (long k = 0; k < nframe; k++) at[k] = i == 0 && !j->moves ? 0 : (int64_t)k*(int64_t)rows_of(j, a);
    snprintf(path, sizeof(path), "Steps/%s%.200s",
             i == 0 ? "PointOffsets" : a->cells ? "CellDataOffsets/" : "PointDataOffsets/", a->name);
    *ok = put_longs(j, path, at, (hsize_t)nframe);
  }
  return TN_OK;
}

static tn_status put_all(job *j, long first, long nframe, bool steps, bool *ok) {
  double *t;
  *ok = false;
  TNI_ARENA_NEW(&j->arena, t, nframe);
  TN_TRY(tni_results_read_times(j->r, first, nframe, t));
  if (!put_kind(j, steps)) return TN_OK;
  TN_TRY(put_cells(j, ok));
  if (!*ok || !(*ok = make_arrays(j, (hsize_t)nframe))) return TN_OK;
  for (long i = 0; i < nframe && *ok; i++) {
    TN_TRY(tni_results_read_row(j->r, first + i, j->row));
    *ok = put_frame(j, i);
  }
  return *ok && steps ? put_steps(j, nframe, t, ok) : TN_OK;
}

tn_status tni_results_nearest(tni_reader *r, double time, long *row) {
  tn_ctx *ctx = tni_reader_ctx(r);
  long n = tni_results_ntime(r), best = 0;
  double *t = tni_doubles(ctx, (size_t)n);
  if (!t) return tni_out_of_memory(ctx);
  tn_status st = tni_results_read_times(r, 0, n, t);
  for (long i = 1; i < n && st == TN_OK; i++)
    if (fabs(t[i] - time) < fabs(t[best] - time)) best = i;
  double slack = st == TN_OK && n > 1 ? fabs(t[n-1] - t[0])/(double)(n - 1) : 0;
  if (st == TN_OK && !(fabs(t[best] - time) <= slack))
    st = TN_FAIL(ctx, TN_ERR_ARGUMENT, "results '%s': nothing is stored at t = %g s, only from %g to %g s",
                 tni_reader_path(r), time, t[0], t[n-1]);
  *row = best;
  tni_free(ctx, t);
  return st;
}

/* the results themselves must not be written over */
static bool same_file(const char *a, const char *b) {
  struct stat sa, sb;
  return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static tn_status write_file(job *j, const char *path, long first, long nframe, bool steps) {
  tn_ctx *ctx = j->arena.ctx;
  tni_file_place place;
  TN_TRY(tni_file_place_find(&j->arena, path, &place));
  TN_REQUIRE(ctx, !place.through, TN_ERR_IO, "'%s': is not a regular file", path);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = note(j, (j->file = H5Fcreate(place.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) >= 0 &&
                      (j->group = H5Gcreate2(j->file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
  tn_status st = ok ? put_all(j, first, nframe, steps, &ok) : TN_OK;
  for (int i = 0; i < j->narray; i++) tni_h5_close(&j->array[i].set);
  tni_h5_close(&j->group);
  if (j->file >= 0) ok = note(j, H5Fclose(j->file) >= 0) && ok;
  tni_h5_leave(&quiet);
  if (tni_file_place_close(&place, st == TN_OK && ok) != 0) ok = (snprintf(j->reason, sizeof(j->reason), "cannot be renamed"), false);
  if (st == TN_OK && !ok) st = TN_FAIL(ctx, TN_ERR_IO, "'%s': %s", path, j->reason);
  return st;
}

tn_status tni_results_export_vtk(tni_reader *r, const char *path, const double *time) {
  tn_ctx *ctx = tni_reader_ctx(r);
  long first = 0, nframe = tni_results_ntime(r);
  TN_REQUIRE(ctx, nframe > 0, TN_ERR_ARGUMENT, "results '%s': no time is stored", tni_reader_path(r));
  TN_REQUIRE(ctx, !same_file(path, tni_reader_path(r)), TN_ERR_ARGUMENT, "'%s' is the results file itself", path);
  if (time) TN_TRY(tni_results_nearest(r, *time, &first));
  if (time) nframe = 1;
  if (!tni_has_memory(TNI_H5_OPEN_ROOM)) return tni_out_of_memory(ctx);
  job j = {.r = r, .info = tni_results_get_info(r), .file = -1, .group = -1};
  tni_arena_init(&j.arena, ctx);
  tn_status st = list_parts(&j);
  if (st == TN_OK) st = write_file(&j, path, first, nframe, !time);
  tni_arena_clear(&j.arena);
  return st;
}
