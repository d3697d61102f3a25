/* coefficients of sdirk against the order conditions of all rooted trees
 *
 * The file has alpha = (A - gamma) A^-1; A = gamma (1 - alpha)^-1 is made of it here. The error
 * combines increments z = h A W and the derivative at the beginning, which is a stage of its own with c = 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define tni_integrator_sdirk tested_sdirk
#include "../src/integrators/sdirk.c"

#include "unit/integrators/trees.h"

/* stage 0: the beginning of the step; then those of the formula */
static square unpack(void) {
  square s = {.n = STAGES + 1};
  for (int i = 0; i < STAGES; i++) {
    s.c[i+1] = c[i];
    s.a[i+1][i+1] = GAMMA;
    for (int j = 0; j < i; j++) {
      for (int k = 0; k <= j; k++) s.a[i+1][k+1] += alpha[i][j]*s.a[j+1][k+1];
    }
  }
  return s;
}

static void the_formula_has_order_four(void) {
  square s = unpack();
  nodes_are_row_sums(&s);
  has_order(&s, s.a[STAGES], 4); /* the last stage ends the step */
}

static void the_embedded_formula_has_order_three(void) {
  square s = unpack();
  double w[MAX_STAGES] = {-dbar0};
  for (int j = 1; j <= STAGES; j++) {
    w[j] = s.a[STAGES][j];
    for (int i = 0; i < STAGES; i++) w[j] -= dbar[i]*s.a[i+1][j];
  }
  has_order(&s, w, 3);
}

/* a motion of constant speed is guessed exactly */
static void guesses_are_consistent(void) {
  for (int i = 1; i < STAGES; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += guess[i][j]*c[j];
    CHECK_NEAR(sum, c[i], 1e-13);
  }
}

int main(void) {
  RUN(the_formula_has_order_four);
  RUN(the_embedded_formula_has_order_three);
  RUN(guesses_are_consistent);
  return REPORT();
}
