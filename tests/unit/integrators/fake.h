/* tests/unit/integrators/fake.h - small systems with known motion behind the real interface
 *
 *   oscillator  q'' = -q                       z = (int v^2, int q^2)
 *   kepler      q'' = -q/|q|^3, two components, closed orbit
 *   pendulum    unit point on a circle of radius 1, gravity 9.81 along -y, one constraint
 *   body        free rigid body with Euler parameters, principal moments I
 *
 * Faults can be injected: accelerations that fail, are not finite, or a projection that fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_FAKE_H
#define TN_FAKE_H

#include "base/vec.h"
#include "integrators/integrator.h"
#include "support/check.h"

typedef struct fake {
  tni_data s; /* first: the integrators see only this */
  double I[3];
  double fail_from;    /* accelerations are singular from this time on  */
  double nan_from;     /* and not finite from this one                  */
  double stuck_from;   /* projection fails from this one                */
  int fail_every;      /* every n-th acceleration fails, 0: never       */
  double drag;         /* pendulum, oscillator: force -drag*v           */
} fake;

static inline fake *fake_of(tni_data *s) { return (fake *)(void *)s; }

static inline bool fake_faulty(fake *f, double t, double *a) {
  f->s.work.naccel++;
  if (t >= f->nan_from) a[0] = NAN;
  if (t >= f->fail_from || (f->fail_every && f->s.work.naccel % f->fail_every == 0)) {
    tni_fail(f->s.ctx, TN_SINGULAR, "matrix singular at t = %g s", t);
    return true;
  }
  return false;
}

/* n numbers, or a body; kept for all fakes */
static const tni_layout *fake_layout(tn_ctx *ctx, tni_node_kind kind, int n) {
  static tni_layout layout[16];
  static tni_span span[16];
  int i = 0;
  while (layout[i].nspan && (span[i].kind != kind || span[i].n != n)) i++;
  span[i] = (tni_span){.kind = kind, .n = n};
  layout[i] = (tni_layout){.ctx = ctx, .nspan = 1, .span = &span[i]};
  return &layout[i];
}
static tn_status plain_project(tni_data *s, double t, double *q, double *v, const tni_project_opts *o,
                               tni_project_report *report) {
  (void)s, (void)t, (void)q, (void)v, (void)o, (void)report;
  return TN_OK;
}
static void fake_label(const tni_data *s, tni_name of, int i, char *out, size_t n) {
  (void)s;
  snprintf(out, n, of == TNI_NAME_ROW ? "rod.row%d" : "mass.v%d", i);
}

static tn_status oscillator_accel(tni_data *s, double t, const double *q, const double *v,
                                  double *a, double *lambda, double *zdot) {
  fake *f = fake_of(s);
  (void)lambda;
  a[0] = -q[0] - f->drag*v[0];
  if (zdot) {
    zdot[0] = v[0]*v[0];
    zdot[1] = q[0]*q[0];
  }
  return fake_faulty(f, t, a) ? TN_SINGULAR : TN_OK;
}

static tn_status kepler_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                              double *lambda, double *zdot) {
  (void)v, (void)lambda;
  double r2 = q[0]*q[0] + q[1]*q[1], r3 = r2*sqrt(r2);
  a[0] = -q[0]/r3;
  a[1] = -q[1]/r3;
  if (zdot) zdot[0] = zdot[1] = 0;
  return fake_faulty(fake_of(s), t, a) ? TN_SINGULAR : TN_OK;
}

/* exact tangents: fake_clear zeroes what is asked for */
static void fake_clear(const tni_data *s, const tni_tangent *o) {
  size_t nv = (size_t)s->nv, m = (size_t)s->m;
  double *square[] = {o->M, o->f_q, o->f_v, o->Mv_q, o->Ctl_q};
  double *rows[] = {o->C, o->Cv_q, o->Ca_q, o->gamma_q, o->gamma_v};
  for (int i = 0; i < TNI_COUNT(square); i++) {
    if (square[i]) memset(square[i], 0, nv*nv*sizeof(double));
  }
  for (int i = 0; i < TNI_COUNT(rows); i++) {
    if (rows[i]) memset(rows[i], 0, m*nv*sizeof(double));
  }
  if (o->f_t) memset(o->f_t, 0, nv*sizeof(double));
  for (size_t i = 0; o->M && i < nv; i++) o->M[i*nv + i] = 1;
}
static tn_status oscillator_tangent(tni_data *s, double t, const double *q, const double *v,
                                    const double *a, const double *lambda, const tni_tangent *o) {
  (void)t, (void)q, (void)v, (void)a, (void)lambda;
  fake_clear(s, o);
  if (o->f_q) o->f_q[0] = -1;
  if (o->f_v) o->f_v[0] = -fake_of(s)->drag;
  return TN_OK;
}
static tn_status kepler_tangent(tni_data *s, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const tni_tangent *o) {
  (void)t, (void)v, (void)a, (void)lambda;
  double r2 = q[0]*q[0] + q[1]*q[1], r3 = r2*sqrt(r2);
  fake_clear(s, o);
  for (int i = 0; i < 2 && o->f_q; i++) {
    for (int j = 0; j < 2; j++) o->f_q[2*i+j] = (3*q[i]*q[j]/r2 - (i == j))/r3;
  }
  return TN_OK;
}

