/* solids/small.c - small dense matrices of an element: Cholesky, the largest eigenvalue
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "solids/core.h"

bool tni_cholesky(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double d = A[j*n + j];
    for (int k = 0; k < j; k++) d -= A[j*n + k]*A[j*n + k];
    if (!(d > 0)) return false;
    d = sqrt(d);
    A[j*n + j] = d;
    for (int i = j + 1; i < n; i++) {
      double s = A[i*n + j];
      for (int k = 0; k < j; k++) s -= A[i*n + k]*A[j*n + k];
      A[i*n + j] = s/d;
    }
  }
  return true;
}

void tni_cholesky_solve(int n, const double *A, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= A[i*n + k]*x[k];
    x[i] /= A[i*n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[k*n + i]*x[k];
    x[i] /= A[i*n + i];
  }
}

/* Householder's reduction to three diagonals: d [n], the squares of the others e2 [n - 1] */
static void tridiagonal(int n, double *A, double *d, double *e2) {
  for (int k = 0; k < n - 2; k++) {
    /* reflect column k below the diagonal onto its first number */
    double v[60], p[60], alpha = 0;
    for (int i = k + 1; i < n; i++) alpha += A[i*n + k]*A[i*n + k];
    e2[k] = alpha;
    d[k] = A[k*n + k];
    alpha = A[(k + 1)*n + k] > 0 ? -sqrt(alpha) : sqrt(alpha);
    double vv = 0, pv = 0;
    for (int i = k + 1; i < n; i++) {
      v[i] = A[i*n + k] - (i == k + 1 ? alpha : 0);
      vv += v[i]*v[i];
    }
    if (vv == 0) continue;
    for (int i = k + 1; i < n; i++) {
      p[i] = 0;
      for (int j = k + 1; j < n; j++) p[i] += A[i*n + j]*v[j];
      p[i] *= 2/vv;
      pv += p[i]*v[i];
    }
    for (int i = k + 1; i < n; i++) p[i] -= pv/vv*v[i];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i*n + j] -= v[i]*p[j] + p[i]*v[j];
  }
  d[n - 1] = A[n*n - 1];
  if (n > 1) {
    d[n - 2] = A[(n - 2)*n + n - 2];
    e2[n - 2] = A[(n - 1)*n + n - 2]*A[(n - 1)*n + n - 2];
  }
}

/* is some eigenvalue above x? */
static bool above(int n, const double *d, const double *e2, double x) {
  double q = 1;
  for (int i = 0; i < n; i++) {
    q = d[i] - x - (i ? e2[i - 1]/q : 0);
    if (q > 0) return true;
    if (q == 0) q = -1e-300;
  }
  return false;
}

double tni_largest_eigenvalue(int n, double *A) {
  double d[60], e2[60], low = -HUGE_VAL, high = -HUGE_VAL;
  tridiagonal(n, A, d, e2);
  for (int i = 0; i < n; i++) {
    double r = (i ? sqrt(e2[i - 1]) : 0) + (i < n - 1 ? sqrt(e2[i]) : 0);
    low = fmax(low, d[i]);
    high = fmax(high, d[i] + r);
  }
  /* the upper end stays an upper bound */
  for (int it = 0; it < 200 && high - low > 4e-15*fabs(high); it++) {
    double x = low + (high - low)/2;
    if (x <= low || x >= high) break;
    if (above(n, d, e2, x)) low = x; else high = x;
  }
  return high;
}
