/* model/part.h - parts: what has unknowns of its own beside bodies
 *
 * A finite-element structure is a part: thousands of nodes without names, each with a few displacements that are
 * unknowns of the system like the poses of bodies, and elements between them. Nodes may be carried by bodies (the
 * hub of a wheel) or move as prescribed; such nodes have no unknowns. The system asks a part for forces,
 * tangents and energies and knows nothing else about it (system/parts.c).
 *
 *   unknowns   u [nv]: displacements from the place at rest along ground axes, then u' = v. Those of one node follow
 *              each other. M is diagonal, or has rows of its own where masses are consistent or components follow others. Parts with
 *              the operation `mass` (reduced bodies) have mass beside it that couples bodies and unknowns and turns with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PART_H
#define TNI_PART_H

#include "model/model.h"

struct tni_domains;
struct tni_seam;
struct tni_halo_sum;
struct tni_part_piece;

/* Sums at nodes of a piece (tni_part_piece): what other ranks know of them is added, by ascending rank. All pieces of a part ask alike. */
typedef struct tni_part_share {
  int round;                /* counts the states that fields are asked at: what is kept from one field to the next belongs to one of them */
  /* sum [nnode][n], n at most TNI_SHARE_MOST; count [nnode] likewise or NULL: nodes where it is negative stay as they are */
  void (*add)(void *user, int n, double *sum, int *count);
  void *user;
} tni_part_share;
enum { TNI_SHARE_MOST = 6 };

/* where a part is asked; v, a NULL: zero */
typedef struct tni_part_at {
  double t;
  const tni_kin *kin;       /* of bodies, kin[body + 1]                                          */
  const double *u, *v, *a;  /* [nv]                                                              */
  const double *acc;        /* [6 nbody] accelerations of bodies, with a; NULL: zero              */
  const double *memory;     /* [nmemory of the model] history: see tni_part.memory               */
  bool unloaded;          /* tangents: f_t is that of prescribed motions alone               */
  const tni_part_share *share; /* of a piece that is asked for fields; NULL: it is the whole, or nobody wants sums */
  bool stressed;            /* tangents of parts for small displacements have what stresses add to stiffness */
} tni_part_at;

typedef struct tni_part_out {
  double *f;                /* [nv] on its unknowns, overwritten                                 */
  double *f6;               /* [6 nbody] on bodies that carry nodes, added                       */
  double potential, dissipated, input; /* as those of forces                                     */
  double spent;             /* turned into heat by now, as the history tells; no rate            */
  double squares;           /* sum of squares of the forces of elements: what is small beside them is rounding */
} tni_part_out;

/* Where the entries of a part are in the pattern of the system: rows of a node have the same columns, first those of
 * bodies, then those of nodes that share an element with it, ascending. */
typedef struct tni_part_places {
  const int *start;         /* [nnode] of the first row of a node: its first column of a node    */
  const int *width;         /* [nnode] from one row of the node to the next                      */
  const int *diagonal;      /* [nnode] in its first row: its own first column                    */
  const int *touch_node;    /* [ntouch] in the first row of the node: first column of the body   */
  const int *touch_body;    /* [ntouch] in the first row of the body: first column of the node   */
  const int *body_width;    /* [ncarrier] from one row of the body to the next                   */
  const int *pair;          /* [ncarrier][ncarrier] first entry of the block of two bodies       */
} tni_part_places;

/* Add to matrices on the pattern: K += factor df/du, D += factor df/dv; f_t [nv], f6_t [6 nbody] += df/dt; M += the coupled
 * mass, and f stands for f - M a there. Any may be NULL. In blocks of bodies the components that the layout gives them (role)
 * come in order. */
typedef struct tni_part_tangent {
  const tni_part_places *places;
  double factor;
  double *K, *D, *M;
  double *f_t, *f6_t;
  const signed char *body_role; /* components of a body that are unknowns, of body_size          */
  int body_size;
} tni_part_tangent;

/* a field of results: numbers per node or cell of the mesh of the part */
typedef struct tni_part_field {
  const char *name, *unit, *note;
  bool cells;
  int ncomponent;
  const char *const *component;
} tni_part_field;

/* M of the unknowns of a part by compressed rows, columns ascending, symmetric and constant */
typedef struct tni_part_mass {
  const int *ptr, *ind;     /* [nv+1], [ptr[nv]]                                                 */
  const double *value;
  bool idle;                /* statics and modes: accelerations are asked for and mean nothing; the diagonal serves */
} tni_part_mass;

