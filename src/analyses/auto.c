/* analyses/auto.c - method: auto: candidates, trials, change of mind
 *
 * Cost of a second of the model, with the counters of analyses/cost.h:
 *   in use    over a window of steps, events and rejected attempts included
 *   on trial  over the later steps of a trial: the first ones only look for the step size
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/auto.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "analyses/method.h"
#include "analyses/sim.h"
#include "elements/limit.h"
#include "integrators/descriptor.h"

#define LOOSE 5e-3       /* tolerance from which a run begins with the pair of order 5               */
#define RATE_STABLE 6.1  /* step times rate that rk8 bears                                           */
#define LEANS 0.5        /* part of what a method bears from which implicit ones are tried first, and soon */
#define SUSPECT 0.25     /* the same, from which no trial of an explicit one of little less price comes first */
#define MANY_STEPS 1000  /* steps for stability that are worth an implicit method from the beginning */
#define SHARE 0.08       /* of the cost of the run that trials may have                              */
#define SHARE_NEW 0.15   /* the same where an implicit method is not among those tried of late       */
#define SHARE_STIFF 0.3  /* and where one is in use or stability holds the steps besides             */
#define BETTER 0.8       /* part of the cost that is worth a change                                  */
#define UNLIKELY 1.5     /* times the cost of an implicit method promised for the other representation */
#define DEAR 1.5         /* times its price: nor need one that costs more than was thought           */
#define HOPELESS 4.0     /* times the cost of the method in use: a trial need not go on              */
#define DEARER 2.0       /* times the cost at the last comparison: everybody is tried again; and when an
                            implicit method has become so much cheaper: the stiffness may have gone   */
#define CLEARLY 0.5      /* part of the cost that is worth it after one trial                        */
#define NEARLY 3.0       /* times the price of a trial of an explicit method that first looks for stiffness */
enum { PHASES = 2 };     /* trials that decide together where it is close, or where events end them  */
enum { WINDOW = 20, WINDOW_MAX = 100 }; /* steps over which the cost of the method in use is taken   */
enum { TRIAL = 10, WARM_UP = 4 }; /* steps of a trial, and those that only look for their size        */
enum { MOST_LOSSES = 8, MOST_STALLS = 20 };

/* One of each kind: others of high order are never much cheaper, and every candidate has to be tried. */
static const char *const types[] = {"rk8", "rk45", "radau"};

/* ---- candidates ---------------------------------------------------------------------------- */

/* may other rows be the independent ones by now than when the system was last used? */
static bool rank_moves(const tni_data *s) {
  if (s->rank && s->rank->nnull > 0) return true;
  for (int i = 0; i < s->nwatch; i++)
    if (s->watch[i].con) return true;
  return false;
}

/* TN_OK without a candidate: the system does not take this method */
static tn_status add_candidate(tn_sim *sim, tni_data *s, const char *name) {
  tni_choice *a = sim->choice;
  tni_candidate *c = &a->c[a->n];
  tni_integrator_opts io;
  const tni_integrator_type *type = tni_integrator_find(name);
  if (type->needs_tangent && s->relative && tni_method_names_velocities(sim)) return TN_OK;
  memset(c, 0, sizeof(*c));
  sim->s = s;
  TN_TRY(tni_method_options(sim, type, &io));
  /* a smallest step that does not depend on when the method is first used */
  if (io.hmin == 0) io.hmin = 1e-12*fabs(sim->set.until - sim->set.from);
  tn_status st = type->create(sim->ctx, s, &io, &c->it);
  if (st == TN_ERR_UNSUPPORTED) return TN_OK;
  TN_TRY(st);
  c->type = type;
  c->s = s;
  c->rate = c->told = NAN;
  tni_prices_of(sim->model, s, type, &c->price);
  c->guess = tni_price_of_step(&c->price, type);
  c->entry = s->m > 0 && rank_moves(s) ? 0.5*s->m*s->m*s->nv : 0;
  a->n++;
  return TN_OK;
}

static tn_status add_system(tn_sim *sim, tni_data *s) {
  sim->choice->system[sim->choice->nsystem++] = s;
  for (int i = 0; i < TNI_COUNT(types); i++) TN_TRY(add_candidate(sim, s, types[i]));
  return TN_OK;
}

