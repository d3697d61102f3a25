/* solids/batch.c - hex8 with one point, four elements at once
 *
 * Everything happens in the eight functions 1, xi, eta, zeta, xi eta, eta zeta, zeta xi, xi eta zeta of a cell, to which nodal
 * values go by sums and differences alone: x = sum c_k phi_k, u = sum d_k phi_k. With triple products [a, b, c],
 *
 *   V/8 = [c1 c2 c3] + ([c1 c4 c6] + [c4 c2 c5] + [c6 c5 c3])/3            exact, c7 has no part in it
 *   g_k = d(V/8)/dc_k,   V b_a = sum g_k phi_k(a),   mean gradient  H = 8/V sum d_k g_k^T
 *   hourglasses  q_m = gamma_m^T u = 8 (d_m - H c_m), m = 4..7;  b:b = 8/V^2 sum |g_k|^2
 *   forces       sum over k of P g_k phi_k(a) + c q_m phi_m(a),  P including -8 c/V sum q_m c_m^T of gamma's linear part
 *
 * which is the option `one` of hex8 (core.c) in other words, with fewer operations. Four elements stand side by side in the
 * lanes of wide registers; compiled for registers of four numbers and of two, with the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/batch.h"

#include <math.h>

#define LANES 4
#include "solids/batch_lanes.h"

/* x, y of two elements in one register, so that two exchanges bring four of each together */
ALWAYS_INLINE void gather(const int *node, const int e[LANES], const double *x, size_t stride, nodal *n) {
#pragma GCC unroll 8
  for (int a = 0; a < MODES; a++) {
    const double *p[LANES];
    for (int l = 0; l < LANES; l++) p[l] = x + stride*(size_t)node[(size_t)e[l]*MODES + a];
    lanes even = __builtin_shufflevector(load(p[0]), load(p[2]), 0, 1, 2, 3);
    lanes odd = __builtin_shufflevector(load(p[1]), load(p[3]), 0, 1, 2, 3);
    n->v[0][a] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    n->v[1][a] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    even = __builtin_shufflevector(load(p[0] + 1), load(p[2] + 1), 0, 1, 2, 3);
    odd = __builtin_shufflevector(load(p[1] + 1), load(p[3] + 1), 0, 1, 2, 3);
    n->v[2][a] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
}

/* ---- stress from the mean gradient ---------------------------------------------------------------- */

typedef enum { LINEAR, ST_VENANT, NEO_HOOKE, MISES, BY_LAW } law; /* from MISES on with history */

static law law_of(const tni_solid_kind *kind) {
  const tni_matter_type *type = kind->matter->type;
  bool isotropic = type == tni_matter_find("elastic") || type == tni_matter_find("neo_hooke") ||
                   type == tni_matter_find("st_venant");
  if (type == &tni_matter_plastic) return MISES;
  if (!isotropic) return BY_LAW;
  return !kind->large ? LINEAR : type == tni_matter_find("st_venant") ? ST_VENANT : NEO_HOOKE;
}

ALWAYS_INLINE void venant_stress(double lambda, double mu, lanes H[3][3], lanes P[3][3], lanes *energy) {
  lanes E[3][3], S[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      E[i][j] = E[j][i] = 0.5*(H[i][j] + H[j][i] + H[0][i]*H[0][j] + H[1][i]*H[1][j] + H[2][i]*H[2][j]);
  lanes p = lambda*(E[0][0] + E[1][1] + E[2][2]), w = (lanes){0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      S[i][j] = 2*mu*E[i][j];
      if (i == j) S[i][j] += p;
      w += S[i][j]*E[i][j];
    }
  *energy = 0.5*w;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      P[i][j] = S[i][j] + (H[i][0]*S[0][j] + H[i][1]*S[1][j] + H[i][2]*S[2][j]);
}

/* returns the first lane whose J is not positive, -1: none */
ALWAYS_INLINE int hooke_stress(double lambda, double mu, lanes H[3][3], lanes P[3][3], lanes *energy) {
  lanes F[3][3], C[3][3], I1 = (lanes){0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      F[i][j] = H[i][j];
      if (i == j) F[i][j] += 1;
      I1 += F[i][j]*F[i][j];
    }
  CROSS(C[0], =, 1.0, F[1], F[2]); /* cofactors: J F^-T */
  CROSS(C[1], =, 1.0, F[2], F[0]);
  CROSS(C[2], =, 1.0, F[0], F[1]);
  union {
    double at[LANES];
    lanes v;
  } J, lnJ;
  J.v = DOT(F[0], C[0]);
  for (int l = 0; l < LANES; l++)
    if (!(J.at[l] > 0)) return l;
  for (int l = 0; l < LANES; l++) lnJ.at[l] = log(J.at[l]);
  lanes a = (lambda*lnJ.v - mu)/J.v;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P[i][j] = mu*F[i][j] + a*C[i][j];
  *energy = mu*(0.5*(I1 - 3) - lnJ.v) + 0.5*lambda*lnJ.v*lnJ.v;
  return -1;
}

/* ---- elements ------------------------------------------------------------------------------------- */

/* what is told of elements one by one: history, heat */
typedef struct {
  double soft[LANES], then[LANES], dissipated[LANES];
} by_element;

/* as hooke_stress, by the material's own function */
static int any_stress(const tni_batch_in *in, const int e[LANES], int count, const double (*H)[3][LANES],
                       double (*P)[3][LANES], double energy[LANES], by_element *b) {
  const tni_solid_kind *kind = in->kind;
  const tni_matter *m = kind->matter;
  for (int l = 0; l < LANES; l++) {
    double F[9], S[9] = {0}, state[64];
    double *own = in->state ? in->state + (size_t)e[l]*kind->nstate : NULL;
    tni_matter_at at = {.state0 = own, .state = own ? state : NULL};
    for (int i = 0; i < 9; i++) F[i] = H[i/3][i%3][l];
    if (kind->large) {
      for (int i = 0; i < 3; i++) F[4*i] += 1;
      if (!m->type->large(m, &at, F, S, NULL)) return l;
    } else {
      double eps[6] = {F[0], F[4], F[8], F[1] + F[3], F[5] + F[7], F[6] + F[2]}, sig[6];
      if (!m->type->small(m, &at, eps, sig, NULL)) return l;
      S[0] = sig[0], S[4] = sig[1], S[8] = sig[2];
      S[1] = S[3] = sig[3], S[5] = S[7] = sig[4], S[6] = S[2] = sig[5];
    }
    for (int i = 0; i < 9; i++) P[i/3][i%3][l] = S[i];
    energy[l] = at.energy;
    b->dissipated[l] = at.dissipated;
    b->soft[l] = b->then[l] = 0;
    if (own) {
      b->soft[l] = own[kind->nstate - 1];
      b->then[l] = fmax(b->soft[l], fmin(1 - at.soft, 0.95));
      if (l < count) {
        memcpy(own, state, (size_t)(kind->nstate - 1)*sizeof(double));
        own[kind->nstate - 1] = b->then[l];
      }
    }
  }
  return -1;
}

typedef union {
  double at[LANES];
  lanes v;
} row;

/* the return of materials/mises.c: trial stress and back stress in, both out; r: what is told */
ALWAYS_INLINE void go_back(const tni_mises *m, lanes trial[6], lanes alpha[6], const lanes *p0, lanes *p1, lanes n[6],
                           lanes *step, by_element *r) {
  lanes mean = (trial[0] + trial[1] + trial[2])*(1.0/3), s[6], s2 = (lanes){0};
  for (int i = 0; i < 6; i++) {
    s[i] = trial[i] - alpha[i];
    if (i < 3) s[i] -= mean;
    s2 += (i < 3 ? 1.0 : 2.0)*s[i]*s[i];
  }
  row dg = {.v = (lanes){0}}, length, p = {.v = *p0}, inv, after;
  length.v = s2;
  for (int l = 0; l < LANES; l++) {
    double size = sqrt(length.at[l]), q = sqrt(1.5*length.at[l]), H;
    inv.at[l] = 0;
    r->then[l] = 1; /* tangent over elastic modulus, of those that do not yield */
    r->dissipated[l] = 0;
    if (q <= tni_mises_yield(m, p.at[l])) continue; /* most of the elements, most of the time */
    dg.at[l] = tni_mises_flow(m, q, p.at[l], &H);
    inv.at[l] = 1/size;
    r->then[l] = (H + m->kinematic)/(3*m->iso.mu + H + m->kinematic);
    r->dissipated[l] = tni_mises_heat(m, p.at[l], p.at[l] + dg.at[l]);
  }
  after.v = *p0 + dg.v;
  *p1 = after.v;
  *step = dg.v;
  for (int i = 0; i < 6; i++) {
    n[i] = s[i]*inv.v;
    trial[i] -= sqrt(6)*m->iso.mu*dg.v*n[i];
    alpha[i] += sqrt(2.0/3)*m->kinematic*dg.v*n[i];
  }
}

/* stored per volume */
ALWAYS_INLINE void stored(const tni_mises *m, const lanes sig[6], const lanes alpha[6], lanes *energy) {
  lanes mean = (sig[0] + sig[1] + sig[2])*(1.0/3), s2 = (lanes){0}, a2 = (lanes){0};
  for (int i = 0; i < 6; i++) {
    lanes s = sig[i];
    if (i < 3) s -= mean;
    s2 += (i < 3 ? 1.0 : 2.0)*s*s;
    a2 += (i < 3 ? 1.0 : 2.0)*alpha[i]*alpha[i];
  }
  double bulk = m->iso.lambda + 2*m->iso.mu/3;
  *energy = mean*mean*(0.5/bulk) + s2*(0.25/m->iso.mu);
  if (m->kinematic > 0) *energy += a2*(0.75/m->kinematic);
}

/* C = A B, or A B^T */
#define PRODUCT(C, A, B)                                                                           \
  for (int i_ = 0; i_ < 3; i_++)                                                                   \
    for (int j_ = 0; j_ < 3; j_++)                                                                 \
      (C)[i_][j_] = (A)[i_][0]*(B)[0][j_] + (A)[i_][1]*(B)[1][j_] + (A)[i_][2]*(B)[2][j_]
#define PRODUCT_T(C, A, B)                                                                         \
  for (int i_ = 0; i_ < 3; i_++)                                                                   \
    for (int j_ = 0; j_ < 3; j_++)                                                                 \
      (C)[i_][j_] = (A)[i_][0]*(B)[j_][0] + (A)[i_][1]*(B)[j_][1] + (A)[i_][2]*(B)[j_][2]
/* C = cofactors of A, J its determinant: the inverse is C^T/J */
#define COFACTORS(C, J, A)                                                                         \
  (CROSS((C)[0], =, 1.0, (A)[1], (A)[2]), CROSS((C)[1], =, 1.0, (A)[2], (A)[0]),                   \
   CROSS((C)[2], =, 1.0, (A)[0], (A)[1]), (J) = DOT((A)[0], (C)[0]))

static const signed char PAIR[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

/* R = Q s Q^T */
ALWAYS_INLINE void turn(lanes Q[3][3], lanes s[6]) {
  lanes S[3][3], T[3][3], R[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[i][j] = s[PAIR[i][j]];
  PRODUCT(T, Q, S);
  PRODUCT_T(R, T, Q);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) s[PAIR[i][j]] = R[i][j];
}

/* von Mises, small or large strains; as any_stress */
ALWAYS_INLINE int mises_stress(const tni_batch_in *in, const int e[LANES], int count, lanes H[3][3], lanes P[3][3],
                               lanes *energy, by_element *r) {
  const tni_solid_kind *kind = in->kind;
  const tni_mises *m = kind->matter->data;
  int ns = kind->nstate;
  row h[TNI_MISES_NLARGE + 1]; /* history of four elements */
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < ns; k++) h[k].at[l] = in->state[(size_t)e[l]*ns + k];
  double lambda = m->iso.lambda, mu = m->iso.mu;
  lanes sig[6], alpha[6], n[6], p, dg, J = (lanes){0} + 1;
  if (!kind->large) {
    lanes eps[6] = {H[0][0], H[1][1], H[2][2], H[0][1] + H[1][0], H[1][2] + H[2][1], H[2][0] + H[0][2]};
    for (int i = 0; i < 6; i++) eps[i] -= h[TNI_MISES_EPS_P + i].v, alpha[i] = h[TNI_MISES_ALPHA + i].v;
    lanes pressure = lambda*(eps[0] + eps[1] + eps[2]);
    for (int i = 0; i < 3; i++) sig[i] = pressure + 2*mu*eps[i], sig[i + 3] = mu*eps[i + 3];
    go_back(m, sig, alpha, &h[TNI_MISES_P].v, &p, n, &dg, r);
    for (int i = 0; i < 6; i++) {
      h[TNI_MISES_EPS_P + i].v += (i < 3 ? 1 : 2)*sqrt(1.5)*dg*n[i];
      h[TNI_MISES_ALPHA + i].v = alpha[i];
    }
    h[TNI_MISES_P].v = p;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) P[i][j] = sig[PAIR[i][j]];
  } else {
    lanes F[3][3], Fn[3][3], C[3][3], f[3][3], L[3][3], W[3][3], Q[3][3], back[3][3], Jn, d;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        F[i][j] = H[i][j];
        if (i == j) F[i][j] += 1;
        Fn[i][j] = h[TNI_MISES_F + 3*i + j].v;
      }
    COFACTORS(C, Jn, Fn);
    lanes over = 1/Jn;
    PRODUCT_T(f, F, C); /* F F_n^-1, times Jn */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        f[i][j] *= over;
        back[i][j] = 2*f[i][j];
        if (i == j) f[i][j] += 1, back[i][j] -= 2;
      }
    COFACTORS(C, d, f);
    over = 1/d;
    PRODUCT_T(L, back, C);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) L[i][j] *= over;
    /* Q = 1 + (W + W^2/2)/(1 + |w|^2/4), w the axis of W */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) W[i][j] = 0.5*(L[i][j] - L[j][i]);
    PRODUCT(Q, W, W);
    lanes scale = 1/(1 + 0.25*(W[0][1]*W[0][1] + W[1][2]*W[1][2] + W[2][0]*W[2][0]));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        Q[i][j] = (W[i][j] + 0.5*Q[i][j])*scale;
        if (i == j) Q[i][j] += 1;
      }
    for (int i = 0; i < 6; i++) sig[i] = h[TNI_MISES_SIGMA + i].v, alpha[i] = h[TNI_MISES_ALPHA_LARGE + i].v;
    turn(Q, sig);
    turn(Q, alpha);
    lanes pressure = lambda*(L[0][0] + L[1][1] + L[2][2]);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1)%3;
      sig[i] += pressure + 2*mu*L[i][i];
      sig[i + 3] += mu*(L[i][j] + L[j][i]);
    }
    go_back(m, sig, alpha, &h[TNI_MISES_P_LARGE].v, &p, n, &dg, r);
    COFACTORS(C, J, F); /* J F^-T */
    row bad = {.v = J}, half = {.v = d};
    for (int l = 0; l < LANES; l++)
      if (!(bad.at[l] > 0) || !(half.at[l] > 0)) return l;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        P[i][j] = sig[PAIR[i][0]]*C[0][j] + sig[PAIR[i][1]]*C[1][j] + sig[PAIR[i][2]]*C[2][j];
        h[TNI_MISES_F + 3*i + j].v = F[i][j];
      }
    for (int i = 0; i < 6; i++) h[TNI_MISES_SIGMA + i].v = sig[i], h[TNI_MISES_ALPHA_LARGE + i].v = alpha[i];
    h[TNI_MISES_P_LARGE].v = p;
  }
  stored(m, sig, alpha, energy);
  *energy *= J;
  row volume = {.v = J};
  for (int l = 0; l < LANES; l++) {
    r->dissipated[l] *= volume.at[l];
    r->soft[l] = h[ns - 1].at[l];
    r->then[l] = fmax(r->soft[l], fmin(1 - r->then[l], 0.95));
    h[ns - 1].at[l] = r->then[l];
  }
  for (int l = 0; l < count; l++)
    for (int k = 0; k < ns; k++) in->state[(size_t)e[l]*ns + k] = h[k].at[l];
  return -1;
}

