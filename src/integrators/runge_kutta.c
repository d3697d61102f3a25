/* integrators/runge_kutta.c - explicit Runge-Kutta steps with projection
 *
 *   Y_i = y_0 + h sum_{j<i} a_ij k_j,   k_i = f(t_0 + c_i h, Y_i),   y = (q, v, z)
 *   y*  = y_0 + h sum b_i k_i
 *   y_1 = y* projected onto positions and velocities that satisfy the constraints
 *   k'  = f(t_1, y_1)                         also the first stage of the next step
 *   err = max( |h sum e_i k_i + h e' k'|, |y_1 - y*| )
 *
 * Stages are formed in the coordinates q. That is sound for Euler parameters too: p' = G(p)^T w/2
 * is linear in p, so a factor on p never reaches the orientation.
 *
 * Projecting before the derivative at the end is taken costs a projection in a rejected step, and
 * saves an acceleration in every accepted one: k' needs no repetition. It moves k' by less than the
 * estimate resolves (y_1 - y* is one order smaller). The correction y_1 - y* is the part of the
 * local error across the constraints, seen exactly; counting it keeps a projection that jumps to
 * another branch of the mechanism from being accepted.
 *
 * Singular positions. At a distance sigma from one, where constraints lose their independence,
 * accelerations off the constraints and rounding errors grow like 1/sigma and 1/sigma^2, but only
 * across the constraints; the motion along them stays smooth. An attempt that fails is therefore
 * repeated with care: stages are projected, so that the method integrates y' = f(P(y)), which is
 * smooth, and only the error along the constraints counts. The same step then passes the position
 * instead of stopping short of it in ever smaller ones. If a stage is too near to the position for
 * even that (an error across the constraints so large that their turning within the step makes some
 * of it error along them), a few other steps are tried, which move the stages away from it; much
 * shorter ones would only bring them nearer. Where it is the error along the constraints that is too large, amplified
 * as it is there, the step becomes shorter and stays so; what of it is rounding is not amplified, no step makes it smaller.
 *
 * Dense output, theta = (t - t_0)/h:
 *   y = H(theta) + theta^2 (1-theta)^2 (r_1 + theta (r_2 + (1-theta)(r_3 + theta r_4)))
 * with the cubic Hermite polynomial H of (y_0, k_1, y_1, k') and bubbles r = h sum d_i k_i.
 *
 * Inside a step. Near the limit of stability the estimate at the end says little about dense output: for rk8 and
 * y' = -5.6 y/h its error is a thousand times larger. The last bubble tells: for y' = w y with any w in the left half
 * plane and |w| h above 4, the largest error inside is the same part of it within 10 %. Where the step times the largest
 * rate that showed of late is large, the error inside is therefore looked at too. It does not add up, so that it may be
 * a whole tolerance.
 *
 * Step size: PI controller of Gustafsson with the constants of Hairer, Norsett, Wanner, Solving
 * Ordinary Differential Equations I, section IV.2 of volume II; first step from I, section II.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/runge_kutta.h"

#include <float.h>
#include <math.h>

#include "integrators/common.h"
#include "integrators/control.h"
#include "integrators/quadrature.h"

#define FACTOR_MAX 10.0
#define NOISE 1e3        /* an error across the constraints so much larger makes that along them */
/* Next to a singular position the constraints amplify what a step leaves along them, and no estimate of one
 * step knows by how much: on four-bars that pass such positions steps with care use a small part of the
 * tolerance. */
#define NEAR_SINGULAR 300
#define ROUNDING 2.0      /* of an estimate of what is along the constraints, in units of the last place */
#define AHEAD 1e-3      /* squared distance from which on one ahead is passed by                  */
#define RATE_KEPT 0.99   /* from step to step: the fastest motion does not show in every one  */
#define GROSS 1e-3       /* relative error that no rounding makes: a wrong branch or turn    */
#define NEAR_PIVOT 1e-3  /* squared distance of a singular position where fixed steps take care */

