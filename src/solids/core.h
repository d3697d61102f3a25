/* solids/core.h - continuum elements: what all cells with displacements at their nodes share
 *
 * A type of solid picks a cell, rules of integration and a way to its strains (mode) for each of its options; the rest is
 * the same for all of them. Theory: docs/theory/solids.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_CORE_H
#define TNI_SOLID_CORE_H

#include "solids/shape.h"
#include "solids/solid.h"

typedef enum {
  TNI_CORE_PLAIN, /* strains of the shape functions at every point                              */
  TNI_CORE_BBAR,  /* the volume changes by its mean over the element                            */
  TNI_CORE_INC,   /* incompatible modes 1 - xi^2, condensed; small displacements                */
  TNI_CORE_ONE    /* mean gradient at one point, stiffness against hourglasses                  */
} tni_core_mode;

typedef struct tni_core {
  tni_cell cell;
  tni_core_mode mode;
  tni_rule rule, mass; /* of stiffness, of mass and volume                                      */
  bool row_sum;        /* lumped mass by sums of rows; otherwise the diagonal, scaled (HRZ)     */
  double hourglass;    /* ONE: usual coefficient                                                */
} tni_core;

/* at which points stresses are known; at one point of a ring, turning about that point would cost nothing */
tni_rule tni_core_rule(const tni_core *core, const tni_solid_kind *kind);
bool tni_core_prepare(const tni_core *core, tni_solid_kind *kind, char *why, size_t n);
void tni_core_begin(const tni_core *core, const tni_solid_kind *kind, double *state);
bool tni_core_eval(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at,
                   unsigned want, tni_solid_out *out);
/* y += K x at the state of at */
bool tni_core_apply(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at, const double *x,
                    double *y);
void tni_core_mass(const tni_core *core, const tni_solid_kind *kind, const double *X, bool lumped,
                   double *M);
double tni_core_rate(const tni_core *core, const tni_solid_kind *kind, const tni_solid_at *at);
void tni_core_to_nodes(const tni_core *core, const tni_solid_kind *kind, int n,
                       const double *at_points, double *at_nodes);
double tni_core_volume(const tni_core *core, const tni_solid_kind *kind, const double *X,
                       double *share);

/* the functions of a type whose options are the array `cores` */
#define TNI_CORE_FUNCTIONS(name, cores)                                                            \
  static bool name##_prepare(tni_solid_kind *kind, char *why, size_t n) {                          \
    return tni_core_prepare(&cores[kind->option], kind, why, n);                                   \
  }                                                                                                \
  static void name##_begin(const tni_solid_kind *kind, const double *X, const double *axes,        \
                           double *state) {                                                        \
    (void)X, (void)axes;                                                                           \
    tni_core_begin(&cores[kind->option], kind, state);                                             \
  }                                                                                                \
  static bool name##_eval(const tni_solid_kind *kind, const tni_solid_at *at, unsigned want,       \
                          tni_solid_out *out) {                                                    \
    return tni_core_eval(&cores[kind->option], kind, at, want, out);                               \
  }                                                                                                \
  static bool name##_apply(const tni_solid_kind *kind, const tni_solid_at *at, const double *x, double *y) { \
    return tni_core_apply(&cores[kind->option], kind, at, x, y);                                   \
  }                                                                                                \
  static void name##_mass(const tni_solid_kind *kind, const double *X, bool lumped, double *M) {   \
    tni_core_mass(&cores[kind->option], kind, X, lumped, M);                                       \
  }                                                                                                \
  static double name##_rate(const tni_solid_kind *kind, const tni_solid_at *at) {                  \
    return tni_core_rate(&cores[kind->option], kind, at);                                          \
  }                                                                                                \
  static void name##_to_nodes(const tni_solid_kind *kind, int n, const double *at_points,          \
                              double *at_nodes) {                                                  \
    tni_core_to_nodes(&cores[kind->option], kind, n, at_points, at_nodes);                         \
  }                                                                                                \
  static double name##_volume(const tni_solid_kind *kind, const double *X, double *share) {        \
    return tni_core_volume(&cores[kind->option], kind, X, share);                                  \
  }

#define TNI_CORE_MEMBERS(name)                                                                     \
  .prepare = name##_prepare, .begin = name##_begin, .eval = name##_eval, .apply = name##_apply, .mass = name##_mass,      \
  .rate = name##_rate, .to_nodes = name##_to_nodes, .volume = name##_volume

/* largest eigenvalue of the symmetric matrix A [n][n], n <= 60; A is destroyed */
double tni_largest_eigenvalue(int n, double *A);
/* Cholesky of A [n][n] in place and solution of A x = b in place; false: not positive definite */
bool tni_cholesky(int n, double *A);
void tni_cholesky_solve(int n, const double *A, double *x);

#endif
