/* parallel/halo.c - entries of vectors that neighbouring ranks need of each other
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/halo.h"

#include <stdlib.h>

enum { TAG_HALO = 7001, TAG_SUM = 7002 };

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

/* ---- sums ------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

tn_status tni_halo_sum_create(tni_comm *c, tni_arena *arena, int n, const int *who, const int *at, tni_halo_sum *h) {
  int *from, most = 0;
  *h = (tni_halo_sum){.comm = c};
  TN_TRY(sort(arena, c->size, n, who, at, &from, &h->at));
  TNI_ARENA_NEW(arena, h->peer, c->size);
  TNI_ARENA_NEW(arena, h->from, c->size + 1);
  for (int r = 0; r < c->size; r++) {
    int count = from[r + 1] - from[r];
    if (!count) continue;
    if (count > most) most = count;
    h->peer[h->npeer++] = r;
    h->from[h->npeer] = from[r + 1];
  }
  TNI_ARENA_NEW(arena, h->place, n + 1);
  memcpy(h->place, at, (size_t)n*sizeof(int));
  qsort(h->place, (size_t)n, sizeof(int), ascending);
  for (int i = 0; i < n; i++)
    if (i == 0 || h->place[i] != h->place[h->nplace - 1]) h->place[h->nplace++] = h->place[i];
  for (int i = 0; i < n; i++)
    h->at[i] = (int)((int *)bsearch(&h->at[i], h->place, (size_t)h->nplace, sizeof(int), ascending) - h->place);
  TNI_ARENA_NEW(arena, h->own, h->nplace + 1);
  TNI_ARENA_NEW(arena, h->buffer, most + 1);
  return TN_OK;
}

tn_status tni_halo_add(tni_halo_sum *h, double *x) {
  for (int i = 0; i < h->nplace; i++) {
    h->own[i] = x[h->place[i]];
    x[h->place[i]] = 0;
  }
  for (int p = 0; p < h->npeer; p++) {
    int from = h->from[p], n = h->from[p + 1] - from;
    for (int i = 0; i < n; i++) h->buffer[i] = h->own[h->at[from + i]];
    TN_TRY(tni_comm_send(h->comm, h->peer[p], TAG_SUM, h->buffer, (size_t)n*sizeof(double)));
  }
  for (int p = 0; p <= h->npeer; p++) {
    bool mine = p == h->npeer ? h->npeer == 0 || h->peer[p - 1] < h->comm->rank
                              : h->peer[p] > h->comm->rank && (p == 0 || h->peer[p - 1] < h->comm->rank);
    for (int i = 0; i < h->nplace && mine; i++) x[h->place[i]] += h->own[i];
    if (p == h->npeer) break;
    int from = h->from[p], n = h->from[p + 1] - from;
    TN_TRY(tni_comm_receive(h->comm, h->peer[p], TAG_SUM, h->buffer, (size_t)n*sizeof(double)));
    for (int i = 0; i < n; i++) x[h->place[h->at[from + i]]] += h->buffer[i];
  }
  return TN_OK;
}
