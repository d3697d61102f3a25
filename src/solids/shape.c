/* solids/shape.c - shape functions of cells and rules of integration over them
 *
 *   tensor cells   N_a = prod (1 + xi_a xi)/2; serendipity with middles of edges
 *   simplices      barycentric L; quadratic: L (2 L - 1) at corners, 4 L L' in middles
 *   rules          Gauss by products; triangle of degree 2 (3 points) and 4 (6 points, Strang and Fix);
 *                  tetrahedron of degree 2 (4 points) and the product of Gauss rules on the cube folded onto it
 *                  (27 points, degree 4 at least)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/shape.h"

#include <math.h>

static const signed char CORNER[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const signed char HEX_EDGE[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                            {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const signed char TET_EDGE[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const signed char WEDGE_EDGE[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3},
                                             {1, 4}, {2, 5}};

int tni_shape_nnode(tni_cell cell) {
  static const signed char n[TNI_NCELL] = {
      [TNI_CELL_POINT] = 1, [TNI_CELL_LINE2] = 2, [TNI_CELL_LINE3] = 3, [TNI_CELL_TRI3] = 3,
      [TNI_CELL_TRI6] = 6, [TNI_CELL_QUAD4] = 4, [TNI_CELL_QUAD8] = 8, [TNI_CELL_TET4] = 4,
      [TNI_CELL_TET10] = 10, [TNI_CELL_WEDGE6] = 6, [TNI_CELL_WEDGE15] = 15, [TNI_CELL_HEX8] = 8,
      [TNI_CELL_HEX20] = 20};
  return n[cell];
}

int tni_shape_dim(tni_cell cell) {
  return cell == TNI_CELL_POINT ? 0 : cell <= TNI_CELL_LINE3 ? 1 : cell <= TNI_CELL_QUAD8 ? 2 : 3;
}

tni_cell tni_shape_corners(tni_cell cell) {
  switch (cell) {
  case TNI_CELL_LINE3: return TNI_CELL_LINE2;
  case TNI_CELL_TRI6: return TNI_CELL_TRI3;
  case TNI_CELL_QUAD8: return TNI_CELL_QUAD4;
  case TNI_CELL_TET10: return TNI_CELL_TET4;
  case TNI_CELL_WEDGE15: return TNI_CELL_WEDGE6;
  case TNI_CELL_HEX20: return TNI_CELL_HEX8;
  default: return cell;
  }
}

/* ---- shape functions ------------------------------------------------------------------------- */

static void hex8(const double xi[3], double *N, double (*dN)[3]) {
  double m[3][2];
  for (int i = 0; i < 3; i++) m[i][0] = (1 - xi[i])/2, m[i][1] = (1 + xi[i])/2;
  for (int a = 0; a < 8; a++) {
    const signed char *c = CORNER[a];
    double x = m[0][c[0] > 0], y = m[1][c[1] > 0], z = m[2][c[2] > 0];
    N[a] = x*y*z;
    dN[a][0] = 0.5*c[0]*y*z;
    dN[a][1] = 0.5*c[1]*x*z;
    dN[a][2] = 0.5*c[2]*x*y;
  }
}

static void hex20(const double xi[3], double *N, double (*dN)[3]) {
  for (int a = 0; a < 20; a++) {
    double c[3], f[3], d[3]; /* factors of the product, and their derivatives */
    for (int i = 0; i < 3; i++)
      c[i] = a < 8 ? CORNER[a][i] : (CORNER[HEX_EDGE[a - 8][0]][i] + CORNER[HEX_EDGE[a - 8][1]][i])/2;
    for (int i = 0; i < 3; i++) {
      f[i] = c[i] == 0 ? 1 - xi[i]*xi[i] : 1 + c[i]*xi[i];
      d[i] = c[i] == 0 ? -2*xi[i] : c[i];
    }
    double p = f[0]*f[1]*f[2], k = a < 8 ? 0.125 : 0.25;
    double t = a < 8 ? c[0]*xi[0] + c[1]*xi[1] + c[2]*xi[2] - 2 : 1;
    N[a] = k*p*t;
    for (int i = 0; i < 3; i++) {
      double q = d[i]*f[(i + 1)%3]*f[(i + 2)%3];
      dN[a][i] = k*(q*t + (a < 8 ? p*c[i] : 0));
    }
  }
}

