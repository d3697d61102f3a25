/* nonlinear/rest_path.c - equilibria of meshes along a load parameter, through limit points and bifurcations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_path.h"

#include <math.h>
#include <stdio.h>

#include "system/parts.h"

enum { MAX_CORRECTIONS = 15, GOOD_CORRECTIONS = 5, MAX_LOCATE = 26, MAX_PER_STEP = 50, INVERSE_STEPS = 6 };
static const double SHORTEST = 1e-7; /* step in parts of the first one */
/* a point farther from the last one than this, in steps, is not on its path */
static const double STRAYED = 1.7;
/* root of the mean square displacement that counts as much as the whole load, at least: part of the size of the model */
static const double LEAST_SCALE = 0.01;
/* a step moves no node by more than this part of the size, turns none by more [rad] */
static const double BOLDEST = 0.1;
/* |r| that does not fall any more */
static const double STALLED = 1e-7;
/* |phi.r_t| above this part of |phi||r_t|: the load turns */
static const double TURNS = 1e-3;

typedef struct {
  tni_rest *w;
  tni_data *s;
  const tni_rest_path_opts *o;
  tni_path_report *r;
  tni_rest_report rep;      /* of the last point that was looked at */
  int nv;
  double size, Lq, Lt, tol;
  tni_state last;           /* point */
  double *weight;           /* [nv] */
  double *n, nt;            /* tangent there */
  double *a, *b, *d, *zero; /* [nv] */
  double *g;                /* [nevent] */
  double length;            /* of the path up to the last point */
  int negative;             /* at the last point */
  bool switched;
} path;

static double product(const path *p, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < p->nv; i++) sum += p->weight[i]*x[i]*y[i];
  return sum/(p->Lq*p->Lq);
}

/* n.(x - x_0) */
static double progress(path *p, const double *q, double t) {
  tni_difference(p->s, p->last.q, q, p->d);
  return product(p, p->n, p->d) + p->nt*(t - p->last.t)/(p->Lt*p->Lt);
}

/* largest way of a node in parts of what a step may do */
static double boldness(const path *p, const double *x) {
  double most = 0;
  for (int i = 0; i < p->nv; i++) most = fmax(most, fabs(x[i])*sqrt(p->weight[i]*p->nv)/p->size);
  return most/BOLDEST;
}

/* Equilibrium at distance ds from the last point; *found: factors are there, t is its load. */
static tn_status correct(path *p, double ds, double *q, double *t, int *corrections, bool *found) {
  tni_data *s = p->s;
  double before = HUGE_VAL;
  *found = false;
  *t = p->last.t + ds*p->nt;
  tni_memory_restore(s, p->last.memory);
  for (int i = 0; i < p->nv; i++) p->d[i] = ds*p->n[i];
  tni_retract(s, p->last.q, p->d, q);
  for (*corrections = 0;; ++*corrections) {
    double norm, size;
    if (!tni_rest_residual(p->w, *t, q, &norm, &size)) return TN_OK;
    tn_status st = tni_rest_linearize(p->w, *t, q, &p->rep);
    if (st > 0) return TN_OK;
    TN_TRY(st);
    double gap = ds - progress(p, q, *t), relative = size > 0 ? norm/size : norm;
    bool stalled = *corrections > 2 && relative <= STALLED && norm > 0.5*before;
    if ((relative <= p->tol || stalled) && fabs(gap) <= 1e-7*fabs(ds)) {
      double way = sqrt(product(p, p->d, p->d) + (*t - p->last.t)*(*t - p->last.t)/(p->Lt*p->Lt));
      p->rep.residual = relative;
      *found = way <= STRAYED*fabs(ds);
      return TN_OK;
    }
    if (*corrections == MAX_CORRECTIONS || fabs(*t - p->last.t) > 10*p->Lt) return TN_OK;
    before = norm;
    p->r->iterations++;
    TN_TRY(tni_rest_solutions(p->w, p->a, p->b));
    double dt = (gap - product(p, p->n, p->a))/(product(p, p->n, p->b) + p->nt/(p->Lt*p->Lt));
    for (int i = 0; i < p->nv; i++) p->a[i] += dt*p->b[i];
    double bold = boldness(p, p->a);
    if (!isfinite(bold) || bold > 100) return TN_OK;
    *t += dt;
    tni_retract(s, q, p->a, q);
  }
}

