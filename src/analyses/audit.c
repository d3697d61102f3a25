/* analyses/audit.c - a run judges itself; see audit.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/audit.h"

#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/sim.h"
#include "system/parts.h"

/* steps from look to look, of one-step methods, of those with one or two evaluations a step, and of those whose steps are as short as the
 * smallest element wants */
enum { STRIDE = 8, STRIDE_CHEAP = 24, STRIDE_SHORT = 48 };
/* energy that errors of so many tolerances are worth: along a run errors stay below ten */
static const double BALANCE = 10;
/* the same where work is interpolated, not integrated: between the ends of steps */
static const double BETWEEN = 10;
/* without error control, and as a limit with it: part of the largest term, of methods of order 2 and of
 * higher ones, whose error falls from a little to nothing */
static const double ROUGH = 0.02, ROUGH_HIGH = 0.005;
/* of methods that have an energy of their own, which they keep */
static const double ROUGH_OWN = 0.01;
static const double ROUNDING = 1e-10;
/* of energy that switches make: their functions are shifted by up to 1e-9 of the lengths */
static const double SHIFTED = 1e-8;
/* residuals of constraints that drift: part of the size and of the largest speed */
static const double DRIFT = 0.01, DRIFT_SPEED = 0.03;
/* residuals of projected ones, where the tolerance is tighter */
static const double CLOSED = 1e-8;
static const double ACCELERATION = 1e-6;
/* A load that is put on at once stores four times the kinetic energy that it ever makes. */
static const double OVERLAP = 10;
/* changes of written values at the start: part of the size of the model, of 1 rad, of the speeds */
static const double START = 0.2;
/* of the work of kinematics, a quadrature over the times stored */
static const double QUADRATURE = 0.05;
/* growth: four levels of 4 each, three times in a row, each at most so much slower than the last */
enum { GROUP = (TNI_AUDIT_LEVELS - 1)/3 };
static const double SLOWER = 1.3, BEYOND = 1e9, TURN = 6.28318530717958648;

static void keep(tni_worst *w, double value, double t, int index) {
  if (value <= w->value) return;
  *w = (tni_worst){value, t, index};
}

static void move_row(const tni_data *from, const tni_data *to, tni_worst *w) {
  char name[128], other[128];
  int row = (int)w->index;
  if (!(w->value > 0) || row < 0) return;
  w->index = -1;
  tni_row_name(from, row, name, sizeof(name));
  for (int i = 0; i < to->m && w->index < 0; i++) {
    tni_row_name(to, i, other, sizeof(other));
    if (strcmp(name, other) == 0) w->index = i;
  }
}

void tni_audit_move_rows(tn_sim *sim, const tni_data *from) {
  tni_audit_seen *both[] = {&sim->audit.seen, &sim->audit.shown};
  for (int k = 0; k < 2; k++) {
    move_row(from, sim->s, &both[k]->position);
    move_row(from, sim->s, &both[k]->velocity);
    move_row(from, sim->s, &both[k]->acceleration);
  }
}

/* ---- create -------------------------------------------------------------------------------- */

/* the larger of the box and of the bodies' own size */
static void note_size(const tni_audit *a, tni_audit_seen *s, const tn_model *m, const tni_kin *kin) {
  double box = 0;
  for (int i = 0; i < m->nbody; i++)
    for (int k = 0; k < 3; k++) {
      double x = kin[i + 1].r[k];
      bool first = s->any == 0 && i == 0;
      s->low[k] = first ? x : fmin(s->low[k], x);
      s->high[k] = first ? x : fmax(s->high[k], x);
    }
  for (int k = 0; k < 3; k++) box = hypot(box, s->high[k] - s->low[k]);
  s->size = fmax(a->extent, box);
}

static double gyration(const tni_body *b) {
  double I = fmax(b->I[0], fmax(b->I[4], b->I[8]));
  return b->mass > 0 ? sqrt(I/b->mass) : 0;
}

