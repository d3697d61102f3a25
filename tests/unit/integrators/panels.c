/* tests/unit/integrators/panels.c - panels: products equal those of the dense matrix, and a column does
 * not notice its company
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/panels.h"

#include <math.h>

#include "support/check.h"

enum { N = 29, ND = 21, LD = 23, WIDTH = 19 };
/* heights 6, 3, 1, 8 (split into 6 and 2), 6, 5 */
static const int group[] = {0, 6, 9, 10, 18, 24, N};
enum { NGROUP = sizeof(group)/sizeof(*group) - 1 };

static double A[N*ND];
static tn_ctx *ctx;
static tni_arena arena;
static tni_panels p;

static double number(int i) { return sin(7.1*i + 0.3); }

/* whole columns of a group vanish, and some entries beside */
static void fill(void) {
  for (int g = 0; g < NGROUP; g++)
    for (int i = group[g]; i < group[g+1]; i++)
      for (int c = 0; c < ND; c++)
        A[i*ND + c] = (c + 2*g) % 3 == 0 || (i + c) % 7 == 0 ? 0 : number(i*ND + c);
}

static void vectors_are_multiplied(void) {
  double x[N], y[ND], scratch[2*ND], out[ND];
  for (int i = 0; i < N; i++) x[i] = number(3*i);
  for (int c = 0; c < ND; c++) y[c] = number(5*c + 1);
  tni_panels_inner(&p, x, out, scratch);
  for (int c = 0; c < ND; c++) {
    double want = 0;
    for (int i = 0; i < N; i++) want += A[i*ND + c]*x[i];
    CHECK_NEAR(out[c], want, 1e-14);
  }
  double sum[N];
  memcpy(sum, x, sizeof(sum));
  tni_panels_add(&p, -0.7, y, sum);
  for (int i = 0; i < N; i++) {
    double want = x[i];
    for (int c = 0; c < ND; c++) want -= 0.7*A[i*ND + c]*y[c];
    CHECK_NEAR(sum[i], want, 1e-14);
  }
}

static void columns_are_multiplied(void) {
  static double X[N*LD], Y[ND*LD], out[N*LD], inner[ND*LD];
  tni_columns all = {LD, 2, 2 + WIDTH};
  for (int i = 0; i < N*LD; i++) X[i] = number(i), out[i] = 99;
  for (int i = 0; i < ND*LD; i++) Y[i] = number(2*i + 1), inner[i] = 99;
  tni_panels_multiply(&p, all, Y, out);
  tni_panels_inner_columns(&p, all, X, inner);
  for (int j = 0; j < LD; j++) {
    bool in = j >= all.c0 && j < all.c1;
    for (int i = 0; i < N; i++) {
      double want = 0;
      for (int c = 0; c < ND; c++) want += A[i*ND + c]*Y[c*LD + j];
      CHECK_WITHIN(out[i*LD + j], in ? want : 99, 1e-14);
    }
    for (int c = 0; c < ND; c++) {
      double want = 0;
      for (int i = 0; i < N; i++) want += A[i*ND + c]*X[i*LD + j];
      CHECK_NEAR(inner[c*LD + j], in ? want : 99, 2e-14);
    }
  }
}

/* threads share columns: bits must not depend on how */
static void a_column_does_not_notice_its_company(void) {
  static double X[N*LD], Y[ND*LD], whole[ND*LD], part[ND*LD], out[N*LD], out_part[N*LD];
  for (int i = 0; i < N*LD; i++) X[i] = number(i);
  for (int i = 0; i < ND*LD; i++) Y[i] = number(2*i + 1);
  tni_panels_inner_columns(&p, (tni_columns){LD, 0, LD}, X, whole);
  tni_panels_multiply(&p, (tni_columns){LD, 0, LD}, Y, out);
  for (int width = 1; width <= 12; width++) {
    for (int c0 = 0; c0 < LD; c0 += width) {
      tni_columns c = {LD, c0, c0 + width < LD ? c0 + width : LD};
      tni_panels_inner_columns(&p, c, X, part);
      tni_panels_multiply(&p, c, Y, out_part);
    }
    CHECK(memcmp(whole, part, sizeof(whole)) == 0);
    CHECK(memcmp(out, out_part, sizeof(out)) == 0);
  }
}

int main(void) {
  tn_ctx_opts o = {.threads = 1};
  if (tn_ctx_create(&o, &ctx) != TN_OK) return 2;
  tni_arena_init(&arena, ctx);
  fill();
  CHECK_OK(ctx, tni_panels_create(&arena, N, NGROUP, group, &p));
  tni_panels_take(&p, ND, A);
  RUN(vectors_are_multiplied);
  RUN(columns_are_multiplied);
  RUN(a_column_does_not_notice_its_company);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
