/* integrators/trapezoidal.c - trapezoidal rule with any constraint technique, by iteration
 *
 * The implicit alternative of the staggered papers. With delta = h/2
 *
 *   v_1 = v_0 + delta (a_0 + a_1),    q_1 = q_0 (+) delta (v_0 + v_1)
 *
 * and a_1 with its multipliers by the technique of the run at the iterate (q_1, v_1): fixed-point
 * iteration, one evaluation and one solution for the multipliers a pass. It stops when a pass moves the
 * positions by less than the share of the step in the tolerance, or after so many passes as were asked for
 * (`iterations`; 1 is a predictor and one correction). Residuals of the constraints do not stop it: what a technique leaves
 * there is its property and does not go away by iteration. Where the passes do not converge the step is
 * divided.
 *
 * No numerical damping. The iteration converges for h omega below 2 about: this is a rule to compare
 * techniques with and to study them; for stiff models trap and infl_trap have Newton's method.
 *
 * Source: Park and Chiou, JGCD 11 (1988) 365.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrators/hermite.h"
#include "techniques/technique.h"

enum { PASSES = 50 };     /* where none are given                        */
enum { MOST_HALVINGS = 8 };
static const double CRUMB = 1e-6; /* part of a step that is rounding of the time */

typedef struct {
  tni_integrator base;
  tni_technique *tq;
  long count;        /* of steps since the start              */
  double t_begun;
  tni_state old, next; /* ends of a step inside the one that is divided */
  double *v_known, *dx;
  tni_hermite ends;
  double zdot1[TNI_NZ];
  int worst;         /* velocity component that a pass changed most */
} rule;

extern const tni_integrator_type tni_integrator_trapezoidal;
static rule *of(tni_integrator *it) { return (rule *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(rule *w) {
  tni_data *s = w->base.s;
  tni_arena *a = &w->base.arena;
  double **nv[] = {&w->v_known, &w->dx};
  for (int i = 0; i < TNI_COUNT(nv); i++) TNI_ARENA_NEW(a, *nv[i], s->nv);
  TN_TRY(tni_state_create_in(a, s, &w->old));
  TN_TRY(tni_state_create_in(a, s, &w->next));
  return tni_hermite_create(&w->base, &w->ends);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  TN_REQUIRE(ctx, tni_has_terms(s) && opts->technique, TN_ERR_UNSUPPORTED,
             "method 'trapezoidal' needs the cartesian representation without reduced bodies, and a constraint technique");
  rule *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  w->tq = opts->technique;
  tn_status st = tni_integrator_init(&w->base, &tni_integrator_trapezoidal, ctx, s, opts);
  if (st == TN_OK) st = allocate(w);
  if (st != TN_OK) {
    destroy(&w->base);
    return st;
  }
  *out = &w->base;
  return TN_OK;
}

/* multipliers and accelerations at a state; at says how */
static tn_status evaluate(rule *w, const double *q, tni_station *at, double *lambda, double *a,
                          double *zdot) {
  tni_data *s = w->base.s;
  tni_terms terms;
  s->work.naccel++;
  tni_eval_terms(s, at->t, q, at->v, at->v, &terms);
  TN_TRY(w->tq->type->solve(w->tq, &terms, at, lambda, a));
  zdot[TNI_Z_DISSIPATED] = terms.energies.dissipated;
  zdot[TNI_Z_INPUT] = terms.energies.input;
  for (int r = 0; r < s->m; r++) zdot[TNI_Z_INPUT] += lambda[r]*terms.phi_t[r];
  return TN_OK;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  rule *w = of(it);
  tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = w->t_begun = t;
  w->count = 0;
  w->ends.has_way = false;
  tni_station at = {.t = t, .begins = true, .v = it->now.v, .v_before = it->now.v, .v_lagged = it->now.v};
  TN_TRY(evaluate(w, it->now.q, &at, it->now.lambda, it->now.a, w->ends.zdot));
  it->has_accel = true;
  return TN_OK;
}

/* end of the step for the accelerations a1; how far that moves the positions */
static double place(rule *w, double delta) {
  const tni_data *s = w->base.s;
  double change = 0;
  for (int i = 0; i < s->nv; i++) {
    double v = w->old.v[i] + delta*(w->old.a[i] + w->next.a[i]);
    double by = delta*fabs(v - w->next.v[i]);
    if (!(by <= change)) change = by, w->worst = i;
    w->next.v[i] = v;
    w->dx[i] = delta*(w->old.v[i] + v);
  }
  tni_retract(s, w->old.q, w->dx, w->next.q);
  return change;
}

/* one step h from old to next, with zdot1; TN_NOT_CONVERGED with *change */
static tn_status advance(rule *w, double t, double h, double *change) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  int limit = it->opts.iterations > 0 ? it->opts.iterations : PASSES;
  double delta = 0.5*h, way = 0, round = 0;
  for (int i = 0; i < s->nq; i++) round = fmax(round, 8*DBL_EPSILON*fabs(w->old.q[i]));
  for (int i = 0; i < s->nv; i++) {
    w->next.a[i] = w->old.a[i];
    w->next.v[i] = w->old.v[i];
    w->v_known[i] = w->old.v[i] + delta*w->old.a[i];
    way = fmax(way, h*fabs(w->old.v[i]));
  }
  double tol = (it->opts.atol + it->opts.rtol*way)*h/(it->opts.t_end - w->t_begun) + round;
  tni_station at = {.t = t + h, .delta = delta, .v = w->next.v, .v_before = w->old.v, .v_lagged = w->next.v,
                    .v_known = w->v_known, .lambda_before = it->now.lambda};
  place(w, delta);
  *change = HUGE_VAL;
  int n = 0;
  while (n < limit && *change > tol) {
    TN_TRY(evaluate(w, w->next.q, &at, w->next.lambda, w->next.a, w->zdot1));
    *change = place(w, delta);
    n++;
    if (!isfinite(*change)) return TN_NOT_CONVERGED;
  }
  it->stats.newton += n;
  if (*change > tol) {
    it->stats.nonconverged++;
    if (it->opts.iterations == 0) return TN_NOT_CONVERGED;
  }
  if (w->tq->nstate > 0) { /* its history goes on once a step */
    at.final = true;
    TN_TRY(evaluate(w, w->next.q, &at, w->next.lambda, w->next.a, w->zdot1));
  }
  tni_project_opts po = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  return tni_project(s, t + h, w->next.q, w->next.v, &po, NULL);
}

/* the step from the state at t_old in 2^halvings parts */
static tn_status attempt(rule *w, double h, int halvings, double *change) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  long parts = 1L << halvings;
  double part = h/(double)parts;
  tni_state_copy(&w->old, s, &w->ends.old);
  memcpy(w->next.z, w->old.z, TNI_NZ*sizeof(double));
  memcpy(w->ends.zdot, w->ends.zdot_old, sizeof(w->ends.zdot));
  for (long i = 0; i < parts; i++) {
    TN_TRY(advance(w, it->now.t + (double)i*part, part, change));
    for (int k = 0; k < TNI_NZ; k++) w->next.z[k] += 0.5*part*(w->ends.zdot[k] + w->zdot1[k]);
    memcpy(w->ends.zdot, w->zdot1, sizeof(w->ends.zdot));
    tni_state_copy(&w->old, s, &w->next);
  }
  return TN_OK;
}

