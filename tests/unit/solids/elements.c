/* elements: what every continuum element must have, over all types, options, planes and laws
 *
 * Random shapes and states by the hundred: forces against differences of the energy, stiffness against differences of the
 * forces, rigid motions, symmetry, zero eigenvalues, patches, masses, averages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

/* ---- all that there is ------------------------------------------------------------------------ */

typedef struct {
  const char *type, *option;
  int zero, ring; /* motions of a single element without energy, and of a ring; 0: the rigid ones */
} variant;
static const variant variants[] = {
    {"hex8", "full", 0, 0},  {"hex8", "bbar", 0, 0},   {"hex8", "inc", 0, 0},    {"hex8", "one", 0, 0},     {"hex20", "full", 0, 0},
    {"hex20", "reduced", 12, 0}, {"tet4", "full", 0, 0}, {"tet10", "full", 0, 0}, {"wedge6", "full", 0, 0}, {"wedge6", "reduced", 7, 0} /* twisting about the axis */, {"wedge15", "full", 0, 0},
    {"quad4", "full", 0, 0}, {"quad4", "bbar", 0, 0},  {"quad4", "inc", 0, 0},   {"quad4", "one", 0, 2},    {"quad8", "full", 0, 0},
    {"quad8", "reduced", 4, 2}, {"tri3", "full", 0, 0}, {"tri6", "full", 0, 0}};
static const tni_plane planes[] = {TNI_PLANE_STRESS, TNI_PLANE_STRAIN, TNI_PLANE_AXISYMMETRIC};

static bool is_plane(const variant *v) { return v->type[0] == 'q' || strncmp(v->type, "tri", 3) == 0; }

/* nodes of a cell pushed around by `shake`, moved away from the axis */
static void shake_nodes(tni_cell cell, double shake, double *X) {
  int nn = tni_shape_nnode(cell), dim = tni_shape_dim(cell);
  tni_cell base = tni_shape_corners(cell);
  if (base == TNI_CELL_TRI3 || base == TNI_CELL_TET4 || base == TNI_CELL_WEDGE6) shake *= 0.4; /* half as long as the others */
  double stretch[3] = {1 + 0.5*rnd(), 1 + 0.5*rnd(), 1 + 0.5*rnd()};
  for (int a = 0; a < nn; a++) {
    double xi[3];
    tni_shape_node(cell, a, xi);
    for (int i = 0; i < 3; i++) X[3*a + i] = i < dim ? stretch[i]*xi[i] + shake*rnd() : 0;
    X[3*a] += 4;
  }
}

/* ---- shapes and rules ------------------------------------------------------------------------- */

static void shapes_are_one_at_their_node_and_sum_to_one(void) {
  for (tni_cell c = TNI_CELL_LINE2; c < TNI_NCELL; c++) {
    int nn = tni_shape_nnode(c), dim = tni_shape_dim(c);
    double N[20], dN[20][3], M[20], P[20], dM[20][3], xi[3];
    for (int a = 0; a < nn; a++) {
      tni_shape_node(c, a, xi);
      tni_shape(c, xi, N, dN);
      for (int b = 0; b < nn; b++) CHECK_WITHIN(N[b], a == b, 1e-14);
    }
    for (int i = 0; i < dim; i++) xi[i] = 0.2 + 0.1*i;
    tni_shape(c, xi, N, dN);
    double sum = 0, slope[3] = {0};
    for (int a = 0; a < nn; a++) {
      sum += N[a];
      for (int i = 0; i < dim; i++) slope[i] += dN[a][i];
    }
    CHECK_NEAR(sum, 1, 1e-14);
    for (int i = 0; i < dim; i++) {
      CHECK_WITHIN(slope[i], 0, 1e-14);
      double up[3], down[3], h = 1e-5;
      vec3_copy(up, xi), vec3_copy(down, xi);
      up[i] += h, down[i] -= h;
      tni_shape(c, up, P, dM), tni_shape(c, down, M, dM);
      for (int a = 0; a < nn; a++) CHECK_WITHIN((P[a] - M[a])/(2*h), dN[a][i], 1e-9);
    }
  }
}

static double factorial(int n) { return n <= 1 ? 1 : n*factorial(n - 1); }

