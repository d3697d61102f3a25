/* integrators/staggered.c - two-stage explicit coordinates, multipliers in a module of their own
 *
 * A step is two stations, each with
 *
 *   terms    forces, constraints and Jacobian at the station              system
 *   LINT     multipliers by the technique of the run                     techniques/
 *   CINT     accelerations, leap to the station after the next           cint.c
 *
 * that hand vectors to each other. Two evaluations of forces and two solutions for the multipliers a
 * step; order 2.
 *
 * Forces of springs, dampers and controllers are taken with the velocities of the other chain, half
 * a step old and carried on by the accelerations there (cint.h): of order 2 and stable for damping.
 *
 * Each chain alone is a leapfrog, stable and without damping up to h omega = 2. The velocities that they
 * lend each other let them part slowly in some motions (a leap has a parasitic root at -1). Every 50
 * stations it is looked how far they have parted (watch_split). If they have, they are brought together:
 * the present state is projected onto the constraints, if that moves it by little only, and the stations
 * begin anew. That costs or feeds stiff vibrations by up to 2e-4 (h omega)^8 of them, so where there are any
 * it is done on evidence and not by the clock. Where the forces are slow it is done at every look: it
 * changes nothing then, and takes away what multipliers of their own leave in the constraints.
 *
 * At these looks the step is chosen again if it was not given, and the energy balance is tested: a run
 * that gains or loses a quarter of its energy by the method is stopped, with the cause. Step limits
 * (explicit leaps): h omega < 2 for every frequency; rotations are usable for h |w| below 0.3.
 *
 * Source: Park, Chiou, Downer, JGCD 13 (1990) 562; Downer, Park, Chiou (1990); resynchronisation,
 * choice of the step and the tests are ours: docs/theory/techniques.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrators/cint.h"
#include "integrators/common.h"
#include "parallel/pool.h"
#include "system/parts.h"
#include "techniques/technique.h"

enum { LOOK = 50 };               /* stations between looks at how the run is doing               */
enum { WINDOW = 48 };             /* of the stations that show how far the chains have parted     */
static const double PARTED = 1e-5; /* part of the velocities in which the chains differ            */
static const double GROWN = 4;    /* times what they differed by soon after they began            */
static const double CALM = 0.35;  /* h times the rate of the forces: beginning anew changes nothing   */
static const double FAR_APART = 3e-3; /* as PARTED, whatever it was in the beginning               */
static const double SAMPLES = 0.3; /* h times the fastest rate: about 20 samples a period          */
static const double COARSE = 1e-2; /* tolerance that belongs to it; finer by the square root        */
static const double LIMIT = 2;    /* h omega at which leaps become unstable                       */
/* the same beside damping of any size, and h c for damping c alone: with g = (sqrt 5 - 1)/2 the other
 * chain, which lends the velocity, is damped as well only for h omega < 2 sqrt g and h c < 2 g */
static const double LIMIT_DAMPED = 1.5723, LIMIT_DAMPING = 1.2361;
static const double ENERGY = 0.25; /* error of the balance, part of the energy that moves          */
static const double SHARE = 1.0/50; /* of the run, when nothing else limits the step               */
enum { PROBE = 10, PROBES = 8 };  /* stations of a trial of the first step; trials               */
static const double MOVED = 0.2;  /* largest projection over the way of one step                  */
static const double OUTGROWN = 1.5; /* of the rate that the step was chosen for                   */
static const double CRUMB = 1e-6; /* part of a step that is rounding of the time                  */
static const double AT_REST = 1e-6; /* of the largest speed so far, or way in the whole run: at rest */
enum { POWER_STEPS = 10 };
enum { BLEND_GRAIN = 1024 };      /* numbers per chunk of the thread pool                         */
enum { RINGS = 10 };              /* stations in a row with alternating multipliers              */

typedef enum { RATE_NONE, RATE_TURN, RATE_ANGULAR, RATE_STIFF, RATE_DAMPED, RATE_SEEN } rate_kind;

typedef struct {
  tni_integrator base;
  tni_technique *lint;
  tni_cint cint;
  bool early;         /* the last resynchronisation came before its time           */
  long station;       /* since the stations began                                  */
  double t_begun;     /* when they did                                             */
  double h;           /* of the present stations                                   */
  /* chains that part: alternating part of the velocities of a window, soon after the stations began
   * and now; how often they were brought together for it, and when last */
  double *alternating, split_first, split;
  double binomial[WINDOW + 1];
  long resyncs;
  double t_resync;
  double *lambda_before, *v_force, *q_try, *x, *y, *base_a;
  tni_state old;                 /* at t_old                                       */
  double *derived;    /* [4 nv] work of the start                                   */
  double *root_mass;  /* [nv] square roots of the diagonal of M                    */
  double *way;        /* [nv] from there to the present positions                  */
  bool has_way;
  double zdot[TNI_NZ], zdot_old[TNI_NZ]; /* at the last station; at t_old          */
  double potential;   /* at the last station                                       */
  /* fastest rates [rad/s], those of the forces as of the last start               */
  double stiff, damped, rate;
  double seen, speed; /* rate at which velocities bend, largest speed: since the stations began */
  double length;      /* of the run                                                */
  double rest;        /* speed [sqrt J] that moves nothing in this time            */
  rate_kind kind;
  int body;           /* of the rate                                               */
  /* the step last chosen, its rate and what that belonged to                      */
  double h_chosen, why_rate;
  rate_kind why;
  int why_body;
  /* balance */
  double energy0, scale, error; /* error as of the last look                        */
  double begun, chain0; /* when the stations began; of a chain after its first step */
  int ringing, rang;  /* stations in a row whose multipliers alternate; most of them */
  double *dl;         /* [m] last change of the multipliers                        */
} stag;

