/* linsolve/saddle.c - sparse LU of the matrices that implicit methods solve with
 *
 * LU of the whole matrix (linsolve/sparse.h), pattern analysed once. Rows and columns are scaled alike: to a unit
 * diagonal of A (or sizes given for it), which takes the step size and the units out of it, and to rows of C of unit length
 * in those coordinates. Pivots are then comparable with 1.
 *
 * The zero block is a small -regular in those units. Newton iterations correct what it spoils, and
 * at a singular position, where rows of C become dependent for a moment, the matrix stays regular:
 * combinations of rows shorter than the square root of it are let go instead of growing without
 * bound.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/saddle.h"

#include <math.h>

#include "linsolve/sparse.h"

static const double PIVOT_TOL = 1e-15;
/* choose new pivots when the smallest one has dropped by this factor since they were chosen */
static const double PIVOT_DECAY = 1e-3;
/* a diagonal entry is taken as pivot above this part of its column, with soft rows */
static const double SOFT_PIVOT = 0.1;

struct tni_saddle {
  tn_ctx *ctx;
  tni_arena arena;
  const tni_sparsity *A, *C;
  bool z;               /* complex                                                    */
  int n, m, N;          /* of A, of C, together                                       */
  int *colptr, *rowind; /* compressed columns                                         */
  int *a_at;            /* [A->nnz] place of each entry in value                      */
  int *c_at;            /* [2 C->nnz] below and right of the diagonal                 */
  int *d_at;            /* [m] diagonal of the rows of C                              */
  int *diagonal;        /* [n] of A in its own pattern                                */
  double *value, *scale;
  tni_sparse_solver *lu;
  tni_sparse_solver *ldl; /* for signs, made when first asked for                     */
  bool definite;        /* A is expected to be                                        */
  double regular;
  const double *size;   /* [n] in place of the diagonal of A, NULL: that              */
  const double *flexibility; /* [m] of rows of C, NULL: none                          */
  double *right, *left; /* [N] scratch of a refinement                                */
};

static tn_status pattern(tni_saddle *s) {
  const tni_sparsity *A = s->A, *C = s->C;
  int *next, nnz = A->nnz + 2*C->nnz + s->m;
  TNI_ARENA_NEW(&s->arena, s->colptr, s->N + 1);
  TNI_ARENA_NEW(&s->arena, next, s->N + 1);
  TNI_ARENA_NEW(&s->arena, s->rowind, nnz + 1);
  TNI_ARENA_NEW(&s->arena, s->a_at, A->nnz);
  TNI_ARENA_NEW(&s->arena, s->c_at, 2*C->nnz);
  TNI_ARENA_NEW(&s->arena, s->d_at, s->m);
  TNI_ARENA_NEW(&s->arena, s->diagonal, s->n);
  TNI_ARENA_NEW(&s->arena, s->value, (s->z ? 2 : 1)*(nnz + 1));
  TNI_ARENA_NEW(&s->arena, s->scale, s->N + 1);
  for (int k = 0; k < A->nnz; k++) s->colptr[A->col[k] + 1]++;
  for (int k = 0; k < C->nnz; k++) s->colptr[C->col[k] + 1]++;
  for (int r = 0; r < s->m; r++) s->colptr[s->n + r + 1] = C->rowptr[r+1] - C->rowptr[r] + 1;
  for (int i = 0; i < s->N; i++) {
    s->colptr[i+1] += s->colptr[i];
    next[i] = s->colptr[i];
  }
  for (int i = 0; i < s->n; i++)
    for (int k = A->rowptr[i]; k < A->rowptr[i+1]; k++) {
      if (A->col[k] == i) s->diagonal[i] = k;
      s->a_at[k] = next[A->col[k]]++;
      s->rowind[s->a_at[k]] = i;
    }
  for (int r = 0; r < s->m; r++) {
    for (int k = C->rowptr[r]; k < C->rowptr[r+1]; k++) {
      s->c_at[2*k] = next[C->col[k]]++;
      s->rowind[s->c_at[2*k]] = s->n + r;
      s->c_at[2*k + 1] = next[s->n + r]++;
      s->rowind[s->c_at[2*k + 1]] = C->col[k];
    }
    s->d_at[r] = next[s->n + r]++;
    s->rowind[s->d_at[r]] = s->n + r;
  }
  return TN_OK;
}

