/* analyses/sim.c - a running simulation
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"

#include <float.h>
#include <stdio.h>

#include <tenon/ranks.h>

#include "analyses/analysis.h"
#include "analyses/start.h"
#include "analyses/statics.h"
#include "analyses/start_flexible.h"
#include "analyses/statics_mesh.h"
#include "analyses/summary.h"
#include "analyses/method.h"
#include "integrators/common.h"
#include "integrators/event.h"
#include "system/parts.h"
#include "elements/limit.h"
#include "forces/callback.h"
#include "forces/control.h"

/* commits at one state: each may change a mode of several elements */
enum { MAX_ROUNDS = 16 };

/* ---- create -------------------------------------------------------------------------------- */

static void note_assembly(tn_sim *sim) {
  const tni_assembly *a = &sim->assembly;
  tn_summary *u = &sim->sum;
  for (int k = 0; k < TNI_NWRITTEN; k++) {
    const tni_correction *w = &a->written[k];
    u->changed[k] = (tn_correction){.size = w->size, .scale = w->scale, .count = w->count};
    if (w->body >= 0)
      snprintf(u->changed[k].body, sizeof(u->changed[k].body), "%s", sim->model->body[w->body].name);
  }
  u->assembly_error = a->initial_residual;
  u->assembly_row[0] = 0;
  if (a->initial_row >= 0)
    tni_row_name(sim->cartesian, a->initial_row, u->assembly_row,
                                  sizeof(u->assembly_row));
  if (a->most_moved < 0) return;
  for (int i = 0; i < sim->model->nbody; i++)
    u->assembly_moved += fmax(a->moved[4*i + TNI_AT], a->moved[4*i + TNI_TURN]) > 1e-9;
  snprintf(u->assembly_body, sizeof(u->assembly_body), "%s", sim->model->body[a->most_moved].name);
  u->assembly_distance = a->moved[4*a->most_moved + TNI_AT];
  u->assembly_angle = a->moved[4*a->most_moved + TNI_TURN];
}

static tn_status assemble(tn_sim *sim, const tni_system_opts *o) {
  TN_TRY(tni_cartesian_create(sim->ctx, sim->model, o, &sim->cartesian));
  tni_data *c = sim->cartesian;
  double *q, *v, *q0, *v0;
  TNI_ARENA_NEW(&sim->arena, q, c->nq);
  TNI_ARENA_NEW(&sim->arena, v, c->nv);
  TNI_ARENA_NEW(&sim->arena, q0, c->nq);
  TNI_ARENA_NEW(&sim->arena, v0, c->nv);
  TNI_ARENA_NEW(&sim->arena, sim->origin, sim->model->nbody + 1);
  tni_starting in = {sim->model, c, sim->set.from, &sim->joint, o, &sim->arena};
  TN_TRY(tni_start(&in, q, v, q0, v0, &sim->assembly));
  sim->sum.redundant = c->rank ? c->rank->nnull - tni_system_idle_rows(c) : 0;
  if (sim->set.forbid_redundant && sim->sum.redundant > 0)
    return TN_FAIL(sim->ctx, TN_INCONSISTENT,
                   "the model has %d redundant constraint equations and 'redundant: forbid' is set; "
                   "'tenon check' names them", sim->sum.redundant);
  bool moves = false;
  for (int i = 0; i < c->nv; i++) moves = moves || v[i] != 0;
  if (sim->set.undecided) sim->set.from_statics = !moves;
  if (sim->set.from_statics) {
    bool at_rest = sim->set.analysis->motion != TNI_MOTION_STEPS;
    TN_TRY(tni_statics_begin(sim, c, sim->set.from, q, v, &at_rest));
    /* what is written holds at the place where the run starts */
    if (!at_rest)
      TN_TRY(tni_start_velocity(&in, q0, v0, q, v, &sim->assembly));
  }
  TN_TRY(tni_flexible_start_velocity(sim, c, sim->set.from, q, v));
  note_assembly(sim);
  /* angles on the way there may have gone through whole turns */
  tni_system_commit(c, sim->set.from, q, v, true);
  tni_at start = {.t = sim->set.from, .q = q, .v = v};
  memcpy(sim->origin, tni_look_bodies(c, &start), ((size_t)sim->model->nbody + 1)*sizeof(tni_kin));
  return TN_OK;
}

tn_status tni_sim_data(tn_sim *sim, const tni_system_opts *o, bool joint, tni_data **out) {
  const tni_data *c = sim->cartesian;
  *out = NULL;
  if (joint && !sim->joint) TN_TRY(tni_joint_system(sim->ctx, sim->model, o, &sim->joint));
  TN_TRY(tni_data_create_at(joint ? sim->joint : c->system, sim->origin, c->memory, out));
  if ((*out)->parts) (*out)->parts->start = sim->origin_parts, (*out)->parts->start_v = sim->origin_rates;
  return TN_OK;
}

/* the constraint technique takes the place of the accelerations of the system */
static tn_status choose_technique(tn_sim *sim, const tni_system_opts *o) {
  const tni_technique_type *type = tni_technique_find(sim->set.technique);
  if (type->native && !tni_settings_by_technique(&sim->set)) return TN_OK;
  sim->set.technique_opts.solver = o->kkt.method;
  TN_TRY(type->create(sim->ctx, sim->s, &sim->set.technique_opts, &sim->technique));
  if (sim->set.analysis->motion == TNI_MOTION_STEPS) tni_technique_install(sim->technique);
  return TN_OK;
}

