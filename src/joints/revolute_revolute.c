/* joints/revolute_revolute.c - massless rod with parallel hinges at both ends
 *
 * The rod turns about the axis z0 through P of the first body and about the axis z1 through Q of
 * the second, d = Q - P:
 *   axis.1, .2 x0.z1 = 0, y0.z1 = 0
 *   offset     z0.d - c = 0
 *   distance   |d| - L = 0
 *   coordinate angle of the bodies about z
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "length", .kind = TNI_KIND_NUMBER, .unit = "m", .initial = "distance at the start",
     .doc = "Distance of the points at1 and at2, above 0."},
    {.name = "offset", .kind = TNI_KIND_NUMBER, .unit = "m", .initial = "as at the start",
     .doc = "Position of the second hinge along the axis of the first, from the first."},
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  tni_rows_parallel(&rows, joint);
  TN_TRY(tni_rows_link(b, item, joint, &rows));
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_revolute_revolute = {
    {"revolute_revolute",
     "Massless rod with parallel hinges on both bodies.", keys, TNI_COUNT(keys)},
    build};
