/* tests/support/random_models.h - random valid models over the whole input language, by a number
 *
 * A model is planar or spatial: a tree of two to six bodies in random poses, each on a random joint, loops closed by
 * some joints, ties between joint coordinates, rolling bodies of their own, a drive, forces, a beam, truss or cable, sensors.
 * The same number gives the same model in any view: other units, another orientation of the world, bodies in
 * reverse order. Items may be left out one by one (to shrink a failure); the others stay as they are.
 *
 * Everything is written for types by name (the tables `writers`); scan.c fails when the language has a type without a
 * writer, or with one that is never drawn.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_RANDOM_MODELS_H
#define TN_RANDOM_MODELS_H

#include <stdarg.h>

#include "base/vec.h"
#include "support/check.h"

enum { RM_TEXT = 60000, RM_ITEMS = 64, RM_BODIES = 12, RM_JOINTS = 16, RM_WORDS = 80 };

/* how a model is written: units (1 m = L units of length ...), world turned by R, bodies in reverse */
typedef struct {
  double R[9], L, M, T;
  bool reverse;
} rm_view;

typedef struct {
  char name[12], type[24];
  int body[2]; /* -1: ground */
  double axis[3];
  bool angle, slides; /* first coordinate */
  bool is_on;
} rm_joint;

typedef struct {
  uint64_t seed;
  const rm_view *w;
  const bool *off; /* [RM_ITEMS] items left out */
  bool planar, tied, switching, sampled, stiff, driven;
  bool vertical; /* some load knows where up is */
  bool open;     /* nothing but the tree holds the bodies */
  int nitem, nbody, njoint, njoint_tree, nforce, nsensor;
  double r[RM_BODIES][3], u[RM_BODIES][2][3]; /* place, z and x of the frames */
  bool is_on[RM_BODIES];
  rm_joint joint[RM_JOINTS];
  char body_text[RM_BODIES][600], joints[RM_TEXT/8], drive[600], forces[RM_TEXT/8], sensors[RM_TEXT/8],
      beams[1000], trusses[1000], cables[1000];
  char last_force[12], last_impact[12], beam[12];
  char words[RM_WORDS][24]; /* types drawn */
  int nword;
} rm_model;

static inline double rm_unit(rm_model *m) { return 0.5*(1 + check_random(&m->seed)); }
static inline double rm_between(rm_model *m, double a, double b) { return a + (b - a)*rm_unit(m); }
static inline int rm_choose(rm_model *m, int n) { return (int)(rm_unit(m)*n) % n; }
static inline void rm_drawn(rm_model *m, const char *type) {
  char word[24];
  snprintf(word, sizeof(word), "%s", type);
  if (m->nword < RM_WORDS) memcpy(m->words[m->nword++], word, sizeof(word));
}

static inline void rm_direction(rm_model *m, double u[3]) {
  do {
    for (int i = 0; i < 3; i++) u[i] = check_random(&m->seed);
    if (m->planar) u[2] = 0;
  } while (!(vec3_norm(u) > 0.2 && vec3_norm(u) < 1));
  vec3_normalize(u, u);
}
static inline void rm_normal(const double u[3], double n[3]) {
  double other[3] = {fabs(u[0]) < 0.6, fabs(u[0]) >= 0.6, 0};
  vec3_cross(n, u, other);
  vec3_normalize(n, n);
}

/* ---- numbers and vectors as the view has them; texts live until eight more are made --------- */

