/* materials/elastic.c - elastic solids: isotropic and orthotropic, small and large strains
 *
 *   small       sigma = lambda tr(eps) 1 + 2 mu eps;  orthotropic: sigma = T^T C' T eps in material axes
 *   st_venant   S = lambda tr(E) 1 + 2 mu E, E = (F^T F - 1)/2; orthotropic the same with its C
 *   neo_hooke   W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2
 *               P = mu (F - F^-T) + lambda ln J F^-T
 *
 * At large strains `elastic` is neo_hooke: St. Venant's law has no resistance to being crushed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/list.h"

#include <math.h>

#include "base/vec.h"

/* ---- isotropic ------------------------------------------------------------------------------- */

void tni_isotropic_stiffness(const tni_isotropic *p, double C[36]) {
  memset(C, 0, 36*sizeof(double));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) C[6*i + j] = p->lambda;
    C[7*i] += 2*p->mu;
    C[7*(i + 3)] = p->mu;
  }
}

tn_status tni_isotropic_read(tn_ctx *ctx, const tni_item *item, tni_isotropic *out) {
  double E = tni_item_number(item, "E", 0), nu = tni_item_number(item, "nu", 0);
  *out = tni_isotropic_of(E, nu);
  if (!isfinite(out->lambda))
    return tni_item_fail(ctx, item, "nu", "nu = %g is too close to 0.5", nu);
  return TN_OK;
}

static tn_status read_isotropic(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *m) {
  tni_isotropic *p;
  TNI_ARENA_NEW(arena, p, 1);
  m->data = p;
  return tni_isotropic_read(ctx, item, p);
}

static bool isotropic_small(const tni_matter *m, tni_matter_at *at, const double eps[6],
                            double sig[6], double *C) {
  const tni_isotropic *p = m->data;
  double pressure = p->lambda*(eps[0] + eps[1] + eps[2]), w = 0;
  for (int i = 0; i < 3; i++) {
    sig[i] = pressure + 2*p->mu*eps[i];
    sig[i + 3] = p->mu*eps[i + 3];
  }
  for (int i = 0; i < 6; i++) w += sig[i]*eps[i];
  at->energy = w/2;
  at->dissipated = at->plastic = 0, at->soft = 1;
  if (C) tni_isotropic_stiffness(p, C);
  return true;
}

static bool neo_hooke_large(const tni_matter *m, tni_matter_at *at, const double F[9], double P[9],
                            double *A) {
  const tni_isotropic *p = m->data;
  double J, G[9], I1 = 0;
  if (!tni_deformation(F, &J, G)) return false;
  double lnJ = log(J), a = p->lambda*lnJ - p->mu;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      P[3*i + j] = p->mu*F[3*i + j] + a*G[3*j + i];
      I1 += F[3*i + j]*F[3*i + j];
    }
  at->energy = p->mu*((I1 - 3)/2 - lnJ) + p->lambda*lnJ*lnJ/2;
  at->dissipated = at->plastic = 0, at->soft = 1;
  if (!A) return true;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          A[9*(3*i + j) + 3*k + l] = p->lambda*G[3*j + i]*G[3*l + k] - a*G[3*j + k]*G[3*l + i] +
                                     (i == k && j == l ? p->mu : 0);
  return true;
}

/* Green's strain */
static void green(const double F[9], double E[6]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1)%3;
    E[i] = (F[i]*F[i] + F[3 + i]*F[3 + i] + F[6 + i]*F[6 + i] - 1)/2;
    E[i + 3] = F[i]*F[j] + F[3 + i]*F[3 + j] + F[6 + i]*F[6 + j];
  }
}

/* the law of small strains between Green's strain and the second Piola-Kirchhoff stress */
static bool second_large(const tni_matter *m, tni_matter_at *at, const double F[9], double P[9],
                         double *A) {
  double E[6], S[6], D[36], J, G[9];
  if (!tni_deformation(F, &J, G)) return false;
  green(F, E);
  if (!m->type->small(m, at, E, S, A ? D : NULL)) return false;
  tni_from_second(F, S, D, P, A);
  return true;
}

static const tni_key isotropic_keys[] = {TNI_ELASTIC_KEYS};

const tni_matter_type tni_matter_elastic = {
    .type = {"elastic", "Linear elastic, the same in all directions; at large strains as neo_hooke.",
             isotropic_keys, TNI_COUNT(isotropic_keys)},
    .linear = true, .read = read_isotropic, .small = isotropic_small, .large = neo_hooke_large};

const tni_matter_type tni_matter_neo_hooke = {
    .type = {"neo_hooke", "Rubber-like at large strains, E and nu at rest.", isotropic_keys,
             TNI_COUNT(isotropic_keys)},
    .linear = true, .read = read_isotropic, .small = isotropic_small, .large = neo_hooke_large};

const tni_matter_type tni_matter_st_venant = {
    .type = {"st_venant", "St. Venant-Kirchhoff: linear between Green's strain and the second "
             "Piola-Kirchhoff stress, for large rotations with small strains.", isotropic_keys,
             TNI_COUNT(isotropic_keys)},
    .linear = true, .read = read_isotropic, .small = isotropic_small, .large = second_large};