/* threshold 0: pivots for few entries */
static tn_status make_solver(tni_saddle *s, double threshold) {
  tni_sparse_opts o = {.is_complex = s->z, .least = PIVOT_TOL, .decay = PIVOT_DECAY,
                       .threshold = threshold, .symmetric = s->definite,
                       .backend = s->definite ? "fronts" : NULL, .reason = s->definite ? "positive definite" : NULL};
  tni_sparse_solver_destroy(&s->lu);
  return tni_sparse_solver_create(s->ctx, s->N, s->colptr, s->rowind, &o, &s->lu);
}

static tn_status setup(tni_saddle *s) {
  TN_TRY(pattern(s));
  return make_solver(s, 0);
}

tn_status tni_saddle_create(tn_ctx *ctx, const tni_sparsity *A, const tni_sparsity *C,
                            bool is_complex, tni_saddle **out) {
  *out = NULL;
  tni_saddle *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  tni_arena_init(&s->arena, ctx);
  s->ctx = ctx;
  s->A = A;
  s->C = C;
  s->z = is_complex;
  s->n = A->nrow;
  s->m = C->nrow;
  s->N = s->n + s->m;
  tn_status st = setup(s);
  if (st != TN_OK) {
    tni_saddle_destroy(&s);
    return st;
  }
  *out = s;
  return TN_OK;
}

void tni_saddle_measure(tni_saddle *s, const double *size) { s->size = size; }

tn_status tni_saddle_expect_definite(tni_saddle *s) {
  if (s->N == 0 || s->m > 0 || s->z) return TN_OK;
  s->definite = true;
  return make_solver(s, 0);
}

tn_status tni_saddle_soften(tni_saddle *s, const double *flexibility) {
  s->flexibility = flexibility;
  TNI_ARENA_NEW(&s->arena, s->right, s->N);
  TNI_ARENA_NEW(&s->arena, s->left, s->N);
  return make_solver(s, SOFT_PIVOT);
}

void tni_saddle_forget(tni_saddle *s) { tni_sparse_solver_forget(s->lu); }

void tni_saddle_destroy(tni_saddle **out) {
  tni_saddle *s = *out;
  if (!s) return;
  tni_sparse_solver_destroy(&s->lu);
  tni_sparse_solver_destroy(&s->ldl);
  tni_arena_clear(&s->arena);
  tni_free(s->ctx, s);
  *out = NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

static void put(tni_saddle *s, int at, double re, double im) {
  if (s->z) {
    s->value[2*at] = re;
    s->value[2*at + 1] = im;
  } else {
    s->value[at] = re;
  }
}

static void assemble(tni_saddle *s, const double *A, const double *B, const double *C,
                     const bool *active) {
  const tni_sparsity *pa = s->A, *pc = s->C;
  double *scale = s->scale;
  for (int i = 0; i < s->n; i++) {
    int d = s->diagonal[i];
    double size = s->size ? s->size[i] : s->z ? hypot(A[2*d], A[2*d + 1]) : fabs(A[d]);
    scale[i] = size > 0 ? 1/sqrt(size) : 1;
  }
  for (int i = 0; i < s->n; i++)
    for (int k = pa->rowptr[i]; k < pa->rowptr[i+1]; k++) {
      double f = scale[i]*scale[pa->col[k]];
      if (s->z) put(s, s->a_at[k], f*A[2*k], f*A[2*k + 1]);
      else s->value[s->a_at[k]] = f*A[k];
    }
  for (int r = 0; r < s->m; r++) {
    bool used = !active || active[r];
    double length2 = 0;
    for (int k = pc->rowptr[r]; k < pc->rowptr[r+1] && used; k++) {
      double c = C[k]*scale[pc->col[k]];
      length2 += c*c;
    }
    used = used && length2 > 0;
    double f = used ? 1/sqrt(length2) : 0;
    scale[s->n + r] = f;
    for (int k = pc->rowptr[r]; k < pc->rowptr[r+1]; k++) {
      double to = f*scale[pc->col[k]];
      put(s, s->c_at[2*k], to*C[k], 0);
      put(s, s->c_at[2*k + 1], to*B[k], 0);
    }
    double soft = used && s->flexibility ? s->flexibility[r]*f*f : 0;
    put(s, s->d_at[r], !used ? 1 : soft > 0 ? -soft : -s->regular, 0);
  }
}

static tn_status factor(tni_saddle *s) {
  tn_status st = tni_sparse_solver_factor(s->lu, s->value);
  if (st == TN_SINGULAR && s->definite) {
    s->definite = false;
    TN_TRY(make_solver(s, 0));
    st = tni_sparse_solver_factor(s->lu, s->value);
  }
  TN_REQUIRE(s->ctx, st != TN_SINGULAR, TN_SINGULAR,
             "matrix of the implicit step is singular: smallest pivot %.3g",
             tni_sparse_solver_least(s->lu));
  return st;
}

tn_status tni_saddle_factor(tni_saddle *s, const double *A, const double *C, const bool *active,
                            double regular) {
  if (s->N == 0) return TN_OK;
  s->regular = regular;
  assemble(s, A, C, C, active);
  return factor(s);
}

tn_status tni_saddle_factor_oblique(tni_saddle *s, const double *A, const double *B, const double *C,
                                    const bool *active) {
  if (s->N == 0) return TN_OK;
  s->regular = 0;
  assemble(s, A, B, C, active);
  return factor(s);
}

tn_status tni_saddle_negative(tni_saddle *s, const double *A, const double *C, const bool *active,
                              int *negative) {
  int zero;
  *negative = 0;
  if (s->N == 0) return TN_OK;
  if (!s->ldl) {
    tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .least = PIVOT_TOL};
    TN_TRY(tni_sparse_solver_create(s->ctx, s->N, s->colptr, s->rowind, &o, &s->ldl));
  }
  s->regular = TNI_SADDLE_REGULAR;
  assemble(s, A, C, C, active);
  TN_TRY(tni_sparse_solver_factor(s->ldl, s->value));
  tni_sparse_solver_inertia(s->ldl, negative, &zero);
  /* every row in use adds one of its own */
  for (int r = 0; r < s->m; r++) *negative -= s->scale[s->n + r] > 0;
  return TN_OK;
}

