/* rank of the constraints: which rows are kept, the null space, the chain that is proved in linear
 * time
 * SPDX-License-Identifier: BSD-3-Clause */
#include "linsolve/kkt.h"

#include "support/block_systems.h"

static tn_ctx *ctx;
static tni_arena arena;

/* largest |C^T z| over the columns of the null space, and |Z^T Z - 1| */
static double null_space_error(const tni_kkt *K, const tni_rank *r) {
  double worst = 0, *y = system_array((size_t)(K->nbody*K->d), sizeof(double));
  for (int c = 0; c < r->nnull; c++) {
    const double *z = r->null + (size_t)c*(size_t)K->nrow;
    tni_kkt_apply_Ct(K, z, y);
    for (int i = 0; i < K->nbody*K->d; i++) worst = fmax(worst, fabs(y[i]));
    for (int e = 0; e <= c; e++) {
      double dot = e == c ? -1 : 0;
      for (int i = 0; i < K->nrow; i++) dot += z[i]*r->null[(size_t)e*(size_t)K->nrow+(size_t)i];
      worst = fmax(worst, fabs(dot));
    }
  }
  free(y);
  return worst;
}

/* row `to` becomes a combination of the rows a and b, all in the same block */
static void make_dependent(block_system *p, int block, int to, int a, int b) {
  int d = p->K.d, first = p->rowadr[block];
  for (int i = p->incadr[block]; i < p->incadr[block+1]; i++) {
    double *J = p->J + p->jadr[i];
    for (int k = 0; k < d; k++) {
      J[(to-first)*d+k] = 2*J[(a-first)*d+k] - 0.5*J[(b-first)*d+k];
    }
  }
}

static void independent_rows_are_all_kept(void) {
  uint64_t seed = 1;
  block_system p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  tni_rank r;
  CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
  CHECK(r.nrow == 73 && r.rank == 73 && r.nnull == 0);
  for (int i = 0; i < 73; i++) CHECK(r.independent[i]);
  CHECK(*r.condition >= 1);
  system_destroy(&p);
}

static void later_rows_of_a_dependent_set_are_dropped(void) {
  uint64_t seed = 2;
  block_spec spec[] = {{4, 2, {0, 1}}, {5, 2, {1, 2}}, {3, 1, {2}}};
  block_system p = system_create(6, 3, spec, 3, &seed);
  make_dependent(&p, 0, 3, 0, 1);
  make_dependent(&p, 1, 4, 5, 8); /* of 4, 5 and 8 the last one goes */
  tni_rank r;
  CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
  CHECK_INT(r.rank, 10);
  CHECK_INT(r.nnull, 2);
  for (int i = 0; i < 12; i++) CHECK(r.independent[i] == (i != 3 && i != 8));
  CHECK_NEAR(null_space_error(&p.K, &r), 0.0, 1e-12);
  system_destroy(&p);
}

/* more rows on one body than it has freedoms */
static void overdetermined_body_keeps_its_freedoms(void) {
  uint64_t seed = 3;
  for (int d = 3; d <= 6; d += 3) {
    block_spec spec[] = {{d, 1, {0}}, {d - 1, 1, {0}}};
    block_system p = system_create(d, 1, spec, 2, &seed);
    tni_rank r;
    CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
    CHECK_INT(r.rank, d);
    for (int i = 0; i < 2*d - 1; i++) CHECK(r.independent[i] == (i < d));
    CHECK_NEAR(null_space_error(&p.K, &r), 0.0, 1e-12);
    system_destroy(&p);
  }
}

/* removing the part in the null space changes no force and makes the multipliers shortest */
static void min_norm_multipliers_give_the_same_forces(void) {
  uint64_t seed = 4;
  block_spec spec[] = {{5, 1, {0}}, {4, 1, {0}}};
  block_system p = system_create(6, 1, spec, 2, &seed);
  tni_rank r;
  CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
  double lambda[9], before[6], after[6];
  for (int i = 0; i < 9; i++) lambda[i] = check_random(&seed);
  tni_kkt_apply_Ct(&p.K, lambda, before);
  tni_rank_min_norm(&r, lambda);
  tni_kkt_apply_Ct(&p.K, lambda, after);
  for (int i = 0; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-13);
  for (int c = 0; c < r.nnull; c++) {
    double dot = 0;
    for (int i = 0; i < 9; i++) dot += lambda[i]*r.null[9*c+i];
    CHECK_NEAR(dot, 0.0, 1e-13);
  }
  system_destroy(&p);
}

/* 20 000 rows: a dense analysis would take hours */
static void long_chain_is_proved_independent_quickly(void) {
  enum { N = 10000 };
  uint64_t seed = 5;
  static block_spec spec[N];
  for (int b = 0; b < N; b++) spec[b] = (block_spec){2, b ? 2 : 1, {b, b - 1}};
  block_system p = system_create(3, N, spec, N, &seed);
  tni_rank r;
  double t = tni_cpu_time();
  CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
  CHECK(tni_cpu_time() - t < 5);
  CHECK(r.rank == 2*N && r.nnull == 0);
  system_destroy(&p);
}

static void systems_without_rows_have_rank_zero(void) {
  uint64_t seed = 6;
  block_spec none[1] = {{0}};
  block_system p = system_create(3, 2, none, 0, &seed);
  tni_rank r;
  CHECK_OK(ctx, tni_kkt_rank(&p.K, 0, &arena, &r));
  CHECK(r.nrow == 0 && r.rank == 0 && r.nnull == 0);
  system_destroy(&p);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  tni_arena_init(&arena, ctx);
  RUN(independent_rows_are_all_kept);
  RUN(later_rows_of_a_dependent_set_are_dropped);
  RUN(overdetermined_body_keeps_its_freedoms);
  RUN(min_norm_multipliers_give_the_same_forces);
  RUN(long_chain_is_proved_independent_quickly);
  RUN(systems_without_rows_have_rank_zero);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
