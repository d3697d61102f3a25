/* joints/spherical.c - ball in a socket: two points coincide
 *
 *   x, y, z    p1 - p0 = 0 (ground axes)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  tni_rows_point(&rows, joint);
  joint->mobilizer = TNI_MOBIL_SPHERICAL;
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_spherical = {
    {"spherical",
     "Ball joint: the bodies share a point and turn about it freely.", NULL, 0},
    build};