static tn_status step(tni_integrator *it) {
  rule *w = of(it);
  tni_data *s = it->s;
  TN_REQUIRE(it->ctx, it->now.t < it->opts.t_end, TN_ERR_ARGUMENT,
             "%s: no step beyond the end t = %.9g s", it->type->name, it->opts.t_end);
  double t0 = it->now.t, t1 = w->t_begun + (double)(w->count + 1)*it->opts.h, change = 0;
  if (t1 > it->opts.t_end - CRUMB*it->opts.h) t1 = it->opts.t_end;
  double h = t1 - t0;
  tni_hermite_begin(it, &w->ends);
  tn_status st = TN_NOT_CONVERGED;
  for (int k = 0; k <= MOST_HALVINGS && st > 0; k++) {
    st = attempt(w, h, k, &change);
    if (st > 0) it->stats.rejected++;
  }
  if (st > 0) {
    char name[128];
    tni_dof_name(s, w->worst, name, sizeof(name));
    return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                   "trapezoidal: the iteration does not converge at t = %.6g s, not with 1/%d of step "
                   "%.3g s either (last change %.3g, of '%s'); shorten 'step', or take method trap",
                   t0, 1 << MOST_HALVINGS, h, change, name);
  }
  TN_TRY(st);
  w->next.t = t1;
  tni_state_copy(&it->now, s, &w->next);
  for (int i = 0; i < s->nv; i++)
    if (!isfinite(it->now.v[i]) || !isfinite(it->now.a[i])) return tni_system_not_finite(s, t1, i);
  w->count++;
  it->t_old = t0;
  it->has_accel = true;
  tni_integrator_count_step(it, h, 2);
  it->stats.h_next = it->opts.h;
  return TN_OK;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  tni_hermite_interpolate(it, &of(it)->ends, t, q, v, z);
}

/* ---- save, load, describe ------------------------------------------------------------------- */

enum { HEAD = 2 };

static int nstate(const tni_integrator *it) {
  const rule *w = (const rule *)(const void *)it;
  return HEAD + TNI_NZ + it->s->nq + it->s->nv + it->s->m + w->tq->nstate;
}

static tn_status save(tni_integrator *it, double *x) {
  const rule *w = of(it);
  const tni_data *s = it->s;
  const double head[HEAD] = {w->t_begun, (double)w->count};
  const double *from[] = {head, w->ends.zdot, it->now.q, it->now.a, it->now.lambda, w->tq->state};
  const int n[] = {HEAD, TNI_NZ, s->nq, s->nv, s->m, w->tq->nstate};
  for (int i = 0; i < TNI_COUNT(n); i++) {
    if (n[i] > 0) memcpy(x, from[i], (size_t)n[i]*sizeof(double));
    x += n[i];
  }
  return TN_OK;
}

static tn_status load(tni_integrator *it, const double *x) {
  rule *w = of(it);
  const tni_data *s = it->s;
  double head[HEAD];
  double *to[] = {head, w->ends.zdot, it->now.q, it->now.a, it->now.lambda, w->tq->state};
  const int n[] = {HEAD, TNI_NZ, s->nq, s->nv, s->m, w->tq->nstate};
  for (int i = 0; i < TNI_COUNT(n); i++) {
    if (n[i] > 0) memcpy(to[i], x, (size_t)n[i]*sizeof(double));
    x += n[i];
  }
  w->t_begun = head[0];
  w->count = (long)head[1];
  it->has_accel = true;
  return TN_OK;
}

static void explain(const tni_integrator *it, char *out, size_t n) {
  const tni_integrator_stats *st = &it->stats;
  size_t at = (size_t)snprintf(out, n, "%.2f iterations a step",
                               (double)st->newton/fmax((double)st->steps, 1));
  if (st->nonconverged > 0 && at < n)
    snprintf(out + at, n - at, ", not converged in %ld", st->nonconverged);
}

const tni_integrator_type tni_integrator_trapezoidal = {
    .name = "trapezoidal",
    .summary = "trapezoidal rule by fixed-point iteration with any constraint technique, for comparisons",
    .order = 2,
    .fixed_step = true,
    .needs_technique = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .explain = explain,
};
