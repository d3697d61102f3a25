/* elimination of a chain of blocks: solutions that are known beforehand, any grouping, threads and ranks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/chain.h"
#include "support/check.h"

#include <tenon/tenon.h>

enum { MOST = 600 };

/* sizes of a chain, and the solution that it shall have: inner unknowns of all elements, then the shared ones */
typedef struct {
  int n, nz, inner, groups;
  uint64_t seed;
  bool zeros; /* neither block on a shared unknown is regular */
  double want[MOST], got[MOST];
} chain;

static const double *inner_of(const chain *k, int e) { return k->want + e*k->inner; }
static const double *shared_of(const chain *k, int e) { return k->want + k->n*k->inner + e*k->nz; }

/* rows of an element with the right side of the solution; every other column of S and of R is nothing where asked for */
static void write_element(const chain *k, int e, double *row) {
  uint64_t seed = k->seed + 77*(uint64_t)(e + 1);
  int width = k->inner + 2*k->nz + 1;
  for (int i = 0; i < k->inner + k->nz; i++, row += width) {
    row[width - 1] = 0;
    for (int j = 0; j < width - 1; j++) {
      int z = j - k->inner;
      row[j] = check_random(&seed) + (i == j ? 3 : 0);
      if (k->zeros && z >= 0 && z % k->nz % 2 == z/k->nz) row[j] = 0;
      double x = j < k->inner ? inner_of(k, e)[j] : shared_of(k, e + z/k->nz)[z % k->nz];
      row[width - 1] += row[j]*x;
    }
  }
}

static void write_ends(const chain *k, double *row) {
  uint64_t seed = k->seed + 5;
  for (int i = 0; i < k->nz; i++, row += 2*k->nz + 1) {
    row[2*k->nz] = 0;
    for (int j = 0; j < 2*k->nz; j++) {
      row[j] = check_random(&seed);
      row[2*k->nz] += row[j]*shared_of(k, j < k->nz ? 0 : k->n)[j % k->nz];
    }
  }
}

/* what the chain knows of its solution, into the place that it has in `want` */
static void collect(const tni_chain *c, chain *k) {
  int first, last;
  tni_chain_range(c, &first, &last);
  for (int e = first; e < last; e++) memcpy(k->got + e*k->inner, tni_chain_inner(c, e), (size_t)k->inner*sizeof(double));
  for (int e = first; e <= last; e++)
    memcpy(k->got + k->n*k->inner + e*k->nz, tni_chain_shared(c, e), (size_t)k->nz*sizeof(double));
}

static tn_status solve(tn_ctx *ctx, chain *k, tni_chain_work *work) {
  tni_chain *c;
  CHECK_OK(ctx, tni_chain_create(ctx, k->n, k->nz, k->inner, k->groups, &c));
  for (int e = 0; e < k->n; e++) write_element(k, e, tni_chain_element(c, e));
  write_ends(k, tni_chain_ends(c));
  tn_status st = tni_chain_solve(c);
  memset(k->got, 0, sizeof(k->got));
  if (st == TN_OK) collect(c, k);
  if (work) *work = tni_chain_count(c);
  tni_chain_destroy(&c);
  return st;
}

static chain draw(int n, int nz, int inner, int groups, uint64_t seed) {
  chain k = {.n = n, .nz = nz, .inner = inner, .groups = groups, .seed = seed};
  uint64_t s = seed*31 + 7;
  CHECK(n*inner + (n + 1)*nz <= MOST);
  for (int i = 0; i < n*inner + (n + 1)*nz; i++) k.want[i] = check_random(&s);
  return k;
}

static double off(const chain *k) {
  double most = 0;
  for (int i = 0; i < k->n*k->inner + (k->n + 1)*k->nz; i++) most = fmax(most, fabs(k->got[i] - k->want[i]));
  return most;
}

static const struct {
  int n, nz, inner;
} sizes[] = {{1, 2, 3}, {1, 3, 0}, {2, 1, 1}, {3, 4, 0}, {7, 2, 5}, {12, 4, 2}, {33, 2, 3}};

