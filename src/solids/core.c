/* solids/core.c - continuum elements: forces and stiffness by integration over a cell
 *
 *   small    eps = B u,  f = sum w B^T sigma,  K = sum w B^T C B
 *   large    F = 1 + B u,  f = sum w B^T P,  K = sum w B^T A B,  A = dP/dF: total Lagrangian
 *
 * The columns of B are the unknowns, its rows the components: xx yy zz xy (yz zx) of small strains; F row by row, of
 * plane models 11 12 21 22 33. The gradients g of the shape functions keep a third number in plane models: N/r of the hoop
 * strain, zero without axial symmetry.
 *
 *   bbar     small: the divergence of B is replaced by its mean over the volume
 *            large: F' = (theta/J)^(1/3) F, theta the mean of J; f = d/du of sum w W(F'), K its derivative
 *   inc      three (two) more gradients  -2 xi_k (J0^-1)_k w0/w  (Taylor, Beresford, Wilson), whose unknowns are found
 *            in the element; w0/w, the ratio of the weights at the middle and at the point, lets constant stresses pass; without it
 *            (plain_modes) it is the C3D8I of CalculiX, which does not in cells that are no parallelepipeds
 *   one      mean gradient b; f += c gamma gamma^T u, gamma = h - b (X^T h), c = kappa mu V b:b (Flanagan, Belytschko); since
 *            gamma is normal to linear fields of X, rotations of any size are free of force
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/core.h"

#include <math.h>
#include <stdio.h>

#include "linsolve/pair.h"

enum { EXTRA = 3, MAXCOL = TNI_SOLID_MAXDOF + 12, MAXROW = 9, MAXINC = 9 };

static const double PI = 3.14159265358979323846;

/* an element with its points of integration */
typedef struct {
  int n, nn, extra, dim;       /* points, nodes, more gradients (INC), dimension                */
  double w[TNI_RULE_MAX];      /* volume                                                        */
  double N[TNI_RULE_MAX][TNI_SOLID_MAXNODE];
  double g[TNI_RULE_MAX][TNI_SOLID_MAXNODE + EXTRA][3];
  double gamma[4][8], c;       /* ONE: vectors of hourglasses, their stiffness                  */
  int ngamma;
} field;

/* ---- geometry -------------------------------------------------------------------------------- */

/* J [3][3] = dX/dxi, its inverse and determinant; of plane cells the upper left part */
static double jacobian(int dim, int nn, const double *X, double (*dN)[3], double inv[9]) {
  double J[9] = {0};
  for (int a = 0; a < nn; a++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) J[3*i + j] += X[3*a + i]*dN[a][j]; /* of plane cells, more than needed */
  if (dim == 2) {
    double det = J[0]*J[4] - J[1]*J[3];
    inv[0] = J[4]/det, inv[1] = -J[1]/det, inv[3] = -J[3]/det, inv[4] = J[0]/det;
    return det;
  }
  double det;
  inv[0] = J[4]*J[8] - J[5]*J[7], inv[1] = J[2]*J[7] - J[1]*J[8], inv[2] = J[1]*J[5] - J[2]*J[4];
  inv[3] = J[5]*J[6] - J[3]*J[8], inv[4] = J[0]*J[8] - J[2]*J[6], inv[5] = J[2]*J[3] - J[0]*J[5];
  inv[6] = J[3]*J[7] - J[4]*J[6], inv[7] = J[1]*J[6] - J[0]*J[7], inv[8] = J[0]*J[4] - J[1]*J[3];
  det = J[0]*inv[0] + J[1]*inv[3] + J[2]*inv[6];
  for (int i = 0; i < 9; i++) inv[i] /= det;
  return det;
}

/* weight of a place: volume by volume of the cell's coordinates */
static double weight(const tni_solid_kind *kind, int nn, int dim, const double *X, const double *N,
                     double det, double *r) {
  *r = 0;
  if (dim == 3) return det;
  if (kind->plane != TNI_PLANE_AXISYMMETRIC) return det*(kind->thickness > 0 ? kind->thickness : 1);
  for (int a = 0; a < nn; a++) *r += N[a]*X[3*a];
  return *r > 0 ? 2*PI**r*det : -1;
}

/* false: a Jacobian is not positive, or a point lies on the other side of the axis */
static bool lay_out(tni_cell cell, tni_rule rule, const tni_solid_kind *kind, const double *X,
                    field *p) {
  tni_rule_points q;
  double dN[TNI_SOLID_MAXNODE][3], inv[9];
  tni_rule_of(cell, rule, &q);
  int nn = tni_shape_nnode(cell), dim = tni_shape_dim(cell);
  p->n = q.n, p->nn = nn, p->dim = dim, p->extra = 0, p->ngamma = 0;
  for (int k = 0; k < q.n; k++) {
    double r, w, *N = p->N[k];
    tni_shape(cell, q.xi[k], N, dN);
    double det = jacobian(dim, nn, X, dN, inv);
    if (!(det > 0) || !((w = weight(kind, nn, dim, X, N, det, &r)) > 0)) return false;
    p->w[k] = w*q.w[k];
    for (int a = 0; a < nn; a++) {
      double *g = p->g[k][a];
      const double *d = dN[a];
      g[0] = inv[0]*d[0] + inv[3]*d[1], g[1] = inv[1]*d[0] + inv[4]*d[1];
      if (dim == 2) {
        g[2] = r > 0 ? N[a]/r : 0;
      } else {
        g[0] += inv[6]*d[2], g[1] += inv[7]*d[2];
        g[2] = inv[2]*d[0] + inv[5]*d[1] + inv[8]*d[2];
      }
    }
  }
  return true;
}

/* gradients of the incompatible modes */
static bool add_modes(tni_cell cell, tni_rule rule, const tni_solid_kind *kind, const double *X,
                      field *p) {
  static const double centre[3] = {0, 0, 0};
  tni_rule_points q;
  double N[TNI_SOLID_MAXNODE], dN[TNI_SOLID_MAXNODE][3], inv[9], r;
  tni_rule_of(cell, rule, &q);
  tni_shape(cell, centre, N, dN);
  double det = jacobian(p->dim, p->nn, X, dN, inv);
  double w0 = weight(kind, p->nn, p->dim, X, N, det, &r);
  if (!(det > 0) || !(w0 > 0)) return false;
  p->extra = p->dim;
  for (int k = 0; k < p->n; k++)
    for (int m = 0; m < p->dim; m++)
      for (int i = 0; i < 3; i++)
        p->g[k][p->nn + m][i] = i < p->dim ? -2*q.xi[k][m]*inv[3*m + i]*(kind->plain_modes ? 1 : w0*q.w[k]/p->w[k]) : 0;
  return true;
}

