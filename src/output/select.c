/* output/select.c - signals by name: one component of one channel each
 *
 * People write rod.position.x, the file has bodies/rod/position with components x, y, z. Points and
 * slashes are therefore the same here, the group may be left out, and so may the component, which
 * means all of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "output/h5.h"

enum { SIGNAL_NAME_MAX = 512 };

static void with_points(char *text) {
  for (; *text; text++)
    if (*text == '/') *text = '.';
}

/* "bodies.rod.position.x"; *name: where the group ends, *component: where the channel ends */
static void signal_name(const tni_channel *c, int k, char out[SIGNAL_NAME_MAX], int *name,
                        int *component) {
  const char *part = c->component ? c->component[k] : "";
  *name = (int)strlen(c->group) + 1;
  *component = *name + (int)strlen(c->name);
  snprintf(out, SIGNAL_NAME_MAX, "%s/%s%s%s", c->group, c->name, *part ? "/" : "", part);
  if (*component >= SIGNAL_NAME_MAX) *component = *name = 0;
  with_points(out);
}

static bool matches(const char *pattern, const tni_channel *c, int k) {
  char text[SIGNAL_NAME_MAX];
  int name, component;
  signal_name(c, k, text, &name, &component);
  if (tni_wildcard_match(pattern, text) || tni_wildcard_match(pattern, text + name)) return true;
  text[component] = 0;
  return tni_wildcard_match(pattern, text) || tni_wildcard_match(pattern, text + name);
}

/* nearest of all names: whole signals, channels, and both without their group */
static tn_status refuse(tni_reader *r, const char *pattern) {
  const tni_results_info *info = tni_results_get_info(r);
  tn_ctx *ctx = tni_reader_ctx(r);
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  const char **list = NULL;
  int n = 0, cap = 0;
  bool ok = true;
  for (int i = 0; i < info->nchannel && ok; i++) {
    const tni_channel *c = &info->channel[i];
    for (int k = -1; k < c->ncomponent && ok; k++) {
      char text[SIGNAL_NAME_MAX];
      int name, component;
      signal_name(c, k < 0 ? 0 : k, text, &name, &component);
      if (k < 0) text[component] = 0;
      for (int skip = 0; skip < 2 && ok; skip++) {
        void *items = list;
        ok = tni_arena_grow(&arena, &items, n, &cap, sizeof(*list));
        list = items;
        if (ok) ok = (list[n++] = tni_arena_strdup(&arena, text + (skip ? name : 0))) != NULL;
      }
    }
  }
  tn_status st;
  if (!ok) {
    st = tni_out_of_memory(ctx);
  } else {
    int near = tni_nearest(pattern, list, n);
    st = near < 0 ? TN_FAIL(ctx, TN_ERR_ARGUMENT,
                            "results '%s': no signal matches '%s'; there are %d, the first is '%s'",
                            tni_reader_path(r), pattern, info->nchannel, list[1])
                  : TN_FAIL(ctx, TN_ERR_ARGUMENT,
                            "results '%s': no signal matches '%s'; did you mean '%s'?",
                            tni_reader_path(r), pattern, list[near]);
  }
  tni_arena_clear(&arena);
  return st;
}

/* the same name without group, in an earlier channel that was chosen too */
static bool chosen_before(const tni_results_info *info, const tni_signal *out, int n, int channel,
                          int component) {
  char text[SIGNAL_NAME_MAX], other[SIGNAL_NAME_MAX];
  int name, end;
  signal_name(&info->channel[channel], component, text, &name, &end);
  for (int i = 0; i < n; i++) {
    int from;
    signal_name(&info->channel[out[i].channel], out[i].component, other, &from, &end);
    if (strcmp(text + name, other + from) == 0) return true;
  }
  return false;
}

tn_status tni_results_select(tni_reader *r, const char *pattern, tni_signal *out, int max, int *n) {
  const tni_results_info *info = tni_results_get_info(r);
  char text[SIGNAL_NAME_MAX];
  snprintf(text, sizeof(text), "%s", pattern);
  with_points(text);
  *n = 0;
  bool any = false;
  for (int i = 0; i < info->nchannel; i++) {
    for (int k = 0; k < info->channel[i].ncomponent; k++) {
      if (!matches(text, &info->channel[i], k)) continue;
      any = true;
      if (chosen_before(info, out, *n, i, k)) continue;
      TN_REQUIRE(tni_reader_ctx(r), *n < max, TN_ERR_ARGUMENT,
                 "results '%s': '%s' matches more than %d signals; ask for fewer",
                 tni_reader_path(r), pattern, max);
      out[(*n)++] = (tni_signal){i, k};
    }
  }
  return any ? TN_OK : refuse(r, pattern);
}

/* A unit "N, N m" belongs to the first and the second half of the components. */
void tni_results_component_unit(const tni_channel *c, int component, char *out, size_t n) {
  const char *comma = strstr(c->unit, ", ");
  const char *name = c->component ? c->component[component] : "";
  if (comma && 2*component < c->ncomponent)
    snprintf(out, n, "%.*s", (int)(comma - c->unit), c->unit);
  else
    snprintf(out, n, "%s", comma ? comma + 2 : c->unit);
  /* coordinate and rate of a joint share a channel */
  if (strcmp(name, "rate") == 0) {
    size_t length = strlen(out);
    snprintf(out + length, n - length, "%s", length ? "/s" : "1/s");
  }
}
