/* integrators/partition_matrices.c - independent coordinates of a step: matrices
 *
 * Rotations (integrators/turn.h): at x = 0 w = x', w' = x'', and to first order in x with x' held
 *
 *   w    = x' + K x,              K = ~w/2
 *   x''  = w' + L x,              L = -~w'/2 + ~w^2/6
 *
 * Linearised constraints, d = dxi = P dy, and dv the change of velocities; r = M a + C^T lambda - f:
 *
 *   C dv + (C v + Phi_t)_q d = 0   ->   dv = P dy' + V dy,   V = P B2 K P - Z (C v + Phi_t)_q P
 *   C da = gamma_q d + gamma_v dv - (C a)_q d
 *   M da + C^T dlambda = -r_q d - r_v dv
 *
 * with C P = 0, C Z = 1, B2 P = 1, B2 Z = 0. Multiplying by P^T removes dlambda:
 *
 *   Mhat = P^T M P
 *   M1   = P^T ( r_v P + M Z gamma_v P )
 *   M2   = P^T ( r_q P + r_v V + M ( Z (gamma_q P + gamma_v V - (C a)_q P) - P B2 L P ) )
 *
 * They are computed row by row from the left, which solves with C_u^T twice and multiplies by every
 * sparse tangent once:
 *
 *   F  = B2^T Mhat,                 D = Z^T M P = C_u^-T (M P - F)_u
 *   R1 = r_v^T P + gamma_v^T D,     M1 = R1^T P
 *   F1 = B2^T M1^T,                 W = Z^T R1  = C_u^-T (R1 - F1)_u
 *   R2 = r_q^T P + (gamma_q - (C a)_q)^T D - (C v + Phi_t)_q^T W - L^T F + K^T F1,  M2 = R2^T P
 *
 * Column k of each of these matrices needs only column k of those before and gives row k of M1, M2.
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 3 and appendix B; E. J. Haug,
 * R. A. Wehage, J. Mech. Des. 104 (1982).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "integrators/partition_parts.h"

#define DIFFERENCE 1e-7      /* of numerical matrices: about the root of rounding               */

void tni_partition_extract_transposed(const tni_partition *p, tni_columns c, double *X, double *out) {
  size_t ld = (size_t)c.ld, bytes = (size_t)(c.c1 - c.c0)*sizeof(double);
  if (p->kind == TNI_TANGENT_PLANE) {
    tni_partition_solve_gram(p, c, X);
    tni_panels_multiply(&p->w->MP, c, X, out);
    return;
  }
  tni_thin_clear(p->n, c, out);
  for (int i = 0; i < p->nd; i++) {
    memcpy(out + (size_t)p->ind[i]*ld + c.c0, X + (size_t)i*ld + c.c0, bytes);
  }
}

/* out [r][ld] = C_u^-T (A - B)_u */
static void across_transposed(const tni_partition *p, tni_columns c, const double *A,
                              const double *B, double *out, double *scratch) {
  size_t ld = (size_t)c.ld;
  for (int i = 0; i < p->r; i++) {
    size_t from = (size_t)p->dep[i]*ld, to = (size_t)i*ld;
    for (int k = c.c0; k < c.c1; k++) out[to + (size_t)k] = A[from + (size_t)k] - B[from + (size_t)k];
  }
  tni_elim_solve_t(&p->w->S0, c.ld, c.c0, c.c1, out, scratch);
}

/* out [n][ld] += K^T F1 - L^T F on the rows of rotations */
static void add_turn_terms(const tni_partition *p, tni_columns c, const double *F, const double *F1,
                           double *out) {
  size_t ld = (size_t)c.ld;
  for (int i = 0; i < p->nturn; i++) {
    size_t j = (size_t)p->turn[i];
    double W[9], WW[9], L[9];
    mat3_skew(W, p->v + j);
    mat3_skew(L, p->a + j);
    mat3_mul(WW, W, W);
    for (int d = 0; d < 9; d++) {
      L[d] = WW[d]/6 - 0.5*L[d];
      W[d] *= 0.5;
    }
    const double *x = F + j*ld, *y = F1 + j*ld;
    for (int d = 0; d < 3; d++) {
      double *restrict o = out + (j + (size_t)d)*ld;
      for (size_t k = (size_t)c.c0; k < (size_t)c.c1; k++) {
        o[k] += (W[d]*y[k] + W[3+d]*y[ld + k] + W[6+d]*y[2*ld + k]) -
                (L[d]*x[k] + L[3+d]*x[ld + k] + L[6+d]*x[2*ld + k]);
      }
    }
  }
}