/* one point with the mean gradient, and what resists hourglasses */
static void collapse(const tni_core *core, const tni_solid_kind *kind, const double *X, field *p) {
  static const signed char h3[4][8] = {{1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, -1, -1, 1, 1},
                                       {1, -1, -1, 1, -1, 1, 1, -1}, {-1, 1, -1, 1, 1, -1, 1, -1}};
  static const signed char h2[1][8] = {{1, -1, 1, -1}};
  double V = 0, N[8] = {0}, b[8][3] = {{0}}, bb = 0;
  for (int k = 0; k < p->n; k++) {
    V += p->w[k];
    for (int a = 0; a < p->nn; a++) {
      N[a] += p->w[k]*p->N[k][a];
      for (int i = 0; i < 3; i++) b[a][i] += p->w[k]*p->g[k][a][i];
    }
  }
  p->n = 1;
  p->w[0] = V;
  for (int a = 0; a < p->nn; a++) {
    p->N[0][a] = N[a]/V;
    for (int i = 0; i < 3; i++) {
      double g = b[a][i] /= V;
      p->g[0][a][i] = g;
      if (i < p->dim) bb += g*g;
    }
  }
  p->ngamma = p->dim == 3 ? 4 : 1;
  for (int m = 0; m < p->ngamma; m++) {
    const signed char *h = p->dim == 3 ? h3[m] : h2[m];
    double xh[3] = {0};
    for (int a = 0; a < p->nn; a++)
      for (int i = 0; i < p->dim; i++) xh[i] += h[a]*X[3*a + i];
    for (int a = 0; a < p->nn; a++) {
      double s = h[a];
      for (int i = 0; i < p->dim; i++) s -= b[a][i]*xh[i];
      p->gamma[m][a] = s;
    }
  }
  double kappa = kind->hourglass > 0 ? kind->hourglass : core->hourglass;
  p->c = kappa*tni_matter_shear(kind->matter)*V*bb;
}

tni_rule tni_core_rule(const tni_core *core, const tni_solid_kind *kind) {
  return core->rule == TNI_RULE_1 && kind->plane == TNI_PLANE_AXISYMMETRIC ? TNI_RULE_LOW : core->rule;
}

static bool field_of(const tni_core *core, const tni_solid_kind *kind, const double *X, field *p) {
  if (!lay_out(core->cell, tni_core_rule(core, kind), kind, X, p)) return false;
  if (core->mode == TNI_CORE_INC) return add_modes(core->cell, core->rule, kind, X, p);
  if (core->mode == TNI_CORE_ONE) collapse(core, kind, X, p);
  return true;
}

/* ---- kernels along the columns of B ----------------------------------------------------------- */

/* rows of B in which an unknown in direction i has numbers, unless the volume is averaged */
typedef signed char pattern[3][3];
static const pattern SMALL3 = {{0, 3, 5}, {1, 3, 4}, {2, 4, 5}}, SMALL2 = {{0, 2, 3}, {1, 2, 3}};
static const pattern LARGE3 = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, LARGE2 = {{0, 1, 4}, {2, 3, 4}};

/* CB [ns][ld] = C B; C [ns][lc] has many zeros */
WIDE_ROWS static void multiply(int ns, int ld, const double *C, int lc, const double *restrict B,
                               double *restrict CB) {
  for (int s = 0; s < ns; s++) {
    double *restrict o = CB + s*ld;
    for (int j = 0; j < ld; j++) o[j] = 0;
    for (int r = 0; r < ns; r++) {
      double c = C[s*lc + r];
      if (c == 0) continue;
      const double *b = B + r*ld;
      for (int j = 0; j < ld; j++) o[j] += c*b[j];
    }
  }
}

/* K [ld][ld] += w B^T CB where every column of B has numbers in three rows; symmetric: from the diagonal on */
WIDE_ROWS static void add_three(int nc, int ld, int dim, const pattern rows, double w, bool symmetric,
                                const double *restrict B, const double *restrict CB,
                                double *restrict K) {
  for (int i = 0; i < nc; i++) {
    const signed char *r = rows[i%dim];
    double b0 = w*B[r[0]*ld + i], b1 = w*B[r[1]*ld + i], b2 = w*B[r[2]*ld + i];
    const double *c0 = CB + r[0]*ld, *c1 = CB + r[1]*ld, *c2 = CB + r[2]*ld;
    double *restrict k = K + i*ld;
    for (int j = symmetric ? i & ~3 : 0; j < ld; j++) k[j] += b0*c0[j] + b1*c1[j] + b2*c2[j];
  }
}

/* the same for any B */
WIDE_ROWS static void add_dense(int ns, int nc, int ld, double w, bool symmetric,
                                const double *restrict B, const double *restrict CB,
                                double *restrict K) {
  for (int i = 0; i < nc; i++)
    for (int s = 0; s < ns; s++) {
      double b = w*B[s*ld + i];
      if (b == 0) continue;
      const double *c = CB + s*ld;
      double *restrict k = K + i*ld;
      for (int j = symmetric ? i & ~3 : 0; j < ld; j++) k[j] += b*c[j];
    }
}

static double row_times(int nc, const double *b, const double *u) {
  double s = 0;
  for (int j = 0; j < nc; j++) s += b[j]*u[j];
  return s;
}

/* ---- B --------------------------------------------------------------------------------------- */

static void fill_small(const field *p, int k, int ld, double *B) {
  int n = p->nn + p->extra;
  memset(B, 0, (size_t)((p->dim == 3 ? 6 : 4)*ld)*sizeof(double));
  for (int a = 0; a < n; a++) {
    const double *g = p->g[k][a];
    double *b = B + p->dim*a;
    if (p->dim == 3) {
      b[0] = g[0], b[ld + 1] = g[1], b[2*ld + 2] = g[2];
      b[3*ld] = g[1], b[3*ld + 1] = g[0];
      b[4*ld + 1] = g[2], b[4*ld + 2] = g[1];
      b[5*ld] = g[2], b[5*ld + 2] = g[0];
    } else {
      b[0] = g[0], b[ld + 1] = g[1], b[2*ld] = g[2];
      b[3*ld] = g[1], b[3*ld + 1] = g[0];
    }
  }
}

