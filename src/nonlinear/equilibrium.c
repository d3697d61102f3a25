/* nonlinear/equilibrium.c - where a constrained system stays at rest
 *
 * Steps come from nonlinear/tangent_solve.c. They are judged by the work of the residual along the step, which needs no potential: w0 = f.delta at its
 * beginning, w1 at its end. A step after which the forces push back by more than half of what they
 * pulled is rejected; one after which they still pull was too short.
 *
 * Slender beams: a good step makes |g| grow at first, because it stretches what is stiff by the square
 * of what it bends, and the next one mends it. Steps that must not do this crawl. Newton's method
 * therefore tries its luck first, bounded in turns and moves only; if that ends in nothing, or
 * downhill was asked for and it is not stable, the search begins again with care.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/equilibrium.h"

#include "nonlinear/way.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

static const double DEFAULT_TOL = 1e-10;
/* |g| below this part of the forces is good enough when rounding does not let it fall further */
static const double STALLED_TOL = 1e-7;
/* a body turns by no more than this in a step, and moves by no more than this part of the model */
static const double MOST_TURN = 0.5, MOST_MOVE = 0.25;
static const double FARTHER = 1.5, FARTHEST = 1e6; /* growth of the size of a body that is alone, by step and in all */
/* a kick that leaves an unstable equilibrium: rad, and part of the size of the model */
static const double KICK = 1e-3;
/* a step that moves nothing any more, in the same units */
static const double SMALLEST_STEP = 1e-14;
/* corrections, in the same units, with which a search that only rounding keeps from its end is over: at
 * once, and when the forces left do not become smaller any more */
static const double SETTLED = 1e-10, STAYS = 1e-6;
static const double PROJECT_TOL = 1e-12;
enum { MAX_LUCK = 30, MAX_ITERATIONS = 300, MAX_LEFT = 20, MAX_SHORTER = 30, MAX_STALLED = 4 };

tn_status tni_equilibrium_create(tni_arena *arena, tni_data *s, tni_space_form form,
                                 tni_equilibrium *out) {
  memset(out, 0, sizeof(*out));
  TN_TRY(tni_tangent_space_create(arena, s, form, &out->ts));
  out->ts.settles = true;
  size_t n = (size_t)s->nv;
  TNI_ARENA_NEW(arena, out->delta, n);
  TNI_ARENA_NEW(arena, out->v, n);
  TNI_ARENA_NEW(arena, out->part, n);
  TNI_ARENA_NEW(arena, out->q, s->nq);
  TNI_ARENA_NEW(arena, out->q_try, s->nq);
  TN_TRY(tni_state_create(arena, s, &out->start));
  TNI_ARENA_NEW(arena, out->memory, tni_state_numbers(s)); /* more than the memory alone */
  return TN_OK;
}

void tni_equilibrium_destroy(tni_equilibrium *e) { tni_tangent_space_destroy(&e->ts); }

tn_status tni_equilibrium_move(tni_equilibrium *e, double t, const double *q, const double *delta,
                               double *q_out) {
  tni_data *s = e->ts.s;
  tni_retract(s, q, delta, q_out);
  tni_project_opts o = {.position = true, .tol = PROJECT_TOL};
  memset(e->v, 0, (size_t)s->nv*sizeof(double));
  return tni_project(s, t, q_out, e->v, &o, NULL);
}

double tni_widest_step(const tni_tangent_space *ts, double size) {
  double sum = 0;
  for (int i = 0; i < ts->s->layout->nnode; i++) {
    tni_inertia b = tni_node_inertia(ts->s, i);
    sum += b.mass*(size*size + 3*ts->lever*ts->lever) + b.I[0] + b.I[4] + b.I[8];
  }
  return sqrt(sum);
}

/* largest turn or move of a step, 1: as much as is allowed */
static double boldness(const tni_equilibrium *e, double size) {
  const tni_layout *L = e->ts.s->layout;
  double most = 0;
  for (int i = 0; i < L->nnode; i++) {
    double sum[2] = {0, 0};
    tni_layout_squares(L, i, e->delta, sum);
    most = fmax(most, fmax(sqrt(sum[0])/(MOST_MOVE*size), sqrt(sum[1])/MOST_TURN));
  }
  return most;
}

static void scale_step(tni_equilibrium *e, double factor) {
  cblas_dscal(e->ts.n, factor, e->delta, 1);
}

/* ---- one iteration ------------------------------------------------------------------------- */

