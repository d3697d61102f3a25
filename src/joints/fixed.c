/* joints/fixed.c - two bodies become one: points coincide, frames stay parallel
 *
 *   x, y, z    p1 - p0 = 0 (ground axes)
 *   axis.1, .2 x0.z1 = 0, y0.z1 = 0
 *   spin       x0.y1 = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  tni_rows_point(&rows, joint);
  tni_rows_oriented(&rows, joint);
  joint->mobilizer = TNI_MOBIL_FIXED;
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_fixed = {
    {"fixed", "No motion between the bodies.", NULL, 0}, build};
