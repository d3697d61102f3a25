/* output/h5.h - what writer and reader share: the layout's names, quiet HDF5 calls, messages
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_H5_H
#define TNI_H5_H

#include <hdf5.h>

#include "output/results.h"

/* the layout, documented in docs/user/results.md */
#define TNI_FORMAT "tenon-results"
/* 4 where fields lie apart, else 3: older readers take what they know */
enum { TNI_FORMAT_VERSION = 4, TNI_FORMAT_PLAIN = 3, TNI_REASON_MAX = 256 };
#define TNI_H5_TIME "time"
#define TNI_H5_DATA "data"
#define TNI_H5_CHANNELS "channels"
#define TNI_H5_MODEL_TEXT "model/text"
#define TNI_H5_MODEL_NAME "model/name"
#define TNI_H5_SCENE "scene"
#define TNI_H5_SETTINGS "settings"
#define TNI_H5_SUMMARY "summary"
#define TNI_H5_OUTCOME "outcome"
#define TNI_H5_VERDICT "verdict"
#define TNI_H5_STEP_TIME "steps/t"
#define TNI_H5_STEP_SIZE "steps/h"
#define TNI_H5_EVENT_TIME "events/t"
#define TNI_H5_EVENT_VALUES "events/values"
#define TNI_H5_EVENT_ELEMENTS "events/elements"
#define TNI_H5_EVENT_KINDS "events/kinds"
#define TNI_H5_FIELDS "fields"
#define TNI_H5_MESHES "meshes"
#define TNI_H5_CHECKPOINT_TIME "checkpoints/time"
#define TNI_H5_CHECKPOINT_STATE "checkpoints/state"

/* columns of the table of channels: the texts, then two integers */
enum { TNI_COLUMN_GROUP, TNI_COLUMN_NAME, TNI_COLUMN_UNIT, TNI_COLUMN_COMPONENTS,
       TNI_COLUMN_FRAME, TNI_COLUMN_NOTE, TNI_COLUMN_NTEXT };
extern const char *const tni_h5_column[TNI_COLUMN_NTEXT];
#define TNI_H5_FIRST "first"
#define TNI_H5_COUNT "count"

/* HDF5 prints its errors unless told otherwise; what the program around us had set is put back. */
typedef struct tni_h5_quiet {
  H5E_auto2_t print;
  void *data;
} tni_h5_quiet;
void tni_h5_enter(tni_h5_quiet *quiet);
void tni_h5_leave(const tni_h5_quiet *quiet);

/* The innermost description of the last failed HDF5 call, one line. Must come before any other
 * call of HDF5, which would clear it. */
void tni_h5_reason(char reason[TNI_REASON_MAX]);
void tni_errno_reason(int error, char reason[TNI_REASON_MAX]);

/* A finished file ends with a sum over its first bytes, in which HDF5 keeps everything but the numbers:
 * its own sums are no help against blocks that contradict each other, which can crash it. Whoever changes
 * the file through HDF5 takes the sum away by that. */
typedef struct tni_seal {
  char magic[8];
  uint64_t head, sum, size; /* bytes summed up, their sum, bytes before the seal */
} tni_seal;
#define TNI_SEAL_MAGIC "TNSEAL1\n"
/* the seal that the open file should have; false: it cannot be read */
bool tni_seal_make(int fd, uint64_t head, uint64_t size, tni_seal *out);

/* HDF5 does not survive a failing malloc, it crashes. Before a stretch of its calls we ask whether there
 * is enough for all of them (tni_has_memory). */
enum {
  TNI_H5_OPEN_ROOM = 32*1024*1024,  /* to make or open a file, without its channels             */
  TNI_H5_VIEW_ROOM = 16*1024,       /* more for each named view                                 */
  TNI_H5_FRAME_ROOM = 4*1024*1024,  /* more for each field with a dataset of its own            */
  TNI_H5_WRITE_ROOM = 8*1024*1024   /* to write a block                                         */
};

void tni_h5_close(hid_t *id);               /* of any kind; may be negative; becomes -1        */
hid_t tni_h5_text_type(size_t length);      /* fixed length, UTF-8, padded with zeros          */

/* of an open reader */
tn_ctx *tni_reader_ctx(const tni_reader *r);
const char *tni_reader_path(const tni_reader *r);
long tni_reader_block(const tni_reader *r); /* rows that lie together in the file */

/* the row whose time is nearest; TN_ERR_ARGUMENT: far outside of what is stored */
TN_NODISCARD tn_status tni_results_nearest(tni_reader *r, double time, long *row);

/* Does the text match the pattern, in which * stands for any text and ? for any character? */
bool tni_wildcard_match(const char *pattern, const char *text);

#endif
