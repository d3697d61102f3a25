/* system/project.h - Newton's method onto the constraints, the same for both representations
 *
 *   C dx = -Phi, dx the smallest in the metric of the mass or of given weights;   C dv = -(C v + Phi_t)
 *
 * What a representation does for it is a table; it keeps Phi, the rows in use and working arrays itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PROJECT_H
#define TNI_PROJECT_H

#include "system/common.h"

/* arrays of the representation, the same until it is destroyed */
typedef struct tni_project_arrays {
  const double *phi;  /* [m]                */
  double *g, *x;      /* [m] rates; [nv] the change */
  const bool *used;   /* [m] rows in use    */
} tni_project_arrays;

typedef struct tni_project_ops {
  /* before every round, with the rows of the last rank analysis; and at the end of all, or NULL */
  void (*begin)(tni_data *s, const tni_project_opts *o, tni_project_arrays *out);
  void (*end)(tni_data *s);
  void (*position)(tni_data *s, double t, const double *q); /* phi and C */
  /* g = C v + Phi_t; evaluate: C and Phi_t at (t, q, v) first */
  void (*rates)(tni_data *s, double t, const double *q, const double *v, bool evaluate);
  /* good rows to look at, at the present C */
  tn_status (*choose)(tni_data *s, const tni_project_opts *o);
  /* the smallest x with C x = -r, r: phi or g, which may be overwritten; again: with factors at the present C */
  tn_status (*change)(tni_data *s, const tni_project_opts *o, const double *r, bool again);
  bool (*leaves_out)(const tni_data *s); /* are there rows that are not in use and must hold as well? */
} tni_project_ops;

tn_status tni_project_by(tni_data *s, const tni_project_ops *ops, double t, double *q, double *v,
                         const tni_project_opts *o, tni_project_report *report);

#endif
