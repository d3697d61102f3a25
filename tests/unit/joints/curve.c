/* Point on a curve: the point of the spline itself leaves no residual, derivatives against
 * differences on the curve and beside it, memory of the parameter
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/curve.h"
#include "support/joint_rig.h"

static const double open_points[] = {0, 0, 0, 0.5, 0.3, 0.1, 1.1, 0.2, 0.5, 1.4, -0.3, 0.4,
                                     1.9, -0.5, 0.2};
static const char *const open_text =
    "[[0, 0, 0], [0.5, 0.3, 0.1], [1.1, 0.2, 0.5], [1.4, -0.3, 0.4], [1.9, -0.5, 0.2]]";
static const double closed_points[] = {1, 0, 0, 0.6, 0.7, 0.3, -0.5, 0.8, 0, -1, -0.1, -0.3,
                                       -0.2, -0.9, 0.2, 0.7, -0.6, 0.1};
static const char *const closed_text =
    "[[1, 0, 0], [0.6, 0.7, 0.3], [-0.5, 0.8, 0], [-1, -0.1, -0.3], [-0.2, -0.9, 0.2], "
    "[0.7, -0.6, 0.1]]";

typedef struct {
  rig g;
  const tni_curve *curve; /* the same, made apart, in the user's frame of body a */
  tni_joint *joint;
} setup;

static void begin(setup *s, bool closed, int on) {
  const tni_joint_type *type = rig_type("curve");
  rig_begin(&s->g, 2);
  s->joint = &s->g.joint[0];
  s->joint->body[0] = on;
  s->joint->body[1] = 1;
  rig_random3(s->joint->frame[1].p, 0.4);
  const char *const pairs[] = {"bodies", on == TNI_GROUND ? "[ground, b]" : "[a, b]", "points",
                               closed ? closed_text : open_text, "closed",
                               closed ? "true" : "false", NULL};
  CHECK_OK(s->g.ctx, rig_build(&s->g, type, rig_item(&s->g, "rail", type, pairs)));
  CHECK_OK(s->g.ctx, tni_curve_create(&s->g.model.arena, closed ? 6 : 5,
                                      closed ? closed_points : open_points, closed,
                                      TNI_CURVE_CHORD, &s->curve));
}

/* body b with its point at position x of the user's frame of the first body, turned by A */
static void put(setup *s, const double x[3], const double A[9]) {
  rig *g = &s->g;
  int on = s->joint->body[0];
  const tni_kin *k = &g->kin[on + 1];
  double p[3], rho[3], r[3];
  vec3_copy(p, x);
  if (on != TNI_GROUND) vec3_sub(p, p, g->body[on].com);
  mat3_vec(r, k->A, p);
  vec3_add(r, r, k->r);
  mat3_vec(rho, A, s->joint->frame[1].p);
  vec3_sub(r, r, rho);
  rig_set_pose(g, 1, A, r);
}

static void point_of_the_curve_has_no_residual(void) {
  for (int n = 0; n < 4; n++) {
    setup s;
    begin(&s, n % 2, n < 2 ? 0 : TNI_GROUND);
    const tni_con *con = &s.g.model.con[0];
    CHECK_INT(con->nrow, 2);
    /* along the whole of it and beyond, in steps, remembering; a closed one twice around */
    bool closed = n % 2;
    double first = closed ? 0 : -0.4, last = closed ? 2*s.curve->length : s.curve->length + 0.4;
    double c[1][3], A[9];
    tni_curve_eval(s.curve, first, 0, c);
    mat3_identity(A);
    put(&s, c[0], A);
    s.g.memory[0] = first;
    for (int k = 0; k <= 60; k++) {
      double at = first + (last - first)*k/60;
      rig_out o = {.lambda = {0}};
      rig_random_rotation(A);
      tni_curve_eval(s.curve, at, 0, c);
      put(&s, c[0], A);
      rig_eval(&s.g, con, &o);
      for (int r = 0; r < 2; r++) CHECK_NEAR(o.phi[r], 0, 1e-14);
      rig_commit(&s.g);
      CHECK_NEAR(s.g.memory[0], at, 1e-13);
      CHECK_INT(rig_rank(&s.g, con), 2);
    }
    rig_end(&s.g);
  }
}

/* residuals are the gap across: their length is the distance to the curve */
static void residual_is_the_distance(void) {
  setup s;
  begin(&s, false, 0);
  double c[2][3], A[9], x[3], gap[3];
  tni_curve_eval(s.curve, 0.9, 1, c);
  vec3_perpendicular(gap, c[1]);
  vec3_addmul(gap, -vec3_dot(gap, c[1])/vec3_dot(c[1], c[1]), c[1]);
  vec3_normalize(gap, gap);
  vec3_copy(x, c[0]);
  vec3_addmul(x, 0.02, gap);
  rig_random_rotation(A);
  put(&s, x, A);
  s.g.memory[0] = 0.7;
  rig_out o = {.lambda = {0}};
  rig_eval(&s.g, &s.g.model.con[0], &o);
  CHECK_NEAR(hypot(o.phi[0], o.phi[1]), 0.02, 1e-14);
  rig_end(&s.g);
}

