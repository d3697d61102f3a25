/* joints/parts.c - what several joint files share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/parts.h"

tn_status tni_joint_need_bodies(tni_builder *b, const tni_item *item, const tni_joint *joint) {
  if (!tni_item_has(item, "bodies"))
    return tni_item_fail(b->ctx, item, NULL, "key 'bodies' is missing; must be [body, body]");
  if (joint->body[0] == joint->body[1])
    return tni_item_fail(b->ctx, item, "bodies",
                         "joins '%s' to itself, must be two different bodies",
                         tni_body_name(b->model, joint->body[0]));
  return TN_OK;
}

tn_status tni_joint_need_axis(tni_builder *b, const tni_item *item, const tni_joint *joint,
                              tni_axis_use use) {
  static const char *const keys[] = {"axis", "axis1", "axis2", "frame1", "frame2"};
  const char *key = NULL;
  TN_TRY(tni_joint_need_bodies(b, item, joint));
  for (int i = 0; i < TNI_COUNT(keys) && !key; i++)
    if (tni_item_has(item, keys[i])) key = keys[i];
  if (!key && b->model->planar && use == TNI_AXIS_TURN) return TN_OK;
  if (!key)
    return tni_item_fail(b->ctx, item, NULL,
                         "key 'axis' is missing; must be x, y, z, -x, -y, -z or [x, y, z]");
  for (int side = 0; side < 2 && b->model->planar; side++) {
    double a[3], tol = 1e-9; /* rounding of directions as they are written */
    tni_joint_axis(b, joint, side, 2, a);
    bool normal = hypot(a[0], a[1]) < tol, in_plane = fabs(a[2]) < tol;
    if (use == TNI_AXIS_TURN ? !normal : use == TNI_AXIS_SLIDE ? !in_plane : !normal && !in_plane)
      return tni_item_fail(b->ctx, item, key,
                           "axis (%g, %g, %g) does not suit a planar model, must be %s", a[0], a[1],
                           a[2], use == TNI_AXIS_TURN    ? "z"
                                 : use == TNI_AXIS_SLIDE ? "in the plane: z component 0"
                                                         : "z or in the plane");
  }
  return TN_OK;
}

tn_status tni_joint_need_axes(tni_builder *b, const tni_item *item) {
  static const char *const own[2] = {"axis1", "axis2"}, *const frame[2] = {"frame1", "frame2"};
  for (int e = 0; e < 2; e++) {
    if (tni_item_has(item, own[e]) || tni_item_has(item, frame[e])) continue;
    return tni_item_fail(b->ctx, item, NULL,
                         "key '%s' is missing; axis1 is a direction in the frame of the first body, "
                         "axis2 in that of the second (or the z axes of frame1 and frame2)", own[e]);
  }
  return TN_OK;
}

tn_status tni_joint_point_on(tni_builder *b, const tni_item *item, tni_joint *joint) {
  const tni_value *body = tni_item_get(item, "body"), *point = tni_item_get(item, "point");
  if (tni_item_has(item, "bodies")) {
    if (body || point || tni_item_has(item, "on"))
      return tni_item_fail(b->ctx, item, body ? "body" : point ? "point" : "on",
                           "give either bodies and at, or body, point and on, not both");
    return tni_joint_need_axis(b, item, joint, TNI_AXIS_ANY);
  }
  if (!point || (!body && point->form == TNI_LIST))
    return tni_item_fail(b->ctx, item, NULL,
                         "key '%s' is missing; give bodies and at, or body, point and on",
                         point ? "body" : "point");
  static const char *const idle[] = {"at", "at1", "at2", "axis1", "axis2", "x1", "x2", "frame1", "frame2"};
  for (int i = 0; i < TNI_COUNT(idle); i++)
    if (tni_item_has(item, idle[i]))
      return tni_item_fail(b->ctx, item, idle[i],
                           "key '%s' means nothing beside body, point and on; give bodies instead of "
                           "them", idle[i]);
  double x[3], z[3], s[3], p[3];
  if (!tni_item_direction(item, "axis", z))
    return tni_item_fail(b->ctx, item, NULL,
                         "key 'axis' is missing; must be x, y, z, -x, -y, -z or [x, y, z]");
  int owner = TNI_GROUND, on, at;
  if (body) TN_TRY(tni_build_body(b, item, "body", body->text, &owner));
  TN_TRY(tni_build_point(b, item, "point", point, owner, false, &at, s));
  TN_TRY(tni_build_body(b, item, "on", tni_item_text(item, "on", "ground"), &on));
  if (body && at != owner)
    return tni_item_fail(b->ctx, item, "point", "point '%s' is not on body '%s'", point->text,
                         body->text);
  if (on == at)
    return tni_item_fail(b->ctx, item, "on", "the point and what it stays on both belong to '%s'",
                         tni_body_name(b->model, on));
  joint->body[0] = on;
  joint->body[1] = at;
  const double *reference = tni_item_direction(item, "x", x) ? x : NULL;
  tni_kin kin;
  tni_joint_frame(b, at, s, z, reference, &joint->frame[1]);
  tni_build_pose(b, at, &kin);
  mat3_vec(p, kin.A, s);
  vec3_add(p, p, kin.r);
  tni_build_to_body(b, on, p, s);
  tni_joint_frame(b, on, s, z, reference, &joint->frame[0]);
  return TN_OK;
}

