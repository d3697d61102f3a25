/* integrators/descriptor_dense.c - implicit methods on the whole system: between the ends of a step
 *
 * Dense output of formulas of order 2: x is the cubic polynomial with the right values and slopes at both
 * ends; v the cubic with the right slopes a, their difference to the slope of x damped by the matrix of the
 * step, because accelerations of a stiff system are wrong by the stiffness times the error of the
 * state. Of higher order: one polynomial of degree 5, x'' damped likewise.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "base/vec.h"
#include "integrators/descriptor.h"
#include "integrators/turn.h"
#include "nonlinear/rest_domains.h"

static tni_descriptor *of(tni_integrator *it) { return (tni_descriptor *)(void *)it; }

static void damp(tni_descriptor *d, double *x) {
  const tni_data *s = d->base.s;
  memset(d->b, 0, (size_t)(s->nv + s->m)*sizeof(double));
  tni_descriptor_multiply(d, 0, NULL, 0, NULL, 1, x, d->b);
  tni_descriptor_solve(d, d->b);
  memcpy(x, d->b, (size_t)s->nv*sizeof(double));
}

/* x'' = d/dt (T^-1(x) v) */
static void local_accel(const tni_descriptor *d, const double *x, const double *xd, const double *a,
                        double *xdd) {
  memcpy(xdd, a, (size_t)d->base.s->nv*sizeof(double));
  for (int k = 0; k < d->nturn; k++) {
    int j = d->turn[k];
    tni_turn c = tni_turn_at(x + j);
    tni_turn_local_accel(&c, x + j, xd + j, a + j, xdd + j);
  }
}

/* Formulas of order 2 have no end that would deserve more than cubic polynomials, of x and of v; others
 * have one polynomial of degree 5 for x, with the right x, x' and x'' at both ends. */
static bool is_high(const tni_descriptor *d) { return d->formula->order > 2; }

void tni_descriptor_make_dense(tni_descriptor *d) {
  const tni_integrator *it = &d->base;
  double h = it->now.t - it->t_old;
  const double *v1 = is_high(d) ? d->dx : it->now.v, *a1 = is_high(d) ? d->dv : it->now.a;
  tni_descriptor_rate(d, d->x1, it->now.v, d->dx);
  if (is_high(d)) local_accel(d, d->x1, d->dx, it->now.a, d->dv);
  for (int j = 0; j < it->s->nv; j++) {
    double dv = v1[j] - d->old.v[j], ha0 = h*d->old.a[j], ha1 = h*a1[j];
    d->bend[j] = 6*(d->x1[j]/h - 0.5*(d->old.v[j] + d->dx[j]));
    d->alpha[j] = ha0 - dv - d->bend[j];
    d->beta[j] = 2*dv - ha0 - ha1;
  }
  if (d->h_factored > 0) {
    damp(d, d->alpha);
    damp(d, d->beta);
  }
  d->has_dense = true;
}

static void dense_high(tni_descriptor *d, double h, double theta, double *x, double *v) {
  const tni_integrator *it = &d->base;
  /* bubble and integrals of it, of theta times it, of its square */
  double bubble = theta*(1 - theta), i0 = theta*theta*(0.5 - theta/3);
  double i1 = theta*theta*theta*(1.0/3 - 0.25*theta);
  double i2 = theta*theta*theta*(1.0/3 + theta*(0.2*theta - 0.5));
  for (int j = 0; j < it->s->nv; j++) {
    double v0 = d->old.v[j], dv = d->dx[j] - v0, c = d->bend[j], a = d->alpha[j], b = d->beta[j];
    double kappa = -(5*a + 2.5*b);
    x[j] = h*(theta*(v0 + 0.5*theta*dv) + i0*(c + a) + i1*b + i2*kappa);
    v[j] = v0 + theta*dv + bubble*(c + a + theta*b + bubble*kappa);
  }
  for (int k = 0; k < d->nturn; k++) {
    int j = d->turn[k];
    double xd[3];
    tni_turn c = tni_turn_at(x + j);
    vec3_copy(xd, v + j);
    tni_turn_rate(&c, x + j, xd, v + j);
  }
}

static void dense_ends(tni_descriptor *d, double h, double theta, double *x, double *v) {
  const tni_integrator *it = &d->base;
  double bubble = theta*(1 - theta);
  if (!d->has_dense) tni_descriptor_make_dense(d);
  tni_descriptor_rate(d, d->x1, it->now.v, d->dx);
  if (is_high(d)) {
    dense_high(d, h, theta, x, v);
    return;
  }
  for (int j = 0; j < it->s->nv; j++) {
    double v0 = d->old.v[j], c = d->bend[j];
    x[j] = h*theta*(v0 + theta*(0.5*(d->dx[j] - v0) + c*(0.5 - theta/3)));
    v[j] = v0 + theta*(it->now.v[j] - v0) + bubble*(c + d->alpha[j] + theta*d->beta[j]);
  }
}

void tni_descriptor_interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  tni_descriptor *d = of(it);
  const tni_data *s = it->s;
  if (!(t < it->now.t && it->t_old < it->now.t)) {
    if (q) memcpy(q, it->now.q, (size_t)s->nq*sizeof(double));
    if (v) memcpy(v, it->now.v, (size_t)s->nv*sizeof(double));
    if (z) memcpy(z, it->now.z, TNI_NZ*sizeof(double));
    return;
  }
  double h = it->now.t - it->t_old, theta = (t - it->t_old)/h, *vv = v ? v : d->dv;
  if (d->formula->dense) d->formula->dense(d, h, theta, d->ex, vv);
  else dense_ends(d, h, theta, d->ex, vv);
  if (q) tni_retract(s, d->old.q, d->ex, q);
  if (z) tni_quadrature_between(&d->work_done, &d->inside, it, d->zdot, d->old.z, t, z);
}

void tni_descriptor_describe(const tni_integrator *it, char *out, size_t n) {
  const tni_descriptor *d = (const tni_descriptor *)(const void *)it;
  char solver[200] = "the tree, block by block";
  if (d->cut) tni_rest_cut_describe(d->cut, solver, sizeof(solver));
  else if (!d->tree) tni_saddle_describe(d->lu, solver, sizeof(solver));
  snprintf(out, n, "%s; matrices by %s", it->type->name, solver);
}
