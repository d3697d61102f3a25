/* laws: stresses of solids against the specification's annex, closed forms and differences
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/vec.h"
#include "materials/list.h"
#include "support/check.h"

static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

static const double zero[1] = {0};
static tni_mises steel; /* E 200e3, nu 0.3, yield 250, H, H_k */
static double yield_stress[8] = {250};
static tni_matter plastic(double H, double Hk) {
  steel = (tni_mises){tni_isotropic_of(200e3, 0.3), 1, zero, yield_stress, H, Hk};
  return (tni_matter){.name = "steel", .type = &tni_matter_plastic, .density = 1, .data = &steel};
}

static double mises_of(const double s[6], const double a[6]) {
  double d[6], mean = (s[0] + s[1] + s[2])/3, q = 0;
  for (int i = 0; i < 6; i++) {
    d[i] = s[i] - (i < 3 ? mean : 0) - (a ? a[i] : 0);
    q += (i < 3 ? 1 : 2)*d[i]*d[i];
  }
  return sqrt(1.5*q);
}

/* annex A.11: three increments */
static void plastic_stresses_are_those_of_the_annex(void) {
  static const double tensor[3][6] = {{2e-3, -1e-3, 0, 1e-3, 0, 0}, {4e-3, -1e-3, -5e-4, 1e-3, 0, 5e-4},
                                      {-1e-3, 1e-3, -5e-4, 2e-3, 0, 5e-4}};
  static const double want[3][6] = {{300.02787, 59.97770, 139.99443, 80.01672, 0, 0},
                                    {578.23535, 335.02002, 336.74464, 35.73054, 0, 34.00592},
                                    {-227.52729, 37.79629, -60.26901, 61.72887, 0, 11.20051}};
  static const double p[3] = {1.0116997e-3, 2.4073505e-3, 4.7757105e-3};
  tni_matter m = plastic(1000, 2000);
  double state0[13] = {0}, state[13], sig[6];
  for (int k = 0; k < 3; k++) {
    double eps[6];
    for (int i = 0; i < 6; i++) eps[i] = (i < 3 ? 1 : 2)*tensor[k][i];
    tni_matter_at at = {.state0 = state0, .state = state};
    CHECK(m.type->small(&m, &at, eps, sig, NULL));
    for (int i = 0; i < 6; i++) CHECK_WITHIN(sig[i], want[k][i], 6e-6);
    CHECK_WITHIN(at.plastic, p[k], 1e-10);
    CHECK_NEAR(mises_of(sig, state + 6), 250 + 1000*state[12], 1e-12);
    memcpy(state0, state, sizeof(state));
  }
}

static void plane_stresses_are_those_of_the_annex(void) {
  static const double strain[3][3] = {{3e-3, -5e-4, 1e-3}, {3e-3, 2e-3, 3e-3}, {0, 0, 0}};
  static const double want[3][3] = {{275.57669, 74.61897, 28.70825}, {198.97910, 257.20929, 57.88039}, {-262.13344, -188.28929, -60.19921}};
  static const double p[3] = {1.8327716e-3, 4.2055194e-3, 6.2844379e-3};
  tni_matter m = plastic(1000, 0);
  double state0[13] = {0}, state[13], sig[6];
  for (int k = 0; k < 3; k++) {
    double eps[6] = {strain[k][0], strain[k][1], 0, strain[k][2], 0, 0};
    tni_matter_at at = {.state0 = state0, .state = state};
    CHECK(tni_matter_small_plane(&m, &at, eps, sig, NULL));
    CHECK_WITHIN(sig[0], want[k][0], 6e-6);
    CHECK_WITHIN(sig[1], want[k][1], 6e-6);
    CHECK_WITHIN(sig[3], want[k][2], 6e-6);
    CHECK_WITHIN(at.plastic, p[k], 1e-10);
    CHECK_NEAR(sqrt(sig[0]*sig[0] - sig[0]*sig[1] + sig[1]*sig[1] + 3*sig[3]*sig[3]), 250 + 1000*state[12], 1e-12);
    memcpy(state0, state, sizeof(state));
  }
}

/* annex A.2 (3): a bar pulled and pushed */
static void cyclic_bars_are_those_of_the_annex(void) {
  static const double strain[3] = {0.005, 0.01, -0.01}, want[3] = {261.0837, 275.8621, -292.8486};
  tni_matter m = plastic(1000, 2000);
  double state0[13] = {0}, state[13], lateral = 0;
  for (int k = 0; k < 3; k++) {
    double sig, E;
    tni_matter_at at = {.state0 = state0, .state = state};
    CHECK(tni_matter_axial(&m, &at, strain[k], &lateral, &sig, &E));
    CHECK_WITHIN(sig, want[k], 6e-5);
    CHECK_NEAR(E, 200e3*3000/203e3, 1e-9); /* 2955.665 */
    memcpy(state0, state, sizeof(state));
  }
}

