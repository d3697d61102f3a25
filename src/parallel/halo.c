/* parallel/halo.c - entries of vectors that neighbouring ranks need of each other
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/halo.h"

enum { TAG_HALO = 7001 };

/* places by rank, in the order in which they were given; from [size+1] */
static tn_status sort(tni_arena *arena, int size, int n, const int *who, const int *at, int **from, int **sorted) {
  int *f, *s;
  TNI_ARENA_NEW(arena, f, size + 2);
  TNI_ARENA_NEW(arena, s, n + 1);
  for (int i = 0; i < n; i++) f[who[i] + 2]++;
  for (int r = 1; r <= size; r++) f[r + 1] += f[r];
  for (int i = 0; i < n; i++) s[f[who[i] + 1]++] = at[i];
  *from = f;
  *sorted = s;
  return TN_OK;
}

tn_status tni_halo_create(tni_comm *c, tni_arena *arena, int nsend, const int *send_who, const int *send_at, int ntake, const int *take_who,
                          const int *take_at, tni_halo *h) {
  int *from[2], most = 0;
  *h = (tni_halo){.comm = c};
  TN_TRY(sort(arena, c->size, nsend, send_who, send_at, &from[0], &h->send_at));
  TN_TRY(sort(arena, c->size, ntake, take_who, take_at, &from[1], &h->take_at));
  TNI_ARENA_NEW(arena, h->peer, c->size);
  TNI_ARENA_NEW(arena, h->send_from, c->size + 1);
  TNI_ARENA_NEW(arena, h->take_from, c->size + 1);
  for (int r = 0; r < c->size; r++) {
    int n[2] = {from[0][r + 1] - from[0][r], from[1][r + 1] - from[1][r]};
    if (n[0] > most) most = n[0];
    if (n[1] > most) most = n[1];
    if (!n[0] && !n[1]) continue;
    h->peer[h->npeer++] = r;
    h->send_from[h->npeer] = from[0][r + 1];
    h->take_from[h->npeer] = from[1][r + 1];
  }
  TNI_ARENA_NEW(arena, h->buffer, most + 1);
  return TN_OK;
}

tn_status tni_halo_exchange(tni_halo *h, double *x) {
  for (int p = 0; p < h->npeer; p++) {
    int from = h->send_from[p], n = h->send_from[p + 1] - from;
    if (!n) continue;
    for (int i = 0; i < n; i++) h->buffer[i] = x[h->send_at[from + i]];
    TN_TRY(tni_comm_send(h->comm, h->peer[p], TAG_HALO, h->buffer, (size_t)n*sizeof(double)));
  }
  for (int p = 0; p < h->npeer; p++) {
    int from = h->take_from[p], n = h->take_from[p + 1] - from;
    if (!n) continue;
    TN_TRY(tni_comm_receive(h->comm, h->peer[p], TAG_HALO, h->buffer, (size_t)n*sizeof(double)));
    for (int i = 0; i < n; i++) x[h->take_at[from + i]] = h->buffer[i];
  }
  return TN_OK;
}
