/* linsolve/kkt.h - accelerations and multipliers of a block-structured system
 *
 *   [ M  C^T ] [ x      ]   [ f ]
 *   [ C   0  ] [ lambda ] = [ g ]
 *
 * M is block diagonal with one symmetric positive definite d x d block per body (d = 3 planar,
 * 6 spatial). C comes in constraint blocks (one per joint): the rows of a block touch a few bodies,
 * and each (constraint block, body) incidence carries a dense nrow x d block. The reduced matrix is
 * B = C M^-1 C^T; its blocks are the constraint blocks, two of them are coupled when they share a
 * body (topology-linear-solver spec, sections 3 to 10).
 *
 * A shift s >= 0 per row softens the constraints: C x - diag(s) lambda = g, so that the reduced matrix
 * is B + diag(s), definite even when rows depend on each other.
 *
 * x may go on beyond the bodies with unknowns that have a mass of their own and no rows: points.
 *
 * This header knows no joint and no body: plain arrays in, solution out.
 *
 * Life cycle:  create -> analyze (pattern, once) -> factor (values, no allocation) -> solve ...
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_KKT_H
#define TNI_KKT_H

#include "base/base.h"

/* The system. Pattern arrays are constant after analyze; values may change between factors. All
 * pointers are borrowed from the owner of the system. */
typedef struct tni_kkt {
  int nbody;          /* body blocks                                                        */
  int d;              /* size of a body block, 3 or 6                                       */
  int nblock;         /* constraint blocks                                                  */
  int nrow;           /* all rows, sum of rows of the blocks                                */
  const int *rowadr;  /* [nblock+1] first row of each block in lambda and g                 */
  const int *incadr;  /* [nblock+1] first incidence of each block                           */
  const int *incbody; /* [incadr[nblock]] body of each incidence, distinct within a block   */
  const int *jadr;    /* [incadr[nblock]] offset of its nrow x d block in J, row-major      */
  const signed char *unit; /* [incadr[nblock]] or NULL: 1, -1 where the first rows and columns of */
                      /* the block are always that times the unit matrix (points held together) */
  const double *J;    /* values of C                                                        */
  const double *M;    /* [nbody*d*d] mass blocks, row-major                                 */
  const double *Minv; /* [nbody*d*d] their inverses                                         */
  bool constant_mass; /* the values behind M, Minv never change: a factor looks at the pointer only */
  const bool *active; /* [nrow] or NULL: rows to use; lambda of the others comes out 0.     */
                      /* The values may change, being NULL or not may not after create      */
  const double *shift; /* [nrow] or NULL: none; the same rule                               */
  int nfree;          /* unknowns of x after those of the bodies, which no row touches,      */
  const double *free_minv; /* [nfree] and their inverse masses                               */
  /* x [nfree] := M^-1 f of those whose mass is not diagonal, after the others; NULL: all are  */
  void (*free_solve)(void *user, const double *f, double *x);
  void *free_user;
} tni_kkt;

typedef enum {
  TNI_ORDER_AUTO = 0,  /* best of the others by exact block work                           */
  TNI_ORDER_GIVEN,     /* as listed                                                        */
  TNI_ORDER_RCM,       /* reverse Cuthill-McKee                                            */
  TNI_ORDER_GPS,       /* Gibbs-Poole-Stockmeyer                                           */
  TNI_ORDER_GK,        /* Gibbs-King                                                       */
  TNI_ORDER_MD,        /* minimum degree (AMD on the block graph), for the sparse variant  */
  TNI_ORDER_RCM_ROWS,  /* the same four, counting rows instead of blocks                   */
  TNI_ORDER_GPS_ROWS,
  TNI_ORDER_GK_ROWS,
  TNI_ORDER_MD_ROWS,
  /* Added to one of the above: treat the whole envelope of the numbering as filled, which is the
   * published block envelope algorithm. Without it only the true fill is stored and a bad
   * numbering of a chain costs nothing. */
  TNI_ORDER_ENVELOPE = 16
} tni_ordering;

typedef enum {
  TNI_KKT_AUTO = 0,
  TNI_KKT_DENSE_LU,   /* LAPACK dgetrf of the whole matrix: the reference                  */
  TNI_KKT_SPARSE_LU,  /* KLU of the whole matrix                                           */
  TNI_KKT_REDUCED,    /* block LDL^T of B after renumbering the blocks                     */
  TNI_KKT_HUB,        /* the same with bodies of many joints kept as unknowns              */
  TNI_KKT_NATURAL,    /* null space along the tree of the joints, groups in parallel       */
  TNI_KKT_NATURAL_CG, /* the same, its equations by preconditioned conjugate gradients     */
  TNI_KKT_COMPLIANCE_CG, /* B + diag(s) by conjugate gradients, body by body, no matrix    */
  TNI_KKT_PIECES,     /* as reduced, pieces of the mechanism at the same time on threads    */
  TNI_KKT_NMETHOD
} tni_kkt_method;