/* integral of x^a y^b z^c over the cell */
static double moment(tni_cell c, int a, int b, int d) {
  double line[3] = {a%2 ? 0 : 2.0/(a + 1), b%2 ? 0 : 2.0/(b + 1), d%2 ? 0 : 2.0/(d + 1)};
  switch (c) {
  case TNI_CELL_LINE2: return line[0];
  case TNI_CELL_QUAD4: return line[0]*line[1];
  case TNI_CELL_HEX8: return line[0]*line[1]*line[2];
  case TNI_CELL_TRI3: return factorial(a)*factorial(b)/factorial(a + b + 2);
  case TNI_CELL_WEDGE6: return factorial(a)*factorial(b)/factorial(a + b + 2)*line[2];
  default: return factorial(a)*factorial(b)*factorial(d)/factorial(a + b + d + 3);
  }
}

static void rules_are_exact_to_their_degree(void) {
  static const tni_cell cells[] = {TNI_CELL_LINE2, TNI_CELL_QUAD4, TNI_CELL_HEX8, TNI_CELL_TRI3, TNI_CELL_TET4,
                                   TNI_CELL_WEDGE6};
  for (int k = 0; k < TNI_COUNT(cells); k++)
    for (tni_rule r = TNI_RULE_1; r <= TNI_RULE_HIGH; r++) {
      bool simplex = cells[k] == TNI_CELL_TRI3 || cells[k] == TNI_CELL_TET4 || cells[k] == TNI_CELL_WEDGE6;
      int degree = r == TNI_RULE_1 ? 1 : r == TNI_RULE_LOW ? (simplex ? 2 : 3)
                   : cells[k] == TNI_CELL_WEDGE6 && r == TNI_RULE_MID ? 2 : simplex ? 4 : 5;
      int dim = tni_shape_dim(cells[k]);
      tni_rule_points q;
      tni_rule_of(cells[k], r, &q);
      for (int a = 0; a <= degree; a++)
        for (int b = 0; b <= (dim > 1 ? degree - a : 0); b++)
          for (int c = 0; c <= (dim > 2 ? degree - a - b : 0); c++) {
            double s = 0;
            for (int p = 0; p < q.n; p++) s += q.w[p]*pow(q.xi[p][0], a)*pow(q.xi[p][1], b)*pow(q.xi[p][2], c);
            CHECK_WITHIN(s, moment(cells[k], a, b, c), 1e-15*8);
          }
    }
}

/* ---- forces, stiffness ------------------------------------------------------------------------ */

static tni_orthotropic wood;
static tni_isotropic iso;
static tni_matter random_matter(int k) {
  static const char *const types[] = {"elastic", "st_venant", "neo_hooke", "orthotropic"};
  tni_matter m = {.name = "test", .type = tni_matter_find(types[k%4]), .density = 1 + 0.5*rnd(), .expansion = 0.01};
  iso = tni_isotropic_of(exp(3*rnd()), 0.2 + 0.28*rnd());
  m.data = &iso;
  if (k%4 == 3) {
    double E[3] = {2 + rnd(), 3 + rnd(), 4 + rnd()}, nu[3] = {0.2*rnd(), 0.3*rnd(), 0.2*rnd()};
    double G[3] = {1 + 0.5*rnd(), 1 + 0.5*rnd(), 1 + 0.5*rnd()};
    CHECK(tni_orthotropic_of(E, nu, G, &wood));
    m.data = &wood;
  }
  return m;
}

static double norm(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i]*x[i];
  return sqrt(s);
}

