/* beam: two-node beams with shear and corotation against the annex
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

static const double PI = 3.14159265358979323846;
static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

static tni_solid_kind beam(const tni_matter *m, const tni_profile *p, bool large) {
  char why[200];
  tni_solid_kind k = {.type = tni_solid_find("beam2"), .matter = m, .profile = p, .large = large};
  CHECK(k.type->prepare(&k, why, sizeof(why)));
  return k;
}

static fe chain(const tni_matter *m, const tni_profile *p, bool large, int n, double L) {
  fe a = {.matter = *m};
  a.kind = beam(m, p, large);
  a.nen = 2, a.ndof = 6;
  int cap = 0;
  a.conn = malloc((size_t)(2*n)*sizeof(int));
  for (int i = 0; i <= n; i++) fe_add_node(&a, &cap, (double[3]){L*i/n, 0, 0});
  for (int i = 0; i < n; i++) a.conn[2*i] = i, a.conn[2*i + 1] = i + 1, a.nelem++;
  fe_finish(&a);
  if (large) {
    a.turn = malloc((size_t)a.nnode*sizeof(*a.turn));
    for (int i = 0; i < a.nnode; i++) mat3_identity(a.turn[i]);
  }
  for (int d = 0; d < 6; d++) fe_fix(&a, fe_nearest(&a, 0, 0, 0), d, 0);
  return a;
}

/* annex A.3 (1): P L^3/(3 E I) + P L/(G A), in both planes, and torsion, axial */
static void cantilevers_of_one_element_are_exact(void) {
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  tni_profile p = {.C = {100, 7, 9, 3, 5, 11}, .rhoA = 2, .rhoI = {3, 1, 2}, .area = 1};
  static const int dof[4] = {0, 1, 2, 3};
  double L = 2, want[4] = {L/100, L*L*L/(3*11) + L/7, L*L*L/(3*5) + L/9, L/3};
  for (int k = 0; k < 4; k++) {
    fe a = chain(&m, &p, false, 1, L);
    int end = fe_nearest(&a, L, 0, 0);
    a.load[6*end + dof[k]] = 1;
    CHECK(fe_solve(&a, 1e-12, 4, NULL) > 0);
    CHECK_NEAR(a.u[6*end + dof[k]], want[k], 1e-12);
    /* resultants in the middle */
    double s[6];
    tni_solid_out out = {.stress = s};
    CHECK(fe_eval_element(&a, 0, TNI_SOLID_STRESS, &out));
    double expect[6] = {k == 0, k == 1, k == 2, k == 3, k == 2 ? -L/2 : 0, k == 1 ? L/2 : 0};
    for (int i = 0; i < 6; i++) CHECK_WITHIN(s[i], expect[i], 1e-12);
    fe_free(&a);
  }
}

/* annex A.3 (2): rolled up, the nodes form a regular polygon */
static void beams_roll_up_to_polygons(void) {
  static const int n[3] = {4, 8, 16};
  for (int c = 0; c < 3; c++) {
    tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
    double L = 10, EI = 3;
    tni_profile p = {.C = {1e4, 1e4, 1e4, 3, EI, EI}, .rhoA = 1, .area = 1};
    fe a = chain(&m, &p, true, n[c], L);
    int end = fe_nearest(&a, L, 0, 0), steps = 8;
    for (int k = 1; k <= steps; k++) {
      a.load[6*end + 5] = 2*PI*EI/L*k/steps;
      int it = fe_solve(&a, 1e-10, 25, NULL); /* rounding of E A leaves 2e-11 */
      if (!CHECK(it > 0 && it <= 8)) break;
    }
    CHECK_WITHIN(hypot(L + a.u[6*end], a.u[6*end + 1])/L, 0, 1e-10);
    /* all sides as long as at rest */
    for (int e = 0; e < a.nelem; e++) {
      double x[2][3], d[3];
      for (int v = 0; v < 2; v++) vec3_add(x[v], a.X[a.conn[2*e + v]], a.u + 6*a.conn[2*e + v]);
      vec3_sub(d, x[1], x[0]);
      CHECK_NEAR(vec3_norm(d), L/n[c], 1e-10);
    }
    fe_free(&a);
  }
}

