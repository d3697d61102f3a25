/* integrators/adams.c - variable-order Adams formulas through SUNDIALS CVODE, with projection
 *
 * CVODE in Nordsieck form, orders 1 to 12, functional iteration. Its vector is y = (q, v, z) in our
 * memory; its error weights are chosen such that its norm is that of common.h:
 *   translations, relative coordinates   1/(atol + rtol |q_i|)
 *   Euler parameters                     2/(atol + rtol), an angle is twice their change
 *   velocities                           1/(atol_v + rtol_v |v_j|)
 *   quadratures                          almost 0: they must not steer the step
 * times a factor because CVODE divides by the length of y and not by 2 nv, and another because it
 * is asked for less than the tolerance.
 *
 * Projection: CVODE offers its own for BDF only. After each step the state is projected here and
 * written back as the leading entry of the Nordsieck array, which is what CVODE does inside. When
 * the projection fails, CVODE starts again at the old state with half the step.
 *
 * Singular positions: see runge_kutta.c. CVODE repeats a failed attempt by itself; a call of the
 * right-hand side for an earlier time than the last one tells. If the attempt came near a singular
 * position, then from there on, for some steps, the right-hand side is taken at the projected state,
 * and the norm of the vectors of CVODE counts the part along the constraints only. Elsewhere it is
 * stability that rejects, every other attempt in a stiff model, and care would cost more than the steps.
 *
 * The iteration is judged here (converged, below): a stiff spring at rest turns a step's first error of position, 1e-14,
 * into an acceleration, and CVODE's own test takes that for divergence, in two attempts of three.
 *
 * The history of CVODE cannot be saved. save() therefore starts CVODE afresh at the present state,
 * as load() does, so that a run and its restart go on alike.
 *
 * Source: Hindmarsh et al., SUNDIALS, ACM Trans. Math. Softw. 31 (2005); Shampine and Gordon,
 * Computer Solution of Ordinary Differential Equations (1975) for the role this method plays.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "integrators/common.h"
#include "integrators/control.h"

/* a weight that is nothing beside the others but whose inverse is still finite */
#define WEIGHT_NONE 1e-100
/* failures of one step: the smallest step ends the attempts, not the count */
#define MAX_FAILS 1000
#define FAIL_FACTOR 0.5
/* Smallest pivot of the constraints, about the square of the distance from a singular position, in units of the usual
 * one: below, a failed attempt may be its doing. */
#define NEAR_PIVOT 0.3
/* CVODE lets the errors of many steps add up to some hundred tolerances; with a tenth of it the
 * result of a run is about as good as that of the other methods */
#define TOLERANCE_SHARE 0.1
#define USUAL_STEPS 500 /* of a run; each may err less where there are more */
/* part of the tolerance that the iteration may leave; the customary 0.1 is seen by the error
 * estimate as noise and costs order (pendulum, tol 1e-9: error 50 times larger) */
#define ITERATION_SHARE 0.01
/* Twice two evaluations: of a spring, one takes a change of position to the velocities, the next takes those to the
 * positions, and only both together contract. CVODE gives up after 3, and sees one that grows as divergence. */
#define MAX_ITERATIONS 4
#define DIVERGES 2    /* change of state, against that two evaluations earlier  */
#define RATE_KEPT 0.3 /* of the rate of contraction of the last iteration: CVODE's */

typedef struct adams {
  tni_integrator base;
  tni_scale scale;
  int n;
  SUNContext sunctx;
  void *cvode;
  SUNNonlinearSolver solver;
  N_Vector y, work; /* wrap y_data, work_data */
  double *y_data, *work_data;
  tni_state old;     /* at t_old                                 */
  double *off;       /* where the step began, less the polynomial of the step there */
  double *slope;     /* y' at the beginning of the next step, and    */
  double *bend;      /* what y' there is more than that of the polynomial, in the last step */
  bool begins;       /* the next evaluation is the first since the last (re)start */
  double *y_on;      /* [n] projected state                      */
  double *dx, *dv, *size; /* [nv]                                */
  double t_rhs;      /* of the last call of the right-hand side  */
  double pivot;      /* smallest of the constraints in this step */
  double rate;       /* of contraction of the iteration          */
  double last[2];    /* changes by the last two evaluations      */
  double counts;     /* how much more an error counts in this run than in one of the usual length */
  bool fresh;        /* no step since the last (re)start: nothing to interpolate */
  tn_status status;  /* failure < 0 inside a callback            */
  tni_cause cause;   /* of the last rejected attempt             */
  long err_fails, solve_fails; /* of CVODE since its last restart, already counted */
  char message[256]; /* last message of CVODE                    */
} adams;