extern const tni_integrator_type tni_integrator_staggered;
static stag *of(tni_integrator *it) { return (stag *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(stag *w) {
  tni_integrator *it = &w->base;
  const tni_data *s = it->s;
  tni_arena *a = &it->arena;
  TNI_ARENA_NEW(a, w->lambda_before, s->m);
  TNI_ARENA_NEW(a, w->dl, s->m);
  TNI_ARENA_NEW(a, w->v_force, s->nv);
  TNI_ARENA_NEW(a, w->x, s->nv);
  TNI_ARENA_NEW(a, w->y, s->nv);
  TNI_ARENA_NEW(a, w->base_a, s->nv);
  TNI_ARENA_NEW(a, w->way, s->nv);
  TNI_ARENA_NEW(a, w->alternating, s->nv);
  TNI_ARENA_NEW(a, w->derived, 4*s->nv);
  w->binomial[0] = ldexp(1, -WINDOW);
  for (int j = 1; j <= WINDOW; j++) w->binomial[j] = -w->binomial[j-1]*(WINDOW + 1 - j)/j;
  TNI_ARENA_NEW(a, w->root_mass, s->nv);
  const tni_kkt *K = &w->lint->K;
  for (int i = 0, d = K->d, last = K->nbody*d; i < s->nv; i++)
    w->root_mass[i] = i < last ? sqrt(K->M[(size_t)(i/d)*(size_t)(d*d) + (size_t)(i%d*(d + 1))])
                               : 1/sqrt(K->free_minv[i - last]);
  TNI_ARENA_NEW(a, w->q_try, s->nq);
  TN_TRY(tni_state_create_in(a, it->s, &w->old));
  w->cint.midpoint = it->opts.midpoint_rotation;
  return tni_cint_create(a, s, &w->cint);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  TN_REQUIRE(ctx, tni_has_terms(s) && opts->technique, TN_ERR_UNSUPPORTED,
             "method 'staggered' needs the cartesian representation without reduced bodies, and a constraint technique");
  TN_REQUIRE(ctx, !s->parts || !tni_parts_coupled(s->parts), TN_ERR_UNSUPPORTED,
             "method 'staggered' needs masses at nodes: no couplings, and mass: lumped");
  stag *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  w->lint = opts->technique;
  tn_status st = tni_integrator_init(&w->base, &tni_integrator_staggered, ctx, s, opts);
  if (st == TN_OK) st = allocate(w);
  if (st != TN_OK) {
    destroy(&w->base);
    return st;
  }
  *out = &w->base;
  return TN_OK;
}

/* ---- one station ---------------------------------------------------------------------------- */

/* a . b in four sums that do not wait for each other */
static double product(const double *a, const double *b, int n) {
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += a[i+k]*b[i+k];
  for (; i < n; i++) sum[0] += a[i]*b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Multipliers (it->lambda) and accelerations (it->a) at (t, q, v). delta 0: without a past, and the
 * present multipliers are the guess if known. */
static tn_status station(stag *w, double t, const double *q, const double *v, const double *v_force,
                         double delta, bool known) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  tni_terms terms;
  s->work.naccel++;
  tni_eval_terms(s, t, q, v, v_force, &terms);
  for (int r = 0; r < s->m; r++) w->lambda_before[r] = it->now.lambda[r];
  tni_station at = {.t = t, .delta = delta, .begins = delta == 0, .v = v,
                    .v_before = delta > 0 ? w->cint.v[0] : v, .v_lagged = v_force,
                    .lambda_before = delta > 0 || known ? w->lambda_before : NULL};
  TN_TRY(w->lint->type->solve(w->lint, &terms, &at, it->now.lambda, it->now.a));
  w->potential = terms.energies.potential;
  w->zdot[TNI_Z_DISSIPATED] = terms.energies.dissipated;
  w->zdot[TNI_Z_INPUT] = terms.energies.input;
  w->zdot[TNI_Z_INPUT] += product(it->now.lambda, terms.phi_t, s->m);
  return TN_OK;
}

/* multipliers that change back and forth by much */
static void watch_ringing(stag *w) {
  const tni_integrator *it = &w->base;
  int m = it->s->m;
  double *d = w->lambda_before; /* not needed any more */
  for (int r = 0; r < m; r++) d[r] = it->now.lambda[r] - d[r];
  double dot = product(d, w->dl, m), now = product(d, d, m), before = product(w->dl, w->dl, m);
  double size = product(it->now.lambda, it->now.lambda, m);
  memcpy(w->dl, d, (size_t)m*sizeof(double));
  bool alternates = dot < -0.5*sqrt(now*before) && now > 0.25*size;
  w->ringing = alternates ? w->ringing + 1 : 0;
  if (w->ringing > w->rang) w->rang = w->ringing;
}

/* How fast the velocities bend: of an oscillation the second difference is (rate h/2)^2 of the
 * velocity. Chains that part show here first. Velocities in the metric of the mass. */
static void watch_bend(stag *w) {
  const double *v0 = w->cint.v[2], *v1 = w->cint.v[0], *v2 = w->cint.v[1];
  int nv = w->base.s->nv;
  for (int i = 0; i < nv; i++) {
    w->x[i] = w->root_mass[i]*(v2[i] - 2*v1[i] + v0[i]);
    w->y[i] = w->root_mass[i]*v2[i];
  }
  double bend = product(w->x, w->x, nv), speed = product(w->y, w->y, nv);
  /* bodies that have come to rest have no rate: what is left of their speed is rounding */
  w->speed = fmax(fmax(w->speed, w->rest), fmax(sqrt(speed), AT_REST*sqrt(2*w->scale)));
  if (w->speed > 0) w->seen = fmax(w->seen, sqrt(sqrt(bend)/w->speed)/(0.5*w->h));
}

/* How far the chains have parted. What one of them has and the other lacks alternates from station to
 * station, whatever its time course. Binomial weights with alternating signs let it pass and hold
 * everything else back: an oscillation of h omega = 1 by 1e-47, one at the limit of stability by 6e-8,
 * so that stiff vibrations are not taken for it. */
static void watch_split(stag *w) {
  int nv = w->base.s->nv, at = (int)(w->station % LOOK);
  if (at == 0) memset(w->alternating, 0, (size_t)nv*sizeof(double));
  if (at > WINDOW) return;
  double weight = w->binomial[at];
  for (int i = 0; i < nv; i++) w->alternating[i] += weight*w->root_mass[i]*w->cint.v[1][i];
  if (at == WINDOW) w->split = sqrt(product(w->alternating, w->alternating, nv));
}

/* ---- rates and the step --------------------------------------------------------------------- */

/* accelerations without a past, for the estimates; leaves the multipliers of the run alone */
static tn_status plain_accel(stag *w, bool free, double t, const double *q, const double *v,
                             const double *v_force, double *a) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  tni_terms terms;
  tni_station at = {.t = t, .v = v, .v_before = v, .v_lagged = v_force,
                    .lambda_before = it->now.lambda};
  tni_eval_terms(s, t, q, v, v_force, &terms);
  if (!free) return w->lint->type->solve(w->lint, &terms, &at, w->lambda_before, a);
  tni_technique_accelerate(w->lint, terms.f, NULL, a);
  return TN_OK;
}

/* Size of the derivative of the accelerations by positions, or by the velocities of forces (those of
 * gyroscopic terms damp nothing): power iteration with
 * differences. An estimate; the balance of energy watches what it overlooks. */
static tn_status derivative_size(stag *w, bool by_velocity, bool free, double *size) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  double vmax = 0;
  *size = 0;
  TN_TRY(plain_accel(w, free, it->now.t, it->now.q, it->now.v, it->now.v, w->base_a));
  for (int i = 0; i < s->nv; i++) {
    w->x[i] = 1 - 2*((i*7 + 3) % 5 > 2) + 0.1*(i % 3);
    vmax = fmax(vmax, fabs(it->now.v[i]));
  }
  for (int n = 0; n < POWER_STEPS; n++) {
    double norm = 0, eps = 1e-6*(by_velocity ? 1 + vmax : 1);
    for (int i = 0; i < s->nv; i++) norm = fmax(norm, fabs(w->x[i]));
    if (!(norm > 0) || !isfinite(norm)) break;
    if (n > 0) *size = norm;
    for (int i = 0; i < s->nv; i++) w->x[i] *= eps/norm;
    if (by_velocity) {
      for (int i = 0; i < s->nv; i++) w->v_force[i] = it->now.v[i] + w->x[i];
      TN_TRY(plain_accel(w, free, it->now.t, it->now.q, it->now.v, w->v_force, w->y));
    } else {
      tni_retract(s, it->now.q, w->x, w->q_try);
      TN_TRY(plain_accel(w, free, it->now.t, w->q_try, it->now.v, it->now.v, w->y));
    }
    for (int i = 0; i < s->nv; i++) w->x[i] = (w->y[i] - w->base_a[i])/eps;
  }
  return TN_OK;
}