/* Who begins: the explicit method that the tolerance suggests where its steps are cheapest. */
static int first_candidate(const tn_sim *sim) {
  const tni_choice *a = sim->choice;
  const char *name = sim->set.tolerance < LOOSE ? "rk8" : "rk45";
  int best = 0;
  for (int i = 1; i < a->n; i++) {
    bool wanted = strcmp(a->c[i].type->name, name) == 0;
    bool has = strcmp(a->c[best].type->name, name) == 0;
    if (wanted && (!has || a->c[i].guess < a->c[best].guess)) best = i;
  }
  return best;
}

static void use(tn_sim *sim, int i) {
  sim->choice->now = i;
  sim->s = sim->choice->c[i].s;
  sim->it = sim->choice->c[i].it;
}

static tn_status allocate(tn_sim *sim) {
  tni_choice *a = sim->choice;
  tni_auto_sizes n = tni_auto_largest(sim);
  TN_TRY(tni_state_create_sized(&sim->arena, n.nq, n.nv, 0, &a->to));
  TNI_ARENA_NEW(&sim->arena, a->state, n.nstate);
  TNI_ARENA_NEW(&sim->arena, a->g, sim->model->nevent);
  return TN_OK;
}

tn_status tni_auto_create(tn_sim *sim, const tni_system_opts *o, bool joint, bool cartesian) {
  tni_choice *a;
  tni_data *s = NULL;
  TNI_ARENA_NEW(&sim->arena, a, 1);
  sim->choice = a;
  a->seen = a->t_change = NAN;
  a->before = a->rival = -1;
  a->window_t = sim->set.from;
  tn_status st = TN_OK;
  if (joint) st = tni_sim_data(sim, o, true, &s);
  if (st == TN_ERR_UNSUPPORTED && cartesian) s = NULL, st = TN_OK;
  TN_TRY(st);
  if (s) TN_TRY(add_system(sim, s));
  s = NULL;
  if (cartesian) TN_TRY(tni_sim_data(sim, o, false, &s));
  if (s) TN_TRY(add_system(sim, s));
  TN_TRY(allocate(sim));
  use(sim, first_candidate(sim));
  return TN_OK;
}

void tni_auto_destroy(tn_sim *sim) {
  tni_choice *a = sim->choice;
  for (int i = 0; i < a->n; i++) tni_integrator_destroy(&a->c[i].it);
  for (int i = 0; i < a->nsystem; i++) tni_data_destroy(&a->system[i]);
  sim->s = NULL;
  sim->it = NULL;
}

tni_auto_sizes tni_auto_largest(const tn_sim *sim) {
  const tni_choice *a = sim->choice;
  const tni_data *s = sim->s;
  tni_auto_sizes n = {s->nq, s->nv, s->m, sim->it ? sim->it->type->nstate(sim->it) : 0};
  for (int i = 0; a && i < a->n; i++) {
    const tni_candidate *c = &a->c[i];
    int nstate = c->type->nstate(c->it);
    n.nq = c->s->nq > n.nq ? c->s->nq : n.nq;
    n.nv = c->s->nv > n.nv ? c->s->nv : n.nv;
    n.m = c->s->m > n.m ? c->s->m : n.m;
    n.nstate = nstate > n.nstate ? nstate : n.nstate;
  }
  return n;
}

/* ---- from one to the other ------------------------------------------------------------------- */

/* the state of the run in the coordinates of another system: a->to */
static tn_status translate(tn_sim *sim, tni_data *to) {
  tni_choice *a = sim->choice;
  const tni_integrator *it = sim->it;
  tni_data *from = sim->s;
  if (from == to) {
    tni_state_set(&a->to, to, it->now.t, it->now.q, it->now.v, it->now.z);
    return TN_OK;
  }
  tni_eval_bodies(from, it->now.t, it->now.q, it->now.v, NULL);
  tni_coordinates(to, from->kin, a->to.q, a->to.v);
  tni_memory_restore(to, from->memory);
  if (rank_moves(to)) TN_TRY(tni_update_rank(to, it->now.t, a->to.q));
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12};
  return tni_project(to, it->now.t, a->to.q, a->to.v, &p, NULL);
}

