/* integrators/radau.c - Radau IIA formula of order 5 on the whole system
 *
 * Three stages at once, each on the constraints (integrators/descriptor.h):
 *
 *   x_i = h sum_j a_ij x'_j + cx_i,   v_i = v_0 + h sum_j a_ij v'_j + cv_i
 *   M v'_i + C^T lambda_i = f,   C v'_i = gamma
 *
 * Newton's matrix for (v'_1, v'_2, v'_3) has blocks M delta_ij + h a_ij D + h^2 (a^2)_ij K. The
 * eigenvectors of a take it apart into a real system with its real eigenvalue and a complex one with
 * one of the conjugate pair. The last stage ends the step: L-stable, stiffly accurate.
 *
 * Error: (1 - gamma h G)^-1 (gamma h w'_0 + gamma sum d_i (w_i - w_0)), w = (x, v), of order 3, with
 * the real eigenvalue gamma. Dense output: the polynomial of the stages. First guess:
 * accelerations and multipliers of the polynomial of the step before.
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.8.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/descriptor.h"

#include <math.h>

enum { STAGES = 3 };
enum {
  A = 0, X = STAGES, V = 2*STAGES, XD = 3*STAGES, CX = 4*STAGES, CV = 5*STAGES, F = 6*STAGES,
  DX = 7*STAGES, DV = 8*STAGES, NWORK = 9*STAGES
};
enum { LAMBDA = 0, GAP = STAGES, PHI = 2*STAGES, RATE = 3*STAGES, NROWS = 4*STAGES };
enum { A_BEFORE = 0, H_BEFORE = STAGES, NKEEP };

#define SQRT6 2.449489742783178098
static const double c[STAGES] = {(4 - SQRT6)/10, (4 + SQRT6)/10, 1};
static const double a[STAGES][STAGES] = {
    {(88 - 7*SQRT6)/360, (296 - 169*SQRT6)/1800, (-2 + 3*SQRT6)/225},
    {(296 + 169*SQRT6)/1800, (88 + 7*SQRT6)/360, (-2 - 3*SQRT6)/225},
    {(16 - SQRT6)/36, (16 + SQRT6)/36, 1.0/9}};
/* eigenvalues of a, right eigenvectors with last component 1, left ones that belong to them */
#define GAMMA 0.27488882959567736775
#define ALPHA 0.16255558520216131613
#define BETA 0.18494932440714078428
static const double right[STAGES] = {0.094438762488975241487, 0.25021312296533331138, 1};
static const double left[STAGES] = {4.1787185915519047273, 0.32768282076106238708,
                                    0.52337644549944954804};
static const double right_z[STAGES][2] = {{-0.14125529502095420843, -0.030029194105147424492},
                                          {0.204129352293799932, 0.3829421127572619378}, {1, 0}};
static const double left_z[STAGES][2] = {{-2.0893592957759523637, 0.25143631747289343798},
                                         {-0.16384141038053119354, -1.2859634749278027146},
                                         {0.23831177725027522598, 0.29801960241411246248}};
static const double error_weight[STAGES] = {-(13 + 7*SQRT6)/3, (-13 + 7*SQRT6)/3, -1.0/3};

/* (a^2)_ij */
static double squared(int i, int j) {
  double sum = 0;
  for (int k = 0; k < STAGES; k++) sum += a[i][k]*a[k][j];
  return sum;
}

/* Lagrange polynomial of node k of the n nodes at x */
static double lagrange(int n, const double *node, int k, double x) {
  double product = 1;
  for (int i = 0; i < n; i++)
    if (i != k) product *= (x - node[i])/(node[k] - node[i]);
  return product;
}

static void place(const tni_descriptor *d, double h) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv;
  for (int i = 0; i < STAGES; i++) {
    double *v = tni_descriptor_work(d, V + i), *cv = tni_descriptor_work(d, CV + i);
    for (int k = 0; k < n; k++) {
      v[k] = it->now.v[k] + cv[k];
      for (int j = 0; j < STAGES; j++) v[k] += h*a[i][j]*tni_descriptor_work(d, A + j)[k];
    }
  }
  for (int pass = 0; pass < (d->nturn ? 3 : 1); pass++) {
    for (int i = 0; i < STAGES; i++)
      tni_descriptor_rate(d, tni_descriptor_work(d, X + i), tni_descriptor_work(d, V + i),
                          tni_descriptor_work(d, XD + i));
    for (int i = 0; i < STAGES; i++) {
      double *x = tni_descriptor_work(d, X + i), *cx = tni_descriptor_work(d, CX + i);
      for (int k = 0; k < n; k++) {
        x[k] = cx[k];
        for (int j = 0; j < STAGES; j++) x[k] += h*a[i][j]*tni_descriptor_work(d, XD + j)[k];
      }
    }
  }
}

