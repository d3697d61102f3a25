/* nonlinear/tangent_space.c - the equations of a constrained system along the directions left free
 *
 *   W = L L^T,   (L^-1 C^T) P = Q R  with column pivoting,   Z = L^-T Q_2,
 *   lambda = P (R_11^-1 Q_1^T L^-1 f; 0), then of least norm
 *
 * Columns of L^-1 C^T are scaled to length 1 before the factorization, so that the rank does not
 * depend on the units of a constraint.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/lapack.h"
#include "nonlinear/sparse_space.h"

#include <float.h>
#include <math.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

/* sine of the angle to the rows before it below which a row is dependent; as in the system */
static const double RANK_TOL = 1e-9;
/* difference of H and its transpose, relative to H, that is rounding or the end of an iteration */
static const double SYMMETRIC = 1e-7;
/* eigenvalues are exact to about n eps times the size of the matrix; a margin above that */
static const double ZERO_MARGIN = 50;

/* Beyond this many velocity components sparse factorizations are faster. Nodes of trusses and cables turn
 * freely: where there are such a few eigenvalues next to zero say nothing, and all are worth seconds. */
enum { MOST_DENSE = 150, MOST_DENSE_TRUSSES = 600 };

bool tni_tangent_is_sparse(const tni_data *s, int most_dense) {
  if (tni_stresses_any(s, false)) return s->nv > MOST_DENSE_TRUSSES;
  return s->nv > (most_dense > 0 ? most_dense : MOST_DENSE) || tni_stresses_any(s, true);
}

tn_status tni_tangent_space_create(tni_arena *arena, tni_data *s, tni_space_form form,
                                   tni_tangent_space *out) {
  memset(out, 0, sizeof(*out));
  if (s->relative)
    return TN_FAIL(s->ctx, TN_ERR_UNSUPPORTED,
                   "equilibrium and modes need the cartesian representation, not '%s'",
                   tni_representation(s));
  out->s = s;
  out->n = s->nv;
  out->m = s->m;
  size_t n = (size_t)s->nv, m = (size_t)s->m;
  double **vector_n[] = {&out->f, &out->residual, &out->f_t, &out->move, &out->a0, &out->weight,
                         &out->g, &out->g_t, &out->value, &out->v, &out->a, &out->wdiag, &out->y};
  double **square[] = {&out->M, &out->W, &out->K, &out->f_v, &out->Z, &out->H, &out->vector,
                       &out->L, &out->W1, &out->W2};
  for (int i = 0; i < TNI_COUNT(vector_n); i++) TNI_ARENA_NEW(arena, *vector_n[i], n);
  TNI_ARENA_NEW(arena, out->q, s->nq);
  TNI_ARENA_NEW(arena, out->lambda, m);
  TNI_ARENA_NEW(arena, out->rest, n + m + 1);
  if (form == TNI_SPACE_SPARSE ||
      (form == TNI_SPACE_AUTO && tni_tangent_is_sparse(s, 0)))
    return tni_sparse_create(arena, out);
  for (int i = 0; i < TNI_COUNT(square); i++) TNI_ARENA_NEW(arena, *square[i], n*n);
  TNI_ARENA_NEW(arena, out->A, (n + 1)*(n + 1));
  TNI_ARENA_NEW(arena, out->order, n + 1);
  TNI_ARENA_NEW(arena, out->C, m*n);
  /* after the factorization Q takes its place, which is n wide */
  TNI_ARENA_NEW(arena, out->Ct, n*(m > n ? m : n));
  TNI_ARENA_NEW(arena, out->tau, n + m);
  TNI_ARENA_NEW(arena, out->scale, m);
  TNI_ARENA_NEW(arena, out->pivot, m);
  out->lwork = 64*(int)(n + m + 4);
  TNI_ARENA_NEW(arena, out->work, out->lwork);
  return TN_OK;
}

void tni_tangent_space_destroy(tni_tangent_space *ts) { tni_sparse_destroy(ts); }