/* Start c at the present state as if it had never run. What it follows of impacts is what the run does. */
static tn_status start(tn_sim *sim, tni_candidate *c) {
  tni_choice *a = sim->choice;
  tni_integrator *it = c->it;
  TN_TRY(translate(sim, c->s));
  it->t_old = it->now.t;
  if (c->used) TN_TRY(c->type->save(it, a->state)); /* forgets */
  c->used = true;
  memset(&it->stats, 0, sizeof(it->stats));
  it->careful = 0;
  it->opts.h = sim->set.step;
  bool over = c->type->needs_tangent && sim->it->now.t >= sim->follow_until;
  tni_integrator_follow(it, over ? 0 : sim->follow_rate, over ? 0 : sim->follow_after);
  tni_turns_limit(sim, it);
  return c->type->start(it, sim->it->now.t, a->to.q, a->to.v, sim->it->now.z);
}

static void add_stats(tni_integrator_stats *sum, const tni_integrator_stats *o) {
  if (o->steps) {
    sum->h_min = sum->steps ? fmin(sum->h_min, o->h_min) : o->h_min;
    sum->h_max = fmax(sum->h_max, o->h_max);
  }
  sum->steps += o->steps;
  sum->rejected += o->rejected;
  sum->nonconverged += o->nonconverged;
  sum->newton += o->newton;
  sum->jacobians += o->jacobians;
  sum->factorizations += o->factorizations;
  sum->choices += o->choices;
  for (int i = 0; i < TNI_NPHASE; i++) sum->seconds[i] += o->seconds[i];
}

static void begin_window(tn_sim *sim) {
  tni_choice *a = sim->choice;
  a->window_t = sim->it->now.t;
  a->window_cost = 0;
  a->window_steps = 0;
  a->window_events = sim->sum.events;
}

/* nothing is known of how c compares with the method in use */
static void forget(tni_choice *a, tni_candidate *c) {
  c->due = fmin(c->due, a->cost);
  c->losses = 0;
  c->rate = NAN;
}

/* go on with another candidate; its start may fail, then everything stays as it was */
static tn_status change(tn_sim *sim, int i) {
  tni_choice *a = sim->choice;
  tni_integrator_stats used = sim->it->stats;
  tni_data *from = sim->s;
  TN_TRY(start(sim, &a->c[i]));
  add_stats(&a->past, &used);
  a->before = a->now;
  a->changes++;
  a->t_change = sim->it->now.t;
  double t = sim->it->now.t;
  sim->it->stats = (tni_integrator_stats){0};
  use(sim, i);
  if (sim->follow_until == -HUGE_VAL) sim->follow_until = t; /* left off again, if the method may */
  begin_window(sim);
  a->pending = false;
  for (int k = 0; k < a->n; k++) a->c[k].samples = 0;
  if (from == sim->s) return TN_OK;
  sim->s->least_heat = from->least_heat;
  sim->s->coldest = from->coldest;
  tni_audit_move_rows(sim, from);
  return tni_follow_rank(sim->s, t, sim->it->now.q);
}

/* largest rate of the model at the beginning, from the sparse matrices of candidate i; 0: unknown */
static double rate_at_start(tn_sim *sim, int i) {
  tni_candidate *c = &sim->choice->c[i];
  double rate = start(sim, c) == TN_OK ? tni_descriptor_model_rate(c->it) : 0;
  memset(&c->it->stats, 0, sizeof(c->it->stats));
  return rate;
}

/* the longest step of vibrations that no motion at the beginning shows */
static bool beams_are_stiff(const tn_sim *sim) {
  double limit;
  char why[240];
  tni_limit_describe(sim->model, &limit, why, sizeof(why));
  return limit > 0 && sim->set.until - sim->set.from > MANY_STEPS*limit;
}

/* the cheapest candidate with sparse matrices, -1: none */
static int cheapest_sparse(const tni_choice *a) {
  int best = -1;
  for (int i = 0; i < a->n; i++)
    if (strcmp(a->c[i].type->name, "radau") == 0 && (best < 0 || a->c[i].guess < a->c[best].guess)) best = i;
  return best;
}

/* the sibling of the method in use by its name, -1: none */
static int sibling(const tni_choice *a, const char *name) {
  for (int i = 0; i < a->n; i++)
    if (a->c[i].s == a->c[a->now].s && strcmp(a->c[i].type->name, name) == 0) return i;
  return -1;
}

/* One step is all there is: that of the pair of order 5 takes half of the evaluations, if one of it will do. */
static tn_status begin_with_the_only_step(tn_sim *sim) {
  tni_choice *a = sim->choice;
  double run = sim->set.until - sim->it->now.t;
  int i = a ? sibling(a, "rk45") : -1;
  if (i < 0 || i == a->now || sim->it->stats.h_next < run || sim->it->type->needs_tangent) return TN_OK;
  if (start(sim, &a->c[i]) != TN_OK || a->c[i].it->stats.h_next < run) return TN_OK;
  sim->it->stats = (tni_integrator_stats){0};
  use(sim, i);
  return TN_OK;
}

