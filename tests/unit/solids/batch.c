/* batch: four elements at once are the elements one by one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/batch.h"

#include "unit/solids/fe.h"

static uint64_t seed = 88172645463325252u;
static double rnd(void) { return check_random(&seed); }

enum { NX = 4, NY = 3, NZ = 3, NN = (NX + 1)*(NY + 1)*(NZ + 1), NE = NX*NY*NZ };
static double X[3*NN], u[3*NN];
static int node[8*NE];

static void make(double shake) {
  int k = 0;
  for (int i = 0; i < NN; i++) {
    X[3*i] = i%(NX + 1) + shake*rnd();
    X[3*i + 1] = i/(NX + 1)%(NY + 1) + shake*rnd();
    X[3*i + 2] = i/((NX + 1)*(NY + 1)) + shake*rnd();
  }
  for (int c = 0; c < NZ; c++)
    for (int b = 0; b < NY; b++)
      for (int a = 0; a < NX; a++, k++) {
        int n = a + (NX + 1)*(b + (NY + 1)*c), up = (NX + 1)*(NY + 1);
        int v[8] = {n, n + 1, n + NX + 2, n + NX + 1, n + up, n + up + 1, n + up + NX + 2, n + up + NX + 1};
        memcpy(node + 8*k, v, sizeof(v));
      }
}

static tni_mises steel;
static const double zero[1] = {0}, yield[1] = {0.05};
static tni_matter matter_of(int law) {
  static const char *const types[] = {"elastic", "st_venant", "neo_hooke", "plastic"};
  tni_matter m = fe_elastic(types[law], 3, 0.3, 2);
  steel = (tni_mises){tni_isotropic_of(3, 0.3), 1, zero, yield, 0.1, 0.2};
  if (law == 3) m.data = &steel;
  return m;
}

/* sums of eval, element by element */
static void one_by_one(const tni_solid_kind *k, double *state, double *f, double *energy, double *heat) {
  memset(f, 0, sizeof(X));
  for (int e = 0; e < NE; e++) {
    double Xe[24], ue[24], fe_[24], now[64];
    for (int a = 0; a < 8; a++) {
      vec3_copy(Xe + 3*a, X + 3*node[8*e + a]);
      vec3_copy(ue + 3*a, u + 3*node[8*e + a]);
    }
    double *own = state + e*k->nstate;
    tni_solid_at at = {.X = Xe, .u = ue, .state0 = own, .state = now};
    tni_solid_out out = {.f = fe_};
    CHECK(k->type->eval(k, &at, TNI_SOLID_FORCE, &out));
    memcpy(own, now, (size_t)k->nstate*sizeof(double));
    energy[e] = out.energy, heat[e] = out.dissipated;
    for (int a = 0; a < 8; a++) vec3_add(f + 3*node[8*e + a], f + 3*node[8*e + a], fe_ + 3*a);
  }
}

static void batches_are_elements_one_by_one(void) {
  for (int law = 0; law < 4; law++)
    for (int large = 0; large < 2; large++)
      for (int round = 0; round < 10; round++) {
        tni_matter m = matter_of(law);
        tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, large);
        static double state[2][64*NE], f[2][3*NN], energy[2][NE], heat[2][NE];
        CHECK(k.type->batch && k.type->batch->serves(&k));
        make(0.2);
        for (int e = 0; e < NE && k.nstate; e++)
          for (int s = 0; s < 2; s++) k.type->begin(&k, NULL, NULL, state[s] + e*k.nstate);
        for (int step = 0; step < 3; step++) {
          for (int i = 0; i < 3*NN; i++) u[i] = 0.1*rnd();
          one_by_one(&k, state[0], f[0], energy[0], heat[0]);
          memset(f[1], 0, sizeof(f[1]));
          tni_batch_in in = {&k, node, X, u, k.nstate ? state[1] : NULL};
          tni_batch_out out = {.f = f[1], .energy = energy[1], .dissipated = heat[1]};
          int cut = 1 + (int)(fabs(rnd())*(NE - 2));
          CHECK(k.type->batch->force(&in, 0, cut, &out) && k.type->batch->force(&in, cut, NE, &out));
          for (int i = 0; i < 3*NN; i++) CHECK_WITHIN(f[1][i], f[0][i], 1e-13);
          for (int e = 0; e < NE; e++) {
            CHECK_WITHIN(energy[1][e], energy[0][e], 1e-14);
            CHECK_WITHIN(heat[1][e], heat[0][e], 1e-14);
            out.energy_sum -= energy[0][e], out.dissipated_sum -= heat[0][e];
          }
          CHECK_WITHIN(out.energy_sum, 0, 1e-13);
          CHECK_WITHIN(out.dissipated_sum, 0, 1e-13);
          for (int i = 0; i < NE*k.nstate; i++) CHECK_WITHIN(state[1][i], state[0][i], 1e-12);
          if (law == 3) CHECK(heat[0][0] > 0);
        }
      }
}

/* where the elements are cut does not change a bit */
static void cuts_do_not_change_a_bit(void) {
  tni_matter m = matter_of(2);
  tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, true);
  static double f[2][3*NN];
  make(0.2);
  for (int i = 0; i < 3*NN; i++) u[i] = 0.1*rnd();
  tni_batch_in in = {&k, node, X, u, NULL};
  tni_batch_out whole = {.f = f[0]};
  CHECK(k.type->batch->force(&in, 0, NE, &whole));
  for (int cut = 1; cut < NE; cut++) {
    memset(f[1], 0, sizeof(f[1]));
    tni_batch_out out = {.f = f[1]};
    CHECK(k.type->batch->force(&in, 0, cut, &out) && k.type->batch->force(&in, cut, NE, &out));
    CHECK(memcmp(f[0], f[1], sizeof(f[0])) == 0);
  }
}

