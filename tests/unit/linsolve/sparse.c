/* direct sparse solvers: the same answers from all, inertia and null space against dense eigenvalues
 * SPDX-License-Identifier: BSD-3-Clause */
#include "linsolve/sparse.h"

#include <lapacke.h>

#include "support/check.h"

enum { DOF = 3 };

/* A symmetric matrix on the nodes of a box of side^3, DOF unknowns a node, 27 neighbours. */
typedef struct {
  int n, *ptr, *ind, *node;
  double *value;
} matrix;

static int neighbours(int side, int v, int out[27]) {
  int count = 0, z = v/(side*side), y = v/side % side, x = v % side;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int X = x + dx, Y = y + dy, Z = z + dz;
        if (X < 0 || Y < 0 || Z < 0 || X >= side || Y >= side || Z >= side) continue;
        out[count++] = (Z*side + Y)*side + X;
      }
  return count;
}

/* diagonal: added to every diagonal entry; springs between neighbours have random directions, so that
 * with 0 the matrix is that of a body that is held by nothing */
static matrix box(int side, double diagonal, uint64_t seed) {
  int nodes = side*side*side, other[27];
  matrix m = {.n = DOF*nodes};
  m.ptr = calloc((size_t)m.n + 1, sizeof(int));
  m.node = calloc((size_t)m.n, sizeof(int));
  m.ind = calloc((size_t)m.n*27*DOF, sizeof(int));
  m.value = calloc((size_t)m.n*27*DOF, sizeof(double));
  for (int v = 0; v < nodes; v++) {
    int k = neighbours(side, v, other);
    for (int d = 0; d < DOF; d++) {
      int j = DOF*v + d, at = m.ptr[j];
      m.node[j] = v;
      for (int e = 0; e < k; e++)
        for (int c = 0; c < DOF; c++) m.ind[at++] = DOF*other[e] + c;
      m.ptr[j+1] = at;
    }
  }
  for (int v = 0; v < nodes; v++) {
    int k = neighbours(side, v, other);
    for (int e = 0; e < k; e++) {
      if (other[e] <= v) continue;
      double s[DOF];
      for (int d = 0; d < DOF; d++) s[d] = check_random(&seed);
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
          for (int i = 0; i < DOF; i++)
            for (int j = 0; j < DOF; j++) {
              int row = DOF*(a ? other[e] : v) + i, col = DOF*(b ? other[e] : v) + j;
              for (int p = m.ptr[col]; p < m.ptr[col+1]; p++)
                if (m.ind[p] == row) m.value[p] += (a == b ? 1 : -1)*s[i]*s[j];
            }
    }
  }
  for (int j = 0; j < m.n; j++)
    for (int p = m.ptr[j]; p < m.ptr[j+1]; p++)
      if (m.ind[p] == j) m.value[p] += diagonal;
  return m;
}

static void drop(matrix *m) { free(m->ptr), free(m->ind), free(m->node), free(m->value); }

/* |A x - b| in units of its terms */
static double residual(const matrix *m, const double *x, const double *b) {
  double *r = calloc((size_t)m->n, sizeof(double)), most = 0, terms = 0;
  for (int j = 0; j < m->n; j++)
    for (int p = m->ptr[j]; p < m->ptr[j+1]; p++) {
      r[m->ind[p]] += m->value[p]*x[j];
      terms = fmax(terms, fabs(m->value[p]*x[j]));
    }
  for (int i = 0; i < m->n; i++) most = fmax(most, fabs(r[i] - b[i]));
  free(r);
  return most/terms;
}

