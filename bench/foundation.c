/* bench/foundation.c - the tables of the topology-based solver, on today's machine
 *
 *   seven-body mechanism, chains in good and bad joint numbering, vehicle with 14 bodies:
 *   accelerations and multipliers by every solver; the reduced system alone by LAPACK and by the
 *   block code; time per body of long chains.
 *
 * Source of the published figures: Serban, Negrut, Haug, Potra (tables 1 to 3) and Negrut's thesis
 * (tables 2 to 4, 9). Usage: bench_foundation build/bench/foundation.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <cblas.h>
#include <lapacke.h>
#include <suitesparse/klu.h>
#undef I /* complex.h, through lapacke.h */

#include "bench.h"
#include "compile/compile.h"
#include "system/system.h"
#include "topology/ordering.h"

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tni_data *s;
  double *q, *v, *a, *lambda;
  double *f, *g; /* right-hand sides of the linear system */
} rig;

static rig load(tn_ctx *ctx, const char *path, const char *const *set, int nset, bool joint,
                int joint_solver) {
  rig r = {.ctx = ctx};
  BENCH_TRY(ctx, tn_spec_read_file(ctx, path, set, nset, &r.spec));
  BENCH_TRY(ctx, tn_model_compile(ctx, r.spec, &r.model));
  tni_system_opts o = {.joint_solver = joint_solver};
  if (joint) BENCH_TRY(ctx, tni_joint_create(ctx, r.model, &o, &r.s));
  else BENCH_TRY(ctx, tni_cartesian_create(ctx, r.model, &o, &r.s));
  r.q = tni_doubles(ctx, (size_t)r.s->nq);
  r.v = tni_doubles(ctx, (size_t)r.s->nv);
  r.a = tni_doubles(ctx, (size_t)r.s->nv);
  r.f = tni_doubles(ctx, (size_t)r.s->nv);
  r.lambda = tni_doubles(ctx, (size_t)r.s->m);
  r.g = tni_doubles(ctx, (size_t)r.s->m);
  tni_initial(r.s, r.q, r.v);
  BENCH_TRY(ctx, tni_accel(r.s, 0, r.q, r.v, r.a, r.lambda, NULL));
  for (int i = 0; i < r.s->nv; i++) r.f[i] = sin(1.0 + i);
  for (int i = 0; i < r.s->m; i++) r.g[i] = cos(2.0 + i);
  return r;
}

static void unload(rig *r) {
  double *list[] = {r->q, r->v, r->a, r->f, r->lambda, r->g};
  for (int i = 0; i < TNI_COUNT(list); i++) tni_free(r->ctx, list[i]);
  tni_data_destroy(&r->s);
  tn_model_destroy(&r->model);
  tn_spec_destroy(&r->spec);
}

static void work_accel(void *user) {
  rig *r = user;
  BENCH_TRY(r->ctx, tni_accel(r->s, 0, r->q, r->v, r->a, r->lambda, NULL));
}

typedef struct {
  rig *r;
  tni_kkt_solver *solver;
} solve_job;

static void work_solve(void *user) {
  solve_job *j = user;
  BENCH_TRY(j->r->ctx, tni_kkt_factor(j->solver));
  tni_kkt_solve(j->solver, j->r->f, j->r->g, j->r->a, j->r->lambda);
}

static const struct {
  const char *name;
  tni_kkt_opts opts;
} solvers[] = {
    {"dense LU, whole matrix", {.method = TNI_KKT_DENSE_LU}},
    {"sparse LU (KLU), whole matrix", {.method = TNI_KKT_SPARSE_LU}},
    {"reduced, joints as listed", {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GIVEN}},
    {"reduced, RCM", {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_RCM}},
    {"reduced, GPS", {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GPS}},
    {"reduced, Gibbs-King", {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GK}},
    {"reduced, minimum degree", {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_MD}},
    {"auto", {.method = TNI_KKT_AUTO}},
};
enum { SPARSE = 1, NSOLVER = TNI_COUNT(solvers), AUTO = NSOLVER - 1 };

/* KLU on the whole matrix with its structural zeros left out (a planar hinge has two zeros in its
 * 2 x 6 Jacobian, a mass matrix is diagonal): Tenon's own sparse solver knows dense blocks only, so
 * this is the harder opponent. Pattern taken at the present values. */
