/* materials/mises.c - plasticity of metals: von Mises, isotropic and kinematic hardening
 *
 *   trial     s' = dev(sigma') - alpha,  q = sqrt(3/2) |s'|,  n = s'/|s'|
 *   return    q - (3 mu + H_k) dg - sigma_y(p + dg) = 0, exact on every piece of the yield curve
 *             s = th s' + alpha,  th = 1 - 3 mu dg/q;  alpha += sqrt(2/3) H_k dg n;  p += dg
 *   tangent   K 1 x 1 + 2 mu th I_dev - 2 mu thb n x n,  thb = 3 mu/(3 mu + H + H_k) - 3 mu dg/q
 *
 * Small strains: sigma' = C (eps - eps_p); history eps_p, alpha, p. Large strains (Hughes and Winget): with the increment
 * f = F F_n^-1, its gradient in the middle G = 2 (f - 1)(f + 1)^-1, D and W its symmetric and skew parts and Q = (1 - W/2)^-1
 * (1 + W/2): sigma' = Q sigma_n Q^T + C D, alpha turned likewise; history F_n, sigma, alpha, p. P = J sigma F^-T. The stress of a
 * rate form is no gradient of an energy: A = dP/dF is exact and not symmetric.
 *
 * Energy: sigma C^-1 sigma/2 + 3/(4 H_k) alpha:alpha is stored, the integral of sigma_y over p is heat.
 *
 * Sources: Simo and Hughes, Computational Inelasticity, 1998; Hughes and Winget, International Journal for Numerical
 * Methods in Engineering 15, 1980.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/list.h"

#include <math.h>

#include "base/vec.h"

enum { EPS_P = TNI_MISES_EPS_P, ALPHA = TNI_MISES_ALPHA, P_ = TNI_MISES_P, NSMALL = TNI_MISES_NSMALL };
enum { F_N = TNI_MISES_F, SIGMA = TNI_MISES_SIGMA, ALPHA_L = TNI_MISES_ALPHA_LARGE, P_L = TNI_MISES_P_LARGE,
       NLARGE = TNI_MISES_NLARGE };

static const int PAIR[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

/* ---- yield curve ------------------------------------------------------------------------------- */

/* piece of the curve that begins at or before p */
static int piece(const tni_mises *m, double p) {
  int k = m->n - 1;
  while (k > 0 && m->p[k] > p) k--;
  return k;
}

static double slope(const tni_mises *m, int k) {
  return k == m->n - 1 ? m->slope : (m->s[k + 1] - m->s[k])/(m->p[k + 1] - m->p[k]);
}

double tni_mises_yield(const tni_mises *m, double p) {
  int k = piece(m, p);
  return m->s[k] + slope(m, k)*(p - m->p[k]);
}

double tni_mises_flow(const tni_mises *m, double q, double p, double *H) {
  double c = 3*m->iso.mu + m->kinematic;
  for (int k = piece(m, p);; k++) {
    double h = slope(m, k), y = m->s[k] + h*(p - m->p[k]), dg = (q - y)/(c + h);
    if (k == m->n - 1 || p + dg <= m->p[k + 1]) {
      *H = h;
      return dg;
    }
  }
}

double tni_mises_heat(const tni_mises *m, double a, double b) {
  double sum = 0;
  for (int k = piece(m, a); a < b; k++) {
    double end = k == m->n - 1 ? b : fmin(b, m->p[k + 1]);
    sum += (end - a)*(tni_mises_yield(m, a) + (m->s[k] + slope(m, k)*(end - m->p[k])))/2;
    a = end;
  }
  return sum;
}

/* ---- the return -------------------------------------------------------------------------------- */

typedef struct {
  double sig[6], alpha[6], p; /* after                                                          */
  double n[6], s[6];          /* direction of flow and trial, tensor components                 */
  double dg, th, thb, soft;
} returned;

