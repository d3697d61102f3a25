/* trajectory/cosines_parts.h - what the files of direction cosines share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COSINES_PARTS_H
#define TNI_COSINES_PARTS_H

#include "linsolve/chain.h"
#include "linsolve/saddle.h"
#include "trajectory/cosines.h"
#include "trajectory/gauss.h"

/* points of a rule; nodes of an element beside its k points with rule collocation: beginning, end, velocities at both */
enum { TNI_COS_POINTS = 10, TNI_COS_EXTRA = 4, TNI_COS_NODES = TNI_GAUSS_MAX + TNI_COS_EXTRA };

/* shape functions at the points of a rule on the unit element */
typedef struct tni_cos_rule {
  int n;
  double c[TNI_COS_POINTS], b[TNI_COS_POINTS];
  double psi[TNI_COS_POINTS][TNI_GAUSS_MAX + 1], rate[TNI_COS_POINTS][TNI_GAUSS_MAX + 1]; /* fields */
  double phi[TNI_COS_POINTS][TNI_GAUSS_MAX + 1];   /* multipliers                             */
  double apart[TNI_COS_POINTS][TNI_GAUSS_MAX + 1]; /* tests of degree k-1                     */
} tni_cos_rule;

struct tni_cosines {
  tn_ctx *ctx;
  tni_arena arena;
  tni_data *s;
  tni_cosine_opts o;
  tni_cosine_model model;
  bool planar;
  int k, p, N;            /* degrees, last node of fields                                     */
  int nb, m, nw, nx, nc, nf, ny; /* bodies, rows; parts of the fields of a body: q, x, C; ny = nx + nc */
  int nk, np;             /* nodes of fields and of multipliers of an element                 */
  int n, nloc;            /* unknowns of the whole, of an element                             */
  int *unknown, *equation; /* [n] by kind -> number                                           */
  tni_cos_rule exact, gauss, load; /* the last: of forces                                     */
  int nE, *E_at;          /* P(C) w: entries (c nw + k) nc + c'                               */
  double *E;
  double *start, *v0;     /* [nb nf], [nb (nw + nx)]                                          */
  double *u, *R, *du, *trial;
  double *r, *A;          /* of an element: [nloc], [nloc][nloc]                              */
  double *point;          /* fields and rates of all bodies, multipliers at a point           */
  tni_kin *kin;
  double *room, *f6, *K6, *D6;
  double *turned;         /* [nb] G^-1 of the nearest rotation                                 */
  tni_general_out *general; /* room                                                          */
  struct tni_cos_points *points; /* rule collocation                                           */
  bool marking;           /* matrices are wanted for where they may have entries,              */
  bool sure;              /* of which none may cancel another                                   */
  int nentry, *entry;     /* of A that may be other than 0                                    */
  int *row, *col;         /* [nloc]                                                           */
  tni_sparsity J;
  double *value;
  tni_sparse_solver *lu;
  tni_chain_work chain;   /* of the last step by the chain                                    */
  int nmemory;            /* angles counted on, strains by increments: what elements begin with */
  double *memory;         /* [elements + 1][nmemory]                                          */
  double *q_end, *v_end;
};

/* An instant of an element: what its nodes contribute to fields, rates and multipliers, and what is tested how much. */
typedef struct tni_cos_spot {
  const double *psi;       /* [nk] fields                             */
  const double *per_h;     /* [nk] rates                              */
  const double *phi;       /* [np] multipliers, and tests of joints   */
  const double *test;      /* [nk] of the balances                    */
  double w, t;             /* weight, time                            */
  bool matrix;
} tni_cos_spot;

static inline int tni_cos_loc_field(const tni_cosines *c, int b, int f, int i) { return (b*c->nf + f)*c->nk + i; }
static inline int tni_cos_loc_force(const tni_cosines *c, int r, int i) { return c->nb*c->nf*c->nk + r*c->np + i; }
static inline const double *tni_cos_rates(const tni_cosines *c, int b) { return c->point + (b*2 + 1)*c->nf; }

/* Each adds its part to c->r and with matrix to c->A, from the fields of c->point. */
void tni_cos_reactions(tni_cosines *c, const tni_cos_spot *s);
void tni_cos_poisson(tni_cosines *c, const tni_cos_spot *s, const double *test, int ntest);
void tni_cos_joints(tni_cosines *c, const tni_cos_spot *s);
void tni_cos_loads(tni_cosines *c, const tni_cos_spot *s);
void tni_cos_add(tni_cosines *c, int row, int ntest, const double *test, double weight, int col, int ncol, const double *shape,
                 double x);
void tni_cos_add_value(tni_cosines *c, int row, int ntest, const double *test, double weight, double x);

/* ---- rule collocation (cosines_points.c) ---- */
tn_status tni_cos_points_create(tni_cosines *c);
void tni_cos_points_destroy(tni_cosines *c);
void tni_cos_points_eval(tni_cosines *c, double *R, bool matrix);
void tni_cos_points_apply(const tni_cosines *c, const double *x, double *y);
tn_status tni_cos_points_solve(tni_cosines *c, int max_iterations, double tol, int *iterations);
/* field f of body b at x of [0, 1] in element e, multiplier r, velocities [nw + nx] at its end */
double tni_cos_points_field(const tni_cosines *c, int e, double x, int b, int f);
double tni_cos_points_multiplier(const tni_cosines *c, int e, double x, int r);
const double *tni_cos_points_velocity(const tni_cosines *c, int e, int b);

int tni_cos_field(const tni_cosines *c, int b, int f, int node); /* -1: given */
int tni_cos_force(const tni_cosines *c, int r, int node);
int tni_cos_body_row(const tni_cosines *c, int e, int b, int f, int i);
int tni_cos_joint_row(const tni_cosines *c, int r, int node);
/* c->r and with matrix c->A of element e */
void tni_cos_element(tni_cosines *c, int e, bool matrix);
void tni_cos_places(const tni_cosines *c, int e, int *row, int *col);
/* evaluate with the memory that element e begins with; with that of the beginning again; from fields and rates of c->point, those of the end of
 * element e, follows the memory of the next */
void tni_cos_enter(tni_cosines *c, int e);
void tni_cos_leave(tni_cosines *c);
void tni_cos_remember(tni_cosines *c, int e);
void tni_cos_momentum(const tni_cosines *c, int b, const double *v, double *P);

#endif
