/* bench/parallel_claims.c - claims H1 to H28 of the papers on parallel finite elements: the number there, the number here
 *
 * Prints the rows of the table in docs/benchmarks/parallel.md, and writes their figures. What needs no clock comes first; with a folder what does
 * follows, for a quiet machine.
 *
 * Usage: bench_parallel_claims build/bench/parallel_claims.json [folder for files [clock: those by the clock alone]]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdarg.h>

#include "claims.h"

void claim(figures *j, const char *name, const char *there, claim_verdict held, const char *here, ...) {
  static const char *const word[] = {"no", "yes", "report"};
  va_list list;
  printf("| %s | %s | ", name, there);
  va_start(list, here);
  vprintf(here, list);
  va_end(list);
  printf(" | %s |\n", word[held]);
  fflush(stdout);
  if (held != CLAIM_REPORT) claim_figure(j, name, "held", held == CLAIM_YES);
}

void claim_figure(figures *j, const char *name, const char *key, double value) {
  char text[80];
  snprintf(text, sizeof(text), "%s.%s", name, key);
  figure(j, text, value);
}

int main(int argc, char **argv) {
  figures j;
  tn_ctx *ctx;
  tn_ctx_opts o = {.threads = 1};
  if (!figures_open(&j, argc > 1 ? argv[1] : "parallel_claims.json")) return 1;
  BENCH_TRY(NULL, tn_ctx_create(&o, &ctx));
  printf("| claim | there | here | reproduced |\n|---|---|---|---|\n");
  if (argc < 4) {
    claims_of_meshes(&j, ctx);
    claims_of_advice(&j, ctx);
    claims_of_domains(&j);
    claims_of_few_forces(&j, ctx);
  }
  if (argc > 2) claims_by_the_clock(&j, argv[2]);
  tn_ctx_destroy(&ctx);
  figures_close(&j);
  return 0;
}
