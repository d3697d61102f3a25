/* solids/slabs.h - the elements of a block in rows that threads may take
 *
 * A slab is a row of elements as they are numbered, so that neighbours meet in the cache. Slabs of one colour share no node: they are
 * evaluated at the same time, colour after colour. What comes together at a node is then added in an order that knows no threads.
 * Meshes whose numbers jump have as many colours as slabs, and one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SLABS_H
#define TNI_SLABS_H

#include "base/base.h"

enum { TNI_SLABS_MOST = 16 };

typedef struct tni_slabs {
  int n, ncolour;
  int begin[TNI_SLABS_MOST + 1];  /* elements of slab i: begin[i] .. begin[i+1]-1 */
  int adr[TNI_SLABS_MOST + 1];    /* [ncolour+1] slabs of a colour within `slab`   */
  int slab[TNI_SLABS_MOST];
} tni_slabs;

/* n elements with nnode nodes each, of `nodes` nodes in all. TN_ERR_MEMORY */
tn_status tni_slabs_make(tn_ctx *ctx, int n, int nnode, const int *node, int nodes, tni_slabs *out);

#endif
