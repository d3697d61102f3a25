/* joints/cylindrical.c - shaft in a sleeve: motion along the shared axis z and about it
 *
 *   axis.1, .2   x0.z1 = 0, y0.z1 = 0
 *   offset.1, .2 x0.d = 0, y0.d = 0        d = p1 - p0
 *   coordinates  displacement z0.d, angle about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_ANY));
  tni_rows_parallel(&rows, joint);
  tni_rows_on_axis(&rows, joint);
  joint->mobilizer = TNI_MOBIL_CYLINDER;
  TN_TRY(tni_coord_along(b, joint, 2, "displacement"));
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_cylindrical = {
    {"cylindrical",
     "Shaft in a sleeve: the second body moves along and about an axis of the first.", NULL, 0},
    build};