static inline const char *rm_text(const char *format, ...) {
  static char ring[16][200];
  static int next;
  char *to = ring[next++ % 16];
  va_list a;
  va_start(a, format);
  vsnprintf(to, sizeof(ring[0]), format, a);
  va_end(a);
  return to;
}
/* length^l mass^m time^t */
static inline double rm_scale(const rm_model *m, double x, int l, int mass, int t) {
  return x*pow(m->w->L, l)*pow(m->w->M, mass)*pow(m->w->T, t);
}
static inline const char *rm_vector(const rm_model *m, const double x[3], double scale) {
  double y[3];
  mat3_vec(y, m->w->R, x);
  return rm_text("[%.17g, %.17g, %.17g]", scale*y[0], scale*y[1], m->planar ? 0 : scale*y[2]);
}
static inline const char *rm_place(const rm_model *m, const double x[3]) { return rm_vector(m, x, m->w->L); }
static inline const char *rm_axis(const rm_model *m, const double u[3]) {
  return m->planar && fabs(u[2]) > 0.5 ? "z" : rm_vector(m, u, 1);
}
/* coordinates in the frame of a body, or of the ground, which turns with the world */
static inline const char *rm_local(rm_model *m, int body, double size) {
  double x[3];
  rm_direction(m, x);
  vec3_scale(x, size*rm_between(m, 0.5, 1), x);
  if (body < 0) return rm_place(m, x);
  return rm_text("[%.17g, %.17g, %.17g]", m->w->L*x[0], m->w->L*x[1], m->w->L*x[2]);
}
/* direction in the frame of a body */
static inline const char *rm_own(const rm_model *m, int body, const double u[3]) {
  if (body < 0) return rm_axis(m, u);
  double y[3];
  vec3_cross(y, m->u[body][0], m->u[body][1]);
  return rm_text("[%.17g, %.17g, %.17g]", vec3_dot(u, m->u[body][1]), vec3_dot(u, y), vec3_dot(u, m->u[body][0]));
}
static inline const char *rm_body(int body) { return body < 0 ? "ground" : rm_text("b%d", body); }

/* is the next item written? it uses bodies a and b */
static inline bool rm_item(rm_model *m, int a, int b) {
  bool on = m->nitem < RM_ITEMS && !m->off[m->nitem] && (a < 0 || m->is_on[a]) && (b < 0 || m->is_on[b]);
  m->nitem++;
  return on;
}
static inline void rm_add(char *to, size_t size, const char *format, ...) {
  size_t n = strlen(to);
  va_list a;
  va_start(a, format);
  vsnprintf(to + n, size - n, format, a);
  va_end(a);
}
#define RM_ADD(field, ...) rm_add(field, sizeof(field), __VA_ARGS__)

/* ---- bodies and joints ---------------------------------------------------------------------- */

static inline void rm_add_body(rm_model *m, const double at[3], const char *more, bool upright) {
  int i = m->nbody++;
  double mass = rm_between(m, 0.5, 3), I = mass*rm_between(m, 0.01, 0.05), I2 = I*rm_between(m, 1, 1.5);
  double I3 = rm_between(m, I2, 0.9*(I + I2)), z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  vec3_copy(m->r[i], at);
  if (!upright && !m->planar) {
    rm_direction(m, z);
    rm_normal(z, x);
  } else if (m->planar) {
    rm_direction(m, x);
  }
  vec3_copy(m->u[i][0], z);
  vec3_copy(m->u[i][1], x);
  m->is_on[i] = rm_item(m, -1, -1);
  if (!m->is_on[i]) return;
  double inertia = rm_scale(m, 1, 2, 1, 0);
  RM_ADD(m->body_text[i], "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: %s, orientation: {z: %s, x: %s}%s}\n",
         i, rm_scale(m, mass, 0, 1, 0), inertia*I, inertia*I2, inertia*I3, rm_place(m, at), rm_axis(m, z),
         rm_vector(m, x, 1), more);
}

/* joints that may carry a body: keys beside type and bodies, with what their first coordinate is */
static const struct {
  const char *name, *keys; /* a: at, u: axis, p: pitch, 2: at1 and at2,
                              v: perpendicular axes in both bodies, k: points of a curve */
  char first;              /* r: angle, t: displacement, -: none or another */
  bool planar;             /* allowed in planar models */
} rm_tree_joints[] = {
    {"fixed", "a", '-', true},           {"revolute", "au", 'r', true},      {"prismatic", "au", 't', true},
    {"cylindrical", "au", '-', false},   {"spherical", "a", '-', false},     {"universal", "av", '-', false},
    {"constant_velocity", "au", '-', false}, {"planar", "au", '-', false},   {"screw", "aup", '-', false},
    {"inline", "au", '-', true},         {"inplane", "au", '-', true},       {"distance", "2", '-', true},
    {"revolute_spherical", "2u", '-', false}, {"revolute_revolute", "2u", '-', false},
    {"parallel", "u", '-', false},       {"perpendicular", "v", '-', false}, {"orientation", "", '-', true},
    {"curve", "k", '-', true}};

