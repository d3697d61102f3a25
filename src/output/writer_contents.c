/* output/writer_contents.c - what a results file has before its first row
 *
 * Attributes, texts, the table of channels and its views, meshes, and the datasets that are going to grow. Whatever
 * is wrong with the names and sizes of channels and fields is said here, before there is a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "output/writer.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_COUNTED = 16 }; /* components that are stored as a range of numbers */

/* ---- small pieces of a file ---- */

static bool put_text_attribute(tni_writer *w, hid_t object, const char *name,
                               const char *const *text, int ntext) {
  size_t size = 1;
  for (int i = 0; i < ntext; i++)
    if (strlen(text[i]) > size) size = strlen(text[i]);
  char *padded = tni_alloc(w->ctx, (size_t)ntext, size);
  if (!padded) {
    w->no_memory = true;
    return false;
  }
  for (int i = 0; i < ntext; i++) memcpy(padded + (size_t)i*size, text[i], strlen(text[i]));
  hsize_t dims[1] = {(hsize_t)ntext};
  hid_t type = tni_h5_text_type(size), attribute = -1;
  hid_t space = ntext == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
  bool ok = note(w, type >= 0 && space >= 0 &&
                      (attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT,
                                              H5P_DEFAULT)) >= 0 &&
                      H5Awrite(attribute, type, padded) >= 0);
  tni_h5_close(&attribute);
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_free(w->ctx, padded);
  return ok;
}

static bool put_root_attributes(tni_writer *w, const tni_results_info *info) {
  char created[32] = "";
  time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &utc);
  const char *const texts[][2] = {{"format", TNI_FORMAT},
                                  {"tenon_version", tn_version()},
                                  {"title", info->title ? info->title : ""},
                                  {"created", created}};
  for (int i = 0; i < TNI_COUNT(texts); i++)
    if (!put_text_attribute(w, w->file, texts[i][0], &texts[i][1], 1)) return false;
  int version = w->nframes ? TNI_FORMAT_VERSION : TNI_FORMAT_PLAIN;
  hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
  bool ok = note(w, space >= 0 &&
                      (attribute = H5Acreate2(w->file, "format_version", H5T_STD_I32LE, space,
                                              H5P_DEFAULT, H5P_DEFAULT)) >= 0 &&
                      H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
  tni_h5_close(&attribute);
  tni_h5_close(&space);
  return ok;
}

/* creation list of a link: groups on the way are made, names are UTF-8 */
static hid_t link_list(void) {
  hid_t list = H5Pcreate(H5P_LINK_CREATE);
  if (list >= 0 && (H5Pset_create_intermediate_group(list, 1) < 0 ||
                    H5Pset_char_encoding(list, H5T_CSET_UTF8) < 0))
    tni_h5_close(&list);
  return list;
}

/* creation list of a dataset: no time stamps, so that equal runs give equal bytes */
static hid_t dataset_list(void) {
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list >= 0 && H5Pset_obj_track_times(list, 0) < 0) tni_h5_close(&list);
  return list;
}

/* A scalar text dataset of fixed size. Its room is written at once: it can be overwritten later
 * without changing anything else in the file. */
static bool put_text(tni_writer *w, const char *name, const char *text, size_t size, hid_t *keep) {
  size_t length = strlen(text);
  if (size == 0) size = length ? length : 1;
  char *padded = tni_arena_alloc(&w->arena, size, 1);
  if (!padded) {
    w->no_memory = true;
    return false;
  }
  memcpy(padded, text, length < size ? length : size);
  hid_t type = tni_h5_text_type(size), space = H5Screate(H5S_SCALAR), links = link_list();
  hid_t list = dataset_list(), set = -1;
  bool ok = note(w, type >= 0 && space >= 0 && links >= 0 && list >= 0 &&
                      H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
                      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
                      (set = H5Dcreate2(w->file, name, type, space, links, list, H5P_DEFAULT)) >= 0 &&
                      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0);
  if (ok && keep) {
    *keep = set;
    set = -1;
  }
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  tni_h5_close(&type);
  return ok;
}

/* A dataset of numbers that grows by rows; ncolumn 0: one number per row, no second dimension. for_crew: its chunks have their places in the
 * file as soon as it has grown (crew.h). */
