/* output/sink.h - where HDF5's bytes go and come from: a file driver that survives a failing disk, and
 * files that were damaged
 *
 * HDF5 does not recover from a failed write: its caches stay dirty, the file cannot be closed any
 * more and the library complains on stderr when the program ends. Our driver therefore never tells
 * it. The first failed write is remembered in `error`, and from then on writes are kept in memory
 * for HDF5 to read back, so that the file on disk stays exactly as it was at that moment: the same
 * as after kill -9, which the single-writer-multiple-reader order of writes is made for. The caller
 * looks at `error` after each call and closes the file at the first failure, so that little is
 * kept.
 *
 * The file may also be damaged by others while it is written. Before every write its length is
 * compared with what was written so far, and tni_sink_check looks whether the head of the file and
 * the latest bytes are still what they were.
 *
 * Writes may be left to a thread (tni_sink_behind): a frame of a large mesh is then on its way to the disk while the run goes on. They are made in
 * the order in which HDF5 asks for them, so that a process that is killed leaves what it would have left a moment earlier. Whoever reads, cuts or
 * closes the file waits for them. From time to time the system is told to begin with what it holds, so that little is left to do at the end.
 * Frames are lent to the thread (tni_sink_lend): it converts and writes numbers from where they lie, and nobody copies them.
 *
 * For reading, the driver leaves out what HDF5 does between itself and a file to save calls (its
 * accumulator copies beyond its buffers when a damaged file names an absurd place), and refuses places
 * that no file has.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SINK_H
#define TNI_SINK_H

#include <hdf5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "output/frames.h"
#include "parallel/behind.h"

enum { TNI_SINK_SAMPLE = 64, TNI_SINK_HEAD = 4096 };

typedef struct tni_sink {
  int fd;             /* belongs to the caller                                      */
  bool read_only;
  atomic_int error;   /* errno of the first failure, 0: none                        */
  _Atomic(const char *) damage; /* what others have done to the file, NULL: nothing; error is then EIO */
  tni_behind *behind; /* writes; NULL: they are made at once                        */
  void *piece;        /* belongs to the caller: where the thread packs what is lent */
  const void *stand;  /* what HDF5 is going to write in the place of `loan`; NULL: nothing */
  tni_frames_chunk loan;
  long long started;  /* end of what the system has been told to begin with         */
  pthread_mutex_t lock; /* of what follows, with a thread that writes               */
  long long size;     /* of the file, as far as we know                             */
  struct {
    long long at;
    int n;
    unsigned char bytes[TNI_SINK_SAMPLE];
  } sample[2];        /* bytes at the head of the file, and of the latest write     */
  unsigned char head[TNI_SINK_HEAD]; /* first bytes as written: HDF5 reads them back to close a file,
                                        also one that others have damaged           */
} tni_sink;

/* Has somebody else cut or overwritten the file? Sets error and damage. */
void tni_sink_check(tni_sink *sink);

/* Register the driver (close with H5Idec_ref after the file) and select it in the file access
 * list fapl for the given sink, which must outlive the file. Negative on failure. */
hid_t tni_sink_register(void);
/* From now on a thread writes, as long as less than `room` bytes wait; no thread, no harm. Before the file is made; ends with tni_sink_end, after it.
 * piece: for the thread, as large as the largest chunk that is lent. */
void tni_sink_behind(tni_sink *sink, tn_ctx *ctx, size_t room, void *piece);
/* With a thread: when HDF5 comes to write c->bytes bytes from `stand`, the chunk is what is meant. The numbers must stay as they are until the thread has
 * reached what tni_sink_mark then says. Afterwards: did it come? It wrote what is in `stand` otherwise. */
void tni_sink_lend(tni_sink *sink, const void *stand, const tni_frames_chunk *c);
bool tni_sink_lent(tni_sink *sink);
size_t tni_sink_mark(const tni_sink *sink);
void tni_sink_reach(tni_sink *sink, size_t mark);
void tni_sink_wait(tni_sink *sink); /* until everything has been written, or has failed */
void tni_sink_end(tni_sink *sink);
herr_t tni_sink_select(hid_t fapl, hid_t driver, tni_sink *sink);

#endif
