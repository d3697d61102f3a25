/* domains/pcg.c - conjugate gradients on the whole system, its matrix in pieces
 *
 * Vectors are in pieces; copies of an unknown have the same bits. A vector of forces is made complete by adding up the borders.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/pcg.h"

#include <math.h>

#include "parallel/pool.h"

/* iterations without progress: rounding */
enum { PATIENCE = 3000 };

struct tni_pcg {
  const tni_domains *d;
  tn_ctx *ctx;
  tni_pcg_opts o;
  tni_arena arena;
  tni_border *border;
  int *from, *border_from;   /* [n+1]          */
  int begin, end, low, high; /* domains and places of this rank */
  double *r, *p, *q, *z, *inverse, *work; /* pieces */
  double *a, *b;             /* borders        */
  tni_coarse *coarse;        /* NULL: one level */
  double *gain;              /* [most + 1] energy that an iteration has brought */
  const double *in;
};

/* what every domain has becomes what the whole has */
static void complete(tni_pcg *w, double *x) {
  for (int s = w->begin; s < w->end; s++)
    for (int k = 0; k < w->border[s].nb; k++) w->a[w->border_from[s] + k] = x[w->from[s] + w->border[s].b[k]];
  tni_borders_sum(w->d, w->border, w->border_from, w->a, w->b);
  for (int s = w->begin; s < w->end; s++)
    for (int k = 0; k < w->border[s].nb; k++) x[w->from[s] + w->border[s].b[k]] = w->b[w->border_from[s] + k];
}

static tn_status set_up_own(tni_pcg *w) {
  const tni_domains *d = w->d;
  TN_TRY(tni_borders_create(d, &w->arena, &w->border));
  TNI_ARENA_NEW(&w->arena, w->from, d->n + 1);
  TNI_ARENA_NEW(&w->arena, w->border_from, d->n + 1);
  for (int s = 0; s < d->n; s++) {
    w->from[s + 1] = w->from[s] + d->domain[s].n;
    w->border_from[s + 1] = w->border_from[s] + w->border[s].nb;
  }
  w->low = w->from[w->begin];
  w->high = w->from[w->end];
  double **piece[] = {&w->r, &w->p, &w->q, &w->z, &w->inverse, &w->work};
  for (int i = 0; i < TNI_COUNT(piece); i++) TNI_ARENA_NEW(&w->arena, *piece[i], w->from[d->n] + 1);
  TNI_ARENA_NEW(&w->arena, w->gain, w->o.most + 1);
  TNI_ARENA_NEW(&w->arena, w->a, w->border_from[d->n] + 1);
  TNI_ARENA_NEW(&w->arena, w->b, w->border_from[d->n] + 1);
  for (int s = w->begin; s < w->end; s++) {
    const tni_domain *o = &d->domain[s];
    for (int j = 0; j < o->n; j++)
      for (int k = o->ptr[j]; k < o->ptr[j + 1]; k++)
        if (o->ind[k] == j) w->inverse[w->from[s] + j] = o->value[k];
  }
  return TN_OK;
}

static tn_status set_up_together(tni_pcg *w) {
  complete(w, w->inverse);
  TN_TRY(tni_domains_trouble(w->d));
  tn_status st = TN_OK;
  for (int i = w->low; i < w->high && st == TN_OK; i++) {
    if (!(w->inverse[i] > 0)) st = TN_FAIL(w->ctx, TN_SINGULAR, "pcg: the stiffness of an unknown is %.3g, must be positive", w->inverse[i]);
    w->inverse[i] = 1/w->inverse[i];
  }
  TN_TRY(tni_comm_agree(w->d->comm, st));
  return w->o.coarse ? tni_coarse_create(w->d, w->border, w->from, &w->arena, &w->coarse) : TN_OK;
}

