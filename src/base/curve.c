/* base/curve.c - spline curves in space, their normal frame, projection onto them
 *
 * Derivatives of the frame come from those of normalised vectors: with v = r u, |u| = 1,
 *   r' = u.v',  u' = (v' - r' u)/r,  r'' = u.v'' + u'.v',  u'' = (v'' - r'' u - 2 r' u')/r.
 * Projection: Newton on g(s) = (c - p).c', with g' = c'.c' + (c - p).c''.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/curve.h"

#include <math.h>

#include "base/table.h"
#include "base/vec.h"

/* index k with x[k] <= s < x[k+1], the first or last beyond the ends */
static int find_interval(const double *x, int n, double s) {
  int low = 0, high = n;
  while (high - low > 1) {
    int mid = (low + high)/2;
    if (s >= x[mid])
      low = mid;
    else
      high = mid;
  }
  return low;
}

/* s inside the period of a closed curve */
static double wrap(const tni_curve *c, double s) {
  if (!c->closed || (s >= 0 && s < c->length)) return s;
  double r = s - c->length*floor(s/c->length);
  return r < c->length ? r : 0;
}

static void eval_segment(const tni_curve *curve, int k, double d, int order, double c[][3]) {
  const double *a = curve->coef + 12*k;
  for (int i = 0; i < 3; i++) {
    double a1 = a[3+i], a2 = a[6+i], a3 = a[9+i];
    c[0][i] = a[i] + d*(a1 + d*(a2 + d*a3));
    if (order > 0) c[1][i] = a1 + d*(2*a2 + d*3*a3);
    if (order > 1) c[2][i] = 2*a2 + d*6*a3;
    if (order > 2) c[3][i] = 6*a3;
  }
}

void tni_curve_eval(const tni_curve *curve, double s, int order, double c[][3]) {
  s = wrap(curve, s);
  double inside = s;
  if (!curve->closed) inside = fmin(fmax(s, 0), curve->length);
  int k = find_interval(curve->knot, curve->nsegment, inside);
  double d = inside - curve->knot[k];
  if (inside == s) {
    eval_segment(curve, k, d, order, c);
    return;
  }
  double end[2][3]; /* straight on */
  eval_segment(curve, k, d, 1, end);
  vec3_copy(c[0], end[0]);
  vec3_addmul(c[0], s - inside, end[1]);
  if (order > 0) vec3_copy(c[1], end[1]);
  for (int i = 2; i <= order; i++) vec3_set(c[i], 0, 0, 0);
}

/* ---- frame -------------------------------------------------------------------------------- */

/* u = v/|v| and its derivatives from those of v */
static void unit_derivatives(int order, double v[][3], double u[][3]) {
  double r = vec3_norm(v[0]), r1 = 0;
  for (int i = 0; i < 3; i++) u[0][i] = v[0][i]/r; /* a quotient: (0, 0, z)/|z| is exact */
  if (order > 0) {
    r1 = vec3_dot(u[0], v[1]);
    for (int i = 0; i < 3; i++) u[1][i] = (v[1][i] - r1*u[0][i])/r;
  }
  if (order > 1) {
    double r2 = vec3_dot(u[0], v[2]) + vec3_dot(u[1], v[1]);
    for (int i = 0; i < 3; i++) u[2][i] = (v[2][i] - r2*u[0][i] - 2*r1*u[1][i])/r;
  }
}

/* frame in a piece with guide m, without the closing twist; c1 = c', c'', c''' */
static void guided_frame(int order, double c1[][3], const double m[3], double t[][3],
                         double n1[][3], double n2[][3]) {
  double v[3][3], w[3];
  for (int k = 0; k <= order; k++) vec3_cross(v[k], c1[k], m);
  unit_derivatives(order, c1, t);
  unit_derivatives(order, v, n2);
  vec3_cross(n1[0], n2[0], t[0]);
  if (order > 0) {
    vec3_cross(n1[1], n2[1], t[0]);
    vec3_cross(w, n2[0], t[1]);
    vec3_add(n1[1], n1[1], w);
  }
  if (order > 1) {
    vec3_cross(n1[2], n2[2], t[0]);
    vec3_cross(w, n2[1], t[1]);
    vec3_addmul(n1[2], 2, w);
    vec3_cross(w, n2[0], t[2]);
    vec3_add(n1[2], n1[2], w);
  }
}

