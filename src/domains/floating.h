/* domains/floating.h - one domain that may float: its factor, its rigid motions, K^+
 *
 * As many unknowns as there are rigid motions are fixed, well spread (pivots of R^T by columns); then
 *
 *   K^+ = [K_pp^-1 0; 0 0],   p: unknowns that are not fixed
 *
 * Motions that geometry does not know, of lattices and of pieces that hang together at single nodes, are what is left without pivots: they are
 * found by a factorization that tells its null space, checked like the others, and fixed as well. A domain under stress resists turning: its
 * own forces turn with it. Its motions are then those that need no forces but at what is fixed,
 *
 *   R = [-K_pp^-1 K_pf; I] R_f,   K R = 0 in p,   S = R^T K R,   K = K_p + terms of S: u = K^+ (...) + R a with S a = R^T (...)
 *
 * and S is zero where nothing is stressed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FLOATING_H
#define TNI_FLOATING_H

#include "domains/domains.h"

typedef struct tni_floating {
  const tni_domain *d;
  int nrigid, nextra;       /* motions; those among them that geometry does not know */
  int *fix;                 /* [nrigid] unknowns                                  */
  double *rigid;            /* [nrigid][n] orthonormal, but for what stresses change */
  double *resist;           /* [nrigid][nrigid] S; NULL: zero                     */
  tni_sparse_solver *factor; /* NULL: no unknowns                                  */
} tni_floating;

typedef struct tni_floating_opts {
  bool mechanisms; /* motions beyond the rigid ones are looked for                    */
  bool stressed;   /* the rigid ones may be resisted                                  */
} tni_floating_opts;

/* number: for messages. TN_SINGULAR: it moves without resistance beyond its rigid motions (and, with `mechanisms`, no more can be made of that), or
 * is not stable. TN_ERR_ARGUMENT: it resists what was said to be rigid. */
TN_NODISCARD tn_status tni_floating_create(tn_ctx *ctx, const tni_domain *d, int number, const tni_floating_opts *opts, tni_arena *arena, tni_floating *out);
void tni_floating_destroy(tni_floating *f);
void tni_floating_solve(const tni_floating *f, int nrhs, double *x); /* x [nrhs][n] := K^+ x */

#endif