/* many small increments, to and fro through strains of any size and through zero: there is an answer at every one, on or inside the yield surface
 * (the step of Newton's that ends on the end of its bracket once left it for good) */
static void sheets_and_bars_follow_long_paths(void) {
  for (int path = 0; path < 40; path++) {
    double H = path%4 == 0 ? 0 : path%4 == 1 ? 7e3 : 7;
    tni_matter m = plastic(H, path%3 ? 2000 : 0);
    double state0[13] = {0}, state[13], bar0[13] = {0}, bar[13], eps[6] = {0}, rate[6] = {0}, sig[6], lateral = 0, stress;
    int failed = 0, outside = 0;
    for (int k = 0; k < 2000; k++) {
      for (int i = 0; i < 4; i++) {
        if (i == 2) continue;
        if (k%50 == 0) rate[i] = 1e-4*rnd() - (k%200 == 0 ? eps[i]/50 : 0); /* back to zero now and then */
        eps[i] += rate[i];
      }
      tni_matter_at at = {.state0 = state0, .state = state}, on = {.state0 = bar0, .state = bar};
      failed += !tni_matter_small_plane(&m, &at, eps, sig, NULL);
      failed += !tni_matter_axial(&m, &on, eps[0], &lateral, &stress, NULL);
      outside += !(fabs(sig[2]) < 1e-9) || mises_of(sig, state + 6) > (250 + H*state[12])*(1 + 1e-10);
      memcpy(state0, state, sizeof(state));
      memcpy(bar0, bar, sizeof(bar));
    }
    CHECK_INT(failed, 0);
    CHECK_INT(outside, 0);
  }
}

/* ---- tangents by differences, random states by the hundred ------------------------------------ */

static double worst_tangent(const tni_matter *m, const double *state0, const double eps[6], int plane, const double *axes) {
  double C[36], sig[6], worst = 0, size = 0, scratch[64], e0[6];
  static const double step[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  tni_matter_at at = {.axes = axes, .state0 = state0, .state = scratch};
  memcpy(e0, eps, sizeof(e0));
  if (!(plane ? tni_matter_small_plane(m, &at, e0, sig, C) : m->type->small(m, &at, e0, sig, C))) return HUGE_VAL;
  for (int i = 0; i < 36; i++) size = fmax(size, fabs(C[i]));
  for (int j = 0; j < 6; j++) {
    if (plane && j == 2) continue;
    double d[6] = {0}, h = 2e-7;
    for (int k = 0; k < 4; k++) {
      double e[6], s[6];
      memcpy(e, eps, sizeof(e));
      e[j] += step[k]*h;
      if (!(plane ? tni_matter_small_plane(m, &at, e, s, NULL) : m->type->small(m, &at, e, s, NULL))) return HUGE_VAL;
      for (int i = 0; i < 6; i++) d[i] += weight[k]*s[i]/(12*h);
    }
    for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(d[i] - C[6*i + j])/size);
  }
  return worst;
}

static void plastic_tangents_are_consistent(void) {
  int yielded = 0;
  for (int round = 0; round < 300; round++) {
    tni_matter m = plastic(round%3 ? 2000*fabs(rnd()) : 0, round%2 ? 3000*fabs(rnd()) : 0);
    double state0[13] = {0}, state[13], eps[6], sig[6];
    int plane = round%2;
    /* a step into the plastic range, then another from there */
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 6; i++) eps[i] = plane && (i == 2 || i > 3) ? 0 : 4e-3*rnd();
      if (k < 2) {
        tni_matter_at at = {.state0 = state0, .state = state};
        CHECK(plane ? tni_matter_small_plane(&m, &at, eps, sig, NULL) : m.type->small(&m, &at, eps, sig, NULL));
        memcpy(state0, state, sizeof(state));
      }
    }
    tni_matter_at at = {.state0 = state0, .state = state};
    double copy[6];
    memcpy(copy, eps, sizeof(copy));
    CHECK(plane ? tni_matter_small_plane(&m, &at, copy, sig, NULL) : m.type->small(&m, &at, copy, sig, NULL));
    yielded += state[12] > state0[12];
    CHECK_WITHIN(worst_tangent(&m, state0, eps, plane, NULL), 0, 2e-9);
    /* on or inside the yield surface, and heat is never taken */
    CHECK(mises_of(sig, state + 6) <= (250 + steel.slope*state[12])*(1 + 1e-12));
    CHECK(at.dissipated >= 0 && at.energy >= 0);
  }
  CHECK(yielded > 200);
}