static void fill_large(const field *p, int k, int ld, double *B) {
  memset(B, 0, (size_t)((p->dim == 3 ? 9 : 5)*ld)*sizeof(double));
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    double *b = B + p->dim*a;
    if (p->dim == 3) {
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b[(3*i + j)*ld + i] = g[j];
    } else {
      b[0] = g[0], b[ld] = g[1], b[2*ld + 1] = g[0], b[3*ld + 1] = g[1], b[4*ld] = g[2];
    }
  }
}

/* coefficients of the divergence */
static void divergence(const field *p, int k, double *d) {
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    for (int i = 0; i < p->dim; i++) d[p->dim*a + i] = g[i] + (p->dim == 2 && i == 0 ? g[2] : 0);
  }
}

/* ---- an evaluation --------------------------------------------------------------------------- */

typedef struct {
  tni_core_mode mode;
  const tni_solid_kind *kind;
  const tni_solid_at *at;
  tni_solid_out *out;
  unsigned want;
  int nc, ld, npoint; /* columns, as stored; history of a point                                 */
  bool at_once;       /* modes of a linear element, found with its stiffness                     */
  double soft;        /* tangent of the material by its elastic one, at the last point           */
  field p;
  double u[MAXCOL];
  double f[MAXCOL] __attribute__((aligned(64)));
  double K[MAXCOL*MAXCOL] __attribute__((aligned(64)));
  double B[MAXROW*MAXCOL] __attribute__((aligned(64)));
  double CB[MAXROW*MAXCOL] __attribute__((aligned(64)));
} evaluation;

static tni_matter_at matter_at(const evaluation *e, int k) {
  const tni_solid_at *at = e->at;
  return (tni_matter_at){.axes = at->axes,
                         .state0 = at->state0 ? at->state0 + (size_t)k*e->npoint : NULL,
                         .state = at->state ? at->state + (size_t)k*e->npoint : NULL};
}

/* thermal strain */
static double warmth(const evaluation *e, int k) {
  if (!e->at->warm) return 0;
  double T = 0;
  for (int a = 0; a < e->p.nn; a++) T += e->p.N[k][a]*e->at->warm[a];
  return e->kind->matter->expansion*T;
}

static void tell(evaluation *e, int k, const double strain[6], const double stress[6],
                 const tni_matter_at *m) {
  tni_solid_out *o = e->out;
  if (o->strain) memcpy(o->strain + 6*k, strain, 6*sizeof(double));
  if (o->stress) memcpy(o->stress + 6*k, stress, 6*sizeof(double));
  if (o->equivalent) o->equivalent[k] = m->plastic;
}

