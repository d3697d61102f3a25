/* solids/shell.c - shells with six unknowns a node: shell4 with assumed transverse shears (MITC4), shell8 by reduced integration
 *
 *   place          x = sum N_a (X_a + zeta t/2 V_a), V_a the normal at the node
 *   displacement   u = sum N_a (u_a + zeta t/2 theta_a x V_a)
 *   strains        e_rr, e_ss, e_rs of the covariant basis at every point; e_rz from the middles of the edges s = -1, 1, e_sz
 *                  from r = -1, 1 (Bathe and Dvorkin; shell8: at the points themselves); then to axes e1 = g_r/|g_r|, e3 normal to the surface
 *   stress         plane; shear across by 5/6
 *   drilling       1/2 alpha G t int (theta.e3 - omega_3)^2, omega_3 = (e2.u,1 - e1.u,2)/2, alpha = 0.01
 *
 * 2 x 2 points in the surface, 2 (elastic) or 5 (history) Gauss points across. Large displacements: corotational, axes from
 * the diagonals of the corners: e3 along d13 x d24, e1 along d13 - d24. Sides of shell8 bend within the element, so that its middle
 * surface turns beside the axes: e_rr, e_ss, 2 e_rs get u,r.u,r/2, u,s.u,s/2, u,r.u,s of the local displacements. Stresses are told at 2 x 2 points on the lower surface, then on the
 * upper one, in axes e1, e2, e3.
 *
 * Mass: rho t int N; about the axes m_a t^2/12 (consistent) or m_a max(t^2/12, A/8) (lumped, so that turning does not limit
 * explicit steps).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "solids/core.h"
#include "solids/corotate.h"
#include "solids/list.h"

enum { MAXNN = 8, MAXNV = 6*MAXNN, NROW = 5, INPLANE = 4, ACROSS = 5 };
static const double DRILL = 0.01;
static const int PAIR[NROW][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 2}, {2, 0}};

static const char *const options4[] = {"mitc", NULL}, *const options8[] = {"reduced", NULL};

static int usual(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 0;
}

static bool prepare(tni_solid_kind *kind, char *why, size_t n) {
  if (!(kind->thickness > 0)) {
    snprintf(why, n, "%s needs a thickness > 0", kind->type->name);
    return false;
  }
  kind->plane = TNI_PLANE_NONE;
  kind->ngauss = 2*INPLANE;
  kind->nstate = INPLANE*ACROSS*tni_matter_nstate(kind->matter, false);
  return true;
}

static void begin(const tni_solid_kind *kind, const double *X, const double *axes, double *state) {
  (void)X, (void)axes;
  int n = tni_matter_nstate(kind->matter, false);
  for (int k = 0; k < INPLANE*ACROSS && n; k++) tni_matter_begin(kind->matter, false, state + k*n);
}

/* ---- axes --------------------------------------------------------------------------------------- */

/* columns from the diagonals; false: the nodes are on a line */
static bool axes_of(const double (*x)[3], double E[9]) {
  double p[3], q[3], n[3], a[3], b[3];
  vec3_sub(p, x[2], x[0]);
  vec3_sub(q, x[3], x[1]);
  vec3_cross(n, p, q);
  vec3_sub(a, p, q);
  if (!(vec3_normalize(n, n) > 0) || !(vec3_normalize(a, a) > 0)) return false;
  vec3_cross(b, n, a);
  for (int i = 0; i < 3; i++) E[3*i] = a[i], E[3*i + 1] = b[i], E[3*i + 2] = n[i];
  return true;
}

/* spin of the axes by local motions of the nodes */
static void fill_spin(tni_corotation *c) {
  double p[3], q[3];
  vec3_sub(p, c->xl[2], c->xl[0]);
  vec3_sub(q, c->xl[3], c->xl[1]);
  double N = p[0]*q[1] - p[1]*q[0], a = p[0] - q[0];
  memset(c->G, 0, sizeof(c->G));
  for (int i = 0; i < 2; i++) {
    c->G[i][2] = q[i]/N, c->G[i][12 + 2] = -q[i]/N;
    c->G[i][6 + 2] = -p[i]/N, c->G[i][18 + 2] = p[i]/N;
  }
  c->G[2][1] = c->G[2][18 + 1] = -1/a;
  c->G[2][6 + 1] = c->G[2][12 + 1] = 1/a;
}

