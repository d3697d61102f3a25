/* compile/compile.c - spec -> compiled model
 *
 * Bodies first, then joints in file order, drives, forces, sensors: an item may refer to what
 * comes before it. Everything lives in the arena of the model.
 *
 * Joint frames: frame 0 on the first body, frame 1 on the second. Origins from `at` (ground, at
 * t = 0) or `at1`, `at2` (body-fixed); z axes from `axis` or `axis1`, `axis2`; x axes from `x` or
 * `x1`, `x2`, else chosen so that the joint angle is zero in the position written in the file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "compile/compile.h"

#include <stdio.h>

#include "elements/beams.h"
#include "joints/list.h"
#include "model/sensors.h"
#include "solids/structure.h"

/* ---- bodies -------------------------------------------------------------------------------- */

/* solid of uniform density: {box: [a, b, c]}, {cylinder: [radius, length]} along x, {sphere: r} */
static tn_status shape_inertia(tn_ctx *ctx, const tni_item *item, double mass, double I[9]) {
  const tni_value *v = tni_item_get(item, "shape");
  const char *kind = v->form == TNI_MAP && v->n == 1 ? v->key[0] : "";
  const tni_value *s = v->form == TNI_MAP && v->n == 1 ? &v->item[0] : NULL;
  double size[3] = {0, 0, 0};
  int n = 0;
  if (s && s->form == TNI_NUMBER) size[n++] = s->number;
  if (s && s->form == TNI_LIST)
    for (; n < s->n && n < 3; n++) size[n] = s->item[n].form == TNI_NUMBER ? s->item[n].number : -1;
  for (int i = 0; i < n; i++)
    if (!(size[i] > 0))
      return tni_item_fail(ctx, item, "shape", "shape: %s with size %g m, must be > 0", kind,
                           size[i]);
  memset(I, 0, 9*sizeof(double));
  if (strcmp(kind, "box") == 0 && n == 3) {
    for (int i = 0; i < 3; i++) {
      double a = size[(i+1) % 3], b = size[(i+2) % 3];
      I[4*i] = mass*(a*a + b*b)/12;
    }
  } else if (strcmp(kind, "cylinder") == 0 && n == 2) {
    I[0] = mass*size[0]*size[0]/2;
    I[4] = I[8] = mass*(3*size[0]*size[0] + size[1]*size[1])/12;
  } else if (strcmp(kind, "sphere") == 0 && n == 1) {
    I[0] = I[4] = I[8] = 0.4*mass*size[0]*size[0];
  } else {
    return tni_item_fail(ctx, item, "shape",
                         "shape %s with %d size%s, must be {box: [a, b, c]}, {cylinder: [radius, "
                         "length]} or {sphere: radius}", tni_show(kind).s, n, n == 1 ? "" : "s");
  }
  return TN_OK;
}

