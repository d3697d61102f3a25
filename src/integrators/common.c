/* integrators/common.c - options, sizes of coordinates, projection and messages of all methods
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/common.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { NAME_MAX_LENGTH = 128 };

/* Ask N(q) which velocities move which coordinates: in probe b all v_j with bit b of j set move,
 * then all others. A coordinate that answers only one of the two in every probe moves with one
 * component, and its answers spell the index. log2(nv) probes instead of nv. */
tn_status tni_scale_create(tni_arena *arena, const tni_data *s, tni_scale *out) {
  double *q, *v, *qd0, *qd1;
  out->nq = s->nq;
  out->nv = s->nv;
  TNI_ARENA_NEW(arena, out->dof, s->nq);
  TNI_ARENA_NEW(arena, out->nrow, s->nv);
  TNI_ARENA_NEW(arena, q, s->nq);
  TNI_ARENA_NEW(arena, v, s->nv);
  TNI_ARENA_NEW(arena, qd0, s->nq);
  TNI_ARENA_NEW(arena, qd1, s->nq);

  /* no coordinate may be zero or repeat, or an entry of N could vanish by chance */
  for (int i = 0; i < s->nq; i++) q[i] = 0.3 + fmod(0.6180339887498949*(i + 1), 1.0);
  tni_normalize(s, q);

  for (int bit = 0; bit == 0 || (s->nv - 1) >> bit > 0; bit++) {
    for (int j = 0; j < s->nv; j++) v[j] = (j >> bit & 1) == 0;
    tni_qdot(s, q, v, qd0);
    for (int j = 0; j < s->nv; j++) v[j] = 1 - v[j];
    tni_qdot(s, q, v, qd1);
    for (int i = 0; i < s->nq; i++) {
      if (qd0[i] != 0 && qd1[i] != 0) out->dof[i] = TNI_SCALE_MANY;
      if (qd0[i] == 0 && qd1[i] == 0) out->dof[i] = TNI_SCALE_NONE;
      if (out->dof[i] >= 0 && qd1[i] != 0) out->dof[i] |= 1 << bit;
    }
  }
  for (int i = 0; i < s->nq; i++) {
    if (out->dof[i] >= 0) out->nrow[out->dof[i]]++;
  }
  return TN_OK;
}

void tni_scale_size(const tni_scale *sc, const double *q, double *size) {
  for (int j = 0; j < sc->nv; j++) size[j] = sc->nrow[j] ? 0 : 1;
  for (int i = 0; i < sc->nq; i++) {
    int j = sc->dof[i];
    if (j >= 0) size[j] = sc->nrow[j] == 1 ? fabs(q[i]) : size[j] + q[i]*q[i];
  }
  for (int j = 0; j < sc->nv; j++) {
    if (sc->nrow[j] > 1) size[j] = sqrt(size[j]);
  }
}

double tni_norm_error(const tni_norm *w, int nv, const double *dx, const double *dv, int *worst) {
  double sum = 0, largest = -1;
  if (worst) *worst = -1;
  for (int j = 0; j < nv; j++) {
    double x = w->size0[j], v = fabs(w->v0[j]);
    if (w->size1) {
      x = fmax(x, w->size1[j]);
      v = fmax(v, fabs(w->v1[j]));
    }
    double ex = dx[j]/(w->atol + w->rtol*x), ev = dv[j]/(w->atol_v + w->rtol_v*v);
    double part = ex*ex + ev*ev;
    sum += part;
    if (part > largest) {
      largest = part;
      if (worst) *worst = j;
    }
  }
  return nv ? sqrt(sum/(2.0*nv)) : 0;
}

