/* bench/solvers.c - linear solvers of the papers on one matrix each
 *
 *   tables 3 and 4: reduced systems of the seven-body mechanism and of a chain of 50 links alone
 *   tables 2 and claims 3, 6, 9 of the topology paper: whole systems of small mechanisms, what is what in their time
 *   tables 6 to 10: the 43 x 43 system of the vehicle in joint coordinates, operations and time of every step
 *
 * Published: Serban, Negrut, Haug, Potra (tables 1 to 3); Negrut's thesis (tables 2 to 10). Times are CPU time of one
 * thread, the least of several rounds. Usage: bench_solvers build/bench/solvers.json
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <cblas.h>
#include <lapacke.h>
#include <suitesparse/klu.h>
#undef I /* complex.h, through lapacke.h */

#include "bench.h"
#include "compile/compile.h"
#include "system/joint.h"
#include "system/system.h"

enum { TEXT = 200000 };

/* ---- mechanisms ----------------------------------------------------------------------------- */

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tni_data *s;
  double *q, *v, *a, *lambda, *f, *g;
} rig;

static rig load_rig_with(tn_ctx *ctx, const char *path, const char *text, bool joint, int joint_solver, const char *set) {
  rig r = {.ctx = ctx};
  if (path) BENCH_TRY(ctx, tn_spec_read_file(ctx, path, &set, set != NULL, &r.spec));
  else BENCH_TRY(ctx, tn_spec_read_text(ctx, "bench", text, NULL, 0, &r.spec));
  BENCH_TRY(ctx, tn_model_compile(ctx, r.spec, &r.model));
  tni_system_opts o = {.joint_solver = joint_solver};
  if (joint) BENCH_TRY(ctx, tni_joint_create(ctx, r.model, &o, &r.s));
  else BENCH_TRY(ctx, tni_cartesian_create(ctx, r.model, &o, &r.s));
  size_t nv = (size_t)r.s->nv, m = (size_t)r.s->m + 1;
  r.q = tni_doubles(ctx, (size_t)r.s->nq);
  r.v = tni_doubles(ctx, nv), r.a = tni_doubles(ctx, nv), r.f = tni_doubles(ctx, nv);
  r.lambda = tni_doubles(ctx, m), r.g = tni_doubles(ctx, m);
  tni_initial(r.s, r.q, r.v);
  BENCH_TRY(ctx, tni_accel(r.s, 0, r.q, r.v, r.a, r.lambda, NULL));
  for (int i = 0; i < r.s->nv; i++) r.f[i] = sin(1.0 + i);
  for (int i = 0; i < r.s->m; i++) r.g[i] = cos(2.0 + i);
  return r;
}

static rig load_rig(tn_ctx *ctx, const char *path, const char *text, bool joint, int joint_solver) {
  return load_rig_with(ctx, path, text, joint, joint_solver, NULL);
}

static void unload_rig(rig *r) {
  double *list[] = {r->q, r->v, r->a, r->f, r->lambda, r->g};
  for (int i = 0; i < TNI_COUNT(list); i++) tni_free(r->ctx, list[i]);
  tni_data_destroy(&r->s);
  tn_model_destroy(&r->model);
  tn_spec_destroy(&r->spec);
}

static char *add(char *at, const char *format, ...) {
  va_list list;
  va_start(list, format);
  at += vsnprintf(at, 400, format, list);
  va_end(list);
  return at;
}

/* n bodies along a circle (closed) or a line, joints of the given kinds in turn; ground: what holds the first body,
 * and, for 2, the last one too */
