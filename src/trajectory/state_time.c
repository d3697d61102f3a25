/* trajectory/state_time.c - whole windows of a motion at once, handed out element by element
 *
 * A window is a trajectory of so many elements (trajectory/trajectory.h), solved for all its instants together; `step`
 * hands out one element after the other and solves the next window when none is left. Windows grow while Newton's method
 * needs few iterations. Where it fails, the elements that have converged are right all the same, and the next window
 * begins behind them with half the number. An event ends a window: the next one begins there.
 *
 * Without a given number of elements their length follows the tolerance. The guess is then the same formula with elements twice as long, and
 * what it differs by from the solution is 2 (2^p - 1) times the error of one element, p the order: an estimate that costs nothing. Elements from the
 * first one on whose error is too large are thrown away, and the next window begins there with shorter ones.
 *
 * With free orders the number of points follows it as well: the accelerations of two elements as Legendre polynomials tell how fast a
 * higher order would gain, and what promises the longest elements for their work is taken in the next window.
 *
 * First guess of equal elements: four times as long, one after the other. Inside an element positions are a polynomial of degree five
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
#include "trajectory/state_time.h"

enum { LEAST_POINTS = 2, MOST_POINTS = 4, OTHER_WINDOW = 16, CALM_WINDOWS = 3 }; /* of free orders */
enum { DEFAULT_POINTS = 3, FIRST_WINDOW = 16, LARGEST_WINDOW = 64, MAX_ITERATIONS = 8, FEW_ITERATIONS = 4, TWICE = 2, MAX_HALVINGS = 10 };
static const double NEWTON_TOL = 1e-10, GUESS_TOL = TNI_STATE_TIME_GUESS;
/* of elements that follow the tolerance: what rough accelerations make of velocities, how much of it counts where the motion is smooth, and how much more
 * the errors of smooth motions count, which add up from element to element; safety, least and most change of length; part of the tolerance that iterations may leave */
static const double SAFE = 0.85, ROUGH_INSIDE = 0.01, ROUGH_AT_END = 0.08,
                    IF_SMOOTH = 0.125, SMOOTH = 500, SHRINK_MOST = 0.1, GROW_MOST = 4, NO_ESTIMATE = 0.35, LEFT = 0.01;

/* what two polynomials of an element must differ by to count, in tolerances, and how much farther accelerations of one must be astray */
static const double LITTLE = 0.1, CLEARLY = 3;
/* free orders: work of an element is about that power of its points, what a change must promise */
static const double WORK = 1.7, PROMISE = 1.15, SLOWEST_DECAY = 1, FASTEST_DECAY = 0.02;

extern const tni_integrator_type tni_integrator_state_time;

typedef tni_state_time state_time;
typedef tni_state_time_order order_data;