/* inertia about the centre of mass in body axes, and all that can be wrong with it */
static tn_status read_inertia(tni_builder *b, const tni_item *item, tni_body *body,
                              double bar_length) {
  double I[9], R[9], T[9], p[3];
  const tn_model *m = b->model;
  if (tni_item_inertia(item, "inertia", I)) {
    if (tni_item_rotation(item, "inertia_orientation", R)) {
      mat3_mul(T, R, I);
      mat3_mult(I, T, R);
    }
    if (tni_item_vec3(item, "inertia_at", p)) {
      /* parallel axes: I_com = I_p - m (d.d 1 - d d^T) */
      double d[3];
      vec3_sub(d, p, body->com);
      double dd = vec3_dot(d, d);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) I[3*i+j] -= body->mass*((i == j)*dd - d[i]*d[j]);
    }
  } else if (tni_item_has(item, "shape")) {
    TN_TRY(shape_inertia(b->ctx, item, body->mass, I));
  } else if (m->planar && bar_length > 0) {
    memset(I, 0, sizeof(I));
    I[0] = I[4] = I[8] = body->mass*bar_length*bar_length/12;
  } else {
    return tni_item_fail(b->ctx, item, NULL,
                         "needs 'inertia' (about the centre of mass) or 'shape' to compute it from");
  }
  /* determinants of inertias and squares of weights must stay numbers */
  static const double least = 1e-60, most = 1e60;
  if (!(body->mass >= least && body->mass <= most))
    return tni_item_fail(b->ctx, item, "mass", "mass = %g kg, must be between %g and %g", body->mass,
                         least, most);
  double e[3];
  const tni_value *given = tni_item_get(item, "inertia");
  const char *hint = "";
  if (given && tni_item_has(item, "inertia_at"))
    hint = "; inertia_at takes mass times squared distance away from what is written";
  else if (given && given->form == TNI_NUMBER && !m->planar)
    hint = "; one number is Izz of a planar model, give [Ixx, Iyy, Izz]";
  if (m->planar) {
    if (!(I[8] > 0))
      return tni_item_fail(b->ctx, item, "inertia", "inertia Izz = %g kg m^2, must be > 0%s", I[8],
                           hint);
    memset(T, 0, sizeof(T));
    T[0] = T[4] = T[8] = I[8];
    memcpy(I, T, sizeof(I));
  }
  mat3_eigenvalues(I, e);
  double low = fmin(e[0], fmin(e[1], e[2])), high = fmax(e[0], fmax(e[1], e[2]));
  if (!(low > 0) || !(low > 1e-14*high))
    return tni_item_fail(b->ctx, item, "inertia",
                         "inertia is not positive definite: principal moments %g, %g, %g kg m^2, "
                         "must be > 0%s", e[0], e[1], e[2], hint);
  if (low < least || high > most)
    return tni_item_fail(b->ctx, item, given ? "inertia" : "mass",
                         "principal moments of inertia %g, %g, %g kg m^2, must be between %g and %g",
                         e[0], e[1], e[2], least, most);
  memcpy(body->I, I, sizeof(I));
  mat3_inverse(body->Iinv, I);
  return TN_OK;
}

/* markers from points: {name: [..]} and frames: {name: {at, orientation}} */
static tn_status read_markers(tni_builder *b, const tni_item *item, const double com[3],
                              int *nmarker, tni_marker **out) {
  const tni_value *points = tni_item_get(item, "points"), *frames = tni_item_get(item, "frames");
  int n = (points ? points->n : 0) + (frames ? frames->n : 0);
  TNI_ARENA_NEW(b->arena, *out, n);
  *nmarker = 0;
  for (int pass = 0; pass < 2; pass++) {
    const tni_value *map = pass ? frames : points;
    for (int i = 0; map && i < map->n; i++) {
      tni_marker *mk = &(*out)[(*nmarker)++];
      mk->name = map->key[i];
      mat3_identity(mk->frame.R);
      double p[3] = {0, 0, 0};
      if (pass == 0) {
        tni_value_vec3(&map->item[i], p);
      } else {
        for (int k = 0; k < map->item[i].n; k++) {
          const tni_value *v = &map->item[i].item[k];
          if (strcmp(map->item[i].key[k], "at") == 0) tni_value_vec3(v, p);
          if (strcmp(map->item[i].key[k], "orientation") == 0)
            tni_value_rotation(v, mk->frame.R);
        }
      }
      vec3_sub(mk->frame.p, p, com);
    }
  }
  return TN_OK;
}

/* pose of a bar: origin halfway between the ends, x axis from the first to the second */
static tn_status bar_pose(tni_builder *b, const tni_item *item, double at[3], double R[9],
                          double *length) {
  const tni_value *v = tni_item_get(item, "between");
  double p[3], q[3], x[3], y[3], z[3];
  if (v->n != 2)
    return tni_item_fail(b->ctx, item, "between", "between has %d point%s, must be 2", v->n,
                         v->n == 1 ? "" : "s");
  tni_value_vec3(&v->item[0], p);
  tni_value_vec3(&v->item[1], q);
  vec3_sub(x, q, p);
  *length = vec3_normalize(x, x);
  if (!(*length > 0))
    return tni_item_fail(b->ctx, item, "between",
                         "between: both points are (%g, %g, %g), must differ", p[0], p[1], p[2]);
  double up[3] = {0, 0, 1};
  vec3_cross(y, up, x);
  if (vec3_norm(y) < 1e-9) vec3_set(y, 0, 1, 0);
  vec3_normalize(y, y);
  vec3_cross(z, x, y);
  mat3_columns(R, x, y, z);
  vec3_add(at, p, q);
  vec3_scale(at, 0.5, at);
  return TN_OK;
}

