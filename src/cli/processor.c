/* cli/processor.c - BLAS kernels for the processor that is there
 *
 * OpenBLAS chooses its kernels by a list of processor models when it is loaded. Models younger than the list get those of 2004, which use
 * an eighth of the registers of today. The command runs alone in its process: before anything has been computed it may have the
 * choice made again by what the processor says it can do. OPENBLAS_CORETYPE set by the user stays. Programs that use the library set it
 * themselves; a library does not change BLAS under the feet of others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#if defined(__x86_64__) && defined(__GNUC__)

typedef void (*action)(void);

#ifdef TENON_BLAS_WITHIN
extern void openblas_get_corename(void), gotoblas_dynamic_quit(void), gotoblas_dynamic_init(void);
#define FIND(name) name
#else
static action find(const char *name) {
  void *p = dlsym(RTLD_DEFAULT, name);
  action a = NULL;
  memcpy(&a, &p, sizeof(a)); /* ISO C has no cast from objects to functions, POSIX has */
  return a;
}
#define FIND(name) find(#name)
#endif

void cli_know_processor(void) {
  static const char *const old[] = {"Prescott", "Core2", "Nehalem", "Generic"};
  const char *name = "", *better;
  bool behind = false;
  __builtin_cpu_init();
  if (getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  better = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") ? "SkylakeX" : "Haswell";
  action tell = FIND(openblas_get_corename), forget = FIND(gotoblas_dynamic_quit), choose = FIND(gotoblas_dynamic_init);
  if (!tell || !forget || !choose) return;
  name = ((const char *(*)(void))tell)();
  for (size_t i = 0; name && i < sizeof(old)/sizeof(old[0]); i++) behind = behind || strcmp(name, old[i]) == 0;
  if (!behind || setenv("OPENBLAS_CORETYPE", better, 1) != 0) return;
  forget();
  choose();
  unsetenv("OPENBLAS_CORETYPE");
}

#else

void cli_know_processor(void) {}

#endif
