/* contact: distances to shapes, exact tangents and action = reaction in every branch
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_shape.h"
#include "properties.h"

static const tni_shape shapes[] = {{.kind = TNI_PLANE},
                                   {.kind = TNI_SPHERE, .radius = 0.3},
                                   {.kind = TNI_CAPSULE, .radius = 0.2, .half = {0, 0, 0.5}},
                                   {.kind = TNI_BOX, .half = {0.3, 0.4, 0.5}}};

static void normals_and_curvatures_are_derivatives_of_the_distance(void) {
  const double h = 1e-6;
  uint64_t seed = 42;
  for (int s = 0; s < TNI_COUNT(shapes); s++) {
    for (int k = 0; k < 40; k++) {
      double y[3], n[3], H[9], np[3], nm[3];
      for (int i = 0; i < 3; i++) y[i] = check_random(&seed);
      tni_shape_distance(&shapes[s], y, n, H);
      CHECK_NEAR(vec3_norm(n), 1, 1e-14);
      for (int j = 0; j < 3; j++) {
        double yp[3] = {y[0], y[1], y[2]}, ym[3] = {y[0], y[1], y[2]};
        yp[j] += h, ym[j] -= h;
        double dp = tni_shape_distance(&shapes[s], yp, np, NULL);
        double dm = tni_shape_distance(&shapes[s], ym, nm, NULL);
        CHECK_NEAR(n[j], (dp - dm)/(2*h), 1e-8);
        for (int i = 0; i < 3; i++) CHECK_NEAR(H[3*i+j], (np[i] - nm[i])/(2*h), 1e-7);
      }
    }
  }
}

/* the surface is where it should be: known points */
static void distances_of_known_points(void) {
  double n[3];
  CHECK_NEAR(tni_shape_distance(&shapes[0], (double[]){3, 4, -0.25}, n, NULL), -0.25, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[1], (double[]){0, 3, 4}, n, NULL), 4.7, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[2], (double[]){0, 0.6, 0.1}, n, NULL), 0.4, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[2], (double[]){0, 0.3, 0.9}, n, NULL), 0.3, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[3], (double[]){0.6, 0.8, 0.1}, n, NULL), 0.5, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[3], (double[]){0.2, 0, 0}, n, NULL), -0.1, 1e-15);
  double corner[TNI_SHAPE_MAXPROBE][3];
  CHECK_INT(tni_shape_probes(&shapes[3], corner), 8);
  for (int k = 0; k < 8; k++)
    CHECK_NEAR(tni_shape_distance(&shapes[3], corner[k], n, NULL), 0, 1e-15);
}

/* ---- branches ------------------------------------------------------------------------------ */

static void reverse(rig *r) {
  for (int i = 1; i <= RIG_BODIES; i++) {
    vec3_scale(r->kin[i].v, -1, r->kin[i].v);
    vec3_scale(r->kin[i].w, -1, r->kin[i].w);
    vec3_scale(r->kin[i].W, -1, r->kin[i].W);
  }
}

/* k times: switch at a state, turn the velocities round. From open it goes to loading, unloading,
 * resting; friction from sliding to sticking and on. */
static void go_through(rig *r, const tni_force *f, int k) {
  rig_refresh(r);
  for (int i = 0; i < k; i++) {
    f->ops->commit(f, &r->env, true, r->memory);
    if (i == 0) {
      /* approaching first, so that the next switch is the turn */
      double *g = r->memory + 40;
      f->ops->events(f, &r->env, g);
      if (g[1] < 0) continue;
    }
    reverse(r);
  }
}

static void tangents_hold_in_every_branch(void) {
  static const char *const keys[] = {
      "bodies: [a, ground]; radius1: 9; axis2: [1, 2, 3]; stiffness: 20; restitution: 0.9",
      "bodies: [a, b]; radius1: 9; at1: tip; at2: end; axis2: [1, 2, 3]; stiffness: 20; "
      "friction: 0.4; restitution: 0.95",
      "bodies: [b, c]; shape2: sphere; radius1: 4; radius2: 5; at2: end; stiffness: 20; "
      "friction: 0.4",
      "bodies: [b, c]; shape2: capsule; radius1: 4; radius2: 5; length2: 3; axis2: [1, 0, 1]; "
      "stiffness: 20; friction: 0.4; restitution: 0.8",
      "bodies: [b, c]; shape2: box; radius1: 4; size2: [0.2, 0.3, 0.4]; stiffness: 20; "
      "friction: 0.4; restitution: 0.8"};
  for (int c = 0; c < TNI_COUNT(keys); c++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = rig_force(&r, "contact", "it", keys[c]);
    for (int k = 0; k < 5; k++) {
      for (int s = 0; s < STATES; s++) {
        rig_random_state(&r);
        go_through(&r, f, k);
        rig_random_state(&r);
        tangent_holds(&r, f);
        if (f->nbody == 2) action_is_reaction(&r, f);
      }
    }
    rig_end(&r);
  }
}

/* power of the force = -change of the stored energy - heat, right after a switch */
static void power_balances_in_every_branch(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "contact", "it", "bodies: [a, b]; radius1: 9; at1: tip; "
                                 "axis2: [1, 2, 3]; stiffness: 20; friction: 0.4; "
                                 "restitution: 0.95");
  for (int k = 0; k < 5; k++) {
    for (int s = 0; s < STATES; s++) {
      rig_random_state(&r);
      go_through(&r, f, k);
      power_balances(&r, f);
    }
  }
  rig_end(&r);
}

static void senseless_contacts_are_refused(void) {
  refused("contact", "bodies: [a, a]; radius1: 1", "rig:7: force 'it': connects 'a' with itself");
  refused("contact", "bodies: [a, ground]",
          "rig:7: force 'it': shape1 is a sphere: 'radius1' is missing");
  refused("contact", "bodies: [a, ground]; radius1: 1; size2: [1, 1, 1]",
          "rig:7: force 'it': shape2 is a plane: it has no 'size2'");
  refused("contact", "bodies: [a, b]; shape1: box; size1: [1, 1, 1]; shape2: box; "
          "size2: [1, 1, 1]",
          "rig:7: force 'it': contact of a box with a box is not there; allowed: anything with a "
          "plane, a sphere with anything");
  refused("contact", "bodies: [a, b]; radius1: 1; stiffness: 1; duration: 1",
          "rig:7: force 'it': has 'stiffness' and 'duration': one follows from the other, give "
          "one");
}

int main(void) {
  RUN(normals_and_curvatures_are_derivatives_of_the_distance);
  RUN(distances_of_known_points);
  RUN(tangents_hold_in_every_branch);
  RUN(power_balances_in_every_branch);
  RUN(senseless_contacts_are_refused);
  return REPORT();
}
