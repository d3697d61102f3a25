/* output/reader.c - reads a results file, also one that is being written or was cut off
 *
 * A writer that was killed leaves the flag "open for writing" in the file, which HDF5 answers by
 * refusing it. Such a file is opened in the mode for files that are being written, which reads
 * what was flushed. How far that is: the length of /time, less trailing times that are NaN (the
 * length reached the file before the numbers did).
 *
 * A damaged file must not hang or exhaust its reader: sizes are held against the size of the file
 * before anything is allocated or searched, and texts of variable length are never read (writer.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "output/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

tn_status tni_reader_result(tni_reader *r, bool ok) {
  if (ok) return TN_OK;
  if (r->no_memory) return tni_out_of_memory(r->ctx);
  tn_status st = TN_FAIL(r->ctx, TN_ERR_IO, "results '%s': %s", r->path, r->reason);
  r->reason[0] = 0;
  return st;
}

/* ---- opening ---- */

/* older files have none */
static bool check_seal(tni_reader *r, uint64_t size) {
  tni_seal got, want;
  if (size < sizeof(got) ||
      pread(r->sink.fd, &got, sizeof(got), (off_t)(size - sizeof(got))) != sizeof(got) ||
      memcmp(got.magic, TNI_SEAL_MAGIC, sizeof(got.magic)) != 0 || got.size != size - sizeof(got) ||
      got.head > got.size)
    return true;
  if (tni_seal_make(r->sink.fd, got.head, got.size, &want) && want.sum == got.sum) return true;
  return blame(r, "damaged: the bytes that describe it have changed");
}

/* What the first bytes say, before HDF5 sees the file: its superblock has a signature, a version
 * and, from version 3 on, in byte 11 whether a writer has it open. */
static bool look_at_head(tni_reader *r) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
  unsigned char head[12] = {0};
  struct stat about;
  if (r->sink.fd < 0) /* a pipe must not block us */
    r->sink.fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool ok = r->sink.fd >= 0 && fstat(r->sink.fd, &about) == 0;
  int error = errno;
  ssize_t n = ok && S_ISREG(about.st_mode) ? pread(r->sink.fd, head, sizeof(head), 0) : 0;
  if (n < 0) error = errno;
  if (!ok || n < 0) {
    tni_errno_reason(error, r->reason);
    return false;
  }
  if (S_ISDIR(about.st_mode)) return blame(r, "is a folder, not a results file");
  if (!S_ISREG(about.st_mode)) return blame(r, "is not a regular file");
  if (n == 0) return blame(r, "is empty");
  if (n < (ssize_t)sizeof(head) || memcmp(head, signature, sizeof(signature)) != 0)
    return blame(r, "is not a results file (no HDF5 signature)");
  r->being_written = head[8] >= 3 && (head[11] & 5);
  return r->being_written || check_seal(r, (uint64_t)about.st_size);
}

/* In the mode for files that are being written HDF5 reads again what has a wrong checksum, waiting
 * 1, 2, 4 ... ns in between, 100 times by default: for ever. This many attempts take 0.1 s. */
enum { READ_ATTEMPTS = 26 };

static bool open_file(tni_reader *r) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  bool ok = note(r, list >= 0 && (r->driver = tni_sink_register()) >= 0 &&
                      tni_sink_select(list, r->driver, &r->sink) >= 0 &&
                      H5Pset_metadata_read_attempts(list, READ_ATTEMPTS) >= 0 &&
                      H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0) &&
            look_at_head(r);
  while (ok && r->file < 0) {
    bool before = r->being_written;
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY | (before ? H5F_ACC_SWMR_READ : 0), list);
    if (r->file >= 0) break;
    /* the writer may have finished, or started, in between: then once more */
    char reason[TNI_REASON_MAX];
    tni_h5_reason(reason);
    ok = look_at_head(r) && r->being_written != before;
    if (!ok && !r->reason[0]) memcpy(r->reason, reason, sizeof(reason));
  }
  tni_h5_close(&list);
  return ok;
}

static bool measure_file(tni_reader *r) {
  struct stat about;
  if (fstat(r->sink.fd, &about) != 0) {
    tni_errno_reason(errno, r->reason);
    return false;
  }
  r->file_size = (hsize_t)about.st_size;
  return true;
}

/* ---- texts ---- */

/* Is this the type of one text of fixed size that fits the file? *size: its bytes */
static bool is_text(const tni_reader *r, hid_t type, hid_t space, size_t *size) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
      H5Sget_simple_extent_npoints(space) != 1)
    return false;
  *size = H5Tget_size(type);
  return *size > 0 && *size <= r->file_size;
}

static bool attribute_text(tni_reader *r, const char *name, const char **out) {
  *out = "";
  size_t size = 0;
  char *text = NULL;
  hid_t attribute = -1, type = -1, space = -1;
  bool ok = note(r, (attribute = H5Aopen(r->file, name, H5P_DEFAULT)) >= 0 &&
                      (type = H5Aget_type(attribute)) >= 0 &&
                      (space = H5Aget_space(attribute)) >= 0);
  if (ok && !is_text(r, type, space, &size)) ok = blame(r, "damaged: an attribute is not text");
  if (ok && !(text = tni_arena_alloc(&r->arena, size + 1, 1))) ok = blame_memory(r);
  ok = ok && note(r, H5Aread(attribute, type, text) >= 0);
  if (ok) tni_text_to_line(text);
  if (ok) *out = text;
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_h5_close(&attribute);
  return ok;
}

