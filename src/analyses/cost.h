/* analyses/cost.h - what the work of a method costs, from its counters alone
 *
 * The same numbers on every machine, for any number of threads and in every run, so that a choice made by
 * them is the same, too. Unit: nanoseconds of the machine on which the prices were found, one thread
 * (docs/theory/auto.md); what counts is how they compare with each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COST_H
#define TNI_COST_H

#include "integrators/integrator.h"

typedef struct tni_counts {
  long attempts;       /* steps, accepted or not                  */
  long evaluations;    /* of the system                           */
  long corrections;    /* Newton iterations of projections        */
  long newton, jacobians, factorizations; /* of implicit methods  */
} tni_counts;

/* of one each */
typedef struct tni_prices {
  double attempt, evaluation, correction, newton, jacobian, factorization;
} tni_prices;

/* by the sizes of the system and the kind of method: explicit, or implicit with sparse matrices of the whole system */
void tni_prices_of(const tn_model *model, const tni_data *s, const tni_integrator_type *type, tni_prices *out);
/* of a step, roughly, before any was taken: those of a trial, in which an implicit method begins */
double tni_price_of_step(const tni_prices *p, const tni_integrator_type *type);

tni_counts tni_counts_of(const tni_integrator *it);
double tni_cost_between(const tni_prices *p, const tni_counts *from, const tni_counts *to);

#endif
