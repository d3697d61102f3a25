/* domains/domains.h - symmetric systems that are given in pieces
 *
 *   K u = f,   K = sum_s A_s^T K_s A_s,   f = sum_s A_s^T f_s
 *
 * A domain has its own unknowns, its own matrix and its own share of the right side; A_s picks its unknowns out of the whole by
 * their numbers. The whole is never put together: domains meet at the unknowns that several of them have, their borders. What
 * every copy of an unknown gets is the sum over its domains in ascending order, so that all copies have the same bits, and numbers
 * that belong to all domains are sums over domains in their order, whoever works on them.
 *
 *   feti.h      domains torn apart, forces between them as unknowns (Farhat and Roux 1990); the same, but with domains that stay
 *               together at corners and in the mean along their borders (FETI-DP)
 *   schur.h     unknowns of the borders only, directly or by conjugate gradients
 *
 * A vector of the whole is kept in pieces, one after the other: domain s has the part that begins at from[s].
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DOMAINS_H
#define TNI_DOMAINS_H

#include "base/base.h"
#include "linsolve/sparse.h"

typedef struct tni_domain {
  int n;                   /* unknowns; what is held is none                                        */
  const int *ptr, *ind;    /* compressed columns of K_s, all entries, rows ascending                */
  const double *value;
  const long long *number; /* [n] in the whole, ascending                                           */
  const int *node;         /* [n] unknowns of one node have the same number, 0, 1, 2, ...; or NULL  */
  const signed char *kind; /* [n] which of its node's unknowns, or NULL: means over borders are not asked for */
  const bool *corner;      /* [n] kept together by feti_dp, or NULL: no corners                     */
  int nrigid;              /* motions of its own that it does not resist                            */
  const double *rigid;     /* [nrigid][n]: K_s R = 0                                                */
} tni_domain;

typedef struct tni_domains {
  tn_ctx *ctx;
  int n;
  const tni_domain *domain; /* [n]                                                                  */
  int npair;                /* pairs that touch along whole faces (edges in the plane)              */
  const int *pair;          /* [npair][2], first < second, ascending                                */
} tni_domains;

typedef struct tni_side { int domain, at; } tni_side; /* at: place among the unknowns of its border */

/* what a domain shares with others */
typedef struct tni_border {
  int nb, ni;
  int *b, *i;       /* unknowns of the border, of the interior; ascending                           */
  int *from;        /* [nb+1] into side                                                             */
  tni_side *side;   /* all domains that have the unknown, itself too, ascending                     */
  int nneighbour;   /* domains that share anything                                                  */
} tni_border;

TN_NODISCARD tn_status tni_borders_create(const tni_domains *d, tni_arena *arena, tni_border **out);

/* x [all domains' borders one after the other, domain s at from[s]]: every copy becomes the sum over its domains; y the same room */
void tni_borders_sum(const tni_domains *d, const tni_border *border, const int *from, const double *x, double *y);

/* |f - K u|, |f| and what rounding makes of the first, eps | |K| |u| |, of the whole; an unknown with several copies counts once.
 * Scratch: one [all unknowns], a, b [all borders] */
typedef struct tni_balance { double residual, force, rounding; } tni_balance;
tni_balance tni_domains_balance(const tni_domains *d, const tni_border *border, const int *from, const int *border_from, const double *force,
                                const double *u, double *one, double *a, double *b);
/* relative to the forces, 0 where it is rounding */
double tni_balance_left(const tni_balance *b);

/* a block of a matrix: rows and columns by place in lists of their own */
typedef struct tni_block {
  int nrow, ncol;
  int *ptr, *ind;
  double *value;
  int *source;      /* [nnz] where the value is in the matrix it was taken from                     */
} tni_block;

/* rows and columns of K_s that are listed (ascending); scratch [n] is left as it was found, all -1 */
TN_NODISCARD tn_status tni_block_take(const tni_domain *d, int nrow, const int *row, int ncol, const int *col, int *scratch,
                                      tni_arena *arena, tni_block *out);
/* node [n] of the unknowns that are listed, again without gaps; NULL: none are known */
TN_NODISCARD tn_status tni_domain_nodes(const tni_domain *d, int n, const int *list, tni_arena *arena, int **node);
void tni_block_multiply(const tni_block *a, const double *x, double *y);     /* y = A x         */
void tni_block_multiply_add(const tni_block *a, double c, const double *x, double *y);   /* y += c A x      */
void tni_block_transposed_add(const tni_block *a, double c, const double *x, double *y); /* y += c A^T x    */
double tni_domain_size(const tni_domain *d); /* largest entry: what pivots are judged by */
void tni_domain_multiply(const tni_domain *d, const double *x, double *y);  /* y = K_s x       */

#endif
