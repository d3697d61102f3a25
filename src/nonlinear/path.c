/* nonlinear/path.c - equilibria along a load parameter, through limit points and bifurcations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/path.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

enum { MAX_CORRECTIONS = 20, GOOD_CORRECTIONS = 5, MAX_LOCATE = 90, MAX_PER_STEP = 50, MAX_LOST = 4 };
static const double SHORTEST = 1e-6; /* step in parts of the first one */
/* a step turns no body by more than this [rad] and moves none by more than half of it, as a part of the
 * size of the model; the load changes by no more than twice its share */
static const double BOLDEST = 0.2;
static const double STALLED_TOL = 1e-7;
/* a point farther from the last one than this, in steps, is not on its path */
static const double STRAYED = 1.5;
/* boldness of corrections that hardly move anything, as in equilibrium.c */
static const double SETTLED = 1e-10, STAYS = 1e-6;
/* displacement that counts as much as the whole load, at least: part of the size of the model */
static const double LEAST_SCALE = 0.05;
/* |phi.g_t| above this part of |g_t|: the load turns */
static const double TURNS = 1e-4;

typedef struct {
  tni_equilibrium *e;
  const tni_path_opts *o;
  tni_path_report *r;
  double size, Lq, Lt, tol;
  double whole;             /* displacement of everything by the size of the model, measured by W */
  tni_state last; /* point                                            */
  double *n, nt;            /* tangent there: delta [n], dt           */
  double *d, *Md;           /* scratch: [n]                           */
  double *next;             /* [n] tangent at the new point           */
  double length;            /* of the path up to the last point       */
  double *value, *value_new; /* [nd] eigenvalues at the last point, at the new one */
  int negative, nd;         /* of the last point                      */
  bool switched;
  double *phi, *Wphi;       /* [n] vector of a bifurcation nearby     */
  bool phi_known, hold;     /* there is one; corrections leave the part along it alone */
} path;

static double length_of(path *p, const double *delta, double dt) {
  tni_tangent_space *ts = &p->e->ts;
  tni_tangent_measure(ts, delta, p->Md);
  return sqrt(cblas_ddot(ts->n, delta, 1, p->Md, 1)/(p->Lq*p->Lq) + dt*dt/(p->Lt*p->Lt));
}

/* the bordered system at e->ts with the row of the tangent (delta, dt) */
static tn_status bordered(path *p, const double *delta, double dt, double g_factor, double c,
                          double *out, double *out_t) {
  tni_path_border border = {.Wn = p->Md, .nt = dt, .Lq = p->Lq, .Lt = p->Lt};
  tni_tangent_measure(&p->e->ts, delta, p->Md);
  return tni_tangent_bordered(&p->e->ts, &border, g_factor, c, out, out_t);
}

/* unit tangent at e->ts, on the side of (delta, dt) */
static tn_status tangent(path *p, const double *delta, double dt, double *out, double *out_t) {
  TN_TRY(bordered(p, delta, dt, 0, 1, out, out_t));
  double length = length_of(p, out, *out_t);
  if (!(length > 0) || !isfinite(length))
    return TN_FAIL(p->e->ts.s->ctx, TN_NO_PROGRESS, "the path has no direction at t = %g", p->e->ts.t);
  cblas_dscal(p->e->ts.n, 1/length, out, 1);
  *out_t /= length;
  return TN_OK;
}

/* n.(x - x_0) */
static double progress(path *p, const double *q, double t) {
  tni_tangent_space *ts = &p->e->ts;
  tni_difference(ts->s, p->last.q, q, p->d);
  tni_tangent_measure(ts, p->d, p->Md);
  return cblas_ddot(ts->n, p->n, 1, p->Md, 1)/(p->Lq*p->Lq) + p->nt*(t - p->last.t)/(p->Lt*p->Lt);
}

static double boldest(const path *p, const double *delta) {
  const tni_layout *L = p->e->ts.s->layout;
  double most = 0;
  for (int i = 0; i < L->nnode; i++) {
    double sum[2] = {0, 0};
    tni_layout_squares(L, i, delta, sum);
    most = fmax(most, fmax(sqrt(sum[0])/(0.5*p->size), sqrt(sum[1])));
  }
  return most;
}

/* what is left of the forces; without their part along phi where that is held */
static double forces_left(const path *p) {
  const tni_tangent_space *ts = &p->e->ts;
  if (!p->hold) return ts->gnorm;
  double along = cblas_ddot(ts->n, p->phi, 1, ts->residual, 1);
  return sqrt(fmax(0, ts->gnorm*ts->gnorm - along*along));
}

