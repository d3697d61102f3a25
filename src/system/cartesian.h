/* system/cartesian.h - the cartesian representation, for its own files only
 *
 * Letters, in all files of the room (system.h has the equations):
 *
 *   q, v, a           coordinates, velocities, accelerations; dx a small displacement, q = retract(q, dx)
 *   kin: r, A, w, W   centre of mass, body to ground, angular velocity in body and in ground axes
 *   M, I              mass, inertia about the centre of mass in body axes
 *   f, f6             forces by velocities [nv], by bodies [6] (force ground, torque body)
 *   Phi, Phi_t        residuals of positions, their explicit rate
 *   J, C              rows of one constraint block on one body, of all on v
 *   gamma             C a = gamma; g a right-hand side or rate C v + Phi_t
 *   lambda            multipliers, the constraint force is -C^T lambda
 *   W                 dropped rows as sums of kept ones: C_dropped = W^T C_kept
 *   d, m, nv          velocities of a body (3, 6), rows, all velocities
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CARTESIAN_H
#define TNI_CARTESIAN_H

#include "model/build.h"
#include "system/common.h"

enum { TNI_CART_ROWS = TNI_MAXROW, TNI_CART_COLS = 6*TNI_MAXBODY };

typedef struct tni_cart_block {
  int row0;         /* first kept row of the block in the system   */
  int nkeep;        /* kept rows                                   */
  const int *keep;  /* [nkeep] row of the block                    */
} tni_cart_block;

/* a set of independent rows */
typedef struct tni_row_set {
  tni_arena arena;
  tni_rank rank;
  double usual;      /* smallest pivot over its diagonal where it was found               */
  double *W, *B, *y; /* [nnull][m], [nnull][nnull], [nnull] for multipliers of least norm */
  int *dropped;      /* [nnull] rows left out                                             */
  double *J, *size;  /* C when the rows were found good, [m] their lengths; nnull > 0 only */
} tni_row_set;

/* where the tangents of constraint blocks and forces go in the patterns of the system */
typedef struct tni_cart_places {
  tni_sparsity square, rows;
  const int *width;     /* [nbody] stored entries of a row of the body               */
  const int *start;     /* [nbody] first entry of its first row                      */
  const int *diagonal;  /* [nbody] first entry of its diagonal block                 */
  const int *con_adr, *con_at;     /* [ncon+1], first entries of the nb x nb blocks  */
  const int *force_adr, *force_at; /* [nforce+1], likewise                           */
  const int *slot_adr, *slot;      /* [ncon+1], place of each body within a row of C */
  int nbatch;
  const int *batch;       /* [nbatch+1] forces, then blocks, that are evaluated together */
  const size_t *room_adr; /* [nforce+ncon] place of each in its batch's room         */
  size_t nroom;
  double *room;           /* [nroom] of a data                                       */
} tni_cart_places;