typedef struct {
  double t, size, tol, ignore;
  double radius, widest; /* bound on |y|; a step on which everything moves far */
  double grown;          /* by what size has */
  bool alone;            /* nothing tells how far it may be to what holds a body: size grows on the way */
  tni_search search;
  double moved;          /* total length of the way, in sizes of the model */
} course;

static tn_status choose_step(tni_equilibrium *e, course *c) {
  tni_tangent_space *ts = &e->ts;
  bool definite = c->search == TNI_NEAREST;
  if (!definite) TN_TRY(tni_tangent_is_definite(ts, &definite));
  if (!definite) TN_TRY(tni_tangent_eigen(ts));
  if (definite) {
    TN_TRY(tni_tangent_newton(ts, e->delta));
    double length = tni_tangent_length(ts, e->delta);
    double factor = fmin(1, fmin(c->radius/length, 1/boldness(e, c->size)));
    if (factor < 1) scale_step(e, factor);
    return TN_OK;
  }
  for (int k = 0; k < MAX_SHORTER; k++) {
    bool way;
    TN_TRY(tni_tangent_downhill(ts, c->radius, c->ignore, e->delta, &way));
    if (!way) break;
    double bold = boldness(e, c->size);
    if (bold <= 1) return TN_OK;
    c->radius = fmin(c->radius, tni_tangent_length(ts, e->delta))*fmin(0.9, 1/bold);
  }
  return TN_OK;
}

/* Where one body is all that the model has, its size says nothing about the way: the next step may be longer. */
static void look_farther(const tni_equilibrium *e, course *c, double bold) {
  if (!c->alone || bold < 0.99 || c->grown > FARTHEST) return;
  c->grown *= FARTHER;
  c->size *= FARTHER;
  c->widest = tni_widest_step(&e->ts, c->size);
}

/* A step ends where the first touch begins, so that its force is met and not passed by. */
static tn_status stop_at_touch(tni_equilibrium *e, const course *c) {
  tni_way way;
  TN_TRY(tni_way_look(e->ts.s, c->t, e->q, e->delta, c->size, true, e->q_try, e->v, e->part, &way));
  if (way.free < 1) scale_step(e, way.free);
  return TN_OK;
}

/* is the new point better? and how far may the next step go */
static bool judge(const tni_equilibrium *e, course *c, double w0, double g0, double length) {
  const tni_tangent_space *ts = &e->ts;
  double w1 = cblas_ddot(ts->n, ts->residual, 1, e->delta, 1);
  bool nearest = c->search == TNI_NEAREST;
  bool good = nearest ? ts->gnorm < g0 : ts->gnorm < 0.5*g0 || w1 >= -0.5*w0;
  if (!good) {
    c->radius = 0.25*length;
    return false;
  }
  bool fast = nearest ? ts->gnorm < 0.5*g0 : w1 > 0.5*w0;
  if (fast) c->radius = fmin(fmax(c->radius, 4*length), c->widest);
  else if (fabs(w1) < 0.25*w0) c->radius = fmin(fmax(c->radius, 2*length), c->widest);
  return true;
}

/* Try the step; on acceptance the tangent space is that of the new point. */
static tn_status try_step(tni_equilibrium *e, course *c, bool *accepted) {
  tni_tangent_space *ts = &e->ts;
  tni_data *s = ts->s;
  TN_TRY(stop_at_touch(e, c));
  double w0 = cblas_ddot(ts->n, ts->residual, 1, e->delta, 1), g0 = ts->gnorm;
  double length = tni_tangent_length(ts, e->delta), bold = boldness(e, c->size);
  *accepted = false;
  tni_state_keep(&e->start, s, c->t, e->q, NULL);
  tn_status st = tni_equilibrium_move(e, c->t, e->q, e->delta, e->q_try);
  if (st == TN_OK) st = tni_tangent_space_update(ts, c->t, e->q_try);
  if (st < 0) return st;
  if (st == TN_OK) *accepted = judge(e, c, w0, g0, length);
  else c->radius = 0.25*length;
  if (*accepted) {
    memcpy(e->q, e->q_try, (size_t)s->nq*sizeof(double));
    c->moved += bold;
    look_farther(e, c, bold);
    return TN_OK;
  }
  tni_memory_restore(s, e->start.memory);
  return tni_tangent_space_update(ts, c->t, e->q);
}

/* |g| that is good enough when it does not fall any more: rounding of the forces, or of positions times
 * stiffness where there is hardly any load */
static double rounding_of(const tni_tangent_space *ts, const course *c) {
  return fmax(STALLED_TOL*ts->fscale, 4*DBL_EPSILON*ts->kscale*c->widest);
}

