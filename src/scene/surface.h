/* scene/surface.h - what pictures show of a mesh: its skin, edges of elements, groups
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SURFACE_H
#define TNI_SURFACE_H

#include "output/results.h"

/* Nodes that the skin and lines use, renumbered; where there are neither (a group of nodes), all. */
typedef struct tni_surface {
  int nnode;
  int *node;       /* [nnode] of the mesh, ascending                               */
  float *point;    /* [nnode][3] at the beginning                                  */
  double *number;  /* [nnode] as people know them                                  */
  bool solid;      /* the skin is that of solids alone: it has an outside          */
  int nface;
  int *face;       /* [nface][3] triangles of the skin                             */
  int nedge, nsharp;
  int *edge;       /* [nedge][2] edges of elements, nsharp of the outline first    */
  int ngroup;
  const char **group;
  int *group_first; /* [ngroup+1]                                                  */
  int *group_node;  /* numbers among those above                                   */
} tni_surface;

/* From a mesh with all its arrays (as writers have it); everything in the arena but the names of groups. */
TN_NODISCARD tn_status tni_surface_make(tni_arena *arena, const tni_mesh_info *mesh, tni_surface *out);
/* From a results file. */
TN_NODISCARD tn_status tni_surface_read(tni_arena *arena, tni_reader *r, int mesh, tni_surface *out);

#endif