/* trial: stress; alpha, p: history */
static returned go_back(const tni_mises *m, const double trial[6], const double alpha[6], double p) {
  returned r = {.p = p, .th = 1, .soft = 1};
  double mean = (trial[0] + trial[1] + trial[2])/3, s2 = 0, mu = m->iso.mu;
  for (int i = 0; i < 6; i++) {
    r.s[i] = trial[i] - (i < 3 ? mean : 0) - alpha[i];
    s2 += (i < 3 ? 1 : 2)*r.s[i]*r.s[i];
    r.sig[i] = trial[i];
    r.alpha[i] = alpha[i];
  }
  double q = sqrt(1.5*s2), length = sqrt(s2), y = tni_mises_yield(m, p), H;
  if (q <= y) return r;
  r.dg = tni_mises_flow(m, q, p, &H);
  for (int i = 0; i < 6; i++) {
    r.n[i] = r.s[i]/length;
    r.sig[i] -= sqrt(6)*mu*r.dg*r.n[i];
    r.alpha[i] += sqrt(2.0/3)*m->kinematic*r.dg*r.n[i];
  }
  r.p += r.dg;
  r.th = 1 - 3*mu*r.dg/q;
  r.thb = 3*mu/(3*mu + H + m->kinematic) - 3*mu*r.dg/q;
  r.soft = (H + m->kinematic)/(3*mu + H + m->kinematic);
  return r;
}

/* per volume: what is stored in stress and back stress */
static double stored(const tni_mises *m, const double sig[6], const double alpha[6]) {
  double mean = (sig[0] + sig[1] + sig[2])/3, s2 = 0, a2 = 0;
  for (int i = 0; i < 6; i++) {
    double s = sig[i] - (i < 3 ? mean : 0), k = i < 3 ? 1 : 2;
    s2 += k*s*s;
    a2 += k*alpha[i]*alpha[i];
  }
  double bulk = m->iso.lambda + 2*m->iso.mu/3;
  return mean*mean/(2*bulk) + s2/(4*m->iso.mu) + (m->kinematic > 0 ? 0.75*a2/m->kinematic : 0);
}

static void tell(const tni_mises *m, const returned *r, double p0, double J, tni_matter_at *at) {
  at->energy = J*stored(m, r->sig, r->alpha);
  at->dissipated = J*tni_mises_heat(m, p0, r->p);
  at->plastic = r->p;
  at->soft = r->soft;
}

bool tni_mises_small(const tni_matter *matter, tni_matter_at *at, const double eps[6], double sig[6], double *C) {
  const tni_mises *m = matter->data;
  const double *h = at->state0, mu = m->iso.mu;
  double e[6], trial[6];
  for (int i = 0; i < 6; i++) e[i] = eps[i] - h[EPS_P + i];
  double pressure = m->iso.lambda*(e[0] + e[1] + e[2]);
  for (int i = 0; i < 3; i++) trial[i] = pressure + 2*mu*e[i], trial[i + 3] = mu*e[i + 3];
  returned r = go_back(m, trial, h + ALPHA, h[P_]);
  memcpy(sig, r.sig, sizeof(r.sig));
  tell(m, &r, h[P_], 1, at);
  if (at->state) {
    double *o = at->state, k = sqrt(1.5)*r.dg;
    for (int i = 0; i < 6; i++) {
      o[EPS_P + i] = h[EPS_P + i] + (i < 3 ? k : 2*k)*r.n[i];
      o[ALPHA + i] = r.alpha[i];
    }
    o[P_] = r.p;
  }
  if (!C) return true;
  double bulk = m->iso.lambda + 2*mu/3;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double c = -2*mu*r.thb*r.n[i]*r.n[j];
      if (i < 3 && j < 3) c += bulk + 2*mu*r.th*((i == j) - 1.0/3);
      else if (i == j) c += mu*r.th;
      C[6*i + j] = c;
    }
  return true;
}

/* ---- large strains ------------------------------------------------------------------------------ */

/* R [6] = Q s Q^T */
static void turn(const double Q[9], const double s[6], double R[6]) {
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double v = 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) v += Q[3*i + k]*s[PAIR[k][l]]*Q[3*j + l];
      R[PAIR[i][j]] = v;
    }
}

