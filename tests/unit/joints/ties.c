/* Joints that tie coordinates of other joints, and prescribed motions
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/joint_rig.h"

static const char *const names[] = {"ground", "a", "b", "c", "d"};

/* a joint of the given type between two bodies, random frames that coincide at the start */
static tni_joint *add(rig *g, const char *name, const char *type_name, int i0, int i1) {
  const tni_joint_type *type = rig_type(type_name);
  tni_joint *j = &g->joint[g->model.njoint];
  double p[3], z[3], x[3], s[3];
  char bodies[40];
  rig_random3(p, 0.5);
  rig_random3(z, 1);
  rig_random3(x, 1);
  vec3_normalize(z, z);
  j->body[0] = i0;
  j->body[1] = i1;
  for (int e = 0; e < 2; e++) {
    tni_build_to_body(&g->b, j->body[e], p, s);
    tni_joint_frame(&g->b, j->body[e], s, z, x, &j->frame[e]);
  }
  snprintf(bodies, sizeof(bodies), "[%s, %s]", names[i0 + 1], names[i1 + 1]);
  const char *const pairs[] = {"bodies", bodies, "axis", "z", NULL};
  CHECK_OK(g->ctx, rig_build(g, type, rig_item(g, name, type, pairs)));
  return j;
}

static tni_joint *add_tie(rig *g, const char *type_name, const char *const *pairs) {
  const tni_joint_type *type = type_name ? rig_type(type_name) : &tni_joint_drive;
  tni_joint *j = &g->joint[g->model.njoint];
  static const char *const name[] = {"tie1", "tie2", "tie3", "tie4"};
  j->body[0] = j->body[1] = TNI_GROUND; /* as compile leaves it without `bodies` */
  CHECK_OK(g->ctx, rig_build(g, type, rig_item(g, name[g->model.njoint - 2],
                                               type_name ? type : NULL, pairs)));
  return j;
}

/* residual of row 0 of a tie */
static double residual(const rig *g, const tni_joint *tie) {
  rig_out o = {.lambda = {0}};
  rig_eval(g, &g->model.con[tie->con0], &o);
  return o.phi[0];
}

static void set_turn(rig *g, const tni_joint *j, double angle, double along) {
  double R[9], d[3] = {0, 0, along};
  rig_turn_z(R, angle);
  rig_place(g, j, R, d);
}

/* two wheels on a moving carrier a: b and c turn against it */
static void wheels_of_a_gear_roll_on_each_other(void) {
  static const char *const keys[3][2] = {
      {"radii", "[0.2, 0.5]"}, {"teeth", "[20, 50]"}, {"ratio", "-0.4"}};
  for (int n = 0; n < 3; n++) {
    rig g;
    rig_begin(&g, 3);
    tni_joint *p = add(&g, "p", "revolute", 0, 1), *q = add(&g, "q", "cylindrical", 0, 2);
    const char *const pairs[] = {"joints", "[p, q]", keys[n][0], keys[n][1], NULL};
    tni_joint *gear = add_tie(&g, "gear", pairs);
    CHECK_INT(gear->ncoord, 0);
    CHECK_INT(gear->mobilizer, TNI_MOBIL_NONE);
    CHECK_INT(gear->body[0], 1);
    CHECK_INT(gear->body[1], 2);
    CHECK_INT(g.model.con[gear->con0].nrow, 1);
    CHECK_INT(g.model.con[gear->con0].nbody, 3);
    CHECK_INT(g.model.con[gear->con0].joint, 2);
    /* q turns by -0.4 of p, through many turns; sliding along does not matter */
    double angle = 0;
    for (int k = 0; k < 40; k++) {
      angle += 1.3;
      set_turn(&g, p, angle, 0);
      set_turn(&g, q, -0.4*angle, 0.1*k);
      CHECK_NEAR(residual(&g, gear), 0, 2e-12); /* teeth scale the rounding of 50 rad */
      rig_commit(&g);
    }
    rig_random_velocities(&g);
    rig_check(&g, &g.model.con[gear->con0]);
    CHECK_INT(rig_rank(&g, &g.model.con[gear->con0]), 1);
    rig_check_balance(&g, &g.model.con[gear->con0]);
    rig_end(&g);
  }
}

