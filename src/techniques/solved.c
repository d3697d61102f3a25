/* techniques/solved.c - techniques that solve one block-structured system per state
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "techniques/solved.h"

/* a pivot below this part of its diagonal is rounding */
static const double SINGULAR_PIVOT = 1e-12;

tn_status tni_solved_create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                            const tni_technique_type *type, tni_kkt_method method, size_t size,
                            tni_technique **out) {
  *out = NULL;
  tni_solved *w = tni_alloc(ctx, 1, size);
  if (!w) return tni_out_of_memory(ctx);
  if (method == TNI_KKT_AUTO && opts) method = opts->solver;
  tni_kkt_opts k = {.method = method, .pivot_tol = SINGULAR_PIVOT};
  tn_status st = tni_technique_init(&w->base, type, ctx, s, opts);
  if (st == TN_OK) st = tni_kkt_create(ctx, &w->base.K, &k, &w->solver);
  *out = &w->base;
  if (st != TN_OK) tni_technique_destroy(out);
  return st;
}

void tni_solved_destroy(tni_technique *tq) { tni_kkt_destroy(&((tni_solved *)tq)->solver); }

tn_status tni_solved_solve(tni_technique *tq, const tni_terms *terms, const double *g, double t,
                           double *lambda, double *a) {
  tni_solved *w = (tni_solved *)tq;
  tq->s->work.nfactor += tq->s->m > 0;
  tn_status st = tni_kkt_factor_solve(w->solver, terms->f, g, a, lambda);
  return st == TN_SINGULAR ? tni_technique_singular(tq, t, tni_kkt_bad_row(w->solver)) : st;
}
