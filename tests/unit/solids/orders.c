/* orders: errors of displacements and stresses fall as they should when a distorted mesh is refined
 *
 * A made-up smooth displacement, its body force as load, its values on the boundary. Linear cells: displacements of order 2,
 * stresses 1; quadratic ones 3 and 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

static double lambda, mu;
static tni_plane plane;

/* u, its gradient H and the force per volume -div sigma at x, plane strain or space */
static void exact(const double x[3], int dim, double u[3], double H[3][3], double b[3]) {
  /* u_i = sin(a_i.x + c_i), a_i constant */
  static const double a[3][3] = {{1.3, 0.7, 0.5}, {-0.6, 1.1, 0.8}, {0.4, -0.9, 1.2}}, c[3] = {0.2, 0.5, -0.3};
  double second[3][3][3] = {{{0}}}; /* u_i,jk */
  for (int i = 0; i < 3; i++) {
    double t = c[i];
    for (int j = 0; j < dim; j++) t += a[i][j]*x[j];
    u[i] = i < dim ? sin(t) : 0;
    for (int j = 0; j < 3; j++) {
      H[i][j] = i < dim && j < dim ? a[i][j]*cos(t) : 0;
      for (int k = 0; k < 3; k++) second[i][j][k] = i < dim && j < dim && k < dim ? -a[i][j]*a[i][k]*sin(t) : 0;
    }
  }
  for (int i = 0; i < 3; i++) {
    b[i] = 0;
    for (int k = 0; k < 3; k++) b[i] -= (lambda + mu)*second[k][k][i] + mu*second[i][k][k];
  }
}

/* a smooth bend of the unit square or cube, the same for all refinements */
static void bent(const double s[3], double x[3]) {
  x[0] = s[0] + 0.08*sin(3*s[1])*(1 + s[2]);
  x[1] = s[1] + 0.07*sin(2.5*s[0] + s[2]);
  x[2] = s[2] + 0.06*sin(2*s[0] + 3*s[1]);
  if (plane != TNI_PLANE_NONE) x[2] = 0;
}

/* L2 errors of displacements and stresses */
static void solve(const char *type, const char *option, int n, double error[2]) {
  tni_matter mat = fe_elastic("elastic", 2, 0.3, 1);
  lambda = fe_iso.lambda, mu = fe_iso.mu;
  fe m = fe_box(&mat, type, option, plane, false, n, n, n, bent);
  tni_cell cell = m.kind.type->cell;
  int dim = m.ndof, nn = m.nen;
  bool *inner = calloc((size_t)m.nnode, sizeof(bool));
  for (int i = 0; i < m.nnode; i++) {
    /* invert the bend by fixed-point iterations */
    double s[3] = {m.X[i][0], m.X[i][1], m.X[i][2]};
    for (int it = 0; it < 60; it++) {
      double x[3] = {0, 0, 0};
      bent(s, x);
      for (int d = 0; d < dim; d++) s[d] += m.X[i][d] - x[d];
    }
    inner[i] = true;
    /* middles of edges lie on chords: near enough to the boundary to tell */
    double near_ = 0.2/n;
    for (int d = 0; d < dim; d++) inner[i] = inner[i] && s[d] > near_ && s[d] < 1 - near_;
  }
  for (int i = 0; i < m.nnode; i++) {
    double u[3], H[3][3], b[3];
    exact(m.X[i], dim, u, H, b);
    for (int d = 0; d < dim; d++)
      if (!inner[i]) fe_fix(&m, i, d, u[d]);
  }
  tni_rule_points q;
  tni_rule_of(cell, TNI_RULE_HIGH, &q);
  for (int pass = 0; pass < 2; pass++) {
    error[0] = error[1] = 0;
    for (int e = 0; e < m.nelem; e++) {
      double X[60], ue[60], s[27*6], N[20], dN[20][3];
      fe_gather(&m, e, X, ue, NULL);
      for (int k = 0; k < q.n; k++) {
        tni_shape(cell, q.xi[k], N, dN);
        double J[9] = {0}, x[3] = {0}, uh[3] = {0}, u[3], H[3][3], b[3];
        for (int a = 0; a < nn; a++)
          for (int i = 0; i < 3; i++) {
            x[i] += N[a]*X[3*a + i];
            if (i < dim) uh[i] += N[a]*ue[dim*a + i];
            for (int j = 0; j < 3; j++) J[3*i + j] += X[3*a + i]*dN[a][j];
          }
        if (dim == 2) J[8] = 1;
        double det = J[0]*(J[4]*J[8] - J[5]*J[7]) - J[1]*(J[3]*J[8] - J[5]*J[6]) + J[2]*(J[3]*J[7] - J[4]*J[6]);
        exact(x, dim, u, H, b);
        for (int a = 0; a < nn && pass == 0; a++)
          for (int i = 0; i < dim; i++) m.load[dim*m.conn[e*nn + a] + i] += q.w[k]*det*N[a]*b[i];
        for (int i = 0; i < dim; i++) error[0] += q.w[k]*det*pow(uh[i] - u[i], 2);
      }
      if (pass == 0) continue;
      tni_solid_out out = {.stress = s};
      CHECK(fe_eval_element(&m, e, TNI_SOLID_STRESS, &out));
      tni_rule_points g;
      tni_rule_of(cell, m.kind.ngauss == 1 ? TNI_RULE_1 : m.kind.ngauss >= 9 && nn > 8 ? TNI_RULE_MID : nn == 8 && m.kind.ngauss == 9
                  ? TNI_RULE_HIGH : TNI_RULE_LOW, &g);
      CHECK_INT(g.n, m.kind.ngauss);
      double V = tni_solid_volume(&m.kind, X, NULL);
      for (int k = 0; k < g.n; k++) {
        double x[3] = {0}, u[3], H[3][3], b[3];
        tni_shape(cell, g.xi[k], N, dN);
        for (int a = 0; a < nn; a++) vec3_addmul(x, N[a], X + 3*a);
        exact(x, dim, u, H, b);
        double p = lambda*(H[0][0] + H[1][1] + H[2][2]);
        double want[6] = {p + 2*mu*H[0][0], p + 2*mu*H[1][1], p + 2*mu*H[2][2], mu*(H[0][1] + H[1][0]), mu*(H[1][2] + H[2][1]), mu*(H[2][0] + H[0][2])};
        for (int c = 0; c < 6; c++) error[1] += V/g.n*pow(s[6*k + c] - want[c], 2);
      }
    }
    if (pass == 0) CHECK(fe_solve(&m, 1e-10, 4, NULL) > 0);
  }
  error[0] = sqrt(error[0]), error[1] = sqrt(error[1]);
  free(inner), fe_free(&m);
}

