/* plastic: elements of metals - tangents at plastic states, thick spheres and cylinders, quadratic convergence, energy
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

static const double zero[1] = {0};
static double yield_stress[1];
static tni_mises steel;
static tni_matter plastic(double E, double nu, double yield, double H, double Hk) {
  yield_stress[0] = yield;
  steel = (tni_mises){tni_isotropic_of(E, nu), 1, zero, yield_stress, H, Hk};
  return (tni_matter){.name = "steel", .type = tni_matter_find("plastic"), .density = 1, .data = &steel};
}

/* ---- tangents ---------------------------------------------------------------------------------- */

static void stiffness_is_consistent_at_plastic_states(void) {
  static const struct {
    const char *type, *option;
    tni_plane plane;
  } v[] = {{"hex8", "full", 0}, {"hex8", "bbar", 0}, {"hex8", "inc", 0}, {"hex8", "one", 0}, {"hex20", "reduced", 0},
           {"tet4", "full", 0}, {"tet10", "full", 0}, {"wedge6", "full", 0}, {"wedge15", "full", 0},
           {"quad4", "full", TNI_PLANE_STRESS}, {"quad4", "bbar", TNI_PLANE_STRAIN}, {"quad4", "bbar", TNI_PLANE_AXISYMMETRIC},
           {"quad4", "inc", TNI_PLANE_STRESS}, {"quad4", "inc", TNI_PLANE_AXISYMMETRIC}, {"quad4", "one", TNI_PLANE_STRAIN},
           {"quad8", "reduced", TNI_PLANE_STRESS}, {"tri6", "full", TNI_PLANE_STRAIN}, {"tri3", "full", TNI_PLANE_AXISYMMETRIC}};
  for (int c = 0; c < TNI_COUNT(v); c++)
    for (int large = 0; large < 2; large++)
      for (int round = 0; round < 4; round++) {
        if (large && (strcmp(v[c].option, "inc") == 0 || v[c].plane == TNI_PLANE_STRESS)) continue;
        tni_matter m = plastic(1000, 0.3, 2, round%2 ? 20 : 100, round > 1 ? 50 : 0);
        tni_solid_kind k = fe_kind(&m, v[c].type, v[c].option, v[c].plane, large);
        int nn = tni_shape_nnode(k.type->cell), nv = nn*k.type->ndof;
        static double X[60], u[60], f[60], K[3600], g[4][60], state0[700], state[700], x[60], keep[60];
        CHECK(k.nstate > 0 && k.nstate < 700);
        for (int a = 0; a < nn; a++) {
          double xi[3];
          tni_shape_node(k.type->cell, a, xi);
          for (int i = 0; i < 3; i++) X[3*a + i] = (i < k.type->ndof ? xi[i] + 0.04*rnd() : 0) + (i == 0 ? 3 : 0);
        }
        k.type->begin(&k, X, NULL, state0);
        tni_solid_at at = {.X = X, .u = u, .state0 = state0, .state = state};
        tni_solid_out out = {.f = f, .K = K};
        for (int step = 0; step < 2; step++) {
          for (int i = 0; i < nv; i++) u[i] = (large ? 0.03 : 0.02)*rnd();
          CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out));
          if (step == 0) memcpy(state0, state, sizeof(state));
        }
        CHECK(out.dissipated > 0);
        double Kn = 0, h = 1e-6, worst = 0;
        for (int i = 0; i < nv*nv; i++) Kn = fmax(Kn, fabs(K[i]));
        static const double move[4] = {-2, -1, 1, 2};
        for (int i = 0; i < nv; i++) x[i] = rnd();
        memcpy(keep, u, sizeof(keep));
        for (int j = 0; j < 4; j++) {
          tni_solid_out o = {.f = g[j]};
          for (int i = 0; i < nv; i++) u[i] = keep[i] + move[j]*h*x[i];
          CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &o));
        }
        for (int i = 0; i < nv; i++) {
          double Kx = 0;
          for (int j = 0; j < nv; j++) Kx += K[i*nv + j]*x[j];
          worst = fmax(worst, fabs((g[0][i] - 8*g[1][i] + 8*g[2][i] - g[3][i])/(12*h) - Kx)/Kn);
        }
        if (!CHECK_WITHIN(worst, 0, 2e-8)) printf("  %s %s plane %d large %d\n", v[c].type, v[c].option, v[c].plane, large);
      }
}

