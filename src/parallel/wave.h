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

#endif