/* strains at point k: from the gradients of the unknowns, the volume's by its mean in bbar */
static void strain_at(const evaluation *e, int k, const double *mean, double eps[6]) {
  const field *p = &e->p;
  double H[9] = {0};
  int n = p->nn + p->extra;
  if (p->dim == 3) {
    for (int a = 0; a < n; a++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[3*i + j] += e->u[3*a + i]*p->g[k][a][j];
  } else {
    for (int a = 0; a < n; a++) {
      const double *g = p->g[k][a], *u = e->u + 2*a;
      H[0] += u[0]*g[0], H[1] += u[0]*g[1], H[3] += u[1]*g[0], H[4] += u[1]*g[1], H[8] += u[0]*g[2];
    }
  }
  eps[0] = H[0], eps[1] = H[4], eps[2] = H[8];
  eps[3] = H[1] + H[3], eps[4] = H[5] + H[7], eps[5] = H[6] + H[2];
  if (e->mode != TNI_CORE_BBAR) return;
  double grow = (row_times(e->nc, mean, e->u) - (eps[0] + eps[1] + eps[2]))/3;
  for (int i = 0; i < 3; i++) eps[i] += grow;
}

/* f += w B^T sigma without B */
static void push(evaluation *e, int k, double w, const double *mean, const double sig[6]) {
  const field *p = &e->p;
  int n = p->nn + p->extra;
  double pressure = 0, s[6];
  if (e->mode == TNI_CORE_BBAR) {
    pressure = w*(sig[0] + sig[1] + sig[2])/3;
    for (int j = 0; j < e->nc; j++) e->f[j] += pressure*mean[j];
  }
  for (int i = 0; i < 6; i++) s[i] = w*sig[i] - (i < 3 ? pressure : 0);
  if (p->dim == 3) {
    for (int a = 0; a < n; a++) {
      const double *g = p->g[k][a];
      double *f = e->f + 3*a;
      f[0] += s[0]*g[0] + s[3]*g[1] + s[5]*g[2];
      f[1] += s[3]*g[0] + s[1]*g[1] + s[4]*g[2];
      f[2] += s[5]*g[0] + s[4]*g[1] + s[2]*g[2];
    }
  } else {
    for (int a = 0; a < n; a++) {
      const double *g = p->g[k][a];
      double *f = e->f + 2*a;
      f[0] += s[0]*g[0] + s[3]*g[1] + s[2]*g[2];
      f[1] += s[3]*g[0] + s[1]*g[1];
    }
  }
}

/* stress and strain at point k; C NULL: not wanted */
static bool small_point(evaluation *e, int k, const double *mean, double sig[6], double *C, tni_matter_at *m,
                        double eps[6]) {
  const tni_matter *matter = e->kind->matter;
  double t = warmth(e, k), em[6];
  strain_at(e, k, mean, eps);
  for (int s = 0; s < 6; s++) em[s] = eps[s] - (s < 3 ? t : 0);
  *m = matter_at(e, k);
  if (e->kind->plane != TNI_PLANE_STRESS) return matter->type->small(matter, m, em, sig, C);
  if (!tni_matter_small_plane(matter, m, em, sig, C)) return false;
  eps[2] = em[2] + t;
  return true;
}

/* B at point k, with the mean divergence of bbar */
static void small_B(evaluation *e, int k, const double *mean) {
  double d[TNI_SOLID_MAXDOF];
  fill_small(&e->p, k, e->ld, e->B);
  if (e->mode != TNI_CORE_BBAR) return;
  divergence(&e->p, k, d);
  for (int j = 0; j < e->nc; j++)
    for (int s = 0; s < 3; s++) e->B[s*e->ld + j] += (mean[j] - d[j])/3;
}

static void mean_divergence(const evaluation *e, double *mean) {
  double d[TNI_SOLID_MAXDOF], V = 0;
  memset(mean, 0, (size_t)e->nc*sizeof(double));
  for (int k = 0; k < e->p.n; k++) {
    divergence(&e->p, k, d);
    V += e->p.w[k];
    for (int j = 0; j < e->nc; j++) mean[j] += e->p.w[k]*d[j];
  }
  for (int j = 0; j < e->nc; j++) mean[j] /= V;
}

/* ---- incompatible modes: their unknowns ------------------------------------------------------- */

enum { INC_TRIES = 40 };

/* find alpha = u[nv..] such that the modes do no work; starts at what u holds */
static bool find_modes(evaluation *e) {
  int nv = e->p.dim*e->p.nn, na = e->nc - nv, ns = e->p.dim == 3 ? 6 : 4;
  bool linear = e->kind->matter->type->linear;
  double before = HUGE_VAL;
  for (int it = 0; it < INC_TRIES; it++) {
    double r[MAXINC] = {0}, M[MAXINC*MAXINC] = {0}, scale = 0, work = 0;
    for (int k = 0; k < e->p.n; k++) {
      double sig[6], eps[6], C[36], CBa[MAXINC];
      tni_matter_at m;
      small_B(e, k, NULL);
      if (!small_point(e, k, NULL, sig, C, &m, eps)) return false;
      for (int s = 0; s < ns; s++) scale += e->p.w[k]*fabs(sig[s]*eps[s]);
      for (int i = 0; i < na; i++) {
        for (int s = 0; s < ns; s++) {
          CBa[s] = 0;
          for (int t = 0; t < ns; t++) CBa[s] += C[6*s + t]*e->B[t*e->ld + nv + i];
          r[i] += e->p.w[k]*sig[s]*e->B[s*e->ld + nv + i];
        }
        for (int j = 0; j <= i; j++) {
          double c = 0;
          for (int s = 0; s < ns; s++) c += CBa[s]*e->B[s*e->ld + nv + j];
          M[na*i + j] += e->p.w[k]*c;
        }
      }
    }
    for (int i = 0; i < na; i++)
      for (int j = 0; j < i; j++) M[na*j + i] = M[na*i + j];
    if (!tni_cholesky(na, M)) return false;
    double d[MAXINC];
    memcpy(d, r, sizeof(d));
    tni_cholesky_solve(na, M, d);
    for (int i = 0; i < na; i++) e->u[nv + i] -= d[i], work += d[i]*r[i];
    /* the step's energy; the next one is its square */
    if (linear || work <= 1e-26*scale || (work <= 1e-20*scale && work >= before)) return true;
    before = work;
  }
  return false;
}

/* Eliminate the last columns of the symmetric K from the rows and from f, one by one; *work: what the modes take from the
 * energy. False: they are not stable. */
WIDE_ROWS static bool condense(int nc, int nv, int ld, double *restrict K, double *restrict f, double *work) {
  *work = 0;
  for (int a = nc - 1; a >= nv; a--) {
    const double *restrict pivot = K + a*ld;
    double p = pivot[a];
    if (!(p > 0)) return false;
    *work += f[a]*f[a]/(2*p);
    for (int i = 0; i < a; i++) {
      double l = pivot[i]/p;
      double *restrict k = K + i*ld;
      for (int j = 0; j < a; j++) k[j] -= l*pivot[j];
      f[i] -= l*f[a];
    }
  }
  return true;
}

/* ---- small and large displacements ------------------------------------------------------------ */

/* is C that of an isotropic material? Then products of gradients are enough */
static bool is_isotropic(const double C[36]) {
  double lambda = C[1], mu = C[21];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double want = (i < 3 && j < 3 ? lambda : 0) + (i == j ? (i < 3 ? 2*mu : mu) : 0);
      if (fabs(C[6*i + j] - want) > 1e-15*(fabs(lambda) + mu)) return false;
    }
  return true;
}

/* K [ld][ld] += w g g^T from the diagonal on */
WIDE_ROWS static void add_product(int nc, int ld, double w, const double *restrict g, double *restrict K) {
  for (int i = 0; i < nc; i++) {
    double b = w*g[i];
    double *restrict k = K + i*ld;
    for (int j = i & ~3; j < ld; j++) k[j] += b*g[j];
  }
}

/* From S = sum w g g^T (upper part) the stiffness lambda S + mu S^T + mu tr S in blocks of nodes; bbar: lambda acts on the
 * mean, and so does a third of 2 mu */
static void isotropic_stiffness(evaluation *e, const double *C, const double *mean) {
  int n = e->p.nn + e->p.extra, ld = e->ld;
  double lambda = C[1], mu = C[21], V = 0, bulk = lambda + 2*mu/3;
  bool bar = e->mode == TNI_CORE_BBAR;
  double diagonal = bar ? -2*mu/3 : lambda;
  for (int k = 0; k < e->p.n; k++) V += e->p.w[k];
  for (int a = 0; a < n; a++)
    for (int b = a; b < n; b++) {
      double S[9], *K = e->K + 3*a*ld + 3*b;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[3*i + j] = a == b && j < i ? e->K[(3*a + j)*ld + 3*b + i] : K[i*ld + j];
      double trace = mu*(S[0] + S[4] + S[8]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double v = diagonal*S[3*i + j] + mu*S[3*j + i] + (i == j ? trace : 0);
          if (bar) v += bulk*V*mean[3*a + i]*mean[3*b + j];
          K[i*ld + j] = v;
        }
    }
}

/* K += w grad N_a . sigma grad N_b in every direction: what stresses do to a displacement that turns their lines of action */
static void add_stress(evaluation *e, int k, double w, const double s[6]) {
  const field *p = &e->p;
  int d = p->dim;
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    double t[3] = {s[0]*g[0] + s[3]*g[1], s[3]*g[0] + s[1]*g[1], 0};
    if (d == 3) t[0] += s[5]*g[2], t[1] += s[4]*g[2], t[2] = s[5]*g[0] + s[4]*g[1] + s[2]*g[2];
    for (int b = 0; b < p->nn; b++) {
      const double *h = p->g[k][b];
      double c = w*(t[0]*h[0] + t[1]*h[1] + t[2]*(d == 3 ? h[2] : 0));
      for (int i = 0; i < d; i++) e->K[(d*a + i)*e->ld + d*b + i] += c;
      if (d == 2) e->K[2*a*e->ld + 2*b] += w*s[2]*g[2]*h[2]; /* around the axis; g[2] is 0 elsewhere */
    }
  }
}