/* v = Omega x (r - p), w = A^T Omega; a = Omega x v, w' = 0 */
static void add_spin(tni_tangent_space *ts) {
  const tni_layout *L = ts->s->layout;
  memset(ts->v, 0, (size_t)ts->n*sizeof(double));
  memset(ts->a, 0, (size_t)ts->n*sizeof(double));
  ts->spinning = vec3_dot(ts->spin, ts->spin) > 0;
  for (int i = 0; i < L->nnode && ts->spinning; i++) {
    double v6[6], a6[6] = {0}, A[9], r[3];
    tni_layout_attitude(L, i, ts->q, A);
    vec3_sub(r, ts->q + L->qadr[i], ts->spin_at);
    vec3_cross(v6, ts->spin, r);
    mat3_tvec(v6 + 3, A, ts->spin);
    vec3_cross(a6, ts->spin, v6);
    tni_layout_pick(L, i, v6, ts->v);
    tni_layout_pick(L, i, a6, ts->a);
  }
}

/* K += M da/dq - f_v dv/dq, with da = ~Omega ~Omega dr and dv = (~Omega dr, ~w dtheta) */
static void add_spin_tangent(tni_tangent_space *ts) {
  const tni_layout *L = ts->s->layout;
  size_t n = (size_t)ts->n;
  double W[9], WW[9], w[9];
  mat3_skew(W, ts->spin);
  mat3_mul(WW, W, W);
  for (int i = 0; i < L->nnode; i++) {
    int first = L->vadr[i], last = first + L->size[i];
    double A[9], wb[3];
    tni_layout_attitude(L, i, ts->q, A);
    mat3_tvec(wb, A, ts->spin);
    mat3_skew(w, wb);
    for (int j = first; j < last; j++)
      for (int k = first; k < last; k++) {
        int J = L->role[j], K = L->role[k];
        if ((J < 3) != (K < 3)) continue;
        double v_q = J < 3 ? W[3*J + K] : w[3*(J - 3) + K - 3];
        double a_q = J < 3 ? WW[3*J + K] : 0;
        size_t row = (size_t)j, col = (size_t)k;
        for (size_t p = 0; p < n; p++)
          ts->K[p*n + col] += ts->M[p*n + row]*a_q - ts->f_v[p*n + row]*v_q;
      }
  }
}

/* the measure: mass, with the lever added to the radii of gyration */
static void add_lever(tni_tangent_space *ts) {
  const tni_layout *L = ts->s->layout;
  size_t n = (size_t)ts->n;
  memcpy(ts->W, ts->M, n*n*sizeof(double));
  for (int i = 0; i < L->nnode; i++)
    for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++)
      if (L->role[j] >= TNI_ROLE_TURN)
        ts->W[(size_t)j*(n + 1)] += tni_node_inertia(ts->s, i).mass*ts->lever*ts->lever;
  for (size_t i = 0; i < n; i++) ts->wdiag[i] = ts->W[i*(n + 1)];
}

