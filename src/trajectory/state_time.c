/* trajectory/state_time.c - whole windows of a motion at once, handed out element by element
 *
 * A window is a trajectory of so many elements (trajectory/trajectory.h), solved for all its instants together; `step`
 * hands out one element after the other and solves the next window when none is left. Windows grow while Newton's method
 * needs few iterations. Where it fails, the elements that have converged are right all the same, and the next window
 * begins behind them with half the number. An event ends a window: the next one begins there.
 *
 * First guess: elements four times as long, one after the other. Inside an element positions are a polynomial of degree five
 * through places, velocities and accelerations at both ends, and velocities its rate; work is a sum over the
 * Gauss points.
 *
 * The size of windows does not depend on the number of threads, so that results do not either.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "integrators/common.h"
#include "base/vec.h"
#include "integrators/turn.h"
#include "trajectory/cosines.h"
#include "trajectory/trajectory.h"

enum { FIRST_WINDOW = 16, LARGEST_WINDOW = 64, MAX_ITERATIONS = 8, FEW_ITERATIONS = 4, COARSE = 4, MAX_HALVINGS = 10 };
static const double NEWTON_TOL = 1e-10, GUESS_TOL = 1e-4;

extern const tni_integrator_type tni_integrator_state_time;

typedef struct {
  tni_integrator base;
  tni_trajectory *tr;
  double t0;               /* where equal elements began                     */
  long count;              /* ends of them passed since                      */
  int window, largest;     /* elements to try next, at most                  */
  int ready, next;         /* solved and in use, to be handed out            */
  int halved;              /* the window was cut: an element of 2^-halved    */
  long windows, failed, sweeps;
  double *q0, *v0, *a0, z0[TNI_NZ]; /* beginning of the last element         */
  double *xi, *x1, *x2, *xd; /* its end as a perturbation of q0, and its rates; scratch */
  double power[TNI_GAUSS_MAX][TNI_NZ];
  bool planar;
  double *angle, *first_angle, *spin, *q_look; /* direction cosines: guesses    */
  int unknowns;            /* of their last window                           */
  double *J0, chosen;      /* the matrix that pivots were chosen for, the smallest of them */
} state_time;

