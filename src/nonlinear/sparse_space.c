/* nonlinear/sparse_space.c - the tangent space of large models, by sparse factorizations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/sparse_space.h"

#include <float.h>
#include <math.h>

#include "linsolve/krylov.h"

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

/* eigenvalues next to zero that are made exact, vectors of the space, how exact */
enum { LOWEST = 6, BLOCK = 3, MOST_VECTORS = 120, MOST_RAISED = 12 };
static const double EIGEN_TOL = 1e-8, EXACT = 1e-6;
/* difference of K and its transpose that is rounding or the end of an iteration */
static const double SYMMETRIC = 1e-7;
/* an eigenvalue is exact to a few roundings of the largest entry */
static const double ZERO_MARGIN = 8;
/* roundings in a term of an energy, those of the vector included */
static const double ROUNDINGS = 32;
/* a stress less stiff than this part of the stiffest is none of the model: planar models have such */
static const double NO_STRESS = 1e-20;
/* shift for eigenvalues, part of the softest stress: where nothing holds the model this does */
static const double LEAST_SHIFT = 1e-10;
/* a step shorter than this, in levers, is the last of a search */
static const double AT_REST = 1e-6;
static const double LET_THROUGH = 1e-6, LEAST_STIFF = 1e-6;

static const bool *active_rows(const tni_data *s) { return s->rank ? s->rank->independent : NULL; }

/* place of (col, row) for every entry (row, col): the pattern is symmetric */
static void find_mirror(const tni_sparsity *p, int *mirror) {
  for (int i = 0; i < p->nrow; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      int j = p->col[k], low = p->rowptr[j], high = p->rowptr[j+1] - 1;
      while (low < high) {
        int mid = (low + high)/2;
        if (p->col[mid] < i) low = mid + 1;
        else high = mid;
      }
      mirror[k] = low;
    }
}

tn_status tni_sparse_create(tni_arena *arena, tni_tangent_space *ts) {
  tni_data *s = ts->s;
  tni_sparse_space *sp;
  size_t n = (size_t)s->nv;
  int nnz = s->square->nnz;
  TNI_ARENA_NEW(arena, sp, 1);
  ts->sparse = sp;
  tni_arena_init(&sp->eigen, s->ctx);
  TN_TRY(tni_stresses_create(arena, s, &sp->stress));
  double **square[] = {&sp->M, &sp->W, &sp->K, &sp->r_v, &sp->A, &sp->base};
  for (int i = 0; i < TNI_COUNT(square) - (sp->stress.nstress == 0); i++)
    TNI_ARENA_NEW(arena, *square[i], nnz);
  double **vector[] = {&sp->rate, &sp->x, &sp->y, &sp->size};
  for (int i = 0; i < TNI_COUNT(vector); i++) TNI_ARENA_NEW(arena, *vector[i], n);
  sp->C = sp->stress.value;
  TNI_ARENA_NEW(arena, sp->mirror, nnz);
  TNI_ARENA_NEW(arena, sp->b, n + (size_t)sp->stress.rows.nrow);
  TNI_ARENA_NEW(arena, sp->in_use, sp->stress.rows.nrow);
  find_mirror(s->square, sp->mirror);
  TN_TRY(tni_saddle_create(s->ctx, s->square, s->rows, false, &sp->measure));
  TN_TRY(tni_saddle_create(s->ctx, s->square, &sp->stress.rows, false, &sp->stiff));
  return sp->stress.nstress ? tni_saddle_soften(sp->stiff, sp->stress.flexibility) : TN_OK;
}

void tni_sparse_destroy(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  if (!sp) return;
  tni_saddle_destroy(&sp->measure);
  tni_saddle_destroy(&sp->stiff);
  tni_arena_clear(&sp->eigen);
  ts->sparse = NULL;
}

/* ---- matrices ------------------------------------------------------------------------------ */

