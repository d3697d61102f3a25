/* Joints between two bodies: for every type the motion it allows, in closed form, leaves no
 * residual at any level; all derivatives against differences; rows, rank, coordinates, balance of
 * reactions.
 *
 * The relative motion is written as orientation R and origin d of frame 1 in frame 0.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/joint_rig.h"

static const double turn = 6.283185307179586476925286766559;
static const double pitch = 0.3, length = 0.7, radius = 0.4, height = 0.25;

/* allowed motions, q [6] free */
static void move_fixed(const double q[6], double R[9], double d[3]) {
  (void)q;
  mat3_identity(R);
  vec3_set(d, 0, 0, 0);
}
static void move_spherical(const double q[6], double R[9], double d[3]) {
  rig_rotation(R, q);
  vec3_set(d, 0, 0, 0);
}
static void move_revolute(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[0]);
  vec3_set(d, 0, 0, 0);
}
static void move_prismatic(const double q[6], double R[9], double d[3]) {
  mat3_identity(R);
  vec3_set(d, 0, 0, q[0]);
}
static void move_cylindrical(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[1]);
  vec3_set(d, 0, 0, q[0]);
}
static void move_universal(const double q[6], double R[9], double d[3]) {
  double Z[9], Y[9], u[3] = {0, q[1], 0};
  rig_turn_z(Z, q[0]);
  rig_rotation(Y, u);
  mat3_mul(R, Z, Y);
  vec3_set(d, 0, 0, 0);
}
/* shafts that turn alike: undo the first shaft's turn, bend, turn the second by the same angle */
static void move_constant_velocity(const double q[6], double R[9], double d[3]) {
  double Z[9], B[9], ZB[9], u[3] = {q[1], 0, 0};
  rig_turn_z(Z, q[0]);
  rig_rotation(B, u);
  mat3_mul(ZB, Z, B);
  mat3_mult(R, ZB, Z);
  vec3_set(d, 0, 0, 0);
}
static void move_planar(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[2]);
  vec3_set(d, q[0], q[1], 0);
}
static void move_screw(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[0]);
  vec3_set(d, 0, 0, pitch*q[0]/turn);
}
static void move_inline(const double q[6], double R[9], double d[3]) {
  rig_rotation(R, q + 1);
  vec3_set(d, 0, 0, q[0]);
}
static void move_inplane(const double q[6], double R[9], double d[3]) {
  rig_rotation(R, q + 2);
  vec3_set(d, q[0], q[1], 0);
}
static void move_distance(const double q[6], double R[9], double d[3]) {
  rig_rotation(R, q + 2);
  vec3_set(d, length*cos(q[0])*cos(q[1]), length*sin(q[0])*cos(q[1]), length*sin(q[1]));
}
static void move_revolute_spherical(const double q[6], double R[9], double d[3]) {
  rig_rotation(R, q + 1);
  vec3_set(d, radius*cos(q[0]), radius*sin(q[0]), height);
}
static void move_revolute_revolute(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[0]);
  vec3_set(d, radius*cos(q[1]), radius*sin(q[1]), height);
}
static void move_parallel(const double q[6], double R[9], double d[3]) {
  rig_turn_z(R, q[0]);
  vec3_copy(d, q + 1);
}
static void move_perpendicular(const double q[6], double R[9], double d[3]) {
  double Z[9], Y[9], ZY[9], u[3] = {0, turn/4, 0};
  rig_turn_z(Z, q[0]);
  rig_rotation(Y, u);
  mat3_mul(ZY, Z, Y);
  rig_turn_z(Z, q[1]);
  mat3_mul(R, ZY, Z);
  vec3_copy(d, q + 2);
}
static void move_orientation(const double q[6], double R[9], double d[3]) {
  mat3_identity(R);
  vec3_copy(d, q);
}

typedef struct {
  const char *type;
  void (*move)(const double q[6], double R[9], double d[3]);
  int nrow;
  tni_mobilizer mobilizer;
  int ncoord;
  const char *coord[3];
  int free[3]; /* which q the coordinates are, -1: not compared */
  const char *key, *value;
} joint_case;