static void describe_technique(tn_sim *sim) {
  char tq[120] = "", method[200] = "";
  if (!sim->technique) return;
  if (sim->technique->type->describe) sim->technique->type->describe(sim->technique, tq, sizeof(tq));
  if (sim->it->type->explain) sim->it->type->explain(sim->it, method, sizeof(method));
  snprintf(sim->sum.technique, sizeof(sim->sum.technique), "%s%s%s%s%s",
           sim->technique->type->name, tq[0] ? ", " : "", tq, method[0] ? "; " : "", method);
}

static tn_status allocate(tn_sim *sim) {
  tni_arena *a = &sim->arena;
  const tni_data *s = sim->s;
  const tn_model *m = sim->model;
  tni_auto_sizes n = tni_auto_largest(sim);
  TN_TRY(tni_state_create_sized(a, n.nq, n.nv, n.m, &sim->at));
  TN_TRY(tni_state_create_sized(a, n.nq, n.nv, 0, &sim->begin));
  sim->at.memory = s->memory;
  TNI_ARENA_NEW(a, sim->wrench, 6*m->njoint);
  TNI_ARENA_NEW(a, sim->sensor, tni_system_nsensor(s));
  TNI_ARENA_NEW(a, sim->unique, m->njoint);
  return TN_OK;
}

/* which reactions a redundant model leaves open: those that a null vector of multipliers changes */
static tn_status find_unique(tn_sim *sim) {
  tni_data *c = sim->cartesian;
  double *q, *v;
  for (int i = 0; i < sim->model->njoint; i++) sim->unique[i] = true;
  if (!c->rank || sim->sum.redundant == 0) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, q, c->nq);
  TNI_ARENA_NEW(&sim->arena, v, c->nv);
  tni_coordinates(c, sim->origin, q, v);
  memset(v, 0, (size_t)c->nv*sizeof(double));
  for (int d = 0; d < c->rank->nnull; d++) {
    tni_eval_reactions(c, sim->set.from, q, v, NULL,
                      c->rank->null + (size_t)d*(size_t)c->rank->nrow, sim->wrench);
    for (int i = 0; i < sim->model->njoint; i++)
      for (int k = 0; k < 6; k++)
        if (fabs(sim->wrench[6*i + k]) > 1e-7) sim->unique[i] = false;
  }
  return TN_OK;
}

/* Joint coordinates know the multipliers of cut joints only, and least norm among those depends on
 * where the tree was cut. */
tn_status tni_sim_prepare_sharing(tn_sim *sim) {
  const tni_data *c = sim->cartesian;
  if (sim->share.q) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, sim->share_f, 6*sim->model->nbody);
  TN_TRY(tni_state_create_in(&sim->arena, c, &sim->share));
  return TN_OK;
}

tn_status tni_sim_share(tn_sim *sim, const tni_at *at, const double *acc, const double *f, double *lambda,
                        bool *held) {
  tni_data *c = sim->cartesian, *s = sim->s;
  double t = at->t, *q = sim->share.q, *v = sim->share.v;
  *held = false;
  tni_layout_from_kin(c->layout, tni_look_bodies(s, at), q, v);
  tni_memory_restore(c, s->memory);
  for (int round = 0; round < 2 && !*held; round++) {
    if (round > 0) TN_TRY(tni_update_rank(c, t, q));
    TN_TRY(tni_cartesian_share(c, t, q, v, acc, f, lambda, held));
  }
  return TN_OK;
}

/* reactions of least norm among all, for the motion that sim->s has found */
static tn_status share_reactions(tn_sim *sim) {
  tni_data *c = sim->cartesian, *s = sim->s;
  tni_at at = tni_at_state(&sim->at);
  bool held;
  if (!sim->shares || !s->relative) return TN_OK;
  tni_eval_bodies(s, at.t, at.q, at.v, at.a);
  tni_system_forces(s, at.t, sim->share_f);
  TN_TRY(tni_sim_share(sim, &at, tni_look_accelerations(s, &at), sim->share_f, sim->share.lambda, &held));
  if (held) tni_eval_reactions(c, at.t, sim->share.q, sim->share.v, NULL, sim->share.lambda, sim->wrench);
  return TN_OK;
}

/* switching functions for the event finder */
static double switching_one(void *user, double t, const double *q, const double *v, int i, double *g) {
  return tni_system_event(((tn_sim *)user)->s, t, q, v, i, g);
}

static double switching(void *user, double t, const double *q, const double *v, double *g) {
  tn_sim *sim = user;
  double spin2 = 0;
  tni_at at = {.t = t, .q = q, .v = v};
  tni_system_events(sim->s, t, q, v, g);
  const tni_kin *kin = tni_look_bodies(sim->s, &at);
  for (int i = 1; i <= sim->model->nbody; i++) spin2 = fmax(spin2, vec3_dot(kin[i].W, kin[i].W));
  return sqrt(spin2);
}

/* rank and rows to use at a state, whatever was used before */
static tn_status choose_rows(tn_sim *sim, double t, const double *q) {
  TN_TRY(tni_update_rank(sim->s, t, q));
  return tni_follow_rank(sim->s, t, q);
}

/* Constraints in force have changed: other rows are needed, and velocities meet them by an impulse. A
 * technique that holds constraints by itself keeps its positions, but no technique can make an impulse
 * of a force. */
tn_status tni_sim_meet_constraints(tn_sim *sim, double t) {
  tni_data *s = sim->s;
  tni_project_opts p = {.position = tni_projects(s), .velocity = true, .tol = 1e-12};
  TN_TRY(choose_rows(sim, t, sim->at.q));
  return tni_project_anyway(s, t, sim->at.q, sim->at.v, &p, NULL);
}

