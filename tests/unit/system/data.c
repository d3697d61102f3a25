/* one system, many data: instants of their own, evaluated at the same time, bit for bit as alone
 * (make tsan runs this under the thread sanitizer)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <string.h>

#include "support/loaded.h"
#include "system/system.h"

enum { INSTANTS = 3, ROUNDS = 40 };

/* everything that an evaluation gives, one after the other */
typedef struct {
  tni_data *d;
  double *q, *v, *out;
  double t;
  int n, rounds;
  tn_status st;
} instant;

static void put(instant *x, const double *from, int n) {
  if (n) memcpy(x->out + x->n, from, (size_t)n*sizeof(double));
  x->n += n;
}

/* a state off the constraints, another one for every instant */
static void set_state(instant *x, int number) {
  tni_data *d = x->d;
  double *dx = calloc((size_t)d->nv, sizeof(double));
  double *q0 = calloc((size_t)d->nq, sizeof(double));
  tni_initial(d, q0, x->v);
  for (int i = 0; i < d->nv; i++) {
    dx[i] = 1e-3*sin(1.3*i + number);
    x->v[i] += 0.1*cos(0.7*i + 2*number);
  }
  tni_retract(d, q0, dx, x->q);
  x->t = 0.1*number;
  free(dx);
  free(q0);
}

static void *evaluate(void *user) {
  instant *x = user;
  tni_data *d = x->d;
  size_t nq = (size_t)d->nq, nv = (size_t)d->nv, m = (size_t)d->m;
  double *q = calloc(nq, sizeof(double)), *v = calloc(nv, sizeof(double));
  double *a = calloc(nv, sizeof(double)), *lambda = calloc(m + 1, sizeof(double));
  double *r = calloc(nv, sizeof(double)), zdot[TNI_NZ];
  double *S = calloc((size_t)d->square->nnz, sizeof(double));
  for (int k = 0; k < x->rounds && x->st == TN_OK; k++) {
    tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-12};
    x->n = 0;
    memcpy(q, x->q, nq*sizeof(double));
    memcpy(v, x->v, nv*sizeof(double));
    x->st = tni_project(d, x->t, q, v, &o, NULL);
    if (x->st == TN_OK) x->st = tni_accel(d, x->t, q, v, a, lambda, zdot);
    if (x->st != TN_OK) break;
    put(x, q, d->nq);
    put(x, v, d->nv);
    put(x, a, d->nv);
    put(x, lambda, d->m);
    put(x, zdot, TNI_NZ);
    tni_eval_balance(d, x->t, q, v, a, lambda, r, NULL, NULL, NULL);
    put(x, r, d->nv);
    tni_sparse_tangent out = {.r_q = S};
    x->st = tni_eval_sparse_tangent(d, x->t, q, v, a, lambda, &out);
    put(x, S, d->square->nnz);
    put(x, &d->potential, 1);
  }
  free(q), free(v), free(a), free(lambda), free(r), free(S);
  return NULL;
}

static void open_instant(const tni_system *s, int number, instant *x) {
  memset(x, 0, sizeof(*x));
  CHECK_INT(tni_data_create(s, &x->d), TN_OK);
  CHECK_INT(tni_prepare_tangent(x->d), TN_OK);
  CHECK_INT(tni_prepare_pattern(x->d), TN_OK);
  x->q = calloc((size_t)x->d->nq, sizeof(double));
  x->v = calloc((size_t)x->d->nv, sizeof(double));
  size_t n = (size_t)(x->d->nq + 3*x->d->nv + x->d->m + TNI_NZ + x->d->square->nnz + 1);
  x->out = calloc(n, sizeof(double));
  set_state(x, number);
}

static void close_instant(instant *x) {
  tni_data_destroy(&x->d);
  free(x->q);
  free(x->v);
  free(x->out);
}

static void try_system(tn_ctx *ctx, const tni_system *s) {
  instant alone[INSTANTS], together[INSTANTS];
  pthread_t thread[INSTANTS];
  for (int i = 0; i < INSTANTS; i++) {
    open_instant(s, i, &alone[i]);
    open_instant(s, i, &together[i]);
    alone[i].rounds = 1;
    together[i].rounds = ROUNDS;
    evaluate(&alone[i]);
    CHECK_OK(ctx, alone[i].st);
  }
  for (int i = 0; i < INSTANTS; i++)
    CHECK_INT(pthread_create(&thread[i], NULL, evaluate, &together[i]), 0);
  for (int i = 0; i < INSTANTS; i++) CHECK_INT(pthread_join(thread[i], NULL), 0);
  for (int i = 0; i < INSTANTS; i++) {
    CHECK_OK(ctx, together[i].st);
    CHECK_INT(together[i].n, alone[i].n);
    CHECK(memcmp(together[i].out, alone[i].out, (size_t)alone[i].n*sizeof(double)) == 0);
    if (i > 0) /* instants of their own */
      CHECK(memcmp(alone[i].out, alone[0].out, (size_t)alone[i].n*sizeof(double)) != 0);
  }
  for (int i = 0; i < INSTANTS; i++) {
    close_instant(&alone[i]);
    close_instant(&together[i]);
  }
}

