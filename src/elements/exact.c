/* elements/exact.c - two-node geometrically exact beam with constant strains
 *
 * The beam between two ends is the helix that one constant twist produces: with the relative pose
 * (p, psi) of end 1 seen from end 0,
 *
 *   u = J_l^-1(psi) p,        L eps = (u, psi) - (u, psi) at rest
 *
 * are the six strains (axial, shears, torsion, bendings), the logarithm of the relative motion. They
 * do not change with any rigid motion, do not depend on the path, and are exact when the strains
 * are constant: pure bending rolls into the exact circle, and there is nothing that could lock.
 * L is the length |u| at rest.
 *
 *   U = L/2 eps.C eps,   n = C (eps + damping eps'),   f = -(d(L eps)/d delta)^T n
 *
 * Sonneville, Cardona and Bruls (Computer Methods in Applied Mechanics and Engineering 268, 2014)
 * describe the interpolation. Theory notes, "Beams".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/element.h"

enum { N = 12 };

typedef struct {
  tni_end end[2];
  double L, damping;
  double C[6];
  double rest[6]; /* (u, psi) without strain */
} exact;

typedef struct {
  tni_end_kin k[2];
  tni_relative r;
  double eps[6], rate[6]; /* strains, their rates         */
  double zdot[6];
  double n[6];            /* stress resultants            */
} state;

/* the helix of a relative pose: u */
static void helix(const tni_relative *r, double u[3]) {
  tni_turn left = tni_turn_flip(&r->turn);
  tni_turn_apply(u, &left, r->psi, r->p);
}

/* E [3][6] = du/d(p, psi) */
static void helix_gradient(const tni_relative *r, double Ep[9], double Epsi[9]) {
  tni_turn left = tni_turn_flip(&r->turn);
  tni_turn_matrix(Ep, &left, r->psi);
  tni_turn_by_psi(Epsi, &left, r->psi, r->p);
}

static void strains(const exact *d, const tni_env *env, state *s) {
  double u[3];
  tni_ends_kin(d->end, 2, env, s->k);
  tni_relative_set(&s->r, &s->k[0], &s->k[1]);
  helix(&s->r, u);
  for (int i = 0; i < 3; i++) {
    s->eps[i] = (u[i] - d->rest[i])/d->L;
    s->eps[3+i] = (s->r.psi[i] - d->rest[3+i])/d->L;
  }
  for (int i = 0; i < 6; i++) s->n[i] = d->C[i]*s->eps[i];
}

static void rates(const exact *d, state *s) {
  double Ep[9], Epsi[9], x[3], y[3];
  tni_relative_rate(&s->r, &s->k[0], &s->k[1], s->zdot);
  helix_gradient(&s->r, Ep, Epsi);
  mat3_vec(x, Ep, s->zdot);
  mat3_vec(y, Epsi, s->zdot + 3);
  for (int i = 0; i < 3; i++) {
    s->rate[i] = (x[i] + y[i])/d->L;
    s->rate[3+i] = s->zdot[3+i]/d->L;
  }
}

/* all of it, damping included */
static void stresses(const exact *d, const tni_env *env, state *s) {
  strains(d, env, s);
  if (d->damping == 0) return;
  rates(d, s);
  for (int i = 0; i < 6; i++) s->n[i] += d->damping*d->C[i]*s->rate[i];
}

/* generalised force of (p, psi): g = E^T n */
static void generalised(const state *s, double g[6]) {
  tni_turn left = tni_turn_flip(&s->r.turn);
  tni_turn_apply(g, &s->r.turn, s->r.psi, s->n); /* J_l^-T = J_r^-1 */
  tni_turn_gradient(g + 3, &left, s->r.psi, s->r.p, s->n);
  vec3_add(g + 3, g + 3, s->n + 3);
}

/* B [6][12] = d(L eps)/d delta from Z */
static void strain_operator(const double Ep[9], const double Epsi[9], const double *Z, double *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += Ep[3*i+k]*Z[k*N + j] + Epsi[3*i+k]*Z[(3 + k)*N + j];
      B[i*N + j] = sum;
      B[(3 + i)*N + j] = Z[(3 + i)*N + j];
    }
}

/* K += factor B^T diag(C) X */
static void add_weighted(double *K, double factor, const double *B, const double C[6],
                         const double *X) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < N; i++) {
      double x = factor*C[k]*B[k*N + i];
      if (x != 0)
        for (int j = 0; j < N; j++) K[i*N + j] += x*X[k*N + j];
    }
}

