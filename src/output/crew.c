/* output/crew.c - several ranks write one results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* sync_file_range */
#include "output/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/writer.h"
#include "parallel/behind.h"

enum { TAG_FIELD = 7101, TAG_REPORT = 7102 };

/* what a rank has and writes of a field apart */
typedef struct {
  tni_frames f;       /* shape; no dataset                                   */
  int nchunk, address; /* of a frame; their first place among the addresses  */
  int *chunk;         /* [writers+1] of each writer                          */
  const int *owner, *local;
  int *mine;          /* [writers+1] own places for each writer, of `local`  */
  int *from;          /* [ranks+1] places that come from each rank; owner only */
  size_t slab;        /* where this writer's places begin in a slab; owner only */
} field;

/* of rank 0 in front of everything that goes to the file */
typedef struct {
  char path[PATH_MAX];
  int writers, at_once;
  long rows, states;        /* in the file already                           */
  long room, room_states;   /* that may wait to be promised                  */
  int crew_states;
  unsigned long long file;  /* which one it is: elsewhere another may have its name */
} start;

struct tni_crew {
  tn_ctx *ctx;
  tni_comm *comm;
  tni_arena arena;
  tni_writer *w;            /* on rank 0                                     */
  char *path;
  int fd, nwriter, me;      /* me: number of this writer, -1: it is none     */
  int *rank;                /* [writers]                                     */
  int nfield;
  field *field;
  int naddress;             /* of a frame or a state, whichever has more     */
  uint64_t *address;
  bool states;              /* of checkpoints are written by all             */
  size_t nstate;
  void *piece, *packed;     /* of a state; a chunk, by whoever writes it     */
  double *pack, *bits;      /* to one writer; from other ranks               */
  double *slab[2];          /* what came together of a row: the thread reads one while the next one comes */
  size_t lent[2];           /* how far the thread has to be before they may change */
  int turn;
  int *next;                /* [ranks]                                       */
  tni_behind *behind;
  atomic_int error;         /* errno of this rank                            */
  long rows, states_n;      /* handed over, counted from the beginning of the file */
  atomic_long rows_done, states_done; /* in the file                         */
  long waiting, waiting_states, room, room_states;
  long long low, high;      /* what has been written since the disk was told to begin */
  double bytes;
};

/* ---- bytes into the file ------------------------------------------------------------------------- */

/* The system writes when it likes, and what it has put off until the end has to be waited for there. */
static void start_disk(tni_crew *c, long long at, size_t size) {
#ifdef SYNC_FILE_RANGE_WRITE
  enum { SOME = 8*1024*1024 };
  if (c->high <= c->low) c->low = at, c->high = at;
  if (at < c->low) c->low = at;
  if (at + (long long)size > c->high) c->high = at + (long long)size;
  if (c->high - c->low < SOME) return;
  sync_file_range(c->fd, c->low, c->high - c->low, SYNC_FILE_RANGE_WRITE);
  c->low = c->high = 0;
#else
  (void)c, (void)at, (void)size;
#endif
}

/* on the thread, or at once */
static void write_some(void *who, long long at, size_t size, const void *bytes) {
  tni_crew *c = who;
  const char *from = bytes;
  start_disk(c, at, size);
  while (size && !c->error) {
    ssize_t n = pwrite(c->fd, from, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      c->error = n < 0 ? errno : ENOSPC;
      return;
    }
    from += n;
    at += n;
    size -= (size_t)n;
  }
}

/* the same of numbers where they lie */
static void write_chunk(void *who, long long at, size_t size, const void *bytes) {
  tni_crew *c = who;
  tni_frames_chunk chunk;
  memcpy(&chunk, bytes, size);
  tni_frames_pack(&chunk, c->packed);
  write_some(c, at, chunk.bytes, c->packed);
}

static void end_row(void *who, long long at, size_t size, const void *bytes) {
  tni_crew *c = who;
  (void)at, (void)size, (void)bytes;
  if (!c->error) atomic_fetch_add(&c->rows_done, 1);
}

static void end_state(void *who, long long at, size_t size, const void *bytes) {
  tni_crew *c = who;
  (void)at, (void)size, (void)bytes;
  if (!c->error) atomic_fetch_add(&c->states_done, 1);
}

