/* integrators/alpha.c - generalised-alpha method and HHT on the index-3 system
 *
 * Lie-group form: the increment of positions is a local vector, rotations are composed by retract.
 *
 *   x = h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1),   v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1)
 *   (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0
 *   M v'_1 + C^T lambda_1 = f,   Phi(q_0 (+) x) = 0
 *
 * with a an acceleration of the algorithm, near v' at t + (alpha_m - alpha_f) h. Newton's unknowns
 * are (a_1, lambda_1): with the rows of Phi divided by beta h^2 its matrix has the same size for all
 * steps,  (1 - alpha_m)/(1 - alpha_f) M + gamma h D + beta h^2 K,  C^T,  C.
 *
 * Parameters from the spectral radius rho at infinite frequency, 1: no damping, 0: most:
 *   alpha   alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1)        (Chung, Hulbert)
 *   hht     alpha_m = 0, alpha_f = (1 - rho)/(1 + rho), rho >= 1/2          (Hilber, Hughes, Taylor)
 *   gamma = 1/2 + alpha_f - alpha_m,  beta = (gamma + 1/2)^2/4
 *
 * Variable steps: a_0 - v'_0 is proportional to the step and is scaled with it; else order is lost
 * at every change. Growing steps (`growth`) do without it: they are there to take the steps of other programs. The engine projects velocities at the end of the step, where the method itself
 * leaves an error of second order, and computes multipliers there.
 *
 * Error as in infl_trap.c: like that of a method of first order, here also of a.
 * Source: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993); O. Bruels, A. Cardona, M. Arnold, Mech.
 * Mach. Theory 48 (2012).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/descriptor.h"

#include <math.h>

#define RHO_DEFAULT 0.8
/* beta h^2 [s^2] below which rounding of Phi would be seen in the accelerations: its rate is used */
#define SMALL 1e-14
#define NOISE 1e-15
enum { A1 = 0, A0, VDOT1, X_KNOWN, V_KNOWN, CX, CV, CHANGED, NWORK };
enum { KEEP_A = 0, KEEP_VDOT, KEEP_H, NKEEP };

static double alpha_f(const tni_descriptor *d) { return d->parameter[0]; }
static double alpha_m(const tni_descriptor *d) { return d->parameter[1]; }

static void set(tni_descriptor *d, double f, double m) {
  double gamma = 0.5 + f - m;
  d->parameter[0] = f;
  d->parameter[1] = m;
  d->own.mass = (1 - m)/(1 - f);
  d->own.gamma = gamma;
  d->own.beta = 0.25*(gamma + 0.5)*(gamma + 0.5);
}

static double radius(const tni_descriptor *d) {
  return d->base.opts.rho == 0 ? RHO_DEFAULT : d->base.opts.rho;
}

static tn_status setup_alpha(tni_descriptor *d) {
  double rho = radius(d);
  TN_REQUIRE(d->base.ctx, rho >= 0 && rho <= 1, TN_ERR_ARGUMENT,
             "alpha: spectral radius rho = %g, must be in 0 .. 1", rho);
  set(d, rho/(rho + 1), (2*rho - 1)/(rho + 1));
  return TN_OK;
}

/* beyond alpha_f = 1/3 the method is not stable */
static tn_status setup_hht(tni_descriptor *d) {
  double rho = fmax(radius(d), 0.5);
  TN_REQUIRE(d->base.ctx, rho <= 1, TN_ERR_ARGUMENT,
             "hht: spectral radius rho = %g, must be in 0 .. 1", rho);
  set(d, (1 - rho)/(1 + rho), 0);
  return TN_OK;
}

/* the acceleration of the algorithm at the beginning, for this step */
static tn_status begin(tni_descriptor *d, double h) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv;
  double *a0 = tni_descriptor_work(d, A0), *vdot = tni_descriptor_keep(d, KEEP_VDOT);
  const double *a = tni_descriptor_keep(d, KEEP_A);
  if (d->first) memcpy(vdot, it->now.a, (size_t)n*sizeof(double));
  double ratio = d->first || !n ? 0 : it->opts.growth > 0 ? 1 : h/tni_descriptor_keep(d, KEEP_H)[0];
  for (int i = 0; i < n; i++) a0[i] = vdot[i] + (d->first ? 0 : ratio*(a[i] - vdot[i]));
  return d->first && it->opts.soft_start > 0 && it->s->m == 0 ? tni_descriptor_soften(d, h, it->opts.soft_start, a0) : TN_OK;
}

