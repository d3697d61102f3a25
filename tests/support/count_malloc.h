/* tests/support/count_malloc.h - count every allocation of the process, libraries included
 *
 * Defining malloc and its family in the program takes the place of those of the C library for all
 * shared libraries too (CVODE, LAPACK, KLU, HDF5 ...). Include in one file of a test program. Under
 * the address sanitizer, which needs the same place, nothing is counted: COUNTS_MALLOC is 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_COUNT_MALLOC_H
#define TN_COUNT_MALLOC_H

#include <stddef.h>

static long malloc_calls;

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS_MALLOC 0
#else
#define COUNTS_MALLOC 1
/* hidden symbols would not reach the libraries */
#define MALLOC_VISIBLE __attribute__((visibility("default")))
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* threads may allocate at once; the count is exact all the same */
static inline void count_malloc(void) { __atomic_add_fetch(&malloc_calls, 1, __ATOMIC_RELAXED); }

MALLOC_VISIBLE void *malloc(size_t size) {
  count_malloc();
  return __libc_malloc(size);
}

MALLOC_VISIBLE void *calloc(size_t n, size_t size) {
  count_malloc();
  return __libc_calloc(n, size);
}

MALLOC_VISIBLE void *realloc(void *ptr, size_t size) {
  count_malloc();
  return __libc_realloc(ptr, size);
}

MALLOC_VISIBLE void *aligned_alloc(size_t alignment, size_t size) {
  count_malloc();
  return __libc_memalign(alignment, size);
}

MALLOC_VISIBLE int posix_memalign(void **out, size_t alignment, size_t size) {
  enum { NO_MEMORY = 12 }; /* ENOMEM */
  count_malloc();
  *out = __libc_memalign(alignment, size);
  return *out || !size ? 0 : NO_MEMORY;
}
#endif
#endif
