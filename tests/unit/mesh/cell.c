/* shapes of cells: tables agree with each other, shape functions with their definition
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/cell.h"

#include "support/check.h"

static bool has(const int *set, int n, int what) {
  for (int i = 0; i < n; i++)
    if (set[i] == what) return true;
  return false;
}

/* the middle of an edge lies half-way, and on the same edge in every face that has it */
static void edges_and_faces_agree(void) {
  for (int c = 0; c < TNI_NCELL; c++) {
    const tni_cell_shape *s = tni_cell_of((tni_cell)c);
    const double (*r)[3] = tni_cell_reference((tni_cell)c);
    CHECK_INT(s->order == 2 ? s->ncorner + s->nedge : s->ncorner, s->nnode);
    CHECK_INT(tni_cell_named(s->name), c);
    for (int e = 0; e < s->nedge; e++) {
      CHECK(s->order == 2 ? s->edge[e][2] == s->ncorner + e : s->edge[e][2] == -1);
      for (int k = 0; s->order == 2 && k < 3; k++)
        CHECK(r[s->edge[e][2]][k] == 0.5*(r[s->edge[e][0]][k] + r[s->edge[e][1]][k]));
    }
    int uses = 0;
    for (int f = 0; f < s->nface; f++) {
      const tni_cell_shape *t = tni_cell_of(s->face_cell[f]);
      CHECK_INT(t->dim, s->dim - 1);
      CHECK(t->dim == 0 || t->order == s->order);
      for (int e = 0; s->dim == 3 && e < t->nedge; e++) {
        int a = s->face[f][t->edge[e][0]], b = s->face[f][t->edge[e][1]];
        int ab[2] = {a, b};
        for (int g = 0; g < s->nedge; g++) {
          if (!has(ab, 2, s->edge[g][0]) || !has(ab, 2, s->edge[g][1])) continue;
          uses++;
          if (s->order == 2) CHECK_INT(s->face[f][t->edge[e][2]], s->edge[g][2]);
        }
      }
    }
    if (s->dim == 3) CHECK_INT(uses, 2*s->nedge);             /* every edge in two faces */
    if (s->dim == 3) CHECK_INT(s->ncorner - s->nedge + s->nface, 2); /* Euler */
    int other = tni_cell_of_order((tni_cell)c, s->order == 1 ? 2 : 1);
    if (s->dim > 0) CHECK(other >= 0 && tni_cell_of((tni_cell)other)->ncorner == s->ncorner);
  }
}

/* flux of the place through all faces = d times the volume, only if all normals point out */
static void normals_point_out(void) {
  for (int c = 0; c < TNI_NCELL; c++) {
    const tni_cell_shape *s = tni_cell_of((tni_cell)c);
    const double (*x)[3] = tni_cell_reference((tni_cell)c);
    double centre[3] = {0};
    for (int a = 0; a < s->ncorner; a++)
      for (int k = 0; k < 3; k++) centre[k] += x[a][k]/s->ncorner;
    for (int f = 0; f < s->nface && s->dim >= 2; f++) {
      const double *p = x[s->face[f][0]], *q = x[s->face[f][1]], *t = x[s->face[f][2]];
      double n[3] = {q[1] - p[1], p[0] - q[0], 0}; /* to the right of an edge */
      if (s->dim == 3) {
        n[0] = (q[1]-p[1])*(t[2]-p[2]) - (q[2]-p[2])*(t[1]-p[1]);
        n[1] = (q[2]-p[2])*(t[0]-p[0]) - (q[0]-p[0])*(t[2]-p[2]);
        n[2] = (q[0]-p[0])*(t[1]-p[1]) - (q[1]-p[1])*(t[0]-p[0]);
      }
      double out = 0;
      for (int k = 0; k < 3; k++) out += n[k]*(p[k] - centre[k]);
      CHECK(out > 0.1);
    }
  }
}