/* work = stored + heat, in the limit of small increments: order 2 or better by halving */
static void work_is_stored_or_heat(void) {
  double off[2];
  for (int fine = 0; fine < 2; fine++) {
    tni_matter m = plastic(1500, 2500);
    int n = fine ? 2000 : 500;
    double state0[13] = {0}, state[13], eps0[6] = {0}, sig0[6] = {0}, work = 0, heat = 0, energy = 0;
    for (int k = 1; k <= n; k++) {
      double t = (double)k/n*7, eps[6] = {6e-3*sin(t), -3e-3*sin(2*t), 2e-3*t/7, 4e-3*cos(t) - 4e-3, 1e-3*t, 0}, sig[6];
      tni_matter_at at = {.state0 = state0, .state = state};
      CHECK(m.type->small(&m, &at, eps, sig, NULL));
      for (int i = 0; i < 6; i++) work += (sig[i] + sig0[i])/2*(eps[i] - eps0[i]);
      heat += at.dissipated, energy = at.energy;
      memcpy(state0, state, sizeof(state)), memcpy(eps0, eps, sizeof(eps)), memcpy(sig0, sig, sizeof(sig));
    }
    off[fine] = fabs(work - heat - energy)/work;
    CHECK_WITHIN(off[fine], 0, fine ? 2e-5 : 2e-4);
  }
  CHECK(off[1] < off[0]/3);
}

/* a yield curve of pieces, met in one increment over several of them */
static void yield_tables_are_followed_exactly(void) {
  static const double p[4] = {0, 0.002, 0.01, 0.05}, s[4] = {250, 300, 340, 350};
  tni_matter m = plastic(0, 0);
  steel.n = 4, steel.p = p, steel.s = s, steel.slope = 0;
  static const double target[5] = {0.001, 0.002, 0.006, 0.03, 0.2}, stress[5] = {275, 300, 320, 345, 350};
  for (int k = 0; k < 5; k++) {
    double state0[13] = {0}, state[13], lateral = 0, sig, E;
    tni_matter_at at = {.state0 = state0, .state = state};
    CHECK(tni_matter_axial(&m, &at, stress[k]/200e3 + target[k], &lateral, &sig, &E));
    CHECK_NEAR(sig, stress[k], 1e-10);
    CHECK_NEAR(at.plastic, target[k], 1e-10);
    /* heat: area under the curve */
    double area = 0;
    for (int i = 0; i < 4; i++) {
      double a = p[i], b = i < 3 ? fmin(p[i + 1], target[k]) : target[k];
      if (b > a) area += (b - a)*(s[i] + (i < 3 ? s[i] + (s[i + 1] - s[i])*(b - a)/(p[i + 1] - p[i]) : s[i]))/2;
    }
    CHECK_NEAR(at.dissipated, area, 1e-9);
  }
}

/* ---- large strains ------------------------------------------------------------------------------ */

static void large_tangent(const tni_matter *m, const double *state0, const double F0[9], const double *axes, double tol) {
  static const double step[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  double P[9], A[81], size = 0, worst = 0, slope = 0;
  tni_matter_at at = {.axes = axes, .state0 = state0};
  if (!CHECK(m->type->large(m, &at, F0, P, A))) return;
  for (int i = 0; i < 81; i++) size = fmax(size, fabs(A[i]));
  for (int j = 0; j < 9; j++) {
    double d[9] = {0}, w = 0, h = 1e-4;
    for (int k = 0; k < 4; k++) {
      double F[9], S[9];
      memcpy(F, F0, sizeof(F));
      F[j] += step[k]*h;
      CHECK(m->type->large(m, &at, F, S, NULL));
      for (int i = 0; i < 9; i++) d[i] += weight[k]*S[i]/(12*h);
      w += weight[k]*at.energy/(12*h);
    }
    for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(d[i] - A[9*i + j])/size);
    slope = fmax(slope, fabs(w - P[j])/size);
  }
  CHECK_WITHIN(worst, 0, tol);
  bool flows = m->type == &tni_matter_plastic || (m->type == &tni_matter_plastic_finite && at.soft < 1);
  if (!flows) CHECK_WITHIN(slope, 0, tol);
}

