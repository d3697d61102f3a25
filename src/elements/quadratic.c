/* elements/quadratic.c - three-node geometrically exact beam
 *
 * Poses are seen from the middle node 1: (p_a, psi_a) for a = 0, 2. Between the nodes
 *
 *   x'(s) = sum N_a' p_a,      Psi(s) = sum N_a psi_a,      (in the axes of the middle section)
 *
 * with the parabolas N_a, so that the interpolated rotation is the middle one followed by
 * exp(~Psi). Strains
 *
 *   gamma = exp(-~Psi) x' - at rest,     kappa = J_r(Psi) Psi' - at rest
 *
 * do not change with rigid motions and do not depend on the path, since only relative poses enter
 * (the interpolation of local rotations of Crisfield and Jelenic, Proceedings of the Royal Society A
 * 455, 1999). Two Gauss points: nothing locks, and displacements at the nodes converge with the
 * fourth power of the length.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/element.h"

enum { N = 18, NZ = 12, NP = 2 };

typedef struct {
  double N[2], dN[2]; /* of nodes 0 and 2; d by the length at rest */
  double weight;      /* length                                     */
  double rest[6];
} station;

typedef struct {
  tni_end end[3];
  double L, damping, C[6];
  station at[NP];
} quadratic;

/* what one station sees: Psi, x' and Psi' */
typedef struct {
  double Psi[3], x[3], dPsi[3];
  tni_turn exp, tan;
} local;

typedef struct {
  tni_end_kin k[3];
  tni_relative r[2];
  double zdot[NZ];
  local l[NP];
  double eps[NP][6], rate[NP][6], n[NP][6];
} state;

static void look(const station *a, const tni_relative r[2], local *l) {
  for (int i = 0; i < 3; i++) {
    l->Psi[i] = a->N[0]*r[0].psi[i] + a->N[1]*r[1].psi[i];
    l->x[i] = a->dN[0]*r[0].p[i] + a->dN[1]*r[1].p[i];
    l->dPsi[i] = a->dN[0]*r[0].psi[i] + a->dN[1]*r[1].psi[i];
  }
  l->exp = tni_turn_exp(l->Psi);
  l->tan = tni_turn_tangent(l->Psi);
}

static void total_strain(const local *l, double e[6]) {
  tni_turn_apply(e, &l->exp, l->Psi, l->x);
  tni_turn_apply(e + 3, &l->tan, l->Psi, l->dPsi);
}

/* B [6][NZ] = d eps/dz, z = (p_0, psi_0, p_2, psi_2) */
static void strain_operator(const station *a, const local *l, double *B) {
  double Gx[9], Gp[9], Kd[9], Kp[9];
  memset(B, 0, 6*NZ*sizeof(double));
  tni_turn_matrix(Gx, &l->exp, l->Psi);
  tni_turn_by_psi(Gp, &l->exp, l->Psi, l->x);
  tni_turn_matrix(Kd, &l->tan, l->Psi);
  tni_turn_by_psi(Kp, &l->tan, l->Psi, l->dPsi);
  for (int e = 0; e < 2; e++) {
    tni_block_add(B, NZ, 0, 6*e, a->dN[e], Gx);
    tni_block_add(B, NZ, 0, 6*e + 3, a->N[e], Gp);
    tni_block_add(B, NZ, 3, 6*e + 3, a->N[e], Kp);
    tni_block_add(B, NZ, 3, 6*e + 3, a->dN[e], Kd);
  }
}

static void strains(const quadratic *d, const tni_env *env, state *s) {
  tni_ends_kin(d->end, 3, env, s->k);
  for (int e = 0; e < 2; e++) tni_relative_set(&s->r[e], &s->k[1], &s->k[2*e]);
  for (int p = 0; p < NP; p++) {
    look(&d->at[p], s->r, &s->l[p]);
    total_strain(&s->l[p], s->eps[p]);
    for (int i = 0; i < 6; i++) {
      s->eps[p][i] -= d->at[p].rest[i];
      s->n[p][i] = d->C[i]*s->eps[p][i];
    }
  }
}

