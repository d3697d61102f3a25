/* integrators/partition_ways.c - other ways to the matrices of a step, which check the usual one
 *
 * In the letters of partition_matrices.c, with what changes by the local coordinates themselves put into
 *
 *   D = (C v + Phi_t)_q + C K              D d + C dxi' = 0
 *   r_x = r_q + r_v K - M L                r_x d + r_v dxi' + M dxi'' + C^T dlambda = 0
 *   E = gamma_q + gamma_v K + C L - (C a)_q    C dxi'' = E d + gamma_v dxi'
 *
 * blocks: dependent rows and columns u, independent ones v, as the source has it
 *
 *   H = -C_u^-1 C_v                              Mhat = M_vv + M_vu H + H^T (M_uv + M_uu H)     (3.16)
 *   J = -C_u^-1 (D_u H + D_v)            (3.38)  N = C_u^-1 (gamma_v,u H + gamma_v,v)           (3.40)
 *   L = C_u^-1 (E_u H + E_v + gamma_v,u J)                                                      (3.39)
 *   R = (r_x)_uu H + (r_x)_uv + (r_v)_uu J + M_uu L                                             (3.41)
 *   S = (r_v)_uu H + (r_v)_uv + M_uu N                                                          (3.42)
 *   M1 = M_vu N + H^T S + (r_v)_vv + (r_v)_vu H                                                 (3.44)
 *   M2 = M_vu L + H^T R + (r_x)_vv + (r_x)_vu H + (r_v)_vu J                                    (3.45)
 *
 * compact: columns of P from right to left, no transposed tangent
 *
 *   X' = -Z D P,   U1 = r_v P, U2 = r_x P + r_v X',   L1 = -gamma_v P, L2 = -E P - gamma_v X'
 *   M1 = P^T (U1 - M Z L1),   M2 = P^T (U2 - M Z L2)                                            (B.27), (B.34)
 *
 * augmented: the same columns as right sides of the system for accelerations and multipliers, eliminated once;
 * columns are divided among threads
 *
 *   (M C^T; C 0) (x; .) = -(U; L),   g_y or g_y' = B2 x,   M2 or M1 = -Mhat B2 x                (A.8), (A.12)
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 3.2, appendices A and B.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/vec.h"
#include "integrators/partition_parts.h"

struct tni_ways {
  tni_elim full;        /* augmented: (M C^T; C 0)                                       */
  double *A, *may;      /* [n + r][n + r]                                                */
  double *KP, *LP, *XD; /* [n][nd]                                                       */
  double *U, *scratch;  /* [n + r][nd]                                                   */
  double *G;            /* [nd][nd]                                                      */
  int *place;           /* blocks: [n] position of a component in (u, v)                 */
  double *dense[7];     /* blocks: M, r_x, r_v [n][n], C, D, E, gamma_v [r][n], columns in the order (u, v) */
  double *H, *J, *L, *N, *R, *S; /* blocks: [r][nd]                                      */
};

tn_status tni_ways_create(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, both = n + (size_t)p->s->m;
  bool blocks = p->jacobian == TNI_JACOBIAN_BLOCKS;
  TN_REQUIRE(p->s->ctx, !blocks || p->kind == TNI_COORDINATES, TN_ERR_UNSUPPORTED,
             "'jacobian: blocks' has dependent and independent coordinates apart: take "
             "'parametrization: coordinates', or 'jacobian: compact'");
  TNI_ARENA_NEW(arena, p->ways, 1);
  struct tni_ways *w = p->ways;
  if (blocks) {
    double **matrices[] = {&w->H, &w->J, &w->L, &w->N, &w->R, &w->S};
    for (int i = 0; i < TNI_COUNT(matrices); i++) TNI_ARENA_NEW(arena, *matrices[i], n*n);
    for (int i = 0; i < TNI_COUNT(w->dense); i++) TNI_ARENA_NEW(arena, w->dense[i], n*(i < 3 ? n : (size_t)p->s->m));
    TNI_ARENA_NEW(arena, w->place, n);
    TNI_ARENA_NEW(arena, w->scratch, n*n);
    return TN_OK;
  }
  double **thin[] = {&w->KP, &w->LP, &w->XD};
  for (int i = 0; i < TNI_COUNT(thin); i++) TNI_ARENA_NEW(arena, *thin[i], n*n);
  TNI_ARENA_NEW(arena, w->G, n*n);
  TNI_ARENA_NEW(arena, w->U, both*n);
  TNI_ARENA_NEW(arena, w->scratch, both*n);
  if (p->jacobian != TNI_JACOBIAN_AUGMENTED) return TN_OK;
  TNI_ARENA_NEW(arena, w->A, both*both);
  TNI_ARENA_NEW(arena, w->may, both*both);
  return tni_elim_create(arena, (int)both, &w->full);
}