void tni_joint_frame(const tni_builder *b, int body, const double s[3], const double z_G[3],
                     const double *x_G, tni_frame *frame) {
  double x[3], y[3], e[3][3];
  if (x_G) {
    vec3_copy(x, x_G);
    vec3_addmul(x, -vec3_dot(x, z_G), z_G);
    vec3_normalize(x, x);
  } else {
    vec3_perpendicular(x, z_G);
  }
  vec3_cross(y, z_G, x);
  tni_build_direction_to_body(b, body, x, e[0]);
  tni_build_direction_to_body(b, body, y, e[1]);
  tni_build_direction_to_body(b, body, z_G, e[2]);
  vec3_copy(frame->p, s);
  mat3_columns(frame->R, e[0], e[1], e[2]);
}

void tni_joint_axis(const tni_builder *b, const tni_joint *joint, int side, int axis,
                    double a_G[3]) {
  tni_kin kin;
  double a[3];
  tni_build_pose(b, joint->body[side], &kin);
  mat3_column(a, joint->frame[side].R, axis);
  mat3_vec(a_G, kin.A, a);
}

double tni_joint_gap(const tni_builder *b, const tni_joint *joint, double d_G[3]) {
  tni_kin kin;
  double p[2][3], size = 0;
  for (int i = 0; i < 2; i++) {
    tni_build_pose(b, joint->body[i], &kin);
    mat3_vec(p[i], kin.A, joint->frame[i].p);
    size = fmax(size, vec3_norm(p[i]) + vec3_norm(kin.r));
    vec3_add(p[i], p[i], kin.r);
  }
  vec3_sub(d_G, p[1], p[0]);
  double gap = vec3_norm(d_G);
  return gap > 1e-12*size ? gap : 0; /* below, it is made of rounding errors */
}

tni_vecq tni_joint_axisq(const tni_joint *joint, int side, int axis) {
  double a[3];
  mat3_column(a, joint->frame[side].R, axis);
  return tni_vecq_direction(side, a);
}

tni_vecq tni_joint_gapq(const tni_joint *joint) {
  return tni_vecq_separation(joint->frame[0].p, joint->frame[1].p);
}

void tni_rows_parallel(tni_rowset *rows, const tni_joint *joint) {
  tni_rows_normal(rows, joint, 0, 2, "axis.1");
  tni_rows_normal(rows, joint, 1, 2, "axis.2");
}

void tni_rows_oriented(tni_rowset *rows, const tni_joint *joint) {
  tni_rows_parallel(rows, joint);
  tni_rows_normal(rows, joint, 0, 1, "spin");
}

void tni_rows_on_axis(tni_rowset *rows, const tni_joint *joint) {
  tni_rows_inplane(rows, joint, 0, "offset.1");
  tni_rows_inplane(rows, joint, 1, "offset.2");
}

tn_status tni_rows_distance(tni_builder *b, const tni_item *item, const tni_joint *joint,
                            tni_rowset *rows) {
  double d[3], now = tni_joint_gap(b, joint, d), length = tni_item_number(item, "length", now);
  /* its gradient is the unit vector between the points, which must exist at the start */
  if (!(length > 0))
    return tni_item_fail(b->ctx, item, "length",
                         "length = %g m, must be > 0; use type spherical for points that coincide",
                         length);
  if (!(now > 1e-9*length))
    return tni_item_fail(b->ctx, item, "bodies",
                         "the two points coincide at the start and leave the direction of a "
                         "distance of %g m open; move one of them", length);
  tni_scalar s = tni_scalar_length(joint->body[0], joint->body[1], tni_joint_gapq(joint), -length);
  tni_rows_scalar(rows, &s, "distance", "m");
  return TN_OK;
}

tn_status tni_rows_link(tni_builder *b, const tni_item *item, const tni_joint *joint,
                        tni_rowset *rows) {
  double a[3], d[3], gap = tni_joint_gap(b, joint, d);
  tni_joint_axis(b, joint, 0, 2, a);
  double now = gap > 0 ? vec3_dot(a, d) : 0, offset = tni_item_number(item, "offset", now);
  double length = tni_item_number(item, "length", gap);
  vec3_addmul(d, -now, a);
  /* with the end on the axis both rows would have the same gradient */
  if (!(length > fabs(offset)*(1 + 1e-9)) || !(vec3_norm(d) > 1e-9*length))
    return tni_item_fail(b->ctx, item, "length",
                         "the rod of length %g m lies in its hinge axis (offset %g m); it must "
                         "reach away from it", length, offset);
  tni_scalar s = tni_scalar_dot(joint->body[0], joint->body[1], tni_joint_axisq(joint, 0, 2),
                                tni_joint_gapq(joint), -offset);
  tni_rows_scalar(rows, &s, "offset", "m");
  return tni_rows_distance(b, item, joint, rows);
}

