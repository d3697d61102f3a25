/* tests/support/structure.h - what tests of structures share: tangents against differences, equilibria
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_STRUCTURE_TEST_H
#define TN_STRUCTURE_TEST_H

#include "support/fields.h"

static tn_summary sum; /* large */

/* ---- tangents ----------------------------------------------------------------------------------- */

/* balance at a state beside (q, v, t): q along x by e, v by y, t by dt */
static void balance_beside(tni_data *s, double t, const double *q, const double *v, const double *x, const double *y,
                           double e, double *r) {
  double *q1 = malloc((size_t)s->nq*sizeof(double)), *v1 = malloc((size_t)s->nv*sizeof(double)),
         *dx = malloc((size_t)s->nv*sizeof(double));
  for (int i = 0; i < s->nv; i++) {
    dx[i] = x ? e*x[i] : 0;
    v1[i] = v[i] + (y ? e*y[i] : 0);
  }
  tni_retract(s, q, dx, q1);
  tni_eval_balance(s, t, q1, v1, NULL, NULL, r, NULL, NULL, NULL);
  free(q1), free(v1), free(dx);
}

/* the sparse tangents times random directions against central differences of the residual; largest error in parts of the
 * largest product */
static double tangent_error(tni_data *s, double t, const double *q, const double *v, double e) {
  size_t nv = (size_t)s->nv;
  double *x = malloc(nv*sizeof(double)), *K = calloc((size_t)s->square->nnz, sizeof(double)),
         *D = calloc((size_t)s->square->nnz, sizeof(double)), *r_t = calloc(nv, sizeof(double)),
         *r0 = malloc(nv*sizeof(double)), *r1 = malloc(nv*sizeof(double)), *y = malloc(nv*sizeof(double)), worst = 0;
  tni_sparse_tangent out = {.r_q = K, .r_v = D, .r_t = r_t};
  CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, t, q, v, NULL, NULL, &out));
  for (int pass = 0; pass < 3; pass++) {
    double size = 0, off = 0;
    for (size_t i = 0; i < nv; i++) x[i] = draw();
    memset(y, 0, nv*sizeof(double));
    if (pass < 2) tni_sparse_add(s->square, 1, pass ? D : K, x, y);
    else memcpy(y, r_t, nv*sizeof(double));
    double h = pass == 2 ? 1e-4 : e;
    balance_beside(s, t + (pass == 2 ? h : 0), q, v, pass == 0 ? x : NULL, pass == 1 ? x : NULL, h, r1);
    balance_beside(s, t - (pass == 2 ? h : 0), q, v, pass == 0 ? x : NULL, pass == 1 ? x : NULL, -h, r0);
    for (size_t i = 0; i < nv; i++) {
      size = fmax(size, fabs(y[i]));
      off = fmax(off, fabs(y[i] - (r1[i] - r0[i])/(2*h)));
    }
    if (size > 0 || off > 1e-7) worst = fmax(worst, off/fmax(size, 1e-300));
  }
  free(x), free(K), free(D), free(r_t), free(r0), free(r1), free(y);
  return worst;
}

static tn_sim *rest_of(loaded *l) {
  tn_sim *sim = NULL;
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, NULL, &sim));
  CHECK_OK(l->ctx, tni_statics_run(sim, store_nothing, NULL));
  return sim;
}

#endif
