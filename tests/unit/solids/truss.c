/* truss: bars and cables against closed forms of the annex
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "unit/solids/fe.h"

static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

static tni_solid_kind bar(const tni_matter *m, const char *option, bool large) {
  char why[200];
  tni_solid_kind k = {.type = tni_solid_find("truss2"), .matter = m, .large = large, .area = 2};
  k.option = tni_solid_option(k.type, option);
  CHECK(k.type->prepare(&k, why, sizeof(why)));
  return k;
}

/* annex A.2 (1): half span 10, rise 1 */
static void arches_snap_where_they_should(void) {
  tni_matter m = fe_elastic("elastic", 7, 0.3, 1);
  tni_solid_kind k = bar(&m, "bar", true);
  double X[6] = {0, 0, 0, 10, 1, 0}, u[6] = {0}, f[6], K[36], EA = 14, L0 = sqrt(101), most = 0, height = 0;
  tni_solid_at at = {.X = X, .u = u};
  tni_solid_out out = {.f = f, .K = K};
  for (int i = 0; i <= 200000; i++) {
    u[4] = -i*1e-5;
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &out));
    if (-2*f[4] > most) most = -2*f[4], height = 1 + u[4];
  }
  CHECK_NEAR(most/2, 2/(3*sqrt(3))*EA/pow(L0, 3)/2, 1e-9); /* of both bars: 2/(3 sqrt 3) E A (h/L)^3 */
  CHECK_WITHIN(most/EA/2, 3.7920e-4/2, 1e-8);
  CHECK_WITHIN(height, 1/sqrt(3), 1e-4);
  u[4] = -1;
  CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &out));
  CHECK_WITHIN(f[4], 0, 1e-15);
  u[4] = -2;
  double s[6];
  out.stress = s;
  CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STRESS, &out));
  CHECK_WITHIN(s[0], 0, 1e-15);
}

static void forces_are_slopes_and_rigid_motions_free(void) {
  for (int round = 0; round < 100; round++) {
    tni_matter m = fe_elastic("elastic", 7, 0.3, 1);
    m.expansion = 0.01;
    tni_solid_kind k = bar(&m, round%3 ? "bar" : "cable", round%2);
    double X[6], u[6], f[6], K[36], g[2][6], e[2], warm[2] = {rnd(), rnd()};
    for (int i = 0; i < 6; i++) X[i] = 2*rnd(), u[i] = 0.3*rnd();
    tni_solid_at at = {.X = X, .u = u, .warm = warm};
    tni_solid_out out = {.f = f, .K = K};
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out));
    for (int j = 0; j < 6; j++) {
      double keep = u[j], h = 1e-5;
      for (int s = 0; s < 2; s++) {
        tni_solid_out o = {.f = g[s]};
        u[j] = keep + (s ? h : -h);
        CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &o));
        e[s] = o.energy;
      }
      u[j] = keep;
      CHECK_WITHIN((e[1] - e[0])/(2*h), f[j], 1e-7*(1 + fabs(f[j])));
      for (int i = 0; i < 6; i++) CHECK_WITHIN((g[1][i] - g[0][i])/(2*h), K[6*i + j], 1e-6*(1 + fabs(K[6*i + j])));
    }
    if (!k.large) continue;
    /* by 2 rad: no force */
    double q[4] = {cos(1), 0, 0, 0}, a[3] = {rnd(), rnd(), rnd()}, R[9];
    vec3_normalize(a, a);
    for (int i = 0; i < 3; i++) q[i + 1] = sin(1)*a[i];
    quat_matrix(R, q);
    for (int n = 0; n < 2; n++) {
      mat3_vec(u + 3*n, R, X + 3*n);
      vec3_sub(u + 3*n, u + 3*n, X + 3*n);
    }
    at.warm = NULL;
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE, &out));
    for (int i = 0; i < 6; i++) CHECK_WITHIN(f[i], 0, 1e-13);
  }
}

/* annex A.2: cyclic bar, and a step of L/c */
static void bars_yield_and_ring_as_they_should(void) {
  static const double zero[1] = {0}, yield[1] = {250};
  tni_mises steel = {tni_isotropic_of(200e3, 0.3), 1, zero, yield, 1000, 2000};
  tni_matter m = {.name = "steel", .type = tni_matter_find("plastic"), .density = 3, .data = &steel};
  tni_solid_kind k = bar(&m, "bar", false);
  double X[6] = {0, 0, 0, 2, 0, 0}, u[6] = {0}, f[6], K[36], state0[14] = {0}, state[14];
  static const double strain[3] = {0.005, 0.01, -0.01}, want[3] = {261.0837, 275.8621, -292.8486};
  CHECK_INT(k.nstate, 14);
  tni_solid_at at = {.X = X, .u = u, .state0 = state0, .state = state};
  tni_solid_out out = {.f = f, .K = K};
  CHECK_NEAR(k.type->rate(&k, &at), sqrt(200e3/3), 1e-12); /* 2 c/L */
  for (int i = 0; i < 3; i++) {
    u[3] = 2*strain[i];
    CHECK(k.type->eval(&k, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &out));
    CHECK_WITHIN(f[3]/2, want[i], 6e-5);
    CHECK_NEAR(K[0], 2955.6650246305417*2/2, 1e-9);
    memcpy(state0, state, sizeof(state));
  }
  double M[36], sum = 0;
  k.type->mass(&k, X, false, M);
  for (int i = 0; i < 36; i++) sum += M[i];
  CHECK_NEAR(sum, 3*3*4, 1e-14);
}

int main(void) {
  RUN(arches_snap_where_they_should);
  RUN(forces_are_slopes_and_rigid_motions_free);
  RUN(bars_yield_and_ring_as_they_should);
  return REPORT();
}
