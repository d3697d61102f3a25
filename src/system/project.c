/* system/project.c - Newton's method onto the constraints, the same for both representations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/project.h"

#include <float.h>
#include <math.h>

/* factors of an earlier iteration serve while they contract by at least this */
static const double GOOD_CONTRACTION = 0.01;
/* of coordinates and places: what corrections and residuals are at least */
static const double ROUNDING = 16*DBL_EPSILON;
/* residual of a redundant row at a consistent state that is not rounding any more: m, rad */
static const double DROPPED_TOL = 1e-9;

/* NaN counts as larger */
static double largest(const double *x, int n, int *where) {
  double max = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= max)) {
      max = fabs(x[i]);
      if (where) *where = i;
    }
  return max;
}

static double used_residual(const tni_data *s, const tni_project_arrays *a) {
  double max = 0;
  for (int r = 0; r < s->m; r++)
    if (a->used[r] && !(fabs(a->phi[r]) <= max)) max = fabs(a->phi[r]);
  return max;
}

/* how far from the origin bodies are where they have been looked at last */
static double reach(const tni_data *s) {
  double far = 0;
  for (int i = 0; i < s->nbody; i++)
    for (int k = 0; k < 3; k++) far = fmax(far, fabs(s->kin[i + 1].r[k]));
  return far;
}

static tn_status positions(tni_data *s, const tni_project_ops *ops, const tni_project_arrays *a, double t,
                           double *q, const tni_project_opts *o, tni_project_report *rep) {
  int max = o->max_iterations ? o->max_iterations : 20;
  double before = 0;
  bool fresh = false, polish = o->polish, more = true;
  for (;;) {
    ops->position(s, t, q);
    rep->residual = largest(a->phi, s->m, &rep->worst_row);
    if (rep->iterations == 0 && !(rep->residual <= o->tol)) {
      TN_TRY(ops->choose(s, o));
      fresh = true;
    }
    if (used_residual(s, a) <= o->tol) {
      /* dropped rows are left with a multiple of what the kept ones are left with */
      if (!polish && (!more || rep->residual <= o->tol)) return TN_OK;
      polish = more = false;
    }
    if (rep->iterations == max || !isfinite(rep->residual)) {
      char name[128];
      tni_row_name(s, rep->worst_row, name, sizeof(name));
      return TN_FAIL(s->ctx, TN_NOT_CONVERGED,
                     "constraints cannot be met at t = %g s: residual %.3g of '%s' after %d iterations",
                     t, rep->residual, name, rep->iterations);
    }
    bool again = !fresh || (rep->iterations > 0 && rep->residual > GOOD_CONTRACTION*before);
    fresh = true;
    before = rep->residual;
    TN_TRY(ops->change(s, o, a->phi, again));
    double change = largest(a->x, s->nv, NULL);
    if (change > rep->correction_q) rep->correction_q = change;
    tni_retract(s, q, a->x, q);
    rep->iterations++;
    s->work.nnewton++;
    /* the residual may stay above tol by rounding, of coordinates in micrometres too: a tiny step ends it as well */
    if (change <= 1e-3*o->tol || (rep->iterations > 2 && change <= ROUNDING*fmax(1, largest(q, s->nq, NULL)) && rep->residual <= 2*ROUNDING*reach(s)))
      return TN_OK;
  }
}

static tn_status velocities(tni_data *s, const tni_project_ops *ops, const tni_project_arrays *a, double t,
                            const double *q, double *v, const tni_project_opts *o, tni_project_report *rep) {
  for (int pass = 0; pass < 1 + o->polish; pass++) {
    ops->rates(s, t, q, v, pass == 0);
    if (largest(a->g, s->m, NULL) <= o->tol && !o->polish) return TN_OK;
    bool choose = pass == 0 && rep->iterations == 0;
    if (choose) TN_TRY(ops->choose(s, o));
    TN_TRY(ops->change(s, o, a->g, pass == 0 && !choose));
    for (int i = 0; i < s->nv; i++) v[i] += a->x[i];
    double change = largest(a->x, s->nv, NULL);
    if (!isfinite(change))
      return TN_FAIL(s->ctx, TN_NOT_CONVERGED, "velocities cannot be made consistent at t = %g s", t);
    if (change > rep->correction_v) rep->correction_v = change;
  }
  return TN_OK;
}

/* Rows left out as redundant must hold at a consistent state; one that does not is needed again. Looks at the
 * evaluations that the projection has left. */
static bool dropped_rows_hold(tni_data *s, const tni_project_ops *ops, const tni_project_arrays *a, double t,
                              const double *q, const double *v, const tni_project_opts *o, int *row) {
  double tol = fmax(1e3*o->tol, DROPPED_TOL), scale = 1;
  if (!ops->leaves_out(s)) return true;
  if (o->velocity) {
    ops->rates(s, t, q, v, false);
    scale += largest(v, s->nv, NULL);
  }
  for (*row = 0; *row < s->m; ++*row) {
    if (a->used[*row]) continue;
    if (o->position && !(fabs(a->phi[*row]) <= tol)) return false;
    if (o->velocity && !(fabs(a->g[*row]) <= tol*scale)) return false;
  }
  return true;
}

static tn_status rounds(tni_data *s, const tni_project_ops *ops, double t, double *q, double *v,
                        const tni_project_opts *o, tni_project_report *rep) {
  for (int round = 0;; round++) {
    tni_project_arrays a;
    int row = -1, rank = s->rank->rank;
    ops->begin(s, o, &a);
    rep->iterations = 0;
    if (o->position) TN_TRY(positions(s, ops, &a, t, q, o, rep));
    if (o->velocity) TN_TRY(velocities(s, ops, &a, t, q, v, o, rep));
    if (dropped_rows_hold(s, ops, &a, t, q, v, o, &row)) return TN_OK;
    TN_TRY(tni_update_rank(s, t, q));
    if (s->rank->rank > rank && round == 0) continue;
    char name[128];
    tni_row_name(s, row, name, sizeof(name));
    return TN_FAIL(s->ctx, TN_NOT_CONVERGED, "constraints cannot be met at t = %g s: '%s' contradicts others", t,
                   name);
  }
}

tn_status tni_project_by(tni_data *s, const tni_project_ops *ops, double t, double *q, double *v,
                         const tni_project_opts *o, tni_project_report *report) {
  tni_project_report local;
  if (!report) report = &local;
  *report = (tni_project_report){.worst_row = -1};
  tni_normalize(s, q);
  if (s->m == 0) return TN_OK;
  s->work.nproject++;
  tn_status st = rounds(s, ops, t, q, v, o, report);
  if (ops->end) ops->end(s);
  return st;
}
