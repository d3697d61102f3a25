/* CSV against the stored numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "output/results.h"

#include "sample.h"

static tn_ctx *ctx;

typedef struct {
  char *s;
  size_t n, cap;
  int refuse_after; /* calls, -1: never */
} collected;

static tn_status collect(void *user, const char *text, size_t n) {
  collected *c = user;
  if (c->refuse_after == 0) return TN_ERR_IO;
  if (c->refuse_after > 0) c->refuse_after--;
  if (c->n + n + 1 > c->cap) {
    c->cap = 2*(c->n + n + 1);
    c->s = realloc(c->s, c->cap);
  }
  memcpy(c->s + c->n, text, n);
  c->n += n;
  c->s[c->n] = 0;
  return TN_OK;
}

static tni_reader *open_sample(const char *path, const tni_results_info *info, long n) {
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN];
  CHECK_OK(ctx, tni_results_create(ctx, path, true, info, &w));
  for (long i = 0; i < n; i++) {
    sample_row(i, values);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  return r;
}

/* header, and the numbers of the given columns bit for bit */
static void check_csv(tni_reader *r, const char *const *names, int nname, const char *header,
                      const int *column, int ncolumn, long nrow) {
  collected out = {.refuse_after = -1};
  CHECK_OK(ctx, tni_results_export_csv(r, names, nname, collect, &out));
  size_t n = strcspn(out.s, "\n");
  char *at = out.s + n + 1;
  out.s[n] = 0;
  CHECK_TEXT(out.s, header);
  bool same = true;
  for (long i = 0; i < nrow && same; i++)
    for (int k = -1; k < ncolumn; k++) {
      char *end;
      double want = k < 0 ? sample_time(i) : sample_value(i, column[k]), got = strtod(at, &end);
      if (memcmp(&got, &want, sizeof(got)) != 0) same = false;
      if (*end != (k == ncolumn - 1 ? '\n' : ',')) same = false;
      at = end + 1;
    }
  CHECK(same);
  CHECK(at == out.s + out.n);
  free(out.s);
}

static void all_columns_are_written_with_all_digits(void) {
  static const int every[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  tni_reader *r = open_sample(sample_path("all.h5"), &sample_info, 2000);
  static const char header[] =
    "t [s],rod/position.x [m],rod/position.y [m],rod/position.z [m],rod/velocity.x [m/s],"
    "rod/velocity.y [m/s],rod/velocity.z [m/s],pin/reaction.x [N],pin/reaction.y [N],"
    "pin/reaction.z [N],pin/angle [rad],kinetic [J]";
  check_csv(r, NULL, 0, header, every, SAMPLE_NCOLUMN, 2000);
  const char *const star = "*";
  check_csv(r, &star, 1, header, every, SAMPLE_NCOLUMN, 2000);
  tni_results_close(&r);
}

static void names_and_wildcards_choose_columns(void) {
  tni_reader *r = open_sample(sample_path("some.h5"), &sample_info, 700);
  const char *const channel[] = {"pin/angle", "rod/velocity"};
  check_csv(r, channel, 2,
            "t [s],rod/velocity.x [m/s],rod/velocity.y [m/s],rod/velocity.z [m/s],pin/angle [rad]",
            (const int[]){3, 4, 5, 9}, 4, 700);
  const char *const component[] = {"*.x", "energy/*"};
  check_csv(r, component, 2,
            "t [s],rod/position.x [m],rod/velocity.x [m/s],pin/reaction.x [N],kinetic [J]",
            (const int[]){0, 3, 6, 10}, 4, 700);
  const char *const full[] = {"joints/pin/reaction.?", "kin*"};
  check_csv(r, full, 2, "t [s],pin/reaction.x [N],pin/reaction.y [N],pin/reaction.z [N],kinetic [J]",
            (const int[]){6, 7, 8, 10}, 4, 700);
  const char *const group[] = {"bodies/rod/position"};
  check_csv(r, group, 1, "t [s],rod/position.x [m],rod/position.y [m],rod/position.z [m]",
            (const int[]){0, 1, 2}, 3, 700);
  tni_results_close(&r);
}

static void equal_names_in_two_groups_are_told_apart(void) {
  tni_channel channel[] = {{"bodies", "a", "m", 1, NULL, NULL, NULL},
                           {"joints", "a", "", 1, NULL, NULL, NULL},
                           {"joints", "say \"x,y\"", "m", 1, NULL, NULL, NULL}};
  tni_results_info info = {.nchannel = 3, .channel = channel};
  tni_reader *r = open_sample(sample_path("same.h5"), &info, 2);
  check_csv(r, NULL, 0, "t [s],bodies/a [m],joints/a,\"say \"\"x,y\"\" [m]\"",
            (const int[]){0, 1, 2}, 3, 2);
  tni_results_close(&r);
}

static void a_name_without_match_is_refused_with_a_hint(void) {
  tni_reader *r = open_sample(sample_path("hint.h5"), &sample_info, 2);
  collected out = {.refuse_after = -1};
  const char *const names[] = {"pin/angle", "rod/positoin"};
  CHECK(tni_results_export_csv(r, names, 2, collect, &out) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx),
               "no channel matches 'rod/positoin'; did you mean 'rod/position'?") != NULL);
  CHECK(out.n == 0);
  tni_results_close(&r);
}

