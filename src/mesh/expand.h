/* mesh/expand.h - shells, beams and plane stress of decks as the solids that CalculiX makes of them
 *
 * Every element becomes one layer of solids of the same number, every node of it (original node) becomes the nodes across its
 * thickness or around its section (a way). Where the elements at a node differ in normal, thickness, offset or kind there are several
 * ways, held together by a knot: a rigid body with its centre at the original node, that may grow. The rules are those of the manual
 * of CalculiX ("Eight-node shell element", "Three-node beam element", "Expansion of the one-dimensional and two-dimensional
 * elements", "Mathematical description of a knot"). What ties the new nodes to the original ones is the deck's business.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EXPAND_H
#define TNI_EXPAND_H

#include "mesh/deck.h"

typedef enum { TNI_WAY_SHELL, TNI_WAY_BEAM, TNI_WAY_PLANE } tni_way_kind;
enum { TNI_WAY_NODES = 8 };

typedef struct tni_way {
  tni_way_kind kind;
  int node[TNI_WAY_NODES];  /* shell, plane: bottom, middle, top; beam: corners [4], middles of sides [4]; -1: there is none       */
  double place[TNI_WAY_NODES]; /* of the nodes of a shell along its normal, from the original node                                */
  double n1[3], n2[3];      /* shell: n2 is the normal; beam: local directions                                                   */
  double t[2], offset[2];   /* thickness, offset in parts of it; shell: [0]                                                      */
  bool linear;              /* elements of order 1                                                                               */
  bool round;               /* section of a beam                                                                                 */
  int cells;                /* elements that go this way                                                                         */
} tni_way;

typedef struct tni_expanded {
  int first, n;             /* ways; n = 0: the node is as it was                                                                */
  int turn, stretch;        /* nodes of a knot: its rotation, how much it grows; -1: no knot                                     */
  bool flat;                /* the knot of beams: grows within the plane of the first way, by three numbers; else alike to all sides */
} tni_expanded;

typedef struct tni_expansion {
  tni_arena arena;
  tn_ctx *ctx;
  int nnode;                /* original ones: the first of the mesh                                                              */
  tni_expanded *node;
  int nway;
  tni_way *way;
} tni_expansion;

void tni_expansion_destroy(tni_expansion **x);

/* *out NULL: there is nothing to expand. Sections, normals and thicknesses come from the cards of the deck; what is missing or not
 * known there is TN_ERR_INPUT with file and line. expansion may be NULL. */
TN_NODISCARD tn_status tni_inp_expand(const tni_mesh *flat, const tni_deck *deck, tni_mesh **out, tni_expansion **expansion);

#endif
