/* linsolve/reduced.h - lists and numbers of the reduced solvers
 *
 * plan.c finds the lists once, reduced.c runs through them. Formulas: reduced.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REDUCED_H
#define TNI_REDUCED_H

#include <stddef.h>

#include "linsolve/fill.h"
#include "linsolve/solver.h"

/* largest block that the inner loops are compiled for; larger ones are split */
enum { MAX_ROWS = 6 };
/* kind of a column of planar pins (pins.c); the kind of the others is their number of rows */
enum { TNI_PIN = MAX_ROWS + 1 };
enum { TNI_SMALL = 12 };

/* The lists hold addresses, not offsets: with blocks of two rows the time goes into bookkeeping. */

/* to[q][i] += sum_p N[p][q] U[p][i],  q < nq, i < n */
typedef struct {
  double *to;           /* in a later panel                             */
  ptrdiff_t ld;         /* its row length                               */
  const double *N, *U;  /* columns of the panel that sends the update   */
  int nq, n;
} tni_product;

/* contiguous columns of a panel and the entries of y they belong to */
typedef struct {
  const double *U;
  double *y;
  ptrdiff_t n;
} tni_run;

/* a later block on the same body: to += W J^T */
typedef struct {
  ptrdiff_t J; /* first entry of its Jacobian block in K->J */
  double *to;  /* in the panel                              */
  ptrdiff_t c; /* rows                                      */
  double sign; /* of its unit matrix, 0 if it is none       */
} tni_coupling;

/* one eliminated body of a block */
typedef struct {
  ptrdiff_t J;         /* first entry in K->J                        */
  ptrdiff_t x;         /* first entry of the body in f and x         */
  double *W;           /* J Minv, layout: reduced.c                  */
  const double *Minv;
  const double *small; /* what a simple one has of Minv, d = 6      */
  const bool *simple;
  double sign;         /* of its unit matrix, 0 if it is none        */
  const tni_coupling *couple, *end_couple;
} tni_incidence;

/* one hub body of a block: to -= J */
typedef struct {
  ptrdiff_t J;
  double *to;
} tni_hub_copy;

/* block row of the vertex numbered k */
typedef struct {
  int c;              /* rows                                               */
  int kind;           /* TNI_PIN or c                                       */
  bool lone;          /* two rows, one later block of two rows              */
  ptrdiff_t ld;       /* columns                                            */
  double *panel;
  double *diagonal, *dinv, *y; /* its entries of these vectors              */
  double mass[2];     /* pins: sum of the inverse masses of the bodies      */
  ptrdiff_t own;      /* first row in K; for a hub first entry of its x     */
  double *reach;      /* end of the panels that have to be zero before it   */
  const tni_incidence *inc, *end_inc;
  const tni_hub_copy *copy, *end_copy;
  const tni_product *product, *end_product;
  const tni_run *run, *end_run;
} tni_column;

/* Columns first to end of the numbering that no column of another piece touches (pieces.c). What they send to
 * the border goes to copies of their own, so that pieces may be eliminated at the same time. */
typedef struct {
  const tni_column *first, *end;
  double *panels, *end_panels; /* those of its columns                       */
  double *N;                   /* as in tni_reduced                          */
  double *border;              /* [nborder] what it sends to border panels   */
  double *y;                   /* [nborder_row] and to their right-hand side */
} tni_piece;

typedef struct {
  tni_fill fill;
  tn_ctx *ctx;           /* whose threads eliminate pieces                      */
  int npiece;            /* 0: all columns one after the other                  */
  tni_piece *piece;      /* [npiece]                                            */
  tni_column *border;    /* first column of the border, which is numbered last  */
  size_t nborder, nborder_row; /* numbers and rows of the panels of the border  */
  int ncol, nvec;  /* columns; numbered rows, hubs included                        */
  int nplain;      /* columns that are constraint blocks; the others are hubs      */
  int *hub;        /* [fill.nhub] bodies kept as unknowns                          */
  int *slot;       /* [nbody] index in hub or -1                                   */
  tni_column *column;  /* [ncol]                                                       */
  double *P;       /* [nP] panels                                                  */
  size_t nP;
  double *Minv;    /* [nbody*d*d] copy: solve may come after the values changed    */
  const double *kept; /* where the copy came from                                  */
  bool *simple;    /* [nbody] Minv is diagonal, but for its last 3x3 block (d = 6) */
  double *small;   /* [nbody*TNI_SMALL] of those, d = 6: diagonal, then that block */
  bool all_simple; /* all of them                                                  */
  int npin;        /* columns of pins                                              */
  bool pins;       /* the last factorization used their code                       */
  bool pins_kept;  /* their masses are in place                                    */
  bool plain;      /* pins by the general code too, for this factorization */
  const bool *active; /* K->active at the last factorization, NULL if all rows were on */
  double *J;       /* copy with the switched-off rows zero; NULL without switches  */
  double *diagonal; /* [nvec] before elimination                                   */
  double *dinv;    /* [nvec] inverse pivots                                        */
  double *N;       /* -D^-1 U of the present panel                                 */
  double *y;       /* [nvec] right-hand side and solution                          */
} tni_reduced;

