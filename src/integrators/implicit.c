/* integrators/implicit.c - the engine of the implicit one-step methods
 *
 * A step from (t_0, q_0, v_0):
 *
 *   independent coordinates y around q_0, matrices Mhat, M1, M2 at the state     (once per state;
 *                                                  M1, M2 of an earlier one if the formula keeps them)
 *   Pi = Mhat + gamma h M1 + beta h^2 M2, factored                               (once per h)
 *   y_1, y'_1 and their error by the formula
 *   dependent positions and velocities at the end, projection of what is left, accelerations
 *
 * The error in (y, y') is carried to all positions and velocities before it is measured, P dy and
 * P dy' + V dy, so that the step does not depend on the choice of independent coordinates. V dy is what
 * the velocities of a mechanism are wrong by because it is at the wrong place: where transmission ratios
 * change fast, far more than P dy'.
 *
 * Quadratures: their rates z' at the ends of the last steps are interpolated by a cubic polynomial,
 * which is integrated over the step. That costs no evaluation, and its error is of order h^4.
 *
 * Dense output: with s = theta (1-theta),  xi' = v_0 + theta dv + s (c + alpha + theta beta) + kappa s^2,
 * xi its integral. c gives the right xi at the end; alpha and beta change the slopes to the right
 * xi'' at both ends, kappa takes their integral back: xi is then Hermite's polynomial of degree 5.
 * Accelerations of a stiff system are wrong by the stiffness times the error of the state, so alpha
 * and beta are first damped by the matrix of the step, 1 - (1 - d)^2 with d = Pi^-1 Mhat: that leaves
 * smooth components alone but for h^2, and where it damps, xi is the cubic polynomial.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/implicit.h"

#include <float.h>
#include <math.h>

#include "integrators/control.h"
#include "integrators/elim.h"

#define FACTOR_MAX 5.0
/* Noise of the recovered coordinates enters the error estimate multiplied by the stiffness: they
 * are computed more exactly than the constraints need. */
#define RECOVER_SHARE 1e-2
#define RECOVER_FLOOR 1e-14
#define STAGE_SHARE 1e-6 /* of the tolerance: stages need less */

static tni_implicit *of(tni_integrator *it) { return (tni_implicit *)(void *)it; }

static tn_status allocate(tni_implicit *im) {
  tni_arena *arena = &im->base.arena;
  const tni_data *s = im->base.s;
  size_t n = (size_t)s->nv;
  double **vectors[] = {&im->yd0, &im->ydd0, &im->y1, &im->yd1, &im->ydd1, &im->carry,
                        &im->carry_new, &im->rate_y, &im->rate_yd, &im->ey, &im->eyd,
                        &im->v_stage, &im->a_stage, &im->dx, &im->dv, &im->size0,
                        &im->size1, &im->unit_x, &im->unit_v, &im->xi1, &im->xid1, &im->xidd1,
                        &im->xi_in, &im->xid_in, &im->bend, &im->alpha, &im->beta};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  bool straight = tni_partition_is_straight(s, &im->base.opts);
  TNI_ARENA_NEW(arena, im->Pi, straight || im->formula->whole ? 1 : n*n);
  TNI_ARENA_NEW(arena, im->pivot, n);
  TNI_ARENA_NEW(arena, im->work, (size_t)im->formula->nwork*n);
  TN_TRY(tni_state_create_in(arena, im->base.s, &im->next));
  TN_TRY(tni_quadrature_create(arena, s, &im->inside));
  TNI_ARENA_NEW(arena, im->q_stage, s->nq);
  TNI_ARENA_NEW(arena, im->rows, im->formula->nrows*s->m);
  TNI_ARENA_NEW(arena, im->gap, s->m);
  TNI_ARENA_NEW(arena, im->dlambda, s->m);
  TN_TRY(tni_scale_create(arena, s, &im->scale));
  const tni_integrator_opts *o = &im->base.opts;
  im->tol_end = fmax(RECOVER_SHARE*o->project_tol, RECOVER_FLOOR);
  im->tol_stage = fmax(im->tol_end, STAGE_SHARE*fmin(fmin(o->rtol, o->atol), fmin(o->rtol_v, o->atol_v)));
  if (o->equal_steps) im->tol_stage = im->tol_end;
  return tni_partition_create(arena, im->base.s, &im->scale, o, im->tol_end, im->formula->whole, &im->p);
}