static void put(tni_crew *c, tni_behind_work work, long long at, size_t size, const void *bytes) {
  if (c->behind && tni_behind_put(c->behind, work, c, at, size, bytes)) return;
  tni_behind_wait(c->behind); /* too large to wait */
  work(c, at, size, bytes);
}

static tn_status own_trouble(const tni_crew *c) {
  char reason[TNI_REASON_MAX];
  if (!c->error) return TN_OK;
  tni_errno_reason(c->error, reason);
  return TN_FAIL(c->ctx, TN_ERR_IO, "results '%s': %s", c->path, reason);
}

/* ---- create --------------------------------------------------------------------------------------- */

/* writers are spread over the ranks, the first is rank 0 */
static int rank_of_writer(const tni_crew *c, int k) { return (int)((long)k*c->comm->size/c->nwriter); }

static tn_status plan_writers(tni_crew *c) {
  c->me = -1;
  TNI_ARENA_NEW(&c->arena, c->rank, c->nwriter);
  for (int k = 0; k < c->nwriter; k++) {
    c->rank[k] = rank_of_writer(c, k);
    if (c->rank[k] == c->comm->rank) c->me = k;
  }
  return TN_OK;
}

/* place where the chunks of writer k begin, k = writers: the end */
static int first_place(const field *f, int k) {
  hsize_t at = (hsize_t)f->chunk[k]*f->f.piece;
  return (int)(at < f->f.nplace ? at : f->f.nplace);
}

static tn_status plan_field(tni_crew *c, field *f, const tni_crew_share *share) {
  TNI_ARENA_NEW(&c->arena, f->chunk, c->nwriter + 1);
  for (int k = 0; k <= c->nwriter; k++) f->chunk[k] = (int)((long)k*f->nchunk/c->nwriter);
  if (!share || !share->owner) return TN_OK;
  f->owner = share->owner;
  f->local = share->local;
  TNI_ARENA_NEW(&c->arena, f->mine, c->nwriter + 1);
  TNI_ARENA_NEW(&c->arena, f->from, c->comm->size + 1);
  for (int k = 0; k < c->nwriter; k++) {
    f->mine[k + 1] = f->mine[k];
    for (int i = first_place(f, k); i < first_place(f, k + 1); i++) {
      f->mine[k + 1] += f->owner[i] == c->comm->rank;
      if (k == c->me && f->owner[i] != c->comm->rank) f->from[f->owner[i] + 1]++;
    }
  }
  for (int r = 0; r < c->comm->size; r++) f->from[r + 1] += f->from[r];
  return TN_OK;
}

static tn_status plan(tni_crew *c, const tni_results_info *info, const tni_crew_share *share) {
  size_t most = 0, slab = 0, frame = 0, piece = TNI_FRAMES_PIECE;
  TNI_ARENA_NEW(&c->arena, c->next, c->comm->size + 1);
  for (int i = 0; i < c->nfield; i++) {
    field *f = &c->field[i];
    size_t place = (size_t)f->f.each*sizeof(double);
    TN_TRY(plan_field(c, f, share ? &share[i] : NULL));
    if (f->owner && (size_t)f->f.nplace*place > most) most = (size_t)f->f.nplace*place;
    if (place > piece) piece = place;
    size_t own = c->me < 0 ? 0 : (size_t)(first_place(f, c->me + 1) - first_place(f, c->me))*place;
    frame += own;
    if (!f->owner) continue;
    f->slab = slab;
    slab += own/sizeof(double);
  }
  /* of a field a rank sends at most all, and takes at most all */
  TNI_ARENA_NEW(&c->arena, c->pack, most/sizeof(double));
  TNI_ARENA_NEW(&c->arena, c->bits, c->me >= 0 ? most/sizeof(double) : 0);
  TNI_ARENA_NEW(&c->arena, c->slab[0], slab);
  if (c->me < 0) return TN_OK;
  if (!(c->piece = tni_arena_alloc(&c->arena, TNI_CHUNK_STATE, sizeof(double)))) return tni_out_of_memory(c->ctx);
  if (!(c->packed = tni_arena_alloc(&c->arena, piece, 1))) return tni_out_of_memory(c->ctx);
  const size_t LEAST = 512*1024, MOST = 512*1024*1024;
  size_t room = c->states ? 2*c->nstate*sizeof(double)/(size_t)c->nwriter : 0;
  room = (room < MOST ? room : MOST) + 2*LEAST;
  if (!info->at_once && tni_has_memory(2*(room + frame))) c->behind = tni_behind_start(c->ctx, room);
  if (c->behind) TNI_ARENA_NEW(&c->arena, c->slab[1], slab);
  return TN_OK;
}

