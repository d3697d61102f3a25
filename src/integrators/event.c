/* integrators/event.c - first sign change on the dense output of a step
 *
 * The step is sampled at five points. Between two samples a change of sign brackets a zero, which
 * regula falsi with the Illinois rule narrows, guarded by bisection. Two zeros between samples
 * leave no change of sign: where the parabola through three neighbours dips towards zero, its
 * vertex is looked at, up to a few times, and a vertex beyond zero brackets the first of the two.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/event.h"

#include <float.h>
#include <math.h>

#define TIME_TOL 1e-12 /* of the step */
#define TIME_ULPS (4*DBL_EPSILON)
/* a function this small against its values in the last step is at its zero */
#define ZERO_SHARE 1e-6
/* a step that ends where the function has this part of its size is at the event */
#define LANDED 1e-9
enum { MAX_LANDING = 12, MAX_VERTEX = 6, MAX_ILLINOIS = 200 };

static tn_status allocate(tni_event_finder *e, const tni_system *s) {
  TNI_ARENA_NEW(&e->arena, e->fired, e->ng);
  TNI_ARENA_NEW(&e->arena, e->side, e->ng);
  TNI_ARENA_NEW(&e->arena, e->q, s->nq);
  TNI_ARENA_NEW(&e->arena, e->v, s->nv);
  for (int k = 0; k < TNI_EVENT_SAMPLES; k++) TNI_ARENA_NEW(&e->arena, e->g[k], e->ng);
  TNI_ARENA_NEW(&e->arena, e->g_try, e->ng);
  TNI_ARENA_NEW(&e->arena, e->g_size, e->ng);
  return TN_OK;
}