static double largest_of(const double *x, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

/* |x - y| by its tolerance, largest component of three */
static double part_of(const double *x, const double *y, double atol, double rtol) {
  double worst = 0;
  for (int i = 0; i < 3; i++) {
    double e = fabs(x[i] - y[i])/(atol + rtol*fabs(x[i]));
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

/* sine of the angle between two orientations, a small one */
static double turn_between(const double *A, const double *B) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += (A[i] - B[i])*(A[i] - B[i]);
  return sqrt(0.5*sum);
}

/* The change is seen by a difference of states; it is made as large as this for that, so that rounding
 * does not count even at the tightest tolerance. */
#define SEEN 1e-6

double tni_error_of_bodies(tni_integrator *it, double t, const double *q, const double *v,
                           const double *dx, const double *dv) {
  tni_data *s = it->s;
  const tni_integrator_opts *o = &it->opts;
  if (!it->seen) return -1;
  double large = fmax(largest_of(dx, s->nv), largest_of(dv, s->nv)/(1 + largest_of(v, s->nv)));
  if (!(large > 0) || !isfinite(large)) return -1;
  double f = SEEN/large, worst = 0;
  size_t n = (size_t)s->nbody + 1;
  for (int j = 0; j < s->nv; j++) {
    it->motion[j] = f*dx[j];
    it->v_seen[j] = v[j] + f*dv[j];
  }
  tni_retract(s, q, it->motion, it->q_seen);
  tni_at now = {.t = t, .q = q, .v = v}, changed = {.t = t, .q = it->q_seen, .v = it->v_seen};
  const tni_kin *kin = tni_look_bodies(s, &now);
  tni_look_aside(s, &changed, it->seen);
  for (size_t i = 1; i < n; i++) {
    const tni_kin *a = &kin[i], *b = &it->seen[i];
    double e[4] = {part_of(a->r, b->r, o->atol, o->rtol), turn_between(a->A, b->A)/(o->atol + o->rtol),
                   part_of(a->v, b->v, o->atol_v, o->rtol_v), part_of(a->W, b->W, o->atol_v, o->rtol_v)};
    for (int k = 0; k < 4; k++)
      if (!(e[k] <= worst)) worst = e[k];
  }
  return worst/f;
}

double tni_error_seen(tni_integrator *it, double t, const double *q, const double *v, const double *dx,
                      const double *dv, double weight, double norm) {
  if (!it->seen || !(weight > 0)) return norm;
  double seen = weight*tni_error_of_bodies(it, t, q, v, dx, dv);
  return seen > norm ? seen : norm;
}

double tni_mean_step(const tni_integrator *it, double h) {
  return it->ways > 0 ? it->way/it->ways : h;
}

double tni_adding_up(const tni_integrator *it, double h, int error_order, double usual) {
  static const double LEAST = 0.2, MOST = 8, ROUNDING = 0.03/DBL_EPSILON; /* nobody can ask for less */
  if (!(h > 0) || !(it->opts.run > 0)) return 1;
  double steps = it->opts.run/h;
  if (error_order >= 0) steps *= pow(it->opts.rtol, 1.0/(error_order + 1));
  return fmin(fmax(steps/usual, LEAST), fmin(MOST, fmax(1, ROUNDING*it->opts.rtol)));
}

/* Below this the position of a mechanism of ordinary size is rounding, and no projection could
 * reach it. */
#define PROJECT_TOL_FLOOR 1e-12

tn_status tni_integrator_init(tni_integrator *it, const tni_integrator_type *type, tn_ctx *ctx,
                              tni_data *s, const tni_integrator_opts *opts) {
  it->type = type;
  it->ctx = ctx;
  it->s = s;
  it->opts = *opts;
  tni_arena_init(&it->arena, ctx);
  const char *name = type->name;
  TN_REQUIRE(ctx, isfinite(opts->t_end), TN_ERR_ARGUMENT, "%s: end time %g, must be finite", name,
             opts->t_end);
  TN_REQUIRE(ctx, opts->h >= 0 && isfinite(opts->h), TN_ERR_ARGUMENT,
             "%s: step %g s, must be > 0", name, opts->h);
  TN_REQUIRE(ctx, !type->fixed_step || opts->h > 0 || (type->finds_step && s->parts), TN_ERR_ARGUMENT,
             "%s: takes fixed steps, give 'step' > 0", name);
  TN_REQUIRE(ctx, type->fixed_step || (opts->rtol > 0 && opts->atol > 0), TN_ERR_ARGUMENT,
             "%s: tolerances rtol = %g, atol = %g, must be > 0", name, opts->rtol, opts->atol);
  bool limits = opts->hmin >= 0 && opts->hmax >= 0;
  if (opts->hmax > 0 && opts->hmin > opts->hmax) limits = false;
  TN_REQUIRE(ctx, limits, TN_ERR_ARGUMENT, "%s: step limits %g .. %g s, must be 0 <= min <= max",
             name, opts->hmin, opts->hmax);
  TN_REQUIRE(ctx, opts->project_tol >= 0, TN_ERR_ARGUMENT,
             "%s: projection tolerance %g, must be >= 0", name, opts->project_tol);
  if (it->opts.hmax == 0) it->opts.hmax = DBL_MAX;
  it->hmax_given = it->hmax_followed = it->opts.hmax;
  it->hmax_turning = it->hmax_passing = it->hmax_flowing = it->wall = DBL_MAX;
  if (it->opts.rtol_v == 0) it->opts.rtol_v = opts->rtol;
  if (it->opts.atol_v == 0) it->opts.atol_v = opts->atol;
  if (it->opts.project_tol == 0) {
    double tol = opts->rtol > 0 ? fmin(1e-10, 1e-3*opts->rtol) : 1e-10;
    it->opts.project_tol = fmax(tol, PROJECT_TOL_FLOOR);
  }
  if (type->needs_tangent) TN_TRY(tni_prepare_tangent(s));

  TN_TRY(tni_state_create_in(&it->arena, s, &it->now));
  TNI_ARENA_NEW(&it->arena, it->motion, s->nv);
  if (s->nbody == 0) return TN_OK;
  TNI_ARENA_NEW(&it->arena, it->q_seen, s->nq);
  TNI_ARENA_NEW(&it->arena, it->v_seen, s->nv);
  TNI_ARENA_NEW(&it->arena, it->seen, s->nbody + 1);
  return TN_OK;
}

tn_status tni_integrator_accel(tni_integrator *it) {
  tni_data *s = it->s;
  if (it->has_accel) return tni_integrator_bring(it);
  TN_TRY(tni_accel(s, it->now.t, it->now.q, it->now.v, it->now.a, it->now.lambda, NULL));
  it->has_accel = true;
  return TN_OK;
}

/* Angle of an oscillation that one step may cover: what the first term left out of its series, of order
 * p + 1, does to it is a part of the local tolerance, because impacts in a row add up. */
static double angle_per_step(int order, double rtol) {
  static const double MOST = 0.5, SHARE = 0.1;
  enum { OF_VARIABLE = 3 };
  int n = (order > 0 ? order : OF_VARIABLE) + 1;
  double factorial = 1;
  for (int i = 2; i <= n; i++) factorial *= i;
  return fmin(MOST, pow(SHARE*factorial*rtol, 1.0/n));
}

/* of what the forces remember of a step */
enum { ORDER_OF_WAY = 4 };

static void take_least(tni_integrator *it) {
  it->opts.hmax = fmin(fmin(it->hmax_followed, it->hmax_turning), fmin(it->hmax_passing, it->hmax_flowing));
}

void tni_integrator_follow(tni_integrator *it, double rate, double after) {
  if (after == TNI_LET_GO && !it->type->needs_tangent) return;
  double hmax = it->hmax_given;
  if (after > 0) hmax = fmin(hmax, 1/after);
  int order = it->type->order;
  if (rate > 0 && order > ORDER_OF_WAY && tni_system_has_way(it->s)) order = ORDER_OF_WAY;
  if (rate > 0) hmax = fmin(hmax, angle_per_step(order, it->opts.rtol)/rate);
  it->hmax_followed = hmax;
  take_least(it);
}

void tni_integrator_limit_turning(tni_integrator *it, double hmax) {
  it->hmax_turning = hmax;
  take_least(it);
}

void tni_integrator_limit_passing(tni_integrator *it, double hmax) {
  it->hmax_passing = hmax;
  take_least(it);
}

void tni_integrator_limit_flowing(tni_integrator *it, double hmax) {
  it->hmax_flowing = hmax;
  take_least(it);
}

/* two neighbouring times must stay apart by some units in the last place */
#define TIME_ULPS (16*DBL_EPSILON)

double tni_integrator_hmin(const tni_integrator *it, double t) {
  return fmax(it->opts.hmin, TIME_ULPS*fmax(fabs(t), fabs(it->opts.t_end)));
}

double tni_last_step(double h, double remaining, bool fixed) {
  /* a fixed step may only be stretched by rounding, an adaptive one by what its error forgives */
  double stretch = fixed ? 1 + 1e-9 : 1.01;
  if (stretch*h >= remaining) return remaining;
  if (!fixed && 2*h > remaining) return 0.5*remaining;
  return h;
}

void tni_integrator_count_step(tni_integrator *it, double h, int order) {
  tni_integrator_stats *st = &it->stats;
  st->steps++;
  it->way += h;
  it->ways++;
  st->h_last = h;
  st->h_min = st->steps == 1 ? h : fmin(st->h_min, h);
  st->h_max = fmax(st->h_max, h);
  st->order = order;
}

/* part of what is left of a run after which it is told how far prescribed motions have parted */
#define SOON 0.01

tn_status tni_no_progress(tni_integrator *it, double t, double h, const tni_cause *cause) {
  const tni_data *s = it->s;
  char where[NAME_MAX_LENGTH] = "?", why[TNI_MESSAGE_MAX];
  bool row = cause->kind == TNI_CAUSE_PROJECT;
  int index = cause->index;
  double value = cause->value;
  if (cause->kind == TNI_CAUSE_ACCEL && s->m > 0) {
    tni_residuals r = {.position_row = -1};
    tni_eval_residuals(it->s, it->now.t, it->now.q, it->now.v, NULL, &r);
    row = true;
    index = r.position_row;
    value = r.position;
  }
  if (index >= 0 && row) tni_row_name(s, index, where, sizeof(where));
  if (index >= 0 && !row) tni_dof_name(s, index, where, sizeof(where));

  switch (cause->kind) {
    case TNI_CAUSE_ERROR:
      if (value > 1)
        snprintf(why, sizeof(why), "largest error in '%s', %.3g times the tolerance", where, value);
      else if (it->type->needs_tangent)
        snprintf(why, sizeof(why), "Newton's iteration does not converge; its last correction, largest "
                 "in '%s', is %.3g of the tolerance and does not shrink", where, value);
      else
        snprintf(why, sizeof(why), "the error across the constraints does not fall with the step; along "
                 "them it is %.3g of the tolerance, largest in '%s'", value, where);
      break;
    case TNI_CAUSE_PROJECT:
      if (tni_system_conflict(it->s, it->now.t, SOON*(it->opts.t_end - it->now.t), it->now.q, why, sizeof(why)))
        break;
      /* closed positions: rows left out as redundant do not hold, which the projection has told */
      if (!(value > it->opts.project_tol) && strstr(tn_ctx_message(it->ctx), "contradicts"))
        snprintf(why, sizeof(why), "%.600s", tn_ctx_message(it->ctx));
      else
        snprintf(why, sizeof(why), "constraint '%s' cannot be closed, off by %.3g", where, value);
      break;
    case TNI_CAUSE_JUMP:
      snprintf(why, sizeof(why), "constraints ask '%s' to jump by %.3g", where, value);
      break;
    case TNI_CAUSE_NONFINITE:
      snprintf(why, sizeof(why), "'%s' is not finite", where);
      break;
    case TNI_CAUSE_ACCEL:
      snprintf(why, sizeof(why), "%.600s", tn_ctx_message(it->ctx));
      if (row && value > 1e-9) { /* less is no cause */
        size_t n = strlen(why);
        snprintf(why + n, sizeof(why) - n, " (largest residual %.3g in '%s')", value, where);
      }
      break;
  }
  return TN_FAIL(it->ctx, TN_NO_PROGRESS, "%s: no progress at t = %.9g s with step %.3g s: %.800s",
                 it->type->name, t, h, why);
}

/* of the motion: free flight of a step so long that it errs by this part of its way says nothing of
 * the branch; corrections below the second number [m, rad] are too small to reach another one */
#define JUMP_PART 0.3
#define JUMP_FLOOR 1e-4

bool tni_is_jump(double correction, double motion) {
  return correction > JUMP_FLOOR && correction > JUMP_PART*motion;
}

/* the projection led from the state at t to q by a last part of size `correction` */
static bool has_jumped(tni_integrator *it, const double *q, double correction, tni_cause *cause) {
  const tni_data *s = it->s;
  double largest = 0;
  int index = -1;
  if (correction <= JUMP_FLOOR) return false;
  tni_difference(s, it->now.q, q, it->motion);
  for (int j = 0; j < s->nv; j++) {
    if (fabs(it->motion[j]) <= largest) continue;
    largest = fabs(it->motion[j]);
    index = j;
  }
  *cause = (tni_cause){TNI_CAUSE_JUMP, index, correction};
  return tni_is_jump(correction, largest);
}

tn_status tni_integrator_project(tni_integrator *it, double t, double *q, double *v, bool *moved,
                                 tni_cause *cause) {
  tni_data *s = it->s;
  tni_project_opts po = {.position = true, .velocity = true, .tol = it->opts.project_tol,
                         .polish = it->careful > 0};
  tni_project_report report = {.worst_row = -1};
  *moved = false;
  tni_normalize(s, q);
  if (s->ode) return TN_OK;
  tn_status st = tni_project(s, t, q, v, &po, &report);
  if (st != TN_OK) *cause = (tni_cause){TNI_CAUSE_PROJECT, report.worst_row, report.residual};
  if (st == TN_OK && has_jumped(it, q, report.correction_q, cause)) st = TN_STEP_REJECTED;
  *moved = report.iterations > 0 || report.correction_v > 0;
  return st;
}

/* Squared distance of a singular position where a residual left is a large error along the constraints: of velocities
 * by its inverse. Residuals go down to a thousandth of what a step may err, and that is a twentieth of the tolerance. */
#define NEAR_PIVOT 2e-2

tn_status tni_integrator_project_look(tni_integrator *it, double t, double *q, double *v) {
  tni_project_opts po = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  TN_TRY(tni_project(it->s, t, q, v, &po, NULL));
  if (it->s->ode || it->s->pivot >= NEAR_PIVOT) return TN_OK;
  po.polish = true;
  return tni_project(it->s, t, q, v, &po, NULL);
}

tn_status tni_integrator_rhs(tni_integrator *it, double t, const double *y, double *ydot,
                             double *lambda, tni_cause *cause) {
  tni_data *s = it->s;
  const double *q = y, *v = y + s->nq;
  double *a = ydot + s->nq, *zd = a + s->nv;
  tni_qdot(s, q, v, ydot);
  tn_status st = tni_accel(s, t, q, v, a, lambda, zd);
  if (st != TN_OK) {
    *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
    return st;
  }
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(a[j]) && isfinite(v[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  return TN_OK;
}
