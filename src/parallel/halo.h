/* parallel/halo.h - entries of vectors that neighbouring ranks need of each other
 *
 * Exchange: a vector has the same places on all ranks, each of which keeps its own part of them up to date and some others that it
 * looks at. An exchange brings those.
 *
 * Sum: every rank has a vector of its own, some places of which other ranks have too, and each of them knows a share of their value. The
 * shares are added by ascending rank, the own one in its turn: all copies get the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_HALO_H
#define TNI_HALO_H

#include "parallel/comm.h"

typedef struct tni_halo {
  tni_comm *comm;
  int npeer;
  int *peer;                  /* [npeer] ranks, ascending                                  */
  int *send_from, *send_at;   /* [npeer+1]; places whose values the peer needs             */
  int *take_from, *take_at;   /* [npeer+1]; places that come from the peer                 */
  double *buffer;
} tni_halo;

/* Begins with nothing; then pairs (other rank, place) in the order of places: what this rank sends, what it takes. The places that rank a
 * sends to b must be those that b takes from a, in the same order. n: how many; who, at [n]; copied. */
TN_NODISCARD tn_status tni_halo_create(tni_comm *c, tni_arena *arena, int nsend, const int *send_who, const int *send_at, int ntake,
                                       const int *take_who, const int *take_at, tni_halo *out);
/* one message to every peer that needs something; no peers: nothing happens */
TN_NODISCARD tn_status tni_halo_exchange(tni_halo *h, double *x);

typedef struct tni_halo_sum {
  tni_comm *comm;
  int npeer;
  int *peer;           /* [npeer] ranks, ascending                                                */
  int *from, *at;      /* [npeer+1]; for each peer, index into place                              */
  int nplace;
  int *place;          /* [nplace] of the vector, that others have too, ascending                 */
  double *own, *buffer;
} tni_halo_sum;

/* pairs (other rank, place) in an order that both ranks of a pair agree on without a word; n: how many, copied */
TN_NODISCARD tn_status tni_halo_sum_create(tni_comm *c, tni_arena *arena, int n, const int *who, const int *at, tni_halo_sum *out);
/* one message to every peer and back; allocates nothing */
TN_NODISCARD tn_status tni_halo_add(tni_halo_sum *h, double *x);

#endif
