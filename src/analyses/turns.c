/* analyses/turns.c - no step loses count of the turns of an angle; see turns.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/turns.h"

#include <float.h>
#include <math.h>

#include "analyses/sim.h"

/* angle of a step by the rate at its beginning, and by both: half a turn, with a margin for what is between them */
static const double WANTED = 2, MOST = 2.8;
/* of methods that turn by Cayley's map: a sixtieth is missing there */
static const double WANTED_CAYLEY = 0.45;

void tni_turns_begin(tn_sim *sim) {
  const tni_integrator *it = sim->it;
  int which;
  sim->turns.rate = 0;
  if (sim->s->nremember == 0) return;
  tni_at now = tni_at_state(&it->now);
  sim->turns.rate = tni_look_turning(sim->s, &now, &which);
  tni_turns_limit(sim, sim->it);
}

void tni_turns_limit(const tn_sim *sim, tni_integrator *it) {
  double rate = sim->turns.rate;
  if (!sim->sum.fixed_step) tni_integrator_limit_turning(it, rate*DBL_MAX > WANTED ? WANTED/rate : DBL_MAX);
}

static const char *joint_of(const tn_sim *sim, int which) {
  const tn_model *m = sim->model;
  for (int i = 0; i < m->njoint; i++)
    for (int k = 0; k < m->joint[i].ncoord; k++)
      if (which >= 0 && &m->joint[i].coord[k].scalar == sim->s->remember[which].scalar) return m->joint[i].name;
  return "";
}

tn_status tni_turns_check(tn_sim *sim, bool *again) {
  tni_integrator *it = sim->it;
  int which;
  *again = false;
  if (sim->s->nremember == 0) return TN_OK;
  tni_at now = tni_at_state(&it->now);
  double h = it->now.t - it->t_old, rate = 0.5*(sim->turns.rate + tni_look_turning(sim->s, &now, &which));
  if (!(rate*h > MOST)) return TN_OK;
  if (sim->sum.fixed_step)
    return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "joint '%s' turns by about %.2g rad in one step of %g s at t = %.6g s; turns can "
                   "be counted in steps below half a turn only: take 'step: %.2g' or less, or a method that chooses its steps",
                   joint_of(sim, which), rate*h, h, it->now.t, (it->type->cayley ? WANTED_CAYLEY : WANTED)/fmax(rate, sim->turns.rate));
  *again = true;
  sim->turns.taken_back++;
  tni_integrator_limit_turning(it, WANTED/rate);
  return tni_sim_take_back(sim);
}
