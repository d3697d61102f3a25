/* joints/coupler.c - linear relation of joint coordinates
 *
 *   coupling   sum_k factor_k q_k - value(t) = 0
 *
 * Without a value the sum keeps what it is at the start.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "joints", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED,
     .doc = "Joints whose coordinates are coupled, written before this one."},
    {.name = "coordinates", .kind = TNI_KIND_NAMES, .initial = "the first of each joint",
     .doc = "Their coordinates, one for each joint."},
    {.name = "factors", .kind = TNI_KIND_NUMBERS, .flags = TNI_REQUIRED,
     .doc = "Factor of each coordinate."},
    {.name = "value", .kind = TNI_KIND_EXPR, .initial = "as at the start",
     .doc = "What the sum has to be, an expression of t."},
    TNI_REFUSED_KEY(at), TNI_TIE_REFUSES,
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  const tni_value *factors = tni_item_get(item, "factors"), *value = tni_item_get(item, "value");
  int n = tni_joint_count(item, "joints");
  if (n < 1 || n > TNI_MAXTERM)
    return tni_item_fail(b->ctx, item, "joints", "couples %d joints, must be 1 to %d", n,
                         TNI_MAXTERM);
  if (factors->n != n)
    return tni_item_fail(b->ctx, item, "factors", "has %d factor%s for %d joint%s, must be "
                         "one for each", factors->n, factors->n == 1 ? "" : "s", n,
                         n == 1 ? "" : "s");
  int r = tni_rows_add(&rows, "coupling", "1"), first = 0, index = 0;
  for (int k = 0; k < n; k++) {
    tni_scalar s;
    TN_TRY(tni_joint_coord(b, item, k, NULL, NULL, &index, &s));
    if (k == 0) first = index;
    if (!value) TN_TRY(tni_joint_from_start(b, &s));
    tni_rows_term(&rows, r, factors->item[k].number, &s);
  }
  tni_joint_sides(b, joint, first, index);
  if (value) TN_TRY(tni_build_timefn(b, item, "value", value, &rows.row[r].motion));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_coupler = {
    {"coupler", "A weighted sum of joint coordinates is constant or follows a function of time.",
     keys, TNI_COUNT(keys)},
    build};