/* N is 1 at its node and 0 at the others; sums are 1; derivatives against differences */
static void shape_functions(void) {
  uint64_t seed = 7;
  for (int c = 0; c < TNI_NCELL; c++) {
    const tni_cell_shape *s = tni_cell_of((tni_cell)c);
    const double (*x)[3] = tni_cell_reference((tni_cell)c);
    double N[20], dN[20][3], a[20], b[20];
    for (int i = 0; i < s->nnode; i++) {
      tni_cell_interpolate((tni_cell)c, x[i], N, NULL);
      for (int j = 0; j < s->nnode; j++) CHECK_WITHIN(N[j], i == j, 1e-15);
    }
    for (int t = 0; t < 20; t++) {
      double r[3] = {0.5*check_random(&seed), 0.5*check_random(&seed), 0.5*check_random(&seed)}, sum = 0;
      tni_cell_interpolate((tni_cell)c, r, N, dN);
      for (int j = 0; j < s->nnode; j++) sum += N[j];
      CHECK_NEAR(sum, 1, 1e-14);
      for (int k = 0; k < 3; k++) {
        double up[3] = {r[0], r[1], r[2]}, down[3] = {r[0], r[1], r[2]}, at = 0;
        up[k] += 1e-5;
        down[k] -= 1e-5;
        tni_cell_interpolate((tni_cell)c, up, a, NULL);
        tni_cell_interpolate((tni_cell)c, down, b, NULL);
        for (int j = 0; j < s->nnode; j++) CHECK_WITHIN(dN[j][k], (a[j] - b[j])/2e-5, 1e-9);
        /* the place itself is interpolated exactly */
        for (int j = 0; j < s->nnode; j++) at += N[j]*x[j][k];
        if (k < s->dim) CHECK_WITHIN(at, r[k], 1e-14);
      }
    }
  }
}

/* monomials over the reference cells in closed form up to the degree that is promised */
static double factorial(int n) { return n <= 1 ? 1 : n*factorial(n - 1); }
static double on_interval(int p) { return p%2 ? 0 : 2.0/(p + 1); }

static void rules_integrate_monomials(void) {
  for (int c = 1; c < TNI_NCELL; c++) {
    const tni_cell_shape *s = tni_cell_of((tni_cell)c);
    double r[TNI_CELL_MAXRULE][3], w[TNI_CELL_MAXRULE];
    int n = tni_cell_rule((tni_cell)c, r, w);
    CHECK(n >= 1 && n <= TNI_CELL_MAXRULE);
    bool simplex = s->ncorner == s->dim + 1 && s->dim > 1, wedge = s->ncorner == 6;
    int degree = simplex ? (s->order == 1 ? (s->dim == 2 ? 2 : 1) : s->dim == 2 ? 4 : 3) : wedge ? 4 : 2*s->order + 1;
    if (s->dim == 1 && s->order == 1) degree = 1;
    for (int i = 0; i <= degree; i++) {
      for (int j = 0; j <= (s->dim > 1 ? degree : 0); j++) {
        for (int k = 0; k <= (s->dim > 2 ? (wedge ? 2*s->order + 1 : degree) : 0); k++) {
          if (simplex && i + j + k > degree) continue;
          if (wedge && i + j > degree) continue;
          double got = 0, want;
          for (int p = 0; p < n; p++) got += w[p]*pow(r[p][0], i)*pow(r[p][1], j)*pow(r[p][2], k);
          if (simplex) want = factorial(i)*factorial(j)*factorial(k)/factorial(i + j + k + s->dim);
          else if (wedge) want = factorial(i)*factorial(j)/factorial(i + j + 2)*on_interval(k);
          else want = on_interval(i)*(s->dim > 1 ? on_interval(j) : 1)*(s->dim > 2 ? on_interval(k) : 1);
          CHECK_WITHIN(got, want, 2e-14);
        }
      }
    }
  }
}

int main(void) {
  RUN(edges_and_faces_agree);
  RUN(normals_point_out);
  RUN(shape_functions);
  RUN(rules_integrate_monomials);
  return REPORT();
}