static void place(tni_descriptor *d, double h) {
  int n = d->base.s->nv;
  double f = alpha_f(d), m = alpha_m(d), gh = d->formula->gamma*h, bhh = d->formula->beta*h*h;
  const double *a0 = tni_descriptor_work(d, A0), *a1 = tni_descriptor_work(d, A1);
  const double *vdot0 = tni_descriptor_keep(d, KEEP_VDOT);
  double *vdot1 = tni_descriptor_work(d, VDOT1);
  for (int i = 0; i < n; i++) {
    d->x1[i] = tni_descriptor_work(d, X_KNOWN)[i] + bhh*a1[i];
    d->v1[i] = tni_descriptor_work(d, V_KNOWN)[i] + gh*a1[i];
    vdot1[i] = ((1 - m)*a1[i] + m*a0[i] - f*vdot0[i])/(1 - f);
  }
}

/* The same with care: x_1, v_1 are led onto the constraints, v'_1 is the acceleration there, and a_1
 * follows from it. */
static tn_status advance_near(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv, m = it->s->m;
  double gh = d->formula->gamma*h, bhh = d->formula->beta*h*h, mass = d->formula->mass;
  double *b = d->b, *a1 = tni_descriptor_work(d, A1);
  double *cx = tni_descriptor_work(d, CX), *cv = tni_descriptor_work(d, CV);
  tni_newton newton = tni_descriptor_progress(d);
  tn_status st = TN_NOT_CONVERGED;
  memset(cx, 0, (size_t)n*sizeof(double));
  memset(cv, 0, (size_t)n*sizeof(double));
  for (;;) {
    place(d, h);
    for (int i = 0; i < n; i++) {
      d->x1[i] += cx[i];
      d->v1[i] += cv[i];
    }
    TN_TRY(tni_descriptor_settle(d, it->now.t + h, d->x1, d->v1, d->dx, d->dv,
                                 tni_descriptor_rows(d, 0), cause));
    for (int i = 0; i < n; i++) {
      cx[i] += d->dx[i];
      cv[i] += d->dv[i];
    }
    tni_descriptor_lack(d, tni_descriptor_work(d, VDOT1), b, b + n);
    for (int i = 0; i < m; i++) b[n + i] /= mass;
    tni_descriptor_solve(d, b);
    for (int i = 0; i < n; i++) {
      d->dx[i] = bhh*b[i];
      d->dv[i] = gh*b[i];
    }
    tni_descriptor_along(d, d->dx, d->dv);
    double size = tni_descriptor_norm(d, d->dx, d->dv, &cause->index);
    st = tni_descriptor_newton(d, &newton, size, cause);
    if (st == TN_STEP_REJECTED) return st;
    if (st == TN_OK) return TN_OK;
    for (int i = 0; i < n; i++) a1[i] += b[i];
  }
}

/* Steps that are given are not made shorter where Newton's iteration does not come on, as where matter begins to yield: from there on it
 * has tangents of its own in every iteration. */
static tn_status iterate(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  bool may = it->opts.equal_steps && !d->constant && !d->tree && !d->cut, follows = false;
  int n = it->s->nv, m = it->s->m;
  double gh = d->formula->gamma*h, bhh = d->formula->beta*h*h, *b = d->b;
  double *a1 = tni_descriptor_work(d, A1), *lambda = tni_descriptor_rows(d, 0);
  tni_newton newton = tni_descriptor_progress(d);
  tn_status st = TN_NOT_CONVERGED;
  while (st == TN_NOT_CONVERGED) {
    place(d, h);
    TN_TRY(tni_descriptor_residual(d, it->now.t + h, d->x1, d->v1, tni_descriptor_work(d, VDOT1),
                                   lambda, cause));
    if (follows) TN_TRY(tni_descriptor_follow(d, it->now.t + h, h, d->v1, tni_descriptor_work(d, VDOT1), lambda));
    for (int i = 0; i < n; i++) b[i] = -d->r[i];
    for (int r = 0; r < m; r++) {
      bool velocity = bhh < SMALL || (it->s->velocity_only && it->s->velocity_only[r]);
      b[n + r] = velocity ? -d->rate[r]/gh : -d->phi[r]/bhh;
    }
    tni_descriptor_solve(d, b);
    for (int i = 0; i < n; i++) {
      a1[i] += b[i];
      d->dx[i] = bhh*b[i];
      d->dv[i] = gh*b[i];
    }
    for (int r = 0; r < m; r++) lambda[r] += b[n + r];
    double size = tni_descriptor_norm(d, d->dx, d->dv, &cause->index);
    st = tni_descriptor_newton(d, &newton, size, cause);
    if (st == TN_STEP_REJECTED && may && !follows && isfinite(size)) {
      follows = true;
      newton = tni_descriptor_progress(d);
      st = TN_NOT_CONVERGED;
    }
  }
  if (st == TN_OK) place(d, h);
  return st;
}