typedef struct {
  const tni_kkt *K;
  int n, nnz, *col, *row;
  const double **from; /* [nnz] where each value comes from */
  double *value, *b;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  bool pivoting; /* choose the pivots anew each time */
} klu_job;

/* visit the nonzero entries (row, column, place); count only when col is NULL */
static int klu_entries(const tni_kkt *K, int *row, int *col, const double **from) {
  int d = K->d, nx = K->nbody*d, n = 0;
  for (int b = 0; b < K->nbody; b++)
    for (int i = 0; i < d*d; i++) {
      const double *x = &K->M[b*d*d + i];
      if (*x == 0) continue;
      if (row) row[n] = b*d + i/d, col[n] = b*d + i%d, from[n] = x;
      n++;
    }
  for (int k = 0; k < K->nblock; k++)
    for (int e = K->incadr[k]; e < K->incadr[k+1]; e++)
      for (int r = 0; r < K->rowadr[k+1] - K->rowadr[k]; r++)
        for (int i = 0; i < d; i++) {
          const double *x = &K->J[K->jadr[e] + r*d + i];
          if (*x == 0) continue;
          int R = nx + K->rowadr[k] + r, C = K->incbody[e]*d + i;
          for (int t = 0; t < 2; t++, n++)
            if (row) row[n] = t ? C : R, col[n] = t ? R : C, from[n] = x;
        }
  return n;
}

static void klu_open(klu_job *j, const tni_kkt *K) {
  j->K = K;
  j->n = K->nbody*K->d + K->nrow;
  j->nnz = klu_entries(K, NULL, NULL, NULL);
  int *r = malloc((size_t)j->nnz*sizeof(int)), *c = malloc((size_t)j->nnz*sizeof(int));
  const double **f = malloc((size_t)j->nnz*sizeof(*f));
  klu_entries(K, r, c, f);
  j->col = calloc((size_t)j->n + 1, sizeof(int));
  j->row = malloc((size_t)j->nnz*sizeof(int));
  j->from = malloc((size_t)j->nnz*sizeof(*j->from));
  j->value = malloc((size_t)j->nnz*sizeof(double));
  j->b = malloc((size_t)j->n*sizeof(double));
  int at = 0;
  for (int k = 0; k < j->n; k++) {
    for (int i = 0; i < j->nnz; i++)
      if (c[i] == k) j->row[at] = r[i], j->from[at++] = f[i];
    j->col[k+1] = at;
  }
  for (int i = 0; i < j->nnz; i++) j->value[i] = *j->from[i];
  klu_defaults(&j->common);
  j->symbolic = klu_analyze(j->n, j->col, j->row, &j->common);
  j->numeric = klu_factor(j->col, j->row, j->value, j->symbolic, &j->common);
  free(r);
  free(c);
  free(f);
}

static void klu_close(klu_job *j) {
  klu_free_numeric(&j->numeric, &j->common);
  klu_free_symbolic(&j->symbolic, &j->common);
  void *list[] = {j->col, j->row, j->from, j->value, j->b};
  for (int i = 0; i < TNI_COUNT(list); i++) free(list[i]);
}

static void work_klu(void *user) {
  klu_job *j = user;
  for (int i = 0; i < j->nnz; i++) j->value[i] = *j->from[i];
  if (j->pivoting) {
    klu_free_numeric(&j->numeric, &j->common);
    j->numeric = klu_factor(j->col, j->row, j->value, j->symbolic, &j->common);
  } else {
    klu_refactor(j->col, j->row, j->value, j->symbolic, j->numeric, &j->common);
  }
  for (int i = 0; i < j->n; i++) j->b[i] = sin(1.0 + i);
  klu_solve(j->symbolic, j->numeric, j->n, 1, j->b, &j->common);
}