static state_time *of(tni_integrator *it) { return (state_time *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  for (int k = 0; k <= TNI_GAUSS_MAX; k++) tni_trajectory_destroy(&of(it)->order[k].tr);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

/* Functionals of the polynomial through values at the k points of each half of [0, 1] */
static void set_rough(const tni_gauss *g, double to[TNI_NROUGH][2*TNI_GAUSS_MAX]) {
  double node[2*TNI_GAUSS_MAX], x[2*TNI_GAUSS_MAX], weight[2*TNI_GAUSS_MAX];
  int k = g->k, n = 2*k;
  for (int i = 0; i < k; i++) node[i] = 0.5*g->c[i], node[k + i] = 0.5 + 0.5*g->c[i];
  tni_gauss_rule(n, x, weight); /* exact for the products */
  for (int i = 0; i < n; i++) {
    for (int part = 0; part < 4; part++) {
      int degree = n - 1 - part, m = part < 2 ? part : part + 2;
      to[m][i] = 0;
      if (degree < 0) continue;
      for (int l = 0; l < n; l++)
        to[m][i] += (2*degree + 1)*weight[l]*tni_legendre(degree, 2*x[l] - 1)*tni_lagrange(n, node, i, x[l]);
    }
    to[2][i] = tni_lagrange(n, node, i, 1);
    to[3][i] = tni_lagrange(n, node, i, 0);
  }
}

static tn_status setup(state_time *w, tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts) {
  tni_arena *a = &w->base.arena;
  TN_TRY(tni_integrator_init(&w->base, &tni_integrator_state_time, ctx, s, opts));
  int k = opts->points > 0 ? opts->points : 2;
  w->adaptive = !opts->equal_steps;
  if (opts->points == 0 && w->adaptive) k = DEFAULT_POINTS;
  TN_REQUIRE(ctx, w->adaptive || opts->h > 0, TN_ERR_ARGUMENT, "state_time: element length %g s, must be > 0", opts->h);
  TN_REQUIRE(ctx, !w->adaptive || !opts->cosines, TN_ERR_ARGUMENT,
             "state_time: formulation direction_cosines has equal elements: key 'elements' or 'step' is missing");
  TN_REQUIRE(ctx, k <= TNI_GAUSS_MAX, TN_ERR_ARGUMENT, "state_time: order %d, must be 1 to %d", k, TNI_GAUSS_MAX);
  w->largest = opts->window > 0 ? opts->window : LARGEST_WINDOW;
  if (w->adaptive) {
    w->largest = w->largest < TWICE ? TWICE : w->largest/TWICE*TWICE;
    double **of_nv[] = {&w->size0, &w->size1, &w->dx, &w->dv, &w->dx_old, &w->dv_old, &w->ex, &w->ev, &w->a_begin};
    for (int i = 0; i < TNI_COUNT(of_nv); i++) TNI_ARENA_NEW(a, *of_nv[i], s->nv);
    TNI_ARENA_NEW(a, w->pair, 4*(size_t)s->nv);
    TN_TRY(tni_scale_create(a, s, &w->scale));
  }
  TN_TRY(tni_state_create_in(a, s, &w->old));
  TNI_ARENA_NEW(a, w->xi, s->nv);
  TNI_ARENA_NEW(a, w->x1, s->nv);
  TNI_ARENA_NEW(a, w->x2, s->nv);
  TNI_ARENA_NEW(a, w->xd, s->nv);
  TNI_ARENA_NEW(a, w->bend, 3*(size_t)s->nv);
  TNI_ARENA_NEW(a, w->quarter, 3*(size_t)s->nv);
  w->planar = s->nbody > 0 && s->layout->nnode > 0 && s->layout->size[0] == 3;
  TNI_ARENA_NEW(a, w->angle, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->first_angle, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->spin, 3*(size_t)s->nbody);
  TNI_ARENA_NEW(a, w->q_look, s->nq);
  TNI_ARENA_NEW(a, w->kin, s->nbody + 1);
  tni_kin_ground(&w->kin[0]);
  if (opts->cosines) {
    /* what cannot be written so is said before anything is done */
    tni_cosines *c;
    tni_cosine_opts o = {.order = k, .force_order = opts->force_order > 0 ? opts->force_order : k - 1, .elements = 1, .h = 1,
                         .rule = (tni_cosine_rule)opts->rule, .kind = opts->radau ? TNI_AT_RADAU : TNI_AT_GAUSS};
    tni_initial(s, w->q_look, w->xi);
    tni_at begin = {.q = w->q_look, .v = w->xi};
    TN_TRY(tni_cosines_create(ctx, s, tni_look_bodies(s, &begin), &o, &c));
    tni_cosines_destroy(&c);
  }
  w->least = w->most = w->wanted = k;
  if (opts->free_orders && w->adaptive) w->least = LEAST_POINTS, w->most = MOST_POINTS;
  for (int o = w->least; o <= w->most; o++) {
    order_data *d = &w->order[o];
    TN_TRY(tni_trajectory_create(ctx, s, o, opts->radau ? TNI_AT_RADAU : TNI_AT_GAUSS, o == k || w->largest < OTHER_WINDOW ? w->largest : OTHER_WINDOW, &d->tr));
    TNI_ARENA_NEW(a, d->J0, d->tr->shape.J.nnz);
    set_rough(&d->tr->shape.g, d->rough);
  }
  w->tr = w->order[k].tr;
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
static void choose_pivots(order_data *d, tni_slab *e) {
  if (d->chosen > 0 && e->lu->chosen == d->chosen) return;
  tni_sparse_solver_forget(e->lu);
  tni_sparse_solver_factor(e->lu, d->J0); /* singular: the window will find out */
  if (d->chosen == 0) d->chosen = e->lu->chosen;
}

static void reset_pivots(order_data *d) {
  for (int e = 0; e < d->tr->capacity; e++) choose_pivots(d, &d->tr->slab[e]);
  choose_pivots(d, &d->tr->coarse);
}

static void reset_all_pivots(state_time *w) {
  for (int k = w->least; k <= w->most; k++) reset_pivots(&w->order[k]);
}

static void first_matrix(state_time *w, order_data *d) {
  tni_trajectory *tr = d->tr;
  tni_integrator *it = &w->base;
  tni_trajectory_begin(tr, it->now.t, it->now.q, it->now.v, 1, w->adaptive ? w->h : it->opts.h);
  tni_trajectory_guess_plain(tr, 0, it->now.a, it->now.lambda);
  tni_slab_eval(&tr->shape, &tr->desk[0], &tr->slab[0], it->now.q, it->now.v, true);
  tni_slab_scale(&tr->shape, tr->slab[0].h, tr->slab[0].J);
  memcpy(d->J0, tr->slab[0].J, (size_t)tr->shape.J.nnz*sizeof(double));
  reset_pivots(d);
}

/* as long as the first derivatives allow */
static double first_length(state_time *w) {
  tni_integrator *it = &w->base;
  int nv = it->s->nv;
  double span = it->opts.t_end - it->now.t;
  tni_scale_size(&w->scale, it->now.q, w->size0);
  tni_norm n = tni_norm_at(it, w->size0, it->now.v);
  double d0 = tni_norm_error(&n, nv, w->size0, it->now.v, NULL), d1 = tni_norm_error(&n, nv, it->now.v, it->now.a, NULL);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-3*span : 0.01*d0/d1;
  double h1 = d1 <= 1e-15 ? h0 : pow(0.01/d1, 1.0/(w->tr->shape.g.order + 1));
  double h = it->opts.h > 0 ? it->opts.h : fmin(100*h0, h1);
  return fmax(fmin(h, span), tni_integrator_hmin(it, it->now.t));
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v, const double *z) {
  state_time *w = of(it);
  tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  /* states inside an element, where events are, are on the constraints to the order of the polynomial only */
  tni_project_opts p = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  TN_TRY(tni_project(s, t, it->now.q, it->now.v, &p, NULL));
  it->now.t = it->t_old = w->t0 = t;
  w->count = 0;
  w->window = w->largest < FIRST_WINDOW ? w->largest : FIRST_WINDOW;
  w->halved = 0;
  it->has_accel = false;
  w->ready = w->next = 0;
  TN_TRY(tni_integrator_accel(it));
  if (w->adaptive) {
    w->window = TWICE;
    if (w->h == 0) w->h = first_length(w);
  }
  for (int k = w->least; k <= w->most; k++)
    if (w->order[k].chosen == 0) first_matrix(w, &w->order[k]);
  return TN_OK;
}

/* end of equal element number i from the beginning on */
static double grid(const state_time *w, long i) {
  double t = w->t0 + (double)i*w->base.opts.h;
  return t > w->base.opts.t_end - 1e-9*w->base.opts.h ? w->base.opts.t_end : t;
}

/* Elements of the next window; a halved one is a part of an element. Returns how many. */
int tni_state_time_lay_out(tni_state_time *w) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  int n = w->halved ? 1 : w->window;
  double t = it->now.t;
  for (int e = 0; e < n; e++) {
    double end = grid(w, w->count + e + 1);
    if (end <= t) n = e;
  }
  if (n < 1) n = 1;
  tni_trajectory_begin(tr, t, it->now.q, it->now.v, n, it->opts.h);
  for (int e = 0; e < n; e++) {
    double end = grid(w, w->count + e + 1);
    if (w->halved) end = t + ldexp(end - t, -w->halved);
    tr->slab[e].t = t;
    tr->slab[e].h = end - t;
    t = end;
  }
  return n;
}

/* a position where constraints lose their independence, or nothing; are they about to? */
bool tni_state_time_rank(tni_state_time *w, char *out, size_t n) {
  static const double NEARLY = 30; /* times worse than at the beginning */
  const tni_integrator *it = &w->base;
  tni_data *s = w->tr->desk[0].s;
  out[0] = 0;
  if (!it->s->rank || tni_update_rank(s, it->now.t, it->now.q) != TN_OK || !s->rank) return false;
  double worse = s->rank->condition[0]/it->s->rank->condition[0];
  if (s->rank->rank < it->s->rank->rank)
    snprintf(out, n, "; constraint rank dropped from %d to %d at t = %.6g s, a singular position", it->s->rank->rank, s->rank->rank, it->now.t);
  else if (worse > NEARLY)
    snprintf(out, n, "; constraint rows are nearly dependent, %.2g times more than at the beginning: near a singular position", worse);
  return out[0] != 0;
}

/* Why the window ended where it did. What has been solved before it is in the results. */
static tn_status explain_failure(state_time *w, int n) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  char of_what[160], rank[160];
  const tni_slab *e = &tr->slab[0];
  double spin = 0, left = tni_trajectory_residual(tr, 0, of_what, sizeof(of_what));
  const double *c = tr->trail[0];
  tni_at begin = {.t = e->t, .q = it->now.q, .v = it->now.v};
  const tni_kin *kin = tni_look_bodies(tr->desk[0].s, &begin);
  for (int i = 1; i <= it->s->nbody; i++) spin = fmax(spin, vec3_norm(kin[i].W)*e->h);
  bool singular = tni_state_time_rank(w, rank, sizeof(rank));
  return TN_FAIL(it->ctx, TN_NO_PROGRESS,
                 "state_time: window [%.6g, %.6g] s not converged, %s failed after %d iterations, first bad element [%.6g, %.6g] s: changes "
                 "%.2g, %.2g, %.2g, residual %.2g in '%s'; bodies turn by up to %.2g rad in it%s%s; shorter windows and elements "
                 "were tried", it->now.t, tr->slab[n > 0 ? n - 1 : 0].t + tr->slab[n > 0 ? n - 1 : 0].h, tr->guessed == 0 ? "the guess" : "Newton's method",
                 tr->sweeps, e->t, e->t + e->h, c[2], c[1], c[0], left, of_what, spin,
                 spin > 1 && !singular ? ": elements are too long, take more of them" : "", rank);
}

/* did a rank fall silent? */
static tn_status heed_ranks(const state_time *w) {
  const tni_comm *ranks = tni_comm_of(w->base.ctx);
  return ranks ? ranks->trouble : TN_OK;
}

static tn_status solve_window(state_time *w) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  if (it->opts.cosines) return tni_state_time_solve_cosines(w);
  TN_TRY(tni_integrator_accel(it));
  for (;;) {
    int n = tni_state_time_lay_out(w), done = 0;
    long before = tr->iterations;
    if (n > 1) done = tni_trajectory_solve(tr, &(tni_guess){TNI_STATE_TIME_COARSE, GUESS_TOL, it->now.a, it->now.lambda}, MAX_ITERATIONS, NEWTON_TOL);
    if (n == 1 || tr->guessed == 0) {
      tr->n = 1;
      /* accelerations may be those of a vibration much shorter than the element */
      for (int plain = 0; plain < 2 && done == 0; plain++) {
        tni_trajectory_guess_plain(tr, 0, plain ? tr->zero : it->now.a, it->now.lambda);
        tr->strayed[0] = HUGE_VAL;
        done = tni_trajectory_solve(tr, NULL, 3*MAX_ITERATIONS, NEWTON_TOL);
      }
    }
    TN_TRY(heed_ranks(w));
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
    if (++w->halved > MAX_HALVINGS || h < 2*tni_integrator_hmin(it, it->now.t)) return explain_failure(w, n);
  }
}

