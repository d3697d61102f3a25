/* linsolve/fill.h - block pattern of the reduced matrix, its numbering and its fill
 *
 * Vertices are the constraint blocks 0..nblock-1, followed by the hub bodies (bodies that are kept
 * as unknowns instead of being eliminated, see reduced.c). Hubs are numbered last.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FILL_H
#define TNI_FILL_H

#include "linsolve/kkt.h"
#include "topology/ordering.h"

/* blocks on each body: the transpose of incadr, incbody */
typedef struct tni_body_blocks {
  int *adr;   /* [nbody+1]                            */
  int *inc;   /* incidence, by increasing block       */
  int *block; /* constraint block of that incidence   */
} tni_body_blocks;

tn_status tni_body_blocks_build(const tni_kkt *K, tni_arena *arena, tni_body_blocks *out);

typedef struct tni_fill {
  int n;         /* vertices, hubs included                                                  */
  int nhub;
  int *size;     /* [n] scalar rows of the vertex numbered k                                 */
  int *order;    /* [n] vertex numbered k                                                    */
  int *position; /* [n] number of a vertex                                                   */
  int *adr;      /* [n+1] rows below the diagonal in column k of the factor, block positions */
  int *row;      /* [adr[n]] increasing per column                                           */
  long work;     /* block operations of one factorization                                    */
  double cost;   /* estimated time of forming and factoring, to compare numberings and hubs   */
  tni_profile profile;
  const char *ordering;
} tni_fill;

/* no numbering costs this much */
#define TNI_FILL_HUGE 1e300

/* Number the vertices and find the fill. hub: [nhub] bodies kept as unknowns, in the order of
 * their numbers. TNI_ORDER_AUTO tries all and keeps the cheapest. */
tn_status tni_fill_build(const tni_kkt *K, const tni_body_blocks *on, const int *hub, int nhub,
                         tni_ordering ordering, tni_arena *arena, tni_fill *out);

/* The same for a numbering in pieces that do not touch each other and a border numbered last (tni_order_pieces).
 * piece: [n] of the vertex numbered k, -1 in the border, from the scratch arena. */
tn_status tni_fill_in_pieces(const tni_kkt *K, const tni_body_blocks *on, int npiece, tni_arena *arena,
                             tni_arena *scratch, tni_fill *out, int **piece);

#endif
