/* system/pieces.h - structures divided among ranks: every rank moves a piece
 *
 * Models without bodies, constraints and forces, whose parts can be cut (tni_part_ops.piece). The whole stays on every rank; beside it stands a
 * system of the rank's pieces, with unknowns of its own, that knows the communicator: its forces, energies, powers and
 * largest frequency are sums and maxima over all ranks, and nodes at cuts move with the same bits wherever they are. Whoever steps the
 * pieces brings their state to the whole when somebody wants to look.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PIECES_H
#define TNI_PIECES_H

#include "mesh/decompose.h"
#include "model/part.h"
#include "parallel/comm.h"
#include "system/system.h"

typedef struct tni_pieces {
  tn_ctx *ctx;
  tni_comm *comm;
  tni_arena arena;
  tni_data *whole;        /* borrowed                                        */
  tn_model model;         /* of the pieces                                   */
  tni_data *s;            /* they in a system                                */
  tni_part_piece *piece;  /* [parts]                                         */
  int *from, *next;       /* [ranks+1] owned unknowns of ranks in a row      */
  int *memory_from;       /* [ranks+1] the same of history                   */
  double *buffer;
  struct tni_node_share *share; /* [parts] sums at nodes of cuts             */
  int shared;             /* unknowns of this rank that others have too      */
  int peers;              /* ranks that have them                            */
} tni_pieces;

/* By a rule of mesh/decompose.h, the first rank's. All ranks call it; they agree on what happens. TN_ERR_UNSUPPORTED: what cannot be
 * divided, and why. */
TN_NODISCARD tn_status tni_pieces_create(tni_data *whole, tni_cut rule, tni_pieces **out);
void tni_pieces_destroy(tni_pieces **p);

/* [nv] of the whole to that of the pieces; back, by all ranks alike */
void tni_pieces_divide(const tni_pieces *p, const double *whole, double *mine);
TN_NODISCARD tn_status tni_pieces_collect(tni_pieces *p, const double *mine, double *whole);
/* history of the whole (its data) to that of the pieces; back */
void tni_pieces_divide_memory(tni_pieces *p);
TN_NODISCARD tn_status tni_pieces_collect_memory(tni_pieces *p);

/* Field i of part k where the pieces stand, at the nodes of its piece; all ranks alike. first: of a state that nobody has asked about before. False:
 * another rank has failed. */
bool tni_pieces_fill(tni_pieces *p, int k, int i, bool first, double *out);

#endif