typedef struct tni_cartesian {
  tni_data base;
  /* constants, see struct tni_system */
  tni_layout layout;
  int d;               /* velocities of a node that turns: 3 or 6              */
  const signed char *part; /* [d] which of six                                 */
  int npose;           /* such nodes                                           */
  const double *point_mass, *point_minv; /* [nv - d npose]                     */
  tni_cart_block *blk; /* [ncon]                                               */
  int *con_row;        /* [m] constraint block of a row                        */
  const double *M, *Minv; /* [npose*d*d] in the order of the layout            */
  int nJ;
  bool *nonholonomic;  /* [m]                                                  */
  double rank_tol;
  tni_kkt_opts kkt_opts;
  tni_cart_places places; /* but for its room                                  */

  /* its own */
  tni_kkt kkt;         /* pattern of the system, values here                   */
  tni_kkt_solver *solver;
  double *Wt, *Wtinv;  /* [npose*d*d] weights of a projection, if not the mass */
  double *J;           /* values for kkt                                       */
  double *phi, *phi_t, *gamma; /* [m]                                          */
  double *f6;          /* [6 nbody]                                            */
  double *f, *x, *a, *Ma; /* [nv]                                              */
  double *g, *lambda;  /* [m]                                                  */
  double *part_K, *part_D, *part_M; /* [square->nnz] for dense tangents of small models with parts; NULL: none */
  struct tni_coupled *coupled; /* mass of parts that couples unknowns, see coupled.c; NULL: none */
  struct tni_mesh_newton *newton; /* of linear structures, mesh_newton.c; NULL: not asked for */
  tni_con_out full;    /* one block with tangents                              */
  bool *active;        /* [m] rows of the factor                               */
  tni_row_set regular, passing; /* rows to use, and those of a singular position  */
  const tni_row_set *now;       /* which of the two                               */
  bool exchanged;      /* active is the regular set with rows exchanged for one state */
  /* where J and phi_t are those of a rate asked for before: a velocity is corrected at one place */
  long evaluated, rate_at; /* evaluations of anything; that of the rate                */
  double rate_t, *rate_q;
} tni_cartesian;

void tni_cart_set_kin(tni_data *s, double t, const double *q, const double *v);
/* the components of f6 [6 nbody] that the nodes have */
void tni_cart_pick(const tni_cartesian *c, const double *f6, double *f);

/* A pivot below this part of its diagonal is rounding: 1e-7 from a singular position. Nearer, the
 * rows without one are left out; farther away they are needed to keep to the branch of the motion. */
#define TNI_CART_SINGULAR_PIVOT 1e-14

/* constraints at s->kin, what: TNI_C_... */
void tni_cart_eval(tni_cartesian *c, double t, unsigned what);
void tni_cart_row_name(const tni_data *s, int row, char *out, size_t n);

/* cartesian_rank.c, at the present values of J. use_rows: those of a set; factor: of the rows in use, with a also
 * accelerations and multipliers of c->f, c->gamma; others where a pivot vanishes. express_dropped: rows left out by
 * those of the factor, set->W, how many; least_norm: of lambda with these n. exchange_here: rows for this state alone, true:
 * they need a factor of their own; choose_here: the same for a projection. */
void tni_cart_use_rows(tni_cartesian *c, const tni_row_set *set);
tn_status tni_cart_factor(tni_cartesian *c, double *a, double *lambda);
int tni_cart_express_dropped(tni_cartesian *c, const tni_row_set *set);
void tni_cart_least_norm(tni_cartesian *c, int n, double *lambda);
bool tni_cart_exchange_here(tni_cartesian *c, int n);
tn_status tni_cart_choose_here(tni_cartesian *c);
/* of the operations */
tn_status tni_cart_rank_anew(tni_data *s, double t, const double *q);
tn_status tni_cart_follow_rank(tni_data *s, double t, const double *q);

/* coupled.c: parts whose mass couples bodies and unknowns (reduced bodies). create: constants of the system; begin: of a data;
 * solve: accelerations and multipliers that tni_kkt found for c->f, c->gamma without that mass -> with it;
 * apply: y += its product with x, where the parts stand */
tn_status tni_coupled_create(tni_cartesian *c);
tn_status tni_coupled_begin(tni_cartesian *c);
tn_status tni_coupled_solve(tni_cartesian *c, double *a, double *lambda);
void tni_coupled_apply(tni_cartesian *c, const double *x, double *y);

/* cartesian_tangent.c: patterns once, then the tangents of ops */
tn_status tni_cart_tangent_create(tni_cartesian *c);
tn_status tni_cart_tangent(tni_data *s, const tni_at *at, const tni_tangent *dense,
                           const tni_sparse_tangent *sparse);

/* mesh_newton.c: s->straight for linear structures */
extern const tni_newton_ops tni_mesh_newton;
tn_status tni_mesh_newton_prepare(tni_data *s);
void tni_mesh_newton_end(tni_data *s);

#endif
