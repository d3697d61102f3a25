/* joints/parallel.c - an axis of one body stays parallel to an axis of the other
 *
 *   axis.1, .2 x0.z1 = 0, y0.z1 = 0
 *   coordinate angle about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_ANY));
  tni_rows_parallel(&rows, joint);
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_parallel = {
    {"parallel", "Two axes stay parallel; the bodies may move apart.", NULL, 0}, build};
