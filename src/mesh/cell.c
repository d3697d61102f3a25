/* mesh/cell.c - tables of the shapes of cells, their shape functions and integration points
 *
 * Second-order functions are the serendipity ones: with s_k = r_k r_ak of a corner,
 * N_a = prod (1 + s_k)/2^d (sum s_k - d + 1), of a middle with r_ak = 0 along k: (1 - r_k^2) prod of the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/cell.h"

#include <math.h>

#define P TNI_CELL_POINT
#define L2 TNI_CELL_LINE2
#define L3 TNI_CELL_LINE3
#define T3 TNI_CELL_TRI3
#define T6 TNI_CELL_TRI6
#define Q4 TNI_CELL_QUAD4
#define Q8 TNI_CELL_QUAD8

/* faces in the order of Abaqus (S1, S2, ...), which is that of Ansys and CalculiX too */
const tni_cell_shape tni_cell_shapes[TNI_NCELL] = {
    [TNI_CELL_POINT] = {.name = "point", .dim = 0, .order = 1, .nnode = 1, .ncorner = 1, .vtk = 1, .gmsh = 15},
    [TNI_CELL_LINE2] = {.name = "line2", .dim = 1, .order = 1, .nnode = 2, .ncorner = 2,
                        .nface = 2, .face_cell = {P, P}, .face = {{0}, {1}},
                        .vtk = 3, .gmsh = 1, .nedge = 1, .edge = {{0, 1, -1}}},
    [TNI_CELL_LINE3] = {.name = "line3", .dim = 1, .order = 2, .nnode = 3, .ncorner = 2,
                        .nface = 2, .face_cell = {P, P}, .face = {{0}, {1}},
                        .vtk = 21, .gmsh = 8, .nedge = 1, .edge = {{0, 1, 2}}},
    [TNI_CELL_TRI3] = {.name = "tri3", .dim = 2, .order = 1, .nnode = 3, .ncorner = 3,
                       .nface = 3, .face_cell = {L2, L2, L2}, .face = {{0, 1}, {1, 2}, {2, 0}},
                       .vtk = 5, .gmsh = 2, .nedge = 3, .edge = {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}}},
    [TNI_CELL_TRI6] = {.name = "tri6", .dim = 2, .order = 2, .nnode = 6, .ncorner = 3,
                       .nface = 3, .face_cell = {L3, L3, L3}, .face = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}},
                       .vtk = 22, .gmsh = 9, .nedge = 3, .edge = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}},
    [TNI_CELL_QUAD4] = {.name = "quad4", .dim = 2, .order = 1, .nnode = 4, .ncorner = 4,
                        .nface = 4, .face_cell = {L2, L2, L2, L2}, .face = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                        .vtk = 9, .gmsh = 3,
                        .nedge = 4, .edge = {{0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}}},
    [TNI_CELL_QUAD8] = {.name = "quad8", .dim = 2, .order = 2, .nnode = 8, .ncorner = 4,
                        .nface = 4, .face_cell = {L3, L3, L3, L3},
                        .face = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}},
                        .vtk = 23, .gmsh = 16,
                        .nedge = 4, .edge = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}}},
    [TNI_CELL_TET4] = {.name = "tet4", .dim = 3, .order = 1, .nnode = 4, .ncorner = 4,
                       .nface = 4, .face_cell = {T3, T3, T3, T3},
                       .face = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
                       .vtk = 10, .gmsh = 4, .nedge = 6,
                       .edge = {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {0, 3, -1}, {1, 3, -1}, {2, 3, -1}}},
    [TNI_CELL_TET10] = {.name = "tet10", .dim = 3, .order = 2, .nnode = 10, .ncorner = 4,
                        .nface = 4, .face_cell = {T6, T6, T6, T6},
                        .face = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}},
                        .vtk = 24, .gmsh = 11, .nedge = 6,
                        .edge = {{0, 1, 4}, {1, 2, 5}, {2, 0, 6}, {0, 3, 7}, {1, 3, 8}, {2, 3, 9}}},
    [TNI_CELL_WEDGE6] = {.name = "wedge6", .dim = 3, .order = 1, .nnode = 6, .ncorner = 6,
                         .nface = 5, .face_cell = {T3, T3, Q4, Q4, Q4},
                         .face = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
                         .vtk = 13, .gmsh = 6, .nedge = 9,
                         .edge = {{0, 1, -1}, {1, 2, -1}, {2, 0, -1}, {3, 4, -1}, {4, 5, -1}, {5, 3, -1},
                                  {0, 3, -1}, {1, 4, -1}, {2, 5, -1}}},
    [TNI_CELL_WEDGE15] = {.name = "wedge15", .dim = 3, .order = 2, .nnode = 15, .ncorner = 6,
                          .nface = 5, .face_cell = {T6, T6, Q8, Q8, Q8},
                          .face = {{0, 2, 1, 8, 7, 6}, {3, 4, 5, 9, 10, 11}, {0, 1, 4, 3, 6, 13, 9, 12},
                                   {1, 2, 5, 4, 7, 14, 10, 13}, {2, 0, 3, 5, 8, 12, 11, 14}},
                          .vtk = 26, .gmsh = 18, .nedge = 9,
                          .edge = {{0, 1, 6}, {1, 2, 7}, {2, 0, 8}, {3, 4, 9}, {4, 5, 10}, {5, 3, 11},
                                   {0, 3, 12}, {1, 4, 13}, {2, 5, 14}}},
    [TNI_CELL_HEX8] = {.name = "hex8", .dim = 3, .order = 1, .nnode = 8, .ncorner = 8,
                       .nface = 6, .face_cell = {Q4, Q4, Q4, Q4, Q4, Q4},
                       .face = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
                       .vtk = 12, .gmsh = 5, .nedge = 12,
                       .edge = {{0, 1, -1}, {1, 2, -1}, {2, 3, -1}, {3, 0, -1}, {4, 5, -1}, {5, 6, -1},
                                {6, 7, -1}, {7, 4, -1}, {0, 4, -1}, {1, 5, -1}, {2, 6, -1}, {3, 7, -1}}},
    [TNI_CELL_HEX20] = {.name = "hex20", .dim = 3, .order = 2, .nnode = 20, .ncorner = 8,
                        .nface = 6, .face_cell = {Q8, Q8, Q8, Q8, Q8, Q8},
                        .face = {{0, 3, 2, 1, 11, 10, 9, 8}, {4, 5, 6, 7, 12, 13, 14, 15},
                                 {0, 1, 5, 4, 8, 17, 12, 16}, {1, 2, 6, 5, 9, 18, 13, 17},
                                 {2, 3, 7, 6, 10, 19, 14, 18}, {3, 0, 4, 7, 11, 16, 15, 19}},
                        .vtk = 25, .gmsh = 17, .nedge = 12,
                        .edge = {{0, 1, 8}, {1, 2, 9}, {2, 3, 10}, {3, 0, 11}, {4, 5, 12}, {5, 6, 13},
                                 {6, 7, 14}, {7, 4, 15}, {0, 4, 16}, {1, 5, 17}, {2, 6, 18}, {3, 7, 19}}},
};

