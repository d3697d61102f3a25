/* integrators/event.c - first time in a step at which a switching function is negative
 *
 * The dense output of a step is sampled, more closely the further something turns. Between two samples
 * at which a function is positive it may dip below zero and come back: two balls that fly through each
 * other, a corner that sweeps past. The lines through the neighbours on each side, continued, lie below
 * a convex function; where both together stay above zero nothing is hidden, otherwise the place where
 * they meet is sampled too. Distances of convex bodies in free flight are convex. Between a sample
 * without and one with a negative function regula falsi with the Illinois rule narrows the zero,
 * guarded by bisection. What is found counts if it is still there after projection.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/event.h"

#include <float.h>
#include <math.h>

#include "integrators/common.h"

#define TIME_TOL 1e-12 /* of the step */
#define TIME_ULPS (4*DBL_EPSILON)
/* a step that ends where the function has this part of its size is at the event */
#define LANDED 1e-9
#define TURN 0.5    /* largest angle between samples [rad] */
#define CLOSEST 1e-5 /* samples are not put closer than this part of the step */
#define FIRST_SHIFT 1e-9 /* of the step: later by that when a zero is not there after projection */
enum { MIN_SAMPLES = 5, MAX_BASE = 24, MAX_LANDING = 12, MAX_ILLINOIS = 200 };

static tn_status allocate(tni_event_finder *e, int nq, int nv) {
  TN_TRY(tni_state_create_sized(&e->arena, nq, nv, 0, &e->found));
  for (int k = 0; k < TNI_EVENT_SAMPLES; k++) TNI_ARENA_NEW(&e->arena, e->g[k], e->ng);
  TNI_ARENA_NEW(&e->arena, e->g_try, e->ng);
  TNI_ARENA_NEW(&e->arena, e->g_start, e->ng);
  return TN_OK;
}

tn_status tni_event_create(tn_ctx *ctx, int nq, int nv, int ng, tni_event_fn fn, void *user,
                           tni_event_finder **out) {
  *out = NULL;
  tni_event_finder *e = tni_alloc(ctx, 1, sizeof(*e));
  if (!e) return tni_out_of_memory(ctx);
  tni_arena_init(&e->arena, ctx);
  e->ng = ng;
  e->fn = fn;
  e->user = user;
  e->t_start = NAN;
  tn_status st = allocate(e, nq, nv);
  if (st != TN_OK) tni_event_destroy(&e);
  *out = e;
  return st;
}

void tni_event_destroy(tni_event_finder **e) {
  if (!e || !*e) return;
  tn_ctx *ctx = (*e)->arena.ctx;
  tni_arena_clear(&(*e)->arena);
  tni_free(ctx, *e);
  *e = NULL;
}

static double evaluate(tni_event_finder *e, tni_integrator *it, double t, double *g) {
  it->type->interpolate(it, t, e->found.q, e->found.v, NULL);
  e->nevaluate++;
  return e->fn(e->user, t, e->found.q, e->found.v, g);
}

static double evaluate_one(tni_event_finder *e, tni_integrator *it, double t, int i) {
  if (!e->one) {
    evaluate(e, it, t, e->g_try);
    return e->g_try[i];
  }
  it->type->interpolate(it, t, e->found.q, e->found.v, NULL);
  return e->one(e->user, t, e->found.q, e->found.v, i, e->g_try);
}

static int first_negative(const tni_event_finder *e, const double *g) {
  for (int i = 0; i < e->ng; i++)
    if (g[i] < 0) return i;
  return -1;
}

int tni_event_start(tni_event_finder *e, double t, const double *q, const double *v) {
  if (e->ng == 0) return -1;
  e->fn(e->user, t, q, v, e->g_start);
  e->nevaluate++;
  e->t_start = t;
  return first_negative(e, e->g_start);
}

/* ---- samples ------------------------------------------------------------------------------- */