static inline void rm_curve_points(rm_model *m, int p, int i) {
  /* in the frame of the first body; ground only, so that the ends are where they are meant to be */
  (void)p;
  double d[3], n[3];
  rm_direction(m, d);
  if (m->planar) n[0] = -d[1], n[1] = d[0], n[2] = 0;
  else rm_normal(d, n);
  RM_ADD(m->joints, ", at2: [0, 0, 0], points: [");
  for (int k = -2; k <= 2; k++) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = m->r[i][c] + 0.4*k*d[c] + 0.1*k*k*n[c];
    RM_ADD(m->joints, "%s%s", k > -2 ? ", " : "", rm_place(m, x));
  }
  RM_ADD(m->joints, "]");
}

static inline void rm_add_joint(rm_model *m, int type, int p, int i) {
  rm_joint *j = &m->joint[m->njoint];
  double at[3], d[3], axis[3], across[3];
  const char *name = rm_tree_joints[type].name, *keys = rm_tree_joints[type].keys;
  if (strcmp(name, "curve") == 0) p = -1;
  rm_direction(m, d);
  for (int k = 0; k < 3; k++) at[k] = m->r[i][k] + 0.3*d[k];
  bool turns = strcmp(name, "revolute") == 0;
  if (m->planar && turns) vec3_set(axis, 0, 0, 1);
  else rm_direction(m, axis);
  rm_normal(axis, across);
  *j = (rm_joint){.body = {p, i}, .angle = rm_tree_joints[type].first == 'r', .slides = rm_tree_joints[type].first == 't'};
  vec3_copy(j->axis, axis);
  snprintf(j->name, sizeof(j->name), "j%d", m->njoint++);
  snprintf(j->type, sizeof(j->type), "%s", name);
  rm_drawn(m, name);
  j->is_on = rm_item(m, p, i);
  double rate = check_random(&m->seed), length = rm_between(m, 0.3, 0.6), pitch = rm_between(m, 0.1, 0.4);
  const char *at1 = rm_local(m, p, length), *at2 = rm_local(m, i, 0.2);
  size_t before = strlen(m->joints);
  RM_ADD(m->joints, "  %s: {type: %s, bodies: [%s, b%d]", j->name, name, rm_body(p), i);
  for (const char *k = keys; *k; k++) {
    if (*k == 'a') RM_ADD(m->joints, ", at: %s", rm_place(m, at));
    else if (*k == 'u') RM_ADD(m->joints, ", axis: %s", rm_axis(m, axis));
    else if (*k == 'p') RM_ADD(m->joints, ", pitch: %.17g", m->w->L*pitch);
    else if (*k == '2') RM_ADD(m->joints, ", at1: %s, at2: %s", at1, at2);
    else if (*k == 'k') rm_curve_points(m, p, i);
    else RM_ADD(m->joints, ", axis1: %s, axis2: %s", rm_own(m, p, axis), rm_own(m, i, across));
  }
  bool starts = (j->angle || j->slides) && m->open;
  if (starts) RM_ADD(m->joints, ", initial_rate: %.17g", j->slides ? rm_scale(m, rate, 1, 0, -1) : rm_scale(m, 2*rate, 0, 0, -1));
  RM_ADD(m->joints, "}\n");
  if (!j->is_on) m->joints[before] = 0;
}