void tni_partition_put_rows(int nd, int first, int k, const double *X, double *out) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < nd; j++) out[(first + i)*nd + j] = X[j*k + i];
  }
}

void tni_partition_take_columns(int n, int nd, int c0, int k, const double *X, double *out) {
  for (int i = 0; i < n; i++) {
    memcpy(out + (size_t)i*(size_t)k, X + i*nd + c0, (size_t)k*sizeof(double));
  }
}

/* Rows c0 .. c1 of Mhat, M1, M2. Threads keep their columns together, each in its own part of the
 * buffers: with whole rows they would write to the same cache lines. */
static void make_columns(void *user, int c0, int c1) {
  tni_partition *p = user;
  struct tni_partition_work *w = p->w;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, nd = p->nd, k = c1 - c0;
  tni_columns c = {k, 0, k};
  size_t part = (size_t)c0*(size_t)n;
  bool plane = p->kind == TNI_TANGENT_PLANE; /* Mhat is there, F = V = M P and D = 0 */
  double *MP = w->U + part, *F = plane ? w->V : w->F + part, *D = w->X + part, *R = w->R + part;
  double *W = w->W + part, *scratch = w->Y + part, *small = w->small + c0*nd, *P = p->P, *F1 = MP;

  if (k < nd) {
    P = w->T + part;
    F = w->F + part;
    if (!plane || !w->apart) tni_partition_take_columns(n, nd, c0, k, p->P, P);
    if (plane && !w->apart) tni_partition_take_columns(n, nd, c0, k, w->V, F);
  }
  if (!plane) {
    tni_thin_clear(n, c, MP);
    tni_thin_add(square, w->tan.M, n, c, P, MP);
    tni_panels_inner_columns(&w->P, c, MP, small);
    tni_partition_put_rows(nd, c0, k, small, p->Mhat);
    tni_partition_extract_transposed(p, c, small, F);
    across_transposed(p, c, MP, F, D, scratch);
  }

  int *index = w->index + (size_t)c0*(size_t)n;
  tni_thin_multiply_transposed(square, w->mirror, w->tan.r_v, n, c, P, R, scratch, index);
  if (!plane)
    tni_thin_add_transposed(rows, w->tan.gamma_v, w->nrow_group, w->row_group, p->row, c, 1, D, R);
  tni_panels_inner_columns(&w->P, c, R, small);
  tni_partition_put_rows(nd, c0, k, small, p->M1);
  tni_partition_extract_transposed(p, c, small, F1);
  across_transposed(p, c, R, F1, W, scratch);

  tni_thin_multiply_transposed(square, w->mirror, w->tan.r_q, n, c, P, R, scratch, index);
  if (!plane) {
    tni_thin_add_transposed(rows, w->tan.gamma_q, w->nrow_group, w->row_group, p->row, c, 1, D, R);
    tni_thin_add_transposed(rows, w->tan.Ca_q, w->nrow_group, w->row_group, p->row, c, -1, D, R);
  }
  tni_thin_add_transposed(rows, w->tan.Cv_q, w->nrow_group, w->row_group, p->row, c, -1, W, R);
  add_turn_terms(p, c, F, F1, R);
  tni_panels_inner_columns(&w->P, c, R, small);
  tni_partition_put_rows(nd, c0, k, small, p->M2);
}

static void explicit_time(tni_partition *p) {
  tni_panels_inner(&p->w->P, p->w->tan.r_t, p->gt, p->w->halves);
  for (int k = 0; k < p->nd; k++) p->gt[k] = -p->gt[k];
}

