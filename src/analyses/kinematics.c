/* analyses/kinematics.c - fully prescribed motion
 *
 * Positions, velocities and accelerations follow from the constraints at any time; the multipliers of the drives are the forces needed.
 * From one row to the next it goes in pieces in which no counted angle turns far, and which end where something switches: one-sided
 * springs, contacts, friction, samples of controllers. What is prescribed is a motion at every time, so that the finder of events
 * (integrators/event.h) looks into a piece as into a step of a method whose dense output is exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/run.h"
#include "integrators/common.h"

/* Angle of a piece [rad]; wanted, and at most by the mean of the rates at its ends. Part of the velocities that accelerations at the beginning may
 * leave unexplained; part of a piece that is tried, below which nothing is tried again. Pieces of a row where something may switch. */
static const double WANTED = 0.5, MOST = 2, FOLLOWED = 0.05, SHORTEST = 1e-3;
enum { PIECES = 8, SAME_TIME = 1000 };

/* as a method, for the finder of events: a step is a piece */
typedef struct {
  tni_integrator base;
  tni_run *run;
  tni_state begin;
  double *dx;
  double power[3][TNI_NZ];
  double last; /* length of the piece before, 0: none */
} motion;

/* solve the constraints at t, from a Taylor step ahead of a state */
static tn_status solve(const motion *p, const tni_state *from, double t, double *q, double *v) {
  tni_data *s = p->base.s;
  double h = t - from->t;
  for (int i = 0; i < s->nv; i++) p->dx[i] = h*from->v[i] + 0.5*h*h*from->a[i];
  tni_retract(s, from->q, p->dx, q);
  if (v != from->v) memcpy(v, from->v, (size_t)s->nv*sizeof(double));
  tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-12, .max_iterations = 50};
  return tni_project(s, t, q, v, &o, NULL);
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  motion *p = (motion *)(void *)it;
  if (q && v) (void)!solve(p, &p->begin, t, q, v); /* who looks projects, and hears of a failure then */
  if (z) memcpy(z, p->begin.z, TNI_NZ*sizeof(double));
}

static const tni_integrator_type prescribed = {.name = "kinematics", .fixed_step = true, .interpolate = interpolate};

/* to t, from the state last looked at; accelerations and powers there */
static tn_status move_to(motion *p, double t, double *power) {
  tn_sim *sim = p->run->sim;
  tni_data *s = sim->s;
  TN_TRY(solve(p, &sim->at, t, sim->at.q, sim->at.v));
  TN_TRY(tni_accel(s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->zdot));
  tni_system_commit(s, t, sim->at.q, sim->at.v, false);
  sim->at.t = sim->t_lo = sim->t_hi = t;
  memcpy(power, sim->zdot, TNI_NZ*sizeof(double));
  return TN_OK;
}

static double turning(const motion *p) {
  int which;
  tni_at at = tni_at_state(&p->run->sim->at);
  return tni_look_turning(p->base.s, &at, &which);
}

/* Do places and velocities at the end of a piece follow from what is known at its beginning? Where they do not, it passes over what moves. */
static bool is_followed(const motion *p, double h) {
  const tn_sim *sim = p->run->sim;
  const double *v = p->base.now.v;
  double off = 0, size = 0, *dx = p->dx;
  tni_difference(p->base.s, sim->at.q, p->base.now.q, dx);
  for (int i = 0; i < p->base.s->nv; i++) {
    off = fmax(off, fabs(v[i] - sim->at.v[i] - h*sim->at.a[i]));
    off = fmax(off, fabs(dx[i]/h - sim->at.v[i] - 0.5*h*sim->at.a[i]));
    size = fmax(size, fmax(fabs(v[i]), fabs(sim->at.v[i])));
  }
  return off <= FOLLOWED*size;
}

/* how far the next piece goes */
static tn_status choose_end(motion *p, double *end) {
  tn_sim *sim = p->run->sim;
  tni_data *s = p->base.s;
  tni_integrator *it = &p->base;
  double t0 = sim->at.t, rate = turning(p), asked = *end, shortest = SHORTEST*(*end - t0);
  it->t_old = t0;
  /* a piece may seem to be followed by chance: none is much longer than the one before */
  if (p->last > 0) *end = fmin(*end, t0 + 2*p->last);
  if (rate*(*end - t0) > WANTED) *end = fmax(t0 + WANTED/rate, t0*(1 + 1e-15));
  for (;;) {
    TN_TRY(solve(p, &p->begin, *end, it->now.q, it->now.v));
    it->now.t = *end;
    int which;
    tni_at at = {.t = *end, .q = it->now.q, .v = it->now.v};
    double mean = 0.5*(rate + tni_look_turning(s, &at, &which));
    double h = *end - t0;
    if (h < 1e-12*fabs(t0)) break;
    if (mean*h > MOST) *end = t0 + WANTED/mean;
    else if (h > shortest && !is_followed(p, h)) *end = t0 + fmax(0.5*h, shortest);
    else break;
  }
  p->last = *end < asked ? *end - t0 : fmax(*end - t0, p->last); /* what is left of a row says nothing */
  return TN_OK;
}