/* eigenvalues, ascending */
static double *eigenvalues(const matrix *m) {
  double *A = calloc((size_t)m->n*(size_t)m->n, sizeof(double)), *w = calloc((size_t)m->n, sizeof(double));
  for (int j = 0; j < m->n; j++)
    for (int p = m->ptr[j]; p < m->ptr[j+1]; p++) A[(size_t)j*(size_t)m->n + (size_t)m->ind[p]] = m->value[p];
  CHECK(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', m->n, A, m->n, w) == 0);
  free(A);
  return w;
}

static tn_ctx *ctx;

static void solvers_agree(void) {
  static const char *const backends[] = {"klu", "mumps"};
  uint64_t seed = 11;
  for (int n = 0; n < 2; n++) {
    matrix m = box(5, n ? -0.7 : 0.4, 3);
    double *b = calloc(2*(size_t)m.n, sizeof(double)), *x = calloc(2*(size_t)m.n, sizeof(double));
    for (int i = 0; i < 2*m.n; i++) b[i] = check_random(&seed);
    for (int k = 0; k < 2; k++)
      for (int node = 0; node < 2; node++) {
        tni_sparse_solver *s;
        tni_sparse_opts o = {.backend = backends[k], .symmetric = true, .least = 1e-12, .node = node ? m.node : NULL};
        CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
        for (int again = 0; again < 2; again++) {
          CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
          memcpy(x, b, 2*(size_t)m.n*sizeof(double));
          tni_sparse_solver_solve(s, 2, again, x);
          CHECK(residual(&m, x, b) < 1e-12 && residual(&m, x + m.n, b + m.n) < 1e-12);
        }
        tni_sparse_solver_destroy(&s);
      }
    free(b), free(x);
    drop(&m);
  }
}

/* the signs of the pivots are those of the eigenvalues, for any shift */
static void inertia_is_that_of_the_eigenvalues(void) {
  for (int k = 0; k < 12; k++) {
    matrix m = box(3, 0.5 - 0.4*k, 5 + (uint64_t)k);
    double *w = eigenvalues(&m);
    int below = 0, negative, zero;
    while (below < m.n && w[below] < 0) below++;
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .least = 1e-12, .node = m.node};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
    CHECK(tni_sparse_solver_inertia(s, &negative, &zero));
    CHECK_INT(negative, below);
    CHECK_INT(zero, 0);
    tni_sparse_solver_destroy(&s);
    free(w);
    drop(&m);
  }
}

/* a body that nothing holds: three translations without stiffness, found and named by the factor */
static void null_space_is_found(void) {
  matrix m = box(4, 0, 9);
  double *w = eigenvalues(&m), *x = calloc((size_t)m.n*8, sizeof(double)), *none = calloc((size_t)m.n, sizeof(double));
  int count = 0, negative, zero;
  while (w[count] < 1e-9) count++;
  CHECK_INT(count, DOF);
  tni_sparse_solver *s;
  tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .least = 1e-9, .node = m.node};
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
  CHECK(tni_sparse_solver_factor(s, m.value) == TN_SINGULAR);
  CHECK(tni_sparse_solver_inertia(s, &negative, &zero));
  CHECK_INT(negative, 0);
  CHECK_INT(zero, DOF);
  CHECK(tni_sparse_solver_null(s, x));
  for (int k = 0; k < zero; k++) {
    double size = 0;
    for (int i = 0; i < m.n; i++) size = fmax(size, fabs(x[(size_t)k*(size_t)m.n + (size_t)i]));
    CHECK(size > 1e-3 && residual(&m, x + (size_t)k*(size_t)m.n, none) < 1e-9);
  }
  tni_sparse_solver_destroy(&s);
  o.backend = "klu";
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
  CHECK(tni_sparse_solver_factor(s, m.value) == TN_SINGULAR);
  CHECK(tni_sparse_solver_column(s) >= 0);
  CHECK(!tni_sparse_solver_inertia(s, &negative, &zero) && !tni_sparse_solver_null(s, x));
  tni_sparse_solver_destroy(&s);
  free(w), free(x), free(none);
  drop(&m);
}

/* by itself the choice falls on mumps for a solid body, which stores one triangle with no more fill than
 * klu has in both, and on klu for a chain */
