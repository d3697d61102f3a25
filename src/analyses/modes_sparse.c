/* analyses/modes_sparse.c - the lowest modes of large models
 *
 * The matrices of analyses/modes.c before their projection by Z, on the pattern of the sparse tangents:
 *
 *   D = M (2 W - G) - f_v
 *   K = M (W^2 - G W) + d(M a)/dq + d(C^T lambda)/dq - f_q - f_v W
 *
 * Krylov spaces (linsolve/krylov.h) of the inverse, along the directions with C x = 0:
 *
 *   D = 0, K symmetric:  (K + s M)^-1 M             theta = 1/(w^2 + s)
 *   else, (y, v = y'):   y = -(K + s D + s^2 M)^-1 (M b + (D + s M) a),  v = a + s y
 *                                                   theta = 1/(sigma - s)
 *
 * s is 0 where K is regular, else of the size of the lowest frequency.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/modes_sparse.h"

#include <float.h>
#include <math.h>

#include "linsolve/krylov.h"

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

static const double NEGLIGIBLE = 1e-11, ASYMMETRY = 1e-7, EIGEN_TOL = 1e-9, ACCEPTED = 1e-6;
/* double zeros are split by rounding to the root of its size; a margin above that */
static const double SPLIT = 30;
enum { BLOCK = 6, SPARE = 60 };

typedef struct {
  tn_sim *sim;
  tni_tangent_space *ts;
  const double *spin;
  int n;
  double *D;        /* [square->nnz]                                   */
  double shift;     /* s                                               */
  double first;     /* square of about the lowest frequency            */
  double *a, *b;    /* [n] scratch                                     */
} work;

/* ---- matrices ------------------------------------------------------------------------------ */

/* turn[0] = W, turn[1] = G of a node, 3 x 3 for translations and rotations */
static void turns(const work *w, int node, double T[2][9], double R[2][9]) {
  tni_kin k;
  double own[3];
  tni_layout_node_kin(w->sim->s->layout, node, w->sim->at.q, w->sim->at.v, &k);
  mat3_tvec(own, k.A, w->spin);
  mat3_skew(T[0], w->spin);
  mat3_skew(R[0], own);
  memset(T[1], 0, sizeof(T[1]));
  mat3_skew(R[1], k.w);
}

/* 2 W - G */
static void coriolis_block(const void *user, int body, double B[36]) {
  const work *w = user;
  double T[2][9], R[2][9];
  turns(w, body, T, R);
  for (int i = 0; i < 9; i++) T[0][i] = 2*T[0][i] - T[1][i], R[0][i] = 2*R[0][i] - R[1][i];
  tni_layout_block(w->sim->s->layout, body, T[0], R[0], B);
}

/* W^2 - G W */
static void centrifugal_block(const void *user, int body, double B[36]) {
  const work *w = user;
  double T[2][9], R[2][9], TT[9], RR[9];
  turns(w, body, T, R);
  for (int i = 0; i < 9; i++) T[1][i] = T[0][i] - T[1][i], R[1][i] = R[0][i] - R[1][i];
  mat3_mul(TT, T[1], T[0]);
  mat3_mul(RR, R[1], R[0]);
  tni_layout_block(w->sim->s->layout, body, TT, RR, B);
}

static void turn_block(const void *user, int body, double B[36]) {
  const work *w = user;
  double T[2][9], R[2][9];
  turns(w, body, T, R);
  tni_layout_block(w->sim->s->layout, body, T[0], R[0], B);
}

/* sizes of D and of the skew part of K against K, entries measured by M */
static bool is_symmetric(const work *w) {
  const tni_sparse_space *sp = w->ts->sparse;
  const tni_sparsity *p = w->ts->s->square;
  double d = 0, k = 0, most = tni_stresses_largest(&sp->stress), skew = 0;
  for (int i = 0; i < w->n; i++)
    for (int at = p->rowptr[i]; at < p->rowptr[i+1]; at++) {
      double unit = w->a[i]*w->a[p->col[at]];
      d = fmax(d, fabs(w->D[at])/unit);
      k = fmax(k, fabs(sp->K[at])/unit);
      most = fmax(most, fabs(sp->K[at]));
      skew = fmax(skew, fabs(sp->K[at] - sp->K[sp->mirror[at]]));
    }
  for (int i = 0; i < sp->stress.nstress; i++)
    k = fmax(k, tni_stresses_size(&sp->stress, i, w->b));
  return d <= NEGLIGIBLE*sqrt(k) && skew <= ASYMMETRY*most;
}

