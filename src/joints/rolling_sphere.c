/* joints/rolling_sphere.c - a ball rolls on a plane without slip
 *
 * Contact at c_k = -radius R_zk of the ball (rolling.h):
 *   contact     d_z - radius = 0
 *   slip.1, .2  d'_i - radius sum_k R'_ik R_zk = 0,   i = x, y          (nonholonomic)
 *   coordinates x, y of the centre along the plane
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/rolling.h"

/* scalars of the slip rows: d_x, R_xk, d_y, R_yk, then R_zk */
enum { ROW = 4, UP = 8 };

static void slip(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                 unsigned what, tni_compound_row *out) {
  const double radius = *(const double *)c->data;
  (void)env, (void)ds, (void)what; /* bilinear: G is constant, T is 0 */
  for (int i = 0; i < 2; i++) {
    out[i].g[ROW*i] = 1;
    for (int k = 0; k < 3; k++) {
      out[i].g[ROW*i + 1 + k] = -radius*s[UP + k];
      out[i].G[ROW*i + 1 + k][UP + k] = -radius;
    }
  }
}

static const tni_con_ops slip_ops = {.name = "rolling_sphere", .eval = tni_compound_eval};
static const char *const slip_name[2] = {"slip.1", "slip.2"};
static const char *const slip_unit[2] = {"m/s", "m/s"};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  tni_rowset rows = {0};
  double *radius;
  TNI_ARENA_NEW(b->arena, radius, 1);
  TN_TRY(tni_rolling_frames(b, item, joint, false, radius));
  tni_scalar height = tni_rolling_gap(joint, 2);
  height.offset = -*radius;
  tni_rows_scalar(&rows, &height, "contact", "m");
  TN_TRY(tni_rows_close(b, joint, &rows));

  tni_compound c = {.nscalar = UP + 3, .rows = slip, .data = radius};
  for (int i = 0; i < 2; i++) {
    c.scalar[ROW*i] = tni_rolling_gap(joint, i);
    for (int k = 0; k < 3; k++) c.scalar[ROW*i + 1 + k] = tni_rolling_turn(joint, i, k);
  }
  for (int k = 0; k < 3; k++) c.scalar[UP + k] = tni_rolling_turn(joint, 2, k);
  return tni_compound_close(b, joint, &slip_ops, &c, true, 2, slip_name, slip_unit);
}

const tni_joint_type tni_joint_rolling_sphere = {
    {"rolling_sphere",
     "A ball of the second body rolls without slip on a plane of the first; at is its centre.",
     tni_rolling_keys, TNI_ROLLING_NKEY},
    build};
