/* integrators/trap.c - trapezoidal rule on the equations of the independent coordinates, order 2
 *
 *   y_1  = h y'_0 + (h^2/4)(y''_0 + y''_1),   y'_1 = y'_0 + (h/2)(y''_0 + y''_1)
 *   y''_1 = g(t_1, y_1, y'_1)
 *   Newton: Pi d = Mhat (g - y''_1),   y''_1 += d,   Pi = Mhat + (h/2) M1 + (h^2/4) M2
 *
 * Error: distance to backward Euler with the same end, (h/2)(y'_0 - y'_1), (h/2)(y''_0 - y''_1). It
 * is that of a method of order 1, and far above the error of the rule.
 *
 * The rule does not damp stiff components: two steps of backward Euler after every start do, which
 * leave the order at 2. Accelerations are carried from step to step as the formula finds them.
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 4.1 (SspTrap).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/elim.h"
#include "integrators/implicit.h"

enum { G = 0, D, NWORK, DAMPED_STEPS = 2 };

/* y_1, y'_1 for ydd1; backward Euler takes y''_1 alone */
static void place(tni_implicit *im, double h) {
  double w1 = im->gamma_now, w0 = 1 - w1;
  for (int k = 0; k < im->p.nd; k++) {
    double a = w0*im->ydd0[k] + w1*im->ydd1[k];
    im->yd1[k] = im->yd0[k] + h*a;
    im->y1[k] = h*(w0*im->yd0[k] + w1*im->yd1[k]);
  }
}

/* one Newton iteration; *size: what it changes, in units of the tolerance */
static tn_status iterate(tni_implicit *im, double h, double *size, tni_cause *cause) {
  int nd = im->p.nd;
  double *g = tni_implicit_work(im, G), *d = tni_implicit_work(im, D);
  im->base.stats.newton++;
  TN_TRY(tni_implicit_eval(im, im->p.t + h, im->y1, im->yd1, g, cause));
  for (int k = 0; k < nd; k++) {
    g[k] -= im->ydd1[k];
    d[k] = 0;
  }
  tni_implicit_add(im, 1, im->p.Mhat, g, d);
  tni_lu_solve(nd, im->Pi, im->pivot, 1, d);
  for (int k = 0; k < nd; k++) {
    im->ydd1[k] += d[k];
    im->ey[k] = im->beta_now*h*h*d[k];
    im->eyd[k] = im->gamma_now*h*d[k];
  }
  *size = tni_implicit_norm(im, im->ey, im->eyd, &cause->index);
  place(im, h);
  return TN_OK;
}

static tn_status advance(tni_implicit *im, double h, tni_cause *cause) {
  tni_newton newton = tni_newton_begin(im);
  int nd = im->p.nd, next = TN_MORE;
  for (int k = 0; k < nd; k++) im->ydd1[k] = im->ydd0[k];
  place(im, h);
  while (next == TN_MORE) {
    double size;
    TN_TRY(iterate(im, h, &size, cause));
    next = tni_newton_next(&newton, size, cause);
  }
  for (int k = 0; k < nd; k++) {
    im->ey[k] = 0.5*h*(im->yd0[k] - im->yd1[k]);
    im->eyd[k] = 0.5*h*(im->ydd0[k] - im->ydd1[k]);
  }
  return (tn_status)next;
}

static const tni_implicit_formula formula = {
    .order = 2, .error_order = 1, .nwork = NWORK, .gamma = 0.5, .beta = 0.25,
    .damped = DAMPED_STEPS, .carries = true, .advance = advance};

extern const tni_integrator_type tni_integrator_trap;

static tn_status create(tn_ctx *ctx, tni_system *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  return tni_implicit_create(ctx, s, opts, &tni_integrator_trap, &formula, out);
}

const tni_integrator_type tni_integrator_trap = {
    .name = "trap",
    .summary = "trapezoidal rule of order 2 for stiff mechanisms, with error control",
    .order = 2,
    .share = 0.04,
    .create = create,
    TNI_IMPLICIT_OPS,
};