static void derivatives_match_differences(void) {
  for (int n = 0; n < 12; n++) {
    setup s;
    begin(&s, n % 2, n % 4 < 2 ? 0 : TNI_GROUND);
    double c[2][3], A[9];
    /* away from the knots, where the third derivative jumps and differences would see it */
    double at = s.curve->knot[n/4 + 1] + 0.3*(s.curve->knot[n/4 + 2] - s.curve->knot[n/4 + 1]);
    tni_curve_eval(s.curve, at, 1, c);
    rig_random_rotation(A);
    put(&s, c[0], A);
    s.g.memory[0] = at + 0.05;
    rig_random_velocities(&s.g);
    rig_check(&s.g, &s.g.model.con[0]);
    if (n % 4 < 2) rig_check_balance(&s.g, &s.g.model.con[0]);
    rig_end(&s.g);
  }
}

/* the point moves along c(s(t)) with s = s0 + s1 t + s2 t^2 while both bodies turn: rates fit */
static void motion_along_the_curve_fits(void) {
  for (int n = 0; n < 4; n++) {
    setup s;
    const double h = 2e-3;
    begin(&s, n % 2, 0);
    rig *g = &s.g;
    const tni_con *con = &g->model.con[0];
    double v0[6], u[3], w[3], s0 = s.curve->knot[2] - 0.2, A0[9], r0[3];
    rig_random3(v0, 1);
    rig_random3(v0 + 3, 1);
    rig_random3(u, 1);
    rig_random3(w, 1);
    rig_random_rotation(A0);
    rig_random3(r0, 1);
    tni_kin pose[2][5];
    for (int k = 0; k < 5; k++) {
      double t = (k - 2)*h, c[1][3], x[3], A[9];
      rig_set_pose(g, 0, A0, r0);
      rig_move(g, 0, v0, t);
      tni_curve_eval(s.curve, s0 + 0.8*t - 0.7*t*t, 0, c);
      for (int i = 0; i < 3; i++) x[i] = u[i] + t*w[i];
      rig_rotation(A, x);
      put(&s, c[0], A);
      for (int b = 0; b < 2; b++) pose[b][k] = g->kin[b + 1];
    }
    double a[2][6];
    for (int b = 0; b < 2; b++) {
      double v[6], q[5][3];
      for (int k = 0; k < 5; k++) {
        double E[9], p[4];
        mat3_tmul(E, pose[b][2].A, pose[b][k].A);
        quat_from_matrix(p, E);
        quat_to_vector(q[k], p);
      }
      for (int i = 0; i < 6; i++) {
        double x[5];
        for (int k = 0; k < 5; k++) x[k] = i < 3 ? pose[b][k].r[i%3] : q[k][i%3];
        v[i] = (x[0] - 8*x[1] + 8*x[3] - x[4])/(12*h);
        a[b][i] = (-x[0] + 16*x[1] - 30*x[2] + 16*x[3] - x[4])/(12*h*h);
      }
      g->kin[b + 1] = pose[b][2];
      rig_set_velocity(g, b, v);
    }
    g->memory[0] = s0;
    rig_out o = {.lambda = {0}};
    rig_eval(g, con, &o);
    for (int r = 0; r < 2; r++) {
      double Ja = 0;
      for (int b = 0; b < 2; b++) Ja += rig_dot(o.J + 12*r + 6*b, a[con->body[b]], 6);
      CHECK_NEAR(rig_rate(g, con, &o, r), 0, 1e-9);
      CHECK_NEAR(Ja, o.gamma[r], 1e-8);
    }
    rig_end(g);
  }
}

/* in the plane the row across it is empty to the last bit, so that a planar model drops it */
static void plane_curve_has_an_empty_row(void) {
  rig g;
  const tni_joint_type *type = rig_type("curve");
  rig_begin(&g, 2);
  g.model.planar = true;
  for (int i = 0; i < 2; i++) {
    double u[3] = {0, 0, rig_random(1)};
    quat_from_vector(g.body[i].p0, u);
    g.body[i].r0[2] = g.body[i].com[2] = 0;
  }
  g.joint[0].body[0] = 0;
  g.joint[0].body[1] = 1;
  g.joint[0].frame[1].p[0] = 0.3;
  const char *const pairs[] = {"bodies", "[a, b]", "points",
                               "[[0, 0], [1, 0.5], [2, 0], [2.5, -1]]", NULL};
  CHECK_OK(g.ctx, rig_build(&g, type, rig_item(&g, "rail", type, pairs)));
  rig_out o = {.lambda = {0}};
  rig_eval(&g, &g.model.con[0], &o);
  static const int kept[3] = {0, 1, 5};
  double row[2] = {0, 0};
  for (int r = 0; r < 2; r++)
    for (int b = 0; b < 2; b++)
      for (int i = 0; i < 3; i++) row[r] = fmax(row[r], fabs(o.J[12*r + 6*b + kept[i]]));
  CHECK(row[0] > 0.1);
  CHECK_NEAR(row[1], 0, 0);
  rig_end(&g);
}

int main(void) {
  RUN(point_of_the_curve_has_no_residual);
  RUN(residual_is_the_distance);
  RUN(derivatives_match_differences);
  RUN(motion_along_the_curve_fits);
  RUN(plane_curve_has_an_empty_row);
  return REPORT();
}