tn_status tni_auto_begin(tn_sim *sim) {
  tni_choice *a = sim->choice;
  double stiff = RATE_STABLE*MANY_STEPS/(sim->set.until - sim->set.from);
  int i = a ? cheapest_sparse(a) : -1;
  if (i < 0 || (!beams_are_stiff(sim) && rate_at_start(sim, i) < stiff)) return begin_with_the_only_step(sim);
  tn_status st = change(sim, i);
  a->changes = 0;
  a->before = -1;
  return st < 0 ? st : TN_OK;
}

/* ---- trials -------------------------------------------------------------------------------- */

static bool modes_fit_at(tn_sim *sim, const tni_candidate *c, double t, const double *q, const double *v) {
  double *g = sim->choice->g;
  tni_system_events(c->s, t, q, v, g);
  for (int i = 0; i < sim->model->nevent; i++)
    if (g[i] < 0) return false;
  return true;
}

/* Up to where the modes of the beginning hold in the last step: its end, or about the first event in it.
 * Looks into the step as the search for events will, whose work counts. */
static double reach(tn_sim *sim, const tni_candidate *c) {
  enum { HALVINGS = 8 };
  tni_choice *a = sim->choice;
  tni_integrator *it = c->it;
  double lo = it->t_old, hi = it->now.t;
  if (sim->model->nevent == 0) return hi;
  c->type->interpolate(it, 0.5*(lo + hi), a->to.q, a->to.v, NULL);
  if (modes_fit_at(sim, c, hi, it->now.q, it->now.v)) return hi;
  for (int k = 0; k < HALVINGS; k++) {
    double t = 0.5*(lo + hi);
    c->type->interpolate(it, t, a->to.q, a->to.v, NULL);
    if (modes_fit_at(sim, c, t, a->to.q, a->to.v)) lo = t;
    else hi = t;
  }
  return hi;
}

/* what a trial will cost, roughly */
static double trial_price(const tn_sim *sim, const tni_candidate *c) {
  return TRIAL*c->guess + (c->s != sim->s ? c->entry : 0);
}

/* Some steps ahead, up to a->trial_end; c->rate HUGE_VAL: it fails. Returns what it cost. */
static double run_trial(tn_sim *sim, tni_candidate *c) {
  tni_choice *a = sim->choice;
  double t0 = sim->it->now.t, cost0 = 0, cost = 0;
  a->trial_event = false;
  a->trial_end = t0;
  bool failed = start(sim, c) != TN_OK, ends = failed;
  tni_counts begin = tni_counts_of(c->it);
  c->rate = HUGE_VAL;
  for (int steps = 1; !ends && steps <= TRIAL; steps++) {
    failed = c->type->step(c->it) != TN_OK;
    double t = failed ? t0 : reach(sim, c);
    tni_counts now = tni_counts_of(c->it);
    cost = tni_cost_between(&c->price, &begin, &now);
    c->rate = failed || !(t > t0) ? HUGE_VAL : (cost - cost0)/(t - t0);
    a->trial_event = !failed && t < c->it->now.t;
    a->trial_end = t;
    bool hopeless = steps > WARM_UP && c->rate > HOPELESS*a->c[a->now].rate;
    bool dear = cost > DEAR*trial_price(sim, c);
    ends = failed || hopeless || dear || a->trial_event || t >= sim->set.until;
    /* the first steps look for their size */
    if ((steps == 1 || steps == WARM_UP) && !ends) t0 = t, cost0 = cost;
  }
  return cost;
}

/* the same without a trace; the memory is constant during steps, and nobody commits here */
static void try_out(tn_sim *sim, tni_candidate *c) {
  tni_choice *a = sim->choice;
  tni_data *s = c->s;
  double heat = s->least_heat;
  int coldest = s->coldest;
  a->trial_t = sim->it->now.t;
  a->trial_begun = a->cost;
  a->trial_spent = run_trial(sim, c) + (s != sim->s ? c->entry : 0);
  a->trials += a->trial_spent;
  c->told = c->rate;
  s->least_heat = heat;
  s->coldest = coldest;
}

