/* analyses/transient.c - motion in time, step by step
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/run.h"

static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  TN_TRY(tni_run_open(r));
  TN_TRY(tni_run_store_passed(r));
  while (sim->t_hi < sim->set.until) {
    TN_TRY(tni_run_advance(r));
    TN_TRY(tni_run_store_passed(r));
  }
  return TN_OK;
}

const tni_analysis tni_analysis_transient = {
    .name = "transient", .doc = "simulate in time", .motion = TNI_MOTION_STEPS, .run = run};