static void large_bodies_are_dissected(void) {
  matrix m = box(8, 1, 4);
  long nnz[2];
  for (int k = 0; k < 2; k++) {
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = k ? NULL : "klu", .symmetric = true, .least = 1e-12, .node = m.node};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
    nnz[k] = tni_sparse_solver_nnz(s);
    char line[128];
    tni_sparse_solver_describe(s, line, sizeof(line));
    CHECK_TEXT(line, k ? "mumps, order metis: symmetric, with much fill" : "klu, order amd: chosen by the caller");
    tni_sparse_solver_destroy(&s);
  }
  CHECK(nnz[1] < 0.6*(double)nnz[0]);
  drop(&m);
  int ptr[4] = {0, 2, 5, 7}, ind[7] = {0, 1, 0, 1, 2, 1, 2};
  tni_sparse_solver *s;
  char line[128];
  tni_sparse_opts o = {.symmetric = true};
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, 3, ptr, ind, &o, &s));
  tni_sparse_solver_describe(s, line, sizeof(line));
  CHECK_TEXT(line, "klu, order amd: little fill");
  tni_sparse_solver_destroy(&s);
  o.backend = "superlu";
  CHECK(tni_sparse_solver_create(ctx, 3, ptr, ind, &o, &s) == TN_ERR_ARGUMENT);
  o = (tni_sparse_opts){.backend = "mumps", .is_complex = true};
  CHECK(tni_sparse_solver_create(ctx, 3, ptr, ind, &o, &s) == TN_ERR_ARGUMENT);
}

/* the same box with other numbers above the diagonal than below: both solve with it and with its
 * transposed, and mumps is chosen for it; a long band is left to klu whatever its length */
static void unsymmetric_boxes_are_solved(void) {
  static const char *const backends[] = {"klu", "mumps", NULL};
  uint64_t seed = 5;
  matrix m = box(8, 1, 4), t = m;
  double *b = calloc((size_t)m.n, sizeof(double)), *x = calloc((size_t)m.n, sizeof(double));
  t.value = calloc((size_t)m.ptr[m.n], sizeof(double));
  for (int j = 0; j < m.n; j++)
    for (int p = m.ptr[j]; p < m.ptr[j+1]; p++)
      if (m.ind[p] < j) m.value[p] += 0.2*check_random(&seed);
  for (int j = 0; j < m.n; j++) /* the pattern is symmetric */
    for (int p = m.ptr[j]; p < m.ptr[j+1]; p++)
      for (int k = m.ptr[m.ind[p]]; k < m.ptr[m.ind[p]+1]; k++)
        if (m.ind[k] == j) t.value[k] = m.value[p];
  for (int i = 0; i < m.n; i++) b[i] = check_random(&seed);
  for (int k = 0; k < 3; k++) {
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = backends[k], .least = 1e-12};
    char line[128];
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
    CHECK(tni_sparse_solver_refactor(s, m.value));
    for (int transposed = 0; transposed < 2; transposed++) {
      memcpy(x, b, (size_t)m.n*sizeof(double));
      tni_sparse_solver_solve(s, 1, transposed, x);
      CHECK(residual(transposed ? &t : &m, x, b) < 1e-11);
    }
    int negative, zero;
    CHECK(!tni_sparse_solver_inertia(s, &negative, &zero));
    tni_sparse_solver_describe(s, line, sizeof(line));
    if (!backends[k]) CHECK_TEXT(line, "mumps, order metis: much fill");
    tni_sparse_solver_destroy(&s);
  }
  free(b), free(x), free(t.value);
  drop(&m);
  enum { LONG = 20000, WIDE = 12 };
  int *ptr = calloc(LONG + 1, sizeof(int)), *ind = calloc(LONG*(2*WIDE + 1), sizeof(int));
  for (int j = 0; j < LONG; j++) {
    ptr[j+1] = ptr[j];
    for (int i = j - WIDE; i <= j + WIDE; i++)
      if (i >= 0 && i < LONG) ind[ptr[j+1]++] = i;
  }
  tni_sparse_solver *s;
  tni_sparse_opts o = {.least = 1e-12};
  char line[128];
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, LONG, ptr, ind, &o, &s));
  tni_sparse_solver_describe(s, line, sizeof(line));
  CHECK_TEXT(line, "klu, order amd: little fill");
  tni_sparse_solver_destroy(&s);
  free(ptr), free(ind);
}