static state_time *of(tni_integrator *it) { return (state_time *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  tni_trajectory_destroy(&of(it)->tr);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status setup(state_time *w, tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts) {
  tni_arena *a = &w->base.arena;
  TN_TRY(tni_integrator_init(&w->base, &tni_integrator_state_time, ctx, s, opts));
  int k = opts->points > 0 ? opts->points : 2;
  TN_REQUIRE(ctx, k <= TNI_GAUSS_MAX, TN_ERR_ARGUMENT, "state_time: order %d, must be 1 to %d", k, TNI_GAUSS_MAX);
  w->largest = opts->window > 0 ? opts->window : LARGEST_WINDOW;
  TNI_ARENA_NEW(a, w->q0, s->nq);
  TNI_ARENA_NEW(a, w->v0, s->nv);
  TNI_ARENA_NEW(a, w->a0, s->nv);
  TNI_ARENA_NEW(a, w->xi, s->nv);
  TNI_ARENA_NEW(a, w->x1, s->nv);
  TNI_ARENA_NEW(a, w->x2, s->nv);
  TNI_ARENA_NEW(a, w->xd, s->nv);
  w->planar = s->nbody > 0 && s->layout->nnode > 0 && s->layout->size[0] == 3;
  TNI_ARENA_NEW(a, w->angle, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->first_angle, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->spin, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->q_look, s->nq);
  if (opts->cosines) {
    /* what cannot be written so is said before anything is done */
    tni_cosines *c;
    tni_cosine_opts o = {.order = k, .force_order = opts->force_order > 0 ? opts->force_order : k - 1, .elements = 1, .h = 1};
    TN_TRY(tni_cosines_create(ctx, s, &o, &c));
    tni_cosines_destroy(&c);
  }
  TN_TRY(tni_trajectory_create(ctx, s, k, w->largest, &w->tr));
  TNI_ARENA_NEW(a, w->J0, w->tr->shape.J.nnz);
  return TN_OK;
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts, tni_integrator **out) {
  *out = NULL;
  state_time *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  tn_status st = setup(w, ctx, s, opts);
  if (st != TN_OK) {
    w->base.ctx = ctx;
    destroy(&w->base);
    return st;
  }
  *out = &w->base;
  return TN_OK;
}

/* Pivots are history, which a run that goes on from a checkpoint does not have, and to choose them takes memory. All
 * elements therefore get those of one matrix, where the run starts, and get them back where a checkpoint is
 * taken or read if others have been chosen since. */
static void choose_pivots(state_time *w, tni_slab *e) {
  if (w->chosen > 0 && e->lu->chosen == w->chosen) return;
  tni_sparse_solver_forget(e->lu);
  tni_sparse_solver_factor(e->lu, w->J0); /* singular: the window will find out */
  if (w->chosen == 0) w->chosen = e->lu->chosen;
}

static void reset_pivots(state_time *w) {
  for (int e = 0; e < w->tr->capacity; e++) choose_pivots(w, &w->tr->slab[e]);
  choose_pivots(w, &w->tr->coarse);
}

static void first_matrix(state_time *w) {
  tni_trajectory *tr = w->tr;
  tni_integrator *it = &w->base;
  tni_trajectory_begin(tr, it->t, it->q, it->v, 1, it->opts.h);
  tni_trajectory_guess_plain(tr, 0, it->a, it->lambda);
  tni_slab_eval(&tr->shape, &tr->desk[0], &tr->slab[0], it->q, it->v, true);
  memcpy(w->J0, tr->slab[0].J, (size_t)tr->shape.J.nnz*sizeof(double));
  reset_pivots(w);
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v, const double *z) {
  state_time *w = of(it);
  tni_data *s = it->s;
  memcpy(it->q, q, (size_t)s->nq*sizeof(double));
  memcpy(it->v, v, (size_t)s->nv*sizeof(double));
  memcpy(it->z, z, TNI_NZ*sizeof(double));
  /* states inside an element, where events are, are on the constraints to the order of the polynomial only */
  tni_project_opts p = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  TN_TRY(tni_project(s, t, it->q, it->v, &p, NULL));
  it->t = it->t_old = w->t0 = t;
  w->count = 0;
  w->window = w->largest < FIRST_WINDOW ? w->largest : FIRST_WINDOW;
  w->halved = 0;
  it->has_accel = false;
  w->ready = w->next = 0;
  TN_TRY(tni_integrator_accel(it));
  if (w->chosen == 0) first_matrix(w);
  return TN_OK;
}

/* end of equal element number i from the beginning on */
static double grid(const state_time *w, long i) {
  double t = w->t0 + (double)i*w->base.opts.h;
  return t > w->base.opts.t_end - 1e-9*w->base.opts.h ? w->base.opts.t_end : t;
}

/* Elements of the next window; a halved one is a part of an element. Returns how many. */
static int lay_out(state_time *w) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  int n = w->halved ? 1 : w->window;
  double t = it->t;
  for (int e = 0; e < n; e++) {
    double end = grid(w, w->count + e + 1);
    if (end <= t) n = e;
  }
  if (n < 1) n = 1;
  tni_trajectory_begin(tr, t, it->q, it->v, n, it->opts.h);
  for (int e = 0; e < n; e++) {
    double end = grid(w, w->count + e + 1);
    if (w->halved) end = t + ldexp(end - t, -w->halved);
    tr->slab[e].t = t;
    tr->slab[e].h = end - t;
    t = end;
  }
  return n;
}

/* why the window ended where it did */
static tn_status explain_failure(state_time *w, int n) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  char of_what[160];
  const tni_slab *e = &tr->slab[0];
  double spin = 0, left = tni_trajectory_residual(tr, 0, of_what, sizeof(of_what));
  for (int i = 1; i <= it->s->nbody; i++) spin = fmax(spin, vec3_norm(tr->desk[0].s->kin[i].W)*e->h);
  return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                 "state_time: window of %d from t = %.6g s not converged after %d iterations, first bad element [%.6g, "
                 "%.6g] s, last change %.2g, residual %.2g in '%s'; bodies turn by up to %.2g rad in it%s", n, it->t,
                 tr->sweeps, e->t, e->t + e->h, tr->size[0], left, of_what, spin,
                 spin > 1 ? ": elements are too long, take more of them" : "");
}