static char *make_row(bool planar, bool closed, int ground, int n, const char *kinds) {
  static char text[TEXT];
  char *at = text;
  at = add(at, "tenon: 1\n%sgravity: [%s]\nbodies:\n", planar ? "planar: true\n" : "", planar ? "0, -9.81" : "0, 0, -9.81");
  double x[200][3], turn = 2*3.141592653589793/n;
  for (int i = 0; i <= n; i++) {
    x[i][0] = closed ? 2*cos(turn*i) : 0.5*i;
    x[i][1] = closed ? 2*sin(turn*i) : planar ? 0.1*(i % 2) : 0.1*sin(1.0 + i);
    x[i][2] = planar ? 0 : 0.2*cos(2.0*(closed ? i % n : i));
  }
  for (int i = 0; i < n; i++) {
    at = add(at, "  b%d: {mass: %g, inertia: %s, at: [%g, %g", i, 1 + 0.1*(i % 3), planar ? "0.02" : "[0.02, 0.03, 0.025]",
             0.5*(x[i][0] + x[i+1][0]), 0.5*(x[i][1] + x[i+1][1]));
    at = planar ? add(at, "]}\n") : add(at, ", %g]}\n", 0.5*(x[i][2] + x[i+1][2]));
  }
  at = add(at, "joints:\n");
  int kind = 0, last = closed ? n : ground == 2 ? n + 1 : n;
  size_t period = strlen(kinds);
  for (int i = closed || !ground ? 1 : 0; i < last + (closed ? 1 : 0); i++) {
    char one[16] = "ground", two[16] = "ground";
    if (i > 0) snprintf(one, sizeof(one), "b%d", i - 1);
    if (i < n) snprintf(two, sizeof(two), "b%d", i);
    else if (closed) snprintf(two, sizeof(two), "b0");
    char k = kinds[kind++ % (int)period];
    at = add(at, "  j%d: {type: %s, bodies: [%s, %s], at: [%g, %g", i, k == 'S' ? "spherical" : "revolute", one, two,
             x[i][0], x[i][1]);
    at = planar ? add(at, "]}\n") : add(at, ", %g]%s}\n", x[i][2], k == 'S' ? "" : i % 2 ? ", axis: [0.1, 1, 0.2]" : ", axis: [0.3, 0.1, 1]");
  }
  if (closed && ground) add(at, "  hold: {type: %s, bodies: [ground, b0], at: [2, 0%s]}\n", planar ? "revolute" : "spherical", planar ? "" : ", 0.2");
  return text;
}

/* ---- solvers of one matrix ------------------------------------------------------------------ */

typedef struct {
  int n, kd, *piv;
  double *A, *W, *x, *work; /* column-major */
  int *ap, *ai;
  double *ax;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} matrix;

static void matrix_open(matrix *m, int n) {
  size_t s = (size_t)n*(size_t)n + (size_t)n;
  *m = (matrix){.n = n};
  m->A = calloc(s, sizeof(double)), m->W = calloc(s, sizeof(double)), m->x = calloc((size_t)n, sizeof(double));
  m->work = calloc(s, sizeof(double)), m->piv = calloc((size_t)n, sizeof(int));
}
/* after A is filled */
static void matrix_sparse(matrix *m) {
  int n = m->n, nnz = 0;
  m->ap = calloc((size_t)n + 1, sizeof(int));
  m->ai = calloc((size_t)(n*n), sizeof(int));
  m->ax = calloc((size_t)(n*n), sizeof(double));
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (m->A[j*n + i] != 0) m->ai[nnz] = i, m->ax[nnz++] = m->A[j*n + i];
    m->ap[j+1] = nnz;
  }
  klu_defaults(&m->common);
  m->symbolic = klu_analyze(n, m->ap, m->ai, &m->common);
  m->numeric = klu_factor(m->ap, m->ai, m->ax, m->symbolic, &m->common);
}
static void matrix_close(matrix *m) {
  if (m->numeric) klu_free_numeric(&m->numeric, &m->common);
  if (m->symbolic) klu_free_symbolic(&m->symbolic, &m->common);
  void *list[] = {m->A, m->W, m->x, m->work, m->piv, m->ap, m->ai, m->ax};
  for (int i = 0; i < TNI_COUNT(list); i++) free(list[i]);
}
static void right_side(matrix *m) {
  for (int i = 0; i < m->n; i++) m->x[i] = cos(2.0 + i);
}
static void copy(matrix *m) { memcpy(m->W, m->A, (size_t)m->n*(size_t)m->n*sizeof(double)); }