/* unit tangent at the point whose factors are there, on the side of the last one */
static tn_status tangent(path *p, double *n, double *nt) {
  TN_TRY(tni_rest_solutions(p->w, p->a, p->b));
  double length = sqrt(product(p, p->b, p->b) + 1/(p->Lt*p->Lt));
  double side = product(p, p->n, p->b) + p->nt/(p->Lt*p->Lt);
  if (!isfinite(length)) return TN_FAIL(p->s->ctx, TN_NO_PROGRESS, "the path has no direction at load %g", p->last.t);
  double f = (side < 0 ? -1 : 1)/length;
  for (int i = 0; i < p->nv; i++) n[i] = f*p->b[i];
  *nt = f;
  return TN_OK;
}

static tn_status hand_over(path *p, tni_point_kind kind, double t, double length, int worst) {
  tni_path_point point = {kind, t, p->rep.negative, length};
  p->r->points++;
  return p->o->point ? p->o->point(p->o->user, &point, &p->rep, worst) : TN_OK;
}

static tn_status accept(path *p, double t, const double *q) {
  const char *wrong = tni_system_settle(p->s, t, q, p->zero, p->g);
  TN_REQUIRE(p->s->ctx, !wrong, TN_ERR_UNSUPPORTED, "force '%s' switches before load %g: 'arc_length' does not follow that in models with "
             "structures; take 'load_steps' alone", wrong, t);
  tni_system_commit_rest(p->s, t, q, p->zero);
  tni_state_keep(&p->last, p->s, t, q, NULL);
  return TN_OK;
}

/* p->a := what has least stiffness at the factors that are there, of unit length */
static void softest(path *p) {
  unsigned seed = 12345;
  for (int i = 0; i < p->nv; i++) {
    seed = seed*1664525u + 1013904223u;
    p->a[i] = ((double)(seed >> 8)/8388608.0 - 1)/sqrt(p->weight[i]);
  }
  for (int k = 0; k < INVERSE_STEPS; k++) {
    double length = sqrt(product(p, p->a, p->a));
    for (int i = 0; i < p->nv; i++) p->a[i] *= p->weight[i]/length;
    tni_rest_apply(p->w, p->a);
  }
  double length = sqrt(product(p, p->a, p->a));
  for (int i = 0; i < p->nv; i++) p->a[i] /= length;
}

/* The number of negative pivots changed on a step of length ds: where; *turned: the path was left there. */
static tn_status pass_critical(path *p, double ds, double *q, bool *turned) {
  double low = 0, high = ds, t = p->last.t;
  int corrections;
  bool found = false;
  for (int k = 0; k < MAX_LOCATE && high - low > 1e-7*ds; k++) {
    double middle = 0.5*(low + high);
    TN_TRY(correct(p, middle, q, &t, &corrections, &found));
    if (!found) break;
    if (p->rep.negative == p->negative) low = middle;
    else high = middle;
  }
  if (!found) {
    TN_TRY(correct(p, low > 0 ? low : high, q, &t, &corrections, &found));
    if (!found) return TN_OK;
  }
  softest(p);
  const double *rate = tni_rest_load_rate(p->w);
  double along = 0, rr = 0, aa = 0;
  int worst = 0;
  for (int i = 0; i < p->nv; i++) {
    along += p->a[i]*rate[i];
    rr += rate[i]*rate[i];
    aa += p->a[i]*p->a[i];
    if (fabs(p->a[i])*sqrt(p->weight[i]) > fabs(p->a[worst])*sqrt(p->weight[worst])) worst = i;
  }
  tni_point_kind kind = fabs(along) > TURNS*sqrt(rr*aa) ? TNI_POINT_LIMIT : TNI_POINT_BIFURCATION;
  double here = p->length + progress(p, q, t);
  TN_TRY(hand_over(p, kind, t, here, worst));
  if (kind != TNI_POINT_BIFURCATION || !p->o->switch_branch || p->switched) return TN_OK;
  *turned = p->switched = true;
  softest(p);
  memcpy(p->n, p->a, (size_t)p->nv*sizeof(double));
  p->nt = 0;
  TN_TRY(accept(p, t, q));
  p->length = here;
  p->negative = -1; /* the branch has nothing to compare with yet */
  return TN_OK;
}