/* one random element: f against the energy, K against f, and the symmetry of K */
static void check_element(const variant *v, tni_plane plane, bool large, int round) {
  tni_matter matter = random_matter(round);
  if (large && strcmp(v->option, "inc") == 0) return;
  tni_solid_kind k = fe_kind(&matter, v->type, v->option, plane, large);
  tni_cell cell = k.type->cell;
  int nn = tni_shape_nnode(cell), nv = nn*k.type->ndof;
  double X[60], u[60], warm[20], f[60], fp[60], K[3600], axes[9];
  shake_nodes(cell, 0.15, X);
  double size = large ? (v->type[0] == 't' || v->type[0] == 'w' ? 0.04 : 0.08) : 0.5; /* J stays far from 0, where differences fail */
  for (int i = 0; i < nv; i++) u[i] = size*rnd();
  for (int a = 0; a < nn; a++) warm[a] = 5*rnd();
  double turn[3] = {rnd(), rnd(), rnd()}, p[4] = {rnd(), turn[0], turn[1], turn[2]}, n = norm(4, p);
  for (int i = 0; i < 4; i++) p[i] /= n;
  if (plane != TNI_PLANE_NONE) p[1] = p[2] = 0; /* z stays across the plane */
  quat_matrix(axes, p);
  tni_solid_at at = {.X = X, .u = u, .warm = warm, .axes = axes};
  tni_solid_out out = {.f = f, .K = K};
  if (!CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out))) {
    printf("  %s %s plane %d large %d round %d\n", v->type, v->option, plane, large, round);
    return;
  }
  double fn = norm(nv, f), Kn = norm(nv*nv, K);
  for (int t = 0; t < 3; t++) {
    double x[60], h = 2e-4, keep[60], side[4], g[4][60], s = 0, num = 0, Kx[60] = {0};
    static const double step[4] = {-2, -1, 1, 2}; /* differences of fourth order */
    for (int i = 0; i < nv; i++) x[i] = rnd();
    memcpy(keep, u, sizeof(keep));
    for (int j = 0; j < 4; j++) {
      tni_solid_out o = {.f = g[j]};
      for (int i = 0; i < nv; i++) u[i] = keep[i] + step[j]*h*x[i];
      CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &o));
      side[j] = o.energy;
    }
    memcpy(u, keep, sizeof(keep));
    for (int i = 0; i < nv; i++) {
      s += f[i]*x[i];
      for (int j = 0; j < nv; j++) Kx[i] += K[i*nv + j]*x[j];
      fp[i] = (g[0][i] - 8*g[1][i] + 8*g[2][i] - g[3][i])/(12*h) - Kx[i];
      num = fmax(num, fabs(fp[i]));
    }
    double slope = (side[0] - 8*side[1] + 8*side[2] - side[3])/(12*h);
    bool ok = CHECK_WITHIN(slope, s, 2e-10*(fn + Kn)) & CHECK_WITHIN(num, 0, 1e-9*Kn);
    if (!ok) printf("  %s %s plane %d large %d law %s\n", v->type, v->option, plane, large, matter.type->type.name);
  }
  /* the same product without a matrix */
  double x[60], y[60], off = 0;
  for (int i = 0; i < nv; i++) x[i] = rnd(), y[i] = 1;
  CHECK(k.type->apply(&k, &at, x, y));
  for (int i = 0; i < nv; i++) {
    double want = 1;
    for (int j = 0; j < nv; j++) want += K[i*nv + j]*x[j];
    off = fmax(off, fabs(y[i] - want));
  }
  CHECK_WITHIN(off/Kn, 0, 1e-13);
  double skew = 0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) skew = fmax(skew, fabs(K[i*nv + j] - K[j*nv + i]));
  CHECK_WITHIN(skew/Kn, 0, 1e-14);
}

static void forces_are_slopes_of_the_energy_and_stiffness_of_forces(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int large = 0; large < 2; large++)
      for (int round = 0; round < 12; round++)
        if (is_plane(&variants[v]))
          for (int p = 0; p < 3; p++) check_element(&variants[v], planes[p], large, round);
        else
          check_element(&variants[v], TNI_PLANE_NONE, large, round);
}

/* eigenvalues by Jacobi's rotations */
static void eigenvalues(int n, double *A, double *w) {
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) off += A[p*n + q]*A[p*n + q];
    if (off < 1e-300) break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (A[p*n + q] == 0) continue;
        double th = (A[q*n + q] - A[p*n + p])/(2*A[p*n + q]);
        double t = (th >= 0 ? 1 : -1)/(fabs(th) + sqrt(th*th + 1)), c = 1/sqrt(t*t + 1), s = t*c;
        for (int k = 0; k < n; k++) {
          double a = A[k*n + p], b = A[k*n + q];
          A[k*n + p] = c*a - s*b, A[k*n + q] = s*a + c*b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p*n + k], b = A[q*n + k];
          A[p*n + k] = c*a - s*b, A[q*n + k] = s*a + c*b;
        }
      }
  }
  for (int i = 0; i < n; i++) w[i] = A[i*n + i];
}