/* turn n1 and n2 about t by the angle rate*s */
static void twist_frame(int order, double rate, double s, double n1[][3], double n2[][3]) {
  double cosine = cos(rate*s), sine = sin(rate*s);
  for (int i = 0; i < 3; i++) {
    double a[3], b[3]; /* derivatives of the turned vectors, in axes that turn along */
    for (int k = 0; k <= order; k++) a[k] = n1[k][i], b[k] = n2[k][i];
    if (order > 1) {
      a[2] += 2*rate*b[1] - rate*rate*a[0];
      b[2] += -2*rate*a[1] - rate*rate*b[0];
    }
    if (order > 0) a[1] += rate*b[0], b[1] -= rate*a[0];
    for (int k = 0; k <= order; k++) {
      n1[k][i] = cosine*a[k] + sine*b[k];
      n2[k][i] = cosine*b[k] - sine*a[k];
    }
  }
}

void tni_curve_frame(const tni_curve *curve, double s, int order, double t[][3], double n1[][3],
                     double n2[][3]) {
  double c[4][3];
  s = wrap(curve, s);
  tni_curve_eval(curve, s, order + 1, c);
  int k = find_interval(curve->cut, curve->npiece, s);
  guided_frame(order, c + 1, curve->guide + 3*k, t, n1, n2);
  if (curve->twist != 0) twist_frame(order, curve->twist, s, n1, n2);
}

enum { MAX_CUTS = 256, PROBES = 4 }; /* pieces per segment; tangents looked at in each */

/* Into how many pieces to cut segment k so that the tangent turns less than 45 degrees in each;
 * 0: not even the finest cut does. */
static int cuts_needed(const tni_curve *curve, int k) {
  double h = curve->knot[k+1] - curve->knot[k];
  for (int n = 1; n <= MAX_CUTS; n *= 2) {
    bool fine = true;
    double start[3] = {0, 0, 0};
    for (int i = 0; i <= n*PROBES && fine; i++) {
      double c[2][3];
      eval_segment(curve, k, h*i/(n*PROBES), 1, c);
      double r = vec3_norm(c[1]);
      vec3_scale(c[1], 1/r, c[1]);
      if (i > 0) fine = r > 0 && vec3_dot(c[1], start) > 0.70710678;
      if (i % PROBES == 0) vec3_copy(start, c[1]);
    }
    if (fine) return n;
  }
  return 0;
}

/* normal of the plane of the points, sign such that its largest component is positive; false when
 * they lie on a line or in no plane */
static bool plane_normal(int n, const double *xyz, double normal[3]) {
  vec3_set(normal, 0, 0, 0);
  double axis[3] = {0, 0, 0}, d[3], w[3], far = 0, wide = 0;
  for (int k = 1; k < n; k++) { /* the point farthest from the first gives a line ... */
    vec3_sub(d, xyz + 3*k, xyz);
    double r = vec3_norm(d);
    if (r > far) {
      far = r;
      vec3_scale(axis, 1/r, d);
    }
  }
  for (int k = 1; k < n; k++) { /* ... and the one farthest from it the plane */
    vec3_sub(d, xyz + 3*k, xyz);
    vec3_cross(w, axis, d);
    double r = vec3_norm(w);
    if (r > wide) {
      wide = r;
      vec3_scale(normal, 1/r, w);
    }
  }
  if (wide < 1e-9*far) return false;
  for (int k = 1; k < n; k++) {
    vec3_sub(d, xyz + 3*k, xyz);
    if (fabs(vec3_dot(d, normal)) > 1e-11*far) return false;
  }
  int big = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(normal[i]) >= fabs(normal[big])) big = i;
  if (normal[big] < 0) vec3_scale(normal, -1, normal);
  return true;
}

