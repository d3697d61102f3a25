/* domains/feti_inner.h - what feti.c and feti_dp.c share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FETI_INNER_H
#define TNI_FETI_INNER_H

#include "domains/feti.h"
#include "domains/floating.h"
#include "domains/inside.h"

typedef struct {
  int m;                   /* sides: forces at this domain                                             */
  int *dof;                /* [m] unknown                                                              */
  double *sign;            /* [m] +1 where the other domain has the higher number                      */
  double *weight;          /* [m] of the preconditioner                                                */
  int *place;              /* [m] of the unknown among those of the border                             */
  int nfix;                /* rigid motions; known of the domains of other ranks too                   */
  tni_floating floating;   /* K_s^+ and these motions; FETI-DP: none                                   */
  double *trace;           /* [nfix][m] B_s R_s                                                        */
  double *far;             /* [most nfix][m] that of the other domain, where motions are resisted      */
  tni_sparse_solver *factor; /* of FETI-DP: [K C^T; C 0]                                               */
  tni_inside inside;       /* of the preconditioner                                                    */
  double *x, *y;           /* [n + ncon], [2*nb]                                                       */
  /* of FETI-DP: C_s u = what is primal here */
  int ncon;
  int *primal;             /* [ncon] numbers of primal unknowns                                        */
  int *con_from, *con_at;  /* [ncon+1]; unknowns                                                       */
  double *con_weight;
  double *basis;           /* [ncon][n] K_s basis + C^T force = 0, C basis = I                         */
  int *saddle_ptr, *saddle_ind;
  double *saddle;          /* [K C^T; C 0]                                                             */
} tni_feti_piece;

struct tni_feti {
  const tni_domains *d;
  tn_ctx *ctx;
  tni_feti_opts o;
  tni_arena arena;
  tni_border *border;
  tni_feti_piece *piece;   /* [n]                                                                      */
  int *from, *side_from, *rigid_from, *border_from; /* [n+1] pieces of vectors                         */
  int nside;
  int begin, end;          /* domains of this rank                                                     */
  int low, high;           /* their sides                                                              */
  tni_halo *halo;          /* twins of sides on other ranks, NULL: alone                               */
  int *twin;               /* [nside] the other side                                                   */
  int *owner;              /* [nside] domain                                                           */
  int *first;              /* [all borders] first side of an unknown                                   */
  int *rigid_ptr, *rigid_ind;
  double *rigid_value;     /* G^T G                                                                    */
  int extra;               /* motions of mechanisms among those of G                                   */
  tni_sparse_solver *coarse;
  struct tni_feti_stressed *stressed; /* motions are resisted somewhere; NULL: nowhere                   */
  struct tni_feti_means *means;       /* a second coarse space; NULL: none                               */
  int nprimal;             /* FETI-DP; the coarse matrix is then that of the primal unknowns           */
  tni_sparse_solver *primal;
  int *primal_ptr, *primal_ind;
  double *primal_value, *c; /* c [nprimal]                                                             */
  const double *force;
  /* of one right side; sides */
  double *lambda, *r, *w, *y, *p, *q, *own;
  double *u, *fborder, *sborder;  /* pieces; borders                                                   */
  double *rest, *change;   /* pieces                                                                   */
  double *t;               /* [nrigid]                                                                 */
  double *partial;         /* [n]                                                                      */
  const double *in;        /* of the product under way                                                 */
  /* directions kept */
  int nkept, nslab, slab_room;
  double **slab;           /* [nslab][SLAB][2][high - low] p and F p                                   */
  double *kept_pq;         /* [slab_room*SLAB] p.F p                                                   */
  double *many;            /* [slab_room*SLAB][n] shares of the domains in as many products            */
  /* of the recurrence: the tridiagonal matrix of Lanczos */
  double *gamma, *beta;    /* [most + 1]                                                               */
};

/* q = F p; v += c G a; f->t := G^T v on all ranks, false: one has failed */
void tni_feti_multiply(tni_feti *f, const double *p, double *q);
void tni_feti_add_rigid(tni_feti *f, const double *a, double c, double *v);
bool tni_feti_gather_rigid(tni_feti *f, const double *v);

/* own := shares of the jumps F p, of this rank's domains; q := sums of own over twins */
void tni_feti_multiply_own(tni_feti *f, const double *p);
void tni_feti_add_twins(const tni_feti *f, double *q);

/* Means of jumps are kept zero (feti_means.c), by all ranks together; f->means stays NULL where that is not asked for or cannot be. */
TN_NODISCARD tn_status tni_feti_means_create(tni_feti *f);
void tni_feti_means_destroy(tni_feti *f);
long tni_feti_means_nnz(const tni_feti *f);
int tni_feti_means_count(const tni_feti *f); /* of forces                                          */
void tni_feti_means_start(tni_feti *f);      /* lambda and r into the space                        */
void tni_feti_means_project(tni_feti *f, double *w);           /* residuals                        */
double tni_feti_means_direct(tni_feti *f, double *y, double *q); /* y into the space; q = F y; what y.F y was */

/* Where domains resist their motions (feti_stressed.c), by all ranks together; f->stressed stays NULL where none does. */
TN_NODISCARD tn_status tni_feti_stressed_create(tni_feti *f);
void tni_feti_stressed_destroy(tni_feti *f);
long tni_feti_stressed_nnz(const tni_feti *f);
bool tni_feti_stressed_definite(const tni_feti *f); /* off the space of G; false: no iterations       */
/* e is in f->t; then jumps without forces: lambda in the space of G; then what alpha adds to the jumps */
void tni_feti_stressed_load(tni_feti *f);
void tni_feti_stressed_start(tni_feti *f, const double *jump);
void tni_feti_stressed_add_motions(tni_feti *f, double *jump);
/* y into the space of directions; q = A y */
void tni_feti_stressed_direct(tni_feti *f, double *y, double *q);

/* FETI-DP, before ties are made: primal unknowns, constrained factors and basis of this rank's domains */
TN_NODISCARD tn_status tni_feti_hold_together(tni_feti *f);
/* the coarse matrix, by all ranks */
TN_NODISCARD tn_status tni_feti_make_primal(tni_feti *f);
/* is the copy at a place of a border primal, so that no tie is needed? */
bool tni_feti_is_corner(const tni_feti *f, int domain, int unknown);
/* x, pieces with x [n] each in turn: K~^-1 x. part(s): where the right side of domain s is, and its answer goes */
void tni_feti_solve_together(tni_feti *f, double *(*part)(tni_feti *f, int s));

#endif