/* columns of [4 1; 2 3], real and times i; transposed solves use rows */
static void unsymmetric_and_complex_ones_are_solved(void) {
  int ptr[3] = {0, 2, 4}, ind[4] = {0, 1, 0, 1};
  double real[4] = {4, 2, 1, 3}, imaginary[8] = {0, 4, 0, 2, 0, 1, 0, 3};
  tni_sparse_solver *s;
  tni_sparse_opts o = {.least = 1e-12};
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, 2, ptr, ind, &o, &s));
  CHECK_OK(ctx, tni_sparse_solver_factor(s, real));
  double b[4] = {6, 8, 8, 7}; /* x = (1, 2) of A, then of A^T */
  tni_sparse_solver_solve(s, 1, false, b);
  tni_sparse_solver_solve(s, 1, true, b + 2);
  for (int i = 0; i < 4; i++) CHECK_NEAR(b[i], i % 2 ? 2 : 1, 1e-14);
  tni_sparse_solver_destroy(&s);
  o.is_complex = true;
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, 2, ptr, ind, &o, &s));
  CHECK_OK(ctx, tni_sparse_solver_factor(s, imaginary));
  double z[4] = {0, 6, 0, 8};
  tni_sparse_solver_solve(s, 1, false, z);
  for (int i = 0; i < 4; i++) CHECK_NEAR(z[i], i % 2 ? 0 : 1 + i/2, 1e-14);
  tni_sparse_solver_destroy(&s);
}

/* pivots are chosen anew when the old ones have become small, but not by those who may not */
static void pivots_are_chosen_anew(void) {
  int ptr[3] = {0, 2, 4}, ind[4] = {0, 1, 0, 1};
  double first[4] = {1, 0.5, 0.5, 1}, second[4] = {1e-9, 1, 1, 1e-9}, b[2] = {1, 2};
  tni_sparse_solver *s;
  tni_sparse_opts o = {.backend = "klu", .least = 1e-12, .decay = 1e-3};
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, 2, ptr, ind, &o, &s));
  CHECK(!tni_sparse_solver_refactor(s, first)); /* nothing to go by yet */
  CHECK_OK(ctx, tni_sparse_solver_factor(s, first));
  CHECK(tni_sparse_solver_refactor(s, first));
  CHECK(!tni_sparse_solver_refactor(s, second));
  CHECK_OK(ctx, tni_sparse_solver_factor(s, second));
  tni_sparse_solver_solve(s, 1, false, b);
  CHECK_NEAR(b[0], 2, 1e-8);
  CHECK_NEAR(b[1], 1, 1e-8);
  tni_sparse_solver_destroy(&s);
}

/* A positive definite matrix on a graph without order: nodes of 1 to 6 unknowns, some without neighbours, some with many. Springs
 * between two nodes and a ground that every unknown rests on. */
