/* every derivative of the scalar functions against central differences along the same retraction
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kinematics/scalar.h"

#include "support/check.h"

static uint64_t seed = 11;
static void random3(double a[3], double scale) {
  for (int i = 0; i < 3; i++) a[i] = scale*check_random(&seed);
}

static void random_kin(tni_kin *k) {
  double u[3], p[4];
  random3(k->r, 1);
  random3(u, 1.5);
  quat_from_vector(p, u);
  quat_matrix(k->A, p);
  random3(k->v, 1);
  random3(k->w, 2);
  mat3_vec(k->W, k->A, k->w);
}

/* pose moved along h*delta with v, w (body) held */
static tni_kin moved(const tni_kin *k, const double delta[6], double h) {
  tni_kin m = *k;
  vec3_addmul(m.r, h, delta);
  double u[3], p[4], E[9];
  vec3_scale(u, h, delta + 3);
  quat_from_vector(p, u);
  quat_matrix(E, p);
  mat3_mul(m.A, k->A, E);
  mat3_vec(m.W, m.A, m.w);
  return m;
}

static void check_scalar(const tni_scalar *s) {
  const unsigned all = TNI_S_VALUE | TNI_S_JACOBIAN | TNI_S_RATE | TNI_S_SECOND |
                       TNI_S_BIAS_Q;
  const double h = 1e-5, tol = 2e-8; /* differences of order h^2 and eps/h */
  tni_kin k[2];
  random_kin(&k[0]);
  random_kin(&k[1]);
  tni_scalar_out o, a, b;
  tni_scalar_eval(s, &k[0], &k[1], 0, all, &o);
  double v[12], w[12];
  for (int n = 0; n < 2; n++) {
    vec3_copy(v + 6*n, k[n].v);
    vec3_copy(v + 6*n + 3, k[n].w);
  }
  for (int i = 0; i < 12; i++) w[i] = check_random(&seed);
  for (int j = 0; j < 12; j++) {
    double delta[12] = {0};
    delta[j] = 1;
    tni_kin p[2] = {moved(&k[0], delta, h), moved(&k[1], delta + 6, h)};
    tni_kin m[2] = {moved(&k[0], delta, -h), moved(&k[1], delta + 6, -h)};
    tni_scalar_eval(s, &p[0], &p[1], o.s, all, &a);
    tni_scalar_eval(s, &m[0], &m[1], o.s, all, &b);
    CHECK_NEAR(o.J[j], (a.s - b.s)/(2*h), tol);
    CHECK_NEAR(o.bias_q[j], (a.bias - b.bias)/(2*h), 20*tol);
    double got = 0, plus = 0, minus = 0;
    for (int i = 0; i < 12; i++) {
      got += w[i]*o.B[12*i + j];
      plus += w[i]*a.J[i];
      minus += w[i]*b.J[i];
    }
    CHECK_NEAR(got, (plus - minus)/(2*h), 20*tol);
  }
  /* rate and bias along the motion with constant v, w */
  tni_kin p[2] = {moved(&k[0], v, h), moved(&k[1], v + 6, h)};
  tni_kin m[2] = {moved(&k[0], v, -h), moved(&k[1], v + 6, -h)};
  tni_scalar_eval(s, &p[0], &p[1], o.s, all, &a);
  tni_scalar_eval(s, &m[0], &m[1], o.s, all, &b);
  CHECK_NEAR(o.rate, (a.s - b.s)/(2*h), tol*10);
  CHECK_NEAR(o.bias, (a.rate - b.rate)/(2*h), 20*tol);
  /* asked for alone, each is what it is beside the others: values and rates have code of their own */
  tni_scalar_eval(s, &k[0], &k[1], 0, TNI_S_VALUE, &a);
  CHECK_NEAR(a.s, o.s, 1e-14);
  tni_scalar_eval(s, &k[0], &k[1], 0, TNI_S_RATE, &a);
  CHECK_NEAR(a.rate, o.rate, 1e-13);
  CHECK_NEAR(a.bias, o.bias, 1e-13);
  tni_scalar_eval(s, &k[0], &k[1], 0, TNI_S_JACOBIAN, &a);
  for (int i = 0; i < 12; i++) CHECK_WITHIN(a.J[i], o.J[i], 1e-14);
  double jv = 0;
  for (int i = 0; i < 12; i++) jv += o.J[i]*v[i];
  CHECK_NEAR(o.rate, jv, 1e-14);
}

static void random_rotation(double R[9]) {
  double u[3], p[4];
  random3(u, 2);
  quat_from_vector(p, u);
  quat_matrix(R, p);
}

static void dot_products(void) {
  for (int n = 0; n < 10; n++) {
    double a[3], b[3], s0[3], s1[3], g[3];
    random3(a, 1);
    random3(b, 1);
    random3(s0, 1);
    random3(s1, 1);
    random3(g, 1);
    tni_scalar s = tni_scalar_dot(0, 1, tni_vecq_direction(0, a), tni_vecq_direction(1, b), 0.3);
    check_scalar(&s);
    s = tni_scalar_dot(0, 1, tni_vecq_direction(0, a), tni_vecq_separation(s0, s1), 0);
    check_scalar(&s);
    s = tni_scalar_dot(0, 1, tni_vecq_constant(g), tni_vecq_separation(s0, s1), 0);
    check_scalar(&s);
    /* both factors move with both bodies */
    s = tni_scalar_dot(0, 1, tni_vecq_separation(a, b), tni_vecq_separation(s0, s1), 0.3);
    check_scalar(&s);
    s = tni_scalar_dot(0, 1, tni_vecq_separation(s1, a), tni_vecq_direction(1, b), 0);
    check_scalar(&s);
  }
}