static void rates(const quadratic *d, state *s) {
  for (int e = 0; e < 2; e++)
    tni_relative_rate(&s->r[e], &s->k[1], &s->k[2*e], s->zdot + 6*e);
  for (int p = 0; p < NP; p++) {
    double B[6*NZ];
    strain_operator(&d->at[p], &s->l[p], B);
    for (int i = 0; i < 6; i++) {
      s->rate[p][i] = 0;
      for (int j = 0; j < NZ; j++) s->rate[p][i] += B[i*NZ + j]*s->zdot[j];
    }
  }
}

/* all of it, damping included */
static void stresses(const quadratic *d, const tni_env *env, state *s) {
  strains(d, env, s);
  if (d->damping == 0) return;
  rates(d, s);
  for (int p = 0; p < NP; p++)
    for (int i = 0; i < 6; i++) s->n[p][i] += d->damping*d->C[i]*s->rate[p][i];
}

/* generalised forces of z: sum of weight B^T n */
static void generalised(const quadratic *d, const state *s, double g[NZ]) {
  memset(g, 0, NZ*sizeof(double));
  for (int p = 0; p < NP; p++) {
    const station *a = &d->at[p];
    const local *l = &s->l[p];
    const double *n = s->n[p];
    double gx[3], gp[3], kd[3], kp[3];
    tni_turn back = tni_turn_flip(&l->exp), left = tni_turn_flip(&l->tan);
    tni_turn_apply(gx, &back, l->Psi, n);
    tni_turn_gradient(gp, &l->exp, l->Psi, l->x, n);
    tni_turn_apply(kd, &left, l->Psi, n + 3);
    tni_turn_gradient(kp, &l->tan, l->Psi, l->dPsi, n + 3);
    for (int e = 0; e < 2; e++)
      for (int i = 0; i < 3; i++) {
        g[6*e + i] += a->weight*a->dN[e]*gx[i];
        g[6*e + 3 + i] += a->weight*(a->N[e]*(gp[i] + kp[i]) + a->dN[e]*kd[i]);
      }
  }
}

/* H [NZ][NZ] += factor * second derivatives of n.eps by z */
static void add_curvature(const station *a, const local *l, const double n[6], double factor,
                          double *H) {
  double Hg[9], Xg[9], Hk[9], Xk[9];
  tni_turn_hessian(Hg, Xg, &l->exp, l->Psi, l->x, n);
  tni_turn_hessian(Hk, Xk, &l->tan, l->Psi, l->dPsi, n + 3);
  for (int e = 0; e < 2; e++)
    for (int f = 0; f < 2; f++) {
      int re = 6*e + 3, cf = 6*f + 3;
      tni_block_add(H, NZ, re, cf, factor*a->N[e]*a->N[f], Hg);
      tni_block_add(H, NZ, re, cf, factor*a->N[e]*a->N[f], Hk);
      tni_block_add(H, NZ, re, 6*f, factor*a->N[e]*a->dN[f], Xg);
      tni_block_add(H, NZ, re, cf, factor*a->N[e]*a->dN[f], Xk);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          H[(6*f + j)*NZ + re + i] += factor*a->N[e]*a->dN[f]*Xg[3*i+j];
          H[(cf + j)*NZ + re + i] += factor*a->N[e]*a->dN[f]*Xk[3*i+j];
        }
    }
}

/* out [rows][cols] = A [rows][inner] B [inner][cols] */
static void product(double *out, const double *A, const double *B, int rows, int inner, int cols) {
  memset(out, 0, (size_t)(rows*cols)*sizeof(double));
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < inner; k++) {
      double x = A[i*inner + k];
      if (x != 0)
        for (int j = 0; j < cols; j++) out[i*cols + j] += x*B[k*cols + j];
    }
}

/* M [N][N] += factor Z^T X, both [NZ][N] */
static void add_transposed(double *M, double factor, const double *Z, const double *X) {
  for (int k = 0; k < NZ; k++)
    for (int i = 0; i < N; i++) {
      double x = factor*Z[k*N + i];
      if (x != 0)
        for (int j = 0; j < N; j++) M[i*N + j] += x*X[k*N + j];
    }
}