/* what turns do to columns X [n][k]: KX, LX */
static void turn_columns(const tni_partition *p, int k, const double *X, double *KX, double *LX) {
  tni_zero(KX, p->n, k);
  tni_zero(LX, p->n, k);
  for (int i = 0; i < p->nturn; i++) {
    int j = p->turn[i];
    for (int c = 0; c < k; c++) {
      double x[3], wx[3], wwx[3], ax[3];
      for (int d = 0; d < 3; d++) x[d] = X[(j + d)*k + c];
      vec3_cross(wx, p->v + j, x);
      vec3_cross(wwx, p->v + j, wx);
      vec3_cross(ax, p->a + j, x);
      for (int d = 0; d < 3; d++) {
        KX[(j + d)*k + c] = 0.5*wx[d];
        LX[(j + d)*k + c] = wwx[d]/6 - 0.5*ax[d];
      }
    }
  }
}

/* out [r][k] += f A X for the rows in use */
static void add_rows(const tni_partition *p, double f, const double *A, int k, const double *X,
                     double *out) {
  const tni_sparsity *rows = p->s->rows;
  for (int i = 0; i < p->r; i++)
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++)
      for (int c = 0; c < k; c++) out[i*k + c] += f*A[e]*X[rows->col[e]*k + c];
}

/* out [n][k] += f A X */
static void add_square(const tni_partition *p, double f, const double *A, int k, const double *X,
                       double *out) {
  const tni_sparsity *square = p->s->square;
  for (int i = 0; i < p->n; i++)
    for (int e = square->rowptr[i]; e < square->rowptr[i+1]; e++)
      for (int c = 0; c < k; c++) out[i*k + c] += f*A[e]*X[square->col[e]*k + c];
}

/* Y [nd][k] = B2 X, X [n][k] */
static void extract_columns(const tni_partition *p, int k, const double *X, double *Y) {
  tni_columns c = {k, 0, k};
  if (p->kind == TNI_TANGENT_PLANE) {
    tni_panels_inner_columns(&p->w->MP, c, X, Y);
    tni_partition_solve_gram(p, c, Y);
    return;
  }
  for (int i = 0; i < p->nd; i++) memcpy(Y + i*k, X + p->ind[i]*k, (size_t)k*sizeof(double));
}

/* X [n][k] = Z Y, Y [r][k], overwritten; scratch [n][k], along [nd][k] */
static void across_columns(const tni_partition *p, int k, double *Y, double *X, double *scratch,
                           double *along) {
  tni_columns c = {k, 0, k};
  tni_elim_solve(&p->w->S0, k, 0, k, Y, scratch);
  tni_zero(X, p->n, k);
  for (int i = 0; i < p->r; i++) memcpy(X + p->dep[i]*k, Y + i*k, (size_t)k*sizeof(double));
  if (p->kind == TNI_COORDINATES) return;
  extract_columns(p, k, X, along);
  tni_panels_multiply(&p->w->P, c, along, scratch);
  for (int i = 0; i < p->n*k; i++) X[i] -= scratch[i];
}

