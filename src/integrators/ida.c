/* integrators/ida.c - backward differentiation formulas through SUNDIALS IDA, for comparison
 *
 * IDA, orders 1 to 5, on the stabilised index-2 form (Gear, Gupta, Leimkuhler) of the whole system
 *
 *   q' = N(q) (v - C^T mu)            M v' + C^T lambda = f
 *   C v + Phi_t = 0                   Phi = 0
 *
 * y = (q, v, lambda, mu). Redundant rows are left out: their multipliers are 0. The exact Jacobian is
 * made and solved by ida_matrix.c; it is IDA's own business when. C in the term of mu, which vanishes
 * with the error, is the one of the last Jacobian.
 *
 * Multipliers take no part in the error test nor in the stopping rule. Weights of positions and
 * velocities are those of adams.c. The state after a step is projected for whoever looks at it; IDA
 * goes on with its own.
 *
 * IDA knows nothing of rank, and may stop short of a singular position. radau then takes some steps
 * from the last good state, and IDA begins anew beyond; the summary of a run tells how many. Or it goes on with steps that are
 * nothing beside those before, thousands of them, whose rounding adds up to more than a tight tolerance: the same is done then.
 *
 * The history of IDA cannot be saved. save() therefore starts IDA afresh at the present state, as
 * load() does, so that a run and its restart go on alike.
 *
 * Source: Hindmarsh et al., SUNDIALS, ACM Trans. Math. Softw. 31 (2005); C. W. Gear, B. Leimkuhler,
 * G. K. Gupta, J. Comput. Appl. Math. 12/13 (1985).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <stdio.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "integrators/common.h"
#include "integrators/control.h"
#include "integrators/descriptor.h"
#include "integrators/ida_matrix.h"
#include "integrators/quadrature.h"

#define WEIGHT_NONE 1e-100
/* failures of one step: each divides it by four or so, then radau takes over. More of them lead next to singular positions, where
 * most is lost; a first step may be far too long */
enum { MAX_FAILS = 3, MAX_FAILS_FIRST = 12 };
enum { BRIDGE = 10 };  /* steps of radau at least                                          */
/* part of the tolerance that Newton's iteration may leave; IDA's 0.33 is seen in the results */
#define ITERATION_SHARE 0.01
/* and where it no longer gets smaller for rounding */
#define ROUNDING_SHARE 0.33
/* IDA is not asked for less than so many times what rounding of positions makes of a velocity */
#define ROUNDING_TIMES 4
#define SLOWEST_RATE 0.9 /* of Newton's iteration, else it does not converge              */
/* r/(1-r) that IDA supposes of the rate r: with a new matrix, with the old one for another step or order */
#define RATE_NEW_MATRIX 20
#define RATE_OLD_MATRIX 100
enum { ITERATIONS = 4 }; /* at most, as in IDA                                            */
/* of the tolerance that IDA is asked for, as in adams.c: errors of many steps add up */
#define TOLERANCE_SHARE 0.1
/* and have one sign: the more steps there are, the less each of them may err */
#define USUAL_STEPS 1000
#define FAIL_FACTOR 0.5
/* steps on end that are that small a part of the longest; from its first step IDA needs about twenty to grow as much */
enum { CRAWLING = 40 };
#define CRAWL 1e-2

typedef struct ida {
  tni_integrator base;
  tni_scale scale;
  int n;             /* length of y                                     */
  tni_ida_matrix *matrix;
  double *y_data, *yp_data, *w_data;
  double *q;
  double *off0, *off1; /* [nq + nv] projected minus IDA's own state at both ends of the step */
  tni_state next;    /* end of IDA's step                                */
  double zdot_new[TNI_NZ];
  SUNContext sunctx;
  void *mem;
  N_Vector y, yp, work;
  SUNNonlinearSolver newton_solver;
  double first_correction, rate_factor; /* of Newton's iteration: its norm; r/(1-r) for the rate r */
  double last_cj;         /* factor of M that it had                       */
  bool new_matrix, made_now; /* since then; for the iteration that is going on */
  bool fresh;
  tni_integrator *bridge; /* takes steps that IDA cannot                  */
  int bridging;           /* how many are still to come; -1: none, and IDA is at work */
  long nbridge;           /* taken so far                                 */
  double longest;         /* step since start, save or load               */
  int crawling;           /* steps on end that were much shorter          */
  long nexchange;         /* of the system when IDA began                 */
  double zdot[TNI_NZ], z_old[TNI_NZ];
  tni_quadrature work_done;
  tni_quadrature_inside inside;
  long err_fails, conv_fails, newton, jacobians, setups; /* of IDA, already counted */
  char message[256];
} ida;