typedef struct rk {
  tni_integrator base;
  const tni_rk_table *table;
  tni_scale scale;
  int n;              /* nq + nv + nz                                            */
  double h;           /* proposal for the next step                              */
  double err_old;     /* error of the last accepted step, for the controller     */
  double *k;          /* [nstage+1+nextra][n] derivatives of the last attempt    */
  double *k_end;      /* [n] derivative at t; k[nstage] of the last accepted step */
  tni_state old;      /* at t_old                                                */
  tni_state next;     /* under construction; its q, v, z are the vector y        */
  double *y_free;     /* [nq+nv] the same before projection                      */
  double *q_hat;      /* [nq] positions of the embedded formula                  */
  double *dx, *dv;    /* [nv] error                                              */
  double *size0, *size1; /* [nv] sizes of the positions at both ends             */
  double *bubble;     /* [ndense][n] for dense output                            */
  bool has_dense;     /* bubbles belong to the last step                         */
  tni_quadrature_inside inside; /* work of the last step, if its stages do not tell it */
  bool near;          /* a state of this attempt is near to a singular position  */
  double pivot, pivot_end; /* squared distance of one at t and at the end of the attempt */
  double fall;        /* of the distance in the last step, by its length                 */
  bool waits;         /* the last step stopped half-way to a singular position            */
  bool passes;        /* this attempt is to end behind a singular position               */
  int stiff, calm;    /* recent steps at the limit of stability, and below it     */
  double rate;        /* largest rate that showed of late                         */
} rk;

static rk *of(tni_integrator *it) { return (rk *)(void *)it; }
static double *stage(const rk *r, int i) { return r->k + (size_t)i*(size_t)r->n; }

static tn_status allocate(rk *r) {
  tni_arena *arena = &r->base.arena;
  const tni_data *s = r->base.s;
  const tni_rk_table *tb = r->table;
  int n = r->n = tni_integrator_ny(&r->base);
  TNI_ARENA_NEW(arena, r->k, (size_t)(tb->nstage + 1 + tb->nextra)*(size_t)n);
  TNI_ARENA_NEW(arena, r->k_end, n);
  TN_TRY(tni_state_create_in(arena, s, &r->old));
  TN_TRY(tni_state_create_in(arena, s, &r->next));
  TNI_ARENA_NEW(arena, r->y_free, n);
  TNI_ARENA_NEW(arena, r->q_hat, s->nq);
  TN_TRY(tni_quadrature_create(arena, s, &r->inside));
  TNI_ARENA_NEW(arena, r->dx, s->nv);
  TNI_ARENA_NEW(arena, r->dv, s->nv);
  TNI_ARENA_NEW(arena, r->size0, s->nv);
  TNI_ARENA_NEW(arena, r->size1, s->nv);
  TNI_ARENA_NEW(arena, r->bubble, (size_t)tb->ndense*(size_t)n);
  return tni_scale_create(arena, s, &r->scale);
}

tn_status tni_rk_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        const tni_integrator_type *type, const tni_rk_table *table,
                        tni_integrator **out) {
  *out = NULL;
  rk *r = tni_alloc(ctx, 1, sizeof(*r));
  if (!r) return tni_out_of_memory(ctx);
  r->table = table;
  tn_status st = tni_integrator_init(&r->base, type, ctx, s, opts);
  if (st == TN_OK) st = allocate(r);
  if (st != TN_OK) {
    tni_rk_destroy(&r->base);
    return st;
  }
  *out = &r->base;
  return TN_OK;
}