/* x += S^-1 (right - S x), in scaled numbers */
static void refine(tni_saddle *s, double *x) {
  double *r = s->left;
  memcpy(r, s->right, (size_t)s->N*sizeof(double));
  for (int j = 0; j < s->N; j++)
    for (int k = s->colptr[j]; k < s->colptr[j+1]; k++) r[s->rowind[k]] -= s->value[k]*x[j];
  tni_sparse_solver_solve(s->lu, 1, false, r);
  for (int i = 0; i < s->N; i++) x[i] += r[i];
}

void tni_saddle_solve(tni_saddle *s, int nrhs, double *b) {
  int w = s->z ? 2 : 1;
  if (s->N == 0) return;
  if (s->right && nrhs > 1) {
    for (int k = 0; k < nrhs; k++) tni_saddle_solve(s, 1, b + (size_t)k*(size_t)s->N);
    return;
  }
  for (int k = 0; k < nrhs; k++)
    for (int i = 0; i < s->N; i++)
      for (int c = 0; c < w; c++) b[(k*s->N + i)*w + c] *= s->scale[i];
  if (s->right) memcpy(s->right, b, (size_t)s->N*sizeof(double));
  tni_sparse_solver_solve(s->lu, nrhs, false, b);
  if (s->right) refine(s, b);
  for (int k = 0; k < nrhs; k++)
    for (int i = 0; i < s->N; i++)
      for (int c = 0; c < w; c++) b[(k*s->N + i)*w + c] *= s->scale[i];
}

void tni_saddle_solve_transposed(tni_saddle *s, double *b) {
  if (s->N == 0) return;
  for (int i = 0; i < s->N; i++) b[i] *= s->scale[i];
  tni_sparse_solver_solve(s->lu, 1, true, b);
  for (int i = 0; i < s->N; i++) b[i] *= s->scale[i];
}

void tni_saddle_describe(const tni_saddle *s, char *out, size_t n) {
  tni_sparse_solver_describe(s->lu, out, n);
}

long tni_saddle_nnz(const tni_saddle *s) { return tni_sparse_solver_nnz(s->lu); }

void tni_sparse_add(const tni_sparsity *p, double factor, const double *A, const double *x,
                    double *y) {
  for (int i = 0; i < p->nrow; i++) {
    double sum = 0;
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) sum += A[k]*x[p->col[k]];
    y[i] += factor*sum;
  }
}
