/* system/stress.h - stiffness of elements with their stresses as unknowns of their own
 *
 * Assembled, the stiffness of a slender beam is B^T F^-1 B with entries 1e10 times what bends it, whose
 * digits are lost beside them: as (L/r)^2 n^2 with n elements. With the stresses n kept,
 *
 *   [ K  B^T ] [ delta ]   [ r ]
 *   [ B  -F  ] [ n     ] = [ 0 ]
 *
 * (K: everything but the response of the stresses) nothing of that size is ever formed, and the
 * loss does not depend on the slenderness.
 *
 * Newton's method for both kinds of unknowns at once needs the stresses only in the geometric stiffness:
 * there it takes those that the last step predicted, n + F^-1 B delta, in place of those of the
 * configuration, in which a step that bends has stretched what is stiff by the square of its length
 * (D. Magisano, L. Leonetti, G. Garcea, Int. J. Numer. Methods Eng. 109, 2017).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STRESS_H
#define TNI_STRESS_H

#include "system/system.h"

typedef struct tni_stresses {
  int nelement, nstress;    /* elements that have them, stresses of all of these             */
  int m;                    /* rows of constraints, which come first                         */
  int *force, *row;         /* [nelement] force; [nelement+1] its first stress               */
  int *at;                  /* [nelement][TNI_MAXBODY^2] places of blocks of bodies in a square matrix */
  tni_sparsity rows;        /* constraints and stresses: (m + nstress) x nv                  */
  double *value;            /* [rows.nnz] C, written by the owner, then B                    */
  double *flexibility;      /* [m + nstress] 0 for constraints                               */
  double *n, *predicted;    /* [nstress]                                                     */
  bool is_predicted;        /* by the last step                                              */
} tni_stresses;

/* Are there such elements, with one stress (cables, trusses) or, bend, with several? */
bool tni_stresses_any(const tni_data *s, bool bend);
/* From the arena. Without such elements nstress is 0 and rows are those of the constraints. */
tn_status tni_stresses_create(tni_arena *arena, const tni_data *s, tni_stresses *out);
/* B, F and n at s->kin; K [square->nnz] -= rest of all elements */
void tni_stresses_update(tni_stresses *x, const tni_data *s, double t, double *K);
/* the same for K only, with the stresses predicted */
void tni_stresses_rest_predicted(const tni_stresses *x, const tni_data *s, double t, double *K);
/* after a step delta from the configuration of the last update */
void tni_stresses_predict(tni_stresses *x, const double *delta);
/* y [nv] += B^T F^-1 B x */
void tni_stresses_times(const tni_stresses *s, const double *x, double *y);
/* x^T B^T F^-1 B x; *rounding: how far it may be off for a relative error eps of the terms of B x */
double tni_stresses_energy(const tni_stresses *s, const double *x, double eps, double *rounding);
/* stiffness of row k seen by displacements that weigh w [nv]: sum of B^2/(F w) */
double tni_stresses_size(const tni_stresses *s, int k, const double *w);
/* largest diagonal entry of B^T F^-1 B that one stress makes */
double tni_stresses_largest(const tni_stresses *s);

#endif
