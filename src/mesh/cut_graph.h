/* mesh/cut_graph.h - parts of a mesh by libraries that cut graphs: cells are vertices, whole faces between them edges
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CUT_GRAPH_H
#define TNI_CUT_GRAPH_H

#include "mesh/mesh.h"

/* part [ncell]; weight [ncell], NULL: all the same; the same parts whatever the machine. TN_ERR_UNSUPPORTED: SCOTCH is not there. */
TN_NODISCARD tn_status tni_cut_metis(const tni_mesh *m, int nparts, const double *weight, tni_arena *work, int *part);
TN_NODISCARD tn_status tni_cut_scotch(const tni_mesh *m, int nparts, const double *weight, tni_arena *work, int *part);

#endif
