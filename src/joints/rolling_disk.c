/* joints/rolling_disk.c - a thin disk rolls on a plane without slip
 *
 * The disk has its axis along z1. Up within the disk is the normal without its part along the axis,
 * in frame 1
 *   u = (R_z0, R_z1)/rho,   rho = sqrt(R_z0^2 + R_z1^2) = sine of the angle between axis and normal
 * and contact is at -radius u (rolling.h). Since d(rho) = u . d(R_z), all three rows have the form
 * d'_i - radius sum_k R'_ik u_k, k = 0, 1; that of the normal can be integrated:
 *   contact     d_z - radius rho = 0
 *   slip.1, .2  d'_i - radius sum_k R'_ik u_k = 0,   i = x, y            (nonholonomic)
 *   coordinates x, y of the centre along the plane
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/rolling.h"

/* c_k = -radius u_k of (x_0, x_1) and its derivatives */
typedef struct {
  double c[2], c1[2][2], c2[2][2][2];
} arm;

static void fill_arm(double radius, const double x[2], arm *a) {
  double rho = hypot(x[0], x[1]), u[2] = {x[0]/rho, x[1]/rho};
  double f1 = -radius/rho, f2 = radius/(rho*rho);
  for (int k = 0; k < 2; k++) {
    a->c[k] = -radius*u[k];
    for (int l = 0; l < 2; l++) {
      a->c1[k][l] = f1*((k == l) - u[k]*u[l]);
      for (int m = 0; m < 2; m++)
        a->c2[k][l][m] = f2*((k == l)*u[m] + (k == m)*u[l] + (l == m)*u[k] - 3*u[k]*u[l]*u[m]);
    }
  }
}

/* One row: scalar `gap` and the two `turn` after it, R_z0 and R_z1 at `up`. */
static void fill_row(const arm *a, int gap, int turn, int up, const double *ds,
                     tni_compound_row *out) {
  out->g[gap] = 1;
  for (int k = 0; k < 2; k++) {
    out->g[turn + k] = a->c[k];
    for (int l = 0; l < 2; l++) {
      out->G[turn + k][up + l] = a->c1[k][l];
      for (int m = 0; m < 2; m++) out->T[up + m] += a->c2[k][l][m]*ds[turn + k]*ds[up + l];
    }
  }
}

/* scalars d_z, R_z0, R_z1 */
static void contact(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                    unsigned what, tni_compound_row *out) {
  const double radius = *(const double *)c->data;
  arm a;
  (void)env, (void)what;
  fill_arm(radius, s + 1, &a);
  out->f = s[0] - radius*hypot(s[1], s[2]);
  fill_row(&a, 0, 1, 1, ds, out);
}

/* scalars d_x, R_x0, R_x1, d_y, R_y0, R_y1, R_z0, R_z1 */
enum { ROW = 3, UP = 6 };

static void slip(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                 unsigned what, tni_compound_row *out) {
  const double radius = *(const double *)c->data;
  arm a;
  (void)env, (void)what;
  fill_arm(radius, s + UP, &a);
  for (int i = 0; i < 2; i++) fill_row(&a, ROW*i, ROW*i + 1, UP, ds, &out[i]);
}

static const tni_con_ops contact_ops = {.name = "disk_contact", .eval = tni_compound_eval};
static const char *const contact_name[1] = {"contact"};
static const char *const contact_unit[1] = {"m"};
static const tni_con_ops slip_ops = {.name = "rolling_disk", .eval = tni_compound_eval};
static const char *const slip_name[2] = {"slip.1", "slip.2"};
static const char *const slip_unit[2] = {"m/s", "m/s"};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  double *radius;
  TNI_ARENA_NEW(b->arena, radius, 1);
  TN_TRY(tni_rolling_frames(b, item, joint, true, radius));
  tni_compound touch = {.nscalar = 3, .rows = contact, .data = radius};
  touch.scalar[0] = tni_rolling_gap(joint, 2);
  for (int k = 0; k < 2; k++) touch.scalar[1 + k] = tni_rolling_turn(joint, 2, k);
  TN_TRY(tni_compound_close(b, joint, &contact_ops, &touch, false, 1, contact_name,
                            contact_unit));

  tni_compound c = {.nscalar = UP + 2, .rows = slip, .data = radius};
  for (int i = 0; i < 2; i++) {
    c.scalar[ROW*i] = tni_rolling_gap(joint, i);
    for (int k = 0; k < 2; k++) c.scalar[ROW*i + 1 + k] = tni_rolling_turn(joint, i, k);
  }
  for (int k = 0; k < 2; k++) c.scalar[UP + k] = tni_rolling_turn(joint, 2, k);
  return tni_compound_close(b, joint, &slip_ops, &c, true, 2, slip_name, slip_unit);
}

const tni_joint_type tni_joint_rolling_disk = {
    {"rolling_disk",
     "A thin disk of the second body rolls without slip on a plane of the first; at is its centre.",
     tni_rolling_keys, TNI_ROLLING_NKEY},
    build};
