/* topology/ordering.h - numbering of the vertices of a graph for narrow envelopes
 *
 * The graph is the block pattern of the reduced matrix: vertices are constraint blocks (joints),
 * edges join blocks that share a moving body. Algorithms: topology-linear-solver spec, section 9.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ORDERING_H
#define TNI_ORDERING_H

#include "base/base.h"

/* undirected graph by compressed rows, no self loops, both directions stored */
typedef struct tni_graph {
  int n;
  const int *adr; /* [n+1]                    */
  const int *adj; /* [adr[n]] sorted per row  */
  const int *weight; /* [n] rows of each vertex, or NULL: all count 1. Orderings then keep few rows together instead of
                        few vertices (spec 9.5) */
} tni_graph;

/* bandwidth (25), envelope (26), work (27) of a numbering; order[k] = vertex numbered k */
typedef struct tni_profile {
  int bandwidth;
  long envelope, work;
} tni_profile;
void tni_graph_profile(const tni_graph *g, const int *order, const int *position, tni_profile *out);

/* each writes order [n]; scratch comes from the arena */
tn_status tni_order_rcm(const tni_graph *g, tni_arena *arena, int *order);
tn_status tni_order_gps(const tni_graph *g, tni_arena *arena, int *order);
tn_status tni_order_gk(const tni_graph *g, tni_arena *arena, int *order);
tn_status tni_order_md(const tni_graph *g, tni_arena *arena, int *order);
/* Pieces that no edge joins, and a border between them numbered last: nested dissection by levels of distance,
 * each half eliminated from its far end towards its border, so that halving a chain makes no fill. npiece: a power of
 * 2, pieces may be empty. piece [n]: of each vertex, -1 in the border. */
tn_status tni_order_pieces(const tni_graph *g, int npiece, tni_arena *arena, int *order, int *piece);

#endif
