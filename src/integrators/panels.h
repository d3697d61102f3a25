/* integrators/panels.h - a thin matrix whose rows come in groups with the same nonzero columns
 *
 * Motions of the independent coordinates move a body by six components at once or not at all: of the
 * matrix P [n][nd] (integrators/partition.h) the rows of a body have their nonzeros in the same few
 * columns. A panel is one such column of one group, its entries one after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PANELS_H
#define TNI_PANELS_H

#include "base/base.h"

enum { TNI_PANEL_HEIGHT = 6 }; /* largest; higher groups are split */

typedef struct tni_panels {
  int nd;
  int ngroup, *first; /* [ngroup+1] first row of each group                                 */
  int *start, *end, *col; /* panels of group g: start[g] to end[g]; column of each           */
  int *at;            /* [ngroup] where its values begin                                    */
  double *value;
} tni_panels;

/* columns c0 .. c1 of a [..][ld] matrix, row-major */
typedef struct tni_columns {
  int ld, c0, c1;
} tni_columns;

/* groups of rows: group[g] to group[g+1] */
tn_status tni_panels_create(tni_arena *arena, int n, int ngroup, const int *group, tni_panels *p);
/* A of the nonzeros of X [n][nd]: for all groups, or for groups g0 to g1 once begin has been called, so that threads
 * may share the work */
void tni_panels_take(tni_panels *p, int nd, const double *X);
void tni_panels_begin(tni_panels *p, int nd);
void tni_panels_take_groups(tni_panels *p, const double *X, int g0, int g1);

/* x [n] += f A y */
void tni_panels_add(const tni_panels *p, double f, const double *y, double *x);
/* y [nd] = A^T x; scratch [2 nd] */
void tni_panels_inner(const tni_panels *p, const double *x, double *y, double *scratch);
/* X [n][ld] = A Y */
void tni_panels_multiply(const tni_panels *p, tni_columns c, const double *Y, double *X);
/* Y [nd][ld] = A^T X */
void tni_panels_inner_columns(const tni_panels *p, tni_columns c, const double *X, double *Y);

#endif
