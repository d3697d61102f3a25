/* mesh/mesh.h - meshes: places of nodes, cells in blocks, named sets
 *
 * Plain arrays, no string per node. Local numbers are int from 0; what files and people call nodes and
 * cells are global numbers (tn_gid, 64 bit). A mesh is made by a reader or a generator, finished once by
 * tni_mesh_finish, and constant from then on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MESH_H
#define TNI_MESH_H

#include <stdint.h>

#include "mesh/cell.h"

typedef int64_t tn_gid;

/* cells of one shape, one after the other */
typedef struct tni_mesh_block {
  tni_cell cell;
  int n;            /* cells                                                                  */
  int *node;        /* [n][nodes of the shape]                                                */
  tn_gid *gid;      /* [n] numbers in the file                                                */
  int first;        /* number of its first cell in the mesh                                   */
  const char *label; /* type as the file calls it ("C3D20R"), NULL: it has none              */
} tni_mesh_block;

typedef enum { TNI_SET_NODES, TNI_SET_CELLS, TNI_SET_FACES } tni_set_kind;

/* Members ascending, none twice. A group of surface cells in a mesh of solids (a physical surface of Gmsh) is a set
 * of faces of those solids and the set of their nodes. */
typedef struct tni_mesh_set {
  const char *name;
  tni_set_kind kind;
  int n;
  int *member;      /* [n] nodes; cells of the mesh; of faces: the cell                        */
  signed char *face; /* [n] of faces: which one of the cell; NULL otherwise                    */
} tni_mesh_set;

typedef struct tni_mesh {
  tni_arena arena;
  tn_ctx *ctx;
  const char *name, *source; /* source: file or generator, for messages                       */
  int dim;          /* 3; 2: all nodes have the same z and all cells are plane                 */
  int nnode, ncell;
  double *x;        /* [nnode][3]                                                             */
  tn_gid *gid;      /* [nnode] numbers in the file                                            */
  int nblock, nset;
  tni_mesh_block *block;
  tni_mesh_set *set;
} tni_mesh;

void tni_mesh_destroy(tni_mesh **mesh);

/* the set of that name and kind, NULL: there is none */
const tni_mesh_set *tni_mesh_find_set(const tni_mesh *m, const char *name, tni_set_kind kind);
/* cell of the mesh: its block and its number there */
const tni_mesh_block *tni_mesh_cell(const tni_mesh *m, int cell, int *in_block);
/* nodes of a cell */
const int *tni_mesh_nodes(const tni_mesh *m, int cell, const tni_cell_shape **shape);
/* node with a number in the file, -1: none */
int tni_mesh_node_of(const tni_mesh *m, tn_gid gid);

#endif
