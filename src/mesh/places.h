/* mesh/places.h - nodes near a place: cubes of a grid, hashed
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PLACES_H
#define TNI_PLACES_H

#include <stdint.h>

#include "base/base.h"

typedef struct tni_places {
  const double *x;   /* [n][3], borrowed */
  double low[3], step, tolerance;
  unsigned mask;
  int *head, *next;  /* chains of nodes, number + 1 */
} tni_places;

/* longest side of the box around x [n][3] and its corner of least coordinates; 1 where it has none */
double tni_places_extent(const double *x, int n, double low[3]);
/* Nobody is in it yet. Of the nodes that entered, those within `tolerance` of each other are found. */
TN_NODISCARD tn_status tni_places_create(tni_arena *arena, const double *x, int n, double tolerance, tni_places *out);
void tni_places_enter(tni_places *p, int node);
/* the nearest one that has entered within the tolerance of node, of equal ones that of the smallest number, -1: none */
int tni_places_near(const tni_places *p, int node);

#endif