/* ---- in direction cosines ------------------------------------------------------------------ */

/* place and rotation of a body: next to the direction cosines C, in the plane by the angle, which is of higher order */
static void set_pose(bool planar, double angle, const double *x, const double *C, tni_kin *k) {
  double p[4], A[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
  vec3_set(k->r, x[0], x[1], planar ? 0 : x[2]);
  if (!planar) memcpy(A, C, sizeof(A));
  quat_from_matrix(p, A);
  quat_normalize(p);
  quat_matrix(k->A, p);
}

/* fields of the trajectory at t, with velocities of the polynomials */
static void read_cosines(tni_cosines *c, tni_data *s, bool planar, double t, double dt, double *q, double *v) {
  for (int b = 0; b < s->nbody; b++) {
    double x[3][3], y[3][3], C[9];
    for (int i = 0; i < 3; i++) tni_cosines_look(c, t + (i - 1)*dt, b, y[i], x[i], i == 1 ? C : NULL);
    tni_kin *k = &s->kin[b + 1];
    set_pose(planar, y[1][0], x[1], C, k);
    /* polynomials: central differences are exact up to the order that counts */
    for (int i = 0; i < 3; i++) k->v[i] = planar && i == 2 ? 0 : (x[2][i] - x[0][i])/(2*dt);
    for (int i = 0; i < 3; i++) k->w[i] = planar ? (i == 2 ? (y[2][0] - y[0][0])/(2*dt) : 0) : (y[2][i] - y[0][i])/(2*dt);
    mat3_vec(k->W, k->A, k->w);
  }
  tni_coordinates(s, s->kin, q, v);
}

/* the guess of the window, which is in tr, at the nodes of the other formulation */
static void guess_cosines(state_time *w, tni_cosines *c, int k, int n, const double *start) {
  tni_trajectory *tr = w->tr;
  tni_data *s = tr->desk[0].s;
  int nw = w->planar ? 1 : 3;
  double *angle = w->angle, t_old = w->base.t;
  memcpy(angle, start, (size_t)(s->nbody*nw)*sizeof(double));
  tni_eval_bodies(s, t_old, w->base.q, w->base.v, NULL);
  for (int b = 0; b < s->nbody; b++) memcpy(w->spin + 3*b, s->kin[b + 1].w, 3*sizeof(double));
  for (int node = 1; node <= n*k; node++) {
    int e = (node - 1)/k;
    double t = tr->slab[e].t + (node - e*k)*tr->slab[e].h/k;
    tni_trajectory_look(tr, e, t, w->q_look, tr->v, NULL);
    tni_eval_bodies(s, t, w->q_look, tr->v, NULL);
    for (int b = 0; b < s->nbody; b++) {
      const double *now = s->kin[b + 1].w;
      for (int i = 0; i < nw; i++) angle[b*nw + i] += 0.5*(t - t_old)*(now[w->planar ? 2 : i] + w->spin[3*b + (w->planar ? 2 : i)]);
      memcpy(w->spin + 3*b, now, 3*sizeof(double));
    }
    tni_cosines_guess_node(c, node, s->kin, angle);
    t_old = t;
  }
}

/* what the other formulation has found as elements of the window */
static void take_over(state_time *w, tni_cosines *c, int n) {
  tni_trajectory *tr = w->tr;
  tni_integrator *it = &w->base;
  const tni_slab_shape *p = &tr->shape;
  tni_data *s = tr->desk[0].s;
  const double *q0 = it->q;
  for (int e = 0; e < n; e++) {
    tni_slab *to = &tr->slab[e];
    memset(to->z, 0, (size_t)p->nz*sizeof(double));
    for (int i = 0; i <= p->g.k; i++) {
      double t = to->t + (i < p->g.k ? p->g.c[i] : 1)*to->h, *v = to->z + tni_slab_v(p, i);
      read_cosines(c, s, w->planar, i < p->g.k ? t : t - 1e-9*to->h, 1e-4*to->h, w->q_look, v);
      if (i == p->g.k) {
        /* velocities at ends from momenta */
        read_cosines(c, s, w->planar, t, 1e-4*to->h, w->q_look, v);
        for (int b = 0; b < s->nbody; b++) {
          double x[3] = {0}, y[3] = {0};
          tni_cosines_end_velocity(c, e, b, x, y);
          vec3_copy(s->kin[b + 1].v, x);
          vec3_set(s->kin[b + 1].w, w->planar ? 0 : y[0], w->planar ? 0 : y[1], w->planar ? y[0] : y[2]);
        }
        tni_coordinates(s, s->kin, w->q_look, v);
      }
      tni_difference(s, q0, w->q_look, to->z + tni_slab_x(p, i));
      for (int r = 0, kept = 0; r < p->m && i < p->g.k; r++)
        if (p->active[r]) to->z[tni_slab_l(p, i) + r] = tni_cosines_multiplier(c, t, kept++);
    }
    tni_slab_end(p, to, q0, s);
    q0 = to->q1;
  }
}

static tn_status solve_cosines(state_time *w) {
  enum { MAX = 30 };
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  tni_cosine_opts o = {.order = tr->shape.g.k, .force_order = it->opts.force_order > 0 ? it->opts.force_order : tr->shape.g.k - 1,
                       .rule = (tni_cosine_rule)it->opts.rule, .t = it->t};
  TN_TRY(tni_integrator_accel(it));
  for (w->window = w->largest;; w->window = (w->window + 1)/2) {
    int n = lay_out(w), got = tni_trajectory_guess_march(tr, &(tni_guess){n > 1 ? COARSE : 1, GUESS_TOL, it->a, it->lambda});
    /* elements are equal */
    while (n > 1 && fabs(tr->slab[n-1].h - tr->slab[0].h) > 1e-9*tr->slab[0].h) n--;
    if (got < n) n = got;
    if (n > 0) {
      tni_cosines *c;
      o.elements = n;
      o.h = tr->slab[0].h;
      tni_eval_bodies(it->s, it->t, it->q, it->v, NULL);
      TN_TRY(tni_cosines_create(it->ctx, it->s, &o, &c));
      for (int b = 0; b < it->s->nbody; b++) tni_cosines_look(c, it->t, b, w->first_angle + b*(w->planar ? 1 : 3), NULL, NULL);
      guess_cosines(w, c, o.order, n, w->first_angle);
      int iterations = 0;
      tn_status st = tni_cosines_solve(c, MAX, 1e-10, true, &iterations);
      w->windows++;
      w->sweeps += iterations;
      it->stats.newton += iterations;
      if (st == TN_OK) take_over(w, c, n);
      w->unknowns = tni_cosines_n(c);
      tni_cosines_destroy(&c);
      w->next = 0;
      w->ready = n;
      if (st == TN_OK) return TN_OK;
      if (n == 1) return st;
    }
    w->failed++;
    if (w->window == 1)
      return TN_FAIL(it->ctx, TN_NO_PROGRESS, "state_time: coarse run failed at t = %.6g s; take more elements", it->t);
  }
}

static tn_status solve_window(state_time *w) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  if (it->opts.cosines) return solve_cosines(w);
  TN_TRY(tni_integrator_accel(it));
  for (;;) {
    int n = lay_out(w), done = 0;
    long before = tr->iterations;
    if (n > 1) done = tni_trajectory_solve(tr, &(tni_guess){COARSE, GUESS_TOL, it->a, it->lambda}, MAX_ITERATIONS, NEWTON_TOL);
    if (n == 1 || tr->guessed == 0) {
      tr->n = 1;
      /* accelerations may be those of a vibration much shorter than the element */
      for (int plain = 0; plain < 2 && done == 0; plain++) {
        tni_trajectory_guess_plain(tr, 0, plain ? tr->zero : it->a, it->lambda);
        tr->strayed[0] = HUGE_VAL;
        done = tni_trajectory_solve(tr, NULL, 3*MAX_ITERATIONS, NEWTON_TOL);
      }
    }
    w->windows++;
    w->sweeps += tr->sweeps;
    it->stats.newton += tr->iterations - before;
    w->next = 0;
    w->ready = done;
    if (done == n && tr->refreshed < FEW_ITERATIONS) w->window = 2*w->window < w->largest ? 2*w->window : w->largest;
    if (done > 0 && done < n) w->window = done > 1 ? done : 1;
    if (done > 0) return TN_OK;
    w->failed++;
    it->stats.rejected++;
    it->stats.nonconverged++;
    if (w->window > 1) {
      w->window = 1;
      continue;
    }
    double h = tr->slab[0].h;
    if (++w->halved > MAX_HALVINGS || h < 2*tni_integrator_hmin(it, it->t)) return explain_failure(w, n);
  }
}