static void large_laws_are_gradients_and_have_tangents(void) {
  static const tni_matter_type *const types[] = {&tni_matter_elastic, &tni_matter_st_venant, &tni_matter_neo_hooke, &tni_matter_orthotropic};
  for (int round = 0; round < 200; round++) {
    tni_isotropic iso = tni_isotropic_of(exp(2*rnd()), 0.2 + 0.28*rnd());
    tni_orthotropic wood;
    double E[3] = {2 + rnd(), 3 + rnd(), 4 + rnd()}, nu[3] = {0.2*rnd(), 0.3*rnd(), 0.2*rnd()}, G[3] = {1, 2, 1.5};
    CHECK(tni_orthotropic_of(E, nu, G, &wood));
    tni_matter m = {.type = types[round%4], .data = round%4 == 3 ? (void *)&wood : (void *)&iso};
    double F[9], axes[9], q[4] = {rnd(), rnd(), rnd(), rnd()};
    quat_normalize(q);
    quat_matrix(axes, q);
    for (int i = 0; i < 9; i++) F[i] = (i%4 == 0) + 0.25*rnd();
    large_tangent(&m, NULL, F, axes, 1e-8);
    /* turned as a whole: the same energy, P turned */
    double R[9], RF[9], P[9], S[9], RP[9];
    double e[4] = {rnd(), rnd(), rnd(), rnd()};
    quat_normalize(e);
    quat_matrix(R, e);
    mat3_mul(RF, R, F);
    tni_matter_at at = {.axes = axes}, at2 = at;
    CHECK(m.type->large(&m, &at, F, P, NULL) && m.type->large(&m, &at2, RF, S, NULL));
    mat3_mul(RP, R, P);
    CHECK_NEAR(at2.energy, at.energy, 1e-11);
    for (int i = 0; i < 9; i++) CHECK_WITHIN(S[i], RP[i], 1e-11*(1 + fabs(RP[i])));
    if (round%4 == 3) {
      double eps[6] = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2};
      CHECK_WITHIN(worst_tangent(&m, NULL, eps, 0, axes), 0, 1e-8);
    }
  }
}

/* P = F S with any symmetric S: sigma = F S F^T/det F */
static void stresses_by_cauchy_are_those_of_the_deformed_body(void) {
  static const int at[6] = {0, 4, 8, 1, 5, 2}; /* xx yy zz xy yz zx */
  for (int round = 0; round < 20; round++) {
    double F[9], S[9], P[9], turned[9], FSF[9], sig[6];
    for (int i = 0; i < 9; i++) F[i] = (i%4 == 0) + 0.4*rnd();
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) S[3*i + j] = S[3*j + i] = rnd();
    mat3_mul(P, F, S);
    for (int i = 0; i < 9; i++) turned[i] = F[3*(i%3) + i/3];
    mat3_mul(FSF, P, turned);
    double J = F[0]*(F[4]*F[8] - F[5]*F[7]) + F[1]*(F[5]*F[6] - F[3]*F[8]) + F[2]*(F[3]*F[7] - F[4]*F[6]);
    tni_cauchy(F, P, sig);
    for (int v = 0; v < 6; v++) CHECK_WITHIN(sig[v], FSF[at[v]]/J, 1e-12*(1 + fabs(1/J)));
  }
}

/* annex A.12 (3): a neo-Hookean bar */
static void neo_hookean_bars_are_those_of_the_annex(void) {
  static const double stretch[3] = {1.5, 2, 0.5}, lateral[3] = {0.880175, 0.798078, 1.210767},
                      nominal[3] = {0.378280, 0.646745, -0.935352}, cauchy[3] = {0.488288, 1.015413, -0.638048};
  tni_isotropic iso = tni_isotropic_of(1, 0.3);
  tni_matter m = {.type = &tni_matter_neo_hooke, .data = &iso};
  for (int k = 0; k < 3; k++) {
    double l = 1, P[9], A[81], sig[6];
    for (int it = 0; it < 30; it++) {
      double F[9] = {stretch[k], 0, 0, 0, l, 0, 0, 0, l};
      tni_matter_at at = {0};
      CHECK(m.type->large(&m, &at, F, P, A));
      l -= P[4]/(A[4*9 + 4] + A[4*9 + 8]);
      tni_cauchy(F, P, sig);
    }
    CHECK_WITHIN(l, lateral[k], 6e-7);
    CHECK_WITHIN(P[0], nominal[k], 6e-7);
    CHECK_WITHIN(sig[0], cauchy[k], 6e-7);
    /* the same bar as a sheet in plane stress with its width free */
    double w = 1;
    for (int it = 0; it < 30; it++) {
      double F[9] = {stretch[k], 0, 0, 0, w, 0, 0, 0, 1};
      tni_matter_at at = {0};
      CHECK(tni_matter_large_plane(&m, &at, F, P, A));
      CHECK_WITHIN(A[4*9 + 8], 0, 0);
      w -= P[4]/A[4*9 + 4];
      if (it == 29) CHECK_WITHIN(F[8], lateral[k], 6e-7);
    }
    CHECK_WITHIN(w, lateral[k], 6e-7);
  }
}