static void work_getrf(void *user) {
  matrix *m = user;
  copy(m);
  right_side(m);
  LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m->n, m->n, m->W, m->n, m->piv);
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m->n, 1, m->W, m->n, m->piv, m->x, m->n);
}
static void work_sytrf(void *user) {
  matrix *m = user;
  copy(m);
  right_side(m);
  LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', m->n, m->W, m->n, m->piv, m->work, m->n*m->n);
  LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', m->n, 1, m->W, m->n, m->piv, m->x, m->n);
}
static void work_pptrf(void *user) {
  matrix *m = user;
  for (int c = 0, k = 0; c < m->n; c++)
    for (int r = c; r < m->n; r++) m->W[k++] = m->A[c*m->n + r];
  right_side(m);
  LAPACKE_dpptrf_work(LAPACK_COL_MAJOR, 'L', m->n, m->W);
  LAPACKE_dpptrs_work(LAPACK_COL_MAJOR, 'L', m->n, 1, m->W, m->x, m->n);
}
static void work_klu(void *user) { /* same pivots, as later factorizations of a run */
  matrix *m = user;
  right_side(m);
  klu_refactor(m->ap, m->ai, m->ax, m->symbolic, m->numeric, &m->common);
  klu_solve(m->symbolic, m->numeric, m->n, 1, m->x, &m->common);
}
static void work_klu_pivots(void *user) {
  matrix *m = user;
  right_side(m);
  klu_free_numeric(&m->numeric, &m->common);
  m->numeric = klu_factor(m->ap, m->ai, m->ax, m->symbolic, &m->common);
  klu_solve(m->symbolic, m->numeric, m->n, 1, m->x, &m->common);
}
static double us(void (*work)(void *), void *user) { return 1e6*bench_time(work, user, 0.05, 7); }

/* ---- cartesian: reduced and whole systems --------------------------------------------------- */

typedef struct {
  rig *r;
  const tni_kkt *K;
  tni_kkt_solver *solver;
} job;

static void work_solve(void *user) {
  job *j = user;
  BENCH_TRY(j->r->ctx, tni_kkt_factor(j->solver));
  tni_kkt_solve(j->solver, j->r->f, j->r->g, j->r->a, j->r->lambda);
}

/* a := M^-1 (f - C^T lambda), body by body: what is left to do once multipliers are known */
static inline void recover(job *j, const int d) {
  const tni_kkt *K = j->K;
  double *restrict a = j->r->a;
  memcpy(a, j->r->f, (size_t)(K->nbody*d)*sizeof(double));
  for (int k = 0; k < K->nblock; k++)
    for (int e = K->incadr[k]; e < K->incadr[k+1]; e++)
      for (int r = 0; r < K->rowadr[k+1] - K->rowadr[k]; r++)
        for (int i = 0; i < d; i++) a[K->incbody[e]*d + i] -= K->J[K->jadr[e] + r*d + i]*j->r->lambda[K->rowadr[k] + r];
  for (int b = 0; b < K->nbody; b++) {
    double x[6];
    for (int i = 0; i < d; i++) {
      x[i] = 0;
      for (int k = 0; k < d; k++) x[i] += K->Minv[b*d*d + i*d + k]*a[b*d + k];
    }
    for (int i = 0; i < d; i++) a[b*d + i] = x[i];
  }
}
static void work_recover(void *user) {
  job *j = user;
  if (j->K->d == 3) recover(j, 3);
  else recover(j, 6);
}

