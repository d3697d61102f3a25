/* trajectory/slab.h - one element of time in the system's own coordinates
 *
 * Collocation at k Gauss points. Unknowns of an element that begins at (q_0, v_0) and lasts h:
 *
 *   stages i    x_i, v_i, l_i     place as a perturbation of q_0: q_i = retract(q_0, x_i), velocities, multipliers
 *   end         x_e, v_e, n, m    place, velocities, what puts them on the constraints
 *
 * and as many equations, with d, w of trajectory/gauss.h and T the tangent of the rotation by x:
 *
 *   stages      T(x_i) sum_j d_ij x_j - h v_i = 0
 *               M a_i + C^T l_i - f = 0              a_i = (sum_j d_ij (v_j - v_0))/h
 *               C v_i + Phi_t = 0                    rows that are dropped: l = 0
 *   end         M (x_e - sum_j w_j x_j) + C^T n = 0,   Phi(q_e) = 0
 *               M (v_e - v_0 - sum_j w_j (v_j - v_0)) + C^T m = 0,   C v_e + Phi_t = 0
 *
 * Without constraints the end follows from the stages alone. The matrix J of the unknowns is sparse, and so is
 * B, by the state (perturbation of q_0, v_0) at the beginning; both are exact. Positions and velocities at ends of elements
 * are of order 2k, constraints hold there to rounding.
 *
 * A shape is what all elements of one system share, a desk the working memory of a thread, a slab an element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SLAB_H
#define TNI_SLAB_H

#include "linsolve/sparse.h"
#include "system/system.h"
#include "trajectory/gauss.h"

typedef struct tni_slab_shape {
  tn_ctx *ctx;
  tni_gauss g;
  int nv, m, nq, nmemory;
  int nz;             /* unknowns of an element: k (2 nv + m) + 2 nv + 2 m                      */
  int nturn;          /* rotations, three velocities in a row each                              */
  int *turn;          /* [nturn] first of them                                                  */
  int *turn_of;       /* [nv] rotation that a velocity belongs to, -1: none                     */
  bool *active;       /* [m] rows that are used,                                                */
  bool *position;     /* [m] and those of them with a position level                            */
  tni_sparsity square, rows;     /* of the tangents                                             */
  tni_sparsity square_x, rows_x; /* the same, rotations whole                                   */
  int *whole;         /* [square.nnz] place in square_x                                         */
  int *across, *across_row, *across_at; /* C^T by rows: [nv+1], row and place in C              */
  tni_sparsity J, B;  /* [nz][nz], [nz][2 nv]                                                   */
  signed char *power; /* [nz] of h, which rows are multiplied by for their factors              */
} tni_slab_shape;

/* s has been prepared for sparse tangents; its patterns are borrowed */
tn_status tni_slab_shape_create(tni_arena *arena, tni_data *s, int k, tni_point_kind kind, tni_slab_shape *out);
/* the rows that s uses now */
void tni_slab_shape_rows(tni_slab_shape *p, const tni_data *s);

/* where things stand in z */
static inline int tni_slab_x(const tni_slab_shape *p, int i) { return i*(2*p->nv + p->m); } /* i = k: end */
static inline int tni_slab_v(const tni_slab_shape *p, int i) { return tni_slab_x(p, i) + p->nv; }
static inline int tni_slab_l(const tni_slab_shape *p, int i) { return tni_slab_x(p, i) + 2*p->nv; }

typedef struct tni_slab_desk {
  tni_data *s;
  double *q, *a, *r, *phi, *rate;                  /* at a point                    */
  double *M, *r_q, *r_v, *C, *Cv_q, *X[3];          /* tangents there                */
  double *r_qT, *r_qP, *Cv_qT, *Cv_qP, *CT, *CP;    /* by x_i, by q_0                */
  double *T, *P, *D;                               /* [9 nturn]                     */
  double *row;                                     /* [nv] zero                     */
  double *big;                                     /* [nz]                          */
} tni_slab_desk;

/* a data of the same system for the desk to work with, in d->s; destroyed by the caller */
tn_status tni_slab_desk_create(tni_arena *arena, const tni_slab_shape *p, const tni_data *like, tni_slab_desk *d);

typedef struct tni_slab {
  double t, h;        /* begins, lasts                                            */
  double *z;          /* [nz]                                                     */
  double *memory;     /* [nmemory] discrete, at the beginning                     */
  double *q1, *v1;    /* [nq], [nv] where it ends; v1 stands in z                 */
  double *R, *J, *B;  /* residual, values of the matrices                         */
  tni_sparse_solver *lu;
  double h_factor;    /* length that it was made for                              */
} tni_slab;

tn_status tni_slab_create(tni_arena *arena, const tni_slab_shape *p, tni_slab *e);
void tni_slab_destroy(tni_slab *e);

/* e->R, and with matrices e->J and e->B, at the present z for a beginning at q0, v0 */
void tni_slab_eval(const tni_slab_shape *p, tni_slab_desk *d, tni_slab *e, const double *q0, const double *v0,
                   bool matrices);
/* Factors of e->J, which is spoiled; rows are scaled such that pivots do not depend on h. b [nz] := J^-1 b, or J^-T b. */
void tni_slab_scale(const tni_slab_shape *p, double h, double *J);
bool tni_slab_factor(const tni_slab_shape *p, tni_slab *e);
void tni_slab_solve(const tni_slab_shape *p, const tni_slab *e, double *b);
void tni_slab_solve_t(const tni_slab_shape *p, const tni_slab *e, double *b);
/* e->q1 from z */
void tni_slab_end(const tni_slab_shape *p, tni_slab *e, const double *q0, const tni_data *s);
/* y [2 nv] change of the end (perturbation of q_e, of v_e) from changes dz [nz] and y0 [2 nv] of the beginning */
void tni_slab_end_change(const tni_slab_shape *p, const tni_slab *e, const double *dz, const double *y0, double *y);
/* its transpose: adds to dz and y0 what y means there */
void tni_slab_end_change_t(const tni_slab_shape *p, const tni_slab *e, const double *y, double *dz, double *y0);
/* b += B y0;  y0 += B^T b */
void tni_slab_add_B(const tni_slab_shape *p, const tni_slab *e, const double *y0, double *b);
void tni_slab_add_Bt(const tni_slab_shape *p, const tni_slab *e, const double *b, double *y0);

/* State inside, theta in [0, 1]: polynomials through beginning, stages and end; l may be NULL. x [nv] is a
 * perturbation of q0. */
void tni_slab_look(const tni_slab_shape *p, const tni_slab *e, const double *v0, double theta, double *x, double *v,
                   double *l);

/* What the accelerations at the points of an element that begins with v0 [nv] say of those at its beginning and at its end: a [2 nv] */
void tni_slab_accelerations(const tni_slab_shape *p, const tni_slab *e, const double *v0, double *a);

#endif