/* n1 at the start: from the plane of the curve, else n2 as near to z as the tangent allows */
static void first_guide(int n, const double *xyz, const double t[3], double m[3]) {
  double n2[3];
  if (!plane_normal(n, xyz, n2)) vec3_set(n2, fabs(t[2]) > 0.99, 0, fabs(t[2]) <= 0.99);
  vec3_cross(m, n2, t);
  vec3_normalize(m, m);
}

static tn_status build_frame(tni_arena *arena, tni_curve *curve, int n, const double *xyz) {
  int *pieces, ncut = 0;
  TNI_ARENA_NEW(arena, pieces, curve->nsegment);
  for (int k = 0; k < curve->nsegment; k++) {
    pieces[k] = cuts_needed(curve, k);
    TN_REQUIRE(arena->ctx, pieces[k] > 0, TN_ERR_INPUT,
               "the curve has a cusp between points %d and %d; add points there", k + 1,
               k + 2 > n ? 1 : k + 2);
    ncut += pieces[k];
  }
  double *cut, *guide;
  TNI_ARENA_NEW(arena, cut, ncut + 1);
  TNI_ARENA_NEW(arena, guide, 3*ncut);
  curve->npiece = ncut, curve->cut = cut, curve->guide = guide;
  double t[1][3], n1[1][3] = {{0}}, n2[1][3] = {{0}}, c[2][3], next[3], start[3];
  eval_segment(curve, 0, 0, 1, c);
  vec3_normalize(t[0], c[1]);
  first_guide(n, xyz, t[0], next);
  vec3_copy(start, next);
  int i = 0;
  for (int k = 0; k < curve->nsegment; k++) {
    double h = curve->knot[k+1] - curve->knot[k];
    for (int j = 0; j < pieces[k]; j++, i++) {
      cut[i] = curve->knot[k] + h*j/pieces[k];
      vec3_copy(guide + 3*i, next);
      eval_segment(curve, k, h*(j + 1)/pieces[k], 1, c);
      guided_frame(0, c + 1, guide + 3*i, t, n1, n2);
      vec3_copy(next, n1[0]);
    }
  }
  cut[ncut] = curve->length;
  if (curve->closed) { /* the end comes back turned by this angle; undo it evenly */
    double sine = vec3_dot(start, n2[0]), cosine = vec3_dot(start, n1[0]);
    if (fabs(sine) > 1e-12 || cosine < 0) curve->twist = atan2(sine, cosine)/curve->length;
  }
  return TN_OK;
}

/* ---- creation ----------------------------------------------------------------------------- */

static tn_status check_points(tn_ctx *ctx, int n, const double *xyz, bool closed) {
  TN_REQUIRE(ctx, n >= (closed ? 3 : 2), TN_ERR_INPUT,
             "a curve through %d points; %s needs at least %d", n,
             closed ? "a closed one" : "it", closed ? 3 : 2);
  for (int k = 0; k < n; k++) {
    const double *a = xyz + 3*k;
    TN_REQUIRE(ctx, isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]), TN_ERR_INPUT,
               "point %d of the curve is (%g, %g, %g); all must be finite numbers", k + 1, a[0],
               a[1], a[2]);
  }
  return TN_OK;
}