static tn_status build(work *w, double *Cv_q, bool *symmetric) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  tni_sparse_space *sp = w->ts->sparse;
  const tni_sparsity *p = s->square;
  tni_sparse_tangent t = {.r_q = sp->K, .r_v = sp->r_v, .Cv_q = s->m ? Cv_q : NULL, .apart = true};
  TN_TRY(tni_eval_sparse_tangent(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, &t));
  tni_eval_bodies(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a);
  memcpy(w->D, sp->r_v, (size_t)p->nnz*sizeof(double));
  tni_sparse_add_blocks(s, 1, sp->M, coriolis_block, w, w->D);
  tni_sparse_add_blocks(s, 1, sp->M, centrifugal_block, w, sp->K);
  tni_sparse_add_blocks(s, 1, sp->r_v, turn_block, w, sp->K);
  tni_sparse_add_elements(w->ts);
  for (int i = 0; i < w->n; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++)
      if (p->col[k] == i) w->b[i] = sp->M[k], w->a[i] = sqrt(sp->M[k]);
  *symmetric = is_symmetric(w);
  tni_sparse_changed(w->ts);
  return TN_OK;
}

/* ---- operators ----------------------------------------------------------------------------- */

static void times(const work *w, const double *A, const double *x, double *y) {
  memset(y, 0, (size_t)w->n*sizeof(double));
  tni_sparse_add(w->ts->s->square, 1, A, x, y);
}

static void symmetric_apply(void *user, const double *x, double *y) {
  work *w = user;
  times(w, w->ts->sparse->M, x, w->a);
  tni_sparse_solve_held(w->ts, w->a, y);
}

static void symmetric_weigh(void *user, const double *x, double *y) {
  work *w = user;
  times(w, w->ts->sparse->M, x, y);
}

/* x = (a, b), y = (y, v) */
static void general_apply(void *user, const double *x, double *y) {
  work *w = user;
  const tni_sparse_space *sp = w->ts->sparse;
  int n = w->n;
  tni_sparse_project(w->ts, x, y + n); /* a along the directions */
  times(w, sp->M, x + n, w->a);
  cblas_daxpy(n, 1, w->a, 1, memset(w->b, 0, (size_t)n*sizeof(double)), 1);
  times(w, sp->M, y + n, w->a);
  cblas_daxpy(n, w->shift, w->a, 1, w->b, 1);
  times(w, w->D, y + n, w->a);
  cblas_daxpy(n, 1, w->a, 1, w->b, 1);
  cblas_dscal(n, -1, w->b, 1);
  tni_sparse_solve_held(w->ts, w->b, y);
  cblas_daxpy(n, w->shift, y, 1, y + n, 1);
}

static void general_weigh(void *user, const double *x, double *y) {
  work *w = user;
  const double *M = w->ts->sparse->M;
  times(w, M, x, y);
  cblas_dscal(w->n, w->first, y, 1);
  times(w, M, x + w->n, y + w->n);
}

/* ---- modes --------------------------------------------------------------------------------- */

/* rigid modes and about the lowest frequency from the stiffness alone */
static tn_status look_at_stiffness(work *w, tni_lowest *out) {
  tni_tangent_space *ts = w->ts;
  TN_TRY(tni_tangent_eigen(ts));
  out->nrigid = ts->nzero;
  w->first = 0;
  for (int i = 0; i < tni_tangent_nvector(ts); i++)
    if (ts->value[i] > ts->zero && (w->first == 0 || ts->value[i] < w->first)) w->first = ts->value[i];
  if (!(w->first > 0)) w->first = 1;
  return TN_OK;
}

/* as many as there are directions without stiffness, the nearest to zero: set to it */
static int mark_rigid(int n, double *value, bool *rigid, int nzero) {
  int count = 0;
  for (; count < nzero && count < n; count++) {
    int best = -1;
    for (int i = 0; i < n; i++)
      if (!rigid[i] && (best < 0 || fabs(value[i]) < fabs(value[best]))) best = i;
    value[best] = 0;
    rigid[best] = true;
  }
  return count;
}

/* w^2 of a mode from its energies, which have more digits than the solution that led to its shape; off:
 * how far rounding may have it off */