void tni_rk_destroy(tni_integrator *it) {
  if (!it) return;
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

/* y = y0 + h sum a_j k_j over the first n components */
static void combine(const rk *r, double *y, const double *y0, double h, const double *a, int nk,
                    int n) {
  memcpy(y, y0, (size_t)n*sizeof(*y));
  for (int j = 0; j < nk; j++) {
    double f = h*a[j];
    const double *k = stage(r, j);
    if (f == 0) continue;
    for (int i = 0; i < n; i++) y[i] += f*k[i];
  }
}

static tni_norm norm_at_start(const rk *r) {
  return tni_norm_at(&r->base, r->size0, r->base.now.v);
}

/* First step: as large as the first two derivatives of the solution allow for 0.01 of tolerance. */
static double first_step(rk *r) {
  tni_integrator *it = &r->base;
  const tni_data *s = it->s;
  int nq = s->nq, nv = s->nv;
  double span = it->opts.t_end - it->now.t;
  const double *a0 = r->k_end + nq;
  tni_scale_size(&r->scale, it->now.q, r->size0);
  tni_norm w = norm_at_start(r);
  double d0 = tni_norm_error(&w, nv, r->size0, it->now.v, NULL);
  double d1 = tni_norm_error(&w, nv, it->now.v, a0, NULL);
  /* from rest at zero, as joint coordinates begin, there is no size but that of the weights */
  if (d0 < 1e-5) d0 = 0.5/it->opts.atol;
  double h0 = d1 < 1e-5 ? 1e-6*span : 0.01*d0/d1;
  h0 = fmin(h0, fmin(span, it->opts.hmax));

  /* second derivative by an explicit Euler step */
  memcpy(stage(r, 0), r->k_end, (size_t)r->n*sizeof(double));
  combine(r, r->next.q, it->now.q, h0, (double[]){1}, 1, nq + nv);
  tni_cause cause;
  double *k = stage(r, 1), *v1 = r->next.v;
  if (tni_integrator_rhs(it, it->now.t + h0, r->next.q, k, NULL, &cause) != TN_OK) return 1e-3*h0;
  for (int j = 0; j < nv; j++) {
    r->dx[j] = (v1[j] - it->now.v[j])/h0;
    r->dv[j] = (k[nq+j] - a0[j])/h0;
  }
  double d2 = tni_norm_error(&w, nv, r->dx, r->dv, NULL);
  double d = fmax(d1, d2);
  double h1 = d <= 1e-15 ? fmax(1e-6*span, 1e-3*h0) : pow(0.01/d, 1.0/(r->table->order + 1));
  return fmin(100*h0, h1);
}

tn_status tni_rk_start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  it->way = it->ways = 0;
  rk *r = of(it);
  const tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = t;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  tni_cause cause;
  tn_status st = tni_integrator_rhs(it, t, it->now.q, r->k_end, it->now.lambda, &cause);
  if (st < 0) return st;
  if (st > 0) return tni_no_progress(it, t, 0, &cause);
  memcpy(it->now.a, r->k_end + s->nq, (size_t)s->nv*sizeof(double));
  it->has_accel = true;
  r->pivot = s->pivot;
  r->fall = 0;
  r->waits = false;
  r->err_old = TNI_ERROR_FLOOR;
  r->has_dense = false;
  r->stiff = r->calm = 0;
  r->rate = 0;
  it->stats.stiff = false;
  r->h = it->opts.h;
  if (r->h == 0 && it->opts.t_end > t) r->h = first_step(r);
  r->h = fmin(r->h, it->opts.hmax);
  it->stats.h_next = r->h;
  return TN_OK;
}

/* error of an attempt in units of the tolerance */
typedef struct {
  double all;    /* in all directions                                                          */
  double along;  /* along the constraints: what no projection takes away; if it was asked       */
  double turned; /* part of the error across them that becomes one along them; if it was asked  */
  double near;   /* by how much what is along them counts more next to a singular position      */
  double noise;  /* part of it that is rounding: it does not fall with the step                 */
} rk_error;

/* with care: what is along the constraints, amplified next to a singular position but for rounding */
static double along_amplified(const rk_error *err) {
  return fmax(err->along, err->near*fmax(err->along - err->noise, 0));
}

/* weighted norm of h sum e_i k_i, positions as local perturbation */
static double estimate(rk *r, double h, const double *e, bool along, int *worst) {
  tni_integrator *it = &r->base;
  const tni_data *s = it->s;
  int nq = s->nq, nv = s->nv, ns = r->table->nstage;
  double *dv = r->dv;
  memcpy(r->q_hat, r->next.q, (size_t)nq*sizeof(double));
  memset(dv, 0, (size_t)nv*sizeof(double));
  for (int i = 0; i <= ns; i++) {
    double f = h*e[i];
    const double *k = stage(r, i);
    if (f == 0) continue;
    for (int j = 0; j < nq; j++) r->q_hat[j] -= f*k[j];
    for (int j = 0; j < nv; j++) dv[j] += f*k[nq+j];
  }
  tni_normalize(s, r->q_hat);
  tni_difference(s, r->q_hat, r->next.q, r->dx);
  if (along) {
    tni_tangential(it->s, false, r->dx);
    tni_tangential(it->s, true, dv);
  }
  tni_norm w = norm_at_start(r);
  w.size1 = r->size1;
  w.v1 = r->next.v;
  return tni_norm_error(&w, nv, r->dx, dv, worst);
}

