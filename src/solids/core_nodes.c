/* solids/core_nodes.c - continuum elements: from the points to the nodes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "solids/core.h"

/* the combination of the corners' shape functions that is nearest to the values; as many points as corners: through
 * them. One point: constant. */
void tni_core_to_nodes(const tni_core *core, const tni_solid_kind *kind, int n,
                       const double *at_points, double *at_nodes) {
  tni_cell base = tni_shape_corners(core->cell);
  int nc = tni_shape_nnode(base), nn = tni_shape_nnode(core->cell), ng = kind->ngauss;
  if (ng < nc) {
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < ng; k++) s += at_points[k*n + i];
        at_nodes[a*n + i] = s/ng;
      }
    return;
  }
  tni_rule_points q;
  double N[TNI_RULE_MAX][8], dN[8][3], A[64] = {0}, at[TNI_SOLID_MAXNODE][8], x[8];
  tni_rule_of(core->cell, tni_core_rule(core, kind), &q);
  for (int k = 0; k < ng; k++) {
    tni_shape(base, q.xi[k], N[k], dN);
    for (int a = 0; a < nc; a++)
      for (int b = 0; b < nc; b++) A[nc*a + b] += N[k][a]*N[k][b];
  }
  tni_cholesky(nc, A);
  for (int a = 0; a < nn; a++) {
    double xi[3];
    tni_shape_node(core->cell, a, xi);
    tni_shape(base, xi, at[a], dN);
  }
  for (int i = 0; i < n; i++) {
    memset(x, 0, sizeof(x));
    for (int k = 0; k < ng; k++)
      for (int a = 0; a < nc; a++) x[a] += N[k][a]*at_points[k*n + i];
    tni_cholesky_solve(nc, A, x);
    for (int a = 0; a < nn; a++) {
      double s = 0;
      for (int c = 0; c < nc; c++) s += at[a][c]*x[c];
      at_nodes[a*n + i] = s;
    }
  }
}