/* The acceleration of the algorithm is part of the state: after a sudden change of a force it is off by
 * as much and swings in over some steps. Where it differs more from v' than v' changes in the step,
 * that difference is the error. */
static void estimate(tni_descriptor *d, double h) {
  const double *a0 = tni_descriptor_work(d, A0), *vdot0 = tni_descriptor_keep(d, KEEP_VDOT);
  double *changed = tni_descriptor_work(d, CHANGED);
  memcpy(changed, tni_descriptor_work(d, VDOT1), (size_t)d->base.s->nv*sizeof(double));
  for (int i = 0; i < d->base.s->nv; i++)
    if (fabs(a0[i] - vdot0[i]) > fabs(changed[i] - vdot0[i])) changed[i] = a0[i];
  tni_descriptor_first_order(d, h, vdot0, changed);
}

static tn_status advance(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv, m = it->s->m;
  double gh = d->formula->gamma*h, bhh = d->formula->beta*h*h, *a0 = tni_descriptor_work(d, A0);
  TN_TRY(begin(d, h));
  /* rounding of Phi, divided by beta h^2 and multiplied by gamma h */
  double size = 1;
  for (int i = 0; i < it->s->nq; i++) size = fmax(size, fabs(it->now.q[i]));
  d->noise = NOISE*size/(h*it->opts.atol);
  for (int i = 0; i < n; i++) {
    tni_descriptor_work(d, X_KNOWN)[i] = h*it->now.v[i] + (0.5*h*h - bhh)*a0[i];
    tni_descriptor_work(d, V_KNOWN)[i] = it->now.v[i] + (h - gh)*a0[i];
  }
  memcpy(tni_descriptor_work(d, A1), a0, (size_t)n*sizeof(double));
  memcpy(tni_descriptor_rows(d, 0), it->now.lambda, (size_t)m*sizeof(double));
  TN_TRY(d->near ? advance_near(d, h, cause) : iterate(d, h, cause));
  estimate(d, h);
  return TN_OK;
}

static void accepted(tni_descriptor *d, double h) {
  size_t n = (size_t)d->base.s->nv;
  memcpy(tni_descriptor_keep(d, KEEP_A), tni_descriptor_work(d, A1), n*sizeof(double));
  memcpy(tni_descriptor_keep(d, KEEP_VDOT), tni_descriptor_work(d, VDOT1), n*sizeof(double));
  if (n) tni_descriptor_keep(d, KEEP_H)[0] = h;
}

#define FORMULA                                                                        \
  .order = 2, .error_order = 1, .mass = 1, .gamma = 0.5, .beta = 0.25, .nwork = NWORK, \
  .place_error = true,                                                                  \
  .nrows = 1, .nkeep = NKEEP, .advance = advance, .accepted = accepted
static const tni_descriptor_formula formula_alpha = {FORMULA, .setup = setup_alpha};
static const tni_descriptor_formula formula_hht = {FORMULA, .setup = setup_hht};

TNI_CREATE_BY(create_alpha, tni_descriptor_create, alpha, formula_alpha)
TNI_CREATE_BY(create_hht, tni_descriptor_create, hht, formula_hht)

const tni_integrator_type tni_integrator_alpha = {
    .name = "alpha",
    .summary = "generalised-alpha method of order 2 on the index-3 system, damping by rho",
    .order = 2,
    .share = 0.0042,
    .create = create_alpha,
    .domains = true,
    TNI_DESCRIPTOR_OPS,
};
const tni_integrator_type tni_integrator_hht = {
    .name = "hht",
    .summary = "Hilber-Hughes-Taylor method of order 2 on the index-3 system, damping by rho",
    .order = 2,
    .share = 0.0038,
    .create = create_hht,
    .domains = true,
    TNI_DESCRIPTOR_OPS,
};
