/* integrators/desc_trap.c - trapezoidal rule in descriptor form on independent coordinates, order 2
 *
 * The formula, the error and the two damping steps after a start are those of trap.c. The unknowns are
 * all accelerations and multipliers (integrators/desc.h): cheaper matrices, a larger sparse system, no
 * accelerations to be solved for in an iteration.
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 4.2 (InflTrap).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/desc.h"

enum { RATE = 0, ACCEL, Y_KNOWN, YD_KNOWN, XDD, STAGE, NWORK = STAGE + TNI_DESC_WORK };
enum { DAMPED_STEPS = 2 };

/* y1, yd1, ydd1 at time t; rate and acceleration of the node before enter with h times `weight` */
static tn_status solve(tni_implicit *im, double t, double h, double weight, const double *rate,
                       const double *accel, tni_cause *cause) {
  double *y = tni_implicit_work(im, Y_KNOWN), *yd = tni_implicit_work(im, YD_KNOWN);
  tni_desc_stage g = {.work = STAGE, .y_known = y, .yd_known = yd, .lambda = im->rows,
                      .xdd = tni_implicit_work(im, XDD), .y = im->y1, .yd = im->yd1,
                      .ydd = im->ydd1};
  for (int k = 0; k < im->p.nd; k++) {
    y[k] = weight*h*rate[k];
    yd[k] = im->yd0[k] + weight*h*accel[k];
  }
  return tni_desc_solve(im, t, h, &g, cause);
}

static tn_status advance(tni_implicit *im, double h, tni_cause *cause) {
  int nd = im->p.nd;
  double t = im->p.t, gamma = im->gamma_now, *rate = im->yd0, *accel = im->ydd0;
  tni_desc_begin(im, tni_implicit_work(im, XDD), im->rows);
  if (im->damped_now) {
    TN_TRY(solve(im, t + gamma*h, h, 0, rate, accel, cause));
    rate = tni_implicit_work(im, RATE);
    accel = tni_implicit_work(im, ACCEL);
    memcpy(rate, im->yd1, (size_t)nd*sizeof(double));
    memcpy(accel, im->ydd1, (size_t)nd*sizeof(double));
  }
  TN_TRY(solve(im, t + h, h, 1 - gamma, rate, accel, cause));
  for (int k = 0; k < nd; k++) {
    im->ey[k] = 0.5*h*(im->yd0[k] - im->yd1[k]);
    im->eyd[k] = 0.5*h*(im->ydd0[k] - im->ydd1[k]);
  }
  return TN_OK;
}

static const tni_implicit_formula formula = {
    .order = 2, .error_order = 1, .nwork = NWORK, .nrows = 1, .gamma = 0.5, .beta = 0.25,
    .damped = DAMPED_STEPS, .damped_gamma = 0.29289321881345248, .carries = true, .whole = true,
    .advance = advance};

TNI_CREATE_BY(create, tni_implicit_create, desc_trap, formula)

const tni_integrator_type tni_integrator_desc_trap = {
    .name = "desc_trap",
    .summary = "trapezoidal rule of order 2 in descriptor form on independent coordinates, to compare",
    .order = 2,
    .share = 0.01,
    .create = create,
    .describe = tni_desc_describe,
    TNI_IMPLICIT_OPS,
};