/* Stresses in another unit, a power of two, are the same to the last bit, in the plane and in bars too, where strains across are looked for. */
static void laws_do_not_depend_on_the_unit_of_stress(void) {
  static const tni_matter_type *const types[] = {&tni_matter_st_venant, &tni_matter_neo_hooke, &tni_matter_plastic, &tni_matter_plastic_finite};
  for (int t = 0; t < TNI_COUNT(types); t++)
    for (int round = 0; round < 12; round++) {
      double F0[9], e0[6], first[36] = {0};
      for (int i = 0; i < 9; i++) F0[i] = (i%4 == 0) + (i%3 == 2 || i > 5 ? 0 : (round%2 ? 0.1 : 1e-3)*rnd());
      for (int i = 0; i < 6; i++) e0[i] = i == 2 || i > 3 ? 0 : 4e-3*rnd();
      for (int k = -40; k <= 40; k += 20) {
        double unit = ldexp(1, k), yield = 250*unit, state0[22] = {0}, state[22], F[9], e[6], P[9], sig[6] = {0}, lateral = 0, stress = 0, E = 0, now[36] = {0};
        tni_mises metal = {tni_isotropic_of(200e3*unit, 0.3), 1, zero, &yield, 1000*unit, 0};
        tni_isotropic iso = metal.iso;
        bool flows = t >= 2;
        tni_matter m = {.type = types[t], .data = flows ? (const void *)&metal : (const void *)&iso};
        tni_matter_at at = {.state0 = state0, .state = state};
        tni_matter_begin(&m, true, state0);
        memcpy(F, F0, sizeof(F));
        CHECK(tni_matter_large_plane(&m, &at, F, P, NULL));
        tni_matter_begin(&m, false, state0);
        memcpy(e, e0, sizeof(e));
        if (flows) CHECK(tni_matter_small_plane(&m, &at, e, sig, NULL) && tni_matter_axial(&m, &at, e0[0], &lateral, &stress, &E));
        for (int i = 0; i < 9; i++) now[i] = F[i], now[9 + i] = P[i]/unit;
        for (int i = 0; i < 6; i++) now[18 + i] = e[i], now[24 + i] = sig[i]/unit;
        now[30] = lateral, now[31] = stress/unit, now[32] = E/unit;
        if (k == -40) memcpy(first, now, sizeof(first));
        CHECK(memcmp(now, first, sizeof(first)) == 0);
      }
    }
}

/* annex A.12 (1): stress turned exactly in one increment */
static void rates_turn_with_the_body(void) {
  static const double degrees[3] = {30, 90, 143};
  tni_matter m = plastic(1000, 2000);
  for (int k = 0; k < 3; k++)
    for (int round = 0; round < 20; round++) {
      double a = degrees[k]*3.14159265358979323846/180, axis[3] = {rnd(), rnd(), rnd()}, q[4] = {cos(a/2), 0, 0, 0}, R[9], P[9];
      vec3_normalize(axis, axis);
      for (int i = 0; i < 3; i++) q[i + 1] = sin(a/2)*axis[i];
      quat_matrix(R, q);
      double state0[22] = {0}, state[22], S[9], T[9], want[9];
      state0[0] = state0[4] = state0[8] = 1;
      for (int i = 0; i < 6; i++) state0[9 + i] = 50*rnd();
      tni_matter_at at = {.state0 = state0, .state = state};
      CHECK(m.type->large(&m, &at, R, P, NULL));
      static const int V[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
      for (int i = 0; i < 9; i++) S[i] = state0[9 + V[i]];
      mat3_mul(T, R, S);
      double Rt[9];
      for (int i = 0; i < 9; i++) Rt[i] = R[3*(i%3) + i/3];
      mat3_mul(want, T, Rt);
      for (int i = 0; i < 9; i++) CHECK_WITHIN(state[9 + V[i]], want[i], 2e-14*200e3);
    }
}

/* annex A.12 (2): elastic simple shear to 4 */
static void rates_in_simple_shear_are_those_of_the_annex(void) {
  static const int n[3] = {20, 40, 80};
  static const double xy[3] = {-0.58712, -0.67307, -0.71520}, xx[3] = {1.72748, 1.69105, 1.67246};
  double far[1] = {1e30};
  tni_mises soft = {{0, 0, 1, 1}, 1, zero, far, 0, 0};
  tni_matter m = {.type = &tni_matter_plastic, .data = &soft};
  for (int k = 0; k < 3; k++) {
    double state0[22] = {0}, state[22], P[9];
    state0[0] = state0[4] = state0[8] = 1;
    for (int i = 1; i <= n[k]; i++) {
      double F[9] = {1, 4.0*i/n[k], 0, 0, 1, 0, 0, 0, 1};
      tni_matter_at at = {.state0 = state0, .state = state};
      CHECK(m.type->large(&m, &at, F, P, NULL));
      memcpy(state0, state, sizeof(state));
    }
    CHECK_WITHIN(state[9 + 3], xy[k], 6e-6);
    CHECK_WITHIN(state[9], xx[k], 6e-6);
  }
}

static void rate_tangents_are_exact(void) {
  for (int round = 0; round < 150; round++) {
    tni_matter m = plastic(round%2 ? 3000 : 0, round%3 ? 5000 : 0);
    double state0[22] = {0}, state[22], F[9], P[9], size = round%4 ? 0.1 : 4e-4;
    state0[0] = state0[4] = state0[8] = 1;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 9; i++) F[i] = (i%4 == 0) + size*rnd();
      tni_matter_at at = {.state0 = state0, .state = state};
      CHECK(m.type->large(&m, &at, F, P, NULL));
      if (k == 0) memcpy(state0, state, sizeof(state));
    }
    if (round%4) large_tangent(&m, state0, F, NULL, 3e-8);
    CHECK(mises_of(state + 9, state + 15) <= (250 + steel.slope*state[21])*(1 + 1e-12));
  }
}