static tn_status check_planar(tni_builder *b, const tni_item *item, const tni_body *o,
                              const double R[9]) {
  double w[3];
  const char *where = tni_item_has(item, "between") ? "between" : "at";
  if (fabs(o->r0[2]) > 1e-12)
    return tni_item_fail(b->ctx, item, where, "its centre of mass has z = %g m, must be 0 in a "
                         "planar model", o->r0[2]);
  if (fabs(R[8] - 1) > 1e-12)
    return tni_item_fail(b->ctx, item, tni_item_has(item, "between") ? "between" : "orientation",
                         "its z axis leans by %g rad, must stay upright in a planar model: bodies "
                         "turn about z only", acos(fmax(-1, R[8])));
  if (o->v0[2] != 0)
    return tni_item_fail(b->ctx, item, "velocity",
                         "velocity has z component %g m/s, must be 0 in a planar model", o->v0[2]);
  mat3_vec(w, R, o->w0);
  if (w[0] != 0 || w[1] != 0)
    return tni_item_fail(b->ctx, item, o->spin_in_body ? "angular_velocity_body" : "angular_velocity",
                         "angular_velocity (%g, %g, %g) rad/s is not about z, must be in a planar "
                         "model", w[0], w[1], w[2]);
  return TN_OK;
}

/* what the viewer shows; nothing of it is mechanics */
static tn_status read_look(tni_builder *b, const tni_item *item, int *n, tni_look **look) {
  const char *color = tni_item_text(item, "color", NULL);
  if (color && !tni_is_color(color))
    return tni_item_fail(b->ctx, item, "color",
                         "color = %s, must be a name such as red, or \"#rrggbb\" in quotes",
                         tni_show(color).s);
  return tni_look_read(b->ctx, b->arena, item, n, look);
}

static tn_status build_one_body(tni_builder *b, const tni_item *item, tni_body *o) {
  double at[3] = {0, 0, 0}, R[9], w[3] = {0, 0, 0}, length = 0, rc[3];
  o->name = item->name;
  o->item = item;
  if (strcmp(item->name, "ground") == 0)
    return tni_item_fail(b->ctx, item, NULL, "'ground' is the fixed frame, choose another name");
  o->mass = tni_item_number(item, "mass", 0);
  mat3_identity(R);
  tni_item_vec3(item, "com", o->com);
  tni_item_vec3(item, "at", at);
  tni_item_rotation(item, "orientation", R);
  if (tni_item_has(item, "between")) {
    if (tni_item_has(item, "at") || tni_item_has(item, "orientation"))
      return tni_item_fail(b->ctx, item, "between",
                           "between already says where the bar is; remove '%s'",
                           tni_item_has(item, "at") ? "at" : "orientation");
    TN_TRY(bar_pose(b, item, at, R, &length));
  }
  TN_TRY(read_inertia(b, item, o, length));
  mat3_vec(rc, R, o->com);
  vec3_add(o->r0, at, rc);
  quat_from_matrix(o->p0, R);
  tni_item_vec3(item, "velocity", o->v0);
  tni_item_vec3(item, "angular_velocity", w);
  mat3_tvec(o->w0, R, w);
  o->spin_in_body = tni_item_vec3(item, "angular_velocity_body", o->w0);
  if (o->spin_in_body && tni_item_has(item, "angular_velocity"))
    return tni_item_fail(b->ctx, item, "angular_velocity_body",
                         "excludes 'angular_velocity', which is the same in ground axes");
  bool bar = tni_item_has(item, "between");
  o->wrote[TNI_AT] = bar || tni_item_has(item, "at");
  o->wrote[TNI_TURN] = bar || tni_item_has(item, "orientation");
  o->wrote[TNI_VELOCITY] = tni_item_has(item, "velocity");
  o->wrote[TNI_SPIN] = tni_item_has(item, "angular_velocity") || o->spin_in_body;
  /* what the user wrote is held a thousand times better than what was left out */
  o->hold_position =
      tni_item_number(item, "hold", o->wrote[TNI_AT] || o->wrote[TNI_TURN] ? 1 : 1e-3);
  o->hold_velocity = tni_item_number(item, "hold_velocity", 1);
  /* a weight without a velocity holds the body at rest */
  bool at_rest = tni_item_has(item, "hold_velocity") && !o->wrote[TNI_VELOCITY] &&
                 !o->wrote[TNI_SPIN];
  o->follows[0] = !o->wrote[TNI_VELOCITY] && !at_rest;
  o->follows[1] = !o->wrote[TNI_SPIN] && !at_rest;
  if (b->model->planar) TN_TRY(check_planar(b, item, o, R));
  TN_TRY(read_look(b, item, &o->nlook, &o->look));
  return read_markers(b, item, o->com, &o->nmarker, &o->marker);
}

