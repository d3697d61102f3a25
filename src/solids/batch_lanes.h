/* solids/batch_lanes.h - hex8 with one point in its eight functions (batch.c says how), LANES elements side by side
 *
 * For files that define LANES before: four numbers to a register, or eight.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_BATCH_LANES_H
#define TNI_SOLID_BATCH_LANES_H

#include "linsolve/pair.h"
#include "materials/list.h"
#include "solids/batch.h"

enum { MODES = 8 };
typedef double lanes __attribute__((vector_size(8*LANES), may_alias));

/* values at the nodes of the elements <-> coefficients of the functions */
#define BUTTERFLY(lo, hi, sum, dif) ((sum) = (lo) + (hi), (dif) = (hi) - (lo))

ALWAYS_INLINE void to_modes(const lanes n[MODES], lanes c[MODES]) {
  lanes s0, d0, s1, d1, s2, d2, s3, d3, p0, p1, p2, p3, q0, q1, q2, q3;
  BUTTERFLY(n[0], n[1], s0, d0);
  BUTTERFLY(n[3], n[2], s1, d1);
  BUTTERFLY(n[4], n[5], s2, d2);
  BUTTERFLY(n[7], n[6], s3, d3);
  BUTTERFLY(s0, s1, p0, p1); /* lower face: 1, eta */
  BUTTERFLY(d0, d1, p2, p3); /* xi, xi eta         */
  BUTTERFLY(s2, s3, q0, q1);
  BUTTERFLY(d2, d3, q2, q3);
  BUTTERFLY(p0, q0, c[0], c[3]);
  BUTTERFLY(p1, q1, c[2], c[5]);
  BUTTERFLY(p2, q2, c[1], c[6]);
  BUTTERFLY(p3, q3, c[4], c[7]);
  for (int k = 0; k < MODES; k++) c[k] *= 0.125;
}

/* values at the nodes of sum c_k phi_k, c_0 = 0 */
ALWAYS_INLINE void to_nodes(const lanes c[MODES], lanes n[MODES]) {
  lanes p0 = -c[3], q0 = c[3], p1, q1, p2, q2, p3, q3, s0, s1, s2, s3, d0, d1, d2, d3;
  BUTTERFLY(c[5], c[2], q1, p1); /* eta on the upper and on the lower face */
  BUTTERFLY(c[6], c[1], q2, p2);
  BUTTERFLY(c[7], c[4], q3, p3);
  BUTTERFLY(p1, p0, s1, s0); /* at eta = 1: 1 + eta; at -1: 1 - eta */
  BUTTERFLY(p3, p2, d1, d0);
  BUTTERFLY(q1, q0, s3, s2);
  BUTTERFLY(q3, q2, d3, d2);
  BUTTERFLY(d0, s0, n[1], n[0]);
  BUTTERFLY(d1, s1, n[2], n[3]);
  BUTTERFLY(d2, s2, n[5], n[4]);
  BUTTERFLY(d3, s3, n[6], n[7]);
}

/* o = or += s (a x b) */
#define CROSS(o, op, s, a, b)                                                                      \
  ((o)[0] op (s)*((a)[1]*(b)[2] - (a)[2]*(b)[1]), (o)[1] op (s)*((a)[2]*(b)[0] - (a)[0]*(b)[2]),  \
   (o)[2] op (s)*((a)[0]*(b)[1] - (a)[1]*(b)[0]))
#define DOT(a, b) ((a)[0]*(b)[0] + (a)[1]*(b)[1] + (a)[2]*(b)[2])

/* nodal values, component by component */
typedef struct {
  lanes v[3][MODES];
} nodal;

/* their coefficients [MODES][3] */
ALWAYS_INLINE void modes_of(const nodal *n, lanes c[MODES][3]) {
  for (int i = 0; i < 3; i++) {
    lanes t[MODES];
    to_modes(n->v[i], t);
    for (int k = 0; k < MODES; k++) c[k][i] = t[k];
  }
}

/* g [k][3], k = 1..6, and V/8 */
ALWAYS_INLINE void gradients(const lanes c[MODES][3], lanes g[MODES][3], lanes *V8) {
  const double third = 1.0/3;
  CROSS(g[1], =, third, c[4], c[6]);
  CROSS(g[2], =, third, c[5], c[4]);
  CROSS(g[3], =, third, c[6], c[5]);
  CROSS(g[1], +=, 1.0, c[2], c[3]);
  CROSS(g[2], +=, 1.0, c[3], c[1]);
  CROSS(g[3], +=, 1.0, c[1], c[2]);
  CROSS(g[4], =, third, c[6], c[1]);
  CROSS(g[4], +=, third, c[2], c[5]);
  CROSS(g[5], =, third, c[4], c[2]);
  CROSS(g[5], +=, third, c[3], c[6]);
  CROSS(g[6], =, third, c[1], c[4]);
  CROSS(g[6], +=, third, c[5], c[3]);
  *V8 = third*(DOT(c[1], g[1]) + DOT(c[2], g[2]) + DOT(c[3], g[3]) + DOT(c[4], g[4]) + DOT(c[5], g[5]) +
               DOT(c[6], g[6])); /* homogeneous of degree three */
}

