/* output/writer.c - writes a results file
 *
 * All numbers go into two datasets that grow, /data [n][ncolumn] and /time [n]; the datasets with
 * the names of the channels are views of columns of /data (HDF5 virtual datasets). One dataset per
 * channel would cost a write and its bookkeeping per channel and block, which with thousands of
 * channels takes longer than the run.
 *
 * Order of writes: /data, then /time, each flushed to the operating system before the next starts.
 * The length of /time therefore never promises a row that is not in the file. The fill value is
 * NaN, so that a length that reached the disk before its numbers can be told too.
 *
 * The file gets its final name (seat.h) when all datasets exist and the single-writer-multiple-reader
 * mode is on. Whether it is still there and still ours is asked at every flush.
 *
 * Texts have a fixed size everywhere. Texts of variable length lie in HDF5's global heap, which has no
 * checksum, and a damaged heap sends every reader into an endless loop.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "output/results.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/frames.h"
#include "output/seat.h"
#include "output/sink.h"

enum {
  CHUNK_NUMBERS = 16*1024, /* in a chunk of /data: 128 KiB                                   */
  CHUNK_COLUMNS = 1024,    /* at most, so that reading one channel does not read all         */
  CHUNK_TIMES = 1024,
  CHUNK_STATE = 16*1024,
  LEAST_COUNTED = 16       /* components that are stored as a range of numbers                 */
};

static const double YOUNG = 0.05; /* s: checkpoints this soon after a flush wait for others */

struct tni_writer {
  tn_ctx *ctx;
  tni_arena arena;
  char *path;      /* as given, for messages                                              */
  tni_seat seat;
  char reason[TNI_REASON_MAX]; /* why the writer failed, "": it did not                   */
  bool no_memory, lost;        /* lost: the file with that name is not ours any more      */
  void *reserve;               /* address space kept free for closing the file, NULL: none */
  tni_sink sink;
  hid_t driver, file, data, time, step_time, step_size, check_time, check_state, summary, outcome, verdict;
  hid_t event_time, event_values;
  hsize_t ncolumn, block;      /* columns of /data, rows in one of its chunks             */
  hsize_t nrow, nbuffered;     /* rows in the file and rows waiting                       */
  double *buffer, *times;      /* [block][ncolumn], [block]                               */
  int nframes;                 /* fields apart, whose numbers follow those of /data       */
  tni_frames *frames;
  hsize_t nstep, nstep_buffered;
  double *step_t, *step_h;     /* [CHUNK_TIMES] steps waiting                             */
  hsize_t nevent, nevent_buffered;
  double *event_t, *event_v;   /* [CHUNK_TIMES], [CHUNK_TIMES][TNI_EVENT_NVALUE] waiting  */
  int nelement;
  int *stored_of;              /* [nelement] events stored of each                        */
  double flush_seconds, flushed_at;
  hsize_t state_size, ncheckpoint, ncheck_buffered, check_room;
  double *check_t, *check_v;   /* [check_room], [check_room][state_size] checkpoints waiting */
  long long head;              /* bytes of the file before the first row                  */
  bool finished;
};

/* ---- failures ---- */

/* remember why HDF5 failed, before anything else is called */
static bool note(tni_writer *w, bool ok) {
  if (!ok && !w->reason[0]) tni_h5_reason(w->reason);
  return ok;
}

/* Status of a stretch of calls. A failure freezes the file as it is: see sink.h. */
static tn_status result(tni_writer *w, bool ok) {
  if (w->sink.damage) snprintf(w->reason, sizeof(w->reason), "%s", w->sink.damage);
  else if (w->sink.error && !w->lost) tni_errno_reason(w->sink.error, w->reason);
  else if (ok && !w->lost) return TN_OK;
  else w->sink.error = EIO;
  if (w->no_memory) return tni_out_of_memory(w->ctx);
  return TN_FAIL(w->ctx, TN_ERR_IO, "results '%s': %s", w->path, w->reason);
}

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

/* A dataset of numbers that grows by rows; ncolumn 0: one number per row, no second dimension. */
static hid_t make_growing(tni_writer *w, const char *name, hsize_t ncolumn, hsize_t chunk_rows,
                          hsize_t chunk_columns) {
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
            H5Pset_chunk_cache(access, (size_t)(8*across + 521), bytes, 1.0) >= 0 &&
            (set = H5Dcreate2(w->file, name, H5T_IEEE_F64LE, space, links, list, access)) >= 0);
  tni_h5_close(&access);
  tni_h5_close(&list);
  tni_h5_close(&links);
  tni_h5_close(&space);
  return set;
}

