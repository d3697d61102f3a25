/* materials/matter.c - the section `materials`, and what all laws share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/list.h"

#include <math.h>

#include "base/vec.h"

static const int VOIGT[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
static const int PAIR[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

/* ---- section --------------------------------------------------------------------------------- */

static const tni_key keys[] = {
    {.name = "density", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "kg/m^3", .initial = "0",
     .doc = "Mass per volume; needed wherever mass acts: gravity, modes, motion."},
    {.name = "expansion", .kind = TNI_KIND_NUMBER, .min = -1, .max = 1, .unit = "1/K", .initial = "0",
     .doc = "Thermal strain per temperature, the same in all directions."},
    {.name = "rayleigh", .kind = TNI_KIND_NUMBERS, .max = HUGE_VAL, .count = 2, .unit = "1/s, s",
     .initial = "[0, 0]", .doc = "Damping: the first number times mass and the second times stiffness. Masses of nodes that bodies hold are the bodies', and not damped."},
};

#define TYPE(name) &tni_matter_##name.type,
static const tni_type *const types[] = {TNI_MATTER_LIST(TYPE)};
#define LAW(name) &tni_matter_##name,
static const tni_matter_type *const laws[] = {TNI_MATTER_LIST(LAW)};

const tni_section tni_matter_section = {
    "materials", "material", "What solids are made of.", false, false, keys, TNI_COUNT(keys), types,
    TNI_COUNT(types)};

const tni_matter_type *tni_matter_find(const char *name) {
  for (int i = 0; i < TNI_COUNT(laws); i++)
    if (strcmp(laws[i]->type.name, name) == 0) return laws[i];
  return NULL;
}

tn_status tni_matter_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *out) {
  memset(out, 0, sizeof(*out));
  out->name = item->name;
  out->item = item;
  out->type = item->type ? tni_matter_find(item->type->name) : NULL;
  if (!out->type) return tni_item_fail(ctx, item, NULL, "has no type");
  out->density = tni_item_number(item, "density", 0);
  out->expansion = tni_item_number(item, "expansion", 0);
  const tni_value *damping = tni_item_get(item, "rayleigh");
  for (int i = 0; damping && i < 2; i++) out->rayleigh[i] = damping->item[i].number;
  return out->type->read(ctx, arena, item, out);
}

void tni_matter_begin(const tni_matter *m, bool large, double *state) {
  memset(state, 0, (size_t)tni_matter_nstate(m, large)*sizeof(double));
  if (m->type->begin) m->type->begin(m, large, state);
}

/* ---- what is asked of any law ---------------------------------------------------------------- */

void tni_matter_stiffness(const tni_matter *m, const double *axes, double C[36]) {
  double eps[6] = {0}, sig[6], state[64] = {0};
  tni_matter_at at = {.axes = axes, .state0 = state};
  if (m->type->begin) m->type->begin(m, false, state);
  m->type->small(m, &at, eps, sig, C);
}

double tni_matter_shear(const tni_matter *m) {
  double C[36];
  tni_matter_stiffness(m, NULL, C);
  return (C[3*7] + C[4*7] + C[5*7])/3;
}

double tni_matter_wave(const tni_matter *m, bool plane_stress) {
  double C[36], most = 0;
  tni_matter_stiffness(m, NULL, C);
  for (int i = 0; i < (plane_stress ? 2 : 3); i++) {
    double c = C[7*i];
    if (plane_stress) c -= C[6*i + 2]*C[6*i + 2]/C[14];
    most = fmax(most, c);
  }
  return most;
}

/* ---- plane stress ---------------------------------------------------------------------------- */

enum { PLANE_TRIES = 60 };

/* no better answer in this arithmetic: the step is rounding, or small and no smaller than the one before */
static bool is_last(int k, double step, double before, double scale) {
  return fabs(step) <= 1e-16*scale || (k > 2 && fabs(step) <= 1e-13*scale && fabs(step) >= before);
}