/* a body that rolls on the ground, which lies below all others */
static inline void rm_add_rolling(rm_model *m, const char *type) {
  double radius = rm_between(m, 0.2, 0.4), up[3] = {0, m->planar, !m->planar}, along[3] = {1, 0, 0};
  double at[3] = {0, 0, 0}, lean = rm_between(m, 0.2, 0.5), axis[3] = {0, -cos(lean), sin(lean)};
  bool disk = strcmp(type, "rolling_disk") == 0, steered = strcmp(type, "steering") == 0;
  vec3_addmul(at, -3 + (disk && !m->planar ? radius*cos(lean) : radius), up);
  rm_add_body(m, at, "", true);
  int i = m->nbody - 1;
  rm_joint *j = &m->joint[m->njoint];
  *j = (rm_joint){.body = {-1, i}};
  snprintf(j->name, sizeof(j->name), "j%d", m->njoint++);
  snprintf(j->type, sizeof(j->type), "%s", disk ? type : "rolling_sphere");
  rm_drawn(m, j->type);
  j->is_on = rm_item(m, -1, i);
  if (j->is_on) {
    RM_ADD(m->joints, "  %s: {type: %s, bodies: [ground, b%d], at: %s, radius: %.17g, normal: %s", j->name, j->type, i,
           rm_place(m, at), m->w->L*radius, rm_vector(m, up, 1));
    if (disk && !m->planar) RM_ADD(m->joints, ", axis2: %s", rm_own(m, i, axis));
    RM_ADD(m->joints, "}\n");
  }
  if (!steered) return;
  rm_drawn(m, type);
  if (rm_item(m, -1, i))
    RM_ADD(m->joints, "  steer: {type: steering, bodies: [ground, b%d], at1: [0, 0, 0], at2: [0, 0, 0], axis: %s, x: %s, slope: \"0.3*cos(%.17g*t)\"}\n",
           i, rm_axis(m, up), rm_vector(m, along, 1), 1/m->w->L);
}

/* a joint with an angle (or a displacement) as first coordinate that is not driven or tied; -1: none */
static inline int rm_find(const rm_model *m, bool angle, int after) {
  for (int j = after + 1; j < m->njoint_tree; j++)
    if (m->joint[j].is_on && (angle ? m->joint[j].angle : m->joint[j].slides)) return j;
  return -1;
}

static inline void rm_add_tie(rm_model *m, const char *type) {
  int a = rm_find(m, true, -1), b = a < 0 ? -1 : rm_find(m, true, a), c = rm_find(m, false, -1);
  double x = rm_between(m, 0.5, 2);
  if (strcmp(type, "gear") == 0 && b >= 0) {
    rm_drawn(m, type);
    if (rm_item(m, m->joint[a].body[1], m->joint[b].body[1]))
      RM_ADD(m->joints, "  tie: {type: gear, joints: [%s, %s], ratio: %.17g}\n", m->joint[a].name, m->joint[b].name, -x);
  } else if (strcmp(type, "rack_pinion") == 0 && a >= 0 && c >= 0) {
    rm_drawn(m, type);
    if (rm_item(m, m->joint[a].body[1], m->joint[c].body[1]))
      RM_ADD(m->joints, "  tie: {type: rack_pinion, joints: [%s, %s], radius: %.17g}\n", m->joint[a].name,
             m->joint[c].name, rm_scale(m, 0.2*x, 1, 0, 0));
  } else if (strcmp(type, "coupler") == 0 && a >= 0 && c >= 0) {
    rm_drawn(m, type);
    if (rm_item(m, m->joint[a].body[1], m->joint[c].body[1]))
      RM_ADD(m->joints, "  tie: {type: coupler, joints: [%s, %s], factors: [%.17g, %.17g]}\n", m->joint[a].name,
             m->joint[c].name, rm_scale(m, 0.3*x, 1, 0, 0), 1.0);
  } else if (strcmp(type, "latch") == 0 && a >= 0) {
    m->switching = true;
    rm_drawn(m, type);
    if (rm_item(m, m->joint[a].body[1], -1)) {
      RM_ADD(m->joints, "  tie: {type: latch, joint: %s, locked: true, release: %.17g}\n", m->joint[a].name,
             rm_scale(m, 0.05*x, 0, 0, 1));
      snprintf(m->last_impact, sizeof(m->last_impact), "tie");
    }
  }
}

static inline void rm_add_drive(rm_model *m) {
  int a = rm_find(m, rm_choose(m, 2), -1);
  double x = rm_between(m, 0.2, 0.6);
  if (a < 0) return;
  rm_drawn(m, "drive");
  m->driven = true;
  if (!rm_item(m, m->joint[a].body[1], -1)) return;
  double rate = m->joint[a].angle ? rm_scale(m, x, 0, 0, -1) : rm_scale(m, x, 1, 0, -1);
  RM_ADD(m->drive, "drive:\n  d: {joint: %s, velocity: \"%.17g*(1 - cos(%.17g*t))\"}\n", m->joint[a].name, rate,
         rm_scale(m, 5, 0, 0, -1));
}

/* ---- forces --------------------------------------------------------------------------------- */

