/* joints/orientation.c - the bodies do not turn against each other
 *
 *   axis.1, .2 x0.z1 = 0, y0.z1 = 0
 *   spin       x0.y1 = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  tni_rows_oriented(&rows, joint);
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_orientation = {
    {"orientation",
     "The bodies keep their relative orientation; they may move apart.", NULL, 0},
    build};