/* ---- elements that follow the tolerance ---------------------------------------------------- */

/* elements of the next window, all of a length; the last one of a run ends with it */
static int lay_out_adaptive(state_time *w) {
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  int n = w->window;
  double h = fmin(w->h, it->opts.hmax), left = it->opts.t_end - it->now.t;
  bool last = n*h >= left*(1 - 1e-9);
  if (last) {
    n = (int)ceil(left/h*(1 - 1e-9));
    n = (n + TWICE - 1)/TWICE*TWICE;
    h = left/n;
  }
  tni_trajectory_begin(tr, it->now.t, it->now.q, it->now.v, n, h);
  for (int e = 0; e < n; e++) {
    double end = last && e + 1 == n ? it->opts.t_end : it->now.t + (e + 1)*h;
    tr->slab[e].t = it->now.t + e*h;
    tr->slab[e].h = end - tr->slab[e].t;
  }
  return n;
}

/* the error (ex, ev) of an element that ends at q, v, in units of the tolerance */
static double error_of(state_time *w, double t, const double *q, const double *v) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  tni_scale_size(&w->scale, it->now.q, w->size0);
  tni_scale_size(&w->scale, q, w->size1);
  tni_norm n = tni_norm_at(it, w->size0, it->now.v);
  n.size1 = w->size1;
  n.v1 = v;
  double norm = tni_norm_error(&n, s->nv, w->ex, w->ev, NULL);
  tni_eval_bodies(s, t, q, v, NULL);
  return fmax(norm, tni_error_of_bodies(it, t, q, v, w->ex, w->ev));
}

