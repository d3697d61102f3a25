/* tests/support/reference_ode.h - solutions of small ordinary differential equations to 1e-16
 *
 * Extrapolated midpoint rule (Gragg, Bulirsch, Stoer) with fixed steps and a fixed number of
 * columns in extended precision: order 2 K in plain C, for references that share nothing with the
 * library. reference_solve returns the difference from half the number of steps, to be checked.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_REFERENCE_ODE_H
#define TN_REFERENCE_ODE_H

#include <math.h>
#include <string.h>

enum { REFERENCE_MAX = 16, REFERENCE_COLUMNS = 8 };

typedef void (*reference_rhs)(long double t, const long double *y, long double *f, const void *user);

/* n midpoint steps over h from y, smoothed */
static inline void reference_midpoint(reference_rhs rhs, const void *user, int size, long double t,
                                      const long double *y, long double h, int n,
                                      long double *out) {
  long double a[REFERENCE_MAX], b[REFERENCE_MAX], f[REFERENCE_MAX], d = h/n;
  memcpy(a, y, sizeof(*a)*(size_t)size);
  rhs(t, a, f, user);
  for (int i = 0; i < size; i++) b[i] = a[i] + d*f[i];
  for (int k = 1; k < n; k++) {
    rhs(t + k*d, b, f, user);
    for (int i = 0; i < size; i++) {
      long double next = a[i] + 2*d*f[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  rhs(t + h, b, f, user);
  for (int i = 0; i < size; i++) out[i] = (a[i] + b[i] + d*f[i])/2;
}

static inline void reference_run(reference_rhs rhs, const void *user, int size, double t0, double t1,
                                 int steps, long double *y) {
  long double T[REFERENCE_COLUMNS][REFERENCE_MAX], h = ((long double)t1 - t0)/steps;
  for (int k = 0; k < steps; k++) {
    for (int c = 0; c < REFERENCE_COLUMNS; c++)
      reference_midpoint(rhs, user, size, t0 + k*h, y, h, 2*(c + 1), T[c]);
    for (int j = 1; j < REFERENCE_COLUMNS; j++)
      for (int c = REFERENCE_COLUMNS - 1; c >= j; c--) {
        long double ratio = (long double)(c + 1)/(c + 1 - j);
        for (int i = 0; i < size; i++) T[c][i] += (T[c][i] - T[c-1][i])/(ratio*ratio - 1);
      }
    memcpy(y, T[REFERENCE_COLUMNS-1], sizeof(*y)*(size_t)size);
  }
}

/* y at t1 from y at t0, in place */
static inline double reference_solve(reference_rhs rhs, const void *user, int size, double t0,
                                     double t1, int steps, double *y) {
  long double fine[REFERENCE_MAX], coarse[REFERENCE_MAX];
  double worst = 0;
  for (int i = 0; i < size; i++) fine[i] = coarse[i] = y[i];
  reference_run(rhs, user, size, t0, t1, steps, fine);
  reference_run(rhs, user, size, t0, t1, steps/2, coarse);
  for (int i = 0; i < size; i++) {
    y[i] = (double)fine[i];
    worst = fmax(worst, (double)fabsl(fine[i] - coarse[i]));
  }
  return worst;
}

#endif
