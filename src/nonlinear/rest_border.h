/* nonlinear/rest_border.h - bodies, beams and joints around structures that are cut into domains
 *
 *   [ K   E ] [ p ]   [ f ]    p: unknowns of the structures, K by domains (rest_domains.h)
 *   [ F   A ] [ z ] = [ g ]    z: velocities of bodies (nodes of beams among them) and multipliers of constraint rows
 *
 * Few of the z touch a structure: the bodies that carry nodes of it. With W = K^-1 E for those, one solution by domains each, A - F W is a dense
 * matrix of all z, factored by every rank alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_BORDER_H
#define TNI_REST_BORDER_H

#include "nonlinear/rest_domains.h"

typedef struct tni_rest_border tni_rest_border;

/* NULL where there are structures alone. TN_ERR_UNSUPPORTED: too many of them for a dense matrix. The patterns of the system are there. */
TN_NODISCARD tn_status tni_rest_border_create(tni_data *s, tni_rest_border **out);
void tni_rest_border_destroy(tni_rest_border **b);
/* A on s->square, C on s->rows, active [m] or NULL: rows that count; cut has its factors. *negative: eigenvalues of the stiffness along the
 * constraints that are, where A is symmetric (the structures' own are positive), -1: not known. All ranks alike. TN_SINGULAR: a motion without stiffness. */
TN_NODISCARD tn_status tni_rest_border_factor(tni_rest_border *b, tni_rest_cut *cut, const double *A, const double *C, const bool *active, bool symmetric,
                                              int *negative);
/* x [nv + m]: right side in, solution out */
TN_NODISCARD tn_status tni_rest_border_solve(tni_rest_border *b, tni_rest_cut *cut, double *x);
/* bodies' velocities and rows together, and how many solutions by domains a factorization takes */
void tni_rest_border_sizes(const tni_rest_border *b, int *unknowns, int *solutions);

#endif