/* H += factor B^T diag(C) X, B [6][NZ], X [6][NZ] */
static void add_weighted(double *H, double factor, const double *B, const double C[6],
                         const double *X) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < NZ; i++) {
      double x = factor*C[k]*B[k*NZ + i];
      if (x != 0)
        for (int j = 0; j < NZ; j++) H[i*NZ + j] += x*X[k*NZ + j];
    }
}

/* d(eps' at fixed z')/dz [6][NZ] */
static void rate_by_z(const station *a, const local *l, const double *zdot, double *R) {
  for (int c = 0; c < 6; c++) {
    double H[NZ*NZ] = {0}, e[6] = {0};
    e[c] = 1;
    add_curvature(a, l, e, 1, H);
    for (int i = 0; i < NZ; i++) {
      R[c*NZ + i] = 0;
      for (int j = 0; j < NZ; j++) R[c*NZ + i] += H[i*NZ + j]*zdot[j];
    }
  }
}

/* D, and K with the part that follows from changes of the stress (all == NULL) or without; then the
 * operators of both stations go to all [NP*6][N] */
static void tangent(const quadratic *d, const state *s, const double g[NZ], double *all, double *K,
                    double *D) {
  double Z[NZ*N], H[NZ*NZ] = {0}, V[NZ*NZ] = {0}, X[NZ*N];
  memset(K, 0, N*N*sizeof(double));
  memset(D, 0, N*N*sizeof(double));
  for (int e = 0; e < 2; e++) {
    tni_relative_Z(&s->r[e], &s->k[1], 1, 2*e, N, Z + 6*e*N);
    tni_relative_geometric(&s->r[e], &s->k[1], Z + 6*e*N, g + 6*e, 1, 2*e, N, K);
  }
  for (int p = 0; p < NP; p++) {
    const station *a = &d->at[p];
    double B[6*NZ], R[6*NZ];
    strain_operator(a, &s->l[p], B);
    if (all) product(all + 6*p*N, B, Z, 6, NZ, N);
    else add_weighted(H, a->weight, B, d->C, B);
    add_curvature(a, &s->l[p], s->n[p], a->weight, H);
    if (d->damping == 0) continue;
    add_weighted(V, a->weight*d->damping, B, d->C, B);
    rate_by_z(a, &s->l[p], s->zdot, R);
    add_weighted(H, a->weight*d->damping, B, d->C, R);
  }
  product(X, H, Z, NZ, NZ, N);
  add_transposed(K, -1, Z, X);
  if (d->damping == 0) return;
  product(X, V, Z, NZ, NZ, N);
  add_transposed(D, -1, Z, X);
  double G[NZ*N];
  for (int e = 0; e < 2; e++)
    tni_relative_rate_gradient(&s->r[e], &s->k[1], &s->k[2*e], Z + 6*e*N, 1, N, G + 6*e*N);
  product(X, V, G, NZ, NZ, N);
  add_transposed(K, -1, Z, X);
}

static void quadratic_eval(const tni_force *force, const tni_env *env, unsigned what,
                           tni_force_out *out) {
  const quadratic *d = force->data;
  state s;
  double g[NZ], f[N] = {0};
  stresses(d, env, &s);
  generalised(d, &s, g);
  for (int e = 0; e < 2; e++) tni_relative_force(&s.r[e], &s.k[1], g + 6*e, 1, 2*e, f);
  out->potential = out->dissipated = out->input = 0;
  for (int p = 0; p < NP; p++)
    for (int i = 0; i < 6; i++) {
      double w = d->at[p].weight*d->C[i];
      out->potential += 0.5*w*s.eps[p][i]*s.eps[p][i];
      if (d->damping > 0) out->dissipated += w*d->damping*s.rate[p][i]*s.rate[p][i];
    }
  out->value = 0.5*(s.n[0][0] + s.n[1][0]);
  if (!(what & TNI_F_TANGENT)) {
    tni_ends_scatter(d->end, 3, force, env, f, NULL, NULL, out);
    return;
  }
  double K[N*N], D[N*N];
  tangent(d, &s, g, NULL, K, D);
  tni_ends_scatter(d->end, 3, force, env, f, K, D, out);
  if (out->f_t) memset(out->f_t, 0, 6*(size_t)force->nbody*sizeof(double));
}