/* how large the model is: points of joints and centres of mass as it begins, and the bodies as such */
static void measure(tn_sim *sim) {
  tni_audit *a = &sim->audit;
  const tn_model *m = sim->model;
  double low[3], high[3], own = 0, box = 0, run = sim->set.until - sim->set.from;
  int n = 0;
  for (int j = -m->njoint; j < m->nbody; j++) {
    double x[3] = {0};
    int body = j < 0 ? m->joint[j + m->njoint].body[1] : j;
    const double *p = j < 0 ? m->joint[j + m->njoint].frame[1].p : NULL;
    if (j < 0 && m->joint[j + m->njoint].mobilizer == TNI_MOBIL_NONE) continue;
    if (body != TNI_GROUND) {
      if (p) mat3_vec(x, sim->origin[body + 1].A, p);
      vec3_add(x, x, sim->origin[body + 1].r);
    } else if (p) {
      vec3_copy(x, p);
    }
    for (int k = 0; k < 3; k++) {
      low[k] = n ? fmin(low[k], x[k]) : x[k];
      high[k] = n ? fmax(high[k], x[k]) : x[k];
    }
    n++;
  }
  for (int k = 0; k < 3 && n; k++) box = hypot(box, high[k] - low[k]);
  for (int i = 0; i < m->nbody; i++) own = fmax(own, 2*gyration(&m->body[i]));
  a->extent = fmax(box, own);
  a->bound = 0;
  for (int i = 0; i < m->nbody; i++) {
    double r = a->extent/fmax(run, 1e-300);
    a->bound += m->body[i].mass*(vec3_norm(m->gravity)*a->extent + r*r);
  }
}

tn_status tni_audit_create(tn_sim *sim) {
  tni_audit *a = &sim->audit;
  const tn_model *m = sim->model;
  const tni_integrator *it = sim->it;
  const tni_technique *q = sim->technique;
  TNI_ARENA_NEW(&sim->arena, a->load, 6*m->nbody);
  TNI_ARENA_NEW(&sim->arena, a->stored, m->nforce);
  TNI_ARENA_NEW(&sim->arena, a->power, m->nforce);
  TNI_ARENA_NEW(&sim->arena, a->input, m->nforce);
  a->input_t = sim->set.from;
  a->seen.giver = -1;
  a->stride = it && it->type->own_energy ? STRIDE_SHORT : it && (it->type->order == 0 || it->type->needs_technique) ? STRIDE_CHEAP : STRIDE;
  TNI_ARENA_NEW(&sim->arena, a->overlap0, m->nforce);
  TNI_ARENA_NEW(&sim->arena, a->contact, m->nforce);
  for (int i = 0; i < m->nforce; i++)
    if (m->force[i].overlap) a->contact[a->ncontact++] = i;
  bool equal = it && (it->type->fixed_step || it->type->needs_technique || sim->set.equal_steps);
  a->drifts = q && (q->type->soft || q->type->needs_past || !tni_projects(sim->s));
  a->controlled = !equal && !a->drifts;
  a->rtol = a->atol = a->rtol_v = a->atol_v = sim->set.tolerance;
  if (it) {
    double share = tni_integrator_share(it->type, sim->s, sim->set.tolerance);
    a->rtol = it->opts.rtol/share;
    a->atol = it->opts.atol/share;
    a->rtol_v = it->opts.rtol_v/share;
    a->atol_v = it->opts.atol_v/share;
  }
  a->drifts = a->drifts || equal;
  measure(sim);
  return TN_OK;
}

/* ---- looking ------------------------------------------------------------------------------- */

