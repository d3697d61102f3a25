/* base/late.c - libraries that are loaded when they are needed first
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "base/late.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static tn_status load(tn_ctx *ctx, tni_late *library) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  const char *why = handle ? NULL : dlerror();
  TN_REQUIRE(ctx, handle, TN_ERR_UNSUPPORTED, "%s: the library is not there (%s); on Debian: apt-get install %s",
             library->what, why ? why : library->file, library->package);
  for (int i = 0; i < library->n; i++) {
    void *found = dlsym(handle, library->name[i]);
    TN_REQUIRE(ctx, found, TN_ERR_UNSUPPORTED, "%s: %s has no function %s; on Debian: apt-get install %s",
               library->what, library->file, library->name[i], library->package);
    memcpy(&library->function[i], &found, sizeof(found)); /* POSIX: pointers of both kinds are alike */
  }
  library->ready = true;
  return TN_OK;
}

tn_status tni_late_load(tn_ctx *ctx, tni_late *library) {
  pthread_mutex_lock(&one_at_a_time);
  tn_status st = library->ready ? TN_OK : load(ctx, library);
  pthread_mutex_unlock(&one_at_a_time);
  return st;
}

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

void tni_alone_begin(void) { pthread_mutex_lock(&alone); }
void tni_alone_end(void) { pthread_mutex_unlock(&alone); }
