/* coefficients of infl_sdirk against the order conditions of all rooted trees
 * SPDX-License-Identifier: BSD-3-Clause */
#define tni_integrator_infl_sdirk tested_infl_sdirk
#include "../src/integrators/infl_sdirk.c"

#include "unit/integrators/trees.h"

/* stage 0: the beginning of the step, which only the error uses */
static square unpack(void) {
  square s = {.n = STAGES + 1};
  for (int i = 0; i < STAGES; i++) {
    s.c[i+1] = c[i];
    for (int j = 0; j <= i; j++) s.a[i+1][j+1] = a[i][j];
  }
  return s;
}

static void the_formula_has_order_four(void) {
  square s = unpack();
  nodes_are_row_sums(&s);
  has_order(&s, s.a[STAGES], 4);
}

static void the_embedded_formula_has_order_three(void) {
  square s = unpack();
  double w[MAX_STAGES] = {-e0};
  for (int j = 0; j < STAGES; j++) w[j+1] = s.a[STAGES][j+1] - e[j];
  has_order(&s, w, 3);
}

/* accelerations that are polynomials of these degrees are guessed exactly */
static void guesses_are_polynomials(void) {
  static const int degree[STAGES] = {0, 0, 1, 2, 1};
  for (int i = 1; i < STAGES; i++) {
    for (int n = 0; n <= degree[i]; n++) {
      double sum = 0;
      for (int j = 0; j < i; j++) sum += guess[i][j]*pow(c[j], n);
      CHECK_NEAR(sum, pow(c[i], n), 1e-13);
    }
  }
}

int main(void) {
  RUN(the_formula_has_order_four);
  RUN(the_embedded_formula_has_order_three);
  RUN(guesses_are_polynomials);
  return REPORT();
}