static void quad4(const double xi[3], double *N, double (*dN)[3]) {
  for (int a = 0; a < 4; a++) {
    double x = (1 + CORNER[a][0]*xi[0])/2, y = (1 + CORNER[a][1]*xi[1])/2;
    N[a] = x*y;
    dN[a][0] = 0.5*CORNER[a][0]*y;
    dN[a][1] = 0.5*CORNER[a][1]*x;
    dN[a][2] = 0;
  }
}

static void quad8(const double xi[3], double *N, double (*dN)[3]) {
  for (int a = 0; a < 8; a++) {
    double c[2], f[2], d[2];
    for (int i = 0; i < 2; i++)
      c[i] = a < 4 ? CORNER[a][i] : (CORNER[a - 4][i] + CORNER[(a - 3)%4][i])/2;
    for (int i = 0; i < 2; i++) {
      f[i] = c[i] == 0 ? 1 - xi[i]*xi[i] : 1 + c[i]*xi[i];
      d[i] = c[i] == 0 ? -2*xi[i] : c[i];
    }
    double p = f[0]*f[1], k = a < 4 ? 0.25 : 0.5, t = a < 4 ? c[0]*xi[0] + c[1]*xi[1] - 1 : 1;
    N[a] = k*p*t;
    dN[a][0] = k*(d[0]*f[1]*t + (a < 4 ? p*c[0] : 0));
    dN[a][1] = k*(f[0]*d[1]*t + (a < 4 ? p*c[1] : 0));
    dN[a][2] = 0;
  }
}

/* barycentric coordinates and their derivatives of a simplex with n corners */
static void barycentric(int n, const double xi[3], double L[4], double dL[4][3]) {
  L[0] = 1;
  memset(dL, 0, 12*sizeof(double));
  for (int i = 1; i < n; i++) {
    L[i] = xi[i - 1];
    L[0] -= xi[i - 1];
    dL[i][i - 1] = 1;
    dL[0][i - 1] = -1;
  }
}

static void simplex(int n, bool quadratic, const double xi[3], double *N, double (*dN)[3]) {
  double L[4], dL[4][3];
  barycentric(n, xi, L, dL);
  for (int a = 0; a < n; a++) {
    N[a] = quadratic ? L[a]*(2*L[a] - 1) : L[a];
    for (int i = 0; i < 3; i++) dN[a][i] = (quadratic ? 4*L[a] - 1 : 1)*dL[a][i];
  }
  if (!quadratic) return;
  int nedge = n == 4 ? 6 : 3;
  for (int e = 0; e < nedge; e++) {
    int a = TET_EDGE[e][0], b = TET_EDGE[e][1];
    N[n + e] = 4*L[a]*L[b];
    for (int i = 0; i < 3; i++) dN[n + e][i] = 4*(dL[a][i]*L[b] + L[a]*dL[b][i]);
  }
}

static void wedge6(const double xi[3], double *N, double (*dN)[3]) {
  double L[4], dL[4][3];
  barycentric(3, xi, L, dL);
  for (int a = 0; a < 6; a++) {
    double s = a < 3 ? -1 : 1, h = (1 + s*xi[2])/2;
    N[a] = L[a%3]*h;
    dN[a][0] = dL[a%3][0]*h;
    dN[a][1] = dL[a%3][1]*h;
    dN[a][2] = L[a%3]*s/2;
  }
}

static void wedge15(const double xi[3], double *N, double (*dN)[3]) {
  double L[4], dL[4][3], z = xi[2], q = 1 - z*z;
  barycentric(3, xi, L, dL);
  for (int a = 0; a < 6; a++) {
    double s = a < 3 ? -1 : 1, h = (1 + s*z)/2, l = L[a%3];
    N[a] = l*(2*l - 1)*h - l*q/2;
    for (int i = 0; i < 2; i++) dN[a][i] = dL[a%3][i]*((4*l - 1)*h - q/2);
    dN[a][2] = l*(2*l - 1)*s/2 + l*z;
  }
  for (int e = 0; e < 6; e++) {
    int a = TET_EDGE[e%3][0], b = TET_EDGE[e%3][1];
    double s = e < 3 ? -1 : 1, h = (1 + s*z)/2;
    N[6 + e] = 4*L[a]*L[b]*h;
    for (int i = 0; i < 2; i++) dN[6 + e][i] = 4*(dL[a][i]*L[b] + L[a]*dL[b][i])*h;
    dN[6 + e][2] = 2*L[a]*L[b]*s;
  }
  for (int a = 0; a < 3; a++) {
    N[12 + a] = L[a]*q;
    for (int i = 0; i < 2; i++) dN[12 + a][i] = dL[a][i]*q;
    dN[12 + a][2] = -2*z*L[a];
  }
}