enum { PENDULUM_ROW = 0 };
#define PENDULUM_G 9.81
#define STUCK 0.25 /* residual that a failing projection leaves */

/* Phi = (x^2 + y^2 - 1)/2, C = (x, y), gamma = -|v|^2 */
static tn_status pendulum_accel(tni_data *s, double t, const double *q, const double *v,
                                double *a, double *lambda, double *zdot) {
  fake *f = fake_of(s);
  double force[2] = {-f->drag*v[0], -PENDULUM_G - f->drag*v[1]};
  double gamma = -(v[0]*v[0] + v[1]*v[1]);
  double l = (q[0]*force[0] + q[1]*force[1] - gamma)/(q[0]*q[0] + q[1]*q[1]);
  for (int i = 0; i < 2; i++) a[i] = force[i] - q[i]*l;
  if (lambda) lambda[0] = l;
  if (zdot) {
    zdot[0] = -f->drag*gamma;
    zdot[1] = 0;
  }
  return fake_faulty(f, t, a) ? TN_SINGULAR : TN_OK;
}
static tn_status pendulum_project(tni_data *s, double t, double *q, double *v,
                                  const tni_project_opts *o, tni_project_report *report) {
  *report = (tni_project_report){.worst_row = PENDULUM_ROW};
  s->work.nproject++;
  for (;;) {
    double c2 = q[0]*q[0] + q[1]*q[1], phi = 0.5*(c2 - 1);
    report->residual = fabs(phi);
    if (!o->position || fabs(phi) <= o->tol || report->iterations == 20) break;
    report->correction_q = fmax(report->correction_q, fabs(phi)/sqrt(c2));
    report->iterations++;
    q[0] -= q[0]*phi/c2;
    q[1] -= q[1]*phi/c2;
  }
  double rate = q[0]*v[0] + q[1]*v[1];
  if (o->velocity && fabs(rate) > o->tol) {
    double c = rate/(q[0]*q[0] + q[1]*q[1]);
    v[0] -= c*q[0];
    v[1] -= c*q[1];
    report->correction_v = fabs(c);
  }
  if (t < fake_of(s)->stuck_from) return TN_OK;
  report->residual = STUCK;
  return TN_NOT_CONVERGED;
}

static tn_status pendulum_tangent(tni_data *s, double t, const double *q, const double *v,
                                  const double *a, const double *lambda, const tni_tangent *o) {
  (void)t;
  fake_clear(s, o);
  for (int i = 0; i < 2; i++) {
    if (o->C) o->C[i] = q[i];
    if (o->f_v) o->f_v[3*i] = -fake_of(s)->drag;
    if (o->Ctl_q) o->Ctl_q[3*i] = lambda[0];
    if (o->Cv_q) o->Cv_q[i] = v[i];
    if (o->Ca_q) o->Ca_q[i] = a[i];
    if (o->gamma_v) o->gamma_v[i] = -2*v[i];
  }
  return TN_OK;
}

/* free rigid body: q = (r, p), v = (r', w in body axes) */
static tn_status body_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                            double *lambda, double *zdot) {
  fake *f = fake_of(s);
  (void)q, (void)lambda;
  const double *w = v + 3, *I = f->I;
  a[0] = a[1] = a[2] = 0;
  a[3] = (I[1] - I[2])*w[1]*w[2]/I[0];
  a[4] = (I[2] - I[0])*w[2]*w[0]/I[1];
  a[5] = (I[0] - I[1])*w[0]*w[1]/I[2];
  if (zdot) zdot[0] = zdot[1] = 0;
  return fake_faulty(f, t, a) ? TN_SINGULAR : TN_OK;
}

