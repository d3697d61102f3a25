/* bench/state_time.c - whole trajectories: threads, marching, growth with length, prediction for many workers
 *
 * Chains of rods in the plane (total length and mass 1) released from 1 rad, bodies' coordinates, order 2. Times are wall-clock seconds,
 * the least of several rounds that take turns; on a machine that does other work as well they are noisy, which the costs of one
 * thread (CPU seconds) are not.
 *
 *   chain10.speedup_2_threads            64 elements cold, one thread over two
 *   chain10.warm_vs_marching_2_threads   the same scheme marched with one matrix per element over the whole trajectory on two threads from
 *                                        the solution for rods 1 % longer and its factors
 *   chain10.cold_vs_marching_2_threads   likewise from nothing: coarse run and solution
 *   chain10.vs_best_method_at_1e-6       fastest of rk8, adams, radau, rosen in joint or cartesian coordinates at an error of 1e-6
 *                                        over state_time with two threads: seconds over seconds
 *   chain50.growth_per_element_64_to_1024  CPU time per element, 1024 elements over 64, same element length
 *   chain10.residual_us, factors_us, pass_us  CPU time of an element: residual, matrices and factors, front
 *   chain10.predicted_P_workers_n        speed-up of the warm solution of n elements over one worker by list scheduling of these costs: threads
 *                                        that take whatever can be done, with a message at every step of the front
 *   chain10.virtual_P_ranks_n            the same, measured: P virtual ranks solve n elements (parallel/wave_ranks.c) and carry clocks along. A clock
 *                                        runs with the CPU time of its rank; a message takes two microseconds and ten bytes a nanosecond, and who
 *                                        receives one cannot be earlier than it
 *   chain10.predicted_P_ranks_n          the same by the costs of the parts in a run: blocks of elements and sweeps as the ranks have them, each on a machine
 *                                        of its own
 *   chain10.work_P_ranks_n               CPU time of all virtual ranks over that of one: how much slower parts are where P ranks share cores and caches
 *   chain10.prediction_with_that_work_over_virtual_P_ranks_n  the prediction with costs so much larger over the clocks: is the schedule right?
 *
 * Usage: bench_state_time build/bench/state_time.json [rounds]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE /* clocks of threads */
#include <pthread.h>
#include <time.h>

#include "analyses/sim.h"
#include "bench.h"
#include "parallel/comm.h"
#include "trajectory/trajectory.h"

enum { MAX_TEXT = 40000 };

typedef struct {
  tn_ctx *ctx;
  bool owns;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  tni_trajectory *tr;
  double *a, *lambda;
} chain;

