/* joints/distance.c - massless rod with a ball at each end
 *
 *   distance   |d| - L = 0                  d = p1 - p0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "length", .kind = TNI_KIND_NUMBER, .unit = "m", .initial = "distance at the start",
     .doc = "Distance of the points at1 and at2, above 0."},
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  TN_TRY(tni_rows_distance(b, item, joint, &rows));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_distance = {
    {"distance",
     "Massless rod with a ball at each end: two points keep their distance.",
     keys, TNI_COUNT(keys)},
    build};
