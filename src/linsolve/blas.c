/* linsolve/blas.c - BLAS in one thread, with its memory
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/blas.h"

#include <cblas.h>
#include <pthread.h>

/* what OpenBLAS takes at once on the machines we know, and some more for what comes with it */
enum { BUFFER_MB = 128 + 2 };

/* OpenBLAS belongs to the process, and so does this: it has its piece and keeps it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_buffer;
static long users;
static int threads_before;

static tn_status take_buffer(tn_ctx *ctx) {
  if (has_buffer) return TN_OK;
  TN_REQUIRE(ctx, tni_has_memory((size_t)BUFFER_MB << 20), TN_ERR_MEMORY,
             "out of memory: OpenBLAS needs %d MB of address space for its work", BUFFER_MB);
  /* a triangular solve takes the buffer whatever its size; small products may go without */
  double a[4] = {1, 0, 0, 1}, b[4] = {1, 0, 0, 1};
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 2, 2, 1, a, 2, b, 2);
  has_buffer = true;
  return TN_OK;
}

tn_status tni_blas_prepare(tn_ctx *ctx) {
  pthread_mutex_lock(&lock);
  if (users == 0) threads_before = openblas_get_num_threads();
  if (users == 0 && threads_before != 1) openblas_set_num_threads(1);
  tn_status st = take_buffer(ctx);
  if (st == TN_OK) users++;
  else if (users == 0 && threads_before != 1) openblas_set_num_threads(threads_before);
  pthread_mutex_unlock(&lock);
  return st;
}

void tni_blas_release(void) {
  pthread_mutex_lock(&lock);
  if (--users == 0 && threads_before != 1 && openblas_get_num_threads() == 1) openblas_set_num_threads(threads_before);
  pthread_mutex_unlock(&lock);
}
