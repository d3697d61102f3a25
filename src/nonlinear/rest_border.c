/* nonlinear/rest_border.c - bodies, beams and joints around structures that are cut into domains
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_border.h"

#include <float.h>
#include <math.h>

#include "linsolve/lapack.h"
#include "system/parts.h"

enum { MOST = 3000 };                /* unknowns of the dense matrix                                   */
static const double NO_PIVOT = 1e-13; /* of a matrix in units of its diagonal: a motion without stiffness */

struct tni_rest_border {
  tni_data *s;
  tni_arena arena;
  int v0, np, nz;      /* velocities of bodies, unknowns of structures, v0 + m       */
  int *slot;           /* [nz] which solution belongs to it, -1: it touches nothing  */
  int nslot, *of;      /* [nslot] z of each                                          */
  double *W;           /* [nslot][np]                                                */
  double *S, *T;       /* [nz][nz] by columns; factors, and a copy                   */
  double *scale;       /* [nz]                                                       */
  double *x, *y, *z;   /* [nv], [nv], [nz]                                           */
  double *value;       /* [nz] eigenvalues                                           */
  double *work;
  int lwork;
  int *pivot;
  const double *A, *C; /* of the last factor, for the products with F                */
  const bool *active;
};

/* has a row of C entries at unknowns of structures, or a body some with them in A? */
static bool touches(const tni_rest_border *b, int z) {
  const tni_sparsity *A = b->s->square, *C = b->s->rows;
  if (z >= b->v0) {
    int r = z - b->v0;
    for (int k = C->rowptr[r]; k < C->rowptr[r + 1]; k++)
      if (C->col[k] >= b->v0) return true;
    return false;
  }
  for (int k = A->rowptr[z]; k < A->rowptr[z + 1]; k++)
    if (A->col[k] >= b->v0) return true;
  return false;
}

static tn_status allocate(tni_rest_border *b) {
  size_t n = (size_t)b->nz;
  TNI_ARENA_NEW(&b->arena, b->slot, n);
  TNI_ARENA_NEW(&b->arena, b->of, n);
  for (int z = 0; z < b->nz; z++) {
    b->slot[z] = touches(b, z) ? b->nslot : -1;
    if (b->slot[z] >= 0) b->of[b->nslot++] = z;
  }
  /* the pattern of A is that of pairs: a row without structures has no column with them either */
  const tni_sparsity *A = b->s->square;
  for (int p = b->v0; p < b->s->nv; p++)
    for (int k = A->rowptr[p]; k < A->rowptr[p + 1]; k++) {
      int z = A->col[k];
      if (z >= b->v0 || b->slot[z] >= 0) continue;
      b->slot[z] = b->nslot;
      b->of[b->nslot++] = z;
    }
  b->lwork = 8*b->nz + 8;
  TNI_ARENA_NEW(&b->arena, b->W, (size_t)b->nslot*(size_t)b->np);
  TNI_ARENA_NEW(&b->arena, b->S, n*n);
  TNI_ARENA_NEW(&b->arena, b->T, n*n);
  TNI_ARENA_NEW(&b->arena, b->scale, n);
  TNI_ARENA_NEW(&b->arena, b->x, b->s->nv);
  TNI_ARENA_NEW(&b->arena, b->y, b->s->nv);
  TNI_ARENA_NEW(&b->arena, b->z, n);
  TNI_ARENA_NEW(&b->arena, b->value, n);
  TNI_ARENA_NEW(&b->arena, b->work, b->lwork);
  TNI_ARENA_NEW(&b->arena, b->pivot, n);
  return TN_OK;
}

tn_status tni_rest_border_create(tni_data *s, tni_rest_border **out) {
  *out = NULL;
  int v0 = s->parts->v0, nz = v0 + s->m;
  if (nz == 0) return TN_OK;
  TN_REQUIRE(s->ctx, nz <= MOST, TN_ERR_UNSUPPORTED,
             "%d unknowns of bodies and constraints around the structures, solvers by domains take at most %d", nz, MOST);
  TN_REQUIRE(s->ctx, v0 + s->parts->nv == s->nv, TN_ERR_INTERNAL, "unknowns of structures are not the last ones");
  tni_rest_border *b = tni_alloc(s->ctx, 1, sizeof(*b));
  if (!b) return tni_out_of_memory(s->ctx);
  *b = (tni_rest_border){.s = s, .v0 = v0, .np = s->parts->nv, .nz = nz};
  tni_arena_init(&b->arena, s->ctx);
  tn_status st = allocate(b);
  if (st != TN_OK) tni_rest_border_destroy(&b);
  *out = b;
  return st;
}

void tni_rest_border_destroy(tni_rest_border **out) {
  tni_rest_border *b = out ? *out : NULL;
  if (!b) return;
  tn_ctx *ctx = b->s->ctx;
  tni_arena_clear(&b->arena);
  tni_free(ctx, b);
  *out = NULL;
}

