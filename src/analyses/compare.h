/* analyses/compare.h - what a comparison holds
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMPARE_H
#define TNI_COMPARE_H

#include <tenon/compare.h>

#include "base/base.h"

struct tn_comparison {
  tn_ctx *ctx;
  tni_arena arena;
  const char *title;
  char system[256];            /* representation and solver of the reference */
  double from, until;
  int ntime;
  int nrow, cap;
  tn_compare_row *row;
  tn_compare_reference reference;
};

#endif
