/* analyses/periodic.c - the steady cycle of a driven mechanism, and whether it is stable
 *
 * A trajectory over one period that ends as it begins. The transient is marched for some periods; then Newton's method changes the
 * beginning: with W the derivative of the end by the beginning, which the factors of the trajectory give column by column, and Q an
 * orthonormal basis of the changes that the constraints allow,
 *
 *   Q^T (W - 1) Q ds = -Q^T (end - beginning)
 *
 * A body that comes back turned by whole turns has come back. Eigenvalues of Q^T W Q are the Floquet multipliers: the cycle is
 * stable if all of them lie inside the unit circle.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "analyses/course.h"
#include "linsolve/lapack.h"

#undef I /* complex.h */

enum { MAX_STEPS = 20 };
static const double CLOSED = 1e-10;

static const tni_key keys[] = {
    {"period", TNI_KIND_NUMBER, TNI_ABOVE_MIN, 0, HUGE_VAL, 0, "s", "until - from", NULL,
     "Periodic: length of the cycle, that of whatever drives the model."},
    {"cycles", TNI_KIND_INTEGER, 0, 0, 1e6, 0, NULL, "6", NULL,
     "Periodic: periods that the transient is followed for before Newton's method looks for the cycle."}};

typedef struct {
  int nv, n, ns;       /* n = 2 nv                                    */
  double *A;           /* [n][rows] columns of the allowed changes     */
  double *Q;           /* [n][ns] column-major                         */
  double *W;           /* [n][ns] column-major                         */
  double *S, *r;       /* [ns][ns], [n]                                */
  double *re, *im;     /* [ns]                                         */
  double *work;        /* [4*n] for LAPACK                             */
  double *C, *Cv_q;    /* values of rows                               */
} cycle;

static tn_status set_up(tni_arena *a, const tni_data *s, cycle *c) {
  c->nv = s->nv;
  c->n = 2*s->nv;
  size_t n = (size_t)c->n;
  TNI_ARENA_NEW(a, c->A, n*n);
  TNI_ARENA_NEW(a, c->Q, n*n);
  TNI_ARENA_NEW(a, c->W, n*n);
  TNI_ARENA_NEW(a, c->S, n*n);
  TNI_ARENA_NEW(a, c->r, n);
  TNI_ARENA_NEW(a, c->re, n);
  TNI_ARENA_NEW(a, c->im, n);
  TNI_ARENA_NEW(a, c->work, 4*n);
  if (s->m) {
    TNI_ARENA_NEW(a, c->C, s->rows->nnz);
    TNI_ARENA_NEW(a, c->Cv_q, s->rows->nnz);
  }
  return TN_OK;
}

/* Q: what neither positions nor velocities of the constraints feel, by orthogonal elimination of their rows */
static tn_status allowed_changes(tn_ctx *ctx, tni_data *s, const tni_slab_shape *p, double t, const double *q, const double *v,
                                 cycle *c) {
  int n = c->n, rows = 0;
  memset(c->A, 0, (size_t)n*(size_t)n*sizeof(double));
  if (s->m) {
    tni_sparse_tangent out = {.C = c->C, .Cv_q = c->Cv_q};
    TN_TRY(tni_eval_sparse_tangent(s, t, q, v, NULL, NULL, &out));
  }
  for (int r = 0; r < s->m; r++) {
    for (int level = 0; level < 2; level++) {
      if (!(level ? p->active[r] : p->position[r])) continue;
      if (rows >= n) return TN_FAIL(ctx, TN_INCONSISTENT, "nothing is left to move: the motion is prescribed, take type: kinematics");
      double *col = c->A + (size_t)rows++*(size_t)n;
      for (int k = s->rows->rowptr[r]; k < s->rows->rowptr[r+1]; k++) {
        int j = s->rows->col[k];
        if (level == 0) col[j] = c->C[k];
        else col[j] = c->Cv_q[k], col[c->nv + j] = c->C[k];
      }
    }
  }
  c->ns = n - rows;
  /* full Q of A [n][rows]: its last columns are normal to all rows */
  memcpy(c->Q, c->A, (size_t)n*(size_t)n*sizeof(double));
  if (rows > 0) {
    if (tni_geqrf(n, rows, c->Q, n, c->re, c->work, 4*n) != 0 ||
        tni_orgqr(n, n, rows, c->Q, n, c->re, c->work, 4*n) != 0)
      return TN_FAIL(ctx, TN_SINGULAR, "the constraints at the beginning of the cycle are singular");
    memmove(c->Q, c->Q + (size_t)rows*(size_t)n, (size_t)c->ns*(size_t)n*sizeof(double));
  } else {
    for (int i = 0; i < n; i++) c->Q[(size_t)i*(size_t)n + (size_t)i] = 1;
  }
  return TN_OK;
}