hid_t tni_reader_open(tni_reader *r, const char *name) {
  enum { MOST = 1 << 28 }; /* an empty file is shorter than its first chunk will be */
  hid_t set = H5Dopen2(r->file, name, H5P_DEFAULT), list = set >= 0 ? H5Dget_create_plist(set) : -1, type = list >= 0 ? H5Dget_type(set) : -1;
  hsize_t side[H5S_MAX_RANK];
  int n = type >= 0 && H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, H5S_MAX_RANK, side) : 0;
  double bytes = type >= 0 ? (double)H5Tget_size(type) : 0;
  for (int i = 0; i < n; i++) bytes *= (double)side[i];
  bool ok = type >= 0 && n >= 0 && bytes <= MOST + (double)r->file_size;
  if (type >= 0 && !ok) blame(r, "damaged: a dataset has pieces that are longer than the file");
  tni_h5_close(&type);
  tni_h5_close(&list);
  if (!ok) tni_h5_close(&set);
  return ok ? set : -1;
}

/* A scalar text dataset of fixed size, with a final zero. room: bytes at to, or to NULL: *out is
 * taken from the arena. */
static bool dataset_text(tni_reader *r, const char *name, char *to, size_t room, const char **out) {
  hid_t set = -1, type = -1, space = -1;
  bool ok = note(r, (set = tni_reader_open(r, name)) >= 0 &&
                      (type = H5Dget_type(set)) >= 0 && (space = H5Dget_space(set)) >= 0);
  size_t size = 0;
  if (ok && !is_text(r, type, space, &size)) ok = blame(r, "damaged: a text is missing");
  if (ok && to && size >= room) ok = blame(r, "damaged: a text is too long");
  if (ok && !to) {
    to = tni_arena_alloc(&r->arena, size + 1, 1);
    if (!to) ok = blame_memory(r);
  }
  if (ok) {
    memset(to, 0, size + 1);
    ok = note(r, H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0);
    if (out) *out = to;
  }
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_h5_close(&set);
  return ok;
}

/* ---- channels ---- */

/* split "x,y,z" in place, or count from "0..9999" */
static const char *const *split_components(tni_arena *arena, char *text, int n) {
  const char **part = tni_arena_alloc(arena, (size_t)n, sizeof(*part));
  int first, last, end = 0;
  bool counted = n > 1 && sscanf(text, "%d..%d%n", &first, &last, &end) == 2 && !text[end] &&
                 (long)last - first == n - 1;
  for (int k = 0; part && counted && k < n; k++) {
    part[k] = tni_arena_printf(arena, "%d", first + k);
    if (!part[k]) return NULL;
  }
  if (counted) return part;
  for (int k = 0; part && k < n; k++) {
    part[k] = text;
    text += strcspn(text, ",");
    if (*text) *text++ = 0;
  }
  return part;
}

/* one row of the table, whose texts have the given sizes; *column: where the channel must start,
 * becomes where the next one does */
static bool take_channel(tni_reader *r, const char *row, const size_t size[TNI_COLUMN_NTEXT],
                         tni_channel *c, int *column) {
  char *text[TNI_COLUMN_NTEXT];
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) {
    text[k] = tni_arena_printf(&r->arena, "%.*s", (int)size[k], row);
    if (!text[k]) return blame_memory(r);
    tni_text_to_line(text[k]);
    row += size[k];
  }
  int32_t number[2];
  memcpy(number, row, sizeof(number));
  if (number[0] != *column || number[1] < 1 || (hsize_t)number[1] > r->ncolumn - (hsize_t)*column)
    return blame(r, "damaged: the table of channels does not fit the data");
  *column += number[1];
  c->group = text[TNI_COLUMN_GROUP];
  c->name = text[TNI_COLUMN_NAME];
  c->unit = text[TNI_COLUMN_UNIT];
  c->frame = *text[TNI_COLUMN_FRAME] ? text[TNI_COLUMN_FRAME] : NULL;
  c->note = *text[TNI_COLUMN_NOTE] ? text[TNI_COLUMN_NOTE] : NULL;
  c->ncomponent = number[1];
  if (number[1] == 1 && !*text[TNI_COLUMN_COMPONENTS]) return true;
  c->component = split_components(&r->arena, text[TNI_COLUMN_COMPONENTS], number[1]);
  return c->component ? true : blame_memory(r);
}

