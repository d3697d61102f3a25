/* analyses/switches.c - what switches in a run; see switches.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/switches.h"

#include "analyses/sim.h"

static bool has_latches(const tn_model *m) {
  for (int i = 0; i < m->ncon; i++)
    if (m->con[i].impulse) return true;
  return false;
}

static bool measures_impulses(const tn_model *m) {
  for (int i = 0; i < m->nsensor; i++)
    if (m->sensor[i].kind == TNI_SENSOR_IMPULSE) return true;
  return false;
}

tn_status tni_switches_create(tn_sim *sim) {
  tni_switches *w = &sim->switches;
  const tn_model *m = sim->model;
  tni_arena *a = &sim->arena;
  TNI_ARENA_NEW(a, w->row, m->nevent);
  TNI_ARENA_NEW(a, w->who, m->nevent);
  TNI_ARENA_NEW(a, w->before, m->nmemory);
  tni_auto_sizes n = tni_auto_largest(sim);
  TN_TRY(tni_state_create_sized(a, n.nq, n.nv, 0, &w->in));
  if (measures_impulses(m)) {
    TNI_ARENA_NEW(a, w->start, m->nmemory);
    TNI_ARENA_NEW(a, w->inside, m->nmemory);
  }
  if (!has_latches(m)) return TN_OK;
  TNI_ARENA_NEW(a, w->velocity, 6*m->nbody);
  TNI_ARENA_NEW(a, w->none, 6*m->nbody);
  TNI_ARENA_NEW(a, w->lambda, sim->cartesian->m);
  TN_TRY(tni_sim_prepare_sharing(sim));
  return TN_OK;
}

void tni_switches_begin(tn_sim *sim) { tni_memory_keep(sim->s, sim->switches.before); }

void tni_switches_end(tn_sim *sim, double t) {
  tni_switches *w = &sim->switches;
  w->t = t;
  w->n = tni_system_switches(sim->s, t, sim->at.q, sim->at.v, w->before, w->row, w->who);
  w->count += w->n;
}

/* ---- impulses of latches ------------------------------------------------------------------- */

void tni_switches_before_impulse(tn_sim *sim, const tni_at *at) {
  double *x = sim->switches.velocity;
  const tni_kin *kin = tni_look_bodies(sim->s, at);
  for (int i = 0; x && i < sim->model->nbody; i++) {
    vec3_copy(x + 6*i, kin[i + 1].v);
    vec3_copy(x + 6*i + 3, kin[i + 1].w);
  }
}

/* M (v+ - v-) = -C^T Lambda; of reactions that are not unique the least */
tn_status tni_switches_after_impulse(tn_sim *sim, const tni_at *at) {
  tni_switches *w = &sim->switches;
  const tn_model *m = sim->model;
  const tni_data *c = sim->cartesian;
  double *x = w->velocity;
  bool held;
  if (!x) return TN_OK;
  const tni_kin *kin = tni_look_bodies(sim->s, at);
  for (int i = 0; i < m->nbody; i++) {
    vec3_sub(x + 6*i, kin[i + 1].v, x + 6*i);
    vec3_sub(x + 6*i + 3, kin[i + 1].w, x + 6*i + 3);
  }
  TN_TRY(tni_sim_share(sim, at, x, w->none, w->lambda, &held));
  for (int r = 0; held && r < c->m; r++) {
    const tni_con *con = &m->con[c->row_con[r]];
    if (!con->impulse || !tni_con_in_force(con, sim->s->memory)) continue;
    double *impulse = sim->s->memory + con->impulse - 1;
    impulse[TNI_IMPULSE_TOTAL] -= w->lambda[r];
    if (!tni_con_in_force(con, w->before)) impulse[TNI_IMPULSE_LAST] = -w->lambda[r];
  }
  return TN_OK;
}

/* ---- impulses of touches ------------------------------------------------------------------- */

/* Gauss-Legendre on [0, 1] */
enum { POINTS = 3 };
static const double PLACE[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double WEIGHT[POINTS] = {5./18, 8./18, 5./18};

static void add_up(tn_sim *sim, double from, double to, double *memory) {
  tni_switches *w = &sim->switches;
  tni_data *s = sim->s;
  double h = to - from;
  for (int k = 0; k < POINTS && h > 0; k++) {
    double t = from + PLACE[k]*h;
    sim->it->type->interpolate(sim->it, t, w->in.q, w->in.v, NULL);
    tni_system_gather(s, t, w->in.q, w->in.v, WEIGHT[k]*h, memory);
  }
}

void tni_switches_gather(tn_sim *sim) {
  if (sim->switches.start) tni_memory_keep(sim->s, sim->switches.start);
  if (sim->switches.touching) add_up(sim, sim->t_lo, sim->t_hi, sim->s->memory);
}

double *tni_switches_until(tn_sim *sim, double t) {
  tni_switches *w = &sim->switches;
  if (!w->start || t >= sim->t_hi) return sim->s->memory;
  tni_memory_copy(sim->s, w->inside, w->start);
  if (w->touching) add_up(sim, sim->t_lo, t, w->inside);
  return w->inside;
}