void tni_sparse_add_blocks(const tni_data *s, double factor, const double *A, tni_block_fn block,
                           const void *user, double *out) {
  const tni_sparsity *p = s->square;
  const tni_layout *L = s->layout;
  for (int i = 0; i < L->nnode; i++) {
    int first = L->vadr[i], d = L->size[i];
    double B[36];
    block(user, i, B);
    /* rows that have the columns of body i: those that its own rows point at */
    for (int k = p->rowptr[first]; k < p->rowptr[first + 1]; k++) {
      int at = tni_sparsity_find(p, p->col[k], first);
      for (int c = 0; c < d; c++) {
        double sum = 0;
        for (int j = 0; j < d; j++) sum += A[at + j]*B[6*j + c];
        out[at + c] += factor*sum;
      }
    }
  }
}

/* da = ~Omega ~Omega dr; dv = (~Omega dr, ~w dtheta): see tangent_space.c */
static void spin_block(const tni_tangent_space *ts, int body, bool acceleration, double B[36]) {
  double W[9], w[9], A[9], wb[3];
  mat3_skew(W, ts->spin);
  tni_layout_attitude(ts->s->layout, body, ts->q, A);
  mat3_tvec(wb, A, ts->spin);
  mat3_skew(w, wb);
  if (acceleration) {
    double WW[9];
    mat3_mul(WW, W, W);
    memcpy(W, WW, sizeof(W));
    memset(w, 0, sizeof(w));
  }
  tni_layout_block(ts->s->layout, body, W, w, B);
}

static void acceleration_block(const void *user, int body, double B[36]) {
  spin_block(user, body, true, B);
}
static void velocity_block(const void *user, int body, double B[36]) {
  spin_block(user, body, false, B);
}

void tni_sparse_measure(const tni_tangent_space *ts, const double *x, double *y) {
  memset(y, 0, (size_t)ts->n*sizeof(double));
  tni_sparse_add(ts->s->square, 1, ts->sparse->W, x, y);
}

void tni_sparse_stiffness(const tni_tangent_space *ts, const double *x, double *y) {
  tni_sparse_add(ts->s->square, 1, ts->sparse->K, x, y);
  tni_stresses_times(&ts->sparse->stress, x, y);
}

double tni_sparse_energy(const tni_tangent_space *ts, const double *x, double *rounding) {
  const tni_sparse_space *sp = ts->sparse;
  const tni_sparsity *p = ts->s->square;
  double eps = ROUNDINGS*DBL_EPSILON, sum = tni_stresses_energy(&sp->stress, x, eps, rounding);
  for (int i = 0; i < ts->n; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      double term = x[i]*sp->K[k]*x[p->col[k]];
      sum += term;
      *rounding += eps*fabs(term);
    }
  return sum;
}

void tni_sparse_add_elements(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  if (!sp->base) return;
  memcpy(sp->base, sp->K, (size_t)ts->s->square->nnz*sizeof(double));
  tni_stresses_update(&sp->stress, ts->s, ts->t, sp->K);
}

static double diagonal(const tni_sparsity *p, const double *A, int i) {
  for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++)
    if (p->col[k] == i) return A[k];
  return 0;
}

/* sizes of stiffness and forces, to judge by */
static void find_scales(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  const tni_sparsity *p = ts->s->square;
  double *root = sp->x;
  ts->kscale = ts->fscale = 0;
  for (int i = 0; i < ts->n; i++) {
    double w = ts->wdiag[i] = diagonal(p, sp->W, i);
    root[i] = sqrt(w);
    ts->fscale += ts->weight[i]*ts->weight[i]/w;
  }
  for (int i = 0; i < ts->n; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      double size = fabs(sp->K[k])/(root[i]*root[p->col[k]]);
      if (!(size <= ts->kscale)) ts->kscale = size;
    }
  double rest = ts->kscale, stiffest = 0;
  for (int k = 0; k < sp->stress.nstress; k++)
    stiffest = fmax(stiffest, tni_stresses_size(&sp->stress, k, ts->wdiag));
  sp->soft = stiffest;
  for (int k = 0; k < sp->stress.nstress; k++) {
    double size = tni_stresses_size(&sp->stress, k, ts->wdiag);
    if (size > NO_STRESS*stiffest) sp->soft = fmin(sp->soft, size);
  }
  ts->kscale = fmax(rest, stiffest);
  ts->fscale = sqrt(ts->fscale);
  /* nothing but weight: its forces on a way of the size of the model stand for a stiffness */
  double mass = tni_nodes_mass(ts->s), way = ts->lever > 0 ? 10*ts->lever : 1;
  ts->kscale = fmax(ts->kscale, LEAST_STIFF*ts->fscale/(sqrt(mass)*way));
  if (!(sp->soft > 0)) sp->soft = ts->kscale; /* all of them slack */
  ts->zero = ZERO_MARGIN*DBL_EPSILON*(stiffest > 0 ? fmax(rest, sp->soft) : ts->kscale);
}

