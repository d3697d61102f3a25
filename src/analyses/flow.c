/* analyses/flow.c - the path of plastic flow within steps; see flow.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/flow.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"
#include "integrators/common.h"
#include "system/parts.h"

/* step that is asked for beside that with an error of one tolerance, and bounds of its change */
static const double SAFETY = 0.8, SHORTER = 0.2, LONGER = 2.5;

/* places of a step at which matter that rests is looked at */
enum { LOOKS = 4 };

tn_status tni_flow_create(tn_sim *sim) {
  tni_flow *w = &sim->flow;
  *w = (tni_flow){.limit = DBL_MAX, .there = sim->s->parts && tni_parts_have_path(sim->s)};
  if (!w->there) return TN_OK;
  tni_auto_sizes n = tni_auto_largest(sim);
  int most = tni_nmemory(sim->s);
  TNI_ARENA_NEW(&sim->arena, w->q, n.nq);
  TNI_ARENA_NEW(&sim->arena, w->v, n.nv);
  for (int i = 0; i < TNI_FLOW_LEVELS; i++) TNI_ARENA_NEW(&sim->arena, w->row[i], most);
  for (int i = 0; i < 3; i++) TNI_ARENA_NEW(&sim->arena, w->a[i], n.nv);
  TNI_ARENA_NEW(&sim->arena, w->low, most);
  TNI_ARENA_NEW(&sim->arena, w->high, most);
  TNI_ARENA_NEW(&sim->arena, w->history, most);
  return TN_OK;
}

static bool is_on(const tn_sim *sim) { return sim->flow.there && !sim->sum.fixed_step; }

void tni_flow_begin(tn_sim *sim) {
  sim->flow.found = false;
  if (sim->flow.there) tni_integrator_limit_flowing(sim->it, is_on(sim) ? sim->flow.limit : DBL_MAX);
}

/* history by n increments along the dense output up to t, q, v */
static void follow(tn_sim *sim, int n, double t, const double *q, const double *v, double *history) {
  tni_flow *w = &sim->flow;
  tni_integrator *it = sim->it;
  memcpy(history, sim->s->memory, (size_t)tni_nmemory(sim->s)*sizeof(double));
  for (int k = 1; k < n; k++) {
    double at = it->t_old + k*(t - it->t_old)/n;
    it->type->interpolate(it, at, w->q, w->v, NULL);
    tni_system_increment(sim->s, at, w->q, w->v, history);
  }
  tni_system_increment(sim->s, t, q, v, history);
}

/* Row m of Romberg's table, its first column by 2^m increments, and the best of it as history. What all increments move to one side
 * of the beginning (plastic strain, heat) stays there. */
static void refine(tn_sim *sim, int m, double t, const double *q, const double *v) {
  tni_flow *w = &sim->flow;
  const double *begin = sim->s->memory;
  follow(sim, 1 << m, t, q, v, w->row[m]);
  for (int i = 0; i < tni_nmemory(sim->s); i++) {
    double x = w->row[m][i];
    w->low[i] = m ? fmin(w->low[i], x) : x;
    w->high[i] = m ? fmax(w->high[i], x) : x;
    for (int k = m - 1; k >= 0; k--) w->row[k][i] = x += (x - w->row[k][i])/((1 << (m - k)) - 1);
    if (w->low[i] >= begin[i]) x = fmax(x, begin[i]);
    if (w->high[i] <= begin[i]) x = fmin(x, begin[i]);
    w->history[i] = x;
  }
}

/* accelerations that history gives at the end of the step */
static tn_status accelerations(tn_sim *sim, double *history, double *a) {
  tni_data *s = sim->s;
  tni_integrator *it = sim->it;
  double *memory = s->memory;
  s->memory = history;
  tni_memory_changed(s);
  tn_status st = tni_accel(s, it->now.t, it->now.q, it->now.v, a, NULL, NULL);
  sim->flow.force = fmax(sim->flow.force, sqrt(s->parts->squares));
  s->memory = memory;
  tni_memory_changed(s);
  return st;
}

