/* analyses/instants.c - see instants.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/instants.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"
#include "integrators/common.h"

/* kinks are looked for from so many units in the last place before the present time: one that it stands at is found again */
static const double BACK = 16;
/* velocities that drives do not have [m/s, rad/s], in parts of the largest */
static const double OFF = 1e-9;

/* what kinks i are asked of */
static tni_kinks *kinks(const tni_instants *w, int i) {
  if (w->at_place[i]) tni_kinks_place(w->of[i], w->at_place[i]);
  return w->of[i];
}

tn_status tni_instants_create(tn_sim *sim) {
  const tn_model *m = sim->model;
  tni_instants *w = &sim->instants;
  if (!sim->it) return TN_OK;
  size_t most = 0;
  for (int i = 0; i < m->ntimed; i++) most += m->timed[i].nplace > 0 ? (size_t)m->timed[i].nplace : 1;
  TNI_ARENA_NEW(&sim->arena, w->of, most);
  TNI_ARENA_NEW(&sim->arena, w->at_place, most);
  TNI_ARENA_NEW(&sim->arena, w->before, most);
  TNI_ARENA_NEW(&sim->arena, w->after, most);
  for (int i = 0; i < m->ntimed; i++) {
    tni_kinks *k;
    TN_TRY(tni_kinks_create(&sim->arena, m->timed[i].f, m->timed[i].variable, m->timed[i].place, &k));
    for (int j = 0; k && (j == 0 || j < m->timed[i].nplace); j++) {
      w->at_place[w->n] = m->timed[i].nplace > 0 ? m->timed[i].place + j*m->timed[i].variable : NULL;
      w->of[w->n++] = k;
    }
  }
  TN_TRY(tni_passages_create(sim));
  w->limit = DBL_MAX;
  tni_instants_reset(sim, sim->set.until);
  return TN_OK;
}

void tni_instants_reset(tn_sim *sim, double end) {
  tni_instants *w = &sim->instants;
  w->end = end;
  w->known = false;
  tni_passages_reset(sim, end - sim->set.from);
  for (int i = 0; i < w->n; i++) tni_kinks_span(kinks(w, i), sim->set.from, end);
}

/* kinks whose far side is behind t */
static void find_next(tni_instants *w, double t) {
  double back = BACK*DBL_EPSILON*fabs(t);
  w->stop = w->end;
  if (t < w->at) w->known = false; /* the run has been put back: cycles, two-point problems, states that programs set */
  w->at = t;
  for (int i = 0; i < w->n; i++) {
    if (!w->known || w->after[i] <= t) {
      double from = w->known ? w->after[i] : t - back;
      bool found;
      while ((found = tni_kinks_next(kinks(w, i), from, w->end, &w->before[i], &w->after[i])) && w->after[i] <= t) from = w->after[i];
      if (!found || w->after[i] >= w->end) w->after[i] = INFINITY;
    }
    if (w->after[i] < INFINITY) w->stop = fmin(w->stop, w->before[i]);
  }
  w->known = true;
}

/* Velocities where drives have jumped: an impulse, whose work is that of the drives. */
static tn_status meet_drives(tn_sim *sim, double t) {
  tni_residuals r;
  tni_at at = {.t = t, .q = sim->at.q, .v = sim->at.v};
  double most = 0;
  if (sim->s->m == 0 || sim->technique) return TN_OK;
  tni_eval_residuals(sim->s, t, sim->at.q, sim->at.v, NULL, &r);
  for (int i = 0; i < sim->s->nv; i++) most = fmax(most, fabs(sim->at.v[i]));
  if (!(r.velocity > OFF*(1 + most))) return TN_OK;
  double before = tni_look_kinetic(sim->s, &at);
  TN_TRY(tni_sim_meet_constraints(sim, t));
  sim->at.z[TNI_Z_INPUT] += tni_look_kinetic(sim->s, &at) - before;
  return TN_OK;
}

/* Temperatures, places and velocities of supports that jump change the energy of meshes while nothing else moves: that is put in. */
static double jump_of_parts(tn_sim *sim, double before, double after) {
  tni_energies e[2];
  for (int i = 0; i < 2; i++) {
    tni_at at = {.t = i ? after : before, .q = sim->at.q, .v = sim->at.v};
    tni_look_energies(sim->s, &at, &e[i]);
  }
  double jump = e[1].kinetic + e[1].potential + e[1].spent - e[0].kinetic - e[0].potential - e[0].spent;
  return isfinite(jump) ? jump : 0;
}

void tni_instants_look(tn_sim *sim) {
  const tni_instants *w = &sim->instants;
  if (!sim->s->parts || !(sim->at.t >= w->jump_from && sim->at.t < w->jump_to) || !(sim->it->t_old >= w->jump_to)) return;
  sim->at.z[TNI_Z_INPUT] -= jump_of_parts(sim, sim->at.t, w->jump_to);
}

