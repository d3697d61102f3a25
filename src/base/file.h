/* base/file.h - whole files into memory, whatever kind of file they are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FILE_H
#define TNI_FILE_H

#include "base/base.h"

enum { TNI_WHY_MAX = 200 };

/* the same for all names of one file */
typedef struct tni_file_id {
  unsigned long long device, inode;
} tni_file_id;

/* All bytes of a file and a final zero, in *text (free with tni_free) and *size. Of a longer file the
 * first limit + 1 bytes. Pipes are read to their end; one that nobody opens for writing is given up
 * after some seconds, and an interrupt of the context ends any wait (TN_INTERRUPTED).
 * TN_ERR_IO: the reason in why, no message; TN_ERR_MEMORY. */
TN_NODISCARD tn_status tni_file_read(tn_ctx *ctx, const char *path, size_t limit, char **text,
                                     size_t *size, tni_file_id *id, char why[TNI_WHY_MAX]);

/* Where a file that is written whole or not at all is written first, and what it is renamed to then: links are followed, and
 * what is there and no regular file, a device or a pipe, is written as it is (part is name then; nothing to rename). */
typedef struct tni_file_place {
  char *name, *part;
  bool through;
} tni_file_place;
TN_NODISCARD tn_status tni_file_place_find(tni_arena *arena, const char *path, tni_file_place *out);
/* rename (keep), or remove the half file; never a device. 0 or errno. */
int tni_file_place_close(const tni_file_place *place, bool keep);

#endif
