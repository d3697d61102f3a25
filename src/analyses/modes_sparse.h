/* analyses/modes_sparse.h - the lowest modes of large models
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MODES_SPARSE_H
#define TNI_MODES_SPARSE_H

#include "analyses/sim.h"
#include "nonlinear/sparse_space.h"

typedef struct tni_lowest {
  int nvalue, nrigid;
  bool symmetric;
  double *re, *im;      /* [nvalue] sigma, im >= 0                                             */
  double *off_by;       /* [nvalue] relative error of |sigma| that rounding may have caused      */
  double *shape;        /* [nvalue][2][n] real and imaginary part of delta                     */
  double off;           /* largest |C W x + d(C v)/dq x| of the shapes, relative: not steady   */
} tni_lowest;

/* The `count` modes of smallest |sigma| about the state that sim shows, in the frame that turns with
 * `spin` (see analyses/modes.c); ts is sparse and was updated there. Results in the arena of sim. */
tn_status tni_modes_lowest(tn_sim *sim, tni_tangent_space *ts, const double spin[3], int count,
                           tni_lowest *out);

#endif
