/* domains/pcg.h - conjugate gradients on the whole system, its matrix in pieces
 *
 *   K u = f,   z = D^-1 r,   D the diagonal of K; with a second level (coarse.h) motions of domains are solved for in every step
 *
 * Nothing is factored: memory is that of the matrices and five vectors, and an iteration is a product with every domain's matrix, one
 * exchange between neighbours and two sums over all. With one level iterations grow with the mesh; for well-shaped meshes of moderate size, or where
 * factors find no room.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PCG_H
#define TNI_PCG_H

#include "domains/coarse.h"

typedef struct tni_pcg tni_pcg;

typedef struct tni_pcg_opts {
  double tolerance; /* |K u - f| relative to |f|, of the whole; 0: 1e-10                             */
  int most;         /* iterations; 0: 100000                                                         */
  bool coarse;      /* two levels                                                                    */
} tni_pcg_opts;

typedef struct tni_pcg_report {
  int iterations;
  double residual;
  int coarse;       /* motions of domains, 0: one level                                              */
  bool indefinite;  /* a direction without positive stiffness was met                                */
} tni_pcg_report;

/* TN_SINGULAR: an unknown without stiffness */
TN_NODISCARD tn_status tni_pcg_create(const tni_domains *d, const tni_pcg_opts *opts, tni_pcg **out);
void tni_pcg_destroy(tni_pcg **p);
/* as tni_feti_solve */
TN_NODISCARD tn_status tni_pcg_solve(tni_pcg *p, const double *force, double *u, tni_pcg_report *report);

#endif
