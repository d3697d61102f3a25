/* nonlinear/tangent_solve.c - steps along the directions that the constraints leave
 *
 * Downhill steps with eigenvalues Lambda and vectors V of H (dense), or by factorizations of K + mu W
 * (sparse):
 *
 *   y = -V (Lambda + mu)^-1 V^T g,    |y| <= radius,   mu >= 0,   Lambda + mu > 0
 *
 * The bordered system of a path is solved as a whole (dense), or by elimination in both orders one
 * after the other, which is stable where H alone is nearly singular (sparse; W. Govaerts, J. D. Pryce,
 * BIT 30, 1990).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

#include "linsolve/lapack.h"
#include "nonlinear/sparse_space.h"

/* rank of H, in units of n eps: as in the tangent space */
static const double RANK_MARGIN = 50;

void tni_tangent_measure(const tni_tangent_space *ts, const double *delta, double *Wd) {
  if (ts->sparse) tni_sparse_measure(ts, delta, Wd);
  else cblas_dgemv(CblasRowMajor, CblasNoTrans, ts->n, ts->n, 1, ts->W, ts->n, delta, 1, 0, Wd, 1);
}

double tni_tangent_length(const tni_tangent_space *ts, const double *delta) {
  tni_tangent_measure(ts, delta, ts->a0);
  return sqrt(fmax(0, cblas_ddot(ts->n, delta, 1, ts->a0, 1)));
}

double tni_tangent_pull(const tni_tangent_space *ts, int k) {
  if (!ts->sparse) return cblas_ddot(ts->nd, ts->vector + (size_t)k*(size_t)ts->nd, 1, ts->g, 1);
  return -cblas_ddot(ts->n, ts->sparse->vector + (size_t)k*(size_t)ts->n, 1, ts->residual, 1);
}

double tni_tangent_turning(tni_tangent_space *ts, int k) {
  if (ts->sparse) {
    double along = cblas_ddot(ts->n, ts->sparse->vector + (size_t)k*(size_t)ts->n, 1,
                              ts->sparse->rate, 1);
    return ts->sparse->rate_norm > 0 ? along/ts->sparse->rate_norm : 0;
  }
  double along = cblas_ddot(ts->nd, ts->vector + (size_t)k*(size_t)ts->nd, 1, ts->g_t, 1);
  double whole = cblas_dnrm2(ts->nd, ts->g_t, 1);
  return whole > 0 ? along/whole : 0;
}

/* ---- Newton -------------------------------------------------------------------------------- */

tn_status tni_tangent_newton(tni_tangent_space *ts, double *delta) {
  int nd = ts->nd, rank = 0;
  if (ts->sparse) {
    double shift = 0;
    return tni_sparse_solve(ts, false, &shift, ts->residual, delta);
  }
  for (int i = 0; i < nd; i++) {
    ts->y[i] = -ts->g[i];
    ts->order[i] = 0;
    for (int j = 0; j < nd; j++)
      ts->A[(size_t)j*(size_t)nd + (size_t)i] = ts->H[(size_t)i*(size_t)nd + (size_t)j];
  }
  double small = fmax(RANK_MARGIN*ts->n*DBL_EPSILON, DBL_EPSILON);
  if (nd > 0 && tni_gelsy(nd, nd, 1, ts->A, nd, ts->y, nd, ts->order,
                                    small, &rank, ts->work, ts->lwork) != 0)
    return TN_FAIL(ts->s->ctx, TN_NOT_CONVERGED, "Newton's step could not be computed");
  tni_tangent_expand(ts, ts->y, delta);
  return TN_OK;
}

void tni_tangent_predict(tni_tangent_space *ts, const double *delta) {
  tni_sparse_space *sp = ts->sparse;
  if (!sp) return;
  if (sp->stress.is_predicted) sp->held = TNI_STIFF_NOTHING;
  sp->stress.is_predicted = false;
  if (delta) tni_stresses_predict(&sp->stress, delta);
}

/* ---- downhill ------------------------------------------------------------------------------ */