/* "x,y,z*101 nodes": what a node or cell has, how many there are */
static bool take_field(tni_reader *r, const char *row, const size_t size[TNI_COLUMN_NTEXT], bool may_lie_apart,
                       tni_field *f, const char **mesh, int *nplace, int *column) {
  size_t at[TNI_COLUMN_NTEXT + 1] = {0};
  char *text[TNI_COLUMN_NTEXT], word[8] = "";
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) {
    at[k+1] = at[k] + size[k];
    text[k] = tni_arena_printf(&r->arena, "%.*s", (int)size[k], row + at[k]);
    if (!text[k]) return blame_memory(r);
    tni_text_to_line(text[k]);
  }
  int32_t number[2];
  memcpy(number, row + at[TNI_COLUMN_NTEXT], sizeof(number));
  char *slash = strrchr(text[TNI_COLUMN_NAME], '/'), *star = strrchr(text[TNI_COLUMN_COMPONENTS], '*');
  bool apart = may_lie_apart && number[0] == -1;
  if (!slash || !star || sscanf(star, "*%d %7s", nplace, word) != 2 || *nplace < 1 || number[1] < 1 ||
      number[1] % *nplace != 0 ||
      (!apart && (number[0] != *column || (hsize_t)number[1] > r->ncolumn - (hsize_t)*column)) ||
      (apart && number[1] > INT_MAX - r->info.nappend) || (strcmp(word, "cells") != 0 && strcmp(word, "nodes") != 0))
    return blame(r, "damaged: the table of channels does not fit the data");
  *slash = *star = 0;
  *mesh = text[TNI_COLUMN_NAME];
  *f = (tni_field){.name = slash + 1, .cells = word[0] == 'c', .ncomponent = number[1] / *nplace,
                   .unit = text[TNI_COLUMN_UNIT], .column = number[0], .apart = apart};
  if (*text[TNI_COLUMN_FRAME]) f->frame = text[TNI_COLUMN_FRAME];
  if (*text[TNI_COLUMN_NOTE]) f->note = text[TNI_COLUMN_NOTE];
  if (apart) r->info.nappend += number[1];
  else *column += number[1];
  if (f->ncomponent == 1 && !*text[TNI_COLUMN_COMPONENTS]) return true;
  f->component = split_components(&r->arena, text[TNI_COLUMN_COMPONENTS], f->ncomponent);
  return f->component ? true : blame_memory(r);
}

/* the type of a row in memory, with the sizes that the file has */
static hid_t row_type(tni_reader *r, hid_t stored, size_t size[TNI_COLUMN_NTEXT], size_t *bytes) {
  *bytes = 2*sizeof(int32_t);
  for (int k = 0; k < TNI_COLUMN_NTEXT; k++) {
    int member = H5Tget_member_index(stored, tni_h5_column[k]);
    hid_t type = member >= 0 ? H5Tget_member_type(stored, (unsigned)member) : -1;
    bool ok = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    size[k] = ok ? H5Tget_size(type) : 0;
    *bytes += size[k];
    tni_h5_close(&type);
    if (!ok || size[k] == 0 || size[k] > INT_MAX || size[k] > r->file_size) {
      blame(r, "damaged: the table of channels lacks a column");
      return -1;
    }
  }
  hid_t row = H5Tcreate(H5T_COMPOUND, *bytes);
  size_t offset = 0;
  bool ok = row >= 0;
  for (int k = 0; k < TNI_COLUMN_NTEXT && ok; k++) {
    hid_t type = tni_h5_text_type(size[k]);
    ok = type >= 0 && H5Tinsert(row, tni_h5_column[k], offset, type) >= 0;
    offset += size[k];
    tni_h5_close(&type);
  }
  ok = note(r, ok && H5Tinsert(row, TNI_H5_FIRST, offset, H5T_NATIVE_INT32) >= 0 &&
                 H5Tinsert(row, TNI_H5_COUNT, offset + 4, H5T_NATIVE_INT32) >= 0);
  if (!ok) tni_h5_close(&row);
  return row;
}

