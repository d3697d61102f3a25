/* output/sink.c - HDF5 file driver over a file descriptor that hides failed writes from HDF5
 *
 * The interface is HDF5's virtual file layer. Addresses are byte positions in the file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* sync_file_range */
#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* bytes that did not go to the file */
typedef struct kept {
  struct kept *next;
  haddr_t addr;
  size_t size;
  unsigned char bytes[];
} kept;

static const haddr_t MOST = ((haddr_t)1 << 62) - 1; /* bytes of a file */

/* the driver's open file; HDF5 opens it twice when it creates a file */
typedef struct {
  H5FD_t base;  /* must be first: HDF5 sees only this                      */
  tni_sink *sink;
  haddr_t eoa;  /* end of what HDF5 has allocated                          */
  haddr_t eof;  /* end of what was written, including what is kept         */
  kept *first, **last; /* in the order of writing                          */
} sink_file;

/* what is stored in the file access list */
typedef struct {
  tni_sink *sink;
} sink_info;

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) {
  (void)name;
  (void)flags;
  (void)maxaddr;
  const sink_info *info = H5Pget_driver_info(fapl);
  if (!info) return NULL;
  sink_file *file = calloc(1, sizeof(*file));
  if (!file) return NULL;
  struct stat about;
  file->sink = info->sink;
  file->last = &file->first;
  file->eof = fstat(file->sink->fd, &about) == 0 ? (haddr_t)about.st_size : 0;
  return &file->base;
}

static herr_t sink_close(H5FD_t *f) {
  tni_sink_wait(((sink_file *)f)->sink);
  for (kept *k = ((sink_file *)f)->first; k;) {
    kept *next = k->next;
    free(k);
    k = next;
  }
  free(f);
  return 0;
}

static int sink_cmp(const H5FD_t *a, const H5FD_t *b) {
  int fa = ((const sink_file *)a)->sink->fd, fb = ((const sink_file *)b)->sink->fd;
  return fa < fb ? -1 : fa > fb;
}

static herr_t sink_query(const H5FD_t *f, unsigned long *flags) {
  /* asked without a file when a driver is chosen */
  bool read_only = f && ((const sink_file *)f)->sink->read_only;
  if (flags && read_only)
    *flags = H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  else if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *f, H5FD_mem_t type) {
  (void)type;
  return ((const sink_file *)f)->eoa;
}

static herr_t sink_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr) {
  (void)type;
  ((sink_file *)f)->eoa = addr;
  return 0;
}

static haddr_t sink_get_eof(const H5FD_t *f, H5FD_mem_t type) {
  (void)type;
  return ((const sink_file *)f)->eof;
}

static herr_t read_file(int fd, haddr_t addr, size_t size, unsigned char *to) {
  if (addr > MOST || size > MOST - addr) return -1;
  while (size) {
    ssize_t n = pread(fd, to, size, (off_t)addr);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) { /* beyond the end: allocated but not written yet */
      memset(to, 0, size);
      return 0;
    }
    to += n;
    addr += (haddr_t)n;
    size -= (size_t)n;
  }
  return 0;
}

/* In a damaged file a block may claim to be gigabytes long. What is not written yet may lie beyond the
 * end, but not by more than a block of rows. */
static bool is_absurd(int fd, haddr_t addr, size_t size) {
  enum { SLACK = 4*1024*1024 };
  struct stat about;
  return size > SLACK && (fstat(fd, &about) != 0 || addr + size > (haddr_t)about.st_size + SLACK);
}

static herr_t sink_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                        void *buffer) {
  (void)type;
  (void)dxpl;
  sink_file *file = (sink_file *)f;
  unsigned char *to = buffer;
  tni_sink_wait(file->sink);
  if (file->sink->read_only && is_absurd(file->sink->fd, addr, size)) return -1;
  if (read_file(file->sink->fd, addr, size, to) < 0) return -1;
  if (file->sink->damage && addr < TNI_SINK_HEAD)
    memcpy(to, file->sink->head + addr,
           size < TNI_SINK_HEAD - addr ? size : (size_t)(TNI_SINK_HEAD - addr));
  for (const kept *k = file->first; k; k = k->next) {
    haddr_t begin = k->addr > addr ? k->addr : addr;
    haddr_t end = k->addr + k->size < addr + size ? k->addr + k->size : addr + size;
    if (begin < end) memcpy(to + (begin - addr), k->bytes + (begin - k->addr), end - begin);
  }
  return 0;
}

