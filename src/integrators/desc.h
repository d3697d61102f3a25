/* integrators/desc.h - a stage in descriptor form: independent coordinates, all accelerations unknown
 *
 *   y = y_k + g y',   y' = y'_k + g y'',   y'' = B2 xi''         g = gamma h
 *   r(t, y, y', xi'', lambda) = 0,   gap = 0                     dependent q, v from the constraints
 *
 * by Newton's method with the matrix of integrators/partition_whole.c. No system is solved for
 * accelerations: an iteration is one recovery, one residual and one solution of the sparse matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DESC_H
#define TNI_DESC_H

#include "integrators/implicit.h"

enum { TNI_DESC_WORK = 5 }; /* vectors of the formula that a stage needs, from `work` on */

typedef struct tni_desc_stage {
  int work;                        /* first of its vectors                                  */
  const double *y_known, *yd_known; /* [nd]                                                  */
  double *xdd, *lambda;            /* [n], [m] first guess, and result                      */
  double *y, *yd, *ydd;            /* [nd]                                                  */
} tni_desc_stage;

tn_status tni_desc_solve(tni_implicit *im, double t, double h, const tni_desc_stage *g,
                         tni_cause *cause);
/* xdd, lambda of the state at which the step begins, the former with y'' = ydd0 of the formula */
void tni_desc_begin(tni_implicit *im, double *xdd, double *lambda);

void tni_desc_describe(const tni_integrator *it, char *out, size_t n);

#endif
