/* Rolling without slip: rows against the velocity of the contact point written out, and against
 * motions in closed form
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/joint_rig.h"

static const double radius = 0.35;

/* wheel b on a plane of body `on` (a or the ground), touching at the start; axis of the disk is z
 * of frame 1 */
static tni_joint *build(rig *g, bool disk, int on) {
  const tni_joint_type *type = rig_type(disk ? "rolling_disk" : "rolling_sphere");
  rig_begin(g, 2);
  tni_joint *j = &g->joint[0];
  j->body[0] = on;
  j->body[1] = 1;
  rig_random3(j->frame[1].p, 0.2);
  rig_random_rotation(j->frame[1].R);
  const char *const pairs[] = {"bodies", on == TNI_GROUND ? "[ground, b]" : "[a, b]", "radius",
                               "0.35", "normal", "[1, 2, -2]", "axis", "z", NULL};
  CHECK_OK(g->ctx, rig_build(g, type, rig_item(g, "wheel", type, pairs)));
  return j;
}

/* plane, wheel and contact point in ground axes at the present state, straight from geometry */
typedef struct {
  double n[3], e[2][3]; /* normal and directions in the plane */
  double origin[3], centre[3], axis[3], arm[3], contact[3];
} picture;

static picture look(const rig *g, const tni_joint *j, bool disk) {
  picture p;
  double x[3], up[3];
  const tni_kin *k0 = &g->kin[j->body[0] + 1], *k1 = &g->kin[j->body[1] + 1];
  for (int i = 0; i < 3; i++) {
    mat3_column(x, j->frame[0].R, i);
    mat3_vec(i < 2 ? p.e[i] : p.n, k0->A, x);
  }
  mat3_vec(p.origin, k0->A, j->frame[0].p);
  vec3_add(p.origin, p.origin, k0->r);
  mat3_vec(p.centre, k1->A, j->frame[1].p);
  vec3_add(p.centre, p.centre, k1->r);
  mat3_column(x, j->frame[1].R, 2);
  mat3_vec(p.axis, k1->A, x);
  vec3_copy(up, p.n);
  if (disk) vec3_addmul(up, -vec3_dot(p.n, p.axis), p.axis);
  vec3_normalize(up, up);
  vec3_scale(p.arm, -radius, up);
  vec3_add(p.contact, p.centre, p.arm);
  return p;
}

/* velocity of the point at p (ground) of a body */
static void point_velocity(const tni_kin *k, const double p[3], double v[3]) {
  double rho[3];
  vec3_sub(rho, p, k->r);
  vec3_cross(v, k->W, rho);
  vec3_add(v, v, k->v);
}

static void rows_are_gap_and_slip(void) {
  for (int n = 0; n < 20; n++) {
    bool disk = n % 2;
    rig g;
    tni_joint *j = build(&g, disk, n % 4 < 2 ? 0 : TNI_GROUND);
    CHECK_INT(j->ncon, 2);
    const tni_con *touch = &g.model.con[0], *slip = &g.model.con[1];
    CHECK(!touch->nonholonomic && slip->nonholonomic);
    CHECK_INT(touch->nrow, 1);
    CHECK_INT(slip->nrow, 2);
    rig_out o = {.lambda = {0}};
    rig_eval(&g, touch, &o);
    CHECK_NEAR(o.phi[0], 0, 1e-15); /* touches at the start */

    double move[6];
    rig_random3(move, 0.3);
    rig_random3(move + 3, 0.5);
    rig_move(&g, 1, move, 1);
    rig_random_velocities(&g);
    picture p = look(&g, j, disk);
    double d[3], v0[3], v1[3];
    vec3_sub(d, p.contact, p.origin);
    rig_eval(&g, touch, &o);
    CHECK_WITHIN(o.phi[0], vec3_dot(p.n, d), 1e-14);
    point_velocity(&g.kin[j->body[0] + 1], p.contact, v0);
    point_velocity(&g.kin[2], p.contact, v1);
    vec3_sub(v1, v1, v0);
    CHECK_NEAR(rig_rate(&g, touch, &o, 0), vec3_dot(p.n, v1), 1e-13);
    rig_eval(&g, slip, &o);
    for (int r = 0; r < 2; r++) CHECK_NEAR(rig_rate(&g, slip, &o, r), vec3_dot(p.e[r], v1), 1e-13);
    rig_end(&g);
  }
}

static void derivatives_match_differences(void) {
  for (int n = 0; n < 8; n++) {
    rig g;
    build(&g, n % 2, n % 4 < 2 ? 0 : TNI_GROUND);
    double move[6];
    rig_random3(move, 0.2);
    rig_random3(move + 3, 0.4);
    rig_move(&g, 1, move, 1);
    rig_random_velocities(&g);
    for (int c = 0; c < 2; c++) {
      rig_check(&g, &g.model.con[c]);
      CHECK_INT(rig_rank(&g, &g.model.con[c]), g.model.con[c].nrow);
      if (n % 4 < 2) rig_check_balance(&g, &g.model.con[c]);
    }
    rig_end(&g);
  }
}

