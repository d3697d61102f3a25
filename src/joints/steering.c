/* joints/steering.c - a point moves in the direction that a path has where it is
 *
 *   y' - slope(x) x' = 0                                      (nonholonomic)
 *
 * x, y: position of a point of the second body along the first two axes of the frame in the first. The
 * velocity is steered, not the position: a point beside the path runs beside it. The multiplier is
 * the steering force.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/rolling.h"

static const tni_key keys[] = {
    {.name = "slope", .kind = TNI_KIND_EXPR, .flags = TNI_REQUIRED,
     .doc = "Slope dy/dx of the path as an expression of t, which stands for the position x here; x and "
            "y lie along the reference direction x and normal to it in the plane normal to the axis, "
            "measured from at1."},
};

static void row(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                unsigned what, tni_compound_row *out) {
  const tni_timefn *slope = c->data;
  (void)env;
  out->g[0] = -tni_expr_eval(slope->f, &s[0]);
  out->g[1] = 1;
  if (what & (TNI_C_ACCEL | TNI_C_TANGENT)) out->G[0][0] = -tni_expr_eval(slope->f_t, &s[0]);
  if (what & TNI_C_TANGENT) out->T[0] = -tni_expr_eval(slope->f_tt, &s[0])*ds[0]*ds[0];
}

static const tni_con_ops ops = {.name = "steering", .eval = tni_compound_eval};
static const char *const name[1] = {"steering"};
static const char *const unit[1] = {"m/s"};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_timefn *slope;
  TN_TRY(tni_joint_need_axis(b, item, joint, TNI_AXIS_TURN));
  TNI_ARENA_NEW(b->arena, slope, 1);
  TN_TRY(tni_build_slope(b, item, "slope", tni_item_get(item, "slope"), slope));
  tni_compound c = {.nscalar = 2, .rows = row, .data = slope};
  for (int i = 0; i < 2; i++) c.scalar[i] = tni_rolling_gap(joint, i);
  return tni_compound_close(b, joint, &ops, &c, true, 1, name, unit);
}

const tni_joint_type tni_joint_steering = {
    {"steering", "A point of the second body moves along the slope of a path where it is.", keys,
     TNI_COUNT(keys)},
    build};