/* no real body has a principal moment larger than the sum of the other two; published data does */
static void warn_inertias(tni_builder *b) {
  const tn_model *m = b->model;
  const tni_body *first = NULL;
  int n = 0;
  for (int i = 0; i < m->nbody && !m->planar; i++) {
    double e[3];
    mat3_eigenvalues(m->body[i].I, e);
    double high = fmax(e[0], fmax(e[1], e[2]));
    if (e[0] + e[1] + e[2] - 2*high >= -1e-9*high) continue;
    if (n++ == 0) first = &m->body[i];
  }
  if (n == 0) return;
  char others[48] = "";
  if (n > 1) snprintf(others, sizeof(others), " (and %d more bodies)", n - 1);
  tni_log(b->ctx, TN_LOG_WARNING,
          "%s:%d: body '%s'%s: the inertia breaks the triangle inequality of principal moments; no "
          "real body has it",
          first->item->at.file, first->item->at.line, first->name, others);
}

/* So many bodies there may be at most. A body with what belongs to it takes some thousand bytes until
 * it moves; who asks for more of them than there is memory is told so before it is spent. */
static tn_status count_bodies(tni_builder *b, long *n) {
  enum { BODY_BYTES = 8*1024, MOST = 20*1000*1000 };
  const tn_spec *spec = b->spec;
  *n = 0;
  for (int i = 0; i < spec->nitem; i++) {
    *n += strcmp(spec->item[i]->section->name, "bodies") == 0;
    if (tni_is_beam(spec->item[i])) *n += tni_beam_nbody(spec->item[i]);
    *n += tni_structure_nbody(spec->item[i]);
    if (*n > MOST)
      return tni_item_fail(b->ctx, spec->item[i], NULL, "with it the model has more than %d bodies "
                           "and nodes, which is the limit", MOST);
  }
  size_t bytes = (size_t)*n*BODY_BYTES;
  if (bytes > 0 && !tni_has_memory(bytes))
    return TN_FAIL(b->ctx, TN_ERR_MEMORY,
                   "out of memory: %ld bodies and nodes need about %.1f GB, which are not there", *n,
                   1e-9*(double)bytes);
  return TN_OK;
}

/* does a beam begin or end at a body that the `hold` of a structure makes? */
static bool beams_need_holders(const tn_spec *spec) {
  for (int i = 0; i < spec->nitem; i++)
    for (int end = 0; end < 2 && tni_is_beam(spec->item[i]); end++) {
      const char *name = tni_item_text(spec->item[i], end ? "end" : "start", NULL);
      if (name && tni_structure_makes_body(spec, name)) return true;
    }
  return false;
}