static const joint_case cases[] = {
    {"fixed", move_fixed, 6, TNI_MOBIL_FIXED, 0, {0}, {0}, NULL, NULL},
    {"spherical", move_spherical, 3, TNI_MOBIL_SPHERICAL, 0, {0}, {0}, NULL, NULL},
    {"revolute", move_revolute, 5, TNI_MOBIL_REVOLUTE, 1, {"angle"}, {0}, NULL, NULL},
    {"prismatic", move_prismatic, 5, TNI_MOBIL_PRISMATIC, 1, {"displacement"}, {0}, NULL, NULL},
    {"cylindrical", move_cylindrical, 4, TNI_MOBIL_CYLINDER, 2, {"displacement", "angle"}, {0, 1},
     NULL, NULL},
    {"universal", move_universal, 4, TNI_MOBIL_UNIVERSAL, 2, {"angle1", "angle2"}, {0, 1}, NULL,
     NULL},
    {"constant_velocity", move_constant_velocity, 4, TNI_MOBIL_NONE, 0, {0}, {0}, NULL, NULL},
    {"planar", move_planar, 3, TNI_MOBIL_PLANAR, 3, {"x", "y", "angle"}, {0, 1, 2}, NULL, NULL},
    {"screw", move_screw, 5, TNI_MOBIL_SCREW, 2, {"angle", "displacement"}, {0, -1}, "pitch",
     "0.3"},
    {"inline", move_inline, 2, TNI_MOBIL_NONE, 1, {"displacement"}, {0}, NULL, NULL},
    {"inplane", move_inplane, 1, TNI_MOBIL_NONE, 2, {"x", "y"}, {0, 1}, NULL, NULL},
    {"distance", move_distance, 1, TNI_MOBIL_NONE, 0, {0}, {0}, "length", "0.7"},
    {"revolute_spherical", move_revolute_spherical, 2, TNI_MOBIL_NONE, 0, {0}, {0}, NULL, NULL},
    {"revolute_revolute", move_revolute_revolute, 4, TNI_MOBIL_NONE, 1, {"angle"}, {0}, "offset",
     "0.25"},
    {"parallel", move_parallel, 2, TNI_MOBIL_NONE, 1, {"angle"}, {0}, NULL, NULL},
    {"perpendicular", move_perpendicular, 1, TNI_MOBIL_NONE, 0, {0}, {0}, NULL, NULL},
    {"orientation", move_orientation, 3, TNI_MOBIL_NONE, 0, {0}, {0}, NULL, NULL},
};

/* Build one joint between bodies i0 and i1 (TNI_GROUND allowed) with random frames, both bodies
 * placed as its motion has them at q = 0. */
static tni_joint *build_case(rig *g, const joint_case *c, int i0, int i1) {
  static const char *const names[] = {"ground", "a", "b"};
  const double zero[6] = {0};
  double R[9], d[3];
  char bodies[40];
  rig_begin(g, 2);
  for (int i = 0; i < 2; i++) tni_build_pose(&g->b, i, &g->kin[i + 1]);
  tni_joint *j = &g->joint[0];
  j->body[0] = i0;
  j->body[1] = i1;
  for (int e = 0; e < 2; e++) {
    rig_random3(j->frame[e].p, 0.5);
    rig_random_rotation(j->frame[e].R);
  }
  c->move(zero, R, d);
  rig_place(g, j, R, d);
  for (int i = 0; i < 2; i++) {
    vec3_copy(g->body[i].r0, g->kin[i + 1].r);
    quat_from_matrix(g->body[i].p0, g->kin[i + 1].A);
  }
  if (strcmp(c->type, "universal") == 0) {
    /* what compile hands over: z of frame 1 is the second arm of the cross, here its y */
    double x[3], y[3], z[3];
    mat3_column(x, j->frame[1].R, 0);
    mat3_column(y, j->frame[1].R, 1);
    mat3_column(z, j->frame[1].R, 2);
    mat3_columns(j->frame[1].R, z, x, y);
  }
  snprintf(bodies, sizeof(bodies), "[%s, %s]", names[i0 + 1], names[i1 + 1]);
  const char *const pairs[] = {"bodies", bodies, "axis1", "z", "axis2", "z", c->key, c->value,
                               NULL};
  const tni_joint_type *type = rig_type(c->type);
  CHECK_OK(g->ctx, rig_build(g, type, rig_item(g, "it", type, pairs)));
  return j;
}