static void only_rigid_motions_cost_no_energy(void) {
  tni_matter m = fe_elastic("elastic", 3, 0.3, 1);
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int p = 0; p < (is_plane(&variants[v]) ? 3 : 1); p++)
      for (int round = 0; round < 3; round++) {
        tni_plane plane = is_plane(&variants[v]) ? planes[p] : TNI_PLANE_NONE;
        tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, plane, false);
        int nn = tni_shape_nnode(k.type->cell), nv = nn*k.type->ndof;
        double X[60], u[60] = {0}, K[3600], w[60], f[60], most = 0;
        shake_nodes(k.type->cell, 0.1, X);
        if (strstr(variants[v].option, "reduced")) shake_nodes(k.type->cell, 0, X);
        tni_solid_at at = {.X = X, .u = u};
        tni_solid_out out = {.f = f, .K = K};
        CHECK(k.type->eval(&k, &at, TNI_SOLID_STIFFNESS, &out));
        eigenvalues(nv, K, w);
        for (int i = 0; i < nv; i++) most = fmax(most, w[i]);
        int zero = 0, negative = 0;
        for (int i = 0; i < nv; i++) zero += fabs(w[i]) < 1e-11*most, negative += w[i] < -1e-11*most;
        int rigid = plane == TNI_PLANE_NONE ? 6 : plane == TNI_PLANE_AXISYMMETRIC ? 1 : 3;
        int more = plane == TNI_PLANE_AXISYMMETRIC ? variants[v].ring : variants[v].zero, want = more ? more : rigid;
        if (!CHECK_INT(zero, want)) printf("  %s %s plane %d\n", variants[v].type, variants[v].option, plane);
        CHECK_INT(negative, 0);
      }
}

static void rigid_motions_are_free_of_force(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int large = 0; large < 2; large++)
      for (int round = 0; round < 8; round++) {
        if (large && strcmp(variants[v].option, "inc") == 0) continue;
        tni_matter m = random_matter(round);
        tni_plane plane = is_plane(&variants[v]) ? planes[round%2] : TNI_PLANE_NONE;
        if (plane != TNI_PLANE_NONE && round%4 == 3) m = random_matter(0);
        tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, plane, large);
        int nn = tni_shape_nnode(k.type->cell), dim = k.type->ndof, nv = nn*dim;
        double X[60], u[60], K[3600], f[60], R[9], t[3] = {rnd(), rnd(), dim == 3 ? rnd() : 0};
        double w[3] = {dim == 3 ? rnd() : 0, dim == 3 ? rnd() : 0, rnd()}, most = 0;
        shake_nodes(k.type->cell, 0.05, X);
        double p[4] = {cos(1), 0, 0, 0}, n = vec3_norm(w);
        for (int i = 0; i < 3; i++) p[i + 1] = sin(1)*w[i]/n;
        quat_matrix(R, p); /* by 2 rad */
        for (int a = 0; a < nn; a++) {
          double y[3];
          if (large) {
            mat3_vec(y, R, X + 3*a);
            vec3_sub(y, y, X + 3*a);
          } else {
            vec3_cross(y, w, X + 3*a);
          }
          for (int i = 0; i < dim; i++) u[dim*a + i] = t[i] + y[i];
        }
        tni_solid_at at = {.X = X, .u = u};
        tni_solid_out out = {.f = f, .K = K};
        CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out));
        for (int i = 0; i < nv*nv; i++) most = fmax(most, fabs(K[i]));
        if (!CHECK_WITHIN(norm(nv, f)/(most*norm(nv, u)), 0, 1e-12)) printf("  %s %s\n", variants[v].type, variants[v].option);
      }
}

/* Stresses sigma of a linear u, and v = H x: v (K_stressed - K) v = V sigma : H^T H; of a ring, stretched by c along r and y around and
 * along its axis, as the integral of the same */