/* Rates of the forces on the constrained bodies. Multipliers with dynamics of their own do not take
 * up a force at once: bodies then feel it as if they were free, which is stable up to h times the
 * free rate of about 2, whatever the constraints make of it. */
static tn_status force_rates(stag *w) {
  double stiff = 0, damped = 0;
  TN_TRY(derivative_size(w, false, false, &w->stiff));
  TN_TRY(derivative_size(w, true, false, &w->damped));
  if (w->lint->type->needs_past && w->base.s->m > 0) {
    TN_TRY(derivative_size(w, false, true, &stiff));
    TN_TRY(derivative_size(w, true, true, &damped));
  }
  w->stiff = fmax(sqrt(w->stiff), SAMPLES*sqrt(stiff));
  w->damped = fmax(w->damped, SAMPLES*damped);
  return TN_OK;
}

/* h times the rate of a motion that the tolerance allows: the error of leaps grows with its square */
static double samples(const stag *w) {
  return SAMPLES*sqrt(fmin(1, w->base.opts.rtol/COARSE));
}
/* the same for rates of any kind: forces only need to be followed without harm, and what they make move
 * is seen */
static double samples_of(const stag *w, rate_kind kind) {
  return kind == RATE_STIFF || kind == RATE_DAMPED ? SAMPLES : samples(w);
}

