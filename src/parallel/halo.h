/* parallel/halo.h - entries of vectors that neighbouring ranks need of each other
 *
 * A vector has the same places on all ranks, each of which keeps its own part of them up to date and some others that it looks
 * at. An exchange brings those.
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

#endif
