/* integrators/energy_momentum.c - fixed steps that keep the energy
 *
 * Order 2, implicit, no numerical damping and no growth: the total energy changes by what is put in
 * and dissipated only (system/discrete.h). A step is solved for the increment and the multipliers by
 * Newton's method with a sparse matrix until the corrections are rounding. When that fails the
 * step is halved; the energy is kept all the same.
 *
 * Inside a step positions are cubic through both ends, velocities linear: good enough to look at and to
 * find events. At an event the step is taken again so that it ends there, and for output times inside a
 * step one that ends there is taken aside, so that the energy is kept wherever one looks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "integrators/common.h"
#include "linsolve/sparse.h"
#include "system/discrete.h"

enum { MAX_ITERATIONS = 30, MAX_HALVINGS = 10 };
/* corrections below this, in units of the size of the coordinates, are rounding */
static const double ROUNDING = 1e-15, GOOD = 1e-12;
/* At a singular position the matrix makes more of rounding: corrections below AMPLIFIED that have not
 * become smaller MAX_STALLED times, with constraints met to CLOSED, are rounding too. A step that ends there
 * is tried longer first, so that it ends behind it. */
static const double AMPLIFIED = 1e-7, CLOSED = 1e-13, BEYOND[2] = {1.3, 1.6};
enum { MAX_STALLED = 3, MAX_BEYOND = 2 };
/* a look ahead by less than this part of the step sees its beginning */
static const double SHORTEST_LOOK = 1e-9;

extern const tni_integrator_type tni_integrator_energy_momentum;

typedef struct {
  tni_integrator base;
  tni_discrete *d;
  double t0;              /* where equal steps began         */
  long count;             /* steps since                     */
  tni_state old;          /* beginning of the last step      */
  double *dx, *lambda, *r, *value, *r1;
  double *xi;             /* [nv] the step as a perturbation of old.q */
  tni_sparse_solver *lu, *aside; /* of the run, and of those who look at it */
  double *dx_keep;        /* [nv + m]                        */
  bool peeking;
  bool amplified;         /* corrections that a singular position has made of rounding */
} em;