static void write_chain(int n, double length, char *text) {
  char *at = text;
  double l = length/n;
  at += sprintf(at, "tenon: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
  for (int i = 0; i < n; i++)
    at += sprintf(at, "  b%d: {mass: %.17g, inertia: %.17g, at: [%.17g, %.17g], orientation: 1}\n", i, 1.0/n, l*l/12/n,
                  (i + 0.5)*l*sin(1.0), -(i + 0.5)*l*cos(1.0));
  at += sprintf(at, "joints:\n");
  for (int i = 0; i < n; i++) {
    char before[16] = "ground";
    if (i) snprintf(before, sizeof(before), "b%d", i - 1);
    at += sprintf(at, "  j%d: {type: revolute, bodies: [%s, b%d], at1: [0, %.17g], at2: [0, %.17g]}\n", i, before, i,
                  i ? -l/2 : 0.0, l/2);
  }
  sprintf(at, "analysis: {until: 1, representation: cartesian, method: rk8}\n");
}

/* of the context of `beside`, NULL: of one of its own */
static void open_chain(chain *c, int n, double length, int threads, int elements, const chain *beside) {
  char *text = malloc(MAX_TEXT);
  tn_ctx_opts o = {.threads = threads};
  write_chain(n, length, text);
  memset(c, 0, sizeof(*c));
  if (beside) c->ctx = beside->ctx;
  else BENCH_TRY(NULL, tn_ctx_create(&o, &c->ctx));
  c->owns = !beside;
  BENCH_TRY(c->ctx, tn_spec_read_text(c->ctx, "chain", text, NULL, 0, &c->spec));
  free(text);
  BENCH_TRY(c->ctx, tn_model_compile(c->ctx, c->spec, &c->model));
  BENCH_TRY(c->ctx, tn_sim_create(c->ctx, c->model, NULL, &c->sim));
  BENCH_TRY(c->ctx, tni_trajectory_create(c->ctx, c->sim->s, 2, TNI_AT_GAUSS, elements, &c->tr));
  c->a = calloc((size_t)c->sim->s->nv, sizeof(double));
  c->lambda = calloc((size_t)c->sim->s->m, sizeof(double));
  BENCH_TRY(c->ctx, tni_accel(c->sim->s, 0, c->sim->at.q, c->sim->at.v, c->a, c->lambda, NULL));
}

static void close_chain(chain *c) {
  tni_trajectory_destroy(&c->tr);
  tn_sim_destroy(&c->sim);
  tn_model_destroy(&c->model);
  tn_spec_destroy(&c->spec);
  if (c->owns) tn_ctx_destroy(&c->ctx);
  free(c->a), free(c->lambda);
}

static void must(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s failed\n", what);
  exit(3);
}

/* windows of up to 64 elements from a coarse run each; end state in tr */
static void solve_cold(chain *c, double T, int n) {
  tni_trajectory *tr = c->tr;
  tni_trajectory_begin(tr, 0, c->sim->at.q, c->sim->at.v, n, T/n);
  must(tni_trajectory_solve(tr, &(tni_guess){4, 1e-4, c->a, c->lambda}, 12, 1e-10) == n, "trajectory");
}

/* One matrix per element, iterated until changes are as small as those of the trajectory: the competitor. */
static double march(chain *c, double T, int n) {
  tni_trajectory *tr = c->tr;
  const tni_slab_shape *p = &tr->shape;
  tni_slab *e = &tr->coarse;
  tni_slab_desk *d = &tr->desk[0];
  double *q0 = tr->march_q, *v0 = tr->march_v, *v_old = tr->march_v0, passes = 0;
  int k = p->g.k;
  tni_trajectory_begin(tr, 0, c->sim->at.q, c->sim->at.v, n, T/n);
  memcpy(q0, c->sim->at.q, (size_t)p->nq*sizeof(double));
  memcpy(v0, c->sim->at.v, (size_t)p->nv*sizeof(double));
  e->h = T/n;
  for (int i = 0; i < n; i++) {
    e->t = i*T/n;
    /* velocities of the element before, carried on */
    for (int j = 0; j < p->nv; j++) {
      double node[TNI_GAUSS_MAX + 1] = {0}, V[TNI_GAUSS_MAX + 1];
      memcpy(node + 1, p->g.c, (size_t)k*sizeof(double));
      for (int s = 0; s <= k; s++) {
        double theta = 1 + (s < k ? p->g.c[s] : 1);
        V[s] = v0[j] + (theta - 1)*e->h*c->a[j];
        if (i > 0) {
          V[s] = tni_lagrange(k + 1, node, 0, theta)*v_old[j];
          for (int m = 0; m < k; m++) V[s] += tni_lagrange(k + 1, node, m + 1, theta)*e->z[tni_slab_v(p, m) + j];
        }
      }
      for (int s = 0; s <= k; s++) {
        double x = 0;
        for (int m = 0; m < k; m++) x += e->h*(s < k ? p->g.a[s][m] : p->g.b[m])*V[m];
        e->z[tni_slab_x(p, s) + j] = x;
      }
      for (int s = 0; s <= k; s++) e->z[tni_slab_v(p, s) + j] = V[s];
    }
    if (i == 0)
      for (int s = 0; s < k; s++) memcpy(e->z + tni_slab_l(p, s), c->lambda, (size_t)p->m*sizeof(double));
    for (int it = 0; it < 60; it++) {
      tni_slab_eval(p, d, e, q0, v0, it == 0);
      if (it == 0) must(tni_slab_factor(p, e), "factor");
      tni_slab_solve(p, e, e->R);
      double most = 0;
      for (int j = 0; j < p->nz; j++) e->z[j] -= e->R[j];
      for (int s = 0; s <= k; s++)
        for (int j = 0; j < p->nv; j++)
          most = fmax(most, fmax(fabs(e->R[tni_slab_x(p, s) + j]), e->h*fabs(e->R[tni_slab_v(p, s) + j]))/tr->unit[j]);
      passes++;
      if (most < 1e-10) break;
      must(it < 59, "marching");
    }
    tni_slab_end(p, e, q0, d->s);
    memcpy(v_old, v0, (size_t)p->nv*sizeof(double));
    memcpy(q0, e->q1, (size_t)p->nq*sizeof(double));
    memcpy(v0, e->v1, (size_t)p->nv*sizeof(double));
  }
  return passes/n;
}

/* A solution of K sweeps over n elements on P workers, simulated as parallel/wave.c works: whoever is free takes the first visit that can be
 * made, else the first preparation. Element e gets its factors anew before sweep 1 if anew[e]. A visit hands a message on. */
typedef struct {
  double residual, factors, pass, message;
} costs;

static double predicted(int P, int n, int K, const bool *anew, const costs *c) {
  int *prepared = malloc((size_t)n*sizeof(int)), *passed = malloc((size_t)n*sizeof(int)), *item = malloc((size_t)P*sizeof(int));
  double *until = calloc((size_t)P, sizeof(double)), now = 0, alone = 0;
  bool *visit = calloc((size_t)P, sizeof(bool)), *busy = calloc((size_t)n, sizeof(bool));
  for (int e = 0; e < n; e++) prepared[e] = passed[e] = -1, alone += K*(c->residual + c->pass) + (anew[e % 64] ? c->factors : 0);
  for (int w = 0; w < P; w++) item[w] = -1;
  for (int first = 0; first < n;) {
    for (int w = 0; w < P; w++) { /* hand out what can be done now */
      if (item[w] >= 0) continue;
      int pick = -1;
      for (int e = first; e < n && pick < 0; e++) {
        int i = passed[e] + 1;
        if (busy[e] || i >= K || prepared[e] != i || (e > 0 && passed[e-1] < i) || (e + 1 < n && passed[e+1] < i - 1)) continue;
        pick = e, visit[w] = true;
      }
      for (int e = first; e < n && pick < 0; e++)
        if (!busy[e] && passed[e] + 1 < K && prepared[e] < passed[e] + 1) pick = e, visit[w] = false;
      if (pick < 0) break;
      item[w] = pick;
      busy[pick] = true;
      until[w] = now + (visit[w] ? c->pass + (P > 1 ? c->message : 0)
                                 : c->residual + (passed[pick] == 0 && anew[pick % 64] ? c->factors : 0));
    }
    int next = -1;
    for (int w = 0; w < P; w++)
      if (item[w] >= 0 && (next < 0 || until[w] < until[next])) next = w;
    now = until[next];
    int e = item[next];
    item[next] = -1;
    busy[e] = false;
    if (visit[next]) passed[e]++;
    else prepared[e] = passed[e] + 1;
    while (first < n && passed[first] == K - 1) first++;
  }
  free(prepared), free(passed), free(item), free(until), free(visit), free(busy);
  return alone/now;
}

/* ---- over ranks ------------------------------------------------------------------------------ */

/* messages between machines */
static const double LATENCY = 2e-6, PER_BYTE = 1e-10;

/* Clocks of virtual ranks: each runs with the CPU time of its thread, and messages set those of their receivers. */
static _Thread_local double clock_at, cpu_at, swept;
static _Thread_local double part[2]; /* CPU time of sweeps: what comes before a message is received, what after it */
static _Thread_local int current;
static _Thread_local bool sweeps_over;
static const tni_comm_ops *carrier;

static double own_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}
static void clock_on(int tag) {
  double now = own_cpu();
  clock_at += now - cpu_at;
  if (!sweeps_over) part[current] += now - cpu_at;
  cpu_at = now;
  if (tag < 0 && !sweeps_over) sweeps_over = true, swept = clock_at; /* what all do together comes after the sweeps */
}
static tn_status timed_send(tni_comm *c, int to, int tag, const void *data, size_t bytes) {
  clock_on(tag);
  double *letter = malloc(bytes + sizeof(double));
  letter[0] = clock_at + LATENCY + PER_BYTE*(double)bytes;
  memcpy(letter + 1, data, bytes);
  tn_status st = carrier->send(c, to, tag, letter, bytes + sizeof(double));
  free(letter);
  current = 0;
  cpu_at = own_cpu(); /* to carry it is not the work of the rank */
  return st;
}
static tn_status timed_receive(tni_comm *c, int from, int tag, void *data, size_t bytes) {
  clock_on(tag);
  double *letter = malloc(bytes + sizeof(double));
  tn_status st = carrier->receive(c, from, tag, letter, bytes + sizeof(double));
  if (st == TN_OK) {
    memcpy(data, letter + 1, bytes);
    clock_at = fmax(clock_at, letter[0]);
  }
  free(letter);
  current = 1;
  cpu_at = own_cpu();
  return st;
}
static const tni_comm_ops timed = {"timed", timed_send, timed_receive, NULL};

