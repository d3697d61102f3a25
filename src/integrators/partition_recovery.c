/* integrators/partition_recovery.c - independent coordinates of a step: their state
 *
 * Dependent coordinates by Newton's method on Phi(t, q_0 (+) xi) = 0 with the factors of the
 * beginning of the step, velocities by C v + Phi_t = 0 with the same; between xi and q, v, a the
 * formulas of rotations (integrators/turn.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "integrators/partition_parts.h"

#define SLOW 0.25            /* contraction above which a new Jacobian pays                      */
#define TRUST 10             /* times a contraction seen before at the same time                 */
#define RESIDUAL_FLOOR 1e-15 /* rounding of constraint equations of unit size                    */
#define PI_ROUNDED 3.141592653589793
enum { RECOVER_MAX = 25, REFRESH_MAX = 6 };

/* ---- rotations ----------------------------------------------------------------------------- */

static void find_rates(tni_partition *p) {
  for (int k = 0; k < p->nturn; k++) p->w->turn[k] = tni_turn_at(p->xi + p->turn[k]);
}

/* v = T(xi) xid, T of find_rates */
static void to_velocity(const tni_partition *p, const double *xi, const double *xid, double *v) {
  memcpy(v, xid, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_rate(&p->w->turn[k], xi + j, xid + j, v + j);
  }
}

static void to_local_velocity(const tni_partition *p, const double *xi, const double *v,
                              double *xid) {
  memcpy(xid, v, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_local_rate(&p->w->turn[k], xi + j, v + j, xid + j);
  }
}

static void to_local_acceleration(const tni_partition *p, const double *xi, const double *xid,
                                  const double *a, double *xidd) {
  memcpy(xidd, a, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_local_accel(&p->w->turn[k], xi + j, xid + j, a + j, xidd + j);
  }
}

/* w' = T (x'' - x''_0), x''_0 what w' = 0 would make of it */
void tni_partition_to_accel(const tni_partition *p, const double *xidd, double *a) {
  static const double none[3] = {0, 0, 0};
  memcpy(a, xidd, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    double xdd[3];
    tni_turn_local_accel(&p->w->turn[k], p->xi + j, p->xid + j, none, xdd);
    vec3_sub(xdd, xidd + j, xdd);
    tni_turn_rate(&p->w->turn[k], p->xi + j, xdd, a + j);
  }
}

/* q of xi; false when a rotation exceeds half a turn */
static bool place(const tni_partition *p, const double *xi, double *q) {
  for (int k = 0; k < p->nturn; k++) {
    if (!(vec3_norm(xi + p->turn[k]) <= PI_ROUNDED)) return false;
  }
  tni_retract(p->s, p->q, xi, q);
  return true;
}

bool tni_partition_place(const tni_partition *p, const double *xi, const double *xid, double *q,
                         double *v) {
  if (!place(p, xi, q)) return false;
  memcpy(v, xid, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn c = tni_turn_at(xi + j);
    tni_turn_rate(&c, xi + j, xid + j, v + j);
  }
  return true;
}

void tni_partition_locate(tni_partition *p, const double *q, const double *v, const double *a) {
  p->w->warm = false;
  tni_difference(p->s, p->q, q, p->xi);
  find_rates(p);
  to_local_velocity(p, p->xi, v, p->xid);
  if (a) to_local_acceleration(p, p->xi, p->xid, a, p->xidd);
}

/* A group of three components that no coordinate follows alone is a rotation, if the system moves
 * as the formulas above say: compared with differences of retract along a path. */