static tn_status build_bodies(tni_builder *b) {
  const tn_spec *spec = b->spec;
  tn_model *m = b->model;
  long n;
  TN_TRY(count_bodies(b, &n));
  TNI_ARENA_NEW(b->arena, m->body, n);
  for (int i = 0; i < spec->nitem; i++) {
    const tni_item *item = spec->item[i];
    if (strcmp(item->section->name, "bodies") == 0) {
      TN_TRY(build_one_body(b, item, &m->body[m->nbody]));
      m->nbody++;
    }
    if (strcmp(item->section->name, "ground") == 0) {
      const double zero[3] = {0, 0, 0};
      TN_TRY(read_markers(b, item, zero, &m->ground_nmarker, &m->ground_marker));
      TN_TRY(read_look(b, item, &m->ground_nlook, &m->ground_look));
    }
  }
  /* structures give mass to bodies that hold nodes, nodes of beams among them, and make bodies that beams may begin at */
  bool early = beams_need_holders(spec);
  if (early) TN_TRY(tni_structures_begin(b));
  for (int i = 0; i < spec->nitem; i++)
    if (tni_is_beam(spec->item[i])) TN_TRY(tni_beam_nodes(b, spec->item[i]));
  if (!early) TN_TRY(tni_structures_begin(b));
  TN_TRY(tni_structures_finish(b));
  for (int i = 0; i < m->nbeam; i++) TN_TRY(tni_beam_elements(b, i));
  if (m->nbody == 0 && m->npart == 0)
    return tni_place_fail(b->ctx, spec->top.at, NULL,
                          "the model has no bodies; add a 'bodies:' or 'structures:' section");
  warn_inertias(b);
  return TN_OK;
}

/* ---- joints -------------------------------------------------------------------------------- */

/* The places and directions that an item gives, side by side. A named frame gives all three. */
static const char *const joint_own[3][2] = {{"at1", "at2"}, {"axis1", "axis2"}, {"x1", "x2"}};
static const char *const joint_common[3] = {"at", "axis", "x"};
static const char *const joint_named[2] = {"frame1", "frame2"};

/* frames named by frame1, frame2, NULL where none is; what they replace must not stand beside them */
static tn_status joint_frames(tni_builder *b, const tni_item *item, const tni_joint *j,
                              const tni_frame *named[2]) {
  const tn_model *m = b->model;
  for (int e = 0; e < 2; e++) {
    const char *name = tni_item_text(item, joint_named[e], NULL);
    named[e] = NULL;
    if (!name) continue;
    for (int k = 0; k < 3; k++)
      if (tni_item_has(item, joint_own[k][e]))
        return tni_item_fail(b->ctx, item, joint_named[e], "excludes '%s'", joint_own[k][e]);
    int n = j->body[e] == TNI_GROUND ? m->ground_nmarker : m->body[j->body[e]].nmarker;
    const tni_marker *list =
        j->body[e] == TNI_GROUND ? m->ground_marker : m->body[j->body[e]].marker;
    for (int i = 0; i < n && !named[e]; i++)
      if (strcmp(list[i].name, name) == 0) named[e] = &list[i].frame;
    if (!named[e])
      return tni_item_fail(b->ctx, item, joint_named[e],
                           "body '%s' has no frame '%s'; frames are named in its 'frames:'",
                           tni_body_name(m, j->body[e]), name);
  }
  for (int k = 0; k < 3; k++) {
    const char *side[2];
    for (int e = 0; e < 2; e++)
      side[e] = named[e] ? joint_named[e] : tni_item_has(item, joint_own[k][e]) ? joint_own[k][e] : NULL;
    if (side[0] && side[1] && tni_item_has(item, joint_common[k]))
      return tni_item_fail(b->ctx, item, joint_common[k], "key '%s' means nothing beside '%s' and '%s'",
                           joint_common[k], side[0], side[1]);
  }
  return TN_OK;
}

/* Origins of the frames of a joint. Absent points: the frame origins of the bodies. */
static tn_status joint_origins(tni_builder *b, const tni_item *item, const tni_frame *const named[2],
                               tni_joint *j) {
  const char *const *own = joint_own[0];
  bool given[2];
  for (int e = 0; e < 2; e++) {
    const tni_value *v = tni_item_get(item, own[e]);
    given[e] = v != NULL || named[e];
    if (named[e]) vec3_copy(j->frame[e].p, named[e]->p);
    else if (!v && j->body[e] != TNI_GROUND)
      vec3_scale(j->frame[e].p, -1, b->model->body[j->body[e]].com);
    if (!v) continue;
    int body;
    TN_TRY(tni_build_point(b, item, own[e], v, j->body[e], true, &body, j->frame[e].p));
    if (body != j->body[e])
      return tni_item_fail(b->ctx, item, own[e], "point '%s' is on '%s', not on '%s'", v->text,
                           tni_body_name(b->model, body), tni_body_name(b->model, j->body[e]));
  }
  const tni_value *at = tni_item_get(item, "at");
  double p[3];
  if (at) {
    int body;
    double s[3];
    TN_TRY(tni_build_point(b, item, "at", at, TNI_GROUND, false, &body, s));
    tni_kin k;
    tni_build_pose(b, body, &k);
    mat3_vec(p, k.A, s);
    vec3_add(p, p, k.r);
    for (int e = 0; e < 2; e++)
      if (!given[e]) tni_build_to_body(b, j->body[e], p, j->frame[e].p);
  } else if (given[0] != given[1]) {
    /* one point given: the other body has its point at the same place */
    int e = given[0] ? 0 : 1;
    tni_kin k;
    tni_build_pose(b, j->body[e], &k);
    mat3_vec(p, k.A, j->frame[e].p);
    vec3_add(p, p, k.r);
    tni_build_to_body(b, j->body[1-e], p, j->frame[1-e].p);
  }
  return TN_OK;
}

