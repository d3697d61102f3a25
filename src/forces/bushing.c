/* forces/bushing.c - elastic connection of two frames, six components
 *
 * Coordinates of frame 1 on the second body against frame 0 on the first:
 *
 *   s_1..s_3   displacement of origin 1 from origin 0 along the axes x, y, z of frame 0
 *   s_4..s_6   twist about x, y, z: the angle about that axis when the swing is taken out,
 *              for example about z  atan2(y0.x1 - x0.y1, x0.x1 + y0.y1)
 *
 * Loads F = K s + C s' + preload act along these coordinates, f = -sum F_i J_i^T: the bushing has
 * the potential s^T K s/2 + preload.s exactly, for any rotation short of half a turn. For small
 * rotations s_4..s_6 are the components of the rotation vector. The two bodies see opposite forces
 * and moments by construction.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"

typedef struct {
  tni_along along[6];
  double K[36], C[36], preload[6];
} bushing;

static void bushing_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const bushing *d = force->data;
  tni_scalar_out o[6];
  double F[6], Fe[6];
  tni_force_clear(force, what, out);
  for (int i = 0; i < 6; i++) tni_along_eval(&d->along[i], env, what, &o[i]);
  for (int i = 0; i < 6; i++) {
    double viscous = 0;
    Fe[i] = 0;
    for (int j = 0; j < 6; j++) {
      Fe[i] += d->K[6*i+j]*o[j].s;
      viscous += d->C[6*i+j]*o[j].rate;
    }
    F[i] = Fe[i] + d->preload[i] + viscous;
    out->potential += (0.5*Fe[i] + d->preload[i])*o[i].s;
    out->dissipated += viscous*o[i].rate;
    tni_along_add_force(&d->along[i], &o[i], F[i], out->f);
  }
  out->value = vec3_norm(F);
  if (!(what & TNI_F_TANGENT)) return;
  double vB[6][12];
  for (int j = 0; j < 6; j++) tni_scalar_rate_gradient(&d->along[j].s, env, &o[j], vB[j]);
  for (int i = 0; i < 6; i++) {
    double F_q[TNI_MAXCOL] = {0}, F_v[TNI_MAXCOL] = {0};
    for (int j = 0; j < 6; j++) {
      double k = d->K[6*i+j], c = d->C[6*i+j];
      if (k != 0) tni_along_add_row(&d->along[j], k, o[j].J, F_q);
      if (c == 0) continue;
      tni_along_add_row(&d->along[j], c, vB[j], F_q);
      tni_along_add_row(&d->along[j], c, o[j].J, F_v);
    }
    tni_along_add_tangent(&d->along[i], &o[i], force->nbody, F[i], F_q, F_v, out->K, out->D);
  }
}

static const tni_force_ops bushing_ops = {.name = "bushing", .eval = bushing_eval};

/* 6 numbers on the diagonal, or 6x6 */
static void read_matrix(const tni_item *item, const char *key, double M[36]) {
  const tni_value *v = tni_item_get(item, key);
  memset(M, 0, 36*sizeof(double));
  for (int i = 0; v && i < 6; i++) {
    if (v->item[i].form != TNI_LIST) {
      M[7*i] = v->item[i].number;
    } else {
      for (int j = 0; j < 6; j++) M[6*i+j] = v->item[i].item[j].number;
    }
  }
}

/* axes of the frame in the ground at t = 0: orientation, or axis as z, or ground axes */
static void read_axes(const tni_item *item, double R[9]) {
  double x[3], y[3], z[3];
  mat3_identity(R);
  if (tni_item_rotation(item, "orientation", R) || !tni_item_direction(item, "axis", z)) return;
  vec3_perpendicular(x, z);
  vec3_cross(y, z, x);
  mat3_columns(R, x, y, z);
}

static tn_status bushing_scalars(tni_builder *b, const tni_item *item, tni_force *force,
                                 const int body[2], const double p[2][3], bushing *d) {
  double R_G[9], R[2][9];
  read_axes(item, R_G);
  for (int i = 0; i < 2; i++) {
    tni_kin k;
    tni_build_pose(b, body[i], &k);
    mat3_tmul(R[i], k.A, R_G);
  }
  for (int a = 0; a < 3; a++) {
    double axis[3], Q[2][9], col[3][3];
    mat3_column(axis, R[0], a);
    tni_scalar s = tni_scalar_dot(body[0], body[1], tni_vecq_direction(0, axis),
                                  tni_vecq_separation(p[0], p[1]), 0);
    TN_TRY(tni_along_build(b, item, force, &s, &d->along[a]));
    /* columns turned cyclically so that axis a stands third */
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 3; c++) mat3_column(col[c], R[i], (a + 1 + c)%3);
      mat3_columns(Q[i], col[0], col[1], col[2]);
    }
    s = tni_scalar_twist(body[0], body[1], Q[0], Q[1], -1);
    TN_TRY(tni_along_build(b, item, force, &s, &d->along[3+a]));
  }
  return TN_OK;
}