/* pose of everything at q, the free body carried along a random straight path */
static void set_motion(rig *g, const joint_case *c, const tni_joint *j, const double q[6]) {
  double R[9], d[3];
  c->move(q, R, d);
  rig_place(g, j, R, d);
}

static void for_all_cases(void (*check)(const joint_case *c, rig *g, tni_joint *j)) {
  static const int ends[3][2] = {{0, 1}, {TNI_GROUND, 0}, {1, TNI_GROUND}};
  for (int n = 0; n < TNI_COUNT(cases); n++) {
    int before = check_failures;
    for (int e = 0; e < 3; e++) {
      rig g;
      tni_joint *j = build_case(&g, &cases[n], ends[e][0], ends[e][1]);
      check(&cases[n], &g, j);
      rig_end(&g);
    }
    if (check_failures != before) printf("  joint type %s\n", cases[n].type);
  }
}

static void check_description(const joint_case *c, rig *g, tni_joint *j) {
  CHECK_INT(g->model.ncon, 1);
  CHECK_INT(j->ncon, 1);
  CHECK_INT(j->con0, 0);
  CHECK_INT(g->model.con[0].joint, 0);
  CHECK_INT(g->model.con[0].nrow, c->nrow);
  CHECK_INT(g->model.con[0].nbody, (j->body[0] != TNI_GROUND) + (j->body[1] != TNI_GROUND));
  CHECK(!g->model.con[0].nonholonomic);
  CHECK_INT(j->mobilizer, c->mobilizer);
  CHECK_INT(j->ncoord, c->ncoord);
  for (int k = 0; k < c->ncoord; k++) CHECK_TEXT(j->coord[k].name, c->coord[k]);
  for (int r = 0; r < c->nrow; r++) {
    CHECK(g->model.con[0].rowname[r] && g->model.con[0].rowunit[r]);
    for (int s = 0; s < r; s++)
      CHECK(strcmp(g->model.con[0].rowname[r], g->model.con[0].rowname[s]) != 0);
  }
}
static void joints_describe_themselves(void) { for_all_cases(check_description); }

static void check_allowed(const joint_case *c, rig *g, tni_joint *j) {
  for (int n = 0; n < 10; n++) {
    double q[6];
    rig_out o = {.lambda = {0}};
    for (int i = 0; i < 6; i++) q[i] = n ? rig_random(1.2) : 0;
    if (j->body[0] != TNI_GROUND && j->body[1] != TNI_GROUND) {
      double A[9], r[3];
      rig_random_rotation(A);
      rig_random3(r, 1);
      rig_set_pose(g, j->body[0], A, r);
    }
    set_motion(g, c, j, q);
    rig_eval(g, &g->model.con[0], &o);
    for (int r = 0; r < c->nrow; r++) CHECK_NEAR(o.phi[r], 0, 1e-14);
    for (int k = 0; k < c->ncoord; k++)
      if (c->free[k] >= 0) CHECK_WITHIN(rig_coord(g, j, k), q[c->free[k]], 1e-13);
  }
}
static void allowed_motion_has_no_residual(void) { for_all_cases(check_allowed); }

/* Velocity and acceleration of a motion in closed form, by differences of order h^4: five poses at
 * t = -2h .. 2h. The angular velocity comes from the rotation vectors between the poses. */
static void differentiate(const tni_kin pose[5], double h, double v[6], double a[6]) {
  double u[5][3];
  for (int k = 0; k < 5; k++) {
    double E[9], p[4];
    mat3_tmul(E, pose[2].A, pose[k].A);
    quat_from_matrix(p, E);
    quat_to_vector(u[k], p);
  }
  for (int i = 0; i < 6; i++) {
    double x[5];
    for (int k = 0; k < 5; k++) x[k] = i < 3 ? pose[k].r[i%3] : u[k][i%3];
    v[i] = (x[0] - 8*x[1] + 8*x[3] - x[4])/(12*h);
    a[i] = (-x[0] + 16*x[1] - 30*x[2] + 16*x[3] - x[4])/(12*h*h);
  }
  /* u'' at u = 0 is the rate of the angular velocity: the other terms cancel there */
}

