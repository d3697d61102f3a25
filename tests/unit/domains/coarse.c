/* unit test of domains/coarse.c: what is left is orthogonal to all motions of domains, and motions are found at once, alone and on ranks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/coarse.h"

#include "base/vec.h"
#include "domains/pcg.h"
#include "parallel/comm.h"
#include "support/check.h"

/* a strip of nodes, three a layer, cut into domains that share a layer; a spring between any two nodes of a layer pair, along their line and,
 * softer, across; the first layer is held by springs to the ground */
enum { LAYERS = 9, SIDE = 3, NODES = LAYERS*SIDE, N = 3*NODES, DOMAINS = 4, MOST = N };

typedef struct {
  tni_domains d;
  tni_domain domain[DOMAINS];
  int from[DOMAINS + 1], *ptr[DOMAINS], *ind[DOMAINS];
  double *value[DOMAINS], *place[DOMAINS], K[N*N], x[3*NODES];
  long long *number[DOMAINS];
  signed char *kind[DOMAINS];
} strip;

static uint64_t seed = 11;

static void add_spring(double *K, int n, const double *x, int a, int b) {
  double e[3], k = 1 + check_random(&seed)/2;
  vec3_sub(e, x + 3*b, x + 3*a);
  vec3_normalize(e, e);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double w = k*(e[i]*e[j] + 0.05*(i == j));
      K[(3*a + i)*n + 3*a + j] += w, K[(3*b + i)*n + 3*b + j] += w;
      K[(3*a + i)*n + 3*b + j] -= w, K[(3*b + i)*n + 3*a + j] -= w;
    }
}

static void make(strip *s) {
  memset(s, 0, sizeof(*s));
  seed = 11;
  for (int i = 0; i < NODES; i++)
    for (int c = 0; c < 3; c++) s->x[3*i + c] = (c == 0 ? i/SIDE : c == 1 ? i % SIDE : (i % SIDE)*(i % SIDE)) + 0.2*check_random(&seed);
  for (int t = 0; t < DOMAINS; t++) {
    int low = (LAYERS - 1)*t/DOMAINS, high = (LAYERS - 1)*(t + 1)/DOMAINS, nodes = (high - low + 1)*SIDE, n = 3*nodes;
    double *K = calloc((size_t)n*(size_t)n, sizeof(double));
    for (int a = 0; a < nodes; a++)
      for (int b = a + 1; b < nodes; b++)
        if (b/SIDE - a/SIDE <= 1 && (a/SIDE != b/SIDE || a/SIDE < nodes/SIDE - 1 || t == DOMAINS - 1)) add_spring(K, n, s->x + 3*SIDE*low, a, b);
    for (int i = 0; i < 3*SIDE && t == 0; i++) K[i*n + i] += 2;
    s->ptr[t] = calloc((size_t)n + 1, sizeof(int));
    s->ind[t] = calloc((size_t)n*(size_t)n, sizeof(int));
    s->value[t] = calloc((size_t)n*(size_t)n, sizeof(double));
    s->place[t] = calloc(3*(size_t)n, sizeof(double));
    s->number[t] = calloc((size_t)n, sizeof(long long));
    s->kind[t] = calloc((size_t)n, 1);
    int at = 0;
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) {
        if (K[i*n + j] != 0) s->ind[t][at] = i, s->value[t][at++] = K[i*n + j];
        s->K[(3*SIDE*low + i)*N + 3*SIDE*low + j] += K[i*n + j];
      }
      s->ptr[t][j + 1] = at;
      s->number[t][j] = 3*SIDE*low + j;
      s->kind[t][j] = (signed char)(j % 3);
      vec3_copy(s->place[t] + 3*j, s->x + 3*(SIDE*low + j/3));
    }
    free(K);
    s->domain[t] = (tni_domain){.n = n, .ptr = s->ptr[t], .ind = s->ind[t], .value = s->value[t], .number = s->number[t], .kind = s->kind[t],
                                .place = s->place[t]};
    s->from[t + 1] = s->from[t] + n;
  }
}

static void forget(strip *s) {
  for (int t = 0; t < DOMAINS; t++) free(s->ptr[t]), free(s->ind[t]), free(s->value[t]), free(s->place[t]), free(s->number[t]), free(s->kind[t]);
}

/* whole -> pieces with equal copies */
static void tear(const strip *s, const double *whole, double *pieces) {
  for (int t = 0; t < DOMAINS; t++)
    for (int i = 0; i < s->domain[t].n; i++) pieces[s->from[t] + i] = whole[s->number[t][i]];
}

static void times(const strip *s, const double *x, double *y) {
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < N; j++) y[i] += s->K[i*N + j]*x[j];
  }
}

/* motion k of domain t, in the shares of those who have a node; t < 0: of the whole */
static void motion(const strip *s, int t, int k, double *w) {
  int low = t < 0 ? 0 : (LAYERS - 1)*t/DOMAINS, high = t < 0 ? LAYERS - 1 : (LAYERS - 1)*(t + 1)/DOMAINS;
  memset(w, 0, N*sizeof(double));
  for (int i = low*SIDE; i < (high + 1)*SIDE; i++) {
    double e[3] = {0}, v[3], share = t < 0 || ((i/SIDE > low || t == 0) && (i/SIDE < high || t == DOMAINS - 1)) ? 1 : 0.5;
    e[k % 3] = share;
    if (k < 3) vec3_copy(v, e);
    else vec3_cross(v, e, s->x + 3*i);
    vec3_copy(w + 3*i, v);
  }
}