/* accelerations at the points of element e */
static void add_accelerations(const state_time *w, int e, int j, double *to) {
  const tni_trajectory *tr = w->tr;
  const tni_slab_shape *p = &tr->shape;
  const tni_gauss *g = &p->g;
  const tni_slab *sl = &tr->slab[e];
  for (int i = 0; i < g->k; i++) {
    double sum = -g->d_sum[i]*tni_trajectory_v(tr, e)[j];
    for (int c = 0; c < g->k; c++) sum += g->d[i][c]*sl->z[tni_slab_v(p, c) + j];
    to[i] = sum/sl->h;
  }
}

/* Is the motion of elements e and e + 1 as smooth as polynomials of their degree can tell? Accelerations at the points of each, continued to its ends, miss
 * those there (a at the end of the second) by 2^k times less than those of the guess, whose element is twice as long; where a force jumps they miss by as
 * much, where it bends by half. 0: it jumps or bends, 1: it does not. */
static double smoothness(const state_time *w, int e, const double *a) {
  static const double BENDS = 0.5, CLEAR = 0.75; /* powers of two per degree */
  const tni_trajectory *tr = w->tr;
  int nv = w->base.s->nv, k = tr->shape.g.k;
  double fine = 0, coarse = 0, *one = w->pair, *two = w->pair + 2*nv;
  const double *far = tr->far_a[e + 1];
  for (int i = 0; i < 2; i++) tni_slab_accelerations(&tr->shape, &tr->slab[e + i], tni_trajectory_v(tr, e + i), i ? two : one);
  for (int j = 0; j < nv; j++) {
    double x = fmax(fabs(one[j] - w->a_begin[j]), fabs(two[nv + j] - a[j])), middle = 0.5*fabs(two[j] - one[nv + j]);
    fine = fmax(fine, fmax(x, middle)/tr->unit[j]);
    coarse = fmax(coarse, fmax(fabs(far[j] - w->a_begin[j]), fabs(far[nv + j] - a[j]))/tr->unit[j]);
  }
  if (k < 2 || !(fine > 0) || !(coarse > fine)) return 0;
  return fmin(fmax((log2(coarse/fine)/k - BENDS)/(CLEAR - BENDS), 0), 1);
}

/* What the accelerations of elements e and e + 1 have left for polynomials of higher degree, as an error of velocities: the guess knows smooth
 * motions only, and would take a force that jumps for one. *smooth: see smoothness. */
static tn_status roughness(state_time *w, int e, double *smooth) {
  tni_trajectory *tr = w->tr;
  tni_data *s = w->base.s;
  int k = tr->shape.g.k;
  double h = tr->slab[e].h, t = tr->slab[e + 1].t + tr->slab[e + 1].h, *a = tr->x, high = 0, low = 0;
  TN_TRY(tni_accel(s, t, tni_trajectory_q(tr, e + 2), tni_trajectory_v(tr, e + 2), a, tr->l, NULL));
  *smooth = smoothness(w, e, a);
  for (int j = 0; j < s->nv; j++) {
    double at[2*TNI_GAUSS_MAX], left[TNI_NROUGH] = {0};
    add_accelerations(w, e, j, at);
    add_accelerations(w, e + 1, j, at + k);
    for (int m = 0; m < TNI_NROUGH; m++)
      for (int i = 0; i < 2*k; i++) left[m] += w->order[k].rough[m][i]*at[i];
    high = fmax(high, hypot(left[0], left[1])/tr->unit[j]);
    low = fmax(low, hypot(left[4], left[5])/tr->unit[j]);
    double ends = fmax(fabs(left[2] - a[j]), fabs(left[3] - w->a_begin[j]));
    w->ev[j] = h*(ROUGH_INSIDE*hypot(left[0], left[1]) + ROUGH_AT_END*ends);
    w->ex[j] = h*w->ev[j];
    w->a_begin[j] = a[j];
  }
  w->decay = low > 0 ? fmin(fmax(sqrt(high/low), FASTEST_DECAY), SLOWEST_DECAY) : SLOWEST_DECAY;
  return TN_OK;
}

/* How many of the elements that have converged are good enough; *err: the error of the first that is not, or of the last; < 0: the
 * guess has nothing to say of it. What the guess is off by is added up from element to element: differences count. */