/* residuals of all stages, corrections across the constraints, right sides F */
static tn_status evaluate(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  int m = it->s->m;
  size_t rows = (size_t)m*sizeof(double);
  for (int i = 0; i < STAGES; i++) {
    TN_TRY(tni_descriptor_residual(d, it->now.t + c[i]*h, tni_descriptor_work(d, X + i),
                                   tni_descriptor_work(d, V + i), tni_descriptor_work(d, A + i),
                                   tni_descriptor_rows(d, LAMBDA + i), cause));
    memcpy(tni_descriptor_rows(d, GAP + i), d->gap, rows);
    memcpy(tni_descriptor_rows(d, PHI + i), d->phi, rows);
    memcpy(tni_descriptor_rows(d, RATE + i), d->rate, rows);
    memcpy(tni_descriptor_work(d, F + i), d->r, (size_t)it->s->nv*sizeof(double));
  }
  for (int i = 0; i < STAGES; i++) {
    double *phi = tni_descriptor_rows(d, PHI + i), *rate = tni_descriptor_rows(d, RATE + i);
    /* the change of the accelerations will do its own part across the constraints */
    for (int j = 0; j < STAGES; j++) {
      const double *gap = tni_descriptor_rows(d, GAP + j);
      double f = h*h*squared(i, j), g = h*a[i][j];
      for (int r = 0; r < m; r++) {
        phi[r] -= f*gap[r];
        rate[r] -= g*gap[r];
      }
    }
    double *dx = tni_descriptor_work(d, DX + i), *dv = tni_descriptor_work(d, DV + i);
    tni_descriptor_corrections(d, phi, rate, dx, dv);
    memcpy(d->r, tni_descriptor_work(d, F + i), (size_t)it->s->nv*sizeof(double));
    tni_descriptor_force(d, dx, dv, tni_descriptor_work(d, F + i));
  }
  return TN_OK;
}

/* the same with care: stages on the constraints, right sides from what their accelerations lack */
static tn_status evaluate_near(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  for (int i = 0; i < STAGES; i++) {
    double *gap = tni_descriptor_rows(d, GAP + i);
    TN_TRY(tni_descriptor_settle(d, it->now.t + c[i]*h, tni_descriptor_work(d, X + i),
                                 tni_descriptor_work(d, V + i), tni_descriptor_work(d, DX + i),
                                 tni_descriptor_work(d, DV + i), tni_descriptor_rows(d, LAMBDA + i),
                                 cause));
    tni_descriptor_lack(d, tni_descriptor_work(d, A + i), tni_descriptor_work(d, F + i), gap);
    for (int r = 0; r < it->s->m; r++) gap[r] = -gap[r];
  }
  return TN_OK;
}

/* right side (F; -gap) of the transformed systems, and their solutions back: F and GAP become the
 * changes of accelerations and multipliers */
static void solve(tni_descriptor *d) {
  int n = d->base.s->nv, m = d->base.s->m, N = n + m;
  double *b = d->b, *z = d->bz;
  for (int k = 0; k < N; k++) {
    b[k] = z[2*k] = z[2*k + 1] = 0;
    for (int i = 0; i < STAGES; i++) {
      double x = k < n ? tni_descriptor_work(d, F + i)[k] : -tni_descriptor_rows(d, GAP + i)[k - n];
      b[k] += left[i]*x;
      z[2*k] += left_z[i][0]*x;
      z[2*k + 1] += left_z[i][1]*x;
    }
  }
  tni_descriptor_solve(d, b);
  tni_descriptor_solve_complex(d, z);
  for (int i = 0; i < STAGES; i++) {
    double *da = tni_descriptor_work(d, F + i), *dl = tni_descriptor_rows(d, GAP + i);
    for (int k = 0; k < N; k++) {
      double x = right[i]*b[k] + 2*(right_z[i][0]*z[2*k] - right_z[i][1]*z[2*k + 1]);
      if (k < n) da[k] = x;
      else dl[k - n] = x;
    }
  }
}