static double both_estimates(rk *r, double h, bool along, int *worst) {
  const tni_rk_table *tb = r->table;
  double err = estimate(r, h, tb->e, along, worst);
  if (tb->e2 && err > 0) {
    double err2 = estimate(r, h, tb->e2, along, NULL);
    err *= err/sqrt(err*err + 0.01*err2*err2);
  }
  return err;
}

/* what the projection had to correct */
static double correction(rk *r, int *worst) {
  const tni_data *s = r->base.s;
  tni_norm w = norm_at_start(r);
  w.size1 = r->size1;
  w.v1 = r->next.v;
  tni_difference(s, r->y_free, r->next.q, r->dx);
  for (int j = 0; j < s->nv; j++) r->dv[j] = w.v1[j] - r->y_free[s->nq+j];
  return tni_norm_error(&w, s->nv, r->dx, r->dv, worst);
}

/* How far the directions of the constraints turn in the step, at most 1: the part of an error
 * across them in the middle of the step that is along them at its end. */
static double turning(rk *r) {
  const tni_integrator *it = &r->base;
  double turn = 0;
  tni_difference(it->s, it->now.q, r->next.q, r->dx);
  for (int j = 0; j < it->s->nv; j++) turn = fmax(turn, fabs(r->dx[j])/(1 + r->size0[j]));
  return fmin(turn, 1);
}

/* By how much the error of the attempt is larger for those who look at the bodies than its norm */
static double as_bodies_show(rk *r, double h, bool along) {
  tni_integrator *it = &r->base;
  double norm = estimate(r, h, r->table->e, along, NULL);
  double seen = tni_error_of_bodies(it, it->now.t + h, r->next.q, r->next.v, r->dx, r->dv);
  double ratio = norm > 0 && seen > 0 ? seen/norm : 1;
  return it->s->parts ? fmax(ratio, 1) : ratio; /* unknowns of meshes are no bodies */
}

/* With care: what is along the constraints counts, and the more the nearer a singular position is, which
 * shows in how much more there is across them. */
static void error_with_care(rk *r, double h, rk_error *err, int *index) {
  double along = both_estimates(r, h, true, index);
  err->near = along > 0 && !r->passes ? fmin(fmax(err->all/along, 1), NEAR_SINGULAR) : 1;
  err->turned = err->all*fmax(err->all*r->base.opts.rtol, turning(r));
  double seen = as_bodies_show(r, h, true);
  err->along = along*seen;
  err->noise = ROUNDING*DBL_EPSILON/r->base.opts.rtol*seen;
}

static rk_error attempt_error(rk *r, double h, bool moved, tni_cause *cause) {
  tni_integrator *it = &r->base;
  int worst;
  cause->kind = TNI_CAUSE_ERROR;
  tni_scale_size(&r->scale, it->now.q, r->size0);
  tni_scale_size(&r->scale, r->next.q, r->size1);
  double across = moved ? correction(r, &worst) : 0;
  rk_error err;
  err.all = both_estimates(r, h, false, &cause->index);
  if (it->careful == 0) err.all *= as_bodies_show(r, h, false);
  if (across > err.all) {
    err.all = across;
    cause->index = worst;
  }
  err.along = cause->value = err.all;
  err.turned = err.noise = 0;
  err.near = 1;
  if (tni_integrator_can_care(it) && (it->careful > 0 || err.all > 1)) {
    int index = cause->index;
    error_with_care(r, h, &err, &index);
    if (it->careful > 0) *cause = (tni_cause){TNI_CAUSE_ERROR, index, err.along};
  }
  return err;
}

/* errors of many steps add up */
static void count_more(rk_error *err, double factor) {
  err->all *= factor;
  err->along *= factor;
  err->turned *= factor;
  err->noise *= factor;
}

/* derivative at the next state into k; with care at a state that meets the constraints down to rounding */
static tn_status derivative(rk *r, double t, int i, tni_cause *cause) {
  tni_integrator *it = &r->base;
  bool moved;
  if (it->careful > 0)
    TN_TRY(tni_integrator_project(it, t, r->next.q, r->next.v, &moved, cause));
  tn_status st = tni_integrator_rhs(it, t, r->next.q, stage(r, i), NULL, cause);
  if (it->s->pivot < NEAR_PIVOT) r->near = true;
  return st;
}