/* derivative of G^T mu by local places, see corotate.h */
static void spin_slope(const tni_corotation *c, const double mu[3], double *D) {
  double p[3], q[3];
  int nv = c->nv;
  vec3_sub(p, c->xl[2], c->xl[0]);
  vec3_sub(q, c->xl[3], c->xl[1]);
  double N = p[0]*q[1] - p[1]*q[0], a = p[0] - q[0];
  double g1 = (q[0]*mu[0] + q[1]*mu[1])/N, g2 = -(p[0]*mu[0] + p[1]*mu[1])/N;
  /* rows: z of nodes 0, 2 (g1, -g1), of 1, 3 (g2, -g2); by p1 p2 q1 q2 */
  double dN[4] = {q[1], -q[0], -p[1], p[0]}, d1[4], d2[4], d3[4] = {mu[2]/(a*a), 0, -mu[2]/(a*a), 0};
  for (int k = 0; k < 4; k++) {
    d1[k] = (k >= 2 ? mu[k - 2]/N : 0) - g1*dN[k]/N;
    d2[k] = (k < 2 ? -mu[k]/N : 0) - g2*dN[k]/N;
  }
  static const int node[4][2] = {{2, 0}, {2, 0}, {3, 1}, {3, 1}}; /* p = x2 - x0, q = x3 - x1 */
  for (int k = 0; k < 4; k++)
    for (int s = 0; s < 2; s++) {
      int column = 6*node[k][s] + k%2;
      double sign = s ? -1 : 1;
      D[2*nv + column] += sign*d1[k];
      D[(12 + 2)*nv + column] -= sign*d1[k];
      D[(6 + 2)*nv + column] += sign*d2[k];
      D[(18 + 2)*nv + column] -= sign*d2[k];
      /* y: -1/a at nodes 0, 3; +1/a at 1, 2; d(1/a) = -da/a^2, da = dp1 - dq1 */
      D[1*nv + column] += sign*d3[k];
      D[(18 + 1)*nv + column] += sign*d3[k];
      D[(6 + 1)*nv + column] -= sign*d3[k];
      D[(12 + 1)*nv + column] -= sign*d3[k];
    }
}

/* ---- strains in local axes ----------------------------------------------------------------------- */

typedef struct {
  tni_cell cell;
  int nn, nv;
  double X[MAXNN][3], V[MAXNN][3], t; /* local places at rest, normals, thickness                */
} sheet;

/* normals at the nodes: those given, or of the element */
static void normals(const tni_corotation *c, const double *director, sheet *s) {
  for (int a = 0; a < s->nn; a++) vec3_copy(s->X[a], c->Xl[a]);
  for (int a = 0; a < s->nn; a++) {
    if (director) {
      mat3_tvec(s->V[a], c->E0, director + 3*a);
      continue;
    }
    double xi[3], N[MAXNN], dN[MAXNN][3], r[3] = {0, 0, 0}, t[3] = {0, 0, 0};
    tni_shape_node(s->cell, a, xi);
    tni_shape(s->cell, xi, N, dN);
    for (int b = 0; b < s->nn; b++) vec3_addmul(r, dN[b][0], s->X[b]), vec3_addmul(t, dN[b][1], s->X[b]);
    vec3_cross(s->V[a], r, t);
    vec3_normalize(s->V[a], s->V[a]);
  }
}

typedef struct {
  double N[MAXNN], dN[MAXNN][3], gr[3], gs[3], gz[3];
} basis;

