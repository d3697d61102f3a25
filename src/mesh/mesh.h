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

/* faces of shells: the cell itself, load on the side that its normal points to, or on the other */
enum { TNI_FACE_POSITIVE = -1, TNI_FACE_NEGATIVE = -2 };

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
  struct tni_gid_map *node_map, *cell_map; /* from global numbers                             */
  int ncut, *cut;   /* [ncell] parts of the cells as the user wrote them, numbers below ncut; 0: none */
} tni_mesh;

void tni_mesh_destroy(tni_mesh **mesh);

/* the set of that name and kind, NULL: there is none */
const tni_mesh_set *tni_mesh_find_set(const tni_mesh *m, const char *name, tni_set_kind kind);
/* Nodes of a group [n], ascending: of the set of nodes of that name, else of its faces, else of its cells; *n = -1: no set has
 * the name. In the arena or the mesh. */
TN_NODISCARD tn_status tni_mesh_group(const tni_mesh *m, const char *name, tni_arena *arena, int *n, const int **node);
/* cell of the mesh: its block and its number there */
const tni_mesh_block *tni_mesh_cell(const tni_mesh *m, int cell, int *in_block);
/* nodes of a cell */
const int *tni_mesh_nodes(const tni_mesh *m, int cell, const tni_cell_shape **shape);
/* node, cell with a number in the file, -1: none */
int tni_mesh_node_of(const tni_mesh *m, tn_gid gid);
int tni_mesh_cell_of(const tni_mesh *m, tn_gid gid);
tn_gid tni_mesh_cell_gid(const tni_mesh *m, int cell);
/* places of the nodes of a cell, copied in the order of the cell; returns its shape */
const tni_cell_shape *tni_mesh_places(const tni_mesh *m, int cell, double (*x)[3]);
/* Nodes of a face in the order that its normal points out, copied; returns its shape. Of a plane cell an edge, of
 * face TNI_FACE_POSITIVE the cell itself, TNI_FACE_NEGATIVE the cell turned over. */
const tni_cell_shape *tni_mesh_face(const tni_mesh *m, int cell, int face, int node[TNI_CELL_MAXFACENODE]);
/* length, area or volume of a cell; negative where a solid (a plane cell of a plane mesh) is turned inside out */
double tni_mesh_measure(const tni_mesh *m, int cell);

/* --- making a mesh ---
 *
 * A builder grows in any order; failures are kept and reported by tni_mesh_finish, so that callers check once:
 *
 *   tni_mesh_begin(ctx, "beam", "generator box", &b);
 *   int n0 = tni_mesh_add_node(b, 0, x, y, z);                       gid 0: the next number
 *   int c0 = tni_mesh_add_cell(b, TNI_CELL_HEX8, NULL, 0, nodes);    a ticket, not yet the cell of the mesh
 *   tni_mesh_add_member(b, tni_mesh_add_set(b, "x0", TNI_SET_NODES), n0, 0);
 *   tni_mesh_add_member(b, tni_mesh_add_set(b, "x0", TNI_SET_FACES), c0, face);
 *   TN_TRY(tni_mesh_finish(&b, &mesh));
 *
 * Cells of one shape and label become one block, blocks in the order of their first cell. */
typedef struct tni_mesh_builder tni_mesh_builder;

TN_NODISCARD tn_status tni_mesh_begin(tn_ctx *ctx, const char *name, const char *source, tni_mesh_builder **out);
void tni_mesh_abandon(tni_mesh_builder **b); /* frees it; for readers that fail */
/* number of the node, of the cell's ticket; -1 when memory has run out */
int tni_mesh_add_node(tni_mesh_builder *b, tn_gid gid, double x, double y, double z);
int tni_mesh_add_cell(tni_mesh_builder *b, tni_cell cell, const char *label, tn_gid gid, const int *node);
/* the set of that name and kind, begun if there is none yet; texts are copied */
int tni_mesh_add_set(tni_mesh_builder *b, const char *name, tni_set_kind kind);
void tni_mesh_add_member(tni_mesh_builder *b, int set, int member, int face);
/* what there is so far; places may be changed */
tn_ctx *tni_mesh_building_ctx(const tni_mesh_builder *b);
int tni_mesh_building_nodes(const tni_mesh_builder *b);
int tni_mesh_building_cells(const tni_mesh_builder *b);
double *tni_mesh_building_x(tni_mesh_builder *b);
/* shape, number and nodes of a ticket */
const int *tni_mesh_building_cell(const tni_mesh_builder *b, int ticket, tni_cell *cell, tn_gid *gid);
/* Makes the mesh and frees the builder, also on failure: TN_ERR_MEMORY; TN_ERR_INPUT: two nodes or two cells with one
 * number, a place that is not finite, a node that is not there. */
TN_NODISCARD tn_status tni_mesh_finish(tni_mesh_builder **b, tni_mesh **out);

/* x = at + R scale x */
void tni_mesh_move(tni_mesh *m, double scale, const double R[9], const double at[3]);

/* Linear cells to second order, middles on straight edges, numbers of nodes after the largest; sets of nodes get the
 * middles of edges whose both corners and whose face or edge of the mesh lie in the set. Cells of order 2 stay. */
TN_NODISCARD tn_status tni_mesh_promote(const tni_mesh *linear, tni_mesh **out);

/* --- numbers of files to local ones --- */
typedef struct tni_gid_map tni_gid_map;
/* map of gid [n] to 0 .. n-1; a number that comes twice (first one in *twice, -1: none) keeps its first place */
TN_NODISCARD tn_status tni_gid_map_create(tni_arena *arena, const tn_gid *gid, int n, tni_gid_map **out, int *twice);
int tni_gid_map_find(const tni_gid_map *map, tn_gid gid); /* -1: none */

#endif
