/* output/seat.h - where a results file lives: its lock, its temporary and its final name
 *
 * A file is made under a temporary name beside the final one and renamed when it is whole: no reader
 * ever sees half a header, and an old file is lost only when the new one works.
 *
 * Its writer holds a lock on it until it is closed, and on the file that it is going to replace. A
 * second run on the same file is refused by that. The locks are those of open file descriptions
 * (fcntl): they end with the process however it dies, two writers in one process see each other, and
 * readers, which lock through flock if at all, do not see them. Where there are no locks (some network
 * file systems) there is no such protection, and tni_seat_lost tells the run that lost its file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SEAT_H
#define TNI_SEAT_H

#include "base/base.h"

typedef struct tni_seat {
  tn_ctx *ctx;
  tni_arena *arena;
  const char *path;    /* as given, for messages                                    */
  char *final;         /* where the file goes: path with links followed             */
  char *temporary;     /* NULL once it has its final name                           */
  bool overwrite;
  int fd;              /* of the new file, -1: none; belongs to the caller          */
  int old;             /* of the file to be replaced, locked; -1: none              */
} tni_seat;

/* Check that the file may go there, lock what is there, open a temporary file. path, overwrite, ctx
 * and arena are set by the caller. TN_ERR_IO with path and reason. */
TN_NODISCARD tn_status tni_seat_take(tni_seat *s);
/* Give the file its final name. */
TN_NODISCARD tn_status tni_seat_publish(tni_seat *s);
/* Why the file with the final name is no longer ours, NULL if it is. */
const char *tni_seat_lost(const tni_seat *s);
/* Remove what has no final name, and give the old file free. Does not close fd. */
void tni_seat_leave(tni_seat *s);

#endif