static adams *of(tni_integrator *it) { return (adams *)(void *)it; }

/* Near a singular position, as far as one can tell: of redundant rows the pivots are those of a choice. */
static bool is_near(const adams *ad) {
  const tni_data *s = ad->base.s;
  return (s->rank && s->rank->nnull > 0) || ad->pivot < NEAR_PIVOT*s->usual;
}

static tn_status derivative(adams *ad, double t, const double *y, double *ydot) {
  tni_integrator *it = &ad->base;
  if (t < ad->t_rhs && is_near(ad) && tni_integrator_can_care(it)) it->careful = TNI_CAREFUL_STEPS;
  ad->t_rhs = t;
  if (it->careful > 0) {
    bool moved;
    memcpy(ad->y_on, y, (size_t)ad->n*sizeof(double));
    y = ad->y_on;
    TN_TRY(tni_integrator_project(it, t, ad->y_on, ad->y_on + it->s->nq, &moved, &ad->cause));
  }
  tn_status st = tni_integrator_rhs(it, t, y, ydot, NULL, &ad->cause);
  ad->pivot = fmin(ad->pivot, it->s->pivot);
  TN_TRY(st);
  if (ad->begins) memcpy(ad->slope, ydot, (size_t)ad->n*sizeof(double));
  ad->begins = false;
  return TN_OK;
}

static int rhs(realtype t, N_Vector y, N_Vector ydot, void *user) {
  adams *ad = user;
  if (ad->status < 0) return -1; /* CVODE retries even after an unrecoverable failure */
  tn_status st = derivative(ad, t, NV_DATA_S(y), NV_DATA_S(ydot));
  if (st < 0) ad->status = st;
  return st < 0 ? -1 : st > 0 ? 1 : 0;
}

/* weights of CVODE's norm against that of common.h, whose mean is over 2 nv components */
static double weight_factor(const adams *ad) {
  return ad->counts*sqrt((double)ad->n/(2.0*ad->scale.nv))/TOLERANCE_SHARE;
}

static int weights(N_Vector y, N_Vector w, void *user) {
  adams *ad = user;
  const tni_scale *sc = &ad->scale;
  const double *q = NV_DATA_S(y), *v = q + sc->nq;
  double *out = NV_DATA_S(w);
  double rtol = ad->base.opts.rtol, atol = ad->base.opts.atol;
  double h = 0;
  if (!ad->fresh) CVodeGetCurrentStep(ad->cvode, &h); /* that of an earlier start is no part of the state */
  ad->counts = tni_adding_up(&ad->base, h, -1, USUAL_STEPS);
  double f = weight_factor(ad);
  for (int i = 0; i < sc->nq; i++) {
    int j = sc->dof[i];
    bool alone = j >= 0 && sc->nrow[j] == 1;
    *out++ = alone ? f/(atol + rtol*fabs(q[i])) : 2*f/(atol + rtol);
  }
  double rtol_v = ad->base.opts.rtol_v, atol_v = ad->base.opts.atol_v;
  for (int j = 0; j < sc->nv; j++) *out++ = f/(atol_v + rtol_v*fabs(v[j]));
  for (int k = 0; k < TNI_NZ; k++) *out++ = WEIGHT_NONE;
  return 0;
}

/* ---- vectors of CVODE: serial ones that know their owner, for a norm of our own ---- */

/* begins like N_VectorContent_Serial, so that all operations of serial vectors apply */
typedef struct {
  struct _N_VectorContent_Serial serial;
  adams *owner;
} content;