/* limits the step more than what is known so far? */
static void faster(stag *w, double rate, rate_kind kind, int body) {
  if (!(rate/samples_of(w, kind) > w->rate/samples_of(w, w->kind))) return;
  w->rate = rate;
  w->kind = kind;
  w->body = body;
}

/* Step at which the forces become unstable, damping counted. Where stiffness and damping act on the same
 * motion this is the limit to 2 %, else it is below it. */
static double step_limit(const stag *w) {
  const double p = 1.25;
  if (!(w->damped > 1e-6*w->stiff)) return LIMIT/fmax(w->stiff, DBL_MIN);
  return pow(pow(w->stiff/LIMIT_DAMPED, p) + pow(w->damped/LIMIT_DAMPING, p), -1/p);
}

/* fastest rate of the present state; rates of the forces are those of the last start */
static void find_rate(stag *w) {
  const tni_integrator *it = &w->base;
  const tni_layout *L = it->s->layout;
  w->rate = 0;
  w->kind = RATE_NONE;
  w->body = -1;
  for (int b = 0; b < L->nnode; b++) {
    double turn[2] = {0, 0}, angular[2] = {0, 0};
    tni_layout_squares(L, b, it->now.v, turn);
    tni_layout_squares(L, b, it->now.a, angular);
    faster(w, sqrt(turn[1]), RATE_TURN, b);
    faster(w, pow(angular[1], 0.25), RATE_ANGULAR, b);
  }
  faster(w, w->stiff, RATE_STIFF, -1);
  faster(w, w->damped, RATE_DAMPED, -1);
  faster(w, w->seen, RATE_SEEN, -1);
}

static void say_rate(const stag *w, rate_kind kind, int which, double rate, char *out, size_t n) {
  const char *body = which >= 0 ? tni_name_of_body(w->base.s, which) : "";
  switch (kind) {
    case RATE_TURN: snprintf(out, n, "'%s' turns at %.3g rad/s", body, rate); break;
    case RATE_ANGULAR: snprintf(out, n, "'%s' gathers speed at %.3g rad/s", body, rate); break;
    case RATE_STIFF: snprintf(out, n, "forces vibrate at %.3g rad/s", rate); break;
    case RATE_DAMPED: snprintf(out, n, "forces damp at %.3g 1/s", rate); break;
    case RATE_SEEN: snprintf(out, n, "velocities change at %.3g rad/s", rate); break;
    default: snprintf(out, n, "nothing moves"); break;
  }
}

/* a whole number of steps h to the end */
static void set_step(stag *w, double h) {
  double remaining = w->base.opts.t_end - w->base.now.t;
  w->h = w->h_chosen = w->base.opts.h > 0 ? w->base.opts.h : remaining/ceil(remaining/h);
  w->why = w->kind;
  w->why_body = w->body;
  w->why_rate = w->rate;
}

/* step for the rest of the run: the one given, or one that resolves the fastest rate */
static void choose_step(stag *w, bool first) {
  const tni_integrator *it = &w->base;
  double h = fmin(samples_of(w, w->kind)/fmax(w->rate, DBL_MIN), fmin(SHARE*w->length, it->opts.hmax));
  if (!first) {
    if (h > 0.8*w->h_chosen && h < 1.5*w->h_chosen) return; /* a change costs accuracy */
    h = fmin(h, 1.5*w->h_chosen);
  }
  set_step(w, h);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* a^T M b */
static double mass_product(const stag *w, const double *a, const double *b) {
  const tni_kkt *K = &w->lint->K;
  int d = K->d;
  double sum = 0;
  for (int body = 0; body < K->nbody; body++, a += d, b += d) {
    const double *M = K->M + (size_t)body*(size_t)(d*d);
    for (int i = 0; i < d; i++) sum += a[i]*product(M + i*d, b, d);
  }
  for (int i = K->nbody*d; i < w->base.s->nv; i++) sum += *a++ * *b++ /K->free_minv[i - K->nbody*d];
  return sum;
}

/* what the balance of energy lacks at the last station, with kinetic energy T */
static double imbalance(stag *w, double T) {
  const tni_integrator *it = &w->base;
  double D = it->now.z[TNI_Z_DISSIPATED], W = it->now.z[TNI_Z_INPUT];
  w->scale = fmax(w->scale, fmax(T, fmax(fabs(D), fabs(W))));
  return T + w->potential + D - W - w->energy0;
}

static double kinetic(stag *w) {
  tni_at now = tni_at_state(&w->base.now);
  return tni_look_kinetic(w->base.s, &now);
}

/* Error of the balance after the last station of a step. Position and
 * velocities there belong to different chains; what a leapfrog keeps for sure is the energy of one chain,
 * with v_{k-1}^T M v_{k+1}/2, compared with that of the first step; what damping takes is known for the
 * state. A run that goes wrong shows it in both. */
static void watch_energy(stag *w) {
  const double *before = w->cint.v[0], *a = w->base.now.a;
  for (int i = 0; i < w->base.s->nv; i++) w->x[i] = before[i] + w->h*a[i];
  double state = imbalance(w, kinetic(w));
  double chain = imbalance(w, 0.5*mass_product(w, before, w->x));
  if (w->station == 2) w->chain0 = chain;
  chain += w->begun - w->chain0;
  w->error = fabs(state) < fabs(chain) ? state : chain;
}

/* d <- f(y + delta d) - f(y), f = (v, a) at the present state y: delta times the derivative of f along d */
static tn_status derive(stag *w, double delta, double *dx, double *dv) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  for (int i = 0; i < s->nv; i++) {
    w->x[i] = delta*dx[i];
    w->v_force[i] = it->now.v[i] + delta*dv[i];
  }
  tni_retract(s, it->now.q, w->x, w->q_try);
  TN_TRY(plain_accel(w, false, it->now.t, w->q_try, w->v_force, w->v_force, w->y));
  for (int i = 0; i < s->nv; i++) {
    dx[i] = delta*dv[i];
    dv[i] = w->y[i] - it->now.a[i];
  }
  return TN_OK;
}