static hid_t make_growing(tni_writer *w, const char *name, hsize_t ncolumn, hsize_t chunk_rows,
                          hsize_t chunk_columns, bool for_crew) {
  int rank = ncolumn ? 2 : 1;
  hsize_t dims[2] = {0, ncolumn}, limits[2] = {H5S_UNLIMITED, ncolumn};
  hsize_t chunk[2] = {chunk_rows, chunk_columns};
  double fill = NAN;
  /* the chunks of one block must fit the cache together, and no two share a slot */
  hsize_t across = ncolumn ? (ncolumn + chunk_columns - 1)/chunk_columns : 1;
  size_t bytes = (size_t)((across + 1)*chunk_rows*(ncolumn ? chunk_columns : 1))*sizeof(double);
  hid_t space = H5Screate_simple(rank, dims, limits), links = link_list(), list = dataset_list();
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS), set = -1;
  note(w, space >= 0 && links >= 0 && list >= 0 && access >= 0 &&
            H5Pset_chunk(list, rank, chunk) >= 0 &&
            H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
            (!for_crew || (H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)) &&
            H5Pset_chunk_cache(access, (size_t)(8*across + 521), bytes, 1.0) >= 0 &&
            (set = H5Dcreate2(w->file, name, H5T_IEEE_F64LE, space, links, list, access)) >= 0);
  tni_h5_close(&access);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  return set;
}

/* a list of texts of one size */
static bool put_texts(tni_writer *w, const char *name, const char *const *text, int n) {
  size_t size = 1;
  for (int i = 0; i < n; i++)
    if (strlen(text[i]) > size) size = strlen(text[i]);
  char *padded = tni_alloc(w->ctx, (size_t)n, size);
  if (!padded) {
    w->no_memory = true;
    return false;
  }
  for (int i = 0; i < n; i++) memcpy(padded + (size_t)i*size, text[i], strlen(text[i]));
  hsize_t dims[1] = {(hsize_t)n};
  hid_t type = tni_h5_text_type(size), space = H5Screate_simple(1, dims, NULL), links = link_list();
  hid_t list = dataset_list(), set = -1;
  bool ok = note(w, type >= 0 && space >= 0 && links >= 0 && list >= 0 &&
                      (set = H5Dcreate2(w->file, name, type, space, links, list, H5P_DEFAULT)) >= 0 &&
                      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0);
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_free(w->ctx, padded);
  return ok;
}

static bool put_events(tni_writer *w, const tni_results_info *info) {
  if (info->nelement == 0) return true;
  return put_texts(w, TNI_H5_EVENT_ELEMENTS, info->element, info->nelement) &&
         put_texts(w, TNI_H5_EVENT_KINDS, info->kind, info->nkind) &&
         (w->event_time = make_growing(w, TNI_H5_EVENT_TIME, 0, TNI_CHUNK_TIMES, 0, false)) >= 0 &&
         (w->event_values = make_growing(w, TNI_H5_EVENT_VALUES, TNI_EVENT_NVALUE, TNI_CHUNK_TIMES,
                                         TNI_EVENT_NVALUE, false)) >= 0 &&
         put_text_attribute(w, w->event_values, "columns", tni_event_column, TNI_EVENT_NVALUE) &&
         put_text_attribute(w, w->event_values, "units", tni_event_unit, TNI_EVENT_NVALUE);
}

/* ---- channels ---- */

static const char *or_empty(const char *text) { return text ? text : ""; }