static void check_flow(const joint_case *c, rig *g, tni_joint *j) {
  const double h = 2e-3;
  double q0[6], q1[6], q2[6], v0[6], u0[3], A[9], r0[3];
  tni_kin pose[2][5];
  for (int i = 0; i < 6; i++) {
    q0[i] = rig_random(1);
    q1[i] = rig_random(1);
    q2[i] = rig_random(1);
    v0[i] = rig_random(1);
  }
  rig_random3(u0, 1);
  rig_rotation(A, u0);
  rig_random3(r0, 1);
  int base = j->body[1] == TNI_GROUND ? TNI_GROUND : j->body[0];
  for (int k = 0; k < 5; k++) {
    double t = (k - 2)*h, q[6];
    for (int i = 0; i < 6; i++) q[i] = q0[i] + t*q1[i] + t*t*q2[i];
    if (base != TNI_GROUND) {
      rig_set_pose(g, base, A, r0);
      rig_move(g, base, v0, t + 0.5*t*t);
    }
    set_motion(g, c, j, q);
    for (int b = 0; b < 2; b++) pose[b][k] = g->kin[b + 1];
  }
  rig_out o = {.lambda = {0}};
  const tni_con *con = &g->model.con[0];
  double a[2][6];
  for (int b = 0; b < 2; b++) {
    double v[6];
    g->kin[b + 1] = pose[b][2];
    differentiate(pose[b], h, v, a[b]);
    rig_set_velocity(g, b, v);
  }
  rig_eval(g, con, &o);
  for (int r = 0; r < con->nrow; r++) {
    double Ja = 0;
    for (int b = 0; b < con->nbody; b++)
      Ja += rig_dot(o.J + 6*con->nbody*r + 6*b, a[con->body[b]], 6);
    /* h^4 and eps/h of the velocity, eps/h^2 of the acceleration */
    CHECK_NEAR(rig_rate(g, con, &o, r), 0, 1e-9);
    CHECK_WITHIN(Ja, o.gamma[r], 1e-8);
  }
}
/* also says that reactions do no work along allowed velocities: that work is lambda . J v */
static void velocity_and_acceleration_of_allowed_motion_fit(void) { for_all_cases(check_flow); }

static void check_derivatives(const joint_case *c, rig *g, tni_joint *j) {
  (void)j;
  for (int n = 0; n < 3; n++) {
    /* anywhere: the rows are exact away from the constraint too */
    for (int b = 0; b < 2; b++) {
      double A[9], r[3];
      rig_random_rotation(A);
      rig_random3(r, 1);
      rig_set_pose(g, b, A, r);
    }
    double q[6], d[3], R[9];
    for (int i = 0; i < 6; i++) q[i] = rig_random(1);
    c->move(q, R, d);
    d[0] += 0.05, d[1] -= 0.07, d[2] += 0.03;
    rig_place(g, &g->joint[0], R, d);
    rig_random_velocities(g);
    rig_check(g, &g->model.con[0]);
  }
}
static void derivatives_match_differences(void) { for_all_cases(check_derivatives); }

static void check_rank(const joint_case *c, rig *g, tni_joint *j) {
  double q[6];
  for (int i = 0; i < 6; i++) q[i] = rig_random(1);
  set_motion(g, c, j, q);
  CHECK_INT(rig_rank(g, &g->model.con[0]), c->nrow);
}
static void rows_are_independent(void) { for_all_cases(check_rank); }

static void check_balance(const joint_case *c, rig *g, tni_joint *j) {
  double q[6];
  if (j->body[0] == TNI_GROUND || j->body[1] == TNI_GROUND) return;
  for (int i = 0; i < 6; i++) q[i] = rig_random(1);
  set_motion(g, c, j, q);
  /* also where the joint is torn: the points of action then differ, the moment still vanishes for
   * all but coinciding points, whose force acts at two places */
  rig_check_balance(g, &g->model.con[0]);
}
static void action_equals_reaction(void) { for_all_cases(check_balance); }