/* file: a model of the examples; threads: of the context, whose pool all instants share */
static void try_model(const char *file, const char *set, int threads) {
  tn_status (*const make[2])(tn_ctx *, const tn_model *, const tni_system_opts *, tni_system **) = {
      tni_cartesian_system, tni_joint_system};
  for (int r = 0; r < 2; r++) {
    loaded l;
    tni_system *s;
    load_file_threads(&l, file, set, threads);
    CHECK_OK(l.ctx, make[r](l.ctx, l.model, NULL, &s));
    try_system(l.ctx, s);
    tni_system_destroy(&s);
    unload(&l);
  }
}

static void instants_are_evaluated_at_the_same_time(void) {
  try_model("examples/seven-body/seven_body.yaml", NULL, 1);
  try_model("examples/vehicle/hmmwv14.yaml", NULL, 1);
}

/* enough links to be divided among the threads of the pool */
static void instants_share_the_threads_of_a_context(void) {
  try_model("examples/chain/chain.yaml", "N=200", 2);
}

static bool same(const double *x, const double *y, int n) { return n == 0 || memcmp(x, y, (size_t)n*sizeof(double)) == 0; }

/* numbers that nobody else has */
static void fill(const tni_data *d, double from, tni_state *x) {
  x->t = from;
  for (int i = 0; i < d->nq; i++) x->q[i] = from + 1e-3*i;
  for (int i = 0; i < d->nv; i++) x->v[i] = from + 0.1 + 1e-3*i, x->a[i] = from + 0.2 + 1e-3*i;
  for (int i = 0; i < d->m; i++) x->lambda[i] = from + 0.3 + 1e-3*i;
  for (int i = 0; i < TNI_NZ; i++) x->z[i] = from + 0.4 + 1e-3*i;
  for (int i = 0; i < tni_nmemory(d); i++) x->memory[i] = from + 0.5 + 1e-3*i;
}

/* a state carries its memory with it, to another one, to numbers and back; one that lives in a data has that of the data */
static void states_carry_their_memory(void) {
  loaded l;
  tni_data *d;
  tni_arena arena;
  tni_state x, y, live;
  double numbers[256];
  load_file(&l, "examples/contact/newtons_cradle.yaml", NULL);
  tni_arena_init(&arena, l.ctx);
  CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &d));
  int n = tni_state_numbers(d), nmemory = tni_nmemory(d);
  CHECK(nmemory > 0 && n < 256);
  CHECK_OK(l.ctx, tni_state_create(&arena, d, &x));
  CHECK_OK(l.ctx, tni_state_create(&arena, d, &y));
  CHECK_OK(l.ctx, tni_state_create_in(&arena, d, &live));
  CHECK(x.memory != y.memory && x.memory != d->memory && live.memory == d->memory);
  fill(d, 1, &x);
  fill(d, 2, &y);
  tni_state_copy(&y, d, &x);
  CHECK(y.t == 1 && same(y.q, x.q, d->nq) && same(y.v, x.v, d->nv) && same(y.a, x.a, d->nv));
  CHECK(same(y.lambda, x.lambda, d->m) && same(y.z, x.z, TNI_NZ) && same(y.memory, x.memory, nmemory));
  fill(d, 2, &y);
  CHECK(tni_state_write(&x, d, numbers) == numbers + n);
  CHECK(tni_state_read(&y, d, numbers) == numbers + n);
  CHECK(y.t == 2 && same(y.q, x.q, d->nq) && same(y.v, x.v, d->nv) && same(y.z, x.z, TNI_NZ));
  CHECK(same(y.memory, x.memory, nmemory));
  tni_state_copy(&live, d, &x);
  CHECK(same(d->memory, x.memory, nmemory));
  fill(d, 3, &live);
  tni_state_keep(&y, d, 4, live.q, NULL);
  CHECK(y.t == 4 && same(y.memory, live.memory, nmemory) && y.v[0] == 0);
  tni_data_destroy(&d);
  tni_arena_clear(&arena);
  unload(&l);
}

int main(void) {
  RUN(states_carry_their_memory);
  RUN(instants_are_evaluated_at_the_same_time);
  RUN(instants_share_the_threads_of_a_context);
  return REPORT();
}