/* why this path cannot name a dataset, NULL if it can */
static const char *bad_name(const char *name) {
  if (!name || !name[0]) return "the name is empty";
  for (const char *part = name;;) {
    size_t n = strcspn(part, "/");
    if (n == 0) return "a part between slashes is empty";
    if ((n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
      return "'.' and '..' cannot be names";
    if (!part[n]) return NULL;
    part += n + 1;
  }
}

/* order of paths in which "rod/x" comes right after "rod": the slash below everything else */
static int compare_paths(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  int ka = *a == '/' ? 1 : *a ? 2 + (unsigned char)*a : 0;
  int kb = *b == '/' ? 1 : *b ? 2 + (unsigned char)*b : 0;
  return ka - kb;
}

static int compare_channels(const void *a, const void *b) {
  const tni_channel *ca = *(const tni_channel *const *)a, *cb = *(const tni_channel *const *)b;
  int order = strcmp(ca->group, cb->group);
  return order ? order : compare_paths(ca->name, cb->name);
}

/* No name twice, and none that is a channel and a folder of channels. */
static tn_status check_names_differ(tn_ctx *ctx, const char *path, const tni_results_info *info) {
  int n = info->nchannel;
  const tni_channel **sorted = tni_alloc(ctx, (size_t)n, sizeof(*sorted));
  if (!sorted) return tni_out_of_memory(ctx);
  for (int i = 0; i < n; i++) sorted[i] = &info->channel[i];
  qsort(sorted, (size_t)n, sizeof(*sorted), compare_channels);
  tn_status st = TN_OK;
  for (int i = 1; i < n && st == TN_OK; i++) {
    const tni_channel *a = sorted[i-1], *b = sorted[i];
    size_t length = strlen(a->name);
    if (strcmp(a->group, b->group) != 0 || strncmp(a->name, b->name, length) != 0) continue;
    if (!b->name[length])
      st = TN_FAIL(ctx, TN_ERR_ARGUMENT, "results '%s': channel '%s/%s' is there twice", path,
                   a->group, a->name);
    else if (b->name[length] == '/')
      st = TN_FAIL(ctx, TN_ERR_ARGUMENT,
                   "results '%s': '%s/%s' cannot be a channel, because '%s/%s' is one", path,
                   a->group, a->name, b->group, b->name);
  }
  tni_free(ctx, sorted);
  return st;
}

static const char *bad_channel(const tni_channel *c) {
  static const char *const taken[] = {TNI_H5_TIME, TNI_H5_DATA,    TNI_H5_CHANNELS, "model",
                                      "settings",  TNI_H5_SUMMARY, TNI_H5_OUTCOME,  "checkpoints",
                                      "steps",     "scene",        TNI_H5_VERDICT,  "events",
                                      TNI_H5_FIELDS, TNI_H5_MESHES};
  const char *bad = bad_name(c->group);
  if (!bad) bad = bad_name(c->name);
  if (bad) return bad;
  if (strchr(c->group, '/')) return "the group contains '/'";
  for (int k = 0; k < TNI_COUNT(taken); k++)
    if (strcmp(c->group, taken[k]) == 0) return "the group's name is taken by the file itself";
  if (c->ncomponent < 1) return "no component";
  if (c->ncomponent > 1 && !c->component) return "several components without names";
  for (int k = 0; c->component && k < c->ncomponent; k++)
    if (strchr(c->component[k], ',')) return "a component's name contains ','";
  return NULL;
}

static tn_status check_channels(tn_ctx *ctx, const char *path, const tni_results_info *info,
                                hsize_t *ncolumn) {
  TN_REQUIRE(ctx, info->nchannel > 0, TN_ERR_ARGUMENT, "results '%s': no channel to store", path);
  TN_REQUIRE(ctx, info->ncheckpoint >= 0, TN_ERR_ARGUMENT,
             "results '%s': a checkpoint of %d numbers, must be >= 0", path, info->ncheckpoint);
  *ncolumn = 0;
  for (int i = 0; i < info->nchannel; i++) {
    const tni_channel *c = &info->channel[i];
    const char *bad = bad_channel(c);
    TN_REQUIRE(ctx, !bad, TN_ERR_ARGUMENT, "results '%s': channel '%s/%s': %s", path,
               or_empty(c->group), or_empty(c->name), bad);
    *ncolumn += (hsize_t)c->ncomponent;
  }
  TN_REQUIRE(ctx, *ncolumn <= INT_MAX, TN_ERR_ARGUMENT,
             "results '%s': %llu numbers per row, must be below 2^31", path,
             (unsigned long long)*ncolumn);
  return TN_OK;
}

static bool is_field(const tni_channel *c) { return strcmp(c->group, TNI_H5_FIELDS) == 0; }

/* names in c->component */
static int nname(const tni_channel *c) { return !c->component ? 0 : is_field(c) ? 1 : c->ncomponent; }

/* "0..9999": components that count on, as those of a beam with thousands of elements do. All rows of the
 * table are as long as the longest list. */
static bool counts_on(const tni_channel *c, char text[32]) {
  char number[32];
  int first = nname(c) >= LEAST_COUNTED ? atoi(c->component[0]) : -1;
  for (int k = 0; k < nname(c) && first >= 0; k++) {
    snprintf(number, sizeof(number), "%d", first + k);
    if (strcmp(number, c->component[k]) != 0) first = -1;
  }
  if (first >= 0) snprintf(text, 32, "%d..%d", first, first + c->ncomponent - 1);
  return first >= 0;
}

static size_t joined_length(const tni_channel *c) {
  size_t n = 0;
  char text[32];
  if (counts_on(c, text)) return strlen(text);
  for (int k = 0; k < nname(c); k++) n += strlen(c->component[k]) + (k > 0);
  return n;
}

/* the six texts of a channel as the table stores them; components only for their length */
static void channel_texts(const tni_channel *c, const char *text[TNI_COLUMN_NTEXT],
                          size_t length[TNI_COLUMN_NTEXT]) {
  text[TNI_COLUMN_GROUP] = c->group;
  text[TNI_COLUMN_NAME] = c->name;
  text[TNI_COLUMN_UNIT] = or_empty(c->unit);
  text[TNI_COLUMN_COMPONENTS] = "";
  text[TNI_COLUMN_FRAME] = or_empty(c->frame);
  text[TNI_COLUMN_NOTE] = or_empty(c->note);
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) length[k] = strlen(text[k]);
  length[TNI_COLUMN_COMPONENTS] = joined_length(c);
}

/* one row of the table: texts of fixed size one after the other, then first and count */
static void fill_table_row(const tni_channel *c, const size_t size[TNI_COLUMN_NTEXT], int32_t first,
                           char *row) {
  const char *text[TNI_COLUMN_NTEXT];
  size_t length[TNI_COLUMN_NTEXT];
  channel_texts(c, text, length);
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) {
    if (k != TNI_COLUMN_COMPONENTS) memcpy(row, text[k], length[k]);
    char *to = row, counted[32];
    bool list = k == TNI_COLUMN_COMPONENTS && !counts_on(c, counted);
    if (k == TNI_COLUMN_COMPONENTS && !list) memcpy(to, counted, strlen(counted));
    for (int j = 0; list && j < nname(c); j++) {
      size_t n = strlen(c->component[j]);
      if (j) *to++ = ',';
      memcpy(to, c->component[j], n);
      to += n;
    }
    row += size[k];
  }
  int32_t count = c->ncomponent;
  memcpy(row, &first, sizeof(first));
  memcpy(row + sizeof(first), &count, sizeof(count));
}