/* The first station, half a step delta after the present state, where the leaps themselves would have it,
 * so that nothing is left between the chains: with L the derivative of f, smooth motions of the leaps are
 * y_{k+1} = (sqrt(1 + (delta L)^2) + delta L) y_k, and the root is
 *   1 + (delta L)^2/2 - (delta L)^4/8 + (delta L)^6/16 - ...
 * as a midpoint rule whose middle has the higher powers. An oscillation is changed by 2e-4 (h omega)^8 of it. */
static tn_status begin(stag *w, double h, bool known) {
  static const double power[] = {-1.0/8, 1.0/16};
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  int nv = s->nv;
  double delta = 0.5*h, *dx = w->derived, *dv = dx + nv, *mx = dv + nv, *mv = mx + nv;
  TN_TRY(station(w, it->now.t, it->now.q, it->now.v, it->now.v, 0, known));
  it->has_accel = true;
  w->h = h;
  w->begun = imbalance(w, kinetic(w));
  for (int i = 0; i < nv; i++) {
    dx[i] = it->now.v[i], dv[i] = it->now.a[i];
    mx[i] = 0.5*delta*dx[i], mv[i] = it->now.v[i] + 0.5*delta*dv[i];
  }
  for (int n = 0; n < TNI_COUNT(power); n++) {
    TN_TRY(derive(w, delta, dx, dv));
    TN_TRY(derive(w, delta, dx, dv));
    for (int i = 0; i < nv; i++) {
      mx[i] += power[n]*delta*dx[i];
      mv[i] += power[n]*delta*dv[i];
    }
  }
  tni_retract(s, it->now.q, mx, w->q_try);
  TN_TRY(plain_accel(w, false, it->now.t + 0.5*delta, w->q_try, mv, mv, w->y));
  tni_cint_begin(&w->cint, h, it->now.q, it->now.v, it->now.a, mv, w->y);
  w->station = 0;
  w->t_begun = it->now.t;
  w->seen = w->speed = w->split = w->split_first = 0;
  return TN_OK;
}

/* the station that CINT stands at, or the one after it; t is its time */
static tn_status next_station(stag *w, double t) {
  if (w->station > 0) tni_cint_leap(&w->cint, w->base.now.a);
  tni_cint_lagged(&w->cint, w->v_force);
  TN_TRY(station(w, t, w->cint.q[1], w->cint.v[1], w->v_force, 0.5*w->h, true));
  if (w->station > 0) watch_bend(w);
  watch_split(w);
  w->station++;
  return TN_OK;
}

/* A step that was not given is tried for some stations: what bends faster than the rates of the
 * beginning tell (a mass at rest on a string) shows then. */
static tn_status probe(stag *w) {
  const tni_integrator *it = &w->base;
  for (int n = 0; n < PROBES; n++) {
    double seen;
    TN_TRY(begin(w, w->h, true));
    for (int k = 1; k <= PROBE; k++) TN_TRY(next_station(w, it->now.t + 0.5*k*w->h));
    seen = w->seen;
    if (isfinite(seen) && w->h*seen <= 1.1*samples(w)) break;
    faster(w, seen, RATE_SEEN, -1);
    set_step(w, fmax(0.1*w->h, isfinite(seen) ? 0.9*samples(w)/seen : 0));
  }
  memset(w->dl, 0, (size_t)it->s->m*sizeof(double));
  return TN_OK;
}

/* length of the run, and the speed below which it shows nothing: what moves the model by a millionth of its
 * size from beginning to end. Velocities from rest are rounding until they exceed that. */
