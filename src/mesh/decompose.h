/* mesh/decompose.h - cut a mesh into parts of about equal work, and say how good the cut is
 *
 * A part is a set of cells; nodes at cuts belong to several parts. Every rule gives the same parts for the same mesh, whatever the
 * machine and the number of threads.
 *
 *   greedy     Farhat: from a node with few free cells, layer by layer of nodes; compact parts, few nodes at cuts
 *   frontier   the same, always from the node with the fewest free cells: strips, narrow bands
 *   bands      cells numbered by reverse Cuthill-McKee, cut into equal pieces
 *   strips     slices across the longest direction: every part has two neighbours
 *   bisect     halves across the longest side of the box around the cells, again and again
 *   inertia    the same across the axis of least inertia
 *   metis      multilevel cut of the graph of the cells
 *   scotch     the same by another library, where it is installed
 *   best       bisect, between layers of cells where some are near, or metis, whichever leaves fewer nodes at cuts
 *   file       as written: the parts that the mesh came with
 *
 * Source: Farhat 1988, as written down in the parallel finite elements specification, section 2.1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DECOMPOSE_H
#define TNI_DECOMPOSE_H

#include "mesh/mesh.h"
#include "mesh/skin.h"

typedef enum { TNI_CUT_GREEDY, TNI_CUT_FRONTIER, TNI_CUT_BANDS, TNI_CUT_STRIPS, TNI_CUT_BISECT, TNI_CUT_INERTIA, TNI_CUT_METIS, TNI_CUT_SCOTCH, TNI_CUT_BEST,
               TNI_NCUT, TNI_CUT_FILE = TNI_NCUT } tni_cut;

extern const char *const tni_cut_names[TNI_NCUT + 1];
int tni_cut_named(const char *name); /* -1: none */

/* part [ncell] of every cell, 0 .. nparts-1, none empty; weight [ncell] > 0: work of a cell, NULL: all the same. Parts as written (file) that are
 * more come together in fewer, neighbouring numbers in one; TN_ERR_INPUT: they are fewer, or there are none.
 * TN_ERR_ARGUMENT: nparts < 1 or more than there are cells. */
TN_NODISCARD tn_status tni_mesh_decompose(const tni_mesh *m, tni_cut rule, int nparts, const double *weight, int *part);

/* Parts from a text, as METIS writes them: one number from 0 for every cell, in the order of the cells, a line each; lines that
 * begin with # are comments. TN_ERR_INPUT: file:line, what. */
TN_NODISCARD tn_status tni_mesh_parse_parts(const tni_mesh *m, const char *source, const char *text, size_t n, int *part, int *nparts);
TN_NODISCARD tn_status tni_mesh_read_parts(const tni_mesh *m, const char *path, int *part, int *nparts);

/* Every part in one piece, its cells connected by whole faces (edges of plane cells, nodes of lines): pieces that are not the
 * largest of their part go to the neighbour with which they share most. *moved: cells that changed; *pieces: parts that stay in
 * several pieces because the mesh is. */
TN_NODISCARD tn_status tni_mesh_repair(const tni_mesh *m, int nparts, int *part, int *moved, int *pieces);

/* After that: what stays in several pieces becomes several parts, *nparts grows. Pieces that meet at single nodes or edges are hinged there, so that
 * each has motions of its own. */
TN_NODISCARD tn_status tni_mesh_split(const tni_mesh *m, int *nparts, int *part);

/* one part: its cells and nodes, and with whom it shares which nodes; all lists ascending, shared ones by global number, so that
 * both sides have them in the same order */
typedef struct tni_mesh_part {
  int ncell, nnode;
  int *cell, *node;
  int nneighbour;
  int *neighbour;   /* [nneighbour] parts that share a node                                  */
  int *from;        /* [nneighbour+1] into shared                                            */
  int *shared;      /* nodes of the mesh                                                     */
  int nshared;      /* nodes shared with anybody                                             */
} tni_mesh_part;

TN_NODISCARD tn_status tni_mesh_parts_create(const tni_mesh *m, int nparts, const int *part, tni_arena *arena, tni_mesh_part **out);

typedef struct tni_cut_report {
  int nparts;
  int least_cells, most_cells;
  double imbalance;           /* largest weight over mean                                    */
  int interface_nodes;        /* nodes of more than one part                                 */
  double mean_neighbours;     /* sharing any node                                            */
  int most_neighbours;
  double mean_touching;       /* sharing a whole face (edge, node of lines)                  */
  int most_touching;
  int floating;               /* parts without a held node; -1: not asked                    */
  int in_pieces;              /* parts in more than one piece                                */
  double worst_aspect;        /* longest over shortest extent of a part, along its own axes  */
  double global_profile, worst_profile; /* rms of rows of the matrix of nodes after reverse Cuthill-McKee; largest of a part */
  int contention;             /* most cells of one part that address the same neighbour      */
  double exchange;            /* max over parts of latency*neighbours + byte*8*ndof*shared [s] */
} tni_cut_report;

/* held [nnode]: supported nodes, NULL: not asked; ndof: numbers per node, latency [s], byte [s] */
TN_NODISCARD tn_status tni_mesh_cut_examine(const tni_mesh *m, int nparts, const int *part, const double *weight, const char *held, int ndof,
                                            double latency, double byte, tni_cut_report *out);

/* order [n] by reverse Cuthill-McKee from a node far away; components one after the other, smallest number first */
TN_NODISCARD tn_status tni_mesh_order(const tni_mesh_graph *g, tni_arena *arena, int *order);

#endif
