/* domains/inside.c - a domain split at its border, its interior factored
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/inside.h"

static const double ZERO = 1e-13; /* pivots below it, in units of the largest, are none */

/* its matrix is in an arena that serves no longer than the factorization, but for solvers that look at it again */
static tn_status factor_interior(tn_ctx *ctx, const tni_domain *d, const tni_border *o, bool any, int *scratch, tni_arena *arena, tni_inside *p) {
  tni_block ii;
  int *node;
  TN_TRY(tni_block_take(d, o->ni, o->i, o->ni, o->i, scratch, arena, &ii));
  TN_TRY(tni_domain_nodes(d, o->ni, o->i, arena, &node));
  tni_sparse_opts so = {.backend = any ? "mumps" : "fronts", .symmetric = true, .least = ZERO*tni_domain_size(d), .node = node, .once = !any};
  TN_TRY(tni_sparse_solver_create(ctx, o->ni, ii.ptr, ii.ind, &so, &p->factor));
  return tni_sparse_solver_factor(p->factor, ii.value);
}

tn_status tni_inside_create(tn_ctx *ctx, const tni_domain *d, const tni_border *o, int number, tni_inside_what what, bool any, int *scratch,
                            tni_arena *arena, tni_inside *p) {
  *p = (tni_inside){0};
  TN_TRY(tni_block_take(d, o->nb, o->b, o->nb, o->b, scratch, arena, &p->bb));
  if (what == TNI_INSIDE_BORDER) return TN_OK;
  TNI_ARENA_NEW(arena, p->z, o->ni);
  TN_TRY(tni_block_take(d, o->ni, o->i, o->nb, o->b, scratch, arena, &p->ib));
  if (!o->ni) return TN_OK;
  tni_arena brief;
  tni_arena_init(&brief, ctx);
  tn_status st = factor_interior(ctx, d, o, any, scratch, any ? arena : &brief, p);
  tni_arena_clear(&brief);
  int negative = 0, zero = 0;
  if (st == TN_SINGULAR || (st == TN_OK && tni_sparse_solver_inertia(p->factor, &negative, &zero) && zero > 0))
    return TN_FAIL(ctx, TN_SINGULAR, "domain %d moves without resistance though its border is held: it is a mechanism", number);
  return st;
}

void tni_inside_destroy(tni_inside *p) { tni_sparse_solver_destroy(&p->factor); }

void tni_inside_solve(const tni_inside *p, int n, double *z) {
  if (p->factor) tni_sparse_solver_solve(p->factor, n, false, z);
}

void tni_inside_multiply(const tni_inside *p, const double *x, double *y) {
  tni_block_multiply(&p->bb, x, y);
  if (!p->factor) return;
  tni_block_multiply(&p->ib, x, p->z);
  tni_inside_solve(p, 1, p->z);
  tni_block_transposed_add(&p->ib, -1, p->z, y);
}