/* rows first..first+n-1 of a growing dataset, to the operating system */
static bool put_rows(tni_writer *w, hid_t set, hsize_t ncolumn, hsize_t first, hsize_t n,
                     const double *values) {
  int rank = ncolumn ? 2 : 1;
  hsize_t dims[2] = {first + n, ncolumn}, start[2] = {first, 0}, count[2] = {n, ncolumn};
  hid_t space = -1, memory = -1;
  bool ok = note(w, H5Dset_extent(set, dims) >= 0 && (space = H5Dget_space(set)) >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      (memory = H5Screate_simple(rank, count, NULL)) >= 0 &&
                      H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0 &&
                      H5Dflush(set) >= 0);
  tni_h5_close(&memory);
  tni_h5_close(&space);
  return ok;
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
         (w->event_time = make_growing(w, TNI_H5_EVENT_TIME, 0, CHUNK_TIMES, 0)) >= 0 &&
         (w->event_values = make_growing(w, TNI_H5_EVENT_VALUES, TNI_EVENT_NVALUE, CHUNK_TIMES,
                                         TNI_EVENT_NVALUE)) >= 0 &&
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

/* ---- the file ---- */

/* A process that is killed while it writes may have written whole pages of memory, and nothing of the next
 * one. A block of HDF5's own data that is changed in place must therefore lie within one page. */
enum { PAGE = 4096 };

static bool create_file(tni_writer *w) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS), making = H5Pcreate(H5P_FILE_CREATE);
  bool ok = note(w, list >= 0 && making >= 0 &&
                      H5Pset_file_space_strategy(making, H5F_FSPACE_STRATEGY_PAGE, 0, 1) >= 0 &&
                      H5Pset_file_space_page_size(making, PAGE) >= 0 && (w->driver = tni_sink_register()) >= 0 &&
                      tni_sink_select(list, w->driver, &w->sink) >= 0 &&
                      H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
                      H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 &&
                      (w->file = H5Fcreate(w->seat.temporary, H5F_ACC_TRUNC, making, list)) >= 0);
  tni_h5_close(&making);
  tni_h5_close(&list);
  return ok;
}

static bool create_contents(tni_writer *w, const tni_results_info *info) {
  hsize_t columns = w->ncolumn < CHUNK_COLUMNS ? w->ncolumn : CHUNK_COLUMNS;
  bool ok = put_root_attributes(w, info) &&
            put_text(w, TNI_H5_MODEL_TEXT, or_empty(info->model_text), 0, NULL) &&
            put_text(w, TNI_H5_MODEL_NAME, or_empty(info->model_name), 0, NULL) &&
            put_text(w, TNI_H5_SETTINGS, info->settings ? info->settings : "{}", 0, NULL) &&
            (!info->scene || put_text(w, TNI_H5_SCENE, info->scene, 0, NULL)) &&
            put_text(w, TNI_H5_SUMMARY, "", TNI_SUMMARY_MAX, &w->summary) &&
            put_text(w, TNI_H5_VERDICT, "", TNI_VERDICT_MAX, &w->verdict) &&
            put_text(w, TNI_H5_OUTCOME, "running", TNI_OUTCOME_MAX, &w->outcome) &&
            put_table(w, info) &&
            (w->time = make_growing(w, TNI_H5_TIME, 0, CHUNK_TIMES, 0)) >= 0 &&
            (w->data = make_growing(w, TNI_H5_DATA, w->ncolumn, w->block, columns)) >= 0 &&
            (w->step_time = make_growing(w, TNI_H5_STEP_TIME, 0, CHUNK_TIMES, 0)) >= 0 &&
            (w->step_size = make_growing(w, TNI_H5_STEP_SIZE, 0, CHUNK_TIMES, 0)) >= 0 &&
            put_events(w, info);
  if (ok && w->state_size) {
    hsize_t part = w->state_size < CHUNK_STATE ? w->state_size : CHUNK_STATE;
    w->check_time = make_growing(w, TNI_H5_CHECKPOINT_TIME, 0, CHUNK_TIMES, 0);
    w->check_state = make_growing(w, TNI_H5_CHECKPOINT_STATE, w->state_size, 1, part);
    ok = w->check_time >= 0 && w->check_state >= 0;
  }
  for (int i = 0; i < info->nmesh && ok; i++) ok = put_mesh(w, &info->mesh[i]);
  if (ok && info->nchannel <= TNI_VIEWS_MAX) ok = put_views(w, info);
  ok = ok && put_frames(w, info);
  for (int i = 0; i < info->ntable && ok; i++) ok = put_numbers(w, &info->table[i]);
  ok = ok && note(w, H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0 && H5Fstart_swmr_write(w->file) >= 0);
  w->head = w->sink.size;
  return ok;
}