/* f [nodes][4] += forces t [3][node of the cell] of four elements, one after the other */
ALWAYS_INLINE void add_padded(const int *node, const int e[LANES], int count, const lanes t[3][MODES], double *f) {
  const lanes none = (lanes){0};
  lanes F[MODES][LANES];
  for (int a = 0; a < MODES; a++) {
    lanes xy = __builtin_shufflevector(t[0][a], t[1][a], 0, 4, 2, 6), XY = __builtin_shufflevector(t[0][a], t[1][a], 1, 5, 3, 7);
    lanes z = __builtin_shufflevector(t[2][a], none, 0, 4, 2, 6), Z = __builtin_shufflevector(t[2][a], none, 1, 5, 3, 7);
    F[a][0] = __builtin_shufflevector(xy, z, 0, 1, 4, 5);
    F[a][1] = __builtin_shufflevector(XY, Z, 0, 1, 4, 5);
    F[a][2] = __builtin_shufflevector(xy, z, 2, 3, 6, 7);
    F[a][3] = __builtin_shufflevector(XY, Z, 2, 3, 6, 7);
  }
  for (int l = 0; l < count; l++)
#pragma GCC unroll 8
    for (int a = 0; a < MODES; a++) {
      double *o = f + 4*(size_t)node[(size_t)e[l]*MODES + a];
      STORE4(o, LOAD4(o) + F[a][l]);
    }
}

