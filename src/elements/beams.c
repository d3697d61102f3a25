/* elements/beams.c - beams, trusses and cables of a model file -> nodes and elements
 *
 * A beam becomes a chain of nodes, which are bodies named beam.node[0], beam.node[1], ..., and of
 * elements, which are internal forces named beam.element[0], ... . The mass is lumped: a node gets
 * half of each element with two nodes, and one, four and one sixth of an element with three
 * (Simpson), which keeps the order of the frequencies. Rotary inertia likewise.
 *
 * An end may sit on a body that the user wrote, on a node of an earlier beam or on the ground; what
 * would have been its node is then fixed in that body, which takes the mass over.
 *
 * A beam of `element: rigid` has the same nodes, and fixed joints named beam.element[0], ... in place of
 * elements: the link that a flexible one replaces.
 *
 * Section axes: x along the beam, z from `up`, y = z x x.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/beams.h"

#include <stdio.h>

#include "base/curve.h"
#include "model/measures.h"

/* ---- keys ---------------------------------------------------------------------------------- */

#define ENDS(more)                                                                                 \
  {.name = "from", .kind = TNI_KIND_POINT, .unit = "m",                                            \
   .doc = "Start: ground coordinates, or a named point of a body or of the ground to which the "   \
          "start is then fixed" more "."},                                                         \
  {.name = "to", .kind = TNI_KIND_POINT, .unit = "m", .doc = "End, like from."},                   \
  {.name = "elements", .kind = TNI_KIND_INTEGER, .min = 1, .max = 1000000,                         \
   .initial = "beams 8, trusses 1, cables 10", .doc = "Number of elements."},                      \
  {.name = "damping", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "s", .initial = "0",       \
   .doc = "Material damping: stress per rate of strain divided by the stiffness."}

#define WORD(name) #name "|"

static const tni_key beam_keys[] = {
    ENDS(" with its section"),
    {.name = "points", .kind = TNI_KIND_POINTS, .unit = "m",
     .doc = "Points of a curved beam at rest, in place of from and to."},
    {.name = "curve", .kind = TNI_KIND_CHOICE, .choices = "spline|arc", .initial = "spline",
     .doc = "Curve through the points: smooth through all, or the circular arc through three."},
    {.name = "start", .kind = TNI_KIND_BODY,
     .doc = "Body in which the first section is fixed where it is at t = 0, ground included."},
    {.name = "end", .kind = TNI_KIND_BODY, .doc = "The same for the last section."},
    {.name = "up", .kind = TNI_KIND_DIRECTION, .initial = "z, or y for a beam along z",
     .doc = "Direction of the z axis of the sections, made normal to the beam; a curved beam without "
            "it takes the axes of its start along without twist."},
    {.name = "twist", .kind = TNI_KIND_NUMBER, .unit = "rad", .initial = "0",
     .doc = "Angle by which the sections at rest turn about the beam from start to end."},
    {.name = "element", .kind = TNI_KIND_CHOICE, .initial = "exact",
     .choices = TNI_BEAM_ELEMENT_LIST(WORD) "rigid",
     .doc = "Two nodes and exact for constant strains; three nodes and order four; two nodes with "
            "strains by increments, for explicit methods and small strains; or none: the nodes of "
            "`exact` with their masses, joined rigidly."},
    {.name = "velocity", .kind = TNI_KIND_EXPR3, .unit = "m/s", .initial = "[0, 0, 0]",
     .doc = "Initial velocity, ground axes: expressions of the length s from the start; sections turn "
            "with the axis."},
    {.name = "angular_velocity", .kind = TNI_KIND_VEC3, .unit = "rad/s", .initial = "[0, 0, 0]",
     .doc = "Initial angular velocity of the beam as a whole about its start, added to velocity."},
    {.name = "rotary_scale", .kind = TNI_KIND_NUMBER, .min = 1, .max = HUGE_VAL, .initial = "1",
     .doc = "Factor on the rotary inertia, which allows larger explicit steps; said by check and "
            "run."},
    TNI_PROFILE_KEYS, TNI_PROFILE_BEAM_KEYS,
};

