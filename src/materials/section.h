/* materials/section.h - cross sections of beams: stiffness and inertia per length
 *
 * Axes of a section: x along the beam, y and z the principal axes of the section. Strains and
 * resultants are ordered
 *
 *   0 axial   1 shear along y   2 shear along z   3 torsion   4 bending about y   5 bending about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SECTION_H
#define TNI_SECTION_H

#include "model/model.h"

typedef struct tni_profile {
  double C[6];   /* EA, GA_y, GA_z, GJ, EI_y, EI_z                                  */
  double rhoA;   /* mass per length                                                 */
  double rhoI[3]; /* moments of inertia per length about x, y, z                    */
  tni_outline outline; /* for pictures                                               */
  double area;   /* for pictures and stresses; 0: unknown                           */
} tni_profile;

/* The keys section, material, EA, GA, EI, GJ, rhoA, rhoI, shear_factor of an item. With axial_only
 * just EA and rhoA are asked for. Planar models need no GJ. */
tn_status tni_profile_read(tn_ctx *ctx, const tni_item *item, bool planar, bool axial_only,
                           tni_profile *out);

/* of a shape {rectangle: [width, height]} ... that stands somewhere in an item, and constants of a material */
tn_status tni_profile_of_shape(tn_ctx *ctx, const tni_item *item, const tni_value *section, double E, double nu, double rho, tni_profile *out);

#define TNI_PROFILE_KEYS                                                                          \
  {.name = "section", .kind = TNI_KIND_ANY, .unit = "m",                                           \
   .doc = "Shape of the cross section: {rectangle: [width, height]} along its y and z, {circle: "  \
          "radius} or {tube: [outer radius, inner radius]}; needs `material`."},                   \
  {.name = "material", .kind = TNI_KIND_NUMBERMAP, .unit = "Pa, kg/m^3",                           \
   .doc = "{E: Young's modulus, nu: Poisson's ratio or G: shear modulus, rho: density}."},         \
  {.name = "EA", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "N",     \
   .doc = "Axial stiffness, in place of section and material."},                                   \
  {.name = "rhoA", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL,                \
   .unit = "kg/m", .doc = "Mass per length."}

#define TNI_PROFILE_BEAM_KEYS                                                                     \
  {.name = "GA", .kind = TNI_KIND_ANY, .unit = "N",                                                \
   .doc = "Shear stiffness, shear factor included: a number, or [along y, along z]."},             \
  {.name = "EI", .kind = TNI_KIND_ANY, .unit = "N m^2",                                            \
   .doc = "Bending stiffness: a number, or [about y, about z]."},                                  \
  {.name = "GJ", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL,                  \
   .unit = "N m^2", .doc = "Torsional stiffness; not needed in planar models."},                   \
  {.name = "rhoI", .kind = TNI_KIND_ANY, .unit = "kg m",                                           \
   .doc = "Rotary inertia per length: a number, or [about y, about z]; about x it is their sum."}, \
  {.name = "shear_factor", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = 1.5,             \
   .initial = "Cowper's", .doc = "Shear area by area, for sections given by their shape."}

#endif