static em *of(tni_integrator *it) { return (em *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  em *e = of(it);
  tni_sparse_solver_destroy(&e->lu);
  tni_sparse_solver_destroy(&e->aside);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status setup(em *e, tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts) {
  tni_arena *a = &e->base.arena;
  TN_TRY(tni_integrator_init(&e->base, &tni_integrator_energy_momentum, ctx, s, opts));
  TN_TRY(tni_discrete_create(s, a, &e->d));
  const tni_sparsity *p = tni_discrete_pattern(e->d);
  TN_TRY(tni_state_create_in(a, s, &e->old));
  TNI_ARENA_NEW(a, e->dx, p->nrow);
  e->lambda = e->dx + s->nv;
  TNI_ARENA_NEW(a, e->dx_keep, p->nrow);
  TNI_ARENA_NEW(a, e->xi, s->nv);
  TNI_ARENA_NEW(a, e->r, p->nrow);
  TNI_ARENA_NEW(a, e->value, p->nnz);
  /* rows of the matrix are handed over as columns: solves are transposed */
  tni_sparse_opts o = {.scales = true, .relative = true, .least = 1e-20};
  TN_TRY(tni_sparse_solver_create(ctx, p->nrow, p->rowptr, p->col, &o, &e->lu));
  return tni_sparse_solver_create(ctx, p->nrow, p->rowptr, p->col, &o, &e->aside);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        tni_integrator **out) {
  *out = NULL;
  em *e = tni_alloc(ctx, 1, sizeof(*e));
  if (!e) return tni_out_of_memory(ctx);
  tn_status st = setup(e, ctx, s, opts);
  if (st != TN_OK) {
    e->base.ctx = ctx;
    destroy(&e->base);
    return st;
  }
  *out = &e->base;
  return TN_OK;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z) {
  em *e = of(it);
  const tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  it->now.t = it->t_old = e->t0 = t;
  e->count = 0;
  it->has_accel = false;
  memset(e->dx, 0, (size_t)(s->nv + s->m)*sizeof(double));
  return TN_OK;
}

static bool factor(em *e) {
  e->base.s->work.nfactor++;
  /* pivots belong to the run, whoever looks at it */
  if (e->peeking) return tni_sparse_solver_refactor(e->lu, e->value);
  return tni_sparse_solver_factor(e->lu, e->value) == TN_OK;
}

/* Newton's method for one step; false: did not converge. patient: what a singular position leaves will do. */
static bool solve(em *e, double h, bool patient, tni_cause *cause) {
  tni_data *s = e->base.s;
  int n = s->nv + s->m, stalled = 0;
  double last = HUGE_VAL;
  *cause = (tni_cause){TNI_CAUSE_ERROR, -1, 0};
  e->amplified = false;
  for (int it = 0; it < MAX_ITERATIONS; it++) {
    tni_discrete_eval(e->d, h, e->dx, e->lambda, e->r, e->value);
    s->work.naccel++;
    s->work.nnewton++;
    double open = 0;
    for (int i = s->nv; i < n; i++) open = fmax(open, fabs(e->r[i]));
    if (!factor(e)) return false;
    tni_sparse_solver_solve(e->lu, 1, true, e->r);
    double size = 0, change = 0;
    for (int i = 0; i < s->nv; i++) {
      if (!isfinite(e->r[i])) {
        *cause = (tni_cause){TNI_CAUSE_NONFINITE, i, 0};
        return false;
      }
      if (fabs(e->r[i]) > change) {
        change = fabs(e->r[i]);
        cause->index = i;
      }
    }
    for (int i = 0; i < s->nq; i++) size = fmax(size, fabs(e->base.now.q[i]));
    for (int i = 0; i < n; i++) e->dx[i] -= e->r[i];
    cause->value = change/(ROUNDING*size);
    stalled = change > 0.3*last ? stalled + 1 : 0;
    e->amplified = change <= AMPLIFIED*size && stalled >= MAX_STALLED && open <= CLOSED*size;
    bool still = change <= ROUNDING*size || (change <= GOOD*size && stalled) ||
                 (patient && e->amplified);
    if (e->amplified && !still) return false;
    if (still) {
      tni_discrete_eval(e->d, h, e->dx, e->lambda, e->r, NULL);
      return true;
    }
    /* perhaps the pivots are those of another place */
    if (stalled == 1 && !e->peeking) tni_sparse_solver_forget(e->lu);
    last = change;
  }
  return false;
}

/* a step that did not converge, with another length and from a plain guess */
static bool again(em *e, double h, bool patient, tni_cause *cause) {
  tni_integrator *it = &e->base;
  it->stats.rejected++;
  it->stats.nonconverged++;
  memset(e->dx, 0, (size_t)(it->s->nv + it->s->m)*sizeof(double));
  for (int i = 0; i < it->s->nv; i++) e->dx[i] = h*it->now.v[i];
  return solve(e, h, patient, cause);
}

static tn_status step(tni_integrator *it) {
  em *e = of(it);
  tni_data *s = it->s;
  TN_REQUIRE(it->ctx, it->opts.max_steps == 0 || it->stats.steps < it->opts.max_steps,
             TN_NO_PROGRESS, "energy_momentum: more than %ld steps needed, t = %g s reached",
             it->opts.max_steps, it->now.t);
  double wanted = e->t0 + (double)(e->count + 1)*it->opts.h;
  if (wanted > it->opts.t_end - 1e-9*it->opts.h) wanted = it->opts.t_end;
  double h = wanted - it->now.t;
  tni_cause cause;
  /* what the last step did is a good first guess of this one */
  if (it->stats.h_last > 0) {
    for (int i = 0; i < s->nv; i++) e->dx[i] *= h/it->stats.h_last;
  } else {
    for (int i = 0; i < s->nv; i++) e->dx[i] = h*it->now.v[i];
  }
  tni_state_copy(&e->old, s, &it->now);
  tni_discrete_begin(e->d, it->now.t, it->now.q, it->now.v);
  bool done = solve(e, h, false, &cause);
  for (int k = 0; !done && k <= MAX_BEYOND; k++) {
    double longer = k < MAX_BEYOND ? BEYOND[k]*(wanted - it->now.t) : wanted - it->now.t;
    if (!e->amplified || it->now.t + longer > it->opts.t_end) continue;
    h = longer;
    done = again(e, h, k == MAX_BEYOND, &cause);
  }
  for (int k = 0; !done; k++) {
    h *= 0.5;
    if (k == MAX_HALVINGS || h < tni_integrator_hmin(it, it->now.t)) {
      if (cause.index < 0) {
        TN_FAIL(it->ctx, TN_SINGULAR, "the matrix of the step is singular");
        cause.kind = TNI_CAUSE_ACCEL;
      }
      return tni_no_progress(it, it->now.t, h, &cause);
    }
    done = again(e, h, true, &cause);
  }
  it->t_old = it->now.t;
  e->count += it->now.t + h >= wanted - 1e-12*h;
  it->now.t = fabs(it->now.t + h - wanted) <= 1e-12*h ? wanted : it->now.t + h;
  tni_discrete_end(e->d, h, e->lambda, it->now.q, it->now.v, it->now.z);
  tni_difference(s, e->old.q, it->now.q, e->xi);
  it->has_accel = false;
  tni_integrator_count_step(it, h, 2);
  return TN_OK;
}

/* again from the beginning of the last step, which discrete.c still knows */
static tn_status repeat(tni_integrator *it, double t) {
  em *e = of(it);
  tni_data *s = it->s;
  double h = t - it->t_old, before = it->now.t - it->t_old;
  tni_cause cause;
  for (int i = 0; i < s->nv && before > 0; i++) e->dx[i] *= h/before;
  tni_state_set(&it->now, s, it->t_old, e->old.q, e->old.v, e->old.z);
  tni_discrete_begin(e->d, it->now.t, it->now.q, it->now.v);
  if (!solve(e, h, true, &cause))
    return TN_FAIL(it->ctx, TN_NOT_CONVERGED, "energy_momentum: the step from t = %g s to the event at "
                   "t = %g s does not converge; take a smaller step", it->now.t, t);
  it->now.t = t;
  tni_discrete_end(e->d, h, e->lambda, it->now.q, it->now.v, it->now.z);
  tni_difference(s, e->old.q, it->now.q, e->xi);
  it->stats.h_last = h;
  return TN_OK;
}

static bool peek(tni_integrator *it, double t, double *q, double *v, double *z) {
  em *e = of(it);
  tni_data *s = it->s;
  size_t bytes = (size_t)(s->nv + s->m)*sizeof(double);
  double h = t - it->t_old, whole = it->now.t - it->t_old;
  tni_work work = s->work;
  tni_cause cause;
  if (!(h > SHORTEST_LOOK*whole)) {
    memcpy(q, e->old.q, (size_t)s->nq*sizeof(double));
    memcpy(v, e->old.v, (size_t)s->nv*sizeof(double));
    memcpy(z, e->old.z, TNI_NZ*sizeof(double));
    return true;
  }
  memcpy(e->dx_keep, e->dx, bytes);
  e->peeking = true;
  for (int i = 0; i < s->nv; i++) e->dx[i] *= h/whole;
  tni_discrete_begin(e->d, it->t_old, e->old.q, e->old.v);
  bool ok = solve(e, h, true, &cause);
  if (!ok) {
    /* with pivots of its own, from a plain guess; those of the run stay */
    tni_sparse_solver *keep = e->lu;
    e->lu = e->aside;
    e->peeking = false;
    memset(e->dx, 0, bytes);
    for (int i = 0; i < s->nv; i++) e->dx[i] = h*e->old.v[i];
    ok = solve(e, h, true, &cause);
    tni_sparse_solver_forget(e->aside);
    e->lu = keep;
  }
  memcpy(z, e->old.z, TNI_NZ*sizeof(double));
  if (ok) tni_discrete_end(e->d, h, e->lambda, q, v, z);
  e->peeking = false;
  memcpy(e->dx, e->dx_keep, bytes);
  s->work = work;
  return ok;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  em *e = of(it);
  const tni_data *s = it->s;
  double h = it->now.t - it->t_old, x = h > 0 ? (t - it->t_old)/h : 1;
  if (x > 1 - 1e-12 || h == 0) {
    if (q) memcpy(q, it->now.q, (size_t)s->nq*sizeof(double));
    if (v) memcpy(v, it->now.v, (size_t)s->nv*sizeof(double));
    if (z) memcpy(z, it->now.z, TNI_NZ*sizeof(double));
    return;
  }
  if (q) {
    /* cubic with the right slopes; e->r is free between steps */
    double a = x*(1 - x)*(1 - x), b = x*x*(3 - 2*x), c = -x*x*(1 - x);
    for (int i = 0; i < s->nv; i++) e->r[i] = a*h*e->old.v[i] + b*e->xi[i] + c*h*it->now.v[i];
    tni_retract(s, e->old.q, e->r, q);
  }
  for (int i = 0; i < s->nv && v; i++) v[i] = (1 - x)*e->old.v[i] + x*it->now.v[i];
  for (int i = 0; i < TNI_NZ && z; i++) z[i] = (1 - x)*e->old.z[i] + x*it->now.z[i];
}

/* t, t0, count, last step, guess, state */
enum { NSCALAR = 4 };

static int nstate(const tni_integrator *it) {
  return NSCALAR + it->s->nv + it->s->m + tni_integrator_ny(it);
}

/* pivots are history too: forgotten here and when loading */
static tn_status save(tni_integrator *it, double *state) {
  em *e = of(it);
  int n = it->s->nv + it->s->m;
  tni_sparse_solver_forget(e->lu);
  state[0] = it->now.t;
  state[1] = e->t0;
  state[2] = (double)e->count;
  state[3] = it->stats.h_last;
  memcpy(state + NSCALAR, e->dx, (size_t)n*sizeof(double));
  memcpy(state + NSCALAR + n, it->now.q, (size_t)tni_integrator_ny(it)*sizeof(double));
  return TN_OK;
}

static tn_status load(tni_integrator *it, const double *state) {
  em *e = of(it);
  int n = it->s->nv + it->s->m;
  tni_sparse_solver_forget(e->lu);
  it->now.t = it->t_old = state[0];
  e->t0 = state[1];
  e->count = (long)state[2];
  it->stats.h_last = state[3];
  memcpy(e->dx, state + NSCALAR, (size_t)n*sizeof(double));
  memcpy(it->now.q, state + NSCALAR + n, (size_t)tni_integrator_ny(it)*sizeof(double));
  it->has_accel = false;
  return TN_OK;
}

static void describe(const tni_integrator *it, char *out, size_t n) {
  const em *e = (const em *)(const void *)it;
  char solver[96];
  tni_sparse_solver_describe(e->lu, solver, sizeof(solver));
  snprintf(out, n, "energy_momentum; matrices by %s", solver);
}

const tni_integrator_type tni_integrator_energy_momentum = {
    .name = "energy_momentum",
    .summary = "implicit, order 2, fixed steps; the energy is kept to rounding for any step",
    .order = 2,
    .cayley = true,
    .fixed_step = true,
    .needs_tangent = true,
    .needs_model = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .repeat = repeat,
    .peek = peek,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .describe = describe,
};
