/* analyses/turns.c - no step loses count of the turns of an angle; see turns.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/turns.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"

/* angle of a step by the rate at its beginning, and by both: half a turn, with a margin for what is between them */
static const double WANTED = 2, MOST = 2.8;
/* of methods that turn by Cayley's map: a sixtieth is missing there */
static const double WANTED_CAYLEY = 0.45;

/* below about 20 degrees a turn counts as none: trace of its matrix */
static const double NARROW = 2.88;

/* ---- half turns of forces ------------------------------------------------------------------ */

static void find_turn(const tni_turned *f, const tni_kin *kin, double e[4]) {
  const double *A0 = kin[f->body[0] + 1].A;
  double M[9], B[9], trace = 0;
  mat3_mul(M, kin[f->body[1] + 1].A, f->R);
  for (int i = 0; i < 9; i++) trace += A0[i]*M[i];
  e[0] = 1;
  e[1] = e[2] = e[3] = 0;
  if (trace > NARROW) return;
  mat3_tmul(B, A0, M);
  quat_from_matrix(e, B);
  for (int i = 0; i < 4 && e[0] < 0; i++) e[3-i] = -e[3-i];
}

/* where nothing is integrated, or states are elsewhere until somebody looks, looks are what is compared */
static bool sees_steps(const tn_sim *sim) { return sim->it && !sim->it->type->divided; }

/* The first that has passed half a turn since e; NULL: none. keep: e is that of kin afterwards */
static const tni_force *find_passed(tn_sim *sim, const tni_kin *kin, bool keep) {
  const tni_force *found = NULL;
  for (int i = 0; i < sim->turns.nturned; i++) {
    struct tni_turned_at *a = &sim->turns.at[i];
    const tni_force *f = &sim->model->force[a->force];
    double e[4], product = 0;
    find_turn(&f->turned[a->which], kin, e);
    for (int k = 0; k < 4; k++) product += e[k]*a->e[k];
    if (product < 0 && !found) found = f;
    if (keep) memcpy(a->e, e, sizeof(e));
  }
  return found;
}

static const char *hint(const tni_force *f) {
  return f->element ? "more elements, or 'element: incremental', follow such turns" : "a torsion_spring at a joint counts turns";
}

tn_status tni_turns_create(tn_sim *sim) {
  tni_turns *w = &sim->turns;
  const tn_model *m = sim->model;
  int n = 0;
  for (int i = 0; i < m->nforce; i++) n += m->force[i].nturned;
  TNI_ARENA_NEW(&sim->arena, w->at, n);
  for (int i = 0; i < m->nforce; i++)
    for (int k = 0; k < m->force[i].nturned; k++) w->at[w->nturned++] = (struct tni_turned_at){i, k, {1, 0, 0, 0}};
  find_passed(sim, sim->origin, true);
  return TN_OK;
}

void tni_turns_look(tn_sim *sim) {
  if (sees_steps(sim) || sim->turns.nturned == 0) return;
  tni_at at = tni_at_state(&sim->at);
  const tni_force *f = find_passed(sim, tni_look_bodies(sim->s, &at), true);
  if (!f || sim->doubt > 1) return;
  sim->doubt = 2;
  snprintf(sim->why_doubt, sizeof(sim->why_doubt), "%s '%.100s' has passed half a turn before t = %.6g s: its law holds for less; %s",
           f->element ? "element" : f->type, f->name, sim->at.t, hint(f));
}

static tn_status check_half_turns(tn_sim *sim, const tni_at *now) {
  if (sim->turns.nturned == 0 || !sees_steps(sim)) return TN_OK;
  const tni_force *f = find_passed(sim, tni_look_bodies(sim->s, now), false);
  if (!f) return TN_OK;
  return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "%s '%s' passes half a turn between t = %.6g and %.6g s: its law holds for less; %s",
                 f->element ? "element" : f->type, f->name, sim->it->t_old, now->t, hint(f));
}

/* ---- angles that are counted --------------------------------------------------------------- */

void tni_turns_begin(tn_sim *sim) {
  const tni_integrator *it = sim->it;
  int which;
  sim->turns.rate = 0;
  tni_at now = tni_at_state(&it->now);
  if (sim->turns.nturned && sees_steps(sim)) find_passed(sim, tni_look_bodies(sim->s, &now), true);
  if (sim->s->nremember == 0) return;
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
  tni_at now = tni_at_state(&it->now);
  if (sim->s->nremember == 0) return check_half_turns(sim, &now);
  double h = it->now.t - it->t_old, rate = 0.5*(sim->turns.rate + tni_look_turning(sim->s, &now, &which));
  if (!(rate*h > MOST)) return check_half_turns(sim, &now);
  if (sim->sum.fixed_step)
    return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "joint '%s' turns by about %.2g rad in one step of %g s at t = %.6g s; turns can "
                   "be counted in steps below half a turn only: take 'step: %.2g' or less, or a method that chooses its steps",
                   joint_of(sim, which), rate*h, h, it->now.t, (it->type->cayley ? WANTED_CAYLEY : WANTED)/fmax(rate, sim->turns.rate));
  *again = true;
  sim->turns.taken_back++;
  tni_integrator_limit_turning(it, WANTED/rate);
  return tni_sim_take_back(sim);
}
