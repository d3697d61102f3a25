/* bench/claims.h - claims of the papers on parallel finite elements, one row each
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "bench.h"

typedef enum { CLAIM_NO, CLAIM_YES, CLAIM_REPORT } claim_verdict;

/* a row of docs/benchmarks/parallel.md: | name | what, number there | here | reproduced | ; "H3" also as a figure H3.held */
void claim(figures *j, const char *name, const char *there, claim_verdict held, const char *here, ...);
/* a figure "H3.key" */
void claim_figure(figures *j, const char *name, const char *key, double value);
static inline claim_verdict claim_is(bool yes) { return yes ? CLAIM_YES : CLAIM_NO; }
static inline bool claim_near(double got, double want, double part) { return fabs(got - want) <= part*fabs(want); }

void claims_of_meshes(figures *j, tn_ctx *ctx);   /* H1 to H5, H17, H28                   */
void claims_of_advice(figures *j, tn_ctx *ctx);   /* H16 and counts of H22, H27           */
void claims_of_domains(figures *j);               /* H18 to H24                           */
void claims_of_few_forces(figures *j, tn_ctx *ctx); /* H25 to H27                         */
void claims_by_the_clock(figures *j, const char *folder); /* H6 to H15, on a quiet machine */

#endif
