/* sparse elimination in a fixed order: residuals, new values in the old order, columns by themselves
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/elim.h"
#include "support/check.h"

enum { N = 30, K = 5 };

typedef struct stand {
  tn_ctx *ctx;
  tni_arena arena;
  tni_elim e;
  double A[N*N], may[N*N], B[N*K], X[N*K], Y[N*K];
} stand;

static double noise(unsigned *seed) {
  *seed = *seed*1664525u + 1013904223u;
  return (double)(*seed >> 8)/(1 << 24)*2 - 1;
}

/* a few entries in every row, regular because of a hidden permutation of large ones */
static void fill(stand *st, unsigned seed, double change) {
  unsigned s = 7;
  memset(st->may, 0, sizeof(st->may));
  for (int i = 0; i < N; i++) {
    st->may[i*N + (7*i + 3) % N] = 1;
    for (int k = 0; k < 3; k++) st->may[i*N + (int)(fabs(noise(&s))*(N - 1))] = 1;
  }
  s = 11;
  for (int i = 0; i < N*N; i++) {
    double x = noise(&s);
    st->A[i] = st->may[i] != 0 ? x + change*noise(&seed) : 0;
  }
  for (int i = 0; i < N; i++) st->A[i*N + (7*i + 3) % N] += 3;
  for (int i = 0; i < N*K; i++) st->B[i] = noise(&s);
}

static void stand_up(stand *st) {
  memset(st, 0, sizeof(*st));
  CHECK(tn_ctx_create(NULL, &st->ctx) == TN_OK);
  tni_arena_init(&st->arena, st->ctx);
  CHECK_OK(st->ctx, tni_elim_create(&st->arena, N, &st->e));
  fill(st, 1, 0);
}
static void stand_down(stand *st) {
  tni_arena_clear(&st->arena);
  tn_ctx_destroy(&st->ctx);
}

static double residual(const stand *st) {
  double worst = 0;
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < K; c++) {
      double sum = -st->B[i*K + c];
      for (int j = 0; j < N; j++) sum += st->A[i*N + j]*st->X[j*K + c];
      worst = fmax(worst, fabs(sum));
    }
  }
  return worst;
}

static void solves_and_serves_other_values(void) {
  stand st;
  int refused = 0;
  stand_up(&st);
  CHECK(tni_elim_order(&st.e, N, st.A, st.may));
  for (unsigned seed = 1; seed < 20; seed++) {
    fill(&st, seed, 0.3);
    if (!tni_elim_factor(&st.e, st.A)) {
      refused++;
      CHECK(tni_elim_order(&st.e, N, st.A, st.may) && tni_elim_factor(&st.e, st.A));
    }
    memcpy(st.X, st.B, sizeof(st.B));
    tni_elim_solve(&st.e, K, 0, K, st.X, st.Y);
    CHECK(residual(&st) < 1e-13);
    /* a vector by itself, and the transposed matrix */
    double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = y[i] = st.B[i*K];
    tni_elim_solve(&st.e, 1, 0, 1, x, st.Y);
    for (int i = 0; i < N; i++) CHECK_NEAR(x[i], st.X[i*K], 1e-13);
    memcpy(st.X, st.B, sizeof(st.B));
    tni_elim_solve_t(&st.e, K, 0, K, st.X, st.Y);
    double left = 0, right = 0;
    for (int i = 0; i < N; i++) {
      left += y[i]*x[i]; /* b . A^-1 b = A^-T b . b */
      right += st.X[i*K]*y[i];
      for (int c = 0; c < K; c++) {
        double sum = -st.B[i*K + c];
        for (int j = 0; j < N; j++) sum += st.A[j*N + i]*st.X[j*K + c];
        CHECK_NEAR(sum, 0, 1e-13);
      }
    }
    CHECK_NEAR(left, right, 1e-12);
  }
  CHECK(refused < 4);
  CHECK(st.e.lp[N] + st.e.up[N] < N*N/2); /* few entries are added */
  stand_down(&st);
}

static void columns_do_not_depend_on_their_company(void) {
  stand st;
  double alone[N*K];
  stand_up(&st);
  CHECK(tni_elim_order(&st.e, N, st.A, st.may) && tni_elim_factor(&st.e, st.A));
  memcpy(st.X, st.B, sizeof(st.B));
  memcpy(alone, st.B, sizeof(st.B));
  tni_elim_solve(&st.e, K, 0, K, st.X, st.Y);
  for (int c = 0; c < K; c++) tni_elim_solve(&st.e, K, c, c + 1, alone, st.Y);
  CHECK(memcmp(alone, st.X, sizeof(alone)) == 0);
  stand_down(&st);
}

static void singular_and_poorly_ordered_values_are_refused(void) {
  stand st;
  stand_up(&st);
  CHECK(tni_elim_order(&st.e, N, st.A, st.may));
  /* the first pivot becomes tiny against its column */
  int r = st.e.row[0], c = st.e.col[0];
  bool grows = st.e.lp[1] > st.e.lp[0];
  st.A[r*N + c] *= 1e-9;
  CHECK(!grows || !tni_elim_factor(&st.e, st.A));
  CHECK(tni_elim_order(&st.e, N, st.A, st.may) && tni_elim_factor(&st.e, st.A));
  for (int j = 0; j < N; j++) st.A[5*N + j] = st.A[6*N + j];
  for (int j = 0; j < N*N; j++) st.may[j] = 1;
  CHECK(!tni_elim_order(&st.e, N, st.A, st.may));
  stand_down(&st);
}

/* column-major, with rows to be exchanged */
static void small_dense_systems_are_solved(void) {
  for (int n = 1; n <= 13; n++) {
    double A[13*13], LU[13*13], x[13], b[13];
    int pivot[13];
    unsigned seed = 5u + (unsigned)n;
    for (int i = 0; i < n*n; i++) LU[i] = A[i] = noise(&seed);
    for (int i = 0; i < n; i++) x[i] = b[i] = noise(&seed);
    if (n > 1) LU[0] = A[0] = 0;
    CHECK(tni_lu_factor(n, LU, pivot));
    tni_lu_solve(n, LU, pivot, x);
    for (int i = 0; i < n; i++) {
      double sum = -b[i];
      for (int k = 0; k < n; k++) sum += A[k*n + i]*x[k];
      CHECK_NEAR(sum, 0, 1e-12);
    }
    for (int k = 0; k < n; k++) A[k*n] = A[k*n + n - 1]; /* equal rows */
    if (n > 1) CHECK(!tni_lu_factor(n, A, pivot) || fabs(A[n*n - 1]) > 1e12);
  }
}

int main(void) {
  RUN(solves_and_serves_other_values);
  RUN(columns_do_not_depend_on_their_company);
  RUN(singular_and_poorly_ordered_values_are_refused);
  RUN(small_dense_systems_are_solved);
  return REPORT();
}
