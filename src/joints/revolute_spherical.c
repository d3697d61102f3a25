/* joints/revolute_spherical.c - massless rod: hinge on the first body, ball on the second
 *
 * The rod turns about the axis z0 through P of the first body and ends in the point Q of the
 * second, d = Q - P:
 *   offset     z0.d - c = 0
 *   distance   |d| - L = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "length", .kind = TNI_KIND_NUMBER, .unit = "m", .initial = "distance at the start",
     .doc = "Distance of the points at1 (hinge) and at2 (ball), above 0."},
    {.name = "offset", .kind = TNI_KIND_NUMBER, .unit = "m", .initial = "as at the start",
     .doc = "Position of the ball along the hinge axis, from the hinge."},
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  TN_TRY(tni_rows_link(b, item, joint, &rows));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_revolute_spherical = {
    {"revolute_spherical",
     "Massless rod with a hinge on the first body and a ball on the second.",
     keys, TNI_COUNT(keys)},
    build};
