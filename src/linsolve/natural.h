/* linsolve/natural.h - lists and numbers of natural partitioning
 *
 * natural_plan.c finds tree and groups once, natural.c runs through them. Formulas: natural.c.
 * Groups whose bodies hang on points have short code of their own: natural_point.c.
 *
 * Letters of all three files, body j with parent p in a group that hangs on a base:
 *
 *   x, f, g, lambda   unknowns, forces, right-hand sides and multipliers of the system (kkt.h)
 *   B, Bp             rows of the joint that carries j: columns of j and of p
 *   eta, xi           velocities left free by the joints of the tree; what cut joints leave of them
 *   X, H, c           x_j = X x_p + H eta + c                      one joint
 *   Y, Z, e           x_j = Y x_base + Z xi + e                    the way from the base, loops closed
 *   Z0                the same with eta, before loops are closed
 *   C, G, s           C eta + G x_base = s                         rows of the cut joints
 *   T                 pivot columns of eta as T xi
 *   M, I              mass of j with what hangs on it; what a group adds to its base
 *   D, U              Z^T M Z, Z^T M Y                             a group condensed
 *   phi               force of a group on its base
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_NATURAL_H
#define TNI_NATURAL_H

#include "linsolve/solver.h"

/* rows of the joints between a body and its parent in the tree; more need another solver */
enum { TNI_NATURAL_ROWS = 12 };

/* a body with the joints that carry it */
typedef struct tni_natural_body {
  int body;
  int parent;          /* position in the group, -1: the base                               */
  int nedge;           /* constraint blocks that carry it                                   */
  const int *edge;     /* [nedge]                                                           */
  int ncut;            /* cut blocks of the group that touch it                              */
  const int *cut;      /* [ncut] position in the cut blocks of the group                     */
  const int *cut_inc;  /* [ncut] incidence                                                  */
  int nrow, nfree;     /* active rows, columns left free                                    */
  int free0;           /* first free column in the group                                    */
  int row[TNI_NATURAL_ROWS]; /* rows of the system, pivots first                             */
  int col[6];          /* columns, those of the pivots first                                */
  double *LU;          /* [d][d] of the pivot columns, no further pivoting                  */
  double *X;           /* [d][d]  a = X a_parent + H eta + c                                */
  double *H;           /* [d][d]  first nfree columns, row length nfree                     */
  double *Bp;          /* [d][d]  rows times the parent's columns                           */
  double *Y;           /* [d][d]  a = Y a_base + Z xi + e, loops closed                     */
  double *Z;           /* [d][nfree of the group]                                           */
  double *Z0;          /* the same before loops are closed, with cut joints only            */
  double *M;           /* [d][d] own mass and what hangs on it                              */
  double *c, *e, *f;   /* [d] */
  int nhang;           /* groups that hang on it                                            */
  const int *hang;
} tni_natural_body;

typedef struct tni_natural_point tni_natural_point; /* natural_point.c */

/* bodies that loops tie together, or a single one; they hang on one body, the base */
typedef struct tni_natural_group {
  int base;            /* body, -1: ground                                                  */
  int nbody;
  tni_natural_body *body; /* parents before children                                        */
  int ncut, *cut;      /* constraint blocks that close loops                                */
  int *base_inc;       /* [ncut] incidence of the base in them, -1: none                    */
  int maxcut;          /* their rows                                                        */
  int nrow;            /* active ones                                                       */
  int *row;            /* [maxcut] rows of the system, pivots in order                      */
  int *col;            /* [n] columns, pivots first                                         */
  int room;            /* largest n                                                         */
  int n, nxi;          /* free columns of the bodies, and with the loops closed             */
  double *C;           /* [maxcut][n] cut rows; then LU of the pivots                       */
  double *G;           /* [maxcut][d] their columns for the base; then minus LU^-1 of it     */
  double *T;           /* [maxcut][n] minus LU^-1 of the columns left free                  */
  double *G0;          /* [maxcut][d] work                                                  */
  double *MZ;          /* [d][n] work                                                       */
  int *order;          /* [2 maxcut] work                                                   */
  double *s;           /* [maxcut]                                                          */
  double *D;           /* [nxi][nxi] Cholesky factor                                        */
  double *U;           /* [nxi][d]                                                          */
  double *I;           /* [d][d] what the base feels                                        */
  double *phi;         /* [d] force on the base                                             */
  double *xi, *y, *r, *p, *z; /* [nxi]                                                      */
  bool bad;            /* a pivot vanished in the last factorization                        */
  bool leaf;           /* no group hangs on its bodies                                      */
  tni_natural_point *point; /* NULL: general code only                                      */
  bool by_point;       /* the last factorization was that of natural_point.c                */
} tni_natural_group;

typedef struct tni_natural {
  int ngroup;
  tni_natural_group *group; /* by level, the ground side first                              */
  int nlevel, *level;       /* [nlevel+1] first group of each                               */
  bool *inner;              /* [nlevel] has groups that are no leaves                       */
  bool suits;               /* groups are small enough                                      */
  const char *why_not;
  tni_kkt_solver *spare;    /* when a pivot vanishes                                        */
  bool use_spare;
  /* conjugate gradients */
  bool iterative;
  double tol;
  int iterations;           /* of the last solution                                         */
  const double *fs, *gs;    /* right-hand sides of the present solution                     */
  double *x, *lambda, *A;   /* results; accelerations of the groups' bodies [nbody*d]       */
} tni_natural;

tn_status tni_natural_plan(tni_kkt_solver *s, tni_natural *w);

/* Gauss elimination with full pivoting of the r x n matrix A (row length n), row names and columns
 * permuted alike; afterwards A holds L below and U on and right of the diagonal. False if a pivot is
 * not above tol times the largest entry of A. */
bool tni_natural_eliminate(double *A, int r, int n, int *row, int *col, double tol);

/* natural_point.c: g->point stays NULL when the joints of the group are not of that kind */
tn_status tni_natural_point_create(tni_kkt_solver *s, tni_natural_group *g);
/* False: not for the present values, or a pivot vanished */
bool tni_natural_point_factor(const tni_kkt *K, const tni_natural *w, tni_natural_group *g);
void tni_natural_point_forces(const tni_kkt *K, const tni_natural *w, tni_natural_group *g);
void tni_natural_point_motion(const tni_natural *w, tni_natural_group *g);
void tni_natural_point_multipliers(const tni_kkt *K, const tni_natural *w, tni_natural_group *g);

#endif
