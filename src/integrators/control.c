/* integrators/control.c - the length of steps, Newton's method inside them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/control.h"

#include <float.h>
#include <math.h>

static const double SAFETY = 0.9, LEAST = 0.2;
/* Shares of the present and of the last error in the exponent 1/(error_order+1). Against 0.85, 0.2
 * of the common codes: steps settle at a fifth of the tolerance instead of half, with hardly any
 * rejections; at equal error of the result the work is the same. */
static const double ALPHA = 0.7, BETA = 0.4;
/* contraction: from SLOW on it may be rounding that ends it, HOPELESS is none */
static const double SLOW = 0.5, HOPELESS = 0.99;

tn_status tni_control_may_step(const tni_integrator *it) {
  TN_REQUIRE(it->ctx, it->now.t < it->opts.t_end, TN_ERR_ARGUMENT,
             "%s: no step beyond the end t = %.9g s", it->type->name, it->opts.t_end);
  TN_REQUIRE(it->ctx, it->opts.max_steps == 0 || it->stats.steps < it->opts.max_steps,
             TN_NO_PROGRESS, "%s: limit of %ld steps reached at t = %.9g s", it->type->name,
             it->opts.max_steps, it->now.t);
  return TN_OK;
}

void tni_control_propose(const tni_integrator *it, const tni_accepted *a, double *h,
                         double *err_old) {
  double exponent = 1.0/(a->error_order + 1), e = fmax(a->err, DBL_MIN);
  double factor = SAFETY*pow(e, -ALPHA*exponent)*pow(*err_old, BETA*exponent);
  factor = fmin(a->after_reject ? 1 : a->most, fmax(LEAST, factor));
  if (a->h < a->wanted && a->h*factor < a->wanted && factor >= 1) {
    *h = a->wanted;
  } else {
    if (factor >= 1 && factor <= a->same) factor = 1;
    *h = a->h*factor;
    *err_old = fmax(a->err, TNI_ERROR_FLOOR);
  }
  *h = fmin(*h, it->opts.hmax);
}

double tni_control_shorter(double err, int error_order) {
  return fmax(LEAST, SAFETY*pow(err, -1.0/(error_order + 1)));
}

/* ---- Newton's method ------------------------------------------------------------------------ */

/* Usual codes take 0.01 to 0.1, and trust the contraction of the last step after one iteration.
 * With a stiff direction that turns during the step this left errors of 5e-4 rad in the double
 * pendulum at any tolerance; so does what earlier stages of the same step have shown, unless it is
 * taken several times over (sdirk.c). With 1e-3 at all tolerances the error of four-bars fell like
 * the root of the tolerance only. */
#define NEWTON_SHARE 1e-3
#define NEWTON_PART 2e-2       /* of the error really made; with 4e-2 runs show it */
#define NEWTON_ROUNDING 1e-14  /* a correction of that size is none */

double tni_newton_share(double rtol, int order, int error_order) {
  /* where the estimate h^(error_order+1) is rtol, the error h^(order+1) is */
  double made = pow(rtol, (double)(order - error_order)/(error_order + 1));
  return fmin(NEWTON_SHARE, fmax(NEWTON_PART*made, NEWTON_ROUNDING/rtol));
}

tni_newton tni_newton_begin(const tni_integrator_opts *o, int order, int error_order) {
  return (tni_newton){.share = o->kappa > 0 ? o->kappa : tni_newton_share(o->rtol, order, error_order),
                      .rounding = fmax(TNI_NEWTON_ENOUGH, o->kappa),
                      .max = o->max_iterations > 0 ? o->max_iterations : TNI_NEWTON_MAX};
}

void tni_newton_foresee(tni_newton *n, double size) {
  n->before = size;
  n->k = 1;
  n->foreseen = true;
}

tn_status tni_newton_next(tni_newton *n, double size, tni_cause *cause) {
  cause->kind = isfinite(size) ? TNI_CAUSE_ERROR : TNI_CAUSE_NONFINITE;
  cause->value = size;
  if (!isfinite(size)) return TN_STEP_REJECTED;
  bool foreseen = n->foreseen, first = n->k == 0 || (foreseen && !(size < SLOW*n->before));
  n->foreseen = false;
  if (first) {
    n->eta = n->trusted > 0 ? fmin(1, n->trusted) : 1;
  } else {
    double theta = n->theta = size/n->before;
    if (theta >= SLOW && size <= n->rounding) return TN_OK;
    n->slowest = fmax(n->slowest, theta);
    if (theta >= HOPELESS) return TN_STEP_REJECTED;
    n->eta = theta/(1 - theta);
    if (foreseen) { /* what time alone changes was missing in the one before: no sign of despair */
      if (n->eta*size <= n->share) return TN_OK;
      n->before = size;
      n->k++;
      return TN_NOT_CONVERGED;
    }
    if (pow(theta, n->max - 1 - n->k)*n->eta*size > fmax(TNI_NEWTON_ENOUGH, n->share)) return TN_STEP_REJECTED;
  }
  if (n->eta*size <= n->share) return TN_OK;
  n->before = size;
  return ++n->k < n->max ? TN_NOT_CONVERGED : TN_STEP_REJECTED;
}

/* ---- largest rate of a model ---------------------------------------------------------------- */

void tni_power_begin(int n, double *y, double *yd) {
  for (int k = 0; k < n; k++) y[k] = yd[k] = 1 + 0.5*sin(k + 1.0);
}

double tni_power_round(int n, double rate, double *y, double *yd, const double *ydd) {
  double before = 0, after = 0;
  for (int k = 0; k < n; k++) {
    before += rate*rate*y[k]*y[k] + yd[k]*yd[k];
    after += rate*rate*yd[k]*yd[k] + ydd[k]*ydd[k];
  }
  if (!(before > 0 && after > 0) || !isfinite(after)) return 0;
  double scale = 1/sqrt(after);
  for (int k = 0; k < n; k++) {
    y[k] = yd[k]*scale;
    yd[k] = ydd[k]*scale;
  }
  return sqrt(after/before);
}
