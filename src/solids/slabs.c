/* solids/slabs.c - the elements of a block in rows that threads may take
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/slabs.h"

#include <stdint.h>

/* elements below which a slab is not worth a thread; a multiple of what is evaluated at once */
enum { SMALL = 256, TOGETHER = 8 };

tn_status tni_slabs_make(tn_ctx *ctx, int n, int nnode, const int *node, int nodes, tni_slabs *out) {
  int count = n/SMALL < 1 ? 1 : n/SMALL > TNI_SLABS_MOST ? TNI_SLABS_MOST : n/SMALL;
  uint16_t *users = tni_alloc(ctx, (size_t)nodes + 1, sizeof(*users)), beside[TNI_SLABS_MOST] = {0};
  int colour[TNI_SLABS_MOST];
  if (!users) return tni_out_of_memory(ctx);
  *out = (tni_slabs){.n = count};
  for (int i = 1; i <= count; i++) {
    out->begin[i] = i == count ? n : (int)((double)n*i/count)/TOGETHER*TOGETHER;
    for (size_t k = (size_t)out->begin[i-1]*(size_t)nnode; k < (size_t)out->begin[i]*(size_t)nnode; k++)
      users[node[k]] |= (uint16_t)(1u << (i - 1));
  }
  for (int k = 0; k < nodes; k++)
    for (int i = 0; i < count && users[k]; i++)
      if (users[k] >> i & 1) beside[i] |= users[k];
  tni_free(ctx, users);
  for (int i = 0; i < count; i++) {
    unsigned taken = 0;
    for (int k = 0; k < i; k++)
      if (beside[i] >> k & 1) taken |= 1u << colour[k];
    colour[i] = 0;
    while (taken >> colour[i] & 1) colour[i]++;
    if (colour[i] >= out->ncolour) out->ncolour = colour[i] + 1;
  }
  for (int c = 0, at = 0; c < out->ncolour; c++) {
    for (int i = 0; i < count; i++)
      if (colour[i] == c) out->slab[at++] = i;
    out->adr[c + 1] = at;
  }
  return TN_OK;
}
