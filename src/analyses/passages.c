/* analyses/passages.c - see passages.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/passages.h"

#include <float.h>
#include <math.h>

#include "analyses/sim.h"
#include "integrators/common.h"
#include "model/measures.h"

/* Steps that are a shorter part of the run may pass what they like, and what is met again so soon chatters; so does what is met more than
 * so often within so long. */
static const double SHORT = 1e-6, WHILE = 1e-3;
enum { OFTEN = 40 };
/* how near to a condition steps end, in parts of a step and of its tolerance */
static const double NEAR = 1e-3, NEAREST = 1e-7, ULPS = 64, LEAST = 100;
/* what an expression must jump by to be asked about, and what its slope must change by, in parts of its largest value */
static const double JUMP = 1e-9, BEND = 1e-3;
/* distance for slopes */
static const double BESIDE = 1e-5;
/* by what part of its change an expression may differ from its path */
static const double LIKE = 0.1;
/* conditions of one expression in a step that are looked at, tries to get behind one */
enum { MOST_MET = 8, MOST_TRIES = 10 };

tn_status tni_passages_create(tn_sim *sim) {
  const tn_model *m = sim->model;
  tni_passages *w = &sim->passages;
  int nv = sim->s->nv > sim->cartesian->nv ? sim->s->nv : sim->cartesian->nv; /* auto may change the system */
  w->met = 2*sim->set.from - sim->set.until;
  TNI_ARENA_NEW(&sim->arena, w->of, m->ntimed);
  for (int i = 0; i < m->ntimed; i++) {
    struct tni_passed *p = &w->of[w->n];
    bool any = false;
    if (m->timed[i].nmeasure == 0) continue;
    p->nmeasure = m->timed[i].nmeasure;
    p->measure = m->timed[i].measure;
    p->f = m->timed[i].f;
    TNI_ARENA_NEW(&sim->arena, p->path, p->nmeasure + 1);
    TNI_ARENA_NEW(&sim->arena, p->by, p->nmeasure);
    p->path[0].n = 1;
    TN_TRY(tni_branches_create(&sim->arena, m->timed[i].f, m->timed[i].variable, &p->branches));
    TN_TRY(tni_kinks_create_along(&sim->arena, m->timed[i].f, p->path, &p->along));
    for (int k = 0; k < p->nmeasure; k++) {
      TN_TRY(tni_kinks_create(&sim->arena, m->timed[i].f, k + 1, NULL, &p->by[k]));
      if (p->by[k]) tni_kinks_span(p->by[k], -INFINITY, INFINITY);
      if (p->by[k] && !tni_kinks_bounded(p->by[k])) p->by[k] = NULL;
      any = any || p->by[k];
    }
    if (any || p->along) w->n++;
  }
  TNI_ARENA_NEW(&sim->arena, w->q, sim->s->nq > sim->cartesian->nq ? sim->s->nq : sim->cartesian->nq);
  TNI_ARENA_NEW(&sim->arena, w->v, nv);
  TNI_ARENA_NEW(&sim->arena, w->a, nv);
  TNI_ARENA_NEW(&sim->arena, w->b, nv);
  return TN_OK;
}

void tni_passages_reset(tn_sim *sim, double length) { sim->passages.length = length; }

double tni_passages_stop(const tni_passages *w, double stop) { return w->ahead > 0 ? fmin(stop, w->ahead - w->beside) : stop; }

/* ---- along the last step -------------------------------------------------------------------- */

/* state at the part s of it, in w->q, w->v or where it is already */
static double state_at(tn_sim *sim, double s, const double **q, const double **v) {
  tni_passages *w = &sim->passages;
  tni_integrator *it = sim->it;
  double t = s < 1 ? it->t_old + (it->now.t - it->t_old)*s : it->now.t;
  if (s <= 0) *q = sim->begin.q, *v = sim->begin.v;
  else if (s >= 1) *q = it->now.q, *v = it->now.v;
  else {
    it->type->interpolate(it, t, w->q, w->v, NULL);
    *q = w->q, *v = w->v;
  }
  return t;
}

