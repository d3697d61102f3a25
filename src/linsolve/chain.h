/* linsolve/chain.h - elimination of a chain of blocks with conditions at both ends
 *
 *   element e = 1 .. n      [ I_e | S_e | R_e ] (x_e, Z_(e-1), Z_e) = r_e          rows = inner + nz
 *   ends                    [ B_0 | B_n ] (Z_0, Z_n) = b                            nz rows
 *
 * x_e are unknowns of the element alone, Z_e those that it shares with the next. Orthogonal elimination (Householder): first x_e
 * within each element, then Z_b between two neighbouring blocks on (Z_a, Z_b) and (Z_b, Z_c), which leaves one on (Z_a, Z_c). Diagonal
 * blocks need not be regular, only the whole.
 *
 * Over ranks of a communicator each rank has the elements of one group and makes the merges whose left block is its own.
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
#include "parallel/comm.h"

typedef struct tni_chain tni_chain;

tn_status tni_chain_create(tn_ctx *ctx, int n, int nz, int inner, int groups, tni_chain **out);
/* The part of rank `rank` of as many ranks as groups: elements of its group only. */
tn_status tni_chain_create_part(tn_ctx *ctx, int n, int nz, int inner, int groups, int rank, tni_chain **out);
void tni_chain_destroy(tni_chain **c);
/* elements *first .. *last - 1 are here */
void tni_chain_range(const tni_chain *c, int *first, int *last);

/* Rows of element e, [inner + nz][inner + 2 nz + 1] row by row, right side last; and of the ends [nz][2 nz + 1]: to be
 * written before a solution, which overwrites them. */
double *tni_chain_element(tni_chain *c, int e);
double *tni_chain_ends(tni_chain *c);

/* TN_SINGULAR: the whole is. */
tn_status tni_chain_solve(tni_chain *c);
/* The same by all ranks together, each with its part; the ends are written by rank 0. Afterwards a rank knows the inner unknowns of its
 * elements and the shared ones at their ends. Bits are those of tni_chain_solve with as many groups. */
tn_status tni_chain_solve_ranks(tni_chain *c, tni_comm *comm);
const double *tni_chain_shared(const tni_chain *c, int e); /* Z_e [nz], e = 0 .. n */
const double *tni_chain_inner(const tni_chain *c, int e);  /* x_e [inner], e = 0 .. n-1 */

/* The last solution. Products and sums of all if nothing was zero, and along the longest way through the tree; those done here, the root left
 * out; levels of groups. */
typedef struct tni_chain_work {
  double flops, critical, done;
  int levels, merges;
} tni_chain_work;
tni_chain_work tni_chain_count(const tni_chain *c);

#endif