/* work done in element e, at its Gauss points */
static void add_work(state_time *w, int e) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  const tni_slab_shape *p = &w->tr->shape;
  const tni_slab *sl = &w->tr->slab[e];
  const tni_gauss *g = &p->g;
  double *a = w->xd, *r = w->x2;
  for (int i = 0; i < g->k; i++) {
    for (int j = 0; j < s->nv; j++) {
      a[j] = -g->d_sum[i]*w->v0[j];
      for (int c = 0; c < g->k; c++) a[j] += g->d[i][c]*sl->z[tni_slab_v(p, c) + j];
      a[j] /= sl->h;
    }
    tni_retract(s, w->q0, sl->z + tni_slab_x(p, i), w->tr->q);
    tni_eval_balance(s, sl->t + g->c[i]*sl->h, w->tr->q, sl->z + tni_slab_v(p, i), a, sl->z + tni_slab_l(p, i), r, NULL,
                     NULL, NULL);
    w->power[i][TNI_Z_DISSIPATED] = s->dissipated;
    w->power[i][TNI_Z_INPUT] = s->input;
    for (int n = 0; n < TNI_NZ; n++) it->z[n] += sl->h*g->b[i]*w->power[i][n];
  }
}

/* x', x'' of the end of the element in its local coordinates */
static void end_rates(state_time *w) {
  const tni_integrator *it = &w->base;
  const tni_slab_shape *p = &w->tr->shape;
  memcpy(w->x1, it->v, (size_t)p->nv*sizeof(double));
  memcpy(w->x2, it->a, (size_t)p->nv*sizeof(double));
  for (int t = 0; t < p->nturn; t++) {
    int a = p->turn[t];
    tni_turn c = tni_turn_at(w->xi + a);
    tni_turn_local_rate(&c, w->xi + a, it->v + a, w->x1 + a);
    tni_turn_local_accel(&c, w->xi + a, w->x1 + a, it->a + a, w->x2 + a);
  }
}

