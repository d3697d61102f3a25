/* forces on joint coordinates: torsion springs and actuators
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "properties.h"

static void every_variant_has_exact_tangents_and_balanced_power(void) {
  rig r;
  rig_begin(&r);
  properties_hold(&r, rig_force(&r, "torsion_spring", "a", "joint: pin; stiffness: 3; "
                                "free_angle: 0.2; preload: 0.3"), CONSERVATIVE | INTERNAL);
  properties_hold(&r, rig_force(&r, "torsion_spring", "b", "joint: pin; "
                                "table: [[-4, -7], [-1, -2], [0, 0], [1, 1], [4, 9]]; "
                                "interpolation: spline"), CONSERVATIVE | INTERNAL);
  properties_hold(&r, rig_force(&r, "torsion_spring", "c", "joint: pin; coordinate: angle; "
                                "damping: 2; torque: \"sin(angle)*rate^2 + z(c.tip)*t\""), 0);
  properties_hold(&r, rig_force(&r, "torsion_spring", "d", "joint: pin; "
                                "damping_table: [[-5, -2], [0, 0], [1, 1], [5, 2]]; "
                                "interpolation: monotone"), INTERNAL);
  properties_hold(&r, rig_force(&r, "joint_force", "e", "joint: pin; force: \"t - gain*rate\""),
                  INTERNAL);
  properties_hold(&r, rig_force(&r, "joint_force", "f", "joint: pin; coordinate: displacement; "
                                "force: \"-3*value + vx(c)\""), 0);
  rig_end(&r);
}

/* about the axis of the joint: -T on the second body, +T on the first */
static void torsion_spring_turns_the_bodies_back(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "torsion_spring", "s",
                                 "joint: pin; stiffness: 3; damping: 2; free_angle: 0.1");
  rig_random_state(&r);
  /* put the z axes of the two joint frames together, b turned by 0.7 about it at a rate of 1.5 */
  const tni_joint *j = &r.model.joint[0];
  double R_Ga[9], turn[9], u[3] = {0, 0, 0.7}, p[4], X[9], z[3];
  mat3_mul(R_Ga, r.kin[1].A, j->frame[0].R);
  quat_from_vector(p, u);
  quat_matrix(turn, p);
  mat3_mul(X, R_Ga, turn);
  mat3_mult(r.kin[2].A, X, j->frame[1].R);
  mat3_column(z, R_Ga, 2);
  vec3_copy(r.kin[2].W, r.kin[1].W);
  vec3_addmul(r.kin[2].W, 1.5, z);
  mat3_tvec(r.kin[2].w, r.kin[2].A, r.kin[2].W);
  rig_out o;
  rig_eval(&r, f, &o);
  double T = 3*(0.7 - 0.1) + 2*1.5, got[3];
  CHECK_NEAR(o.o.value, T, 1e-14);
  for (int b = 0; b < 2; b++) {
    mat3_vec(got, r.kin[b+1].A, &o.f[6*b+3]);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(got[i], (b ? -T : T)*z[i], 1e-13);
      CHECK_NEAR(o.f[6*b+i], 0, 0);
    }
  }
  rig_end(&r);
}

static void senseless_joint_forces_are_refused(void) {
  refused("torsion_spring", "joint: pinn; stiffness: 1",
          "rig:7: force 'it': unknown joint 'pinn'; did you mean 'pin'?");
  refused("torsion_spring", "joint: pin; coordinate: displacement",
          "rig:7: force 'it': coordinate 'displacement' of joint 'pin' is not an angle; use a "
          "spring or a joint_force");
  refused("joint_force", "joint: pin; coordinate: swing; force: 1",
          "rig:7: force 'it': joint 'pin' (cylindrical) has no coordinate 'swing'; it has: angle, "
          "displacement");
  refused("joint_force", "joint: pin; force: angle",
          "rig:7: force 'it': key 'force': 'angle', column 1: 'angle': needs arguments; write "
          "angle(joint)");
}

int main(void) {
  RUN(every_variant_has_exact_tangents_and_balanced_power);
  RUN(torsion_spring_turns_the_bodies_back);
  RUN(senseless_joint_forces_are_refused);
  return REPORT();
}
