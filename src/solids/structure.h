/* solids/structure.h - meshes with mechanics: the parts that the sections meshes, structures, supports and loads make
 *
 * A node of the mesh has `active` components: displacements, of shells rotations too. Each component is
 *
 *   an unknown          its number within the part
 *   carried             the node is fixed in a body, which has its mass: x = r + A s
 *   prescribed          a function of time, 0 for a plain support
 *   following           a linear combination of unknown and prescribed ones and functions of time (couplings): what acts on it
 *                       acts on those, K and M become T^T K T and T^T M T
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
  const double *director; /* [n][nnode][3] normals of shells that neighbours share, NULL: no shell */
  bool batched;        /* forces of many elements at once (solids/batch.h)                   */
} tni_structure_block;

/* a component of a node that moves as prescribed */
typedef struct tni_node_motion {
  int node, component;
  const tni_expr *x[3]; /* of t: place, velocity, acceleration; NULL: rest                    */
} tni_node_motion;

/* Between components of two nodes, s = u0 - u1 (node 1 TNI_UNKNOWN_NONE: s = u0), or along the line between them (component -1),
 * where s is the elongation: force k s + c s' */
typedef struct tni_node_spring {
  int node[2];
  signed char component[2];
  double k, c;
} tni_node_spring;

/* what an expression of x, y, z, t says about the temperature of nodes; later ones win */
typedef struct tni_node_heat {
  const tni_expr *T, *T_t;
  bool steady;          /* the same at all times                                              */
  int n;
  const int *node;
} tni_node_heat;

typedef enum { TNI_LOAD_NODES, TNI_LOAD_FACES, TNI_LOAD_VOLUME, TNI_LOAD_SPIN } tni_load_kind;

/* Dead loads are vectors made once, times functions of time; pressure that follows the surface and centrifugal loads are
 * evaluated where the nodes are. */
typedef struct tni_load {
  const tni_item *item;
  tni_load_kind kind;
  bool follows;               /* with the deformed surface                                    */
  bool about;                 /* f are moments                                                */
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
  const double *width;        /* [nface] of edges: thickness of their cell                    */
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
  double *attitude;           /* [ncarrier][9] of the bodies where the mesh is at rest        */
  double *mass;               /* [nnode] lumped                                               */
  double *turning;            /* [nnode] rotary inertia; NULL: no rotations                   */
  double *own_mass, *own_turning; /* [nnode] the part of both that is no element's (nodes: mass, inertia) */
  const double *weight;       /* [nnode] mass that gravity finds at a node; lumped: mass      */
  const size_t *in_adr;       /* [nnode+1] where elements leave their forces on a node: eight */
  const size_t *in_at;        /* times the place, plus the number of components               */
  const int *near_col;        /* beside part.near_node: velocities before it                  */
  int nmotion, nload;
  tni_node_motion *motion;
  tni_load *load;
  /* components that follow: u = B u(leaders) + functions of time */
  const int *lead_adr;        /* [nnode+1] leaders of a node; NULL: nothing follows           */
  const int *lead_node;       /* their nodes                                                  */
  const double *lead_B;       /* [..][ndof][ndof]; rows of components that do not follow are 0 */
  const signed char *follows; /* [nnode][ndof] 1: it does; NULL: nothing follows              */
  int nfollower;
  const int *follower;        /* [nfollower] nodes with such components                       */
  int ngift;
  tni_node_motion *gift;      /* their functions of time                                      */
  double *gift_factor;        /* [ngift]                                                      */
  int nspring, nheat;
  tni_node_spring *spring;
  tni_node_heat *heating;
  bool consistent;            /* masses of elements as their displacements say, not lumped    */
  double gravity[3];
  bool damped;                /* by rates of strain                                           */
  const double *alpha;        /* [nnode] damping by mass, NULL: none                          */
  const double *temperature;  /* [nnode] above that of no strain, NULL: none                  */
  int turns;                  /* large rotations of nodes, within the history: 7 numbers a node, see structure_turn.c; -1: none */
  int heat;                   /* plastic work so far, within the history; -1: nothing yields  */
  /* counts for summaries */
  double volume, total_mass;
  const double *bulk;         /* [2] bulk viscosity: linear, quadratic; NULL: none (structure_viscosity.c) */
  const double *scaling;      /* [nelement] of masses for longer explicit steps, NULL: none   */
  double added_mass;          /* by that, beside total_mass                                   */
  const signed char *shared;  /* [nnode] of pieces: other ranks have the node too (tni_share); NULL: no piece */
} tni_structure;

