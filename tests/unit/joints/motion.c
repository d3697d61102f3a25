/* Whole motions of models with the less common joints: energy is kept, closed forms are met, both
 * representations agree
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/tenon.h>

#include "support/check.h"

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
} run;

static void begin(run *r, const char *text, const char *representation) {
  tn_run_opts opts = {.representation = representation, .tolerance = 1e-9, .until = 10};
  CHECK_OK(NULL, tn_ctx_create(NULL, &r->ctx));
  CHECK_OK(r->ctx, tn_spec_read_text(r->ctx, "test.yaml", text, NULL, 0, &r->spec));
  CHECK_OK(r->ctx, tn_model_compile(r->ctx, r->spec, &r->model));
  CHECK_OK(r->ctx, tn_sim_create(r->ctx, r->model, &opts, &r->sim));
}

static void end(run *r) {
  tn_sim_destroy(&r->sim);
  tn_model_destroy(&r->model);
  tn_spec_destroy(&r->spec);
  tn_ctx_destroy(&r->ctx);
}

static double coordinate(run *r, const char *joint, int k) {
  double value, rate;
  CHECK_OK(r->ctx, tn_sim_joint_coordinate(r->sim, tn_model_find_joint(r->model, joint), k, &value,
                                           &rate));
  return value;
}

static const char *const both[2] = {"cartesian", "joint"};

/* a rolling disk, a bead on a rail, a chain on a Cardan and a constant-velocity joint, a screw */
static const char *const free_models[] = {
    "bodies:\n"
    "  disk: {mass: 1, inertia: [0.01, 0.01, 0.02], at: [0, 0, 0.2], velocity: [1, 0, 0],\n"
    "         orientation: {z: [0, 1, 0.1], x: x}, angular_velocity: [0, 5, 0.5]}\n"
    "joints: {roll: {type: rolling_disk, bodies: [ground, disk], radius: 0.2, axis2: z}}\n",
    "bodies:\n"
    "  table: {mass: 3, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
    "  ball: {mass: 1, inertia: [0.01, 0.02, 0.03], at: [0.1, 0, 0.2],\n"
    "         angular_velocity: [1, 3, 2]}\n"
    "joints:\n"
    "  tilt: {type: revolute, bodies: [ground, table], at: [0, 0, 0], axis: x}\n"
    "  roll: {type: rolling_sphere, bodies: [table, ball], radius: 0.2}\n",
    "bodies: {bead: {mass: 1, inertia: [0.1, 0.2, 0.2], at: [1, 0, 1]}}\n"
    "joints:\n"
    "  rail: {type: curve, bodies: [ground, bead], closed: true,\n"
    "         points: [[1, 0, 1], [0, 1, 0.6], [-1, 0, 0.3], [-0.4, -1, 0.2], [0.8, -0.8, 0.6]]}\n",
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.2], at: [0.5, 0, 0], angular_velocity: [2, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.2], at: [1.5, 0, 0], angular_velocity: [2, 0, 0]}\n"
    "joints:\n"
    "  cross: {type: universal, bodies: [ground, a], at: [0, 0, 0], axis1: y, axis2: z}\n"
    "  tripod: {type: constant_velocity, bodies: [a, b], at: [1, 0, 0], axis: x}\n",
    "bodies: {nut: {mass: 1, inertia: [0.1, 0.2, 0.2]}}\n"
    "joints: {thread: {type: screw, bodies: [ground, nut], axis: z, pitch: 0.2}}\n",
};