static void line(int n, const double xi[3], double *N, double (*dN)[3]) {
  double x = xi[0];
  memset(dN, 0, (size_t)n*sizeof(*dN));
  if (n == 2) {
    N[0] = (1 - x)/2, N[1] = (1 + x)/2;
    dN[0][0] = -0.5, dN[1][0] = 0.5;
  } else {
    N[0] = x*(x - 1)/2, N[1] = x*(x + 1)/2, N[2] = 1 - x*x;
    dN[0][0] = x - 0.5, dN[1][0] = x + 0.5, dN[2][0] = -2*x;
  }
}

void tni_shape(tni_cell cell, const double xi[3], double *N, double (*dN)[3]) {
  switch (cell) {
  case TNI_CELL_LINE2: line(2, xi, N, dN); break;
  case TNI_CELL_LINE3: line(3, xi, N, dN); break;
  case TNI_CELL_TRI3: simplex(3, false, xi, N, dN); break;
  case TNI_CELL_TRI6: simplex(3, true, xi, N, dN); break;
  case TNI_CELL_QUAD4: quad4(xi, N, dN); break;
  case TNI_CELL_QUAD8: quad8(xi, N, dN); break;
  case TNI_CELL_TET4: simplex(4, false, xi, N, dN); break;
  case TNI_CELL_TET10: simplex(4, true, xi, N, dN); break;
  case TNI_CELL_WEDGE6: wedge6(xi, N, dN); break;
  case TNI_CELL_WEDGE15: wedge15(xi, N, dN); break;
  case TNI_CELL_HEX8: hex8(xi, N, dN); break;
  case TNI_CELL_HEX20: hex20(xi, N, dN); break;
  default: N[0] = 1; memset(dN, 0, sizeof(*dN)); break;
  }
}

static void corner_node(tni_cell cell, int a, double xi[3]) {
  xi[0] = xi[1] = xi[2] = 0;
  switch (cell) {
  case TNI_CELL_LINE2: xi[0] = a ? 1 : -1; break;
  case TNI_CELL_QUAD4:
    for (int i = 0; i < 2; i++) xi[i] = CORNER[a][i];
    break;
  case TNI_CELL_HEX8:
    for (int i = 0; i < 3; i++) xi[i] = CORNER[a][i];
    break;
  case TNI_CELL_WEDGE6:
    if (a%3) xi[a%3 - 1] = 1;
    xi[2] = a < 3 ? -1 : 1;
    break;
  case TNI_CELL_POINT: break;
  default: if (a) xi[a - 1] = 1; break;
  }
}