static int judge(state_time *w, int done, double *err) {
  tni_trajectory *tr = w->tr;
  tni_data *s = w->base.s;
  int good = 0;
  *err = -1;
  memset(w->dx_old, 0, (size_t)s->nv*sizeof(double));
  memset(w->dv_old, 0, (size_t)s->nv*sizeof(double));
  memcpy(w->a_begin, w->base.now.a, (size_t)s->nv*sizeof(double));
  for (int e = 0; e < done; e++) {
    int r = tr->span[e];
    if (r == 0) continue;
    *err = -1;
    if (r == 1) break;
    const double *q = tni_trajectory_q(tr, e + 1), *v = tni_trajectory_v(tr, e + 1);
    double times = r*(pow(r, tr->shape.g.order) - 1);
    tni_difference(s, q, tr->far_q[e], w->dx);
    for (int j = 0; j < s->nv; j++) {
      w->dv[j] = tr->far_v[e][j] - v[j];
      w->ex[j] = (w->dx[j] - w->dx_old[j])/times;
      w->ev[j] = (w->dv[j] - w->dv_old[j])/times;
    }
    memcpy(w->dx_old, w->dx, (size_t)s->nv*sizeof(double));
    memcpy(w->dv_old, w->dv, (size_t)s->nv*sizeof(double));
    double t = tr->slab[e].t + tr->slab[e].h;
    *err = SMOOTH*error_of(w, t, q, v);
    double smooth = 0;
    if (*err <= 1 && r == 2 && roughness(w, e - 1, &smooth) == TN_OK) *err = fmax(*err, pow(IF_SMOOTH, smooth)*error_of(w, t, q, v));
    if (!(*err <= 1)) return good;
    good = e + 1;
  }
  return good;
}

static double new_length(const state_time *w, double err) {
  double by = err > 0 ? SAFE*pow(err, -1.0/(w->tr->shape.g.order + 1)) : err < 0 ? NO_ESTIMATE : GROW_MOST;
  return isfinite(by) ? fmin(fmax(by, SHRINK_MOST), GROW_MOST) : SHRINK_MOST;
}

/* The order of the next window, from the error of this one, whose elements are h long; returns the length there. An order more gains a factor of
 * (decay/2)^2: coefficients of one element fall twice as fast as those of two. */
static double choose_order(state_time *w, double err, double h, double next) {
  int now = w->tr->shape.g.k;
  double best = 0, length = next;
  w->calm++;
  if (w->least == w->most || w->calm < CALM_WINDOWS || !(err > 0)) return next;
  for (int k = now > w->least ? now - 1 : now; k <= now + 1 && k <= w->most; k++) {
    double there = err*pow(0.5*w->decay, 2*(k - now)), by = fmin(SAFE*pow(there, -1.0/(w->order[k].tr->shape.g.order + 1)), GROW_MOST);
    double gain = by/pow(k, WORK)*(k == now ? PROMISE : 1);
    if (!(gain > best)) continue;
    best = gain;
    w->wanted = k;
    length = k == now ? next : h*fmin(fmax(by, SHRINK_MOST), 2);
  }
  if (w->wanted != now) w->calm = 0;
  return length;
}

static tn_status solve_adaptive(state_time *w) {
  tni_integrator *it = &w->base;
  w->tr = w->order[w->wanted].tr;
  tni_trajectory *tr = w->tr;
  TN_TRY(tni_integrator_accel(it));
  for (;;) {
    if (w->window > tr->capacity) w->window = tr->capacity;
    int n = lay_out_adaptive(w);
    double h = tr->slab[0].h, each = fmin(it->opts.atol, it->opts.rtol)*fmin(h, 1), err;
    double guess_tol = fmax(fmin(GUESS_TOL, LEFT*pow(TWICE, tr->shape.g.order)*each), 1e-11);
    long before = tr->iterations;
    int done = tni_trajectory_solve(tr, &(tni_guess){TWICE, guess_tol, it->now.a, it->now.lambda}, MAX_ITERATIONS,
                                    fmax(fmin(NEWTON_TOL, LEFT*each), 1e-12));
    TN_TRY(heed_ranks(w));
    w->windows++;
    w->sweeps += tr->sweeps;
    it->stats.newton += tr->iterations - before;
    w->next = 0;
    w->ready = judge(w, done, &err);
    double by = new_length(w, err);
    bool all = w->ready == n;
    if (all && tr->refreshed < FEW_ITERATIONS && by < 2) w->window = 2*w->window < tr->capacity ? 2*w->window : tr->capacity;
    if (!all) w->window = w->ready > TWICE ? w->ready : TWICE;
    if (w->ready > 0 && by >= 1 && !all) by = 1; /* what stopped it was the iteration */
    /* a window that was cut at the end of the run says nothing of longer elements */
    bool whole = h > 0.5*w->h;
    w->h = by < 1 || whole ? h*by : w->h;
    if (all && whole) w->h = choose_order(w, err, h, w->h);
    if (w->ready > 0) return TN_OK;
    w->failed++;
    it->stats.rejected++;
    if (err < 0) it->stats.nonconverged++;
    if (w->h < tni_integrator_hmin(it, it->now.t)) return explain_failure(w, n);
  }
}

/* Prescribed motions work with the power lambda . phi_t. The multipliers are those of the state in tr->q, v: those of the points are of lower
 * order than the motion, and serve where there are no others. */
static void add_drives(state_time *w, double t, const double *v, const double *lambda, double power[TNI_NZ]) {
  tni_data *s = w->base.s;
  double *phi_t = w->tr->l, *a = w->xd, sum = 0, all[TNI_NZ];
  bool moves = false;
  tni_eval_rate(s, t, w->tr->q, w->tr->zero, phi_t);
  for (int r = 0; r < s->m; r++) {
    moves = moves || phi_t[r] != 0;
    sum += lambda[r]*phi_t[r];
  }
  if (!moves) return;
  if (tni_accel(s, t, w->tr->q, v, a, w->tr->l, all) == TN_OK) memcpy(power, all, sizeof(all));
  else power[TNI_Z_INPUT] += sum;
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
      a[j] = -g->d_sum[i]*w->old.v[j];
      for (int c = 0; c < g->k; c++) a[j] += g->d[i][c]*sl->z[tni_slab_v(p, c) + j];
      a[j] /= sl->h;
    }
    tni_retract(s, w->old.q, sl->z + tni_slab_x(p, i), w->tr->q);
    tni_at at = {sl->t + g->c[i]*sl->h, w->tr->q, sl->z + tni_slab_v(p, i), a, sl->z + tni_slab_l(p, i)};
    tni_energies here;
    tni_eval(s, &at, &(tni_want){.balance = r, .energies = &here});
    w->power[i][TNI_Z_DISSIPATED] = here.dissipated;
    w->power[i][TNI_Z_INPUT] = here.input;
    add_drives(w, sl->t + g->c[i]*sl->h, sl->z + tni_slab_v(p, i), sl->z + tni_slab_l(p, i), w->power[i]);
    for (int n = 0; n < TNI_NZ; n++) it->now.z[n] += sl->h*g->b[i]*w->power[i][n];
  }
}