/* The cost that its sibling in the other representation suggests; NAN: none. Explicit methods take about the same
 * steps there; implicit ones, whose unknowns differ, need not. */
static double suggested(const tni_choice *a, const tni_candidate *c) {
  for (int i = 0; i < a->n; i++) {
    const tni_candidate *o = &a->c[i];
    bool fresh = i == a->now || o->due > a->cost;
    if (o != c && o->type == c->type && fresh && isfinite(o->rate)) return o->rate*c->guess/o->guess;
  }
  return NAN;
}

/* Is the same explicit method promised to be cheaper in the other representation? Its steps are about the same there, and
 * where events end trials it may seem otherwise by chance. */
static bool is_dominated(const tni_choice *a, const tni_candidate *c) {
  for (int i = 0; i < a->n && !c->type->needs_tangent; i++) {
    const tni_candidate *o = &a->c[i];
    if (o != c && o->type == c->type && o->guess < BETTER*c->guess && !(o->rate == HUGE_VAL)) return true;
  }
  return false;
}

/* who has waited longer; where stability holds the steps, implicit methods first */
static bool is_before(const tni_candidate *c, const tni_candidate *o, bool stiff) {
  if (stiff && c->type->needs_tangent != o->type->needs_tangent) return c->type->needs_tangent;
  return c->due < o->due || (c->due == o->due && c->guess < o->guess);
}

/* An explicit method may save a fifth or so, an implicit one nearly all where there is stiffness: that nobody knows yet waits for no trial of little less price
 * where steps are not far from what stability allows. */
static bool is_after_unknown(const tn_sim *sim, const tni_candidate *c) {
  const tni_choice *a = sim->choice;
  bool suspect = !c->type->needs_tangent && sim->it->stats.stiffness > SUSPECT*RATE_STABLE;
  for (int i = 0; i < a->n && suspect; i++) {
    const tni_candidate *o = &a->c[i];
    if (o->type->needs_tangent && i != a->now && isnan(o->rate) && a->cost >= o->due && trial_price(sim, o) < NEARLY*trial_price(sim, c)) return true;
  }
  return false;
}

/* the candidate to try now, -1: none. rate: of the method in use */
static int whose_turn(const tn_sim *sim, double rate) {
  const tni_choice *a = sim->choice;
  /* what is stiff only while bodies touch has mostly gone before a trial would be paid for */
  bool leans = sim->it->stats.stiffness > LEANS*RATE_STABLE && sim->model->nevent == 0;
  bool stiff = sim->it->stats.stiff || sim->it->type->needs_tangent || leans;
  double left = rate*(sim->set.until - sim->it->now.t);
  int next = -1;
  for (int i = 0; i < a->n; i++) {
    const tni_candidate *c = &a->c[i];
    double price = trial_price(sim, c);
    bool new = c->type->needs_tangent && isnan(c->rate);
    double share = new && stiff ? SHARE_STIFF : new ? SHARE_NEW : SHARE;
    if (i == a->now || a->cost < c->due || a->trials + price > share*a->cost || left < 2*price) continue;
    if (is_dominated(a, c) || is_after_unknown(sim, c)) continue;
    if (suggested(a, c) > (c->type->needs_tangent ? UNLIKELY : BETTER)*rate) continue;
    if (next < 0 || is_before(c, &a->c[next], stiff)) next = i;
  }
  return next;
}

/* not again before the run has cost so much more that another trial is cheap */
static void put_off(tn_sim *sim, tni_candidate *c) {
  c->due = sim->choice->cost + trial_price(sim, c)/SHARE*ldexp(1, c->losses);
}

static void note_loss(tn_sim *sim, tni_candidate *c) {
  if (c->losses < MOST_LOSSES) c->losses++;
  c->samples = 0;
  put_off(sim, c);
}

/* The method in use cannot go on, or not in reasonable time: the best of the others that is better. */
static bool rescue(tn_sim *sim, double rate) {
  tni_choice *a = sim->choice;
  int best = -1;
  a->c[a->now].rate = rate;
  for (int i = 0; i < a->n; i++) {
    tni_candidate *c = &a->c[i];
    if (i == a->now) continue;
    try_out(sim, c);
    if (c->rate < BETTER*rate && (best < 0 || c->rate < a->c[best].rate)) best = i;
  }
  if (best < 0) return false;
  note_loss(sim, &a->c[a->now]);
  a->seen = a->c[best].rate;
  return change(sim, best) == TN_OK;
}