static bool eval_small(evaluation *e) {
  int ns = e->p.dim == 3 ? 6 : 4;
  bool tangent = e->want & TNI_SOLID_STIFFNESS, products = false;
  const tni_matter_type *type = e->kind->matter->type;
  double mean[TNI_SOLID_MAXDOF], C[36], g[MAXCOL] = {0};
  if (e->mode == TNI_CORE_BBAR) mean_divergence(e, mean);
  if (e->mode == TNI_CORE_INC && !e->at_once && !find_modes(e)) return false;
  for (int k = 0; k < e->p.n; k++) {
    double sig[6], eps[6], w = e->p.w[k];
    tni_matter_at m;
    /* a constant C is asked for once */
    bool ask = tangent && !(type->linear && k > 0);
    if (!small_point(e, k, mean, sig, ask ? C : NULL, &m, eps)) return false;
    if (e->want & TNI_SOLID_STRESS) tell(e, k, eps, sig, &m);
    e->out->energy += w*m.energy;
    e->out->dissipated += w*m.dissipated;
    e->soft = m.soft;
    if (e->want & TNI_SOLID_FORCE || e->at_once) push(e, k, w, mean, sig);
    if (!tangent) continue;
    if (k == 0) products = type->linear && e->p.dim == 3 && is_isotropic(C);
    if (products) {
      memcpy(g, e->p.g[k], (size_t)e->nc*sizeof(double));
      add_product(e->nc, e->ld, w, g, e->K);
      continue;
    }
    small_B(e, k, mean);
    multiply(ns, e->ld, C, 6, e->B, e->CB);
    if (e->mode == TNI_CORE_BBAR) add_dense(ns, e->nc, e->ld, w, true, e->B, e->CB, e->K);
    else add_three(e->nc, e->ld, e->p.dim, e->p.dim == 3 ? SMALL3 : SMALL2, w, true, e->B, e->CB, e->K);
  }
  if (!tangent) return true;
  if (products) isotropic_stiffness(e, C, mean);
  for (int i = 0; i < e->nc; i++)
    for (int j = 0; j < i; j++) e->K[i*e->ld + j] = e->K[j*e->ld + i];
  for (int k = 0; k < e->p.n && e->at->stressed; k++) {
    double sig[6], eps[6];
    tni_matter_at m;
    tni_solid_at quiet = *e->at;
    const tni_solid_at *at = e->at;
    quiet.state = NULL;
    e->at = &quiet;
    bool fine = small_point(e, k, mean, sig, NULL, &m, eps);
    e->at = at;
    if (!fine) return false;
    add_stress(e, k, e->p.w[k], sig);
  }
  return true;
}

static const signed char ROWS2[5] = {0, 1, 3, 4, 8}; /* components of F in plane models */

/* F [9] of the unknowns at point k */
static void deform(const evaluation *e, int k, double F[9]) {
  const field *p = &e->p;
  memset(F, 0, 9*sizeof(double));
  for (int i = 0; i < 3; i++) F[4*i] = 1;
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a], *u = e->u + p->dim*a;
    for (int i = 0; i < p->dim; i++)
      for (int j = 0; j < p->dim; j++) F[3*i + j] += u[i]*g[j];
    if (p->dim == 2) F[8] += u[0]*g[2];
  }
}

static double determinant(const double F[9]) {
  return F[0]*(F[4]*F[8] - F[5]*F[7]) - F[1]*(F[3]*F[8] - F[5]*F[6]) + F[2]*(F[3]*F[7] - F[4]*F[6]);
}

/* gradients in the deformed place, and the coefficients of the divergence there; false: J <= 0 */
static bool spatial(const field *p, int k, const double F[9], double (*gs)[3], double *d) {
  double G[9], J = determinant(F);
  if (!(J > 0)) return false;
  G[0] = F[4]*F[8] - F[5]*F[7], G[1] = F[2]*F[7] - F[1]*F[8], G[2] = F[1]*F[5] - F[2]*F[4];
  G[3] = F[5]*F[6] - F[3]*F[8], G[4] = F[0]*F[8] - F[2]*F[6], G[5] = F[2]*F[3] - F[0]*F[5];
  G[6] = F[3]*F[7] - F[4]*F[6], G[7] = F[1]*F[6] - F[0]*F[7], G[8] = F[0]*F[4] - F[1]*F[3];
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    for (int i = 0; i < p->dim; i++) {
      double s = 0;
      for (int j = 0; j < p->dim; j++) s += g[j]*G[3*j + i];
      gs[a][i] = s/J;
    }
    if (p->dim == 2) gs[a][2] = g[2]/F[8];
    for (int i = 0; i < p->dim; i++) d[p->dim*a + i] = gs[a][i] + (p->dim == 2 && i == 0 ? gs[a][2] : 0);
  }
  return true;
}

enum { BAR_NODES = 8, BAR_COLUMNS = 3*BAR_NODES, BAR_POINTS = 8 }; /* cells that have bbar: hex8, quad4 */

/* bbar at large strains: what the element has as a whole, and its points */
typedef struct {
  double theta, VJ;                /* mean of J, sum of w J                                     */
  double mean[BAR_COLUMNS];        /* mean divergence                                           */
  double stretch;                  /* sum of w P':F'/3                                          */
  struct {
    double J, PF;                  /* det F, w P':F'/3                                          */
    double gs[BAR_NODES][3];       /* gradients in the deformed place                           */
    double d[BAR_COLUMNS], a[BAR_COLUMNS]; /* divergence; mean - divergence                     */
    double left[BAR_COLUMNS], right[BAR_COLUMNS]; /* K += a right^T + left a^T                  */
  } at[BAR_POINTS];
} volume_mean;

/* K += a right^T + left a^T + c d d^T + cross h:h'^T, h the gradients of unit motions in the deformed place; cross
 * couples direction i of one node with j of the other by g_j g'_i, and hoops with each other */