static void stresses_stiffen_as_their_work_says(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int round = 0; round < 12; round++) {
      tni_matter m = random_matter(round%4 == 3 && is_plane(&variants[v]) ? 0 : round);
      tni_plane plane = is_plane(&variants[v]) ? planes[round%3] : TNI_PLANE_NONE;
      tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, plane, false);
      int nn = tni_shape_nnode(k.type->cell), dim = k.type->ndof, nv = nn*dim;
      double X[60], u[60], x[60], K[3600], S[3600], f[60], s6[6*27], G[9], H[9] = {0}, share[20];
      shake_nodes(k.type->cell, 0.05, X);
      bool ring = plane == TNI_PLANE_AXISYMMETRIC;
      for (int i = 0; i < 9; i++) G[i] = 0.1*rnd(), H[i] = rnd();
      if (ring) G[1] = G[3] = H[1] = H[3] = 0;
      for (int a = 0; a < nn; a++)
        for (int i = 0; i < dim; i++) {
          u[dim*a + i] = x[dim*a + i] = 0;
          for (int j = 0; j < dim; j++) u[dim*a + i] += G[3*i + j]*X[3*a + j], x[dim*a + i] += H[3*i + j]*X[3*a + j];
        }
      tni_solid_at at = {.X = X, .u = u};
      tni_solid_out out = {.f = f, .K = K, .stress = s6};
      CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS | TNI_SOLID_STRESS, &out));
      at.stressed = true;
      tni_solid_out more = {.f = f, .K = S};
      CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &more));
      k.thin_mass = true; /* the volume by the points of stiffness */
      double V = k.type->volume(&k, X, share), work = 0, want = 0, scale = 0;
      static const signed char place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
      for (int c = 0; c < 6; c++) {
        int i = place[c][0], j = place[c][1];
        if (i >= dim || j >= dim) continue;
        for (int r = 0; r < dim; r++) want += V*(c < 3 ? 1 : 2)*s6[c]*H[3*r + i]*H[3*r + j];
      }
      if (ring) want += V*s6[2]*H[0]*H[0];
      for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
          work += x[i]*(S[nv*i + j] - K[nv*i + j])*x[j];
          scale += fabs(x[i]*(S[nv*i + j] - K[nv*i + j])*x[j]) + 1e-3*fabs(x[i]*K[nv*i + j]*x[j]);
          CHECK_WITHIN(S[nv*i + j], S[nv*j + i], 1e-12*fabs(S[nv*i + i]) + 1e-12*fabs(S[nv*j + j]));
        }
      if (!CHECK_WITHIN((work - want)/scale, 0, 1e-12)) printf("  %s %s plane %d: %g for %g\n", variants[v].type, variants[v].option, plane, work, want);
      CHECK(fabs(want) > 1e-7*scale);
    }
}

/* ---- patches ---------------------------------------------------------------------------------- */

static void cube(const double s[3], double x[3]) { vec3_copy(x, s); }

/* the patch of annex A.1: linear displacements on the boundary, inner nodes must follow */
static void linear_fields_pass_distorted_patches(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int p = 0; p < (is_plane(&variants[v]) ? 2 : 1); p++)
      for (int large = 0; large < 2; large++)
        for (int law = 0; law < 4; law++) {
          if (large && strcmp(variants[v].option, "inc") == 0) continue;
          tni_matter m = random_matter(law);
          if (is_plane(&variants[v]) && law == 3) continue;
          fe a = fe_box(&m, variants[v].type, variants[v].option, is_plane(&variants[v]) ? planes[p] : TNI_PLANE_NONE,
                        large, 2, 2, 2, cube);
          /* push the middle, and middles of edges with it */
          int dim = a.ndof;
          double push[3] = {0.05, -0.08, dim == 3 ? 0.11 : 0}, G[9];
          for (int i = 0; i < a.nnode; i++) {
            double b = 1;
            for (int j = 0; j < dim; j++) b *= fmax(0, 1 - fabs(2*a.X[i][j] - 1));
            if (b > 0) vec3_addmul(a.X[i], b, push);
          }
          for (int i = 0; i < 9; i++) G[i] = 0.1*rnd();
          for (int i = 0; i < a.nnode; i++) {
            bool edge = false;
            for (int j = 0; j < dim; j++) edge = edge || a.X[i][j] < 1e-9 || a.X[i][j] > 1 - 1e-9;
            if (!edge) continue;
            double y[3];
            mat3_vec(y, G, a.X[i]);
            for (int j = 0; j < dim; j++) fe_fix(&a, i, j, y[j]);
          }
          int it = fe_solve(&a, 1e-13, 12, NULL);
          if (!CHECK(it > 0)) printf("  %s %s law %d plane %d large %d\n", variants[v].type, variants[v].option, law, p, large);
          double worst = 0;
          for (int i = 0; i < a.nnode; i++) {
            double y[3];
            mat3_vec(y, G, a.X[i]);
            for (int j = 0; j < dim; j++) worst = fmax(worst, fabs(a.u[i*dim + j] - y[j]));
          }
          if (!CHECK_WITHIN(worst, 0, 1e-12)) printf("  %s %s plane %d large %d\n", variants[v].type, variants[v].option, p, large);
          /* stresses of the patch are the same everywhere */
          double s[27*6], s0[6] = {0}, off = 0;
          for (int e = 0; e < a.nelem; e++) {
            tni_solid_out out = {.stress = s};
            CHECK(fe_eval_element(&a, e, TNI_SOLID_STRESS, &out));
            if (e == 0) memcpy(s0, s, sizeof(s0));
            for (int g = 0; g < a.kind.ngauss; g++)
              for (int c = 0; c < 6; c++) off = fmax(off, fabs(s[6*g + c] - s0[c]));
          }
          CHECK_WITHIN(off/norm(6, s0), 0, 1e-11);
          fe_free(&a);
        }
}