static const char *const rm_forces[] = {"force", "torque", "spring", "torsion_spring", "joint_force", "bushing",
                                        "beam_load", "tyre", "contact", "stop", "pd", "feedback", "sampled",
                                        "callback"};

/* three expressions, a turned vector times a function of time */
static inline const char *rm_expressions(const rm_model *m, const double f[3], double scale) {
  double y[3];
  mat3_vec(y, m->w->R, f);
  double w = rm_scale(m, 3, 0, 0, -1);
  return rm_text("[\"%.17g*cos(%.6g*t)\", \"%.17g*cos(%.6g*t)\", \"%.17g*cos(%.6g*t)\"]", scale*y[0], w, scale*y[1], w,
                 m->planar ? 0 : scale*y[2], w);
}

static inline void rm_add_force(rm_model *m, const char *type) {
  char name[12];
  int i = rm_choose(m, m->nbody), k = rm_choose(m, m->nbody + 1) - 1, a = rm_find(m, true, -1), c = rm_find(m, false, -1);
  double f[3], x = rm_between(m, 0.5, 1.5), z[3] = {0, 0, 1}, up[3] = {0, m->planar, !m->planar};
  const char *at1 = rm_local(m, k, 0.5), *at2 = rm_local(m, i, 0.2);
  rm_direction(m, f);
  if (k == i) k = -1, at1 = rm_local(m, k, 0.5);
  int on = a >= 0 ? a : c; /* joint with a coordinate */
  bool needs_joint = strcmp(type, "joint_force") == 0 || strcmp(type, "stop") == 0 || strcmp(type, "pd") == 0 ||
                     strcmp(type, "feedback") == 0 || strcmp(type, "sampled") == 0;
  if ((needs_joint && on < 0) || (strcmp(type, "torsion_spring") == 0 && a < 0)) return;
  if (strcmp(type, "beam_load") == 0 && !m->beam[0]) return;
  bool angle = on >= 0 && m->joint[on].angle;
  double force = rm_scale(m, 1, 1, 1, -2), torque = rm_scale(m, 1, 2, 1, -2), effort = angle ? torque : force;
  double per_angle = angle ? 1 : 1/m->w->L, T = m->w->T;
  const char *joint = on >= 0 ? m->joint[on].name : "";
  snprintf(name, sizeof(name), "f%d", m->nforce++);
  rm_drawn(m, type);
  int uses = on >= 0 ? m->joint[on].body[1] : -1, uses0 = on >= 0 ? m->joint[on].body[0] : -1;
  bool of_joint = needs_joint || strcmp(type, "torsion_spring") == 0;
  bool both = strcmp(type, "spring") == 0 || strcmp(type, "bushing") == 0;
  if (of_joint ? !rm_item(m, uses, uses0) : !rm_item(m, i, both ? k : -1)) return;
  char *to = m->forces;
  size_t n = sizeof(m->forces);
  snprintf(m->last_force, sizeof(m->last_force), "%s", name);
  if (strcmp(type, "force") == 0)
    rm_add(to, n, "  %s: {type: force, body: b%d, force: %s}\n", name, i, rm_expressions(m, f, 2*x*force));
  else if (strcmp(type, "torque") == 0)
    rm_add(to, n, "  %s: {type: torque, body: b%d, torque: %s}\n", name, i, m->planar ? rm_text("[0, 0, %.17g]", 0.1*x*torque) : rm_expressions(m, f, 0.1*x*torque));
  else if (strcmp(type, "spring") == 0)
    rm_add(to, n, "  %s: {type: spring, bodies: [%s, b%d], at1: %s, at2: %s, stiffness: %.17g, damping: %.17g, preload: %.17g}\n",
           name, rm_body(k), i, at1, at2, rm_scale(m, 30*x, 0, 1, -2), rm_scale(m, x, 0, 1, -1), force*x);
  else if (strcmp(type, "torsion_spring") == 0)
    rm_add(to, n, "  %s: {type: torsion_spring, joint: %s, stiffness: %.17g, damping: %.17g}\n", name, m->joint[a].name,
           3*x*torque, 0.1*x*torque*T);
  else if (strcmp(type, "joint_force") == 0)
    rm_add(to, n, "  %s: {type: joint_force, joint: %s, force: \"%.17g*sin(%.17g*t) - %.17g*rate\"}\n", name, joint,
           0.5*x*effort, 4/T, 0.1*effort*per_angle*T);
  else if (strcmp(type, "bushing") == 0) {
    double ks = rm_scale(m, 20*x, 0, 1, -2), kt = torque*x, ds = rm_scale(m, x, 0, 1, -1), dt = 0.05*torque*T;
    rm_add(to, n, "  %s: {type: bushing, bodies: [%s, b%d], at: %s, orientation: {z: %s, x: %s}, stiffness: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], damping: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n",
           name, rm_body(k), i, rm_place(m, m->r[i]), rm_axis(m, z), rm_vector(m, (double[]){1, 0, 0}, 1), ks, 2*ks, ks,
           kt, kt, 2*kt, ds, ds, ds, dt, dt, dt);
  } else if (strcmp(type, "beam_load") == 0)
    rm_add(to, n, "  %s: {type: beam_load, beam: %s, force: %s}\n", name, m->beam, rm_expressions(m, f, x*rm_scale(m, 1, 0, 1, -2)));
  else if (strcmp(type, "tyre") == 0) {
    m->vertical = true;
    rm_add(to, n, "  %s: {type: tyre, body: b%d, stiffness: %.17g, damping: %.17g, free_length: %.17g, road: \"%.17g\"}\n", name, i,
           rm_scale(m, 50*x, 0, 1, -2), rm_scale(m, x, 0, 1, -1), 0.5*m->w->L, -1*m->w->L);
  } else if (strcmp(type, "contact") == 0) {
    double below[3], gap = rm_between(m, 0.005, 0.05);
    vec3_copy(below, m->r[i]);
    vec3_addmul(below, -0.1 - gap, up);
    rm_add(to, n, "  %s: {type: contact, bodies: [b%d, ground], radius1: %.17g, at2: %s, axis2: %s, friction: %.17g, restitution: %.17g, stiffness: %.17g}\n",
           name, i, 0.1*m->w->L, rm_place(m, below), rm_vector(m, up, 1), 0.2*x, 0.5 + 0.3*x, rm_scale(m, 1e4, 0, 1, -2));
    m->switching = true;
    snprintf(m->last_impact, sizeof(m->last_impact), "%s", name);
  } else if (strcmp(type, "stop") == 0) {
    double reach = angle ? 0.05*x : 0.05*x*m->w->L;
    rm_add(to, n, "  %s: {type: stop, joint: %s, min: %.17g, max: %.17g, restitution: 0.6, stiffness: %.17g}\n", name, joint, -reach,
           reach, angle ? 3e3*torque : rm_scale(m, 1e4, 0, 1, -2));
    m->switching = true;
    snprintf(m->last_impact, sizeof(m->last_impact), "%s", name);
  } else if (strcmp(type, "pd") == 0)
    rm_add(to, n, "  %s: {type: pd, joint: %s, kp: %.17g, kd: %.17g, sample: %.17g, target: %.17g}\n", name, joint,
           2*x*effort*per_angle, 0.2*effort*per_angle*T, 0.01*T, angle ? 0.1 : 0.1*m->w->L);
  else if (strcmp(type, "feedback") == 0)
    rm_add(to, n, "  %s: {type: feedback, joints: [%s], inputs: [\"%s(%s)\", \"rate(%s)\"], gains: [[%.17g, %.17g]], sample: %.17g}\n", name,
           joint, angle ? "angle" : "displacement", joint, joint, 2*x*effort*per_angle, 0.2*effort*per_angle*T, 0.013*T);
  else if (strcmp(type, "sampled") == 0)
    rm_add(to, n, "  %s: {type: sampled, joints: [%s], inputs: [\"rate(%s)*%.17g\"], sample: %.17g}\n", name, joint, joint,
           0.2*effort*per_angle*T, 0.02*T);
  else
    rm_add(to, n, "  %s: {type: callback, bodies: [b%d]}\n", name, i);
  if (needs_joint && strcmp(type, "joint_force") != 0 && strcmp(type, "stop") != 0) m->sampled = true;
}