/* the type of a row; in memory and in the file the same apart from the order of bytes */
static hid_t table_type(const size_t size[TNI_COLUMN_NTEXT], size_t bytes, hid_t integer) {
  hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
  size_t offset = 0;
  bool ok = type >= 0;
  for (int k = 0; k < TNI_COLUMN_NTEXT && ok; k++) {
    hid_t text = tni_h5_text_type(size[k]);
    ok = text >= 0 && H5Tinsert(type, tni_h5_column[k], offset, text) >= 0;
    offset += size[k];
    tni_h5_close(&text);
  }
  ok = ok && H5Tinsert(type, TNI_H5_FIRST, offset, integer) >= 0 &&
       H5Tinsert(type, TNI_H5_COUNT, offset + 4, integer) >= 0;
  if (!ok) tni_h5_close(&type);
  return type;
}

/* ---- meshes and fields ---- */

/* A field is a wide channel of the table: group "fields", name "<mesh>/<field>", and in the column of the components
 * "x,y,z*101 nodes", what a node has and how many there are. */
static tn_status field_channel(tni_writer *w, const tni_results_info *info, const tni_field *f, tni_channel *out) {
  const tni_mesh_info *m = &info->mesh[f->mesh];
  tni_text names;
  tni_text_init(&names, w->ctx);
  for (int k = 0; k < f->ncomponent && f->component; k++) tni_text_add(&names, "%s%s", k ? "," : "", f->component[k]);
  char *name = tni_arena_printf(&w->arena, "%s/%s", m->name, f->name);
  const char **packed = tni_arena_alloc(&w->arena, 1, sizeof(*packed));
  if (packed)
    packed[0] = tni_arena_printf(&w->arena, "%s*%d %s", names.s ? names.s : "", f->cells ? m->ncell : m->nnode,
                                 f->cells ? "cells" : "nodes");
  bool failed = names.failed;
  tni_text_free(&names);
  if (failed || !name || !packed || !packed[0]) return tni_out_of_memory(w->ctx);
  *out = (tni_channel){TNI_H5_FIELDS, name, f->unit, tni_field_size(info, f), packed, f->frame, f->note};
  return TN_OK;
}

