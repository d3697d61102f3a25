/* integrators/ida_matrix.h - the matrix of IDA's Newton iteration, and its solution
 *
 * y = (q, v, lambda, mu), residuals as in ida.c. IDA gives cj, with y' changing by cj times the change of y, and right sides.
 *
 *   tree     an open tree whose system eliminates along it (s->recursive): with xi, the change of the configuration by velocities,
 *            as the only unknowns, cj^2 M + cj r_v + r_q, rotations by TNI_TURNS_QUATERNION; work grows with the number of links
 *   sparse   else: all unknowns, linsolve/sparse.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_IDA_MATRIX_H
#define TNI_IDA_MATRIX_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "integrators/common.h"

typedef struct tni_ida_matrix tni_ida_matrix;

/* scale is borrowed */
tn_status tni_ida_matrix_create(tni_arena *arena, tni_data *s, const tni_scale *scale, bool tree, tni_ida_matrix **out);
void tni_ida_matrix_destroy(tni_ida_matrix *m); /* NULL: nothing */

/* what IDA is handed; they go with the matrix */
tn_status tni_ida_matrix_offer(tni_ida_matrix *m, SUNContext sunctx, SUNMatrix *J, SUNLinearSolver *solver);

/* rows of constraints that IDA knows, and those of them with a position level */
bool tni_ida_uses(const tni_data *s, int row);
bool tni_ida_holds_position(const tni_data *s, int row);

/* Tangents at a state; q is normalized by the caller. Also what rounding of positions makes of velocities, [nv]. */
tn_status tni_ida_matrix_at(tni_ida_matrix *m, const tni_at *at);
const double *tni_ida_matrix_rounding(const tni_ida_matrix *m);
/* u = v - C^T mu with C of the last tangents; holds until the next call */
const double *tni_ida_matrix_velocity(tni_ida_matrix *m, const double *v, const double *mu);

/* Values at the last tangents, for q as IDA has it, and their factors. false: singular. */
tn_status tni_ida_matrix_fill(tni_ida_matrix *m, double cj, const double *mu);
tn_status tni_ida_matrix_factor(tni_ida_matrix *m);
/* b := solution, both [nq + nv + 2 m] */
void tni_ida_matrix_solve(tni_ida_matrix *m, double *b);
void tni_ida_matrix_describe(const tni_ida_matrix *m, char *out, size_t n); /* who solves, and why */

#endif
