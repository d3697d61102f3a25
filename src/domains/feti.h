/* domains/feti.h - domains torn apart and held together by forces: FETI
 *
 *   K_s u_s = f_s - B_s^T lambda,   sum_s B_s u_s = 0
 *
 * lambda are the forces between copies of an unknown, positive from the domain with the lower number to the other; B_s picks
 * copies with signs. Domains that are not held have motions R_s without stiffness:
 *
 *   u_s = K_s^+ (f_s - B_s^T lambda) + R_s alpha_s,   R_s^T (f_s - B_s^T lambda) = 0
 *
 *   [ F  -G ] [lambda]   [ d]      F = sum B_s K_s^+ B_s^T,  d = sum B_s K_s^+ f_s
 *   [-G^T 0 ] [alpha ] = [-e]      G = [B_s R_s],            e = [R_s^T f_s]
 *
 * solved by conjugate gradients in the space G^T lambda = e, with P = I - G (G^T G)^-1 G^T. Source: Farhat and Roux 1990; their
 * listing omits F lambda0 in the first residual and takes beta and gamma of residuals that are not projected, which diverges.
 *
 * Motions R_s are the rigid ones, and those of mechanisms (floating.h). Domains under stress resist theirs with S_s, of either sign: S alpha = e - G^T lambda
 * stands in the place of G^T lambda = e, and every direction is taken into that space and made conjugate to G (feti_stressed.c).
 *
 * FETI-DP: unknowns at corners, and means over what the same domains share, are kept together. With C_s u_s = A_s c, c primal,
 *
 *   u_s = Phi_s A_s c + (K_s with C_s u_s = 0)^-1 (f_s - B_s^T lambda),   sum_s A_s^T Phi_s^T K_s Phi_s A_s c = ...
 *
 * no domain floats, and the problem of the primal unknowns carries forces across all domains in every iteration (Farhat, Lesoinne,
 * Le Tallec, Pierson and Rixen 2001; written with constraints as Dohrmann 2003 does).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FETI_H
#define TNI_FETI_H

#include "domains/domains.h"

/* who is tied to whom where more than two domains meet */
typedef enum {
  TNI_TIES_ALL,   /* every pair: what scaled preconditioners want                                    */
  TNI_TIES_FACES, /* pairs that touch along faces: Farhat and Roux                                   */
  TNI_TIES_CHAIN, /* each to the next: no more than needed                                           */
  TNI_NTIES
} tni_ties;

typedef enum {
  TNI_FETI_DIRICHLET, /* stiffness of the border with the interior at rest: one more factorization      */
  TNI_FETI_LUMPED,    /* stiffness of the border with the interior held                              */
  TNI_FETI_DIAGONAL,  /* its diagonal                                                                */
  TNI_FETI_NONE,
  TNI_NFETI
} tni_feti_preconditioner;

typedef enum {
  TNI_FETI_SCALE_STIFFNESS, /* weights by the diagonals of the others: for materials that differ          */
  TNI_FETI_SCALE_COUNT,     /* by the number of domains that meet                                         */
  TNI_FETI_SCALE_NONE,
  TNI_NSCALE
} tni_feti_scale;

/* what of the domains stays together (FETI-DP); the domains then have no rigid motions of their own */
typedef enum {
  TNI_PRIMAL_NONE,    /* nothing: FETI                                                                */
  TNI_PRIMAL_CORNERS, /* unknowns marked as corners                                                  */
  TNI_PRIMAL_MEANS,   /* and means over all unknowns of a kind that the same domains share           */
  TNI_NPRIMAL
} tni_feti_primal;

/* what forces between domains and jumps keep to in every iteration */
typedef enum {
  TNI_FETI_COARSE_MEANS,   /* motions of floating domains, and means along what domains share (feti_means.c)  */
  TNI_FETI_COARSE_MOTIONS, /* motions alone: Farhat and Roux                                         */
  TNI_NFETI_COARSE
} tni_feti_coarse;

extern const char *const tni_ties_names[TNI_NTIES], *const tni_feti_names[TNI_NFETI], *const tni_feti_scale_names[TNI_NSCALE],
    *const tni_feti_primal_names[TNI_NPRIMAL], *const tni_feti_coarse_names[TNI_NFETI_COARSE];

typedef struct tni_feti tni_feti;

typedef struct tni_feti_opts {
  tni_feti_primal primal;
  tni_ties ties;
  tni_feti_preconditioner preconditioner;
  tni_feti_scale scale;
  tni_feti_coarse coarse; /* not of FETI-DP, nor where directions are forgotten, ties are along faces, motions resisted or those of mechanisms: motions */
  bool forget;      /* directions are not kept: plain recurrence                                     */
  bool stressed;    /* rigid motions may be resisted; directions are kept then                       */
  double tolerance; /* |K u - f| relative to |f|, of the whole; 0: 1e-10                             */
  double jump;      /* > 0: stop at |P r| so much smaller than at the start instead                  */
  int most;         /* iterations; 0: 2000                                                           */
  /* after every product, with iterations done so far; false: stop. NULL: nobody                    */
  bool (*watch)(void *user, tni_feti *f, int iteration, double jump);
  void *user;
} tni_feti_opts;

typedef struct tni_feti_report {
  int iterations;
  int multipliers, rigid;       /* forces between copies; motions of domains that are not held       */
  int extra;                    /* those among them that are not rigid: mechanisms                   */
  int primal;                   /* unknowns that stay together                                       */
  int means;                    /* forces of the second coarse space, 0: none                        */
  int most_ties, most_shares;   /* domains that one is tied to, shares unknowns with                 */
  double mean_ties, mean_shares;
  double residual;              /* |K u - f| relative to |f|, 0: rounding                            */
  double jump;                  /* |P r| relative to its first value                                 */
  bool indefinite;              /* a direction without positive stiffness was met                    */
  double least, largest;        /* of the eigenvalues of the preconditioned F that the iteration saw */
  long nnz, nnz_most;           /* numbers in all factors; in those of one rank at most              */
  long messages, bytes;         /* between neighbours in one iteration, all domains together         */
  int reductions;               /* sums over all domains in one iteration                            */
} tni_feti_report;

/* Factors all domains. TN_SINGULAR: a domain, by number, whose motions without stiffness are not found,
 * that is not stable, or the whole is not held. d is borrowed for the whole life. */
TN_NODISCARD tn_status tni_feti_create(const tni_domains *d, const tni_feti_opts *opts, tni_feti **out);
void tni_feti_destroy(tni_feti **f);

/* f, u: vectors in pieces; copies of u are equal. On several ranks each gives and gets the pieces of its domains, and all call this together. Directions of earlier right sides serve again. TN_NOT_CONVERGED: u is the best
 * so far, and the report says how far it is. */
TN_NODISCARD tn_status tni_feti_solve(tni_feti *f, const double *force, double *u, tni_feti_report *report);

/* while watching: u of the present lambda */
void tni_feti_look(tni_feti *f, double *u);

const int *tni_feti_from(const tni_feti *f); /* [n+1] where the pieces of vectors begin */

#endif