/* accelerations and multipliers: factor and solve, matrices already evaluated */
static void solver_table(rig *r, const char *title, const char *key, double published,
                         figures *out) {
  double us[NSOLVER];
  /* the linear system as a run has it, with the mask that switches redundant rows off */
  const tni_kkt *K = tni_cartesian_kkt(r->s);
  printf("\n%s: factor + solve for accelerations and multipliers\n", title);
  printf("  %-32s %10s %8s %10s %9s %9s\n", "solver", "us", "ratio", "bandwidth", "envelope", "work");
  for (int i = 0; i < NSOLVER; i++) {
    solve_job j = {.r = r};
    tni_kkt_info info;
    BENCH_TRY(r->ctx, tni_kkt_create(r->ctx, K, &solvers[i].opts, &j.solver));
    us[i] = 1e6*bench_time(work_solve, &j, 0.1, 7);
    tni_kkt_get_info(j.solver, &info);
    printf("  %-32s %10.3f", solvers[i].name, us[i]);
    if (i >= SPARSE) printf(" %8.2f", us[SPARSE]/us[i]);
    else printf(" %8s", "");
    if (i > SPARSE) printf(" %10d %9ld %9ld", info.bandwidth, info.envelope, info.work);
    printf("%s%s\n", i == AUTO ? "  " : "", i == AUTO ? info.ordering : "");
    tni_kkt_destroy(&j.solver);
  }
  /* other sparse LUs: without the entries the mask needs, without structural zeros */
  tni_kkt bare = *K;
  bare.active = NULL;
  solve_job plain = {.r = r};
  BENCH_TRY(r->ctx, tni_kkt_create(r->ctx, &bare, &solvers[SPARSE].opts, &plain.solver));
  double t_bare = 1e6*bench_time(work_solve, &plain, 0.1, 7);
  tni_kkt_destroy(&plain.solver);
  printf("  %-32s %10.3f %8.2f\n", "sparse LU, no row mask", t_bare, us[SPARSE]/t_bare);
  klu_job klu = {0};
  klu_open(&klu, &bare);
  for (int p = 0; p < 2; p++) {
    static const char *const name[2] = {"KLU, zeros left out, same pivots", "KLU, zeros left out, new pivots"};
    static const char *const field[2] = {"reduced_vs_pruned_refactor", "reduced_vs_pruned_factor"};
    klu.pivoting = p == 1;
    double t = 1e6*bench_time(work_klu, &klu, 0.1, 7);
    printf("  %-32s %10.3f %8.2f  (%d nonzeros)\n", name[p], t, us[SPARSE]/t, klu.nnz);
    char full[80];
    snprintf(full, sizeof(full), "%s.%s", key, field[p]);
    figure(out, full, t/us[AUTO]);
  }
  klu_close(&klu);
  /* the faster of Tenon's own two: a mask that no row of this model needs must not slow the rival */
  double ratio = fmin(us[SPARSE], t_bare)/us[AUTO];
  printf("  reduced (auto) against the faster own sparse LU: %.2f times; published %.2f\n", ratio, published);
  char name[64];
  snprintf(name, sizeof(name), "%s.reduced_vs_sparse", key);
  figure(out, name, ratio);
  snprintf(name, sizeof(name), "%s.reduced_vs_masked_sparse", key);
  figure(out, name, us[SPARSE]/us[AUTO]);
  snprintf(name, sizeof(name), "%s.reduced_vs_unmasked_sparse", key);
  figure(out, name, t_bare/us[AUTO]);
  snprintf(name, sizeof(name), "%s.reduced_us", key);
  figure(out, name, us[AUTO]);
  snprintf(name, sizeof(name), "%s.sparse_us", key);
  figure(out, name, us[SPARSE]);
  snprintf(name, sizeof(name), "%s.dense_us", key);
  figure(out, name, us[0]);
}

/* ---- the reduced system alone, by LAPACK ---------------------------------------------------- */

typedef struct {
  int m, kd;
  double *B, *W, *x;
  int *piv;
} lapack_job;

static void fill_x(lapack_job *j) {
  for (int i = 0; i < j->m; i++) j->x[i] = cos(2.0 + i);
}
static void work_dgetrf(void *user) {
  lapack_job *j = user;
  memcpy(j->W, j->B, (size_t)(j->m*j->m)*sizeof(double));
  fill_x(j);
  LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, j->m, j->m, j->W, j->m, j->piv);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', j->m, 1, j->W, j->m, j->piv, j->x, j->m);
}
static void work_dpptrf(void *user) {
  lapack_job *j = user;
  for (int c = 0, k = 0; c < j->m; c++)
    for (int r = c; r < j->m; r++) j->W[k++] = j->B[c*j->m + r];
  fill_x(j);
  LAPACKE_dpptrf_work(LAPACK_COL_MAJOR, 'L', j->m, j->W);
  LAPACKE_dpptrs_work(LAPACK_COL_MAJOR, 'L', j->m, 1, j->W, j->x, j->m);
}
static void work_dpbtrf(void *user) {
  lapack_job *j = user;
  int ld = j->kd + 1;
  for (int c = 0; c < j->m; c++)
    for (int r = c; r < j->m && r <= c + j->kd; r++) j->W[c*ld + r - c] = j->B[c*j->m + r];
  fill_x(j);
  LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', j->m, j->kd, j->W, ld);
  LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', j->m, j->kd, 1, j->W, ld, j->x, j->m);
}

