/* analyses/choices.c - what a motion has to choose from, as method: auto sees it: representations, methods, who solves for accelerations
 *
 * No second opinion: rows, prices and the first one are those of the simulation that a run would make.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include <tenon/advise.h>

#include "analyses/auto.h"
#include "analyses/analysis.h"
#include "analyses/sim.h"

_Static_assert((int)TN_METHODS_MAX >= (int)TNI_CANDIDATES, "every candidate has a row");

static void fill(const tn_sim *sim, const tni_data *s, const tni_integrator_type *type, double step, double entry, tn_method_advice *out) {
  tni_prices price;
  tni_prices_of(sim->model, s, type, &price);
  *out = (tn_method_advice){.representation = tni_representation(s), .method = type->name, .entry = 1e-9*entry,
                            .step = 1e-9*(step > 0 ? step : tni_price_of_step(&price, type))};
  tni_describe(s, out->system, sizeof(out->system));
}

static tn_status look(tn_sim *sim, int *n, tn_method_advice *row, tn_methods_advised *out) {
  const tni_choice *a = sim->choice;
  TN_REQUIRE(sim->ctx, sim->it && sim->set.analysis->motion == TNI_MOTION_STEPS, TN_ERR_UNSUPPORTED, "analysis '%s' takes no steps in time: there is no method to choose", sim->set.analysis->name);
  *n = a ? a->n : 1;
  *out = (tn_methods_advised){.choice = a != NULL, .first = a ? a->now : 0};
  if (!a) {
    fill(sim, sim->s, sim->it->type, 0, 0, &row[0]);
    snprintf(out->reason, sizeof(out->reason), "%s", sim->set.reason[0] ? sim->set.reason : "the model says so");
    return TN_OK;
  }
  for (int i = 0; i < a->n; i++) fill(sim, a->c[i].s, a->c[i].type, a->c[i].guess, a->c[i].s != sim->s ? a->c[i].entry : 0, &row[i]);
  if (a->c[a->now].type->needs_tangent)
    snprintf(out->reason, sizeof(out->reason), "explicit steps would have to follow the fastest rate of the model; the cheapest implicit step");
  else
    snprintf(out->reason, sizeof(out->reason), "tolerance %.2g: %s of the explicit ones, where its step is cheapest; others are tried on the way", sim->set.tolerance,
             a->c[a->now].type->name);
  return TN_OK;
}

tn_status tn_advise_methods(tn_ctx *ctx, const tn_model *model, int *n, tn_method_advice *row, tn_methods_advised *out) {
  tn_sim *sim = NULL;
  *n = 0;
  *out = (tn_methods_advised){0};
  TN_TRY(tn_sim_create(ctx, model, NULL, &sim));
  tn_status st = look(sim, n, row, out);
  tn_sim_destroy(&sim);
  return st;
}
