/* techniques/common.c - what the techniques share: sizes, installation, small products
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stddef.h>

#include "parallel/pool.h"
#include "techniques/technique.h"

enum { BODY_GRAIN = 128 }; /* per chunk of the thread pool */

tn_status tni_technique_init(tni_technique *tq, const tni_technique_type *type, tn_ctx *ctx,
                             tni_data *s, const tni_technique_opts *opts) {
  tq->type = type;
  tq->ctx = ctx;
  tq->s = s;
  if (opts) tq->opts = *opts;
  tni_arena_init(&tq->arena, ctx);
  TN_REQUIRE(ctx, tni_has_terms(s), TN_ERR_UNSUPPORTED,
             "technique '%s' needs the cartesian representation, not %s, and no reduced bodies", type->name,
             tni_representation(s));
  double *q, *v;
  TNI_ARENA_NEW(&tq->arena, q, s->nq);
  TNI_ARENA_NEW(&tq->arena, v, s->nv);
  TNI_ARENA_NEW(&tq->arena, tq->x, s->nv);
  TNI_ARENA_NEW(&tq->arena, tq->f_lambda, s->nv);
  TNI_ARENA_NEW(&tq->arena, tq->g, s->m);
  TNI_ARENA_NEW(&tq->arena, tq->lambda, s->m);
  tni_terms terms;
  tni_initial(s, q, v);
  tni_eval_terms(s, 0, q, v, v, &terms);
  tq->K = *terms.K;
  return TN_OK;
}

void tni_technique_destroy(tni_technique **tq) {
  if (!tq || !*tq) return;
  tni_technique *t = *tq;
  if (t->s->hold == &t->hold) t->s->hold = NULL;
  tn_ctx *ctx = t->ctx;
  if (t->type->destroy) t->type->destroy(t);
  tni_arena_clear(&t->arena);
  tni_free(ctx, t);
  *tq = NULL;
}

/* ---- in the place of the accelerations of the system ---------------------------------------- */

static tni_technique *of(tni_hold *hold) { return (tni_technique *)(void *)((char *)hold - offsetof(tni_technique, hold)); }

static void store(tni_hold *hold, tni_data *s, const tni_at *at, double *potential) {
  (void)s;
  of(hold)->type->store(of(hold), at, potential);
}

static tn_status accel(tni_hold *hold, tni_data *s, double t, const double *q, const double *v, double *a,
                       double *lambda, double *zdot) {
  tni_technique *tq = of(hold);
  tni_terms terms;
  double *l = lambda ? lambda : tq->lambda;
  s->work.naccel++;
  tni_eval_terms(s, t, q, v, v, &terms);
  tni_station at = {.t = t, .v = v, .v_before = v, .v_lagged = v};
  TN_TRY(tq->type->solve(tq, &terms, &at, l, a));
  for (int i = 0; i < s->nv; i++) {
    if (!isfinite(a[i])) return tni_system_not_finite(s, t, i);
  }
  if (zdot) {
    zdot[TNI_Z_DISSIPATED] = terms.energies.dissipated;
    zdot[TNI_Z_INPUT] = terms.energies.input;
    for (int r = 0; r < s->m; r++) zdot[TNI_Z_INPUT] += l[r]*terms.phi_t[r];
  }
  return TN_OK;
}

void tni_technique_install(tni_technique *tq) {
  if (tq->type->native) return;
  tq->hold = (tni_hold){.accel = accel, .projects = tq->type->projects, .store = tq->type->store ? store : NULL};
  tq->s->hold = &tq->hold;
}

/* ---- small products ------------------------------------------------------------------------- */

void tni_technique_diagonal(const tni_kkt *K, double *diagonal) {
  int d = K->d;
  for (int b = 0; b < K->nblock; b++) {
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++) diagonal[r] = 0;
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *J = K->J + K->jadr[a], *W = K->Minv + (size_t)K->incbody[a]*(size_t)(d*d);
      for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++, J += d)
        for (int i = 0; i < d; i++) {
          double sum = 0;
          for (int j = 0; j < d; j++) sum += W[i*d + j]*J[j];
          diagonal[r] += J[i]*sum;
        }
    }
  }
}

typedef struct {
  const tni_kkt *K;
  const double *f, *minus;
  double *a;
} body_job;

static void accelerate_bodies(void *user, int begin, int end) {
  const body_job *j = user;
  int d = j->K->d;
  for (int b = begin; b < end; b++) {
    const double *W = j->K->Minv + (size_t)b*(size_t)(d*d);
    double f[6];
    for (int i = 0; i < d; i++) f[i] = j->f[b*d + i] - (j->minus ? j->minus[b*d + i] : 0);
    for (int i = 0; i < d; i++) {
      double sum = 0;
      for (int k = 0; k < d; k++) sum += W[i*d + k]*f[k];
      j->a[b*d + i] = sum;
    }
  }
}

void tni_technique_accelerate(tni_technique *tq, const double *f, const double *lambda, double *a) {
  if (lambda) tni_kkt_apply_Ct(&tq->K, lambda, tq->f_lambda);
  body_job j = {&tq->K, f, lambda ? tq->f_lambda : NULL, a};
  tni_parallel_for(tq->ctx, tq->K.nbody, BODY_GRAIN, accelerate_bodies, &j);
  for (int i = 0, at = tq->K.nbody*tq->K.d; i < tq->K.nfree; i++)
    a[at + i] = tq->K.free_minv[i]*f[at + i];
}

void tni_technique_rate(const tni_terms *terms, const double *v, double *rate) {
  tni_kkt_apply_C(terms->K, v, rate);
  for (int r = 0; r < terms->K->nrow; r++) rate[r] += terms->phi_t[r];
}

tn_status tni_technique_singular(tni_technique *tq, double t, int row) {
  char name[128] = "?";
  if (row >= 0) tni_row_name(tq->s, row, name, sizeof(name));
  return TN_FAIL(tq->ctx, TN_SINGULAR,
                 "technique '%s': the constraints depend on each other at t = %g s (row '%s'); "
                 "technique 'staggered' passes such positions",
                 tq->type->name, t, name);
}