/* Disk of given tilt rolling on a circle: precession `rate` about the normal through the origin,
 * contact on a circle of radius `ring`. With omega = rate n + spin a, the contact point is at rest
 * when rate ring = -+ spin radius. Pose at any time in closed form, ground axes = frame 0. */
typedef struct {
  double tilt, rate, ring;
} circle;

static void circle_pose(const circle *c, double t, double R[9], double d[3]) {
  double Z[9], T[9], S[9], ZT[9], u[3];
  /* start: centre above the x axis, axis in the x-z plane, tilted by `tilt` from the x axis; the
   * disk leans inwards: up = (-sin, 0, cos) */
  double spin = -c->rate*c->ring/radius;
  vec3_set(u, 0, -c->tilt - acos(0), 0); /* z of the wheel to -(cos, 0, sin) */
  rig_rotation(T, u);
  rig_turn_z(Z, c->rate*t);
  rig_turn_z(S, -spin*t); /* about its own z, which is -axis */
  mat3_mul(ZT, Z, T);
  mat3_mul(R, ZT, S);
  double r[3] = {c->ring - radius*sin(c->tilt), 0, radius*cos(c->tilt)};
  mat3_vec(d, Z, r);
}

static void disk_rolls_on_a_circle(void) {
  const circle c = {0.4, 1.7, 0.9};
  const double h = 2e-3;
  rig g;
  tni_joint *j = build(&g, true, TNI_GROUND);
  for (int n = 0; n < 7; n++) {
    double t = 0.37*n;
    tni_kin pose[5];
    double R[9], d[3], u[5][3], v[6], a[6];
    for (int k = 0; k < 5; k++) {
      circle_pose(&c, t + (k - 2)*h, R, d);
      rig_place(&g, j, R, d);
      pose[k] = g.kin[2];
    }
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
    g.kin[2] = pose[2];
    rig_set_velocity(&g, 1, v);
    for (int k = 0; k < 2; k++) {
      const tni_con *con = &g.model.con[k];
      rig_out o = {.lambda = {0}};
      rig_eval(&g, con, &o);
      for (int r = 0; r < con->nrow; r++) {
        CHECK_NEAR(o.phi[r], 0, 1e-14);
        CHECK_NEAR(rig_rate(&g, con, &o, r), 0, 1e-9);            /* h^4 */
        CHECK_WITHIN(rig_dot(o.J + 6*r, a, 6), o.gamma[r], 1e-8);   /* h^4, eps/h^2 */
      }
    }
  }
  rig_end(&g);
}

/* coordinates are where the centre is over the plane */
static void coordinates_follow_the_centre(void) {
  rig g;
  tni_joint *j = build(&g, false, 0);
  CHECK_INT(j->ncoord, 2);
  double move[6];
  rig_random3(move, 0.3);
  rig_random3(move + 3, 0.5);
  rig_move(&g, 1, move, 1);
  picture p = look(&g, j, false);
  double d[3];
  vec3_sub(d, p.centre, p.origin);
  for (int k = 0; k < 2; k++) CHECK_NEAR(rig_coord(&g, j, k), vec3_dot(p.e[k], d), 1e-14);
  rig_end(&g);
}

/* where nothing is said the plane lies across z, and across y in planar models: its normal is the axis z of frame 0 */
static void planes_lie_where_they_are_expected(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig g;
    double n[3], d[3];
    const tni_joint_type *type = rig_type("rolling_sphere");
    const char *const pairs[] = {"bodies", "[ground, b]", "radius", "0.35", NULL};
    rig_begin(&g, 2);
    tni_joint *j = &g.joint[0];
    j->body[0] = TNI_GROUND;
    j->body[1] = 1;
    g.model.planar = planar;
    CHECK_OK(g.ctx, rig_build(&g, type, rig_item(&g, "wheel", type, pairs)));
    mat3_column(n, j->frame[0].R, 2);
    for (int i = 0; i < 3; i++) CHECK_WITHIN(n[i], i == (planar ? 1 : 2), 1e-15);
    tni_kin k;
    tni_build_pose(&g.b, 1, &k);
    vec3_sub(d, k.r, j->frame[0].p); /* touches below its centre */
    for (int i = 0; i < 3; i++) CHECK_WITHIN(d[i], i == (planar ? 1 : 2) ? 0.35 : 0, 1e-14);
    rig_end(&g);
  }
}

int main(void) {
  RUN(planes_lie_where_they_are_expected);
  RUN(rows_are_gap_and_slip);
  RUN(derivatives_match_differences);
  RUN(disk_rolls_on_a_circle);
  RUN(coordinates_follow_the_centre);
  return REPORT();
}
