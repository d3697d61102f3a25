/* analyses/run.h - one run: a simulation, what it stores, and where it goes on from
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RUN_H
#define TNI_RUN_H

#include "analyses/analysis.h"
#include "analyses/record.h"
#include "analyses/sim.h"
#include "output/crew.h"
#include "scene/scene.h"

struct tni_run {
  tn_ctx *ctx;
  const tn_run_opts *opts; /* may be NULL                     */
  tn_sim *sim;
  tni_record rec;
  int ntable;          /* what is known before the first row  */
  tni_table *table;
  tni_writer *out;     /* NULL: nothing is stored, or by another rank */
  tni_crew *crew;      /* ranks that write it together; NULL: one does */
  bool divides;        /* rows are stored by pieces           */
  bool shows;          /* and some rank shows them            */
  double *checkpoint;  /* the last one taken                  */
  double checkpoint_time; /* NAN: none yet                    */
  double resume;       /* the run continues after this time   */
  double kept;         /* rows up to here are in another file */
  bool append;         /* to the file that the run continues  */
  double switched;     /* switches before the first that the file can have */
  struct tni_past *past; /* rows to compare with, NULL: none  */
  double next_output, next_checkpoint;
  long noutput;        /* output times passed                 */
  tni_results_info watched; /* for the watch: channels that it is shown, those of fields among them */
  double *watched_value;
  int nwatched;        /* fields of structures in its rows    */
  tni_live_field *watched_field;
  size_t *watched_at;  /* [nwatched] within the values of the record */
  double begun, shown; /* wall clock at the beginning, time spent on rows for the watch alone */
};

/* The section `analysis` of the model file, NULL if it has none. */
const tni_item *tni_run_item(const tni_run *run);
/* Open the results, once, before the first row; a transient that goes on in its file has them open.
 * Tables (run->table) are written now. */
tn_status tni_run_open(tni_run *run);
/* A row of what the simulation shows; the second heeds an interrupt first and fits tni_store_fn. */
tn_status tni_run_store(tni_run *run);
tn_status tni_run_store_rest(void *run);
/* Time of row k: from + k every, the last one exactly `until`. */
double tni_run_output_time(const tni_run *run, long k);
/* TN_INTERRUPTED when the caller asked for it. */
tn_status tni_run_heed_interrupt(const tni_run *run, double t);
/* Tell the caller how far the run is. */
void tni_run_show_progress(const tni_run *run, double t, double h, long steps);

/* Runs made of steps: rows and checkpoints up to the end of the last step; the next step. */
tn_status tni_run_store_passed(tni_run *run);
tn_status tni_run_advance(tni_run *run);
tn_status tni_run_store_switches(tni_run *run); /* what the last event has switched */

/* A number of the analysis for the summary and its JSON; the first TN_SUMMARY_FIGURES are kept. */
void tni_run_add_figure(tni_run *run, const char *name, const char *unit, double value);

#endif