static matrix web(int nodes, int springs, uint64_t seed) {
  int *first = calloc((size_t)nodes + 1, sizeof(int));
  for (int v = 0; v < nodes; v++) first[v+1] = first[v] + 1 + (int)(2.999*(1 + check_random(&seed)));
  matrix m = {.n = first[nodes]};
  bool *near = calloc((size_t)nodes*(size_t)nodes, sizeof(bool));
  double *A = calloc((size_t)m.n*(size_t)m.n, sizeof(double));
  for (int v = 0; v < nodes; v++) near[v*nodes + v] = true;
  for (int k = 0; k < springs; k++) {
    int a = (int)(0.4999*nodes*(1 + check_random(&seed))), b = (int)(0.4999*nodes*(1 + check_random(&seed)));
    near[a*nodes + b] = near[b*nodes + a] = true;
    int i = first[a], j = first[b+1] - 1;
    A[i*m.n + i] += 1, A[j*m.n + j] += 1;
    if (i != j) A[i*m.n + j] -= 1, A[j*m.n + i] -= 1;
  }
  m.ptr = calloc((size_t)m.n + 1, sizeof(int));
  m.node = calloc((size_t)m.n, sizeof(int));
  m.ind = calloc((size_t)m.n*(size_t)m.n, sizeof(int));
  m.value = calloc((size_t)m.n*(size_t)m.n, sizeof(double));
  for (int v = 0; v < nodes; v++)
    for (int j = first[v]; j < first[v+1]; j++) {
      m.node[j] = v;
      m.ptr[j+1] = m.ptr[j];
      A[j*m.n + j] += 0.1;
      for (int u = 0; u < nodes; u++)
        for (int i = first[u]; i < first[u+1] && near[u*nodes + v]; i++) {
          m.ind[m.ptr[j+1]] = i;
          m.value[m.ptr[j+1]++] = A[j*m.n + i];
        }
    }
  free(first), free(near), free(A);
  return m;
}

/* graphs of all kinds, with and without nodes; the stored numbers are no fewer than the eliminated matrix has */
static void fronts_solve_any_graph(void) {
  uint64_t seed = 77;
  for (int k = 0; k < 300; k++) {
    int nodes = 1 + k % 60, springs = k % 5*nodes/2, nrhs = 1 + k % 19;
    matrix m = web(nodes, springs, 100 + (uint64_t)k);
    double *b = calloc((size_t)(nrhs*m.n), sizeof(double)), *x = calloc((size_t)(nrhs*m.n), sizeof(double));
    for (int i = 0; i < nrhs*m.n; i++) x[i] = b[i] = check_random(&seed);
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = 1e-14, .node = k % 2 ? m.node : NULL};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    for (int again = 0; again < 2; again++) { /* the second time in used memory */
      CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
      memcpy(x, b, (size_t)(nrhs*m.n)*sizeof(double));
      tni_sparse_solver_solve(s, nrhs, true, x);
      for (int r = 0; r < nrhs; r++) CHECK(residual(&m, x + r*m.n, b + r*m.n) < 1e-12);
    }
    CHECK(tni_sparse_solver_nnz(s) >= (m.ptr[m.n] + m.n)/2);
    tni_sparse_solver_destroy(&s);
    free(b), free(x);
    drop(&m);
  }
}

/* subtrees and blocks of columns on several threads: the same bits; one side or many: the same to rounding */
static void fronts_give_the_same_bits_on_any_number_of_threads(void) {
  matrix m = box(13, 0.3, 8);
  double *x[3], *b = calloc(3*(size_t)m.n, sizeof(double));
  uint64_t seed = 5;
  for (int i = 0; i < 3*m.n; i++) b[i] = check_random(&seed);
  for (int k = 0; k < 3; k++) {
    tn_ctx *own;
    tni_sparse_solver *s;
    tn_ctx_opts co = {.threads = 1 << k};
    CHECK_OK(NULL, tn_ctx_create(&co, &own));
    x[k] = calloc(3*(size_t)m.n, sizeof(double));
    memcpy(x[k], b, 3*(size_t)m.n*sizeof(double));
    tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = 1e-14, .node = m.node};
    CHECK_OK(own, tni_sparse_solver_create(own, m.n, m.ptr, m.ind, &o, &s));
    CHECK(tni_sparse_solver_flops(s) > 1e8 && tni_sparse_solver_bytes(s) > 8.0*(double)tni_sparse_solver_nnz(s));
    CHECK_OK(own, tni_sparse_solver_factor(s, m.value));
    tni_sparse_solver_solve(s, 3, true, x[k]);
    CHECK(residual(&m, x[k] + m.n, b + m.n) < 1e-12);
    CHECK(memcmp(x[k], x[0], 3*(size_t)m.n*sizeof(double)) == 0);
    double *one = calloc((size_t)m.n, sizeof(double));
    memcpy(one, b + m.n, (size_t)m.n*sizeof(double));
    tni_sparse_solver_solve(s, 1, true, one);
    for (int i = 0; i < m.n; i++) CHECK_WITHIN(one[i], x[k][m.n + i], 1e-10);
    free(one);
    tni_sparse_solver_destroy(&s);
    tn_ctx_destroy(&own);
  }
  for (int k = 0; k < 3; k++) free(x[k]);
  free(b);
  drop(&m);
}