/* d(L eps')/d delta at fixed velocities */
static void rate_gradient(const state *s, const double Ep[9], const double Epsi[9],
                          const double *Z, double *G) {
  double R[6*N];
  tni_turn left = tni_turn_flip(&s->r.turn);
  tni_relative_rate_gradient(&s->r, &s->k[0], &s->k[1], Z, 0, N, R);
  strain_operator(Ep, Epsi, R, G);
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2}, H[9], X[9], hp[3], hpsi[3], x[3];
    tni_turn_hessian(H, X, &left, s->r.psi, s->r.p, e);
    mat3_tvec(hp, X, s->zdot + 3);
    mat3_vec(hpsi, H, s->zdot + 3);
    mat3_vec(x, X, s->zdot);
    vec3_add(hpsi, hpsi, x);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < N; j++)
        G[i*N + j] += hp[k]*Z[k*N + j] + hpsi[k]*Z[(3 + k)*N + j];
  }
}

/* K += -d(B^T n)/d delta at fixed n */
static void add_geometric(const state *s, const double *Z, const double g[6], double *K) {
  double H[9], X[9], HZ[6*N];
  tni_turn left = tni_turn_flip(&s->r.turn);
  /* curvature of the strains themselves: -Z^T (d2(n.u)/dz2) Z */
  tni_turn_hessian(H, X, &left, s->r.psi, s->r.p, s->n);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++) {
      double p = 0, q = 0;
      for (int k = 0; k < 3; k++) {
        p += X[3*k+i]*Z[(3 + k)*N + j];
        q += X[3*i+k]*Z[k*N + j] + H[3*i+k]*Z[(3 + k)*N + j];
      }
      HZ[i*N + j] = p;
      HZ[(3 + i)*N + j] = q;
    }
  static const double one[6] = {1, 1, 1, 1, 1, 1};
  add_weighted(K, -1, Z, one, HZ);
  tni_relative_geometric(&s->r, &s->k[0], Z, g, 0, 1, N, K);
}

/* B, D, and K with the part B^T C B/L or without */
static void tangent(const exact *d, const state *s, const double g[6], bool whole, double *B,
                    double *K, double *D) {
  double Ep[9], Epsi[9], Z[6*N], HZ[6*N];
  memset(K, 0, N*N*sizeof(double));
  memset(D, 0, N*N*sizeof(double));
  tni_relative_Z(&s->r, &s->k[0], 0, 1, N, Z);
  helix_gradient(&s->r, Ep, Epsi);
  strain_operator(Ep, Epsi, Z, B);
  if (whole) add_weighted(K, -1/d->L, B, d->C, B);
  add_geometric(s, Z, g, K);
  if (d->damping == 0) return;
  add_weighted(D, -d->damping/d->L, B, d->C, B);
  rate_gradient(s, Ep, Epsi, Z, HZ);
  add_weighted(K, -d->damping/d->L, B, d->C, HZ);
}

static void exact_eval(const tni_force *force, const tni_env *env, unsigned what,
                       tni_force_out *out) {
  const exact *d = force->data;
  state s;
  double g[6], f[N] = {0};
  stresses(d, env, &s);
  generalised(&s, g);
  tni_relative_force(&s.r, &s.k[0], g, 0, 1, f);
  out->potential = out->dissipated = out->input = 0;
  for (int i = 0; i < 6; i++) {
    out->potential += 0.5*d->L*d->C[i]*s.eps[i]*s.eps[i];
    if (d->damping > 0) out->dissipated += d->L*d->damping*d->C[i]*s.rate[i]*s.rate[i];
  }
  out->value = s.n[0];
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(d->end, 2, force, env, f, NULL, NULL, out);
    return;
  }
  double K[N*N], D[N*N], B[6*N];
  tangent(d, &s, g, true, B, K, D);
  tni_ends_scatter(d->end, 2, force, env, f, K, D, out);
  if (out->f_t) memset(out->f_t, 0, 6*(size_t)force->nbody*sizeof(double));
}

static void exact_mixed(const tni_force *force, const tni_env *env, const double *stress,
                        tni_mixed_out *out) {
  const exact *d = force->data;
  state s;
  double g[6], f[N] = {0}, K[N*N], D[N*N], B[6*N], F[6];
  stresses(d, env, &s);
  memcpy(out->n, s.n, sizeof(s.n));
  if (stress) memcpy(s.n, stress, sizeof(s.n));
  generalised(&s, g);
  tni_relative_force(&s.r, &s.k[0], g, 0, 1, f);
  tangent(d, &s, g, false, B, K, D);
  for (int i = 0; i < 6; i++) F[i] = d->L/d->C[i];
  tni_ends_mixed in = {6, f, K, D, B, F};
  tni_ends_scatter_parts(d->end, 2, force, env, &in, out);
}