/* orthonormal directions and multipliers */
static tn_status split(tni_tangent_space *ts) {
  tni_data *s = ts->s;
  int n = ts->n, m = ts->m;
  size_t nn = (size_t)n, bytes = nn*nn*sizeof(double);
  memcpy(ts->L, ts->W, bytes);
  if (tni_potrf('L', n, ts->L, n) != 0)
    return TN_FAIL(s->ctx, TN_SINGULAR, "the mass matrix is not positive definite");
  memcpy(ts->rest, ts->f, nn*sizeof(double));
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, ts->L, n, ts->rest, 1);
  memset(ts->lambda, 0, (size_t)m*sizeof(double));
  memset(ts->Ct, 0, bytes);
  memset(ts->move, 0, nn*sizeof(double));
  int rank = 0;
  if (m > 0) {
    memcpy(ts->Ct, ts->C, nn*(size_t)m*sizeof(double));
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1, ts->L, n,
                ts->Ct, n);
    for (int r = 0; r < m; r++) {
      double length = cblas_dnrm2(n, ts->Ct + (size_t)r*nn, 1);
      ts->scale[r] = length > 0 ? 1/length : 0;
      cblas_dscal(n, ts->scale[r], ts->Ct + (size_t)r*nn, 1);
      ts->pivot[r] = 0;
    }
    tni_geqp3(n, m, ts->Ct, n, ts->pivot, ts->tau, ts->work, ts->lwork);
    int most = m < n ? m : n;
    while (rank < most && fabs(ts->Ct[(size_t)rank*nn + (size_t)rank]) > RANK_TOL) rank++;
    /* c = Q^T L^-1 f, lambda = R_11^-1 c_1; move: Q_1 R_11^-T (-Phi_t) */
    double *c = ts->rest, *p = ts->a0, *phi_t = ts->rest + n;
    tni_ormqr('L', 'T', n, 1, most, ts->Ct, n, ts->tau, c, n, ts->work,
                        ts->lwork);
    tni_eval_rate(s, ts->t, ts->q, ts->move, phi_t); /* move is zero here: Phi_t */
    memset(p, 0, nn*sizeof(double));
    for (int k = 0; k < rank; k++) p[k] = -phi_t[ts->pivot[k] - 1]*ts->scale[ts->pivot[k] - 1];
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, rank, ts->Ct, n, p, 1);
    tni_ormqr('L', 'N', n, 1, most, ts->Ct, n, ts->tau, p, n, ts->work,
                        ts->lwork);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, ts->L, n, p, 1);
    memcpy(ts->move, p, nn*sizeof(double));
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, rank, ts->Ct, n, c, 1);
    for (int k = 0; k < rank; k++)
      ts->lambda[ts->pivot[k] - 1] = c[k]*ts->scale[ts->pivot[k] - 1];
    if (s->rank && s->rank->nnull > 0) tni_rank_min_norm(s->rank, ts->lambda);
  }
  ts->rank = rank;
  ts->nd = n - rank;
  /* all of Q, then its last columns */
  memset(ts->W1, 0, bytes);
  for (int j = 0; j < ts->nd; j++) ts->W1[(size_t)j*nn + (size_t)(rank + j)] = 1;
  if (rank > 0)
    tni_ormqr('L', 'N', n, ts->nd, rank, ts->Ct, n, ts->tau, ts->W1, n,
                        ts->work, ts->lwork);
  memcpy(ts->Z, ts->W1, bytes);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, ts->nd, 1, ts->L, n,
              ts->Z, n);
  return TN_OK;
}

/* out [nd][nd] row-major = Z^T A Z, A [n][n] row-major */
static void reduce_matrix(tni_tangent_space *ts, const double *A, double *out) {
  int n = ts->n, nd = ts->nd;
  if (nd == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, nd, n, n, 1, ts->Z, n, A, n, 0, ts->W1, n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, nd, nd, n, 1, ts->W1, n, ts->Z, n, 0, out, nd);
}

static double largest_mass(const tni_tangent_space *ts) {
  double most = 0;
  for (int i = 0; i < ts->s->layout->nnode; i++) most = fmax(most, tni_node_inertia(ts->s, i).mass);
  return most;
}