/* ---- thick sphere, perfectly plastic (annex A.11) ------------------------------------------------ */

static int find_or_add(fe *m, int *cap, const double x[3]) {
  for (int i = 0; i < m->nnode; i++)
    if (fabs(m->X[i][0] - x[0]) + fabs(m->X[i][1] - x[1]) + fabs(m->X[i][2] - x[2]) < 1e-9) return i;
  return fe_add_node(m, cap, x);
}

/* octant between radii 1 and 2: three patches n x n between axis, middles of edges and centre; nr layers */
static fe sphere(const tni_matter *matter, const char *option, bool large, int n, int nr) {
  fe m = {.matter = *matter};
  m.kind = fe_kind(matter, "hex8", option, TNI_PLANE_NONE, large);
  m.nen = 8, m.ndof = 3;
  int cap = 0;
  m.conn = malloc((size_t)(3*n*n*nr*8)*sizeof(int));
  for (int patch = 0; patch < 3; patch++) {
    double c[4][3] = {{0}}, s2 = sqrt(0.5), s3 = sqrt(1.0/3);
    int a = patch, b = (patch + 1)%3, d = (patch + 2)%3; /* corner on axis a, next edges a-b, a-d */
    c[0][a] = 1;
    c[1][a] = s2, c[1][b] = s2;
    c[2][0] = c[2][1] = c[2][2] = s3;
    c[3][a] = s2, c[3][d] = s2;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        for (int k = 0; k < nr; k++, m.nelem++)
          for (int v = 0; v < 8; v++) {
            double s = (double)(i + (v%4 == 1 || v%4 == 2))/n, t = (double)(j + (v%4 >= 2))/n, x[3];
            double r = 1 + (double)(k + (v >= 4))/nr;
            for (int q = 0; q < 3; q++)
              x[q] = (1 - s)*(1 - t)*c[0][q] + s*(1 - t)*c[1][q] + s*t*c[2][q] + (1 - s)*t*c[3][q];
            vec3_normalize(x, x);
            vec3_scale(x, r, x);
            m.conn[m.nelem*8 + v] = find_or_add(&m, &cap, x);
          }
  }
  fe_finish(&m);
  for (int i = 0; i < m.nnode; i++)
    for (int q = 0; q < 3; q++)
      if (fabs(m.X[i][q]) < 1e-9) fe_fix(&m, i, q, 0);
  return m;
}

static bool inside(const double x[3]) { return fabs(vec3_norm(x) - 1) < 1e-9; }

static double radial(const fe *m, double radius) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < m->nnode; i++)
    if (fabs(vec3_norm(m->X[i]) - radius) < 1e-9) sum += vec3_dot(m->u + 3*i, m->X[i])/radius, n++;
  return sum/n;
}

static bool all; /* argument: the finest mesh too */

/* radius c of the plastic part at pressure p, by halving: p = 2 (ln c + (1 - c^3/8)/3) */
static double plastic_radius(double p) {
  double low = 1, high = 2;
  for (int i = 0; i < 60; i++) {
    double c = (low + high)/2;
    *(2*(log(c) + (1 - c*c*c/8)/3) < p ? &low : &high) = c;
  }
  return low;
}

/* the largest radius at which a point has yielded, points of layers by their shape functions */
static double yielded_radius(const fe *m) {
  double most = 0;
  tni_rule_points q;
  tni_rule_of(TNI_CELL_HEX8, TNI_RULE_LOW, &q);
  for (int e = 0; e < m->nelem; e++) {
    double X[24], u[24], equivalent[27];
    for (int a = 0; a < 8; a++) {
      vec3_copy(X + 3*a, m->X[m->conn[8*e + a]]);
      vec3_copy(u + 3*a, m->u + 3*m->conn[8*e + a]);
    }
    tni_solid_at at = {.X = X, .u = u, .state0 = m->state0 + e*m->kind.nstate};
    tni_solid_out o = {.equivalent = equivalent};
    CHECK(m->kind.type->eval(&m->kind, &at, TNI_SOLID_STRESS, &o));
    for (int k = 0; k < q.n; k++) {
      double N[8], dN[8][3], x[3] = {0};
      tni_shape(TNI_CELL_HEX8, q.xi[k], N, dN);
      for (int a = 0; a < 8; a++) vec3_addmul(x, N[a], X + 3*a);
      if (equivalent[k] > 1e-9) most = fmax(most, vec3_norm(x));
    }
  }
  return most;
}

