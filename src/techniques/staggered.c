/* techniques/staggered.c - parabolic stabilisation: multipliers in a module of their own (LINT)
 *
 * The penalty law, differentiated, with the velocity of the equations of motion over the half step
 * delta put in, is an equation for the multipliers that is integrated implicitly, holonomic and
 * nonholonomic rows alike:
 *
 *   (E + delta^2 A) lambda_k = E lambda_{k-1} + delta^2 C M^-1 f_k + delta (C v_{k-1} + phi_t)
 *
 * with A = C M^-1 C^T, and C, M, f at station k. The matrix is definite whatever the rank of C:
 * redundant rows and singular positions need no special case. E is diagonal,
 *
 *   E_rr = eta delta^2 A_rr,       eta = 0.05
 *
 * so that the softness has the units of each row; eta above 0.3 makes joints visibly soft, below
 * 0.003 the multipliers ring. A_rr is taken when the stations begin (no past) and kept until they
 * begin again: the law has a constant E.
 *
 * Implicit rules (trapezoidal) ask at an iterate (q, v) of the end of the step, whose residual is known:
 *
 *   (E + delta^2 A) lambda = Phi - delta Phi' + delta (C (v_known + delta M^-1 f) + phi_t)
 *
 * As published E may be one number, epsilon, for all rows; and the law may be one of accelerations,
 *   (epsilon/delta + A) lambda_k = epsilon/delta lambda_{k-1} + C M^-1 f_k - gamma
 * which does not see Psi or Phi' and lets holonomic rows drift.
 *
 * Without a past the multipliers are those of C v' = gamma, by the proximal iteration
 *   (A + S) lambda <- S lambda + C M^-1 f - gamma
 * which tends to them on all modes that A has and leaves the others at the guess.
 *
 * Source: Downer, Park, Chiou (1990) eq. 4.15-4.20; the mid-point forms printed elsewhere ring.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "techniques/technique.h"

typedef struct {
  tni_technique base;
  tni_kkt_solver *solver;
  double *shift;    /* [m] E/delta^2, or S                        */
  double *diagonal; /* [m] A_rr when the stations began           */
  double *here;     /* [m] A_rr of a state without a past         */
} lint;

extern const tni_technique_type tni_technique_staggered;

static const double ETA = 0.05;
/* S over the diagonal of A and iterations: from nothing, and from multipliers that are nearly right,
 * where modes that A hardly has should stay as they are */
static const double FRESH = 1e-6, KNOWN = 1e-3;
enum { FRESH_ROUNDS = 3, KNOWN_ROUNDS = 4 };

static tn_status setup(lint *w) {
  tni_technique *tq = &w->base;
  if (tq->opts.eta <= 0) tq->opts.eta = ETA;
  TNI_ARENA_NEW(&tq->arena, w->shift, tq->s->m);
  TNI_ARENA_NEW(&tq->arena, w->diagonal, tq->s->m);
  TNI_ARENA_NEW(&tq->arena, w->here, tq->s->m);
  tq->state = w->diagonal;
  tq->nstate = tq->s->m;
  tni_technique_diagonal(&tq->K, w->diagonal);
  tq->K.active = NULL;
  tq->K.shift = w->shift;
  tni_kkt_opts k = {.method = tq->opts.solver};
  return tni_kkt_create(tq->ctx, &tq->K, &k, &w->solver);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  *out = NULL;
  lint *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  tn_status st = tni_technique_init(&w->base, &tni_technique_staggered, ctx, s, opts);
  if (st == TN_OK) st = setup(w);
  *out = &w->base;
  if (st != TN_OK) tni_technique_destroy(out);
  return st;
}

static void destroy(tni_technique *tq) { tni_kkt_destroy(&((lint *)tq)->solver); }

static tn_status factor_shifted(lint *w, double t) {
  tni_technique *tq = &w->base;
  tq->s->work.nfactor++;
  tn_status st = tni_kkt_factor(w->solver);
  return st == TN_SINGULAR ? tni_technique_singular(tq, t, tni_kkt_bad_row(w->solver)) : st;
}

/* shift = part of the diagonal; rows without compliance (none of their bodies can move) get 1 */
static tn_status factor(lint *w, const double *diagonal, double part, double t) {
  for (int r = 0; r < w->base.s->m; r++) w->shift[r] = diagonal[r] > 0 ? part*diagonal[r] : 1;
  return factor_shifted(w, t);
}