static ida *of(tni_integrator *it) { return (ida *)(void *)it; }

/* ---- residual ------------------------------------------------------------------------------ */

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *user) {
  ida *d = user;
  tni_data *s = d->base.s;
  const double *q = NV_DATA_S(y), *v = q + s->nq, *lambda = v + s->nv, *mu = lambda + s->m;
  const double *qd = NV_DATA_S(yp), *vd = qd + s->nq;
  double *F1 = NV_DATA_S(out), *F2 = F1 + s->nq, *F3 = F2 + s->nv, *F4 = F3 + s->m;
  memcpy(d->q, q, (size_t)s->nq*sizeof(double));
  tni_normalize(s, d->q);
  s->work.naccel++;
  tni_eval_balance(s, t, d->q, v, vd, lambda, F2, F4, F3, NULL);
  tni_qdot(s, q, tni_ida_matrix_velocity(d->matrix, v, mu), F1);
  for (int i = 0; i < s->nq; i++) F1[i] = qd[i] - F1[i];
  for (int r = 0; r < s->m; r++) {
    if (!tni_ida_uses(s, r)) F3[r] = lambda[r];
    if (!tni_ida_holds_position(s, r)) F4[r] = mu[r];
  }
  for (int i = 0; i < s->nv; i++)
    if (!isfinite(F2[i])) return 1;
  return 0;
}

/* ---- Jacobian ------------------------------------------------------------------------------ */

static tn_status tangents(ida *d, double t, const double *q, const double *v, const double *a,
                          const double *lambda) {
  tni_data *s = d->base.s;
  memcpy(d->q, q, (size_t)s->nq*sizeof(double));
  tni_normalize(s, d->q);
  return tni_ida_matrix_at(d->matrix, &(tni_at){t, d->q, v, a, lambda});
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector rr, SUNMatrix J,
                    void *user, N_Vector w1, N_Vector w2, N_Vector w3) {
  ida *d = user;
  const tni_data *s = d->base.s;
  const double *q = NV_DATA_S(y), *v = q + s->nq, *lambda = v + s->nv, *mu = lambda + s->m;
  (void)rr, (void)J, (void)w1, (void)w2, (void)w3;
  if (tangents(d, t, q, v, NV_DATA_S(yp) + s->nq, lambda) != TN_OK) return -1;
  if (tni_ida_matrix_fill(d->matrix, cj, mu) != TN_OK) return -1;
  d->new_matrix = true;
  return 0;
}

/* IDA's own test, but for rounding. When a tight tolerance meets a stiff force, the corrections stop getting
 * smaller before they are a hundredth of the tolerance. To IDA this is divergence, whatever the step. With a
 * matrix of the present state it is convergence. */