/* The step of length ds went beyond the end of the load, to t: end there exactly. What lies beyond must leave no trace in histories:
 * nothing is accepted before the load is right. */
static tn_status arrive(path *p, double ds, double t, double *q) {
  tni_rest_opts o = {.tolerance = p->tol};
  tni_rest_report r;
  double a = 0, ta = p->last.t, b = ds, tb = t, until = p->o->until, at = ds;
  int corrections;
  bool found = true;
  for (int k = 0; k < MAX_LOCATE && found && fabs(t - until) > 1e-6*p->Lt; k++) {
    at = a + (until - ta)/(tb - ta)*(b - a);
    if (k % 3 == 2 || !(at > a && at < b)) at = 0.5*(a + b);
    TN_TRY(correct(p, at, q, &t, &corrections, &found));
    if ((t - until)*(ta - until) > 0) a = at, ta = t;
    else b = at, tb = t;
  }
  tni_memory_restore(p->s, p->last.memory);
  tn_status st = tni_rest_solve(p->w, NULL, until, q, NULL, &o, &r);
  p->r->iterations += r.iterations;
  TN_TRY(st);
  if (r.factorizations == 0) r.negative = p->rep.negative, r.symmetric = p->rep.symmetric; /* it was there already */
  p->rep = r;
  p->r->ended = true;
  return hand_over(p, TNI_POINT_PLAIN, until, p->length + at, -1);
}

static tn_status prepare(path *p, tni_arena *arena, const double *q) {
  tni_data *s = p->s;
  const tni_parts *parts = s->parts;
  size_t nv = (size_t)p->nv;
  double norm, size, way = p->o->until > p->o->from ? 1 : -1;
  TN_TRY(tni_state_create(arena, s, &p->last));
  double **vector[] = {&p->weight, &p->n, &p->a, &p->b, &p->d, &p->zero};
  for (int i = 0; i < TNI_COUNT(vector); i++) TNI_ARENA_NEW(arena, *vector[i], nv);
  TNI_ARENA_NEW(arena, p->g, tni_system_nevent(p->s));
  for (int i = 0; i < parts->n; i++) p->size = fmax(p->size, parts->part[i].size);
  for (int i = 0; i < p->nv; i++) p->weight[i] = 1.0/p->nv; /* bodies too */
  for (int i = 0; i < parts->n; i++)
    for (int k = 0; k < parts->part[i].nv; k++)
      if (parts->part[i].role[k] >= 3) p->weight[parts->v0 + parts->at[i] + k] = p->size*p->size/p->nv;
  p->Lt = fabs(p->o->until - p->o->from);
  p->Lq = 1;
  if (!tni_rest_residual(p->w, p->o->from, q, &norm, &size)) return TN_FAIL(s->ctx, TN_NOT_CONVERGED, "forces are not finite at load %g", p->o->from);
  TN_TRY(tni_rest_linearize(p->w, p->o->from, q, &p->rep));
  p->rep.residual = size > 0 ? norm/size : norm;
  p->rep.worst = -1;
  TN_TRY(tni_rest_solutions(p->w, p->a, p->b));
  double moved = sqrt(product(p, p->b, p->b))*p->Lt;
  p->Lq = fmax(moved, LEAST_SCALE*p->size);
  TN_TRY(accept(p, p->o->from, q));
  p->nt = way; /* n is zero: the side */
  TN_TRY(tni_rest_linearize(p->w, p->o->from, q, &p->rep));
  p->negative = p->rep.negative;
  return tangent(p, p->n, &p->nt);
}

