/* forces/joint_force.c - actuator along a coordinate of a joint
 *
 * Force (N) or torque (N m) that drives the coordinate forward: f = F J^T. Its power F rate is
 * input.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"

typedef struct {
  tni_along along;
  tni_use use;
} actuator;

static void actuator_eval(const tni_force *force, const tni_env *env, unsigned what,
                          tni_force_out *out) {
  const actuator *d = force->data;
  tni_scalar_out o;
  tni_along_eval(&d->along, env, what, &o);
  double F = tni_use_eval(&d->use, env, 0, NULL, NULL, NULL);
  tni_along_apply(force, &d->along, env, what, &o, -F, 0, 0, &d->use, -1, out);
  out->input = F*o.rate;
  out->value = F;
}

static const tni_force_ops actuator_ops = {.name = "joint_force", .eval = actuator_eval};

static tn_status actuator_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &actuator_ops};
  actuator *d;
  const tni_coord *coord;
  const char *name = tni_item_text(item, "coordinate", NULL);
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(tni_build_coord_ref(b, item, name ? "coordinate" : "joint",
                             tni_item_text(item, "joint", ""), name, &coord));
  tni_scalar s = coord->scalar;
  const tni_local local[2] = {{"value", tni_measure_value(&s)}, {"rate", tni_measure_rate(&s)}};
  TN_TRY(tni_along_build(b, item, &force, &s, &d->along));
  TN_TRY(tni_use_build(b, item, &force, "force", tni_item_get(item, "force"), 0, local, 2,
                       &d->use));
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key actuator_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "The driven joint."},
    {.name = "coordinate", .kind = TNI_KIND_NAME, .initial = "first coordinate of the joint",
     .doc = "Name of the driven coordinate."},
    {.name = "force", .kind = TNI_KIND_EXPR, .flags = TNI_REQUIRED, .unit = "N or N m",
     .doc = "Force or torque that drives the coordinate forward: expression of t, measured "
            "quantities, and value and rate of this coordinate."},
};

const tni_force_type tni_force_joint_force = {
    {"joint_force", "Actuator that pushes or turns along a coordinate of a joint.", actuator_keys,
     TNI_COUNT(actuator_keys)},
    actuator_build};