/* the mesh is what the start has: wheels that are turned there stay so */
static void gear_keeps_the_mesh_of_the_start(void) {
  rig g;
  rig_begin(&g, 2);
  tni_joint *p = add(&g, "p", "revolute", TNI_GROUND, 0);
  tni_joint *q = add(&g, "q", "revolute", TNI_GROUND, 1);
  /* turn b before the gear is built */
  set_turn(&g, q, 2.5, 0);
  quat_from_matrix(g.body[1].p0, g.kin[2].A);
  vec3_copy(g.body[1].r0, g.kin[2].r);
  const char *const pairs[] = {"joints", "[p, q]", "ratio", "2", NULL};
  tni_joint *gear = add_tie(&g, "gear", pairs);
  CHECK_NEAR(residual(&g, gear), 0, 1e-15);
  set_turn(&g, p, 0.4, 0);
  set_turn(&g, q, 3.3, 0); /* beyond half a turn */
  CHECK_NEAR(residual(&g, gear), 0, 1e-14);
  rig_end(&g);
}

static void pinion_moves_the_rack(void) {
  rig g;
  rig_begin(&g, 3);
  tni_joint *p = add(&g, "p", "revolute", 0, 1), *q = add(&g, "q", "prismatic", 0, 2);
  const char *const pairs[] = {"joints", "[p, q]", "radius", "0.15", NULL};
  tni_joint *rack = add_tie(&g, "rack_pinion", pairs);
  for (int k = 0; k < 20; k++) {
    double angle = -1.1*k;
    set_turn(&g, p, angle, 0);
    set_turn(&g, q, 0, 0.15*angle);
    CHECK_NEAR(residual(&g, rack), 0, 1e-13);
    rig_commit(&g);
  }
  rig_random_velocities(&g);
  rig_check(&g, &g.model.con[rack->con0]);
  rig_check_balance(&g, &g.model.con[rack->con0]);
  rig_end(&g);
}

static void coupler_sums_coordinates(void) {
  rig g;
  rig_begin(&g, 4);
  tni_joint *p = add(&g, "p", "revolute", 0, 1), *q = add(&g, "q", "cylindrical", 1, 2);
  const char *const pairs[] = {"joints", "[p, q, q]", "coordinates", "[angle, displacement, angle]",
                               "factors", "[2, 3, -0.5]", "value", "0.1*sin(3*t) - t^2", NULL};
  tni_joint *tie = add_tie(&g, "coupler", pairs);
  g.t = 0.4;
  set_turn(&g, p, 0.7, 0);
  set_turn(&g, q, -1.2, 0.35);
  double want = 2*0.7 + 3*0.35 + 0.5*1.2 - (0.1*sin(1.2) - 0.16);
  CHECK_NEAR(residual(&g, tie), want, 1e-14);
  rig_random_velocities(&g);
  rig_check(&g, &g.model.con[tie->con0]);
  rig_check_balance(&g, &g.model.con[tie->con0]);
  CHECK_INT(g.model.con[tie->con0].nbody, 3);

  /* without a value the sum keeps what the start has */
  const char *const rest[] = {"joints", "[p, q]", "factors", "[1, 1]", NULL};
  tni_joint *keep = add_tie(&g, "coupler", rest);
  CHECK_NEAR(residual(&g, keep), 0, 1e-15);
  set_turn(&g, p, 0.25, 0);
  set_turn(&g, q, 0.3, -0.25);
  CHECK_NEAR(residual(&g, keep), 0, 1e-14);
  rig_end(&g);
}

/* ---- drives -------------------------------------------------------------------------------- */