/* the energy that errors of one tolerance are worth, speeds and size */
static void weigh(tn_sim *sim, tni_audit_seen *seen, const tni_at *at, const tni_energies *e, const double *z) {
  const tni_audit *a = &sim->audit;
  tni_data *s = sim->s;
  double work = fabs(z[TNI_Z_DISSIPATED]) + fabs(z[TNI_Z_INPUT]);
  double magnitude = e->kinetic + work + tni_look_loads(s, at, a->load), worth = a->rtol*work;
  if (s->parts) magnitude += fabs(e->potential); /* a strained mesh at rest: what its elements store is rounded */
  const tni_kin *kin = tni_look_bodies(s, at);
  for (int i = 0; i < s->nbody; i++) {
    const tni_kin *k = &kin[i + 1];
    const double *f = a->load + 6*i;
    double h[3], v = vec3_norm(k->v), w = vec3_norm(k->w);
    mat3_vec(h, s->inertia[i].I, k->w);
    worth += s->inertia[i].mass*v*(a->atol_v + a->rtol_v*v) + vec3_norm(h)*(a->atol_v + a->rtol_v*w) +
             vec3_norm(f)*(a->atol + a->rtol*vec3_norm(k->r)) + vec3_norm(f + 3)*(a->atol + a->rtol);
    seen->speed = fmax(seen->speed, v);
    seen->spin = fmax(seen->spin, w);
  }
  const tni_parts *p = s->parts;
  for (int i = 0; p && i < p->n; i++)
    for (int k = 0; k < p->part[i].nv; k++) {
      double v = fabs(p->v[p->at[i] + k]), f = fabs(p->f[p->at[i] + k]);
      if (isfinite(f)) worth += p->part[i].mass[k]*v*(a->atol_v + a->rtol_v*v) + f*(a->atol + a->rtol*fabs(p->u[p->at[i] + k]));
    }
  seen->magnitude = fmax(seen->magnitude, magnitude);
  seen->worth = fmax(seen->worth, worth);
  note_size(a, seen, sim->model, kin);
}

/* Angles that steps leave out, from look to look by the trapezoidal rule */
static void look_at_turns(const tn_sim *sim, tni_audit_seen *seen, const tni_at *at) {
  const tni_kin *kin = tni_look_bodies(sim->s, at);
  double dt = fmax(at->t - seen->t, 0), h = sim->it->opts.h, turning = 0, missing = 0;
  for (int i = 0; i < sim->model->nbody; i++) {
    double w = vec3_norm(kin[i + 1].w);
    if (!(w > turning)) continue;
    turning = w;
    missing = h > 0 ? w - 2*atan(0.5*h*w)/h : 0;
    if (missing > 0) seen->misser = i;
  }
  seen->turned += 0.5*dt*(seen->turning + turning);
  seen->missed += 0.5*dt*(seen->missing + missing);
  seen->turning = turning;
  seen->missing = missing;
}

/* elements that give heat back */
static void look_at_heat(const tn_sim *sim, tni_audit_seen *seen, const tni_at *at) {
  const tni_force_out *out = tni_look_forces(sim->s, at);
  double t = at->t, dt = fmax(t - seen->t, 0);
  for (int i = 0; i < sim->model->nforce; i++) {
    double power = out[i].dissipated;
    if (power < 0) keep(&seen->heat, -power*dt, t, i);
  }
}

/* Heat booked at the end of a step, less than before. Inside of steps it may swing a little. */
static void look_at_books(tn_sim *sim, double t, double booked) {
  tni_audit_seen *seen = &sim->audit.seen;
  seen->heat_most = fmax(seen->heat_most, booked);
  keep(&seen->heat, seen->heat_most - booked, t, -1); /* whose it is, is asked at the end */
}

/* Contacts and stops that begin pressed in throw their bodies away with what they store there. A load at rest on one stores
 * half of its weight times the depth; what is more than the weights of the model over its size, its motion and its springs
 * account for was not meant. */
static void look_at_first_overlap(tn_sim *sim, const tni_at *at, int i, double depth, double energy) {
  const tni_audit *a = &sim->audit;
  double known = a->bound + tni_look_kinetic(sim->s, at);
  const tni_force_out *out = tni_look_forces(sim->s, at);
  for (int k = 0; k < sim->model->nforce; k++)
    if (!sim->model->force[k].overlap) known += fabs(out[k].potential);
  if (!(energy > known) || !(energy/known > sim->doubt)) return;
  sim->doubt = energy/known;
  snprintf(sim->why_doubt, sizeof(sim->why_doubt), "'%s' is pressed in by %.3g at the start, where it stores %.2g J, more than "
           "weights, speeds and springs of the model account for; move the bodies apart", sim->model->force[i].name, depth, energy);
}