/* direction k (1: axis, 2: reference) of both frames, ground components: from the common key
 * (ground), own keys or named frames (body-fixed) */
static void joint_direction(tni_builder *b, const tni_item *item, const tni_joint *j, int k,
                            const tni_frame *const named[2], const double fallback[2][3],
                            double out[2][3], bool given[2]) {
  double a[3];
  bool common = tni_item_direction(item, joint_common[k], a);
  for (int e = 0; e < 2; e++) {
    double l[3];
    given[e] = common;
    vec3_copy(out[e], common ? a : fallback[e]);
    if (named[e]) mat3_column(l, named[e]->R, k == 1 ? 2 : 0);
    if (named[e] || tni_item_direction(item, joint_own[k][e], l)) {
      tni_kin kin;
      tni_build_pose(b, j->body[e], &kin);
      mat3_vec(out[e], kin.A, l);
      given[e] = true;
    }
  }
  if (given[0] != given[1]) {
    int e = given[0] ? 0 : 1;
    vec3_copy(out[1-e], out[e]);
    given[1-e] = true;
  }
}

static tn_status joint_axes(tni_builder *b, const tni_item *item, const tni_frame *const named[2],
                            tni_joint *j) {
  const double zdef[2][3] = {{0, 0, 1}, {0, 0, 1}};
  double z[2][3], x[2][3], xdef[2][3];
  bool given[2];
  joint_direction(b, item, j, 1, named, zdef, z, given);
  vec3_perpendicular(xdef[0], z[0]);
  vec3_copy(xdef[1], xdef[0]);
  joint_direction(b, item, j, 2, named, (const double(*)[3])xdef, x, given);
  for (int e = 0; e < 2; e++) {
    double y[3], zl[3], xl[3];
    const char *own = joint_own[2][e];
    bool written = tni_item_has(item, "x") || tni_item_has(item, own);
    vec3_addmul(x[e], -vec3_dot(x[e], z[e]), z[e]);
    if (vec3_norm(x[e]) < 1e-9) {
      if (written)
        return tni_item_fail(b->ctx, item, tni_item_has(item, own) ? own : "x",
                             "reference direction %s is parallel to the axis, must not be",
                             tni_item_has(item, own) ? own : "x");
      vec3_perpendicular(x[e], z[e]);
    }
    vec3_normalize(x[e], x[e]);
    tni_build_direction_to_body(b, j->body[e], z[e], zl);
    tni_build_direction_to_body(b, j->body[e], x[e], xl);
    vec3_cross(y, zl, xl);
    mat3_columns(j->frame[e].R, xl, y, zl);
  }
  return TN_OK;
}

