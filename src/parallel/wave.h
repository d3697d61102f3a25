/* parallel/wave.h - sweeps that follow each other along a chain of items
 *
 * Sweep i visits the items 0, 1, 2, ... in this order (pass), and before each visit an item is made ready for it by
 * itself (prepare), which is most of the work:
 *
 *   prepare(i, e)  after pass(i-1, e)
 *   pass(i, e)     after prepare(i, e), pass(i, e-1) and pass(i-1, e+1)
 *
 * With `first` given a sweep -1 without preparations comes before the others: first(e) after first(e-1), pass(0, e) after first(e+1).
 *
 * Many items are prepared at the same time by several threads, and several sweeps are under way at once. What a call finds
 * does not depend on the number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_WAVE_H
#define TNI_WAVE_H

#include <tenon/context.h>

#include "parallel/comm.h"

typedef enum {
  TNI_WAVE_ON,    /* the item needs another sweep                                             */
  TNI_WAVE_DONE,  /* it needs none; counts only where all items before are done               */
  TNI_WAVE_FAILED /* it has no future, and none of the items after it                         */
} tni_wave_answer;

typedef struct tni_wave {
  int n, max_sweeps;
  int ndesk;   /* places to work at: threads used at most                                     */
  void *user;
  void (*prepare)(void *user, int desk, int sweep, int item);
  tni_wave_answer (*pass)(void *user, int desk, int sweep, int item);
  tni_wave_answer (*first)(void *user, int desk, int item); /* NULL: none; TNI_WAVE_FAILED or anything else */
  int *state;  /* [3 n] scratch                                                               */
  /* out */
  int done;    /* items 0 .. done-1 are                                                       */
  int sweeps;  /* begun                                                                       */
  long work;   /* visits of items, all sweeps together                                        */
} tni_wave;

/* Sweeps until all items are done, one has failed or max_sweeps have been made. */
void tni_wave_run(tn_ctx *ctx, tni_wave *w);

/* The same by all ranks of a communicator together, each with its items first .. end - 1. What the visit of an item leaves for the next one are
 * `numbers` numbers: packed where it was, unpacked where the next one is. Afterwards a rank knows its own items only; done, sweeps and
 * work are those of all. `first` is called for all items on all ranks: nobody could begin earlier if it were not. */
typedef struct tni_wave_post {
  tni_comm *comm;
  int numbers;
  double *buffer; /* [numbers + 1] */
  void (*pack)(void *user, int item, double *to);
  void (*unpack)(void *user, int item, int sweep, const double *from);
} tni_wave_post;
tn_status tni_wave_run_ranks(tni_wave *w, const tni_wave_post *post);
void tni_wave_range(const tni_wave *w, int size, int rank, int *first, int *end);

#endif