static void look_at_contacts(tn_sim *sim, tni_audit_seen *seen, const tni_at *at) {
  const tni_audit *a = &sim->audit;
  if (a->ncontact == 0) return;
  tni_env env = {at->t, tni_look_bodies(sim->s, at), sim->s->memory};
  bool first = sim->it && a->shown.any == 0 && !sim->begun;
  for (int n = 0; n < a->ncontact; n++) {
    int i = a->contact[n];
    double depth = 0, energy = 0;
    sim->model->force[i].overlap(&sim->model->force[i], &env, &depth, &energy);
    if (!sim->begun) a->overlap0[i] = energy;
    if (first) look_at_first_overlap(sim, at, i, depth, energy);
    keep(&seen->overlap, energy - a->overlap0[i], at->t, i);
  }
}

static void look(tn_sim *sim, tni_audit_seen *seen, const tni_at *at, const double *z, const tni_residuals *r) {
  double t = at->t;
  tni_energies e;
  tni_look_energies(sim->s, at, &e);
  double T = e.kinetic, E = T + e.potential + tni_integrator_shift(sim->it, t);
  double D = z[TNI_Z_DISSIPATED] + e.spent, W = z[TNI_Z_INPUT];
  /* scales change slowly: rows may be many */
  if (seen == &sim->audit.seen || sim->audit.nshown++ % 4 == 0) weigh(sim, seen, at, &e, z);
  keep(&seen->position, r->position, t, r->position_row);
  keep(&seen->velocity, r->velocity, t, r->velocity_row);
  look_at_heat(sim, seen, at);
  if (seen == &sim->audit.seen && sim->it && sim->it->type->cayley) look_at_turns(sim, seen, at);
  look_at_contacts(sim, seen, at);
  if (sim->begun) {
    seen->scale = fmax(seen->scale, fmax(T, fmax(fabs(E - sim->energy0), fmax(D, fabs(W)))));
    bool between = sim->it && t != sim->it->now.t && t != sim->t_hi;
    keep(between ? &seen->between : &seen->balance, fabs(E - sim->energy0 + D - W), t, -1);
  }
  seen->t = t;
  seen->any = 1;
}

void tni_audit_look(tn_sim *sim) {
  tni_audit_seen *seen = &sim->audit.shown;
  tni_at at = tni_sim_at(sim);
  look(sim, seen, &at, sim->at.z, &sim->residuals);
  keep(&seen->acceleration, sim->residuals.acceleration, sim->at.t, sim->residuals.acceleration_row);
  if (sim->s->nbody == 0) return;
  const double *acc = tni_look_accelerations(sim->s, &at);
  for (int i = 0; i < 6*sim->s->nbody; i++) seen->accel = fmax(seen->accel, fabs(acc[i]));
}

/* ---- growth -------------------------------------------------------------------------------- */

/* Times at which the kinetic energy passed powers of 4. Whatever is driven by a force of bounded
 * growth passes them ever more slowly, as a power of the time; feedback with the wrong sign or a sampled
 * controller that overshoots passes them at equal intervals. */
static bool grows(const tni_audit_seen *seen) {
  if (seen->nlevel < TNI_AUDIT_LEVELS) return false;
  const double *t = seen->reached;
  double first = t[GROUP] - t[0], second = t[2*GROUP] - t[GROUP], third = t[3*GROUP] - t[2*GROUP];
  return second <= SLOWER*first && third <= SLOWER*second;
}

/* Returns how many levels were passed. */
static double note_level(tni_audit_seen *seen, double T, double t) {
  int exponent;
  double before = seen->level_t;
  if (!(T > 0) || !isfinite(T)) return 0;
  seen->level_t = t;
  frexp(T, &exponent);
  double level = floor(0.5*exponent);
  if (seen->nlevel == 0) {
    seen->level = level;
    seen->nlevel = 1;
    seen->reached[0] = t;
    return 0;
  }
  /* Levels passed since the last end of a step, at times in between: as if the speed had grown evenly,
   * so that one long step does not look like growth at equal intervals. */
  double rise = level - seen->level;
  for (int k = 1; k <= rise; k++) {
    if (seen->nlevel == TNI_AUDIT_LEVELS) {
      memmove(seen->reached, seen->reached + 1, (TNI_AUDIT_LEVELS - 1)*sizeof(double));
      seen->nlevel--;
    }
    seen->reached[(int)seen->nlevel] = before + (t - before)*pow(2, k - rise);
    seen->nlevel++;
  }
  if (rise > 0) seen->level = level;
  return fmax(rise, 0);
}

