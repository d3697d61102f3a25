/* joints/inline.c - a point of the second body stays on a line of the first
 *
 *   offset.1, .2 x0.d = 0, y0.d = 0        d = p1 - p0, z0 along the line
 *   coordinate   displacement z0.d
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .doc = "Body that carries the point."},
    {.name = "point", .kind = TNI_KIND_POINT, .unit = "m",
     .doc = "The point, in the ground frame at the start, or its name; short for bodies and at."},
    {.name = "on", .kind = TNI_KIND_BODY, .initial = "ground",
     .doc = "Body that carries the line."},
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_point_on(b, item, joint));
  tni_rows_on_axis(&rows, joint);
  TN_TRY(tni_coord_along(b, joint, 2, "displacement"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_inline = {
    {"inline",
     "A point of the second body stays on a line of the first.", keys, TNI_COUNT(keys)},
    build};