/* out = -Mhat A */
static void times_mass(const tni_partition *p, const double *A, double *out) {
  int nd = p->nd;
  tni_zero(out, nd, nd);
  for (int i = 0; i < nd; i++) {
    for (int k = 0; k < nd; k++) {
      double f = p->Mhat[i*nd + k];
      for (int c = 0; c < nd; c++) out[i*nd + c] -= f*A[k*nd + c];
    }
  }
}

/* g_y, g_y' by differences, column by column: a recovery and an acceleration at a state moved from the
 * beginning of the step. Nothing of one column serves another. */
static tn_status numerical_matrices(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int nd = p->nd;
  tni_columns all = {nd, 0, nd};
  tni_cause cause;
  tni_thin_clear(p->n, all, w->R);
  tni_thin_add(p->s->square, w->tan.M, p->n, all, p->P, w->R);
  tni_panels_inner_columns(&w->P, all, w->R, p->Mhat);
  for (int c = 0; c < 2*nd; c++) {
    int k = c % nd;
    memset(w->y, 0, (size_t)nd*sizeof(double));
    memcpy(w->yd, w->y_v, (size_t)nd*sizeof(double));
    double *x = c < nd ? w->y : w->yd, step = DIFFERENCE*fmax(1, fabs(x[k])), at = x[k];
    x[k] += step;
    step = x[k] - at;
    w->warm = false;
    TN_TRY(tni_partition_recover(p, p->t, w->y, w->yd, w->q, w->vv, &cause));
    TN_TRY(tni_partition_accel(p, p->t, w->q, w->vv, w->x, NULL, NULL, w->ydd, &cause));
    double *to = c < nd ? w->X : w->Y;
    for (int i = 0; i < nd; i++) to[i*nd + k] = (w->ydd[i] - w->y_a[i])/step;
  }
  times_mass(p, w->X, p->M2);
  times_mass(p, w->Y, p->M1);
  return TN_OK;
}

static tn_status make_matrices(tni_partition *p) {
  if (p->whole) return tni_whole_begin(p);
  if (p->nd == 0) return TN_OK;
  if (p->jacobian == TNI_JACOBIAN_NUMERICAL) return numerical_matrices(p);
  if (p->ways) return tni_ways_matrices(p);
  tni_partition_for_columns(p, make_columns, p);
  return TN_OK;
}

/* Time in constraints: g at (y, y') = (0, y'_0) a little before and after. The distance is a small
 * part of the step, so that its error is far below that of the method at any step. */
static tn_status differences_in_time(tni_partition *p, double h) {
  struct tni_partition_work *w = p->w;
  double step = 1e-3*h;
  tni_cause cause;
  memset(w->y, 0, (size_t)p->n*sizeof(double));
  tni_partition_extract(p, p->v, w->yd);
  for (int side = -1; side <= 1; side += 2) {
    double t = p->t + side*step;
    TN_TRY(tni_partition_recover(p, t, w->y, w->yd, w->q, w->vv, &cause));
    TN_TRY(tni_partition_accel(p, t, w->q, w->vv, w->x, NULL, NULL, side < 0 ? p->gt : w->ydd,
                               &cause));
  }
  for (int k = 0; k < p->nd; k++) w->ydd[k] = (w->ydd[k] - p->gt[k])/(2*step);
  for (int i = 0; i < p->nd; i++) {
    p->gt[i] = 0;
    for (int k = 0; k < p->nd; k++) p->gt[i] += p->Mhat[i*p->nd + k]*w->ydd[k];
  }
  return TN_OK;
}

/* x' = K y and x'' = -L y that a change y of rotations makes at fixed velocities; both are added to */
static void add_turns(const tni_partition *p, double f, const double *y, double *dv, double *da) {
  const struct tni_partition_work *w = p->w;
  for (int i = 0; i < p->nturn; i++) {
    int k = p->turn[i];
    double c[3], cc[3];
    vec3_cross(c, w->turn_v + k, y + k);
    vec3_addmul(dv + k, 0.5*f, c);
    vec3_cross(cc, w->turn_v + k, c);
    vec3_addmul(da + k, -f/6, cc);
    vec3_cross(c, w->turn_a + k, y + k);
    vec3_addmul(da + k, 0.5*f, c);
  }
}