/* A step of central differences from t - h to t, of a state that the part keeps */
typedef struct tni_part_march {
  double t, h;
  double kinetic;           /* at the end, out                                                   */
  double along;             /* forces times accelerations at the end, out                        */
  double power, more, less; /* loads times velocities and accelerations at the end, times accelerations at the beginning, out */
  struct tni_halo_sum *halo; /* of pieces: what other ranks have of forces comes together; NULL: nobody has */
  double *f;                /* [nv] room for that                                                */
} tni_part_march;

enum { TNI_PART_MOST_UNKNOWNS = 64 }; /* of an element */

/* which unknowns of a part its elements have */
typedef struct tni_part_elements {
  int n, most;              /* elements; unknowns of one at most                                 */
  const size_t *adr;        /* [n+1]                                                             */
  const int *unknown;       /* [adr[n]]                                                          */
} tni_part_elements;
/* matrices of domains: K (-df/du) + D (-df/dv) + M mass */
typedef struct tni_part_sum { double K, D, M; } tni_part_sum;

typedef struct tni_part_ops {
  const char *name;
  /* working memory of a data */
  tn_status (*begin)(const tni_part *part, tni_arena *arena, void **work);
  /* False: an element has no force here (turned inside out, a law that fails); *culprit: its number. */
  bool (*force)(const tni_part *part, void *work, const tni_part_at *at, tni_part_out *out);
  bool (*tangent)(const tni_part *part, void *work, const tni_part_at *at, const tni_part_tangent *out);
  /* kinetic energy that tni_part.mass does not have: of nodes that are neither unknowns nor carried, of coupled mass */
  double (*kinetic)(const tni_part *part, void *work, const tni_part_at *at);
  /* Mass beside tni_part.mass, NULL: none. M [n][n], n = 6 ncarrier + nv: velocities of the carriers (angular ones in body axes), then
   * those of the part; symmetric, not negative. Forces that come of its turning are in `force`. False: as of force. */
  bool (*mass)(const tni_part *part, void *work, const tni_part_at *at, double *M);
  /* after an accepted step: write history */
  void (*commit)(const tni_part *part, void *work, const tni_part_at *at, double *memory);
  /* the part of it that depends on the path: history of matter, as a step from `memory` to this state leaves it; NULL: there is none */
  void (*increment)(const tni_part *part, void *work, const tni_part_at *at, double *memory);
  /* largest frequency [rad/s] at a state, for steps of explicit methods; its damping in parts of critical */
  double (*rate)(const tni_part *part, void *work, const tni_part_at *at, double *damping);
  /* Loads of the last evaluation of force times x [nv] of the unknowns they act on: power of a velocity, and how that changes with
   * it. NULL: there are none. */
  double (*along)(const tni_part *part, const void *work, double t, const double *x);
  /* Steps of central differences as a whole, NULL: not offered. Can they be taken? Memory for it comes from the arena: the part keeps the state
   * that it was given until another one is. */
  tn_status (*march_begin)(const tni_part *part, void *work, tni_arena *arena, bool *can);
  void (*march_set)(const tni_part *part, void *work, const double *q, const double *v, const double *a);
  /* the state; or (back > 0) that before the last step, which was as long: accelerations as they were, the others to rounding */
  void (*march_get)(const tni_part *part, void *work, double back, double *q, double *v, double *a);
  /* loads at t, which a step needs; false: they are not finite */
  bool (*march_loads)(const tni_part *part, void *work, double t);
  /* Then the step; energies are not evaluated. False: it has no forces, or none that are finite, and the state is lost. */
  bool (*march)(const tni_part *part, void *work, tni_part_march *step);
  /* field i at a state: [nodes or cells][ncomponent] */
  void (*fill)(const tni_part *part, void *work, const tni_part_at *at, int i, double *out);
  /* How far a state is beyond what the equations hold for, 1: the limit; a reason. NULL: they hold everywhere. */
  double (*doubt)(const tni_part *part, void *work, const tni_part_at *at, char *why, size_t n);
  /* "bracket.node[17].x" of an unknown; what went wrong after a false, one line */
  void (*label)(const tni_part *part, int unknown, char *out, size_t n);
  void (*trouble)(const tni_part *part, const void *work, char *out, size_t n);
  /* Cut into domains (domains/domains.h) by the domain of every cell of its mesh; numbers of unknowns are those of the part. Domains begin
   * to end - 1 get matrices and motions, the others are somebody else's. TN_ERR_UNSUPPORTED: what stands against it. Then the
   * matrices of those at a state, a sum or, NULL, -df/du; false as above. Masses must be lumped where they are in it. */
  tn_status (*cut)(const tni_part *part, tni_arena *arena, const int *of_cell, int n, int begin, int end, struct tni_domains **out);
  bool (*cut_tangent)(const tni_part *part, void *work, const tni_part_at *at, const tni_part_sum *sum, struct tni_domains *d);
  /* Where these domains meet (domains/seam.h); group: nodes that want forces of their own beside those with loads, NULL: none */
  tn_status (*seams)(const tni_part *part, tni_arena *arena, const int *of_cell, int n, const char *group, struct tni_seam **out, int *nseam);
  /* The stiffness -df/du element by element, TN_ERR_UNSUPPORTED: what stands against it; NULL: never. place: where the others are asked
   * next, which may then be asked by several threads. tangent: K [k][k] of the k unknowns of an element; product: y = K x of them. False
   * as of force. */
  tn_status (*elements)(const tni_part *part, tni_arena *arena, tni_part_elements *out);
  void (*element_place)(const tni_part *part, void *work, const tni_part_at *at);
  bool (*element_tangent)(const tni_part *part, void *work, const tni_part_at *at, int e, double *K);
  bool (*element_product)(const tni_part *part, void *work, const tni_part_at *at, int e, const double *x, double *y);
  /* The piece of a rank, by the rank of every cell of its mesh. TN_ERR_UNSUPPORTED: what stands against it. NULL: it has none. */
  tn_status (*piece)(const tni_part *part, tni_arena *arena, const int *of_cell, int nrank, int rank, struct tni_part_piece *out);
} tni_part_ops;

