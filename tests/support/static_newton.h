/* tests/support/static_newton.h - equilibrium by Newton's method with the exact tangent of a system
 *
 * Load steps are times: forces of the model grow with t. Dense, small, without line search: what is
 * tested is the tangent and the elements, not the solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_STATIC_NEWTON_H
#define TN_STATIC_NEWTON_H

#include "support/loaded.h"
#include "system/common.h"

typedef struct {
  tni_data *s;
  int n;                 /* nv + m */
  double *q, *v, *lambda, *q1;
  double *A, *b, *dx, *f6;
  int iterations;        /* of the last step */
  double residual[40];   /* its history      */
} newton;

static inline void newton_begin(newton *w, loaded *l) {
  memset(w, 0, sizeof(*w));
  CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &w->s));
  size_t n = (size_t)(w->n = w->s->nv + w->s->m);
  w->q = calloc((size_t)w->s->nq, sizeof(double));
  w->q1 = calloc((size_t)w->s->nq, sizeof(double));
  w->v = calloc(n, sizeof(double));
  w->lambda = calloc(n, sizeof(double));
  w->dx = calloc(n, sizeof(double));
  w->b = calloc(n, sizeof(double));
  w->A = calloc(n*n, sizeof(double));
  w->f6 = calloc((size_t)(6*l->model->nbody), sizeof(double));
  tni_initial(w->s, w->q, w->v);
  memset(w->v, 0, n*sizeof(double));
}

static inline void newton_end(newton *w) {
  free(w->q), free(w->q1), free(w->v), free(w->lambda), free(w->dx), free(w->b), free(w->A);
  free(w->f6);
  tni_data_destroy(&w->s);
}

/* x := A^-1 b by elimination with row pivots; both are overwritten */
static inline void newton_solve(double *A, double *b, int n) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i*n + k]) > fabs(A[p*n + k])) p = i;
    for (int j = 0; j < n && p != k; j++) {
      double x = A[k*n + j];
      A[k*n + j] = A[p*n + j];
      A[p*n + j] = x;
    }
    double x = b[k];
    b[k] = b[p];
    b[p] = x;
    for (int i = k + 1; i < n; i++) {
      double m = A[i*n + k]/A[k*n + k];
      if (m == 0) continue;
      for (int j = k; j < n; j++) A[i*n + j] -= m*A[k*n + j];
      b[i] -= m*b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i*n + j]*b[j];
    b[i] /= A[i*n + i];
  }
}

/* equilibrium at t; false: did not converge. tol: largest correction, m and rad */
static inline bool newton_step(newton *w, double t, double tol, int max_iterations) {
  tni_data *s = w->s;
  int nv = s->nv, n = w->n;
  double *K = calloc((size_t)(nv*nv), sizeof(double)), *G = calloc((size_t)(nv*nv), sizeof(double));
  double *C = calloc((size_t)(s->m*nv + 1), sizeof(double)), *phi = calloc((size_t)s->m + 1, 8);
  bool done = false;
  for (w->iterations = 0; w->iterations < max_iterations && !done; w->iterations++) {
    tni_tangent T = {.f_q = K, .Ctl_q = G, .C = C};
    CHECK_OK(s->ctx, tni_eval_tangent(s, t, w->q, w->v, NULL, w->lambda, &T));
    tni_eval_bodies(s, t, w->q, w->v, NULL);
    tni_system_forces(s, t, w->f6);
    tni_eval_phi(s, t, w->q, phi);
    memset(w->A, 0, (size_t)(n*n)*sizeof(double));
    double worst = 0;
    for (int i = 0; i < nv; i++) {
      w->b[i] = w->f6[6*tni_layout_owner(s->layout, i) + s->layout->role[i]];
      for (int r = 0; r < s->m; r++) w->b[i] -= C[r*nv + i]*w->lambda[r];
      for (int j = 0; j < nv; j++) w->A[i*n + j] = G[i*nv + j] - K[i*nv + j];
      for (int r = 0; r < s->m; r++) w->A[i*n + nv + r] = w->A[(nv + r)*n + i] = C[r*nv + i];
      worst = fmax(worst, fabs(w->b[i]));
    }
    for (int r = 0; r < s->m; r++) w->b[nv + r] = -phi[r];
    w->residual[w->iterations < 40 ? w->iterations : 39] = worst;
    newton_solve(w->A, w->b, n);
    double change = 0;
    for (int i = 0; i < nv; i++) change = fmax(change, fabs(w->b[i]));
    tni_retract(s, w->q, w->b, w->q1);
    memcpy(w->q, w->q1, (size_t)s->nq*sizeof(double));
    for (int r = 0; r < s->m; r++) w->lambda[r] += w->b[nv + r];
    done = change < tol;
    if (!isfinite(change)) break;
  }
  free(K), free(G), free(C), free(phi);
  return done;
}

/* from t = 0 to 1, in `steps` equal steps that are halved where Newton fails; true: arrived */
static inline bool newton_path(newton *w, int steps, double tol) {
  size_t nq = (size_t)w->s->nq*sizeof(double), nl = (size_t)w->n*sizeof(double);
  double *q = malloc(nq), *lambda = malloc(nl), t = 0, h = 1.0/steps;
  while (t < 1 && h > 1e-4) {
    double next = t + 1.001*h > 1 ? 1 : t + h;
    memcpy(q, w->q, nq);
    memcpy(lambda, w->lambda, nl);
    if (newton_step(w, next, tol, 15)) {
      t = next;
      continue;
    }
    memcpy(w->q, q, nq);
    memcpy(w->lambda, lambda, nl);
    h /= 2;
  }
  free(q), free(lambda);
  return t == 1;
}

/* place of a body, and its rotation against the start about z */
static inline const double *newton_place(const newton *w, const char *body) {
  return w->q + 7*tn_model_find_body(w->s->model, body);
}

#endif
