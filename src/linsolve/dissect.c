/* linsolve/dissect.c - order of elimination by nested dissection of the graph of the nodes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/dissect.h"

#include <metis.h>

#include "base/late.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with indices of 32 bits");

tn_status tni_node_graph_of(const tni_sparse_solver *s, tni_arena *a, tni_node_graph *out) {
  const int *node = s->opts.node;
  int n = node ? node[s->n - 1] + 1 : s->n, *first, *seen, *adr, *other;
  TNI_ARENA_NEW(a, first, n + 1);
  TNI_ARENA_NEW(a, seen, n);
  TNI_ARENA_NEW(a, adr, n + 1);
  for (int j = s->n - 1; j >= 0; j--) first[node ? node[j] : j] = j;
  first[n] = s->n;
  TNI_ARENA_NEW(a, other, (size_t)s->ptr[s->n] + 1);
  for (int v = 0; v < n; v++) seen[v] = -1;
  for (int v = 0; v < n; v++) {
    adr[v+1] = adr[v];
    seen[v] = v;
    for (int k = s->ptr[first[v]]; k < s->ptr[first[v+1]]; k++) {
      int u = node ? node[s->ind[k]] : s->ind[k];
      if (seen[u] == v) continue;
      seen[u] = v;
      other[adr[v+1]++] = u;
    }
  }
  *out = (tni_node_graph){n, first, adr, other};
  return TN_OK;
}

tn_status tni_dissect(tn_ctx *ctx, const tni_node_graph *g, tni_arena *scratch, int *place) {
  int *perm, *adr, *other;
  idx_t options[METIS_NOPTIONS], count = g->n;
  TNI_ARENA_NEW(scratch, perm, g->n);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  /* METIS does not like graphs without edges */
  if (g->adr[g->n] == 0) {
    for (int v = 0; v < g->n; v++) place[v] = v;
    return TN_OK;
  }
  /* and may write into what it is given */
  TNI_ARENA_NEW(scratch, adr, g->n + 1);
  TNI_ARENA_NEW(scratch, other, g->adr[g->n]);
  memcpy(adr, g->adr, ((size_t)g->n + 1)*sizeof(int));
  memcpy(other, g->other, (size_t)g->adr[g->n]*sizeof(int));
  tni_alone_begin();
  int status = METIS_NodeND(&count, adr, other, NULL, options, perm, place);
  tni_alone_end();
  return status == METIS_OK ? TN_OK : tni_out_of_memory(ctx);
}
