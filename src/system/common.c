/* system/common.c - what both representations share: forces, events, memory
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/common.h"

#include <stdio.h>

#include "parallel/pool.h"
#include "system/parts.h"

/* per chunk of the thread pool */
enum { FORCE_GRAIN = 32, WATCH_GRAIN = 64, ANGLE_GRAIN = 32 };

/* who has switching functions, in the order of the model, and who counts angles */
static tn_status make_lists(tni_data *s) {
  const tn_model *m = s->model;
  int at = 0;
  TNI_ARENA_NEW(&s->arena, s->watch, m->nforce + m->ncon);
  int nangle = 0;
  for (int i = 0; i < m->njoint; i++) nangle += m->joint[i].ncoord;
  TNI_ARENA_NEW(&s->arena, s->remember, nangle);
  for (int i = 0; i < m->nforce + m->ncon; i++) {
    struct tni_watch w = {.at = at};
    if (i < m->nforce) w.force = &m->force[i];
    else w.con = &m->con[i - m->nforce];
    int n = w.force ? w.force->nevent : w.con->nevent;
    if (n > 0) s->watch[s->nwatch++] = w;
    at += n;
  }
  for (int i = 0; i < m->njoint; i++)
    for (int c = 0; c < m->joint[i].ncoord; c++) {
      const tni_scalar *sc = &m->joint[i].coord[c].scalar;
      if (sc->memory < 0) continue;
      struct tni_remember *r = &s->remember[s->nremember++];
      *r = (struct tni_remember){.scalar = sc, .body = {sc->body[0], sc->body[1]},
                                 .memory = sc->memory};
      r->packed = tni_scalar_is_twist(sc, &r->twist);
    }
  return TN_OK;
}

tn_status tni_system_common_init(tni_data *s) {
  const tn_model *model = s->model;
  tni_inertia *inertia;
  TNI_ARENA_NEW(&s->arena, inertia, model->nbody);
  for (int i = 0; i < model->nbody; i++) {
    inertia[i].mass = model->body[i].mass;
    memcpy(inertia[i].I, model->body[i].I, sizeof(inertia[i].I));
  }
  s->inertia = inertia;
  return make_lists(s);
}

tni_env tni_system_env(const tni_data *s, double t) {
  return (tni_env){.t = t, .kin = s->kin, .memory = s->memory};
}

void tni_system_gyroscopic(const tni_data *s, int begin, int end, double sign, double *f) {
  for (int i = begin; i < end; i++) {
    const tni_kin *k = &s->kin[i + 1];
    double h[3], x[3];
    mat3_vec(h, s->inertia[i].I, k->w);
    vec3_cross(x, h, k->w);
    vec3_addmul(f + 6*i + 3, sign, x);
  }
}

typedef struct {
  tni_data *s;
  tni_env env;
  double *f; /* [6 nbody] */
} force_job;

/* weight and gyroscopic torque -w x I w */
static void own_forces(void *user, int begin, int end) {
  const force_job *job = user;
  const tni_data *s = job->s;
  for (int i = begin; i < end; i++) {
    const tni_inertia *b = &s->inertia[i];
    const tni_kin *k = &s->kin[i + 1];
    double h[3];
    vec3_scale(job->f + 6*i, b->mass, s->model->gravity);
    mat3_vec(h, b->I, k->w);
    vec3_cross(job->f + 6*i + 3, h, k->w);
  }
}

static void eval_forces(void *user, int begin, int end) {
  force_job *job = user;
  tni_data *s = job->s;
  for (int i = begin; i < end; i++) {
    const tni_force *f = &s->model->force[i];
    tni_force_out *o = &s->force_out[i];
    o->potential = o->dissipated = o->input = o->value = 0;
    f->ops->eval(f, &job->env, TNI_F_FORCE, o);
    s->force_value[i] = o->value;
  }
}

