/* annex: numbers of the specification's annex for continuum elements
 *
 * Cook's membrane, slender cantilevers in plane strain, coefficients of hourglass control, cantilevers of bricks and
 * tetrahedra, near-incompressible materials.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

/* ---- Cook's membrane --------------------------------------------------------------------------- */

static void cook_map(const double s[3], double x[3]) {
  x[0] = 48*s[0];
  x[1] = s[0]*44 + s[1]*(44*(1 - s[0]) + 16*s[0]);
}
static bool at_48(const double x[3]) { return fabs(x[0] - 48) < 1e-9; }

static double cook(const char *option, tni_plane plane, double E, double nu, double shear, double kappa, int n) {
  tni_matter m = fe_elastic("elastic", E, nu, 1);
  fe a = fe_box(&m, "quad4", option, plane, false, n, n, 0, cook_map);
  a.kind.hourglass = kappa;
  for (int i = 0; i < a.nnode; i++)
    if (a.X[i][0] < 1e-9) fe_fix(&a, i, 0, 0), fe_fix(&a, i, 1, 0);
  double tr[3] = {0, shear/16, 0};
  fe_load_faces(&a, at_48, 0, tr, false);
  CHECK(fe_solve(&a, 1e-9, 3, NULL) > 0);
  double v = a.u[2*fe_nearest(&a, 48, 52, 0) + 1];
  fe_free(&a);
  return v;
}

static void cooks_membrane_bends_as_in_the_table(void) {
  static const struct {
    const char *option;
    tni_plane plane;
    double kappa, v[5];
  } row[] = {{"full", TNI_PLANE_STRESS, 0, {11.8452, 18.2992, 22.0792, 23.4304, 23.8176}},
             {"inc", TNI_PLANE_STRESS, 0, {21.0503, 23.0164, 23.6888, 23.8833, 23.9398}},
             {"one", TNI_PLANE_STRESS, 0.10, {14.4587, 20.2410, 22.8384, 23.6519, 23.8788}},
             {"one", TNI_PLANE_STRESS, 0.05, {18.0331, 22.0878, 23.4459, 23.8211, 23.9252}},
             {"full", TNI_PLANE_STRAIN, 0, {2.0341, 2.0831, 2.1410, 2.3165, 2.8452}},
             {"bbar", TNI_PLANE_STRAIN, 0, {4.8855, 6.3637, 7.0596, 7.2846, 7.3590}},
             {"inc", TNI_PLANE_STRAIN, 0, {6.2727, 6.8184, 7.1651, 7.3066, 7.3622}}};
  for (int r = 0; r < TNI_COUNT(row); r++)
    for (int k = 0; k < 5; k++) {
      bool strain = row[r].plane == TNI_PLANE_STRAIN;
      double v = strain ? cook(row[r].option, row[r].plane, 250, 0.4999, 100, 0, 2 << k)
                        : cook(row[r].option, row[r].plane, 1, 1.0/3, 1, row[r].kappa, 2 << k);
      if (!CHECK_WITHIN(v, row[r].v[k], 1e-4)) printf("  %s, %d x %d\n", row[r].option, 2 << k, 2 << k);
    }
}

/* ---- slender cantilevers in the plane ----------------------------------------------------------- */

static double tilt;
static int columns;
static void slender_map(const double s[3], double x[3]) {
  int i = (int)lround(s[0]*columns);
  x[0] = 20*s[0] + (i > 0 && i < columns ? (i%2 ? 1 : -1)*tilt*20.0/columns*(2*s[1] - 1) : 0);
  x[1] = s[1];
}
static void short_map(const double s[3], double x[3]) { x[0] = 10*s[0], x[1] = s[1]; }
static bool at_20(const double x[3]) { return fabs(x[0] - 20) < 1e-9; }
static bool at_10(const double x[3]) { return fabs(x[0] - 10) < 1e-9; }

/* mean deflection of the end */
static double cantilever(const char *option, tni_plane plane, double nu, double kappa, int nx, int ny, double length) {
  tni_matter m = fe_elastic("elastic", 1000, nu, 1);
  columns = nx;
  fe a = fe_box(&m, "quad4", option, plane, false, nx, ny, 0, length == 20 ? slender_map : short_map);
  a.kind.hourglass = kappa;
  for (int i = 0; i < a.nnode; i++)
    if (a.X[i][0] < 1e-9) fe_fix(&a, i, 0, 0), fe_fix(&a, i, 1, 0);
  double tr[3] = {0, 1, 0}, sum = 0;
  int n = 0;
  fe_load_faces(&a, length == 20 ? at_20 : at_10, 0, tr, false);
  CHECK(fe_solve(&a, 1e-8, 3, NULL) > 0);
  for (int i = 0; i < a.nnode; i++)
    if (a.X[i][0] > length - 1e-9) sum += a.u[2*i + 1], n++;
  fe_free(&a);
  return sum/n;
}

