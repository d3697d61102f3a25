/* integrators/control.h - the length of steps: what all methods that estimate their errors share
 *
 * After an accepted step with error e (1: as much as is allowed), e_old before it, order p of the estimate:
 *
 *   factor = 0.9 e^(-0.7/(p+1)) e_old^(0.4/(p+1))       a PI controller: smoother than e^(-1/(p+1)) alone
 *
 * After a rejected one 0.9 e^(-1/(p+1)), or a half where there is no estimate. A step that was cut at the end
 * of the run leaves no trace.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CONTROL_H
#define TNI_CONTROL_H

#include "integrators/common.h"

#define TNI_ERROR_FLOOR 1e-4 /* an error estimate of 0 says nothing about the next step */
#define TNI_FAIL_FACTOR 0.5  /* after a failure that has no error estimate              */

/* not beyond the end of the run, nor the limit of steps */
tn_status tni_control_may_step(const tni_integrator *it);

/* an accepted step */
typedef struct tni_accepted {
  double h, wanted;   /* taken, and wanted if the run had not ended                   */
  double err;
  int error_order;
  bool after_reject;
  double most;        /* factor at most                                               */
  double same;        /* a factor between 1 and this is 1: not worth new factors; 0: none */
} tni_accepted;

/* *h: the next step; *err_old: the error that the controller remembers */
void tni_control_propose(const tni_integrator *it, const tni_accepted *a, double *h,
                         double *err_old);

/* factor on a step with an error err > 1 */
double tni_control_shorter(double err, int error_order);

/* Where ever shorter steps would only come nearer to a singular position, some others are tried, in parts
 * of the first one. */
typedef struct tni_hops {
  const double *part;
  int n, used;
  double first;
} tni_hops;

static inline bool tni_hops_left(const tni_hops *s) { return s->used < s->n; }
static inline double tni_hops_next(tni_hops *s) { return s->part[s->used++]*s->first; }

#endif
