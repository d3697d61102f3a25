/* joints/rolling.h - what the rolling joints share: the plane and the relative motion
 *
 * Frame 0 has its origin in the plane of the first body and z0 normal to it, towards the wheel;
 * frame 1 sits in the centre of the wheel. With the components of centre and axes in frame 0
 *   d_i = e_i0 . (p1 - p0),   R_ik = e_i0 . e_k1
 * the point of the wheel at the position c_k (frame 1) from its centre moves over the plane with
 *   d'_i + sum_k R'_ik c_k
 * measured against the material of the plane, however that moves. Contact is in
 *   c_k = -radius u_k,
 * u the steepest way up within the wheel, components in frame 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ROLLING_H
#define TNI_ROLLING_H

#include "joints/compound.h"
#include "joints/parts.h"

extern const tni_key tni_rolling_keys[];
enum { TNI_ROLLING_NKEY = 5 };

/* Set frame 0 of the joint from `normal` and `at1`, or from where the wheel touches at the start;
 * disk: the wheel is a disk about the z axis of frame 1, else a ball. radius [m] out. */
tn_status tni_rolling_frames(tni_builder *b, const tni_item *item, tni_joint *joint, bool disk,
                             double *radius);
/* d_i and R_ik as scalars */
tni_scalar tni_rolling_gap(const tni_joint *joint, int i);
tni_scalar tni_rolling_turn(const tni_joint *joint, int i, int k);

#endif