typedef struct {
  int elements;
  double sweeps, whole;          /* time of the slowest rank: sweeps, with the gathering of all unknowns after them */
  double work, prepare, pass;    /* CPU time of the sweeps of all ranks; of those between the first and the last: preparations, visits */
  int *visits, *anew;            /* [elements] of the solution on one rank: how often, when factors were made last, -1: never */
  pthread_mutex_t lock;
} rank_job;

static tn_status warm_on_a_rank(tni_comm *comm, void *user) {
  rank_job *j = user;
  chain beside = {.ctx = comm->ctx}, c, longer;
  int n = j->elements;
  open_chain(&c, 10, 1, 1, n, &beside);
  open_chain(&longer, 10, 1.01, 1, n, &beside);
  solve_cold(&longer, 1, n);
  must(tni_trajectory_follow(c.tr, longer.tr, c.sim->at.q, c.sim->at.v), "neighbour");
  carrier = comm->ops; /* the same for all */
  TN_TRY(tni_comm_barrier(comm));
  comm->ops = &timed;
  clock_at = swept = part[0] = part[1] = 0;
  current = 0;
  sweeps_over = false;
  cpu_at = own_cpu();
  must(tni_trajectory_solve(c.tr, NULL, 12, 1e-10) == n, "warm trajectory on ranks");
  clock_on(0);
  comm->ops = carrier;
  pthread_mutex_lock(&j->lock);
  j->whole = fmax(j->whole, clock_at);
  j->work += part[0] + part[1];
  if (comm->rank > 0 && comm->rank + 1 < comm->size) j->prepare += part[0], j->pass += part[1];
  j->sweeps = fmax(j->sweeps, sweeps_over ? swept : clock_at);
  for (int e = 0; e < n && comm->size == 1; e++) j->visits[e] = c.tr->sweep[e] + 1, j->anew[e] = c.tr->made[e] > 0 ? c.tr->made_in[e] : -1;
  pthread_mutex_unlock(&j->lock);
  close_chain(&longer);
  close_chain(&c);
  return TN_OK;
}

