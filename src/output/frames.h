/* output/frames.h - fields with a dataset of their own, /fields/<mesh>/<field> [time][node or cell][component]
 *
 * For large meshes: what is written at one time is a few chunks of this dataset alone, in single precision where
 * that is enough. No context and no messages here: false means that HDF5 has failed, and why can be asked of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FRAMES_H
#define TNI_FRAMES_H

#include "output/h5.h"

typedef struct tni_frames {
  hid_t set;             /* -1: none                                                           */
  hsize_t nplace, each;  /* nodes or cells, numbers of each                                    */
  hsize_t piece;         /* places in a chunk                                                  */
  bool single;
  int writers;           /* ranks that write it (crew.h); 0: the owner of the file does, through HDF5  */
} tni_frames;

/* numbers of a frame that become a chunk in the file */
typedef struct tni_frames_chunk {
  const double *values;
  size_t n, bytes;       /* numbers, and bytes of the chunk, which may be more than they take */
  bool single;
} tni_frames_chunk;

struct tni_sink;

/* bytes that tni_frames_put works in */
enum { TNI_FRAMES_PIECE = 1024*1024 };

/* places in a chunk, from nplace, each, single, writers: one size, every writer has a chunk where that is worth it */
void tni_frames_choose_piece(tni_frames *f);
/* as it lies in the file, least byte first; what is left of its bytes is zero */
void tni_frames_pack(const tni_frames_chunk *c, void *to);
/* The dataset gets a frame number `row`, whose chunks have room in the file from then on; where. For others to write. */
bool tni_frames_reserve(const tni_frames *f, hsize_t row, uint64_t *address);
/* links, list: how links and datasets are made in this file */
bool tni_frames_create(hid_t file, const char *path, hid_t links, hid_t list, bool single, tni_frames *f);
/* shape: what the table of channels says; *fits: the dataset has it */
bool tni_frames_open(hid_t file, const char *path, tni_frames *f, bool *single, bool *fits);
/* values [nplace][each] become frame number `row`; not flushed. buffer: TNI_FRAMES_PIECE bytes, or those of one place where they are more.
 * sink: of the file; where a thread writes, values are lent to it and must stay as they are until it has come so far (tni_sink_mark). */
bool tni_frames_put(const tni_frames *f, hsize_t row, const double *values, void *buffer, struct tni_sink *sink);
bool tni_frames_get(const tni_frames *f, hsize_t first, hsize_t n, double *values); /* [n][nplace][each] */
bool tni_frames_count(const tni_frames *f, hsize_t *nrow);

#endif