static herr_t keep(sink_file *file, haddr_t addr, size_t size, const unsigned char *from) {
  kept *k = malloc(sizeof(*k) + size);
  if (!k) return -1;
  k->next = NULL;
  k->addr = addr;
  k->size = size;
  memcpy(k->bytes, from, size);
  *file->last = k;
  file->last = &k->next;
  return 0;
}

/* ---- what others do to the file ---- */

static bool damaged(tni_sink *sink, const char *what) {
  if (!sink->damage) sink->damage = what; /* before the error, which is what others look at */
  if (!sink->error) sink->error = EIO;
  return true;
}

static bool is_cut(tni_sink *sink) {
  struct stat about;
  return fstat(sink->fd, &about) == 0 && about.st_size < sink->size &&
         damaged(sink, "the file was truncated while the run wrote it");
}

static void remember(tni_sink *sink, haddr_t addr, size_t size, const unsigned char *from) {
  if (addr < TNI_SINK_HEAD)
    memcpy(sink->head + addr, from, size < TNI_SINK_HEAD - addr ? size : (size_t)(TNI_SINK_HEAD - addr));
  size_t n = size < TNI_SINK_SAMPLE ? size : TNI_SINK_SAMPLE;
  /* a write to the head in parts is rare; the sample then grows shorter, never wrong */
  int which = addr < TNI_SINK_SAMPLE ? 0 : 1;
  if (which == 0 && addr > 0) {
    if (sink->sample[0].n > (int)addr) sink->sample[0].n = (int)addr;
    return;
  }
  sink->sample[which].at = (long long)addr;
  sink->sample[which].n = (int)n;
  memcpy(sink->sample[which].bytes, from, n);
}

static void check(tni_sink *sink) {
  if (sink->error || is_cut(sink)) return;
  for (int k = 0; k < 2; k++) {
    unsigned char now[TNI_SINK_SAMPLE];
    size_t n = (size_t)sink->sample[k].n;
    if (n && (read_file(sink->fd, (haddr_t)sink->sample[k].at, n, now) < 0 ||
              memcmp(now, sink->sample[k].bytes, n) != 0))
      damaged(sink, "the file was overwritten while the run wrote it");
  }
}

void tni_sink_check(tni_sink *sink) {
  if (sink->behind) pthread_mutex_lock(&sink->lock);
  check(sink);
  if (sink->behind) pthread_mutex_unlock(&sink->lock);
}

/* ---- writes ---- */

/* The system writes when it likes, and what it has put off until the end has to be waited for there. */
static void start_disk(tni_sink *sink) {
#ifdef SYNC_FILE_RANGE_WRITE
  enum { SOME = 8*1024*1024 };
  if (sink->size < sink->started + SOME) return;
  sync_file_range(sink->fd, sink->started, sink->size - sink->started, SYNC_FILE_RANGE_WRITE);
  sink->started = sink->size;
#else
  (void)sink;
#endif
}

static bool write_now(sink_file *file, haddr_t addr, size_t size, const unsigned char *from) {
  if (!file->sink->error && !is_cut(file->sink)) remember(file->sink, addr, size, from);
  while (size && !file->sink->error) {
    ssize_t n = pwrite(file->sink->fd, from, size, (off_t)addr);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      file->sink->error = n < 0 ? errno : ENOSPC;
      break;
    }
    from += n;
    addr += (haddr_t)n;
    size -= (size_t)n;
    if ((long long)addr > file->sink->size) file->sink->size = (long long)addr;
  }
  return !size || keep(file, addr, size, from) >= 0;
}

/* on the thread; a write that fails is in sink->error for whoever comes next */
static void write_behind(void *who, long long at, size_t size, const void *bytes) {
  sink_file *file = who;
  pthread_mutex_lock(&file->sink->lock);
  if (!write_now(file, (haddr_t)at, size, bytes)) file->sink->error = ENOMEM;
  if (!file->sink->error) start_disk(file->sink);
  pthread_mutex_unlock(&file->sink->lock);
}