/* cumulative chord length into knot; neighbours must be apart */
static tn_status chord_lengths(tn_ctx *ctx, int n, const double *xyz, bool closed, double *knot) {
  int nsegment = closed ? n : n - 1;
  for (int k = 0; k < nsegment; k++) {
    double d[3];
    vec3_sub(d, xyz + 3*((k + 1) % n), xyz + 3*k);
    knot[k+1] = knot[k] + vec3_norm(d);
  }
  for (int k = 0; k < nsegment; k++)
    TN_REQUIRE(ctx, knot[k+1] - knot[k] > 1e-12*knot[nsegment], TN_ERR_INPUT,
               "points %d and %d of the curve are the same%s", k + 1, (k + 1) % n + 1,
               k + 1 == n ? "; a closed curve does not repeat its first point" : "");
  return TN_OK;
}

/* fills knot and coef; work[5 n] */
static void fit_spline(int n, const double *xyz, bool closed, double *knot, double *coef,
                       double *work) {
  int nsegment = closed ? n : n - 1;
  double *y = work, *slope = work + n;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < n; k++) y[k] = xyz[3*k+i];
    if (closed)
      tni_spline_periodic(n, knot, y, slope, work + 2*n);
    else
      tni_spline_natural(n, knot, y, slope, work + 2*n);
    for (int k = 0; k < nsegment; k++) {
      int to = (k + 1) % n;
      double c[4];
      tni_hermite(c, knot[k+1] - knot[k], y[k], y[to], slope[k], slope[to]);
      for (int j = 0; j < 4; j++) coef[12*k+3*j+i] = c[j];
    }
  }
}

tn_status tni_curve_create(tni_arena *arena, int n, const double *xyz, bool closed,
                           tni_curve_scale scale, const tni_curve **out) {
  *out = NULL;
  TN_TRY(check_points(arena->ctx, n, xyz, closed));
  int nsegment = closed ? n : n - 1;
  tni_curve *curve;
  double *knot, *coef;
  TNI_ARENA_NEW(arena, curve, 1);
  TNI_ARENA_NEW(arena, knot, nsegment + 1);
  TNI_ARENA_NEW(arena, coef, 12*nsegment);
  TN_TRY(chord_lengths(arena->ctx, n, xyz, closed, knot));
  double total = knot[nsegment];
  if (scale == TNI_CURVE_UNIT)
    for (int k = 1; k <= nsegment; k++) knot[k] /= total;
  double *work = tni_doubles(arena->ctx, 5*(size_t)n);
  if (!work) return tni_out_of_memory(arena->ctx);
  fit_spline(n, xyz, closed, knot, coef, work);
  tni_free(arena->ctx, work);
  curve->nsegment = nsegment, curve->closed = closed, curve->length = knot[nsegment];
  curve->knot = knot, curve->coef = coef;
  TN_TRY(build_frame(arena, curve, n, xyz));
  *out = curve;
  return TN_OK;
}

/* ---- projection --------------------------------------------------------------------------- */

/* c, c', c'' and d = c - p at s; returns |d|^2 */
static double look(const tni_curve *curve, const double p[3], double s, double c[3][3],
                   double d[3]) {
  tni_curve_eval(curve, s, 2, c);
  vec3_sub(d, c[0], p);
  return vec3_dot(d, d);
}

double tni_curve_project(const tni_curve *curve, const double p[3], double guess) {
  double s = guess, c[3][3], d[3], here = look(curve, p, s, c, d);
  int limit = 60 + 4*curve->nsegment; /* from one end to the other, then a few to converge */
  for (int it = 0; it < limit; it++) {
    double speed2 = vec3_dot(c[1], c[1]), g = vec3_dot(d, c[1]);
    double slope = speed2 + vec3_dot(d, c[2]);
    /* where the distance is concave, Newton would climb: take the step of a straight line */
    double step = -g/(slope > 0 ? slope : speed2);
    /* no step beyond what a cubic describes, but any on the straight extensions */
    double reach = 0.5*curve->length/curve->nsegment;
    if (!curve->closed) reach += fmax(0, fmax(-s, s - curve->length));
    step = fmin(fmax(step, -reach), reach);
    /* Near the minimum the distance is flat to rounding and cannot judge a step: there g does. */
    double blur = 1e-15*sqrt(here)*(vec3_norm(p) + vec3_norm(c[0])), there;
    for (;; step *= 0.5) {
      if (fabs(step) <= 2e-16*(fabs(s) + curve->length)) return s;
      there = look(curve, p, s + step, c, d);
      if (there < here - blur) break;
      if (there <= here + blur && fabs(vec3_dot(d, c[1])) < fabs(g)) break;
    }
    s += step;
    here = there;
  }
  return s;
}

