/* domains/coarse.h - rigid motions of every domain as a second level for conjugate gradients
 *
 *   z := z + W E^-1 (W^T r - (K W)^T z),   E = W^T K W
 *
 * W has the translations and rotations of each domain, at unknowns that several have in equal shares, so that they add up to motions of the whole.
 * What one level smooths slowly, motions of domains against each other, is solved for at once: iterations then depend on the size of domains
 * in cells, not on their number. K W is not zero only along borders and supports where matrices are stiffnesses, and kept as lists.
 *
 * Source: deflation (Nicolaides 1987), adapted as in Tang, Nabben, Vuik and Erlangga 2009 (A-DEF2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COARSE_H
#define TNI_COARSE_H

#include "domains/domains.h"

enum { TNI_COARSE_MOST = 800 }; /* domains: E is dense, six rows each */

typedef struct tni_coarse tni_coarse;

/* Borrowed, in the arena; called by all ranks together. TN_ERR_UNSUPPORTED: too many domains, places of unknowns not known. */
TN_NODISCARD tn_status tni_coarse_create(const tni_domains *d, const tni_border *border, const int *from, tni_arena *arena, tni_coarse **out);
/* r, z: pieces, copies equal, before and after; z NULL of zeros: from nothing. By all ranks together. */
void tni_coarse_correct(tni_coarse *c, const double *r, double *z, bool from_zero);
int tni_coarse_size(const tni_coarse *c); /* independent motions */

#endif