static void check_coarse(const strip *s, const tni_domains *d, tn_ctx *ctx) {
  tni_arena arena;
  tni_border *border;
  tni_coarse *c;
  int pieces = s->from[DOMAINS], begin = s->from[tni_domains_begin(d)], end = s->from[tni_domains_end(d)];
  double w[N], x[N], y[N], *r = calloc((size_t)pieces, sizeof(double)), *z = calloc((size_t)pieces, sizeof(double)), *want = calloc((size_t)pieces, sizeof(double));
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_borders_create(d, &arena, &border));
  CHECK_OK(ctx, tni_coarse_create(d, border, s->from, &arena, &c));
  CHECK_INT(tni_coarse_size(c), 6*DOMAINS);
  for (int t = -1; t < DOMAINS; t++)
    for (int k = 0; k < 6; k++) { /* from nothing or from anything: the motion that makes these forces */
      motion(s, t, k, w);
      times(s, w, y);
      tear(s, y, r);
      tear(s, w, want);
      memset(z, 0, (size_t)pieces*sizeof(double));
      tni_coarse_correct(c, r, z, k % 2);
      for (int i = begin; i < end; i++) CHECK_WITHIN(z[i], want[i], 1e-9);
    }
  uint64_t own = 5;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) x[i] = check_random(&own), w[i] = check_random(&own);
    times(s, x, y);
    tear(s, y, r);
    tear(s, w, z);
    tni_coarse_correct(c, r, z, false);
    if (d->comm) continue; /* a rank has its own pieces only */
    for (int t = 0; t < DOMAINS; t++)
      for (int i = 0; i < s->domain[t].n; i++) w[s->number[t][i]] = z[s->from[t] + i];
    for (int t = 0; t < DOMAINS; t++) /* copies stay equal */
      for (int i = 0; i < s->domain[t].n; i++) CHECK(w[s->number[t][i]] == z[s->from[t] + i]);
    double left[N], along[N];
    times(s, w, left);
    for (int t = -1; t < DOMAINS; t++)
      for (int k = 0; k < 6; k++) {
        double work = 0, size = 0;
        motion(s, t, k, along);
        for (int i = 0; i < N; i++) work += along[i]*(y[i] - left[i]), size += fabs(along[i]*y[i]) + fabs(along[i]*left[i]);
        CHECK_WITHIN(work, 0, 1e-10*size);
      }
  }
  free(r), free(z), free(want);
  tni_arena_clear(&arena);
}

static void motions_are_found_and_the_rest_is_across_them(void) {
  static strip s;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  make(&s);
  s.d = (tni_domains){.ctx = ctx, .n = DOMAINS, .domain = s.domain};
  check_coarse(&s, &s.d, ctx);
  forget(&s);
  tn_ctx_destroy(&ctx);
}

/* with one level and with two: the solution, copies equal; a matrix that is not positive definite is called so, and no other */
static void conjugate_gradients_tell_what_they_meet(void) {
  static strip s;
  static double whole[N], f[N], pieces[2*N], u[2*N];
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int bad = 0; bad < 2; bad++)
    for (int coarse = 0; coarse < 2; coarse++) {
      make(&s);
      s.d = (tni_domains){.ctx = ctx, .n = DOMAINS, .domain = s.domain};
      int last = DOMAINS - 1;
      for (int j = 0; j < s.domain[last].n && bad; j++) /* its diagonal stays as it is */
        for (int k = s.ptr[last][j]; k < s.ptr[last][j + 1]; k++)
          if (s.ind[last][k] != j) s.value[last][k] *= 3;
      for (int i = 0; i < N; i++) whole[i] = sin(i + 1.0);
      times(&s, whole, f);
      memset(pieces, 0, sizeof(pieces)); /* shares of a force add up: the first domain that has it */
      for (int t = DOMAINS - 1; t >= 0; t--)
        for (int i = 0; i < s.domain[t].n; i++) {
          int number = (int)s.number[t][i];
          bool first = t == 0 || number >= 3*SIDE*((LAYERS - 1)*t/DOMAINS + 1);
          pieces[s.from[t] + i] = first ? f[number] : 0;
        }
      tni_pcg *p;
      tni_pcg_report r;
      tni_pcg_opts o = {.tolerance = 1e-11, .coarse = coarse};
      CHECK_OK(ctx, tni_pcg_create(&s.d, &o, &p));
      tn_status st = tni_pcg_solve(p, pieces, u, &r);
      CHECK(r.indefinite == bad && (st == TN_OK) == !bad);
      if (bad) CHECK(st == TN_NOT_CONVERGED && strstr(tn_ctx_message(ctx), "not positive definite"));
      for (int t = 0; t < DOMAINS && !bad; t++)
        for (int i = 0; i < s.domain[t].n; i++) CHECK_WITHIN(u[s.from[t] + i], whole[s.number[t][i]], 1e-7);
      CHECK(bad || (r.coarse == (coarse ? 6*DOMAINS : 0) && r.iterations < (coarse ? 80 : 200)));
      tni_pcg_destroy(&p);
      forget(&s);
    }
  tn_ctx_destroy(&ctx);
}

static const int rank_from[3] = {0, 1, DOMAINS};

static tn_status on_a_rank(tni_comm *c, void *user) {
  const strip *s = user;
  tni_domains d = {.ctx = c->ctx, .n = DOMAINS, .domain = s->domain, .comm = c, .rank_from = rank_from};
  check_coarse(s, &d, c->ctx);
  return TN_OK;
}

static void ranks_find_the_same(void) {
  static strip s;
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  make(&s);
  CHECK_OK(ctx, tni_comm_run_local(ctx, 2, on_a_rank, &s, NULL, NULL));
  forget(&s);
  tn_ctx_destroy(&ctx);
}

int main(void) {
  RUN(motions_are_found_and_the_rest_is_across_them);
  RUN(conjugate_gradients_tell_what_they_meet);
  RUN(ranks_find_the_same);
  return REPORT();
}