/* steps have arrays of their own and, where the processor has registers for it, eight elements at once: the same bits */
static void marches_have_the_bits_of_forces(void) {
  for (int law = 0; law < 3; law++)
    for (int large = 0; large < 2; large++)
      for (int round = 0; round < 20; round++) {
        tni_matter m = matter_of(law);
        tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, large);
        k.hourglass = round%2 ? 0.1 : 0;
        static double f[3*NN], X4[4*NN], u4[4*NN], f4[4*NN];
        make(0.2);
        memset(f, 0, sizeof(f));
        for (int i = 0; i < 4*NN; i++) {
          bool real = i%4 < 3;
          if (real) u[i/4*3 + i%4] = 0.1*rnd();
          X4[i] = real ? X[i/4*3 + i%4] : NAN;
          u4[i] = real ? u[i/4*3 + i%4] : NAN;
          f4[i] = 0;
        }
        tni_batch_in in = {&k, node, X, u, NULL}, padded = {&k, node, X4, u4, NULL};
        tni_batch_out out = {.f = f}, steps = {.f = f4};
        int cut = 1 + (int)(fabs(rnd())*(NE - 2));
        CHECK(k.type->batch->force(&in, 0, NE, &out));
        CHECK(k.type->batch->march(&padded, 0, cut, &steps) && k.type->batch->march(&padded, cut, NE, &steps));
        for (int i = 0; i < NN; i++) CHECK(memcmp(f + 3*i, f4 + 4*i, 3*sizeof(double)) == 0);
      }
}

/* an element without volume is named, wherever it stands among eight */
static void marches_name_elements_without_volume(void) {
  tni_matter m = matter_of(0);
  tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, false);
  for (int bad = 0; bad < NE; bad++) {
    static double X4[4*NN], u4[4*NN], f4[4*NN];
    int turned[8*NE];
    make(0);
    for (int i = 0; i < 3*NN; i++) X4[i/3*4 + i%3] = X[i];
    memcpy(turned, node, sizeof(node));
    for (int a = 0; a < 4; a++) turned[8*bad + a] = node[8*bad + a + 4], turned[8*bad + a + 4] = node[8*bad + a];
    tni_batch_in in = {&k, turned, X4, u4, NULL};
    tni_batch_out out = {.f = f4, .failed = -1};
    CHECK(!k.type->batch->march(&in, 0, NE, &out) && out.failed == bad);
  }
}

static void crushed_elements_are_named(void) {
  tni_matter m = matter_of(0);
  tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, true);
  static double f[3*NN];
  make(0);
  memset(u, 0, sizeof(u));
  for (int a = 0; a < 8; a++) u[3*node[8*(NE - 1) + a]] = -2*X[3*node[8*(NE - 1) + a]]; /* turned inside out */
  tni_batch_in in = {&k, node, X, u, NULL};
  tni_batch_out out = {.f = f};
  CHECK(!k.type->batch->force(&in, 0, NE, &out));
  /* the element by itself says the same */
  double Xe[24], ue[24], fe_[24];
  for (int a = 0; a < 8; a++) {
    vec3_copy(Xe + 3*a, X + 3*node[8*out.failed + a]);
    vec3_copy(ue + 3*a, u + 3*node[8*out.failed + a]);
  }
  tni_solid_at at = {.X = Xe, .u = ue};
  tni_solid_out alone = {.f = fe_};
  CHECK(!k.type->eval(&k, &at, TNI_SOLID_FORCE, &alone));
}

/* an upper bound, and close: exact for bricks */
static void rates_bound_the_exact_ones(void) {
  for (int round = 0; round < 60; round++) {
    tni_matter m = matter_of(0);
    fe_iso = tni_isotropic_of(3, 0.24 + 0.25*rnd());
    tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, false);
    double stretch[3] = {1 + 0.9*rnd(), 1 + 0.9*rnd(), 1 + 0.9*rnd()}, zero_u[24] = {0};
    make(round%3 ? 0.15 : 0);
    for (int i = 0; i < 3*NN; i++) X[i] *= stretch[i%3];
    tni_batch_in in = {&k, node, X, u, NULL};
    for (int e = 0; e < NE; e++) {
      double Xe[24];
      for (int a = 0; a < 8; a++) vec3_copy(Xe + 3*a, X + 3*node[8*e + a]);
      tni_solid_at at = {.X = Xe, .u = zero_u};
      double exact = k.type->rate(&k, &at), bound = k.type->batch->rate(&in, e, e + 1);
      CHECK(bound >= exact*(1 - 1e-12));
      CHECK(bound <= exact*(round%3 ? 1.35 : 1.08));
      /* where hourglasses decide: still a bound, at most four of them at once */
      k.hourglass = 1;
      exact = k.type->rate(&k, &at), bound = k.type->batch->rate(&in, e, e + 1);
      CHECK(bound >= exact*(1 - 1e-12) && bound <= exact*2.2);
      k.hourglass = 0;
    }
  }
}

int main(void) {
  RUN(batches_are_elements_one_by_one);
  RUN(cuts_do_not_change_a_bit);
  RUN(crushed_elements_are_named);
  RUN(rates_bound_the_exact_ones);
  RUN(marches_have_the_bits_of_forces);
  RUN(marches_name_elements_without_volume);
  return REPORT();
}
