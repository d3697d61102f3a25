/* output/writer.h - what the files of the writer share: writer_contents.c makes what a file begins with, writer.c its rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TENON_OUTPUT_WRITER_H
#define TENON_OUTPUT_WRITER_H

#include "output/frames.h"
#include "output/results.h"
#include "output/seat.h"
#include "output/sink.h"

enum {
  TNI_CHUNK_NUMBERS = 16*1024, /* in a chunk of /data: 128 KiB                           */
  TNI_CHUNK_COLUMNS = 1024,    /* at most, so that reading one channel does not read all */
  TNI_CHUNK_TIMES = 1024,
  TNI_CHUNK_STATE = 16*1024,
  TNI_CREW_STATE = 4*TNI_CHUNK_STATE /* a checkpoint as large as this is written by a crew, if there is one */
};

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
  void *piece;                 /* for tni_frames_put                                      */
  hsize_t nstep, nstep_buffered;
  double *step_t, *step_h;     /* [CHUNK_TIMES] steps waiting                             */
  hsize_t nevent, nevent_buffered;
  double *event_t, *event_v;   /* [CHUNK_TIMES], [CHUNK_TIMES][TNI_EVENT_NVALUE] waiting  */
  int nelement;
  int *stored_of;              /* [nelement] events stored of each                        */
  double flush_seconds, flushed_at;
  hsize_t state_size, ncheckpoint, ncheck_buffered, check_room;
  double *check_t, *check_v;   /* [check_room], [check_room][state_size] checkpoints waiting */
  hsize_t *check_row;          /* [check_room] rows that they come after                  */
  /* with a crew: chunks of rows and checkpoints are written by several ranks, and what may be promised is what all have written */
  bool crew, crew_states;      /* states of checkpoints too                               */
  hsize_t rows_there, states_there;
  long long head;              /* bytes of the file before the first row                  */
  bool finished;
};

/* remember why HDF5 failed, before anything else is called */
static inline bool note(tni_writer *w, bool ok) {
  if (!ok && !w->reason[0]) tni_h5_reason(w->reason);
  return ok;
}

/* channels and fields are sound; *wide: given with its fields as further channels; numbers of columns and frames of w */
tn_status tni_contents_prepare(tni_writer *w, const tni_results_info *given, tni_results_info *wide);
/* everything but rows, and from then on others may read */
bool tni_contents_create(tni_writer *w, const tni_results_info *info);

/* For a crew. Bytes of the next frames of all fields apart, then the row of /data and its time; the same of a checkpoint: where they go, and its
 * time. What is added that way reaches the file when the crew has said so. */
TN_NODISCARD tn_status tni_writer_reserve_frames(tni_writer *w, uint64_t *address);
TN_NODISCARD tn_status tni_writer_add_row(tni_writer *w, double t, const double *columns);
TN_NODISCARD tn_status tni_writer_reserve_state(tni_writer *w, uint64_t *address);
TN_NODISCARD tn_status tni_writer_add_state(tni_writer *w, double t);
/* rows and states of the file that all ranks have written, counted from its beginning; those of one that has no more to wait for */
TN_NODISCARD tn_status tni_writer_promise(tni_writer *w, hsize_t rows, hsize_t states, bool now);

#endif