/* One attempt from the state at t: next, k[nstage], *err. An outcome > 0 means the attempt could
 * not be completed, for the reason in *cause. */
static tn_status attempt(rk *r, double h, double t_new, rk_error *err, tni_cause *cause) {
  tni_integrator *it = &r->base;
  const tni_rk_table *tb = r->table;
  tni_data *s = it->s;
  int nqv = s->nq + s->nv;
  const double *a = tb->a;
  *err = (rk_error){.near = 1};
  r->near = false;
  if (it->careful == TNI_CAREFUL_STEPS) {
    /* the derivative at t is from a state that was left as it came out of the last step */
    memcpy(r->next.q, it->now.q, (size_t)nqv*sizeof(double));
    TN_TRY(derivative(r, it->now.t, 0, cause));
  }
  for (int i = 1; i < tb->nstage; i++) {
    combine(r, r->next.q, it->now.q, h, a, i, nqv);
    TN_TRY(derivative(r, it->now.t + tb->c[i]*h, i, cause));
    a += i;
  }
  combine(r, r->next.q, it->now.q, h, tb->b, tb->nstage, r->n);
  tni_normalize(s, r->next.q);
  memcpy(r->y_free, r->next.q, (size_t)nqv*sizeof(double));
  bool moved;
  TN_TRY(tni_integrator_project(it, t_new, r->next.q, r->next.v, &moved, cause));
  TN_TRY(tni_integrator_rhs(it, t_new, r->next.q, stage(r, tb->nstage), r->next.lambda, cause));
  r->pivot_end = it->s->pivot;
  if (r->pivot_end < NEAR_PIVOT) r->near = true;
  if (tb->e) {
    *err = attempt_error(r, h, moved, cause);
    if (tb->adds_up) count_more(err, tni_adding_up(it, tni_mean_step(it, h), tb->error_order, TNI_USUAL_TIMES));
    if (!isfinite(err->along)) return TN_STEP_REJECTED;
  }
  return TN_OK;
}

/* Largest rate that shows: the last stage and the end of the step are two states at one time, whose
 * accelerations differ by the rate times the difference of velocities. Steps held by stability have
 * step times rate at its limit again and again (Hairer, Wanner II, section IV.2). */
static void watch_stiffness(rk *r, double h) {
  enum { STIFF = 15, CALM = 6 };
  tni_integrator *it = &r->base;
  const tni_rk_table *tb = r->table;
  int nq = it->s->nq, nv = it->s->nv, last = tb->nstage - 1;
  if (tb->stable == 0) return;
  combine(r, r->y_free, it->now.q, h, tb->a + last*(last - 1)/2, last, nq + nv);
  double da = 0, dv = 0;
  for (int j = nq; j < nq + nv; j++) {
    double a = stage(r, last)[j] - stage(r, tb->nstage)[j], v = r->y_free[j] - r->next.q[j];
    da += a*a;
    dv += v*v;
  }
  double rate = dv > 0 ? sqrt(da/dv) : 0;
  it->stats.stiffness = h*rate;
  r->rate = fmax(RATE_KEPT*r->rate, rate);
  if (it->stats.stiffness > tb->stable) {
    r->calm = 0;
    if (r->stiff < STIFF) r->stiff++;
  } else if (++r->calm >= CALM) {
    r->stiff = r->calm = 0;
  }
  it->stats.stiff = r->stiff >= STIFF;
}

/* stages that only dense output of the step h from y0 at t0 needs; false if accelerations fail there */
static bool extra_stages(rk *r, double t0, const double *y0, double h) {
  tni_integrator *it = &r->base;
  const tni_rk_table *tb = r->table;
  const double *ax = tb->ax;
  for (int i = 0; i < tb->nextra; i++) {
    int nk = tb->nstage + 1 + i;
    tni_cause cause;
    combine(r, r->y_free, y0, h, ax, nk, it->s->nq + it->s->nv);
    tn_status st = tni_integrator_rhs(it, t0 + tb->cx[i]*h, r->y_free, stage(r, nk), NULL, &cause);
    if (st != TN_OK) return false;
    ax += nk;
  }
  return true;
}

static void make_bubble(const rk *r, int b, double h, double *out) {
  const tni_rk_table *tb = r->table;
  int nk = tb->nstage + 1 + tb->nextra;
  for (int i = 0; i < nk; i++) {
    double f = h*tb->d[b*nk+i];
    const double *k = stage(r, i);
    if (f == 0) continue;
    for (int j = 0; j < r->n; j++) out[j] += f*k[j];
  }
}

