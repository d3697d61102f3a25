/* tests/support/check.h - the whole test framework: checks that print both numbers
 *
 * A test program calls RUN(function) for each property and returns REPORT(). Failures are loud,
 * success is one line. TN_TOL_SCALE=0 in the environment shows every residual, TN_TIMES=1 the CPU
 * time of every property; TN_FIRST=1 ends the program at the first failure (make mutate).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_CHECK_H
#define TN_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int check_failures, check_count, check_tests;

static inline void check_failed(void) {
  check_failures++;
  if (getenv("TN_FIRST")) fflush(stdout), _Exit(1);
}

static inline bool check_true(bool ok, const char *text, const char *file, int line) {
  check_count++;
  if (!ok) {
    printf("%s:%d: failed: %s\n", file, line, text);
    check_failed();
  }
  return ok;
}

/* |got - want| <= tol*|want|; where nothing is wanted, |got| <= tol */
static inline bool check_near(double got, double want, double tol, const char *text,
                              const char *file, int line) {
  static const char *scale;
  static bool asked; /* once: there are millions of checks */
  if (!asked) scale = getenv("TN_TOL_SCALE"), asked = true;
  if (scale) tol *= atof(scale);
  if (want != 0) tol *= fabs(want);
  bool ok = fabs(got - want) <= tol;
  check_count++;
  if (!ok) {
    printf("%s:%d: %s = %.17g, want %.17g, off by %.3g, tolerance %.3g\n", file, line, text, got,
           want, got - want, tol);
    check_failed();
  }
  return ok;
}

/* |got - want| <= tol, in the units of both: for components that may be small beside the others */
static inline bool check_within(double got, double want, double tol, const char *text, const char *file, int line) {
  return check_near(got - want, 0, tol, text, file, line);
}

static inline bool check_text(const char *got, const char *want, const char *text,
                              const char *file, int line) {
  check_count++;
  bool ok = got && strcmp(got, want) == 0;
  if (!ok) {
    printf("%s:%d: %s = \"%s\", want \"%s\"\n", file, line, text, got ? got : "(null)", want);
    check_failed();
  }
  return ok;
}

static inline double check_seconds(clock_t since) {
  return (double)(clock() - since)/CLOCKS_PER_SEC;
}

#define CHECK(cond) check_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_NEAR(got, want, tol) check_near((got), (want), (tol), #got, __FILE__, __LINE__)
#define CHECK_WITHIN(got, want, tol) \
  check_within((got), (want), (tol), #got " - (" #want ")", __FILE__, __LINE__)
#define CHECK_TEXT(got, want) check_text((got), (want), #got, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_near((double)(got), (double)(want), 0, #got, __FILE__, __LINE__)
/* status checks end the program: what follows would only be noise */
#define CHECK_OK(ctx, call)                                                               \
  do {                                                                                    \
    tn_status st_ = (call);                                                               \
    check_count++;                                                                        \
    if (st_ != TN_OK) {                                                                   \
      printf("%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, tn_status_name(st_),       \
             tn_ctx_message(ctx));                                                        \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)
#define RUN(test)                                                                 \
  do {                                                                            \
    int before_ = check_failures;                                                 \
    clock_t clock_ = clock();                                                     \
    test();                                                                       \
    check_tests++;                                                                \
    if (getenv("TN_TIMES")) printf("%.2f s: %s\n", check_seconds(clock_), #test); \
    if (check_failures != before_) printf("in test: %s\n", #test);                \
  } while (0)
#define REPORT()                                                                            \
  (printf("%d tests, %d checks, %d failed\n", check_tests, check_count, check_failures),    \
   check_failures ? 1 : 0)

/* own generator, fixed seed: uniform in (-1, 1) */
static inline double check_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11)*(2.0/9007199254740992.0) - 1;
}

#endif