/* small increments of a large-strain law are those of the small-strain law */
static void rates_are_the_small_law_at_small_strains(void) {
  tni_matter m = plastic(1000, 2000);
  double small0[13] = {0}, small1[13], large0[22] = {0}, large1[22];
  large0[0] = large0[4] = large0[8] = 1;
  for (int k = 1; k <= 100; k++) {
    double e = 1e-5*k, F[9] = {1 + e, 0, 0, 0, 1 - 0.3*e, 0, 0, 0, 1 - 0.5*e}, eps[6] = {e, -0.3*e, -0.5*e}, P[9], sig[6];
    tni_matter_at a = {.state0 = small0, .state = small1}, b = {.state0 = large0, .state = large1};
    CHECK(m.type->small(&m, &a, eps, sig, NULL) && m.type->large(&m, &b, F, P, NULL));
    memcpy(small0, small1, sizeof(small1)), memcpy(large0, large1, sizeof(large1));
    for (int i = 0; i < 6; i++) CHECK_WITHIN(large1[9 + i], sig[i], 2e-3*250);
    CHECK_WITHIN(b.energy, a.energy, 3e-3*a.energy);
  }
  CHECK_NEAR(large1[21], small1[12], 3e-3);
}

/* ---- multiplicative ------------------------------------------------------------------------------ */

static tni_matter finite(double H) {
  steel.slope = H;
  return (tni_matter){.name = "steel", .type = &tni_matter_plastic_finite, .density = 1, .data = &steel};
}

/* tangents in the elastic range (then P is the gradient of the energy) and beyond it, from states that have flowed; the yield surface is kept */
static void finite_tangents_are_exact(void) {
  static const int V[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  for (int round = 0; round < 150; round++) {
    tni_matter m = finite(round%2 ? 30000 : 0);
    double state0[7] = {0}, state[7], F[9], P[9], sig[6], none[6] = {0}, size = round%4 ? 0.1 : 2e-4;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 9; i++) F[i] = (i%4 == 0) + size*rnd();
      tni_matter_at at = {.state0 = state0, .state = state};
      CHECK(m.type->large(&m, &at, F, P, NULL));
      CHECK(k == 0 || (at.soft < 1) == (round%4 > 0));
      if (k == 0) memcpy(state0, state, sizeof(state));
    }
    large_tangent(&m, state0, F, NULL, 1e-7);
    double T[9], J = mat3_det(F);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        T[3*i + j] = 0;
        for (int k = 0; k < 3; k++) T[3*i + j] += P[3*i + k]*F[3*j + k]/J;
      }
    for (int i = 0; i < 9; i++) sig[V[i]] = T[i];
    CHECK(mises_of(sig, none) <= (250 + steel.slope*state[6])*(1 + 1e-11));
    CHECK(round%4 == 0 || mises_of(sig, none) >= (250 + steel.slope*state[6])*(1 - 1e-11));
  }
}

/* A cycle that stays elastic gives everything back and leaves nothing, whatever rotation comes in between (rate forms do not); a rotation
 * turns the stress of a state that has flowed. */
