/* analyses/sensitivity.c - how every sensor depends on parameters, at all times
 *
 * One trajectory, one set of factors, one substitution per parameter and element (analyses/course.h). The derivatives are those of the
 * discrete solution: differences of runs with the same elements agree with them to rounding.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/course.h"

/* table [elements + 1][1 + n nsensor]: t, then for each parameter all sensor components */
static tn_status derive(tni_run *r, tni_course *w) {
  tni_arena *a = &r->sim->arena;
  const tni_item *an = tni_run_item(r);
  const char **name;
  int n = tni_course_parameters(w, a, an, &name), ns = tni_system_nsensor(r->sim->s), rows = w->tr->capacity + 1;
  if (n < 0) return TN_ERR_INPUT;
  if (n < 1 || ns < 1)
    return tni_item_fail(r->ctx, an, NULL, "sensitivity needs parameters ('free') and sensors ('record'): %d and %d", n, ns);
  TN_TRY(tni_course_solve(w, w->q0, w->v0, false));
  tni_vary v;
  double *values, *end = NULL;
  TNI_ARENA_NEW(a, values, (size_t)rows*(1 + (size_t)n*(size_t)ns));
  tn_status st = tni_vary_open(w, n, name, &v);
  if (st == TN_OK) st = tni_vary_begin(&v);
  for (int e = 0; e < rows && st == TN_OK; e++) {
    double *row = values + (size_t)e*(1 + (size_t)n*(size_t)ns);
    if (e > 0) st = tni_vary_advance(&v, e - 1);
    row[0] = e < w->tr->n ? w->tr->slab[e].t : w->tr->slab[e-1].t + w->tr->slab[e-1].h;
    if (st == TN_OK) st = tni_vary_sensors(&v, e, row + 1);
    end = row + 1;
    if (st == TN_OK) st = tni_run_heed_interrupt(r, row[0]);
  }
  tni_vary_close(&v);
  TN_TRY(st);
  tni_table *table;
  TNI_ARENA_NEW(a, table, 1);
  *table = (tni_table){.path = "sensitivity/values", .unit = "1", .nrow = rows, .ncolumn = 1 + n*ns, .values = values};
  r->table = table;
  r->ntable = 1;
  snprintf(r->sim->sum.method, sizeof(r->sim->sum.method), "sensitivity: %d elements of %d points", w->tr->n, w->tr->shape.g.k);
  const tn_model *m = r->sim->model;
  for (int i = 0, at = 0; i < m->nsensor; i++)
    for (int c = 0; c < m->sensor[i].ncomponent; c++, at++)
      for (int p = 0; p < n; p++) {
        char text[96];
        snprintf(text, sizeof(text), "d %s/d %s at the end", m->sensor[i].name, name[p]);
        tni_run_add_figure(r, text, "", end[p*ns + at]);
      }
  return tni_course_store(r, w);
}

static tn_status run(tni_run *r) {
  tni_course w;
  tn_status st = tni_course_open(r->sim, &w);
  if (st == TN_OK) st = derive(r, &w);
  tni_course_close(&w);
  return st;
}

const tni_analysis tni_analysis_sensitivity = {
    .name = "sensitivity", .doc = "differentiate sensors by parameters", .motion = TNI_MOTION_WHOLE, .run = run};