/* Number the blocks and make the lists. hub: [nhub] bodies kept as unknowns; npiece: pieces to be eliminated at
 * the same time, a power of 2, 0 for none. Allocates from the arena of the solver. */
tn_status tni_reduced_build(tni_kkt_solver *s, const int *hub, int nhub, int npiece, tni_reduced **out);
/* counters of w to the info of the solver */
void tni_reduced_describe(const tni_reduced *w, tni_kkt_info *info);

/* Factor the present values of K. pivot: smallest pivot over its original diagonal entry. False if
 * it is not above tol; then bad_row is the first such row of K, or -1 if it is none of them. */
bool tni_reduced_factor(const tni_kkt *K, tni_reduced *w, double tol, double *pivot, int *bad_row);
void tni_reduced_solve(const tni_kkt *K, tni_reduced *w, const double *f, const double *g,
                       double *x, double *lambda);

/* right-hand side and solution */
typedef struct {
  const double *f, *g; /* NULL: zero */
  const bool *active;
  double *x, *lambda;
} tni_rhs;

/* What a factorization has at hand. Panels are set to zero shortly before they are used: once more
 * through the memory of a long chain would cost more than the arithmetic. */
typedef struct {
  const double *J;
  const double *shift; /* added to the diagonal, NULL: none */
  const bool *active;
  double *N;       /* as in tni_reduced */
  double *cleared; /* zero up to here   */
  double *end;
  const tni_rhs *rhs; /* NULL: factor only */
} tni_factoring;

void tni_reduced_clear(tni_factoring *a, const double *reach);

/* The steps of a factorization, for who takes them in another order. J, with w->active set; whether the masses
 * are other ones; masses and free motion of some bodies; which code for pins; columns k to end. */
const double *tni_reduced_jacobian(const tni_kkt *K, tni_reduced *w);
bool tni_reduced_masses_change(const tni_kkt *K, const tni_reduced *w);
void tni_reduced_bodies(const tni_kkt *K, tni_reduced *w, bool masses, const tni_rhs *rhs, int begin, int end);
void tni_reduced_choose_pins(const tni_kkt *K, tni_reduced *w, bool masses);
void tni_reduced_columns(const tni_kkt *K, const tni_reduced *w, tni_factoring *a, const tni_column *k,
                         const tni_column *end);
/* substitutions: columns k to end, and those before k down to first */
void tni_reduced_forward(const tni_kkt *K, const tni_reduced *w, const tni_rhs *a, const tni_column *k,
                         const tni_column *end);
void tni_reduced_backward(const tni_kkt *K, const tni_reduced *w, const tni_rhs *a, const tni_column *k,
                          const tni_column *first);
/* Factor by the function given, once more without the short formulas of pins where they lose digits, and judge
 * the pivots as tni_reduced_factor does. */
typedef void tni_factor_all(const tni_kkt *K, tni_reduced *w, tni_rhs *rhs);
bool tni_reduced_judge(const tni_kkt *K, tni_reduced *w, tni_factor_all *factor, tni_rhs *rhs, double tol,
                       double *pivot, int *bad_row);

/* Columns of pins from k on (backward: before k, down to first); they return where they stopped. */
const tni_column *tni_pins_factor(tni_factoring *a, const tni_column *k, const tni_column *end);
const tni_column *tni_pins_forward(const tni_rhs *a, const tni_column *k, const tni_column *end);
const tni_column *tni_pins_backward(const tni_rhs *a, const tni_column *k,
                                    const tni_column *first);
/* what the masses give to the lists; before the first factorization and after other code ran */
void tni_pins_keep_masses(tni_reduced *w);

#endif