static int has_converged(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, realtype tol,
                         N_Vector weight, void *user) {
  ida *d = user;
  int iteration = 0;
  (void)y;
  double norm = N_VWrmsNorm(correction, weight);
  SUNNonlinSolGetCurIter(newton, &iteration);
  if (iteration == 0) {
    double cj;
    IDAGetCurrentCj(d->mem, &cj);
    if (d->new_matrix) d->rate_factor = RATE_NEW_MATRIX;
    else if (cj != d->last_cj) d->rate_factor = RATE_OLD_MATRIX;
    d->made_now = d->new_matrix;
    d->new_matrix = false;
    d->last_cj = cj;
    d->first_correction = norm;
    if (norm == 0) return SUN_NLS_SUCCESS;
  } else {
    double rate = pow(norm/d->first_correction, 1.0/iteration);
    if (rate > SLOWEST_RATE)
      return d->made_now && norm <= ROUNDING_SHARE ? SUN_NLS_SUCCESS : SUN_NLS_CONV_RECVR;
    d->rate_factor = rate/(1 - rate);
  }
  if (d->rate_factor*norm <= tol) return SUN_NLS_SUCCESS;
  bool last = d->made_now && iteration + 1 == ITERATIONS;
  return last && d->rate_factor*norm <= ROUNDING_SHARE ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

/* ---- create -------------------------------------------------------------------------------- */

static int weights(N_Vector y, N_Vector w, void *user) {
  ida *d = user;
  const tni_scale *sc = &d->scale;
  const double *q = NV_DATA_S(y), *v = q + sc->nq;
  const double *rounding = tni_ida_matrix_rounding(d->matrix);
  double *out = NV_DATA_S(w), rtol = d->base.opts.rtol, atol = d->base.opts.atol;
  double h = 0;
  if (!d->fresh) IDAGetCurrentStep(d->mem, &h); /* that of an earlier start is no part of the state */
  double f = tni_adding_up(&d->base, h, -1, USUAL_STEPS)*sqrt((double)d->n/(2.0*sc->nv))/TOLERANCE_SHARE;
  for (int i = 0; i < sc->nq; i++) {
    int j = sc->dof[i];
    bool alone = j >= 0 && sc->nrow[j] == 1;
    *out++ = alone ? f/(atol + rtol*fabs(q[i])) : 2*f/(atol + rtol);
  }
  double rtol_v = d->base.opts.rtol_v, atol_v = d->base.opts.atol_v;
  for (int j = 0; j < sc->nv; j++)
    *out++ = fmin(f/(atol_v + rtol_v*fabs(v[j])), 1/(ROUNDING_TIMES*rounding[j]));
  for (int r = 0; r < 2*d->base.s->m; r++) *out++ = WEIGHT_NONE;
  return 0;
}

static void on_error(int code, const char *module, const char *function, char *msg, void *user) {
  ida *d = user;
  (void)code, (void)module, (void)function;
  size_t n = 0;
  while (n + 1 < sizeof(d->message) && msg[n] && msg[n] != '\n') n++;
  memcpy(d->message, msg, n);
  d->message[n] = 0;
}

static void destroy(tni_integrator *it) {
  if (!it) return;
  ida *d = of(it);
  tni_integrator_destroy(&d->bridge);
  if (d->mem) IDAFree(&d->mem);
  if (d->newton_solver) SUNNonlinSolFree(d->newton_solver);
  tni_ida_matrix_destroy(d->matrix);
  if (d->y) N_VDestroy(d->y);
  if (d->yp) N_VDestroy(d->yp);
  if (d->work) N_VDestroy(d->work);
  if (d->sunctx) SUNContext_Free(&d->sunctx);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(ida *d) {
  tni_arena *arena = &d->base.arena;
  tni_data *s = d->base.s;
  d->n = s->nq + s->nv + 2*s->m;
  double **whole[] = {&d->y_data, &d->yp_data, &d->w_data};
  TN_TRY(tni_state_create_in(arena, s, &d->next));
  TN_TRY(tni_quadrature_create(arena, s, &d->inside));
  TNI_ARENA_NEW(arena, d->off0, s->nq + s->nv);
  TNI_ARENA_NEW(arena, d->off1, s->nq + s->nv);
  for (int i = 0; i < TNI_COUNT(whole); i++) TNI_ARENA_NEW(arena, *whole[i], d->n);
  TNI_ARENA_NEW(arena, d->q, s->nq);
  TN_TRY(tni_scale_create(arena, s, &d->scale));
  return tni_ida_matrix_create(arena, s, &d->scale, s->recursive, &d->matrix);
}

static tn_status make_ida(ida *d) {
  tn_ctx *ctx = d->base.ctx;
  const tni_data *s = d->base.s;
  if (SUNContext_Create(NULL, &d->sunctx)) return tni_out_of_memory(ctx);
  d->y = N_VMake_Serial(d->n, d->y_data, d->sunctx);
  d->yp = N_VMake_Serial(d->n, d->yp_data, d->sunctx);
  d->work = N_VMake_Serial(d->n, d->w_data, d->sunctx);
  d->mem = IDACreate(d->sunctx);
  if (!d->y || !d->yp || !d->work || !d->mem) return tni_out_of_memory(ctx);
  SUNMatrix J;
  SUNLinearSolver solver;
  TN_TRY(tni_ida_matrix_offer(d->matrix, d->sunctx, &J, &solver));
  d->newton_solver = SUNNonlinSol_Newton(d->y, d->sunctx);
  if (!d->newton_solver) return tni_out_of_memory(ctx);
  for (int i = 0; i < d->n; i++) d->w_data[i] = i < s->nq + s->nv;
  int bad = IDASetErrHandlerFn(d->mem, on_error, d);
  if (!bad) bad = IDAInit(d->mem, residual, 0, d->y, d->yp);
  if (!bad) bad = IDAWFtolerances(d->mem, weights);
  if (!bad) bad = IDASetUserData(d->mem, d);
  if (!bad) bad = IDASetLinearSolver(d->mem, solver, J);
  if (!bad) bad = IDASetJacFn(d->mem, jacobian);
  if (!bad) bad = IDASetNonlinearSolver(d->mem, d->newton_solver);
  if (!bad) bad = SUNNonlinSolSetConvTestFn(d->newton_solver, has_converged, d);
  if (!bad) bad = IDASetMaxNonlinIters(d->mem, ITERATIONS);
  if (!bad) bad = IDASetId(d->mem, d->work);
  if (!bad) bad = IDASetSuppressAlg(d->mem, 1);
  if (!bad) bad = IDASetNonlinConvCoef(d->mem, ITERATION_SHARE);
  if (bad == IDA_MEM_FAIL) return tni_out_of_memory(ctx);
  TN_REQUIRE(ctx, !bad, TN_ERR_INTERNAL, "ida: IDA refuses its options (%d): %s", bad, d->message);
  return TN_OK;
}

extern const tni_integrator_type tni_integrator_ida, tni_integrator_radau;

/* radau with the error that it would have as the method of the run */
static tn_status make_bridge(ida *d, const tni_integrator_opts *opts) {
  tni_integrator_opts o = *opts;
  double ratio = tni_integrator_share(&tni_integrator_radau, d->base.s, opts->tolerance)/
                 tni_integrator_share(&tni_integrator_ida, d->base.s, opts->tolerance);
  o.rtol *= ratio;
  o.atol *= ratio;
  o.rtol_v *= ratio;
  o.atol_v *= ratio;
  o.h = 0;
  return tni_integrator_radau.create(d->base.ctx, d->base.s, &o, &d->bridge);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  TN_REQUIRE(ctx, tni_has_tangents(s), TN_ERR_UNSUPPORTED,
             "implicit methods need exact tangents, which this system does not have");
  TN_REQUIRE(ctx, s->nv > 0, TN_ERR_UNSUPPORTED,
             "ida cannot treat a model without velocities; nothing moves here: use another method");
  ida *d = tni_alloc(ctx, 1, sizeof(*d));
  if (!d) return tni_out_of_memory(ctx);
  tn_status st = tni_integrator_init(&d->base, &tni_integrator_ida, ctx, s, opts);
  if (st == TN_OK) st = allocate(d);
  if (st == TN_OK) st = make_ida(d);
  if (st == TN_OK) st = make_bridge(d, opts);
  if (st != TN_OK) {
    destroy(&d->base);
    return st;
  }
  *out = &d->base;
  return TN_OK;
}

/* ---- start and steps ----------------------------------------------------------------------- */

/* IDA begins at the present state, with first step h or one of its own choice (0) */
static tn_status restart(ida *d, double h) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  memset(d->y_data, 0, (size_t)d->n*sizeof(double));
  memset(d->yp_data, 0, (size_t)d->n*sizeof(double));
  memcpy(d->y_data, it->now.q, (size_t)s->nq*sizeof(double));
  memcpy(d->y_data + s->nq, it->now.v, (size_t)s->nv*sizeof(double));
  for (int r = 0; r < s->m; r++) d->y_data[s->nq + s->nv + r] = tni_ida_uses(s, r) ? it->now.lambda[r] : 0;
  tni_qdot(s, it->now.q, it->now.v, d->yp_data);
  memcpy(d->yp_data + s->nq, it->now.a, (size_t)s->nv*sizeof(double));
  TN_TRY(tangents(d, it->now.t, it->now.q, it->now.v, it->now.a, it->now.lambda));
  int bad = IDAReInit(d->mem, it->now.t, d->y, d->yp);
  double hmax = it->opts.hmax < DBL_MAX ? it->opts.hmax : 0; /* 0: without limit */
  if (!bad) bad = IDASetMinStep(d->mem, 0);
  if (!bad) bad = IDASetMaxStep(d->mem, hmax);
  if (!bad) bad = IDASetMinStep(d->mem, tni_integrator_hmin(it, it->now.t));
  if (!bad) bad = IDASetInitStep(d->mem, h);
  if (!bad && it->now.t < it->opts.t_end) bad = IDASetStopTime(d->mem, it->opts.t_end);
  TN_REQUIRE(it->ctx, !bad, TN_ERR_INTERNAL, "ida: IDA does not start at t = %.9g s: %s", it->now.t,
             d->message);
  d->err_fails = d->conv_fails = d->newton = d->jacobians = d->setups = 0;
  memset(d->off1, 0, (size_t)(s->nq + s->nv)*sizeof(double));
  d->fresh = true;
  it->t_old = it->now.t;
  return TN_OK;
}

/* the same from a state whose accelerations are not known yet; forgets history */
static tn_status begin(ida *d, double h) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  tni_cause cause = {TNI_CAUSE_ACCEL, -1, 0};
  tn_status st = tni_accel(s, it->now.t, it->now.q, it->now.v, it->now.a, it->now.lambda, d->zdot);
  if (st < 0) return st;
  if (st > 0) return tni_no_progress(it, it->now.t, 0, &cause);
  it->has_accel = true;
  d->work_done.n = 0;
  d->bridging = -1;
  d->nexchange = d->base.s->work.nexchange;
  return restart(d, h);
}

