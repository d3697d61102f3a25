/* joints/planar.c - two flat faces: motion in the plane normal to z, turning about z
 *
 *   axis.1, .2  x0.z1 = 0, y0.z1 = 0
 *   plane       z0.d = 0                   d = p1 - p0
 *   coordinates x = x0.d, y = y0.d, angle about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  tni_rows_parallel(&rows, joint);
  tni_rows_inplane(&rows, joint, 2, "plane");
  joint->mobilizer = TNI_MOBIL_PLANAR;
  TN_TRY(tni_coord_along(b, joint, 0, "x"));
  TN_TRY(tni_coord_along(b, joint, 1, "y"));
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_planar = {
    {"planar",
     "Face on face: the second body slides in a plane of the first and turns in it.", NULL, 0},
    build};
