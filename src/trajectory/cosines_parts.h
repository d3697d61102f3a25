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

enum { TNI_COS_POINTS = 10 };

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
  int n, nloc;            /* unknowns of the whole, of an element                             */
  int *unknown, *equation; /* [n] by kind -> number                                           */
  tni_cos_rule exact, gauss;
  int nE, *E_at;          /* P(C) w: entries (c nw + k) nc + c'                               */
  double *E;
  double *start, *v0;     /* [nb nf], [nb (nw + nx)]                                          */
  double *u, *R, *du, *trial;
  double *r, *A;          /* of an element: [nloc], [nloc][nloc]                              */
  double *point;          /* fields and rates of all bodies, multipliers at a point           */
  tni_kin *kin;
  double *room, *f6, *K6, *D6;
  double *turned;         /* [nb] G^-1 of the nearest rotation                                 */
  int nentry, *entry;     /* of A that may be other than 0                                    */
  int *row, *col;         /* [nloc]                                                           */
  tni_sparsity J;
  double *value;
  tni_sparse_solver *lu;
  tni_chain_work chain;   /* of the last step by the chain                                    */
};

int tni_cos_field(const tni_cosines *c, int b, int f, int node); /* -1: given */
int tni_cos_force(const tni_cosines *c, int r, int node);
int tni_cos_body_row(const tni_cosines *c, int e, int b, int f, int i);
int tni_cos_joint_row(const tni_cosines *c, int r, int node);
/* c->r and with matrix c->A of element e */
void tni_cos_element(tni_cosines *c, int e, bool matrix);
void tni_cos_places(const tni_cosines *c, int e, int *row, int *col);
void tni_cos_momentum(const tni_cosines *c, int b, const double *v, double *P);

#endif