static void basis_at(const sheet *s, double r, double t, double zeta, basis *b) {
  double xi[3] = {r, t, 0};
  tni_shape(s->cell, xi, b->N, b->dN);
  memset(b->gr, 0, sizeof(b->gr)), memset(b->gs, 0, sizeof(b->gs)), memset(b->gz, 0, sizeof(b->gz));
  for (int a = 0; a < s->nn; a++)
    for (int i = 0; i < 3; i++) {
      double x = s->X[a][i] + zeta*s->t/2*s->V[a][i];
      b->gr[i] += b->dN[a][0]*x;
      b->gs[i] += b->dN[a][1]*x;
      b->gz[i] += s->t/2*b->N[a]*s->V[a][i];
    }
}

/* row += f (g . du/dk) for k = r, s at zeta: u_a and theta_a x V_a */
static void add_slope(const sheet *s, const basis *b, const double g[3], int k, double zeta, double f, double *row) {
  for (int a = 0; a < s->nn; a++) {
    double c = f*b->dN[a][k], turn[3];
    vec3_cross(turn, s->V[a], g);
    for (int i = 0; i < 3; i++) {
      row[6*a + i] += c*g[i];
      row[6*a + 3 + i] += c*zeta*s->t/2*turn[i];
    }
  }
}

/* row += f (g . du/dzeta) */
static void add_across(const sheet *s, const basis *b, const double g[3], double f, double *row) {
  for (int a = 0; a < s->nn; a++) {
    double turn[3];
    vec3_cross(turn, s->V[a], g);
    for (int i = 0; i < 3; i++) row[6*a + 3 + i] += f*b->N[a]*s->t/2*turn[i];
  }
}

/* the shears 2 e_rz at (0, -1), (0, 1) and 2 e_sz at (-1, 0), (1, 0) */
static void tie(const sheet *s, double row[4][MAXNV]) {
  static const double at[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  memset(row, 0, 4*MAXNV*sizeof(double));
  if (s->nn != 4) return;
  for (int k = 0; k < 4; k++) {
    basis b;
    basis_at(s, at[k][0], at[k][1], 0, &b);
    add_across(s, &b, k < 2 ? b.gr : b.gs, 1, row[k]);
    add_slope(s, &b, b.gz, k < 2 ? 0 : 1, 0, 1, row[k]);
  }
}

/* A point: rows of strains 11 22 12 23 31 in its axes (their derivatives, where `slope` makes them quadratic), what of slopes
 * they count twice then, the axes, the contravariant basis in them A[k][i] = g^i . e_k */
typedef struct {
  double B[NROW][MAXNV], twice[NROW], frame[9], A[3][3];
} strains;

/* slope [2][3]: of the middle surface by r and s in a large element, NULL: linear; returns the volume by that of the coordinates,
 * <= 0: folded */
static double strains_at(const sheet *s, double row[4][MAXNV], const double (*slope)[3], double r, double t, double zeta, strains *o) {
  basis b, mid;
  double rr[MAXNV] = {0}, ss[MAXNV] = {0}, rs[MAXNV] = {0}, own[2][MAXNV] = {{0}}, e1[3] = {0}, e2[3], e3[3] = {0}, c[3];
  basis_at(s, r, t, zeta, &b);
  add_slope(s, &b, b.gr, 0, zeta, 1, rr);
  add_slope(s, &b, b.gs, 1, zeta, 1, ss);
  add_slope(s, &b, b.gr, 1, zeta, 1, rs);
  add_slope(s, &b, b.gs, 0, zeta, 1, rs);
  for (int a = 0; a < s->nn && slope; a++)
    for (int i = 0; i < 3; i++) {
      rr[6*a + i] += b.dN[a][0]*slope[0][i];
      ss[6*a + i] += b.dN[a][1]*slope[1][i];
      rs[6*a + i] += b.dN[a][0]*slope[1][i] + b.dN[a][1]*slope[0][i];
    }
  if (s->nn != 4) { /* the shears of the middle surface at this very place */
    basis_at(s, r, t, 0, &mid);
    for (int k = 0; k < 2; k++) {
      add_across(s, &mid, k ? mid.gs : mid.gr, 1, own[k]);
      add_slope(s, &mid, mid.gz, k, 0, 1, own[k]);
    }
  }
  vec3_cross(c, b.gr, b.gs);
  double volume = vec3_dot(c, b.gz);
  if (!(volume > 0)) return volume;
  vec3_normalize(e3, c);
  vec3_normalize(e1, b.gr);
  vec3_cross(e2, e3, e1);
  for (int i = 0; i < 3; i++) o->frame[3*i] = e1[i], o->frame[3*i + 1] = e2[i], o->frame[3*i + 2] = e3[i];
  double up[3][3], (*A)[3] = o->A;
  const double *e[3] = {e1, e2, e3};
  vec3_cross(up[0], b.gs, b.gz);
  vec3_cross(up[1], b.gz, b.gr);
  vec3_copy(up[2], c);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) A[k][i] = vec3_dot(up[i], e[k])/volume;
  for (int j = 0; j < s->nv; j++) {
    double rz = own[0][j], sz = own[1][j];
    if (s->nn == 4) {
      rz = (1 - t)/2*row[0][j] + (1 + t)/2*row[1][j];
      sz = (1 - r)/2*row[2][j] + (1 + r)/2*row[3][j];
    }
    double in[2][2] = {{rr[j], rs[j]/2}, {rs[j]/2, ss[j]}}, out[2] = {rz/2, sz/2}, eps[3][3] = {{0}};
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        if (k == 2 && l == 2) continue;
        for (int m = 0; m < 2; m++) {
          for (int n = 0; n < 2; n++) eps[k][l] += in[m][n]*A[k][m]*A[l][n];
          eps[k][l] += out[m]*(A[k][m]*A[l][2] + A[k][2]*A[l][m]);
        }
      }
    o->B[0][j] = eps[0][0], o->B[1][j] = eps[1][1], o->B[2][j] = 2*eps[0][1];
    o->B[3][j] = 2*eps[1][2], o->B[4][j] = 2*eps[2][0];
  }
  for (int i = 0; i < NROW; i++) {
    double eps = 0;
    for (int m = 0; m < 2 && slope; m++)
      for (int n = 0; n < 2; n++) eps += vec3_dot(slope[m], slope[n])*A[PAIR[i][0]][m]*A[PAIR[i][1]][n]/2;
    o->twice[i] = (i < 2 ? 1 : 2)*eps;
  }
  return volume;
}

