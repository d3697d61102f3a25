/* analyses/check_mesh.h - what the structures of a model are, for tn_check
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CHECK_MESH_H
#define TNI_CHECK_MESH_H

#include "analyses/sim.h"

/* Lines about every structure: mesh, elements, groups, shapes of cells, mass, unknowns, what holds and loads it; memory that a
 * factorization of the stiffness takes, if the analysis needs one; the solver that statics will take (solver: what the model file says, NULL:
 * another analysis). json: a list of objects. Nothing where the model has none. */
tn_status tni_check_structures(const tn_model *model, tni_data *s, bool factors, const char *solver, tni_text *text, tni_text *json);

#endif