/* R [6] = d(Q s Q^T) = d Q s Q^T + its transpose, with QsQ^T known: w R + (w R)^T for w = dQ Q^T */
static void turn_rate(const double w[9], const double s[6], double R[6]) {
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double v = 0;
      for (int k = 0; k < 3; k++) v += w[3*i + k]*s[PAIR[k][j]] + s[PAIR[i][k]]*w[3*j + k];
      R[PAIR[i][j]] = v;
    }
}

static bool mises_large(const tni_matter *matter, tni_matter_at *at, const double F[9], double P[9],
                        double *A) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const tni_mises *m = matter->data;
  const double *h = at->state0;
  double J, G[9], Fn_inv[9], f[9], minus[9], plus[9], half[9], L[9], W[9], Q[9], Jn, d, mu = m->iso.mu;
  if (!tni_deformation(F, &J, G) || !tni_deformation(h + F_N, &Jn, Fn_inv)) return false;
  mat3_mul(f, F, Fn_inv);
  for (int i = 0; i < 9; i++) minus[i] = 2*(f[i] - one[i]), plus[i] = f[i] + one[i];
  if (!tni_deformation(plus, &d, half)) return false; /* an increment of half a turn */
  mat3_mul(L, minus, half);
  double D[6], below[9], above[9], lower[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      W[3*i + j] = (L[3*i + j] - L[3*j + i])/2;
      below[3*i + j] = one[3*i + j] - W[3*i + j]/2;
      above[3*i + j] = one[3*i + j] + W[3*i + j]/2;
    }
  for (int i = 0; i < 3; i++) D[i] = L[4*i], D[i + 3] = L[3*i + (i + 1)%3] + L[3*((i + 1)%3) + i];
  tni_deformation(below, &d, lower); /* det = 1 + |w|^2/4 */
  mat3_mul(Q, lower, above);
  double sig0[6], alpha0[6], trial[6], pressure = m->iso.lambda*(D[0] + D[1] + D[2]);
  turn(Q, h + SIGMA, sig0);
  turn(Q, h + ALPHA_L, alpha0);
  for (int i = 0; i < 3; i++) {
    trial[i] = sig0[i] + pressure + 2*mu*D[i];
    trial[i + 3] = sig0[i + 3] + mu*D[i + 3];
  }
  returned r = go_back(m, trial, alpha0, h[P_L]);
  tell(m, &r, h[P_L], J, at);
  if (at->state) {
    memcpy(at->state + F_N, F, 9*sizeof(double));
    memcpy(at->state + SIGMA, r.sig, sizeof(r.sig));
    memcpy(at->state + ALPHA_L, r.alpha, sizeof(r.alpha));
    at->state[P_L] = r.p;
  }
  double S[9]; /* sigma F^-T */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      S[3*i + j] = r.sig[PAIR[i][0]]*G[3*j] + r.sig[PAIR[i][1]]*G[3*j + 1] + r.sig[PAIR[i][2]]*G[3*j + 2];
      P[3*i + j] = J*S[3*i + j];
    }
  if (!A) return true;
  double front[9]; /* dL = (2 - L) df (f + 1)^-1, df = dF F_n^-1 */
  for (int i = 0; i < 9; i++) front[i] = 2*one[i] - L[i];
  double back[9], bulk = m->iso.lambda + 2*mu/3;
  mat3_mul(back, Fn_inv, half);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      double dL[9], dW[9], t[9], t2[9], w[9], dD[6], ds0[6], da0[6], ds[6], nds = 0, dsig[6];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) dL[3*i + j] = front[3*i + k]*back[3*l + j];
      for (int i = 0; i < 3; i++) {
        int j = (i + 1)%3;
        dD[i] = dL[4*i], dD[i + 3] = dL[3*i + j] + dL[3*j + i];
        for (int c = 0; c < 3; c++) dW[3*i + c] = (dL[3*i + c] - dL[3*c + i])/2;
      }
      /* dQ Q^T = (1 - W/2)^-1 dW/2 (1 + Q) Q^T = (1 - W/2)^-1 dW (1 + W/2)^-1 */
      mat3_mul(t, lower, dW);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t2[3*i + j] = lower[3*j + i]; /* (1 + W/2)^-1 = ((1 - W/2)^-1)^T */
      mat3_mul(w, t, t2);
      turn_rate(w, sig0, ds0);
      turn_rate(w, alpha0, da0);
      double grow = dD[0] + dD[1] + dD[2];
      for (int i = 0; i < 6; i++) {
        ds[i] = ds0[i] - da0[i] + (i < 3 ? 2*mu*(dD[i] - grow/3) : mu*dD[i]);
        nds += (i < 3 ? 1 : 2)*r.n[i]*ds[i];
      }
      for (int i = 0; i < 6; i++)
        dsig[i] = (i < 3 ? bulk*grow : 0) + r.th*ds[i] - r.thb*r.n[i]*nds + da0[i];
      /* dP = J (tr(dF F^-1) sigma F^-T + dsigma F^-T - sigma F^-T dF^T F^-T) */
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double v = G[3*l + k]*S[3*i + j] - S[3*i + l]*G[3*j + k];
          for (int c = 0; c < 3; c++) v += dsig[PAIR[i][c]]*G[3*j + c];
          A[9*(3*i + j) + 3*k + l] = J*v;
        }
    }
  return true;
}

