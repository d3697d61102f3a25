/* tests/unit/integrators/trees.h - order conditions of Runge-Kutta formulas by all rooted trees
 *
 * A formula has order p when sum_i b_i phi_i(tree) = 1/gamma(tree) for every tree with at most p
 * nodes (Butcher); dense output has order p when the same sum with b_i(theta) is
 * theta^n/gamma for all theta.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TN_TREES_H
#define TN_TREES_H

#include "support/check.h"

enum { MAX_NODES = 9, MAX_STAGES = 16 };

/* coefficients as a square matrix; explicit, implicit or diagonally implicit */
typedef struct {
  int n;
  double a[MAX_STAGES][MAX_STAGES], c[MAX_STAGES];
} square;

/* Rooted trees as canonical level sequences (Beyer, Hedetniemi): level[0] = 0 is the root. The
 * first is the tall tree; false after the last. */
static inline bool next_tree(int *level, int n) {
  int p = n - 1;
  while (p > 0 && level[p] <= 1) p--;
  if (p <= 0) return false;
  int parent = p - 1;
  while (level[parent] != level[p] - 1) parent--;
  for (int i = p; i < n; i++) level[i] = level[i-(p-parent)];
  return true;
}

/* phi of the subtree whose root is at `at`; returns its number of nodes, multiplies gamma */
static inline int weights(const square *s, const int *level, int n, int at, double *phi, double *gamma) {
  int size = 1, child = at + 1;
  for (int i = 0; i < s->n; i++) phi[i] = 1;
  while (child < n && level[child] > level[at]) {
    double sub[MAX_STAGES];
    int nodes = weights(s, level, n, child, sub, gamma);
    for (int i = 0; i < s->n; i++) {
      double sum = 0;
      for (int j = 0; j < s->n; j++) sum += s->a[i][j]*sub[j];
      phi[i] *= sum;
    }
    child += nodes;
    size += nodes;
  }
  *gamma *= size;
  return size;
}

/* largest violation of the conditions with n nodes by weights w, right-hand sides times factor;
 * *ntree counts them */
static inline double violation(const square *s, const double *w, int n, double factor, int *ntree) {
  int level[MAX_NODES];
  double worst = 0;
  *ntree = 0;
  for (int i = 0; i < n; i++) level[i] = i;
  do {
    double phi[MAX_STAGES], gamma = 1, sum = 0;
    weights(s, level, n, 0, phi, &gamma);
    for (int i = 0; i < s->n; i++) sum += w[i]*phi[i];
    worst = fmax(worst, fabs(sum - factor/gamma));
    ++*ntree;
  } while (next_tree(level, n));
  return worst;
}

static inline void nodes_are_row_sums(const square *s) {
  for (int i = 0; i < s->n; i++) {
    double sum = 0;
    for (int j = 0; j < s->n; j++) sum += s->a[i][j];
    CHECK_WITHIN(sum, s->c[i], 1e-13);
  }
}

/* order p and not p+1 */
static inline void has_order(const square *s, const double *w, int p) {
  int ntree;
  for (int n = 1; n <= p; n++) CHECK_NEAR(violation(s, w, n, 1, &ntree), 0, 1e-13);
  if (p < MAX_NODES) CHECK(violation(s, w, p + 1, 1, &ntree) > 1e-6);
}

#endif