/* the softness of the run: a part of the diagonal, or one number in the units of delta^2 A (of delta A on
 * the level of accelerations) */
static tn_status factor_soft(lint *w, const double *diagonal, const tni_station *at) {
  const tni_technique_opts *o = &w->base.opts;
  if (!(o->epsilon > 0)) return factor(w, diagonal, o->eta, at->t);
  double shift = o->epsilon/(o->acceleration_level ? at->delta : at->delta*at->delta);
  for (int r = 0; r < w->base.s->m; r++) w->shift[r] = shift;
  return factor_shifted(w, at->t);
}

static tn_status without_past(lint *w, const tni_terms *terms, const tni_station *at,
                              double *lambda) {
  tni_technique *tq = &w->base;
  int m = tq->s->m;
  bool known = at->lambda_before != NULL;
  tni_technique_diagonal(&tq->K, w->here);
  if (at->begins) memcpy(w->diagonal, w->here, (size_t)m*sizeof(double));
  TN_TRY(factor(w, w->here, known ? KNOWN : FRESH, at->t));
  for (int r = 0; r < m; r++) tq->lambda[r] = known ? at->lambda_before[r] : 0;
  for (int n = 0; n < (known ? KNOWN_ROUNDS : FRESH_ROUNDS); n++) {
    for (int r = 0; r < m; r++) tq->g[r] = terms->gamma[r] - w->shift[r]*tq->lambda[r];
    tni_kkt_solve(w->solver, terms->f, tq->g, tq->x, tq->lambda);
  }
  memcpy(lambda, tq->lambda, (size_t)m*sizeof(double));
  return TN_OK;
}

/* Implicit rules know the residual of their iterate: the penalty law E lambda = Phi at the end of the step,
 * linearised there, in the place of its derivative with the multipliers before. Nonholonomic rows have no
 * Phi and keep the derivative. */
static tn_status at_iterate(lint *w, const tni_terms *terms, const tni_station *at, double *lambda) {
  tni_technique *tq = &w->base;
  double delta = at->delta;
  tni_technique_diagonal(&tq->K, w->here);
  TN_TRY(factor_soft(w, w->here, at));
  tni_technique_rate(terms, at->v_known, tq->g);
  tni_technique_rate(terms, at->v, tq->lambda);
  for (int r = 0; r < tq->s->m; r++) {
    bool rate_only = terms->nonholonomic[r];
    double off = rate_only ? 0 : terms->phi[r] - delta*tq->lambda[r];
    tq->g[r] = -(off + delta*tq->g[r])/(delta*delta);
    if (rate_only) tq->g[r] -= w->shift[r]*at->lambda_before[r];
  }
  tni_kkt_solve(w->solver, terms->f, tq->g, tq->x, lambda);
  return TN_OK;
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  lint *w = (lint *)tq;
  if (at->v_known) {
    TN_TRY(at_iterate(w, terms, at, lambda));
  } else if (at->delta > 0) {
    TN_TRY(factor_soft(w, w->diagonal, at));
    tni_technique_rate(terms, at->v_before, tq->g);
    for (int r = 0; r < tq->s->m; r++) {
      double g = tq->opts.acceleration_level ? terms->gamma[r] : -tq->g[r]/at->delta;
      tq->g[r] = g - w->shift[r]*at->lambda_before[r];
    }
    tni_kkt_solve(w->solver, terms->f, tq->g, tq->x, lambda);
  } else {
    TN_TRY(without_past(w, terms, at, lambda));
  }
  tni_technique_accelerate(tq, terms->f, lambda, a);
  return TN_OK;
}

static void describe(const tni_technique *tq, char *out, size_t n) {
  const tni_technique_opts *o = &tq->opts;
  const char *level = o->acceleration_level ? ", level of accelerations" : "";
  if (o->epsilon > 0) snprintf(out, n, "epsilon = %.4g for all rows%s", o->epsilon, level);
  else snprintf(out, n, "eta = %.4g of the compliance of each row%s", o->eta, level);
}

const tni_technique_type tni_technique_staggered = {
    .name = "staggered",
    .summary = "Implicit equation for the multipliers, definite for any rank; methods staggered and trapezoidal.",
    .needs_past = true,
    .create = create,
    .destroy = destroy,
    .solve = solve,
    .describe = describe,
};
