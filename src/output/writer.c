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
#include "output/writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const double YOUNG = 0.05; /* s: checkpoints this soon after a flush wait for others */

/* ---- failures ---- */

/* Status of a stretch of calls. A failure freezes the file as it is: see sink.h. */
static tn_status result(tni_writer *w, bool ok) {
  const char *damage = w->sink.damage;
  if (damage) snprintf(w->reason, sizeof(w->reason), "%s", damage);
  else if (w->sink.error && !w->lost) tni_errno_reason(w->sink.error, w->reason);
  else if (ok && !w->lost) return TN_OK;
  else w->sink.error = EIO;
  if (w->no_memory) return tni_out_of_memory(w->ctx);
  return TN_FAIL(w->ctx, TN_ERR_IO, "results '%s': %s", w->path, w->reason);
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
  tni_sink_end(&w->sink);
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

/* Frames of large meshes are left to a thread, which reads them in the rows of the caller, who has two that take turns; two checkpoints find room. */
static tn_status write_behind(tni_writer *w, const tni_results_info *info) {
  const size_t LEAST = 512*1024, MOST = 512*1024*1024;
  size_t frame = 0, row = 0, piece = TNI_FRAMES_PIECE;
  void *behind;
  for (int i = 0; i < info->nfield; i++) {
    if (!info->field[i].apart) continue;
    size_t n = (size_t)tni_field_size(info, &info->field[i]), place = (size_t)info->field[i].ncomponent*sizeof(double);
    frame += n*(info->field[i].single ? sizeof(float) : sizeof(double));
    row += n*sizeof(double);
    if (place > piece) piece = place;
  }
  if (w->nframes && !(w->piece = tni_arena_alloc(&w->arena, piece, 1))) return tni_out_of_memory(w->ctx);
  if (frame < LEAST || info->at_once || info->writers > 0) return TN_OK; /* a crew has threads of its own */
  size_t room = 2*w->state_size*sizeof(double);
  room = (room < MOST ? room : MOST) + LEAST + row/1024; /* words about chunks */
  if (!tni_has_memory(2*(room + row))) return TN_OK;
  if (!(behind = tni_arena_alloc(&w->arena, piece, 1))) return tni_out_of_memory(w->ctx);
  tni_sink_behind(&w->sink, w->ctx, room, behind);
  return TN_OK;
}

static tn_status create(tni_writer *w, const char *path, bool overwrite, const tni_results_info *given) {
  tni_results_info wide, *info = &wide;
  w->path = tni_arena_strdup(&w->arena, path);
  if (!w->path) return tni_out_of_memory(w->ctx);
  TN_TRY(tni_contents_prepare(w, given, info));
  w->seat = (tni_seat){.ctx = w->ctx, .arena = &w->arena, .path = w->path, .overwrite = overwrite,
                       .fd = -1, .old = -1};
  hsize_t columns = w->ncolumn < TNI_CHUNK_COLUMNS ? w->ncolumn : TNI_CHUNK_COLUMNS;
  w->block = TNI_CHUNK_NUMBERS/columns;
  w->state_size = (hsize_t)info->ncheckpoint;
  w->flush_seconds = info->flush_seconds > 0 ? info->flush_seconds : 1;
  w->crew = info->writers > 0 && w->nframes > 0;
  w->crew_states = w->crew && w->state_size >= TNI_CREW_STATE;
  w->rows_there = w->crew ? 0 : HSIZE_UNDEF;
  w->states_there = w->crew_states ? 0 : HSIZE_UNDEF;
  w->check_room = w->state_size && w->state_size < TNI_CHUNK_STATE ? TNI_CHUNK_STATE/w->state_size : w->crew ? 8 : 1;
  TNI_ARENA_NEW(&w->arena, w->check_t, w->state_size ? w->check_room : 0);
  TNI_ARENA_NEW(&w->arena, w->check_v, w->crew_states ? 0 : w->state_size*w->check_room);
  TNI_ARENA_NEW(&w->arena, w->check_row, w->state_size ? w->check_room : 0);
  TNI_ARENA_NEW(&w->arena, w->buffer, w->block*w->ncolumn);
  TNI_ARENA_NEW(&w->arena, w->times, w->block);
  TNI_ARENA_NEW(&w->arena, w->step_t, TNI_CHUNK_TIMES);
  TNI_ARENA_NEW(&w->arena, w->step_h, TNI_CHUNK_TIMES);
  w->nelement = info->nelement;
  TNI_ARENA_NEW(&w->arena, w->stored_of, w->nelement);
  TNI_ARENA_NEW(&w->arena, w->event_t, w->nelement ? TNI_CHUNK_TIMES : 0);
  TNI_ARENA_NEW(&w->arena, w->event_v, w->nelement ? TNI_CHUNK_TIMES*TNI_EVENT_NVALUE : 0);
  TN_TRY(tni_seat_take(&w->seat));
  w->sink.fd = w->seat.fd;
  w->flushed_at = tni_wall_time();
  TN_TRY(write_behind(w, info));
  return result(w, create_file(w) && tni_contents_create(w, info));
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

tn_status tni_results_publish(tni_writer *w) {
  tni_sink_wait(&w->sink); /* who finds the file may read it */
  TN_TRY(result(w, true));
  return tni_seat_publish(&w->seat);
}

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

static tn_status require_open(tni_writer *w) {
  TN_REQUIRE(w->ctx, !w->finished, TN_ERR_ARGUMENT, "results '%s': is finished already", w->path);
  if (w->no_memory) return tni_out_of_memory(w->ctx);
  return w->sink.error ? result(w, false) : TN_OK; /* the thread may have met it since */
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

/* how many of n that wait have been written by all who write, `there` of them, `done` in the file already */
static hsize_t promised(hsize_t there, hsize_t done, hsize_t n) { return there <= done ? 0 : there - done < n ? there - done : n; }

static bool write_data(tni_writer *w) {
  hsize_t n = promised(w->rows_there, w->nrow, w->nbuffered), left = w->nbuffered - n;
  if (!n) return true;
  bool ok = flush_frames(w) && put_rows(w, w->data, w->ncolumn, w->nrow, n, w->buffer) &&
            put_rows(w, w->time, 0, w->nrow, n, w->times);
  if (!ok) return false;
  w->nrow += n;
  w->nbuffered = left;
  memmove(w->buffer, w->buffer + n*w->ncolumn, (size_t)(left*w->ncolumn)*sizeof(double));
  memmove(w->times, w->times + n, (size_t)left*sizeof(double));
  return true;
}

/* after the rows before them */
static bool write_checkpoints(tni_writer *w) {
  hsize_t n = promised(w->states_there, w->ncheckpoint, w->ncheck_buffered), left;
  while (n && w->check_row[n - 1] > w->nrow) n--;
  if (!n) return true;
  bool ok = (w->crew_states ? note(w, H5Dflush(w->check_state) >= 0)
                            : put_rows(w, w->check_state, w->state_size, w->ncheckpoint, n, w->check_v)) &&
            put_rows(w, w->check_time, 0, w->ncheckpoint, n, w->check_t);
  if (!ok) return false;
  w->ncheckpoint += n;
  w->ncheck_buffered = left = w->ncheck_buffered - n;
  memmove(w->check_t, w->check_t + n, (size_t)left*sizeof(double));
  memmove(w->check_row, w->check_row + n, (size_t)left*sizeof(hsize_t));
  if (!w->crew_states) memmove(w->check_v, w->check_v + n*w->state_size, (size_t)(left*w->state_size)*sizeof(double));
  return true;
}

static bool write_block(tni_writer *w) {
  if (!can_write(w) || !still_ours(w) || !write_steps(w) || !write_events(w)) return false;
  if (!w->nbuffered && !w->ncheck_buffered) return true;
  bool ok = write_data(w) && write_checkpoints(w) && note(w, H5Fflush(w->file, H5F_SCOPE_LOCAL) >= 0);
  w->flushed_at = tni_wall_time();
  return ok;
}

/* by and by: a thread may be writing still */
static tn_status flush(tni_writer *w) {
  TN_TRY(require_open(w));
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  tn_status st = result(w, write_block(w));
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_flush(tni_writer *w) {
  TN_TRY(flush(w));
  tni_sink_wait(&w->sink);
  return result(w, true);
}

/* Fields apart go to the file at once, before the row that belongs to them is promised by its time. */
static tn_status append_frames(tni_writer *w, const double *values) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = can_write(w);
  for (int i = 0; i < w->nframes && ok; i++) {
    ok = note(w, tni_frames_put(&w->frames[i], w->nrow + w->nbuffered, values, w->piece, &w->sink));
    values += w->frames[i].nplace*w->frames[i].each;
  }
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_append(tni_writer *w, double t, const double *values) {
  tn_status st = tni_results_lend(w, t, values);
  tni_results_take_back(w, tni_results_mark(w));
  return st;
}

bool tni_results_lends(const tni_writer *w) { return w->sink.behind != NULL; }
size_t tni_results_mark(const tni_writer *w) { return tni_sink_mark(&w->sink); }
void tni_results_take_back(tni_writer *w, size_t mark) { tni_sink_reach(&w->sink, mark); }

tn_status tni_results_lend(tni_writer *w, double t, const double *values) {
  TN_TRY(require_open(w));
  TN_REQUIRE(w->ctx, !isnan(t), TN_ERR_ARGUMENT, "results '%s': time of row %llu is not a number",
             w->path, (unsigned long long)(w->nrow + w->nbuffered));
  if (w->nframes) TN_TRY(append_frames(w, values + w->ncolumn));
  if (w->crew) w->rows_there = w->nrow + w->nbuffered + 1; /* nobody else has to do with it */
  return tni_writer_add_row(w, t, values);
}

tn_status tni_writer_add_row(tni_writer *w, double t, const double *columns) {
  memcpy(w->buffer + w->nbuffered*w->ncolumn, columns, (size_t)w->ncolumn*sizeof(double));
  w->times[w->nbuffered++] = t;
  /* blocks end where chunks end, also after a flush in between */
  if ((w->nrow + w->nbuffered) % w->block == 0 ||
      tni_wall_time() - w->flushed_at > w->flush_seconds)
    return flush(w);
  return TN_OK;
}

tn_status tni_results_add_step(tni_writer *w, double t, double h) {
  TN_TRY(require_open(w));
  w->step_t[w->nstep_buffered] = t;
  w->step_h[w->nstep_buffered++] = h;
  /* as with the rows, pieces end where chunks end */
  return (w->nstep + w->nstep_buffered) % TNI_CHUNK_TIMES == 0 ? flush(w) : TN_OK;
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
  return (w->nevent + w->nevent_buffered) % TNI_CHUNK_TIMES == 0 ? flush(w) : TN_OK;
}

static tn_status keep_checkpoint(tni_writer *w, double t) {
  w->check_row[w->ncheck_buffered] = w->nrow + w->nbuffered;
  w->check_t[w->ncheck_buffered++] = t;
  /* a run that is over in a moment writes all of them together; nobody misses what is that young after a kill */
  if (w->ncheck_buffered < w->check_room && tni_wall_time() - w->flushed_at < YOUNG) return TN_OK;
  return flush(w);
}

/* a state where no crew writes: files that are copied */
static tn_status put_state(tni_writer *w, const double *state) {
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = can_write(w) && put_rows(w, w->check_state, w->state_size, w->ncheckpoint + w->ncheck_buffered, 1, state);
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_results_add_checkpoint(tni_writer *w, double t, const double *state) {
  TN_TRY(require_open(w));
  TN_REQUIRE(w->ctx, w->state_size > 0, TN_ERR_ARGUMENT,
             "results '%s': was created without checkpoints", w->path);
  TN_REQUIRE(w->ctx, !isnan(t), TN_ERR_ARGUMENT,
             "results '%s': time of the checkpoint is not a number", w->path);
  if (w->crew_states) {
    TN_TRY(put_state(w, state));
    w->states_there = w->ncheckpoint + w->ncheck_buffered + 1;
  } else {
    memcpy(w->check_v + w->ncheck_buffered*w->state_size, state, (size_t)w->state_size*sizeof(double));
  }
  return keep_checkpoint(w, t);
}

tn_status tni_results_checkpoint(tni_writer *w, double t, const double *state) {
  TN_TRY(tni_results_add_checkpoint(w, t, state));
  return tni_results_flush(w);
}

/* ---- with a crew ---- */

tn_status tni_writer_reserve_frames(tni_writer *w, uint64_t *address) {
  TN_TRY(require_open(w));
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = can_write(w);
  for (int i = 0; i < w->nframes && ok; i++) {
    ok = note(w, tni_frames_reserve(&w->frames[i], w->nrow + w->nbuffered, address));
    address += (w->frames[i].nplace + w->frames[i].piece - 1)/w->frames[i].piece;
  }
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_writer_reserve_state(tni_writer *w, uint64_t *address) {
  TN_TRY(require_open(w));
  hsize_t row = w->ncheckpoint + w->ncheck_buffered, dims[2] = {row + 1, w->state_size}, at[2] = {row, 0};
  tni_h5_quiet quiet;
  tni_h5_enter(&quiet);
  bool ok = can_write(w) && note(w, H5Dset_extent(w->check_state, dims) >= 0);
  for (; at[1] < w->state_size && ok; at[1] += TNI_CHUNK_STATE) {
    unsigned filters;
    haddr_t where = HADDR_UNDEF;
    hsize_t bytes;
    ok = note(w, H5Dget_chunk_info_by_coord(w->check_state, at, &filters, &where, &bytes) >= 0);
    *address++ = where;
  }
  tn_status st = result(w, ok);
  tni_h5_leave(&quiet);
  return st;
}

tn_status tni_writer_add_state(tni_writer *w, double t) { return keep_checkpoint(w, t); }

tn_status tni_writer_promise(tni_writer *w, hsize_t rows, hsize_t states, bool now) {
  if (rows > w->rows_there) w->rows_there = rows;
  if (states > w->states_there) w->states_there = states;
  return now ? flush(w) : TN_OK;
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