/* the sweeps of P ranks by the costs of the parts: each prepares its block, waits for the one before, passes its block, hands on */
static double predicted_on_ranks(int P, int n, const int *visits, const int *anew, const costs *c) {
  double *end = calloc((size_t)P, sizeof(double)), last = 0;
  int most = 0;
  for (int e = 0; e < n; e++) most = visits[e] > most ? visits[e] : most;
  for (int i = 0; i < most; i++) {
    double arrives = 0;
    for (int r = 0; r < P; r++) {
      int a = (int)((long)r*n/P), b = (int)((long)(r + 1)*n/P);
      double prepare = 0, pass = 0;
      for (int e = a; e < b; e++) {
        if (visits[e] <= i) continue;
        prepare += c->residual + (i == anew[e] ? c->factors : 0);
        pass += c->pass;
      }
      if (pass == 0) continue; /* done before: nothing comes from here any more */
      end[r] = fmax(end[r] + prepare, arrives) + pass;
      arrives = end[r] + c->message;
      last = fmax(last, end[r]);
    }
  }
  free(end);
  return last;
}

/* least of several rounds, each part by itself */
static rank_job run_ranks(int P, int n, int rounds, int *visits, int *anew) {
  rank_job best = {.sweeps = HUGE_VAL, .whole = HUGE_VAL, .work = HUGE_VAL, .prepare = HUGE_VAL, .pass = HUGE_VAL};
  tn_ctx *ctx;
  BENCH_TRY(NULL, tn_ctx_create(NULL, &ctx));
  for (int r = 0; r < rounds; r++) {
    rank_job j = {.elements = n, .visits = visits, .anew = anew, .lock = PTHREAD_MUTEX_INITIALIZER};
    BENCH_TRY(ctx, tni_comm_run_local(ctx, P, warm_on_a_rank, &j, NULL, NULL));
    best.sweeps = fmin(best.sweeps, j.sweeps), best.whole = fmin(best.whole, j.whole), best.work = fmin(best.work, j.work);
    best.prepare = fmin(best.prepare, j.prepare), best.pass = fmin(best.pass, j.pass);
  }
  tn_ctx_destroy(&ctx);
  return best;
}

