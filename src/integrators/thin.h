/* integrators/thin.h - products of sparse matrices with thin ones
 *
 * Thin matrices are row-major [n][ld]; a call treats columns c0 to c1 and touches no others, and
 * every column is computed by itself, so that columns may be divided among threads without a change
 * of bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_THIN_H
#define TNI_THIN_H

#include "integrators/panels.h"
#include "system/system.h"

static inline void tni_zero(double *x, int n, int k) {
  memset(x, 0, (size_t)n*(size_t)k*sizeof(double));
}

void tni_thin_clear(int n, tni_columns c, double *x);

/* out += A X for a sparse A */
void tni_thin_add(const tni_sparsity *pattern, const double *A, int nrow, tni_columns c,
                  const double *X, double *out);

/* out += alpha A^T X for rows of a sparse A, row i of X belongs to row[i] of A. Rows group[g] to
 * group[g+1] have their entries in the same columns: those of one body, or of one constraint. */
void tni_thin_add_transposed(const tni_sparsity *pattern, const double *A, int ngroup,
                             const int *group, const int *row, tni_columns c, double alpha,
                             const double *X, double *out);

/* R [n][ld] = A^T X for a square A: row by row of R, so that its sums stay in registers. Where entry e
 * of the pattern is (i, j), mirror[e] is (j, i). value, index [n] scratch. */
void tni_thin_multiply_transposed(const tni_sparsity *pattern, const int *mirror, const double *A,
                                  int n, tni_columns c, const double *X, double *R, double *value,
                                  int *index);

/* false: the pattern is not symmetric; next [n] scratch */
bool tni_thin_mirror(const tni_sparsity *pattern, int n, int *next, int *mirror);

/* Rows of a pattern that follow each other with the same columns; returns how many groups. row [n] or
 * NULL: which rows, group [n+1] */
int tni_thin_groups(const tni_sparsity *pattern, int n, const int *row, int *group);

#endif
