/* joints/drive.c - prescribed motion: a joint coordinate or a point follows a function of time
 *
 *   motion     s(q) - f(t) = 0,      s a coordinate of a joint, or the position of a point along a
 *                                    direction fixed in the body it is measured from
 *   velocity   ds/dt - f(t) = 0      (nonholonomic row)
 *
 * Its multiplier is the driving torque or force.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/compound.h"
#include "joints/list.h"
#include "joints/parts.h"

const tni_key tni_drive_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .doc = "Joint that is driven."},
    {.name = "coordinate", .kind = TNI_KIND_TEXT, .initial = "the first of the joint",
     .doc = "Which of its coordinates: angle, displacement, x, y ..."},
    {.name = "point", .kind = TNI_KIND_POINT,
     .doc = "Point that is driven, in place of a joint: the name of a point as body.point."},
    {.name = "relative_to", .kind = TNI_KIND_POINT, .initial = "ground",
     .doc = "Point or body from which the position of the driven point is measured."},
    {.name = "direction", .kind = TNI_KIND_DIRECTION,
     .doc = "Direction in which it is measured, ground axes at the start; it turns with the body "
            "of relative_to."},
    {.name = "motion", .kind = TNI_KIND_EXPR,
     .doc = "What the coordinate [rad, m] has to be, an expression of t."},
    {.name = "velocity", .kind = TNI_KIND_EXPR,
     .doc = "What its rate [rad/s, m/s] has to be, an expression of t; in place of motion."},
};

/* rate of the only scalar */
static void rate_row(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                     unsigned what, tni_compound_row *out) {
  (void)c, (void)env, (void)s, (void)ds, (void)what;
  out->g[0] = 1;
}

static const tni_con_ops rate_ops = {.name = "velocity", .eval = tni_compound_eval};
static const char *const rate_name[1] = {"velocity"};
static const char *const rate_unit[2] = {"rad/s", "m/s"};

/* Turns of a driven angle are counted by the motion, not by the last step: it may turn far in one.
 * A screw is left alone: there the angle follows from the displacement. */
static bool counts_by_motion(const tni_builder *b, int driven, const tni_scalar *s) {
  return driven >= 0 && s->memory >= 0 && b->model->joint[driven].mobilizer != TNI_MOBIL_SCREW;
}

static double nearest_turn(double angle, double to) {
  const double turn = 6.283185307179586476925286766559;
  return angle - turn*round((angle - to)/turn);
}

/* value of the only scalar; data is not NULL when it is counted by the motion */
static void motion_row(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                       unsigned what, tni_compound_row *out) {
  (void)ds, (void)what;
  out->f = c->data ? nearest_turn(s[0], tni_expr_eval(c->motion.f, &env->t)) : s[0];
  out->g[0] = 1;
}

static void commit(const tni_con *con, const tni_env *env, bool at_event, double *memory) {
  (void)at_event;
  const tni_compound *c = con->data;
  const tni_scalar *s = &c->scalar[0];
  tni_scalar_out o;
  if (s->memory < 0) return;
  tni_scalar_at(s, env, TNI_S_VALUE, &o);
  memory[s->memory] = c->data ? nearest_turn(o.s, tni_expr_eval(c->motion.f, &env->t)) : o.s;
}

static const tni_con_ops motion_ops = {.name = "motion", .eval = tni_compound_eval, .commit = commit};
static const char *const motion_name[1] = {"motion"};
static const char *const motion_unit[2] = {"rad", "m"};

static tn_status drive_joint(tni_builder *b, const tni_item *item, tni_joint *joint,
                             tni_coord *coord, int *driven) {
  const char *name = tni_item_text(item, "joint", "");
  const tni_coord *found;
  TN_TRY(tni_build_joint_ref(b, item, "joint", name, driven));
  TN_TRY(tni_build_coord_ref(b, item, tni_item_has(item, "coordinate") ? "coordinate" : "joint",
                             name, tni_item_text(item, "coordinate", NULL), &found));
  *coord = *found;
  const tni_joint *other = &b->model->joint[*driven];
  for (int i = 0; i < 2; i++) {
    joint->body[i] = other->body[i];
    joint->frame[i] = other->frame[i];
  }
  return TN_OK;
}