/* Costs of the parts as they are in a run: those of visits and residuals from the two ranks in the middle of four, which know when they prepare and when
 * they visit; the rest of what one rank needs is factors. */
static costs costs_in_a_run(int n, double alone, int rounds, int *visits, int *anew, const costs *c) {
  costs here = *c;
  int inside = 0, all = 0, made = 0, made_inside = 0;
  rank_job four = run_ranks(4, n, rounds, visits, anew);
  for (int e = 0; e < n; e++) {
    bool in = e >= n/4 && e < 3*n/4;
    all += visits[e], inside += in ? visits[e] : 0;
    made += anew[e] >= 0, made_inside += in && anew[e] >= 0;
  }
  here.pass = four.pass/inside;
  /* residual and factors: all visits + made, and those inside + made inside */
  double det = (double)inside*made - (double)all*made_inside, rest = alone - all*here.pass;
  here.residual = fabs(det) > 0.5 ? (four.prepare*made - rest*made_inside)/det : 0;
  if (!(here.residual > 0.5*c->residual && here.residual < 3*c->residual)) here.residual = c->residual*here.pass/c->pass; /* hardly any were made */
  here.factors = made > 0 ? fmax(rest - all*here.residual, 0)/made : 0;
  printf("%d elements, parts in a run: residual %.1f us, matrices and factors %.1f us (%d made), visit %.1f us (%d)\n", n, 1e6*here.residual,
         1e6*here.factors, made, 1e6*here.pass, all);
  return here;
}

static void rank_figure(figures *f, const char *what, int P, int n, double x) {
  char name[80];
  snprintf(name, sizeof(name), "chain10.%s_%d_ranks_%d", what, P, n);
  figure(f, name, x);
}

static void over_ranks(figures *f, const costs *c, int rounds) {
  static const int P[] = {2, 4, 8, 16, 32, 64}, N[] = {64, 256};
  costs here = *c;
  for (int i = 0; i < 2; i++) {
    int n = N[i], *visits = calloc((size_t)n, sizeof(int)), *anew = calloc((size_t)n, sizeof(int));
    double alone = run_ranks(1, n, rounds, visits, anew).sweeps;
    here = costs_in_a_run(n, alone, rounds, visits, anew, c);
    for (int k = 0; k < TNI_COUNT(P); k++) {
      rank_job j = run_ranks(P[k], n, P[k]*n > 4096 ? rounds/4 + 1 : rounds/2 + 1, visits, anew);
      double more = j.work/alone;
      costs slower = {more*here.residual, more*here.factors, more*here.pass, here.message};
      double model = predicted_on_ranks(P[k], n, visits, anew, &here), crowded = predicted_on_ranks(P[k], n, visits, anew, &slower);
      rank_figure(f, "virtual", P[k], n, alone/j.sweeps);
      rank_figure(f, "predicted", P[k], n, alone/model);
      rank_figure(f, "work", P[k], n, more);
      rank_figure(f, "prediction_with_that_work_over_virtual", P[k], n, j.sweeps/crowded);
      printf("%d elements on %d ranks: %.2f by clocks of virtual ranks (%.2f with the unknowns on all of them), which need %.2f times the CPU time of one; "
             "%.2f predicted, %.2f with that time\n", n, P[k], alone/j.sweeps, alone/j.whole, more, alone/model, alone/crowded);
    }
    free(visits), free(anew);
  }
  /* more than can be tried here */
  enum { LONG = 1024 };
  int visits[LONG], anew[LONG];
  run_ranks(1, LONG, 1, visits, anew);
  for (int k = 64; k <= 1000; k += 936) {
    double s = predicted_on_ranks(1, LONG, visits, anew, &here)/predicted_on_ranks(k, LONG, visits, anew, &here);
    rank_figure(f, "predicted", k, LONG, s);
    printf("%d elements on %d ranks: %.2f predicted\n", LONG, k, s);
  }
}