/* five turns one way and seven back in steps below half a turn */
static void check_turns(const joint_case *c, rig *g, tni_joint *j) {
  int angle = -1;
  for (int k = 0; k < c->ncoord; k++)
    if (strncmp(c->coord[k], "angle", 5) == 0) angle = k;
  if (angle < 0) return;
  double q[6] = {0}, *turned = &q[c->free[angle]];
  for (int n = 0; n < 24; n++) {
    *turned += n < 10 ? turn/2 - 0.01 : -(turn/2 - 0.01);
    set_motion(g, c, j, q);
    CHECK_WITHIN(rig_coord(g, j, angle), *turned, 1e-12);
    rig_commit(g);
    rig_out o = {.lambda = {0}};
    rig_eval(g, &g->model.con[0], &o);
    for (int r = 0; r < c->nrow; r++) CHECK_NEAR(o.phi[r], 0, 1e-13);
  }
}
static void angles_count_turns(void) { for_all_cases(check_turns); }

/* the short form of the design note: body, point, on */
static void inline_takes_body_point_and_on(void) {
  rig g;
  rig_begin(&g, 2);
  const tni_joint_type *type = rig_type("inline");
  const char *const pairs[] = {"body", "b", "point", "[0.3, 0.1, -0.2]", "on", "a", "axis", "y",
                               NULL};
  CHECK_OK(g.ctx, rig_build(&g, type, rig_item(&g, "piston", type, pairs)));
  const tni_joint *j = &g.joint[0];
  CHECK_INT(j->body[0], 0);
  CHECK_INT(j->body[1], 1);
  rig_out o = {.lambda = {0}};
  rig_eval(&g, &g.model.con[0], &o);
  for (int r = 0; r < 2; r++) CHECK_NEAR(o.phi[r], 0, 1e-15);
  /* the point of b goes along y as long as a rests: displacement and no residual */
  double along[6] = {0, 0.4, 0, 0, 0, 0}, aside[6] = {0.2, 0, 0, 0, 0, 0};
  rig_move(&g, 1, along, 1);
  rig_eval(&g, &g.model.con[0], &o);
  for (int r = 0; r < 2; r++) CHECK_NEAR(o.phi[r], 0, 1e-15);
  CHECK_NEAR(rig_coord(&g, j, 0), 0.4, 1e-14);
  rig_move(&g, 1, aside, 1);
  rig_eval(&g, &g.model.con[0], &o);
  CHECK_NEAR(hypot(o.phi[0], o.phi[1]), 0.2, 1e-14);
  /* the point itself: where the text says */
  double p[3];
  tni_kin k;
  tni_build_pose(&g.b, 1, &k);
  mat3_vec(p, k.A, j->frame[1].p);
  vec3_add(p, p, k.r);
  CHECK_NEAR(p[0], 0.3, 1e-15);
  CHECK_WITHIN(p[1], 0.1, 1e-15);
  CHECK_WITHIN(p[2], -0.2, 1e-15);
  rig_end(&g);
}

/* a distance and a rod have the length of the start unless told */
static void lengths_come_from_the_start(void) {
  joint_case c = cases[11];
  rig g;
  CHECK_TEXT(c.type, "distance");
  c.key = NULL;
  for (int n = 0; n < 3; n++) {
    rig_out o = {.lambda = {0}};
    if (n == 1) c = cases[12];
    if (n == 2) c = cases[13], c.key = NULL;
    build_case(&g, &c, 0, 1);
    rig_eval(&g, &g.model.con[0], &o);
    for (int r = 0; r < c.nrow; r++) CHECK_NEAR(o.phi[r], 0, 1e-15);
    rig_end(&g);
  }
  c = cases[11];
  c.value = "0.9";
  build_case(&g, &c, 0, 1);
  rig_out o = {.lambda = {0}};
  rig_eval(&g, &g.model.con[0], &o);
  CHECK_NEAR(o.phi[0], length - 0.9, 1e-15);
  rig_end(&g);
}