/* grouping, threads: levels are those of a tree over the groups, and of all groupings every one solves the same equations */
static void solutions_are_those_that_were_put_in(void) {
  for (int zeros = 0; zeros < 2; zeros++)
    for (int i = 0; i < (int)(sizeof(sizes)/sizeof(sizes[0])); i++)
      for (int groups = 1; groups <= sizes[i].n; groups += 1 + groups/2) {
        chain k = draw(sizes[i].n, sizes[i].nz, sizes[i].inner, groups, (uint64_t)(100*i + groups + 1)), more = k;
        tni_chain_work work;
        k.zeros = more.zeros = zeros && sizes[i].nz % 2 == 0;
        for (int threads = 1; threads <= 3; threads += 2) {
          tn_ctx *ctx;
          CHECK(tn_ctx_create(&(tn_ctx_opts){.threads = threads}, &ctx) == TN_OK);
          CHECK_OK(ctx, solve(ctx, threads == 1 ? &k : &more, &work));
          tn_ctx_destroy(&ctx);
        }
        if (!CHECK(off(&k) < 1e-9)) printf("  %d elements, %d and %d unknowns, %d groups: %g\n", k.n, k.nz, k.inner, groups, off(&k));
        CHECK(memcmp(k.got, more.got, sizeof(k.got)) == 0);
        CHECK_INT(work.merges, k.n - 1);
        CHECK_INT(work.levels, groups == 1 ? 0 : (int)ceil(log2(groups)));
        CHECK(work.flops > 0 && work.critical <= work.flops && work.done <= work.flops);
        if (groups == 1 || k.n == 1) CHECK_NEAR(work.critical, work.flops, 1e-12);
        else if (k.n > 10) CHECK(work.critical < work.flops);
      }
}

static void what_is_singular_is_said_to_be(void) {
  tn_ctx *ctx;
  tni_chain *c;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  for (int what = 0; what < 2; what++) {
    chain k = draw(5, 2, 3, 2, 9);
    CHECK_OK(ctx, tni_chain_create(ctx, k.n, k.nz, k.inner, k.groups, &c));
    for (int e = 0; e < k.n; e++) write_element(&k, e, tni_chain_element(c, e));
    write_ends(&k, tni_chain_ends(c));
    /* a condition that says nothing, an unknown that nobody asks for */
    if (what == 0) memset(tni_chain_ends(c), 0, (size_t)(2*k.nz + 1)*sizeof(double));
    for (int i = 0; what && i < k.inner + k.nz; i++) tni_chain_element(c, 2)[i*(k.inner + 2*k.nz + 1) + 1] = 0;
    CHECK_INT(tni_chain_solve(c), TN_SINGULAR);
    tni_chain_destroy(&c);
  }
  CHECK(tni_chain_create_part(ctx, 3, 1, 1, 4, 0, &c) == TN_ERR_ARGUMENT && !c);
  CHECK(tni_chain_create_part(ctx, 3, 1, 1, 2, 2, &c) == TN_ERR_ARGUMENT && !c);
  tn_ctx_destroy(&ctx);
}

typedef struct {
  const chain *k;
  chain part[8];
} town;

static tn_status live(tni_comm *comm, void *user) {
  town *t = user;
  chain *k = &t->part[comm->rank];
  tni_chain *c;
  int first, last;
  *k = *t->k;
  TN_TRY(tni_chain_create_part(comm->ctx, k->n, k->nz, k->inner, comm->size, comm->rank, &c));
  tni_chain_range(c, &first, &last);
  for (int e = first; e < last; e++) write_element(k, e, tni_chain_element(c, e));
  if (comm->rank == 0) write_ends(k, tni_chain_ends(c));
  tn_status st = tni_chain_solve_ranks(c, comm);
  memset(k->got, 0, sizeof(k->got));
  if (st == TN_OK) collect(c, k);
  tni_chain_destroy(&c);
  return st;
}

/* a rank knows its own part, bit for bit that of the whole in as many groups */
static void ranks_find_their_parts(void) {
  tn_ctx *ctx;
  static town t;
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  for (int ranks = 2; ranks <= 7; ranks += 1 + ranks/3) {
    chain k = draw(13, 3, 2, ranks, 40 + (uint64_t)ranks);
    CHECK_OK(ctx, solve(ctx, &k, NULL));
    t.k = &k;
    CHECK_OK(ctx, tni_comm_run_local(ctx, ranks, live, &t, NULL, NULL));
    bool known[MOST] = {false};
    for (int r = 0; r < ranks; r++)
      for (int i = 0; i < MOST; i++) {
        if (t.part[r].got[i] == 0) continue;
        known[i] = true;
        CHECK(memcmp(&t.part[r].got[i], &k.got[i], sizeof(double)) == 0);
      }
    for (int i = 0; i < k.n*k.inner + (k.n + 1)*k.nz; i++) CHECK(known[i]);
  }
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(solutions_are_those_that_were_put_in);
  RUN(what_is_singular_is_said_to_be);
  RUN(ranks_find_their_parts);
  return REPORT();
}