static void drive_prescribes_an_angle(void) {
  rig g;
  rig_begin(&g, 2);
  tni_joint *p = add(&g, "p", "cylindrical", 0, 1);
  add(&g, "q", "spherical", 0, 1);
  const char *const pairs[] = {"joint", "p", "coordinate", "angle", "motion", "0.2 + 3*t + t^4",
                               NULL};
  tni_joint *drive = add_tie(&g, NULL, pairs);
  CHECK(drive->is_drive);
  CHECK_INT(drive->body[0], 0);
  CHECK_INT(drive->body[1], 1);
  CHECK_TEXT(g.model.con[drive->con0].rowname[0], "motion");
  CHECK_TEXT(g.model.con[drive->con0].rowunit[0], "rad");
  /* followed through many turns, in steps of up to several of them */
  for (int k = 0; k <= 40; k++) {
    g.t = 0.1*k;
    double angle = 0.2 + 3*g.t + pow(g.t, 4);
    set_turn(&g, p, angle, 0.3);
    CHECK_NEAR(residual(&g, drive), 0, 1e-12);
    rig_commit(&g);
    CHECK_NEAR(rig_coord(&g, p, 1), angle, 1e-12);
  }
  rig_random_velocities(&g);
  rig_check(&g, &g.model.con[drive->con0]);
  rig_check_balance(&g, &g.model.con[drive->con0]);
  rig_end(&g);
}

/* A motion that begins at 3.5 rad, or many turns away, is met without unwinding a turn; a gear on
 * the same joint does not notice. */
static void drive_starts_on_any_turn(void) {
  static const char *const motion[] = {"3.5 + t", "-40 + 2*t", "pi"};
  static const double start[] = {3.5, -40, 3.14159265358979323846};
  for (int n = 0; n < 3; n++) {
    rig g;
    rig_begin(&g, 2);
    tni_joint *p = add(&g, "p", "revolute", TNI_GROUND, 0);
    add(&g, "q", "revolute", TNI_GROUND, 1);
    set_turn(&g, p, start[n], 0);
    quat_from_matrix(g.body[0].p0, g.kin[1].A);
    vec3_copy(g.body[0].r0, g.kin[1].r);
    const char *const ratio[] = {"joints", "[p, q]", "ratio", "1", NULL};
    const char *const pairs[] = {"joint", "p", "motion", motion[n], NULL};
    tni_joint *gear = add_tie(&g, "gear", ratio), *drive = add_tie(&g, NULL, pairs);
    CHECK_NEAR(residual(&g, drive), 0, 1e-13);
    CHECK_NEAR(residual(&g, gear), 0, 1e-13);
    CHECK_NEAR(rig_coord(&g, p, 0), start[n], 1e-13);
    rig_end(&g);
  }
}