/* close what HDF5 has open; false when it could not write the rest */
static bool close_sets(tni_writer *w) {
  hid_t *const sets[] = {&w->data, &w->time, &w->step_time, &w->step_size, &w->check_time,
                         &w->check_state, &w->summary, &w->verdict, &w->outcome, &w->event_time,
                         &w->event_values};
  for (int i = 0; i < TNI_COUNT(sets); i++) tni_h5_close(sets[i]);
  for (int i = 0; i < w->nframes; i++) tni_h5_close(&w->frames[i].set);
  bool ok = w->file < 0 || note(w, H5Fclose(w->file) >= 0);
  w->file = -1;
  tni_h5_close(&w->driver);
  return ok;
}

/* no harm if it cannot be written: the file is then read without */
static void seal(const tni_writer *w) {
  struct stat about;
  tni_seal s;
  if (fstat(w->sink.fd, &about) == 0 && about.st_size >= w->head &&
      tni_seal_make(w->sink.fd, (uint64_t)w->head, (uint64_t)about.st_size, &s) &&
      pwrite(w->sink.fd, &s, sizeof(s), about.st_size) != sizeof(s)) return;
}

/* close whatever is open; false when HDF5 could not write the rest */
static bool close_file(tni_writer *w) {
  bool ok = close_sets(w);
  /* some file systems report a full disk only here */
  if (w->sink.fd >= 0 && close(w->sink.fd) != 0 && errno != EINTR && !w->sink.error)
    w->sink.error = errno;
  w->sink.fd = w->seat.fd = -1;
  return ok;
}

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

static tn_status create(tni_writer *w, const char *path, bool overwrite, const tni_results_info *given) {
  tni_results_info wide, *info = &wide;
  w->path = tni_arena_strdup(&w->arena, path);
  if (!w->path) return tni_out_of_memory(w->ctx);
  for (int i = 0; i < given->nfield; i++) TN_TRY(check_field(w->ctx, path, given, &given->field[i]));
  TN_TRY(check_channels(w->ctx, path, given, &w->ncolumn));
  TN_TRY(widen(w, given, &wide));
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
  TN_TRY(check_names_differ(w->ctx, path, info));
  w->seat = (tni_seat){.ctx = w->ctx, .arena = &w->arena, .path = w->path, .overwrite = overwrite,
                       .fd = -1, .old = -1};
  hsize_t columns = w->ncolumn < CHUNK_COLUMNS ? w->ncolumn : CHUNK_COLUMNS;
  w->block = CHUNK_NUMBERS/columns;
  w->state_size = (hsize_t)info->ncheckpoint;
  w->flush_seconds = info->flush_seconds > 0 ? info->flush_seconds : 1;
  w->check_room = w->state_size && w->state_size < CHUNK_STATE ? CHUNK_STATE/w->state_size : 1;
  TNI_ARENA_NEW(&w->arena, w->check_t, w->state_size ? w->check_room : 0);
  TNI_ARENA_NEW(&w->arena, w->check_v, w->state_size*w->check_room);
  TNI_ARENA_NEW(&w->arena, w->buffer, w->block*w->ncolumn);
  TNI_ARENA_NEW(&w->arena, w->times, w->block);
  TNI_ARENA_NEW(&w->arena, w->step_t, CHUNK_TIMES);
  TNI_ARENA_NEW(&w->arena, w->step_h, CHUNK_TIMES);
  w->nelement = info->nelement;
  TNI_ARENA_NEW(&w->arena, w->stored_of, w->nelement);
  TNI_ARENA_NEW(&w->arena, w->event_t, w->nelement ? CHUNK_TIMES : 0);
  TNI_ARENA_NEW(&w->arena, w->event_v, w->nelement ? CHUNK_TIMES*TNI_EVENT_NVALUE : 0);
  TN_TRY(tni_seat_take(&w->seat));
  w->sink.fd = w->seat.fd;
  w->flushed_at = tni_wall_time();
  return result(w, create_file(w) && create_contents(w, info));
}