/* x', x'' of the end of the element in its local coordinates */
static void end_rates(state_time *w) {
  const tni_integrator *it = &w->base;
  const tni_slab_shape *p = &w->tr->shape;
  memcpy(w->x1, it->now.v, (size_t)p->nv*sizeof(double));
  memcpy(w->x2, it->now.a, (size_t)p->nv*sizeof(double));
  for (int t = 0; t < p->nturn; t++) {
    int a = p->turn[t];
    tni_turn c = tni_turn_at(w->xi + a);
    tni_turn_local_rate(&c, w->xi + a, it->now.v + a, w->x1 + a);
    tni_turn_local_accel(&c, w->xi + a, w->x1 + a, it->now.a + a, w->x2 + a);
  }
}

static tn_status step(tni_integrator *it) {
  state_time *w = of(it);
  tni_data *s = it->s;
  TN_REQUIRE(it->ctx, it->opts.max_steps == 0 || it->stats.steps < it->opts.max_steps, TN_NO_PROGRESS,
             "state_time: more than %ld elements needed, t = %g s reached", it->opts.max_steps, it->now.t);
  /* somebody wants shorter ones than there are */
  if (w->adaptive && w->next < w->ready && w->tr->slab[w->next].h > it->opts.hmax*(1 + 1e-9)) w->ready = w->next;
  if (w->next >= w->ready) TN_TRY(w->adaptive ? solve_adaptive(w) : solve_window(w));
  TN_TRY(tni_integrator_accel(it));
  const tni_slab *e = &w->tr->slab[w->next];
  tni_state_copy(&w->old, s, &it->now);
  add_work(w, w->next);
  memcpy(w->xi, e->z + tni_slab_x(&w->tr->shape, w->tr->shape.g.k), (size_t)s->nv*sizeof(double));
  memcpy(it->now.q, e->q1, (size_t)s->nq*sizeof(double));
  memcpy(it->now.v, e->v1, (size_t)s->nv*sizeof(double));
  it->t_old = it->now.t;
  it->now.t = e->t + e->h;
  it->has_accel = false;
  w->bent = w->through = false;
  w->next++;
  if (w->adaptive) {
    if (it->now.t > it->opts.t_end - 1e-9*e->h) it->now.t = it->opts.t_end;
  } else if (!w->halved || it->now.t >= grid(w, w->count + 1)) {
    it->now.t = grid(w, ++w->count);
    w->halved = 0;
  } else {
    w->halved--; /* half of what is left, then all of it */
  }
  TN_TRY(tni_integrator_accel(it));
  end_rates(w);
  w->by_order[w->tr->shape.g.k]++;
  tni_integrator_count_step(it, it->now.t - it->t_old, w->tr->shape.g.order);
  return TN_OK;
}

/* Places y and rates yd at x of [0, 1] in local coordinates, with the bend or without */
static void place(const state_time *w, double h, double x, bool corrected, double *y, double *yd) {
  /* polynomials of degree five with values and two derivatives at both ends; the place at the beginning is 0 */
  double x2 = x*x, x3 = x2*x, x4 = x3*x, x5 = x4*x, u = x*(1 - x);
  double b0 = x - 6*x3 + 8*x4 - 3*x5, c0 = 0.5*x2 - 1.5*x3 + 1.5*x4 - 0.5*x5;
  double a1 = 10*x3 - 15*x4 + 6*x5, b1 = -4*x3 + 7*x4 - 3*x5, c1 = 0.5*x3 - x4 + 0.5*x5;
  double b0d = 1 - 18*x2 + 32*x3 - 15*x4, c0d = x - 4.5*x2 + 6*x3 - 2.5*x4;
  double a1d = 30*x2 - 60*x3 + 30*x4, b1d = -12*x2 + 28*x3 - 15*x4, c1d = 1.5*x2 - 4*x3 + 2.5*x4;
  double g = u*u*u, gd = 3*u*u*(1 - 2*x);
  int nv = w->base.s->nv;
  for (int j = 0; j < nv; j++) {
    y[j] = h*b0*w->old.v[j] + h*h*c0*w->old.a[j] + a1*w->xi[j] + h*b1*w->x1[j] + h*h*c1*w->x2[j];
    yd[j] = b0d*w->old.v[j] + h*c0d*w->old.a[j] + a1d*w->xi[j]/h + b1d*w->x1[j] + h*c1d*w->x2[j];
    if (!corrected) continue;
    double t = x - 0.5, bend = w->bend[j] + t*(w->bend[nv + j] + t*w->bend[2*nv + j]);
    y[j] += g*bend;
    yd[j] += (gd*bend + g*(w->bend[nv + j] + 2*t*w->bend[2*nv + j]))/h;
  }
}

/* from local coordinates */
static void place_state(const state_time *w, const double *y, const double *yd, double *q, double *v) {
  const tni_slab_shape *p = &w->tr->shape;
  const tni_data *s = w->base.s;
  if (q) tni_retract(s, w->old.q, y, q);
  if (!v) return;
  memcpy(v, yd, (size_t)s->nv*sizeof(double));
  for (int n = 0; n < p->nturn; n++) {
    tni_turn c = tni_turn_at(y + p->turn[n]);
    tni_turn_rate(&c, y + p->turn[n], yd + p->turn[n], v + p->turn[n]);
  }
}

