/* output/crew.h - several ranks write one results file
 *
 * The first rank has the file and its writer: it alone speaks HDF5, so that the file is what one process would have written, readable while it
 * grows and after a kill. What is large, fields apart and states of checkpoints, is a row of chunks in the file. Rank 0 makes room for those of the
 * next frame and says where they are; writers, some of the ranks or all, have neighbouring chunks each, bring together what belongs into them
 * and write it through descriptors of their own, by threads of their own while the run goes on. The time that promises a row is written when all
 * writers have said that their chunks of it are in the file.
 *
 * (Parallel HDF5 has no such order: a file that it writes cannot be read after a kill, nor while it grows.)
 *
 * All ranks call everything here alike and in the same order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CREW_H
#define TNI_CREW_H

#include "output/results.h"
#include "parallel/comm.h"

typedef struct tni_crew tni_crew;

/* Who has the numbers of a field apart when a row is stored. owner NULL: all ranks have all of them, one place after the other. Else a rank has those
 * of its own places: local, one for each of them in ascending order, says where they lie in what it hands over. */
typedef struct tni_crew_share {
  const int *owner;   /* [places] rank                         */
  const int *local;   /* [places of this rank]                 */
} tni_crew_share;

/* Numbers of the i-th field apart, as its share says; of a rank's own places valid until the next one is asked for, where all have all lent until
 * tni_crew_take_back. NULL: they could not be had. */
typedef const double *(*tni_crew_values)(void *user, int i);

/* w: the writer, on rank 0, made with info->writers; NULL elsewhere. share: [fields apart], valid as long as the crew is; NULL: all ranks have all.
 * *out NULL: there is nothing for several ranks to write, and the writer is used as it is. */
TN_NODISCARD tn_status tni_crew_create(tn_ctx *ctx, tni_comm *comm, tni_writer *w, const tni_results_info *info, const tni_crew_share *share,
                                       tni_crew **out);
/* A row: columns, those before fields apart, matter on rank 0; whole: this time all ranks have all of it. A checkpoint: state on all ranks the same. TN_ERR_IO as of the writer, with the name of
 * the rank where it is another's. What was lent (as by tni_results_lend) must stay as it is until the thread of this rank has come to what tni_crew_mark
 * said after the row, or the crew is destroyed. */
TN_NODISCARD tn_status tni_crew_append(tni_crew *c, double t, const double *columns, bool whole, tni_crew_values values, void *user);
TN_NODISCARD tn_status tni_crew_checkpoint(tni_crew *c, double t, const double *state);
size_t tni_crew_mark(const tni_crew *c);
void tni_crew_take_back(tni_crew *c, size_t mark);
bool tni_crew_lends(const tni_crew *c); /* has this rank a thread that writes? */
/* until everything is in the file */
TN_NODISCARD tn_status tni_crew_settle(tni_crew *c);
/* how many ranks write, and bytes that this one has handed over */
int tni_crew_writers(const tni_crew *c);
double tni_crew_bytes(const tni_crew *c);
/* by each rank when it likes: waits for its own thread */
void tni_crew_destroy(tni_crew **c);

#endif