tn_status tni_partition_find_turns(tni_partition *p, const tni_scale *scale) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  int n = p->n;
  bool groups = true;
  for (int j = 0; j < n; j++) {
    if (scale->nrow[j]) continue;
    groups = groups && j + 2 < n && !scale->nrow[j+1] && !scale->nrow[j+2];
    if (!groups) break;
    p->turn[p->nturn++] = j;
    j += 2;
  }
  const double step = 1e-4;
  double worst = 0, *qm = w->q, *qp = p->q, *qd = w->qd;
  for (int i = 0; i < s->nq; i++) qd[i] = 0.3 + fmod(0.6180339887498949*(i + 1), 1.0);
  tni_normalize(s, qd);
  memcpy(w->Cfull, qd, (size_t)s->nq*sizeof(double));
  for (int j = 0; j < n; j++) {
    p->xi[j] = 0.4*sin(2.0*j + 1);
    p->xid[j] = cos(3.0*j + 1);
  }
  for (int side = -1; side <= 1; side += 2) {
    for (int j = 0; j < n; j++) w->x[j] = p->xi[j] + side*step*p->xid[j];
    tni_retract(s, w->Cfull, w->x, side < 0 ? qm : qp);
  }
  tni_retract(s, w->Cfull, p->xi, qd);
  find_rates(p);
  to_velocity(p, p->xi, p->xid, w->x);
  memcpy(w->Cfull, qd, (size_t)s->nq*sizeof(double));
  tni_qdot(s, w->Cfull, w->x, qd);
  for (int i = 0; i < s->nq; i++) {
    worst = fmax(worst, fabs((qp[i] - qm[i])/(2*step) - qd[i]));
  }
  TN_REQUIRE(s->ctx, groups && worst < 1e-6, TN_ERR_UNSUPPORTED,
             "implicit methods: the rotations of this system are of an unknown kind");
  return TN_OK;
}

/* ---- recovery ------------------------------------------------------------------------------ */

/* x = Z (residuals of the rows in use), Z of the beginning or of the refreshed position; returns its
 * largest entry */
static double correction(tni_partition *p, double *x, int *worst_row) {
  struct tni_partition_work *w = p->w;
  double largest = 0, residual = 0;
  for (int i = 0; i < p->r; i++) {
    w->u[i] = w->rows[p->row[i]];
    if (!(fabs(w->u[i]) <= residual)) {
      residual = fabs(w->u[i]);
      *worst_row = p->row[i];
    }
  }
  if (!w->refreshed) {
    tni_partition_across(p, w->u, x, w->ux);
  } else {
    tni_elim_solve(&w->S, 1, 0, 1, w->u, w->ux);
    tni_zero(x, 1, p->n);
    for (int i = 0; i < p->r; i++) x[p->dep[i]] = w->u[i];
    if (p->kind == TNI_TANGENT_PLANE && p->nd > 0) {
      tni_panels_inner(&w->MP, x, w->ux, w->halves);
      tni_lu_solve(p->nd, w->H, w->hpivot, w->ux);
      for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < p->nd; k++) x[i] -= w->Pq[i*p->nd + k]*w->ux[k];
      }
    }
  }
  for (int j = 0; j < p->n; j++) {
    if (!(fabs(x[j]) <= largest)) largest = fabs(x[j]);
  }
  return largest;
}

/* C := C T(xi) on the pattern */
static void mix_columns(const tni_partition *p, double *C) {
  const tni_sparsity *pattern = p->s->rows;
  int *turn = p->w->perm;
  for (int j = 0; j < p->n; j++) turn[j] = -1;
  for (int k = 0; k < p->nturn; k++) {
    turn[p->turn[k]] = k;
    p->w->turn[k] = tni_turn_at(p->xi + p->turn[k]);
  }
  for (int i = 0; i < p->r; i++) {
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++) {
      int k = turn[pattern->col[e]];
      double y[3];
      if (k < 0) continue;
      tni_turn_rate_t(&p->w->turn[k], p->xi + p->turn[k], C + e, y);
      vec3_copy(C + e, y);
    }
  }
}

/* Factors at the present q, xi. T mixes columns of C, C T e_j = C (T e_j). In the tangent plane a
 * correction is normal to the plane of the beginning: (C T; P^T M) x = (residual; 0). */