/* sigma_zz rises with eps_zz; a step of Newton's that leaves the bracket is halved */
bool tni_matter_small_plane(const tni_matter *m, tni_matter_at *at, double eps[6], double sig[6],
                            double *C) {
  double own[36], *T = C ? C : own, low = -HUGE_VAL, high = HUGE_VAL;
  if (m->type->linear) {
    if (!m->type->small(m, at, eps, sig, T)) return false;
    eps[2] -= sig[2]/T[14];
    if (!m->type->small(m, at, eps, sig, NULL)) return false;
  } else {
    double before = HUGE_VAL;
    for (int k = 0;; k++) {
      if (k == PLANE_TRIES || !m->type->small(m, at, eps, sig, T)) return false;
      double scale = 0, step = sig[2]/T[14];
      /* strains of the stress too: with them those that stay are covered where the whole strain goes through zero */
      for (int i = 0; i < 6; i++) scale = fmax(scale, fmax(fabs(eps[i]), fabs(sig[i]/T[14])));
      if (is_last(k, step, before, scale)) break;
      before = fabs(step);
      if (sig[2] > 0) high = eps[2]; else low = eps[2];
      double next = eps[2] - step;
      if (next == eps[2]) break; /* before the bracket is asked, an end of which this is */
      if (!(next > low && next < high)) next = (low + high)/2;
      if (!isfinite(next)) return false;
      if (next == eps[2]) break;
      eps[2] = next;
    }
  }
  sig[2] = 0;
  if (!C) return true;
  double pivot = C[14], row[6], column[6];
  for (int i = 0; i < 6; i++) row[i] = C[12 + i], column[i] = C[6*i + 2];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) C[6*i + j] = i == 2 || j == 2 ? 0 : C[6*i + j] - column[i]*row[j]/pivot;
  return true;
}

bool tni_matter_large_plane(const tni_matter *m, tni_matter_at *at, double F[9], double P[9],
                            double *A) {
  double own[81], *T = A ? A : own, before = HUGE_VAL, low = 0, high = HUGE_VAL;
  if (!(F[8] > 0)) F[8] = 1;
  for (int k = 0;; k++) {
    if (k == PLANE_TRIES || !m->type->large(m, at, F, P, T)) return false;
    double step = P[8]/T[80], next = F[8] - step;
    if (T[80] > 0 && is_last(k, step, before, F[8])) break;
    before = fabs(step);
    if (T[80] > 0 && next == F[8]) break;
    if (P[8] > 0) high = F[8]; else low = F[8];
    if (!(T[80] > 0) || !(next > low && next < high)) next = isfinite(high) ? (low + high)/2 : 2*low;
    if (next == F[8]) break;
    F[8] = next;
  }
  P[8] = 0;
  if (!A) return true;
  double pivot = A[80], row[9], column[9];
  for (int i = 0; i < 9; i++) row[i] = A[72 + i], column[i] = A[9*i + 8];
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++) A[9*i + j] = i == 8 || j == 8 ? 0 : A[9*i + j] - column[i]*row[j]/pivot;
  return true;
}

bool tni_matter_axial(const tni_matter *m, tni_matter_at *at, double strain, double *lateral, double *stress,
                      double *E) {
  double C[36], sig[6], before = HUGE_VAL, low = -HUGE_VAL, high = HUGE_VAL;
  for (int k = 0;; k++) {
    double eps[6] = {strain, *lateral, *lateral, 0, 0, 0};
    if (k == PLANE_TRIES || !m->type->small(m, at, eps, sig, C)) return false;
    double scale = fmax(fmax(fabs(strain), fabs(*lateral)), fabs(sig[0]/(C[7] + C[8]))), step = sig[1]/(C[7] + C[8]);
    if (is_last(k, step, before, scale)) break;
    before = fabs(step);
    if (sig[1] > 0) high = *lateral; else low = *lateral;
    double next = *lateral - step;
    if (next == *lateral) break;
    if (!(next > low && next < high)) next = (low + high)/2;
    if (!isfinite(next)) return false;
    if (next == *lateral) break;
    *lateral = next;
  }
  *stress = sig[0];
  if (E) *E = C[0] - 2*C[1]*C[6]/(C[7] + C[8]);
  return true;
}

