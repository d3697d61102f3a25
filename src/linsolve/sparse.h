/* linsolve/sparse.h - direct solution of sparse linear systems, whoever does it
 *
 *   create (pattern, once) -> factor (values) -> solve ...
 *
 *   klu     real or complex: matrices of joints and beams, where fill is small
 *   mumps   real: large meshes, with a nested dissection (METIS) of the graph of the nodes; of
 *           symmetric matrices it tells the inertia and vectors of the null space
 *   fronts  real, symmetric and positive definite: the same order, dense fronts on all threads
 *   pcg     the same, without a factor: conjugate gradients, where memory is short
 *   skyline real, symmetric: active columns, the classical solver, to compare with
 *
 * A matrix is given by compressed columns. Those who have rows hand them over as columns and solve with
 * the transposed matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SPARSE_H
#define TNI_SPARSE_H

#include "base/base.h"

typedef struct tni_sparse_solver tni_sparse_solver;

typedef struct tni_sparse_opts {
  const char *backend; /* "klu", "mumps", "fronts", "pcg", "skyline", NULL: by size and symmetry */
  bool is_complex;     /* values are pairs (re, im)                                             */
  bool symmetric;      /* values too; all entries are given, those below the diagonal are used  */
  bool scales;         /* rows are scaled by the solver; else the caller has done it            */
  double least;        /* a pivot that is not above it is zero                                  */
  bool relative;       /* in units of the largest pivot                                         */
  double decay;        /* pivots are chosen anew when the smallest has dropped by this factor; 0: never */
  double threshold;    /* a diagonal entry is pivot above this part of its column; 0: as the solver likes */
  bool unlike;         /* rows and columns have little in common: ordered by colamd (klu)       */
  const char *reason;  /* of the back end, for tni_sparse_solver_describe; NULL: the caller chose it */
  const int *node;     /* [n] or NULL: unknowns of one node have the same number, ascending     */
  bool once;           /* one factorization: its working memory is given back, ptr, ind, node are not looked at after it */
} tni_sparse_opts;

/* ptr [n+1], ind [ptr[n]]: borrowed for the whole life */
tn_status tni_sparse_solver_create(tn_ctx *ctx, int n, const int *ptr, const int *ind,
                                   const tni_sparse_opts *opts, tni_sparse_solver **out);
void tni_sparse_solver_destroy(tni_sparse_solver **s);
/* ptr and ind hold another pattern now, of the same n: chosen and analysed anew, as if just created. Takes no memory from
 * the context while klu serves before and after; klu itself does. */
tn_status tni_sparse_solver_analyze(tni_sparse_solver *s);

/* TN_SINGULAR: a pivot is zero, of which column: tni_sparse_solver_column. Pivots of the factor before serve
 * as long as they are good; klu allocates only where it chooses new ones. */
tn_status tni_sparse_solver_factor(tni_sparse_solver *s, const double *value);
/* with the pivots of the factor before, or not at all: false; mumps has none to keep */
bool tni_sparse_solver_refactor(tni_sparse_solver *s, const double *value);
void tni_sparse_solver_forget(tni_sparse_solver *s); /* the next factor chooses its pivots */
double tni_sparse_solver_least(const tni_sparse_solver *s);  /* smallest pivot of the last factor */
int tni_sparse_solver_column(const tni_sparse_solver *s);    /* where it was                      */

/* nrhs right sides of n numbers (complex: pairs) one after the other become solutions */
void tni_sparse_solver_solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b);

/* Numbers of negative and of zero eigenvalues, symmetric only. False: this solver cannot tell. */
bool tni_sparse_solver_inertia(const tni_sparse_solver *s, int *negative, int *zero);
/* Vectors that the last factor found to be without stiffness: x [zero][n]. False as above. */
bool tni_sparse_solver_null(tni_sparse_solver *s, double *x);

long tni_sparse_solver_nnz(const tni_sparse_solver *s); /* stored numbers of the factor */
/* fronts, before a factorization: its operations and the memory it will take [bytes]; 0: not known */
double tni_sparse_solver_flops(const tni_sparse_solver *s);
double tni_sparse_solver_bytes(const tni_sparse_solver *s);
/* one line: who, in which order, why */
void tni_sparse_solver_describe(const tni_sparse_solver *s, char *out, size_t n);

/* Conjugate gradients: is the answer right in energy too? Forces that are right leave displacements that are not, where the matrix is ill-conditioned.
 * gain [n]: energy that iterations have brought. What was missing n/5 iterations ago, ten at least, is what these have brought since (Hestenes and
 * Stiefel 1952; Strakos and Tichy 2002), and what is missing now is less. */
bool tni_energy_is_there(long n, const double *gain, double tolerance);

/* ---- for the back ends --------------------------------------------------------------------- */

typedef struct tni_sparse_backend {
  const char *name;
  tn_status (*create)(tni_sparse_solver *s);
  void (*destroy)(tni_sparse_solver *s);
  tn_status (*analyze)(tni_sparse_solver *s); /* another pattern; NULL: destroy, create */
  tn_status (*factor)(tni_sparse_solver *s, const double *value);
  bool (*refactor)(tni_sparse_solver *s, const double *value); /* NULL: none */
  void (*forget)(tni_sparse_solver *s);                        /* NULL: none */
  void (*solve)(tni_sparse_solver *s, int nrhs, bool transposed, double *b);
  bool (*null)(tni_sparse_solver *s, double *x); /* NULL: none */
} tni_sparse_backend;

struct tni_sparse_solver {
  const tni_sparse_backend *backend;
  tn_ctx *ctx;
  tni_arena arena;
  tni_sparse_opts opts;
  int n;
  const int *ptr, *ind;
  int *permutation;      /* [n+1] scratch of the choice, NULL: the caller chose                */
  const char *reason, *order;
  double least, most;    /* pivots of the last factor                  */
  double chosen;         /* the smallest when pivots were chosen       */
  int column;
  int negative, zero;    /* inertia, -1: not known                     */
  long nnz;
  double flops, bytes;   /* expected                                   */
  char note[80];         /* of the last solution, for describe         */
  void *state;
};

extern const tni_sparse_backend tni_sparse_klu, tni_sparse_mumps, tni_sparse_fronts, tni_sparse_pcg, tni_sparse_skyline;

#endif