static void finite_elastic_cycles_are_closed(void) {
  tni_matter m = finite(0);
  double far = 1e30, q[4] = {rnd(), rnd(), rnd(), rnd()}, R[9], RF[9], P[9], Q[9], RP[9];
  tni_mises hard = {steel.iso, 1, zero, &far, 0, 0};
  tni_matter h = {.type = &tni_matter_plastic_finite, .data = &hard};
  double state0[7] = {0}, state[7], F[9] = {1.4, 0.3, -0.2, 0.1, 0.8, 0.2, 0, -0.4, 1.2}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  tni_matter_at at = {.state0 = state0, .state = state};
  CHECK(h.type->large(&h, &at, F, P, NULL));
  memcpy(state0, state, sizeof(state));
  CHECK(at.energy > 0 && h.type->large(&h, &at, one, P, NULL));
  for (int i = 0; i < 9; i++) CHECK_WITHIN(P[i], 0, 1e-9);
  CHECK_WITHIN(at.energy, 0, 1e-9);
  quat_normalize(q);
  quat_matrix(R, q);
  mat3_mul(RF, R, F);
  memset(state0, 0, sizeof(state0));
  CHECK(m.type->large(&m, &at, F, P, NULL));
  CHECK(at.plastic > 0.2);
  memcpy(state0, state, sizeof(state));
  CHECK(m.type->large(&m, &at, F, P, NULL) && m.type->large(&m, &at, RF, Q, NULL));
  mat3_mul(RP, R, P);
  for (int i = 0; i < 9; i++) CHECK_WITHIN(Q[i], RP[i], 1e-9*250);
  CHECK_WITHIN(at.dissipated, 0, 1e-6); /* nothing flows again */
}

/* what is stored has the forces as its slopes, however far it is strained, as long as nothing flows */
static void finite_forces_are_slopes_of_what_is_stored(void) {
  double far = 1e30;
  tni_mises hard = {steel.iso, 1, zero, &far, 0, 0};
  tni_matter m = {.type = &tni_matter_plastic_finite, .data = &hard};
  for (int round = 0; round < 20; round++) {
    double state0[7] = {0}, state[7], F[9], P[9], Q[9], size = round % 2 ? 0.3 : 0.03;
    tni_matter_at at = {.state0 = state0, .state = state};
    for (int i = 0; i < 9; i++) F[i] = (i%4 == 0)*(1 + round%3) + size*rnd();
    CHECK(m.type->large(&m, &at, F, P, NULL));
    for (int i = 0; i < 9; i++) {
      double h = 1e-5, keep = F[i], W[2];
      for (int side = 0; side < 2; side++) {
        F[i] = keep + (side ? h : -h);
        CHECK(m.type->large(&m, &at, F, Q, NULL));
        W[side] = at.energy;
      }
      F[i] = keep;
      CHECK_WITHIN((W[1] - W[0])/(2*h), P[i], 1e-7*steel.iso.mu);
    }
  }
}

/* A bar that is pulled to twice its length: sigma = 250 + H p, J = 1 + sigma (1 - 2 nu)/E, and ln 2 less the elastic part is the integral of
 * dp/(1 + sigma/(3 mu)): the flow rule counts plastic strain by the elastic stretch. What is put in is stored or heat. */
static void finite_bars_have_true_strains(void) {
  double off[2][2];
  for (int round = 0; round < 2; round++) {
    int steps = round ? 2000 : 1000;
    tni_matter m = finite(1000);
    double state0[7] = {0}, state[7], w = 1, P[9], A[81], work = 0, heat = 0, last = 0, before = 1;
    tni_matter_at at = {.state0 = state0, .state = state};
    for (int k = 1; k <= steps; k++) {
      double x = 1 + (double)k/steps;
      for (int it = 0; it < 5; it++) {
        double F[9] = {x, 0, 0, 0, w, 0, 0, 0, w};
        CHECK(m.type->large(&m, &at, F, P, A));
        w -= P[4]/(A[40] + A[44]);
      }
      CHECK_WITHIN(P[4], 0, 1e-6);
      work += (last + P[0])/2*(x - before);
      last = P[0], before = x;
      heat += at.dissipated;
      memcpy(state0, state, sizeof(state));
    }
    double sigma = P[0]/(w*w), c = 1/(3*steel.iso.mu), p = (log((1 + c*sigma)/(1 + c*250)))/(c*1000);
    CHECK_NEAR(sigma, 250 + 1000*at.plastic, 1e-9);
    CHECK_NEAR(2*w*w, 1 + sigma*0.4/200e3, 1e-5);
    off[round][0] = p/(log(2) - sigma/200e3) - 1;
    off[round][1] = (at.energy + heat)/work - 1;
  }
  for (int i = 0; i < 2; i++) { /* steps of first order */
    CHECK_WITHIN(off[1][i], 0, 3e-4);
    CHECK_WITHIN(2*off[1][i] - off[0][i], 0, 2e-5);
  }
}