/* ---- memory: see tni_has_memory ---- */

enum { RESERVE = 2*TNI_H5_WRITE_ROOM };

static void release_reserve(tni_writer *w) {
  if (w->reserve) munmap(w->reserve, RESERVE);
  w->reserve = NULL;
}

static void keep_reserve(tni_writer *w) {
  void *room = mmap(NULL, RESERVE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room != MAP_FAILED) w->reserve = room;
}

static bool can_write(tni_writer *w) {
  if (tni_has_memory(TNI_H5_WRITE_ROOM)) return true;
  release_reserve(w); /* for closing the file, which is all that is going to happen */
  w->no_memory = true;
  return false;
}

tn_status tni_results_prepare(tn_ctx *ctx, const char *path, bool overwrite,
                              const tni_results_info *info, tni_writer **out) {
  *out = NULL;
  size_t views = info->nchannel > 0 && info->nchannel <= TNI_VIEWS_MAX ? (size_t)info->nchannel : 0;
  size_t frames = 0;
  for (int i = 0; i < info->nfield; i++) frames += info->field[i].apart;
  if (!tni_has_memory(TNI_H5_OPEN_ROOM + RESERVE + views*TNI_H5_VIEW_ROOM + frames*TNI_H5_FRAME_ROOM))
    return tni_out_of_memory(ctx);
  tni_writer *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  w->ctx = ctx;
  tni_arena_init(&w->arena, ctx);
  w->sink.fd = w->seat.fd = w->seat.old = -1;
  w->driver = w->file = w->data = w->time = w->event_time = w->event_values = -1;
  w->step_time = w->step_size = w->check_time = w->check_state = w->summary = w->verdict = w->outcome = -1;
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  keep_reserve(w);
  tn_status st = create(w, path, overwrite, info);
  tni_h5_leave(&quiet);
  if (st == TN_OK) *out = w;
  else tni_results_destroy(&w);
  return st;
}

tn_status tni_results_publish(tni_writer *w) { return tni_seat_publish(&w->seat); }

tn_status tni_results_create(tn_ctx *ctx, const char *path, bool overwrite,
                             const tni_results_info *info, tni_writer **out) {
  TN_TRY(tni_results_prepare(ctx, path, overwrite, info, out));
  tn_status st = tni_results_publish(*out);
  if (st != TN_OK) tni_results_destroy(out);
  return st;
}

bool tni_results_lost(const tni_writer *w) { return w->lost; }

void tni_results_destroy(tni_writer **writer) {
  if (!writer || !*writer) return;
  tni_writer *w = *writer;
  *writer = NULL;
  release_reserve(w);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  if (w->seat.temporary && !w->sink.error) w->sink.error = ECANCELED; /* going to be removed */
  if (w->file >= 0 && (w->nbuffered || w->nstep_buffered || w->nevent_buffered || w->ncheck_buffered) && !w->sink.error &&
      tni_results_flush(w) != TN_OK) w->nbuffered = w->nstep_buffered = w->nevent_buffered = w->ncheck_buffered = 0;
  close_file(w);
  tni_h5_leave(&quiet);
  tni_seat_leave(&w->seat);
  tni_arena_clear(&w->arena);
  tni_free(w->ctx, w);
}

/* ---- while running ---- */

static tn_status require_open(const tni_writer *w) {
  TN_REQUIRE(w->ctx, !w->finished, TN_ERR_ARGUMENT, "results '%s': is finished already", w->path);
  if (w->no_memory) return tni_out_of_memory(w->ctx);
  TN_REQUIRE(w->ctx, !w->sink.error, TN_ERR_IO, "results '%s': %s", w->path, w->reason);
  return TN_OK;
}

/* Is the file with our name still the one that we write? */
static bool still_ours(tni_writer *w) {
  const char *lost = tni_seat_lost(&w->seat);
  tni_sink_check(&w->sink);
  if (!lost) return !w->sink.error;
  snprintf(w->reason, sizeof(w->reason), "%s", lost);
  w->lost = true;
  return false;
}

