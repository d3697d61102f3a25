/* linsolve/saddle.h - sparse LU of the matrices that implicit methods solve with
 *
 *   [ A  C^T ] [ x ]   [ f ]
 *   [ C   0  ] [ l ] = [ g ]
 *
 * A = M + gamma h D + (gamma h)^2 K has any sparse pattern and need not be symmetric; real or
 * complex (formulas with complex eigenvalues). C is real. Rows of C may be switched off; l of those
 * comes out 0.
 *
 * Life cycle:  create (pattern, once) -> factor (values) -> solve ...
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SADDLE_H
#define TNI_SADDLE_H

#include "base/base.h"

/* Compressed rows, columns ascending; structural, so that no entry appears later. */
typedef struct tni_sparsity {
  int nrow, ncol, nnz;
  const int *rowptr; /* [nrow+1] */
  const int *col;    /* [nnz]    */
} tni_sparsity;

/* place of the entry (row, col), which is there; columns ascend */
static inline int tni_sparsity_find(const tni_sparsity *p, int row, int col) {
  int low = p->rowptr[row], high = p->rowptr[row+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (p->col[mid] < col) low = mid + 1;
    else high = mid;
  }
  return low;
}

typedef struct tni_saddle tni_saddle;

/* Patterns are borrowed for the whole life; every diagonal entry of A must be in its pattern. */
tn_status tni_saddle_create(tn_ctx *ctx, const tni_sparsity *A, const tni_sparsity *C,
                            bool is_complex, tni_saddle **out);
void tni_saddle_destroy(tni_saddle **s);

/* A [nnz], complex: pairs (re, im); C [nnz]; active [m] or NULL. regular > 0: combinations of rows
 * of C shorter than its square root, in units of the diagonal of A, are let go; TNI_SADDLE_REGULAR
 * touches none that is not rounding. TN_SINGULAR: a pivot vanished.
 * Allocates only where pivots are chosen anew: the first time, and when the old ones have become
 * small; with mumps every time. */
#define TNI_SADDLE_REGULAR 1e-11
tn_status tni_saddle_factor(tni_saddle *s, const double *A, const double *C, const bool *active,
                            double regular);

/* Scale by size [n] > 0, borrowed, instead of the diagonal of A: where that says nothing. */
void tni_saddle_measure(tni_saddle *s, const double *size);

/* Real, without rows of C: A is symmetric and positive definite and factored as such; by LU from the first one that is not. */
tn_status tni_saddle_expect_definite(tni_saddle *s);

/* Rows r of C with flexibility[r] > 0 [m], borrowed, are soft: C x - flexibility l = g. l may then be
 * large and cancel in C^T l: pivots are chosen for size rather than for few entries, and solutions are
 * refined once. Real matrices. */
tn_status tni_saddle_soften(tni_saddle *s, const double *flexibility);

/* The same with other columns than rows:  [ A  B^T ; C  0 ]. x then goes along the columns of
 * A^-1 B^T only, however C has turned. Not regularised: TN_SINGULAR where C A^-1 B^T is. */
tn_status tni_saddle_factor_oblique(tni_saddle *s, const double *A, const double *B, const double *C,
                                    const bool *active);

/* Symmetric A, real: how many eigenvalues of A along C x = 0 are negative (flexible rows taken with their
 * response), from the signs of an LDL^T. TN_SINGULAR: one is zero. Factors for solve are void then. */
tn_status tni_saddle_negative(tni_saddle *s, const double *A, const double *C, const bool *active,
                              int *negative);

/* nrhs right sides (f, g) of n + m numbers (complex: pairs) one after the other become solutions */
void tni_saddle_solve(tni_saddle *s, int nrhs, double *b);

/* one right side with the transposed matrix, real */
void tni_saddle_solve_transposed(tni_saddle *s, double *b);

/* the next factor chooses its pivots anew, whatever came before */
void tni_saddle_forget(tni_saddle *s);

long tni_saddle_nnz(const tni_saddle *s); /* stored numbers of the factor */
/* one line: which solver, in which order, why */
void tni_saddle_describe(const tni_saddle *s, char *out, size_t n);

/* y += factor A x, real */
void tni_sparse_add(const tni_sparsity *p, double factor, const double *A, const double *x,
                    double *y);

#endif