void tni_system_forces(tni_data *s, double t, double *f) {
  const tn_model *m = s->model;
  force_job job = {s, tni_system_env(s, t), f};
  s->potential = s->dissipated = s->input = s->spent = 0;
  tni_parallel_for(s->ctx, m->nbody, TNI_BODY_GRAIN, own_forces, &job);
  for (int i = 0; i < m->nbody; i++)
    s->potential -= s->inertia[i].mass*vec3_dot(m->gravity, s->kin[i + 1].r);
  if (m->nforce > 0) tni_parallel_for(s->ctx, m->nforce, FORCE_GRAIN, eval_forces, &job);
  /* sums in index order: the same bits for any number of threads */
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *e = &m->force[i];
    const tni_force_out *o = &s->force_out[i];
    for (int n = 0; n < e->nbody; n++)
      for (int j = 0; j < 6; j++) f[6*e->body[n] + j] += o->f[6*n + j];
    s->potential += o->potential;
    s->dissipated += o->dissipated;
    s->input += o->input;
    if (o->dissipated < s->step_heat) s->step_heat = o->dissipated;
    if (o->dissipated < s->least_heat) {
      s->least_heat = o->dissipated;
      s->coldest = i;
    }
  }
  tni_parts_forces(s, f);
  s->stands |= TNI_STANDS_FORCES;
  s->stands_t = t;
}

static bool has_value(const tni_force *e, const tni_force_out *o) {
  for (int i = 0; i < 6*e->nbody; i++)
    if (!isfinite(o->f[i])) return false;
  return true;
}

tn_status tni_system_not_finite(tni_data *s, double t, int dof) {
  const tn_model *m = s->model;
  char name[128];
  TN_TRY(tni_parts_trouble(s));
  tni_dof_name(s, dof, name, sizeof(name));
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *e = &m->force[i];
    if (has_value(e, &s->force_out[i])) continue;
    return TN_FAIL(s->ctx, TN_SINGULAR,
                   "force '%s' (%s) has no finite value at t = %g s: its bodies are where its law does "
                   "not reach", e->name, e->type, t);
  }
  return TN_FAIL(s->ctx, TN_SINGULAR, "acceleration of '%s' is not finite at t = %g s", name, t);
}

static void eval_inputs(void *user, int begin, int end) {
  force_job *job = user;
  tni_data *s = job->s;
  for (int i = begin; i < end; i++) {
    const tni_force *f = &s->model->force[i];
    tni_force_out *o = &s->force_out[i], at = *o;
    if (o->input == 0) continue;
    at.potential = at.dissipated = at.input = 0;
    f->ops->eval(f, &job->env, TNI_F_FORCE, &at);
    o->input = at.input;
  }
}

void tni_system_input(tni_data *s, double t) {
  force_job job = {s, tni_system_env(s, t), NULL};
  if (s->input == 0) return;
  tni_parallel_for(s->ctx, s->model->nforce, FORCE_GRAIN, eval_inputs, &job);
  s->input = 0;
  for (int i = 0; i < s->model->nforce; i++) s->input += s->force_out[i].input;
}

typedef struct {
  tni_data *s;
  tni_env env;
  double *g;
} watch_job;

static void eval_events(void *user, int begin, int end) {
  const watch_job *job = user;
  for (int i = begin; i < end; i++) {
    const struct tni_watch *w = &job->s->watch[i];
    if (w->force) w->force->ops->events(w->force, &job->env, job->g + w->at);
    else w->con->ops->events(w->con, &job->env, job->g + w->at);
  }
}

void tni_system_events(tni_data *s, double t, const double *q, const double *v, double *g) {
  tni_eval_bodies(s, t, q, v, NULL);
  watch_job job = {s, tni_system_env(s, t), g};
  tni_parallel_for(s->ctx, s->nwatch, WATCH_GRAIN, eval_events, &job);
}