/* Rounding keeps |g| from falling: the last correction hardly moved anything */
static bool is_rounding(const path *p, double left, double before, double moved) {
  const tni_tangent_space *ts = &p->e->ts;
  double rounding = fmax(STALLED_TOL*ts->fscale, 4*DBL_EPSILON*ts->kscale*p->whole);
  return left <= rounding && (moved <= SETTLED || (left > 0.5*before && (!ts->sparse || moved <= STAYS)));
}

/* one correction of (q, t); *moved: its boldness, not finite: there is none */
static tn_status correct_once(path *p, double gap, double *q, double *t, double *moved) {
  tni_equilibrium *e = p->e;
  tni_tangent_space *ts = &e->ts;
  double dt;
  p->r->iterations++;
  TN_TRY(bordered(p, p->n, p->nt, -1, gap, e->delta, &dt));
  if (p->hold) cblas_daxpy(ts->n, -cblas_ddot(ts->n, p->Wphi, 1, e->delta, 1), p->phi, 1, e->delta, 1);
  double bold = boldest(p, e->delta), factor = bold > 1 ? 1/bold : 1;
  *moved = bold;
  if (!isfinite(bold)) return TN_OK;
  cblas_dscal(ts->n, factor, e->delta, 1);
  *t += factor*dt;
  tni_tangent_predict(ts, e->delta);
  memcpy(e->q_try, q, (size_t)ts->s->nq*sizeof(double));
  return tni_equilibrium_move(e, *t, e->q_try, e->delta, q);
}

/* Equilibrium at distance ds from the last point; *found: converged, e->ts is there. */
static tn_status correct(path *p, double ds, double *q, int *corrections, bool *found) {
  tni_equilibrium *e = p->e;
  tni_tangent_space *ts = &e->ts;
  tni_data *s = ts->s;
  *found = false;
  *corrections = 0;
  tni_memory_restore(s, p->last.memory);
  for (int i = 0; i < ts->n; i++) e->delta[i] = ds*p->n[i];
  double t = p->last.t + ds*p->nt, before = HUGE_VAL, moved = 1;
  tn_status st = tni_equilibrium_move(e, t, p->last.q, e->delta, q);
  for (; st == TN_OK && isfinite(moved + t); ++*corrections) {
    st = tni_tangent_space_update(ts, t, q);
    if (st != TN_OK) break;
    double gap = ds - progress(p, q, t), left = forces_left(p);
    *found = (left <= p->tol*ts->fscale || is_rounding(p, left, before, moved)) &&
             fabs(gap) <= 1e-7*fabs(ds);
    /* another path may cross the plane too, farther away */
    if (*found && length_of(p, p->d, t - p->last.t) > STRAYED*fabs(ds)) {
      *found = false;
      break;
    }
    if (*found || *corrections == MAX_CORRECTIONS || fabs(t - p->last.t) > 10*p->Lt) break;
    before = left;
    st = correct_once(p, gap, q, &t, &moved);
  }
  tni_tangent_predict(ts, NULL);
  return st < 0 ? st : TN_OK;
}

tni_point_kind tni_path_kind(tni_equilibrium *e, int k) {
  return fabs(tni_tangent_turning(&e->ts, k)) > TURNS ? TNI_POINT_LIMIT : TNI_POINT_BIFURCATION;
}

/* Equilibrium at ds, and eigenvalue k there. Next to a bifurcation a correction may go anywhere along
 * its vector phi, for nothing holds it: then once more with the part along phi kept as predicted (the
 * system bordered by phi). */
static tn_status look_at(path *p, double ds, int k, double *q, double *value, bool *found) {
  tni_tangent_space *ts = &p->e->ts;
  int corrections;
  TN_TRY(correct(p, ds, q, &corrections, found));
  if (!*found && p->phi_known) {
    p->hold = true;
    tn_status st = correct(p, ds, q, &corrections, found);
    p->hold = false;
    TN_TRY(st);
  }
  if (!*found) return TN_OK;
  TN_TRY(tni_tangent_eigen(ts));
  *value = ts->value[k];
  p->phi_known = k < tni_tangent_nvector(ts) && tni_path_kind(p->e, k) == TNI_POINT_BIFURCATION;
  if (p->phi_known) {
    tni_tangent_vector(ts, k, p->phi);
    tni_tangent_measure(ts, p->phi, p->Wphi);
  }
  return TN_OK;
}

/* Where eigenvalue k changes its sign between ds = 0 (value v0) and ds = b (value v1), of opposite signs:
 * false position with halving, by turns with bisection, which needs no values. Where points next to it
 * cannot be found the nearest one that can is taken. */