static void take_samples(tni_event_finder *e, tni_integrator *it) {
  double from = it->t_old, h = it->now.t - from;
  double spin = e->fn(e->user, it->now.t, it->now.q, it->now.v, e->g_try);
  e->nevaluate++;
  int n = MIN_SAMPLES;
  if (spin*h > TURN*(n - 1)) n = (int)fmin(ceil(spin*h/TURN) + 1, MAX_BASE);
  e->n = n;
  for (int k = 0; k < n - 1; k++) {
    e->at[k] = from + h*k/(n - 1);
    if (k == 0 && e->t_start == from) memcpy(e->g[0], e->g_start, (size_t)e->ng*sizeof(double));
    else evaluate(e, it, e->at[k], e->g[k]);
  }
  e->at[n-1] = it->now.t;
  memcpy(e->g[n-1], e->g_try, (size_t)e->ng*sizeof(double));
}

/* sample t goes between k and k + 1 */
static void insert(tni_event_finder *e, tni_integrator *it, int k, double t) {
  double *spare = e->g[e->n];
  for (int j = e->n; j > k + 1; j--) {
    e->g[j] = e->g[j-1];
    e->at[j] = e->at[j-1];
  }
  e->g[k+1] = spare;
  e->at[k+1] = t;
  e->n++;
  evaluate(e, it, t, spare);
}

/* Where function i, positive at both ends of interval k, may be negative between them. At the ends of a
 * step one of the lines is missing, and a point near the end is asked for instead. */
static bool may_dip(const tni_event_finder *e, int k, int i, double *t) {
  const double *at = e->at;
  double lo = at[k], hi = at[k+1], f_lo = e->g[k][i], f_hi = e->g[k+1][i];
  bool left = k > 0, right = k + 2 < e->n;
  double down = left ? (f_lo - e->g[k-1][i])/(lo - at[k-1]) : -HUGE_VAL;
  double up = right ? (e->g[k+2][i] - f_hi)/(at[k+2] - hi) : HUGE_VAL;
  if (down >= 0 || up <= 0) return false;
  if (!left) {
    if (f_hi - up*(hi - lo) >= 0 || !right) return false;
    *t = lo + 0.1*(hi - lo);
    return true;
  }
  if (!right) {
    if (f_lo + down*(hi - lo) >= 0) return false;
    *t = hi - 0.1*(hi - lo);
    return true;
  }
  double meet = (f_hi - f_lo + down*lo - up*hi)/(down - up);
  meet = fmin(fmax(meet, lo), hi);
  if (fmin(f_lo + down*(meet - lo), f_hi - up*(hi - meet)) >= 0) return false;
  *t = fmin(fmax(meet, lo + 0.05*(hi - lo)), hi - 0.05*(hi - lo));
  return true;
}

/* one more sample where a function may dip below zero before sample `end` */
static bool look_closer(tni_event_finder *e, tni_integrator *it, int end) {
  if (e->n == TNI_EVENT_SAMPLES) return false;
  double closest = CLOSEST*(it->now.t - it->t_old);
  for (int k = 0; k < end; k++) {
    double t;
    if (e->at[k+1] - e->at[k] < closest) continue;
    for (int i = 0; i < e->ng; i++) {
      if (e->g[k][i] < 0 || e->g[k+1][i] < 0 || !may_dip(e, k, i, &t)) continue;
      insert(e, it, k, t);
      return true;
    }
  }
  return false;
}

/* first sample with a negative function; e->n: none */
static int first_bad_sample(const tni_event_finder *e, int from) {
  int k = from;
  while (k < e->n && first_negative(e, e->g[k]) < 0) k++;
  return k;
}

/* ---- location ------------------------------------------------------------------------------ */

/* Narrow [lo, hi] around the first change of function i, >= 0 at lo and < 0 at hi. Returns hi. */
static double narrow(tni_event_finder *e, tni_integrator *it, int i, double lo, double f_lo, double hi,
                     double f_hi, double tol) {
  double target = 0.5*(hi - lo);
  int last = 0, stalled = 0;
  for (int k = 0; k < MAX_ILLINOIS && hi - lo > tol; k++) {
    double t = lo + (hi - lo)*f_lo/(f_lo - f_hi);
    if (++stalled > 3) t = 0.5*(lo + hi);
    t = fmin(hi - 0.5*tol, fmax(lo + 0.5*tol, t));
    double f = evaluate_one(e, it, t, i);
    /* the Illinois rule: an end that stays twice counts half */
    if (f < 0) {
      hi = t;
      f_hi = f;
      if (last < 0) f_lo *= 0.5;
      last = -1;
    } else {
      lo = t;
      f_lo = f;
      if (last > 0) f_hi *= 0.5;
      last = 1;
    }
    if (hi - lo <= target) {
      target = 0.5*(hi - lo);
      stalled = 0;
    }
  }
  return hi;
}