static void quadratic_mixed(const tni_force *force, const tni_env *env, const double *stress,
                            tni_mixed_out *out) {
  const quadratic *d = force->data;
  state s;
  double g[NZ], f[N] = {0}, K[N*N], D[N*N], B[6*NP*N], F[6*NP];
  stresses(d, env, &s);
  memcpy(out->n, s.n, sizeof(s.n));
  if (stress) memcpy(s.n, stress, sizeof(s.n));
  generalised(d, &s, g);
  for (int e = 0; e < 2; e++) tni_relative_force(&s.r[e], &s.k[1], g + 6*e, 1, 2*e, f);
  tangent(d, &s, g, B, K, D);
  for (int i = 0; i < 6*NP; i++) {
    double weight = d->at[i/6].weight;
    F[i] = weight/d->C[i % 6];
    for (int j = 0; j < N; j++) B[i*N + j] *= weight;
  }
  tni_ends_mixed in = {6*NP, f, K, D, B, F};
  tni_ends_scatter_parts(d->end, 3, force, env, &in, out);
}

/* mean of the stations: the value in the middle of a linear field */
static void quadratic_resultants(const tni_force *force, const tni_env *env, double eps[6],
                                 double n[6]) {
  state s;
  stresses(force->data, env, &s);
  for (int i = 0; i < 6; i++) {
    eps[i] = 0.5*(s.eps[0][i] + s.eps[1][i]);
    n[i] = 0.5*(s.n[0][i] + s.n[1][i]);
  }
}

/* Z [NZ][N] of a state */
static void relative_map(const state *s, double *Z) {
  for (int e = 0; e < 2; e++)
    tni_relative_Z(&s->r[e], &s->k[1], 1, 2*e, N, Z + 6*e*N);
}

/* B [6][NZ] with B h z'(halfway) = eps1 - eps0 exactly; S, W as in tni_relative_difference */
static void step_operator(const station *at, const local *a, const local *b, double S[2][9],
                          double W[2][9], double *B) {
  double Gp[9], Gx[9], Kp[9], Kd[9], X[9];
  memset(B, 0, 6*NZ*sizeof(double));
  tni_turn_difference(Gp, Gx, tni_turn_exp, 1, a->Psi, a->x, b->Psi, b->x);
  tni_turn_difference(Kp, Kd, tni_turn_tangent, 1, a->Psi, a->dPsi, b->Psi, b->dPsi);
  for (int e = 0; e < 2; e++) {
    mat3_mul(X, Gx, S[e]);
    tni_block_add(B, NZ, 0, 6*e, at->dN[e], X);
    mat3_mul(X, Gp, W[e]);
    tni_block_add(B, NZ, 0, 6*e + 3, at->N[e], X);
    mat3_mul(X, Kp, W[e]);
    tni_block_add(B, NZ, 3, 6*e + 3, at->N[e], X);
    mat3_mul(X, Kd, W[e]);
    tni_block_add(B, NZ, 3, 6*e + 3, at->dN[e], X);
  }
}