static void find_paths(tn_sim *sim) {
  enum { LAST = TNI_PATH_STATES - 1 };
  tni_passages *w = &sim->passages;
  for (int k = 0; k < TNI_PATH_STATES; k++) {
    const double *q, *v;
    double t = state_at(sim, (double)k/LAST, &q, &v), part[3];
    tni_at at = {.t = t, .q = q, .v = v};
    tni_env env = {.t = t, .kin = tni_look_bodies(sim->s, &at), .memory = sim->s->memory};
    for (int i = 0; i < w->n; i++) {
      tni_path *p = w->of[i].path;
      p[0].c[0][k] = t;
      for (int j = 1; j <= w->of[i].nmeasure; j++) {
        p[j].n = tni_measure_parts(&w->of[i].measure[j-1], &env, part, &p[j].offset);
        for (int c = 0; c < p[j].n; c++) p[j].c[c][k] = part[c];
      }
    }
  }
  for (int i = 0; i < w->n; i++)
    for (int j = 0; j <= w->of[i].nmeasure; j++)
      for (int c = 0; c < w->of[i].path[j].n; c++) {
        double y[TNI_PATH_STATES];
        memcpy(y, w->of[i].path[j].c[c], sizeof(y));
        tni_path_through(&w->of[i].path[j], c, y);
      }
}

static bool accelerations_at(tn_sim *sim, double s, double *a) {
  const double *q, *v;
  double t = state_at(sim, s, &q, &v);
  return tni_accel(sim->s, t, q, v, a, sim->at.lambda, NULL) == TN_OK;
}

/* could accelerations that are wrong by b - a for the part `part` of the step make an error above its tolerance? */
static bool matters(const tn_sim *sim, const double *a, const double *b, double part) {
  const tni_integrator *it = sim->it;
  double h = it->now.t - it->t_old;
  for (int j = 0; j < sim->s->nv; j++) {
    double allowed = it->opts.atol_v + it->opts.rtol_v*fabs(it->now.v[j]);
    if (fabs(b[j] - a[j])*h*part > allowed) return true;
  }
  return false;
}

static void look_at_branches(tn_sim *sim, double t, const double *q, const double *v, int state) {
  tni_passages *w = &sim->passages;
  double vars[1 + TNI_MAXMEASURE];
  tni_at at = {.t = t, .q = q, .v = v};
  tni_env env = {.t = t, .kin = tni_look_bodies(sim->s, &at), .memory = sim->s->memory};
  vars[0] = t;
  for (int i = 0; i < w->n; i++) {
    if (!w->of[i].branches) continue;
    tni_measures_eval(w->of[i].measure, w->of[i].nmeasure, &env, vars + 1);
    tni_branches_look(w->of[i].branches, vars, state);
  }
}

static bool branches_differ(const tni_passages *w) {
  for (int i = 0; i < w->n; i++)
    if (w->of[i].branches && tni_branches_differ(w->of[i].branches)) return true;
  return false;
}

/* Accelerations on both sides of what is met near the part s of the step: as near as the states there are what the path says they are. */
static bool accelerations_beside(tn_sim *sim, double s) {
  for (double d = BESIDE; d < 0.2; d *= 10) {
    const double *q, *v;
    double from = fmax(0, s - d), to = fmin(1, s + d), t = state_at(sim, from, &q, &v);
    look_at_branches(sim, t, q, v, 0);
    t = state_at(sim, to, &q, &v);
    look_at_branches(sim, t, q, v, 1);
    if (branches_differ(&sim->passages)) return accelerations_at(sim, from, sim->passages.a) && accelerations_at(sim, to, sim->passages.b);
  }
  return false;
}

/* Is the expression at the part s of the step, between values that differ by `much`, what its path says? Dense output of a step that has met
 * something may go ways that no path follows. */
static bool goes_its_path(tn_sim *sim, const struct tni_passed *p, double s, double much) {
  double vars[1 + TNI_MAXMEASURE];
  const double *q, *v;
  double t = state_at(sim, s, &q, &v);
  tni_at at = {.t = t, .q = q, .v = v};
  tni_env env = {.t = t, .kin = tni_look_bodies(sim->s, &at), .memory = sim->s->memory};
  vars[0] = t;
  tni_measures_eval(p->measure, p->nmeasure, &env, vars + 1);
  return fabs(tni_expr_eval(p->f, vars) - tni_kinks_value(p->along, s)) <= LIKE*much;
}