/* adds the changes; returns their size in units of the tolerance */
static double update(tni_descriptor *d, double h, int *worst) {
  int n = d->base.s->nv, m = d->base.s->m;
  double sum = 0;
  for (int i = 0; i < STAGES; i++) {
    double *cx = tni_descriptor_work(d, CX + i), *cv = tni_descriptor_work(d, CV + i);
    const double *dx = tni_descriptor_work(d, DX + i), *dv = tni_descriptor_work(d, DV + i);
    for (int k = 0; k < n; k++) {
      cx[k] += dx[k];
      cv[k] += dv[k];
      d->dx[k] = d->near ? 0 : dx[k]; /* with care it is along the constraints that counts */
      d->dv[k] = d->near ? 0 : dv[k];
    }
    for (int j = 0; j < STAGES; j++) {
      const double *da = tni_descriptor_work(d, F + j), *dvj = tni_descriptor_work(d, DV + j);
      double f = h*h*squared(i, j), g = h*a[i][j];
      for (int k = 0; k < n; k++) {
        cx[k] -= g*dvj[k]; /* x follows v by itself */
        d->dx[k] += f*da[k];
        d->dv[k] += g*da[k];
      }
    }
    if (d->near) tni_descriptor_along(d, d->dx, d->dv);
    double size = tni_descriptor_norm(d, d->dx, d->dv, worst);
    sum += size*size;
  }
  for (int i = 0; i < STAGES; i++) {
    double *acc = tni_descriptor_work(d, A + i), *lambda = tni_descriptor_rows(d, LAMBDA + i);
    for (int k = 0; k < n; k++) acc[k] += tni_descriptor_work(d, F + i)[k];
    for (int r = 0; r < m && !d->near; r++) lambda[r] += tni_descriptor_rows(d, GAP + i)[r];
  }
  return sqrt(sum/STAGES);
}

/* out := polynomial through the stages of the step before, y [STAGES][n], at theta of that step */
static void extrapolate(const double *y, int n, double theta, double *out) {
  double w[STAGES];
  for (int j = 0; j < STAGES; j++) w[j] = lagrange(STAGES, c, j, theta);
  for (int k = 0; k < n; k++) out[k] = w[0]*y[k] + w[1]*y[n + k] + w[2]*y[2*n + k];
}

static void guess(tni_descriptor *d, double h) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv, m = it->s->m;
  for (int i = 0; i < STAGES; i++) {
    double *acc = tni_descriptor_work(d, A + i), *lambda = tni_descriptor_rows(d, LAMBDA + i);
    if (d->first || n == 0) {
      memcpy(acc, it->now.a, (size_t)n*sizeof(double));
      memcpy(lambda, it->now.lambda, (size_t)m*sizeof(double));
    } else {
      double theta = 1 + c[i]*h/tni_descriptor_keep(d, H_BEFORE)[0];
      extrapolate(tni_descriptor_keep(d, A_BEFORE), n, theta, acc);
      extrapolate(tni_descriptor_keep_rows(d, 0), m, theta, lambda);
    }
    for (int k = 0; k < n; k++) tni_descriptor_work(d, X + i)[k] = h*c[i]*it->now.v[k];
  }
  memset(tni_descriptor_work(d, CX), 0, (size_t)(2*STAGES)*(size_t)n*sizeof(double));
}

/* the filter takes away what stiff forces would do that are out of balance at the beginning of the step: is there work in it? */
static void filter_error(tni_descriptor *d, double h) {
  int n = d->base.s->nv;
  double *stiff = d->inside.stiff, *momentum = d->b, power = 0;
  memcpy(stiff, d->ev, (size_t)n*sizeof(double));
  tni_descriptor_filter(d, h, d->ex, d->ev);
  for (int k = 0; k < n; k++) stiff[k] = (stiff[k] - d->ev[k])/GAMMA;
  d->inside.hidden = 0;
  if (d->zdot[TNI_Z_INPUT] == 0 && d->zdot[TNI_Z_DISSIPATED] == 0) return; /* nothing to be booked wrong */
  memset(momentum, 0, (size_t)n*sizeof(double));
  tni_descriptor_multiply(d, 0, NULL, 0, NULL, 1, stiff, momentum);
  for (int k = 0; k < n; k++) power += d->base.now.v[k]*momentum[k];
  d->inside.hidden = fabs(power);
}

