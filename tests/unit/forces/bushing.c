/* bushing: potential, tangents, small and large motions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "properties.h"

#define FULL                                                                                    \
  "[[9, 1, 0, 0, 2, 0], [1, 8, 1, 0, 0, 1], [0, 1, 7, 1, 0, 0], [0, 0, 1, 5, 1, 0], "            \
  "[2, 0, 0, 1, 4, 1], [0, 1, 0, 0, 1, 3]]"

static void every_variant_has_exact_tangents_and_balanced_power(void) {
  rig r;
  rig_begin(&r);
  properties_hold(&r, rig_force(&r, "bushing", "a", "bodies: [a, b]; at: [0.1, 0.2, 0.3]; "
                                "stiffness: " FULL "; preload: [1, 2, 3, 0.4, 0.5, 0.6]"),
                  CONSERVATIVE | INTERNAL);
  properties_hold(&r, rig_force(&r, "bushing", "b", "bodies: [c, b]; at: b.tip; axis: [1, 1, 2]; "
                                "stiffness: [1, 2, 3, 4, 5, 6]; damping: " FULL), INTERNAL);
  properties_hold(&r, rig_force(&r, "bushing", "c", "bodies: [ground, c]; at: [0, 0, 0]; "
                                "stiffness: [1, 2, 3, 4, 5, 6]; damping: [6, 5, 4, 3, 2, 1]"), 0);
  properties_hold(&r, rig_force(&r, "bushing", "d", "bodies: [c, ground]; at: [0, 0, 0]; "
                                "stiffness: [1, 2, 3, 4, 5, 6]"), CONSERVATIVE);
  rig_end(&r);
}

/* against the ground, moved and turned a little: F = -K (displacement, rotation vector) */
static void small_motions_meet_the_stiffness_matrix(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "bushing", "s", "bodies: [ground, a]; at: a.com; "
                                 "stiffness: " FULL);
  rig_initial_state(&r);
  rig_out o;
  rig_eval(&r, f, &o);
  for (int i = 0; i < 6; i++) CHECK_NEAR(o.f[i], 0, 1e-14);
  /* u: displacement; phi: rotation vector, both in ground axes */
  const double h = 1e-6, u[3] = {h, -2*h, 0.5*h}, phi[3] = {-h, 0.7*h, 2*h};
  double p[4], R[9], A[9], want[6], torque[3], x[6] = {u[0], u[1], u[2], phi[0], phi[1], phi[2]};
  static const double K[6][6] = {{9, 1, 0, 0, 2, 0}, {1, 8, 1, 0, 0, 1}, {0, 1, 7, 1, 0, 0},
                                 {0, 0, 1, 5, 1, 0}, {2, 0, 0, 1, 4, 1}, {0, 1, 0, 0, 1, 3}};
  vec3_add(r.kin[1].r, r.kin[1].r, u);
  quat_from_vector(p, phi);
  quat_matrix(R, p);
  mat3_mul(A, R, r.kin[1].A);
  memcpy(r.kin[1].A, A, sizeof(A));
  rig_eval(&r, f, &o);
  for (int i = 0; i < 6; i++) {
    want[i] = 0;
    for (int j = 0; j < 6; j++) want[i] -= K[i][j]*x[j];
  }
  mat3_vec(torque, r.kin[1].A, &o.f[3]);
  /* quadratic terms: K h^2 = 1e-11, K h = 1e-5 */
  for (int i = 0; i < 3; i++) {
    CHECK_WITHIN(o.f[i], want[i], 1e-10);
    CHECK_WITHIN(torque[i], want[3+i], 1e-10);
  }
  rig_end(&r);
}

/* a turn about one axis alone is resisted by that axis alone, however large */
static void large_turn_about_one_axis_is_linear(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "bushing", "s", "bodies: [ground, a]; at: a.com; "
                                 "stiffness: [0, 0, 0, 4, 5, 6]");
  rig_initial_state(&r);
  double A0[9];
  memcpy(A0, r.kin[1].A, sizeof(A0));
  for (int axis = 0; axis < 3; axis++) {
    double u[3] = {0, 0, 0}, p[4], R[9], torque[3];
    u[axis] = 2.5;
    quat_from_vector(p, u);
    quat_matrix(R, p);
    mat3_mul(r.kin[1].A, R, A0);
    rig_out o;
    rig_eval(&r, f, &o);
    mat3_vec(torque, r.kin[1].A, &o.f[3]);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(torque[i], i == axis ? -(4 + axis)*2.5 : 0, 1e-12);
  }
  rig_end(&r);
}

static void senseless_bushings_are_refused(void) {
  refused("bushing", "bodies: [a, a]; at: [0, 0, 0]",
          "rig:7: force 'it': connects 'a' with itself");
  refused("bushing", "bodies: [a, b]; at: [0, 0, 0]; stiffness: [[1, 2, 0, 0, 0, 0], "
          "[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], "
          "[0, 0, 0, 0, 0, 1]]",
          "rig:7: force 'it': stiffness entry (2, 1) = 0 and entry (1, 2) = 2 differ, must be "
          "symmetric");
}

int main(void) {
  RUN(every_variant_has_exact_tangents_and_balanced_power);
  RUN(small_motions_meet_the_stiffness_matrix);
  RUN(large_turn_about_one_axis_is_linear);
  RUN(senseless_bushings_are_refused);
  return REPORT();
}
