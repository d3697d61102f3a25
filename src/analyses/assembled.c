/* analyses/assembled.c - the analysis `assemble`: the consistent state, and nothing after it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/run.h"

static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  const tni_data *c = sim->cartesian;
  snprintf(sim->sum.method, sizeof(sim->sum.method), "assemble: positions and velocities from the constraints");
  tni_run_add_figure(r, "freedom", "", c->nv - (c->rank ? c->rank->rank : c->m));
  TN_TRY(tni_run_open(r));
  return tni_run_store(r);
}

const tni_analysis tni_analysis_assemble = {
    .name = "assemble", .doc = "only make the state consistent", .motion = TNI_MOTION_START, .run = run};