/* leave an unstable equilibrium along its most negative direction */
static tn_status kick(tni_equilibrium *e, course *c) {
  tni_tangent_space *ts = &e->ts;
  tni_tangent_vector(ts, 0, e->delta);
  double bold = boldness(e, c->size);
  scale_step(e, KICK/(MOST_TURN*bold));
  TN_TRY(tni_equilibrium_move(e, c->t, e->q, e->delta, e->q_try));
  memcpy(e->q, e->q_try, (size_t)ts->s->nq*sizeof(double));
  c->radius = c->widest;
  return tni_tangent_space_update(ts, c->t, e->q);
}

/* Newton's method without looking back. *done: it converged (to something stable, where asked for);
 * else the state is as before. */
static tn_status try_luck(tni_equilibrium *e, course *c, tni_equilibrium_report *r,
                          bool *done) {
  tni_tangent_space *ts = &e->ts;
  tni_data *s = ts->s;
  size_t nq = (size_t)s->nq*sizeof(double);
  double first = ts->gnorm;
  *done = false;
  tni_state_keep(&e->start, s, c->t, e->q, NULL);
  tn_status st = TN_OK;
  double before = HUGE_VAL;
  for (int k = 0; k < MAX_LUCK && st == TN_OK && !*done; k++) {
    if (ts->gnorm <= c->tol*ts->fscale) {
      *done = true;
      break;
    }
    if (!(ts->gnorm <= 1e8*(first + ts->fscale))) break;
    st = tni_tangent_newton(ts, e->delta);
    double bold = boldness(e, c->size);
    /* what is left is rounding: the next step would hardly move anything, or does not make it less */
    if (st == TN_OK && ts->gnorm <= rounding_of(ts, c) &&
        (bold <= SETTLED || (ts->gnorm > 0.5*before && (!ts->sparse || bold <= STAYS))))
      *done = true;
    before = ts->gnorm;
    if (bold > 1) scale_step(e, 1/bold);
    look_farther(e, c, bold);
    if (st == TN_OK) st = stop_at_touch(e, c);
    tni_tangent_predict(ts, e->delta);
    if (st == TN_OK) st = tni_equilibrium_move(e, c->t, e->q, e->delta, e->q_try);
    if (st == TN_OK) st = tni_tangent_space_update(ts, c->t, e->q_try);
    if (st == TN_OK) memcpy(e->q, e->q_try, nq);
    r->iterations++;
  }
  tni_tangent_predict(ts, NULL);
  *done = *done && st == TN_OK;
  if (*done && c->search != TNI_NEAREST) {
    TN_TRY(tni_tangent_is_definite(ts, done));
    if (!*done) TN_TRY(tni_tangent_eigen(ts));
    *done = *done || ts->nnegative == 0;
  }
  if (st < 0 || *done) return st;
  memcpy(e->q, e->start.q, nq);
  tni_memory_restore(s, e->start.memory);
  return tni_tangent_space_update(ts, c->t, e->q);
}

static tn_status give_up(tni_equilibrium *e, const course *c, const tni_equilibrium_report *r) {
  tni_tangent_space *ts = &e->ts;
  tn_ctx *ctx = ts->s->ctx;
  double force, moment;
  char name[160];
  TN_TRY(tni_tangent_eigen(ts));
  /* the direction without stiffness in which the forces pull most */
  int worst = -1;
  double most = c->ignore;
  for (int i = 0; i < tni_tangent_nvector(ts); i++) {
    double pull = fabs(tni_tangent_pull(ts, i));
    if (ts->value[i] <= ts->zero && pull > most) most = pull, worst = i;
  }
  if (worst >= 0) {
    tni_tangent_vector(ts, worst, e->delta);
    tni_tangent_name(ts, e->delta, name, sizeof(name));
    return TN_FAIL(ctx, TN_NOT_CONVERGED,
                   "no equilibrium at t = %g s: nothing holds %s against the forces (after %d "
                   "iterations); add a support or a spring",
                   c->t, name, r->iterations);
  }
  tni_node_label(ts->s, tni_tangent_worst(ts, &force, &moment), name, sizeof(name));
  return TN_FAIL(ctx, TN_NOT_CONVERGED,
                 "no equilibrium at t = %g s within %d iterations: %s is left with %.3g N, "
                 "%.3g N m; start nearer to it or use load_steps",
                 c->t, r->iterations, name, force, moment);
}

