/* forces/torsion_spring.c - rotational spring, damper and actuator on an angle of a joint
 *
 *   torque T = k (angle - free_angle) + preload + table + c rate + damping_table + torque(...)
 *
 * acts against the growth of the angle: -T on the second body of the joint about its axis, +T on
 * the first. The angle is counted through full turns, so a clock spring winds up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"
#include "forces/law.h"

typedef struct {
  tni_along along;
  tni_law law;
  bool actuated;
  tni_use use;
} torsion;

static void torsion_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const torsion *d = force->data;
  tni_scalar_out o;
  tni_law_out w;
  tni_along_eval(&d->along, env, what, &o);
  tni_law_eval(&d->law, o.s, o.rate, &w);
  double Ta = d->actuated ? tni_use_eval(&d->use, env, 0, NULL, NULL, NULL) : 0;
  double T = w.Fe + w.Fd + Ta;
  tni_along_apply(force, &d->along, env, what, &o, T, w.Fe_s, w.Fd_ds,
                  d->actuated ? &d->use : NULL, 1, out);
  out->potential = w.energy;
  out->dissipated = w.Fd*o.rate;
  out->input = -Ta*o.rate;
  out->value = T;
}

static const tni_force_ops torsion_ops = {.name = "torsion_spring", .eval = torsion_eval};

/* the named coordinate, or the first angle of the joint */
static tn_status torsion_angle(tni_builder *b, const tni_item *item, tni_scalar *out) {
  const char *joint = tni_item_text(item, "joint", ""), *name = tni_item_text(item, "coordinate",
                                                                              NULL);
  const tni_coord *coord;
  int j;
  TN_TRY(tni_build_joint_ref(b, item, "joint", joint, &j));
  const tni_joint *jt = &b->model->joint[j];
  for (int k = 0; k < jt->ncoord && !name; k++)
    if (strcmp(jt->coord[k].unit, "rad") == 0) name = jt->coord[k].name;
  if (!name)
    return tni_item_fail(b->ctx, item, "joint", "%s joint '%s' has no angle to act on", jt->type,
                         joint);
  TN_TRY(tni_build_coord_ref(b, item, tni_item_has(item, "coordinate") ? "coordinate" : "joint",
                             joint, name, &coord));
  if (strcmp(coord->unit, "rad") != 0)
    return tni_item_fail(b->ctx, item, "coordinate", "coordinate '%s' of joint '%s' is not an "
                         "angle; use a spring or a joint_force", name, joint);
  *out = coord->scalar;
  return TN_OK;
}

static tn_status torsion_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &torsion_ops};
  torsion *d;
  tni_scalar s;
  double angle, rate;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(torsion_angle(b, item, &s));
  TN_TRY(tni_along_build(b, item, &force, &s, &d->along));
  tni_along_initial(b, &s, &angle, &rate);
  TN_TRY(tni_law_build(b, item, "free_angle", angle, &s, &d->law));
  const tni_value *actuator = tni_item_get(item, "torque");
  if (actuator) {
    const tni_local local[2] = {{"angle", tni_measure_value(&s)}, {"rate", tni_measure_rate(&s)}};
    TN_TRY(tni_use_build(b, item, &force, "torque", actuator, 0, local, 2, &d->use));
    d->actuated = true;
  }
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key torsion_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "Joint with an angle."},
    {.name = "coordinate", .kind = TNI_KIND_NAME, .initial = "first angle of the joint",
     .doc = "Name of the angle."},
    {.name = "stiffness", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "N m/rad",
     .initial = "0", .doc = "Restoring torque per angle beyond the free angle."},
    {.name = "damping", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "N m s/rad",
     .initial = "0", .doc = "Restoring torque per rate of the angle."},
    {.name = "free_angle", .kind = TNI_KIND_NUMBER, .unit = "rad", .initial = "angle at t = 0",
     .doc = "Angle at which stiffness and table give no torque."},
    {.name = "preload", .kind = TNI_KIND_NUMBER, .unit = "N m", .initial = "0",
     .doc = "Restoring torque at the free angle."},
    {.name = "table", .kind = TNI_KIND_TABLE, .unit = "rad, N m",
     .doc = "Restoring torque against angle beyond the free angle, added to the stiffness."},
    {.name = "damping_table", .kind = TNI_KIND_TABLE, .unit = "rad/s, N m",
     .doc = "Restoring torque against rate, added to the damping."},
    {.name = "interpolation", .kind = TNI_KIND_CHOICE, .initial = "linear",
     .choices = "linear|monotone|spline",
     .doc = "Between the points of the tables: straight, or cubic (monotone keeps the rise and "
            "fall of the points, spline is smoother). Beyond the ends they go on straight."},
    {.name = "torque", .kind = TNI_KIND_EXPR, .unit = "N m",
     .doc = "Further restoring torque: expression of t, measured quantities and this spring's "
            "angle and rate. For a motor that drives forward use joint_force."},
};

const tni_force_type tni_force_torsion_spring = {
    {"torsion_spring",
     "Spring, damper and actuator on an angle of a joint; positive torque turns the bodies back.",
     torsion_keys, TNI_COUNT(torsion_keys)},
    torsion_build};