static void lengths(void) {
  for (int n = 0; n < 10; n++) {
    double s0[3], s1[3];
    random3(s0, 1);
    random3(s1, 1);
    s1[0] += 3; /* keep away from zero length, where the function is not smooth */
    s0[0] -= 3;
    tni_scalar s = tni_scalar_length(0, 1, tni_vecq_separation(s0, s1), -1);
    check_scalar(&s);
  }
}

static void twist_angles(void) {
  for (int n = 0; n < 30; n++) {
    double R0[9], R1[9];
    random_rotation(R0);
    random_rotation(R1);
    tni_scalar s = tni_scalar_twist(0, 1, R0, R1, -1);
    /* packed it has the same value, counted on from any angle */
    tni_twist packed;
    CHECK(tni_scalar_is_twist(&s, &packed));
    /* where S = C = 0 (axes opposite) the angle is undefined: leave a distance */
    tni_kin k0, k1;
    uint64_t keep = seed;
    random_kin(&k0);
    random_kin(&k1);
    seed = keep;
    double z0[3], z1[3], R[9];
    mat3_mul(R, k0.A, R0);
    mat3_column(z0, R, 2);
    mat3_mul(R, k1.A, R1);
    mat3_column(z1, R, 2);
    tni_scalar_out value;
    tni_scalar_eval(&s, &k0, &k1, 20.0*n - 300, TNI_S_VALUE, &value);
    CHECK_NEAR(tni_twist_value(&packed, &k0, &k1, 20.0*n - 300), value.s, 1e-14);
    if (vec3_dot(z0, z1) < 0) {
      random_kin(&k0);
      continue;
    }
    check_scalar(&s);
  }
}

/* the angle in which one body sees a point of the other, from two axes of its own */
static void bearings(void) {
  for (int n = 0; n < 10; n++) {
    double R[9], x[3], y[3], s0[3], s1[3], I[9];
    random_rotation(R);
    mat3_column(x, R, 0);
    mat3_column(y, R, 1);
    random3(s0, 0.3);
    random3(s1, 0.3);
    for (int i = 0; i < 3; i++) s1[i] += 2*(x[i] + y[i]); /* not where the angle is undefined, however the bodies stand */
    mat3_identity(I);
    tni_scalar s = tni_scalar_twist(0, 1, I, I, -1), S = tni_scalar_dot(0, 1, tni_vecq_direction(0, y), tni_vecq_separation(s0, s1), 0),
               C = tni_scalar_dot(0, 1, tni_vecq_direction(0, x), tni_vecq_separation(s0, s1), 0);
    s.nterm = 2;
    s.nsin = 1;
    s.term[0] = S.term[0];
    s.term[1] = C.term[0];
    tni_kin k[2];
    tni_scalar_out in[2];
    uint64_t keep = seed;
    random_kin(&k[0]);
    random_kin(&k[1]);
    seed = keep;
    tni_scalar_eval(&S, &k[0], &k[1], 0, TNI_S_VALUE, &in[0]);
    tni_scalar_eval(&C, &k[0], &k[1], 0, TNI_S_VALUE, &in[1]);
    if (in[0].s*in[0].s + in[1].s*in[1].s < 0.3) {
      random_kin(&k[0]);
      continue;
    }
    tni_twist packed;
    CHECK(!tni_scalar_is_twist(&s, &packed));
    check_scalar(&s);
  }
}

/* only what is a twist is taken for one: every term counts, its weight and the bodies that its axes are fixed to */
static void other_angles_are_no_twists(void) {
  double I[9], x[3] = {0.3, 0.4, 0.5};
  tni_twist packed;
  mat3_identity(I);
  const tni_scalar twist = tni_scalar_twist(0, 1, I, I, 0);
  CHECK(tni_scalar_is_twist(&twist, &packed));
  CHECK_INT(twist.nterm, 4);
  for (int i = 0; i < 4; i++)
    for (int way = 0; way < 4; way++) {
      tni_scalar s = twist;
      if (way == 0) s.term[i].weight *= -1;
      if (way == 1) s.term[i].a = tni_vecq_separation(x, x);
      if (way == 2) s.term[i].b = tni_vecq_direction(0, x);
      if (way == 3) s.term[i].b = tni_vecq_direction(1, x); /* axes that the other terms do not have */
      CHECK(!tni_scalar_is_twist(&s, &packed));
    }
}

/* turns are counted from the remembered angle */
static void angle_counts_turns(void) {
  double I[9];
  mat3_identity(I);
  tni_scalar s = tni_scalar_twist(0, 1, I, I, 0);
  tni_kin k0, k1;
  tni_kin_ground(&k0);
  tni_kin_ground(&k1);
  double last = 0;
  for (int n = 0; n <= 100; n++) {
    double angle = 0.5*n, u[3] = {0, 0, angle}, p[4];
    quat_from_vector(p, u);
    quat_matrix(k1.A, p);
    tni_scalar_out o;
    tni_scalar_eval(&s, &k0, &k1, last, TNI_S_VALUE, &o);
    CHECK_NEAR(o.s, angle, 1e-14);
    last = o.s;
  }
}

int main(void) {
  RUN(dot_products);
  RUN(lengths);
  RUN(twist_angles);
  RUN(bearings);
  RUN(other_angles_are_no_twists);
  RUN(angle_counts_turns);
  return REPORT();
}