static double square_of_frequency(work *w, const double *x, double *off) {
  times(w, w->ts->sparse->M, x, w->a);
  double mass = cblas_ddot(w->n, x, 1, w->a, 1), rounding;
  double energy = tni_sparse_energy(w->ts, x, &rounding);
  *off = rounding/mass;
  return energy/mass;
}

static tn_status solve_symmetric(work *w, int count, tni_lowest *out) {
  tni_tangent_space *ts = w->ts;
  tni_sparse_space *sp = ts->sparse;
  tni_krylov k;
  w->shift = ts->nzero || ts->nnegative ? w->first : 0;
  TN_TRY(tni_sparse_hold(ts, true, w->shift, sp->M, 0, NULL));
  int want = count < ts->nd ? count : ts->nd, most = 3*want + SPARE;
  tni_krylov_opts o = {.n = w->n, .apply = symmetric_apply, .weigh = symmetric_weigh, .user = w,
                       .symmetric = true, .want = want, .block = BLOCK < ts->nd ? BLOCK : ts->nd,
                       .most = most < ts->nd ? most : ts->nd, .tolerance = EIGEN_TOL};
  TN_TRY(tni_krylov_eigen(&w->sim->arena, &o, &k));
  int n = 0;
  while (n < k.nvector && k.residual[n] <= ACCEPTED*fabs(k.re[n])) n++;
  TNI_ARENA_NEW(&w->sim->arena, out->re, n);
  TNI_ARENA_NEW(&w->sim->arena, out->im, n);
  TNI_ARENA_NEW(&w->sim->arena, out->shape, 2*(size_t)n*(size_t)w->n);
  double *value;
  bool *rigid;
  TNI_ARENA_NEW(&w->sim->arena, value, n);
  TNI_ARENA_NEW(&w->sim->arena, rigid, n);
  TNI_ARENA_NEW(&w->sim->arena, out->off_by, n);
  for (int i = 0; i < n; i++)
    value[i] = square_of_frequency(w, k.vector + (size_t)i*(size_t)w->n, &out->off_by[i]);
  out->nrigid = mark_rigid(n, value, rigid, ts->nzero);
  for (int i = 0; i < n; i++) {
    /* half of the relative error of the square */
    out->off_by[i] = rigid[i] ? 0 : 0.5*fmax(out->off_by[i]/fabs(value[i]), k.residual[i]/fabs(k.re[i]));
    out->re[i] = rigid[i] || value[i] > 0 ? 0 : sqrt(-value[i]);
    out->im[i] = rigid[i] || value[i] < 0 ? 0 : sqrt(value[i]);
    memcpy(out->shape + 2*(size_t)i*(size_t)w->n, k.vector + (size_t)i*(size_t)w->n,
           (size_t)w->n*sizeof(double));
  }
  out->nvalue = n;
  return TN_OK;
}

/* left: relative error of sigma by the end of the iteration */
static void keep(work *w, tni_lowest *out, double re, double im, double left, const double *x,
                 const double *y) {
  size_t n = (size_t)w->n;
  /* what rounding of the stiffness does to sigma^2 */
  double off[2] = {0, 0}, size2 = re*re + im*im;
  square_of_frequency(w, x, &off[0]);
  if (y) square_of_frequency(w, y, &off[1]);
  out->off_by[out->nvalue] = size2 > 0 ? fmax(left, 0.5*fmax(off[0], off[1])/size2) : 0;
  double *shape = out->shape + 2*(size_t)out->nvalue*n;
  memcpy(shape, x, n*sizeof(double));
  for (size_t i = 0; i < n && y; i++) shape[n + i] = -y[i];
  out->re[out->nvalue] = re;
  out->im[out->nvalue++] = im;
}