/* work of the forces since the last end of a step, by the trapezoidal rule */
static void add_input(tn_sim *sim, const tni_at *at) {
  tni_audit *a = &sim->audit;
  const tni_force_out *out = tni_look_forces(sim->s, at);
  double t = at->t;
  for (int i = 0; i < sim->model->nforce; i++) {
    double power = out[i].input;
    a->input[i] += 0.5*(t - a->input_t)*(a->power[i] + power);
    a->power[i] = power;
  }
  a->input_t = t;
}

/* the force that has put in most of late: what counts is the last level of energy */
static int culprit(tn_sim *sim, double rise) {
  tni_audit *a = &sim->audit;
  int who = -1;
  for (int i = 0; i < sim->model->nforce; i++) {
    if (a->input[i] > 0 && (who < 0 || a->input[i] > a->input[who])) who = i;
    a->input[i] *= pow(0.25, rise);
  }
  return who;
}

/* a body that turns more than once, or moves by the size of the model, between two times stored */
static int runaway(const tn_sim *sim, const tni_kin *kin) {
  const tni_audit *a = &sim->audit;
  for (int i = 0; i < sim->s->nbody; i++) {
    const tni_kin *k = &kin[i + 1];
    if (vec3_norm(k->w)*sim->set.every > TURN || vec3_norm(k->v)*sim->set.every > a->seen.size)
      return i;
  }
  return -1;
}

static tn_status watch_growth(tn_sim *sim, const tni_at *at, const double *z) {
  tni_audit *a = &sim->audit;
  tni_audit_seen *seen = &a->seen;
  const tn_model *m = sim->model;
  double t = at->t, T = tni_look_kinetic(sim->s, at);
  a->rise += note_level(seen, T, t);
  int who = culprit(sim, a->rise);
  a->rise = 0;
  /* what gravity, springs and the start have given is no divergence */
  if (who < 0 || !(z[TNI_Z_INPUT] > 0.5*T) || !grows(seen)) return TN_OK;
  const tni_kin *kin = tni_look_bodies(sim->s, at);
  int body = runaway(sim, kin);
  if (body < 0 && !(T > BEYOND*a->bound)) return TN_OK;
  if (body < 0) body = 0;
  const tni_kin *k = &kin[body + 1];
  return TN_FAIL(sim->ctx, TN_DIVERGED,
                 "diverges at t = %.6g s: the energy has grown %.0e times since t = %.6g s, ever as "
                 "fast, by what force '%s' puts in; body '%s' moves at %.2g m/s and %.2g rad/s. Lower "
                 "its gains, shorten its 'sample', or look at the sign of its feedback",
                 t, pow(4, TNI_AUDIT_LEVELS - 1), seen->reached[0], m->force[who].name,
                 m->body[body].name, vec3_norm(k->v), vec3_norm(k->w));
}

/* ---- steps and events ---------------------------------------------------------------------- */

static tn_status look_at_end(tn_sim *sim, const tni_at *at, const double *z) {
  tni_data *s = sim->s;
  tni_residuals r = {.position_row = -1};
  if (s->m) tni_eval_residuals(s, at->t, at->q, at->v, NULL, &r);
  look(sim, &sim->audit.seen, at, z, &r);
  return watch_growth(sim, at, z);
}

/* a state as its forces see it: accelerations are nobody's business here */
static tni_at ends_at(double t, const tni_state *st) { return (tni_at){.t = t, .q = st->q, .v = st->v}; }

tn_status tni_audit_step(tn_sim *sim) {
  tni_audit *a = &sim->audit;
  const tni_integrator *it = sim->it;
  tni_at at = ends_at(it->now.t, &it->now);
  look_at_books(sim, it->now.t, it->now.z[TNI_Z_DISSIPATED]);
  if (++a->seen.steps < a->stride && it->now.t < sim->set.until) {
    a->rise += note_level(&a->seen, tni_look_kinetic(sim->s, &at), it->now.t);
    return TN_OK;
  }
  a->seen.steps = 0;
  add_input(sim, &at);
  return look_at_end(sim, &at, it->now.z);
}

