/* bench/trapezoid.h - trapezoidal rule with iteration, constraints by Baumgarte or staggered
 *
 * The reference of the staggered papers: with delta = h/2
 *   v1 = v0 + delta (a0 + a1),   q1 = q0 (+) delta (v0 + v1)
 * is iterated to a given accuracy of motion and constraints. Multipliers of an iterate (q, v):
 *   baumgarte   A lambda = C M^-1 f - gamma + 2 alpha Phi' + beta Phi
 *   staggered   (E + delta^2 A) lambda = Phi - delta Phi' + delta (C (v0 + delta a0 + delta M^-1 f) + phi_t)
 * the second being the penalty law E lambda = Phi at the end of the step, linearised at the iterate.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TRAPEZOID_H
#define TN_TRAPEZOID_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "techniques/technique.h"

typedef struct {
  tni_system *s;
  tni_kkt K;
  tni_kkt_solver *solver;
  bool staggered;
  double h, eta, alpha, beta, tol;
  int limit;                 /* iterations of a step                       */
  double t, *q, *v, *a, *lambda;
  double *q1, *v1, *a1, *g, *x, *dx, *shift, *diagonal, *rate;
  long iterations, steps, unconverged;
  double worst, square;      /* largest |Phi|, sum of squares at the steps */
} trapezoid;

static inline double *trap_new(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static inline tn_status trap_open(trapezoid *w, tn_ctx *ctx, tni_system *s, bool staggered,
                                  double h) {
  tni_terms terms;
  memset(w, 0, sizeof(*w));
  w->s = s;
  w->h = h;
  w->staggered = staggered;
  w->limit = 1;
  double **nv[] = {&w->v, &w->a, &w->v1, &w->a1, &w->x, &w->dx};
  double **m[] = {&w->lambda, &w->g, &w->shift, &w->diagonal, &w->rate};
  for (int i = 0; i < TNI_COUNT(nv); i++) *nv[i] = trap_new(s->nv);
  for (int i = 0; i < TNI_COUNT(m); i++) *m[i] = trap_new(s->m);
  w->q = trap_new(s->nq);
  w->q1 = trap_new(s->nq);
  s->ops->initial(s, w->q, w->v);
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-13};
  TN_TRY(s->ops->project(s, 0, w->q, w->v, &p, NULL));
  TN_TRY(s->ops->accel(s, 0, w->q, w->v, w->a, w->lambda, NULL));
  s->ops->terms(s, 0, w->q, w->v, w->v, &terms);
  w->K = *terms.K;
  if (staggered) {
    w->K.active = NULL;
    w->K.shift = w->shift;
  }
  tni_technique_diagonal(&w->K, w->diagonal);
  return tni_kkt_create(ctx, &w->K, NULL, &w->solver);
}

static inline void trap_close(trapezoid *w) {
  double *list[] = {w->v, w->a, w->v1, w->a1, w->x, w->dx, w->lambda, w->g, w->shift, w->diagonal,
                    w->rate, w->q, w->q1};
  tni_kkt_destroy(&w->solver);
  for (int i = 0; i < TNI_COUNT(list); i++) free(list[i]);
}

/* one pass: accelerations of the iterate, next iterate; largest |Phi| of the iterate */
static inline tn_status trap_pass(trapezoid *w, double *phi_max, double *change) {
  tni_system *s = w->s;
  tni_terms terms;
  double delta = 0.5*w->h;
  s->ops->terms(s, w->t + w->h, w->q1, w->v1, w->v1, &terms);
  *phi_max = *change = 0;
  for (int r = 0; r < s->m; r++) *phi_max = fmax(*phi_max, fabs(terms.phi[r]));
  tni_technique_rate(&terms, w->v1, w->rate);
  if (w->staggered) {
    tni_technique_diagonal(&w->K, w->diagonal);
    for (int r = 0; r < s->m; r++) w->shift[r] = w->diagonal[r] > 0 ? w->eta*w->diagonal[r] : 1;
    for (int i = 0; i < s->nv; i++) w->x[i] = w->v[i] + delta*w->a[i];
    tni_kkt_apply_C(terms.K, w->x, w->g);
    for (int r = 0; r < s->m; r++) {
      double e = terms.nonholonomic[r] ? 0 : terms.phi[r] - delta*w->rate[r];
      w->g[r] = -(e + delta*(w->g[r] + terms.phi_t[r]))/(delta*delta);
    }
  } else {
    for (int r = 0; r < s->m; r++)
      w->g[r] = terms.gamma[r] - 2*w->alpha*w->rate[r] - w->beta*terms.phi[r];
  }
  TN_TRY(tni_kkt_factor(w->solver));
  tni_kkt_solve(w->solver, terms.f, w->g, w->a1, w->lambda);
  for (int i = 0; i < s->nv; i++) {
    double v = w->v[i] + delta*(w->a[i] + w->a1[i]);
    *change = fmax(*change, delta*fabs(v - w->v1[i]));
    w->v1[i] = v;
    w->dx[i] = delta*(w->v[i] + v);
  }
  s->ops->retract(s, w->q, w->dx, w->q1);
  return TN_OK;
}

/* one step, at most w->limit passes; w->tol 0: exactly one pass */
static inline tn_status trap_step(trapezoid *w) {
  tni_system *s = w->s;
  double phi = 0, change = 0;
  for (int i = 0; i < s->nv; i++) {
    w->v1[i] = w->v[i] + w->h*w->a[i];
    w->dx[i] = 0.5*w->h*(w->v[i] + w->v1[i]);
  }
  s->ops->retract(s, w->q, w->dx, w->q1);
  int n = 0;
  do {
    TN_TRY(trap_pass(w, &phi, &change));
    n++;
    if (w->tol == 0) break;
  } while (n < w->limit && !(change <= w->tol && phi <= w->tol));
  w->unconverged += w->tol > 0 && !(change <= w->tol && phi <= w->tol);
  w->iterations += n;
  w->steps++;
  w->t += w->h;
  memcpy(w->q, w->q1, (size_t)s->nq*sizeof(double));
  memcpy(w->v, w->v1, (size_t)s->nv*sizeof(double));
  memcpy(w->a, w->a1, (size_t)s->nv*sizeof(double));
  tni_residuals res;
  s->ops->residuals(s, w->t, w->q, w->v, NULL, &res);
  w->worst = fmax(w->worst, res.position);
  w->square += res.position*res.position;
  return isfinite(res.position) ? TN_OK : TN_NOT_CONVERGED;
}

#endif
