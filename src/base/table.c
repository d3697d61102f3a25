/* base/table.c - piecewise polynomials through points
 *
 * All kinds end up as cubics in Hermite data: values y and slopes s at the points. They differ in
 * the slopes only.
 *   monotone  weighted harmonic mean of the neighbouring secants, 0 at an extremum
 *             (Fritsch, Butland, SIAM J. Sci. Stat. Comput. 5, 1984)
 *   natural   continuity of the second derivative, a tridiagonal system for s
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/table.h"

#include <math.h>

static tn_status check_points(tn_ctx *ctx, int n, const double *x, const double *y) {
  TN_REQUIRE(ctx, n >= 2, TN_ERR_INPUT, "a table of %d points; it needs at least 2", n);
  for (int k = 0; k < n; k++) {
    TN_REQUIRE(ctx, isfinite(x[k]) && isfinite(y[k]), TN_ERR_INPUT,
               "point %d of the table is (%g, %g); both must be finite numbers", k + 1, x[k], y[k]);
    TN_REQUIRE(ctx, k == 0 || x[k] > x[k-1], TN_ERR_INPUT,
               "x of the table must increase, but point %d has %g after %g", k + 1, x[k],
               k ? x[k-1] : 0.0);
  }
  return TN_OK;
}

/* one-sided slope at an end from the two nearest pieces, kept from overshooting */
static double monotone_end(double h0, double h1, double m0, double m1) {
  double s = ((2*h0 + h1)*m0 - h0*m1)/(h0 + h1);
  if (s*m0 <= 0) return 0;
  if (m0*m1 <= 0 && fabs(s) > 3*fabs(m0)) return 3*m0;
  return s;
}

static void monotone_slopes(int n, const double *x, const double *y, double *s) {
  for (int k = 1; k < n - 1; k++) {
    double h0 = x[k] - x[k-1], h1 = x[k+1] - x[k];
    double m0 = (y[k] - y[k-1])/h0, m1 = (y[k+1] - y[k])/h1;
    double w0 = 2*h1 + h0, w1 = h1 + 2*h0;
    s[k] = m0*m1 > 0 ? (w0 + w1)/(w0/m0 + w1/m1) : 0;
  }
  double h0 = x[1] - x[0], h1 = x[2] - x[1];
  s[0] = monotone_end(h0, h1, (y[1] - y[0])/h0, (y[2] - y[1])/h1);
  h0 = x[n-1] - x[n-2], h1 = x[n-2] - x[n-3];
  s[n-1] = monotone_end(h0, h1, (y[n-1] - y[n-2])/h0, (y[n-2] - y[n-3])/h1);
}

/* Row k of the C2 condition: s[k-1]/h0 + 2 s[k] (1/h0 + 1/h1) + s[k+1]/h1 = 3 (m0/h0 + m1/h1).
 * Diagonally dominant: elimination without pivoting is stable. work holds the upper factors. */
void tni_spline_natural(int n, const double *x, const double *y, double *slope, double *work) {
  double below = 0, m0 = 0; /* 1/h and secant of the piece to the left; none at the first point */
  for (int k = 0; k < n; k++) {
    double above = k < n - 1 ? 1/(x[k+1] - x[k]) : 0;
    double m1 = k < n - 1 ? (y[k+1] - y[k])*above : 0;
    double pivot = 2*(below + above), right = 3*(m0*below + m1*above);
    if (k > 0) {
      pivot -= below*work[k-1];
      right -= below*slope[k-1];
    }
    work[k] = above/pivot;
    slope[k] = right/pivot;
    below = above, m0 = m1;
  }
  for (int k = n - 2; k >= 0; k--) slope[k] -= work[k]*slope[k+1];
}

/* The same rows with neighbours taken around the period. The corners, both b = 1/h of the last
 * piece, are the rank-one term u v^T with u = (-d, 0, ..., 0, b), v = (1, 0, ..., 0, -b/d), d the
 * first diagonal entry; solve for the right side and for u, then combine (Sherman, Morrison). */
void tni_spline_periodic(int n, const double *x, const double *y, double *slope, double *work) {
  double *upper = work, *z = work + n;
  double b = 1/(x[n] - x[n-1]), d = 2*(b + 1/(x[1] - x[0]));
  double below = b, m0 = (y[0] - y[n-1])*b;
  for (int k = 0; k < n; k++) {
    double above = 1/(x[k+1] - x[k]), m1 = (y[k < n - 1 ? k + 1 : 0] - y[k])*above;
    double pivot = 2*(below + above), right = 3*(m0*below + m1*above), u = 0;
    if (k == 0) pivot += d, u = -d;
    if (k == n - 1) pivot += b*b/d, u = b;
    if (k > 0) {
      pivot -= below*upper[k-1];
      right -= below*slope[k-1];
      u -= below*z[k-1];
    }
    upper[k] = above/pivot;
    slope[k] = right/pivot;
    z[k] = u/pivot;
    below = above, m0 = m1;
  }
  for (int k = n - 2; k >= 0; k--) {
    slope[k] -= upper[k]*slope[k+1];
    z[k] -= upper[k]*z[k+1];
  }
  double f = (slope[0] - slope[n-1]*b/d)/(1 + z[0] - z[n-1]*b/d);
  for (int k = 0; k < n; k++) slope[k] -= f*z[k];
}

