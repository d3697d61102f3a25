/* analyses/statics.c - equilibrium as an analysis of its own and as the start of others
 *
 * Time is the load parameter: what depends on t (forces, prescribed motions) is taken at the given
 * time, everything is at rest, and load steps follow the equilibrium from `from` to `until`.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/statics.h"

#include <stdio.h>

#include "nonlinear/equilibrium.h"

enum { NAMED_FREE = 4 }; /* directions without stiffness that the summary names */

static tni_equilibrium_opts search_options(const tn_sim *sim) {
  static const char *const words[] = {"downhill", "nearest", "stable"};
  tni_equilibrium_opts o = {.tolerance = fmin(1e-10, 1e-4*sim->set.tolerance)};
  for (int i = 0; i < TNI_COUNT(words); i++)
    if (strcmp(sim->set.search, words[i]) == 0) o.search = (tni_search)i;
  return o;
}

/* "body 'cart' along x, body 'wheel' about its own y and 2 more" */
static tn_status name_free(tn_sim *sim, const tni_tangent_space *ts) {
  tn_summary *u = &sim->sum;
  double *delta;
  int *component;
  u->free_names[0] = 0;
  if (ts->nzero == 0) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, delta, (size_t)ts->nzero*(size_t)ts->n);
  TNI_ARENA_NEW(&sim->arena, component, ts->nzero);
  tni_tangent_free(ts, delta, component);
  size_t at = 0;
  for (int i = 0; i < ts->nzero && i < NAMED_FREE && at < sizeof(u->free_names); i++) {
    char name[160];
    tni_tangent_component(ts, component[i], name, sizeof(name));
    at += (size_t)snprintf(u->free_names + at, sizeof(u->free_names) - at, "%s%s", i ? ", " : "",
                           name);
  }
  if (ts->nzero > NAMED_FREE && at < sizeof(u->free_names))
    snprintf(u->free_names + at, sizeof(u->free_names) - at, " and %d more",
             ts->nzero - NAMED_FREE);
  return TN_OK;
}

static tn_status note_equilibrium(tn_sim *sim, const tni_equilibrium *e,
                                  const tni_equilibrium_report *r) {
  tn_summary *u = &sim->sum;
  u->iterations += r->iterations;
  u->iterations_rejected += r->rejected;
  u->equilibria++;
  if (r->force >= u->residual_force || r->moment >= u->residual_moment) {
    u->residual_force = fmax(u->residual_force, r->force);
    u->residual_moment = fmax(u->residual_moment, r->moment);
    snprintf(u->residual_body, sizeof(u->residual_body), "%s",
             r->body < 0 ? "" : sim->model->body[r->body].name);
  }
  u->residual = fmax(u->residual, r->residual);
  u->unstable = r->nnegative;
  u->unstable_left += r->left;
  u->free = r->nfree;
  return name_free(sim, &e->ts);
}

static tn_status create_search(tni_arena *arena, const tn_sim *sim, tni_system *s,
                               tni_equilibrium *e) {
  TN_TRY(tni_equilibrium_create(arena, s, e));
  memcpy(e->ts.spin, sim->set.spin, sizeof(e->ts.spin));
  memcpy(e->ts.spin_at, sim->set.spin_at, sizeof(e->ts.spin_at));
  return TN_OK;
}

tn_status tni_statics_begin(tn_sim *sim, tni_system *s, double t, double *q, double *v,
                            bool at_rest) {
  tni_equilibrium e;
  tni_equilibrium_report r;
  tni_arena arena;
  tni_equilibrium_opts o = search_options(sim);
  tni_arena_init(&arena, sim->ctx);
  tn_status st = create_search(&arena, sim, s, &e);
  if (st == TN_OK) st = tni_equilibrium_solve(&e, t, q, &o, &r);
  if (st == TN_OK) st = note_equilibrium(sim, &e, &r);
  at_rest = at_rest || (st == TN_OK && e.ts.spinning);
  if (st == TN_OK && at_rest) memcpy(v, e.ts.v, (size_t)s->nv*sizeof(double));
  tni_arena_clear(&arena);
  if (st != TN_OK || at_rest) return st;
  tni_project_opts p = {.velocity = true, .tol = 1e-12};
  return s->ops->project(s, t, q, v, &p, NULL);
}

/* show the equilibrium: at rest (or in its spin), with its own multipliers */
static void look_at_rest(tn_sim *sim, const tni_tangent_space *ts) {
  tni_system *s = sim->s;
  size_t nv = (size_t)s->nv;
  sim->t = sim->t_lo = sim->t_hi = ts->t;
  memcpy(sim->q, ts->q, (size_t)s->nq*sizeof(double));
  memcpy(sim->v, ts->v, nv*sizeof(double));
  memcpy(sim->a, ts->a, nv*sizeof(double));
  memcpy(sim->lambda, ts->lambda, (size_t)s->m*sizeof(double));
  s->ops->residuals(s, sim->t, sim->q, sim->v, NULL, &sim->residuals);
  /* drives stand still here, whatever their rate */
  sim->residuals.velocity = sim->residuals.acceleration = 0;
  s->ops->bodies(s, sim->t, sim->q, sim->v, sim->a);
  s->ops->reactions(s, sim->t, sim->q, sim->v, sim->a, sim->lambda, sim->wrench);
  tni_system_sensors(s, sim->t, sim->wrench, sim->z, sim->sensor);
  tn_summary *u = &sim->sum;
  if (sim->residuals.position >= u->position_error && s->m > 0) {
    u->position_error = sim->residuals.position;
    s->ops->row_name(s, sim->residuals.position_row, u->worst_constraint,
                     sizeof(u->worst_constraint));
  }
  u->velocity_error = u->acceleration_error = 0;
  sim->energy0 = u->energy_end = s->potential;
  u->t_end = sim->t;
}

static tn_status load_path(tn_sim *sim, tni_store_fn store, void *user, tni_equilibrium *e) {
  const tni_run_settings *set = &sim->set;
  tni_equilibrium_opts o = search_options(sim);
  for (int k = 0; k <= set->load_steps; k++) {
    tni_equilibrium_report r;
    double part = set->load_steps > 0 ? (double)k/set->load_steps : 0;
    double t = set->from + part*(set->until - set->from);
    TN_TRY(tni_equilibrium_solve(e, t, sim->q, &o, &r));
    TN_TRY(note_equilibrium(sim, e, &r));
    look_at_rest(sim, &e->ts);
    if (k == 0) sim->sum.energy_begin = sim->sum.energy_end;
    TN_TRY(store(user));
    if (sim->ctx->interrupted)
      return TN_FAIL(sim->ctx, TN_INTERRUPTED, "stopped at load step %d of %d", k, set->load_steps);
  }
  return TN_OK;
}

tn_status tni_statics_run(tn_sim *sim, tni_store_fn store, void *user) {
  tni_equilibrium e;
  sim->sum.equilibria = 0; /* the first one is found again, at once */
  snprintf(sim->sum.method, sizeof(sim->sum.method), "statics: Newton on exact tangents, %s",
           sim->set.search);
  TN_TRY(create_search(&sim->arena, sim, sim->s, &e));
  return load_path(sim, store, user, &e);
}
