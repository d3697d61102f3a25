/* joints/prismatic.c - slider: motion along the shared axis z without turning
 *
 *   axis.1, .2   x0.z1 = 0, y0.z1 = 0
 *   spin         x0.y1 = 0
 *   offset.1, .2 x0.d = 0, y0.d = 0        d = p1 - p0
 *   coordinate   displacement z0.d
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_SLIDE));
  tni_rows_oriented(&rows, joint);
  tni_rows_on_axis(&rows, joint);
  joint->mobilizer = TNI_MOBIL_PRISMATIC;
  TN_TRY(tni_coord_along(b, joint, 2, "displacement"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_prismatic = {
    {"prismatic",
     "Slider: the second body moves along an axis of the first without turning.", NULL, 0},
    build};