/* of a piece: mine alone, mine and others have it, somebody else's */
typedef enum { TNI_SHARE_NONE = 0, TNI_SHARE_OWNED, TNI_SHARE_LENT } tni_share;

extern const tni_part_ops tni_structure_ops;
void tni_structure_fields(tni_part *part); /* what results store of it */
/* Stresses and what follows from them, and the forces of carried nodes, of a structure without history and loads whose nodes have
 * the displacements u [nnode][ndof]: field i, as of fill; others are left. work: of its begin. */
void tni_structure_fill_at(const tni_part *part, void *work, const double *u, int i, double *out);
double tni_stress_von_mises(const double s[6]);
void tni_stress_principal(const double s[6], double out[3]); /* largest first */

/* ---- from the model file (structure_build.c, structure_loads.c) ------------------------------- */

enum { TNI_NSTRUCTURE_SECTION = 6 }; /* meshes, structures, supports, loads, couplings, nodes */
tni_section tni_structure_section(int i);
enum { TNI_NSUPPORT_KEY = 4, TNI_NLOAD_KEY = 13 };
extern const tni_key tni_support_keys[TNI_NSUPPORT_KEY], tni_load_keys[TNI_NLOAD_KEY];
enum { TNI_NCOUPLING_KEY = 7, TNI_NNODE_KEY = 9 };
extern const tni_key tni_coupling_keys[TNI_NCOUPLING_KEY], tni_node_keys[TNI_NNODE_KEY];

/* type of the analysis of the model file; has it velocities and accelerations (the amplitudes of harmonic ones too), or places only? */
const char *tni_structure_analysis(const tni_builder *b);
bool tni_structure_in_time(const tni_builder *b);
/* bodies that structures make for nodes they hold; before joints are built */
int tni_structure_nbody(const tni_item *item);
/* all structures of the spec: meshes are read, parts added to the model */
tn_status tni_structures_begin(tni_builder *b);
/* once the bodies that hold nodes have all their mass */
tn_status tni_structures_finish(tni_builder *b);
/* does the `hold` of a structure make a body of that name? */
bool tni_structure_makes_body(const tn_spec *spec, const char *name);
/* supports: what is prescribed; marks s->unknown of those components TNI_UNKNOWN_NONE */
tn_status tni_structure_supports(tni_builder *b, tni_part *part, tni_structure *s);
/* Section nodes: masses, springs and temperatures, once active and mass are there; nodes of springs and masses alone become
 * active. Initial velocities once unknowns have numbers. */
tn_status tni_structure_nodes(tni_builder *b, const tni_part *part, tni_structure *s, signed char *active);
tn_status tni_structure_velocities(tni_builder *b, const tni_part *part, const tni_structure *s, double *v0);
/* Section couplings. Do some need rotations (rigid)? They make their nodes active. After supports: which components follow. */
bool tni_couplings_turn(const tni_builder *b);
tn_status tni_couplings_activate(tni_builder *b, const tni_part *part, const tni_structure *s, signed char *active);
tn_status tni_structure_couplings(tni_builder *b, const tni_part *part, tni_structure *s);
/* part->near, touch: nodes with unknowns that share an element, or a spring, with each other and with what carriers move */
tn_status tni_structure_neighbours(tni_builder *b, const tni_item *item, tni_part *part, tni_structure *s);
/* M of the unknowns where it is not diagonal, its diagonal in any case; refuses unknowns without mass */
tn_status tni_structure_mass(tni_builder *b, tni_part *part, const tni_structure *s);
/* s->bulk by the key bulk_viscosity, if it is there; refuses elements that it is not there for, and methods but the explicit one */
tn_status tni_structure_read_viscosity(tni_builder *b, const tni_item *item, tni_structure *s, bool explicit_steps);
/* Small displacements, no history, no load that looks where nodes are, nothing that goes slack: forces are linear in u and v, with tangents that
 * never change. */
bool tni_structure_is_linear(const tni_structure *s);
/* Elements whose limit of stability 2/rate at rest is below `limit` get the mass that raises it there, before bodies take that of nodes
 * they hold; s->scaling, added_mass. A line in the log says how much. */