/* whose function i is */
static int watch_of(const tni_data *s, int i) {
  int low = 0, high = s->nwatch - 1;
  while (low < high) {
    int middle = (low + high + 1)/2;
    if (s->watch[middle].at <= i) low = middle;
    else high = middle - 1;
  }
  return low;
}

double tni_system_event(tni_data *s, double t, const double *q, const double *v, int i, double *g) {
  tni_eval_bodies(s, t, q, v, NULL);
  watch_job job = {s, tni_system_env(s, t), g};
  int watch = watch_of(s, i);
  eval_events(&job, watch, watch + 1);
  return g[i];
}

double tni_system_impact_rate(const tni_data *s, bool rests, const tni_force **which) {
  double most = 0;
  *which = NULL;
  for (int k = 0; k < s->nwatch; k++) {
    const tni_force *f = s->watch[k].force;
    double rate = f && f->ops->rate ? f->ops->rate(f, s->memory, rests) : 0;
    if (!(rate > most)) continue;
    most = rate;
    *which = f;
  }
  return most;
}

bool tni_system_has_way(const tni_data *s) {
  for (int k = 0; k < s->nwatch; k++) {
    const tni_force *f = s->watch[k].force;
    if (f && f->ops->has_way && f->ops->has_way(f, s->memory)) return true;
  }
  return false;
}

const char *tni_system_watch_name(const tni_data *s, int watch) {
  const struct tni_watch *w = &s->watch[watch];
  return w->force ? w->force->name : s->model->joint[w->con->joint].name;
}

void tni_system_event_name(const tni_data *s, int i, char *out, size_t n) {
  snprintf(out, n, "%s", tni_system_watch_name(s, watch_of(s, i)));
}

int tni_system_switches(tni_data *s, double t, const double *q, const double *v, const double *before,
                        tni_switch *out, int *who) {
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  int n = 0;
  for (int k = 0; k < s->nwatch; k++) {
    const struct tni_watch *w = &s->watch[k];
    int more = 0;
    if (w->force && w->force->ops->switches)
      more = w->force->ops->switches(w->force, &env, before, out + n);
    else if (w->con && w->con->ops->switches)
      more = w->con->ops->switches(w->con, &env, before, out + n);
    for (; more > 0; more--) who[n++] = k;
  }
  return n;
}

void tni_system_gather(tni_data *s, double t, const double *q, const double *v, double dt, double *memory) {
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  for (int k = 0; k < s->nwatch; k++) {
    const tni_force *f = s->watch[k].force;
    if (f && f->ops->gather) f->ops->gather(f, &env, dt, memory);
  }
  if (memory == s->memory) s->stands &= ~(unsigned)TNI_STANDS_FORCES;
}

/* every angle has its own place in the memory */
static void remember_angles(void *user, int begin, int end) {
  const watch_job *job = user;
  for (int i = begin; i < end; i++) {
    const struct tni_remember *r = &job->s->remember[i];
    double *memory = &job->s->memory[r->memory];
    if (r->packed) {
      const tni_kin *kin = job->env.kin;
      *memory = tni_twist_value(&r->twist, &kin[r->body[0] + 1], &kin[r->body[1] + 1], *memory);
    } else {
      tni_scalar_out o;
      tni_scalar_at(r->scalar, &job->env, TNI_S_VALUE, &o);
      *memory = o.s;
    }
  }
}

static bool commit(tni_data *s, double t, const double *q, const double *v, bool forces_at_event, bool constraints_at_event) {
  const tn_model *m = s->model;
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  watch_job job = {s, env, NULL};
  tni_parallel_for(s->ctx, s->nremember, ANGLE_GRAIN, remember_angles, &job);
  bool changed = false;
  for (int i = 0; i < m->ncon; i++) {
    const tni_con *con = &m->con[i];
    if (!con->ops->commit) continue;
    bool before = tni_con_in_force(con, s->memory);
    con->ops->commit(con, &env, constraints_at_event, s->memory);
    changed = changed || tni_con_in_force(con, s->memory) != before;
  }
  for (int i = 0; i < m->nforce; i++)
    if (m->force[i].ops->commit)
      m->force[i].ops->commit(&m->force[i], &env, forces_at_event, s->memory);
  tni_parts_commit(s);
  s->stands &= ~(unsigned)TNI_STANDS_FORCES; /* they depend on what is remembered */
  return changed;
}

