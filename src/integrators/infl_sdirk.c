/* integrators/infl_sdirk.c - SDIRK formula of order 4(3), gamma = 1/4, on the whole system
 *
 * Stage i of w = (x, v), a stage of integrators/descriptor.h:
 *
 *   x_i = h sum_{j<=i} a_ij x'_j + cx_i,   v_i = v_0 + h sum_{j<=i} a_ij v'_j + cv_i
 *
 * The last stage ends the step: L-stable. Error: difference to an embedded formula of order 3,
 * filtered by (1 - gamma h G)^-1, because that formula amplifies stiff components. Not so in the
 * first step: there the stiff components really move.
 *
 * That formula also uses the derivative at the beginning, which the formula itself does not: without it
 * a force that changes suddenly in the first quarter of a step, before the first stage, would not be
 * seen, and the step would be wrong by that change times its part of the step at any tolerance. The
 * conditions of order 3 leave two free weights; these add (1/2, -11/8, -11/16, 25/16, 0, 0) to the
 * difference of the source. With half of that the terms of order 4 of forces that change along a curved way, sum e c^3 and
 * sum e c A c, all but cancel (0.2 of those of the source), and the error of fast cranks is seen too small by ten.
 *
 * Newton's iteration goes on for longer than with others: what it leaves has one sign where the tangents are old, and adds up.
 * Two four-bars over 9 s at 1e-8 had 14 tolerances of it, with a thirtieth 0.7, by an eighth more iterations.
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, table IV.6.5; D. Negrut,
 * PhD thesis, University of Iowa 1998, section 4.2 (InflSDIRK).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/descriptor.h"
#include "integrators/sdirk_table.h"

enum { A = 0, XD = STAGES, X = 2*STAGES, V, CX, CV, X_KNOWN, V_KNOWN, NWORK };

/* out = base + h sum_{j<n} f_j y_j, vectors y_j from work[first] on */
static void combine(const tni_descriptor *d, double h, const double *f, int n, int first,
                    const double *base, double *out) {
  int nv = d->base.s->nv;
  for (int k = 0; k < nv; k++) out[k] = base ? base[k] : 0;
  for (int j = 0; j < n; j++) {
    const double *y = tni_descriptor_work(d, first + j);
    for (int k = 0; k < nv; k++) out[k] += h*f[j]*y[k];
  }
}

/* sum_{j<n} f_j y_j, y [STAGES][size] */
static void blend(const double *f, int n, const double *y, int size, double *out) {
  for (int k = 0; k < size; k++) out[k] = 0;
  for (int j = 0; j < n; j++)
    for (int k = 0; k < size; k++) out[k] += f[j]*y[(size_t)j*(size_t)size + (size_t)k];
}

static tn_status advance(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  size_t nv = (size_t)it->s->nv*sizeof(double), m = (size_t)it->s->m*sizeof(double);
  double *x_known = tni_descriptor_work(d, X_KNOWN), *v_known = tni_descriptor_work(d, V_KNOWN);
  tni_stage g = {.x_known = x_known, .v_known = v_known,
                 .cx = tni_descriptor_work(d, CX), .cv = tni_descriptor_work(d, CV),
                 .x = tni_descriptor_work(d, X), .v = tni_descriptor_work(d, V)};
  memset(g.x, 0, nv);
  for (int i = 0; i < STAGES; i++) {
    combine(d, h, a[i], i, XD, NULL, x_known);
    combine(d, h, a[i], i, A, it->now.v, v_known);
    g.a = tni_descriptor_work(d, A + i);
    g.xd = tni_descriptor_work(d, XD + i);
    g.lambda = tni_descriptor_rows(d, i);
    blend(guess[i], i, tni_descriptor_work(d, A), it->s->nv, g.a);
    blend(guess[i], i, tni_descriptor_rows(d, 0), it->s->m, g.lambda);
    if (i == 0) {
      memcpy(g.a, it->now.a, nv);
      memcpy(g.lambda, it->now.lambda, m);
    }
    memset(g.cx, 0, nv);
    memset(g.cv, 0, nv);
    TN_TRY(tni_descriptor_stage(d, it->now.t + c[i]*h, h, &g, cause));
  }
  memcpy(d->x1, g.x, nv);
  memcpy(d->v1, g.v, nv);
  combine(d, h, e, STAGES, XD, NULL, d->ex);
  combine(d, h, e, STAGES, A, NULL, d->ev);
  for (int k = 0; k < it->s->nv; k++) {
    d->ex[k] += h*e0*it->now.v[k];
    d->ev[k] += h*e0*it->now.a[k];
  }
  if (!d->first) tni_descriptor_filter(d, h, d->ex, d->ev);
  return TN_OK;
}

static const tni_descriptor_formula formula = {.order = 4, .error_order = 3, .bodies = 0.2, .adds_up = true, .newton = 0.03, .mass = 1,
                                               .gamma = 1.0/4, .beta = 1.0/16, .nwork = NWORK,
                                               .nrows = STAGES, .place_error = true,
                                               .advance = advance};

TNI_CREATE_BY(create, tni_descriptor_create, infl_sdirk, formula)

const tni_integrator_type tni_integrator_infl_sdirk = {
    .name = "infl_sdirk",
    .summary = "diagonally implicit Runge-Kutta formula of order 4 on the whole sparse system",
    .order = 4,
    .share = 0.024,
    .loose = 0.6,
    .create = create,
    .domains = true,
    TNI_DESCRIPTOR_OPS,
};