/* A small change of the state in CVODE's units; with care only what is along the constraints. */
static realtype change_norm(N_Vector x, N_Vector w) {
  adams *ad = ((content *)x->content)->owner;
  tni_integrator *it = &ad->base;
  const tni_data *s = it->s;
  if (it->careful == 0) return N_VWrmsNorm_Serial(x, w);
  const double *e = NV_DATA_S(x);
  double *q = ad->y_on;
  for (int i = 0; i < s->nq; i++) q[i] = it->now.q[i] + e[i];
  tni_normalize(s, q);
  tni_difference(s, it->now.q, q, ad->dx);
  memcpy(ad->dv, e + s->nq, (size_t)s->nv*sizeof(double));
  tni_tangential(it->s, false, ad->dx);
  tni_tangential(it->s, true, ad->dv);
  tni_scale_size(&ad->scale, it->now.q, ad->size);
  tni_norm n = tni_norm_at(it, ad->size, it->now.v);
  return ad->counts*tni_norm_error(&n, s->nv, ad->dx, ad->dv, NULL)/TOLERANCE_SHARE;
}

static N_Vector clone(N_Vector x) {
  const content *from = x->content;
  N_Vector y = N_VNewEmpty(x->sunctx);
  content *c = calloc(1, sizeof(*c));
  if (!y || !c || N_VCopyOps(x, y) != 0) goto fail;
  *c = *from;
  c->serial.own_data = 1;
  c->serial.data = malloc((size_t)from->serial.length*sizeof(realtype));
  if (!c->serial.data) goto fail;
  y->content = c;
  return y;
fail:
  free(c);
  if (y) N_VFreeEmpty(y);
  return NULL;
}

/* vector on our memory */
static N_Vector wrap(adams *ad, double *data) {
  N_Vector y = N_VMake_Serial(ad->n, data, ad->sunctx);
  content *c = calloc(1, sizeof(*c));
  if (!y || !c) {
    free(c);
    if (y) N_VDestroy(y);
    return NULL;
  }
  c->serial = *(struct _N_VectorContent_Serial *)y->content;
  c->owner = ad;
  free(y->content);
  y->content = c;
  y->ops->nvclone = clone;
  y->ops->nvwrmsnorm = change_norm;
  return y;
}

static void on_error(int code, const char *module, const char *function, char *msg, void *user) {
  adams *ad = user;
  (void)module;
  size_t n = 0;
  while (n + 1 < sizeof(ad->message) && msg[n] && msg[n] != '\n') n++;
  memcpy(ad->message, msg, n);
  ad->message[n] = 0;
  (void)code;
  (void)function;
}

