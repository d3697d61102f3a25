/* Libraries that are loaded late: functions that work, messages about what is missing
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/late.h"

#include <math.h>

#include "support/check.h"

static tn_ctx *ctx;

static void a_function_is_found_and_called(void) {
  static void (*function[2])(void);
  tni_late library = {.what = "cosines", .file = "libm.so.6", .package = "libc6", .n = 2,
                      .name = (const char *const[]){"cos", "hypot"}, .function = function};
  CHECK_OK(ctx, tni_late_load(ctx, &library));
  CHECK(((double (*)(double))function[0])(0.5) == cos(0.5));
  CHECK(((double (*)(double, double))function[1])(3, 4) == 5);
  CHECK_OK(ctx, tni_late_load(ctx, &library)); /* again: nothing to do */
}

/* what, which file, which package: one line that can be acted upon, and another try later */
static void what_is_missing_is_named(void) {
  static void (*function[1])(void);
  tni_late library = {.what = "linear solver imagined", .file = "libno-such-thing.so.9", .package = "libno-such-thing9",
                      .n = 1, .name = (const char *const[]){"f"}, .function = function};
  CHECK(tni_late_load(ctx, &library) == TN_ERR_UNSUPPORTED);
  const char *said = tn_ctx_message(ctx);
  CHECK(strstr(said, "linear solver imagined") && strstr(said, "libno-such-thing.so.9") &&
        strstr(said, "apt-get install libno-such-thing9") && !strchr(said, '\n'));
  library.file = "libm.so.6";
  CHECK(tni_late_load(ctx, &library) == TN_ERR_UNSUPPORTED && !library.ready);
  CHECK(strstr(tn_ctx_message(ctx), "no function f") != NULL);
  library.name = (const char *const[]){"cos"};
  CHECK_OK(ctx, tni_late_load(ctx, &library));
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  RUN(a_function_is_found_and_called);
  RUN(what_is_missing_is_named);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