static void forget_pace(ida *d) {
  d->longest = 0;
  d->crawling = 0;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  const tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = t;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  forget_pace(of(it));
  return begin(of(it), it->opts.h);
}

static void count(ida *d) {
  tni_integrator_stats *st = &d->base.stats;
  long err, conv, newton, jac, setups;
  IDAGetNumErrTestFails(d->mem, &err);
  IDAGetNumStepSolveFails(d->mem, &conv);
  IDAGetNumNonlinSolvIters(d->mem, &newton);
  IDAGetNumJacEvals(d->mem, &jac);
  IDAGetNumLinSolvSetups(d->mem, &setups);
  st->rejected += err + conv - d->err_fails - d->conv_fails;
  st->nonconverged += conv - d->conv_fails;
  st->newton += newton - d->newton;
  st->jacobians += jac - d->jacobians;
  st->factorizations += setups - d->setups;
  d->err_fails = err, d->conv_fails = conv, d->newton = newton, d->jacobians = jac;
  d->setups = setups;
}

/* the end of IDA's step on the constraints, with its accelerations */
static tn_status finish(ida *d, double t_new, tni_cause *cause) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  bool moved;
  memcpy(d->next.q, d->y_data, (size_t)s->nq*sizeof(double));
  memcpy(d->next.v, d->y_data + s->nq, (size_t)s->nv*sizeof(double));
  TN_TRY(tni_integrator_project(it, t_new, d->next.q, d->next.v, &moved, cause));
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  TN_TRY(tni_accel(s, t_new, d->next.q, d->next.v, d->next.a, d->next.lambda, d->zdot_new));
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(d->next.a[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  return TN_OK;
}

static void watch_pace(ida *d) {
  double h = d->base.now.t - d->base.t_old;
  d->longest = fmax(d->longest, h);
  d->crawling = h < CRAWL*d->longest ? d->crawling + 1 : 0;
}

static void accept(ida *d, double t_new) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  int order = 0;
  memcpy(d->z_old, it->now.z, sizeof(d->z_old));
  tni_quadrature_push(&d->work_done, it->now.t, d->zdot);
  memcpy(d->zdot, d->zdot_new, sizeof(d->zdot));
  it->t_old = it->now.t;
  d->next.t = t_new;
  tni_state_copy(&it->now, s, &d->next);
  double *off = d->off0;
  d->off0 = d->off1;
  d->off1 = off;
  for (int i = 0; i < s->nq + s->nv; i++) off[i] = it->now.q[i] - d->y_data[i]; /* q, v are one array */
  it->has_accel = true;
  d->fresh = false;
  IDAGetLastOrder(d->mem, &order);
  tni_integrator_count_step(it, it->now.t - it->t_old, order);
  watch_pace(d);
  IDAGetCurrentStep(d->mem, &it->stats.h_next);
  tni_quadrature_book(&d->work_done, &d->inside, it, d->zdot, d->z_old);
}