static tn_status step(tni_integrator *it) {
  state_time *w = of(it);
  tni_data *s = it->s;
  TN_REQUIRE(it->ctx, it->opts.max_steps == 0 || it->stats.steps < it->opts.max_steps, TN_NO_PROGRESS,
             "state_time: more than %ld elements needed, t = %g s reached", it->opts.max_steps, it->t);
  if (w->next >= w->ready) TN_TRY(solve_window(w));
  TN_TRY(tni_integrator_accel(it));
  const tni_slab *e = &w->tr->slab[w->next];
  memcpy(w->q0, it->q, (size_t)s->nq*sizeof(double));
  memcpy(w->v0, it->v, (size_t)s->nv*sizeof(double));
  memcpy(w->a0, it->a, (size_t)s->nv*sizeof(double));
  memcpy(w->z0, it->z, sizeof(w->z0));
  add_work(w, w->next);
  memcpy(w->xi, e->z + tni_slab_x(&w->tr->shape, w->tr->shape.g.k), (size_t)s->nv*sizeof(double));
  memcpy(it->q, e->q1, (size_t)s->nq*sizeof(double));
  memcpy(it->v, e->v1, (size_t)s->nv*sizeof(double));
  it->t_old = it->t;
  it->t = e->t + e->h;
  it->has_accel = false;
  w->next++;
  if (!w->halved || it->t >= grid(w, w->count + 1)) {
    it->t = grid(w, ++w->count);
    w->halved = 0;
  } else {
    w->halved--; /* half of what is left, then all of it */
  }
  TN_TRY(tni_integrator_accel(it));
  end_rates(w);
  tni_integrator_count_step(it, it->t - it->t_old, 2*w->tr->shape.g.k);
  return TN_OK;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  state_time *w = of(it);
  const tni_data *s = it->s;
  const tni_slab_shape *p = &w->tr->shape;
  const tni_gauss *g = &p->g;
  double h = it->t - it->t_old, x = h > 0 ? (t - it->t_old)/h : 1;
  if (x > 1 - 1e-12 || h == 0) {
    if (q) memcpy(q, it->q, (size_t)s->nq*sizeof(double));
    if (v) memcpy(v, it->v, (size_t)s->nv*sizeof(double));
    if (z) memcpy(z, it->z, TNI_NZ*sizeof(double));
    return;
  }
  /* polynomials of degree five with values and two derivatives at both ends; the place at the beginning is 0 */
  double x2 = x*x, x3 = x2*x, x4 = x3*x, x5 = x4*x;
  double b0 = x - 6*x3 + 8*x4 - 3*x5, c0 = 0.5*x2 - 1.5*x3 + 1.5*x4 - 0.5*x5;
  double a1 = 10*x3 - 15*x4 + 6*x5, b1 = -4*x3 + 7*x4 - 3*x5, c1 = 0.5*x3 - x4 + 0.5*x5;
  double b0d = 1 - 18*x2 + 32*x3 - 15*x4, c0d = x - 4.5*x2 + 6*x3 - 2.5*x4;
  double a1d = 30*x2 - 60*x3 + 30*x4, b1d = -12*x2 + 28*x3 - 15*x4, c1d = 1.5*x2 - 4*x3 + 2.5*x4;
  double *y = w->tr->x, *yd = w->xd;
  for (int j = 0; j < s->nv; j++) {
    y[j] = h*b0*w->v0[j] + h*h*c0*w->a0[j] + a1*w->xi[j] + h*b1*w->x1[j] + h*h*c1*w->x2[j];
    yd[j] = b0d*w->v0[j] + h*c0d*w->a0[j] + a1d*w->xi[j]/h + b1d*w->x1[j] + h*c1d*w->x2[j];
  }
  if (q) tni_retract(s, w->q0, y, q);
  if (v) {
    memcpy(v, yd, (size_t)s->nv*sizeof(double));
    for (int n = 0; n < p->nturn; n++) {
      tni_turn c = tni_turn_at(y + p->turn[n]);
      tni_turn_rate(&c, y + p->turn[n], yd + p->turn[n], v + p->turn[n]);
    }
  }
  for (int n = 0; n < TNI_NZ && z; n++) {
    z[n] = w->z0[n];
    for (int i = 0; i < g->k; i++) {
      double part = 0; /* integral of polynomial i up to x */
      for (int l = 0; l < g->k; l++) part += x*g->b[l]*tni_lagrange(g->k, g->c, i, x*g->c[l]);
      z[n] += h*part*w->power[i][n];
    }
  }
}

