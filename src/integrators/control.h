/* integrators/control.h - the length of steps, Newton's method inside them: what methods share
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

/* ---- Newton's method ------------------------------------------------------------------------ */

/* Part of the tolerance that Newton's iteration may leave. The estimate is of lower order than the
 * formula: the error really made is far below it, the more so the tighter the tolerance, and what
 * the iterations leave adds up with the same sign from step to step. */
double tni_newton_share(double rtol, int order, int error_order);

#define TNI_NEWTON_ENOUGH 1e-3 /* of the tolerance: it has failed when it will not reach this */
enum { TNI_NEWTON_MAX = 10 };

/* One correction after the other, their `size` in units of the tolerance. It ends when what the
 * contraction leaves is below `share` of that. */
typedef struct tni_newton {
  double share;          /* of the tolerance that may be left                                    */
  double rounding;       /* corrections below that no longer contract have reached rounding      */
  int max;               /* corrections                                                          */
  int k;
  double before, eta;
  double theta, slowest; /* contraction seen last, and the worst one                             */
  double trusted;        /* contraction to count on before one is seen; 0: none                  */
  bool foreseen;         /* the correction before came from no evaluation at its place           */
} tni_newton;

tni_newton tni_newton_begin(const tni_integrator_opts *o, int order, int error_order);
/* TN_OK: converged; TN_NOT_CONVERGED: go on; TN_STEP_REJECTED: it will not converge, see *cause */
tn_status tni_newton_next(tni_newton *n, double size, tni_cause *cause);
/* A first correction with an evaluation known from elsewhere, perhaps not quite the right one. The
 * next correction shows the contraction, if there is one; that next one has to be made. */
void tni_newton_foresee(tni_newton *n, double size);

/* ---- largest rate of a model ---------------------------------------------------------------- */

/* Power method on (y, y') -> (y', y''), y'' = g_y y + g_y' y' made by the caller; the length of a
 * direction is that of (rate y, y'). A round puts the next direction in the place of this one and
 * returns by how much it is longer, which becomes the largest rate; 0: there is none. */
void tni_power_begin(int n, double *y, double *yd);
double tni_power_round(int n, double rate, double *y, double *yd, const double *ydd);

#endif