/* annex A.3 (3): the elastica, E A L^2/(E I) = 1e6 */
static void beams_follow_the_elastica(void) {
  static const double P[3] = {1, 5, 10};
  static const struct {
    int n;
    double u[3], w[3];
  } row[2] = {{20, {0.05641, 0.38759, 0.55498}, {0.30174, 0.71399, 0.81090}},
              {5, {0.05606, 0.38722, 0.55522}, {0.30203, 0.71713, 0.81562}}};
  for (int r = 0; r < 2; r++) {
    tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
    double L = 1, EI = 1;
    tni_profile p = {.C = {1e6, 0, 0, 1, EI, EI}, .rhoA = 1, .area = 1}; /* no shear */
    fe a = chain(&m, &p, true, row[r].n, L);
    int end = fe_nearest(&a, L, 0, 0);
    double load = 0;
    for (int k = 0; k < 3; k++) {
      while (load < P[k] - 1e-9) {
        load += 0.5;
        a.load[6*end + 1] = load;
        if (!CHECK(fe_solve(&a, 1e-9, 60, NULL) > 0)) return;
      }
      CHECK_WITHIN(-a.u[6*end], row[r].u[k], 2e-5);
      CHECK_WITHIN(a.u[6*end + 1], row[r].w[k], 2e-5);
    }
    fe_free(&a);
  }
}

static void rotation(double R[9], const double w[3]) {
  double q[4];
  quat_from_vector(q, w);
  quat_matrix(R, q);
}

/* annex A.3 (4), A.12 (4): force = slope of the energy, stiffness that of the force */
static void forces_are_slopes_of_the_energy(void) {
  for (int round = 0; round < 100; round++) {
    tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
    tni_profile p = {.C = {50, 20, 25, 3, 4, 6}, .rhoA = 1, .rhoI = {1, 1, 1}, .area = 1};
    bool large = round%3, gentle = round%2;
    tni_solid_kind k = beam(&m, &p, large);
    double X[6], u[12], turn[18], f[12], K[144], R[9], w[3] = {2*rnd(), 2*rnd(), 2*rnd()}, size = 0, T[9];
    rotation(R, w);
    for (int i = 0; i < 6; i++) X[i] = rnd() + (i == 3 ? 2 : 0);
    for (int a = 0; a < 2; a++) {
      double small[3], d[3];
      for (int i = 0; i < 3; i++) small[i] = (gentle ? 0.05 : 0.5)*rnd(), d[i] = X[3*a + i] + 0.03*rnd();
      rotation(T, small);
      mat3_mul(turn + 9*a, R, T);
      mat3_vec(u + 6*a, R, d);
      vec3_sub(u + 6*a, u + 6*a, X + 3*a);
      vec3_copy(u + 6*a + 3, small);
    }
    tni_solid_at at = {.X = X, .u = u, .turn = large ? turn : NULL};
    tni_solid_out out = {.f = f, .K = K};
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out));
    for (int i = 0; i < 144; i++) size = fmax(size, fabs(K[i]));
    double d[12], g[4][12], E[4], h = 5e-4, s = 0, worst = 0;
    static const double step[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 12; i++) d[i] = rnd();
    for (int j = 0; j < 4; j++) {
      double v[12], t[18];
      for (int i = 0; i < 12; i++) v[i] = u[i] + step[j]*h*d[i];
      for (int a = 0; a < 2; a++) {
        double spin[3];
        vec3_scale(spin, step[j]*h, d + 6*a + 3);
        rotation(T, spin);
        mat3_mul(t + 9*a, T, turn + 9*a);
      }
      tni_solid_at b = {.X = X, .u = v, .turn = large ? t : NULL};
      tni_solid_out side = {.f = g[j]};
      CHECK(k.type->eval(&k, &b, TNI_SOLID_FORCE, &side));
      E[j] = side.energy;
    }
    for (int i = 0; i < 12; i++) {
      double Kd = 0;
      for (int j = 0; j < 12; j++) Kd += K[12*i + j]*d[j];
      worst = fmax(worst, fabs((g[0][i] - 8*g[1][i] + 8*g[2][i] - g[3][i])/(12*h) - Kd));
      s += f[i]*d[i];
    }
    CHECK_WITHIN((E[0] - 8*E[1] + 8*E[2] - E[3])/(12*h), s, 1e-9*size);
    CHECK_WITHIN(worst/size, 0, 1e-9);
  }
}