static void slender_cantilevers_lock_and_do_not_as_in_the_table(void) {
  static const struct {
    int nx, ny;
    double tilt, full, bbar, inc;
  } row[] = {{20, 1, 0, 0.0105, 1.7187, 1.0056}, {20, 2, 0, 0.0316, 0.9073, 0.9688}, {40, 4, 0, 0.1079, 0.9711, 0.9844},
             {40, 4, 0.2, 0.1153, 0.9455, 0.9631}, {20, 1, 0.2, 0, 0, 0.8424}};
  for (int r = 0; r < TNI_COUNT(row); r++) {
    tilt = row[r].tilt;
    static const char *const options[] = {"full", "bbar", "inc"};
    const double want[3] = {row[r].full, row[r].bbar, row[r].inc};
    for (int o = 0; o < 3; o++)
      if (want[o] > 0) {
        double v = cantilever(options[o], TNI_PLANE_STRAIN, 0.499, 0, row[r].nx, row[r].ny, 20)/23.9418;
        if (!CHECK_WITHIN(v, want[o], 1.1e-4)) printf("  %s %d x %d tilt %g\n", options[o], row[r].nx, row[r].ny, tilt);
      }
  }
  tilt = 0;
}

static void hourglass_coefficients_act_as_in_the_table(void) {
  static const double kappa[4] = {0.2, 0.1, 0.05, 0.025}, fine[4] = {0.9487, 1.0037, 1.0339, 1.0497},
                      coarse[4] = {0.8239, 1.0166, 1.1520, 1.2345};
  double ref = 4.02328;
  for (int k = 0; k < 4; k++) {
    CHECK_WITHIN(cantilever("one", TNI_PLANE_STRESS, 0.3, kappa[k], 40, 4, 10)/ref, fine[k], 1.1e-4);
    CHECK_WITHIN(cantilever("one", TNI_PLANE_STRESS, 0.3, kappa[k], 20, 2, 10)/ref, coarse[k], 1.1e-4);
  }
  CHECK_WITHIN(cantilever("full", TNI_PLANE_STRESS, 0.3, 0, 20, 2, 10)/ref, 0.8901, 1.1e-4);
  CHECK_WITHIN(cantilever("inc", TNI_PLANE_STRESS, 0.3, 0, 20, 2, 10)/ref, 0.9972, 1.1e-4);
  CHECK_NEAR(cantilever("one", TNI_PLANE_STRESS, 0.3, 0, 20, 2, 10), cantilever("one", TNI_PLANE_STRESS, 0.3, 0.1, 20, 2, 10), 1e-12);
}

/* ---- cantilevers in space ------------------------------------------------------------------------ */

static void beam_map(const double s[3], double x[3]) { x[0] = 10*s[0], x[1] = s[1], x[2] = s[2]; }

/* deflection of the middle of the end, or of the mean of its nodes where there is none */
static double bending(const char *type, const char *option, double nu, double kappa, int nx, int ny, int nz) {
  tni_matter m = fe_elastic("elastic", 1000, nu, 1);
  fe a = fe_box(&m, type, option, TNI_PLANE_NONE, false, nx, ny, nz, beam_map);
  a.kind.hourglass = kappa;
  for (int i = 0; i < a.nnode; i++)
    for (int d = 0; d < 3; d++)
      if (a.X[i][0] < 1e-9) fe_fix(&a, i, d, 0);
  double tr[3] = {0, 0, 1}, sum = 0;
  int n = 0;
  fe_load_faces(&a, at_10, 0, tr, false);
  CHECK(fe_solve(&a, 1e-8, 3, NULL) > 0);
  int c = fe_nearest(&a, 10, 0.5, 0.5);
  if (fabs(a.X[c][1] - 0.5) + fabs(a.X[c][2] - 0.5) < 1e-9) {
    sum = a.u[3*c + 2], n = 1;
  } else {
    for (int i = 0; i < a.nnode; i++)
      if (at_10(a.X[i])) sum += a.u[3*i + 2], n++;
  }
  fe_free(&a);
  return sum/n;
}