static void free_motion_keeps_its_energy(void) {
  for (int n = 0; n < (int)(sizeof(free_models)/sizeof(free_models[0])); n++) {
    double pose[2][3], euler[4];
    for (int k = 0; k < 2; k++) {
      char text[2000];
      run r;
      tn_summary sum;
      snprintf(text, sizeof(text), "tenon: 1\ngravity: [0, 0, -9.81]\n%s", free_models[n]);
      begin(&r, text, both[k]);
      CHECK_OK(r.ctx, tn_sim_advance(r.sim, 2));
      tn_sim_summary(r.sim, &sum);
      /* tolerance 1e-9 a step, some hundred steps */
      CHECK(sum.energy_error <= 1e-6*sum.energy_scale);
      CHECK(sum.position_error < 1e-8);
      CHECK(sum.velocity_error < 1e-8);
      CHECK_OK(r.ctx, tn_sim_body_pose(r.sim, tn_model_nbody(r.model) - 1, pose[k], euler));
      if (sum.energy_error > 1e-6*sum.energy_scale)
        printf("  model %d %s: %g of %g\n", n, both[k], sum.energy_error, sum.energy_scale);
      end(&r);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(pose[1][i], pose[0][i], 1e-6);
  }
}

/* A disk set on its steady circle stays there. Radius a, lean b inwards, contact on a ring R,
 * precession p. Its axis is k = (cos b, 0, sin b), up within it u = (-sin b, 0, cos b), and
 * omega = p z - (p R/a) k. Euler's equation about the centre, I = m a^2/4 across and 2 I along k:
 *   m a (p^2 (R - a sin b) cos b - g sin b) = p cos b (-I p sin b + 2 I (p sin b - p R/a))
 *   p^2 (6 R - 5 a sin b) = 4 g tan b */
static void disk_keeps_its_steady_circle(void) {
  const double a = 0.3, b = 0.4, R = 1.1, g = 9.81;
  double p = sqrt(4*g*tan(b)/(6*R - 5*a*sin(b))), spin = -p*R/a;
  double axis[3] = {cos(b), 0, sin(b)}, c[3] = {R - a*sin(b), 0, a*cos(b)};
  char text[2000];
  snprintf(text, sizeof(text),
           "tenon: 1\ngravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  disk: {mass: 2, inertia: [%.17g, %.17g, %.17g], at: [%.17g, 0, %.17g],\n"
           "         orientation: {z: [%.17g, 0, %.17g], y: y}, velocity: [0, %.17g, 0],\n"
           "         angular_velocity: [%.17g, 0, %.17g]}\n"
           "joints:\n"
           "  roll: {type: rolling_disk, bodies: [ground, disk], radius: %.17g, axis2: z}\n",
           0.5*a*a, 0.5*a*a, a*a, c[0], c[2], axis[0], axis[2], p*c[0], spin*axis[0],
           p + spin*axis[2], a);
  for (int k = 0; k < 2; k++) {
    run r;
    begin(&r, text, both[k]);
    for (int n = 1; n <= 4; n++) {
      double x[3], e[4], t = 0.5*n;
      CHECK_OK(r.ctx, tn_sim_advance(r.sim, t));
      CHECK_OK(r.ctx, tn_sim_body_pose(r.sim, 0, x, e));
      CHECK_NEAR(x[0], c[0]*cos(p*t), 1e-6);
      CHECK_NEAR(x[1], c[0]*sin(p*t), 1e-6);
      CHECK_NEAR(x[2], c[2], 1e-6);
    }
    end(&r);
  }
}

/* a wheel of 0.1 m drives one of 0.2 m and a rack: one inertia, uniformly accelerated */
static void gear_train_accelerates_as_one(void) {
  static const char *const text =
      "tenon: 1\n"
      "bodies:\n"
      "  w1: {mass: 1, inertia: [1, 1, 0.02]}\n"
      "  w2: {mass: 1, inertia: [1, 1, 0.3], at: [0.3, 0, 0]}\n"
      "  rack: {mass: 2, inertia: [1, 1, 1], at: [0, 1, 0]}\n"
      "joints:\n"
      "  p1: {type: revolute, bodies: [ground, w1], at: [0, 0, 0], axis: z}\n"
      "  p2: {type: revolute, bodies: [ground, w2], at: [0.3, 0, 0], axis: z}\n"
      "  guide: {type: prismatic, bodies: [ground, rack], at: [0, 1, 0], axis: x}\n"
      "  mesh: {type: gear, joints: [p1, p2], radii: [0.1, 0.2]}\n"
      "  teeth: {type: rack_pinion, joints: [p2, guide], radius: 0.25}\n"
      "forces: {motor: {type: torque, body: w1, torque: [0, 0, 2]}}\n";
  double inertia = 0.02 + 0.25*(0.3 + 2*0.25*0.25), angle = 0.5*2/inertia*9;
  for (int k = 0; k < 2; k++) {
    run r;
    begin(&r, text, both[k]);
    CHECK_OK(r.ctx, tn_sim_advance(r.sim, 3));
    CHECK_NEAR(coordinate(&r, "p1", 0), angle, 1e-8); /* a dozen turns */
    CHECK_NEAR(coordinate(&r, "p2", 0), -angle/2, 1e-8);
    CHECK_NEAR(coordinate(&r, "guide", 0), -angle/8, 1e-8);
    end(&r);
  }
}

/* driven by position and by velocity, through turns: the counted angle is the motion */
static void driven_hinge_follows_its_motion(void) {
  static const char *const drive[2] = {"motion: \"pi + 8*t + sin(3*t)\"",
                                       "velocity: \"8 + 3*cos(3*t)\""};
  const double pi = 3.14159265358979323846;
  for (int n = 0; n < 4; n++) {
    char text[1000];
    run r;
    snprintf(text, sizeof(text),
             "tenon: 1\ngravity: [0, 0, -9.81]\n"
             "bodies: {arm: {mass: 1, inertia: [1, 1, 1], at: [%g, 0, 0], orientation: {axis: z, "
             "angle: %.17g}}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, arm], at1: [0, 0, 0], "
             "at2: [-1, 0, 0], axis: z, x1: x, x2: x}}\n"
             "drive: {motor: {joint: pin, %s}}\n",
             n % 2 ? 1.0 : -1.0, n % 2 ? 0 : pi, drive[n % 2]);
    begin(&r, text, both[n/2]);
    for (int k = 1; k <= 5; k++) {
      double t = 0.8*k;
      CHECK_OK(r.ctx, tn_sim_advance(r.sim, t));
      CHECK_NEAR(coordinate(&r, "pin", 0), (n % 2 ? 0 : pi) + 8*t + sin(3*t), 1e-7);
    }
    end(&r);
  }
}

int main(void) {
  RUN(free_motion_keeps_its_energy);
  RUN(disk_keeps_its_steady_circle);
  RUN(gear_train_accelerates_as_one);
  RUN(driven_hinge_follows_its_motion);
  return REPORT();
}