/* t, t0, count, window, halved, elements left of the window; state; those elements: begin, length, unknowns */
enum { NSCALAR = 6, NHEAD = 2 };

static int nstate(const tni_integrator *it) {
  const state_time *w = (const state_time *)(const void *)it;
  return NSCALAR + tni_integrator_ny(it) + w->tr->capacity*(NHEAD + w->tr->shape.nz);
}

static tn_status save(tni_integrator *it, double *state) {
  state_time *w = of(it);
  const tni_slab_shape *p = &w->tr->shape;
  int left = w->ready - w->next, ny = tni_integrator_ny(it);
  reset_pivots(w);
  memset(state, 0, (size_t)nstate(it)*sizeof(double));
  const double head[NSCALAR] = {it->t, w->t0, (double)w->count, w->window, w->halved, left};
  memcpy(state, head, sizeof(head));
  memcpy(state + NSCALAR, it->q, (size_t)ny*sizeof(double));
  state += NSCALAR + ny;
  for (int e = w->next; e < w->ready; e++, state += NHEAD + p->nz) {
    state[0] = w->tr->slab[e].t;
    state[1] = w->tr->slab[e].h;
    memcpy(state + NHEAD, w->tr->slab[e].z, (size_t)p->nz*sizeof(double));
  }
  return TN_OK;
}