/* network file systems may show a new file a moment later */
static bool open_file(tni_crew *c, const char *path) {
  const struct timespec moment = {0, 20*1000*1000};
  for (int k = 0; k < 100; k++) {
    c->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (c->fd >= 0 || errno != ENOENT) break;
    nanosleep(&moment, NULL);
  }
  return c->fd >= 0;
}

/* a file has it on its file system, whoever looks */
static unsigned long long number_of(int fd) {
  struct stat about;
  return fd >= 0 && fstat(fd, &about) == 0 ? (unsigned long long)about.st_ino : 0;
}

/* chunks of fields, which all ranks count alike */
static tn_status count_chunks(tni_crew *c, const tni_results_info *info) {
  TNI_ARENA_NEW(&c->arena, c->field, info->nfield);
  for (int i = 0; i < info->nfield; i++) {
    if (!info->field[i].apart) continue;
    field *f = &c->field[c->nfield++];
    f->f = (tni_frames){.set = -1, .each = (hsize_t)info->field[i].ncomponent, .single = info->field[i].single, .writers = info->writers};
    f->f.nplace = (hsize_t)(tni_field_size(info, &info->field[i])/info->field[i].ncomponent);
    tni_frames_choose_piece(&f->f);
    f->nchunk = (int)((f->f.nplace + f->f.piece - 1)/f->f.piece);
    f->address = c->naddress;
    c->naddress += f->nchunk;
  }
  return TN_OK;
}

static tn_status begin(tni_crew *c, const tni_results_info *info, const tni_crew_share *share) {
  start s = {.writers = info->writers < c->comm->size ? info->writers : c->comm->size, .at_once = info->at_once};
  const tni_writer *w = c->w;
  TN_TRY(count_chunks(c, info));
  if (w) {
    snprintf(s.path, sizeof(s.path), "%s", w->seat.temporary ? w->seat.temporary : w->seat.final);
    s.rows = (long)(w->nrow + w->nbuffered);
    s.states = (long)(w->ncheckpoint + w->ncheck_buffered);
    s.room = (long)w->block - (long)w->nbuffered;
    s.room_states = (long)w->check_room - (long)w->ncheck_buffered;
    s.crew_states = w->crew_states;
    s.file = number_of(w->seat.fd);
  }
  TN_TRY(tni_comm_broadcast(c->comm, 0, &s, sizeof(s)));
  c->nwriter = s.writers;
  TN_TRY(plan_writers(c));
  double unseen = c->me >= 0 && (!open_file(c, s.path) || number_of(c->fd) != s.file);
  TN_TRY(tni_comm_max(c->comm, 1, &unseen));
  if (unseen > 0) { /* no common file system */
    tni_log(c->ctx, TN_LOG_INFO, "results '%s': not all ranks can open the file; the first one writes alone", c->path);
    if (c->fd >= 0 && c->comm->rank > 0) {
      close(c->fd);
      c->fd = -1;
    }
    c->nwriter = 1;
    TN_TRY(plan_writers(c));
  }
  c->rows = c->rows_done = s.rows;
  c->states_n = c->states_done = s.states;
  c->room = s.room;
  c->room_states = s.room_states;
  c->states = s.crew_states;
  c->nstate = (size_t)info->ncheckpoint;
  int chunks = c->states ? (int)((c->nstate + TNI_CHUNK_STATE - 1)/TNI_CHUNK_STATE) : 0;
  if (chunks > c->naddress) c->naddress = chunks;
  tn_status st = TN_OK;
  if (!(c->address = tni_arena_alloc(&c->arena, (size_t)c->naddress + 1, sizeof(*c->address)))) st = tni_out_of_memory(c->ctx);
  if (st == TN_OK) st = plan(c, info, share);
  return tni_comm_agree(c->comm, st);
}

