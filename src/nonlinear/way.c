/* nonlinear/way.c - what contacts keep out of the way; see way.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/way.h"

#include <math.h>
#include <string.h>

#include "system/common.h"

/* places at which the fastest change is looked for; how much faster it may be between them */
enum { PLACES = 16, CAREFUL = 160, MOST = 400, BISECTIONS = 60 };
static const double MARGIN = 1.5;
static const double LEAST = 1e-4, HURRY = 1e-2; /* part of the way that is gone at least, also when many were short */
static const double TOUCHES = 1e-9;             /* depth of a touch that has just begun, in sizes of the model */
static const double SAME_SIDE = 0.5;            /* cosine of the angle by which a normal may turn in one go */
static const double PROJECT_TOL = 1e-12;

typedef struct {
  tni_data *s;
  double t;
  const double *q, *delta;
  bool hold;        /* the constraints hold on the way */
  double *q_work, *v_work, *delta_work;
  const char *name; /* of what is nearest at the last place */
} way;

/* Clearance of all open touches at s; where the constraints cannot be met: HUGE_VAL. */
static tn_status clearance(way *w, double part, double *c) {
  tni_data *s = w->s;
  tni_project_opts o = {.position = true, .tol = PROJECT_TOL};
  *c = HUGE_VAL;
  for (int i = 0; i < s->nv; i++) w->delta_work[i] = part*w->delta[i];
  tni_retract(s, w->q, w->delta_work, w->q_work);
  memset(w->v_work, 0, (size_t)s->nv*sizeof(double));
  if (!w->hold) {
    *c = tni_system_clearance(s, w->t, w->q_work, w->v_work, &w->name);
    return TN_OK;
  }
  tn_status st = tni_project(s, w->t, w->q_work, w->v_work, &o, NULL);
  if (st != TN_OK) return st < 0 ? st : TN_OK;
  *c = tni_system_clearance(s, w->t, w->q_work, w->v_work, &w->name);
  return TN_OK;
}

/* s between lo, where nothing touches, and hi: just behind where the first touch begins */
static tn_status narrow(way *w, double lo, double hi, double c, double size, double *begins) {
  for (int k = 0; k < BISECTIONS && c < -TOUCHES*size; k++) {
    double mid = 0.5*(lo + hi), at;
    TN_TRY(clearance(w, mid, &at));
    if (at < 0) hi = mid, c = at;
    else lo = mid;
  }
  *begins = hi;
  return TN_OK;
}

/* touches of watch k at q; how many */
static int press(tni_data *s, int k, double t, const double *q, double *v, tni_pressed *out) {
  const tni_force *f = s->watch[k].force;
  if (!f || !f->ops->pressed) return 0;
  memset(v, 0, (size_t)s->nv*sizeof(double));
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  return f->ops->pressed(f, &env, out);
}

const char *tni_way_passed(tni_data *s, double t, const double *q0, const double *q1, double *v_work) {
  tni_pressed a[TNI_MAXPRESSED], b[TNI_MAXPRESSED];
  for (int k = 0; k < s->nwatch; k++) {
    int n = press(s, k, t, q0, v_work, a);
    if (n == 0) continue;
    press(s, k, t, q1, v_work, b);
    for (int i = 0; i < n; i++)
      if (a[i].depth > 0 ? vec3_dot(a[i].n, b[i].n) < SAME_SIDE : b[i].part > 1) return s->watch[k].force->name;
  }
  return NULL;
}

const char *tni_way_deep(tni_data *s, double t, const double *q, double *v_work) {
  tni_pressed a[TNI_MAXPRESSED];
  for (int k = 0; k < s->nwatch; k++)
    for (int n = press(s, k, t, q, v_work, a), i = 0; i < n; i++)
      if (a[i].part > 1) return s->watch[k].force->name;
  return NULL;
}

tn_status tni_way_look(tni_data *s, double t, const double *q, const double *delta, double size, bool hold, double *q_work, double *v_work,
                       double *delta_work, tni_way *out) {
  way w = {s, t, q, delta, hold && s->m > 0, q_work, v_work, delta_work, NULL};
  double fastest = 0, before, c, part = 0;
  *out = (tni_way){.free = 1};
  if (!tni_system_has_clearance(s)) return TN_OK;
  TN_TRY(clearance(&w, 0, &before));
  double first = before;
  for (int k = 1; k <= PLACES; k++) {
    TN_TRY(clearance(&w, (double)k/PLACES, &c));
    if (isfinite(c - before)) fastest = fmax(fastest, fabs(c - before)*PLACES);
    before = c;
  }
  if (!isfinite(first) || !(fastest > 0)) return TN_OK;
  c = fmax(first, 0);
  for (int k = 0; part < 1 && k < MOST; k++) {
    double last = part;
    part = fmin(1, part + fmax(c/(MARGIN*fastest), k < CAREFUL ? LEAST : HURRY));
    TN_TRY(clearance(&w, part, &c));
    if (c >= 0) continue;
    out->name = w.name;
    TN_TRY(narrow(&w, last, part, c, size, &out->free));
    TN_TRY(clearance(&w, 1, &c));
    out->through = c >= 0;
    return TN_OK;
  }
  return TN_OK;
}