/* bubbles of a step, without which the cubic remains */
static void make_dense(rk *r, double t0, const double *y0, double h) {
  memset(r->bubble, 0, (size_t)r->table->ndense*(size_t)r->n*sizeof(double));
  if (!extra_stages(r, t0, y0, h)) return;
  for (int b = 0; b < r->table->ndense; b++) make_bubble(r, b, h, r->bubble + (size_t)b*(size_t)r->n);
}

/* Largest error inside the step to the next state, in units of the whole tolerance, where its end tells little of it;
 * otherwise 0. */
static double error_inside(rk *r, double h) {
  tni_integrator *it = &r->base;
  const tni_data *s = it->s;
  const tni_rk_table *tb = r->table;
  if (tb->dense_from == 0 || h*r->rate < tb->dense_from) return 0;
  make_dense(r, it->now.t, it->now.q, h);
  r->has_dense = true;
  const double *last = r->bubble + (size_t)(tb->ndense - 1)*(size_t)r->n;
  for (int j = 0; j < s->nq; j++) r->q_hat[j] = r->next.q[j] - tb->dense_error*last[j];
  for (int j = 0; j < s->nv; j++) r->dv[j] = tb->dense_error*last[s->nq+j];
  tni_normalize(s, r->q_hat);
  tni_difference(s, r->q_hat, r->next.q, r->dx);
  const double *v = r->next.v;
  tni_eval_bodies(it->s, it->now.t + h, r->next.q, v, NULL);
  double share = tni_integrator_share(it->type, s, it->opts.tolerance);
  return share*tni_error_of_bodies(it, it->now.t + h, r->next.q, v, r->dx, r->dv);
}

static void accept(rk *r, double h, double t_new) {
  tni_integrator *it = &r->base;
  tni_data *s = it->s;
  size_t bytes = (size_t)r->n*sizeof(double);
  memcpy(r->k_end, stage(r, r->table->nstage), bytes);
  memcpy(r->next.a, r->k_end + s->nq, (size_t)s->nv*sizeof(double));
  r->next.t = t_new;
  r->fall = (sqrt(r->pivot) - sqrt(r->pivot_end))/h;
  r->pivot = r->pivot_end;
  tni_state_copy(&r->old, s, &it->now);
  tni_state_copy(&it->now, s, &r->next);
  it->has_accel = true;
  r->inside.panels = 0;
  it->t_old = r->old.t;
  tni_integrator_count_step(it, h, r->table->order);
}

/* The work of a step whose error across the constraints is above the tolerance, which a projection takes away from
 * positions and velocities only: stages so far off do not tell it. */
static void book_again(rk *r, double h) {
  static const double PART = 0.05;
  tni_integrator *it = &r->base;
  int at = it->s->nq + it->s->nv;
  const double *rate0 = stage(r, 0) + at, *rate1 = r->k_end + at;
  double work = 0;
  for (int j = 0; j < TNI_NZ; j++) work += fabs(r->old.z[j]) + 0.5*h*(fabs(rate0[j]) + fabs(rate1[j]));
  if (!(work > 0)) return;
  double tolerance = it->opts.tolerance > 0 ? it->opts.tolerance : it->opts.rtol;
  if (tni_quadrature_look(&r->inside, it, rate0, rate1, r->old.z, PART*tolerance*work))
    memcpy(it->now.z, r->inside.z1, sizeof(r->inside.z1));
}

/* proposal after an accepted step of size h when `wanted` was wanted; a step cut at the end leaves
 * no trace in the memory of the controller */
static void propose(rk *r, double h, double wanted, double err, bool after_reject) {
  const tni_integrator *it = &r->base;
  if (!r->table->e) {
    r->h = it->opts.h;
    return;
  }
  tni_accepted a = {h, wanted, err, r->table->error_order, after_reject, FACTOR_MAX, 0};
  tni_control_propose(it, &a, &r->h, &r->err_old);
}

/* Search for a step whose stages are not too near to a singular position */
typedef struct {
  int tried;          /* steps that were                        */
  double first;       /* the step that began the search         */
  double best, size;  /* the one with the smallest error so far */
} rk_search;