/* S = Q^T W Q */
static void monodromy(tni_trajectory *tr, cycle *c) {
  size_t n = (size_t)c->n;
  memcpy(c->W, c->Q, (size_t)c->ns*n*sizeof(double));
  for (int e = 0; e < tr->n; e++) tni_trajectory_change(tr, e, c->ns, NULL, c->W, NULL);
  for (int i = 0; i < c->ns; i++)
    for (int j = 0; j < c->ns; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += c->Q[(size_t)i*n + k]*c->W[(size_t)j*n + k];
      c->S[(size_t)j*(size_t)c->ns + (size_t)i] = sum;
    }
}

/* how far the end is from the beginning, in units of lengths, angles and a period */
static double gap(tni_course *w, cycle *c, double T) {
  const tni_trajectory *tr = w->tr;
  double most = 0;
  tni_difference(w->sim->s, tr->q0[0], tni_trajectory_q(tr, tr->n), c->r);
  for (int j = 0; j < c->nv; j++) {
    c->r[c->nv + j] = tni_trajectory_v(tr, tr->n)[j] - tr->v0[0][j];
    most = fmax(most, fmax(fabs(c->r[j]), T/6.28318530717958648*fabs(c->r[c->nv + j]))/tr->unit[j]);
  }
  return most;
}

static tn_status newton_step(tn_ctx *ctx, tni_course *w, cycle *c, double *q, double *v, int *pivot) {
  tni_trajectory *tr = w->tr;
  size_t n = (size_t)c->n, ns = (size_t)c->ns;
  double *b = c->re;
  for (size_t i = 0; i < ns; i++) {
    b[i] = 0;
    for (size_t k = 0; k < n; k++) b[i] -= c->Q[i*n + k]*c->r[k];
    c->S[i*ns + i] -= 1;
  }
  if (tni_gesv(c->ns, c->S, c->ns, pivot, b) != 0)
    return TN_FAIL(ctx, TN_SINGULAR, "boundary-value closing singular: the condition does not determine the cycle; a model that "
                   "nothing drives has a cycle wherever it begins");
  memset(c->r, 0, n*sizeof(double));
  for (size_t i = 0; i < ns; i++)
    for (size_t k = 0; k < n; k++) c->r[k] += b[i]*c->Q[i*n + k];
  tni_retract(w->sim->s, tr->q0[0], c->r, q);
  for (int j = 0; j < c->nv; j++) v[j] = tr->v0[0][j] + c->r[c->nv + j];
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-13, .polish = true};
  return tni_project(w->sim->s, w->sim->set.from, q, v, &p, NULL);
}

static tn_status report(tni_run *r, cycle *c, tni_course *w, int steps, double left, double *largest) {
  tni_table *table;
  double *pair;
  size_t ns = (size_t)c->ns;
  if (tni_geev('N', 'N', c->ns, c->S, c->ns, c->re, c->im, NULL, 1, NULL, 1, c->work, 4*c->ns) != 0)
    return TN_FAIL(r->ctx, TN_NOT_CONVERGED, "multipliers of the cycle not found");
  /* largest first */
  for (size_t i = 0; i < ns; i++)
    for (size_t j = i + 1; j < ns; j++)
      if (hypot(c->re[j], c->im[j]) > hypot(c->re[i], c->im[i])*(1 + 1e-12)) {
        double x = c->re[i], y = c->im[i];
        c->re[i] = c->re[j], c->im[i] = c->im[j];
        c->re[j] = x, c->im[j] = y;
      }
  *largest = ns ? hypot(c->re[0], c->im[0]) : 0;
  TNI_ARENA_NEW(&r->sim->arena, table, 1);
  TNI_ARENA_NEW(&r->sim->arena, pair, 2*ns);
  for (size_t i = 0; i < ns; i++) pair[2*i] = c->re[i], pair[2*i + 1] = c->im[i];
  *table = (tni_table){.path = "periodic/multiplier", .unit = "1", .nrow = c->ns, .ncolumn = 2, .values = pair};
  r->table = table;
  r->ntable = c->ns > 0;
  tni_run_add_figure(r, "Newton steps", "", steps);
  tni_run_add_figure(r, "gap left", "", left);
  tni_run_add_figure(r, "largest multiplier", "", *largest);
  for (size_t i = 0; i < ns && i < 4; i++) {
    char name[40];
    snprintf(name, sizeof(name), "multiplier %zu, real", i + 1);
    tni_run_add_figure(r, name, "", c->re[i]);
    snprintf(name, sizeof(name), "multiplier %zu, imaginary", i + 1);
    tni_run_add_figure(r, name, "", c->im[i]);
  }
  (void)w;
  return TN_OK;
}

