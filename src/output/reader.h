/* output/reader.h - what the files of the reader share: reader.c opens and reads rows, reader_mesh.c meshes and fields
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TENON_OUTPUT_READER_H
#define TENON_OUTPUT_READER_H

#include <stdio.h>

#include "output/frames.h"
#include "output/results.h"
#include "output/sink.h"

struct tni_reader {
  tn_ctx *ctx;
  tni_arena arena;
  char *path;
  char reason[TNI_REASON_MAX];
  bool no_memory, being_written; /* being_written: or its writer was killed */
  hsize_t file_size;             /* bytes, when it was measured last         */
  tni_sink sink;                 /* where the bytes come from                */
  hid_t driver, file, time, data, step_time, step_size, event_time, event_values, check_time, check_state;
  hsize_t ncolumn, block; /* columns of /data, rows in one of its chunks */
  tni_frames *frames;     /* [nfield] of fields apart; set -1: in /data   */
  tni_results_info info;
  long ntime, nstep, nevent, ncheckpoint;
  char outcome[TNI_OUTCOME_MAX + 1], verdict[TNI_VERDICT_MAX + 1];
  char *summary; /* [TNI_SUMMARY_MAX + 1] */
};

/* remember why HDF5 failed, before anything else is called */
static inline bool note(tni_reader *r, bool ok) {
  if (!ok && !r->reason[0]) tni_h5_reason(r->reason);
  return ok;
}

/* remember a reason of our own */
static inline bool blame(tni_reader *r, const char *reason) {
  if (!r->reason[0]) snprintf(r->reason, sizeof(r->reason), "%s", reason);
  return false;
}

static inline bool blame_memory(tni_reader *r) {
  r->no_memory = true;
  return false;
}

/* what a stretch of calls ends with: the message is made here */
tn_status tni_reader_result(tni_reader *r, bool ok);

/* A dataset of the file, -1: there is none, or its chunks are larger than any that is written: HDF5 would take memory for a whole one,
 * and fill it. */
hid_t tni_reader_open(tni_reader *r, const char *name);
/* present size of a growing dataset; ncolumn NULL: it must have one dimension */
bool tni_reader_size(tni_reader *r, hid_t set, hsize_t *nrow, hsize_t *ncolumn);
/* rows first..first+n-1, columns column..column+count-1; count 0: one dimension */
bool tni_reader_rows(tni_reader *r, hid_t set, hsize_t first, hsize_t n, hsize_t column, hsize_t count, double *values);
/* a list of texts of one size, each a line */
bool tni_reader_texts(tni_reader *r, const char *name, int *count, const char *const **out);

/* the mesh of a field, a new one if it has not been seen; all fields of a mesh fit it */
bool tni_reader_place_field(tni_reader *r, tni_mesh_info *mesh, const char *name, int nplace, tni_field *f);
/* datasets of the fields that have one */
bool tni_reader_frames(tni_reader *r);
/* cells, groups and names of nodes of all meshes; channels for who asks by name */
bool tni_reader_meshes(tni_reader *r);

#endif