tn_status tni_instants_pass(tn_sim *sim) {
  tni_instants *w = &sim->instants;
  tni_integrator *it = sim->it;
  if (sim->sum.fixed_step) return TN_OK;
  TN_TRY(tni_passages_pass(sim));
  if (w->n == 0) return TN_OK;
  find_next(w, it->now.t);
  double t = it->now.t;
  for (int i = 0; i < w->n; i++)
    if (w->after[i] < INFINITY && it->now.t >= w->before[i]) t = fmax(t, w->after[i]);
  if (!(t > it->now.t)) return TN_OK;
  TN_TRY(tni_integrator_bring(it));
  tni_state_set(&sim->at, sim->s, t, it->now.q, it->now.v, it->now.z);
  w->jump_from = it->now.t, w->jump_to = t;
  if (sim->s->parts) sim->at.z[TNI_Z_INPUT] += jump_of_parts(sim, it->now.t, t);
  TN_TRY(meet_drives(sim, t));
  sim->t_hi = t;
  find_next(w, t);
  it->opts.t_end = w->stop; /* the first step is chosen by it */
  TN_TRY(it->type->start(it, t, sim->at.q, sim->at.v, sim->at.z));
  if (sim->model->nevent && tni_event_start(sim->finder, t, sim->at.q, sim->at.v) >= 0) {
    TN_TRY(tni_event_stay(sim->finder, it));
    TN_TRY(tni_sim_pass_event(sim));
  }
  return TN_OK;
}

void tni_instants_begin(tn_sim *sim) {
  tni_instants *w = &sim->instants;
  if ((w->n == 0 && sim->passages.n == 0) || sim->sum.fixed_step) return;
  find_next(w, sim->it->now.t);
  tni_integrator_limit_passing(sim->it, w->limit);
  double stop = tni_passages_stop(&sim->passages, w->stop);
  sim->it->opts.t_end = stop;
  sim->it->wall = stop < w->end ? stop : DBL_MAX;
}

int tni_instants_places_seen(const tni_integrator_type *type) { return type->order < 4 ? 2 : type->order == 4 ? 3 : 0; }

/* the step is taken again, half as long */
static tn_status halve(tn_sim *sim, bool *again) {
  tni_instants *w = &sim->instants;
  tni_integrator *it = sim->it;
  double h = it->now.t - it->t_old;
  if (0.5*h <= tni_integrator_hmin(it, it->now.t)) return TN_OK;
  *again = true;
  w->taken_back++;
  w->limit = 0.5*h;
  tni_integrator_limit_passing(it, w->limit);
  return tni_sim_take_back(sim);
}

static tn_status doubt(tn_sim *sim, const char *what, double t) {
  if (sim->doubt > 1) return TN_OK;
  sim->doubt = 2;
  snprintf(sim->why_doubt, sizeof(sim->why_doubt), "%s at t = %.6g s that a step of %g s passes over; take shorter steps, or a method that "
           "chooses them", what, t, sim->it->now.t - sim->it->t_old);
  return TN_OK;
}

/* Equal steps end where they end: of what jumps within one, the velocities of supports are put in. */
static void meet_supports(tn_sim *sim) {
  tni_instants *w = &sim->instants;
  tni_integrator *it = sim->it;
  if (!sim->s->parts) return;
  for (double t = it->t_old, first; ; t = first) {
    double before = INFINITY, T[2];
    find_next(w, t);
    first = INFINITY;
    for (int i = 0; i < w->n; i++) first = fmin(first, w->after[i]), before = w->after[i] < INFINITY ? fmin(before, w->before[i]) : before;
    if (!(first <= it->now.t)) return;
    for (int i = 0; i < 2; i++) {
      tni_at at = {.t = i ? first : before, .q = it->now.q, .v = it->now.v};
      T[i] = tni_look_kinetic(sim->s, &at);
    }
    it->now.z[TNI_Z_INPUT] += T[1] - T[0];
  }
}

tn_status tni_instants_check(tn_sim *sim, bool *again) {
  tni_instants *w = &sim->instants;
  tni_integrator *it = sim->it;
  double at;
  *again = false;
  if (sim->sum.fixed_step) meet_supports(sim);
  for (int i = 0; i < w->n; i++) {
    if (!tni_kinks_hides(kinks(w, i), it->t_old, it->now.t, tni_instants_places_seen(it->type), &at)) continue;
    return sim->sum.fixed_step ? doubt(sim, "an expression of time has a pulse", at) : halve(sim, again);
  }
  tni_passage passed = tni_passages_look(sim, &at);
  if (passed == TNI_PASSAGE_MET && !sim->sum.fixed_step) {
    *again = true;
    w->taken_back++;
    TN_TRY(tni_passages_cut(sim, at));
    tni_instants_begin(sim);
    return TN_OK;
  }
  if (passed == TNI_PASSAGE_TWICE) return doubt(sim, "conditions on motion change more than once", it->t_old);
  if (passed == TNI_PASSAGE_PULSE) return sim->sum.fixed_step ? doubt(sim, "a force has a pulse along the motion", at) : halve(sim, again);
  if (w->limit < w->end - sim->set.from) w->limit *= 2;
  else w->limit = DBL_MAX;
  return TN_OK;
}