/* energy counts from rest, wherever that has been carried; small: half of what the forces do */
static void energy_counts_from_rest(void) {
  for (int large = 0; large < 2; large++) {
    tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
    tni_profile p = {.C = {50, 20, 25, 3, 4, 6}, .rhoA = 1, .rhoI = {1, 1, 1}, .area = 1};
    tni_solid_kind k = beam(&m, &p, large);
    double X[6] = {0.1, 0.2, 0.3, 1.5, -0.4, 0.9}, u[12] = {0}, turn[18], f[12], R[9], w[3] = {0.4, -1, 0.7}, work = 0;
    rotation(R, w);
    for (int a = 0; a < 2; a++) {
      memcpy(turn + 9*a, R, sizeof(R));
      if (!large) continue;
      mat3_vec(u + 6*a, R, X + 3*a);
      vec3_sub(u + 6*a, u + 6*a, X + 3*a);
    }
    tni_solid_at at = {.X = X, .u = u, .turn = large ? turn : NULL};
    tni_solid_out out = {.f = f};
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &out));
    CHECK_NEAR(out.energy, 0, 1e-20);
    for (int i = 0; i < 12; i++) u[i] += 0.01*rnd();
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &out));
    for (int i = 0; i < 12; i++) work += 0.5*f[i]*u[i];
    if (!large) CHECK_NEAR(out.energy, work, 1e-13);
    CHECK(out.energy > 0);
  }
}

/* rho A L/2 a node; omega^2 L^2/c^2 = 48 (r/L)^2 + 12 r^2/beta with beta = 4 r^2 */
static void steps_are_those_of_the_annex(void) {
  tni_matter m = fe_elastic("elastic", 1, 0.3, 1);
  double r = 0.1, L = 1, M[144], X[6] = {0, 0, 0, L, 0, 0}, u[12] = {0}, sum = 0;
  tni_profile p = {.C = {1, 0, 0, 0.8*r*r, r*r, r*r}, .rhoA = 1, .rhoI = {2*r*r, r*r, r*r}, .area = 1};
  tni_solid_kind k = beam(&m, &p, false);
  tni_solid_at at = {.X = X, .u = u};
  CHECK(k.type->rate(&k, &at) <= 2*(1 + 1e-12)); /* L > 7 r: the bar decides, 2 c/L */
  CHECK_NEAR(k.type->rate(&k, &at), 2, 1e-9);
  p.C[4] = p.C[5] = 9*r*r, p.rhoI[1] = p.rhoI[2] = 9*r*r; /* L = 3.3 r */
  double r2 = 9*r*r;
  CHECK_NEAR(k.type->rate(&k, &at), sqrt(fmax(4, 48*r2 + 3)), 1e-9);
  k.type->mass(&k, X, false, M);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) sum += M[12*6*a + 6*b];
  CHECK_NEAR(sum, 1, 1e-14);
}

int main(void) {
  RUN(cantilevers_of_one_element_are_exact);
  RUN(beams_roll_up_to_polygons);
  RUN(beams_follow_the_elastica);
  RUN(forces_are_slopes_of_the_energy);
  RUN(energy_counts_from_rest);
  RUN(steps_are_those_of_the_annex);
  return REPORT();
}
