/* techniques/baumgarte.c - Baumgarte's feedback of the constraint residuals
 *
 *   nonholonomic rows            Psi' + alpha Psi = 0                 Psi = C v + phi_t
 *   holonomic, second order      Phi'' + 2 alpha Phi' + beta Phi = 0
 *   holonomic, with integral     Phi'  + 2 alpha Phi  + alpha^2 int Phi dt = 0
 *
 * beta is the factor of Phi itself (beta^2 in the classical writing); alpha^2 damps critically. The
 * form with the integral is one for velocities: the leap from the station before to the one after, of
 * twice the time delta between stations, turns the rate there into the one wanted here,
 *   (Phi'_before + 2 delta Phi'') + 2 alpha Phi + alpha^2 int Phi dt = 0,
 * and without a past it is its derivative, the second form with beta = alpha^2.
 *
 * The rate is dissipative: in the two-stage method it has to come from the station before, carried on
 * by its accelerations, or the leaps would feed it back with the wrong sign.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "techniques/solved.h"

extern const tni_technique_type tni_technique_baumgarte;

/* error that decays by so much per step is far from the limit of stability of all methods here */
static const double ALPHA_TIMES_H = 0.25;
static const double ALPHA_WITHOUT_STEP = 20; /* 1/s */

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  TN_TRY(tni_solved_create(ctx, s, opts, &tni_technique_baumgarte, TNI_KKT_AUTO,
                           sizeof(tni_solved), out));
  tni_technique *tq = *out;
  tni_technique_opts *o = &tq->opts;
  if (o->alpha <= 0) o->alpha = o->h > 0 ? ALPHA_TIMES_H/o->h : ALPHA_WITHOUT_STEP;
  if (o->beta <= 0 || o->form == TNI_BAUMGARTE_INTEGRAL) o->beta = o->alpha*o->alpha;
  if (o->form != TNI_BAUMGARTE_INTEGRAL) return TN_OK;
  tq->nstate = s->m; /* int Phi dt */
  tq->state = tni_arena_alloc(&tq->arena, (size_t)s->m, sizeof(double));
  if (tq->state) return TN_OK;
  tni_technique_destroy(out);
  return tni_out_of_memory(ctx);
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  const tni_technique_opts *o = &tq->opts;
  double *g = tq->g;
  bool integral = o->form == TNI_BAUMGARTE_INTEGRAL && at->delta > 0;
  tni_technique_rate(terms, at->v_lagged, g);
  if (integral) tni_technique_rate(terms, at->v_known ? at->v_known : at->v_before, tq->lambda);
  for (int r = 0; r < tq->s->m; r++) {
    double rate = g[r], phi = terms->phi[r];
    if (terms->nonholonomic[r]) {
      g[r] = terms->gamma[r] - o->alpha*rate;
    } else if (integral && at->v_known) { /* rate at the end of the step: known part + delta Phi'' */
      double sum = tq->state[r] + at->delta*phi;
      if (at->final) tq->state[r] += 2*at->delta*phi;
      g[r] = -(tq->lambda[r] + 2*o->alpha*phi + o->beta*sum)/at->delta;
    } else if (integral) {
      tq->state[r] += at->delta*phi;
      /* C v_before + phi_t lacks what C and phi_t changed by since then */
      double before = tq->lambda[r] + at->delta*terms->gamma[r];
      g[r] = terms->gamma[r] -
             (before + 2*o->alpha*phi + o->beta*tq->state[r])/(2*at->delta);
    } else {
      g[r] = terms->gamma[r] - 2*o->alpha*rate - o->beta*phi;
    }
  }
  return tni_solved_solve(tq, terms, g, at->t, lambda, a);
}

static void describe(const tni_technique *tq, char *out, size_t n) {
  const tni_technique_opts *o = &tq->opts;
  snprintf(out, n, "%s, alpha = %.4g 1/s, beta = %.4g 1/s^2",
           o->form == TNI_BAUMGARTE_INTEGRAL ? "with integral" : "second order", o->alpha, o->beta);
}

const tni_technique_type tni_technique_baumgarte = {
    .name = "baumgarte",
    .summary = "Residuals are fed back into the accelerations; no projection.",
    .create = create,
    .destroy = tni_solved_destroy,
    .solve = solve,
    .describe = describe,
};
