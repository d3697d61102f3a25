/* output/results.h - the results file: one HDF5 file per run
 *
 * Layout (docs/user/results.md): everything is created before the run starts, then the file goes
 * into single-writer-multiple-reader mode and only grows. It is therefore readable while it is
 * written, and after Ctrl-C, kill -9 or a full disk up to the last flushed block.
 *
 *   writer:  create -> append ... / checkpoint ... -> finish -> destroy
 *   reader:  open -> read ... -> close
 *
 * This room knows no mechanics: channels have names, units and components.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RESULTS_H
#define TNI_RESULTS_H

#include "base/base.h"

/* one recorded quantity: `ncomponent` numbers per stored time */
typedef struct tni_channel {
  const char *group;            /* "bodies", "joints", "sensors", "energy", "residuals" ...        */
  const char *name;             /* path below the group: "rod/position", "pin/reaction"            */
  const char *unit;             /* "m"; "" if none                                                 */
  int ncomponent;
  const char *const *component; /* [ncomponent] "x", "y", ...                                      */
  const char *frame;            /* "ground", "body", "joint"; NULL: does not apply                 */
  const char *note;             /* e.g. "not unique: redundant constraints"; NULL: none            */
} tni_channel;

typedef struct tni_results_info {
  const char *title;
  const char *model_text;       /* as read                                                         */
  const char *model_name;       /* file name as given                                              */
  const char *settings;         /* JSON object: method, tolerance, ... as used                     */
  int nchannel;
  const tni_channel *channel;
  int ncheckpoint;              /* numbers in a checkpoint, 0: none                                */
} tni_results_info;

typedef struct tni_writer tni_writer;
typedef struct tni_reader tni_reader;

/* Create the file (replacing an old one only when everything else succeeded: written under a
 * temporary name in the same folder? no - SWMR readers need the final name from the start, so an
 * existing results file is refused unless overwrite). TN_ERR_IO with path and reason. */
tn_status tni_results_create(tn_ctx *ctx, const char *path, bool overwrite,
                             const tni_results_info *info, tni_writer **out);
/* Append one stored time: values of all channels one after the other. Buffered; a block is flushed
 * when it is full or `flush_seconds` old. TN_ERR_IO: disk full and the like; what was flushed stays
 * readable. No allocation through the context. */
tn_status tni_results_append(tni_writer *w, double t, const double *values);
tn_status tni_results_checkpoint(tni_writer *w, double t, const double *state);
tn_status tni_results_flush(tni_writer *w);
/* Write the summary (JSON) and mark the run as complete, stopped or failed. */
tn_status tni_results_finish(tni_writer *w, const char *outcome, const char *summary_json);
/* Close the file and set *w to NULL; without finish the outcome stays "running". */
void tni_results_destroy(tni_writer **w);

/* Open for reading; also a file that is being written or whose writer was killed. */
tn_status tni_results_open(tn_ctx *ctx, const char *path, tni_reader **out);
void tni_results_close(tni_reader **r);
const tni_results_info *tni_results_get_info(const tni_reader *r); /* valid until close */
const char *tni_results_outcome(const tni_reader *r); /* "complete", "stopped", "failed", "running" */
const char *tni_results_summary(const tni_reader *r); /* JSON, "" if none                     */
long tni_results_ntime(const tni_reader *r);
/* times [ntime]; values of a channel [ntime][ncomponent] for rows first..first+n-1 */
tn_status tni_results_read_times(tni_reader *r, long first, long n, double *t);
tn_status tni_results_read_channel(tni_reader *r, int channel, long first, long n, double *values);
long tni_results_ncheckpoint(const tni_reader *r);
/* the last checkpoint at or before t (any: pass HUGE_VAL) */
tn_status tni_results_read_checkpoint(tni_reader *r, double t, double *t_found, double *state);

/* CSV of chosen channels (NULL or "*": all; names may use * as wildcard) with a header line
 * "t [s],rod/position.x [m],...", 17 significant digits. */
tn_status tni_results_export_csv(tni_reader *r, const char *const *names, int nname,
                                 const char *path /* NULL: stdout is not ours: use write */,
                                 void (*write)(void *user, const char *text, size_t n), void *user);

#endif