static tn_status body_tangent(tni_data *s, double t, const double *q, const double *v,
                              const double *a, const double *lambda, const tni_tangent *o) {
  (void)t, (void)q, (void)a, (void)lambda;
  const double *I = fake_of(s)->I, *w = v + 3;
  fake_clear(s, o);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (o->M) o->M[7*(3 + i)] = I[i];
    if (o->f_v) o->f_v[6*(3 + i) + 3 + j] = (I[j] - I[k])*w[k];
    if (o->f_v) o->f_v[6*(3 + i) + 3 + k] = (I[j] - I[k])*w[j];
  }
  return TN_OK;
}

/* full patterns for the sizes in use */
static const int fake_ptr[7] = {0, 6, 12, 18, 24, 30, 36}, fake_ptr2[3] = {0, 2, 4};
static const int fake_col[36] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5,
                                 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
static const int fake_col2[4] = {0, 1, 0, 1}, fake_ptr1[2] = {0, 1};
static const tni_sparsity fake_square[] = {{1, 1, 1, fake_ptr1, fake_col},
                                           {2, 2, 4, fake_ptr2, fake_col2},
                                           {6, 6, 36, fake_ptr, fake_col}};
static const tni_sparsity fake_rows = {1, 2, 2, fake_ptr2, fake_col2};
static const tni_sparsity fake_no_rows = {0, 6, 0, fake_ptr, fake_col};

typedef tn_status fake_dense(tni_data *s, double t, const double *q, const double *v,
                             const double *a, const double *lambda, const tni_tangent *o);