/* between the parts s0 and s1 of the step, neighbours */
static bool jumps_or_bends(tn_sim *sim, const struct tni_passed *p, double s0, double s1) {
  tni_passages *w = &sim->passages;
  tni_kinks *k = p->along;
  double f0 = tni_kinks_value(k, s0), f1 = tni_kinks_value(k, s1), size = fmax(fabs(f0), fabs(f1));
  double slope0 = (f0 - tni_kinks_value(k, s0 - BESIDE))/BESIDE, slope1 = (tni_kinks_value(k, s1 + BESIDE) - f1)/BESIDE;
  for (int i = 0; i <= 4; i++) size = fmax(size, fabs(tni_kinks_value(k, 0.25*i)));
  if (!isfinite(size) || size == 0) return false;
  if (fabs(f1 - f0) > JUMP*size + 2*fmax(fabs(slope0), fabs(slope1))*(s1 - s0))
    return !accelerations_beside(sim, s1) || matters(sim, w->a, w->b, 1);
  if (fabs(slope1 - slope0) <= BEND*size) return false;
  double next, far = 1; /* where it bends again */
  if (!tni_kinks_next(k, s1, 1, &next, &far) || !(far < 1)) far = 1;
  if (!goes_its_path(sim, p, far, fabs(tni_kinks_value(k, far) - f1))) return true;
  return accelerations_at(sim, s1, w->a) && accelerations_at(sim, far, w->b) && matters(sim, w->a, w->b, 0.5*(far - s1));
}

/* the first one in the part (from, before) of the step, or `before` */
static double first_met(tn_sim *sim, const struct tni_passed *p, double from, double before) {
  double s = from, s0, s1;
  if (!p->along || !p->branches) return before;
  for (int i = 0; i < MOST_MET && tni_kinks_next(p->along, s, before, &s0, &s1) && s1 < before; i++, s = s1)
    if (jumps_or_bends(sim, p, s0, s1)) return s1;
  return before;
}

/* A pulse at the part s of the path: do accelerations confirm it? Where dense output does not go there, it has met something; of parts without bounds that may
 * be the far end of a slope that means nothing. */
static bool is_pulse(tn_sim *sim, const struct tni_passed *p, double s) {
  tni_passages *w = &sim->passages;
  double much = fabs(tni_kinks_value(p->along, s) - tni_kinks_value(p->along, 0));
  if (tni_kinks_bounded(p->along) && !goes_its_path(sim, p, s, much)) return true;
  if (!accelerations_at(sim, 0, w->a) || !accelerations_at(sim, 1, w->b)) return false;
  for (int j = 0; j < sim->s->nv; j++) w->a[j] += s*(w->b[j] - w->a[j]);
  return accelerations_at(sim, s, w->b) && matters(sim, w->a, w->b, 1);
}

/* a pulse along measure j, between its values at the ends of the step */
static bool passes_bump(const tn_sim *sim, const struct tni_passed *p, int j, double *where) {
  const tni_path *path = &p->path[j+1];
  double end[2];
  if (!p->by[j]) return false;
  for (int i = 0; i < 2; i++) end[i] = tni_path_at(path, i);
  return end[0] != end[1] && tni_kinks_hides(p->by[j], fmin(end[0], end[1]), fmax(end[0], end[1]), tni_instants_places_seen(sim->it->type), where);
}

/* left to the error of the steps at t */
static bool chatters(const tni_passages *w, double t) {
  double since = fabs(t - w->met);
  return since < SHORT*w->length || (since < WHILE*w->length && w->often >= OFTEN);
}

static void note_met(tni_passages *w, double t) {
  w->often = fabs(t - w->met) < WHILE*w->length ? w->often + 1 : 0;
  w->met = t;
}

tni_passage tni_passages_look(tn_sim *sim, double *at) {
  tni_passages *w = &sim->passages;
  tni_integrator *it = sim->it;
  double h = it->now.t - it->t_old, first = 1, s;
  if (w->n == 0 || it->type->divided || h < LEAST*ULPS*DBL_EPSILON*fmax(fabs(it->now.t), w->length)) return TNI_PASSAGE_NONE;
  find_paths(sim);
  for (int i = 0; i < w->n; i++)
    first = first_met(sim, &w->of[i], 0, first);
  *at = it->t_old + first*h;
  for (int i = 0; sim->sum.fixed_step && first < 1 && i < w->n; i++)
    if (first_met(sim, &w->of[i], first + BESIDE, 1) < 1) return TNI_PASSAGE_TWICE;
  if (first < 1 && !chatters(w, *at)) return TNI_PASSAGE_MET;
  for (int i = 0; i < w->n && h >= SHORT*w->length; i++) {
    *at = it->t_old;
    for (int j = 0; j < w->of[i].nmeasure; j++)
      if (passes_bump(sim, &w->of[i], j, &s)) return TNI_PASSAGE_PULSE;
    if (w->of[i].along && tni_kinks_hides(w->of[i].along, 0, 1, 0, &s) && is_pulse(sim, &w->of[i], s)) {
      *at = it->t_old + s*h;
      return TNI_PASSAGE_PULSE;
    }
  }
  return TNI_PASSAGE_NONE;
}