/* Is an attempt of size h, taken with care, good enough? If not and the error is one from across
 * the constraints, which does not fall with the step, *next is another step to try: somewhat
 * shorter and longer ones in turn, then the best of all, which is taken as it is. *next = 0:
 * shorten as usual. */
static bool settle(rk_search *s, const rk_error *err, double rtol, double h, double *next) {
  static const double ratio[] = {0.8, 1.25, 0.65, 1.55, 0.5, 2};
  double along = along_amplified(err), size = fmax(along, err->turned);
  *next = 0;
  if (size <= 1 || s->tried > TNI_COUNT(ratio)) return true;
  if (s->tried == 0) {
    bool falls = fmax(along/fmax(err->turned, 1), err->along) > 1 && err->all < NOISE*err->along;
    if (rtol*err->all > GROSS || falls) return false;
    s->first = h;
  }
  if (s->tried == 0 || size < s->size) {
    s->best = h;
    s->size = size;
  }
  *next = s->tried < TNI_COUNT(ratio) ? ratio[s->tried]*s->first : s->best;
  s->tried++;
  return false;
}

/* A singular position ahead: its distance, the root of the pivot, falls like the time that is left. A step that
 * would end next to it stops half-way, one that reaches beyond ends as far behind it as it begins before it, and so
 * does the one after a stop: states next to it are full of rounding, and no formula has a stage in the middle of
 * its step. */
static double pass_by(rk *r, double h) {
  double left = r->fall > 0 && r->pivot < AHEAD ? sqrt(r->pivot)/r->fall : INFINITY;
  bool waits = r->waits && h > 0.3*left;
  r->passes = waits || (h >= 1.25*left && h <= 2.5*left);
  r->waits = !r->passes && h > 0.6*left && h < 1.25*left;
  return r->passes ? 2*left : r->waits ? 0.5*left : h;
}

tn_status tni_rk_step(tni_integrator *it) {
  rk *r = of(it);
  double remaining = it->opts.t_end - it->now.t;
  TN_TRY(tni_control_may_step(it));
  double hmin = tni_integrator_hmin(it, it->now.t), wanted = fmax(r->h, hmin);
  bool after_reject = false;
  rk_search search = {0, 0, 0, 0};
  double usual = wanted; /* a step that stops half-way leaves no trace */
  if (r->table->e) wanted = fmin(pass_by(r, wanted), it->opts.hmax);
  memcpy(stage(r, 0), r->k_end, (size_t)r->n*sizeof(double));

  for (;;) {
    double h = tni_last_step(wanted, remaining, it->type->fixed_step), next = 0;
    double t_new = h == remaining ? it->opts.t_end : it->now.t + h;
    tni_cause cause = {TNI_CAUSE_NONFINITE, -1, 0};
    rk_error err;
    tn_status st = attempt(r, h, t_new, &err, &cause);
    if (st < 0) return st;
    bool careful = it->careful > 0;
    if (!r->table->e && r->near && !careful && tni_integrator_can_care(it)) {
      it->careful = TNI_CAREFUL_STEPS; /* no estimate would tell what is lost there */
      continue;
    }
    double e = careful ? along_amplified(&err) : err.all;
    bool good = st == TN_OK && (careful ? settle(&search, &err, it->opts.rtol, h, &next) : e <= 1);
    r->has_dense = false;
    if (good) watch_stiffness(r, h);
    double inside = good && err.all <= 1 ? error_inside(r, h) : 0; /* not next to a singular position */
    e = fmax(e, inside);
    if (good && inside <= 1) {
      accept(r, h, t_new);
      if (r->table->e && err.all > 1) book_again(r, h);
      propose(r, h, after_reject ? wanted : fmax(usual, wanted), fmin(e, 1), after_reject);
      it->stats.h_next = r->h;
      bool stay = err.all > 1 || (!r->table->e && r->near);
      if (careful) it->careful = stay ? TNI_CAREFUL_STEPS - 1 : it->careful - 1;
      return TN_OK;
    }
    it->stats.rejected++;
    if (st != TN_OK) it->stats.nonconverged++;
    if (!good && tni_integrator_can_care(it)) it->careful = TNI_CAREFUL_STEPS;
    if (!good && !careful && st == TN_OK && err.along <= 1) continue; /* with care it may do */
    if (next == 0) {
      after_reject = true;
      bool told = st == TN_OK && e > 1;
      next = h*(told ? tni_control_shorter(e, r->table->error_order) : TNI_FAIL_FACTOR);
    }
    wanted = fmin(next, it->opts.hmax);
    if (wanted < hmin) {
      it->t_old = it->now.t; /* the stages of the last accepted step are gone */
      return tni_no_progress(it, it->now.t, wanted, &cause);
    }
  }
}

