/* analyses/statics_mesh.h - equilibria of models with structures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STATICS_MESH_H
#define TNI_STATICS_MESH_H

#include "analyses/statics.h"
#include "nonlinear/rest.h"
#include "output/results.h"

/* As tni_statics_begin and tni_statics_run (analyses/statics.h), by nonlinear/rest.h. */
tn_status tni_mesh_statics_begin(tn_sim *sim, tni_data *s, double t, double *q);
tn_status tni_mesh_statics_run(tn_sim *sim, tni_store_fn store, void *user);

/* w gets the solver of the whole that was asked for and the memory for its factors; NULL: none of those */
const char *tni_mesh_statics_use(const tn_model *m, const char *solver, tni_rest *w);

/* before results are opened: a table "cases/<name>" with the row of each load case */
tn_status tni_mesh_cases_tables(tn_sim *sim, int *ntable, tni_table **out);

#endif