tn_status tni_event_create(tn_ctx *ctx, const tni_system *s, int ng, tni_event_fn fn, void *user,
                           tni_event_finder **out) {
  *out = NULL;
  tni_event_finder *e = tni_alloc(ctx, 1, sizeof(*e));
  if (!e) return tni_out_of_memory(ctx);
  tni_arena_init(&e->arena, ctx);
  e->ng = ng;
  e->fn = fn;
  e->user = user;
  tn_status st = allocate(e, s);
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

static int sign(double x) { return (x > 0) - (x < 0); }

static void evaluate(tni_event_finder *e, tni_integrator *it, double t, double *g) {
  it->type->interpolate(it, t, e->q, e->v, NULL);
  e->fn(e->user, t, e->q, e->v, g);
  e->nevaluate++;
}

void tni_event_start(tni_event_finder *e, double t, const double *q, const double *v) {
  if (e->ng == 0) return;
  double *g = e->g[TNI_EVENT_SAMPLES-1];
  e->fn(e->user, t, q, v, g);
  e->searched = t;
  for (int i = 0; i < e->ng; i++) {
    e->side[i] = sign(g[i]);
    e->fired[i] = false;
    e->g_size[i] = 0;
  }
}

void tni_event_restart(tni_event_finder *e, double t, const double *q, const double *v) {
  if (e->ng == 0) return;
  double *g = e->g[TNI_EVENT_SAMPLES-1];
  e->fn(e->user, t, q, v, g);
  e->searched = t;
  for (int i = 0; i < e->ng; i++) {
    /* what has just crossed is on its new side, unless switching gave the function a new meaning */
    bool at_zero = e->fired[i] && fabs(g[i]) <= ZERO_SHARE*e->g_size[i];
    if (!at_zero) e->side[i] = sign(g[i]);
    e->fired[i] = false;
  }
}

/* g_i on the other side than remembered */
static bool changed(const tni_event_finder *e, int i, double g) { return g*e->side[i] < 0; }

/* Narrow [lo, hi] around the first change of function i: not changed at lo, changed at hi. Returns
 * the right end. */
static double narrow(tni_event_finder *e, tni_integrator *it, int i, double lo, double g_lo,
                     double hi, double g_hi, double tol) {
  double f_lo = fmax(g_lo*e->side[i], 0), f_hi = g_hi*e->side[i];
  double target = 0.5*(hi - lo);
  int last = 0, stalled = 0;
  for (int k = 0; k < MAX_ILLINOIS && hi - lo > tol; k++) {
    double t = lo + (hi - lo)*f_lo/(f_lo - f_hi);
    if (++stalled > 3) t = 0.5*(lo + hi);
    t = fmin(hi - 0.5*tol, fmax(lo + 0.5*tol, t));
    evaluate(e, it, t, e->g_try);
    double f = e->g_try[i]*e->side[i];
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

/* Look for a point beyond zero between three samples that lie all on the same side. True: *t and
 * *g_found are such a point. */
static bool dip(tni_event_finder *e, tni_integrator *it, int i, const double t3[3],
                const double g3[3], double from, double *t, double *g_found) {
  double x[3] = {t3[0], t3[1], t3[2]}, f[3];
  for (int k = 0; k < 3; k++) {
    f[k] = g3[k]*e->side[i];
    if (f[k] < 0 && x[k] > from) return false; /* a plain change of sign comes next */
    f[k] = fmax(f[k], 0); /* a hair beyond zero, left from the event at the beginning */
  }
  for (int k = 0; k < MAX_VERTEX; k++) {
    double d1 = (f[1] - f[0])/(x[1] - x[0]), d2 = (f[2] - f[1])/(x[2] - x[1]);
    double curve = (d2 - d1)/(x[2] - x[0]);
    if (!(curve > 0)) return false;
    double vertex = 0.5*(x[0] + x[1]) - 0.5*d1/curve;
    double least = f[0] + d1*(vertex - x[0]) + curve*(vertex - x[0])*(vertex - x[1]);
    double lowest = fmin(f[0], fmin(f[1], f[2]));
    if (vertex <= x[0] || vertex >= x[2] || vertex == x[1] || least > 0.5*lowest) return false;
    evaluate(e, it, vertex, e->g_try);
    double g = e->g_try[i], fv = g*e->side[i];
    if (fv < 0) {
      *t = vertex;
      *g_found = g;
      return true;
    }
    /* keep the lowest and its two neighbours */
    int drop = (vertex < x[1]) == (fv <= f[1]) ? 2 : 0;
    if (fv <= f[1]) {
      x[drop] = x[1];
      f[drop] = f[1];
      x[1] = vertex;
      f[1] = fv;
    } else {
      x[drop] = vertex;
      f[drop] = fv;
    }
  }
  return false;
}

bool tni_event_find(tni_event_finder *e, tni_integrator *it) {
  enum { LAST = TNI_EVENT_SAMPLES - 1 };
  if (e->ng == 0) return false;
  double from = fmax(it->t_old, e->searched), h = it->t - from, t[TNI_EVENT_SAMPLES];
  double tol = fmax(TIME_TOL*h, TIME_ULPS*fmax(fabs(it->t), fabs(from)));
  if (!(h > tol)) return false;
  /* the end of the last step is the beginning of this one */
  bool known = e->searched == it->t_old;
  if (known) memcpy(e->g[0], e->g[LAST], (size_t)e->ng*sizeof(double));
  for (int k = 0; k < LAST; k++) {
    t[k] = from + h*k/LAST;
    if (k > 0 || !known) evaluate(e, it, t[k], e->g[k]);
  }
  t[LAST] = it->t;
  e->fn(e->user, it->t, it->q, it->v, e->g[LAST]);
  e->nevaluate++;
  for (int i = 0; i < e->ng; i++) {
    e->g_size[i] = 0;
    for (int k = 0; k <= LAST; k++) {
      e->g_size[i] = fmax(e->g_size[i], fabs(e->g[k][i]));
      if (k && e->side[i] == 0) e->side[i] = sign(e->g[k][i]);
    }
  }

  double first = INFINITY;
  for (int i = 0; i < e->ng; i++) {
    for (int k = 1; k <= LAST && t[k-1] < first; k++) {
      double lo = t[k-1], g_lo = e->g[k-1][i], hi = t[k], g_hi = e->g[k][i];
      bool hit = changed(e, i, g_hi);
      if (!hit && e->side[i]) {
        int m = k < LAST ? k : LAST - 1;
        double g3[3] = {e->g[m-1][i], e->g[m][i], e->g[m+1][i]};
        hit = dip(e, it, i, t + m - 1, g3, from, &hi, &g_hi);
        if (hit && hi > t[k]) lo = t[k], g_lo = e->g[k][i];
      }
      if (!hit) continue;
      double at = narrow(e, it, i, lo, g_lo, hi, g_hi, tol);
      if (at < first) {
        first = at;
        e->index = i;
      }
      break;
    }
  }
  e->searched = fmin(first, it->t);
  if (first == INFINITY) return false;

  e->t = first;
  evaluate(e, it, first, e->g_try);
  for (int i = 0; i < e->ng; i++) {
    e->fired[i] = i == e->index || changed(e, i, e->g_try[i]);
    if (e->fired[i]) e->side[i] = -e->side[i];
  }
  return true;
}

tn_status tni_event_land(tni_event_finder *e, tni_integrator *it) {
  if (!it->type->repeat) return TN_OK;
  int i = e->index;
  double from = it->t_old, end = it->t, size = e->g_size[i], target = 0.5*LANDED*size;
  /* f is negative before the event; secants from the beginning of the step */
  double t0 = from, f0 = e->g[0][i]*e->side[i], t = e->t;
  double first = from + TNI_SHORTEST_AGAIN*(end - from);
  if (t < first) return TN_OK;
  for (int k = 0; k < MAX_LANDING; k++) {
    TN_TRY(it->type->repeat(it, t));
    e->fn(e->user, it->t, it->q, it->v, e->g_try);
    e->nevaluate++;
    double f = e->g_try[i]*e->side[i];
    if (f >= 0 && f <= LANDED*size) break;
    double next = f != f0 ? t + (target - f)*(t - t0)/(f - f0) : t;
    t0 = t;
    f0 = f;
    t = fmin(fmax(next, first), end);
    if (t == t0) break;
  }
  e->t = e->searched = it->t;
  for (int j = 0; j < e->ng; j++)
    if (!e->fired[j] && changed(e, j, e->g_try[j])) {
      e->fired[j] = true;
      e->side[j] = -e->side[j];
    }
  return TN_OK;
}
