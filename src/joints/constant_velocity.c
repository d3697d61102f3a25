/* joints/constant_velocity.c - homokinetic coupling of two shafts along z0 and z1
 *
 *   x, y, z    p1 - p0 = 0 (ground axes)
 *   twist      y0.x1 - x0.y1 = 0
 *
 * The last row says that the rotation between the frames is a swing about an axis normal to both
 * shafts: whatever the bend, the shafts turn alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_ANY));
  tni_rows_point(&rows, joint);
  tni_scalar s = tni_scalar_dot(joint->body[0], joint->body[1], tni_joint_axisq(joint, 0, 1),
                                tni_joint_axisq(joint, 1, 0), 0);
  s.nterm = 2;
  s.term[1].weight = -1;
  s.term[1].a = tni_joint_axisq(joint, 0, 0);
  s.term[1].b = tni_joint_axisq(joint, 1, 1);
  tni_rows_scalar(&rows, &s, "twist", "1");
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_constant_velocity = {
    {"constant_velocity",
     "Constant-velocity joint of two shafts: they bend freely and turn alike.", NULL, 0},
    build};
