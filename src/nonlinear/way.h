/* nonlinear/way.h - what contacts keep out of the way of bodies that are moved, not integrated
 *
 * Equilibria are looked for by steps that may be longer than a ball is wide: one that ends behind it meets no
 * force. The clearance c(s) of all open touches along q moved by s delta, back on the constraints, tells. It changes by no more
 * than bodies move, so that from c one may go on by c over the fastest change seen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_WAY_H
#define TNI_WAY_H

#include "system/system.h"

typedef struct tni_way {
  double free;      /* part of the way after which the first touch has just begun; 1: none begins */
  bool through;     /* it ends again before the way does                                          */
  const char *name; /* of the contact, NULL: none                                                 */
} tni_way;

/* Along delta [nv] from q at t, with the modes that s has, the constraints held or not. q_work [nq], v_work and delta_work [nv] are
 * written, nothing else. `size` of the model. */
tn_status tni_way_look(tni_data *s, double t, const double *q, const double *delta, double size, bool hold, double *q_work, double *v_work,
                       double *delta_work, tni_way *out);

/* From one state to another in one go: the contact whose bodies have passed each other, because those that touched do so on another side, or are
 * apart there, and those that did not are pressed into each other by more than the thinner one is thick; NULL: none. v_work [nv] is written. */
const char *tni_way_passed(tni_data *s, double t, const double *q0, const double *q1, double *v_work);
/* the contact that is pressed in so deep; NULL: none */
const char *tni_way_deep(tni_data *s, double t, const double *q, double *v_work);

#endif