/* IDA gave up at the present state: the next steps are those of radau */
static tn_status cross(ida *d) {
  tni_integrator *it = &d->base, *b = d->bridge;
  d->bridging = BRIDGE;
  b->careful = TNI_CAREFUL_STEPS;
  b->opts.hmax = it->opts.hmax;
  b->opts.t_end = it->opts.t_end;
  return b->type->start(b, it->now.t, it->now.q, it->now.v, it->now.z);
}

static tn_status bridge_step(ida *d) {
  tni_integrator *it = &d->base, *b = d->bridge;
  tni_data *s = it->s;
  tni_integrator_stats before = b->stats;
  b->opts.hmax = it->opts.hmax; /* may have changed */
  b->opts.t_end = it->opts.t_end;
  b->wall = it->wall;
  tn_status st = b->type->step(b);
  it->stats.rejected += b->stats.rejected - before.rejected;
  it->stats.nonconverged += b->stats.nonconverged - before.nonconverged;
  it->stats.newton += b->stats.newton - before.newton;
  it->stats.jacobians += b->stats.jacobians - before.jacobians;
  it->stats.factorizations += b->stats.factorizations - before.factorizations;
  if (st != TN_OK) {
    it->t_old = it->now.t;
    return st;
  }
  tni_state_copy(&it->now, s, &b->now);
  it->has_accel = true;
  it->t_old = b->t_old;
  d->nbridge++;
  watch_pace(d);
  d->crawling = 0;
  if (d->bridging > 0) d->bridging--;
  tni_integrator_count_step(it, it->now.t - it->t_old, b->stats.order);
  it->stats.h_next = b->stats.h_next;
  return TN_OK;
}

