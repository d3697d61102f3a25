/* analyses/passages.h - no step passes over what the motion meets: conditions and pulses of measured quantities
 *
 * Forces may depend on measured quantities by conditions (`if(x(b) > 1, ...)`), bends (abs, max, tables) and narrow bumps (exp, 1/x^2). When they
 * will be met nobody can know before. After a step all of these quantities are polynomials along it, through states of its dense output, and the
 * expression is one function of its length (base/kinks.h). Where it jumps or bends there, so that the step may be wrong by more than its
 * tolerance, the step is taken again so that it ends shortly before. Then the state is carried beyond by its rates, by less than anybody
 * sees, and the method starts anew on the other side. Where it has a pulse, which accelerations confirm, the step is halved.
 *
 * What switches again at once, as dry friction by `sign` does at rest, is left to the error of the steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PASSAGES_H
#define TNI_PASSAGES_H

#include "base/kinks.h"
#include "model/model.h"

typedef struct tni_passages {
  int n;
  struct tni_passed {
    tni_branches *branches; /* conditions on motion; NULL: none                          */
    tni_kinks *along;       /* NULL: neither conditions nor pulses                       */
    tni_path *path;         /* [1 + nmeasure] time, measures                              */
    tni_kinks **by;         /* [nmeasure] parts that depend on one measure alone; NULL: none */
    const tni_expr *f;
    int nmeasure;
    const tni_measure *measure;
  } *of;                    /* [n] expressions of motion                                 */
  double *q, *v;            /* state within a step                                       */
  double *a, *b;            /* accelerations                                             */
  double length;            /* of the run                                                */
  double ahead;             /* where a condition is met; 0: none is known                */
  double beside;            /* how far before that a step ends, and how far behind the next one begins */
  double met;               /* the last one; long before the run: none                   */
  double often;             /* how many have followed each other shortly                 */
} tni_passages;

struct tn_sim;
tn_status tni_passages_create(struct tn_sim *sim);
void tni_passages_reset(struct tn_sim *sim, double length); /* of the run */
/* where the next step ends at the latest, if before `stop` */
double tni_passages_stop(const tni_passages *w, double stop);
/* before a step, at a condition that is known: begin behind it */
tn_status tni_passages_pass(struct tn_sim *sim);

typedef enum {
  TNI_PASSAGE_NONE,
  TNI_PASSAGE_PULSE,  /* halve the step                              */
  TNI_PASSAGE_MET,    /* a condition: tni_passages_cut               */
  TNI_PASSAGE_TWICE   /* the same, with equal steps, more than once  */
} tni_passage;
/* What has the last step passed? `at`: when. */
tni_passage tni_passages_look(struct tn_sim *sim, double *at);
/* The step is taken back, and the next one ends shortly before t, or begins behind it. */
tn_status tni_passages_cut(struct tn_sim *sim, double t);
/* The method makes no progress: before a condition that its error will not let it pass? Then it begins behind it. */
tn_status tni_passages_rescue(struct tn_sim *sim, bool *rescued);

#endif
