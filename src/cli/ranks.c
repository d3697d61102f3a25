/* cli/ranks.c - tenon_mpi: processes that run a model together
 *
 * All of them read the model and do the same; the first one prints and writes. In tenon, without MPI, there is nothing to do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "cli.h"

#ifdef TENON_MPI

bool cli_join_ranks(cli *c) {
  tn_status st = tn_ranks_join(c->ctx);
  if (st != TN_OK) {
    cli_fail(c, st);
    return false;
  }
  if (tn_rank(c->ctx) == 0) return true;
  c->silent = c->quiet = true;
  c->terminal = c->color = false;
  if (!freopen("/dev/null", "w", stdout)) fclose(stdout);
  return true;
}

int cli_leave_ranks(cli *c, int code) {
  /* bad arguments come without a status, a doubtful verdict is none: all ranks have both alike */
  tn_status own = c->status != TN_OK ? c->status : code == EXIT_DONE || code == EXIT_OUTCOME ? TN_OK : TN_ERR_INPUT;
  tn_status st = tn_ranks_leave(c->ctx, own);
  if (own == TN_OK && st != TN_OK) return cli_fail(c, st); /* another rank failed at the end */
  return code;
}

#else

bool cli_join_ranks(cli *c) {
  (void)c;
  return true;
}

int cli_leave_ranks(cli *c, int code) {
  (void)c;
  return code;
}

#endif
