/* analyses/kinematics.c - fully prescribed motion
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/run.h"

/* solve the constraints at t, from a Taylor step ahead of the state last looked at */
static tn_status move_to(tn_sim *sim, double t, double *dx) {
  tni_data *s = sim->s;
  double h = t - sim->at.t;
  for (int i = 0; i < s->nv; i++) dx[i] = h*sim->at.v[i] + 0.5*h*h*sim->at.a[i];
  tni_retract(s, sim->at.q, dx, sim->at.q);
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12, .max_iterations = 50};
  TN_TRY(tni_project(s, t, sim->at.q, sim->at.v, &p, NULL));
  TN_TRY(tni_accel(s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->zdot));
  tni_system_commit(s, t, sim->at.q, sim->at.v, false);
  sim->at.t = sim->t_lo = sim->t_hi = t;
  return TN_OK;
}

/* Fully prescribed motion: positions, velocities and accelerations follow from the constraints, and
 * the multipliers of the drives are the forces needed. */
static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  tni_data *s = sim->s;
  int rank = s->rank ? s->rank->rank : s->m;
  snprintf(sim->sum.method, sizeof(sim->sum.method), "kinematics: positions from the constraints");
  TN_TRY(tni_run_open(r));
  if (rank != s->nv)
    return TN_FAIL(r->ctx, TN_INCONSISTENT,
                   "kinematics needs fully prescribed motion: %d degree%s of freedom left; add "
                   "drives or use type: transient",
                   s->nv - rank, s->nv - rank == 1 ? "" : "s");
  double *dx, power[3][TNI_NZ];
  TNI_ARENA_NEW(&sim->arena, dx, s->nv);
  memcpy(power[0], sim->zdot, sizeof(power[0]));
  TN_TRY(tni_run_store(r));
  for (long k = 1; sim->at.t < sim->set.until; k++) {
    double t0 = sim->at.t, t1 = tni_run_output_time(r, k);
    /* two half steps: the work done follows by Simpson's rule */
    for (int half = 1; half <= 2; half++) {
      TN_TRY(move_to(sim, half == 2 ? t1 : 0.5*(t0 + t1), dx));
      memcpy(power[half], sim->zdot, sizeof(power[half]));
    }
    for (int i = 0; i < TNI_NZ; i++)
      sim->at.z[i] += (t1 - t0)/6*(power[0][i] + 4*power[1][i] + power[2][i]);
    memcpy(power[0], power[2], sizeof(power[0]));
    TN_TRY(tni_sim_look(sim, t1));
    TN_TRY(tni_run_store(r));
    tni_run_show_progress(r, t1, t1 - t0, k);
    TN_TRY(tni_run_heed_interrupt(r, t1));
  }
  return TN_OK;
}

const tni_analysis tni_analysis_kinematics = {
    .name = "kinematics", .doc = "follow fully prescribed motion", .motion = TNI_MOTION_PRESCRIBED, .run = run};
