/* integrators/turn.c - rotations in local coordinates
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/turn.h"

#include <math.h>

#include "base/vec.h"

#define NEGLIGIBLE 1e-18 /* term of a series against its sum of order 1 */
enum { SERIES_MAX = 20 };

/* power series, which converge fast for all angles up to pi */
tni_turn tni_turn_at(const double x[3]) {
  double u = vec3_dot(x, x), term = 0.5;
  tni_turn c = {0.5, 1.0/6, 0, 0, 0};
  double a2 = 0; /* (a - 1/2)/|x|^2 */
  /* term = (-1)^k u^(k-1)/(2k+2)! */
  for (int k = 1; k < SERIES_MAX && fabs(term) > NEGLIGIBLE; k++) {
    term *= -(k == 1 ? 1 : u)/((2*k + 1)*(2*k + 2));
    a2 += term;
    c.a1 += 2*k*term;
    c.b += u*term/(2*k + 3);
    c.b1 += 2*k*term/(2*k + 3);
  }
  c.a += u*a2;
  c.k = (2*a2 + c.b)/(2*c.a);
  return c;
}

/* out = y + p x cross y + r x cross (x cross y) */
static void apply(const double x[3], double p, double r, const double y[3], double out[3]) {
  double c[3], cc[3];
  vec3_cross(c, x, y);
  vec3_cross(cc, x, c);
  for (int i = 0; i < 3; i++) out[i] = y[i] + p*c[i] + r*cc[i];
}

void tni_turn_rate(const tni_turn *c, const double x[3], const double xd[3], double w[3]) {
  apply(x, -c->a, c->b, xd, w);
}

void tni_turn_rate_t(const tni_turn *c, const double x[3], const double xd[3], double w[3]) {
  apply(x, c->a, c->b, xd, w);
}

void tni_turn_local_rate(const tni_turn *c, const double x[3], const double w[3], double xd[3]) {
  apply(x, 0.5, c->k, w, xd);
}

void tni_turn_local_accel(const tni_turn *c, const double x[3], const double xd[3],
                          const double wd[3], double xdd[3]) {
  double s = vec3_dot(x, xd), e[3], xe[3], de[3], b[3];
  vec3_cross(e, x, xd);
  vec3_cross(xe, x, e);
  vec3_cross(de, xd, e);
  for (int i = 0; i < 3; i++) b[i] = wd[i] + s*c->a1*e[i] - s*c->b1*xe[i] - c->b*de[i];
  apply(x, 0.5, c->k, b, xdd);
}