/* C M^-1 C^T, or the whole matrix */
static void fill_reduced(const tni_kkt *K, matrix *m) {
  int n = K->nrow, d = K->d;
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
              m->A[(K->rowadr[k] + b)*n + K->rowadr[j] + a] += sum;
            }
        }
}
static void fill_whole(const tni_kkt *K, matrix *m) {
  int n = m->n, d = K->d, nx = K->nbody*d;
  for (int b = 0; b < K->nbody; b++)
    for (int i = 0; i < d*d; i++) m->A[(b*d + i % d)*n + b*d + i/d] = K->M[b*d*d + i];
  for (int k = 0; k < K->nblock; k++)
    for (int e = K->incadr[k]; e < K->incadr[k+1]; e++)
      for (int r = 0; r < K->rowadr[k+1] - K->rowadr[k]; r++)
        for (int i = 0; i < d; i++) {
          int R = nx + K->rowadr[k] + r, C = K->incbody[e]*d + i;
          m->A[R*n + C] = m->A[C*n + R] = K->J[K->jadr[e] + r*d + i];
        }
}

static void reduced_alone(tn_ctx *ctx, const char *name, const char *key, const char *path, const char *text,
                          const double published[4], figures *f) {
  rig r = load_rig(ctx, path, text, false, 0);
  const tni_kkt *K = tni_cartesian_kkt(r.s);
  matrix m, whole;
  matrix_open(&m, K->nrow);
  matrix_open(&whole, K->nrow + r.s->nv);
  fill_reduced(K, &m);
  fill_whole(K, &whole);
  matrix_sparse(&m);
  matrix_sparse(&whole);
  job j = {.r = &r, .K = K};
  tni_kkt_opts o = {.method = TNI_KKT_AUTO};
  BENCH_TRY(ctx, tni_kkt_create(ctx, K, &o, &j.solver));
  double lu = us(work_getrf, &m), packed = us(work_pptrf, &m), klu = us(work_klu, &m), anew = us(work_klu_pivots, &m);
  double block = us(work_solve, &j), recover = us(work_recover, &j);
  double all_dense = us(work_getrf, &whole), all_klu = us(work_klu, &whole), all_anew = us(work_klu_pivots, &whole);
  printf("| %s | %d | %.2f (%.2f) | %.2f (%.2f) | %.2f, %.2f (%.2f) | %.2f (%.2f) | %.2f | %.1f | %.2f, %.2f | %.1f |\n", name,
         m.n, lu, published[0], packed, published[1], klu, anew, published[2], block, published[3], recover, all_dense,
         all_klu, all_anew, fmin(all_klu, all_anew)/block);
  char k[80];
  snprintf(k, sizeof(k), "%s.sparse_vs_dense_reduced", key);
  figure(f, k, klu/lu);
  snprintf(k, sizeof(k), "%s.recovery_share", key);
  figure(f, k, recover/block);
  snprintf(k, sizeof(k), "%s.reduced_vs_pruned_sparse", key);
  figure(f, k, fmin(all_klu, all_anew)/block);
  tni_kkt_destroy(&j.solver);
  matrix_close(&m), matrix_close(&whole);
  unload_rig(&r);
}

