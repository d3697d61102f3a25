/* nonlinear/sparse_space.h - the tangent space of large models, by sparse factorizations
 *
 * No basis Z of the directions is made: displacements with C delta = 0 come from solutions of
 *
 *   [ A  C^T ] [ delta  ]   [ r ]
 *   [ C   0  ] [ mu     ] = [ 0 ]
 *
 * with A = W for the measure (multipliers, |g|) and A = K + shift W for steps; there stresses of elements
 * are unknowns beside the multipliers (system/stress.h), and K is what is left without their response. Of the eigenvalues of
 * the stiffness only those next to zero are known, among them all negative ones that a Krylov space of
 * some dozen vectors shows (linsolve/krylov.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SPARSE_SPACE_H
#define TNI_SPARSE_SPACE_H

#include "system/stress.h"
#include "nonlinear/tangent_space.h"

typedef struct tni_sparse_space {
  double *M, *W, *K, *r_v; /* [square->nnz] K at constant stresses, not made symmetric          */
  double *base;            /* [square->nnz] K without elements that have stresses; NULL: K      */
  tni_stresses stress;
  double soft;             /* of their stiffnesses, measured by W: the smallest that is none of rounding */
  double *C;               /* [rows->nnz] beginning of stress.value                             */
  double *rate;            /* [n] K move - f_t                                                  */
  double rate_norm;        /* of its part along the directions                                  */
  int *mirror;             /* [square->nnz] place of the transposed entry                       */
  const bool *active;      /* [m] rows in use, NULL: all                                        */
  bool *in_use;            /* [m + nstress] the same with the rows of stresses                  */
  tni_saddle *measure, *stiff;
  /* what `stiff` holds the factors of                                                           */
  enum { TNI_STIFF_NOTHING, TNI_STIFF_NEWTON, TNI_STIFF_SYMMETRIC } held;
  double shift;
  double *A, *b, *x, *y, *size; /* scratch: [square->nnz], [n + m + nstress], [n], [n], [n]      */
  int nvector;
  double *vector;          /* [nvector][n] of the eigenvalues ts->value                         */
  int nvalue;
  tni_arena eigen;         /* holds vector                                                      */
} tni_sparse_space;

tn_status tni_sparse_create(tni_arena *arena, tni_tangent_space *ts);
void tni_sparse_destroy(tni_tangent_space *ts);
tn_status tni_sparse_update(tni_tangent_space *ts, double t, const double *q);
tn_status tni_sparse_eigen(tni_tangent_space *ts);
tn_status tni_sparse_definite(tni_tangent_space *ts, bool *yes);
/* y = W x */
void tni_sparse_measure(const tni_tangent_space *ts, const double *x, double *y);
/* delta = (K + shift W)^-1 r along the directions, of the symmetric part of K where asked for; a shift
 * that leaves the matrix singular is raised, *shift says to what. r and delta may be the same. */
tn_status tni_sparse_solve(tni_tangent_space *ts, bool symmetric, double *shift, const double *r,
                           double *delta);
/* the same with the transposed matrix, after a call of the above */
void tni_sparse_solve_transposed(tni_tangent_space *ts, const double *r, double *delta);
/* y [n] += (stiffness) x, stresses and all */
void tni_sparse_stiffness(const tni_tangent_space *ts, const double *x, double *y);
/* x^T (stiffness) x, and how far rounding may have it off */
double tni_sparse_energy(const tni_tangent_space *ts, const double *x, double *rounding);
/* K of the configuration again, from r_q of elements without stresses in it */
void tni_sparse_add_elements(tni_tangent_space *ts);
/* K was changed in place: eigenvalues and factors are void */
void tni_sparse_changed(tni_tangent_space *ts);
/* Factors of K + a A + b B (B may be NULL), of its symmetric part where asked for, until the next call of
 * another function; solve_held solves with them. */
tn_status tni_sparse_hold(tni_tangent_space *ts, bool symmetric, double a, const double *A, double b,
                          const double *B);
void tni_sparse_solve_held(tni_tangent_space *ts, const double *r, double *delta);
/* the nearest displacement with C delta = 0, measured by W */
void tni_sparse_project(tni_tangent_space *ts, const double *x, double *delta);
/* add A times the same small block for every body to out, all on the pattern of squares:
 * block(i) [6][6] of body i in components of the model */
typedef void (*tni_block_fn)(const void *user, int body, double block[36]);
void tni_sparse_add_blocks(const tni_data *s, double factor, const double *A, tni_block_fn block,
                           const void *user, double *out);

#endif