static tn_status refresh(tni_partition *p, double t, const double *q) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  int r = p->r, nd = p->nd;
  tni_sparse_tangent out = {.C = w->tan.C}; /* of no use to anybody after begin */
  TN_TRY(tni_eval_sparse_tangent(s, t, q, NULL, NULL, NULL, &out));
  mix_columns(p, out.C);
  p->nrefresh++;
  tni_partition_gather(p, out.C);
  if (!tni_elim_order(&w->S, r, w->Cu, w->may) || !tni_elim_factor(&w->S, w->Cu)) return TN_SINGULAR;
  w->refreshed = true;
  if (p->kind == TNI_COORDINATES || nd == 0) return TN_OK;
  tni_partition_make_basis(p, &w->S, out.C, w->Pq);
  tni_columns all = {nd, 0, nd};
  tni_thin_clear(p->n, all, w->Y);
  tni_thin_add(s->square, w->tan.M, p->n, all, w->Pq, w->Y);
  tni_panels_inner_columns(&w->P, all, w->Y, w->small);
  tni_partition_put_rows(nd, 0, nd, w->small, w->H); /* by columns */
  return tni_lu_factor(nd, w->H, w->hpivot) ? TN_OK : TN_SINGULAR;
}

/* Newton with the factors of the beginning of the step, on positions (velocity false) or on
 * velocities at given positions. Where they do not serve, as beyond a singular position, it begins
 * again with new ones, and renews them as often as it has to. Converged when what the contraction
 * leaves to be corrected is below the tolerance. The contraction is that of C_0^-1 C(xi) to unity: on
 * both levels about the same, and about the same again when a stage moves its state a little. */
static tn_status iterate(tni_partition *p, double t, bool velocity, double *q, double *v,
                         tni_cause *cause) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  double *unknown = velocity ? p->xid : p->xi, before = DBL_MAX, scale = 1;
  int nfresh = 0;
  memcpy(w->guess, unknown, bytes);
  if (velocity) {
    for (int j = 0; j < p->n; j++) scale = fmax(scale, fabs(unknown[j]));
  }
  *cause = (tni_cause){TNI_CAUSE_PROJECT, -1, 0};
  for (int k = 0; k < RECOVER_MAX; k++) {
    if (velocity) to_velocity(p, p->xi, p->xid, v);
    else if (!place(p, p->xi, q)) return TN_STEP_REJECTED;
    if (p->r == 0) return TN_OK;
    if (velocity) tni_eval_rate(s, t, q, v, w->rows);
    else tni_eval_phi(s, t, q, w->rows);
    s->work.nnewton++;
    double change = correction(p, w->x, &cause->index), theta = change/before, left = change;
    if (cause->index >= 0) cause->value = fabs(w->rows[cause->index]);
    if (!isfinite(change)) return TN_STEP_REJECTED;
    for (int j = 0; j < p->n; j++) unknown[j] -= w->x[j];
    bool slow = theta > SLOW;
    if (before == DBL_MAX && w->contraction >= 0) left = fmin(1, TRUST*w->contraction)*change;
    if (before < DBL_MAX) {
      if (!slow) left = change*theta/(1 - theta);
      w->contraction = fmax(w->contraction, theta);
    }
    /* near a singular position residuals of rounding size still ask for larger corrections */
    if (left <= p->tol*scale || (nfresh && slow && cause->value <= RESIDUAL_FLOOR*p->size*scale)) {
      if (velocity) to_velocity(p, p->xi, p->xid, v);
      return velocity || place(p, p->xi, q) ? TN_OK : TN_STEP_REJECTED;
    }
    before = change;
    if (!slow) continue;
    if (++nfresh > REFRESH_MAX) return TN_STEP_REJECTED;
    if (nfresh == 1) memcpy(unknown, w->guess, bytes);
    if (!velocity && !place(p, p->xi, q)) return TN_STEP_REJECTED;
    if (refresh(p, t, q) != TN_OK) return TN_STEP_REJECTED;
    before = DBL_MAX;
    w->contraction = -1;
  }
  return TN_STEP_REJECTED;
}

/* was the way from the guess to the recovered position no correction of the guess? */
static bool has_jumped(const tni_partition *p, double tau, tni_cause *cause) {
  double way = 0, motion = 0;
  int index = -1;
  for (int j = 0; j < p->n; j++) {
    double change = fabs(p->xi[j] - p->w->guess[j]);
    motion = fmax(motion, fmax(fabs(p->xi[j]), fabs(tau*p->v[j])));
    if (change <= way) continue;
    way = change;
    index = j;
  }
  if (!tni_is_jump(way, motion)) return false;
  *cause = (tni_cause){TNI_CAUSE_JUMP, index, way};
  return true;
}