static tn_status check_field(tn_ctx *ctx, const char *path, const tni_results_info *info, const tni_field *f) {
  const char *mesh = f->mesh >= 0 && f->mesh < info->nmesh ? info->mesh[f->mesh].name : NULL;
  const char *bad = bad_name(mesh);
  if (!bad) bad = bad_name(f->name);
  if (!bad && (strchr(mesh, '/') || strchr(f->name, '/'))) bad = "a name contains '/'";
  if (!bad && (f->ncomponent < 1 || (f->ncomponent > 1 && !f->component))) bad = "no component, or several without names";
  for (int k = 0; !bad && f->component && k < f->ncomponent; k++)
    if (strpbrk(f->component[k], ",*")) bad = "a component's name contains ',' or '*'";
  const tni_mesh_info *m = bad ? NULL : &info->mesh[f->mesh];
  if (!bad && (m->nnode < 1 || (f->cells && m->ncell < 1))) bad = "the mesh is empty";
  if (!bad && (long long)(f->cells ? m->ncell : m->nnode)*f->ncomponent > INT_MAX) bad = "2^31 numbers or more";
  if (!bad && !f->apart && f != info->field && f[-1].apart) bad = "comes after a field with a dataset of its own";
  if (!bad && f->single && !f->apart) bad = "single precision needs a dataset of its own";
  for (int i = 0; !bad && i < m->ncell; i++)
    if (tni_cell_nnode(m->type[i]) == 0) bad = "a cell of a kind that is not known";
  TN_REQUIRE(ctx, !bad, TN_ERR_ARGUMENT, "results '%s': field '%s/%s': %s", path, or_empty(mesh), or_empty(f->name), bad);
  return TN_OK;
}

static bool put_integers(tni_writer *w, const char *path, int n, hid_t stored, hid_t native, const void *values) {
  hsize_t dims[1] = {(hsize_t)n};
  hid_t space = H5Screate_simple(1, dims, NULL), links = link_list(), list = dataset_list(), set = -1;
  bool ok = note(w, space >= 0 && links >= 0 && list >= 0 &&
                      (set = H5Dcreate2(w->file, path, stored, space, links, list, H5P_DEFAULT)) >= 0 &&
                      H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  return ok;
}

static bool put_numbers(tni_writer *w, const tni_table *t);

static bool put_mesh(tni_writer *w, const tni_mesh_info *m) {
  char path[256];
  int nconnect = 0;
  for (int i = 0; i < m->ncell; i++) nconnect += tni_cell_nnode(m->type[i]);
  int64_t *gid = tni_alloc(w->ctx, (size_t)m->nnode, sizeof(*gid));
  if (!gid) {
    w->no_memory = true;
    return false;
  }
  for (int i = 0; i < m->nnode; i++) gid[i] = m->gid ? m->gid[i] : i;
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/x", m->name);
  bool ok = put_numbers(w, &(tni_table){path, "m", m->nnode, 3, m->x, 0});
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/gid", m->name);
  ok = ok && put_integers(w, path, m->nnode, H5T_STD_I64LE, H5T_NATIVE_INT64, gid);
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/cells", m->name);
  ok = ok && (m->ncell == 0 || put_integers(w, path, nconnect, H5T_STD_I32LE, H5T_NATIVE_INT, m->cell));
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/types", m->name);
  ok = ok && (m->ncell == 0 || put_integers(w, path, m->ncell, H5T_STD_U8LE, H5T_NATIVE_UCHAR, m->type));
  snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/bodies", m->name);
  ok = ok && (!m->body || put_texts(w, path, m->body, m->nnode));
  if (m->ngroup > 0) {
    snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/groups", m->name);
    ok = ok && put_texts(w, path, m->group, m->ngroup);
    snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/group_first", m->name);
    ok = ok && put_integers(w, path, m->ngroup + 1, H5T_STD_I32LE, H5T_NATIVE_INT, m->group_first);
    snprintf(path, sizeof(path), TNI_H5_MESHES "/%.200s/group_nodes", m->name);
    ok = ok && put_integers(w, path, m->group_first[m->ngroup], H5T_STD_I32LE, H5T_NATIVE_INT, m->group_node);
  }
  tni_free(w->ctx, gid);
  return ok;
}

/* ---- the table and the views ---- */

static bool put_table(tni_writer *w, const tni_results_info *info) {
  size_t size[TNI_COLUMN_NTEXT] = {1, 1, 1, 1, 1, 1}, length[TNI_COLUMN_NTEXT];
  const char *text[TNI_COLUMN_NTEXT];
  for (int i = 0; i < info->nchannel; i++) {
    channel_texts(&info->channel[i], text, length);
    for (int k = 0; k < TNI_COLUMN_NTEXT; k++)
      if (length[k] > size[k]) size[k] = length[k];
  }
  size_t bytes = 8;
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) bytes += size[k];
  char *rows = tni_alloc(w->ctx, (size_t)info->nchannel, bytes);
  if (!rows) {
    w->no_memory = true;
    return false;
  }
  int32_t first = 0;
  int in_rows = info->nchannel - w->nframes; /* what lies apart has no column */
  for (int i = 0; i < info->nchannel; i++) {
    fill_table_row(&info->channel[i], size, i < in_rows ? first : -1, rows + (size_t)i*bytes);
    first += info->channel[i].ncomponent;
  }
  hsize_t dims[1] = {(hsize_t)info->nchannel};
  hid_t stored = table_type(size, bytes, H5T_STD_I32LE);
  hid_t memory = table_type(size, bytes, H5T_NATIVE_INT32);
  hid_t space = H5Screate_simple(1, dims, NULL), list = dataset_list(), set = -1;
  bool ok = note(w, stored >= 0 && memory >= 0 && space >= 0 && list >= 0 &&
                      (set = H5Dcreate2(w->file, TNI_H5_CHANNELS, stored, space, H5P_DEFAULT, list,
                                        H5P_DEFAULT)) >= 0 &&
                      H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&space);
  tni_h5_close(&memory);
  tni_h5_close(&stored);
  tni_free(w->ctx, rows);
  return ok;
}