static void strain_of(const sheet *s, const strains *o, const double *ub, double eps[NROW]) {
  for (int i = 0; i < NROW; i++) {
    eps[i] = -o->twice[i];
    for (int j = 0; j < s->nv; j++) eps[i] += o->B[i][j]*ub[j];
  }
}

/* ---- stress -------------------------------------------------------------------------------------- */

typedef struct {
  const tni_solid_kind *kind;
  const tni_solid_at *at;
  tni_solid_out *out;
  const tni_corotation *c;
  sheet s;
  bool bends; /* large, and sides of two pieces */
  double tie[4][MAXNV];
  double fb[MAXNV], Kb[MAXNV*MAXNV];
} work;

/* stress and tangent at a point: 11 22 12 23 31; frame: its axes in local ones */
static bool stress_at(work *w, int point, double warm, const double frame[9], const double eps[NROW], double sig[NROW],
                      double C[NROW][NROW], tni_matter_at *m, double *across) {
  static const int full[NROW] = {0, 1, 3, 4, 5};
  const tni_matter *matter = w->kind->matter;
  int n = tni_matter_nstate(matter, false);
  double e[6] = {eps[0] - warm, eps[1] - warm, 0, eps[2], 0, 0}, s[6], D[36], axes[9], shear = sqrt(5.0/6);
  e[4] = shear*eps[3], e[5] = shear*eps[4];
  *m = (tni_matter_at){.state0 = n && point >= 0 ? w->at->state0 + point*n : NULL,
                       .state = n && point >= 0 && w->at->state ? w->at->state + point*n : NULL};
  if (w->at->axes) {
    /* material axes in those of the point: frame^T E0^T axes */
    double t[9];
    for (int j = 0; j < 3; j++) {
      double column[3] = {w->at->axes[j], w->at->axes[3 + j], w->at->axes[6 + j]}, x[3], y[3];
      mat3_tvec(x, w->c->E0, column);
      mat3_tvec(y, frame, x);
      for (int i = 0; i < 3; i++) t[3*i + j] = y[i];
    }
    memcpy(axes, t, sizeof(t));
    m->axes = axes;
  }
  if (!tni_matter_small_plane(matter, m, e, s, C ? D : NULL)) return false;
  *across = e[2] + warm;
  for (int i = 0; i < NROW; i++) {
    sig[i] = (i < 3 ? 1 : shear)*s[full[i]];
    for (int j = 0; j < NROW && C; j++)
      C[i][j] = (i < 3 ? 1 : shear)*(j < 3 ? 1 : shear)*D[6*full[i] + full[j]];
  }
  return true;
}