/* h^2 times the accelerations at x that the places there have, less what the polynomial of degree five says; false: there are none */
static bool missing_bend(state_time *w, double h, double x, bool corrected, double *a) {
  tni_integrator *it = &w->base;
  const tni_slab_shape *p = &w->tr->shape;
  tni_data *s = it->s;
  double *y = w->tr->x, *yd = w->xd;
  place(w, h, x, corrected, y, yd);
  place_state(w, y, yd, w->tr->q, w->tr->v);
  if (tni_accel(s, it->t_old + x*(it->now.t - it->t_old), w->tr->q, w->tr->v, a, w->tr->l, NULL) != TN_OK) return false;
  for (int n = 0; n < p->nturn; n++) {
    int at = p->turn[n];
    double local[3];
    tni_turn c = tni_turn_at(y + at);
    tni_turn_local_accel(&c, y + at, yd + at, a + at, local);
    vec3_copy(a + at, local);
  }
  double x2 = x*x, x3 = x2*x;
  double b0 = -36*x + 96*x2 - 60*x3, c0 = 1 - 9*x + 18*x2 - 10*x3, a1 = 60*x - 180*x2 + 120*x3, b1 = -24*x + 84*x2 - 60*x3,
         c1 = 3*x - 12*x2 + 10*x3;
  for (int j = 0; j < s->nv; j++)
    a[j] = h*h*a[j] - (h*b0*w->old.v[j] + h*h*c0*w->old.a[j] + a1*w->xi[j] + h*b1*w->x1[j] + h*h*c1*w->x2[j]);
  return true;
}

/* work and heat up to x */
static void work_until(const state_time *w, double h, double x, double *z) {
  const tni_gauss *g = &w->tr->shape.g;
  for (int n = 0; n < TNI_NZ; n++) {
    z[n] = w->old.z[n];
    for (int i = 0; i < g->k; i++) {
      double part = 0; /* integral of polynomial i up to x */
      for (int l = 0; l < g->k; l++) part += x*g->b[l]*tni_lagrange(g->k, g->c, i, x*g->c[l]);
      z[n] += h*part*w->power[i][n];
    }
  }
}

/* state at x by the polynomials through beginning, points and end */
static void place_through(const state_time *w, double x, double *q, double *v) {
  const tni_slab *e = &w->tr->slab[w->next - 1];
  tni_slab_look(&w->tr->shape, e, w->old.v, x, w->tr->x, w->xd, NULL);
  if (q) tni_retract(w->base.s, w->old.q, w->tr->x, q);
  if (v) memcpy(v, w->xd, (size_t)w->base.s->nv*sizeof(double));
}

/* Accelerations in the middle, where the velocities of degree five are one order better than elsewhere, make it degree six; from order 4 on those
 * at the quarters, of the places of degree six, make it eight. The bend is (x (1 - x))^3 (b_0 + b_1 s + b_2 s^2), s = x - 1/2. */
static void find_bend(state_time *w, double h) {
  int nv = w->base.s->nv;
  double *b = w->bend, *lower = w->quarter, *upper = w->quarter + nv;
  memset(b, 0, 3*(size_t)nv*sizeof(double));
  if (!missing_bend(w, h, 0.5, false, b)) {
    memset(b, 0, (size_t)nv*sizeof(double));
    return;
  }
  double *middle = w->quarter + 2*nv;
  memcpy(middle, b, (size_t)nv*sizeof(double));
  for (int j = 0; j < nv; j++) b[j] *= -8.0/3; /* second derivative of (x (1 - x))^3 there: -3/8 */
  if (w->tr->shape.g.k < 4 || !missing_bend(w, h, 0.25, true, lower) || !missing_bend(w, h, 0.75, true, upper)) return;
  /* g = (x (1 - x))^3 and its derivatives at s = 1/4; b_0 and b_2 from what is even, b_1 from what is odd */
  const double s = 0.25, g = 27.0/4096, g1 = -27.0/512, g2 = 0.0703125;
  double e0 = g2, e2 = g2*s*s + 4*g1*s + 2*g, odd = g2*s + 2*g1, m0 = -0.375, m2 = 2.0/64, det = m0*e2 - m2*e0;
  for (int j = 0; j < nv; j++) {
    double even = 0.5*(lower[j] + upper[j]);
    b[j] = (middle[j]*e2 - m2*even)/det;
    b[nv + j] = 0.5*(upper[j] - lower[j])/odd;
    b[2*nv + j] = (m0*even - e0*middle[j])/det;
  }
}

/* By how much accelerations at the state in w->tr, x of the element, are not those at its points, continued to x */
static double astray(state_time *w, double x) {
  tni_integrator *it = &w->base;
  const tni_gauss *g = &w->tr->shape.g;
  double *a = w->tr->x, most = 0, at[TNI_GAUSS_MAX], part[TNI_GAUSS_MAX];
  if (tni_accel(it->s, it->t_old + x*(it->now.t - it->t_old), w->tr->q, w->tr->v, a, w->tr->l, NULL) != TN_OK) return HUGE_VAL;
  for (int i = 0; i < g->k; i++) part[i] = tni_lagrange(g->k, g->c, i, x);
  for (int j = 0; j < it->s->nv; j++) {
    double there = 0;
    add_accelerations(w, w->next - 1, j, at);
    for (int i = 0; i < g->k; i++) there += part[i]*at[i];
    most = fmax(most, fabs(a[j] - there)/w->tr->unit[j]);
  }
  return most;
}

