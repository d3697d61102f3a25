/* Every mistake in tests/input/bad is refused with the message in the first line of its file
 *
 *   # expect: mass_zero.yaml:4: body 'rod': mass = 0 kg, must be > 0
 *
 * The files are read from inside their folder, so that messages hold plain names. What tenon check
 * makes of them is tested by tests/scripts/bad_inputs.sh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "support/check.h"

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

#include <tenon/tenon.h>

enum { LEAST = 150, LONGEST = 1024 };

/* the expected message: first line of the file behind "# expect: " */
static bool read_expected(const char *file, char out[LONGEST]) {
  static const char head[] = "# expect: ";
  FILE *f = fopen(file, "r");
  bool ok = f && fgets(out, LONGEST, f) && strncmp(out, head, sizeof(head) - 1) == 0;
  if (f) fclose(f);
  if (!ok) return false;
  out[strcspn(out, "\n")] = 0;
  memmove(out, out + sizeof(head) - 1, strlen(out + sizeof(head) - 1) + 1);
  return true;
}

/* as far as a mistake in a file can be noticed */
static tn_status process(tn_ctx *ctx, const char *file) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_report *report = NULL;
  tn_status st = tn_spec_read_file(ctx, file, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_check(ctx, model, &report);
  CHECK(st == TN_OK || !report);
  tn_report_destroy(&report);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* file.yaml:12: ... */
static bool has_place(const char *message) {
  const char *at = strstr(message, ".yaml:");
  if (!at || !isdigit((unsigned char)at[6])) return false;
  at += 6;
  while (isdigit((unsigned char)*at)) at++;
  return at[0] == ':' && at[1] == ' ' && at[2];
}

/* " ... " in the expected text stands for any text: lists that grow with the program */
static void check_message(const char *message, char *expected) {
  char *gap = strstr(expected, " ... ");
  if (!gap) {
    CHECK_TEXT(message, expected);
    return;
  }
  size_t head = (size_t)(gap - expected), tail = strlen(gap + 5), n = strlen(message);
  bool same = n >= head + tail && strncmp(message, expected, head) == 0 &&
              strcmp(message + n - tail, gap + 5) == 0;
  if (!CHECK(same)) printf("%s\nwant %s\n", message, expected);
}

static void check_file(const char *file) {
  char expected[LONGEST];
  tn_ctx *ctx;
  if (!CHECK(tn_ctx_create(NULL, &ctx) == TN_OK)) return;
  int before = check_failures;
  CHECK(read_expected(file, expected));
  CHECK_INT(process(ctx, file), TN_ERR_INPUT);
  const char *message = tn_ctx_message(ctx);
  check_message(message, expected);
  CHECK(strpbrk(message, "\n\r\t\033") == NULL);
  CHECK(has_place(message));
  if (check_failures != before) printf("with file %s\n", file);
  tn_ctx_destroy(&ctx);
}

static void every_mistake_is_met_with_the_expected_message(void) {
  int n = 0;
  DIR *dir = opendir(".");
  if (!CHECK(dir != NULL)) return;
  for (struct dirent *e; (e = readdir(dir));) {
    size_t len = strlen(e->d_name);
    if (len < 6 || strcmp(e->d_name + len - 5, ".yaml") != 0) continue;
    check_file(e->d_name);
    n++;
  }
  closedir(dir);
  printf("%d mistakes\n", n);
  CHECK(n >= LEAST);
}

/* a context that has seen all of them is as good as new */
static void a_context_survives_mistakes(void) {
  tn_ctx *ctx;
  if (!CHECK(tn_ctx_create(NULL, &ctx) == TN_OK)) return;
  CHECK_INT(process(ctx, "mass_zero.yaml"), TN_ERR_INPUT);
  CHECK_INT(process(ctx, "joint_itself.yaml"), TN_ERR_INPUT);
  CHECK_INT(process(ctx, "include_cycle.yaml"), TN_ERR_INPUT);
  CHECK_OK(ctx, process(ctx, "../../../examples/pendulum/pendulum.yaml"));
  CHECK_INT(process(ctx, "no_such_file.yaml"), TN_ERR_IO);
  CHECK_TEXT(tn_ctx_message(ctx), "cannot read 'no_such_file.yaml': No such file or directory");
  tn_ctx_destroy(&ctx);
}

int main(void) {
  if (chdir(TENON_SOURCE_DIR "/tests/input/bad") != 0) {
    printf("cannot enter %s\n", TENON_SOURCE_DIR "/tests/input/bad");
    return 1;
  }
  RUN(every_mistake_is_met_with_the_expected_message);
  RUN(a_context_survives_mistakes);
  return REPORT();
}
