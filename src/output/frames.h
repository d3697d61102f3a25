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

/* bytes that tni_frames_put works in */
enum { TNI_FRAMES_PIECE = 1024*1024 };

/* places in a chunk, from nplace, each, single, writers: one size, every writer has a chunk where that is worth it */
void tni_frames_choose_piece(tni_frames *f);
/* n numbers as they lie in the file, least byte first; the rest of `bytes` is zero */
void tni_frames_pack(const double *values, hsize_t n, bool single, void *to, size_t bytes);
/* The dataset gets a frame number `row`, whose chunks have room in the file from then on; where. For others to write. */
bool tni_frames_reserve(const tni_frames *f, hsize_t row, uint64_t *address);
/* links, list: how links and datasets are made in this file */
bool tni_frames_create(hid_t file, const char *path, hid_t links, hid_t list, bool single, tni_frames *f);
/* shape: what the table of channels says; *fits: the dataset has it */
bool tni_frames_open(hid_t file, const char *path, tni_frames *f, bool *single, bool *fits);
/* values [nplace][each] become frame number `row`; not flushed. buffer: TNI_FRAMES_PIECE bytes, or those of one place where they are more */
bool tni_frames_put(const tni_frames *f, hsize_t row, const double *values, void *buffer);
bool tni_frames_get(const tni_frames *f, hsize_t first, hsize_t n, double *values); /* [n][nplace][each] */
bool tni_frames_count(const tni_frames *f, hsize_t *nrow);

#endif
