/* parallel/behind.h - a thread that does what it is handed, one piece after the other, while its owner goes on
 *
 * For writing files: what is handed over is copied, in the order in which it comes, and the order is kept. There is room for so many
 * bytes; whoever hands over more waits until there is. What is large is better lent: a few words that say where it lies are handed over, and it
 * must stay as it is until the thread has come so far (tni_behind_mark, tni_behind_reach).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BEHIND_H
#define TNI_BEHIND_H

#include "base/base.h"

typedef struct tni_behind tni_behind;
/* called on the thread; bytes are valid during the call */
typedef void (*tni_behind_work)(void *who, long long at, size_t size, const void *bytes);

/* room: bytes that may wait. NULL: there is no memory or no thread for it, and everything has to be done at once. */
tni_behind *tni_behind_start(tn_ctx *ctx, size_t room);
/* false: larger than the room, nothing was taken. One owner; allocates nothing. */
bool tni_behind_put(tni_behind *b, tni_behind_work work, void *who, long long at, size_t size, const void *bytes);
void tni_behind_wait(tni_behind *b);   /* until all is done; NULL: nothing to wait for */
size_t tni_behind_mark(const tni_behind *b); /* all that has been handed over so far; NULL: 0 */
void tni_behind_reach(tni_behind *b, size_t mark); /* until that much is done; NULL as above */
void tni_behind_stop(tni_behind **b);  /* waits first; sets *b to NULL                 */
double tni_behind_waited(const tni_behind *b); /* s: that the owner has waited for room or the end so far */

#endif
