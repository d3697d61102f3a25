/* coefficients of radau: order conditions of all rooted trees, error estimate, eigenvectors
 * SPDX-License-Identifier: BSD-3-Clause */
#define tni_integrator_radau tested_radau
#include "../src/integrators/radau.c"

#include <complex.h>

#include "unit/integrators/trees.h"

/* stage 0: the beginning of the step, which only the error uses */
static square unpack(void) {
  square s = {.n = STAGES + 1};
  for (int i = 0; i < STAGES; i++) {
    s.c[i+1] = c[i];
    for (int j = 0; j < STAGES; j++) s.a[i+1][j+1] = a[i][j];
  }
  return s;
}

static void the_formula_has_order_five(void) {
  square s = unpack();
  nodes_are_row_sums(&s);
  has_order(&s, s.a[STAGES], 5);
}

/* gamma h f(y_0) + gamma sum of error_weight_i z_i is the difference to a formula of order 3 */
static void the_embedded_formula_has_order_three(void) {
  square s = unpack();
  double w[MAX_STAGES] = {GAMMA};
  for (int j = 1; j <= STAGES; j++) {
    w[j] = s.a[STAGES][j];
    for (int i = 0; i < STAGES; i++) w[j] += GAMMA*error_weight[i]*s.a[i+1][j];
  }
  has_order(&s, w, 3);
}

/* a R = R diag(gamma, alpha + i beta, alpha - i beta), L R = 1 */
static void eigenvectors_diagonalize(void) {
  double complex R[STAGES][STAGES], L[STAGES][STAGES];
  const double complex value[STAGES] = {GAMMA, ALPHA + BETA*I, ALPHA - BETA*I};
  for (int i = 0; i < STAGES; i++) {
    R[i][0] = right[i], L[0][i] = left[i];
    R[i][1] = right_z[i][0] + right_z[i][1]*I, R[i][2] = conj(R[i][1]);
    L[1][i] = left_z[i][0] + left_z[i][1]*I, L[2][i] = conj(L[1][i]);
  }
  for (int i = 0; i < STAGES; i++) {
    for (int k = 0; k < STAGES; k++) {
      double complex aR = 0, LR = 0;
      for (int j = 0; j < STAGES; j++) aR += a[i][j]*R[j][k], LR += L[i][j]*R[j][k];
      CHECK_WITHIN(cabs(aR - value[k]*R[i][k]), 0, 1e-15);
      CHECK_WITHIN(cabs(LR - (i == k)), 0, 1e-14);
    }
  }
}

int main(void) {
  RUN(the_formula_has_order_five);
  RUN(the_embedded_formula_has_order_three);
  RUN(eigenvectors_diagonalize);
  return REPORT();
}