/* everything that follows from M, C, f: split, K, g, H */
static tn_status update_dense(tni_tangent_space *ts, double t, const double *q) {
  tni_data *s = ts->s;
  int n = ts->n, m = ts->m;
  size_t nn = (size_t)n;
  tni_tangent first = {.M = ts->M, .C = m ? ts->C : NULL, .f_v = ts->f_v, .f_t = ts->f_t};
  TN_TRY(tni_eval_tangent(s, t, q, ts->v, NULL, NULL, &first));
  if (ts->spinning)
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, -1, ts->M, n, ts->a, 1, 1, ts->f, 1);
  add_lever(ts);
  TN_TRY(split(ts));
  tni_tangent second = {.f_q = ts->W2, .Ctl_q = ts->K};
  TN_TRY(tni_eval_tangent(s, t, q, ts->v, NULL, ts->lambda, &second));
  ts->kscale = ts->fscale = 0;
  for (size_t i = 0; i < nn; i++) {
    double mi = ts->W[i*nn + i];
    ts->fscale += ts->weight[i]*ts->weight[i]/mi;
    for (size_t j = 0; j < nn; j++) {
      double size = (fabs(ts->K[i*nn + j]) + fabs(ts->W2[i*nn + j]))/sqrt(mi*ts->W[j*nn + j]);
      if (!(size <= ts->kscale)) ts->kscale = size;
      ts->K[i*nn + j] -= ts->W2[i*nn + j];
    }
  }
  ts->fscale = sqrt(ts->fscale);
  ts->zero = ZERO_MARGIN*ts->n*DBL_EPSILON*ts->kscale;
  if (ts->spinning) add_spin_tangent(ts);
  memcpy(ts->residual, ts->f, nn*sizeof(double));
  if (m > 0)
    cblas_dgemv(CblasRowMajor, CblasTrans, m, n, -1, ts->C, n, ts->lambda, 1, 1, ts->residual, 1);
  if (ts->nd > 0)
    cblas_dgemv(CblasRowMajor, CblasNoTrans, ts->nd, n, -1, ts->Z, n, ts->f, 1, 0, ts->g, 1);
  ts->gnorm = cblas_dnrm2(ts->nd, ts->g, 1);
  reduce_matrix(ts, ts->K, ts->H);
  /* g_t = Z^T (K move - f_t) */
  memcpy(ts->a0, ts->f_t, nn*sizeof(double));
  cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, ts->K, n, ts->move, 1, -1, ts->a0, 1);
  if (ts->nd > 0)
    cblas_dgemv(CblasRowMajor, CblasNoTrans, ts->nd, n, 1, ts->Z, n, ts->a0, 1, 0, ts->g_t, 1);
  return TN_OK;
}

tn_status tni_tangent_space_update(tni_tangent_space *ts, double t, const double *q) {
  tni_data *s = ts->s;
  ts->t = t;
  ts->has_eigen = false;
  memcpy(ts->q, q, (size_t)s->nq*sizeof(double));
  add_spin(ts);
  tni_system_commit_rest(s, t, q, ts->v);
  tni_nodes_loads(s, t, q, ts->v, ts->f, ts->weight);
  tni_at at = {.t = t, .q = q, .v = ts->v};
  tni_energies e;
  tni_look_energies(s, &at, &e);
  ts->potential = e.potential;
  TN_TRY(ts->sparse ? tni_sparse_update(ts, t, q) : update_dense(ts, t, q));
  if (ts->spinning) ts->fscale += sqrt(cblas_ddot(ts->n, ts->a, 1, ts->a, 1)*largest_mass(ts));
  if (!isfinite(ts->gnorm) || !isfinite(ts->kscale))
    return TN_FAIL(s->ctx, TN_NOT_CONVERGED, "a force or its tangent is not finite");
  return TN_OK;
}

tn_status tni_tangent_eigen(tni_tangent_space *ts) {
  int nd = ts->nd;
  double most = 0, skew = 0;
  if (ts->sparse) return tni_sparse_eigen(ts);
  if (ts->has_eigen) return TN_OK;
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nd; j++) {
      double a = ts->H[i*nd + j], b = ts->H[j*nd + i];
      ts->vector[i*nd + j] = 0.5*(a + b);
      most = fmax(most, fabs(a));
      skew = fmax(skew, fabs(a - b));
    }
  /* what is left of g shows in it too */
  ts->symmetric = skew <= SYMMETRIC*most;
  if (nd > 0 && tni_syev('V', 'L', nd, ts->vector, nd, ts->value,
                                   ts->work, ts->lwork) != 0)
    return TN_FAIL(ts->s->ctx, TN_NOT_CONVERGED, "the eigenvalues of the stiffness were not found");
  ts->nnegative = ts->nzero = 0;
  for (int i = 0; i < nd; i++) {
    ts->nnegative += ts->value[i] < -ts->zero;
    ts->nzero += fabs(ts->value[i]) <= ts->zero;
  }
  ts->has_eigen = true;
  return TN_OK;
}

