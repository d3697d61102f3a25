/* integrators/quadrature.c - work done, from its rates at the ends of steps and inside; see quadrature.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/quadrature.h"

#include "integrators/common.h"

/* Integral of the Lagrange polynomial that is 1 at x_k and 0 at the other points, by Gauss
 * quadrature with two points, exact for cubics, or with four. */
static double weight(int n, const double *x, int k, double from, double to) {
  static const double two[] = {-0.5773502691896257, 0.5773502691896257}, one[] = {1, 1};
  static const double four[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  static const double share_of_four[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  const double *node = n > 4 ? four : two, *share = n > 4 ? share_of_four : one;
  double sum = 0, mid = 0.5*(from + to), half = 0.5*(to - from);
  for (int g = 0; g < (n > 4 ? 4 : 2); g++) {
    double product = share[g], at = mid + node[g]*half;
    for (int i = 0; i < n; i++) {
      if (i != k) product *= (at - x[i])/(x[k] - x[i]);
    }
    sum += half*product;
  }
  return sum;
}

void tni_quadrature_push(tni_quadrature *w, double t, const double *rate) {
  for (int i = TNI_QUADRATURE_POINTS - 1; i > 0; i--) {
    w->t[i] = w->t[i-1];
    memcpy(w->rate[i], w->rate[i-1], sizeof(w->rate[i]));
  }
  w->t[0] = t;
  memcpy(w->rate[0], rate, sizeof(w->rate[0]));
  if (w->n < TNI_QUADRATURE_POINTS) w->n++;
}

/* ---- from the ends of steps ---------------------------------------------------------------- */

/* Points of the past that may be used for a step of length h from t0. A polynomial through points much closer
 * together than the step is long would be an extrapolation. */
static int usable(const tni_quadrature *w, double t0, double h) {
  static const double CLOSE = 0.3;
  int n = w->n > 0;
  while (n < (int)w->n && (w->t[n] >= t0 || w->t[n-1] - w->t[n] >= CLOSE*h)) n++;
  return n;
}

/* those of the polynomial whose integral counts, at most a cubic one, with the end of the step */
enum { COUNT = 4 };
static int counting(const tni_quadrature *w, double t0, double h) {
  int n = 1 + usable(w, t0, h);
  return n < COUNT ? n : COUNT;
}

/* z0 and the integral from t0 to t of the polynomial through t1 and n - 1 points of the past */
static void integrate(const tni_quadrature *w, int n, double t0, double t1, const double *rate1, const double *z0, double t, double *z) {
  double x[1 + TNI_QUADRATURE_POINTS] = {t1};
  for (int i = 1; i < n; i++) x[i] = w->t[i-1];
  for (int j = 0; j < TNI_NZ; j++) z[j] = z0[j];
  for (int i = 0; i < n; i++) {
    double f = weight(n, x, i, t0, t);
    for (int j = 0; j < TNI_NZ; j++) z[j] += f*(i ? w->rate[i-1][j] : rate1[j]);
  }
}

/* Error of that integral over the step: what one point more changes, or, if there is none, what one less would. */
static void estimate(const tni_quadrature *w, double t0, double t1, const double *rate1, double *off) {
  int n = 1 + usable(w, t0, t1 - t0);
  double none[TNI_NZ] = {0}, more[TNI_NZ], less[TNI_NZ];
  integrate(w, n, t0, t1, rate1, none, t1, more);
  integrate(w, n - 1, t0, t1, rate1, none, t1, less);
  for (int j = 0; j < TNI_NZ; j++) off[j] = more[j] - less[j];
}

/* ---- from inside --------------------------------------------------------------------------- */

tn_status tni_quadrature_create(tni_arena *arena, const tni_data *s, tni_quadrature_inside *in) {
  TNI_ARENA_NEW(arena, in->q, s->nq);
  TNI_ARENA_NEW(arena, in->v, s->nv);
  TNI_ARENA_NEW(arena, in->a, s->nv);
  TNI_ARENA_NEW(arena, in->lambda, s->m);
  return TN_OK;
}

/* Rates at t inside of the last step. False: there are none, as next to a singular position, where multipliers are rounding. */
static bool look(tni_quadrature_inside *in, tni_integrator *it, double t, double *rate) {
  static const double BESIDE = 1e-6; /* squared distance of a singular position, part of the usual one */
  tni_data *s = it->s;
  it->type->interpolate(it, t, in->q, in->v, NULL);
  if (tni_integrator_project_look(it, t, in->q, in->v) != TN_OK) return false;
  if (tni_accel(s, t, in->q, in->v, in->a, in->lambda, rate) != TN_OK || s->pivot < BESIDE*s->usual) return false;
  for (int j = 0; j < TNI_NZ; j++)
    if (!isfinite(rate[j])) return false;
  return true;
}

/* Work of the step: what sums of trapezoids over ever shorter panels extrapolate to. Returns by how much that differs from the
 * extrapolation of one halving less. */
static double extrapolate(double h, const tni_quadrature_inside *in, double *work) {
  enum { MOST = 9 }; /* 1, 2, 4 .. TNI_QUADRATURE_PANELS */
  double apart = 0;
  for (int j = 0; j < TNI_NZ; j++) {
    double before[MOST] = {0}, now[MOST] = {0};
    int last = -1;
    for (int stride = in->panels; stride >= 1; stride /= 2) {
      double sum = 0.5*(in->rate[0][j] + in->rate[in->panels][j]), power = 1;
      for (int i = stride; i < in->panels; i += stride) sum += in->rate[i][j];
      memcpy(before, now, sizeof(now));
      now[0] = h*stride/in->panels*sum;
      last++;
      for (int k = 1; k <= last; k++) {
        power *= 4;
        now[k] = now[k-1] + (now[k-1] - before[k-1])/(power - 1);
      }
    }
    work[j] = now[last];
    apart += fabs(now[last] - before[last - 1]);
  }
  return apart;
}

/* work of the panels up to `at` of their number, from polynomials through the ends of neighbouring ones */
static void add_panels(double h, const tni_quadrature_inside *in, double at, double *work) {
  enum { MOST = 7 };
  int n = in->panels < MOST - 1 ? in->panels + 1 : MOST;
  double x[MOST];
  for (int j = 0; j < TNI_NZ; j++) work[j] = 0;
  for (int p = 0; p < in->panels && p < at; p++) {
    int first = p - (n - 2)/2;
    first = first < 0 ? 0 : first > in->panels + 1 - n ? in->panels + 1 - n : first;
    for (int i = 0; i < n; i++) x[i] = first + i;
    for (int i = 0; i < n; i++) {
      double f = h/in->panels*weight(n, x, i, p, fmin(at, p + 1));
      for (int j = 0; j < TNI_NZ; j++) work[j] += f*in->rate[first + i][j];
    }
  }
}

/* Do stiff forces out of balance hide more than `allowed`, along the constraints? Across them, as where motions are prescribed,
 * velocities are what they are written to be, and rates are right wherever one looks. */
static bool hides(tni_quadrature_inside *in, tni_integrator *it, double allowed) {
  static const double PART = 0.1; /* states off the points are wrong by more than the beginning is */
  if (!in->points || in->hidden <= PART*allowed) return false;
  if (it->s->m == 0) return true;
  if (!tni_has_tangential(it->s)) return false;
  double along = 0, all = 0;
  memcpy(in->a, in->stiff, (size_t)it->s->nv*sizeof(double));
  tni_tangential(it->s, true, in->a);
  for (int i = 0; i < it->s->nv; i++) {
    along += in->a[i]*in->a[i];
    all += in->stiff[i]*in->stiff[i];
  }
  return in->hidden*sqrt(along/all) > PART*allowed;
}

/* work of the step by the rates at its points of collocation */
static bool look_at_points(tni_quadrature_inside *in, tni_integrator *it, const double *rate1, const double *z0) {
  const tni_collocation *p = in->points;
  double h = it->now.t - it->t_old;
  memcpy(in->z1, z0, sizeof(in->z1));
  for (int i = 0; i < p->n; i++) {
    if (p->node[i] == 1) memcpy(in->rate[i], rate1, sizeof(in->rate[i]));
    else if (!look(in, it, it->t_old + h*p->node[i], in->rate[i])) return false;
    for (int j = 0; j < TNI_NZ; j++) in->z1[j] += h*p->weight[i]*in->rate[i][j];
  }
  in->panels = 1;
  in->at_points = true;
  return true;
}

/* z inside such a step: the polynomial through the rates at the points, whose integral over all of it their weights are */
static void seen_at_points(const tni_quadrature_inside *in, double h, double part, const double *z0, double *z) {
  const tni_collocation *p = in->points;
  memcpy(z, z0, TNI_NZ*sizeof(double));
  for (int i = 0; i < p->n; i++) {
    double f = h*weight(p->n, p->node, i, 0, part);
    for (int j = 0; j < TNI_NZ; j++) z[j] += f*in->rate[i][j];
  }
}

bool tni_quadrature_look(tni_quadrature_inside *in, tni_integrator *it, const double *rate0, const double *rate1, const double *z0,
                         double allowed) {
  enum { USUAL = 16 };
  /* Rates with a kink inside come together slowly, however often they are looked at. Those whose waves are not seen yet differ as much
   * as they are large. */
  static const double GROSS = 1e-3, SLOWLY = 0.125;
  double h = it->now.t - it->t_old, work[TNI_NZ], panels[TNI_NZ], apart = 0, before = 0, size = 0;
  bool good = true, enough = false;
  in->at_points = false;
  if (hides(in, it, allowed) && look_at_points(in, it, rate1, z0)) {
    tni_accel(it->s, it->now.t, it->now.q, it->now.v, in->a, in->lambda, NULL);
    return true;
  }
  memcpy(in->rate[0], rate0, sizeof(in->rate[0]));
  memcpy(in->rate[1], rate1, sizeof(in->rate[1]));
  in->panels = 1;
  do {
    int n = in->panels *= 2;
    for (int i = n; i > 0; i -= 2) memcpy(in->rate[i], in->rate[i/2], sizeof(in->rate[i]));
    for (int i = 1; i < n && good; i += 2) {
      good = look(in, it, it->t_old + h*i/n, in->rate[i]);
      for (int j = 0; j < TNI_NZ; j++) size = fmax(size, h*fabs(in->rate[i][j]));
    }
    before = apart;
    apart = extrapolate(h, in, work);
    add_panels(h, in, in->panels, panels);
    for (int j = 0; j < TNI_NZ; j++) apart += fabs(panels[j] - work[j]);
    enough = n >= 4 && (apart <= allowed || (n >= USUAL && apart > SLOWLY*before && apart < GROSS*size));
  } while (good && !enough && in->panels < TNI_QUADRATURE_PANELS);
  for (int j = 0; j < TNI_NZ; j++) in->z1[j] = z0[j] + work[j];
  if (!good) in->panels = 0;
  tni_accel(it->s, it->now.t, it->now.q, it->now.v, in->a, in->lambda, NULL);
  return good;
}

void tni_quadrature_seen(const tni_quadrature_inside *in, const tni_integrator *it, const double *z0, double t, double *z) {
  double h = it->now.t - it->t_old, part = fmin(fmax((t - it->t_old)/h, 0), 1), end[TNI_NZ], here[TNI_NZ];
  if (in->at_points) {
    if (part < 1) seen_at_points(in, h, part, z0, z);
    else memcpy(z, in->z1, sizeof(in->z1));
    return;
  }
  add_panels(h, in, in->panels, end);
  add_panels(h, in, part*in->panels, here);
  for (int j = 0; j < TNI_NZ; j++) z[j] = z0[j] + here[j] + part*(in->z1[j] - z0[j] - end[j]);
}

/* ---- booking ------------------------------------------------------------------------------- */

/* rate at the beginning of the step: the first ones know their middle, too */
static const double *rate_at(const tni_quadrature *w, double t0) {
  int i = 0;
  while (i + 1 < (int)w->n && w->t[i] > t0) i++;
  return w->rate[i];
}

void tni_quadrature_book(tni_quadrature *w, tni_quadrature_inside *in, tni_integrator *it, const double *rate1, const double *z0) {
  /* of the tolerance, and of the work at most: much of it may go to and fro; of that, for one step; of an estimate, for the next one: a
   * difference that passes zero says nothing */
  static const double SHARE = 0.5, MOST = 1e-4, OF_ONE = 0.1, FADES = 0.5;
  double t0 = it->t_old, t1 = it->now.t, off[TNI_NZ], now = 0, all = 0;
  const double *rate0 = rate_at(w, t0);
  estimate(w, t0, t1, rate1, off);
  double moved = 0;
  for (int j = 0; j < TNI_NZ; j++) {
    moved += 0.5*(t1 - t0)*(fabs(rate0[j]) + fabs(rate1[j]));
    now += fabs(off[j]);
    all += fabs(w->off[j] + off[j]);
  }
  w->booked += moved;
  /* what is hidden is part of the rates at the ends */
  double hidden = in->points ? fmin(in->hidden, moved) : 0;
  off[TNI_Z_INPUT] += off[TNI_Z_INPUT] >= 0 ? hidden : -hidden;
  now = fmax(now + hidden, FADES*w->last_off);
  all += hidden;
  w->last_off = now;
  in->panels = 0;
  double allowed = w->booked*fmin(SHARE*(it->opts.tolerance > 0 ? it->opts.tolerance : it->opts.rtol), MOST);
  if (all + now > allowed && !it->opts.equal_steps) tni_quadrature_look(in, it, rate0, rate1, z0, OF_ONE*allowed);
  for (int j = 0; j < TNI_NZ && in->panels == 0; j++) w->off[j] += off[j];
  tni_quadrature_between(w, in, it, rate1, z0, t1, it->now.z);
}

void tni_quadrature_between(const tni_quadrature *w, const tni_quadrature_inside *in, const tni_integrator *it, const double *rate1,
                            const double *z0, double t, double *z) {
  double t0 = it->t_old, t1 = it->now.t;
  if (in->panels == 0) integrate(w, counting(w, t0, t1 - t0), t0, t1, rate1, z0, t, z);
  else tni_quadrature_seen(in, it, z0, t, z);
}