static bool flows(const tn_sim *sim) {
  return memcmp(sim->flow.history, sim->s->memory, (size_t)tni_nmemory(sim->s)*sizeof(double)) != 0;
}

/* error of the step in parts of its tolerance, by history of 1, 2, 4, 8 increments */
static tn_status judge(tn_sim *sim, double *of_velocity, double *of_history) {
  tni_flow *w = &sim->flow;
  tni_data *s = sim->s;
  tni_integrator *it = sim->it;
  double h = it->now.t - it->t_old;
  *of_velocity = *of_history = 0;
  follow(sim, LOOKS, it->now.t, it->now.q, it->now.v, w->history);
  if (!flows(sim)) return TN_OK;
  for (int m = 0; m < TNI_FLOW_LEVELS; m++) { /* all of them: few places would not see a turn between */
    refine(sim, m, it->now.t, it->now.q, it->now.v);
    int last = TNI_FLOW_LEVELS - 1;
    if (m == 0 || m >= last - 1) TN_TRY(accelerations(sim, w->history, w->a[m == 0 ? 0 : m - last + 2]));
  }
  double lasting = 0, *change = w->a[1];
  for (int i = 0; i < s->nv; i++) {
    double allowed = it->opts.atol_v + it->opts.rtol_v*fabs(it->now.v[i]);
    double part = h/3*fabs(w->a[2][i] - w->a[0][i])/allowed;
    if (!(part <= *of_velocity)) *of_velocity = part; /* not a number is none to go on with */
    change[i] = w->a[2][i] - change[i];
    lasting = fmax(lasting, fabs(change[i])*(it->opts.t_end - it->t_old)/allowed);
  }
  *of_history = w->force > 0 ? fmin(lasting, tni_parts_norm(s, change)/w->force/it->opts.rtol) : lasting;
  return TN_OK;
}

tn_status tni_flow_check(tn_sim *sim, bool *again) {
  tni_flow *w = &sim->flow;
  tni_integrator *it = sim->it;
  double of_velocity, of_history, h = it->now.t - it->t_old;
  *again = false;
  if (!is_on(sim)) return TN_OK;
  TN_TRY(judge(sim, &of_velocity, &of_history));
  double factor = fmin(SAFETY*pow(of_velocity, -1.0/3), SAFETY*pow(of_history, -1.0/2));
  bool fine = of_velocity <= 1 && of_history <= 1;
  if (!fine && SHORTER*h > tni_integrator_hmin(it, it->now.t)) {
    *again = true;
    w->taken_back++;
    w->limit = h*(factor > SHORTER ? fmin(factor, SAFETY) : SHORTER); /* not a number: SHORTER */
    tni_integrator_limit_flowing(it, w->limit);
    return tni_sim_take_back(sim);
  }
  if (!fine && sim->doubt <= 1) {
    sim->doubt = 2;
    snprintf(sim->why_doubt, sizeof(sim->why_doubt), "plastic flow is followed worse than the tolerance asks: by %.2g tolerances in the step of %g s at t = %.6g s",
             fmax(of_velocity, of_history), h, it->t_old);
  }
  w->found = true;
  w->limit = h*fmin(factor, LONGER);
  if (!(w->limit < it->opts.t_end - it->now.t)) w->limit = DBL_MAX;
  return TN_OK;
}

tn_status tni_flow_commit(tn_sim *sim, double t, const double *q, const double *v) {
  tni_flow *w = &sim->flow;
  if (!is_on(sim)) return TN_OK;
  if (!w->found || t != sim->it->now.t) /* a part of the step, up to an event */
    for (int m = 0; m < TNI_FLOW_LEVELS; m++) refine(sim, m, t, q, v);
  w->found = false;
  for (int i = 0; i < sim->model->npart; i++) {
    const tni_part *p = &sim->model->part[i];
    if (p->path) memcpy(sim->s->memory + p->memory, w->history + p->memory, (size_t)p->nmemory*sizeof(double));
  }
  tni_memory_changed(sim->s);
  return TN_OK;
}