/* the same of what was lent */
static void pack_behind(void *who, long long at, size_t size, const void *bytes) {
  const tni_sink *sink = ((sink_file *)who)->sink;
  tni_frames_chunk c;
  memcpy(&c, bytes, size);
  tni_frames_pack(&c, sink->piece);
  write_behind(who, at, c.bytes, sink->piece);
}

static bool hand_over(sink_file *file, haddr_t addr, size_t size, const void *buffer) {
  tni_sink *sink = file->sink;
  if (!sink->behind) return false;
  if (buffer != sink->stand || size != sink->loan.bytes)
    return tni_behind_put(sink->behind, write_behind, file, (long long)addr, size, buffer);
  if (!tni_behind_put(sink->behind, pack_behind, file, (long long)addr, sizeof(sink->loan), &sink->loan)) return false;
  sink->stand = NULL;
  return true;
}

static herr_t sink_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                         const void *buffer) {
  (void)type;
  (void)dxpl;
  sink_file *file = (sink_file *)f;
  if (addr + size > file->eof) file->eof = addr + size;
  if (hand_over(file, addr, size, buffer)) return 0;
  tni_sink_wait(file->sink); /* too large to wait */
  return write_now(file, addr, size, buffer) ? 0 : -1;
}

void tni_sink_behind(tni_sink *sink, tn_ctx *ctx, size_t room, void *piece) {
  pthread_mutex_init(&sink->lock, NULL);
  sink->piece = piece;
  sink->behind = tni_behind_start(ctx, room);
  if (!sink->behind) pthread_mutex_destroy(&sink->lock);
}

void tni_sink_lend(tni_sink *sink, const void *stand, const tni_frames_chunk *c) {
  sink->stand = stand;
  sink->loan = *c;
}

bool tni_sink_lent(tni_sink *sink) {
  bool came = sink->stand == NULL;
  sink->stand = NULL;
  return came;
}

size_t tni_sink_mark(const tni_sink *sink) { return tni_behind_mark(sink->behind); }
void tni_sink_reach(tni_sink *sink, size_t mark) { tni_behind_reach(sink->behind, mark); }

void tni_sink_wait(tni_sink *sink) { tni_behind_wait(sink->behind); }

void tni_sink_end(tni_sink *sink) {
  if (!sink->behind) return;
  tni_behind_stop(&sink->behind);
  pthread_mutex_destroy(&sink->lock);
}

static herr_t sink_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing) {
  (void)dxpl;
  (void)closing;
  sink_file *file = (sink_file *)f;
  tni_sink *sink = file->sink;
  if (file->eoa == file->eof) return 0;
  tni_sink_wait(sink);
  if (!sink->error && !is_cut(sink) && ftruncate(sink->fd, (off_t)file->eoa) != 0) sink->error = errno;
  file->eof = file->eoa;
  if (sink->error) return 0;
  sink->size = (long long)file->eoa;
  sink->sample[1].n = 0; /* may be gone */
  return 0;
}

/* Readers need no lock, and a second writer is kept out by seat.h. */
static herr_t sink_lock(H5FD_t *f, hbool_t rw) {
  (void)f;
  (void)rw;
  return 0;
}

static herr_t sink_unlock(H5FD_t *f) {
  (void)f;
  return 0;
}

static const H5FD_class_t sink_class = {
#if H5_VERSION_GE(1, 13, 0)
  .version = H5FD_CLASS_VERSION,
  .value = (H5FD_class_value_t)600, /* in the range that HDF5 leaves to applications */
#endif
  .name = "tenon",
  .maxaddr = ((haddr_t)1 << 62) - 1,
  .fc_degree = H5F_CLOSE_WEAK,
  .fapl_size = sizeof(sink_info),
  .open = sink_open,
  .close = sink_close,
  .cmp = sink_cmp,
  .query = sink_query,
  .get_eoa = sink_get_eoa,
  .set_eoa = sink_set_eoa,
  .get_eof = sink_get_eof,
  .read = sink_read,
  .write = sink_write,
  .truncate = sink_truncate,
  .lock = sink_lock,
  .unlock = sink_unlock,
  .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t tni_sink_register(void) { return H5FDregister(&sink_class); }

herr_t tni_sink_select(hid_t fapl, hid_t driver, tni_sink *sink) {
  sink_info info = {sink};
  return H5Pset_driver(fapl, driver, &info);
}