static tn_status advance(tni_descriptor *d, double h, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  int n = it->s->nv;
  tni_newton newton = tni_descriptor_progress(d);
  tn_status st = TN_NOT_CONVERGED;
  guess(d, h);
  while (st == TN_NOT_CONVERGED) {
    place(d, h);
    TN_TRY(d->near ? evaluate_near(d, h, cause) : evaluate(d, h, cause));
    solve(d);
    double size = update(d, h, &cause->index);
    st = tni_descriptor_newton(d, &newton, size, cause);
  }
  if (st != TN_OK) return st;
  place(d, h);
  if (d->near) TN_TRY(evaluate_near(d, h, cause));
  memcpy(d->x1, tni_descriptor_work(d, X + STAGES - 1), (size_t)n*sizeof(double));
  memcpy(d->v1, tni_descriptor_work(d, V + STAGES - 1), (size_t)n*sizeof(double));
  for (int k = 0; k < n; k++) {
    d->ex[k] = h*it->now.v[k];
    d->ev[k] = h*it->now.a[k];
    for (int i = 0; i < STAGES; i++) {
      d->ex[k] += error_weight[i]*tni_descriptor_work(d, X + i)[k];
      d->ev[k] += error_weight[i]*(tni_descriptor_work(d, V + i)[k] - it->now.v[k]);
    }
    d->ex[k] *= GAMMA;
    d->ev[k] *= GAMMA;
  }
  filter_error(d, h);
  return TN_OK;
}

static void accepted(tni_descriptor *d, double h) {
  size_t n = (size_t)d->base.s->nv, m = (size_t)d->base.s->m;
  memcpy(tni_descriptor_keep(d, A_BEFORE), tni_descriptor_work(d, A), STAGES*n*sizeof(double));
  memcpy(tni_descriptor_keep_rows(d, 0), tni_descriptor_rows(d, LAMBDA), STAGES*m*sizeof(double));
  if (n) tni_descriptor_keep(d, H_BEFORE)[0] = h;
}

static void dense(tni_descriptor *d, double h, double theta, double *x, double *v) {
  static const double node[STAGES + 1] = {0, (4 - SQRT6)/10, (4 + SQRT6)/10, 1};
  const tni_integrator *it = &d->base;
  (void)h;
  double w[STAGES + 1];
  for (int i = 0; i <= STAGES; i++) w[i] = lagrange(STAGES + 1, node, i, theta);
  const double *x1 = tni_descriptor_work(d, X), *x2 = tni_descriptor_work(d, X + 1);
  const double *v1 = tni_descriptor_work(d, V), *v2 = tni_descriptor_work(d, V + 1);
  for (int k = 0; k < it->s->nv; k++) {
    x[k] = w[1]*x1[k] + w[2]*x2[k] + w[3]*d->x1[k];
    v[k] = w[0]*d->old.v[k] + w[1]*v1[k] + w[2]*v2[k] + w[3]*it->now.v[k];
  }
}

static const double b[STAGES] = {(16 - SQRT6)/36, (16 + SQRT6)/36, 1.0/9};
static const tni_collocation points = {STAGES, c, b};

static const tni_descriptor_formula formula = {
    .order = 5, .error_order = 3, .bodies = 1, .mass = 1, .gamma = GAMMA, .beta = GAMMA*GAMMA, .nwork = NWORK,
    .nrows = NROWS, .nkeep = NKEEP, .nkeep_rows = STAGES, .is_complex = true, .second = {ALPHA, BETA}, .points = &points,
    .advance = advance, .accepted = accepted, .dense = dense};

TNI_CREATE_BY(create, tni_descriptor_create, radau, formula)

const tni_integrator_type tni_integrator_radau = {
    .name = "radau",
    .summary = "implicit Runge-Kutta formula of order 5 on the whole sparse system, for stiff "
               "mechanisms at tight tolerances",
    .order = 5,
    .share = 0.285,
    .loose = 0.4,
    .create = create,
    TNI_DESCRIPTOR_OPS,
};
