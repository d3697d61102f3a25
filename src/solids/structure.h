/* solids/structure.h - meshes with mechanics: the parts that the sections meshes, structures, supports and loads make
 *
 * A node of the mesh has `active` components: displacements, of shells rotations too. Each component is
 *
 *   an unknown          its number within the part
 *   carried             the node is fixed in a body, which has its mass: x = r + A s
 *   prescribed          a function of time, 0 for a plain support
 *
 * Elements are evaluated chunk by chunk over the pool into memory of their own; what comes together at a node is added in
 * the order of the elements: the same bits for any number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STRUCTURE_H
#define TNI_STRUCTURE_H

#include "model/build.h"
#include "model/part.h"
#include "solids/solid.h"

enum { TNI_UNKNOWN_NONE = -1, TNI_NOT_CARRIED = -1, TNI_STRUCTURE_GROUND = -2 };

/* elements of one cell and material */
typedef struct tni_structure_block {
  tni_solid_kind kind;
  int n, first;        /* elements; number of its first one in the structure                 */
  int nnode, nv;       /* of an element                                                      */
  const int *node;     /* [n][nnode]                                                         */
  const int *cell;     /* [n] of the mesh                                                    */
  size_t fe;           /* forces of its first element within those of all                    */
  int state;           /* history of its first element within that of the part               */
  const double *axes;  /* [9] material axes; NULL: ground's                                  */
  bool batched;        /* forces of many elements at once (solids/batch.h)                   */
} tni_structure_block;

/* a component of a node that moves as prescribed */
typedef struct tni_node_motion {
  int node, component;
  const tni_expr *x[3]; /* of t: place, velocity, acceleration; NULL: rest                    */
} tni_node_motion;

typedef enum { TNI_LOAD_NODES, TNI_LOAD_FACES, TNI_LOAD_VOLUME, TNI_LOAD_SPIN } tni_load_kind;

/* Dead loads are vectors made once, times functions of time; pressure that follows the surface and centrifugal loads are
 * evaluated where the nodes are. */
typedef struct tni_load {
  const tni_item *item;
  tni_load_kind kind;
  bool follows;               /* with the deformed surface                                    */
  const tni_expr *f[3];       /* force or traction along ground axes, NULL: 0; FACES: also    */
  const tni_expr *pressure;   /* pressure                                                     */
  const tni_expr *f_t[3], *pressure_t;
  int n;                      /* nodes                                                        */
  const int *node;
  const double *share;        /* [n] part of the load that a node takes (area, volume)         */
  const double *normal;       /* [n][3] the same times the outward normal; pressure            */
  int nface;                  /* faces, of those that follow: cell of the mesh and which one   */
  const int *cell;
  const signed char *face;
  double axis[3], at[3];      /* SPIN: direction and point of the axis; f[0]: angular velocity */
} tni_load;

typedef struct tni_structure {
  tn_ctx *ctx;
  const tni_mesh *mesh;
  int ndof;                   /* of a node at most: 2, 3 or 6                                 */
  bool large, planar;
  tni_plane plane;
  double thickness;
  int nelement, nblock;
  tni_structure_block *block;
  size_t nfe;                 /* numbers of force of all elements                             */
  /* nodes */
  int nnode;
  const signed char *active;  /* [nnode] components: 0 (unused), 2, 3 or 6                    */
  int *unknown;               /* [nnode][ndof] or TNI_UNKNOWN_NONE                            */
  int *own;                   /* [nnode] number among nodes with unknowns, -1                 */
  int *carrier;               /* [nnode] place in part.carrier, or one of the two above      */
  double *arm;                /* [nnode][3] of carried ones, in the body                      */
  double *mass;               /* [nnode] lumped                                               */
  double *turning;            /* [nnode] rotary inertia; NULL: no rotations                   */
  const size_t *in_adr;       /* [nnode+1] where elements leave their forces on a node: eight */
  const size_t *in_at;        /* times the place, plus the number of components               */
  const int *near_col;        /* beside part.near_node: velocities before it                  */
  int nmotion, nload;
  tni_node_motion *motion;
  tni_load *load;
  double gravity[3];
  bool damped;                /* by rates of strain                                           */
  const double *alpha;        /* [nnode] damping by mass, NULL: none                          */
  const double *temperature;  /* [nnode] above that of no strain, NULL: none                  */
  int heat;                   /* plastic work so far, within the history; -1: nothing yields  */
  /* counts for summaries */
  double volume, total_mass;
} tni_structure;

extern const tni_part_ops tni_structure_ops;
void tni_structure_fields(tni_part *part); /* what results store of it */
double tni_stress_von_mises(const double s[6]);
void tni_stress_principal(const double s[6], double out[3]); /* largest first */

/* ---- from the model file (structure_build.c, structure_loads.c) ------------------------------- */

enum { TNI_NSTRUCTURE_SECTION = 4 }; /* meshes, structures, supports, loads */
tni_section tni_structure_section(int i);
enum { TNI_NSUPPORT_KEY = 4, TNI_NLOAD_KEY = 11 };
extern const tni_key tni_support_keys[TNI_NSUPPORT_KEY], tni_load_keys[TNI_NLOAD_KEY];

/* bodies that structures make for nodes they hold; before joints are built */
int tni_structure_nbody(const tni_item *item);
/* all structures of the spec: meshes are read, parts added to the model */
tn_status tni_structures_build(tni_builder *b);
/* supports: what is prescribed; marks s->unknown of those components TNI_UNKNOWN_NONE */
tn_status tni_structure_supports(tni_builder *b, tni_part *part, tni_structure *s);
tn_status tni_structure_loads(tni_builder *b, const tni_part *part, tni_structure *s);
/* part->nfree, free_names, once unknowns have numbers */
tn_status tni_structure_count_free(tni_builder *b, tni_part *part, const tni_structure *s);
/* nodes of a group [n], ascending; TN_ERR_INPUT names the groups there are */
tn_status tni_structure_group(tni_builder *b, const tni_item *item, const tni_structure *s, const char *name,
                              int *n, const int **node);
/* the structure that an item of supports or loads is about: `structure`, or the one whose mesh has the group */
tn_status tni_structure_of(tni_builder *b, const tni_item *item, int *part);

#endif