/* ---- elements, sensors ---------------------------------------------------------------------- */

static const char *const rm_elements[] = {"exact", "quadratic", "incremental", "rigid", "truss", "cable"};

static inline void rm_add_element(rm_model *m, const char *type) {
  double from[3] = {2, 0, 0}, to[3], d[3], force = rm_scale(m, 1, 1, 1, -2), bend = rm_scale(m, 1, 3, 1, -2);
  double mass = rm_scale(m, 1, -1, 1, 0), x = rm_between(m, 0.5, 1.5);
  rm_direction(m, d);
  for (int k = 0; k < 3; k++) to[k] = from[k] + 0.8*d[k];
  double up[3];
  rm_normal(d, up);
  rm_drawn(m, type);
  m->stiff = true;
  bool truss = strcmp(type, "truss") == 0, cable = strcmp(type, "cable") == 0;
  if (!rm_item(m, -1, -1)) return;
  snprintf(m->beam, sizeof(m->beam), "e");
  if (truss || cable) {
    char *text = truss ? m->trusses : m->cables;
    rm_add(text, sizeof(m->trusses), "%s:\n  e: {from: %s, to: %s, elements: 3, EA: %.17g, rhoA: %.17g, damping: %.17g}\n",
           truss ? "trusses" : "cables", rm_place(m, from), rm_place(m, to), 100*x*force, 0.5*mass, 0.01*m->w->T);
    return;
  }
  RM_ADD(m->beams, "beams:\n  e: {from: %s, to: %s, elements: 2, element: %s, start: ground, up: %s, EA: %.17g, GA: %.17g, EI: %.17g, GJ: %.17g, rhoA: %.17g, rhoI: %.17g, damping: %.17g}\n",
         rm_place(m, from), rm_place(m, to), type, rm_axis(m, m->planar ? (double[]){0, 0, 1} : up), 300*x*force, 100*force, 2*x*bend, bend, 0.5*mass,
         rm_scale(m, 0.01, 1, 1, 0), strcmp(type, "incremental") == 0 ? 0 : 0.002*m->w->T);
}