static bool put_view_attributes(tni_writer *w, hid_t view, const tni_channel *c) {
  const char *unit = or_empty(c->unit), *none = "";
  if (!put_text_attribute(w, view, "unit", &unit, 1)) return false;
  if (!put_text_attribute(w, view, "components", c->component ? c->component : &none,
                          c->component ? c->ncomponent : 1))
    return false;
  if (c->frame && !put_text_attribute(w, view, "frame", &c->frame, 1)) return false;
  return !c->note || put_text_attribute(w, view, "note", &c->note, 1);
}

/* /<group>/<name> as columns first..first+ncomponent-1 of /data, however long that becomes; of a field f with
 * three dimensions */
static bool put_view(tni_writer *w, hid_t links, const tni_channel *c, const tni_field *f, hsize_t first) {
  hsize_t n = (hsize_t)c->ncomponent, nplace = f ? n/(hsize_t)f->ncomponent : n, each = f ? (hsize_t)f->ncomponent : 1;
  int rank = f ? 3 : 2;
  hsize_t dims[3] = {0, nplace, each}, limits[3] = {H5S_UNLIMITED, nplace, each};
  hsize_t source_dims[2] = {0, w->ncolumn}, source_limits[2] = {H5S_UNLIMITED, w->ncolumn};
  hsize_t start[3] = {0, 0, 0}, source_start[2] = {0, first}, stride[3] = {1, 1, 1};
  hsize_t count[3] = {H5S_UNLIMITED, 1, 1}, piece[3] = {1, nplace, each}, source_piece[2] = {1, n};
  double fill = NAN;
  hid_t list = dataset_list(), view = -1, group = -1;
  hid_t space = H5Screate_simple(rank, dims, limits);
  hid_t source = H5Screate_simple(2, source_dims, source_limits);
  bool ok = note(
    w, list >= 0 && space >= 0 && source >= 0 &&
         (group = H5Gopen2(w->file, c->group, H5P_DEFAULT)) >= 0 &&
         H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, piece) >= 0 &&
         H5Sselect_hyperslab(source, H5S_SELECT_SET, source_start, stride, count, source_piece) >= 0 &&
         H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
         H5Pset_virtual(list, space, ".", "/" TNI_H5_DATA, source) >= 0 &&
         (view = H5Dcreate2(group, c->name, H5T_IEEE_F64LE, space, links, list, H5P_DEFAULT)) >= 0);
  tni_channel plain = *c;
  if (f) plain.component = f->component, plain.ncomponent = f->ncomponent;
  const char *on = f && f->cells ? "cells" : "nodes";
  ok = ok && put_view_attributes(w, view, &plain) && (!f || put_text_attribute(w, view, "on", &on, 1));
  tni_h5_close(&view);
  tni_h5_close(&group);
  tni_h5_close(&source);
  tni_h5_close(&space);
  tni_h5_close(&list);
  return ok;
}