tn_status tni_crew_create(tn_ctx *ctx, tni_comm *comm, tni_writer *w, const tni_results_info *info, const tni_crew_share *share, tni_crew **out) {
  *out = NULL;
  int apart = 0;
  for (int i = 0; i < info->nfield; i++) apart += info->field[i].apart;
  if (!comm || info->writers < 1 || apart == 0) return TN_OK;
  tni_crew *c = tni_alloc(ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(ctx);
  c->ctx = ctx;
  c->comm = comm;
  c->w = w;
  c->fd = -1;
  tni_arena_init(&c->arena, ctx);
  c->path = tni_arena_strdup(&c->arena, w ? w->path : "");
  tn_status st = c->path ? begin(c, info, share) : tni_out_of_memory(ctx);
  if (st == TN_OK) *out = c;
  else tni_crew_destroy(&c);
  return st;
}

void tni_crew_destroy(tni_crew **crew) {
  if (!crew || !*crew) return;
  tni_crew *c = *crew;
  tn_ctx *ctx = c->ctx;
  *crew = NULL;
  tni_behind_stop(&c->behind);
  if (c->fd >= 0) close(c->fd);
  tni_arena_clear(&c->arena);
  tni_free(ctx, c);
}

bool tni_crew_lends(const tni_crew *c) { return c->behind != NULL; }
size_t tni_crew_mark(const tni_crew *c) { return tni_behind_mark(c->behind); }
void tni_crew_take_back(tni_crew *c, size_t mark) { tni_behind_reach(c->behind, mark); }

int tni_crew_writers(const tni_crew *c) { return c ? c->nwriter : 0; }
double tni_crew_bytes(const tni_crew *c) { return c ? c->bytes : 0; }

/* ---- what belongs into the chunks of a writer comes together ------------------------------------------ */

/* *slab: places of this writer, from its first one on; nothing for others */
static tn_status bring(tni_crew *c, const field *f, bool whole, const double *values, const double **slab) {
  size_t each = (size_t)f->f.each;
  *slab = NULL;
  if (!f->owner || whole) {
    if (c->me >= 0) *slab = values + (size_t)first_place(f, c->me)*each;
    return TN_OK;
  }
  for (int k = 0; k < c->nwriter; k++) {
    int n = f->mine[k + 1] - f->mine[k];
    if (k == c->me || n == 0) continue;
    for (int i = 0; i < n; i++) memcpy(c->pack + (size_t)i*each, values + (size_t)f->local[f->mine[k] + i]*each, each*sizeof(double));
    TN_TRY(tni_comm_send(c->comm, c->rank[k], TAG_FIELD, c->pack, (size_t)n*each*sizeof(double)));
  }
  if (c->me < 0) return TN_OK;
  for (int r = 0; r < c->comm->size; r++) {
    size_t n = (size_t)(f->from[r + 1] - f->from[r]);
    if (n) TN_TRY(tni_comm_receive(c->comm, r, TAG_FIELD, c->bits + (size_t)f->from[r]*each, n*each*sizeof(double)));
    c->next[r] = f->from[r];
  }
  int begin = first_place(f, c->me), end = first_place(f, c->me + 1), own = f->mine[c->me];
  double *to = c->slab[c->turn] + f->slab;
  for (int i = begin; i < end; i++, to += each) {
    int who = f->owner[i];
    const double *from = who == c->comm->rank ? values + (size_t)f->local[own++]*each : c->bits + (size_t)c->next[who]++*each;
    memcpy(to, from, each*sizeof(double));
  }
  *slab = c->slab[c->turn] + f->slab;
  return TN_OK;
}

static void lend_chunks(tni_crew *c, const field *f, const double *slab) {
  size_t each = (size_t)f->f.each, bytes = (size_t)f->f.piece*each*(f->f.single ? sizeof(float) : sizeof(double));
  int left = first_place(f, c->me + 1) - first_place(f, c->me);
  for (int k = f->chunk[c->me]; k < f->chunk[c->me + 1]; k++) {
    int n = left < (int)f->f.piece ? left : (int)f->f.piece;
    const tni_frames_chunk chunk = {slab, (size_t)n*each, bytes, f->f.single};
    put(c, write_chunk, (long long)c->address[f->address + k], sizeof(chunk), &chunk);
    c->bytes += (double)bytes;
    slab += (size_t)n*each;
    left -= n;
  }
}

/* ---- rows and checkpoints ------------------------------------------------------------------------------ */

/* What all have written by now is promised; wait: all of it. */
static tn_status report(tni_crew *c, bool wait) {
  if (wait) tni_behind_wait(c->behind);
  TN_TRY(own_trouble(c));
  double done[] = {c->me >= 0 ? (double)c->rows_done : (double)c->rows, c->me >= 0 ? (double)c->states_done : (double)c->states_n}, other[2];
  if (c->comm->rank > 0) {
    if (c->me >= 0) TN_TRY(tni_comm_send(c->comm, 0, TAG_REPORT, done, sizeof(done)));
  } else {
    for (int k = 1; k < c->nwriter; k++) {
      TN_TRY(tni_comm_receive(c->comm, c->rank[k], TAG_REPORT, other, sizeof(other)));
      for (int i = 0; i < 2; i++)
        if (other[i] < done[i]) done[i] = other[i];
    }
    TN_TRY(tni_writer_promise(c->w, (hsize_t)done[0], c->states ? (hsize_t)done[1] : HSIZE_UNDEF, wait));
  }
  if (wait) c->waiting = c->waiting_states = 0;
  return TN_OK;
}

tn_status tni_crew_settle(tni_crew *c) {
  if (!c) return TN_OK;
  TN_TRY(report(c, true));
  /* what was waiting on rank 0 is in the file: the buffers are empty everywhere */
  if (c->w) c->room = (long)c->w->block, c->room_states = (long)c->w->check_room;
  long room[2] = {c->room, c->room_states};
  TN_TRY(tni_comm_broadcast(c->comm, 0, room, sizeof(room)));
  c->room = room[0];
  c->room_states = room[1];
  return TN_OK;
}

tn_status tni_crew_append(tni_crew *c, double t, const double *columns, bool whole, tni_crew_values values, void *user) {
  TN_TRY(own_trouble(c));
  if (c->w) TN_TRY(tni_writer_reserve_frames(c->w, c->address));
  TN_TRY(tni_comm_broadcast(c->comm, 0, c->address, (size_t)c->naddress*sizeof(*c->address)));
  tni_behind_reach(c->behind, c->lent[c->turn]);
  for (int i = 0; i < c->nfield; i++) {
    const double *slab, *mine = values(user, i);
    if (!mine) return c->comm->trouble != TN_OK ? c->comm->trouble : tni_out_of_memory(c->ctx);
    TN_TRY(bring(c, &c->field[i], whole, mine, &slab));
    if (c->me >= 0) lend_chunks(c, &c->field[i], slab);
  }
  if (c->me >= 0) put(c, end_row, 0, 0, c);
  c->lent[c->turn] = tni_behind_mark(c->behind);
  if (c->behind) c->turn = !c->turn;
  c->rows++;
  if (c->w) TN_TRY(tni_writer_add_row(c->w, t, columns));
  return ++c->waiting >= c->room ? tni_crew_settle(c) : report(c, false);
}

tn_status tni_crew_checkpoint(tni_crew *c, double t, const double *state) {
  TN_TRY(own_trouble(c));
  c->states_n++;
  if (c->states) {
    if (c->w) TN_TRY(tni_writer_reserve_state(c->w, c->address));
    TN_TRY(tni_comm_broadcast(c->comm, 0, c->address, (size_t)c->naddress*sizeof(*c->address)));
    long n = (long)((c->nstate + TNI_CHUNK_STATE - 1)/TNI_CHUNK_STATE);
    for (long k = c->me*n/c->nwriter; c->me >= 0 && k < (c->me + 1)*n/c->nwriter; k++) {
      size_t from = (size_t)k*TNI_CHUNK_STATE, count = c->nstate - from < TNI_CHUNK_STATE ? c->nstate - from : TNI_CHUNK_STATE;
      const tni_frames_chunk chunk = {state + from, count, TNI_CHUNK_STATE*sizeof(double), false};
      tni_frames_pack(&chunk, c->piece);
      put(c, write_some, (long long)c->address[k], chunk.bytes, c->piece);
      c->bytes += (double)chunk.bytes;
    }
    if (c->me >= 0) put(c, end_state, 0, 0, c);
    if (c->w) TN_TRY(tni_writer_add_state(c->w, t));
  } else if (c->w) {
    TN_TRY(tni_results_add_checkpoint(c->w, t, state));
  }
  return ++c->waiting_states >= c->room_states ? tni_crew_settle(c) : report(c, false);
}
