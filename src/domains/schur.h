/* domains/schur.h - substructuring: the unknowns of the borders only
 *
 *   S u_b = g,   S = sum_s A_s^T (K_bb - K_bi K_ii^-1 K_ib) A_s,   g = sum_s A_s^T (f_b - K_bi K_ii^-1 f_i)
 *   u_i = K_ii^-1 (f_i - K_ib u_b)
 *
 * directly, with S put together (every domain a dense block), or by conjugate gradients with S known by its products only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCHUR_H
#define TNI_SCHUR_H

#include "domains/domains.h"

typedef enum {
  TNI_SCHUR_DIRECT,
  TNI_SCHUR_CG,          /* no preconditioner: Farhat's comparison                                  */
  TNI_SCHUR_CG_DIAGONAL, /* by the diagonal of K_bb                                                 */
  TNI_NSCHUR
} tni_schur_method;

typedef struct tni_schur tni_schur;

typedef struct tni_schur_opts {
  tni_schur_method method;
  double tolerance; /* |K u - f| relative to |f|, of the whole; 0: 1e-10                             */
  double drop;      /* > 0: stop when the residual of the borders is so much smaller than at the start instead */
  int most;         /* iterations; 0: 20000                                                          */
  bool any;         /* direct: the matrix need not be positive definite                              */
  bool (*watch)(void *user, tni_schur *s, int iteration, double drop); /* false: stop. NULL: nobody  */
  void *user;
} tni_schur_opts;

typedef struct tni_schur_report {
  int iterations, unknowns;     /* of the borders                                                    */
  double residual, drop;        /* 0: rounding                                                       */
  long nnz, nnz_most, messages, bytes; /* as in feti.h                                               */
} tni_schur_report;

TN_NODISCARD tn_status tni_schur_create(const tni_domains *d, const tni_schur_opts *opts, tni_schur **out);
void tni_schur_destroy(tni_schur **s);
TN_NODISCARD tn_status tni_schur_solve(tni_schur *s, const double *force, double *u, tni_schur_report *report);
/* Negative eigenvalues of the whole: of the interiors and of S (Haynsworth's law). Direct with `any`; by all ranks together. False: a
 * solver does not tell. */
bool tni_schur_negative(const tni_schur *s, int *negative);
void tni_schur_look(tni_schur *s, double *u); /* while watching */

#endif