WIDE_ROWS static void add_bar(int nn, int dim, int ld, double c, double cross, const double *restrict d,
                              const double *restrict a, const double *restrict left, const double *restrict right,
                              const double (*gs)[3], double *restrict K) {
  double T[3][3][BAR_COLUMNS] = {{{0}}}, hoop[BAR_COLUMNS] = {0};
  int nc = nn*dim;
  for (int n = 0; n < nn; n++) {
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) T[i][j][dim*n + j] = gs[n][i];
    if (dim == 2) hoop[2*n] = gs[n][2];
  }
  for (int n = 0; n < nn; n++)
    for (int i = 0; i < dim; i++) {
      int row = dim*n + i;
      double x = a[row], y = left[row], z = c*d[row], g0 = cross*gs[n][0], g1 = cross*gs[n][1];
      double g2 = cross*gs[n][2];
      const double *restrict t0 = T[i][0], *restrict t1 = T[i][1], *restrict t2 = dim == 3 ? T[i][2] : hoop;
      double *restrict k = K + row*ld;
      if (dim == 2 && i == 1) g2 = 0;
      for (int j = 0; j < nc; j++)
        k[j] += x*right[j] + y*a[j] + z*d[j] + (g0*t0[j] + g1*t1[j] + g2*t2[j]);
    }
}

static bool mean_volume(evaluation *e, volume_mean *v) {
  double V = 0, F[9];
  v->VJ = v->stretch = 0;
  memset(v->mean, 0, sizeof(v->mean));
  for (int k = 0; k < e->p.n; k++) {
    deform(e, k, F);
    if (!spatial(&e->p, k, F, v->at[k].gs, v->at[k].d)) return false;
    v->at[k].J = determinant(F);
    double wJ = e->p.w[k]*v->at[k].J;
    V += e->p.w[k];
    v->VJ += wJ;
    for (int j = 0; j < e->nc; j++) v->mean[j] += wJ*v->at[k].d[j];
  }
  v->theta = v->VJ/V;
  for (int j = 0; j < e->nc; j++) v->mean[j] /= v->VJ;
  return true;
}

/* Green's strain of F */
static void green(const double F[9], double E[6]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1)%3;
    E[i] = (F[i]*F[i] + F[3 + i]*F[3 + i] + F[6 + i]*F[6 + i] - 1)/2;
    E[i + 3] = F[i]*F[j] + F[3 + i]*F[3 + j] + F[6 + i]*F[6 + j];
  }
}

/* stress at a point: the law sees F without its thermal part, F/(1 + t), whose volume is (1 + t)^3 */
static bool large_point(evaluation *e, int k, double F[9], double P[9], double *A, tni_matter_at *m) {
  const tni_matter *matter = e->kind->matter;
  double b = 1 + warmth(e, k), Fe[9];
  *m = matter_at(e, k);
  for (int i = 0; i < 9; i++) Fe[i] = F[i]/b;
  if (e->kind->plane == TNI_PLANE_STRESS) {
    if (!tni_matter_large_plane(matter, m, Fe, P, A)) return false;
    F[8] = Fe[8]*b;
  } else if (!matter->type->large(matter, m, Fe, P, A)) {
    return false;
  }
  if (b != 1) {
    for (int i = 0; i < 9; i++) P[i] *= b*b;
    for (int i = 0; i < 81 && A; i++) A[i] *= b;
    m->energy *= b*b*b;
    m->dissipated *= b*b*b;
  }
  return true;
}

/* f += w P g */
static void push_large(evaluation *e, int k, double w, const double P[9]) {
  const field *p = &e->p;
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    double *f = e->f + p->dim*a;
    for (int i = 0; i < p->dim; i++) {
      double s = 0;
      for (int j = 0; j < p->dim; j++) s += P[3*i + j]*g[j];
      f[i] += w*s;
    }
    if (p->dim == 2) f[0] += w*P[8]*g[2];
  }
}

/* the part of a point in K: w B^T A B; columns of B in three rows */
static void stiffen(evaluation *e, int k, double w, const double A[81]) {
  int dim = e->p.dim, ns = dim == 3 ? 9 : 5;
  double Ar[25];
  fill_large(&e->p, k, e->ld, e->B);
  if (dim == 2)
    for (int r = 0; r < ns; r++)
      for (int c = 0; c < ns; c++) Ar[ns*r + c] = A[9*ROWS2[r] + ROWS2[c]];
  multiply(ns, e->ld, dim == 3 ? A : Ar, ns, e->B, e->CB);
  add_three(e->nc, e->ld, dim, dim == 3 ? LARGE3 : LARGE2, w, false, e->B, e->CB, e->K);
}

/* x [nc] = B^T Y for Y [9] */
static void times_B(const evaluation *e, int k, const double Y[9], double *x) {
  const field *p = &e->p;
  for (int a = 0; a < p->nn; a++) {
    const double *g = p->g[k][a];
    for (int i = 0; i < p->dim; i++) {
      double s = p->dim == 2 && i == 0 ? Y[8]*g[2] : 0;
      for (int j = 0; j < p->dim; j++) s += Y[3*i + j]*g[j];
      x[p->dim*a + i] = s;
    }
  }
}

/* bbar: forces of a point, and what its stiffness needs beside q^2 B^T A B. With dF' = q (dF + a F/3), F' = q F:
 *   dF':A:dF'    = q^2 (dF:A:dF + (dF:A:F) a/3 + a (F:A:dF)/3 + (F:A:F) a a/9)
 *   P':d(dF')    = P':F' (dda/3 - a a/9) + (a s + s a)/3,  s = dF':P' */
static void bar_point(evaluation *e, int k, double w, double q, const double F[9], const double P[9], const double *A,
                      volume_mean *v) {
  double s[BAR_COLUMNS], y[BAR_COLUMNS], z[BAR_COLUMNS], PF = 0, AF[9], FA[9], FAF = 0;
  double *a = v->at[k].a, *left = v->at[k].left, *right = v->at[k].right;
  for (int j = 0; j < e->nc; j++) a[j] = v->mean[j] - v->at[k].d[j];
  for (int i = 0; i < 9; i++) PF += P[i]*F[i]; /* F is F' here */
  times_B(e, k, P, s);
  for (int j = 0; j < e->nc; j++) {
    s[j] = q*s[j] + PF*a[j]/3;
    e->f[j] += w*s[j];
  }
  v->at[k].PF = w*PF/3;
  v->stretch += w*PF/3;
  if (!A) return;
  for (int i = 0; i < 9; i++) {
    AF[i] = FA[i] = 0;
    for (int j = 0; j < 9; j++) AF[i] += A[9*i + j]*F[j], FA[i] += F[j]*A[9*j + i];
    FAF += F[i]*AF[i];
  }
  times_B(e, k, AF, y);
  times_B(e, k, FA, z);
  for (int j = 0; j < e->nc; j++) {
    right[j] = w/3*(s[j] + q*z[j]);
    left[j] = w/3*(s[j] + q*y[j]) + w*(FAF - PF)/9*a[j];
  }
}

