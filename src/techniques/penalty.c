/* techniques/penalty.c - springs in the place of constraints
 *
 *   holonomic rows       lambda = Phi/eps                           a spring
 *   nonholonomic rows    lambda = Psi/eps',  Psi = C v + phi_t      a damper
 *
 * No linear system. Each row is scaled by its own compliance A_rr = (C M^-1 C^T)_rr, taken once:
 * eps_r = A_rr mu/omega^2 and eps'_r = A_rr mu/rate, where mu bounds the eigenvalues of the scaled
 * compliance, so that omega is the highest frequency that the springs bring in, whatever the units.
 * An explicit method is stable up to h omega = 2; omega = 0.3/h gives it 20 samples a period.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "techniques/technique.h"

typedef struct {
  tni_technique base;
  double *soft;   /* [m] eps_r of holonomic, eps'_r of nonholonomic rows */
  double *row, *body; /* [m], [nv] of the power iteration                */
  double omega, rate;
} penalty;

static const double OMEGA_TIMES_H = 0.3;
static const double RATE_TIMES_H = 0.3;
static const double H_UNKNOWN = 1e-3; /* s */
enum { POWER_STEPS = 30 };

extern const tni_technique_type tni_technique_penalty;

/* largest eigenvalue of D^-1/2 C M^-1 C^T D^-1/2 with unit diagonal; exact enough after 30 steps,
 * and raised a little because the iteration comes from below */
static double largest_mode(penalty *w, const double *diagonal) {
  const tni_kkt *K = &w->base.K;
  double mu = 1, *y = w->row;
  for (int r = 0; r < K->nrow; r++) y[r] = 1 + 0.1*(r % 7);
  for (int n = 0; n < POWER_STEPS; n++) {
    double size = 0;
    for (int r = 0; r < K->nrow; r++) size += y[r]*y[r];
    size = sqrt(size);
    if (!(size > 0)) break;
    if (n > 0) mu = size;
    for (int r = 0; r < K->nrow; r++) y[r] *= 1/size/sqrt(diagonal[r]);
    tni_kkt_apply_Ct(K, y, w->body);
    tni_technique_accelerate(&w->base, w->body, NULL, w->base.x);
    tni_kkt_apply_C(K, w->base.x, y);
    for (int r = 0; r < K->nrow; r++) y[r] /= sqrt(diagonal[r]);
  }
  return 1.1*mu;
}

static tn_status setup(penalty *w) {
  tni_technique *tq = &w->base;
  tni_data *s = tq->s;
  TNI_ARENA_NEW(&tq->arena, w->soft, s->m);
  TNI_ARENA_NEW(&tq->arena, w->row, s->m);
  TNI_ARENA_NEW(&tq->arena, w->body, s->nv);
  double h = tq->opts.h > 0 ? tq->opts.h : H_UNKNOWN;
  w->omega = tq->opts.penalty > 0 ? tq->opts.penalty : OMEGA_TIMES_H/h;
  w->rate = tq->opts.penalty > 0 ? tq->opts.penalty : RATE_TIMES_H/h;
  tni_technique_diagonal(&tq->K, w->soft);
  for (int r = 0; r < s->m; r++)
    if (!(w->soft[r] > 0)) w->soft[r] = 1;
  double mu = largest_mode(w, w->soft);
  tni_terms terms;
  double *q, *v;
  TNI_ARENA_NEW(&tq->arena, q, s->nq);
  TNI_ARENA_NEW(&tq->arena, v, s->nv);
  tni_initial(s, q, v);
  tni_eval_terms(s, 0, q, v, v, &terms);
  for (int r = 0; r < s->m; r++)
    w->soft[r] *= terms.nonholonomic[r] ? mu/w->rate : mu/(w->omega*w->omega);
  return TN_OK;
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  *out = NULL;
  penalty *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  tn_status st = tni_technique_init(&w->base, &tni_technique_penalty, ctx, s, opts);
  if (st == TN_OK) st = setup(w);
  *out = &w->base;
  if (st != TN_OK) tni_technique_destroy(out);
  return st;
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  const penalty *w = (const penalty *)tq;
  tni_technique_rate(terms, at->v_lagged, tq->g);
  for (int r = 0; r < tq->s->m; r++) {
    bool damper = terms->nonholonomic[r];
    lambda[r] = (damper ? tq->g[r] : terms->phi[r])/w->soft[r];
    /* they store and dissipate energy as forces of the model do */
    if (damper) terms->energies.dissipated += lambda[r]*tq->g[r];
    else terms->energies.potential += 0.5*lambda[r]*terms->phi[r];
  }
  tni_technique_accelerate(tq, terms->f, lambda, a);
  return TN_OK;
}

/* tq->g: residuals; 0 where there are none of positions */
static void store(tni_technique *tq, const tni_at *at, double *potential) {
  const penalty *w = (const penalty *)tq;
  tni_eval_phi(tq->s, at->t, at->q, tq->g);
  for (int r = 0; r < tq->s->m; r++) {
    double lambda = tq->g[r]/w->soft[r];
    *potential += 0.5*lambda*tq->g[r];
  }
}

static void describe(const tni_technique *tq, char *out, size_t n) {
  const penalty *w = (const penalty *)tq;
  snprintf(out, n, "highest frequency %.4g rad/s%s", w->omega,
           tq->opts.penalty > 0 ? "" : tq->opts.h > 0 ? " (0.3/step)" : " (0.3/1 ms)");
}

const tni_technique_type tni_technique_penalty = {
    .name = "penalty",
    .summary = "Springs and dampers in the place of constraints; no linear system.",
    .soft = true,
    .create = create,
    .solve = solve,
    .store = store,
    .describe = describe,
};