void tni_audit_before_switch(tn_sim *sim) {
  tni_at at = ends_at(sim->t_hi, &sim->at);
  add_input(sim, &at);
  const tni_force_out *out = tni_look_forces(sim->s, &at);
  for (int i = 0; i < sim->model->nforce; i++) sim->audit.stored[i] = out[i].potential;
}

tn_status tni_audit_after_switch(tn_sim *sim, double lost_by_impulse) {
  tni_audit *a = &sim->audit;
  tni_at at = ends_at(sim->t_hi, &sim->at);
  const tni_force_out *out = tni_look_forces(sim->s, &at);
  for (int i = 0; i < sim->model->nforce; i++) {
    double gain = out[i].potential - a->stored[i];
    keep(&a->seen.heat, gain, sim->t_hi, i);
    if (gain > a->seen.gift) {
      a->seen.gift = gain;
      a->seen.giver = i;
    }
    a->power[i] = out[i].input; /* it may have jumped */
  }
  keep(&a->seen.heat, -lost_by_impulse, sim->t_hi, -1);
  look_at_books(sim, sim->t_hi, sim->at.z[TNI_Z_DISSIPATED]);
  return look_at_end(sim, &at, sim->at.z);
}

void tni_audit_restart(tn_sim *sim, double t) {
  memset(&sim->audit.seen, 0, sizeof(sim->audit.seen));
  sim->audit.seen.giver = -1;
  sim->audit.input_t = t;
}

void tni_audit_save(const tn_sim *sim, double *out) {
  memcpy(out, &sim->audit.seen, sizeof(sim->audit.seen));
}

void tni_audit_load(tn_sim *sim, const double *from) {
  memcpy(&sim->audit.seen, from, sizeof(sim->audit.seen));
  sim->audit.input_t = sim->audit.seen.t;
}

/* ---- the verdict --------------------------------------------------------------------------- */

static const char *const names[TN_AUDITS] = {"balance", "position", "velocity", "acceleration",
                                             "heat", "overlap", "start", "turn"};

/* both kinds of looks together */
static tni_audit_seen merge(const tni_audit *a) {
  tni_audit_seen all = a->seen;
  const tni_audit_seen *b = &a->shown;
  tni_worst *to[] = {&all.position, &all.velocity, &all.acceleration, &all.balance,
                     &all.heat,     &all.overlap,  &all.between};
  const tni_worst *from[] = {&b->position, &b->velocity, &b->acceleration, &b->balance,
                             &b->heat,     &b->overlap,  &b->between};
  for (int i = 0; i < TNI_COUNT(to); i++)
    if (from[i]->value > to[i]->value) *to[i] = *from[i];
  double *x[] = {&all.scale, &all.magnitude, &all.worth, &all.size, &all.speed, &all.spin, &all.accel};
  const double y[] = {b->scale, b->magnitude, b->worth, b->size, b->speed, b->spin, b->accel};
  for (int i = 0; i < TNI_COUNT(x); i++) *x[i] = fmax(*x[i], y[i]);
  return all;
}

static double balance_allowed(const tn_sim *sim, const tni_audit_seen *s) {
  const tni_audit *a = &sim->audit;
  double rounding = ROUNDING*s->magnitude;
  const tni_integrator_type *type = sim->it ? sim->it->type : NULL;
  double rough = (!type ? ROUGH : type->own_energy ? ROUGH_OWN : type->order > 2 ? ROUGH_HIGH : ROUGH)*s->scale;
  if (sim->set.analysis->motion == TNI_MOTION_PRESCRIBED || sim->set.analysis->motion == TNI_MOTION_WHOLE)
    return QUADRATURE*s->scale + rounding;
  if (a->controlled) rough = BALANCE*s->worth;
  /* a motion below its tolerance is no motion; one that has only begun may be */
  if (a->controlled && sim->t_hi >= sim->set.until)
    rough = fmin(rough, fmax(ROUGH, 10*a->rtol)*s->scale);
  return rough + rounding;
}

static void set(tn_audit *a, const tni_worst *w, double allowed) {
  a->value = w->value;
  a->allowed = allowed;
  a->t = w->t;
}

static void name_row(const tn_sim *sim, tn_audit *a, const tni_worst *w) {
  if (w->value > 0 && w->index >= 0)
    tni_row_name(sim->s, (int)w->index, a->what, sizeof(a->what));
}

