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

/* The estimate sees all four terms of order 4, each by what an exact one would be: none is less than a sixth of another, and
 * motions that differ in which of them is large are not judged by other measures. */
static void the_estimate_sees_every_term(void) {
  square s = unpack();
  double w[MAX_STAGES] = {e0}, sum[4] = {0}, least = HUGE_VAL, most = 0;
  for (int j = 0; j < STAGES; j++) w[j+1] = e[j];
  for (int i = 0; i < s.n; i++) {
    double ac = 0, ac2 = 0, aac = 0;
    for (int j = 0; j < s.n; j++) {
      double inner = 0;
      for (int k = 0; k < s.n; k++) inner += s.a[j][k]*s.c[k];
      ac += s.a[i][j]*s.c[j];
      ac2 += s.a[i][j]*s.c[j]*s.c[j];
      aac += s.a[i][j]*inner;
    }
    sum[0] += 4*w[i]*pow(s.c[i], 3);
    sum[1] += 8*w[i]*s.c[i]*ac;
    sum[2] += 12*w[i]*ac2;
    sum[3] += 24*w[i]*aac;
  }
  for (int k = 0; k < 4; k++) {
    least = fmin(least, fabs(sum[k]));
    most = fmax(most, fabs(sum[k]));
  }
  CHECK(least > most/6);
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
  RUN(the_estimate_sees_every_term);
  RUN(guesses_are_polynomials);
  return REPORT();
}
