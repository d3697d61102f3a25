/* mesh/skin.h - which faces and cells touch each other, the outside of a mesh, triangles and lines for pictures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SKIN_H
#define TNI_SKIN_H

#include "mesh/mesh.h"

/* Every face (dim 3) or edge (dim 2) of the cells of one dimension once, with the cells that have it: the first two,
 * and how many there are. Faces in the order in which the cells bring them. */
typedef struct tni_mesh_faces {
  int n;
  int (*cell)[2];          /* [n] second: -1 on the boundary                                 */
  signed char (*face)[2];  /* [n] number of the face in either                               */
  int *count;              /* [n] cells that have it; more than two: branching shells, or an error */
} tni_mesh_faces;

TN_NODISCARD tn_status tni_mesh_faces_create(const tni_mesh *m, int dim, tni_arena *arena, tni_mesh_faces *out);

/* Faces of solids that one cell has, shells and plane cells themselves (face TNI_FACE_POSITIVE); cut into triangles that
 * keep the nodes of second order, counter-clockwise seen from outside. */
typedef struct tni_skin {
  int nface;
  int *cell;          /* [nface]                                                             */
  signed char *face;  /* [nface]                                                             */
  int ntri;
  int (*tri)[3];      /* [ntri] nodes of the mesh                                            */
  int *tri_face;      /* [ntri] which face of the skin                                       */
  int nedge;
  int (*edge)[2];     /* [nedge] edges of these faces and line cells, each once, cut at nodes between; nodes */
  signed char *sharp; /* [nedge] 1: boundary of a surface, fold of more than 30 degrees, or a line cell     */
  int nnode;
  int *node;          /* [nnode] ascending: nodes that any of these use                      */
} tni_skin;

TN_NODISCARD tn_status tni_skin_create(const tni_mesh *m, tni_arena *arena, tni_skin *out);

/* compressed lists: of i the entries from[i] .. from[i+1]-1 of to, ascending */
typedef struct tni_mesh_graph {
  int n;
  int *from, *to;
} tni_mesh_graph;

/* node: the cells that have it */
TN_NODISCARD tn_status tni_mesh_cells_of_nodes(const tni_mesh *m, tni_arena *arena, tni_mesh_graph *out);
/* node: the other nodes of its cells (pattern of a matrix) */
TN_NODISCARD tn_status tni_mesh_nodes_of_nodes(const tni_mesh *m, tni_arena *arena, tni_mesh_graph *out);
/* Cell: cells that share at least `common` nodes with it (1: any; 0: a whole face or edge of the cell of lower
 * dimension, corners counted, so that order 2 does not matter). */
TN_NODISCARD tn_status tni_mesh_cells_of_cells(const tni_mesh *m, int common, tni_arena *arena, tni_mesh_graph *out);
/* parts that hang together by nodes: component [ncell] from 0; returns how many */
TN_NODISCARD tn_status tni_mesh_components(const tni_mesh *m, tni_arena *arena, int *component, int *count);

#endif