/* ---- masses, frequencies ----------------------------------------------------------------------- */

static void masses_have_the_total_and_the_inertia(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int round = 0; round < 4; round++) {
      tni_matter m = fe_elastic("elastic", 3, 0.3, 1.7);
      tni_plane plane = is_plane(&variants[v]) ? planes[round%3] : TNI_PLANE_NONE;
      tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, plane, false);
      int nn = tni_shape_nnode(k.type->cell), dim = k.type->ndof, nv = nn*dim;
      double X[60], M[3600], L[60], share[20], sum = 0, lumped = 0, shares = 0;
      shake_nodes(k.type->cell, 0.1, X);
      double V = tni_solid_volume(&k, X, share), mass = 1.7*V;
      CHECK(V > 0);
      k.type->mass(&k, X, false, M);
      k.type->mass(&k, X, true, L);
      for (int a = 0; a < nn; a++) {
        shares += share[a];
        lumped += L[a*dim];
        CHECK(L[a*dim] > 0);
        for (int b = 0; b < nn; b++) sum += M[a*dim*nv + b*dim];
      }
      CHECK_NEAR(sum, mass, 1e-13);
      CHECK_NEAR(lumped, mass, 1e-13);
      CHECK_NEAR(shares, mass, 1e-13);
    }
  /* inertia of a box about its middle: m (a^2 + b^2)/12 for a spin, by the consistent mass alone */
  static const char *const types[] = {"hex8", "hex20"};
  for (int t = 0; t < 2; t++) {
    tni_matter m = fe_elastic("elastic", 3, 0.3, 2);
    tni_solid_kind k = fe_kind(&m, types[t], "full", TNI_PLANE_NONE, false);
    int nn = tni_shape_nnode(k.type->cell), nv = 3*nn;
    double X[60], M[3600], v[60], T = 0;
    for (int a = 0; a < nn; a++) {
      double xi[3];
      tni_shape_node(k.type->cell, a, xi);
      X[3*a] = xi[0], X[3*a + 1] = 1.5*xi[1], X[3*a + 2] = 0.5*xi[2]; /* 2 x 3 x 1 */
      v[3*a] = -X[3*a + 1], v[3*a + 1] = X[3*a], v[3*a + 2] = 0;
    }
    k.type->mass(&k, X, false, M);
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < nv; j++) T += v[i]*M[i*nv + j]*v[j];
    CHECK_NEAR(T, 12.0*(4 + 9)/12, 1e-13);
  }
}

/* annex A.6 (3): fractions of Hinton, Rock and Zienkiewicz */
static void lumped_masses_of_quadratic_cells_are_scaled_diagonals(void) {
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  double X[60], L[60];
  tni_solid_kind k = fe_kind(&m, "tet10", "full", TNI_PLANE_NONE, false);
  shake_nodes(TNI_CELL_TET10, 0, X);
  k.type->mass(&k, X, true, L);
  double mass = tni_solid_volume(&k, X, NULL);
  for (int a = 0; a < 10; a++) CHECK_NEAR(L[3*a]/mass, a < 4 ? 1.0/36 : 4.0/27, 1e-13);
  k = fe_kind(&m, "hex20", "full", TNI_PLANE_NONE, false);
  shake_nodes(TNI_CELL_HEX20, 0, X);
  k.type->mass(&k, X, true, L);
  mass = tni_solid_volume(&k, X, NULL);
  for (int a = 0; a < 20; a++) CHECK_NEAR(L[3*a]/mass, a < 8 ? 7.0/248 : 2.0/31, 1e-13);
}

