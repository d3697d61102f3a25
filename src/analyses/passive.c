/* analyses/passive.c - steps in which a passive element gives heat back; see passive.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/passive.h"

#include "analyses/sim.h"

/* a step is halved at most so often */
enum { MOST = 6 };
/* part of the energy that an error of one tolerance is worth, and of all energies without their signs */
static const double WORTH = 0.1, ROUNDING = 1e-12;

tn_status tni_passive_create(tn_sim *sim) {
  tni_passive *p = &sim->passive;
  tni_auto_sizes n = tni_auto_largest(sim);
  p->off = !sim->audit.controlled || sim->model->nforce == 0;
  if (p->off) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, p->heat, sim->model->nforce);
  TNI_ARENA_NEW(&sim->arena, p->q_in, n.nq);
  TNI_ARENA_NEW(&sim->arena, p->v_in, n.nv);
  return TN_OK;
}

void tni_passive_begin(tn_sim *sim) {
  if (!sim->passive.off) sim->s->step_heat = 0;
}

/* heat of every element over the last step, by three Gauss points; returns the element with the least */
static int integrate(tn_sim *sim) {
  static const double place[] = {0.11270166537925831, 0.5, 0.88729833462074169};
  static const double weight[] = {5./18, 8./18, 5./18};
  tni_passive *p = &sim->passive;
  tni_integrator *it = sim->it;
  tni_data *s = sim->s;
  int n = sim->model->nforce, least = 0;
  double h = it->now.t - it->t_old;
  memset(p->heat, 0, (size_t)n*sizeof(double));
  for (int k = 0; k < TNI_COUNT(place); k++) {
    double t = it->t_old + place[k]*h;
    it->type->interpolate(it, t, p->q_in, p->v_in, NULL);
    tni_at inside = {.t = t, .q = p->q_in, .v = p->v_in};
    const tni_force_out *out = tni_look_forces(s, &inside);
    for (int i = 0; i < n; i++) p->heat[i] += weight[k]*h*out[i].dissipated;
  }
  for (int i = 1; i < n; i++)
    if (p->heat[i] < p->heat[least]) least = i;
  return least;
}

static tn_status take_back(tn_sim *sim) {
  tni_passive *p = &sim->passive;
  tni_integrator *it = sim->it;
  const tni_force *which;
  double h = it->now.t - it->t_old;
  double rate = tni_system_impact_rate(sim->s, false, &which);
  p->halved++;
  p->taken_back++;
  tni_integrator_follow(it, rate, fmax(tni_system_impact_rate(sim->s, true, &which), 2/h));
  return tni_sim_take_back(sim);
}

/* the limit of the steps that follow is that of what is going on */
static void let_go(tn_sim *sim) {
  const tni_force *which;
  bool follows = sim->follow_until != -HUGE_VAL;
  sim->passive.halved = 0;
  tni_integrator_follow(sim->it, tni_system_impact_rate(sim->s, false, &which),
                        tni_system_impact_rate(sim->s, true, &which));
  if (!follows) tni_integrator_follow(sim->it, 0, TNI_LET_GO);
}

tn_status tni_passive_check(tn_sim *sim, bool *again) {
  tni_passive *p = &sim->passive;
  const tni_audit_seen *seen = &sim->audit.seen;
  *again = false;
  if (p->off) return TN_OK;
  /* the lowest power times the whole step: most of what is below zero is rounding */
  double allowed = WORTH*seen->worth + ROUNDING*seen->magnitude;
  double booked = sim->it->now.z[TNI_Z_DISSIPATED] - sim->begin.z[TNI_Z_DISSIPATED];
  bool bad = -sim->s->step_heat*(sim->it->now.t - sim->it->t_old) > allowed &&
             (booked < -allowed || p->heat[integrate(sim)] < -allowed);
  if (bad && p->halved < MOST) {
    *again = true;
    return take_back(sim);
  }
  if (bad) p->off = true;
  if (p->halved) let_go(sim);
  return TN_OK;
}