/* coordinates, or rates, that the joint is to start with: a number, or {name: number} */
static tn_status joint_initial(tni_builder *b, const tni_item *item, const tni_joint *j,
                               const char *key, bool *has, double *value) {
  const tni_value *v = tni_item_key(item, key) ? tni_item_get(item, key) : NULL;
  const char *names[TNI_MAXCOORD];
  if (!v) return TN_OK;
  for (int i = 0; i < j->ncoord; i++) names[i] = j->coord[i].name;
  if (j->ncoord == 0)
    return tni_item_fail(b->ctx, item, key, "key '%s': a joint of type '%s' has no coordinate", key,
                         j->type);
  if (v->form != TNI_MAP && j->ncoord > 1)
    return tni_item_fail(b->ctx, item, key, "key '%s': has %d coordinates, write {%s: %s}", key,
                         j->ncoord, names[0], v->text ? v->text : "value");
  int n = v->form == TNI_MAP ? v->n : 1;
  for (int k = 0; k < n; k++) {
    const tni_value *x = v->form == TNI_MAP ? &v->item[k] : v;
    int i = 0;
    while (v->form == TNI_MAP && i < j->ncoord && strcmp(v->key[k], names[i]) != 0) i++;
    if (i == j->ncoord)
      return tni_item_fail(b->ctx, item, key, "key '%s': no coordinate %s%s", key,
                           tni_show(v->key[k]).s, tni_hint_for(v->key[k], names, j->ncoord).s);
    if (x->form != TNI_NUMBER || !isfinite(x->number))
      return tni_item_fail(b->ctx, item, key, "key '%s': %s must be a number", key, names[i]);
    has[i] = true;
    value[i] = x->number;
  }
  return TN_OK;
}

static tn_status build_joint(tni_builder *b, const tni_item *item, const tni_joint_type *type) {
  tn_model *m = b->model;
  void *items = m->joint;
  if (!tni_arena_grow(b->arena, &items, m->njoint, &b->joint_cap, sizeof(tni_joint)))
    return tni_out_of_memory(b->ctx);
  m->joint = items;
  /* built apart: the list may not show a joint that is not whole */
  tni_joint j;
  memset(&j, 0, sizeof(j));
  j.name = item->name;
  j.type = type->type.name;
  j.item = item;
  for (int e = 0; e < 2; e++) {
    j.body[e] = TNI_GROUND;
    mat3_identity(j.frame[e].R);
  }
  const tni_value *bodies = tni_item_key(item, "bodies") ? tni_item_get(item, "bodies") : NULL;
  if (bodies) {
    for (int e = 0; e < 2; e++)
      TN_TRY(tni_build_body(b, item, "bodies", bodies->item[e].text, &j.body[e]));
    if (j.body[0] == j.body[1])
      return tni_item_fail(b->ctx, item, "bodies",
                           "joins '%s' to itself, must be two different bodies",
                           tni_body_name(m, j.body[0]));
    const tni_frame *named[2];
    TN_TRY(joint_frames(b, item, &j, named));
    TN_TRY(joint_origins(b, item, named, &j));
    TN_TRY(joint_axes(b, item, named, &j));
  }
  TN_TRY(type->build(b, item, &j));
  if (!j.is_drive) {
    TN_TRY(joint_initial(b, item, &j, "initial", j.has_initial, j.initial));
    TN_TRY(joint_initial(b, item, &j, "initial_rate", j.has_rate, j.initial_rate));
  }
  m->joint[m->njoint++] = j;
  return TN_OK;
}

/* ---- kinds of nodes ------------------------------------------------------------------------ */

/* Nodes of cables and trusses are points, unless something is fixed to one that holds or turns it: a
 * joint, a bushing, a contact. Those are bodies like all others. */
