/* analyses/auto.h - method: auto: candidates, trials, change of mind
 *
 * Candidates are adaptive methods in both representations, as far as a system takes them. One of them
 * runs; it costs what its counters say (analyses/cost.h). From time to time another one is tried: it goes
 * some steps ahead from the present state, at its own share of the tolerance. Then the one in use goes the
 * same way, and what a second of the model has cost them is compared. Whoever is cheaper goes on.
 *
 *   when    trials cost no more than a few percent of the run so far; those that lost are tried again
 *           the later the worse they did, all of them at once when the run becomes dearer
 *   events  a trial ends where a switching function becomes negative. It has then seen one phase of many,
 *           so that the mean of several trials, evenly spread over the cost of the run, decides
 *   traces  none: modes stay as they are, records are put back, methods that are not in use forget all
 *           history; a restarted run tries the same at the same places
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_AUTO_H
#define TNI_AUTO_H

#include "analyses/cost.h"
#include "system/system.h"

enum { TNI_CANDIDATES = 8 };

typedef struct tni_candidate {
  const tni_integrator_type *type;
  tni_data *s;      /* shared by the candidates of a representation                           */
  tni_integrator *it;
  bool used;          /* it has been started                                                    */
  tni_prices price;
  double guess;       /* cost of a step before anything is known                                */
  double entry;       /* of coming from the other representation: rank of redundant rows        */
  double rate;        /* cost of a second of the model, when it was last seen; NAN: never        */
  double told;        /* the same for the summary: not forgotten when the run becomes dearer    */
  double ratio;       /* its cost over that of the method in use, mean of ...                   */
  int samples;        /* ... so many trials                                                     */
  double due;         /* cost of the run from which it may be tried (again)                     */
  int losses;         /* trials lost in a row                                                   */
} tni_candidate;

typedef struct tni_choice {
  int n, now;
  tni_candidate c[TNI_CANDIDATES];
  int nsystem;
  tni_data *system[2];
  tni_integrator_stats past; /* of methods that were in use before                              */
  /* the numbers of a checkpoint */
  double cost;        /* of the run so far, trials not among it                                 */
  double trials;      /* of all trials                                                          */
  double window_cost, window_t; /* since the present window began, and when that was            */
  long window_steps, window_events;
  double seen;        /* cost of a second when the candidates were last compared, NAN: never     */
  long changes;
  double t_change;    /* of the last change                                                     */
  int before;         /* who ran before it, -1: nobody                                          */
  int rival;          /* tried last, -1: none                                                   */
  bool pending;       /* the way that it went is still to be gone by the method in use:          */
  double trial_t, trial_end, trial_begun, trial_spent; /* from, to, cost of the run then, of the trial */
  bool trial_event;   /* an event ended it                                                      */
  long stalls;        /* times that a change has led out of a stall                             */
  bool stalled;       /* before the next step; the message then                                 */
  char stall[TNI_MESSAGE_MAX];
  tni_counts counted; /* at the beginning of the step                                           */
  tni_state to;              /* scratch: the run in the coordinates of a candidate     */
  double *g, *state;
} tni_choice;

struct tn_sim;
struct tni_system_opts;

/* Are there candidates to choose from? Then sim->choice is made, with sim->s and sim->it of the one that
 * begins. joint, cartesian: representations allowed. */
tn_status tni_auto_create(struct tn_sim *sim, const struct tni_system_opts *o, bool joint, bool cartesian);
void tni_auto_destroy(struct tn_sim *sim);

/* At the beginning, with sim->it started: an implicit method begins where explicit ones would have to follow
 * the fastest rate of the model for many steps. */
tn_status tni_auto_begin(struct tn_sim *sim);

/* before a step, with the state in sim->it: may go on with another candidate */
tn_status tni_auto_choose(struct tn_sim *sim);
/* around a step */
void tni_auto_begin_step(struct tn_sim *sim);
void tni_auto_end_step(struct tn_sim *sim);
/* The step of the method in use has failed: go on with another one that takes some steps from here.
 * False: nobody does, or there is no choice. */
bool tni_auto_rescue(struct tn_sim *sim);

/* The run has stalled (analyses/stall.h): the next step looks for somebody who gets on better, and fails with
 * the present message if nobody does. False: there is no choice. */
bool tni_auto_note_stall(struct tn_sim *sim);

/* work of all methods together */
void tni_auto_stats(const struct tn_sim *sim, tni_integrator_stats *out, tni_work *work);
void tni_auto_describe(const struct tn_sim *sim, char *out, size_t n);

/* largest sizes of any candidate */
typedef struct tni_auto_sizes {
  int nq, nv, m, nstate;
} tni_auto_sizes;
tni_auto_sizes tni_auto_largest(const struct tn_sim *sim);

enum { TNI_AUTO_SCALARS = 19, TNI_AUTO_EACH = 6, TNI_AUTO_NUMBERS = TNI_AUTO_SCALARS + TNI_AUTO_EACH*TNI_CANDIDATES };
void tni_auto_save(const struct tn_sim *sim, double *out);
void tni_auto_load(struct tn_sim *sim, const double *from);

#endif