static const char *const rm_sensors[] = {"position", "velocity", "acceleration", "angular_velocity",
                                         "angular_acceleration", "coordinate", "rate", "reaction", "effort", "force",
                                         "impulse", "energy", "element", "strain_energy", "expression"};

static inline void rm_add_sensor(rm_model *m, const char *type) {
  int i = rm_choose(m, m->nbody), j = rm_choose(m, m->njoint_tree), a = rm_find(m, true, -1), c = rm_find(m, false, -1);
  const char *at = rm_local(m, i, 0.3);
  int on = a >= 0 ? a : c;
  bool coordinate = strcmp(type, "coordinate") == 0 || strcmp(type, "rate") == 0;
  bool of_joint = strcmp(type, "reaction") == 0 || strcmp(type, "effort") == 0;
  bool of_beam = strcmp(type, "element") == 0 || strcmp(type, "strain_energy") == 0;
  bool rigid = strstr(m->beams, "element: rigid") != NULL;
  if ((strcmp(type, "effort") == 0 && !m->open) || (coordinate && on < 0) || (of_beam && (!m->beam[0] || rigid)) || (strcmp(type, "impulse") == 0 && !m->last_impact[0]) ||
      (strcmp(type, "force") == 0 && !m->last_force[0]))
    return;
  rm_drawn(m, type);
  bool of_body = strchr("pva", type[0]) != NULL;
  if (of_body ? !rm_item(m, i, -1) : !rm_item(m, -1, -1)) return;
  if (of_joint && !m->joint[j].is_on) return;
  RM_ADD(m->sensors, "  s%d: {type: %s, ", m->nsensor++, type);
  if (strncmp(type, "angular", 7) == 0) RM_ADD(m->sensors, "body: b%d", i);
  else if (of_body) RM_ADD(m->sensors, "body: b%d, point: %s", i, at);
  else if (coordinate) RM_ADD(m->sensors, "joint: %s", m->joint[on].name);
  else if (of_joint) RM_ADD(m->sensors, "joint: %s", m->joint[j].name);
  else if (strcmp(type, "force") == 0) RM_ADD(m->sensors, "force: %s", m->last_force);
  else if (strcmp(type, "impulse") == 0) RM_ADD(m->sensors, "of: %s", m->last_impact);
  else if (strcmp(type, "energy") == 0) RM_ADD(m->sensors, "part: total");
  else if (strcmp(type, "element") == 0) RM_ADD(m->sensors, "element: \"e.element[0]\"");
  else if (strcmp(type, "strain_energy") == 0) RM_ADD(m->sensors, "beam: e");
  else RM_ADD(m->sensors, "value: \"2*t\"");
  RM_ADD(m->sensors, "}\n");
}

