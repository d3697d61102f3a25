/* mesh/map.h - which processor a part lives on: parts that exchange much close to each other
 *
 *   C1 = max over parts that exchange at all of dist(map s, map t)     C2 = sum of c_st dist(map s, map t)
 *
 * Source: parallel finite elements specification, section 2.2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MAP_H
#define TNI_MAP_H

#include "mesh/decompose.h"

/* what parts exchange: of part s the entries from[s] .. from[s+1]-1; symmetric */
typedef struct tni_part_graph {
  int n;
  int *from, *to;
  double *amount; /* > 0 */
} tni_part_graph;

/* numbers that parts share: nodes times ndof */
TN_NODISCARD tn_status tni_part_graph_create(const tni_mesh_part *part, int nparts, int ndof, tni_arena *arena, tni_part_graph *out);

typedef struct tni_map_cost {
  double farthest, total; /* C1, C2 */
} tni_map_cost;

typedef double (*tni_distance)(const void *user, int p, int q);
/* of processors numbered as the corners of a cube: bits in which p and q differ */
double tni_distance_hypercube(const void *user, int p, int q);

typedef struct tni_map_opts {
  bool total_first;  /* C2 before C1: messages that do not wait for each other */
  int tries;         /* disturbances, 0: 20                                    */
  unsigned seed;
} tni_map_opts;

tni_map_cost tni_map_measure(const tni_part_graph *g, const int *map, tni_distance distance, const void *user);
/* map [n] of parts to processors 0 .. nproc-1, one each; nproc >= n. naive: part s on processor s; may be NULL */
TN_NODISCARD tn_status tni_map_parts(tn_ctx *ctx, const tni_part_graph *g, int nproc, tni_distance distance, const void *user,
                                     const tni_map_opts *opts, int *map, tni_map_cost *cost, tni_map_cost *naive);

#endif