static void errors_fall_with_the_order_of_the_cell(void) {
  static const struct {
    const char *type, *option;
    int n, order, stress; /* stresses at Gauss points may be better than their order */
  } row[] = {{"quad4", "full", 8, 2, 1}, {"quad4", "bbar", 8, 2, 1}, {"quad4", "inc", 8, 2, 1}, {"quad4", "one", 8, 2, 1}, {"quad8", "full", 6, 3, 2},
             {"quad8", "reduced", 6, 3, 2}, {"tri3", "full", 8, 2, 1}, {"tri6", "full", 6, 3, 2}, {"hex8", "full", 4, 2, 1}, {"hex8", "bbar", 4, 2, 1},
             {"hex8", "inc", 4, 2, 1}, {"hex8", "one", 4, 2, 1}, {"hex20", "full", 2, 3, 2}, {"hex20", "reduced", 2, 3, 2}, {"tet4", "full", 4, 2, 1},
             {"tet10", "full", 3, 3, 2}, {"wedge6", "full", 4, 2, 1}, {"wedge15", "full", 2, 3, 2}};
  for (int r = 0; r < TNI_COUNT(row); r++) {
    double coarse[2], fine[2];
    plane = row[r].type[0] == 'q' || strncmp(row[r].type, "tri", 3) == 0 ? TNI_PLANE_STRAIN : TNI_PLANE_NONE;
    solve(row[r].type, row[r].option, row[r].n, coarse);
    solve(row[r].type, row[r].option, 2*row[r].n, fine);
    double p[2] = {log2(coarse[0]/fine[0]), log2(coarse[1]/fine[1])};
    if (getenv("TN_ORDERS")) printf("%s %s: %.2f %.2f (errors %.1e %.1e)\n", row[r].type, row[r].option, p[0], p[1], fine[0], fine[1]);
    /* order, a tenth of it less on these coarse meshes */
    if (!CHECK(p[0] > 0.9*row[r].order) | !CHECK(p[1] > 0.9*row[r].stress)) printf("  %s %s: %g %g\n", row[r].type, row[r].option, p[0], p[1]);
  }
}

int main(void) {
  RUN(errors_fall_with_the_order_of_the_cell);
  return REPORT();
}