/* columns c0 .. c1 of M1 (level 1) or M2 from U [n + r][k] */
static void finish_columns(tni_partition *p, int c0, int k, double *U, double *X, double *scratch,
                           double *G, double *out) {
  const struct tni_partition_work *w = p->w;
  int n = p->n, nd = p->nd;
  tni_columns c = {k, 0, k};
  if (p->jacobian == TNI_JACOBIAN_AUGMENTED) {
    for (int i = 0; i < (n + p->r)*k; i++) U[i] = -U[i];
    tni_elim_solve(&p->ways->full, k, 0, k, U, scratch);
    extract_columns(p, k, U, G);
    for (int i = 0; i < nd; i++)
      for (int j = 0; j < k; j++) {
        double sum = 0;
        for (int l = 0; l < nd; l++) sum += p->Mhat[i*nd + l]*G[l*k + j];
        out[i*nd + c0 + j] = -sum;
      }
    return;
  }
  if (p->r > 0) {
    across_columns(p, k, U + n*k, X, scratch, G);
    add_square(p, -1, w->tan.M, k, X, U);
  }
  tni_panels_inner_columns(&w->P, c, U, G);
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < k; j++) out[i*nd + c0 + j] = G[i*k + j];
}

static void make_columns(void *user, int c0, int c1) {
  tni_partition *p = user;
  const struct tni_partition_work *w = p->w;
  struct tni_ways *y = p->ways;
  const tni_sparse_tangent *t = &w->tan;
  int n = p->n, nd = p->nd, k = c1 - c0, both = n + p->s->m;
  double *P = w->T + c0*n, *KP = y->KP + c0*n, *LP = y->LP + c0*n, *XD = y->XD + c0*n, *X = w->X + c0*n;
  double *U = y->U + (size_t)c0*(size_t)both, *scratch = y->scratch + (size_t)c0*(size_t)both, *G = y->G + c0*nd;
  for (int i = 0; i < n; i++) memcpy(P + i*k, p->P + i*nd + c0, (size_t)k*sizeof(double));
  turn_columns(p, k, P, KP, LP);

  tni_zero(U, n + p->r, k); /* U1, L1 */
  add_square(p, 1, t->r_v, k, P, U);
  add_rows(p, -1, t->gamma_v, k, P, U + n*k);
  finish_columns(p, c0, k, U, X, scratch, G, p->M1);

  tni_zero(XD, n, k);
  if (p->r > 0) {
    tni_zero(U, p->r, k);
    add_rows(p, -1, t->Cv_q, k, P, U);
    add_rows(p, -1, t->C, k, KP, U);
    across_columns(p, k, U, XD, scratch, G);
  }
  for (int i = 0; i < n*k; i++) XD[i] += KP[i]; /* velocities that dy = 1 changes */
  tni_zero(U, n + p->r, k); /* U2, L2 */
  add_square(p, 1, t->r_q, k, P, U);
  add_square(p, 1, t->r_v, k, XD, U);
  add_square(p, -1, t->M, k, LP, U);
  add_rows(p, 1, t->Ca_q, k, P, U + n*k);
  add_rows(p, -1, t->gamma_q, k, P, U + n*k);
  add_rows(p, -1, t->gamma_v, k, XD, U + n*k);
  add_rows(p, -1, t->C, k, LP, U + n*k);
  finish_columns(p, c0, k, U, X, scratch, G, p->M2);
}

/* elimination of (M C^T; C 0); false: singular */
static bool factor_full(tni_partition *p) {
  struct tni_ways *y = p->ways;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, both = n + p->r;
  tni_zero(y->A, both, both);
  tni_zero(y->may, both, both);
  for (int i = 0; i < n; i++)
    for (int e = square->rowptr[i]; e < square->rowptr[i+1]; e++) {
      y->A[i*both + square->col[e]] = p->w->tan.M[e];
      y->may[i*both + square->col[e]] = 1;
    }
  for (int i = 0; i < p->r; i++)
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++) {
      int j = rows->col[e];
      y->A[(n + i)*both + j] = y->A[j*both + n + i] = p->w->tan.C[e];
      y->may[(n + i)*both + j] = y->may[j*both + n + i] = 1;
    }
  return tni_elim_order(&y->full, both, y->A, y->may) && tni_elim_factor(&y->full, y->A);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* out [nrow][n], columns in the order (u, v), += f A (1, or the matrix of turns) */