/* Stress law, what is told beside forces, and how those stand are constants of each compiled function: see below. */
ALWAYS_INLINE bool force_by(const tni_batch_in *in, int begin, int end, tni_batch_out *out, law which, bool energies, bool padded) {
  const tni_solid_kind *kind = in->kind;
  const moduli of = moduli_of(kind, which == LINEAR);
  double lambda = of.lambda, mu = of.mu, shear = of.shear;
  for (int first = begin; first < end; first += LANES) {
    int e[LANES], count = end - first < LANES ? end - first : LANES;
    for (int l = 0; l < LANES; l++) e[l] = first + (l < count ? l : count - 1);
    nodal place, moved;
    gather(in->node, e, in->X, padded ? 4 : 3, &place);
    gather(in->node, e, in->u, padded ? 4 : 3, &moved);
    lanes t[3][MODES], c[MODES][3], d[MODES][3], g[MODES][3], H[3][3], P[3][3];
    union {
      double at[LANES];
      lanes v;
    } V8, energy, now, then;
    modes_of(&place, c);
    modes_of(&moved, d);
    gradients((const lanes(*)[3])c, g, &V8.v);
    for (int l = 0; l < LANES; l++)
      if (!(V8.at[l] > 0)) {
        out->failed = e[l];
        return false;
      }
    lanes inv = 1/V8.v, stiff;
    against_hourglasses(shear, g, inv, &stiff);
    mean_gradient(d, g, inv, H);
    by_element b = {{0}, {0}, {0}};
    int bad = -1;
    if (which == LINEAR) linear_stress(lambda, mu, H, P, &energy.v);
    else if (which == ST_VENANT) venant_stress(lambda, mu, H, P, &energy.v);
    else if (which == NEO_HOOKE) bad = hooke_stress(lambda, mu, H, P, &energy.v);
    else if (which == MISES) bad = mises_stress(in, e, count, H, P, &energy.v, &b);
    else bad = any_stress(in, e, count, (const double(*)[3][LANES])H, (double(*)[3][LANES])P, energy.at, &b);
    if (bad >= 0) {
      out->failed = e[bad];
      return false;
    }
    lanes heat = (lanes){0}, push = stiff, q2;
    for (int l = 0; l < LANES; l++) now.at[l] = 1 - b.soft[l], then.at[l] = 1 - b.then[l];
    if (which >= MISES) push *= now.v;
    nodal_forces(c, d, g, inv, H, push, P, t, &q2);
    if (padded) {
      add_padded(in->node, e, count, (const lanes(*)[MODES])t, out->f);
      if (!energies) continue;
    }
    const double(*f)[MODES][LANES] = (const double(*)[MODES][LANES])t;
    for (int l = 0; l < count && !padded; l++)
      for (int a = 0; a < MODES; a++) {
        double *o = out->f + 3*(size_t)in->node[(size_t)e[l]*MODES + a];
        o[0] += f[0][a][l], o[1] += f[1][a][l], o[2] += f[2][a][l];
      }
    lanes hour = 32*stiff*q2; /* c |q|^2/2, q = 8 times what was summed */
    if (which >= MISES) {
      heat = hour*(now.v - then.v);
      hour *= then.v;
    }
    for (int l = 0; l < count; l++) {
      double W = energy.at[l]*8*V8.at[l] + hour[l], lost = b.dissipated[l]*8*V8.at[l] + heat[l];
      out->energy_sum += W;
      out->dissipated_sum += lost;
      if (out->energy) out->energy[e[l]] = W;
      if (out->dissipated) out->dissipated[e[l]] = lost;
    }
  }
  return true;
}

