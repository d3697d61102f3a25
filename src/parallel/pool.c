/* parallel/pool.c - worker threads of a context
 *
 * A job is a range of chunks. The caller takes them from the front, the workers from the back, until
 * the ends meet: one atomic word holds both, so that taking a chunk is one compare-and-swap. With two
 * threads and jobs of the same length one after the other each thread meets the same items again,
 * which are then still in its cache. Which thread runs a chunk is left to chance, what the chunk
 * writes is not: see pool.h.
 *
 * Workers that find nothing spin for a while before they sleep, and so does the caller when it waits
 * for them: a step consists of many short jobs, and to wake a thread takes longer than most of them.
 * With more threads than processors nobody spins.
 *
 * A worker that has taken a chunk may read the job: it cannot end, and the next one not begin, before
 * that chunk is done. Going to sleep and looking for sleepers are each a store followed by a load of
 * what the other stores, both sequentially consistent: one of the two sees the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/base.h"

/* Time that a thread spins before it sleeps [s]: what lies between the jobs of a step. A turn takes 10 to 50 ns, by the kind
 * of processor, so that turns are counted against the clock once. Not offered to others on the way: beside busy processes a
 * worker that yields is away when the next job comes. */
static const double SPIN = 300e-6;
enum { LEAST_TURNS = 1000, MOST_TURNS = 100000, TRIED_TURNS = 1000 };

typedef struct tni_pool {
  _Alignas(64) _Atomic uint64_t chunks; /* first and end of those not yet taken, 32 bits each */
  _Alignas(64) atomic_int done;         /* chunks finished                                    */
  _Alignas(64) atomic_int sleeping;     /* workers                                            */
  atomic_bool waiting;                  /* the caller sleeps                                  */
  atomic_bool running;                  /* a job is under way                                 */
  atomic_bool stop;
  /* the job, constant while it has chunks */
  _Alignas(64) void (*work)(void *user, int begin, int end);
  void *user;
  int n, grain; /* items, items per chunk */
  int spin;
  pthread_mutex_t lock;
  pthread_cond_t wake, finished;
  pthread_t *thread;
  int nthread;
} tni_pool;

static inline void pause_thread(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static int turns_to_spin(void) {
  double began = tni_wall_time();
  for (int i = 0; i < TRIED_TURNS; i++) pause_thread();
  double took = tni_wall_time() - began;
  double turns = took > 0 ? TRIED_TURNS*SPIN/took : MOST_TURNS;
  return turns < LEAST_TURNS ? LEAST_TURNS : turns > MOST_TURNS ? MOST_TURNS : (int)turns;
}

static inline bool has_chunks(tni_pool *p) {
  uint64_t c = atomic_load_explicit(&p->chunks, memory_order_acquire);
  return (uint32_t)c < c >> 32;
}

/* the next chunk from the front or from the back, -1: none left */
static int take(tni_pool *p, bool front) {
  uint64_t c = atomic_load_explicit(&p->chunks, memory_order_acquire);
  for (;;) {
    uint32_t first = (uint32_t)c, end = (uint32_t)(c >> 32);
    if (first >= end) return -1;
    uint64_t next = front ? c + 1 : c - ((uint64_t)1 << 32);
    if (atomic_compare_exchange_weak_explicit(&p->chunks, &c, next, memory_order_acq_rel,
                                              memory_order_acquire))
      return (int)(front ? first : end - 1);
  }
}

static void run(const tni_pool *p, int chunk) {
  int begin = chunk*p->grain, rest = p->n - begin;
  p->work(p->user, begin, begin + (rest < p->grain ? rest : p->grain));
}

static void *worker(void *arg) {
  tni_pool *p = arg;
  for (int turn = 0; !atomic_load_explicit(&p->stop, memory_order_relaxed); turn++) {
    for (int i; (i = take(p, false)) >= 0; turn = 0) {
      run(p, i);
      atomic_fetch_add(&p->done, 1);
      if (!atomic_load(&p->waiting)) continue;
      pthread_mutex_lock(&p->lock);
      pthread_cond_signal(&p->finished);
      pthread_mutex_unlock(&p->lock);
    }
    if (turn < p->spin) {
      pause_thread();
      continue;
    }
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleeping, 1);
    while (!atomic_load(&p->stop) && !has_chunks(p)) pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleeping, 1);
    pthread_mutex_unlock(&p->lock);
    turn = 0;
  }
  return NULL;
}

/* taken by whoever may be the first to need a pool: rarely, and never within a job */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* a pool that cannot start its threads still works: the caller does everything */
static tni_pool *start(tn_ctx *ctx) {
  int extra = ctx->opts.threads - 1;
  tni_pool *p = tni_alloc(ctx, 1, sizeof(*p));
  if (!p) return NULL;
  p->thread = tni_alloc(ctx, (size_t)extra, sizeof(*p->thread));
  if (!p->thread) {
    tni_free(ctx, p);
    return NULL;
  }
  p->spin = ctx->opts.threads <= sysconf(_SC_NPROCESSORS_ONLN) ? turns_to_spin() : 0;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->finished, NULL);
  for (int i = 0; i < extra; i++) {
    if (pthread_create(&p->thread[p->nthread], NULL, worker, p) == 0) p->nthread++;
  }
  ctx->stop_pool = tni_pool_stop;
  atomic_store(&ctx->pool, p);
  return p;
}

static tni_pool *started(tn_ctx *ctx) {
  pthread_mutex_lock(&starting);
  tni_pool *p = atomic_load(&ctx->pool);
  if (!p) p = start(ctx);
  pthread_mutex_unlock(&starting);
  return p;
}

static void wait_for(tni_pool *p, int theirs) {
  for (int turn = 0; turn < p->spin; turn++) {
    if (atomic_load_explicit(&p->done, memory_order_acquire) == theirs) return;
    pause_thread();
  }
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->waiting, true);
  while (atomic_load(&p->done) < theirs) pthread_cond_wait(&p->finished, &p->lock);
  atomic_store(&p->waiting, false);
  pthread_mutex_unlock(&p->lock);
}

void tni_parallel_for(tn_ctx *ctx, int n, int grain,
                      void (*work)(void *user, int begin, int end), void *user) {
  if (grain < 1) grain = 1;
  tni_pool *p = atomic_load_explicit(&ctx->pool, memory_order_acquire);
  if (ctx->opts.threads > 1 && n > grain && !p) p = started(ctx);
  /* whoever finds the workers busy, a part of the job or another thread with a job of its own, works alone */
  if (!p || n <= grain || atomic_exchange_explicit(&p->running, true, memory_order_acquire)) {
    if (n > 0) work(user, 0, n);
    return;
  }
  int nchunk = (n - 1)/grain + 1;
  p->work = work;
  p->user = user;
  p->n = n;
  p->grain = grain;
  atomic_store_explicit(&p->done, 0, memory_order_relaxed);
  atomic_store(&p->chunks, (uint64_t)nchunk << 32);
  if (atomic_load(&p->sleeping) > 0) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
  }
  int theirs = nchunk;
  for (int i; (i = take(p, true)) >= 0; theirs--) run(p, i);
  wait_for(p, theirs);
  atomic_store_explicit(&p->running, false, memory_order_release);
}

void tni_pool_stop(tn_ctx *ctx) {
  tni_pool *p = atomic_load(&ctx->pool);
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->stop, true);
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->nthread; i++) pthread_join(p->thread[i], NULL);
  pthread_cond_destroy(&p->finished);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  atomic_store(&ctx->pool, NULL);
  tni_free(ctx, p->thread);
  tni_free(ctx, p);
}