static double warmth(const work *w, const double *N) {
  if (!w->at->warm) return 0;
  double T = 0;
  for (int a = 0; a < w->s.nn; a++) T += N[a]*w->at->warm[a];
  return w->kind->matter->expansion*T;
}

/* the energy that ties turns about the normal to those of the surface */
static void add_drilling(work *w, double r, double t, double weight, bool tangent) {
  basis b;
  double row[MAXNV] = {0}, e1[3] = {0}, e2[3], e3[3] = {0}, up[2][3];
  int nv = w->s.nv;
  basis_at(&w->s, r, t, 0, &b);
  vec3_cross(e3, b.gr, b.gs);
  double area = vec3_normalize(e3, e3);
  vec3_normalize(e1, b.gr);
  vec3_cross(e2, e3, e1);
  vec3_cross(up[0], b.gs, e3);
  vec3_cross(up[1], e3, b.gr);
  for (int a = 0; a < w->s.nn; a++) {
    double d1 = 0, d2 = 0; /* slopes of N along e1 and e2 */
    for (int k = 0; k < 2; k++) {
      d1 += vec3_dot(up[k], e1)/area*b.dN[a][k];
      d2 += vec3_dot(up[k], e2)/area*b.dN[a][k];
    }
    for (int i = 0; i < 3; i++) {
      row[6*a + 3 + i] = b.N[a]*e3[i];
      row[6*a + i] = -(e2[i]*d1 - e1[i]*d2)/2;
    }
  }
  double k = weight*DRILL*tni_matter_shear(w->kind->matter)*w->s.t*area, q = 0;
  for (int j = 0; j < nv; j++) q += row[j]*w->c->ub[j];
  w->out->energy += k*q*q/2;
  for (int j = 0; j < nv; j++) {
    w->fb[j] += k*q*row[j];
    for (int i = 0; i < nv && tangent; i++) w->Kb[nv*j + i] += k*row[j]*row[i];
  }
}

static int across_rule(bool history, double z[ACROSS], double wz[ACROSS]) {
  if (!history) {
    z[0] = -0.57735026918962576451, z[1] = -z[0], wz[0] = wz[1] = 1;
    return 2;
  }
  z[0] = -0.90617984593866399280, z[1] = -0.53846931010568309104, z[2] = 0, z[3] = -z[1], z[4] = -z[0];
  wz[0] = wz[4] = 0.23692688505618908751, wz[1] = wz[3] = 0.47862867049936646804, wz[2] = 0.56888888888888888889;
  return ACROSS;
}

/* of the middle surface by local displacements; NULL where strains are linear in them */
static const double (*slopes(const work *w, double dN[MAXNN][3], double slope[2][3]))[3] {
  if (!w->bends) return NULL;
  memset(slope, 0, 6*sizeof(double));
  for (int a = 0; a < w->s.nn; a++)
    for (int k = 0; k < 2; k++) vec3_addmul(slope[k], dN[a][k], w->c->ub + 6*a);
  return (const double(*)[3])slope;
}