static tn_status locate(path *p, int k, double v0, double b, double v1, double *q, bool *found) {
  tni_tangent_space *ts = &p->e->ts;
  double a = 0, scale = isfinite(v0 + v1) ? fmax(fabs(v0), fabs(v1)) : 0, v = 0, end = b;
  p->phi_known = false;
  for (int i = 0, lost = 0; i < MAX_LOCATE; i++) {
    double middle = 0.5*(a + b), x = (a*v1 - b*v0)/(v1 - v0);
    if (i % 3 == 2 || lost || !(x > a && x < b)) x = lost ? a + (b - a)*(lost % 2 ? 0.25 : 0.75) : middle;
    TN_TRY(look_at(p, x, k, q, &v, found));
    lost = *found ? 0 : lost + 1;
    if (lost > MAX_LOST) break;
    if (lost) continue;
    if (fabs(v) <= 1e-10*scale || fabs(v) <= ts->zero || b - a <= 1e-12*end) return TN_OK;
    if ((v < 0) == (v1 < 0)) b = x, v1 = v;
    else a = x, v0 = v;
  }
  if (*found) return TN_OK;
  double nearest = fabs(v0) < fabs(v1) && a > 0 ? a : b;
  return look_at(p, nearest, k, q, &v, found);
}

static tn_status hand_over(path *p, tni_point_kind kind, double length) {
  tni_path_point point = {kind, p->e->ts.t, p->e->ts.nnegative, length};
  p->r->points++;
  return p->o->point ? p->o->point(p->o->user, p->e, &point) : TN_OK;
}

static void keep(path *p, const double *q) {
  tni_data *s = p->e->ts.s;
  tni_state_keep(&p->last, s, p->e->ts.t, q, NULL);
}

/* from the bifurcation that e->ts shows, along phi = eigenvector k */
static void turn_off(path *p, int k, const double *q) {
  tni_tangent_space *ts = &p->e->ts;
  keep(p, q);
  tni_tangent_vector(ts, k, p->n);
  double length = length_of(p, p->n, 0);
  cblas_dscal(ts->n, 1/length, p->n, 1);
  p->nt = 0;
}

/* eigenvalues at e->ts as those of the last point */
static void remember(path *p) {
  const tni_tangent_space *ts = &p->e->ts;
  p->negative = ts->nnegative;
  p->nd = ts->nd;
  memcpy(p->value, ts->value, (size_t)ts->nd*sizeof(double));
}

/* Eigenvalues changed sign on the step of length ds that ended at e->ts: find where. *turned: the path
 * was left at a bifurcation; else e->ts is the end of the step again. */
static tn_status pass_critical(path *p, double ds, double *q, bool *turned) {
  tni_tangent_space *ts = &p->e->ts;
  int now = ts->nnegative, corrections;
  bool found;
  memcpy(p->value_new, ts->value, (size_t)ts->nd*sizeof(double));
  int first = now < p->negative ? now : p->negative, last = now < p->negative ? p->negative : now;
  for (int k = first; k < last; k++) {
    if (p->value[k]*p->value_new[k] > 0) continue;
    TN_TRY(locate(p, k, p->value[k], ds, p->value_new[k], q, &found));
    if (!found) continue;
    tni_point_kind kind = tni_path_kind(p->e, k);
    double here = p->length + progress(p, q, ts->t);
    TN_TRY(hand_over(p, kind, here));
    if (kind != TNI_POINT_BIFURCATION || !p->o->switch_branch || p->switched) continue;
    *turned = p->switched = true;
    turn_off(p, k, q);
    p->length = here;
    p->nd = -1; /* the new branch has nothing to compare with yet */
    return TN_OK;
  }
  TN_TRY(correct(p, ds, q, &corrections, &found));
  if (!found) return TN_FAIL(ts->s->ctx, TN_NO_PROGRESS, "the path was lost at load %g", p->last.t);
  return tni_tangent_eigen(ts);
}

/* the step went beyond the end of the load: end there exactly */
static tn_status arrive(path *p, double *q) {
  tni_equilibrium_opts o = {.search = TNI_NEAREST, .tolerance = p->tol};
  tni_equilibrium_report r;
  tn_status st = tni_equilibrium_solve(p->e, p->o->until, q, &o, &r);
  p->r->iterations += r.iterations;
  if (st != TN_OK) return st;
  p->r->ended = true;
  return hand_over(p, TNI_POINT_PLAIN, p->length + progress(p, q, p->o->until));
}

