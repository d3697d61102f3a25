/* materials/list.h - all laws of solids, in the order of the input reference
 *
 * A new law is a `const tni_matter_type tni_matter_<name>` and one line here.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MATTER_LIST_H
#define TNI_MATTER_LIST_H

#include "materials/matter.h"

#define TNI_MATTER_LIST(X) \
  X(elastic)               \
  X(orthotropic)           \
  X(st_venant)             \
  X(neo_hooke)             \
  X(plastic)               \
  X(plastic_finite)

#define TNI_MATTER_DECLARE(name) extern const tni_matter_type tni_matter_##name;
TNI_MATTER_LIST(TNI_MATTER_DECLARE)

/* ---- what laws share ------------------------------------------------------------------------ */

/* E and nu of the item, checked */
tn_status tni_isotropic_read(tn_ctx *ctx, const tni_item *item, tni_isotropic *out);
void tni_isotropic_stiffness(const tni_isotropic *p, double C[36]);

/* det F and F^-1; false: det F <= 0 */
bool tni_deformation(const double F[9], double *J, double inverse[9]);
/* P and A from the second Piola-Kirchhoff stress S [6] and D = dS/dE [36] */
void tni_from_second(const double F[9], const double S[6], const double D[36], double P[9],
                     double *A);
/* components of the material axes: eps' = T eps, sigma = T^T sigma', C = T^T C' T */
void tni_turn_voigt(const double axes[9], double T[36]);

/* von Mises: where history keeps what, at small and at large strains */
enum { TNI_MISES_EPS_P = 0, TNI_MISES_ALPHA = 6, TNI_MISES_P = 12, TNI_MISES_NSMALL = 13 };
enum { TNI_MISES_F = 0, TNI_MISES_SIGMA = 9, TNI_MISES_ALPHA_LARGE = 15, TNI_MISES_P_LARGE = 21, TNI_MISES_NLARGE = 22 };
/* keys of TNI_YIELD_KEYS, and kinematic where the type has it */
tn_status tni_mises_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *matter);
bool tni_mises_small(const tni_matter *matter, tni_matter_at *at, const double eps[6], double sig[6], double *C);
double tni_mises_yield(const tni_mises *m, double p);
/* dg >= 0 with q - (3 mu + H_k) dg - sigma_y(p + dg) = 0, and the slope there; q lies above the curve at p */
double tni_mises_flow(const tni_mises *m, double q, double p, double *H);
/* integral of sigma_y from a to b */
double tni_mises_heat(const tni_mises *m, double a, double b);

#define TNI_ELASTIC_KEYS                                                                          \
  {.name = "E", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN, .max = HUGE_VAL,   \
   .unit = "Pa", .doc = "Young's modulus."},                                                       \
  {.name = "nu", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN | TNI_BELOW_MAX,   \
   .min = -1, .max = 0.5, .doc = "Poisson's ratio."}

#define TNI_YIELD_KEYS                                                                                                      \
  TNI_ELASTIC_KEYS,                                                                                                         \
      {.name = "yield", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "Pa",                     \
       .doc = "Yield stress of a bar that is pulled for the first time."},                                                  \
      {.name = "hardening", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "Pa", .initial = "0",                         \
       .doc = "Isotropic hardening: rise of the yield stress per plastic strain."},                                         \
  {.name = "yield_table", .kind = TNI_KIND_TABLE, .unit = "1, Pa",                                                          \
   .doc = "Yield stress over plastic strain, in place of yield and hardening: [[0, stress], [strain, stress], ...], constant " \
          "after the last point."}

#endif