static void set_kinds(tn_model *m) {
  tni_node_kind body = m->planar ? TNI_NODE_FLAT : TNI_NODE_POSE;
  tni_node_kind point = m->planar ? TNI_NODE_POINT2 : TNI_NODE_POINT;
  for (int i = 0; i < m->nbody; i++) m->body[i].kind = body;
  for (int i = 0; i < m->nbeam; i++)
    for (int n = 0; n < m->beam[i].nnode && !m->beam[i].bends; n++) {
      int node = m->beam[i].node[n];
      if (node != TNI_GROUND && m->body[node].item == m->beam[i].item) m->body[node].kind = point;
    }
  for (int i = 0; i < m->ncon; i++)
    for (int e = 0; e < m->con[i].nbody; e++) m->body[m->con[i].body[e]].kind = body;
  for (int i = 0; i < m->nforce; i++)
    for (int e = 0; e < m->force[i].nbody; e++)
      if (!(m->force[i].central & 1u << e)) m->body[m->force[i].body[e]].kind = body;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* joints that the analysis wants outside the spanning tree */
static tn_status mark_cut(tni_builder *b) {
  const tni_item *an = tni_spec_single(b->spec, "analysis");
  const tni_value *list = an ? tni_item_get(an, "cut") : NULL;
  for (int i = 0; list && i < (list->n > 0 ? list->n : 1); i++) {
    const char *name = list->n > 0 ? list->item[i].text : list->text;
    int found;
    TN_TRY(tni_build_joint_ref(b, an, "cut", name, &found));
    tni_joint *joint = &b->model->joint[found];
    if (joint->is_drive || joint->mobilizer == TNI_MOBIL_NONE)
      return tni_item_fail(b->ctx, an, "cut", "joint '%s' of type %s never carries a body: there is nothing to cut",
                           name, joint->type);
    joint->cut = true;
  }
  return TN_OK;
}

static tn_status build_all(tni_builder *b) {
  const tn_spec *spec = b->spec;
  tn_model *m = b->model;
  /* the reader has asked for missing keys; items made by a program have not been looked at */
  for (int i = 0; i < spec->nitem; i++) TN_TRY(tni_item_complete(b->ctx, spec->item[i]));
  char *title = tni_arena_strdup(b->arena, tni_item_text(&spec->top, "title", ""));
  if (!title) return tni_out_of_memory(b->ctx);
  tni_text_to_line(title);
  m->title = title;
  m->planar = tni_item_bool(&spec->top, "planar", false);
  tni_item_vec3(&spec->top, "gravity", m->gravity);
  if (m->planar && m->gravity[2] != 0)
    return tni_item_fail(b->ctx, &spec->top, "gravity",
                         "gravity has z component %g m/s^2, must be 0 in a planar model; down is "
                         "often [0, -9.81]", m->gravity[2]);
  TN_TRY(build_bodies(b));
  static const char *const order[] = {"joints", "drive", "forces", "sensors"};
  for (int pass = 0; pass < TNI_COUNT(order); pass++) {
    for (int i = 0; i < spec->nitem; i++) {
      const tni_item *item = spec->item[i];
      if (strcmp(item->section->name, order[pass]) != 0) continue;
      switch (pass) {
        /* the tni_type of an item is the first member of its joint or force type */
        case 0: TN_TRY(build_joint(b, item, (const tni_joint_type *)(const void *)item->type)); break;
        case 1: TN_TRY(build_joint(b, item, &tni_joint_drive)); break;
        case 2: TN_TRY(((const tni_force_type *)(const void *)item->type)->build(b, item)); break;
        default: TN_TRY(tni_build_sensor(b, item));
      }
    }
  }
  for (int i = 0; i < spec->nitem; i++) {
    const tni_item *item = spec->item[i];
    if (strcmp(item->section->name, "output") != 0) continue;
    const tni_value *v = tni_item_get(item, "record");
    if (v && v->form != TNI_LIST) TN_TRY(tni_build_sensor_short(b, item, v->text));
    for (int n = 0; v && v->form == TNI_LIST && n < v->n; n++)
      TN_TRY(tni_build_sensor_short(b, item, v->item[n].text));
  }
  set_kinds(m);
  return mark_cut(b);
}

tn_status tni_model_compile(tn_ctx *ctx, const tn_spec *spec, tn_model **out) {
  *out = NULL;
  tn_model *m = tni_alloc(ctx, 1, sizeof(*m));
  if (!m) return tni_out_of_memory(ctx);
  m->ctx = ctx;
  m->spec = spec;
  tni_arena_init(&m->arena, ctx);
  tni_arena_init(&m->hot, ctx);
  tni_builder b = {.ctx = ctx, .arena = &m->arena, .hot = &m->hot, .spec = spec, .model = m};
  tn_status st = build_all(&b);
  if (st != TN_OK) {
    tni_model_destroy(&m);
    return st;
  }
  *out = m;
  return TN_OK;
}

void tni_model_destroy(tn_model **model) {
  if (!model || !*model) return;
  tn_ctx *ctx = (*model)->ctx;
  for (int i = 0; i < (*model)->nmesh; i++) tni_mesh_destroy(&(*model)->mesh[i]);
  tni_arena_clear(&(*model)->hot);
  tni_arena_clear(&(*model)->arena);
  tni_free(ctx, *model);
  *model = NULL;
}
