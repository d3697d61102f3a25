/* analyses/boundary.c - parameters for which sensors read what they should at the end: two-point problems
 *
 * The state at the beginning, a motor, a spring: whatever the model file writes by parameters may be left free (`free`), as many as
 * there are targets. Newton's method with derivatives from the factors of the trajectory, halving steps that lead away; where it
 * fails, the targets are moved from what the first trajectory reads to where they belong in several stages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "analyses/course.h"
#include "linsolve/lapack.h"

#undef I /* complex.h */

enum { MAX_STEPS = 30, MAX_HALVINGS = 8, STAGES = 8, MAX_STAGES = 64 };
static const double MET = 1e-11;

static const tni_key keys[] = {
    {"free", TNI_KIND_NAMES, 0, 0, 0, 0, NULL, NULL, NULL,
     "Boundary, fit, sensitivity: parameters of the model that may change, or that derivatives are taken by."},
    {"targets", TNI_KIND_NUMBERMAP, 0, 0, 0, 0, NULL, NULL, NULL,
     "Boundary: what sensors must read at the end, {pin.angle: 0.25}; as many as there are free parameters."}};

typedef struct {
  tni_course *w;
  const tni_item *an;
  int n, *sensor;
  const char **name;
  double *value, *trial, *target, *now, *F, *J; /* [n], J [n][n] column-major */
  double *all;   /* [n][nsensor] */
  int *pivot, iterations;
} problem;

/* what the sensors read at the end, against targets t [n] */
static tn_status read_end(problem *p, const double *t, double *size) {
  TN_TRY(tni_course_show(p->w, p->w->tr->n));
  *size = 0;
  for (int i = 0; i < p->n; i++) {
    p->now[i] = p->w->sim->sensor[p->sensor[i]];
    p->F[i] = p->now[i] - t[i];
    *size = fmax(*size, fabs(p->F[i])/fmax(1, fabs(t[i])));
  }
  return TN_OK;
}

static tn_status derive(problem *p) {
  tni_vary v;
  int ns = tni_system_nsensor(p->w->sim->s);
  tn_status st = tni_vary_open(p->w, p->n, p->name, &v);
  if (st == TN_OK) st = tni_vary_begin(&v);
  for (int e = 0; e < p->w->tr->n && st == TN_OK; e++) st = tni_vary_advance(&v, e);
  if (st == TN_OK) st = tni_vary_sensors(&v, p->w->tr->n, p->all);
  for (int j = 0; j < p->n && st == TN_OK; j++)
    for (int i = 0; i < p->n; i++) p->J[j*p->n + i] = p->all[j*ns + p->sensor[i]];
  tni_vary_close(&v);
  return st;
}

/* Newton's method towards t from where the problem stands; TN_NOT_CONVERGED leaves it there or nearer */
static tn_status approach(tni_run *r, problem *p, const double *t) {
  double size;
  TN_TRY(read_end(p, t, &size));
  for (int it = 0; it < MAX_STEPS; it++) {
    if (size <= MET) return TN_OK;
    TN_TRY(derive(p));
    p->iterations++;
    if (tni_gesv(p->n, p->J, p->n, p->pivot, p->F) != 0)
      return TN_FAIL(r->ctx, TN_SINGULAR, "boundary-value closing singular: the targets do not determine %s", p->name[p->n - 1]);
    bool better = false;
    double before = size, *step = p->all; /* free until the next derivatives */
    memcpy(step, p->F, (size_t)p->n*sizeof(double));
    for (int k = 0; k < MAX_HALVINGS && !better; k++) {
      for (int i = 0; i < p->n; i++) p->trial[i] = p->value[i] - ldexp(step[i], -k);
      if (tni_course_change(p->w, p->n, p->name, p->trial) != TN_OK) continue;
      TN_TRY(read_end(p, t, &size));
      better = size < (1 - 1e-4*ldexp(1, -k))*before;
    }
    if (!better && before > 1e-9) {
      if (tni_course_change(p->w, p->n, p->name, p->value) != TN_OK) return TN_NOT_CONVERGED;
      return TN_FAIL(r->ctx, TN_NOT_CONVERGED, "boundary problem: no step leads nearer to the targets, %.2g is left", before);
    }
    memcpy(p->value, p->trial, (size_t)p->n*sizeof(double));
    if (!better) return TN_OK; /* rounding is left */
    TN_TRY(tni_run_heed_interrupt(r, r->sim->set.from));
  }
  return TN_FAIL(r->ctx, TN_NOT_CONVERGED, "boundary problem not converged after %d Newton steps, %.2g is left", MAX_STEPS, size);
}