tn_status tni_tangent_is_definite(tni_tangent_space *ts, bool *yes) {
  if (ts->sparse && !ts->has_eigen) return tni_sparse_definite(ts, yes);
  TN_TRY(tni_tangent_eigen(ts));
  *yes = ts->nnegative == 0 && ts->nzero == 0;
  return TN_OK;
}

int tni_tangent_nvector(const tni_tangent_space *ts) {
  return ts->sparse ? ts->sparse->nvector : ts->nd;
}

void tni_tangent_vector(const tni_tangent_space *ts, int k, double *delta) {
  if (ts->sparse)
    memcpy(delta, ts->sparse->vector + (size_t)k*(size_t)ts->n, (size_t)ts->n*sizeof(double));
  else
    tni_tangent_expand(ts, ts->vector + (size_t)k*(size_t)ts->nd, delta);
}

void tni_tangent_expand(const tni_tangent_space *ts, const double *y, double *delta) {
  memset(delta, 0, (size_t)ts->n*sizeof(double));
  if (ts->nd > 0)
    cblas_dgemv(CblasRowMajor, CblasTrans, ts->nd, ts->n, 1, ts->Z, ts->n, y, 1, 0, delta, 1);
}

void tni_tangent_reduce(const tni_tangent_space *ts, const double *delta, double *y) {
  double *Md = ts->rest;
  if (ts->nd == 0) return;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, ts->n, ts->n, 1, ts->W, ts->n, delta, 1, 0, Md, 1);
  cblas_dgemv(CblasRowMajor, CblasNoTrans, ts->nd, ts->n, 1, ts->Z, ts->n, Md, 1, 0, y, 1);
}

/* ---- names --------------------------------------------------------------------------------- */

void tni_tangent_name(const tni_tangent_space *ts, const double *delta, char *out, size_t n) {
  int best = 0;
  double most = -1;
  for (int j = 0; j < ts->n; j++) {
    double size = delta[j]*delta[j]*ts->wdiag[j];
    if (size > most) most = size, best = j;
  }
  tni_component_name(ts->s, best, out, n);
}

int tni_tangent_worst(const tni_tangent_space *ts, double *force, double *moment) {
  const tni_layout *L = ts->s->layout;
  int worst = -1;
  double most = -1;
  *force = *moment = 0;
  for (int i = 0; i < L->nnode; i++) {
    double sum[2] = {0, 0}, size = 0;
    tni_layout_squares(L, i, ts->residual, sum);
    for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++)
      size += ts->residual[j]*ts->residual[j]/ts->wdiag[j];
    if (!(size <= most)) {
      most = size, worst = i;
      *force = sqrt(sum[0]);
      *moment = sqrt(sum[1]);
    }
  }
  return worst;
}

/* Gauss-Jordan elimination with full pivoting in units of sqrt(mass) */
void tni_tangent_separate(const tni_tangent_space *ts, int k, double *delta, int *component) {
  int n = ts->n;
  for (int p = 0; p < k; p++) {
    int row = p, col = 0;
    double most = -1;
    for (int i = p; i < k; i++)
      for (int j = 0; j < n; j++) {
        double size = fabs(delta[(size_t)i*(size_t)n + (size_t)j])*sqrt(ts->wdiag[j]);
        if (size > most*(1 + 1e-6)) most = size, row = i, col = j;
      }
    double *x = delta + (size_t)p*(size_t)n;
    if (row != p) cblas_dswap(n, x, 1, delta + (size_t)row*(size_t)n, 1);
    cblas_dscal(n, 1/x[col], x, 1);
    for (int i = 0; i < k; i++)
      if (i != p)
        cblas_daxpy(n, -delta[(size_t)i*(size_t)n + (size_t)col], x, 1, delta + (size_t)i*(size_t)n,
                    1);
    component[p] = col;
  }
}

void tni_tangent_free(const tni_tangent_space *ts, double *delta, int *component) {
  int k = 0;
  for (int i = 0; i < ts->nd; i++)
    if (fabs(ts->value[i]) <= ts->zero)
      tni_tangent_vector(ts, i, delta + (size_t)(k++)*(size_t)ts->n);
  tni_tangent_separate(ts, k, delta, component);
}