#define TRUSS_KEYS                                                                                \
  ENDS(""),                                                                                        \
  {.name = "length", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m", \
   .initial = "distance of the ends", .doc = "Unstretched length."},                               \
  TNI_PROFILE_KEYS

static const tni_key truss_keys[] = {
    TRUSS_KEYS,
    {.name = "slack", .kind = TNI_KIND_BOOL, .initial = "trusses false, cables true",
     .doc = "No force in compression."},
};

const tni_section tni_beam_sections[TNI_NBEAM_SECTION] = {
    {"beams", "beam", "Flexible beams: nodes are bodies beam.node[0] ..., ends beam.start and "
     "beam.end.", false, false, beam_keys, TNI_COUNT(beam_keys), NULL, 0},
    {"trusses", "truss", "Bars that carry axial force only.", false, true, truss_keys,
     TNI_COUNT(truss_keys), NULL, 0},
    {"cables", "cable", "Cables: bars in a row that carry no compression.", false, true, truss_keys,
     TNI_COUNT(truss_keys), NULL, 0},
};

static int section_of(const tni_item *item) {
  for (int i = 0; i < TNI_NBEAM_SECTION; i++)
    if (strcmp(item->section->name, tni_beam_sections[i].name) == 0) return i;
  return -1;
}

bool tni_is_beam(const tni_item *item) { return section_of(item) >= 0; }

/* ---- the chain at rest --------------------------------------------------------------------- */

/* what the item says, and the chain being made */
typedef struct {
  tni_builder *b;
  const tni_item *item;
  bool bends;
  const tni_element_type *type;
  int nelement, nnode;
  tni_profile *profile;
  double x0[3], x1[3];  /* ends of a straight one     */
  int body[2];          /* that hold the ends, or NODE */
  const tni_curve *curve;
  struct {
    double centre[3], axis[3], arm[3], angle;
  } arc;
  double (*x)[3], (*t)[3], (*z)[3]; /* [nnode] place, tangent, z axis of the section */
  double *s;            /* [nnode] length */
} chain;

enum { NODE = -2 }; /* the end is a node of its own */

/* a link in place of a flexible beam: no elements, fixed joints between its nodes */
static const tni_element_type rigid = {"rigid", "Nodes joined rigidly.", 2, false, NULL};

static const tni_element_type *type_of(const tni_item *item) {
  if (section_of(item) != 0) return &tni_element_truss;
#define ENTRY(name) &tni_element_##name,
  static const tni_element_type *const types[] = {TNI_BEAM_ELEMENT_LIST(ENTRY) &rigid};
  const char *word = tni_item_text(item, "element", types[0]->name);
  int i = 0;
  while (strcmp(types[i]->name, word) != 0 && i < TNI_COUNT(types) - 1) i++; /* the reader knows them all */
  return types[i];
}

static int elements_of(const tni_item *item) {
  static const int usual[TNI_NBEAM_SECTION] = {8, 1, 10};
  return tni_item_integer(item, "elements", usual[section_of(item)]);
}

int tni_beam_nbody(const tni_item *item) {
  return elements_of(item)*(type_of(item)->nend - 1) + 1;
}

/* a point of the key from or to; a named one holds the end */
static tn_status read_end(chain *c, const char *key, double x[3], int *body) {
  const tni_value *v = tni_item_get(c->item, key);
  tni_builder *b = c->b;
  if (!v)
    return tni_item_fail(b->ctx, c->item, NULL, "has no '%s'; give from and to%s", key,
                         c->bends ? ", or points" : "");
  if (v->form == TNI_LIST) {
    tni_value_vec3(v, x);
    return TN_OK;
  }
  double s[3];
  tni_kin k;
  TN_TRY(tni_build_point(b, c->item, key, v, TNI_GROUND, false, body, s));
  tni_build_pose(b, *body, &k);
  mat3_vec(x, k.A, s);
  vec3_add(x, x, k.r);
  return TN_OK;
}

/* circle through three points */
static tn_status fit_arc(chain *c, const tni_value *points) {
  double p[3][3], a[3], d[3], n[3], m[3];
  if (points->n != 3)
    return tni_item_fail(c->b->ctx, c->item, "points", "an arc goes through 3 points, not %d",
                         points->n);
  for (int i = 0; i < 3; i++) tni_value_vec3(&points->item[i], p[i]);
  vec3_sub(a, p[1], p[0]);
  vec3_sub(d, p[2], p[0]);
  vec3_cross(n, a, d);
  double aa = vec3_dot(a, a), dd = vec3_dot(d, d), nn = vec3_dot(n, n);
  if (!(nn > 1e-20*aa*dd))
    return tni_item_fail(c->b->ctx, c->item, "points",
                         "the three points of the arc are on a line; a straight beam has from and "
                         "to");
  /* centre - p0 = (|d|^2 (a x d) x ... )/(2 |n|^2), in the plane of the points */
  double u[3], w[3];
  vec3_cross(u, d, n);
  vec3_cross(w, n, a);
  for (int i = 0; i < 3; i++) m[i] = (aa*u[i] + dd*w[i])/(2*nn);
  vec3_add(c->arc.centre, p[0], m);
  vec3_scale(c->arc.arm, -1, m);
  vec3_normalize(c->arc.axis, n);
  /* angle to the last point, counted through the middle one: in (0, 2 pi) about n */
  double e[3], y[3];
  vec3_sub(e, p[2], c->arc.centre);
  vec3_cross(y, c->arc.axis, c->arc.arm);
  c->arc.angle = atan2(vec3_dot(e, y), vec3_dot(e, c->arc.arm));
  if (c->arc.angle <= 0) c->arc.angle += 2*3.14159265358979323846;
  return TN_OK;
}

static tn_status read_curve(chain *c, const tni_value *points) {
  tni_builder *b = c->b;
  const char *const excluded[] = {"from", "to"};
  for (int i = 0; i < 2; i++)
    if (tni_item_has(c->item, excluded[i]))
      return tni_item_fail(b->ctx, c->item, excluded[i], "has '%s' beside 'points'; give one or the "
                           "other", excluded[i]);
  if (strcmp(tni_item_text(c->item, "curve", "spline"), "arc") == 0) return fit_arc(c, points);
  double *xyz;
  TNI_ARENA_NEW(b->arena, xyz, 3*points->n);
  for (int i = 0; i < points->n; i++) tni_value_vec3(&points->item[i], xyz + 3*i);
  if (tni_curve_create(b->arena, points->n, xyz, false, TNI_CURVE_CHORD, &c->curve) == TN_OK)
    return TN_OK;
  char why[TNI_MESSAGE_MAX];
  snprintf(why, sizeof(why), "%s", tn_ctx_message(b->ctx));
  return tni_item_fail(b->ctx, c->item, "points", "%.400s", why);
}

/* length of the spline between two parameters, Gauss with five points */
static double spline_length(const tni_curve *curve, double a, double b) {
  static const double x[5] = {0, 0.538469310105683, -0.538469310105683, 0.906179845938664,
                              -0.906179845938664};
  static const double w[5] = {0.568888888888889, 0.478628670499366, 0.478628670499366,
                              0.236926885056189, 0.236926885056189};
  double sum = 0, c[2][3];
  for (int i = 0; i < 5; i++) {
    tni_curve_eval(curve, 0.5*(a + b) + 0.5*(b - a)*x[i], 1, c);
    sum += w[i]*vec3_norm(c[1]);
  }
  return 0.5*(b - a)*sum;
}

/* place, tangent and length of every node */
static void place_nodes(chain *c) {
  for (int i = 0; i < c->nnode; i++) {
    double f = (double)i/(c->nnode - 1);
    if (c->curve) {
      double p[2][3], l = c->curve->length;
      tni_curve_eval(c->curve, f*l, 1, p);
      vec3_copy(c->x[i], p[0]);
      vec3_normalize(c->t[i], p[1]);
      c->s[i] = i ? c->s[i-1] + spline_length(c->curve, (double)(i - 1)/(c->nnode - 1)*l, f*l) : 0;
    } else if (c->arc.angle > 0) {
      double y[3], a = f*c->arc.angle;
      vec3_cross(y, c->arc.axis, c->arc.arm);
      for (int k = 0; k < 3; k++) {
        c->x[i][k] = c->arc.centre[k] + cos(a)*c->arc.arm[k] + sin(a)*y[k];
        c->t[i][k] = cos(a)*y[k] - sin(a)*c->arc.arm[k];
      }
      vec3_normalize(c->t[i], c->t[i]);
      c->s[i] = a*vec3_norm(c->arc.arm);
    } else {
      double d[3];
      vec3_sub(d, c->x1, c->x0);
      for (int k = 0; k < 3; k++) c->x[i][k] = (1 - f)*c->x0[k] + f*c->x1[k];
      c->s[i] = f*vec3_normalize(c->t[i], d);
    }
  }
}

/* z axes: from `up`, or taken along from the start */
static tn_status orient_nodes(chain *c) {
  double up[3] = {0, 0, 1}, twist = tni_item_number(c->item, "twist", 0);
  bool given = tni_item_direction(c->item, "up", up);
  double whole = c->s[c->nnode - 1];
  if (!given && fabs(c->t[0][2]) > 1 - 1e-9) vec3_set(up, 0, 1, 0);
  for (int i = 0; i < c->nnode; i++) {
    const double *t = c->t[i];
    if (i > 0 && !given) {
      /* turn the axis before by the smallest rotation that takes its tangent to this one */
      double n[3], y[3], cosine = vec3_dot(c->t[i-1], t);
      vec3_cross(n, c->t[i-1], t);
      vec3_cross(y, n, c->z[i-1]);
      double along = vec3_dot(n, c->z[i-1])/(1 + cosine);
      for (int k = 0; k < 3; k++) up[k] = cosine*c->z[i-1][k] + y[k] + along*n[k];
    }
    vec3_copy(c->z[i], up);
    vec3_addmul(c->z[i], -vec3_dot(up, t), t);
    if (!(vec3_norm(c->z[i]) > 1e-6))
      return tni_item_fail(c->b->ctx, c->item, "up", "up is along the beam at s = %g m, must not be",
                           c->s[i]);
    vec3_normalize(c->z[i], c->z[i]);
  }
  for (int i = 0; i < c->nnode && twist != 0; i++) {
    double y[3], a = twist*c->s[i]/whole;
    vec3_cross(y, c->z[i], c->t[i]);
    for (int k = 0; k < 3; k++) c->z[i][k] = cos(a)*c->z[i][k] - sin(a)*y[k];
  }
  return TN_OK;
}

static tn_status check_plane(const chain *c) {
  const char *key = tni_item_has(c->item, "points") ? "points" : "to";
  for (int i = 0; i < c->nnode; i++) {
    if (fabs(c->x[i][2]) > 1e-12)
      return tni_item_fail(c->b->ctx, c->item, key, "node %d has z = %g m, must be 0 in a planar "
                           "model", i, c->x[i][2]);
  }
  for (int i = 0; i < c->nnode; i++) {
    if (c->bends && fabs(c->z[i][2] - 1) > 1e-12)
      return tni_item_fail(c->b->ctx, c->item, tni_item_has(c->item, "up") ? "up" : "twist",
                           "the z axis of its sections must be z in a planar model");
  }
  return TN_OK;
}

static tn_status lay_out(chain *c) {
  tni_builder *b = c->b;
  const tni_value *points = c->bends ? tni_item_get(c->item, "points") : NULL;
  c->body[0] = c->body[1] = NODE;
  if (points) {
    TN_TRY(read_curve(c, points));
  } else {
    TN_TRY(read_end(c, "from", c->x0, &c->body[0]));
    TN_TRY(read_end(c, "to", c->x1, &c->body[1]));
    double d[3];
    vec3_sub(d, c->x1, c->x0);
    if (!(vec3_norm(d) > 0))
      return tni_item_fail(b->ctx, c->item, "to", "from and to are the same place (%g, %g, %g), must "
                           "differ", c->x0[0], c->x0[1], c->x0[2]);
  }
  static const char *const key[2] = {"start", "end"};
  for (int e = 0; e < 2 && c->bends; e++) {
    const char *name = tni_item_text(c->item, key[e], NULL);
    if (!name) continue;
    if (c->body[e] != NODE)
      return tni_item_fail(b->ctx, c->item, key[e], "'%s' already says what holds the %s",
                           e ? "to" : "from", key[e]);
    TN_TRY(tni_build_body(b, c->item, key[e], name, &c->body[e]));
  }
  TNI_ARENA_NEW(b->arena, c->x, c->nnode);
  TNI_ARENA_NEW(b->arena, c->t, c->nnode);
  TNI_ARENA_NEW(b->arena, c->z, c->nnode);
  place_nodes(c);
  TN_TRY(orient_nodes(c));
  return b->model->planar ? check_plane(c) : TN_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* velocity functions of the length, with derivatives */
typedef struct {
  const tni_expr *v[3], *v_s[3];
  double w[3];
  bool written;
} motion;

static tn_status read_motion(chain *c, motion *o) {
  static const char *const name[] = {"s"};
  const tni_value *v = c->bends ? tni_item_get(c->item, "velocity") : NULL;
  memset(o, 0, sizeof(*o));
  if (!c->bends) return TN_OK;
  o->written = tni_item_vec3(c->item, "angular_velocity", o->w) || v != NULL;
  for (int i = 0; i < 3 && v; i++) {
    TN_TRY(tni_build_expr(c->b, c->item, "velocity", &v->item[i], name, 1, &o->v[i]));
    TN_TRY(tni_expr_derivative(c->b->arena, o->v[i], 0, &o->v_s[i]));
  }
  return TN_OK;
}

static void node_motion(const chain *c, const motion *o, int i, const double A[9], tni_body *body) {
  double arm[3], x[3], w[3], v_s[3] = {0};
  vec3_sub(arm, c->x[i], c->x[0]);
  vec3_cross(x, o->w, arm);
  vec3_copy(body->v0, x);
  vec3_copy(w, o->w);
  for (int k = 0; k < 3 && o->v[k]; k++) {
    body->v0[k] += tni_expr_eval(o->v[k], &c->s[i]);
    v_s[k] = tni_expr_eval(o->v_s[k], &c->s[i]);
  }
  /* sections stay normal to the axis */
  vec3_cross(x, c->t[i], v_s);
  vec3_add(w, w, x);
  mat3_tvec(body->w0, A, w);
}

static tn_status new_node(chain *c, const motion *mo, int i, double mass, const double J[3]) {
  tn_model *m = c->b->model;
  tni_body *o = &m->body[m->nbody++];
  double y[3], A[9];
  memset(o, 0, sizeof(*o));
  o->name = tni_arena_printf(c->b->arena, "%s.node[%d]", c->item->name, i);
  if (!o->name) return tni_out_of_memory(c->b->ctx);
  o->item = c->item;
  o->mass = mass;
  for (int k = 0; k < 3; k++) {
    o->I[4*k] = m->planar ? J[2] : J[k];
    o->Iinv[4*k] = 1/o->I[4*k];
  }
  if (c->bends) {
    vec3_cross(y, c->z[i], c->t[i]);
    mat3_columns(A, c->t[i], y, c->z[i]);
  } else {
    mat3_identity(A);
  }
  vec3_copy(o->r0, c->x[i]);
  quat_from_matrix(o->p0, A);
  node_motion(c, mo, i, A, o);
  o->hold_position = o->hold_velocity = 1;
  o->wrote[TNI_AT] = o->wrote[TNI_TURN] = true;
  o->wrote[TNI_VELOCITY] = o->wrote[TNI_SPIN] = mo->written;
  o->follows[0] = o->follows[1] = !mo->written;
  return TN_OK;
}

/* the section of end i as a frame in a body that exists */
static void attached_frame(const chain *c, int i, int body, tni_frame *f) {
  double y[3], Q[9];
  tni_kin k;
  tni_build_to_body(c->b, body, c->x[i], f->p);
  tni_build_pose(c->b, body, &k);
  vec3_cross(y, c->z[i], c->t[i]);
  mat3_columns(Q, c->t[i], y, c->z[i]);
  mat3_tmul(f->R, k.A, Q);
}

/* lengths that nodes stand for, by two- or three-point weights of each element */
static void lump(const chain *c, double *share) {
  for (int e = 0; e < c->nelement; e++) {
    if (c->type->nend == 2) {
      double l = c->s[e+1] - c->s[e];
      share[e] += l/2;
      share[e+1] += l/2;
    } else {
      double l = c->s[2*e+2] - c->s[2*e];
      share[2*e] += l/6;
      share[2*e+1] += 2*l/3;
      share[2*e+2] += l/6;
    }
  }
}

static tn_status make_nodes(chain *c, tni_beam *beam) {
  tn_model *m = c->b->model;
  motion mo;
  double scale = c->bends ? tni_item_number(c->item, "rotary_scale", 1) : 1;
  TN_TRY(read_motion(c, &mo));
  lump(c, beam->share);
  for (int i = 0; i < c->nnode; i++) {
    double mass = c->profile->rhoA*beam->share[i], J[3];
    for (int k = 0; k < 3; k++)
      /* nodes of a cable do not turn; any inertia serves */
      J[k] = c->bends ? scale*c->profile->rhoI[k]*beam->share[i]
                      : mass*beam->share[i]*beam->share[i];
    int body = i == 0 ? c->body[0] : i == c->nnode - 1 ? c->body[1] : NODE;
    mat3_identity(beam->frame[i].R);
    if (body == NODE) {
      beam->node[i] = m->nbody;
      TN_TRY(new_node(c, &mo, i, mass, J));
      continue;
    }
    beam->node[i] = body;
    attached_frame(c, i, body, &beam->frame[i]);
    if (body == TNI_GROUND) continue;
    double before[3];
    const double none[3] = {0, 0, 0};
    vec3_copy(before, m->body[body].com);
    tni_build_add_mass(c->b, body, &beam->frame[i], mass, c->bends ? J : none);
    for (int k = 0; k < 3; k++) beam->frame[i].p[k] += before[k] - m->body[body].com[k];
    if (!c->bends) mat3_identity(beam->frame[i].R);
  }
  return TN_OK;
}

/* ---- elements ------------------------------------------------------------------------------ */

/* nodes e and e + 1 of a rigid beam become one: joint beam.element[e] with the rows of a fixed joint */
static tn_status join_nodes(tni_builder *b, const tni_beam *beam, int e) {
  tn_model *m = b->model;
  void *items = m->joint;
  tni_joint j = {.type = "fixed", .item = beam->item, .mobilizer = TNI_MOBIL_FIXED,
                 .body = {beam->node[e], beam->node[e+1]}};
  tni_rowset rows = {0};
  tni_kin k[2];
  double p[3], R[9];
  if (j.body[0] == j.body[1]) return TN_OK;
  j.name = tni_arena_printf(b->arena, "%s.element[%d]", beam->name, e);
  if (!j.name || !tni_arena_grow(b->arena, &items, m->njoint, &b->joint_cap, sizeof(tni_joint)))
    return tni_out_of_memory(b->ctx);
  m->joint = items;
  for (int i = 0; i < 2; i++) tni_build_pose(b, j.body[i], &k[i]);
  j.frame[1] = beam->frame[e+1];
  mat3_vec(p, k[1].A, j.frame[1].p);
  vec3_add(p, p, k[1].r);
  tni_build_to_body(b, j.body[0], p, j.frame[0].p);
  mat3_mul(R, k[1].A, j.frame[1].R);
  mat3_tmul(j.frame[0].R, k[0].A, R);
  tni_rows_point(&rows, &j);
  tni_rows_normal(&rows, &j, 0, 2, "axis.1");
  tni_rows_normal(&rows, &j, 1, 2, "axis.2");
  tni_rows_normal(&rows, &j, 0, 1, "spin");
  TN_TRY(tni_rows_close(b, &j, &rows));
  m->joint[m->njoint++] = j;
  return TN_OK;
}

tn_status tni_beam_elements(tni_builder *b, int index) {
  tni_beam *beam = &b->model->beam[index];
  const tni_item *item = beam->item;
  const tni_element_type *type = type_of(item);
  int n = type->nend;
  double length = beam->bends ? 0 : tni_item_number(item, "length", 0);
  beam->element0 = b->model->nforce;
  beam->nelement = type == &rigid ? 0 : elements_of(item);
  for (int e = 0; type == &rigid && e < beam->nnode - 1; e++) TN_TRY(join_nodes(b, beam, e));
  for (int e = 0; e < beam->nelement; e++) {
    tni_element_in in = {.item = item, .profile = beam->profile,
                         .slack = !beam->bends && tni_item_bool(item, "slack", section_of(item) == 2),
                         .damping = tni_item_number(item, "damping", 0),
                         .length = length/beam->nelement};
    in.name = tni_arena_printf(b->arena, "%s.element[%d]", item->name, e);
    if (!in.name) return tni_out_of_memory(b->ctx);
    for (int k = 0; k < n; k++) {
      in.body[k] = beam->node[e*(n - 1) + k];
      in.frame[k] = beam->frame[e*(n - 1) + k];
    }
    TN_TRY(type->build(b, &in));
  }
  return TN_OK;
}

tn_status tni_beam_nodes(tni_builder *b, const tni_item *item) {
  tn_model *m = b->model;
  chain c = {.b = b, .item = item, .bends = section_of(item) == 0, .type = type_of(item),
             .nelement = elements_of(item)};
  c.nnode = c.nelement*(c.type->nend - 1) + 1;
  if (c.type->memory && tni_item_number(item, "damping", 0) > 0)
    return tni_item_fail(b->ctx, item, "damping", "elements '%s' have no damping; use 'exact'",
                         c.type->name);
  TNI_ARENA_NEW(b->arena, c.profile, 1);
  TN_TRY(tni_profile_read(b->ctx, item, m->planar, !c.bends, c.profile));
  void *items = m->beam;
  if (!tni_arena_grow(b->arena, &items, m->nbeam, &b->beam_cap, sizeof(tni_beam)))
    return tni_out_of_memory(b->ctx);
  m->beam = items;
  tni_beam beam = {.name = item->name, .item = item, .nnode = c.nnode, .bends = c.bends,
                   .profile = c.profile, .outline = c.profile->outline};
  TNI_ARENA_NEW(b->arena, beam.node, c.nnode);
  TNI_ARENA_NEW(b->arena, beam.frame, c.nnode);
  TNI_ARENA_NEW(b->arena, beam.arc, c.nnode);
  TNI_ARENA_NEW(b->arena, beam.share, c.nnode);
  c.s = beam.arc;
  TN_TRY(lay_out(&c));
  TN_TRY(make_nodes(&c, &beam));
  m->beam[m->nbeam++] = beam;
  return TN_OK;
}