/* ---- orthotropic ----------------------------------------------------------------------------- */

bool tni_orthotropic_of(const double E[3], const double nu[3], const double G[3],
                        tni_orthotropic *out) {
  /* compliance of the normal components, inverted by cofactors */
  double S[9], C[9], J;
  for (int i = 0; i < 3; i++)
    if (!(E[i] > 0) || !(G[i] > 0)) return false;
  S[0] = 1/E[0], S[4] = 1/E[1], S[8] = 1/E[2];
  S[1] = S[3] = -nu[0]/E[0], S[5] = S[7] = -nu[1]/E[1], S[2] = S[6] = -nu[2]/E[0];
  if (!(S[0]*S[4] - S[1]*S[1] > 0) || !(S[0]*S[8] - S[2]*S[2] > 0) || !(S[4]*S[8] - S[5]*S[5] > 0))
    return false;
  if (!tni_deformation(S, &J, C) || !(J > 1e-12*S[0]*S[4]*S[8])) return false;
  memset(out->C, 0, sizeof(out->C));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out->C[6*i + j] = (C[3*i + j] + C[3*j + i])/2;
    out->C[7*(i + 3)] = G[i];
  }
  return true;
}

static tn_status read_orthotropic(tn_ctx *ctx, tni_arena *arena, const tni_item *item,
                                  tni_matter *m) {
  static const char *const names[] = {"E", "nu", "G"};
  double x[3][3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) x[k][i] = tni_item_get(item, names[k])->item[i].number;
  tni_orthotropic *p;
  TNI_ARENA_NEW(arena, p, 1);
  m->data = p;
  if (!tni_orthotropic_of(x[0], x[1], x[2], p))
    return tni_item_fail(ctx, item, "nu", "E and nu give a stiffness that is not positive: nu xy %g must be below "
                         "%g, yz below %g, xz below %g, and smaller where all act together", x[1][0],
                         sqrt(x[0][0]/x[0][1]), sqrt(x[0][1]/x[0][2]), sqrt(x[0][0]/x[0][2]));
  return TN_OK;
}

static bool orthotropic_small(const tni_matter *m, tni_matter_at *at, const double eps[6],
                              double sig[6], double *C) {
  const tni_orthotropic *p = m->data;
  double T[36], e[6], s[6], w = 0;
  if (at->axes) tni_turn_voigt(at->axes, T);
  for (int i = 0; i < 6; i++) {
    e[i] = at->axes ? 0 : eps[i];
    for (int j = 0; j < 6 && at->axes; j++) e[i] += T[6*i + j]*eps[j];
  }
  for (int i = 0; i < 6; i++) {
    s[i] = 0;
    for (int j = 0; j < 6; j++) s[i] += p->C[6*i + j]*e[j];
    w += s[i]*e[i];
  }
  for (int i = 0; i < 6; i++) {
    sig[i] = at->axes ? 0 : s[i];
    for (int j = 0; j < 6 && at->axes; j++) sig[i] += T[6*j + i]*s[j];
  }
  at->energy = w/2;
  at->dissipated = at->plastic = 0, at->soft = 1;
  if (!C) return true;
  if (!at->axes) {
    memcpy(C, p->C, sizeof(p->C));
    return true;
  }
  double CT[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double c = 0;
      for (int k = 0; k < 6; k++) c += p->C[6*i + k]*T[6*k + j];
      CT[6*i + j] = c;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double c = 0;
      for (int k = 0; k < 6; k++) c += T[6*k + i]*CT[6*k + j];
      C[6*i + j] = C[6*j + i] = c;
    }
  return true;
}

static const tni_key orthotropic_keys[] = {
    {.name = "E", .kind = TNI_KIND_NUMBERS, .flags = TNI_REQUIRED | TNI_ABOVE_MIN, .max = HUGE_VAL,
     .count = 3, .unit = "Pa", .doc = "Young's moduli along the material axes: [x, y, z]."},
    {.name = "nu", .kind = TNI_KIND_NUMBERS, .flags = TNI_REQUIRED, .min = -10, .max = 10, .count = 3,
     .doc = "Poisson's ratios [xy, yz, xz]: xy is minus the strain along y by that along x of a bar "
            "pulled along x."},
    {.name = "G", .kind = TNI_KIND_NUMBERS, .flags = TNI_REQUIRED | TNI_ABOVE_MIN, .max = HUGE_VAL,
     .count = 3, .unit = "Pa", .doc = "Shear moduli [xy, yz, xz]."},
};

const tni_matter_type tni_matter_orthotropic = {
    .type = {"orthotropic", "Linear elastic with three planes of symmetry; at large displacements linear "
             "between Green's strain and the second Piola-Kirchhoff stress.", orthotropic_keys,
             TNI_COUNT(orthotropic_keys)},
    .linear = true, .read = read_orthotropic, .small = orthotropic_small, .large = second_large};
