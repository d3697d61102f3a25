/* forces and torques on bodies
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "properties.h"

static void every_variant_has_exact_tangents_and_balanced_power(void) {
  static const char *const force[] = {
      "body: a; point: tip; force: [1, \"2*t\", \"gain*x(b.tip)\"]",
      "body: a; point: tip; frame: body; force: [1, \"-vy(a.end)\", 3]; torque: [t, \"wx(a)\", 2]",
      "body: a; force: [1, 2, 3]",
      "body: b; point: end; force: [1, \"speed(c.tip)\", \"distance(a, b.tip)\"]; "
      "torque: [1, \"rate(pin)\", \"angle(pin)\"]; reaction_on: c",
      "body: b; point: end; frame: body; force: [1, \"speed(c)\", 2]; torque: [1, 2, t]; "
      "reaction_on: a",
  };
  static const char *const torque[] = {
      "body: c; torque: [1, 2, \"-0.5*wz(c)*abs(wz(c))\"]; frame: body; reaction_on: a",
      "body: c; torque: [1, \"rate(pin, displacement)\", t]",
  };
  rig r;
  rig_begin(&r);
  char name[16];
  for (int i = 0; i < TNI_COUNT(force); i++) {
    snprintf(name, sizeof(name), "f%d", i);
    properties_hold(&r, rig_force(&r, "force", name, force[i]), i >= 3 ? INTERNAL : 0);
  }
  for (int i = 0; i < TNI_COUNT(torque); i++) {
    snprintf(name, sizeof(name), "t%d", i);
    properties_hold(&r, rig_force(&r, "torque", name, torque[i]), i == 0 ? INTERNAL : 0);
  }
  rig_end(&r);
}

/* P(t) = F . velocity of the point: independent of how f is split into force and torque */
static void power_is_force_times_velocity_of_the_point(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "force", "f",
                                 "body: a; point: tip; force: [1, -2, 3]");
  rig_random_state(&r);
  rig_out o;
  rig_eval(&r, f, &o);
  const tni_kin *k = &r.kin[1];
  double u[3], F[3] = {1, -2, 3};
  mat3_vec(u, k->A, r.model.body[0].marker[0].frame.p);
  vec3_cross(u, k->W, u);
  vec3_add(u, u, k->v);
  CHECK_NEAR(o.o.input, vec3_dot(F, u), 1e-14);
  CHECK_NEAR(o.o.value, sqrt(14), 1e-15);
  rig_end(&r);
}

/* a force given in ground coordinates acts there */
static void point_may_be_given_in_ground_coordinates(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "force", "f",
                                 "body: b; point: [1, 2, 3]; force: [0, 0, 5]");
  rig_initial_state(&r);
  rig_out o;
  rig_eval(&r, f, &o);
  double p[3] = {1, 2, 3}, F[3] = {0, 0, 5}, m[3], got[3];
  vec3_sub(p, p, r.kin[2].r);
  vec3_cross(m, p, F);
  mat3_vec(got, r.kin[2].A, &o.f[3]);
  for (int i = 0; i < 3; i++) CHECK_NEAR(got[i], m[i], 1e-13);
  rig_end(&r);
}

static void senseless_loads_are_refused(void) {
  refused("force", "body: ground; force: [1, 2, 3]",
          "rig:7: force 'it': acts on the ground, which does not move");
  refused("force", "body: a; force: [1, 2, 3]; point: b.tip",
          "rig:7: force 'it': point 'b.tip' is not on body 'a'");
  refused("force", "body: a", "rig:7: force 'it': has neither 'force' nor 'torque'");
  refused("torque", "body: a; torque: [1, 2, 3]; reaction_on: a",
          "rig:7: force 'it': has its reaction on 'a' itself: it would do nothing");
}

int main(void) {
  RUN(every_variant_has_exact_tangents_and_balanced_power);
  RUN(power_is_force_times_velocity_of_the_point);
  RUN(point_may_be_given_in_ground_coordinates);
  RUN(senseless_loads_are_refused);
  return REPORT();
}
