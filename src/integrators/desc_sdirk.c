/* integrators/desc_sdirk.c - SDIRK formula of order 4(3) in descriptor form on independent coordinates
 *
 * Stage i, solved as integrators/desc.h says, one matrix for all stages:
 *
 *   y_i = h sum_{j<=i} a_ij y'_j,    y'_i = y'_0 + h sum_{j<=i} a_ij y''_j
 *
 * The last stage ends the step. Coefficients, embedded formula and filter are those of infl_sdirk.c,
 * which works on the whole system without independent coordinates.
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, table IV.6.5; D. Negrut,
 * PhD thesis, University of Iowa 1998, section 4.2 (InflSDIRK).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/desc.h"
#include "integrators/sdirk_table.h"

enum { YD = 0, YDD = STAGES, XDD = 2*STAGES, Y = 3*STAGES, Y_KNOWN, YD_KNOWN, STAGE,
       NWORK = STAGE + TNI_DESC_WORK };

/* out [n] = base + h sum_{j<count} f_j y_j, y [count][ld] */
static void combine(int n, double h, const double *f, int count, const double *y, int ld,
                    const double *base, double *out) {
  for (int k = 0; k < n; k++) out[k] = base ? base[k] : 0;
  for (int j = 0; j < count; j++)
    for (int k = 0; k < n; k++) out[k] += h*f[j]*y[(size_t)j*(size_t)ld + (size_t)k];
}

static tn_status advance(tni_implicit *im, double h, tni_cause *cause) {
  int n = im->p.n, nd = im->p.nd, m = im->base.s->m;
  const double *yd = tni_implicit_work(im, YD), *ydd = tni_implicit_work(im, YDD);
  double *y_known = tni_implicit_work(im, Y_KNOWN), *yd_known = tni_implicit_work(im, YD_KNOWN);
  for (int i = 0; i < STAGES; i++) {
    tni_desc_stage g = {.work = STAGE, .y_known = y_known, .yd_known = yd_known,
                        .lambda = tni_implicit_rows(im, i), .xdd = tni_implicit_work(im, XDD + i),
                        .y = tni_implicit_work(im, Y), .yd = tni_implicit_work(im, YD + i),
                        .ydd = tni_implicit_work(im, YDD + i)};
    combine(nd, h, a[i], i, yd, n, NULL, y_known);
    combine(nd, h, a[i], i, ydd, n, im->yd0, yd_known);
    combine(n, 1, guess[i], i, tni_implicit_work(im, XDD), n, NULL, g.xdd);
    combine(m, 1, guess[i], i, im->rows, m, NULL, g.lambda);
    if (i == 0) tni_desc_begin(im, g.xdd, g.lambda);
    TN_TRY(tni_desc_solve(im, im->p.t + c[i]*h, h, &g, cause));
  }
  memcpy(im->y1, tni_implicit_work(im, Y), (size_t)nd*sizeof(double));
  memcpy(im->yd1, tni_implicit_work(im, YD + STAGES - 1), (size_t)nd*sizeof(double));
  combine(nd, h, e, STAGES, yd, n, NULL, im->ey);
  combine(nd, h, e, STAGES, ydd, n, NULL, im->eyd);
  for (int k = 0; k < nd; k++) {
    im->ey[k] += h*e0*im->yd0[k];
    im->eyd[k] += h*e0*im->ydd0[k];
  }
  return TN_OK;
}

static const tni_implicit_formula formula = {
    .order = 4, .error_order = 3, .bodies = 0.15, .adds_up = true, .nwork = NWORK, .nrows = STAGES, .gamma = 1.0/4, .beta = 1.0/16, .filter = true,
    .whole = true, .advance = advance};

TNI_CREATE_BY(create, tni_implicit_create, desc_sdirk, formula)

const tni_integrator_type tni_integrator_desc_sdirk = {
    .name = "desc_sdirk",
    .summary = "diagonally implicit formula of order 4 in descriptor form on independent coordinates, to "
               "compare",
    .order = 4,
    .share = 0.019,
    .loose = 0.33,
    .create = create,
    .describe = tni_desc_describe,
    TNI_IMPLICIT_OPS,
};
