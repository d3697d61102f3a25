/* joints/curve.c - a point of the second body stays on a curve of the first
 *
 * x are the components of the point in the axes of the first body, c(s) the curve (base/curve.h).
 * The parameter is eliminated: s(x) is that of the nearest point of the curve, y = x - c(s),
 *   F = y . c' = 0
 * and the rows measure the gap along the normals u = n1, n2 of the curve,
 *   normal.1, .2   f = u(s) . y = 0
 *
 * With D = c'.c' - y.c'', by differentiation of F = 0 and f (sigma = ds/dx, S = d sigma/dx):
 *   sigma = c'/D
 *   S     = (c'' sigma^T + sigma c''^T - D_s sigma sigma^T)/D,   D_s = 3 c'.c'' - y.c'''
 *   df/dx = u + a sigma,                                         a   = u'.y - u.c'
 *   H     = u' sigma^T + sigma u'^T + a_s sigma sigma^T + a S,   a_s = u''.y - 2 u'.c' - u.c''
 * and once more for the derivative of v^T H v (fill_row), exact on the curve: u''' . y is left out.
 *
 * The memory holds s of the last accepted step, from which Newton's method starts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "base/curve.h"
#include "joints/compound.h"
#include "joints/parts.h"

static const tni_key keys[] = {
    {.name = "points", .kind = TNI_KIND_POINTS, .flags = TNI_REQUIRED, .unit = "m",
     .doc = "Points of the curve in the frame of the first body, at least 3; a smooth curve "
            "(cubic spline) is laid through them."},
    {.name = "closed", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "Whether the curve returns from the last point to the first; an open one goes straight "
            "on at its ends."},
    TNI_REFUSED_KEY(at1), TNI_REFUSED_KEY(axis1), TNI_REFUSED_KEY(x1), TNI_REFUSED_KEY(frame1),
};

typedef struct {
  const tni_curve *curve;
  int memory;
} curve_data;

/* row along the normal n[0], with derivatives n[1], n[2]; c, c', ... of the curve; v is dx/dt */
static void fill_row(double c[4][3], double n[3][3], const double y[3], const double v[3],
                     tni_compound_row *out) {
  const double *c1 = c[1], *c2 = c[2], *c3 = c[3], *u = n[0], *u1 = n[1], *u2 = n[2];
  double D = vec3_dot(c1, c1) - vec3_dot(y, c2);
  double D_s = 3*vec3_dot(c1, c2) - vec3_dot(y, c3);
  double a = vec3_dot(u1, y) - vec3_dot(u, c1);
  double a_s = vec3_dot(u2, y) - 2*vec3_dot(u1, c1) - vec3_dot(u, c2);
  double sigma[3], S[3][3];
  vec3_scale(sigma, 1/D, c1);
  out->f = vec3_dot(u, y);
  for (int i = 0; i < 3; i++) {
    out->g[i] = u[i] + a*sigma[i];
    for (int j = 0; j < 3; j++) {
      S[i][j] = (c2[i]*sigma[j] + sigma[i]*c2[j] - D_s*sigma[i]*sigma[j])/D;
      out->G[i][j] = u1[i]*sigma[j] + sigma[i]*u1[j] + a_s*sigma[i]*sigma[j] + a*S[i][j];
    }
  }

  /* v^T H v = 2 q p + a_s p^2 + a (2 k p - D_s p^2)/D with p = sigma.v, q = u'.v, k = c''.v */
  double p = vec3_dot(sigma, v), q = vec3_dot(u1, v), k = vec3_dot(c2, v);
  double bend = (2*k*p - D_s*p*p)/D;
  double a_ss = -3*vec3_dot(u2, c1) - 3*vec3_dot(u1, c2) - vec3_dot(u, c3);
  double D_ss = 3*vec3_dot(c2, c2) + 4*vec3_dot(c1, c3); /* c'''' = 0 in a cubic */
  for (int m = 0; m < 3; m++) {
    double p_m = vec3_dot(S[m], v), q_m = vec3_dot(u2, v)*sigma[m], k_m = vec3_dot(c3, v)*sigma[m];
    double a_m = u1[m] + a_s*sigma[m], as_m = u2[m] + a_ss*sigma[m];
    double D_m = -c2[m] + D_s*sigma[m], Ds_m = -c3[m] + D_ss*sigma[m];
    double bend_m = (2*(k_m*p + k*p_m) - Ds_m*p*p - 2*D_s*p*p_m - bend*D_m)/D;
    out->T[m] = 2*(q_m*p + q*p_m) + as_m*p*p + 2*a_s*p*p_m + a_m*bend + a*bend_m;
  }
}