/* fields apart: they grow as /data does */
static bool put_frames(tni_writer *w, const tni_results_info *info) {
  bool ok = true;
  for (int i = 0; i < w->nframes && ok; i++) {
    const tni_field *f = &info->field[info->nfield - w->nframes + i];
    tni_channel c = info->channel[info->nchannel - w->nframes + i];
    char *path = tni_arena_printf(&w->arena, "%s/%s", c.group, c.name);
    if (!path) {
      w->no_memory = true;
      return false;
    }
    hid_t links = link_list(), list = dataset_list();
    const char *on = f->cells ? "cells" : "nodes";
    w->frames[i].each = (hsize_t)f->ncomponent;
    w->frames[i].writers = w->crew ? info->writers : 0;
    w->frames[i].nplace = (hsize_t)(c.ncomponent/f->ncomponent);
    ok = note(w, links >= 0 && list >= 0 &&
                   tni_frames_create(w->file, path, links, list, f->single, &w->frames[i]));
    c.component = f->component, c.ncomponent = f->ncomponent;
    ok = ok && put_view_attributes(w, w->frames[i].set, &c) &&
         put_text_attribute(w, w->frames[i].set, "on", &on, 1);
    tni_h5_close(&list);
    tni_h5_close(&links);
  }
  return ok;
}

static bool put_views(tni_writer *w, const tni_results_info *info) {
  hid_t links = link_list();
  hsize_t first = 0;
  bool ok = note(w, links >= 0);
  for (int i = 0; i < info->nchannel - w->nframes && ok; i++) {
    const tni_channel *c = &info->channel[i];
    if (H5Lexists(w->file, c->group, H5P_DEFAULT) <= 0) {
      hid_t group = H5Gcreate2(w->file, c->group, links, H5P_DEFAULT, H5P_DEFAULT);
      ok = note(w, group >= 0);
      tni_h5_close(&group);
    }
    /* fields come last */
    const tni_field *f = is_field(c) ? &info->field[i - (info->nchannel - info->nfield)] : NULL;
    ok = ok && put_view(w, links, c, f, first);
    first += (hsize_t)c->ncomponent;
  }
  tni_h5_close(&links);
  return ok;
}

static bool put_numbers(tni_writer *w, const tni_table *t) {
  hsize_t dims[3] = {(hsize_t)t->nrow, (hsize_t)t->ncolumn, (hsize_t)t->nlayer};
  const char *unit = or_empty(t->unit);
  hid_t space = H5Screate_simple(t->nlayer ? 3 : t->ncolumn ? 2 : 1, dims, NULL), links = link_list();
  hid_t list = dataset_list(), set = -1;
  bool ok = note(w, space >= 0 && links >= 0 && list >= 0 &&
                      (set = H5Dcreate2(w->file, t->path, H5T_IEEE_F64LE, space, links, list,
                                        H5P_DEFAULT)) >= 0 &&
                      (t->nrow == 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                H5P_DEFAULT, t->values) >= 0));
  ok = ok && put_text_attribute(w, set, "unit", &unit, 1);
  tni_h5_close(&set);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  return ok;
}

/* ---- all of it ---- */

/* info with its fields as further channels */
static tn_status widen(tni_writer *w, const tni_results_info *info, tni_results_info *out) {
  tni_channel *all;
  *out = *info;
  if (info->nfield == 0) return TN_OK;
  TNI_ARENA_NEW(&w->arena, all, info->nchannel + info->nfield);
  memcpy(all, info->channel, (size_t)info->nchannel*sizeof(*all));
  for (int i = 0; i < info->nfield; i++) TN_TRY(field_channel(w, info, &info->field[i], &all[info->nchannel + i]));
  out->channel = all;
  out->nchannel = info->nchannel + info->nfield;
  return TN_OK;
}

