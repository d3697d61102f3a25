/* parallel/behind.c - a thread that does what it is handed, one piece after the other
 *
 * Pieces lie in a ring, each behind a head that says what it is. Positions only grow; where they are in the ring is their remainder. A
 * piece that would not fit before the end of the ring begins at its front, and a head without work fills the gap.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "parallel/behind.h"

#include <pthread.h>
#include <signal.h>

typedef struct {
  tni_behind_work work; /* NULL: a gap up to the end of the ring */
  void *who;
  long long at;
  size_t size;
} head;

enum { UNIT = 64, STACK = 256*1024 }; /* heads begin at multiples of UNIT */

struct tni_behind {
  tn_ctx *ctx;
  size_t room;             /* bytes of the ring                       */
  unsigned char *ring;
  size_t put, done;        /* bytes handed over, bytes dealt with     */
  bool stop;
  double waited;
  pthread_mutex_t lock;
  pthread_cond_t more, less;
  pthread_t thread;
};

static size_t rounded(size_t n) { return (n + UNIT - 1)/UNIT*UNIT; }

static void *run(void *arg) {
  tni_behind *b = arg;
  pthread_mutex_lock(&b->lock);
  for (;;) {
    while (b->done == b->put && !b->stop) pthread_cond_wait(&b->more, &b->lock);
    if (b->done == b->put) break;
    size_t begin = b->done % b->room, length = b->room - begin;
    pthread_mutex_unlock(&b->lock);
    const head *h = (const head *)(const void *)(b->ring + begin);
    if (h->work) {
      h->work(h->who, h->at, h->size, b->ring + begin + UNIT);
      length = UNIT + rounded(h->size);
    }
    pthread_mutex_lock(&b->lock);
    b->done += length;
    pthread_cond_signal(&b->less);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* signals are for the other threads of the program */
static bool begin(tni_behind *b) {
  sigset_t all, before;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool ok = pthread_attr_setstacksize(&attr, STACK) == 0 && pthread_create(&b->thread, &attr, run, b) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return ok;
}

tni_behind *tni_behind_start(tn_ctx *ctx, size_t room) {
  tni_behind *b = tni_alloc(ctx, 1, sizeof(*b));
  if (!b) return NULL;
  *b = (tni_behind){.ctx = ctx, .room = rounded(room) + UNIT};
  b->ring = tni_alloc(ctx, b->room, 1);
  if (!b->ring) {
    tni_free(ctx, b);
    return NULL;
  }
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->more, NULL);
  pthread_cond_init(&b->less, NULL);
  if (begin(b)) return b;
  pthread_cond_destroy(&b->less);
  pthread_cond_destroy(&b->more);
  pthread_mutex_destroy(&b->lock);
  tni_free(ctx, b->ring);
  tni_free(ctx, b);
  return NULL;
}

/* with the lock: until at most `most` bytes of the ring are in use */
static void wait_for(tni_behind *b, size_t most) {
  if (b->put - b->done <= most) return;
  double began = tni_wall_time();
  while (b->put - b->done > most) pthread_cond_wait(&b->less, &b->lock);
  b->waited += tni_wall_time() - began;
}

bool tni_behind_put(tni_behind *b, tni_behind_work work, void *who, long long at, size_t size, const void *bytes) {
  size_t length = UNIT + rounded(size);
  if (length > b->room) return false;
  pthread_mutex_lock(&b->lock);
  size_t place = b->put % b->room;
  if (place + length > b->room) { /* heads fit into what is left, as all lengths are multiples of theirs */
    size_t gap = b->room - place;
    wait_for(b, b->room - gap);
    *(head *)(void *)(b->ring + place) = (head){.work = NULL};
    b->put += gap;
    place = 0;
    pthread_cond_signal(&b->more);
  }
  wait_for(b, b->room - length);
  pthread_mutex_unlock(&b->lock); /* the thread does not look beyond `put` */
  *(head *)(void *)(b->ring + place) = (head){work, who, at, size};
  memcpy(b->ring + place + UNIT, bytes, size);
  pthread_mutex_lock(&b->lock);
  b->put += length;
  pthread_cond_signal(&b->more);
  pthread_mutex_unlock(&b->lock);
  return true;
}

void tni_behind_wait(tni_behind *b) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  wait_for(b, 0);
  pthread_mutex_unlock(&b->lock);
}

/* only the owner changes `put` */
size_t tni_behind_mark(const tni_behind *b) { return b ? b->put : 0; }

void tni_behind_reach(tni_behind *b, size_t mark) {
  if (!b) return;
  pthread_mutex_lock(&b->lock);
  wait_for(b, b->put - mark);
  pthread_mutex_unlock(&b->lock);
}

double tni_behind_waited(const tni_behind *b) { return b ? b->waited : 0; }

void tni_behind_stop(tni_behind **behind) {
  if (!behind || !*behind) return;
  tni_behind *b = *behind;
  *behind = NULL;
  pthread_mutex_lock(&b->lock);
  b->stop = true;
  pthread_cond_signal(&b->more);
  pthread_mutex_unlock(&b->lock);
  pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->less);
  pthread_cond_destroy(&b->more);
  pthread_mutex_destroy(&b->lock);
  tni_free(b->ctx, b->ring);
  tni_free(b->ctx, b);
}