static void spread(const tni_partition *p, const tni_sparsity *pattern, const int *row, int nrow, bool by_place,
                   double f, const double *A, int turns, double *out) {
  const int *place = p->ways->place;
  for (int i = 0; i < nrow; i++) {
    int from = row ? row[i] : i, to = by_place ? place[i] : i;
    double *o = out + to*p->n;
    for (int e = pattern->rowptr[from]; e < pattern->rowptr[from+1]; e++)
      if (turns == 0) o[place[pattern->col[e]]] += f*A[e];
    if (turns == 0) continue;
    for (int k = 0; k < p->nturn; k++) {
      int j = p->turn[k];
      double x[3] = {0, 0, 0}, W[9], T[9], y[3];
      for (int e = pattern->rowptr[from]; e < pattern->rowptr[from+1]; e++) {
        int d = pattern->col[e] - j;
        if (d >= 0 && d < 3) x[d] = A[e];
      }
      mat3_skew(W, p->v + j);
      if (turns == 2) { /* L */
        mat3_mul(T, W, W);
        mat3_skew(W, p->a + j);
        for (int d = 0; d < 9; d++) T[d] = T[d]/6 - 0.5*W[d];
      } else {
        for (int d = 0; d < 9; d++) T[d] = 0.5*W[d];
      }
      mat3_tvec(y, T, x);
      for (int d = 0; d < 3; d++) o[place[j + d]] += f*y[d];
    }
  }
}

/* out [a][k] += f A X or f A^T X; A a block of a matrix with rows of length ld */
static void add_block(int a, int b, int k, double f, const double *A, int ld, bool transposed, const double *X,
                      double *out) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < b; j++) {
      double x = f*(transposed ? A[j*ld + i] : A[i*ld + j]);
      for (int c = 0; c < k; c++) out[i*k + c] += x*X[j*k + c];
    }
}

/* out [a][nd] += f A_v, columns of independent coordinates */
static void add_independent(const tni_partition *p, int a, double f, const double *A, double *out) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < p->nd; j++) out[i*p->nd + j] += f*A[i*p->n + p->r + j];
}

