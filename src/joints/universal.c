/* joints/universal.c - Cardan joint: a cross with one axis in each body
 *
 * a0 and a1 are the axes of the cross, fixed in the first and second body. Frame 0 has z0 = a0,
 * frame 1 has y1 = a1; when the axes are normal to each other at the start, the frames coincide
 * there, and later
 *   R_01 = Rz(angle1) Ry(angle2)
 * x1 and x2 set other x axes and with them other zeros: angle1 is 0 where a1 lies along a0 x x1, angle2
 * where x2 is normal to a0.
 *
 *   x, y, z     p1 - p0 = 0 (ground axes)
 *   cross       z0.y1 = 0
 *   coordinates angle1 = atan2(-x0.y1, y0.y1), angle2 = atan2(-z0.x1, z0.z1)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

/* frames of both sides from the axes of the cross; false: these are parallel */
static bool set_frames(const tni_builder *b, const tni_item *item, tni_joint *joint) {
  static const char *const own[2] = {"x1", "x2"}, *const frame[2] = {"frame1", "frame2"};
  double a[2][3], x[2][3], z[3], p[2][3], normal[3];
  for (int i = 0; i < 2; i++) {
    tni_joint_axis(b, joint, i, 2, a[i]);
    tni_joint_axis(b, joint, i, 0, x[i]);
    vec3_copy(p[i], joint->frame[i].p);
  }
  vec3_cross(normal, a[1], a[0]);
  /* sine of the angle: below this the normal would be made of rounding errors */
  if (vec3_norm(normal) < 1e-6) return false;
  vec3_normalize(normal, normal);
  /* without references the angles count from the position written */
  for (int i = 0; i < 2; i++)
    if (!tni_item_has(item, "x") && !tni_item_has(item, own[i]) && !tni_item_has(item, frame[i]))
      vec3_copy(x[i], normal);
  vec3_cross(z, x[1], a[1]);
  tni_joint_frame(b, joint->body[0], p[0], a[0], x[0], &joint->frame[0]);
  tni_joint_frame(b, joint->body[1], p[1], z, x[1], &joint->frame[1]);
  return true;
}

/* coordinate atan2(-u.v, c.d), counted through turns */
static tn_status add_angle(tni_builder *b, tni_joint *joint, tni_vecq u, tni_vecq v, tni_vecq c,
                           tni_vecq d, const char *name) {
  tni_scalar s = tni_scalar_dot(joint->body[0], joint->body[1], u, v, 0);
  s.kind = TNI_SCALAR_ANGLE;
  s.term[0].weight = -1;
  s.nsin = 1;
  s.nterm = 2;
  s.term[1].weight = 1;
  s.term[1].a = c;
  s.term[1].b = d;
  TN_TRY(tni_build_memory(b, tni_joint_initial(b, &s), &s.memory));
  return tni_coord_scalar(b, joint, &s, name, "rad");
}

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  TN_TRY(tni_joint_need_axes(b, item));
  if (!set_frames(b, item, joint))
    return tni_item_fail(b->ctx, item, "axis2",
                         "axis1 and axis2 are parallel at the start, must be the two arms of a "
                         "cross");
  tni_rows_point(&rows, joint);
  tni_rows_normal(&rows, joint, 2, 1, "cross");
  joint->mobilizer = TNI_MOBIL_UNIVERSAL;
  tni_vecq x0 = tni_joint_axisq(joint, 0, 0), y0 = tni_joint_axisq(joint, 0, 1);
  tni_vecq z0 = tni_joint_axisq(joint, 0, 2), x1 = tni_joint_axisq(joint, 1, 0);
  tni_vecq y1 = tni_joint_axisq(joint, 1, 1), z1 = tni_joint_axisq(joint, 1, 2);
  TN_TRY(add_angle(b, joint, x0, y1, y0, y1, "angle1"));
  TN_TRY(add_angle(b, joint, z0, x1, z0, z1, "angle2"));
  return tni_rows_close(b, joint, &rows);
}

const tni_joint_type tni_joint_universal = {
    {"universal",
     "Cardan joint: a cross with axis1 fixed in the first body and axis2 in the second.", NULL, 0},
    build};