static void measure(stag *w) {
  const tni_integrator *it = &w->base;
  const tni_data *s = it->s;
  tni_at now = tni_at_state(&it->now);
  const tni_kin *k = tni_look_bodies(it->s, &now) + 1;
  double size = 0, mass = 0;
  w->length = it->opts.t_end - it->now.t;
  for (int b = 0; b < s->nbody; b++) {
    double d[3];
    vec3_sub(d, k[b].r, k[0].r);
    size = fmax(size, fmax(vec3_norm(d), vec3_norm(k[b].r)));
  }
  for (int i = 0; i < s->nv; i++) mass = fmax(mass, w->root_mass[i]);
  w->rest = AT_REST*mass*size/w->length;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  stag *w = of(it);
  tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = t;
  w->has_way = false;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  memset(w->dl, 0, (size_t)s->m*sizeof(double));
  if (t >= it->opts.t_end) {
    TN_TRY(station(w, t, it->now.q, it->now.v, it->now.v, 0, false));
    return TN_OK;
  }
  TN_TRY(station(w, t, it->now.q, it->now.v, it->now.v, 0, false));
  w->energy0 = 0;
  w->energy0 = imbalance(w, kinetic(w));
  TN_TRY(force_rates(w));
  w->seen = 0;
  find_rate(w);
  if (w->length == 0) measure(w);
  choose_step(w, true);
  if (it->opts.h == 0) TN_TRY(probe(w));
  bool damping = w->h*w->damped > LIMIT_DAMPING;
  if (w->h*w->stiff > LIMIT || damping)
    return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                   "staggered: step %.3g s is beyond the stability limit %.3g s of the forces "
                   "(%s at %.3g rad/s); take 'step' below %.3g s or an implicit method",
                   w->h, step_limit(w), damping ? "damping" : "vibration",
                   damping ? w->damped : w->stiff, SAMPLES/fmax(w->stiff, w->damped));
  return begin(w, w->h, false);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static tn_status unstable(stag *w, const char *sign) {
  tni_integrator *it = &w->base;
  char rate[160];
  find_rate(w);
  say_rate(w, w->kind, w->body, w->rate, rate, sizeof(rate));
  double hw = w->h*w->rate;
  /* what was seen to change fast is a symptom, and multipliers that ring are another cause of it */
  bool symptom = w->kind == RATE_SEEN && w->rang >= RINGS;
  if ((!isfinite(hw) || hw > 1) && !symptom)
    return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                   "staggered: unstable at t = %.6g s (%s): step limit, %s and step*rate = %.3g "
                   "must be below 2, better 0.3; shorten 'step' = %.3g s",
                   it->now.t, sign, rate, hw, w->h);
  if (w->rang >= RINGS)
    return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                   "staggered: unstable at t = %.6g s (%s): the multipliers ring (%d stations in a "
                   "row); raise 'softness' above the present one or shorten 'step' = %.3g s",
                   it->now.t, sign, w->rang, w->h);
  return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                 "staggered: unstable at t = %.6g s (%s) with step %.3g s; fastest: %s", it->now.t,
                 sign, w->h, rate);
}

/* Project a state, unless that moves it far (a singular position, a wrong branch). */
static void project(stag *w, double t, double *q, double *v) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  double way = 0;
  tni_project_opts po = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  tni_project_report rep;
  if (s->m == 0 || w->lint->type->soft) return;
  for (int i = 0; i < s->nv; i++) way = fmax(way, fabs(w->h*v[i]));
  memcpy(w->q_try, q, (size_t)s->nq*sizeof(double));
  memcpy(w->x, v, (size_t)s->nv*sizeof(double));
  tn_status st = tni_project_anyway(s, t, w->q_try, w->x, &po, &rep);
  if (st != TN_OK || rep.correction_q > MOVED*way + 1e-9) return;
  if (w->h*rep.correction_v > MOVED*way + 1e-9) return;
  memcpy(q, w->q_try, (size_t)s->nq*sizeof(double));
  memcpy(v, w->x, (size_t)s->nv*sizeof(double));
}

/* a run that gains or loses much by the method is not worth its end */
static tn_status check_energy(stag *w) {
  if (fabs(w->error) <= ENERGY*w->scale + DBL_MIN) return TN_OK;
  char sign[80];
  snprintf(sign, sizeof(sign), "energy off by %.3g J of %.3g J", fabs(w->error), w->scale);
  return unstable(w, sign);
}

/* the step to take: the chosen one, or what is left; a crumb at the end is rounding */
static double next_step(const stag *w) {
  double remaining = w->base.opts.t_end - w->base.now.t;
  return w->h_chosen*(1 - CRUMB) > remaining ? remaining : w->h_chosen;
}

/* Evidence that the chains have parted: what alternates has grown since they began, or there is more of
 * it than the beginning of any vibration leaves. */
static bool have_parted(stag *w) {
  if (w->station <= LOOK) w->split_first = w->split;
  bool grown = w->split > PARTED*w->speed && w->split > GROWN*w->split_first;
  return grown || w->split > FAR_APART*w->speed;
}

/* How is the run doing? *together: the chains should be brought together, because they have *parted or
 * because it does no harm and takes away what multipliers of their own leave in the constraints. */