static void destroy(tni_integrator *it) {
  if (!it) return;
  adams *ad = of(it);
  if (ad->cvode) CVodeFree(&ad->cvode);
  if (ad->solver) SUNNonlinSolFree(ad->solver);
  if (ad->y) N_VDestroy(ad->y);
  if (ad->work) N_VDestroy(ad->work);
  if (ad->sunctx) SUNContext_Free(&ad->sunctx);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(adams *ad) {
  tni_integrator *it = &ad->base;
  ad->n = tni_integrator_ny(it);
  TNI_ARENA_NEW(&it->arena, ad->y_data, ad->n);
  TNI_ARENA_NEW(&it->arena, ad->work_data, ad->n);
  TN_TRY(tni_state_create_in(&it->arena, it->s, &ad->old));
  TNI_ARENA_NEW(&it->arena, ad->off, ad->n);
  TNI_ARENA_NEW(&it->arena, ad->slope, ad->n);
  TNI_ARENA_NEW(&it->arena, ad->bend, ad->n);
  TNI_ARENA_NEW(&it->arena, ad->y_on, ad->n);
  TNI_ARENA_NEW(&it->arena, ad->dx, it->s->nv);
  TNI_ARENA_NEW(&it->arena, ad->dv, it->s->nv);
  TNI_ARENA_NEW(&it->arena, ad->size, it->s->nv);
  return tni_scale_create(&it->arena, it->s, &ad->scale);
}

/* CVODE's test of its iteration, but for what is taken as divergence */
static int converged(SUNNonlinearSolver solver, N_Vector y, N_Vector change, realtype tolerance, N_Vector w, void *user) {
  adams *ad = user;
  int m;
  double size = N_VWrmsNorm(change, w);
  (void)y;
  SUNNonlinSolGetCurIter(solver, &m);
  ad->rate = m == 0 ? 1 : fmax(RATE_KEPT*ad->rate, size/ad->last[0]);
  if (size*fmin(1, ad->rate) <= tolerance) return SUN_NLS_SUCCESS;
  if (m > 1 && size > DIVERGES*ad->last[1]) return SUN_NLS_CONV_RECVR;
  ad->last[1] = ad->last[0];
  ad->last[0] = size;
  return SUN_NLS_CONTINUE;
}

/* everything CVODE needs, once; it allocates nothing later */
static tn_status make_cvode(adams *ad) {
  tn_ctx *ctx = ad->base.ctx;
  if (SUNContext_Create(NULL, &ad->sunctx)) return tni_out_of_memory(ctx);
  ad->y = wrap(ad, ad->y_data);
  ad->work = wrap(ad, ad->work_data);
  ad->cvode = CVodeCreate(CV_ADAMS, ad->sunctx);
  if (!ad->y || !ad->work || !ad->cvode) return tni_out_of_memory(ctx);
  ad->solver = SUNNonlinSol_FixedPoint(ad->y, 0, ad->sunctx);
  if (!ad->solver) return tni_out_of_memory(ctx);
  int bad = CVodeSetErrHandlerFn(ad->cvode, on_error, ad);
  if (!bad) bad = CVodeInit(ad->cvode, rhs, 0, ad->y);
  if (!bad) bad = CVodeWFtolerances(ad->cvode, weights);
  if (!bad) bad = CVodeSetUserData(ad->cvode, ad);
  if (!bad) bad = CVodeSetNonlinearSolver(ad->cvode, ad->solver);
  if (!bad) bad = CVodeSetMaxConvFails(ad->cvode, MAX_FAILS);
  if (!bad) bad = CVodeSetMaxErrTestFails(ad->cvode, MAX_FAILS);
  if (!bad) bad = CVodeSetNonlinConvCoef(ad->cvode, ITERATION_SHARE);
  if (!bad) bad = SUNNonlinSolSetConvTestFn(ad->solver, converged, ad);
  if (!bad) bad = CVodeSetMaxNonlinIters(ad->cvode, MAX_ITERATIONS);
  if (!bad) bad = CVodeSetMaxHnilWarns(ad->cvode, -1);
  if (bad == CV_MEM_FAIL) return tni_out_of_memory(ctx);
  TN_REQUIRE(ctx, !bad, TN_ERR_INTERNAL, "adams: CVODE refuses its options (%d): %s", bad,
             ad->message);
  return TN_OK;
}

extern const tni_integrator_type tni_integrator_adams;

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  adams *ad = tni_alloc(ctx, 1, sizeof(*ad));
  if (!ad) return tni_out_of_memory(ctx);
  tn_status st = tni_integrator_init(&ad->base, &tni_integrator_adams, ctx, s, opts);
  if (st == TN_OK) st = allocate(ad);
  if (st == TN_OK) st = make_cvode(ad);
  if (st != TN_OK) {
    destroy(&ad->base);
    return st;
  }
  *out = &ad->base;
  return TN_OK;
}

/* CVODE begins at the present state, with first step h or one of its own choice (0) */
static tn_status restart(adams *ad, double h) {
  tni_integrator *it = &ad->base;
  memcpy(ad->y_data, it->now.q, (size_t)ad->n*sizeof(double));
  int bad = CVodeReInit(ad->cvode, it->now.t, ad->y);
  double hmax = it->opts.hmax < DBL_MAX ? it->opts.hmax : 0; /* 0: without limit */
  if (!bad) bad = CVodeSetMinStep(ad->cvode, 0);
  if (!bad) bad = CVodeSetMaxStep(ad->cvode, hmax);
  if (!bad) bad = CVodeSetMinStep(ad->cvode, tni_integrator_hmin(it, it->now.t));
  if (!bad) bad = CVodeSetInitStep(ad->cvode, h);
  if (!bad && it->now.t < it->opts.t_end) bad = CVodeSetStopTime(ad->cvode, it->opts.t_end);
  TN_REQUIRE(it->ctx, !bad, TN_ERR_INTERNAL, "adams: CVODE does not start at t = %.9g s: %s", it->now.t,
             ad->message);
  ad->err_fails = ad->solve_fails = 0;
  ad->t_rhs = it->now.t;
  ad->fresh = ad->begins = true;
  ad->counts = 1;
  ad->status = TN_OK;
  it->t_old = it->now.t;
  return TN_OK;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  adams *ad = of(it);
  const tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = t;
  it->has_accel = false;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  return restart(ad, it->opts.h);
}