/* what stresses do as the slopes change */
static void add_stress_stiffness(work *w, const strains *e, double dN[MAXNN][3], const double sig[NROW], double v) {
  double S[2][2] = {{0}};
  for (int i = 0; i < NROW; i++)
    for (int m = 0; m < 2; m++)
      for (int n = 0; n < 2; n++) {
        int k = PAIR[i][0], l = PAIR[i][1];
        S[m][n] += v*sig[i]*(k == l ? e->A[k][m]*e->A[l][n] : e->A[k][m]*e->A[l][n] + e->A[l][m]*e->A[k][n]);
      }
  for (int a = 0; a < w->s.nn; a++)
    for (int b = 0; b < w->s.nn; b++) {
      double k = 0;
      for (int m = 0; m < 2; m++)
        for (int n = 0; n < 2; n++) k += S[m][n]*dN[a][m]*dN[b][n];
      for (int i = 0; i < 3; i++) w->Kb[w->s.nv*(6*a + i) + 6*b + i] += k;
    }
}

static bool integrate(work *w, bool tangent) {
  tni_rule_points q;
  double z[ACROSS], wz[ACROSS], C[NROW][NROW];
  tni_rule_of(TNI_CELL_QUAD4, TNI_RULE_LOW, &q);
  int nv = w->s.nv, nz = across_rule(w->kind->nstate > 0, z, wz);
  for (int k = 0; k < q.n; k++) {
    double N[MAXNN], dN[MAXNN][3], warm, turned[2][3];
    tni_shape(w->s.cell, q.xi[k], N, dN);
    warm = warmth(w, N);
    const double (*slope)[3] = slopes(w, dN, turned);
    for (int l = 0; l < nz; l++) {
      double eps[NROW], sig[NROW], across;
      strains e;
      tni_matter_at m;
      double v = strains_at(&w->s, w->tie, slope, q.xi[k][0], q.xi[k][1], z[l], &e)*q.w[k]*wz[l], (*B)[MAXNV] = e.B;
      if (!(v > 0)) return false;
      strain_of(&w->s, &e, w->c->ub, eps);
      if (!stress_at(w, k*ACROSS + l, warm, e.frame, eps, sig, tangent ? C : NULL, &m, &across)) return false;
      w->out->energy += v*m.energy;
      w->out->dissipated += v*m.dissipated;
      for (int i = 0; i < NROW; i++)
        for (int j = 0; j < nv; j++) w->fb[j] += v*sig[i]*B[i][j];
      if (!tangent) continue;
      if (slope) add_stress_stiffness(w, &e, dN, sig, v);
      double CB[NROW][MAXNV] = {{0}};
      for (int i = 0; i < NROW; i++)
        for (int n = 0; n < NROW; n++) {
          double c = v*C[i][n];
          if (c == 0) continue;
          for (int j = 0; j < nv; j++) CB[i][j] += c*B[n][j];
        }
      for (int i = 0; i < nv; i++)
        for (int n = 0; n < NROW; n++) {
          double b = B[n][i];
          for (int j = 0; j < nv; j++) w->Kb[nv*i + j] += b*CB[n][j];
        }
    }
  }
  /* middle nodes would turn about the normal without energy at 2 x 2 points */
  tni_rule_of(TNI_CELL_QUAD4, w->s.nn == 4 ? TNI_RULE_LOW : TNI_RULE_HIGH, &q);
  for (int k = 0; k < q.n; k++) add_drilling(w, q.xi[k][0], q.xi[k][1], q.w[k], tangent);
  return true;
}