/* claim 9 */
static void ratios(tn_ctx *ctx, figures *f) {
  const struct {
    const char *name, *path;
    bool planar, closed;
    int ground, n;
    const char *kinds;
  } list[] = {{"planar chain of 8", NULL, true, false, 1, 8, "R"},
              {"planar four-bar", NULL, true, false, 2, 3, "R"},
              {"planar closed chain of 12", NULL, true, true, 1, 12, "R"},
              {"planar chain of 50", NULL, true, false, 1, 50, "R"},
              {"seven-body mechanism", TENON_SOURCE_DIR "/examples/seven-body/seven_body.yaml", true, false, 0, 0, ""},
              {"spatial chain R R S R S R", NULL, false, false, 1, 6, "RRSRSR"},
              {"spatial loop R S S R", NULL, false, false, 2, 3, "RSSR"},
              {"floating ring of 7, R S", NULL, false, true, 0, 7, "RS"},
              {"vehicle", TENON_SOURCE_DIR "/examples/vehicle/hmmwv14.yaml", false, false, 0, 0, ""}};
  double least[2] = {HUGE_VAL, HUGE_VAL};
  printf("\nClaim 9: whole system by sparse LU (the program's own) and by the reduced solver, us\n\n| mechanism | unknowns | sparse LU | reduced "
         "| ratio |\n|---|---|---|---|---|\n");
  for (int i = 0; i < TNI_COUNT(list); i++) {
    char *text = list[i].path ? NULL : make_row(list[i].planar, list[i].closed, list[i].ground, list[i].n, list[i].kinds);
    rig r = load_rig(ctx, list[i].path, text, false, 0);
    tni_kkt K = *tni_cartesian_kkt(r.s);
    double t[2];
    /* rows that can be switched off would cost the sparse one more */
    bool masked = r.s->rank && r.s->rank->rank < r.s->m;
    for (int k = 0; k < 2; k++) {
      job j = {.r = &r, .K = &K};
      tni_kkt_opts o = {.method = k ? TNI_KKT_AUTO : TNI_KKT_SPARSE_LU};
      if (!masked) K.active = NULL;
      BENCH_TRY(ctx, tni_kkt_create(ctx, &K, &o, &j.solver));
      t[k] = us(work_solve, &j);
      tni_kkt_destroy(&j.solver);
    }
    printf("| %s | %d | %.2f | %.2f | %.2f |\n", list[i].name, K.nbody*K.d + K.nrow, t[0], t[1], t[0]/t[1]);
    least[!list[i].planar] = fmin(least[!list[i].planar], t[0]/t[1]);
    unload_rig(&r);
  }
  figure(f, "claim9.least_planar", least[0]);
  figure(f, "claim9.least_spatial", least[1]);
}

/* ---- pieces of a chain at the same time ----------------------------------------------------------- */

static void work_at_once(void *user) {
  job *j = user;
  BENCH_TRY(j->r->ctx, tni_kkt_factor_solve(j->solver, j->r->f, j->r->g, j->r->a, j->r->lambda));
}

/* least wall time of a call in us: CPU time would count all threads */
static double wall_us(void (*work)(void *), void *user) {
  double best = HUGE_VAL;
  work(user);
  for (int r = 0; r < 15; r++) {
    enum { CALLS = 40 };
    double begin = tni_wall_time();
    for (int i = 0; i < CALLS; i++) work(user);
    best = fmin(best, (tni_wall_time() - begin)/CALLS);
  }
  return 1e6*best;
}

static double time_of(tn_ctx *ctx, rig *r, const tni_kkt *K, tni_kkt_opts o, long *work) {
  job j = {.r = r, .K = K};
  tni_kkt_info info;
  BENCH_TRY(ctx, tni_kkt_create(ctx, K, &o, &j.solver));
  double t = wall_us(work_at_once, &j);
  tni_kkt_get_info(j.solver, &info);
  *work = info.work;
  tni_kkt_destroy(&j.solver);
  return t;
}