/* Commit at the state until modes and geometry agree, see integrators/event.h. */
static tn_status settle_modes(tn_sim *sim, double t) {
  tni_data *s = sim->s;
  char name[128];
  int wrong = -1;
  tni_at at = {.t = t, .q = sim->at.q, .v = sim->at.v};
  for (int round = 0; round < MAX_ROUNDS; round++) {
    double before = tni_look_kinetic(s, &at);
    if (tni_system_commit(s, t, sim->at.q, sim->at.v, true)) {
      /* the projection that stands for the impulse counts the mass of bodies alone */
      if (s->parts && s->parts->bodies_coupled)
        return TN_FAIL(sim->ctx, TN_ERR_UNSUPPORTED, "a latch closes at t = %.6g s: impulses on reduced bodies are not there; use the whole "
                       "mesh, without 'reduce'", t);
      tni_switches_before_impulse(sim, &at);
      TN_TRY(tni_sim_meet_constraints(sim, t));
      TN_TRY(tni_switches_after_impulse(sim, &at));
      sim->sum.latches++;
      sim->sum.latch_loss += before - tni_look_kinetic(s, &at);
    }
    wrong = tni_event_start(sim->finder, t, sim->at.q, sim->at.v);
    if (wrong < 0) return TN_OK;
  }
  tni_system_event_name(s, wrong, name, sizeof(name));
  return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "'%s' switches back and forth at t = %.10g s without finding a "
                 "mode that fits its state", name, t);
}

/* Fast motions that follow a switch, impacts above all, are followed by the steps of the method until they have
 * died away; fixed steps that pass over them would return anything. */
static tn_status follow_switch(tn_sim *sim, double t) {
  static const double MAX_ANGLE = 1.5, PI = 3.14159265358979324, DECAY = 100;
  const tni_force *which;
  double after = tni_system_impact_rate(sim->s, true, &which);
  if (!sim->it) return TN_OK;
  double rate = tni_system_impact_rate(sim->s, false, &which), h = sim->it->opts.h;
  if (sim->sum.fixed_step && h*rate > MAX_ANGLE)
    return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "'%s' begins an impact of about %.2g s at t = %.6g s, which steps "
                   "of %g s pass over; take 'step: %.2g' or less, or a method that chooses its steps",
                   which->name, PI/rate, t, h, MAX_ANGLE/rate);
  sim->switches.touching = after > 0;
  tni_integrator_follow(sim->it, rate, after);
  sim->follow_rate = rate;
  sim->follow_after = after;
  sim->follow_until = after > 0 ? t + DECAY/after : t;
  return TN_OK;
}

/* long after the last switch */
static void leave_off_following(tn_sim *sim) {
  if (sim->it->now.t < sim->follow_until || sim->follow_until == -HUGE_VAL) return;
  tni_integrator_follow(sim->it, 0, TNI_LET_GO);
  sim->follow_until = -HUGE_VAL;
}

static tn_status begin(tn_sim *sim) {
  tni_data *s = sim->s;
  tni_initial(s, sim->at.q, sim->at.v);
  /* the joint representation may differ from the assembled bodies by rounding */
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12};
  TN_TRY(tni_project(s, sim->set.from, sim->at.q, sim->at.v, &p, NULL));
  tni_switches_begin(sim);
  TN_TRY(settle_modes(sim, sim->set.from));
  sim->sum.latches = 0; /* those that begin locked are not news */
  sim->sum.latch_loss = 0;
  TN_TRY(follow_switch(sim, sim->set.from));
  TN_TRY(tni_follow_rank(s, sim->set.from, sim->at.q));
  if (sim->it) TN_TRY(sim->it->type->start(sim->it, sim->set.from, sim->at.q, sim->at.v, sim->at.z));
  if (sim->it) TN_TRY(tni_auto_begin(sim));
  s = sim->s;
  sim->t_lo = sim->t_hi = sim->set.from;
  TN_TRY(tni_sim_look(sim, sim->set.from));
  tni_at at = tni_at_state(&sim->at);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  sim->energy0 = e.kinetic + e.potential + e.spent + tni_integrator_shift(sim->it, sim->at.t);
  sim->begun = true;
  sim->sum.energy_begin = sim->sum.energy_end = sim->energy0 - e.spent;
  return TN_OK;
}

/* system and integrator where there is no choice; type NULL: no integrator */
static tn_status create_one(tn_sim *sim, const tni_system_opts *o, bool joint, const tni_integrator_type *type) {
  tni_integrator_opts io;
  TN_TRY(tni_sim_data(sim, o, joint, &sim->s));
  if (!type) return TN_OK;
  TN_TRY(choose_technique(sim, o));
  TN_TRY(tni_method_options(sim, type, &io));
  io.technique = sim->technique;
  return type->create(sim->ctx, sim->s, &io, &sim->it);
}