/* targets moved from what the trajectory reads to where they belong */
static tn_status in_stages(tni_run *r, problem *p, double *stage) {
  double done = 0, step = 1.0/STAGES, *from = stage + p->n, size;
  TN_TRY(read_end(p, p->target, &size));
  memcpy(from, p->now, (size_t)p->n*sizeof(double));
  for (int k = 0; k < MAX_STAGES && done < 1; k++) {
    double next = fmin(1, done + step);
    for (int i = 0; i < p->n; i++) stage[i] = from[i] + next*(p->target[i] - from[i]);
    tn_status st = approach(r, p, stage);
    if (st == TN_OK) done = next;
    else if (st == TN_NOT_CONVERGED && step > 1e-3) step *= 0.5;
    else return st;
  }
  return done >= 1 ? TN_OK : TN_NOT_CONVERGED;
}

static tn_status solve(tni_run *r, problem *p) {
  tni_arena *a = &r->sim->arena;
  const tni_value *targets = p->an ? tni_item_get(p->an, "targets") : NULL;
  p->n = tni_course_parameters(p->w, a, p->an, &p->name);
  if (p->n < 0) return TN_ERR_INPUT;
  if (p->n < 1 || !targets || targets->n != p->n)
    return tni_item_fail(r->ctx, p->an, targets ? "targets" : NULL, "boundary needs as many 'targets' as 'free' parameters: %d and %d",
                         targets ? targets->n : 0, p->n);
  size_t n = (size_t)p->n;
  TNI_ARENA_NEW(a, p->sensor, n);
  TNI_ARENA_NEW(a, p->value, n);
  TNI_ARENA_NEW(a, p->trial, n);
  TNI_ARENA_NEW(a, p->target, n);
  TNI_ARENA_NEW(a, p->now, n);
  TNI_ARENA_NEW(a, p->F, n);
  TNI_ARENA_NEW(a, p->J, n*n);
  TNI_ARENA_NEW(a, p->pivot, n);
  TNI_ARENA_NEW(a, p->all, n*((size_t)tni_system_nsensor(r->sim->s) + 1));
  double *stage;
  TNI_ARENA_NEW(a, stage, 2*n);
  for (int i = 0; i < p->n; i++) {
    const tni_param *param = tni_spec_param(r->sim->model->spec, p->name[i]);
    p->value[i] = param->value;
    p->target[i] = targets->item[i].number;
    p->sensor[i] = tni_course_sensor(p->w, p->an, "targets", targets->key[i]);
    if (p->sensor[i] < 0) return TN_ERR_INPUT;
  }
  TN_TRY(tni_course_solve(p->w, p->w->q0, p->w->v0, false));
  tn_status st = approach(r, p, p->target);
  bool staged = st == TN_NOT_CONVERGED;
  if (staged) st = in_stages(r, p, stage);
  TN_TRY(st);
  snprintf(r->sim->sum.method, sizeof(r->sim->sum.method), "boundary: %d elements of %d points%s", p->w->tr->n, p->w->tr->shape.g.k,
           staged ? ", targets moved in stages" : "");
  for (int i = 0; i < p->n; i++) tni_run_add_figure(r, p->name[i], "", p->value[i]);
  tni_run_add_figure(r, "Newton steps", "", p->iterations);
  return tni_course_store(r, p->w);
}

static tn_status run(tni_run *r) {
  tni_course w;
  problem p = {.w = &w, .an = tni_run_item(r)};
  tn_status st = tni_course_open(r->sim, &w);
  if (st == TN_OK) st = solve(r, &p);
  tni_course_close(&w);
  return st;
}

const tni_analysis tni_analysis_boundary = {
    .name = "boundary", .doc = "find parameters that meet targets at the end", .motion = TNI_MOTION_WHOLE, .key = keys,
    .nkey = TNI_COUNT(keys), .run = run};