/* |y| for a shift, in the basis of the eigenvectors: c [nd] = V^T g */
static double shifted(const tni_tangent_space *ts, const double *c, double mu, double ignore,
                      double *coefficient) {
  double sum = 0;
  for (int i = 0; i < ts->nd; i++) {
    double l = ts->value[i] + mu, x = 0;
    bool indifferent = ts->value[i] <= ts->zero && fabs(c[i]) <= ignore;
    if (!indifferent && c[i] != 0) x = -c[i]/l;
    if (coefficient) coefficient[i] = x;
    sum += x*x;
  }
  return sqrt(sum);
}

/* the smallest shift that makes every direction with a force in it stiff */
static double least_shift(const tni_tangent_space *ts, double ignore) {
  double low = 0;
  for (int i = 0; i < tni_tangent_nvector(ts); i++)
    if (ts->value[i] <= ts->zero && fabs(tni_tangent_pull(ts, i)) > ignore)
      low = fmax(low, ts->zero - ts->value[i]);
  return low;
}

/* |delta| at a shift: dense by the eigenvalues, sparse by a factorization that leaves delta */
static tn_status length_at(tni_tangent_space *ts, double mu, double ignore, double *delta,
                           double *length) {
  if (!ts->sparse) {
    *length = shifted(ts, ts->a0, mu, ignore, NULL);
    return TN_OK;
  }
  double shift = mu;
  TN_TRY(tni_sparse_solve(ts, true, &shift, ts->residual, delta));
  *length = tni_tangent_length(ts, delta);
  return TN_OK;
}

tn_status tni_tangent_downhill(tni_tangent_space *ts, double radius, double ignore, double *delta,
                               bool *way) {
  int nd = ts->nd;
  double *c = ts->a0, length;
  for (int i = 0; i < nd && !ts->sparse; i++) c[i] = tni_tangent_pull(ts, i);
  double low = least_shift(ts, ignore), tiny = 1e-14*fmax(ts->kscale, ts->gnorm/radius);
  double mu = low > 0 ? low + tiny : 0;
  TN_TRY(length_at(ts, mu, ignore, delta, &length));
  if (length > radius) {
    /* bracket, then bisect in the logarithm: |y| falls with mu */
    double a = fmax(mu, tiny), b = fmax(a, ts->gnorm/radius) + low, exact = ts->sparse ? 0.1 : 1e-3;
    TN_TRY(length_at(ts, b, ignore, delta, &length));
    for (; length > radius; b *= 4) TN_TRY(length_at(ts, 4*b, ignore, delta, &length));
    for (int k = 0; k < 100 && b - a > exact*b; k++) {
      double x = a > low + tiny ? sqrt(a*b) : 0.5*(a + b);
      TN_TRY(length_at(ts, x, ignore, delta, &length));
      if (length > radius) a = x;
      else b = x;
    }
    mu = b;
  }
  if (ts->sparse) {
    TN_TRY(length_at(ts, mu, ignore, delta, &length));
  } else {
    double *coefficient = ts->rest;
    length = shifted(ts, c, mu, ignore, coefficient);
    memset(ts->y, 0, (size_t)nd*sizeof(double));
    for (int i = 0; i < nd; i++)
      cblas_daxpy(nd, coefficient[i], ts->vector + (size_t)i*(size_t)nd, 1, ts->y, 1);
    tni_tangent_expand(ts, ts->y, delta);
  }
  *way = length > 0;
  return TN_OK;
}

/* ---- the bordered system ------------------------------------------------------------------- */