static tn_status step(tni_integrator *it) {
  ida *d = of(it);
  TN_TRY(tni_control_may_step(it));
  /* multipliers of rows that have been exchanged do not go on as they were */
  bool other_rows = d->bridging < 0 && d->nexchange != it->s->work.nexchange;
  if (other_rows || (d->bridging == 0 && d->bridge->careful == 0)) TN_TRY(begin(d, 0));
  if (d->bridging < 0 && d->crawling >= CRAWLING) TN_TRY(cross(d));
  if (d->bridging >= 0) return bridge_step(d);
  for (;;) {
    double t_new, h;
    tni_cause cause;
    IDASetMaxStep(d->mem, it->opts.hmax < DBL_MAX ? it->opts.hmax : 0); /* may have changed */
    IDASetStopTime(d->mem, it->opts.t_end); /* likewise */
    IDASetMaxConvFails(d->mem, d->fresh ? MAX_FAILS_FIRST : MAX_FAILS);
    IDASetMaxErrTestFails(d->mem, d->fresh ? MAX_FAILS_FIRST : MAX_FAILS);
    int flag = IDASolve(d->mem, it->opts.t_end, &t_new, d->y, d->yp, IDA_ONE_STEP);
    count(d);
    if (flag == IDA_MEM_FAIL) return tni_out_of_memory(it->ctx);
    if (flag < 0) {
      TN_TRY(cross(d));
      return bridge_step(d);
    }
    tn_status st = finish(d, t_new, &cause);
    if (st < 0) return st;
    if (st == TN_OK) {
      accept(d, t_new);
      return TN_OK;
    }
    /* back to the state before, with a smaller step */
    h = FAIL_FACTOR*(t_new - it->now.t);
    it->stats.rejected++;
    it->stats.nonconverged++;
    if (h < tni_integrator_hmin(it, it->now.t)) {
      it->t_old = it->now.t;
      return tni_no_progress(it, it->now.t, h, &cause);
    }
    TN_TRY(restart(d, h));
  }
}