static void name_force(const tn_sim *sim, tn_audit *a, const tni_worst *w) {
  if (w->value > 0 && w->index >= 0)
    snprintf(a->what, sizeof(a->what), "%s", sim->model->force[(int)w->index].name);
}

/* the written values that had to change most, by their part of what is small */
static void judge_start(const tn_sim *sim, tn_audit *out) {
  static const char *const kind[TN_NCHANGED] = {"position", "orientation", "velocity",
                                                "angular velocity"};
  out->allowed = 1;
  out->t = sim->set.from;
  for (int k = 0; k < TN_NCHANGED; k++) {
    const tn_correction *c = &sim->sum.changed[k];
    double share = c->size > 0 ? c->size/(START*c->scale) : 0;
    if (!(share > out->value)) continue;
    out->value = share;
    snprintf(out->what, sizeof(out->what), "%s of %.60s", kind[k], c->body);
  }
}

/* a row of a constraint whose residual is a length, or a velocity */
static bool is_length(const tn_sim *sim, const tni_worst *w, const char *name) {
  const char *row = strrchr(name, '.');
  if (!(w->value > 0) || w->index < 0 || !row) return true;
  const tni_con *con = &sim->model->con[sim->s->row_con[(int)w->index]];
  for (int i = 0; i < con->nrow; i++) {
    size_t n = strlen(con->rowname[i]), all = strlen(name);
    if (all > n && strcmp(name + all - n, con->rowname[i]) == 0) return con->rowunit[i][0] == 'm';
  }
  return true;
}

static double position_allowed(const tni_audit *a, const tni_audit_seen *s, bool length) {
  double size = length ? s->size : 1;
  return a->drifts ? DRIFT*size : fmax(a->atol + a->rtol*size, CLOSED*(1 + size));
}

static double velocity_allowed(const tni_audit *a, const tni_audit_seen *s, bool length) {
  double speed = length ? s->speed : s->spin;
  return a->drifts ? DRIFT_SPEED*speed + CLOSED : fmax(a->atol_v + a->rtol_v*speed, CLOSED*(1 + speed));
}

static void judge(const tn_sim *sim, tni_audit_seen *s, tn_audit out[TN_AUDITS]) {
  const tni_audit *a = &sim->audit;
  double fast = fmax(s->speed, s->spin);
  double accel = a->drifts ? INFINITY : ACCELERATION*(1 + s->accel + fast*fast);
  double energy = balance_allowed(sim, s);
  bool rest = tni_analysis_rests(sim->set.analysis);
  memset(out, 0, TN_AUDITS*sizeof(*out));
  for (int i = 0; i < TN_AUDITS; i++) out[i].name = names[i];
  name_row(sim, &out[TN_AUDIT_POSITION], &s->position);
  name_row(sim, &out[TN_AUDIT_VELOCITY], &s->velocity);
  name_row(sim, &out[TN_AUDIT_ACCELERATION], &s->acceleration);
  set(&out[TN_AUDIT_POSITION], &s->position,
      position_allowed(a, s, is_length(sim, &s->position, out[TN_AUDIT_POSITION].what)));
  set(&out[TN_AUDIT_VELOCITY], &s->velocity,
      velocity_allowed(a, s, is_length(sim, &s->velocity, out[TN_AUDIT_VELOCITY].what)));
  set(&out[TN_AUDIT_ACCELERATION], &s->acceleration, accel);
  bool between = s->between.value > BETWEEN*s->balance.value;
  set(&out[TN_AUDIT_BALANCE], between ? &s->between : &s->balance, between ? BETWEEN*energy : energy);
  if (rest) out[TN_AUDIT_BALANCE].allowed = INFINITY;
  set(&out[TN_AUDIT_HEAT], &s->heat, rest ? INFINITY : energy + SHIFTED*s->magnitude);
  set(&out[TN_AUDIT_OVERLAP], &s->overlap, rest ? INFINITY : OVERLAP*s->scale + energy);
  if (s->heat.index < 0) s->heat.index = sim->s->coldest >= 0 ? sim->s->coldest : s->giver;
  name_force(sim, &out[TN_AUDIT_HEAT], &s->heat);
  name_force(sim, &out[TN_AUDIT_OVERLAP], &s->overlap);
  judge_start(sim, &out[TN_AUDIT_START]);
  out[TN_AUDIT_TURN].value = s->missed;
  out[TN_AUDIT_TURN].allowed = ROUGH*(1 + s->turned); /* below an angle of 1 as if it were one */
  out[TN_AUDIT_TURN].t = s->t;
  if (s->missed > 0) snprintf(out[TN_AUDIT_TURN].what, sizeof(out->what), "%s", sim->model->body[(int)s->misser].name);
}

