/* linsolve/chain.h - elimination of a chain of blocks with conditions at both ends
 *
 *   element e = 1 .. n      [ I_e | S_e | R_e ] (x_e, Z_(e-1), Z_e) = r_e          rows = inner + nz
 *   ends                    [ B_0 | B_n ] (Z_0, Z_n) = b                            nz rows
 *
 * x_e are unknowns of the element alone, Z_e those that it shares with the next. Orthogonal elimination (Householder): first x_e
 * within each element, then Z_b between two neighbouring blocks on (Z_a, Z_b) and (Z_b, Z_c), which leaves one on (Z_a, Z_c). Diagonal
 * blocks need not be regular, only the whole.
 *
 * Elements are put into groups of neighbours. Within a group they are merged from left to right, groups by themselves (threads, or
 * ranks with one message of nz (2 nz + 1) numbers per level), then pairwise: a tree whose shape is `groups` alone. The result is the same
 * bit for bit for a given tree, whoever does the work.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CHAIN_H
#define TNI_CHAIN_H

#include "base/base.h"

typedef struct tni_chain tni_chain;

tn_status tni_chain_create(tn_ctx *ctx, int n, int nz, int inner, int groups, tni_chain **out);
void tni_chain_destroy(tni_chain **c);

/* Rows of element e, [inner + nz][inner + 2 nz + 1] row by row, right side last; and of the ends [nz][2 nz + 1]: to be
 * written before a solution, which overwrites them. */
double *tni_chain_element(tni_chain *c, int e);
double *tni_chain_ends(tni_chain *c);

/* TN_SINGULAR: the whole is. */
tn_status tni_chain_solve(tni_chain *c);
const double *tni_chain_shared(const tni_chain *c, int e); /* Z_e [nz], e = 0 .. n */
const double *tni_chain_inner(const tni_chain *c, int e);  /* x_e [inner], e = 0 .. n-1 */

/* what the last solution did: products and sums of all, and along the longest way through the tree; levels of groups */
typedef struct tni_chain_work {
  double flops, critical;
  int levels, merges;
} tni_chain_work;
tni_chain_work tni_chain_count(const tni_chain *c);

#endif