/* sizes before times: the length of the times tells how many are there */
static bool write_steps(tni_writer *w) {
  if (!w->nstep_buffered) return true;
  bool ok = put_rows(w, w->step_size, 0, w->nstep, w->nstep_buffered, w->step_h) &&
            put_rows(w, w->step_time, 0, w->nstep, w->nstep_buffered, w->step_t);
  if (ok) {
    w->nstep += w->nstep_buffered;
    w->nstep_buffered = 0;
  }
  return ok;
}

/* the same way */
static bool write_events(tni_writer *w) {
  if (!w->nevent_buffered) return true;
  bool ok = put_rows(w, w->event_values, TNI_EVENT_NVALUE, w->nevent, w->nevent_buffered, w->event_v) &&
            put_rows(w, w->event_time, 0, w->nevent, w->nevent_buffered, w->event_t);
  if (ok) {
    w->nevent += w->nevent_buffered;
    w->nevent_buffered = 0;
  }
  return ok;
}

static bool flush_frames(tni_writer *w) {
  bool ok = true;
  for (int i = 0; i < w->nframes && ok; i++) ok = note(w, H5Dflush(w->frames[i].set) >= 0);
  return ok;
}

static bool write_data(tni_writer *w) {
  if (!w->nbuffered) return true;
  bool ok = flush_frames(w) && put_rows(w, w->data, w->ncolumn, w->nrow, w->nbuffered, w->buffer) &&
            put_rows(w, w->time, 0, w->nrow, w->nbuffered, w->times);
  if (ok) {
    w->nrow += w->nbuffered;
    w->nbuffered = 0;
  }
  return ok;
}

/* after the rows before them */
static bool write_checkpoints(tni_writer *w) {
  if (!w->ncheck_buffered) return true;
  bool ok = put_rows(w, w->check_state, w->state_size, w->ncheckpoint, w->ncheck_buffered, w->check_v) &&
            put_rows(w, w->check_time, 0, w->ncheckpoint, w->ncheck_buffered, w->check_t);
  if (ok) {
    w->ncheckpoint += w->ncheck_buffered;
    w->ncheck_buffered = 0;
  }
  return ok;
}

static bool write_block(tni_writer *w) {
  if (!can_write(w) || !still_ours(w) || !write_steps(w) || !write_events(w)) return false;
  if (!w->nbuffered && !w->ncheck_buffered) return true;
  bool ok = write_data(w) && write_checkpoints(w) && note(w, H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0);
  w->flushed_at = tni_wall_time();
  return ok;
}

tn_status tni_results_flush(tni_writer *w) {
  TN_TRY(require_open(w));
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = result(w, write_block(w));
  tni_h5_leave(&quiet);
  return st;
}

/* Fields apart go to the file at once, before the row that belongs to them is promised by its time. */
static tn_status append_frames(tni_writer *w, const double *values) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = can_write(w);
  for (int i = 0; i < w->nframes && ok; i++) {
    ok = note(w, tni_frames_put(&w->frames[i], w->nrow + w->nbuffered, values));
    values += w->frames[i].nplace*w->frames[i].each;
  }
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_append(tni_writer *w, double t, const double *values) {
  TN_TRY(require_open(w));
  TN_REQUIRE(w->ctx, !isnan(t), TN_ERR_ARGUMENT, "results '%s': time of row %llu is not a number",
             w->path, (unsigned long long)(w->nrow + w->nbuffered));
  if (w->nframes) TN_TRY(append_frames(w, values + w->ncolumn));
  memcpy(w->buffer + w->nbuffered*w->ncolumn, values, (size_t)w->ncolumn*sizeof(double));
  w->times[w->nbuffered++] = t;
  /* blocks end where chunks end, also after a flush in between */
  if ((w->nrow + w->nbuffered) % w->block == 0 ||
      tni_wall_time() - w->flushed_at > w->flush_seconds)
    return tni_results_flush(w);
  return TN_OK;
}

tn_status tni_results_add_step(tni_writer *w, double t, double h) {
  TN_TRY(require_open(w));
  w->step_t[w->nstep_buffered] = t;
  w->step_h[w->nstep_buffered++] = h;
  /* as with the rows, pieces end where chunks end */
  return (w->nstep + w->nstep_buffered) % CHUNK_TIMES == 0 ? tni_results_flush(w) : TN_OK;
}

long tni_results_nevent_stored(const tni_writer *w) { return (long)(w->nevent + w->nevent_buffered); }