static tn_status follow(path *p, double *q) {
  tni_data *s = p->s;
  const tni_rest_path_opts *o = p->o;
  double ds0 = 1.0/o->steps, ds = ds0, t;
  int most = o->max_points > 0 ? o->max_points : MAX_PER_STEP*o->steps;
  TN_TRY(hand_over(p, TNI_POINT_PLAIN, o->from, 0, -1));
  while (p->r->points < most) {
    int corrections;
    bool found;
    double bold = boldness(p, p->n)*ds, load = fabs(p->nt)*ds/(2*p->Lt*ds0);
    ds /= fmax(1, fmax(bold, load));
    if (s->ctx->interrupted) return TN_FAIL(s->ctx, TN_INTERRUPTED, "stopped at load %g", p->last.t);
    TN_TRY(correct(p, ds, q, &t, &corrections, &found));
    if (!found) {
      p->r->rejected++;
      ds *= 0.5;
      if (ds < SHORTEST*ds0)
        return TN_FAIL(s->ctx, TN_NO_PROGRESS, "the path of equilibria cannot be followed beyond load %g: steps below %.1e of the first one do not converge",
                       p->last.t, SHORTEST);
      continue;
    }
    if (p->negative >= 0 && p->rep.negative >= 0 && p->rep.negative != p->negative) {
      bool turned = false;
      TN_TRY(pass_critical(p, ds, q, &turned));
      if (turned) {
        ds = ds0;
        continue;
      }
      TN_TRY(correct(p, ds, q, &t, &corrections, &found));
      if (!found) return TN_FAIL(s->ctx, TN_NO_PROGRESS, "the path was lost at load %g", p->last.t);
    }
    double way = o->until > o->from ? 1 : -1;
    if (way*(t - o->until) >= -1e-12*p->Lt) return arrive(p, ds, t, q);
    p->length += ds;
    if (way*(t - o->from) < -p->Lt) {
      TN_TRY(accept(p, t, q));
      p->r->ended = true;
      return hand_over(p, TNI_POINT_PLAIN, t, p->length, -1);
    }
    TN_TRY(tangent(p, p->n, &p->nt));
    p->negative = p->rep.negative;
    TN_TRY(accept(p, t, q));
    TN_TRY(hand_over(p, TNI_POINT_PLAIN, t, p->length, -1));
    ds *= fmin(2, fmax(0.5, sqrt((double)GOOD_CORRECTIONS/(corrections > 0 ? corrections : 1))));
  }
  return TN_OK;
}

tn_status tni_rest_path_follow(tni_rest *w, tni_data *s, double *q, const tni_rest_path_opts *opts, tni_path_report *report) {
  tni_arena arena;
  path p = {.w = w, .s = s, .o = opts, .r = report, .nv = s->nv, .tol = opts->tolerance > 0 ? opts->tolerance : 1e-10};
  memset(report, 0, sizeof(*report));
  TN_REQUIRE(s->ctx, s->m == 0, TN_ERR_UNSUPPORTED, "arc_length of meshes is for models without joints: this one has %d constraint rows; "
             "load steps are cut where Newton's method does not converge", s->m);
  tni_arena_init(&arena, s->ctx);
  tn_status st = prepare(&p, &arena, q);
  if (st == TN_OK) st = follow(&p, q);
  tni_arena_clear(&arena);
  return st;
}