/* topology 14: subtrees and substructuring on two threads; 64 pieces of 127 joints are cyclic reduction */
static void pieces_of_chains(figures *f) {
  static const char *const n[] = {"N=127", "N=500", "N=1000", "N=4000"};
  printf("\nAccelerations of a spatial chain, factorization and solution, wall time in us (block operations)\n\n"
         "| links | threads | reduced | 2 pieces | 4 | 16 | 64 |\n|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < TNI_COUNT(n); i++) {
    for (int threads = 1; threads <= 2; threads++) {
      tn_ctx *ctx;
      BENCH_TRY(NULL, tn_ctx_create(&(tn_ctx_opts){.threads = threads}, &ctx));
      rig r = load_rig_with(ctx, TENON_SOURCE_DIR "/examples/chain/chain.yaml", NULL, false, 0, n[i]);
      tni_kkt K = *tni_cartesian_kkt(r.s);
      static const int pieces[] = {2, 4, 16, 64};
      long work;
      double plain = time_of(ctx, &r, &K, (tni_kkt_opts){.method = TNI_KKT_REDUCED}, &work), best = HUGE_VAL;
      printf("| %s | %d | %.1f (%ld) |", n[i] + 2, threads, plain, work);
      for (int k = 0; k < TNI_COUNT(pieces); k++) {
        double t = time_of(ctx, &r, &K, (tni_kkt_opts){.method = TNI_KKT_PIECES, .pieces = pieces[k]}, &work);
        printf(" %.1f (%ld) |", t, work);
        best = fmin(best, t);
      }
      printf("\n");
      char name[64];
      snprintf(name, sizeof(name), "chain%s.reduced_vs_pieces_%d_threads", n[i] + 2, threads);
      figure(f, name, plain/best);
      unload_rig(&r);
      tn_ctx_destroy(&ctx);
    }
  }
}

/* ---- joint coordinates: the 43 x 43 system -------------------------------------------------- */

typedef struct {
  rig *r;
  tni_jsys *s;
  double *z, *a, *lambda;
} step_job;

static void step_mass(void *user) { tni_joint_mass(((step_job *)user)->s, ((step_job *)user)->s->solver == TNI_JOINT_COMPOSITE_DENSE ? ((step_job *)user)->s->L : NULL); }
static void step_factor(void *user) { tni_joint_crb_factor(((step_job *)user)->s); }
static void step_half(void *user) { /* 2 */
  step_job *j = user;
  memcpy(j->z, j->r->f, (size_t)j->s->base.nv*sizeof(double));
  tni_joint_crb_half(j->s, NULL, j->s->base.nv, j->z);
}
static void step_rows(void *user) { tni_joint_cut_half(((step_job *)user)->s, NULL); } /* 3.1 */
static void step_gram(void *user) { tni_joint_cut_factor(((step_job *)user)->s, NULL, false); } /* 3.1, 3.3, factor of 3.4 */
static void step_solve(void *user) { tni_joint_cut_solve(((step_job *)user)->s, ((step_job *)user)->r->g, ((step_job *)user)->lambda, false); }
static void step_times(void *user) { /* 3.2 and 3.5 */
  step_job *j = user;
  tni_jsys *s = j->s;
  int nv = s->base.nv;
  for (int c = 0; c < s->ncut; c++) {
    const tni_jcut *cut = &s->cut[c];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++) {
      double sum = 0;
      for (int e = 0; e < cut->ndof; e++) sum += s->T[r*nv + cut->dof[e]]*j->z[cut->dof[e]];
      j->r->g[r] = sum;
    }
  }
  for (int c = 0; c < s->ncut; c++) {
    const tni_jcut *cut = &s->cut[c];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++)
      for (int e = 0; e < cut->ndof; e++) j->a[cut->dof[e]] -= s->T[r*nv + cut->dof[e]]*j->lambda[r];
  }
}
static void step_back(void *user) { tni_joint_crb_back(((step_job *)user)->s, ((step_job *)user)->z, ((step_job *)user)->a); }

