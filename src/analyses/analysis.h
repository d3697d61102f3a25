/* analyses/analysis.h - what can be done with a model: one table entry and one file per analysis
 *
 * A run (run.h) reads the settings, assembles the model, opens the results and writes the summary; the
 * analysis says what lies between. The word after `type:`, its keys, channels and figures reach reader,
 * schema, reference, results and summary through the list (list.c). Recipe: CONTRIBUTING.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ANALYSIS_H
#define TNI_ANALYSIS_H

#include <tenon/analysis.h>

#include "model/spec.h"
#include "output/json.h"
#include "output/results.h"

typedef struct tni_run tni_run;

/* how the model is looked at; decides what is built for the run and how it is judged */
typedef enum {
  TNI_MOTION_STEPS,      /* in steps of an integrator, with checkpoints, restart, events     */
  TNI_MOTION_PRESCRIBED, /* every position follows from the constraints                      */
  TNI_MOTION_WHOLE,      /* a whole trajectory at once: cartesian                             */
  TNI_MOTION_REST,       /* at equilibria: cartesian, without a balance over time            */
  TNI_MOTION_SMALL,      /* likewise, about an equilibrium unless the model moves            */
  TNI_MOTION_START       /* only as the run begins                                           */
} tni_motion;

typedef struct tni_analysis {
  const char *name;           /* analysis: {type: name}                                      */
  const char *doc;            /* "simulate in time": completes "What to do: ..."             */
  tni_motion motion;
  const tni_key *key;         /* beside those of every run; read them by tni_run_item        */
  int nkey;
  tn_status (*run)(tni_run *run);
  const tni_channel *channel; /* beside those of every run                                   */
  int nchannel;
  tn_status (*channels)(tn_sim *sim, tni_arena *arena, int *n, const tni_channel **channel); /* more that the model decides; or NULL */
  void (*fill)(const tn_sim *sim, double *value);         /* the channels, in their order    */
  void (*summary)(const tn_summary *sum, tni_json *json); /* members of the JSON summary; or NULL */
  void (*text)(const tn_summary *sum, tni_text *text);    /* lines of it; NULL: as of motions */
} tni_analysis;

extern const tni_analysis *const tni_analyses[]; /* the first is the default */
extern const int tni_nanalysis;

static inline bool tni_analysis_rests(const tni_analysis *a) {
  return a->motion == TNI_MOTION_REST || a->motion == TNI_MOTION_SMALL;
}

const tni_analysis *tni_analysis_find(const char *name); /* NULL: there is none */
/* the one that the model asks for */
const tni_analysis *tni_analysis_of(const tn_spec *spec);

#endif
