/* coefficients of the explicit Runge-Kutta methods against the order conditions of all rooted trees
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/runge_kutta.h"
#include "unit/integrators/trees.h"

#include <complex.h>
#undef I /* a name in headers of the library */

static const double PI = 3.14159265358979323846;

/* stages, the derivative at the end, extra stages */
static square unpack(const tni_rk_table *t) {
  square s = {.n = t->nstage + 1 + t->nextra};
  const double *a = t->a, *ax = t->ax;
  for (int i = 1; i < t->nstage; i++) {
    for (int j = 0; j < i; j++) s.a[i][j] = *a++;
  }
  for (int j = 0; j < t->nstage; j++) {
    s.c[j] = t->c[j];
    s.a[t->nstage][j] = t->b[j];
  }
  s.c[t->nstage] = 1;
  for (int i = t->nstage + 1; i < s.n; i++) {
    s.c[i] = t->cx[i-t->nstage-1];
    for (int j = 0; j < i; j++) s.a[i][j] = *ax++;
  }
  return s;
}

/* the number of rooted trees is known, so no condition is forgotten */
static void trees_are_all_there(void) {
  static const int count[MAX_NODES] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  square s = unpack(&tni_rk4_table);
  double w[MAX_STAGES] = {0};
  for (int n = 1; n <= MAX_NODES; n++) {
    int ntree;
    violation(&s, w, n, 1, &ntree);
    CHECK_INT(ntree, count[n-1]);
  }
}

static void advancing(const tni_rk_table *t) {
  square s = unpack(t);
  double w[MAX_STAGES] = {0};
  memcpy(w, t->b, (size_t)t->nstage*sizeof(double));
  has_order(&s, w, t->order);
}

/* b - e is a formula of the lower order */
static void embedded(const tni_rk_table *t, const double *e, int order) {
  square s = unpack(t);
  double w[MAX_STAGES] = {0};
  for (int i = 0; i <= t->nstage; i++) w[i] = (i < t->nstage ? t->b[i] : 0) - e[i];
  has_order(&s, w, order);
}

/* weights of dense output at theta, from the same construction as the head of runge_kutta.c */
static void dense_weights(const tni_rk_table *t, double theta, double *w) {
  int n = t->nstage + 1 + t->nextra;
  double x = theta, y = 1 - theta;
  for (int i = 0; i < n; i++) {
    double b = i < t->nstage ? t->b[i] : 0;
    w[i] = x*x*(3 - 2*x)*b + (i == 0)*x*y*y - (i == t->nstage)*x*x*y;
    double shape = x*x*y*y;
    for (int k = 0; k < t->ndense; k++) {
      w[i] += shape*t->d[k*n+i];
      shape *= k % 2 ? y : x;
    }
  }
}

static void dense_has_order(const tni_rk_table *t, int p) {
  square s = unpack(t);
  double next = 0;
  for (double theta = 0; theta <= 1; theta += 0.125) {
    double w[MAX_STAGES] = {0};
    int ntree;
    dense_weights(t, theta, w);
    for (int n = 1; n <= p; n++) {
      CHECK_NEAR(violation(&s, w, n, pow(theta, n), &ntree), 0, 1e-12);
    }
    next = fmax(next, violation(&s, w, p + 1, pow(theta, p + 1), &ntree));
  }
  CHECK(next > 1e-6);
}

static void rk4_satisfies_its_order_conditions(void) {
  square s = unpack(&tni_rk4_table);
  nodes_are_row_sums(&s);
  advancing(&tni_rk4_table);
  dense_has_order(&tni_rk4_table, 3);
}

static void rk45_satisfies_its_order_conditions(void) {
  square s = unpack(&tni_rk45_table);
  nodes_are_row_sums(&s);
  advancing(&tni_rk45_table);
  embedded(&tni_rk45_table, tni_rk45_table.e, 4);
  dense_has_order(&tni_rk45_table, 4);
}

static void rk8_satisfies_its_order_conditions(void) {
  square s = unpack(&tni_rk8_table);
  nodes_are_row_sums(&s);
  advancing(&tni_rk8_table);
  embedded(&tni_rk8_table, tni_rk8_table.e, 5);
  embedded(&tni_rk8_table, tni_rk8_table.e2, 3);
  dense_has_order(&tni_rk8_table, 7);
}

/* y' = z y over one step of length 1 from y = 1: the derivative at every stage */
static void stages_of(const square *s, double complex z, double complex *k) {
  for (int i = 0; i < s->n; i++) {
    double complex y = 1;
    for (int j = 0; j < i; j++) y += s->a[i][j]*k[j];
    k[i] = z*y;
  }
}

/* The last bubble tells the largest error inside a step of any length that is stable, whatever is fast in the model:
 * rates all over the left half plane. The end of the step does not: near z = -5.6 its estimate vanishes. */
static void the_last_bubble_is_the_error_inside(void) {
  const tni_rk_table *t = &tni_rk8_table;
  square s = unpack(t);
  double complex k[MAX_STAGES];
  for (double size = t->dense_from; size < t->stable; size += 0.1)
    for (double angle = 95; angle <= 180; angle += 5) {
      double complex z = size*cexp(_Complex_I*angle*PI/180), bubble = 0;
      double largest = 0;
      stages_of(&s, z, k);
      for (int i = 0; i < s.n; i++) bubble += t->d[(t->ndense - 1)*s.n+i]*k[i];
      for (double theta = 0.01; theta < 1; theta += 0.01) {
        double complex y = 1;
        double w[MAX_STAGES] = {0};
        dense_weights(t, theta, w);
        for (int i = 0; i < s.n; i++) y += w[i]*k[i];
        largest = fmax(largest, cabs(y - cexp(z*theta)));
      }
      CHECK_NEAR(t->dense_error*cabs(bubble), largest, size < 4 ? 0.4 : 0.1);
    }
}

int main(void) {
  RUN(trees_are_all_there);
  RUN(rk4_satisfies_its_order_conditions);
  RUN(rk45_satisfies_its_order_conditions);
  RUN(rk8_satisfies_its_order_conditions);
  RUN(the_last_bubble_is_the_error_inside);
  return REPORT();
}