static tn_status load(tni_integrator *it, const double *state) {
  state_time *w = of(it);
  const tni_slab_shape *p = &w->tr->shape;
  int ny = tni_integrator_ny(it);
  reset_pivots(w);
  it->t = it->t_old = state[0];
  w->t0 = state[1];
  w->count = (long)state[2];
  w->window = (int)state[3];
  w->halved = (int)state[4];
  w->next = 0;
  w->ready = (int)state[5];
  memcpy(it->q, state + NSCALAR, (size_t)ny*sizeof(double));
  it->has_accel = false;
  const double *q = it->q;
  state += NSCALAR + ny;
  for (int e = 0; e < w->ready; e++, state += NHEAD + p->nz) {
    tni_slab *to = &w->tr->slab[e];
    to->t = state[0];
    to->h = state[1];
    memcpy(to->z, state + NHEAD, (size_t)p->nz*sizeof(double));
    tni_slab_end(p, to, q, it->s);
    q = to->q1;
  }
  return TN_OK;
}

static void describe(const tni_integrator *it, char *out, size_t n) {
  const state_time *w = (const state_time *)(const void *)it;
  const tni_slab_shape *p = &w->tr->shape;
  if (it->opts.cosines) {
    snprintf(out, n, "state_time; direction cosines, %d unknowns in the last of %ld windows, %.1f iterations each", w->unknowns,
             w->windows, w->windows ? (double)w->sweeps/(double)w->windows : 0.0);
    return;
  }
  snprintf(out, n, "state_time; %d points and %d unknowns an element, %ld windows, %.1f iterations each", p->g.k, p->nz,
           w->windows, w->windows ? (double)w->sweeps/(double)w->windows : 0.0);
}

const tni_integrator_type tni_integrator_state_time = {
    .name = "state_time",
    .summary = "whole windows of time as one system of equations, parallel over their elements; order twice the "
               "points of an element",
    .order = 4,
    .fixed_step = true,
    .needs_tangent = true,
    .needs_data = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .describe = describe,
};