/* small strains: the law of mises.c */
static void finite_is_the_small_law_at_small_strains(void) {
  tni_matter a = plastic(1000, 0), b = finite(1000);
  double small0[13] = {0}, small1[13], large0[7] = {0}, large1[7], heat[2] = {0};
  for (int k = 1; k <= 100; k++) {
    double e = 1e-5*k, g = 5e-6*k, F[9] = {1 + e, g, 0, 0, 1 - 0.3*e, 0, 0, 0, 1 - 0.5*e}, eps[6] = {e, -0.3*e, -0.5*e, g}, P[9], sig[6];
    tni_matter_at x = {.state0 = small0, .state = small1}, y = {.state0 = large0, .state = large1};
    CHECK(a.type->small(&a, &x, eps, sig, NULL) && b.type->large(&b, &y, F, P, NULL));
    memcpy(small0, small1, sizeof(small1)), memcpy(large0, large1, sizeof(large1));
    static const int of[6] = {0, 4, 8, 1, 5, 6};
    for (int i = 0; i < 6; i++) CHECK_WITHIN(P[of[i]], sig[i], 2e-3*250);
    CHECK_WITHIN(y.energy, x.energy, 4e-3*x.energy);
    heat[0] += x.dissipated, heat[1] += y.dissipated;
  }
  CHECK_NEAR(large1[6], small1[12], 3e-3);
  CHECK_NEAR(heat[1], heat[0], 4e-3);
}

/* ---- elastic ------------------------------------------------------------------------------------- */

/* with equal constants, orthotropic is isotropic in any axes; with others, a bar along an axis has its E and nu */
static void orthotropic_bars_have_their_constants(void) {
  double E[3] = {5, 5, 5}, nu[3] = {0.3, 0.3, 0.3}, G[3] = {5/2.6, 5/2.6, 5/2.6}, C[36], D[36], axes[9];
  tni_orthotropic o;
  tni_isotropic iso = tni_isotropic_of(5, 0.3);
  double q[4] = {0.5, 0.1, -0.7, 0.3};
  quat_normalize(q);
  quat_matrix(axes, q);
  CHECK(tni_orthotropic_of(E, nu, G, &o));
  tni_matter a = {.type = &tni_matter_orthotropic, .data = &o}, b = {.type = &tni_matter_elastic, .data = &iso};
  tni_matter_stiffness(&a, axes, C);
  tni_matter_stiffness(&b, NULL, D);
  for (int i = 0; i < 36; i++) CHECK_WITHIN(C[i], D[i], 1e-13);
  double E2[3] = {10, 2, 3}, nu2[3] = {0.3, 0.25, 0.4}, G2[3] = {1, 2, 3};
  CHECK(tni_orthotropic_of(E2, nu2, G2, &o));
  /* strains of a unit stress along each axis */
  double strain[3][6] = {{0.1, -0.03, -0.04}, {-0.03, 0.5, -0.125}, {-0.04, -0.125, 1.0/3}};
  for (int k = 0; k < 3; k++) {
    double sig[6];
    tni_matter_at at = {0};
    CHECK(a.type->small(&a, &at, strain[k], sig, NULL));
    for (int i = 0; i < 6; i++) CHECK_WITHIN(sig[i], i == k, 1e-13);
    CHECK_WITHIN(at.energy, 0.5/E2[k], 1e-13); /* of the unit stress */
  }
  double bad[3] = {0.9, 0.9, 0.9};
  CHECK(!tni_orthotropic_of(E, bad, G, &o));
  CHECK_NEAR(tni_matter_wave(&b, false), iso.lambda + 2*iso.mu, 1e-14);
  CHECK_NEAR(tni_matter_wave(&b, true), 5/(1 - 0.09), 1e-14);
  CHECK_NEAR(tni_matter_shear(&b), iso.mu, 1e-14);
}

int main(void) {
  RUN(plastic_stresses_are_those_of_the_annex);
  RUN(plane_stresses_are_those_of_the_annex);
  RUN(sheets_and_bars_follow_long_paths);
  RUN(cyclic_bars_are_those_of_the_annex);
  RUN(plastic_tangents_are_consistent);
  RUN(work_is_stored_or_heat);
  RUN(yield_tables_are_followed_exactly);
  RUN(large_laws_are_gradients_and_have_tangents);
  RUN(stresses_by_cauchy_are_those_of_the_deformed_body);
  RUN(neo_hookean_bars_are_those_of_the_annex);
  RUN(laws_do_not_depend_on_the_unit_of_stress);
  RUN(rates_turn_with_the_body);
  RUN(rates_in_simple_shear_are_those_of_the_annex);
  RUN(rate_tangents_are_exact);
  RUN(rates_are_the_small_law_at_small_strains);
  RUN(finite_tangents_are_exact);
  RUN(finite_elastic_cycles_are_closed);
  RUN(finite_forces_are_slopes_of_what_is_stored);
  RUN(finite_bars_have_true_strains);
  RUN(finite_is_the_small_law_at_small_strains);
  RUN(orthotropic_bars_have_their_constants);
  return REPORT();
}