/* iterate until |g| is below the tolerance or stays where rounding leaves it */
static tn_status iterate(tni_equilibrium *e, course *c, int max_iterations,
                         tni_equilibrium_report *r) {
  tni_tangent_space *ts = &e->ts;
  int stalled = 0;
  double best = HUGE_VAL;
  for (;;) {
    c->ignore = c->tol*ts->fscale;
    if (ts->gnorm <= c->ignore) return TN_OK;
    stalled = ts->gnorm < 0.9*best ? 0 : stalled + 1;
    best = fmin(best, ts->gnorm);
    if (stalled >= MAX_STALLED && ts->gnorm <= rounding_of(ts, c)) return TN_OK;
    /* far beyond everything in the model: something runs away */
    if (r->iterations >= max_iterations || c->moved*MOST_MOVE > 1e3) return give_up(e, c, r);
    TN_TRY(choose_step(e, c));
    if (boldness(e, c->size) < SMALLEST_STEP) {
      if (ts->gnorm <= rounding_of(ts, c)) return TN_OK;
      return give_up(e, c, r);
    }
    bool accepted;
    TN_TRY(try_step(e, c, &accepted));
    r->iterations++;
    r->rejected += !accepted;
  }
}

static tn_status search(tni_equilibrium *e, course *c, int max_iterations,
                        tni_equilibrium_report *r) {
  tni_tangent_space *ts = &e->ts;
  bool done = false;
  bool definite = c->search == TNI_NEAREST;
  if (!definite) TN_TRY(tni_tangent_is_definite(ts, &definite));
  if (!definite) TN_TRY(tni_tangent_eigen(ts));
  if (definite || ts->nnegative == 0) TN_TRY(try_luck(e, c, r, &done));
  return done ? TN_OK : iterate(e, c, r->iterations + max_iterations, r);
}

/* Prescribed motions go from one load to the next at once. */
static tn_status look_at_drives(tni_equilibrium *e, const course *c, const double *q, tni_equilibrium_report *r) {
  tni_data *s = e->ts.s;
  tni_way way;
  if (s->m == 0 || !tni_system_has_clearance(s)) return TN_OK;
  tni_difference(s, q, e->q, e->delta);
  TN_TRY(tni_way_look(s, c->t, q, e->delta, c->size, false, e->q_try, e->v, e->part, &way));
  r->passed = way.through ? way.name : tni_way_passed(s, c->t, q, e->q, e->v);
  return TN_OK;
}

tn_status tni_equilibrium_solve(tni_equilibrium *e, double t, double *q,
                                const tni_equilibrium_opts *opts, tni_equilibrium_report *report) {
  tni_tangent_space *ts = &e->ts;
  tni_data *s = ts->s;
  int max_iterations = opts->max_iterations > 0 ? opts->max_iterations : MAX_ITERATIONS;
  course c = {.t = t, .size = tni_nodes_extent(s, q), .grown = 1, .alone = tni_nodes_alone(s, q), .search = opts->search,
              .tol = opts->tolerance > 0 ? opts->tolerance : DEFAULT_TOL};
  ts->lever = TNI_LEVER*c.size;
  c.radius = c.widest = tni_widest_step(ts, c.size);
  memset(report, 0, sizeof(*report));
  report->node = -1;
  memset(e->delta, 0, (size_t)s->nv*sizeof(double));
  tni_memory_keep(s, e->memory);
  TN_TRY(tni_equilibrium_move(e, t, q, e->delta, e->q));
  TN_TRY(look_at_drives(e, &c, q, report));
  tn_status st = tni_tangent_space_update(ts, t, e->q);
  if (st == TN_OK) st = search(e, &c, max_iterations, report);
  while (st == TN_OK) {
    st = tni_tangent_eigen(ts);
    if (st != TN_OK || opts->search != TNI_STABLE || ts->nnegative == 0) break;
    if (report->left == MAX_LEFT) {
      st = TN_FAIL(s->ctx, TN_NOT_CONVERGED,
                   "no stable equilibrium at t = %g s: %d unstable ones were left one after another",
                   t, report->left);
      break;
    }
    report->left++;
    st = kick(e, &c);
    if (st == TN_OK) st = iterate(e, &c, report->iterations + max_iterations, report);
  }
  memcpy(q, e->q, (size_t)s->nq*sizeof(double));
  report->residual = ts->fscale > 0 ? ts->gnorm/ts->fscale : ts->gnorm;
  report->node = tni_tangent_worst(ts, &report->force, &report->moment);
  report->nnegative = ts->nnegative;
  report->nfree = ts->nzero;
  if (st == TN_OK) st = tni_system_refuse_latches(s, t, q, ts->v, e->memory);
  return st;
}
