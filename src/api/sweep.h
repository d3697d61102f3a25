/* api/sweep.h - what a sweep holds (sweep.c runs it, sweep_report.c writes it)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SWEEP_H
#define TNI_SWEEP_H

#include <tenon/sweep.h>

#include "base/base.h"

typedef struct {
  const char *name, *unit;
} tni_sweep_column;

/* A number of a case; last, smallest and largest of a sensor follow each other. */
typedef struct {
  tni_sweep_column column;
  double value;
} tni_sweep_number;

/* A case has a context of its own, so that it can be run by any thread, and keeps it: its texts live in there. */
typedef struct {
  tn_sweep_case info;
  tn_ctx *ctx;
  tni_arena arena;
  int nnumber, cap;
  tni_sweep_number *number;
} tni_sweep_run;

struct tn_sweep {
  tn_ctx *ctx;
  tni_arena arena;
  int ncase, nparam, ncolumn, cap;
  tni_sweep_run *run;       /* [ncase]                 */
  const double **value;     /* [ncase] [ncolumn]       */
  tni_sweep_column *column; /* [ncolumn]               */
};

#endif
