/* solids/solid.h - finite elements: forces, stiffness, mass and stresses of one element
 *
 * A solid type is a cell (mesh/cell.h) with mechanics on it: hex8, tet10, quad4, shell4, truss2 ... An element is
 * evaluated from copies of what its nodes have, into memory of the caller, so that elements may be
 * evaluated by many threads and batches may be cut anywhere. It knows no model, no numbering, no matrix.
 *
 *   unknowns   u [nnode][ndof]: displacements from the place at rest in ground axes (2 or 3), for shells and
 *              beams then rotations (3)
 *   stress     xx yy zz xy yz zx, engineering shear strains; Cauchy stress, ground axes
 *              (bars: xx along the bar; shells: axes of the shell, both surfaces; beams: axial force, shear along y and z,
 *              torque, moments about y and z in the middle, and the strains that belong to them)
 *   f          internal forces: what the nodes must be given to stay at u; of an elastic element the
 *              derivative of its energy
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_H
#define TNI_SOLID_H

#include "materials/matter.h"
#include "materials/section.h"
#include "mesh/mesh.h"

enum { TNI_SOLID_MAXNODE = TNI_CELL_MAXNODE, TNI_SOLID_MAXDOF = 60, TNI_SOLID_MAXGAUSS = 27 };
enum { TNI_SOLID_FORCE = 1, TNI_SOLID_STIFFNESS = 2, TNI_SOLID_STRESS = 4 };

typedef enum { TNI_PLANE_NONE, TNI_PLANE_STRESS, TNI_PLANE_STRAIN, TNI_PLANE_AXISYMMETRIC } tni_plane;

typedef struct tni_solid_type tni_solid_type;

/* what all elements of a block share; filled by tni_solid_kind, checked there */
typedef struct tni_solid_kind {
  const tni_solid_type *type;
  const tni_matter *matter;
  bool large;          /* displacements and rotations: equations in the deformed place       */
  tni_plane plane;     /* of plane types                                                      */
  int option;          /* of type->option                                                     */
  double thickness;    /* plane stress and strain (0: 1 m), shells [m]                         */
  double area;         /* trusses [m^2]                                                       */
  const tni_profile *profile; /* beams                                                         */
  bool thin_mass;      /* consistent masses and loads of volumes by the points of stiffness, as decks have it */
  bool plain_modes;         /* option inc as CalculiX has it, see core.c                            */
  double hourglass;    /* coefficient, 0: the usual one of the type                           */
  int ngauss, nstate;  /* points at which stresses are known; numbers of history of an element */
} tni_solid_kind;

/* one element as it is */
typedef struct tni_solid_at {
  const double *X;      /* [nnode][3] at rest                                                  */
  const double *u;      /* [nnode][ndof]                                                       */
  const double *turn;   /* [nnode][9] rotations of the nodes from rest (matrices), large displacements of types with
                         * ndof 6; f and K then belong to spins in ground axes, T <- exp(spin) T; the rotations in u are
                         * not read. NULL otherwise, or at rest: eval fails where nodes have turned */
  const double *director; /* [nnode][3] unit normals of a shell at rest where its neighbours agree; NULL: those of
                         * the element alone                                                   */
  const double *axes;   /* [9] material axes at rest, columns in ground axes; NULL: ground's. Beams: x along the beam,
                         * y and z of the section; NULL: z upwards, or y for a beam along z     */
  const double *warm;   /* [nnode] temperature above that of no strain; NULL: 0                */
  bool stressed;        /* small displacements: K has what the stresses at u do when they turn with their element */
  const double *state0; /* [nstate] history at the last accepted instant                       */
  double *state;        /* [nstate] history now, written; NULL: not wanted                     */
  double least;         /* rate: below it 0 is as good an answer, which is found faster        */
} tni_solid_at;