/* ---- kinematics ------------------------------------------------------------------------------ */

bool tni_deformation(const double F[9], double *J, double inverse[9]) {
  double *G = inverse;
  G[0] = F[4]*F[8] - F[5]*F[7], G[1] = F[2]*F[7] - F[1]*F[8], G[2] = F[1]*F[5] - F[2]*F[4];
  G[3] = F[5]*F[6] - F[3]*F[8], G[4] = F[0]*F[8] - F[2]*F[6], G[5] = F[2]*F[3] - F[0]*F[5];
  G[6] = F[3]*F[7] - F[4]*F[6], G[7] = F[1]*F[6] - F[0]*F[7], G[8] = F[0]*F[4] - F[1]*F[3];
  *J = F[0]*G[0] + F[1]*G[3] + F[2]*G[6];
  if (!(*J > 0)) return false;
  for (int i = 0; i < 9; i++) G[i] /= *J;
  return true;
}

void tni_from_second(const double F[9], const double S[6], const double D[36], double P[9],
                     double *A) {
  for (int i = 0; i < 3; i++)
    for (int J = 0; J < 3; J++) {
      double p = 0;
      for (int K = 0; K < 3; K++) p += F[3*i + K]*S[PAIR[K][J]];
      P[3*i + J] = p;
    }
  if (!A) return;
  /* FD [iJ][v]: row of F D for the pair v of Voigt's notation */
  double FD[9][6];
  for (int i = 0; i < 3; i++)
    for (int J = 0; J < 3; J++)
      for (int v = 0; v < 6; v++) {
        double s = 0;
        for (int M = 0; M < 3; M++) s += F[3*i + M]*D[6*PAIR[M][J] + v];
        FD[3*i + J][v] = s;
      }
  for (int r = 0; r < 9; r++)
    for (int k = 0; k < 3; k++)
      for (int L = 0; L < 3; L++) {
        double s = 0;
        for (int N = 0; N < 3; N++) s += FD[r][PAIR[N][L]]*F[3*k + N];
        A[9*r + 3*k + L] = s;
      }
  for (int i = 0; i < 3; i++)
    for (int J = 0; J < 3; J++)
      for (int L = 0; L < 3; L++) A[9*(3*i + J) + 3*i + L] += S[PAIR[J][L]];
}

void tni_turn_voigt(const double axes[9], double T[36]) {
  /* eps'_kl = a_k . eps a_l with a_k the columns of axes; shear counted twice */
  for (int r = 0; r < 6; r++) {
    int k = VOIGT[r][0], l = VOIGT[r][1];
    for (int c = 0; c < 6; c++) {
      int i = VOIGT[c][0], j = VOIGT[c][1];
      double ik = axes[3*i + k], jl = axes[3*j + l], jk = axes[3*j + k], il = axes[3*i + l];
      double v = i == j ? ik*jl : (ik*jl + jk*il)/2;
      T[6*r + c] = k == l ? v : 2*v;
    }
  }
}

void tni_cauchy(const double F[9], const double P[9], double sig[6]) {
  double J = F[0]*(F[4]*F[8] - F[5]*F[7]) - F[1]*(F[3]*F[8] - F[5]*F[6]) + F[2]*(F[3]*F[7] - F[4]*F[6]);
  for (int v = 0; v < 6; v++) {
    int i = VOIGT[v][0], j = VOIGT[v][1];
    sig[v] = (P[3*i]*F[3*j] + P[3*i + 1]*F[3*j + 1] + P[3*i + 2]*F[3*j + 2])/J;
  }
}