tn_status tni_contents_prepare(tni_writer *w, const tni_results_info *given, tni_results_info *wide) {
  const char *path = w->path;
  for (int i = 0; i < given->nfield; i++) TN_TRY(check_field(w->ctx, path, given, &given->field[i]));
  TN_TRY(check_channels(w->ctx, path, given, &w->ncolumn));
  TN_TRY(widen(w, given, wide));
  hsize_t apart = 0;
  int nframes = 0;
  for (int i = 0; i < given->nfield; i++) {
    nframes += given->field[i].apart;
    *(given->field[i].apart ? &apart : &w->ncolumn) += (hsize_t)tni_field_size(given, &given->field[i]);
  }
  TN_REQUIRE(w->ctx, w->ncolumn + apart <= INT_MAX, TN_ERR_ARGUMENT,
             "results '%s': %llu numbers per row, must be below 2^31", path, (unsigned long long)(w->ncolumn + apart));
  TNI_ARENA_NEW(&w->arena, w->frames, nframes);
  for (; w->nframes < nframes; w->nframes++) w->frames[w->nframes].set = -1;
  TN_TRY(check_names_differ(w->ctx, path, wide));
  return TN_OK;
}

bool tni_contents_create(tni_writer *w, const tni_results_info *info) {
  hsize_t columns = w->ncolumn < TNI_CHUNK_COLUMNS ? w->ncolumn : TNI_CHUNK_COLUMNS;
  bool ok = put_root_attributes(w, info) &&
            put_text(w, TNI_H5_MODEL_TEXT, or_empty(info->model_text), 0, NULL) &&
            put_text(w, TNI_H5_MODEL_NAME, or_empty(info->model_name), 0, NULL) &&
            put_text(w, TNI_H5_SETTINGS, info->settings ? info->settings : "{}", 0, NULL) &&
            (!info->scene || put_text(w, TNI_H5_SCENE, info->scene, 0, NULL)) &&
            put_text(w, TNI_H5_SUMMARY, "", TNI_SUMMARY_MAX, &w->summary) &&
            put_text(w, TNI_H5_VERDICT, "", TNI_VERDICT_MAX, &w->verdict) &&
            put_text(w, TNI_H5_OUTCOME, "running", TNI_OUTCOME_MAX, &w->outcome) &&
            put_table(w, info) &&
            (w->time = make_growing(w, TNI_H5_TIME, 0, TNI_CHUNK_TIMES, 0, false)) >= 0 &&
            (w->data = make_growing(w, TNI_H5_DATA, w->ncolumn, w->block, columns, false)) >= 0 &&
            (w->step_time = make_growing(w, TNI_H5_STEP_TIME, 0, TNI_CHUNK_TIMES, 0, false)) >= 0 &&
            (w->step_size = make_growing(w, TNI_H5_STEP_SIZE, 0, TNI_CHUNK_TIMES, 0, false)) >= 0 &&
            put_events(w, info);
  if (ok && w->state_size) {
    hsize_t part = w->state_size < TNI_CHUNK_STATE ? w->state_size : TNI_CHUNK_STATE;
    w->check_time = make_growing(w, TNI_H5_CHECKPOINT_TIME, 0, TNI_CHUNK_TIMES, 0, false);
    w->check_state = make_growing(w, TNI_H5_CHECKPOINT_STATE, w->state_size, 1, part, w->crew_states);
    ok = w->check_time >= 0 && w->check_state >= 0;
  }
  for (int i = 0; i < info->nmesh && ok; i++) ok = put_mesh(w, &info->mesh[i]);
  if (ok && info->nchannel <= TNI_VIEWS_MAX) ok = put_views(w, info);
  ok = ok && put_frames(w, info);
  for (int i = 0; i < info->ntable && ok; i++) ok = put_numbers(w, &info->table[i]);
  ok = ok && note(w, H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0 && H5Fstart_swmr_write(w->file) >= 0);
  tni_sink_wait(&w->sink);
  w->head = w->sink.size;
  return ok;
}