static tn_status setup(tn_sim *sim) {
  sim->wall0 = tni_wall_time();
  sim->cpu0 = tni_cpu_time();
  TN_TRY(tni_force_check_callbacks(sim->model));
  TN_TRY(tni_control_check(sim->model));
  TN_TRY(tni_run_settings_read(sim->ctx, sim->model, &sim->opts, &sim->set));
  tni_system_opts o;
  bool joint, either, open_tree;
  const tni_integrator_type *type;
  TN_TRY(tni_settings_solver(&sim->set, sim->model, &sim->arena, &o, &joint, &either, &open_tree));
  TN_TRY(assemble(sim, &o));
  TN_TRY(tni_method_choose(sim, open_tree, &joint, &type));
  if (!sim->steps) TN_TRY(create_one(sim, &o, joint, NULL));
  else if (type) TN_TRY(create_one(sim, &o, joint, type));
  else TN_TRY(tni_auto_create(sim, &o, joint || either, !joint));
  type = sim->it ? sim->it->type : NULL;
  TN_TRY(allocate(sim));
  TN_TRY(find_unique(sim));
  sim->shares = (joint || either) && sim->sum.redundant > 0;
  if (sim->shares) TN_TRY(tni_sim_prepare_sharing(sim));
  tni_auto_sizes n = tni_auto_largest(sim);
  TN_TRY(tni_event_create(sim->ctx, n.nq, n.nv, sim->model->nevent, switching, sim, &sim->finder));
  sim->finder->one = switching_one;
  TN_TRY(tni_switches_create(sim));
  TN_TRY(tni_audit_create(sim));
  TN_TRY(tni_passive_create(sim));
  TN_TRY(tni_turns_create(sim));
  TN_TRY(tni_instants_create(sim));
  TN_TRY(tni_flow_create(sim));
  if (type)
    snprintf(sim->sum.method, sizeof(sim->sum.method), "%s%s%s%s", type->name,
             sim->set.reason[0] ? " (" : "", sim->set.reason, sim->set.reason[0] ? ")" : "");
  tni_describe(sim->s, sim->sum.system, sizeof(sim->sum.system));
  if (type && type->divided) { /* another number of ranks, other bits */
    size_t at = strlen(sim->sum.system);
    snprintf(sim->sum.system + at, sizeof(sim->sum.system) - at, ", divided among %d ranks", tn_ranks(sim->ctx));
  }
  tni_limit_describe(sim->model, &sim->sum.step_limit, sim->sum.step_reason, sizeof(sim->sum.step_reason));
  tni_limit_scaled(sim->model, sim->sum.rotary_scaled, sizeof(sim->sum.rotary_scaled));
  sim->sum.outcome = "running";
  snprintf(sim->sum.analysis, sizeof(sim->sum.analysis), "%s", sim->set.analysis->name);
  sim->sum.tolerance = sim->set.tolerance;
  sim->sum.fixed_step = type && (type->fixed_step || type->needs_technique || sim->set.equal_steps);
  sim->sum.t_begin = sim->sum.t_end = sim->set.from;
  TN_TRY(begin(sim));
  describe_technique(sim);
  return TN_OK;
}

static tn_status keep_options(tn_sim *sim, const tn_run_opts *opts) {
  tn_run_opts *o = &sim->opts;
  if (opts) *o = *opts;
  const char **const text[] = {&o->results, &o->restart, &o->method, &o->representation, &o->solver, &o->ordering,
                               &o->technique};
  for (int i = 0; i < TNI_COUNT(text); i++)
    if (*text[i] && !(*text[i] = tni_arena_strdup(&sim->own, *text[i]))) return tni_out_of_memory(sim->ctx);
  return TN_OK;
}

tn_status tn_sim_create(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                        tn_sim **out) {
  TN_REQUIRE(ctx, out, TN_ERR_ARGUMENT, "no place for the simulation");
  return tni_sim_create(ctx, model, opts, true, out);
}

tn_status tni_sim_create(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts, bool steps, tn_sim **out) {
  *out = NULL;
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  tn_sim *sim = tni_alloc(ctx, 1, sizeof(*sim));
  if (!sim) return tni_out_of_memory(ctx);
  sim->ctx = ctx;
  sim->model = model;
  sim->steps = steps;
  tni_arena_init(&sim->own, ctx);
  tni_arena_init(&sim->arena, ctx);
  tn_status st = keep_options(sim, opts);
  if (st == TN_OK) st = setup(sim);
  if (st != TN_OK) {
    tn_sim_destroy(&sim);
    return st;
  }
  *out = sim;
  return TN_OK;
}

/* everything but what a reset needs */
static void take_apart(tn_sim *sim) {
  tni_event_destroy(&sim->finder);
  if (sim->choice) tni_auto_destroy(sim);
  tni_integrator_destroy(&sim->it);
  tni_technique_destroy(&sim->technique);
  tni_data_destroy(&sim->s);
  tni_data_destroy(&sim->cartesian);
  tni_system_destroy(&sim->joint);
  tni_arena_clear(&sim->arena);
}

tn_status tni_sim_reset(tn_sim *sim) {
  take_apart(sim);
  tn_sim bare = {.ctx = sim->ctx, .model = sim->model, .own = sim->own, .opts = sim->opts, .steps = sim->steps};
  *sim = bare;
  tni_arena_init(&sim->arena, sim->ctx);
  return setup(sim);
}