/* rejected attempts of the last call */
static void count_rejections(adams *ad) {
  tni_integrator_stats *st = &ad->base.stats;
  long err_fails, solve_fails;
  CVodeGetNumErrTestFails(ad->cvode, &err_fails);
  CVodeGetNumStepSolveFails(ad->cvode, &solve_fails);
  st->rejected += err_fails + solve_fails - ad->err_fails - ad->solve_fails;
  st->nonconverged += solve_fails - ad->solve_fails;
  ad->err_fails = err_fails;
  ad->solve_fails = solve_fails;
}

/* velocity component with the largest part of the last error estimate */
static void blame_error(adams *ad) {
  tni_integrator *it = &ad->base;
  const tni_data *s = it->s;
  if (CVodeGetEstLocalErrors(ad->cvode, ad->work) != CV_SUCCESS) return;
  double *e = ad->work_data;
  tni_scale_size(&ad->scale, it->now.q, ad->size);
  for (int i = 0; i < s->nq; i++) e[i] += it->now.q[i];
  tni_normalize(s, e);
  tni_difference(s, it->now.q, e, ad->dx);
  tni_norm w = tni_norm_at(it, ad->size, it->now.v);
  ad->cause.kind = TNI_CAUSE_ERROR;
  ad->cause.value = tni_norm_error(&w, s->nv, ad->dx, e + s->nq, &ad->cause.index);
}

/* CVODE gave up; the state at t is untouched */
static tn_status give_up(adams *ad, int flag) {
  tni_integrator *it = &ad->base;
  double h;
  if (ad->status < 0) return ad->status;
  if (flag == CV_MEM_FAIL) return tni_out_of_memory(it->ctx);
  if (CVodeGetCurrentStep(ad->cvode, &h) != CV_SUCCESS) h = 0;
  it->t_old = it->now.t;
  switch (flag) {
    case CV_ERR_FAILURE: blame_error(ad); break;
    case CV_CONV_FAILURE: /* the iteration does not contract at the smallest step */
      if (ad->cause.kind == TNI_CAUSE_ERROR) blame_error(ad);
      break;
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: break;
    default:
      return TN_FAIL(it->ctx, TN_ERR_INTERNAL, "adams: CVODE fails at t = %.9g s (%d): %s", it->now.t,
                     flag, ad->message);
  }
  return tni_no_progress(it, it->now.t, h, &ad->cause);
}

/* the projected state becomes that of CVODE: leading entry of the Nordsieck array */
static tn_status write_back(adams *ad) {
  tni_integrator *it = &ad->base;
  double t, gamma, rl1;
  N_Vector leading, yn, fn, zn1;
  void *user;
  int bad = CVodeGetNonlinearSystemData(ad->cvode, &t, &leading, &yn, &fn, &gamma, &rl1, &zn1,
                                        &user);
  TN_REQUIRE(it->ctx, !bad, TN_ERR_INTERNAL, "adams: CVODE hides its state (%d)", bad);
  memcpy(NV_DATA_S(leading), ad->y_data, (size_t)ad->n*sizeof(double));
  return TN_OK;
}

/* The polynomial of a step begins where its formula puts the past, not where the last step ended. After a
 * start it is a line with the slope that the end has: bodies would seem to set off the wrong way, and an event
 * that has just passed would come again at once. */
static void describe_inside(adams *ad) {
  const tni_integrator *it = &ad->base;
  double h = it->now.t - it->t_old;
  bool dense = CVodeGetDky(ad->cvode, it->t_old, 0, ad->work) == CV_SUCCESS;
  for (int i = 0; i < ad->n; i++) ad->off[i] = dense ? ad->old.q[i] - ad->work_data[i] : 0;
  dense = dense && CVodeGetDky(ad->cvode, it->t_old, 1, ad->work) == CV_SUCCESS;
  for (int i = 0; i < ad->n; i++)
    ad->bend[i] = dense ? ad->slope[i] - ad->work_data[i] + ad->off[i]/h : 0;
  if (CVodeGetDky(ad->cvode, it->now.t, 1, ad->work) == CV_SUCCESS)
    memcpy(ad->slope, ad->work_data, (size_t)ad->n*sizeof(double));
}