bool tni_auto_rescue(tn_sim *sim) {
  char why[TNI_MESSAGE_MAX];
  if (!sim->choice) return false;
  snprintf(why, sizeof(why), "%s", tn_ctx_message(sim->ctx));
  if (rescue(sim, HUGE_VAL)) return true;
  (void)TN_FAIL(sim->ctx, TN_NO_PROGRESS, "%s", why); /* trials have messages of their own */
  return false;
}

bool tni_auto_note_stall(tn_sim *sim) {
  tni_choice *a = sim->choice;
  if (!a || a->n < 2) return false;
  snprintf(a->stall, sizeof(a->stall), "%s", tn_ctx_message(sim->ctx));
  a->stalled = true;
  return true;
}

static tn_status leave_stall(tn_sim *sim, double rate) {
  tni_choice *a = sim->choice;
  a->stalled = false;
  if (++a->stalls > MOST_STALLS || !rescue(sim, rate)) return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "%s", a->stall);
  memset(&sim->stall, 0, sizeof(sim->stall));
  return TN_OK;
}

/* The method in use has gone the way of the trial, or has spent as much: what now? */
static tn_status judge(tn_sim *sim) {
  tni_choice *a = sim->choice;
  tni_candidate *c = &a->c[a->rival], *mine = &a->c[a->now];
  double dt = sim->it->now.t - a->trial_t, spent = a->cost - a->trial_begun;
  if (sim->it->now.t < a->trial_end && spent < a->trial_spent) return TN_OK;
  if (!(dt > 0)) return TN_OK;
  double ratio = c->rate*dt/spent;
  a->pending = false;
  c->ratio = c->samples ? (c->ratio*c->samples + ratio)/(c->samples + 1) : ratio;
  c->samples++;
  bool close = c->ratio > CLEARLY && c->ratio < BETTER;
  if ((a->trial_event || close) && c->samples < PHASES) {
    put_off(sim, c);
    return TN_OK;
  }
  a->seen = spent/dt;
  if (!(c->ratio < BETTER)) {
    note_loss(sim, c);
    return TN_OK;
  }
  mine->rate = mine->told = spent/dt;
  mine->losses = c->losses = 0;
  a->seen = c->rate;
  TN_TRY(change(sim, a->rival));
  put_off(sim, mine);
  return TN_OK;
}

tn_status tni_auto_choose(tn_sim *sim) {
  tni_choice *a = sim->choice;
  if (!a || a->n < 2 || !(sim->it->now.t < sim->set.until)) return TN_OK;
  double dt = sim->it->now.t - a->window_t, rate = a->window_cost/dt;
  if (a->stalled) return leave_stall(sim, rate);
  if (a->pending) return judge(sim);
  if (a->window_steps < WINDOW || !(dt > 0)) return TN_OK;
  a->c[a->now].rate = a->c[a->now].told = rate;
  if (isnan(a->seen)) a->seen = rate;
  bool dearer = rate > DEARER*a->seen, calmer = rate < a->seen/DEARER && sim->it->type->needs_tangent;
  if (dearer || calmer) {
    for (int i = 0; i < a->n; i++)
      if (i != a->now) forget(a, &a->c[i]);
    a->seen = rate;
  }
  int i = whose_turn(sim, rate);
  if (i >= 0) {
    try_out(sim, &a->c[i]);
    a->rival = i;
    a->pending = true;
  }
  if (i >= 0 || a->window_steps >= WINDOW_MAX) begin_window(sim);
  return TN_OK;
}

void tni_auto_begin_step(tn_sim *sim) {
  if (sim->choice) sim->choice->counted = tni_counts_of(sim->it);
}

void tni_auto_end_step(tn_sim *sim) {
  tni_choice *a = sim->choice;
  if (!a) return;
  tni_counts now = tni_counts_of(sim->it);
  double cost = tni_cost_between(&a->c[a->now].price, &a->counted, &now);
  a->cost += cost;
  a->window_cost += cost;
  a->window_steps++;
}

/* ---- what happened ------------------------------------------------------------------------- */