static void make_blocks(tni_partition *p) {
  struct tni_ways *y = p->ways;
  const tni_sparse_tangent *t = &p->w->tan;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, r = p->r, nd = p->nd;
  double *M = y->dense[0], *rx = y->dense[1], *rv = y->dense[2], *C = y->dense[3], *D = y->dense[4];
  double *E = y->dense[5], *g = y->dense[6];
  for (int i = 0; i < r; i++) y->place[p->dep[i]] = i;
  for (int i = 0; i < nd; i++) y->place[p->ind[i]] = r + i;
  for (int i = 0; i < TNI_COUNT(y->dense); i++) tni_zero(y->dense[i], i < 3 ? n : r, n);
  spread(p, square, NULL, n, true, 1, t->M, 0, M);
  spread(p, square, NULL, n, true, 1, t->r_v, 0, rv);
  spread(p, square, NULL, n, true, 1, t->r_q, 0, rx);
  spread(p, square, NULL, n, true, 1, t->r_v, 1, rx);
  spread(p, square, NULL, n, true, -1, t->M, 2, rx);
  spread(p, rows, p->row, r, false, 1, t->C, 0, C);
  spread(p, rows, p->row, r, false, 1, t->Cv_q, 0, D);
  spread(p, rows, p->row, r, false, 1, t->C, 1, D);
  spread(p, rows, p->row, r, false, 1, t->gamma_v, 0, g);
  spread(p, rows, p->row, r, false, 1, t->gamma_q, 0, E);
  spread(p, rows, p->row, r, false, 1, t->gamma_v, 1, E);
  spread(p, rows, p->row, r, false, 1, t->C, 2, E);
  spread(p, rows, p->row, r, false, -1, t->Ca_q, 0, E);

  const double *Mv = M + r*n, *rxv = rx + r*n, *rvv = rv + r*n; /* rows of independent coordinates */
  double **zero[] = {&y->H, &y->J, &y->L, &y->N, &y->R, &y->S};
  for (int i = 0; i < TNI_COUNT(zero); i++) tni_zero(*zero[i], r, nd);
  add_independent(p, r, -1, C, y->H);
  tni_elim_solve(&p->w->S0, nd, 0, nd, y->H, y->scratch);
  add_block(r, r, nd, -1, D, n, false, y->H, y->J);
  add_independent(p, r, -1, D, y->J);
  tni_elim_solve(&p->w->S0, nd, 0, nd, y->J, y->scratch);
  add_block(r, r, nd, 1, g, n, false, y->H, y->N);
  add_independent(p, r, 1, g, y->N);
  tni_elim_solve(&p->w->S0, nd, 0, nd, y->N, y->scratch);
  add_block(r, r, nd, 1, E, n, false, y->H, y->L);
  add_independent(p, r, 1, E, y->L);
  add_block(r, r, nd, 1, g, n, false, y->J, y->L);
  tni_elim_solve(&p->w->S0, nd, 0, nd, y->L, y->scratch);
  add_block(r, r, nd, 1, rx, n, false, y->H, y->R);
  add_independent(p, r, 1, rx, y->R);
  add_block(r, r, nd, 1, rv, n, false, y->J, y->R);
  add_block(r, r, nd, 1, M, n, false, y->L, y->R);
  add_block(r, r, nd, 1, rv, n, false, y->H, y->S);
  add_independent(p, r, 1, rv, y->S);
  add_block(r, r, nd, 1, M, n, false, y->N, y->S);

  tni_zero(p->Mhat, nd, nd);
  tni_zero(p->M1, nd, nd);
  tni_zero(p->M2, nd, nd);
  double *MH = y->scratch;
  tni_zero(MH, r, nd);
  add_independent(p, r, 1, M, MH);
  add_block(r, r, nd, 1, M, n, false, y->H, MH);
  add_independent(p, nd, 1, Mv, p->Mhat);
  add_block(nd, r, nd, 1, Mv, n, false, y->H, p->Mhat);
  add_block(nd, r, nd, 1, y->H, nd, true, MH, p->Mhat);
  add_independent(p, nd, 1, rvv, p->M1);
  add_block(nd, r, nd, 1, rvv, n, false, y->H, p->M1);
  add_block(nd, r, nd, 1, Mv, n, false, y->N, p->M1);
  add_block(nd, r, nd, 1, y->H, nd, true, y->S, p->M1);
  add_independent(p, nd, 1, rxv, p->M2);
  add_block(nd, r, nd, 1, rxv, n, false, y->H, p->M2);
  add_block(nd, r, nd, 1, rvv, n, false, y->J, p->M2);
  add_block(nd, r, nd, 1, Mv, n, false, y->L, p->M2);
  add_block(nd, r, nd, 1, y->H, nd, true, y->R, p->M2);
}

tn_status tni_ways_matrices(tni_partition *p) {
  if (p->jacobian == TNI_JACOBIAN_BLOCKS) {
    make_blocks(p);
    return TN_OK;
  }
  if (p->jacobian == TNI_JACOBIAN_AUGMENTED)
    TN_REQUIRE(p->s->ctx, factor_full(p), TN_SINGULAR,
               "implicit methods: the system for accelerations is singular at t = %.9g s", p->t);
  tni_partition_for_columns(p, make_columns, p);
  return TN_OK;
}