/* P [3][3] and energy per volume at H */
ALWAYS_INLINE void linear_stress(double lambda, double mu, lanes H[3][3], lanes P[3][3], lanes *energy) {
  lanes p = lambda*(H[0][0] + H[1][1] + H[2][2]);
  for (int i = 0; i < 3; i++) P[i][i] = p + 2*mu*H[i][i];
  P[0][1] = P[1][0] = mu*(H[0][1] + H[1][0]);
  P[1][2] = P[2][1] = mu*(H[1][2] + H[2][1]);
  P[2][0] = P[0][2] = mu*(H[2][0] + H[0][2]);
  *energy = 0.5*(P[0][0]*H[0][0] + P[1][1]*H[1][1] + P[2][2]*H[2][2] + P[0][1]*(H[0][1] + H[1][0]) +
                 P[1][2]*(H[1][2] + H[2][1]) + P[2][0]*(H[2][0] + H[0][2]));
}

typedef struct {
  double lambda, mu, shear; /* shear: times the share that holds hourglasses */
} moduli;

/* of the point at rest; those of elastic materials stand where they were read */
static inline moduli moduli_of(const tni_solid_kind *kind, bool linear) {
  double C[36], kappa = kind->hourglass > 0 ? kind->hourglass : 0.01;
  if (linear) tni_isotropic_stiffness(kind->matter->data, C);
  else tni_matter_stiffness(kind->matter, NULL, C);
  return (moduli){C[1], C[21], kappa*((C[21] + C[28] + C[35])/3)};
}

/* mean gradient of u */
ALWAYS_INLINE void mean_gradient(lanes d[MODES][3], lanes g[MODES][3], lanes inv, lanes H[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[i][j] = inv*(d[1][i]*g[1][j] + d[2][i]*g[2][j] + d[3][i]*g[3][j] + d[4][i]*g[4][j] + d[5][i]*g[5][j] + d[6][i]*g[6][j]);
}

/* kappa mu V b:b, V b:b = sum |g|^2/(V/8) */
ALWAYS_INLINE void against_hourglasses(double shear, lanes g[MODES][3], lanes inv, lanes *stiff) {
  lanes bb = (lanes){0};
  for (int k = 1; k < 7; k++) bb += DOT(g[k], g[k]);
  *stiff = shear*bb*inv;
}

/* Forces t [3][node] of stresses P and of hourglasses held by `push`; q2: sum of (q_m/8)^2. The linear part of gamma goes with the
 * stress, P is changed by it. */
ALWAYS_INLINE void nodal_forces(lanes c[MODES][3], lanes d[MODES][3], lanes g[MODES][3], lanes inv, lanes H[3][3], lanes push,
                                lanes P[3][3], lanes t[3][MODES], lanes *q2) {
  lanes Q[3][3], r[MODES][3], sum = (lanes){0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Q[i][j] = (lanes){0};
  for (int m = 4; m < MODES; m++)
    for (int i = 0; i < 3; i++) {
      lanes q = d[m][i] - (H[i][0]*c[m][0] + H[i][1]*c[m][1] + H[i][2]*c[m][2]);
      sum += q*q;
      q *= 8*push;
      r[m][i] = q;
      for (int j = 0; j < 3; j++) Q[i][j] += q*c[m][j];
    }
  *q2 = sum;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P[i][j] -= inv*Q[i][j];
  for (int i = 0; i < 3; i++) {
    lanes F[MODES], n[MODES];
    for (int k = 1; k < 7; k++) F[k] = P[i][0]*g[k][0] + P[i][1]*g[k][1] + P[i][2]*g[k][2];
    for (int m = 4; m < 7; m++) F[m] += r[m][i];
    F[7] = r[7][i];
    to_nodes(F, n);
    for (int a = 0; a < MODES; a++) t[i][a] = n[a];
  }
}

/* linear elements: forces t at the nodes, and V/8 */
ALWAYS_INLINE void linear_forces(const moduli *of, const nodal *place, const nodal *moved, lanes t[3][MODES], lanes *V8) {
  lanes c[MODES][3], d[MODES][3], g[MODES][3], H[3][3], P[3][3], energy, q2, push;
  modes_of(place, c);
  gradients((const lanes(*)[3])c, g, V8);
  lanes inv = 1/ *V8;
  against_hourglasses(of->shear, g, inv, &push);
  modes_of(moved, d);
  mean_gradient(d, g, inv, H);
  linear_stress(of->lambda, of->mu, H, P, &energy);
  nodal_forces(c, d, g, inv, H, push, P, t, &q2);
}

#endif