/* annex A.5 (3), A.6 (4), A.10: steps h = 2/omega of cells of size 1, E 1, nu 0.3, rho 1 */
static void steps_of_unit_cells_are_those_of_the_annex(void) {
  static const struct {
    const char *type, *option;
    tni_plane plane;
    double h, tol;
  } want[] = {{"hex8", "full", TNI_PLANE_NONE, 0.63245553203367587, 1e-12}, {"hex8", "bbar", TNI_PLANE_NONE, 0.63245553203367587, 1e-12},
              {"hex8", "inc", TNI_PLANE_NONE, 0.63245553203367587, 1e-12}, {"hex8", "one", TNI_PLANE_NONE, 0.63245553203367587, 1e-12},
              {"tet4", "full", TNI_PLANE_NONE, 0.40715, 2e-5}, {"tet10", "full", TNI_PLANE_NONE, 0.16922, 4e-5},
              {"hex20", "full", TNI_PLANE_NONE, 0.23129, 4e-5}, {"quad4", "full", TNI_PLANE_STRESS, 0.83666002653407556, 1e-12}};
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  for (int c = 0; c < TNI_COUNT(want); c++) {
    tni_solid_kind k = fe_kind(&m, want[c].type, want[c].option, want[c].plane, false);
    int nn = tni_shape_nnode(k.type->cell);
    double X[60], u[60] = {0};
    for (int a = 0; a < nn; a++) {
      double xi[3];
      tni_shape_node(k.type->cell, a, xi);
      bool simplex = want[c].type[0] == 't';
      for (int i = 0; i < 3; i++) X[3*a + i] = i >= k.type->ndof ? 0 : simplex ? xi[i] : xi[i]/2;
    }
    tni_solid_at at = {.X = X, .u = u};
    CHECK_NEAR(2/k.type->rate(&k, &at), want[c].h, want[c].tol);
  }
}

static void rates_are_the_largest_eigenvalue(void) {
  for (int v = 0; v < TNI_COUNT(variants); v++)
    for (int round = 0; round < 2; round++) {
      tni_matter m = random_matter(round);
      tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, is_plane(&variants[v]) ? planes[round] : TNI_PLANE_NONE, false);
      int nn = tni_shape_nnode(k.type->cell), nv = nn*k.type->ndof;
      double X[60], u[60] = {0}, f[60], K[3600], L[60], w[60], most = 0;
      shake_nodes(k.type->cell, 0.05, X);
      tni_solid_at at = {.X = X, .u = u};
      tni_solid_out out = {.f = f, .K = K};
      CHECK(k.type->eval(&k, &at, TNI_SOLID_STIFFNESS, &out));
      k.type->mass(&k, X, true, L);
      for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) K[i*nv + j] /= sqrt(L[i]*L[j]);
      eigenvalues(nv, K, w);
      for (int i = 0; i < nv; i++) most = fmax(most, w[i]);
      double rate = k.type->rate(&k, &at);
      CHECK_NEAR(rate, sqrt(most), 1e-12);
      at.least = (1 - 1e-9)*rate; /* what is above the least is known to the bit, what is below may be 0 */
      CHECK(k.type->rate(&k, &at) == rate);
      at.least = (1 + 1e-9)*rate;
      double below = k.type->rate(&k, &at);
      CHECK(below == 0 || below == rate);
    }
}

/* ---- from points to nodes ---------------------------------------------------------------------- */

static void linear_fields_reach_the_nodes(void) {
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, is_plane(&variants[v]) ? TNI_PLANE_STRAIN : TNI_PLANE_NONE, false);
    tni_cell cell = k.type->cell;
    int nn = tni_shape_nnode(cell), dim = tni_shape_dim(cell), nv = nn*dim;
    if (k.ngauss < tni_shape_nnode(tni_shape_corners(cell))) { /* too few points for a slope: their mean */
      double at[27*2], mean[2] = {0}, at_nodes[20*2];
      for (int i = 0; i < 2*k.ngauss; i++) mean[i % 2] += (at[i] = rnd())/k.ngauss;
      k.type->to_nodes(&k, 2, at, at_nodes);
      for (int i = 0; i < 2*nn; i++) CHECK_WITHIN(at_nodes[i], mean[i % 2], 1e-14);
      continue;
    }
    /* the strain of a quadratic displacement of a cell in its own coordinates, where the cell can have it */
    double X[60], u[60], strain[27*6], node[20*6];
    shake_nodes(cell, 0, X);
    bool quadratic = nn > tni_shape_nnode(tni_shape_corners(cell));
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < dim; i++) u[dim*a + i] = X[3*a + i]*(quadratic ? X[3*a + 1] : 1);
    tni_solid_at at = {.X = X, .u = u};
    tni_solid_out out = {.strain = strain};
    CHECK(k.type->eval(&k, &at, TNI_SOLID_STRESS, &out));
    k.type->to_nodes(&k, 6, strain, node);
    (void)nv;
    for (int a = 0; a < nn; a++) CHECK_WITHIN(node[6*a], quadratic ? X[3*a + 1] : 1, 1e-12);
  }
}

/* ---- faces ------------------------------------------------------------------------------------- */

