/* cli/check.c - tenon check: what a model is
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int run(cli *c, int argc, char **argv) {
  const char *path, *set[64];
  int nset = 0, n;
  const cli_opt option[] = {{"--set", .list = set, .nlist = &nset, .max = 64}};
  int code = cli_parse(c, &cli_check, argc, argv, option, 1, "model", &path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_check, "no model file given");
  tn_spec *spec;
  tn_model *model;
  tn_report *report = NULL;
  code = cli_load(c, path, set, nset, &spec, &model);
  if (code) return code;
  tn_status st = tn_check(c->ctx, model, &report);
  if (st == TN_OK) {
    if (c->json) fputs(tn_report_json(report), stdout), c->answered = true;
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
