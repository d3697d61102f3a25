/* joints/revolute.c - hinge: a shared point and a shared axis z
 *
 *   x, y, z    p1 - p0 = 0 (ground axes)
 *   axis.1, .2 x0.z1 = 0, y0.z1 = 0
 *   coordinate angle about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  tni_rows_point(&rows, joint);
  tni_rows_parallel(&rows, joint);
  joint->mobilizer = TNI_MOBIL_REVOLUTE;
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_revolute = {
    {"revolute", "Hinge: the second body turns about an axis of the first.", NULL, 0}, build};