static void bricks_and_tetrahedra_bend_as_in_the_tables(void) {
  static const struct {
    const char *type, *option;
    double kappa;
    int nx, ny;
    double ratio[2];
  } row[] = {{"hex8", "full", 0, 10, 2, {0.6953, 0.2660}}, {"hex8", "bbar", 0, 10, 2, {0.7657, 0.7824}},
             {"hex8", "inc", 0, 10, 2, {0.9844, 0.8647}},  {"hex8", "inc", 0, 10, 1, {0.9936, 0.8671}},
             {"hex20", "reduced", 0, 5, 1, {0.9785, 0.9421}}, {"hex20", "full", 0, 5, 1, {0.9709, 0.8407}},
             {"tet10", "full", 0, 10, 2, {0.9907, 0.9102}}, {"tet10", "full", 0, 10, 1, {0.9837, 0.8955}},
             {"hex8", "one", 0.01, 20, 4, {1.0082, 1.0243}}, {"hex8", "one", 0.05, 20, 4, {0.8295, 0.8498}},
             {"hex8", "one", 0.02, 20, 4, {0.9563, 0.9735}}, {"hex8", "one", 0.005, 20, 4, {1.0365, 1.0524}},
             {"hex8", "bbar", 0, 20, 4, {0.9265, 0.9402}}, {"hex8", "inc", 0, 20, 4, {0.9941, 0.9665}},
             {"tet4", "full", 0, 20, 4, {0.6757, 0.0575}}};
  static const double nu[2] = {0.3, 0.499}, ref[2] = {3.99819, 3.88976};
  for (int r = 0; r < TNI_COUNT(row); r++)
    for (int k = 0; k < 2; k++) {
      double v = bending(row[r].type, row[r].option, nu[k], row[r].kappa, row[r].nx, row[r].ny, row[r].ny)/ref[k];
      if (!CHECK_WITHIN(v, row[r].ratio[k], 1.1e-4)) printf("  %s %s %g nu %g\n", row[r].type, row[r].option, row[r].kappa, nu[k]);
    }
}

/* a slender cantilever far beyond small displacements against the elastica: P L^2/(E I) = 1 and 5 */
static void slender_map3(const double s[3], double x[3]) { x[0] = 20*s[0], x[1] = s[1], x[2] = s[2]; }

static void large_bending_is_the_elastica(void) {
  static const struct {
    const char *type, *option, *law;
    int nx, ny;
    double tol;
  } row[] = {{"hex20", "full", "st_venant", 10, 1, 3e-3}, {"hex20", "full", "elastic", 10, 1, 3e-3}, {"tet10", "full", "neo_hooke", 10, 1, 3e-3}};
  static const double load[2] = {1, 5}, u[2] = {0.05643, 0.38763}, w[2] = {0.30172, 0.71379};
  for (int r = 0; r < TNI_COUNT(row); r++) {
    double E = 1200, I = 1.0/12;
    tni_matter m = fe_elastic(row[r].law, E, 0, 1);
    fe a = fe_box(&m, row[r].type, row[r].option, TNI_PLANE_NONE, true, row[r].nx, row[r].ny, row[r].ny, slender_map3);
    for (int i = 0; i < a.nnode; i++)
      for (int d = 0; d < 3; d++)
        if (a.X[i][0] < 1e-9) fe_fix(&a, i, d, 0);
    double now = 0;
    for (int k = 0; k < 2; k++) {
      while (now < load[k] - 1e-9) {
        double tr[3] = {0, (now += 0.25)*E*I/400, 0};
        memset(a.load, 0, (size_t)a.nv*sizeof(double));
        fe_load_faces(&a, at_20, 0, tr, false);
        if (!CHECK(fe_solve(&a, 1e-8, 25, NULL) > 0)) break;
      }
      double sum[2] = {0, 0};
      int n = 0;
      for (int i = 0; i < a.nnode; i++)
        if (a.X[i][0] > 20 - 1e-9) sum[0] -= a.u[3*i], sum[1] += a.u[3*i + 1], n++;
      if (!CHECK_WITHIN(sum[0]/n/20, u[k], row[r].tol) | !CHECK_WITHIN(sum[1]/n/20, w[k], row[r].tol))
        printf("  %s %s %s\n", row[r].type, row[r].option, row[r].law);
    }
    fe_free(&a);
  }
}

int main(void) {
  RUN(cooks_membrane_bends_as_in_the_table);
  RUN(slender_cantilevers_lock_and_do_not_as_in_the_table);
  RUN(hourglass_coefficients_act_as_in_the_table);
  RUN(bricks_and_tetrahedra_bend_as_in_the_tables);
  RUN(large_bending_is_the_elastica);
  return REPORT();
}
