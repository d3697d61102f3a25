/* joints/rolling.c - what the rolling joints share: the plane and the relative motion
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/rolling.h"

#include <float.h>

const tni_key tni_rolling_keys[] = {
    {.name = "radius", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN, .min = 0,
     .max = DBL_MAX, .unit = "m", .doc = "Radius of what rolls."},
    {.name = "normal", .kind = TNI_KIND_DIRECTION, .initial = "z (planar models: y)",
     .doc = "Normal of the plane of the first body, ground axes at the start, towards the wheel; "
            "at1 is a point of the plane (default: where the wheel touches at the start)."},
    TNI_REFUSED_KEY(axis1), TNI_REFUSED_KEY(x1), TNI_REFUSED_KEY(frame1),
};

tn_status tni_rolling_frames(tni_builder *b, const tni_item *item, tni_joint *joint, bool disk,
                             double *radius) {
  double n[3] = {0, 0, 1}, up[3], p[3], s[3];
  if (disk)
    TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  else
    TN_TRY(tni_joint_need_bodies(b, item, joint));
  if (b->model->planar) vec3_set(n, 0, 1, 0);
  tni_item_direction(item, "normal", n);
  *radius = tni_item_number(item, "radius", 0);

  vec3_copy(up, n);
  if (disk) {
    double a[3];
    tni_joint_axis(b, joint, 1, 2, a);
    vec3_addmul(up, -vec3_dot(n, a), a);
    /* sine of the tilt: a disk that lies flat touches everywhere */
    if (vec3_norm(up) < 1e-6)
      return tni_item_fail(b->ctx, item, "axis",
                           "the axis of the disk is normal to the plane at the start, so that it "
                           "lies flat; must roll on its edge");
    vec3_normalize(up, up);
  }
  tni_kin kin;
  tni_build_pose(b, joint->body[1], &kin);
  mat3_vec(p, kin.A, joint->frame[1].p);
  vec3_add(p, p, kin.r);
  vec3_addmul(p, -*radius, up);
  if (tni_item_has(item, "at1"))
    vec3_copy(s, joint->frame[0].p);
  else
    tni_build_to_body(b, joint->body[0], p, s);
  double x[3];
  const double *reference = tni_item_direction(item, "x", x) ? x : NULL;
  tni_joint_frame(b, joint->body[0], s, n, reference, &joint->frame[0]);
  TN_TRY(tni_coord_along(b, joint, 0, "x"));
  return tni_coord_along(b, joint, 1, "y");
}

tni_scalar tni_rolling_gap(const tni_joint *joint, int i) {
  return tni_scalar_dot(joint->body[0], joint->body[1], tni_joint_axisq(joint, 0, i),
                        tni_joint_gapq(joint), 0);
}

tni_scalar tni_rolling_turn(const tni_joint *joint, int i, int k) {
  return tni_scalar_dot(joint->body[0], joint->body[1], tni_joint_axisq(joint, 0, i),
                        tni_joint_axisq(joint, 1, k), 0);
}