tn_status tni_results_add_event(tni_writer *w, double t, const double *values) {
  TN_TRY(require_open(w));
  int element = (int)values[TNI_EVENT_ELEMENT];
  TN_REQUIRE(w->ctx, element >= 0 && element < w->nelement, TN_ERR_ARGUMENT,
             "results '%s': event of element %d, there are %d", w->path, element, w->nelement);
  if (tni_results_nevent_stored(w) >= TNI_EVENTS_MAX || w->stored_of[element] >= TNI_EVENTS_EACH)
    return TN_OK;
  w->stored_of[element]++;
  memcpy(w->event_v + w->nevent_buffered*TNI_EVENT_NVALUE, values, TNI_EVENT_NVALUE*sizeof(double));
  w->event_t[w->nevent_buffered++] = t;
  return (w->nevent + w->nevent_buffered) % CHUNK_TIMES == 0 ? tni_results_flush(w) : TN_OK;
}

tn_status tni_results_add_checkpoint(tni_writer *w, double t, const double *state) {
  TN_TRY(require_open(w));
  TN_REQUIRE(w->ctx, w->state_size > 0, TN_ERR_ARGUMENT,
             "results '%s': was created without checkpoints", w->path);
  TN_REQUIRE(w->ctx, !isnan(t), TN_ERR_ARGUMENT,
             "results '%s': time of the checkpoint is not a number", w->path);
  memcpy(w->check_v + w->ncheck_buffered*w->state_size, state, (size_t)w->state_size*sizeof(double));
  w->check_t[w->ncheck_buffered++] = t;
  /* a run that is over in a moment writes all of them together; nobody misses what is that young after a kill */
  if (w->ncheck_buffered < w->check_room && tni_wall_time() - w->flushed_at < YOUNG) return TN_OK;
  return tni_results_flush(w);
}

tn_status tni_results_checkpoint(tni_writer *w, double t, const double *state) {
  TN_TRY(tni_results_add_checkpoint(w, t, state));
  return tni_results_flush(w);
}

/* overwrite a text of fixed size in place */
static bool replace_text(tni_writer *w, hid_t set, char *text, size_t size) {
  hid_t type = tni_h5_text_type(size);
  bool ok = note(w, type >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 &&
                      H5Dflush(set) >= 0);
  tni_h5_close(&type);
  return ok;
}

tn_status tni_results_set_verdict(tni_writer *w, const char *verdict) {
  TN_TRY(require_open(w));
  char padded[TNI_VERDICT_MAX] = {0};
  snprintf(padded, sizeof(padded), "%s", verdict);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = result(w, replace_text(w, w->verdict, padded, TNI_VERDICT_MAX));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_finish(tni_writer *w, const char *outcome, const char *summary_json) {
  TN_TRY(require_open(w));
  size_t n = strlen(summary_json), noutcome = strlen(outcome);
  TN_REQUIRE(w->ctx, n < TNI_SUMMARY_MAX, TN_ERR_ARGUMENT,
             "results '%s': summary of %zu bytes, must be below %d", w->path, n, TNI_SUMMARY_MAX);
  TN_REQUIRE(w->ctx, noutcome > 0 && noutcome < TNI_OUTCOME_MAX, TN_ERR_ARGUMENT,
             "results '%s': outcome '%s', must have 1 to %d bytes", w->path, outcome,
             TNI_OUTCOME_MAX - 1);
  char *summary = tni_arena_alloc(&w->arena, TNI_SUMMARY_MAX, 1);
  if (!summary) return tni_out_of_memory(w->ctx);
  char padded[TNI_OUTCOME_MAX] = {0};
  memcpy(summary, summary_json, n);
  memcpy(padded, outcome, noutcome);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  /* the outcome last: it says that everything else is there */
  bool ok = write_block(w) && replace_text(w, w->summary, summary, TNI_SUMMARY_MAX) &&
            replace_text(w, w->outcome, padded, TNI_OUTCOME_MAX) &&
            note(w, H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0);
  ok = close_sets(w) && ok;
  if (ok && !w->sink.error) seal(w);
  /* a file system that cannot synchronise says EINVAL: nothing is lost */
  if (ok && !w->sink.error && fsync(w->sink.fd) != 0 && errno != EINVAL && errno != EINTR)
    w->sink.error = errno;
  ok = close_file(w) && ok;
  w->finished = true;
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}