void tni_system_increment(tni_data *s, double t, const double *q, const double *v, double *memory) {
  tni_eval_bodies(s, t, q, v, NULL);
  tni_parts_increment(s, memory);
}

bool tni_system_commit(tni_data *s, double t, const double *q, const double *v, bool at_event) {
  return commit(s, t, q, v, at_event, at_event);
}

void tni_system_commit_rest(tni_data *s, double t, const double *q, const double *v) { (void)commit(s, t, q, v, true, false); }

int tni_system_nevent(const tni_data *s) { return s->model->nevent; }

const char *tni_system_settle(tni_data *s, double t, const double *q, const double *v, double *g) {
  const char *first = NULL;
  if (s->model->nevent == 0) return NULL;
  tni_system_events(s, t, q, v, g);
  tni_env env = tni_system_env(s, t);
  for (int k = 0; k < s->nwatch; k++) {
    const tni_force *f = s->watch[k].force;
    bool wrong = false;
    for (int i = 0; f && i < f->nevent; i++) wrong = wrong || g[s->watch[k].at + i] < 0;
    if (!wrong) continue;
    f->ops->commit(f, &env, true, s->memory);
    if (!first) first = f->name;
  }
  if (first) s->stands &= ~(unsigned)TNI_STANDS_FORCES;
  return first;
}

bool tni_system_has_clearance(const tni_data *s) {
  for (int k = 0; k < s->nwatch; k++)
    if (s->watch[k].force && s->watch[k].force->ops->clearance) return true;
  return false;
}

double tni_system_clearance(tni_data *s, double t, const double *q, const double *v, const char **name) {
  double least = HUGE_VAL;
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  for (int k = 0; k < s->nwatch; k++) {
    const tni_force *f = s->watch[k].force;
    double c = f && f->ops->clearance ? f->ops->clearance(f, &env) : HUGE_VAL;
    if (c < least) least = c, *name = f->name;
  }
  return least;
}

tn_status tni_system_refuse_latches(tni_data *s, double t, const double *q, const double *v, double *memory) {
  const tn_model *m = s->model;
  bool any = false;
  for (int i = 0; i < m->ncon && !any; i++) any = m->con[i].mode && m->con[i].ops->commit;
  if (!any) return TN_OK;
  tni_eval_bodies(s, t, q, v, NULL);
  tni_env env = tni_system_env(s, t);
  env.memory = memory;
  for (int i = 0; i < m->ncon; i++) {
    const tni_con *con = &m->con[i];
    if (!con->mode || !con->ops->commit) continue;
    bool before = tni_con_in_force(con, memory);
    con->ops->commit(con, &env, true, memory);
    if (tni_con_in_force(con, memory) != before)
      return TN_FAIL(s->ctx, TN_ERR_UNSUPPORTED, "%s '%s' %s on the way to the equilibrium at t = %g s, which equilibria do not follow; "
                     "write it %s, or run a transient", m->joint[con->joint].type, m->joint[con->joint].name, before ? "opens" : "locks", t,
                     before ? "without" : "as locked");
  }
  return TN_OK;
}

bool tni_system_row_idle(const tni_data *s, int row) {
  return !tni_con_in_force(&s->model->con[s->row_con[row]], s->memory);
}

int tni_system_idle_rows(const tni_data *s) {
  int n = 0;
  for (int r = 0; r < s->m; r++) n += tni_system_row_idle(s, r);
  return n;
}
