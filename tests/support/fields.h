/* tests/support/fields.h - fields of structures, random numbers
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_FIELDS_TEST_H
#define TN_FIELDS_TEST_H

#include "analyses/statics.h"
#include "mesh/mesh.h"
#include "model/part.h"
#include "support/loaded.h"
#include "system/parts.h"

static unsigned seed;
static double draw(void) { /* in -1 .. 1 */
  seed = seed*1664525u + 1013904223u;
  return (double)(seed >> 8)/8388608.0 - 1;
}

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

static int field_of(const tni_part *p, const char *name) {
  for (int i = 0; i < p->nfield; i++)
    if (strcmp(p->field[i].name, name) == 0) return i;
  return -1;
}

/* field of the only structure at the state that sim shows */
static double *field(tn_sim *sim, const char *name) {
  const tni_part *p = &sim->model->part[0];
  int i = field_of(p, name);
  double *x = calloc((size_t)p->field[i].ncomponent*(size_t)p->mesh->nnode, sizeof(double));
  tni_part_at at = tni_parts_at(sim->s, 0);
  p->ops->fill(p, sim->s->parts->work[0], &at, i, x);
  return x;
}

#endif
