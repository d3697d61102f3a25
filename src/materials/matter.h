/* materials/matter.h - what solids are made of: stress from strain, with history
 *
 *   small strains   sigma(eps, history), consistent tangent C = d sigma / d eps
 *   large strains   first Piola-Kirchhoff stress P(F, history), tangent A = dP/dF
 *
 * Order of components xx yy zz xy yz zx, engineering shear strains; F and P row by row. One file per family, one line
 * in list.h per type. A law is evaluated at one point from copies, into memory of the caller; it knows no element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MATTER_H
#define TNI_MATTER_H

#include "model/model.h"

typedef struct tni_matter_type tni_matter_type;

typedef struct tni_matter {
  const char *name;
  const tni_item *item;     /* where the user wrote it, NULL in tests                          */
  const tni_matter_type *type;
  double density;           /* [kg/m^3]                                                        */
  double expansion;         /* thermal [1/K]                                                   */
  double rayleigh[2];       /* damping: alpha M + beta K                                       */
  const void *data;         /* of the type                                                     */
} tni_matter;

/* one point of matter */
typedef struct tni_matter_at {
  const double *axes;   /* [9] material axes at rest, columns in ground axes; NULL: ground's   */
  const double *state0; /* [nstate] history at the last accepted instant                       */
  double *state;        /* [nstate] history now, written; NULL: not wanted                     */
  double energy;        /* out: stored per volume at rest [J/m^3]                              */
  double dissipated;    /* out: turned into heat since state0, per volume at rest              */
  double plastic;       /* out: equivalent plastic strain                                      */
  double soft;          /* out: tangent by elastic modulus in the direction of flow; 1: elastic */
} tni_matter_at;

struct tni_matter_type {
  tni_type type;        /* name, one sentence, keys of its own                                 */
  bool linear;          /* small strains: C is constant and there is no history                */
  /* numbers of history of a point; NULL: none */
  int (*nstate)(const tni_matter *m, bool large);
  /* history at rest; NULL: zero */
  void (*begin)(const tni_matter *m, bool large, double *state);
  tn_status (*read)(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *m);
  /* false: the law has no answer (its equation was not solved). C [6][6] may be NULL. */
  bool (*small)(const tni_matter *m, tni_matter_at *at, const double eps[6], double sig[6],
                double *C);
  /* false: det F <= 0, or no answer. A [9][9] may be NULL. NULL: small strains only. */
  bool (*large)(const tni_matter *m, tni_matter_at *at, const double F[9], double P[9], double *A);
};

/* from an item of the section `materials` */
tn_status tni_matter_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, tni_matter *out);
extern const tni_section tni_matter_section; /* keys of `materials`, for the input language */
const tni_matter_type *tni_matter_find(const char *name); /* NULL: none */

static inline int tni_matter_nstate(const tni_matter *m, bool large) {
  return m->type->nstate ? m->type->nstate(m, large) : 0;
}
void tni_matter_begin(const tni_matter *m, bool large, double *state);

/* stiffness [6][6] at rest, ground axes */
void tni_matter_stiffness(const tni_matter *m, const double *axes, double C[36]);
/* mean shear modulus at rest, and the modulus of the fastest wave in the volume or in a plate (plane stress) [Pa] */
double tni_matter_shear(const tni_matter *m);
double tni_matter_wave(const tni_matter *m, bool plane_stress);

/* Plane stress: the law with the strain across the plane (eps[2], F[8]; its value on entry is the first guess, on
 * return the answer) such that the stress across vanishes; rows and columns of the tangent across are zero. Shear across
 * the plane stays as given. The history must not couple them (axes: z across the plane). */
bool tni_matter_small_plane(const tni_matter *m, tni_matter_at *at, double eps[6], double sig[6],
                            double *C);
bool tni_matter_large_plane(const tni_matter *m, tni_matter_at *at, double F[9], double P[9],
                            double *A);
/* Bars: the law with stress along x only, for laws that are the same across it; *lateral: first guess and answer of the
 * strain across. Returns the stress, *E the tangent. */
bool tni_matter_axial(const tni_matter *m, tni_matter_at *at, double eps, double *lateral, double *sig,
                      double *E);

/* Cauchy stress from P: sigma = P F^T/det F */
void tni_cauchy(const double F[9], const double P[9], double sig[6]);

/* ---- laws, for programs and tests that need no model file ---------------------------------- */

typedef struct tni_isotropic { /* data of elastic, neo_hooke, st_venant; begins that of plastic */
  double E, nu, lambda, mu;
} tni_isotropic;
static inline tni_isotropic tni_isotropic_of(double E, double nu) {
  return (tni_isotropic){E, nu, E*nu/((1 + nu)*(1 - 2*nu)), E/(2*(1 + nu))};
}

typedef struct tni_mises { /* data of plastic */
  tni_isotropic iso;
  int n;                  /* points of the yield curve, straight between them, constant after the last */
  const double *p, *s;    /* [n] equivalent plastic strain from 0, rising; yield stress, not falling  */
  double slope;           /* after the last point                                                     */
  double kinematic;       /* Prager's modulus                                                         */
} tni_mises;

typedef struct tni_orthotropic { /* C in material axes */
  double C[36];
} tni_orthotropic;
/* E xx yy zz; nu, G of xy yz xz, nu_xy: minus strain along y by strain along x when pulled along x.
 * false: not positive definite */
bool tni_orthotropic_of(const double E[3], const double nu[3], const double G[3],
                        tni_orthotropic *out);

#endif