/* Whatever depends on time must do so with the period: accelerations and rates of prescribed motions along the trajectory, and one period later. */
static tn_status check_period(tni_run *r, tni_course *w, double T) {
  static const double ALIKE = 1e-6;
  tni_arena *arena = &r->sim->arena;
  const tni_trajectory *tr = w->tr;
  const tni_item *an = tni_run_item(r);
  tni_data *s = w->sim->s;
  double *a[2], *l, *phi_t[2], most = 0, size = 0, at = 0;
  TNI_ARENA_NEW(arena, l, s->m);
  for (int i = 0; i < 2; i++) {
    TNI_ARENA_NEW(arena, a[i], s->nv);
    TNI_ARENA_NEW(arena, phi_t[i], s->m);
  }
  for (int e = 0; e < tr->n; e++) {
    const double *q = tni_trajectory_q(tr, e), *v = tni_trajectory_v(tr, e);
    double t = tr->slab[e].t;
    bool known = true;
    for (int i = 0; i < 2; i++) {
      known = known && tni_accel(s, t + i*T, q, v, a[i], l, NULL) == TN_OK;
      if (s->m) tni_eval_rate(s, t + i*T, q, tr->zero, phi_t[i]);
    }
    double off = 0;
    for (int j = 0; j < s->nv && known; j++) {
      off = fmax(off, fabs(a[1][j] - a[0][j])/tr->unit[j]);
      size = fmax(size, fabs(a[0][j])/tr->unit[j]);
    }
    for (int m = 0; m < s->m; m++) {
      off = fmax(off, fabs(phi_t[1][m] - phi_t[0][m])/T);
      size = fmax(size, fabs(phi_t[0][m])/T);
    }
    if (off > most) most = off, at = t;
  }
  if (most <= ALIKE*size + 1e-10) return TN_OK;
  return tni_item_fail(r->ctx, an, an && tni_item_has(an, "period") ? "period" : NULL, "what drives the model does not have the period %g s: accelerations at t = %.4g s "
                       "and a period later differ by %.2g of their size%s", T, at, most/size,
                       an && tni_item_has(an, "period") ? "" : "; key 'period' is missing");
}

static tn_status find_cycle(tni_run *r, tni_course *w) {
  tn_sim *sim = r->sim;
  const tni_item *an = tni_run_item(r);
  int cycles = an ? tni_item_integer(an, "cycles", 6) : 6, steps = 0, *pivot;
  double T = sim->set.until - sim->set.from, *q, *v, left;
  cycle c = {0};
  TNI_ARENA_NEW(&sim->arena, q, sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, v, sim->s->nv);
  TNI_ARENA_NEW(&sim->arena, pivot, 2*sim->s->nv);
  TN_TRY(set_up(&sim->arena, sim->s, &c));
  memcpy(q, w->q0, (size_t)sim->s->nq*sizeof(double));
  memcpy(v, w->v0, (size_t)sim->s->nv*sizeof(double));
  /* the drive is periodic: every period may be followed from the same time on */
  for (int i = 0; i <= cycles; i++) {
    TN_TRY(tni_course_solve(w, q, v, false));
    TN_TRY(tni_run_heed_interrupt(r, sim->set.from));
    if (i == 0) TN_TRY(check_period(r, w, T));
    if (i == cycles) break;
    memcpy(q, tni_trajectory_q(w->tr, w->tr->n), (size_t)sim->s->nq*sizeof(double));
    memcpy(v, tni_trajectory_v(w->tr, w->tr->n), (size_t)sim->s->nv*sizeof(double));
  }
  for (;; steps++) {
    left = gap(w, &c, T);
    TN_TRY(allowed_changes(r->ctx, sim->s, &w->tr->shape, sim->set.from, w->tr->q0[0], w->tr->v0[0], &c));
    TN_TRY(tni_trajectory_factor(w->tr));
    monodromy(w->tr, &c);
    if (left <= CLOSED) break;
    TN_REQUIRE(r->ctx, steps < MAX_STEPS && left < 1e3, TN_NOT_CONVERGED,
               "no cycle found after %d Newton steps, the end is %.2g from the beginning; follow the transient longer (cycles), or "
               "begin nearer to it", steps, left);
    TN_TRY(newton_step(r->ctx, w, &c, q, v, pivot));
    TN_TRY(tni_course_solve(w, q, v, true));
    TN_TRY(tni_run_heed_interrupt(r, sim->set.from));
  }
  double largest = 0;
  TN_TRY(report(r, &c, w, steps, left, &largest));
  snprintf(sim->sum.method, sizeof(sim->sum.method), "periodic: cycle of %g s in %d elements of %d points, %s", T, w->tr->n,
           w->tr->shape.g.k, largest < 1 ? "stable" : "unstable");
  return tni_course_store(r, w);
}

static tn_status run(tni_run *r) {
  tni_course w;
  const tni_item *an = tni_run_item(r);
  if (an && tni_item_has(an, "period")) r->sim->set.until = r->sim->set.from + tni_item_number(an, "period", 1);
  tn_status st = tni_course_open(r->sim, &w);
  if (st == TN_OK) st = find_cycle(r, &w);
  tni_course_close(&w);
  return st;
}

const tni_analysis tni_analysis_periodic = {
    .name = "periodic", .doc = "find the steady cycle of a driven model", .motion = TNI_MOTION_WHOLE, .key = keys,
    .nkey = TNI_COUNT(keys), .run = run};
