/* cli/decompose.c - tenon decompose: the mesh of a structure cut into parts, and how good the cuts are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { SETS_MAX = 64 };

typedef struct {
  const char *path, *set[SETS_MAX], *rule, *structure, *output;
  int nset;
  double parts;
} arguments;

static int parse(cli *c, int argc, char **argv, arguments *a) {
  const cli_opt option[] = {
      {"--parts", .number = &a->parts}, {"--rule", .text = &a->rule}, {"--structure", .text = &a->structure},
      {"--output", .text = &a->output}, {"--set", .list = a->set, .nlist = &a->nset, .max = SETS_MAX},
  };
  int n, code = cli_parse(c, &cli_decompose, argc, argv, option, sizeof(option)/sizeof(option[0]), "model", &a->path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_decompose, "no model file given");
  if (a->parts == 0 && !(a->rule && strcmp(a->rule, "file") == 0)) a->parts = 4;
  if (a->parts != floor(a->parts) || a->parts > 1e9) return cli_usage(c, &cli_decompose, "--parts = %g, must be a whole number", a->parts);
  if (a->output && !a->rule) a->rule = "best";
  return 0;
}

static void row(const cli *c, const char *rule, const tn_cut_info *i, bool first) {
  if (c->json) {
    printf("%s\n  {\"rule\": \"%s\", \"parts\": %d, \"cells\": %d, \"nodes\": %d, \"least_cells\": %d, \"most_cells\": %d, "
           "\"imbalance\": %.6g, \"interface_nodes\": %d, \"mean_neighbours\": %.6g, \"most_neighbours\": %d, \"mean_touching\": %.6g, "
           "\"most_touching\": %d, \"worst_aspect\": %.6g, \"whole_profile\": %.6g, \"worst_profile\": %.6g, \"moved\": %d, "
           "\"in_pieces\": %d}", first ? "{\"cuts\": [" : ",", rule, i->parts, i->cells, i->nodes, i->least_cells, i->most_cells, i->imbalance,
           i->interface_nodes, i->mean_neighbours, i->most_neighbours, i->mean_touching, i->most_touching, i->worst_aspect,
           i->whole_profile, i->worst_profile, i->moved, i->in_pieces);
    return;
  }
  if (first)
    printf("%d cells, %d nodes in %d parts; rms bandwidth of the whole %.0f nodes\n\n%-9s %13s %9s %9s %12s %12s %7s %9s %6s\n", i->cells,
           i->nodes, i->parts, i->whole_profile, "rule", "cells", "imbalance", "interface", "neighbours", "touching", "aspect", "bandwidth",
           "moved");
  printf("%-9s %5d to %5d %9.3f %9d %6.1f (%3d) %6.1f (%3d) %7.1f %9.0f %6d\n", rule, i->least_cells, i->most_cells, i->imbalance,
         i->interface_nodes, i->mean_neighbours, i->most_neighbours, i->mean_touching, i->most_touching, i->worst_aspect,
         i->worst_profile, i->moved);
}

/* a number for every cell, a line each, as METIS writes them; over an old file only at the end */
static int write_parts(cli *c, const arguments *a, const int *part, int n) {
  cli_out o;
  int code = cli_out_begin(c, &o, a->output, a->path);
  if (code) return code;
  fprintf(o.file, "# part of every cell of the mesh, from 0; rule %s\n", a->rule);
  for (int i = 0; i < n; i++) fprintf(o.file, "%d\n", part[i]);
  if ((code = cli_out_end(c, &o, true)) != 0) return code;
  if (!c->json) printf("\nparts     %s\n", a->output);
  return 0;
}

static int run(cli *c, int argc, char **argv) {
  arguments a = {0};
  int code = parse(c, argc, argv, &a), cells = 0;
  if (code) return code;
  tn_spec *spec;
  tn_model *model;
  code = cli_load(c, a.path, a.set, a.nset, &spec, &model);
  if (code) return code;
  tn_status st = tn_structure_cells(c->ctx, model, a.structure, &cells);
  int *part = calloc((size_t)cells + 1, sizeof(int));
  const char *name;
  bool first = true;
  if (st == TN_OK && !part) fprintf(stderr, "tenon: out of memory\n"), code = EXIT_FAIL;
  for (int i = 0; st == TN_OK && !code && (name = a.rule ? a.rule : tn_decomposer_name(i)); i++) {
    tn_cut_info info;
    st = tn_decompose(c->ctx, model, a.structure, name, (int)a.parts, part, &info);
    if (st != TN_OK) break;
    row(c, name, &info, first);
    first = false;
    if (a.rule) break;
  }
  if (st == TN_OK && !code && c->json) {
    printf("\n]}\n");
    c->answered = true;
  }
  if (st == TN_OK && !code && a.output) code = write_parts(c, &a, part, cells);
  if (st != TN_OK) code = cli_fail(c, st);
  free(part);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return code;
}

const cli_command cli_decompose = {
    "decompose", "model.yaml [--parts 4] [--rule r] [--output file]",
    "cut the mesh of a structure into parts by every rule, or by one, and say how good the cuts are;\n"
    "                                                                 "
    "--output writes the part of every cell; also --structure, --set name=value",
    run};
