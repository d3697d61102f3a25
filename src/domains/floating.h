/* domains/floating.h - one domain that may float: its factor, its rigid motions, K^+
 *
 * As many unknowns as there are rigid motions are fixed, well spread (pivots of R^T by columns); then
 *
 *   K^+ = [K_pp^-1 0; 0 0],   p: unknowns that are not fixed
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FLOATING_H
#define TNI_FLOATING_H

#include "domains/domains.h"

typedef struct tni_floating {
  const tni_domain *d;
  int nrigid;
  int *fix;                 /* [nrigid] unknowns                                  */
  double *rigid;            /* [nrigid][n] orthonormal                            */
  tni_sparse_solver *factor; /* NULL: no unknowns                                  */
} tni_floating;

/* number: for messages. TN_SINGULAR: it moves without resistance beyond its rigid motions, or is not stable.
 * TN_ERR_ARGUMENT: it resists what was said to be rigid. */
TN_NODISCARD tn_status tni_floating_create(tn_ctx *ctx, const tni_domain *d, int number, tni_arena *arena, tni_floating *out);
void tni_floating_destroy(tni_floating *f);
void tni_floating_solve(const tni_floating *f, int nrhs, double *x); /* x [nrhs][n] := K^+ x */

#endif