void tni_shape_node(tni_cell cell, int node, double xi[3]) {
  tni_cell base = tni_shape_corners(cell);
  int nc = tni_shape_nnode(base), e = node - nc, a, b;
  if (e < 0) {
    corner_node(base, node, xi);
    return;
  }
  switch (base) {
  case TNI_CELL_HEX8: a = HEX_EDGE[e][0], b = HEX_EDGE[e][1]; break;
  case TNI_CELL_WEDGE6: a = WEDGE_EDGE[e][0], b = WEDGE_EDGE[e][1]; break;
  case TNI_CELL_TET4: a = TET_EDGE[e][0], b = TET_EDGE[e][1]; break;
  default: a = e, b = (e + 1)%nc; break;
  }
  double p[3], q[3];
  corner_node(base, a, p);
  corner_node(base, b, q);
  for (int i = 0; i < 3; i++) xi[i] = (p[i] + q[i])/2;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static int gauss_line(tni_rule rule, double x[3], double w[3]) {
  switch (rule) {
  case TNI_RULE_1: x[0] = 0, w[0] = 2; return 1;
  case TNI_RULE_AXIS:
  case TNI_RULE_LOW: x[0] = -0.57735026918962576451, x[1] = -x[0], w[0] = w[1] = 1; return 2;
  default:
    x[0] = -0.77459666924148337704, x[1] = 0, x[2] = -x[0];
    w[0] = w[2] = 5.0/9, w[1] = 8.0/9;
    return 3;
  }
}

static void add(tni_rule_points *p, double x, double y, double z, double w) {
  double *xi = p->xi[p->n];
  xi[0] = x, xi[1] = y, xi[2] = z;
  p->w[p->n++] = w;
}

static void triangle(tni_rule rule, double z, double wz, tni_rule_points *p) {
  if (rule == TNI_RULE_1) {
    add(p, 1.0/3, 1.0/3, z, wz/2);
  } else if (rule == TNI_RULE_LOW) {
    add(p, 1.0/6, 1.0/6, z, wz/6);
    add(p, 2.0/3, 1.0/6, z, wz/6);
    add(p, 1.0/6, 2.0/3, z, wz/6);
  } else {
    static const double a[2] = {0.44594849091596488632, 0.09157621350977074346};
    static const double w[2] = {0.22338158967801146570/2, 0.10995174365532186764/2};
    for (int k = 0; k < 2; k++) {
      add(p, a[k], a[k], z, wz*w[k]);
      add(p, 1 - 2*a[k], a[k], z, wz*w[k]);
      add(p, a[k], 1 - 2*a[k], z, wz*w[k]);
    }
  }
}

static void tetrahedron(tni_rule rule, tni_rule_points *p) {
  if (rule == TNI_RULE_1) {
    add(p, 0.25, 0.25, 0.25, 1.0/6);
  } else if (rule == TNI_RULE_LOW) {
    double a = (5 + 3*sqrt(5))/20, b = (5 - sqrt(5))/20;
    add(p, b, b, b, 1.0/24);
    add(p, a, b, b, 1.0/24);
    add(p, b, a, b, 1.0/24);
    add(p, b, b, a, 1.0/24);
  } else {
    /* Gauss-Jacobi rules of three points with weights 1, 1 - x, (1 - x)^2 on 0..1: degree 5 after folding */
    static const double x[3][3] = {
        {0.11270166537925831148, 0.5, 0.88729833462074168852},
        {0.08858795951270394739, 0.40946686444073471086, 0.78765946176084705603},
        {0.07299402407314973215, 0.34700376603835188472, 0.70500220988849838312}};
    static const double w[3][3] = {
        {5.0/18, 8.0/18, 5.0/18},
        {0.20093191373895963077, 0.22924110635958624669, 0.06982697990145412254},
        {0.15713636106488661328, 0.14624626925986602105, 0.02995070300858069900}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
          double r = x[2][i], s = x[1][j]*(1 - r), t = x[0][k]*(1 - r - s);
          add(p, r, s, t, w[2][i]*w[1][j]*w[0][k]);
        }
  }
}

void tni_rule_of(tni_cell cell, tni_rule rule, tni_rule_points *out) {
  double x[3], w[3];
  int n = gauss_line(rule, x, w);
  out->n = 0;
  switch (tni_shape_corners(cell)) {
  case TNI_CELL_LINE2:
    for (int i = 0; i < n; i++) add(out, x[i], 0, 0, w[i]);
    break;
  case TNI_CELL_TRI3: triangle(rule, 0, 1, out); break;
  case TNI_CELL_QUAD4:
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) add(out, x[i], x[j], 0, w[i]*w[j]);
    break;
  case TNI_CELL_TET4: tetrahedron(rule, out); break;
  case TNI_CELL_WEDGE6:
    for (int k = 0; k < n; k++) triangle(rule == TNI_RULE_MID ? TNI_RULE_LOW : rule == TNI_RULE_AXIS ? TNI_RULE_1 : rule, x[k], w[k], out);
    break;
  case TNI_CELL_HEX8:
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) add(out, x[i], x[j], x[k], w[i]*w[j]*w[k]);
    break;
  default: add(out, 0, 0, 0, 1); break;
  }
}