void tni_hermite(double c[4], double h, double y0, double y1, double s0, double s1) {
  double m = (y1 - y0)/h;
  c[0] = y0;
  c[1] = s0;
  c[2] = (3*m - 2*s0 - s1)/h;
  c[3] = (s0 + s1 - 2*m)/(h*h);
}

static double piece_integral(const double c[4], double d) {
  return d*(c[0] + d*(c[1]/2 + d*(c[2]/3 + d*c[3]/4)));
}

tn_status tni_table_create(tni_arena *arena, tni_table_kind kind, tni_table_extend extend, int n,
                           const double *x, const double *y, const tni_table **out) {
  *out = NULL;
  TN_TRY(check_points(arena->ctx, n, x, y));
  tni_table *t;
  double *xs, *c, *sum, *slope;
  TNI_ARENA_NEW(arena, t, 1);
  TNI_ARENA_NEW(arena, xs, n);
  TNI_ARENA_NEW(arena, c, 4*(n - 1));
  TNI_ARENA_NEW(arena, sum, n);
  memcpy(xs, x, (size_t)n*sizeof(double));
  slope = tni_doubles(arena->ctx, 2*(size_t)n);
  if (!slope) return tni_out_of_memory(arena->ctx);
  bool cubic = kind != TNI_TABLE_LINEAR && n > 2;
  if (cubic && kind == TNI_TABLE_MONOTONE) monotone_slopes(n, x, y, slope);
  if (cubic && kind == TNI_TABLE_NATURAL) tni_spline_natural(n, x, y, slope, slope + n);
  for (int k = 0; k < n - 1; k++) {
    double *ck = c + 4*k, h = x[k+1] - x[k];
    if (cubic) {
      tni_hermite(ck, h, y[k], y[k+1], slope[k], slope[k+1]);
    } else {
      ck[0] = y[k], ck[1] = (y[k+1] - y[k])/h;
    }
    sum[k+1] = sum[k] + piece_integral(ck, h);
  }
  t->end[0][0] = y[0];
  t->end[1][0] = y[n-1];
  if (extend == TNI_EXTEND_LINEAR) {
    t->end[0][1] = c[1];
    t->end[1][1] = cubic ? slope[n-1] : c[4*(n-2)+1];
  }
  tni_free(arena->ctx, slope);
  t->n = n, t->x = xs, t->c = c, t->sum = sum;
  *out = t;
  return TN_OK;
}

static int find_piece(const tni_table *t, double x) {
  int low = 0, high = t->n - 1;
  while (high - low > 1) {
    int mid = (low + high)/2;
    if (x >= t->x[mid])
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* -1 left of the table, +1 right of it, 0 inside */
static int side_of(const tni_table *t, double x) {
  return x < t->x[0] ? -1 : (x > t->x[t->n-1] ? 1 : 0);
}

double tni_table_eval(const tni_table *t, double x, int order) {
  int side = side_of(t, x);
  if (side) {
    const double *end = t->end[side > 0];
    double d = x - t->x[side > 0 ? t->n - 1 : 0];
    return order == 0 ? end[0] + end[1]*d : (order == 1 ? end[1] : 0);
  }
  int k = find_piece(t, x);
  const double *c = t->c + 4*k;
  double d = x - t->x[k];
  switch (order) {
    case 0: return c[0] + d*(c[1] + d*(c[2] + d*c[3]));
    case 1: return c[1] + d*(2*c[2] + d*3*c[3]);
    case 2: return 2*c[2] + d*6*c[3];
    case 3: return 6*c[3];
  }
  return 0;
}

double tni_table_integral(const tni_table *t, double x) {
  int side = side_of(t, x);
  if (side) {
    const double *end = t->end[side > 0];
    int k = side > 0 ? t->n - 1 : 0;
    double d = x - t->x[k];
    return t->sum[k] + d*(end[0] + 0.5*end[1]*d);
  }
  int k = find_piece(t, x);
  return t->sum[k] + piece_integral(t->c + 4*k, x - t->x[k]);
}