typedef struct {
  const tni_curve *curve;
  const double *p;
  double s, best; /* nearest so far and its distance */
} search;

static double distance_at(const search *q, double s) {
  double c[1][3], d[3];
  tni_curve_eval(q->curve, s, 0, c);
  vec3_sub(d, c[0], q->p);
  return vec3_norm(d);
}

static void try_from(search *q, double guess) {
  double s = tni_curve_project(q->curve, q->p, guess), r = distance_at(q, s);
  if (r < q->best) {
    q->best = r;
    q->s = s;
  }
}

/* length of the control polygon of segment k between d0 and d1: no arc is longer */
static double arc_bound(const tni_curve *curve, int k, double d0, double d1) {
  double a[2][3], b[2][3], w[3], third = (d1 - d0)/3;
  eval_segment(curve, k, d0, 1, a);
  eval_segment(curve, k, d1, 1, b);
  vec3_sub(w, b[0], a[0]);
  vec3_addmul(w, -third, a[1]);
  vec3_addmul(w, -third, b[1]);
  return third*(vec3_norm(a[1]) + vec3_norm(b[1])) + vec3_norm(w);
}

enum { MAX_SPLITS = 6 };

/* Any point of an arc of length l between points at distances r0 and r1 is at least
 * (r0 + r1 - l)/2 away: arcs that cannot win are dropped, the others halved, then searched. */
static void search_arc(search *q, int k, double d0, double r0, double d1, double r1, int split) {
  if ((r0 + r1 - arc_bound(q->curve, k, d0, d1))/2 >= q->best) return;
  double mid = 0.5*(d0 + d1), base = q->curve->knot[k];
  if (split == MAX_SPLITS) {
    try_from(q, base + mid);
    return;
  }
  double r = distance_at(q, base + mid);
  if (r < q->best) try_from(q, base + mid);
  bool left = r0 <= r1; /* the nearer half first: it shortens the other search */
  if (left) search_arc(q, k, d0, r0, mid, r, split + 1);
  search_arc(q, k, mid, r, d1, r1, split + 1);
  if (!left) search_arc(q, k, d0, r0, mid, r, split + 1);
}

double tni_curve_nearest(const tni_curve *curve, const double p[3], double *distance) {
  search q = {curve, p, 0, INFINITY};
  for (int k = 0; k <= curve->nsegment; k++) { /* the knots give a first bound */
    double r = distance_at(&q, curve->knot[k]);
    if (r < q.best) {
      q.best = r;
      q.s = curve->knot[k];
    }
  }
  try_from(&q, q.s);
  for (int end = 0; end < 2 && !curve->closed; end++) { /* feet on the straight extensions */
    double s0 = end ? curve->length : 0, c[2][3], d[3];
    tni_curve_eval(curve, s0, 1, c);
    vec3_sub(d, p, c[0]);
    double ahead = vec3_dot(d, c[1])/vec3_dot(c[1], c[1]);
    if (end ? ahead > 0 : ahead < 0) try_from(&q, s0 + ahead);
  }
  for (int k = 0; k < curve->nsegment; k++) {
    double h = curve->knot[k+1] - curve->knot[k];
    search_arc(&q, k, 0, distance_at(&q, curve->knot[k]), h, distance_at(&q, curve->knot[k+1]), 0);
  }
  if (distance) *distance = q.best;
  return wrap(curve, q.s);
}