static bool eval_large(evaluation *e) {
  bool tangent = e->want & TNI_SOLID_STIFFNESS, bar = e->mode == TNI_CORE_BBAR;
  volume_mean v;
  if (bar && !mean_volume(e, &v)) return false;
  for (int k = 0; k < e->p.n; k++) {
    double F[9], P[9], A[81], sig[6], eps[6], w = e->p.w[k], q = 1;
    tni_matter_at m;
    deform(e, k, F);
    if (bar) {
      q = cbrt(v.theta/v.at[k].J);
      for (int i = 0; i < 9; i++) F[i] *= q;
    }
    if (!large_point(e, k, F, P, tangent ? A : NULL, &m)) return false;
    if (e->want & TNI_SOLID_STRESS) {
      tni_cauchy(F, P, sig);
      green(F, eps);
      tell(e, k, eps, sig, &m);
    }
    e->out->energy += w*m.energy;
    e->out->dissipated += w*m.dissipated;
    e->soft = m.soft;
    if (bar) bar_point(e, k, w, q, F, P, tangent ? A : NULL, &v);
    else push_large(e, k, w, P);
    if (tangent) stiffen(e, k, bar ? w*q*q : w, A);
  }
  if (!tangent || !bar) return true;
  /* dda: second derivatives of ln theta - ln J */
  for (int k = 0; k < e->p.n; k++) {
    double c = v.stretch*e->p.w[k]*v.at[k].J/v.VJ;
    add_bar(e->p.nn, e->p.dim, e->ld, c, v.at[k].PF - c, v.at[k].d, v.at[k].a, v.at[k].left, v.at[k].right,
            (const double(*)[3])v.at[k].gs, e->K);
  }
  for (int i = 0; i < e->nc; i++)
    for (int j = 0; j < e->nc; j++) e->K[i*e->ld + j] -= v.stretch*v.mean[i]*v.mean[j];
  return true;
}

/* ---- hourglasses ------------------------------------------------------------------------------ */

/* Where the material yields, so must what resists hourglasses, or it would carry the load. Its stiffness falls by the
 * tangent of the material, not below 1/20, and stays there; the fall acts from the next accepted instant on, so that forces
 * keep their potential within a step. What is lost is heat. History: one number, 1 - stiffness. */
static void add_hourglass(evaluation *e) {
  const field *p = &e->p;
  const tni_solid_kind *kind = e->kind;
  double now = 1, then = 1;
  if (kind->nstate) {
    double soft0 = e->at->state0[kind->nstate - 1], soft = fmax(soft0, fmin(1 - e->soft, 0.95));
    if (e->at->state) e->at->state[kind->nstate - 1] = soft;
    now = 1 - soft0, then = 1 - soft;
  }
  for (int m = 0; m < p->ngamma; m++)
    for (int i = 0; i < p->dim; i++) {
      double q = 0, c = now*p->c;
      for (int a = 0; a < p->nn; a++) q += p->gamma[m][a]*e->u[p->dim*a + i];
      e->out->energy += then*p->c*q*q/2;
      e->out->dissipated += (now - then)*p->c*q*q/2;
      for (int a = 0; a < p->nn; a++) e->f[p->dim*a + i] += c*p->gamma[m][a]*q;
      if (!(e->want & TNI_SOLID_STIFFNESS)) continue;
      for (int a = 0; a < p->nn; a++)
        for (int b = 0; b < p->nn; b++)
          e->K[(p->dim*a + i)*e->ld + p->dim*b + i] += c*p->gamma[m][a]*p->gamma[m][b];
    }
}

bool tni_core_eval(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at,
                   unsigned want, tni_solid_out *out) {
  evaluation e;
  /* the volume is free in plane stress: nothing to average */
  e.mode = core->mode == TNI_CORE_BBAR && kind->plane == TNI_PLANE_STRESS ? TNI_CORE_PLAIN : core->mode;
  e.kind = kind, e.at = at, e.out = out, e.want = want;
  out->energy = out->dissipated = 0;
  if (!field_of(core, kind, at->X, &e.p)) return false;
  int nv = e.p.dim*e.p.nn;
  e.nc = nv + e.p.dim*e.p.extra;
  e.ld = (e.nc + 3) & ~3;
  e.npoint = tni_matter_nstate(kind->matter, kind->large);
  memcpy(e.u, at->u, (size_t)nv*sizeof(double));
  int kept = e.nc - nv; /* unknowns of modes are history where the law is not linear */
  const double *before = kept && kind->nstate && at->state0 ? at->state0 + kind->nstate - kept : NULL;
  for (int i = 0; i < kept; i++) e.u[nv + i] = before ? before[i] : 0;
  memset(e.f, 0, (size_t)e.ld*sizeof(double));
  if (want & TNI_SOLID_STIFFNESS) memset(e.K, 0, (size_t)(e.ld*e.ld)*sizeof(double));
  e.at_once = kept && kind->matter->type->linear && want & TNI_SOLID_STIFFNESS && !(want & TNI_SOLID_STRESS) && !at->stressed;
  if (!(kind->large ? eval_large(&e) : eval_small(&e))) return false;
  if (e.mode == TNI_CORE_ONE) add_hourglass(&e);
  if (kept && at->state && kind->nstate) memcpy(at->state + kind->nstate - kept, e.u + nv, (size_t)kept*sizeof(double));
  if (kept && want & TNI_SOLID_STIFFNESS) {
    double work;
    if (!e.at_once) memset(e.f + nv, 0, (size_t)kept*sizeof(double)); /* modes are in equilibrium */
    if (!condense(e.nc, nv, e.ld, e.K, e.f, &work)) return false;
    out->energy -= work;
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < i; j++) e.K[i*e.ld + j] = e.K[j*e.ld + i];
  }
  if (want & TNI_SOLID_FORCE) memcpy(out->f, e.f, (size_t)nv*sizeof(double));
  if (!(want & TNI_SOLID_STIFFNESS)) return true;
  for (int i = 0; i < nv; i++) memcpy(out->K + (size_t)i*nv, e.K + i*e.ld, (size_t)nv*sizeof(double));
  return true;
}