void tn_sim_destroy(tn_sim **sim) {
  if (!sim || !*sim) return;
  tn_ctx *ctx = (*sim)->ctx;
  take_apart(*sim);
  tni_arena_clear(&(*sim)->own);
  tni_free(ctx, *sim);
  *sim = NULL;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Energy that a switch makes vanish (a stick spring that lets go, a latch that locks) has turned to
 * heat. */
tn_status tni_sim_switch(tn_sim *sim) {
  tni_data *s = sim->s;
  TN_TRY(tni_accel(s, sim->t_hi, sim->at.q, sim->at.v, sim->at.a, NULL, NULL));
  tni_at at = {.t = sim->t_hi, .q = sim->at.q, .v = sim->at.v};
  tni_energies e;
  tni_look_energies(s, &at, &e);
  double before = e.potential + e.kinetic, latched = sim->sum.latch_loss;
  tni_audit_before_switch(sim);
  tni_switches_begin(sim);
  TN_TRY(settle_modes(sim, sim->t_hi));
  tni_switches_end(sim, sim->t_hi);
  TN_TRY(tni_accel(s, sim->t_hi, sim->at.q, sim->at.v, sim->at.a, NULL, NULL));
  tni_look_energies(s, &at, &e);
  sim->at.z[TNI_Z_DISSIPATED] += before - e.potential - e.kinetic;
  return tni_audit_after_switch(sim, sim->sum.latch_loss - latched);
}

tn_status tni_sim_pass_event(tn_sim *sim) {
  tni_data *s = sim->s;
  const tni_event_finder *e = sim->finder;
  tni_state_set(&sim->at, s, e->found.t, e->found.q, e->found.v, e->found.z);
  TN_TRY(tni_sim_switch(sim));
  TN_TRY(follow_switch(sim, sim->t_hi));
  sim->event = false;
  sim->sum.events++;
  return sim->it->type->start(sim->it, sim->t_hi, sim->at.q, sim->at.v, sim->at.z);
}

tn_status tni_sim_take_back(tn_sim *sim) {
  tni_integrator *it = sim->it;
  it->stats.steps--;
  it->stats.rejected++;
  return it->type->start(it, sim->begin.t, sim->begin.q, sim->begin.v, sim->begin.z);
}

/* Explicit steps of meshes never are, and their state is megabytes: all of it on each of several ranks, which move a piece of it. Heat is that of forces. */
static bool may_be_taken_back(const tn_sim *sim) {
  return !sim->sum.fixed_step || sim->model->nforce > 0 || sim->s->nremember > 0 || sim->passages.n > 0;
}

/* One step of the method in use. Where auto has a choice, a method that cannot go on leaves the run to
 * another one that can. */
static tn_status take_step(tn_sim *sim) {
  TN_TRY(tni_auto_choose(sim));
  for (;;) {
    tni_data *s = sim->s;
    tni_integrator *it = sim->it;
    leave_off_following(sim);
    TN_TRY(tni_follow_rank(s, it->now.t, it->now.q));
    tni_auto_begin_step(sim);
    if (may_be_taken_back(sim)) TN_TRY(tni_integrator_bring(it));
    if (may_be_taken_back(sim)) tni_state_set(&sim->begin, s, it->now.t, it->now.q, it->now.v, it->now.z);
    tni_turns_begin(sim);
    tni_instants_begin(sim);
    tni_flow_begin(sim);
    tn_status st = TN_OK;
    for (bool again = true; again && st == TN_OK;) {
      tni_passive_begin(sim);
      st = it->type->step(it);
      if (st == TN_OK) TN_TRY(tni_turns_check(sim, &again));
      if (st == TN_OK && !again) st = tni_instants_check(sim, &again);
      if (st == TN_OK && !again) st = tni_passive_check(sim, &again);
      if (st == TN_OK && !again) st = tni_flow_check(sim, &again);
    }
    if (st != TN_NO_PROGRESS) return st;
    bool rescued;
    TN_TRY(tni_passages_rescue(sim, &rescued));
    if (rescued) continue;
    st = tni_stall_explain(sim, tni_integrator_hmin(it, it->now.t));
    if (!tni_auto_rescue(sim)) return st;
  }
}

tn_status tni_sim_advance_step(tn_sim *sim) {
  sim->switches.n = 0;
  if (sim->event) TN_TRY(tni_sim_pass_event(sim));
  TN_TRY(tni_instants_pass(sim));
  TN_TRY(take_step(sim));
  tni_integrator *it = sim->it;
  tni_data *s = sim->s;
  sim->t_lo = it->t_old;
  sim->t_hi = it->now.t;
  tn_status st = tni_stall_watch(sim);
  if (st != TN_OK && !tni_auto_note_stall(sim)) return st;
  if (sim->model->nevent) TN_TRY(tni_event_find(sim->finder, it, &sim->event));
  tni_auto_end_step(sim);
  if (sim->event) {
    TN_TRY(tni_event_land(sim->finder, it));
    sim->t_hi = sim->finder->found.t;
    tni_switches_gather(sim);
    return tni_flow_commit(sim, sim->finder->found.t, sim->finder->found.q, sim->finder->found.v);
  }
  tni_switches_gather(sim);
  TN_TRY(tni_flow_commit(sim, it->now.t, it->now.q, it->now.v));
  tni_system_commit(s, it->now.t, it->now.q, it->now.v, false);
  /* what a commit between events changes, the direction of sliding, may end a mode too */
  sim->event = tni_event_start(sim->finder, it->now.t, it->now.q, it->now.v) >= 0;
  if (sim->event) return tni_event_stay(sim->finder, it);
  return tni_audit_step(sim);
}

static void note(tn_sim *sim) {
  tn_summary *u = &sim->sum;
  tni_data *s = sim->s;
  tni_at at = tni_sim_at(sim);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  double T = e.kinetic, E = T + e.potential + tni_integrator_shift(sim->it, sim->at.t);
  double D = sim->at.z[TNI_Z_DISSIPATED] + e.spent, W = sim->at.z[TNI_Z_INPUT];
  if (sim->residuals.position > u->position_error) {
    u->position_error = sim->residuals.position;
    tni_row_name(s, sim->residuals.position_row, u->worst_constraint,
                     sizeof(u->worst_constraint));
  }
  u->velocity_error = fmax(u->velocity_error, sim->residuals.velocity);
  u->acceleration_error = fmax(u->acceleration_error, sim->residuals.acceleration);
  if (sim->begun) {
    /* where the zero of the potential is means nothing: only the change counts */
    u->energy_error = fmax(u->energy_error, fabs(E - sim->energy0 + D - W));
    u->energy_scale = fmax(u->energy_scale, fmax(T, fmax(fabs(E - sim->energy0), fmax(D, fabs(W)))));
  }
  u->energy_end = E;
  u->dissipated = D;
  u->input = W;
  u->t_end = sim->at.t;
  tni_audit_look(sim);
}

tni_at tni_sim_at(const tn_sim *sim) {
  const tni_integrator *it = sim->it;
  return sim->with_pieces ? (tni_at){.t = it->now.t, .q = it->now.q, .v = it->now.v} : tni_at_state(&sim->at);
}

static bool ends_step(const tni_integrator *it, double t) { return fabs(t - it->now.t) <= 1e-13*fmax(fabs(t), it->now.t - it->t_old); }

/* Structures alone, at the end of a step: energies are sums over ranks, and there is nothing else to look at. */
tn_status tni_sim_look_pieces(tn_sim *sim, double t) {
  const tni_integrator *it = sim->it;
  if (!it->type->divided || !ends_step(it, t) || sim->model->nsensor > 0 || sim->s->nbody > 0) return tni_sim_look(sim, t);
  sim->with_pieces = true;
  sim->at.t = t;
  memcpy(sim->at.z, it->now.z, TNI_NZ*sizeof(double));
  sim->at.memory = sim->s->memory;
  sim->residuals = (tni_residuals){0, 0, 0, -1, -1, -1};
  note(sim);
  return TN_OK;
}

tn_status tni_sim_look(tn_sim *sim, double t) {
  tni_data *s = sim->s;
  tni_integrator *it = sim->it;
  sim->with_pieces = false;
  /* an output time that differs from the end of a step by rounding is that end */
  if (it && ends_step(it, t)) {
    TN_TRY(tni_integrator_bring(it));
    tni_state_set(&sim->at, s, t, it->now.q, it->now.v, it->now.z);
  } else if (it && (!it->type->peek || !it->type->peek(it, t, sim->at.q, sim->at.v, sim->at.z))) {
    /* what lies between the two sides of a kink is no part of the step behind it, which may be shorter than that */
    it->type->interpolate(it, fmax(t, it->t_old), sim->at.q, sim->at.v, sim->at.z);
    TN_TRY(tni_integrator_project_look(it, t, sim->at.q, sim->at.v));
  }
  sim->at.t = t;
  tni_instants_look(sim);
  sim->at.memory = tni_switches_until(sim, t); /* with its impulses */
  TN_TRY(tni_accel(s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->zdot));
  if (sim->technique && t == it->now.t && it->has_accel) {
    /* multipliers that the method has carried on, not those of the state alone */
    memcpy(sim->at.a, it->now.a, (size_t)s->nv*sizeof(double));
    memcpy(sim->at.lambda, it->now.lambda, (size_t)s->m*sizeof(double));
  }
  tni_eval_residuals(s, t, sim->at.q, sim->at.v, sim->at.a, &sim->residuals);
  tni_eval_reactions(s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->wrench);
  TN_TRY(share_reactions(sim));
  tni_look_sensors(s, &sim->at, sim->wrench, sim->sensor);
  tni_turns_look(sim);
  note(sim);
  return TN_OK;
}

/* ---- checkpoints --------------------------------------------------------------------------- */

/* version, t, energy at the beginning, end of following a switch, switches so far, whether heat is watched; of the run: the length that
 * errors of steps are counted by, its end, time from checkpoint to checkpoint; limits of steps after a pulse, by plastic flow; condition ahead, how near steps come
 * to it, the last one that was met, how many followed each other shortly */
enum { CHECKPOINT_HEAD = 15, CHECKPOINT_VERSION = 11 };

int tni_sim_ncheckpoint(const tn_sim *sim) {
  tni_auto_sizes n = tni_auto_largest(sim);
  return CHECKPOINT_HEAD + TNI_AUTO_NUMBERS + TNI_AUDIT_NUMBERS + n.nq + n.nv + TNI_NZ + tni_nmemory(sim->s) +
         n.nstate;
}

tn_status tni_sim_save(tn_sim *sim, double *state) {
  tni_integrator *it = sim->it;
  double *x = state;
  TN_TRY(tni_integrator_bring(it));
  *x++ = CHECKPOINT_VERSION;
  *x++ = it->now.t;
  *x++ = sim->energy0;
  *x++ = sim->follow_until;
  *x++ = sim->switches.count;
  *x++ = sim->passive.off;
  *x++ = it->opts.run;
  *x++ = sim->instants.end;
  *x++ = sim->set.checkpoint;
  *x++ = sim->instants.limit < DBL_MAX ? sim->instants.limit : 0;
  *x++ = sim->flow.limit < DBL_MAX ? sim->flow.limit : 0;
  *x++ = sim->passages.ahead;
  *x++ = sim->passages.beside;
  *x++ = sim->passages.met;
  *x++ = sim->passages.often;
  tni_auto_save(sim, x), x += TNI_AUTO_NUMBERS;
  tni_audit_save(sim, x), x += TNI_AUDIT_NUMBERS;
  x = tni_state_write(&it->now, sim->s, x);
  /* the set of dropped rows is history too: take it anew here and when loading */
  TN_TRY(choose_rows(sim, it->now.t, it->now.q));
  return it->type->save(sim->it, x);
}

void tni_sim_go_on_as(tn_sim *sim, const tni_run_before *run) {
  if (!sim->it) return;
  sim->it->opts.run = run->length;
  sim->it->opts.t_end = run->end;
  tni_instants_reset(sim, run->end);
}

tn_status tni_sim_load(tn_sim *sim, const double *state) {
  const double *x = state;
  if (*x++ != CHECKPOINT_VERSION)
    return TN_FAIL(sim->ctx, TN_ERR_INPUT, "the checkpoint was written by another version");
  double t = *x++;
  sim->energy0 = *x++;
  double follow_until = *x++;
  sim->switches.count = *x++;
  sim->passive.off = *x++ != 0;
  sim->earlier = (tni_run_before){x[0], x[1], x[2]};
  x += 3;
  sim->instants.limit = *x > 0 ? *x : DBL_MAX;
  x++;
  sim->flow.limit = *x > 0 ? *x : DBL_MAX;
  double ahead[4] = {x[1], x[2], x[3], x[4]};
  x += 5;
  tni_auto_load(sim, x), x += TNI_AUTO_NUMBERS;
  tni_integrator *it = sim->it;
  tni_sim_go_on_as(sim, &sim->earlier); /* steps that are repeated are those of that run */
  sim->passages.ahead = ahead[0], sim->passages.beside = ahead[1], sim->passages.met = ahead[2], sim->passages.often = ahead[3];
  tni_data *s = sim->s;
  const double *audit = x;
  sim->at.memory = s->memory;
  x = tni_state_read(&sim->at, s, x + TNI_AUDIT_NUMBERS);
  TN_TRY(choose_rows(sim, t, sim->at.q));
  TN_TRY(follow_switch(sim, t));
  sim->follow_until = follow_until;
  if (follow_until == -HUGE_VAL) tni_integrator_follow(it, 0, TNI_LET_GO);
  TN_TRY(it->type->start(it, t, sim->at.q, sim->at.v, sim->at.z));
  TN_TRY(it->type->load(it, x));
  sim->t_lo = sim->t_hi = t;
  sim->event = tni_event_start(sim->finder, t, it->now.q, it->now.v) >= 0;
  if (sim->event) TN_TRY(tni_event_stay(sim->finder, it));
  sim->sum.t_begin = t;
  tni_audit_load(sim, audit);
  TN_TRY(tni_sim_look(sim, t));
  return TN_OK;
}

tn_status tni_sim_settle(tn_sim *sim) { return sim->event ? tni_sim_pass_event(sim) : TN_OK; }

tn_status tni_sim_place(tn_sim *sim, double t, const double *q, const double *v) {
  tni_data *s = sim->s;
  tni_state_set(&sim->at, s, t, q, v, sim->it->now.z);
  TN_TRY(choose_rows(sim, t, sim->at.q));
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12, .max_iterations = 50};
  TN_TRY(tni_project(s, t, sim->at.q, sim->at.v, &p, NULL));
  tni_switches_begin(sim);
  TN_TRY(settle_modes(sim, t));
  TN_TRY(follow_switch(sim, t));
  TN_TRY(sim->it->type->start(sim->it, t, sim->at.q, sim->at.v, sim->at.z));
  sim->event = false;
  sim->t_lo = sim->t_hi = t;
  sim->begun = false; /* the jump is no error of the balance */
  tni_audit_restart(sim, t);
  TN_TRY(tni_sim_look(sim, t));
  tni_at at = tni_at_state(&sim->at);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  sim->energy0 = sim->sum.energy_end + e.spent + sim->at.z[TNI_Z_DISSIPATED] - sim->at.z[TNI_Z_INPUT];
  sim->begun = true;
  return TN_OK;
}