/* B = C M^-1 C^T with blocks in the given order; returns the scalar half bandwidth */
static int reduced_matrix(const tni_kkt *K, const int *order, double *B) {
  int m = K->nrow, d = K->d, *start = calloc((size_t)K->nblock + 1, sizeof(int)), kd = 0, at = 0;
  for (int k = 0; k < K->nblock; k++) {
    start[order[k]] = at;
    at += K->rowadr[order[k]+1] - K->rowadr[order[k]];
  }
  memset(B, 0, (size_t)(m*m)*sizeof(double));
  for (int j = 0; j < K->nblock; j++)
    for (int e = K->incadr[j]; e < K->incadr[j+1]; e++)
      for (int k = 0; k < K->nblock; k++)
        for (int g = K->incadr[k]; g < K->incadr[k+1]; g++) {
          if (K->incbody[e] != K->incbody[g]) continue;
          const double *Mi = K->Minv + K->incbody[e]*d*d;
          for (int a = 0; a < K->rowadr[j+1] - K->rowadr[j]; a++)
            for (int b = 0; b < K->rowadr[k+1] - K->rowadr[k]; b++) {
              const double *x = K->J + K->jadr[e] + a*d, *y = K->J + K->jadr[g] + b*d;
              double sum = 0;
              for (int p = 0; p < d; p++)
                for (int q = 0; q < d; q++) sum += x[p]*Mi[p*d + q]*y[q];
              int row = start[j] + a, col = start[k] + b;
              B[col*m + row] += sum;
              if (abs(row - col) > kd) kd = abs(row - col);
            }
        }
  free(start);
  return kd;
}

static void lapack_table(rig *r, const char *title) {
  const tni_kkt *K = tni_cartesian_kkt(r->s);
  int m = K->nrow, nb = K->nblock;
  lapack_job j = {.m = m};
  j.B = malloc((size_t)(m*m)*sizeof(double));
  j.W = malloc((size_t)(m*m + m)*sizeof(double));
  j.x = malloc((size_t)m*sizeof(double));
  j.piv = malloc((size_t)m*sizeof(int));
  /* joint graph, for GPS */
  int *adr = calloc((size_t)nb + 1, sizeof(int)), *adj = malloc((size_t)(nb*nb)*sizeof(int));
  for (int a = 0; a < nb; a++) {
    adr[a+1] = adr[a];
    for (int b = 0; b < nb; b++) {
      bool share = false;
      for (int e = K->incadr[a]; e < K->incadr[a+1]; e++)
        for (int g = K->incadr[b]; g < K->incadr[b+1]; g++)
          share |= K->incbody[e] == K->incbody[g];
      if (a != b && share) adj[adr[a+1]++] = b;
    }
  }
  tni_graph graph = {.n = nb, .adr = adr, .adj = adj};
  tni_arena arena;
  tni_arena_init(&arena, r->ctx);
  int *good = malloc((size_t)nb*sizeof(int)), *listed = malloc((size_t)nb*sizeof(int));
  BENCH_TRY(r->ctx, tni_order_gps(&graph, &arena, good));
  for (int i = 0; i < nb; i++) listed[i] = i;
  printf("\n%s: the %d x %d reduced system alone (us)\n", title, m, m);
  printf("  %-10s %4s %14s %14s %14s\n", "numbering", "kd", "dgetrf dense", "dpptrf packed",
         "dpbtrf band");
  for (int n = 0; n < 2; n++) {
    j.kd = reduced_matrix(K, n ? good : listed, j.B);
    printf("  %-10s %4d %14.2f %14.2f %14.2f\n", n ? "GPS" : "listed", j.kd,
           1e6*bench_time(work_dgetrf, &j, 0.1, 5), 1e6*bench_time(work_dpptrf, &j, 0.1, 5),
           1e6*bench_time(work_dpbtrf, &j, 0.1, 5));
  }
  tni_arena_clear(&arena);
  void *list[] = {j.B, j.W, j.x, j.piv, adr, adj, good, listed};
  for (int i = 0; i < TNI_COUNT(list); i++) free(list[i]);
}