int tni_cell_named(const char *name) {
  for (int c = 0; c < TNI_NCELL; c++) {
    if (strcmp(name, tni_cell_shapes[c].name) == 0) return c;
  }
  return -1;
}

int tni_cell_of_order(tni_cell c, int order) {
  const tni_cell_shape *s = tni_cell_of(c);
  for (int k = 0; k < TNI_NCELL; k++) {
    const tni_cell_shape *o = tni_cell_of((tni_cell)k);
    if (o->dim == s->dim && o->ncorner == s->ncorner && o->order == order) return k;
  }
  return -1;
}

static const double point[1][3] = {{0}};
static const double line[3][3] = {{-1}, {1}, {0}};
static const double triangle[6][3] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
static const double quad[8][3] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
static const double tet[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0},
                                  {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
/* corners before middles: those of order 1 are the beginning of those of order 2 */
static const double wedge[15][3] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1},
                                    {0.5, 0, -1}, {0.5, 0.5, -1}, {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1},
                                    {0, 0.5, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const double hex[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                  {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                  {0, 1, -1}, {-1, 0, -1}, {0, -1, 1}, {1, 0, 1}, {0, 1, 1},
                                  {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};

const double (*tni_cell_reference(tni_cell c))[3] {
  switch (c) {
    case TNI_CELL_LINE2: case TNI_CELL_LINE3: return line;
    case TNI_CELL_TRI3: case TNI_CELL_TRI6: return triangle;
    case TNI_CELL_QUAD4: case TNI_CELL_QUAD8: return quad;
    case TNI_CELL_TET4: case TNI_CELL_TET10: return tet;
    case TNI_CELL_WEDGE6: case TNI_CELL_WEDGE15: return wedge;
    case TNI_CELL_HEX8: case TNI_CELL_HEX20: return hex;
    case TNI_CELL_POINT: case TNI_NCELL: break;
  }
  return point;
}

/* lines, quads, hexes: d directions in [-1, 1] */
static void tensor(const tni_cell_shape *c, int d, const double (*ref)[3], const double r[3], double *N,
                   double (*dN)[3]) {
  for (int a = 0; a < c->nnode; a++) {
    double g[3] = {1, 1, 1}, dg[3] = {0}; /* factors of the product and their derivatives */
    double sum = 0;
    bool corner = a < c->ncorner;
    for (int k = 0; k < d; k++) {
      if (!corner && ref[a][k] == 0) {
        g[k] = 1 - r[k]*r[k];
        dg[k] = -2*r[k];
      } else {
        g[k] = 0.5*(1 + ref[a][k]*r[k]);
        dg[k] = 0.5*ref[a][k];
        sum += ref[a][k]*r[k];
      }
    }
    bool serendipity = corner && c->order == 2;
    double extra = serendipity ? sum - d + 1 : 1, product = g[0]*g[1]*g[2];
    if (N) N[a] = product*extra;
    if (!dN) continue;
    for (int k = 0; k < 3; k++) {
      double others = g[(k+1)%3]*g[(k+2)%3];
      dN[a][k] = k < d ? dg[k]*others*extra + (serendipity ? product*ref[a][k] : 0) : 0;
    }
  }
}

/* triangles and tets: barycentric, corners L(2L - 1), middles 4 L L' */
static void simplex(const tni_cell_shape *c, int d, const double r[3], double *N, double (*dN)[3]) {
  double L[4] = {1}, dL[4][3] = {{0}};
  for (int k = 0; k < d; k++) {
    L[0] -= r[k];
    L[k+1] = r[k];
    dL[0][k] = -1;
    dL[k+1][k] = 1;
  }
  for (int a = 0; a < c->ncorner; a++) {
    bool linear = c->order == 1;
    if (N) N[a] = linear ? L[a] : L[a]*(2*L[a] - 1);
    for (int k = 0; dN && k < 3; k++) dN[a][k] = (linear ? 1 : 4*L[a] - 1)*dL[a][k];
  }
  for (int e = 0; c->order == 2 && e < c->nedge; e++) {
    int i = c->edge[e][0], j = c->edge[e][1], a = c->edge[e][2];
    if (N) N[a] = 4*L[i]*L[j];
    for (int k = 0; dN && k < 3; k++) dN[a][k] = 4*(dL[i][k]*L[j] + L[i]*dL[j][k]);
  }
}

/* wedges: corner of order 2 L/2 ((2L - 1)(1 + s) - (1 - t^2)) with s = t t_a; middles 2 L L' (1 + s), L (1 - t^2) */
static void prism(const tni_cell_shape *c, const double r[3], double *N, double (*dN)[3]) {
  const double L[3] = {1 - r[0] - r[1], r[0], r[1]}, dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}}, t = r[2];
  for (int a = 0; a < c->ncorner; a++) {
    int i = a%3;
    double sign = a < 3 ? -1 : 1, h = 1 + sign*t;
    bool linear = c->order == 1;
    if (N) N[a] = linear ? 0.5*L[i]*h : 0.5*L[i]*((2*L[i] - 1)*h - (1 - t*t));
    if (!dN) continue;
    double by_L = linear ? 0.5*h : 0.5*((4*L[i] - 1)*h - (1 - t*t));
    for (int k = 0; k < 2; k++) dN[a][k] = by_L*dL[i][k];
    dN[a][2] = linear ? 0.5*L[i]*sign : 0.5*L[i]*((2*L[i] - 1)*sign + 2*t);
  }
  for (int e = 0; c->order == 2 && e < c->nedge; e++) {
    int i = c->edge[e][0]%3, j = c->edge[e][1]%3, a = c->edge[e][2];
    if (e < 6) {
      double sign = e < 3 ? -1 : 1, h = 1 + sign*t;
      if (N) N[a] = 2*L[i]*L[j]*h;
      for (int k = 0; dN && k < 2; k++) dN[a][k] = 2*h*(dL[i][k]*L[j] + L[i]*dL[j][k]);
      if (dN) dN[a][2] = 2*L[i]*L[j]*sign;
    } else {
      if (N) N[a] = L[i]*(1 - t*t);
      for (int k = 0; dN && k < 2; k++) dN[a][k] = dL[i][k]*(1 - t*t);
      if (dN) dN[a][2] = -2*L[i]*t;
    }
  }
}

void tni_cell_interpolate(tni_cell cell, const double r[3], double *N, double (*dN)[3]) {
  const tni_cell_shape *c = tni_cell_of(cell);
  switch (cell) {
    case TNI_CELL_LINE2: case TNI_CELL_LINE3: tensor(c, 1, line, r, N, dN); return;
    case TNI_CELL_QUAD4: case TNI_CELL_QUAD8: tensor(c, 2, quad, r, N, dN); return;
    case TNI_CELL_HEX8: case TNI_CELL_HEX20: tensor(c, 3, hex, r, N, dN); return;
    case TNI_CELL_TRI3: case TNI_CELL_TRI6: simplex(c, 2, r, N, dN); return;
    case TNI_CELL_TET4: case TNI_CELL_TET10: simplex(c, 3, r, N, dN); return;
    case TNI_CELL_WEDGE6: case TNI_CELL_WEDGE15: prism(c, r, N, dN); return;
    case TNI_CELL_POINT: case TNI_NCELL: break;
  }
  if (N) N[0] = 1;
  if (dN) dN[0][0] = dN[0][1] = dN[0][2] = 0;
}

/* Gauss points on [-1, 1], n = 1 to 3 */
static void gauss(int n, double *x, double *w) {
  const double a = sqrt(1.0/3), b = sqrt(0.6);
  const double X[3][3] = {{0}, {-a, a}, {-b, 0, b}}, W[3][3] = {{2}, {1, 1}, {5.0/9, 8.0/9, 5.0/9}};
  for (int i = 0; i < n; i++) {
    x[i] = X[n-1][i];
    w[i] = W[n-1][i];
  }
}

/* degree 2 with three points, degree 4 with six (triangle); degree 3 needs none of its own */
static int triangle_rule(int order, double (*r)[3], double *w) {
  if (order == 1) {
    for (int i = 0; i < 3; i++) {
      r[i][0] = i == 1 ? 2.0/3 : 1.0/6;
      r[i][1] = i == 2 ? 2.0/3 : 1.0/6;
      w[i] = 1.0/6;
    }
    return 3;
  }
  /* two orbits of three points, Strang and Fix's degree 4 in closed form */
  const double root = sqrt(38 - 44*sqrt(0.4)), s10 = sqrt(10);
  const double a[2] = {(8 - s10 + root)/18, (8 - s10 - root)/18};
  const double weight = sqrt(213125 - 53320*s10);
  const double W[2] = {(620 + weight)/3720, (620 - weight)/3720};
  for (int o = 0; o < 2; o++) {
    for (int i = 0; i < 3; i++) {
      r[3*o+i][0] = i == 1 ? 1 - 2*a[o] : a[o];
      r[3*o+i][1] = i == 2 ? 1 - 2*a[o] : a[o];
      w[3*o+i] = 0.5*W[o];
    }
  }
  return 6;
}

int tni_cell_rule(tni_cell cell, double (*r)[3], double *weight) {
  const tni_cell_shape *c = tni_cell_of(cell);
  double x[3], w[3];
  int n = 0, order = c->order;
  memset(r, 0, TNI_CELL_MAXRULE*sizeof(*r));
  if (cell == TNI_CELL_POINT) {
    weight[0] = 1;
    return 1;
  }
  if (cell == TNI_CELL_TRI3 || cell == TNI_CELL_TRI6) return triangle_rule(order, r, weight);
  int g = c->dim == 1 && order == 1 ? 1 : order + 1;
  gauss(g, x, w);
  if (cell == TNI_CELL_WEDGE6 || cell == TNI_CELL_WEDGE15) {
    double flat[6][3] = {{0}}, area[6];
    int m = triangle_rule(2, flat, area);
    for (int i = 0; i < m; i++) {
      for (int k = 0; k < g; k++, n++) {
        memcpy(r[n], flat[i], 2*sizeof(double));
        r[n][2] = x[k];
        weight[n] = area[i]*w[k];
      }
    }
    return n;
  }
  if (cell == TNI_CELL_TET4) {
    r[0][0] = r[0][1] = r[0][2] = 0.25;
    weight[0] = 1.0/6;
    return 1;
  }
  if (cell == TNI_CELL_TET10) { /* four points and the middle: degree 3, that of the jacobian */
    for (int k = 0; k < 3; k++) r[0][k] = 0.25;
    weight[0] = -2.0/15;
    for (int i = 1; i < 5; i++) {
      for (int k = 0; k < 3; k++) r[i][k] = i == k + 1 ? 0.5 : 1.0/6;
      weight[i] = 3.0/40;
    }
    return 5;
  }
  for (int k = 0; k < (c->dim > 2 ? g : 1); k++) {
    for (int j = 0; j < (c->dim > 1 ? g : 1); j++) {
      for (int i = 0; i < g; i++, n++) {
        r[n][0] = x[i];
        weight[n] = w[i];
        if (c->dim > 1) {
          r[n][1] = x[j];
          weight[n] *= w[j];
        }
        if (c->dim > 2) {
          r[n][2] = x[k];
          weight[n] *= w[k];
        }
      }
    }
  }
  return n;
}
