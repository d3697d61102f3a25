/* elements/incremental.c - two-node Timoshenko beam in a convected frame, strains by increments
 *
 * The element frame T has its first axis a1 along the chord, a2 = b3 x a1 with the third axis b3 of
 * the first section, a3 = a1 x a2. B_I = T^T Q_I is the rotation of section I against it. From the
 * last accepted step to the present, with D = B_I B_I(old)^T and its vector tau = 2 tan(angle/2)
 * axis,
 *
 *   d gamma = ((l - l_old)/l_old, -(tau_1 + tau_2)_3/2, (tau_1 + tau_2)_2/2)
 *   d kappa = (tau_2 - tau_1)/l,        N += C d gamma,   M += C d kappa
 *
 * Averaging tau for the shears removes locking. Forces on the sections, element axes:
 *
 *   +-N,     -(l/2 (0, N_3, -N_2) -+ M)
 *
 * which balance each other exactly. N, M, l and B_I of the last accepted step are the memory of the
 * element: rigid rotations of any size in a step change nothing, but a closed path of large strains
 * may leave a rest, and the energy below is exact for small strains only. Downer, Park and Chiou
 * (1990), with the strain operator that balances moments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/element.h"

enum { N = 12 };
enum { M_LENGTH = 0, M_TURN = 1, M_STRESS = 9, NMEMORY = 15 };

typedef struct {
  tni_end end[2];
  double L, C[6];
  int memory; /* first of NMEMORY slots */
} incremental;

typedef struct {
  tni_end_kin k[2];
  double l, T[9];      /* chord, element axes as columns */
  double lean[2];      /* a1.b3, a3.b3                   */
  double B[2][9], turn[2][4];
  double tau[2][3];
  double n[6];
} state;

/* frame and sections */
static void frame(const incremental *d, state *s) {
  double c[3], a[3][3], b3[3], R[9];
  vec3_sub(c, s->k[1].x, s->k[0].x);
  s->l = vec3_normalize(a[0], c);
  mat3_column(b3, s->k[0].Q, 2);
  vec3_cross(a[1], b3, a[0]);
  vec3_normalize(a[1], a[1]);
  vec3_cross(a[2], a[0], a[1]);
  mat3_columns(s->T, a[0], a[1], a[2]);
  s->lean[0] = vec3_dot(a[0], b3);
  s->lean[1] = vec3_dot(a[2], b3);
  for (int i = 0; i < 2; i++) {
    mat3_tmul(R, s->T, s->k[i].Q);
    memcpy(s->B[i], R, sizeof(R));
    quat_from_matrix(s->turn[i], R);
    quat_normalize(s->turn[i]);
  }
  (void)d;
}

static void advance(const incremental *d, const tni_env *env, state *s) {
  const double *m = env->memory + d->memory;
  double e[6];
  tni_ends_kin(d->end, 2, env, s->k);
  frame(d, s);
  for (int i = 0; i < 2; i++) {
    const double *o = m + M_TURN + 4*i;
    double back[4] = {o[0], -o[1], -o[2], -o[3]}, q[4];
    quat_mul(q, s->turn[i], back);
    vec3_scale(s->tau[i], 2/q[0], q + 1);
  }
  e[0] = (s->l - m[M_LENGTH])/m[M_LENGTH];
  e[1] = -0.5*(s->tau[0][2] + s->tau[1][2]);
  e[2] = 0.5*(s->tau[0][1] + s->tau[1][1]);
  for (int i = 0; i < 3; i++) e[3+i] = (s->tau[1][i] - s->tau[0][i])/s->l;
  for (int i = 0; i < 6; i++) s->n[i] = m[M_STRESS + i] + d->C[i]*e[i];
}

/* moment of section i on the beam, element axes */
static void section_moment(const state *s, int i, double m[3]) {
  const double *n = s->n;
  double sign = i ? 1 : -1;
  m[0] = sign*n[3];
  m[1] = 0.5*s->l*n[2] + sign*n[4];
  m[2] = -0.5*s->l*n[1] + sign*n[5];
}

static void forces(const state *s, double f[N]) {
  double F[3];
  mat3_vec(F, s->T, s->n);
  for (int i = 0; i < 2; i++) {
    double m[3];
    vec3_scale(f + 6*i, i ? -1 : 1, F);
    section_moment(s, i, m);
    mat3_tvec(m, s->B[i], m);
    vec3_scale(f + 6*i + 3, -1, m);
  }
}

/* rows [3][N]: rotation of the element frame, of the sections against it, and of tau; [N] of l */
typedef struct {
  double phi[3*N], beta[2][3*N], tau[2][3*N], l[N];
} variation;

static void vary(const state *s, variation *v) {
  double a[3][3], b3[3], x[3];
  memset(v, 0, sizeof(*v));
  for (int i = 0; i < 3; i++) mat3_column(a[i], s->T, i);
  mat3_column(b3, s->k[0].Q, 2);
  vec3_cross(x, b3, a[1]);
  mat3_tvec(x, s->k[0].Q, x);
  for (int e = 0; e < 2; e++)
    for (int j = 0; j < 3; j++) {
      double sign = e ? 1 : -1;
      v->l[6*e + j] = sign*a[0][j];
      v->phi[N + 6*e + j] = -sign*a[2][j]/s->l;
      v->phi[2*N + 6*e + j] = sign*a[1][j]/s->l;
      v->phi[6*e + j] = v->phi[2*N + 6*e + j]*s->lean[0]/s->lean[1];
    }
  for (int j = 0; j < 3; j++) v->phi[3 + j] = -x[j]/s->lean[1];
  for (int e = 0; e < 2; e++) {
    const double *t = s->tau[e];
    double r[3] = {0.5*t[0], 0.5*t[1], 0.5*t[2]}, W[9];
    mat3_skew(W, r);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) W[3*i+j] = (i == j) - W[3*i+j] + r[i]*r[j];
    for (int i = 0; i < 3*N; i++) v->beta[e][i] = -v->phi[i];
    tni_block_add(v->beta[e], N, 0, 6*e + 3, 1, s->B[e]);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < N; j++) v->tau[e][i*N + j] += W[3*i+k]*v->beta[e][k*N + j];
  }
}