static void drive_moves_a_point(void) {
  rig g;
  rig_begin(&g, 2);
  add(&g, "p", "spherical", 0, 1);
  add(&g, "q", "spherical", TNI_GROUND, 1);
  static tni_marker tip = {"tip", {{0.3, -0.2, 0.4}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  static tni_marker eye = {"eye", {{-0.1, 0.2, 0.1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  g.body[1].nmarker = g.body[0].nmarker = 1;
  g.body[1].marker = &tip;
  g.body[0].marker = &eye;
  const char *const ground[] = {"point", "b.tip", "direction", "y", "motion", "0.3*cos(2*t)", NULL};
  const char *const other[] = {"point", "b.tip", "relative_to", "a.eye", "direction", "[1, 2, 2]",
                               "motion", "t^2", NULL};
  tni_joint *d1 = add_tie(&g, NULL, ground), *d2 = add_tie(&g, NULL, other);
  CHECK_INT(d1->body[0], TNI_GROUND);
  CHECK_INT(d1->body[1], 1);
  CHECK_INT(d2->body[0], 0);
  g.t = 0.6;
  double p[3], e[3], n[3] = {1.0/3, 2.0/3, 2.0/3};
  mat3_vec(p, g.kin[2].A, tip.frame.p);
  vec3_add(p, p, g.kin[2].r);
  mat3_vec(e, g.kin[1].A, eye.frame.p);
  vec3_add(e, e, g.kin[1].r);
  CHECK_NEAR(residual(&g, d1), p[1] - 0.3*cos(1.2), 1e-14);
  vec3_sub(p, p, e);
  CHECK_NEAR(residual(&g, d2), vec3_dot(n, p) - 0.36, 1e-14);
  rig_random_velocities(&g);
  rig_check(&g, &g.model.con[d1->con0]);
  rig_check(&g, &g.model.con[d2->con0]);
  rig_check_balance(&g, &g.model.con[d2->con0]);
  rig_end(&g);
}

static void drive_prescribes_a_velocity(void) {
  rig g;
  rig_begin(&g, 2);
  tni_joint *p = add(&g, "p", "revolute", 0, 1);
  add(&g, "q", "prismatic", 0, 1);
  const char *const spin[] = {"joint", "p", "velocity", "2 - sin(5*t)", NULL};
  const char *const slide[] = {"joint", "q", "velocity", "0.1", NULL};
  tni_joint *d1 = add_tie(&g, NULL, spin), *d2 = add_tie(&g, NULL, slide);
  const tni_con *c1 = &g.model.con[d1->con0], *c2 = &g.model.con[d2->con0];
  CHECK(c1->nonholonomic && c2->nonholonomic);
  CHECK_TEXT(c1->rowname[0], "velocity");
  CHECK_TEXT(c1->rowunit[0], "rad/s");
  CHECK_TEXT(c2->rowunit[0], "m/s");
  g.t = 0.8;
  rig_random_velocities(&g);
  rig_check(&g, c1);
  rig_check(&g, c2);
  rig_check_balance(&g, c1);
  /* turning with 2 - sin(5 t) against a moving first body: W1 = W0 + rate z, v about the hinge */
  double z[3], rho[3], x[3], v[6], rate = 2 - sin(4.0);
  set_turn(&g, p, 0.3, 0);
  const tni_kin *k0 = &g.kin[1], *k1 = &g.kin[2];
  mat3_column(x, p->frame[0].R, 2);
  mat3_vec(z, k0->A, x);
  double W[3];
  vec3_copy(W, k0->W);
  vec3_addmul(W, rate, z);
  mat3_vec(rho, k0->A, p->frame[0].p);
  vec3_cross(v, k0->W, rho);
  vec3_add(v, v, k0->v);
  mat3_vec(rho, k1->A, p->frame[1].p);
  vec3_cross(x, W, rho);
  vec3_sub(v, v, x);
  mat3_tvec(v + 3, k1->A, W);
  rig_set_velocity(&g, 1, v);
  rig_out o = {.lambda = {0}};
  rig_eval(&g, c1, &o);
  CHECK_NEAR(rig_rate(&g, c1, &o, 0) + o.phi_t[0], 0, 1e-14);
  rig_end(&g);
}

/* a screw keeps its angle and displacement together whatever is prescribed */
static void drive_of_a_screw_does_not_shift_its_thread(void) {
  rig g;
  rig_begin(&g, 2);
  add(&g, "p", "revolute", TNI_GROUND, 1);
  const tni_joint_type *type = rig_type("screw");
  tni_joint *j = &g.joint[1];
  *j = g.joint[0];
  j->body[1] = 0;
  j->ncoord = j->ncon = 0;
  double z[3] = {0, 0, 1}, s[3] = {0, 0, 0};
  tni_joint_frame(&g.b, TNI_GROUND, s, z, NULL, &j->frame[0]);
  tni_build_to_body(&g.b, 0, s, s);
  tni_joint_frame(&g.b, 0, s, z, NULL, &j->frame[1]);
  const char *const keys[] = {"bodies", "[ground, a]", "axis", "z", "pitch", "0.01", NULL};
  CHECK_OK(g.ctx, rig_build(&g, type, rig_item(&g, "nut", type, keys)));
  const char *const pairs[] = {"joint", "nut", "coordinate", "angle", "motion", "50", NULL};
  tni_joint *drive = add_tie(&g, NULL, pairs);
  CHECK_NEAR(residual(&g, drive), -50, 1e-13); /* to be moved there by assembly */
  rig_out o = {.lambda = {0}};
  rig_eval(&g, &g.model.con[j->con0], &o);
  for (int r = 0; r < 5; r++) CHECK_NEAR(o.phi[r], 0, 1e-14);
  rig_end(&g);
}

int main(void) {
  RUN(wheels_of_a_gear_roll_on_each_other);
  RUN(gear_keeps_the_mesh_of_the_start);
  RUN(pinion_moves_the_rack);
  RUN(coupler_sums_coordinates);
  RUN(drive_prescribes_an_angle);
  RUN(drive_starts_on_any_turn);
  RUN(drive_moves_a_point);
  RUN(drive_prescribes_a_velocity);
  RUN(drive_of_a_screw_does_not_shift_its_thread);
  return REPORT();
}