static void thick_spheres_yield_as_in_the_annex(void) {
  static const struct {
    int n, nr;
    double at12[2], at135[2];
  } row[] = {{2, 4, {0.9031, 0.9253}, {0.8265, 0.8527}}, {3, 8, {0.9690, 0.9756}, {0.9417, 0.9500}}, {4, 16, {0.9872, 0.9899}, {0.9737, 0.9774}}};
  static const double steps[] = {0.6, 0.9, 1.1, 1.2, 1.3, 1.35};
  tni_matter mat = plastic(1000, 0.3, 1, 0, 0);
  for (int r = 0; r < (all ? 3 : 2); r++) {
    fe m = sphere(&mat, "bbar", false, row[r].n, row[r].nr);
    for (int k = 0; k < TNI_COUNT(steps); k++) {
      double norm[20];
      memset(m.load, 0, (size_t)m.nv*sizeof(double));
      fe_load_faces(&m, inside, steps[k], NULL, false);
      int it = fe_solve(&m, 1e-10, 12, norm);
      CHECK(it > 0 && it <= 6); /* one more than Newton's steps: the last residual is looked at */
      /* quadratic: the last residuals are squares of the ones before, times 1 to 5 */
      for (int i = 2; i + 1 <= it; i++)
        if (norm[i] < 1e-3) CHECK(norm[i + 1] < 10*norm[i]*norm[i] + 1e-13);
      fe_accept(&m);
      if (k == 3 || k == 5) {
        const double *want = k == 3 ? row[r].at12 : row[r].at135;
        double ua = k == 3 ? 1.905078e-3 : 3.409553e-3, ub = k == 3 ? 5.962695e-4 : 9.873881e-4;
        CHECK_WITHIN(radial(&m, 1)/ua, want[0], 1.1e-4);
        CHECK_WITHIN(radial(&m, 2)/ub, want[1], 1.1e-4);
        /* the printed displacements follow from the radius, and the mesh has yielded up to it, to one layer */
        double c = plastic_radius(steps[k]), c3 = c*c*c, inner = (0.7*c3 - 2.0/3*0.4*(1 + 3*log(c) - c3/8))/1000;
        CHECK_WITHIN(c, k == 3 ? 1.504763 : 1.780259, 1e-6);
        CHECK_NEAR(inner, ua, 1e-6);
        CHECK_NEAR(0.7*c3/4000, ub, 1e-6);
        CHECK_WITHIN(yielded_radius(&m), c, (k == 3 ? 1.0 : 2.0)/row[r].nr);
      }
    }
    fe_free(&m);
  }
}

/* first yield at 2/3 (1 - 1/8) = 0.583333; collapse at 2 ln 2 = 1.386294 */
static void thick_spheres_begin_to_yield_and_collapse_where_they_should(void) {
  tni_matter mat = plastic(1000, 0.3, 1, 0, 0);
  fe m = sphere(&mat, "bbar", false, 3, 8);
  fe_load_faces(&m, inside, 0.54, NULL, false);
  CHECK(fe_solve(&m, 1e-10, 12, NULL) > 0);
  CHECK(m.dissipated == 0);
  memset(m.load, 0, (size_t)m.nv*sizeof(double));
  fe_load_faces(&m, inside, 0.75, NULL, false); /* points lie inside the layer */
  CHECK(fe_solve(&m, 1e-10, 12, NULL) > 0);
  CHECK(m.dissipated > 0);
  fe_accept(&m);
  double last = 0;
  for (double p = 1.2; p < 1.5; p += p < 1.35 ? 0.05 : 0.01) {
    memset(m.load, 0, (size_t)m.nv*sizeof(double));
    fe_load_faces(&m, inside, p, NULL, false);
    int it = fe_solve(&m, 1e-8, 12, NULL);
    if (it < 0 || radial(&m, 1) > 0.1) break;
    fe_accept(&m);
    last = p;
  }
  CHECK_WITHIN(last, 1.386294, 0.025);
  fe_free(&m);
}