int tni_rows_add(tni_rowset *rows, const char *name, const char *unit) {
  int i = rows->nrow++;
  rows->name[i] = name;
  rows->unit[i] = unit;
  rows->row[i].nterm = 0;
  return i;
}

void tni_rows_term(tni_rowset *rows, int row, double factor, const tni_scalar *s) {
  int k = rows->row[row].nterm++;
  rows->row[row].factor[k] = factor;
  rows->row[row].scalar[k] = *s;
}

double tni_joint_initial(const tni_builder *b, const tni_scalar *s) {
  tni_kin kin[2];
  tni_scalar_out out;
  for (int i = 0; i < 2; i++) tni_build_pose(b, s->body[i], &kin[i]);
  tni_scalar_eval(s, &kin[0], &kin[1], s->memory >= 0 ? b->model->memory0[s->memory] : 0,
                  TNI_S_VALUE, &out);
  return out.s;
}

/* entry k of a key of kind NAMES, NULL if it has fewer */
static const char *name_entry(const tni_item *item, const char *key, int k) {
  const tni_value *v = tni_item_get(item, key);
  if (!v) return NULL;
  if (v->form != TNI_LIST) return k == 0 ? v->text : NULL;
  return k < v->n ? v->item[k].text : NULL;
}

int tni_joint_count(const tni_item *item, const char *key) {
  const tni_value *v = tni_item_get(item, key);
  return !v ? 0 : v->form == TNI_LIST ? v->n : 1;
}

tn_status tni_joint_coord(tni_builder *b, const tni_item *item, int k, const char *wanted,
                          const char *unit, int *index, tni_scalar *s) {
  const char *joint = name_entry(item, "joints", k), *name = name_entry(item, "coordinates", k);
  const char *key = name ? "coordinates" : "joints";
  int njoint = tni_joint_count(item, "joints"), ncoord = tni_joint_count(item, "coordinates");
  const tni_coord *coord;
  if (ncoord && ncoord != njoint)
    return tni_item_fail(b->ctx, item, "coordinates", "has %d names for %d joints", ncoord,
                         njoint);
  TN_TRY(tni_build_joint_ref(b, item, "joints", joint, index));
  /* the wanted one if it is there: a cylindrical joint has a displacement before its angle */
  const tni_joint *o = &b->model->joint[*index];
  for (int i = 0; i < o->ncoord && !name && wanted; i++)
    if (strcmp(o->coord[i].name, wanted) == 0) name = wanted;
  TN_TRY(tni_build_coord_ref(b, item, key, joint, name, &coord));
  if (unit && strcmp(coord->unit, unit) != 0)
    return tni_item_fail(b->ctx, item, key, "coordinate '%s' of joint '%s' (%s) is in %s, must be "
                         "in %s", coord->name, joint, o->type, coord->unit, unit);
  *s = coord->scalar;
  return TN_OK;
}

tn_status tni_joint_from_start(tni_builder *b, tni_scalar *s) {
  s->offset -= tni_joint_initial(b, s);
  return s->memory < 0 ? TN_OK : tni_build_memory(b, 0, &s->memory);
}

void tni_joint_sides(const tni_builder *b, tni_joint *joint, int first, int second) {
  const int index[2] = {first, second};
  for (int i = 0; i < 2; i++) {
    const tni_joint *o = &b->model->joint[index[i]];
    int side = o->body[1] == TNI_GROUND ? 0 : 1;
    joint->body[i] = o->body[side];
    joint->frame[i] = o->frame[side];
  }
}

tn_status tni_joint_pair(tni_builder *b, const tni_item *item, tni_joint *joint,
                         const char *const wanted[2], const char *const unit[2],
                         tni_scalar s[2]) {
  int index[2], n = tni_joint_count(item, "joints");
  if (n != 2)
    return tni_item_fail(b->ctx, item, "joints", "joins the coordinates of %d joint%s, must be 2",
                         n, n == 1 ? "" : "s");
  for (int i = 0; i < 2; i++) {
    TN_TRY(tni_joint_coord(b, item, i, wanted[i], unit ? unit[i] : NULL, &index[i], &s[i]));
    TN_TRY(tni_joint_from_start(b, &s[i]));
  }
  if (index[0] == index[1] && tni_joint_count(item, "coordinates") == 0)
    return tni_item_fail(b->ctx, item, "joints", "joins joint '%s' to itself",
                         b->model->joint[index[0]].name);
  tni_joint_sides(b, joint, index[0], index[1]);
  return TN_OK;
}