/* ---- against the other methods ------------------------------------------------------------- */

enum { MOST_RUNS = 8 };

/* Seconds of a run of the chain of 10 to its end by analysis keys, and its largest error there; < 0: it did not get there */
static double run_chain(const char *keys, int threads, int rounds, const double *want, double *error) {
  static char text[MAX_TEXT];
  double best = HUGE_VAL;
  write_chain(10, 1, text);
  char *at = strstr(text, "analysis:");
  sprintf(at, "analysis: {until: 1, %s}\n", keys);
  for (int r = 0; r < rounds; r++) {
    tn_ctx_opts o = {.threads = threads};
    tn_ctx *ctx;
    tn_spec *spec;
    tn_model *model;
    tn_sim *sim;
    BENCH_TRY(NULL, tn_ctx_create(&o, &ctx));
    BENCH_TRY(ctx, tn_spec_read_text(ctx, "chain", text, NULL, 0, &spec));
    BENCH_TRY(ctx, tn_model_compile(ctx, spec, &model));
    BENCH_TRY(ctx, tn_sim_create(ctx, model, NULL, &sim));
    double begin = tni_wall_time();
    tn_status st = tn_sim_advance(sim, 1);
    best = st == TN_OK ? fmin(best, tni_wall_time() - begin) : -1;
    *error = 0;
    for (int b = 0; b < 10 && st == TN_OK; b++)
      for (int i = 0; i < 6; i++) {
        double x = i < 3 ? sim->s->kin[b + 1].r[i] : sim->s->kin[b + 1].v[i - 3], y = want ? want[6*b + i] : 0;
        if (want) *error = fmax(*error, fabs(x - y)/(1 + fabs(y)));
      }
    if (!want) /* the reference is what is wanted */
      for (int b = 0; b < 10; b++)
        for (int i = 0; i < 6; i++) error[6*b + i] = i < 3 ? sim->s->kin[b + 1].r[i] : sim->s->kin[b + 1].v[i - 3];
    tn_sim_destroy(&sim);
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
    if (st != TN_OK) break;
  }
  return best;
}

/* seconds for an error of 1e-6, between runs at several tolerances */
static double seconds_at(const char *method, const char *representation, int threads, int rounds, const double *want) {
  double t[MOST_RUNS], e[MOST_RUNS], found = HUGE_VAL;
  int n = 0;
  for (double tol = 1e-4; tol > 0.9e-9 && n < MOST_RUNS; tol /= 10) {
    char keys[200];
    snprintf(keys, sizeof(keys), "method: %s, representation: %s, tolerance: %g", method, representation, tol);
    t[n] = run_chain(keys, threads, rounds, want, &e[n]);
    if (t[n] >= 0) n++;
  }
  for (int i = 0; i + 1 < n; i++)
    if (e[i] >= 1e-6 && e[i + 1] <= 1e-6)
      found = fmin(found, exp(log(t[i]) + log(t[i + 1]/t[i])*log(e[i]/1e-6)/log(e[i]/fmax(e[i + 1], 1e-300))));
  if (n > 0 && e[0] <= 1e-6) found = fmin(found, t[0]);
  return found;
}

static void against_others(figures *f, int rounds) {
  static const char *const method[] = {"rk8", "adams", "radau", "rosen"}, *const representation[] = {"joint", "cartesian"};
  double want[60], best = HUGE_VAL;
  const char *who = "none", *how = "";
  run_chain("method: rk8, representation: joint, tolerance: 1e-12", 1, 1, NULL, want);
  for (int i = 0; i < TNI_COUNT(method); i++)
    for (int r = 0; r < 2; r++) {
      double t = seconds_at(method[i], representation[r], 1, rounds, want);
      if (t < best) best = t, who = method[i], how = representation[r];
    }
  double ours = HUGE_VAL, here[2];
  for (int r = 0; r < 2; r++) ours = fmin(ours, here[r] = seconds_at("state_time", representation[r], 2, rounds, want));
  printf("chain of 10 to an error of 1e-6: %s (%s) %.3g s; state_time on two threads %.3g s (joint %.3g, cartesian %.3g)\n", who, how, best,
         ours, here[0], here[1]);
  figure(f, "chain10.best_method_seconds_at_1e-6", best);
  figure(f, "chain10.state_time_seconds_at_1e-6", ours);
  figure(f, "chain10.vs_best_method_at_1e-6", best/ours);
}