/* out += A x, A [n][n] */
static void add_matrix(int n, double f, const double *A, const double *x, double *out) {
  size_t ld = (size_t)n;
  int i = 0;
  /* four rows at a time: each of their sums waits for its own last addition only */
  for (; i + 3 < n; i += 4) {
    const double *a = A + (size_t)i*ld, *b = a + ld, *c = b + ld, *d = c + ld;
    double sa = 0, sb = 0, sc = 0, sd = 0;
    for (int k = 0; k < n; k++) {
      sa += a[k]*x[k];
      sb += b[k]*x[k];
      sc += c[k]*x[k];
      sd += d[k]*x[k];
    }
    out[i] += f*sa;
    out[i+1] += f*sb;
    out[i+2] += f*sc;
    out[i+3] += f*sd;
  }
  for (; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += A[(size_t)i*ld + (size_t)k]*x[k];
    out[i] += f*sum;
  }
}

/* The system keeps the matrices of a straight one, and others may have asked it for theirs since. */
static void claim(tni_partition *p) {
  tni_data *s = p->s;
  const struct tni_partition_work *w = p->w;
  if (s->newton_owner == p) return;
  tni_newton_at(s, w->t_at, w->q_at, w->turn_v, w->turn_a, NULL);
  s->newton_owner = p;
  tni_newton_factor(s, 1, w->g, w->b, TNI_TURNS_LOCAL);
}

bool tni_partition_factor(tni_partition *p, double g, double b) {
  if (p->whole) return tni_whole_factor(p, g, b);
  p->w->g = g;
  p->w->b = b;
  claim(p);
  return tni_newton_factor(p->s, 1, g, b, TNI_TURNS_LOCAL);
}

void tni_partition_solve(tni_partition *p, double *x) {
  if (p->whole) {
    tni_whole_solve(p, x);
    return;
  }
  claim(p);
  tni_newton_solve(p->s, x);
}

void tni_partition_multiply(tni_partition *p, double f, const double *x, double f1, const double *y1,
                            double f2, const double *y2, double *out) {
  struct tni_partition_work *w = p->w;
  int n = p->n;
  if (!p->straight) {
    if (x) add_matrix(p->nd, f, p->Mhat, x, out);
    if (y1 && p->whole) tni_whole_add(p, false, f1, y1, out);
    else if (y1) add_matrix(p->nd, f1, p->M1, y1, out);
    if (y2 && p->whole) tni_whole_add(p, true, f2, y2, out);
    else if (y2) add_matrix(p->nd, f2, p->M2, y2, out);
    return;
  }
  claim(p);
  double *dq = w->u, *dv = w->x, *da = w->ux, *product = w->vv;
  for (int i = 0; i < n; i++) {
    dq[i] = y2 ? f2*y2[i] : 0;
    dv[i] = y1 ? f1*y1[i] : 0;
    da[i] = x ? f*x[i] : 0;
  }
  if (y2) add_turns(p, f2, y2, dv, da);
  bool turned = y2 && p->nturn > 0;
  tni_newton_apply(p->s, y2 ? dq : NULL, y1 || turned ? dv : NULL, x || turned ? da : NULL,
                          product);
  for (int i = 0; i < n; i++) out[i] += product[i];
}

/* the same for a straight one */
static tn_status begin_straight(tni_partition *p, tni_time_rate time) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  if (p->nforced) TN_TRY(tni_partition_check_forced(p));
  p->fresh = !((p->keep || s->straight) && w->chosen && time == TNI_TIME_NONE);
  w->chosen = true;
  memcpy(w->y_v, p->v, bytes);
  memcpy(w->y_a, p->a, bytes);
  if (!p->fresh) return TN_OK;
  tni_newton_at(s, p->t, p->q, p->v, p->a, time == TNI_TIME_EXACT ? p->gt : NULL);
  s->newton_owner = p;
  w->t_at = p->t;
  memcpy(w->q_at, p->q, (size_t)s->nq*sizeof(double));
  memcpy(w->turn_v, p->v, bytes);
  memcpy(w->turn_a, p->a, bytes);
  for (int i = 0; i < p->n && time == TNI_TIME_EXACT; i++) p->gt[i] = -p->gt[i];
  return TN_OK;
}

