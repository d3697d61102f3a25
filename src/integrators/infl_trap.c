/* integrators/infl_trap.c - trapezoidal rule on the whole system
 *
 *   x_1 = h/2 (x'_0 + x'_1) + cx,   v_1 = v_0 + h/2 (v'_0 + v'_1) + cv
 *
 * one stage of integrators/descriptor.h. A-stable, no numerical damping.
 *
 * Error: as if the formula were of first order, h/4 (v'_1 - v'_0) in velocities and h/4 (v_1 - v_0)
 * in positions, along the constraints. Its steps then grow with the square root of the tolerance,
 * so that the error of second order that is really made is proportional to it. Both parts are
 * needed: in a mechanism of one freedom the first passes through zero now and then, where it would
 * let a step grow out of bounds. Filtered like that of infl_sdirk.
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 4.2 (InflTrap), where the
 * estimate is the difference to the backward Euler formula, twice as large.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/descriptor.h"

enum { A = 0, XD, CX, CV, X_KNOWN, V_KNOWN, NWORK };

static tn_status advance(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv;
  size_t nv = (size_t)n*sizeof(double);
  double *x_known = tni_descriptor_work(d, X_KNOWN), *v_known = tni_descriptor_work(d, V_KNOWN);
  tni_stage g = {.x_known = x_known, .v_known = v_known, .a = tni_descriptor_work(d, A),
                 .lambda = tni_descriptor_rows(d, 0), .cx = tni_descriptor_work(d, CX),
                 .cv = tni_descriptor_work(d, CV), .x = d->x1, .v = d->v1,
                 .xd = tni_descriptor_work(d, XD)};
  for (int i = 0; i < n; i++) {
    x_known[i] = 0.5*h*it->now.v[i];
    v_known[i] = it->now.v[i] + 0.5*h*it->now.a[i];
    g.x[i] = h*it->now.v[i];
  }
  memcpy(g.a, it->now.a, nv);
  memcpy(g.lambda, it->now.lambda, (size_t)it->s->m*sizeof(double));
  memset(g.cx, 0, nv);
  memset(g.cv, 0, nv);
  TN_TRY(tni_descriptor_stage(d, it->now.t + h, h, &g, cause));

  tni_descriptor_first_order(d, h, it->now.a, g.a);
  return TN_OK;
}

static const tni_descriptor_formula formula = {.order = 2, .error_order = 1, .mass = 1,
                                               .gamma = 0.5, .beta = 0.25, .nwork = NWORK,
                                               .nrows = 1, .place_error = true,
                                               .advance = advance};

TNI_CREATE_BY(create, tni_descriptor_create, infl_trap, formula)

const tni_integrator_type tni_integrator_infl_trap = {
    .name = "infl_trap",
    .summary = "trapezoidal rule on the whole sparse system, without numerical damping",
    .order = 2,
    .share = 0.007,
    .create = create,
    .domains = true,
    TNI_DESCRIPTOR_OPS,
};
