/* joints/perpendicular.c - an axis of one body stays normal to an axis of the other
 *
 *   normal     z0.z1 = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  TN_TRY(tni_joint_need_axes(b, item));
  tni_rows_normal(&rows, joint, 2, 2, "normal");
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_perpendicular = {
    {"perpendicular",
     "An axis of the first body stays perpendicular to an axis of the second.", NULL, 0},
    build};