static tn_status mass_and_rows(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  tni_data *s = ts->s;
  const tni_sparsity *p = s->square;
  tni_sparse_tangent first = {.M = sp->M, .C = sp->C, .r_v = sp->r_v, .r_t = ts->f_t};
  TN_TRY(tni_eval_sparse_tangent(s, ts->t, ts->q, ts->v, NULL, NULL, &first));
  for (int i = 0; i < ts->n; i++) ts->f_t[i] = -ts->f_t[i];
  memcpy(sp->W, sp->M, (size_t)p->nnz*sizeof(double));
  for (int i = 0; i < ts->n; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++)
      if (p->col[k] == i && s->layout->role[i] >= TNI_ROLE_TURN)
        sp->W[k] += tni_node_inertia(s, tni_layout_owner(s->layout, i)).mass*ts->lever*ts->lever;
  if (ts->spinning) tni_sparse_add(p, -1, sp->M, ts->a, ts->f);
  sp->active = active_rows(s);
  return tni_saddle_factor(sp->measure, sp->W, sp->C, sp->active, TNI_SADDLE_REGULAR);
}

/* solution of the measure for (r, g): displacement in sp->b, multipliers behind it */
static void solve_measure(tni_tangent_space *ts, const double *r, const double *g) {
  tni_sparse_space *sp = ts->sparse;
  for (int i = 0; i < ts->n; i++) sp->b[i] = r ? r[i] : 0;
  for (int i = 0; i < ts->m; i++) sp->b[ts->n + i] = g ? g[i] : 0;
  tni_saddle_solve(sp->measure, 1, sp->b);
}

/* |part of r along the directions| in the measure W^-1 */
static double norm_along(tni_tangent_space *ts, const double *r) {
  tni_sparse_space *sp = ts->sparse;
  solve_measure(ts, r, NULL);
  tni_sparse_measure(ts, sp->b, sp->y);
  return sqrt(fmax(0, cblas_ddot(ts->n, sp->b, 1, sp->y, 1)));
}

/* r -= C^T lambda */
static void take_off_reactions(const tni_tangent_space *ts, const double *lambda, double *r) {
  const tni_sparsity *p = ts->s->rows;
  for (int i = 0; i < ts->m; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++)
      r[p->col[k]] -= ts->sparse->C[k]*lambda[i];
}