static tn_status solve_general(work *w, int count, tni_lowest *out) {
  tni_tangent_space *ts = w->ts;
  tni_sparse_space *sp = ts->sparse;
  tni_krylov k;
  w->shift = ts->nzero || ts->nnegative ? sqrt(w->first) : 0;
  TN_TRY(tni_sparse_hold(ts, false, w->shift*w->shift, sp->M, w->shift, w->D));
  int nd = 2*ts->nd, want = 2*count + 2*ts->nzero, most;
  want = want < nd ? want : nd;
  most = 3*want + SPARE;
  tni_krylov_opts o = {.n = 2*w->n, .apply = general_apply, .weigh = general_weigh, .user = w,
                       .want = want, .block = BLOCK < nd ? BLOCK : nd, .most = most < nd ? most : nd,
                       .tolerance = EIGEN_TOL};
  TN_TRY(tni_krylov_eigen(&w->sim->arena, &o, &k));
  size_t room = (size_t)(k.nvector + ts->nzero);
  TNI_ARENA_NEW(&w->sim->arena, out->re, room);
  TNI_ARENA_NEW(&w->sim->arena, out->im, room);
  TNI_ARENA_NEW(&w->sim->arena, out->off_by, room);
  TNI_ARENA_NEW(&w->sim->arena, out->shape, 2*room*(size_t)w->n);
  for (int i = 0; i < tni_tangent_nvector(ts); i++)
    if (fabs(ts->value[i]) <= ts->zero) keep(w, out, 0, 0, 0, sp->vector + (size_t)i*(size_t)w->n, NULL);
  for (int i = 0; i < k.nvector; i++) {
    double size2 = k.re[i]*k.re[i] + k.im[i]*k.im[i];
    /* sigma = s + 1/theta; of a pair the upper one, with the conjugate vector */
    double re = w->shift + k.re[i]/size2, im = k.im[i]/size2;
    const double *x = k.vector + (size_t)i*2*(size_t)w->n;
    if (im < 0 || (ts->nzero && hypot(re, im) <= SPLIT*sqrt(ts->zero))) continue;
    /* double zeros are never exact; what follows them may be */
    if (k.residual[i] > ACCEPTED*sqrt(size2) || (im > 0 && i + 1 == k.nvector)) continue;
    keep(w, out, re, im, k.residual[i]/sqrt(size2), x, im > 0 ? x + 2*w->n : NULL);
  }
  out->nrigid = ts->nzero;
  return TN_OK;
}

/* a motion that is steady keeps the constraints under constant y */
static tn_status judge_motion(const work *w, const double *Cv_q, tni_lowest *out) {
  const tni_data *s = w->sim->s;
  const tni_sparse_space *sp = w->ts->sparse;
  double *Wx, *c, off = 0, size = 0;
  TNI_ARENA_NEW(&w->sim->arena, Wx, w->n);
  TNI_ARENA_NEW(&w->sim->arena, c, 2*s->m);
  for (int k = 0; k < out->nvalue; k++) {
    const double *x = out->shape + 2*(size_t)k*(size_t)w->n;
    for (int b = 0; b < s->layout->nnode; b++) {
      int at = s->layout->vadr[b], d = s->layout->size[b];
      double B[36];
      turn_block(w, b, B);
      for (int i = 0; i < d; i++) {
        Wx[at + i] = 0;
        for (int j = 0; j < d; j++) Wx[at + i] += B[6*i + j]*x[at + j];
      }
    }
    memset(c, 0, 2*(size_t)s->m*sizeof(double));
    tni_sparse_add(s->rows, 1, sp->C, Wx, c);
    tni_sparse_add(s->rows, 1, Cv_q, x, c + s->m);
    for (int i = 0; i < s->m; i++) {
      off = fmax(off, fabs(c[i] + c[s->m + i]));
      size = fmax(size, fabs(c[i]) + fabs(c[s->m + i]));
    }
  }
  if (size > 0) out->off = off/fmax(size, vec3_norm(w->spin));
  return TN_OK;
}

tn_status tni_modes_lowest(tn_sim *sim, tni_tangent_space *ts, const double spin[3], int count,
                           tni_lowest *out) {
  work w = {.sim = sim, .ts = ts, .spin = spin, .n = ts->n};
  double *Cv_q;
  memset(out, 0, sizeof(*out));
  TNI_ARENA_NEW(&sim->arena, w.D, sim->s->square->nnz);
  TNI_ARENA_NEW(&sim->arena, Cv_q, sim->s->rows->nnz);
  TNI_ARENA_NEW(&sim->arena, w.a, ts->n);
  TNI_ARENA_NEW(&sim->arena, w.b, ts->n);
  TN_TRY(build(&w, Cv_q, &out->symmetric));
  TN_TRY(look_at_stiffness(&w, out));
  TN_TRY(out->symmetric ? solve_symmetric(&w, count, out) : solve_general(&w, count, out));
  return sim->s->m ? judge_motion(&w, Cv_q, out) : TN_OK;
}