enum { TNI_EVERY_RANK = -1 };

struct tni_part {
  const char *name;
  const tni_item *item;
  const tni_part_ops *ops;
  const void *data;
  int nv;
  const signed char *role;  /* [nv] 0..2 along x, y, z; 3..5 about                               */
  const double *mass;       /* [nv] > 0: M, or its diagonal                                      */
  const tni_part_mass *coupled; /* M where it is not diagonal, NULL otherwise                    */
  const double *u0, *v0;    /* [nv] at the start                                                 */
  double size;              /* extent [m]                                                        */
  bool linear;              /* f depends on u and v linearly, by matrices that never change      */
  bool small;               /* equations hold for displacements that are small beside its size   */
  const char *unstressed;   /* what in it knows no stiffness of stresses (see tni_part_at.stressed), NULL: nothing  */
  int nfree;                /* rigid motions that nothing holds, of pieces that no body carries */
  const char *free_names;   /* "along x, turning about z"; NULL: none                            */
  bool path;                /* matter whose history depends on the path: ops.increment          */
  int memory, nmemory;      /* its history within the discrete memory of the model               */
  /* nodes that have unknowns, and which of them share an element */
  int nnode;
  const int *vadr;          /* [nnode+1] first unknown                                           */
  const int *near_adr, *near_node; /* [nnode+1] neighbours, itself among them, ascending         */
  int ncarrier, ntouch;
  const int *carrier;       /* [ncarrier] bodies that carry nodes of it, ascending               */
  const int *touch_adr, *touch; /* [ncarrier+1] nodes that share an element with carried ones, ascending */
  /* its mesh in results and pictures */
  const struct tni_mesh *mesh;
  int nfield;
  const tni_part_field *field;
};

/* What one of several ranks works on: some cells of a part and what is on their nodes, as a part of its own. Nodes at cuts are in the pieces
 * of several ranks; the lowest of them owns them and has what must count once: loads, weight, masses that move as prescribed. Forces of
 * a piece on its nodes are shares of those of the whole. */
typedef struct tni_part_piece {
  tni_part part;            /* mass: of whole nodes; memory: 0                                   */
  const int *unknown;       /* [part.nv] numbers in the whole, ascending                         */
  const bool *owned;        /* [part.nv]                                                         */
  const int *memory;        /* [part.nmemory] places in the history of the whole                 */
  int nshared;              /* pairs of another rank and an unknown of the piece, for every rank by ascending unknowns */
  const int *shared_who, *shared_at;
  const int *owner;         /* [nv of the whole] rank                                            */
  int nnode, nshared_node;
  const int *node;          /* [nnode] of its mesh: numbers in the whole, ascending              */
  const int *node_owner;    /* [nodes of the whole] rank                                         */
  const int *shared_node_who, *shared_node; /* [nshared_node] pairs of another rank and a node of the piece, as above */
  const int *memory_owner;  /* [nmemory of the whole] rank, TNI_EVERY_RANK: the sum of all pieces */
} tni_part_piece;

#endif
