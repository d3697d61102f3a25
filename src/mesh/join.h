/* mesh/join.h - meshes put together to one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_JOIN_H
#define TNI_JOIN_H

#include "mesh/mesh.h"

typedef struct tni_mesh_joined {
  const char *name;     /* its groups become name.group; its nodes and cells together are the group `name` */
  const tni_mesh *mesh;
  double R[9], at[3];   /* turned and moved there                                                          */
} tni_mesh_joined;

/* Numbers of the first part stay, those of every other one are counted on from the largest number so far. Nodes of a part within
 * `merge` of one of an earlier part are that one; 0: all stay. Beside the groups of the parts there is `all`. */
TN_NODISCARD tn_status tni_mesh_join(tn_ctx *ctx, const char *name, const char *source, int npart, const tni_mesh_joined *part,
                                     double merge, tni_mesh **out);

#endif