static void quadratic_discrete(const tni_force *force, const tni_env *env0, const tni_env *env1,
                               const tni_env *mid, double h, unsigned what, tni_force_out *out,
                               double *K1) {
  const quadratic *d = force->data;
  state a, b, m;
  double g[NZ] = {0}, f[N] = {0}, S[2][9], W[2][9], H1[NZ*NZ] = {0}, H[NZ*NZ] = {0};
  bool matrix = what & TNI_F_TANGENT;
  strains(d, env0, &a);
  strains(d, env1, &b);
  strains(d, mid, &m);
  for (int e = 0; e < 2; e++)
    tni_relative_difference(&a.r[e], &b.r[e], &m.r[e], &m.k[1], &m.k[2*e], h, S[e], W[e]);
  out->potential = out->dissipated = out->input = out->value = 0;
  for (int p = 0; p < NP; p++) {
    const station *at = &d->at[p];
    double B[6*NZ], B1[6*NZ];
    step_operator(at, &a.l[p], &b.l[p], S, W, B);
    for (int i = 0; i < 6; i++) {
      double rate = (b.eps[p][i] - a.eps[p][i])/h;
      m.n[p][i] = 0.5*(a.n[p][i] + b.n[p][i]) + d->damping*d->C[i]*rate;
      out->potential += 0.5*at->weight*b.n[p][i]*b.eps[p][i];
      out->dissipated += at->weight*d->damping*d->C[i]*rate*rate;
      for (int j = 0; j < NZ; j++) g[j] += at->weight*B[i*NZ + j]*m.n[p][i];
    }
    out->value += m.n[p][0]/NP;
    if (!matrix) continue;
    strain_operator(at, &b.l[p], B1);
    add_weighted(H1, at->weight*(0.5 + d->damping/h), B, d->C, B1);
    add_curvature(at, &m.l[p], m.n[p], at->weight, H);
  }
  for (int e = 0; e < 2; e++) tni_relative_force(&m.r[e], &m.k[1], g + 6*e, 1, 2*e, f);
  if (!matrix) {
    tni_ends_scatter(d->end, 3, force, mid, f, NULL, NULL, out);
    return;
  }
  double K[N*N] = {0}, D[N*N] = {0}, X1[N*N] = {0}, Z[NZ*N], Z1[NZ*N], X[NZ*N];
  relative_map(&m, Z);
  relative_map(&b, Z1);
  for (int e = 0; e < 2; e++)
    tni_relative_geometric(&m.r[e], &m.k[1], Z + 6*e*N, g + 6*e, 1, 2*e, N, K);
  product(X, H, Z, NZ, NZ, N);
  add_transposed(K, -1, Z, X);
  product(X, H1, Z1, NZ, NZ, N);
  add_transposed(X1, -1, Z, X);
  tni_ends_scatter(d->end, 3, force, mid, f, K, D, out);
  tni_ends_scatter_mixed(d->end, 3, force, mid, env1, X1, K1);
}

static const tni_force_ops quadratic_ops = {.name = "quadratic", .eval = quadratic_eval};
static const tni_element_ops quadratic_element = {quadratic_resultants, quadratic_discrete, false, 6*NP,
                                                  quadratic_mixed};

static tn_status quadratic_build(tni_builder *b, const tni_element_in *in) {
  tni_force force = {.ops = &quadratic_ops, .element = &quadratic_element};
  tni_end_kin k[3];
  tni_relative r[2];
  quadratic *d;
  tni_turned *turned;
  TNI_ARENA_NEW(b->hot ? b->hot : b->arena, d, 1);
  TNI_ARENA_NEW(b->arena, turned, 2);
  TN_TRY(tni_ends_build(b, in, 3, &force, d->end));
  for (int e = 0; e < 2; e++) tni_ends_follow(&d->end[1], &d->end[2*e], &turned[e]);
  force.turned = turned;
  force.nturned = 2;
  tni_ends_initial(b, d->end, 3, k);
  for (int e = 0; e < 2; e++) tni_relative_set(&r[e], &k[1], &k[2*e]);
  d->damping = in->damping;
  memcpy(d->C, in->profile->C, sizeof(d->C));
  for (int p = 0; p < NP; p++) {
    station *a = &d->at[p];
    local l;
    double xi = (p ? 1 : -1)/sqrt(3.0), x[3];
    a->N[0] = 0.5*xi*(xi - 1), a->N[1] = 0.5*xi*(xi + 1);
    a->dN[0] = xi - 0.5, a->dN[1] = xi + 0.5;
    for (int i = 0; i < 3; i++) x[i] = a->dN[0]*r[0].p[i] + a->dN[1]*r[1].p[i];
    a->weight = vec3_norm(x);
    for (int e = 0; e < 2; e++) a->dN[e] /= a->weight;
    d->L += a->weight;
    look(a, r, &l);
    total_strain(&l, a->rest);
  }
  force.data = d;
  return tni_element_add(b, in, "quadratic", &force);
}

const tni_element_type tni_element_quadratic = {
    "quadratic", "Geometrically exact, three nodes, order four; independent of the path.", 3, false,
    quadratic_build};