static void rows(const tni_compound *c, const tni_env *env, const double *x, const double *dx,
                 unsigned what, tni_compound_row *out) {
  const curve_data *data = c->data;
  double d[4][3], t[3][3], n1[3][3], n2[3][3], y[3];
  (void)what;
  double s = tni_curve_project(data->curve, x, env->memory[data->memory]);
  tni_curve_eval(data->curve, s, 3, d);
  tni_curve_frame(data->curve, s, 2, t, n1, n2);
  vec3_sub(y, x, d[0]);
  fill_row(d, n1, y, dx, &out[0]);
  fill_row(d, n2, y, dx, &out[1]);
}

static void commit(const tni_con *con, const tni_env *env, bool at_event, double *memory) {
  (void)at_event;
  const tni_compound *c = con->data;
  const curve_data *data = c->data;
  double x[3];
  for (int i = 0; i < 3; i++) {
    tni_scalar_out o;
    tni_scalar_at(&c->scalar[i], env, TNI_S_VALUE, &o);
    x[i] = o.s;
  }
  memory[data->memory] = tni_curve_project(data->curve, x, env->memory[data->memory]);
}

static const tni_con_ops ops = {.name = "curve", .eval = tni_compound_eval, .commit = commit};
static const char *const row_name[2] = {"normal.1", "normal.2"};
static const char *const row_unit[2] = {"m", "m"};

/* the curve of the item in the frame of mechanics of its body */
static tn_status read_curve(tni_builder *b, const tni_item *item, int body,
                            const tni_curve **out) {
  const tni_value *list = tni_item_get(item, "points");
  double *p, com[3] = {0, 0, 0};
  if (list->n < 3)
    return tni_item_fail(b->ctx, item, "points", "has %d point%s, must be at least 3", list->n,
                         list->n == 1 ? "" : "s");
  TNI_ARENA_NEW(b->arena, p, 3*list->n);
  if (body != TNI_GROUND) vec3_copy(com, b->model->body[body].com);
  for (int i = 0; i < list->n; i++) {
    tni_value_vec3(&list->item[i], p + 3*i);
    vec3_sub(p + 3*i, p + 3*i, com);
  }
  tn_status st = tni_curve_create(b->arena, list->n, p, tni_item_bool(item, "closed", false),
                                  TNI_CURVE_CHORD, out);
  if (st != TN_ERR_INPUT) return st;
  /* the same message, now with the place */
  char why[TNI_MESSAGE_MAX];
  snprintf(why, sizeof(why), "%s", tn_ctx_message(b->ctx));
  return tni_item_fail(b->ctx, item, "points", "%s", why);
}

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  curve_data *data;
  double x[3], c[1][3];
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  TNI_ARENA_NEW(b->arena, data, 1);
  TN_TRY(read_curve(b, item, joint->body[0], &data->curve));
  mat3_identity(joint->frame[0].R);
  vec3_set(joint->frame[0].p, 0, 0, 0);
  tni_compound block = {.nscalar = 3, .rows = rows, .data = data};
  for (int i = 0; i < 3; i++) {
    block.scalar[i] = tni_scalar_dot(joint->body[0], joint->body[1], tni_joint_axisq(joint, 0, i),
                                     tni_joint_gapq(joint), 0);
    x[i] = tni_joint_initial(b, &block.scalar[i]);
  }
  double s = tni_curve_nearest(data->curve, x, NULL);
  tni_curve_eval(data->curve, s, 0, c);
  vec3_copy(joint->frame[0].p, c[0]);
  TN_TRY(tni_build_memory(b, s, &data->memory));
  return tni_compound_close(b, joint, &ops, &block, false, 2, row_name, row_unit);
}

const tni_joint_type tni_joint_curve = {
    {"curve", "A point of the second body stays on a smooth curve of the first.", keys,
     TNI_COUNT(keys)},
    build};
