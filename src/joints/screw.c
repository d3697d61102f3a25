/* joints/screw.c - nut on a thread along the shared axis z
 *
 *   axis.1, .2   x0.z1 = 0, y0.z1 = 0
 *   offset.1, .2 x0.d = 0, y0.d = 0        d = p1 - p0
 *   thread       z0.d - pitch*angle/(2 pi) = 0
 *   coordinates  angle about z, displacement z0.d
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "pitch", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED, .unit = "m",
     .doc = "Advance along the axis per turn; negative for a left-hand thread."},
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  const double turn = 6.283185307179586476925286766559;
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_ANY));
  joint->mobilizer = TNI_MOBIL_SCREW;
  joint->pitch = tni_item_number(item, "pitch", 0);
  TN_TRY(tni_coord_angle(b, joint, "angle"));
  TN_TRY(tni_coord_along(b, joint, 2, "displacement"));
  tni_rows_parallel(&rows, joint);
  tni_rows_on_axis(&rows, joint);
  int r = tni_rows_add(&rows, "thread", "m");
  tni_rows_term(&rows, r, 1, &joint->coord[1].scalar);
  tni_rows_term(&rows, r, -joint->pitch/turn, &joint->coord[0].scalar);
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_screw = {
    {"screw",
     "Nut on a thread: one turn about the axis advances the second body by the pitch.",
     keys, TNI_COUNT(keys)},
    build};
