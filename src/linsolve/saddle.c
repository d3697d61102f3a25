/* linsolve/saddle.c - sparse LU of the matrices that implicit methods solve with
 *
 * KLU on the whole matrix, pattern analysed once. Rows and columns are scaled alike: to a unit
 * diagonal of A (or sizes given for it), which takes the step size and the units out of it, and to rows of C of unit length
 * in those coordinates. Pivots are then comparable with 1.
 *
 * The zero block is a small -regular in those units. Newton iterations correct what it spoils, and
 * at a singular position, where rows of C become dependent for a moment, the matrix stays regular:
 * combinations of rows shorter than the square root of it are let go instead of growing without
 * bound.
 *
 * KLU takes its memory from malloc, not from the context: its allocator is global.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/saddle.h"

#include <math.h>
#include <suitesparse/klu.h>

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
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  double regular;
  const double *size;   /* [n] in place of the diagonal of A, NULL: that              */
  const double *flexibility; /* [m] of rows of C, NULL: none                          */
  double *right, *left; /* [N] scratch of a refinement                                */
  double least;         /* smallest pivot when the pivots were chosen                 */
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

static tn_status setup(tni_saddle *s) {
  TN_TRY(pattern(s));
  klu_defaults(&s->common);
  s->common.scale = -1;
  s->common.halt_if_singular = 0;
  if (s->N == 0) return TN_OK;
  s->symbolic = klu_analyze(s->N, s->colptr, s->rowind, &s->common);
  if (!s->symbolic && s->common.status == KLU_OUT_OF_MEMORY) return tni_out_of_memory(s->ctx);
  TN_REQUIRE(s->ctx, s->symbolic, TN_ERR_INTERNAL,
             "sparse LU: analysis of %d rows failed with code %d", s->N, s->common.status);
  return TN_OK;
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

tn_status tni_saddle_soften(tni_saddle *s, const double *flexibility) {
  s->flexibility = flexibility;
  s->common.tol = SOFT_PIVOT;
  TNI_ARENA_NEW(&s->arena, s->right, s->N);
  TNI_ARENA_NEW(&s->arena, s->left, s->N);
  return TN_OK;
}

void tni_saddle_forget(tni_saddle *s) {
  if (!s->numeric) return;
  if (s->z) klu_z_free_numeric(&s->numeric, &s->common);
  else klu_free_numeric(&s->numeric, &s->common);
}

void tni_saddle_destroy(tni_saddle **out) {
  tni_saddle *s = *out;
  if (!s) return;
  tni_saddle_forget(s);
  if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
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

static double smallest_pivot(const tni_saddle *s) {
  const double *u = s->numeric->Udiag;
  double least = INFINITY;
  for (int k = 0; k < s->N; k++) {
    double p = s->z ? hypot(u[2*k], u[2*k + 1]) : fabs(u[k]);
    if (!(p >= least)) least = p;
    if (isnan(p)) return 0;
  }
  return least;
}

static bool refactor(tni_saddle *s) {
  if (!s->numeric) return false;
  int ok = s->z ? klu_z_refactor(s->colptr, s->rowind, s->value, s->symbolic, s->numeric,
                                 &s->common)
                : klu_refactor(s->colptr, s->rowind, s->value, s->symbolic, s->numeric,
                               &s->common);
  if (!ok) return false;
  double least = smallest_pivot(s);
  return least > PIVOT_TOL && least >= PIVOT_DECAY*s->least;
}

static tn_status factor(tni_saddle *s) {
  if (refactor(s)) return TN_OK;
  tni_saddle_forget(s);
  s->numeric = s->z ? klu_z_factor(s->colptr, s->rowind, s->value, s->symbolic, &s->common)
                    : klu_factor(s->colptr, s->rowind, s->value, s->symbolic, &s->common);
  if (!s->numeric && s->common.status == KLU_OUT_OF_MEMORY) return tni_out_of_memory(s->ctx);
  TN_REQUIRE(s->ctx, s->numeric, TN_ERR_INTERNAL,
             "sparse LU: factorization of %d rows failed with code %d", s->N, s->common.status);
  s->least = smallest_pivot(s);
  TN_REQUIRE(s->ctx, s->least > PIVOT_TOL, TN_SINGULAR,
             "matrix of the implicit step is singular: smallest pivot %.3g", s->least);
  return TN_OK;
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

/* x += S^-1 (right - S x), in scaled numbers */
static void refine(tni_saddle *s, double *x) {
  double *r = s->left;
  memcpy(r, s->right, (size_t)s->N*sizeof(double));
  for (int j = 0; j < s->N; j++)
    for (int k = s->colptr[j]; k < s->colptr[j+1]; k++) r[s->rowind[k]] -= s->value[k]*x[j];
  klu_solve(s->symbolic, s->numeric, s->N, 1, r, &s->common);
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
  if (s->z) klu_z_solve(s->symbolic, s->numeric, s->N, nrhs, b, &s->common);
  else klu_solve(s->symbolic, s->numeric, s->N, nrhs, b, &s->common);
  if (s->right) refine(s, b);
  for (int k = 0; k < nrhs; k++)
    for (int i = 0; i < s->N; i++)
      for (int c = 0; c < w; c++) b[(k*s->N + i)*w + c] *= s->scale[i];
}

void tni_saddle_solve_transposed(tni_saddle *s, double *b) {
  if (s->N == 0) return;
  for (int i = 0; i < s->N; i++) b[i] *= s->scale[i];
  klu_tsolve(s->symbolic, s->numeric, s->N, 1, b, &s->common);
  for (int i = 0; i < s->N; i++) b[i] *= s->scale[i];
}

long tni_saddle_nnz(const tni_saddle *s) {
  return s->numeric ? (long)s->numeric->lnz + s->numeric->unz : 0;
}

void tni_sparse_add(const tni_sparsity *p, double factor, const double *A, const double *x,
                    double *y) {
  for (int i = 0; i < p->nrow; i++) {
    double sum = 0;
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) sum += A[k]*x[p->col[k]];
    y[i] += factor*sum;
  }
}