static tn_status step(tni_integrator *it) {
  adams *ad = of(it);
  const tni_data *s = it->s;
  size_t bytes = (size_t)ad->n*sizeof(double);
  double t_new, t_begin = it->now.t, wanted = it->stats.h_next;
  TN_TRY(tni_control_may_step(it));
  tni_state_copy(&ad->old, it->s, &it->now);
  ad->pivot = 1;
  for (;;) {
    ad->cause = (tni_cause){TNI_CAUSE_ERROR, -1, 0};
    CVodeSetMaxStep(ad->cvode, it->opts.hmax < DBL_MAX ? it->opts.hmax : 0); /* may have changed */
    CVodeSetStopTime(ad->cvode, it->opts.t_end); /* may have changed */
    int flag = CVode(ad->cvode, it->opts.t_end, ad->y, &t_new, CV_ONE_STEP);
    count_rejections(ad);
    if (flag < 0) return give_up(ad, flag);

    bool moved;
    tn_status st = tni_integrator_project(it, t_new, ad->y_data, ad->y_data + s->nq, &moved,
                                          &ad->cause);
    if (st < 0) return st;
    if (st == TN_OK) break;
    it->stats.rejected++;
    it->stats.nonconverged++;
    if (tni_integrator_can_care(it)) it->careful = TNI_CAREFUL_STEPS;
    double h = FAIL_FACTOR*(t_new - t_begin);
    if (h < tni_integrator_hmin(it, it->now.t)) return tni_no_progress(it, it->now.t, h, &ad->cause);
    TN_TRY(restart(ad, h));
  }
  TN_TRY(write_back(ad));
  memcpy(it->now.q, ad->y_data, bytes);
  it->t_old = t_begin;
  it->now.t = t_new;
  it->has_accel = false;
  ad->fresh = false;
  describe_inside(ad);
  if (it->careful > 0) it->careful--;

  int order;
  CVodeGetLastOrder(ad->cvode, &order);
  CVodeGetCurrentStep(ad->cvode, &it->stats.h_next);
  if (t_new >= it->opts.t_end) it->stats.h_next = fmax(it->stats.h_next, wanted);
  tni_integrator_count_step(it, t_new - t_begin, order);
  return TN_OK;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  adams *ad = of(it);
  const tni_data *s = it->s;
  const double *y = it->now.q;
  bool inside = !ad->fresh && t < it->now.t && it->t_old < it->now.t;
  if (inside && t <= it->t_old) {
    y = ad->old.q;
  } else if (inside && CVodeGetDky(ad->cvode, t, 0, ad->work) == CV_SUCCESS) {
    double left = (it->now.t - t)/(it->now.t - it->t_old), bent = (t - it->t_old)*left*left;
    for (int i = 0; i < ad->n; i++) ad->work_data[i] += left*ad->off[i] + bent*ad->bend[i];
    y = ad->work_data;
  }
  if (q) memcpy(q, y, (size_t)s->nq*sizeof(double));
  if (v) memcpy(v, y + s->nq, (size_t)s->nv*sizeof(double));
  if (z) memcpy(z, y + s->nq + s->nv, TNI_NZ*sizeof(double));
  if (q) tni_normalize(s, q);
}

/* t, hmin, care; then y */
enum { NSCALAR = 3 };

static int nstate(const tni_integrator *it) { return NSCALAR + tni_integrator_ny(it); }

static tn_status save(tni_integrator *it, double *state) {
  adams *ad = of(it);
  state[0] = it->now.t;
  state[1] = it->opts.hmin;
  state[2] = it->careful;
  memcpy(state + NSCALAR, it->now.q, (size_t)ad->n*sizeof(double));
  return restart(ad, 0);
}

static tn_status load(tni_integrator *it, const double *state) {
  adams *ad = of(it);
  it->now.t = state[0];
  it->opts.hmin = state[1];
  it->careful = (int)state[2];
  memcpy(it->now.q, state + NSCALAR, (size_t)ad->n*sizeof(double));
  it->has_accel = false;
  return restart(ad, 0);
}

const tni_integrator_type tni_integrator_adams = {
    .name = "adams",
    .summary = "Adams formulas of variable order 1 to 12 (SUNDIALS CVODE)",
    .share = 0.003,
    .loose = 0.4,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
};