static void fronts_refuse_what_is_not_positive(void) {
  for (int k = 0; k < 12; k++) {
    matrix m = box(3, 0.5 - 0.4*k, 5 + (uint64_t)k);
    double *w = eigenvalues(&m);
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = 1e-12, .node = m.node};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    CHECK(tni_sparse_solver_factor(s, m.value) == (w[0] > 0 ? TN_OK : TN_SINGULAR));
    CHECK(w[0] > 0 || tni_sparse_solver_column(s) >= 0);
    tni_sparse_solver_destroy(&s);
    free(w);
    drop(&m);
  }
  matrix m = box(4, 0, 9); /* held by nothing */
  tni_sparse_solver *s;
  tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = 1e-9, .node = m.node};
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
  CHECK(tni_sparse_solver_factor(s, m.value) == TN_SINGULAR);
  tni_sparse_solver_destroy(&s);
  o.symmetric = false;
  CHECK(tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s) == TN_ERR_ARGUMENT);
  drop(&m);
}

/* conjugate gradients and active columns beside fronts */
static void classical_solvers_agree_with_fronts(void) {
  static const char *const backend[] = {"fronts", "pcg", "skyline"};
  matrix m = box(6, 0.4, 21);
  double *b = calloc((size_t)m.n, sizeof(double)), *x[3];
  uint64_t seed = 3;
  for (int i = 0; i < m.n; i++) b[i] = check_random(&seed);
  for (int k = 0; k < 3; k++) {
    tni_sparse_solver *s;
    char line[200];
    tni_sparse_opts o = {.backend = backend[k], .symmetric = true, .least = 1e-14, .node = m.node};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    x[k] = calloc((size_t)m.n, sizeof(double));
    for (int again = 0; again < 2; again++) {
      CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
      memcpy(x[k], b, (size_t)m.n*sizeof(double));
      tni_sparse_solver_solve(s, 1, true, x[k]);
    }
    for (int i = 0; i < m.n; i++) CHECK_WITHIN(x[k][i], x[0][i], k == 1 ? 1e-8 : 1e-11);
    int negative, zero;
    CHECK(tni_sparse_solver_inertia(s, &negative, &zero) == (k != 1)); /* gradients do not tell signs */
    tni_sparse_solver_describe(s, line, sizeof(line));
    CHECK(k != 1 || strstr(line, "iterations to"));
    tni_sparse_solver_destroy(&s);
  }
  for (int k = 0; k < 3; k++) free(x[k]);
  free(b);
  drop(&m);
}

/* the signs of active columns are those of the eigenvalues; gradients notice that there is no minimum, and say no number */
static void classical_solvers_notice_what_is_not_positive(void) {
  for (int k = 0; k < 12; k++) {
    matrix m = box(3, 0.5 - 0.4*k, 5 + (uint64_t)k);
    double *w = eigenvalues(&m), *b = calloc((size_t)m.n, sizeof(double));
    int below = 0, negative, zero;
    while (below < m.n && w[below] < 0) below++;
    tni_sparse_solver *s;
    tni_sparse_opts o = {.backend = "skyline", .symmetric = true, .least = 1e-12, .node = m.node};
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    CHECK_OK(ctx, tni_sparse_solver_factor(s, m.value));
    CHECK(tni_sparse_solver_inertia(s, &negative, &zero));
    CHECK_INT(negative, below);
    tni_sparse_solver_destroy(&s);
    uint64_t seed = 2;
    for (int i = 0; i < m.n; i++) b[i] = check_random(&seed);
    double *x = calloc((size_t)m.n, sizeof(double));
    memcpy(x, b, (size_t)m.n*sizeof(double));
    o.backend = "pcg";
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, m.n, m.ptr, m.ind, &o, &s));
    tn_status st = tni_sparse_solver_factor(s, m.value); /* a diagonal that is not positive shows at once */
    if (st == TN_OK) tni_sparse_solver_solve(s, 1, true, x);
    if (below == 0) CHECK(st == TN_OK && residual(&m, x, b) < 1e-9);
    else CHECK(st == TN_SINGULAR || isnan(x[0]));
    tni_sparse_solver_destroy(&s);
    free(w), free(b), free(x);
    drop(&m);
  }
}

