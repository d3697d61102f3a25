/* integrators/automatic.c - an explicit method, and an implicit one where the model is stiff
 *
 * Begins with rk8 (rk45 for loose tolerances). When steps have been held by stability for a while
 * (watch_stiffness in runge_kutta.c), goes on with an implicit method from the end of the last step:
 * rosen, whose dense matrices are the cheapest with few freedoms, or radau, whose sparse ones grow
 * with the number of bodies only, with many freedoms and with constraints on velocities. Goes back
 * when the implicit steps turn out, or become, too short to pay: one of rosen costs as much as some
 * 25 accelerations, more with many freedoms, one of radau as much as 50.
 *
 * The part in use owns the state; the common part of this method points to it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrators/common.h"

extern const tni_integrator_type tni_integrator_rk8, tni_integrator_rk45, tni_integrator_rosen;
extern const tni_integrator_type tni_integrator_radau;

#define LOOSE 5e-3        /* tolerance from which the pair of order 5 is the cheaper one        */
#define LOCAL_FLOOR 1e-14 /* an error of a step below this is rounding                          */
enum { EXPLICIT, IMPLICIT, NPART };
enum { MANY_FREEDOMS = 60 }; /* from which sparse matrices of the whole system are cheaper    */
enum { WINDOW = 40 };     /* steps of the implicit method between two judgements                */
enum { PATIENCE = 500 };  /* explicit steps before it is tried again, after one failure         */

typedef struct {
  tni_integrator base;
  tni_integrator *part[NPART];
  int now;
  double h_explicit;  /* steps that stability allowed                                           */
  double t_first;     /* where the implicit method was first used; NAN: never                   */
  double t_window;    /* beginning of the present window                                        */
  long n_window;      /* steps in it                                                            */
  long failures;      /* times that the implicit method did not pay                             */
  long n_explicit;    /* steps since the last                                                   */
} automatic;