/* the sparse tangent from the dense one */
static tn_status fake_tangents(tni_data *s, const tni_at *at, const tni_tangent *dense,
                               const tni_sparse_tangent *o, fake_dense *tangent) {
  static const double zero[6] = {0};
  const double *v = at->v ? at->v : zero, *a = at->a ? at->a : zero;
  const double *lambda = at->lambda ? at->lambda : zero;
  if (dense) return tangent(s, at->t, at->q, v, a, lambda, dense);
  double f_q[36], Mv_q[36], Ctl_q[36];
  tni_tangent all = {.M = o->M, .f_v = o->r_v, .f_t = o->r_t, .C = o->C, .Cv_q = o->Cv_q,
                     .Ca_q = o->Ca_q, .gamma_q = o->gamma_q, .gamma_v = o->gamma_v,
                     .f_q = f_q, .Mv_q = Mv_q, .Ctl_q = Ctl_q};
  tn_status st = tangent(s, at->t, at->q, v, a, lambda, &all);
  for (int i = 0; i < s->nv*s->nv; i++) {
    if (o->r_v) o->r_v[i] = -o->r_v[i];
    if (o->r_q) o->r_q[i] = Mv_q[i] + Ctl_q[i] - f_q[i];
  }
  for (int i = 0; i < s->nv && o->r_t; i++) o->r_t[i] = -o->r_t[i];
  return st;
}
#define FAKE_TANGENTS(name)                                                                \
  static tn_status name##_tangents(tni_data *s, const tni_at *at, const tni_tangent *dense, \
                                   const tni_sparse_tangent *sparse) {                     \
    return fake_tangents(s, at, dense, sparse, name##_tangent);                            \
  }
FAKE_TANGENTS(oscillator)
FAKE_TANGENTS(kepler)
FAKE_TANGENTS(pendulum)
FAKE_TANGENTS(body)

/* With the true accelerations a*, lambda*: r = M (a - a*) + C^T (lambda - lambda*). Faults are those
 * of accelerations only. */
static void fake_balance(tni_data *s, const tni_at *at, double *r, double *gap) {
  double M[36], C[6] = {0}, want[6], l = 0;
  tni_tangent T = {.M = M, .C = s->m ? C : NULL};
  fake keep = *fake_of(s);
  fake_of(s)->fail_from = fake_of(s)->nan_from = INFINITY;
  fake_of(s)->fail_every = 0;
  s->ops->accel(s, at->t, at->q, at->v, want, &l, NULL);
  *fake_of(s) = keep;
  s->ops->tangent(s, &(tni_at){.t = at->t, .q = at->q, .v = at->v}, &T, NULL);
  for (int i = 0; i < s->nv; i++) {
    r[i] = s->m ? C[i]*(at->lambda[0] - l) : 0;
    for (int j = 0; j < s->nv; j++) r[i] += M[i*s->nv + j]*(at->a[j] - want[j]);
  }
  for (int j = 0; s->m && j < s->nv && gap; j++) gap[0] = (j ? gap[0] : 0) + C[j]*(at->a[j] - want[j]);
}

/* who has a constraint is the pendulum */
static void fake_eval(tni_data *s, const tni_at *at, const tni_want *w) {
  const double *q = at->q, *v = at->v;
  double phi = s->m ? 0.5*(q[0]*q[0] + q[1]*q[1] - 1) : 0;
  double rate = s->m && v ? q[0]*v[0] + q[1]*v[1] : 0;
  if (w->balance) fake_balance(s, at, w->balance, w->gap);
  if (s->m && w->phi) w->phi[0] = phi;
  if (s->m && w->rate) w->rate[0] = rate;
  if (!w->residuals) return;
  int row = s->m ? PENDULUM_ROW : -1;
  *w->residuals = (tni_residuals){.position = fabs(phi), .velocity = fabs(rate), .position_row = row,
                                  .velocity_row = row, .acceleration_row = row};
}

#define FAKE .eval = fake_eval, .label = fake_label
static const tni_system_ops oscillator_ops = {FAKE, .accel = oscillator_accel, .project = plain_project,
                                              .tangent = oscillator_tangents};
static const tni_system_ops kepler_ops = {FAKE, .accel = kepler_accel, .tangent = kepler_tangents};
static const tni_system_ops pendulum_ops = {FAKE, .accel = pendulum_accel, .project = pendulum_project,
                                            .tangent = pendulum_tangents};
static const tni_system_ops body_ops = {FAKE, .accel = body_accel, .tangent = body_tangents};

static inline fake fake_make(tn_ctx *ctx, const tni_system_ops *ops, int nq, int nv, int m) {
  tni_node_kind kind = nq == nv ? TNI_NODE_PLAIN : nv == 3 ? TNI_NODE_FLAT : TNI_NODE_POSE;
  fake f = {.s = {.ops = ops, .ctx = ctx, .nq = nq, .nv = nv, .m = m, .ode = m == 0,
                  .layout = fake_layout(ctx, kind, nq == nv ? nq : 1),
                  .square = nv == 6 ? &fake_square[2] : nv <= 2 ? &fake_square[nv-1] : NULL,
                  .rows = m ? &fake_rows : &fake_no_rows},
            .I = {1, 2, 3}, .fail_from = INFINITY, .nan_from = INFINITY, .stuck_from = INFINITY};
  return f;
}
static inline fake fake_oscillator(tn_ctx *ctx) { return fake_make(ctx, &oscillator_ops, 1, 1, 0); }
static inline fake fake_kepler(tn_ctx *ctx) { return fake_make(ctx, &kepler_ops, 2, 2, 0); }
static inline fake fake_pendulum(tn_ctx *ctx) { return fake_make(ctx, &pendulum_ops, 2, 2, 1); }
static inline fake fake_body(tn_ctx *ctx) { return fake_make(ctx, &body_ops, 7, 6, 0); }

/* starting points */
static const double oscillator_q0[1] = {1}, oscillator_v0[1] = {0};
static const double pendulum_q0[2] = {-1, 0}, pendulum_v0[2] = {0, 0};
static const double body_q0[7] = {0.1, -0.2, 0.3, 0.5, -0.5, 0.5, 0.5};
static const double body_v0[6] = {1, 2, -3, 0.3, 2, -0.4};
static const double fake_z0[TNI_NZ] = {0, 0};

/* Kepler orbit of eccentricity e from perihelion, period 2 pi: exact state at t */
static inline void kepler_exact(double e, double t, double *q, double *v) {
  double E = t;
  for (int it = 0; it < 50; it++) E -= (E - e*sin(E) - t)/(1 - e*cos(E));
  double b = sqrt(1 - e*e), r = 1 - e*cos(E);
  q[0] = cos(E) - e;
  q[1] = b*sin(E);
  v[0] = -sin(E)/r;
  v[1] = b*cos(E)/r;
}

/* the simple pendulum after 10 s, from the exact solution by elliptic functions */
static const double pendulum_at_10[2] = {-0.275087462576117, -0.961419205099125};

/* create, start; ends the program on failure */
static inline tni_integrator *fake_start(tn_ctx *ctx, const char *method, fake *f,
                                         const tni_integrator_opts *o, const double *q,
                                         const double *v) {
  tni_integrator *it;
  CHECK_OK(ctx, tni_integrator_find(method)->create(ctx, &f->s, o, &it));
  CHECK_OK(ctx, it->type->start(it, 0, q, v, fake_z0));
  return it;
}
static inline void fake_run(tn_ctx *ctx, tni_integrator *it, double until) {
  while (it->now.t < until) CHECK_OK(ctx, it->type->step(it));
}

#endif