bool tni_core_apply(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at, const double *x, double *y) {
  double f[TNI_SOLID_MAXDOF];
  int nv = tni_shape_nnode(core->cell)*tni_shape_dim(core->cell);
  tni_solid_at a = *at;
  a.state = NULL;
  if (!kind->large && kind->matter->type->linear) {
    /* forces are K u; warmth is no part of K */
    tni_solid_out out = {.f = f};
    a.u = x, a.warm = NULL;
    if (!tni_core_eval(core, kind, &a, TNI_SOLID_FORCE, &out)) return false;
    for (int i = 0; i < nv; i++) y[i] += f[i];
    return true;
  }
  double K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  tni_solid_out out = {.K = K};
  if (!tni_core_eval(core, kind, &a, TNI_SOLID_STIFFNESS, &out)) return false;
  for (int i = 0; i < nv; i++) y[i] += row_times(nv, K + (size_t)i*nv, x);
  return true;
}

/* ---- kind, mass, rate ------------------------------------------------------------------------- */

bool tni_core_prepare(const tni_core *core, tni_solid_kind *kind, char *why, size_t n) {
  int dim = tni_shape_dim(core->cell);
  const tni_matter *matter = kind->matter;
  const char *option = kind->type->option[kind->option];
  if (dim == 2 && kind->plane == TNI_PLANE_NONE) {
    snprintf(why, n, "%s needs to know whether it is in plane stress, plane strain or axisymmetric", kind->type->name);
    return false;
  }
  if (dim == 3) kind->plane = TNI_PLANE_NONE;
  if (core->mode == TNI_CORE_INC && kind->large) {
    snprintf(why, n, "option %s of %s is for small displacements; use bbar or full", option, kind->type->name);
    return false;
  }
  if (kind->large && !matter->type->large) {
    snprintf(why, n, "material '%s' of type %s is for small displacements", matter->name ? matter->name : "",
             matter->type->type.name);
    return false;
  }
  if (kind->large && kind->plane == TNI_PLANE_STRESS && tni_matter_nstate(matter, true) > 0) {
    snprintf(why, n, "material type %s is not known in plane stress at large displacements",
             matter->type->type.name);
    return false;
  }
  tni_rule_points q;
  tni_rule_of(core->cell, tni_core_rule(core, kind), &q);
  kind->ngauss = core->mode == TNI_CORE_ONE ? 1 : q.n;
  kind->nstate = kind->ngauss*tni_matter_nstate(matter, kind->large);
  if (core->mode == TNI_CORE_INC && !matter->type->linear) kind->nstate += dim*dim;
  if (core->mode == TNI_CORE_ONE && kind->nstate) kind->nstate++;
  return true;
}

void tni_core_begin(const tni_core *core, const tni_solid_kind *kind, double *state) {
  (void)core;
  int n = tni_matter_nstate(kind->matter, kind->large);
  memset(state, 0, (size_t)kind->nstate*sizeof(double));
  for (int k = 0; k < kind->ngauss && n; k++) tni_matter_begin(kind->matter, kind->large, state + (size_t)k*n);
}

double tni_core_volume(const tni_core *core, const tni_solid_kind *kind, const double *X,
                       double *share) {
  field p;
  double V = 0;
  int nn = tni_shape_nnode(core->cell);
  for (int a = 0; a < nn && share; a++) share[a] = 0;
  if (!lay_out(core->cell, kind->thin_mass ? core->rule : core->mass, kind, X, &p)) return 0;
  for (int k = 0; k < p.n; k++) {
    V += p.w[k];
    for (int a = 0; a < nn && share; a++) share[a] += p.w[k]*kind->matter->density*p.N[k][a];
  }
  return V;
}

void tni_core_mass(const tni_core *core, const tni_solid_kind *kind, const double *X, bool lumped,
                   double *M) {
  field p;
  int nn = tni_shape_nnode(core->cell), dim = tni_shape_dim(core->cell), nv = nn*dim;
  double m[TNI_SOLID_MAXNODE][TNI_SOLID_MAXNODE] = {{0}}, diagonal[TNI_SOLID_MAXNODE] = {0}, total = 0, sum = 0;
  memset(M, 0, (size_t)(lumped ? nv : nv*nv)*sizeof(double));
  if (!lay_out(core->cell, kind->thin_mass && !lumped ? core->rule : core->mass, kind, X, &p)) return;
  for (int k = 0; k < p.n; k++) {
    double w = p.w[k]*kind->matter->density;
    total += w;
    for (int a = 0; a < nn; a++) {
      if (lumped) diagonal[a] += core->row_sum ? w*p.N[k][a] : w*p.N[k][a]*p.N[k][a];
      else for (int b = 0; b < nn; b++) m[a][b] += w*p.N[k][a]*p.N[k][b];
    }
  }
  if (lumped) {
    for (int a = 0; a < nn; a++) sum += diagonal[a];
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < dim; i++) M[dim*a + i] = sum > 0 ? diagonal[a]*(total/sum) : 0;
    return;
  }
  for (int a = 0; a < nn; a++)
    for (int b = 0; b < nn; b++)
      for (int i = 0; i < dim; i++) M[(size_t)(dim*a + i)*nv + dim*b + i] = m[a][b];
}

/* what lies so near may be the largest, by rounding */
static const double NEAR = 1e-11;

/* do all eigenvalues of A lie below x? x - A has a factor of Cholesky then */
static bool lies_below(int n, const double *A, double x) {
  double B[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  for (int i = 0; i < n*n; i++) B[i] = -A[i];
  for (int i = 0; i < n; i++) B[i*n + i] += x;
  return tni_cholesky(n, B);
}

double tni_core_rate(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at) {
  double K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF], M[TNI_SOLID_MAXDOF];
  int nv = tni_shape_nnode(core->cell)*tni_shape_dim(core->cell);
  tni_solid_out out = {.K = K};
  tni_solid_at quiet = *at;
  quiet.state = NULL;
  if (!tni_core_eval(core, kind, &quiet, TNI_SOLID_STIFFNESS, &out)) return 0;
  tni_core_mass(core, kind, at->X, true, M);
  for (int i = 0; i < nv; i++)
    if (!(M[i] > 0)) return HUGE_VAL;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j <= i; j++)
      K[i*nv + j] = K[j*nv + i] = (K[i*nv + j] + K[j*nv + i])/2/sqrt(M[i]*M[j]);
  if (at->least > 0 && lies_below(nv, K, at->least*at->least*(1 - NEAR))) return 0;
  return sqrt(fmax(0, tni_largest_eigenvalue(nv, K)));
}
