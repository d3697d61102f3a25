/* joints/gear.c - two joint coordinates in a fixed ratio
 *
 *   mesh       r1 (q1 - q1_start) + r2 (q2 - q2_start) = 0
 *
 * r1, r2 are radii or numbers of teeth: wheels that touch from outside turn in opposite senses. A
 * ratio k stands for q2 - q2_start = k (q1 - q1_start), r1 = -k, r2 = 1. When both joints have the
 * same first body (the carrier), this is the mesh of a planetary gear as well.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "joints", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED,
     .doc = "The two joints, written before this one."},
    {.name = "coordinates", .kind = TNI_KIND_NAMES, .initial = "angle",
     .doc = "Their coordinates, when a joint has several."},
    {.name = "radii", .kind = TNI_KIND_NUMBERS, .count = 2, .unit = "m",
     .doc = "Radii of the two wheels; a negative one is toothed inside."},
    {.name = "teeth", .kind = TNI_KIND_NUMBERS, .count = 2,
     .doc = "Numbers of teeth, in place of radii."},
    {.name = "ratio", .kind = TNI_KIND_NUMBER,
     .doc = "Turns of the second joint per turn of the first, in place of radii; negative for "
            "opposite senses."},
    TNI_REFUSED_KEY(at), TNI_TIE_REFUSES,
};

static tn_status get_factors(tni_builder *b, const tni_item *item, double factor[2],
                             const char **unit) {
  const tni_value *radii = tni_item_get(item, "radii"), *teeth = tni_item_get(item, "teeth");
  const tni_value *pair = radii ? radii : teeth, *ratio = tni_item_get(item, "ratio");
  if ((radii != NULL) + (teeth != NULL) + (ratio != NULL) != 1)
    return tni_item_fail(b->ctx, item, NULL, "needs exactly one of radii, teeth and ratio");
  const char *key = radii ? "radii" : teeth ? "teeth" : "ratio";
  factor[0] = pair ? pair->item[0].number : -ratio->number;
  factor[1] = pair ? pair->item[1].number : 1;
  *unit = radii ? "m" : teeth ? "1" : "rad";
  if (factor[0] == 0 || factor[1] == 0)
    return tni_item_fail(b->ctx, item, key, "%s has a zero, must not be", key);
  return TN_OK;
}

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  static const char *const wanted[2] = {"angle", "angle"};
  tni_rowset rows = {0};
  tni_scalar s[2];
  double factor[2] = {0, 0};
  const char *unit = NULL;
  TN_TRY(get_factors(b, item, factor, &unit));
  TN_TRY(tni_joint_pair(b, item, joint, wanted, NULL, s));
  int r = tni_rows_add(&rows, "mesh", unit);
  for (int i = 0; i < 2; i++) tni_rows_term(&rows, r, factor[i], &s[i]);
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_gear = {
    {"gear", "Two joint coordinates in a fixed ratio, as by gear wheels.", keys, TNI_COUNT(keys)},
    build};
