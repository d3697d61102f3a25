/* mesh/colour.h - cells in sets of which no two share a node, so that a set can be assembled by many threads at once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COLOUR_H
#define TNI_COLOUR_H

#include "mesh/mesh.h"

/* Cells by colour, inside a colour by block and number: cells list [from[k]] .. [from[k+1]-1] have colour k. */
typedef struct tni_mesh_colours {
  int n;         /* colours                          */
  int *colour;   /* [ncell]                          */
  int *from;     /* [n+1]                            */
  int *cell;     /* [ncell]                          */
} tni_mesh_colours;

/* First fit in the order of the cells, then cells of the larger sets move to smaller ones where no node forbids it. */
TN_NODISCARD tn_status tni_mesh_colour(const tni_mesh *m, tni_arena *arena, tni_mesh_colours *out);

#endif