static bool counts(const tni_rest_border *b, int z) { return z < b->v0 || !b->active || b->active[z - b->v0]; }

/* y [nz] += factor F x, x among the structures' unknowns [np]: rows of bodies from A, of constraints from C */
static void add_F(const tni_rest_border *b, double factor, const double *x, double *y, size_t stride) {
  const tni_sparsity *A = b->s->square, *C = b->s->rows;
  for (int i = 0; i < b->nslot; i++) {
    int z = b->of[i];
    if (!counts(b, z)) continue;
    const tni_sparsity *p = z < b->v0 ? A : C;
    const double *value = z < b->v0 ? b->A : b->C;
    int r = z < b->v0 ? z : z - b->v0;
    double sum = 0;
    for (int k = p->rowptr[r]; k < p->rowptr[r + 1]; k++)
      if (p->col[k] >= b->v0) sum += value[k]*x[p->col[k] - b->v0];
    y[(size_t)z*stride] += factor*sum;
  }
}

/* column z of E into x [nv]: of A between the structures and a body, or a row of C; false: it is zero */
static bool column_of_E(const tni_rest_border *b, int z, double *x) {
  const tni_sparsity *A = b->s->square, *C = b->s->rows;
  memset(x, 0, (size_t)b->s->nv*sizeof(double));
  if (z >= b->v0) {
    int r = z - b->v0;
    for (int k = C->rowptr[r]; k < C->rowptr[r + 1]; k++)
      if (C->col[k] >= b->v0) x[C->col[k]] = b->C[k];
  }
  bool any = false;
  for (int p = b->v0; p < b->s->nv; p++) {
    int k = z < b->v0 ? tni_sparsity_find(A, p, z) : -1;
    if (k >= A->rowptr[p] && k < A->rowptr[p + 1] && A->col[k] == z) x[p] = b->A[k];
    any = any || x[p] != 0;
  }
  return any;
}

/* All bodies in units of the largest stiffness that one of them meets before structures give way, and rows as long as one. Not each in its own: bodies
 * that constraints alone hold have none, or rounding. */
static void size_scale(tni_rest_border *b) {
  size_t n = (size_t)b->nz;
  double most = 0;
  for (size_t i = 0; i < (size_t)b->v0; i++) most = fmax(most, fabs(b->S[i*n + i]));
  for (size_t i = 0; i < (size_t)b->v0; i++) b->scale[i] = most > 0 ? 1/sqrt(most) : 1;
  for (size_t i = (size_t)b->v0; i < n; i++) {
    double d = 0;
    for (size_t r = 0; r < (size_t)b->v0; r++) d = fmax(d, fabs(b->S[i*n + r])*b->scale[r]);
    b->scale[i] = d > 0 ? 1/d : 1;
  }
}

/* r := E - K w of the structures, and what rounding makes of it, eps | |K| |w| | */
static double missed(const tni_rest_border *b, const double *e, const double *w, double *r, double *rounding) {
  const tni_sparsity *A = b->s->square;
  double left = 0, size = 0;
  for (int p = b->v0; p < b->s->nv; p++) {
    double sum = e[p], most = 0;
    for (int k = A->rowptr[p]; k < A->rowptr[p + 1]; k++)
      if (A->col[k] >= b->v0) {
        double term = b->A[k]*w[A->col[k] - b->v0];
        sum -= term;
        most += fabs(term);
      }
    r[p] = sum;
    left += sum*sum;
    size += most*most;
  }
  *rounding = DBL_EPSILON*sqrt(size);
  return sqrt(left);
}

/* K w = e as well as rounding allows: what bodies meet, A - F W, may be a difference of numbers 1e9 times as large, and a residual of 1e-10 would be
 * seen in it. Solvers that iterate stop there. e [nv] is kept. */
static tn_status solve_well(tni_rest_border *b, tni_rest_cut *cut, const double *e, double *w) {
  enum { ROUNDS = 4, FEW_ROUNDINGS = 8 };
  double before = HUGE_VAL, rounding;
  memset(w, 0, (size_t)b->np*sizeof(double));
  for (int k = 0; k <= ROUNDS; k++) {
    double left = missed(b, e, w, b->y, &rounding);
    if (left <= FEW_ROUNDINGS*rounding || !(left < 0.5*before)) return TN_OK;
    before = left;
    TN_TRY(tni_rest_cut_solve(cut, b->y));
    for (int i = 0; i < b->np; i++) w[i] += b->y[b->v0 + i];
  }
  return TN_OK;
}

