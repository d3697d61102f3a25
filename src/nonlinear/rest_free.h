/* nonlinear/rest_free.h - motions without stiffness, found and named
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_FREE_H
#define TNI_REST_FREE_H

#include "nonlinear/rest.h"

typedef struct tni_rest_stiffness {
  const tni_data *s;
  const double *K;            /* on s->square                                                     */
  const double *size, *scale; /* [nv] stiffness of each unknown by itself; size NULL: its root, whose units K is in */
  void (*apply)(tni_rest *solver, int k, double *x); /* x := K^-1 x [k][nv] */
  tni_rest *solver;
} tni_rest_stiffness;

/* rep->free, free_names := motions that resist less than least, in units of their unknowns' own stiffness */
TN_NODISCARD tn_status tni_rest_find_free(const tni_rest_stiffness *w, double least, tni_rest_report *rep);
/* a motion x [nv]: of which structure or body, along or about what */
void tni_rest_name_motion(const tni_data *s, const double *x, char *out, size_t n);
/* [count][nv], one after the other */
void tni_rest_list_motions(const tni_data *s, int count, const double *x, char *out, size_t n);

#endif
