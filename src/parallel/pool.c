/* parallel/pool.c - worker threads of a context
 *
 * One mutex and two condition variables. A job is a counter of the next chunk; workers and the
 * caller take chunks until none is left. Which thread runs a chunk is left to chance, what the
 * chunk writes is not: see pool.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "parallel/pool.h"

#include <pthread.h>

#include "base/base.h"

typedef struct tni_pool {
  tn_ctx *ctx;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  pthread_t *thread;
  int nthread;
  void (*work)(void *user, int begin, int end);
  void *user;
  int n, grain, next; /* items, items per chunk, first item not yet taken */
  int busy;           /* threads inside the job                          */
  unsigned job;       /* counts jobs, so that a worker notices a new one */
  bool stop;
} tni_pool;

/* take chunks of the present job until none is left; lock held on entry and on exit */
static void take_chunks(tni_pool *p) {
  while (p->next < p->n) {
    int begin = p->next;
    int end = begin + p->grain < p->n ? begin + p->grain : p->n;
    p->next = end;
    pthread_mutex_unlock(&p->lock);
    p->work(p->user, begin, end);
    pthread_mutex_lock(&p->lock);
  }
}

static void *worker(void *arg) {
  tni_pool *p = arg;
  unsigned seen = 0;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->stop && p->job == seen) pthread_cond_wait(&p->wake, &p->lock);
    if (p->stop) break;
    seen = p->job;
    p->busy++;
    take_chunks(p);
    if (--p->busy == 0) pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* a pool that cannot start its threads still works: the caller does everything */
static tni_pool *start(tn_ctx *ctx) {
  int extra = ctx->opts.threads - 1;
  tni_pool *p = tni_alloc(ctx, 1, sizeof(*p));
  if (!p) return NULL;
  p->ctx = ctx;
  p->thread = tni_alloc(ctx, (size_t)extra, sizeof(*p->thread));
  if (!p->thread) {
    tni_free(ctx, p);
    return NULL;
  }
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < extra; i++) {
    if (pthread_create(&p->thread[p->nthread], NULL, worker, p) == 0) p->nthread++;
  }
  ctx->pool = p;
  ctx->stop_pool = tni_pool_stop;
  return p;
}

void tni_parallel_for(tn_ctx *ctx, int n, int grain,
                      void (*work)(void *user, int begin, int end), void *user) {
  if (grain < 1) grain = 1;
  tni_pool *p = ctx->pool;
  if (ctx->opts.threads > 1 && n > grain && !p) p = start(ctx);
  if (!p || n <= grain) {
    if (n > 0) work(user, 0, n);
    return;
  }
  pthread_mutex_lock(&p->lock);
  p->work = work;
  p->user = user;
  p->n = n;
  p->grain = grain;
  p->next = 0;
  p->job++;
  p->busy++;
  pthread_cond_broadcast(&p->wake);
  take_chunks(p);
  p->busy--;
  while (p->busy > 0) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

void tni_pool_stop(tn_ctx *ctx) {
  tni_pool *p = ctx->pool;
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stop = true;
  pthread_cond_broadcast(&p->wake);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->nthread; i++) pthread_join(p->thread[i], NULL);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  ctx->pool = NULL;
  tni_free(ctx, p->thread);
  tni_free(ctx, p);
}