tn_status tni_sparse_update(tni_tangent_space *ts, double t, const double *q) {
  tni_sparse_space *sp = ts->sparse;
  tni_data *s = ts->s;
  size_t n = (size_t)ts->n;
  TN_TRY(mass_and_rows(ts));
  sp->held = TNI_STIFF_NOTHING;
  ts->rank = 0;
  for (int i = 0; i < sp->stress.rows.nrow; i++)
    sp->in_use[i] = i >= ts->m || !sp->active || sp->active[i];
  for (int i = 0; i < ts->m; i++) ts->rank += sp->in_use[i];
  ts->nd = ts->n - ts->rank;
  /* the multipliers that leave the least residual, refined once: forces may be large beside it */
  memcpy(ts->residual, ts->f, n*sizeof(double));
  memset(ts->lambda, 0, (size_t)ts->m*sizeof(double));
  for (int k = 0; k < (ts->m ? 2 : 1); k++) {
    solve_measure(ts, ts->residual, NULL);
    for (int i = 0; i < ts->m; i++) ts->lambda[i] += sp->b[ts->n + i];
    take_off_reactions(ts, sp->b + ts->n, ts->residual);
  }
  if (ts->m && s->rank && s->rank->nnull > 0) tni_rank_min_norm(s->rank, ts->lambda);
  memset(ts->move, 0, n*sizeof(double));
  if (ts->m) {
    double *phi_t = ts->rest;
    tni_eval_rate(s, t, q, ts->move, phi_t); /* move is zero here: Phi_t */
    cblas_dscal(ts->m, -1, phi_t, 1);
    solve_measure(ts, NULL, phi_t);
    memcpy(ts->move, sp->b, n*sizeof(double));
  }
  tni_sparse_tangent second = {.r_q = sp->K, .apart = true};
  TN_TRY(tni_eval_sparse_tangent(s, t, q, ts->v, NULL, ts->lambda, &second));
  if (ts->spinning) {
    tni_sparse_add_blocks(s, 1, sp->M, acceleration_block, ts, sp->K);
    tni_sparse_add_blocks(s, 1, sp->r_v, velocity_block, ts, sp->K); /* r_v = -f_v */
  }
  tni_sparse_add_elements(ts);
  find_scales(ts);
  ts->gnorm = norm_along(ts, ts->residual);
  for (size_t i = 0; i < n; i++) sp->rate[i] = -ts->f_t[i];
  tni_sparse_stiffness(ts, ts->move, sp->rate);
  /* what the softness of the constraints lets through is none */
  double whole = 0;
  for (size_t i = 0; i < n; i++) whole += sp->rate[i]*sp->rate[i]/ts->wdiag[i];
  sp->rate_norm = fmax(norm_along(ts, sp->rate), LET_THROUGH*sqrt(whole));
  return TN_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* K may have next to nothing on its diagonal: measure it by W, in units of the softest stress */
static void measure_stiff(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  double unit = fmax(sp->stress.nstress ? sp->soft : ts->kscale, DBL_MIN);
  for (int i = 0; i < ts->n; i++) sp->size[i] = ts->wdiag[i]*unit;
  tni_saddle_measure(sp->stiff, sp->size);
}

/* K with the stresses that the last step predicted */
static const double *predicted_stiffness(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  tni_data *s = ts->s;
  tni_eval_bodies(s, ts->t, ts->q, ts->v, NULL);
  memcpy(sp->A, sp->base, (size_t)s->square->nnz*sizeof(double));
  tni_stresses_rest_predicted(&sp->stress, s, ts->t, sp->A);
  return sp->A;
}

static tn_status factor_stiff(tni_tangent_space *ts, bool symmetric, double *shift) {
  tni_sparse_space *sp = ts->sparse;
  int held = symmetric ? TNI_STIFF_SYMMETRIC : TNI_STIFF_NEWTON, nnz = ts->s->square->nnz;
  if ((int)sp->held == held && sp->shift == *shift) return TN_OK;
  sp->held = TNI_STIFF_NOTHING;
  measure_stiff(ts);
  tn_status st = TN_SINGULAR;
  for (int k = 0; st == TN_SINGULAR && k < MOST_RAISED; k++) {
    if (k > 0) *shift = fmax(10*fabs(*shift), ts->zero);
    const double *K = !symmetric && sp->stress.is_predicted ? predicted_stiffness(ts) : sp->K;
    for (int i = 0; i < nnz; i++)
      sp->A[i] = *shift*sp->W[i] + (symmetric ? 0.5*(K[i] + K[sp->mirror[i]]) : K[i]);
    st = tni_saddle_factor(sp->stiff, sp->A, sp->C, sp->in_use, TNI_SADDLE_REGULAR);
  }
  if (st != TN_OK) return st;
  sp->held = symmetric ? TNI_STIFF_SYMMETRIC : TNI_STIFF_NEWTON;
  sp->shift = *shift;
  return TN_OK;
}

static void load(tni_tangent_space *ts, const double *r) {
  memcpy(ts->sparse->b, r, (size_t)ts->n*sizeof(double));
  memset(ts->sparse->b + ts->n, 0, (size_t)ts->sparse->stress.rows.nrow*sizeof(double));
}

tn_status tni_sparse_solve(tni_tangent_space *ts, bool symmetric, double *shift, const double *r,
                           double *delta) {
  tni_sparse_space *sp = ts->sparse;
  TN_TRY(factor_stiff(ts, symmetric, shift));
  load(ts, r);
  tni_saddle_solve(sp->stiff, 1, sp->b);
  memcpy(delta, sp->b, (size_t)ts->n*sizeof(double));
  return TN_OK;
}

void tni_sparse_solve_transposed(tni_tangent_space *ts, const double *r, double *delta) {
  tni_sparse_space *sp = ts->sparse;
  load(ts, r);
  tni_saddle_solve_transposed(sp->stiff, sp->b);
  memcpy(delta, sp->b, (size_t)ts->n*sizeof(double));
}

void tni_sparse_changed(tni_tangent_space *ts) {
  ts->has_eigen = false;
  ts->sparse->held = TNI_STIFF_NOTHING;
}

tn_status tni_sparse_hold(tni_tangent_space *ts, bool symmetric, double a, const double *A, double b,
                          const double *B) {
  tni_sparse_space *sp = ts->sparse;
  sp->held = TNI_STIFF_NOTHING;
  measure_stiff(ts);
  for (int i = 0; i < ts->s->square->nnz; i++)
    sp->A[i] = (symmetric ? 0.5*(sp->K[i] + sp->K[sp->mirror[i]]) : sp->K[i]) + a*A[i] +
               (B ? b*B[i] : 0);
  /* rows that are not softened at all leave more digits, where they are independent */
  tn_status st = tni_saddle_factor(sp->stiff, sp->A, sp->C, sp->in_use, 0);
  return st == TN_SINGULAR
             ? tni_saddle_factor(sp->stiff, sp->A, sp->C, sp->in_use, TNI_SADDLE_REGULAR) : st;
}

void tni_sparse_solve_held(tni_tangent_space *ts, const double *r, double *delta) {
  load(ts, r);
  tni_saddle_solve(ts->sparse->stiff, 1, ts->sparse->b);
  memcpy(delta, ts->sparse->b, (size_t)ts->n*sizeof(double));
}

void tni_sparse_project(tni_tangent_space *ts, const double *x, double *delta) {
  if (ts->m == 0) {
    memmove(delta, x, (size_t)ts->n*sizeof(double));
    return;
  }
  tni_sparse_measure(ts, x, ts->sparse->y);
  solve_measure(ts, ts->sparse->y, NULL);
  memcpy(delta, ts->sparse->b, (size_t)ts->n*sizeof(double));
}

/* ---- eigenvalues --------------------------------------------------------------------------- */

/* y = (K + shift W)^-1 W x */
static void apply_inverse(void *user, const double *x, double *y) {
  tni_tangent_space *ts = user;
  tni_sparse_space *sp = ts->sparse;
  tni_sparse_measure(ts, x, sp->y);
  load(ts, sp->y);
  tni_saddle_solve(sp->stiff, 1, sp->b);
  memcpy(y, sp->b, (size_t)ts->n*sizeof(double));
}

static void apply_measure(void *user, const double *x, double *y) { tni_sparse_measure(user, x, y); }

static void judge_symmetry(tni_tangent_space *ts) {
  const tni_sparse_space *sp = ts->sparse;
  double most = tni_stresses_largest(&sp->stress), skew = 0;
  for (int i = 0; i < ts->s->square->nnz; i++) {
    most = fmax(most, fabs(sp->K[i]));
    skew = fmax(skew, fabs(sp->K[i] - sp->K[sp->mirror[i]]));
  }
  ts->symmetric = skew <= SYMMETRIC*most;
}

/* no eigenvalue below `zero`: by the signs of one factorization of K - zero W */
tn_status tni_sparse_definite(tni_tangent_space *ts, bool *yes) {
  tni_sparse_space *sp = ts->sparse;
  int negative = 0;
  *yes = false;
  sp->held = TNI_STIFF_NOTHING;
  measure_stiff(ts);
  for (int i = 0; i < ts->s->square->nnz; i++)
    sp->A[i] = 0.5*(sp->K[i] + sp->K[sp->mirror[i]]) - ts->zero*sp->W[i];
  tn_status st = tni_saddle_negative(sp->stiff, sp->A, sp->C, sp->in_use, &negative);
  if (st == TN_SINGULAR) return TN_OK;
  *yes = st == TN_OK && negative == 0;
  return st;
}

/* an eigenvalue and its vector into their place of the ascending list */
static void insert(tni_tangent_space *ts, int count, double value, const double *x) {
  tni_sparse_space *sp = ts->sparse;
  size_t n = (size_t)ts->n;
  int at = count;
  for (; at > 0 && ts->value[at-1] > value; at--) {
    ts->value[at] = ts->value[at-1];
    memcpy(sp->vector + (size_t)at*n, sp->vector + (size_t)(at - 1)*n, n*sizeof(double));
  }
  ts->value[at] = value;
  memcpy(sp->vector + (size_t)at*n, x, n*sizeof(double));
}

/* Stresses from strains are exact to a rounding of positions times the stiffest stiffness, which may be
 * more than what makes a column buckle. At an equilibrium those that balance the loads are better: what
 * one more step would predict. */
static tn_status settle_stresses(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  double *delta = sp->x, shift = LEAST_SHIFT*sp->soft, weight = 0;
  if (sp->stress.nstress == 0 || !ts->settles) return TN_OK;
  tn_status st = tni_sparse_solve(ts, false, &shift, ts->residual, delta);
  if (st != TN_OK) return st < 0 ? st : TN_OK;
  for (int i = 0; i < ts->n; i++) weight += ts->wdiag[i];
  if (!(tni_tangent_length(ts, delta) <= AT_REST*ts->lever*sqrt(weight))) return TN_OK;
  tni_stresses_predict(&sp->stress, delta);
  memcpy(sp->K, predicted_stiffness(ts), (size_t)ts->s->square->nnz*sizeof(double));
  sp->stress.is_predicted = false;
  sp->held = TNI_STIFF_NOTHING;
  return TN_OK;
}

tn_status tni_sparse_eigen(tni_tangent_space *ts) {
  tni_sparse_space *sp = ts->sparse;
  double shift = fmax(ts->zero, sp->stress.nstress ? LEAST_SHIFT*sp->soft : 0);
  if (ts->has_eigen) return TN_OK;
  TN_TRY(settle_stresses(ts));
  judge_symmetry(ts);
  TN_TRY(factor_stiff(ts, true, &shift));
  tni_krylov_opts o = {.n = ts->n, .apply = apply_inverse, .weigh = apply_measure, .user = ts,
                       .symmetric = true, .want = LOWEST, .block = BLOCK, .most = MOST_VECTORS,
                       .tolerance = EIGEN_TOL};
  tni_krylov k;
  /* beyond the directions that there are only rounding is found */
  o.most = o.most < ts->nd ? o.most : ts->nd;
  o.want = o.want < ts->nd ? o.want : ts->nd;
  o.block = o.block < ts->nd ? o.block : ts->nd;
  tni_arena_clear(&sp->eigen);
  for (;;) {
    TN_TRY(tni_krylov_eigen(&sp->eigen, &o, &k));
    /* negative ones farther away than the wanted ones are wanted too */
    int last = 0;
    for (int i = 0; i < k.nvalue; i++)
      if (k.re[i] + k.residual[i] < 0) last = i + 1;
    if (last <= o.want || o.want >= k.nvalue || k.nvalue >= o.most) break;
    o.want = last;
  }
  for (int i = 0; i < ts->nd; i++) ts->value[i] = HUGE_VAL; /* not known, far above zero */
  TNI_ARENA_NEW(&sp->eigen, sp->vector, (size_t)k.nvector*(size_t)ts->n);
  sp->nvector = k.nvector;
  ts->nnegative = ts->nzero = 0;
  for (int i = 0; i < k.nvector; i++) {
    const double *x = k.vector + (size_t)i*(size_t)ts->n;
    double value = 1/k.re[i] - shift, rounding = 0;
    if (sp->stress.nstress && k.residual[i] <= EXACT*fabs(k.re[i])) {
      value = tni_sparse_energy(ts, x, &rounding);
      if (fabs(value) <= rounding) value = 0;
    }
    insert(ts, i, value, x);
    ts->nnegative += value < -ts->zero;
    ts->nzero += fabs(value) <= ts->zero;
  }
  ts->has_eigen = true;
  return TN_OK;
}