/* impulses of what touches */
static void gather(tn_sim *sim, double dt) {
  if (sim->switches.start) tni_system_gather(sim->s, sim->at.t, sim->at.q, sim->at.v, dt, sim->s->memory);
}

/* One piece, to `end` at most: two halves, the work done follows by Simpson's rule; impulses of what touches likewise. */
static tn_status advance(motion *p, double end, bool *event) {
  tn_sim *sim = p->run->sim;
  tni_data *s = sim->s;
  tni_integrator *it = &p->base;
  double t0 = sim->at.t;
  *event = false;
  tni_state_set(&p->begin, s, t0, sim->at.q, sim->at.v, sim->at.z);
  memcpy(p->begin.a, sim->at.a, (size_t)s->nv*sizeof(double));
  TN_TRY(choose_end(p, &end));
  if (sim->model->nevent) {
    TN_TRY(tni_event_find(sim->finder, it, event));
    if (*event) end = sim->finder->found.t;
  }
  double h = end - t0;
  if (h > 0) {
    gather(sim, h/6);
    TN_TRY(move_to(p, 0.5*(t0 + end), p->power[1]));
    gather(sim, 4*h/6);
    TN_TRY(move_to(p, end, p->power[2]));
    gather(sim, h/6);
    for (int i = 0; i < TNI_NZ; i++) sim->at.z[i] += h/6*(p->power[0][i] + 4*p->power[1][i] + p->power[2][i]);
    memcpy(p->power[0], p->power[2], sizeof(p->power[0]));
  }
  sim->t_hi = end;
  if (*event) tni_state_set(&sim->at, s, end, sim->finder->found.q, sim->finder->found.v, sim->at.z);
  else if (sim->model->nevent) *event = tni_event_start(sim->finder, end, sim->at.q, sim->at.v) >= 0;
  return TN_OK;
}

static tn_status pass_event(motion *p) {
  tn_sim *sim = p->run->sim;
  TN_TRY(tni_sim_switch(sim));
  TN_TRY(tni_accel(sim->s, sim->at.t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->zdot));
  memcpy(p->power[0], sim->zdot, sizeof(p->power[0]));
  sim->sum.events++;
  return tni_run_store_switches(p->run);
}

static tn_status go_on_to(motion *p, double end) {
  tn_sim *sim = p->run->sim;
  double t0 = sim->at.t, last = t0;
  int pieces = sim->model->nevent ? PIECES : 1, same = 0;
  for (int k = 1; k <= pieces;) {
    double to = k == pieces ? end : t0 + k*(end - t0)/pieces;
    bool event;
    TN_TRY(advance(p, to, &event));
    if (event) TN_TRY(pass_event(p));
    same = sim->at.t > last ? 0 : same + 1;
    last = sim->at.t;
    if (same > SAME_TIME)
      return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "kinematics: something switches without end at t = %.10g s", last);
    if (sim->at.t >= to) k++;
  }
  return TN_OK;
}

static tn_status follow(motion *p) {
  tni_run *r = p->run;
  tn_sim *sim = r->sim;
  memcpy(p->power[0], sim->zdot, sizeof(p->power[0]));
  TN_TRY(tni_run_store(r));
  for (long k = 1; sim->at.t < sim->set.until; k++) {
    double t0 = sim->at.t, t1 = tni_run_output_time(r, k);
    TN_TRY(go_on_to(p, t1));
    TN_TRY(tni_sim_look(sim, t1));
    TN_TRY(tni_run_store(r));
    tni_run_show_progress(r, t1, t1 - t0, k);
    TN_TRY(tni_run_heed_interrupt(r, t1));
  }
  return TN_OK;
}

static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  tni_data *s = sim->s;
  int rank = s->rank ? s->rank->rank : s->m;
  motion p = {.run = r};
  snprintf(sim->sum.method, sizeof(sim->sum.method), "kinematics: positions from the constraints");
  TN_TRY(tni_run_open(r));
  if (rank != s->nv)
    return TN_FAIL(r->ctx, TN_INCONSISTENT,
                   "kinematics needs fully prescribed motion: %d degree%s of freedom left; add "
                   "drives or use type: transient",
                   s->nv - rank, s->nv - rank == 1 ? "" : "s");
  const tni_integrator_opts o = {.h = 1, .t_end = sim->set.until, .project_tol = 1e-12};
  tn_status st = tni_integrator_init(&p.base, &prescribed, r->ctx, s, &o);
  if (st == TN_OK) st = tni_state_create_in(&p.base.arena, s, &p.begin);
  if (st == TN_OK && !(p.dx = tni_arena_alloc(&p.base.arena, (size_t)s->nv + 1, sizeof(double)))) st = tni_out_of_memory(r->ctx);
  if (st == TN_OK) st = follow(&p);
  tni_arena_clear(&p.base.arena);
  return st;
}

const tni_analysis tni_analysis_kinematics = {
    .name = "kinematics", .doc = "follow fully prescribed motion", .motion = TNI_MOTION_PRESCRIBED, .run = run};