static void tangent(const incremental *d, const state *s, double l_old, double *K) {
  variation v;
  memset(K, 0, N*N*sizeof(double));
  vary(s, &v);
  for (int j = 0; j < N; j++) {
    double dn[6], phi[3], x[3], F[3];
    dn[0] = v.l[j]/l_old;
    dn[1] = -0.5*(v.tau[0][2*N + j] + v.tau[1][2*N + j]);
    dn[2] = 0.5*(v.tau[0][N + j] + v.tau[1][N + j]);
    for (int i = 0; i < 3; i++) {
      double turn = s->tau[1][i] - s->tau[0][i];
      dn[3+i] = (v.tau[1][i*N + j] - v.tau[0][i*N + j] - turn*v.l[j]/s->l)/s->l;
      phi[i] = v.phi[i*N + j];
    }
    for (int i = 0; i < 6; i++) dn[i] *= d->C[i];
    vec3_cross(x, phi, s->n);
    vec3_add(x, x, dn);
    mat3_vec(F, s->T, x);
    for (int e = 0; e < 2; e++) {
      double sign = e ? 1 : -1, m[3], dm[3], beta[3];
      section_moment(s, e, m);
      dm[0] = sign*dn[3];
      dm[1] = 0.5*(s->l*dn[2] + v.l[j]*s->n[2]) + sign*dn[4];
      dm[2] = -0.5*(s->l*dn[1] + v.l[j]*s->n[1]) + sign*dn[5];
      for (int i = 0; i < 3; i++) beta[i] = v.beta[e][i*N + j];
      vec3_cross(x, beta, m);
      vec3_sub(dm, dm, x);
      mat3_tvec(dm, s->B[e], dm);
      for (int i = 0; i < 3; i++) {
        K[(6*e + i)*N + j] = -sign*F[i];
        K[(6*e + 3 + i)*N + j] = -dm[i];
      }
    }
  }
}

static void incremental_eval(const tni_force *force, const tni_env *env, unsigned what,
                             tni_force_out *out) {
  const incremental *d = force->data;
  state s;
  double f[N];
  advance(d, env, &s);
  forces(&s, f);
  out->potential = out->dissipated = out->input = 0;
  for (int i = 0; i < 6; i++) out->potential += 0.5*d->L*s.n[i]*s.n[i]/d->C[i];
  out->value = s.n[0];
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(d->end, 2, force, env, f, NULL, NULL, out);
    return;
  }
  double K[N*N], D[N*N] = {0};
  tangent(d, &s, env->memory[d->memory + M_LENGTH], K);
  tni_ends_scatter(d->end, 2, force, env, f, K, D, out);
  if (out->f_t) memset(out->f_t, 0, 6*(size_t)force->nbody*sizeof(double));
}

static void remember(const state *s, double *m) {
  m[M_LENGTH] = s->l;
  for (int i = 0; i < 2; i++) memcpy(m + M_TURN + 4*i, s->turn[i], sizeof(s->turn[i]));
  memcpy(m + M_STRESS, s->n, sizeof(s->n));
}

static void incremental_commit(const tni_force *force, const tni_env *env, bool at_event,
                               double *memory) {
  const incremental *d = force->data;
  state s;
  (void)at_event;
  advance(d, env, &s);
  remember(&s, memory + d->memory);
}

static void incremental_resultants(const tni_force *force, const tni_env *env, double eps[6],
                                   double n[6]) {
  const incremental *d = force->data;
  state s;
  advance(d, env, &s);
  for (int i = 0; i < 6; i++) {
    n[i] = s.n[i];
    eps[i] = s.n[i]/d->C[i];
  }
}

static const tni_force_ops incremental_ops = {.name = "incremental", .eval = incremental_eval,
                                              .commit = incremental_commit};
static const tni_element_ops incremental_element = {.resultants = incremental_resultants, .adds_up = true};

static tn_status incremental_build(tni_builder *b, const tni_element_in *in) {
  tni_force force = {.ops = &incremental_ops, .element = &incremental_element};
  incremental *d;
  state s;
  double m[NMEMORY];
  TNI_ARENA_NEW(b->hot ? b->hot : b->arena, d, 1);
  TN_TRY(tni_ends_build(b, in, 2, &force, d->end));
  tni_ends_initial(b, d->end, 2, s.k);
  frame(d, &s);
  memset(s.n, 0, sizeof(s.n));
  d->L = s.l;
  memcpy(d->C, in->profile->C, sizeof(d->C));
  remember(&s, m);
  for (int i = 0; i < NMEMORY; i++) {
    int slot;
    TN_TRY(tni_build_memory(b, m[i], &slot));
    if (i == 0) d->memory = slot;
  }
  force.data = d;
  return tni_element_add(b, in, "incremental", &force);
}

const tni_element_type tni_element_incremental = {
    "incremental", "Timoshenko beam in a convected frame, strains by increments; for small strains.",
    2, true, incremental_build};