static void a_failing_receiver_ends_the_export(void) {
  tni_reader *r = open_sample(sample_path("stop.h5"), &sample_info, 1000);
  for (int k = 0; k < 3; k++) {
    collected out = {.refuse_after = k};
    CHECK(tni_results_export_csv(r, NULL, 0, collect, &out) == TN_ERR_IO);
    free(out.s);
  }
  tni_results_close(&r);
}

/* a line an event: names of the model, in quotes where they need them, an empty field where there is no number; more than
 * are read at a time */
static void events_are_lines_with_names(void) {
  static const char *const element[] = {"the \"lower\" stop, left", "floor"};
  static const char *const quoted[] = {"\"the \"\"lower\"\" stop, left\"", "floor"};
  enum { N = 300 };
  tni_results_info info = sample_info;
  tni_writer *w;
  tni_reader *r;
  double value[TNI_EVENT_NVALUE];
  collected out = {.refuse_after = -1};
  info.element = element;
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("events.h5"), true, &info, &w));
  for (long i = 0; i < N; i++) {
    sample_event(i, value);
    CHECK_OK(ctx, tni_results_add_event(w, sample_time(i), value));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("events.h5"), &r));
  CHECK_OK(ctx, tni_results_export_events(r, collect, &out));
  char *line = strtok(out.s, "\n");
  CHECK(strncmp(line, "t [s],element,kind,impulse [N s],", 33) == 0);
  bool same = true;
  for (long i = 0; i < N && same; i++) {
    char *end, names[100];
    same = (line = strtok(NULL, "\n")) != NULL && strtod(line, &end) == sample_time(i);
    if (!same) break;
    snprintf(names, sizeof(names), ",%s,%s,", quoted[i % 2], sample_kind[i % 3]);
    same = strncmp(end, names, strlen(names)) == 0;
    end += strlen(names);
    sample_event(i, value);
    for (int k = TNI_EVENT_IMPULSE; k < TNI_EVENT_NVALUE - 1 && same; k++) same = strtod(end, &end) == value[k] && *end++ == ',';
    same = same && *end == 0; /* no number in the last column */
    if (!same) printf("  event %ld: %s\n", i, line);
  }
  CHECK(same);
  CHECK(strtok(NULL, "\n") == NULL);
  free(out.s);
  tni_results_close(&r);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  sample_begin();
  RUN(all_columns_are_written_with_all_digits);
  RUN(names_and_wildcards_choose_columns);
  RUN(equal_names_in_two_groups_are_told_apart);
  RUN(a_name_without_match_is_refused_with_a_hint);
  RUN(a_failing_receiver_ends_the_export);
  RUN(events_are_lines_with_names);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