/* ---- chains -------------------------------------------------------------------------------- */

/* planar chain of n links as text; the joints are written in the order of their numbers */
static char *chain_text(int n, bool bad) {
  size_t cap = 400u*(size_t)n + 400, at = 0;
  char *t = malloc(cap);
  at += (size_t)snprintf(t + at, cap - at,
                         "tenon: 1\nplanar: true\ngravity: [0, -9.81]\nrepeat:\n  - for: {i: [1, %d]}\n"
                         "    bodies:\n      \"k{i}\": {mass: 1, inertia: \"1/12\", at: [\"i - 0.5\", 0]}\n"
                         "joints:\n", n);
  for (int k = 0; k < n; k++) {
    /* bad: the numbers along the chain are 1, n, 2, n-1, ...; this is the joint numbered k+1 */
    int i = !bad ? k + 1 : k < (n + 1)/2 ? 2*k + 1 : 2*(n - k);
    char parent[32] = "ground";
    if (i > 1) snprintf(parent, sizeof(parent), "k%d", i - 1);
    at += (size_t)snprintf(t + at, cap - at,
                           "  j%d: {type: revolute, bodies: [%s, k%d], at: [%d, 0]}\n", i, parent, i,
                           i - 1);
  }
  return t;
}

static double chain_solve_us(tn_ctx *ctx, int n, bool bad, bool envelope, tni_kkt_info *info) {
  char *text = chain_text(n, bad);
  rig r = {.ctx = ctx};
  BENCH_TRY(ctx, tn_spec_read_text(ctx, "chain", text, NULL, 0, &r.spec));
  free(text);
  BENCH_TRY(ctx, tn_model_compile(ctx, r.spec, &r.model));
  BENCH_TRY(ctx, tni_cartesian_create(ctx, r.model, NULL, &r.s));
  r.q = tni_doubles(ctx, (size_t)r.s->nq);
  r.v = tni_doubles(ctx, (size_t)r.s->nv);
  r.a = tni_doubles(ctx, (size_t)r.s->nv);
  r.f = tni_doubles(ctx, (size_t)r.s->nv);
  r.lambda = tni_doubles(ctx, (size_t)r.s->m);
  r.g = tni_doubles(ctx, (size_t)r.s->m);
  tni_initial(r.s, r.q, r.v);
  BENCH_TRY(ctx, tni_accel(r.s, 0, r.q, r.v, r.a, r.lambda, NULL));
  solve_job j = {.r = &r};
  tni_kkt_opts o = {.method = TNI_KKT_REDUCED,
                    .ordering = envelope ? TNI_ORDER_GIVEN | TNI_ORDER_ENVELOPE : TNI_ORDER_GIVEN};
  BENCH_TRY(ctx, tni_kkt_create(ctx, tni_cartesian_kkt(r.s), &o, &j.solver));
  double us = 1e6*bench_time(work_solve, &j, 0.1, 5);
  tni_kkt_get_info(j.solver, info);
  tni_kkt_destroy(&j.solver);
  unload(&r);
  return us;
}

static void numbering_table(tn_ctx *ctx, figures *out) {
  static const int size[] = {50, 200, 500};
  double ratio = 0;
  printf("\nplanar chain of N links, block envelope Cholesky, joints numbered 1, 2, 3, ... along the\n"
         "chain (good) and 1, N, 2, N-1, ... (bad): factor + solve. Last column: the bad numbering when only the\n"
         "true fill is stored, as Tenon does by default\n");
  printf("  %6s %12s %12s %8s %12s %14s %12s\n", "N", "good us", "bad us", "ratio", "good work",
         "bad work", "true fill us");
  for (int i = 0; i < TNI_COUNT(size); i++) {
    tni_kkt_info good, bad, info;
    double a = chain_solve_us(ctx, size[i], false, true, &good);
    double b = chain_solve_us(ctx, size[i], true, true, &bad);
    double c = chain_solve_us(ctx, size[i], true, false, &info);
    ratio = b/a;
    printf("  %6d %12.2f %12.2f %8.1f %12ld %14ld %12.2f\n", size[i], a, b, ratio, good.work,
           bad.work, c);
  }
  printf("  published for N = 50: 0.98 and 54.47 ms per solution, 55.6 times (Negrut, table 4)\n");
  figure(out, "chain.good_vs_bad_numbering", ratio);
}