/* operations of algorithm 4 from its patterns: steps 1, 2, 3.1, 3.2, 3.3, 3.4, 3.5, 4 */
static void count(const tni_jsys *s, const bool *in) {
  int nv = s->base.nv, m = 0;
  long off = 0, step1 = 0, rows = 0, solves = 0, gram = 0;
  for (int i = 0; i < nv; i++) {
    long n = s->rowlen[i];
    off += n - 1;
    step1 += n*(n - 1)/2;
  }
  for (int c = 0; c < s->ncut; c++) {
    const tni_jcut *a = &s->cut[c];
    for (int r = a->row0; r < a->row0 + a->nrow; r++) {
      if (!in[r]) continue;
      m++;
      rows += a->ndof;
      for (int e = 0; e < a->ndof; e++) solves += s->rowlen[a->dof[e]] - 1;
      for (int d = 0; d <= c; d++) {
        const tni_jcut *b = &s->cut[d];
        long common = 0;
        for (int e = 0; e < a->ndof; e++)
          for (int g = 0; g < b->ndof; g++) common += a->dof[e] == b->dof[g];
        for (int k = b->row0; k < b->row0 + b->nrow; k++)
          if (in[k] && (d < c || k <= r)) gram += common;
      }
    }
  }
  long chol = 0, k = m;
  for (long i = 0; i < k; i++) chol += (k - 1 - i)*(k - i)/2;
  long n = nv + m, gauss = (n - 1)*n*(2*n - 1)/6;
  printf("\nOperations, thesis in brackets\n\n| | multiplications | divisions | roots |\n|---|---|---|---|\n"
         "| Gauss, factor | %ld (25585) | %ld (903) | |\n| Gauss, solve | %ld (1806) | %ld (43) | |\n"
         "| Alg-S 1 | %ld (975) | %ld (165) | %d (27) |\n| 2 | %ld (165) | %d (27) | |\n| 3.1 | %ld (804) | %ld (174) | |\n"
         "| 3.2 | %ld (172) | | |\n| 3.3 | %ld (1135) | | |\n| 3.4, factor | %ld (680) | %ld (120) | %d (16) |\n"
         "| 3.4, solve | %ld | %ld | |\n| 3.5 | %ld (162) | | |\n| 4 | %ld (165) | %d (27) | |\n| fill | 0 | | |\n",
         gauss, n*(n - 1)/2, n*(n - 1), n, step1, off, nv, off, nv, solves, rows, rows, gram, chol, k*(k - 1)/2, m, k*(k - 1),
         2*k, rows, off, nv);
}

