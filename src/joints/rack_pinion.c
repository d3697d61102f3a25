/* joints/rack_pinion.c - the angle of one joint moves another along
 *
 *   mesh       (x - x_start) - radius (angle - angle_start) = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "joints", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED,
     .doc = "The joint of the pinion and that of the rack, written before this one."},
    {.name = "coordinates", .kind = TNI_KIND_NAMES, .initial = "[angle, displacement]",
     .doc = "Their coordinates, when a joint has several."},
    {.name = "radius", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED, .unit = "m",
     .doc = "Displacement of the rack per radian of the pinion; negative for the opposite sense."},
    TNI_REFUSED_KEY(at), TNI_TIE_REFUSES,
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  static const char *const wanted[2] = {"angle", "displacement"}, *const unit[2] = {"rad", "m"};
  tni_rowset rows = {0};
  tni_scalar s[2];
  double radius = tni_item_number(item, "radius", 0);
  if (radius == 0)
    return tni_item_fail(b->ctx, item, "radius", "radius = 0 m, must not be 0");
  TN_TRY(tni_joint_pair(b, item, joint, wanted, unit, s));
  int r = tni_rows_add(&rows, "mesh", "m");
  tni_rows_term(&rows, r, 1, &s[1]);
  tni_rows_term(&rows, r, -radius, &s[0]);
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_rack_pinion = {
    {"rack_pinion", "Turning one joint moves another along, as by a pinion on a rack.", keys,
     TNI_COUNT(keys)},
    build};
