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
 *   pcg.h       all unknowns, by conjugate gradients: nothing is factored; coarse.h motions of domains as a second level
 *
 * A vector of the whole is kept in pieces, one after the other: domain s has the part that begins at from[s].
 *
 * Ranks divide the domains among them. Each has matrices, factors and pieces of vectors of its own domains; of the others it knows the
 * numbers of their unknowns (and `kind`, `corner`), so that all find the same borders without asking. Vectors have room for all
 * pieces: places are the same on all ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DOMAINS_H
#define TNI_DOMAINS_H

#include "base/base.h"
#include "linsolve/sparse.h"
#include "parallel/halo.h"

typedef struct tni_domain {
  int n;                   /* unknowns; what is held is none                                        */
  const int *ptr, *ind;    /* compressed columns of K_s, all entries, rows ascending                */
  const double *value;
  const long long *number; /* [n] in the whole, ascending                                           */
  const int *node;         /* [n] unknowns of one node have the same number, 0, 1, 2, ...; or NULL  */
  const signed char *kind; /* [n] which of its node's unknowns, or NULL: means over borders are not asked for */
  const double *place;     /* [n][3] of its node, or NULL: engines of others are not asked for       */
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
  tni_comm *comm;           /* ranks that divide the domains among them, NULL: alone                */
  const int *rank_from;     /* [ranks+1] rank r has domains rank_from[r] to rank_from[r+1] - 1; NULL: alone */
} tni_domains;

/* domains of this rank */
static inline int tni_domains_begin(const tni_domains *d) { return d->comm ? d->rank_from[d->comm->rank] : 0; }
static inline int tni_domains_end(const tni_domains *d) { return d->comm ? d->rank_from[d->comm->rank + 1] : d->n; }
/* what has gone wrong between the ranks */
static inline tn_status tni_domains_trouble(const tni_domains *d) { return d->comm ? d->comm->trouble : TN_OK; }
/* Sum over domains in their order, the same bits on all ranks and for any number of them. part [n]: of this rank's domains; then
 * of all. */
double tni_domains_sum(const tni_domains *d, double *part);
/* of counts of every rank: sum and largest, on all of them */
void tni_domains_count(const tni_domains *d, long *sum, long *most);

typedef struct tni_side { int domain, at; } tni_side; /* at: place among the unknowns of its border */

/* what a domain shares with others */
typedef struct tni_border {
  int nb, ni;
  int *b, *i;       /* unknowns of the border, of the interior; ascending                           */
  int *from;        /* [nb+1] into side                                                             */
  tni_side *side;   /* all domains that have the unknown, itself too, ascending                     */
  int nneighbour;   /* domains that share anything                                                  */
  tni_halo *halo;   /* copies that other ranks have, NULL: alone; the same for all borders          */
  double *part;     /* [domains] room for sums; the same for all borders                            */
} tni_border;

TN_NODISCARD tn_status tni_borders_create(const tni_domains *d, tni_arena *arena, tni_border **out);

/* x [all domains' borders one after the other, domain s at from[s]]: every copy becomes the sum over its domains; y the same room. Ranks: x
 * of this one's domains in, of all that share with them out; y of its own. */
void tni_borders_sum(const tni_domains *d, const tni_border *border, const int *from, double *x, double *y);

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