static tn_status bordered_dense(tni_tangent_space *ts, const tni_path_border *o, double g_factor, double c,
                                double *delta, double *dt) {
  int nd = ts->nd, N = nd + 1, rank;
  double *A = ts->A, *b = ts->rest, q2 = 1/(o->Lq*o->Lq);
  for (int j = 0; j < nd; j++) {
    for (int i = 0; i < nd; i++) A[(size_t)j*(size_t)N + (size_t)i] = ts->H[i*nd + j];
    A[(size_t)j*(size_t)N + (size_t)nd] = q2*cblas_ddot(ts->n, ts->Z + (size_t)j*(size_t)ts->n, 1,
                                                        o->Wn, 1);
  }
  for (int i = 0; i < nd; i++) {
    A[(size_t)nd*(size_t)N + (size_t)i] = ts->g_t[i];
    b[i] = g_factor*ts->g[i];
  }
  b[nd] = c;
  A[(size_t)nd*(size_t)N + (size_t)nd] =
      o->nt/(o->Lt*o->Lt) + q2*cblas_ddot(ts->n, ts->move, 1, o->Wn, 1);
  /* in units in which no entry is larger than about 1, so that the rank means something */
  double hs = fmax(ts->kscale, DBL_MIN), *last = A + (size_t)nd*(size_t)N;
  double ct = 1/fmax(fmax(cblas_dnrm2(nd, ts->g_t, 1)/hs, o->Lq*fabs(last[nd])), DBL_MIN);
  for (int j = 0; j < nd; j++) {
    cblas_dscal(nd, 1/hs, A + (size_t)j*(size_t)N, 1);
    A[(size_t)j*(size_t)N + (size_t)nd] *= o->Lq;
  }
  cblas_dscal(nd, ct/hs, last, 1);
  last[nd] *= ct*o->Lq;
  cblas_dscal(nd, 1/hs, b, 1);
  b[nd] *= o->Lq;
  for (int i = 0; i < N; i++) ts->order[i] = 0;
  if (tni_gelsy(N, N, 1, A, N, b, N, ts->order, 10*N*DBL_EPSILON, &rank,
                          ts->work, ts->lwork) != 0)
    return TN_FAIL(ts->s->ctx, TN_NOT_CONVERGED, "the step along the path could not be computed");
  *dt = ct*b[nd];
  tni_tangent_expand(ts, b, delta);
  cblas_daxpy(ts->n, *dt, ts->move, 1, delta, 1);
  return TN_OK;
}

/* A y + b dt = f, row.y + d dt = c with A = K along the directions */
static tn_status bordered_sparse(tni_tangent_space *ts, const tni_path_border *o, double g_factor, double c,
                                 double *delta, double *dt) {
  const tni_sparse_space *sp = ts->sparse;
  int n = ts->n;
  double q2 = 1/(o->Lq*o->Lq), d = o->nt/(o->Lt*o->Lt) + q2*cblas_ddot(n, ts->move, 1, o->Wn, 1);
  double *w = ts->rest, *v = ts->y, *f = ts->a0, shift = 0;
  /* g = -residual along the directions */
  TN_TRY(tni_sparse_solve(ts, false, &shift, sp->rate, v));
  tni_sparse_solve_transposed(ts, o->Wn, w);
  cblas_dscal(n, q2, w, 1);
  double first = d - cblas_ddot(n, w, 1, sp->rate, 1), second = d - q2*cblas_ddot(n, o->Wn, 1, v, 1);
  if (first == 0 || second == 0)
    return TN_FAIL(ts->s->ctx, TN_NOT_CONVERGED, "the step along the path could not be computed");
  double t1 = (c + g_factor*cblas_ddot(n, w, 1, ts->residual, 1))/first;
  for (int i = 0; i < n; i++) f[i] = -g_factor*ts->residual[i] - t1*sp->rate[i];
  TN_TRY(tni_sparse_solve(ts, false, &shift, f, delta));
  double t2 = (c - d*t1 - q2*cblas_ddot(n, o->Wn, 1, delta, 1))/second;
  cblas_daxpy(n, -t2, v, 1, delta, 1);
  *dt = t1 + t2;
  cblas_daxpy(n, *dt, ts->move, 1, delta, 1);
  return TN_OK;
}

tn_status tni_tangent_bordered(tni_tangent_space *ts, const tni_path_border *border, double g_factor,
                               double c, double *delta, double *dt) {
  return ts->sparse ? bordered_sparse(ts, border, g_factor, c, delta, dt)
                    : bordered_dense(ts, border, g_factor, c, delta, dt);
}
