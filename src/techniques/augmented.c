/* techniques/augmented.c - accelerations and multipliers together (index 1), no stabilisation
 *
 *   C v' = gamma
 *
 * The constraints hold for accelerations only; what the steps leave in positions and velocities is
 * taken away by projection. This is what the system does by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "techniques/solved.h"

extern const tni_technique_type tni_technique_augmented;

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                        tni_technique **out) {
  return tni_solved_create(ctx, s, opts, &tni_technique_augmented, TNI_KKT_AUTO,
                           sizeof(tni_solved), out);
}

static tn_status solve(tni_technique *tq, tni_terms *terms, const tni_station *at,
                       double *lambda, double *a) {
  return tni_solved_solve(tq, terms, terms->gamma, at->t, lambda, a);
}

const tni_technique_type tni_technique_augmented = {
    .name = "augmented",
    .summary = "Accelerations and multipliers from one system; states are projected.",
    .projects = true,
    .native = true,
    .create = create,
    .destroy = tni_solved_destroy,
    .solve = solve,
};
