/* cli/language.c - tenon schema, tenon reference: the input language
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "cli.h"

static int print_text(cli *c, const cli_command *command, int argc, char **argv,
                      tn_status (*get)(tn_ctx *, char **)) {
  char *text;
  int n, code = cli_parse(c, command, argc, argv, NULL, 0, "", NULL, 0, &n);
  if (code) return code;
  tn_status st = get(c->ctx, &text);
  if (st != TN_OK) return cli_fail(c, st);
  fputs(text, stdout);
  tn_text_free(c->ctx, &text);
  return EXIT_DONE;
}

static int run_schema(cli *c, int argc, char **argv) {
  return print_text(c, &cli_schema, argc, argv, tn_input_schema);
}

static int run_reference(cli *c, int argc, char **argv) {
  return print_text(c, &cli_reference, argc, argv, tn_input_reference);
}

const cli_command cli_schema = {"schema", "", "print the JSON Schema of model files", run_schema};
const cli_command cli_reference = {"reference", "", "print the input reference", run_reference};