static void joint_table(tn_ctx *ctx, figures *f) {
  static const char *const name[] = {"1 factor", "2", "3.1", "3.3 and factor of 3.4", "3.4 solve", "3.2 and 3.5", "4"};
  double t[2][8] = {{0}}, sum[2] = {0, 0}, lapack[4] = {0};
  int n = 0;
  for (int dense = 0; dense < 2; dense++) {
    rig r = load_rig(ctx, TENON_SOURCE_DIR "/examples/vehicle/hmmwv14.yaml", NULL, true,
                     dense ? TNI_JOINT_COMPOSITE_DENSE : TNI_JOINT_COMPOSITE_SPARSE);
    tni_jsys *s = (tni_jsys *)(void *)r.s;
    step_job j = {&r, s, tni_doubles(ctx, (size_t)r.s->nv), tni_doubles(ctx, (size_t)r.s->nv), tni_doubles(ctx, (size_t)r.s->m)};
    double form = us(step_mass, &j);
    t[dense][0] = us(step_factor, &j) - form;
    t[dense][1] = us(step_half, &j);
    t[dense][2] = us(step_rows, &j);
    t[dense][3] = us(step_gram, &j) - t[dense][2];
    t[dense][4] = us(step_solve, &j);
    t[dense][5] = us(step_times, &j);
    t[dense][6] = us(step_back, &j);
    for (int i = 0; i < 7; i++) sum[dense] += t[dense][i];
    if (!dense) {
      /* the row that locks the rack is no part of the published system */
      bool in[64];
      int nv = r.s->nv, m = r.s->m, used = 0, row[64];
      for (int i = 0; i < m; i++) {
        char what[128];
        tni_row_name(r.s, i, what, sizeof(what));
        in[i] = strstr(what, "lock") == NULL && strstr(what, "steer") == NULL;
        if (in[i]) row[used++] = i;
      }
      if (used == m) in[m-1] = false, used--; /* the last one then, whatever its name */
      n = nv + used;
      matrix A;
      matrix_open(&A, n);
      BENCH_TRY(ctx, tni_prepare_tangent(r.s));
      BENCH_TRY(ctx, tni_prepare_pattern(r.s));
      const tni_sparsity *square = r.s->square, *rows = r.s->rows;
      double *M = tni_doubles(ctx, (size_t)square->nnz), *C = tni_doubles(ctx, (size_t)rows->nnz);
      tni_sparse_tangent out = {.M = M, .C = C};
      BENCH_TRY(ctx, tni_eval_sparse_tangent(r.s, 0, r.q, r.v, r.a, r.lambda, &out));
      for (int i = 0; i < nv; i++)
        for (int e = square->rowptr[i]; e < square->rowptr[i+1]; e++) A.A[square->col[e]*n + i] = M[e];
      for (int i = 0; i < used; i++)
        for (int e = rows->rowptr[row[i]]; e < rows->rowptr[row[i]+1]; e++)
          A.A[rows->col[e]*n + nv + i] = A.A[(nv + i)*n + rows->col[e]] = C[e];
      matrix_sparse(&A);
      lapack[0] = us(work_getrf, &A);
      lapack[1] = us(work_sytrf, &A);
      lapack[2] = us(work_klu, &A);
      lapack[3] = us(work_klu_pivots, &A);
      printf("\nVehicle in joint coordinates: %d velocities, %d rows of cut joints, %d x %d (%d nonzeros)\n", nv, used, n, n, A.ap[n]);
      count(s, in);
      tni_free(ctx, M), tni_free(ctx, C);
      matrix_close(&A);
    }
    tni_free(ctx, j.z), tni_free(ctx, j.a), tni_free(ctx, j.lambda);
    unload_rig(&r);
  }
  printf("\nTable 9, us: Gauss %.2f (2336), symmetric %.2f (2022), sparse LU %.2f, pivots anew %.2f (3532), Alg-S %.2f (1201), Alg-D %.2f "
         "(1179)\n\nTable 10, us\n\n| step | Alg-S | Alg-D |\n|---|---|---|\n", lapack[0], lapack[1], lapack[2], lapack[3], sum[0], sum[1]);
  for (int i = 0; i < 7; i++) printf("| %s | %.3f | %.3f |\n", name[i], t[0][i], t[1][i]);
  printf("| sum | %.3f | %.3f |\n", sum[0], sum[1]);
  figure(f, "joint43.gauss_vs_alg_s", lapack[0]/sum[0]);
  figure(f, "joint43.gauss_vs_alg_d", lapack[0]/sum[1]);
  figure(f, "joint43.symmetric_vs_alg_s", lapack[1]/sum[0]);
  figure(f, "joint43.sparse_vs_alg_s", fmin(lapack[2], lapack[3])/sum[0]);
}

int main(int argc, char **argv) {
  figures f;
  tn_ctx *ctx;
  if (argc < 2 || !figures_open(&f, argv[1])) return 2;
  BENCH_TRY(NULL, tn_ctx_create(NULL, &ctx));
  printf("Reduced systems alone, us (published s for 1000 in brackets); sparse: KLU with old pivots, new pivots\n\n"
         "| mechanism | rows | dense LU | packed Cholesky | sparse LU | block code, with forming and recovery | recovery alone | whole, dense LU "
         "| whole, sparse LU | whole sparse/block |\n|---|---|---|---|---|---|---|---|---|---|\n");
  static const double seven[4] = {0.79, 0.47, 0.88, 0.23}, chain[4] = {53.87, 27.45, 4.14, 0.98};
  reduced_alone(ctx, "seven-body", "seven_body", TENON_SOURCE_DIR "/examples/seven-body/seven_body.yaml", NULL, seven, &f);
  reduced_alone(ctx, "chain of 50", "chain50", NULL, make_row(true, false, 1, 50, "R"), chain, &f);
  ratios(ctx, &f);
  pieces_of_chains(&f);
  joint_table(ctx, &f);
  tn_ctx_destroy(&ctx);
  figures_close(&f);
  return 0;
}
