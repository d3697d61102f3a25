/* solids/face.c - pressure and traction on faces of solids and on edges of plane models
 *
 *   faces   f_a = sum w N_a (-p x_xi x x_eta + |x_xi x x_eta| tr)
 *   edges   n ds = (y_xi, -x_xi) width, to the right of an edge that has its cell to the left; axisymmetric: width 2 pi r
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "solids/shape.h"
#include "solids/solid.h"

static const double PI = 3.14159265358979323846;

/* tangents and the normal times area by area of the cell's coordinates at a point; r: radius */
typedef struct {
  double t[2][3], n[3], width, r;
} surface;

static surface surface_at(int nn, int dim, const double *x, const double *N, double (*dN)[3], double width,
                          bool axisymmetric) {
  surface s = {.width = 1};
  for (int a = 0; a < nn; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < dim; k++) s.t[k][i] += dN[a][k]*x[3*a + i];
  if (dim == 2) {
    vec3_cross(s.n, s.t[0], s.t[1]);
    return s;
  }
  for (int a = 0; a < nn; a++) s.r += N[a]*x[3*a];
  s.width = axisymmetric ? 2*PI*s.r : width;
  s.n[0] = s.t[0][1], s.n[1] = -s.t[0][0];
  return s;
}

/* by that of the coordinates; edges of shells lie anywhere in space */
static double size_of(const surface *s, int dim) { return vec3_norm(dim == 2 ? s->n : s->t[0])*s->width; }

static tni_rule rule_of(tni_cell face) {
  return tni_shape_corners(face) == face ? TNI_RULE_LOW : TNI_RULE_HIGH;
}

void tni_face_load(tni_cell face, const double *x, double p, const double tr[3], double width,
                   bool axisymmetric, double *f, double *K) {
  int nn = tni_shape_nnode(face), dim = tni_shape_dim(face), nv = 3*nn;
  double N[TNI_CELL_MAXFACENODE], dN[TNI_CELL_MAXFACENODE][3];
  tni_rule_points q;
  memset(f, 0, (size_t)nv*sizeof(double));
  if (K) memset(K, 0, (size_t)(nv*nv)*sizeof(double));
  tni_rule_of(face, rule_of(face), &q);
  for (int k = 0; k < q.n; k++) {
    tni_shape(face, q.xi[k], N, dN);
    surface s = surface_at(nn, dim, x, N, dN, width, axisymmetric);
    double area = size_of(&s, dim)*q.w[k];
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < 3; i++)
        f[3*a + i] += N[a]*((tr ? area*tr[i] : 0) - p*q.w[k]*s.width*s.n[i]);
    if (!K || p == 0) continue;
    for (int b = 0; b < nn; b++)
      for (int j = 0; j < 3; j++) {
        /* dn: the normal as node b moves along j */
        double dn[3] = {0, 0, 0}, e[3] = {j == 0, j == 1, j == 2}, c[3], grow = 0;
        if (dim == 2) {
          vec3_cross(c, e, s.t[1]);
          vec3_addmul(dn, dN[b][0], c);
          vec3_cross(c, s.t[0], e);
          vec3_addmul(dn, dN[b][1], c);
        } else {
          if (j == 0) dn[1] = -dN[b][0];
          if (j == 1) dn[0] = dN[b][0];
          if (j == 0 && axisymmetric) grow = 2*PI*N[b];
        }
        for (int a = 0; a < nn; a++)
          for (int i = 0; i < 3; i++)
            K[(3*a + i)*nv + 3*b + j] -= p*q.w[k]*N[a]*(s.width*dn[i] + grow*s.n[i]);
      }
  }
}

void tni_edge_pressure(tni_cell edge, const double *x, double p, const double up[3], double width, double *f) {
  int nn = tni_shape_nnode(edge), dim = tni_shape_dim(edge);
  double N[TNI_CELL_MAXFACENODE], dN[TNI_CELL_MAXFACENODE][3], out[3];
  tni_rule_points q;
  memset(f, 0, 3*(size_t)nn*sizeof(double));
  tni_rule_of(edge, rule_of(edge), &q);
  for (int k = 0; k < q.n; k++) {
    tni_shape(edge, q.xi[k], N, dN);
    surface s = surface_at(nn, dim, x, N, dN, width, false);
    vec3_cross(out, s.t[0], up);
    for (int a = 0; a < nn; a++) vec3_addmul(f + 3*a, -p*q.w[k]*width*N[a], out);
  }
}

double tni_face_area(tni_cell face, const double *x, double width, bool axisymmetric) {
  int nn = tni_shape_nnode(face), dim = tni_shape_dim(face);
  double N[TNI_CELL_MAXFACENODE], dN[TNI_CELL_MAXFACENODE][3], area = 0;
  tni_rule_points q;
  tni_rule_of(face, rule_of(face), &q);
  for (int k = 0; k < q.n; k++) {
    tni_shape(face, q.xi[k], N, dN);
    surface s = surface_at(nn, dim, x, N, dN, width, axisymmetric);
    area += size_of(&s, dim)*q.w[k];
  }
  return area;
}