/* component i at theta */
static double dense(const rk *r, int i, double theta, double h) {
  double y0 = r->old.q[i], dy = r->base.now.q[i] - y0, other = 1 - theta;
  double slope = h*stage(r, 0)[i] - dy;
  double bubbles = 0;
  for (int b = r->table->ndense - 1; b >= 0; b--) {
    double weight = b == r->table->ndense - 1 ? 0 : b % 2 ? other : theta;
    bubbles = r->bubble[(size_t)b*(size_t)r->n + (size_t)i] + weight*bubbles;
  }
  double curve = dy - h*r->k_end[i] - slope;
  return y0 + theta*(dy + other*(slope + theta*(curve + other*bubbles)));
}

void tni_rk_interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  rk *r = of(it);
  const tni_data *s = it->s;
  double *out[3] = {q, v, z};
  int count[3] = {s->nq, s->nv, TNI_NZ}, at = 0;
  bool inside = t < it->now.t && it->t_old < it->now.t;
  double h = it->now.t - it->t_old;
  if (inside && !r->has_dense) make_dense(r, it->t_old, r->old.q, h);
  r->has_dense = r->has_dense || inside;
  double theta = inside ? (t - it->t_old)/h : 1;
  for (int part = 0; part < 3; part++) {
    for (int i = 0; out[part] && i < count[part]; i++) {
      out[part][i] = inside ? dense(r, at + i, theta, h) : it->now.q[at+i];
    }
    at += count[part];
  }
  if (q) tni_normalize(s, q);
  if (z && inside && r->inside.panels > 0) tni_quadrature_seen(&r->inside, it, r->old.z, t, z);
}

/* t, hmin, proposal, controller memory, care, stiffness, rate, pivot, its fall, a stop, steps so far; then y, derivative, multipliers */
enum { NSCALAR = 13 };

int tni_rk_nstate(const tni_integrator *it) {
  return NSCALAR + 2*tni_integrator_ny(it) + it->s->m;
}

tn_status tni_rk_save(tni_integrator *it, double *state) {
  rk *r = of(it);
  size_t bytes = (size_t)r->n*sizeof(double);
  state[0] = it->now.t;
  state[1] = it->opts.hmin;
  state[2] = r->h;
  state[3] = r->err_old;
  state[4] = it->careful;
  state[5] = r->stiff;
  state[6] = r->calm;
  state[7] = r->rate;
  state[8] = r->pivot;
  state[9] = r->fall;
  state[10] = r->waits;
  state[11] = it->way;
  state[12] = it->ways;
  memcpy(state + NSCALAR, it->now.q, bytes);
  memcpy(state + NSCALAR + r->n, r->k_end, bytes);
  memcpy(state + NSCALAR + 2*r->n, it->now.lambda, (size_t)it->s->m*sizeof(double));
  return TN_OK;
}

tn_status tni_rk_load(tni_integrator *it, const double *state) {
  rk *r = of(it);
  const tni_data *s = it->s;
  size_t bytes = (size_t)r->n*sizeof(double);
  it->now.t = it->t_old = state[0];
  it->opts.hmin = state[1];
  r->h = it->stats.h_next = state[2];
  r->err_old = state[3];
  it->careful = (int)state[4];
  r->stiff = (int)state[5];
  r->calm = (int)state[6];
  r->rate = state[7];
  r->pivot = state[8];
  r->fall = state[9];
  r->waits = state[10] != 0;
  it->way = state[11];
  it->ways = state[12];
  memcpy(it->now.q, state + NSCALAR, bytes);
  memcpy(r->k_end, state + NSCALAR + r->n, bytes);
  memcpy(it->now.a, r->k_end + s->nq, (size_t)s->nv*sizeof(double));
  it->has_accel = true;
  memcpy(it->now.lambda, state + NSCALAR + 2*r->n, (size_t)s->m*sizeof(double));
  r->has_dense = false;
  return TN_OK;
}
