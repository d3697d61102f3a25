/* base/table.h - piecewise polynomials y(x) through points: tables of springs, roads, drives
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TABLE_H
#define TNI_TABLE_H

#include "base/base.h"

typedef enum {
  TNI_TABLE_LINEAR,   /* straight between points                                      */
  TNI_TABLE_MONOTONE, /* cubic, C1, rises and falls only where the points do          */
  TNI_TABLE_NATURAL   /* cubic, C2, no curvature at the ends                          */
} tni_table_kind;

typedef enum {
  TNI_EXTEND_LINEAR,  /* goes on with the slope at the end                            */
  TNI_EXTEND_CONSTANT /* keeps the value at the end                                   */
} tni_table_extend;

/* Constant once created. Piece k covers x[k] <= x < x[k+1] and is
 * c0 + c1 d + c2 d^2 + c3 d^3 with d = x - x[k]; the last piece includes its right end. */
typedef struct {
  int n;             /* points                                                        */
  const double *x;   /* [n] increasing                                                */
  const double *c;   /* [4(n-1)] coefficients, piece by piece                         */
  const double *sum; /* [n] integral from x[0] to x[k]                                */
  double end[2][2];  /* value and slope used left of x[0] and right of x[n-1]         */
} tni_table;

/* Create in the arena a table through n >= 2 points, x strictly increasing; all values are copied.
 * Returns TN_ERR_INPUT naming the offending point, TN_ERR_MEMORY. */
tn_status tni_table_create(tni_arena *arena, tni_table_kind kind, tni_table_extend extend, int n,
                           const double *x, const double *y, const tni_table **out);

/* y(x), or its derivative of the given order >= 0. At a point where a derivative jumps, the piece
 * to the right counts. */
double tni_table_eval(const tni_table *table, double x, int order);

/* integral of y from x[0] to x, negative or positive as x demands; exact for the interpolant */
double tni_table_integral(const tni_table *table, double x);

/* Building blocks, shared with base/curve.h: slopes at the points of the C2 cubic through them.
 *   natural    n >= 2 points, no curvature at the ends; work[n]
 *   periodic   n >= 3 points y[n] at x[n+1], the period being x[n] - x[0]; work[2n] */
void tni_spline_natural(int n, const double *x, const double *y, double *slope, double *work);
void tni_spline_periodic(int n, const double *x, const double *y, double *slope, double *work);

/* coefficients of the cubic with these values and slopes at 0 and h */
void tni_hermite(double c[4], double h, double y0, double y1, double s0, double s1);

#endif