/* arrowheads: column `head` and the diagonal full, and a cross of it; others lead to another order of elimination */
static void arrowhead(int n, int head, int *ptr, int *ind, double *value) {
  int at = 0;
  for (int j = 0; j < n; j++) {
    ptr[j] = at;
    for (int i = 0; i < n; i++) {
      if (i != j && i != head && j != head) continue;
      ind[at] = i;
      value[at++] = i == j ? 4.0 + j : 1.0/(1 + i + 2*j);
    }
  }
  ptr[n] = at;
}

/* another pattern in the same arrays: the bits of a solver that knows no other one, no memory of the context */
static void patterns_may_change(void) {
  enum { N = 30 };
  int ptr[N + 1], ind[N*N];
  double value[N*N], x[2][N];
  tni_sparse_opts o = {.scales = true, .relative = true, .least = 1e-20, .decay = 1e-3};
  tni_sparse_solver *s, *fresh;
  arrowhead(N, 0, ptr, ind, value);
  CHECK_OK(ctx, tni_sparse_solver_create(ctx, N, ptr, ind, &o, &s));
  CHECK_OK(ctx, tni_sparse_solver_factor(s, value));
  for (int head = N - 1; head > 0; head -= 7) {
    arrowhead(N, head, ptr, ind, value);
    CHECK_OK(ctx, tni_sparse_solver_create(ctx, N, ptr, ind, &o, &fresh));
    size_t own = tn_ctx_allocations(ctx);
    CHECK_OK(ctx, tni_sparse_solver_analyze(s));
    CHECK_OK(ctx, tni_sparse_solver_factor(s, value));
    CHECK_INT(tn_ctx_allocations(ctx), own);
    CHECK_OK(ctx, tni_sparse_solver_factor(fresh, value));
    for (int i = 0; i < N; i++) x[0][i] = x[1][i] = 1.0/(1 + i);
    tni_sparse_solver_solve(s, 1, false, x[0]);
    tni_sparse_solver_solve(fresh, 1, false, x[1]);
    CHECK(memcmp(x[0], x[1], sizeof(x[0])) == 0);
    matrix m = {.n = N, .ptr = ptr, .ind = ind, .value = value};
    double b[N];
    for (int i = 0; i < N; i++) b[i] = 1.0/(1 + i);
    CHECK(residual(&m, x[0], b) < 1e-14);
    tni_sparse_solver_destroy(&fresh);
  }
  tni_sparse_solver_destroy(&s);
}

int main(void) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  RUN(patterns_may_change);
  RUN(solvers_agree);
  RUN(inertia_is_that_of_the_eigenvalues);
  RUN(null_space_is_found);
  RUN(large_bodies_are_dissected);
  RUN(unsymmetric_boxes_are_solved);
  RUN(unsymmetric_and_complex_ones_are_solved);
  RUN(pivots_are_chosen_anew);
  RUN(fronts_solve_any_graph);
  RUN(fronts_give_the_same_bits_on_any_number_of_threads);
  RUN(fronts_refuse_what_is_not_positive);
  RUN(classical_solvers_agree_with_fronts);
  RUN(classical_solvers_notice_what_is_not_positive);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