WIDE_ROWS static bool force(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  return force_by(in, begin, end, out, law_of(in->kind), true, false);
}

WIDE_ROWS static bool force_linear(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  return force_by(in, begin, end, out, LINEAR, false, true);
}

WIDE_ROWS static bool force_any(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  return force_by(in, begin, end, out, law_of(in->kind), true, true);
}

static bool march(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  if (law_of(in->kind) != LINEAR) return force_any(in, begin, end, out);
  int done = tni_batch_hex8_eight(in, begin, end, out);
  return force_linear(in, done, end, out);
}

/* Mean gradients b_a with nodal masses m_a: omega^2 = max of (V sum C eps:eps + c sum q^2)/sum m |u|^2. With the smallest
 * mass in place of each, M = sum b b^T and its eigenvalues, the first part is at most (V/m)(lambda tr M + 2 mu max M),
 * equal for bricks; the second c |G|/m, G_mn = gamma_m.gamma_n, bounded by its trace. Both have their largest in directions
 * normal to each other but for t_jm = b_j.gamma_m, which adds (V c (3 lambda + 2 mu))^(1/2) |t|/m. */
static double rate(const tni_batch_in *in, int begin, int end) {
  const tni_solid_kind *kind = in->kind;
  double C[36], most = 0;
  tni_matter_stiffness(kind->matter, NULL, C);
  double lambda = C[1], mu = C[21], kappa = kind->hourglass > 0 ? kind->hourglass : 0.01;
  for (int first = begin; first < end; first++) {
    double X[24], m[24];
    for (int a = 0; a < MODES; a++)
      memcpy(X + 3*a, in->X + 3*(size_t)in->node[(size_t)first*MODES + a], 3*sizeof(double));
    int e[LANES] = {first, first, first, first};
    lanes c[MODES][3], g[MODES][3], V8;
    nodal place;
    gather(in->node, e, in->X, 3, &place);
    modes_of(&place, c);
    gradients((const lanes(*)[3])c, g, &V8);
    double V = 8*V8[0], M[3][3], trace = 0, square = 0, least = HUGE_VAL, gamma = 0, touch = 0;
    kind->type->mass(kind, X, true, m);
    for (int a = 0; a < MODES; a++) least = fmin(least, m[3*a]);
    if (!(V > 0) || !(least > 0)) return HUGE_VAL;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        M[i][j] = 0;
        for (int k = 1; k < 7; k++) M[i][j] += 8*g[k][i][0]*g[k][j][0]/(V*V);
        square += M[i][j]*M[i][j];
        if (i == j) trace += M[i][i];
      }
    for (int k = 4; k < MODES; k++) {
      /* |gamma|^2 = 8 - 16 g.c 8/V + 64 c.M c; b.gamma = 8 g/V - 8 M c */
      double gc = 0, cMc = 0;
      for (int i = 0; i < 3; i++) {
        double Mc = 0, gi = k < 7 ? g[k][i][0] : 0;
        for (int j = 0; j < 3; j++) Mc += M[i][j]*c[k][j][0];
        gc += gi*c[k][i][0];
        cMc += c[k][i][0]*Mc;
        touch += pow(8*gi/V - 8*Mc, 2);
      }
      gamma += 8 - 16*8*gc/V + 64*cMc;
    }
    double stiff = kappa*tni_matter_shear(kind->matter)*V*trace;
    /* largest eigenvalue of M at most, from its trace and its square: exact where the other two are equal */
    double largest = trace/3 + sqrt(fmax(0, (square - trace*trace/3)*2/3));
    double strain = V*(lambda*trace + 2*mu*largest), hour = stiff*gamma;
    double bound = fmax(strain, hour) + sqrt(V*stiff*(3*lambda + 2*mu)*touch);
    most = fmax(most, sqrt(bound/least));
  }
  return most;
}

static bool serves(const tni_solid_kind *kind) {
  return kind->matter->type != tni_matter_find("orthotropic") && kind->type == tni_solid_find("hex8") && strcmp(kind->type->option[kind->option], "one") == 0 &&
         kind->nstate <= 64;
}

/* products, sums and differences that a linear element has in the compiled march: 398 and 448 for its forces, 24 sums at the nodes */
const tni_solid_batch tni_batch_hex8 = {
    serves, force, march, tni_batch_find_strip, tni_batch_hex8_strip, tni_batch_hex8_loose, rate, 870};