/* do turns matter? Twists are angles within half a turn */
static tn_status follow_turn(tni_builder *b, const bushing *d, const int body[2], tni_force *force) {
  bool acts = false;
  for (int i = 0; i < 36; i++) acts = acts || ((i/6 > 2 || i%6 > 2) && (d->K[i] != 0 || d->C[i] != 0));
  for (int i = 3; i < 6; i++) acts = acts || d->preload[i] != 0;
  if (!acts) return TN_OK;
  tni_turned *turned;
  tni_kin k[2];
  TNI_ARENA_NEW(b->arena, turned, 1);
  for (int i = 0; i < 2; i++) {
    tni_build_pose(b, body[i], &k[i]);
    turned->body[i] = body[i];
  }
  mat3_tmul(turned->R, k[1].A, k[0].A);
  force->turned = turned;
  force->nturned = 1;
  return TN_OK;
}

static tn_status bushing_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &bushing_ops};
  bushing *d;
  int body[2];
  double p[2][3], at[3];
  TNI_ARENA_NEW(b->arena, d, 1);
  const tni_value *bodies = tni_item_get(item, "bodies"), *point = tni_item_get(item, "at");
  for (int i = 0; i < 2; i++)
    TN_TRY(tni_build_body(b, item, "bodies", bodies->item[i].text, &body[i]));
  if (body[0] == body[1])
    return tni_item_fail(b->ctx, item, "bodies", "connects '%s' with itself",
                         tni_body_name(b->model, body[0]));
  /* one place in the ground at t = 0, fixed to both bodies */
  tni_kin k;
  int on;
  double s[3];
  TN_TRY(tni_build_point(b, item, "at", point, TNI_GROUND, false, &on, s));
  tni_build_pose(b, on, &k);
  mat3_vec(at, k.A, s);
  vec3_add(at, at, k.r);
  for (int i = 0; i < 2; i++) tni_build_to_body(b, body[i], at, p[i]);
  TN_TRY(bushing_scalars(b, item, &force, body, (const double(*)[3])p, d));

  read_matrix(item, "stiffness", d->K);
  read_matrix(item, "damping", d->C);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) {
      double u = d->K[6*i+j], v = d->K[6*j+i];
      if (fabs(u - v) > 1e-9*fmax(fabs(u), fabs(v)))
        return tni_item_fail(b->ctx, item, "stiffness", "stiffness entry (%d, %d) = %.10g and "
                             "entry (%d, %d) = %.10g differ, must be symmetric", i + 1, j + 1, u,
                             j + 1, i + 1, v);
      d->K[6*i+j] = d->K[6*j+i] = 0.5*(u + v);
    }
  }
  const tni_value *preload = tni_item_get(item, "preload");
  for (int i = 0; preload && i < 6; i++) d->preload[i] = preload->item[i].number;
  TN_TRY(follow_turn(b, d, body, &force));
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key bushing_keys[] = {
    {.name = "bodies", .kind = TNI_KIND_BODIES, .flags = TNI_REQUIRED,
     .doc = "The two bodies; the axes of the bushing follow the first."},
    {.name = "at", .kind = TNI_KIND_POINT, .flags = TNI_REQUIRED, .unit = "m",
     .doc = "Its place: ground coordinates at t = 0, or a named point."},
    {.name = "orientation", .kind = TNI_KIND_ROTATION, .initial = "ground axes",
     .doc = "Directions of its axes x, y, z at t = 0."},
    {.name = "axis", .kind = TNI_KIND_DIRECTION,
     .doc = "Direction of its z axis at t = 0, when the other two do not matter."},
    {.name = "stiffness", .kind = TNI_KIND_MATRIX6, .unit = "N/m, N m/rad",
     .doc = "Along x, y, z and about x, y, z; 6 numbers or a symmetric 6x6 matrix."},
    {.name = "damping", .kind = TNI_KIND_MATRIX6, .unit = "N s/m, N m s/rad",
     .doc = "Likewise for the rates."},
    {.name = "preload", .kind = TNI_KIND_NUMBERS, .count = 6, .unit = "N, N m",
     .initial = "[0, 0, 0, 0, 0, 0]", .doc = "Loads when nothing is displaced."},
};

const tni_force_type tni_force_bushing = {
    {"bushing",
     "Elastic connection of two bodies that resists three displacements and three rotations.",
     bushing_keys, TNI_COUNT(bushing_keys)},
    bushing_build};
