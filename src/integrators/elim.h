/* integrators/elim.h - elimination of a sparse square matrix in a fixed order
 *
 * A P-L-U elimination whose order is chosen once, for few nonzeros, and used again while the values
 * change: the dependent columns of a constraint Jacobian have a handful of entries in every row.
 * Right-hand sides are row-major [n][ld]; a call treats columns c0 to c1 and touches no others, so
 * that columns may be shared between threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ELIM_H
#define TNI_ELIM_H

#include "base/base.h"

typedef struct tni_elim {
  int n, max;
  int *row, *col;   /* [n] pivot k is entry (row[k], col[k])                              */
  int *lp, *li;     /* rows below pivot k with an entry: li[lp[k]] .. , positions         */
  int *up, *uj;     /* columns right of pivot k with an entry                             */
  double *lv, *uv, *pivot; /* their values; pivots inverted                               */
  int nentry, *from, *to;  /* entries that may be nonzero: place in A, place in W         */
  double *W;        /* [n][n] in pivot order                                              */
} tni_elim;

tn_status tni_elim_create(tni_arena *arena, int max, tni_elim *e);
/* Order for A [n][n] row-major: large and few entries first; false: singular. `may` [n][n] is not
 * zero where values of A may ever be so. */
bool tni_elim_order(tni_elim *e, int n, const double *A, const double *may);
/* false: the order does not serve these values (vanishing pivot, growth) */
bool tni_elim_factor(tni_elim *e, const double *A);
/* A X = B, B [n][ld] becomes X; Y [n][ld] scratch */
void tni_elim_solve(const tni_elim *e, int ld, int c0, int c1, double *B, double *Y);
/* A^T X = B */
void tni_elim_solve_t(const tni_elim *e, int ld, int c0, int c1, double *B, double *Y);

/* Dense LU in place; false: singular. Solve A x = b, b becomes x. A is column-major: a solve with one
 * right-hand side then goes along columns, where no addition waits for the one before. */
bool tni_lu_factor(int n, double *A, int *pivot);
void tni_lu_solve(int n, const double *A, const int *pivot, double *x);

#endif