/* The first change of a function between samples k-1 and k, at which some are negative. Those that are not negative yet
 * where another one has changed come later. */
static double first_change(tni_event_finder *e, tni_integrator *it, int k, double tol) {
  double first = e->at[k];
  int found = -1;
  for (int i = 0; i < e->ng; i++) {
    double f = e->g[k][i];
    if (!(f < 0)) continue;
    if (found >= 0) f = evaluate_one(e, it, first, i);
    if (!(f < 0)) continue;
    double t = narrow(e, it, i, e->at[k-1], fmax(e->g[k-1][i], 0), first, f, tol);
    if (found < 0 || t < first) e->index = found = i;
    first = t;
  }
  return first;
}

/* e->found without its time: the state that a run goes on from if it is stopped at t */
static tn_status state_at(tni_event_finder *e, tni_integrator *it, double t) {
  const tni_data *s = it->s;
  if (t >= it->now.t) {
    tni_state_set(&e->found, s, e->found.t, it->now.q, it->now.v, it->now.z);
    return TN_OK;
  }
  it->type->interpolate(it, t, e->found.q, e->found.v, e->found.z);
  return tni_integrator_project_look(it, t, e->found.q, e->found.v);
}

/* The first time from t on, up to sample k, at which a function is negative after projection. */
static tn_status confirm(tni_event_finder *e, tni_integrator *it, double t, int k, bool *found) {
  double shift = fmax(FIRST_SHIFT*(it->now.t - it->t_old), TIME_ULPS*fabs(it->now.t));
  *found = false;
  for (;;) {
    TN_TRY(state_at(e, it, t));
    e->fn(e->user, t, e->found.q, e->found.v, e->g_try);
    e->nevaluate++;
    int i = first_negative(e, e->g_try);
    if (i >= 0) {
      *found = true;
      if (!(e->g_try[e->index] < 0)) e->index = i;
      e->found.t = t;
      return TN_OK;
    }
    if (t >= e->at[k]) return TN_OK;
    t = fmin(t + shift, e->at[k]);
    shift *= 4;
  }
}

tn_status tni_event_find(tni_event_finder *e, tni_integrator *it, bool *found) {
  *found = false;
  if (e->ng == 0) return TN_OK;
  double h = it->now.t - it->t_old;
  double tol = fmax(TIME_TOL*h, TIME_ULPS*fmax(fabs(it->now.t), fabs(it->t_old)));
  take_samples(e, it);
  for (int from = 1; from < e->n;) {
    int k = first_bad_sample(e, from);
    if (look_closer(e, it, k < e->n ? k : e->n - 1)) continue;
    if (k == e->n) return TN_OK;
    TN_TRY(confirm(e, it, first_change(e, it, k, tol), k, found));
    if (*found) return TN_OK;
    from = k + 1;
  }
  return TN_OK;
}

tn_status tni_event_stay(tni_event_finder *e, tni_integrator *it) {
  e->found.t = it->now.t;
  return state_at(e, it, it->now.t);
}

tn_status tni_event_land(tni_event_finder *e, tni_integrator *it) {
  if (!it->type->repeat) return TN_OK;
  int i = e->index;
  double from = it->t_old, end = it->now.t, size = 0;
  for (int k = 0; k < e->n; k++) size = fmax(size, fabs(e->g[k][i]));
  /* secants from the beginning of the step */
  double t0 = from, f0 = e->g[0][i], t = e->found.t, target = -0.5*LANDED*size;
  double first = from + TNI_SHORTEST_AGAIN*(end - from);
  if (t < first) return TN_OK;
  for (int k = 0; k < MAX_LANDING; k++) {
    TN_TRY(it->type->repeat(it, t));
    e->fn(e->user, it->now.t, it->now.q, it->now.v, e->g_try);
    e->nevaluate++;
    double f = e->g_try[i];
    if (f < 0 && f >= -LANDED*size) break;
    double next = f != f0 ? t + (target - f)*(t - t0)/(f - f0) : t;
    t0 = t;
    f0 = f;
    t = fmin(fmax(next, first), end);
    if (t == t0) break;
  }
  return tni_event_stay(e, it);
}
