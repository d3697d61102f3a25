/* integrators/rosen.c - Rosenbrock-Nystrom formula of order 4(3), L-stable
 *
 *   Y_i  = h a_i y'_0 + h sum_{j<i} t_ij u_j,      Y'_i = y'_0 + sum_{j<i} w_ij u_j
 *   Pi u_i = Mhat (h e g_i + e sum c_ij u_j) + h^2 e e_i (gt - M2 y'_0) - h^2 e M2 sum d_ij u_j
 *   y_1  = h y'_0 + h sum p_i u_i,                 y'_1 = y'_0 + sum s_i u_i
 *
 * Four linear systems with one matrix a step, no iteration; the fourth stage has the arguments of
 * the third, so that a step costs three accelerations, one of which the step before has computed.
 * The formula has its order only with the true Jacobian: with matrices by differences, exact to
 * 1e-7, it is for tolerances well above that.
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 4.4 and (4.72)-(4.81), with w21
 * and d41 corrected.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/elim.h"
#include "integrators/implicit.h"

enum { STAGES = 4, U = 0, Y = STAGES, YD, G, SUM, SCRATCH, NWORK };

#define E 0.57281606
static const double a[STAGES] = {0, 1.14563212, 0.655214975973133829477748,
                                 0.655214975973133829477748};
static const double ei[STAGES] = {0.57281606, -1.76917706711201394917052,
                                  0.759293964293209853670967, -0.104894621490955803206743};
static const double w[STAGES][STAGES] = {
    {0}, {2.0}, {1.86794814949823713234476, 0.234445568517238850023220}, {0}};
static const double t[STAGES][STAGES] = {
    {0}, {1.14563212}, {0.789509162815638629626980, 0.134294186842504800149232}, {0}};
static const double c[STAGES][STAGES] = {
    {0},
    {-7.13764994334997983036927},
    {2.58092366650965771448806, 0.651629887302032023387419},
    {-2.13711526650661911680637, -0.321469531339951070769240, -0.694966049282445225157331}};
static const double d[STAGES][STAGES] = {
    {0},
    {-1.19636100711201394917052},
    {1.47028025440978071463387, 0.348105837679204490016704},
    {0.003765094355556165798975, -0.109762486758103255675398, -0.228031035973133829477744}};
static const double s[STAGES] = {2.25556622860456524372884, 0.287055063194157607662629,
                                 0.435311963379983213402708, 1.09350765640324780321482};
static const double p[STAGES] = {1.59275081940958534207490, 0.195938266310250609693329, 0,
                                 0.626378747320742177841171};
/* minus the formula of order 3 */
static const double ev[STAGES] = {0.187167068076981509470166, 0.048373711126624809706138,
                                  0.071938617944591505140960, 0.726950528467092658905662};
static const double ep[STAGES] = {0.157846847561375869447797, -0.027040406278447759351823,
                                  -0.124559686414702049774897, 0.416408937531437856529265};

/* x [nd] = scale sum over stages before `stages` of f_j u_j */
static void combine(const tni_implicit *im, double scale, const double *f, int stages, double *x) {
  int nd = im->p.nd;
  for (int k = 0; k < nd; k++) x[k] = 0;
  for (int j = 0; j < stages; j++) {
    const double *u = tni_implicit_work(im, U + j);
    for (int k = 0; k < nd; k++) x[k] += scale*f[j]*u[k];
  }
}

static tn_status advance(tni_implicit *im, double h, tni_cause *cause) {
  const tni_partition *part = &im->p;
  int nd = part->nd;
  double *y = tni_implicit_work(im, Y), *yd = tni_implicit_work(im, YD);
  double *g = tni_implicit_work(im, G), *sum = tni_implicit_work(im, SUM);
  double *x = tni_implicit_work(im, SCRATCH);
  for (int i = 0; i < STAGES; i++) {
    double *u = tni_implicit_work(im, U + i);
    if (i == 0) {
      for (int k = 0; k < nd; k++) g[k] = im->ydd0[k];
    } else if (i < STAGES - 1) {
      combine(im, h, t[i], i, y);
      combine(im, 1, w[i], i, yd);
      for (int k = 0; k < nd; k++) {
        y[k] += h*a[i]*im->yd0[k];
        yd[k] += im->yd0[k];
      }
      TN_TRY(tni_implicit_eval(im, tni_integrator_stage_time(&im->base, part->t + a[i]*h), y, yd, g, cause));
    }
    combine(im, E, c[i], i, sum);
    for (int k = 0; k < nd; k++) {
      sum[k] += h*E*g[k];
      u[k] = h*h*E*ei[i]*part->gt[k];
    }
    combine(im, 1, d[i], i, x);
    for (int k = 0; k < nd; k++) x[k] += ei[i]*im->yd0[k];
    tni_partition_multiply(&im->p, 1, sum, 0, NULL, -h*h*E, x, u);
    tni_implicit_solve_matrix(im, u);
  }
  combine(im, h, p, STAGES, im->y1);
  combine(im, 1, s, STAGES, im->yd1);
  for (int k = 0; k < nd; k++) {
    im->y1[k] += h*im->yd0[k];
    im->yd1[k] += im->yd0[k];
  }
  combine(im, h, ep, STAGES, im->ey);
  combine(im, 1, ev, STAGES, im->eyd);
  return TN_OK;
}

static const tni_implicit_formula formula = {
    .order = 4, .error_order = 3, .nwork = NWORK, .gamma = E, .beta = E*E, .time = true,
    .advance = advance};

TNI_CREATE_BY(create, tni_implicit_create, rosen, formula)

const tni_integrator_type tni_integrator_rosen = {
    .name = "rosen",
    .summary = "Rosenbrock-Nystrom formula of order 4 for stiff mechanisms, with error control",
    .order = 4,
    .share = 0.0082,
    .share_joint = 0.0026,
    .create = create,
    TNI_IMPLICIT_OPS,
};