/* ---- conditions that are met ----------------------------------------------------------------- */

/* the present state carried on for h by its velocities and accelerations w->a, into w->q, w->v: is it on another branch? */
static bool carry(tn_sim *sim, double h) {
  tni_passages *w = &sim->passages;
  const tni_state *now = &sim->it->now;
  for (int j = 0; j < sim->s->nv; j++) {
    w->v[j] = now->v[j] + h*w->a[j];
    w->b[j] = h*(now->v[j] + 0.5*h*w->a[j]);
  }
  tni_retract(sim->s, now->q, w->b, w->q);
  look_at_branches(sim, now->t + h, w->q, w->v, 1);
  return branches_differ(w);
}

/* The method begins behind the condition that the present state is before by about h. *behind: there was one. */
static tn_status get_behind(tn_sim *sim, double h, bool *behind) {
  tni_passages *w = &sim->passages;
  tni_integrator *it = sim->it;
  tni_data *s = sim->s;
  double z[TNI_NZ], zdot[TNI_NZ], t = it->now.t, least = fmax(0.5*w->beside, 4*DBL_EPSILON*fabs(t)), lo = 0;
  *behind = false;
  TN_TRY(tni_integrator_bring(it));
  if (tni_accel(s, t, it->now.q, it->now.v, w->a, sim->at.lambda, zdot) != TN_OK) return TN_OK;
  look_at_branches(sim, t, it->now.q, it->now.v, 0);
  for (int i = 0; i < MOST_TRIES; i++, lo = h, h *= 2)
    if ((*behind = carry(sim, h))) break;
  if (!*behind) return TN_OK;
  while (h - lo > least) {
    double m = lo + 0.5*(h - lo);
    if (carry(sim, m)) h = m;
    else lo = m;
  }
  carry(sim, h);
  for (int j = 0; j < TNI_NZ; j++) z[j] = it->now.z[j] + h*zdot[j];
  tni_state_set(&sim->at, s, t + h, w->q, w->v, z);
  sim->t_hi = t + h;
  note_met(w, t + h);
  it->opts.t_end = sim->instants.end; /* the first step is chosen by these */
  tni_integrator_limit_passing(it, sim->instants.limit);
  return it->type->start(it, t + h, sim->at.q, sim->at.v, sim->at.z);
}

tn_status tni_passages_pass(tn_sim *sim) {
  tni_passages *w = &sim->passages;
  bool behind;
  if (w->ahead == 0 || sim->it->now.t < w->ahead - 2*w->beside) return TN_OK;
  tn_status st = get_behind(sim, fmax(w->beside, w->ahead + w->beside - sim->it->now.t), &behind);
  w->ahead = 0;
  return st;
}

tn_status tni_passages_rescue(tn_sim *sim, bool *rescued) {
  tni_passages *w = &sim->passages;
  tni_integrator *it = sim->it;
  *rescued = false;
  if (w->n == 0 || sim->sum.fixed_step || it->type->divided || chatters(w, it->now.t)) return TN_OK;
  double h = tni_integrator_hmin(it, it->now.t);
  w->beside = ULPS*DBL_EPSILON*fmax(fabs(it->now.t), w->length);
  TN_TRY(get_behind(sim, fmin(h, 2*w->beside), rescued));
  w->ahead = 0;
  if (*rescued) tni_state_set(&sim->begin, sim->s, it->now.t, it->now.q, it->now.v, it->now.z);
  return TN_OK;
}

tn_status tni_passages_cut(tn_sim *sim, double t) {
  tni_passages *w = &sim->passages;
  tni_integrator *it = sim->it;
  double h = it->now.t - it->t_old, ulps = ULPS*DBL_EPSILON*fmax(fabs(t), w->length);
  bool behind;
  w->beside = fmax(ulps, fmin(NEAR*it->opts.rtol_v, NEAREST)*h);
  w->ahead = t;
  TN_TRY(tni_sim_take_back(sim));
  if (t - it->now.t > 4*w->beside) return TN_OK;
  TN_TRY(get_behind(sim, t - it->now.t + w->beside, &behind));
  w->ahead = 0;
  if (!behind) note_met(w, t); /* left to the error */
  if (behind) tni_state_set(&sim->begin, sim->s, it->now.t, it->now.q, it->now.v, it->now.z);
  return TN_OK;
}