/* joint coordinates are small where the bodies are far away, whose places round */
static void find_size(tni_partition *p, const tni_at *at) {
  const tni_data *s = p->s;
  const tni_kin *kin = tni_look_bodies(p->s, at);
  p->size = 1;
  for (int i = 0; i < s->nq; i++) p->size = fmax(p->size, fabs(p->q[i]));
  for (int b = 1; b <= s->nbody; b++)
    for (int k = 0; k < 3; k++) p->size = fmax(p->size, fabs(kin[b].r[k]));
}

tn_status tni_partition_begin(tni_partition *p, double t, const double *q, const double *v,
                              const double *a, const double *lambda, double h, tni_time_rate time) {
  tni_data *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  p->t = t;
  memcpy(p->q, q, (size_t)s->nq*sizeof(double));
  memcpy(p->v, v, bytes);
  memcpy(p->a, a, bytes);
  if (p->straight) return begin_straight(p, time);
  bool numerical = p->jacobian == TNI_JACOBIAN_NUMERICAL;
  tni_sparse_tangent out = w->tan, few = {.M = out.M, .C = out.C, .Cv_q = out.Cv_q};
  if (p->kind == TNI_TANGENT_PLANE && !p->whole && !p->ways) out.gamma_q = out.gamma_v = out.Ca_q = NULL;
  if (numerical) out = few;
  if (numerical || time != TNI_TIME_EXACT) out.r_t = NULL;
  /* the tangent plane makes Mhat with its basis */
  p->fresh = !(p->keep && w->chosen && p->kind == TNI_TANGENT_PLANE && time == TNI_TIME_NONE);
  long nchosen = p->nchosen;
  TN_TRY(tni_eval_sparse_tangent(s, t, q, v, a, lambda, p->fresh ? &out : &few));
  find_size(p, &(tni_at){.t = t, .q = q, .v = v});
  TN_TRY(tni_partition_choose(p));
  if (!p->fresh && p->nchosen != nchosen) {
    p->fresh = true;
    TN_TRY(tni_eval_sparse_tangent(s, t, q, v, a, lambda, &out));
  }
  w->warm = false;
  tni_partition_extract(p, v, w->y_v);
  tni_partition_extract(p, a, w->y_a);
  if (p->fresh) TN_TRY(make_matrices(p));
  if (time == TNI_TIME_NONE || p->nd == 0) return TN_OK;
  if (time == TNI_TIME_DIFFERENCES || numerical) return differences_in_time(p, h);
  explicit_time(p);
  return TN_OK;
}

/* V = P B2 K P - Z (C v + Phi_t)_q P */
void tni_partition_change(tni_partition *p, const double *dy, const double *dyd, double *dx,
                          double *dv) {
  struct tni_partition_work *w = p->w;
  tni_partition_expand(p, dy, dx);
  if (p->straight) {
    tni_partition_expand(p, dyd, dv);
    for (int i = 0; i < p->nturn; i++) {
      double c[3];
      vec3_cross(c, p->v + p->turn[i], dx + p->turn[i]);
      vec3_addmul(dv + p->turn[i], 0.5, c);
    }
    return;
  }
  const tni_sparsity *pattern = p->s->rows;
  tni_zero(w->x, 1, p->n);
  for (int i = 0; i < p->nturn; i++) {
    int j = p->turn[i];
    vec3_cross(w->x + j, p->v + j, dx + j);
    vec3_scale(w->x + j, 0.5, w->x + j);
  }
  tni_partition_extract(p, w->x, w->dy);
  for (int k = 0; k < p->nd; k++) w->dy[k] += dyd[k];
  for (int i = 0; i < p->r; i++) {
    double sum = 0;
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++)
      sum += w->tan.Cv_q[e]*dx[pattern->col[e]];
    w->u[i] = -sum;
  }
  if (p->r > 0) tni_partition_across(p, w->u, dv, w->ux);
  else tni_zero(dv, 1, p->n);
  tni_panels_add(&w->P, 1, w->dy, dv);
}