tn_status tni_sim_take_over(tn_sim *sim, const double *state) {
  sim->begun = false; /* other numbers, other energy */
  tn_status st = tni_sim_load(sim, state);
  /* the history of the method belongs to the other numbers: it begins anew */
  if (st == TN_OK) st = tni_sim_place(sim, sim->t_hi, sim->at.q, sim->at.v);
  sim->begun = true;
  return st;
}

/* ---- public -------------------------------------------------------------------------------- */

tn_status tn_sim_step(tn_sim *sim) {
  TNI_REQUIRE_SIM(sim);
  if (sim->t_hi >= sim->set.until)
    return TN_FAIL(sim->ctx, TN_ERR_ARGUMENT, "the run has reached its end at %g s",
                   sim->set.until);
  TN_TRY(tni_sim_advance_step(sim));
  return tni_sim_look(sim, sim->t_hi);
}

tn_status tn_sim_advance(tn_sim *sim, double t) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, t >= sim->t_lo && t <= sim->set.until, TN_ERR_ARGUMENT,
             "time %g s is outside of what can be reached, %g to %g s", t, sim->t_lo,
             sim->set.until);
  while (sim->t_hi < t) {
    if (sim->ctx->interrupted) return TN_FAIL(sim->ctx, TN_INTERRUPTED, "stopped at %g s", sim->t_hi);
    TN_TRY(tni_sim_advance_step(sim));
  }
  return tni_sim_look(sim, t);
}

