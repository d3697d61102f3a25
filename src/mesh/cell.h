/* mesh/cell.h - shapes of elements: their nodes, faces and edges, and what file formats call them
 *
 * A cell is the shape alone; what is computed on it is a solid (solids/solid.h). Corners come first,
 * numbered as Gmsh, VTK and Abaqus do, then the middles of edges in the order of the table of edges.
 *
 *   hex20   edges 01 12 23 30 45 56 67 74 04 15 26 37     tet10   01 12 20 03 13 23
 *   wedge15 01 12 20 34 45 53 03 14 25                    quad8, tri6, line3 in turn
 *
 * Where a format numbers middles otherwise, its reader permutes; inside, this order holds. Nodes of a face are
 * listed so that its normal points out of the cell; of an edge of a plane cell, so that the cell lies to the left.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CELL_H
#define TNI_CELL_H

#include "base/base.h"

typedef enum {
  TNI_CELL_POINT, TNI_CELL_LINE2, TNI_CELL_LINE3, TNI_CELL_TRI3, TNI_CELL_TRI6, TNI_CELL_QUAD4,
  TNI_CELL_QUAD8, TNI_CELL_TET4, TNI_CELL_TET10, TNI_CELL_WEDGE6, TNI_CELL_WEDGE15, TNI_CELL_HEX8,
  TNI_CELL_HEX20, TNI_NCELL
} tni_cell;

enum { TNI_CELL_MAXNODE = 20, TNI_CELL_MAXFACE = 6, TNI_CELL_MAXFACENODE = 8, TNI_CELL_MAXEDGE = 12 };

typedef struct tni_cell_shape {
  const char *name;             /* "hex8"                                                       */
  int dim, order;               /* of the cell itself: 0..3; 1 or 2                              */
  int nnode, ncorner;
  int nface;                    /* faces of a solid, edges of a plane cell, ends of a line       */
  tni_cell face_cell[TNI_CELL_MAXFACE];
  signed char face[TNI_CELL_MAXFACE][TNI_CELL_MAXFACENODE];
  int vtk, gmsh;                /* numbers of the type in these formats                          */
  int nedge;                    /* of a line: itself                                             */
  signed char edge[TNI_CELL_MAXEDGE][3]; /* two corners and the node between, of order 1: -1     */
} tni_cell_shape;

extern const tni_cell_shape tni_cell_shapes[TNI_NCELL];

static inline const tni_cell_shape *tni_cell_of(tni_cell c) { return &tni_cell_shapes[c]; }

/* the cell of that name, -1: none; the cell of order 2 with the same corners (and back), -1: none */
int tni_cell_named(const char *name);
int tni_cell_of_order(tni_cell c, int order);

/* Shape functions N [nnode] and derivatives dN [nnode][3] (unused directions 0) at reference coordinates r:
 * lines, quads, hexes in [-1, 1]; triangles and tets r, s, t >= 0, r + s + t <= 1, node 0 at the origin; wedges the triangle
 * in r, s and t in [-1, 1]. Either of N, dN may be NULL. */
void tni_cell_interpolate(tni_cell c, const double r[3], double *N, double (*dN)[3]);
/* reference coordinates of the nodes [nnode][3] */
const double (*tni_cell_reference(tni_cell c))[3];
/* Points [n][3] and weights [n] of a rule that integrates volumes of cells with straight and curved edges
 * exactly (jacobians of order 2 included); at most TNI_CELL_MAXRULE. Returns n. */
enum { TNI_CELL_MAXRULE = 27 };
int tni_cell_rule(tni_cell c, double (*r)[3], double *weight);

#endif