int main(int argc, char **argv) {
  figures f;
  int rounds = argc > 2 ? atoi(argv[2]) : 7;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2 || !figures_open(&f, argv[1])) return 2;
  enum { N = 64 };
  chain one, two, longer[2];
  open_chain(&one, 10, 1, 1, N, NULL);
  open_chain(&two, 10, 1, 2, N, NULL);
  open_chain(&longer[0], 10, 1.01, 1, N, &one);
  open_chain(&longer[1], 10, 1.01, 2, N, &two);
  int visits = 0;
  bool anew[N];
  double cold[2] = {HUGE_VAL, HUGE_VAL}, warm[2] = {HUGE_VAL, HUGE_VAL}, alone = HUGE_VAL, passes = 0, sweeps = 0, cold_cpu = HUGE_VAL;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < 2; i++) {
      chain *c = i ? &two : &one;
      double begin = tni_wall_time(), cpu = tni_cpu_time();
      solve_cold(c, 1, N);
      cold[i] = fmin(cold[i], tni_wall_time() - begin);
      if (i == 0) cold_cpu = fmin(cold_cpu, tni_cpu_time() - cpu);
      /* from a neighbouring solution */
      solve_cold(&longer[i], 1, N);
      begin = tni_wall_time();
      long before = c->tr->iterations;
      must(tni_trajectory_follow(c->tr, longer[i].tr, c->sim->at.q, c->sim->at.v), "neighbour");
      must(tni_trajectory_solve(c->tr, NULL, 12, 1e-10) == N, "warm trajectory");
      warm[i] = fmin(warm[i], tni_wall_time() - begin);
      sweeps = c->tr->sweeps;
      visits = (int)ceil((double)(c->tr->iterations - before)/N);
      for (int e = 0; e < N; e++) anew[e] = c->tr->made[e] > 0;
    }
    double begin = tni_wall_time();
    passes = march(&one, 1, N);
    alone = fmin(alone, tni_wall_time() - begin);
  }
  printf("chain of 10, 64 elements: cold %.3g s, on two threads %.3g s; warm %.3g, %.3g s (%g sweeps); marched %.3g s (%.1f passes)\n",
         cold[0], cold[1], warm[0], warm[1], sweeps, alone, passes);
  figure(&f, "chain10.cold_seconds", cold[0]);
  figure(&f, "chain10.cold_cpu_seconds", cold_cpu);
  figure(&f, "chain10.marching_seconds", alone);
  figure(&f, "chain10.marching_passes", passes);
  figure(&f, "chain10.warm_sweeps", sweeps);
  figure(&f, "chain10.speedup_2_threads", cold[0]/cold[1]);
  figure(&f, "chain10.warm_speedup_2_threads", warm[0]/warm[1]);
  figure(&f, "chain10.warm_vs_marching_1_thread", alone/warm[0]);
  figure(&f, "chain10.warm_vs_marching_2_threads", alone/warm[1]);
  figure(&f, "chain10.cold_vs_marching_2_threads", alone/cold[1]);

  /* cost of the parts of an element; a message between machines: two microseconds and ten bytes a nanosecond */
  costs c = {HUGE_VAL, HUGE_VAL, HUGE_VAL, LATENCY + PER_BYTE*8*(3*one.tr->shape.nv + one.tr->shape.nq + one.tr->shape.nmemory + 1)};
  for (int r = 0; r < rounds; r++) {
    tni_trajectory *tr = one.tr;
    double *y = calloc(2*(size_t)tr->shape.nv, sizeof(double)), begin = tni_cpu_time();
    for (int e = 0; e < N; e++) tni_slab_eval(&tr->shape, &tr->desk[0], &tr->slab[e], tr->q0[e], tr->v0[e], false);
    c.residual = fmin(c.residual, (tni_cpu_time() - begin)/N);
    begin = tni_cpu_time();
    for (int e = 0; e < N; e++) {
      tni_slab_eval(&tr->shape, &tr->desk[0], &tr->slab[e], tr->q0[e], tr->v0[e], true);
      must(tni_slab_factor(&tr->shape, &tr->slab[e]), "factor");
    }
    c.factors = fmin(c.factors, (tni_cpu_time() - begin)/N - c.residual);
    begin = tni_cpu_time();
    for (int e = 0; e < N; e++) tni_trajectory_change(tr, e, 1, NULL, y, NULL);
    c.pass = fmin(c.pass, (tni_cpu_time() - begin)/N);
    free(y);
  }
  int numbers = 3*one.tr->shape.nv + one.tr->shape.nq + one.tr->shape.nmemory + 1;
  printf("an element: residual %.1f us, matrices and factors %.1f us, front %.1f us; message of a boundary %d numbers\n", 1e6*c.residual,
         1e6*c.factors, 1e6*c.pass, numbers);
  figure(&f, "chain10.residual_us", 1e6*c.residual);
  figure(&f, "chain10.factors_us", 1e6*c.factors);
  figure(&f, "chain10.pass_us", 1e6*c.pass);
  figure(&f, "chain10.message_numbers", numbers);
  figure(&f, "chain10.message_us", 1e6*c.message);
  static const int P[] = {2, 4, 16, 64, 1000};
  for (int i = 0; i < TNI_COUNT(P); i++) {
    char name[60];
    double s64 = predicted(P[i], 64, visits, anew, &c), s1024 = predicted(P[i], 1024, visits, anew, &c);
    snprintf(name, sizeof(name), "chain10.predicted_%d_workers_64", P[i]);
    figure(&f, name, s64);
    snprintf(name, sizeof(name), "chain10.predicted_%d_workers_1024", P[i]);
    figure(&f, name, s1024);
    printf("%d workers, predicted: %.2f (64 elements), %.2f (1024)\n", P[i], s64, s1024);
  }
  over_ranks(&f, &c, rounds);
  close_chain(&longer[0]);
  close_chain(&longer[1]);
  close_chain(&one);
  close_chain(&two);

  against_others(&f, rounds/2 + 1);

  /* linear in the number of elements */
  double per[2] = {HUGE_VAL, HUGE_VAL};
  for (int i = 0; i < 2; i++) {
    chain fifty;
    int n = i ? 1024 : 64;
    open_chain(&fifty, 50, 1, 1, 64, NULL);
    for (int r = 0; r < (i ? 1 : rounds/2 + 1); r++) {
      double begin = tni_cpu_time();
      memcpy(fifty.tr->q, fifty.sim->at.q, (size_t)fifty.sim->s->nq*sizeof(double));
      double *q = malloc((size_t)fifty.sim->s->nq*sizeof(double)), *v = malloc((size_t)fifty.sim->s->nv*sizeof(double));
      memcpy(q, fifty.sim->at.q, (size_t)fifty.sim->s->nq*sizeof(double));
      memcpy(v, fifty.sim->at.v, (size_t)fifty.sim->s->nv*sizeof(double));
      for (int done = 0; done < n;) {
        int m = n - done < 16 ? n - done : 16;
        double *a = calloc((size_t)fifty.sim->s->nv, sizeof(double)), *l = calloc((size_t)fifty.sim->s->m, sizeof(double));
        BENCH_TRY(fifty.ctx, tni_accel(fifty.sim->s, 0, q, v, a, l, NULL));
        tni_trajectory_begin(fifty.tr, 0.0005*done, q, v, m, 0.0005);
        int got = tni_trajectory_solve(fifty.tr, &(tni_guess){4, 1e-4, a, l}, 12, 1e-10);
        must(got > 0, "chain of 50");
        memcpy(q, tni_trajectory_q(fifty.tr, got), (size_t)fifty.sim->s->nq*sizeof(double));
        memcpy(v, tni_trajectory_v(fifty.tr, got), (size_t)fifty.sim->s->nv*sizeof(double));
        done += got;
        free(a), free(l);
      }
      per[i] = fmin(per[i], (tni_cpu_time() - begin)/n);
      free(q), free(v);
    }
    close_chain(&fifty);
  }
  printf("chain of 50: %.3g ms per element in 64, %.3g ms in 1024\n", 1e3*per[0], 1e3*per[1]);
  figure(&f, "chain50.ms_per_element_64", 1e3*per[0]);
  figure(&f, "chain50.ms_per_element_1024", 1e3*per[1]);
  figure(&f, "chain50.growth_per_element_64_to_1024", per[1]/per[0]);
  figures_close(&f);
  return 0;
}