/* Start of the recovery: the state recovered last, if it was at the same time, or else free flight
 * with the accelerations of the beginning; moved along P to the wanted y. */
static void guess(tni_partition *p, double t, const double *y, const double *yd) {
  struct tni_partition_work *w = p->w;
  bool warm = w->warm && t == w->t_last;
  double tau = t - p->t;
  if (!warm) w->contraction = -1;
  for (int j = 0; j < p->n && !warm; j++) {
    p->xi[j] = tau*(p->v[j] + 0.5*tau*p->a[j]);
    p->xid[j] = p->v[j] + tau*p->a[j];
  }
  for (int k = 0; k < p->nd; k++) {
    w->dy[k] = y[k] - (warm ? w->y_last[k] : tau*(w->y_v[k] + 0.5*tau*w->y_a[k]));
    w->ux[k] = yd[k] - (warm ? w->yd_last[k] : w->y_v[k] + tau*w->y_a[k]);
  }
  tni_panels_add(&w->P, 1, w->dy, p->xi);
  tni_panels_add(&w->P, 1, w->ux, p->xid);
}

tn_status tni_partition_recover(tni_partition *p, double t, const double *y, const double *yd,
                                double *q, double *v, tni_cause *cause) {
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->nd*sizeof(double);
  if (p->straight) {
    memcpy(p->xi, y, bytes);
    memcpy(p->xid, yd, bytes);
    *cause = (tni_cause){TNI_CAUSE_PROJECT, -1, 0};
    if (!place(p, p->xi, q)) return TN_STEP_REJECTED;
    find_rates(p);
    to_velocity(p, p->xi, p->xid, v);
    return TN_OK;
  }
  guess(p, t, y, yd);
  w->warm = w->refreshed = false;
  TN_TRY(iterate(p, t, false, q, v, cause));
  if (has_jumped(p, t - p->t, cause)) return TN_STEP_REJECTED;
  find_rates(p);
  TN_TRY(iterate(p, t, true, q, v, cause));
  w->warm = true;
  w->t_last = t;
  memcpy(w->y_last, y, bytes);
  memcpy(w->yd_last, yd, bytes);
  return TN_OK;
}

tn_status tni_partition_accel(tni_partition *p, double t, const double *q, const double *v,
                              double *a, double *lambda, double *zdot, double *ydd,
                              tni_cause *cause) {
  tni_data *s = p->s;
  tn_status st = tni_accel(s, t, q, v, a, lambda, zdot);
  if (st != TN_OK) {
    *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
    return st;
  }
  for (int j = 0; j < p->n; j++) {
    if (isfinite(a[j]) && isfinite(v[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  to_local_acceleration(p, p->xi, p->xid, a, p->xidd);
  if (ydd) tni_partition_extract(p, p->xidd, ydd);
  return TN_OK;
}

void tni_partition_stand(tni_partition *p, const double *q) {
  memcpy(p->q, q, (size_t)p->s->nq*sizeof(double));
  tni_zero(p->xi, 1, p->n);
  find_rates(p);
  p->w->warm = false;
}

void tni_partition_restart(tni_partition *p, const double *q) {
  tni_partition_stand(p, q);
  if (!p->s->straight) p->w->chosen = false; /* matrices that never change are the same wherever they are made */
  if (!p->straight) p->r = -1;
}

bool tni_partition_rheonomic(tni_partition *p, double t0, double t1, const double *q) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  enum { SAMPLES = 16 };
  if (s->m == 0) return false;
  memset(w->vv, 0, (size_t)p->n*sizeof(double));
  for (int k = 0; k < SAMPLES; k++) {
    tni_eval_rate(s, t0 + (t1 - t0)*fmod(0.6180339887498949*k, 1.0), q, w->vv, w->rows);
    for (int i = 0; i < s->m; i++) {
      if (w->rows[i] != 0) return true;
    }
  }
  return false;
}