/* strains and stresses on both surfaces; of history, those of the outermost point */
static bool tell(work *w) {
  static const int full[NROW] = {0, 1, 3, 4, 5};
  tni_rule_points q;
  tni_rule_of(TNI_CELL_QUAD4, TNI_RULE_LOW, &q);
  bool history = w->kind->nstate > 0;
  const tni_solid_at *at = w->at;
  tni_solid_at quiet = *at;
  quiet.state = NULL;
  w->at = &quiet;
  for (int k = 0; k < q.n; k++)
    for (int side = 0; side < 2; side++) {
      double eps[NROW], sig[NROW], N[MAXNN], dN[MAXNN][3], turned[2][3], across;
      strains e;
      tni_matter_at m;
      int o = side*INPLANE + k, point = history ? k*ACROSS + (side ? ACROSS - 1 : 0) : -1;
      tni_shape(w->s.cell, q.xi[k], N, dN);
      double zeta = (side ? 1 : -1)*(history ? 0.90617984593866399280 : 1);
      strains_at(&w->s, w->tie, slopes(w, dN, turned), q.xi[k][0], q.xi[k][1], zeta, &e);
      strain_of(&w->s, &e, w->c->ub, eps);
      if (!stress_at(w, point, warmth(w, N), e.frame, eps, sig, NULL, &m, &across)) return false;
      for (int i = 0; i < NROW; i++) {
        if (w->out->strain) w->out->strain[6*o + full[i]] = eps[i];
        if (w->out->stress) w->out->stress[6*o + full[i]] = sig[i];
      }
      if (w->out->strain) w->out->strain[6*o + 2] = across;
      if (w->out->stress) w->out->stress[6*o + 2] = 0;
      if (w->out->equivalent) w->out->equivalent[o] = m.plastic;
    }
  w->at = at;
  return true;
}

static bool eval(const tni_solid_kind *kind, const tni_solid_at *at, unsigned want, tni_solid_out *out) {
  tni_corotation c;
  work w = {.kind = kind, .at = at, .out = out, .c = &c};
  bool tangent = want & TNI_SOLID_STIFFNESS, large = kind->large;
  double still[TNI_COROT_NODES][9];
  int nn = tni_shape_nnode(kind->type->cell);
  out->energy = out->dissipated = 0;
  w.s.cell = kind->type->cell, w.s.nn = nn, w.s.nv = 6*nn, w.bends = large && nn != 4;
  if (!axes_of((const double(*)[3])at->X, c.E0)) return false;
  tni_corotate_rest(&c, nn, at->X);
  if (large) {
    double x[MAXNN][3];
    for (int a = 0; a < nn; a++) vec3_add(x[a], at->X + 3*a, at->u + 6*a);
    if (!axes_of((const double(*)[3])x, c.E)) return false;
    const double *turn = tni_corotate_turn(nn, at->u, at->turn, still);
    if (!turn) return false;
    tni_corotate_now(&c, at->X, at->u, turn);
    fill_spin(&c);
  } else {
    tni_corotate_small(&c, at->u);
  }
  w.s.t = kind->thickness;
  normals(&c, at->director, &w.s);
  tie(&w.s, w.tie);
  memset(w.fb, 0, sizeof(w.fb));
  memset(w.Kb, 0, sizeof(w.Kb));
  if (!integrate(&w, tangent)) return false;
  if (want & TNI_SOLID_STRESS && !tell(&w)) return false;
  tni_corotate_back(&c, large, w.fb, w.Kb, spin_slope, want & TNI_SOLID_FORCE ? out->f : NULL, tangent ? out->K : NULL);
  return true;
}

/* ---- mass ---------------------------------------------------------------------------------------- */

/* sum over the points of N_a and, lumped masses of cells with middle nodes, of the diagonal */
static double integrate_mass(const tni_solid_kind *kind, const double *X, double *share, double (*M)[MAXNN]) {
  tni_cell cell = kind->type->cell;
  int nn = tni_shape_nnode(cell);
  tni_rule_points q;
  double N[MAXNN], dN[MAXNN][3], V = 0;
  for (int a = 0; a < nn && share; a++) share[a] = 0;
  if (M) memset(M, 0, sizeof(double)*MAXNN*MAXNN);
  tni_rule_of(cell, nn == 4 ? TNI_RULE_LOW : TNI_RULE_HIGH, &q);
  for (int k = 0; k < q.n; k++) {
    double r[3] = {0, 0, 0}, s[3] = {0, 0, 0}, n[3];
    tni_shape(cell, q.xi[k], N, dN);
    for (int a = 0; a < nn; a++) vec3_addmul(r, dN[a][0], X + 3*a), vec3_addmul(s, dN[a][1], X + 3*a);
    vec3_cross(n, r, s);
    double v = vec3_norm(n)*q.w[k]*kind->thickness;
    V += v;
    for (int a = 0; a < nn; a++) {
      if (share) share[a] += v*kind->matter->density*N[a];
      for (int b = 0; b < nn && M; b++) M[a][b] += v*kind->matter->density*N[a]*N[b];
    }
  }
  return V;
}

