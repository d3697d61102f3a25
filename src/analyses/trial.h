/* analyses/trial.h - one model run by many methods, each judged by the same reference
 *
 * Serves the comparison of methods and the search for a tolerance that keeps the error of a whole run
 * within what was asked.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TRIAL_H
#define TNI_TRIAL_H

#include <tenon/compare.h>

#include "base/base.h"

#define TNI_AUTO "auto"       /* chooses by itself, is in no list    */

typedef struct {
  tn_ctx *ctx;
  const tn_model *model;
  tn_run_opts run;         /* what all runs share                     */
  double limit;            /* CPU seconds of a run                    */
  double from, until;
  int ntime, nbody;
  double *reference, *trial; /* [ntime][nbody] states                 */
  bool has_reference;
  tn_compare_reference ref;
  void (*progress)(void *user, const char *method, double tolerance, double t, double t_end);
  void *user;
  /* the steps of the last run */
  double *history_t, *history_h;
  long nhistory, stride, skipped;
  char system[256], reference_system[256]; /* representation and solver of the last run */
} tni_trials;

/* limit, ntime: 0: usual */
tn_status tni_trials_prepare(tni_trials *j, tn_ctx *ctx, tni_arena *arena, const tn_model *model,
                             const tn_run_opts *run, double limit, int ntime);

void tni_trials_begin_row(tn_compare_row *row, const char *method, double tolerance);

/* One run of row->method at row->tolerance; fills the row, all but its errors. Anything but TN_OK
 * ends the whole comparison. Timed: short runs are repeated, and the fastest counts. */
tn_status tni_trials_run_once(tni_trials *j, double limit, tn_compare_row *row, double *trajectory);
tn_status tni_trials_run_timed(tni_trials *j, double limit, tn_compare_row *row,
                               double *trajectory);

/* errors of a row: x against ref */
void tni_trials_measure(const tni_trials *j, const double *x, const double *ref,
                        tn_compare_row *row);

/* Run and check the reference. method: NULL: chosen by trials at the loosest tolerance. */
tn_status tni_trials_find_reference(tni_trials *j, const char *method, double loosest,
                                    double tightest);

#endif