static tn_status look(stag *w, bool *parted, bool *together) {
  tni_integrator *it = &w->base;
  TN_TRY(check_energy(w));
  find_rate(w);
  choose_step(w, false);
  *parted = it->opts.resynchronize == 0 && have_parted(w);
  *together = *parted || (it->opts.resynchronize == 0 && w->h*w->stiff <= CALM);
  w->seen = w->speed = 0;
  w->early = false;
  if (*together || !w->lint->type->projects) return TN_OK;
  /* These techniques let positions drift. Both stations are projected, so that neither chain takes
   * notice of more than the constraints. */
  project(w, it->now.t - 0.5*w->h, w->cint.q[0], w->cint.v[0]);
  project(w, it->now.t, w->cint.q[1], w->cint.v[1]);
  memcpy(it->now.q, w->cint.q[1], (size_t)it->s->nq*sizeof(double));
  memcpy(it->now.v, w->cint.v[1], (size_t)it->s->nv*sizeof(double));
  return TN_OK;
}

/* bring the chains together at the present state */
static tn_status resync(stag *w) {
  tni_integrator *it = &w->base;
  double h = next_step(w), error = w->error;
  bool rest = h < w->h_chosen; /* a short last step */
  project(w, it->now.t, it->now.q, it->now.v);
  w->ringing = 0;
  TN_TRY(begin(w, h, true));
  if (rest) w->begun = error; /* of the chain, as before: the state is one of both */
  return TN_OK;
}

static tn_status step(tni_integrator *it) {
  stag *w = of(it);
  tni_data *s = it->s;
  bool parted = false, together = false;
  TN_REQUIRE(it->ctx, it->now.t < it->opts.t_end, TN_ERR_ARGUMENT,
             "%s: no step beyond the end t = %.9g s", it->type->name, it->opts.t_end);
  if (w->station > 0 && w->station % LOOK == 0) TN_TRY(look(w, &parted, &together));
  /* a step of its own choice that a motion outgrows is not kept until the next occasion */
  bool outgrown = it->opts.h == 0 && w->station >= PROBE && w->h*w->seen > OUTGROWN*samples(w);
  bool early = outgrown && !w->early; /* not again and again: stations that always begin are no chain */
  if (early) {
    find_rate(w);
    choose_step(w, false);
  }
  if (it->opts.resynchronize > 0 && w->station >= it->opts.resynchronize) together = parted = true;
  if (parted) {
    w->resyncs++;
    w->t_resync = it->now.t;
  }
  double h = next_step(w);
  if (together || h != w->h || early) {
    TN_TRY(resync(w));
    w->early = early;
  }
  h = w->h;
  size_t nv = (size_t)s->nv;
  tni_state_copy(&w->old, s, &it->now);
  memcpy(w->zdot_old, w->zdot, sizeof(w->zdot));
  double t0 = it->now.t, t1 = w->t_begun + (double)(w->station/2 + 1)*h, before[TNI_NZ];
  if (h*(1 + CRUMB) >= it->opts.t_end - t0) t1 = it->opts.t_end;
  for (int half = 1; half <= 2; half++) {
    /* at the beginning of a step CINT stands at station k = t + h/2 when the stations have just
     * begun, and at t otherwise */
    double t = half == 2 ? t1 : t0 + 0.5*h;
    memcpy(before, w->zdot, sizeof(before));
    TN_TRY(next_station(w, t));
    watch_ringing(w);
    for (int i = 0; i < TNI_NZ; i++) it->now.z[i] += 0.25*h*(before[i] + w->zdot[i]);
  }
  memcpy(it->now.q, w->cint.q[1], (size_t)s->nq*sizeof(double));
  memcpy(it->now.v, w->cint.v[1], nv*sizeof(double));
  w->has_way = false;
  bool last = t1 >= it->opts.t_end;
  it->t_old = t0;
  it->now.t = t1;
  if (w->station == 2 || w->station % LOOK == 0 || last) watch_energy(w);
  it->has_accel = true;
  for (int i = 0; i < s->nv; i++)
    if (!isfinite(it->now.v[i]) || !isfinite(it->now.a[i])) return unstable(w, "numbers overflow");
  tni_integrator_count_step(it, h, 2);
  it->stats.h_next = w->h;
  return last ? check_energy(w) : TN_OK;
}

typedef struct {
  double to, from_v, to_v; /* Hermite polynomials */
  const stag *w;
  double *v;               /* [nv] or NULL        */
} blend_job;

static void blend(void *user, int begin, int end) {
  const blend_job *j = user;
  const stag *w = j->w;
  const tni_integrator *it = &w->base;
  for (int i = begin; i < end; i++)
    w->x[i] = j->to*w->way[i] + j->from_v*w->old.v[i] + j->to_v*it->now.v[i];
  for (int i = begin; i < end && j->v; i++)
    j->v[i] = (1 - j->to)*w->old.v[i] + j->to*it->now.v[i] + j->from_v*w->old.a[i] + j->to_v*it->now.a[i];
}

/* Hermite polynomials of the ends of the step, positions along the way from one to the other */
static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  stag *w = of(it);
  const tni_data *s = it->s;
  double h = it->now.t - it->t_old, x = h > 0 ? (t - it->t_old)/h : 1;
  double h01 = x*x*(3 - 2*x), h10 = h*x*(1 - x)*(1 - x), h11 = h*x*x*(x - 1);
  if (!w->has_way) tni_difference(s, w->old.q, it->now.q, w->way);
  w->has_way = true;
  blend_job j = {h01, h10, h11, w, v};
  tni_parallel_for(it->ctx, s->nv, BLEND_GRAIN, blend, &j);
  if (q) tni_retract(s, w->old.q, w->x, q);
  for (int i = 0; i < TNI_NZ && z; i++)
    z[i] = (1 - h01)*w->old.z[i] + h01*it->now.z[i] + h10*w->zdot_old[i] + h11*w->zdot[i];
}

