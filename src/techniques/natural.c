/* techniques/natural.c - natural partitioning: the null space of the joints by their topology
 *
 *   v = N u,  C N = 0:   (N^T M N) u' = N^T (f - M N' u)
 *
 * N follows the tree of the joints body by body, cut joints close their loops within small groups
 * (linsolve/natural.c); branches are built and eliminated in parallel. Multipliers follow backwards
 * from the leaves. The same solver serves the projection.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "techniques/solved.h"

extern const tni_technique_type tni_technique_natural;

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  return tni_solved_create(ctx, s, opts, &tni_technique_natural, TNI_KKT_NATURAL,
                           sizeof(tni_solved), out);
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  return tni_solved_solve(tq, terms, terms->gamma, at->t, lambda, a);
}

const tni_technique_type tni_technique_natural = {
    .name = "natural",
    .summary = "Null space along the tree of the joints, loops closed group by group; parallel.",
    .projects = true,
    .native = true,
    .create = create,
    .destroy = tni_solved_destroy,
    .solve = solve,
};
