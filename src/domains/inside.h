/* domains/inside.h - a domain split at its border, its interior factored
 *
 *   K_s = [ K_bb  K_bi ]     S_s = K_bb - K_bi K_ii^-1 K_ib
 *         [ K_ib  K_ii ]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INSIDE_H
#define TNI_INSIDE_H

#include "domains/domains.h"

typedef struct tni_inside {
  tni_block ib, bb;          /* rows interior or border, columns border               */
  tni_sparse_solver *factor; /* of ii; NULL: no interior, or not asked for            */
  double *z;                 /* [ni]                                                  */
} tni_inside;

/* TNI_INSIDE_BORDER: bb and nothing else. any: the interior may have negative eigenvalues, which inertia of the factor then tells. */
typedef enum { TNI_INSIDE_ALL, TNI_INSIDE_BORDER } tni_inside_what;

/* number: for messages; scratch [n of d] all -1, left so. TN_SINGULAR: the interior moves though its border is held. */
TN_NODISCARD tn_status tni_inside_create(tn_ctx *ctx, const tni_domain *d, const tni_border *border, int number, tni_inside_what what, bool any,
                                         int *scratch, tni_arena *arena, tni_inside *out);
void tni_inside_destroy(tni_inside *p);
void tni_inside_solve(const tni_inside *p, int n, double *z);                    /* z [n][ni] := K_ii^-1 z                 */
void tni_inside_multiply(const tni_inside *p, const double *x, double *y);       /* y := S_s x; K_bb x without an interior */

#endif
