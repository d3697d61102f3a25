/* techniques/solved.h - techniques that solve one block-structured system per state
 *
 *   [ M  C^T ] [ v'     ]   [ f ]
 *   [ C   0  ] [ lambda ] = [ g ]     g is all they differ in
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLVED_H
#define TNI_SOLVED_H

#include "techniques/technique.h"

typedef struct tni_solved {
  tni_technique base;
  tni_kkt_solver *solver;
} tni_solved;

/* create with size bytes, of which tni_solved are the first */
tn_status tni_solved_create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                            const tni_technique_type *type, tni_kkt_method method, size_t size,
                            tni_technique **out);
void tni_solved_destroy(tni_technique *tq);
/* factor and solve with the right-hand side g of the rows */
tn_status tni_solved_solve(tni_technique *tq, const tni_terms *terms, const double *g, double t,
                           double *lambda, double *a);

#endif