/* In the plane only some rows are left, the others are empty to the last bit: the derivatives by x,
 * y and the rotation about z vanish. */
static void planar_models_keep_the_rows_of_the_plane(void) {
  static const struct {
    const char *type;
    double z[3];
    int kept;
    const char *key, *value;
  } plane[] = {
      {"fixed", {0, 0, 1}, 3, NULL, NULL},         {"revolute", {0, 0, 1}, 2, NULL, NULL},
      {"revolute", {0, 0, -1}, 2, NULL, NULL},     {"spherical", {0, 0, 1}, 2, NULL, NULL},
      {"prismatic", {1, 0, 0}, 2, NULL, NULL},     {"prismatic", {0.6, -0.8, 0}, 2, NULL, NULL},
      {"cylindrical", {0, 1, 0}, 2, NULL, NULL},   {"cylindrical", {0, 0, 1}, 2, NULL, NULL},
      {"inline", {0.6, 0.8, 0}, 1, NULL, NULL},    {"inplane", {0.8, 0.6, 0}, 1, NULL, NULL},
      {"orientation", {0, 0, 1}, 1, NULL, NULL},   {"parallel", {0, 1, 0}, 1, NULL, NULL},
      {"planar", {0, 0, 1}, 0, NULL, NULL},        {"distance", {0, 0, 1}, 1, "length", "2"},
      {"rolling_disk", {0, 0, 1}, 2, "radius", "0.3"},
  };
  for (int n = 0; n < TNI_COUNT(plane); n++) {
    rig g;
    rig_begin(&g, 2);
    g.model.planar = true;
    tni_joint *j = &g.joint[0];
    j->body[1] = 1;
    double p[3] = {0.3, -0.2, 0}, s[3];
    for (int e = 0; e < 2; e++) {
      double u[3] = {0, 0, rig_random(3)};
      quat_from_vector(g.body[e].p0, u);
      g.body[e].r0[2] = g.body[e].com[2] = 0;
      tni_build_to_body(&g.b, e, p, s);
      tni_joint_frame(&g.b, e, s, plane[n].z, NULL, &j->frame[e]);
      p[0] += strcmp(plane[n].type, "distance") == 0; /* two points apart */
    }
    const char *const pairs[] = {"bodies", "[a, b]", "axis", "z", plane[n].key, plane[n].value,
                                 NULL};
    const tni_joint_type *type = rig_type(plane[n].type);
    CHECK_OK(g.ctx, rig_build(&g, type, rig_item(&g, "it", type, pairs)));
    int kept = 0;
    for (int c = 0; c < g.model.ncon; c++) {
      const tni_con *con = &g.model.con[c];
      bool seen[RIG_MAXROW] = {false};
      for (int k = 0; k < 5; k++) {
        rig_out o = {.lambda = {0}};
        for (int e = 0; e < 2; e++) {
          double move[6] = {rig_random(1), rig_random(1), 0, 0, 0, rig_random(1)};
          rig_move(&g, e, move, 1);
        }
        rig_eval(&g, con, &o);
        for (int r = 0; r < con->nrow; r++)
          for (int i = 0; i < 12; i++)
            if ((i%6 < 2 || i%6 == 5) && o.J[12*r+i] != 0) seen[r] = true;
      }
      for (int r = 0; r < con->nrow; r++) kept += seen[r];
    }
    CHECK_INT(kept, plane[n].kept);
    if (kept != plane[n].kept) printf("  joint type %s\n", plane[n].type);
    rig_end(&g);
  }
}

int main(void) {
  RUN(joints_describe_themselves);
  RUN(allowed_motion_has_no_residual);
  RUN(velocity_and_acceleration_of_allowed_motion_fit);
  RUN(derivatives_match_differences);
  RUN(rows_are_independent);
  RUN(action_equals_reaction);
  RUN(angles_count_turns);
  RUN(inline_takes_body_point_and_on);
  RUN(lengths_come_from_the_start);
  RUN(planar_models_keep_the_rows_of_the_plane);
  return REPORT();
}
