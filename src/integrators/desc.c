/* integrators/desc.c - a stage in descriptor form: independent coordinates, all accelerations unknown
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/desc.h"

#include <math.h>
#include <stdio.h>

/* contraction of an iteration above which constraints turn too much within the step */
#define SLOW 0.2

enum { R = 0, DXDD, DYDD, PULL, BEGIN };

static void place(const tni_implicit *im, double g, const tni_desc_stage *s) {
  for (int k = 0; k < im->p.nd; k++) {
    s->yd[k] = s->yd_known[k] + g*s->ydd[k];
    s->y[k] = s->y_known[k] + g*s->yd[k];
  }
}

/* Size of a correction in units of the tolerance, that of the multipliers counted as what it would make of the
 * velocities by itself: constraints have turned since the matrix was made, and the rest of it comes back as
 * accelerations. By the change of y alone a good guess with wrong multipliers would look converged. */
static double size_of(const tni_implicit *im, double g, const double *dxdd, const double *pull,
                      int *worst) {
  double sum = 0, largest = -1;
  int n = im->p.n;
  for (int j = 0; j < n; j++) {
    double dv = g*(fabs(dxdd[j]) + fabs(pull[j])), x = g*dv*im->unit_x[j], v = dv*im->unit_v[j];
    double part = x*x + v*v;
    sum += part;
    if (!(part <= largest)) largest = part, *worst = j;
  }
  return n ? sqrt(sum/(2.0*n)) : 0;
}

/* one correction; *size in units of the tolerance */
static tn_status correct(tni_implicit *im, double t, double g, const tni_desc_stage *s,
                         double *size, tni_cause *cause) {
  tni_data *d = im->base.s;
  tni_partition *p = &im->p;
  double *r = tni_implicit_work(im, s->work + R), *dxdd = tni_implicit_work(im, s->work + DXDD);
  double *dydd = tni_implicit_work(im, s->work + DYDD);
  im->base.stats.newton++;
  TN_TRY(tni_implicit_recover(im, t, s->y, s->yd, cause));
  tni_partition_to_accel(p, s->xdd, im->a_stage);
  d->work.naccel++;
  double began = tni_wall_time();
  tni_eval_balance(d, t, im->q_stage, im->v_stage, im->a_stage, s->lambda, r, NULL, NULL, im->gap);
  im->base.stats.seconds[TNI_PHASE_ACCEL] += tni_wall_time() - began;
  double *pull = tni_implicit_work(im, s->work + PULL);
  tni_whole_correct(p, r, im->gap, dxdd, im->dlambda, dydd, pull);
  for (int j = 0; j < p->n; j++) s->xdd[j] += dxdd[j];
  for (int i = 0; i < d->m; i++) s->lambda[i] += im->dlambda[i];
  for (int k = 0; k < p->nd; k++) s->ydd[k] += dydd[k];
  *size = size_of(im, g, dxdd, pull, &cause->index);
  return TN_OK;
}

/* The matrix has constraints as they are at the beginning of the step. How far they turn counts in units of
 * their smallest singular value, so that near a singular position multipliers do not settle: there the stage is
 * solved with accelerations and multipliers of its own place in every iteration, as trap.c does it. */
static tn_status solve_reduced(tni_implicit *im, double t, double g, const tni_desc_stage *s,
                               tni_cause *cause) {
  double *b = tni_implicit_work(im, s->work + R), *d = tni_implicit_work(im, s->work + DYDD);
  tni_newton newton = tni_implicit_newton(im);
  tn_status st = TN_NOT_CONVERGED;
  place(im, g, s);
  while (st == TN_NOT_CONVERGED) {
    im->base.stats.newton++;
    TN_TRY(tni_implicit_recover(im, t, s->y, s->yd, cause));
    TN_TRY(tni_implicit_accel(im, t, s->lambda, b, cause));
    for (int k = 0; k < im->p.nd; k++) {
      b[k] -= s->ydd[k];
      d[k] = 0;
    }
    tni_partition_multiply(&im->p, 1, b, 0, NULL, 0, NULL, d);
    tni_implicit_solve_matrix(im, d);
    for (int k = 0; k < im->p.nd; k++) {
      s->ydd[k] += d[k];
      im->ey[k] = g*g*d[k];
      im->eyd[k] = g*d[k];
    }
    place(im, g, s);
    st = tni_newton_next(&newton, tni_implicit_norm(im, im->ey, im->eyd, &cause->index), cause);
  }
  memcpy(s->xdd, im->p.xidd, (size_t)im->p.n*sizeof(double));
  return st;
}

/* all accelerations and multipliers at once; other: it can be done otherwise */
static tn_status solve_whole(tni_implicit *im, double t, double g, const tni_desc_stage *s, bool other,
                             tni_cause *cause) {
  double size = 0;
  tni_newton newton = tni_implicit_newton(im);
  tn_status st = TN_NOT_CONVERGED;
  place(im, g, s);
  while (st == TN_NOT_CONVERGED) {
    TN_TRY(correct(im, t, g, s, &size, cause));
    place(im, g, s);
    st = tni_newton_next(&newton, size, cause);
    if (other && newton.slowest > SLOW) st = TN_STEP_REJECTED;
  }
  return st;
}

tn_status tni_desc_solve(tni_implicit *im, double t, double h, const tni_desc_stage *s,
                         tni_cause *cause) {
  double g = im->gamma_now*h, *begin = tni_implicit_work(im, s->work + BEGIN);
  size_t bytes = (size_t)im->p.nd*sizeof(double);
  bool other = im->p.r > 0 || im->base.s->relative;
  tni_partition_extract(&im->p, s->xdd, s->ydd);
  /* In joint coordinates the mass matrix turns with the bodies: that of the beginning of the step, for slender bars on ball
   * joints, leads to accelerations that settle where they are wrong. */
  if (im->lacks || im->base.s->relative) {
    place(im, g, s);
    return solve_reduced(im, t, g, s, cause);
  }
  memcpy(begin, s->ydd, bytes);
  tn_status st = solve_whole(im, t, g, s, other, cause);
  if (st != TN_STEP_REJECTED || !other) return st;
  im->lacks = im->p.r == 0; /* the mass of relative coordinates turns too much: so it will again (descriptor.c) */
  memcpy(s->ydd, begin, bytes);
  return solve_reduced(im, t, g, s, cause);
}

void tni_desc_begin(tni_implicit *im, double *xdd, double *lambda) {
  memcpy(xdd, im->base.now.a, (size_t)im->p.n*sizeof(double));
  memcpy(lambda, im->base.now.lambda, (size_t)im->base.s->m*sizeof(double));
}

void tni_desc_describe(const tni_integrator *it, char *out, size_t n) {
  const tni_implicit *im = (const tni_implicit *)(const void *)it;
  char solver[96] = "the tree, block by block";
  if (im->p.whole) tni_whole_describe(&im->p, solver, sizeof(solver));
  snprintf(out, n, "%s; matrices by %s", it->type->name, solver);
}