typedef struct tni_solid_out {
  double *f;            /* [nv] overwritten (FORCE)                                            */
  double *K;            /* [nv][nv] df/du, overwritten (STIFFNESS)                             */
  double energy;        /* stored [J] (FORCE)                                                  */
  double dissipated;    /* turned into heat since state0 [J]                                   */
  double *strain, *stress; /* [ngauss][6] (STRESS), either may be NULL                         */
  double *equivalent;   /* [ngauss] plastic strain, NULL: not wanted                           */
} tni_solid_out;

struct tni_solid_type {
  const char *name, *doc;
  tni_cell cell;
  int ndof;             /* per node: 2, 3 or 6                                                 */
  const char *const *option; /* "full", "reduced", "bbar", "inc", "one"; NULL-terminated       */
  /* the option for a material and an analysis when nobody chose one */
  int (*usual)(const tni_matter *matter, bool large, bool explicit_steps);
  /* ngauss, nstate of a kind whose other members are set; refuses what does not go together with a reason [n] */
  bool (*prepare)(tni_solid_kind *kind, char *why, size_t n);
  /* history of an element at rest; NULL: zero */
  void (*begin)(const tni_solid_kind *kind, const double *X, const double *axes, double *state);
  /* false: a Jacobian is not positive, or the material failed; nothing usable was written */
  bool (*eval)(const tni_solid_kind *kind, const tni_solid_at *at, unsigned want, tni_solid_out *out);
  /* y += K x at a state without a matrix, for elements where that is cheaper; NULL: by eval */
  bool (*apply)(const tni_solid_kind *kind, const tni_solid_at *at, const double *x, double *y);
  /* consistent [nv][nv], or lumped [nv]: the diagonal alone */
  void (*mass)(const tni_solid_kind *kind, const double *X, bool lumped, double *M);
  /* upper bound, close to the exact value, of the largest frequency [rad/s] with lumped mass at u */
  double (*rate)(const tni_solid_kind *kind, const tni_solid_at *at);
  /* values at the points of stress [ngauss][n] to the nodes [nnode][n] */
  void (*to_nodes)(const tni_solid_kind *kind, int n, const double *at_points, double *at_nodes);
  /* where the stress of eval has resultants of a section: the largest stress at its surface that belongs to them, xx along the element
   * and xy by torsion and shear, in their place; NULL: stresses are stresses */
  void (*surface)(const tni_solid_kind *kind, const double *X, double stress[6]);
  /* the explicit loop: forces of the elements begin..end of a block at once, straight from and to node arrays
   * x [..][3], f [..][3] (see solids/batch.h); NULL: by eval */
  const struct tni_solid_batch *batch;
  /* see tni_solid_volume */
  double (*volume)(const tni_solid_kind *kind, const double *X, double *share);
};

/* by name or by the cell of a mesh block and what is wanted; NULL: none */
const tni_solid_type *tni_solid_find(const char *name);
extern const tni_solid_type *const tni_solid_types[]; /* NULL-terminated, list.h */

/* volume, and the integral of the shape functions times density over it: loads of gravity [nnode], NULL: not wanted. 0:
 * a Jacobian is not positive */
double tni_solid_volume(const tni_solid_kind *kind, const double *X, double *share);
/* number of an option by its word, -1: the type has no such option */
int tni_solid_option(const tni_solid_type *type, const char *word);

/* ---- loads on faces and edges (solids/face.c) ------------------------------------------------ */

/* Forces f [nodes of the face][3] of a pressure p (against the outward normal) and of a traction tr[3] per area,
 * on a face or edge whose nodes are at x [..][3]; width: thickness of plane models; axisymmetric: 2 pi r. With K the
 * derivative of f by x, [3 n][3 n], of a pressure that follows the surface. */
void tni_face_load(tni_cell face, const double *x, double p, const double tr[3], double width,
                   bool axisymmetric, double *f, double *K);
/* pressure on an edge of a shell with the unit normal `up`, in its surface */
void tni_edge_pressure(tni_cell edge, const double *x, double p, const double up[3], double width, double *f);
double tni_face_area(tni_cell face, const double *x, double width, bool axisymmetric);

#endif