static int mises_nstate(const tni_matter *m, bool large) {
  (void)m;
  return large ? NLARGE : NSMALL;
}

static void mises_begin(const tni_matter *m, bool large, double *state) {
  (void)m;
  if (large) state[F_N] = state[F_N + 4] = state[F_N + 8] = 1;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

tn_status tni_mises_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *matter) {
  tni_mises *m;
  TNI_ARENA_NEW(arena, m, 1);
  matter->data = m;
  TN_TRY(tni_isotropic_read(ctx, item, &m->iso));
  m->kinematic = tni_item_number(item, "kinematic", 0);
  const tni_value *table = tni_item_get(item, "yield_table");
  bool number = tni_item_has(item, "yield");
  if ((table != NULL) == number)
    return tni_item_fail(ctx, item, table ? "yield_table" : NULL, "needs one of 'yield' and 'yield_table'");
  if (table && tni_item_has(item, "hardening"))
    return tni_item_fail(ctx, item, "hardening", "has 'hardening' beside 'yield_table', which tells it");
  m->n = table ? table->n : 1;
  double *p, *s;
  TNI_ARENA_NEW(arena, p, m->n);
  TNI_ARENA_NEW(arena, s, m->n);
  m->p = p, m->s = s;
  if (!table) {
    s[0] = tni_item_number(item, "yield", 0);
    m->slope = tni_item_number(item, "hardening", 0);
    return TN_OK;
  }
  for (int i = 0; i < m->n; i++) {
    p[i] = table->item[i].item[0].number, s[i] = table->item[i].item[1].number;
    if (i == 0 && p[0] != 0)
      return tni_item_fail(ctx, item, "yield_table", "yield_table begins at plastic strain %g, must begin at 0", p[0]);
    if (!(s[i] > 0))
      return tni_item_fail(ctx, item, "yield_table", "yield_table: stress %g at plastic strain %g, must be > 0", s[i], p[i]);
    if (i > 0 && s[i] < s[i - 1])
      return tni_item_fail(ctx, item, "yield_table", "yield_table falls from %g to %g at plastic strain %g; softening depends on "
                           "the mesh and is not offered", s[i - 1], s[i], p[i]);
  }
  return TN_OK;
}

static const tni_key mises_keys[] = {
    TNI_YIELD_KEYS,
    {.name = "kinematic", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "Pa", .initial = "0",
     .doc = "Kinematic hardening (Prager): the back stress of a bar per plastic strain."},
};

const tni_matter_type tni_matter_plastic = {
    .type = {"plastic", "Metals: elastic, then yielding after von Mises with isotropic and kinematic hardening; large "
             "strains in rate form (Hughes and Winget).", mises_keys, TNI_COUNT(mises_keys)},
    .nstate = mises_nstate, .begin = mises_begin, .read = tni_mises_read, .small = tni_mises_small, .large = mises_large};