tn_status tni_structure_scale_masses(tni_builder *b, const tni_part *part, tni_structure *s, double limit);
bool tni_structure_has_mass(const tni_structure *s); /* of elements or of nodes */
tn_status tni_structure_loads(tni_builder *b, const tni_part *part, tni_structure *s);
/* s->in_adr, in_at, once elements are there */
tn_status tni_structure_list_places(tni_structure *s, tni_arena *arena);
/* a warning where elements that let a shape without stiffness pass stand in a single row */
tn_status tni_structure_warn_of_rows(tni_builder *b, const tni_item *item, const tni_structure *s);
/* part->nfree, free_names, once unknowns have numbers */
tn_status tni_structure_count_free(tni_builder *b, tni_part *part, const tni_structure *s);
/* nodes of a group [n], ascending; TN_ERR_INPUT names the groups there are */
tn_status tni_structure_group(tni_builder *b, const tni_item *item, const tni_structure *s, const char *name,
                              int *n, const int **node);
/* x, y, z, rx, ry, rz that the nodes of a structure may have (z of planar ones passes) */
tn_status tni_structure_component(tni_builder *b, const tni_item *item, const char *key, const tni_structure *s, const char *word,
                                  int *c);
/* the structure that an item of supports or loads is about: `structure`, or the one whose mesh has the group */
tn_status tni_structure_of(tni_builder *b, const tni_item *item, int *part);

/* ---- large rotations (structure_turn.c) ----------------------------------------------------------- */

/* T = exp(~delta) T_ref with delta = u - u_ref, the rotation of a node from its three unknowns u and ref [7] = (u_ref, T_ref as Euler
 * parameters) at the last accepted state */
void tni_turn_of(const double u[3], const double ref[7], double T[9], double delta[3]);
void tni_turn_accept(const double u[3], double ref[7]);
/* spins by rates of u: G [9]; with m (may be NULL) D [9] = derivative of G^T m by u */
void tni_turn_rates(const double delta[3], double G[9], const double *m, double *D);
/* normals that the shells of a structure share, where they differ by less than 20 degrees */
tn_status tni_structure_directors(tni_builder *b, tni_structure *s);

/* What elements and springs ask of the nodes [nnode][3]; false: an element has no force */
bool tni_structure_internal(const tni_part *part, void *work, const tni_part_at *at, double *out);
/* Stresses, strains [n][6] and plastic strains [n] at the points of an element (numbered as in the structure), in the axes that
 * fields have; false: the element has none here. */
bool tni_structure_points(const tni_part *part, void *work, const tni_part_at *at, int element, int *n, double *stress, double *strain,
                          double *plastic);

/* ---- while it runs (structure_follow.c) -------------------------------------------------------- */

/* x [nnode][ndof] of components that follow, from those of their leaders; order of the derivative of functions of time, -1: none */
void tni_follow_place(const tni_structure *s, double t, int order, double *x);
/* f [nv] += what acts on components that follow, F [nnode][ndof] */
void tni_follow_scatter(const tni_structure *s, const double *F, double *f);
/* a spring at u, v [nnode][ndof], x [nnode][3]: its force, S [2][6] with force -f S on its nodes; along a line also the unit
 * vector n and the length l */
typedef struct tni_spring_now {
  double f, energy, heat, S[2][6], n[3], l, across[3]; /* across: (I - n n^T) of the relative velocity */
} tni_spring_now;
void tni_spring_eval(const tni_structure *s, const tni_node_spring *p, const double *u, const double *v, const double *x,
                     tni_spring_now *out);
/* y [nnode][ndof] += factor M x with the consistent masses of the elements; alpha: each times its damping by mass */
void tni_structure_apply_mass(const tni_structure *s, bool alpha, double factor, const double *x, double *y);

/* nodes where a state puts them; then K [nv][nv] of one element there. False: it has none */
void tni_structure_place(const tni_part *part, void *work, const tni_part_at *at);
bool tni_structure_stiffness(const tni_part *part, void *work, const tni_part_at *at, int block, int element, double *K);

/* ---- cut into domains (structure_domains.c), into pieces for ranks (structure_piece.c) ----------------------------------------------------- */

struct tni_domains;
struct tni_seam;
tn_status tni_structure_cut(const tni_part *part, tni_arena *arena, const int *of_cell, int n, int begin, int end, struct tni_domains **out);
bool tni_structure_cut_tangent(const tni_part *part, void *work, const tni_part_at *at, const tni_part_sum *sum, struct tni_domains *d);
tn_status tni_structure_piece(const tni_part *part, tni_arena *arena, const int *of_cell, int nrank, int rank, struct tni_part_piece *out);
tn_status tni_structure_seams(const tni_part *part, tni_arena *arena, const int *of_cell, int n, const char *group, struct tni_seam **out,
                              int *nseam);

#endif