tn_status tni_pcg_create(const tni_domains *d, const tni_pcg_opts *opts, tni_pcg **out) {
  *out = NULL;
  tni_pcg *w = tni_alloc(d->ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(d->ctx);
  w->d = d;
  w->ctx = d->ctx;
  w->o = *opts;
  if (w->o.most <= 0) w->o.most = 100000;
  if (!(w->o.tolerance > 0)) w->o.tolerance = 1e-10;
  w->begin = tni_domains_begin(d);
  w->end = tni_domains_end(d);
  tni_arena_init(&w->arena, d->ctx);
  tn_status st = tni_comm_agree(d->comm, set_up_own(w));
  if (st == TN_OK) st = set_up_together(w);
  if (st != TN_OK) tni_pcg_destroy(&w);
  *out = w;
  return st;
}

void tni_pcg_destroy(tni_pcg **out) {
  tni_pcg *w = out ? *out : NULL;
  if (!w) return;
  tni_arena_clear(&w->arena);
  tni_free(w->ctx, w);
  *out = NULL;
}

/* an unknown counts where its first copy is */
static double dot(tni_pcg *w, const double *x, const double *y) {
  for (int s = w->begin; s < w->end; s++) {
    const tni_border *o = &w->border[s];
    const double *a = x + w->from[s], *b = y + w->from[s];
    double part = 0;
    for (int i = 0; i < o->ni; i++) part += a[o->i[i]]*b[o->i[i]];
    for (int k = 0; k < o->nb; k++)
      if (o->side[o->from[k]].domain == s) part += a[o->b[k]]*b[o->b[k]];
    w->border->part[s] = part;
  }
  return tni_domains_sum(w->d, w->border->part);
}

static void multiply_some(void *user, int begin, int end) {
  tni_pcg *w = user;
  for (int s = w->begin + begin; s < w->begin + end; s++) tni_domain_multiply(&w->d->domain[s], w->in + w->from[s], w->q + w->from[s]);
}

/* q = K p */
static void multiply(tni_pcg *w, const double *p) {
  w->in = p;
  tni_parallel_for(w->ctx, w->end - w->begin, 1, multiply_some, w);
  complete(w, w->q);
}

static double measure(tni_pcg *w, const double *force, const double *u) {
  tni_balance b = tni_domains_balance(w->d, w->border, w->from, w->border_from, force, u, w->work, w->a, w->b);
  return tni_balance_left(&b);
}

tn_status tni_pcg_solve(tni_pcg *w, const double *force, double *u, tni_pcg_report *report) {
  tni_pcg_report none, *rep = report ? report : &none;
  size_t bytes = (size_t)(w->high - w->low)*sizeof(double);
  double rz = 0, target = w->o.tolerance, best = HUGE_VAL;
  int since = 0;
  *rep = (tni_pcg_report){0};
  memset(u + w->low, 0, bytes);
  memcpy(w->r + w->low, force + w->low, bytes);
  complete(w, w->r);
  double first = sqrt(dot(w, w->r, w->r));
  if (!(first > 0)) first = 1;
  if (w->coarse) { /* motions of domains against each other first */
    rep->coarse = tni_coarse_size(w->coarse);
    tni_coarse_correct(w->coarse, w->r, u, true);
    multiply(w, u);
    for (int i = w->low; i < w->high; i++) w->r[i] -= w->q[i];
  }
  for (;; rep->iterations++) {
    double drop = sqrt(dot(w, w->r, w->r))/first;
    TN_TRY(tni_domains_trouble(w->d));
    since = drop < 0.9*best ? 0 : since + 1;
    best = fmin(best, drop);
    bool lost = rep->iterations == w->o.most || since > PATIENCE;
    if ((!(drop > target) && tni_energy_is_there(rep->iterations, w->gain, w->o.tolerance)) || lost) { /* what the recurrence says is believed when it is true */
      rep->residual = measure(w, force, u);
      if (rep->residual <= w->o.tolerance || lost) break;
      target = fmin(drop, target)*fmax(0.01, fmin(0.5, 0.5*w->o.tolerance/rep->residual));
      if (!(target > 1e-16)) break;
    }
    double before = rz;
    for (int i = w->low; i < w->high; i++) w->z[i] = w->inverse[i]*w->r[i];
    if (w->coarse) tni_coarse_correct(w->coarse, w->r, w->z, false);
    rz = dot(w, w->r, w->z);
    double beta = rep->iterations ? rz/before : 0;
    for (int i = w->low; i < w->high; i++) w->p[i] = w->z[i] + (rep->iterations ? beta*w->p[i] : 0);
    multiply(w, w->p);
    double pq = dot(w, w->p, w->q), a = rz/pq;
    if (pq < 0) rep->indefinite = true;
    if (!(pq > 0) || !isfinite(a)) {
      TN_TRY(tni_domains_trouble(w->d));
      rep->residual = measure(w, force, u);
      break;
    }
    w->gain[rep->iterations] = a*rz;
    for (int i = w->low; i < w->high; i++) u[i] += a*w->p[i], w->r[i] -= a*w->q[i];
  }
  TN_TRY(tni_domains_trouble(w->d));
  TN_REQUIRE(w->ctx, rep->residual <= w->o.tolerance || !rep->indefinite, TN_NOT_CONVERGED, "pcg: the matrix is not positive definite");
  TN_REQUIRE(w->ctx, rep->residual <= w->o.tolerance, TN_NOT_CONVERGED, "pcg: after %d iterations the forces are off by %.2g, asked for %.2g",
             rep->iterations, rep->residual, w->o.tolerance);
  return TN_OK;
}