tn_status tni_implicit_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                              const tni_integrator_type *type, const tni_implicit_formula *formula,
                              tni_integrator **out) {
  *out = NULL;
  tni_implicit *im = tni_alloc(ctx, 1, sizeof(*im));
  if (!im) return tni_out_of_memory(ctx);
  im->own = *formula;
  im->formula = &im->own;
  tn_status st = tni_integrator_init(&im->base, type, ctx, s, opts);
  if (st == TN_OK) st = allocate(im);
  if (st != TN_OK) {
    tni_implicit_destroy(&im->base);
    return st;
  }
  *out = &im->base;
  return TN_OK;
}

void tni_implicit_destroy(tni_integrator *it) {
  if (!it) return;
  tni_partition_destroy(&of(it)->p);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

/* ---- services for the formulas ------------------------------------------------------------- */

tn_status tni_implicit_recover(tni_implicit *im, double t, const double *y, const double *yd, tni_cause *cause) {
  tn_status st;
  im->p.tol = im->tol_stage;
  TNI_TIMED(&im->base, TNI_PHASE_RECOVERY, st,
            tni_partition_recover(&im->p, t, y, yd, im->q_stage, im->v_stage, cause));
  return st;
}

tn_status tni_implicit_accel(tni_implicit *im, double t, double *lambda, double *ydd, tni_cause *cause) {
  tn_status st;
  TNI_TIMED(&im->base, TNI_PHASE_ACCEL, st,
            tni_partition_accel(&im->p, t, im->q_stage, im->v_stage, im->a_stage, lambda, NULL, ydd, cause));
  return st;
}

tn_status tni_implicit_eval(tni_implicit *im, double t, const double *y, const double *yd,
                            double *ydd, tni_cause *cause) {
  double *seconds = im->base.stats.seconds, began = tni_wall_time();
  im->p.tol = im->tol_stage;
  tn_status st = tni_partition_recover(&im->p, t, y, yd, im->q_stage, im->v_stage, cause);
  double recovered = tni_wall_time(); /* one look at the clock for the end of this and the beginning of that */
  seconds[TNI_PHASE_RECOVERY] += recovered - began;
  TN_TRY(st);
  st = tni_partition_accel(&im->p, t, im->q_stage, im->v_stage, im->a_stage, NULL, NULL, ydd, cause);
  seconds[TNI_PHASE_ACCEL] += tni_wall_time() - recovered;
  return st;
}

void tni_implicit_solve_matrix(tni_implicit *im, double *x) {
  if (tni_partition_eliminates(&im->p)) tni_partition_solve(&im->p, x);
  else tni_lu_solve(im->p.nd, im->Pi, im->pivot, x);
}

/* Pi p = (Mhat (al b1 + b2) + M1 b1)/al^2,  v = al p - b1 */
void tni_implicit_solve(tni_implicit *im, double h, double *b1, double *b2,
                        double *scratch) {
  int nd = im->p.nd;
  double al = 1/(im->gamma_now*h);
  for (int k = 0; k < nd; k++) {
    b2[k] = (al*b1[k] + b2[k])/(al*al);
    scratch[k] = 0;
  }
  tni_partition_multiply(&im->p, 1, b2, 1/(al*al), b1, 0, NULL, scratch);
  tni_implicit_solve_matrix(im, scratch);
  for (int k = 0; k < nd; k++) {
    b2[k] = al*scratch[k] - b1[k];
    b1[k] = scratch[k];
  }
}

/* ---- start --------------------------------------------------------------------------------- */

static tni_norm norm_at_start(const tni_implicit *im) {
  return tni_norm_at(&im->base, im->size0, im->base.now.v);
}

/* As large as the first derivative allows. The second one would be the explicit method's business:
 * in a stiff system it is huge and says nothing. */
static double first_step(tni_implicit *im) {
  tni_integrator *it = &im->base;
  int nv = it->s->nv;
  double span = it->opts.t_end - it->now.t;
  tni_scale_size(&im->scale, it->now.q, im->size0);
  tni_norm w = norm_at_start(im);
  double d0 = tni_norm_error(&w, nv, im->size0, it->now.v, NULL);
  double d1 = tni_norm_error(&w, nv, it->now.v, it->now.a, NULL);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6*span : 0.01*d0/d1;
  double h1 = d1 <= 1e-15 ? h0 : pow(0.01/d1, 1.0/(im->formula->order + 1));
  return fmin(fmin(100*h0, h1), span);
}

static tn_status prepare(tni_implicit *im);
static bool form_matrix(tni_implicit *im, double h);

/* choosing pivots allocates: not in a step */
static tn_status prepare_whole(tni_implicit *im) {
  if (im->h == 0) return TN_OK;
  tn_status st = prepare(im);
  if (st == TN_OK) form_matrix(im, im->h); /* whether it can be done is the business of the step */
  return st < 0 ? st : TN_OK;
}

tn_status tni_implicit_start(tni_integrator *it, double t, const double *q, const double *v,
                             const double *z) {
  it->way = it->ways = 0;
  tni_implicit *im = of(it);
  const tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = t;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  im->rheonomic = tni_partition_rheonomic(&im->p, t, it->opts.t_end, it->now.q);
  im->ready = im->p.keep = im->lacks = false;
  im->work_done.n = 0;
  im->taken = 0;
  im->rate = 0;
  tni_partition_stand(&im->p, it->now.q);
  memcpy(im->p.xid, it->now.v, (size_t)s->nv*sizeof(double));
  tni_cause cause;
  tn_status st = tni_partition_accel(&im->p, t, it->now.q, it->now.v, it->now.a, it->now.lambda, im->zdot, NULL,
                                     &cause);
  if (st < 0) return st;
  if (st > 0) return tni_no_progress(it, t, 0, &cause);
  it->has_accel = true;
  memcpy(im->carry, it->now.a, (size_t)s->nv*sizeof(double));
  im->err_old = TNI_ERROR_FLOOR;
  im->h = it->opts.h;
  if (im->h == 0 && it->opts.t_end > t) im->h = first_step(im);
  im->h = fmin(im->h, it->opts.hmax);
  it->stats.h_next = im->h;
  return im->formula->whole ? prepare_whole(im) : TN_OK;
}

/* corrections of Newton's method have a y smaller than y' by a step, so that V y may be left out */
double tni_implicit_norm(tni_implicit *im, const double *y, const double *yd, int *worst) {
  int nv = im->base.s->nv;
  double sum = 0, largest = -1;
  tni_partition_expand(&im->p, y, im->dx);
  tni_partition_expand(&im->p, yd, im->dv);
  for (int j = 0; j < nv; j++) {
    double x = im->dx[j]*im->unit_x[j], v = im->dv[j]*im->unit_v[j], part = x*x + v*v;
    sum += part;
    if (part > largest) {
      largest = part;
      *worst = j;
    }
  }
  return nv ? sqrt(sum/(2.0*nv)) : 0;
}

/* size0 and the units of tni_implicit_norm at the state */
static void find_units(tni_implicit *im) {
  const tni_integrator_opts *o = &im->base.opts;
  tni_scale_size(&im->scale, im->base.now.q, im->size0);
  for (int j = 0; j < im->base.s->nv; j++) {
    im->unit_x[j] = 1/(o->atol + o->rtol*im->size0[j]);
    im->unit_v[j] = 1/(o->atol_v + o->rtol_v*fabs(im->base.now.v[j]));
  }
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool form_matrix(tni_implicit *im, double h) {
  const tni_partition *p = &im->p;
  const tni_implicit_formula *f = im->formula;
  im->damped_now = im->taken < f->damped;
  im->gamma_now = im->damped_now ? f->damped_gamma : f->gamma;
  im->beta_now = im->damped_now ? f->damped_gamma*f->damped_gamma : f->beta;
  double g = im->gamma_now*h, b = im->beta_now*h*h;
  int nd = p->nd;
  const tni_data *s = im->base.s;
  long made = s->nstraight;
  if (s->straight) { /* the factors may be there */
    bool good = tni_partition_factor(&im->p, g, b);
    im->base.stats.factorizations += s->nstraight - made;
    return good;
  }
  im->base.stats.factorizations++;
  if (tni_partition_eliminates(p)) return tni_partition_factor(&im->p, g, b);
  for (int i = 0; i < nd; i++) { /* by columns */
    for (int k = 0; k < nd; k++)
      im->Pi[k*nd + i] = p->Mhat[i*nd + k] + g*p->M1[i*nd + k] + b*p->M2[i*nd + k];
  }
  return tni_lu_factor(nd, im->Pi, im->pivot);
}

/* (1 - h gamma G)^-1 applied to the estimate: embedded formulas amplify stiff components. Not so in
 * the first step: there they really move, and what they leave in the others would pass unseen. */
static void filter_error(tni_implicit *im, double h) {
  tni_error_filter wanted = im->base.opts.error_filter;
  if (wanted == TNI_FILTER_OFF || (wanted == TNI_FILTER_AUTO && !im->formula->filter)) return;
  if (im->taken == 0) return;
  for (int k = 0; k < im->p.nd; k++) {
    im->ey[k] /= im->gamma_now*h;
    im->eyd[k] /= im->gamma_now*h;
  }
  tni_implicit_solve(im, h, im->ey, im->eyd, im->dx);
}

/* error of the attempt in units of the tolerance, at the recovered end q_new, v_new */
static double attempt_error(tni_implicit *im, double t_new, tni_cause *cause) {
  tni_integrator *it = &im->base;
  cause->kind = TNI_CAUSE_ERROR;
  tni_scale_size(&im->scale, im->next.q, im->size1);
  tni_partition_change(&im->p, im->ey, im->eyd, im->dx, im->dv);
  tni_norm w = norm_at_start(im);
  w.size1 = im->size1;
  w.v1 = im->next.v;
  cause->value = tni_norm_error(&w, it->s->nv, im->dx, im->dv, &cause->index);
  cause->value = tni_error_seen(it, t_new, im->next.q, im->next.v, im->dx, im->dv, im->formula->bodies, cause->value);
  if (im->formula->adds_up) cause->value *= tni_adding_up(it, tni_mean_step(it, t_new - it->now.t), im->formula->error_order, TNI_USUAL_TIMES);
  return cause->value;
}

/* Accelerations of a stiff system are wrong by the stiffness times the error of the state; the
 * formula goes on with its own ones. The difference, small, moves with the body axes. */
static void carry_on(tni_implicit *im) {
  tni_partition *p = &im->p;
  double *dy = im->ey; /* the error has been measured */
  tni_partition_extract(p, p->xidd, dy);
  for (int k = 0; k < p->nd; k++) dy[k] = im->ydd1[k] - dy[k];
  tni_partition_expand(p, dy, im->carry_new);
  for (int j = 0; j < p->n; j++) im->carry_new[j] += im->next.a[j];
}

/* Old matrices have served when the step took no more iterations than with new ones. The first steps
 * after a start have another formula and say nothing. */
static void judge_matrices(tni_implicit *im, long iterations) {
  if (im->p.fresh) im->newton_fresh = iterations;
  im->p.keep = im->formula->keeps && !im->damped_now && iterations <= im->newton_fresh;
}

/* Rates of the quadratures in the middle of the first step, where there is no history to interpolate: at
 * the state of the cubic polynomial of the ends, which the partition has just found. */
static tn_status middle_rates(tni_implicit *im, double h) {
  const tni_partition *p = &im->p;
  tni_data *s = im->base.s;
  for (int j = 0; j < s->nv; j++) {
    im->xi_in[j] = 0.5*p->xi[j] + h/8*(p->v[j] - p->xid[j]);
    im->xid_in[j] = 1.5*p->xi[j]/h - 0.25*(p->v[j] + p->xid[j]);
  }
  tni_partition_place(p, im->xi_in, im->xid_in, im->q_stage, im->v_stage);
  return tni_accel(s, im->base.now.t + 0.5*h, im->q_stage, im->v_stage, im->dx, im->next.lambda,
                       im->zdot_middle);
}

/* One attempt from the state at t: new state, *err. An outcome > 0 means the attempt could not be
 * completed, for the reason in *cause. */
static tn_status attempt(tni_implicit *im, double h, double t_new, double *err, tni_cause *cause) {
  tni_integrator *it = &im->base;
  tni_partition *p = &im->p;
  size_t bytes = (size_t)it->s->nv*sizeof(double);
  *err = 0;
  bool formed;
  tn_status st;
  TNI_TIMED(it, TNI_PHASE_FACTORS, formed, form_matrix(im, h));
  if (!formed) return TN_STEP_REJECTED;
  TN_TRY(im->formula->advance(im, h, cause));
  filter_error(im, h);
  p->tol = im->tol_end;
  TNI_TIMED(it, TNI_PHASE_RECOVERY, st,
            tni_partition_recover(p, t_new, im->y1, im->yd1, im->next.q, im->next.v, cause));
  TN_TRY(st);
  *err = attempt_error(im, t_new, cause);
  if (!isfinite(*err)) {
    cause->kind = TNI_CAUSE_NONFINITE;
    return TN_STEP_REJECTED;
  }
  if (*err > 1 && !it->opts.equal_steps) return TN_OK;
  bool moved;
  TNI_TIMED(it, TNI_PHASE_RECOVERY, st, tni_integrator_project(it, t_new, im->next.q, im->next.v, &moved, cause));
  TN_TRY(st);
  if (moved) tni_partition_locate(p, im->next.q, im->next.v, NULL);
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  if (im->taken == 0) TN_TRY(middle_rates(im, h));
  TNI_TIMED(it, TNI_PHASE_ACCEL, st, tni_partition_accel(p, t_new, im->next.q, im->next.v, im->next.a,
                                                         im->next.lambda, im->zdot_new, NULL, cause));
  TN_TRY(st);
  if (im->formula->carries) carry_on(im);
  memcpy(im->xi1, p->xi, bytes);
  memcpy(im->xid1, p->xid, bytes);
  memcpy(im->xidd1, p->xidd, bytes);
  return TN_OK;
}

static void accept(tni_implicit *im, double h, double t_new) {
  tni_integrator *it = &im->base;
  tni_data *s = it->s;
  memcpy(im->z_old, it->now.z, sizeof(im->z_old));
  bool middle = im->taken++ == 0;
  tni_quadrature_push(&im->work_done, it->now.t, im->zdot);
  if (middle) tni_quadrature_push(&im->work_done, it->now.t + 0.5*h, im->zdot_middle);
  memcpy(im->zdot, im->zdot_new, sizeof(im->zdot));
  it->t_old = it->now.t;
  im->next.t = t_new;
  tni_state_copy(&it->now, s, &im->next);
  memcpy(im->carry, im->formula->carries ? im->carry_new : im->next.a,
         (size_t)s->nv*sizeof(double));
  it->has_accel = true;
  im->ready = im->has_dense = false;
  tni_integrator_count_step(it, h, im->formula->order);
  it->stats.stiffness = h*im->rate;
  tni_quadrature_book(&im->work_done, &im->inside, it, im->zdot, im->z_old);
}

/* proposal after an accepted step; a step cut at the end leaves no trace */
static void propose(tni_implicit *im, double h, double wanted, double err, bool after_reject) {
  if (im->base.opts.equal_steps) {
    im->h = im->base.stats.h_next = im->base.opts.h;
    return;
  }
  tni_accepted a = {h, wanted, err, im->formula->error_order, after_reject, FACTOR_MAX, 0};
  tni_control_propose(&im->base, &a, &im->h, &im->err_old);
  im->base.stats.h_next = im->h;
}

/* Largest rate of the model by the power method, from the direction found last. */
static void watch_rate(tni_implicit *im) {
  enum { EVERY = 10, FIRST = 12, LATER = 2 };
  tni_partition *p = &im->p;
  int nd = p->nd;
  double *y = im->rate_y, *yd = im->rate_yd, *next = im->dx;
  /* the first step after a start depends on it: nothing from before */
  bool first = im->rate == 0 || im->taken == 0;
  bool due = first || im->formula->keeps || im->base.stats.jacobians % EVERY == 0;
  if (!due || nd == 0) return;
  if (first) {
    tni_power_begin(nd, y, yd);
    im->rate = 1;
  }
  /* In descriptor form pivots of the sparse matrix are never chosen here: when this is due is no part of
   * the state, and a run that is continued would choose others. */
  if (p->straight) {
    if (!tni_partition_factor(p, 0, 0)) return;
  } else if (!p->whole) {
    memcpy(im->Pi, p->Mhat, (size_t)nd*(size_t)nd*sizeof(double));
    if (!tni_lu_factor(nd, im->Pi, im->pivot)) return;
  }
  double pair = 1; /* at first by two rounds whose lengths are measured alike: tni_descriptor_model_rate */
  for (int i = 0; i < (first ? FIRST : LATER); i++) {
    memset(next, 0, (size_t)nd*sizeof(double));
    /* M2 first */
    tni_partition_multiply(p, 0, NULL, 0, NULL, -1, y, next);
    tni_partition_multiply(p, 0, NULL, -1, yd, 0, NULL, next);
    if (p->whole) tni_partition_solve_mass(p, next);
    else tni_implicit_solve_matrix(im, next);
    double growth = tni_power_round(nd, im->rate, y, yd, next);
    if (growth == 0) return;
    pair *= growth;
    if (!first) im->rate = sqrt(im->rate*growth);
    else if (i % 2) im->rate = sqrt(pair), pair = 1;
  }
}

/* matrices at the state; the previous step's dense output ends here */
static tn_status prepare(tni_implicit *im) {
  tni_integrator *it = &im->base;
  if (im->ready) return TN_OK;
  tni_time_rate time = !im->formula->time ? TNI_TIME_NONE
                       : im->rheonomic  ? TNI_TIME_DIFFERENCES : TNI_TIME_EXACT;
  tn_status st;
  TNI_TIMED(it, TNI_PHASE_MATRICES, st,
            tni_partition_begin(&im->p, it->now.t, it->now.q, it->now.v, it->now.a, it->now.lambda, im->h, time));
  TN_TRY(st);
  tni_partition_extract(&im->p, it->now.v, im->yd0);
  tni_partition_extract(&im->p, im->carry, im->ydd0);
  find_units(im);
  if (im->p.fresh) {
    watch_rate(im);
    it->stats.jacobians++;
  }
  if (im->p.kind == TNI_COORDINATES) it->stats.choices = im->p.nchosen;
  im->ready = true;
  return TN_OK;
}

/* The step after a rejected one. Matrices at the beginning of a step just before a singular position
 * do not serve beyond it, and ever shorter steps would only come nearer: once the factors of the
 * recovery have not served in two attempts, some longer ones are tried in between. */
static const double hop[] = {1.5, 0.8, 2.2, 1.2};

static double next_attempt(double shorter, bool refreshed, long attempts, tni_hops *hops) {
  if (!refreshed || attempts < 2 || !tni_hops_left(hops)) return shorter;
  return tni_hops_next(hops);
}

/* Step after one with an error above the tolerance; h_before, err_before: the attempt before it, 0 if
 * there was none. In the first step after a start or an event stiff components may really move. Then
 * the error hardly falls until the step follows them: that step is taken at once, if it may be. */
#define FOLLOWS 3.0 /* step times largest rate */
static double shorter_step(const tni_implicit *im, double h, double hmin, double err,
                           double h_before, double err_before) {
  double order = im->formula->error_order + 1;
  double factor = tni_control_shorter(err, im->formula->error_order);
  if (im->taken > 0) return h*factor;
  bool falls = !(h_before > h) || log(err_before/err) > 0.5*order*log(h_before/h);
  if (!falls && h*im->rate > FOLLOWS)
    return fmin(TNI_FAIL_FACTOR*h, fmax(hmin, FOLLOWS/im->rate));
  return h*fmin(factor, TNI_FAIL_FACTOR); /* its order does not show yet */
}

/* Squared distance of a singular position, in units of the usual one, where no step should end: accelerations there, and
 * matrices of the next step, are rounding by its inverse. Two four-bars once lost 300 tolerances in one such step. */
#define BESIDE 1e-6

static tn_status take_step(tni_integrator *it) {
  tni_implicit *im = of(it);
  double remaining = it->opts.t_end - it->now.t;
  TN_TRY(tni_control_may_step(it));
  double hmin = tni_integrator_hmin(it, it->now.t), wanted = fmax(im->h, hmin);
  double h_before = 0, err_before = 0;
  tni_hops hops = {hop, it->opts.equal_steps ? 0 : TNI_COUNT(hop), 0, wanted};
  long rejected = it->stats.rejected;
  bool after_reject = false;
  tni_cause cause = {TNI_CAUSE_ACCEL, -1, 0};
  tn_status st = prepare(im);
  if (st != TN_OK) it->t_old = it->now.t;
  if (st < 0) return st;
  if (st > 0) return tni_no_progress(it, it->now.t, wanted, &cause);

  for (;;) {
    double h = tni_last_step(wanted, remaining, it->opts.equal_steps), err;
    double t_new = h == remaining ? it->opts.t_end : it->now.t + h;
    if (it->opts.equal_steps) h = tni_equal_step(h, wanted);
    cause = (tni_cause){TNI_CAUSE_NONFINITE, -1, 0};
    long refreshed = im->p.nrefresh, nrank = it->s->work.nrank, newton = it->stats.newton;
    st = attempt(im, h, t_new, &err, &cause);
    refreshed = im->p.nrefresh - refreshed;
    if (st < 0) return st;
    if (st == TN_STEP_REJECTED && cause.kind == TNI_CAUSE_ERROR && !im->p.fresh) {
      /* Newton's iteration with old matrices: not the fault of the step */
      im->p.keep = im->ready = false;
      st = prepare(im);
      if (st == TN_OK) continue;
      it->t_old = it->now.t;
      return st < 0 ? st : tni_no_progress(it, it->now.t, h, &cause);
    }
    /* so near to a singular position that rows had to be left out: nothing held their velocities */
    bool beside = tni_integrator_can_care(it) && it->s->pivot < BESIDE*it->s->usual;
    bool blind = st == TN_OK && (it->s->work.nrank > nrank || (beside && err <= 1)) && tni_hops_left(&hops);
    if (st == TN_OK && !blind && (err <= 1 || it->opts.equal_steps)) {
      accept(im, h, t_new);
      judge_matrices(im, it->stats.newton - newton);
      propose(im, h, wanted, err, after_reject);
      return TN_OK;
    }
    after_reject = true;
    it->stats.rejected++;
    double shorter = TNI_FAIL_FACTOR*h;
    if (st == TN_OK && err > 1) {
      shorter = shorter_step(im, h, hmin, err, h_before, err_before);
      h_before = h;
      err_before = err;
    } else {
      it->stats.nonconverged++;
    }
    wanted = blind && err <= 1 ? tni_hops_next(&hops)
                               : next_attempt(shorter, refreshed > 0,
                                              it->stats.rejected - rejected, &hops);
    wanted = fmin(wanted, it->opts.hmax);
    if (wanted < hmin) {
      it->t_old = it->now.t;
      return tni_no_progress(it, it->now.t, wanted, &cause);
    }
  }
}

tn_status tni_implicit_step(tni_integrator *it) {
  tn_status st;
  TNI_TIMED(it, TNI_PHASE_STEPS, st, take_step(it));
  return st;
}

/* ---- dense output -------------------------------------------------------------------------- */

/* x := x - P (1 - d)^2 B2 x,  d = Pi^-1 Mhat; what the constraints ask across P is never stiff */
static void damp(tni_implicit *im, double *x) {
  double *y = im->ey, *dy = im->eyd;
  tni_partition_extract(&im->p, x, y);
  for (int twice = 0; twice < 2; twice++) {
    memset(dy, 0, (size_t)im->p.nd*sizeof(double));
    tni_partition_multiply(&im->p, 1, y, 0, NULL, 0, NULL, dy);
    tni_implicit_solve_matrix(im, dy);
    for (int k = 0; k < im->p.nd; k++) y[k] -= dy[k];
  }
  tni_partition_expand(&im->p, y, im->dx);
  for (int j = 0; j < im->p.n; j++) x[j] -= im->dx[j];
}

static void make_dense(tni_implicit *im) {
  const tni_partition *p = &im->p;
  double h = im->base.now.t - im->base.t_old;
  for (int j = 0; j < p->n; j++) {
    double v0 = p->v[j], v1 = im->xid1[j], dv = v1 - v0, a0 = h*p->a[j], a1 = h*im->xidd1[j];
    im->bend[j] = 6*(im->xi1[j]/h - 0.5*(v0 + v1));
    im->alpha[j] = a0 - dv - im->bend[j];
    im->beta[j] = 2*dv - a0 - a1;
  }
  damp(im, im->alpha);
  damp(im, im->beta);
  im->has_dense = true;
}

void tni_implicit_interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  tni_implicit *im = of(it);
  const tni_data *s = it->s;
  const tni_partition *p = &im->p;
  if (!(t < it->now.t && it->t_old < it->now.t)) {
    if (q) memcpy(q, it->now.q, (size_t)s->nq*sizeof(double));
    if (v) memcpy(v, it->now.v, (size_t)s->nv*sizeof(double));
    if (z) memcpy(z, it->now.z, TNI_NZ*sizeof(double));
    return;
  }
  double h = it->now.t - it->t_old, theta = (t - it->t_old)/h;
  double bubble = theta*(1 - theta);
  if (!im->has_dense) make_dense(im);
  /* Formulas of order 2 have no xi at the end that would deserve more than a cubic polynomial. */
  bool high = im->formula->order > 2;
  /* integrals of s, theta s, s^2 */
  double i0 = theta*theta*(0.5 - theta/3), i1 = theta*theta*theta*(1.0/3 - 0.25*theta);
  double i2 = theta*theta*theta*(1.0/3 + theta*(0.2*theta - 0.5));
  for (int j = 0; j < s->nv; j++) {
    double v0 = p->v[j], dv = im->xid1[j] - v0, c = im->bend[j], a = im->alpha[j], b = im->beta[j];
    double kappa = high ? -(5*a + 2.5*b) : 0;
    im->xi_in[j] = h*(theta*(v0 + 0.5*theta*dv) + i0*c);
    if (high) im->xi_in[j] += h*(i0*a + i1*b + i2*kappa);
    im->xid_in[j] = v0 + theta*dv + bubble*(c + a + theta*b + bubble*kappa);
  }
  tni_partition_place(p, im->xi_in, im->xid_in, q ? q : im->q_stage, v ? v : im->v_stage);
  if (z) tni_quadrature_between(&im->work_done, &im->inside, it, im->zdot, im->z_old, t, z);
}

/* ---- restart ------------------------------------------------------------------------------- */

enum { NSCALAR = 8 };

int tni_implicit_nstate(const tni_integrator *it) {
  return NSCALAR + TNI_QUADRATURE_NUMBERS + TNI_NZ +
         tni_integrator_ny(it) + 2*it->s->nv + it->s->m;
}

tn_status tni_implicit_save(tni_integrator *it, double *state) {
  tni_implicit *im = of(it);
  double scalar[NSCALAR] = {it->now.t, it->opts.hmin, im->h, im->err_old, im->rheonomic,
                            (double)im->taken, it->way, it->ways};
  state = tni_put(state, scalar, NSCALAR);
  state = tni_put(state, (const double *)&im->work_done, TNI_QUADRATURE_NUMBERS);
  state = tni_put(state, im->zdot, TNI_NZ);
  state = tni_put(state, it->now.q, tni_integrator_ny(it));
  state = tni_put(state, it->now.a, it->s->nv);
  state = tni_put(state, im->carry, it->s->nv);
  tni_put(state, it->now.lambda, it->s->m);
  tni_partition_restart(&im->p, it->now.q);
  it->t_old = it->now.t; /* the dense output was in the old coordinates */
  im->ready = im->p.keep = im->lacks = false;
  return TN_OK;
}

tn_status tni_implicit_load(tni_integrator *it, const double *state) {
  tni_implicit *im = of(it);
  it->now.t = it->t_old = state[0];
  it->opts.hmin = state[1];
  im->h = it->stats.h_next = state[2];
  im->err_old = state[3];
  im->rheonomic = state[4] != 0;
  im->taken = (long)state[5];
  it->way = state[6];
  it->ways = state[7];
  state = tni_get(state + NSCALAR, (double *)&im->work_done, TNI_QUADRATURE_NUMBERS);
  state = tni_get(state, im->zdot, TNI_NZ);
  state = tni_get(state, it->now.q, tni_integrator_ny(it));
  state = tni_get(state, it->now.a, it->s->nv);
  state = tni_get(state, im->carry, it->s->nv);
  tni_get(state, it->now.lambda, it->s->m);
  it->has_accel = true;
  im->ready = im->p.keep = im->lacks = false;
  tni_partition_restart(&im->p, it->now.q);
  return TN_OK;
}