static void pressure_follows_faces(void) {
  static const tni_cell faces[] = {TNI_CELL_TRI3, TNI_CELL_TRI6, TNI_CELL_QUAD4, TNI_CELL_QUAD8, TNI_CELL_LINE2, TNI_CELL_LINE3};
  for (int c = 0; c < TNI_COUNT(faces); c++)
    for (int ring = 0; ring < 2; ring++) {
      int nn = tni_shape_nnode(faces[c]), nv = 3*nn, dim = tni_shape_dim(faces[c]);
      if (ring && dim == 2) continue;
      double X[60], f[24], K[576], up[24], down[24], tr[3] = {1, 2, dim == 2 ? 3 : 0}, sum[3] = {0};
      shake_nodes(faces[c], 0.1, X);
      for (int a = 0; a < nn; a++)
        for (int i = dim; i < (dim == 2 ? 3 : 2); i++) X[3*a + i] = 0.2*rnd();
      tni_face_load(faces[c], X, 2, NULL, 0.5, ring, f, K);
      for (int j = 0; j < nv; j++) {
        if (dim == 1 && j%3 == 2) continue;
        double keep = X[j], h = 1e-6;
        X[j] = keep + h;
        tni_face_load(faces[c], X, 2, NULL, 0.5, ring, up, NULL);
        X[j] = keep - h;
        tni_face_load(faces[c], X, 2, NULL, 0.5, ring, down, NULL);
        X[j] = keep;
        for (int i = 0; i < nv; i++) CHECK_WITHIN((up[i] - down[i])/(2*h), K[i*nv + j], 1e-7);
      }
      tni_face_load(faces[c], X, 0, tr, 0.5, ring, f, NULL);
      for (int a = 0; a < nn; a++)
        for (int i = 0; i < 3; i++) sum[i] += f[3*a + i];
      for (int i = 0; i < 3; i++) CHECK_WITHIN(sum[i], tr[i]*tni_face_area(faces[c], X, 0.5, ring), 1e-12*100);
    }
  /* a square face with its normal along z */
  double X[12] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0}, f[12];
  tni_face_load(TNI_CELL_QUAD4, X, 1, NULL, 0, false, f, NULL);
  for (int a = 0; a < 4; a++) CHECK_NEAR(f[3*a + 2], -1.5, 1e-15);
}

/* what comes out does not depend on what else is asked for; bad shapes are refused */
static void answers_are_the_same_however_asked(void) {
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_solid_kind k = fe_kind(&m, variants[v].type, variants[v].option, is_plane(&variants[v]) ? TNI_PLANE_STRAIN : TNI_PLANE_NONE, false);
    int nn = tni_shape_nnode(k.type->cell), nv = nn*k.type->ndof;
    double X[60], u[60], f[60], g[60], K[3600], s[27*6];
    shake_nodes(k.type->cell, 0.05, X);
    for (int i = 0; i < nv; i++) u[i] = rnd();
    tni_solid_at at = {.X = X, .u = u};
    tni_solid_out a = {.f = f}, b = {.f = g, .K = K, .stress = s};
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &a));
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS | TNI_SOLID_STRESS, &b));
    CHECK(memcmp(f, g, (size_t)nv*sizeof(double)) == 0 && a.energy == b.energy);
    /* without stresses, modes are found with the stiffness: the same to rounding */
    b.stress = NULL;
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &b));
    CHECK_NEAR(b.energy, a.energy, 1e-13);
    for (int i = 0; i < nv; i++) CHECK_WITHIN(g[i], f[i], 1e-13);
    /* turned inside out */
    for (int i = 0; i < nn; i++) X[3*i] = -X[3*i];
    CHECK(!k.type->eval(&k, &at, TNI_SOLID_FORCE, &a));
    CHECK(tni_solid_volume(&k, X, NULL) == 0);
  }
}

int main(void) {
  RUN(shapes_are_one_at_their_node_and_sum_to_one);
  RUN(rules_are_exact_to_their_degree);
  RUN(forces_are_slopes_of_the_energy_and_stiffness_of_forces);
  RUN(only_rigid_motions_cost_no_energy);
  RUN(rigid_motions_are_free_of_force);
  RUN(stresses_stiffen_as_their_work_says);
  RUN(linear_fields_pass_distorted_patches);
  RUN(masses_have_the_total_and_the_inertia);
  RUN(lumped_masses_of_quadratic_cells_are_scaled_diagonals);
  RUN(steps_of_unit_cells_are_those_of_the_annex);
  RUN(rates_are_the_largest_eigenvalue);
  RUN(linear_fields_reach_the_nodes);
  RUN(pressure_follows_faces);
  RUN(answers_are_the_same_however_asked);
  return REPORT();
}