/* ---- the whole model ------------------------------------------------------------------------ */

static const char *const rm_ties[] = {"gear", "rack_pinion", "coupler", "latch"};
static const char *const rm_rolling[] = {"rolling_sphere", "rolling_disk", "steering"};

static inline void rm_make(rm_model *m, uint64_t number, const rm_view *w, const bool *off) {
  memset(m, 0, sizeof(*m));
  m->seed = 0x9E3779B97F4A7C15u*(number + 1);
  m->w = w;
  m->off = off;
  for (int k = 0; k < 20; k++) check_random(&m->seed);
  m->planar = rm_choose(m, 3) == 0;
  int n = 2 + rm_choose(m, 5), extra = rm_choose(m, 4);
  m->tied = rm_choose(m, 3) == 0;
  m->open = !m->tied && extra != 1 && extra != 2;
  for (int i = 0; i < n; i++) {
    double at[3] = {0}, d[3];
    int p = i == 0 ? -1 : rm_choose(m, i + 1) - 1;
    if (p >= 0) vec3_copy(at, m->r[p]);
    rm_direction(m, d);
    vec3_addmul(at, 0.6, d);
    rm_add_body(m, at, "", false);
    int type;
    do {
      type = rm_choose(m, (int)(sizeof(rm_tree_joints)/sizeof(rm_tree_joints[0])));
      if (rm_choose(m, 2)) type = 1 + rm_choose(m, 2); /* hinges and guides are what most models have */
    } while (m->planar && !rm_tree_joints[type].planar);
    rm_add_joint(m, type, p, i);
  }
  m->njoint_tree = m->njoint;
  if (extra == 1) { /* a loop, closed by a rod, or by a plane for a point */
    int type = 10 + rm_choose(m, 2);
    rm_add_joint(m, type, -1, n - 1);
  }
  if (m->tied) rm_add_tie(m, rm_ties[rm_choose(m, 4)]);
  if (extra == 2 && !m->tied) rm_add_drive(m);
  if (extra == 3) rm_add_rolling(m, rm_rolling[rm_choose(m, m->planar ? 2 : 3)]);
  if (rm_choose(m, 5) == 0) rm_add_element(m, rm_elements[rm_choose(m, m->planar ? 4 : 6)]);
  for (int k = 1 + rm_choose(m, 3); k > 0; k--) rm_add_force(m, rm_forces[rm_choose(m, (int)(sizeof(rm_forces)/sizeof(rm_forces[0])))]);
  for (int k = 2; k > 0; k--) rm_add_sensor(m, rm_sensors[rm_choose(m, (int)(sizeof(rm_sensors)/sizeof(rm_sensors[0])))]);
}

static inline void rm_write(const rm_model *m, char text[RM_TEXT]) {
  double g[3] = {0, m->planar ? -9.81 : 0, m->planar ? 0 : -9.81};
  text[0] = 0;
  rm_add(text, RM_TEXT, "tenon: 1\n%sgravity: %s\nbodies:\n", m->planar ? "planar: true\n" : "",
         rm_vector(m, g, rm_scale(m, 1, 1, 0, -2)));
  for (int k = 0; k < m->nbody; k++) rm_add(text, RM_TEXT, "%s", m->body_text[m->w->reverse ? m->nbody - 1 - k : k]);
  rm_add(text, RM_TEXT, "%s%s%s", m->beams, m->trusses, m->cables);
  if (m->joints[0]) rm_add(text, RM_TEXT, "joints:\n%s", m->joints);
  rm_add(text, RM_TEXT, "%s", m->drive);
  if (m->forces[0]) rm_add(text, RM_TEXT, "forces:\n%s", m->forces);
  if (m->sensors[0]) rm_add(text, RM_TEXT, "sensors:\n%s", m->sensors);
}

#endif
