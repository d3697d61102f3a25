/* cli/deck.c - tenon run deck.inp: a deck from its cards to its tables
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "cli.h"

static void show_text(void *user, int first, int last, const char *text) {
  (void)user;
  if (first == last) printf("# step %d\n%s", first, text);
  else printf("# steps %d to %d\n%s", first, last, text);
}

static void show_summary(void *user, int first, int last, const tn_summary *sum) {
  cli *c = user;
  char *text;
  if (c->quiet || c->json || tn_summary_text(c->ctx, sum, &text) != TN_OK) return;
  if (first == last) printf("step       %d\n%s", first, text);
  else printf("steps      %d to %d\n%s", first, last, text);
  tn_text_free(c->ctx, &text);
}

int cli_run_deck(cli *c, const char *path, const char *output, bool translate) {
  char name[1024], tables[1100];
  const char *slash = strrchr(path, '/');
  static tn_deck_report report; /* large */
  snprintf(name, sizeof(name), "%s", output && output[0] ? output : slash ? slash + 1 : path);
  char *dot = strrchr(name, '.');
  if (dot && (strcmp(dot, ".inp") == 0 || strcmp(dot, ".h5") == 0)) *dot = 0;
  snprintf(tables, sizeof(tables), "%s.tenon.dat", name);
  bool nothing = output && !output[0];
  tn_deck_opts o = {.results = nothing ? "" : name, .tables = nothing ? NULL : tables, .translate_only = translate, .user = c,
                    .translated = translate ? show_text : NULL, .done = show_summary};
  tn_status st = tn_deck_run(c->ctx, path, &o, &report);
  if (st != TN_OK) return cli_fail_read(c, st);
  if (!translate && !nothing && !c->quiet && !c->json) printf("tables     %s\n", tables);
  if (c->json && !translate) {
    char *json;
    c->answered = tn_summary_json(c->ctx, &report.summary, &json) == TN_OK;
    if (c->answered) fputs(json, stdout);
    tn_text_free(c->ctx, &json);
  }
  return report.doubtful ? EXIT_OUTCOME : EXIT_DONE;
}
