/* linsolve/dissect.h - order of elimination by nested dissection of the graph of the nodes
 *
 * The graph of the nodes is smaller than that of the unknowns by the square of their number at a node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DISSECT_H
#define TNI_DISSECT_H

#include "linsolve/sparse.h"

typedef struct tni_node_graph {
  int n;        /* nodes                                                     */
  int *first;   /* [n+1] first unknown                                       */
  int *adr;     /* [n+1] neighbours, both directions, without loops          */
  int *other;
} tni_node_graph;

/* arrays from the arena */
tn_status tni_node_graph_of(const tni_sparse_solver *s, tni_arena *arena, tni_node_graph *out);
/* place [n]: of each node in the elimination, by METIS; the same for the same graph */
tn_status tni_dissect(tn_ctx *ctx, const tni_node_graph *g, tni_arena *scratch, int *place);

#endif