/* ---- save, load, describe ------------------------------------------------------------------- */

enum { HEAD = 28 };

static int nstate(const tni_integrator *it) {
  const stag *w = (const stag *)(const void *)it;
  return HEAD + TNI_NZ + 2*it->s->nq + 4*it->s->nv + 2*it->s->m + w->lint->nstate;
}

static tn_status save(tni_integrator *it, double *x) {
  stag *w = of(it);
  const tni_data *s = it->s;
  double head[HEAD] = {w->h, (double)w->station, w->stiff, w->damped, w->rate, w->kind, w->body, w->energy0,
                       w->scale, w->begun, w->ringing, w->rang, w->error,
                       w->seen, w->speed, w->length, w->h_chosen, w->why_rate, w->why, w->why_body,
                       w->early, w->t_begun, w->split_first, w->split, (double)w->resyncs, w->t_resync,
                       w->chain0, w->rest};
  x = tni_put(x, head, HEAD);
  x = tni_put(x, w->zdot, TNI_NZ);
  x = tni_put(x, it->now.q, s->nq); /* start would normalize it once more */
  x = tni_put(x, w->cint.q[0], s->nq);
  x = tni_put(x, w->cint.v[0], s->nv);
  x = tni_put(x, w->cint.a_before, s->nv);
  x = tni_put(x, it->now.a, s->nv);
  x = tni_put(x, w->alternating, s->nv);
  x = tni_put(x, it->now.lambda, s->m);
  x = tni_put(x, w->dl, s->m);
  if (w->lint->nstate) tni_put(x, w->lint->state, w->lint->nstate);
  return TN_OK;
}

/* after start at the same state: the station before comes back, and with it the chains */
static tn_status load(tni_integrator *it, const double *x) {
  stag *w = of(it);
  const tni_data *s = it->s;
  double head[HEAD];
  x = tni_get(x, head, HEAD);
  w->h = w->cint.h = head[0];
  w->station = (long)head[1];
  w->stiff = head[2], w->damped = head[3], w->rate = head[4];
  w->kind = (rate_kind)(int)head[5];
  w->body = (int)head[6];
  w->energy0 = head[7], w->scale = head[8];
  w->begun = head[9];
  w->ringing = (int)head[10], w->rang = (int)head[11];
  w->error = head[12];
  w->seen = head[13], w->speed = head[14], w->length = head[15];
  w->h_chosen = head[16], w->why_rate = head[17];
  w->why = (rate_kind)(int)head[18];
  w->why_body = (int)head[19];
  w->early = head[20] != 0;
  w->t_begun = head[21], w->split_first = head[22], w->split = head[23];
  w->resyncs = (long)head[24];
  w->t_resync = head[25], w->chain0 = head[26], w->rest = head[27];
  x = tni_get(x, w->zdot, TNI_NZ);
  x = tni_get(x, it->now.q, s->nq);
  x = tni_get(x, w->cint.q[0], s->nq);
  x = tni_get(x, w->cint.v[0], s->nv);
  x = tni_get(x, w->cint.a_before, s->nv);
  x = tni_get(x, it->now.a, s->nv);
  x = tni_get(x, w->alternating, s->nv);
  x = tni_get(x, it->now.lambda, s->m);
  x = tni_get(x, w->dl, s->m);
  if (w->lint->nstate) tni_get(x, w->lint->state, w->lint->nstate);
  if (w->station > 0) {
    memcpy(w->cint.q[1], it->now.q, (size_t)s->nq*sizeof(double));
    memcpy(w->cint.v[1], it->now.v, (size_t)s->nv*sizeof(double));
  } else {
    TN_TRY(begin(w, w->h, false));
  }
  it->has_accel = true;
  return TN_OK;
}

static void explain(const tni_integrator *it, char *out, size_t n) {
  const stag *w = (const stag *)(const void *)it;
  char rate[96], chains[80] = "", limit[48] = "";
  say_rate(w, w->why, w->why_body, w->why_rate, rate, sizeof(rate));
  bool slow = w->h_chosen*w->why_rate < 0.5*samples_of(w, w->why);
  if (w->resyncs > 0)
    snprintf(chains, sizeof(chains), "; chains brought together %ld times, last at %.4g s", w->resyncs,
             w->t_resync);
  if (w->stiff > 0 || w->damped > 0)
    snprintf(limit, sizeof(limit), "; forces allow %.3g s", step_limit(w));
  if (it->opts.h > 0) {
    snprintf(out, n, "step given, times the fastest rate %.2g: %s%s%s", w->h_chosen*w->why_rate, rate,
             limit, chains);
  } else {
    snprintf(out, n, "step %.3g s: %s%s%s", w->h_chosen, slow ? "1/50 of the run" : rate, limit,
             chains);
  }
}

const tni_integrator_type tni_integrator_staggered = {
    .name = "staggered",
    .summary = "Two interlaced explicit chains of order 2, multipliers solved implicitly beside them.",
    .order = 2,
    .needs_technique = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .explain = explain,
};