static bool read_channels(tni_reader *r, int version) {
  hid_t set = -1, stored = -1, space = -1, row = -1;
  size_t size[TNI_COLUMN_NTEXT], bytes = 0;
  char *rows = NULL;
  bool ok = note(r, (set = tni_reader_open(r, TNI_H5_CHANNELS)) >= 0 &&
                      (stored = H5Dget_type(set)) >= 0 && (space = H5Dget_space(set)) >= 0);
  hssize_t n = ok ? H5Sget_simple_extent_npoints(space) : 0;
  if (ok && (H5Tget_class(stored) != H5T_COMPOUND || n < 1 || n > INT_MAX))
    ok = blame(r, "damaged: no table of channels");
  ok = ok && (row = row_type(r, stored, size, &bytes)) >= 0;
  if (ok && (hsize_t)n > r->file_size/bytes)
    ok = blame(r, "damaged: the table of channels is longer than the file");
  if (ok) {
    rows = tni_alloc(r->ctx, (size_t)n, bytes);
    tni_channel *channel = tni_arena_alloc(&r->arena, (size_t)n, sizeof(*channel));
    tni_field *field = tni_arena_alloc(&r->arena, (size_t)n, sizeof(*field));
    tni_mesh_info *mesh = tni_arena_alloc(&r->arena, (size_t)n, sizeof(*mesh));
    r->info.channel = channel;
    r->info.field = field;
    r->info.mesh = mesh;
    r->info.nvalue = r->info.nappend = (int)r->ncolumn;
    ok = rows && channel && field && mesh ? true : blame_memory(r);
    ok = ok && note(r, H5Dread(set, row, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    int column = 0;
    for (hssize_t i = 0; i < n && ok; i++) {
      const char *one = rows + (size_t)i*bytes, *name;
      int nplace;
      bool is_field = version >= 3 && strncmp(one, TNI_H5_FIELDS, size[TNI_COLUMN_GROUP]) == 0;
      if (is_field)
        ok = take_field(r, one, size, version >= 4, &field[r->info.nfield], &name, &nplace, &column) &&
             tni_reader_place_field(r, mesh, name, nplace, &field[r->info.nfield++]);
      else if (r->info.nfield) ok = blame(r, "damaged: the table of channels does not fit the data");
      else ok = take_channel(r, one, size, &channel[r->info.nchannel++], &column);
    }
    ok = ok && tni_reader_frames(r) && tni_reader_meshes(r);
  }
  tni_free(r->ctx, rows);
  tni_h5_close(&row);
  tni_h5_close(&space);
  tni_h5_close(&stored);
  tni_h5_close(&set);
  return ok;
}

/* ---- numbers ---- */

/* present size of a growing dataset; ncolumn NULL: it must have one dimension */
bool tni_reader_size(tni_reader *r, hid_t set, hsize_t *nrow, hsize_t *ncolumn) {
  hsize_t dims[2] = {0, 0};
  hid_t space = H5Dget_space(set);
  bool ok = note(r, space >= 0);
  if (ok && H5Sget_simple_extent_ndims(space) != (ncolumn ? 2 : 1))
    ok = blame(r, "damaged: a dataset has the wrong shape");
  ok = ok && note(r, H5Sget_simple_extent_dims(space, dims, NULL) >= 0);
  *nrow = dims[0];
  if (ncolumn) *ncolumn = dims[1];
  tni_h5_close(&space);
  /* a length may reach the file before its numbers do, by one block */
  hsize_t most = r->file_size/4 + 128*1024;
  if (ok && (dims[0] > most || (ncolumn && dims[1] > most/(dims[0] ? dims[0] : 1))))
    ok = blame(r, "damaged: a dataset is longer than the file");
  return ok;
}

/* rows first..first+n-1, columns column..column+count-1; count 0: one dimension */
bool tni_reader_rows(tni_reader *r, hid_t set, hsize_t first, hsize_t n, hsize_t column,
                     hsize_t count, double *values) {
  if (n == 0) return true;
  int rank = count ? 2 : 1;
  hsize_t start[2] = {first, column}, size[2] = {n, count};
  hid_t space = H5Dget_space(set), memory = -1;
  bool ok = note(r, space >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      (memory = H5Screate_simple(rank, size, NULL)) >= 0 &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
  tni_h5_close(&memory);
  tni_h5_close(&space);
  return ok;
}

/* how many times at the start of the dataset are numbers, looking from the end */
static bool count_times(tni_reader *r, hid_t set, hsize_t limit, long *count) {
  enum { PIECE = 256 };
  double t[PIECE];
  hsize_t n = limit;
  while (n) {
    hsize_t m = n < PIECE ? n : PIECE;
    if (!tni_reader_rows(r, set, n - m, m, 0, 0, t)) return false;
    while (m && isnan(t[m-1])) {
      m--;
      n--;
    }
    if (m) break;
  }
  *count = (long)n;
  return true;
}

/* Is the chunk with this place inside the first `size` bytes of the file? */
static bool chunk_is_there(tni_reader *r, hid_t set, const hsize_t *place, hsize_t size,
                           bool *there) {
  unsigned filters;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  bool ok = note(r, H5Dget_chunk_info_by_coord(set, place, &filters, &address, &bytes) >= 0);
  *there = ok && address != HADDR_UNDEF && address + bytes <= size;
  return ok;
}

static bool row_is_there(tni_reader *r, hid_t time, hid_t values, hsize_t ncolumn, hsize_t row,
                         hsize_t size, bool *there) {
  const hsize_t left[2] = {row, 0}, right[2] = {row, ncolumn - 1};
  return chunk_is_there(r, time, left, size, there) &&
         (!*there || chunk_is_there(r, values, left, size, there)) &&
         (!*there || chunk_is_there(r, values, right, size, there));
}

/* HDF5 checks the length only of files that were closed, and reads zeros where a cut-off copy of
 * another ends. Keep the rows that are wholly there; chunks lie in the file in the order of time. */
static bool clip_to_file(tni_reader *r, hid_t time, hid_t values, hsize_t ncolumn, long *count) {
  if (!r->being_written) return true;
  if (!measure_file(r)) return false;
  long good = 0, bad = *count + 1; /* rows that are there, and one more than may be */
  for (long n = *count; bad - good > 1; n = good + (bad - good)/2) {
    bool there;
    if (!row_is_there(r, time, values, ncolumn, (hsize_t)(n - 1), r->file_size, &there))
      return false;
    if (there) good = n;
    else bad = n;
  }
  *count = good;
  return true;
}

/* Rows whose fields apart are there too. A frame is written as a whole before its time is. */
static bool measure_frames(tni_reader *r) {
  for (int i = 0; i < r->info.nfield && r->frames; i++) {
    const tni_frames *f = &r->frames[i];
    hsize_t n, bytes = r->info.field[i].single ? sizeof(float) : sizeof(double);
    if (f->set < 0) continue;
    if (!note(r, tni_frames_count(f, &n))) return false;
    if ((hsize_t)r->ntime > n) r->ntime = (long)n;
    if (r->ntime > 0 && f->nplace*f->each*bytes > r->file_size)
      return blame(r, "damaged: a dataset is longer than the file");
    for (bool there = !r->being_written; r->ntime > 0 && !there;) {
      const hsize_t last[3] = {(hsize_t)r->ntime - 1, f->nplace - 1, f->each - 1};
      if (!chunk_is_there(r, f->set, last, r->file_size, &there)) return false;
      r->ntime -= !there;
    }
  }
  return true;
}

/* files of older versions have none */
static bool measure_steps(tni_reader *r) {
  hsize_t n, nsize;
  return r->step_time < 0 ||
         (tni_reader_size(r, r->step_time, &n, NULL) && tni_reader_size(r, r->step_size, &nsize, NULL) &&
          count_times(r, r->step_time, n < nsize ? n : nsize, &r->nstep) &&
          clip_to_file(r, r->step_time, r->step_size, 1, &r->nstep));
}

/* files of older versions, and of models in which nothing switches, have none */
static bool measure_events(tni_reader *r) {
  hsize_t n, nrow, ncolumn = 0;
  if (r->event_time < 0) return true;
  if (!tni_reader_size(r, r->event_time, &n, NULL) || !tni_reader_size(r, r->event_values, &nrow, &ncolumn))
    return false;
  if (ncolumn != TNI_EVENT_NVALUE) return blame(r, "damaged: a dataset has the wrong shape");
  return count_times(r, r->event_time, n < nrow ? n : nrow, &r->nevent) &&
         clip_to_file(r, r->event_time, r->event_values, ncolumn, &r->nevent);
}

/* times first: the writer puts them last, so the rest is at least as long */
static bool measure(tni_reader *r) {
  hsize_t ntime, nrow, n, size = 0;
  if (!measure_file(r) || !tni_reader_size(r, r->time, &ntime, NULL) ||
      !tni_reader_size(r, r->data, &nrow, &r->ncolumn) ||
      !count_times(r, r->time, ntime < nrow ? ntime : nrow, &r->ntime))
    return false;
  if (r->ncolumn < 1 || r->ncolumn > INT_MAX)
    return blame(r, "damaged: a dataset has the wrong shape");
  if (!clip_to_file(r, r->time, r->data, r->ncolumn, &r->ntime)) return false;
  if (!measure_steps(r) || !measure_events(r)) return false;
  if (r->check_time < 0) return true;
  if (!tni_reader_size(r, r->check_time, &n, NULL) || !tni_reader_size(r, r->check_state, &nrow, &size))
    return false;
  if (size < 1 || size > INT_MAX) return blame(r, "damaged: a dataset has the wrong shape");
  r->info.ncheckpoint = (int)size;
  return count_times(r, r->check_time, n < nrow ? n : nrow, &r->ncheckpoint) &&
         clip_to_file(r, r->check_time, r->check_state, size, &r->ncheckpoint);
}

/* older files have none */
static bool read_verdict(tni_reader *r) {
  return H5Lexists(r->file, TNI_H5_VERDICT, H5P_DEFAULT) <= 0 ||
         dataset_text(r, TNI_H5_VERDICT, r->verdict, sizeof(r->verdict), NULL);
}

static bool read_outcome(tni_reader *r) {
  if (!dataset_text(r, TNI_H5_OUTCOME, r->outcome, sizeof(r->outcome), NULL)) return false;
  r->summary[0] = r->verdict[0] = 0;
  /* both are written just before the outcome and may be half there until then */
  return strcmp(r->outcome, "running") == 0 ||
         (dataset_text(r, TNI_H5_SUMMARY, r->summary, TNI_SUMMARY_MAX + 1, NULL) && read_verdict(r));
}

/* a list of texts of one size, each a line */
bool tni_reader_texts(tni_reader *r, const char *name, int *count, const char *const **out) {
  hid_t set = -1, type = -1, space = -1;
  bool ok = note(r, (set = tni_reader_open(r, name)) >= 0 && (type = H5Dget_type(set)) >= 0 &&
                      (space = H5Dget_space(set)) >= 0);
  hssize_t n = ok ? H5Sget_simple_extent_npoints(space) : 0;
  size_t size = ok ? H5Tget_size(type) : 0;
  if (ok && (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || n < 1 || n > INT_MAX ||
             size < 1 || (hsize_t)n > r->file_size/size))
    ok = blame(r, "damaged: a list of names has the wrong shape");
  char *padded = ok ? tni_alloc(r->ctx, (size_t)n, size) : NULL;
  const char **text = ok ? tni_arena_alloc(&r->arena, (size_t)n, sizeof(*text)) : NULL;
  if (ok && (!padded || !text)) ok = blame_memory(r);
  ok = ok && note(r, H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) >= 0);
  for (hssize_t i = 0; i < n && ok; i++) {
    char *line = tni_arena_printf(&r->arena, "%.*s", (int)size, padded + (size_t)i*size);
    if (!line) ok = blame_memory(r);
    else tni_text_to_line(line);
    text[i] = line;
  }
  if (ok) *count = (int)n;
  if (ok) *out = text;
  tni_free(r->ctx, padded);
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_h5_close(&set);
  return ok;
}

static bool open_events(tni_reader *r) {
  return H5Lexists(r->file, "events", H5P_DEFAULT) <= 0 ||
         (tni_reader_texts(r, TNI_H5_EVENT_ELEMENTS, &r->info.nelement, &r->info.element) &&
          tni_reader_texts(r, TNI_H5_EVENT_KINDS, &r->info.nkind, &r->info.kind) &&
          note(r, (r->event_values = tni_reader_open(r, TNI_H5_EVENT_VALUES)) >= 0 &&
                    (r->event_time = tni_reader_open(r, TNI_H5_EVENT_TIME)) >= 0));
}

static bool open_sets(tni_reader *r) {
  hsize_t chunk[2] = {0, 0};
  hid_t list = -1;
  bool ok = note(r, (r->time = tni_reader_open(r, TNI_H5_TIME)) >= 0 &&
                      (r->data = tni_reader_open(r, TNI_H5_DATA)) >= 0 &&
                      (list = H5Dget_create_plist(r->data)) >= 0);
  if (ok && (H5Pget_layout(list) != H5D_CHUNKED || H5Pget_chunk(list, 2, chunk) != 2))
    ok = blame(r, "damaged: a dataset has the wrong shape");
  tni_h5_close(&list);
  if (!ok) return false;
  r->block = chunk[0];
  if (H5Lexists(r->file, "steps", H5P_DEFAULT) > 0 &&
      !note(r, (r->step_time = tni_reader_open(r, TNI_H5_STEP_TIME)) >= 0 &&
                 (r->step_size = tni_reader_open(r, TNI_H5_STEP_SIZE)) >= 0))
    return false;
  if (!open_events(r)) return false;
  if (H5Lexists(r->file, "checkpoints", H5P_DEFAULT) <= 0) return true;
  return note(r, (r->check_time = tni_reader_open(r, TNI_H5_CHECKPOINT_TIME)) >= 0 &&
                   (r->check_state = tni_reader_open(r, TNI_H5_CHECKPOINT_STATE)) >= 0);
}

/* ---- open, close, refresh ---- */

static bool read_version(tni_reader *r, int *version) {
  hid_t attribute = -1, type = -1, space = -1;
  bool ok = note(r, (attribute = H5Aopen(r->file, "format_version", H5P_DEFAULT)) >= 0 &&
                      (type = H5Aget_type(attribute)) >= 0 &&
                      (space = H5Aget_space(attribute)) >= 0);
  if (ok && (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1))
    ok = blame(r, "damaged: the format version is not a number");
  ok = ok && note(r, H5Aread(attribute, H5T_NATIVE_INT, version) >= 0);
  tni_h5_close(&space);
  tni_h5_close(&type);
  tni_h5_close(&attribute);
  return ok;
}

static bool check_format(tni_reader *r, int *version) {
  const char *format = "";
  *version = 0;
  if (H5Aexists(r->file, "format") <= 0 || H5Aexists(r->file, "format_version") <= 0)
    return blame(r, "is not a results file (HDF5, but of another kind)");
  if (!read_version(r, version)) return false;
  if (*version < 1 || *version > TNI_FORMAT_VERSION) {
    snprintf(r->reason, sizeof(r->reason),
             "format version %d, this library reads up to %d; use a newer Tenon", *version,
             TNI_FORMAT_VERSION);
    return false;
  }
  if (*version == 1 || (attribute_text(r, "format", &format) && strcmp(format, TNI_FORMAT) == 0))
    return true;
  r->reason[0] = 0;
  return blame(r, "is not a results file (HDF5, but of another kind)");
}

/* files of version 1 have texts of variable length here, which are not read */
static bool read_labels(tni_reader *r, int version) {
  r->info.title = r->info.created = r->info.tenon_version = "";
  return version == 1 || (attribute_text(r, "title", &r->info.title) &&
                          attribute_text(r, "created", &r->info.created) &&
                          attribute_text(r, "tenon_version", &r->info.tenon_version));
}

/* older files have none */
static bool read_scene(tni_reader *r) {
  r->info.scene = "";
  return H5Lexists(r->file, TNI_H5_SCENE, H5P_DEFAULT) <= 0 ||
         dataset_text(r, TNI_H5_SCENE, NULL, 0, &r->info.scene);
}

static bool read_all(tni_reader *r) {
  int version;
  return open_file(r) && measure_file(r) && check_format(r, &version) && read_labels(r, version) &&
         dataset_text(r, TNI_H5_MODEL_TEXT, NULL, 0, &r->info.model_text) &&
         dataset_text(r, TNI_H5_MODEL_NAME, NULL, 0, &r->info.model_name) &&
         dataset_text(r, TNI_H5_SETTINGS, NULL, 0, &r->info.settings) && read_scene(r) &&
         open_sets(r) && measure(r) && read_channels(r, version) && measure_frames(r) && read_outcome(r);
}

tn_status tni_results_open(tn_ctx *ctx, const char *path, tni_reader **out) {
  *out = NULL;
  tni_reader *r = tni_has_memory(TNI_H5_OPEN_ROOM) ? tni_alloc(ctx, 1, sizeof(*r)) : NULL;
  if (!r) return tni_out_of_memory(ctx);
  r->ctx = ctx;
  r->sink = (tni_sink){.fd = -1, .read_only = true};
  r->driver = r->file = r->time = r->data = r->check_time = r->check_state = -1;
  r->step_time = r->step_size = r->event_time = r->event_values = -1;
  tni_arena_init(&r->arena, ctx);
  r->path = tni_arena_strdup(&r->arena, path);
  r->summary = tni_arena_alloc(&r->arena, TNI_SUMMARY_MAX + 1, 1);
  tn_status st;
  if (r->path && r->summary) {
    tni_h5_quiet quiet;
    tni_h5_enter(&quiet);
    st = tni_reader_result(r, read_all(r));
    tni_h5_leave(&quiet);
  } else {
    st = tni_out_of_memory(ctx);
  }
  if (st == TN_OK) *out = r;
  else tni_results_close(&r);
  return st;
}

void tni_results_close(tni_reader **reader) {
  if (!reader || !*reader) return;
  tni_reader *r = *reader;
  *reader = NULL;
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  hid_t *const ids[] = {&r->time,       &r->data,        &r->step_time,  &r->step_size,
                        &r->event_time, &r->event_values, &r->check_time, &r->check_state,
                        &r->file,       &r->driver};
  for (int i = 0; i < r->info.nfield && r->frames; i++) tni_h5_close(&r->frames[i].set);
  for (int i = 0; i < TNI_COUNT(ids); i++) tni_h5_close(ids[i]);
  tni_h5_leave(&quiet);
  if (r->sink.fd >= 0) close(r->sink.fd);
  tni_arena_clear(&r->arena);
  tni_free(r->ctx, r);
}

tn_status tni_results_refresh(tni_reader *r) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  hid_t const sets[] = {r->check_time, r->check_state,  r->step_time, r->step_size,
                        r->event_time, r->event_values, r->time,      r->data};
  bool ok = read_outcome(r); /* first: once it says complete, all rows are there */
  for (int i = 0; i < TNI_COUNT(sets) && ok; i++)
    ok = sets[i] < 0 || note(r, H5Drefresh(sets[i]) >= 0);
  for (int i = 0; i < r->info.nfield && ok; i++)
    ok = r->frames[i].set < 0 || note(r, H5Drefresh(r->frames[i].set) >= 0);
  tn_status st = tni_reader_result(r, ok && measure(r) && measure_frames(r));
  tni_h5_leave(&quiet);
  return st;
}

/* ---- questions ---- */

const tni_results_info *tni_results_get_info(const tni_reader *r) { return &r->info; }
const char *tni_results_outcome(const tni_reader *r) { return r->outcome; }
const char *tni_results_verdict(const tni_reader *r) { return r->verdict; }
const char *tni_results_summary(const tni_reader *r) { return r->summary; }
tn_ctx *tni_reader_ctx(const tni_reader *r) { return r->ctx; }
const char *tni_reader_path(const tni_reader *r) { return r->path; }
long tni_reader_block(const tni_reader *r) { return (long)r->block; }
long tni_results_ntime(const tni_reader *r) { return r->ntime; }
long tni_results_nstep(const tni_reader *r) { return r->nstep; }
long tni_results_nevent(const tni_reader *r) { return r->nevent; }
long tni_results_ncheckpoint(const tni_reader *r) { return r->ncheckpoint; }

int tni_results_find(const tni_reader *r, const char *name) {
  for (int i = 0; i < r->info.nchannel; i++) {
    const tni_channel *c = &r->info.channel[i];
    size_t n = strlen(c->group);
    if (strcmp(name, c->name) == 0 || (strncmp(name, c->group, n) == 0 && name[n] == '/' &&
                                       strcmp(name + n + 1, c->name) == 0))
      return i;
  }
  return -1;
}

static tn_status check_rows(const tni_reader *r, long first, long n) {
  TN_REQUIRE(r->ctx, first >= 0 && n >= 0 && first <= r->ntime && n <= r->ntime - first,
             TN_ERR_ARGUMENT, "results '%s': rows %ld to %ld, there are %ld", r->path, first,
             first + n - 1, r->ntime);
  return TN_OK;
}

/* columns of /data, or the times when count is 0 */
static tn_status read_part(tni_reader *r, hid_t set, long first, long n, hsize_t column,
                           hsize_t count, double *values) {
  TN_TRY(check_rows(r, first, n));
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = tni_reader_result(r, tni_reader_rows(r, set, (hsize_t)first, (hsize_t)n, column, count, values));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_times(tni_reader *r, long first, long n, double *t) {
  return read_part(r, r->time, first, n, 0, 0, t);
}

tn_status tni_results_read_columns(tni_reader *r, int column, int count, long first, long n,
                                   double *values) {
  TN_REQUIRE(r->ctx, column >= 0 && count > 0 && (hsize_t)column + (hsize_t)count <= r->ncolumn,
             TN_ERR_ARGUMENT, "results '%s': columns %d to %d, there are %d", r->path, column,
             column + count - 1, (int)r->ncolumn);
  return read_part(r, r->data, first, n, (hsize_t)column, (hsize_t)count, values);
}

tn_status tni_results_read_channel(tni_reader *r, int channel, long first, long n, double *values) {
  TN_REQUIRE(r->ctx, channel >= 0 && channel < r->info.nchannel, TN_ERR_ARGUMENT,
             "results '%s': channel %d, there are %d", r->path, channel, r->info.nchannel);
  return read_part(r, r->data, first, n, (hsize_t)r->info.column[channel],
                   (hsize_t)r->info.channel[channel].ncomponent, values);
}

tn_status tni_results_read_field(tni_reader *r, int field, long first, long n, double *values) {
  TN_REQUIRE(r->ctx, field >= 0 && field < r->info.nfield, TN_ERR_ARGUMENT,
             "results '%s': field %d, there are %d", r->path, field, r->info.nfield);
  const tni_field *f = &r->info.field[field];
  if (!f->apart) return tni_results_read_columns(r, f->column, tni_field_size(&r->info, f), first, n, values);
  TN_TRY(check_rows(r, first, n));
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = tni_reader_result(r, note(r, tni_frames_get(&r->frames[field], (hsize_t)first, (hsize_t)n, values)));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_row(tni_reader *r, long row, double *values) {
  TN_TRY(tni_results_read_columns(r, 0, (int)r->ncolumn, row, 1, values));
  values += r->ncolumn;
  for (int i = 0; i < r->info.nfield; i++) {
    if (!r->info.field[i].apart) continue;
    TN_TRY(tni_results_read_field(r, i, row, 1, values));
    values += tni_field_size(&r->info, &r->info.field[i]);
  }
  return TN_OK;
}

tn_status tni_results_read_table(tni_reader *r, const char *path, int max, double *values, int *n) {
  hsize_t nrow = 0;
  hid_t set = -1;
  char group[64];
  *n = 0;
  snprintf(group, sizeof(group), "%.*s", (int)strcspn(path, "/"), path);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool there = H5Lexists(r->file, group, H5P_DEFAULT) > 0 && H5Lexists(r->file, path, H5P_DEFAULT) > 0;
  bool ok = !there || (note(r, (set = tni_reader_open(r, path)) >= 0) &&
                       tni_reader_size(r, set, &nrow, NULL));
  if (nrow > (hsize_t)max) nrow = (hsize_t)max;
  if (there && ok) ok = (nrow == 0 || tni_reader_rows(r, set, 0, nrow, 0, 0, values));
  tni_h5_close(&set);
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  if (st == TN_OK) *n = (int)nrow;
  return st;
}

tn_status tni_results_read_steps(tni_reader *r, double *t, double *h) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  hsize_t n = (hsize_t)r->nstep;
  tn_status st = tni_reader_result(r, (!t || tni_reader_rows(r, r->step_time, 0, n, 0, 0, t)) &&
                             (!h || tni_reader_rows(r, r->step_size, 0, n, 0, 0, h)));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_events(tni_reader *r, long first, long n, double *t, double *values) {
  TN_REQUIRE(r->ctx, first >= 0 && n >= 0 && first <= r->nevent && n <= r->nevent - first,
             TN_ERR_ARGUMENT, "results '%s': events %ld to %ld, there are %ld", r->path, first,
             first + n - 1, r->nevent);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = (!t || tni_reader_rows(r, r->event_time, (hsize_t)first, (hsize_t)n, 0, 0, t)) &&
            (!values || tni_reader_rows(r, r->event_values, (hsize_t)first, (hsize_t)n, 0, TNI_EVENT_NVALUE,
                                 values));
  /* names are looked up by these */
  for (long i = 0; i < n && ok && values; i++) {
    const double *v = values + i*TNI_EVENT_NVALUE;
    if (!(v[TNI_EVENT_ELEMENT] >= 0 && v[TNI_EVENT_ELEMENT] < r->info.nelement &&
          v[TNI_EVENT_KIND] >= 0 && v[TNI_EVENT_KIND] < r->info.nkind))
      ok = blame(r, "damaged: an event belongs to nothing");
  }
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_get_checkpoint(tni_reader *r, long i, double *t, double *state) {
  TN_REQUIRE(r->ctx, i >= 0 && i < r->ncheckpoint, TN_ERR_ARGUMENT,
             "results '%s': checkpoint %ld, there are %ld", r->path, i, r->ncheckpoint);
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = tni_reader_result(r, tni_reader_rows(r, r->check_time, (hsize_t)i, 1, 0, 0, t) &&
                             tni_reader_rows(r, r->check_state, (hsize_t)i, 1, 0,
                                      (hsize_t)r->info.ncheckpoint, state));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_read_checkpoint(tni_reader *r, double t, double *t_found, double *state) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = true;
  long i = r->ncheckpoint;
  double at = NAN;
  while (i > 0 && ok) {
    ok = tni_reader_rows(r, r->check_time, (hsize_t)(i - 1), 1, 0, 0, &at);
    if (at <= t) break;
    i--;
  }
  if (ok && i > 0)
    ok = tni_reader_rows(r, r->check_state, (hsize_t)(i - 1), 1, 0, (hsize_t)r->info.ncheckpoint, state);
  tn_status st = tni_reader_result(r, ok);
  tni_h5_leave(&quiet);
  TN_TRY(st);
  TN_REQUIRE(r->ctx, i > 0, TN_ERR_ARGUMENT,
             "results '%s': no checkpoint at or before t = %g s; there are %ld", r->path, t,
             r->ncheckpoint);
  *t_found = at;
  return TN_OK;
}