static void describe(const tni_integrator *it, char *out, size_t n) {
  const ida *d = (const ida *)(const void *)it;
  char solver[200], bridge[80] = "";
  tni_ida_matrix_describe(d->matrix, solver, sizeof(solver));
  if (d->nbridge > 0) snprintf(bridge, sizeof(bridge), " (%ld of %ld steps by radau: IDA failed)", d->nbridge, it->stats.steps);
  snprintf(out, n, "ida%s; matrices by %s", bridge, solver);
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  ida *d = of(it);
  const tni_data *s = it->s;
  if (d->bridging >= 0) {
    d->bridge->type->interpolate(d->bridge, t, q, v, z);
    return;
  }
  bool inside = !d->fresh && t < it->now.t && it->t_old < it->now.t;
  if (inside) inside = IDAGetDky(d->mem, t, 0, d->work) == IDA_SUCCESS;
  double *y = d->w_data, theta = inside ? (t - it->t_old)/(it->now.t - it->t_old) : 0;
  for (int i = 0; i < s->nq + s->nv && inside; i++)
    y[i] += (1 - theta)*d->off0[i] + theta*d->off1[i];
  if (q) memcpy(q, inside ? y : it->now.q, (size_t)s->nq*sizeof(double));
  if (v) memcpy(v, inside ? y + s->nq : it->now.v, (size_t)s->nv*sizeof(double));
  if (q) tni_normalize(s, q);
  if (z && inside)
    tni_quadrature_between(&d->work_done, &d->inside, it, d->zdot, d->z_old, t, z);
  else if (z)
    memcpy(z, it->now.z, TNI_NZ*sizeof(double));
}

/* ---- restart ------------------------------------------------------------------------------- */

/* what is not saved, the bridge's too */
static void forget_run(ida *d) {
  d->work_done = (tni_quadrature){0};
  forget_pace(d);
  tni_descriptor_forget(d->bridge);
}

enum { NSCALAR = 3 };

static int nstate(const tni_integrator *it) { return NSCALAR + tni_integrator_ny(it); }

static tn_status save(tni_integrator *it, double *state) {
  double h = it->stats.h_next > 0 ? it->stats.h_next : it->opts.h;
  state[0] = it->now.t;
  state[1] = it->opts.hmin;
  state[2] = h;
  memcpy(state + NSCALAR, it->now.q, (size_t)tni_integrator_ny(it)*sizeof(double));
  forget_run(of(it));
  return begin(of(it), h);
}

static tn_status load(tni_integrator *it, const double *state) {
  it->now.t = it->t_old = state[0];
  it->opts.hmin = state[1];
  memcpy(it->now.q, state + NSCALAR, (size_t)tni_integrator_ny(it)*sizeof(double));
  forget_run(of(it));
  return begin(of(it), it->stats.h_next = state[2]);
}

const tni_integrator_type tni_integrator_ida = {
    .name = "ida",
    .summary = "variable-order BDF of SUNDIALS IDA on the stabilised index-2 form, to compare",
    .order = 0,
    .share = 0.0032,
    .share_joint = 0.0011,
    .loose = 0.4,
    .needs_tangent = true,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
};