static tn_status prepare(path *p, tni_arena *arena, const double *q) {
  tni_tangent_space *ts = &p->e->ts;
  tni_data *s = ts->s;
  size_t n = (size_t)ts->n;
  TN_TRY(tni_state_create(arena, s, &p->last));
  TNI_ARENA_NEW(arena, p->n, n);
  TNI_ARENA_NEW(arena, p->d, n);
  TNI_ARENA_NEW(arena, p->Md, n);
  TNI_ARENA_NEW(arena, p->next, n);
  TNI_ARENA_NEW(arena, p->phi, n);
  TNI_ARENA_NEW(arena, p->Wphi, n);
  p->size = tni_nodes_extent(s, q);
  ts->lever = TNI_LEVER*p->size;
  TN_TRY(tni_tangent_space_update(ts, p->o->from, q));
  TN_TRY(tni_tangent_eigen(ts));
  p->Lt = fabs(p->o->until - p->o->from);
  p->Lq = 1;
  keep(p, q);
  /* with the load alone as measure the tangent shows how far the whole load would move things */
  double way = p->o->until > p->o->from ? 1 : -1, rate;
  memset(p->d, 0, n*sizeof(double));
  TN_TRY(tangent(p, p->d, way, p->n, &rate));
  memset(p->next, 0, n*sizeof(double));
  double load = length_of(p, p->next, rate), all = length_of(p, p->n, rate);
  double moved = load > 0 ? sqrt(fmax(0, all*all - load*load))/load : 0;
  p->whole = tni_widest_step(ts, p->size);
  p->Lq = fmax(moved, LEAST_SCALE*p->whole);
  memset(p->d, 0, n*sizeof(double));
  TN_TRY(tangent(p, p->d, way, p->next, &p->nt));
  memcpy(p->n, p->next, n*sizeof(double));
  return TN_OK;
}

tn_status tni_path_follow(tni_equilibrium *e, tni_arena *arena, double *q,
                          const tni_path_opts *opts, tni_path_report *report) {
  tni_tangent_space *ts = &e->ts;
  tni_data *s = ts->s;
  path p = {.e = e, .o = opts, .r = report, .tol = opts->tolerance > 0 ? opts->tolerance : 1e-10};
  memset(report, 0, sizeof(*report));
  TN_TRY(prepare(&p, arena, q));
  int max_points = opts->max_points > 0 ? opts->max_points : MAX_PER_STEP*opts->steps;
  double ds0 = 1.0/opts->steps, ds = ds0;
  TNI_ARENA_NEW(arena, p.value, ts->n);
  TNI_ARENA_NEW(arena, p.value_new, ts->n);
  remember(&p);
  TN_TRY(hand_over(&p, TNI_POINT_PLAIN, 0));
  while (report->points < max_points) {
    int corrections;
    bool found;
    if (s->ctx->interrupted) return TN_FAIL(s->ctx, TN_INTERRUPTED, "stopped at load %g", p.last.t);
    TN_TRY(correct(&p, ds, q, &corrections, &found));
    if (!found) {
      report->rejected++;
      ds *= 0.5;
      if (ds < SHORTEST*ds0)
        return TN_FAIL(s->ctx, TN_NO_PROGRESS,
                       "the path of equilibria cannot be followed beyond load %g: steps below %.1e of "
                       "the first one do not converge", p.last.t, SHORTEST);
      continue;
    }
    TN_TRY(tni_tangent_eigen(ts));
    if (ts->nd == p.nd && ts->symmetric && ts->nnegative != p.negative) {
      bool turned = false;
      TN_TRY(pass_critical(&p, ds, q, &turned));
      if (turned) {
        ds = ds0;
        continue;
      }
    }
    double way = opts->until > opts->from ? 1 : -1, nt;
    if (way*(ts->t - opts->until) >= -1e-12*p.Lt) return arrive(&p, q);
    if (way*(ts->t - opts->from) < -p.Lt) {
      report->ended = true;
      return hand_over(&p, TNI_POINT_PLAIN, p.length + ds);
    }
    TN_TRY(tangent(&p, p.n, p.nt, p.next, &nt));
    p.length += ds;
    memcpy(p.n, p.next, (size_t)ts->n*sizeof(double));
    p.nt = nt;
    tni_memory_copy(s, e->memory, p.last.memory);
    TN_TRY(tni_system_refuse_latches(s, ts->t, q, ts->v, e->memory));
    keep(&p, q);
    remember(&p);
    TN_TRY(hand_over(&p, TNI_POINT_PLAIN, p.length));
    double grow = sqrt((double)GOOD_CORRECTIONS/(corrections > 0 ? corrections : 1));
    ds *= fmin(2, fmax(0.5, grow));
    double bold = boldest(&p, p.n)*ds, load = fabs(p.nt)*ds/(2*p.Lt*ds0);
    ds /= fmax(1, fmax(bold/BOLDEST, load));
  }
  return TN_OK;
}