/* Motions too fast for the element, stiff beams and dampers, have places and velocities within the tolerance, but at its ends accelerations of a size that
 * has nothing to do with the motion: the rate times an error of velocities, or its square times one of places. Polynomials with them bulge in between: stiff beams
 * had strains of many times what the run has, and stiff dampers velocities 50 tolerances off. The polynomials through the points know no accelerations at the ends. Where the two
 * differ, accelerations inside tell which is right: those of a bulge are its size times the rate again. */
static void look_into(state_time *w, double h) {
  static const double at[] = {0.3, 0.7};
  tni_integrator *it = &w->base;
  bool corrected = w->tr->shape.g.k > 2, differ = false;
  double bulge = 0, through = 0;
  w->bent = true;
  w->through = false;
  if (corrected) find_bend(w, h);
  for (int i = 0; i < TNI_COUNT(at); i++) {
    place(w, h, at[i], corrected, w->tr->x, w->xd);
    place_state(w, w->tr->x, w->xd, w->tr->q, w->tr->v);
    memcpy(w->quarter, w->tr->v, (size_t)it->s->nv*sizeof(double));
    place_through(w, at[i], w->tr->q, w->tr->v);
    for (int j = 0; j < it->s->nv; j++)
      differ = differ || fabs(w->quarter[j] - w->tr->v[j]) > LITTLE*(it->opts.atol_v + it->opts.rtol_v*fabs(w->tr->v[j]));
  }
  for (int i = 0; i < TNI_COUNT(at) && differ; i++) {
    place(w, h, at[i], corrected, w->tr->x, w->xd);
    place_state(w, w->tr->x, w->xd, w->tr->q, w->tr->v);
    bulge = fmax(bulge, astray(w, at[i]));
    place_through(w, at[i], w->tr->q, w->tr->v);
    through = fmax(through, astray(w, at[i]));
  }
  w->through = bulge > CLEARLY*through;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  state_time *w = of(it);
  const tni_data *s = it->s;
  const tni_gauss *g = &w->tr->shape.g;
  double h = it->now.t - it->t_old, x = h > 0 ? (t - it->t_old)/h : 1;
  if (x > 1 - 1e-12 || h == 0) {
    if (q) memcpy(q, it->now.q, (size_t)s->nq*sizeof(double));
    if (v) memcpy(v, it->now.v, (size_t)s->nv*sizeof(double));
    if (z) memcpy(z, it->now.z, TNI_NZ*sizeof(double));
    return;
  }
  if (!w->bent && !it->opts.cosines && (q || v)) look_into(w, h);
  if (w->through) {
    place_through(w, x, q, v);
  } else {
    place(w, h, x, g->k > 2 && !it->opts.cosines, w->tr->x, w->xd);
    place_state(w, w->tr->x, w->xd, q, v);
  }
  if (z) work_until(w, h, x, z);
}

/* t, t0, count, window, halved, elements left of the window, length of the next, order, that of the next, windows since it changed; state; those elements: begin, length, unknowns */
enum { NSCALAR = 10, NHEAD = 2 };

static int nstate(const tni_integrator *it) {
  const state_time *w = (const state_time *)(const void *)it;
  int room = 0;
  for (int k = w->least; k <= w->most; k++) {
    const tni_trajectory *tr = w->order[k].tr;
    int n = tr->capacity*(NHEAD + tr->shape.nz);
    if (n > room) room = n;
  }
  return NSCALAR + tni_integrator_ny(it) + room;
}

static tn_status save(tni_integrator *it, double *state) {
  state_time *w = of(it);
  const tni_slab_shape *p = &w->tr->shape;
  int left = w->ready - w->next, ny = tni_integrator_ny(it);
  reset_all_pivots(w);
  it->has_accel = false; /* who goes on from here has none, and rows may have changed since they were found */
  memset(state, 0, (size_t)nstate(it)*sizeof(double));
  const double head[NSCALAR] = {it->now.t, w->t0, (double)w->count, w->window, w->halved, left, w->h, p->g.k, w->wanted, w->calm};
  memcpy(state, head, sizeof(head));
  memcpy(state + NSCALAR, it->now.q, (size_t)ny*sizeof(double));
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
  int ny = tni_integrator_ny(it);
  reset_all_pivots(w);
  w->tr = w->order[(int)state[7]].tr;
  w->wanted = (int)state[8];
  w->calm = (int)state[9];
  const tni_slab_shape *p = &w->tr->shape;
  it->now.t = it->t_old = state[0];
  w->t0 = state[1];
  w->count = (long)state[2];
  w->window = (int)state[3];
  w->halved = (int)state[4];
  w->next = 0;
  w->ready = (int)state[5];
  w->h = state[6];
  memcpy(it->now.q, state + NSCALAR, (size_t)ny*sizeof(double));
  it->has_accel = false;
  const double *q = it->now.q;
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
    char who[60] = "";
    const tni_comm *ranks = tni_comm_of(it->ctx);
    if (it->opts.tree && ranks) snprintf(who, sizeof(who), " by a tree over %d ranks", ranks->size);
    snprintf(out, n, "state_time; direction cosines, %d unknowns in the last of %ld windows, %.1f iterations each%s", w->unknowns,
             w->windows, w->windows ? (double)w->sweeps/(double)w->windows : 0.0, it->opts.tree && !ranks ? " by a tree" : who);
    return;
  }
  if (w->least < w->most) {
    char list[60] = "";
    for (int k = w->least; k <= w->most; k++)
      snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%ld of %d", k > w->least ? ", " : "", w->by_order[k], k);
    snprintf(out, n, "state_time; elements by points: %s; %ld windows, %.1f iterations each", list, w->windows,
             w->windows ? (double)w->sweeps/(double)w->windows : 0.0);
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
    .share = 2.5,
    .loose = 0.75,
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