double tn_sim_time(const tn_sim *sim) { return sim ? sim->at.t : NAN; }

static tn_status bad_index(tn_sim *sim, const char *what, int index, int n) {
  return TN_FAIL(sim->ctx, TN_ERR_ARGUMENT, "%s %d does not exist, allowed 0 to %d", what, index,
                 n - 1);
}

/* bodies at the state last looked at */
static const tni_kin *shown(tn_sim *sim) {
  tni_at at = tni_at_state(&sim->at);
  return tni_look_bodies(sim->s, &at);
}

tn_status tn_sim_body_pose(tn_sim *sim, int body, double position[3], double euler[4]) {
  TNI_REQUIRE_SIM(sim);
  if (body < 0 || body >= sim->model->nbody)
    return bad_index(sim, "body", body, sim->model->nbody);
  const tni_kin *k = &shown(sim)[body + 1];
  double c[3];
  mat3_vec(c, k->A, sim->model->body[body].com);
  if (position) vec3_sub(position, k->r, c);
  if (euler) quat_from_matrix(euler, k->A);
  return TN_OK;
}

tn_status tn_sim_body_velocity(tn_sim *sim, int body, double velocity[3], double angular[3]) {
  TNI_REQUIRE_SIM(sim);
  if (body < 0 || body >= sim->model->nbody)
    return bad_index(sim, "body", body, sim->model->nbody);
  const tni_kin *k = &shown(sim)[body + 1];
  double c[3], x[3];
  mat3_vec(c, k->A, sim->model->body[body].com);
  vec3_cross(x, k->W, c);
  if (velocity) vec3_sub(velocity, k->v, x);
  if (angular) vec3_copy(angular, k->W);
  return TN_OK;
}