static automatic *of(tni_integrator *it) { return (automatic *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  for (int i = 0; i < NPART; i++) tni_integrator_destroy(&of(it)->part[i]);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

/* the common part shows the method in use, and the work of both */
static void show(automatic *a) {
  const tni_integrator *p = a->part[a->now];
  tni_integrator *it = &a->base;
  it->t_old = p->t_old;
  it->t = p->t;
  it->q = p->q;
  it->v = p->v;
  it->z = p->z;
  it->a = p->a;
  it->lambda = p->lambda;
  it->has_accel = p->has_accel;
  tni_integrator_stats sum = p->stats;
  const tni_integrator_stats *o = &a->part[1 - a->now]->stats;
  sum.steps += o->steps;
  sum.rejected += o->rejected;
  sum.nonconverged += o->nonconverged;
  sum.newton += o->newton;
  sum.jacobians += o->jacobians;
  sum.factorizations += o->factorizations;
  sum.choices += o->choices;
  if (o->steps) {
    sum.h_min = p->stats.steps ? fmin(sum.h_min, o->h_min) : o->h_min;
    sum.h_max = fmax(sum.h_max, o->h_max);
  }
  it->stats = sum;
}

static int freedom(const tni_system *s) { return s->nv - (s->rank ? s->rank->rank : 0); }

static tn_status make_parts(automatic *a, tn_ctx *ctx, tni_system *s,
                            const tni_integrator_opts *opts) {
  bool whole = s->velocity_only || freedom(s) > MANY_FREEDOMS;
  const tni_integrator_type *type[NPART] = {
      opts->rtol < LOOSE ? &tni_integrator_rk8 : &tni_integrator_rk45,
      whole ? &tni_integrator_radau : &tni_integrator_rosen};
  for (int i = 0; i < NPART; i++) {
    tni_integrator_opts o = *opts;
    o.rtol = fmax(type[i]->share*opts->rtol, LOCAL_FLOOR);
    o.atol = fmax(type[i]->share*opts->atol, LOCAL_FLOOR);
    if (opts->rtol_v > 0) o.rtol_v = fmax(type[i]->share*opts->rtol_v, LOCAL_FLOOR);
    if (opts->atol_v > 0) o.atol_v = fmax(type[i]->share*opts->atol_v, LOCAL_FLOOR);
    TN_TRY(type[i]->create(ctx, s, &o, &a->part[i]));
  }
  return TN_OK;
}

static tn_status create(tn_ctx *ctx, tni_system *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  automatic *a = tni_alloc(ctx, 1, sizeof(*a));
  if (!a) return tni_out_of_memory(ctx);
  a->base.type = &tni_integrator_automatic;
  a->base.ctx = ctx;
  a->base.s = s;
  a->t_first = NAN;
  tni_arena_init(&a->base.arena, ctx);
  tn_status st = make_parts(a, ctx, s, opts);
  if (st != TN_OK) {
    destroy(&a->base);
    return st;
  }
  a->base.opts = a->part[EXPLICIT]->opts;
  show(a);
  *out = &a->base;
  return TN_OK;
}

static void follow(tni_integrator *it, double rate, double after) {
  automatic *a = of(it);
  for (int i = 0; i < NPART; i++) tni_integrator_follow(a->part[i], rate, after);
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  automatic *a = of(it);
  tni_integrator *p = a->part[a->now];
  p->opts.h = it->opts.h;
  tn_status st = p->type->start(p, t, q, v, z);
  a->t_window = t;
  a->n_window = 0;
  show(a);
  return st;
}

/* go on with the other method from the present state */
static tn_status change(automatic *a, double h) {
  tni_integrator *from = a->part[a->now], *to = a->part[1 - a->now];
  a->now = 1 - a->now;
  to->opts.h = h;
  a->t_window = from->t;
  a->n_window = 0;
  a->n_explicit = 0;
  return to->type->start(to, from->t, from->q, from->v, from->z);
}

/* explicit steps that cost as much as one implicit step */
static double price(const automatic *a) {
  double n = freedom(a->base.s);
  double accelerations = a->part[EXPLICIT]->type == &tni_integrator_rk8 ? 12 : 6;
  bool whole = a->part[IMPLICIT]->type == &tni_integrator_radau;
  return (whole ? 50 : 25 + n*n/20)/accelerations;
}

static tn_status judge(automatic *a) {
  const tni_integrator *p = a->part[a->now];
  if (a->now == EXPLICIT) {
    bool patient = a->failures == 0 || a->n_explicit > PATIENCE*a->failures*a->failures;
    if (!p->stats.stiff || !patient) return TN_OK;
    a->h_explicit = p->stats.h_last;
    if (isnan(a->t_first)) a->t_first = p->t;
    return change(a, p->stats.h_last);
  }
  if (a->n_window < WINDOW) return TN_OK;
  bool pays = (p->t - a->t_window)/(double)a->n_window > price(a)*a->h_explicit;
  a->t_window = p->t;
  a->n_window = 0;
  if (pays) return TN_OK;
  a->failures++;
  return change(a, a->h_explicit);
}

static tn_status step(tni_integrator *it) {
  automatic *a = of(it);
  tn_status st = a->part[a->now]->t < it->opts.t_end ? judge(a) : TN_OK;
  if (st == TN_OK) st = a->part[a->now]->type->step(a->part[a->now]);
  a->n_window++;
  a->n_explicit++;
  show(a);
  return st;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  tni_integrator *p = of(it)->part[of(it)->now];
  p->type->interpolate(p, t, q, v, z);
}

static void describe(const tni_integrator *it, char *out, size_t n) {
  const automatic *a = (const automatic *)(const void *)it;
  const char *name = a->part[EXPLICIT]->type->name;
  if (isnan(a->t_first)) {
    snprintf(out, n, "%s (auto: not stiff)", name);
  } else {
    snprintf(out, n, "%s, %s from t = %.4g s (auto: stiff there, %ld of %ld steps%s)", name,
             a->part[IMPLICIT]->type->name, a->t_first, a->part[IMPLICIT]->stats.steps, a->base.stats.steps,
             a->now == EXPLICIT ? ", not any more" : "");
  }
}

/* ---- restart ------------------------------------------------------------------------------- */

enum { NSCALAR = 7 };

static int nstate(const tni_integrator *it) {
  const automatic *a = (const automatic *)(const void *)it;
  int n = 0;
  for (int i = 0; i < NPART; i++) {
    int k = a->part[i]->type->nstate(a->part[i]);
    n = k > n ? k : n;
  }
  return NSCALAR + n;
}

static tn_status save(tni_integrator *it, double *state) {
  automatic *a = of(it);
  double scalar[NSCALAR] = {a->now, a->h_explicit, a->t_first, a->t_window, (double)a->n_window,
                            (double)a->failures, (double)a->n_explicit};
  memset(state, 0, (size_t)nstate(it)*sizeof(double));
  memcpy(state, scalar, sizeof(scalar));
  tn_status st = a->part[a->now]->type->save(a->part[a->now], state + NSCALAR);
  show(a);
  return st;
}

static tn_status load(tni_integrator *it, const double *state) {
  automatic *a = of(it);
  a->now = state[0] != 0;
  a->h_explicit = state[1];
  a->t_first = state[2];
  a->t_window = state[3];
  a->n_window = (long)state[4];
  a->failures = (long)state[5];
  a->n_explicit = (long)state[6];
  tn_status st = a->part[a->now]->type->load(a->part[a->now], state + NSCALAR);
  show(a);
  return st;
}

const tni_integrator_type tni_integrator_automatic = {
    .name = "auto",
    .summary = "rk8 or rk45, and rosen or radau where the model is stiff",
    .share = 0,
    .needs_tangent = true,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .follow = follow,
    .nstate = nstate,
    .save = save,
    .load = load,
};
