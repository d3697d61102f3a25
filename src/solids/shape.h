/* solids/shape.h - shape functions of cells and rules of integration over them
 *
 * Coordinates of a cell: lines, squares and cubes -1..1 in each; triangles and tetrahedra 0..1 with the first corner
 * at the origin; a wedge is a triangle times a line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SHAPE_H
#define TNI_SHAPE_H

#include "mesh/cell.h"

enum { TNI_RULE_MAX = 27 };

/* by how many points along a line of a tensor product, or in a triangle or tetrahedron */
typedef enum {
  TNI_RULE_1,      /* one in the middle                                                       */
  TNI_RULE_LOW,    /* 2 a direction; tet 4, tri 3; wedge 3 x 2                                 */
  TNI_RULE_MID,    /* as HIGH, but wedge 3 x 3                                                */
  TNI_RULE_HIGH,   /* 3 a direction; tet 27 (product rule), tri 6; wedge 6 x 3                */
  TNI_RULE_AXIS    /* wedges: 2 along the axis; as LOW otherwise                              */
} tni_rule;

typedef struct tni_rule_points {
  int n;
  double xi[TNI_RULE_MAX][3], w[TNI_RULE_MAX];
} tni_rule_points;

int tni_shape_nnode(tni_cell cell);
int tni_shape_dim(tni_cell cell);
/* N [nnode], dN [nnode][3] by the coordinates of the cell (unused ones 0) */
void tni_shape(tni_cell cell, const double xi[3], double *N, double (*dN)[3]);
void tni_rule_of(tni_cell cell, tni_rule rule, tni_rule_points *out);
/* the same shape with corners only: hex20 -> hex8 */
tni_cell tni_shape_corners(tni_cell cell);
/* coordinates of a node */
void tni_shape_node(tni_cell cell, int node, double xi[3]);

#endif
