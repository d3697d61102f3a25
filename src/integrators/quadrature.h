/* integrators/quadrature.h - work done, from its rates at the ends of steps
 *
 * Rates z' at the ends of the last steps are interpolated by a cubic polynomial, which is integrated
 * over the step: no evaluation is spent, the error is of order h^4. A first step has no past: its method
 * gives the rates in its middle, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_QUADRATURE_H
#define TNI_QUADRATURE_H

#include "integrators/integrator.h"

enum { TNI_QUADRATURE_POINTS = 3 };

/* plain numbers: saved and loaded as they are */
typedef struct tni_quadrature {
  double n; /* points known */
  double t[TNI_QUADRATURE_POINTS], rate[TNI_QUADRATURE_POINTS][TNI_NZ]; /* latest first */
} tni_quadrature;
enum { TNI_QUADRATURE_NUMBERS = sizeof(tni_quadrature)/sizeof(double) };

void tni_quadrature_push(tni_quadrature *w, double t, const double *rate);
/* z at t in (t0, t1] from z0 at t0, with the rate at t1 and those of the points pushed */
void tni_quadrature_integrate(const tni_quadrature *w, double t0, double t1, const double *rate1,
                              const double *z0, double t, double *z);

#endif