static tn_status drive_point(tni_builder *b, const tni_item *item, tni_joint *joint,
                             tni_coord *coord) {
  const tni_value *point = tni_item_get(item, "point"), *from = tni_item_get(item, "relative_to");
  double z[3], s[2][3] = {{0, 0, 0}, {0, 0, 0}};
  if (point->form == TNI_LIST)
    return tni_item_fail(b->ctx, item, "point",
                         "must be the name of a point as body.point: coordinates do not say which "
                         "body is driven");
  if (!tni_item_direction(item, "direction", z))
    return tni_item_fail(b->ctx, item, NULL,
                         "key 'direction' is missing; must be x, y, z, -x, -y, -z or [x, y, z]");
  joint->body[0] = TNI_GROUND;
  TN_TRY(tni_build_point(b, item, "point", point, TNI_GROUND, false, &joint->body[1], s[1]));
  if (from)
    TN_TRY(tni_build_point(b, item, "relative_to", from, TNI_GROUND, false, &joint->body[0],
                           s[0]));
  if (joint->body[0] == joint->body[1])
    return tni_item_fail(b->ctx, item, "point",
                         "the driven point and what it is measured from both belong to '%s'",
                         tni_body_name(b->model, joint->body[0]));
  for (int i = 0; i < 2; i++)
    tni_joint_frame(b, joint->body[i], s[i], z, NULL, &joint->frame[i]);
  TN_TRY(tni_coord_along(b, joint, 2, "displacement"));
  *coord = joint->coord[0];
  return TN_OK;
}

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  const tni_value *motion = tni_item_get(item, "motion");
  const tni_value *velocity = tni_item_get(item, "velocity");
  bool by_joint = tni_item_has(item, "joint");
  tni_coord coord;
  tni_timefn f;
  int driven = -1;
  if (by_joint == tni_item_has(item, "point"))
    return tni_item_fail(b->ctx, item, NULL, "has %s 'joint' %s 'point', must have one of them",
                         by_joint ? "both" : "neither", by_joint ? "and" : "nor");
  if ((motion != NULL) == (velocity != NULL))
    return tni_item_fail(b->ctx, item, NULL, "has %s 'motion' %s 'velocity', must have one of them",
                         motion ? "both" : "neither", motion ? "and" : "nor");
  static const char *const idle[3] = {"coordinate", "relative_to", "direction"};
  for (int i = by_joint ? 1 : 0; i < (by_joint ? 3 : 1); i++)
    if (tni_item_has(item, idle[i]))
      return tni_item_fail(b->ctx, item, idle[i], "key '%s' means nothing for a %s", idle[i],
                           by_joint ? "joint" : "point");
  joint->is_drive = true;
  if (by_joint)
    TN_TRY(drive_joint(b, item, joint, &coord, &driven));
  else
    TN_TRY(drive_point(b, item, joint, &coord));
  TN_TRY(tni_build_timefn(b, item, motion ? "motion" : "velocity", motion ? motion : velocity,
                          &f));
  bool turning = coord.scalar.kind == TNI_SCALAR_ANGLE;
  tni_compound c = {.nscalar = 1, .scalar = {coord.scalar}, .motion = f};
  if (!motion) {
    c.rows = rate_row;
    return tni_compound_close(b, joint, &rate_ops, &c, true, 1, rate_name, &rate_unit[!turning]);
  }
  c.rows = motion_row;
  if (counts_by_motion(b, driven, &coord.scalar)) {
    static const bool counted = true;
    const double start = 0;
    double wanted = tni_expr_eval(f.f, &start);
    if (isfinite(wanted)) b->model->memory0[coord.scalar.memory] = wanted;
    c.data = &counted;
  }
  return tni_compound_close(b, joint, &motion_ops, &c, false, 1, motion_name,
                            &motion_unit[!turning]);
}

const tni_joint_type tni_joint_drive = {
    {"drive", "A joint coordinate or a point follows a function of time.", tni_drive_keys,
     TNI_DRIVE_NKEY},
    build};
