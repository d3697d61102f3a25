/* integrators/near.c - stages of implicit methods on the whole system next to a singular position
 *
 * Where constraints lose their independence, a combination of rows of C gets short, changes its sign
 * within a step, and multipliers grow like the inverse of its length. Newton's iteration with the
 * rows of the beginning of the step does not converge then, although the motion along the
 * constraints is smooth. A stage is therefore found with care by two nested iterations:
 *
 *   inside   x, v are led onto the constraints along the columns of A^-1 C_0^T, with the rows C of
 *            the stage itself,  [ A  C_0^T ; C  0 ],  down to rounding. The directions are those of
 *            the beginning, so that the motion along the constraints still follows the formula.
 *   outside  the accelerations a of the formula against those of the system there, a*:
 *            [ A  C_0^T ; C_0  0 ](da; .) = (M (a* - a); C_0 (a* - a))
 *
 * Multipliers are no unknowns any more. Across the constraints rounding moves x, v and a* by the
 * inverse of the length, of its square and of its cube; only what is along them is judged.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "integrators/descriptor.h"

#define SLOW 0.25      /* contraction above which the rows are evaluated again           */
#define FLOOR 1e-15    /* rounding of constraint equations of unit size                  */
#define SETTLED 1e-14  /* correction of a component of unit size that is rounding        */
enum { POSITION_MAX = 20, VELOCITY_PASSES = 2 };

static double largest(const double *x, int n, int *index) {
  double size = 0;
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) <= size) continue;
    size = fabs(x[i]);
    if (index) *index = i;
  }
  return size;
}

/* rows at q_stage, factors for corrections */
static tn_status refresh(tni_descriptor *d, double t, const bool *active, tni_cause *cause) {
  tni_data *s = d->base.s;
  tni_sparse_tangent out = {.C = d->C_stage};
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  TN_TRY(tni_eval_sparse_tangent(s, t, d->q_stage, NULL, NULL, NULL, &out));
  return tni_saddle_factor_oblique(d->across, d->W, d->C, d->C_stage, active);
}

/* d->b := correction that takes the residuals away; rows that are not in use ask for none */
static void correct(tni_descriptor *d, const double *residual) {
  const tni_data *s = d->base.s;
  memset(d->b, 0, (size_t)s->nv*sizeof(double));
  for (int r = 0; r < s->m; r++) d->b[s->nv + r] = -residual[r];
  tni_saddle_solve(d->across, 1, d->b);
}

static tn_status meet_positions(tni_descriptor *d, double t, double *x, double *dx,
                                tni_cause *cause) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  const bool *active = d->lu_position ? d->has_position : s->rank ? s->rank->independent : NULL;
  double before = 0, size = 1 + largest(it->now.q, s->nq, NULL);
  for (int k = 0; k < POSITION_MAX; k++) {
    int row = -1;
    TN_TRY(tni_descriptor_place(d, x, cause));
    tni_eval_phi(s, t, d->q_stage, d->phi);
    s->work.nnewton++;
    if (before == 0) TN_TRY(refresh(d, t, active, cause));
    correct(d, d->phi);
    double change = largest(d->b, s->nv, NULL), left = largest(d->phi, s->m, &row);
    *cause = (tni_cause){TNI_CAUSE_PROJECT, row, left};
    if (!isfinite(change)) return TN_STEP_REJECTED;
    for (int i = 0; i < s->nv; i++) {
      x[i] += d->b[i];
      dx[i] += d->b[i];
    }
    bool slow = before > 0 && change > SLOW*before;
    if (change <= SETTLED*size || (slow && left <= FLOOR*size))
      return tni_descriptor_place(d, x, cause);
    before = slow ? 0 : change;
  }
  return TN_STEP_REJECTED;
}

static tn_status meet_velocities(tni_descriptor *d, double t, double *v, double *dv,
                                 tni_cause *cause) {
  tni_data *s = d->base.s;
  TN_TRY(refresh(d, t, s->rank ? s->rank->independent : NULL, cause));
  for (int pass = 0; pass < VELOCITY_PASSES; pass++) {
    tni_eval_rate(s, t, d->q_stage, v, d->rate);
    correct(d, d->rate);
    for (int i = 0; i < s->nv; i++) {
      v[i] += d->b[i];
      dv[i] += d->b[i];
    }
  }
  return TN_OK;
}

tn_status tni_descriptor_settle(tni_descriptor *d, double t, double *x, double *v, double *dx,
                                double *dv, double *lambda, tni_cause *cause) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  size_t bytes = (size_t)s->nv*sizeof(double);
  int index = -1;
  memset(dx, 0, bytes);
  memset(dv, 0, bytes);
  TN_TRY(meet_positions(d, t, x, dx, cause));
  double way = largest(dx, s->nv, &index);
  double motion = fmax(largest(x, s->nv, NULL), (t - it->now.t)*largest(it->now.v, s->nv, NULL));
  *cause = (tni_cause){TNI_CAUSE_JUMP, index, way};
  if (tni_is_jump(way, motion)) return TN_STEP_REJECTED;
  TN_TRY(meet_velocities(d, t, v, dv, cause));
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  TN_TRY(tni_accel(s, t, d->q_stage, v, d->a_stage, lambda, NULL));
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(d->a_stage[j]) && isfinite(v[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  return TN_OK;
}

void tni_descriptor_lack(tni_descriptor *d, const double *a, double *f, double *g) {
  const tni_data *s = d->base.s;
  double *e = d->ev;
  for (int i = 0; i < s->nv; i++) {
    e[i] = d->a_stage[i] - a[i];
    f[i] = 0;
  }
  memset(g, 0, (size_t)s->m*sizeof(double));
  tni_sparse_add(s->square, 1, d->M, e, f);
  tni_sparse_add(s->rows, 1, d->C, e, g);
}

void tni_descriptor_along(tni_descriptor *d, double *dx, double *dv) {
  tni_data *s = d->base.s;
  tni_tangential(s, false, dx);
  tni_tangential(s, true, dv);
}