static double volume(const tni_solid_kind *kind, const double *X, double *share) {
  return integrate_mass(kind, X, share, NULL);
}

static void mass(const tni_solid_kind *kind, const double *X, bool lumped, double *M) {
  int nn = tni_shape_nnode(kind->type->cell), nv = 6*nn;
  double m[MAXNN][MAXNN], share[MAXNN], t = kind->thickness, sum = 0;
  memset(M, 0, (size_t)(lumped ? nv : nv*nv)*sizeof(double));
  double V = integrate_mass(kind, X, share, m), A = V/t;
  for (int a = 0; a < nn; a++) {
    if (nn != 4) share[a] = m[a][a];
    sum += share[a];
  }
  for (int a = 0; a < nn; a++) {
    if (lumped) {
      double own = share[a]*kind->matter->density*V/sum;
      for (int i = 0; i < 6; i++) M[6*a + i] = own*(i < 3 ? 1 : fmax(t*t/12, A/8));
      continue;
    }
    for (int b = 0; b < nn; b++)
      for (int i = 0; i < 6; i++) M[(6*a + i)*nv + 6*b + i] = m[a][b]*(i < 3 ? 1 : t*t/12);
  }
}

static double rate(const tni_solid_kind *kind, const tni_solid_at *at) {
  double K[MAXNV*MAXNV], M[MAXNV];
  int nv = 6*tni_shape_nnode(kind->type->cell);
  tni_solid_out out = {.K = K};
  tni_solid_at quiet = *at;
  quiet.state = NULL;
  if (!eval(kind, &quiet, TNI_SOLID_STIFFNESS, &out)) return 0;
  mass(kind, at->X, true, M);
  if (!(M[0] > 0)) return HUGE_VAL;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j <= i; j++) K[i*nv + j] = K[j*nv + i] = (K[i*nv + j] + K[j*nv + i])/2/sqrt(M[i]*M[j]);
  return sqrt(fmax(0, tni_largest_eigenvalue(nv, K)));
}

/* of the upper surface, bilinear through the points */
static void to_nodes(const tni_solid_kind *kind, int n, const double *at_points, double *at_nodes) {
  int nn = tni_shape_nnode(kind->type->cell);
  const double far = 1.7320508075688772935, *v = at_points + INPLANE*n;
  for (int a = 0; a < nn; a++) {
    double xi[3];
    tni_shape_node(kind->type->cell, a, xi);
    double x[2] = {(1 - far*xi[0])/2, (1 + far*xi[0])/2}, y[2] = {(1 - far*xi[1])/2, (1 + far*xi[1])/2};
    for (int i = 0; i < n; i++)
      at_nodes[a*n + i] = y[0]*(x[0]*v[i] + x[1]*v[n + i]) + y[1]*(x[0]*v[2*n + i] + x[1]*v[3*n + i]);
  }
}

const tni_solid_type tni_solid_shell4 = {
    .name = "shell4", .doc = "Shell with 4 nodes: membrane, bending, shear across.", .cell = TNI_CELL_QUAD4, .ndof = 6,
    .option = options4, .usual = usual, .prepare = prepare, .begin = begin, .eval = eval, .mass = mass,
    .rate = rate, .to_nodes = to_nodes, .volume = volume};

const tni_solid_type tni_solid_shell8 = {
    .name = "shell8", .doc = "Shell with 8 nodes, by reduced integration.", .cell = TNI_CELL_QUAD8, .ndof = 6,
    .option = options8, .usual = usual, .prepare = prepare, .begin = begin, .eval = eval, .mass = mass,
    .rate = rate, .to_nodes = to_nodes, .volume = volume};