void tni_auto_stats(const tn_sim *sim, tni_integrator_stats *out, tni_work *work) {
  const tni_choice *a = sim->choice;
  *out = sim->it ? sim->it->stats : (tni_integrator_stats){0};
  *work = sim->s->work;
  if (!a) return;
  add_stats(out, &a->past);
  for (int i = 0; i < a->nsystem; i++) {
    const tni_work *w = &a->system[i]->work;
    if (a->system[i] == sim->s) continue;
    work->naccel += w->naccel;
    work->nfactor += w->nfactor;
    work->nproject += w->nproject;
    work->nnewton += w->nnewton;
    work->nrank += w->nrank;
    work->nexchange += w->nexchange;
  }
}

static const char *unit_of(double rate, double *value) {
  bool slow = rate >= 1e9;
  *value = rate*(slow ? 1e-9 : 1e-6);
  return slow ? "s/s" : "ms/s";
}

/* "radau cartesian 3 ms/s" */
static void describe_one(const tni_candidate *c, char *out, size_t n) {
  double x;
  const char *unit = unit_of(c->told, &x);
  if (isfinite(c->told)) snprintf(out, n, "%s %s %.3g %s", tni_representation(c->s), c->type->name, x, unit);
  else snprintf(out, n, "%s %s %s", tni_representation(c->s), c->type->name, isnan(c->told) ? "unknown" : "fails");
}

void tni_auto_describe(const tn_sim *sim, char *out, size_t n) {
  const tni_choice *a = sim->choice;
  const tni_candidate *c = &a->c[a->now];
  char mine[64], rival[64], from[64] = "";
  tni_candidate now = *c;
  double dt = sim->it->now.t - a->window_t;
  if (a->window_steps >= WINDOW && dt > 0) now.told = a->window_cost/dt;
  describe_one(&now, mine, sizeof(mine));
  if (a->changes) snprintf(from, sizeof(from), " from t = %.3g s", a->t_change);
  int other = a->rival >= 0 && a->rival != a->now ? a->rival : a->before;
  if (other < 0) {
    snprintf(out, n, "%s (auto: %s; too short for trials)", c->type->name, tni_representation(c->s));
    return;
  }
  describe_one(&a->c[other], rival, sizeof(rival));
  snprintf(out, n, "%s%s (auto: %s against %s; %ld change%s)", c->type->name, from, mine, rival, a->changes,
           a->changes == 1 ? "" : "s");
}

/* ---- restart ------------------------------------------------------------------------------- */

void tni_auto_save(const tn_sim *sim, double *out) {
  const tni_choice *a = sim->choice;
  memset(out, 0, TNI_AUTO_NUMBERS*sizeof(double));
  if (!a) return;
  double scalar[TNI_AUTO_SCALARS] = {
      a->now, a->cost, a->trials, a->window_cost, a->window_t, (double)a->window_steps,
      (double)(sim->sum.events - a->window_events), a->seen, (double)a->changes, a->t_change, a->before, a->rival,
      a->pending, a->trial_t, a->trial_end, a->trial_begun, a->trial_spent, a->trial_event,
      (double)a->stalls};
  memcpy(out, scalar, sizeof(scalar));
  for (int i = 0; i < a->n; i++) {
    const tni_candidate *c = &a->c[i];
    double *x = out + TNI_AUTO_SCALARS + TNI_AUTO_EACH*i;
    x[0] = c->rate, x[1] = c->ratio, x[2] = c->samples, x[3] = c->due, x[4] = c->losses, x[5] = c->told;
  }
}

void tni_auto_load(tn_sim *sim, const double *from) {
  tni_choice *a = sim->choice;
  if (!a) return;
  use(sim, (int)from[0]);
  a->cost = from[1];
  a->trials = from[2];
  a->window_cost = from[3];
  a->window_t = from[4];
  a->window_steps = (long)from[5];
  a->window_events = sim->sum.events - (long)from[6];
  a->seen = from[7];
  a->changes = (long)from[8];
  a->t_change = from[9];
  a->before = (int)from[10];
  a->rival = (int)from[11];
  a->pending = from[12] != 0;
  a->trial_t = from[13];
  a->trial_end = from[14];
  a->trial_begun = from[15];
  a->trial_spent = from[16];
  a->trial_event = from[17] != 0;
  a->stalls = (long)from[18];
  for (int i = 0; i < a->n; i++) {
    const double *x = from + TNI_AUTO_SCALARS + TNI_AUTO_EACH*i;
    tni_candidate *c = &a->c[i];
    c->rate = x[0], c->ratio = x[1], c->samples = (int)x[2], c->due = x[3], c->losses = (int)x[4], c->told = x[5];
  }
}