/* W, and S with what goes through the structures */
static tn_status put_together(tni_rest_border *b, tni_rest_cut *cut) {
  const tni_sparsity *A = b->s->square, *C = b->s->rows;
  size_t n = (size_t)b->nz, v0 = (size_t)b->v0;
  memset(b->S, 0, n*n*sizeof(double));
  for (int r = 0; r < b->v0; r++)
    for (int k = A->rowptr[r]; k < A->rowptr[r + 1]; k++)
      if (A->col[k] < b->v0) b->S[(size_t)A->col[k]*n + (size_t)r] = b->A[k];
  for (int r = 0; r < b->s->m; r++) {
    size_t z = v0 + (size_t)r;
    if (!counts(b, (int)z)) {
      b->S[z*n + z] = 1;
      continue;
    }
    for (int k = C->rowptr[r]; k < C->rowptr[r + 1]; k++)
      if (C->col[k] < b->v0) b->S[(size_t)C->col[k]*n + z] = b->S[z*n + (size_t)C->col[k]] = b->C[k];
  }
  size_scale(b);
  for (int i = 0; i < b->nslot; i++) {
    double *w = b->W + (size_t)i*(size_t)b->np;
    memset(w, 0, (size_t)b->np*sizeof(double));
    if (!counts(b, b->of[i]) || !column_of_E(b, b->of[i], b->x)) continue;
    TN_TRY(solve_well(b, cut, b->x, w));
    add_F(b, -1, w, b->S + (size_t)b->of[i]*n, 1);
  }
  return TN_OK;
}

/* Signs of a symmetric matrix with constraints: of its eigenvalues as many are negative as there are rows, and one more for each
 * motion along them whose stiffness is. The structures' own are positive. */
static int count_negative(tni_rest_border *b) {
  enum { FEW = 700 };
  size_t n = (size_t)b->nz;
  int rows = 0, negative = 0;
  if (b->nz > FEW) return -1;
  for (int r = 0; r < b->s->m; r++) rows += counts(b, b->v0 + r);
  for (size_t i = 0; i < n; i++) /* turns do not commute: the matrix is symmetric at the equilibrium, and near it almost */
    for (size_t r = 0; r < n; r++) b->T[i*n + r] = 0.5*(b->S[i*n + r] + b->S[r*n + i]);
  if (tni_syev('N', 'L', b->nz, b->T, b->nz, b->value, b->work, b->lwork) != 0) return -1;
  for (size_t i = 0; i < n; i++) negative += b->value[i] < 0;
  return negative >= rows ? negative - rows : -1;
}

tn_status tni_rest_border_factor(tni_rest_border *b, tni_rest_cut *cut, const double *A, const double *C, const bool *active, bool symmetric,
                                 int *negative) {
  b->A = A;
  b->C = C;
  b->active = active;
  *negative = -1;
  TN_TRY(put_together(b, cut));
  for (size_t i = 0; i < (size_t)b->nz; i++)
    for (size_t r = 0; r < (size_t)b->nz; r++) b->S[i*(size_t)b->nz + r] *= b->scale[i]*b->scale[r];
  if (symmetric) *negative = count_negative(b);
  int info = tni_getrf(b->nz, b->nz, b->S, b->nz, b->pivot), worst = info > 0 ? info - 1 : -1;
  double most = 0;
  for (size_t i = 0; i < (size_t)b->nz; i++) most = fmax(most, fabs(b->S[i*(size_t)b->nz + i]));
  for (int i = 0; i < b->nz && worst < 0; i++)
    if (!(fabs(b->S[(size_t)i*(size_t)b->nz + (size_t)i]) > NO_PIVOT*most)) worst = i;
  if (worst < 0) return TN_OK;
  char name[128] = "a constraint";
  if (worst < b->v0) tni_dof_name(b->s, worst, name, sizeof(name));
  return TN_FAIL(b->s->ctx, TN_SINGULAR, "the model is not held: '%s' moves without force; add supports", name);
}

tn_status tni_rest_border_solve(tni_rest_border *b, tni_rest_cut *cut, double *x) {
  double *p = x + b->v0;
  TN_TRY(tni_rest_cut_solve(cut, x));
  memcpy(b->z, x, (size_t)b->v0*sizeof(double));
  for (int r = 0; r < b->s->m; r++) b->z[b->v0 + r] = counts(b, b->v0 + r) ? x[b->s->nv + r] : 0;
  add_F(b, -1, p, b->z, 1);
  for (int i = 0; i < b->nz; i++) b->z[i] *= b->scale[i];
  tni_getrs('N', b->nz, 1, b->S, b->nz, b->pivot, b->z, b->nz);
  for (int i = 0; i < b->nz; i++) b->z[i] *= b->scale[i];
  for (int i = 0; i < b->nslot; i++) {
    const double *w = b->W + (size_t)i*(size_t)b->np;
    double z = b->z[b->of[i]];
    for (int k = 0; k < b->np; k++) p[k] -= z*w[k];
  }
  memcpy(x, b->z, (size_t)b->v0*sizeof(double));
  memcpy(x + b->s->nv, b->z + b->v0, (size_t)b->s->m*sizeof(double));
  return TN_OK;
}

void tni_rest_border_sizes(const tni_rest_border *b, int *unknowns, int *solutions) {
  *unknowns = b->nz;
  *solutions = b->nslot;
}