/* the same wall as a ring of quad4 in axial symmetry, and a long cylinder: c, u by Tresca-free von Mises in plane strain has
 * no closed form; the limit pressure of a cylinder is 2/sqrt3 sigma_y ln(b/a) */
static void ring_map(const double s[3], double x[3]) { x[0] = 1 + s[0], x[1] = 0.1*s[1]; }
static bool at_1(const double x[3]) { return fabs(x[0] - 1) < 1e-9; }

static void long_cylinders_collapse_where_they_should(void) {
  double limit = 2/sqrt(3)*log(2), last = 0;
  tni_matter mat = plastic(1000, 0.3, 1, 0, 0);
  fe m = fe_box(&mat, "quad4", "bbar", TNI_PLANE_AXISYMMETRIC, false, 20, 1, 0, ring_map);
  for (int i = 0; i < m.nnode; i++) fe_fix(&m, i, 1, 0);
  for (double p = 0.3; p < 1; p += p < 0.75 ? 0.05 : 0.002) {
    memset(m.load, 0, (size_t)m.nv*sizeof(double));
    fe_load_faces(&m, at_1, p, NULL, true);
    if (fe_solve(&m, 1e-9, 30, NULL) < 0 || m.u[2*fe_nearest(&m, 1, 0, 0)] > 0.05) break;
    fe_accept(&m);
    last = p;
  }
  CHECK_WITHIN(last, limit, 0.004);
  fe_free(&m);
}

/* ---- energy -------------------------------------------------------------------------------------- */

/* a block pulled and twisted into the plastic range and back: work of the supports = stored + heat */
static void unit_map(const double s[3], double x[3]) { vec3_copy(x, s); }

static void work_of_supports_is_stored_or_heat(void) {
  static const char *const options[] = {"full", "bbar", "inc", "one"};
  for (int o = 0; o < 4; o++)
    for (int large = 0; large < 2; large++) {
      if (large && o == 2) continue;
      tni_matter mat = plastic(1000, 0.3, 2, 30, 60);
      fe m = fe_box(&mat, "hex8", options[o], TNI_PLANE_NONE, large, 2, 2, 2, unit_map);
      for (int i = 0; i < m.nnode; i++)
        for (int d = 0; d < 3; d++)
          if (m.X[i][0] < 1e-9 || m.X[i][0] > 1 - 1e-9) fe_fix(&m, i, d, 0);
      int n = 60;
      double work = 0, heat = 0, *r0 = calloc((size_t)m.nv, sizeof(double)), *u0 = calloc((size_t)m.nv, sizeof(double));
      for (int k = 1; k <= n; k++) {
        double t = sin(4.0*k/n);
        for (int i = 0; i < m.nnode; i++)
          if (m.X[i][0] > 1 - 1e-9) {
            m.value[3*i] = 0.02*t;
            m.value[3*i + 1] = -0.02*t*(m.X[i][2] - 0.5);
            m.value[3*i + 2] = 0.02*t*(m.X[i][1] - 0.5) + 0.01*t*t;
          }
        CHECK(fe_solve(&m, 1e-10, 15, NULL) > 0);
        for (int i = 0; i < m.nv; i++) work += (m.r[i] + r0[i])/2*(m.u[i] - u0[i]), r0[i] = m.r[i], u0[i] = m.u[i];
        heat += m.dissipated;
        fe_accept(&m);
      }
      CHECK(heat > 0.3*work);
      if (!CHECK_WITHIN((heat + m.energy)/work, 1, large ? 0.02 : 0.005)) printf("  %s large %d\n", options[o], large);
      free(r0), free(u0), fe_free(&m);
    }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(stiffness_is_consistent_at_plastic_states);
  RUN(thick_spheres_yield_as_in_the_annex);
  RUN(thick_spheres_begin_to_yield_and_collapse_where_they_should);
  RUN(long_cylinders_collapse_where_they_should);
  RUN(work_of_supports_is_stored_or_heat);
  return REPORT();
}