/* what, when, by how much */
static void explain(const tni_audit_seen *s, int which, const tn_audit *a, char *out, size_t n) {
  char who[120] = "an element";
  if (a->what[0]) snprintf(who, sizeof(who), "'%s'", a->what);
  double part = s->scale > 0 ? a->value/s->scale : INFINITY;
  switch (which) {
    case TN_AUDIT_BALANCE:
      snprintf(out, n, "energy balance off by %.2g J (%.2g of the largest term, %.2g allowed) at t = "
               "%.4g s", a->value, part, a->allowed/s->scale, a->t);
      break;
    case TN_AUDIT_POSITION:
      snprintf(out, n, "constraint '%s' open by %.2g (%.2g allowed) at t = %.4g s", a->what, a->value,
               a->allowed, a->t);
      break;
    case TN_AUDIT_VELOCITY:
      snprintf(out, n, "constraint '%s' opens at a rate of %.2g (%.2g allowed) at t = %.4g s", a->what,
               a->value, a->allowed, a->t);
      break;
    case TN_AUDIT_ACCELERATION:
      snprintf(out, n, "acceleration of constraint '%s' off by %.2g (%.2g allowed) at t = %.4g s",
               a->what, a->value, a->allowed, a->t);
      break;
    case TN_AUDIT_HEAT:
      snprintf(out, n, "%s has made %.2g J though it is passive (%.2g J allowed) at t = %.4g s", who,
               a->value, a->allowed, a->t);
      break;
    case TN_AUDIT_OVERLAP:
      snprintf(out, n, "bodies of %s overlap %.2g times as deep as all energy of the run could press "
               "them, at t = %.4g s", who, sqrt(a->value/fmax(s->scale, 1e-300)), a->t);
      break;
    case TN_AUDIT_TURN:
      snprintf(out, n, "steps this long turn bodies by less than their speeds say, %s among them: by %.3g of %.4g rad (%.2g allowed)", who, a->value,
               s->turned, a->allowed);
      break;
    default:
      snprintf(out, n, "the written %s had to change by %.2g times what is small to meet the "
               "constraints", a->what, a->value);
  }
}

static const char *advice(const tn_sim *sim, int which) {
  if (which == TN_AUDIT_START) return "correct what is written, 'tenon check' lists the changes";
  if (sim->set.analysis->motion == TNI_MOTION_PRESCRIBED || sim->set.analysis->motion == TNI_MOTION_WHOLE)
    return "store more often: 'every'";
  if (sim->audit.controlled) return "try a tenth of the tolerance, or another method";
  return "try half the 'step', or a method with error control (auto)";
}

void tni_audit_judge(tn_sim *sim, tn_summary *u) {
  char text[240];
  int worst = -1;
  tni_audit_seen seen = merge(&sim->audit);
  judge(sim, &seen, u->audit);
  snprintf(u->verdict, sizeof(u->verdict), "sound");
  u->sound = true;
  for (int i = 0; i < TN_AUDITS; i++) {
    const tn_audit *a = &u->audit[i];
    if (a->value <= a->allowed) continue;
    explain(&seen, i, a, text, sizeof(text));
    size_t n = worst < 0 ? 0 : strlen(u->verdict);
    snprintf(u->verdict + n, sizeof(u->verdict) - n, "%s%s", worst < 0 ? "doubtful: " : "; ", text);
    if (worst < 0 || i == TN_AUDIT_START) worst = i;
  }
  if (worst < 0) return;
  u->sound = false;
  size_t n = strlen(u->verdict);
  snprintf(u->verdict + n, sizeof(u->verdict) - n, "; %s", advice(sim, worst));
}