static void growth_table(tn_ctx *ctx, figures *out) {
  static const char *const size[] = {"N=100", "N=1000", "N=10000"};
  static const int count[] = {100, 1000, 10000};
  static const char *const name[] = {"chain.reduced.per_body_growth", "chain.recursive.per_body_growth"};
  static const char *const title[] = {"cartesian, reduced", "joint, articulated"};
  printf("\nspatial chain of N links with revolute joints: one whole acceleration, ns per body\n");
  printf("  %-20s %10s %10s %10s %8s\n", "system", "100", "1000", "10000", "growth");
  for (int k = 0; k < 2; k++) {
    double ns[3], low = HUGE_VAL, high = 0;
    for (int i = 0; i < 3; i++) {
      const char *set[1] = {size[i]};
      rig r = load(ctx, TENON_SOURCE_DIR "/examples/chain/chain.yaml", set, 1, k == 1,
                   TNI_JOINT_ARTICULATED);
      ns[i] = 1e9*bench_time(work_accel, &r, 0.2, 5)/count[i];
      low = fmin(low, ns[i]);
      high = fmax(high, ns[i]);
      unload(&r);
    }
    printf("  %-20s %10.1f %10.1f %10.1f %8.2f\n", title[k], ns[0], ns[1], ns[2], high/low);
    figure(out, name[k], high/low);
    char key[64];
    snprintf(key, sizeof(key), "chain.%s.ns_per_body", k ? "recursive" : "reduced");
    figure(out, key, ns[1]);
  }
}

/* whole acceleration of the vehicle by each path, matrix generation included */
static void vehicle_paths(tn_ctx *ctx, figures *out) {
  const char *model = TENON_SOURCE_DIR "/examples/vehicle/hmmwv14.yaml";
  static const struct {
    const char *name, *key;
    bool joint;
    int solver;
  } path[] = {{"cartesian, reduced", "hmmwv14.accel.cartesian_us", false, 0},
              {"joint, composite sparse (Alg-S)", "hmmwv14.accel.composite_us", true, TNI_JOINT_COMPOSITE_SPARSE},
              {"joint, composite dense (Alg-D)", "hmmwv14.accel.composite_dense_us", true, TNI_JOINT_COMPOSITE_DENSE},
              {"joint, articulated", "hmmwv14.accel.articulated_us", true, TNI_JOINT_ARTICULATED}};
  printf("\nvehicle, one whole acceleration (forces, constraints, solve)\n");
  for (int i = 0; i < TNI_COUNT(path); i++) {
    rig r = load(ctx, model, NULL, 0, path[i].joint, path[i].solver);
    double us = 1e6*bench_time(work_accel, &r, 0.2, 5);
    printf("  %-34s %8.2f us  (%d velocities, %d rows)\n", path[i].name, us, r.s->nv, r.s->m);
    figure(out, path[i].key, us);
    unload(&r);
  }
}

int main(int argc, char **argv) {
  figures out;
  tn_ctx *ctx;
  if (!figures_open(&out, argc > 1 ? argv[1] : "foundation.json")) return 3;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 3;
  rig r = load(ctx, TENON_SOURCE_DIR "/examples/seven-body/seven_body.yaml", NULL, 0, false, 0);
  solver_table(&r, "seven-body mechanism (41 unknowns)", "seven_body", 5.59, &out);
  lapack_table(&r, "seven-body mechanism");
  unload(&r);
  r = load(ctx, TENON_SOURCE_DIR "/examples/vehicle/hmmwv14.yaml", NULL, 0, false, 0);
  solver_table(&r, "vehicle, 14 bodies, rack locked", "hmmwv14", 4.11, &out);
  lapack_table(&r, "vehicle");
  unload(&r);
  vehicle_paths(ctx, &out);
  numbering_table(ctx, &out);
  growth_table(ctx, &out);
  tn_ctx_destroy(&ctx);
  figures_close(&out);
  return 0;
}
