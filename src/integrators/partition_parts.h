/* integrators/partition_parts.h - what the five files of a partition share
 *
 *   partition_basis.c     create; which coordinates are independent; P, Z, B2
 *   partition_matrices.c  begin; Mhat, M1, M2, gt and products with them
 *   partition_ways.c      Mhat, M1, M2 in other ways
 *   partition_whole.c     accelerations and multipliers as unknowns, in the place of Mhat, M1, M2
 *   partition_recovery.c  q, v, a of given y, y'; local coordinates xi of given q, v, a
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PARTITION_PARTS_H
#define TNI_PARTITION_PARTS_H

#include "integrators/elim.h"
#include "integrators/panels.h"
#include "integrators/partition.h"
#include "integrators/thin.h"
#include "integrators/turn.h"

struct tni_partition_work {
  tni_sparse_tangent tan;
  double *C;            /* [r][n] rows in use, when dependent components are chosen   */
  int ndep, *dep_from, *dep_to; /* entries of tan.C in the dependent columns, place in Cu */
  int nind, *ind_from, *ind_to; /* in the independent ones, place in an [r][nd] array */
  double *Cu, *may;     /* [r][r] C_u, and where it may have entries                  */
  tni_elim S0, S;       /* factors of C_u: at the beginning, inside the step          */
  bool chosen;          /* S0 has an order                                            */
  bool refreshed;       /* S is in use                                                */
  double *G, *diagonal; /* [nd][nd] factor of Mhat and its transpose, [nd] inverse diagonal */
  double *Pq, *H;       /* [n][nd], [nd][nd] P at a refreshed position, factors of P^T M Pq by columns */
  int *hpivot;
  double *X, *Y, *V, *F, *R, *U, *W, *T; /* [n][nd]                                   */
  double *small;        /* [nd][nd]                                                   */
  bool apart;           /* T and F have the columns of P and V = M P in the parts of threads */
  int nbody_group, *body_group; /* rows with the same columns, of square tangents     */
  int *mirror;          /* entry (j, i) of square tangents for entry (i, j)           */
  int *index;           /* [n][n] nonzeros of a row, for every thread its own         */
  int nrow_group, *row_group;   /* of the rows in use                                 */
  tni_panels P, MP;     /* nonzeros of P and, in the tangent plane, of M P            */
  double *rows;         /* [m] residuals                                              */
  double *x, *u, *dy, *ux, *guess; /* [n]                                             */
  double *halves;       /* [2 n] scratch of panels                                    */
  double *inverse;      /* [r][r] of C_u, for its condition                           */
  int *perm, *mark;     /* [n] pivoting of columns                                    */
  int *pivot;           /* [m]                                                        */
  double *Cfull;        /* [m][n] scratch                                             */
  tni_turn *turn;       /* [nturn] at xi of the last recovery                         */
  double *y_v, *y_a;    /* [nd] of v and a at the beginning                           */
  bool warm;            /* xi, xid are those of y_last, yd_last at t_last             */
  double contraction;   /* largest of the recoveries at t_last, < 0: not yet seen     */
  double t_last, *y_last, *yd_last;
  double *trio;    /* [3 n] scratch, whole only                                  */
  double *q, *qd, *vv, *y, *yd, *ydd; /* scratch states                               */
  double *turn_v, *turn_a; /* [n] velocities and accelerations that the matrices belong to */
  double t_at, *q_at;   /* straight: time and [nq] coordinates of them                */
  double g, b;          /* straight: what was factored last                           */
};

/* ---- basis --------------------------------------------------------------------------------- */

/* Rows in use, dependent and independent components, basis P of w->tan.C, and in the tangent plane
 * V = M P, Mhat and its factor. TN_SINGULAR with a message naming the row. */
tn_status tni_partition_choose(tni_partition *p);
/* are there as many components forced to be independent as freedoms? */
tn_status tni_partition_check_forced(const tni_partition *p);
/* w->Cu := dependent columns of rows C, on the pattern; the rest of it stays zero */
void tni_partition_gather(tni_partition *p, const double *C);
/* P [n][nd] of rows C on the pattern, whose dependent columns e has eliminated */
void tni_partition_make_basis(const tni_partition *p, const tni_elim *e, const double *C,
                              double *P);
/* x [n] = Z u, u [r], overwritten; scratch [n] */
void tni_partition_across(const tni_partition *p, double *u, double *x, double *scratch);
/* X := Mhat^-1 X for columns of a [nd][ld] matrix; tangent plane only */
void tni_partition_solve_gram(const tni_partition *p, tni_columns c, double *X);
/* make(user, c0, c1) for all columns, divided among threads where that pays and the user wants it */
void tni_partition_for_columns(const tni_partition *p, void (*make)(void *user, int c0, int c1), void *user);

/* rows first .. of out [nd][nd] = X^T, X [nd][k] */
void tni_partition_put_rows(int nd, int first, int k, const double *X, double *out);

/* out [n][k] = columns c0 .. of X [n][nd] */
void tni_partition_take_columns(int n, int nd, int c0, int k, const double *X, double *out);

/* out [n][ld] = B2^T X, X [nd][ld], overwritten */
void tni_partition_extract_transposed(const tni_partition *p, tni_columns c, double *X, double *out);

/* ---- whole (partition_whole.c) ------------------------------------------------------------- */

tn_status tni_whole_create(tni_arena *arena, tni_partition *p);
void tni_whole_destroy(tni_partition *p);
/* at the beginning of a step, basis and tangents made */
tn_status tni_whole_begin(tni_partition *p);
bool tni_whole_factor(tni_partition *p, double g, double b);
/* x [nd] := (Mhat + g M1 + b M2)^-1 x */
void tni_whole_solve(tni_partition *p, double *x);
/* out += f M1 y, or M2 */
void tni_whole_add(tni_partition *p, bool second, double f, const double *y, double *out);

/* ---- other ways (partition_ways.c) --------------------------------------------------------- */

tn_status tni_ways_create(tni_arena *arena, tni_partition *p);
/* Mhat (blocks only), M1, M2 of the basis and the tangents */
tn_status tni_ways_matrices(tni_partition *p);

/* ---- recovery ------------------------------------------------------------------------------ */

/* Which components are rotations. TN_ERR_UNSUPPORTED: the system turns by formulas of its own. */
tn_status tni_partition_find_turns(tni_partition *p, const tni_scale *scale);

#endif
