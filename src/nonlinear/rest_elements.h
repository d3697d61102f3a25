/* nonlinear/rest_elements.h - equilibria of meshes by conjugate gradients on the stiffnesses of elements, which are never assembled
 *
 *   elements   the matrices of all elements are kept: products with them in the place of the matrix of the whole
 *   free       no more than the matrices of some equal elements is kept: every product evaluates the others
 *
 * Preconditioners: the diagonal, or the product of factors of the elements (EBE: T. J. R. Hughes, I. Levit, J. Winget, Comput. Methods
 * Appl. Mech. Eng. 36 (1983) 241; regularisation of Winget),
 *
 *   W = diag K,   1 + W_e^-1/2 (K_e - diag K_e) W_e^-1/2 = L_e D_e L_e^T,   C = W^1/2 prod L_e prod D_e prod L_e^T W^1/2
 *
 * which is symmetric and positive definite. Elements that share no unknown have one colour: they commute and run on several threads; products
 * are added up in the order of elements: the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_ELEMENTS_H
#define TNI_REST_ELEMENTS_H

#include "system/system.h"

typedef struct tni_rest_elements_opts {
  bool keeps;       /* matrices of elements                        */
  bool factors;     /* preconditioner: their factors; the diagonal */
  double tolerance; /* residual by the right side                  */
} tni_rest_elements_opts;

typedef struct tni_rest_elements tni_rest_elements;

/* TN_ERR_UNSUPPORTED: what stands against it */
TN_NODISCARD tn_status tni_rest_elements_create(tni_data *s, const tni_rest_elements_opts *o, tni_rest_elements **out);
void tni_rest_elements_destroy(tni_rest_elements **w);
/* bytes that it takes, with those of a system of unknowns and elements as they are; before create */
TN_NODISCARD tn_status tni_rest_elements_expect(tni_data *s, const tni_rest_elements_opts *o, double *bytes);
/* at a state; TN_SINGULAR: the diagonal is not positive */
TN_NODISCARD tn_status tni_rest_elements_factor(tni_rest_elements *w, double t, const double *q);
/* x [nv] := K^-1 x. TN_SINGULAR: K is not positive definite; TN_NOT_CONVERGED */
TN_NODISCARD tn_status tni_rest_elements_solve(tni_rest_elements *w, double *x);
double tni_rest_elements_bytes(const tni_rest_elements *w);
void tni_rest_elements_describe(const tni_rest_elements *w, char *out, size_t n);

#endif
