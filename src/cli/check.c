/* cli/check.c - tenon check: what a model is
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int run(cli *c, int argc, char **argv) {
  const char *path = NULL, *set[64];
  int nset = 0;
  for (int i = 1; i < argc; i++) {
    int got = nset < 64 ? cli_option(argc, argv, &i, "--set", &set[nset]) : 0;
    if (got < 0) return cli_usage(c, &cli_check, "--set needs name=value");
    if (got > 0) nset++;
    else if (argv[i][0] == '-') return cli_usage(c, &cli_check, "unknown option '%s'", argv[i]);
    else if (path) return cli_usage(c, &cli_check, "one model at a time, got also '%s'", argv[i]);
    else path = argv[i];
  }
  if (!path) return cli_usage(c, &cli_check, "no model file given");
  tn_spec *spec;
  tn_model *model;
  tn_report *report = NULL;
  int code = cli_load(c, path, set, nset, &spec, &model);
  if (code) return code;
  tn_status st = tn_check(c->ctx, model, &report);
  if (st == TN_OK) {
    if (c->json) fputs(tn_report_json(report), stdout);
    else if (!c->quiet) fputs(tn_report_text(report), stdout);
    code = tn_report_info(report)->assembled ? EXIT_DONE : EXIT_OUTCOME;
  } else {
    code = cli_fail(c, st);
  }
  tn_report_destroy(&report);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code;
}

const cli_command cli_check = {"check", "model.yaml [--set name=value]",
                               "say what the model is and what is wrong with it", run};