static void exact_resultants(const tni_force *force, const tni_env *env, double eps[6],
                             double n[6]) {
  state s;
  stresses(force->data, env, &s);
  memcpy(eps, s.eps, sizeof(s.eps));
  memcpy(n, s.n, sizeof(s.n));
}

/* B [6][12] with B dx = L (eps1 - eps0) exactly, from the ends and the middle of a step */
static void step_operator(const state *a, const state *b, const state *m, double h,
                          const double *Z, double *B, double Ep[9], double Epsi[9], double W[9]) {
  double P[9], Y[9], S[9];
  tni_turn_difference(P, Y, tni_turn_inverse, -1, a->r.psi, a->r.p, b->r.psi, b->r.p);
  tni_relative_difference(&a->r, &b->r, &m->r, &m->k[0], &m->k[1], h, S, W);
  mat3_mul(Ep, Y, S);
  mat3_mul(Epsi, P, W);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++) {
      double u = 0, psi = 0;
      for (int k = 0; k < 3; k++) {
        u += Ep[3*i+k]*Z[k*N + j] + Epsi[3*i+k]*Z[(3 + k)*N + j];
        psi += W[3*i+k]*Z[(3 + k)*N + j];
      }
      B[i*N + j] = u;
      B[(3 + i)*N + j] = psi;
    }
}

static void exact_discrete(const tni_force *force, const tni_env *env0, const tni_env *env1,
                           const tni_env *mid, double h, unsigned what, tni_force_out *out,
                           double *K1) {
  const exact *d = force->data;
  state a, b, m;
  double g[6], x[3], f[N] = {0}, Z[6*N], B[6*N], Ep[9], Epsi[9], W[9];
  strains(d, env0, &a);
  strains(d, env1, &b);
  strains(d, mid, &m);
  tni_relative_Z(&m.r, &m.k[0], 0, 1, N, Z);
  step_operator(&a, &b, &m, h, Z, B, Ep, Epsi, W);
  out->potential = out->dissipated = out->input = 0;
  for (int i = 0; i < 6; i++) {
    double rate = (b.eps[i] - a.eps[i])/h;
    m.n[i] = 0.5*(a.n[i] + b.n[i]) + d->damping*d->C[i]*rate;
    out->potential += 0.5*d->L*b.n[i]*b.eps[i];
    out->dissipated += d->L*d->damping*d->C[i]*rate*rate;
  }
  out->value = m.n[0];
  mat3_tvec(g, Ep, m.n);
  mat3_tvec(g + 3, Epsi, m.n);
  mat3_tvec(x, W, m.n + 3);
  vec3_add(g + 3, g + 3, x);
  tni_relative_force(&m.r, &m.k[0], g, 0, 1, f);
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(d->end, 2, force, mid, f, NULL, NULL, out);
    return;
  }
  double K[N*N] = {0}, D[N*N] = {0}, X[N*N] = {0}, Z1[6*N], B1[6*N];
  tni_relative_Z(&b.r, &b.k[0], 0, 1, N, Z1);
  helix_gradient(&b.r, Ep, Epsi);
  strain_operator(Ep, Epsi, Z1, B1);
  add_weighted(X, -(0.5 + d->damping/h)/d->L, B, d->C, B1);
  add_geometric(&m, Z, g, K);
  tni_ends_scatter(d->end, 2, force, mid, f, K, D, out);
  tni_ends_scatter_mixed(d->end, 2, force, mid, env1, X, K1);
}

static const tni_force_ops exact_ops = {.name = "exact", .eval = exact_eval};
static const tni_element_ops exact_element = {exact_resultants, exact_discrete, false, 6, exact_mixed};

static tn_status exact_build(tni_builder *b, const tni_element_in *in) {
  tni_force force = {.ops = &exact_ops, .element = &exact_element};
  tni_end_kin k[2];
  tni_relative r;
  exact *d;
  tni_turned *turned;
  TNI_ARENA_NEW(b->hot ? b->hot : b->arena, d, 1);
  TNI_ARENA_NEW(b->arena, turned, 1);
  TN_TRY(tni_ends_build(b, in, 2, &force, d->end));
  tni_ends_follow(&d->end[0], &d->end[1], turned);
  force.turned = turned;
  force.nturned = 1;
  tni_ends_initial(b, d->end, 2, k);
  tni_relative_set(&r, &k[0], &k[1]);
  helix(&r, d->rest);
  vec3_copy(d->rest + 3, r.psi);
  d->L = vec3_norm(d->rest);
  d->damping = in->damping;
  memcpy(d->C, in->profile->C, sizeof(d->C));
  force.data = d;
  return tni_element_add(b, in, "exact", &force);
}

const tni_element_type tni_element_exact = {
    "exact", "Geometrically exact, two nodes, constant strains; independent of the path.", 2, false,
    exact_build};