typedef struct tni_kkt_opts {
  tni_kkt_method method;
  tni_ordering ordering;
  double pivot_tol; /* a pivot below pivot_tol * original diagonal is singular; default 1e-13 */
  int refine;       /* steps of iterative refinement of the whole system in solve; default 0  */
  int pieces;       /* of TNI_KKT_PIECES, a power of 2; 0: 2 for systems that are large enough  */
} tni_kkt_opts;

typedef struct tni_kkt_info {
  const char *method;   /* "reduced", ...                                                   */
  const char *ordering; /* "gps", ...                                                       */
  const char *reason;   /* why auto chose it, one line                                      */
  int bandwidth;        /* block half bandwidth (reduced)                                   */
  long envelope;        /* sum of block row widths, spec (26)                               */
  long work_bound;      /* spec (27)                                                        */
  long work;            /* block operations really done by one factor; <= work_bound        */
  long nnz;             /* stored numbers of the factor                                     */
  long nfactor, nsolve; /* calls so far                                                     */
  int iterations;       /* of the last solution, iterative methods                          */
} tni_kkt_info;

typedef struct tni_kkt_solver tni_kkt_solver;

/* Create a solver for the pattern of K (values are not read). K is borrowed for the whole life.
 * Everything needed later is allocated here. opts may be NULL. */
tn_status tni_kkt_create(tn_ctx *ctx, const tni_kkt *K, const tni_kkt_opts *opts,
                         tni_kkt_solver **out);
void tni_kkt_destroy(tni_kkt_solver **s);

/* Factor the present values. Returns TN_SINGULAR with the constraint row where the pivot vanished
 * in tni_kkt_bad_row (-1 if unknown); the solver stays usable. Allocates nothing. */
tn_status tni_kkt_factor(tni_kkt_solver *s);
int tni_kkt_bad_row(const tni_kkt_solver *s);
/* smallest pivot divided by the original diagonal entry in the last factor (reduced method; 1 for
 * the others): a cheap warning of a near-singular configuration */
double tni_kkt_pivot_ratio(const tni_kkt_solver *s);

/* Solve with the last factor. f [nbody*d + nfree], g [nrow]; x like f, lambda like g are overwritten
 * and may not alias the inputs. f or g may be NULL: zero. Allocates nothing. */
void tni_kkt_solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda);

/* Both at once, the same bits: a long chain then passes through the cache once less. On TN_SINGULAR
 * x and lambda are not defined. */
tn_status tni_kkt_factor_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                               double *lambda);

void tni_kkt_get_info(const tni_kkt_solver *s, tni_kkt_info *info);

/* y = C x  [nrow];  y = C^T lambda  [nbody*d + nfree], both overwritten */
void tni_kkt_apply_C(const tni_kkt *K, const double *x, double *y);
void tni_kkt_apply_Ct(const tni_kkt *K, const double *lambda, double *y);

/* Row scale 1/sqrt(B_jj) of constraint row r of block b, 1 for a row of zeros: makes pivots
 * comparable when rows have different units. */
double tni_kkt_row_scale(const tni_kkt *K, int b, int r);

/* Rank of C by QR with column pivoting of (C M^-1/2)^T with rows scaled to unit length. */
typedef struct tni_rank {
  int nrow, rank, nnull; /* nnull = nrow - rank                                             */
  bool *independent;     /* [nrow] a maximal independent set, earlier rows preferred unless   */
                         /* they are nearly dependent                                        */
  double *null;          /* [nrow*nnull] column-major orthonormal basis of {z : C^T z = 0}   */
  double *condition;     /* [1] ratio of largest to smallest kept singular value (scaled)    */
} tni_rank;

/* Analyse the present values of K (rows with active = false are treated like the others).
 * tol: sine of the angle to the rows before it below which a row is dependent; 0 means 1e-6. Arrays
 * are allocated from the arena. Dense up to a few thousand rows. For the min-norm multipliers of a
 * redundant system: lambda -= Z Z^T lambda with Z = null. */
tn_status tni_kkt_rank(const tni_kkt *K, double tol, tni_arena *arena, tni_rank *out);
void tni_rank_min_norm(const tni_rank *rank, double *lambda);

/* Rows exchanged while the rank stays: dropped row dropped[a] = sum over kept rows i of W[a*nrow+i]
 * times row i, a < n. While a kept row of length size[i] makes up more than four times the length of
 * a dropped one, the two change places, so that the kept ones stay far from dependence; each
 * exchange at least quadruples the volume they span. W, dropped and independent follow. Rows with
 * kind[i] = true replace only their like (kind NULL: all are alike). Returns how many exchanges. */
int tni_rank_exchange(int nrow, int n, const double *size, const bool *kind, double *W, int *dropped,
                      bool *independent);

#endif
