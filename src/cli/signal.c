/* cli/signal.c - what plots and reports call signals, and their numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void cli_signal_name(tn_results *r, tn_signal g, bool component, char *out, size_t n) {
  const char *full = tn_results_channel_name(r, g.channel), *slash = strchr(full, '/');
  const char *part = tn_results_component_name(r, g.channel, g.component);
  bool has = component && part && part[0] && strcmp(part, "value") != 0;
  snprintf(out, n, "%s%s%s", slash ? slash + 1 : full, has ? "." : "", has ? part : "");
  for (char *c = out; *c; c++)
    if (*c == '/') *c = '.';
}

void cli_signal_quantity(tn_results *r, tn_signal g, char *out, size_t n) {
  char name[512];
  const char *part = tn_results_component_name(r, g.channel, g.component);
  cli_signal_name(r, g, false, name, sizeof(name));
  const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
  /* a reaction is force and moment, a joint coordinate has a rate */
  if (part && strcmp(last, "reaction") == 0) last = part[0] == 'f' ? "force" : "moment";
  if (part && strcmp(part, "rate") == 0) last = "rate";
  snprintf(out, n, "%s", last);
}

double *cli_signal_read(tn_results *r, tn_signal g) {
  long ntime = tn_results_ntime(r);
  size_t size = (size_t)tn_results_channel_size(r, g.channel), n = (size_t)(ntime > 0 ? ntime : 1);
  double *all = malloc(n*size*sizeof(double));
  if (!all || tn_results_read(r, g.channel, NULL, all) != TN_OK) {
    free(all);
    return NULL;
  }
  /* in place: what is read never lies before what is written */
  for (long i = 0; i < ntime; i++) all[i] = all[(size_t)i*size + (size_t)g.component];
  return all;
}

tn_status cli_mark_events(tn_results *r, tn_plot *plot, int npanel) {
  long n = tn_results_nevent(r);
  if (n == 0 || npanel == 0) return TN_OK;
  tn_event *event = malloc((size_t)n*sizeof(*event));
  double *t = malloc((size_t)n*sizeof(*t));
  tn_status st = event && t ? tn_results_read_events(r, 0, n, event) : TN_ERR_MEMORY;
  for (long i = 0; i < n && st == TN_OK; i++) t[i] = event[i].t;
  for (int k = 0; k < npanel && st == TN_OK; k++) {
    /* one name for all */
    tn_plot_series s = {.name = k == 0 ? "events" : NULL, .n = n, .x = t, .style = TN_PLOT_TICKS};
    st = tn_plot_add_series(plot, k, &s);
  }
  free(t);
  free(event);
  return st;
}