tn_status tn_sim_joint_coordinate(tn_sim *sim, int joint, int coordinate, double *value,
                                  double *rate) {
  TNI_REQUIRE_SIM(sim);
  if (joint < 0 || joint >= sim->model->njoint)
    return bad_index(sim, "joint", joint, sim->model->njoint);
  const tni_joint *j = &sim->model->joint[joint];
  if (coordinate < 0 || coordinate >= j->ncoord)
    return TN_FAIL(sim->ctx, TN_ERR_ARGUMENT, "joint '%s' (%s) has %d coordinates, not number %d",
                   j->name, j->type, j->ncoord, coordinate);
  tni_env env = {sim->at.t, shown(sim), sim->s->memory};
  tni_scalar_out o;
  tni_scalar_at(&j->coord[coordinate].scalar, &env, TNI_S_VALUE | TNI_S_RATE, &o);
  if (value) *value = o.s;
  if (rate) *rate = o.rate;
  return TN_OK;
}

tn_status tn_sim_joint_reaction(tn_sim *sim, int joint, double force[3], double torque[3]) {
  TNI_REQUIRE_SIM(sim);
  if (joint < 0 || joint >= sim->model->njoint)
    return bad_index(sim, "joint", joint, sim->model->njoint);
  if (force) vec3_copy(force, sim->wrench + 6*joint);
  if (torque) vec3_copy(torque, sim->wrench + 6*joint + 3);
  return TN_OK;
}

tn_status tn_sim_energy(tn_sim *sim, double energy[4]) {
  TNI_REQUIRE_SIM(sim);
  TN_REQUIRE(sim->ctx, energy, TN_ERR_ARGUMENT, "no place for four energies");
  tni_at at = tni_at_state(&sim->at);
  tni_energies e;
  tni_look_energies(sim->s, &at, &e);
  energy[0] = e.kinetic;
  energy[1] = e.potential;
  energy[2] = sim->at.z[TNI_Z_DISSIPATED] + e.spent;
  energy[3] = sim->at.z[TNI_Z_INPUT];
  return TN_OK;
}

void tni_sim_summarize(tn_sim *sim) {
  tn_summary *u = &sim->sum;
  tni_integrator_stats sum;
  tni_work work;
  tni_auto_stats(sim, &sum, &work);
  const tni_integrator_stats *st = &sum;
  const tni_work *w = &work;
  u->steps = st->steps;
  u->rejected = st->rejected; /* those that did not converge are among them */
  u->h_min = st->h_min;
  u->h_max = st->h_max;
  u->evaluations = w->naccel;
  u->factorizations = w->nfactor + st->factorizations;
  u->projections = w->nproject;
  u->rank_changes = w->nrank;
  u->newton = st->newton;
  u->jacobians = st->jacobians;
  u->matrices = st->factorizations;
  u->choices = st->choices;
  u->stiffness = st->stiffness;
  u->time_matrices = st->seconds[TNI_PHASE_MATRICES];
  u->time_factors = st->seconds[TNI_PHASE_FACTORS];
  u->time_accelerations = st->seconds[TNI_PHASE_ACCEL];
  u->time_recovery = st->seconds[TNI_PHASE_RECOVERY];
  u->time_steps = st->seconds[TNI_PHASE_STEPS];
  if (sim->choice) {
    tni_auto_describe(sim, u->method, sizeof(u->method));
    tni_describe(sim->s, u->system, sizeof(u->system));
  } else if (sim->it && sim->it->type->describe && sim->set.analysis->motion == TNI_MOTION_STEPS)
    sim->it->type->describe(sim->it, u->method, sizeof(u->method));
  describe_technique(sim);
  tni_audit_judge(sim, u);
  u->wall = tni_wall_time() - sim->wall0;
  u->cpu = tni_cpu_time() - sim->cpu0;
}

tn_status tn_sim_summary_sized(tn_sim *sim, tn_summary *out, size_t size) {
  TNI_REQUIRE_SIM(sim);
  TN_TRY(tni_summary_check(sim->ctx, out, size));
  tni_sim_summarize(sim);
  tni_summary_hand_over(&sim->sum, out, size);
  return TN_OK;
}
